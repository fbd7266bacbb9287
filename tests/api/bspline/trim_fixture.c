#include "trim_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "schedule_fixture.h"
#include "support.h"

part *part_new(void)
{
    static const clsp_context_opts host = {.device = "host", .limits = ""};
    part *const p = calloc(1, sizeof *p);

    assert_non_null(p);
    p->ctx = lent_context("");
    if (!device_of(p->ctx).fp64) assert_ok(NULL, clsp_context_create(&p->own_ctx, NULL, &host));
    if (p->own_ctx) p->ctx = p->own_ctx;
    return p;
}

/* ---- curves ---- */

static void append(part_curves *c, unsigned degree, unsigned controls, const double *knots,
                   const double *points, unsigned coords)
{
    const uint32_t n = c->num++;

    assert_true(n < PART_CURVES);
    c->degree[n] = degree;
    c->num_controls[n] = controls;
    c->knots_at[n] = c->num_knots;
    c->reals_at[n] = c->num_reals;
    for (unsigned i = 0; i < controls + degree + 1; i++)
        c->knots[c->num_knots++] = knots           ? knots[i]
                                   : i <= degree   ? 0
                                   : i >= controls ? 1
                                                   : (double)(i - degree) / (controls - degree);
    memcpy(c->reals + c->num_reals, points, (size_t)controls * coords * sizeof *points);
    c->num_reals += (size_t)controls * coords;
    assert_true(c->num_knots < PART_REALS - 256 && c->num_reals < PART_REALS - 1024);
}

void part_loop(part *p)
{
    p->loop[p->num_faces] = ++p->num_loops;
    p->curve[p->num_loops] = p->curves.num;
}

void part_curve(part *p, unsigned degree, unsigned controls, const double *knots,
                const double *points, int edge)
{
    p->edge[p->curves.num] = edge == NO_EDGE ? UINT32_MAX : (uint32_t)edge;
    append(&p->curves, degree, controls, knots, points, 3);
    p->curve[p->num_loops] = p->curves.num;
}

void part_line(part *p, double u0, double v0, double u1, double v1, int edge)
{
    const double points[6] = {u0, v0, 1, u1, v1, 1};

    part_curve(p, 1, 2, NULL, points, edge);
}

