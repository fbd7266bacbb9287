#include "vertex_assembly.h"

#include "buffer.h"
#include "check.h"
#include "launch_queue.h"
#include "own_samples.h"
#include "vertex_layout.h"

/* ---- the kernel ---- */

clspi_options clspi_assembly_options(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    clspi_options options = clspi_vertex_options(ctx, desc);

    clspi_option(&options, "PLANES", clspi_planes_of(desc));
    clspi_own_samples_option(&options, desc);
    return options;
}

clsp_status clspi_assembly_prepare(clspi_assembly *assembly, clsp_context *ctx,
                                   const clspi_tensor_desc *desc)
{
    const clspi_options options = clspi_assembly_options(ctx, desc);

    clspi_kernel_release(&assembly->kernel);
    return clspi_kernel_create(&assembly->kernel, ctx, "vertex_assembly",
                               &clspi_vertex_assembly_signature, &options);
}

void clspi_assembly_release(clspi_assembly *assembly)
{
    clspi_kernel_release(&assembly->kernel);
    clspi_buffer_release(&assembly->planes);
    clspi_buffer_release(&assembly->sizes);
    clspi_centred_points_release(&assembly->centred);
    assembly->planes_bytes = assembly->sizes_bytes = 0;
}

/* ---- control points ---- */

/* Returns the sum of a first derivative; NULL: it is 0. */
static const clspi_tensor_sum *first_derivative(const clspi_grid_sums *sums, uint32_t direction)
{
    for (uint32_t i = 0; i < sums->num; i++) {
        const clspi_tensor_sum *const sum = &sums->sum[i];
        if (sum->by[direction] == 1 && sum->by[0] + sum->by[1] + sum->by[2] == 1) return sum;
    }
    return NULL;
}

static clsp_status reserve_sizes(clspi_assembly *assembly, clspi_series *series,
                                 const clspi_tensor_desc *desc, size_t num_patches)
{
    return clspi_buffer_reserve(&assembly->sizes, &assembly->sizes_bytes, series->ctx,
                                CLSPI_PATCH_SIZES * num_patches * clsp_type_bytes(desc->precision));
}

clsp_status clspi_assembly_centre(clspi_assembly *assembly, clspi_series *series,
                                  const clspi_tensor_desc *desc, cl_mem points, size_t num_patches,
                                  cl_mem *sources)
{
    *sources = points;
    if (!clspi_is_centred(desc) || num_patches == 0) return CLSP_OK;
    CLSPI_CHECK(reserve_sizes(assembly, series, desc, num_patches));
    CLSPI_CHECK(clspi_centre_points_make(&assembly->centred, series, desc, points, assembly->sizes,
                                         num_patches));
    *sources = assembly->centred.points;
    return CLSP_OK;
}

clsp_status clspi_assembly_load(clspi_assembly *assembly, const clspi_grid_sums *sums,
                                clspi_series *series, const clspi_tensor_desc *desc,
                                size_t num_patches)
{
    const clspi_tensor_sum *const u = first_derivative(sums, 0), *const v =
                                                                     first_derivative(sums, 1);
    const clspi_options options = clspi_assembly_options(series->ctx, desc);
    clspi_kernel kernel = {0};
    clsp_status status;

    if (!(desc->vertex.attributes & (CLSP_VERTEX_NORMAL | CLSP_VERTEX_CURVATURE)) ||
        num_patches == 0)
        return CLSP_OK;
    CLSPI_CHECK(reserve_sizes(assembly, series, desc, num_patches));
    const clspi_tangent_sizes_args args = {
        .points_u = u ? u->points : assembly->sizes,
        .points_v = v ? v->points : assembly->sizes,
        .sizes = assembly->sizes,
        .num_u = u ? (uint32_t)(u->points_per_patch / clspi_coords(desc)) : 0,
        .num_v = v ? (uint32_t)(v->points_per_patch / clspi_coords(desc)) : 0,
        .num_patches = (uint32_t)num_patches};
    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "vertex_assembly",
                                  &clspi_tangent_sizes_signature, &options));
    CLSPI_TRY(clspi_launch_tangent_sizes(series, &kernel, &args, num_patches));

fail:
    clspi_kernel_release(&kernel);
    return status;
}

/* ---- evaluation ---- */

/* Describes an axis to patches that have domains of their own (own_axis of eval_points.clh). */
static clspi_sample_axis own_axis_of(const clsp_axis *axis, const double domain[2])
{
    const bool forth = axis->begin == domain[0] && axis->end == domain[1];
    const bool back = axis->begin == domain[1] && axis->end == domain[0];
    const clspi_sample_axis sample = {.begin = axis->begin,
                                      .end = axis->end,
                                      .begin_rest = 0.0,
                                      .end_rest = 0.0,
                                      .t_begin = back,
                                      .t_end = forth,
                                      .s_begin = forth,
                                      .s_end = back,
                                      .num = axis->num};

    return sample;
}

clspi_sample_axis clspi_sample_axis_of(const clspi_tensor_desc *desc, uint32_t direction)
{
    const clsp_axis *const axis = &desc->axis[direction];
    const double *const domain = desc->domain[direction];

    if (desc->own_bases > 0 && direction == 0) return own_axis_of(axis, domain);
    const clspi_sample_axis sample = {.begin = axis->begin,
                                      .end = axis->end,
                                      .begin_rest = clspi_rounded_off(desc->precision, axis->begin),
                                      .end_rest = clspi_rounded_off(desc->precision, axis->end),
                                      .t_begin = axis->begin - domain[0],
                                      .t_end = axis->end - domain[0],
                                      .s_begin = domain[1] - axis->begin,
                                      .s_end = domain[1] - axis->end,
                                      .num = axis->num};

    return sample;
}

