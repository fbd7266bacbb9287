#include "knots_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "patch_eval.h"
#include "vertex_layout.h"

/* ---- knots ---- */

knots knots_make(uint32_t degree, uint32_t controls, double low, double high)
{
    knots k = {.degree = degree, .controls = controls};
    const uint32_t spans = controls - degree;

    assert_true(controls + degree + 1 <= KNOTS_MAX && spans >= 1);
    for (uint32_t i = 0; i < controls + degree + 1; i++) {
        const double at = i <= degree ? 0.0 : i >= controls ? spans : i - degree;
        k.u[i] = low + (high - low) * (at * at + at) / ((double)spans * spans + spans);
    }
    if (spans > 3 && degree > 1) k.u[degree + 2] = k.u[degree + 1];
    return k;
}

/* Returns the number of the last knot at or before t that is less than the one after it. */
static uint32_t span_of(const knots *k, double t)
{
    uint32_t span = k->controls - 1;

    while (span > k->degree && (t < k->u[span] || k->u[span] == k->u[span + 1]))
        span--;
    return span;
}

/* The definition, from functions of degree 0 up, with 0 / 0 = 0; t within the span. */
static long double value(const knots *k, uint32_t i, uint32_t degree, uint32_t span, long double t)
{
    const double *const u = k->u + i;
    long double n[KNOTS_MAX];

    for (uint32_t j = 0; j <= degree; j++)
        n[j] = i + j == span ? 1.0L : 0.0L;
    for (uint32_t p = 1; p <= degree; p++)
        for (uint32_t j = 0; j <= degree - p; j++) {
            const long double left = (long double)u[j + p] - u[j];
            const long double right = (long double)u[j + p + 1] - u[j + 1];
            const long double rising = left > 0 ? (t - u[j]) / left * n[j] : 0.0L;
            n[j] = rising + (right > 0 ? (u[j + p + 1] - t) / right * n[j + 1] : 0.0L);
        }
    return n[0];
}

static long double derivative(const knots *k, uint32_t i, uint32_t degree, uint32_t by,
                              uint32_t span, long double t)
{
    if (by == 0) return value(k, i, degree, span, t);
    if (degree == 0) return 0.0L;
    const long double left = (long double)k->u[i + degree] - k->u[i];
    const long double right = (long double)k->u[i + degree + 1] - k->u[i + 1];
    long double sum = 0.0L;
    if (left > 0) sum += degree / left * derivative(k, i, degree - 1, by - 1, span, t);
    if (right > 0) sum -= degree / right * derivative(k, i + 1, degree - 1, by - 1, span, t);
    return sum;
}

long double knots_value(const knots *k, uint32_t i, uint32_t by, long double t)
{
    return derivative(k, i, k->degree, by, span_of(k, (double)t), t);
}

/* ---- the basis ---- */

static double sample_at(const clspi_tensor_desc *d, cl_uint direction, cl_uint sample)
{
    const clsp_axis *const axis = &d->axis[direction];

    return axis->num > 1 ? axis->begin + (axis->end - axis->begin) * sample / (axis->num - 1)
                         : axis->begin;
}

/* Values of degree p - by over the knots without the outer ones, by the triangle of the recursion.
 */
static cl_uint values(const void *user, cl_uint direction, cl_uint by, cl_uint sample,
                      double *values)
{
    const knots_plan *const plan = user;
    const knots *const k = &plan->direction[direction];
    const double t = sample_at(&plan->tensor.desc, direction, sample);
    const uint32_t span = span_of(k, t), degree = k->degree - by;

    values[0] = 1.0;
    for (uint32_t d = 1; d <= degree; d++) {
        double saved = 0.0;
        for (uint32_t r = 0; r < d; r++) {
            const double right = k->u[span + r + 1] - t, left = t - k->u[span + 1 - d + r];
            const double part = values[r] / (right + left);
            values[r] = saved + right * part;
            saved = left * part;
        }
        values[d] = saved;
    }
    return span - k->degree;
}

static uint64_t identity(const void *user, cl_uint direction, cl_uint by)
{
    (void)user;
    return direction * CLSPI_DERIVATIVES + by + 1;
}

static const double *factors(const void *user, cl_uint direction, cl_uint by)
{
    const knots_plan *const plan = user;

    return plan->direction[direction].degree >= by ? plan->factors[direction][by - 1] : NULL;
}

static void make_factors(knots_plan *plan, cl_uint direction)
{
    const knots *const k = &plan->direction[direction];

    for (uint32_t by = 1; by <= 2 && by <= k->degree; by++) {
        for (uint32_t i = 0; i + by < k->controls; i++) {
            const double length = k->u[i + k->degree + 1] - k->u[i + by];
            plan->factors[direction][by - 1][i] = length > 0 ? (k->degree + 1 - by) / length : 0.0;
        }
    }
}

/* ---- plans ---- */

static clsp_status create_peer(clspi_plan **peer, clsp_context *ctx, const clspi_plan *base)
{
    const knots_plan *const plan = (const knots_plan *)base;
    knots_plan *const made = knots_plan_create(ctx, &plan->tensor.desc, plan->direction);

    *peer = &made->tensor.base;
    return CLSP_OK;
}

static const clspi_patch_family knots_family = {
    .name = "knots", .peers = {create_peer, clspi_patch_destroy_peer, clspi_patch_load_peer}};

clspi_tensor_desc knots_desc(const knots *direction, uint32_t directions, const uint32_t nums[3])
{
    clspi_tensor_desc d = {
        .precision = CLSP_F32, .directions = directions, .dim = 3, .num_controls = 1};

    for (uint32_t k = 0; k < 3; k++) {
        const knots *const own = &direction[k];
        const bool there = k < directions;
        d.degrees[k] = there ? own->degree : 0;
        d.controls[k] = there ? own->controls : 1;
        d.terms[k] = d.degrees[k] + 1;
        d.domain[k][0] = there ? own->u[own->degree] : 0.0;
        d.domain[k][1] = there ? own->u[own->controls] : 1.0;
        d.axis[k] =
            (clsp_axis){.num = there ? nums[k] : 1, .begin = d.domain[k][0], .end = d.domain[k][1]};
        d.num_controls *= d.controls[k];
    }
    return d;
}

knots_plan *knots_plan_create(clsp_context *ctx, const clspi_tensor_desc *desc,
                              const knots *direction)
{
    clsp_patch_plan *tensor;
    clspi_tensor_desc d = *desc;

    assert_ok(ctx, clspi_patch_create(&tensor, sizeof(knots_plan), ctx, &knots_family, NULL));
    knots_plan *const plan = (knots_plan *)tensor;
    memcpy(plan->direction, direction, sizeof plan->direction);
    for (cl_uint k = 0; k < d.directions; k++)
        make_factors(plan, k);
    d.basis =
        (clspi_basis){.user = plan, .values = values, .identity = identity, .factors = factors};
    assert_ok(ctx, clspi_layout_resolve(ctx, &d, "knots", UINT32_MAX >> 22));
    assert_ok(ctx, clspi_patch_configure(tensor, &d));
    return plan;
}

void knots_plan_destroy(knots_plan **plan)
{
    clsp_patch_plan *tensor = (clsp_patch_plan *)*plan;

    clspi_patch_destroy(&tensor);
    *plan = NULL;
}
