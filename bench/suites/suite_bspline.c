/* B-splines: projection onto curves, against SISL and against the figures of Wu and Zou, with the
   stages of their pipeline; pieces of a lower degree; and surfaces on grids, against the fastest
   stores. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "project_run.h"
#include "quartic_roots.h"
#include "reduce_run.h"
#include "spline_grid.h"

static const char suite[] = "bspline";

/* ---- what it is compared with ---- */

enum { PRINTED = 3, MANY_POINTS = 10000000 };
static const size_t nums[] = {10000, 50000, 100000, MANY_POINTS};

/* Total times of Wu and Zou, Matrix representation and GPU-optimized parallel B-spline computing
   (arXiv), tables 6 to 8, on an RTX 3090 in ms, for as many points: of points anywhere, and of
   points on the curves, which are there for three dimensions alone. Their control points are others
   than ours. */
static const struct {
    double anywhere[PRINTED], on_curve[PRINTED];
} printed[CURVE_CASES] = {
    {{2.09, 3.09, 3.84}, {NAN, NAN, NAN}},    {{9.51, 11.0, 17.1}, {NAN, NAN, NAN}},
    {{12.2, 19.1, 26.1}, {NAN, NAN, NAN}},    {{5.67, 8.43, 14.6}, {NAN, NAN, NAN}},
    {{2.72, 5.12, 8.34}, {NAN, NAN, NAN}},    {{7.85, 13.0, 15.4}, {NAN, NAN, NAN}},
    {{5.32, 14.9, 25.4}, {NAN, NAN, NAN}},    {{3.37, 6.74, 10.8}, {NAN, NAN, NAN}},
    {{9.85, 25.8, 37.0}, {NAN, NAN, NAN}},    {{3.43, 5.60, 6.66}, {4.42, 5.60, 6.66}},
    {{5.48, 7.90, 11.1}, {6.52, 8.05, 13.1}}, {{13.1, 18.8, 24.5}, {12.3, 17.1, 24.8}},
    {{5.33, 8.46, 11.5}, {6.30, 8.15, 11.9}}, {{2.34, 4.61, 6.97}, {2.34, 5.96, 6.76}},
    {{10.9, 17.5, 26.7}, {8.47, 11.6, 16.1}}, {{4.32, 13.8, 20.5}, {4.63, 13.6, 20.1}},
    {{5.04, 18.5, 28.1}, {5.00, 15.8, 27.3}}, {{12.1, 23.5, 39.4}, {13.2, 23.6, 39.2}},
};

static double printed_ms(const project_case *c)
{
    const size_t i = (size_t)(c->curve - curve_cases);

    for (size_t k = 0; k < PRINTED; k++)
        if (nums[k] == c->num) return c->on_curve ? printed[i].on_curve[k] : printed[i].anywhere[k];
    return NAN;
}

/* ---- results ---- */

static bench_row row_of(const project_run *r, const char *method)
{
    return bench_row_empty(suite, r->name, method, (int)(8 * clsp_type_bytes(r->precision)));
}

/* A number without a time. */
static void report_number(const project_run *r, const char *method, double number, const char *unit)
{
    bench_row row = row_of(r, method);

    row.rate = number;
    row.unit = unit;
    if (!isnan(number)) bench_report_row(r->b->report, &row);
}

/* A time for all points, and for each. */
static void report_times(const project_run *r, const char *method, bench_timing time)
{
    bench_row row = row_of(r, method);

    row.time = time;
    row.work = (double)r->c.num;
    row.unit = "point/s";
    bench_report_row(r->b->report, &row);
    report_number(r, method, time.median_ms * 1e3 / (double)r->c.num, "us/point");
}

static void report_method(const project_run *r, const char *name, int number)
{
    const bench_timing *const total = &r->contestants[number + 1].sustained;
    char method[64];

    if (!r->contestants[number].enqueue) return;
    report_times(r, name, r->contestants[number].sustained);
    snprintf(method, sizeof method, "%s, loaded, 1 point", name);
    bench_row prepare = row_of(r, method);
    prepare.time = r->contestants[number + 2].sustained;
    bench_report_row(r->b->report, &prepare);
    snprintf(method, sizeof method, "%s, loaded", name);
    report_times(r, method, *total);
    snprintf(method, sizeof method, "printed/%s, loaded", name);
    report_number(r, method, printed_ms(&r->c) / total->median_ms, "ratio");
}

/* SISL's time for all points from that for some. */
static void report_sisl(const project_run *r, const char *name, int number)
{
    const bench_contestant *const sisl = &r->contestants[number];
    const double scale = (double)r->c.num / (double)r->num_few;
    const bench_timing time = {sisl->sustained.median_ms * scale, sisl->sustained.min_ms * scale};
    char method[64];

    if (!sisl->enqueue) return;
    report_times(r, name, time);
    snprintf(method, sizeof method, "exact/%s", name);
    report_number(r, method, bench_ratio(&r->contestants[PROJECT_EXACT], sisl) * scale, "ratio");
}

