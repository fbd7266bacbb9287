#include "convert_target.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "knot_change.h"
#include "methods.h"

/* ---- checks ---- */

static clspi_log *log_of(const clspi_target_direction *d)
{
    return &d->plan->tensor.base.ctx->log;
}

/* Names a direction or a curve in messages. */
typedef struct direction_name {
    char text[48];
} direction_name;

static direction_name name_of(const clspi_target_direction *d)
{
    direction_name name;

    if (d->plan->own.num > 0)
        snprintf(name.text, sizeof name.text, "target of curve %zu", d->curve);
    else
        snprintf(name.text, sizeof name.text, "target along %c", "uvw"[d->k]);
    return name;
}

static clsp_status bad(const clspi_target_direction *d, const char *what)
{
    return clspi_fail(log_of(d), CLSP_ERROR_ARGUMENT, "bspline: %s: %s", name_of(d).text, what);
}

static clsp_status check_derivative(const clspi_target_direction *d)
{
    const clsp_bspline_desc *const desc = &d->plan->desc;
    const uint32_t order = d->change->derivative;

    if (order > CLSP_BSPLINE_CONVERT_MAX_DERIVATIVE)
        return bad(d, "the derivative's order is above 2");
    if (order > desc->degree[d->k])
        return bad(d, "the derivative's order is above the degree, it is 0");
    if (order > 0 && desc->rational)
        return bad(d, "the derivative of a rational spline is not that of its control points; a "
                      "plan of one more coordinate that is not rational has theirs");
    return CLSP_OK;
}

/* Checks that knots are either made or given. */
static clsp_status check_ways(const clspi_target_direction *d, bool bezier)
{
    const clsp_bspline_change *const c = d->change;
    const bool made = c->elevate > 0 || c->begin != 0.0 || c->end != 0.0 || c->num_insert > 0;

    CLSPI_CHECK(clspi_reserved_check(log_of(d), "clsp_bspline_change", c->reserved));
    if (c->num_insert > 0 && !c->insert) return bad(d, "insert is NULL");
    if (c->num_insert > CLSP_PATCH_MAX_SAMPLES) return bad(d, "too many knots are inserted");
    if (!c->knots && (c->degree > 0 || c->num_controls > 0))
        return bad(d, "degree and num_controls are of knots that are not given");
    if (c->knots && (made || bezier)) return bad(d, "knots that are given are not made as well");
    return check_derivative(d);
}

static clsp_status check_degree(const clspi_target_direction *d, uint64_t degree)
{
    if (degree <= CLSP_BSPLINE_MAX_DEGREE) return CLSP_OK;
    return clspi_fail(log_of(d), CLSP_ERROR_DEGREE, "bspline: %s: degree %llu: at most %d",
                      name_of(d).text, (unsigned long long)degree, CLSP_BSPLINE_MAX_DEGREE);
}

static clsp_status check_controls(const clspi_target_direction *d, uint32_t degree,
                                  uint32_t controls)
{
    if (controls > degree && controls <= CLSP_PATCH_MAX_SAMPLES) return CLSP_OK;
    return clspi_fail(log_of(d), CLSP_ERROR_ARGUMENT,
                      "bspline: %s: %u control points: of degree %u %u to %d", name_of(d).text,
                      controls, degree, degree + 1, CLSP_PATCH_MAX_SAMPLES);
}

static clsp_status defective(const clspi_target_direction *d, const char *which,
                             const clspi_knot_defect *defect)
{
    return clspi_fail(log_of(d), CLSP_ERROR_ARGUMENT, "bspline: %s: %s %u, %.17g, %s",
                      name_of(d).text, which, defect->knot, defect->value, defect->what);
}

static clsp_status no_memory(const clspi_target_direction *d)
{
    return clspi_fail(log_of(d), CLSP_ERROR_NO_MEMORY, "bspline: %s: no memory for knots",
                      name_of(d).text);
}

/* ---- knots ---- */

