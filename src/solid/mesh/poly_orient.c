#include "poly_orient.h"

#include <stdlib.h>

enum { UNSEEN = 2 };

/* Cells that are being turned alike. */
typedef struct orientation {
    clspi_poly_mesh *mesh;
    const clspi_cells *cells;
    size_t (*face_side)[2]; /* [faces]: the sides that are a face */
    uint8_t *is_back;       /* [sides]: whether a side, turned as its cell's first one, runs against
                               its face's loop */
    uint8_t *is_turned;     /* [cells], or UNSEEN */
    uint32_t *queue, *cell_of; /* [cells]; [sides] */
    uint32_t odd[2];           /* cells that cannot be turned alike */
    bool is_odd;
} orientation;

static bool has_order(const orientation *o, size_t cell)
{
    return !o->cells->kind || o->cells->kind[cell] != CLSPI_POLYHEDRON;
}

/* Tells whether a side runs against its face's loop. */
static bool runs_back(const clspi_poly_mesh *mesh, size_t side)
{
    const uint32_t *const loop = mesh->loop + mesh->loop_begin[side];
    const size_t begin = mesh->face_begin[mesh->side_face[side]];
    const size_t num = mesh->face_begin[mesh->side_face[side] + 1] - begin;
    size_t at = 0;

    while (at < num - 1 && mesh->face_vertex[begin + at] != loop[0])
        at++;
    return mesh->face_vertex[begin + (at + 1) % num] != loop[1];
}

/* Returns 0 or 1, in which direction a side goes along an edge, or 2: not at all. */
static uint32_t direction_along(const clspi_poly_mesh *mesh, size_t side, uint32_t edge)
{
    for (size_t i = mesh->loop_begin[side]; i < mesh->loop_begin[side + 1]; i++)
        if (mesh->loop_edge[i] == edge) return mesh->loop[i] != mesh->edge_vertex[2 * (size_t)edge];
    return 2;
}

/* Finds which sides of a polyhedron are to be reversed to run as its first one: two at an edge go
   opposite ways. flip: [sides of the cell], 0 for the first, else UNSEEN. */
static void flip_sides(const clspi_poly_mesh *mesh, size_t cell, uint8_t *flip)
{
    const size_t first = mesh->side_begin[cell], num = mesh->side_begin[cell + 1] - first;
    size_t queue[CLSPI_MAX_CELL_FACES], seen = 1;

    queue[0] = 0;
    for (size_t q = 0; q < seen; q++) {
        const size_t side = first + queue[q];
        for (size_t i = mesh->loop_begin[side]; i < mesh->loop_begin[side + 1]; i++)
            for (size_t s = 0; s < num; s++) {
                const uint32_t edge = mesh->loop_edge[i];
                if (flip[s] != UNSEEN) continue;
                const uint32_t along = direction_along(mesh, first + s, edge);
                if (along == 2) continue;
                flip[s] = flip[queue[q]] ^ (direction_along(mesh, side, edge) == along);
                queue[seen++] = s;
            }
    }
}

/* Finds sides of faces, and how they run. */
static void find_sides(orientation *o)
{
    const clspi_poly_mesh *const mesh = o->mesh;

    for (size_t f = 0; f < mesh->num_faces; f++)
        o->face_side[f][0] = o->face_side[f][1] = SIZE_MAX;
    for (size_t c = 0; c < mesh->num_cells; c++) {
        uint8_t flip[CLSPI_MAX_CELL_FACES] = {0};
        const size_t first = mesh->side_begin[c];
        if (!has_order(o, c)) {
            for (size_t s = 1; s < CLSPI_MAX_CELL_FACES; s++)
                flip[s] = UNSEEN;
            flip_sides(mesh, c, flip);
        }
        for (size_t s = first; s < mesh->side_begin[c + 1]; s++) {
            size_t *const sides = o->face_side[mesh->side_face[s]];
            sides[sides[0] != SIZE_MAX] = s;
            o->cell_of[s] = (uint32_t)c;
            o->is_back[s] = runs_back(mesh, s) ^ flip[s - first];
        }
    }
}

/* Turns the cells that hang together with one as it is. Returns how many there are, in the queue.
 */
static size_t turn_piece(orientation *o, uint32_t cell)
{
    const clspi_poly_mesh *const mesh = o->mesh;
    size_t num = 1;

    o->queue[0] = cell;
    o->is_turned[cell] = 0;
    for (size_t q = 0; q < num; q++) {
        const uint32_t c = o->queue[q];
        for (size_t s = mesh->side_begin[c]; s < mesh->side_begin[c + 1]; s++) {
            const size_t *const sides = o->face_side[mesh->side_face[s]];
            const size_t other = sides[sides[0] == s];
            if (other == SIZE_MAX) continue;
            const uint32_t next = o->cell_of[other];
            const uint8_t turned = o->is_turned[c] ^ o->is_back[s] ^ o->is_back[other] ^ 1;
            if (o->is_turned[next] == UNSEEN) {
                o->is_turned[next] = turned;
                o->queue[num++] = next;
            } else if (o->is_turned[next] != turned && !o->is_odd) {
                o->is_odd = true;
                o->odd[0] = c;
                o->odd[1] = next;
            }
        }
    }
    return num;
}

