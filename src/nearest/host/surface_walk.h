/* The search for one query: what is known so far, points that are tried, and Newton's method. */
#ifndef CLSPI_SURFACE_WALK_H
#define CLSPI_SURFACE_WALK_H

#include <math.h>
#include <string.h>

#include "surface_jet.h"

#define EPS      0x1p-52
#define INFINITE ((double)INFINITY)
/* How much nearer a point must be to be looked for, of its distance and of a piece's extent: far
   more than all roundings (docs/math.md, 20), and less than results may be off by. */
#define NEARER_F64 2e-13
#define NEARER_F32 1e-7

enum {
    NODE_TIERS = 32, /* of 2^30 leaves, pieces and patches there are at most 3 x 10 */
    WAITING_MAX = (NODE_TIERS + 1) * BOXES,
    LEAVES_BEFORE = 24, /* of a query, before it searches whole pieces */
    PARTS_MAX = 65536,  /* of pieces, that a query halves, */
    PARTS_SHARE = 4,    /* of those that are left one in so many for a piece, so that a piece that
                           is equally near everywhere leaves some to others, */
    PARTS_LEAST = 16,   /* and at least so many */
    WORSE_MAX = 1       /* steps of Newton's method that do not come nearer */
};

struct square_work;

/* A result in double precision; the normal and the signed distance. */
typedef struct result {
    clspi_nearest_f64 to;
    real4 side;
    clspi_nearest_foot foot;
} result;

/* The way round a nearest point that does not tell its query's side (surface_probe.h). */
typedef struct probe {
    result of;
    double foot[LANES], out[LANES], toward[LANES], nearby; /* where ways begin */
    int num, turns;
    bool is_sure;                                              /* one way is enough */
    double sign;                                               /* of the first way; 0: not known */
    double centre[LANES], radius, along[LANES], across[LANES]; /* the circle */
} probe;

/* A query as it is read. */
typedef struct query {
    double point[LANES], hint[2];
    size_t patch;
    bool all, is_valid, has_hint;
} query;

/* Distances are squared where that is not said otherwise. */
typedef struct walk {
    const clspi_surface_search *s;
    struct square_work *work;
    double nearer; /* NEARER_F64 or NEARER_F32 */
    query query;
    size_t index; /* of the query */
    bool is_probing;
    probe probe;
    double scale;        /* the query has been brought nearer by this */
    double q[LANES];     /* scaled as pieces are */
    double least, limit; /* of the nearest point; of boxes that are worth looking into */
    double lowest;       /* that a point may be at in what was given up */
    double extent;       /* the largest of a piece that was searched, a distance */
    uint32_t nearest;    /* piece */
    place at[2];         /* of the nearest point */
    /* the place one step of Newton's method farther, and how far the squared distance should fall;
       below 0: not known */
    place next[2];
    double fall;
    bool is_found, is_cut;
    uint32_t num_leaves, num_parts, num_waiting;
    uint32_t parts_end; /* of num_parts, where a piece is given up */
    uint32_t whole;     /* the piece that has been searched as a whole last */
    /* the piece at hand */
    uint32_t number;
    const clspi_surface_piece *piece;
    const clspi_surface_shape *shape;
    const double *controls;
    double from[LANES]; /* the query relative to its origin */
    double near;        /* what is worth looking for in it */
    const clspi_trim_face
        *tests;      /* points that are tried have to be inside of it; NULL: they are */
    bool is_outside; /* the last one that would have been nearer is not */
    double outside;  /* its squared distance */
    /* the leaf at hand */
    const clspi_surface_leaf *leaf;
    place here[2];
    double e[LANES]; /* the last point that was tried, minus the query */
    double before;   /* the squared distance there */
    int steps, worse;
    /* leaves that their constants left open, and that are searched when all else has been */
    uint32_t num_open, open[LEAVES_BEFORE];
    bool is_last; /* that is so */
    /* boxes that have not been looked into; the nearest of those put there together is the last */
    double waiting[WAITING_MAX]; /* their distances */
    uint32_t waiting_code[WAITING_MAX];
} walk;

