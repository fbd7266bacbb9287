/* Projection onto surfaces: processor time a point on all cores, and the time in which the search
   is made, each beside what is asked of it on two cores of 2.6 GHz; and of points near surfaces and
   in their boxes, what others make of them. On a GPU that searches, also points a second from and
   into its memory. Of a part of trimmed faces also what a loop over its faces, without trims,
   takes.
   */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "surface_cases.h"
#include "surface_peers.h"
#include "trimmed_part.h"

static const char suite[] = "project";

enum {
    PATCHES_MAX = 28,
    ROUNDS = 5,
    NUM = 100000,
    NUM_QUICK = 10000,
    NUM_PEERS = 10000,
    NUM_GPU = 1 << 22
};

/* Where queries are: a scan, moved along the normal by a thousandth of the model's size or so;
   anywhere in the box; in a cube three times as large; all beside the origin. */
typedef enum query_kind { NEAR, BOX, FAR, CENTRE } query_kind;

static const char *const kind_names[] = {"near", "box", "far", "centre"};

static const char part_name[] = "plate with 40 holes";

/* A model is a file of Bezier patches, or a B-spline of surface_cases.h. */
typedef struct project_model {
    const char *name, *file;
    surface_case surface;
} project_model;

static const project_model models[] = {
    {"S3x30", NULL, {SURFACE_SMOOTH, 3, 30, 3, 0}},
    {"S3x100", NULL, {SURFACE_SMOOTH, 3, 100, 3, 0}},
    {"S3x316", NULL, {SURFACE_SMOOTH, 3, 316, 3, 0}}, /* 10^5 pieces */
    {"H3x30", NULL, {SURFACE_SPIKY, 3, 30, 3, 0}},
    {"R3x10", NULL, {SURFACE_CLOUD, 3, 10, 3, 0}},
    {"S5rat", NULL, {SURFACE_SMOOTH, 5, 10, 3, 1}},
    {"teapot", "teapot.bv", {SURFACE_SMOOTH, 0, 0, 0, 0}},
    {"sphere", "sphere.bv", {SURFACE_SMOOTH, 0, 0, 0, 0}},
};

enum { S3X30, S3X100, S3X316, H3X30, R3X10, S5RAT, TEAPOT, SPHERE };

/* What is measured, and the microseconds of a point that are asked; NAN: none are. */
typedef struct project_ask {
    int model;
    query_kind kind;
    double share; /* of the model's size: max_dist; 0: none */
    double us;
} project_ask;

static const project_ask asks[] = {
    {S3X30, NEAR, 0, 0.5},    {S3X30, BOX, 0, 2},     {S3X30, FAR, 0, NAN},
    {S3X100, NEAR, 0, 0.8},   {S3X100, BOX, 0, NAN},  {S3X316, NEAR, 0, NAN},
    {S3X316, BOX, 0, NAN},    {H3X30, NEAR, 0, NAN},  {R3X10, NEAR, 0, NAN},
    {R3X10, BOX, 0, 12},      {S5RAT, NEAR, 0, 2.5},  {S5RAT, BOX, 0, 15},
    {TEAPOT, NEAR, 0, 1.2},   {TEAPOT, BOX, 0, 3},    {TEAPOT, FAR, 0, NAN},
    {TEAPOT, BOX, 0.02, 0.2}, {SPHERE, NEAR, 0, NAN}, {SPHERE, BOX, 0, NAN},
    {SPHERE, CENTRE, 0, 100},
};

/* A model that is loaded, of either family, and points of it. */
typedef struct project_surface {
    bench *b;
    const project_model *model;
    clsp_type precision;
    unsigned degree, controls, coords;
    bool rational;
    size_t num_patches, num_reals;
    double *points;
    clsp_patch_plan *plan;
    double low[3], high[3], size;
} project_surface;

/* ---- models ---- */

