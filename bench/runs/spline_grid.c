#include "suite_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bezier_run.h"
#include "reference.h"

enum { DEGREE = 3, CONTROLS = 64, LARGE = 0 /* samples: as many as make the largest output */ };

/* wanted: of the fastest stores, on GPUs; NAN: none. */
static const struct {
    size_t samples, patches;
    double wanted;
    bool normals, quick;
} grids[] = {{300, 1, NAN, false, false},   {1000, 1, NAN, false, false},
             {2000, 1, 0.8, false, true},   {2000, 16, 0.8, false, false},
             {300, 100, 0.8, false, false}, {301, 100, NAN, false, false},
             {LARGE, 1, 0.8, false, true},  {2000, 1, NAN, true, true},
             {2000, 12, NAN, true, false},  {300, 100, NAN, true, false}};

typedef struct grid_run {
    bench *b;
    const char *suite;
    clsp_type precision;
    size_t samples, patches;
    uint32_t attributes;
    size_t elements; /* of a vertex */
    double wanted;
    char name[64];
    const bezier_ring *out;
    size_t slots, slot; /* outputs that the ring holds, and the next one */
    clsp_patch_plan *plan;
} grid_run;

static size_t reals_of(const grid_run *g)
{
    return g->patches * g->samples * g->samples * g->elements;
}

static size_t take(grid_run *g)
{
    const size_t slot = g->slot;

    g->slot = (slot + 1) % g->slots;
    return slot;
}

static clsp_status evaluate(void *user)
{
    grid_run *const g = user;
    const clsp_output out = clsp_out_buffer(g->out->buffer, g->precision, take(g) * reals_of(g));

    return bench_check(clsp_patch_eval(g->plan, (clsp_range){0, g->patches}, out, NULL),
                       "clsp_patch_eval");
}

static clsp_status store(void *user)
{
    grid_run *const g = user;
    bench_floor *const floor = &g->b->floor[g->precision];
    const size_t items = reals_of(g) / floor->store_reals;

    return bench_kernel_launch(&floor->store, take(g) * items, items, NULL);
}

static clsp_status load(grid_run *g)
{
    const size_t num = g->patches * CONTROLS * CONTROLS * 3;
    double *const points = malloc(num * sizeof *points);
    float *const narrow = malloc(num * sizeof *narrow);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (points && narrow) {
        bench_random_fill(points, num);
        for (size_t i = 0; i < num; i++)
            narrow[i] = (float)points[i];
        status = clsp_patch_set_control_points(
            g->plan, g->patches,
            g->precision == CLSP_F64 ? clsp_in_f64(points, num) : clsp_in_f32(narrow, num), NULL);
    }
    free(points);
    free(narrow);
    return bench_check(status, "clsp_patch_set_control_points");
}

static void report(const grid_run *g, const bench_contestant *all)
{
    static const char *const methods[] = {"grid", "store"};
    const double num = (double)g->samples, points = (double)g->patches * num * num;
    /* four terms a sum, over u or over v first, of points and of two derivatives */
    const double sums = g->elements > 3 ? 3.0 : 1.0;
    const double flops =
        sums * 2.0 * 3.0 * (DEGREE + 1) * (points + (double)g->patches * CONTROLS * num);
    const int bits = (int)(8 * clsp_type_bytes(g->precision));

    for (size_t i = 0; i < BENCH_COUNT(methods); i++) {
        bench_row row = bench_row_empty(g->suite, g->name, methods[i], bits);
        row.time = all[i].sustained;
        row.work = points;
        row.unit = "point/s";
        row.bytes = points * (double)g->elements * bits / 8;
        row.floor_ms = bench_floor_ms(&g->b->floor[g->precision], row.bytes, flops);
        bench_report_row(g->b->report, &row);
    }
    bench_row ratio = bench_row_empty(g->suite, g->name, "grid/store", bits);
    ratio.rate = bench_ratio(&all[0], &all[1]);
    ratio.unit = "ratio";
    ratio.least = bezier_takes_own_shape(g->b) ? g->wanted : NAN;
    bench_report_row(g->b->report, &ratio);
}

static clsp_status run_grid(grid_run *g)
{
    const clsp_axis axis = {.num = (uint32_t)g->samples};
    const clsp_bspline_desc desc = {.precision = g->precision,
                                    .degree = {DEGREE, DEGREE},
                                    .num_controls = {CONTROLS, CONTROLS},
                                    .axis = {axis, axis},
                                    .vertex.attributes = g->attributes};
    const bench_arg arg = BENCH_ARG(g->out->buffer);
    bench_contestant all[] = {{.enqueue = evaluate, .user = g}, {.enqueue = store, .user = g}};
    clsp_status status;

    BENCH_TRY(bench_check(clsp_bspline_plan_create(&g->plan, g->b->ctx, &desc),
                          "clsp_bspline_plan_create"));
    BENCH_TRY(load(g));
    BENCH_TRY(bench_kernel_args(&g->b->floor[g->precision].store, &arg, 1));
    BENCH_TRY(bench_measure(g->b->queue, all, BENCH_COUNT(all), g->b->quick ? 5 : 20));
    report(g, all);

fail:
    clsp_patch_plan_destroy(&g->plan);
    return status;
}

/* For at least the wanted bytes, as far as one buffer goes. */
static size_t large_samples(const bench *b, clsp_type precision)
{
    const double points = (double)bench_large_bytes(b) / (double)(3 * clsp_type_bytes(precision));

    return (size_t)sqrt(points);
}

clsp_status spline_grid_run(bench *b, const char *suite, clsp_type precision)
{
    clsp_status status;
    bezier_ring out = {0};

    BENCH_TRY(bezier_ring_create(b, &out));
    for (size_t i = 0; i < BENCH_COUNT(grids); i++) {
        grid_run g = {.b = b,
                      .suite = suite,
                      .precision = precision,
                      .samples = grids[i].samples,
                      .patches = grids[i].patches,
                      .attributes = CLSP_VERTEX_POINT | (grids[i].normals ? CLSP_VERTEX_NORMAL : 0),
                      .elements = grids[i].normals ? 6 : 3,
                      .wanted = b->is_cpu && grids[i].patches > 1 ? NAN : grids[i].wanted,
                      .out = &out};
        if (b->quick && !grids[i].quick) continue;
        if (g.samples == LARGE) g.samples = large_samples(b, precision);
        g.slots = out.bytes / (reals_of(&g) * clsp_type_bytes(precision));
        snprintf(g.name, sizeof g.name, "%dx%d, %zu of %zux%zu%s", CONTROLS, CONTROLS, g.patches,
                 g.samples, g.samples, grids[i].normals ? ", normals" : "");
        /* large batches are for GPUs, which have room for them */
        if (g.slots > 0 && bench_wants(b, g.name)) BENCH_TRY(run_grid(&g));
    }

fail:
    bezier_ring_release(&out);
    return status;
}
