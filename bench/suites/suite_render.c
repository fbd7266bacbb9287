/* Evaluation and drawing with OpenGL, as Palomar et al., 2018, measure them: one Bezier patch with
   new control points each frame, in a frame of 1920 x 1080, with glFinish at its end. Their
   vertices are points without colour or light; lit ones stand beside them, and their methods. */
#include "bench.h"

#ifdef BENCH_GL

#include <math.h>
#include <stdio.h>

#include "bezier_run.h"
#include "render_run.h"

static const char suite[] = "render";

/* What GPUs are to reach: over uploads at these numbers of samples, and milliseconds of a frame
   besides drawing. */
static const double small_gain = 1.5, large_gain = 3, most_beside = 0.4;
enum { SMALL = 300, LARGE = 2000 };

static const size_t orders[] = {4, 8, 12};
static const size_t gpu_samples[] = {256, 300, 400, 500, 512, 1000, 2000};
static const size_t software_samples[] = {256, 300, 500};
static const size_t quick_samples[] = {300};

/* How much of the frame is covered, and how. */
typedef struct look {
    bool lit;
    double side;
    const char *name;
} look;

static const look looks[] = {{false, 0.9, "81%"}, {false, 0.5, "25%"}, {true, 0.9, "lit 81%"}};

/* The published methods stand beside the default where vertices are as theirs. */
static const struct {
    clsp_bezier_method method;
    const char *name;
} methods[] = {{CLSP_BEZIER_METHOD_DEFAULT, ""},
               {CLSP_BEZIER_MULTILEVEL, ", multilevel"},
               {CLSP_BEZIER_MATRIX, ", matrix"},
               {CLSP_BEZIER_BRUTE, ", brute"}};

enum { NAME_MAX_BYTES = 64 };

typedef struct render_suite {
    bench *b;
    render_link link;
    render_scene scene;
    clsp_graphics_way shared; /* auto: none */
} render_suite;

/* ---- lines ---- */

static const char *method_of(const render_suite *s, size_t way)
{
    static const char *const names[RENDER_WAYS] = {NULL, "staged map", "upload", "evaluation alone",
                                                   "drawing alone"};

    if (way != RENDER_SHARED) return names[way];
    return s->shared == CLSP_GRAPHICS_GL ? "shared, gl" : "shared, external";
}

/* Says whether limits hold: of buffers that are shared by a GPU. */
static bool has_limits(const render_suite *s)
{
    return s->shared != CLSP_GRAPHICS_AUTO && !s->b->is_cpu && !s->link.is_software &&
           bezier_takes_own_shape(s->b);
}

static void report_way(const render_suite *s, const render_case *c, bench_row *row,
                       const render_result *result, size_t way)
{
    row->method = method_of(s, way);
    row->time = result->time[way];
    row->error = result->error[way];
    row->work = 1;
    row->unit = "frame/s";
    if (way != RENDER_DRAWING)
        row->bytes = (double)(c->samples * c->samples * (c->lit ? 6 : 3) * sizeof(float));
    bench_report_row(s->b->report, row);
}

static void report_ratio(const render_suite *s, bench_row row, const render_result *result,
                         size_t way, double least)
{
    row.method = way == RENDER_SHARED ? "shared over upload" : "staged over upload";
    row.rate = result->time[RENDER_UPLOAD].median_ms / result->time[way].median_ms;
    row.unit = "ratio";
    row.least = least;
    bench_report_row(s->b->report, &row);
}

static void report_beside(const render_suite *s, bench_row row, const render_result *result)
{
    row.method = "shared less drawing";
    row.rate = result->time[RENDER_SHARED].median_ms - result->time[RENDER_DRAWING].median_ms;
    row.unit = "ms";
    if (has_limits(s)) row.most = most_beside;
    bench_report_row(s->b->report, &row);
}

static void report(const render_suite *s, const char *name, const render_case *c,
                   const render_result *result)
{
    const int bits = c->precision == CLSP_F64 ? 64 : 32;
    const bench_row empty = bench_row_empty(suite, name, NULL, bits);
    const double gain = c->samples == SMALL ? small_gain : c->samples == LARGE ? large_gain : NAN;

    for (size_t way = 0; way < RENDER_WAYS; way++) {
        bench_row row = empty;
        if (result->has[way]) report_way(s, c, &row, result, way);
    }
    if (result->has[RENDER_STAGED]) report_ratio(s, empty, result, RENDER_STAGED, NAN);
    if (!result->has[RENDER_SHARED]) return;
    report_ratio(s, empty, result, RENDER_SHARED, has_limits(s) ? gain : NAN);
    report_beside(s, empty, result);
}

/* ---- cases ---- */

