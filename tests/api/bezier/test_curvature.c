/* Curvatures of shapes whose curvature is known, as Bezier patches and as B-splines, on grids and
   at parameters: arcs, spheres, cylinders, planes, also far from the origin, and what has no
   tangent; and of volumes, whose layers have them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>

#include "support.h"
#include "vertex_fixture.h"
#include "tile_fixture.h"

enum { MOST = 80, NUM = 5 /* samples along each direction */, VERTICES = NUM * NUM };

/* A patch of one span, and the curvatures that it has everywhere. */
typedef struct shape {
    const char *name;
    uint32_t directions, degree[2], dim, rational;
    double controls[MOST];
    double curvature[2];
    double size;                  /* by which errors of curvatures grow */
    bool pole;                    /* the edge at the end of v is one point */
    bool begins_slowly, vanishes; /* no tangent at the begin, nowhere */
} shape;

static size_t reals_of(const shape *s)
{
    return (size_t)(s->degree[0] + 1) * (s->directions > 1 ? s->degree[1] + 1 : 1) *
           (s->dim + s->rational);
}

/* ---- shapes ---- */

/* The ends and the corner of a quarter of the unit circle, and their weights (Piegl and Tiller, The
   NURBS Book, 7.3). */
static const double quarter[3][2] = {{1, 0}, {1, 1}, {0, 1}};
static const double quarter_weight[3] = {1, 0.70710678118654752, 1};

/* A quarter of a circle in the plane, counterclockwise or not, or in space. */
static shape arc(double radius, double offset, uint32_t dim, bool back)
{
    shape s = {.name = "arc", .directions = 1, .degree = {2}, .dim = dim, .rational = 1};

    for (int i = 0; i < 3; i++) {
        const int k = back ? 2 - i : i;
        double *const p = s.controls + i * ((int)dim + 1);
        for (uint32_t c = 0; c < dim; c++)
            p[c] = (offset + (c < 2 ? radius * quarter[k][c] : 0)) * quarter_weight[k];
        p[dim] = quarter_weight[k];
    }
    s.curvature[0] = (back && dim == 2 ? -1 : 1) / radius;
    s.size = (1 + fabs(offset) / radius) / radius;
    return s;
}

/* A quarter of a surface of revolution, outside: a profile of radii, heights and weights. */
static shape revolve(uint32_t degree, const double profile[][3], double offset)
{
    shape s = {.directions = 2, .degree = {2, degree}, .dim = 3, .rational = 1};
    double *p = s.controls;

    for (int i = 0; i < 3; i++)
        for (uint32_t j = 0; j <= degree; j++, p += 4) {
            const double w = quarter_weight[i] * profile[j][2];
            p[0] = (offset + profile[j][0] * quarter[i][0]) * w;
            p[1] = (offset + profile[j][0] * quarter[i][1]) * w;
            p[2] = (offset + profile[j][1]) * w;
            p[3] = w;
        }
    return s;
}

static shape sphere(double radius, double offset)
{
    double profile[3][3];

    for (int j = 0; j < 3; j++) {
        profile[j][0] = radius * quarter[j][0];
        profile[j][1] = radius * quarter[j][1];
        profile[j][2] = quarter_weight[j];
    }
    shape s = revolve(2, (const double(*)[3])profile, offset);
    s.name = "sphere";
    s.curvature[0] = s.curvature[1] = -1 / radius;
    s.size = (1 + fabs(offset) / radius) / radius;
    s.pole = true;
    return s;
}

static shape cylinder(double radius, double offset)
{
    const double profile[2][3] = {{radius, 0, 1}, {radius, 3 * radius, 1}};
    shape s = revolve(1, profile, offset);

    s.name = "cylinder";
    s.curvature[1] = -1 / radius;
    s.size = (1 + fabs(offset) / radius) / radius;
    return s;
}

