/* Queries as they are read, and results as they are written. */
#ifndef CLSPI_SURFACE_RESULT_H
#define CLSPI_SURFACE_RESULT_H

#include "surface_walk.h"
#include "trim_curves.h"

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

enum { LINE_PLACES = 9, LINE_STEPS = 20 };

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

/* Returns the line that a piece is; NULL: a part of a patch. */
CLSPI_INLINE const clspi_trim_line *line_of(const clspi_surface_search *s, uint32_t number)
{
    const size_t first = s->num_pieces - s->num_lines;

    return number < first ? NULL : &s->trims->lines[number - first];
}

/* Finds the point of a line that is nearest to a point, of the whole or of its neighbourhood: from
   the best of some places by Newton's method. Returns its squared distance. */
static double nearest_on_line(const clspi_surface_piece *piece, const double *point, place at[2])
{
    double best = INFINITE;
    place here[2] = {place_at(0, 0, 1), place_at(0, 0, 0)};
    jet j;

    for (int i = 0; i < LINE_PLACES + LINE_STEPS; i++) {
        double e[LANES];
        if (i < LINE_PLACES) here[0] = place_at((double)i / (LINE_PLACES - 1), 0, 1);
        if (i == LINE_PLACES) here[0] = at[0];
        evaluate_piece(&j, piece->shape, piece->controls, here);
        for (int l = 0; l < LANES; l++)
            e[l] = j.d[JET_X][l] + piece->origin[l] - point[l];
        const double square = dot_of(e, e);
        if (square < best) {
            best = square;
            at[0] = here[0];
            at[1] = here[1];
        }
        slopes g = slopes_of(&j, e);
        g.vv = g.gvv = 1;
        if (i >= LINE_PLACES && !(step_within(&here[0], &here[1], g, 0, 1, 0, 0) > 0)) break;
    }
    return best;
}

/* Turns from a place of a line to that of the surface that it is on; false: it is an edge in space,
   which no face has. */
static bool turn_to_surface(walk *w, const double *point, place at[2])
{
    const struct clspi_surface_trims *const t = w->s->trims;
    const size_t first = w->s->num_pieces - w->s->num_lines;
    const clspi_trim_line *line = line_of(w->s, w->number);
    double plane[2], best = INFINITE;

    if (line->piece == UINT32_MAX) {
        const uint32_t edge = line->edge, begin = t->edge_first[edge],
                       end = t->edge_first[edge + 1];
        for (uint32_t i = begin; i < end; i++) {
            const clspi_trim_line *const use = &t->lines[t->edge_lines[i]];
            place near[2];
            if (use->patch != t->lines[t->edge_lines[begin]].patch) break;
            const double square =
                nearest_on_line(&w->s->pieces[first + t->edge_lines[i]], point, near);
            if (!(square < best)) continue;
            best = square;
            line = use;
            at[0] = near[0];
        }
        if (!(best < INFINITE)) return false;
    }
    clspi_trim_point(t->reals + line->plane, line->plane_degree, at[0].t, plane);
    take_piece(w, line->piece);
    for (int i = 0; i < 2; i++)
        at[i] = place_at(plane[i], 0, 1);
    return true;
}

/* Finds what a nearest point on a line is on, and evaluates its face there. Returns whether it is
   on one. */
static bool find_foot(walk *w, result *r, place at[2], jet *j)
{
    const clspi_trim_line *const line = line_of(w->s, w->number);
    double point[LANES] = {0};

    if (line->edge != UINT32_MAX) r->foot.tolerance = w->s->trims->tolerance[line->edge];
    r->foot.edge = line->edge;
    for (uint32_t l = 0; l < w->s->dim; l++)
        point[l] = r->to.point[l] * w->s->scale;
    const bool is_on = turn_to_surface(w, point, at);
    if (is_on) evaluate_piece(j, w->shape, w->controls, at);
    r->to.patch = is_on ? w->piece->patch : UINT32_MAX;
    for (int i = 0; i < 2; i++)
        r->to.param[i] = is_on ? param_at(w, i, at[i]) : (double)NAN;
    return is_on;
}

/* Tells the side of the query from a place of the piece at hand: outward of a turned face's normal
   is where that does not point. */
static real4 side_here(const walk *w, const jet *j, const double *e, const place at[2],
                       double distance)
{
    const real4 side = side_of(j, e, facts_of(w), at[0], at[1], w->least, distance);
    const double turn = w->s->patches[w->piece->patch].is_turned ? -1 : 1;

    return (real4){turn * side.s0, turn * side.s1, turn * side.s2, turn * side.s3};
}

static result result_of(walk *w, const query *q, double nearer, bool wants_side)
{
    const clspi_surface_search *const s = w->s;
    result r = {.to = {.patch = s->pieces[w->nearest].patch},
                .side = {NAN, NAN, NAN, NAN},
                .foot = {0, UINT32_MAX, 0}};
    clspi_nearest_f64 *const to = &r.to;
    jet j;
    double e[LANES];

    take_piece(w, w->nearest);
    finish_point(w, &j, e);
    for (uint32_t l = 0; l < s->dim; l++)
        to->point[l] = (j.d[JET_X][l] + w->piece->origin[l]) / s->scale;
    for (int i = 0; i < 2; i++)
        to->param[i] = param_at(w, i, w->at[i]);
    const double least = sqrt(w->least), open = sqrt(w->lowest);
    to->distance = nearer < 1 ? far_distance(s, q, to->point) : least / s->scale;
    const double bound = least_of(least, open), share = 2 * w->nearer;
    const double slack = share * w->extent;
    to->bound =
        nearer < 1 ? to->distance * (1 - share) : (bound - share * bound - slack) / s->scale;
    to->bound = most_of(least_of(to->bound, to->distance), 0);
    to->status = w->is_cut && open * open < limit_of(w, w->least, w->extent) ? CLSPI_SEARCH_CUT
                                                                             : CLSPI_SEARCH_FOUND;
    place at[2] = {w->at[0], w->at[1]};
    if (line_of(s, w->number)) find_foot(w, &r, at, &j);
    r.foot.face = to->patch;
    if (wants_side && !clspi_is_curve(w->shape)) r.side = side_here(w, &j, e, at, to->distance);
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
                    .side = {NAN, NAN, NAN, NAN},
                    .foot = {0, UINT32_MAX, UINT32_MAX}};
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
