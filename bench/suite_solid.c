/* Catmull-Clark solids: cells of each kind and whole models, beside what the device can store and a
   plain loop in double on all cores of the host; errors; more samples and more refinement, as in
   figures 13 and 14 of Massively parallel limit evaluation of Catmull-Clark solids; refinement and
   classification. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solid_run.h"

static const char suite[] = "solid";

static const char *const kind_names[SOLID_KINDS] = {"regular", "layered", "irregular", "split"};

static double batch_ms(const bench *b)
{
    return b->quick ? 5 : 20;
}

static bench_row row_of(const solid_run *r, const char *method)
{
    return bench_row_empty(suite, r->name, method, (int)(8 * clsp_type_bytes(r->precision)));
}

/* Writes the line of a run. */
static void report_run(const solid_run *r, const char *method, const bench_contestant *c,
                       double error)
{
    bench_row row = row_of(r, method);

    row.time = c->sustained;
    row.work = solid_run_points(r);
    row.unit = "point/s";
    row.bytes = 3 * row.work * (double)clsp_type_bytes(r->precision);
    row.floor_ms = 1e3 * row.bytes / r->b->floor[r->precision].store_rate;
    row.error = error;
    bench_report_row(r->b->report, &row);
}

/* Writes a number; least: NAN where nothing is asked. */
static void report_number(const solid_run *r, const char *method, double number, const char *unit,
                          double least)
{
    bench_row row = row_of(r, method);

    row.rate = number;
    row.unit = unit;
    row.least = least;
    bench_report_row(r->b->report, &row);
}

/* ---- cells of one kind ---- */

/* The share of the store rate that is asked of GPUs, by kind and for 4 and 8 samples. */
static double wanted_share(const bench *b, size_t kind, uint32_t samples)
{
    if (b->is_cpu || b->quick) return NAN;
    if (kind == CLSP_SOLID_REGULAR) return samples == 8 ? 0.7 : 0.55;
    return kind == CLSP_SOLID_LAYERED ? 0.6 : NAN;
}

static clsp_status run_kinds(bench *b, clsp_type precision, const solid_model *m,
                             const size_t *kind_begin, uint32_t samples)
{
    solid_run r = {.b = b, .model = m, .precision = precision, .samples = samples};
    clsp_status status = CLSP_OK;
    char name[SOLID_NAME_MAX];

    snprintf(name, sizeof name, "kinds, %u^3", samples);
    r.name = name;
    if (!bench_wants(b, name)) return CLSP_OK;
    BENCH_TRY(solid_run_start(&r));
    for (size_t kind = 0; kind < SOLID_KINDS; kind++) {
        const size_t num = kind_begin[kind + 1] - kind_begin[kind];
        bench_contestant c = {.enqueue = solid_run_enqueue, .user = &r};
        char method[SOLID_NAME_MAX];
        if (num == 0) continue;
        r.cells = (clsp_range){kind_begin[kind], num};
        snprintf(method, sizeof method, "%s, %zu", kind_names[kind], num);
        BENCH_TRY(bench_measure(b->queue, &c, 1, batch_ms(b)));
        report_run(&r, method, &c, NAN);
        const double bytes = 3 * solid_run_points(&r) * (double)clsp_type_bytes(precision);
        snprintf(method, sizeof method, "%s, of stores", kind_names[kind]);
        report_number(&r, method,
                      1e3 * bytes / b->floor[precision].store_rate / c.sustained.median_ms, "ratio",
                      precision == CLSP_F32 ? wanted_share(b, kind, samples) : NAN);
    }

fail:
    solid_run_release(&r);
    return status;
}

/* Measures cells of one kind after the other, of many rods whose cells are sorted. */
static clsp_status run_all_kinds(bench *b)
{
    solid_case rod = solid_model_file("rod.vtk");
    const size_t copies = b->is_cpu ? (b->quick ? 2 : 8) : 200;
    solid_model m = {.name = "rods"};
    size_t kind_begin[SOLID_KINDS + 1];
    clsp_status status = CLSP_OK;

    if (!rod.num_cells) return CLSP_OK;
    BENCH_TRY(solid_model_sorted(b, &m, &rod, copies, kind_begin));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        for (uint32_t samples = 4; samples <= 8; samples *= 2)
            if (b->wanted[p] && !(b->quick && p == CLSP_F64))
                BENCH_TRY(run_kinds(b, p, &m, kind_begin, samples));

fail:
    solid_model_release(&m);
    solid_free(&rod);
    return status;
}

