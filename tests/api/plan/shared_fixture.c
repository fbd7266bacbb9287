#include "shared_fixture.h"
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tile_fixture.h"

/* BOUND_31 is that of points of degrees to 31 (bezier.h). Host and device each keep it, so that one
   is within twice as much of the other. ERROR_RATIONAL: the bound of a point whose coordinates are
   at most 1 and whose weights are in [0.5, 2] is (|x| + |w| |S|) / w <= (1 + 2 * 2) / 0.5 times
   that of its net. */
enum { BOUND_31 = 8, BETWEEN = 2 * BOUND_31, ERROR_RATIONAL = 10 };
enum { SAMPLED = 8 };

static double worst;

/* ---- jobs ---- */

static size_t patch_vertices(const clsp_bezier_desc *d)
{
    const size_t u = d->axis[0].num;

    if (d->form == CLSP_BEZIER_TRIANGLE) return u * (u + 1) / 2;
    if (d->form == CLSP_BEZIER_CURVE) return u;
    return u * d->axis[1].num * (d->form == CLSP_BEZIER_VOLUME ? d->axis[2].num : 1);
}

size_t row_bytes(const shared *j)
{
    return patch_vertices(&j->l.d) / j->l.d.axis[0].num * j->l.stride * j->l.element;
}

void make_reference(shared *j)
{
    free(j->reference);
    j->num = j->s.count * patch_vertices(&j->l.d);
    j->bytes = j->num * j->l.stride * j->l.element;
    j->reference = malloc(j->bytes + 1);
    assert_non_null(j->reference);
    memset(j->reference, POISON, j->bytes);
    assert_int_equal(eval_host(j->plan, &j->l, j->s.first, j->s.count, j->reference), CLSP_OK);
}

shared shared_start(clsp_context *ctx, const shape *s, clsp_type precision)
{
    clsp_bezier_desc d = s->d;

    d.precision = precision;
    shared j = {.s = *s, .l = layout_of(&d), .ctx = ctx};
    j.controls = random_controls(&j.l, s->num_patches);
    j.plan = plan_with(ctx, &j.l, j.controls, s->num_patches);
    make_reference(&j);
    return j;
}

void shared_finish(shared *j)
{
    clsp_patch_plan_destroy(&j->plan);
    assert_null(j->plan);
    free(j->controls);
    free(j->reference);
}

clsp_status shared_eval(clsp_patch_plan *plan, const layout *l, size_t first, size_t count,
                        void *out, const clsp_share *opts, clsp_report *report)
{
    const clsp_range patches = {first, count};
    clsp_mesh_size size = {0}; /* stays so where there is no such range */

    clsp_patch_mesh_size(plan, patches, &size);
    return clsp_patch_eval(
        plan, patches, host_out(l->type, out, size.vertices * l->stride),
        &(clsp_run){.share = opts ? opts : &(clsp_share){.num_workers = 0}, .report = report});
}

double shared_worst(void)
{
    const double found = worst;

    worst = 0;
    return found;
}

/* ---- what is expected ---- */

bool host_can(const shared *j)
{
    const clsp_bezier_desc *const d = &j->l.d;

    if (j->l.type == d->precision || j->s.num_patches == 0) return true;
    unsigned char *const vertices = malloc(j->bytes + 1);
    assert_non_null(vertices);
    const clsp_status asked =
        eval_by_caller(j->plan, (clsp_range){j->s.first, j->s.count},
                       host_out(j->l.type, vertices, j->bytes / j->l.element));
    free(vertices);
    assert_true(asked == CLSP_OK || asked == CLSP_ERROR_ARGUMENT);
    return asked == CLSP_OK;
}

/* ---- results ---- */

/* Where vertex k of a patch lies; not of triangles. */
static void params_of(const clsp_bezier_desc *d, size_t k, long double t[3])
{
    const uint32_t num_v = d->form == CLSP_BEZIER_CURVE ? 1 : d->axis[1].num;
    const uint32_t num_w = d->form == CLSP_BEZIER_VOLUME ? d->axis[2].num : 1;

    t[0] = axis_parameter(&d->axis[0], k / num_w / num_v, d->axis[0].num);
    t[1] = axis_parameter(&d->axis[1], k / num_w % num_v, num_v);
    t[2] = axis_parameter(&d->axis[2], k % num_w, num_w);
}

