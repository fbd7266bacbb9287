#include "cell_ring.h"

#include <string.h>

#include "solid_numbers.clh"

typedef struct framed_cell {
    uint32_t cell, frame;
} framed_cell;

/* The corners of each face, as bits. */
static const uint8_t face_corners[CLSPI_CELL_FACES] = {0x55, 0xaa, 0x33, 0xcc, 0x0f, 0xf0};

/* ---- the ring ---- */

static uint32_t scattered(uint32_t key)
{
    key *= UINT32_C(0x9e3779b1);
    return key ^ key >> 15;
}

/* Finds the mark of a vertex or cell, or the free one where it belongs, among mask + 1. */
static clspi_ring_mark *mark_of(clspi_ring_mark *marks, size_t mask, uint32_t stamp, uint32_t item)
{
    size_t at = scattered(item) & mask;

    while (marks[at].stamp == stamp && marks[at].item != item)
        at = (at + 1) & mask;
    return &marks[at];
}

static clspi_ring_mark *cell_mark(clspi_ring *ring, uint32_t cell)
{
    return mark_of(ring->cell_mark, 2 * CLSPI_RING_CELLS - 1, ring->stamp, cell);
}

static uint16_t *words_of(clspi_ring *ring, uint32_t i)
{
    return ring->signature + 3 + (size_t)i * CLSPI_RING_CELL_WORDS;
}

/* Returns the number of a vertex among the ring's points, a new one where it is new;
   CLSPI_RING_POINTS: there is no room. */
static uint32_t put_point(clspi_ring *ring, uint32_t vertex)
{
    clspi_ring_mark *const mark =
        mark_of(ring->point_mark, 2 * CLSPI_RING_POINTS - 1, ring->stamp, vertex);

    if (mark->stamp == ring->stamp) return mark->number;
    if (ring->num_points == CLSPI_RING_POINTS) return CLSPI_RING_POINTS;
    *mark = (clspi_ring_mark){ring->stamp, vertex, ring->num_points};
    ring->point[ring->num_points] = vertex;
    return ring->num_points++;
}

/* Adds a cell and its points. Those on its face `near` are points of the neighbouring cell, whose
   words are `from`. Returns false without room. */
static bool add_cell(clspi_ring *ring, const clspi_cell_mesh *mesh, framed_cell add,
                     const uint16_t *from, uint32_t near)
{
    const uint32_t *const corner = mesh->cell_vertex + (size_t)add.cell * CLSPI_CORNERS;
    const uint8_t on_near = near == NO_FACE ? 0 : face_corners[near];
    uint16_t *const words = words_of(ring, ring->num_cells);

    if (ring->num_cells == CLSPI_RING_CELLS) return false;
    *cell_mark(ring, add.cell) = (clspi_ring_mark){ring->stamp, add.cell, ring->num_cells};
    ring->cell[ring->num_cells] = add.cell;
    ring->frame[ring->num_cells++] = (uint8_t)add.frame;
    for (uint32_t i = 0; i < CLSPI_CORNERS; i++) {
        words[i] = (uint16_t)(on_near >> i & 1
                                  ? from[i ^ 1u << (near >> 1)]
                                  : put_point(ring, corner[clspi_frame_corner(add.frame, i)]));
        if (words[i] == CLSPI_RING_POINTS) return false;
    }
    return true;
}

/* Returns which corners of a cell of the ring are corners of the first one. */
static uint32_t touching_corners(const uint16_t *words)
{
    uint32_t touching = 0;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        touching |= (uint32_t)(words[i] < CLSPI_CORNERS) << i;
    return touching;
}

/* Adds the neighbours of a cell of the ring that touch the first one: those beyond a face that
   does, and others. */
static bool add_neighbours(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t i)
{
    const uint16_t *const words = words_of(ring, i);
    const uint32_t frame = ring->frame[i], touching = touching_corners(words);

    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        if (!(touching & face_corners[k])) continue;
        const size_t face = (size_t)ring->cell[i] * CLSPI_CELL_FACES + clspi_frame_face(frame, k);
        const uint32_t next = mesh->across[face];
        if (next == CLSPI_NO_CELL || cell_mark(ring, next)->stamp == ring->stamp) continue;
        const framed_cell add = {next, clspi_frame_of(mesh->frame[face], frame)};
        if (!add_cell(ring, mesh, add, words, k ^ 1)) return false;
    }
    return true;
}

