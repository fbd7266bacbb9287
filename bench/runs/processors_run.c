#include "processors_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

static const char suite[] = "processors";

enum { HOST, BUFFER, LOOP, WAYS };

typedef struct contest {
    const processors *p;
    const processors_job *job;
    clsp_share host;
    clsp_run by_host;
    bool is_default; /* a call without a share: of all cores, or of what has no tiles */
} contest;

static clsp_output host_output(const contest *x)
{
    return (clsp_output){.type = x->job->type,
                         .host = x->p->memory,
                         .size = PROCESSORS_ROOM / clsp_type_bytes(x->job->type)};
}

static clsp_status run_host(void *user)
{
    const contest *const x = user;

    return x->job->call(x->job->user, host_output(x), x->is_default ? NULL : &x->by_host);
}

/* Waits for each call, as those of the host do. */
static clsp_status run_buffer(void *user)
{
    const contest *const x = user;
    const clsp_output out = clsp_out_buffer(x->p->buffer, x->job->type, 0);
    clsp_status status;

    BENCH_TRY(x->job->call(x->job->user, out, NULL));
    BENCH_TRY(clFinish(x->p->b->queue));

fail:
    return status;
}

/* Takes all tiles of a job, or none where there are none. */
static clsp_status take_tiles(contest *x)
{
    clsp_tiling tiling = {0};
    const clsp_run ask = {.tiling = &tiling};
    clsp_status status = CLSP_OK;

    if (!x->job->is_load) status = x->job->call(x->job->user, host_output(x), &ask);
    x->host = (clsp_share){.schedule = CLSP_SCHEDULE_HOST, .tiles = {0, tiling.num_tiles}};
    x->by_host.share = &x->host;
    x->is_default = x->p->b->workers > 0 || (status == CLSP_OK && run_host(x) != CLSP_OK);
    return status;
}

/* ---- shared schedules ---- */

enum { SVM, DYNAMIC, STATIC, SCHEDULES };

static const clsp_schedule schedules[SCHEDULES] = {CLSP_SCHEDULE_SVM, CLSP_SCHEDULE_DYNAMIC,
                                                   CLSP_SCHEDULE_STATIC};

typedef struct schedule_way {
    const contest *x;
    clsp_share share;
    clsp_report report;
} schedule_way;

static clsp_status run_schedule(void *user)
{
    schedule_way *const way = user;
    clsp_output out = host_output(way->x);
    const clsp_run run = {.share = &way->share, .report = &way->report};

    out.host = way->x->p->shared;
    return way->x->job->call(way->x->job->user, out, &run);
}

static void report_schedules(const contest *x, const bench_contestant *all)
{
    const processors_job *const job = x->job;
    const int precision = (int)(8 * clsp_type_bytes(job->precision));
    double best = INFINITY;

    for (int i = 0; i < SCHEDULES; i++) {
        bench_row row =
            bench_row_empty(suite, job->name, clsp_schedule_name(schedules[i]), precision);
        if (!all[i].enqueue) continue;
        row.time = all[i].sustained;
        row.work = job->points;
        row.unit = "point/s";
        bench_report_row(x->p->b->report, &row);
        if (i != SVM) best = fmin(best, all[i].sustained.median_ms);
    }
    bench_row ratio = bench_row_empty(suite, job->name, "better of dynamic, static/svm", precision);
    ratio.rate = best / all[SVM].sustained.median_ms;
    ratio.unit = "ratio";
    bench_report_row(x->p->b->report, &ratio);
}

/* Measures a job by each schedule in which several processors share it, where a device takes tiles
   from a queue. */
static clsp_status measure_schedules(const contest *x)
{
    schedule_way ways[SCHEDULES];
    bench_contestant all[SCHEDULES] = {{0}};
    clsp_status status = CLSP_OK;

    if (x->job->is_load || !x->p->buffer) return CLSP_OK;
    BENCH_TRY(clsp_context_set_workers(x->p->b->ctx, 1));
    for (int i = 0; i < SCHEDULES; i++) {
        ways[i] = (schedule_way){.x = x, .share = {.schedule = schedules[i]}};
        if (run_schedule(&ways[i]) != CLSP_OK || ways[i].report.schedule != schedules[i]) continue;
        all[i] = (bench_contestant){.enqueue = run_schedule, .user = &ways[i]};
    }
    if (all[SVM].enqueue) {
        BENCH_TRY(bench_measure_some(NULL, all, SCHEDULES, x->p->b->quick ? 5 : 10));
        report_schedules(x, all);
    }
    BENCH_TRY(clsp_context_set_workers(x->p->b->ctx, CLSP_NO_WORKERS));

fail:
    return status;
}

