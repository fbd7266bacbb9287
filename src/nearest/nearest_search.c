#include "nearest_search.h"

#include <clspline/nearest.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "curve_device.h"
#include "kernel_arguments.h"
#include "query_pieces.h"
#include "surface_device.h"
#include "patch_eval.h"

enum { PIECE_MAX = 512 /* queries */ };

/* Some queries of a call whose memory is the host's. */
typedef struct search_job {
    const clspi_surface_search *search;
    uint32_t dim;
    clspi_nearest_queries queries;
} search_job;

clsp_status clspi_nearest_no_memory(const clsp_patch_plan *plan)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: no memory for the search of %zu patches", plan->base.family,
                      plan->num_patches);
}

size_t clspi_nearest_bytes(clsp_type precision)
{
    return precision == CLSP_F64 ? sizeof(clspi_nearest_f64) : sizeof(clspi_nearest_f32);
}

size_t clspi_nearest_reals(clsp_type precision)
{
    return clspi_nearest_bytes(precision) / clsp_type_bytes(precision);
}

clsp_status clspi_nearest_ready(clsp_patch_plan *plan, const double scale[4])
{
    const size_t bytes = sizeof plan->nearest->scale;

    if (plan->nearest && memcmp(plan->nearest->scale, scale, bytes) != 0) {
        clspi_plan_settle(&plan->base);
        clspi_nearest_destroy(&plan->nearest);
    }
    pthread_mutex_lock(&plan->base.lock);
    if (!plan->nearest && (plan->nearest = calloc(1, sizeof *plan->nearest)) != NULL) {
        memcpy(plan->nearest->scale, scale, bytes);
        for (int k = 0; k < 4; k++)
            plan->nearest->is_scaled |= scale[k] != 1;
    }
    pthread_mutex_unlock(&plan->base.lock);
    return plan->nearest ? CLSP_OK : clspi_nearest_no_memory(plan);
}

void clspi_nearest_destroy(clspi_nearest **ptr)
{
    clspi_nearest *const nearest = *ptr;

    if (!nearest) return;
    *ptr = NULL;
    clspi_curve_search_destroy(&nearest->curves);
    clspi_surface_search_destroy(&nearest->surfaces);
    clspi_curve_device_destroy(&nearest->curve_device);
    clspi_surface_device_destroy(&nearest->surface_device);
    if (nearest->cubic) nearest->destroy_cubic(&nearest->cubic);
    clspi_kernel_release(&nearest->scale_queries);
    clspi_kernel_release(&nearest->unscale_results);
    clspi_buffer_release(&nearest->points);
    clspi_buffer_release(&nearest->queries);
    free(nearest);
}

/* ---- what is searched ---- */

clsp_status clspi_nearest_check_patches(const clsp_patch_plan *plan, const clsp_run *run)
{
    const clspi_tensor_desc *const d = &plan->desc;
    clspi_log *const log = &plan->base.ctx->log;
    const uint32_t most =
        d->directions == 1 ? CLSP_NEAREST_MAX_DEGREE : CLSP_NEAREST_MAX_SURFACE_DEGREE;

    if (d->is_triangle || d->directions > 2)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: projection: onto curves and surfaces, and directions is: %u",
                          plan->base.family, d->is_triangle ? 3 : d->directions);
    if (d->dim < d->directions)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "%s: projection: onto surfaces of 2 to 4 dimensions, and dim is: %u",
                          plan->base.family, d->dim);
    for (uint32_t k = 0; k < d->directions; k++)
        if (d->degrees[k] < 1 || d->degrees[k] > most)
            return clspi_fail(log, CLSP_ERROR_DEGREE, "%s: projection onto degree %u: 1 to %u",
                              plan->base.family, d->degrees[k], most);
    return clspi_patch_check_patches(plan, (clsp_range){0, 0}, run);
}

clsp_status clspi_nearest_spans(const clsp_patch_plan *plan, uint32_t way, clspi_spans *spans)
{
    return clspi_patch_spans(plan, way, spans) ? CLSP_OK : clspi_nearest_no_memory(plan);
}

/* ---- metrics ---- */

