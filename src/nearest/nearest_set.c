/* Searches over the patches of several plans, which the host's cores make and search. */
#include "nearest_set.h"

#include <stdlib.h>

#include "check.h"

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

/* ---- making it ---- */

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
                               size_t num)
{
    const clspi_parallel threads = {clspi_nearest_run_pieces, &search->base};

    for (size_t i = 0; i < num; i++)
        CLSPI_CHECK(add_plan(s, plans[i]));
    search->surfaces = clspi_surface_search_create(s->descs, num, &threads);
    return search->surfaces ? CLSP_OK : no_memory(search->base.ctx);
}

/* Makes the search of plans that have been checked. */
static clsp_status load(clsp_nearest *search, clsp_patch_plan *const *plans, size_t num)
{
    sources s = {.descs = calloc(num, sizeof *s.descs), .spans = calloc(num, sizeof *s.spans)};
    const clsp_status status =
        s.descs && s.spans ? make_search(search, &s, plans, num) : no_memory(search->base.ctx);

    for (size_t i = 0; i < s.num; i++)
        for (int k = 0; k < 2; k++)
            clspi_spans_release(&s.spans[i][k]);
    free(s.descs);
    free(s.spans);
    return status;
}

clsp_status clsp_nearest_create(clsp_nearest **search, clsp_patch_plan *const *plans, size_t num,
                                const clsp_run *run)
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
    for (size_t i = 0; i < num; i++)
        made->num_patches += plans[i]->num_patches;
    CLSPI_TRY(load(made, plans, num));
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
    clspi_plan_release(&search->base);
    free(search);
}

clsp_status clspi_nearest_set_find(clsp_nearest *search, const clspi_nearest_queries *queries,
                                   bool alone)
{
    return clspi_nearest_answer(&search->base, search->surfaces, search->dim, queries, alone)
               ? CLSP_OK
               : no_memory(search->base.ctx);
}
