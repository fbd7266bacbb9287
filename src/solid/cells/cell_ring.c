#include "cell_ring.h"

#include <string.h>

/* ---- the ring ---- */

static uint32_t scattered(uint32_t key)
{
    key *= UINT32_C(0x9e3779b1);
    return key ^ key >> 15;
}

/* Finds the place of a vertex, or the free one where it belongs. */
static size_t point_place(const clspi_ring *ring, uint32_t vertex)
{
    const size_t mask = 2 * CLSPI_RING_POINTS - 1;
    size_t at = scattered(vertex) & mask;

    while (ring->point_stamp[at] == ring->stamp && ring->point[ring->point_place[at]] != vertex)
        at = (at + 1) & mask;
    return at;
}

static size_t cell_place(const clspi_ring *ring, uint32_t cell)
{
    const size_t mask = 2 * CLSPI_RING_CELLS - 1;
    size_t at = scattered(cell) & mask;

    while (ring->cell_stamp[at] == ring->stamp && ring->cell[ring->cell_place[at]] != cell)
        at = (at + 1) & mask;
    return at;
}

static uint16_t *words_of(clspi_ring *ring, uint32_t i)
{
    return ring->signature + 3 + (size_t)i * CLSPI_RING_CELL_WORDS;
}

/* Adds a cell and its points. False: no room. */
static bool add_cell(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t cell, uint32_t frame)
{
    const uint32_t *const corner = mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;
    const size_t place = cell_place(ring, cell);
    uint16_t *const words = words_of(ring, ring->num_cells);

    if (ring->num_cells == CLSPI_RING_CELLS) return false;
    ring->cell_stamp[place] = ring->stamp;
    ring->cell_place[place] = (uint16_t)ring->num_cells;
    ring->cell[ring->num_cells] = cell;
    ring->frame[ring->num_cells++] = (uint8_t)frame;
    for (uint32_t i = 0; i < CLSPI_CORNERS; i++) {
        const uint32_t vertex = corner[clspi_frame_corner(frame, i)];
        const size_t at = point_place(ring, vertex);
        if (ring->point_stamp[at] != ring->stamp) {
            if (ring->num_points == CLSPI_RING_POINTS) return false;
            ring->point_stamp[at] = ring->stamp;
            ring->point_place[at] = (uint16_t)ring->num_points;
            ring->point[ring->num_points++] = vertex;
        }
        words[i] = ring->point_place[at];
    }
    return true;
}

/* Tells whether a cell has one of the first cell's corners. */
static bool touches(const clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t cell)
{
    const uint32_t *const corner = mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;

    for (uint32_t i = 0; i < CLSPI_CORNERS; i++)
        for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
            if (corner[i] == ring->point[j]) return true;
    return false;
}

/* Adds the neighbours of a cell of the ring that touch the first one. */
static bool add_neighbours(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t i)
{
    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        const uint32_t frame = ring->frame[i];
        const size_t face = (size_t)ring->cell[i] * CLSPI_CELL_FACES + clspi_frame_face(frame, k);
        const uint32_t next = mesh->across[face];
        if (next == CLSPI_NO_CELL || ring->cell_stamp[cell_place(ring, next)] == ring->stamp ||
            !touches(ring, mesh, next))
            continue;
        if (!add_cell(ring, mesh, next, clspi_frame_of(mesh->frame[face], frame))) return false;
    }
    return true;
}

/* Writes the boundary faces and the creases of a cell of the ring, those that touch the first. */
static void write_flags(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t i)
{
    uint16_t *const words = words_of(ring, i);
    const uint32_t frame = ring->frame[i];
    const size_t cell = ring->cell[i];
    uint32_t boundary = 0, creases = 0;

    for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
        const uint8_t *const loop = clspi_face_corner[k];
        const uint32_t f = mesh->cell_face[cell * CLSPI_CELL_FACES + clspi_frame_face(frame, k)];
        uint32_t least = words[loop[0]];
        for (uint32_t j = 1; j < CLSPI_FACE_SIDES; j++)
            least = words[loop[j]] < least ? words[loop[j]] : least;
        boundary |= (uint32_t)(least < CLSPI_CORNERS && mesh->face_flag[f] & CLSPI_BOUNDARY) << k;
    }
    for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++) {
        const uint32_t corner = clspi_edge_corner(e), a = e / 4;
        const uint32_t own =
            clspi_corner_edge(clspi_frame_axis(frame, a), clspi_frame_corner(frame, corner));
        const uint8_t flag = mesh->edge_flag[mesh->cell_edge[cell * CLSPI_CELL_EDGES + own]];
        if (words[corner] < CLSPI_CORNERS || words[corner | 1u << a] < CLSPI_CORNERS)
            creases |= (uint32_t) !!(flag & CLSPI_CREASE) << e;
    }
    words[CLSPI_CORNERS] = (uint16_t)boundary;
    words[CLSPI_CORNERS + 1] = (uint16_t)creases;
}

bool clspi_ring_walk(clspi_ring *ring, const clspi_cell_mesh *mesh, uint32_t cell, uint32_t frame)
{
    uint32_t corners = 0;

    if (++ring->stamp == 0) {
        memset(ring->point_stamp, 0, sizeof ring->point_stamp);
        memset(ring->cell_stamp, 0, sizeof ring->cell_stamp);
        ring->stamp = 1;
    }
    ring->num_cells = ring->num_points = 0;
    if (!add_cell(ring, mesh, cell, frame)) return false;
    for (uint32_t i = 0; i < ring->num_cells; i++)
        if (!add_neighbours(ring, mesh, i)) return false;
    for (uint32_t i = 0; i < ring->num_cells; i++)
        write_flags(ring, mesh, i);
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

clspi_key clspi_ring_key(const uint16_t *signature)
{
    const size_t words = clspi_ring_words(signature);
    clspi_key key = {UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344)};

    for (size_t i = 0; i < words; i++) {
        key.a = (key.a ^ signature[i]) * UINT64_C(0x2545f4914f6cdd1d);
        key.a ^= key.a >> 29;
        key.b = (key.b + signature[i] + 1) * UINT64_C(0xd6e8feb86659fd93);
        key.b ^= key.b >> 32;
    }
    return key;
}

/* ---- the grid of a regular cell ---- */

typedef struct framed_cell {
    uint32_t cell, frame;
} framed_cell;

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
