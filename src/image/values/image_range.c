#include "image_range.h"

#include "buffer.h"
#include "check.h"
#include "image_plan.h"
#include "kernel_arguments.h"

clspi_options clspi_sample_options(const clsp_context *ctx, const clsp_image_desc *d)
{
    clspi_options options = clspi_options_of(ctx, d->precision);

    clspi_option(&options, "SAMPLES", clspi_pixel_type(d->samples, d->precision));
    return options;
}

clsp_status clspi_image_range_create(clspi_image_range *range, clsp_context *ctx,
                                     const clsp_image_desc *desc)
{
    const clspi_options options = clspi_sample_options(ctx, desc);

    CLSPI_CHECK(clspi_kernel_create(&range->samples, ctx, "image_range",
                                    &clspi_range_of_samples_signature, &options));
    CLSPI_CHECK(clspi_kernel_create(&range->join, ctx, "image_range", &clspi_join_ranges_signature,
                                    &options));
    return clspi_buffer_create(&range->parts, ctx,
                               (size_t)2 * CLSPI_RANGE_PARTS * clsp_type_bytes(desc->precision));
}

void clspi_image_range_release(clspi_image_range *range)
{
    clspi_kernel_release(&range->samples);
    clspi_kernel_release(&range->join);
    clspi_buffer_release(&range->parts);
    clspi_buffer_release(&range->range);
}

clsp_status clspi_image_range_reserve(clspi_image_range *range, clsp_context *ctx,
                                      const clsp_image_desc *desc, size_t planes)
{
    return clspi_buffer_reserve(&range->range, &range->bytes, ctx,
                                planes * 2 * clsp_type_bytes(desc->precision));
}

clsp_status clspi_image_range_find(const clspi_image_range *range, clspi_series *series,
                                   const clspi_filter_job *job, size_t planes)
{
    const clspi_image_layout *const layout = job->layout;
    const size_t share = clspi_div_up(layout->samples, CLSPI_RANGE_PARTS / planes);
    const size_t per_plane = clspi_div_up(layout->samples, share), items = planes * per_plane;
    const clspi_range_of_samples_args samples = {
        .samples = job->samples,
        .parts = range->parts,
        .from = {.offset = job->offset,
                 .num = layout->samples,
                 .share = share,
                 .step = layout->planar ? 1 : layout->channels,
                 .channels = job->channels,
                 .per_plane = (uint32_t)per_plane,
                 .items = (uint32_t)items}};
    const clspi_join_ranges_args join = {.parts = range->parts,
                                         .range = range->range,
                                         .num = (uint32_t)per_plane,
                                         .first = job->plane,
                                         .planes = (uint32_t)planes};

    CLSPI_CHECK(clspi_launch_range_of_samples(series, &range->samples, &samples, items));
    return clspi_launch_join_ranges(series, &range->join, &join, planes);
}
