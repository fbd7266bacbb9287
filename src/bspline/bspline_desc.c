#include "bspline_plan.h"

#include "check.h"
#include "vertex_layout.h"

static const char family[] = "bspline";

static clsp_status bad(clsp_context *ctx, const char *what, double value)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "bspline: %s: %g", what, value);
}

/* ---- parts of the description ---- */

static clsp_status check_kinds(clsp_context *ctx, const clsp_bspline_desc *d)
{
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_bspline_desc", d->reserved));
    if (d->check_weights > 1) return bad(ctx, "check_weights is neither 0 nor 1", d->check_weights);
    if (d->directions > 3) return bad(ctx, "directions is above 3", d->directions);
    if (d->rational > 1) return bad(ctx, "rational is neither 0 nor 1", d->rational);
    return d->dim > 4 ? bad(ctx, "dim is above 4", d->dim) : CLSP_OK;
}

static clsp_status check_direction(clsp_context *ctx, const clsp_bspline_desc *d, uint32_t k)
{
    const uint32_t degree = d->degree[k], controls = d->num_controls[k];

    if (degree > CLSP_BSPLINE_MAX_DEGREE)
        return clspi_fail(&ctx->log, CLSP_ERROR_DEGREE, "bspline: degree %u: at most %d", degree,
                          CLSP_BSPLINE_MAX_DEGREE);
    if (controls <= degree || controls > CLSP_BSPLINE_MAX_CONTROLS)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "bspline: %u control points along %c: of degree %u %u to %d", controls,
                          "uvw"[k], degree, degree + 1, CLSP_BSPLINE_MAX_CONTROLS);
    if (!d->knots[k]) return CLSP_OK;
    const clspi_knot_defect defect = clspi_knots_check(d->knots[k], degree, controls);
    return defect.what
               ? clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "bspline: knot %u along %c, %.9g, %s",
                            defect.knot, "uvw"[k], defect.value, defect.what)
               : CLSP_OK;
}

clsp_status clspi_bspline_check(clsp_context *ctx, clsp_bspline_desc *desc)
{
    if (desc->directions == 0) desc->directions = 2;
    if (desc->dim == 0) desc->dim = 3;
    if (desc->precision == CLSP_TYPE_DEFAULT) desc->precision = CLSP_F32;
    CLSPI_CHECK(check_kinds(ctx, desc));
    CLSPI_CHECK(clspi_precision_check(ctx, family, desc->precision));
    for (uint32_t k = 0; k < desc->directions; k++)
        CLSPI_CHECK(check_direction(ctx, desc, k));
    for (uint32_t k = desc->directions; k < 3; k++) { /* constants */
        desc->degree[k] = 0;
        desc->num_controls[k] = 1;
        desc->knots[k] = NULL;
        desc->axis[k] = (clsp_axis){.num = 1, .end = 1.0};
    }
    return CLSP_OK;
}

/* ---- the patch plan's description ---- */

static size_t count_controls(const clsp_bspline_desc *d)
{
    size_t num = d->num_controls[0];

    return clspi_size_mul(&num, d->num_controls[1]) && clspi_size_mul(&num, d->num_controls[2])
               ? num
               : 0;
}

static void fill_tensor(const clsp_bspline_desc *d, const clspi_knots knots[3],
                        clspi_tensor_desc *tensor)
{
    *tensor = (clspi_tensor_desc){.precision = d->precision,
                                  .directions = d->directions,
                                  .dim = d->dim,
                                  .rational = d->rational,
                                  .check_weights = d->check_weights != 0,
                                  .num_controls = count_controls(d),
                                  .vertex = d->vertex};
    for (uint32_t k = 0; k < 3; k++) {
        tensor->degrees[k] = d->degree[k];
        tensor->controls[k] = d->num_controls[k];
        tensor->terms[k] = d->degree[k] + 1;
        tensor->axis[k] = clspi_axis_with_ends(&d->axis[k]);
        tensor->domain[k][0] = knots[k].u[d->degree[k]];
        tensor->domain[k][1] = knots[k].u[d->num_controls[k]];
    }
}

clsp_status clspi_bspline_resolve(const clspi_bspline_plan *plan, clsp_bspline_desc *desc,
                                  clspi_tensor_desc *tensor)
{
    clsp_context *const ctx = plan->tensor.base.ctx;
    double domain[3][2];

    for (uint32_t k = 0; k < 3; k++) {
        const double *const u = plan->knots[k].u;
        domain[k][0] = u[desc->degree[k]];
        domain[k][1] = u[desc->num_controls[k]];
    }
    CLSPI_CHECK(clspi_axes_resolve(&ctx->log, family, desc->axis, (const double(*)[2])domain,
                                   desc->directions));
    fill_tensor(desc, plan->knots, tensor);
    CLSPI_CHECK(clspi_layout_resolve(ctx, tensor, family,
                                     clspi_attributes_of(desc->directions, desc->dim)));
    desc->vertex = tensor->vertex;
    if (plan->own.num == 0) return CLSP_OK;
    tensor->own_bases = plan->own.num;
    tensor->basis_reals = clspi_bspline_own_reals(plan, tensor);
    return clspi_own_knots_check_axis(&plan->own, &ctx->log, desc);
}