/* ---- whole models ---- */

/* Measures a model beside the plain loop. */
static clsp_status run_model(bench *b, clsp_type precision, const solid_model *m, unsigned level,
                             uint32_t samples)
{
    enum { HOST_POINTS = 1 << 20 };
    const size_t cell = (size_t)samples * samples * samples;
    solid_run r = {.b = b, .model = m, .precision = precision, .samples = samples};
    solid_host host = {.first = NULL};
    bench_contestant all[2] = {{.enqueue = solid_run_enqueue, .user = &r},
                               {.enqueue = solid_host_enqueue, .user = &host}};
    clsp_status status = CLSP_OK;
    solid_errors errors;
    char name[2 * SOLID_NAME_MAX];

    snprintf(name, sizeof name, "%s, level %u, %u^3", m->name, level, samples);
    r.name = name;
    if (!bench_wants(b, name)) return CLSP_OK;
    BENCH_TRY(solid_run_start(&r));
    BENCH_TRY(solid_run_errors(&r, &errors));
    BENCH_TRY(solid_host_start(&host, &r, HOST_POINTS / cell));
    BENCH_TRY(bench_measure(b->queue, all, 2, batch_ms(b)));
    const double eps = precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    report_run(&r, "library", &all[0], errors.worst / errors.scale / eps);
    bench_row row = bench_row_empty(suite, name, "plain loop", 64);
    row.time = all[1].sustained;
    row.work = (double)host.job.num_cells * (double)cell;
    row.unit = "point/s";
    bench_report_row(b->report, &row);
    const double rate = solid_run_points(&r) / all[0].sustained.median_ms;
    const bool is_judged =
        !b->is_cpu && !b->quick && precision == CLSP_F32 && level == 2 && samples == 8;
    report_number(&r, "library/loop", rate / (row.work / row.time.median_ms), "ratio",
                  is_judged ? 200 : NAN);
    report_number(&r, "mean error / scale, ppb", 1e9 * errors.mean / errors.scale, "ratio", NAN);

fail:
    solid_host_release(&host);
    solid_run_release(&r);
    return status;
}

static clsp_status run_levels(bench *b, const solid_case *solid, const char *name)
{
    const unsigned levels = b->quick ? 1 : 3;
    solid_model m;
    clsp_status status;

    BENCH_TRY(solid_model_make(b, &m, solid, name));
    for (unsigned level = 0; level < levels; level++) {
        for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
            for (uint32_t samples = 4; samples <= 8; samples *= 2)
                if (b->wanted[p] && !(p == CLSP_F64 && (b->quick || samples == 4)))
                    BENCH_TRY(run_model(b, p, &m, level, samples));
        if (level + 1 < levels) BENCH_TRY(solid_model_refine(&m));
    }

fail:
    solid_model_release(&m);
    return status;
}

static clsp_status run_models(bench *b)
{
    static const char *const files[] = {"rod", "mount1"};
    solid_case box = solid_box(2, 2, 6);
    clsp_status status = run_levels(b, &box, "box 2x2x6");

    solid_free(&box);
    for (size_t i = 0; i < BENCH_COUNT(files) && status == CLSP_OK; i++) {
        char file[SOLID_NAME_MAX];
        snprintf(file, sizeof file, "%s.vtk", files[i]);
        solid_case solid = solid_model_file(file);
        if (solid.num_cells) status = run_levels(b, &solid, files[i]);
        solid_free(&solid);
    }
    return status;
}

/* ---- samples and refinement ---- */

static clsp_status run_alone(bench *b, const solid_model *m, const char *name, const char *method,
                             uint32_t samples)
{
    solid_run r = {.b = b, .model = m, .name = name, .precision = CLSP_F32, .samples = samples};
    bench_contestant c = {.enqueue = solid_run_enqueue, .user = &r};
    clsp_status status;

    BENCH_TRY(solid_run_start(&r));
    BENCH_TRY(bench_measure(b->queue, &c, 1, batch_ms(b)));
    report_run(&r, method, &c, NAN);

fail:
    solid_run_release(&r);
    return status;
}

