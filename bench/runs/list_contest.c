#include "list_contest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_lists.h"
#include "reference.h"

static const char suite[] = "host";

enum { MANY_POINTS = 1 << 17, QUICK_POINTS = 1 << 15 };

typedef enum list_kind { BEZIER, CURVE, SURFACE, SOLID } list_kind;

/* size: patches; control points along a direction; cells along one. */
typedef struct list_case {
    const char *name;
    list_kind kind;
    size_t order, size;
    bool has_derivatives;
} list_case;

static const list_case cases[] = {
    {"list, Bezier 4x4", BEZIER, 4, 1000, false},
    {"list, Bezier 4x4, derivatives", BEZIER, 4, 1000, true},
    {"list, Bezier 8x8", BEZIER, 8, 1000, false},
    {"list, B-spline curve 4", CURVE, 4, 1000, false},
    {"list, B-spline 4x4", SURFACE, 4, 64, false},
    {"list, B-spline 4x4, derivatives", SURFACE, 4, 64, true},
    {"list, solid of regular cells", SOLID, 4, 24, false},
};

/* From and into host memory, from and into buffers, and the loop. */
enum { HOST, BUFFER, LOOP, WAYS };

static const char *const names[WAYS] = {"host", "buffer", "C loop"};

/* A list, and what it is of. Arrays of reals are in the precision, those of doubles hold the same
   numbers, and knots before they are rounded. */
typedef struct list_contest {
    bench *b;
    const list_case *c;
    clsp_type precision;
    size_t num, directions, stride;       /* points, parameters and elements of each */
    size_t num_points, num_knots;         /* control points, and knots along a direction */
    uint32_t *item, *cell, *corner;       /* cell: as host_list has it; corner: [cells][8] */
    double *params, *points, *knots, *to; /* to: what the loop makes in double */
    void *reals[3];                       /* params, points and knots */
    void *out[WAYS];                      /* in the host's memory */
    cl_mem buffer[3];                     /* items, parameters and vertices */
    clsp_patch_plan *plan;
    clsp_solid_mesh *mesh;
    clsp_solid_plan *solid;
    bench_contestant ways[WAYS];
} list_contest;

static size_t real_bytes(const list_contest *x)
{
    return clsp_type_bytes(x->precision);
}

/* ---- contestants ---- */

static clsp_status evaluate(list_contest *x, const clsp_points *points, clsp_output out)
{
    clsp_status status;

    if (x->plan)
        status = clsp_patch_eval_points(x->plan, points, out, NULL);
    else
        status = clsp_solid_eval_points(x->solid, points, out, NULL);
    return bench_check(status, x->c->name);
}

static clsp_status run_host(void *user)
{
    list_contest *const x = user;
    const clsp_points points = {
        .num = x->num,
        .item = clsp_in_u32(x->item, x->num),
        .params = {.type = x->precision, .host = x->reals[0], .size = x->num * x->directions}};
    const clsp_output out = {
        .type = x->precision, .host = x->out[HOST], .size = x->num * x->stride};

    return evaluate(x, &points, out);
}

static clsp_status run_buffer(void *user)
{
    list_contest *const x = user;
    const clsp_points points = {.num = x->num,
                                .item = clsp_in_buffer(x->buffer[0], CLSP_U32, 0),
                                .params = clsp_in_buffer(x->buffer[1], x->precision, 0)};

    return evaluate(x, &points, clsp_out_buffer(x->buffer[2], x->precision, 0));
}

static void run_list(const list_contest *x, const host_list *list)
{
    static void (*const runs[])(const host_list *) = {host_list_bezier, host_list_curve,
                                                      host_list_surface, host_list_solid};

    runs[x->c->kind](list);
}

/* Describes the list to the loop, in the precision. */
static host_list job_of(const list_contest *x)
{
    return (host_list){.is_double = x->precision == CLSP_F64,
                       .has_derivatives = x->c->has_derivatives,
                       .num = x->num,
                       .item = x->item,
                       .params = x->reals[0],
                       .points = x->reals[1],
                       .out = x->out[LOOP],
                       .order = x->c->order,
                       .controls = x->c->size,
                       .knots = x->reals[2],
                       .cell = x->cell};
}

