/* Catmull-Clark solids: cells of each kind and whole models, beside what the device can store and a
   plain loop in double on all cores of the host; errors; more samples and more refinement, as in
   figures 13 and 14 of Massively parallel limit evaluation of Catmull-Clark solids; lists of
   points; refinement and classification. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solid_lists.h"
#include "solid_located.h"
#include "solid_unlike.h"

static const char suite[] = "solid";

static const char *const kind_names[SOLID_KINDS] = {"regular", "layered", "irregular", "split"};

static const char *const method_names[] = {"library", "thread", "group", "hybrid"};
enum { METHODS = CLSP_SOLID_HYBRID - CLSP_SOLID_CELLS + 1, THREAD = 1 }; /* their places */

/* Returns how many methods are measured: on CPUs warps of items take seconds. */
static int methods_of(const bench *b)
{
    if (!b->has_methods) return THREAD;
    return b->is_cpu ? THREAD + 1 : METHODS;
}

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

/* The share of a floor that is asked of GPUs, by kind and for 4 and 8 samples. */
static double wanted_share(const solid_run *r, size_t kind)
{
    if (r->b->is_cpu || r->b->quick || r->precision != CLSP_F32) return NAN;
    if (kind == CLSP_SOLID_REGULAR) return r->samples == 8 ? 0.7 : 0.55;
    return kind == CLSP_SOLID_LAYERED ? 0.6 : NAN;
}

/* Writes the share of the floor by arithmetic that cells made by tables reach, where stores would
   take less: a weight for each of a cell's points at each of its samples. */
static clsp_status report_arithmetic(const solid_run *r, const char *kind, double ms)
{
    const bench_floor *const floor = &r->b->floor[r->precision];
    const double bytes = 3 * solid_run_points(r) * (double)clsp_type_bytes(r->precision);
    const double at_least =
        r->b->is_cpu || r->b->quick || r->precision != CLSP_F32 || r->samples != 8 ? NAN : 0.5;
    char method[SOLID_NAME_MAX];
    double terms;
    clsp_status status;

    BENCH_TRY(solid_run_terms(r, &terms));
    const double flops = 6 * terms * solid_run_points(r);
    if (flops / floor->fma_rate < bytes / floor->store_rate) return CLSP_OK;
    snprintf(method, sizeof method, "%s, of arithmetic", kind);
    report_number(r, method, 1e3 * flops / floor->fma_rate / ms, "ratio", at_least);

fail:
    return status;
}

/* Makes a run by each method, all into the output of the first. */
static clsp_status start_methods(solid_run *runs, bench_contestant *all, const solid_run *like)
{
    clsp_status status = CLSP_OK;

    for (int i = 0; i < methods_of(like->b) && status == CLSP_OK; i++) {
        runs[i] = *like;
        runs[i].method = (clsp_solid_method)(CLSP_SOLID_CELLS + i);
        runs[i].shared = i > 0 ? runs[0].out : NULL;
        status = solid_run_start(&runs[i]);
        all[i] = (bench_contestant){.enqueue = solid_run_enqueue, .user = &runs[i]};
    }
    return status;
}

static void release_methods(solid_run *runs)
{
    for (int i = METHODS - 1; i >= 0; i--)
        solid_run_release(&runs[i]);
}

/* Writes how many times as fast as the others the library is. least: as the thread method. */
static void report_ratios(const solid_run *r, const char *kind, const bench_contestant *all,
                          double least)
{
    for (int i = 1; i < methods_of(r->b); i++) {
        char method[SOLID_NAME_MAX];
        snprintf(method, sizeof method, "%s%s/library", kind, method_names[i]);
        report_number(r, method, bench_ratio(&all[0], &all[i]), "ratio", i == THREAD ? least : NAN);
    }
}

enum {
    KIND_CELLS = 800000, /* that are measured, at most */
    HOST_POINTS = 1 << 20
};

