#include "papers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where a line is for: numbers that a paper has for CPUs, or for GPUs, are for such devices alone.
 */
typedef enum line_device { ANY, CPU, GPU } line_device;

/* A number of a paper, and what stands beside it in each case whose name matches: how many times as
   long as `method` another one, `over`, takes; or without one the method's own number. */
typedef struct paper_line {
    const char *where, *what, *printed;
    line_device device;
    const char *suite, *cases, *method, *over;
} paper_line;

/* A part of a suite that a paper's lines need. */
typedef struct paper_run {
    clsp_status (*suite)(bench *b);
    const char *cases;
    bool on_host; /* without OpenCL too */
} paper_run;

#define FIGURES(where, what, printed, device, method, over)                                        \
    {                                                                                              \
        where, what, printed, device, "figures", "*", method, over                                 \
    }
#define KINDS(samples, kind, printed)                                                              \
    {                                                                                              \
        "Figure 9, " samples " samples", kind ": warps / threads", printed, GPU, "solid",          \
            "kinds, " samples, kind ", thread", kind ", group"                                     \
    }

static const paper_line lines_000[] = {
    FIGURES("Figure 5", "MLE over MAT", "2.2 to 3.2 (i7-930)", CPU, "multilevel", "matrix"),
    FIGURES("Figure 5", "MLE over BRF", "19 to 73 (i7-930)", CPU, "multilevel", "brute"),
    FIGURES("Figure 5", "MLE, time of a surface", "0.87 ms at 4x4 (i7-930)", CPU, "multilevel",
            NULL),
    FIGURES("Figures 6, 7", "MLE over MAT, products remade", "1.3 to 5.4 (GTX 460, 980)", GPU,
            "multilevel", "matrix-pt, remade"),
    FIGURES("Figures 6, 7", "MLE over MAT, products kept", "-", GPU, "multilevel",
            "matrix-pt, kept"),
    FIGURES("Figures 6, 7", "MLE over BRF", "21 to 49 (GTX 460, 980)", GPU, "multilevel", "brute"),
    FIGURES("Figures 5-7", "the library's default over MLE", "-", ANY, "auto", "multilevel"),
    {"Figures 6, 7", "drawn by MLE", "5 to 206 frames/s (GTX 460, 980)", GPU, "render",
     "*, multilevel", "shared", NULL},
    {"Figures 6, 7", "drawn by MAT", "less than by MLE", GPU, "render", "*, matrix", "shared",
     NULL},
    {"Figures 6, 7", "drawn by BRF", "less than by MAT", GPU, "render", "*, brute", "shared", NULL},
    {"Figure 9", "static share over the device alone", "1.07 to 1.22 (Kaveri)", ANY, "cooperate-9",
     "*", "best, *", NULL},
    {"Figure 10", "dynamic shares over the device alone", "1.03 to 2.09 (Kaveri)", ANY,
     "cooperate-10", "*", "dynamic, 4 threads", "dynamic, 0 threads"},
    {"Figure 10", "svm shares over the device alone", "1.03 to 2.09 (Kaveri)", ANY, "cooperate-10",
     "*", "svm, 4 threads", "svm, 0 threads"},
    {"Table 3", "dynamic shares, whole call", "4.08 ms (Kaveri)", ANY, "cooperate-table3", "*",
     "svm, shared: whole call", NULL},
    {"Table 3", "static shares, whole call", "5.25, 4.66 ms (Kaveri)", ANY, "cooperate-table3", "*",
     "static, shared: whole call", NULL},
    {"Table 3", "level 2, basis", "less than either", ANY, "cooperate-table3", "*",
     "once: level 2, basis", NULL},
    {"Table 3", "basis transfer", "less than either", ANY, "cooperate-table3", "*",
     "once: basis transfer", NULL},
    {"Table 3", "allocation", "less than either", ANY, "cooperate-table3", "*", "once: allocation",
     NULL},
};

#define CAR(what, printed, method)                                                                 \
    {                                                                                              \
        "Table 1", "car, levels 0 to 2: " what, printed, ANY, "solid",                             \
            "box 2x2x6, level ?, cells", method, NULL                                              \
    }
#define CLASS(samples, kind, printed)                                                              \
    {                                                                                              \
        "Figure 11, " samples " samples", kind ": CPU / GPU", printed, GPU, "solid",               \
            "kinds, " samples, kind ", loop/library", NULL                                         \
    }

