#include "render_run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "reference.h"

enum {
    ORDER_MAX = 16,
    SHAPES = 4, /* sets of control points, one after the other from frame to frame */
    ROUNDS = 4,
    SOFTWARE_ROUNDS = 2,
    WARM = 10, /* frames of a turn that do not count, and those that do */
    SOFTWARE_WARM = 2,
    COUNTED = 10,
    SAMPLES_CHECKED = 64
};

static const double coverage_off = 0.03; /* of what is to be covered */
static const double most_error = 64;     /* in eps of float: above, a way draws something else */

typedef struct render_run {
    render_link *link;
    render_scene *scene;
    render_case c;
    size_t reals; /* of the control points of a shape: 3 each */
    double points[SHAPES][ORDER_MAX * ORDER_MAX * 3];
    float floats[SHAPES][ORDER_MAX * ORDER_MAX * 3]; /* the same values */
    size_t shape;                                    /* that was evaluated last */
    clsp_patch_plan *plan;
    cl_mem plain; /* a buffer of the device */
    render_memory memory[RENDER_UPLOAD + 1];
    bool has[RENDER_WAYS];
} render_run;

/* ---- what is evaluated ---- */

/* Control points above a regular grid, so that the patch covers a rectangle of the frame whatever
   their heights. */
static void make_shapes(render_run *x)
{
    const size_t order = x->c.order;
    double heights[SHAPES * ORDER_MAX * ORDER_MAX];

    bench_random_fill(heights, SHAPES * order * order);
    x->reals = 3 * order * order;
    for (size_t k = 0; k < SHAPES * order * order; k++) {
        const size_t i = k / order % order, j = k % order;
        const double point[3] = {x->c.side * (2.0 * (double)i / (double)(order - 1) - 1.0),
                                 x->c.side * (2.0 * (double)j / (double)(order - 1) - 1.0),
                                 0.5 * heights[k]};
        for (size_t c = 0; c < 3; c++) {
            const size_t at = 3 * (k % (order * order)) + c;
            x->floats[k / (order * order)][at] = (float)point[c];
            x->points[k / (order * order)][at] = (double)(float)point[c];
        }
    }
}

static clsp_status evaluate(render_run *x, clsp_output out)
{
    clsp_status status;

    x->shape = (x->shape + 1) % SHAPES;
    const clsp_input points = x->c.precision == CLSP_F64
                                  ? clsp_in_f64(x->points[x->shape], x->reals)
                                  : clsp_in_f32(x->floats[x->shape], x->reals);
    BENCH_TRY(bench_check(clsp_patch_set_control_points(x->plan, 1, points, NULL),
                          "clsp_patch_set_control_points"));
    BENCH_TRY(
        bench_check(clsp_patch_eval(x->plan, (clsp_range){0, 1}, out, NULL), "clsp_patch_eval"));

fail:
    return status;
}

/* ---- a frame of each way ---- */

static void draw(const render_run *x, const render_memory *m)
{
    render_scene_draw(x->scene, m->array, x->c.lit);
}

static clsp_status frame_shared(render_run *x)
{
    const render_memory *const m = &x->memory[RENDER_SHARED];
    clsp_status status;

    BENCH_TRY(evaluate(x, render_memory_output(m)));
    if (!m->orders_itself) BENCH_TRY(bench_check(clFinish(x->link->queue), "clFinish"));
    draw(x, m);

fail:
    return status;
}

static clsp_status frame_staged(render_run *x)
{
    const clsp_status status = evaluate(x, render_memory_output(&x->memory[RENDER_STAGED]));

    if (status == CLSP_OK) draw(x, &x->memory[RENDER_STAGED]);
    return status;
}

static clsp_status frame_upload(render_run *x)
{
    const clsp_status status = evaluate(x, render_memory_output(&x->memory[RENDER_UPLOAD]));

    if (status != CLSP_OK) return status;
    render_memory_upload(&x->memory[RENDER_UPLOAD]);
    draw(x, &x->memory[RENDER_UPLOAD]);
    return CLSP_OK;
}

static clsp_status frame_evaluation(render_run *x)
{
    const clsp_status status = evaluate(x, clsp_out_buffer(x->plain, CLSP_F32, 0));

    return status == CLSP_OK ? bench_check(clFinish(x->link->queue), "clFinish") : status;
}

