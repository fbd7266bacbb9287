#include "solid_cases.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 2 }; /* cells of a prism's quadrilateral in each direction */

static void *room(size_t count, size_t bytes)
{
    void *const memory = calloc(count + 1, bytes);

    if (!memory) abort();
    return memory;
}

void solid_free(solid_case *solid)
{
    free(solid->point);
    free(solid->cell);
    free(solid->crease);
    memset(solid, 0, sizeof *solid);
}

/* Writes a cell of the four vertices of a quadrilateral of one layer and those of the next one. */
static void put_cell(solid_case *solid, const uint32_t quad[4], uint32_t above)
{
    uint32_t *const cell = solid->cell + 8 * solid->num_cells++;

    for (unsigned i = 0; i < 4; i++) {
        cell[i] = quad[i];
        cell[4 + i] = quad[i] + above;
    }
}

solid_case solid_box(uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t row = x + 1, layer = row * (y + 1);
    solid_case solid = {.num_points = (size_t)layer * (z + 1)};

    solid.point = room(3 * solid.num_points, sizeof *solid.point);
    solid.cell = room((size_t)8 * x * y * z, sizeof *solid.cell);
    for (uint32_t i = 0; i < solid.num_points; i++) {
        solid.point[3 * i] = i % row;
        solid.point[3 * i + 1] = i / row % (y + 1);
        solid.point[3 * i + 2] = i / layer;
    }
    for (uint32_t k = 0; k < z; k++)
        for (uint32_t j = 0; j < y; j++)
            for (uint32_t i = 0; i < x; i++) {
                const uint32_t v = k * layer + j * row + i;
                const uint32_t quad[4] = {v, v + 1, v + row + 1, v + row};
                put_cell(&solid, quad, layer);
            }
    return solid;
}

/* Vertices of a slice of a prism: the centre, SIDE of each ray, SIDE * SIDE of each sector. */
static uint32_t slice_vertex(uint32_t rays, uint32_t sector, uint32_t a, uint32_t b)
{
    if (a == 0 && b == 0) return 0;
    if (b == 0) return 1 + sector * SIDE + a - 1;
    if (a == 0) return 1 + (sector + 1) % rays * SIDE + b - 1;
    return 1 + rays * SIDE + (sector * SIDE + a - 1) * SIDE + b - 1;
}

solid_case solid_prism(uint32_t sectors, int is_closed, uint32_t layers)
{
    const uint32_t rays = is_closed ? sectors : sectors + 1;
    const uint32_t slice = 1 + rays * SIDE + sectors * SIDE * SIDE;
    const double whole = 8.0 * atan(1.0), open = whole / 4.0 * sectors;
    const double angle =
        is_closed || open > 0.9 * whole ? (is_closed ? 1.0 : 0.9) * whole / sectors : whole / 4.0;
    solid_case solid = {.num_points = (size_t)slice * (layers + 1)};

    solid.point = room(3 * solid.num_points, sizeof *solid.point);
    solid.cell = room((size_t)8 * sectors * SIDE * SIDE * layers, sizeof *solid.cell);
    for (uint32_t l = 0; l <= layers; l++)
        for (uint32_t s = 0; s < sectors; s++)
            for (uint32_t ab = 0; ab < (SIDE + 1) * (SIDE + 1); ab++) {
                const uint32_t a = ab / (SIDE + 1), b = ab % (SIDE + 1);
                const uint32_t v = l * slice + slice_vertex(rays, s, a, b);
                solid.point[3 * v] = a * cos(s * angle) + b * cos((s + 1) * angle);
                solid.point[3 * v + 1] = a * sin(s * angle) + b * sin((s + 1) * angle);
                solid.point[3 * v + 2] = l;
                if (l == layers || a == SIDE || b == SIDE) continue;
                const uint32_t quad[4] = {v, l * slice + slice_vertex(rays, s, a + 1, b),
                                          l * slice + slice_vertex(rays, s, a + 1, b + 1),
                                          l * slice + slice_vertex(rays, s, a, b + 1)};
                put_cell(&solid, quad, slice);
            }
    return solid;
}

/* ---- files ---- */

static int read_points(FILE *file, solid_case *solid)
{
    for (size_t i = 0; i < 3 * solid->num_points; i++)
        if (fscanf(file, "%lf", &solid->point[i]) != 1) return 0;
    return 1;
}

static int read_cells(FILE *file, solid_case *solid, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        unsigned count, vertex;
        if (fscanf(file, "%u", &count) != 1 || count != 8) return 0;
        for (unsigned k = 0; k < 8; k++) {
            if (fscanf(file, "%u", &vertex) != 1 || vertex >= solid->num_points) return 0;
            solid->cell[8 * i + k] = vertex;
        }
    }
    solid->num_cells = num;
    return 1;
}

