#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "host_contest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "host_surfaces.h"
#include "reference.h"

static const char suite[] = "host";

static const size_t orders[] = {4, 12};
static const struct {
    size_t samples, patches;
    bool quick;
} grids[] = {{64, 28, true}, {512, 28, false}, {2000, 1, false}, {32, 10000, false}};

/* A call on host memory over the same on a buffer, from so many points on. */
static const double most_over_buffer = 1.15;
enum { MANY_POINTS = 1000000 };

/* What takes microseconds a point is measured with about so many points. */
enum { FEW_POINTS = 500000 };

enum { METHOD_MAX = 2 * BEZIER_NAME_MAX };

/* Into a buffer, host memory that is written again and again, and host memory that nobody has
   touched before; then others. */
enum { BUFFER, HOST, FRESH, LOOP, SISL, NUMPY, WAYS };

static const char *const names[WAYS] = {"buffer",      "host", "fresh host",
                                        "C separable", "SISL", "NumPy"};

/* What a vertex has: points, and unit normals or both derivatives behind them. */
typedef enum vertex_kind { POINTS, NORMALS, DERIVATIVES, VERTEX_KINDS } vertex_kind;

static const struct {
    const char *name; /* behind that of a way */
    size_t stride;
    uint32_t attributes;
} vertices[VERTEX_KINDS] = {
    {"", 3, 0},
    {", normals", 6, CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL},
    {", derivatives", 9, CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV},
};

typedef struct contest {
    bezier_run run;
    bezier_way way;
    vertex_kind kind;
    size_t reals, bytes; /* of all vertices */
    cl_mem buffer;
    void *host;                     /* where the others write too */
    void *points, *values, *slopes; /* as host_surfaces has them */
    numpy_process *numpy;
    host_surfaces all, few; /* few: what SISL makes */
    bench_contestant ways[WAYS];
} contest;

/* ---- contestants ---- */

static clsp_status evaluate(contest *x, clsp_output out)
{
    const clsp_range patches = {0, x->run.c.patches};

    return bench_check(clsp_patch_eval(x->way.plan, patches, out, NULL), "clsp_patch_eval");
}

static clsp_output host_output(const contest *x, void *memory)
{
    return (clsp_output){.type = x->run.precision, .host = memory, .size = x->reals};
}

static clsp_status run_buffer(void *user)
{
    contest *const x = user;

    return evaluate(x, clsp_out_buffer(x->buffer, x->run.precision, 0));
}

static clsp_status run_host(void *user)
{
    contest *const x = user;

    return evaluate(x, host_output(x, x->host));
}

static clsp_status run_fresh(void *user)
{
    contest *const x = user;
    void *const memory =
        mmap(NULL, x->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) return bench_check(CLSP_ERROR_NO_MEMORY, "mmap");
    const clsp_status status = evaluate(x, host_output(x, memory));
    munmap(memory, x->bytes);
    return status;
}

static clsp_status run_loop(void *user)
{
    const contest *const x = user;

    return bench_check(host_loop_run(&x->all) ? CLSP_OK : CLSP_ERROR_NO_MEMORY, "the C loop");
}

#ifdef BENCH_SISL
static clsp_status run_sisl(void *user)
{
    const contest *const x = user;

    return bench_check(host_sisl_run(&x->few) ? CLSP_OK : CLSP_ERROR_NO_MEMORY, "SISL");
}
#endif

static clsp_status run_numpy(void *user)
{
    const contest *const x = user;

    return bench_check(numpy_run(x->numpy) ? CLSP_OK : CLSP_ERROR_STATE, "NumPy");
}

/* Lets threads that wait for more work by turning round and round go to sleep. */
static void calm(void *user, bool begins)
{
    const struct timespec pause = {0, 5000000};

    (void)user;
    if (!begins) nanosleep(&pause, NULL);
}

/* ---- a case ---- */

/* Leaves out patches where there are many points. */
static host_surfaces few_of(const host_surfaces *all)
{
    const size_t most = FEW_POINTS / (all->num * all->num);
    host_surfaces few = *all;

    few.patches = most < 1 ? 1 : most < all->patches ? most : all->patches;
    return few;
}