static clsp_status run_loop(void *user)
{
    const list_contest *const x = user;
    const host_list job = job_of(x);

    run_list(x, &job);
    return CLSP_OK;
}

/* Lets threads that wait for more work by turning round and round go to sleep. */
static void calm(void *user, bool begins)
{
    const struct timespec pause = {0, 5000000};

    (void)user;
    if (!begins) nanosleep(&pause, NULL);
}

/* ---- what lists are of ---- */

/* Fills in sizes. */
static void set_sizes(list_contest *x)
{
    const list_case *const c = x->c;
    const size_t edge = c->size + 1;

    x->num = x->b->quick ? QUICK_POINTS : MANY_POINTS;
    x->directions = c->kind == CURVE ? 1 : c->kind == SOLID ? 3 : 2;
    x->stride = c->has_derivatives ? 9 : 3;
    x->num_knots = c->size + c->order;
    x->num_points = c->kind == BEZIER    ? c->size * c->order * c->order
                    : c->kind == CURVE   ? c->size
                    : c->kind == SURFACE ? c->size * c->size
                                         : edge * edge * edge;
}

/* Returns the number of a vertex, or with edge cells that of a cell, of a box. */
static uint32_t place(size_t edge, size_t x, size_t y, size_t z)
{
    return (uint32_t)(x + edge * (y + edge * z));
}

/* Makes the cells of a box, and the control points of those that are not at its boundary. */
static void make_cells(list_contest *l)
{
    const size_t n = l->c->size;

    for (size_t c = 0; c < n * n * n; c++) {
        const size_t x = c % n, y = c / n % n, z = c / n / n;
        const bool within = x > 0 && y > 0 && z > 0 && x + 1 < n && y + 1 < n && z + 1 < n;
        for (size_t k = 0; k < 8; k++) /* in VTK's order */
            l->corner[8 * c + k] =
                place(n + 1, x + ((k & 3) == 1 || (k & 3) == 2), y + (k & 3) / 2, z + k / 4);
        for (size_t k = 0; k < 64 && within; k++)
            l->cell[64 * c + k] = place(n + 1, x - 1 + k / 16, y - 1 + k / 4 % 4, z - 1 + k % 4);
    }
}

/* Moves the vertices of a box to a lattice, less a little, to numbers that are floats. */
static void lay_out(list_contest *l)
{
    const size_t n = l->c->size;

    for (size_t i = 0; i < l->num_points; i++) {
        const size_t at[3] = {i % (n + 1), i / (n + 1) % (n + 1), i / (n + 1) / (n + 1)};
        for (size_t d = 0; d < 3; d++)
            l->points[3 * i + d] =
                (double)(float)((2.0 * (double)at[d] + 0.3 * l->points[3 * i + d]) / (double)n -
                                1.0);
    }
}

/* Takes items and parameters at random. */
static void choose(list_contest *x)
{
    const size_t n = x->c->size;
    unsigned long long state = 7;

    for (size_t k = 0; k < x->num; k++) {
        size_t at[3];
        for (int d = 0; d < 3; d++)
            at[d] = x->c->kind == SOLID ? 1 + bench_random_below(&state, n - 2) : 0;
        x->item[k] = x->c->kind == BEZIER ? (uint32_t)bench_random_below(&state, n)
                                          : place(n, at[0], at[1], at[2]);
    }
    for (size_t i = 0; i < x->num * x->directions; i++)
        x->params[i] = (double)bench_random_below(&state, 1 << 20) * 0x1p-20;
}

/* Brings numbers to the precision. */
static void narrow(const list_contest *x, const double *from, void *to, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (x->precision == CLSP_F64)
            ((double *)to)[i] = from[i];
        else
            ((float *)to)[i] = (float)from[i];
    }
}

static void fill(list_contest *x)
{
    bench_random_fill(x->points, 3 * x->num_points);
    if (x->c->kind == SOLID) {
        make_cells(x);
        lay_out(x);
    } else {
        bench_clamped_knots(x->c->order, x->c->size, true, x->knots);
    }
    choose(x);
    narrow(x, x->params, x->reals[0], x->num * x->directions);
    narrow(x, x->points, x->reals[1], 3 * x->num_points);
    narrow(x, x->knots, x->reals[2], x->num_knots);
}

