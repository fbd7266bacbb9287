/* Every call that can fail, made to fail: for n = 1, 2, ... the n-th call of one kind fails while a
   plan is made and evaluated, until a run gets through without reaching it; where contexts take
   long to make, as many n as there is time for. Each time the result must be an error, or the right
   points; nothing may be left over; and the next run without a fault must succeed.

   The calls are redirected by the linker (-Wl,--wrap), in the library's objects and here, not in
   the drivers. */
#include "../support.h"

#include <clspline/bezier.h>
#include <clspline/bspline_convert.h>
#include <clspline/bspline_project.h>
#include <clspline/image.h>
#include <clspline/solid.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fault ---- */

enum kind {
    MALLOC,
    CALLOC,
    REALLOC,
    CREATE_CONTEXT,
    CREATE_QUEUE,
    CREATE_PROGRAM,
    CREATE_BINARY,
    BUILD_PROGRAM,
    CREATE_KERNEL,
    CREATE_BUFFER,
    SET_ARG,
    LAUNCH,
    COPY,
    WRITE,
    READ,
    MAP,
    UNMAP,
    MARKER,
    QUERY_DEVICE,
    QUERY_KERNEL,
    GET_PLATFORMS,
    GET_DEVICES,
    NUM_KINDS
};

static const char *const kind_names[NUM_KINDS] = {
    "malloc",
    "calloc",
    "realloc",
    "clCreateContext",
    "clCreateCommandQueue",
    "clCreateProgramWithSource",
    "clCreateProgramWithBinary",
    "clBuildProgram",
    "clCreateKernel",
    "clCreateBuffer",
    "clSetKernelArg",
    "clEnqueueNDRangeKernel",
    "clEnqueueCopyBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueReadBuffer",
    "clEnqueueMapBuffer",
    "clEnqueueUnmapMemObject",
    "clEnqueueMarkerWithWaitList",
    "clGetDeviceInfo",
    "clGetKernelWorkGroupInfo",
    "clGetPlatformIDs",
    "clGetDeviceIDs",
};

static struct {
    bool armed;
    enum kind kind;
    unsigned countdown; /* calls of the kind until the one that fails */
    bool reached;
    bool keeps_device; /* transfers fail for want of memory, after which a device stays usable */
    unsigned calls[NUM_KINDS]; /* of each kind, failed or not */
} fault;

static long live_blocks;  /* host memory */
static long live_objects; /* OpenCL objects, by references */

static bool fails(enum kind kind)
{
    fault.calls[kind]++;
    if (!fault.armed || fault.kind != kind || --fault.countdown > 0) return false;
    fault.reached = true;
    fault.armed = false;
    return true;
}

/* ---- host memory ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static void *counted(void *block)
{
    live_blocks += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return fails(MALLOC) ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(CALLOC) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails(REALLOC)) return NULL;
    void *const grown = __real_realloc(block, size);
    live_blocks += !block && grown;
    return grown;
}

void __wrap_free(void *block)
{
    live_blocks -= block != NULL;
    __real_free(block);
}

/* ---- OpenCL ---- */

#define TRANSFER_FAILURE                                                                           \
    (fault.keeps_device ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES)

/* A call that makes an object and reports by its last parameter. */
#define WRAP_CREATE(type, name, kind, failure, params, args)                                       \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params                                                                      \
    {                                                                                              \
        if (fails(kind)) {                                                                         \
            *code = failure;                                                                       \
            return NULL;                                                                           \
        }                                                                                          \
        type const made = __real_##name args;                                                      \
        live_objects += made != NULL;                                                              \
        return made;                                                                               \
    }

/* A call that returns its status. */
#define WRAP_CALL(name, kind, failure, params, args)                                               \
    cl_int __real_##name params;                                                                   \
    cl_int __wrap_##name params;                                                                   \
    cl_int __wrap_##name params                                                                    \
    {                                                                                              \
        return fails(kind) ? failure : __real_##name args;                                         \
    }

/* A call that takes or gives up a reference. */
#define WRAP_REFERENCE(name, type, change)                                                         \
    cl_int __real_##name(type object);                                                             \
    cl_int __wrap_##name(type object);                                                             \
    cl_int __wrap_##name(type object)                                                              \
    {                                                                                              \
        live_objects += change;                                                                    \
        return __real_##name(object);                                                              \
    }

typedef void(CL_CALLBACK *context_fn)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *program_fn)(cl_program, void *);

WRAP_CREATE(cl_context, clCreateContext, CREATE_CONTEXT, CL_OUT_OF_HOST_MEMORY,
            (const cl_context_properties *properties, cl_uint num, const cl_device_id *devices,
             context_fn fn, void *user, cl_int *code),
            (properties, num, devices, fn, user, code))
WRAP_CREATE(cl_command_queue, clCreateCommandQueue, CREATE_QUEUE, CL_OUT_OF_HOST_MEMORY,
            (cl_context context, cl_device_id device, cl_command_queue_properties properties,
             cl_int *code),
            (context, device, properties, code))
WRAP_CREATE(cl_program, clCreateProgramWithSource, CREATE_PROGRAM, CL_OUT_OF_HOST_MEMORY,
            (cl_context context, cl_uint num, const char **texts, const size_t *sizes,
             cl_int *code),
            (context, num, texts, sizes, code))
WRAP_CREATE(cl_program, clCreateProgramWithBinary, CREATE_BINARY, CL_INVALID_BINARY,
            (cl_context context, cl_uint num, const cl_device_id *devices, const size_t *sizes,
             const unsigned char **binaries, cl_int *each, cl_int *code),
            (context, num, devices, sizes, binaries, each, code))
WRAP_CREATE(cl_kernel, clCreateKernel, CREATE_KERNEL, CL_OUT_OF_HOST_MEMORY,
            (cl_program program, const char *name, cl_int *code), (program, name, code))
