#include "gauss_axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bezier_run.h"
#include "reference.h"

enum {
    DEGREE = 3,
    MOST_SPANS = 253, /* of the B-spline, in each direction */
    SPAN_POINTS = 8,  /* Gauss points */
    PATCH_POINTS = 16
};

/* Enough for a GPU to be busy for longer than a launch takes, and few for lists on CPUs. */
static size_t num_spans(const bench *b)
{
    return b->is_cpu ? 61 : MOST_SPANS;
}

static size_t num_patches(const bench *b)
{
    return b->is_cpu ? 1000 : 10000;
}

static const struct {
    uint32_t attributes;
    const char *name;
} vertices[] = {
    {CLSP_VERTEX_POINT, "points"},
    {CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV, "derivatives"},
    {CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS, "normals and parameters"}};

static const double wanted = 0.9; /* of a uniform grid's speed, and some noise */

void gauss_points(double *points, size_t num)
{
    const double n = (double)num;

    for (size_t i = 0; i < num; i++) {
        double z = -cos(acos(-1.0) * ((double)i + 0.75) / (n + 0.5));
        for (int step = 0; step < 6; step++) {
            double p = z, before = 1.0;
            for (size_t k = 2; k <= num; k++) {
                const double kk = (double)k, next = ((2 * kk - 1) * z * p - (kk - 1) * before) / kk;
                before = p;
                p = next;
            }
            z -= p * (z * z - 1.0) / (n * (z * p - before));
        }
        points[i] = 0.5 + 0.5 * z;
    }
}

void gauss_axes_report(bench *b, bench_row row, const bench_contestant *uniform,
                       const bench_contestant *gauss, double points)
{
    bench_row ratio = row;

    row.work = points;
    row.unit = "point/s";
    row.method = "uniform";
    row.time = uniform->sustained;
    bench_report_row(b->report, &row);
    row.method = "Gauss";
    row.time = gauss->sustained;
    bench_report_row(b->report, &row);
    ratio.method = "Gauss/uniform";
    ratio.rate = bench_ratio(gauss, uniform);
    ratio.unit = "ratio";
    ratio.least = bezier_takes_own_shape(b) ? wanted : NAN;
    bench_report_row(b->report, &ratio);
}

/* ---- plans ---- */

/* Vertices of one kind: by the library's grids of both kinds, and by a list. */
typedef struct gauss_run {
    bench *b;
    clsp_type precision;
    size_t num, patches; /* samples of a patch along each direction */
    double *params;      /* [num] */
    cl_mem out, item, list;
    size_t reals; /* of all vertices */
} gauss_run;

/* A way to make them: plans of one family. */
typedef struct gauss_way {
    gauss_run *run;
    clsp_patch_plan *plan;
} gauss_way;

static clsp_status enqueue_grid(void *user)
{
    const gauss_way *const way = user;
    const gauss_run *const r = way->run;
    const clsp_range all = {0, r->patches};
    const clsp_output out = clsp_out_buffer(r->out, r->precision, 0);

    return bench_check(clsp_patch_eval(way->plan, all, out, NULL), "grid");
}

static clsp_status enqueue_list(void *user)
{
    const gauss_way *const way = user;
    const gauss_run *const r = way->run;
    const clsp_points points = {.num = r->patches * r->num * r->num,
                                .item = clsp_in_buffer(r->item, CLSP_U32, 0),
                                .params = clsp_in_buffer(r->list, r->precision, 0)};
    const clsp_output out = clsp_out_buffer(r->out, r->precision, 0);

    return bench_check(clsp_patch_eval_points(way->plan, &points, out, NULL), "list");
}

