#include "seams.h"

#include <stdlib.h>

/* The number of the i-th vertex along an edge, in the direction in which equal edges agree. */
static size_t vertex_place(const seam_edge *e, const uint32_t *num, size_t i)
{
    size_t num_u = num[2 * e->patch], num_v = num[2 * e->patch + 1];
    size_t count = seam_side_length(e->type, e->side, num_u, num_v);
    return seam_side_place(e->type, e->side, num_u, num_v, e->reversed ? count - 1 - i : i);
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

/* The patch of a corner as one of its edges has it, and the number of the corner among the points
   of a net or grid of num_u x num_v. */
static const seam_edge *edge_of_corner(const seams *s, size_t corner)
{
    return &s->edges[s->by_patch[s->firsts[corner / SURFACE_SIDES]]];
}

static size_t corner_place(const bezierview_type *type, size_t corner, size_t num_u, size_t num_v)
{
    const size_t u = corner % SURFACE_SIDES / 2, v = corner % 2;
    /* the sides u = 0 and u = 1 of a surface, u = 0 and v = 0 of a triangle, end there or begin */
    const bool at_end = type->form == BEZIERVIEW_TRIANGLE ? u > 0 || v > 0 : v > 0;
    const size_t last = type->form == BEZIERVIEW_TRIANGLE ? num_u - 1 : num_v - 1;
    return seam_side_place(type, u > 0, num_u, num_v, at_end ? last : 0);
}

/* The control point at a corner, and the type of its patch. */
static const double *corner_point(const seams *s, size_t corner, const bezierview_type **type)
{
    const seam_edge *e = edge_of_corner(s, corner);
    const size_t num_u = (size_t)e->type->degree_u + 1, num_v = (size_t)e->type->degree_v + 1;
    *type = e->type;
    return e->points +
           corner_place(e->type, corner, num_u, num_v) * bezierview_coordinates(e->type);
}

/* Puts a vertex where the control point of a corner is, or that of the first one there. */
static void pin(const seams *s, const seam_vertices *to, size_t vertex, size_t corner)
{
    const bezierview_type *type;
    const double *point = corner_point(s, s->corners[corner], &type);
    double position[3];
    for (int axis = 0; axis < 3; axis++) {
        double x = point[axis];
        if (to->precision == MESH_F32 && type->rational)
            x = (double)((float)x / (float)point[3]);
        else if (type->rational)
            x /= point[3];
        position[axis] = x;
    }
    set_position(to, vertex, position);
}

/* Keeps the vertices along a leader for those that follow. */
static bool keep(seam_edge *leader, const uint32_t *num, const seam_vertices *from, size_t first)
{
    size_t count = num[seam_direction(leader)];
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
    size_t count = num[seam_direction(e)];
    if (leader->kept && num[seam_direction(leader)] == count)
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
    size_t last = num[seam_direction(e)] - 1;
    if (e->is_point) {
        for (size_t i = 0; i <= last; i++)
            pin(s, vertices, first + vertex_place(e, num, i), seam_corner_number(e, false));
        return true;
    }
    pin(s, vertices, first + vertex_place(e, num, 0), seam_corner_number(e, false));
    pin(s, vertices, first + vertex_place(e, num, last), seam_corner_number(e, true));
    if (e->leader == number)
        return e->num_followers == 0 || keep(&s->edges[number], num, vertices, first);
    follow(&s->edges[e->leader], e, num, vertices, first);
    return true;
}

/* Welds the edges of a patch, leaders before those that may follow them. */
static bool weld_patch(seams *s, size_t patch, const uint32_t *num, const seam_vertices *vertices,
                       size_t first)
{
    for (int followers = 0; followers < 2; followers++) {
        for (size_t k = s->firsts[patch]; k < s->firsts[patch + 1]; k++) {
            const size_t number = s->by_patch[k];
            if ((s->edges[number].leader != number) != followers) continue;
            if (!weld_edge(s, number, num, vertices, first)) return false;
        }
    }
    return true;
}

bool seams_weld(seams *s, const uint32_t *num, const seam_vertices *vertices)
{
    for (size_t i = 0; i < vertices->num_patches; i++)
        if (!weld_patch(s, vertices->first_patch + i, num, vertices,
                        vertices->firsts[i] - vertices->firsts[0]))
            return false;
    return true;
}

/* ---- by numbers ---- */

/* The vertex at the first of the corners that are one with a corner. */
static uint32_t corner_vertex(const seams *s, const uint32_t *num, const size_t *firsts,
                              size_t corner)
{
    const size_t first = s->corners[corner], patch = first / SURFACE_SIDES;
    const bezierview_type *type = edge_of_corner(s, first)->type;
    return (uint32_t)(firsts[patch] +
                      corner_place(type, first, num[2 * patch], num[2 * patch + 1]));
}

void seams_places(const seams *s, const uint32_t *num, const size_t *firsts, uint32_t *place)
{
    for (size_t number = 0; number < s->num_edges; number++) {
        const seam_edge *e = &s->edges[number], *leader = &s->edges[e->leader];
        const size_t last = num[seam_direction(e)] - 1;
        const bool follows = e->leader != number && num[seam_direction(leader)] == last + 1;
        const uint32_t ends[2] = {corner_vertex(s, num, firsts, seam_corner_number(e, false)),
                                  corner_vertex(s, num, firsts, seam_corner_number(e, true))};
        for (size_t i = 0; i <= last; i++) {
            uint32_t *const to = &place[firsts[e->patch] + vertex_place(e, num, i)];
            if (e->is_point || i == 0)
                *to = ends[0];
            else if (i == last)
                *to = ends[1];
            else if (follows)
                *to = (uint32_t)(firsts[leader->patch] + vertex_place(leader, num, i));
        }
    }
}