WRAP_CREATE(cl_mem, clCreateBuffer, CREATE_BUFFER, CL_MEM_OBJECT_ALLOCATION_FAILURE,
            (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
            (context, flags, size, host, code))

WRAP_CALL(clBuildProgram, BUILD_PROGRAM, CL_BUILD_PROGRAM_FAILURE,
          (cl_program program, cl_uint num, const cl_device_id *devices, const char *options,
           program_fn fn, void *user),
          (program, num, devices, options, fn, user))
WRAP_CALL(clSetKernelArg, SET_ARG, CL_OUT_OF_HOST_MEMORY,
          (cl_kernel kernel, cl_uint index, size_t size, const void *value),
          (kernel, index, size, value))
WRAP_CALL(clEnqueueNDRangeKernel, LAUNCH, CL_OUT_OF_RESOURCES,
          (cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
           const size_t *global, const size_t *local, cl_uint num_wait, const cl_event *wait,
           cl_event *event),
          (queue, kernel, dim, offset, global, local, num_wait, wait, event))
WRAP_CALL(clEnqueueCopyBuffer, COPY, CL_OUT_OF_RESOURCES,
          (cl_command_queue queue, cl_mem source, cl_mem target, size_t source_offset,
           size_t target_offset, size_t size, cl_uint num_wait, const cl_event *wait,
           cl_event *event),
          (queue, source, target, source_offset, target_offset, size, num_wait, wait, event))
WRAP_CALL(clEnqueueWriteBuffer, WRITE, TRANSFER_FAILURE,
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
           const void *bytes, cl_uint num_wait, const cl_event *wait, cl_event *event),
          (queue, buffer, blocking, offset, size, bytes, num_wait, wait, event))
WRAP_CALL(clEnqueueReadBuffer, READ, TRANSFER_FAILURE,
          (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
           void *bytes, cl_uint num_wait, const cl_event *wait, cl_event *event),
          (queue, buffer, blocking, offset, size, bytes, num_wait, wait, event))
WRAP_CREATE(void *, clEnqueueMapBuffer, MAP, TRANSFER_FAILURE,
            (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
             size_t offset, size_t size, cl_uint num_wait, const cl_event *wait, cl_event *event,
             cl_int *code),
            (queue, buffer, blocking, flags, offset, size, num_wait, wait, event, code))
WRAP_CALL(clEnqueueMarkerWithWaitList, MARKER, CL_OUT_OF_RESOURCES,
          (cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *event),
          (queue, num_wait, wait, event))
WRAP_CALL(clGetDeviceInfo, QUERY_DEVICE, CL_INVALID_VALUE,
          (cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed),
          (device, what, size, value, needed))
WRAP_CALL(clGetKernelWorkGroupInfo, QUERY_KERNEL, CL_INVALID_VALUE,
          (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
           void *value, size_t *needed),
          (kernel, device, what, size, value, needed))
WRAP_CALL(clGetPlatformIDs, GET_PLATFORMS, CL_OUT_OF_HOST_MEMORY,
          (cl_uint num, cl_platform_id *platforms, cl_uint *count), (num, platforms, count))
WRAP_CALL(clGetDeviceIDs, GET_DEVICES, CL_OUT_OF_HOST_MEMORY,
          (cl_platform_id platform, cl_device_type type, cl_uint num, cl_device_id *devices,
           cl_uint *count),
          (platform, type, num, devices, count))

cl_int __real_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object, void *mapped,
                                      cl_uint num_wait, const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object, void *mapped,
                                      cl_uint num_wait, const cl_event *wait, cl_event *event);

cl_int __wrap_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object, void *mapped,
                                      cl_uint num_wait, const cl_event *wait, cl_event *event)
{
    if (fails(UNMAP)) return CL_OUT_OF_HOST_MEMORY;
    const cl_int code =
        __real_clEnqueueUnmapMemObject(queue, object, mapped, num_wait, wait, event);
    live_objects -= code == CL_SUCCESS; /* rusticl refuses until the mapping is over */
    return code;
}

WRAP_REFERENCE(clRetainContext, cl_context, +1)
WRAP_REFERENCE(clReleaseContext, cl_context, -1)
WRAP_REFERENCE(clRetainCommandQueue, cl_command_queue, +1)
WRAP_REFERENCE(clReleaseCommandQueue, cl_command_queue, -1)
WRAP_REFERENCE(clReleaseProgram, cl_program, -1)
WRAP_REFERENCE(clReleaseKernel, cl_kernel, -1)
WRAP_REFERENCE(clRetainMemObject, cl_mem, +1)
WRAP_REFERENCE(clReleaseMemObject, cl_mem, -1)

cl_int __real_clCreateKernelsInProgram(cl_program program, cl_uint num, cl_kernel *kernels,
                                       cl_uint *count);
cl_int __wrap_clCreateKernelsInProgram(cl_program program, cl_uint num, cl_kernel *kernels,
                                       cl_uint *count);

cl_int __wrap_clCreateKernelsInProgram(cl_program program, cl_uint num, cl_kernel *kernels,
                                       cl_uint *count)
{
    cl_uint made = 0;
    const cl_int code = __real_clCreateKernelsInProgram(program, num, kernels, &made);

    if (code == CL_SUCCESS && kernels) live_objects += (long)made;
    if (count) *count = made;
    return code;
}

/* ---- the run ---- */

enum { PATCHES = 2, DEGREE = 2, SAMPLES = 5, VALUES = PATCHES * SAMPLES * SAMPLES * 3 };

/* From a new context to the points, by the public calls alone; points: [VALUES]. */
static clsp_status run(const char *cache_dir, const char *limits, float *points)
{
    static const clsp_bezier_desc desc = {.degree = {DEGREE, DEGREE},
                                          .axis = {{.num = SAMPLES}, {.num = SAMPLES}}};
    const clsp_context_opts opts = {.cache_dir = cache_dir, .limits = limits};
    float control[PATCHES * (DEGREE + 1) * (DEGREE + 1) * 3];
    const clsp_range patches = {0, PATCHES};
    clsp_context *ctx = NULL;
    clsp_bezier_plan *plan = NULL;
    clsp_status status;

    for (size_t i = 0; i < sizeof control / sizeof *control; i++)
        control[i] = (float)(i * i % 17) / 4;
    status = clsp_context_create(&ctx, NULL, &opts);
    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK)
        status = clsp_bezier_set_control_points(
            plan, PATCHES, clsp_in_f32(control, sizeof control / sizeof *control), NULL);
    if (status == CLSP_OK)
        status = clsp_bezier_eval(plan, patches, clsp_out_f32(points, VALUES), NULL);
    clsp_bezier_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status;
}

static float wanted[VALUES];

static void assert_clean(const char *what, unsigned n)
{
    if (live_blocks == 0 && live_objects == 0) return;
    print_error("%s, call %u: %ld blocks and %ld OpenCL objects are left\n", what, n, live_blocks,
                live_objects);
    fail();
}

/* A run that must be right, or say that it is not. */
static void check_run(const char *cache_dir, const char *limits, const char *what, unsigned n,
                      bool may_fail)
{
    float points[VALUES];

    live_blocks = live_objects = 0;
    support_poison(points, sizeof points);
    const clsp_status status = run(cache_dir, limits, points);
    fault.armed = false;
    assert_clean(what, n);
    if (status == CLSP_OK ? memcmp(points, wanted, sizeof points) == 0 : may_fail && status < 0)
        return;
    print_error("%s, call %u: status %d, %s\n", what, n, status, clsp_status_str(status));
    fail();
}

