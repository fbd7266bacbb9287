#include "solid_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 3 };

static const char suite[] = "solid";

/* A box of cubes, each of which is one hexahedron or six tetrahedra around a diagonal. */
typedef struct box {
    const char *name;
    size_t num_cells, num_vertices, num_indices;
    uint8_t *kinds;
    uint32_t *index;
    double *points;
} box;

static void box_release(box *x)
{
    free(x->kinds);
    free(x->index);
    free(x->points);
    *x = (box){0};
}

/* Makes a box of so many cubes each way, of cells of a kind with so many corners, which are given
   as those of the cube: bit 0, 1 and 2 of a corner are its x, y and z. */
static clsp_status box_make(box *x, size_t side, uint8_t kind, const uint8_t *corner,
                            size_t corners, size_t num)
{
    const size_t line = side + 1, cubes = side * side * side;
    size_t at = 0;

    x->num_cells = num * cubes;
    x->num_vertices = line * line * line;
    x->num_indices = x->num_cells * corners;
    x->kinds = malloc(x->num_cells);
    x->index = malloc(x->num_indices * sizeof *x->index);
    x->points = malloc(3 * x->num_vertices * sizeof *x->points);
    if (!x->kinds || !x->index || !x->points) return CLSP_ERROR_NO_MEMORY;
    memset(x->kinds, kind, x->num_cells);
    for (size_t v = 0; v < x->num_vertices; v++) {
        x->points[3 * v] = (double)(v % line);
        x->points[3 * v + 1] = (double)(v / line % line);
        x->points[3 * v + 2] = (double)(v / (line * line));
    }
    for (size_t c = 0; c < cubes; c++)
        for (size_t i = 0; i < num * corners; i++) {
            const size_t bits = corner[i], column = c % side + (bits & 1);
            const size_t row = c / side % side + (bits >> 1 & 1);
            x->index[at++] =
                (uint32_t)(((c / (side * side) + (bits >> 2)) * line + row) * line + column);
        }
    return CLSP_OK;
}

/* ---- memory ---- */

/* Returns a number of bytes that the system tells of this process; NAN where it does not. */
static double memory_of(const char *name)
{
    FILE *const file = fopen("/proc/self/status", "r");
    char line[256];
    double found = NAN;

    while (file && isnan(found) && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0) found = 1024 * atof(line + strlen(name));
    if (file) fclose(file);
    return found;
}

/* Lets the most memory be counted from now on, where the system can do that. */
static void forget_most(void)
{
    FILE *const file = fopen("/proc/self/clear_refs", "w");

    if (!file) return;
    fputs("5", file);
    fclose(file);
}

/* ---- what is measured ---- */

/* Something made of cells: by make(), which step. */
typedef struct making {
    bench *b;
    const box *box;
    clsp_solid_mesh *mesh, *fine;
    clsp_solid_plan *plan;
} making;

static clsp_status make_mesh(making *m)
{
    const clsp_solid_cells cells = {.num_vertices = m->box->num_vertices,
                                    .num_cells = m->box->num_cells,
                                    .kinds = m->box->kinds,
                                    .index = m->box->index,
                                    .num_indices = m->box->num_indices,
                                    .points = m->box->points};

    clsp_solid_mesh_destroy(&m->mesh);
    return clsp_solid_mesh_create(&m->mesh, m->b->ctx, &cells);
}

static clsp_status make_fine(making *m)
{
    clsp_solid_mesh_destroy(&m->fine);
    return clsp_solid_mesh_refine(&m->fine, m->mesh);
}

static clsp_status make_plan(making *m)
{
    const clsp_solid_desc desc = {.precision = CLSP_F32,
                                  .axis = {{.num = 4}, {.num = 4}, {.num = 4}}};

    clsp_solid_plan_destroy(&m->plan);
    return clsp_solid_plan_create(&m->plan, m->fine, &desc);
}

static void release(making *m)
{
    clsp_solid_plan_destroy(&m->plan);
    clsp_solid_mesh_destroy(&m->fine);
    clsp_solid_mesh_destroy(&m->mesh);
}

static void report_number(const making *m, const char *what, const char *of, double number,
                          const char *unit)
{
    char method[64];
    bench_row row = bench_row_empty(suite, m->box->name, method, 0);

    snprintf(method, sizeof method, "%s%s", what, of);
    row.rate = number;
    row.unit = unit;
    bench_report_row(m->b->report, &row);
}

