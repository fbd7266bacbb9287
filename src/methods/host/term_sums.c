#include "term_sums.h"

#include <stdlib.h>

#include "power_basis.h"

/* Makes R along each direction and of each derivative, rounded to the precision. */
static void *create_bases(const clspi_vertex_tile_desc *desc)
{
    const clspi_tile_desc *const d = &desc->points;
    const clspi_row_sums *const sums = d->f64 ? &clspi_row_sums_f64 : &clspi_row_sums_f32;
    const size_t order = CLSPI_POWER_DEGREE_MAX + 1;
    char *const kept = malloc(clspi_power_basis_at(desc, 2, 0) * sums->real_bytes);
    double *const r = malloc(order * order * sizeof *r);

    for (uint32_t k = 0; k < d->directions && kept && r; k++)
        for (uint32_t by = 0; by < 3 && by < d->controls[k]; by++) {
            const size_t n = d->controls[k] - by;
            clspi_power_basis(r, (uint32_t)n - 1);
            sums->round(kept + clspi_power_basis_at(desc, k, by) * sums->real_bytes, 1, r, n * n);
        }
    if (!r) free(kept);
    free(r);
    return r ? kept : NULL;
}

static const clspi_term_sums *functions_of(const clspi_method_job *job)
{
    return job->desc->points.f64 ? &clspi_term_sums_f64 : &clspi_term_sums_f32;
}

static void make_sums(const clspi_method_job *job, void *sums)
{
    functions_of(job)->sums(job, sums);
}

static void make_values(const clspi_method_job *job, void *values)
{
    functions_of(job)->values(job, values);
}

const clspi_grid_method clspi_host_table_sums = {CLSPI_FROM_TABLES, 0.08, NULL, make_sums, NULL};
const clspi_grid_method clspi_host_product_sums = {CLSPI_FROM_PRODUCTS, 0.2, create_bases,
                                                   make_sums, make_values};
const clspi_grid_method clspi_host_power_sums = {CLSPI_FROM_POWERS, 0.4, NULL, make_sums,
                                                 make_values};
