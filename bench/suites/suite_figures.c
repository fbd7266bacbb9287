/* The experiments of Palomar et al. (High-performance computation of Bezier surfaces on parallel
   and heterogeneous platforms, 2018), figures 5 to 8: frames per second of each method at their
   numbers of control points and resolutions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bezier_run.h"
#include "reference.h"

static const char suite[] = "figures";

static const size_t orders[] = {4, 8, 12};

/* Of figures 5 (256, 384, 512), 6 and 8 (300, 400, 500) and 7 (500, 1000, 2000). */
static const size_t resolutions[] = {256, 300, 384, 400, 500, 512, 1000, 2000};

static const double slowest_ms = 500; /* of a call; slower ones are left out */

/* The library's methods, and on devices the published matrix form with its products ready and made
   anew for each point. The host's matrix method makes them anew. */
enum { AUTO, SEPARABLE, MULTILEVEL, MATRIX, BRUTE, METHODS, KEPT = METHODS, REMADE, CONTESTANTS };

static const char *const names[CONTESTANTS] = {
    "auto", "separable", "multilevel", "matrix", "brute", "matrix-pt, kept", "matrix-pt, remade"};

/* Their least speed-up of MLE over BRF on a GPU, and how much slower than the best of its methods
   the library's own choice may be. */
static const double wanted_over_brute = 20.7, wanted_of_best = 0.95;

struct figure;

/* A kernel of the published matrix form. */
typedef struct figure_matrix {
    struct figure *f;
    bench_kernel kernel;
    cl_mem points; /* R P R^T, or P */
} figure_matrix;

/* One case with a plan for each method. */
typedef struct figure {
    bezier_run run;
    bezier_way ways[METHODS];
    figure_matrix matrix[CONTESTANTS - METHODS];
    cl_mem basis; /* R */
} figure;

/* What a control point took for a point in the case before, by method; 0: not known yet. */
typedef struct pace {
    double ms_per_term[CONTESTANTS];
} pace;

/* ---- the published matrix form ---- */

static clsp_status enqueue_matrix_point(void *user)
{
    figure_matrix *const m = user;
    bezier_run *const r = &m->f->run;
    const size_t points = bezier_run_chunk_points(r);
    const cl_uint start = (cl_uint)(bezier_run_take(r, 0) * points);
    const cl_uint num = (cl_uint)r->c.samples;
    const bench_arg args[] = {BENCH_ARG(m->points), BENCH_ARG(m->f->basis), BENCH_ARG(num),
                              BENCH_ARG(r->out->buffer), BENCH_ARG(start)};
    clsp_status status;

    BENCH_TRY(bench_kernel_args(&m->kernel, args, BENCH_COUNT(args)));
    BENCH_TRY(bench_kernel_launch(&m->kernel, 0, points, NULL));
    return CLSP_OK;

fail:
    return status;
}

static clsp_status upload_matrix(figure *f)
{
    const bezier_run *const r = &f->run;
    const size_t per_patch = r->c.order * r->c.order * 3;
    double *const matrix = malloc(r->num_points * sizeof *matrix);
    clsp_status status;

    if (!matrix) return bench_check(CLSP_ERROR_NO_MEMORY, "matrix");
    bench_power_basis(r->c.order, matrix);
    BENCH_TRY(bezier_run_upload(r, matrix, r->c.order * r->c.order, &f->basis));
    for (size_t p = 0; p < r->c.patches; p++)
        bench_power_points(r->c.order, r->points + p * per_patch, matrix + p * per_patch);
    BENCH_TRY(bezier_run_upload(r, matrix, r->num_points, &f->matrix[0].points));

fail:
    free(matrix);
    return status;
}

