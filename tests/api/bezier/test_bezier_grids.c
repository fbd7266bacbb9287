/* Vertices on grids, of all forms: points, weights, derivatives, normals and parameters in every
 * layout and type, against the oracle. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "bezier_ref.h"
#include "vertex_fixture.h"

static const char *const limits[] = {
    "",
    "class=discrete,local_is_real=1,vendor=NVIDIA",
    "class=integrated,fp64=0,work_group=64,local=16384,images=0,opencl=120,svm=0,alloc=134217728",
};

/* ---- bounds ---- */

/* Magnitudes of a patch from which bounds are made. */
typedef struct magnitudes {
    double x, w_least, w_most, point; /* of homogeneous coordinates, weights, Euclidean points */
} magnitudes;

static magnitudes measure(const double *controls, size_t num, unsigned dim, bool rational)
{
    const unsigned coords = dim + rational;
    magnitudes m = {0.0, HUGE_VAL, 0.0, 0.0};

    for (size_t i = 0; i < num; i++) {
        const double *const p = controls + i * coords, w = rational ? p[dim] : 1.0;
        m.w_least = fmin(m.w_least, w);
        m.w_most = fmax(m.w_most, w);
        for (unsigned c = 0; c < dim; c++) {
            m.x = fmax(m.x, fabs(p[c]));
            m.point = fmax(m.point, fabs(p[c]) / w);
        }
    }
    return m;
}

/* Largest homogeneous derivative of a kind: a hodograph's control points are differences of 2 or 4
   of the patch's. */
static double derivative_scale(double most, double factor, unsigned order)
{
    return most * factor * (order == 0 ? 1.0 : order == 1 ? 2.0 : 4.0);
}

/* What each attribute may be off by, in units of 8 eps: the bound of a net's sums, carried through
   the quotient rule to first order for a rational patch. */
typedef struct scales {
    double point, weight, first[3], second[6]; /* uu, uv, vv, uw, vw, ww */
} scales;

static double quotient_scale(const magnitudes *m, double x, double w, double lower)
{
    return (x + w * m->point + lower) * (1.0 + m->w_most / m->w_least) / m->w_least;
}

static scales scales_of(const clsp_bezier_desc *d, const magnitudes *m)
{
    const double n[3] = {d->degree[0], d->degree[1], d->degree[2]};
    static const int along[6][2] = {{0, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}, {2, 2}};
    double twice[6];
    scales s = {.point = m->x, .weight = m->w_most};

    for (int k = 0; k < 3; k++)
        s.first[k] = derivative_scale(m->x, n[k], 1);
    for (int k = 0; k < 6; k++) {
        const int a = along[k][0], b = along[k][1];
        twice[k] = n[a] * (a == b ? fmax(n[a] - 1.0, 0.0) : n[b]);
        s.second[k] = derivative_scale(m->x, twice[k], 2);
    }
    if (!d->rational) return s;
    s.point = quotient_scale(m, m->x, m->w_most, 0.0);
    for (int k = 0; k < 3; k++)
        s.first[k] = quotient_scale(m, s.first[k], derivative_scale(m->w_most, n[k], 1),
                                    derivative_scale(m->w_most, n[k], 1) * s.point);
    for (int k = 0; k < 6; k++) {
        const double a = s.first[along[k][0]], b = s.first[along[k][1]];
        s.second[k] = quotient_scale(
            m, derivative_scale(m->x, twice[k], 2), derivative_scale(m->w_most, twice[k], 2),
            derivative_scale(m->w_most, twice[k], 2) * s.point +
                2.0 * derivative_scale(m->w_most, fmax(fmax(n[0], n[1]), n[2]), 1) * (a + b));
    }
    return s;
}

/* ---- one job ---- */

typedef struct grid_job {
    clsp_context *ctx;
    layout l;
    clsp_patch_plan *plan;
    size_t num_patches, vertices_per_patch;
    double *controls;
    unsigned char *vertices; /* guarded; NULL: not made yet */
    size_t num_vertices;     /* of these */
} grid_job;

