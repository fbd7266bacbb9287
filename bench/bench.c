/* clspline-bench: measures the library on a device, beside what the device can do at best. */
#include "bench.h"
#include "papers.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct suite_entry {
    const char *name;
    clsp_status (*run)(bench *b);
    const char *summary;
} suite_entry;

static const suite_entry suites[] = {
    {"floor", bench_suite_floor, "what the device can do: copies, stores, multiply-adds, launches"},
    {"bezier", bench_suite_bezier, "Bezier surfaces, against the floors and a plain kernel"},
    {"bspline", bench_suite_bspline,
     "B-splines: projection onto curves, against SISL and printed figures; surfaces"},
    {"figures", bench_suite_figures,
     "the methods of summing, at the sizes of Palomar et al., 2018"},
    {"outputs", bench_suite_outputs, "vertices with normals, halves and weights, against stores"},
    {"patch36", bench_suite_patch36, "many small bicubic patches, against two known kernels"},
    {"convert", bench_suite_convert, "B-splines to other knots, against copies"},
    {"project", bench_suite_project, "nearest points of surfaces, processor time a point"},
    {"image", bench_suite_image,
     "interpolation of images, against copies, plain C, SciPy and CuPy; how good it is"},
    {"solid", bench_suite_solid,
     "Catmull-Clark solids: cells of each kind and models, against stores and plain C"},
    {"processors", bench_suite_processors,
     "on CPUs: the host's code against plain C loops, on one core or on all"},
    {"render", bench_suite_render, "evaluation and drawing with OpenGL: shared, staged, uploaded"},
    {"first-call", bench_suite_first_call, "from nothing to the first surface, in new processes"},
    {"cooperate", bench_suite_cooperate, "device and host together, against each of them alone"},
    {"gpus", bench_suite_gpus, "several devices of one kind, against one of them"},
};

static const char usage[] =
    "usage: clspline-bench [SUITE...] [--list] [--quick] [--case GLOB] [--json FILE] [--device D]\n"
    "       clspline-bench papers [000|001|002|003|004...] ...\n"
    "                      [--precision f32|f64|both] [--workers N]\n"
    "SUITE        suites to run; all of them by default\n"
    "papers       tables and figures of the published papers, or of some, beside what is measured\n"
    "--list       names the suites\n"
    "--quick      fewer and smaller cases: under a minute a suite\n"
    "--case GLOB  only cases of these names, as in \"8x8, *\"; floors are measured all the same\n"
    "--json FILE  also writes one JSON object a line\n"
    "--device D   the device, in the form of CLSPLINE_DEVICE: \"gpu\", \"pocl:\", \"0\", ...; "
    "\"host\": "
    "the\n             suites that measure the host's code alone\n"
    "--precision  default: both, where the device has double precision\n"
    "--workers N  host workers that share with the device, in `cooperate`; default: the "
    "library's.\n             In `processors`: how many cores are measured, in wall time, in place "
    "of "
    "one\n";

/* ---- shared by the suites ---- */

clsp_status bench_check(clsp_status status, const char *what)
{
    if (status != CLSP_OK)
        fprintf(stderr, "clspline-bench: %s: %s\n", what, clsp_status_str(status));
    return status;
}

void bench_log(void *user, clsp_log_level level, const char *message)
{
    (void)user;
    if (level != CLSP_LOG_INFO) fprintf(stderr, "clspline-bench: %s\n", message);
}

bool bench_wants(bench *b, const char *name)
{
    const bool wanted = !b->cases || fnmatch(b->cases, name, 0) == 0;

    b->any_case |= wanted;
    return wanted;
}

size_t bench_large_bytes(const bench *b)
{
    size_t bytes = (b->is_discrete ? (size_t)1 << 30 : (size_t)1 << 28) / (b->quick ? 2 : 1);

    /* the copy takes two such buffers */
    while (bytes > b->info.max_alloc_bytes || bytes > b->info.global_bytes / 4)
        bytes /= 2;
    return bytes;
}

/* ---- options ---- */

typedef struct options {
    bool chosen[BENCH_COUNT(suites)], any_chosen;
    bool list, quick, help;
    bool papers, paper[BENCH_PAPERS]; /* in place of suites */
    const char *cases, *json, *device, *precision, *workers;
} options;

static bool choose_suite(options *o, const char *name)
{
    const int paper = o->papers ? bench_paper_of(name) : -1;

    if (strcmp(name, "papers") == 0) return o->papers = true;
    if (paper >= 0) return o->paper[paper] = true;
    for (size_t i = 0; i < BENCH_COUNT(suites); i++) {
        if (strcmp(name, suites[i].name) != 0) continue;
        o->chosen[i] = o->any_chosen = true;
        return true;
    }
    fprintf(stderr, "clspline-bench: no suite is called '%s'\n", name);
    return false;
}

