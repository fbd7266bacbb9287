/* `clspline tune`: measures the processors on the usual cases and stores their speeds. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "json.h"
#include "progress.h"
#include "sharing.h"

static const char help[] =
    "usage: clspline tune [--device DEVICE] [--join DEVICE ...] [--workers N]\n"
    "                     [--speeds FILE] [--quick] [--json]\n"
    "\n"
    "Measures how fast the device, the devices that join it and the host's cores evaluate\n"
    "Bezier surfaces of the usual sizes, stores that for later evaluations shared between\n"
    "them ('clspline bezier --cooperate') and prints it. Nothing needs it: without stored\n"
    "speeds, the first evaluation of a kind measures a few tiles. Takes about a minute.\n"
    "\n"
    "options:\n"
    "  -d, --device DEVICE   an index of 'clspline devices', a class, or parts of names, as\n"
    "                        for 'clspline bezier'; default: $CLSPLINE_DEVICE, else the best\n"
    "      --join DEVICE     one more device; may be given several times\n"
    "      --workers N       how many of the host's cores, 0 to 1024; default: those that no\n"
    "                        device needs\n"
    "      --speeds FILE     where to store them; default: $CLSPLINE_SPEEDS, else the file\n"
    "                        'speeds' in the cache folder, ~/.cache/clspline unless\n"
    "                        $CLSPLINE_CACHE_DIR or $XDG_CACHE_HOME names another\n"
    "      --quick           grids of up to 10^5 points only\n"
    "      --json            print JSON\n"
    "  -h, --help            this text\n"
    "\n"
    "examples:\n"
    "  clspline tune\n"
    "  clspline tune --device gpu --join pocl: --workers 4\n";

enum {
    OPTION_DEVICE,
    OPTION_JOIN,
    OPTION_WORKERS,
    OPTION_SPEEDS,
    OPTION_QUICK,
    OPTION_JSON,
    OPTION_HELP,
};

static const args_option options[] = {
    {"device", 'd', true}, {"join", 0, true},  {"workers", 0, true}, {"speeds", 0, true},
    {"quick", 0, false},   {"json", 0, false}, {"help", 'h', false}, {NULL, 0, false}};

typedef struct request {
    const char *device, *speeds;
    sharing_request sharing;
    bool quick, json, help;
} request;

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
static clsp_status set_points(clsp_bezier_plan *plan, const tuning_case *c)
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
        status = clsp_bezier_set_control_points(
            plan, c->patches,
            c->precision == CLSP_F32 ? clsp_in_f32(f32, num) : clsp_in_f64(f64, num), NULL);
    free(f64);
    free(f32);
    return status;
}

/* Evaluates by each processor alone, into the memory that is best for it. */
static clsp_status eval(clsp_context *ctx, clsp_bezier_plan *plan, const tuning_case *c,
                        clsp_report *report)
{
    const clsp_share share = {.measure = 1};
    const clsp_run run = {.share = &share, .report = report};
    const size_t reals = c->patches * c->samples * c->samples * 3;
    void *memory = NULL;
    clsp_status status = clsp_shared_alloc(ctx, reals * clsp_type_bytes(c->precision), &memory);
    const clsp_output out = {.type = c->precision, .host = memory, .size = reals};
    if (status == CLSP_OK) status = clsp_bezier_eval(plan, (clsp_range){0, c->patches}, out, &run);
    clsp_shared_free(ctx, memory);
    return status;
}

static bool measure(clsp_context *ctx, const tuning_case *c, clsp_report *report)
{
    const clsp_bezier_desc desc = {.precision = c->precision,
                                   .degree = {c->degree, c->degree},
                                   .axis = {{.num = c->samples}, {.num = c->samples}}};
    clsp_bezier_plan *plan = NULL;
    clsp_status status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK) status = set_points(plan, c);
    if (status == CLSP_OK) status = eval(ctx, plan, c, report);
    if (status != CLSP_OK) complain_status(ctx, status);
    clsp_bezier_plan_destroy(&plan);
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

