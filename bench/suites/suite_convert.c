/* B-splines to other knots: Bezier pieces, knots more, higher degrees, derivatives, of many curves
   and surfaces; by sums of bands and by whole matrices, against what the device can copy. Splines
   of one span are dense: there the sums go by tiles, beside the same without them, whole matrices
   may go by CLBlast, and the first call of each is shown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

enum { COORDS = 3, NAME_MAX = 80 };

enum { BANDS, MATRIX, NO_TILES, METHODS };

static const char suite[] = "convert";

typedef struct convert_case {
    const char *name;
    uint32_t directions, degree, controls; /* along each direction */
    size_t patches;                        /* on GPUs; on CPUs a tenth */
    bool bezier;
    uint32_t elevate, derivative;
    bool by_matrix;  /* a matrix is no larger than it may be */
    double wanted;   /* of the copy, of bands on GPUs; NAN: none */
    uint32_t insert; /* knots more */
} convert_case;

static const convert_case cases[] = {
    {"curves, pieces", 1, 3, 10, 1000000, true, 0, 0, true, 0.5, 0},
    {"curves, pieces", 1, 5, 16, 400000, true, 0, 0, true, 0.5, 0},
    {"curves, pieces", 1, 3, 100, 100000, true, 0, 0, true, NAN, 0},
    {"curves, pieces", 1, 3, 100000, 100, true, 0, 0, false, NAN, 0},
    {"curves, degree + 1", 1, 3, 10, 1000000, false, 1, 0, true, NAN, 0},
    {"curves, derivative", 1, 3, 10, 1000000, false, 0, 1, true, NAN, 0},
    {"surfaces, pieces", 2, 3, 10, 30000, true, 0, 0, true, NAN, 0},
    {"surfaces, degree + 1", 2, 3, 10, 100000, false, 1, 0, true, NAN, 0},
    {"surfaces, pieces", 2, 3, 1000, 10, true, 0, 0, false, NAN, 0},
    {"curves, dense", 1, 63, 64, 300000, false, 1, 0, true, NAN, 0},
    {"curves, dense", 1, 127, 128, 100000, false, 1, 0, true, NAN, 127},
    {"surfaces, dense", 2, 31, 32, 8000, false, 1, 0, true, NAN, 0},
    {"surfaces, dense", 2, 79, 80, 1000, false, 1, 0, true, NAN, 0},
    {"surfaces, dense", 2, 79, 80, 20, false, 0, 0, true, NAN, 720},
    {"surfaces, dense", 2, 100, 101, 10, false, 0, 0, true, NAN, 1899},
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
    clsp_context *ctx; /* its own; NULL: the benchmark's */
    clsp_patch_plan *plan;
    double first_ms; /* from its plan to its first result */
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
    const size_t spans = c->controls - c->degree + c->insert;
    const size_t degree = c->degree + c->elevate - c->derivative;
    const size_t inner = (size_t)(c->controls - c->degree - 1) * (1 + c->elevate) + c->insert;

    return power(c->bezier ? spans * (degree + 1) : inner + degree + 1, c->directions);
}

static bool is_dense(const convert_case *c)
{
    return c->controls == c->degree + 1;
}

/* Counts the operations of a patch whose control points all count, one direction after the other.
 */
