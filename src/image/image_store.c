#include "image_store.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "image_plan.h"
#include "image_points.h"
#include "large_array.h"

enum { LOADING = 1 /* of clspi_plan.broken */ };

clsp_status clspi_image_no_memory(const clsp_image_plan *plan, const char *what)
{
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY, "image: no host memory for %s",
                      what);
}

clsp_status clspi_image_stage(const clsp_image_plan *plan, clspi_image_staging *staging,
                              size_t bytes)
{
    if (staging->bytes < bytes) {
        free(staging->at);
        staging->at = malloc(bytes);
        staging->bytes = staging->at ? bytes : 0;
    }
    return staging->at ? CLSP_OK : clspi_image_no_memory(plan, "what goes to the device");
}

static size_t coefficient_bytes(const clsp_image_plan *plan)
{
    return clsp_type_bytes(plan->desc.coefficients);
}

/* ---- sizes ---- */

bool clspi_image_fits_device(const clsp_image_plan *plan, size_t num_images)
{
    const clspi_image_layout *const l = &plan->layout;
    const uint64_t most = plan->base.ctx->device.max_alloc_bytes;
    size_t samples = l->samples, all = l->plane;

    if (plan->desc.storage != CLSP_IMAGE_STORAGE_DEFAULT)
        return plan->desc.storage == CLSP_IMAGE_ON_DEVICE;
    return clspi_size_mul(&samples, l->channels * clsp_type_bytes(plan->desc.samples)) &&
           samples <= most && clspi_size_mul(&all, l->channels * coefficient_bytes(plan)) &&
           clspi_size_mul(&all, clspi_max(num_images, 1)) && all <= most &&
           l->plane <= most / clspi_image_real(plan);
}

clsp_status clspi_image_samples_need(const clsp_image_plan *plan, size_t num_images,
                                     clspi_memory_need *need)
{
    const clspi_image_layout *const l = &plan->layout;
    size_t bytes = l->plane * l->channels * clsp_type_bytes(plan->desc.coefficients);

    *need = (clspi_memory_need){"samples", plan->desc.samples, l->samples * l->channels};
    if (clspi_size_mul(&need->count, num_images) && clspi_size_mul(&bytes, num_images))
        return CLSP_OK;
    return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                      "image: %zu images are more than the address space", num_images);
}

void clspi_image_set_broken(clsp_image_plan *plan, bool is_broken)
{
    plan->base.broken &= ~(uint32_t)LOADING;
    if (is_broken) plan->base.broken |= LOADING;
}

clsp_status clspi_image_check_range(const clsp_image_plan *plan, clsp_range images,
                                    const clsp_run *run)
{
    clspi_log *const log = &plan->base.ctx->log;

    if (!plan->has_samples && clspi_run_asks(run)) return CLSP_OK;
    if (!plan->has_samples)
        return clspi_fail(log, CLSP_ERROR_STATE, "image: no samples are loaded");
    if (images.first <= plan->num_images && images.count <= plan->num_images - images.first)
        return CLSP_OK;
    return clspi_fail(log, CLSP_ERROR_ARGUMENT, "image: images %zu to %zu + %zu of %zu",
                      images.first, images.first, images.count, plan->num_images);
}

/* ---- memory ---- */

static void free_host(clspi_image_store *store)
{
    free(store->host_memory);
    free(store->range);
    free(store->reals);
    store->host = store->range = NULL;
    store->reals = NULL;
    store->host_memory = NULL;
    store->host_bytes = 0;
}

void clspi_image_store_forget(clsp_image_plan *plan)
{
    clspi_image_store *const store = &plan->store;

    free_host(store);
    for (uint32_t k = 0; k < CLSPI_SCRATCHES; k++)
        free(store->scratch[k]);
    for (uint32_t k = 0; k < CLSPI_HOST_WORKERS; k++)
        free(store->line_memory[k]);
    *store = (clspi_image_store){.load = store->load + 1};
}

clsp_status clspi_image_store_reserve(clsp_image_plan *plan, size_t num_images)
{
    const clspi_image_layout *const l = &plan->layout;
    clspi_image_store *const store = &plan->store;
    const size_t line = 64, spare = CLSPI_IMAGE_SPARE * clspi_image_real(plan);
    size_t bytes = l->plane;

    if (!clspi_size_mul(&bytes, l->channels * coefficient_bytes(plan)) ||
        !clspi_size_mul(&bytes, num_images) || bytes > PTRDIFF_MAX)
        return clspi_image_no_memory(plan, "coefficients");
    if (!store->host || store->host_bytes != bytes) {
        clspi_plan_settle(&plan->base); /* commands work on what there is */
        free_host(store);
        store->host_bytes = bytes;
        store->host_memory = clspi_large_array(bytes + spare + line, 1);
        if (store->host_memory)
            store->host = store->host_memory + line - (uintptr_t)store->host_memory % line;
        store->range = malloc(clspi_max(num_images * l->channels * 2 * clspi_image_real(plan), 1));
    }
    if (store->host && store->range) return CLSP_OK;
    free_host(store);
    return clspi_image_no_memory(plan, "coefficients");
}

