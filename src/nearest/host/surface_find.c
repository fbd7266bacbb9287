/* The search of surface_search.h: a walk down the tree of boxes to leaves, Newton's method in each,
   and its constants, which mostly tell that nothing nearer is left in it; what stays open goes to
   branch and bound (docs/math.md, 20). Several queries are on their way at a time: what one waits
   for, others make up for, and they go steps of Newton's method side by side. The bits of a result
   depend on its query alone. */
#include <stdlib.h>

#include "surface_boxes.h"
#include "surface_probe.h"
#include "surface_square.h"

enum {
    LEAF_STEPS = 20, /* of Newton's method */
    POLE_STEPS = 6,  /* where nothing is known of a leaf */
    WALKS = 2 * CLSPI_STEPS,
    FAR = 400 /* exponent of coordinates whose squares may be no numbers */
};

/* ---- boxes ---- */

/* Puts a node's boxes that are near enough behind those that wait, the nearest last. */
CLSPI_INLINE void put_boxes(walk *w, uint32_t number)
{
    const uint32_t num = w->num_waiting;

    w->num_waiting += clspi_surface_boxes_put(&w->s->parts.nodes[number], w->s->dim, w->q, w->limit,
                                              w->waiting + num, w->waiting_code + num);
}

/* ---- leaves ---- */

/* Returns the squared distance to the box around a leaf along its axes. from: the query relative to
   its middle. */
CLSPI_INLINE double distance_to_leaf(const clspi_surface_leaf *leaf, const double *from)
{
    const double at[3] = {dot_of(leaf->axes[0], from), dot_of(leaf->axes[1], from),
                          dot_of(leaf->normal, from)};
    double sum = 0;

    for (int i = 0; i < 3; i++) {
        const double x = most_of(most_of(leaf->least[i] - at[i], at[i] - leaf->greatest[i]), 0);
        sum += x * x;
    }
    return sum * (1 - 16 * EPS);
}

/* Finds the place of a leaf that its constants take for the nearest. */
CLSPI_INLINE void guess_place(const clspi_surface_leaf *leaf, const double *from, place at[2])
{
    double off[LANES];

    for (int l = 0; l < LANES; l++)
        off[l] = from[l] - leaf->middle[l];
    for (int i = 0; i < 2; i++) {
        const double middle = (leaf->low[i] + leaf->high[i]) / 2;
        at[i] = place_at(middle + dot_of(leaf->guess[i], off), leaf->low[i], leaf->high[i]);
    }
}

CLSPI_INLINE void search_piece(walk *w, uint32_t number)
{
    static const uint32_t none[2] = {0, 0};
    static const double nowhere[LANES] = {0};

    w->whole = number;
    take_piece(w, number);
    search_squares(w, none, none, nowhere);
}

/* Begins to search a leaf; false: it is done with. */
CLSPI_INLINE bool begin_leaf(walk *w, uint32_t number)
{
    const clspi_surface_leaf *const leaf = &w->s->parts.leaves[number];
    double from[LANES];

    if (leaf->piece == w->whole) return false;
    for (int l = 0; l < LANES; l++)
        from[l] = w->q[l] - w->s->pieces[leaf->piece].origin[l] - leaf->middle[l];
    if (!(distance_to_leaf(leaf, from) < w->limit)) return false;
    if (!w->is_last && w->num_leaves++ >= LEAVES_BEFORE) {
        search_piece(w, leaf->piece);
        return false;
    }
    take_piece(w, leaf->piece);
    if (!leaf->is_mixed) w->tests = NULL;
    guess_place(leaf, w->from, w->here);
    w->leaf = leaf;
    w->before = INFINITE;
    w->steps = w->worse = 0;
    return true;
}

/* Looks into a box; true: a leaf is to be searched. */
CLSPI_INLINE bool look_into(walk *w, uint32_t code)
{
    const uint32_t number = code & NUMBER_MASK, kind = code & KIND_MASK;

    if (kind == KIND_LEAF) return begin_leaf(w, number);
    if (kind == KIND_NODE)
        put_boxes(w, number);
    else if (kind == KIND_PIECE && w->num_leaves >= LEAVES_BEFORE)
        search_piece(w, number);
    else if (kind == KIND_PIECE)
        put_box(w, w->s->pieces[number].root);
    return false;
}

/* ---- steps of Newton's method ---- */