static bool parse(options *o, int argc, char **argv)
{
    const struct {
        const char *name;
        const char **value;
    } valued[] = {{"--case", &o->cases},
                  {"--json", &o->json},
                  {"--device", &o->device},
                  {"--precision", &o->precision},
                  {"--workers", &o->workers}};

    for (int i = 1; i < argc; i++) {
        size_t k = 0;
        while (k < BENCH_COUNT(valued) && strcmp(argv[i], valued[k].name) != 0)
            k++;
        if (k < BENCH_COUNT(valued) && i + 1 < argc)
            *valued[k].value = argv[++i];
        else if (strcmp(argv[i], "--list") == 0)
            o->list = true;
        else if (strcmp(argv[i], "--quick") == 0)
            o->quick = true;
        else if (strcmp(argv[i], "--help") == 0)
            o->help = true;
        else if (argv[i][0] == '-' || !choose_suite(o, argv[i]))
            return false;
    }
    if (o->workers && (o->workers[strspn(o->workers, "0123456789")] || strlen(o->workers) > 4 ||
                       atoi(o->workers) < 1 || atoi(o->workers) > CLSP_MAX_WORKERS))
        return false;
    return !o->precision || strcmp(o->precision, "f32") == 0 || strcmp(o->precision, "f64") == 0 ||
           strcmp(o->precision, "both") == 0;
}

/* ---- running ---- */

static clsp_status query_device(bench *b)
{
    clsp_status status;
    cl_device_type type;
    cl_bool unified;
    const cl_device_id id = b->info.id;

    BENCH_TRY(clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    BENCH_TRY(clGetDeviceInfo(id, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL));
    BENCH_TRY(
        clGetCommandQueueInfo(b->queue, CL_QUEUE_CONTEXT, sizeof b->context, &b->context, NULL));
    b->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    b->is_discrete = (type & CL_DEVICE_TYPE_GPU) && !unified;
    return CLSP_OK;

fail:
    return bench_check(status, "the device");
}

/* Says whether a plan by a published method is made, in a context without a log. */
static bool makes_methods(const bench *b)
{
    const clsp_bezier_desc desc = {
        .degree = {1, 1}, .axis = {{.num = 2}, {.num = 2}}, .method = CLSP_BEZIER_MULTILEVEL};
    clsp_context *quiet = NULL;
    clsp_patch_plan *plan = NULL;

    const clsp_context_opts opts = {.device = b->queue ? NULL : "host"};
    if (clsp_context_create(&quiet, b->queue, &opts) != CLSP_OK) return false;
    const bool made = clsp_bezier_plan_create(&plan, quiet, &desc) == CLSP_OK;
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&quiet);
    return made;
}

static clsp_status open_bench(bench *b, const options *o)
{
    const clsp_context_opts opts = {
        .device = o->device || getenv("CLSPLINE_DEVICE") ? o->device : ":", /* of OpenCL */
        .log = bench_log};
    clsp_status status;

    b->quick = o->quick;
    b->cases = o->cases;
    b->workers = o->workers ? (uint32_t)atoi(o->workers) : 0;
    BENCH_TRY(bench_check(clsp_context_create(&b->ctx, NULL, &opts), "clsp_context_create"));
    BENCH_TRY(bench_check(clsp_context_device(b->ctx, &b->info), "clsp_context_device"));
    b->queue = clsp_context_queue(b->ctx);
    b->is_cpu = !b->queue;
    if (b->queue) BENCH_TRY(query_device(b));
    b->wanted[CLSP_F32] = !o->precision || strcmp(o->precision, "f64") != 0;
    b->wanted[CLSP_F64] = (!o->precision || strcmp(o->precision, "f32") != 0) && b->info.fp64;
    b->report = bench_report_open(o->json, &b->info);
    if (!b->report) return CLSP_ERROR_ARGUMENT; /* it has said why */
    if (!b->info.fp64)
        bench_report_note(b->report, "No double precision on this device: float only.");
    b->has_methods = makes_methods(b);
    if (!b->has_methods)
        bench_report_note(b->report, "The library is built without the published methods.");
    return CLSP_OK;

fail:
    return status;
}

static clsp_status run_suite(bench *b, const suite_entry *suite)
{
    char text[80];

    const bool on_host = suite->run == bench_suite_figures || suite->run == bench_suite_project ||
                         suite->run == bench_suite_processors;

    if (b->queue || on_host) return suite->run(b);
    snprintf(text, sizeof text, "%s: left out: it measures devices of OpenCL", suite->name);
    bench_report_note(b->report, text);
    return CLSP_OK;
}

static int run(const options *o, const char *program)
{
    clsp_status status;
    bench b = {.program = program};

    BENCH_TRY(open_bench(&b, o));
    if (o->papers) BENCH_TRY(bench_papers_run(&b, o->paper));
    for (size_t i = 0; i < BENCH_COUNT(suites); i++)
        if (o->papers ? o->chosen[i] : !o->any_chosen || o->chosen[i])
            BENCH_TRY(run_suite(&b, &suites[i]));
    if (o->cases && !b.any_case) {
        fprintf(stderr, "clspline-bench: no case is called '%s'\n", o->cases);
        status = CLSP_ERROR_ARGUMENT;
    }

fail:
    bench_floor_release(&b);
    clsp_context_destroy(&b.ctx);
    if (b.report && bench_report_close(b.report)) {
        fprintf(stderr, "clspline-bench: %s could not be written\n", o->json);
        return EXIT_FAILURE;
    }
    return status == CLSP_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    options o = {0};

    if (argc > 1 && strcmp(argv[1], "--child") == 0) return bench_first_call_child(argc, argv);
    if (!parse(&o, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    if (o.help) {
        fputs(usage, stdout);
        return EXIT_SUCCESS;
    }
    if (o.list) {
        for (size_t i = 0; i < BENCH_COUNT(suites); i++)
            printf("%-12s%s\n", suites[i].name, suites[i].summary);
        printf("%-12s%s\n", "papers", "tables and figures of five papers, by these suites");
        return EXIT_SUCCESS;
    }
    return run(&o, argv[0]);
}
