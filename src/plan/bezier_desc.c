#include "bezier_desc.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "context_internal.h"

enum { SECONDS = CLSP_BEZIER_DUU | CLSP_BEZIER_DUV | CLSP_BEZIER_DVV };

cl_uint clspi_bezier_directions(clsp_bezier_form form)
{
    return form == CLSP_BEZIER_CURVE ? 1 : form == CLSP_BEZIER_VOLUME ? 3 : 2;
}

cl_uint clspi_bezier_attribute_elements(const clsp_bezier_desc *d, unsigned attribute)
{
    switch (1 << attribute) {
    case CLSP_BEZIER_WEIGHT:
        return 1;
    case CLSP_BEZIER_PARAMS:
        return clspi_bezier_directions(d->form);
    default:
        return d->dim;
    }
}

cl_uint clspi_bezier_used_elements(const clsp_bezier_desc *d)
{
    cl_uint used = 0;

    for (unsigned i = 0; i < CLSP_BEZIER_ATTRIBUTES; i++)
        if (d->attributes & 1u << i) used += clspi_bezier_attribute_elements(d, i);
    return used;
}

size_t clspi_bezier_num_controls(const clsp_bezier_desc *d)
{
    size_t num = (size_t)d->degree_u + 1;

    if (d->form == CLSP_BEZIER_TRIANGLE) return num * (num + 1) / 2;
    if (!clspi_size_mul(&num, (size_t)d->degree_v + 1) ||
        !clspi_size_mul(&num, (size_t)d->degree_w + 1))
        return 0;
    return num;
}

static clsp_status bad(const clsp_context *ctx, const char *what, double value)
{
    return clspi_fail((clspi_log *)&ctx->log, CLSP_ERROR_ARGUMENT, "bezier: %s: %g", what, value);
}

/* ---- parts of the description ---- */

static clsp_status check_kinds(const clsp_context *ctx, const clsp_bezier_desc *d)
{
    clspi_log *const log = (clspi_log *)&ctx->log;

    if (d->precision != CLSP_F32 && d->precision != CLSP_F64)
        return bad(ctx, "precision is neither CLSP_F32 nor CLSP_F64", d->precision);
    if ((unsigned)d->form > CLSP_BEZIER_TRIANGLE) return bad(ctx, "unknown form", d->form);
    if ((unsigned)d->method > CLSP_BEZIER_BRUTE) return bad(ctx, "unknown method", d->method);
    if ((unsigned)d->storage > CLSP_STORE_F64) return bad(ctx, "unknown storage", d->storage);
    if (d->rational > 1) return bad(ctx, "rational is neither 0 nor 1", d->rational);
    if (d->watertight > 1) return bad(ctx, "watertight is neither 0 nor 1", d->watertight);
    if (d->dim > 4) return bad(ctx, "dim is above 4", d->dim);
    if (d->precision == CLSP_F64 && !ctx->device.fp64)
        return clspi_fail(log, CLSP_ERROR_NO_FP64,
                          "bezier: %s has no double precision; use CLSP_F32 or another device",
                          ctx->device.name);
    if (d->storage == CLSP_STORE_F64 && d->precision != CLSP_F64)
        return bad(ctx, "CLSP_STORE_F64 needs CLSP_F64, not precision", d->precision);
    if (d->watertight && d->form != CLSP_BEZIER_SURFACE)
        return bad(ctx, "watertight is for surfaces, not for form", d->form);
    return CLSP_OK;
}

static clsp_status check_interval(const clsp_context *ctx, const double interval[2])
{
    for (int i = 0; i < 2; i++)
        if (!(interval[i] >= 0.0 && interval[i] <= 1.0))
            return bad(ctx, "an interval is not within [0, 1]", interval[i]);
    return CLSP_OK;
}