/* ---- memory ---- */

static bool allocate(list_contest *x)
{
    const size_t cells = x->c->kind == SOLID ? x->c->size * x->c->size * x->c->size : 1;
    const size_t reals[3] = {x->num * x->directions, 3 * x->num_points, x->num_knots};
    bool done;

    x->item = malloc(x->num * sizeof *x->item);
    x->cell = calloc(64 * cells, sizeof *x->cell);
    x->corner = malloc(8 * cells * sizeof *x->corner);
    x->params = malloc(reals[0] * sizeof(double));
    x->points = malloc(reals[1] * sizeof(double));
    x->knots = calloc(reals[2], sizeof(double));
    x->to = malloc(x->num * x->stride * sizeof(double));
    done = x->item && x->cell && x->corner && x->params && x->points && x->knots && x->to;
    for (int i = 0; i < 3; i++)
        done = (x->reals[i] = malloc(reals[i] * sizeof(double))) && done;
    for (int i = 0; i < WAYS; i++)
        done = (x->out[i] = calloc(x->num * x->stride, sizeof(double))) && done;
    return done;
}

static clsp_status create_buffers(list_contest *x)
{
    const size_t bytes[3] = {x->num * sizeof *x->item, x->num * x->directions * real_bytes(x),
                             x->num * x->stride * real_bytes(x)};
    void *const contents[3] = {x->item, x->reals[0], NULL};

    for (size_t i = 0; i < 3; i++) {
        const cl_mem_flags copy = contents[i] ? CL_MEM_COPY_HOST_PTR : 0;
        cl_int code;
        x->buffer[i] =
            clCreateBuffer(x->b->context, CL_MEM_READ_WRITE | copy, bytes[i], contents[i], &code);
        if (code != CL_SUCCESS) return bench_check(code, x->c->name);
    }
    return CLSP_OK;
}

static void release(list_contest *x)
{
    clsp_patch_plan_destroy(&x->plan);
    clsp_solid_plan_destroy(&x->solid);
    clsp_solid_mesh_destroy(&x->mesh);
    for (size_t i = 0; i < 3; i++) {
        if (x->buffer[i]) clReleaseMemObject(x->buffer[i]);
        free(x->reals[i]);
    }
    for (int i = 0; i < WAYS; i++)
        free(x->out[i]);
    free(x->item);
    free(x->cell);
    free(x->corner);
    free(x->params);
    free(x->points);
    free(x->knots);
    free(x->to);
}

/* ---- plans ---- */

static clsp_vertex_layout vertex_of(const list_contest *x)
{
    const uint32_t slopes = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV;

    return (clsp_vertex_layout){.attributes = x->c->has_derivatives ? slopes : 0};
}

