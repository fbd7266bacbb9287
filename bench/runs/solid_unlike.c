#include "solid_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "unlike cells";

/* ---- the mesh ---- */

/* Tetrahedra on their way. */
typedef struct tetrahedra {
    uint32_t (*cell)[4];
    double (*point)[3];
    size_t num_cells, num_points;
    uint64_t state;
} tetrahedra;

/* Returns a number in [0, 1). */
static double draw(tetrahedra *t)
{
    t->state = t->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(t->state >> 11) * 0x1p-53;
}

/* Adds the points of a box of so many cubes each way, moved within. */
static void add_points(tetrahedra *t, uint32_t side)
{
    for (uint32_t i = 0; i <= side; i++)
        for (uint32_t j = 0; j <= side; j++)
            for (uint32_t k = 0; k <= side; k++) {
                double *const p = t->point[t->num_points++];
                p[0] = i + 0.3 * draw(t);
                p[1] = j + 0.3 * draw(t);
                p[2] = k + 0.3 * draw(t);
            }
}

/* Cuts all cubes into six tetrahedra around a diagonal. */
static void add_cells(tetrahedra *t, uint32_t side)
{
    static const uint8_t corner[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                         {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    const uint32_t line = side + 1;

    for (uint32_t x = 0; x < side * side * side; x++) {
        const uint32_t first = (x / (side * side) * line + x / side % side) * line + x % side;
        for (size_t c = 0; c < 6; c++, t->num_cells++)
            for (size_t i = 0; i < 4; i++) {
                const uint32_t at = corner[c][i];
                t->cell[t->num_cells][i] =
                    first + (at >> 2) * line * line + (at >> 1 & 1) * line + (at & 1);
            }
    }
}

/* Splits some tetrahedra into four around a point within. */
static void split(tetrahedra *t, size_t most)
{
    const size_t num = t->num_cells;

    for (size_t c = 0; c < num && t->num_cells + 3 <= most; c++) {
        if (draw(t) > 1.0 / 3.0) continue;
        const uint32_t middle = (uint32_t)t->num_points++;
        for (size_t a = 0; a < 3; a++) {
            t->point[middle][a] = 0.0;
            for (size_t i = 0; i < 4; i++)
                t->point[middle][a] += t->point[t->cell[c][i]][a] / 4.0;
        }
        for (size_t i = 1; i < 4; i++) {
            memcpy(t->cell[t->num_cells], t->cell[c], sizeof t->cell[c]);
            t->cell[t->num_cells++][i] = middle;
        }
        t->cell[c][0] = middle;
    }
}

clsp_status solid_unlike_model(bench *b, solid_model *m, uint32_t side)
{
    const size_t cubes = (size_t)side * side * side, most = 12 * cubes;
    tetrahedra t = {.cell = malloc(most * sizeof *t.cell),
                    .point = malloc(8 * (cubes + most) * sizeof *t.point),
                    .state = 1};
    uint8_t *const kinds = malloc(most);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (t.cell && t.point && kinds) {
        add_points(&t, side);
        add_cells(&t, side);
        split(&t, most);
        memset(kinds, CLSP_SOLID_TETRAHEDRON, most);
        const clsp_solid_cells cells = {.num_vertices = t.num_points,
                                        .num_cells = t.num_cells,
                                        .kinds = kinds,
                                        .index = t.cell[0],
                                        .num_indices = 4 * t.num_cells};
        status = clsp_solid_mesh_create(&m->mesh, b->ctx, &cells);
        if (status == CLSP_OK) status = clsp_solid_mesh_counts(m->mesh, &m->counts);
    }
    m->points = (double *)t.point;
    free(t.cell);
    free(kinds);
    return bench_check(status, name);
}

/* ---- measuring ---- */

/* Measures points on grids of so many samples. */
static clsp_status measure_points(const solid_run *like, uint32_t samples)
{
    solid_run r = *like;
    bench_contestant c = {.enqueue = solid_run_enqueue, .user = &r};
    char method[SOLID_NAME_MAX];
    clsp_status status;

    r.samples = samples;
    snprintf(method, sizeof method, "%u^3", samples);
    BENCH_TRY(solid_run_start(&r));
    BENCH_TRY(bench_measure(r.b->queue, &c, 1, r.b->quick ? 5 : 20));
    solid_run_report(&r, method, &c, NAN);

fail:
    solid_run_release(&r);
    return status;
}

/* Measures how a plan is made, and how it takes control points. */
static clsp_status measure_plan(const solid_run *r)
{
    const clsp_solid_desc desc = {.precision = r->precision,
                                  .axis = {{.num = 4}, {.num = 4}, {.num = 4}}};
    const solid_model *const m = r->model;
    clsp_solid_plan *plan = NULL;
    cl_mem points = NULL;
    clsp_status status;

    BENCH_TRY(bench_check(solid_model_upload(r->b, m, r->precision, &points), name));
    BENCH_TRY(clsp_solid_plan_create(&plan, m->mesh, &desc)); /* programs are there then */
    clsp_solid_plan_destroy(&plan);
    const double start = bench_now_ms();
    BENCH_TRY(clsp_solid_plan_create(&plan, m->mesh, &desc));
    const double made = bench_now_ms();
    for (int i = 0; i < 2; i++)
        BENCH_TRY(
            clsp_solid_set_control_points(plan, clsp_in_buffer(points, r->precision, 0), NULL));
    clFinish(r->b->queue);
    const double loaded = bench_now_ms(), cells = (double)m->counts.num_cells;
    solid_run_number(r, "plan", 1e3 * cells / (made - start), "cell/s", r->b->quick ? NAN : 1e5);
    solid_run_number(r, "control points", 2e3 * cells / (loaded - made), "cell/s", NAN);

fail:
    clsp_solid_plan_destroy(&plan);
    if (points) clReleaseMemObject(points);
    return status;
}

clsp_status solid_unlike_run(bench *b, clsp_type precision)
{
    solid_model m = {.name = "tetrahedra"};
    const solid_run r = {.b = b, .model = &m, .name = name, .precision = precision};
    clsp_status status;

    BENCH_TRY(solid_unlike_model(b, &m, b->quick ? 6 : 16));
    BENCH_TRY(solid_model_refine(&m));
    BENCH_TRY(measure_plan(&r));
    BENCH_TRY(measure_points(&r, 4));
    BENCH_TRY(measure_points(&r, 8));

fail:
    solid_model_release(&m);
    return bench_check(status, name);
}
