#include "cell_class.h"

#include <stdlib.h>
#include <string.h>

#include "class_build.h"

/* ---- the set ---- */

bool clspi_class_set_make(clspi_class_set *set)
{
    bool done;

    *set = (clspi_class_set){0};
    done = clspi_key_map_make(&set->uses) && clspi_key_map_make(&set->classes);
    set->ring = calloc(1, sizeof *set->ring);
    set->least = malloc(CLSPI_RING_WORDS * sizeof *set->least);
    set->found = malloc(CLSPI_RING_POINTS * sizeof *set->found);
    for (uint32_t i = 0; i < CLSPI_SCRATCH_ROWS; i++) {
        set->scratch[i] = malloc(CLSPI_RING_POINTS * sizeof *set->scratch[i]);
        done = done && set->scratch[i];
    }
    done = done && set->ring && set->least && set->found;
    if (!done) clspi_class_set_release(set);
    return done;
}

void clspi_class_set_release(clspi_class_set *set)
{
    for (uint32_t n = 0; n < set->num; n++) {
        for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
            free(set->entry[n].child[j].begin);
            free(set->entry[n].child[j].column);
            free(set->entry[n].child[j].weight);
        }
        free(set->entry[n].signature);
        free(set->entry[n].slice);
    }
    free(set->entry);
    for (uint32_t i = 0; i < set->uses.num && set->order; i++)
        free(set->order[i]);
    clspi_key_map_release(&set->uses);
    clspi_key_map_release(&set->classes);
    free(set->use);
    free(set->order);
    free(set->found);
    free(set->ring);
    free(set->least);
    for (uint32_t i = 0; i < CLSPI_SCRATCH_ROWS; i++)
        free(set->scratch[i]);
    *set = (clspi_class_set){0};
}

/* ---- finding a class ---- */

/* Compares signatures, in any order that is the same for all. */
static int compare(const uint16_t *a, const uint16_t *b)
{
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : memcmp(a, b, clspi_ring_words(a) * sizeof *a);
}

static bool walk(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell, uint32_t frame)
{
    const bool fits = clspi_ring_walk(set->ring, mesh, cell, frame);

    if (!fits && !set->too_large) set->cell = CLSPI_NO_CELL;
    set->too_large |= !fits;
    return fits;
}

/* Compares two frames by how many cells there are around the edges and corners of a cell. */
static int compare_frames(uint16_t (*around)[CLSPI_CORNERS], uint32_t f, uint32_t g)
{
    int order = 0;

    for (uint32_t e = 0; e < CLSPI_CELL_EDGES + CLSPI_CORNERS && order == 0; e++) {
        const bool is_edge = e < CLSPI_CELL_EDGES;
        const uint32_t i = is_edge ? clspi_edge_corner(e) : e - CLSPI_CELL_EDGES;
        const uint32_t j = is_edge ? i | 1u << e / 4 : i;
        order = around[clspi_frame_corner(f, i)][clspi_frame_corner(f, j)] -
                around[clspi_frame_corner(g, i)][clspi_frame_corner(g, j)];
    }
    return order;
}

/* Finds the frame in which a cell's signature is the least, which set->least becomes, of those in
   which the numbers of cells around its edges and corners are: they are told from one walk, and
   leave few frames to be walked through where the cell is irregular. */
static bool find_least(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                       uint32_t *frame)
{
    uint16_t around[CLSPI_CORNERS][CLSPI_CORNERS];
    uint32_t first = 0;

    if (!walk(set, mesh, cell, 0)) return false;
    clspi_ring_count(set->ring, around);
    for (uint32_t f = 1; f < CLSPI_FRAMES; f++)
        if (compare_frames(around, f, first) < 0) first = f;
    for (uint32_t f = first; f < CLSPI_FRAMES; f++) {
        if (compare_frames(around, f, first) != 0) continue;
        if (!walk(set, mesh, cell, f)) return false;
        if (f > first && compare(set->ring->signature, set->least) >= 0) continue;
        memcpy(set->least, set->ring->signature,
               clspi_ring_words(set->ring->signature) * sizeof *set->least);
        *frame = f;
    }
    return true;
}

