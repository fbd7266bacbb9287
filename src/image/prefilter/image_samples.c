/* The public calls that load samples, and give the coefficients that were made of them. */
#include <string.h>

#include "check.h"
#include "image_load.h"
#include "transfer.h"

clsp_status clsp_image_set_samples(clsp_image_plan *plan, size_t num_images, clsp_input samples,
                                   const clsp_run *run)
{
    if (!plan) return clspi_null_argument(NULL, "clsp_image_set_samples");
    CLSPI_CHECK(clspi_context_usable(plan->base.ctx));
    CLSPI_CHECK(clspi_run_check(plan->base.ctx, run));
    if (run && run->share) return clspi_image_load_shared(plan, num_images, &samples, run);
    CLSPI_CHECK(clspi_setting_check(&plan->base, run, "loading samples"));
    return clspi_image_is_filtered_by_host(plan)
               ? clspi_image_load_by_host(plan, num_images, &samples, run)
               : clspi_image_load_alone(plan, num_images, &samples, run);
}

/* ---- coefficients ---- */

/* A call that reads coefficients: single ones are its lines, or, of some of each image, rows. */
typedef struct read_job {
    clsp_image_plan *plan;
    size_t first, per_image; /* lines */
    bool is_all;
    clspi_job_streams streams;
} read_job;

/* Returns where the row of that number is, of those that a part has to give, in coefficients. */
static size_t row_at(const clspi_image_layout *l, size_t number)
{
    const uint32_t y = clspi_given_begin(l, 1), num_y = clspi_given_end(l, 1) - y;
    const uint32_t z = clspi_given_begin(l, 0), num_z = clspi_given_end(l, 0) - z;
    const size_t slice = number / num_y;
    const size_t at_z = slice / num_z * l->stored[0] + (z - l->low[0]) + slice % num_z;
    const size_t at = at_z * l->stored[1] + (y - l->low[1]) + number % num_y;

    return at * l->stored[2] + (clspi_given_begin(l, 2) - l->low[2]);
}

/* Copies lines from where the plan has them; series: NULL where that is host memory, and so is what
   is written. */
static clsp_status copy_lines(void *user, clspi_series *series, const clspi_part *part)
{
    const read_job *const job = user;
    const clspi_stream *const stream = &job->streams.stream[0];
    const clspi_image_store *const store = &job->plan->store;
    const size_t element = clsp_type_bytes(job->plan->desc.coefficients);
    const size_t runs = job->is_all ? 1 : part->num_lines;
    const size_t bytes = part->num_lines / runs * stream->per_line * element;

    for (size_t k = 0; k < runs; k++) {
        const size_t line = job->first + part->before + k, to = k * bytes;
        const size_t at = (job->is_all ? line : row_at(&job->plan->layout, line)) * element;
        if (!series)
            memcpy(stream->memory.host + to, store->host + at, bytes);
        else if (store->on_device)
            CLSPI_CHECK(clspi_series_copy(series, job->plan->coefficients, at, stream->buffer,
                                          stream->offset * element + to, bytes));
        else
            CLSPI_CHECK(clspi_series_write(series, stream->buffer, stream->offset * element + to,
                                           store->host + at, bytes));
    }
    return CLSP_OK;
}

/* Says what the lines of a call are; returns an image's coefficients. */
static size_t choose_lines(read_job *job)
{
    const clspi_image_layout *const l = &job->plan->layout;
    size_t num[3], all = l->channels;

    job->is_all = true;
    for (uint32_t d = 0; d < 3; d++) {
        num[d] = clspi_given_end(l, d) - clspi_given_begin(l, d);
        job->is_all = job->is_all && num[d] == l->stored[d];
        all *= num[d];
    }
    job->per_image = job->is_all ? all : all / num[2];
    job->first *= job->per_image;
    job->streams.stream[0].per_line = all / job->per_image;
    return all;
}

clsp_status clsp_image_coefficients(clsp_image_plan *plan, clsp_range images,
                                    clsp_output coefficients, const clsp_run *run)
{
    read_job job = {.plan = plan, .first = images.first};

    if (!plan) return clspi_null_argument(NULL, "clsp_image_coefficients");
    CLSPI_CHECK(clspi_call_check(&plan->base, run));
    CLSPI_CHECK(clspi_unshared_check(&plan->base, run, "reading coefficients"));
    CLSPI_CHECK(clspi_image_check_range(plan, images, run));
    clspi_stream *const stream = &job.streams.stream[job.streams.num++];
    stream->written = true;
    clspi_memory_need need = {"coefficients", plan->desc.coefficients, choose_lines(&job)};
    if (!clspi_size_mul(&need.count, images.count))
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "image: the coefficients are more than the address space");
    if (clspi_run_asks(run)) return clspi_run_report(run, need.count);
    CLSPI_CHECK(clspi_plan_catch_up(&plan->base));
    clsp_status status = clspi_output_open(&stream->memory, &plan->base, &coefficients, &need);
    if (status != CLSP_OK) {
        clspi_streams_close(&job.streams);
        return status;
    }
    const clspi_cut cut = {.per_piece = job.per_image, .left = images.count * job.per_image};
    if (!stream->memory.host || stream->memory.graphics || !plan->store.host)
        return clspi_run_streams(&plan->base, run, &job.streams, cut, copy_lines, &job);
    status = clspi_plan_await(&plan->base, run);
    if (status == CLSP_OK && cut.left > 0)
        copy_lines(&job, NULL, &(clspi_part){.num_lines = cut.left});
    clspi_streams_close(&job.streams);
    return status == CLSP_OK ? clspi_run_done(&plan->base, run) : status;
}
