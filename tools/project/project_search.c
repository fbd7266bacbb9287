#include "project_search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cad_model.h"
#include "command.h"
#include "project_trims.h"
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
    if (s->content->cad) s->feet = malloc(s->most * sizeof(*s->feet));
    if (s->queries && s->found && s->rows && (s->sides || !s->is_signed) &&
        (s->feet || !s->content->cad))
        return true;
    complain("not enough memory");
    return false;
}

/* Whether all splines are searched at once: where surfaces are among several plans, have loops or
   get signs, which are known at their edges then. Curves alone, which may have several results a
   point, and one plan are searched by whatever searches these. */
static bool is_one_search(const project_search *s)
{
    return s->directions > 1 && (s->plans.num > 1 || s->content->cad || s->is_signed);
}

/* Makes the search of all plans. */
static bool open_all(project_search *s)
{
    const cad_model *cad = s->content->cad;
    project_trims trims = {.trims = {.snap = 0}};
    clsp_patch_plan **plans = malloc(s->plans.num * sizeof(clsp_patch_plan *));
    bool done = plans && (!cad || project_trims_make(&trims, &s->plans, cad));
    if (!done) complain("not enough memory for the model");
    for (size_t i = 0; done && i < s->plans.num; i++)
        plans[i] = s->plans.plans[i].plan;
    done = done && staging_check(s->ctx, clsp_nearest_create(&s->all, plans, s->plans.num,
                                                             cad ? &trims.trims : NULL, NULL));
    project_trims_free(&trims);
    free(plans);
    for (size_t i = 0; i < s->plans.num; i++) /* the search has what it needs of them */
        clsp_patch_plan_destroy(&s->plans.plans[i].plan);
    return done;
}

bool project_search_open(project_search *s)
{
    const bool together = s->opts.method != CLSP_NEAREST_MREP;
    s->directions = 1;
    for (size_t i = 0; i < s->content->num_batches; i++)
        if (s->content->batches[i].type.directions > s->directions)
            s->directions = s->content->batches[i].type.directions;
    return make_room(s) &&
           project_plans_open(&s->plans, s->ctx, s->content, s->precision, together) &&
           (!is_one_search(s) || open_all(s));
}

void project_search_close(project_search *s)
{
    clsp_nearest_destroy(&s->all);
    project_plans_close(&s->plans);
    free(s->queries);
    if (s->sharing)
        clsp_shared_free(s->ctx, s->found);
    else
        free(s->found);
    free(s->rows);
    free(s->sides);
    free(s->feet);
    *s = (project_search){.ctx = NULL};
}

/* ---- results ---- */

/* Finds what a patch is, numbered from a plan's first one on; NULL: there is none. */
static const patch_place *find_place(const project_search *s, size_t plan, uint32_t patch)
{
    size_t number = patch;
    for (; patch != UINT32_MAX && plan < s->plans.num; number -= s->plans.plans[plan++].num)
        if (number < s->plans.plans[plan].num) return &s->plans.plans[plan].places[number];
    return NULL;
}

/* Gives a row the number and the parameters that the file has. */
static void set_place(nearest_row *row, const patch_place *at, const double param[2])
{
    row->patch = at ? (int64_t)at->batch->numbers[at->number] : -1;
    for (uint32_t k = 0; k < 2; k++)
        row->param[k] = at && k < at->batch->type.directions
                            ? spline_parameter(at->batch, at->number, k, param[k])
                            : param[k];
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

/* Gives a row the edge that its point is on, by the file's number, and the edge's tolerance. */
static void set_foot(nearest_row *row, const project_search *s, size_t i)
{
    const bool is_on_edge = s->feet && s->feet[i].edge != UINT32_MAX;
    row->edge = is_on_edge ? (int64_t)s->content->cad->edge_number.at[s->feet[i].edge] : -1;
    row->tolerance = is_on_edge ? s->feet[i].tolerance : 0;
}

/* Reads result i; plan: of the first patch. */
static nearest_row get_row(const project_search *s, size_t plan, size_t i)
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
        set_place(&row, find_place(s, plan, from->patch), param);
    } else {
        const clsp_nearest_f32 *from = (const clsp_nearest_f32 *)s->found + i;
        row.distance = (double)from->distance;
        row.bound = (double)from->bound;
        row.status = (nearest_status)from->status;
        for (int k = 0; k < 4; k++)
            row.point[k] = (double)from->point[k];
        for (int k = 0; k < 2; k++)
            param[k] = (double)from->param[k];
        set_place(&row, find_place(s, plan, from->patch), param);
        for (int k = 0; k < 2; k++)
            row.param[k] = (double)(float)row.param[k];
    }
    set_side(&row, s, i);
    set_foot(&row, s, i);
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
            more[k] = get_row(s, plan, i * each + k);
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

/* Projects queries onto the patches of a plan, or of all; p NULL. */
static bool search(const project_search *s, const project_plan *p,
                   const clsp_nearest_queries *queries, const clsp_nearest_opts *opts,
                   clsp_output found, uint64_t first)
{
    clsp_report report = {0};
    const clsp_run run = {.share = s->sharing, .report = s->sharing ? &report : NULL};
    char what[80];
    if (!staging_check(s->ctx, p ? clsp_nearest_project(p->plan, queries, opts, found, &run)
                                 : clsp_nearest_find(s->all, queries, opts, found, &run)))
        return false;
    snprintf(what, sizeof(what), "points %llu to %llu, %lu %s", (unsigned long long)first,
             (unsigned long long)(first + queries->num - 1),
             (unsigned long)(p ? p->num : s->content->num_splines),
             !p                         ? "splines"
             : p->type->directions == 1 ? "curves"
                                        : "surfaces");
    if (s->sharing && s->report) s->report(s->user, what, &report);
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
    clsp_nearest_opts opts = s->opts;
    const clsp_output feet = clsp_out_nearest_feet(s->feet, num);
    if (s->is_signed) opts.normals = &sides;
    if (s->feet) opts.feet = &feet;
    for (size_t i = 0; i < (s->all ? 1 : s->plans.num); i++) {
        if (!search(s, s->all ? NULL : &s->plans.plans[i], &queries, &opts, found, first))
            return false;
        take_results(s, i, num);
    }
    return true;
}
