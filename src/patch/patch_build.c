#include "patch_build.h"

#include "check.h"
#include "differences.h"
#include "eval_points.h"
#include "line_sums.h"
#include "vertex_assembly.h"
#include "vertex_rows.h"

/* ---- sums ---- */

/* Rows for which kernels are chosen: wide and narrow ones, and wide ones that begin anywhere in a
   sector. */
enum { WIDE = 6144, NARROW = 30, ODD = 6001, ROWS = 2000 };

static clspi_sum_shape choose(const clspi_build *build, const clspi_sum_job *job, uint32_t width)
{
    clspi_sum_job one = *job;

    one.width = width;
    return clspi_sum_choose(build->ctx, &one);
}

/* Builds the shapes for wide and for narrow grids, which may be the same, and where both sums are
   not made by one kernel, for the second alone. */
static clsp_status build_widths(const clspi_build *build, const clspi_sum_job *job)
{
    const clspi_sum_shape wide = choose(build, job, WIDE), narrow = choose(build, job, NARROW);
    clspi_sum_job second = *job;

    if (wide.kind == CLSPI_SUM_ROWS) return CLSP_OK;
    if (job->is_symmetric && wide.kind != CLSPI_SUM_SYMMETRIC) return CLSP_OK;
    CLSPI_CHECK(clspi_sum_build(build, &wide));
    if (narrow.columns != wide.columns) CLSPI_CHECK(clspi_sum_build(build, &narrow));
    if (!wide.fused) return CLSP_OK;
    second.inner_terms = 0;
    const clspi_sum_shape alone = choose(build, &second, WIDE);
    return clspi_sum_build(build, &alone);
}

/* Builds the shapes for so many terms. */
static clsp_status build_terms(const clspi_build *build, const clspi_tensor_desc *desc,
                               uint32_t terms)
{
    clspi_sum_job job = {.precision = desc->precision,
                         .coords = clspi_coords(desc),
                         .terms = terms,
                         .inner_terms = terms,
                         .num_rows = ROWS,
                         .is_banded = clspi_is_banded(desc, 0)};
    const clspi_sum_shape odd = choose(build, &job, ODD);

    if (odd.sector > 0) CLSPI_CHECK(clspi_sum_build(build, &odd));
    CLSPI_CHECK(build_widths(build, &job));
    job.is_symmetric = clspi_pairs_rows(desc);
    return job.is_symmetric ? build_widths(build, &job) : CLSP_OK;
}

clsp_status clspi_patch_build_sums(const clspi_build *build, const clspi_tensor_desc *desc,
                                   uint32_t max_terms)
{
    const bool is_banded = clspi_is_banded(desc, 0);
    const clspi_options options =
        clspi_tensor_sums_options(build->ctx, desc->precision, clspi_coords(desc), is_banded);

    CLSPI_CHECK(clspi_table_build(build, desc->precision));
    CLSPI_CHECK(clspi_gemm_build(build, desc->precision));
    CLSPI_CHECK(clspi_program_build(build, "tensor_sums", &options));
    for (uint32_t terms = 1; terms <= max_terms; terms++) {
        CLSPI_CHECK(build_terms(build, desc, terms));
        const clspi_basis_table table = {.terms = terms, .is_banded = is_banded};
        if (clspi_line_sums_fit(build->ctx, desc->precision, &table))
            CLSPI_CHECK(clspi_line_sums_build(build, desc->precision, clspi_coords(desc), terms));
    }
    return CLSP_OK;
}

clsp_status clspi_patch_build_derivatives(const clspi_build *build, const clspi_tensor_desc *desc)
{
    static const uint32_t by[][3] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}};

    for (size_t i = 0; i < CLSPI_COUNT(by); i++)
        CLSPI_CHECK(clspi_differences_build(build, desc, by[i]));
    return CLSP_OK;
}

/* ---- vertices ---- */

clsp_status clspi_patch_build_assembly(const clspi_build *build, const clspi_tensor_desc *desc)
{
    const clspi_options options = clspi_assembly_options(build->ctx, desc);

    CLSPI_CHECK(clspi_centre_points_build(build, desc));
    return clspi_program_build(build, "vertex_assembly", &options);
}

clsp_status clspi_patch_build_rows(const clspi_build *build, const clspi_tensor_desc *desc,
                                   bool *fits)
{
    *fits = clspi_vertex_rows_fit(build->ctx, desc);
    return *fits ? clspi_vertex_rows_build(build, desc) : CLSP_OK;
}

clsp_status clspi_patch_build_points(const clspi_build *build, const clspi_tensor_desc *desc,
                                     const char *program)
{
    const clspi_options options = clspi_point_options(build->ctx, desc);

    return clspi_program_build(build, program, &options);
}
