/* The public calls of conversions. */
#include <clspline/bspline.h>

#include <stdlib.h>

#include "check.h"
#include "convert_target.h"
#include "host_device.h"
#include "patch_rows.h"
#include "work.h"

static clsp_status no_target(const clspi_bspline_plan *plan)
{
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_STATE, "bspline: there is no target");
}

/* ---- the target ---- */

/* Makes what kernels need of a target, where they make control points. */
static clsp_status prepare(clspi_bspline_plan *plan, clspi_convert_target *target)
{
    clspi_call call;

    if (clspi_is_own_cpu(plan->tensor.base.ctx) && !target->sum.method) return CLSP_OK;
    CLSPI_CHECK(clspi_needs_kernels(plan->tensor.base.ctx));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->tensor.base, NULL));
    return clspi_call_end(&call, clspi_convert_prepare(target, &call.series));
}

clsp_status clsp_bspline_set_target(clsp_patch_plan *base, const clsp_bspline_target *wanted)
{
    clspi_bspline_plan *const plan = (clspi_bspline_plan *)base; /* once it is checked */
    clspi_convert_target *target = NULL;

    CLSPI_CHECK(clspi_family_check(base, &clspi_bspline_family, "clsp_bspline_set_target"));
    CLSPI_CHECK(clspi_call_check(&base->base, NULL));
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
static clsp_status check_target(const clspi_bspline_plan *plan, clsp_range patches)
{
    if (!plan->target) return no_target(plan);
    const size_t num = plan->target->own.num;
    if (num == 0 || (patches.first <= num && patches.count <= num - patches.first)) return CLSP_OK;
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bspline: curves %zu to %zu + %zu of %zu", patches.first, patches.first,
                      patches.count, num);
}

/* ---- the matrix of a direction ---- */

static bool is_there(const clsp_output *output)
{
    return output->buffer || output->host || output->svm || output->graphics;
}