/* Reads Bezier patches of one kind: a kind, two degrees and control points each. */
static clsp_status read_model(project_surface *s)
{
    char path[512], line[256];
    size_t at = 0;

    snprintf(path, sizeof path, "%s/%s", BENCH_DATA, s->model->file);
    FILE *const file = fopen(path, "r");
    s->points = malloc((size_t)PATCHES_MAX * 16 * 4 * sizeof *s->points);
    if (!file || !s->points) {
        if (file) fclose(file);
        return bench_check(CLSP_ERROR_NO_MEMORY, path);
    }
    while (fgets(line, sizeof line, file)) {
        double x[4];
        const int num = sscanf(line, "%lf %lf %lf %lf", &x[0], &x[1], &x[2], &x[3]);
        if (num == 1) s->rational = x[0] == 8;
        if (num == 1) s->num_patches++;
        if (num == 2) s->degree = (unsigned)x[0];
        for (int k = 0; num >= 3 && k < num && s->num_patches <= PATCHES_MAX; k++)
            s->points[at++] = x[k];
    }
    fclose(file);
    s->controls = s->degree + 1;
    s->coords = 3 + s->rational;
    s->num_reals = at;
    return CLSP_OK;
}

static clsp_status make_case(project_surface *s)
{
    const surface_case *const c = &s->model->surface;

    s->degree = c->degree;
    s->rational = c->rational != 0;
    s->controls = surface_case_controls(c);
    s->coords = 3 + s->rational;
    s->num_patches = 1;
    s->num_reals = (size_t)s->controls * s->controls * s->coords;
    s->points = malloc(s->num_reals * sizeof *s->points);
    if (!s->points) return bench_check(CLSP_ERROR_NO_MEMORY, s->model->name);
    surface_case_points(c, s->points);
    return CLSP_OK;
}

static void find_box(project_surface *s)
{
    double square = 0;

    for (int k = 0; k < 3; k++) {
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
        for (size_t i = 0; i < s->num_reals; i += s->coords) {
            const double x = s->points[i + (size_t)k] / (s->rational ? s->points[i + 3] : 1);
            s->low[k] = fmin(s->low[k], x);
            s->high[k] = fmax(s->high[k], x);
        }
        square += (s->high[k] - s->low[k]) * (s->high[k] - s->low[k]);
    }
    s->size = sqrt(square);
}

/* Loads the control points, which makes the search anew when it is next asked for. */
static clsp_status load(const project_surface *s)
{
    float *const narrow = malloc(s->num_reals * sizeof *narrow);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    for (size_t i = 0; narrow && i < s->num_reals; i++)
        narrow[i] = (float)s->points[i];
    const clsp_input in = s->precision == CLSP_F64 ? clsp_in_f64(s->points, s->num_reals)
                                                   : clsp_in_f32(narrow, s->num_reals);
    if (narrow) status = clsp_patch_set_control_points(s->plan, s->num_patches, in, NULL);
    free(narrow);
    return bench_check(status, "control points");
}

static void release(project_surface *s)
{
    clsp_patch_plan_destroy(&s->plan);
    free(s->points);
}

static clsp_status start(project_surface *s)
{
    const clsp_vertex_layout layout = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    clsp_status status;

    if (s->model->file) {
        BENCH_TRY(read_model(s));
        const clsp_bezier_desc d = {.degree = {s->degree, s->degree},
                                    .precision = s->precision,
                                    .rational = s->rational,
                                    .vertex = layout};
        BENCH_TRY(clsp_bezier_plan_create(&s->plan, s->b->ctx, &d));
    } else {
        BENCH_TRY(make_case(s));
        const clsp_bspline_desc d = {.degree = {s->degree, s->degree},
                                     .num_controls = {s->controls, s->controls},
                                     .precision = s->precision,
                                     .rational = s->rational,
                                     .vertex = layout};
        BENCH_TRY(clsp_bspline_plan_create(&s->plan, s->b->ctx, &d));
    }
    find_box(s);
    return load(s);

fail:
    return bench_check(status, s->model->name);
}

/* ---- queries ---- */

static clsp_input reals_in(const project_surface *s, const void *reals, size_t num)
{
    return s->precision == CLSP_F64 ? clsp_in_f64(reals, num) : clsp_in_f32(reals, num);
}

static clsp_output reals_out(const project_surface *s, void *reals, size_t num)
{
    return s->precision == CLSP_F64 ? clsp_out_f64(reals, num) : clsp_out_f32(reals, num);
}

static double get(const project_surface *s, const void *reals, size_t i)
{
    return s->precision == CLSP_F64 ? ((const double *)reals)[i]
                                    : (double)((const float *)reals)[i];
}

static void set(const project_surface *s, void *reals, size_t i, double x)
{
    if (s->precision == CLSP_F64)
        ((double *)reals)[i] = x;
    else
        ((float *)reals)[i] = (float)x;
}