/* The grid of a description, which layout_of has completed. */
static void set_grid(grid_job *j, const clsp_bezier_desc *d)
{
    const bool is_curve = d->form == CLSP_BEZIER_CURVE, is_volume = d->form == CLSP_BEZIER_VOLUME;

    j->l = layout_of(d);
    j->vertices_per_patch =
        (size_t)d->axis[0].num * (is_curve ? 1 : d->axis[1].num) * (is_volume ? d->axis[2].num : 1);
}

static void start(grid_job *j, clsp_context *ctx, const clsp_bezier_desc *d, size_t num_patches)
{
    *j = (grid_job){.ctx = ctx, .num_patches = num_patches};
    set_grid(j, d);
    j->controls = random_controls(&j->l, num_patches);
    assert_int_equal(clsp_bezier_plan_create(&j->plan, ctx, d), CLSP_OK);
    assert_int_equal(load_controls(j->plan, &j->l, j->controls, num_patches), CLSP_OK);
}

static void free_vertices(grid_job *j)
{
    if (j->vertices) free_guarded(&j->l, j->num_vertices, j->vertices);
    j->vertices = NULL;
}

static void finish(grid_job *j)
{
    clsp_patch_plan_destroy(&j->plan);
    free(j->controls);
    free_vertices(j);
}

static void eval(grid_job *j)
{
    free_vertices(j);
    j->num_vertices = j->num_patches * j->vertices_per_patch;
    j->vertices = guarded(&j->l, j->num_vertices);
    assert_int_equal(eval_host(j->plan, &j->l, 0, j->num_patches, j->vertices), CLSP_OK);
}

/* ---- checking ---- */

/* Worst error over its bound. */
static double worst;

static void compare(const grid_job *j, size_t vertex, unsigned bit, const long double *exact,
                    double allowed)
{
    const clsp_bezier_desc *const d = &j->l.d;
    const double eps = d->precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    const double store = j->l.element == 2 ? 0x1p-11 : j->l.element == 4 ? 0x1p-24 : 0.0;

    for (unsigned c = 0; c < attribute_elements(&j->l, bit); c++) {
        const double got = vertex_element(&j->l, j->vertices, vertex, j->l.at[bit] + c);
        const double bound = 8.0 * eps * allowed + store * (double)fabsl(exact[c]) +
                             (store > 0x1p-20 ? 0x1p-24 : 0.0);
        const double error = (double)fabsl((long double)got - exact[c]);
        if (!(error <= bound))
            fail_msg(
                "form %d, degrees %u %u %u, rational %u, grid %u %u %u, attribute %u of vertex "
                "%zu, coordinate %u: %g, not %Lg: off by %.2f of the bound",
                (int)d->form, d->degree[0], d->degree[1], d->degree[2], d->rational, d->axis[0].num,
                d->axis[1].num, d->axis[2].num, bit, vertex, c, got, exact[c], error / bound);
        worst = support_worse(worst, error / bound);
    }
}