static size_t row_vertices(const clspi_tensor_desc *desc)
{
    return (size_t)desc->axis[1].num * desc->axis[2].num;
}

static clsp_status launch(const clspi_assembly *assembly, clspi_series *series,
                          const clspi_tensor_desc *desc, const clspi_rows *rows, size_t offset)
{
    const size_t plane = rows->num_patches * rows->num_rows * row_vertices(desc);
    const bool limited = desc->directions == 2 && !desc->is_triangle && desc->basis.is_bernstein;
    const clspi_vertex_assembly_args args = {
        .planes = assembly->planes,
        .sizes = assembly->sizes ? assembly->sizes : assembly->planes,
        .samples = desc->samples ? desc->samples : assembly->planes,
        .out = rows->out,
        .of = {.offset = offset, .vertices = (uint32_t)plane},
        .degree_u = limited ? desc->degrees[0] : 0,
        .degree_v = limited ? desc->degrees[1] : 0,
        .at = clspi_row_range_of(rows->first_patch, rows),
        .axis_u = clspi_sample_axis_of(desc, 0),
        .axis_v = clspi_sample_axis_of(desc, 1),
        .axis_w = clspi_sample_axis_of(desc, 2)};

    return clspi_launch_vertex_assembly(series, &assembly->kernel, &args, plane);
}

/* Returns the rows whose sums stay in a cache until they are vertices. */
static uint64_t rows_of_a_part(const clsp_context *ctx, const clspi_grid_sums *sums,
                               const clspi_tensor_desc *desc)
{
    const clspi_tuning *const tuning = &ctx->tuning;
    const size_t vertex =
        clspi_max(1, sums->num) * clspi_coords(desc) * clsp_type_bytes(desc->precision);
    const uint64_t scratch = clspi_min_u64(tuning->scratch_bytes, ctx->device.max_alloc_bytes);
    const uint64_t launch = clspi_launch_lines(tuning, 0, 1, tuning->work_group, 1);

    return clspi_min_u64(scratch / vertex, launch) / row_vertices(desc);
}

/* Counts the bytes of the sums of some rows; false: more than the address space. */
static bool count_bytes(const clspi_grid_sums *sums, const clspi_tensor_desc *desc, size_t rows,
                        size_t *bytes)
{
    *bytes = clspi_max(1, sums->num) * clsp_type_bytes(desc->precision) * clspi_coords(desc);
    return clspi_size_mul(bytes, rows) && clspi_size_mul(bytes, row_vertices(desc));
}

bool clspi_assembly_fits(const clsp_context *ctx, const clspi_grid_sums *sums,
                         const clspi_tensor_desc *desc, size_t rows)
{
    enum { SHARE = 8 }; /* of the device's memory */
    size_t bytes;

    return count_bytes(sums, desc, rows, &bytes) && bytes <= ctx->device.max_alloc_bytes &&
           bytes <= ctx->device.global_bytes / SHARE;
}

clsp_status clspi_assembly_reserve(clspi_assembly *assembly, const clspi_grid_sums *sums,
                                   clspi_series *series, const clspi_tensor_desc *desc, size_t rows)
{
    size_t bytes;

    if (!count_bytes(sums, desc, rows, &bytes)) /* one row at least, however long it is */
        return clspi_fail(&series->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "the sums of one row are larger than the address space");
    return clspi_buffer_reserve(&assembly->planes, &assembly->planes_bytes, series->ctx, bytes);
}

static clsp_status eval_part(clspi_assembly *assembly, clspi_grid_sums *sums, clspi_series *series,
                             const clspi_tensor_desc *desc, const clspi_rows *part)
{
    const size_t reals =
        part->num_patches * part->num_rows * row_vertices(desc) * clspi_coords(desc);
    const size_t offset = clspi_scratch_of(series, clspi_max(1, sums->num) * reals);

    if (!series->queue)
        CLSPI_CHECK(clspi_assembly_reserve(assembly, sums, series, desc,
                                           part->num_patches * part->num_rows));
    for (uint32_t i = 0; i < sums->num; i++) {
        clspi_rows plane = *part;
        plane.out = assembly->planes;
        plane.offset = offset + i * reals;
        CLSPI_CHECK(clspi_sum_eval(&sums->sum[i], series, &plane));
    }
    return launch(assembly, series, desc, part, offset);
}

clsp_status clspi_assembly_eval(clspi_assembly *assembly, clspi_grid_sums *sums,
                                clspi_series *series, const clspi_tensor_desc *desc,
                                const clspi_rows *rows)
{
    const uint64_t most = rows_of_a_part(series->ctx, sums, desc);
    clspi_cut cut = {.per_piece = rows->num_rows,
                     .multiple = CLSPI_ROWS_MULTIPLE,
                     .left = rows->num_patches * rows->num_rows};
    clspi_part part;

    while (clspi_cut_next(&cut, most, &part)) {
        const clspi_rows some =
            clspi_rows_of_part(rows, &part, row_vertices(desc) * desc->vertex.stride);
        CLSPI_CHECK(eval_part(assembly, sums, series, desc, &some));
    }
    return CLSP_OK;
}