/* Makes points of so many numbers with their coordinates scaled; NULL without memory. */
static void *scaled(const clsp_patch_plan *plan, const void *points, size_t num, size_t coords)
{
    const size_t dim = plan->desc.dim, real = clsp_type_bytes(plan->desc.precision);
    const bool f64 = plan->desc.precision == CLSP_F64;
    void *const to = num > SIZE_MAX / real / coords ? NULL : malloc(num * coords * real + 1);

    for (size_t i = 0; to && i < num * coords; i++)
        clspi_real_put(f64, to, i,
                       clspi_real_at(f64, points, i) *
                           (i % coords < dim ? plan->nearest->scale[i % coords] : 1));
    return to;
}

/* Brings the points of results, and normals, back to the coordinates of the caller. */
static void unscale(const clsp_patch_plan *plan, const clspi_nearest_queries *queries)
{
    const size_t each = clspi_nearest_reals(plan->desc.precision),
                 first = CLSPI_NEAREST_RESULT_NEAREST_POINT;
    const bool f64 = queries->f64;
    const double *const scale = plan->nearest->scale;

    for (size_t i = 0; i < queries->num * queries->num_nearest; i++)
        for (size_t k = 0; k < plan->desc.dim; k++) {
            const size_t at = i * each + first + k;
            clspi_real_put(f64, queries->out, at, clspi_real_at(f64, queries->out, at) / scale[k]);
        }
    for (size_t i = 0; queries->normals && i < queries->num; i++) {
        double n[3], square = 0;
        for (size_t k = 0; k < 3; k++) {
            n[k] = clspi_real_at(f64, queries->normals, CLSPI_NORMAL_REALS * i + k) * scale[k];
            square += n[k] * n[k];
        }
        for (size_t k = 0; k < 3; k++)
            clspi_real_put(f64, queries->normals, CLSPI_NORMAL_REALS * i + k, n[k] / sqrt(square));
    }
}

clsp_status clspi_nearest_points(clsp_patch_plan *plan, const void **points, void **own)
{
    const clspi_tensor_desc *const d = &plan->desc;

    *own = NULL;
    CLSPI_CHECK(clspi_patch_host_points(plan, points));
    if (!plan->nearest->is_scaled) return CLSP_OK;
    *points = *own = scaled(plan, *points, plan->num_patches * plan->patch_reals / clspi_coords(d),
                            clspi_coords(d));
    return *own ? CLSP_OK : clspi_nearest_no_memory(plan);
}

/* ---- making it ---- */

void clspi_nearest_run_pieces(void *host, size_t num, clspi_piece_fn fn, void *user)
{
    clspi_pieces_on_host(host, num, fn, user);
}

clspi_search_desc clspi_nearest_describe(const clsp_patch_plan *plan, const clspi_spans spans[2],
                                         const void *points)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const bool is_curve = d->directions == 1;
    const clspi_search_desc desc = {.f64 = d->precision == CLSP_F64,
                                    .dim = d->dim,
                                    .rational = d->rational != 0,
                                    .degree = {d->degrees[0], is_curve ? 0 : d->degrees[1]},
                                    .controls = {d->controls[0], is_curve ? 1 : d->controls[1]},
                                    .spans = {&spans[0], is_curve ? NULL : &spans[1]},
                                    .num_patches = plan->num_patches,
                                    .points = points};

    return desc;
}

/* Makes the search of curves, or of surfaces and all that they become. */
static bool make_search(clsp_patch_plan *plan, const clspi_spans spans[2], const void *points)
{
    const clspi_parallel threads = {clspi_nearest_run_pieces, &plan->base};
    const clspi_search_desc desc = clspi_nearest_describe(plan, spans, points);

    if (plan->desc.directions == 2) {
        plan->nearest->surfaces = clspi_surface_search_create(&desc, 1, NULL, NULL, &threads);
        return plan->nearest->surfaces != NULL;
    }
    plan->nearest->curves = clspi_curve_search_create(&desc);
    return plan->nearest->curves != NULL;
}

