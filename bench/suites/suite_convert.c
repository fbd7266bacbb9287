/* B-splines to other knots: Bezier pieces, knots more, higher degrees, derivatives, of many curves
   and surfaces; by sums of bands and by whole matrices, against what the device can copy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { COORDS = 3, NAME_MAX = 80, METHODS = 2 };

static const char suite[] = "convert";

typedef struct convert_case {
    const char *name;
    uint32_t directions, degree, controls; /* along each direction */
    size_t patches;                        /* on GPUs; on CPUs a tenth */
    bool bezier;
    uint32_t elevate, derivative;
    bool by_matrix; /* a matrix is no larger than it may be */
    double wanted;  /* of the copy, of bands on GPUs; NAN: none */
} convert_case;

static const convert_case cases[] = {
    {"curves, pieces", 1, 3, 10, 1000000, true, 0, 0, true, 0.5},
    {"curves, pieces", 1, 5, 16, 400000, true, 0, 0, true, 0.5},
    {"curves, pieces", 1, 3, 100, 100000, true, 0, 0, true, NAN},
    {"curves, pieces", 1, 3, 100000, 100, true, 0, 0, false, NAN},
    {"curves, degree + 1", 1, 3, 10, 1000000, false, 1, 0, true, NAN},
    {"curves, derivative", 1, 3, 10, 1000000, false, 0, 1, true, NAN},
    {"surfaces, pieces", 2, 3, 10, 30000, true, 0, 0, true, NAN},
    {"surfaces, degree + 1", 2, 3, 10, 100000, false, 1, 0, true, NAN},
    {"surfaces, pieces", 2, 3, 1000, 10, true, 0, 0, false, NAN},
};

/* One case in one precision. */
typedef struct convert_run {
    bench *b;
    const convert_case *c;
    clsp_type precision;
    size_t patches, inputs, outputs; /* control points: of a patch before and after */
    cl_mem controls, made;
    char name[NAME_MAX];
} convert_run;

/* A plan with a target, as a contestant. */
typedef struct convert_way {
    const convert_run *run;
    clsp_patch_plan *plan;
} convert_way;

static clsp_status enqueue_way(void *user)
{
    const convert_way *const way = user;
    const convert_run *const r = way->run;

    return clsp_bspline_convert(way->plan, (clsp_range){0, r->patches},
                                clsp_out_buffer(r->made, r->precision, 0), NULL);
}

/* ---- a case ---- */

static size_t power(size_t x, uint32_t n)
{
    return n == 0 ? 1 : x * power(x, n - 1);
}

/* Counts a patch's control points after the change, with knots that are simple within. */
static size_t count_outputs(const convert_case *c)
{
    const size_t spans = c->controls - c->degree, degree = c->degree + c->elevate - c->derivative;
    const size_t times = 1 + c->elevate; /* of an inner knot */

    return power(c->bezier ? spans * (degree + 1) : (spans - 1) * times + degree + 1,
                 c->directions);
}

static clsp_status create_buffer(const convert_run *r, size_t reals, cl_mem *buffer)
{
    cl_int code;

    *buffer = clCreateBuffer(r->b->context, CL_MEM_READ_WRITE,
                             reals * clsp_type_bytes(r->precision), NULL, &code);
    return bench_check(code, r->name);
}

/* Writes control points, the same in every run, some at a time. */
static clsp_status upload(const convert_run *r)
{
    enum { MOST = 1 << 20 };
    const size_t all = r->patches * r->inputs * COORDS, bytes = clsp_type_bytes(r->precision);
    void *const values = malloc(MOST * sizeof(double));
    clsp_status status = values ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    for (size_t i = 0; i < MOST && values; i++) {
        const double x = (double)(i * 2654435761u % 65536) / 32768 - 1;
        if (r->precision == CLSP_F64)
            ((double *)values)[i] = x;
        else
            ((float *)values)[i] = (float)x;
    }
    for (size_t first = 0; first < all && status == CLSP_OK; first += MOST) {
        const size_t num = all - first < MOST ? all - first : MOST;
        status = clEnqueueWriteBuffer(r->b->queue, r->controls, CL_TRUE, first * bytes, num * bytes,
                                      values, 0, NULL, NULL);
    }
    free(values);
    return bench_check(status, r->name);
}

