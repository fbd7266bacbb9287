#include "vertex_rows.h"

#include "check.h"
#include "own_samples.h"
#include "vertex_layout.h"

enum {
    FIRST_ORDER = CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT | CLSP_VERTEX_DU | CLSP_VERTEX_DV |
                  CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS,
    BAND_ROWS = 32 /* of a block of sums in bands */
};

/* ---- how the kernel is built ---- */

typedef struct rows_shape {
    uint32_t rows, block_rows;
    bool keep_local, stage, through_local, store_two;
} rows_shape;

static bool needs_dv(const clspi_tensor_desc *d)
{
    return (d->vertex.attributes & (CLSP_VERTEX_DV | CLSP_VERTEX_NORMAL)) != 0;
}

/* Returns the numbers of 32 bits that an item keeps in registers: partial sums, those along v only
   where they are not in local memory, and the symmetric parts of the last ones. */
static size_t words_of(const clspi_tensor_desc *d, size_t rows, bool keep_local)
{
    const size_t kinds = needs_dv(d) && !keep_local ? 2 : 1;
    const size_t sums = needs_dv(d) ? 6 : 2;

    return (d->terms[0] * kinds + sums * rows) * clspi_coords(d) *
           (clsp_type_bytes(d->precision) / sizeof(float));
}

/* Returns the local memory of a group that keeps the differences along v there. */
static size_t kept_bytes(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    return ctx->tuning.work_group * ((size_t)2 * (d->terms[0] / 2) * clspi_coords(d) + 1) *
           clsp_type_bytes(d->precision);
}

/* Returns the numbers of 32 bits that an item keeps of sums in bands: their terms, those along v
   where they are not in local memory, and a row. */
static size_t band_words(const clspi_tensor_desc *d, bool keep_local)
{
    const uint32_t planes = clspi_planes_of(d), terms = d->terms[0];
    const size_t kept = (planes & 1u << 1 ? terms - 1 : 0) +
                        (planes & 1u << 2 && !keep_local ? terms : 0) + (size_t)terms;

    return (kept + 3) * clspi_coords(d) * (clsp_type_bytes(d->precision) / sizeof(float));
}

/* Returns the local memory of a group for values of sums in bands that take all terms. */
static size_t value_bytes(const clspi_tensor_desc *d)
{
    const size_t values = (size_t)2 * d->terms[0] - 1;

    if (clspi_is_banded(d, 0)) return 0;
    return BAND_ROWS * clspi_div_up(values, 4) * 4 * clsp_type_bytes(d->precision);
}

/* Returns the local memory of a group that keeps the terms along v there. */
static size_t band_bytes(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    return ctx->tuning.work_group * ((size_t)d->terms[0] * clspi_coords(d) | 1) *
           clsp_type_bytes(d->precision);
}

/* Tells whether sums in bands keep terms along v in local memory. */
static bool keeps_bands(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    return !clspi_is_banded(d, 0) && clspi_planes_of(d) & 1u << 2 &&
           band_words(d, false) > ctx->tuning.vertex_registers && ctx->device.local_is_real &&
           band_bytes(ctx, d) + value_bytes(d) <= ctx->device.local_bytes;
}

/* Tells whether sums in bands are made in one pass. Terms that move when rows go on take some more
   registers: from about 130 numbers on they spill on NVIDIA, and are no faster then. */
static bool fits_bands(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    enum { MOST = 120 };
    const size_t words = band_words(d, keeps_bands(ctx, d));

    return clspi_is_banded(d, 0)
               ? words <= ctx->tuning.vertex_registers && words <= MOST
               : words <= ctx->tuning.band_registers && value_bytes(d) <= ctx->device.local_bytes;
}

/* Tells whether what an item keeps for one row at a time fits its registers. */
static bool fits(const clsp_context *ctx, const clspi_tensor_desc *d, bool keep_local)
{
    return words_of(d, 1, keep_local) <= ctx->tuning.vertex_registers;
}

/* Tells whether two rows at a time do. Beside differences in local memory parameters would make
   them spill. */
static bool fits_two_rows(const clsp_context *ctx, const clspi_tensor_desc *d, bool keep_local)
{
    const size_t words = words_of(d, 2, keep_local);
    const bool has_more = (d->vertex.attributes & CLSP_VERTEX_PARAMS) != 0;

    return keep_local ? !has_more && words <= ctx->tuning.vertex_pair_registers
                      : words <= ctx->tuning.vertex_registers;
}

