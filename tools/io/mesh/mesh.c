#include "mesh.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

bool mesh_reserve(mesh *m, size_t vertices, size_t faces, size_t corners)
{
    if (vertices > MESH_MAX_VERTICES - m->num_vertices) return false;
    if (faces > SIZE_MAX - m->num_faces || corners > SIZE_MAX - m->num_corners) return false;

    void *moved = array_reserve(m->positions, &m->vertex_capacity, m->num_vertices + vertices,
                                3 * sizeof(double));
    if (!moved) return false;
    m->positions = moved;
    if (m->has_normals) {
        moved = array_reserve(m->normals, &m->normal_capacity, m->num_vertices + vertices,
                              3 * sizeof(double));
        if (!moved) return false;
        m->normals = moved;
    }
    moved = array_reserve(m->face_ends, &m->face_capacity, m->num_faces + faces, sizeof(size_t));
    if (!moved) return false;
    m->face_ends = moved;
    moved =
        array_reserve(m->corners, &m->corner_capacity, m->num_corners + corners, sizeof(uint32_t));
    if (!moved) return false;
    m->corners = moved;
    return true;
}

double *mesh_add_vertices(mesh *m, size_t count)
{
    if (!mesh_reserve(m, count, 0, 0)) return NULL;
    double *added = m->positions + 3 * m->num_vertices;
    if (m->has_normals) memset(m->normals + 3 * m->num_vertices, 0, 3 * count * sizeof(double));
    m->num_vertices += count;
    return added;
}

bool mesh_add_corner(mesh *m, uint32_t vertex)
{
    if (!mesh_reserve(m, 0, 0, 1)) return false;
    m->corners[m->num_corners++] = vertex;
    return true;
}

bool mesh_end_face(mesh *m)
{
    if (!mesh_reserve(m, 0, 1, 0)) return false;
    m->face_ends[m->num_faces++] = m->num_corners;
    return true;
}

/* Adds a face of `count` corners. Room has been made. */
static void add_face(mesh *m, size_t count, const size_t corners[])
{
    for (size_t i = 0; i < count; i++)
        m->corners[m->num_corners++] = (uint32_t)corners[i];
    m->face_ends[m->num_faces++] = m->num_corners;
}

size_t mesh_grid_points(const mesh_grid *g)
{
    return g->triangle ? (size_t)g->num_u * ((size_t)g->num_u + 1) / 2
                       : (size_t)g->num_u * g->num_v;
}

size_t mesh_grid_faces(const mesh_grid *g)
{
    return (size_t)(g->num_u - 1) * (g->num_v - 1);
}

/* Notes a grid whose vertices come next, where nothing but grids came before. */
static bool note_grid(mesh *m, size_t num_u, size_t num_v, bool triangle)
{
    const mesh_grid grid = {(uint32_t)num_u, (uint32_t)num_v, triangle};
    if (m->num_grid_points != m->num_vertices || m->num_grid_faces != m->num_faces) return true;
    mesh_grid *moved =
        array_reserve(m->grids, &m->grid_capacity, m->num_grids + 1, sizeof(*m->grids));
    if (!moved) return false;
    m->grids = moved;
    m->grids[m->num_grids++] = grid;
    m->num_grid_points += mesh_grid_points(&grid);
    m->num_grid_faces += mesh_grid_faces(&grid);
    return true;
}

double *mesh_add_grid(mesh *m, size_t num_u, size_t num_v)
{
    if (num_u > MESH_MAX_VERTICES || num_v > MESH_MAX_VERTICES / num_u) return NULL;
    size_t quads = (num_u - 1) * (num_v - 1);
    if (!mesh_reserve(m, num_u * num_v, quads, 4 * quads)) return NULL;
    if (!note_grid(m, num_u, num_v, false)) return NULL;
    for (size_t a = 0; a + 1 < num_u; a++) {
        for (size_t b = 0; b + 1 < num_v; b++) {
            size_t at = m->num_vertices + a * num_v + b, next = at + num_v;
            add_face(m, 4, (const size_t[4]){at, next, next + 1, at + 1});
        }
    }
    return mesh_add_vertices(m, num_u * num_v);
}

double *mesh_add_triangle_grid(mesh *m, size_t num)
{
    if (num > MESH_MAX_VERTICES || num * (num + 1) / 2 > MESH_MAX_VERTICES) return NULL;
    size_t points = num * (num + 1) / 2, faces = (num - 1) * (num - 1);
    if (!mesh_reserve(m, points, faces, 3 * faces)) return NULL;
    if (!note_grid(m, num, num, true)) return NULL;
    size_t at = m->num_vertices;
    for (size_t a = 0; a + 1 < num; a++, at++) { /* a column has num - a points */
        for (size_t b = 0; a + b + 1 < num; b++, at++) {
            size_t next = at + num - a;
            add_face(m, 3, (const size_t[3]){at, next, at + 1});
            if (a + b + 2 < num) add_face(m, 3, (const size_t[3]){next, next + 1, at + 1});
        }
    }
    return mesh_add_vertices(m, points);
}

bool mesh_append(mesh *m, const mesh *other)
{
    if (!mesh_reserve(m, other->num_vertices, other->num_faces, other->num_corners)) return false;
    if (other->num_vertices == 0) return true;
    uint32_t base = (uint32_t)m->num_vertices;
    for (size_t f = 0; f < other->num_faces; f++)
        m->face_ends[m->num_faces++] = m->num_corners + other->face_ends[f];
    for (size_t c = 0; c < other->num_corners; c++)
        m->corners[m->num_corners++] = base + other->corners[c];
    double *added = mesh_add_vertices(m, other->num_vertices);
    memcpy(added, other->positions, 3 * other->num_vertices * sizeof(double));
    if (m->has_normals && other->normals)
        memcpy(m->normals + 3 * (size_t)base, other->normals,
               3 * other->num_vertices * sizeof(double));
    return true;
}

const uint32_t *mesh_face(const mesh *m, size_t face, size_t *count)
{
    size_t first = face == 0 ? 0 : m->face_ends[face - 1];
    *count = m->face_ends[face] - first;
    return m->corners + first;
}

void mesh_bounds(const mesh *m, double low[3], double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = m->num_vertices > 0 ? m->positions[axis] : 0;
        for (size_t i = 1; i < m->num_vertices; i++) {
            double x = m->positions[3 * i + (size_t)axis];
            if (x < low[axis]) low[axis] = x;
            if (x > high[axis]) high[axis] = x;
        }
    }
}

bool mesh_fits_float(const mesh *m)
{
    for (size_t i = 0; i < 3 * m->num_vertices; i++)
        if (!(fabs(m->positions[i]) <= FLT_MAX)) return false;
    return true;
}

void mesh_clear(mesh *m)
{
    free(m->positions);
    free(m->normals);
    free(m->face_ends);
    free(m->corners);
    free(m->grids);
    *m = (mesh){.precision = m->precision, .has_normals = m->has_normals};
}
