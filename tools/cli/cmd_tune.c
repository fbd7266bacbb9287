/* `clspline tune`: measures the processors on the usual cases and stores their speeds. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

#include "json.h"
#include "plain_requests.h"
#include "progress.h"

/* The grids that are measured at each degree and precision, of squares of points; NUM_QUICK of them
   are quick. */
static const struct {
    uint32_t samples;
    size_t patches;
} grids[] = {{64, 1}, {300, 1}, {32, 100}, {1000, 1}, {2000, 1}, {64, 100}};

static const uint32_t degrees[] = {3, 7, 11};

enum { NUM_GRIDS = sizeof(grids) / sizeof(grids[0]), NUM_QUICK = 3, NUM_DEGREES = 3 };

/* One measurement. */
typedef struct tuning_case {
    clsp_type precision;
    uint32_t degree, samples;
    size_t patches;
} tuning_case;

/* ---- measuring ---- */

/* Points of a wavy net: their values make no difference to speeds. */
static clsp_status set_points(clsp_patch_plan *plan, const tuning_case *c)
{
    const size_t num = c->patches * (c->degree + 1) * (c->degree + 1) * 3;
    clsp_status status = CLSP_ERROR_NO_MEMORY;
    float *f32 = malloc(num * sizeof(float));
    double *f64 = malloc(num * sizeof(double));
    for (size_t i = 0; f32 && f64 && i < num; i++) {
        f64[i] = (double)(i * 7919 % 1009) / 1009;
        f32[i] = (float)f64[i];
    }
    if (f32 && f64)
        status = clsp_patch_set_control_points(
            plan, c->patches,
            c->precision == CLSP_F32 ? clsp_in_f32(f32, num) : clsp_in_f64(f64, num), NULL);
    free(f64);
    free(f32);
    return status;
}

/* Evaluates by each processor alone, into the memory that is best for it. */
static clsp_status eval(clsp_context *ctx, clsp_patch_plan *plan, const tuning_case *c,
                        clsp_report *report)
{
    const clsp_share share = {.measure = 1};
    const clsp_run run = {.share = &share, .report = report};
    const size_t reals = c->patches * c->samples * c->samples * 3;
    void *memory = NULL;
    clsp_status status = clsp_shared_alloc(ctx, reals * clsp_type_bytes(c->precision), &memory);
    const clsp_output out = {.type = c->precision, .host = memory, .size = reals};
    if (status == CLSP_OK) status = clsp_patch_eval(plan, (clsp_range){0, c->patches}, out, &run);
    clsp_shared_free(ctx, memory);
    return status;
}

static bool measure(clsp_context *ctx, const tuning_case *c, clsp_report *report)
{
    const clsp_bezier_desc desc = {.precision = c->precision,
                                   .degree = {c->degree, c->degree},
                                   .axis = {{.num = c->samples}, {.num = c->samples}}};
    clsp_patch_plan *plan = NULL;
    clsp_status status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK) status = set_points(plan, c);
    if (status == CLSP_OK) status = eval(ctx, plan, c, report);
    if (status != CLSP_OK) complain_status(ctx, status);
    clsp_patch_plan_destroy(&plan);
    return status == CLSP_OK;
}

/* ---- printing ---- */

/* Points a second, results on their way to the host included; 0 for what has made none. */
static double rate_of(const tuning_case *c, const clsp_report *report,
                      const clsp_processor_report *p)
{
    const double points = (double)c->patches * c->samples * c->samples;
    const double ms = p->busy_ms / (p->workers > 0 ? p->workers : 1) + p->move_ms;
    if (p->tiles == 0 || report->num_tiles == 0 || !(ms > 0)) return 0;
    return points * (double)p->tiles / (double)report->num_tiles / (ms * 1e-3);
}

