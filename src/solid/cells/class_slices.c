/* Slices of classes: which cells are layered. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "class_build.h"
#include "class_descent.h"

/* Columns of points along an axis. */
typedef struct columns {
    const clspi_cell_mesh *mesh;
    uint32_t axis, num;
    uint16_t *place; /* [4][num_points]: the points of each layer, by that of layer 1 */
    uint8_t *seen;   /* [cells] */
} columns;

/* Notes that a column has a point in a layer; false where it has another one. */
static bool note(columns *col, uint32_t layer, uint32_t base, uint32_t point)
{
    uint16_t *const place = col->place + (size_t)layer * col->mesh->num_vertices + base;

    if (*place != CLSPI_NO_POINT && *place != point) return false;
    col->num += layer == 1 && *place == CLSPI_NO_POINT;
    *place = (uint16_t)point;
    return true;
}

/* Notes the points of a cell of the middle layer and of those below and above. */
static bool note_cell(columns *col, uint32_t cell)
{
    const clspi_cell_mesh *const m = col->mesh;
    const uint32_t a = col->axis;
    const uint32_t *const mine = m->cell_vertex + (size_t)cell * CLSPI_CORNERS;
    bool fits = true;

    for (uint32_t i = 0; i < CLSPI_CORNERS && fits; i++)
        if (!(i >> a & 1))
            fits = note(col, 1, mine[i], mine[i]) && note(col, 2, mine[i], mine[i | 1u << a]);
    for (uint32_t s = 0; s < 2 && fits; s++) {
        const size_t face = (size_t)cell * CLSPI_CELL_FACES + 2 * a + s;
        const uint32_t next = m->across[face];
        if (next == CLSPI_NO_CELL) continue;
        for (uint32_t i = 0; i < CLSPI_CORNERS && fits; i++)
            if (!(i >> a & 1)) {
                const uint32_t far = clspi_frame_corner(m->frame[face], s ? i | 1u << a : i);
                fits =
                    note(col, 3 * s, mine[i], m->cell_vertex[(size_t)next * CLSPI_CORNERS + far]);
            }
    }
    return fits;
}

/* Goes through the cells of the middle layer. */
static bool note_layer(columns *col)
{
    const clspi_cell_mesh *const m = col->mesh;
    uint32_t queue[CLSPI_RING_CELLS], num = 1;
    bool fits = true;

    queue[0] = 0;
    col->seen[0] = 1;
    for (uint32_t i = 0; i < num && fits; i++) {
        fits = note_cell(col, queue[i]);
        for (uint32_t k = 0; k < CLSPI_CELL_FACES && fits; k++) {
            const size_t face = (size_t)queue[i] * CLSPI_CELL_FACES + k;
            const uint32_t next = m->across[face];
            if (k / 2 == col->axis || next == CLSPI_NO_CELL) continue;
            fits = clspi_frame_axis(m->frame[face], col->axis) == col->axis &&
                   !clspi_frame_flips(m->frame[face], col->axis);
            if (fits && !col->seen[next]) {
                col->seen[next] = 1;
                queue[num++] = next;
            }
        }
    }
    return fits;
}

/* Copies columns that are complete to a class: all have the same layers, and all points. */
static bool keep_slices(clspi_cell_class *of, const columns *col)
{
    const uint32_t points = of->num_points;
    uint32_t total = 0, at = 0;

    of->slice = malloc(4 * (size_t)col->num * sizeof *of->slice);
    if (!of->slice) return false;
    of->num_slice = col->num;
    for (uint32_t p = 0; p < points; p++) {
        if (col->place[points + p] == CLSPI_NO_POINT) continue;
        for (uint32_t l = 0; l < 4; l++) {
            of->slice[(size_t)l * col->num + at] = col->place[(size_t)l * points + p];
            total += col->place[(size_t)l * points + p] != CLSPI_NO_POINT;
        }
        at++;
    }
    of->axis = col->axis;
    for (uint32_t l = 0; l < 4; l += 3)
        for (uint32_t k = 1; k < col->num; k++)
            if ((of->slice[(size_t)l * col->num + k] == CLSPI_NO_POINT) !=
                (of->slice[(size_t)l * col->num] == CLSPI_NO_POINT))
                of->axis = CLSPI_NO_AXIS;
    if (total != points) of->axis = CLSPI_NO_AXIS;
    return true;
}

/* Tells whether weights are products of those of the slices and of B-splines along the axis. */
static bool is_product(const clspi_class_set *set, uint32_t number, double *row)
{
    static const double at[3][3] = {{0.3, 0.85, 0.6}, {0.9, 0.2, 0.05}, {0.015, 0.03, 0.77}};
    static const uint8_t by[3] = {0, 0, 0};
    const clspi_cell_class *const of = &set->entry[number];
    const size_t n = of->num_slice;
    double off = 0.0;

    for (uint32_t i = 0; i < 3; i++) {
        double span[4];
        clspi_class_weights(set, number, at[i], by, CLSPI_OFF_BOUNDARY, row);
        clspi_layer_weights(of, at[i][of->axis], 0, span);
        for (size_t k = 0; k < n; k++) {
            const double sum = clspi_column_sum(of, row, k);
            for (uint32_t l = 0; l < 4; l++)
                if (of->slice[l * n + k] != CLSPI_NO_POINT)
                    off = fmax(off, fabs(row[of->slice[l * n + k]] - sum * span[l]));
        }
    }
    return off < 1e-12;
}

bool clspi_class_find_slices(clspi_class_set *set, uint32_t number, const clspi_cell_mesh *mesh)
{
    const size_t points = mesh->num_vertices;
    clspi_cell_class *const of = &set->entry[number];
    double *const row = malloc(points * sizeof *row);
    columns col = {.mesh = mesh,
                   .place = malloc(4 * points * sizeof *col.place),
                   .seen = malloc(mesh->num_cells)};
    bool done = row && col.place && col.seen;

    for (uint32_t a = 0; a < 3 && done && of->axis == CLSPI_NO_AXIS; a++) {
        free(of->slice);
        of->slice = NULL;
        col.axis = a;
        col.num = 0;
        memset(col.place, 0xff, 4 * points * sizeof *col.place);
        memset(col.seen, 0, mesh->num_cells);
        if (!note_layer(&col)) continue;
        done = keep_slices(of, &col);
        if (done && of->axis == a && !is_product(set, number, row)) of->axis = CLSPI_NO_AXIS;
    }
    free(row);
    free(col.place);
    free(col.seen);
    return done;
}