/* A tilted plane with parameter lines that bend; its numbers are whole ones. */
static shape plane(double offset)
{
    shape s = {.name = "plane", .directions = 2, .degree = {3, 3}, .dim = 3, .size = 4};
    double *p = s.controls;

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++, p += 3) {
            const double x = 4 * i + i * j + j * j, y = 5 * j - i * i;
            p[0] = offset + x;
            p[1] = offset + y;
            p[2] = offset + x + 2 * y;
        }
    return s;
}

/* A line that is run through with a speed that changes, and from standing still. */
static shape line(double offset, bool slowly)
{
    static const double places[2][4] = {{0, 1, 5, 7}, {0, 0, 1, 3}};
    shape s = {.name = slowly ? "line from rest" : "line",
               .directions = 1,
               .degree = {3},
               .dim = 3,
               .size = 4,
               .begins_slowly = slowly};

    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++)
            s.controls[3 * i + c] = offset + (c + 1) * places[slowly][i];
    return s;
}

static shape one_point(uint32_t directions, uint32_t dim, uint32_t rational)
{
    shape s = {.name = "one point",
               .directions = directions,
               .degree = {3, 2},
               .dim = dim,
               .rational = rational,
               .vanishes = true};

    for (size_t i = 0; i < reals_of(&s); i++) {
        const uint32_t c = (uint32_t)(i % (dim + rational));
        const double w = rational ? 1.0 + (double)(i / (dim + rational) % 4) / 4 : 1.0;
        s.controls[i] = c == dim ? w : (0.5 + c) * w; /* exact */
    }
    return s;
}

/* ---- evaluation ---- */

/* What a family evaluates a shape with, on the grid and at the same parameters. */
typedef clsp_status (*eval_fn)(clsp_context *ctx, const shape *s, clsp_type precision,
                               const void *controls, const void *params, void *out[3]);

static clsp_output curvatures(const shape *s, clsp_type precision, void *memory)
{
    return host_out(precision, memory, (size_t)VERTICES * s->directions);
}

static size_t vertices_of(const shape *s)
{
    return s->directions == 1 ? NUM : VERTICES;
}

static const uint32_t first_patch[VERTICES];

static clsp_status eval_bezier(clsp_context *ctx, const shape *s, clsp_type precision,
                               const void *controls, const void *params, void *out[3])
{
    const clsp_bezier_desc d = {.form =
                                    s->directions == 1 ? CLSP_BEZIER_CURVE : CLSP_BEZIER_SURFACE,
                                .precision = precision,
                                .degree = {s->degree[0], s->degree[1]},
                                .axis = {{.num = NUM}, {.num = s->directions > 1 ? NUM : 0}},
                                .dim = s->dim,
                                .rational = s->rational,
                                .vertex.attributes = K};
    const size_t num = vertices_of(s);
    clsp_patch_plan *plan;

    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 1, host_in(precision, controls, reals_of(s)), NULL),
        CLSP_OK);
    assert_int_equal(
        clsp_patch_eval(plan, (clsp_range){0, 1}, curvatures(s, precision, out[0]), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval_points(
                         plan,
                         &(clsp_points){.num = num,
                                        .item = clsp_in_u32(first_patch, num),
                                        .params = host_in(precision, params, num * s->directions)},
                         curvatures(s, precision, out[1]), NULL),
                     CLSP_OK);
    const clsp_status status =
        eval_by_caller(plan, (clsp_range){0, 1}, curvatures(s, precision, out[2]));
    clsp_patch_plan_destroy(&plan);
    return status;
}

