/* Many small bicubic patches, 36 points each, against the two kernels that an introduction to
   PyOpenCL made known (bench/kernels/patch36.cl). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bezier_run.h"

enum { SIDE = 6, PARAMS = SIDE * SIDE, COORDS = 4 };

static const char suite[] = "patch36";

static const size_t batches[] = {1, 10, 100, 1000, 10000};

typedef struct patch_job {
    bezier_run *run;
    bench_kernel kernel;
    size_t items; /* for a point */
    cl_mem points, params;
} patch_job;

enum { LIBRARY, DIRECT, CASTELJAU, CONTESTANTS };

static clsp_status enqueue_job(void *user)
{
    patch_job *const x = user;
    bezier_run *const r = x->run;
    const size_t num = bezier_run_chunk_points(r);
    const cl_uint start = (cl_uint)(bezier_run_take(r, 0) * num);
    const bench_arg args[] = {BENCH_ARG(x->points), BENCH_ARG(x->params), BENCH_ARG(r->out->buffer),
                              BENCH_ARG(start)};
    clsp_status status;

    BENCH_TRY(bench_kernel_args(&x->kernel, args, BENCH_COUNT(args)));
    BENCH_TRY(bench_kernel_launch(&x->kernel, 0, num * x->items, NULL));
    return CLSP_OK;

fail:
    return status;
}

/* Control points of four coordinates, the last one 1, and the parameters. */
static clsp_status upload(const bezier_run *r, cl_mem *points, cl_mem *params)
{
    const size_t num = r->num_points / 3;
    double *const wide = malloc(num * COORDS * sizeof *wide);
    double uv[2 * PARAMS];
    clsp_status status;

    if (!wide) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    for (size_t i = 0; i < num * COORDS; i++)
        wide[i] = i % COORDS < 3 ? r->points[i / COORDS * 3 + i % COORDS] : 1.0;
    for (size_t i = 0; i < PARAMS; i++) {
        uv[2 * i] = (double)(i / SIDE) / (SIDE - 1);
        uv[2 * i + 1] = (double)(i % SIDE) / (SIDE - 1);
    }
    BENCH_TRY(bezier_run_upload(r, wide, num * COORDS, points));
    BENCH_TRY(bezier_run_upload(r, uv, 2 * PARAMS, params));

fail:
    free(wide);
    return status;
}

/* local: the size of a group, which these kernels count with. */
static clsp_status create_job(patch_job *x, bezier_run *r, const char *name, size_t local)
{
    clsp_status status;
    cl_program program = NULL;
    char options[64];

    x->run = r;
    snprintf(options, sizeof options, "-cl-std=CL1.2 -DCLSP_REAL=32 -DCLSP_FMA=%d", r->b->info.fma);
    BENCH_TRY(bench_program_build(&program, r->b->queue, "patch36", options));
    BENCH_TRY(bench_kernel_create(&x->kernel, program, r->b->queue, name));
    x->kernel.most = x->kernel.most / x->kernel.local * local;
    x->kernel.local = local;

fail:
    if (program) clReleaseProgram(program);
    return status;
}

static clsp_status report(bezier_run *r, const bench_contestant *all)
{
    static const char *const names[] = {"library", "direct", "de Casteljau, 9 items"};
    clsp_status status;

    for (int i = 0; i < CONTESTANTS; i++) {
        double error;
        BENCH_TRY(bezier_run_check_of(r, &all[i], &error));
        bezier_run_report(r, names[i], all[i].sustained, error);
    }
    for (int i = DIRECT; i <= CASTELJAU; i++)
        bezier_run_ratio(r, i == DIRECT ? "library/direct" : "library/de Casteljau",
                         all[i].sustained.median_ms / all[LIBRARY].sustained.median_ms, NAN);
    return CLSP_OK;

fail:
    return status;
}

static clsp_status run_batch(bench *b, size_t patches, const bezier_ring *out)
{
    const bezier_case c = {4, SIDE, patches};
    clsp_status status;
    bezier_run r = {0};
    bezier_way way = {0};
    patch_job jobs[] = {{.items = 1}, {.items = 9}};
    bench_contestant all[CONTESTANTS] = {{.enqueue = bezier_way_enqueue, .user = &way},
                                         {.enqueue = enqueue_job, .user = &jobs[0]},
                                         {.enqueue = enqueue_job, .user = &jobs[1]}};

    if (!bezier_case_wanted(b, &c)) return CLSP_OK;
    BENCH_TRY(bezier_run_start(&r, b, suite, &c, CLSP_F32, out));
    BENCH_TRY(bezier_run_vertices(&r, COORDS, CLSP_F32));
    BENCH_TRY(upload(&r, &jobs[0].points, &jobs[0].params));
    jobs[1].points = jobs[0].points;
    jobs[1].params = jobs[0].params;
    BENCH_TRY(create_job(&jobs[0], &r, "patch_direct", PARAMS));
    BENCH_TRY(create_job(&jobs[1], &r, "patch_casteljau", 9));
    clsp_bezier_desc desc = bezier_run_desc(&r);
    desc.dim = COORDS;
    BENCH_TRY(bezier_way_create(&way, &r, &desc));
    BENCH_TRY(bench_check(bezier_way_load(&way, jobs[0].points), "clsp_patch_set_control_points"));
    BENCH_TRY(bench_measure(b->queue, all, CONTESTANTS, 5));
    BENCH_TRY(report(&r, all));

fail:
    bezier_way_release(&way);
    for (int i = 0; i < 2; i++)
        bench_kernel_release(&jobs[i].kernel);
    if (jobs[0].points) clReleaseMemObject(jobs[0].points);
    if (jobs[0].params) clReleaseMemObject(jobs[0].params);
    bezier_run_release(&r);
    return status;
}

clsp_status bench_suite_patch36(bench *b)
{
    clsp_status status;
    bezier_ring out = {0};

    if (!b->wanted[CLSP_F32]) return CLSP_OK;
    BENCH_TRY(bench_floor_measure(b));
    BENCH_TRY(bezier_ring_create(b, &out));
    for (size_t i = 0; i < BENCH_COUNT(batches); i++) {
        if (b->quick && batches[i] != 1000) continue;
        BENCH_TRY(run_batch(b, batches[i], &out));
    }

fail:
    bezier_ring_release(&out);
    return status;
}