static clsp_status frame_drawing(render_run *x)
{
    draw(x, &x->memory[x->has[RENDER_SHARED] ? RENDER_SHARED : RENDER_UPLOAD]);
    return CLSP_OK;
}

static clsp_status (*const frames[RENDER_WAYS])(render_run *x) = {
    frame_shared, frame_staged, frame_upload, frame_evaluation, frame_drawing};

/* ---- a look at what was drawn ---- */

/* Compares vertices that OpenGL has with points in long double: the worst error, or infinity where
   a normal is none. */
static double check_vertices(const render_run *x, const render_memory *m)
{
    const size_t num = x->c.samples, order = x->c.order, stride = x->c.lit ? 6 : 3;
    const double *const points = x->points[x->shape];
    unsigned long long state = 7;
    double largest = 0.0, worst = 0.0;

    for (size_t i = 0; i < x->reals; i++)
        largest = fmax(largest, fabs(points[i]));
    gl.BindBuffer(GL_ARRAY_BUFFER, m->buffer);
    for (size_t k = 0; k < SAMPLES_CHECKED; k++) {
        const size_t a = bench_random_below(&state, num), b = bench_random_below(&state, num);
        const size_t bytes = stride * sizeof(float);
        long double at_u[ORDER_MAX], at_v[ORDER_MAX], expected[3];
        float vertex[6] = {NAN, NAN, NAN, 0, 0, 1};

        gl.GetBufferSubData(GL_ARRAY_BUFFER, (GLintptr)((a * num + b) * bytes), (GLsizeiptr)bytes,
                            vertex);
        bench_bernstein(order, a, num, at_u);
        bench_bernstein(order, b, num, at_v);
        bench_reference_point(order, points, at_u, at_v, expected);
        for (size_t i = 0; i < 3; i++) {
            const double off = fabs((double)((long double)vertex[i] - expected[i]));
            worst = off <= largest ? fmax(worst, off) : INFINITY; /* also of a NaN */
        }
        const double length =
            sqrt((double)vertex[3] * (double)vertex[3] + (double)vertex[4] * (double)vertex[4] +
                 (double)vertex[5] * (double)vertex[5]);
        if (!(fabs(length - 1.0) < 1e-3) || vertex[5] <= 0) worst = INFINITY;
    }
    return worst / ((double)FLT_EPSILON * largest);
}

/* Draws a frame, so that no way can be fast by drawing nothing, or something else. */
static clsp_status check_way(render_run *x, render_way way, double *error)
{
    clsp_status status;

    *error = NAN;
    BENCH_TRY(frames[way](x));
    if (way == RENDER_EVALUATION) return CLSP_OK;
    const double covered = render_scene_coverage(x->scene), wanted = x->c.side * x->c.side;
    if (!(fabs(covered - wanted) <= coverage_off * wanted)) {
        fprintf(stderr, "clspline-bench: way %d draws %g of the pixels, not %g\n", (int)way,
                covered, wanted);
        return CLSP_ERROR_STATE;
    }
    if (way == RENDER_DRAWING) return CLSP_OK;
    *error = check_vertices(x, &x->memory[way]);
    if (*error <= most_error && gl.GetError() == GL_NO_ERROR) return CLSP_OK;
    fprintf(stderr, "clspline-bench: way %d draws other vertices, off by %g eps\n", (int)way,
            *error);
    return CLSP_ERROR_STATE;

fail:
    return status;
}

/* ---- measuring ---- */

/* Frames of one way behind another, since a frame after a pause finds lower clocks. */
static clsp_status take_turn(render_run *x, render_way way, double *ms)
{
    const int warm = x->link->is_software ? SOFTWARE_WARM : WARM;
    clsp_status status = CLSP_OK;

    for (int i = -warm; i < COUNTED && status == CLSP_OK; i++) {
        const double start = bench_now_ms();
        status = frames[way](x);
        if (i >= 0) ms[i] = bench_now_ms() - start;
    }
    return status;
}