static void report(const contest *x, const bench_contestant *all)
{
    const char *const names[WAYS] = {x->is_default ? "default call" : "host", "buffer", "C loop"};
    const processors_job *const job = x->job;
    const int precision = (int)(8 * clsp_type_bytes(job->precision));

    for (int i = 0; i < WAYS; i++) {
        bench_row row = bench_row_empty(suite, job->name, names[i], precision);
        if (!all[i].enqueue) continue;
        row.time = all[i].sustained;
        row.work = job->points;
        row.unit = "point/s";
        bench_report_row(x->p->b->report, &row);
    }
    if (!all[LOOP].enqueue) return;
    bench_row ratio = bench_row_empty(suite, job->name, "C loop/host", precision);
    ratio.rate = all[LOOP].sustained.min_ms / all[HOST].sustained.min_ms;
    ratio.unit = "ratio";
    bench_report_row(x->p->b->report, &ratio);
}

clsp_status processors_measure(const processors *p, const processors_job *job)
{
    contest x = {.p = p, .job = job};
    bench_contestant all[WAYS] = {{.enqueue = run_host, .user = &x},
                                  {.enqueue = p->buffer ? run_buffer : NULL, .user = &x},
                                  {.enqueue = job->loop, .user = job->user}};
    clsp_status status;

    for (int i = 0; i < WAYS; i++)
        all[i].by_processor = p->b->workers == 0;
    BENCH_TRY(take_tiles(&x));
    BENCH_TRY(bench_measure_some(p->b->queue, all, WAYS, p->b->quick ? 4 : 8));
    report(&x, all);
    BENCH_TRY(measure_schedules(&x));

fail:
    return bench_check(status, job->name);
}

/* ---- data ---- */

void *processors_numbers(clsp_type precision, size_t num, double low)
{
    double *const x = malloc(num * sizeof *x);

    if (!x) return NULL;
    bench_random_fill(x, num);
    for (size_t i = 0; i < num; i++)
        x[i] = low + (x[i] + 1) / 2;
    for (size_t i = 0; i < num && precision == CLSP_F32; i++)
        ((float *)x)[i] = (float)x[i];
    return x;
}

clsp_input processors_input(clsp_type type, const void *host, size_t size)
{
    return (clsp_input){.type = type, .host = host, .size = size};
}

clsp_status processors_upload(const bench *b, const void *from, size_t bytes, cl_mem *buffer)
{
    cl_int code = CL_SUCCESS;

    if (!b->context) return CLSP_OK;
    *buffer = clCreateBuffer(b->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                             (void *)(size_t)from, &code);
    return code;
}

clsp_status processors_list_create(processors_list *list, const bench *b, clsp_type precision,
                                   size_t directions, uint32_t items)
{
    const size_t num = PROCESSORS_LIST, reals = num * directions;
    unsigned long long state = 7;
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    list->item = malloc(num * sizeof *list->item);
    list->params = processors_numbers(precision, reals, 0);
    if (!list->item || !list->params) return status;
    for (size_t i = 0; i < num; i++)
        list->item[i] = (uint32_t)bench_random_below(&state, items);
    BENCH_TRY(processors_upload(b, list->item, num * sizeof *list->item, &list->buffer[0]));
    BENCH_TRY(
        processors_upload(b, list->params, reals * clsp_type_bytes(precision), &list->buffer[1]));
    list->host = (clsp_points){.num = num,
                               .item = clsp_in_u32(list->item, num),
                               .params = processors_input(precision, list->params, reals)};
    list->device = (clsp_points){.num = num,
                                 .item = clsp_in_buffer(list->buffer[0], CLSP_U32, 0),
                                 .params = clsp_in_buffer(list->buffer[1], precision, 0)};

fail:
    return status;
}

void processors_list_release(processors_list *list)
{
    for (int i = 0; i < 2; i++)
        if (list->buffer[i]) clReleaseMemObject(list->buffer[i]);
    free(list->item);
    free(list->params);
}
