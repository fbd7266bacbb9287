#include "hard_curves.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

static double uniform(void)
{
    return 0.5 + 0.5 * random_real();
}

static void fill(curves *c)
{
    for (size_t i = 0; i < c->num * c->d.num_controls[0]; i++)
        for (unsigned k = 0; k < c->dim; k++)
            set_coordinate(c, i, k, uniform());
}

static void add_special(curves *c, double x, double y, double z)
{
    const double point[4] = {x, y, z, 0};

    assert_true(c->num_special < MAX_SPECIAL);
    memcpy(c->special[c->num_special++], point, sizeof point);
}

/* Lets every inner knot stand so many times; the number of spans follows. */
static void repeat_knots(curves *c, uint32_t times)
{
    const uint32_t degree = c->d.degree[0], controls = c->d.num_controls[0];

    for (uint32_t i = degree + 1; i < controls; i++)
        c->knots[i] = 1 + (i - degree - 1) / times;
    for (uint32_t i = controls; i <= controls + degree; i++)
        c->knots[i] = 1 + (controls - degree - 1 + times - 1) / times;
}

/* ---- joints ---- */

static curves polygon(clsp_type precision)
{
    curves c = curves_make(precision, 1, 17, 2, false, 1);

    fill(&c);
    return c;
}

/* Knots as often as the degree: kinks, which pass through control points. */
static curves kinks(clsp_type precision)
{
    curves c = curves_make(precision, 3, 22, 2, false, 1);

    fill(&c);
    repeat_knots(&c, 3);
    for (unsigned i = 0; i < 4; i++) {
        const double *const kink = c.controls + (size_t)(3 + 3 * i) * c.coords;
        add_special(&c, kink[0], kink[1], 0);
    }
    return c;
}

static curves jumps(clsp_type precision)
{
    curves c = curves_make(precision, 2, 15, 3, false, 1);

    fill(&c);
    repeat_knots(&c, 3);
    for (unsigned i = 0; i < 4; i++) { /* where a part ends */
        const double *const end = c.controls + (size_t)(2 + 3 * i) * c.coords;
        add_special(&c, end[0], end[1], end[2]);
    }
    return c;
}

/* Control points that stand several times in a row. */
static curves cusps(clsp_type precision)
{
    curves c = curves_make(precision, 3, 24, 2, false, 1);

    for (size_t i = 0; i < 24; i++)
        for (unsigned k = 0; k < 2; k++)
            set_coordinate(&c, i, k, i % 4 == 0 ? uniform() : c.controls[2 * (i - 1) + k]);
    add_special(&c, c.controls[16], c.controls[17], 0);
    return c;
}

/* A curve that turns back on itself: its derivative is 0 within a span. */
static curves turning_back(clsp_type precision)
{
    static const double points[][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};
    curves c = curves_make(precision, 3, 4, 2, false, 1);

    for (size_t i = 0; i < 4; i++)
        for (unsigned k = 0; k < 2; k++)
            set_coordinate(&c, i, k, points[i][k]);
    add_special(&c, 0.5, 0.75, 0);
    return c;
}

static curves unclamped(clsp_type precision)
{
    curves c = curves_make(precision, 4, 12, 3, false, 1);

    fill(&c);
    for (uint32_t i = 0; i < 17; i++)
        c.knots[i] = i * i / 4.0 - 20;
    return c;
}

/* ---- ties ---- */

