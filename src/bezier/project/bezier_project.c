/* Projection onto Bezier curves and surfaces. */
#include <math.h>

#include "bezier_pieces.h"
#include "check.h"
#include "surface_project.h"
#include "patch_rows.h"

/* ---- pieces ---- */

/* Where the control points of patches are. */
typedef struct bezier_points {
    const clsp_patch_plan *plan;
    const void *points; /* [patch][degree_u + 1][degree_v + 1][dim, and the weight] */
} bezier_points;

/* Copies a patch's control points, relative to the middle one: fused, so that what is left of
   places far from 0 has all its digits. */
static void make_piece(const void *user, size_t patch, const uint32_t span[2], double *origin,
                       double *points)
{
    const bezier_points *const b = user;
    const clspi_tensor_desc *const d = &b->plan->desc;
    const uint32_t coords = clspi_coords(d), order = d->degrees[1] + 1;
    const uint32_t row = order * coords;
    const size_t num = b->plan->patch_reals, first = patch * num;
    const double *const middle = points + (d->degrees[0] + 1) / 2 * row + order / 2 * coords;

    (void)span;
    for (size_t i = 0; i < num; i++)
        points[i] = d->precision == CLSP_F64 ? ((const double *)b->points)[first + i]
                                             : (double)((const float *)b->points)[first + i];
    for (uint32_t k = 0; k < d->dim; k++)
        origin[k] = d->rational ? middle[k] / middle[d->dim] : middle[k];
    for (size_t i = 0; i < num; i += coords)
        for (uint32_t k = 0; k < d->dim; k++)
            points[i + k] = d->rational ? fma(-points[i + d->dim], origin[k], points[i + k])
                                        : points[i + k] - origin[k];
}

clspi_surface_search *clspi_bezier_surfaces(const clsp_patch_plan *plan, const void *points,
                                            const clspi_parallel *threads)
{
    static const double ends[2] = {0, 1};
    const clspi_tensor_desc *const d = &plan->desc;
    const bezier_points from = {plan, points};
    const clspi_surface_desc desc = {.degree = {d->degrees[0], d->degrees[1]},
                                     .dim = d->dim,
                                     .rational = d->rational != 0,
                                     .num_patches = plan->num_patches,
                                     .spans = {1, 1},
                                     .ends = {ends, ends},
                                     .piece = make_piece,
                                     .user = &from};

    return clspi_surface_search_create(&desc, threads);
}

/* ---- checks ---- */

static clsp_status bad(const clspi_bezier_plan *plan, const char *what, double value)
{
    return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bezier: projection: %s: %g", what, value);
}

static clsp_status check_patches(const clspi_bezier_plan *plan, const clsp_run *run)
{
    const clspi_tensor_desc *const d = &plan->tensor.desc;
    const uint32_t most =
        d->directions == 1 ? CLSP_NEAREST_MAX_DEGREE : CLSP_NEAREST_MAX_SURFACE_DEGREE;

    if (plan->desc.form != CLSP_BEZIER_CURVE && plan->desc.form != CLSP_BEZIER_SURFACE)
        return bad(plan, "onto curves and surfaces, and form is", plan->desc.form);
    if (d->dim < d->directions)
        return bad(plan, "onto surfaces of 2 to 4 dimensions, and dim is", d->dim);
    for (uint32_t k = 0; k < d->directions; k++)
        if (d->degrees[k] < 1 || d->degrees[k] > most)
            return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_DEGREE,
                              "bezier: projection onto degree %u: 1 to %u", d->degrees[k], most);
    return clspi_patch_check_patches(&plan->tensor, (clsp_range){0, 0}, run);
}

static clsp_status check_opts(const clspi_bezier_plan *plan, const clsp_nearest_opts *opts)
{
    CLSPI_CHECK(clspi_reserved_check_some(&plan->tensor.base.ctx->log, "clsp_nearest_opts",
                                          opts->reserved, CLSP_RESERVED - 1));
    if (opts->method != CLSP_NEAREST_METHOD_DEFAULT && opts->method != CLSP_NEAREST_EXACT)
        return bad(plan, "there is the exact method alone, and method is", opts->method);
    if (opts->num_nearest > 1)
        return bad(plan, "there is one result a query, and num_nearest is", opts->num_nearest);
    if (!(opts->max_dist >= 0.0) || isinf(opts->max_dist))
        return bad(plan, "max_dist is no distance", opts->max_dist);
    if (!(opts->tolerance >= 0.0) || isinf(opts->tolerance))
        return bad(plan, "tolerance is no distance", opts->tolerance);
    if (opts->normals && plan->tensor.desc.directions != 2)
        return bad(plan, "normals are of surfaces, and form is", plan->desc.form);
    if (opts->normals && plan->tensor.desc.dim != 3)
        return bad(plan, "normals are of 3 dimensions, and dim is", plan->tensor.desc.dim);
    return CLSP_OK;
}

static clsp_status check_queries(const clspi_bezier_plan *plan, const clsp_nearest_queries *queries)
{
    CLSPI_CHECK(clspi_reserved_check(&plan->tensor.base.ctx->log, "clsp_nearest_queries",
                                     queries->reserved));
    if (clspi_input_is_there(&queries->hints) && !clspi_input_is_there(&queries->patches) &&
        plan->tensor.num_patches > 1)
        return bad(plan, "hints without patches, and the patches are",
                   (double)plan->tensor.num_patches);
    return CLSP_OK;
}

/* ---- the call ---- */

clsp_status clspi_bezier_project(clsp_patch_plan *tensor, const clsp_nearest_queries *queries,
                                 const clsp_nearest_opts *opts, const clsp_output *nearest,
                                 const clsp_run *run)
{
    const clspi_bezier_plan *const plan = (const clspi_bezier_plan *)tensor; /* its first member */
    const clspi_surface_project call = {.num = queries->num,
                                        .points = queries->points,
                                        .patches = queries->patches,
                                        .hints = queries->hints,
                                        .max_dist = opts->max_dist,
                                        .nearest = *nearest,
                                        .has_normals = opts->normals != NULL,
                                        .normals = opts->normals ? *opts->normals
                                                                 : (clsp_output){.size = 0}};

    CLSPI_CHECK(check_patches(plan, run));
    CLSPI_CHECK(check_opts(plan, opts));
    CLSPI_CHECK(check_queries(plan, queries));
    return clspi_patch_project(tensor, &call, run);
}
