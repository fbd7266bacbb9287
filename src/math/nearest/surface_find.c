/* The search of surface_search.h: a walk down the tree of boxes to leaves, Newton's method in each,
   and its constants, which mostly tell that nothing nearer is left in it; what stays open goes to
   branch and bound (docs/math.md, 20). */
#include <float.h>
#include <stdlib.h>

#include "surface_side.h"
#include "surface_square.h"

enum {
    LEAF_STEPS = 20,    /* of Newton's method */
    POLE_STEPS = 6,     /* where nothing is known of a leaf */
    LEAVES_BEFORE = 24, /* of a query, before it searches whole pieces */
    TOGETHER = 32,      /* queries that are read before they are searched for */
    FAR = 400           /* exponent of coordinates whose squares may be no numbers */
};

/* Curvatures of the distance less than this are taken for none. */
#define CURVE_MIN (1.0 / 16)

/* ---- boxes ---- */

/* Returns the square of how far outside of box k a coordinate is. */
CLSPI_INLINE double outside(double box[2][BOXES], int k, double q)
{
    const double x = most_of(most_of(box[0][k] - q, q - box[1][k]), 0);

    return x * x;
}

/* Coordinates beyond dim are 0, as those of the query. */
CLSPI_INLINE void distances_to(const walk *w, clspi_surface_node *node, double *distance)
{
    const double x = w->q[0], y = w->q[1], z = w->q[2];

    for (int k = 0; k < BOXES; k++)
        distance[k] =
            outside(node->box[0], k, x) + outside(node->box[1], k, y) + outside(node->box[2], k, z);
    if (w->s->shape.dim < LANES) return;
    for (int k = 0; k < BOXES; k++)
        distance[k] += outside(node->box[3], k, w->q[3]);
}

/* Puts a node's boxes that are near enough behind those that wait, the nearest last. */
CLSPI_INLINE void put_boxes(walk *w, uint32_t number)
{
    clspi_surface_node *const node = &w->s->parts.nodes[number];
    const uint32_t bottom = w->num_waiting;
    double distance[BOXES];

    distances_to(w, node, distance);
    for (uint32_t k = 0; k < BOXES; k++) {
        const waiting_box box = {distance[k], node->kid[k]};
        uint32_t at = w->num_waiting;
        if (!(distance[k] < w->limit)) continue;
        for (; at > bottom && w->waiting[at - 1].distance < box.distance; at--)
            w->waiting[at] = w->waiting[at - 1];
        w->waiting[at] = box;
        w->num_waiting++;
    }
}

/* ---- leaves ---- */

/* Returns the squared distance to the box around a leaf along its axes. from: the query relative to
   its middle. */
CLSPI_INLINE double distance_to_leaf(const clspi_surface_leaf *leaf, const double *from)
{
    const double at[3] = {dot(leaf->axes[0], from), dot(leaf->axes[1], from),
                          dot(leaf->normal, from)};
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        const double x = most_of(most_of(leaf->least[i] - at[i], at[i] - leaf->greatest[i]), 0);
        sum += x * x;
    }
    return sum * (1 - 16 * EPS);
}

/* The terms of a leaf's lower bound at a place: 2 g.d + curve |L^T d|^2 for a step d from there. */
typedef struct leaf_bound {
    double u, v;            /* 2 g */
    double low[2], high[2]; /* of d */
    double curve;
} leaf_bound;

CLSPI_INLINE double corner_of(const clspi_surface_leaf *leaf, const leaf_bound *b, double du,
                              double dv)
{
    const double x = leaf->l11 * du + leaf->l21 * dv, y = leaf->l22 * dv;

    return b->u * du + b->v * dv + b->curve * (x * x + y * y);
}

/* Returns a lower bound of the squared distance to a leaf, by its constants and what is at a place
   in it. */
