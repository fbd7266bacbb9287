#include "project_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "staging.h"

/* ---- groups ---- */

/* Where a curve of a group is in the content. */
typedef struct curve_place {
    const spline_batch *batch;
    size_t number; /* in the batch */
} curve_place;

/* Curves of one plan: of one batch, or of several that differ in their knots alone. */
struct curve_group {
    const spline_type *type; /* of the first batch */
    size_t num_curves, num_batches;
    curve_place *places; /* [num_curves] */
    clsp_bspline_plan *plan;
};

static bool suits(const curve_group *g, const spline_type *type)
{
    return g->type->degree[0] == type->degree[0] &&
           g->type->num_controls[0] == type->num_controls[0] && g->type->rational == type->rational;
}

/* Adds the curves of a batch to a group. False when memory runs out. */
static bool join_group(curve_group *g, const spline_batch *batch)
{
    const size_t num = g->num_curves + batch->num_splines;
    curve_place *moved = realloc(g->places, num * sizeof(*moved));
    if (!moved) return false;
    g->places = moved;
    for (size_t i = 0; i < batch->num_splines; i++)
        moved[g->num_curves + i] = (curve_place){batch, i};
    g->num_curves = num;
    g->num_batches++;
    return true;
}

/* Divides the batches into groups. Curves over several knots are one group where the method can do
   with that. False when memory runs out. */
static bool make_groups(project_search *s)
{
    const bool joins = s->opts.method != CLSP_BSPLINE_PROJECT_MREP;
    s->groups = calloc(s->content->num_batches + 1, sizeof(*s->groups));
    for (size_t i = 0; s->groups && i < s->content->num_batches; i++) {
        const spline_batch *batch = &s->content->batches[i];
        size_t k = joins ? 0 : s->num_groups;
        while (k < s->num_groups && !suits(&s->groups[k], &batch->type))
            k++;
        if (k == s->num_groups) s->groups[s->num_groups++].type = &batch->type;
        if (!join_group(&s->groups[k], batch)) return false;
    }
    return s->groups != NULL;
}

/* ---- plans ---- */

/* Copies numbers of all curves of a group, so many each, from the points or the knots of their
   batches. The caller frees. NULL when memory runs out. */
static double *gather(const curve_group *g, size_t each, bool knots)
{
    double *reals = malloc((g->num_curves * each + 1) * sizeof(double));
    for (size_t i = 0; reals && i < g->num_curves; i++) {
        const curve_place *p = &g->places[i];
        const double *from = knots ? p->batch->type.knots[0] : p->batch->points + p->number * each;
        memcpy(reals + i * each, from, each * sizeof(double));
    }
    return reals;
}

static bool load_knots(const project_search *s, const curve_group *g)
{
    const size_t each = (size_t)g->type->num_controls[0] + g->type->degree[0] + 1;
    if (g->num_batches == 1) return true;
    double *knots = gather(g, each, true);
    if (!knots) complain("not enough memory for the curves");
    const bool done =
        knots &&
        staging_check(s->ctx, clsp_bspline_set_knots(g->plan, g->num_curves,
                                                     clsp_in_f64(knots, g->num_curves * each)));
    free(knots);
    return done;
}

static bool load_curves(const project_search *s, const curve_group *g)
{
    const size_t each = g->type->num_controls[0] * spline_coordinates(g->type);
    double *points = gather(g, each, false);
    staged_reals reals = {.floats = NULL};
    bool done = points && staging_open_reals(&reals, s->precision, points, g->num_curves * each);
    if (!done) complain("not enough memory for the curves");
    done = done && staging_check(s->ctx, clsp_bspline_set_control_points(g->plan, g->num_curves,
                                                                         reals.input, NULL));
    staging_close_reals(&reals);
    free(points);
    return done;
}

