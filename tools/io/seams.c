#include "seams.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SURFACE_SIDES = 4, TRIANGLE_SIDES = 3 };

static int num_sides(const bezierview_type *type)
{
    return type->form == BEZIERVIEW_TRIANGLE ? TRIANGLE_SIDES : SURFACE_SIDES;
}

/* Whether a side runs along u; all sides of a triangle count as such. */
static bool along_u(const bezierview_type *type, int side)
{
    return type->form == BEZIERVIEW_TRIANGLE || side >= 2;
}

/* Of a net or grid of num_u x num_v points, or a triangle's with num_u along an edge: how many lie
   along a side, and where the i-th does. */
static size_t side_length(const bezierview_type *type, int side, size_t num_u, size_t num_v)
{
    return along_u(type, side) ? num_u : num_v;
}

static size_t side_place(const bezierview_type *type, int side, size_t num_u, size_t num_v,
                         size_t i)
{
    if (type->form == BEZIERVIEW_TRIANGLE) {
        size_t column = i * num_u - i * (i - 1) / 2; /* (i, 0) */
        return side == 0 ? i : side == 1 ? column : column + (num_u - 1 - i);
    }
    switch (side) {
    case 0:
        return i;
    case 1:
        return (num_u - 1) * num_v + i;
    case 2:
        return i * num_v;
    default:
        return i * num_v + (num_v - 1);
    }
}

static size_t num_controls(const seam_edge *e)
{
    return side_length(e->type, e->side, (size_t)e->type->degree_u + 1,
                       (size_t)e->type->degree_v + 1);
}

/* The i-th control point along an edge, in its own direction or the other. */
static const double *control(const seam_edge *e, bool reversed, size_t i)
{
    size_t count = num_controls(e);
    size_t place = side_place(e->type, e->side, (size_t)e->type->degree_u + 1,
                              (size_t)e->type->degree_v + 1, reversed ? count - 1 - i : i);
    return e->points + place * bezierview_coordinates(e->type);
}

