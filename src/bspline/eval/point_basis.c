/* The basis functions of splines as bspline_points.cl needs them on the device, and spline_place.h
   on the host. */
#include <stdlib.h>

#include "bspline_plan.h"
#include "buffer.h"
#include "check.h"

/* ---- numbers ---- */

/* Reals of a precision that are written one after the other. */
typedef struct writer {
    void *reals; /* NULL: only counted */
    size_t num;
    bool is_double;
} writer;

static void put(writer *w, double x)
{
    if (w->reals && w->is_double) ((double *)w->reals)[w->num] = x;
    if (w->reals && !w->is_double) ((float *)w->reals)[w->num] = (float)x;
    w->num++;
}

static double rest_of(const writer *w, double x)
{
    return clspi_rounded_off(w->is_double ? CLSP_F64 : CLSP_F32, x);
}

/* Writes one part of the knots where spans begin and the last one ends. */
static void put_ends(writer *w, const clspi_knots *knots, bool rests)
{
    for (uint32_t s = 0; s <= knots->num_spans; s++) {
        const double u = knots->u[s < knots->num_spans ? knots->span[s] : knots->controls];
        put(w, rests ? rest_of(w, u) : u);
    }
}

static void put_spans(writer *w, const clspi_knots *knots)
{
    put(w, knots->num_spans);
    for (uint32_t s = 0; s < knots->num_spans; s++)
        put(w, knots->span[s] - knots->degree);
    put_ends(w, knots, false);
    put_ends(w, knots, true);
}

static void put_factors(writer *w, const clspi_knots *knots)
{
    for (uint32_t by = 1; by <= 2; by++)
        for (uint32_t i = 0; i < knots->controls; i++)
            put(w, by <= knots->degree && i < knots->controls - by
                       ? clspi_knots_factor(knots, by, i)
                       : 0.0);
}

/* Writes the coefficients of all functions of one degree; matrix: room for those of a span. */
static void put_coefficients(writer *w, const clspi_knots *knots, uint32_t by, double *matrix)
{
    const size_t order = knots->degree + 1 - by;

    if (!w->reals) w->num += knots->num_spans * order * order;
    for (uint32_t s = 0; w->reals && s < knots->num_spans; s++) {
        clspi_knots_extraction(knots, s, by, matrix);
        for (size_t i = 0; i < order * order; i++)
            put(w, matrix[i]);
    }
}

/* Writes all of a direction, for derivatives of orders below `orders`. */
static void put_direction(writer *w, const clspi_knots *knots, uint32_t orders, double *matrix)
{
    put_spans(w, knots);
    put_factors(w, knots);
    for (uint32_t by = 0; by < orders && by <= knots->degree; by++)
        put_coefficients(w, knots, by, matrix);
}

/* ---- knots that all share ---- */

static void put_all(writer *w, const clspi_bspline_plan *plan, double *matrix)
{
    for (uint32_t k = 0; k < plan->tensor.desc.directions; k++)
        put_direction(w, &plan->knots[k], CLSPI_DERIVATIVES, matrix);
}

/* Writes them to the plan's buffer. scratch: room for the coefficients of a span. */
static clsp_status write_shared(clsp_patch_plan *tensor, clspi_series *series, writer *w,
                                double *scratch)
{
    const size_t bytes = w->num * clsp_type_bytes(tensor->desc.precision);

    if (w->num > UINT32_MAX)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: %zu numbers of basis functions are more than 32 bits count",
                          w->num);
    w->reals = malloc(bytes);
    if (!w->reals)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for %zu bytes of functions", bytes);
    w->num = 0;
    put_all(w, (const clspi_bspline_plan *)tensor, scratch);
    clsp_status status = clspi_buffer_create(&tensor->basis, series->ctx, bytes);
    if (status == CLSP_OK) status = clspi_series_write(series, tensor->basis, 0, w->reals, bytes);
    free(w->reals);
    return status;
}

/* ---- knots of each curve's own ---- */

/* Returns how many orders of derivatives the vertices of curves have, with none. */
static uint32_t orders_of(const clspi_tensor_desc *desc)
{
    const uint32_t second = CLSP_VERTEX_DUU | CLSP_VERTEX_CURVATURE;

    return desc->vertex.attributes & second ? 3 : desc->vertex.attributes & CLSP_VERTEX_DU ? 2 : 1;
}

size_t clspi_bspline_own_reals(const clspi_bspline_plan *plan, const clspi_tensor_desc *desc)
{
    const size_t degree = plan->desc.degree[0], controls = plan->desc.num_controls[0];
    const size_t spans = controls - degree; /* at most */
    size_t num = 4 + 1 + 2 * (spans + 1) + spans + 2 * controls;

    for (uint32_t by = 0; by < orders_of(desc) && by <= degree; by++)
        num += spans * (degree + 1 - by) * (degree + 1 - by);
    return num;
}