static double count_flops(const convert_run *r)
{
    const double from = r->c->controls, to = pow((double)r->outputs, 1.0 / r->c->directions);

    return 2 * COORDS * from * to * (r->c->directions == 1 ? 1 : from + to);
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

/* Creates a plan's context where it is one without tiles. */
static clsp_status create_context(convert_way *way, const convert_run *r)
{
    const clsp_context_opts opts = {.limits = "local_is_real=0"};

    return bench_check(clsp_context_create(&way->ctx, r->b->queue, &opts), r->name);
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
    double knots[2048];
    const clsp_bspline_change change = {.elevate = c->elevate,
                                        .derivative = c->derivative,
                                        .insert = knots,
                                        .num_insert = c->insert};
    const clsp_bspline_target target = {
        .along = {change, change, change}, .bezier = c->bezier, .method = method};
    clsp_status status;

    for (uint32_t i = 0; i < c->insert; i++)
        knots[i] = (i + 1.0) / (c->insert + 1.0);
    way->run = r;
    way->first_ms = bench_now_ms();
    BENCH_TRY(clsp_bspline_plan_create(&way->plan, way->ctx ? way->ctx : r->b->ctx, &desc));
    BENCH_TRY(clsp_bspline_set_target(way->plan, &target));
    BENCH_TRY(clsp_patch_set_control_points(way->plan, r->patches,
                                            clsp_in_buffer(r->controls, r->precision, 0), NULL));
    BENCH_TRY(enqueue_way(way));
    BENCH_TRY(clFinish(r->b->queue));
    way->first_ms = bench_now_ms() - way->first_ms;

fail:
    return bench_check(status, r->name);
}

/* Writes the line of a first call, with its plan and programs. */
static void report_first(const convert_run *r, const char *method, const convert_way *way)
{
    bench_row row = bench_row_empty(suite, r->name, method, r->precision == CLSP_F64 ? 64 : 32);

    row.time = (bench_timing){.median_ms = way->first_ms, .min_ms = way->first_ms};
    bench_report_row(r->b->report, &row);
}

/* Writes the lines of a method: its time, and what it reaches of the copy. */
static void report(const convert_run *r, const char *method, const bench_contestant *x,
                   double wanted)
{
    const double bytes = (double)(r->patches * (r->inputs + r->outputs) * COORDS) *
                         (double)clsp_type_bytes(r->precision);
    const int bits = r->precision == CLSP_F64 ? 64 : 32;
    const double copy_ms = 1e3 * bytes / r->b->floor[r->precision].copy_rate;
    const double flops = (double)r->patches * count_flops(r);
    bench_row row = bench_row_empty(suite, r->name, method, bits);
    char of_copy[NAME_MAX];

    row.time = x->sustained;
    row.work = is_dense(r->c) ? flops : bytes;
    row.unit = is_dense(r->c) ? "flop/s" : "byte/s";
    row.bytes = bytes;
    row.floor_ms =
        is_dense(r->c) ? fmax(copy_ms, 1e3 * flops / r->b->floor[r->precision].fma_rate) : copy_ms;
    bench_report_row(r->b->report, &row);
    if (is_dense(r->c)) return;
    snprintf(of_copy, sizeof of_copy, "%s, of the copy", method);
    bench_row ratio = bench_row_empty(suite, r->name, of_copy, bits);
    ratio.unit = "ratio";
    ratio.rate = copy_ms / x->sustained.median_ms;
    ratio.least = r->b->is_cpu ? NAN : wanted;
    bench_report_row(r->b->report, &ratio);
}

/* Tells whether a case is made by a method: whole matrices where they are there, and without tiles
   where the device computes by kernels. */
static bool is_made(const bench *b, const convert_case *c, int method)
{
    if (method == NO_TILES) return is_dense(c) && !b->is_cpu;
    return method == BANDS || (c->by_matrix && b->has_methods);
}

static clsp_status run_case(bench *b, const convert_case *c, clsp_type precision)
{
    static const char *const names[METHODS] = {"bands", "matrix", "bands, no tiles"};
    static const char *const firsts[METHODS] = {"bands, first call", "matrix, first call", ""};
    convert_run r;
    convert_way ways[METHODS] = {{.run = NULL}};
    bench_contestant all[METHODS] = {
        {.user = &ways[BANDS]}, {.user = &ways[MATRIX]}, {.user = &ways[NO_TILES]}};
    clsp_status status;

    if (!bench_wants(b, c->name)) return CLSP_OK;
    BENCH_TRY(start(&r, b, c, precision));
    for (int i = 0; i < METHODS; i++) {
        if (!is_made(b, c, i)) continue;
        if (i == NO_TILES) BENCH_TRY(create_context(&ways[i], &r));
        BENCH_TRY(create_way(
            &ways[i], &r, i == MATRIX ? CLSP_BSPLINE_CONVERT_MATRIX : CLSP_BSPLINE_CONVERT_BANDS));
        all[i].enqueue = enqueue_way;
    }
    BENCH_TRY(bench_measure_some(b->queue, all, METHODS, b->quick ? 5 : 20));
    for (int i = 0; i < METHODS; i++) {
        if (!all[i].enqueue) continue;
        report(&r, names[i], &all[i], i == BANDS ? c->wanted : NAN);
        if (is_dense(c) && i != NO_TILES) report_first(&r, firsts[i], &ways[i]);
    }

fail:
    for (int i = 0; i < METHODS; i++) {
        clsp_patch_plan_destroy(&ways[i].plan);
        clsp_context_destroy(&ways[i].ctx);
    }
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