/* Whether a run reaches the n-th call of the kind, which fails. */
static bool fail_call(enum kind kind, unsigned n, const char *cache_dir, const char *limits)
{
    fault.kind = kind;
    fault.countdown = n;
    fault.reached = false;
    fault.armed = true;
    check_run(cache_dir, limits, kind_names[kind], n, true);
    if (fault.reached) check_run(cache_dir, limits, "after a fault", n, false);
    return fault.reached;
}

/* At most so many of num calls; with most 0 each until a run does not reach it, since a failure may
   add to them. Returns how many. */
static unsigned fail_each(enum kind kind, unsigned num, unsigned most, const char *cache_dir,
                          const char *limits)
{
    unsigned failed = 0;

    for (unsigned n = 1; most == 0 || n <= num;
         n = most ? support_next_call(n, num, most) : n + 1) {
        if (!fail_call(kind, n, cache_dir, limits)) break;
        failed++;
    }
    return failed;
}

/* Takes about BUDGET_MS at most, if a run takes no more than some tenths of a second. */
static void fail_all(const char *cache_dir, const char *limits)
{
    enum { BUDGET_MS = 30000, RUNS = 2 /* of a failure */ };
    unsigned calls[NUM_KINDS], sum = 0;

    assert_ok(NULL, run(cache_dir, limits, wanted)); /* which may compile */
    memset(fault.calls, 0, sizeof fault.calls);
    const double begin = support_now_ms();
    assert_ok(NULL, run(cache_dir, limits, wanted));
    const double runs = BUDGET_MS / (support_now_ms() - begin) / RUNS;
    memcpy(calls, fault.calls, sizeof calls);
    const unsigned most = support_most_calls(calls, NUM_KINDS, runs);
    for (int kind = 0; kind < NUM_KINDS; kind++)
        sum += fail_each((enum kind)kind, calls[kind], most, cache_dir, limits);
    print_message("%u calls made to fail%s\n", sum, most ? ", not all" : "");
    /* were one of these 0, the linker would not have redirected it */
    static const enum kind sure[] = {MALLOC,        CALLOC,         REALLOC,       CREATE_CONTEXT,
                                     CREATE_QUEUE,  CREATE_PROGRAM, BUILD_PROGRAM, CREATE_KERNEL,
                                     CREATE_BUFFER, SET_ARG,        LAUNCH,        WRITE,
                                     READ,          QUERY_DEVICE,   GET_DEVICES};
    for (size_t i = 0; i < sizeof sure / sizeof *sure; i++)
        assert_true(calls[sure[i]] > 0);
}

/* ---- changes of a plan ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { MORE = 7, POINTS_MAX = PATCHES * MORE * MORE * 6 };

/* Control points of some degrees, that differ with `kind`. */
static clsp_status load_kind(clsp_bezier_plan *plan, unsigned kind, size_t num)
{
    float control[PATCHES * (DEGREE + 2) * (DEGREE + 1) * 3];

    for (size_t i = 0; i < num; i++)
        control[i] = (float)((i + kind) * (i + 2 * kind) % 19) / 8;
    return clsp_bezier_set_control_points(plan, PATCHES, clsp_in_f32(control, num), NULL);
}

enum { REALS = PATCHES * (DEGREE + 1) * (DEGREE + 1) * 3 };

static clsp_status other_grid(clsp_bezier_plan *plan)
{
    const clsp_axis axis[] = {{.num = MORE}, {.num = MORE - 1}};

    return clsp_bezier_set_grid(plan, axis);
}

static clsp_status other_degrees(clsp_bezier_plan *plan)
{
    const uint32_t degree[] = {DEGREE + 1, DEGREE};

    return clsp_bezier_set_degrees(plan, degree);
}

static clsp_status other_points(clsp_bezier_plan *plan)
{
    return load_kind(plan, 1, REALS);
}

static clsp_status other_patch_grids(clsp_bezier_plan *plan)
{
    const uint32_t nums[] = {3, MORE, 2, 4};

    return clsp_bezier_set_patch_grids(plan, PATCHES, clsp_in_u32(nums, 4));
}

/* The degrees as they are: mends a plan whose other grid has failed. */
static clsp_status same_degrees(clsp_bezier_plan *plan)
{
    const uint32_t degree[] = {DEGREE, DEGREE};

    return clsp_bezier_set_degrees(plan, degree);
}

typedef clsp_status (*change_fn)(clsp_bezier_plan *plan);

/* before: NULL: nothing; mend: after apply has failed; reals: of control points that are to be
   loaded after it, 0: none. */
typedef struct change {
    const char *name;
    change_fn before, apply, mend;
    size_t reals;
} change;

/* A plan with control points that has been evaluated. */
static clsp_bezier_plan *used_plan(clsp_context *ctx)
{
    static const clsp_bezier_desc desc = {.degree = {DEGREE, DEGREE},
                                          .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
                                          .vertex.attributes =
                                              CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    clsp_bezier_plan *plan;
    float points[2 * VALUES];

    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, load_kind(plan, 0, REALS));
    assert_ok(ctx, clsp_bezier_eval(plan, (clsp_range){0, PATCHES},
                                    clsp_out_f32(points, COUNT(points)), NULL));
    return plan;
}

/* All of a plan's vertices after a change, [POINTS_MAX]. */
static void read_after(clsp_context *ctx, clsp_bezier_plan *plan, const change *c, float *points)
{
    memset(points, 0, POINTS_MAX * sizeof *points);
    if (c->reals > 0) assert_ok(ctx, load_kind(plan, 2, c->reals));
    assert_ok(ctx, clsp_bezier_eval(plan, (clsp_range){0, PATCHES},
                                    clsp_out_f32(points, POINTS_MAX), NULL));
}