/* Of four quarters: from its centre all points are equally near. */
static curves circle(clsp_type precision)
{
    static const double square[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                        {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    curves c = curves_make(precision, 2, 9, 2, true, 1);

    for (size_t i = 0; i < 9; i++) {
        for (unsigned k = 0; k < 2; k++)
            set_coordinate(&c, i, k, square[i % 8][k]);
        set_coordinate(&c, i, 2, i % 2 ? sqrt(0.5) : 1.0);
    }
    repeat_knots(&c, 2);
    add_special(&c, 0, 0, 0);
    add_special(&c, 1e-7, 0, 0);
    add_special(&c, 1e-3, 1e-3, 0);
    return c;
}

/* Symmetric about x = 0, from where two points are equally near. */
static curves symmetric(clsp_type precision)
{
    enum { HALF = 6 };
    curves c = curves_make(precision, 4, 2 * HALF, 2, false, 1);

    for (size_t i = 0; i < HALF; i++) {
        const double x = uniform(), y = uniform();
        set_coordinate(&c, i, 0, -x);
        set_coordinate(&c, 2 * HALF - 1 - i, 0, x);
        set_coordinate(&c, i, 1, y);
        set_coordinate(&c, 2 * HALF - 1 - i, 1, y);
    }
    for (unsigned i = 0; i < 6; i++)
        add_special(&c, 0, i / 4.0 - 0.25, 0);
    return c;
}

static curves one_point(clsp_type precision)
{
    curves c = curves_make(precision, 3, 9, 3, false, 1);

    for (size_t i = 0; i < 9; i++)
        for (unsigned k = 0; k < 3; k++)
            set_coordinate(&c, i, k, 0.3 * (k + 1));
    return c;
}

/* A line that is run through to and fro: every point of it is met several times. */
static curves to_and_fro(clsp_type precision)
{
    curves c = curves_make(precision, 2, 14, 3, false, 1);

    for (size_t i = 0; i < 14; i++)
        for (unsigned k = 0; k < 3; k++)
            set_coordinate(&c, i, k, i % 2 ? k + 1.0 : 0.0);
    return c;
}

static curves on_an_axis(clsp_type precision)
{
    curves c = curves_make(precision, 5, 20, 1, false, 1);

    fill(&c);
    return c;
}

/* Several curves, some of them the same. */
static curves same_curves(clsp_type precision)
{
    curves c = curves_make(precision, 3, 8, 2, false, 5);

    fill(&c);
    memcpy(c.controls + 48, c.controls, 16 * sizeof *c.controls);
    return c;
}

/* ---- sizes ---- */

static curves weights(clsp_type precision)
{
    curves c = curves_make(precision, 3, 20, 3, true, 1);

    fill(&c);
    for (size_t i = 0; i < 20; i++)
        set_coordinate(&c, i, 3, pow(10.0, 3 * random_real()));
    return c;
}

static curves few_weights(clsp_type precision)
{
    curves c = curves_make(precision, 4, 12, 2, true, 1);

    fill(&c);
    for (size_t i = 0; i < 12; i++)
        set_coordinate(&c, i, 2, i % 3 ? 1e-3 : 1e3);
    return c;
}

/* Moved and scaled. */
static curves placed(clsp_type precision, double scale, double offset)
{
    curves c = curves_make(precision, 4, 16, 3, false, 1);

    for (size_t i = 0; i < 16; i++)
        for (unsigned k = 0; k < 3; k++)
            set_coordinate(&c, i, k, offset + scale * uniform());
    return c;
}

static curves far_from_the_origin(clsp_type precision)
{
    return placed(precision, 1.0, 1e6);
}

static curves small(clsp_type precision)
{
    return placed(precision, 1e-6, 0.0);
}

static curves large(clsp_type precision)
{
    return placed(precision, 1e6, 0.0);
}

/* Very many control points: a walk over the unit square. */
static curves many(clsp_type precision)
{
    const uint32_t num = tiny() ? 300 : 10000;
    curves c = curves_make(precision, 3, num, 2, false, 1);

    for (size_t i = 0; i < num; i++)
        for (unsigned k = 0; k < 2; k++) {
            const double x = i > 0 ? c.controls[2 * (i - 1) + k] + 0.02 * random_real() : 0.5;
            set_coordinate(&c, i, k, x < 0 ? -x : x > 1 ? 2 - x : x);
        }
    return c;
}

/* ---- all ---- */

static const struct {
    const char *name;
    curves (*make)(clsp_type precision);
} hard[HARD_CURVES] = {{"polygon", polygon},
                       {"kinks", kinks},
                       {"jumps", jumps},
                       {"cusps", cusps},
                       {"turning back", turning_back},
                       {"unclamped", unclamped},
                       {"circle", circle},
                       {"symmetric", symmetric},
                       {"one point", one_point},
                       {"to and fro", to_and_fro},
                       {"on an axis", on_an_axis},
                       {"same curves", same_curves},
                       {"weights", weights},
                       {"few weights", few_weights},
                       {"far from the origin", far_from_the_origin},
                       {"small", small},
                       {"large", large},
                       {"many", many}};

curves hard_curves(size_t i, clsp_type precision)
{
    seed((unsigned)i + 1000);
    curves c = hard[i].make(precision);
    c.name = hard[i].name;
    curves_finish(&c);
    return c;
}
