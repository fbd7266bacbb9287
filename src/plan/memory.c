#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"
#include "graphics_buffer.h"

static clsp_status fail(const clspi_plan *plan, const clspi_memory_need *need, clsp_status status,
                        const char *why)
{
    return clspi_fail(&plan->ctx->log, status, "%s: %s: %s", plan->family, need->what, why);
}

/* ---- checks ---- */

/* Checks that there is exactly one kind of memory, or none where nothing is read or written. */
static clsp_status check_kind(const clspi_plan *plan, const clsp_output *m,
                              const clspi_memory_need *need)
{
    const int kinds =
        (m->buffer != NULL) + (m->host != NULL) + (m->svm != NULL) + (m->graphics != NULL);

    CLSPI_CHECK(clspi_reserved_check_some(&plan->ctx->log, need->what, m->reserved,
                                          CLSPI_COUNT(m->reserved)));
    if (kinds > 1)
        return fail(plan, need, CLSP_ERROR_ARGUMENT, "more than one kind of memory is given");
    if (kinds == 0 && need->count > 0)
        return fail(plan, need, CLSP_ERROR_ARGUMENT, "no memory is given");
    if (m->type != CLSP_TYPE_DEFAULT && m->type != need->type)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: %s: its type is %s, and the call takes %s", plan->family, need->what,
                          clspi_type_name(m->type), clspi_type_name(need->type));
    if (m->svm && plan->ctx->device.svm == 0)
        return fail(plan, need, CLSP_ERROR_ARGUMENT, "the device has no shared virtual memory");
    return CLSP_OK;
}

/* Checks the size of memory where the caller tells it: it must be enough, and one that there is. */
static clsp_status check_size(const clspi_plan *plan, const clsp_output *m,
                              const clspi_memory_need *need)
{
    if (need->count <= m->size && m->offset <= m->size - need->count) {
        if (need->count <= PTRDIFF_MAX / clsp_type_bytes(need->type)) return CLSP_OK;
        return fail(plan, need, CLSP_ERROR_NO_MEMORY, "more than the address space");
    }
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_BUFFER_SIZE,
                      "%s: %s: %zu elements from element %zu on do not fit into %zu", plan->family,
                      need->what, need->count, m->offset, m->size);
}

/* ---- graphics ---- */

/* Tells whether an output is nothing but a staged buffer of graphics. */
static bool is_staged(const clsp_output *output)
{
    return output->graphics && output->graphics->host && !output->buffer && !output->host &&
           !output->svm;
}

clsp_status clspi_output_unstage(const clspi_plan *plan, clsp_output *output, const char *what,
                                 clsp_type type)
{
    const clsp_graphics *const graphics = output->graphics;
    const size_t element = clsp_type_bytes(type);

    if (graphics && graphics->ctx != plan->ctx)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: %s: a graphics buffer of another context", plan->family, what);
    if (!is_staged(output)) return CLSP_OK;
    output->host = graphics->host;
    output->size = element ? graphics->report.bytes / element : 0;
    output->graphics = NULL;
    return CLSP_OK;
}

bool clspi_output_is_host(const clsp_output *output)
{
    return is_staged(output) ||
           (output->host && !output->buffer && !output->svm && !output->graphics);
}

clsp_status clspi_memory_acquire(const clspi_memory *memory, clspi_series *series)
{
    return memory->graphics ? clspi_graphics_acquire(memory->graphics, series) : CLSP_OK;
}

clsp_status clspi_memory_release(const clspi_memory *memory, clspi_series *series,
                                 clsp_status status)
{
    return memory->graphics ? clspi_graphics_release(memory->graphics, series, status) : status;
}

/* ---- opening ---- */

/* Makes a buffer over shared virtual memory. It begins at the device's alignment: Intel's CPU
   runtime sees it as a part of the allocation, which must. Nothing touches the bytes before. */
static clsp_status wrap_svm(clspi_memory *memory, const clspi_plan *plan, const clsp_output *m)
{
    const size_t align = clspi_max(1, plan->ctx->device.base_align_bytes);
    const size_t before = (size_t)(uintptr_t)m->svm % align;
    char *const begin = (char *)m->svm - before;
    size_t bytes = memory->element;
    int32_t code;

    if (before % memory->element != 0)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: an svm pointer that is not aligned to its elements", plan->family);
    if (!clspi_size_mul(&bytes, m->size) || bytes > SIZE_MAX - before)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: an svm pointer to more than the address space", plan->family);
    memory->buffer = clCreateBuffer(plan->ctx->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                    before + bytes, begin, &code);
    memory->is_svm = memory->buffer != NULL;
    memory->offset = m->offset + before / memory->element;
    return clspi_cl(&plan->ctx->log, code, "clCreateBuffer on an svm pointer");
}