/* Evaluates the point at which a walk is in its leaf, for place k of steps. */
CLSPI_INLINE void put_step(walk *w, clspi_surface_steps *to, int k)
{
    const clspi_surface_leaf *const leaf = w->leaf;
    jet j;

    to->square[k] = take_place(w, w->here, &j, w->e);
    to->least[k] = w->least;
    to->extent[k] = w->piece->extent;
    const slopes g = slopes_at(w, &j, w->e);
    to->normal[k] = dot_of(leaf->normal, w->e);
    to->u[k] = g.u;
    to->v[k] = g.v;
    to->uu[k] = g.uu;
    to->uv[k] = g.uv;
    to->vv[k] = g.vv;
    to->guu[k] = g.guu;
    to->guv[k] = g.guv;
    to->gvv[k] = g.gvv;
    for (int i = 0; i < 2; i++) {
        to->t[i][k] = w->here[i].t;
        to->s[i][k] = w->here[i].s;
        to->low[i][k] = leaf->low[i];
        to->high[i][k] = leaf->high[i];
        to->bend[i][k] = leaf->bend[i];
    }
    to->l11[k] = leaf->l11;
    to->l21[k] = leaf->l21;
    to->l22[k] = leaf->l22;
    to->shrink[k] = leaf->shrink;
    to->bend_along[k] = leaf->bend_along;
    to->spread[k] = leaf->spread;
    to->slack[k] = leaf->slack;
    to->moved_by[k] = rounding_of(w) * w->piece->extent;
}

/* Searches what a leaf's constants leave open: at last, when what is near is known, and little or
   nothing of it is left. */
CLSPI_INLINE void search_rest(walk *w)
{
    if (!w->is_last) {
        w->open[w->num_open++] = (uint32_t)(w->leaf - w->s->parts.leaves);
        return;
    }
    const double length = sqrt(dot_of(w->e, w->e));

    for (int l = 0; l < LANES; l++)
        w->e[l] = length > 0 ? w->e[l] / length : 0;
    search_squares(w, w->leaf->depth, w->leaf->index, w->e);
}

/* Keeps a step from the nearest point, unless it ends on a side of the leaf, where it may have to
   go on beyond. */
CLSPI_INLINE void keep_step(walk *w, const clspi_surface_steps *from, int k)
{
    bool is_inside = true;

    for (int i = 0; i < 2; i++) {
        const double t = from->t[i][k];
        is_inside = is_inside && t > from->low[i][k] && t < from->high[i][k];
        w->next[i] = (place){t, from->s[i][k]};
    }
    w->fall = is_inside ? from->fall[k] : -1;
}

/* Tells whether the point that was tried, which is outside of the face's loops, shows that nothing
   nearer is left in its leaf but on the curves that bound the face: it is the leaf's nearest, and
   the distance is convex on all of the leaf, so that the way from a nearer point inside to it meets
   one of these, which is as near (docs/math.md, 20). */
static bool is_nearest_outside(const walk *w, const clspi_surface_steps *from, int k)
{
    const clspi_surface_leaf *const leaf = w->leaf;
    const double square = from->square[k], normal = from->normal[k];
    const double reach = leaf->spread * (2 - sqrt(leaf->shrink));
    const double low = normal - reach, high = normal + reach;
    const double along = sqrt(most_of(square - normal * normal, 0)) + reach + 1e-7 * fabs(normal);
    const double bend = least_of(least_of(low * leaf->bend[0], low * leaf->bend[1]),
                                 least_of(high * leaf->bend[0], high * leaf->bend[1]));

    return from->bound[k] >= limit_of(w, square, w->piece->extent) &&
           leaf->shrink - along * leaf->bend_along + bend > 0;
}

/* Takes what place k of steps has found; false: the leaf is done with. */
CLSPI_INLINE bool take_step(walk *w, const clspi_surface_steps *from, int k)
{
    const bool is_known = w->leaf->l22 > 0;
    const double square = from->square[k];

    w->limit = from->limit[k];
    w->near = from->near[k];
    if (is_known && from->bound[k] >= w->near) {
        if (square == w->least) keep_step(w, from, k);
        return false;
    }
    if (is_known && w->is_outside && is_nearest_outside(w, from, k)) return false;
    w->worse += square >= w->before;
    w->before = square;
    w->steps++;
    for (int i = 0; i < 2; i++)
        w->here[i] = (place){from->t[i][k], from->s[i][k]};
    if (w->worse <= WORSE_MAX && w->steps < (is_known ? LEAF_STEPS : POLE_STEPS) &&
        from->fall[k] > 1e-18 * square)
        return true;
    search_rest(w);
    return false;
}

