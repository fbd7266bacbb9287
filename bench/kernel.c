#include "kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "bench_sources.h"

/* ---- programs ---- */

static const bench_source *find_source(const char *name)
{
    for (size_t i = 0; i < bench_num_sources; i++)
        if (strcmp(bench_sources[i].name, name) == 0) return &bench_sources[i];
    return NULL;
}

static void print_build_log(cl_program program, cl_device_id device, const char *name)
{
    const cl_program_build_info what = CL_PROGRAM_BUILD_LOG;
    char *text = NULL;
    size_t size = 0;

    if (clGetProgramBuildInfo(program, device, what, 0, NULL, &size) == CL_SUCCESS)
        text = calloc(1, size + 1);
    if (text && clGetProgramBuildInfo(program, device, what, size, text, NULL) == CL_SUCCESS)
        fprintf(stderr, "%s.cl:\n%s\n", name, text);
    free(text);
}

clsp_status bench_program_build(cl_program *program, cl_command_queue queue, const char *name,
                                const char *options)
{
    clsp_status status;
    cl_context context;
    cl_device_id device;
    cl_int code;
    const char *text = find_source(name)->text;

    *program = NULL;
    BENCH_TRY(bench_check(
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL), name));
    BENCH_TRY(bench_check(
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL), name));
    *program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    BENCH_TRY(bench_check(code, "clCreateProgramWithSource"));
    code = clBuildProgram(*program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) print_build_log(*program, device, name);
    BENCH_TRY(bench_check(code, "clBuildProgram"));
    return CLSP_OK;

fail:
    if (*program) clReleaseProgram(*program);
    *program = NULL;
    return status;
}

/* ---- kernels ---- */

/* Groups of 64 on CPUs, as the library has them, 256 elsewhere; halved until the kernel can have
   them. More than 65535 groups at a time fail on some Mesa drivers; GPUs with memory of their own
   need more, or they run dry between launches. */
static clsp_status choose_sizes(bench_kernel *kernel, cl_device_id device)
{
    clsp_status status;
    cl_device_type type;
    cl_bool unified;
    size_t limit;

    BENCH_TRY(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL));
    BENCH_TRY(
        clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL));
    BENCH_TRY(clGetKernelWorkGroupInfo(kernel->kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                       sizeof limit, &limit, NULL));
    kernel->local = type == CL_DEVICE_TYPE_CPU ? 64 : 256;
    while (kernel->local > 1 && kernel->local > limit)
        kernel->local /= 2;
    kernel->most =
        (type == CL_DEVICE_TYPE_GPU && !unified ? (size_t)1 << 22 : 65535) * kernel->local;
    return CLSP_OK;

fail:
    return bench_check(status, "limits of a kernel");
}

clsp_status bench_kernel_create(bench_kernel *kernel, cl_program program, cl_command_queue queue,
                                const char *name)
{
    clsp_status status;
    cl_device_id device;
    cl_int code;

    kernel->queue = queue;
    kernel->kernel = clCreateKernel(program, name, &code);
    BENCH_TRY(bench_check(code, name));
    BENCH_TRY(bench_check(
        clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL), name));
    BENCH_TRY(choose_sizes(kernel, device));
    return CLSP_OK;

fail:
    bench_kernel_release(kernel);
    return status;
}

void bench_kernel_release(bench_kernel *kernel)
{
    if (kernel->kernel) clReleaseKernel(kernel->kernel);
    kernel->kernel = NULL;
}

clsp_status bench_kernel_args(const bench_kernel *kernel, const bench_arg *args, cl_uint num_args)
{
    clsp_status status = CLSP_OK;

    for (cl_uint i = 0; i < num_args && status == CLSP_OK; i++)
        status = clSetKernelArg(kernel->kernel, 2 + i, args[i].size, args[i].value);
    return bench_check(status, "clSetKernelArg");
}

/* Enqueues one launch of items from first on. */
static clsp_status enqueue(const bench_kernel *kernel, size_t first, size_t items, cl_event *done)
{
    const cl_uint start = (cl_uint)first;
    const size_t global = (items + kernel->local - 1) / kernel->local * kernel->local;
    const cl_int code = clSetKernelArg(kernel->kernel, 0, sizeof start, &start);

    if (code != CL_SUCCESS) return code;
    return clEnqueueNDRangeKernel(kernel->queue, kernel->kernel, 1, NULL, &global, &kernel->local,
                                  0, NULL, done);
}

/* Times a launch of so many items from first on. */
static clsp_status time_launch(const bench_kernel *kernel, size_t first, size_t items, double *ms)
{
    clsp_status status;
    const double begin = bench_now_ms();

    BENCH_TRY(enqueue(kernel, first, items, NULL));
    BENCH_TRY(clFinish(kernel->queue));
    *ms = bench_now_ms() - begin;
    return CLSP_OK;

fail:
    return status;
}

/* Bounds launches to about LAUNCH_MS, from the times of small ones, each several times the last.
   A long one is timed once more, as drivers do things at a first launch that later ones lack. */
static clsp_status bound_launches(bench_kernel *kernel, size_t first, size_t count)
{
    enum { LAUNCH_MS = 500, TIMES = 16 };
    const double long_enough = 1;
    const size_t all = count < kernel->most ? count : kernel->most;
    clsp_status status;

    for (size_t items = kernel->local; items < all; items *= TIMES) {
        double ms;
        BENCH_TRY(time_launch(kernel, first, items, &ms));
        if (ms >= long_enough) BENCH_TRY(time_launch(kernel, first, items, &ms));
        if (ms < long_enough) continue;
        const double fit = (double)items * LAUNCH_MS / ms;
        if (fit < (double)kernel->most)
            kernel->most = fit < (double)kernel->local
                               ? kernel->local
                               : (size_t)fit / kernel->local * kernel->local;
        break;
    }
    kernel->is_known = true;
    return CLSP_OK;

fail:
    return status;
}

clsp_status bench_kernel_launch(bench_kernel *kernel, size_t first, size_t count, cl_event *done)
{
    clsp_status status;
    const cl_uint end = (cl_uint)(first + count);

    BENCH_TRY(clSetKernelArg(kernel->kernel, 1, sizeof end, &end));
    if (!kernel->is_known) BENCH_TRY(bound_launches(kernel, first, count));
    for (size_t at = first; at < first + count; at += kernel->most) {
        const size_t left = first + count - at;
        const size_t items = left < kernel->most ? left : kernel->most;
        BENCH_TRY(enqueue(kernel, at, items, items == left ? done : NULL));
    }
    return CLSP_OK;

fail:
    return bench_check(status, "a launch");
}