/* Returns the local memory of a group for tables, for vertices on their way and for what it keeps.
 */
static size_t group_bytes(const clsp_context *ctx, const clspi_tensor_desc *d,
                          const rows_shape *shape)
{
    const size_t pairs = d->terms[0] / 2;
    const size_t staged = 4 * pairs * shape->block_rows * clsp_type_bytes(d->precision);
    const size_t passed = 2 * shape->rows * ctx->tuning.work_group * clspi_vertex_bytes(d);

    return staged + passed + (shape->keep_local ? kept_bytes(ctx, d) : 0);
}

/* Makes blocks smaller, then steps of rows, until a group's local memory suffices. */
static bool fit_local(const clsp_context *ctx, const clspi_tensor_desc *d, rows_shape *shape)
{
    enum { LEAST = 16 }; /* rows of a block */
    const uint32_t most = shape->block_rows;

    if (!ctx->device.local_is_real) return false;
    while (group_bytes(ctx, d, shape) > ctx->device.local_bytes) {
        const bool is_least = shape->block_rows <= LEAST;
        if (is_least && shape->rows == 1) return false;
        shape->rows = is_least ? 1 : shape->rows;
        shape->block_rows = is_least ? most : shape->block_rows / 2;
    }
    return true;
}

/* Chooses blocks and what stores go through. Going through local memory makes them adjacent, at the
   price of two barriers for each step of rows: it pays while there is little else to do. Large
   blocks load partial sums less often, small ones end more evenly. */
static rows_shape choose(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    const bool wide = d->precision == CLSP_F64, is_half = d->vertex.type == CLSP_F16;
    const uint32_t terms = d->terms[0], block_rows = wide ? 64 : terms <= 4 ? 16 : 32;
    /* differences along v are in local memory where they have to */
    const bool keep_local = needs_dv(d) && !fits(ctx, d, false);
    rows_shape shape = {.rows = fits_two_rows(ctx, d, keep_local) ? 2 : 1,
                        .block_rows = block_rows,
                        .keep_local = keep_local};

    shape.stage = fit_local(ctx, d, &shape);
    if (clspi_layout_has_gaps(d)) return shape;
    shape.through_local =
        shape.stage && (wide || terms <= 8 || is_half) && clspi_keeps_values(&ctx->device);
    shape.store_two = !shape.through_local && !is_half && d->vertex.stride % 2 == 0;
    return shape;
}

/* Chooses blocks, and what stores go through, of sums in bands, whose tables are not staged. */
static rows_shape choose_bands(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    const bool keep_local = keeps_bands(ctx, d);
    const bool spills = band_words(d, keep_local) > ctx->tuning.vertex_registers;
    rows_shape shape = {.rows = spills ? 1 : 2, .block_rows = BAND_ROWS, .keep_local = keep_local};
    const size_t passed = shape.rows * ctx->tuning.work_group * clspi_vertex_bytes(d) +
                          (shape.keep_local ? band_bytes(ctx, d) : 0) + value_bytes(d);

    if (clspi_layout_has_gaps(d)) return shape;
    shape.through_local = ctx->device.local_is_real && passed <= ctx->device.local_bytes &&
                          clspi_keeps_values(&ctx->device);
    shape.store_two =
        !shape.through_local && d->vertex.type != CLSP_F16 && d->vertex.stride % 2 == 0;
    return shape;
}

static rows_shape shape_of(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    return clspi_vertex_rows_in_bands(d) ? choose_bands(ctx, d) : choose(ctx, d);
}

bool clspi_vertex_rows_fit(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    if (d->directions != 2 || d->is_triangle || d->own_bases > 0 ||
        (d->vertex.attributes & ~(unsigned)FIRST_ORDER) != 0 || d->degrees[0] == 0 ||
        (d->degrees[1] == 0 && needs_dv(d)))
        return false;
    if (clspi_is_banded(d, 0)) return fits_bands(ctx, d);
    if (!d->basis.is_bernstein) return false;
    if (clspi_vertex_rows_in_bands(d)) return fits_bands(ctx, d);
    const rows_shape shape = choose(ctx, d);
    return fits(ctx, d, shape.keep_local) && (!shape.keep_local || shape.stage);
}