/* ---- queries ---- */

/* Finds the span of a parameter, and the place there. ends: of all spans. */
static uint32_t find_span(const double *ends, uint32_t spans, double t, place *at)
{
    const uint32_t span = span_of(ends, 1, spans, t);
    const double begin = ends[span], length = ends[span + 1] - begin;

    *at = place_at(length > 0 ? (t - begin) / length : 0, 0, 1);
    return span;
}

/* Tries the point at a hint. */
CLSPI_INLINE void try_hint(walk *w, size_t patch, const double *hint)
{
    const clspi_surface_source *const from = clspi_surface_source_of(w->s, patch);
    const size_t of_source = patch - from->first_patch;
    place at[2];
    jet j;
    double e[LANES];

    const uint32_t u = find_span(ends_of(from, 0, of_source), from->spans[0], hint[0], &at[0]);
    const uint32_t v = find_span(ends_of(from, 1, of_source), from->spans[1], hint[1], &at[1]);
    const size_t number = from->first_piece + (of_source * from->spans[0] + u) * from->spans[1] + v;
    if (w->s->pieces[number].root == KIND_NONE) return;
    if (clspi_is_curve(&from->shape)) at[1] = place_at(0, 0, 0);
    take_piece(w, (uint32_t)number);
    try_place(w, at, &j, e);
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
    restart_walk(w, max_dist > 0 && nearer == 1 ? distance * distance : INFINITE);
    w->is_probing = false;
    return nearer;
}

/* The queries of a call, and which is begun next. */
typedef struct query_queue {
    const clspi_nearest_queries *queries;
    size_t next;
} query_queue;

/* Finishes the search for a query; false: it goes on by a probe. */
CLSPI_INLINE bool end_walk(walk *w, const clspi_nearest_queries *queries)
{
    const double most = queries->max_dist;
    result r = no_result(w->query.is_valid, most);

    if (w->is_probing) {
        if (go_on_probing(w)) return false;
        r = w->probe.of;
    } else {
        if (w->is_found) r = result_of(w, &w->query, w->scale, queries->normals != NULL);
        if (w->is_found && most > 0 && r.to.distance > most) r = no_result(true, most);
        w->is_probing = queries->normals && queries->has_probes && begin_probes(w, &r);
        if (w->is_probing) return false;
    }
    write_result(queries, w->index, &r.to);
    if (queries->normals) write_side(queries, w->index, r.side);
    if (queries->feet) queries->feet[w->index] = r.foot;
    return true;
}

/* Begins the search for the next query; false: there is none. */
CLSPI_INLINE bool begin_next(query_queue *queue, walk *w)
{
    const clspi_nearest_queries *const queries = queue->queries;

    if (queue->next == queries->num) return false;
    w->index = queries->order ? queries->order[queue->next] : queue->next;
    w->query = read_query(w->s, queries, w->index);
    queue->next++;
    w->scale = begin_walk(w, &w->query, queries->max_dist);
    if (!w->query.is_valid || w->s->num_patches == 0) return true;
    if (w->query.has_hint) try_hint(w, w->query.patch, w->query.hint);
    put_root(w);
    return true;
}

/* Goes on to the next box that is worth it, or else the next query. Returns whether a leaf is to be
   searched; *is_over: no query is left. */
CLSPI_INLINE bool go_down(query_queue *queue, walk *w, bool *is_over)
{
    while (w->num_waiting > 0) {
        const uint32_t last = --w->num_waiting;
        if (w->waiting[last] < w->limit) return look_into(w, w->waiting_code[last]);
    }
    w->is_last = true;
    while (w->num_open > 0)
        if (begin_leaf(w, w->open[--w->num_open])) return true;
    if (end_walk(w, queue->queries)) *is_over = !begin_next(queue, w);
    return false;
}

/* Walks that go down, and those that search a leaf. */
typedef struct walk_lists {
    walk *down[WALKS], *inside[WALKS];
    uint32_t num_down, num_inside;
} walk_lists;