static clsp_status check_attributes(const clsp_context *ctx, const clsp_bezier_desc *d)
{
    unsigned allowed = CLSP_BEZIER_POINT | CLSP_BEZIER_WEIGHT | CLSP_BEZIER_DU | CLSP_BEZIER_PARAMS;

    if (d->form == CLSP_BEZIER_CURVE)
        allowed |= CLSP_BEZIER_DUU;
    else
        allowed |= CLSP_BEZIER_DV;
    if (d->form == CLSP_BEZIER_VOLUME) allowed |= CLSP_BEZIER_DW;
    if (d->form == CLSP_BEZIER_SURFACE || d->form == CLSP_BEZIER_TRIANGLE) {
        allowed |= SECONDS;
        if (d->dim == 3) allowed |= CLSP_BEZIER_NORMAL;
    }
    if (d->attributes & ~allowed)
        return bad(ctx, "the form has no such attributes", d->attributes & ~allowed);
    return CLSP_OK;
}

/* ---- limits of methods ---- */

/* Of powers (docs/math.md, 8) and of C(n, k) in the precision's range. */
static clsp_status check_method(const clsp_context *ctx, const clsp_bezier_desc *d)
{
    const bool wide = d->precision == CLSP_F64;
    const uint32_t most_matrix = wide ? 64 : 22, most_brute = wide ? 900 : 100;
    clspi_log *const log = (clspi_log *)&ctx->log;

    if (d->form == CLSP_BEZIER_TRIANGLE && d->method != CLSP_BEZIER_AUTO)
        return bad(ctx, "triangles have no choice of a method", d->method);
    if (d->method == CLSP_BEZIER_MATRIX && d->form == CLSP_BEZIER_VOLUME)
        return bad(ctx, "CLSP_BEZIER_MATRIX is for curves and surfaces, not for form", d->form);
    if ((d->method == CLSP_BEZIER_BRUTE || d->method == CLSP_BEZIER_MULTILEVEL) &&
        d->form == CLSP_BEZIER_VOLUME)
        return bad(ctx, "of the methods that sum point by point there is none for volumes",
                   d->method);
    if (d->method == CLSP_BEZIER_MATRIX && d->degree_u + d->degree_v > most_matrix)
        return clspi_fail(log, CLSP_ERROR_DEGREE,
                          "bezier: degrees %u and %u: with CLSP_BEZIER_MATRIX their sum is at most "
                          "%u in this precision; other methods have no such bound",
                          d->degree_u, d->degree_v, most_matrix);
    if (d->method == CLSP_BEZIER_BRUTE && (d->degree_u > most_brute || d->degree_v > most_brute))
        return clspi_fail(log, CLSP_ERROR_DEGREE,
                          "bezier: degrees %u and %u: with CLSP_BEZIER_BRUTE at most %u in this "
                          "precision; other methods have no such bound",
                          d->degree_u, d->degree_v, most_brute);
    return CLSP_OK;
}

static clsp_status check_sizes(const clsp_context *ctx, const clsp_bezier_desc *d)
{
    clspi_log *const log = (clspi_log *)&ctx->log;
    const bool is_surface = d->form == CLSP_BEZIER_SURFACE,
               is_volume = d->form == CLSP_BEZIER_VOLUME;
    const bool half_a_grid = ((is_surface || is_volume) && (d->num_u == 0) != (d->num_v == 0)) ||
                             (is_volume && (d->num_u == 0) != (d->num_w == 0));

    if (d->degree_u > CLSP_BEZIER_MAX_DEGREE || d->degree_v > CLSP_BEZIER_MAX_DEGREE ||
        d->degree_w > CLSP_BEZIER_MAX_DEGREE)
        return clspi_fail(log, CLSP_ERROR_DEGREE, "bezier: degrees %u, %u and %u: at most %d each",
                          d->degree_u, d->degree_v, d->degree_w, CLSP_BEZIER_MAX_DEGREE);
    if (half_a_grid || d->num_u > CLSP_BEZIER_MAX_SAMPLES || d->num_v > CLSP_BEZIER_MAX_SAMPLES ||
        d->num_w > CLSP_BEZIER_MAX_SAMPLES)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "bezier: a grid of %u x %u x %u samples: 1 to %d each, or 0 for none",
                          d->num_u, d->num_v, d->num_w, CLSP_BEZIER_MAX_SAMPLES);
    return CLSP_OK;
}

/* ---- defaults ---- */

