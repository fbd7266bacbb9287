#include "vertex_strips.h"

#include "buffer.h"
#include "check.h"
#include "own_samples.h"
#include "vertex_layout.h"

enum {
    ROWS = 2,                    /* CLSP_ROWS */
    JOB_ROWS = 32,               /* CLSP_JOB_ROWS */
    COLUMN_VECTORS = 7,          /* NUM_COLUMN_VECTORS */
    STRIP_BYTES = 256 << 10,     /* of a strip's partial sums, which stay in a core's cache */
    CONTROLS_BYTES = 1024 << 10, /* of the control points of all sums of a patch, at most */
    ITEMS_PER_UNIT = 8,          /* so that cores which are busy otherwise make fewer */
    PACKED_MAX = 16              /* elements of a vertex that vectors are put together of */
};

/* ---- sizes ---- */

/* Sizes in reals. */
typedef struct strip_sizes {
    size_t terms;  /* where partial sums begin in an item's scratch */
    size_t column; /* of the partial sums of a vector of columns */
    size_t lanes;
} strip_sizes;

/* Returns the sizes for so many sums, as layout_of of the kernel does. */
static strip_sizes sizes_of(const clsp_context *ctx, const clspi_tensor_desc *d, size_t num_sums)
{
    const size_t lanes = clspi_lanes(ctx, d->precision), coords = clspi_coords(d);
    const size_t plane = clspi_round_up((size_t)d->terms[0] * d->terms[1] * coords, lanes);
    const strip_sizes sizes = {.terms = num_sums * plane + (size_t)3 * ROWS * lanes * d->terms[0],
                               .column = (num_sums * d->terms[0] * coords + COLUMN_VECTORS) * lanes,
                               .lanes = lanes};

    return sizes;
}

/* ---- the kernel ---- */

bool clspi_vertex_strips_fit(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    const size_t most = CONTROLS_BYTES / clsp_type_bytes(d->precision);
    cl_uint numbers[CLSPI_MAX_SUMS];

    if (clspi_lanes(ctx, d->precision) == 1 || d->directions != 2 || d->is_triangle ||
        !d->basis.is_bernstein || d->basis.factors || clspi_is_banded(d, 0) ||
        clspi_is_banded(d, 1) || (d->vertex.attributes & CLSP_VERTEX_CURVATURE) ||
        d->terms[0] > most || d->terms[1] > most)
        return false;
    const strip_sizes sizes = sizes_of(ctx, d, clspi_sums_needed(d, numbers));
    const uint64_t bytes = (uint64_t)(sizes.terms + sizes.column) * clsp_type_bytes(d->precision);
    return sizes.terms <= most && sizes.column <= most && bytes <= ctx->device.max_alloc_bytes;
}

clspi_options clspi_vertex_strips_options(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    const bool packed = !clspi_layout_has_gaps(d) && d->vertex.stride <= PACKED_MAX;
    clspi_options options = clspi_vertex_options(ctx, d, clspi_lanes(ctx, d->precision));

    clspi_option(&options, "PLANES", clspi_planes_of(d));
    clspi_option(&options, "PACKED", packed);
    clspi_own_samples_option(&options, d);
    return options;
}

clsp_status clspi_vertex_strips_prepare(clspi_vertex_strips *strips, clsp_context *ctx,
                                        const clspi_tensor_desc *desc)
{
    const clspi_options options = clspi_vertex_strips_options(ctx, desc);

    clspi_kernel_release(&strips->kernel);
    CLSPI_CHECK(clspi_kernel_create(&strips->kernel, ctx, "vertex_strips",
                                    &clspi_vertex_strips_signature, &options));
    strips->kernel.local = 1; /* an item is a core's work for a while */
    return CLSP_OK;
}

void clspi_vertex_strips_release(clspi_vertex_strips *strips)
{
    clspi_kernel_release(&strips->kernel);
    clspi_buffer_release(&strips->scratch);
    strips->scratch_bytes = 0;
}

/* ---- evaluation ---- */

