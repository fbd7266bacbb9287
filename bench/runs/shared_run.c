#include "shared_run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"

const char *const shared_memory_names[SHARED_MEMORIES] = {"shared", "plain"};

/* ---- runs ---- */

static clsp_status set_points(shared_run *r)
{
    const size_t num = r->c.patches * r->c.order * r->c.order * 3;
    double *const f64 = malloc(num * sizeof *f64);
    float *const f32 = malloc(num * sizeof *f32);
    clsp_status status = CLSP_ERROR_NO_MEMORY;
    double largest = 0;

    if (!f32 || !f64) goto fail;
    bench_random_fill(f64, num);
    for (size_t i = 0; i < num; i++) {
        f32[i] = (float)f64[i];
        largest = fmax(largest, fabs(f64[i]));
    }
    r->scale = largest * (r->precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON);
    BENCH_TRY(clsp_patch_set_control_points(
        r->plan, r->c.patches,
        r->precision == CLSP_F64 ? clsp_in_f64(f64, num) : clsp_in_f32(f32, num), NULL));

fail:
    free(f32);
    free(f64);
    return status;
}

/* Makes memory for the whole result an output of the library. */
static clsp_output output_of(const shared_run *r, void *out)
{
    return (clsp_output){.type = r->precision, .host = out, .size = r->num_reals};
}

static clsp_range patches_of(const shared_run *r)
{
    return (clsp_range){0, r->c.patches};
}

static clsp_status eval(const shared_run *r, void *out)
{
    return clsp_patch_eval(r->plan, patches_of(r), output_of(r, out), NULL);
}

/* All bits set is a NaN. Pages are there afterwards. */
static void poison(const shared_run *r, void *out)
{
    memset(out, 0xff, r->bytes);
}

static clsp_status allocate(shared_run *r)
{
    clsp_status status;

    BENCH_TRY(clsp_shared_alloc(r->ctx, r->bytes, &r->out[SHARED_BEST]));
    r->out[SHARED_PLAIN] = malloc(r->bytes);
    r->expected = malloc(r->bytes);
    if (!r->out[SHARED_PLAIN] || !r->expected) return CLSP_ERROR_NO_MEMORY;
    poison(r, r->out[SHARED_BEST]);
    poison(r, r->out[SHARED_PLAIN]);

fail:
    return status;
}

clsp_status shared_run_start(shared_run *r, bench *b, const char *suite, clsp_context *ctx,
                             const bezier_case *c, clsp_type precision)
{
    const uint32_t degree = (uint32_t)(c->order - 1), num = (uint32_t)c->samples;
    const clsp_bezier_desc desc = {
        .precision = precision, .degree = {degree, degree}, .axis = {{.num = num}, {.num = num}}};
    clsp_status status;

    *r = (shared_run){.b = b, .suite = suite, .ctx = ctx, .c = *c, .precision = precision};
    r->num_reals = c->patches * c->samples * c->samples * 3;
    r->bytes = r->num_reals * clsp_type_bytes(precision);
    bezier_case_name(c, r->name);
    BENCH_TRY(clsp_bezier_plan_create(&r->plan, ctx, &desc));
    BENCH_TRY(set_points(r));
    BENCH_TRY(allocate(r));
    poison(r, r->expected);
    BENCH_TRY(eval(r, r->expected));
    return CLSP_OK;

fail:
    return bench_check(status, r->name);
}

void shared_run_release(shared_run *r)
{
    clsp_patch_plan_destroy(&r->plan);
    clsp_shared_free(r->ctx, r->out[SHARED_BEST]);
    free(r->out[SHARED_PLAIN]);
    free(r->expected);
    *r = (shared_run){.b = NULL};
}

clsp_status shared_context_create(bench *b, clsp_context **ctx, uint32_t num_workers)
{
    const clsp_context_opts opts = {.log = bench_log};
    clsp_status status;

    BENCH_TRY(clsp_context_create(ctx, b->queue, &opts));
    BENCH_TRY(clsp_context_set_speeds(*ctx, ""));
    if (num_workers > 0) BENCH_TRY(clsp_context_set_workers(*ctx, num_workers));
    return CLSP_OK;

fail:
    return bench_check(status, "a context");
}

/* ---- ways ---- */

void shared_way_label(const shared_way *way, char *text, size_t size)
{
    const char *const plain = way->memory == SHARED_PLAIN ? ", plain" : "";

    if (!way->is_eval && way->opts.schedule == CLSP_SCHEDULE_DEFAULT)
        snprintf(text, size, "%s (%s)%s", way->name, clsp_schedule_name(way->report.schedule),
                 plain);
    else
        snprintf(text, size, "%s%s", way->name, plain);
}

