/* The benchmark's own OpenCL programs, and launches of their kernels. Drivers end launches that
   take seconds, so the first ones of a kernel are small and timed. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <stdbool.h>

#include <CL/cl.h>
#include <clspline/clspline.h>

typedef struct bench_kernel {
    cl_kernel kernel;
    cl_command_queue queue; /* not retained */
    size_t local;           /* size of a work-group */
    size_t most;            /* work-items of one launch */
    bool is_known;          /* that so many take no longer than a launch may */
} bench_kernel;

typedef struct bench_arg {
    size_t size;
    const void *value;
} bench_arg;

/* Of an lvalue. */
#define BENCH_ARG(value)                                                                           \
    {                                                                                              \
        sizeof(value), &(value)                                                                    \
    }

/* Builds a program of bench/kernels. */
clsp_status bench_program_build(cl_program *program, cl_command_queue queue, const char *name,
                                const char *options);

/* Makes a kernel of a program for launches on the queue. Its first two arguments are uint first and
   uint end, the items of a launch. */
clsp_status bench_kernel_create(bench_kernel *kernel, cl_program program, cl_command_queue queue,
                                const char *name);

void bench_kernel_release(bench_kernel *kernel);

/* Sets the arguments after the first two. */
clsp_status bench_kernel_args(const bench_kernel *kernel, const bench_arg *args, cl_uint num_args);

/* Enqueues items first .. first + count - 1, in as many launches as the device's limits ask for.
 *The first call finds out how many items a launch may have, and waits for them. done, when done is
 *not NULL, is the last launch's event. */
clsp_status bench_kernel_launch(bench_kernel *kernel, size_t first, size_t count, cl_event *done);

#endif