CLSPI_INLINE double bound_of_leaf(const walk *w, const clspi_surface_leaf *leaf,
                                  const surface_place at[2], const slopes *g, const double *e,
                                  double square)
{
    const double normal = dot(leaf->normal, e), along = sqrt(most_of(square - normal * normal, 0));
    const double bend = least_of(normal * leaf->bend[0], normal * leaf->bend[1]);
    leaf_bound b = {2 * g->u, 2 * g->v, {0, 0}, {0, 0}, 0};
    const double moved_by = rounding_of(w) * w->piece->extent;
    /* how far off g is, by y */
    const double error = 1.5 * moved_by + leaf->slack * sqrt(square);

    b.curve = leaf->shrink - (along + 1e-7 * fabs(normal)) * leaf->bend_along + bend;
    for (int i = 0; i < 2; i++) {
        b.low[i] = way_to(at[i], leaf->low[i]);
        b.high[i] = way_to(at[i], leaf->high[i]);
    }
    if (b.curve >= CURVE_MIN) {
        const double x = g->u / leaf->l11, y = (g->v - leaf->l21 * x) / leaf->l22;
        const double flat =
            least_of(b.u * b.low[0], b.u * b.high[0]) + least_of(b.v * b.low[1], b.v * b.high[1]);
        const double bent = -(x * x + y * y) / (b.curve * 0.875);
        return square + most_of(flat, bent) - 8 * error * error / b.curve;
    }
    b.curve = least_of(b.curve, 0);
    const double low =
        least_of(corner_of(leaf, &b, b.low[0], b.low[1]), corner_of(leaf, &b, b.low[0], b.high[1]));
    const double high = least_of(corner_of(leaf, &b, b.high[0], b.low[1]),
                                 corner_of(leaf, &b, b.high[0], b.high[1]));
    return square + least_of(low, high) - 2 * error * leaf->spread;
}

/* Finds the place of a leaf that its constants take for the nearest. */
CLSPI_INLINE void guess_place(const clspi_surface_leaf *leaf, const double *from,
                              surface_place at[2])
{
    double off[LANES];

    for (int l = 0; l < LANES; l++)
        off[l] = from[l] - leaf->middle[l];
    for (int i = 0; i < 2; i++) {
        const double middle = (leaf->low[i] + leaf->high[i]) / 2;
        at[i] = place_at(middle + dot(leaf->guess[i], off), leaf->low[i], leaf->high[i]);
    }
}

/* Searches a leaf by its constants; true if nothing nearer is left in it. e: the last point that
   was tried, minus the query. */
CLSPI_INLINE bool search_by_constants(walk *w, const clspi_surface_leaf *leaf, double *e)
{
    const bool is_known = leaf->l22 > 0;
    double before = INFINITE;
    surface_place at[2];
    surface_jet j;
    int worse = 0;

    guess_place(leaf, w->from, at);

    for (int n = 0; n < (is_known ? LEAF_STEPS : POLE_STEPS); n++) {
        const double square = try_place(w, at, &j, e);
        const slopes g = slopes_of(&j, e);
        if (is_known && bound_of_leaf(w, leaf, at, &g, e, square) >= w->near) return true;
        worse += square >= before;
        if (worse > WORSE_MAX) break;
        before = square;
        if (!(step_within(at, &g, leaf->low, leaf->high) > 1e-18 * square)) break;
    }
    return false;
}

CLSPI_INLINE void search_piece(walk *w, uint32_t number)
{
    static const uint32_t none[2] = {0, 0};
    static const double nowhere[LANES] = {0};

    w->whole = number;
    take_piece(w, number);
    search_squares(w, none, none, nowhere);
}

CLSPI_INLINE void search_leaf(walk *w, uint32_t number)
{
    const clspi_surface_leaf *const leaf = &w->s->parts.leaves[number];
    double from[LANES], e[LANES];

    if (leaf->piece == w->whole) return;
    for (int l = 0; l < LANES; l++)
        from[l] = w->q[l] - w->s->pieces[leaf->piece].origin[l] - leaf->middle[l];
    if (!(distance_to_leaf(leaf, from) < w->limit)) return;
    if (w->num_leaves++ >= LEAVES_BEFORE) {
        search_piece(w, leaf->piece);
        return;
    }
    take_piece(w, leaf->piece);
    if (search_by_constants(w, leaf, e)) return;
    const double length = sqrt(dot(e, e));
    for (int l = 0; l < LANES; l++)
        e[l] = length > 0 ? e[l] / length : 0;
    search_squares(w, leaf->depth, leaf->index, e);
}

/* Looks into a box. */
CLSPI_INLINE void look_into(walk *w, uint32_t code)
{
    const uint32_t number = code & CLSPI_NUMBER_MASK, kind = code & CLSPI_KIND_MASK;

    if (kind == CLSPI_KIND_NODE)
        put_boxes(w, number);
    else if (kind == CLSPI_KIND_LEAF)
        search_leaf(w, number);
    else if (kind == CLSPI_KIND_PIECE && w->num_leaves >= LEAVES_BEFORE)
        search_piece(w, number);
    else if (kind == CLSPI_KIND_PIECE)
        w->waiting[w->num_waiting++] = (waiting_box){0, w->s->pieces[number].root};
}