static clsp_status create_memory(contest *x)
{
    const bezier_run *const r = &x->run;
    const bool is_double = r->precision == CLSP_F64;
    const size_t table = r->c.order * r->c.samples * r->real_bytes;
    cl_int code;

    x->reals = r->c.patches * r->c.samples * r->c.samples * vertices[x->kind].stride;
    x->bytes = x->reals * r->real_bytes;
    x->host = malloc(x->bytes);
    x->points = malloc(r->num_points * r->real_bytes);
    x->values = malloc(table);
    x->slopes = malloc(table);
    if (!x->host || !x->points || !x->values || !x->slopes)
        return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    memset(x->host, 1, x->bytes);
    for (size_t i = 0; i < r->num_points; i++)
        bench_store(is_double, x->points, i, r->points[i]);
    bench_bernstein_tables(r->c.order, r->c.samples, is_double, x->values, x->slopes);
    x->all = (host_surfaces){.order = r->c.order,
                             .num = r->c.samples,
                             .patches = r->c.patches,
                             .is_double = is_double,
                             .has_normals = x->kind == NORMALS,
                             .has_derivatives = x->kind == DERIVATIVES,
                             .points = x->points,
                             .values = x->values,
                             .slopes = x->slopes,
                             .out = x->host};
    x->few = few_of(&x->all);
    x->buffer = clCreateBuffer(r->b->context, CL_MEM_READ_WRITE, x->bytes, NULL, &code);
    return bench_check(code, "clCreateBuffer");
}

/* Sets up who takes part. */
static clsp_status describe(contest *x)
{
    const bezier_run *const r = &x->run;
    clsp_status (*const runs[WAYS])(void *) = {run_buffer, run_host, run_fresh, run_loop};

    for (int i = 0; i < WAYS; i++)
        x->ways[i] = (bench_contestant){.enqueue = runs[i], .around = calm, .user = x};
    if (!host_loop_is_parallel()) x->ways[LOOP].enqueue = NULL;
    if (x->kind == DERIVATIVES) return CLSP_OK; /* the others are not asked for them */
#ifdef BENCH_SISL
    if (r->precision == CLSP_F64) x->ways[SISL].enqueue = run_sisl;
#endif
    if (x->numpy->process == 0) return CLSP_OK;
    if (!numpy_load(x->numpy, r->c.order, r->c.samples, r->c.patches, r->precision == CLSP_F64,
                    x->kind == NORMALS, r->points))
        return bench_check(CLSP_ERROR_STATE, "NumPy");
    x->ways[NUMPY].enqueue = run_numpy;
    return CLSP_OK;
}

/* ---- results ---- */

static double points_of(const contest *x, int way)
{
    const host_surfaces *const s = way == SISL ? &x->few : &x->all;

    return (double)s->patches * (double)(s->num * s->num);
}

/* Reads a point that a way has made last, from its memory. */
static bool read_point(const contest *x, int way, size_t index, size_t k[3], double point[3])
{
    const size_t first = index * vertices[x->kind].stride;

    if (way == NUMPY) return numpy_point(x->numpy, k[0], k[1], k[2], point);
    for (size_t i = 0; i < 3; i++)
        point[i] = x->run.precision == CLSP_F64 ? ((double *)x->host)[first + i]
                                                : (double)((float *)x->host)[first + i];
    return true;
}

/* Returns the worst error of some points, in eps * largest control coordinate, which is about 1. */
static double error_of(const contest *x, int way)
{
    enum { CHECKED = 64 };
    const bezier_case *const c = &x->run.c;
    const double eps = x->run.precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const size_t patches = way == SISL ? x->few.patches : c->patches;
    unsigned long long state = 7;
    double worst = 0;

    for (size_t i = 0; i < CHECKED; i++) {
        size_t k[3] = {bench_random_below(&state, patches), bench_random_below(&state, c->samples),
                       bench_random_below(&state, c->samples)};
        long double at_u[BENCH_ORDER_MAX], at_v[BENCH_ORDER_MAX], wanted[3];
        double point[3];
        bench_bernstein(c->order, k[1], c->samples, at_u);
        bench_bernstein(c->order, k[2], c->samples, at_v);
        bench_reference_point(c->order, x->run.points + k[0] * c->order * c->order * 3, at_u, at_v,
                              wanted);
        if (!read_point(x, way, (k[0] * c->samples + k[1]) * c->samples + k[2], k, point))
            return NAN;
        for (size_t d = 0; d < 3; d++)
            worst = fmax(worst, fabs((double)((long double)point[d] - wanted[d])) / eps);
    }
    return worst;
}

/* Runs a way once more and looks at what it writes to host memory. */
static clsp_status check(contest *x, int way, double *error)
{
    clsp_status status;

    *error = NAN;
    if (way == FRESH) return CLSP_OK;
    memset(x->host, 0, x->bytes);
    BENCH_TRY(x->ways[way].enqueue(x));
    if (way == BUFFER)
        BENCH_TRY(bench_check(clEnqueueReadBuffer(x->run.b->queue, x->buffer, CL_TRUE, 0, x->bytes,
                                                  x->host, 0, NULL, NULL),
                              "clEnqueueReadBuffer"));
    *error = error_of(x, way);

fail:
    return status;
}

/* Names a way, and what it makes. */
static void name_way(const contest *x, const char *way, char name[METHOD_MAX])
{
    snprintf(name, METHOD_MAX, "%s%s", way, vertices[x->kind].name);
}