static const paper_line lines_001[] = {
    CAR("regular, 64 points", "0, 40, 792", "regular, inside"),
    CAR("regular, 48 points", "0, 88, 600", "regular, at the boundary"),
    CAR("layered", "16, 56, 136", "layered"),
    CAR("irregular", "8, 8, 8", "irregular"),
    KINDS("4^3", "regular", "3.87, 2.87 (GTX 1070, 2080 Ti)"),
    KINDS("4^3", "layered", "1.06 and 1.36"),
    KINDS("4^3", "irregular", "0.91 and 0.63"),
    KINDS("8^3", "regular", "10.1"),
    KINDS("8^3", "layered", "5.15 and 2.67"),
    KINDS("8^3", "irregular", "3.54 and 2.29"),
    {"Figure 10", "warps / hybrid", "1.63, 1.56 (GTX 1070, 2080 Ti)", GPU, "solid", "*, level *",
     "hybrid", "group"},
    {"Figure 10", "warps / threads", "1.40 and 1.31", GPU, "solid", "*, level *", "thread",
     "group"},
    {"Figure 10", "threads / hybrid", "1.16 and 1.19", GPU, "solid", "*, level *", "hybrid",
     "thread"},
    CLASS("8^3", "regular", "199 (i7-6700K, one of three GPUs)"),
    CLASS("8^3", "layered", "75"),
    CLASS("8^3", "irregular", "18"),
    {"Figure 12", "CPU / GPU", "5.75 to 61.6 (i7-6700K)", GPU, "solid", "*, level *",
     "loop/library", NULL},
    {"Figures 9-12", "threads / the library", "-", ANY, "solid", "*, level *", "thread/library",
     NULL},
    {"Figure 13", "rod, by more samples", "less a point with more", ANY, "solid",
     "rod, more samples", "*^3", NULL},
    {"Figure 14", "rod, refined instead", "least at 2 steps, 4^3", ANY, "solid",
     "rod, refined instead", "level *", NULL},
    {"5.4", "mean error, threads", "110 ppb", ANY, "solid", "*, level *",
     "mean error / scale, thread", NULL},
    {"5.4", "mean error, warps", "76 ppb", ANY, "solid", "*, level *", "mean error / scale, group",
     NULL},
    {"5.4", "largest error, threads", "-", ANY, "solid", "*, level *",
     "largest error / scale, thread", NULL},
    {"5.4", "largest error, warps", "-", ANY, "solid", "*, level *", "largest error / scale, group",
     NULL},
    {"5.4", "mean error, ours", "-", ANY, "solid", "*, level *", "mean error / scale", NULL},
};

static const paper_line lines_002[] = {
    {"Figure 2", "36 turns, to the exact filter's", "converges from 11 taps", ANY, "image",
     "36 x *", "* cut off, to exact", NULL},
    {"Figures 3, 4", "36 turns, exact, to the original", "within 1 of 15 taps", ANY, "image",
     "36 x *", "exact, to original", NULL},
    {"Figures 3, 4", "36 turns, 15 taps, to the original", "within 1 of exact", ANY, "image",
     "36 x *", "15 cut off, to original", NULL},
    {"Figures 3, 4", "36 turns, 15 taps, most to exact", "-", ANY, "image", "36 x *",
     "15 cut off, most to exact", NULL},
    {"Table 1", "staged 15 taps over line an item", "4.4 to 10 (260M, C2050)", GPU, "image",
     "prefilter, *^2", "15 cut off, staged", "recursive, lines"},
    {"Table 1", "our 15 taps over line an item", "-", ANY, "image", "prefilter, *^2", "15 cut off",
     "recursive, lines"},
    {"Table 1", "our exact filter over line an item", "-", ANY, "image", "prefilter, *^2",
     "recursive", "recursive, lines"},
    {"Table 2", "line an item: rows / both", "rows 5 times columns", ANY, "image",
     "rows and columns, *", "recursive, lines, all", "recursive, lines, rows"},
    {"Table 2", "15 taps: rows / both", "rows as columns", ANY, "image", "rows and columns, *",
     "15 cut off, staged, all", "15 cut off, staged, rows"},
    {"Table 3", "cubic, 15 taps / linear", "1.3 to 2.1 (C2050)", ANY, "image", "rotation, *^2",
     "15 taps, one shot / linear", NULL},
    {"Table 3", "cubic, line an item / linear", "1.3 to 9.7", ANY, "image", "rotation, *^2",
     "lines, one shot / linear", NULL},
    {"Table 3", "cubic, ours / linear", "-", ANY, "image", "rotation, *^2",
     "cubic, one shot / linear", NULL},
    {"Table 3", "cubic, 15 taps / linear, zoomed", "1.3 to 2.1", ANY, "image", "zoom*",
     "15 taps, one shot / linear", NULL},
    {"Table 3", "cubic, line an item / linear, zoomed", "1.3 to 9.7", ANY, "image", "zoom*",
     "lines, one shot / linear", NULL},
    {"Table 3", "cubic, ours / linear, zoomed", "-", ANY, "image", "zoom*",
     "cubic, one shot / linear", NULL},
};

static const paper_line lines_003[] = {
    {"4", "the direct sum over de Casteljau", "3 (GeForce 8800 GT)", ANY, "patch36", "*", "direct",
     "de Casteljau, 9 items"},
    {"4", "the library over the direct sum", "-", ANY, "patch36", "*", "library", "direct"},
};

