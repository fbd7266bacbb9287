/* Searches over the patches of several plans, which the host's cores make and search. */
#include "nearest_set.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "surface_device.h"
#include "surface_parts.h"

/* Ends of loops' curves that are nearer than this part of the domain are one, unless it is said
   otherwise. */
#define SNAP 1e-7

/* What plans give a search until it is made. */
typedef struct sources {
    size_t num;
    clspi_search_desc *descs; /* [num] */
    clspi_spans (*spans)[2];  /* [num] */
} sources;

static clsp_status no_memory(clsp_context *ctx)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "search: no memory for the plans' patches");
}

/* ---- checks ---- */

static clsp_status check_plan(const clsp_patch_plan *plan, const clsp_patch_plan *first,
                              const clsp_run *run)
{
    clspi_log *const log = &first->base.ctx->log;

    if (plan->base.ctx != first->base.ctx)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "search: plans of two contexts");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_nearest_check_patches(plan, NULL));
    if (plan->desc.dim != first->desc.dim)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "search: plans of %u and of %u coordinates",
                          first->desc.dim, plan->desc.dim);
    if (plan->desc.precision != first->desc.precision)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "search: plans of two precisions");
    return CLSP_OK;
}

static clsp_status bad_trims(clsp_context *ctx, const char *what, size_t number)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "search: trims: %s: number %zu", what,
                      number);
}

/* Checks the knots and control points of a curve; coords: of a control point. */
static const char *find_defect(const double *knots, const double *controls, uint32_t degree,
                               uint32_t num, uint32_t coords)
{
    uint32_t equal = 1;

    for (uint32_t i = 1; i < num + degree + 1; i++) {
        equal = knots[i] == knots[i - 1] ? equal + 1 : 1;
        if (!(knots[i] >= knots[i - 1]) || isinf(knots[i]) || isinf(knots[0]) || equal > degree + 1)
            return "knots of a curve are not finite, fall or are too often one";
    }
    if (knots[0] != knots[degree] || knots[num] != knots[num + degree] ||
        !(knots[degree] < knots[num]))
        return "a curve does not begin and end with degree + 1 knots";
    for (size_t i = 0; i < (size_t)num * coords; i++)
        if (!isfinite(controls[i]) || (i % coords == coords - 1 && !(controls[i] > 0)))
            return "control points of a curve are not finite, or a weight is not above 0";
    return NULL;
}

static clsp_status check_curves(clsp_context *ctx, const clsp_curve_list *list, uint32_t coords)
{
    const double *knots = list->knots, *controls = list->controls;

    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_curve_list", list->reserved));
    if (list->num == 0) return CLSP_OK;
    if (!list->degree || !list->num_controls || !knots || !controls)
        return bad_trims(ctx, "curves without degrees, knots or control points", list->num);
    for (size_t i = 0; i < list->num; i++) {
        const uint32_t degree = list->degree[i], num = list->num_controls[i];
        if (degree < 1 || degree > CLSP_NEAREST_MAX_DEGREE)
            return clspi_fail(&ctx->log, CLSP_ERROR_DEGREE, "search: trims: degree %u: 1 to %u",
                              degree, CLSP_NEAREST_MAX_DEGREE);
        if (num <= degree) return bad_trims(ctx, "a curve of too few control points", i);
        const char *const defect = find_defect(knots, controls, degree, num, coords);
        if (defect) return bad_trims(ctx, defect, i);
        knots += num + degree + 1;
        controls += (size_t)num * coords;
    }
    return CLSP_OK;
}

/* Checks numbers that say where things begin, of which there are `most`. */
static bool is_rising(const uint32_t *first, size_t num, size_t most)
{
    for (size_t i = 0; i < num; i++)
        if (first[i] > first[i + 1]) return false;
    return first[0] == 0 && first[num] == most;
}

/* Checks that patches of curves have no loops. */
static clsp_status check_faces(clsp_patch_plan *const *plans, size_t num, const uint32_t *loop)
{
    for (size_t i = 0, patch = 0; i < num; i++)
        for (size_t k = 0; k < plans[i]->num_patches; k++, patch++)
            if (plans[i]->desc.directions == 1 && loop[patch] != loop[patch + 1])
                return bad_trims(plans[0]->base.ctx, "loops of a curve", patch);
    return CLSP_OK;
}

