/* The public call that interpolates: what it is asked for, and who makes it. */
#include "check.h"
#include "image_call.h"

/* Finds out which pieces a range of images is. */
static clsp_status take_images(clspi_image_call *call, clsp_range images, const clsp_run *run)
{
    clspi_image_job *const job = &call->job;
    const clsp_image_plan *const plan = job->plan;
    const uint32_t per_image = plan->desc.planar ? plan->desc.channels : 1;
    const uint32_t attributes = job->map.attributes;

    CLSPI_CHECK(clspi_image_check_range(plan, images, run));
    job->first_piece = images.first * per_image;
    job->num_pieces = images.count;
    job->channels = plan->desc.channels / per_image;
    job->attributes = attributes;
    job->point = ((attributes & CLSP_IMAGE_VALUE) != 0) +
                 (attributes & CLSP_IMAGE_GRADIENT ? plan->desc.directions : 0);
    job->point *= job->channels;
    return clspi_size_mul(&job->num_pieces, per_image) ? CLSP_OK
                                                       : clspi_image_too_many(plan, "images");
}

/* Counts the points of all pieces, which the address space must hold. */
static clsp_status count_points(clspi_image_call *call)
{
    const clspi_image_job *const job = &call->job;
    clspi_memory_need all;

    CLSPI_CHECK(clspi_image_count_points(call));
    CLSPI_CHECK(clspi_image_values_need(call, call->points, &all));
    return clspi_size_mul(&all.count, job->num_pieces) &&
                   clspi_size_mul(&all.count, clsp_type_bytes(all.type))
               ? CLSP_OK
               : clspi_image_too_many(job->plan, "values");
}

/* Returns the tiles of a call: some rows of a map, or a part of one. */
static clspi_tiling tiling_of(const clspi_image_call *call)
{
    const size_t width = clspi_max(call->width, 1);

    return clspi_tiling_of(call->points / width * call->job.num_pieces, width,
                           clspi_image_point_items(call), CLSPI_IMAGE_RUN);
}

clsp_status clsp_image_eval(clsp_image_plan *plan, clsp_range images, const clsp_image_map *map,
                            clsp_output values, const clsp_run *run)
{
    clspi_image_call call = {.job = {.plan = plan}, .values = values};

    if (!plan) return clspi_null_argument(NULL, "clsp_image_eval");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_image_take_map(&call, map));
    CLSPI_CHECK(take_images(&call, images, run));
    CLSPI_CHECK(count_points(&call));
    call.tiling = tiling_of(&call);
    return clspi_image_call_run(&call, run);
}
