#include "project_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "host_curves.h"

static const char *const kinds[CURVE_KINDS] = {"wild", "tame"};

void project_case_name(const project_case *c, char name[PROJECT_NAME_MAX])
{
    snprintf(name, PROJECT_NAME_MAX, "%s %s, %zu%s", c->curve->name, kinds[c->kind], c->num,
             c->on_curve ? " on it" : "");
}

static size_t result_reals(const project_run *r)
{
    return r->precision == CLSP_F64 ? CLSP_NEAREST_F64_SIZE : CLSP_NEAREST_F32_SIZE;
}

/* ---- contestants ---- */

static clsp_status enqueue(void *user)
{
    const project_way *const way = user;
    const project_run *const r = way->run;
    const clsp_nearest_queries queries = {.num = way->num,
                                          .points = clsp_in_buffer(r->points, r->precision, 0)};
    const clsp_nearest_opts opts = {.method = way->method};
    clsp_status status;

    if (way->loads)
        BENCH_TRY(
            bench_check(clsp_patch_set_control_points(
                            r->plan, 1, clsp_in_buffer(r->device_controls, r->precision, 0), NULL),
                        "clsp_patch_set_control_points"));
    return bench_check(clsp_nearest_project(r->plan, &queries, &opts,
                                            clsp_out_buffer(r->results, r->precision, 0), NULL),
                       "clsp_nearest_project");

fail:
    return status;
}

#ifdef BENCH_SISL
static clsp_status run_sisl(void *user)
{
    const project_way *const way = user;
    const project_run *const r = way->run;
    const int number = (int)(way - r->ways);
    const host_curve curve = {r->c.curve->dim, r->c.curve->degree, r->c.curve->controls,
                              r->controls};
    const host_search search = number == PROJECT_NEWTON ? HOST_NEWTON : HOST_ALL_MINIMA;

    return bench_check(host_sisl_project(&curve, search, r->few, r->num_few, r->distances[number])
                           ? CLSP_OK
                           : CLSP_ERROR_STATE,
                       "SISL");
}
#endif

static void enter(project_run *r, int number, clsp_status (*call)(void *user))
{
    r->contestants[number] = (bench_contestant){.enqueue = call, .user = &r->ways[number]};
}

/* Enters a method in its three ways. */
static void enter_method(project_run *r, int number, clsp_nearest_method method)
{
    r->ways[number] = (project_way){r, method, false, r->c.num};
    r->ways[number + 1] = (project_way){r, method, true, r->c.num};
    r->ways[number + 2] = (project_way){r, method, true, 1};
    for (int i = 0; i < 3; i++)
        enter(r, number + i, enqueue);
}

void project_run_with_mrep(project_run *r)
{
    enter_method(r, PROJECT_MREP, CLSP_NEAREST_MREP);
}

/* ---- setting up ---- */

static clsp_status make_buffer(const project_run *r, size_t reals, cl_mem *buffer)
{
    cl_int code;

    *buffer = clCreateBuffer(r->b->context, CL_MEM_READ_WRITE,
                             reals * clsp_type_bytes(r->precision), NULL, &code);
    return bench_check(code, "clCreateBuffer");
}

/* Writes doubles in the precision, from element `first` on. */
static clsp_status write_reals(const project_run *r, cl_mem buffer, size_t first,
                               const double *values, size_t num)
{
    const size_t bytes = clsp_type_bytes(r->precision);
    float *const narrow = malloc(num * sizeof *narrow);
    const void *source = values;

    if (!narrow) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    if (r->precision == CLSP_F32) {
        for (size_t i = 0; i < num; i++)
            narrow[i] = (float)values[i];
        source = narrow;
    }
    const cl_int code = clEnqueueWriteBuffer(r->b->queue, buffer, CL_TRUE, first * bytes,
                                             num * bytes, source, 0, NULL, NULL);
    free(narrow);
    return bench_check(code, "clEnqueueWriteBuffer");
}