static clsp_status check_trims(const clsp_nearest *search, const clsp_trims *trims,
                               clsp_patch_plan *const *plans, size_t num)
{
    clsp_context *const ctx = search->base.ctx;
    const size_t patches = search->num_patches, loops = trims->loop ? trims->loop[patches] : 0;

    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_trims", trims->reserved));
    if (search->dim != 3) return bad_trims(ctx, "patches are not of 3 coordinates", search->dim);
    if (!trims->loop || !trims->curve || (trims->curves.num > 0 && !trims->edge))
        return bad_trims(ctx, "no loops, no curves or no edges of these", patches);
    if (!is_rising(trims->loop, patches, loops)) return bad_trims(ctx, "loops fall", patches);
    if (!is_rising(trims->curve, loops, trims->curves.num))
        return bad_trims(ctx, "curves fall or are not as many as loops say", loops);
    if (!(trims->snap >= 0) || isinf(trims->snap)) return bad_trims(ctx, "snap is no length", 0);
    CLSPI_CHECK(check_curves(ctx, &trims->curves, 3));
    CLSPI_CHECK(check_curves(ctx, &trims->edges, 4));
    for (size_t i = 0; i < trims->curves.num; i++)
        if (trims->edge[i] != UINT32_MAX && trims->edge[i] >= trims->edges.num)
            return bad_trims(ctx, "there is no such edge of a curve", i);
    for (size_t i = 0; trims->tolerance && i < trims->edges.num; i++)
        if (!(trims->tolerance[i] >= 0)) return bad_trims(ctx, "a tolerance is no length", i);
    return check_faces(plans, num, trims->loop);
}

/* ---- making it ---- */

static clspi_curve_rows rows_of(const clsp_curve_list *list)
{
    return (clspi_curve_rows){list->num, list->degree, list->num_controls, list->knots,
                              list->controls};
}

/* Describes the patches of a plan. */
static clsp_status add_plan(sources *s, clsp_patch_plan *plan)
{
    clspi_spans *const spans = s->spans[s->num];
    const void *points;

    CLSPI_CHECK(clspi_patch_host_points(plan, &points));
    s->num++;
    for (uint32_t k = 0; k < plan->desc.directions; k++)
        CLSPI_CHECK(clspi_nearest_spans(plan, k, &spans[k]));
    s->descs[s->num - 1] = clspi_nearest_describe(plan, spans, points);
    return CLSP_OK;
}

static clsp_status make_search(clsp_nearest *search, sources *s, clsp_patch_plan *const *plans,
                               size_t num, const clspi_trim_desc *trims)
{
    const clspi_parallel threads = {clspi_nearest_run_pieces, &search->base};
    clspi_log *const log = &search->base.ctx->log;
    bool too_high;

    for (size_t i = 0; i < num; i++)
        CLSPI_CHECK(add_plan(s, plans[i]));
    search->surfaces = clspi_surface_search_create(s->descs, num, trims, &too_high, &threads);
    if (!search->surfaces && too_high)
        return clspi_fail(log, CLSP_ERROR_DEGREE,
                          "search: trims: a loop's curve on its surface is of a degree above %d",
                          CLSPI_LINE_DEGREE_MAX);
    if (!search->surfaces) return no_memory(search->base.ctx);
    if (clspi_surface_search_gaps(search->surfaces) > 0)
        clspi_message(log, CLSP_LOG_INFO, "search: trims: %zu gaps of loops are closed by lines",
                      clspi_surface_search_gaps(search->surfaces));
    return CLSP_OK;
}

/* Makes the search of plans that have been checked. */
static clsp_status load(clsp_nearest *search, clsp_patch_plan *const *plans, size_t num,
                        const clsp_trims *trims)
{
    clspi_trim_desc desc;
    sources s = {.descs = calloc(num, sizeof *s.descs), .spans = calloc(num, sizeof *s.spans)};
    if (trims)
        desc = (clspi_trim_desc){.loop = trims->loop,
                                 .curve = trims->curve,
                                 .curves = rows_of(&trims->curves),
                                 .edges = rows_of(&trims->edges),
                                 .edge = trims->edge,
                                 .tolerance = trims->tolerance,
                                 .turned = trims->turned,
                                 .snap = trims->snap > 0 ? trims->snap : SNAP};
    const clsp_status status = s.descs && s.spans
                                   ? make_search(search, &s, plans, num, trims ? &desc : NULL)
                                   : no_memory(search->base.ctx);

    for (size_t i = 0; i < s.num; i++)
        for (int k = 0; k < 2; k++)
            clspi_spans_release(&s.spans[i][k]);
    free(s.descs);
    free(s.spans);
    return status;
}

