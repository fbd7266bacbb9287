#include "solid_ways.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "shared_run.h"

enum { SAMPLES = 8, HOST_POINTS = 1 << 20, LIST_POINTS = 1 << 18, FEW_POINTS = 1 << 12 };

static const char suite[] = "solid-shared";

/* A model's cells, or parameters in them, and memory for all points. */
typedef struct way_job {
    solid_run run;
    size_t list;     /* points of a list; 0: grids */
    uint32_t *cells; /* [list] */
    void *params;
    size_t num, bytes;
    void *out[SHARED_MEMORIES], *expected;
} way_job;

typedef struct solid_way {
    const way_job *job;
    bool is_eval; /* by the call that knows nothing of schedules */
    shared_memory memory;
    clsp_share opts;
    clsp_report report; /* of the last call */
} solid_way;

static const struct {
    const char *name;
    bool is_eval;
    clsp_schedule schedule;
} kinds[] = {{"eval", true, CLSP_SCHEDULE_DEVICE},    {"device", false, CLSP_SCHEDULE_DEVICE},
             {"host", false, CLSP_SCHEDULE_HOST},     {"dynamic", false, CLSP_SCHEDULE_DYNAMIC},
             {"static", false, CLSP_SCHEDULE_STATIC}, {"auto", false, CLSP_SCHEDULE_DEFAULT}};

enum { KINDS = BENCH_COUNT(kinds), WAYS = KINDS * SHARED_MEMORIES, HOST = 2 };

static clsp_output output_of(const way_job *j, void *out)
{
    return (clsp_output){.type = j->run.precision, .host = out, .size = j->num};
}

static double points_of(const way_job *j)
{
    return j->list ? (double)j->list : solid_run_points(&j->run);
}

static clsp_status run_list(const way_job *j, clsp_output out, const clsp_run *run)
{
    const clsp_points points = {
        .num = j->list,
        .item = clsp_in_u32(j->cells, j->list),
        .params = {.type = j->run.precision, .host = j->params, .size = 3 * j->list}};

    return clsp_solid_eval_points(j->run.plan, &points, out, run);
}

static clsp_status run_way(void *user)
{
    solid_way *const way = user;
    const way_job *const j = way->job;
    const clsp_output out = output_of(j, j->out[way->memory]);
    const clsp_run shared = {.share = &way->opts, .report = &way->report};
    const clsp_run *const run = way->is_eval ? NULL : &shared;

    return bench_check(j->list ? run_list(j, out, run)
                               : clsp_solid_eval(j->run.plan, j->run.cells, out, run),
                       j->run.name);
}

/* Runs a way once before each turn, so that it finds the caches as it leaves them. */
static void settle(void *user, bool begins)
{
    if (begins) run_way(user); /* it complains, and the timed call fails too */
}

/* Makes parameters anywhere in the cells. */
static clsp_status make_list(way_job *j)
{
    const size_t num = j->run.model->counts.num_cells;
    double *const random = malloc(3 * j->list * sizeof *random);

    j->cells = malloc(j->list * sizeof *j->cells);
    j->params = malloc(3 * j->list * sizeof(double));
    if (!random || !j->cells || !j->params) {
        free(random);
        return CLSP_ERROR_NO_MEMORY;
    }
    bench_random_fill(random, 3 * j->list);
    for (size_t i = 0; i < j->list; i++)
        j->cells[i] = (uint32_t)(i * 7919 % num);
    for (size_t i = 0; i < 3 * j->list; i++) {
        const double t = 0.5 + 0.5 * random[i];
        if (j->run.precision == CLSP_F64)
            ((double *)j->params)[i] = t;
        else
            ((float *)j->params)[i] = (float)t;
    }
    free(random);
    return CLSP_OK;
}