/* Every call that makes vertices says that the plan has no sound state. */
static void assert_refused(clsp_bezier_plan *plan)
{
    const uint32_t patch = 0;
    const float at[] = {0.5f, 0.5f};
    float points[POINTS_MAX];
    const clsp_output out = clsp_out_f32(points, POINTS_MAX);
    const clsp_range patches = {0, PATCHES}, rows = {0, 1};

    assert_int_equal(clsp_bezier_eval(plan, patches, out, NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_eval_rows(plan, 0, rows, out, NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_eval_points(plan, 1, clsp_in_u32(&patch, 1), clsp_in_f32(at, 2),
                                             clsp_out_f32(points, 6), NULL),
                     CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_cooperate(plan, patches, out, NULL, NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_tune(plan, patches, NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_host_rows(plan, 0, 0, rows, out), CLSP_ERROR_STATE);
    assert_int_equal(clsp_bezier_check_weights(plan), CLSP_ERROR_STATE);
}

/* Whether the change reaches the n-th call of the kind, which fails. */
static bool fail_change(clsp_context *ctx, const change *c, enum kind kind, unsigned n,
                        const float *right)
{
    clsp_bezier_plan *plan = used_plan(ctx);
    float points[POINTS_MAX];

    if (c->before) assert_ok(ctx, c->before(plan));
    fault.kind = kind;
    fault.countdown = n;
    fault.reached = false;
    fault.armed = true;
    const clsp_status status = c->apply(plan);
    fault.armed = false;
    if (status != CLSP_OK) {
        assert_refused(plan);
        assert_ok(ctx, c->mend(plan));
    }
    read_after(ctx, plan, c, points);
    if (memcmp(points, right, sizeof points) != 0)
        fail_msg("%s, %s %u, status %d: other points", c->name, kind_names[kind], n, status);
    clsp_bezier_plan_destroy(&plan);
    return fault.reached;
}

static unsigned fail_changes(clsp_context *ctx, const change *c)
{
    static const enum kind kinds[] = {MALLOC,        CALLOC,  REALLOC, CREATE_BUFFER,
                                      CREATE_KERNEL, SET_ARG, LAUNCH,  COPY,
                                      WRITE,         READ,    MARKER};
    clsp_bezier_plan *plan = used_plan(ctx);
    float right[POINTS_MAX];
    unsigned failed = 0;

    assert_ok(ctx, c->apply(plan));
    read_after(ctx, plan, c, right);
    clsp_bezier_plan_destroy(&plan);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned n = 1; fail_change(ctx, c, kinds[k], n, right); n++)
            failed++;
    return failed;
}

/* A plan whose change has failed is refused by every call until it is changed again; then it is as
   one that never failed. */
static void test_changes(void **state)
{
    static const change changes[] = {
        {"clsp_bezier_set_grid", NULL, other_grid, other_grid, 0},
        {"clsp_bezier_set_grid after patch grids", other_patch_grids, other_grid, same_degrees, 0},
        {"clsp_bezier_set_degrees", NULL, other_degrees, other_degrees,
         REALS / (DEGREE + 1) * (DEGREE + 2)},
        {"clsp_bezier_set_control_points", NULL, other_points, other_points, 0},
        {"clsp_bezier_set_patch_grids", NULL, other_patch_grids, other_patch_grids, 0}};
    static const char *const limits[] = {"", "class=discrete"};
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (size_t i = 0; i < COUNT(changes); i++) {
            const unsigned some = fail_changes(ctx, &changes[i]);
            assert_true(some > 0);
            failed += some;
        }
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    print_message("%u calls made to fail\n", failed);
}

/* ---- transfers ---- */

enum {
    LARGE = 241,                      /* samples: more than what is copied for being small */
    LARGE_PARTS = 7,                  /* patches, */
    LARGE_VALUES = LARGE * LARGE * 3, /* of which each has so many */
    LARGE_PARAMS = 2 * LARGE * LARGE
};

/* A large evaluation into memory that is there for it alone: on the grid, or at parameters. */
static clsp_status eval_large(clsp_bezier_plan *plan, bool at_parameters, float *points)
{
    static float params[LARGE_PARTS * LARGE_PARAMS];
    const size_t values = (size_t)LARGE_PARTS * LARGE_VALUES, num = values / 3;
    const clsp_output out = clsp_out_f32(points, values);
    static uint32_t patches[LARGE_PARTS * LARGE * LARGE];

    if (!at_parameters) return clsp_bezier_eval(plan, (clsp_range){0, LARGE_PARTS}, out, NULL);
    for (size_t i = 0; i < num; i++) {
        params[2 * i] = (float)(i % 1000) / 1000;
        params[2 * i + 1] = (float)(i % 777) / 777;
        patches[i] = (uint32_t)(i % LARGE_PARTS);
    }
    return clsp_bezier_eval_points(plan, num, clsp_in_u32(patches, num),
                                   clsp_in_f32(params, 2 * num), out, NULL);
}

static clsp_bezier_plan *large_plan(clsp_context *ctx)
{
    static const clsp_bezier_desc desc = {.degree = {DEGREE, DEGREE},
                                          .axis = {{.num = LARGE}, {.num = LARGE}}};
    float control[LARGE_PARTS * (DEGREE + 1) * (DEGREE + 1) * 3];
    clsp_bezier_plan *plan;

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    assert_ok(ctx, clsp_bezier_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, clsp_bezier_set_control_points(plan, LARGE_PARTS,
                                                  clsp_in_f32(control, COUNT(control)), NULL));
    return plan;
}

/* Whether a large evaluation by a new plan reaches the n-th call of the kind, which fails. The
   memory is gone right after the call, and with the plan all that it made. */
static bool fail_transfer(clsp_context *ctx, bool at_parameters, enum kind kind, unsigned n,
                          const float *right)
{
    const size_t bytes = (size_t)LARGE_PARTS * LARGE_VALUES * sizeof(float);
    const long objects = live_objects, blocks = live_blocks;
    clsp_bezier_plan *plan = large_plan(ctx);

    for (int again = 0; again < 2; again++) {
        float *const points = malloc(bytes);
        assert_non_null(points);
        fault.kind = kind;
        fault.countdown = n;
        if (!again) fault.reached = false;
        fault.armed = !again;
        const clsp_status status = eval_large(plan, at_parameters, points);
        fault.armed = false;
        if (status == CLSP_OK ? memcmp(points, right, bytes) != 0 : again || !fault.reached)
            fail_msg("%s %u, call %d: status %d", kind_names[kind], n, again, status);
        free(points);
    }
    clsp_bezier_plan_destroy(&plan);
    if (live_blocks != blocks)
        fail_msg("%s %u: %ld blocks are left", kind_names[kind], n, live_blocks - blocks);
    /* a mapping of pinned memory that is not undone is over with its buffer */
    const long more = live_objects - objects;
    live_objects = objects;
    if (fault.reached && (more < 0 || more > (kind == UNMAP)))
        fail_msg("%s %u: %ld objects are left", kind_names[kind], n, more);
    return fault.reached;
}

static unsigned fail_transfers(clsp_context *ctx, bool at_parameters)
{
    static const enum kind kinds[] = {CREATE_QUEUE, CREATE_BUFFER, SET_ARG, LAUNCH, WRITE,
                                      READ,         MAP,           UNMAP,   MARKER};
    float *const right = malloc((size_t)LARGE_PARTS * LARGE_VALUES * sizeof *right);
    clsp_bezier_plan *plan = large_plan(ctx);
    unsigned failed = 0;

    assert_non_null(right);
    assert_ok(ctx, eval_large(plan, at_parameters, right));
    clsp_bezier_plan_destroy(&plan);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned n = 1; fail_transfer(ctx, at_parameters, kinds[k], n, right); n++)
            failed++;
    free(right);
    return failed;
}

/* Large outputs and inputs in host memory, in place, in several parts and through pinned memory:
   after a failure nothing is written any more, and the plan is as good as before. */
static void test_transfers(void **state)
{
    static const char *const limits[] = {"class=cpu", "class=cpu,alloc=3000000", "class=integrated",
                                         "class=discrete", "class=discrete,alloc=1500000"};
    unsigned failed = 0;

    (void)state;
    if (support_tiny()) skip_because("large arrays");
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        failed += fail_transfers(ctx, false) + fail_transfers(ctx, true);
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    print_message("%u calls made to fail\n", failed);
}

/* ---- conversions ---- */

enum { CURVE_CONTROLS = 9, CONVERTED_MAX = PATCHES * 4096 };

/* A plan of B-spline surfaces with control points. */
static clsp_bspline_plan *spline_plan(clsp_context *ctx)
{
    static const clsp_bspline_desc desc = {.degree = {DEGREE, DEGREE},
                                           .num_controls = {CURVE_CONTROLS, CURVE_CONTROLS}};
    float control[PATCHES * CURVE_CONTROLS * CURVE_CONTROLS * 3];
    clsp_bspline_plan *plan;

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, clsp_bspline_set_control_points(plan, PATCHES,
                                                   clsp_in_f32(control, COUNT(control)), NULL));
    return plan;
}

/* Sets a target and converts, into [CONVERTED_MAX]. */
static clsp_status convert(clsp_bspline_plan *plan, const clsp_bspline_target *target,
                           float *controls)
{
    const clsp_status status = clsp_bspline_set_target(plan, target);

    if (status != CLSP_OK) return status;
    return clsp_bspline_convert(plan, (clsp_range){0, PATCHES},
                                clsp_out_f32(controls, CONVERTED_MAX), NULL);
}

/* Whether a conversion reaches the n-th call of the kind, which fails. Whatever had been set before
   stays, and the plan is as good as before. */
static bool fail_conversion(clsp_context *ctx, const clsp_bspline_target *target, enum kind kind,
                            unsigned n, const float *right)
{
    static float controls[CONVERTED_MAX];
    const long objects = live_objects, blocks = live_blocks;
    clsp_bspline_plan *plan = spline_plan(ctx);
    clsp_bspline_desc desc;

    assert_ok(ctx, clsp_bspline_set_target(plan, &(clsp_bspline_target){.bezier = 0}));
    memset(controls, 0, sizeof controls);
    fault.kind = kind;
    fault.countdown = n;
    fault.reached = false;
    fault.armed = true;
    clsp_status status = convert(plan, target, controls);
    fault.armed = false;
    assert_ok(ctx, clsp_bspline_target_desc(plan, 0, &desc));
    if (status == CLSP_OK ? fault.reached && memcmp(controls, right, sizeof controls) != 0
                          : !fault.reached)
        fail_msg("%s %u: status %d", kind_names[kind], n, status);
    memset(controls, 0, sizeof controls);
    assert_ok(ctx, convert(plan, target, controls));
    if (memcmp(controls, right, sizeof controls) != 0)
        fail_msg("%s %u: other control points", kind_names[kind], n);
    clsp_bspline_plan_destroy(&plan);
    if (live_blocks != blocks || live_objects != objects)
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

static unsigned fail_conversions(clsp_context *ctx, const clsp_bspline_target *target)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,         READ};
    static float right[CONVERTED_MAX];
    clsp_bspline_plan *plan = spline_plan(ctx);
    unsigned failed = 0;

    memset(right, 0, sizeof right);
    assert_ok(ctx, convert(plan, target, right));
    clsp_bspline_plan_destroy(&plan);
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (unsigned n = 1; fail_conversion(ctx, target, kinds[k], n, right); n++)
            failed++;
    return failed;
}