static bool make_plan(const project_search *s, curve_group *g)
{
    const clsp_bspline_desc desc = {.directions = 1,
                                    .precision = staging_type(s->precision),
                                    .degree = {g->type->degree[0]},
                                    .num_controls = {g->type->num_controls[0]},
                                    .knots = {g->type->knots[0]},
                                    .dim = g->type->dim,
                                    .rational = g->type->rational};
    return staging_check(s->ctx, clsp_bspline_plan_create(&g->plan, s->ctx, &desc)) &&
           load_knots(s, g) && load_curves(s, g);
}

static bool make_room(project_search *s)
{
    const size_t results = s->most * s->opts.num_nearest;
    const bool single = s->precision == MESH_F32;
    s->queries = malloc(s->most * s->dim * clsp_type_bytes(staging_type(s->precision)));
    const size_t bytes =
        results * (single ? sizeof(clsp_bspline_nearest_f32) : sizeof(clsp_bspline_nearest_f64));
    if (!s->sharing)
        s->found = malloc(bytes);
    else if (!staging_check(s->ctx, clsp_shared_alloc(s->ctx, bytes, &s->found)))
        return false;
    s->rows = malloc(results * sizeof(*s->rows));
    if (make_groups(s) && s->queries && s->found && s->rows) return true;
    complain("not enough memory");
    return false;
}

bool project_search_open(project_search *s)
{
    bool done = make_room(s);
    for (size_t i = 0; done && i < s->num_groups; i++)
        done = make_plan(s, &s->groups[i]);
    return done;
}

void project_search_close(project_search *s)
{
    for (size_t i = 0; i < s->num_groups; i++) {
        clsp_bspline_plan_destroy(&s->groups[i].plan);
        free(s->groups[i].places);
    }
    free(s->groups);
    free(s->queries);
    if (s->sharing)
        clsp_shared_free(s->ctx, s->found);
    else
        free(s->found);
    free(s->rows);
    *s = (project_search){.ctx = NULL};
}

/* ---- results ---- */

/* Gives a row the curve and the parameter that the file has, of the number in a group. */
static void set_curve(nearest_row *row, const curve_group *g, uint32_t patch, double parameter)
{
    const curve_place *p = patch < g->num_curves ? &g->places[patch] : NULL;
    row->curve = p ? (int64_t)p->batch->numbers[p->number] : -1;
    row->parameter = p ? spline_parameter(p->batch, p->number, 0, parameter) : parameter;
}

static nearest_row get_row(const project_search *s, const curve_group *g, size_t i)
{
    nearest_row row = {.distance = 0};
    if (s->precision == MESH_F64) {
        const clsp_bspline_nearest_f64 *from = (const clsp_bspline_nearest_f64 *)s->found + i;
        row.distance = from->distance;
        row.bound = from->bound;
        for (int k = 0; k < 4; k++)
            row.point[k] = from->point[k];
        set_curve(&row, g, from->patch, from->param[0]);
        row.status = (nearest_status)from->status;
    } else {
        const clsp_bspline_nearest_f32 *from = (const clsp_bspline_nearest_f32 *)s->found + i;
        row.distance = (double)from->distance;
        row.bound = (double)from->bound;
        for (int k = 0; k < 4; k++)
            row.point[k] = (double)from->point[k];
        set_curve(&row, g, from->patch, (double)from->param[0]);
        row.status = (nearest_status)from->status;
    }
    return row;
}

static bool is_found(const nearest_row *row)
{
    return row->status == NEAREST_FOUND || row->status == NEAREST_CUT;
}

/* Whether a comes before b: nearer, or as near on the curve that comes first. */
static bool comes_before(const nearest_row *a, const nearest_row *b)
{
    if (!is_found(a) || !is_found(b)) return is_found(a);
    return a->distance < b->distance || (a->distance == b->distance && a->curve < b->curve);
}

/* Whether the search of a row left something open that is nearer than `bound`. */
static bool leaves_open(const nearest_row *row, double bound)
{
    return row->status == NEAREST_CUT && row->bound < bound;
}