/* Writes a curve's, in as many reals as all have. */
static clsp_status put_curve(writer *w, const clspi_bspline_plan *plan, size_t curve,
                             double *scratch)
{
    const size_t end = w->num + plan->tensor.desc.basis_reals;
    clspi_knots knots;

    if (!clspi_own_knots_of(plan, curve, &knots)) {
        clspi_knots_release(&knots);
        return CLSP_ERROR_NO_MEMORY;
    }
    for (int k = 0; k < 2; k++) {
        const double u = knots.u[k == 0 ? knots.degree : knots.controls];
        put(w, u);
        put(w, rest_of(w, u));
    }
    put_direction(w, &knots, orders_of(&plan->tensor.desc), scratch);
    clspi_knots_release(&knots);
    while (w->num < end)
        put(w, 0.0);
    return CLSP_OK;
}

/* Writes those of all curves to the plan's buffer, some at a time. */
static clsp_status write_curves(clsp_patch_plan *tensor, clspi_series *series, writer *w,
                                size_t most, double *scratch)
{
    const clspi_bspline_plan *const plan = (const clspi_bspline_plan *)tensor;
    const size_t bytes = tensor->desc.basis_reals * clsp_type_bytes(tensor->desc.precision);

    for (size_t first = 0; first < plan->own.num; first += most) {
        const size_t count = clspi_min(most, plan->own.num - first);
        w->num = 0;
        for (size_t c = 0; c < count; c++)
            CLSPI_CHECK(put_curve(w, plan, first + c, scratch));
        CLSPI_CHECK(
            clspi_series_write(series, tensor->basis, first * bytes, w->reals, count * bytes));
    }
    return CLSP_OK;
}

static clsp_status write_own(clsp_patch_plan *tensor, clspi_series *series, writer *w,
                             double *scratch)
{
    enum { PART_BYTES = 1 << 24 };
    const size_t num = ((const clspi_bspline_plan *)tensor)->own.num;
    const size_t each = tensor->desc.basis_reals * clsp_type_bytes(tensor->desc.precision);
    const size_t most = clspi_min(num, clspi_max(1, PART_BYTES / each));
    size_t bytes = each;
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (!clspi_size_mul(&bytes, num))
        return clspi_fail(&series->ctx->log, status,
                          "bspline: the functions of %zu curves are more than the address space",
                          num);
    w->reals = malloc(most * each);
    if (w->reals) status = clspi_buffer_create(&tensor->basis, series->ctx, bytes);
    if (status == CLSP_OK) status = write_curves(tensor, series, w, most, scratch);
    if (status == CLSP_ERROR_NO_MEMORY)
        clspi_fail(&series->ctx->log, status, "bspline: no memory for functions of curves");
    free(w->reals);
    return status;
}

/* ---- all of it ---- */

clsp_status clspi_bspline_make_basis(clsp_patch_plan *tensor, clspi_series *series)
{
    enum { MOST = CLSP_BSPLINE_MAX_DEGREE + 1 };
    const clspi_bspline_plan *const plan = (const clspi_bspline_plan *)tensor;
    writer w = {.is_double = tensor->desc.precision == CLSP_F64};
    double *const scratch = malloc((size_t)MOST * MOST * sizeof *scratch);

    if (!scratch)
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "bspline: no memory for functions");
    if (plan->own.num == 0) put_all(&w, plan, NULL); /* counts */
    const clsp_status status = plan->own.num > 0 ? write_own(tensor, series, &w, scratch)
                                                 : write_shared(tensor, series, &w, scratch);
    if (status != CLSP_OK) clspi_buffer_release(&tensor->basis);
    free(scratch);
    return status;
}

/* ---- on the host ---- */

/* Writes it to memory that there is; scratch: room for the coefficients of a span. */
static bool write_host(writer *w, const clspi_bspline_plan *plan, double *scratch)
{
    clsp_status status = CLSP_OK;

    w->num = 0;
    if (plan->own.num == 0) put_all(w, plan, scratch);
    for (size_t c = 0; c < plan->own.num && status == CLSP_OK; c++)
        status = put_curve(w, plan, c, scratch);
    return status == CLSP_OK;
}

double *clspi_bspline_host_basis(const clsp_patch_plan *tensor)
{
    enum { MOST = CLSP_BSPLINE_MAX_DEGREE + 1 };
    const clspi_bspline_plan *const plan = (const clspi_bspline_plan *)tensor;
    double *const scratch = malloc((size_t)MOST * MOST * sizeof *scratch);
    writer w = {.num = plan->own.num * tensor->desc.basis_reals, .is_double = true};
    size_t bytes = sizeof(double);

    if (plan->own.num == 0) put_all(&w, plan, NULL); /* counts */
    w.reals = scratch && clspi_size_mul(&bytes, w.num) ? malloc(bytes) : NULL;
    if (w.reals && !write_host(&w, plan, scratch)) {
        free(w.reals);
        w.reals = NULL;
    }
    free(scratch);
    return w.reals;
}
