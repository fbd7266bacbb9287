/* On which side of surfaces a query is whose nearest point, on an edge or at a vertex, does not
   tell. No surface is in the ball around a query that reaches to its nearest point, so that all of
   the ball is on one side. Probes are on a circle around the nearest point, within the ball and
   then each in that of the one before, until one of them is nearer to a point of a face that tells
   the side. Within an edge of two faces any way round does; elsewhere both have to agree, so that
   sides are open at free edges (docs/math.md, 20). */
#ifndef CLSPI_SURFACE_PROBE_H
#define CLSPI_SURFACE_PROBE_H

#include "surface_result.h"

enum {
    TURNS = 4,      /* of an eighth of a circle, around one point */
    PROBES_MAX = 24 /* of a way */
};

/* What is nearer to a probe than the point it goes round, by this factor of the square. */
#define NEARER_SQUARE (1 - 1e-6)
/* An edge's ends, where there may be vertices, by its parameter. */
#define EDGE_END 1e-6
/* Circles are no larger than this part of all that is searched, or so often an edge's tolerance:
   what is open nearby is seen, and gaps are not. */
#define NEARBY     0x1p-8
#define TOLERANCES 8

/* Makes a vector of length 1; false: it is nearly 0. */
static bool make_unit(double *x, double least)
{
    const double length = sqrt(dot_of(x, x));

    for (int l = 0; l < LANES && length > least; l++)
        x[l] /= length;
    return length > least;
}

/* Turns to another circle: around p->centre from p->along on, at first the way that `toward`
   points. */
static void go_round(probe *p, const double *toward)
{
    int least = 0;

    const double share = dot_of(toward, p->along);
    for (int l = 0; l < LANES; l++)
        p->across[l] = toward[l] - share * p->along[l];
    p->turns = 0;
    if (make_unit(p->across, 1e-6)) return;
    for (int l = 1; l < 3; l++)
        if (fabs(p->along[l]) < fabs(p->along[least])) least = l;
    for (int l = 0; l < LANES; l++)
        p->across[l] = (l == least) - p->along[least] * p->along[l];
    make_unit(p->across, 0);
}

/* Begins the search of the next probe. */
static void put_probe(walk *w)
{
    probe *const p = &w->probe;

    p->turns++;
    p->num++;
    for (int l = 0; l < LANES; l++) {
        const double along = p->along[l], across = p->across[l];
        p->along[l] = (along + across) * sqrt(0.5);
        p->across[l] = (across - along) * sqrt(0.5);
        w->q[l] = p->centre[l] + p->radius * p->along[l];
    }
    restart_walk(w, p->radius * p->radius * NEARER_SQUARE);
    put_root(w);
}

/* Begins to go one way round the nearest point. */
static void begin_way(walk *w, int way)
{
    probe *const p = &w->probe;
    double toward[LANES];

    p->num = 0;
    memcpy(p->centre, p->foot, sizeof p->centre);
    memcpy(p->along, p->out, sizeof p->along);
    p->radius = p->nearby;
    for (int l = 0; l < LANES; l++)
        toward[l] = way * p->toward[l];
    go_round(p, toward);
    put_probe(w);
}

/* Tells whether the nearest point is within an edge of two faces, all of which are searched. */
static bool is_between_faces(const walk *w, const result *r)
{
    return w->query.all && r->foot.edge != UINT32_MAX &&
           w->s->trims->edge_uses[r->foot.edge] == 2 && line_of(w->s, w->nearest) &&
           w->at[0].t > EDGE_END && w->at[0].s > EDGE_END;
}

/* Finds the unit vector from a nearest point to its query, and the normal, as it points to the side
   of that or, where either side will not do, of `across`; 0: there is none. Returns the distance.
 */
static double look_out(const walk *w, const result *r, const double *across, double *point,
                       double *out, double *toward)
{
    const double normal[LANES] = {r->side.s0, r->side.s1, r->side.s2, 0};

    for (int l = 0; l < LANES; l++)
        out[l] = w->q[l] - (point[l] = l < 3 ? r->to.point[l] * w->s->scale : 0);
    const double distance = sqrt(dot_of(out, out));
    make_unit(out, 0);
    const double along = dot_of(across ? across : out, normal);
    for (int l = 0; l < LANES; l++)
        toward[l] = isnan(along) ? 0 : along < 0 ? -normal[l] : normal[l];
    return distance;
}

/* Returns what radius gaps at a nearest point's edge are not seen from. */
static double wide_of(const walk *w, const result *r)
{
    return TOLERANCES * w->s->scale * r->foot.tolerance;
}

/* Returns the largest radius of a first circle. */
static double nearby_of(const walk *w, const result *r)
{
    const clspi_surface_box *const box = &w->s->box;
    double extent = 0;

    for (uint32_t l = 0; l < w->s->dim; l++)
        extent = most_of(extent, box->high[l] - box->low[l]);
    return most_of(NEARBY * extent, wide_of(w, r));
}

/* Begins probes for a result whose side is open; false: it remains so. */
static bool begin_probes(walk *w, const result *r)
{
    probe *const p = &w->probe;

    if (!isnan(r->side.s3) || r->to.status != CLSPI_SEARCH_FOUND || r->to.patch == UINT32_MAX ||
        w->scale < 1 || !(r->to.distance > 0) ||
        clspi_is_curve(&clspi_surface_source_of(w->s, r->to.patch)->shape))
        return false;
    p->of = *r;
    p->sign = 0;
    p->is_sure = is_between_faces(w, r);
    p->nearby = least_of(look_out(w, r, NULL, p->foot, p->out, p->toward), nearby_of(w, r));
    begin_way(w, 1);
    return true;
}

/* Goes round what has been found on the way, which does not tell the side, nearer by: within an
   edge of two faces to whichever is nearer, else on the way as before. */
static void go_round_found(walk *w, const result *r)
{
    probe *const p = &w->probe;
    const bool is_sure = is_between_faces(w, r);
    double toward[LANES];

    const double distance = look_out(w, r, is_sure ? NULL : p->across, p->centre, p->along, toward);
    p->radius = least_of(distance, most_of(p->radius / 4, wide_of(w, r)));
    go_round(p, toward);
}

/* Takes what the search of a probe has found, and begins the next one; false: there is none. */
static bool go_on_probing(walk *w)
{
    probe *const p = &w->probe;
    result r = {.side = {NAN, NAN, NAN, NAN}};

    if (w->is_found) r = result_of(w, &w->query, 1, true);
    if (w->is_cut || p->sign * r.side.s3 < 0) return false;
    if (!(fabs(r.side.s3) > 0)) {
        if (w->is_found) go_round_found(w, &r);
        if (p->turns == TURNS || p->num == PROBES_MAX) return false;
        put_probe(w);
        return true;
    }
    const double sign = r.side.s3 < 0 ? -1 : 1;
    if (p->is_sure || p->sign != 0) {
        p->of.side.s3 = sign * p->of.to.distance;
        return false;
    }
    p->sign = sign;
    begin_way(w, -1);
    return true;
}

#endif