/* Lets all walks go down to a leaf, in turns. */
CLSPI_INLINE void go_all_down(query_queue *queue, walk_lists *l)
{
    while (l->num_down > 0) {
        const uint32_t num = l->num_down;
        l->num_down = 0;
        for (uint32_t i = 0; i < num; i++) {
            walk *const w = l->down[i];
            bool is_over = false;
            if (go_down(queue, w, &is_over))
                l->inside[l->num_inside++] = w;
            else if (!is_over)
                l->down[l->num_down++] = w;
        }
    }
}

/* Lets all that search a leaf go a step. */
CLSPI_INLINE void step_all(walk_lists *l, clspi_surface_steps *steps)
{
    const uint32_t num = l->num_inside;

    for (uint32_t i = 0; i < num; i++)
        put_step(l->inside[i], &steps[i / CLSPI_STEPS], (int)(i % CLSPI_STEPS));
    for (uint32_t i = 0; i < num; i += CLSPI_STEPS)
        clspi_surface_steps_go(&steps[i / CLSPI_STEPS]);
    l->num_inside = 0;
    for (uint32_t i = 0; i < num; i++) {
        walk *const w = l->inside[i];
        if (take_step(w, &steps[i / CLSPI_STEPS], (int)(i % CLSPI_STEPS)))
            l->inside[l->num_inside++] = w;
        else
            l->down[l->num_down++] = w;
    }
}

static void search_all(walk *walks, clspi_surface_steps *steps,
                       const clspi_nearest_queries *queries)
{
    query_queue queue = {.queries = queries};
    walk_lists l = {.num_down = 0};

    for (uint32_t i = 0; i < WALKS && begin_next(&queue, &walks[i]); i++)
        l.down[l.num_down++] = &walks[i];
    while (l.num_down + l.num_inside > 0) {
        go_all_down(&queue, &l);
        step_all(&l, steps);
    }
}

/* What a call needs. */
typedef struct find_memory {
    walk walks[WALKS];
    clspi_surface_steps steps[WALKS / CLSPI_STEPS];
    square_work work;
} find_memory;

/* Finds the most coefficients that a part has, and reals that a piece has. */
static void find_sizes(const clspi_surface_search *search, size_t *coefficients, size_t *reals)
{
    *coefficients = *reals = 0;
    for (size_t i = 0; i < search->num_sources; i++) {
        const clspi_surface_shape *const shape = &search->sources[i].shape;
        const size_t num = (2 * shape->degree[0] + 1) * (size_t)(2 * shape->degree[1] + 1);
        if (num > *coefficients) *coefficients = num;
        if (shape->reals > *reals) *reals = shape->reals;
    }
    for (size_t i = search->num_pieces - search->num_lines; i < search->num_pieces; i++) {
        const clspi_surface_shape *const shape = search->pieces[i].shape;
        const size_t num = 2 * (size_t)shape->degree[0] + 1;
        if (num > *coefficients) *coefficients = num;
        if (shape->reals > *reals) *reals = shape->reals;
    }
}

bool clspi_surface_search_find(const clspi_surface_search *search,
                               const clspi_nearest_queries *queries)
{
    size_t num, reals;
    find_sizes(search, &num, &reals);
    find_memory *const m = malloc(sizeof *m);
    double *const memory = malloc((2 * LEVELS_MAX * num + reals + num * LANES) * sizeof *memory);
    const bool done = m && memory;

    if (done) {
        square_work *const work = &m->work;
        work->coefficients = num;
        work->a = memory;
        work->w = work->a + LEVELS_MAX * num;
        work->source.part = work->w + LEVELS_MAX * num;
        work->source.products = work->source.part + reals;
        for (uint32_t i = 0; i < LEVELS_MAX; i++)
            work->part[i].room = i;
        memset(m->steps, 0, sizeof m->steps);
        for (int i = 0; i < WALKS / CLSPI_STEPS; i++)
            m->steps[i].nearer = queries->f64 ? NEARER_F64 : NEARER_F32;
        for (int i = 0; i < WALKS; i++) {
            m->walks[i].s = search;
            m->walks[i].nearer = queries->f64 ? NEARER_F64 : NEARER_F32;
            m->walks[i].work = work;
        }
        search_all(m->walks, m->steps, queries);
    }
    free(memory);
    free(m);
    return done;
}