solid_case solid_read_vtk(const char *path)
{
    solid_case solid = {0};
    FILE *const file = fopen(path, "r");
    char word[64];
    int good = file != NULL;

    while (good && fscanf(file, "%63s", word) == 1 && !solid.num_cells) {
        size_t num, size;
        if (strcmp(word, "POINTS") == 0) {
            good = !solid.point && fscanf(file, "%zu %63s", &num, word) == 2 && num < 1u << 24;
            solid.num_points = good ? num : 0;
            if (good) solid.point = room(3 * num, sizeof *solid.point);
            good = good && read_points(file, &solid);
        } else if (strcmp(word, "CELLS") == 0) {
            good = !solid.cell && fscanf(file, "%zu %zu", &num, &size) == 2 && num < 1u << 24;
            if (good) solid.cell = room(8 * num, sizeof *solid.cell);
            good = good && read_cells(file, &solid, num);
        }
    }
    if (file) fclose(file);
    if (!good || !solid.num_cells) solid_free(&solid);
    return solid;
}

/* ---- changes ---- */

void solid_jitter(solid_case *solid, double amount, uint64_t seed)
{
    for (size_t i = 0; i < 3 * solid->num_points; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        solid->point[i] += amount * ((double)(seed >> 40) / (double)(1 << 23) - 1.0);
    }
}

/* A face: its vertices sorted, and in cyclic order. */
typedef struct side {
    uint32_t sorted[4], loop[4];
} side;

static int by_vertices(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(uint32_t[4]));
}

static void sort_4(uint32_t *list)
{
    for (unsigned i = 1; i < 4; i++)
        for (unsigned j = i; j > 0 && list[j] < list[j - 1]; j--) {
            const uint32_t swap = list[j];
            list[j] = list[j - 1];
            list[j - 1] = swap;
        }
}

static void normal_of(const solid_case *solid, const side *face, double normal[3])
{
    const double *const p[4] = {
        solid->point + 3 * (size_t)face->loop[0], solid->point + 3 * (size_t)face->loop[1],
        solid->point + 3 * (size_t)face->loop[2], solid->point + 3 * (size_t)face->loop[3]};
    double length = 0;

    for (unsigned a = 0; a < 3; a++) {
        const unsigned b = (a + 1) % 3, c = (a + 2) % 3;
        normal[a] =
            (p[2][b] - p[0][b]) * (p[3][c] - p[1][c]) - (p[2][c] - p[0][c]) * (p[3][b] - p[1][b]);
        length += normal[a] * normal[a];
    }
    for (unsigned a = 0; a < 3; a++)
        normal[a] /= sqrt(length);
}

/* Sorts all faces of cells and keeps those of one cell; returns their number. */
static size_t boundary_sides(const solid_case *solid, side *sides)
{
    static const unsigned loops[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    const size_t total = 6 * solid->num_cells;
    size_t num = 0;

    for (size_t i = 0; i < total; i++) {
        for (unsigned k = 0; k < 4; k++)
            sides[i].loop[k] = sides[i].sorted[k] = solid->cell[8 * (i / 6) + loops[i % 6][k]];
        sort_4(sides[i].sorted);
    }
    qsort(sides, total, sizeof *sides, by_vertices);
    for (size_t i = 0; i < total; i++) {
        const int same_before = i > 0 && !by_vertices(&sides[i], &sides[i - 1]);
        const int same_next = i + 1 < total && !by_vertices(&sides[i], &sides[i + 1]);
        if (same_before) continue;
        if (same_next)
            i++;
        else
            sides[num++] = sides[i];
    }
    return num;
}

void solid_crease(solid_case *solid, double angle)
{
    side *const sides = room(6 * solid->num_cells, sizeof *sides);
    const size_t num = boundary_sides(solid, sides);

    solid->crease = room(4 * num, 2 * sizeof *solid->crease);
    solid->num_creases = 0;
    for (size_t f = 0; f < num; f++)
        for (unsigned k = 0; k < 4; k++) {
            const uint32_t a = sides[f].loop[k], b = sides[f].loop[(k + 1) % 4];
            for (size_t g = 0; g < f; g++)
                for (unsigned l = 0; l < 4; l++) {
                    double m[3], n[3];
                    if (sides[g].loop[l] != b || sides[g].loop[(l + 1) % 4] != a) continue;
                    normal_of(solid, &sides[f], m);
                    normal_of(solid, &sides[g], n);
                    if (m[0] * n[0] + m[1] * n[1] + m[2] * n[2] >= cos(angle)) continue;
                    solid->crease[2 * solid->num_creases] = a;
                    solid->crease[2 * solid->num_creases++ + 1] = b;
                }
        }
    free(sides);
}

uint32_t *solid_tetrahedra(const solid_case *solid)
{
    static const uint8_t parts[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                        {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
    uint32_t *const index = room(24 * solid->num_cells, sizeof *index);

    for (size_t i = 0; i < 24 * solid->num_cells; i++)
        index[i] = solid->cell[8 * (i / 24) + parts[i % 24 / 4][i % 4]];
    return index;
}
