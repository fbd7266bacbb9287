/* The time from nothing to the first surface, in processes of their own: this program runs itself
   again, as clspline-bench --child evaluation|empty PLATFORM DEVICE with every cache of compiled
   programs in a folder that is new (cold) or has been used once (warm). The child called empty does
   the least that any OpenCL program must: it finds the device, makes a context, builds a kernel
   that does nothing and runs it, all in plain OpenCL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "folder.h"
#include "reference.h"

enum { ORDER = 4, SAMPLES = 300 };

static const char suite[] = "first-call";
static const char name[] = "4x4, 300x300";

static const double most_cold_ratio = 3;
static const double most_warm_ms = 50;

/* ---- children ---- */

static clsp_status evaluate(clsp_context *ctx, const float *control_points)
{
    const clsp_bezier_desc desc = {.degree = {ORDER - 1, ORDER - 1},
                                   .axis = {{.num = SAMPLES}, {.num = SAMPLES}}};
    const clsp_input loaded = clsp_in_f32(control_points, ORDER * ORDER * 3);
    const cl_command_queue queue = clsp_context_queue(ctx);
    clsp_patch_plan *plan = NULL;
    cl_mem points = NULL;
    cl_context context;
    cl_int code;
    clsp_status status;

    BENCH_TRY(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL));
    BENCH_TRY(clsp_bezier_plan_create(&plan, ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(plan, 1, loaded, NULL));
    points = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * 3 * SAMPLES * SAMPLES, NULL,
                            &code);
    BENCH_TRY(code);
    BENCH_TRY(
        clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_buffer(points, CLSP_F32, 0), NULL));
    BENCH_TRY(clFinish(queue));

fail:
    if (points) clReleaseMemObject(points);
    clsp_patch_plan_destroy(&plan);
    return status;
}

/* Prints milliseconds: all of it. */
static clsp_status child_evaluation(const char *platform, const char *device)
{
    double values[ORDER * ORDER * 3];
    float control_points[ORDER * ORDER * 3];
    char words[300];
    clsp_context *ctx = NULL;
    clsp_status status;
    const clsp_context_opts opts = {.device = words, .log = bench_log};

    snprintf(words, sizeof words, "%s:%s", platform, device);
    bench_random_fill(values, BENCH_COUNT(values));
    for (size_t i = 0; i < BENCH_COUNT(values); i++)
        control_points[i] = (float)values[i];

    const double start = bench_now_ms();
    BENCH_TRY(clsp_context_create(&ctx, NULL, &opts));
    BENCH_TRY(evaluate(ctx, control_points));
    printf("%.6f 0\n", bench_now_ms() - start);

fail:
    clsp_context_destroy(&ctx);
    return bench_check(status, "the first evaluation");
}

/* The device of those names, as the library reports them. */
static clsp_status find_device(const char *platform, const char *device, cl_device_id *found)
{
    enum { MOST = 32 };
    cl_platform_id platforms[MOST];
    cl_device_id devices[MOST];
    cl_uint num_platforms = 0, num_devices;
    char text[128];
    clsp_status status;

    BENCH_TRY(clGetPlatformIDs(MOST, platforms, &num_platforms));
    for (cl_uint i = 0; i < num_platforms && i < MOST; i++) {
        memset(text, 0, sizeof text);
        if (clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text - 1, text, NULL) !=
                CL_SUCCESS ||
            strcmp(text, platform) != 0)
            continue;
        BENCH_TRY(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, MOST, devices, &num_devices));
        for (cl_uint k = 0; k < num_devices && k < MOST; k++) {
            memset(text, 0, sizeof text);
            BENCH_TRY(clGetDeviceInfo(devices[k], CL_DEVICE_NAME, sizeof text - 1, text, NULL));
            *found = devices[k];
            if (strcmp(text, device) == 0) return CLSP_OK;
        }
    }
    return CL_DEVICE_NOT_FOUND;