static clsp_status start_job(way_job *j, clsp_context *ctx)
{
    clsp_status status;

    BENCH_TRY(solid_run_start(&j->run));
    if (j->list) BENCH_TRY(make_list(j));
    j->num = (size_t)(3 * points_of(j));
    j->bytes = j->num * clsp_type_bytes(j->run.precision);
    BENCH_TRY(clsp_shared_alloc(ctx, j->bytes, &j->out[SHARED_BEST]));
    j->out[SHARED_PLAIN] = malloc(j->bytes);
    j->expected = malloc(j->bytes);
    if (!j->out[SHARED_PLAIN] || !j->expected) return CLSP_ERROR_NO_MEMORY;
    memset(j->out[SHARED_BEST], 0xff, j->bytes);
    memset(j->out[SHARED_PLAIN], 0xff, j->bytes);
    if (j->list)
        BENCH_TRY(run_list(j, output_of(j, j->expected), NULL));
    else
        BENCH_TRY(clsp_solid_eval(j->run.plan, j->run.cells, output_of(j, j->expected), NULL));

fail:
    return status;
}

static void release_job(way_job *j, clsp_context *ctx)
{
    solid_run_release(&j->run);
    clsp_shared_free(ctx, j->out[SHARED_BEST]);
    free(j->out[SHARED_PLAIN]);
    free(j->expected);
    free(j->cells);
    free(j->params);
}

static double real_at(const way_job *j, const void *reals, size_t i)
{
    return j->run.precision == CLSP_F64 ? ((const double *)reals)[i] : ((const float *)reals)[i];
}

/* Runs a way into poisoned memory and returns how far it is from the device's own, in eps and the
   largest coordinate; NaN where something was left out. */
static clsp_status compare(solid_way *way, double *worst)
{
    const way_job *const j = way->job;
    const double eps = j->run.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    double scale = 0;
    clsp_status status;

    memset(j->out[way->memory], 0xff, j->bytes);
    BENCH_TRY(run_way(way));
    for (size_t i = 0; i < 3 * j->run.model->counts.num_vertices; i++)
        scale = fmax(scale, fabs(j->run.model->points[i]));
    *worst = 0;
    for (size_t i = 0; i < j->num; i++) {
        const double off = fabs(real_at(j, j->out[way->memory], i) - real_at(j, j->expected, i));
        if (!isnan(*worst) && !(off <= *worst)) *worst = off; /* a NaN stays */
    }
    *worst /= scale * eps;

fail:
    return status;
}

static void report_ratio(const way_job *j, const char *method, double ratio)
{
    bench_row row =
        bench_row_empty(suite, j->run.name, method, (int)(8 * clsp_type_bytes(j->run.precision)));

    row.rate = ratio;
    row.unit = "ratio";
    bench_report_row(j->run.b->report, &row);
}

static clsp_status report_way(solid_way *way, const char *name, const bench_contestant *c)
{
    const way_job *const j = way->job;
    char method[64];
    clsp_status status;
    bench_row row =
        bench_row_empty(suite, j->run.name, method, (int)(8 * clsp_type_bytes(j->run.precision)));

    snprintf(method, sizeof method, "%s, %s%s%s", name, shared_memory_names[way->memory],
             way->opts.schedule == CLSP_SCHEDULE_DEFAULT ? ": " : "",
             way->opts.schedule == CLSP_SCHEDULE_DEFAULT ? clsp_schedule_name(way->report.schedule)
                                                         : "");
    BENCH_TRY(compare(way, &row.error));
    row.time = c->sustained;
    row.work = points_of(j);
    row.unit = "point/s";
    row.bytes = (double)j->bytes;
    bench_report_row(j->run.b->report, &row);

fail:
    return status;
}

static void describe(const way_job *j, solid_way *ways, bench_contestant *all, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        ways[i] = (solid_way){.job = j,
                              .is_eval = kinds[i % KINDS].is_eval,
                              .memory = (shared_memory)(i / KINDS),
                              .opts = {.schedule = kinds[i % KINDS].schedule}};
        all[i] = (bench_contestant){.enqueue = run_way, .around = settle, .user = &ways[i]};
    }
}