static clsp_status create_kernel(figure *f, figure_matrix *m, int remade)
{
    const bezier_run *const r = &f->run;
    clsp_status status;
    cl_program program = NULL;
    char options[96];

    m->f = f;
    snprintf(options, sizeof options,
             "-cl-std=CL1.2 -DCLSP_REAL=%zu -DCLSP_FMA=%d -DBENCH_ORDER=%zu -DBENCH_REMADE=%d",
             8 * r->real_bytes, r->precision == CLSP_F64 || r->b->info.fma, r->c.order, remade);
    BENCH_TRY(bench_program_build(&program, r->b->queue, "matrix_point", options));
    BENCH_TRY(bench_kernel_create(&m->kernel, program, r->b->queue, "matrix_point"));

fail:
    if (program) clReleaseProgram(program);
    return status;
}

/* Tells whether the host's code makes what is measured, beside which kernels would not be fair. */
static bool is_on_host(const bench *b)
{
    return b->is_cpu && bezier_takes_own_shape(b);
}

static clsp_status create_matrices(figure *f)
{
    clsp_status status;

    if (is_on_host(f->run.b)) return CLSP_OK;
    BENCH_TRY(upload_matrix(f));
    BENCH_TRY(create_kernel(f, &f->matrix[0], 0));
    f->matrix[1].points = f->run.device_points;
    BENCH_TRY(create_kernel(f, &f->matrix[1], 1));

fail:
    return status;
}

/* ---- one case ---- */

static clsp_status start(figure *f, bench *b, const bezier_case *c, clsp_type precision,
                         const bezier_ring *out)
{
    clsp_status status;

    BENCH_TRY(bezier_run_start(&f->run, b, suite, c, precision, out));
    for (int m = 0; m < METHODS; m++) {
        clsp_bezier_desc desc = bezier_run_desc(&f->run);
        desc.method = (clsp_bezier_method)m;
        BENCH_TRY(bezier_way_create(&f->ways[m], &f->run, &desc));
    }
    BENCH_TRY(create_matrices(f));

fail:
    return status;
}

static void release(figure *f)
{
    for (int m = 0; m < METHODS; m++)
        bezier_way_release(&f->ways[m]);
    for (int m = 0; m < CONTESTANTS - METHODS; m++)
        bench_kernel_release(&f->matrix[m].kernel);
    if (f->matrix[0].points) clReleaseMemObject(f->matrix[0].points);
    if (f->basis) clReleaseMemObject(f->basis);
    bezier_run_release(&f->run);
}

/* Of the double sum. */
static double terms_of(const bezier_run *r)
{
    return bezier_run_points(r) * (double)(r->c.order * r->c.order);
}

/* Whether a call is short enough; says so when it is not. */
static bool is_short(const figure *f, const pace *before, int method)
{
    const double ms = before->ms_per_term[method] * terms_of(&f->run);
    char text[160];

    if (ms <= slowest_ms) return true;
    snprintf(text, sizeof text, "%s f%zu: %s left out, about %.1f s a call.", f->run.name,
             8 * f->run.real_bytes, names[method], ms * 1e-3);
    bench_report_note(f->run.b->report, text);
    return false;
}

static void report_frames(const figure *f, const char *method, bench_timing time, double error)
{
    const bezier_run *const r = &f->run;
    bench_row row = bezier_run_row(r, method);

    row.time = time;
    row.work = (double)r->c.patches;
    row.unit = "frame/s";
    row.bytes = bezier_run_points(r) * (double)(3 * r->real_bytes);
    row.floor_ms = bench_floor_ms(&r->b->floor[r->precision], row.bytes, bezier_run_flops(r));
    row.error = error;
    bench_report_row(r->b->report, &row);
}

/* How many times as fast the first is; NAN where one was left out. */
static double speed_up(const bench_contestant *all, int first, int second)
{
    if (!all[first].enqueue || !all[second].enqueue) return NAN;
    return bench_ratio(&all[first], &all[second]);
}

static void report_speed_up(const figure *f, const bench_contestant *all, int first, int second,
                            double least)
{
    const double ratio = speed_up(all, first, second);
    char text[64];

    snprintf(text, sizeof text, "%s/%s", names[first], names[second]);
    if (!isnan(ratio)) bezier_run_ratio(&f->run, text, ratio, least);
}

/* AUTO chooses SEPARABLE: both measure the same kernels, and the quicker of the two medians is the
   one that another load on the machine hit less. */
