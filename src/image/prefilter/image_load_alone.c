/* Samples that the device of a context filters alone. */
#include "buffer.h"
#include "check.h"
#include "image_load.h"
#include "transfer.h"

/* A call that loads samples: images are its lines. */
typedef struct load_job {
    clsp_image_plan *plan;
    clspi_job_streams streams;
} load_job;

/* Filters planes, the first of which has this number among all and its first sample there. */
static clsp_status load_planes(const load_job *job, clspi_series *series, clsp_range planes,
                               size_t offset)
{
    clsp_image_plan *const plan = job->plan;
    clspi_image_layout slices = plan->layout;
    const uint32_t mixed = clspi_mixed_channels(&slices, plan->desc.directions);
    const clspi_filter_job filter = {.layout = &slices,
                                     .samples = job->streams.stream[0].buffer,
                                     .channels = planes.count > 1 ? mixed : 1,
                                     .offset = offset,
                                     .plane = planes.first};

    if (planes.count > 1) slices.size[0] = slices.stored[0] = (uint32_t)planes.count;
    slices.plane *= planes.count;
    CLSPI_CHECK(clspi_image_filter_run(plan, series, &filter));
    return plan->desc.clip ? clspi_image_range_find(&plan->range, series, &filter, planes.count)
                           : CLSP_OK;
}

/* Returns how many planes are filtered together, as slices: those whose results fit a cache, of
   channels that alternate whole images. Slices of volumes are taken. */
static size_t planes_together(const clsp_image_plan *plan)
{
    enum { BYTES = 1 << 25 };
    const clspi_image_layout *const l = &plan->layout;
    const size_t plane = l->plane * clsp_type_bytes(plan->desc.precision);
    const size_t mixed = clspi_mixed_channels(l, plan->desc.directions);
    const size_t most = clspi_min(BYTES / plane, CLSPI_RANGE_PARTS) / mixed * mixed;

    return plan->desc.directions == 3 ? 1 : clspi_max(1, most);
}

static clsp_status load_part(void *user, clspi_series *series, const clspi_part *part)
{
    load_job *const job = user;
    clsp_image_plan *const plan = job->plan;
    const clspi_image_layout *const l = &plan->layout;
    const clspi_stream *const stream = &job->streams.stream[0];
    const size_t most = planes_together(plan), planes = part->num_lines * l->channels;

    for (size_t k = 0, num; k < planes; k += num) {
        const size_t image = k / l->channels, channel = k - image * l->channels;
        num = clspi_min(most, planes - k);
        const size_t at = image * stream->per_line + channel * (l->planar ? l->samples : 1);
        CLSPI_CHECK(load_planes(job, series, (clsp_range){part->piece * l->channels + k, num},
                                stream->offset + at));
    }
    return CLSP_OK;
}

/* Makes room for the coefficients of so many images. */
static clsp_status reserve(clsp_image_plan *plan, size_t num_images)
{
    const clspi_image_layout *const l = &plan->layout;
    const size_t bytes =
        num_images * l->plane * l->channels * clsp_type_bytes(plan->desc.coefficients);

    if (plan->desc.clip)
        CLSPI_CHECK(clspi_image_range_reserve(&plan->range, plan->base.ctx, &plan->desc,
                                              num_images * l->channels));
    return clspi_buffer_reserve(&plan->coefficients, &plan->coefficient_bytes, plan->base.ctx,
                                bytes);
}

/* Opens the samples, and makes room for what comes of them. */
static clsp_status open_samples(load_job *job, size_t num_images, const clsp_input *samples)
{
    clsp_image_plan *const plan = job->plan;
    clspi_stream *const stream = &job->streams.stream[job->streams.num++];
    clspi_memory_need need;

    stream->per_line = plan->layout.samples * plan->layout.channels;
    CLSPI_CHECK(clspi_image_samples_need(plan, num_images, &need));
    CLSPI_CHECK(clspi_input_open(&stream->memory, &plan->base, samples, &need));
    const clsp_status status = reserve(plan, num_images);
    if (status != CLSP_OK) clspi_image_set_broken(plan, true); /* what was there is released */
    return status;
}

/* Loads images into host memory. */
static clsp_status load_to_host(clsp_image_plan *plan, size_t num_images, const clsp_input *samples,
                                const clsp_run *run)
{
    clspi_memory_need need;
    clspi_host_input from;

    CLSPI_CHECK(clspi_image_samples_need(plan, num_images, &need));
    clsp_status status = clspi_host_input_open(&from, plan, samples, &need, run);
    if (status == CLSP_OK) {
        status = clspi_image_load(plan, num_images, from.at);
        clspi_image_set_broken(plan, status != CLSP_OK);
    }
    clspi_host_input_close(&from);
    return status == CLSP_OK ? clspi_run_done(&plan->base, run) : status;
}

clsp_status clspi_image_load_alone(clsp_image_plan *plan, size_t num_images,
                                   const clsp_input *samples, const clsp_run *run)
{
    const clspi_cut cut = {.per_piece = 1, .left = num_images};
    load_job job = {.plan = plan};

    clspi_plan_settle(&plan->base);
    if (!clspi_image_fits_device(plan, num_images))
        return load_to_host(plan, num_images, samples, run);
    clsp_status status = open_samples(&job, num_images, samples);
    if (status != CLSP_OK) {
        clspi_streams_close(&job.streams);
        return status;
    }
    clspi_image_store_forget(plan);
    clspi_peers_forget(&plan->peers);
    status = clspi_run_streams(&plan->base, run, &job.streams, cut, load_part, &job);
    plan->num_images = num_images;
    plan->has_samples = plan->store.on_device = true;
    clspi_image_set_broken(plan, status != CLSP_OK);
    return status;
}
