/* The time from nothing to the first surface, in processes of their own: this program runs itself
   again, as clspline-bench --child evaluation|normals|empty PLATFORM DEVICE with every cache of
   compiled programs in a folder that is new (cold) or has been used once (warm). The child called
   normals makes them besides points; the one called empty does the least that any OpenCL program
   must: it finds the device, makes a context, builds a kernel that does nothing and runs it, all in
   plain OpenCL. Those called surface, image and solid compute on the host, without OpenCL. */
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
static const double most_normals_ratio = 1.5; /* to points alone, cold */
static const double most_warm_ms = 50;
static const double most_host_ms[] = {20, 40, 20}; /* of a surface, an image and a solid */

/* ---- children ---- */

static clsp_status evaluate(clsp_context *ctx, const float *control_points, bool normals)
{
    const clsp_bezier_desc desc = {.degree = {ORDER - 1, ORDER - 1},
                                   .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
                                   .vertex.attributes =
                                       CLSP_VERTEX_POINT | (normals ? CLSP_VERTEX_NORMAL : 0)};
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
    points = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(float) * 6 * SAMPLES * SAMPLES, NULL,
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
static clsp_status child_evaluation(const char *platform, const char *device, bool normals)
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
    BENCH_TRY(evaluate(ctx, control_points, normals));
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

/* ---- children on the host ---- */

/* 28 bicubic patches of 64 x 64 vertices with normals. */
static clsp_status first_surface(clsp_context *ctx, float *out, size_t size)
{
    enum { PATCHES = 28, SIDE = 64, REALS = PATCHES * ORDER * ORDER * 3 };
    const clsp_bezier_desc desc = {.degree = {ORDER - 1, ORDER - 1},
                                   .axis = {{.num = SIDE}, {.num = SIDE}},
                                   .vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    clsp_patch_plan *plan = NULL;
    clsp_status status;

    BENCH_TRY(clsp_bezier_plan_create(&plan, ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(plan, PATCHES, clsp_in_f32(out, REALS), NULL));
    BENCH_TRY(clsp_patch_eval(plan, (clsp_range){0, PATCHES},
                              clsp_out_f32(out + REALS, size - REALS), NULL));

fail:
    clsp_patch_plan_destroy(&plan);
    return status;
}

/* An image of 512 x 512 pixels, prefiltered and enlarged by a cubic spline. */
static clsp_status first_image(clsp_context *ctx, float *out, size_t size)
{
    enum { SIDE = 512, REALS = SIDE * SIDE };
    const clsp_image_desc desc = {.directions = 2, .size = {SIDE, SIDE}, .order = CLSP_IMAGE_CUBIC};
    const clsp_image_map map = {.size = {SIDE, SIDE}, .matrix = {{0.5}, {0, 0.5}}};
    clsp_image_plan *plan = NULL;
    clsp_status status;

    BENCH_TRY(clsp_image_plan_create(&plan, ctx, &desc));
    BENCH_TRY(clsp_image_set_samples(plan, 1, clsp_in_f32(out, REALS), NULL));
    BENCH_TRY(clsp_image_eval(plan, (clsp_range){0, 1}, &map,
                              clsp_out_f32(out + REALS, size - REALS), NULL));

fail:
    clsp_image_plan_destroy(&plan);
    return status;
}

/* A solid of 64 cells, of 8^3 points each. */
static clsp_status first_solid(clsp_context *ctx, float *out, size_t size)
{
    enum { SIDE = 4, VERTICES = 125, CELLS = 64, SAMPLED = 8 };
    const clsp_solid_desc desc = {.axis = {{.num = SAMPLED}, {.num = SAMPLED}, {.num = SAMPLED}}};
    uint32_t index[8 * CELLS];
    const clsp_solid_cells cells = {
        .num_vertices = VERTICES, .num_cells = CELLS, .index = index, .num_indices = 8 * CELLS};
    clsp_solid_mesh *mesh = NULL;
    clsp_solid_plan *plan = NULL;
    clsp_status status;

    for (uint32_t c = 0; c < CELLS; c++)
        for (uint32_t k = 0; k < 8; k++)
            index[8 * c + k] =
                (c / 16 + k / 4) * 25 + (c / 4 % SIDE + k / 2 % 2) * 5 + c % SIDE + (k + k / 2) % 2;
    BENCH_TRY(clsp_solid_mesh_create(&mesh, ctx, &cells));
    BENCH_TRY(clsp_solid_plan_create(&plan, mesh, &desc));
    BENCH_TRY(clsp_solid_set_control_points(plan, clsp_in_f32(out, 3 * VERTICES), NULL));
    BENCH_TRY(clsp_solid_eval(plan, (clsp_range){0, CELLS},
                              clsp_out_f32(out + 3 * VERTICES, size - 3 * VERTICES), NULL));

fail:
    clsp_solid_plan_destroy(&plan);
    clsp_solid_mesh_destroy(&mesh);
    return status;
}

enum { FIRST_OF_HOST = 3 };
static const char *const host_children[FIRST_OF_HOST] = {"surface", "image", "solid"};

/* Prints milliseconds. */
static clsp_status child_host(size_t which)
{
    static clsp_status (*const first[FIRST_OF_HOST])(clsp_context *, float *, size_t) = {
        first_surface, first_image, first_solid};
    enum { SIZE = 1 << 20, ITEMS = 4096 };
    double values[ITEMS];
    float *const memory = malloc(SIZE * sizeof *memory);
    clsp_context *ctx = NULL;
    clsp_status status = memory ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    BENCH_TRY(status);
    bench_random_fill(values, ITEMS);
    for (size_t i = 0; i < SIZE; i++)
        memory[i] = (float)values[i % ITEMS];
    const double start = bench_now_ms();
    BENCH_TRY(
        clsp_context_create(&ctx, NULL, &(clsp_context_opts){.device = "host", .log = bench_log}));
    BENCH_TRY(first[which](ctx, memory, SIZE));
    printf("%.6f 0\n", bench_now_ms() - start);

fail:
    clsp_context_destroy(&ctx);
    free(memory);
    return bench_check(status, "the first call on the host");
}

int bench_first_call_child(int argc, char **argv)
{
    if (argc != 5) return 2;
    for (size_t k = 0; k < FIRST_OF_HOST; k++)
        if (strcmp(argv[2], host_children[k]) == 0) return child_host(k) != CLSP_OK;
    if (strcmp(argv[2], "empty") == 0) return child_empty(argv[3], argv[4]) != CLSP_OK;
    return child_evaluation(argv[3], argv[4], strcmp(argv[2], "normals") == 0) != CLSP_OK;
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
enum { EVALUATION, NORMALS, EMPTY, CHILDREN };
static const char *const children[CHILDREN] = {"evaluation", "normals", "empty"};

/* All children in turns; for each a folder of its own, new in every run or the same one. */
static clsp_status measure(const bench *b, bool warm, size_t runs, series *all)
{
    char folders[CHILDREN][256] = {"", "", ""};
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
    static const char *const methods[CHILDREN] = {"evaluation, cold", "with normals, cold",
                                                  "empty kernel, cold"};
    double median[CHILDREN];

    for (size_t k = 0; k < CHILDREN; k++) {
        const bench_row row = times_row(methods[k], bench_timing_of(all[k].total, runs));
        median[k] = row.time.median_ms;
        bench_report_row(b->report, &row);
    }
    report_ratio(b, "evaluation/empty, cold", median[EVALUATION] / median[EMPTY], most_cold_ratio);
    report_ratio(b, "normals/evaluation, cold", median[NORMALS] / median[EVALUATION],
                 most_normals_ratio);
}

/* Before the first build every program pays the platform's start, which no library can shorten. */
static void report_warm(const bench *b, series *all, size_t runs)
{
    const bench_timing evaluation = bench_timing_of(all[EVALUATION].total, runs);
    const bench_timing normals = bench_timing_of(all[NORMALS].total, runs);
    series *const empty = &all[EMPTY];
    const bench_timing total = bench_timing_of(empty->total, runs);
    const bench_timing ready = bench_timing_of(empty->ready, runs);
    const bench_timing work = bench_timing_of(empty->work, runs);
    bench_row row = times_row("evaluation, warm", evaluation);

    row.most = most_warm_ms;
    bench_report_row(b->report, &row);
    row = times_row("with normals, warm", normals);
    bench_report_row(b->report, &row);
    row = times_row("empty kernel, warm", total);
    bench_report_row(b->report, &row);
    row = times_row("its platform start", ready);
    bench_report_row(b->report, &row);
    row = times_row("its build and launch", work);
    bench_report_row(b->report, &row);
}

/* Host calls have no caches but the system's own. */
static clsp_status report_host(const bench *b, size_t runs)
{
    for (size_t k = 0; k < FIRST_OF_HOST; k++) {
        series all;
        for (size_t i = 0; i < runs; i++) {
            const clsp_status status = record(b, host_children[k], "/nonexistent", &all, i);
            if (status != CLSP_OK) return status;
        }
        bench_row row = bench_row_empty(suite, host_children[k], "host", 32);
        row.time = bench_timing_of(all.total, runs);
        row.most = most_host_ms[k];
        bench_report_row(b->report, &row);
    }
    return CLSP_OK;
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
    return report_host(b, runs);

fail:
    return status;
}