static void report_wrong(const project_run *r, const char *name, int number, int than)
{
    static const struct {
        double by;
        const char *name;
    } limits[] = {{1e-4, "1e-4"}, {1e-6, "1e-6"}};
    char method[64];

    for (size_t i = 0; i < BENCH_COUNT(limits); i++) {
        const double share = project_run_share_above(r, number, than, limits[i].by);
        snprintf(method, sizeof method, "%s off by %s", name, limits[i].name);
        report_number(r, method, 100 * share, "%");
    }
}

static void report_run(const project_run *r)
{
    report_method(r, "exact", PROJECT_EXACT);
    report_method(r, "mrep", PROJECT_MREP);
    report_sisl(r, "SISL s1953", PROJECT_ALL_MINIMA);
    report_sisl(r, "SISL s1957", PROJECT_NEWTON);
    report_wrong(r, "exact", PROJECT_EXACT, PROJECT_ALL_MINIMA);
    report_wrong(r, "mrep", PROJECT_MREP, PROJECT_EXACT);
    report_wrong(r, "SISL s1953", PROJECT_ALL_MINIMA, PROJECT_EXACT);
    report_wrong(r, "SISL s1957", PROJECT_NEWTON, PROJECT_EXACT);
}

/* ---- cases ---- */

/* Many points are for GPUs, and for CPUs where they are asked for by name. */
static bool suits(const bench *b, const project_case *c)
{
    const size_t result = CLSP_NEAREST_F64_SIZE * sizeof(double);
    const bool is_named = b->cases && strstr(b->cases, "10000000");

    if (c->num < MANY_POINTS) return true;
    return (!b->is_cpu || is_named) && c->num * result <= b->info.max_alloc_bytes &&
           c->num * result <= b->info.global_bytes / 4;
}

/* SISL has points of one size, in the better precision that there is. */
static bool suits_sisl(const bench *b, const project_case *c, clsp_type precision)
{
    const clsp_type best = b->wanted[CLSP_F64] && !b->quick ? CLSP_F64 : CLSP_F32;

    return precision == best && c->num == (b->quick ? nums[0] : nums[PRINTED - 1]);
}

static clsp_status run_case(bench *b, const project_case *c, clsp_type precision)
{
    char name[PROJECT_NAME_MAX];
    project_run r = {0};
    clsp_status status;

    project_case_name(c, name);
    if (!suits(b, c) || !bench_wants(b, name)) return CLSP_OK;
    BENCH_TRY(project_run_start(&r, b, c, precision));
    if (b->has_methods) project_run_with_mrep(&r);
    if (suits_sisl(b, c, precision)) BENCH_TRY(project_run_with_sisl(&r, b->quick ? 200 : 2000));
    BENCH_TRY(project_run_measure(&r));
    report_run(&r);

fail:
    project_run_release(&r);
    return status;
}

/* One curve by all numbers of points; quick: by the least. */
static clsp_status run_curve(bench *b, const curve_case *curve, clsp_type precision)
{
    const size_t i = (size_t)(curve - curve_cases);
    clsp_status status = CLSP_OK;

    for (int kind = 0; kind < CURVE_KINDS && status == CLSP_OK; kind++)
        for (size_t k = 0; k < (b->quick ? 1 : BENCH_COUNT(nums)) && status == CLSP_OK; k++) {
            project_case c = {curve, (curve_kind)kind, false, nums[k]};
            status = run_case(b, &c, precision);
            c.on_curve = true;
            if (status == CLSP_OK && !isnan(printed[i].on_curve[0]))
                status = run_case(b, &c, precision);
        }
    return status;
}

clsp_status bench_suite_bspline(bench *b)
{
    clsp_status status = CLSP_OK;

    BENCH_TRY(bench_floor_measure(b));
    bench_report_note(b->report,
                      "Printed times are of an RTX 3090, for curves of these shapes with "
                      "other control points. SISL runs on one thread.");
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        for (size_t i = 0; i < CURVE_CASES && b->wanted[p]; i++) {
            if (b->quick && (p == CLSP_F64 || i % 4 > 0)) continue;
            BENCH_TRY(run_curve(b, &curve_cases[i], p));
        }
        if (b->wanted[p]) BENCH_TRY(reduce_run(b, suite, p));
        if (b->wanted[p]) BENCH_TRY(quartic_roots_run(b, suite, p));
        if (b->wanted[p]) BENCH_TRY(spline_grid_run(b, suite, p));
    }

fail:
    return status;
}