/* Makes the build options, without CLSP_GROUP. */
static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *d)
{
    const rows_shape shape = shape_of(ctx, d);
    clspi_options options = clspi_vertex_options(ctx, d);

    clspi_option(&options, "TERMS_U", d->terms[0]);
    clspi_option(&options, "ROWS", shape.rows);
    clspi_option(&options, "BLOCK_ROWS", shape.block_rows);
    clspi_option(&options, "THROUGH_LOCAL", shape.through_local);
    clspi_option(&options, "STORE_TWO", shape.store_two);
    clspi_own_samples_option(&options, d);
    if (clspi_is_banded(d, 0)) {
        clspi_option(&options, "PLANES", clspi_planes_of(d));
        return options;
    }
    clspi_option(&options, "KEEP_LOCAL", shape.keep_local);
    if (clspi_vertex_rows_in_bands(d)) {
        clspi_option(&options, "BANDED", 0);
        clspi_option(&options, "PLANES", clspi_planes_of(d));
        return options;
    }
    clspi_option(&options, "STAGE", shape.stage);
    return options;
}

/* The program for sums in bands and for others, whose kernel has its name. */
static const struct {
    const char *program;
    const clspi_signature *signature;
} kinds[] = {{"vertex_rows", &clspi_vertex_rows_signature},
             {"vertex_bands", &clspi_vertex_bands_signature}};

clsp_status clspi_vertex_rows_prepare(clspi_kernel *kernel, clsp_context *ctx,
                                      const clspi_tensor_desc *desc)
{
    const bool banded = clspi_vertex_rows_in_bands(desc);
    const clspi_options options = options_of(ctx, desc);

    return clspi_kernel_create_grouped(kernel, ctx, kinds[banded].program, kinds[banded].signature,
                                       &options);
}

clsp_status clspi_vertex_rows_build(const clspi_build *build, const clspi_tensor_desc *desc)
{
    const bool banded = clspi_vertex_rows_in_bands(desc);
    const clspi_options options = options_of(build->ctx, desc);

    return clspi_program_build_grouped(build, kinds[banded].program, kinds[banded].signature,
                                       &options);
}

/* ---- evaluation ---- */

/* What launches work on. */
typedef struct rows_job {
    const clspi_kernel *kernel;
    const clspi_grid_sums *sums;
    const clspi_tensor_desc *desc;
    cl_mem sizes;
    uint32_t block_rows;
} rows_job;

/* Returns the partial sums of S (direction 2) or of the derivative along u (0) or v (1); those of S
   where that derivative is not needed. */
static const clspi_partial_sums *partial_of(const rows_job *job, uint32_t direction)
{
    for (uint32_t i = 1; i < job->sums->num && direction < 2; i++)
        if (job->sums->sum[i].by[direction] == 1) return &job->sums->sum[i].partial;
    return &job->sums->sum[0].partial;
}

static clspi_surface_samples surface_samples_of(const clspi_tensor_desc *d)
{
    const clspi_surface_samples samples = {.begin_u = d->axis[0].begin,
                                           .end_u = d->axis[0].end,
                                           .begin_v = d->axis[1].begin,
                                           .end_v = d->axis[1].end,
                                           .num_u = d->axis[0].num,
                                           .num_v = d->axis[1].num};

    return samples;
}

static clsp_status launch_symmetric(const rows_job *job, clspi_series *series,
                                    const clspi_rows *rows)
{
    const clspi_tensor_desc *const d = job->desc;
    const clspi_basis_table *const table = &job->sums->tables.table[0][0];
    const clspi_partial_sums *const partial = partial_of(job, 2);
    const clspi_partial_sums *const along_u = partial_of(job, 0);
    const uint32_t num_u = d->axis[0].num, num_v = d->axis[1].num;
    const clspi_half_rows half = clspi_half_of(num_u, rows->first_row, rows->num_rows);
    const clspi_vertex_rows_args args = {
        .t = partial->kept,
        .t_u = along_u->kept,
        .t_v = partial_of(job, 1)->kept,
        .table = table->values,
        .table_d = table[1].values,
        .samples = d->samples ? d->samples : table->values,
        .out = rows->out,
        .sum = {.first_u = rows->first_patch - along_u->first,
                .stride_t = partial->stride,
                .stride_table = table->stride,
                .num_u = num_u,
                .num_v = num_v,
                .first_half = half.first,
                .end_half = half.end,
                .num_tiles = (uint32_t)clspi_div_up(num_v, job->kernel->local),
                .num_blocks = (uint32_t)clspi_div_up(half.end - half.first, job->block_rows)},
        .at = clspi_row_range_of(rows->first_patch - partial->first, rows),
        .axes = surface_samples_of(d)};

    return clspi_launch_vertex_rows(series, job->kernel, &args,
                                    rows->num_patches * args.sum.num_tiles * args.sum.num_blocks *
                                        job->kernel->local);
}

