/* The public calls of conversions. */
#include <clspline/bspline_convert.h>

#include <stdlib.h>

#include "check.h"
#include "convert_target.h"
#include "shared_batch.h"
#include "tensor_eval.h"
#include "transfer.h"

static clsp_status no_target(const clsp_bspline_plan *plan)
{
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_STATE, "bspline: there is no target");
}

/* ---- the target ---- */

/* Makes what a target needs on the device. */
static clsp_status prepare(clsp_bspline_plan *plan, clspi_convert_target *target)
{
    clspi_call call;

    CLSPI_CHECK(clspi_call_begin(&call, &plan->tensor.base, NULL));
    return clspi_call_end(&call, clspi_convert_prepare(target, &call.series));
}

clsp_status clsp_bspline_set_target(clsp_bspline_plan *plan, const clsp_bspline_target *wanted)
{
    clspi_convert_target *target = NULL;

    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_set_target");
    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, NULL));
    if (wanted) {
        CLSPI_CHECK(clspi_convert_target_create(&target, plan, wanted));
        const clsp_status status = prepare(plan, target);
        if (status != CLSP_OK) {
            clspi_convert_target_destroy(&target);
            return status;
        }
    }
    clspi_convert_target_destroy(&plan->target);
    plan->target = target;
    return CLSP_OK;
}

/* Checks that there is a target, and curves of these numbers where they have their own knots. */
static clsp_status check_target(const clsp_bspline_plan *plan, clsp_range patches)
{
    if (!plan->target) return no_target(plan);
    const size_t num = plan->target->own.num;
    if (num == 0 || (patches.first <= num && patches.count <= num - patches.first)) return CLSP_OK;
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bspline: curves %zu to %zu + %zu of %zu", patches.first, patches.first,
                      patches.count, num);
}

clsp_status clsp_bspline_target_desc(const clsp_bspline_plan *plan, size_t patch,
                                     clsp_bspline_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_target_desc");
    CLSPI_CHECK(clspi_context_check(plan->tensor.base.ctx));
    CLSPI_CHECK(check_target(plan, (clsp_range){patch, 1}));
    const clspi_own_target *const own = &plan->target->own;
    *desc = plan->desc;
    desc->vertex = (clsp_vertex_layout){0};
    for (cl_uint k = 0; k < 3; k++)
        desc->axis[k] = (clsp_axis){0};
    for (cl_uint k = 0; k < desc->directions && own->num == 0; k++) {
        const clspi_knots *const knots = &plan->target->knots[k];
        desc->degree[k] = knots->degree;
        desc->num_controls[k] = knots->controls;
        desc->knots[k] = knots->u;
    }
    if (own->num == 0) return CLSP_OK;
    desc->degree[0] = own->degree;
    desc->num_controls[0] = (uint32_t)(own->first[patch + 1] - own->first[patch]);
    desc->knots[0] = clspi_own_target_knots(own, patch);
    return CLSP_OK;
}

/* ---- the matrix of a direction ---- */

/* Opens one of the two memories that a matrix is written to. */
static clsp_status open_part(const clsp_bspline_plan *plan, const clsp_output *output,
                             const clspi_memory_need *need, char **host)
{
    clspi_memory memory;

    if (output->buffer || output->svm || output->graphics)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "bspline: %s of a matrix: host memory only", need->what);
    CLSPI_CHECK(clspi_output_open(&memory, &plan->tensor.base, output, need));
    *host = memory.host;
    return CLSP_OK;
}

/* Writes all rows of a conversion, in terms of control points. */
static clsp_status write_rows(const clsp_bspline_plan *plan, const clspi_conversion *conversion,
                              const clsp_output *first, const clsp_output *weights)
{
    const size_t rows = conversion->to->controls, terms = (size_t)conversion->from->degree + 1;
    const clspi_memory_need first_need = {"columns", CLSP_U32, rows};
    const clspi_memory_need weights_need = {"weights", CLSP_F64, rows * terms};
    char *columns = NULL, *values = NULL;

    CLSPI_CHECK(open_part(plan, first, &first_need, &columns));
    CLSPI_CHECK(open_part(plan, weights, &weights_need, &values));
    double *const scratch = malloc(clspi_conversion_scratch(conversion) * sizeof *scratch);
    if (!scratch)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for a matrix");
    for (uint32_t i = 0; i < rows; i++)
        ((uint32_t *)(void *)columns)[i] =
            clspi_conversion_full_row(conversion, i, (double *)(void *)values + i * terms, scratch);
    free(scratch);
    return CLSP_OK;
}

/* Writes the rows of a curve that has knots of its own. */
static clsp_status write_own_rows(const clsp_bspline_plan *plan, size_t curve,
                                  const clsp_output *first, const clsp_output *weights)
{
    clspi_knots knots[2];
    clspi_conversion conversion;
    const bool made =
        clspi_own_target_conversion(&plan->target->own, plan, curve, knots, &conversion);
    const clsp_status status = made ? write_rows(plan, &conversion, first, weights)
                                    : clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                                                 "bspline: no memory for a matrix");

    clspi_knots_release(&knots[0]);
    clspi_knots_release(&knots[1]);
    return status;
}