static clsp_status start(convert_run *r, bench *b, const convert_case *c, clsp_type precision)
{
    clsp_status status;
    const size_t bytes = COORDS * clsp_type_bytes(precision);

    *r = (convert_run){
        .b = b, .c = c, .precision = precision, .inputs = power(c->controls, c->directions)};
    r->outputs = count_outputs(c);
    r->patches = b->is_cpu || b->quick ? (c->patches + 9) / 10 : c->patches;
    while (r->patches > 1 && r->patches * r->outputs * bytes > b->info.max_alloc_bytes / 2)
        r->patches /= 2;
    snprintf(r->name, sizeof r->name, "%zu %s, degree %u of %u", r->patches, c->name, c->degree,
             c->controls);
    BENCH_TRY(create_buffer(r, r->patches * r->inputs * COORDS, &r->controls));
    BENCH_TRY(create_buffer(r, r->patches * r->outputs * COORDS, &r->made));
    BENCH_TRY(upload(r));

fail:
    return status;
}

static void finish(convert_run *r)
{
    if (r->controls) clReleaseMemObject(r->controls);
    if (r->made) clReleaseMemObject(r->made);
}

static clsp_status create_way(convert_way *way, const convert_run *r,
                              clsp_bspline_convert_method method)
{
    const convert_case *const c = r->c;
    const clsp_bspline_desc desc = {.directions = c->directions,
                                    .precision = r->precision,
                                    .degree = {c->degree, c->degree, c->degree},
                                    .num_controls = {c->controls, c->controls, c->controls},
                                    .dim = COORDS};
    const clsp_bspline_change change = {.elevate = c->elevate, .derivative = c->derivative};
    const clsp_bspline_target target = {
        .along = {change, change, change}, .bezier = c->bezier, .method = method};
    clsp_status status;

    way->run = r;
    BENCH_TRY(clsp_bspline_plan_create(&way->plan, r->b->ctx, &desc));
    BENCH_TRY(clsp_bspline_set_target(way->plan, &target));
    BENCH_TRY(clsp_patch_set_control_points(way->plan, r->patches,
                                            clsp_in_buffer(r->controls, r->precision, 0), NULL));

fail:
    return bench_check(status, r->name);
}

/* Writes the lines of a method: its time, and what it reaches of the copy. */
static void report(const convert_run *r, const char *method, const bench_contestant *x,
                   double wanted)
{
    const double bytes = (double)(r->patches * (r->inputs + r->outputs) * COORDS) *
                         (double)clsp_type_bytes(r->precision);
    const int bits = r->precision == CLSP_F64 ? 64 : 32;
    const double copy_ms = 1e3 * bytes / r->b->floor[r->precision].copy_rate;
    bench_row row = bench_row_empty(suite, r->name, method, bits);
    char of_copy[NAME_MAX];

    row.time = x->sustained;
    row.work = bytes;
    row.unit = "byte/s";
    row.bytes = bytes;
    row.floor_ms = copy_ms;
    bench_report_row(r->b->report, &row);
    snprintf(of_copy, sizeof of_copy, "%s, of the copy", method);
    bench_row ratio = bench_row_empty(suite, r->name, of_copy, bits);
    ratio.unit = "ratio";
    ratio.rate = copy_ms / x->sustained.median_ms;
    ratio.least = r->b->is_cpu ? NAN : wanted;
    bench_report_row(r->b->report, &ratio);
}

static clsp_status run_case(bench *b, const convert_case *c, clsp_type precision)
{
    static const char *const names[METHODS] = {"bands", "matrix"};
    convert_run r;
    convert_way ways[METHODS] = {{NULL, NULL}};
    bench_contestant all[METHODS] = {{.user = &ways[0]}, {.user = &ways[1]}};
    clsp_status status;

    if (!bench_wants(b, c->name)) return CLSP_OK;
    BENCH_TRY(start(&r, b, c, precision));
    for (int i = 0; i < METHODS; i++) {
        if (i > 0 && !(c->by_matrix && b->has_methods)) continue;
        BENCH_TRY(create_way(&ways[i], &r,
                             i == 0 ? CLSP_BSPLINE_CONVERT_BANDS : CLSP_BSPLINE_CONVERT_MATRIX));
        all[i].enqueue = enqueue_way;
    }
    BENCH_TRY(bench_measure_some(b->queue, all, METHODS, b->quick ? 5 : 20));
    for (int i = 0; i < METHODS; i++)
        if (all[i].enqueue) report(&r, names[i], &all[i], i == 0 ? c->wanted : NAN);

fail:
    for (int i = 0; i < METHODS; i++)
        clsp_patch_plan_destroy(&ways[i].plan);
    finish(&r);
    return status;
}

clsp_status bench_suite_convert(bench *b)
{
    clsp_status status;

    BENCH_TRY(bench_floor_measure(b));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        for (size_t i = 0; i < BENCH_COUNT(cases) && b->wanted[p]; i++)
            if (!b->quick || (p == CLSP_F32 && i % 2 == 0)) BENCH_TRY(run_case(b, &cases[i], p));

fail:
    return status;
}
