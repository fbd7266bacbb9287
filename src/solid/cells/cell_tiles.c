#include "cell_tiles.h"

#include <stdlib.h>

bool clspi_cell_tiles_make(clspi_cell_tiles *t, const clspi_cell_mesh *mesh, uint32_t first,
                           uint32_t end)
{
    const size_t num = (size_t)(end - first) + 1;

    *t = (clspi_cell_tiles){.mesh = mesh, .first = first, .end = end};
    t->left = calloc(num, sizeof *t->left);
    t->stamp = calloc(num, sizeof *t->stamp);
    t->walk = malloc(num * sizeof *t->walk);
    t->at = malloc(num * sizeof *t->at);
    t->tile = malloc(num * sizeof *t->tile);
    return t->left && t->stamp && t->walk && t->at && t->tile;
}

void clspi_cell_tiles_release(clspi_cell_tiles *t)
{
    free(t->left);
    free(t->stamp);
    free(t->walk);
    free(t->at);
    free(t->tile);
    clspi_key_map_release(&t->map);
    *t = (clspi_cell_tiles){0};
}

/* ---- a walk ---- */

/* Returns the cell beyond a face that is left and not turned, or CLSPI_NO_CELL. */
static uint32_t beyond(const clspi_cell_tiles *t, uint32_t cell, uint32_t face)
{
    const size_t side = (size_t)cell * CLSPI_CELL_FACES + face;
    const uint32_t other = t->mesh->across[side];

    if (other < t->first || other >= t->end || t->mesh->frame[side] != 0) return CLSPI_NO_CELL;
    return t->left[other - t->first] ? other : CLSPI_NO_CELL;
}

static void meet(clspi_cell_tiles *t, uint32_t cell, const int32_t at[3])
{
    const uint32_t i = cell - t->first;

    if (t->stamp[i] == t->now) return;
    t->stamp[i] = t->now;
    t->walk[t->num_walk++] = cell;
    for (uint32_t a = 0; a < 3; a++)
        t->at[i][a] = at[a];
}

static void walk_from(clspi_cell_tiles *t, uint32_t cell)
{
    static const int32_t origin[3] = {0, 0, 0};

    t->now++;
    t->num_walk = 0;
    meet(t, cell, origin);
    for (uint32_t i = 0; i < t->num_walk; i++)
        for (uint32_t face = 0; face < CLSPI_CELL_FACES; face++) {
            const uint32_t other = beyond(t, t->walk[i], face);
            const int32_t *const at = t->at[t->walk[i] - t->first];
            int32_t there[3] = {at[0], at[1], at[2]};
            there[face / 2] += face % 2 ? 1 : -1;
            if (other != CLSPI_NO_CELL) meet(t, other, there);
        }
}

/* ---- tiles ---- */

/* Puts the cells of a walk into tiles, which begin at even numbers, or along some axes, those whose
   bits are set in `odd`, at odd ones. */
static bool put_in_tiles(clspi_cell_tiles *t, uint32_t odd)
{
    enum { BITS = 21, MIDDLE = 1 << 20 }; /* numbers of cells in a walk are below that */

    clspi_key_map_release(&t->map);
    if (!clspi_key_map_make(&t->map)) return false;
    t->num = 0;
    for (uint32_t i = 0; i < t->num_walk; i++) {
        const int32_t *const at = t->at[t->walk[i] - t->first];
        clspi_key key = {0, 0};
        uint32_t corner = 0;
        for (uint32_t a = 0; a < 3; a++) {
            const uint32_t x = (uint32_t)(at[a] + MIDDLE) + (odd >> a & 1);
            key.a = key.a << BITS | x >> 1;
            corner |= (x & 1) << a;
        }
        const uint32_t number = clspi_key_map_put(&t->map, key);
        if (number == CLSPI_NO_KEY) return false;
        clspi_cell_tile *const tile = &t->tile[number];
        if (number == t->num) {
            t->num++;
            tile->first = corner;
            for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
                tile->cells[j] = CLSPI_NO_CELL;
        }
        if (tile->cells[corner] == CLSPI_NO_CELL) tile->cells[corner] = t->walk[i];
    }
    return true;
}

bool clspi_cell_tiles_find(clspi_cell_tiles *t, uint32_t cell)
{
    uint32_t odd = 0, least;

    walk_from(t, cell);
    if (!put_in_tiles(t, odd)) return false;
    least = t->num;
    for (uint32_t a = 0; a < 3 && t->num_walk > 1; a++) {
        if (!put_in_tiles(t, odd ^ 1u << a)) return false;
        if (t->num >= least) continue;
        least = t->num;
        odd ^= 1u << a;
    }
    return t->num == least || put_in_tiles(t, odd);
}