static clsp_status eval_bspline(clsp_context *ctx, const shape *s, clsp_type precision,
                                const void *controls, const void *params, void *out[3])
{
    const clsp_bspline_desc d = {.directions = s->directions,
                                 .precision = precision,
                                 .degree = {s->degree[0], s->degree[1]},
                                 .num_controls = {s->degree[0] + 1, s->degree[1] + 1},
                                 .axis = {{.num = NUM}, {.num = s->directions > 1 ? NUM : 0}},
                                 .dim = s->dim,
                                 .rational = s->rational,
                                 .vertex.attributes = K};
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const size_t num = vertices_of(s);
    clsp_patch_plan *plan;

    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 1, host_in(precision, controls, reals_of(s)), NULL),
        CLSP_OK);
    assert_int_equal(
        clsp_patch_eval(plan, (clsp_range){0, 1}, curvatures(s, precision, out[0]), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval_points(
                         plan,
                         &(clsp_points){.num = num,
                                        .item = clsp_in_u32(first_patch, num),
                                        .params = host_in(precision, params, num * s->directions)},
                         curvatures(s, precision, out[1]), NULL),
                     CLSP_OK);
    const clsp_status status = clsp_patch_eval(
        plan, (clsp_range){0, 1}, curvatures(s, precision, out[2]), &(clsp_run){.share = &host});
    clsp_patch_plan_destroy(&plan);
    return status;
}

/* ---- checks ---- */

static double worst;

static double real_at(clsp_type precision, const void *values, size_t k)
{
    return precision == CLSP_F64 ? ((const double *)values)[k] : (double)((const float *)values)[k];
}

static void put_real(clsp_type precision, void *values, size_t k, double x)
{
    if (precision == CLSP_F64)
        ((double *)values)[k] = x;
    else
        ((float *)values)[k] = (float)x;
}

static void check_vertex(const shape *s, clsp_type precision, size_t k, const void *got)
{
    enum { BOUND = 64 };
    const double eps = precision == CLSP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
    const bool at_pole = s->pole && k % NUM == NUM - 1;
    const bool lost = s->vanishes || at_pole || (s->begins_slowly && k == 0);

    for (uint32_t c = 0; c < s->directions; c++) {
        const double x = real_at(precision, got, k * s->directions + c);
        const double exact = lost ? 0.0 : s->curvature[c];
        const double most = lost ? 0.0 : BOUND * eps * s->size;
        if (!(fabs(x - exact) <= most))
            fail_msg("%s, f%d, dim %u, size %g, vertex %zu: curvature %u is %g, not %g; allowed %g",
                     s->name, precision == CLSP_F64 ? 64 : 32, s->dim, s->size, k, c, x, exact,
                     most);
        if (most > 0) worst = support_worse(worst, fabs(x - exact) / most);
    }
}

static void check_shape(clsp_context *ctx, const shape *s, clsp_type precision)
{
    static const eval_fn families[] = {eval_bezier, eval_bspline};
    double controls[MOST], params[2 * VERTICES], memory[3][2 * VERTICES];
    void *out[3] = {memory[0], memory[1], memory[2]};

    for (size_t i = 0; i < reals_of(s); i++)
        put_real(precision, controls, i, s->controls[i]);
    for (size_t k = 0; k < vertices_of(s); k++)
        for (uint32_t c = 0; c < s->directions; c++) {
            const size_t along = s->directions == 1 || c == 1 ? k % NUM : k / NUM;
            put_real(precision, params, k * s->directions + c, (double)along / (NUM - 1));
        }
    for (size_t f = 0; f < COUNT(families); f++) {
        const clsp_status status = families[f](ctx, s, precision, controls, params, out);
        assert_int_equal(status, CLSP_OK);
        for (int way = 0; way < 3; way++)
            for (size_t k = 0; k < vertices_of(s); k++)
                check_vertex(s, precision, k, out[way]);
    }
}

static void known(clsp_context *ctx, clsp_type precision)
{
    static const double offsets[] = {0, -30, 1e6};
    static const double radii[] = {1, 1e-3, 1e5};

    for (size_t i = 0; i < COUNT(radii); i++) {
        const double offset = precision == CLSP_F64 ? offsets[i] : fmin(offsets[i], 1e3);
        const double r = precision == CLSP_F32 && i == 1 ? 1 : radii[i];
        const shape shapes[] = {arc(r, offset, 2, false), arc(r, offset, 2, true),
                                arc(r, offset, 3, false), sphere(r, offset), cylinder(r, offset)};
        for (size_t k = 0; k < COUNT(shapes); k++)
            if (in_turn(k) && (!tiny() || i == 0)) check_shape(ctx, &shapes[k], precision);
    }
    const shape flat[] = {plane(0), plane(1e6), line(0, false), line(1e6, true)};
    for (size_t k = 0; k < COUNT(flat); k++)
        if (in_turn(k / 2)) check_shape(ctx, &flat[k], precision);
}