static const double circle_knots[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
static const double circle[9][2] = {{1, 0},   {1, 1},  {0, 1},  {-1, 1}, {-1, 0},
                                    {-1, -1}, {0, -1}, {1, -1}, {1, 0}};

void part_circle(part *p, double u, double v, double ru, double rv, int edge)
{
    double points[27];

    for (int i = 0; i < 9; i++) {
        const double w = i % 2 ? sqrt(0.5) : 1;
        points[3 * i] = w * (u + ru * circle[i][0]);
        points[3 * i + 1] = w * (v + rv * circle[i][1]);
        points[3 * i + 2] = w;
    }
    part_curve(p, 2, 9, circle_knots, points, edge);
}

int part_edge(part *p, unsigned degree, unsigned controls, const double *knots,
              const double *points, double tolerance)
{
    p->tolerance[p->edges.num] = tolerance;
    append(&p->edges, degree, controls, knots, points, 4);
    return (int)p->edges.num - 1;
}

int part_straight_edge(part *p, const double a[3], const double b[3])
{
    const double points[8] = {a[0], a[1], a[2], 1, b[0], b[1], b[2], 1};

    return part_edge(p, 1, 2, NULL, points, 0);
}

int part_round_edge(part *p, const double centre[3], const double x[3], const double y[3])
{
    double points[36];

    for (int i = 0; i < 9; i++) {
        const double w = i % 2 ? sqrt(0.5) : 1;
        for (int k = 0; k < 3; k++)
            points[4 * i + k] = w * (centre[k] + circle[i][0] * x[k] + circle[i][1] * y[k]);
        points[4 * i + 3] = w;
    }
    return part_edge(p, 2, 9, circle_knots, points, 0);
}

/* ---- faces ---- */

void part_face(part *p, const unsigned degree[2], const unsigned controls[2],
               const double *const knots[2], const double *points)
{
    static const double one[2] = {0, 1};
    const size_t num = (size_t)controls[0] * controls[1] * 4;
    const size_t of_knots = controls[0] + controls[1] + degree[0] + degree[1] + 2;
    const uint32_t f = p->num_faces++;
    bool rational = false;
    for (size_t i = 3; i < num; i += 4)
        rational = rational || points[i] != 1;
    double *const copied = malloc((num + of_knots) * sizeof *copied), *to = copied + num;
    const clsp_bspline_desc d = {.precision = CLSP_F64,
                                 .degree = {degree[0], degree[1]},
                                 .num_controls = {controls[0], controls[1]},
                                 .knots = {knots ? knots[0] : NULL, knots ? knots[1] : NULL},
                                 .rational = rational};

    assert_true(copied && f < PART_FACES);
    p->memory[f] = copied;
    memcpy(copied, points, num * sizeof *copied);
    p->surfaces[f] = (ref_bspline){.directions = 2,
                                   .degree = {degree[0], degree[1]},
                                   .controls = {controls[0], controls[1], 1},
                                   .knots = {NULL, NULL, one},
                                   .dim = 3,
                                   .rational = 1,
                                   .points = copied};
    for (int k = 0; k < 2; k++) {
        p->surfaces[f].knots[k] = to;
        for (unsigned i = 0; i < controls[k] + degree[k] + 1; i++)
            *to++ = knots              ? knots[k][i]
                    : i <= degree[k]   ? 0
                    : i >= controls[k] ? 1
                                       : (double)(i - degree[k]) / (controls[k] - degree[k]);
    }
    assert_ok(p->ctx, clsp_bspline_plan_create(&p->plans[f], p->ctx, &d));
    double *const loaded = malloc(num * sizeof *loaded);
    size_t reals = 0;
    assert_non_null(loaded);
    for (size_t i = 0; i < num; i++)
        if (rational || i % 4 < 3) loaded[reals++] = points[i];
    assert_ok(p->ctx,
              clsp_patch_set_control_points(p->plans[f], 1, clsp_in_f64(loaded, reals), NULL));
    free(loaded);
    p->loop[f + 1] = p->num_loops;
}

void part_plane(part *p, const double corner[3], const double x[3], const double y[3])
{
    static const unsigned one[2] = {1, 1}, two[2] = {2, 2};
    double points[4][4];

    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++)
            points[i][k] = corner[k] + i / 2 * x[k] + i % 2 * y[k];
        points[i][3] = 1;
    }
    part_face(p, one, two, NULL, points[0]);
}