/* Evaluates points and normals at random places: [num][6]. */
static clsp_status random_vertices(const project_surface *s, size_t num, void *vertices)
{
    uint32_t *const items = malloc(num * sizeof *items);
    void *const params = malloc(2 * num * sizeof(double));
    clsp_status status = CLSP_ERROR_NO_MEMORY;
    uint64_t seed = 7;

    for (size_t i = 0; items && params && i < num; i++) {
        items[i] = (uint32_t)(surface_case_uniform(&seed) * (double)s->num_patches);
        set(s, params, 2 * i, surface_case_uniform(&seed));
        set(s, params, 2 * i + 1, surface_case_uniform(&seed));
    }
    if (items && params) {
        const clsp_points points = {
            .num = num, .item = clsp_in_u32(items, num), .params = reals_in(s, params, 2 * num)};
        const clsp_output out = reals_out(s, vertices, 6 * num);
        status = clsp_patch_eval_points(s->plan, &points, out, NULL);
    }
    free(items);
    free(params);
    return bench_check(status, "points of surfaces");
}

/* Fills queries: [num][3]. */
static clsp_status make_queries(const project_surface *s, query_kind kind, size_t num,
                                void *queries)
{
    void *const vertices = malloc(6 * num * sizeof(double));
    uint64_t seed = 11;
    clsp_status status = CLSP_OK;

    if (!vertices) return bench_check(CLSP_ERROR_NO_MEMORY, "queries");
    if (kind == NEAR) status = random_vertices(s, num, vertices);
    for (size_t i = 0; status == CLSP_OK && i < num; i++) {
        const double off = 1e-3 * s->size * surface_case_normal(&seed);
        for (size_t k = 0; k < 3; k++) {
            const double middle = (s->low[k] + s->high[k]) / 2, length = s->high[k] - s->low[k];
            const double u = surface_case_uniform(&seed) - 0.5;
            const double x =
                kind == NEAR ? get(s, vertices, 6 * i + k) + off * get(s, vertices, 6 * i + 3 + k)
                : kind == CENTRE ? 1e-4 * u * (double)(i % 2)
                                 : middle + u * length * (kind == FAR ? 3 : 1);
            set(s, queries, 3 * i + k, x);
        }
    }
    free(vertices);
    return status;
}

/* ---- measuring ---- */

static clsp_status project(const project_surface *s, size_t num, const void *queries,
                           double max_dist, void *results)
{
    const clsp_nearest_queries q = {.num = num, .points = reals_in(s, queries, 3 * num)};
    const clsp_nearest_opts opts = {.max_dist = max_dist};
    const clsp_output out = s->precision == CLSP_F64 ? clsp_out_nearest_f64(results, num)
                                                     : clsp_out_nearest_f32(results, num);

    return bench_check(clsp_nearest_project(s->plan, &q, &opts, out, NULL), "projection");
}

