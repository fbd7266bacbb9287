#include "project.h"

#include <math.h>

#include "check.h"
#include "nearest_cubic.h"
#include "surface_project.h"
#include "tensor_eval.h"
#include "transfer.h"

/* ---- checks ---- */

static clsp_status bad(const clsp_bspline_plan *plan, const char *what, double value)
{
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bspline: projection: %s: %g", what, value);
}

/* Checks that a plan's curves or surfaces can be projected onto. */
static clsp_status check_splines(const clsp_bspline_plan *plan, const clsp_run *run)
{
    const uint32_t directions = plan->desc.directions;
    const uint32_t most =
        directions == 1 ? CLSP_BSPLINE_PROJECT_MAX_DEGREE : CLSP_BSPLINE_PROJECT_MAX_SURFACE_DEGREE;

    if (directions > 2) return bad(plan, "onto curves and surfaces, and directions is", directions);
    if (directions == 2 && plan->desc.dim < 2)
        return bad(plan, "onto surfaces of 2 to 4 dimensions, and dim is", plan->desc.dim);
    for (uint32_t k = 0; k < directions; k++)
        if (plan->desc.degree[k] < 1 || plan->desc.degree[k] > most)
            return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_DEGREE,
                              "bspline: projection onto degree %u: 1 to %u", plan->desc.degree[k],
                              most);
    CLSPI_CHECK(clspi_tensor_check_patches(&plan->tensor, (clsp_range){0, 0}, run));
    if (plan->own.num > 0 && plan->tensor.is_loaded && plan->own.num != plan->tensor.num_patches)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_STATE,
                          "bspline: %zu curves are loaded, and %zu have knots of their own",
                          plan->tensor.num_patches, plan->own.num);
    return CLSP_OK;
}

static clsp_status check_opts(const clsp_bspline_plan *plan, clsp_bspline_project_opts *opts)
{
    CLSPI_CHECK(clspi_reserved_check_some(&plan->tensor.base.ctx->log, "clsp_bspline_project_opts",
                                          opts->reserved, CLSP_RESERVED - 1));
    if (opts->method == CLSP_BSPLINE_PROJECT_DEFAULT) opts->method = CLSP_BSPLINE_PROJECT_EXACT;
    if (opts->method != CLSP_BSPLINE_PROJECT_EXACT && opts->method != CLSP_BSPLINE_PROJECT_MREP)
        return bad(plan, "no such method", opts->method);
    if (opts->method == CLSP_BSPLINE_PROJECT_MREP && plan->own.num > 0)
        return bad(plan, "mrep takes no curves with knots of their own, and there are",
                   (double)plan->own.num);
    if (opts->method == CLSP_BSPLINE_PROJECT_MREP && plan->desc.directions == 2)
        return bad(plan, "mrep takes curves only, and directions is", plan->desc.directions);
    if (opts->num_nearest == 0) opts->num_nearest = 1;
    if (opts->num_nearest > 1 && plan->desc.directions == 2)
        return bad(plan, "surfaces have one result a query, and num_nearest is", opts->num_nearest);
    if (opts->num_nearest > CLSP_BSPLINE_PROJECT_MAX_NEAREST)
        return bad(plan, "num_nearest is above the maximum", opts->num_nearest);
    if (opts->method == CLSP_BSPLINE_PROJECT_MREP && opts->num_nearest > 1)
        return bad(plan, "mrep gives one result a query, and num_nearest is", opts->num_nearest);
    if (!(opts->max_dist >= 0.0) || isinf(opts->max_dist))
        return bad(plan, "max_dist is no distance", opts->max_dist);
    if (!(opts->tolerance >= 0.0) || isinf(opts->tolerance))
        return bad(plan, "tolerance is no distance", opts->tolerance);
    if (opts->normals && plan->desc.directions != 2)
        return bad(plan, "normals are of surfaces, and directions is", plan->desc.directions);
    if (opts->normals && plan->desc.dim != 3)
        return bad(plan, "normals are of 3 dimensions, and dim is", plan->desc.dim);
    if (opts->method == CLSP_BSPLINE_PROJECT_MREP && plan->desc.rational)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_WEIGHTS,
                          "bspline: projection: mrep of rational curves");
    return CLSP_OK;
}

static clsp_status check_queries(const clsp_bspline_plan *plan, const clsp_bspline_queries *queries)
{
    CLSPI_CHECK(clspi_reserved_check(&plan->tensor.base.ctx->log, "clsp_bspline_queries",
                                     queries->reserved));
    if (clspi_input_is_there(&queries->hints) && !clspi_input_is_there(&queries->patches) &&
        plan->tensor.num_patches > 1)
        return bad(plan, "hints without patches, and the patches are",
                   (double)plan->tensor.num_patches);
    return CLSP_OK;
}

clsp_status clspi_project_check(const clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                clsp_bspline_project_opts *opts, const clsp_run *run)
{
    CLSPI_CHECK(check_splines(plan, run));
    CLSPI_CHECK(check_opts(plan, opts));
    return check_queries(plan, queries);
}