void check_oracle(const shared *j, const unsigned char *out)
{
    const size_t per_patch = patch_vertices(&j->l.d);
    const size_t step = j->num > SAMPLED ? j->num / SAMPLED : 1;

    if (j->l.d.form == CLSP_BEZIER_TRIANGLE || j->l.d.method > CLSP_BEZIER_MULTILEVEL ||
        j->num != j->s.count * per_patch) /* patches have grids of their own */
        return;
    for (size_t k = random_real() > 0 ? step / 2 : 0; k < j->num; k += step) {
        const size_t patch = j->s.first + k / per_patch;
        long double t[3];
        params_of(&j->l.d, k % per_patch, t);
        const double error =
            vertex_error(&j->l, j->controls + patch * j->l.controls, t, out, k, BOUND_31);
        if (error > worst) worst = error;
        if (!(error <= 1.0)) fail_msg("%s: vertex %zu: %.2f of the bound", j->s.name, k, error);
    }
}

/* What rounding to a narrower type adds to the difference of two values: a unit in the last place.
 */
static double rounding(const layout *l, double value)
{
    if (l->type == l->d.precision) return 0.0;
    return l->type == CLSP_F16 ? 0x1p-10 * fabs(value) + 0x1p-24 : 0x1p-23 * fabs(value);
}

/* How much larger than of points differences of element e may be: first derivatives are sums of
   differences of control points times a degree, second ones twice. Normals turn by what the oracle
   alone knows; elements of no attribute never differ. */
static double more_of(const layout *l, unsigned e)
{
    const double n = fmax(fmax(l->d.degree[0], l->d.degree[1]), l->d.degree[2]);

    for (unsigned bit = 0; bit < CLSP_VERTEX_MAX_ATTRIBUTES; bit++) {
        if (!(l->d.vertex.attributes & 1u << bit) || e < l->at[bit] ||
            e >= l->at[bit] + attribute_elements(l, bit))
            continue;
        if (1 << bit == N) return HUGE_VAL;
        return 1 << bit & (DU | DV | DW) ? 2 * n : 1 << bit & (DUU | DUV | DVV) ? 4 * n * n : 1;
    }
    return 0;
}

void check_all(const shared *j, const unsigned char *out)
{
    const double eps = j->l.d.precision == CLSP_F64 ? 0x1p-52 : 0x1p-23;
    const double more = j->l.d.form == CLSP_BEZIER_VOLUME ? 1.5 : 1;
    const double bound = (double)BETWEEN * eps * (double)(j->l.d.rational ? ERROR_RATIONAL : 1);

    for (size_t k = 0; k < j->num; k++) {
        const size_t at = k * j->l.stride * j->l.element;
        if (memcmp(out + at, j->reference + at, j->l.stride * j->l.element) == 0) continue;
        for (unsigned e = 0; e < j->l.stride; e++) {
            const size_t here = at + e * j->l.element;
            const double got = vertex_element(&j->l, out, k, e);
            const double wanted = vertex_element(&j->l, j->reference, k, e);
            if (memcmp(out + here, j->reference + here, j->l.element) == 0) continue;
            if (!(fabs(got - wanted) <= bound * more * more_of(&j->l, e) + rounding(&j->l, wanted)))
                fail_msg("%s: vertex %zu, element %u: %g, not %g", j->s.name, k, e, got, wanted);
        }
    }
}

void check_bits(const shared *j, const unsigned char *out)
{
    if (memcmp(out, j->reference, j->bytes) != 0) fail_msg("%s: other bits", j->s.name);
}

/* On CPUs it is known before which devices can take tiles from a queue. */
static bool svm_can(const shared *j, memory_kind kind)
{
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;
    const clsp_device_info info = device_of(j->ctx);
    const clsp_bezier_desc *const d = &j->l.d;

    return kind == SHARED && info.device_class == CLSP_CLASS_CPU && (info.svm & both) == both &&
           d->form == CLSP_BEZIER_SURFACE && host_can(j) && !d->rational &&
           d->method <= CLSP_BEZIER_SEPARABLE && j->l.type == d->precision &&
           j->l.stride == j->l.dim && d->vertex.attributes == P && !d->watertight;
}

static clsp_status cooperate(void *work, void *out, const clsp_share *opts, clsp_report *report)
{
    const shared *const j = work;

    return shared_eval(j->plan, &j->l, j->s.first, j->s.count, out, opts, report);
}

static void check_vertices(void *work, const unsigned char *out, bool same_bits)
{
    const shared *const j = work;

    (same_bits ? check_bits : check_all)(j, out);
    check_oracle(j, out);
}

shared_call call_of(shared *j, memory_kind kind)
{
    const bool is_lone = j->l.d.form == CLSP_BEZIER_TRIANGLE;

    return (shared_call){.name = j->s.name,
                         .ctx = j->ctx,
                         .bytes = j->bytes,
                         .element = j->l.element,
                         .host = !is_lone && host_can(j),
                         .is_lone = is_lone,
                         .queue = svm_can(j, kind) ? QUEUE_ALWAYS : QUEUE_PERHAPS,
                         .work = j,
                         .call = cooperate,
                         .check = check_vertices};
}

