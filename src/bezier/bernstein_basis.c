#include "bernstein_basis.h"

#include "bernstein.h"
#include "check.h"
#include "kernel_arguments.h"
#include "vertex_assembly.h"

/* ---- on the host ---- */

static uint32_t uniform_values(const void *user, const clspi_sample *at, double *values)
{
    const clspi_tensor_desc *const d = user;
    const clsp_axis *const axis = &d->axis[at->direction];
    const double last = at->num > 1 ? at->num - 1 : 1, sample = at->sample, rest = last - sample;

    clspi_bernstein(values, d->degrees[at->direction] - at->by,
                    axis->begin * rest + axis->end * sample,
                    (1.0 - axis->begin) * rest + (1.0 - axis->end) * sample);
    return 0;
}

static uint32_t values(const void *user, uint32_t direction, uint32_t by, uint32_t sample,
                       double *values)
{
    const clspi_tensor_desc *const d = user;
    const clsp_axis *const axis = &d->axis[direction];

    if (!axis->params)
        return uniform_values(user, &(clspi_sample){direction, by, axis->num, sample}, values);
    clspi_bernstein(values, d->degrees[direction] - by, axis->params[sample],
                    1.0 - axis->params[sample]);
    return 0;
}

/* Gives all directions one identity: polynomials of one degree are the same in all of them, and
   tables tell degrees apart by their terms. */
static uint64_t identity(const void *user, uint32_t direction, uint32_t by)
{
    (void)user;
    (void)direction;
    (void)by;
    return 0;
}

/* ---- on the device ---- */

static clspi_options options_of(const clsp_context *ctx, clsp_type precision)
{
    return clspi_options_of(ctx, precision);
}

clsp_status clspi_bernstein_build(const clspi_build *build, clsp_type precision)
{
    const clspi_options options = options_of(build->ctx, precision);

    return clspi_program_build(build, "bernstein", &options);
}

static clsp_status fill(const void *user, clspi_series *series, const clspi_basis_table *table,
                        cl_mem whole, uint32_t stride)
{
    const clspi_tensor_desc *const d = user;
    const clspi_options options = options_of(series->ctx, d->precision);
    const clspi_bernstein_table_args args = {.table = whole,
                                             .axis = clspi_sample_axis_of(d, table->direction),
                                             .order = table->terms,
                                             .stride = stride};
    clspi_kernel kernel = {0};
    clsp_status status;

    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "bernstein",
                                  &clspi_bernstein_table_signature, &options));
    CLSPI_TRY(clspi_launch_bernstein_table(series, &kernel, &args, stride));

fail:
    clspi_kernel_release(&kernel);
    return status;
}

clspi_basis clspi_bernstein_basis(const clspi_tensor_desc *desc)
{
    const clspi_basis basis = {.user = desc,
                               .values = values,
                               .uniform_values = uniform_values,
                               .fill = fill,
                               .identity = identity,
                               .is_symmetric = true,
                               .is_bernstein = true};

    return basis;
}