clsp_status clspi_project_surfaces(clsp_bspline_plan *plan, const clsp_bspline_queries *queries,
                                   const clsp_bspline_project_opts *opts,
                                   const clsp_output *nearest, const clsp_run *run)
{
    const clspi_surface_project call = {.num = queries->num,
                                        .points = queries->points,
                                        .patches = queries->patches,
                                        .hints = queries->hints,
                                        .max_dist = opts->max_dist,
                                        .nearest = *nearest,
                                        .has_normals = opts->normals != NULL,
                                        .normals = opts->normals ? *opts->normals
                                                                 : (clsp_output){.size = 0}};

    return clspi_tensor_project(&plan->tensor, &call, run);
}

clsp_status clspi_project_needs_of(const clsp_bspline_plan *plan,
                                   const clsp_bspline_queries *queries,
                                   const clsp_bspline_project_opts *opts,
                                   clspi_project_needs *needs)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    const size_t one =
        d->precision == CLSP_F32 ? CLSP_BSPLINE_NEAREST_F32_SIZE : CLSP_BSPLINE_NEAREST_F64_SIZE;
    const size_t result = one * opts->num_nearest, num = queries->num;
    size_t bytes = sizeof(double) * (result + d->dim);

    if (!clspi_size_mul(&bytes, num))
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: %zu queries are more than the address space", num);
    *needs = (clspi_project_needs){.result = result,
                                   .nearest = {"nearest", d->precision, num * result},
                                   .points = {"points", d->precision, num * d->dim},
                                   .patches = {"patches", CLSP_U32, num},
                                   .hints = {"hints", d->precision, num}};
    return CLSP_OK;
}

/* ---- the search ---- */

enum { OUT, POINTS, MORE }; /* streams: results, queries, and what else there is */

typedef struct search {
    clsp_bspline_plan *plan;
    const clsp_bspline_project_opts *opts;
    clspi_job_streams streams;
    uint32_t patches, hints; /* their streams; 0: none */
} search;

static clsp_status make_part(void *user, clspi_series *series, const clspi_part *part)
{
    search *const s = user;
    const clspi_stream *const stream = s->streams.stream;
    const clspi_nearest_job job = {.points = stream[POINTS].buffer,
                                   .patches = s->patches ? stream[s->patches].buffer : NULL,
                                   .hints = s->hints ? stream[s->hints].buffer : NULL,
                                   .out = stream[OUT].buffer,
                                   .points_offset = stream[POINTS].offset,
                                   .patches_offset = stream[s->patches].offset,
                                   .hints_offset = stream[s->hints].offset,
                                   .offset = stream[OUT].offset,
                                   .num = part->num_lines,
                                   .num_nearest = s->opts->num_nearest,
                                   .max_dist = s->opts->max_dist};

    if (s->opts->method == CLSP_BSPLINE_PROJECT_MREP) {
        CLSPI_CHECK(
            clspi_nearest_cubic_prepare(s->plan, series, s->opts->tolerance, part->num_lines));
        return clspi_nearest_cubic_find(s->plan, series, &job);
    }
    CLSPI_CHECK(clspi_nearest_prepare(s->plan, series, s->opts->num_nearest));
    return clspi_nearest_find(s->plan, series, &job);
}

/* Opens one more stream to be read: some lines of an input. */
static clsp_status open_input(search *s, const clsp_input *input, size_t per_line,
                              clspi_memory_need need, clsp_range lines)
{
    clspi_stream *const stream = &s->streams.stream[s->streams.num++];
    clsp_input some = *input;

    need.count = lines.count * per_line;
    some.offset += lines.first * per_line;
    stream->per_line = per_line;
    return clspi_input_open(&stream->memory, &s->plan->tensor.base, &some, &need);
}

static clsp_status open_streams(search *s, const clsp_bspline_queries *queries,
                                const clspi_project_needs *needs, clsp_range lines,
                                const clsp_output *nearest)
{
    clspi_memory_need need = needs->nearest;

    need.count = lines.count * needs->result;
    clspi_stream *const stream = &s->streams.stream[s->streams.num++];
    stream->per_line = needs->result;
    stream->written = true;
    CLSPI_CHECK(clspi_output_open(&stream->memory, &s->plan->tensor.base, nearest, &need));
    CLSPI_CHECK(open_input(s, &queries->points, s->plan->tensor.desc.dim, needs->points, lines));
    if (clspi_input_is_there(&queries->patches)) {
        s->patches = s->streams.num;
        CLSPI_CHECK(open_input(s, &queries->patches, 1, needs->patches, lines));
    }
    if (!clspi_input_is_there(&queries->hints)) return CLSP_OK;
    s->hints = s->streams.num;
    return open_input(s, &queries->hints, 1, needs->hints, lines);
}

clsp_status clspi_project_lines(clsp_bspline_plan *plan, const clspi_project_call *call,
                                clsp_range lines, const clsp_run *run)
{
    const clspi_cut cut = {.per_piece = clspi_max(1, lines.count), .left = lines.count};
    search s = {.plan = plan, .opts = call->opts};
    const clsp_status status = open_streams(&s, call->queries, &call->needs, lines, &call->nearest);

    if (status == CLSP_OK)
        return clspi_carry_out(&plan->tensor.base, run, &s.streams, cut, make_part, &s);
    clspi_streams_close(&s.streams);
    return status;
}