static double length(const long double *a)
{
    return (double)sqrtl(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* A normal turns by the tangents' relative errors over the sine of the angle between them. Beyond a
   tenth of a radian the bound says nothing. */
static void check_normal(const grid_job *j, size_t vertex, const ref_vertex *r, const scales *s)
{
    const double lu = length(r->du), lv = length(r->dv);
    const long double cross[3] = {r->du[1] * r->dv[2] - r->du[2] * r->dv[1],
                                  r->du[2] * r->dv[0] - r->du[0] * r->dv[2],
                                  r->du[0] * r->dv[1] - r->du[1] * r->dv[0]};
    const double sine = length(cross) / (lu * lv);
    const double allowed = 2.0 * (s->first[0] / lu + s->first[1] / lv) / sine + 1.0;

    if (allowed < 0x1p20) compare(j, vertex, 8, r->normal, allowed);
}

static void check_curvature(const grid_job *j, size_t vertex, const ref_vertex *r, const scales *s)
{
    const double unit = 8.0 * (j->l.d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23);
    const double error[NUM_SUMS] = {[SUM_U] = unit * s->first[0],
                                    [SUM_V] = unit * s->first[1],
                                    [SUM_UU] = unit * s->second[0],
                                    [SUM_UV] = unit * s->second[1],
                                    [SUM_VV] = unit * s->second[2]};
    const double bound = curvature_bound(&j->l, r, error);

    if (bound < HUGE_VAL) compare(j, vertex, 10, r->curvature, bound / unit);
}

static void check_vertex(const grid_job *j, size_t vertex, const ref_vertex *r, const scales *s,
                         const long double t[3])
{
    const long double *const values[] = {r->point, &r->weight, r->du,  r->dv, r->dw,
                                         r->duu,   r->duv,     r->dvv, NULL,  t,
                                         NULL,     r->duw,     r->dvw, r->dww};
    const double allowed[] = {s->point,     s->weight,    s->first[0],  s->first[1], s->first[2],
                              s->second[0], s->second[1], s->second[2], 0.0,         1.0,
                              0.0,          s->second[3], s->second[4], s->second[5]};

    for (unsigned bit = 0; bit < CLSP_VERTEX_MAX_ATTRIBUTES; bit++) {
        if (!(j->l.d.vertex.attributes & 1u << bit)) continue;
        if (1 << bit == N)
            check_normal(j, vertex, r, s);
        else if (1 << bit == K)
            check_curvature(j, vertex, r, s);
        else
            compare(j, vertex, bit, values[bit], allowed[bit]);
    }
}

/* Elements of the caller's in the gaps are as they were. */
static void check_gaps(const grid_job *j, size_t vertex)
{
    const layout *const l = &j->l;
    const unsigned char *const at = j->vertices + vertex * l->stride * l->element;
    bool owned[CLSP_VERTEX_MAX_STRIDE] = {false};

    for (unsigned bit = 0; bit < CLSP_VERTEX_MAX_ATTRIBUTES; bit++)
        for (unsigned c = 0; l->d.vertex.attributes & 1u << bit && c < attribute_elements(l, bit);
             c++)
            owned[l->at[bit] + c] = true;
    for (unsigned e = 0; e < l->stride; e++)
        for (size_t b = 0; !owned[e] && b < l->element; b++)
            assert_int_equal(at[e * l->element + b], POISON);
}

/* Vertex k, against the oracle. */
static void check_at(const grid_job *j, size_t k)
{
    const clsp_bezier_desc *const d = &j->l.d;
    const bool is_curve = d->form == CLSP_BEZIER_CURVE, is_volume = d->form == CLSP_BEZIER_VOLUME;
    const size_t num_v = is_curve ? 1 : d->axis[1].num, num_w = is_volume ? d->axis[2].num : 1;
    const size_t p = k / j->vertices_per_patch, rest = k % j->vertices_per_patch;
    const ref_patch patch = {
        .form = (ref_form)d->form,
        .degree = {d->degree[0], is_curve ? 0 : d->degree[1], is_volume ? d->degree[2] : 0},
        .dim = j->l.dim,
        .rational = (int)d->rational,
        .points = j->controls + p * j->l.controls};
    const unsigned attributes = d->vertex.attributes;
    const unsigned order = attributes & (DUU | DUV | DVV | DUW | DVW | DWW | K) ? 2
                           : attributes & (DU | DV | DW | N)                    ? 1
                                                                                : 0;
    const magnitudes m = measure(patch.points, j->l.controls / j->l.coords, j->l.dim, d->rational);
    const scales s = scales_of(d, &m);
    const long double t[3] = {axis_parameter(&d->axis[0], rest / num_w / num_v, d->axis[0].num),
                              axis_parameter(&d->axis[1], rest / num_w % num_v, num_v),
                              axis_parameter(&d->axis[2], rest % num_w, num_w)};
    ref_vertex exact;

    assert_true(ref_bezier_vertex_to(&patch, order, t, &exact));
    check_vertex(j, k, &exact, &s, t);
    check_gaps(j, k);
}

/* About 200 vertices, with the first and the last. */
static void check(const grid_job *j)
{
    const size_t all = j->num_patches * j->vertices_per_patch, step = all > 200 ? all / 200 : 1;

    for (size_t k = 0; k < all; k += step)
        check_at(j, k);
    check_at(j, all - 1);
}

/* Checks the vertices that the host makes, within the bounds of the device. */
static void check_host(grid_job *j)
{
    free_vertices(j);
    j->vertices = guarded(&j->l, j->num_vertices);
    assert_int_equal(eval_on_host(j->plan, &j->l, 0, j->num_patches, j->vertices), CLSP_OK);
    check(j);
}

static void run(clsp_context *ctx, clsp_bezier_desc d, size_t num_patches)
{
    grid_job j;

    start(&j, ctx, &d, num_patches);
    eval(&j);
    check(&j);
    check_host(&j);
    finish(&j);
}

static void everywhere(turn_fn fn)
{
    worst = 0.0;
    each_turn(limits, COUNT(limits), 3, fn);
    print_message("worst/bound %.2f\n", worst);
}

/* ---- cases ---- */

/* In a thin run one of two kinds: case i has the one or the other. */
static bool chosen(size_t i, size_t kind)
{
    return !is_thin() || (i + kind) % 2 == 0;
}

static void curves(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t degrees[] = {0, 1, 2, 3, 7, 16, 31};

    for (size_t i = 0; i < COUNT(degrees); i++) {
        for (uint32_t rational = 0; rational < 2; rational++) {
            if (i > 3 && rational != i % 2) continue;
            if (tiny() && degrees[i] > 3) continue;
            if (!chosen(i, rational) || !in_turn(i)) continue;
            clsp_bezier_desc d = {.precision = precision,
                                  .form = CLSP_BEZIER_CURVE,
                                  .degree = {degrees[i]},
                                  .dim = (uint32_t)i % 4 + 1,
                                  .axis = {{.num = tiny() ? 7 : 101}},
                                  .rational = rational};
            run(ctx, d, 3);
            d.vertex.attributes = P | DU | DUU | T;
            if (d.dim == 2 || d.dim == 3) d.vertex.attributes |= K;
            run(ctx, d, 2);
            d.vertex.attributes = P | W;
            d.axis[0].num = 1;
            run(ctx, d, 2);
        }
    }
}

static void test_curves(void **state)
{
    (void)state;
    everywhere(curves);
}

static void surfaces(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t pairs[][2] = {{0, 0}, {1, 1}, {3, 3}, {2, 5},   {6, 1},
                                        {4, 4}, {7, 7}, {0, 2}, {15, 11}, {12, 3}};
    static const uint32_t attributes[] = {
        P | N, P, P | W, P | DU | DV, P | DU | DV | DUU | DUV | DVV | N | T | K, N, T, P | K};

    for (size_t i = 0; i < COUNT(pairs); i++) {
        for (size_t k = 0; k < COUNT(attributes); k++) {
            if (k > 0 && k != i % COUNT(attributes)) continue; /* kernels take long to compile */
            if (tiny() && pairs[i][0] > 4) continue;
            for (uint32_t rational = 0; rational < 2; rational++) {
                if (!chosen(i + k, rational) || !in_turn(i / 2 + 2 * k)) continue;
                const clsp_bezier_desc d = {.precision = precision,
                                            .degree = {pairs[i][0], pairs[i][1]},
                                            .axis = {{.num = tiny() ? 6 : 37 - 3 * (uint32_t)k},
                                                     {.num = tiny() ? 5 : 21 + (uint32_t)i}},
                                            .rational = rational,
                                            .vertex.attributes = attributes[k]};
                run(ctx, d, 2);
            }
        }
    }
}

static void test_surfaces(void **state)
{
    (void)state;
    everywhere(surfaces);
}

static void volumes(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t degrees[][3] = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {2, 5, 1}, {6, 1, 4}};

    for (size_t i = 0; i < COUNT(degrees); i++) {
        for (uint32_t rational = 0; rational < 2; rational++) {
            if (tiny() && i > 2) continue;
            if (!chosen(i, rational) || !in_turn(i)) continue;
            clsp_bezier_desc d = {.precision = precision,
                                  .form = CLSP_BEZIER_VOLUME,
                                  .degree = {degrees[i][0], degrees[i][1], degrees[i][2]},
                                  .dim = i == 2 ? 1 : 3,
                                  .axis = {{.num = tiny() ? 3 : 9},
                                           {.num = tiny() ? 4 : 13},
                                           {.num = tiny() ? 3 : 7}},
                                  .rational = rational};
            run(ctx, d, 3);
            d.vertex.attributes = P | DU | DV | DW | T;
            if (i % 2 == 0) d.vertex.attributes |= DUU | DUV | DVV | DUW | DVW | DWW;
            run(ctx, d, 2);
        }
    }
    if (tiny()) return;
    /* enough rows, at odd places, to be stored from cache lines on */
    const clsp_bezier_desc longer = {.precision = precision,
                                     .form = CLSP_BEZIER_VOLUME,
                                     .degree = {3, 2, 1},
                                     .axis = {{.num = 131}, {.num = 7}, {.num = 7}}};
    if (program_in_turn(0)) run(ctx, longer, 2);
}

static void test_volumes(void **state)
{
    (void)state;
    everywhere(volumes);
}

/* Strides, offsets, narrower types, every dimension. */
static void layouts(clsp_context *ctx, clsp_type precision)
{
    static const clsp_type types[] = {CLSP_TYPE_DEFAULT, CLSP_F32, CLSP_F16};

    for (size_t i = 0; i < COUNT(types); i++) {
        for (uint32_t dim = 1; dim <= 4; dim++) {
            clsp_bezier_desc d = {.precision = precision,
                                  .degree = {3, 2},
                                  .dim = dim,
                                  .axis = {{.num = tiny() ? 5 : 33}, {.num = tiny() ? 6 : 67}},
                                  .rational = dim % 2,
                                  .vertex = {.attributes = P | T, .type = types[i]}};
            if (tiny() && dim != 3) continue;
            if (!in_turn(i + dim)) continue;
            if (chosen(i + dim, 0)) run(ctx, d, 2);
            d.vertex.attributes = P | W | (dim == 3 ? N : DU);
            d.vertex.stride = 16;
            d.vertex.offset[0] = 9;
            d.vertex.offset[1] = 0;
            d.vertex.offset[2] = 4;
            d.vertex.offset[8] = 3;
            if (chosen(i + dim, 1)) run(ctx, d, 2);
        }
    }
}

static void test_layouts(void **state)
{
    (void)state;
    everywhere(layouts);
}

static void intervals(clsp_context *ctx, clsp_type precision)
{
    static const double ends[][2] = {{0.25, 0.75}, {1.0, 0.0}, {0.0, 0.5}, {0.3, 0.3}, {0.9, 1.0}};

    for (size_t i = 0; i < COUNT(ends); i++) {
        for (uint32_t degree = 3; degree <= 15; degree += 12) {
            const double *const v = ends[(i + 1) % COUNT(ends)];
            const clsp_bezier_desc d = {
                .precision = precision,
                .degree = {degree, 4},
                .axis = {{.num = tiny() ? 5 : 34, .begin = ends[i][0], .end = ends[i][1]},
                         {.num = tiny() ? 4 : 23, .begin = v[0], .end = v[1]}},
                .vertex.attributes = i % 2 ? P : P | N | T};
            if (tiny() && degree > 3) continue;
            if (is_thin() && i % 2 != degree / 12) continue;
            if (in_turn(i)) run(ctx, d, 2);
        }
    }
}

static void test_intervals(void **state)
{
    (void)state;
    everywhere(intervals);
}

/* ---- changing a plan ---- */

/* A changed grid or degree gives what a new plan gives, bit for bit. */
static void changes(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t steps[][4] = {{3, 3, 9, 8},   {3, 3, 40, 5},  {5, 2, 40, 5},
                                        {15, 4, 40, 5}, {15, 4, 3, 70}, {3, 3, 9, 8}};
    clsp_bezier_desc d = {.precision = precision,
                          .degree = {1, 1},
                          .axis = {{.num = 2}, {.num = 2}},
                          .vertex.attributes = precision == CLSP_F32 ? P | N : P};
    grid_job j;

    if (!program_in_turn(0)) return;
    start(&j, ctx, &d, 2);
    for (size_t i = 0; i < COUNT(steps); i++) {
        const uint32_t *const s = steps[i];
        unsigned char nothing[8];
        if (tiny() && s[2] * s[3] > 200) continue;
        if (s[0] != d.degree[0] || s[1] != d.degree[1]) {
            assert_int_equal(clsp_bezier_set_degrees(j.plan, s), CLSP_OK);
            assert_int_equal(eval_host(j.plan, &j.l, 0, 0, nothing), CLSP_ERROR_STATE);
            d.degree[0] = s[0];
            d.degree[1] = s[1];
            set_grid(&j, &d);
            free(j.controls);
            j.controls = random_controls(&j.l, j.num_patches);
            assert_int_equal(load_controls(j.plan, &j.l, j.controls, j.num_patches), CLSP_OK);
        }
        d.axis[0].num = s[2];
        d.axis[1].num = s[3];
        assert_int_equal(clsp_patch_set_grids(j.plan, d.axis, 0, (clsp_input){0}), CLSP_OK);
        set_grid(&j, &d);
        eval(&j);
        check(&j);
    }
    static const clsp_axis half[2] = {{.num = 0}, {.num = 4}};
    static const uint32_t too_high[2] = {65536, 4};
    assert_int_equal(clsp_patch_set_grids(j.plan, half, 0, (clsp_input){0}), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_bezier_set_degrees(j.plan, too_high), CLSP_ERROR_DEGREE);
    eval(&j);
    check(&j);
    finish(&j);
}

static void test_changes(void **state)
{
    (void)state;
    everywhere(changes);
}

/* Parts of a patch and of a batch give the same bits as the whole, in every pass. */
static void splits(clsp_context *ctx, clsp_type precision)
{
    static const uint32_t attributes[] = {P, P | N, P | DUV};

    for (size_t k = 0; k < COUNT(attributes); k++) {
        for (uint32_t degree = 3; degree <= 15; degree += 12) {
            const clsp_bezier_desc d = {
                .precision = precision,
                .degree = {degree, 3},
                .axis = {{.num = tiny() ? 35 : 301}, {.num = tiny() ? 9 : 83}},
                .vertex.attributes = attributes[k]};
            grid_job a;
            if (!in_turn(k + degree / 12)) continue;
            start(&a, ctx, &d, 2);
            eval(&a);
            const size_t patch = a.vertices_per_patch * a.l.stride * a.l.element;
            unsigned char *const again = malloc(patch);
            assert_non_null(again);
            assert_int_equal(eval_host(a.plan, &a.l, 1, 1, again), CLSP_OK);
            assert_memory_equal(again, a.vertices + patch, patch);
            free(again);
            finish(&a);
        }
    }
}

/* Checks that a context whose largest buffer cuts patches makes the same bits. */
static void check_cut(clsp_context *wide, clsp_context *narrow, const clsp_bezier_desc *d)
{
    grid_job a, b;

    seed(3);
    start(&a, wide, d, 2);
    seed(3);
    start(&b, narrow, d, 2);
    eval(&a);
    eval(&b);
    assert_memory_equal(a.vertices, b.vertices, a.num_vertices * a.l.stride * a.l.element);
    finish(&a);
    finish(&b);
}

static void test_splits(void **state)
{
    static const char *const shapes[] = {
        "class=cpu", "class=discrete,local_is_real=1,vendor=NVIDIA", "class=integrated"};
    const char *const alloc = tiny() ? "65536" : "262144";
    static const uint32_t attributes[] = {P, P | N, P | DUV};

    (void)state;
    everywhere(splits);
    for (size_t i = 0; i < COUNT(shapes); i++) {
        char less[96];
        (void)snprintf(less, sizeof less, "%s,alloc=%s", shapes[i], alloc);
        clsp_context *wide = context_with(shapes[i]), *narrow = context_with(less);
        for (size_t k = 0; k < 2 * COUNT(attributes); k++) {
            const clsp_bezier_desc d = {
                .degree = {k % 2 ? 15 : 3, 3},
                .axis = {{.num = tiny() ? 61 : 301}, {.num = tiny() ? 45 : 83}},
                .vertex.attributes = attributes[k / 2]};
            if (tiny() ? k % 2 == 0 : is_thin() && (i + k) % COUNT(shapes) != 0) continue;
            check_cut(wide, narrow, &d);
        }
        clsp_context_destroy(&wide);
        clsp_context_destroy(&narrow);
    }
}

/* ---- bad input ---- */

static void expect(clsp_context *ctx, clsp_bezier_desc d, clsp_status status)
{
    clsp_patch_plan *plan = (clsp_patch_plan *)&d;

    if (d.axis[0].num == 0) d.axis[0].num = d.axis[1].num = d.axis[2].num = 4;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), status);
    assert_null(plan);
}