/* Writes the boundary faces and the creases of a cell of the ring, those that touch the first. */
static void write_flags(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t i)
{
    uint16_t *const words = words_of(ring, i);
    const uint32_t frame = ring->frame[i], touching = touching_corners(words);
    const size_t cell = ring->cell[i];
    uint32_t boundary = 0, creases = 0;

    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        if (!(touching & face_corners[k])) continue;
        const uint32_t f = mesh->cell_face[cell * CLSPI_CELL_FACES + clspi_frame_face(frame, k)];
        boundary |= (uint32_t) !!(mesh->face_flag[f] & CLSPI_BOUNDARY) << k;
    }
    for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++) {
        const uint32_t corner = clspi_edge_corner(e), a = e / 4;
        if (!(touching >> corner & 1) && !(touching >> (corner | 1u << a) & 1)) continue;
        const uint32_t own =
            clspi_corner_edge(clspi_frame_axis(frame, a), clspi_frame_corner(frame, corner));
        const uint8_t flag = mesh->edge_flag[mesh->cell_edge[cell * CLSPI_CELL_EDGES + own]];
        creases |= (uint32_t) !!(flag & CLSPI_CREASE) << e;
    }
    words[CLSPI_CORNERS] = (uint16_t)boundary;
    words[CLSPI_CORNERS + 1] = (uint16_t)creases;
}

/* Writes them of all cells of the ring. Where no corner of the first cell is of the boundary, none
   of its faces and creases touches that. */
static void write_all_flags(clspi_ring *ring, const clspi_cell_mesh *mesh)
{
    uint8_t flags = 0;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        flags |= mesh->vertex_flag[ring->point[i]];
    for (uint32_t i = 0; i < ring->num_cells; i++) {
        if (flags & CLSPI_BOUNDARY)
            write_flags(ring, mesh, i);
        else
            memset(words_of(ring, i) + CLSPI_CORNERS, 0, 2 * sizeof *ring->signature);
    }
}

bool clspi_ring_walk(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t cell, uint32_t frame)
{
    uint32_t corners = 0;

    if (++ring->stamp == 0) {
        memset(ring->point_mark, 0, sizeof ring->point_mark);
        memset(ring->cell_mark, 0, sizeof ring->cell_mark);
        ring->stamp = 1;
    }
    ring->num_cells = ring->num_points = 0;
    if (!add_cell(ring, mesh, (framed_cell){cell, frame}, NULL, NO_FACE)) return false;
    for (uint32_t i = 0; i < ring->num_cells; i++)
        if (!add_neighbours(ring, mesh, i)) return false;
    write_all_flags(ring, mesh);
    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        corners |= (uint32_t) !!(mesh->vertex_flag[ring->point[i]] & CLSPI_CORNER) << i;
    ring->signature[0] = (uint16_t)ring->num_cells;
    ring->signature[1] = (uint16_t)ring->num_points;
    ring->signature[2] = (uint16_t)corners;
    return true;
}

void clspi_ring_count(const clspi_ring *ring, uint16_t around[CLSPI_CORNERS][CLSPI_CORNERS])
{
    memset(around, 0, CLSPI_CORNERS * sizeof *around);
    for (uint32_t c = 0; c < ring->num_cells; c++) {
        const uint16_t *const words = ring->signature + 3 + (size_t)c * CLSPI_RING_CELL_WORDS;
        for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
            for (uint32_t j = 0; j < CLSPI_CORNERS && words[i] < CLSPI_CORNERS; j++)
                if (words[j] < CLSPI_CORNERS) around[words[i]][words[j]]++;
    }
}

static void mix(clspi_key *key, uint64_t next)
{
    key->a = (key->a ^ next) * UINT64_C(0x2545f4914f6cdd1d);
    key->a ^= key->a >> 29;
    key->b = (key->b + next + 1) * UINT64_C(0xd6e8feb86659fd93);
    key->b ^= key->b >> 32;
}

clspi_key clspi_ring_key(const uint16_t *signature)
{
    enum { AT_ONCE = 4 };
    const size_t words = clspi_ring_words(signature);
    clspi_key key = {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)};
    size_t i = 0;

    for (; i + AT_ONCE <= words; i += AT_ONCE) {
        uint64_t next;
        memcpy(&next, signature + i, sizeof next);
        mix(&key, next);
    }
    for (; i < words; i++)
        mix(&key, signature[i]);
    return key;
}

/* ---- the grid of a regular cell ---- */

/* Returns the cell beyond a face of a frame. */
static framed_cell step_over(const clspi_cell_mesh *mesh, framed_cell from, uint32_t k)
{
    size_t face;

    if (from.cell == CLSPI_NO_CELL) return from;
    face = (size_t)from.cell * CLSPI_CELL_FACES + clspi_frame_face(from.frame, k);
    if (mesh->across[face] == CLSPI_NO_CELL) return (framed_cell){CLSPI_NO_CELL, 0};
    return (framed_cell){mesh->across[face], clspi_frame_of(mesh->frame[face], from.frame)};
}

/* Finds the 3 x 3 x 3 cells around one, the last axis fastest. */
static void find_cells(const clspi_cell_mesh *mesh, uint32_t cell, framed_cell around[27])
{
    static const uint32_t stride[3] = {9, 3, 1};

    around[13] = (framed_cell){cell, 0};
    for (uint32_t a = 0, num = 1; a < 3; a++, num *= 3)
        for (uint32_t i = 0; i < num; i++) {
            const uint32_t at = a == 0 ? 13 : a == 1 ? 4 + 9 * i : 1 + 3 * i;
            around[at - stride[a]] = step_over(mesh, around[at], 2 * a);
            around[at + stride[a]] = step_over(mesh, around[at], 2 * a + 1);
        }
}

