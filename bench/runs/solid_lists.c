#include "solid_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

enum { FEW_POINTS = 1 << 16, MANY_POINTS = 1 << 22 /* of a list for CPUs and for GPUs */ };

static const char suite[] = "solid";

/* A list in device memory and in the host's, where the threads make the first FEW_POINTS. */
typedef struct list_run {
    solid_run run;
    bool in_order; /* points of a cell follow each other; else cells are scattered */
    size_t num;
    uint32_t *cells;
    char *params, *out; /* in the host's memory */
    cl_mem buffer[3];   /* cells, parameters and points */
} list_run;

static size_t element_of(const list_run *l)
{
    return clsp_type_bytes(l->run.precision);
}

static clsp_status run_buffers(void *user)
{
    const list_run *const l = user;
    const clsp_points points = {.num = l->num,
                                .item = clsp_in_buffer(l->buffer[0], CLSP_U32, 0),
                                .params = clsp_in_buffer(l->buffer[1], l->run.precision, 0)};
    const clsp_output out = clsp_out_buffer(l->buffer[2], l->run.precision, 0);

    return bench_check(clsp_solid_eval_points(l->run.plan, &points, out, NULL), l->run.name);
}

/* Makes so many points from and into host memory. */
static clsp_status run_memory(const list_run *l, size_t num, const clsp_run *run)
{
    const clsp_points points = {
        .num = num,
        .item = clsp_in_u32(l->cells, num),
        .params = {.type = l->run.precision, .host = l->params, .size = 3 * num}};
    const clsp_output out = {.type = l->run.precision, .host = l->out, .size = 3 * num};

    return bench_check(clsp_solid_eval_points(l->run.plan, &points, out, run), l->run.name);
}

static clsp_status run_device(void *user)
{
    const list_run *const l = user;

    return run_memory(l, l->num, NULL);
}

static clsp_status run_host(void *user)
{
    static const clsp_share share = {.schedule = CLSP_SCHEDULE_HOST};

    return run_memory(user, FEW_POINTS, &(clsp_run){.share = &share});
}

/* Makes parameters anywhere in the cells. */
static clsp_status make_list(list_run *l)
{
    const size_t cells = l->run.model->counts.num_cells;
    double *const random = malloc(3 * l->num * sizeof *random);

    l->cells = malloc(l->num * sizeof *l->cells);
    l->params = malloc(3 * l->num * element_of(l));
    l->out = malloc(3 * l->num * element_of(l));
    if (!random || !l->cells || !l->params || !l->out) {
        free(random);
        return CLSP_ERROR_NO_MEMORY;
    }
    bench_random_fill(random, 3 * l->num);
    for (size_t i = 0; i < l->num; i++)
        l->cells[i] = (uint32_t)(l->in_order ? i * cells / l->num : i * 2654435761u % cells);
    for (size_t i = 0; i < 3 * l->num; i++) {
        const double t = 0.5 + 0.5 * random[i];
        if (l->run.precision == CLSP_F64)
            ((double *)(void *)l->params)[i] = t;
        else
            ((float *)(void *)l->params)[i] = (float)t;
    }
    free(random);
    return CLSP_OK;
}

static clsp_status make_buffers(list_run *l)
{
    const size_t bytes[3] = {l->num * sizeof *l->cells, 3 * l->num * element_of(l),
                             3 * l->num * element_of(l)};
    void *const contents[3] = {l->cells, l->params, NULL};

    for (size_t i = 0; i < 3; i++) {
        const cl_mem_flags copy = contents[i] ? CL_MEM_COPY_HOST_PTR : 0;
        cl_int code;
        l->buffer[i] = clCreateBuffer(l->run.b->context, CL_MEM_READ_WRITE | copy, bytes[i],
                                      contents[i], &code);
        if (code != CL_SUCCESS) return bench_check(code, l->run.name);
    }
    return CLSP_OK;
}

static double real_at(const list_run *l, const char *reals, size_t i)
{
    return l->run.precision == CLSP_F64 ? ((const double *)(const void *)reals)[i]
                                        : (double)((const float *)(const void *)reals)[i];
}

/* Compares points of the buffers with the host's, which it makes: in eps and the largest
   coordinate. */
