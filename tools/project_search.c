#include "project_search.h"

#include <math.h>
#include <stdlib.h>

#include "command.h"
#include "staging.h"

/* ---- plans ---- */

static bool load_curves(project_search *s, size_t i)
{
    const spline_batch *batch = &s->content->batches[i];
    staged_reals reals;
    if (!staging_open_reals(&reals, s->precision, batch->points, batch->num_reals)) {
        complain("not enough memory for the curves");
        return false;
    }
    const bool done =
        staging_check(s->ctx, clsp_bspline_set_control_points(s->plans[i], batch->num_splines,
                                                              reals.input, NULL));
    staging_close_reals(&reals);
    return done;
}

static bool make_plan(project_search *s, size_t i)
{
    const spline_type *type = &s->content->batches[i].type;
    const clsp_bspline_desc desc = {.directions = 1,
                                    .precision = staging_type(s->precision),
                                    .degree = {type->degree[0]},
                                    .num_controls = {type->num_controls[0]},
                                    .knots = {type->knots[0]},
                                    .dim = type->dim,
                                    .rational = type->rational};
    return staging_check(s->ctx, clsp_bspline_plan_create(&s->plans[i], s->ctx, &desc)) &&
           load_curves(s, i);
}

static bool make_room(project_search *s)
{
    const size_t results = s->most * s->opts.num_nearest;
    const bool single = s->precision == MESH_F32;
    s->plans = calloc(s->content->num_batches + 1, sizeof(clsp_bspline_plan *));
    s->queries = malloc(s->most * s->dim * clsp_type_bytes(staging_type(s->precision)));
    s->found = malloc(results * (single ? sizeof(clsp_nearest_f32) : sizeof(clsp_nearest_f64)));
    s->rows = malloc(results * sizeof(*s->rows));
    if (s->plans && s->queries && s->found && s->rows) return true;
    complain("not enough memory");
    return false;
}

bool project_search_open(project_search *s)
{
    bool done = make_room(s);
    for (size_t i = 0; done && i < s->content->num_batches; i++)
        done = make_plan(s, i);
    return done;
}

void project_search_close(project_search *s)
{
    for (size_t i = 0; s->plans && i < s->content->num_batches; i++)
        clsp_bspline_plan_destroy(&s->plans[i]);
    free(s->plans);
    free(s->queries);
    free(s->found);
    free(s->rows);
    *s = (project_search){.ctx = NULL};
}

/* ---- results ---- */

/* Gives a row the curve and the parameter that the file has, of the number in a batch. */
static void set_curve(nearest_row *row, const spline_batch *batch, uint32_t patch, double parameter)
{
    const bool is_one = patch < batch->num_splines;
    row->curve = is_one ? (int64_t)batch->numbers[patch] : -1;
    row->parameter = is_one ? spline_parameter(batch, patch, 0, parameter) : parameter;
}

static nearest_row get_row(const project_search *s, const spline_batch *batch, size_t i)
{
    nearest_row row = {.distance = 0};
    if (s->precision == MESH_F64) {
        const clsp_nearest_f64 *from = (const clsp_nearest_f64 *)s->found + i;
        row.distance = from->distance;
        row.bound = from->bound;
        for (int k = 0; k < 4; k++)
            row.point[k] = from->point[k];
        set_curve(&row, batch, from->patch, from->param[0]);
        row.status = (nearest_status)from->status;
    } else {
        const clsp_nearest_f32 *from = (const clsp_nearest_f32 *)s->found + i;
        row.distance = (double)from->distance;
        row.bound = (double)from->bound;
        for (int k = 0; k < 4; k++)
            row.point[k] = (double)from->point[k];
        set_curve(&row, batch, from->patch, (double)from->param[0]);
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

/* Merges the results of a query on one batch into those on others, both by increasing distance. No
   point of all curves is nearer than the lesser of the bounds. */
static void merge(nearest_row *rows, const nearest_row *more, uint32_t num)
{
    nearest_row merged[CLSP_PROJECT_MAX_NEAREST];
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
static void take_results(project_search *s, size_t batch, size_t num)
{
    const uint32_t each = s->opts.num_nearest;
    for (size_t i = 0; i < num; i++) {
        nearest_row more[CLSP_PROJECT_MAX_NEAREST] = {{.distance = 0}};
        nearest_row *rows = s->rows + i * each;
        for (uint32_t k = 0; k < each; k++)
            more[k] = get_row(s, &s->content->batches[batch], i * each + k);
        if (batch > 0 && more[0].status != NEAREST_INVALID)
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

bool project_search_run(project_search *s, const double *points, size_t num, uint64_t first)
{
    const size_t reals = num * s->dim, results = num * s->opts.num_nearest;
    const bool single = s->precision == MESH_F32;
    if (!take_points(s, points, num, first)) return false;
    const clsp_bspline_queries queries = {.num = num,
                                          .points = single ? clsp_in_f32(s->queries, reals)
                                                           : clsp_in_f64(s->queries, reals)};
    const clsp_output found =
        single ? clsp_out_nearest_f32(s->found, results) : clsp_out_nearest_f64(s->found, results);
    for (size_t i = 0; i < s->content->num_batches; i++) {
        if (!staging_check(s->ctx,
                           clsp_bspline_project(s->plans[i], &queries, &s->opts, found, NULL)))
            return false;
        take_results(s, i, num);
    }
    return true;
}