void clspi_regular_grid(const clspi_cell_mesh *mesh, uint32_t cell,
                        uint32_t grid[CLSPI_GRID_POINTS])
{
    static const uint8_t place[4] = {0, 1, 1, 2}, bit[4] = {0, 0, 1, 1};
    framed_cell around[27];

    find_cells(mesh, cell, around);
    for (uint32_t x = 0; x < 4; x++)
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t z = 0; z < 4; z++) {
                const framed_cell at = around[9 * place[x] + 3 * place[y] + place[z]];
                const uint32_t corner = bit[x] | (uint32_t)bit[y] << 1 | (uint32_t)bit[z] << 2;
                grid[16 * x + 4 * y + z] =
                    at.cell == CLSPI_NO_CELL
                        ? CLSPI_NO_CELL
                        : mesh->cell_vertex[(size_t)at.cell * CLSPI_CORNERS +
                                            clspi_frame_corner(at.frame, corner)];
            }
}

void clspi_continue_grid(double *points, bool *is_there, uint32_t dim)
{
    static const uint32_t step_of[3] = {16, 4, 1};

    for (uint32_t n = 0; n < 3 * CLSPI_GRID_POINTS; n++) {
        const uint32_t i = n % CLSPI_GRID_POINTS, step = step_of[n / CLSPI_GRID_POINTS];
        if (i / step % 4 == 1 || i / step % 4 == 2) continue;
        const uint32_t one = i / step % 4 ? i - step : i + step, two = 2 * one - i;
        if (is_there[i] || !is_there[one] || !is_there[two]) continue;
        for (uint32_t c = 0; c < dim; c++)
            points[i * dim + c] = 2 * points[one * dim + c] - points[two * dim + c];
        is_there[i] = true;
    }
}

/* ---- the lattice of 8 regular cells ---- */

bool clspi_are_siblings(const clspi_cell_mesh *mesh, uint32_t cell)
{
    bool fits = mesh->num_cells - cell >= CLSPI_CORNERS;

    for (uint32_t j = 0; j < CLSPI_CORNERS && fits; j++)
        for (uint32_t a = 0; a < 3; a++) {
            const size_t face = (size_t)(cell + j) * CLSPI_CELL_FACES + 2 * a + !(j >> a & 1);
            fits = fits && mesh->across[face] == cell + (j ^ 1u << a) && mesh->frame[face] == 0;
        }
    return fits;
}

/* Finds the cells at both ends of a line of four along an axis, of which there are the middle
   ones. */
static void extend(const clspi_cell_mesh *mesh, framed_cell *line, uint32_t stride, uint32_t axis)
{
    line[0] = step_over(mesh, line[stride], 2 * axis);
    line[3 * (size_t)stride] = step_over(mesh, line[2 * (size_t)stride], 2 * axis + 1);
}

/* Finds the 4 x 4 x 4 cells around 8 siblings, the last axis fastest. */
static void find_outer_cells(const clspi_cell_mesh *mesh, uint32_t cell, framed_cell around[64])
{
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        around[16 * (1 + (j & 1)) + 4 * (1 + (j >> 1 & 1)) + 1 + (j >> 2)] =
            (framed_cell){cell + j, 0};
    for (uint32_t y = 1; y < 3; y++)
        for (uint32_t z = 1; z < 3; z++)
            extend(mesh, around + 4 * y + z, 16, 0);
    for (uint32_t x = 0; x < 4; x++)
        for (uint32_t z = 1; z < 3; z++)
            extend(mesh, around + 16 * x + z, 4, 1);
    for (uint32_t x = 0; x < 4; x++)
        for (uint32_t y = 0; y < 4; y++)
            extend(mesh, around + 16 * x + 4 * y, 1, 2);
}

void clspi_regular_lattice(const clspi_cell_mesh *mesh, uint32_t cell,
                           uint32_t lattice[CLSPI_LATTICE_POINTS])
{
    static const uint8_t place[CLSPI_LATTICE_SIDE] = {0, 1, 2, 2, 3};
    static const uint8_t bit[CLSPI_LATTICE_SIDE] = {0, 0, 0, 1, 1};
    framed_cell around[64];

    find_outer_cells(mesh, cell, around);
    for (uint32_t i = 0; i < CLSPI_LATTICE_POINTS; i++) {
        const uint32_t x = i / 25, y = i / 5 % 5, z = i % 5;
        const framed_cell at = around[16 * place[x] + 4 * place[y] + place[z]];
        const uint32_t corner = bit[x] | (uint32_t)bit[y] << 1 | (uint32_t)bit[z] << 2;
        lattice[i] = at.cell == CLSPI_NO_CELL
                         ? CLSPI_NO_CELL
                         : mesh->cell_vertex[(size_t)at.cell * CLSPI_CORNERS +
                                             clspi_frame_corner(at.frame, corner)];
    }
}