/* ---- queries ---- */

/* Finds the span of a parameter, brought into the domain, and the place there. */
static uint32_t span_of(const clspi_surface_search *s, int way, double t, surface_place *at)
{
    const double *const ends = s->ends[way];
    uint32_t low = 0, count = s->spans[way];

    while (count > 1) {
        const uint32_t lower = count / 2;
        const bool is_beyond = t < ends[low + lower];
        if (!is_beyond) low += lower;
        count = is_beyond ? lower : count - lower;
    }
    const double length = ends[low + 1] - ends[low];
    *at = place_at(length > 0 ? (t - ends[low]) / length : 0, 0, 1);
    return low;
}

/* Tries the point at a hint. */
CLSPI_INLINE void try_hint(walk *w, size_t patch, const double *hint)
{
    const clspi_surface_search *const s = w->s;
    surface_place at[2];
    surface_jet j;
    double e[LANES];

    const uint32_t u = span_of(s, 0, hint[0], &at[0]), v = span_of(s, 1, hint[1], &at[1]);
    const size_t number = (patch * s->spans[0] + u) * s->spans[1] + v;
    if (s->pieces[number].root == CLSPI_KIND_NONE) return;
    take_piece(w, (uint32_t)number);
    try_place(w, at, &j, e);
}

/* A query as it is read. */
typedef struct query {
    double point[LANES], hint[2];
    size_t patch;
    bool all, is_valid, has_hint;
} query;