static clsp_status create_bezier(list_contest *x, clsp_input points)
{
    const uint32_t degree = (uint32_t)x->c->order - 1;
    const clsp_bezier_desc desc = {
        .precision = x->precision, .degree = {degree, degree}, .vertex = vertex_of(x)};
    clsp_status status;

    BENCH_TRY(clsp_bezier_plan_create(&x->plan, x->b->ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(x->plan, x->c->size, points, NULL));

fail:
    return status;
}

static clsp_status create_bspline(list_contest *x, clsp_input points)
{
    const uint32_t degree = (uint32_t)x->c->order - 1, controls = (uint32_t)x->c->size;
    const clsp_bspline_desc desc = {.directions = (uint32_t)x->directions,
                                    .precision = x->precision,
                                    .degree = {degree, degree},
                                    .num_controls = {controls, controls},
                                    .vertex = vertex_of(x)};
    clsp_status status;

    BENCH_TRY(clsp_bspline_plan_create(&x->plan, x->b->ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(x->plan, 1, points, NULL));

fail:
    return status;
}

static clsp_status create_solid(list_contest *x, clsp_input points)
{
    const size_t cells = x->c->size * x->c->size * x->c->size;
    const clsp_solid_cells all = {.num_vertices = x->num_points,
                                  .num_cells = cells,
                                  .index = x->corner,
                                  .num_indices = 8 * cells};
    const clsp_solid_desc desc = {.precision = x->precision};
    clsp_status status;

    BENCH_TRY(clsp_solid_mesh_create(&x->mesh, x->b->ctx, &all));
    BENCH_TRY(clsp_solid_plan_create(&x->solid, x->mesh, &desc));
    BENCH_TRY(clsp_solid_set_control_points(x->solid, points, NULL));

fail:
    return status;
}

static clsp_status create_plan(list_contest *x)
{
    const clsp_input points = {
        .type = x->precision, .host = x->reals[1], .size = 3 * x->num_points};

    if (x->c->kind == BEZIER) return create_bezier(x, points);
    return x->c->kind == SOLID ? create_solid(x, points) : create_bspline(x, points);
}

/* ---- results ---- */

/* Makes the list by the loop in double. */
static void make_reference(const list_contest *x)
{
    host_list job = job_of(x);

    job.is_double = true;
    job.params = x->params;
    job.points = x->points;
    job.knots = x->knots;
    job.out = x->to;
    run_list(x, &job);
}

/* Returns the worst error of the points in memory, in eps and the largest coordinate, which is
   about 1. */
static double error_of(const list_contest *x, const void *out)
{
    const double eps = x->precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    double worst = 0;

    for (size_t k = 0; k < x->num; k++)
        for (size_t i = k * x->stride; i < k * x->stride + 3; i++) {
            const double got = x->precision == CLSP_F64 ? ((const double *)out)[i]
                                                        : (double)((const float *)out)[i];
            const double off = fabs(got - x->to[i]) / eps;
            if (!isnan(worst) && !(off <= worst)) worst = off; /* a NaN stays */
        }
    return worst;
}

static clsp_status report(list_contest *x)
{
    const int precision = (int)(8 * real_bytes(x));
    clsp_status status = CLSP_OK;

    make_reference(x);
    BENCH_TRY(bench_check(clEnqueueReadBuffer(x->b->queue, x->buffer[2], CL_TRUE, 0,
                                              x->num * x->stride * real_bytes(x), x->out[BUFFER], 0,
                                              NULL, NULL),
                          "clEnqueueReadBuffer"));
    for (int i = 0; i < WAYS; i++) {
        bench_row row = bench_row_empty(suite, x->c->name, names[i], precision);
        if (!x->ways[i].enqueue) continue;
        row.time = x->ways[i].sustained;
        row.work = (double)x->num;
        row.unit = "point/s";
        row.error = error_of(x, x->out[i]);
        bench_report_row(x->b->report, &row);
    }
    for (int i = HOST; i < LOOP && x->ways[LOOP].enqueue; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s/%s", names[LOOP], names[i]);
        bench_row row = bench_row_empty(suite, x->c->name, text, precision);
        row.rate = x->ways[LOOP].sustained.min_ms / x->ways[i].sustained.min_ms;
        row.unit = "ratio";
        bench_report_row(x->b->report, &row);
    }

fail:
    return status;
}

/* ---- running ---- */

static clsp_status run_case(bench *b, const list_case *c, clsp_type precision)
{
    clsp_status (*const runs[WAYS])(void *) = {run_host, run_buffer, run_loop};
    list_contest x = {.b = b, .c = c, .precision = precision};
    clsp_status status;

    set_sizes(&x);
    BENCH_TRY(allocate(&x) ? CLSP_OK : CLSP_ERROR_NO_MEMORY);
    fill(&x);
    BENCH_TRY(create_plan(&x));
    BENCH_TRY(create_buffers(&x));
    for (int i = 0; i < WAYS; i++)
        x.ways[i] = (bench_contestant){.enqueue = runs[i], .around = calm, .user = &x};
    if (!host_lists_are_parallel()) x.ways[LOOP].enqueue = NULL;
    BENCH_TRY(bench_measure_some(b->queue, x.ways, WAYS, b->quick ? 5 : 20));
    BENCH_TRY(report(&x));

fail:
    release(&x);
    return bench_check(status, c->name);
}

clsp_status list_contest_run(bench *b)
{
    clsp_status status = CLSP_OK;

    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        for (size_t i = 0; i < BENCH_COUNT(cases) && b->wanted[p]; i++)
            if (bench_wants(b, cases[i].name)) BENCH_TRY(run_case(b, &cases[i], p));

fail:
    return status;
}