fail:
    return status;
}

/* Builds and runs a kernel that does nothing. */
static clsp_status run_empty(cl_context context, cl_device_id device, cl_command_queue queue)
{
    const char *source = "kernel void empty(global int *out) { }\n";
    const size_t one = 1;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    cl_mem none = NULL;
    cl_int status;

    program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    BENCH_TRY(status);
    BENCH_TRY(clBuildProgram(program, 1, &device, "", NULL, NULL));
    kernel = clCreateKernel(program, "empty", &status);
    BENCH_TRY(status);
    BENCH_TRY(clSetKernelArg(kernel, 0, sizeof none, &none));
    BENCH_TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL));
    BENCH_TRY(clFinish(queue));

fail:
    if (kernel) clReleaseKernel(kernel);
    if (program) clReleaseProgram(program);
    return status;
}

/* Prints milliseconds: all of it, and the part up to the queue. */
static clsp_status child_empty(const char *platform, const char *device_name)
{
    cl_device_id device = NULL;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cl_int status;
    const double start = bench_now_ms();

    BENCH_TRY(find_device(platform, device_name, &device));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    BENCH_TRY(status);
    queue = clCreateCommandQueue(context, device, 0, &status);
    BENCH_TRY(status);
    const double ready = bench_now_ms();
    BENCH_TRY(run_empty(context, device, queue));
    printf("%.6f %.6f\n", bench_now_ms() - start, ready - start);

fail:
    if (queue) clReleaseCommandQueue(queue);
    if (context) clReleaseContext(context);
    return bench_check(status, "the empty kernel");
}

int bench_first_call_child(int argc, char **argv)
{
    if (argc != 5) return 2;
    if (strcmp(argv[2], "empty") == 0) return child_empty(argv[3], argv[4]) != CLSP_OK;
    return child_evaluation(argv[3], argv[4]) != CLSP_OK;
}

/* ---- processes ---- */

typedef struct child_times {
    double total, ready;
} child_times;

/* In the child: never returns. */
static void become(const bench *b, const char *what, const char *folder, int output)
{
    static const char *const caches[] = {"POCL_CACHE_DIR", "CLSPLINE_CACHE_DIR", "XDG_CACHE_HOME",
                                         "CUDA_CACHE_PATH", "MESA_SHADER_CACHE_DIR"};

    for (size_t i = 0; i < BENCH_COUNT(caches); i++)
        if (setenv(caches[i], folder, 1) != 0) _exit(EXIT_FAILURE);
    if (dup2(output, STDOUT_FILENO) < 0) _exit(EXIT_FAILURE);
    execlp("/proc/self/exe", b->program, "--child", what, b->info.platform, b->info.name,
           (char *)NULL);
    execlp(b->program, b->program, "--child", what, b->info.platform, b->info.name, (char *)NULL);
    _exit(EXIT_FAILURE);
}

static bool read_times(int input, child_times *times)
{
    FILE *const file = fdopen(input, "r");
    bool read;

    if (!file) return false;
    read = fscanf(file, "%lf %lf", &times->total, &times->ready) == 2;
    fclose(file);
    return read;
}

static clsp_status run_child(const bench *b, const char *what, const char *folder,
                             child_times *times)
{
    int ends[2], exit_status = 1;

    fflush(NULL);
    if (pipe(ends) != 0) return bench_check(CLSP_ERROR_NO_MEMORY, "pipe");
    const pid_t child = fork();
    if (child == 0) become(b, what, folder, ends[1]);
    close(ends[1]);
    const bool read = child > 0 && read_times(ends[0], times);
    if (child > 0) waitpid(child, &exit_status, 0);
    if (read && exit_status == 0) return CLSP_OK;
    fprintf(stderr, "clspline-bench: the process for '%s' failed\n", what);
    return CLSP_ERROR_STATE;
}

/* ---- measuring ---- */

enum { RUNS_MAX = 11 };