static void test_known(void **state)
{
    (void)state;
    with_limits(known);
    print_message("worst/bound %.2f\n", worst);
}

static void degenerate(clsp_context *ctx, clsp_type precision)
{
    const shape shapes[] = {one_point(1, 2, 0), one_point(1, 3, 1), one_point(2, 3, 0),
                            one_point(2, 3, 1)};

    for (size_t k = 0; k < COUNT(shapes); k++)
        if (in_turn(k)) check_shape(ctx, &shapes[k], precision);
}

static void test_degenerate(void **state)
{
    (void)state;
    with_limits(degenerate);
}

/* A parameter that is no number has a curvature that is none. */
static void test_not_a_number(void **state)
{
    const clsp_bezier_desc d = {.degree = {2, 1}, .rational = 1, .vertex.attributes = K};
    const shape s = cylinder(2, 0);
    const float params[4] = {NAN, 0, 0.5F, 0.5F};
    float controls[MOST], out[4];
    clsp_patch_plan *plan;

    (void)state;
    for (size_t i = 0; i < reals_of(&s); i++)
        controls[i] = (float)s.controls[i];
    assert_int_equal(clsp_bezier_plan_create(&plan, lent_context(""), &d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, reals_of(&s)), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval_points(plan,
                                            &(clsp_points){.num = 2,
                                                           .item = clsp_in_u32(first_patch, 2),
                                                           .params = clsp_in_f32(params, 4)},
                                            clsp_out_f32(out, 4), NULL),
                     CLSP_OK);
    assert_true(isnan(out[0]) && isnan(out[1]));
    assert_true(fabsf(out[2]) < 1e-5F && fabsf(out[3] + 0.5F) < 1e-5F);
    clsp_patch_plan_destroy(&plan);
}

/* ---- volumes ---- */

enum { LAYERS = 2, LAYER_REALS = 5 /* of a vertex: its normal and curvatures */ };

/* Makes a surface's normals and curvatures twice: the first is that of the volume's first layer,
   whose second one is twice as large about a point, (offset, offset, offset). */
static void make_layers(const shape *s, double offset, shape layers[LAYERS], double *controls)
{
    const uint32_t coords = s->dim + s->rational;

    layers[0] = layers[1] = *s;
    for (size_t i = 0; i < reals_of(s); i++) {
        const double w = s->rational ? s->controls[i / coords * coords + s->dim] : 1;
        if (i % coords < s->dim) layers[1].controls[i] = 2 * s->controls[i] - offset * w;
        for (size_t l = 0; l < LAYERS; l++)
            controls[(i / coords * LAYERS + l) * coords + i % coords] = layers[l].controls[i];
    }
    for (int c = 0; c < 2; c++)
        layers[1].curvature[c] /= 2;
}