clsp_status clspi_image_store_renew(clsp_image_plan *plan, size_t num_images)
{
    clspi_image_store *const store = &plan->store;

    store->load++;
    store->shared_calls = 0;
    store->on_device = false;
    return clspi_image_store_reserve(plan, num_images);
}

/* ---- from here to there ---- */

clsp_status clspi_image_range_to_device(clsp_image_plan *plan, const char *range, size_t planes)
{
    const size_t bytes = planes * 2 * clspi_image_real(plan);
    clspi_call call;

    if (!plan->desc.clip || planes == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_image_range_reserve(&plan->range, plan->base.ctx, &plan->desc, planes));
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(&call,
                          clspi_series_write(&call.series, plan->range.range, 0, range, bytes));
}

static clsp_status write_coefficients(clsp_image_plan *plan, size_t bytes)
{
    clspi_call call;

    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    return clspi_call_end(
        &call, clspi_series_write(&call.series, plan->coefficients, 0, plan->store.host, bytes));
}

clsp_status clspi_image_to_device(clsp_image_plan *plan)
{
    clspi_image_store *const store = &plan->store;
    const size_t bytes =
        clspi_image_num_planes(plan) * plan->layout.plane * coefficient_bytes(plan);

    if (store->on_device || !store->host) return CLSP_OK;
    CLSPI_CHECK(clspi_plan_catch_up(&plan->base));
    CLSPI_CHECK(clspi_image_range_to_device(plan, store->range, clspi_image_num_planes(plan)));
    if (!clspi_image_fits_device(plan, plan->num_images)) return CLSP_OK;
    CLSPI_CHECK(
        clspi_buffer_reserve(&plan->coefficients, &plan->coefficient_bytes, plan->base.ctx, bytes));
    if (bytes > 0) CLSPI_CHECK(write_coefficients(plan, bytes));
    store->on_device = true;
    return CLSP_OK;
}

static clsp_status read_coefficients(clsp_image_plan *plan)
{
    const size_t planes = clspi_image_num_planes(plan);
    const size_t bytes = planes * plan->layout.plane * coefficient_bytes(plan);
    clspi_image_store *const store = &plan->store;
    clspi_call call;
    clsp_status status = CLSP_OK;

    if (planes == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_call_begin(&call, &plan->base, NULL));
    status = clspi_series_read(&call.series, plan->coefficients, 0, store->host, bytes);
    if (status == CLSP_OK && plan->desc.clip)
        status = clspi_series_read(&call.series, plan->range.range, 0, store->range,
                                   planes * 2 * clspi_image_real(plan));
    return clspi_call_end(&call, status);
}

clsp_status clspi_image_to_host(clsp_image_plan *plan)
{
    clspi_image_store *const store = &plan->store;

    if (store->host) return CLSP_OK;
    CLSPI_CHECK(clspi_image_store_reserve(plan, plan->num_images));
    const clsp_status status = read_coefficients(plan);
    if (status != CLSP_OK) free_host(store);
    return status;
}

/* ---- inputs ---- */

clsp_status clspi_host_input_open(clspi_host_input *in, clsp_image_plan *plan,
                                  const clsp_input *input, const clspi_memory_need *need,
                                  const clsp_run *run)
{
    clspi_memory *const memory = &in->memory;
    const cl_event *const last = plan->base.last ? &plan->base.last : NULL;

    in->copy = NULL;
    in->mapped = NULL;
    clspi_series_begin(&in->series, plan->base.ctx, last != NULL, last, NULL);
    CLSPI_CHECK(clspi_input_open(memory, &plan->base, input, need));
    CLSPI_CHECK(clspi_run_wait(&plan->base, run));
    in->at = memory->host;
    if (memory->buffer && need->count > 0) { /* mapping waits for what is before */
        CLSPI_CHECK(clspi_series_map(&in->series, memory->buffer, CL_MAP_READ,
                                     memory->offset * memory->element,
                                     need->count * memory->element, &in->mapped));
        in->at = in->mapped;
    } else {
        CLSPI_CHECK(clspi_series_await(&in->series));
    }
    return clspi_align_input(&plan->base, need, &in->at, &in->copy);
}

void clspi_host_input_close(clspi_host_input *in)
{
    free(in->copy);
    if (in->mapped) clspi_series_unmap(&in->series, in->memory.buffer, in->mapped);
    if (in->series.last) clspi_series_await(&in->series); /* in-order queues have it in order */
    clspi_series_fail(&in->series, CLSP_OK);
    clspi_memory_close(&in->memory);
}