void check_call(shared *j, memory_kind kind, const clsp_share *opts, uint32_t num_processors,
                bool alike, clsp_report *report)
{
    const shared_call c = call_of(j, kind);

    shared_check_call(&c, kind, opts, num_processors, alike, report);
}

/* ---- changes ---- */

void reload(shared *j)
{
    free(j->controls);
    j->controls = random_controls(&j->l, j->s.num_patches);
    assert_int_equal(load_controls(j->plan, &j->l, j->controls, j->s.num_patches), CLSP_OK);
}

void reload_from_buffer(shared *j)
{
    const size_t num = j->s.num_patches * j->l.controls;
    float *const narrow = malloc(num * sizeof *narrow);

    free(j->controls);
    j->controls = random_controls(&j->l, j->s.num_patches);
    assert_non_null(narrow);
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)j->controls[i];
    cl_mem buffer = buffer_of(j->ctx, num * sizeof *narrow, narrow);
    assert_int_equal(clsp_patch_set_control_points(j->plan, j->s.num_patches,
                                                   clsp_in_buffer(buffer, CLSP_F32, 0), NULL),
                     CLSP_OK);
    clReleaseMemObject(buffer);
    free(narrow);
}

void change_grid(shared *j, uint32_t num_u, uint32_t num_v)
{
    const clsp_axis axis[2] = {{.num = num_u}, {.num = num_v}};

    memcpy(j->l.d.axis, axis, sizeof axis);
    assert_int_equal(clsp_patch_set_grids(j->plan, axis, 0, (clsp_input){0}), CLSP_OK);
}

void change_degrees(shared *j, uint32_t degree_u, uint32_t degree_v)
{
    clsp_bezier_desc d = j->l.d;
    unsigned char byte;

    d.degree[0] = degree_u;
    d.degree[1] = degree_v;
    j->l = layout_of(&d);
    assert_int_equal(clsp_bezier_set_degrees(j->plan, d.degree), CLSP_OK);
    assert_int_equal(shared_eval(j->plan, &j->l, 0, 0, &byte, NULL, NULL), CLSP_ERROR_STATE);
    reload(j);
}

/* ---- cases ---- */