/* Opens one of the two memories that a matrix is written to. */
static clsp_status open_part(const clspi_bspline_plan *plan, const clsp_output *output,
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
static clsp_status write_rows(const clspi_bspline_plan *plan, const clspi_conversion *conversion,
                              const clsp_bspline_matrix *matrix)
{
    const size_t rows = conversion->to->controls, terms = (size_t)conversion->from->degree + 1;
    const clspi_memory_need first_need = {"columns", CLSP_U32, rows};
    const clspi_memory_need weights_need = {"weights", CLSP_F64, rows * terms};
    char *columns = NULL, *values = NULL;

    CLSPI_CHECK(open_part(plan, &matrix->first, &first_need, &columns));
    CLSPI_CHECK(open_part(plan, &matrix->weights, &weights_need, &values));
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
static clsp_status write_own_rows(const clspi_bspline_plan *plan, size_t curve,
                                  const clsp_bspline_matrix *matrix)
{
    clspi_knots knots[2];
    clspi_conversion conversion;
    const bool made =
        clspi_own_target_conversion(&plan->target->own, plan, curve, knots, &conversion);
    const clsp_status status = made ? write_rows(plan, &conversion, matrix)
                                    : clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                                                 "bspline: no memory for a matrix");

    clspi_knots_release(&knots[0]);
    clspi_knots_release(&knots[1]);
    return status;
}

/* Writes the conversions that are asked for. */
static clsp_status write_matrices(const clspi_bspline_plan *plan, size_t patch,
                                  const clsp_bspline_matrix *matrix)
{
    const clspi_convert_target *const target = plan->target;

    CLSPI_CHECK(clspi_call_check(&plan->tensor.base, NULL));
    for (cl_uint k = 0; k < plan->desc.directions; k++) {
        CLSPI_CHECK(clspi_reserved_check(&plan->tensor.base.ctx->log, "clsp_bspline_matrix",
                                         matrix[k].reserved));
        if (!is_there(&matrix[k].first) && !is_there(&matrix[k].weights)) continue;
        CLSPI_CHECK(target->own.num > 0 ? write_own_rows(plan, patch, &matrix[k])
                                        : write_rows(plan, &target->conversion[k], &matrix[k]));
    }
    return CLSP_OK;
}

/* ---- the description ---- */

static void describe(const clspi_bspline_plan *plan, size_t patch, clsp_bspline_desc *desc)
{
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
    if (own->num == 0) return;
    desc->degree[0] = own->degree;
    desc->num_controls[0] = (uint32_t)(own->first[patch + 1] - own->first[patch]);
    desc->knots[0] = clspi_own_target_knots(own, patch);
}

clsp_status clsp_bspline_target_desc(const clsp_patch_plan *base, size_t patch,
                                     clsp_bspline_desc *desc, const clsp_bspline_matrix *matrix)
{
    const clspi_bspline_plan *const plan =
        (const clspi_bspline_plan *)base; /* once it is checked */

    CLSPI_CHECK(clspi_family_check(base, &clspi_bspline_family, "clsp_bspline_target_desc"));
    if (!desc) return clspi_null_argument(&base->base, "clsp_bspline_target_desc");
    CLSPI_CHECK(check_target(plan, (clsp_range){patch, 1}));
    if (matrix) CLSPI_CHECK(write_matrices(plan, patch, matrix));
    describe(plan, patch, desc);
    return CLSP_OK;
}

/* ---- control points ---- */

/* Makes the rows of a part. A line is the rows of a piece where pieces are made, else one. */
static clsp_status make_rows(const clspi_work *work, clspi_plan *base, clspi_series *series,
                             const clspi_part *part, const clspi_place in[],
                             const clspi_target *out)
{
    clspi_bspline_plan *const plan = clspi_bspline_plan_of(base);
    const size_t each = clspi_convert_line_rows(plan->target);
    const clspi_rows whole = {.out = out->buffer, .offset = out->offset};
    const clspi_part in_rows = {.piece = part->piece,
                                .num_pieces = part->num_pieces,
                                .line = part->line * each,
                                .num_lines = part->num_lines * each};
    const clspi_rows rows = clspi_rows_of_part(&whole, &in_rows, 0);

    (void)work;
    (void)in;
    CLSPI_CHECK(clspi_patch_upload(&plan->tensor, series));
    return clspi_convert_rows(plan->target, series, plan->tensor.points, plan->tensor.num_patches,
                              &rows);
}

/* Makes control points of curves that have knots of their own: pieces of the part, counted through
   all curves. */
static clsp_status make_own(const clspi_work *work, clspi_plan *base, clspi_series *series,
                            const clspi_part *part, const clspi_place in[], const clspi_target *out)
{
    clspi_bspline_plan *const plan = clspi_bspline_plan_of(base);

    (void)work;
    (void)in;
    CLSPI_CHECK(clspi_patch_upload(&plan->tensor, series));
    CLSPI_CHECK(clspi_convert_prepare(plan->target, series));
    return clspi_own_target_enqueue(&plan->target->own, series, plan,
                                    (clsp_range){part->piece, part->num_lines}, out->buffer,
                                    out->offset);
}

/* Describes the lines of a conversion; of curves that have knots of their own they are control
   points, and pieces. */
static clspi_work work_of(clspi_bspline_plan *plan, clsp_range patches, const clsp_output *controls)
{
    static const clspi_work_makers row_makers = {.prepare = clspi_convert_prepare_host,
                                                 .on_host = clspi_convert_on_host,
                                                 .on_device = make_rows};
    static const clspi_work_makers own_makers = {.prepare = clspi_convert_prepare_host,
                                                 .on_host = clspi_convert_on_host,
                                                 .on_device = make_own};
    const clspi_convert_target *const target = plan->target;
    const size_t *const first = target->own.num > 0 ? target->own.first : NULL;
    const size_t rows = clspi_convert_line_rows(target);
    const size_t line =
        first ? clspi_coords(&plan->tensor.desc) : rows * clspi_convert_row_reals(target);

    return (clspi_work){
        .plan = &plan->tensor.base,
        .makers = first ? &own_makers : &row_makers,
        .tiling = first ? clspi_list_tiling(
                              first[patches.first + patches.count] - first[patches.first], line)
                        : clspi_tiling_of(patches.count, target->knots[0].controls / rows, line, 1),
        .first_piece = first ? first[patches.first] : patches.first,
        .multiple = first ? 0 : clspi_convert_multiple(target) / rows,
        .out = {controls, "control points", plan->desc.precision, line, false},
        .line_items = line,
        .line_ns = (double)line,
        .is_devices = target->sum.method != NULL};
}

/* Checks a call but for its memory. */
static clsp_status check_call(const clspi_bspline_plan *plan, clsp_range patches,
                              const clsp_run *run)
{
    const clspi_plan *const base = &plan->tensor.base;

    CLSPI_CHECK(clspi_call_check(base, run));
    CLSPI_CHECK(clspi_unshared_check(base, run, "a conversion"));
    CLSPI_CHECK(check_target(plan, patches));
    return clspi_patch_check_patches(&plan->tensor, patches, run);
}

/* Counts the elements of a work's lines. */
static clsp_status count_elements(const clspi_work *work, size_t *elements)
{
    size_t bytes = clsp_type_bytes(work->out.type);

    *elements = work->out.per_line;
    if (clspi_size_mul(elements, work->tiling.lines) &&
        clspi_size_mul(elements, work->tiling.num_pieces) && clspi_size_mul(&bytes, *elements))
        return CLSP_OK;
    return clspi_fail(&work->plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bspline: the control points are more than the address space");
}

clsp_status clsp_bspline_convert(clsp_patch_plan *base, clsp_range patches, clsp_output controls,
                                 const clsp_run *run)
{
    clspi_bspline_plan *const plan = (clspi_bspline_plan *)base; /* once it is checked */
    size_t elements;

    CLSPI_CHECK(clspi_family_check(base, &clspi_bspline_family, "clsp_bspline_convert"));
    CLSPI_CHECK(check_call(plan, patches, run));
    const clspi_work work = work_of(plan, patches, &controls);
    CLSPI_CHECK(count_elements(&work, &elements));
    return clspi_run_asks(run) ? clspi_run_report(run, elements) : clspi_work_run(&work, run);
}