clsp_status clsp_nearest_create(clsp_nearest **search, clsp_patch_plan *const *plans, size_t num,
                                const clsp_trims *trims, const clsp_run *run)
{
    clsp_status status;

    if (search) *search = NULL;
    if (!search || !plans || num == 0 || !plans[0])
        return clspi_null_argument(NULL, "clsp_nearest_create");
    for (size_t i = 0; i < num; i++) {
        if (!plans[i]) return clspi_null_argument(&plans[0]->base, "clsp_nearest_create");
        CLSPI_CHECK(check_plan(plans[i], plans[0], run));
    }
    CLSPI_CHECK(clspi_setting_check(&plans[0]->base, run, "clsp_nearest_create"));
    CLSPI_CHECK(clspi_run_wait(&plans[0]->base, run));
    clsp_nearest *made = calloc(1, sizeof *made);
    if (!made) return no_memory(plans[0]->base.ctx);
    status = clspi_plan_init(&made->base, plans[0]->base.ctx, "search");
    if (status != CLSP_OK) {
        free(made);
        return status;
    }
    made->precision = plans[0]->desc.precision;
    made->dim = plans[0]->desc.dim;
    made->desc = plans[0]->desc;
    for (size_t i = 0; i < num; i++) {
        made->num_patches += plans[i]->num_patches;
        made->num_reals += (double)plans[i]->num_patches * (double)plans[i]->patch_reals;
    }
    if (trims) CLSPI_TRY(check_trims(made, trims, plans, num));
    CLSPI_TRY(load(made, plans, num, trims));
    CLSPI_TRY(clspi_run_done(&made->base, run));
    *search = made;
    return CLSP_OK;

fail:
    clsp_nearest_destroy(&made);
    return status;
}

void clsp_nearest_destroy(clsp_nearest **ptr)
{
    clsp_nearest *const search = ptr ? *ptr : NULL;

    if (!search) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(search->base.ctx)) return;
    clspi_plan_settle(&search->base);
    clspi_surface_search_destroy(&search->surfaces);
    clspi_surface_device_destroy(&search->device);
    clspi_plan_release(&search->base);
    free(search);
}

clsp_status clspi_nearest_set_find(clsp_nearest *search, const clspi_nearest_queries *queries,
                                   bool alone)
{
    clspi_nearest_queries all = *queries;

    all.has_probes = true;
    return clspi_nearest_answer(&search->base, search->surfaces, search->dim, &all, alone)
               ? CLSP_OK
               : no_memory(search->base.ctx);
}

/* ---- parameters ---- */

/* Tells of parameters whether they are inside; item: NULL: of patch 0. */
static clsp_status look_inside(const clsp_nearest *search, const clsp_points *params,
                               const void *reals, const uint32_t *item, uint8_t *inside)
{
    const bool f64 = search->precision == CLSP_F64;
    const size_t along = params->planar ? 1 : 2, across = params->planar ? params->num : 1;

    for (size_t i = 0; i < params->num; i++) {
        const size_t patch = item ? item[i] : 0;
        if (patch >= search->num_patches ||
            clspi_is_curve(&clspi_surface_source_of(search->surfaces, patch)->shape))
            return clspi_fail(&search->base.ctx->log, CLSP_ERROR_ARGUMENT,
                              "search: parameters %zu: patch %zu is no surface of the search", i,
                              patch);
        inside[i] = clspi_surface_search_contains(search->surfaces, patch,
                                                  clspi_real_at(f64, reals, i * along),
                                                  clspi_real_at(f64, reals, i * along + across));
    }
    return CLSP_OK;
}

clsp_status clsp_nearest_contains(clsp_nearest *search, const clsp_points *params,
                                  clsp_output inside, const clsp_run *run)
{
    const char *reals, *item = NULL;
    char *out;

    if (!search || !params)
        return clspi_null_argument(search ? &search->base : NULL, "clsp_nearest_contains");
    CLSPI_CHECK(clspi_call_check(&search->base, run));
    CLSPI_CHECK(clspi_reserved_check(&search->base.ctx->log, "clsp_points", params->reserved));
    CLSPI_CHECK(clspi_setting_check(&search->base, run, "clsp_nearest_contains"));
    if (params->num > SIZE_MAX / 2) return no_memory(search->base.ctx);
    const clspi_memory_need pairs = {"params", search->precision, 2 * params->num};
    const clspi_memory_need items = {"item", CLSP_U32, params->num};
    const clspi_memory_need answers = {"inside", CLSP_U8, params->num};
    CLSPI_CHECK(clspi_shared_output(&search->base, &inside, &answers, &out));
    CLSPI_CHECK(clspi_shared_input(&search->base, &params->params, &pairs, &reals));
    if (clspi_input_is_there(&params->item))
        CLSPI_CHECK(clspi_shared_input(&search->base, &params->item, &items, &item));
    CLSPI_CHECK(clspi_run_wait(&search->base, run));
    CLSPI_CHECK(look_inside(search, params, reals, (const void *)item, (uint8_t *)out));
    return clspi_run_done(&search->base, run);
}
