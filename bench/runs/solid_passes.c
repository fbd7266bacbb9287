#include "solid_passes.h"

#include <math.h>
#include <stdio.h>

enum { ALL = 0, ONE = 1, PASSES = 5 };

static const char suite[] = "solid";

static const struct {
    const char *name;
    uint32_t attributes;
} passes[PASSES] = {{"value and gradient", CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV |
                                               CLSP_VERTEX_DW}, /* the longest vertices */
                    {"value", CLSP_VERTEX_POINT},
                    {"du", CLSP_VERTEX_DU},
                    {"dv", CLSP_VERTEX_DV},
                    {"dw", CLSP_VERTEX_DW}};

static double store_ms(const solid_run *r)
{
    const double bytes = r->stride * solid_run_points(r) * (double)clsp_type_bytes(r->precision);

    return 1e3 * bytes / r->b->floor[r->precision].store_rate;
}

static void report_pass(const solid_run *r, const char *kind, int i, const bench_contestant *c)
{
    char method[2 * SOLID_NAME_MAX];
    bench_row row =
        bench_row_empty(suite, r->name, method, (int)(8 * clsp_type_bytes(r->precision)));

    snprintf(method, sizeof method, "%s, %s", kind, passes[i].name);
    row.time = c->sustained;
    row.work = solid_run_points(r);
    row.unit = "point/s";
    row.bytes = r->stride * row.work * (double)clsp_type_bytes(r->precision);
    row.floor_ms = store_ms(r);
    bench_report_row(r->b->report, &row);
}

static void report_ratio(const solid_run *r, const char *kind, const char *what, double ratio,
                         double least)
{
    char method[2 * SOLID_NAME_MAX];
    bench_row row =
        bench_row_empty(suite, r->name, method, (int)(8 * clsp_type_bytes(r->precision)));

    snprintf(method, sizeof method, "%s, %s", kind, what);
    row.rate = ratio;
    row.unit = "ratio";
    row.least = least;
    bench_report_row(r->b->report, &row);
}

/* Writes how many times as long as the one pass the four take, and how often that could be by what
   it has to store. */
static void report_ratios(const solid_run *runs, const char *kind, const bench_contestant *all)
{
    const bool is_judged = !runs[ALL].b->quick && runs[ALL].precision == CLSP_F32;
    double four = 0.0;

    for (int i = ONE; i < PASSES; i++)
        four += all[i].sustained.median_ms;
    report_ratio(&runs[ALL], kind, "four passes/one pass", four / all[ALL].sustained.median_ms,
                 is_judged ? 1 / 0.6 : NAN);
    report_ratio(&runs[ALL], kind, "four passes/stores of one", four / store_ms(&runs[ALL]), NAN);
}

clsp_status solid_passes_run(const solid_run *like, const char *kind)
{
    solid_run runs[PASSES] = {{.b = NULL}};
    bench_contestant all[PASSES];
    clsp_status status = CLSP_OK;
    char name[2 * SOLID_NAME_MAX];

    snprintf(name, sizeof name, "%s, one pass, %u^3", like->model->name, like->samples);
    if (!bench_wants(like->b, name)) return CLSP_OK;
    for (int i = 0; i < PASSES; i++) {
        runs[i] = *like;
        runs[i].name = name;
        runs[i].attributes = passes[i].attributes;
        runs[i].shared = i > ALL ? runs[ALL].out : NULL;
        BENCH_TRY(solid_run_start(&runs[i]));
        runs[i].cells = like->cells;
        all[i] = (bench_contestant){.enqueue = solid_run_enqueue, .user = &runs[i]};
    }
    for (int i = ONE; i < PASSES; i++)
        if (runs[i].most > runs[ALL].most) runs[i].most = runs[ALL].most;
    BENCH_TRY(bench_measure(like->b->queue, all, PASSES, like->b->quick ? 5 : 20));
    for (int i = 0; i < PASSES; i++)
        report_pass(&runs[i], kind, i, &all[i]);
    report_ratios(runs, kind, all);

fail:
    for (int i = PASSES - 1; i >= 0; i--)
        solid_run_release(&runs[i]);
    return status;
}