/* Makes control points in the precision; *narrow and *wide are to be freed. */
static clsp_input controls_of(const gauss_run *r, size_t num, double **wide, float **narrow)
{
    *wide = malloc(num * sizeof **wide);
    *narrow = malloc(num * sizeof **narrow);
    for (size_t i = 0; *wide && *narrow && i < num; i++) {
        if (i == 0) bench_random_fill(*wide, num);
        (*narrow)[i] = (float)(*wide)[i];
    }
    return r->precision == CLSP_F64 ? clsp_in_f64(*wide, *wide ? num : 0)
                                    : clsp_in_f32(*narrow, *narrow ? num : 0);
}

static clsp_status create_bezier(gauss_way *way, uint32_t attributes, const double *params)
{
    const gauss_run *const r = way->run;
    const clsp_axis axis = {.num = (uint32_t)r->num, .params = params};
    const clsp_bezier_desc d = {.precision = r->precision,
                                .degree = {DEGREE, DEGREE},
                                .axis = {axis, axis},
                                .vertex.attributes = attributes};
    double *wide;
    float *narrow;
    const size_t reals = r->patches * (DEGREE + 1) * (DEGREE + 1) * 3;
    const clsp_input in = controls_of(r, reals, &wide, &narrow);
    clsp_status status;

    BENCH_TRY(clsp_bezier_plan_create(&way->plan, r->b->ctx, &d));
    BENCH_TRY(clsp_patch_set_control_points(way->plan, r->patches, in, NULL));

fail:
    free(wide);
    free(narrow);
    return bench_check(status, "Bezier plan");
}

static clsp_status create_bspline(gauss_way *way, uint32_t attributes, const double *params)
{
    const gauss_run *const r = way->run;
    const clsp_axis axis = {.num = (uint32_t)r->num, .params = params};
    const uint32_t controls = (uint32_t)num_spans(r->b) + DEGREE;
    const clsp_bspline_desc d = {.precision = r->precision,
                                 .degree = {DEGREE, DEGREE},
                                 .num_controls = {controls, controls},
                                 .axis = {axis, axis},
                                 .vertex.attributes = attributes};
    double *wide;
    float *narrow;
    const size_t reals = r->patches * controls * controls * 3;
    const clsp_input in = controls_of(r, reals, &wide, &narrow);
    clsp_status status;

    BENCH_TRY(clsp_bspline_plan_create(&way->plan, r->b->ctx, &d));
    BENCH_TRY(clsp_patch_set_control_points(way->plan, r->patches, in, NULL));

fail:
    free(wide);
    free(narrow);
    return bench_check(status, "B-spline plan");
}

/* ---- lists ---- */

static clsp_status upload(const gauss_run *r, const void *from, size_t bytes, cl_mem *buffer)
{
    cl_int code;

    *buffer = clCreateBuffer(r->b->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                             (void *)from, &code);
    return bench_check(code, "clCreateBuffer");
}

/* Makes the list of a grid's parameters. */
static clsp_status make_list(gauss_run *r)
{
    const size_t points = r->patches * r->num * r->num, real = clsp_type_bytes(r->precision);
    cl_uint *const item = malloc(points * sizeof *item);
    char *const params = malloc(2 * points * real);
    clsp_status status = item && params ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    for (size_t i = 0; i < points && status == CLSP_OK; i++) {
        const double uv[2] = {r->params[i / r->num % r->num], r->params[i % r->num]};
        item[i] = (cl_uint)(i / r->num / r->num);
        for (size_t k = 0; k < 2; k++) {
            if (r->precision == CLSP_F64)
                ((double *)(void *)params)[2 * i + k] = uv[k];
            else
                ((float *)(void *)params)[2 * i + k] = (float)uv[k];
        }
    }
    if (status == CLSP_OK) status = upload(r, item, points * sizeof *item, &r->item);
    if (status == CLSP_OK) status = upload(r, params, 2 * points * real, &r->list);
    free(item);
    free(params);
    return bench_check(status, "list");
}

/* ---- runs ---- */

typedef clsp_status (*create_fn)(gauss_way *way, uint32_t attributes, const double *params);

