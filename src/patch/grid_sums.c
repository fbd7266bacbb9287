#include "grid_sums.h"

#include "check.h"
#include "vertex_rows.h"

/* ---- which sums ---- */

uint32_t clspi_sums_needed(const clspi_tensor_desc *desc, uint32_t numbers[SUM_KINDS])
{
    const uint32_t sums = SUMS_NEEDED(desc->vertex.attributes, desc->directions, desc->rational);
    uint32_t num = 0;

    for (uint32_t k = 0; k < SUM_KINDS; k++) {
        const bool zero = SUM_BY_U(k) > desc->degrees[0] || SUM_BY_V(k) > desc->degrees[1] ||
                          SUM_BY_W(k) > desc->degrees[2];
        if (sums & 1u << k && !zero) numbers[num++] = k;
    }
    return num;
}

void clspi_sum_order(uint32_t number, uint32_t by[3])
{
    by[0] = SUM_BY_U(number);
    by[1] = SUM_BY_V(number);
    by[2] = SUM_BY_W(number);
}

uint32_t clspi_planes_of(const clspi_tensor_desc *desc)
{
    uint32_t numbers[SUM_KINDS], planes = 0;
    const uint32_t num = clspi_sums_needed(desc, numbers);

    for (uint32_t i = 0; i < num; i++)
        planes |= 1u << numbers[i];
    return planes;
}

/* ---- tables ---- */

/* Tells whether some sum uses a table; other methods have tables of their own. */
static bool is_used(const clspi_grid_sums *sums, const clspi_tensor_desc *desc, uint32_t direction,
                    uint32_t by)
{
    for (uint32_t i = 0; i < sums->num; i++)
        if (direction < desc->directions && sums->sum[i].by[direction] == by && !sums->method)
            return true;
    return sums->last_in_rows && direction == 0 && by <= 1;
}

/* Tells whether a sum over rows stores whole sectors: only S of plain vertices may. */
static bool has_sectors(const clspi_grid_sums *sums)
{
    return sums->num > 0 && sums->sum[0].outer.table && sums->sum[0].outer.shape.sector > 0;
}

static void shape_tables(clspi_grid_sums *sums, const clspi_tensor_desc *desc)
{
    for (uint32_t direction = 0; direction < 3; direction++)
        for (uint32_t by = 0; by < CLSPI_DERIVATIVES; by++)
            clspi_table_shape(&sums->tables.table[direction][by], desc, direction, by);
    if (!sums->last_in_rows || clspi_vertex_rows_in_bands(desc)) return;
    clspi_table_make_integral(&sums->tables.table[0][0]);
    clspi_table_make_symmetric(&sums->tables.table[0][1]);
}

/* Fills a table, or lets directions that are alike share one. */
static clsp_status fill_table(clspi_grid_sums *sums, clspi_series *series,
                              const clspi_tensor_desc *desc, uint32_t direction, uint32_t by)
{
    clspi_basis_table *const table = &sums->tables.table[direction][by];

    for (uint32_t other = 0; other < direction; other++)
        for (uint32_t k = 0; k < CLSPI_DERIVATIVES; k++)
            if (sums->tables.table[other][k].values &&
                clspi_table_same(&sums->tables.table[other][k], table))
                return clspi_table_share(table, sums->ctx, &sums->tables.table[other][k]);
    return clspi_table_fill(table, series, desc);
}

/* Fills the tables that some sum uses. Others lose their memory, lest they look alike to later
 * ones.
 */
static clsp_status fill_tables(clspi_grid_sums *sums, clspi_series *series,
                               const clspi_tensor_desc *desc)
{
    for (uint32_t direction = 0; direction < 3; direction++) {
        for (uint32_t by = 0; by < CLSPI_DERIVATIVES; by++) {
            if (is_used(sums, desc, direction, by))
                CLSPI_CHECK(fill_table(sums, series, desc, direction, by));
            else
                clspi_table_release(&sums->tables.table[direction][by]);
        }
    }
    if (has_sectors(sums)) return clspi_table_fill(&sums->tables.permuted, series, desc);
    clspi_table_release(&sums->tables.permuted);
    return CLSP_OK;
}

/* ---- sums ---- */

static void add_sum(clspi_grid_sums *sums, uint32_t number)
{
    clspi_tensor_sum *const sum = &sums->sum[sums->num++];

    clspi_sum_order(number, sum->by);
    sum->method = sums->method;
}

/* Lists the sums. vertex_rows needs S, whatever it makes. */
static void choose_sums(clspi_grid_sums *sums, const clspi_tensor_desc *desc)
{
    uint32_t numbers[SUM_KINDS];
    const uint32_t num = clspi_sums_needed(desc, numbers);

    sums->num = 0;
    if (sums->last_in_rows && (num == 0 || numbers[0] != 0)) add_sum(sums, 0);
    for (uint32_t i = 0; i < num; i++)
        add_sum(sums, numbers[i]);
}

clsp_status clspi_grid_sums_prepare(clspi_grid_sums *sums, clspi_series *series,
                                    const clspi_tensor_desc *desc)
{
    sums->ctx = series->ctx;
    for (uint32_t i = 0; i < SUM_KINDS; i++)
        clspi_sum_release_kernels(&sums->sum[i]);
    choose_sums(sums, desc);
    shape_tables(sums, desc);
    for (uint32_t i = 0; i < sums->num; i++)
        CLSPI_CHECK(
            clspi_sum_prepare(&sums->sum[i], series, desc, &sums->tables, sums->last_in_rows));
    return fill_tables(sums, series, desc);
}

clsp_status clspi_grid_sums_load(clspi_grid_sums *sums, clspi_series *series, cl_mem points,
                                 size_t num_patches)
{
    for (uint32_t i = 0; i < sums->num && num_patches > 0; i++)
        CLSPI_CHECK(clspi_sum_load(&sums->sum[i], series, points, num_patches));
    return CLSP_OK;
}

void clspi_grid_sums_release(clspi_grid_sums *sums)
{
    for (uint32_t i = 0; i < SUM_KINDS; i++)
        clspi_sum_release(&sums->sum[i]);
    for (uint32_t direction = 0; direction < 3; direction++)
        for (uint32_t by = 0; by < CLSPI_DERIVATIVES; by++)
            clspi_table_release(&sums->tables.table[direction][by]);
    clspi_table_release(&sums->tables.permuted);
}
