#include "centre_points.h"

#include "buffer.h"
#include "check.h"
#include "kernel_arguments.h"
#include "split.h"

static clspi_options options_of(const clsp_context *ctx, const clspi_tensor_desc *desc)
{
    clspi_options options = clspi_options_of(ctx, desc->precision);

    clspi_option(&options, "DIM", desc->dim);
    return options;
}

clsp_status clspi_centre_points_build(const clspi_build *build, const clspi_tensor_desc *desc)
{
    const clspi_options options = options_of(build->ctx, desc);

    return clspi_is_centred(desc) ? clspi_program_build(build, "centre_points", &options) : CLSP_OK;
}

void clspi_centred_points_release(clspi_centred_points *centred)
{
    clspi_buffer_release(&centred->points);
    centred->bytes = 0;
}

static clsp_status find_centres(clspi_series *series, const clspi_options *options,
                                const clspi_patch_centres_args *args)
{
    clspi_kernel kernel = {0};
    clsp_status status;

    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "centre_points",
                                  &clspi_patch_centres_signature, options));
    CLSPI_TRY(clspi_launch_patch_centres(series, &kernel, args, args->num_patches));

fail:
    clspi_kernel_release(&kernel);
    return status;
}

/* Moves `points` control points, in launches that are short enough. */
static clsp_status move_points(clspi_series *series, const clspi_options *options,
                               const clspi_centre_points_args *all, size_t points)
{
    const clspi_tuning *const tuning = &series->ctx->tuning;
    const uint64_t most = clspi_launch_lines(tuning, 8, 1, tuning->work_group, 1);
    clspi_cut cut = {.per_piece = clspi_max(1, points), .left = points};
    clspi_centre_points_args args = *all;
    clspi_kernel kernel = {0};
    clspi_part part;
    clsp_status status;

    CLSPI_TRY(clspi_kernel_create(&kernel, series->ctx, "centre_points",
                                  &clspi_centre_points_signature, options));
    while (clspi_cut_next(&cut, most, &part)) {
        args.first_point = part.line;
        args.items = (uint32_t)part.num_lines;
        CLSPI_TRY(clspi_launch_centre_points(series, &kernel, &args, part.num_lines));
    }

fail:
    clspi_kernel_release(&kernel);
    return status;
}

clsp_status clspi_centre_points_make(clspi_centred_points *centred, clspi_series *series,
                                     const clspi_tensor_desc *desc, cl_mem points, cl_mem sizes,
                                     size_t num_patches)
{
    const size_t num = num_patches * desc->num_controls;
    const clspi_options options = options_of(series->ctx, desc);
    const clspi_patch_centres_args centres = {.points = points,
                                              .sizes = sizes,
                                              .num = (uint32_t)desc->num_controls,
                                              .num_patches = (uint32_t)num_patches};

    CLSPI_CHECK(clspi_buffer_reserve(&centred->points, &centred->bytes, series->ctx,
                                     (num * clspi_coords(desc) + 4 * num_patches) *
                                         clsp_type_bytes(desc->precision)));
    const clspi_centre_points_args move = {.points = points,
                                           .sizes = sizes,
                                           .out = centred->points,
                                           .num_points = num,
                                           .first_point = 0,
                                           .num = (uint32_t)desc->num_controls,
                                           .items = 0};
    CLSPI_CHECK(find_centres(series, &options, &centres));
    return move_points(series, &options, &move, num);
}