static void test_bad_descriptions(void **state)
{
    clsp_context *ctx = context_with(""), *small = context_with("fp64=0");
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    const clsp_status high = support_has_methods() ? CLSP_ERROR_DEGREE : bad;

    (void)state;
    expect(ctx, (clsp_bezier_desc){.precision = CLSP_F16}, bad);
    expect(ctx, (clsp_bezier_desc){.precision = CLSP_U32}, bad);
    expect(ctx, (clsp_bezier_desc){.precision = (clsp_type)8}, bad);
    expect(ctx, (clsp_bezier_desc){.precision = (clsp_type)-1}, bad);
    expect(ctx, (clsp_bezier_desc){.form = (clsp_bezier_form)5}, bad);
    expect(ctx, (clsp_bezier_desc){.method = (clsp_bezier_method)5}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.type = CLSP_U8}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.type = CLSP_U32}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.type = (clsp_type)8}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.type = (clsp_type)-1}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.type = CLSP_F64}, bad);
    expect(ctx, (clsp_bezier_desc){.rational = 2}, bad);
    expect(ctx, (clsp_bezier_desc){.watertight = 2}, bad);
    expect(ctx, (clsp_bezier_desc){.watertight = 1, .form = CLSP_BEZIER_CURVE}, bad);
    expect(ctx, (clsp_bezier_desc){.watertight = 1, .axis = {{.begin = 0.0, .end = 0.5}}}, bad);
    expect(ctx, (clsp_bezier_desc){.dim = 5}, bad);
    expect(ctx, (clsp_bezier_desc){.axis = {{.begin = 0.0, .end = 1.5}}}, bad);
    expect(ctx, (clsp_bezier_desc){.axis[1] = {.begin = -0.5, .end = 1.0}}, bad);
    expect(ctx, (clsp_bezier_desc){.axis[1] = {.begin = NAN, .end = 1.0}}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = 1 << 11}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = K, .dim = 2}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = K, .form = CLSP_BEZIER_VOLUME, .dim = 2},
           bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = N, .form = CLSP_BEZIER_VOLUME, .dim = 4},
           bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = K, .form = CLSP_BEZIER_CURVE, .dim = 1},
           bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = K, .form = CLSP_BEZIER_CURVE, .dim = 4},
           bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = N, .dim = 2}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = DV, .form = CLSP_BEZIER_CURVE}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.attributes = DW}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.stride = 2}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.stride = 257}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex = {.attributes = P | T, .offset = {2, [9] = 4}}}, bad);
    expect(ctx, (clsp_bezier_desc){.vertex.offset = {UINT32_MAX}}, bad);
    expect(ctx, (clsp_bezier_desc){.axis = {{.num = 1}, {.num = 0}}}, bad);
    expect(ctx, (clsp_bezier_desc){.axis = {{.num = CLSP_PATCH_MAX_SAMPLES + 1u}, {.num = 1}}},
           bad);
    expect(ctx, (clsp_bezier_desc){.degree = {CLSP_BEZIER_MAX_DEGREE + 1u}}, CLSP_ERROR_DEGREE);
    expect(ctx, (clsp_bezier_desc){.method = CLSP_BEZIER_MATRIX, .degree = {12, 11}}, high);
    expect(ctx, (clsp_bezier_desc){.method = CLSP_BEZIER_BRUTE, .degree = {0, 101}}, high);
    expect(ctx, (clsp_bezier_desc){.method = CLSP_BEZIER_MATRIX, .form = CLSP_BEZIER_VOLUME}, bad);
    expect(small, (clsp_bezier_desc){.precision = CLSP_F64}, CLSP_ERROR_NO_FP64);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&small);
}

