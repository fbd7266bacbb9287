#include "own_knots.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"

/* Returns the knots of a curve. */
static size_t num_knots(const clsp_bspline_desc *desc)
{
    return (size_t)desc->num_controls[0] + desc->degree[0] + 1;
}

/* ---- checks ---- */

static clsp_status check_curve(clspi_log *log, const clsp_bspline_desc *desc, size_t curve,
                               const double *u)
{
    const clspi_knot_defect defect = clspi_knots_check(u, desc->degree[0], desc->num_controls[0]);

    if (!defect.what) return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bspline: knot %u of curve %zu, %.9g, %s",
                      defect.knot, curve, defect.value, defect.what);
}

/* Tells whether the axis is over the whole domain of the description's knots, either way round. */
static bool is_whole(const clsp_bspline_desc *desc)
{
    const double low = desc->knots[0][desc->degree[0]];
    const double high = desc->knots[0][desc->num_controls[0]];
    const clsp_axis *const axis = &desc->axis[0];

    if (axis->params) return false;
    return (axis->begin == low && axis->end == high) || (axis->begin == high && axis->end == low);
}

clsp_status clspi_own_knots_check_axis(const clspi_own_knots *own, clspi_log *log,
                                       const clsp_bspline_desc *desc)
{
    const clsp_axis *const axis = &desc->axis[0];
    double low = axis->begin < axis->end ? axis->begin : axis->end;
    double high = axis->begin < axis->end ? axis->end : axis->begin;

    for (uint32_t a = 0; axis->params && a < axis->num; a++) {
        low = a == 0 || axis->params[a] < low ? axis->params[a] : low;
        high = a == 0 || axis->params[a] > high ? axis->params[a] : high;
    }
    for (size_t c = 0; c < own->num && !is_whole(desc); c++) {
        const double *const u = own->u + c * num_knots(desc);
        if (low < u[desc->degree[0]] || high > u[desc->num_controls[0]])
            return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                              "bspline: an axis from %g to %g is not within [%g, %g], the domain "
                              "of curve %zu",
                              low, high, u[desc->degree[0]], u[desc->num_controls[0]], c);
    }
    return CLSP_OK;
}

/* ---- knots ---- */

/* Copies the knots of all curves and checks them. */
static clsp_status take(clspi_own_knots *own, clspi_log *log, const clsp_bspline_desc *desc,
                        size_t num, const double *u)
{
    const size_t each = num_knots(desc);

    for (size_t c = 0; c < num; c++)
        CLSPI_CHECK(check_curve(log, desc, c, u + c * each));
    own->num = num;
    own->u = malloc(num * each * sizeof *own->u);
    if (!own->u)
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "bspline: no memory for knots of %zu curves",
                          num);
    memcpy(own->u, u, num * each * sizeof *own->u);
    return clspi_own_knots_check_axis(own, log, desc);
}

clsp_status clspi_own_knots_take(clspi_own_knots *own, const clspi_plan *plan,
                                 const clsp_bspline_desc *desc, size_t num, const clsp_input *knots)
{
    clspi_log *const log = &plan->ctx->log;
    clspi_memory_need need = {"knots", CLSP_F64, num};
    clspi_memory memory;

    *own = (clspi_own_knots){0};
    if (desc->directions != 1)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT,
                          "bspline: knots of their own are of curves, not of %u directions",
                          desc->directions);
    if (knots->buffer || knots->svm)
        return clspi_fail(log, CLSP_ERROR_ARGUMENT, "bspline: knots: host memory only");
    if (!clspi_size_mul(&need.count, num_knots(desc)))
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "bspline: knots of %zu curves", num);
    CLSPI_CHECK(clspi_input_open(&memory, plan, knots, &need));
    if (num == 0) return CLSP_OK;
    const clsp_status status = take(own, log, desc, num, (const double *)(const void *)memory.host);
    if (status != CLSP_OK) clspi_own_knots_release(own);
    return status;
}

void clspi_own_knots_release(clspi_own_knots *own)
{
    free(own->u);
    *own = (clspi_own_knots){0};
}