static clsp_status read_reals(const project_run *r, cl_mem buffer, size_t num, double *values)
{
    const size_t bytes = num * clsp_type_bytes(r->precision);
    float *const narrow = malloc(num * sizeof *narrow);
    void *const to = r->precision == CLSP_F32 ? (void *)narrow : values;

    if (!narrow) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    const cl_int code =
        clEnqueueReadBuffer(r->b->queue, buffer, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
    for (size_t i = 0; i < num && r->precision == CLSP_F32; i++)
        values[i] = (double)narrow[i];
    free(narrow);
    return bench_check(code, "clEnqueueReadBuffer");
}

enum { BLOCK = 1 << 16 }; /* numbers that are made at a time */

/* Fills a buffer with numbers in [0, 1), the same in every run. */
static clsp_status fill_randomly(const project_run *r, cl_mem buffer, size_t num)
{
    double *const values = malloc(BLOCK * sizeof *values);
    uint64_t state = 1;
    clsp_status status = values ? CLSP_OK : bench_check(CLSP_ERROR_NO_MEMORY, r->name);

    for (size_t first = 0; first < num && status == CLSP_OK; first += BLOCK) {
        const size_t count = num - first < BLOCK ? num - first : BLOCK;
        for (size_t i = 0; i < count; i++)
            values[i] = curve_case_uniform(&state);
        status = write_reals(r, buffer, first, values, count);
    }
    free(values);
    return status;
}

/* Makes the points by evaluating the curve at random parameters. */
static clsp_status make_points_on_curve(project_run *r)
{
    cl_mem params = NULL;
    uint32_t *const patches = calloc(r->c.num, sizeof *patches);
    clsp_status status;

    if (!patches) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    BENCH_TRY(make_buffer(r, r->c.num, &params));
    BENCH_TRY(fill_randomly(r, params, r->c.num));
    BENCH_TRY(bench_check(
        clsp_patch_eval_points(r->plan,
                               &(clsp_points){.num = r->c.num,
                                              .item = clsp_in_u32(patches, r->c.num),
                                              .params = clsp_in_buffer(params, r->precision, 0)},
                               clsp_out_buffer(r->points, r->precision, 0), NULL),
        "clsp_patch_eval_points"));

fail:
    if (params) clReleaseMemObject(params);
    free(patches);
    return status;
}

static clsp_status make_plan(project_run *r)
{
    const curve_case *const k = r->c.curve;
    const clsp_bspline_desc desc = {.directions = 1,
                                    .precision = r->precision,
                                    .degree = {k->degree},
                                    .num_controls = {k->controls},
                                    .dim = k->dim};
    const size_t reals = (size_t)k->controls * k->dim;
    clsp_status status;

    curve_case_controls(k, r->c.kind, r->controls);
    BENCH_TRY(make_buffer(r, reals, &r->device_controls));
    BENCH_TRY(write_reals(r, r->device_controls, 0, r->controls, reals));
    BENCH_TRY(bench_check(clsp_bspline_plan_create(&r->plan, r->b->ctx, &desc),
                          "clsp_bspline_plan_create"));
    BENCH_TRY(
        bench_check(clsp_patch_set_control_points(
                        r->plan, 1, clsp_in_buffer(r->device_controls, r->precision, 0), NULL),
                    "clsp_patch_set_control_points"));

fail:
    return status;
}

clsp_status project_run_start(project_run *r, bench *b, const project_case *c, clsp_type precision)
{
    clsp_status status;

    r->b = b;
    r->c = *c;
    r->precision = precision;
    project_case_name(c, r->name);
    BENCH_TRY(make_plan(r));
    BENCH_TRY(make_buffer(r, c->num * c->curve->dim, &r->points));
    BENCH_TRY(make_buffer(r, c->num * result_reals(r), &r->results));
    if (c->on_curve)
        BENCH_TRY(make_points_on_curve(r));
    else
        BENCH_TRY(fill_randomly(r, r->points, c->num * c->curve->dim));
    enter_method(r, PROJECT_EXACT, CLSP_NEAREST_EXACT);

fail:
    return status;
}

void project_run_release(project_run *r)
{
    clsp_patch_plan_destroy(&r->plan);
    if (r->device_controls) clReleaseMemObject(r->device_controls);
    if (r->points) clReleaseMemObject(r->points);
    if (r->results) clReleaseMemObject(r->results);
    free(r->few);
    for (int i = 0; i < PROJECT_WAYS; i++)
        free(r->distances[i]);
}

clsp_status project_run_with_sisl(project_run *r, size_t num_few)
{
#ifdef BENCH_SISL
    clsp_status status;

    r->num_few = num_few < r->c.num ? num_few : r->c.num;
    r->few = malloc(r->num_few * r->c.curve->dim * sizeof *r->few);
    for (int i = 0; i < PROJECT_WAYS; i++) {
        r->distances[i] = malloc(r->num_few * sizeof *r->distances[i]);
        if (!r->few || !r->distances[i]) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
        for (size_t k = 0; k < r->num_few; k++)
            r->distances[i][k] = NAN;
    }
    BENCH_TRY(read_reals(r, r->points, r->num_few * r->c.curve->dim, r->few));
    for (int i = PROJECT_ALL_MINIMA; i <= PROJECT_NEWTON; i++) {
        r->ways[i] = (project_way){.run = r, .num = r->num_few};
        enter(r, i, run_sisl);
    }

fail:
    return status;
#else
    (void)r, (void)num_few;
    return CLSP_OK;
#endif
}

/* Keeps the library's distances of the first points by a way that has run. */
static clsp_status keep_distances(project_run *r, int number)
{
    const size_t reals = result_reals(r);
    double *const results = malloc(r->num_few * reals * sizeof *results);
    clsp_status status;

    if (!results) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    BENCH_TRY(r->contestants[number].enqueue(r->contestants[number].user));
    BENCH_TRY(read_reals(r, r->results, r->num_few * reals, results));
    for (size_t i = 0; i < r->num_few; i++)
        r->distances[number][i] = results[i * reals]; /* it comes first */

fail:
    free(results);
    return status;
}

clsp_status project_run_measure(project_run *r)
{
    clsp_status status;

    BENCH_TRY(bench_measure_some(r->b->queue, r->contestants, PROJECT_WAYS, r->b->quick ? 5 : 20));
    for (int number = PROJECT_EXACT; number <= PROJECT_MREP; number += PROJECT_MREP)
        if (r->num_few > 0 && r->contestants[number].enqueue) BENCH_TRY(keep_distances(r, number));

fail:
    return status;
}

double project_run_share_above(const project_run *r, int way, int other, double by)
{
    size_t count = 0;

    if (r->num_few == 0 || !r->contestants[way].enqueue || !r->contestants[other].enqueue)
        return NAN;
    for (size_t i = 0; i < r->num_few; i++)
        count += !(r->distances[way][i] <= r->distances[other][i] + by);
    return (double)count / (double)r->num_few;
}