const shape shared_shapes[SHARED_SHAPES] = {
    {"a large patch", {.degree = {3, 3}, .axis = {{.num = 203}, {.num = 301}}}, 1, 0, 1, 0},
    {"patches of several tiles",
     {.degree = {5, 7}, .axis = {{.num = 150}, {.num = 97}}},
     4,
     1,
     3,
     0},
    {"tiles of patches", {.degree = {3, 3}, .axis = {{.num = 17}, {.num = 13}}}, 211, 5, 203, 0},
    {"degree 2 by 6", {.degree = {2, 6}, .axis = {{.num = 40}, {.num = 33}}}, 23, 3, 20, 0},
    {"degree 31", {.degree = {31, 31}, .axis = {{.num = 70}, {.num = 81}}, .dim = 4}, 2, 0, 2, 0},
    {"a part, backwards",
     {.degree = {3, 4},
      .axis = {{.num = 65, .begin = 0.75, .end = 0.25}, {.num = 127, .begin = 0.5, .end = 1.0}},
      .dim = 1},
     3,
     0,
     3,
     0},
    {"curves",
     {.form = CLSP_BEZIER_CURVE, .degree = {3}, .axis = {{.num = 257}}, .dim = 2},
     61,
     7,
     50,
     0},
    {"a long curve",
     {.form = CLSP_BEZIER_CURVE, .degree = {9}, .axis = {{.num = 20011}}},
     2,
     1,
     1,
     0},
    {"a volume",
     {.form = CLSP_BEZIER_VOLUME,
      .degree = {2, 3, 4},
      .axis = {{.num = 67}, {.num = 19}, {.num = 23}}},
     2,
     0,
     2,
     0},
    {"small volumes",
     {.form = CLSP_BEZIER_VOLUME,
      .degree = {1, 2, 3},
      .axis = {{.num = 9}, {.num = 5}, {.num = 7}},
      .rational = 1},
     37,
     2,
     34,
     0},
    {"rational with weights",
     {.degree = {3, 2},
      .axis = {{.num = 99}, {.num = 61}},
      .rational = 1,
      .vertex.attributes = P | W},
     3,
     0,
     3,
     0},
    {"weights of polynomials",
     {.degree = {3, 2}, .axis = {{.num = 33}, {.num = 61}}, .vertex.attributes = P | W},
     5,
     1,
     4,
     0},
    {"gaps",
     {.degree = {3, 3},
      .axis = {{.num = 131}, {.num = 49}},
      .vertex = {.attributes = P | W, .stride = 9, .offset = {4, 1}},
      .rational = 1},
     3,
     1,
     2,
     0},
    {"gaps of points",
     {.degree = {3, 3}, .axis = {{.num = 21}, {.num = 19}}, .vertex.stride = 4},
     40,
     3,
     33,
     0},
    {"normals",
     {.degree = {3, 3}, .axis = {{.num = 97}, {.num = 65}}, .vertex.attributes = P | N},
     3,
     1,
     2,
     0},
    {"tangents with gaps",
     {.degree = {3, 2},
      .axis = {{.num = 15}, {.num = 22}},
      .vertex = {.attributes = P | DU, .stride = 7}},
     30,
     4,
     25,
     0},
    {"in half",
     {.degree = {3, 3}, .axis = {{.num = 97}, {.num = 65}}, .vertex.type = CLSP_F16},
     3,
     1,
     2,
     0},
    {"doubles in float",
     {.degree = {3, 3}, .axis = {{.num = 97}, {.num = 65}}, .vertex.type = CLSP_F32},
     3,
     1,
     2,
     64},
    {"watertight",
     {.degree = {4, 3}, .axis = {{.num = 97}, {.num = 65}}, .watertight = 1},
     3,
     1,
     2,
     0},
    {"watertight, with normals and parameters",
     {.degree = {3, 2},
      .axis = {{.num = 65}, {.num = 40}},
      .rational = 1,
      .vertex.attributes = P | N | T,
      .watertight = 1},
     3,
     0,
     3,
     0},
    {"second derivatives",
     {.degree = {3, 4},
      .axis = {{.num = 65}, {.num = 40}},
      .vertex.attributes = P | W | DU | DV | DUU | DUV | DVV},
     3,
     1,
     2,
     0},
    {"derivatives of volumes",
     {.form = CLSP_BEZIER_VOLUME,
      .degree = {2, 3, 1},
      .axis = {{.num = 33}, {.num = 9}, {.num = 12}},
      .vertex.attributes = P | DU | DV | DW | T},
     2,
     0,
     2,
     0},
    {"multilevel",
     {.degree = {3, 3}, .axis = {{.num = 97}, {.num = 65}}, .method = CLSP_BEZIER_MULTILEVEL},
     3,
     1,
     2,
     0},
    {"matrix",
     {.degree = {3, 3}, .axis = {{.num = 97}, {.num = 65}}, .method = CLSP_BEZIER_MATRIX},
     3,
     1,
     2,
     0},
    {"brute",
     {.degree = {3, 3}, .axis = {{.num = 97}, {.num = 65}}, .method = CLSP_BEZIER_BRUTE},
     3,
     1,
     2,
     0},
    {"triangles", {.form = CLSP_BEZIER_TRIANGLE, .degree = {3}, .axis = {{.num = 40}}}, 5, 1, 4, 0},
    {"nothing", {.degree = {3, 3}, .axis = {{.num = 17}, {.num = 13}}}, 3, 2, 0, 0},
    {"no patches", {.degree = {3, 3}, .axis = {{.num = 17}, {.num = 13}}}, 0, 0, 0, 0},
    {"one point", {.degree = {3, 3}, .axis = {{.num = 1}, {.num = 1}}}, 9, 1, 7, 0},
    {"one point of a constant", {.degree = {0, 0}, .axis = {{.num = 1}, {.num = 1}}}, 1, 0, 1, 0},
    {"one row", {.degree = {2, 3}, .axis = {{.num = 1}, {.num = 5003}}}, 2, 0, 2, 0},
    {"one column", {.degree = {2, 3}, .axis = {{.num = 5003}, {.num = 1}}}, 2, 0, 2, 0},
};

shape reduced(const shape *s)
{
    shape r = *s;

    if (!tiny()) return r;
    if (r.d.axis[0].num > 12) r.d.axis[0].num = 12;
    if (r.d.axis[1].num > 5) r.d.axis[1].num = 5;
    if (r.d.axis[2].num > 3) r.d.axis[2].num = 3;
    if (r.d.degree[0] > 5) r.d.degree[0] = 5;
    if (r.d.degree[1] > 5) r.d.degree[1] = 5;
    if (r.num_patches > 5) {
        r.num_patches = 5;
        r.first = 1;
        r.count = 3;
    }
    return r;
}

bool shape_in_turn(size_t i, clsp_type precision)
{
    const int alone = shared_shapes[i].precision;

    if (shared_shapes[i].d.method > CLSP_BEZIER_SEPARABLE && !support_has_methods()) return false;
    if (!alone) return in_turn(i);
    return alone == (precision == CLSP_F64 ? 64 : 32) &&
           (in_turn(i) || in_turn(i + 2 * SHARED_LIMITS));
}
