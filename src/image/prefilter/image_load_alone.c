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

static clsp_status load_part(void *user, clspi_series *series, const clspi_part *part)
{
    load_job *const job = user;
    clsp_image_plan *const plan = job->plan;
    const clspi_image_layout *const l = &plan->layout;
    const clspi_stream *const stream = &job->streams.stream[0];

    for (size_t i = 0; i < part->num_lines; i++)
        for (uint32_t c = 0; c < l->channels; c++) {
            const size_t plane = (part->piece + i) * l->channels + c;
            const clspi_filter_job filter = {.samples = stream->buffer,
                                             .offset = stream->offset + i * stream->per_line +
                                                       (l->planar ? c * l->samples : c),
                                             .plane = plane};
            CLSPI_CHECK(clspi_image_filter_run(plan, series, &filter));
            if (plan->desc.clip)
                CLSPI_CHECK(clspi_image_range_find(&plan->range, series, l, &filter));
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
