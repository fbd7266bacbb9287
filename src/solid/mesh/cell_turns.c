#include "cell_turns.h"

#include <stdlib.h>
#include <string.h>

#include "large_array.h"

enum { UNSEEN = 2 };

typedef struct turning {
    const clspi_cell_mesh *mesh;
    const clspi_cell_shape *shape;
    const double *points;
    uint8_t *is_turned; /* or UNSEEN */
    uint32_t *queue;    /* [cells] */
} turning;

/* Turns the cells that hang together with one as it is. Returns how many there are, in the queue;
   0: they cannot be turned alike. */
static size_t turn_piece(const turning *t, uint32_t cell)
{
    const uint32_t sides = t->shape->sides;
    size_t num = 1;

    t->queue[0] = cell;
    t->is_turned[cell] = 0;
    for (size_t q = 0; q < num; q++) {
        const uint32_t c = t->queue[q];
        for (uint32_t s = 0; s < sides; s++) {
            const uint32_t across = t->mesh->across[(size_t)c * sides + s];
            if (across == CLSPI_NO_CELL) continue;
            const uint32_t next = clspi_cell_across(across);
            const uint8_t turned = t->is_turned[c] ^ clspi_runs_alike(across);
            if (t->is_turned[next] == UNSEEN) {
                t->is_turned[next] = turned;
                t->queue[num++] = next;
            } else if (t->is_turned[next] != turned) {
                return 0;
            }
        }
    }
    return num;
}

/* Returns six times the volume of the pyramid of a side and a point. */
static double pyramid(const turning *t, uint32_t cell, uint32_t side, const double *top)
{
    const uint32_t *const row = t->mesh->cell_vertex + (size_t)cell * t->shape->corners;
    const uint8_t *const loop = t->shape->outward[side];
    double volume = 0.0;

    for (uint32_t i = 1; i + 1 < t->shape->side_size; i++) {
        const uint32_t corner[3] = {row[loop[0]], row[loop[i]], row[loop[i + 1]]};
        double d[3][3];
        for (uint32_t k = 0; k < 9; k++)
            d[k / 3][k % 3] = t->points[3 * (size_t)corner[k / 3] + k % 3] - top[k % 3];
        volume += d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                  d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                  d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
    }
    return volume;
}

/* Tells whether all cells of a piece, which are turned alike, must be turned once more. */
static bool is_wrong(const turning *t, size_t num)
{
    const uint32_t sides = t->shape->sides;
    const uint32_t first = t->mesh->cell_vertex[(size_t)t->queue[0] * t->shape->corners];
    double volume = 0.0;
    size_t turned = 0;

    for (size_t q = 0; q < num; q++) {
        const uint32_t c = t->queue[q];
        turned += t->is_turned[c];
        for (uint32_t s = 0; s < sides && t->points; s++) {
            if (t->mesh->across[(size_t)c * sides + s] != CLSPI_NO_CELL) continue;
            const double part = pyramid(t, c, s, t->points + 3 * (size_t)first);
            volume += t->is_turned[c] ? -part : part;
        }
    }
    return volume < 0.0 || (!(volume > 0.0) && turned > num - turned);
}

/* Tells whether some cell differs from one beside it. */
static bool is_mixed(const turning *t)
{
    const size_t num = (size_t)t->mesh->num_cells * t->shape->sides;
    bool mixed = false;

    for (size_t i = 0; i < num; i++)
        mixed |= clspi_runs_alike(t->mesh->across[i]);
    return mixed;
}

static clspi_mesh_status turn_all(const turning *t)
{
    for (uint32_t c = 0; c < t->mesh->num_cells; c++) {
        if (t->is_turned[c] != UNSEEN) continue;
        const size_t num = turn_piece(t, c);
        if (num == 0) return CLSPI_MESH_DEFECTIVE;
        const bool wrong = is_wrong(t, num);
        for (size_t q = 0; q < num && wrong; q++)
            t->is_turned[t->queue[q]] ^= 1;
    }
    return CLSPI_MESH_SOUND;
}

clspi_mesh_status clspi_find_turned(uint8_t *is_turned, size_t *num, const clspi_cell_mesh *mesh,
                                    const clspi_cell_shape *shape, const double *points)
{
    turning t = {.mesh = mesh, .shape = shape, .points = points, .is_turned = is_turned};
    clspi_mesh_status status = CLSPI_MESH_NO_MEMORY;

    *num = 0;
    memset(is_turned, 0, mesh->num_cells);
    if (!points && !is_mixed(&t)) return CLSPI_MESH_SOUND;
    memset(is_turned, UNSEEN, mesh->num_cells);
    t.queue = clspi_large_array(mesh->num_cells, sizeof *t.queue);
    if (t.queue) status = turn_all(&t);
    free(t.queue);
    for (size_t c = 0; c < mesh->num_cells && status == CLSPI_MESH_SOUND; c++)
        *num += is_turned[c];
    return status;
}