/* Merges the results of a query on one group into those on others, both by increasing distance. No
   point of all curves is nearer than the lesser of the bounds. */
static void merge(nearest_row *rows, const nearest_row *more, uint32_t num)
{
    nearest_row merged[CLSP_BSPLINE_PROJECT_MAX_NEAREST];
    const nearest_row first = rows[0];
    uint32_t i = 0, k = 0;
    for (uint32_t n = 0; n < num; n++)
        merged[n] = comes_before(&more[k], &rows[i]) ? more[k++] : rows[i++];
    for (uint32_t n = 0; n < num; n++)
        rows[n] = merged[n];
    const double bound = rows[0].bound;
    if (leaves_open(&first, bound) || leaves_open(&more[0], bound)) rows[0].status = NEAREST_CUT;
    rows[0].bound = fmin(bound, fmin(first.bound, more[0].bound));
}

/* Takes the results of a plan into the rows. */
static void take_results(project_search *s, size_t group, size_t num)
{
    const uint32_t each = s->opts.num_nearest;
    for (size_t i = 0; i < num; i++) {
        nearest_row more[CLSP_BSPLINE_PROJECT_MAX_NEAREST] = {{.distance = 0}};
        nearest_row *rows = s->rows + i * each;
        for (uint32_t k = 0; k < each; k++)
            more[k] = get_row(s, &s->groups[group], i * each + k);
        if (group > 0 && more[0].status != NEAREST_INVALID)
            merge(rows, more, each);
        else
            for (uint32_t k = 0; k < each; k++)
                rows[k] = more[k];
    }
}

/* ---- queries ---- */

/* Puts the points into the precision. Complains of one that no float can hold. */
static bool take_points(project_search *s, const double *points, size_t num, uint64_t first)
{
    double *f64 = s->queries;
    float *f32 = s->queries;
    for (size_t i = 0; i < num * s->dim; i++) {
        if (s->precision == MESH_F64) {
            f64[i] = points[i];
            continue;
        }
        f32[i] = (float)points[i];
        if (isfinite(f32[i]) || !isfinite(points[i])) continue;
        complain("point %llu: %g is too large for a float; use --precision f64",
                 (unsigned long long)(first + i / s->dim), points[i]);
        return false;
    }
    return true;
}

/* Projects queries onto the curves of a group. */
static bool search(const project_search *s, const curve_group *g,
                   const clsp_bspline_queries *queries, clsp_output found, uint64_t first)
{
    clsp_report report = {0};
    char what[80];
    if (!s->sharing)
        return staging_check(s->ctx, clsp_bspline_project(g->plan, queries, &s->opts, found, NULL));
    if (!staging_check(s->ctx,
                       clsp_bspline_project(g->plan, queries, &s->opts, found,
                                            &(clsp_run){.share = s->sharing, .report = &report})))
        return false;
    snprintf(what, sizeof(what), "points %llu to %llu, %lu curves", (unsigned long long)first,
             (unsigned long long)(first + queries->num - 1), (unsigned long)g->num_curves);
    if (s->report) s->report(s->user, what, &report);
    return true;
}

bool project_search_run(project_search *s, const double *points, size_t num, uint64_t first)
{
    const size_t reals = num * s->dim, results = num * s->opts.num_nearest;
    const bool single = s->precision == MESH_F32;
    if (!take_points(s, points, num, first)) return false;
    const clsp_bspline_queries queries = {.num = num,
                                          .points = single ? clsp_in_f32(s->queries, reals)
                                                           : clsp_in_f64(s->queries, reals)};
    const clsp_output found = single ? clsp_out_bspline_nearest_f32(s->found, results)
                                     : clsp_out_bspline_nearest_f64(s->found, results);
    for (size_t i = 0; i < s->num_groups; i++) {
        if (!search(s, &s->groups[i], &queries, found, first)) return false;
        take_results(s, i, num);
    }
    return true;
}