static clsp_status report_way(contest *x, int way)
{
    char name[METHOD_MAX];
    bench_row row;
    const clsp_status status = check(x, way, &row.error);
    const double error = row.error;

    name_way(x, names[way], name);
    row = bezier_run_row(&x->run, name);
    row.time = x->ways[way].sustained;
    row.work = points_of(x, way);
    row.unit = "point/s";
    row.error = error;
    bench_report_row(x->run.b->report, &row);
    return status;
}

/* Returns the shortest time of a point, in calls one behind another or alone. */
static double point_ms(const contest *x, int way)
{
    const bench_contestant *const c = &x->ways[way];

    return fmin(c->sustained.min_ms, c->alone.min_ms) / points_of(x, way);
}

/* Reports how many times as long as one way, for as many points, another takes, by minima. */
static void report_ratio(const contest *x, int way, int over, double most)
{
    char text[BEZIER_NAME_MAX], name[METHOD_MAX];

    snprintf(text, sizeof text, "%s/%s", names[way], names[over]);
    name_way(x, text, name);
    bench_row row = bezier_run_row(&x->run, name);
    row.rate = point_ms(x, way) / point_ms(x, over);
    row.unit = "ratio";
    row.most = most;
    bench_report_row(x->run.b->report, &row);
}

static clsp_status report(contest *x)
{
    const bool many = points_of(x, HOST) >= MANY_POINTS && bezier_takes_own_shape(x->run.b);
    clsp_status status;

    for (int i = 0; i < WAYS; i++)
        if (x->ways[i].enqueue) BENCH_TRY(report_way(x, i));
    report_ratio(x, HOST, BUFFER, many ? most_over_buffer : NAN);
    report_ratio(x, FRESH, HOST, NAN);
    for (int i = LOOP; i < WAYS; i++)
        if (x->ways[i].enqueue) report_ratio(x, i, HOST, NAN);
    return CLSP_OK;

fail:
    return status;
}

/* ---- running ---- */

static void release(contest *x)
{
    bezier_way_release(&x->way);
    if (x->buffer) clReleaseMemObject(x->buffer);
    free(x->host);
    free(x->points);
    free(x->values);
    free(x->slopes);
    bezier_run_release(&x->run);
}

static clsp_status run_case(bench *b, const bezier_case *c, clsp_type precision, vertex_kind kind,
                            const bezier_ring *out, numpy_process *numpy)
{
    clsp_status status;
    contest x = {.kind = kind, .numpy = numpy};

    BENCH_TRY(bezier_run_start(&x.run, b, suite, c, precision, out));
    clsp_bezier_desc desc = bezier_run_desc(&x.run);
    desc.vertex.attributes = vertices[kind].attributes;
    BENCH_TRY(bezier_way_create(&x.way, &x.run, &desc));
    BENCH_TRY(create_memory(&x));
    BENCH_TRY(describe(&x));
    BENCH_TRY(bench_measure_some(b->queue, x.ways, WAYS, 20));
    BENCH_TRY(report(&x));

fail:
    release(&x);
    return status;
}

/* Starts NumPy where it was not asked for before, and notes what it is. */
static void need_numpy(bench *b, numpy_process *numpy)
{
    char text[2 * PYTHON_TEXT_MAX];

    if (numpy->about[0]) return;
    numpy_start(numpy);
    snprintf(text, sizeof text, "NumPy: %s%s", numpy->process ? "" : "left out, ", numpy->about);
    bench_report_note(b->report, text);
}

static clsp_status run_precision(bench *b, clsp_type precision, const bezier_ring *out,
                                 numpy_process *numpy)
{
    clsp_status status;

    for (size_t o = 0; o < BENCH_COUNT(orders); o++) {
        for (size_t g = 0; g < BENCH_COUNT(grids); g++) {
            const bezier_case c = {orders[o], grids[g].samples, grids[g].patches};
            if ((b->quick && !grids[g].quick) || !bezier_case_wanted(b, &c)) continue;
            need_numpy(b, numpy);
            for (int kind = 0; kind < VERTEX_KINDS; kind++)
                BENCH_TRY(run_case(b, &c, precision, (vertex_kind)kind, out, numpy));
        }
    }
    return CLSP_OK;

fail:
    return status;
}

static void note(bench *b)
{
    if (!host_loop_is_parallel())
        bench_report_note(b->report, "C separable: left out, built without OpenMP");
#ifndef BENCH_SISL
    bench_report_note(b->report, "SISL: left out, not found when this was built");
#endif
}

clsp_status host_contest_run(bench *b, const bezier_ring *out, numpy_process *numpy)
{
    clsp_status status = CLSP_OK;

    note(b);
    for (clsp_type p = CLSP_F32; p <= CLSP_F64 && status == CLSP_OK; p++)
        if (b->wanted[p]) status = run_precision(b, p, out, numpy);
    return status;
}