/* Returns the number of the class whose signature is set->least, or CLSPI_REGULAR without
   memory. */
static uint32_t put_class(clspi_class_set *set)
{
    const size_t bytes = clspi_ring_words(set->least) * sizeof *set->least;
    const clspi_key key = clspi_ring_key(set->least);
    const uint32_t known = clspi_key_map_find(&set->classes, key);
    clspi_cell_class *entry;

    if (known != CLSPI_NO_KEY) return known;
    if (set->num == set->room) {
        entry = realloc(set->entry, ((size_t)set->room * 2 + 16) * sizeof *entry);
        if (!entry) return CLSPI_REGULAR;
        set->entry = entry;
        set->room = set->room * 2 + 16;
    }
    entry = &set->entry[set->num];
    *entry = (clspi_cell_class){.num_points = set->least[1], .axis = CLSPI_NO_AXIS};
    entry->signature = malloc(bytes);
    if (!entry->signature) return CLSPI_REGULAR;
    memcpy(entry->signature, set->least, bytes);
    if (clspi_key_map_put(&set->classes, key) == CLSPI_NO_KEY) {
        free(entry->signature);
        return CLSPI_REGULAR;
    }
    return set->num++;
}

/* Makes room for one more use. */
static bool reserve_use(clspi_class_set *set)
{
    const uint32_t room = set->use_room * 2 + 64;
    clspi_class_use *use;
    uint16_t **order;

    if (set->uses.num < set->use_room) return true;
    use = realloc(set->use, room * sizeof *use);
    if (!use) return false;
    set->use = use;
    order = realloc(set->order, room * sizeof *order);
    if (!order) return false;
    set->order = order;
    set->use_room = room;
    return true;
}

/* Finds where the points of a class are in the ring of a cell as it is met. */
static uint16_t *find_order(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                            uint32_t frame)
{
    uint16_t *order;
    uint32_t num;

    if (!walk(set, mesh, cell, frame)) return NULL;
    num = set->ring->num_points;
    memcpy(set->found, set->ring->point, num * sizeof *set->found);
    order = malloc(num * sizeof *order);
    if (!order || !walk(set, mesh, cell, 0)) {
        free(order);
        return NULL;
    }
    for (uint32_t i = 0; i < num; i++) {
        order[i] = 0;
        while (set->ring->point[order[i]] != set->found[i])
            order[i]++;
    }
    return order;
}

/* Finds the class of a ring that is new, and remembers it. Returns its number among the uses, or
   CLSPI_NO_KEY. */
static uint32_t put_use(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                        clspi_key key)
{
    clspi_class_use use = {CLSPI_REGULAR, 0};
    uint16_t *order;
    uint32_t at;

    if (!find_least(set, mesh, cell, &use.frame) || !reserve_use(set)) return CLSPI_NO_KEY;
    use.number = put_class(set);
    order = use.number != CLSPI_REGULAR ? find_order(set, mesh, cell, use.frame) : NULL;
    at = order ? clspi_key_map_put(&set->uses, key) : CLSPI_NO_KEY;
    if (at == CLSPI_NO_KEY) {
        free(order);
        return at;
    }
    set->use[at] = use;
    set->order[at] = order;
    return at;
}

uint32_t clspi_class_find_use(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                              clspi_key key)
{
    const uint32_t at = clspi_key_map_find(&set->uses, key);

    return at == CLSPI_NO_KEY ? put_use(set, mesh, cell, key) : at;
}

bool clspi_class_find(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                      clspi_class_use *use)
{
    uint32_t at;

    if (!walk(set, mesh, cell, 0)) return false;
    at = clspi_class_find_use(set, mesh, cell, clspi_ring_key(set->ring->signature));
    if (at == CLSPI_NO_KEY) return false;
    *use = set->use[at];
    for (uint32_t i = 0; i < set->ring->num_points; i++)
        set->found[i] = set->ring->point[set->order[at][i]];
    return true;
}