/* Returns six times the volume of the pyramid of a face's loop and a point. */
static double pyramid(const clspi_poly_mesh *mesh, const double *points, size_t face,
                      const double *top)
{
    const uint32_t *const loop = mesh->face_vertex + mesh->face_begin[face];
    const size_t num = mesh->face_begin[face + 1] - mesh->face_begin[face];
    double volume = 0.0;

    for (size_t i = 1; i + 1 < num; i++) {
        double d[3][3];
        for (size_t k = 0; k < 3; k++) {
            d[0][k] = points[3 * (size_t)loop[0] + k] - top[k];
            d[1][k] = points[3 * (size_t)loop[i] + k] - top[k];
            d[2][k] = points[3 * (size_t)loop[i + 1] + k] - top[k];
        }
        volume += d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                  d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                  d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
    }
    return volume;
}

/* Tells whether all cells of a piece, which are turned alike, must be turned once more. */
static bool is_wrong(const orientation *o, size_t num)
{
    const clspi_poly_mesh *const mesh = o->mesh;
    const double *const points = o->cells->points;
    const size_t first = 3 * (size_t)mesh->loop[mesh->loop_begin[mesh->side_begin[o->queue[0]]]];
    double volume = 0.0;
    size_t turned = 0;

    for (size_t q = 0; q < num; q++) {
        const uint32_t c = o->queue[q];
        turned += o->is_turned[c];
        for (size_t s = mesh->side_begin[c]; s < mesh->side_begin[c + 1] && points; s++) {
            const uint32_t face = mesh->side_face[s];
            if (!(mesh->face_flag[face] & CLSPI_BOUNDARY)) continue;
            const double part = pyramid(mesh, points, face, points + first);
            volume += o->is_turned[c] ^ o->is_back[s] ? -part : part;
        }
    }
    return volume < 0.0 || (!(volume > 0.0) && turned > num - turned);
}

/* Reverses a loop and its edges. */
static void reverse(uint32_t *loop, uint32_t *edge, size_t num)
{
    for (size_t i = 0; i < num / 2; i++) {
        const uint32_t swap = edge[i];
        edge[i] = edge[num - 1 - i];
        edge[num - 1 - i] = swap;
    }
    for (size_t i = 1; i < num - i; i++) { /* the first vertex stays */
        const uint32_t swap = loop[i];
        loop[i] = loop[num - i];
        loop[num - i] = swap;
    }
}

/* Makes the sides of all cells run outward. Of hexahedra alone the flags are enough. */
static void turn_sides(orientation *o)
{
    clspi_poly_mesh *const mesh = o->mesh;

    for (size_t s = 0; s < mesh->side_begin[mesh->num_cells] && !mesh->is_hexahedral; s++) {
        const size_t begin = mesh->loop_begin[s];
        if (o->is_turned[o->cell_of[s]] ^ o->is_back[s] ^ runs_back(mesh, s))
            reverse(mesh->loop + begin, mesh->loop_edge + begin, mesh->loop_begin[s + 1] - begin);
    }
    mesh->is_turned = o->is_turned;
    o->is_turned = NULL;
}

static void orient_all(orientation *o)
{
    clspi_poly_mesh *const mesh = o->mesh;

    find_sides(o);
    for (uint32_t c = 0; c < mesh->num_cells; c++)
        o->is_turned[c] = UNSEEN;
    for (uint32_t c = 0; c < mesh->num_cells; c++) {
        if (o->is_turned[c] != UNSEEN) continue;
        const size_t num = turn_piece(o, c);
        const bool wrong = is_wrong(o, num);
        for (size_t q = 0; q < num && wrong; q++)
            o->is_turned[o->queue[q]] ^= 1;
    }
    for (uint32_t c = 0; c < mesh->num_cells; c++) {
        if (!o->is_turned[c] || !has_order(o, c)) continue;
        mesh->num_inside_out++;
        mesh->num_inside_out_children +=
            mesh->cell_vertex_begin[c + 1] - mesh->cell_vertex_begin[c];
    }
}

clspi_mesh_status clspi_poly_orient(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                    clspi_mesh_defect *defect)
{
    const size_t sides = mesh->side_begin[mesh->num_cells] + 1;
    const size_t num_cells = (size_t)mesh->num_cells + 1, faces = (size_t)mesh->num_faces + 1;
    orientation o = {.mesh = mesh, .cells = cells};
    clspi_mesh_status status = CLSPI_MESH_NO_MEMORY;

    o.face_side = malloc(faces * sizeof *o.face_side);
    o.is_back = malloc(sides);
    o.cell_of = malloc(sides * sizeof *o.cell_of);
    o.is_turned = malloc(num_cells);
    o.queue = malloc(num_cells * sizeof *o.queue);
    if (o.face_side && o.is_back && o.cell_of && o.is_turned && o.queue) {
        orient_all(&o);
        status = CLSPI_MESH_SOUND;
        if (cells->orient && o.is_odd)
            status = clspi_defective(defect, "cells %u and %u cannot be turned alike", o.odd[0],
                                     o.odd[1]);
        else if (cells->orient)
            turn_sides(&o);
    }
    free(o.face_side);
    free(o.is_back);
    free(o.cell_of);
    free(o.is_turned);
    free(o.queue);
    return status;
}