static const paper_line lines_004[] = {
    {"Tables 1, 2", "decomposition", "1.5 to 12 ms (RTX 3090)", ANY, "bspline", "* wild, stages",
     "decomposition", NULL},
    {"Tables 1, 2", "cubics within a tolerance", "in the decomposition", ANY, "bspline",
     "* wild, stages", "cubics, write", NULL},
    {"Tables 1, 2", "decomposition, one point", "2 to 14 ms (RTX 3090)", ANY, "bspline",
     "?*, 10000*", "mrep, loaded, 1 point", NULL},
    {"Tables 3-8", "printed / m-rep", "1", ANY, "bspline", "?*, 10000*", "printed/mrep, loaded",
     NULL},
    {"Tables 3-8", "printed / our exact search", "1", ANY, "bspline", "?*, 10000*",
     "printed/exact, loaded", NULL},
    {"Table 9", "Newton's method over formulas", "4.1 (RTX 3090)", ANY, "bspline", "quartics",
     "formulas", "Newton"},
};

typedef struct paper {
    const char *title;
    const paper_line *lines;
    size_t num_lines;
    paper_run runs[3];
} paper;

#define LINES(lines) lines, BENCH_COUNT(lines)

static const paper papers[BENCH_PAPERS] = {
    {"000: Palomar et al., High-performance computation of Bezier surfaces, 2018",
     LINES(lines_000),
     {{bench_suite_figures, NULL, true},
      {bench_suite_cooperate, NULL, false},
      {bench_suite_render, "*, *, *", false}}},
    {"001: Massively parallel limit evaluation of Catmull-Clark solids, 2022",
     LINES(lines_001),
     {{bench_suite_solid, "kinds, [48]^3", false},
      {bench_suite_solid, "*, level *", false},
      {bench_suite_solid, "rod, [mr]*", false}}},
    {"002: Champagnat and Le Sant, Efficient cubic B-spline image interpolation on a GPU, 2012",
     LINES(lines_002),
     {{bench_suite_image, "[3prz][6roe]*", false}}},
    {"003: Bicubic Bezier patches in OpenCL from Python",
     LINES(lines_003),
     {{bench_suite_patch36, NULL, false}}},
    {"004: Wu and Zou, Matrix representation and GPU-optimized parallel B-spline computing",
     LINES(lines_004),
     {{bench_suite_bspline, "?*, 10000*", false},
      {bench_suite_bspline, "*, stages", false},
      {bench_suite_bspline, "quartics", false}}},
};

int bench_paper_of(const char *name)
{
    for (int i = 0; i < BENCH_PAPERS; i++)
        if (strncmp(name, papers[i].title, 3) == 0 && strlen(name) == 3) return i;
    return -1;
}

/* Reports a line in each case and precision of which there is a row. */
static void report_line(bench *b, int number, const paper_line *line)
{
    char suite[16], name[128];
    const bench_row *row = NULL;
    bool is_there = false;

    snprintf(suite, sizeof suite, "paper %.3s", papers[number].title);
    while ((row = bench_report_next(b->report, row, line->suite, line->cases, line->method))) {
        const bench_row *const over =
            line->over ? bench_report_other(b->report, row, line->over) : NULL;
        const bool has_time = !isnan(row->time.median_ms);
        if (line->over && (!over || !has_time)) continue;
        snprintf(name, sizeof name, "%s: %s%s%s", line->where, row->name,
                 strchr(line->method, '*') ? ", " : "",
                 strchr(line->method, '*') ? row->method : "");
        bench_row out = bench_row_empty(suite, name, line->what, row->precision);
        out.printed = line->printed;
        out.unit = over ? "ratio" : has_time ? "ms" : row->unit;
        out.rate = over       ? over->time.median_ms / row->time.median_ms
                   : has_time ? row->time.median_ms
                              : row->rate;
        bench_report_row(b->report, &out);
        is_there = true;
    }
    if (is_there) return;
    snprintf(name, sizeof name, "%s: not measured here", line->where);
    bench_row out = bench_row_empty(suite, name, line->what, 0);
    out.printed = line->printed;
    bench_report_row(b->report, &out);
}

static clsp_status run_paper(bench *b, int number)
{
    const paper *const p = &papers[number];
    const char *const cases = b->cases;
    const clsp_device_class of = b->info.device_class;
    const bool is_gpu = of != CLSP_CLASS_CPU && of != CLSP_CLASS_HOST; /* or takes its shape */
    clsp_status status = CLSP_OK;

    bench_report_keep(b->report);
    for (size_t i = 0; i < BENCH_COUNT(p->runs) && p->runs[i].suite; i++) {
        if (!b->queue && !p->runs[i].on_host) continue;
        b->cases = cases ? cases : p->runs[i].cases;
        BENCH_TRY(p->runs[i].suite(b));
    }
    bench_report_note(b->report, p->title);
    for (size_t i = 0; i < p->num_lines; i++)
        if (p->lines[i].device == ANY || (p->lines[i].device == GPU) == is_gpu)
            report_line(b, number, &p->lines[i]);

fail:
    b->cases = cases;
    return status;
}

clsp_status bench_papers_run(bench *b, const bool chosen[BENCH_PAPERS])
{
    bool any = false;
    clsp_status status = CLSP_OK;

    for (int i = 0; i < BENCH_PAPERS; i++)
        any = any || chosen[i];
    for (int i = 0; i < BENCH_PAPERS; i++)
        if (chosen[i] || !any) BENCH_TRY(run_paper(b, i));

fail:
    return status;
}
