/* The library on a CPU against others on all cores of the same CPU: a double sum for each point,
   those of host_contest.c, and loops over lists of points. */
#include <math.h>
#include <stdlib.h>

#include "bezier_run.h"
#include "host_contest.h"
#include "host_points.h"
#include "list_contest.h"
#include "reference.h"

static const char suite[] = "host";

static const double wanted[] = {[CLSP_F32] = 40, [CLSP_F64] = 20};

typedef struct host_run {
    bezier_run run;
    bezier_way way;
    host_points job;
    void *points, *table, *out;
} host_run;

static clsp_status enqueue_host(void *user)
{
    const host_run *const h = user;

    return bench_check(host_points_run(&h->job) ? CLSP_ERROR_NO_MEMORY : CLSP_OK, "threads");
}

static clsp_status create_job(host_run *h)
{
    const bezier_run *const r = &h->run;
    const size_t order = r->c.order, num = r->c.samples;
    const unsigned cores = h->run.b->info.compute_units;
    const bool is_double = r->precision == CLSP_F64;
    long double column[BENCH_ORDER_MAX];

    h->points = malloc(r->num_points * r->real_bytes);
    h->table = malloc(order * num * r->real_bytes);
    h->out = malloc(num * num * 3 * r->real_bytes);
    if (!h->points || !h->table || !h->out) return bench_check(CLSP_ERROR_NO_MEMORY, r->name);
    for (size_t i = 0; i < r->num_points; i++)
        bench_store(is_double, h->points, i, r->points[i]);
    for (size_t a = 0; a < num; a++) {
        bench_bernstein(order, a, num, column);
        for (size_t i = 0; i < order; i++)
            bench_store(is_double, h->table, a * order + i, (double)column[i]);
    }
    h->job = (host_points){order,
                           num,
                           h->points,
                           h->table,
                           h->out,
                           is_double,
                           cores < HOST_POINTS_THREADS ? cores : HOST_POINTS_THREADS};
    return CLSP_OK;
}

static void release(host_run *h)
{
    bezier_way_release(&h->way);
    free(h->points);
    free(h->table);
    free(h->out);
    bezier_run_release(&h->run);
}

static clsp_status run_precision(bench *b, clsp_type precision, const bezier_ring *out)
{
    const bezier_case c = {12, b->quick ? 500 : 2000, 1};
    clsp_status status;
    host_run h = {0};
    bench_contestant all[] = {{.enqueue = bezier_way_enqueue, .user = &h.way},
                              {.enqueue = enqueue_host, .user = &h}};
    double error;

    if (!bezier_case_wanted(b, &c)) return CLSP_OK;
    BENCH_TRY(bezier_run_start(&h.run, b, suite, &c, precision, out));
    const clsp_bezier_desc desc = bezier_run_desc(&h.run);
    BENCH_TRY(bezier_way_create(&h.way, &h.run, &desc));
    BENCH_TRY(create_job(&h));
    BENCH_TRY(bench_measure(b->queue, all, BENCH_COUNT(all), 20));
    BENCH_TRY(bezier_run_check_of(&h.run, &all[0], &error));
    bezier_run_report(&h.run, "library", all[0].sustained, error);
    bezier_run_report(&h.run, "C loop, all cores", all[1].sustained, NAN);
    bezier_run_ratio(&h.run, "library/C loop",
                     all[1].sustained.median_ms / all[0].sustained.median_ms,
                     bezier_takes_own_shape(b) && !b->quick ? wanted[precision] : NAN);

fail:
    release(&h);
    return status;
}

clsp_status bench_suite_host(bench *b)
{
    clsp_status status;
    bezier_ring out = {0};
    numpy_process numpy = {0};

    if (!b->is_cpu) {
        bench_report_note(b->report, "host: left out, the device is no CPU");
        return CLSP_OK;
    }
    BENCH_TRY(bench_floor_measure(b));
    BENCH_TRY(bezier_ring_create(b, &out));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        if (b->wanted[p]) BENCH_TRY(run_precision(b, p, &out));
    BENCH_TRY(host_contest_run(b, &out, &numpy));
    BENCH_TRY(list_contest_run(b));

fail:
    numpy_stop(&numpy);
    bezier_ring_release(&out);
    return status;
}
