#include "cell_points.h"

#include <stdlib.h>

/* ---- points ---- */

/* Finds the class of every cell, and how many points each has. */
static bool find_classes(clspi_cell_points *points, clspi_class_set *set,
                         const clspi_cell_mesh *mesh)
{
    points->first[0] = 0;
    for (uint32_t c = 0; c < mesh->num_cells; c++) {
        clspi_class_use *const use = &points->use[c];
        size_t num = CLSPI_GRID_POINTS;
        *use = (clspi_class_use){CLSPI_REGULAR, 0};
        if (!clspi_cell_is_regular(mesh, c)) {
            if (!clspi_class_find(set, mesh, c, use)) return false;
            num = set->ring->num_points;
        }
        points->first[c + 1] = points->first[c] + num;
    }
    return true;
}

uint32_t clspi_continued_point(clspi_cell_points *points, uint32_t a, uint32_t b)
{
    const uint32_t at =
        clspi_key_map_put(&points->continued, (clspi_key){(uint64_t)a << 32 | b, 0});

    return at >= CLSPI_NO_KEY - points->num_vertices ? CLSPI_NO_KEY : points->num_vertices + at;
}

/* Continues the grid of a regular cell beyond the boundary, along one axis after the other. */
static bool continue_grid(clspi_cell_points *points, uint32_t *grid)
{
    static const uint8_t stride[3] = {16, 4, 1};
    bool done = true;

    for (uint32_t a = 0; a < 3; a++)
        for (uint32_t i = 0; i < CLSPI_GRID_POINTS && done; i++) {
            const uint32_t s = stride[a], at = i / s % 4;
            const uint32_t one = at == 0 ? i + s : i - s, two = at == 0 ? i + 2 * s : i - 2 * s;
            if (grid[i] != CLSPI_NO_CELL || (at != 0 && at != 3)) continue;
            if (grid[one] == CLSPI_NO_CELL) continue; /* a later axis continues it */
            grid[i] = clspi_continued_point(points, grid[one], grid[two]);
            done = grid[i] != CLSPI_NO_KEY;
        }
    return done;
}

static bool find_points(clspi_cell_points *points, clspi_class_set *set,
                        const clspi_cell_mesh *mesh)
{
    bool done = true;

    for (uint32_t c = 0; c < mesh->num_cells && done; c++) {
        uint32_t *const index = points->index + points->first[c];
        const size_t num = points->first[c + 1] - points->first[c];
        clspi_class_use use;
        if (points->use[c].number == CLSPI_REGULAR) {
            clspi_regular_grid(mesh, c, index);
            done = continue_grid(points, index);
            continue;
        }
        done = clspi_class_find(set, mesh, c, &use);
        for (size_t i = 0; i < num && done; i++)
            index[i] = set->ring->point[i];
    }
    return done;
}

bool clspi_cell_points_make(clspi_cell_points *points, clspi_class_set *set,
                            const clspi_cell_mesh *mesh)
{
    const size_t cells = mesh->num_cells;
    bool done;

    *points = (clspi_cell_points){.num_cells = mesh->num_cells, .num_vertices = mesh->num_vertices};
    points->use = malloc((cells + 1) * sizeof *points->use);
    points->first = malloc((cells + 1) * sizeof *points->first);
    done = points->use && points->first && find_classes(points, set, mesh);
    if (done) points->index = malloc((points->first[cells] + 1) * sizeof *points->index);
    done = done && points->index && clspi_key_map_make(&points->continued) &&
           find_points(points, set, mesh) && clspi_class_set_build(set);
    if (!done) clspi_cell_points_release(points);
    return done;
}

void clspi_cell_points_release(clspi_cell_points *points)
{
    clspi_key_map_release(&points->continued);
    free(points->use);
    free(points->first);
    free(points->index);
    *points = (clspi_cell_points){0};
}

void clspi_cell_points_continue(const clspi_cell_points *points, uint32_t channels, double *control)
{
    for (size_t i = 0; i < points->continued.num; i++) {
        const double *const a = control + (size_t)clspi_continued_from(points, i, 0) * channels;
        const double *const b = control + (size_t)clspi_continued_from(points, i, 1) * channels;
        double *const to = control + (points->num_vertices + i) * channels;
        for (uint32_t k = 0; k < channels; k++)
            to[k] = 2.0 * a[k] - b[k];
    }
}

/* ---- weights ---- */

double clspi_frame_parameter(uint32_t frame, const double t[3], const uint8_t by[3],
                             double framed_t[3], uint8_t framed_by[3])
{
    double factor = 1.0;

    for (uint32_t a = 0; a < 3; a++) {
        const uint32_t own = clspi_frame_axis(frame, a);
        const bool flips = clspi_frame_flips(frame, a);
        framed_t[a] = flips ? 1.0 - t[own] : t[own];
        framed_by[a] = by[own];
        if (flips && by[own] & 1) factor = -factor;
    }
    return factor;
}

void clspi_cell_weights(const clspi_cell_points *points, const clspi_class_set *set, uint32_t cell,
                        const double t[3], const uint8_t by[3], double *row)
{
    const clspi_class_use use = points->use[cell];
    const size_t num = points->first[cell + 1] - points->first[cell];
    double framed_t[3], factor;
    uint8_t framed_by[3];

    if (use.number == CLSPI_REGULAR) {
        clspi_regular_weights(t, by, row);
        return;
    }
    factor = clspi_frame_parameter(use.frame, t, by, framed_t, framed_by);
    clspi_class_weights(set, use.number, framed_t, framed_by, row);
    for (size_t i = 0; i < num && factor < 0.0; i++)
        row[i] = -row[i];
}