static double real_at(const clspi_surface_queries *queries, const void *from, size_t i)
{
    return queries->f64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

static query read_query(const clspi_surface_search *s, const clspi_surface_queries *queries,
                        size_t i)
{
    query q = {.all = !queries->patches, .is_valid = true, .has_hint = queries->hints != NULL};

    q.patch = q.all ? 0 : queries->patches[i];
    q.is_valid = q.patch < s->num_patches || s->num_patches == 0;
    for (uint32_t l = 0; l < s->shape.dim; l++) {
        q.point[l] = real_at(queries, queries->points, i * s->shape.dim + l);
        q.is_valid = q.is_valid && fabs(q.point[l]) < INFINITE;
    }
    const size_t num = s->shape.degree[1] == 0 ? 1 : 2;
    for (size_t k = 0; k < num && q.has_hint; k++) {
        q.hint[k] = real_at(queries, queries->hints, num * i + k);
        q.has_hint = q.hint[k] == q.hint[k];
    }
    return q;
}

/* Begins a search. What is so far away that squares may be no numbers is brought nearer on its way:
   all points of surfaces are as far from it as makes no difference. Returns by how much. */
CLSPI_INLINE double begin_walk(walk *w, const query *q, double max_dist)
{
    const double most = ldexp(1.0, FAR);
    double far = 0, nearer = 1;

    for (int l = 0; l < LANES; l++) {
        w->q[l] = q->point[l] * w->s->scale;
        far = most_of(far, fabs(q->point[l]));
    }
    if (far * w->s->scale > most) nearer = most / far;
    for (int l = 0; l < LANES && nearer < 1; l++)
        w->q[l] = q->point[l] * nearer;
    const double distance = max_dist * w->s->scale;
    w->least = w->limit = max_dist > 0 && nearer == 1 ? distance * distance : INFINITE;
    w->lowest = INFINITY;
    w->extent = 0;
    w->is_found = w->is_cut = false;
    w->num_leaves = w->num_parts = w->num_waiting = 0;
    w->whole = CLSPI_KIND_NONE;
    return nearer;
}

CLSPI_INLINE void walk_down(walk *w, const query *q)
{
    const uint32_t root = q->all ? w->s->root : w->s->patches[q->patch].root;

    if (q->has_hint && w->s->num_patches > 0) try_hint(w, q->patch, q->hint);
    w->waiting[w->num_waiting++] = (waiting_box){0, root};
    while (w->num_waiting > 0) {
        const waiting_box box = w->waiting[--w->num_waiting];
        if (box.distance < w->limit) look_into(w, box.code);
    }
}

/* ---- results ---- */

/* A result in double precision. */
typedef struct result {
    double distance, bound, param[2], point[LANES];
    double rest[2]; /* what parameters lack */
    uint32_t patch, status;
    surface_side side;
} result;

/* Returns the parameter of a place in a span, from its nearer end, and what it lacks. */
static double param_of(const clspi_surface_search *s, int way, uint32_t span, surface_place at,
                       double *rest)
{
    const double begin = s->ends[way][span], end = s->ends[way][span + 1];
    const double from = at.t <= 0.5 ? begin : end;
    const double by = (at.t <= 0.5 ? at.t : -at.s) * (end - begin);
    const double param = from + by, moved_by = param - from;

    *rest = (from - (param - moved_by)) + (by - moved_by);
    return param;
}

/* Computes the distance of a query that is far away from a point. */
static double far_distance(const clspi_surface_search *s, const query *q, const double *point)
{
    double most = 0, square = 0;

    for (uint32_t l = 0; l < s->shape.dim; l++)
        most = most_of(most, fabs(q->point[l] / 2 - point[l] / 2));
    for (uint32_t l = 0; l < s->shape.dim; l++) {
        const double x = (q->point[l] / 2 - point[l] / 2) / most;
        square += x * x;
    }
    return 2 * most * sqrt(square);
}

/* Evaluates the nearest point, and once more where one more step of Newton's method would bring it
   nearer by more than nothing. */
CLSPI_INLINE void finish_point(walk *w, surface_jet *j, double *e)
{
    static const double low[2] = {0, 0}, high[2] = {1, 1};
    surface_place at[2] = {w->at[0], w->at[1]}, best[2] = {w->at[0], w->at[1]};
    const double least = w->least, square = try_place(w, at, j, e);
    const slopes g = slopes_of(j, e);

    if (!(step_within(at, &g, low, high) > 1e-15 * square)) return;
    try_place(w, at, j, e);
    if (!(w->least < least)) try_place(w, best, j, e);
}

static result result_of(walk *w, const query *q, double nearer, bool wants_side)
{
    const clspi_surface_search *const s = w->s;
    const size_t of_patch = (size_t)s->spans[0] * s->spans[1], at = w->nearest % of_patch;
    const uint32_t span[2] = {(uint32_t)(at / s->spans[1]), (uint32_t)(at % s->spans[1])};
    result r = {.patch = (uint32_t)(w->nearest / of_patch)};
    surface_jet j;
    double e[LANES];

    take_piece(w, w->nearest);
    finish_point(w, &j, e);
    for (uint32_t l = 0; l < s->shape.dim; l++)
        r.point[l] = (j.d[JET_X][l] + w->piece->origin[l]) / s->scale;
    for (int i = 0; i < 2; i++)
        r.param[i] = param_of(s, i, span[i], w->at[i], &r.rest[i]);
    const double least = sqrt(w->least), open = sqrt(w->lowest);
    r.distance = nearer < 1 ? far_distance(s, q, r.point) : least / s->scale;
    const double bound = least_of(least, open), share = 2 * w->nearer;
    const double slack = share * w->extent;
    r.bound = nearer < 1 ? r.distance * (1 - share) : (bound - share * bound - slack) / s->scale;
    r.bound = most_of(least_of(r.bound, r.distance), 0);
    r.status = w->is_cut && open * open < limit_of(w, w->least, w->extent) ? CLSPI_SEARCH_CUT
                                                                           : CLSPI_SEARCH_FOUND;
    r.side = (surface_side){{NAN, NAN, NAN}, NAN};
    if (wants_side) r.side = side_of(w, &j, e, r.distance);
    if (r.status == CLSPI_SEARCH_CUT) r.side.distance = NAN;
    return r;
}

static result no_result(bool is_valid, double max_dist)
{
    result r = {.distance = INFINITY,
                .bound = !is_valid      ? (double)NAN
                         : max_dist > 0 ? max_dist
                                        : INFINITE,
                .param = {NAN, NAN},
                .rest = {NAN, NAN},
                .side = {{NAN, NAN, NAN}, NAN},
                .patch = UINT32_MAX,
                .status = is_valid ? CLSPI_SEARCH_NONE : CLSPI_SEARCH_INVALID};

    for (int l = 0; l < LANES; l++)
        r.point[l] = NAN;
    return r;
}

/* Rounds down to single precision. */
static float rounded_down(double x)
{
    const float y = (float)x;

    return (double)y > x ? nextafterf(y, 0) : y;
}

/* Turns the parameter of a curve into the sum of two numbers. */
static void split_param(const clspi_surface_queries *queries, result *r)
{
    const double param = r->param[0];

    r->param[1] = r->rest[0];
    if (queries->f64 || r->patch == UINT32_MAX) return;
    r->param[0] = (double)(float)param;
    r->param[1] = (param - r->param[0]) + r->rest[0];
}

static void write_result(const clspi_surface_queries *queries, size_t i, const result *r)
{
    const double third = r->patch == UINT32_MAX ? (double)NAN : 0;

    if (queries->f64) {
        clspi_nearest_f64 *const to = (clspi_nearest_f64 *)queries->out + i;
        *to = (clspi_nearest_f64){.distance = r->distance,
                                  .bound = r->bound,
                                  .param = {r->param[0], r->param[1], third},
                                  .patch = r->patch,
                                  .status = r->status};
        memcpy(to->point, r->point, sizeof to->point);
        return;
    }
    clspi_nearest_f32 *const to = (clspi_nearest_f32 *)queries->out + i;
    *to = (clspi_nearest_f32){.distance = (float)r->distance,
                              .param = {(float)r->param[0], (float)r->param[1], (float)third},
                              .patch = r->patch,
                              .status = r->status};
    to->bound = isfinite(r->bound) ? rounded_down(r->bound) : (float)r->bound;
    if (to->bound > to->distance) to->bound = to->distance;
    for (int l = 0; l < LANES; l++)
        to->point[l] = (float)r->point[l];
}

/* Writes the normal and the signed distance. */
static void write_side(const clspi_surface_queries *queries, size_t i, const surface_side *side)
{
    for (size_t k = 0; k < 4; k++) {
        const double x = k < 3 ? side->normal[k] : side->distance;
        if (queries->f64)
            ((double *)queries->normals)[4 * i + k] = x;
        else
            ((float *)queries->normals)[4 * i + k] = (float)x;
    }
}

/* ---- all ---- */

CLSPI_INLINE void search_query(walk *w, const clspi_surface_queries *queries, size_t i,
                               const query *q)
{
    result r = no_result(q->is_valid, queries->max_dist);

    if (q->is_valid && w->s->num_patches > 0) {
        const double nearer = begin_walk(w, q, queries->max_dist);
        walk_down(w, q);
        if (w->is_found) r = result_of(w, q, nearer, queries->normals != NULL);
        if (w->is_found && queries->max_dist > 0 && r.distance > queries->max_dist)
            r = no_result(true, queries->max_dist);
    }
    if (w->s->shape.degree[1] == 0) split_param(queries, &r);
    write_result(queries, i, &r);
    if (queries->normals) write_side(queries, i, &r.side);
}

/* Searches for all queries. Some are read at a time, before they are searched for: they lie apart
   where their order is not that of memory, and are then waited for together. */
CLSPI_CLONES static void search_all(walk *w, const clspi_surface_queries *queries)
{
    query some[TOGETHER];

    for (size_t first = 0; first < queries->num; first += TOGETHER) {
        const size_t left = queries->num - first, num = left < TOGETHER ? left : TOGETHER;
        for (size_t k = 0; k < num; k++)
            some[k] =
                read_query(w->s, queries, queries->order ? queries->order[first + k] : first + k);
        for (size_t k = 0; k < num; k++)
            search_query(w, queries, queries->order ? queries->order[first + k] : first + k,
                         &some[k]);
    }
}

/* Makes the factors of products; work->coefficients: how many there are of a part. */
static void make_factors(square_work *work, const clspi_surface_shape *shape)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t n = shape->degree[i];
        double c = 1;
        for (uint32_t k = 0; k <= n; k++) {
            work->binomial[i][k] = c;
            c = c * (n - k) / (k + 1);
        }
        c = 1;
        for (uint32_t k = 0; k <= 2 * n; k++) {
            work->over[i][k] = 1 / c;
            c = c * (2 * n - k) / (k + 1);
        }
    }
}

bool clspi_surface_search_find(const clspi_surface_search *search,
                               const clspi_surface_queries *queries)
{
    const clspi_surface_shape *const shape = &search->shape;
    const size_t num = (2 * shape->degree[0] + 1) * (size_t)(2 * shape->degree[1] + 1);
    square_work *const work = malloc(sizeof *work);
    walk *const w = calloc(1, sizeof *w);
    double *const memory =
        malloc((2 * LEVELS_MAX * num + shape->reals + num * LANES) * sizeof *memory);
    const bool done = work && w && memory;

    if (done) {
        work->coefficients = num;
        work->a = memory;
        work->w = work->a + LEVELS_MAX * num;
        work->controls = work->w + LEVELS_MAX * num;
        work->products = work->controls + shape->reals;
        make_factors(work, shape);
        w->s = search;
        w->nearer = queries->f64 ? NEARER_F64 : NEARER_F32;
        w->work = work;
        search_all(w, queries);
    }
    free(memory);
    free(w);
    free(work);
    return done;
}