static clsp_status measure_all(render_run *x, render_result *result)
{
    const size_t rounds = x->link->is_software ? SOFTWARE_ROUNDS : ROUNDS;
    double ms[RENDER_WAYS][ROUNDS * COUNTED];
    clsp_status status = CLSP_OK;

    for (size_t round = 0; round < rounds; round++) {
        for (size_t k = 0; k < RENDER_WAYS; k++) {
            /* there and back, so that no way always follows the same other */
            const size_t way = round % 2 ? RENDER_WAYS - 1 - k : k;
            if (x->has[way]) BENCH_TRY(take_turn(x, (render_way)way, ms[way] + round * COUNTED));
        }
    }
    for (size_t way = 0; way < RENDER_WAYS; way++)
        if (x->has[way]) result->time[way] = bench_timing_of(ms[way], rounds * COUNTED);

fail:
    return status;
}

/* ---- a case ---- */

static clsp_status open_plan(render_run *x)
{
    const uint32_t degree = (uint32_t)(x->c.order - 1), num = (uint32_t)x->c.samples;
    const unsigned normal = x->c.lit ? CLSP_VERTEX_NORMAL : 0;
    const clsp_bezier_desc desc = {
        .precision = x->c.precision,
        .degree = {degree, degree},
        .axis = {{.num = num}, {.num = num}},
        .dim = 3,
        .vertex = {.attributes = CLSP_VERTEX_POINT | normal, .type = CLSP_F32},
        .method = x->c.method};

    return bench_check(clsp_bezier_plan_create(&x->plan, x->link->ctx, &desc),
                       "clsp_bezier_plan_create");
}

/* Opens the memory of a way. An OpenGL that maps no buffer for good has no way staged. */
static clsp_status open_memory(render_run *x, render_way way, clsp_graphics_way graphics)
{
    const size_t vertices = x->c.samples * x->c.samples, stride = x->c.lit ? 6 : 3;
    render_memory *const m = &x->memory[way];
    io_message message = {""};

    x->has[way] = render_memory_open(m, x->link, graphics, vertices, stride, &message);
    if (x->has[way] || way == RENDER_STAGED) return CLSP_OK;
    fprintf(stderr, "clspline-bench: %s\n", message.text);
    return CLSP_ERROR_STATE;
}

static clsp_status open_all(render_run *x, clsp_graphics_way shared)
{
    cl_int code = CL_SUCCESS;
    clsp_status status;
    io_message message = {""};

    make_shapes(x);
    BENCH_TRY(open_plan(x));
    if (!render_scene_grid(x->scene, x->c.samples, &message)) {
        fprintf(stderr, "clspline-bench: %s\n", message.text);
        return CLSP_ERROR_NO_MEMORY;
    }
    if (shared != CLSP_GRAPHICS_AUTO) BENCH_TRY(open_memory(x, RENDER_SHARED, shared));
    BENCH_TRY(open_memory(x, RENDER_STAGED, CLSP_GRAPHICS_STAGED));
    BENCH_TRY(open_memory(x, RENDER_UPLOAD, CLSP_GRAPHICS_AUTO));
    x->plain = clCreateBuffer(x->link->context, CL_MEM_READ_WRITE, x->memory[RENDER_UPLOAD].bytes,
                              NULL, &code);
    BENCH_TRY(bench_check(code, "clCreateBuffer"));
    x->has[RENDER_EVALUATION] = x->has[RENDER_DRAWING] = true;

fail:
    return status;
}

static void close_all(render_run *x)
{
    for (size_t i = 0; i < BENCH_COUNT(x->memory); i++)
        render_memory_close(&x->memory[i]);
    if (x->plain) clReleaseMemObject(x->plain);
    clsp_patch_plan_destroy(&x->plan);
}

clsp_status render_run_measure(render_link *link, render_scene *scene, const render_case *c,
                               clsp_graphics_way shared, render_result *result)
{
    clsp_status status = CLSP_ERROR_NO_MEMORY;
    render_run *const x = calloc(1, sizeof *x);

    if (!x) return bench_check(status, "a case");
    x->link = link;
    x->scene = scene;
    x->c = *c;
    BENCH_TRY(open_all(x, shared));
    for (int way = 0; way < RENDER_WAYS; way++) {
        result->has[way] = x->has[way];
        if (x->has[way]) BENCH_TRY(check_way(x, (render_way)way, &result->error[way]));
    }
    BENCH_TRY(measure_all(x, result));

fail:
    if (x) close_all(x);
    free(x);
    return status;
}