static void report(const gauss_run *r, const char *suite, const char *name,
                   const bench_contestant all[3])
{
    const double points = (double)(r->patches * r->num * r->num);
    bench_row row = bench_row_empty(suite, name, "list", (int)(8 * clsp_type_bytes(r->precision)));

    gauss_axes_report(r->b, row, &all[0], &all[1], points);
    row.time = all[2].sustained;
    row.work = points;
    row.unit = "point/s";
    bench_report_row(r->b->report, &row);
    bench_row ratio =
        bench_row_empty(suite, name, "Gauss/list", (int)(8 * clsp_type_bytes(r->precision)));
    ratio.rate = bench_ratio(&all[1], &all[2]);
    ratio.unit = "ratio";
    bench_report_row(r->b->report, &ratio);
}

/* Measures vertices of one kind. */
static clsp_status run_vertices(gauss_run *r, const char *suite, const char *name,
                                uint32_t attributes, create_fn create)
{
    gauss_way way[2] = {{.run = r}, {.run = r}};
    bench_contestant all[] = {{.enqueue = enqueue_grid, .user = &way[0]},
                              {.enqueue = enqueue_grid, .user = &way[1]},
                              {.enqueue = enqueue_list, .user = &way[1]}};
    clsp_status status;

    BENCH_TRY(create(&way[0], attributes, NULL));
    BENCH_TRY(create(&way[1], attributes, r->params));
    BENCH_TRY(bench_measure(r->b->queue, all, BENCH_COUNT(all), r->b->quick ? 5 : 20));
    report(r, suite, name, all);

fail:
    for (int i = 0; i < 2; i++) {
        clsp_patch_plan_destroy(&way[i].plan);
    }
    return status;
}

/* Measures vertices of all kinds at parameters that are made; what: begins the names. */
static clsp_status run_all(gauss_run *r, const char *suite, const char *what, create_fn create)
{
    enum { MOST = 9 }; /* reals of a vertex */
    const size_t bytes = r->patches * r->num * r->num * MOST * clsp_type_bytes(r->precision);
    clsp_status status;
    cl_int code;

    r->out = clCreateBuffer(r->b->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    BENCH_TRY(bench_check(code, "clCreateBuffer"));
    BENCH_TRY(make_list(r));
    for (size_t i = 0; i < BENCH_COUNT(vertices); i++) {
        char name[96];
        snprintf(name, sizeof name, "%s, %s", what, vertices[i].name);
        if (bench_wants(r->b, name))
            BENCH_TRY(run_vertices(r, suite, name, vertices[i].attributes, create));
    }

fail:
    if (r->out) clReleaseMemObject(r->out);
    if (r->item) clReleaseMemObject(r->item);
    if (r->list) clReleaseMemObject(r->list);
    return status;
}

clsp_status gauss_axes_bezier(bench *b, const char *suite, clsp_type precision)
{
    double params[PATCH_POINTS];
    char name[64];
    gauss_run r = {.b = b,
                   .precision = precision,
                   .num = PATCH_POINTS,
                   .patches = num_patches(b),
                   .params = params};

    gauss_points(params, PATCH_POINTS);
    snprintf(name, sizeof name, "4x4, %zu of 16x16 Gauss points", r.patches);
    return run_all(&r, suite, name, create_bezier);
}

clsp_status gauss_axes_bspline(bench *b, const char *suite, clsp_type precision)
{
    double gauss[SPAN_POINTS], params[MOST_SPANS * SPAN_POINTS];
    char name[64];
    const size_t spans = num_spans(b), controls = spans + DEGREE;
    gauss_run r = {
        .b = b, .precision = precision, .num = spans * SPAN_POINTS, .patches = 1, .params = params};

    gauss_points(gauss, SPAN_POINTS);
    for (size_t i = 0; i < r.num; i++)
        params[i] = ((double)(i / SPAN_POINTS) + gauss[i % SPAN_POINTS]) / (double)spans;
    snprintf(name, sizeof name, "%zux%zu, 8x8 Gauss points a span", controls, controls);
    return run_all(&r, suite, name, create_bspline);
}