static clsp_status compare(list_run *l, double *worst)
{
    const size_t bytes = 3 * (size_t)FEW_POINTS * element_of(l);
    char *const got = malloc(bytes);
    double scale = 0.0;
    clsp_status status = got ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    *worst = 0.0;
    if (status == CLSP_OK) status = run_host(l);
    if (status == CLSP_OK) status = run_buffers(l);
    if (status == CLSP_OK)
        status = clEnqueueReadBuffer(l->run.b->queue, l->buffer[2], CL_TRUE, 0, bytes, got, 0, NULL,
                                     NULL);
    for (size_t i = 0; i < 3 * l->run.model->counts.num_vertices; i++)
        scale = fmax(scale, fabs(l->run.model->points[i]));
    for (size_t i = 0; i < 3 * (size_t)FEW_POINTS && status == CLSP_OK; i++) {
        const double off = fabs(real_at(l, got, i) - real_at(l, l->out, i));
        if (!isnan(*worst) && !(off <= *worst)) *worst = off; /* a NaN stays */
    }
    *worst /= scale * (l->run.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23);
    free(got);
    return bench_check(status, l->run.name);
}

static bench_row row_of(const list_run *l, const char *what, char method[SOLID_NAME_MAX])
{
    snprintf(method, SOLID_NAME_MAX, "%s, %s", l->in_order ? "in order" : "scattered", what);
    return bench_row_empty(suite, l->run.name, method, (int)(8 * element_of(l)));
}

static void report_time(const list_run *l, const char *what, const bench_contestant *c, size_t num,
                        double error)
{
    char method[SOLID_NAME_MAX];
    bench_row row = row_of(l, what, method);

    row.time = c->sustained;
    row.work = (double)num;
    row.unit = "point/s";
    row.bytes = row.work * (double)(6 * element_of(l) + sizeof *l->cells);
    row.error = error;
    bench_report_row(l->run.b->report, &row);
}

static void report_ratio(const list_run *l, const char *what, double ratio, double least)
{
    char method[SOLID_NAME_MAX];
    bench_row row = row_of(l, what, method);

    row.rate = ratio;
    row.unit = "ratio";
    row.least = least;
    bench_report_row(l->run.b->report, &row);
}

/* Measures all ways in turns. Of GPUs 100 million points a second are asked in float, of CPUs twice
   what the host's threads make. */
static clsp_status measure(list_run *l)
{
    const bench *const b = l->run.b;
    bench_contestant all[] = {{.enqueue = run_buffers, .user = l},
                              {.enqueue = run_device, .user = l},
                              {.enqueue = run_host, .user = l}};
    const double part = (double)l->num / FEW_POINTS;
    const bool is_judged = !b->quick && l->run.precision == CLSP_F32;
    double error;
    clsp_status status;

    BENCH_TRY(compare(l, &error));
    BENCH_TRY(bench_measure(b->queue, all, BENCH_COUNT(all), b->quick ? 2 : 10));
    report_time(l, "buffers", &all[0], l->num, error);
    report_time(l, "host memory", &all[1], l->num, NAN);
    report_time(l, "host's threads", &all[2], FEW_POINTS, NAN);
    report_ratio(l, "threads/buffers", part * bench_ratio(&all[0], &all[2]),
                 is_judged && b->is_cpu ? 2 : NAN);
    report_ratio(l, "of 100 million/s", (double)l->num / (1e5 * all[0].sustained.median_ms),
                 is_judged && !b->is_cpu ? 1 : NAN);

fail:
    return status;
}

static clsp_status run_list(bench *b, const solid_model *m, clsp_type precision, const char *name,
                            bool in_order)
{
    list_run l = {.run = {.b = b, .model = m, .name = name, .precision = precision, .samples = 1},
                  .in_order = in_order,
                  .num = b->is_cpu || b->quick ? FEW_POINTS : MANY_POINTS};
    clsp_status status;

    BENCH_TRY(solid_run_start(&l.run));
    BENCH_TRY(make_list(&l));
    BENCH_TRY(make_buffers(&l));
    BENCH_TRY(measure(&l));

fail:
    for (size_t i = 0; i < 3; i++)
        if (l.buffer[i]) clReleaseMemObject(l.buffer[i]);
    solid_run_release(&l.run);
    free(l.cells);
    free(l.params);
    free(l.out);
    return bench_check(status, name);
}

clsp_status solid_lists_run(bench *b, const solid_case *solid, const char *name, unsigned level)
{
    solid_model m = {.mesh = NULL};
    clsp_status status = CLSP_OK;
    char text[2 * SOLID_NAME_MAX];

    snprintf(text, sizeof text, "%s, level %u, lists", name, level);
    if (!bench_wants(b, text)) return CLSP_OK;
    BENCH_TRY(solid_model_make(b, &m, solid, name));
    for (unsigned i = 0; i < level; i++)
        BENCH_TRY(solid_model_refine(&m));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        for (int in_order = 0; in_order < 2 && b->wanted[p]; in_order++)
            BENCH_TRY(run_list(b, &m, p, text, in_order));

fail:
    solid_model_release(&m);
    return status;
}