static void print_line(const tuning_case *c, const clsp_report *report,
                       const clsp_processor_report *p)
{
    char grid[32];
    snprintf(grid, sizeof(grid), "%lu x %lux%lu", (unsigned long)c->patches,
             (unsigned long)c->samples, (unsigned long)c->samples);
    printf("%6lu  %-4s  %-14s  %7lu  %10.3f  %9.3f  %9.1f  %s\n", (unsigned long)c->degree,
           c->precision == CLSP_F32 ? "f32" : "f64", grid, (unsigned long)p->workers, p->busy_ms,
           p->move_ms, 1e-6 * rate_of(c, report, p),
           p->status == CLSP_OK ? p->name : status_text(p->status));
}

static void print_object(json_list *list, const tuning_case *c, const clsp_report *report,
                         const clsp_processor_report *p)
{
    cJSON *o = json_object(list);
    json_add_count(list, o, "degree", c->degree);
    json_add_text(list, o, "precision", c->precision == CLSP_F32 ? "f32" : "f64");
    json_add_count(list, o, "patches", c->patches);
    json_add_count(list, o, "samples", c->samples);
    json_add_text(list, o, "processor", p->name);
    json_add_count(list, o, "workers", p->workers);
    json_add_count(list, o, "tiles", p->tiles);
    json_add_real(list, o, "busy_ms", p->busy_ms);
    json_add_real(list, o, "move_ms", p->move_ms);
    json_add_real(list, o, "points_per_s", rate_of(c, report, p));
    json_add_text(list, o, "status", clsp_status_str(p->status));
    json_list_print(list, o);
}

/* Prints a case in a list, or with NULL in the table. */
static void print_case(const tuning_case *c, const clsp_report *report, json_list *list)
{
    for (uint32_t i = 0; i < report->num_processors; i++) {
        if (list)
            print_object(list, c, report, &report->processors[i]);
        else
            print_line(c, report, &report->processors[i]);
    }
    if (!list) fflush(stdout);
}

/* ---- all ---- */

/* The i-th when num_grids of the grids are measured. */
static tuning_case case_number(size_t i, size_t num_grids)
{
    return (tuning_case){.degree = degrees[i / num_grids % NUM_DEGREES],
                         .precision = i / num_grids / NUM_DEGREES == 0 ? CLSP_F32 : CLSP_F64,
                         .samples = grids[i % num_grids].samples,
                         .patches = grids[i % num_grids].patches};
}

static bool tune_all(clsp_context *ctx, bool quick, bool json)
{
    const size_t num_grids = quick ? NUM_QUICK : NUM_GRIDS;
    clsp_device_info info = {0};
    progress_bar bar;
    json_list list = {.count = 0};
    bool done = clsp_context_device(ctx, &info) == CLSP_OK;
    const size_t num = num_grids * NUM_DEGREES * (info.fp64 ? 2 : 1);
    if (!json)
        printf("%6s  %-4s  %-14s  %7s  %10s  %9s  %9s  %s\n", "degree", "", "patches", "workers",
               "busy ms", "moving ms", "Mpoint/s", "processor");
    progress_start(&bar, "measuring", json ? VERBOSITY_NORMAL : VERBOSITY_QUIET);
    for (size_t i = 0; done && i < num; i++) {
        const tuning_case c = case_number(i, num_grids);
        clsp_report report = {0};
        done = measure(ctx, &c, &report);
        if (done) print_case(&c, &report, json ? &list : NULL);
        progress_report(&bar, (double)(i + 1) / (double)num);
    }
    progress_end(&bar);
    return (!json || json_list_end(&list)) && done;
}

int tune_run(request *base)
{
    const tune_request *r = (const tune_request *)base;
    sharing_contexts contexts = {NULL, {NULL}};
    bool done = sharing_open(&contexts, base);
    clsp_status status = CLSP_OK;
    if (done && r->speeds) status = clsp_context_set_speeds(contexts.ctx, r->speeds);
    if (status != CLSP_OK) complain_status(contexts.ctx, status);
    done = done && status == CLSP_OK && tune_all(contexts.ctx, r->quick, base->json);
    sharing_close(&contexts);
    return done ? EXIT_OK : EXIT_FAILED;
}