/* ---- knots of curves' own ---- */

enum { OWN_CURVES = 3, OWN_KNOTS = CURVE_CONTROLS + DEGREE + 1, OWN_SAMPLES = 11 };

/* Gives curves their own knots, converts and evaluates: [OWN_CURVES][OWN_SAMPLES][3] vertices, then
   pieces. */
static clsp_status use_own(clsp_bspline_plan *plan, float *values, size_t num)
{
    static const clsp_bspline_target target = {.bezier = 1};
    const size_t vertices = OWN_CURVES * OWN_SAMPLES * 3;
    double knots[OWN_CURVES * OWN_KNOTS];

    for (size_t i = 0; i < COUNT(knots); i++)
        knots[i] = (double)(i % OWN_KNOTS) * (double)(1 + i / OWN_KNOTS);
    clsp_status status = clsp_bspline_set_knots(plan, OWN_CURVES, clsp_in_f64(knots, COUNT(knots)));
    if (status == CLSP_OK)
        status = clsp_bspline_eval(plan, (clsp_range){0, OWN_CURVES},
                                   clsp_out_f32(values, vertices), NULL);
    if (status == CLSP_OK) status = clsp_bspline_set_target(plan, &target);
    if (status == CLSP_OK)
        status = clsp_bspline_convert(plan, (clsp_range){0, OWN_CURVES},
                                      clsp_out_f32(values + vertices, num - vertices), NULL);
    return status;
}

/* Whether curves with knots of their own reach the n-th call of the kind, which fails. n 0: none
   does, and `right` gets what is right. */