/* Measures all ways and the plain loop, for some of the cells, in turns. */
static clsp_status measure_grids(way_job *j, solid_host *loop)
{
    solid_way ways[WAYS];
    bench_contestant all[WAYS + 1];
    clsp_status status;

    describe(j, ways, all, WAYS);
    all[WAYS] = (bench_contestant){.enqueue = solid_host_enqueue, .user = loop};
    BENCH_TRY(bench_measure(j->run.b->queue, all, WAYS + 1, j->run.b->quick ? 2 : 10));
    for (size_t i = 0; i < WAYS; i++)
        BENCH_TRY(report_way(&ways[i], kinds[i % KINDS].name, &all[i]));
    const double part = (double)loop->job.num_cells / (double)j->run.cells.count;
    report_ratio(j, "loop/host, shared", bench_ratio(&all[HOST], &all[WAYS]) / part);
    report_ratio(j, "eval/dynamic, shared", bench_ratio(&all[HOST + 1], &all[0]));
    report_ratio(j, "host/dynamic, shared", bench_ratio(&all[HOST + 1], &all[HOST]));

fail:
    return status;
}

/* Measures all ways to make a list, into one kind of memory. */
static clsp_status measure_list(way_job *j)
{
    solid_way ways[KINDS];
    bench_contestant all[KINDS];
    clsp_status status;

    describe(j, ways, all, KINDS);
    BENCH_TRY(bench_measure(j->run.b->queue, all, KINDS, j->run.b->quick ? 2 : 10));
    for (size_t i = 0; i < KINDS; i++)
        BENCH_TRY(report_way(&ways[i], kinds[i].name, &all[i]));
    report_ratio(j, "eval/host", bench_ratio(&all[HOST], &all[0]));

fail:
    return status;
}

static clsp_status run_list_precision(bench *b, const solid_model *m, clsp_type precision,
                                      const char *name)
{
    way_job j = {
        .run = {.b = b, .model = m, .name = name, .precision = precision, .samples = SAMPLES},
        .list = b->is_cpu ? FEW_POINTS : LIST_POINTS};
    clsp_status status;

    BENCH_TRY(start_job(&j, b->ctx));
    BENCH_TRY(measure_list(&j));

fail:
    release_job(&j, b->ctx);
    return bench_check(status, name);
}

static clsp_status run_precision(bench *b, const solid_model *m, clsp_type precision,
                                 const char *name)
{
    way_job j = {
        .run = {.b = b, .model = m, .name = name, .precision = precision, .samples = SAMPLES}};
    solid_host loop = {.first = NULL};
    clsp_status status;

    BENCH_TRY(start_job(&j, b->ctx));
    BENCH_TRY(solid_host_start(&loop, &j.run, HOST_POINTS / (SAMPLES * SAMPLES * SAMPLES)));
    BENCH_TRY(measure_grids(&j, &loop));

fail:
    solid_host_release(&loop);
    release_job(&j, b->ctx);
    return bench_check(status, name);
}

clsp_status solid_ways_run(bench *b, const solid_case *solid, const char *name, unsigned level)
{
    bench own = *b; /* with a context that knows no speeds */
    solid_model m = {.mesh = NULL};
    clsp_status status = CLSP_OK;
    char text[2 * SOLID_NAME_MAX], list[2 * SOLID_NAME_MAX];

    snprintf(text, sizeof text, "%s, shared, level %u, %d^3", name, level, SAMPLES);
    snprintf(list, sizeof list, "%s, shared, level %u, a list", name, level);
    const bool grids = bench_wants(b, text), points = bench_wants(b, list);
    if (!grids && !points) return CLSP_OK;
    own.ctx = NULL;
    BENCH_TRY(shared_context_create(b, &own.ctx, b->workers));
    BENCH_TRY(solid_model_make(&own, &m, solid, name));
    for (unsigned i = 0; i < level; i++)
        BENCH_TRY(solid_model_refine(&m));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        if (b->wanted[p]) {
            if (grids) BENCH_TRY(run_precision(&own, &m, p, text));
            if (points) BENCH_TRY(run_list_precision(&own, &m, p, list));
        }

fail:
    solid_model_release(&m);
    clsp_context_destroy(&own.ctx);
    return status;
}