static double processor_ms(void)
{
    return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static void report(const project_surface *s, const char *name, const char *method,
                   bench_timing time, double rate, const char *unit, double most)
{
    bench_row row = bench_row_empty(suite, name, method, s->precision == CLSP_F64 ? 64 : 32);

    row.time = time;
    row.rate = rate;
    row.unit = unit;
    row.most = most;
    bench_report_row(s->b->report, &row);
}

/* Measures calls from and into memory of the device. */
static clsp_status run_buffers(const project_surface *s, const project_ask *a, const char *name,
                               const cl_mem buffers[2], size_t num)
{
    const clsp_nearest_queries q = {.num = num,
                                    .points = clsp_in_buffer(buffers[0], s->precision, 0)};
    const clsp_nearest_opts opts = {.max_dist = a->share * s->size};
    const clsp_output out = clsp_out_buffer(buffers[1], s->precision, 0);
    double wall[ROUNDS];
    clsp_status status;

    for (int i = -1; i < ROUNDS; i++) { /* the first makes all ready */
        const double begin = bench_now_ms();
        BENCH_TRY(bench_check(clsp_nearest_project(s->plan, &q, &opts, out, NULL),
                              "projection in device memory"));
        BENCH_TRY(bench_check(clFinish(s->b->queue), "clFinish"));
        if (i >= 0) wall[i] = bench_now_ms() - begin;
    }
    const bench_timing time = bench_timing_of(wall, ROUNDS);
    report(s, name, "device memory", time, (double)num * 1e3 / time.median_ms, "point/s", NAN);

fail:
    return status;
}

static clsp_status measure_on_gpu(const project_surface *s, const project_ask *a, const char *name)
{
    const size_t num = s->b->is_cpu || s->b->quick ? NUM : NUM_GPU;
    const size_t query = 3 * clsp_type_bytes(s->precision);
    const size_t result =
        s->precision == CLSP_F64 ? sizeof(clsp_nearest_f64) : sizeof(clsp_nearest_f32);
    void *const queries = malloc(num * 3 * sizeof(double));
    cl_mem buffers[2] = {NULL, NULL};
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (!queries) goto fail;
    BENCH_TRY(make_queries(s, a->kind, num, queries));
    buffers[0] = clCreateBuffer(s->b->context, CL_MEM_COPY_HOST_PTR, num * query, queries, &code);
    if (buffers[0])
        buffers[1] = clCreateBuffer(s->b->context, CL_MEM_READ_WRITE, num * result, NULL, &code);
    BENCH_TRY(bench_check(code, "clCreateBuffer"));
    status = run_buffers(s, a, name, buffers, num);

fail:
    for (int i = 0; i < 2; i++)
        if (buffers[i]) clReleaseMemObject(buffers[i]);
    free(queries);
    return bench_check(status, name);
}

/* Measures a call of one point that makes the search first. What is asked on two cores is twice as
   much processor time. */
static clsp_status run_build(const project_surface *s)
{
    const double zero[3] = {0}, ask = s->model == &models[S3X100]  ? 2 * 25
                                      : s->model == &models[H3X30] ? 2 * 250
                                                                   : (double)NAN;
    double spent[ROUNDS];
    clsp_nearest_f64 result;
    clsp_status status;

    for (int i = 0; i < ROUNDS; i++) {
        BENCH_TRY(load(s));
        const double begin = processor_ms();
        BENCH_TRY(project(s, 1, zero, 0, &result));
        spent[i] = processor_ms() - begin;
    }
    const bench_timing time = bench_timing_of(spent, ROUNDS);
    report(s, s->model->name, "build, processor time", time, time.min_ms, "ms", ask);
    return CLSP_OK;

fail:
    return status;
}

static clsp_status measure(const project_surface *s, const project_ask *a, const char *name,
                           size_t num, void *queries, void *results)
{
    double wall[ROUNDS], processor[ROUNDS];
    clsp_status status;

    BENCH_TRY(make_queries(s, a->kind, num, queries));
    BENCH_TRY(project(s, num, queries, a->share * s->size, results));
    for (int i = 0; i < ROUNDS; i++) {
        const double begin = bench_now_ms(), spent = processor_ms();
        BENCH_TRY(project(s, num, queries, a->share * s->size, results));
        wall[i] = bench_now_ms() - begin;
        processor[i] = processor_ms() - spent;
    }
    const bench_timing time = bench_timing_of(wall, ROUNDS);
    const bench_timing spent = bench_timing_of(processor, ROUNDS);
    report(s, name, "project", time, (double)num * 1e3 / time.median_ms, "point/s", NAN);
    report(s, name, "processor time", spent, spent.min_ms * 1e3 / (double)num, "us/point", a->us);
    return CLSP_OK;

fail:
    return status;
}

/* Measures what others make of some of the queries. */
static clsp_status measure_peers(const project_surface *s, const char *name, size_t num,
                                 const double *queries, const clsp_nearest_f64 *results)
{
    const size_t some = num < NUM_PEERS ? num : NUM_PEERS;
    double *const distances = malloc(some * sizeof *distances);
    const surface_peers peers = {
        .b = s->b,
        .suite = suite,
        .name = name,
        .surfaces = {s->num_patches, s->degree, s->controls, s->rational, s->points},
        .num = some,
        .queries = queries,
        .distances = distances,
        .size = s->size};

    if (!distances) return bench_check(CLSP_ERROR_NO_MEMORY, name);
    for (size_t i = 0; i < some; i++)
        distances[i] = results[i].distance;
    const clsp_status status = surface_peers_measure(&peers);
    free(distances);
    return status;
}

static clsp_status run_ask(const project_surface *s, const project_ask *a)
{
    const size_t num = s->b->quick ? NUM_QUICK : NUM;
    void *const queries = malloc(3 * num * sizeof(double));
    void *const results = malloc(num * sizeof(clsp_nearest_f64));
    clsp_status status = CLSP_ERROR_NO_MEMORY;
    char name[64];

    snprintf(name, sizeof name, "%s %s%s", s->model->name, kind_names[a->kind],
             a->share > 0 ? ", max_dist 2%" : "");
    if (queries && results) status = measure(s, a, name, num, queries, results);
    if (status == CLSP_OK && s->precision == CLSP_F64 && a->kind <= BOX && !(a->share > 0))
        status = measure_peers(s, name, num, queries, results);
    free(queries);
    free(results);
    if (status == CLSP_OK && s->b->queue && s->b->info.device_class != CLSP_CLASS_CPU &&
        s->b->info.fp64)
        return measure_on_gpu(s, a, name);
    return bench_check(status, name);
}

static clsp_status run_model(bench *b, int model, clsp_type precision)
{
    project_surface s = {.b = b, .model = &models[model], .precision = precision};
    clsp_status status;

    BENCH_TRY(start(&s));
    BENCH_TRY(run_build(&s));
    for (size_t i = 0; i < BENCH_COUNT(asks); i++)
        if (asks[i].model == model) BENCH_TRY(run_ask(&s, &asks[i]));

fail:
    release(&s);
    return status;
}

/* ---- trimmed faces ---- */

/* Projects onto a part, or onto one face after the other without its trims. */
static clsp_status project_part(const trimmed_part *p, bool by_faces, size_t num,
                                const double *queries, clsp_nearest_f64 *results)
{
    const clsp_nearest_queries q = {.num = num, .points = clsp_in_f64(queries, 3 * num)};
    const clsp_output out = clsp_out_nearest_f64(results, num);
    clsp_status status = CLSP_OK;

    if (!by_faces) return clsp_nearest_find(p->search, &q, NULL, out, NULL);
    for (int i = 0; status == CLSP_OK && i < PLATE_FACES; i++)
        status = clsp_nearest_project(p->plans[i], &q, NULL, out, NULL);
    return status;
}

static clsp_status measure_part(bench *b, const trimmed_part *p, query_kind kind, double *queries,
                                clsp_nearest_f64 *results)
{
    const size_t num = b->quick ? NUM_QUICK : NUM;
    const project_surface s = {.b = b, .precision = CLSP_F64};
    uint64_t seed = 5;
    char name[64];
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < num; i++) {
        double random[6];
        for (int k = 0; k < 6; k++)
            random[k] = surface_case_uniform(&seed);
        trimmed_part_point(p, kind == NEAR, random, queries + 3 * i);
    }
    snprintf(name, sizeof name, "%s %s", part_name, kind_names[kind]);
    for (int by_faces = 0; by_faces < 2; by_faces++) {
        double spent[ROUNDS];
        for (int i = -1; i < ROUNDS; i++) { /* the first makes all ready */
            const double begin = processor_ms();
            BENCH_TRY(project_part(p, by_faces, num, queries, results));
            if (i >= 0) spent[i] = processor_ms() - begin;
        }
        const bench_timing time = bench_timing_of(spent, ROUNDS);
        report(&s, name, by_faces ? "untrimmed face by face" : "processor time", time,
               time.min_ms * 1e3 / (double)num, "us/point",
               by_faces       ? (double)NAN
               : kind == NEAR ? 5
                              : 15);
    }

fail:
    return bench_check(status, name);
}