static void test_weights(void **state)
{
    static const float bad[] = {0.0f, -1.0f, NAN, INFINITY};
    const clsp_bezier_desc d = {.degree = {1, 1}, .axis = {{.num = 3}, {.num = 3}}, .rational = 1};
    clsp_context *ctx = context_with("");
    grid_job j;

    (void)state;
    start(&j, ctx, &d, 2);
    for (size_t i = 0; i < COUNT(bad); i++) {
        float points[32];
        for (size_t k = 0; k < 32; k++)
            points[k] = 1.0f;
        points[27] = bad[i];
        assert_int_equal(clsp_patch_set_control_points(j.plan, 2, clsp_in_f32(points, 32), NULL),
                         CLSP_ERROR_WEIGHTS);
        eval(&j); /* the patches from before */
        check(&j);
    }
    finish(&j);
    clsp_context_destroy(&ctx);
}

/* Through a buffer nobody looks at weights, unless asked to; the plan then holds nothing. */
static void check_weights_of_buffers(clsp_context *ctx, uint32_t check)
{
    const clsp_bezier_desc d = {
        .degree = {1, 1}, .axis = {{.num = 3}, {.num = 3}}, .rational = 1, .check_weights = check};
    float points[16], vertices[27];
    cl_event done = NULL;
    grid_job j;

    for (size_t k = 0; k < 16; k++)
        points[k] = 1.0f;
    points[15] = 0.0f;
    start(&j, ctx, &d, 1);
    cl_mem buffer = buffer_of(ctx, sizeof points, points);
    const clsp_input in = clsp_in_buffer(buffer, CLSP_F32, 0);
    const clsp_run run = {.done = &done};
    const clsp_status status = clsp_patch_set_control_points(j.plan, 1, in, &run);
    assert_int_equal(status, check ? CLSP_ERROR_WEIGHTS : CLSP_OK);
    assert_int_equal(done != NULL, !check);
    if (done) clReleaseEvent(done);
    assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){0, 1}, clsp_out_f32(vertices, 27), NULL),
                     check ? CLSP_ERROR_STATE : CLSP_OK);
    points[15] = 2.0f;
    cl_mem good = buffer_of(ctx, sizeof points, points);
    assert_int_equal(
        clsp_patch_set_control_points(j.plan, 1, clsp_in_buffer(good, CLSP_F32, 0), NULL), CLSP_OK);
    eval(&j);
    clReleaseMemObject(good);
    clReleaseMemObject(buffer);
    finish(&j);
}