/* Opens a buffer of graphics; a call that writes nothing leaves it alone. */
static clsp_status open_graphics(clspi_memory *memory, const clspi_plan *plan,
                                 const clsp_output *output, const clspi_memory_need *need)
{
    clsp_output sized = *output;

    sized.size = output->graphics->report.bytes / memory->element;
    CLSPI_CHECK(check_size(plan, &sized, need));
    memory->buffer = output->graphics->buffer;
    memory->offset = output->offset;
    memory->graphics = need->count > 0 ? output->graphics : NULL;
    return CLSP_OK;
}

clsp_status clspi_output_open(clspi_memory *memory, const clspi_plan *plan,
                              const clsp_output *given, const clspi_memory_need *need)
{
    clsp_output own = *given;
    const clsp_output *const output = &own;

    *memory = (clspi_memory){.type = need->type, .element = clsp_type_bytes(need->type)};
    CLSPI_CHECK(clspi_output_unstage(plan, &own, need->what, need->type));
    CLSPI_CHECK(check_kind(plan, output, need));
    memory->is_staged = own.host != given->host;
    if (output->graphics) return open_graphics(memory, plan, output, need);
    if (output->buffer) {
        memory->buffer = output->buffer;
        memory->offset = output->offset;
        return clspi_buffer_check(plan->ctx, output->buffer, output->offset, need->count,
                                  memory->element, need->what);
    }
    if (!output->host && !output->svm) return CLSP_OK;
    CLSPI_CHECK(check_size(plan, output, need));
    if (output->host) memory->host = (char *)output->host + output->offset * memory->element;
    return output->svm && need->count > 0 ? wrap_svm(memory, plan, output) : CLSP_OK;
}

clsp_status clspi_input_open(clspi_memory *memory, const clspi_plan *plan, const clsp_input *input,
                             const clspi_memory_need *need)
{
    const clsp_output same = {.type = input->type,
                              .buffer = input->buffer,
                              .host = (void *)input->host, /* it is only read */
                              .svm = (void *)input->svm,
                              .size = input->size,
                              .offset = input->offset};

    *memory = (clspi_memory){.type = need->type};
    CLSPI_CHECK(clspi_reserved_check(&plan->ctx->log, need->what, input->reserved));
    return clspi_output_open(memory, plan, &same, need);
}

bool clspi_input_is_there(const clsp_input *input)
{
    return input->buffer || input->host || input->svm || input->size > 0 || input->offset > 0;
}

void clspi_memory_close(clspi_memory *memory)
{
    if (memory->is_svm) clspi_buffer_release(&memory->buffer);
}

/* ---- memory that the host reads and writes ---- */

/* Checks that memory is the host's, or SVM that the host and devices may use at once. */
static clsp_status check_memory(const clspi_plan *plan, const void *buffer, const void *svm,
                                const char *what)
{
    if (buffer)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: shared %s: host memory or an svm pointer, not a buffer",
                          plan->family, what);
    if (svm && !(plan->ctx->device.svm & (CLSP_SVM_FINE_BUFFER | CLSP_SVM_FINE_SYSTEM)))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: shared %s: the device has no fine-grain SVM", plan->family, what);
    return CLSP_OK;
}

clsp_status clspi_shared_output(const clspi_plan *plan, clsp_output *output,
                                const clspi_memory_need *need, char **out)
{
    clspi_memory memory;

    CLSPI_CHECK(clspi_output_unstage(plan, output, need->what, need->type));
    if (output->graphics)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT,
                          "%s: shared %s: a graphics buffer that is not staged", plan->family,
                          need->what);
    CLSPI_CHECK(check_memory(plan, output->buffer, output->svm, need->what));
    if (output->svm && !output->host) {
        output->host = output->svm;
        output->svm = NULL;
    }
    const clsp_status status = clspi_output_open(&memory, plan, output, need);
    *out = memory.host;
    clspi_memory_close(&memory);
    return status;
}

clsp_status clspi_shared_input(const clspi_plan *plan, const clsp_input *input,
                               const clspi_memory_need *need, const char **in)
{
    clsp_input host = *input;
    clspi_memory memory;

    CLSPI_CHECK(check_memory(plan, host.buffer, host.svm, need->what));
    if (host.svm && !host.host) {
        host.host = host.svm;
        host.svm = NULL;
    }
    const clsp_status status = clspi_input_open(&memory, plan, &host, need);
    *in = memory.host;
    clspi_memory_close(&memory);
    return status;
}

clsp_status clspi_align_input(const clspi_plan *plan, const clspi_memory_need *need,
                              const char **in, void **copy)
{
    const size_t element = clsp_type_bytes(need->type), bytes = need->count * element;

    *copy = NULL;
    if ((uintptr_t)*in % element == 0 || bytes == 0) return CLSP_OK;
    *copy = malloc(bytes);
    if (!*copy)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "%s: no memory for %s that are not aligned", plan->family, need->what);
    *in = memcpy(*copy, *in, bytes);
    return CLSP_OK;
}
