#include "convert_target.h"

#include <stdlib.h>

#include "buffer.h"
#include "check.h"
#include "knot_change.h"

/* ---- checks ---- */

/* A direction of a target, for messages. */
typedef struct direction {
    const clsp_bspline_plan *plan;
    const clsp_bspline_change *change;
    cl_uint k;
} direction;

static clsp_status bad(const direction *d, const char *what)
{
    return clspi_fail(&d->plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bspline: target along %c: %s", "uvw"[d->k], what);
}

static bool has_reserved(const clsp_bspline_change *c)
{
    uint64_t any = 0;

    for (size_t i = 0; i < CLSPI_COUNT(c->reserved); i++)
        any |= c->reserved[i];
    return any != 0;
}

static clsp_status check_derivative(const direction *d)
{
    const clsp_bspline_desc *const desc = &d->plan->desc;
    const uint32_t order = d->change->derivative;

    if (order > CLSP_CONVERT_MAX_DERIVATIVE) return bad(d, "the derivative's order is above 2");
    if (order > desc->degree[d->k])
        return bad(d, "the derivative's order is above the degree, it is 0");
    if (order > 0 && desc->rational)
        return bad(d, "the derivative of a rational spline is not that of its control points; a "
                      "plan of one more coordinate that is not rational has theirs");
    return CLSP_OK;
}

/* Checks that knots are either made or given. */
static clsp_status check_ways(const direction *d, bool bezier)
{
    const clsp_bspline_change *const c = d->change;
    const bool made = c->elevate > 0 || c->begin != 0.0 || c->end != 0.0 || c->num_insert > 0;

    if (has_reserved(c)) return bad(d, "a reserved field is not 0");
    if (c->num_insert > 0 && !c->insert) return bad(d, "insert is NULL");
    if (!c->knots && (c->degree > 0 || c->num_controls > 0))
        return bad(d, "degree and num_controls are of knots that are not given");
    if (c->knots && (made || bezier)) return bad(d, "knots that are given are not made as well");
    return check_derivative(d);
}

static clsp_status check_degree(const direction *d, uint64_t degree)
{
    if (degree <= CLSP_BSPLINE_MAX_DEGREE) return CLSP_OK;
    return clspi_fail(&d->plan->tensor.base.ctx->log, CLSP_ERROR_DEGREE,
                      "bspline: target along %c: degree %llu: at most %d", "uvw"[d->k],
                      (unsigned long long)degree, CLSP_BSPLINE_MAX_DEGREE);
}

static clsp_status check_controls(const direction *d, uint32_t degree, uint32_t controls)
{
    if (controls > degree && controls <= CLSP_BSPLINE_MAX_CONTROLS) return CLSP_OK;
    return clspi_fail(&d->plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bspline: target along %c: %u control points: of degree %u %u to %d",
                      "uvw"[d->k], controls, degree, degree + 1, CLSP_BSPLINE_MAX_CONTROLS);
}

static clsp_status defective(const direction *d, const char *which, const clspi_knot_defect *defect)
{
    return clspi_fail(&d->plan->tensor.base.ctx->log, CLSP_ERROR_ARGUMENT,
                      "bspline: target along %c: %s %u, %.17g, %s", "uvw"[d->k], which,
                      defect -> knot, defect -> value, defect -> what);
}

static clsp_status no_memory(const direction *d)
{
    return clspi_fail(&d->plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "bspline: target along %c: no memory for knots", "uvw"[d->k]);
}

/* ---- knots ---- */

static clsp_status take_knots(const direction *d, clspi_knots *to)
{
    const clsp_bspline_change *const c = d->change;
    clspi_knot_defect defect;

    CLSPI_CHECK(check_degree(d, c->degree));
    CLSPI_CHECK(check_controls(d, c->degree, c->num_controls));
    defect = clspi_knots_check(c->knots, c->degree, c->num_controls);
    if (defect.what) return defective(d, "knot", &defect);
    if (!clspi_knots_make(to, c->knots, c->degree, c->num_controls)) return no_memory(d);
    const clspi_conversion conversion = {&d->plan->knots[d->k], to, c->derivative};
    defect = clspi_conversion_check(&conversion);
    return defect.what ? defective(d, "knot", &defect) : CLSP_OK;
}

static clsp_status make_knots(const direction *d, bool bezier, clspi_knots *to)
{
    const clsp_bspline_change *const c = d->change;
    const clspi_knots *const from = &d->plan->knots[d->k];
    const clspi_knot_change change = {.by = c->derivative,
                                      .elevate = c->elevate,
                                      .restricted = c->begin != 0.0 || c->end != 0.0,
                                      .begin = c->begin,
                                      .end = c->end,
                                      .insert = c->insert,
                                      .num_insert = c->num_insert,
                                      .pieces = bezier};
    clspi_knot_defect defect;

    CLSPI_CHECK(check_degree(d, (uint64_t)from->degree - c->derivative + c->elevate));
    if (!clspi_knots_change(to, from, &change, &defect))
        return defect.what ? defective(d, "inserted knot", &defect) : no_memory(d);
    return check_controls(d, to->degree, to->controls);
}

static clsp_status prepare_direction(clspi_convert_target *target, const direction *d, bool bezier)
{
    clspi_knots *const to = &target->knots[d->k];

    CLSPI_CHECK(check_ways(d, bezier));
    CLSPI_CHECK(d->change->knots ? take_knots(d, to) : make_knots(d, bezier, to));
    target->conversion[d->k] = (clspi_conversion){&d->plan->knots[d->k], to, d->change->derivative};
    return CLSP_OK;
}

/* ---- the target ---- */

static clsp_status check_kinds(const clsp_bspline_plan *plan, const clsp_bspline_target *wanted)
{
    clspi_log *const log = &plan->tensor.base.ctx->log;

    for (size_t i = 0; i < CLSPI_COUNT(wanted->reserved); i++)
        if (wanted->reserved[i])
            return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                              "bspline: target: a reserved field is not 0");
    if (wanted->bezier > 1)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bspline: target: bezier is neither 0 nor 1");
    if ((unsigned)wanted->method > CLSP_CONVERT_MATRIX)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bspline: target: %d is no method",
                          (int)wanted->method);
    return CLSP_OK;
}

