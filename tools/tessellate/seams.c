#include "seams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edge_curve.h"

static int compare_points(const double *a, const double *b, size_t coordinates)
{
    for (size_t k = 0; k < coordinates; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_runs(const seam_edge *a, bool a_reversed, const seam_edge *b, bool b_reversed)
{
    size_t count = seam_num_controls(a), coordinates = bezierview_coordinates(a->type);
    for (size_t i = 0; i < count; i++) {
        int order = compare_points(seam_control(a, a_reversed, i), seam_control(b, b_reversed, i),
                                   coordinates);
        if (order != 0) return order;
    }
    return 0;
}

/* Orders edges by what they are; 0 for equal ones. */
static int compare_shapes(const seam_edge *a, const seam_edge *b)
{
    size_t a_count = seam_num_controls(a), b_count = seam_num_controls(b);
    if (a_count != b_count) return a_count < b_count ? -1 : 1;
    if (a->type->rational != b->type->rational) return a->type->rational ? 1 : -1;
    return compare_runs(a, a->reversed, b, b->reversed);
}

static int compare_edges(const void *left, const void *right)
{
    const seam_edge *a = left, *b = right;
    int order = compare_shapes(a, b);
    if (order != 0) return order;
    if (a->patch != b->patch) return a->patch < b->patch ? -1 : 1;
    return a->side < b->side ? -1 : a->side > b->side;
}

/* A box that grows. */
typedef struct box {
    double low[3], high[3];
} box;

static const box no_box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

static void grow(box *b, const bezierview_type *type, const double *points, size_t reals)
{
    for (size_t at = 0; at < reals; at += bezierview_coordinates(type)) {
        double place[3];
        seam_get_place(type, points + at, place);
        for (int axis = 0; axis < 3; axis++) {
            b->low[axis] = fmin(b->low[axis], place[axis]);
            b->high[axis] = fmax(b->high[axis], place[axis]);
        }
    }
}

/* A share of a box's diagonal; 0 for none, and where it is not finite. */
static double share_of(const box *b, double share)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++)
        sum = hypot(sum, share * b->high[axis] - share * b->low[axis]);
    return isfinite(sum) && b->high[0] >= b->low[0] ? sum : 0;
}

static void add_sides(seams *s, const bezierview_batch *batch, size_t patch, size_t first_patch,
                      double distance)
{
    size_t reals =
        (size_t)bezierview_patch_points(&batch->type) * bezierview_coordinates(&batch->type);
    box own = no_box;
    grow(&own, &batch->type, batch->points + patch * reals, reals);
    for (int side = 0; side < seam_num_sides(&batch->type); side++) {
        seam_edge *e = &s->edges[s->num_edges++];
        *e = (seam_edge){.type = &batch->type,
                         .points = batch->points + patch * reals,
                         .patch = first_patch + patch,
                         .side = side,
                         .distance = fmin(distance, share_of(&own, SEAM_OF_PATCH))};
        e->reversed = compare_runs(e, true, e, false) < 0;
    }
}

/* Whether edge i continues the run of equal edges before it. */
static bool same_as_last(const seams *s, size_t i)
{
    return i > 0 && compare_shapes(&s->edges[i - 1], &s->edges[i]) == 0;
}

/* Names the leaders of edges with equal control points; all of them get the least distance. */
static void name_leaders(seams *s)
{
    size_t leader = 0;
    for (size_t i = 0; i < s->num_edges; i++) {
        if (same_as_last(s, i))
            s->edges[leader].num_followers++;
        else
            leader = i;
        s->edges[i].leader = leader;
        s->edges[leader].distance = fmin(s->edges[leader].distance, s->edges[i].distance);
    }
    for (size_t i = 0; i < s->num_edges; i++) {
        s->edges[i].distance = s->edges[s->edges[i].leader].distance;
        s->edges[i].is_point = seam_collapsed(&s->edges[i]);
    }
}

/* Lists the edges of each patch. */
static void list_by_patch(seams *s)
{
    for (size_t i = 0; i < s->num_edges; i++)
        s->firsts[s->edges[i].patch + 1]++;
    for (size_t patch = 0; patch < s->num_patches; patch++)
        s->firsts[patch + 1] += s->firsts[patch];
    for (size_t i = s->num_edges; i > 0; i--) /* from the back: ends become beginnings */
        s->by_patch[--s->firsts[s->edges[i - 1].patch + 1]] = i - 1;
    memmove(s->firsts, s->firsts + 1, s->num_patches * sizeof(*s->firsts));
    s->firsts[s->num_patches] = s->num_edges;
}

/* ---- equal curves ---- */

/* Leaders by the cells of a lattice that the middle between their ends lies in. Curves within the
   distance have their middles within it too. */
