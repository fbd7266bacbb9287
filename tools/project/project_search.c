#include "project_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "staging.h"

/* ---- memory ---- */

static bool make_room(project_search *s)
{
    const size_t results = s->most * s->opts.num_nearest;
    const bool single = s->precision == MESH_F32;
    s->queries = malloc(s->most * s->dim * clsp_type_bytes(staging_type(s->precision)));
    const size_t bytes = results * (single ? sizeof(clsp_nearest_f32) : sizeof(clsp_nearest_f64));
    if (!s->sharing)
        s->found = malloc(bytes);
    else if (!staging_check(s->ctx, clsp_shared_alloc(s->ctx, bytes, &s->found)))
        return false;
    s->rows = malloc(results * sizeof(*s->rows));
    if (s->is_signed) s->sides = malloc(4 * s->most * clsp_type_bytes(staging_type(s->precision)));
    if (s->queries && s->found && s->rows && (s->sides || !s->is_signed)) return true;
    complain("not enough memory");
    return false;
}

bool project_search_open(project_search *s)
{
    const bool together = s->opts.method != CLSP_NEAREST_MREP;
    s->directions = s->content->num_batches > 0 ? s->content->batches[0].type.directions : 1;
    return make_room(s) &&
           (s->directions == 1
                ? curve_plans_open(&s->plans, s->ctx, s->content, s->precision, together)
                : piece_plans_open(&s->plans, s->ctx, s->content, s->precision));
}

void project_search_close(project_search *s)
{
    project_plans_close(&s->plans);
    free(s->queries);
    if (s->sharing)
        clsp_shared_free(s->ctx, s->found);
    else
        free(s->found);
    free(s->rows);
    free(s->sides);
    *s = (project_search){.ctx = NULL};
}

/* ---- results ---- */

/* Gives a row the number and the parameters that the file has, of those of a plan. */
static void set_place(nearest_row *row, const project_plan *p, uint32_t patch,
                      const double param[2])
{
    const patch_place *at = patch < p->num ? &p->places[patch] : NULL;
    row->patch = at ? (int64_t)at->batch->numbers[at->number] : -1;
    for (uint32_t k = 0; k < 2; k++) {
        const double t = param[k];
        row->param[k] = t;
        if (at && !p->type)
            row->param[k] =
                spline_parameter(at->batch, at->number, k, (1 - t) * at->begin[k] + t * at->end[k]);
        else if (at && k == 0)
            row->param[k] = spline_parameter(at->batch, at->number, k, t);
    }
}

/* Gives a row its normal and its signed distance, which are NaN where there are none. */
static void set_side(nearest_row *row, const project_search *s, size_t i)
{
    double side[4] = {NAN, NAN, NAN, NAN};
    for (size_t k = 0; s->is_signed && k < 4; k++)
        side[k] = s->precision == MESH_F64 ? ((const double *)s->sides)[4 * i + k]
                                           : (double)((const float *)s->sides)[4 * i + k];
    for (int k = 0; k < 3; k++)
        row->normal[k] = side[k];
    row->signed_distance = side[3];
}

static nearest_row get_row(const project_search *s, const project_plan *p, size_t i)
{
    nearest_row row = {.distance = 0};
    double param[2];
    if (s->precision == MESH_F64) {
        const clsp_nearest_f64 *from = (const clsp_nearest_f64 *)s->found + i;
        row.distance = from->distance;
        row.bound = from->bound;
        row.status = (nearest_status)from->status;
        for (int k = 0; k < 4; k++)
            row.point[k] = from->point[k];
        for (int k = 0; k < 2; k++)
            param[k] = from->param[k];
        set_place(&row, p, from->patch, param);
    } else {
        const clsp_nearest_f32 *from = (const clsp_nearest_f32 *)s->found + i;
        row.distance = (double)from->distance;
        row.bound = (double)from->bound;
        row.status = (nearest_status)from->status;
        for (int k = 0; k < 4; k++)
            row.point[k] = (double)from->point[k];
        for (int k = 0; k < 2; k++)
            param[k] = (double)from->param[k];
        set_place(&row, p, from->patch, param);
        for (int k = 0; k < 2; k++)
            row.param[k] = (double)(float)row.param[k];
    }
    set_side(&row, s, i);
    return row;
}

static bool is_found(const nearest_row *row)
{
    return row->status == NEAREST_FOUND || row->status == NEAREST_CUT;
}

