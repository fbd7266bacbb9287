/* Queries as they are read, and results as they are written. */
#ifndef CLSPI_SURFACE_RESULT_H
#define CLSPI_SURFACE_RESULT_H

#include "surface_walk.h"

/* ---- queries ---- */

static query read_query(const clspi_surface_search *s, const clspi_nearest_queries *queries,
                        size_t i)
{
    query q = {.all = !queries->patches, .is_valid = true, .has_hint = queries->hints != NULL};

    q.patch = q.all ? 0 : queries->patches[i];
    q.is_valid = q.patch < s->num_patches || s->num_patches == 0;
    for (uint32_t l = 0; l < s->dim; l++) {
        q.point[l] = clspi_real_at(queries->f64, queries->points, i * s->dim + l);
        q.is_valid = q.is_valid && fabs(q.point[l]) < INFINITE;
    }
    for (size_t k = 0; k < 2 && q.has_hint; k++) {
        q.hint[k] = clspi_real_at(queries->f64, queries->hints, 2 * i + k);
        q.has_hint = q.hint[k] == q.hint[k];
    }
    return q;
}

/* ---- results ---- */

/* A result in double precision; the normal and the signed distance. */
typedef struct result {
    clspi_nearest_f64 to;
    real4 side;
} result;

/* Computes the distance of a query that is far away from a point. */
static double far_distance(const clspi_surface_search *s, const query *q, const double *point)
{
    double most = 0, square = 0;

    for (uint32_t l = 0; l < s->dim; l++)
        most = most_of(most, fabs(q->point[l] / 2 - point[l] / 2));
    for (uint32_t l = 0; l < s->dim; l++) {
        const double x = (q->point[l] / 2 - point[l] / 2) / most;
        square += x * x;
    }
    return 2 * most * sqrt(square);
}

/* Returns where the spans of a patch, number `patch` of its source, begin and end. */
CLSPI_INLINE const double *ends_of(const clspi_surface_source *from, int way, size_t patch)
{
    return from->ends[way] + (way == 0 && from->has_own ? patch * (from->spans[0] + 1) : 0);
}

/* Evaluates the nearest point, or the one that a step of Newton's method from it finds where that
   brings it nearer by more than nothing. */
CLSPI_INLINE void finish_point(walk *w, jet *j, double *e)
{
    const place best[2] = {w->at[0], w->at[1]};
    place next[2] = {w->next[0], w->next[1]};
    const double least = w->least;
    double fall = w->fall;

    if (fall < 0) {
        next[0] = best[0];
        next[1] = best[1];
        try_place(w, best, j, e);
        const slopes g = slopes_at(w, j, e);
        fall = step_within(&next[0], &next[1], g, 0, 1, 0, clspi_is_curve(w->shape) ? 0 : 1);
        if (!(fall > 1e-15 * least)) return;
    }
    if (fall > 1e-15 * least) try_place(w, next, j, e);
    if (!(w->least < least)) try_place(w, best, j, e);
}

/* Finds the parameters of the nearest point, in the knots of its patch. */
static void find_params(const walk *w, double *param)
{
    const uint32_t patch = w->piece->patch;
    const clspi_surface_source *const from = clspi_surface_source_of(w->s, patch);
    const size_t of_source = patch - from->first_patch, columns = from->spans[1];
    const size_t at = w->nearest - from->first_piece - of_source * from->spans[0] * columns;
    const size_t span[2] = {at / columns, at % columns};

    for (int i = 0; i < 2; i++) {
        const double *const ends = ends_of(from, i, of_source) + span[i];
        param[i] = param_of(ends[0], ends[1], w->at[i]);
    }
}

static result result_of(walk *w, const query *q, double nearer, bool wants_side)
{
    const clspi_surface_search *const s = w->s;
    result r = {.to = {.patch = s->pieces[w->nearest].patch}, .side = {NAN, NAN, NAN, NAN}};
    clspi_nearest_f64 *const to = &r.to;
    jet j;
    double e[LANES];

    take_piece(w, w->nearest);
    finish_point(w, &j, e);
    for (uint32_t l = 0; l < s->dim; l++)
        to->point[l] = (j.d[JET_X][l] + w->piece->origin[l]) / s->scale;
    find_params(w, to->param);
    const double least = sqrt(w->least), open = sqrt(w->lowest);
    to->distance = nearer < 1 ? far_distance(s, q, to->point) : least / s->scale;
    const double bound = least_of(least, open), share = 2 * w->nearer;
    const double slack = share * w->extent;
    to->bound =
        nearer < 1 ? to->distance * (1 - share) : (bound - share * bound - slack) / s->scale;
    to->bound = most_of(least_of(to->bound, to->distance), 0);
    to->status = w->is_cut && open * open < limit_of(w, w->least, w->extent) ? CLSPI_SEARCH_CUT
                                                                             : CLSPI_SEARCH_FOUND;
    if (wants_side && !clspi_is_curve(w->shape))
        r.side = side_of(&j, e, facts_of(w), w->at[0], w->at[1], w->least, to->distance);
    if (to->status == CLSPI_SEARCH_CUT) r.side.s3 = NAN;
    return r;
}

static result no_result(bool is_valid, double max_dist)
{
    const double bound = max_dist > 0 ? max_dist : INFINITE;

    return (result){.to = {.distance = INFINITY,
                           .bound = is_valid ? bound : (double)NAN,
                           .param = {NAN, NAN, NAN},
                           .point = {NAN, NAN, NAN, NAN},
                           .patch = UINT32_MAX,
                           .status = is_valid ? CLSPI_SEARCH_NONE : CLSPI_SEARCH_INVALID},
                    .side = {NAN, NAN, NAN, NAN}};
}

/* Rounds down to single precision. */
static float rounded_down(double x)
{
    const float y = (float)x;

    return (double)y > x ? nextafterf(y, 0) : y;
}

static void write_result(const clspi_nearest_queries *queries, size_t i, const clspi_nearest_f64 *r)
{
    if (queries->f64) {
        ((clspi_nearest_f64 *)queries->out)[i] = *r;
        return;
    }
    clspi_nearest_f32 *const to = (clspi_nearest_f32 *)queries->out + i;
    *to =
        (clspi_nearest_f32){.distance = (float)r->distance,
                            .bound = isfinite(r->bound) ? rounded_down(r->bound) : (float)r->bound,
                            .param = {(float)r->param[0], (float)r->param[1], (float)r->param[2]},
                            .patch = r->patch,
                            .status = r->status};
    if (to->bound > to->distance) to->bound = to->distance;
    for (int l = 0; l < LANES; l++)
        to->point[l] = (float)r->point[l];
}

/* Writes the normal and the signed distance. */
static void write_side(const clspi_nearest_queries *queries, size_t i, real4 side)
{
    const double x[CLSPI_NORMAL_REALS] = {side.s0, side.s1, side.s2, side.s3};

    for (size_t k = 0; k < CLSPI_NORMAL_REALS; k++)
        clspi_real_put(queries->f64, queries->normals, CLSPI_NORMAL_REALS * i + k, x[k]);
}

#endif