static void test_weights_of_buffers(void **state)
{
    clsp_context *ctx = context_with("");

    (void)state;
    check_weights_of_buffers(ctx, 0);
    check_weights_of_buffers(ctx, 1);
    clsp_context_destroy(&ctx);
}

static void test_no_grid(void **state)
{
    const clsp_bezier_desc d = {.degree = {2, 1}};
    clsp_context *ctx = context_with("");
    clsp_patch_plan *plan;
    static const clsp_axis axis[2] = {{.num = 2}, {.num = 3}};
    const clsp_range all = {0, 1};
    float points[18] = {0};

    (void)state;
    assert_int_equal(clsp_bezier_plan_create(&plan, ctx, &d), CLSP_OK);
    assert_int_equal(clsp_patch_set_control_points(plan, 1, clsp_in_f32(points, 18), NULL),
                     CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, all, clsp_out_f32(points, 18), NULL), CLSP_ERROR_STATE);
    assert_int_equal(clsp_patch_set_grids(plan, axis, 0, (clsp_input){0}), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, all, clsp_out_f32(points, 18), NULL), CLSP_OK);
    assert_int_equal(clsp_patch_eval(plan, all, clsp_out_f64(NULL, 0), NULL), CLSP_ERROR_ARGUMENT);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),    cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_volumes),   cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_intervals), cmocka_unit_test(test_changes),
        cmocka_unit_test(test_splits),    cmocka_unit_test(test_bad_descriptions),
        cmocka_unit_test(test_weights),   cmocka_unit_test(test_weights_of_buffers),
        cmocka_unit_test(test_no_grid),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