static cl_uint row_of(const void *user, cl_uint along, cl_uint by, cl_uint sample, double *values)
{
    const clspi_convert_target *const target = user;

    (void)by; /* the conversion's own */
    return clspi_conversion_row(&target->conversion[along], sample, values, target->scratch);
}

/* Tells tables of one direction and derivative apart from all others. */
static uint64_t identity(const void *user, cl_uint along, cl_uint by)
{
    (void)user;
    return (uint64_t)along * CLSPI_DERIVATIVES + by;
}

static const double *factors(const void *user, cl_uint along, cl_uint by)
{
    const clspi_convert_target *const target = user;

    return target->plan->factors[along][by - 1];
}

/* Describes the sums: those of the plan's control points that make the target's. */
static void describe(clspi_convert_target *target, const clsp_bspline_plan *plan)
{
    clspi_tensor_desc *const d = &target->desc;

    *d = plan->tensor.desc;
    d->vertex = (clsp_vertex_layout){0};
    d->basis =
        (clspi_basis){.user = target, .values = row_of, .identity = identity, .factors = factors};
    for (cl_uint k = 0; k < 3; k++)
        d->axis[k] = (clsp_axis){k < d->directions ? target->knots[k].controls : 1, 0.0, 1.0};
}

static clsp_status make_target(clspi_convert_target *target, const clsp_bspline_plan *plan,
                               const clsp_bspline_target *wanted)
{
    size_t scratch = 1;

    target->plan = plan;
    target->pieces = wanted->bezier;
    target->method = wanted->method;
    for (cl_uint k = 0; k < plan->desc.directions; k++) {
        const direction d = {plan, &wanted->along[k], k};
        CLSPI_CHECK(prepare_direction(target, &d, wanted->bezier));
        scratch = clspi_max(scratch, clspi_conversion_scratch(&target->conversion[k]));
    }
    target->scratch = malloc(scratch * sizeof *target->scratch);
    if (!target->scratch)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for a target");
    describe(target, plan);
    return CLSP_OK;
}

clsp_status clspi_convert_target_create(clspi_convert_target **target,
                                        const clsp_bspline_plan *plan,
                                        const clsp_bspline_target *wanted)
{
    *target = NULL;
    CLSPI_CHECK(check_kinds(plan, wanted));
    clspi_convert_target *made = calloc(1, sizeof *made);
    if (!made)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for a target");
    const clsp_status status = make_target(made, plan, wanted);
    if (status == CLSP_OK)
        *target = made;
    else
        clspi_convert_target_destroy(&made);
    return status;
}

void clspi_convert_target_destroy(clspi_convert_target **ptr)
{
    clspi_convert_target *const target = *ptr;

    if (!target) return;
    *ptr = NULL;
    clspi_sum_release(&target->sum);
    for (cl_uint k = 0; k < 3; k++) {
        for (cl_uint by = 0; by < CLSPI_DERIVATIVES; by++)
            clspi_table_release(&target->tables.table[k][by]);
        clspi_knots_release(&target->knots[k]);
    }
    clspi_piece_order_release(&target->order);
    free(target->scratch);
    free(target);
}
