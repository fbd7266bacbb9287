/* The public calls of conversions. */
#include <clspline/bspline_convert.h>

#include "check.h"
#include "convert_target.h"
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

clsp_status clsp_bspline_target_desc(const clsp_bspline_plan *plan, clsp_bspline_desc *desc)
{
    if (!plan || !desc)
        return clspi_null_argument(plan ? &plan->tensor.base : NULL, "clsp_bspline_target_desc");
    if (!plan->target) return no_target(plan);
    *desc = plan->desc;
    desc->vertex = (clsp_vertex_layout){0};
    for (cl_uint k = 0; k < 3; k++) {
        const clspi_knots *const knots = &plan->target->knots[k];
        desc->axis[k] = (clsp_axis){0};
        if (k >= desc->directions) continue;
        desc->degree[k] = knots->degree;
        desc->num_controls[k] = knots->controls;
        desc->knots[k] = knots->u;
    }
    return CLSP_OK;
}

/* ---- the matrix of a direction ---- */

/* Opens one of the two memories that a matrix is written to. */
static clsp_status open_part(const clsp_bspline_plan *plan, const clsp_output *output,
                             const clspi_memory_need *need, char **host)
{
    clspi_memory memory;

    if (output->buffer || output->svm)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "bspline: %s of a matrix: host memory only", need->what);
    CLSPI_CHECK(clspi_output_open(&memory, &plan->tensor.base, output, need));
    *host = memory.host;
    return CLSP_OK;
}

clsp_status clsp_bspline_target_matrix(const clsp_bspline_plan *plan, uint32_t direction,
                                       clsp_output first, clsp_output weights)
{
    char *columns = NULL, *values = NULL;

    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_target_matrix");
    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, NULL));
    if (!plan->target) return no_target(plan);
    if (direction >= plan->desc.directions)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                          "bspline: a matrix along direction %u of %u", direction,
                          plan->desc.directions);
    const clspi_conversion *const conversion = &plan->target->conversion[direction];
    const size_t rows = conversion->to->controls, terms = (size_t)conversion->from->degree + 1;
    const clspi_memory_need first_need = {"columns", CLSP_U32, rows};
    const clspi_memory_need weights_need = {"weights", CLSP_F64, rows * terms};
    CLSPI_CHECK(open_part(plan, &first, &first_need, &columns));
    CLSPI_CHECK(open_part(plan, &weights, &weights_need, &values));
    uint32_t *const to = (uint32_t *)(void *)columns;
    for (uint32_t i = 0; i < rows; i++)
        to[i] = clspi_conversion_full_row(conversion, i, (double *)(void *)values + i * terms,
                                          plan->target->scratch);
    return CLSP_OK;
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

/* Opens the memory of a call. */
static clsp_status open_controls(convert_job *job, size_t num_rows, const clsp_output *controls)
{
    clspi_stream *const out = &job->streams.stream[0];
    size_t count = num_rows;

    out->per_line = clspi_convert_row_reals(job->plan->target);
    out->written = true;
    job->streams.num = 1;
    if (!clspi_size_mul(&count, out->per_line))
        return clspi_fail(&job->plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: the control points are more than the address space");
    const clspi_memory_need need = {"control points", job->plan->desc.precision, count};
    return clspi_output_open(&out->memory, &job->plan->tensor.base, controls, &need);
}

clsp_status clsp_bspline_convert(clsp_bspline_plan *plan, clsp_range patches, clsp_output controls,
                                 const clsp_sync *sync)
{
    convert_job job = {.plan = plan};
    size_t num_rows = patches.count;

    if (!plan) return clspi_null_argument(NULL, "clsp_bspline_convert");
    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, sync));
    if (!plan->target) return no_target(plan);
    CLSPI_CHECK(clspi_tensor_check_patches(&plan->tensor, patches));
    const cl_uint per_patch = plan->target->knots[0].controls;
    if (!clspi_size_mul(&num_rows, per_patch))
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: %zu patches are more than the address space", patches.count);
    const clspi_cut cut = {.per_piece = per_patch,
                           .multiple = clspi_convert_multiple(plan->target),
                           .piece = patches.first,
                           .left = num_rows};
    const clsp_status status = open_controls(&job, num_rows, &controls);
    if (status == CLSP_OK)
        return clspi_carry_out(&plan->tensor.base, sync, &job.streams, cut, make_rows, &job);
    clspi_streams_close(&job.streams);
    return status;
}