/* Evaluates the volume on its grid, at the same parameters, and by the host's cores. */
static void eval_volume(clsp_patch_plan *plan, clsp_type precision, void *out[3])
{
    enum { ALL = VERTICES * LAYERS };
    static const uint32_t patches[ALL];
    static const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_range one = {0, 1};
    double params[3 * ALL];
    clsp_output to[3];

    for (size_t k = 0; k < ALL; k++) {
        put_real(precision, params, 3 * k, (double)(k / LAYERS / NUM) / (NUM - 1));
        put_real(precision, params, 3 * k + 1, (double)(k / LAYERS % NUM) / (NUM - 1));
        put_real(precision, params, 3 * k + 2, (double)(k % LAYERS));
    }
    const clsp_points list = {.num = ALL,
                              .item = clsp_in_u32(patches, ALL),
                              .params = host_in(precision, params, (size_t)3 * ALL)};
    for (int way = 0; way < 3; way++)
        to[way] = host_out(precision, out[way], (size_t)LAYER_REALS * ALL);
    assert_int_equal(clsp_patch_eval(plan, one, to[0], NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval_points(plan, &list, to[1], NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, one, to[2], &(clsp_run){.share = &host}), CLSP_OK);
}

static clsp_patch_plan *volume_of(clsp_context *ctx, const shape *s, clsp_type precision, bool span)
{
    const uint32_t attributes = CLSP_VERTEX_NORMAL | CLSP_VERTEX_CURVATURE;
    const clsp_bezier_desc bezier = {.form = CLSP_BEZIER_VOLUME,
                                     .precision = precision,
                                     .degree = {s->degree[0], s->degree[1], LAYERS - 1},
                                     .axis = {{.num = NUM}, {.num = NUM}, {.num = LAYERS}},
                                     .dim = 3,
                                     .rational = s->rational,
                                     .vertex.attributes = attributes};
    const clsp_bspline_desc bspline = {.directions = 3,
                                       .precision = precision,
                                       .degree = {s->degree[0], s->degree[1], LAYERS - 1},
                                       .num_controls = {s->degree[0] + 1, s->degree[1] + 1, LAYERS},
                                       .axis = {{.num = NUM}, {.num = NUM}, {.num = LAYERS}},
                                       .dim = 3,
                                       .rational = s->rational,
                                       .vertex.attributes = attributes};
    clsp_patch_plan *plan;

    assert_int_equal(span ? clsp_bspline_plan_create(&plan, ctx, &bspline)
                          : clsp_bezier_plan_create(&plan, ctx, &bezier),
                     CLSP_OK);
    return plan;
}

/* Checks that layers have the curvatures of surfaces, whose sign tells to which side the normal
   points, and normals of unit length. */
static void check_layers(clsp_context *ctx, const shape *s, double offset, clsp_type precision)
{
    double controls[LAYERS * MOST], memory[3][LAYER_REALS * LAYERS * VERTICES];
    double curvature[2 * VERTICES];
    void *out[3] = {memory[0], memory[1], memory[2]};
    shape layers[LAYERS];

    make_layers(s, offset, layers, controls);
    for (size_t i = 0; i < LAYERS * reals_of(s); i++)
        put_real(precision, controls, i, controls[i]);
    for (int span = 0; span < 2; span++) {
        clsp_patch_plan *plan = volume_of(ctx, s, precision, span);
        assert_int_equal(clsp_patch_set_control_points(
                             plan, 1, host_in(precision, controls, LAYERS * reals_of(s)), NULL),
                         CLSP_OK);
        eval_volume(plan, precision, out);
        clsp_patch_plan_destroy(&plan);
        for (size_t k = 0; k < (size_t)3 * LAYERS * VERTICES; k++) {
            const size_t vertex = k % (LAYERS * VERTICES), on = vertex / LAYERS;
            const void *const from = out[k / (LAYERS * VERTICES)];
            double length = 0;
            for (size_t c = 0; c < 3; c++)
                length += pow(real_at(precision, from, LAYER_REALS * vertex + c), 2);
            assert_true(fabs(length - 1) < (precision == CLSP_F64 ? 1e-14 : 1e-6));
            for (size_t c = 0; c < 2; c++)
                put_real(precision, curvature, 2 * on + c,
                         real_at(precision, from, LAYER_REALS * vertex + 3 + c));
            check_vertex(&layers[vertex % LAYERS], precision, on, curvature);
        }
    }
}

static void of_layers(clsp_context *ctx, clsp_type precision)
{
    const double offsets[] = {0, -30};

    for (size_t i = 0; i < COUNT(offsets); i++) {
        const shape shapes[] = {sphere(2, offsets[i]), cylinder(0.5, offsets[i]),
                                plane(offsets[i])};
        for (size_t k = 0; k < COUNT(shapes); k++)
            if (in_turn(k)) check_layers(ctx, &shapes[k], offsets[i], precision);
    }
}

static void test_layers(void **state)
{
    (void)state;
    with_limits(of_layers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_layers),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