clsp_status shared_way_run(void *user)
{
    shared_way *const way = user;
    const shared_run *const r = way->run;
    void *const out = r->out[way->memory];
    clsp_status status;

    if (way->is_eval)
        status = eval(r, out);
    else
        status = clsp_patch_eval(r->plan, patches_of(r), output_of(r, out),
                                 &(clsp_run){.share = &way->opts, .report = &way->report});
    return bench_check(status, r->name);
}

static void settle(void *user, bool begins)
{
    if (begins) shared_way_run(user); /* it complains, and the timed call fails too */
}

bench_contestant shared_way_contestant(shared_way *way)
{
    return (bench_contestant){.enqueue = shared_way_run, .around = settle, .user = way};
}

clsp_status shared_way_try(shared_way *way, bool *ran)
{
    const clsp_schedule wanted = way->opts.schedule;
    clsp_status status;
    char text[320];

    *ran = false;
    shared_run_poison(way->run, way->memory);
    BENCH_TRY(shared_way_run(way));
    *ran = way->is_eval || wanted == CLSP_SCHEDULE_DEFAULT || way->report.schedule == wanted;
    if (*ran) return CLSP_OK;
    snprintf(text, sizeof text, "%s: %s left out (%s memory): %s.", way->run->name, way->name,
             shared_memory_names[way->memory], way->report.reason[wanted]);
    bench_report_note(way->run->b->report, text);

fail:
    return status;
}

static double real_at(const shared_run *r, const void *reals, size_t i)
{
    return r->precision == CLSP_F64 ? ((const double *)reals)[i] : ((const float *)reals)[i];
}

void shared_run_poison(const shared_run *r, shared_memory memory)
{
    poison(r, r->out[memory]);
}

clsp_status shared_run_compare(const shared_run *r, shared_memory memory, const char *name,
                               double *worst)
{
    const void *const out = r->out[memory];
    char text[128];

    *worst = 0;
    for (size_t i = 0; i < r->num_reals; i++) {
        const double off = fabs(real_at(r, out, i) - real_at(r, r->expected, i)) / r->scale;
        if (!isnan(*worst) && !(off <= *worst)) *worst = off; /* a NaN stays */
    }
    if (*worst <= (double)SHARED_DIFFERENCE) return CLSP_OK;
    snprintf(text, sizeof text, "%s, %s: wrong by %g eps", r->name, name, *worst);
    return bench_check(CLSP_ERROR_STATE, text);
}

clsp_status shared_way_check(shared_way *way, double *worst)
{
    clsp_status status;

    shared_run_poison(way->run, way->memory);
    BENCH_TRY(shared_way_run(way));
    BENCH_TRY(shared_run_compare(way->run, way->memory, way->name, worst));

fail:
    return status;
}

/* ---- lines ---- */

static bench_row row_of(const shared_run *r, const char *method)
{
    return bench_row_empty(r->suite, r->name, method, r->precision == CLSP_F64 ? 64 : 32);
}

void shared_run_line(const shared_run *r, const char *method, bench_timing time, double error)
{
    bench_row row = row_of(r, method);

    row.time = time;
    row.work = (double)(r->num_reals / 3);
    row.unit = "point/s";
    row.bytes = (double)r->bytes;
    row.error = error;
    bench_report_row(r->b->report, &row);
}

clsp_status shared_way_report(shared_way *way, const char *method, bench_timing time)
{
    clsp_status status;
    double worst;

    BENCH_TRY(shared_way_check(way, &worst));
    shared_run_line(way->run, method, time, worst);

fail:
    return status;
}

void shared_run_ratio(const shared_run *r, const char *method, double ratio, double least,
                      double most)
{
    bench_row row = row_of(r, method);

    row.rate = ratio;
    row.unit = "ratio";
    row.least = least;
    row.most = most;
    bench_report_row(r->b->report, &row);
}

/* ---- reports ---- */

clsp_processor_report shared_report_host(const clsp_report *report)
{
    const uint32_t num = report->num_processors;

    return num > 0 ? report->processors[num - 1] : (clsp_processor_report){.workers = 0};
}

clsp_processor_report shared_report_devices(const clsp_report *report)
{
    clsp_processor_report sum = {.name = "devices"};

    for (uint32_t i = 0; i + 1 < report->num_processors; i++) {
        const clsp_processor_report *const p = &report->processors[i];
        sum.workers += p->workers;
        sum.tiles += p->tiles;
        sum.chunks += p->chunks;
        sum.busy_ms += p->busy_ms;
        sum.move_ms += p->move_ms;
    }
    return sum;
}