static clsp_status launch_bands(const rows_job *job, clspi_series *series, const clspi_rows *rows)
{
    const clspi_tensor_desc *const d = job->desc;
    const clspi_basis_table *const table = &job->sums->tables.table[0][0];
    const clspi_partial_sums *const partial = partial_of(job, 2);
    const clspi_partial_sums *const along_u = partial_of(job, 0);
    const uint32_t num_v = d->axis[1].num;
    const clspi_vertex_bands_args args = {
        .t = partial->kept,
        .t_u = along_u->kept,
        .t_v = partial_of(job, 1)->kept,
        .table = table->values,
        .table_d = table[1].values,
        .first_u = table->first,
        .sizes = job->sizes ? job->sizes : partial->kept,
        .samples = d->samples ? d->samples : table->values,
        .out = rows->out,
        .sum = {.first_u = rows->first_patch - along_u->first,
                .first_size = rows->first_patch,
                .controls = d->controls[0],
                .stride_t = partial->stride,
                .stride_table = table->stride,
                .num_v = num_v,
                .degree_v = d->degrees[1],
                .num_tiles = (uint32_t)clspi_div_up(num_v, job->kernel->local),
                .num_blocks = (uint32_t)clspi_div_up(rows->num_rows, job->block_rows)},
        .at = clspi_row_range_of(rows->first_patch - partial->first, rows),
        .axes = surface_samples_of(d)};

    return clspi_launch_vertex_bands(series, job->kernel, &args,
                                     rows->num_patches * args.sum.num_tiles * args.sum.num_blocks *
                                         job->kernel->local);
}

static clsp_status launch(const rows_job *job, clspi_series *series, const clspi_rows *rows)
{
    return clspi_vertex_rows_in_bands(job->desc) ? launch_bands(job, series, rows)
                                                 : launch_symmetric(job, series, rows);
}

/* Enqueues launches of some patches whose partial sums are there. */
static clsp_status enqueue(const rows_job *job, clspi_series *series, const clspi_rows *rows)
{
    const clspi_tensor_desc *const d = job->desc;
    const uint32_t num_v = d->axis[1].num;
    const size_t local = job->kernel->local;
    const uint64_t fma = UINT64_C(3) * clspi_coords(d) * d->terms[0] * num_v;
    const uint64_t most = clspi_launch_lines(
        &series->ctx->tuning, fma, clspi_div_up(num_v, local) * local, local, job->block_rows);
    clspi_cut cut = {.per_piece = rows->num_rows,
                     .multiple = CLSPI_ROWS_MULTIPLE,
                     .left = rows->num_patches * rows->num_rows};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_rows some = clspi_rows_of_part(rows, &part, (size_t)num_v * d->vertex.stride);
        CLSPI_CHECK(launch(job, series, &some));
    }
    return CLSP_OK;
}

clsp_status clspi_vertex_rows_eval(const clspi_kernel *kernel, clspi_grid_sums *sums,
                                   clspi_series *series, const clspi_tensor_desc *desc,
                                   cl_mem sizes, const clspi_rows *rows)
{
    const rows_job job = {kernel, sums, desc, sizes, shape_of(series->ctx, desc).block_rows};
    const size_t most =
        clspi_min(partial_of(&job, 2)->max_patches, partial_of(&job, 0)->max_patches);
    clspi_cut cut = {.per_piece = 1, .left = rows->num_patches};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        clspi_rows some = *rows;
        some.first_patch += part.piece;
        some.num_patches = part.num_pieces;
        some.offset += part.piece * rows->num_rows * desc->axis[1].num * desc->vertex.stride;
        for (uint32_t i = 0; i < sums->num; i++)
            CLSPI_CHECK(clspi_partial_make(&sums->sum[i].partial, series, sums->sum[i].points,
                                           (clsp_range){some.first_patch, some.num_patches}));
        CLSPI_CHECK(enqueue(&job, series, &some));
    }
    return CLSP_OK;
}