static bool fail_own(clsp_context *ctx, enum kind kind, unsigned n, float *right, size_t num)
{
    static const clsp_bspline_desc desc = {.directions = 1,
                                           .degree = {DEGREE},
                                           .num_controls = {CURVE_CONTROLS},
                                           .axis = {{.num = OWN_SAMPLES}}};
    static float values[CONVERTED_MAX];
    const long objects = live_objects, blocks = live_blocks;
    float control[OWN_CURVES * CURVE_CONTROLS * 3];
    clsp_bspline_plan *plan;

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    assert_ok(ctx, clsp_bspline_set_control_points(plan, OWN_CURVES,
                                                   clsp_in_f32(control, COUNT(control)), NULL));
    memset(values, 0, sizeof values);
    fault.kind = kind;
    fault.countdown = n;
    fault.reached = false;
    fault.armed = n > 0;
    clsp_status status = use_own(plan, values, num);
    fault.armed = false;
    if (status != CLSP_OK) {
        if (!fault.reached) fail_msg("%s %u: status %d", kind_names[kind], n, status);
        assert_ok(ctx, use_own(plan, values, num));
    }
    if (n > 0 && memcmp(values, right, num * sizeof *values) != 0)
        fail_msg("%s %u, status %d: other values", kind_names[kind], n, status);
    if (n == 0) memcpy(right, values, num * sizeof *values);
    clsp_bspline_plan_destroy(&plan);
    if (n > 0 && (live_blocks != blocks || live_objects != objects)) /* programs stay */
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

static void test_own_knots(void **state)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, REALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,   READ};
    static const char *const limits[] = {"", "class=discrete"};
    static float right[CONVERTED_MAX];
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        fail_own(ctx, MALLOC, 0, right, CONVERTED_MAX); /* without a fault */
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (unsigned n = 1; fail_own(ctx, kinds[k], n, right, CONVERTED_MAX); n++)
                failed++;
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

/* ---- solids ---- */

enum { SOLID_VERTICES = 18, SOLID_CELLS = 4, SOLID_VALUES = 8 * SOLID_CELLS * 8 * 3 + 9 + 225 };

/* Makes four cubes around an edge with a crease, refines them once, and evaluates all children, a
   derivative of one, two parameters, and the limits of the middles: SOLID_VALUES numbers. */