/* Measures a step that makes so many cells, or a plan of them: its time, that of all processors,
   and memory, which is that of the first time. */
static clsp_status measure(making *m, const char *what, clsp_status (*make)(making *m),
                           size_t num_cells, double least)
{
    const double before = memory_of("VmRSS:"), cells = (double)num_cells;
    double elapsed[RUNS], work[RUNS], kept = NAN, most = NAN;
    bench_row row = bench_row_empty(suite, m->box->name, what, 0);
    clsp_status status;

    for (int i = 0; i < RUNS; i++) {
        forget_most();
        const clock_t clocks = clock();
        const double start = bench_now_ms();
        BENCH_TRY(make(m));
        elapsed[i] = bench_now_ms() - start;
        work[i] = (double)(clock() - clocks) / CLOCKS_PER_SEC;
        if (i > 0) continue;
        kept = memory_of("VmRSS:") - before;
        most = memory_of("VmHWM:") - before;
    }
    row.time = bench_timing_of(elapsed, RUNS);
    row.work = cells;
    row.unit = "cell/s";
    row.least = m->b->quick ? NAN : least;
    bench_report_row(m->b->report, &row);
    report_number(m, what, ", by processor time", cells / bench_timing_of(work, RUNS).median_ms,
                  "cell/s");
    report_number(m, what, ", memory kept", kept / cells, "B/cell");
    report_number(m, what, ", memory at most", most / cells, "B/cell");

fail:
    return status;
}

/* Measures how a mesh of a box is made. */
static clsp_status run_mesh(bench *b, const box *x)
{
    making m = {.b = b, .box = x};
    const clsp_status status = measure(&m, "made", make_mesh, x->num_cells, 1.5e6);

    release(&m);
    return bench_check(status, x->name);
}

/* Measures how a mesh of a box is refined, and a plan of that. */
static clsp_status run_refined(bench *b, const box *x)
{
    making m = {.b = b, .box = x};
    clsp_solid_counts counts;
    clsp_status status;

    BENCH_TRY(make_mesh(&m));
    BENCH_TRY(make_fine(&m));
    BENCH_TRY(clsp_solid_mesh_counts(m.fine, &counts));
    clsp_solid_mesh_destroy(&m.fine);
    BENCH_TRY(measure(&m, "refined", make_fine, counts.num_cells, NAN));
    BENCH_TRY(make_plan(&m)); /* programs are there then */
    clsp_solid_plan_destroy(&m.plan);
    BENCH_TRY(measure(&m, "plan", make_plan, counts.num_cells, 1e6));

fail:
    release(&m);
    return bench_check(status, x->name);
}

/* A box, its cells and what is measured of it. */
typedef struct mesh_case {
    const char *name;
    size_t side, quick_side;
    uint8_t kind, corners, num; /* of the cells of a cube */
    const uint8_t *corner;
    clsp_status (*run)(bench *b, const box *x);
} mesh_case;

clsp_status solid_meshes_run(bench *b)
{
    static const uint8_t cube[] = {0, 1, 3, 2, 4, 5, 7, 6};
    static const uint8_t parts[] = {0, 1, 3, 7, 0, 3, 2, 7, 0, 2, 6, 7,
                                    0, 6, 4, 7, 0, 4, 5, 7, 0, 5, 1, 7};
    static const mesh_case cases[] = {
        {"mesh of hexahedra", 100, 20, CLSP_SOLID_HEXAHEDRON, 8, 1, cube, run_mesh},
        {"mesh of tetrahedra", 56, 11, CLSP_SOLID_TETRAHEDRON, 4, 6, parts, run_mesh},
        {"mesh of refined tetrahedra", 24, 11, CLSP_SOLID_TETRAHEDRON, 4, 6, parts, run_refined}};
    clsp_status status = CLSP_OK;
    box x = {.name = NULL};

    for (size_t i = 0; i < BENCH_COUNT(cases) && status == CLSP_OK; i++) {
        const mesh_case *const c = &cases[i];
        if (!bench_wants(b, c->name)) continue;
        x.name = c->name;
        BENCH_TRY(box_make(&x, b->quick ? c->quick_side : c->side, c->kind, c->corner, c->corners,
                           c->num));
        BENCH_TRY(c->run(b, &x));
        box_release(&x);
    }

fail:
    box_release(&x);
    return status;
}