/* Writes how many times as many points a ms the library makes as the plain loop. */
static void report_loop(const solid_run *r, const char *method, const bench_contestant *library,
                        const bench_contestant *loop, const solid_host *host, double least)
{
    const double rate = solid_run_points(r) / library->sustained.median_ms;
    const double points = (double)host->job.num_cells * (double)host->job.samples;

    report_number(r, method, rate / (points / loop->sustained.median_ms), "ratio", least);
}

static clsp_status run_kind(solid_run *runs, bench_contestant *all, const size_t *kind_begin,
                            size_t kind)
{
    const size_t num = kind_begin[kind + 1] - kind_begin[kind];
    const solid_run *const r = &runs[0];
    bench *const b = r->b;
    const int methods = methods_of(b);
    solid_host host = {.first = NULL};
    char method[SOLID_NAME_MAX];
    clsp_status status;

    for (int i = 0; i < methods; i++)
        runs[i].cells = (clsp_range){kind_begin[kind], num < KIND_CELLS ? num : KIND_CELLS};
    BENCH_TRY(solid_host_start(&host, r, HOST_POINTS / (r->samples * r->samples * r->samples)));
    all[methods] = (bench_contestant){.enqueue = solid_host_enqueue, .user = &host};
    BENCH_TRY(bench_measure(b->queue, all, (size_t)methods + 1, batch_ms(b)));
    snprintf(method, sizeof method, "%s, loop/library", kind_names[kind]);
    report_loop(r, method, &all[0], &all[methods], &host, NAN);
    for (int i = 0; i < methods; i++) {
        snprintf(method, sizeof method, "%s, %s", kind_names[kind], method_names[i]);
        report_run(r, method, &all[i], NAN);
    }
    const double bytes = 3 * solid_run_points(r) * (double)clsp_type_bytes(r->precision);
    snprintf(method, sizeof method, "%s, of stores", kind_names[kind]);
    report_number(r, method,
                  1e3 * bytes / b->floor[r->precision].store_rate / all[0].sustained.median_ms,
                  "ratio", wanted_share(r, kind));
    if (kind == CLSP_SOLID_IRREGULAR)
        BENCH_TRY(report_arithmetic(r, kind_names[kind], all[0].sustained.median_ms));
    snprintf(method, sizeof method, "%s, ", kind_names[kind]);
    report_ratios(r, method, all, NAN);

fail:
    solid_host_release(&host);
    return status;
}

static clsp_status run_kinds(bench *b, clsp_type precision, const solid_model *m,
                             const size_t *kind_begin, size_t num_kinds, uint32_t samples)
{
    solid_run runs[METHODS] = {{.b = NULL}};
    bench_contestant all[METHODS + 1];
    clsp_status status = CLSP_OK;
    char name[2 * SOLID_NAME_MAX];

    snprintf(name, sizeof name, "%s, %u^3", m->name, samples);
    const solid_run like = {
        .b = b, .model = m, .name = name, .precision = precision, .samples = samples};
    if (!bench_wants(b, name)) return CLSP_OK;
    BENCH_TRY(start_methods(runs, all, &like));
    for (size_t kind = 0; kind < num_kinds; kind++)
        if (kind_begin[kind + 1] > kind_begin[kind])
            BENCH_TRY(run_kind(runs, all, kind_begin, kind));

fail:
    release_methods(runs);
    return status;
}

/* Measures cells of one kind after the other, of many copies of a model whose cells are sorted; of
   one that was refined regular cells, most of which are the children of such. */
static clsp_status run_sorted(bench *b, const solid_model *one, const char *name, size_t copies,
                              bool is_refined)
{
    solid_model m = {.mesh = NULL};
    size_t kind_begin[SOLID_KINDS + 1];
    clsp_status status;

    snprintf(m.name, sizeof m.name, "%s", name);
    BENCH_TRY(solid_model_sorted(b, &m, one, copies, is_refined, kind_begin));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        for (uint32_t samples = 2; samples <= 8; samples *= 2)
            if (b->wanted[p])
                BENCH_TRY(run_kinds(b, p, &m, kind_begin, is_refined ? 1 : SOLID_KINDS, samples));

fail:
    solid_model_release(&m);
    return status;
}