/* Returns the sums of a launch, and how many items make them. */
static clspi_strip_sums sums_of(const clsp_context *ctx, const clspi_grid_sums *sums,
                                const clspi_tensor_desc *d, const clspi_rows *rows, size_t centres)
{
    const strip_sizes sizes = sizes_of(ctx, d, sums->num);
    const size_t real_bytes = clsp_type_bytes(d->precision);
    const uint64_t room = ctx->device.max_alloc_bytes / real_bytes;
    const size_t most = (size_t)clspi_min_u64(STRIP_BYTES / real_bytes, room - sizes.terms);
    const size_t vectors = clspi_div_up(d->axis[1].num, sizes.lanes);
    const size_t num_strips = clspi_div_up(vectors, clspi_max(1, most / sizes.column));
    const size_t strip = clspi_div_up(vectors, num_strips);
    const size_t scratch = sizes.terms + strip * sizes.column;
    const size_t num_blocks = clspi_div_up(rows->num_rows, JOB_ROWS);
    const size_t num_jobs = rows->num_patches * num_strips * num_blocks;
    const size_t items =
        (size_t)clspi_min_u64((uint64_t)ctx->device.compute_units * ITEMS_PER_UNIT, room / scratch);
    const clspi_strip_sums of = {.scratch_reals = scratch,
                                 .centres = centres,
                                 .order_u = d->terms[0],
                                 .order_v = d->terms[1],
                                 .num_u = d->axis[0].num,
                                 .num_v = d->axis[1].num,
                                 .stride_u = sums->tables.table[0][0].stride,
                                 .stride_v = sums->tables.table[1][0].stride,
                                 .strip = (cl_uint)(strip * sizes.lanes),
                                 .num_strips = (cl_uint)num_strips,
                                 .num_blocks = (cl_uint)num_blocks,
                                 .num_jobs = (cl_uint)num_jobs,
                                 .jobs_of_item = (cl_uint)clspi_div_up(num_jobs, items),
                                 .begin_u = d->axis[0].begin,
                                 .end_u = d->axis[0].end,
                                 .begin_v = d->axis[1].begin,
                                 .end_v = d->axis[1].end};

    return of;
}

static clsp_status launch(clspi_vertex_strips *strips, const clspi_grid_sums *sums,
                          clspi_series *series, const clspi_tensor_desc *d,
                          const clspi_strip_source *source, const clspi_rows *rows)
{
    const clspi_basis_table(*const table)[CLSPI_DERIVATIVES] = sums->tables.table;
    cl_mem values[2][CLSPI_DERIVATIVES];
    const clspi_strip_sums of = sums_of(series->ctx, sums, d, rows, source->centres);
    const size_t items = clspi_div_up(of.num_jobs, of.jobs_of_item);
    const size_t bytes = items * (size_t)of.scratch_reals * clsp_type_bytes(d->precision);

    for (int k = 0; k < 2; k++) /* a table that no sum takes is not read */
        for (int by = 0; by < CLSPI_DERIVATIVES; by++)
            values[k][by] = table[k][by].values ? table[k][by].values : source->points;
    CLSPI_CHECK(clspi_buffer_reserve(&strips->scratch, &strips->scratch_bytes, series->ctx, bytes));
    const clspi_vertex_strips_args args = {.points = source->points,
                                           .table_u = values[0][0],
                                           .table_u1 = values[0][1],
                                           .table_u2 = values[0][2],
                                           .table_v = values[1][0],
                                           .table_v1 = values[1][1],
                                           .table_v2 = values[1][2],
                                           .samples = d->samples ? d->samples : source->points,
                                           .out = rows->out,
                                           .scratch = strips->scratch,
                                           .sum = of,
                                           .at = clspi_row_range_of(rows->first_patch, rows)};
    return clspi_launch_vertex_strips(series, &strips->kernel, &args, items);
}

clsp_status clspi_vertex_strips_eval(clspi_vertex_strips *strips, const clspi_grid_sums *sums,
                                     clspi_series *series, const clspi_tensor_desc *desc,
                                     const clspi_strip_source *source, const clspi_rows *rows)
{
    const uint64_t num_v = desc->axis[1].num;
    const uint64_t fma = clspi_max(1, sums->num) * num_v * clspi_coords(desc) * desc->terms[0];
    const uint64_t most = clspi_launch_lines(&series->ctx->tuning, fma, 0, 1, 1);
    clspi_cut cut = {.per_piece = rows->num_rows,
                     .multiple = CLSPI_ROWS_MULTIPLE,
                     .left = rows->num_patches * rows->num_rows};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_rows some =
            clspi_rows_of_part(rows, &part, (size_t)num_v * desc->vertex.stride);
        CLSPI_CHECK(launch(strips, sums, series, desc, source, &some));
    }
    return CLSP_OK;
}