/* Whether a comes before b: nearer, or as near on the patch that comes first. */
static bool comes_before(const nearest_row *a, const nearest_row *b)
{
    if (!is_found(a) || !is_found(b)) return is_found(a);
    return a->distance < b->distance || (a->distance == b->distance && a->patch < b->patch);
}

/* Whether the search of a row left something open that is nearer than `bound`. */
static bool leaves_open(const nearest_row *row, double bound)
{
    return row->status == NEAREST_CUT && row->bound < bound;
}

/* Merges the results of a query by one plan into those by others, both by increasing distance. No
   point of all is nearer than the lesser of the bounds. */
static void merge(nearest_row *rows, const nearest_row *more, uint32_t num)
{
    nearest_row merged[CLSP_NEAREST_MAX_RESULTS];
    const nearest_row first = rows[0];
    uint32_t i = 0, k = 0;
    for (uint32_t n = 0; n < num; n++)
        merged[n] = comes_before(&more[k], &rows[i]) ? more[k++] : rows[i++];
    for (uint32_t n = 0; n < num; n++)
        rows[n] = merged[n];
    const double bound = rows[0].bound;
    if (leaves_open(&first, bound) || leaves_open(&more[0], bound)) rows[0].status = NEAREST_CUT;
    if (rows[0].status == NEAREST_CUT) rows[0].signed_distance = NAN;
    rows[0].bound = fmin(bound, fmin(first.bound, more[0].bound));
}

/* Takes the results of a plan into the rows. */
static void take_results(project_search *s, size_t plan, size_t num)
{
    const uint32_t each = s->opts.num_nearest;
    for (size_t i = 0; i < num; i++) {
        nearest_row more[CLSP_NEAREST_MAX_RESULTS] = {{.distance = 0}};
        nearest_row *rows = s->rows + i * each;
        for (uint32_t k = 0; k < each; k++)
            more[k] = get_row(s, &s->plans.plans[plan], i * each + k);
        if (plan > 0 && more[0].status != NEAREST_INVALID)
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

/* What a plan is asked for behind others: onto surfaces, nothing that is farther than all that was
   found so far. */
static clsp_nearest_opts options_behind(const project_search *s, size_t num)
{
    clsp_nearest_opts opts = s->opts;
    double most = 0;
    if (s->directions == 1) return opts;
    for (size_t i = 0; i < num; i++) {
        if (s->rows[i].status == NEAREST_INVALID) continue;
        if (!is_found(&s->rows[i])) return opts;
        most = fmax(most, s->rows[i].distance);
    }
    if (most > 0) opts.max_dist = most;
    return opts;
}

/* Projects queries by a plan. */
static bool search(const project_search *s, const project_plan *p,
                   const clsp_nearest_queries *queries, const clsp_nearest_opts *opts,
                   clsp_output found, uint64_t first)
{
    clsp_report report = {0};
    char what[80];
    if (!s->sharing)
        return staging_check(s->ctx, clsp_nearest_project(p->plan, queries, opts, found, NULL));
    if (!staging_check(s->ctx,
                       clsp_nearest_project(p->plan, queries, opts, found,
                                            &(clsp_run){.share = s->sharing, .report = &report})))
        return false;
    snprintf(what, sizeof(what), "points %llu to %llu, %lu %s", (unsigned long long)first,
             (unsigned long long)(first + queries->num - 1), (unsigned long)p->num,
             p->type ? "curves" : "pieces of surfaces");
    if (s->report) s->report(s->user, what, &report);
    return true;
}

bool project_search_run(project_search *s, const double *points, size_t num, uint64_t first)
{
    const size_t reals = num * s->dim, results = num * s->opts.num_nearest;
    const bool single = s->precision == MESH_F32;
    if (!take_points(s, points, num, first)) return false;
    const clsp_nearest_queries queries = {.num = num,
                                          .points = single ? clsp_in_f32(s->queries, reals)
                                                           : clsp_in_f64(s->queries, reals)};
    const clsp_output found =
        single ? clsp_out_nearest_f32(s->found, results) : clsp_out_nearest_f64(s->found, results);
    const clsp_output sides =
        single ? clsp_out_f32(s->sides, 4 * num) : clsp_out_f64(s->sides, 4 * num);
    for (size_t i = 0; i < s->plans.num; i++) {
        clsp_nearest_opts opts = i > 0 ? options_behind(s, num) : s->opts;
        if (s->is_signed) opts.normals = &sides;
        if (!search(s, &s->plans.plans[i], &queries, &opts, found, first)) return false;
        take_results(s, i, num);
    }
    return true;
}