void part_cylinder(part *p, double radius, double low, double high)
{
    static const double knots[12] = {0, 0, 0, .25, .25, .5, .5, .75, .75, 1, 1, 1};
    static const double line[4] = {0, 0, 1, 1};
    static const double at[9][2] = {{1, 0},   {1, 1},  {0, 1},  {-1, 1}, {-1, 0},
                                    {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
    const double *const both[2] = {knots, line};
    const unsigned degrees[2] = {2, 1}, controls[2] = {9, 2};
    double points[9][2][4];

    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 2; k++) {
            const double w = i % 2 ? sqrt(0.5) : 1;
            const double x[4] = {w * radius * at[i][0], w * radius * at[i][1], w * (k ? high : low),
                                 w};
            memcpy(points[i][k], x, sizeof x);
        }
    part_face(p, degrees, controls, both, points[0][0]);
}

static ref_bspline curve_of(const part_curves *c, uint32_t i, unsigned dim)
{
    static const double one[2] = {0, 1};

    return (ref_bspline){.directions = 1,
                         .degree = {c->degree[i]},
                         .controls = {c->num_controls[i], 1, 1},
                         .knots = {c->knots + c->knots_at[i], one, one},
                         .dim = dim,
                         .rational = 1,
                         .points = c->reals + c->reals_at[i]};
}

clsp_trims part_trims(const part *p)
{
    const part_curves *const c = &p->curves, *const e = &p->edges;

    return (clsp_trims){.loop = p->loop,
                        .curve = p->curve,
                        .curves = {.num = c->num,
                                   .degree = c->degree,
                                   .num_controls = c->num_controls,
                                   .knots = c->knots,
                                   .controls = c->reals},
                        .edges = {.num = e->num,
                                  .degree = e->degree,
                                  .num_controls = e->num_controls,
                                  .knots = e->knots,
                                  .controls = e->reals},
                        .edge = p->edge,
                        .tolerance = p->tolerance,
                        .turned = p->turned};
}

void part_make(part *p)
{
    const clsp_trims trims = part_trims(p);

    assert_ok(p->ctx, clsp_nearest_create(&p->search, p->plans, p->num_faces, &trims, NULL));
    for (uint32_t f = 0; f < p->num_faces; f++) {
        ref_bspline curves[PART_CURVES];
        const uint32_t first = p->curve[p->loop[f]], end = p->curve[p->loop[f + 1]];
        for (uint32_t i = first; i < end; i++)
            curves[i - first] = curve_of(&p->curves, i, 2);
        p->faces[f] = ref_face_make(&p->surfaces[f], curves, end - first);
        assert_non_null(p->faces[f]);
    }
}

void part_free(part **ptr)
{
    part *const p = *ptr;

    *ptr = NULL;
    clsp_nearest_destroy(&p->search);
    for (uint32_t f = 0; f < p->num_faces; f++) {
        clsp_patch_plan_destroy(&p->plans[f]);
        ref_face_free(p->faces[f]);
        free(p->memory[f]);
    }
    clsp_context_destroy(&p->own_ctx);
    free(p);
}

/* ---- checks ---- */

static double edge_distance(const part *p, uint32_t edge, const double *query)
{
    const ref_bspline curve = curve_of(&p->edges, edge, 3);

    return ref_edge_distance(&curve, query);
}

double part_distance(const part *p, const double *query)
{
    double best = INFINITY;

    for (uint32_t f = 0; f < p->num_faces; f++)
        best = fmin(best, ref_face_distance(p->faces[f], query));
    for (uint32_t e = 0; e < p->edges.num; e++)
        best = fmin(best, edge_distance(p, e, query));
    return best;
}

static double distance_of(const double *x, const double *y)
{
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

/* Fails unless a result is a point of the model. */
static void check_foot(const part *p, const clsp_nearest_f64 *r, const clsp_nearest_foot *foot)
{
    const bool on_edge = foot->edge != UINT32_MAX;
    bool is_there = on_edge && edge_distance(p, foot->edge, r->point) < 1e-9;

    assert_true(!on_edge || foot->edge < p->edges.num);
    assert_true(foot->tolerance == (on_edge ? p->tolerance[foot->edge] : 0));
    assert_true(foot->face == r->patch);
    if (r->patch < p->num_faces) {
        double x[3];
        ref_face_point(p->faces[r->patch], r->param[0], r->param[1], x);
        is_there =
            is_there || (distance_of(x, r->point) < 1e-9 &&
                         ref_face_inside(p->faces[r->patch], r->param[0], r->param[1], 1e-8) != 0);
    }
    assert_true(is_there);
}

void part_check(part *p, const double *queries, size_t num)
{
    clsp_nearest_f64 *const found = malloc(num * sizeof *found);
    clsp_nearest_foot *const feet = malloc(num * sizeof *feet);
    const clsp_output to = clsp_out_nearest_feet(feet, num);
    const clsp_nearest_opts opts = {.feet = &to};
    const clsp_nearest_queries q = {.num = num, .points = clsp_in_f64(queries, 3 * num)};

    assert_true(found && feet);
    assert_ok(p->ctx,
              clsp_nearest_find(p->search, &q, &opts, clsp_out_nearest_f64(found, num), NULL));
    for (size_t i = 0; i < num; i++) {
        const clsp_nearest_f64 *const r = &found[i];
        const double distance = part_distance(p, queries + 3 * i), size = 10;
        if (!(r->distance <= distance + 1e-9 && r->bound <= distance + 1e-12) ||
            r->status != CLSP_NEAREST_FOUND)
            print_error("query %zu (%.17g, %.17g, %.17g): distance %.17g, bound %.17g, status %u, "
                        "face %u (%g, %g), edge %d; the oracle's %.17g\n",
                        i, queries[3 * i], queries[3 * i + 1], queries[3 * i + 2], r->distance,
                        r->bound, r->status, r->patch, r->param[0], r->param[1], (int)feet[i].edge,
                        distance);
        assert_int_equal(r->status, CLSP_NEAREST_FOUND);
        assert_true(r->distance <= distance + 1e-9);
        assert_true(r->bound <= distance + 1e-12 && r->bound <= r->distance);
        assert_true(r->distance - r->bound <= 2e-12 * (size + r->distance));
        assert_true(fabs(distance_of(r->point, queries + 3 * i) - r->distance) <= 1e-12 * size);
        check_foot(p, r, &feet[i]);
    }
    free(found);
    free(feet);
}
