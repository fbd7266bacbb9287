#include "bezier_plan.h"

#include "check.h"
#include "methods.h"
#include "vertex_layout.h"

static const char family[] = "bezier";

static clsp_status bad(clsp_context *ctx, const char *what, double value)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "bezier: %s: %g", what, value);
}

static uint32_t directions_of(clsp_bezier_form form)
{
    return form == CLSP_BEZIER_CURVE ? 1 : form == CLSP_BEZIER_VOLUME ? 3 : 2;
}

/* ---- parts of the description ---- */

static clsp_status check_kinds(clsp_context *ctx, const clsp_bezier_desc *d)
{
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_bezier_desc", d->reserved));
    if (d->check_weights > 1) return bad(ctx, "check_weights is neither 0 nor 1", d->check_weights);
    if ((unsigned)d->form > CLSP_BEZIER_TRIANGLE) return bad(ctx, "unknown form", d->form);
    if ((unsigned)d->method > CLSP_BEZIER_BRUTE) return bad(ctx, "unknown method", d->method);
    if (d->rational > 1) return bad(ctx, "rational is neither 0 nor 1", d->rational);
    if (d->watertight > 1) return bad(ctx, "watertight is neither 0 nor 1", d->watertight);
    if (d->watertight && d->form != CLSP_BEZIER_SURFACE)
        return bad(ctx, "watertight is for surfaces, not for form", d->form);
    return d->dim > 4 ? bad(ctx, "dim is above 4", d->dim) : CLSP_OK;
}

static clsp_status check_degrees(clsp_context *ctx, const clsp_bezier_desc *d)
{
    const uint32_t *const p = d->degree;

    if (p[0] <= CLSP_BEZIER_MAX_DEGREE && p[1] <= CLSP_BEZIER_MAX_DEGREE &&
        p[2] <= CLSP_BEZIER_MAX_DEGREE)
        return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_DEGREE,
                      "bezier: degrees %u, %u and %u: at most %d each", p[0], p[1], p[2],
                      CLSP_BEZIER_MAX_DEGREE);
}

/* Checks the axes and puts their ends in place. */
static clsp_status resolve_axes(clsp_context *ctx, clsp_bezier_desc *d)
{
    static const double unit[3][2] = {{0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0}};
    const uint32_t directions = d->form == CLSP_BEZIER_TRIANGLE ? 1 : directions_of(d->form);

    if (d->form == CLSP_BEZIER_TRIANGLE && d->axis[0].params)
        return bad(ctx, "triangles have no samples of one's own along an edge", d->axis[0].num);
    CLSPI_CHECK(clspi_axes_resolve(&ctx->log, family, d->axis, unit, directions));
    if (!d->watertight || (clspi_is_unit_axis(&d->axis[0]) && clspi_is_unit_axis(&d->axis[1])))
        return CLSP_OK;
    return bad(ctx, "watertight is for axes over [0, 1], not from", d->axis[0].begin);
}

/* ---- limits of methods ---- */

static clsp_status check_method(clsp_context *ctx, const clsp_bezier_desc *d)
{
    if (d->method <= CLSP_BEZIER_SEPARABLE &&
        (d->form != CLSP_BEZIER_TRIANGLE || d->method == CLSP_BEZIER_METHOD_DEFAULT))
        return CLSP_OK;
    CLSPI_CHECK(clspi_published_check(&ctx->log, family));
    if (d->form == CLSP_BEZIER_TRIANGLE)
        return bad(ctx, "triangles have no choice of a method", d->method);
    if (d->form == CLSP_BEZIER_VOLUME)
        return bad(ctx, "volumes have none but the separable method", d->method);
    return clspi_published_bezier.check(&ctx->log, d);
}

/* ---- defaults ---- */

/* Makes directions that the form does not have constants of one sample. */
static void drop_directions(clsp_bezier_desc *d)
{
    const clsp_axis none = {.num = 1, .end = 1.0};
    const uint32_t given = d->form == CLSP_BEZIER_TRIANGLE ? 1 : directions_of(d->form);

    for (uint32_t k = given; k < 3; k++) {
        d->degree[k] = 0;
        d->axis[k] = none;
    }
    if (d->form == CLSP_BEZIER_TRIANGLE) d->axis[0].begin = d->axis[0].end = 0.0;
}

/* Returns the control points of a patch; 0: too many. */
static size_t count_controls(const clsp_bezier_desc *d)
{
    size_t num = (size_t)d->degree[0] + 1;

    if (d->form == CLSP_BEZIER_TRIANGLE) return num * (num + 1) / 2;
    if (!clspi_size_mul(&num, (size_t)d->degree[1] + 1) ||
        !clspi_size_mul(&num, (size_t)d->degree[2] + 1))
        return 0;
    return num;
}

static void fill_tensor(const clsp_bezier_desc *d, clspi_tensor_desc *tensor)
{
    *tensor = (clspi_tensor_desc){.precision = d->precision,
                                  .directions = directions_of(d->form),
                                  .is_triangle = d->form == CLSP_BEZIER_TRIANGLE,
                                  .dim = d->dim,
                                  .rational = d->rational,
                                  .check_weights = d->check_weights != 0,
                                  .num_controls = count_controls(d),
                                  .watertight = d->watertight,
                                  .vertex = d->vertex};
    for (uint32_t k = 0; k < 3; k++) {
        tensor->degrees[k] = d->degree[k];
        tensor->controls[k] = tensor->terms[k] = d->degree[k] + 1;
        tensor->axis[k] = clspi_axis_with_ends(&d->axis[k]);
        tensor->domain[k][1] = 1.0;
    }
}

clsp_status clspi_bezier_resolve(clsp_context *ctx, clsp_bezier_desc *desc,
                                 clspi_tensor_desc *tensor)
{
    if (desc->precision == CLSP_TYPE_DEFAULT) desc->precision = CLSP_F32;
    if (desc->form == CLSP_BEZIER_FORM_DEFAULT) desc->form = CLSP_BEZIER_SURFACE;
    CLSPI_CHECK(check_kinds(ctx, desc));
    CLSPI_CHECK(clspi_precision_check(ctx, family, desc->precision));
    if (desc->dim == 0) desc->dim = 3;
    drop_directions(desc);
    CLSPI_CHECK(resolve_axes(ctx, desc));
    CLSPI_CHECK(check_degrees(ctx, desc));
    CLSPI_CHECK(check_method(ctx, desc));
    fill_tensor(desc, tensor);
    CLSPI_CHECK(clspi_layout_resolve(ctx, tensor, family,
                                     clspi_attributes_of(tensor->directions, desc->dim)));
    desc->vertex = tensor->vertex;
    return CLSP_OK;
}