static void whole_interval(double interval[2])
{
    if (interval[0] == 0.0 && interval[1] == 0.0) interval[1] = 1.0;
}

static void drop_directions(clsp_bezier_desc *d)
{
    const cl_uint directions = clspi_bezier_directions(d->form);

    if (directions < 3) {
        d->degree_w = 0;
        d->num_w = 1;
        d->interval_w[0] = d->interval_w[1] = 0.0;
    }
    if (directions < 2 || d->form == CLSP_BEZIER_TRIANGLE) {
        d->degree_v = 0;
        d->num_v = 1;
        d->interval_v[0] = d->interval_v[1] = 0.0;
    }
    if (d->form == CLSP_BEZIER_TRIANGLE) d->interval_u[0] = d->interval_u[1] = 0.0;
}

/* Places the attributes; false when they overlap or end beyond the stride. */
static bool place(clsp_bezier_desc *d)
{
    bool placed = false, taken[CLSP_BEZIER_MAX_STRIDE] = {false};
    uint32_t next = 0;

    for (unsigned i = 0; i < CLSP_BEZIER_ATTRIBUTES; i++)
        if (d->vertex_at[i] != 0) placed = true;
    for (unsigned i = 0; i < CLSP_BEZIER_ATTRIBUTES; i++) {
        if (!(d->attributes & 1u << i)) {
            d->vertex_at[i] = 0;
            continue;
        }
        const uint32_t elements = clspi_bezier_attribute_elements(d, i);
        if (!placed) d->vertex_at[i] = next;
        if (d->vertex_at[i] > CLSP_BEZIER_MAX_STRIDE - elements) return false;
        for (uint32_t e = 0; e < elements; e++) {
            if (taken[d->vertex_at[i] + e]) return false;
            taken[d->vertex_at[i] + e] = true;
        }
        next = (uint32_t)clspi_max(next, d->vertex_at[i] + elements);
    }
    if (d->vertex_stride == 0) d->vertex_stride = next;
    return next <= d->vertex_stride && d->vertex_stride <= CLSP_BEZIER_MAX_STRIDE;
}

clsp_status clspi_bezier_resolve(clsp_context *ctx, const clsp_bezier_desc *desc,
                                 clsp_bezier_desc *resolved)
{
    clsp_bezier_desc d = *desc;
    clsp_status status;

    CLSPI_TRY(check_kinds(ctx, &d));
    if (d.dim == 0) d.dim = 3;
    if (d.attributes == 0) d.attributes = CLSP_BEZIER_POINT;
    if (d.storage == CLSP_STORE_AS_COMPUTED)
        d.storage = d.precision == CLSP_F64 ? CLSP_STORE_F64 : CLSP_STORE_F32;
    drop_directions(&d);
    CLSPI_TRY(check_interval(ctx, d.interval_u));
    CLSPI_TRY(check_interval(ctx, d.interval_v));
    CLSPI_TRY(check_interval(ctx, d.interval_w));
    whole_interval(d.interval_u);
    whole_interval(d.interval_v);
    whole_interval(d.interval_w);
    if (d.watertight && (d.interval_u[0] != 0.0 || d.interval_u[1] != 1.0 ||
                         d.interval_v[0] != 0.0 || d.interval_v[1] != 1.0))
        return bad(ctx, "watertight is for intervals [0, 1], not from", d.interval_u[0]);
    CLSPI_TRY(check_attributes(ctx, &d));
    CLSPI_TRY(check_sizes(ctx, &d));
    CLSPI_TRY(check_method(ctx, &d));
    if (!place(&d))
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                          "bezier: attributes overlap or do not fit a vertex of %u elements",
                          d.vertex_stride ? d.vertex_stride : CLSP_BEZIER_MAX_STRIDE);
    *resolved = d;
    return CLSP_OK;

fail:
    return status;
}

bool clspi_bezier_is_plain(const clsp_bezier_desc *d)
{
    const clsp_storage same = d->precision == CLSP_F64 ? CLSP_STORE_F64 : CLSP_STORE_F32;

    return d->attributes == CLSP_BEZIER_POINT && !d->rational && d->storage == same &&
           d->vertex_stride == d->dim;
}