static void print_object(const tuning_case *c, const clsp_report *report,
                         const clsp_processor_report *p, bool first)
{
    printf("%s{\"degree\": %lu, \"precision\": \"%s\", \"patches\": %lu, \"samples\": %lu, ",
           first ? "\n" : ",\n", (unsigned long)c->degree, c->precision == CLSP_F32 ? "f32" : "f64",
           (unsigned long)c->patches, (unsigned long)c->samples);
    printf("\"processor\": ");
    json_string(stdout, p->name);
    printf(", \"workers\": %lu, \"tiles\": %llu, \"busy_ms\": %.6f, \"move_ms\": %.6f, ",
           (unsigned long)p->workers, (unsigned long long)p->tiles, p->busy_ms, p->move_ms);
    printf("\"points_per_s\": %.6g, \"status\": ", rate_of(c, report, p));
    json_string(stdout, clsp_status_str(p->status));
    fputc('}', stdout);
}

static void print_case(const tuning_case *c, const clsp_report *report, bool json, bool first)
{
    for (uint32_t i = 0; i < report->num_processors; i++) {
        if (json)
            print_object(c, report, &report->processors[i], first && i == 0);
        else
            print_line(c, report, &report->processors[i]);
    }
    if (!json) fflush(stdout);
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
    bool done = clsp_context_device(ctx, &info) == CLSP_OK;
    const size_t num = num_grids * NUM_DEGREES * (info.fp64 ? 2 : 1);
    if (json)
        fputc('[', stdout);
    else
        printf("%6s  %-4s  %-14s  %7s  %10s  %9s  %9s  %s\n", "degree", "", "patches", "workers",
               "busy ms", "moving ms", "Mpoint/s", "processor");
    progress_start(&bar, "measuring", !json);
    for (size_t i = 0; done && i < num; i++) {
        const tuning_case c = case_number(i, num_grids);
        clsp_report report = {0};
        done = measure(ctx, &c, &report);
        if (done) print_case(&c, &report, json, i == 0);
        progress_report(&bar, (double)(i + 1) / (double)num);
    }
    progress_end(&bar);
    if (json) fputs("\n]\n", stdout);
    return done;
}

static int run_request(const request *r)
{
    sharing_contexts contexts = {NULL, {NULL}};
    bool done = sharing_open(&contexts, &r->sharing, r->device, VERBOSITY_NORMAL);
    clsp_status status = CLSP_OK;
    if (done && r->speeds) status = clsp_context_set_speeds(contexts.ctx, r->speeds);
    if (status != CLSP_OK) complain_status(contexts.ctx, status);
    done = done && status == CLSP_OK && tune_all(contexts.ctx, r->quick, r->json);
    sharing_close(&contexts);
    return done ? EXIT_OK : EXIT_FAILED;
}

/* Takes one argument; EXIT_OK, or EXIT_USAGE with a complaint. */
static int read_argument(request *r, const args *a, int found)
{
    switch (found) {
    case OPTION_DEVICE:
        r->device = a->value;
        return EXIT_OK;
    case OPTION_JOIN:
        return sharing_read_joined(&r->sharing, "tune", a->value);
    case OPTION_WORKERS:
        return sharing_read_workers(&r->sharing, "tune", a->value);
    case OPTION_SPEEDS:
        r->speeds = a->value;
        return EXIT_OK;
    case OPTION_QUICK:
        r->quick = true;
        return EXIT_OK;
    case OPTION_JSON:
        r->json = true;
        return EXIT_OK;
    case OPTION_HELP:
        r->help = true;
        return EXIT_OK;
    case ARGS_OPERAND:
        return usage_error("tune", "unexpected argument '%s'", a->value);
    default:
        return usage_error("tune", "%s '%s'", args_error(found), a->word);
    }
}

int command_tune(int argc, char **argv)
{
    request r = {0};
    args a = args_start(argc, argv);
    for (int found; (found = args_next(&a, options)) != ARGS_END && !r.help;) {
        int status = read_argument(&r, &a, found);
        if (status != EXIT_OK) return status;
    }
    if (r.help) {
        fputs(help, stdout);
        return EXIT_OK;
    }
    return run_request(&r);
}