static double of_best(const bench_contestant *all)
{
    const double own = fmin(all[AUTO].sustained.median_ms, all[SEPARABLE].sustained.median_ms);
    double best = own;

    for (int m = MULTILEVEL; m < METHODS; m++)
        if (all[m].enqueue) best = fmin(best, all[m].sustained.median_ms);
    return best / own;
}

static clsp_status report(figure *f, const bench_contestant *all, pace *known)
{
    clsp_status status;

    for (int m = 0; m < CONTESTANTS; m++) {
        double error;
        if (!all[m].enqueue) continue;
        BENCH_TRY(bezier_run_check_of(&f->run, &all[m], &error));
        report_frames(f, names[m], all[m].sustained, error);
        known->ms_per_term[m] = all[m].sustained.min_ms / terms_of(&f->run);
    }
    report_speed_up(f, all, MULTILEVEL, BRUTE, is_on_host(f->run.b) ? NAN : wanted_over_brute);
    report_speed_up(f, all, MULTILEVEL, REMADE, NAN);
    report_speed_up(f, all, MULTILEVEL, KEPT, NAN);
    report_speed_up(f, all, MULTILEVEL, MATRIX, NAN);
    report_speed_up(f, all, SEPARABLE, MATRIX, NAN);
    report_speed_up(f, all, AUTO, MULTILEVEL, NAN);
    bezier_run_ratio(&f->run, "auto/best", of_best(all),
                     bezier_takes_own_shape(f->run.b) ? wanted_of_best : NAN);
    return CLSP_OK;

fail:
    return status;
}

/* ---- all ---- */

static clsp_status run_case(bench *b, const bezier_case *c, clsp_type precision,
                            const bezier_ring *out, pace *known)
{
    const double batch_ms = b->quick ? 3 : 5;
    bench_contestant all[CONTESTANTS] = {{0}};
    clsp_status status;
    figure f = {0};

    if (!bezier_case_wanted(b, c)) return CLSP_OK;
    BENCH_TRY(start(&f, b, c, precision, out));
    for (int m = 0; m < METHODS; m++)
        if (is_short(&f, known, m))
            all[m] = (bench_contestant){.enqueue = bezier_way_enqueue, .user = &f.ways[m]};
    for (int m = KEPT; m < CONTESTANTS; m++)
        if (!is_on_host(b) && is_short(&f, known, m))
            all[m] =
                (bench_contestant){.enqueue = enqueue_matrix_point, .user = &f.matrix[m - METHODS]};
    BENCH_TRY(bench_measure_some(b->queue, all, CONTESTANTS, batch_ms));
    BENCH_TRY(report(&f, all, known));

fail:
    release(&f);
    return status;
}

/* Resolutions below 1000 take a GPU less time than a launch: there many frames in one call too. */
static clsp_status run_resolution(bench *b, size_t order, size_t samples, clsp_type precision,
                                  const bezier_ring *out, pace *known)
{
    enum { POINTS = 4000000 };
    const bezier_case one = {order, samples, 1};
    const bezier_case many = {order, samples, POINTS / (samples * samples)};
    pace ignored = {{0}};
    clsp_status status;

    BENCH_TRY(run_case(b, &one, precision, out, known));
    if (!b->is_cpu && samples < 1000) BENCH_TRY(run_case(b, &many, precision, out, &ignored));

fail:
    return status;
}

clsp_status bench_suite_figures(bench *b)
{
    clsp_status status;
    bezier_ring out = {0};

    if (!b->has_methods) return CLSP_OK;
    BENCH_TRY(bench_floor_measure(b));
    BENCH_TRY(bezier_ring_create(b, &out));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        pace known = {{0}};
        for (size_t i = 0; i < BENCH_COUNT(orders) && b->wanted[p]; i++) {
            for (size_t k = 0; k < BENCH_COUNT(resolutions); k++) {
                if (b->quick && (resolutions[k] != 300 || p == CLSP_F64)) continue;
                BENCH_TRY(run_resolution(b, orders[i], resolutions[k], p, &out, &known));
            }
        }
    }

fail:
    bezier_ring_release(&out);
    return status;
}