/* Returns how many rods are measured: so many that a launch of any kind of cells takes long enough
   for its start and its end to count little, whose points in float fit into a quarter of a device's
   memory. */
static size_t copies_for(const bench *b, const solid_case *rod)
{
    const size_t bytes = rod->num_cells * 512 * 3 * sizeof(float);
    const uint64_t quarter = b->info.global_bytes / 4, room = b->info.max_alloc_bytes;
    const size_t fits = (size_t)((quarter < room ? quarter : room) / bytes);
    const size_t most = b->quick ? 80 : 3200;

    if (b->is_cpu) return b->quick ? 1 : 8;
    return fits < 8 ? 8 : fits < most ? fits : most;
}

/* Measures the cells of rods as they are in the file, and refined once. */
static clsp_status run_all_kinds(bench *b)
{
    solid_case rod = solid_model_file("rod.vtk");
    const size_t copies = copies_for(b, &rod);
    solid_model one = {.mesh = NULL};
    clsp_status status = CLSP_OK;

    if (!rod.num_cells) return CLSP_OK;
    BENCH_TRY(solid_model_make(b, &one, &rod, "rod"));
    BENCH_TRY(run_sorted(b, &one, "kinds", copies, false));
    BENCH_TRY(solid_model_refine(&one));
    BENCH_TRY(run_sorted(b, &one, "refined kinds", (copies + 31) / 32, true));

fail:
    solid_model_release(&one);
    solid_free(&rod);
    return status;
}

/* ---- whole models ---- */

/* Writes how many cells of each kind a model has, as table 1 of the paper does. */
static clsp_status report_cells(bench *b, const solid_model *m, unsigned level)
{
    size_t num[SOLID_KINDS], inside;
    clsp_status status;
    char name[2 * SOLID_NAME_MAX];

    snprintf(name, sizeof name, "%s, level %u, cells", m->name, level);
    solid_run r = {.b = b, .model = m, .name = name, .precision = CLSP_F32, .samples = 2};
    if (!b->wanted[CLSP_F32] || !bench_wants(b, name)) return CLSP_OK;
    BENCH_TRY(solid_run_start(&r));
    BENCH_TRY(solid_run_kinds(&r, num, &inside));
    report_number(&r, "regular, inside", (double)inside, "cells", NAN);
    report_number(&r, "regular, at the boundary", (double)(num[0] - inside), "cells", NAN);
    for (size_t kind = 1; kind < SOLID_KINDS; kind++)
        report_number(&r, kind_names[kind], (double)num[kind], "cells", NAN);

fail:
    solid_run_release(&r);
    return status;
}

/* Counts the cells of a model, and of its first refinements. */
static clsp_status run_cells(bench *b, const solid_case *solid, const char *name)
{
    enum { LEVELS = 3 };
    solid_model m;
    clsp_status status;

    BENCH_TRY(solid_model_make(b, &m, solid, name));
    for (unsigned level = 0; level < LEVELS; level++) {
        BENCH_TRY(report_cells(b, &m, level));
        if (level + 1 < LEVELS) BENCH_TRY(solid_model_refine(&m));
    }

fail:
    solid_model_release(&m);
    return status;
}