static clsp_status run_part(bench *b)
{
    const size_t num = b->quick ? NUM_QUICK : NUM;
    double *const queries = malloc(3 * num * sizeof *queries);
    clsp_nearest_f64 *const results = malloc(num * sizeof *results);
    trimmed_part p;
    clsp_status status = trimmed_part_open(&p, b->ctx);

    if (!queries || !results) status = CLSP_ERROR_NO_MEMORY;
    if (status == CLSP_OK) status = measure_part(b, &p, NEAR, queries, results);
    if (status == CLSP_OK) status = measure_part(b, &p, BOX, queries, results);
    trimmed_part_close(&p);
    free(queries);
    free(results);
    return bench_check(status, part_name);
}

clsp_status bench_suite_project(bench *b)
{
    static const clsp_type precisions[] = {CLSP_F32, CLSP_F64};
    clsp_status status;

    for (size_t i = 0; i < BENCH_COUNT(precisions); i++)
        for (int k = 0; b->wanted[precisions[i]] && k < (int)BENCH_COUNT(models); k++)
            if (bench_wants(b, models[k].name)) BENCH_TRY(run_model(b, k, precisions[i]));
    if (b->wanted[CLSP_F64] && bench_wants(b, part_name)) BENCH_TRY(run_part(b));
    return CLSP_OK;

fail:
    return status;
}