/* Time as samples of a cell grow, and as refinement takes the place of samples. */
static clsp_status run_growth(bench *b)
{
    static const char more[] = "rod, more samples", finer[] = "rod, refined instead";
    solid_case rod = solid_model_file("rod.vtk");
    const uint32_t most = b->quick ? 4 : 16;
    solid_model m = {.name = "rod"};
    clsp_status status = CLSP_OK;
    char method[SOLID_NAME_MAX];

    if (!rod.num_cells || !b->wanted[CLSP_F32]) goto fail;
    BENCH_TRY(solid_model_make(b, &m, &rod, "rod"));
    for (uint32_t samples = 2; samples <= most && bench_wants(b, more); samples *= 2) {
        snprintf(method, sizeof method, "%u^3", samples);
        BENCH_TRY(run_alone(b, &m, more, method, samples));
    }
    for (uint32_t samples = most, level = 0; samples >= 2 && bench_wants(b, finer); level++) {
        snprintf(method, sizeof method, "level %u, %u^3", level, samples);
        BENCH_TRY(run_alone(b, &m, finer, method, samples));
        samples /= 2;
        if (samples >= 2) BENCH_TRY(solid_model_refine(&m));
    }

fail:
    solid_model_release(&m);
    solid_free(&rod);
    return status;
}

/* ---- refinement and classification ---- */

/* Returns the memory of this process, in bytes; NAN where it cannot be told. */
static double memory_now(void)
{
    FILE *const file = fopen("/proc/self/statm", "r");
    double all = NAN, pages = NAN;

    if (file && fscanf(file, "%lf %lf", &all, &pages) != 2) pages = NAN;
    if (file) fclose(file);
    return pages * 4096;
}

/* Measures a mesh's refinement, and the making of a plan of what it gives. */
static clsp_status run_build(bench *b)
{
    static const char name[] = "refinement and classes";
    solid_case solid = solid_model_file("mount1.vtk");
    const unsigned levels = b->quick ? 1 : 2;
    const clsp_solid_desc desc = {.precision = CLSP_F32};
    solid_model m = {.name = "mount1"};
    solid_run r = {.b = b, .name = name, .precision = CLSP_F32};
    clsp_solid_mesh *fine = NULL;
    clsp_solid_counts counts;
    clsp_status status = CLSP_OK;

    if (!solid.num_cells || !b->wanted[CLSP_F32] || !bench_wants(b, name)) goto fail;
    BENCH_TRY(solid_model_make(b, &m, &solid, "mount1"));
    for (unsigned i = 0; i + 1 < levels; i++)
        BENCH_TRY(solid_model_refine(&m));
    BENCH_TRY(clsp_solid_plan_create(&r.plan, m.mesh, &desc)); /* programs are there then */
    clsp_solid_plan_destroy(&r.plan);
    const double start = bench_now_ms();
    BENCH_TRY(clsp_solid_mesh_refine(&fine, m.mesh));
    const double refined = bench_now_ms(), before = memory_now();
    BENCH_TRY(clsp_solid_plan_create(&r.plan, fine, &desc));
    const double made = bench_now_ms(), after = memory_now();
    BENCH_TRY(clsp_solid_mesh_counts(fine, &counts));
    const double cells = (double)counts.num_cells;
    report_number(&r, "refined", 1e3 * cells / (refined - start), "cell/s", NAN);
    report_number(&r, "plan", 1e3 * cells / (made - refined), "cell/s", NAN);
    report_number(&r, "both", 1e3 * cells / (made - start), "cell/s", b->quick ? NAN : 1e6);
    report_number(&r, "memory of the plan", (after - before) / cells, "B/cell", NAN);

fail:
    clsp_solid_plan_destroy(&r.plan);
    clsp_solid_mesh_destroy(&fine);
    solid_model_release(&m);
    solid_free(&solid);
    return bench_check(status, name);
}

clsp_status bench_suite_solid(bench *b)
{
    clsp_status status;

    BENCH_TRY(bench_floor_measure(b));
    if (!host_solid_is_parallel())
        bench_report_note(b->report, "plain loop: built without OpenMP, on one core.");
    BENCH_TRY(run_all_kinds(b));
    BENCH_TRY(run_models(b));
    BENCH_TRY(run_growth(b));
    BENCH_TRY(run_build(b));

fail:
    return status;
}