/* Times of one child over the runs. */
typedef struct series {
    double total[RUNS_MAX], ready[RUNS_MAX], work[RUNS_MAX];
} series;

static clsp_status record(const bench *b, const char *what, const char *folder, series *to,
                          size_t at)
{
    child_times times = {0};
    const clsp_status status = run_child(b, what, folder, &times);

    to->total[at] = times.total;
    to->ready[at] = times.ready;
    to->work[at] = times.total - times.ready;
    return status;
}

/* The children, and what each of them has measured. */
enum { EVALUATION, EMPTY, CHILDREN };
static const char *const children[CHILDREN] = {"evaluation", "empty"};

/* All children in turns; for each a folder of its own, new in every run or the same one. */
static clsp_status measure(const bench *b, bool warm, size_t runs, series *all)
{
    char folders[CHILDREN][256] = {"", ""};
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < runs + (warm ? 1 : 0) && status == CLSP_OK; i++) {
        const size_t at = i % runs; /* warm: the first run, which fills the cache, is overwritten */
        for (size_t k = 0; k < CHILDREN && status == CLSP_OK; k++) {
            if (!folders[k][0] && !bench_folder_make(folders[k], sizeof folders[k]))
                return bench_check(CLSP_ERROR_STATE, "a temporary folder");
            status = record(b, children[k], folders[k], &all[k], at);
            if (warm) continue;
            bench_folder_remove(folders[k]);
            folders[k][0] = '\0';
        }
    }
    for (size_t k = 0; k < CHILDREN; k++)
        if (folders[k][0]) bench_folder_remove(folders[k]);
    return status;
}

static bench_row times_row(const char *method, bench_timing time)
{
    bench_row row = bench_row_empty(suite, name, method, 32);

    row.time = time;
    return row;
}

static void report_ratio(const bench *b, const char *method, double ratio, double most)
{
    bench_row row = bench_row_empty(suite, name, method, 32);

    row.rate = ratio;
    row.unit = "ratio";
    row.most = most;
    bench_report_row(b->report, &row);
}

static void report_cold(const bench *b, series *all, size_t runs)
{
    static const char *const methods[CHILDREN] = {"evaluation, cold", "empty kernel, cold"};
    double median[CHILDREN];

    for (size_t k = 0; k < CHILDREN; k++) {
        const bench_row row = times_row(methods[k], bench_timing_of(all[k].total, runs));
        median[k] = row.time.median_ms;
        bench_report_row(b->report, &row);
    }
    report_ratio(b, "evaluation/empty, cold", median[EVALUATION] / median[EMPTY], most_cold_ratio);
}

/* Before the first build every program pays the platform's start, which no library can shorten. */
static void report_warm(const bench *b, series *all, size_t runs)
{
    const bench_timing evaluation = bench_timing_of(all[EVALUATION].total, runs);
    series *const empty = &all[EMPTY];
    const bench_timing total = bench_timing_of(empty->total, runs);
    const bench_timing ready = bench_timing_of(empty->ready, runs);
    const bench_timing work = bench_timing_of(empty->work, runs);
    bench_row row = times_row("evaluation, warm", evaluation);

    row.most = most_warm_ms;
    bench_report_row(b->report, &row);
    row = times_row("empty kernel, warm", total);
    bench_report_row(b->report, &row);
    row = times_row("its platform start", ready);
    bench_report_row(b->report, &row);
    row = times_row("its build and launch", work);
    bench_report_row(b->report, &row);
}

clsp_status bench_suite_first_call(bench *b)
{
    const size_t runs = b->quick ? 3 : RUNS_MAX;
    series all[CHILDREN];
    clsp_status status;

    if (!bench_wants(b, name)) return CLSP_OK;
    BENCH_TRY(measure(b, false, runs, all));
    report_cold(b, all, runs);
    BENCH_TRY(measure(b, true, runs, all));
    report_warm(b, all, runs);

fail:
    return status;
}