/* Writes the lines of a model. */
static clsp_status report_model(const solid_run *runs, const bench_contestant *all,
                                const solid_host *host, unsigned level)
{
    const bench *const b = runs[0].b;
    const bool is_judged = !b->is_cpu && !b->quick && runs[0].precision == CLSP_F32 && level == 2 &&
                           runs[0].samples == 8;
    const double eps = runs[0].precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    solid_errors errors[METHODS];
    const int num = methods_of(b);
    clsp_status status = CLSP_OK;

    for (int i = 0; i < num && status == CLSP_OK; i++) {
        status = solid_run_errors(&runs[i], &errors[i]);
        report_run(&runs[i], method_names[i], &all[i], errors[i].worst / errors[i].scale / eps);
    }
    bench_row row = bench_row_empty(suite, runs[0].name, "plain loop", 64);
    row.time = all[num].sustained;
    row.work = (double)host->job.num_cells * (double)host->job.samples;
    row.unit = "point/s";
    bench_report_row(b->report, &row);
    report_loop(&runs[0], "loop/library", &all[0], &all[num], host, is_judged ? 200 : NAN);
    report_ratios(&runs[0], "", all, is_judged ? 4 : NAN);
    for (int i = 0; i < num && status == CLSP_OK; i++) {
        char method[64];
        const char *const comma = i > 0 ? ", " : "", *const of = i > 0 ? method_names[i] : "";
        snprintf(method, sizeof method, "mean error / scale%s%s", comma, of);
        report_number(&runs[0], method, 1e9 * errors[i].mean / errors[i].scale, "ppb", NAN);
        snprintf(method, sizeof method, "largest error / scale%s%s", comma, of);
        report_number(&runs[0], method, 1e9 * errors[i].worst / errors[i].scale, "ppb", NAN);
    }
    return status;
}

/* Measures a model by all methods, and the plain loop beside them. */
static clsp_status run_model(bench *b, clsp_type precision, const solid_model *m, unsigned level,
                             uint32_t samples)
{
    const size_t cell = (size_t)samples * samples * samples;
    solid_run runs[METHODS] = {{.b = NULL}};
    solid_host host = {.first = NULL};
    bench_contestant all[METHODS + 1];
    clsp_status status = CLSP_OK;
    char name[2 * SOLID_NAME_MAX];

    snprintf(name, sizeof name, "%s, level %u, %u^3", m->name, level, samples);
    const solid_run like = {
        .b = b, .model = m, .name = name, .precision = precision, .samples = samples};
    if (!bench_wants(b, name)) return CLSP_OK;
    BENCH_TRY(start_methods(runs, all, &like));
    BENCH_TRY(solid_host_start(&host, &runs[0], HOST_POINTS / cell));
    const int num = methods_of(b);
    all[num] = (bench_contestant){.enqueue = solid_host_enqueue, .user = &host};
    BENCH_TRY(bench_measure(b->queue, all, (size_t)num + 1, batch_ms(b)));
    BENCH_TRY(report_model(runs, all, &host, level));

fail:
    solid_host_release(&host);
    release_methods(runs);
    return status;
}