typedef struct lattice {
    double low[3], cell;
    size_t num_slots;
    size_t *slots; /* [num_slots]: the first leader of a cell, or none */
    size_t *next;  /* [num_edges]: the next one in the slot */
} lattice;

static const size_t none = SIZE_MAX;

/* Edges with ends at the same places that one is compared with: enough for any solid, and a bound
   of the time for files that are made to take long. */
enum { MAX_COMPARED = 64 };

static void get_middle(const seam_edge *e, double middle[3])
{
    double p[3], q[3];
    seam_get_place(e->type, seam_control(e, false, 0), p);
    seam_get_place(e->type, seam_control(e, true, 0), q);
    for (int axis = 0; axis < 3; axis++)
        middle[axis] = p[axis] / 2 + q[axis] / 2;
}

/* The slot of the cell with a middle, moved by so many distances along each axis. */
static size_t find_slot(const lattice *l, const double middle[3], double distance,
                        const int moved[3])
{
    uint64_t hash = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double at =
            middle[axis] / l->cell - l->low[axis] / l->cell + moved[axis] * distance / l->cell;
        hash = (hash ^ (uint64_t)(int64_t)floor(at)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return (size_t)hash & (l->num_slots - 1);
}

/* The edge as a curve in its agreed direction. */
static bool get_curve(const seam_edge *e, edge_curve *c)
{
    const size_t count = seam_num_controls(e);
    *c = (edge_curve){count - 1, e->type->rational, malloc(count * 4 * sizeof(double))};
    for (size_t i = 0; c->points && i < count; i++) {
        const double *point = seam_control(e, e->reversed, i);
        memcpy(c->points + 4 * i, point, 3 * sizeof(double));
        c->points[4 * i + 3] = e->type->rational ? point[3] : 1;
    }
    return c->points;
}

/* Makes a leader and its followers follow another one. */
static void follow_leader(seams *s, size_t number, size_t leader, bool reversed)
{
    const size_t end = number + s->edges[number].num_followers + 1;
    s->edges[leader].num_followers += end - number;
    s->edges[number].num_followers = 0;
    for (size_t i = number; i < end; i++) {
        s->edges[i].leader = leader;
        if (reversed) s->edges[i].reversed = !s->edges[i].reversed;
    }
}

/* Compares a leader with those of a slot, and lets it follow the first that is equal; *followed
   says whether there is one. False when memory runs out. */
static bool compare_slot(seams *s, const lattice *l, size_t slot, size_t number, bool *followed)
{
    edge_curve own, other;
    int compared = 0;
    bool done = get_curve(&s->edges[number], &own);
    for (size_t i = l->slots[slot]; done && !*followed && i != none && compared < MAX_COMPARED;
         i = l->next[i], compared++) {
        const double distance = fmin(s->edges[i].distance, s->edges[number].distance);
        done = get_curve(&s->edges[i], &other);
        for (int reversed = 0; done && !*followed && reversed < 2; reversed++) {
            *followed = edge_curves_within(&other, &own, reversed, distance);
            if (*followed) follow_leader(s, number, i, reversed);
        }
        free(other.points);
    }
    free(own.points);
    return done;
}

/* Compares a leader with those before it, and adds it to them where none is equal. */
static bool place_leader(seams *s, lattice *l, size_t number)
{
    double middle[3];
    size_t slots[8], num_slots = 0;
    bool followed = false;
    get_middle(&s->edges[number], middle);
    for (int corner = 0; corner < 8; corner++) { /* the cells that the distance may reach */
        const int moved[3] = {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1};
        const size_t slot = find_slot(l, middle, s->edges[number].distance, moved);
        bool known = false;
        for (size_t i = 0; i < num_slots; i++)
            known = known || slots[i] == slot;
        if (!known) slots[num_slots++] = slot;
    }
    for (size_t i = 0; i < num_slots && !followed; i++)
        if (!compare_slot(s, l, slots[i], number, &followed)) return false;
    if (followed) return true;
    const size_t slot = find_slot(l, middle, 0, (const int[3]){0, 0, 0});
    l->next[number] = l->slots[slot];
    l->slots[slot] = number;
    return true;
}

/* Lets leaders follow those of earlier patches that are equal as curves. */
static bool join_curves(seams *s, const box *all)
{
    const double distance = share_of(all, SEAM_OF_ALL);
    lattice l = {.cell = 4 * distance, .num_slots = 1};
    if (!(distance > 0) || !isfinite(l.cell)) return true;
    memcpy(l.low, all->low, sizeof(l.low));
    while (l.num_slots < 2 * s->num_edges)
        l.num_slots *= 2;
    l.slots = malloc(l.num_slots * sizeof(*l.slots));
    l.next = malloc((s->num_edges + 1) * sizeof(*l.next));
    bool done = l.slots && l.next;
    for (size_t i = 0; done && i < l.num_slots; i++)
        l.slots[i] = none;
    for (size_t i = 0; done && i < s->num_edges; i++) {
        const size_t number = s->by_patch[i];
        const seam_edge *e = &s->edges[number];
        if (e->leader == number && !e->is_point && e->distance > 0)
            done = place_leader(s, &l, number);
    }
    free(l.next);
    free(l.slots);
    return done;
}

/* ---- classes: a forest, each tree a class, with roots as their names ---- */

static size_t find_root(size_t *parents, size_t node)
{
    while (parents[node] != node) {
        parents[node] = parents[parents[node]]; /* halves the path for the next search */
        node = parents[node];
    }
    return node;
}

/* Unites two classes under the root that comes first. */
static void unite(size_t *parents, size_t a, size_t b)
{
    a = find_root(parents, a);
    b = find_root(parents, b);
    parents[a < b ? b : a] = a < b ? a : b;
}

/* Finds the corners that are to be at one place: the ends of equal edges, and of a collapsed one.
 */
static void join_corners(seams *s)
{
    const size_t count = SURFACE_SIDES * s->num_patches;
    for (size_t i = 0; i < count; i++)
        s->corners[i] = i;
    for (size_t i = 0; i < s->num_edges; i++) {
        const seam_edge *e = &s->edges[i], *leader = &s->edges[e->leader];
        unite(s->corners, seam_corner_number(e, false), seam_corner_number(leader, false));
        unite(s->corners, seam_corner_number(e, true), seam_corner_number(leader, true));
        if (e->is_point)
            unite(s->corners, seam_corner_number(e, false), seam_corner_number(e, true));
    }
    for (size_t i = 0; i < count; i++)
        s->corners[i] = find_root(s->corners, i);
}

static bool allocate(seams *s)
{
    s->edges = calloc(s->num_patches + 1, SURFACE_SIDES * sizeof(*s->edges));
    s->corners = malloc((s->num_patches + 1) * SURFACE_SIDES * sizeof(*s->corners));
    s->firsts = calloc(s->num_patches + 1, sizeof(*s->firsts));
    s->by_patch = malloc((s->num_patches + 1) * SURFACE_SIDES * sizeof(*s->by_patch));
    return s->edges && s->corners && s->firsts && s->by_patch;
}

bool seams_find(seams *s, const bezierview *content)
{
    size_t first = 0;
    box all = no_box;
    *s = (seams){.num_patches = bezierview_num_patches(content)};
    bool done = allocate(s);
    for (size_t i = 0; done && i < content->num_batches; i++)
        grow(&all, &content->batches[i].type, content->batches[i].points,
             content->batches[i].num_reals);
    for (size_t i = 0; done && i < content->num_batches; i++) {
        const bezierview_batch *batch = &content->batches[i];
        for (size_t patch = 0; patch < batch->num_patches; patch++)
            add_sides(s, batch, patch, first, share_of(&all, SEAM_OF_ALL));
        first += batch->num_patches;
    }
    if (done) {
        qsort(s->edges, s->num_edges, sizeof(*s->edges), compare_edges);
        name_leaders(s);
        list_by_patch(s);
        done = join_curves(s, &all);
    }
    if (done)
        join_corners(s);
    else
        seams_clear(s);
    return done;
}

/* ---- samples ---- */

bool seams_join(const seams *s, size_t num_patches, uint32_t *num)
{
    size_t *parents = malloc((2 * num_patches + 1) * sizeof(size_t));
    if (!parents) return false;
    for (size_t i = 0; i < 2 * num_patches; i++)
        parents[i] = i;
    for (size_t i = 0; i < s->num_edges; i++) {
        const seam_edge *e = &s->edges[i];
        if (e->type->form == BEZIERVIEW_TRIANGLE) unite(parents, 2 * e->patch, 2 * e->patch + 1);
        if (e->leader != i && !e->is_point)
            unite(parents, seam_direction(e), seam_direction(&s->edges[e->leader]));
    }
    for (size_t i = 0; i < 2 * num_patches; i++) {
        uint32_t *root = &num[find_root(parents, i)];
        if (num[i] > *root) *root = num[i];
    }
    for (size_t i = 0; i < 2 * num_patches; i++)
        num[i] = num[find_root(parents, i)];
    free(parents);
    return true;
}

void seams_clear(seams *s)
{
    for (size_t i = 0; i < s->num_edges; i++)
        free(s->edges[i].kept);
    free(s->edges);
    free(s->corners);
    free(s->firsts);
    free(s->by_patch);
    *s = (seams){0};
}
