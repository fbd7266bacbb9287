#include "cell_star.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

void clspi_star_release(clspi_star *star)
{
    free(star->slot_edge);
    free(star->side);
    free(star->edge);
    free(star->parent);
    free(star->edges_by);
    star->slot_edge = star->parent = star->edges_by = star->sides_by = NULL;
    star->side = NULL;
    star->edge = NULL;
    star->room = 0;
}

bool clspi_star_reserve(clspi_star *star, size_t num_cells)
{
    enum { LEAST = 64 };
    size_t room = LEAST;

    if (num_cells <= star->room) return true;
    if (num_cells > UINT32_MAX / 8) return false; /* slots have numbers of 32 bits */
    while (room < num_cells)
        room *= 2;
    clspi_star_release(star);
    star->slot_edge = malloc(4 * room * sizeof *star->slot_edge);
    star->side = malloc(4 * room * sizeof *star->side);
    star->edge = malloc(CLSPI_STAR_SIDES * room * sizeof *star->edge);
    star->parent = malloc(room * sizeof *star->parent);
    star->edges_by = malloc(2 * 4 * room * sizeof *star->edges_by);
    if (!star->slot_edge || !star->side || !star->edge || !star->parent || !star->edges_by)
        return false;
    star->sides_by = star->edges_by + 4 * room;
    star->room = room;
    return true;
}

/* ---- what touches ---- */

static size_t spread(uint64_t key)
{
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 36);
}

/* Returns the number of the edge to a vertex, a new one where it is new. */
static uint32_t edge_to(clspi_star *star, uint32_t vertex, uint32_t slot)
{
    size_t at = spread(vertex) & star->mask;

    while (star->edges_by[at]) {
        const uint32_t e = star->edges_by[at] - 1;
        if (star->edge[e].vertex == vertex) return e;
        at = (at + 1) & star->mask;
    }
    star->edge[star->num_edges] = (clspi_star_edge){.vertex = vertex, .first = slot};
    star->edges_by[at] = ++star->num_edges;
    return star->num_edges - 1;
}

static void find_edges(clspi_star *star)
{
    for (uint32_t j = 0; j < star->num_cells; j++) {
        const uint32_t *const row =
            star->cell_vertex + (size_t)star->cells[j].cell * star->shape->corners;
        const uint8_t *const end = star->shape->star_end[star->cells[j].corner];
        for (uint32_t i = 0; i < CLSPI_STAR_SIDES; i++) {
            const uint32_t slot = 4 * j + i, e = edge_to(star, row[end[i]], slot);
            star->slot_edge[slot] = e;
            star->edge[e].last = slot;
            star->edge[e].cells++;
        }
    }
}

static uint32_t piece_of(const clspi_star *star, uint32_t cell)
{
    while (star->parent[cell] != cell) {
        star->parent[cell] = star->parent[star->parent[cell]];
        cell = star->parent[cell];
    }
    return cell;
}

/* Joins two cells at a face, whose slots are given. */
static void join(clspi_star *star, uint32_t slot, uint32_t other)
{
    star->side[slot].mate = other;
    star->side[other].mate = slot;
    star->edge[star->side[slot].low].joints++;
    star->edge[star->side[slot].high].joints++;
    star->num_joints++;
    if (star->num_pieces == 1) return;
    const uint32_t a = piece_of(star, slot / 4), b = piece_of(star, other / 4);
    if (a == b) return;
    star->parent[a > b ? a : b] = a > b ? b : a;
    star->num_pieces--;
}

/* Joins a side to the one that is the same face, if there is one yet. False: two are. */
static bool join_side(clspi_star *star, uint32_t slot)
{
    const clspi_star_side *const side = &star->side[slot];
    const uint64_t key = ((uint64_t)side->low << 32 | side->high) ^ (uint64_t)side->far << 12;
    size_t at = spread(key) & star->mask;

    while (star->sides_by[at]) {
        const uint32_t other = star->sides_by[at] - 1;
        const clspi_star_side *const seen = &star->side[other];
        if (seen->low == side->low && seen->high == side->high && seen->far == side->far) {
            if (seen->mate != CLSPI_NO_SLOT) return false;
            join(star, slot, other);
            return true;
        }
        at = (at + 1) & star->mask;
    }
    star->sides_by[at] = slot + 1;
    return true;
}

static bool find_joints(clspi_star *star)
{
    for (uint32_t j = 0; j < star->num_cells; j++) {
        const uint32_t *const row =
            star->cell_vertex + (size_t)star->cells[j].cell * star->shape->corners;
        const uint8_t *const far = star->shape->star_far[star->cells[j].corner];
        for (uint32_t i = 0; i < CLSPI_STAR_SIDES; i++) {
            const uint32_t slot = 4 * j + i;
            const uint32_t a = star->slot_edge[slot], b = star->slot_edge[4 * j + (i + 1) % 3];
            star->side[slot] =
                (clspi_star_side){a < b ? a : b, a < b ? b : a, row[far[i]], CLSPI_NO_SLOT};
            if (!join_side(star, slot)) return false;
        }
    }
    return true;
}

bool clspi_star_find(clspi_star *star)
{
    const size_t num = star->num_cells;

    star->mask = 15;
    while (star->mask < 4 * num - 1 && num)
        star->mask = 2 * star->mask + 1;
    memset(star->edges_by, 0, (star->mask + 1) * sizeof *star->edges_by);
    memset(star->sides_by, 0, (star->mask + 1) * sizeof *star->sides_by);
    for (uint32_t j = 0; j < num; j++)
        star->parent[j] = j;
    star->num_edges = star->num_joints = 0;
    star->num_pieces = star->num_cells;
    find_edges(star);
    return find_joints(star);
}

/* ---- whether it is sound ---- */

/* Triangles that hang together by sides are a surface, but that it may touch itself in corners: cut
   apart there, it has more corners. Euler's number of a connected surface is 2 of a sphere, 1 of a
   disc, and less of others with, or without, a boundary. So where it is that of a sphere, or disc,
   as counted before the cuts, there are none, and the surface is one. */
bool clspi_star_is_sound(const clspi_star *star)
{
    const size_t sides = CLSPI_STAR_SIDES * (size_t)star->num_cells;
    const size_t faces = sides - star->num_joints; /* those of one cell, and of two */
    const size_t euler = faces > star->num_joints ? 1 : 2;

    return star->num_pieces == 1 && (size_t)star->num_edges + star->num_cells == faces + euler;
}