static clsp_status run_levels(bench *b, const solid_case *solid, const char *name)
{
    const unsigned levels = b->quick ? 1 : b->is_cpu ? 2 : 3;
    solid_model m;
    clsp_status status;

    BENCH_TRY(solid_model_make(b, &m, solid, name));
    for (unsigned level = 0; level < levels; level++) {
        for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
            for (uint32_t samples = 4; samples <= 8; samples *= 2)
                if (b->wanted[p] && !(p == CLSP_F64 && samples == 4))
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
    clsp_status status = run_cells(b, &box, "box 2x2x6");

    if (status == CLSP_OK) status = run_levels(b, &box, "box 2x2x6");
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

/* Measures lists of points in models. */
static clsp_status run_lists(bench *b)
{
    static const char *const files[] = {"rod.vtk", "mount1.vtk"};
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < BENCH_COUNT(files) && status == CLSP_OK; i++) {
        solid_case solid = solid_model_file(files[i]);
        char name[SOLID_NAME_MAX];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(files[i], "."), files[i]);
        if (solid.num_cells) status = solid_lists_run(b, &solid, name, b->is_cpu ? 1 : 2);
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
    const clsp_solid_desc desc = {.precision = CLSP_F32,
                                  .axis = {{.num = 4}, {.num = 4}, {.num = 4}}};
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

/* ---- refinement of points ---- */

/* Points that are refined from one buffer into another. */
typedef struct point_run {
    const solid_model *model;
    clsp_type precision;
    cl_mem points, fine;
} point_run;

static clsp_status refine_enqueue(void *user)
{
    const point_run *const r = user;

    return bench_check(clsp_solid_refine_points(r->model->mesh, CLSP_SOLID_TENSOR, 3,
                                                clsp_in_buffer(r->points, r->precision, 0),
                                                clsp_out_buffer(r->fine, r->precision, 0), NULL),
                       r->model->name);
}

/* Refines the points of a model on the device in one precision. */
static clsp_status run_points(bench *b, clsp_type precision, const solid_model *m, size_t num_fine)
{
    static const char name[] = "refinement of points";
    const size_t element = clsp_type_bytes(precision), num = m->counts.num_vertices;
    point_run r = {.model = m, .precision = precision};
    bench_contestant c = {.enqueue = refine_enqueue, .user = &r};
    clsp_status status;
    cl_int code;

    BENCH_TRY(bench_check(solid_model_upload(b, m, precision, &r.points), name));
    r.fine = clCreateBuffer(b->context, CL_MEM_READ_WRITE, 3 * num_fine * element, NULL, &code);
    BENCH_TRY(bench_check(code, name));
    BENCH_TRY(bench_measure(b->queue, &c, 1, batch_ms(b)));
    bench_row row = bench_row_empty(suite, name, "library", (int)(8 * element));
    row.time = c.sustained;
    row.work = (double)num_fine;
    row.unit = "point/s";
    row.bytes = 3 * row.work * (double)element;
    row.floor_ms = 1e3 * 3 * (double)((num + num_fine) * element) / b->floor[precision].copy_rate;
    bench_report_row(b->report, &row);

fail:
    if (r.points) clReleaseMemObject(r.points);
    if (r.fine) clReleaseMemObject(r.fine);
    return status;
}

/* Refines the points of a model on the device, beside the least that must be read and written. */
static clsp_status run_all_points(bench *b)
{
    solid_case solid = solid_model_file("mount1.vtk");
    const unsigned levels = b->quick ? 0 : b->is_cpu ? 1 : 2;
    solid_model m = {.name = "mount1"};
    clsp_status status = CLSP_OK;

    if (!solid.num_cells || !bench_wants(b, "refinement of points")) goto fail;
    BENCH_TRY(solid_model_make(b, &m, &solid, "mount1"));
    for (unsigned i = 0; i < levels; i++)
        BENCH_TRY(solid_model_refine(&m));
    const clsp_solid_counts *const n = &m.counts;
    const size_t num_fine = n->num_vertices + n->num_edges + n->num_faces + n->num_cells;
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++)
        if (b->wanted[p]) BENCH_TRY(run_points(b, p, &m, num_fine));

fail:
    solid_model_release(&m);
    solid_free(&solid);
    return status;
}

clsp_status bench_suite_solid(bench *b)
{
    const bool wants_double = b->wanted[CLSP_F64];
    clsp_status status;

    BENCH_TRY(bench_floor_measure(b));
    b->wanted[CLSP_F64] = wants_double && !(b->quick && b->wanted[CLSP_F32]);
    if (!host_solid_is_parallel())
        bench_report_note(b->report, "plain loop: built without OpenMP, on one core.");
    BENCH_TRY(run_all_kinds(b));
    BENCH_TRY(run_models(b));
    BENCH_TRY(run_lists(b));
    BENCH_TRY(run_growth(b));
    BENCH_TRY(run_build(b));
    BENCH_TRY(run_all_points(b));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64 && bench_wants(b, "unlike cells"); p++)
        if (b->wanted[p]) BENCH_TRY(solid_unlike_run(b, p));
    BENCH_TRY(solid_located_all(b));

fail:
    b->wanted[CLSP_F64] = wants_double;
    return status;
}