/* Makes what is searched anew, save what curves need of their spans. */
static clsp_status load(clsp_patch_plan *plan, const void *points)
{
    clspi_nearest *const nearest = plan->nearest;
    clspi_spans spans[2] = {{.sets = 0}, {.sets = 0}};
    clsp_status status = CLSP_OK;
    bool done = true;

    clspi_surface_search_destroy(&nearest->surfaces);
    if (!nearest->curves) {
        for (uint32_t k = 0; k < plan->desc.directions && status == CLSP_OK; k++)
            status = clspi_nearest_spans(plan, k, &spans[k]);
        done = status == CLSP_OK && make_search(plan, spans, points);
        for (int k = 0; k < 2; k++)
            clspi_spans_release(&spans[k]);
    }
    if (done && nearest->curves)
        done = clspi_curve_search_load(nearest->curves, plan->num_patches, points);
    return status != CLSP_OK || done ? status : clspi_nearest_no_memory(plan);
}

clsp_status clspi_nearest_prepare(clsp_patch_plan *plan)
{
    clspi_nearest *const nearest = plan->nearest;
    const void *points;
    void *own;

    if ((nearest->surfaces || nearest->curves) && nearest->load == plan->loads) return CLSP_OK;
    CLSPI_CHECK(clspi_nearest_points(plan, &points, &own));
    nearest->load = 0;
    const clsp_status status = load(plan, points);
    if (status == CLSP_OK) nearest->load = plan->loads;
    free(own);
    return status;
}

/* ---- the search ---- */

static const void *behind(const void *from, size_t bytes)
{
    return from ? (const char *)from + bytes : NULL;
}

/* Answers some queries, for clspi_query_pieces: those from `first` on, or those of an order. */
static bool search_some(const void *user, size_t first, size_t num, const uint32_t *order)
{
    const search_job *const job = user;
    clspi_nearest_queries some = job->queries;
    const size_t real = some.f64 ? sizeof(double) : sizeof(float), skipped = order ? 0 : first;
    const size_t result = some.f64 ? sizeof(clspi_nearest_f64) : sizeof(clspi_nearest_f32);

    some.num = num;
    some.order = order;
    some.points = behind(some.points, skipped * job->dim * real);
    some.patches = behind(some.patches, skipped * sizeof *some.patches);
    some.hints = behind(some.hints, skipped * 2 * real);
    some.out = (char *)some.out + skipped * result;
    if (some.normals) some.normals = (char *)some.normals + skipped * CLSPI_NORMAL_REALS * real;
    if (some.feet) some.feet += skipped;
    return clspi_surface_search_find(job->search, &some);
}

bool clspi_nearest_answer(clspi_plan *base, const clspi_surface_search *search, uint32_t dim,
                          const clspi_nearest_queries *queries, bool alone)
{
    const search_job job = {.search = search, .dim = dim, .queries = *queries};
    const clspi_query_pieces pieces = {.places = {queries->f64, dim, queries->num, queries->points},
                                       .most = PIECE_MAX,
                                       .answer = search_some,
                                       .user = &job};

    return clspi_query_pieces_answer(&pieces, base, alone);
}

/* Searches for queries as they are searched for. */
static clsp_status find(clsp_patch_plan *plan, const clspi_nearest_queries *queries, bool alone)
{
    if (plan->desc.directions == 1) {
        clspi_curve_search_find(plan->nearest->curves, queries);
        return CLSP_OK;
    }
    return clspi_nearest_answer(&plan->base, plan->nearest->surfaces, plan->desc.dim, queries,
                                alone)
               ? CLSP_OK
               : clspi_nearest_no_memory(plan);
}

clsp_status clspi_nearest_find(clsp_patch_plan *plan, const clspi_nearest_queries *queries,
                               bool alone)
{
    clspi_nearest_queries of_metric = *queries;

    if (!plan->nearest->is_scaled) return find(plan, queries, alone);
    void *const points = scaled(plan, queries->points, queries->num, plan->desc.dim);
    of_metric.points = points;
    const clsp_status status =
        points ? find(plan, &of_metric, alone) : clspi_nearest_no_memory(plan);
    if (status == CLSP_OK) unscale(plan, queries);
    free(points);
    return status;
}
