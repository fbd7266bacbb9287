#include "mesh_shape.h"

mesh_shape mesh_shape_of(const mesh *m)
{
    mesh_shape s = mesh_shape_of_grids(m->grids, m->num_grids, NULL);
    s.rest_first_face = s.num_faces;
    s.precision = m->precision;
    s.has_normals = m->normals != NULL;
    s.has_texture = m->has_texture;
    s.has_colors = m->colors != NULL;
    s.names = m->names;
    s.num_names = m->num_names;
    s.num_vertices = m->num_vertices;
    s.num_faces = m->num_faces;
    s.num_corners = m->num_corners;
    s.rest = m;
    s.rest_base = 0;
    return s;
}

mesh_shape mesh_shape_of_grids(const mesh_grid *grids, size_t num_grids, const mesh *rest)
{
    mesh_shape s = {.grids = grids, .num_grids = num_grids, .rest = rest};
    for (size_t i = 0; i < num_grids; i++) {
        size_t faces = mesh_grid_faces(&grids[i]);
        s.num_vertices += mesh_grid_points(&grids[i]);
        s.num_faces += faces;
        s.num_corners += (grids[i].triangle ? 3 : 4) * faces;
        if (!mesh_grid_is_curve(&grids[i])) continue;
        s.num_curves++;
        s.num_lines += grids[i].num_u - 1;
    }
    s.rest_base = (uint32_t)s.num_vertices;
    if (!rest) return s;
    s.num_vertices += rest->num_vertices;
    s.num_faces += rest->num_faces;
    s.num_corners += rest->num_corners;
    return s;
}

void mesh_shape_cut(const mesh_shape *s, size_t first, size_t count, mesh_shape *part,
                    mesh_shape *before)
{
    const bool is_last = first + count == s->num_grids;
    *before = mesh_shape_of_grids(s->grids, first, NULL);
    *part = mesh_shape_of_grids(s->grids + first, count, is_last ? s->rest : NULL);
    part->precision = s->precision;
    part->has_normals = s->has_normals;
    part->has_texture = s->has_texture;
    part->base = (uint32_t)before->num_vertices;
    part->rest_base += part->base;
}

/* Quads between two rows of a grid, or triangles between two columns of a triangle's. */
typedef struct strip {
    uint32_t at, next; /* the first vertices of both */
    size_t num;        /* points of the first one */
    bool triangle;
} strip;

static size_t strip_faces(const strip *s)
{
    return s->triangle ? 2 * s->num - 3 : s->num - 1;
}

/* Writes the corners of faces `first` to `end` of a strip. */
static void make_faces(const strip *s, size_t first, size_t end, uint32_t *corners)
{
    for (size_t face = first; face < end && !s->triangle; face++, corners += 4) {
        uint32_t at = s->at + (uint32_t)face, next = s->next + (uint32_t)face;
        corners[0] = at;
        corners[1] = next;
        corners[2] = next + 1;
        corners[3] = at + 1;
    }
    for (size_t face = first; face < end && s->triangle; face++, corners += 3) {
        uint32_t at = s->at + (uint32_t)(face / 2), next = s->next + (uint32_t)(face / 2);
        bool odd = face % 2 != 0;
        corners[0] = odd ? next : at;
        corners[1] = odd ? next + 1 : next;
        corners[2] = at + 1;
    }
}

static bool take_strip(const strip *s, face_taker take, void *user)
{
    uint32_t corners[4 * FACE_RUN_MAX];
    size_t total = strip_faces(s);
    for (size_t first = 0, end; first < total; first = end) {
        end = total - first < FACE_RUN_MAX ? total : first + FACE_RUN_MAX;
        make_faces(s, first, end, corners);
        const face_run run = {
            .count = end - first, .corners_each = s->triangle ? 3 : 4, .corners = corners};
        if (!take(user, &run)) return false;
    }
    return true;
}

static bool take_grid(const mesh_grid *g, uint32_t base, face_taker take, void *user)
{
    strip s = {.at = base, .triangle = g->triangle};
    for (uint32_t a = 0; a + 1 < g->num_u; a++) {
        s.num = g->triangle ? g->num_u - a : g->num_v;
        s.next = s.at + (uint32_t)s.num;
        if (s.num > 1 && !take_strip(&s, take, user)) return false;
        s.at = s.next;
    }
    return true;
}

/* Takes faces of the rest that are alike and stand side by side. */
static bool take_rest(const mesh_shape *s, face_taker take, void *user)
{
    for (size_t face = s->rest_first_face, count; face < s->rest->num_faces; face += count) {
        size_t corners, next;
        face_run run = {.corners = mesh_face(s->rest, face, &corners), .base = s->rest_base};
        for (count = 1; count < FACE_RUN_MAX && face + count < s->rest->num_faces; count++) {
            mesh_face(s->rest, face + count, &next);
            if (next != corners) break;
        }
        run.count = count;
        run.corners_each = corners;
        if (!take(user, &run)) return false;
    }
    return true;
}

bool mesh_shape_faces(const mesh_shape *s, face_taker take, void *user)
{
    uint32_t base = s->base;
    for (size_t i = 0; i < s->num_grids; i++) {
        if (!take_grid(&s->grids[i], base, take, user)) return false;
        base += (uint32_t)mesh_grid_points(&s->grids[i]);
    }
    return !s->rest || take_rest(s, take, user);
}

bool mesh_shape_curves(const mesh_shape *s, curve_taker take, void *user)
{
    uint32_t base = s->base;
    for (size_t i = 0; i < s->num_grids; i++) {
        const mesh_grid *g = &s->grids[i];
        if (mesh_grid_is_curve(g) && !take(user, base, g->num_u)) return false;
        base += (uint32_t)mesh_grid_points(g);
    }
    return true;
}

size_t mesh_shape_longest_face(const mesh_shape *s)
{
    size_t longest = s->num_grids > 0 ? 4 : 0, count;
    for (size_t face = s->rest_first_face; s->rest && face < s->rest->num_faces; face++) {
        mesh_face(s->rest, face, &count);
        if (count > longest) longest = count;
    }
    return longest;
}

void texture_next(texture_cursor *c, const mesh_shape *s, float texture[2])
{
    texture[0] = texture[1] = 0;
    if (c->grid == s->num_grids) return;
    const mesh_grid *g = &s->grids[c->grid];
    uint32_t row = g->triangle ? g->num_u - c->a : g->num_v;
    if (g->num_u > 1) texture[0] = (float)((double)c->a / (g->num_u - 1));
    if (g->num_v > 1) texture[1] = (float)((double)c->b / (g->num_v - 1));
    if (++c->b < row) return;
    c->b = 0;
    if (++c->a < g->num_u) return;
    c->a = 0;
    c->grid++;
}