static clsp_status take_knots(const clspi_target_direction *d, clspi_knots *to)
{
    const clsp_bspline_change *const c = d->change;
    clspi_knot_defect defect;

    CLSPI_CHECK(check_degree(d, c->degree));
    CLSPI_CHECK(check_controls(d, c->degree, c->num_controls));
    defect = clspi_knots_check(c->knots, c->degree, c->num_controls);
    if (defect.what) return defective(d, "knot", &defect);
    if (!clspi_knots_make(to, c->knots, c->degree, c->num_controls)) return no_memory(d);
    const clspi_conversion conversion = {d->from, to, c->derivative};
    defect = clspi_conversion_check(&conversion);
    return defect.what ? defective(d, "knot", &defect) : CLSP_OK;
}

static clsp_status make_knots(const clspi_target_direction *d, bool bezier, clspi_knots *to)
{
    const clsp_bspline_change *const c = d->change;
    const clspi_knots *const from = d->from;
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

clsp_status clspi_target_knots(const clspi_target_direction *d, bool bezier, clspi_knots *to)
{
    CLSPI_CHECK(check_ways(d, bezier));
    return d->change->knots ? take_knots(d, to) : make_knots(d, bezier, to);
}

/* ---- the target ---- */

static clsp_status check_kinds(const clspi_bspline_plan *plan, const clsp_bspline_target *wanted)
{
    clspi_log *const log = &plan->tensor.base.ctx->log;

    CLSPI_CHECK(clspi_reserved_check(log, "clsp_bspline_target", wanted->reserved));
    if (wanted->bezier > 1)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bspline: target: bezier is neither 0 nor 1");
    if ((unsigned)wanted->method > CLSP_BSPLINE_CONVERT_MATRIX)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bspline: target: %d is no method",
                          (int)wanted->method);
    if (wanted->method != CLSP_BSPLINE_CONVERT_MATRIX) return CLSP_OK;
    CLSPI_CHECK(clspi_published_check(log, "bspline"));
    if (plan->own.num > 0)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "bspline: target: matrices are of knots that curves share");
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
static void describe(clspi_convert_target *target, const clspi_bspline_plan *plan)
{
    clspi_tensor_desc *const d = &target->desc;

    *d = plan->tensor.desc;
    d->vertex = (clsp_vertex_layout){0};
    d->basis =
        (clspi_basis){.user = target, .values = row_of, .identity = identity, .factors = factors};
    for (cl_uint k = 0; k < 3; k++)
        d->axis[k] =
            (clsp_axis){.num = k < d->directions ? target->knots[k].controls : 1, .end = 1.0};
}

/* Makes the knots of all directions, and room for rows. */
static clsp_status make_directions(clspi_convert_target *target, const clspi_bspline_plan *plan,
                                   const clsp_bspline_target *wanted)
{
    size_t scratch = 1;

    for (cl_uint k = 0; k < plan->desc.directions; k++) {
        const clspi_target_direction d = {plan, &wanted->along[k], &plan->knots[k], k, 0};
        CLSPI_CHECK(clspi_target_knots(&d, wanted->bezier, &target->knots[k]));
        target->conversion[k] = (clspi_conversion){d.from, &target->knots[k], d.change->derivative};
        scratch = clspi_max(scratch, clspi_conversion_scratch(&target->conversion[k]));
    }
    target->scratch = malloc(scratch * sizeof *target->scratch);
    if (!target->scratch)
        return clspi_fail(&plan->tensor.base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for a target");
    describe(target, plan);
    return CLSP_OK;
}

static clsp_status make_target(clspi_convert_target *target, const clspi_bspline_plan *plan,
                               const clsp_bspline_target *wanted)
{
    target->plan = plan;
    target->pieces = wanted->bezier;
    if (wanted->method == CLSP_BSPLINE_CONVERT_MATRIX)
        target->sum.method = &clspi_published_conversion;
    return plan->own.num > 0 ? clspi_own_target_make(&target->own, plan, wanted)
                             : make_directions(target, plan, wanted);
}

clsp_status clspi_convert_target_create(clspi_convert_target **target,
                                        const clspi_bspline_plan *plan,
                                        const clsp_bspline_target *wanted)
{
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
    clspi_surface_pieces_release(&target->surface);
    clspi_piece_order_release(&target->order);
    clspi_own_target_release(&target->own);
    clspi_convert_host_release(&target->host);
    free(target->scratch);
    free(target);
}
