#include "suite_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "curve_cases.h"
#include "kernel.h"

enum { NUM = 1 << 20, NUM_QUICK = 1 << 16, CUBIC = 4, QUARTIC = 5, ROOTS = 4 };

typedef struct root_job {
    bench_kernel kernel;
    cl_mem coefficients, roots;
    cl_uint num;
} root_job;

static clsp_status enqueue(void *user)
{
    root_job *const j = user;
    const bench_arg args[] = {BENCH_ARG(j->coefficients), BENCH_ARG(j->num), BENCH_ARG(j->roots)};
    clsp_status status;

    BENCH_TRY(bench_kernel_args(&j->kernel, args, BENCH_COUNT(args)));
    BENCH_TRY(bench_kernel_launch(&j->kernel, 0, j->num, NULL));

fail:
    return status;
}

/* Makes the second derivative of the squared distance of a plane cubic to the origin, by its scale:
   Bernstein coefficients of degree 4. */
static void make_quartic(double x[CUBIC][2], double b[QUARTIC])
{
    static const double choose[CUBIC] = {1, 3, 3, 1}, choose_both[] = {1, 6, 15, 20, 15, 6, 1};
    double square[2 * CUBIC - 1] = {0};

    for (int i = 0; i < CUBIC; i++)
        for (int j = 0; j < CUBIC; j++)
            square[i + j] += choose[i] * choose[j] / choose_both[i + j] *
                             (x[i][0] * x[j][0] + x[i][1] * x[j][1]);
    for (int k = 0; k < QUARTIC; k++)
        b[k] = square[k + 2] - 2 * square[k + 1] + square[k];
}

/* Uploads quartics of cubics and queries in the unit square: [QUARTIC][num]. */
static clsp_status upload(bench *b, clsp_type precision, cl_uint num, cl_mem *buffer)
{
    const size_t bytes = (size_t)num * QUARTIC * clsp_type_bytes(precision);
    void *const all = malloc(bytes);
    uint64_t state = 1;
    cl_int code = CL_OUT_OF_HOST_MEMORY;

    for (cl_uint i = 0; i < num && all; i++) {
        double x[CUBIC][2], quartic[QUARTIC];
        const double query[2] = {curve_case_uniform(&state), curve_case_uniform(&state)};
        for (int k = 0; k < CUBIC; k++)
            for (int c = 0; c < 2; c++)
                x[k][c] = curve_case_uniform(&state) - query[c];
        make_quartic(x, quartic);
        for (size_t k = 0; k < QUARTIC; k++)
            if (precision == CLSP_F64)
                ((double *)all)[k * num + i] = quartic[k];
            else
                ((float *)all)[k * num + i] = (float)quartic[k];
    }
    if (all)
        *buffer =
            clCreateBuffer(b->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, all, &code);
    free(all);
    return code;
}

clsp_status quartic_roots_run(bench *b, const char *suite, clsp_type precision)
{
    static const char *const kernels[] = {"by_formulas", "by_newton"};
    static const char *const names[] = {"formulas", "Newton"};
    const int bits = (int)(8 * clsp_type_bytes(precision));
    root_job jobs[2] = {{.num = b->quick ? NUM_QUICK : NUM}};
    bench_contestant all[] = {{.enqueue = enqueue, .user = &jobs[0]},
                              {.enqueue = enqueue, .user = &jobs[1]}};
    cl_program program = NULL;
    clsp_status status;
    char options[64];

    if (!bench_wants(b, "quartics")) return CLSP_OK;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DCLSP_REAL=%d -DCLSP_FMA=%d", bits,
             b->info.fma);
    BENCH_TRY(bench_program_build(&program, b->queue, "quartic_roots", options));
    BENCH_TRY(upload(b, precision, jobs[0].num, &jobs[0].coefficients));
    jobs[0].roots =
        clCreateBuffer(b->context, CL_MEM_WRITE_ONLY,
                       (size_t)jobs[0].num * ROOTS * clsp_type_bytes(precision), NULL, &status);
    BENCH_TRY(status);
    jobs[1] = jobs[0];
    for (int i = 0; i < 2; i++)
        BENCH_TRY(bench_kernel_create(&jobs[i].kernel, program, b->queue, kernels[i]));
    BENCH_TRY(bench_measure(b->queue, all, 2, b->quick ? 5 : 20));
    bench_row row = bench_row_empty(suite, "quartics", NULL, bits);
    for (int i = 0; i < 2; i++) {
        row.method = names[i];
        row.time = all[i].sustained;
        row.work = jobs[0].num;
        row.unit = "quartic/s";
        bench_report_row(b->report, &row);
    }

fail:
    for (int i = 0; i < 2; i++)
        bench_kernel_release(&jobs[i].kernel);
    if (jobs[0].coefficients) clReleaseMemObject(jobs[0].coefficients);
    if (jobs[0].roots) clReleaseMemObject(jobs[0].roots);
    if (program) clReleaseProgram(program);
    return bench_check(status, "quartics");
}