/* Begins a search from the squared distance at which nothing is worth looking for. */
static void restart_walk(walk *w, double limit)
{
    w->least = w->limit = limit;
    w->lowest = INFINITY;
    w->extent = 0;
    w->fall = -1;
    w->is_found = w->is_cut = w->is_last = false;
    w->num_leaves = w->num_parts = w->num_waiting = w->num_open = 0;
    w->whole = KIND_NONE;
}

/* Puts a box that is to be looked into next behind those that wait. */
CLSPI_INLINE void put_box(walk *w, uint32_t code)
{
    w->waiting[w->num_waiting] = 0;
    w->waiting_code[w->num_waiting++] = code;
}

/* Puts the box of all that is searched. */
CLSPI_INLINE void put_root(walk *w)
{
    put_box(w, w->query.all ? w->s->root : w->s->patches[w->query.patch].root);
}

/* Returns the square of what is worth looking for; negative where nothing is. */
CLSPI_INLINE double limit_of(const walk *w, double square, double extent)
{
    return limit_below(sqrt(square), extent, w->nearer);
}

/* Turns to a piece. */
CLSPI_INLINE void take_piece(walk *w, uint32_t number)
{
    w->number = number;
    w->piece = &w->s->pieces[number];
    w->shape = w->piece->shape;
    w->controls = w->piece->controls;
    w->tests = w->piece->trim;
    w->is_outside = false;
    for (int l = 0; l < LANES; l++)
        w->from[l] = w->q[l] - w->piece->origin[l];
    w->extent = most_of(w->extent, w->piece->extent);
    w->near = limit_of(w, w->least, w->piece->extent);
}

/* Returns a parameter of a place of the piece at hand, in the knots of its patch. */
CLSPI_INLINE double param_at(const walk *w, int way, place at)
{
    return param_of(w->piece->ends[way][0], w->piece->ends[way][1], at);
}

/* Tells whether a place of the piece at hand is outside of its face's loops, and keeps how near it
   would have been. */
static bool is_trimmed_off(walk *w, double u, double v, double square)
{
    w->is_outside = !clspi_trim_inside(w->tests, u, v);
    w->outside = square;
    return w->is_outside;
}

/* Evaluates the piece at a place, and takes the point if it is nearer than those before, but for
   what is worth looking for then. e: the point minus the query. Returns the squared distance. */
CLSPI_INLINE double take_place(walk *w, const place at[2], jet *j, double *e)
{
    evaluate_piece(j, w->shape, w->controls, at);
    for (int l = 0; l < LANES; l++)
        e[l] = j->d[JET_X][l] - w->from[l];
    const double square = dot_of(e, e);
    w->is_outside = false;
    if (!(square < w->least)) return square;
    if (w->tests && is_trimmed_off(w, param_at(w, 0, at[0]), param_at(w, 1, at[1]), square))
        return square;
    w->least = square;
    w->nearest = w->number;
    w->at[0] = at[0];
    w->at[1] = at[1];
    w->fall = -1;
    w->is_found = true;
    return square;
}

/* Evaluates the piece at a place as take_place does, and finds what is worth looking for from then
   on. */
static double try_place(walk *w, const place at[2], jet *j, double *e)
{
    const double least = w->least, square = take_place(w, at, j, e);

    if (!(w->least < least)) return square;
    const double distance = sqrt(square);
    w->limit = limit_below(distance, 0, w->nearer);
    w->near = limit_below(distance, w->piece->extent, w->nearer);
    return square;
}

/* Finds the slopes at a place of the piece at hand. A curve's distance does not change along v: it
   gets the second derivative of a plane there, along which nothing moves. */
CLSPI_INLINE slopes slopes_at(const walk *w, const jet *j, const double *e)
{
    slopes g = slopes_of(j, e);

    if (clspi_is_curve(w->shape)) g.vv = g.gvv = 1;
    return g;
}

/* Returns the roundings of a sum of control points, by the size of its terms. */
CLSPI_INLINE double rounding_of(const walk *w)
{
    return EPS * (4 * (w->shape->degree[0] + w->shape->degree[1]) + 16);
}

/* Returns what counts of the piece at hand. */
CLSPI_INLINE piece_facts facts_of(const walk *w)
{
    const uint32_t *const degree = w->shape->degree;

    return (piece_facts){w->piece->extent, w->piece->weights, degree[0],
                         degree[1],        rounding_of(w),    w->nearer};
}

#endif