/* method: its number in the list. */
static clsp_status run_case(render_suite *s, const render_case *c, const look *l, size_t method)
{
    char name[NAME_MAX_BYTES];
    render_result result = {.has = {false}};
    clsp_status status;

    snprintf(name, sizeof name, "%zux%zu, %zux%zu, %s%s", c->order, c->order, c->samples,
             c->samples, l->name, methods[method].name);
    if (!bench_wants(s->b, name)) return CLSP_OK;
    BENCH_TRY(render_run_measure(&s->link, &s->scene, c, s->shared, &result));
    report(s, name, c, &result);

fail:
    return status;
}

/* In double, and where drawing on the CPU takes nearly all of the time also of other orders than
   the first, there is the first look only; a quick run has one order in float. */
static bool leaves_out(const render_suite *s, size_t order, const look *l, clsp_type precision)
{
    const bool is_double = precision == CLSP_F64, is_first = l == looks;

    if (s->b->quick) return order > orders[0] || is_double || l == &looks[1];
    if (s->link.is_software && order > orders[0]) return is_double || !is_first;
    return is_double && !is_first;
}

/* Runs a look by all methods that it has. */
static clsp_status run_look(render_suite *s, render_case c, const look *l)
{
    const size_t num = l == looks && s->b->has_methods ? BENCH_COUNT(methods) : 1;
    clsp_status status = CLSP_OK;

    for (size_t m = 0; m < num; m++) {
        c.method = methods[m].method;
        BENCH_TRY(run_case(s, &c, l, m));
    }

fail:
    return status;
}

static clsp_status run_samples(render_suite *s, size_t samples)
{
    clsp_status status = CLSP_OK;

    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        for (size_t i = 0; i < BENCH_COUNT(orders) && s->b->wanted[p]; i++) {
            for (size_t k = 0; k < BENCH_COUNT(looks); k++) {
                const render_case c = {.order = orders[i],
                                       .samples = samples,
                                       .precision = p,
                                       .lit = looks[k].lit,
                                       .side = looks[k].side};
                if (leaves_out(s, orders[i], &looks[k], p)) continue;
                BENCH_TRY(run_look(s, c, &looks[k]));
            }
        }
    }

fail:
    return status;
}

static clsp_status run_cases(render_suite *s)
{
    const bool quick = s->b->quick, soft = s->link.is_software;
    const size_t *const list = quick ? quick_samples : soft ? software_samples : gpu_samples;
    const size_t num = quick  ? BENCH_COUNT(quick_samples)
                       : soft ? BENCH_COUNT(software_samples)
                              : BENCH_COUNT(gpu_samples);
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < num; i++)
        BENCH_TRY(run_samples(s, list[i]));

fail:
    return status;
}

/* ---- the suite ---- */

static void note(const render_suite *s, const char *what, const char *text)
{
    char line[512];

    snprintf(line, sizeof line, "%s: %s%s", suite, what, text);
    bench_report_note(s->b->report, line);
}

static void note_device(const render_suite *s)
{
    char text[384];

    snprintf(text, sizeof text, "%s, OpenGL %s%s", (const char *)gl.GetString(GL_RENDERER),
             (const char *)gl.GetString(GL_VERSION),
             s->link.is_same ? ", the same device by its UUID" : "");
    note(s, "drawn by ", text);
}

/* Finds the first way by which a small buffer is shared, and notes why not by those before. */
static void find_way(render_suite *s)
{
    static const clsp_graphics_way ways[] = {CLSP_GRAPHICS_GL, CLSP_GRAPHICS_EXTERNAL};
    static const char *const failures[] = {"not shared by way gl: ",
                                           "not shared by way external: "};
    enum { VERTICES = 1024 };

    s->link.is_quiet = true;
    for (size_t i = 0; i < BENCH_COUNT(ways) && s->shared == CLSP_GRAPHICS_AUTO; i++) {
        render_memory m;
        io_message message = {""};
        if (render_memory_open(&m, &s->link, ways[i], VERTICES, 3, &message))
            s->shared = ways[i];
        else
            note(s, failures[i], message.text);
        render_memory_close(&m);
    }
    s->link.is_quiet = false;
}

clsp_status bench_suite_render(bench *b)
{
    clsp_status status = CLSP_OK;
    render_suite s = {.b = b};
    io_message message = {""};

    if (render_link_open(&s.link, b, &message) && render_scene_open(&s.scene, &s.link, &message)) {
        note_device(&s);
        find_way(&s);
        status = run_cases(&s);
    } else {
        note(&s, "left out: ", message.text);
    }
    render_scene_close(&s.scene);
    render_link_close(&s.link);
    return status;
}

#else

clsp_status bench_suite_render(bench *b)
{
    bench_report_note(b->report, "render: left out: built without the headers of EGL and OpenGL");
    return CLSP_OK;
}

#endif