static clsp_status use_solid(clsp_context *ctx, float *values)
{
    static const uint32_t index[8 * SOLID_CELLS] = {0,  1,  4,  3,  9,  10, 13, 12, 1,  2,  5,
                                                    4,  10, 11, 14, 13, 3,  4,  7,  6,  12, 13,
                                                    16, 15, 4,  5,  8,  7,  13, 14, 17, 16};
    static const uint32_t crease[2] = {0, 9}, by[3] = {1, 0, 0}, list[2] = {0, 31};
    static const float params[6] = {0.25f, 0.5f, 1.0f, 0.0f, 0.0f, 0.0f};
    static const clsp_solid_cells cells = {.num_vertices = SOLID_VERTICES,
                                           .num_cells = SOLID_CELLS,
                                           .index = index,
                                           .num_indices = COUNT(index),
                                           .crease = crease,
                                           .num_creases = 1};
    static const clsp_solid_desc desc = {.axis = {{2, 0, 1}, {2, 0, 1}, {2, 0, 1}}};
    const clsp_solid_points points = {
        .num = 2, .cells = clsp_in_u32(list, 2), .params = clsp_in_f32(params, 6)};
    const size_t all = 8 * SOLID_CELLS * 8 * 3;
    float control[3 * SOLID_VERTICES], fine[3 * 75];
    clsp_solid_mesh *coarse = NULL, *mesh = NULL;
    clsp_solid_plan *plan = NULL;

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    clsp_status status = clsp_solid_mesh_create(&coarse, ctx, &cells);
    if (status == CLSP_OK) status = clsp_solid_mesh_refine(&mesh, coarse);
    if (status == CLSP_OK)
        status = clsp_solid_refine_points(coarse, CLSP_SOLID_TENSOR, 3,
                                          clsp_in_f32(control, COUNT(control)),
                                          clsp_out_f32(fine, COUNT(fine)));
    if (status == CLSP_OK) status = clsp_solid_plan_create(&plan, mesh, &desc);
    if (status == CLSP_OK)
        status = clsp_solid_set_control_points(plan, clsp_in_f32(fine, COUNT(fine)), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_eval(plan, (clsp_range){0, 8 * SOLID_CELLS}, NULL,
                                 clsp_out_f32(values, all), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_eval(plan, (clsp_range){1, 1}, by, clsp_out_f32(fine, 24), NULL);
    if (status == CLSP_OK) memcpy(values + all, fine, 3 * sizeof *fine);
    if (status == CLSP_OK)
        status =
            clsp_solid_eval_points(plan, &points, NULL, clsp_out_f32(values + all + 3, 6), NULL);
    if (status == CLSP_OK)
        status = clsp_solid_limit_points(coarse, CLSP_SOLID_MIDDLES, 3,
                                         clsp_in_f32(control, COUNT(control)),
                                         clsp_out_f32(values + all + 9, 225));
    clsp_solid_plan_destroy(&plan);
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&coarse);
    return status;
}

/* Whether a solid reaches the n-th call of the kind, which fails. */
static bool fail_solid(clsp_context *ctx, enum kind kind, unsigned n, const float *right)
{
    const long objects = live_objects, blocks = live_blocks;
    float values[SOLID_VALUES] = {0};

    fault.kind = kind;
    fault.countdown = n;
    fault.reached = false;
    fault.armed = true;
    const clsp_status status = use_solid(ctx, values);
    fault.armed = false;
    if (status == CLSP_OK ? memcmp(values, right, sizeof values) != 0 : !fault.reached)
        fail_msg("%s %u: status %d", kind_names[kind], n, status);
    if (live_blocks != blocks || live_objects != objects)
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

static void test_solids(void **state)
{
    static const enum kind kinds[] = {MALLOC,        CALLOC,  REALLOC, CREATE_BUFFER,
                                      CREATE_KERNEL, SET_ARG, LAUNCH,  WRITE};
    static const char *const limits[] = {"", "class=discrete"};
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        float right[SOLID_VALUES] = {0};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        assert_ok(ctx, use_solid(ctx, right));
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (unsigned n = 1; fail_solid(ctx, kinds[k], n, right);
                 n += support_full() ? 1 : 1 + n / 24)
                failed++;
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

/* ---- images ---- */

enum {
    IMAGE_ROWS = 66,
    IMAGE_COLUMNS = 70,
    IMAGE_CHANNELS = 2,
    IMAGE_PIXELS = IMAGE_ROWS * IMAGE_COLUMNS,
    IMAGE_VALUES = 4 * IMAGE_CHANNELS * IMAGE_PIXELS
};

/* A plan of images, and whether its calls are the shared ones. */
typedef struct image_way {
    const char *limits;
    clsp_image_desc desc;
    bool shared;
} image_way;

static const clsp_cooperate_opts own_device = {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1};

/* Loads an image and calls all that there is, by which `values` is filled. */
static clsp_status call_image(clsp_image_plan *plan, clsp_input samples,
                              const clsp_image_points *points, float *values)
{
    enum { ALL = IMAGE_CHANNELS * IMAGE_PIXELS };
    const clsp_range one = {0, 1};
    clsp_status status = clsp_image_set_samples(plan, 1, samples, NULL);

    if (status == CLSP_OK)
        status = clsp_image_coefficients(plan, one, clsp_out_f32(values, ALL), NULL);
    if (status == CLSP_OK)
        status = clsp_image_affine(plan, one, NULL, clsp_out_f32(values + ALL, ALL), NULL);
    if (status == CLSP_OK)
        status = clsp_image_at(plan, one, points, clsp_out_f32(values + 2 * ALL, ALL), NULL);
    if (status == CLSP_OK)
        status = clsp_image_displace(plan, one, NULL, points->coordinates,
                                     clsp_out_f32(values + 3 * ALL, ALL), NULL);
    return status;
}

/* Does so by the shared calls. */
static clsp_status share_image(clsp_image_plan *plan, clsp_input samples,
                               const clsp_image_points *points, float *values)
{
    enum { ALL = IMAGE_CHANNELS * IMAGE_PIXELS };
    const clsp_range one = {0, 1};
    const clsp_image_field field = {.displacements = points->coordinates};
    clsp_status status = clsp_image_set_samples_shared(plan, 1, samples, &own_device, NULL);

    if (status == CLSP_OK)
        status = clsp_image_coefficients(plan, one, clsp_out_f32(values, ALL), NULL);
    if (status == CLSP_OK)
        status = clsp_image_affine_shared(plan, one, NULL, clsp_out_f32(values + ALL, ALL),
                                          &own_device, NULL);
    if (status == CLSP_OK)
        status = clsp_image_at_shared(plan, one, points, clsp_out_f32(values + 2 * ALL, ALL),
                                      &own_device, NULL);
    if (status == CLSP_OK)
        status = clsp_image_displace_shared(plan, one, &field, clsp_out_f32(values + 3 * ALL, ALL),
                                            &own_device, NULL);
    return status;
}

static clsp_status use_image(clsp_context *ctx, const image_way *way, float *values)
{
    enum { ALL = IMAGE_CHANNELS * IMAGE_PIXELS };
    static float samples[ALL], field[2 * IMAGE_PIXELS];
    const clsp_image_points points = {.num = IMAGE_PIXELS,
                                      .coordinates = clsp_in_f32(field, 2 * IMAGE_PIXELS)};
    clsp_image_plan *plan = NULL;

    for (size_t i = 0; i < ALL; i++)
        samples[i] = (float)(i * i % 31) / 4;
    for (size_t i = 0; i < 2 * IMAGE_PIXELS; i++)
        field[i] = (float)(i % 37) / 8 - 2;
    clsp_status status = clsp_image_plan_create(&plan, ctx, &way->desc);
    if (status == CLSP_OK)
        status = (way->shared ? share_image : call_image)(plan, clsp_in_f32(samples, ALL), &points,
                                                          values);
    clsp_image_plan_destroy(&plan);
    return status;
}

/* Whether the calls of an image reach the n-th call of the kind, which fails. n 0: none does, and
   `right` gets what is right. */
static bool fail_image(clsp_context *ctx, const image_way *way, enum kind kind, unsigned n,
                       float *right)
{
    static float values[IMAGE_VALUES];
    const long objects = live_objects, blocks = live_blocks;

    fault.kind = kind;
    fault.countdown = n;
    fault.reached = false;
    fault.armed = n > 0;
    const clsp_status status = use_image(ctx, way, values);
    fault.armed = false;
    if (n > 0 && (live_blocks != blocks || live_objects != objects)) /* programs stay */
        fail_msg("%s %u: %ld blocks and %ld objects are left", kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    if (status != CLSP_OK) {
        if (!fault.reached) fail_msg("%s %u: status %d", kind_names[kind], n, status);
        assert_ok(ctx, use_image(ctx, way, values));
    }
    if (n > 0 && memcmp(values, right, sizeof values) != 0)
        fail_msg("%s %u, status %d: other values", kind_names[kind], n, status);
    if (n == 0) memcpy(right, values, sizeof values);
    return fault.reached;
}

static void test_images(void **state)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, REALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,   READ};
#define IMAGE                                                                                      \
    .size = {IMAGE_ROWS, IMAGE_COLUMNS}, .channels = IMAGE_CHANNELS, .planar = 1, .clip = 1
    static const image_way ways[] = {
        {"", {IMAGE, .prefilter = CLSP_IMAGE_LEAST_SQUARES}, false},
        {"class=discrete,local_is_real=1", {IMAGE}, false},
        {"", {IMAGE, .storage = CLSP_IMAGE_ON_HOST}, false},
        {"class=discrete,local_is_real=1", {IMAGE, .storage = CLSP_IMAGE_ON_HOST}, true},
        {"", {IMAGE, .prefilter = CLSP_IMAGE_TRUNCATED}, true}};
    static float right[IMAGE_VALUES];
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(ways); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = ways[l].limits};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        fail_image(ctx, &ways[l], MALLOC, 0, right); /* without a fault */
        fail_image(ctx, &ways[l], MALLOC, 0, right); /* with its programs built */
        for (size_t k = 0; k < COUNT(kinds); k++)
            for (unsigned n = 1; fail_image(ctx, &ways[l], kinds[k], n, right);
                 n += support_full() || n < 40 ? 1 : 9)
                failed++;
        clsp_context_destroy(&ctx);
    }
#undef IMAGE
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

static void test_conversions(void **state)
{
    static const double insert[] = {0.5, 0.5};
    static const clsp_bspline_target targets[] = {
        {.bezier = 1},
        {.along = {{.derivative = 1, .elevate = 1}, {.insert = insert, .num_insert = 2}}},
        {.along = {{.elevate = 2}, {.begin = 0.25, .end = 0.5}}, .method = CLSP_CONVERT_MATRIX}};
    static const char *const limits[] = {"", "class=discrete"};
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (size_t i = 0; i < COUNT(targets); i++)
            failed += fail_conversions(ctx, &targets[i]);
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

/* ---- projections ---- */

enum { QUERIES = 12, SEARCH_CURVES = 3, RESULTS_MAX = 2 * QUERIES };

/* A way of projecting; new curves are loaded before. */
typedef struct projection {
    const char *name;
    clsp_project_opts opts;
    bool shared, own_knots;
} projection;

/* Loads curves, so that all is made again, and projects; results: [RESULTS_MAX]. */
static clsp_status project_loaded(clsp_bspline_plan *plan, const projection *way,
                                  clsp_nearest_f32 *results)
{
    static const clsp_cooperate_opts device = {.schedule = CLSP_SCHEDULE_DEVICE, .bit_equal = 1};
    float control[SEARCH_CURVES * CURVE_CONTROLS * 3], points[QUERIES * 3];
    uint32_t patches[QUERIES];
    const clsp_output out = clsp_out_nearest_f32(results, RESULTS_MAX);
    clsp_bspline_queries queries = {.num = QUERIES, .points = clsp_in_f32(points, COUNT(points))};

    for (size_t i = 0; i < COUNT(control); i++)
        control[i] = (float)(i * i % 23) / 4;
    for (size_t i = 0; i < COUNT(points); i++)
        points[i] = (float)(i * 5 % 17) / 3;
    for (size_t i = 0; i < QUERIES; i++)
        patches[i] = (uint32_t)(i % SEARCH_CURVES);
    if (way->opts.num_nearest > 1) queries.patches = clsp_in_u32(patches, QUERIES);
    const clsp_status status = clsp_bspline_set_control_points(
        plan, SEARCH_CURVES, clsp_in_f32(control, COUNT(control)), NULL);
    if (status != CLSP_OK) return status;
    if (way->shared)
        return clsp_bspline_project_shared(plan, &queries, &way->opts, out, &device, NULL);
    return clsp_bspline_project(plan, &queries, &way->opts, out, NULL);
}

static clsp_bspline_plan *curve_plan(clsp_context *ctx, bool own_knots)
{
    static const clsp_bspline_desc desc = {
        .directions = 1, .degree = {DEGREE}, .num_controls = {CURVE_CONTROLS}};
    double knots[SEARCH_CURVES * OWN_KNOTS];
    clsp_bspline_plan *plan;

    for (size_t i = 0; i < COUNT(knots); i++)
        knots[i] = (double)(i % OWN_KNOTS) * (double)(1 + i / OWN_KNOTS);
    assert_ok(ctx, clsp_bspline_plan_create(&plan, ctx, &desc));
    if (own_knots)
        assert_ok(ctx,
                  clsp_bspline_set_knots(plan, SEARCH_CURVES, clsp_in_f64(knots, COUNT(knots))));
    return plan;
}

/* Whether a projection reaches the n-th call of the kind, which fails. The plan is as good as
   before. n 0: none does, and `right` gets what is right. */
static bool fail_projection(clsp_context *ctx, const projection *way, enum kind kind, unsigned n,
                            clsp_nearest_f32 *right)
{
    const long objects = live_objects, blocks = live_blocks;
    clsp_bspline_plan *plan = curve_plan(ctx, way->own_knots);
    clsp_nearest_f32 results[RESULTS_MAX];

    memset(results, 0, sizeof results);
    fault.kind = kind;
    fault.countdown = n;
    fault.reached = false;
    fault.armed = n > 0;
    const clsp_status status = project_loaded(plan, way, results);
    fault.armed = false;
    if (status != CLSP_OK) {
        if (!fault.reached)
            fail_msg("%s, %s %u: status %d", way->name, kind_names[kind], n, status);
        assert_ok(ctx, project_loaded(plan, way, results));
    }
    if (n > 0 && memcmp(results, right, sizeof results) != 0)
        fail_msg("%s, %s %u, status %d: other results", way->name, kind_names[kind], n, status);
    if (n == 0) memcpy(right, results, sizeof results);
    clsp_bspline_plan_destroy(&plan);
    if (n > 0 && (live_blocks != blocks || live_objects != objects)) /* programs stay */
        fail_msg("%s, %s %u: %ld blocks and %ld objects are left", way->name, kind_names[kind], n,
                 live_blocks - blocks, live_objects - objects);
    return fault.reached;
}

/* Each call of the library's own that a projection makes, from the first one on. */
static void test_projections(void **state)
{
    static const enum kind kinds[] = {MALLOC,  CALLOC, REALLOC, CREATE_BUFFER, CREATE_KERNEL,
                                      SET_ARG, LAUNCH, WRITE,   READ,          COPY};
    static const projection ways[] = {
        {"exact", {.method = CLSP_PROJECT_EXACT}, false, false},
        {"two nearest", {.num_nearest = 2}, false, false},
        {"own knots", {.max_dist = 3}, false, true},
        {"mrep", {.method = CLSP_PROJECT_MREP, .tolerance = 1e-2}, false, false},
        {"shared", {.method = CLSP_PROJECT_EXACT}, true, false}};
    static const char *const limits[] = {"", "class=discrete"};
    clsp_nearest_f32 right[RESULTS_MAX];
    unsigned failed = 0;

    (void)state;
    fault.keeps_device = true;
    for (size_t l = 0; l < COUNT(limits); l++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = limits[l]};
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        for (size_t i = 0; i < COUNT(ways); i++) {
            fail_projection(ctx, &ways[i], MALLOC, 0, right); /* without a fault */
            for (size_t k = 0; k < COUNT(kinds); k++)
                for (unsigned n = 1; fail_projection(ctx, &ways[i], kinds[k], n, right); n++)
                    failed++;
        }
        clsp_context_destroy(&ctx);
    }
    fault.keeps_device = false;
    assert_true(failed > 0);
    print_message("%u calls made to fail\n", failed);
}

static void test_own_class(void **state)
{
    (void)state;
    fail_all("", NULL);
}

static void test_gpu_shapes(void **state)
{
    (void)state;
    fail_all("", "class=discrete");
}

/* With programs from the disk, which only counts where the tuning table keeps them. */
static void test_cached(void **state)
{
    char folder[SUPPORT_PATH_MAX], path[SUPPORT_PATH_MAX];

    (void)state;
    support_make_folder(folder);
    assert_ok(NULL, run(folder, NULL, wanted));
    if (support_file_in(folder, 0, path)) {
        fail_each(MALLOC, 0, 0, folder, NULL);
        fail_each(CALLOC, 0, 0, folder, NULL);
        assert_true(fail_each(CREATE_BINARY, 0, 0, folder, NULL) > 0);
        fail_each(BUILD_PROGRAM, 0, 0, folder, NULL);
        support_remove_folder(folder);
    } else {
        support_remove_folder(folder);
        skip_because("programs are not kept on the disk for this device");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),     cmocka_unit_test(test_transfers),
        cmocka_unit_test(test_conversions), cmocka_unit_test(test_own_knots),
        cmocka_unit_test(test_projections), cmocka_unit_test(test_images),
        cmocka_unit_test(test_solids),      cmocka_unit_test(test_own_class),
        cmocka_unit_test(test_gpu_shapes),  cmocka_unit_test(test_cached),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
