#include "solid_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    FEW_POINTS = 1 << 14,
    SOME_POINTS = 1 << 17,
    MANY_POINTS = 1 << 20,
    BOX_SIDE = 20,
    UNLIKE_SIDE = 4
};

static const char suite[] = "solid";

/* Points, and what becomes of them, in host memory. */
typedef struct places_run {
    solid_run run;
    size_t num;
    void *points, *places;
    uint32_t *cells;
} places_run;

static clsp_status locate(void *user)
{
    const places_run *const p = user;
    const clsp_type type = p->run.precision;
    const size_t each = type == CLSP_F64 ? CLSP_SOLID_PLACE_F64_SIZE : CLSP_SOLID_PLACE_F32_SIZE;
    const clsp_solid_queries queries = {
        .num = p->num, .points = {.type = type, .host = p->points, .size = 3 * p->num}};
    const clsp_output out = {.type = type, .host = p->places, .size = each * p->num};

    return bench_check(clsp_solid_locate(p->run.plan, &queries, out, NULL), p->run.name);
}

static void put(places_run *p, size_t i, double value)
{
    if (p->run.precision == CLSP_F64)
        ((double *)p->points)[i] = value;
    else
        ((float *)p->points)[i] = (float)value;
}

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

/* Makes points of parameters anywhere in the cells. */
static clsp_status make_inside(places_run *p)
{
    const clsp_points list = {
        .num = p->num,
        .item = clsp_in_u32(p->cells, p->num),
        .params = {.type = p->run.precision, .host = p->points, .size = 3 * p->num}};
    const size_t real = clsp_type_bytes(p->run.precision);
    void *const made = malloc(3 * p->num * real);
    uint64_t state = 1;

    if (!made) return CLSP_ERROR_NO_MEMORY;
    for (size_t i = 0; i < p->num; i++)
        p->cells[i] = (uint32_t)((double)p->run.model->counts.num_cells * uniform(&state));
    for (size_t i = 0; i < 3 * p->num; i++)
        put(p, i, uniform(&state));
    const clsp_status status = clsp_solid_eval_points(
        p->run.plan, &list,
        (clsp_output){.type = p->run.precision, .host = made, .size = 3 * p->num}, NULL);
    free(p->points);
    p->points = made;
    return bench_check(status, p->run.name);
}

/* Makes points anywhere in the box around the control points. */
static void make_around(places_run *p)
{
    const solid_model *const m = p->run.model;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    uint64_t state = 2;

    for (size_t i = 0; i < 3 * m->counts.num_vertices; i++) {
        low[i % 3] = fmin(low[i % 3], m->points[i]);
        high[i % 3] = fmax(high[i % 3], m->points[i]);
    }
    for (size_t i = 0; i < 3 * p->num; i++)
        put(p, i, low[i % 3] + (high[i % 3] - low[i % 3]) * uniform(&state));
}

/* Counts points that are not found. */
static size_t count_lost(const places_run *p)
{
    size_t lost = 0;

    for (size_t i = 0; i < p->num; i++)
        lost +=
            (p->run.precision == CLSP_F64
                 ? ((const clsp_solid_place_f64 *)p->places)[i].status
                 : ((const clsp_solid_place_f32 *)p->places)[i].status) != CLSP_SOLID_PLACE_FOUND;
    return lost;
}

static bench_row row_of(const places_run *p, const char *method)
{
    return bench_row_empty(suite, p->run.name, method,
                           (int)(8 * clsp_type_bytes(p->run.precision)));
}

/* Measures a call, and the processor time that all cores spend on a point. is_inside: what is not
   found is lost. */
static clsp_status measure(places_run *p, const char *method, bool is_inside)
{
    const bench *const b = p->run.b;
    bench_contestant one = {.enqueue = locate, .user = p};
    bench_row row = row_of(p, method);
    clsp_status status;

    BENCH_TRY(bench_measure(b->queue, &one, 1, b->quick ? 5 : 20));
    row.time = one.sustained;
    row.work = (double)p->num;
    row.unit = "point/s";
    bench_report_row(b->report, &row);
    if (is_inside) {
        char lost[64];
        snprintf(lost, sizeof lost, "%s, lost", method);
        row = row_of(p, lost);
        row.rate = 100 * (double)count_lost(p) / (double)p->num;
        row.unit = "%";
        bench_report_row(b->report, &row);
    }
    const clock_t start = clock();
    BENCH_TRY(locate(p));
    row = row_of(p, method);
    row.rate = 1e6 * (double)(clock() - start) / CLOCKS_PER_SEC / (double)p->num;
    row.unit = "us/point";
    bench_report_row(b->report, &row);

fail:
    return status;
}

static clsp_status run_precision(bench *b, const solid_model *m, const char *name, clsp_type type,
                                 size_t num)
{
    places_run p = {.run = {.b = b, .model = m, .name = name, .precision = type, .samples = 1},
                    .num = b->quick ? FEW_POINTS : num};
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    p.points = malloc(3 * p.num * sizeof(double));
    p.cells = malloc(p.num * sizeof *p.cells);
    p.places = malloc(p.num * sizeof(clsp_solid_place_f64));
    if (!p.points || !p.cells || !p.places) goto fail;
    BENCH_TRY(solid_run_start(&p.run));
    BENCH_TRY(make_inside(&p));
    BENCH_TRY(measure(&p, "of parameters", true));
    make_around(&p);
    BENCH_TRY(measure(&p, "in the box", false));

fail:
    solid_run_release(&p.run);
    free(p.points);
    free(p.cells);
    free(p.places);
    return bench_check(status, name);
}

/* Measures so many points of a model: made of parameters, and anywhere in the box around it. */
static clsp_status run_model(bench *b, const solid_model *m, const char *name, size_t num)
{
    clsp_status status = CLSP_OK;

    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        if (b->wanted[p]) BENCH_TRY(run_precision(b, m, name, p, num));

fail:
    return status;
}

/* Measures a case, which is released. */
static clsp_status run_case(bench *b, solid_case *solid, const char *name)
{
    solid_model m = {.mesh = NULL};
    clsp_status status = CLSP_OK;

    if (solid->num_cells && bench_wants(b, name)) {
        BENCH_TRY(solid_model_make(b, &m, solid, name));
        BENCH_TRY(run_model(b, &m, name, MANY_POINTS));
    }

fail:
    solid_model_release(&m);
    solid_free(solid);
    return status;
}

clsp_status solid_located_all(bench *b)
{
    static const char unlike[] = "unlike cells, places";
    solid_case box = solid_box(BOX_SIDE, BOX_SIDE, BOX_SIDE), rod = solid_model_file("rod.vtk");
    solid_model m = {.mesh = NULL};
    clsp_status status;

    solid_jitter(&box, 0.2, 1);
    solid_crease(&box, 0.5);
    if (rod.num_cells) solid_crease(&rod, 0.5);
    status = run_case(b, &box, "box, places");
    const clsp_status second = run_case(b, &rod, "rod, places");
    BENCH_TRY(status);
    BENCH_TRY(second);
    if (bench_wants(b, unlike)) {
        BENCH_TRY(solid_unlike_model(b, &m, UNLIKE_SIDE));
        BENCH_TRY(solid_model_refine(&m)); /* hexahedra of the tetrahedra */
        BENCH_TRY(run_model(b, &m, unlike, SOME_POINTS));
    }

fail:
    solid_model_release(&m);
    return status;
}