clsp_status clsp_bspline_target_matrix(const clsp_bspline_plan *plan, size_t patch,
                                       uint32_t direction, clsp_output first, clsp_output weights)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_target_matrix");
    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, NULL));
    CLSPI_CHECK(check_target(plan, (clsp_range){patch, 1}));
    if (direction >= plan->desc.directions)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "bspline: a matrix along direction %u of %u", direction,
                          plan->desc.directions);
    return plan->target->own.num > 0
               ? write_own_rows(plan, patch, &first, &weights)
               : write_rows(plan, &plan->target->conversion[direction], &first, &weights);
}

/* ---- control points ---- */

/* What the parts of a call are made from. */
typedef struct convert_job {
    clsp_bspline_plan *plan;
    clspi_job_streams streams; /* control points */
} convert_job;

/* Makes the rows of a part: whole patches and rows of others. */
static clsp_status make_rows(void *user, clspi_series *series, const clspi_part *part)
{
    convert_job *const job = user;
    const clspi_tensor_plan *const tensor = &job->plan->tensor;
    const clspi_stream *const out = &job->streams.stream[0];
    clspi_cut cut = {.per_piece = job->plan->target->knots[0].controls,
                     .piece = part->piece,
                     .line = part->line,
                     .left = part->num_lines};
    const clspi_rows whole = {.out = out->buffer, .offset = out->offset};
    clspi_part some;

    while (clspi_cut_next(&cut, UINT64_MAX, &some)) {
        const clspi_rows rows = clspi_rows_of_part(&whole, &some, out->per_line);
        CLSPI_CHECK(clspi_convert_rows(job->plan->target, series, tensor->points,
                                       tensor->num_patches, &rows));
    }
    return CLSP_OK;
}

/* Makes the control points of a part, which are its lines, of curves that have knots of their own.
 */
static clsp_status make_own(void *user, clspi_series *series, const clspi_part *part)
{
    const convert_job *const job = user;
    const clspi_own_target *const own = &job->plan->target->own;
    const clspi_stream *const out = &job->streams.stream[0];
    const clsp_range controls = {own->first[part->piece] + part->line, part->num_lines};

    return clspi_own_target_enqueue(own, series, job->plan, controls, out->buffer, out->offset);
}

/* Opens the memory of a call, which gets so many elements. */
static clsp_status open_controls(convert_job *job, size_t elements, size_t per_line,
                                 const clsp_output *controls)
{
    const clspi_memory_need need = {"control points", job->plan->desc.precision, elements};
    clspi_stream *const out = &job->streams.stream[0];

    out->per_line = per_line;
    out->written = true;
    job->streams.num = 1;
    return clspi_output_open(&out->memory, &job->plan->tensor.base, controls, &need);
}

/* Counts the lines of a call: rows, or where curves have knots of their own control points. */
static clsp_status count_lines(const clsp_bspline_plan *plan, clspi_cut *cut, clsp_range patches)
{
    const clspi_convert_target *const target = plan->target;

    *cut = (clspi_cut){.piece = patches.first, .left = patches.count};
    if (target->own.num > 0) {
        cut->prefix = target->own.first;
        cut->left =
            target->own.first[patches.first + patches.count] - target->own.first[patches.first];
        return CLSP_OK;
    }
    cut->per_piece = target->knots[0].controls;
    cut->multiple = clspi_convert_multiple(target);
    if (clspi_size_mul(&cut->left, cut->per_piece)) return CLSP_OK;
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bspline: %zu patches are more than the address space", patches.count);
}

/* Checks a call, and counts its lines and the elements of all and of each. */
static clsp_status check_call(const clsp_bspline_plan *plan, clsp_range patches,
                              const clsp_run *run, clspi_cut *cut, size_t elements[2])
{
    const clspi_plan *const base = &plan->tensor.base;

    CLSPI_CHECK(clspi_call_check(base, run));
    CLSPI_CHECK(clspi_unshared_check(base, run, "a conversion"));
    CLSPI_CHECK(check_target(plan, patches));
    CLSPI_CHECK(clspi_tensor_check_patches(&plan->tensor, patches, run));
    CLSPI_CHECK(count_lines(plan, cut, patches));
    elements[1] = plan->target->own.num > 0 ? clspi_coords(&plan->tensor.desc)
                                            : clspi_convert_row_reals(plan->target);
    elements[0] = cut->left;
    if (clspi_size_mul(&elements[0], elements[1])) return CLSP_OK;
    return clspi_fail(&base->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bspline: the control points are more than the address space");
}

clsp_status clsp_bspline_convert(clsp_bspline_plan *plan, clsp_range patches, clsp_output controls,
                                 const clsp_run *run)
{
    convert_job job = {.plan = plan};
    size_t elements[2];
    clspi_cut cut;

    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_convert");
    CLSPI_CHECK(check_call(plan, patches, run, &cut, elements));
    if (clspi_run_asks(run)) return clspi_run_tell(run, elements[0]);
    if (plan->target->method != CLSP_BSPLINE_CONVERT_MATRIX &&
        clspi_goes_to_host(&plan->tensor.base, run, &controls, plan->desc.directions == 1))
        return clspi_convert_on_host(plan, patches, &controls, run);
    const clsp_status status = open_controls(&job, elements[0], elements[1], &controls);
    if (status == CLSP_OK)
        return clspi_carry_out(&plan->tensor.base, run, &job.streams, cut,
                               plan->target->own.num > 0 ? make_own : make_rows, &job);
    clspi_streams_close(&job.streams);
    return status;
}