static int compare_points(const double *a, const double *b, size_t coordinates)
{
    for (size_t k = 0; k < coordinates; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

static int compare_runs(const seam_edge *a, bool a_reversed, const seam_edge *b, bool b_reversed)
{
    size_t count = num_controls(a), coordinates = bezierview_coordinates(a->type);
    for (size_t i = 0; i < count; i++) {
        int order =
            compare_points(control(a, a_reversed, i), control(b, b_reversed, i), coordinates);
        if (order != 0) return order;
    }
    return 0;
}

/* Orders edges by what they are; 0 for equal ones. */
static int compare_shapes(const seam_edge *a, const seam_edge *b)
{
    size_t a_count = num_controls(a), b_count = num_controls(b);
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

/* Whether two control points are one but for the rounding of their weights. */
static bool same_place(const seam_edge *e, const double *a, const double *b)
{
    double slack = e->type->rational ? 4 * DBL_EPSILON : 0;
    for (size_t k = 0; k < 3; k++) {
        double x = e->type->rational ? a[k] / a[3] : a[k];
        double y = e->type->rational ? b[k] / b[3] : b[k];
        if (!(fabs(x - y) <= slack * fabs(x))) return false;
    }
    return true;
}

/* Whether all control points of an edge are at one place: it is a single point. */
static bool collapsed(const seam_edge *e)
{
    size_t count = num_controls(e);
    for (size_t i = 1; i < count; i++)
        if (!same_place(e, control(e, false, 0), control(e, false, i))) return false;
    return true;
}

static void add_sides(seams *s, const bezierview_batch *batch, size_t patch, size_t first_patch)
{
    size_t reals =
        (size_t)bezierview_patch_points(&batch->type) * bezierview_coordinates(&batch->type);
    for (int side = 0; side < num_sides(&batch->type); side++) {
        seam_edge *e = &s->edges[s->num_edges++];
        *e = (seam_edge){.type = &batch->type,
                         .points = batch->points + patch * reals,
                         .patch = first_patch + patch,
                         .side = side};
        e->reversed = compare_runs(e, true, e, false) < 0;
    }
}

/* Whether edge i continues the run of equal edges before it. */
static bool same_as_last(const seams *s, size_t i)
{
    return i > 0 && compare_shapes(&s->edges[i - 1], &s->edges[i]) == 0;
}

static void name_leaders(seams *s)
{
    size_t leader = 0;
    for (size_t i = 0; i < s->num_edges; i++) {
        if (same_as_last(s, i))
            s->edges[leader].num_followers++;
        else
            leader = i;
        s->edges[i].leader = leader;
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

bool seams_find(seams *s, const bezierview *content)
{
    size_t patches = bezierview_num_patches(content), first = 0;
    *s = (seams){.num_patches = patches};
    s->edges = calloc(patches + 1, SURFACE_SIDES * sizeof(*s->edges));
    s->firsts = calloc(patches + 1, sizeof(*s->firsts));
    s->by_patch = malloc((patches + 1) * SURFACE_SIDES * sizeof(*s->by_patch));
    if (!s->edges || !s->firsts || !s->by_patch) {
        seams_clear(s);
        return false;
    }
    for (size_t i = 0; i < content->num_batches; i++) {
        const bezierview_batch *batch = &content->batches[i];
        for (size_t patch = 0; patch < batch->num_patches; patch++)
            add_sides(s, batch, patch, first);
        first += batch->num_patches;
    }
    qsort(s->edges, s->num_edges, sizeof(*s->edges), compare_edges);
    name_leaders(s);
    list_by_patch(s);
    return true;
}

/* ---- classes of directions: a forest, each tree a class, with roots as their names ---- */

static size_t find_root(size_t *parents, size_t node)
{
    while (parents[node] != node) {
        parents[node] = parents[parents[node]]; /* halves the path for the next search */
        node = parents[node];
    }
    return node;
}

/* The direction of its patch that an edge is sampled by. */
static size_t direction(const seam_edge *e)
{
    return 2 * e->patch + (along_u(e->type, e->side) ? 0 : 1);
}

bool seams_join(const seams *s, size_t num_patches, uint32_t *num)
{
    size_t *parents = malloc((2 * num_patches + 1) * sizeof(size_t));
    if (!parents) return false;
    for (size_t i = 0; i < 2 * num_patches; i++)
        parents[i] = i;
    for (size_t i = 0; i < s->num_edges; i++) {
        const seam_edge *e = &s->edges[i];
        if (e->type->form == BEZIERVIEW_TRIANGLE)
            parents[find_root(parents, 2 * e->patch + 1)] = find_root(parents, 2 * e->patch);
        if (e->leader != i && !collapsed(e))
            parents[find_root(parents, direction(e))] =
                find_root(parents, direction(&s->edges[i - 1]));
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

/* ---- welding ---- */

/* The number of the i-th vertex along an edge, in the direction in which equal edges agree. */
static size_t vertex_place(const seam_edge *e, const uint32_t *num, size_t i)
{
    size_t num_u = num[2 * e->patch], num_v = num[2 * e->patch + 1];
    size_t count = side_length(e->type, e->side, num_u, num_v);
    return side_place(e->type, e->side, num_u, num_v, e->reversed ? count - 1 - i : i);
}

static void get_position(const seam_vertices *from, size_t vertex, double position[3])
{
    const float *f32 = from->reals;
    const double *f64 = from->reals;
    for (size_t axis = 0; axis < 3; axis++)
        position[axis] = from->precision == MESH_F32 ? (double)f32[vertex * from->stride + axis]
                                                     : f64[vertex * from->stride + axis];
}

static void set_position(const seam_vertices *to, size_t vertex, const double position[3])
{
    float *f32 = to->reals;
    double *f64 = to->reals;
    for (size_t axis = 0; axis < 3; axis++) {
        if (to->precision == MESH_F32)
            f32[vertex * to->stride + axis] = (float)position[axis];
        else
            f64[vertex * to->stride + axis] = position[axis];
    }
}

/* Puts a vertex where a control point is. */
static void pin(const seam_vertices *to, size_t vertex, const double *point, const seam_edge *e)
{
    double position[3];
    for (int axis = 0; axis < 3; axis++) {
        double x = point[axis];
        if (to->precision == MESH_F32 && e->type->rational)
            x = (double)((float)x / (float)point[3]);
        else if (e->type->rational)
            x /= point[3];
        position[axis] = x;
    }
    set_position(to, vertex, position);
}

/* Keeps the vertices along a leader for those that follow. */
static bool keep(seam_edge *leader, const uint32_t *num, const seam_vertices *from, size_t first)
{
    size_t count = num[direction(leader)];
    free(leader->kept);
    leader->num_left = leader->num_followers;
    leader->kept = malloc(count * 3 * sizeof(double));
    if (!leader->kept) return false;
    for (size_t i = 0; i < count; i++)
        get_position(from, first + vertex_place(leader, num, i), leader->kept + 3 * i);
    return true;
}

/* Takes the vertices between the corners from the leader, and lets go of them after the last
 * follower.
 */
static void follow(seam_edge *leader, const seam_edge *e, const uint32_t *num,
                   const seam_vertices *to, size_t first)
{
    size_t count = num[direction(e)];
    if (leader->kept && num[direction(leader)] == count)
        for (size_t i = 1; i + 1 < count; i++)
            set_position(to, first + vertex_place(e, num, i), leader->kept + 3 * i);
    if (leader->num_left > 0) leader->num_left--;
    if (leader->num_left > 0) return;
    free(leader->kept);
    leader->kept = NULL;
}

/* Welds an edge whose patch has its vertices from `first` on. */
static bool weld_edge(seams *s, size_t number, const uint32_t *num, const seam_vertices *vertices,
                      size_t first)
{
    const seam_edge *e = &s->edges[number];
    size_t last = num[direction(e)] - 1;
    if (collapsed(e)) {
        for (size_t i = 0; i <= last; i++)
            pin(vertices, first + vertex_place(e, num, i), control(e, e->reversed, 0), e);
        return true;
    }
    pin(vertices, first + vertex_place(e, num, 0), control(e, e->reversed, 0), e);
    pin(vertices, first + vertex_place(e, num, last), control(e, e->reversed, num_controls(e) - 1),
        e);
    if (e->leader == number)
        return e->num_followers == 0 || keep(&s->edges[number], num, vertices, first);
    follow(&s->edges[e->leader], e, num, vertices, first);
    return true;
}

bool seams_weld(seams *s, const uint32_t *num, const seam_vertices *vertices)
{
    for (size_t i = 0; i < vertices->num_patches; i++) {
        size_t patch = vertices->first_patch + i;
        for (size_t k = s->firsts[patch]; k < s->firsts[patch + 1]; k++)
            if (!weld_edge(s, s->by_patch[k], num, vertices,
                           vertices->firsts[i] - vertices->firsts[0]))
                return false;
    }
    return true;
}

void seams_clear(seams *s)
{
    for (size_t i = 0; i < s->num_edges; i++)
        free(s->edges[i].kept);
    free(s->edges);
    free(s->firsts);
    free(s->by_patch);
    *s = (seams){0};
}
