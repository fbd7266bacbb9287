#include "launch_queue.h"

#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "check.h"

/* The words that a queue begins with (launch_queue.clh), and who takes units. */
enum { UNITS, TAKEN_BY, VALUE_BLOCKS, FIRST_OF, NOTED, ROUND_SHARE, HEAD_WORDS };
enum { TAKE = 0, TAKE_AND_NOTE = 1, TAKE_NOTED = 2 };

enum {
    SHARE = 8,           /* of rounds: one in so many units that are left */
    ROUNDS = 16,         /* at most: one that finds nothing costs its launches all the same */
    GROUPS_PER_UNIT = 4, /* of a compute unit, that stay; those that come too late find nothing */
    LINE_BYTES = 128     /* no other data shares what moves between the processors */
};

/* ---- kernels ---- */

static void release_kernel(clspi_queued_kernel *k)
{
    if (k->kernel) clReleaseKernel(k->kernel);
    free(k->first);
    free(k->groups);
    free(k->values);
    free(k->others);
    memset(k, 0, sizeof *k);
}

void clspi_launch_queue_release(clspi_launch_queue *queue)
{
    for (uint32_t i = 0; i < queue->num_kernels; i++)
        release_kernel(&queue->kernels[i]);
    clspi_buffer_release(&queue->target);
    if (queue->memory) clSVMFree(queue->ctx->context, queue->memory);
    memset(queue, 0, sizeof *queue);
}

/* Finds a kernel that an earlier job has made, and puts it behind those of this one. */
static bool find_made(clspi_launch_queue *queue, const clspi_queued_kernel *wanted)
{
    for (uint32_t i = queue->num_used; i < queue->num_kernels; i++) {
        const clspi_queued_kernel made = queue->kernels[i];
        if (made.program != wanted->program || made.signature != wanted->signature ||
            made.local != wanted->local)
            continue;
        queue->kernels[i] = queue->kernels[queue->num_used];
        queue->kernels[queue->num_used] = made;
        return true;
    }
    return false;
}

/* Makes a kernel of launches behind those of this job. One of an earlier job that was there goes to
   the end, or for good where there is no room. */
static clsp_status make_kernel(clspi_launch_queue *queue, const clspi_queued_kernel *wanted,
                               const clspi_kernel *of)
{
    clspi_queued_kernel *const k = &queue->kernels[queue->num_used];
    clspi_queued_kernel made = *wanted;

    if (queue->num_used == CLSPI_QUEUE_KERNELS)
        return clspi_fail(&queue->ctx->log, CLSP_ERROR_STATE, "a queue of too many kernels");
    CLSPI_CHECK(clspi_kernel_create_queued(&made.kernel, of));
    if (queue->num_kernels < CLSPI_QUEUE_KERNELS)
        queue->kernels[queue->num_kernels++] = *k;
    else
        release_kernel(k);
    *k = made;
    return CLSP_OK;
}

/* Begins to note launches of a kernel. */
static clsp_status begin_kernel(clspi_launch_queue *queue, const clspi_kernel *kernel,
                                const void *args)
{
    clspi_log *const log = &queue->ctx->log;
    const size_t real = kernel->real_bytes;
    clspi_queued_kernel wanted = {
        .signature = kernel->signature, .local = kernel->local, .real_bytes = real};

    if (!kernel->signature->is_queued)
        return clspi_fail(log, CLSP_ERROR_STATE, "no persistent kernel makes %s",
                          kernel->signature->kernel);
    CLSPI_CHECK(clspi_cl(log,
                         clGetKernelInfo(kernel->kernel, CL_KERNEL_PROGRAM, sizeof wanted.program,
                                         &wanted.program, NULL),
                         "clGetKernelInfo"));
    if (!find_made(queue, &wanted)) CLSPI_CHECK(make_kernel(queue, &wanted, kernel));
    clspi_queued_kernel *const k = &queue->kernels[queue->num_used++];
    k->of = kernel->kernel;
    k->num = k->next = 0;
    k->num_arguments = clspi_arguments_memory(k->signature, args, k->memory);
    k->launch_bytes = clspi_arguments_values(k->signature, args, real, true, NULL);
    k->other_bytes = clspi_arguments_values(k->signature, args, real, false, NULL);
    free(k->first);
    free(k->others);
    k->first = malloc((queue->num_units + 1) * sizeof *k->first);
    k->others = malloc(2 * k->other_bytes + 1); /* and room to compare with */
    if (!k->first || !k->others)
        return clspi_fail(log, CLSP_ERROR_NO_MEMORY, "no memory for a queue of launches");
    clspi_arguments_values(k->signature, args, real, false, k->others);
    return clspi_arguments_set(log, k->kernel, k->signature, args, real);
}

/* Finds a kernel of this job, or begins it. */
static clsp_status find_kernel(clspi_launch_queue *queue, const clspi_kernel *kernel,
                               const void *args, clspi_queued_kernel **found)
{
    uint32_t i = 0;

    while (i < queue->num_used && queue->kernels[i].of != kernel->kernel)
        i++;
    if (i == queue->num_used) CLSPI_CHECK(begin_kernel(queue, kernel, args));
    *found = &queue->kernels[i];
    return CLSP_OK;
}

/* ---- launches ---- */

/* Tells whether a launch has all that its kernel has once for all launches. */
static bool is_alike(const clspi_queued_kernel *k, const void *args)
{
    cl_mem memory[CLSPI_MAX_ARGUMENTS];

    clspi_arguments_memory(k->signature, args, memory);
    clspi_arguments_values(k->signature, args, k->real_bytes, false, k->others + k->other_bytes);
    return memcmp(memory, k->memory, k->num_arguments * sizeof *memory) == 0 &&
           memcmp(k->others + k->other_bytes, k->others, k->other_bytes) == 0;
}

static bool make_room(clspi_queued_kernel *k)
{
    const size_t room = clspi_max(64, 2 * k->room);

    if (k->num < k->room) return true;
    uint32_t *const groups = realloc(k->groups, room * sizeof *groups);
    if (groups) k->groups = groups;
    unsigned char *const values = groups ? realloc(k->values, room * k->launch_bytes) : NULL;
    if (!values) return false;
    k->values = values;
    k->room = room;
    return true;
}

/* Sets the first launch of units up to one. */
static void set_first(clspi_queued_kernel *k, size_t unit)
{
    for (; k->next <= unit; k->next++)
        k->first[k->next] = (uint32_t)k->num;
}

clsp_status clspi_launch_queue_add(clspi_launch_queue *queue, const clspi_kernel *kernel,
                                   const void *args, size_t items)
{
    clspi_queued_kernel *k;

    CLSPI_CHECK(find_kernel(queue, kernel, args, &k));
    if (!is_alike(k, args))
        return clspi_fail(&queue->ctx->log, CLSP_ERROR_STATE,
                          "a queue: launches of %s have other memory", k->signature->kernel);
    if (!make_room(k))
        return clspi_fail(&queue->ctx->log, CLSP_ERROR_NO_MEMORY,
                          "no memory for a queue of launches");
    set_first(k, queue->unit);
    clspi_arguments_values(k->signature, args, kernel->real_bytes, true,
                           k->values + k->num * k->launch_bytes);
    k->groups[k->num++] = (uint32_t)clspi_div_up(items, kernel->local);
    return CLSP_OK;
}

/* ---- jobs ---- */

clsp_status clspi_launch_queue_begin(clspi_launch_queue *queue, clspi_series *series, void *out,
                                     size_t num_units)
{
    queue->ctx = series->ctx;
    queue->num_used = 0;
    queue->num_units = num_units;
    queue->unit = queue->scratch = 0;
    queue->out = out;
    if (!queue->target) CLSPI_CHECK(clspi_buffer_create(&queue->target, series->ctx, LINE_BYTES));
    series->queue = queue;
    return CLSP_OK;
}

/* Returns the groups that stay. */
static size_t groups_of(const clspi_launch_queue *queue)
{
    const size_t units = clspi_max(1, queue->ctx->device.compute_units);

    return clspi_min(queue->num_units, units * GROUPS_PER_UNIT);
}

/* Returns how many rounds a device has, at most those that it would need to make all units: what it
   does not come to the host makes. In one it takes units by the first kernel, a part of those that
   are left, lest others wait for it at the end, and makes them by those that follow. A single
   kernel takes all in one. */
static size_t count_rounds(const clspi_launch_queue *queue)
{
    size_t rounds = 0;

    if (queue->num_used == 1) return 1;
    for (size_t left = queue->num_units; left > 0 && rounds < ROUNDS; rounds++)
        left -= clspi_max(1, left / SHARE);
    return rounds;
}

size_t clspi_scratch_of(const clspi_series *series, size_t reals)
{
    const size_t before = series->queue ? series->queue->scratch : 0;

    if (series->queue) series->queue->scratch += reals;
    return before;
}

static size_t values_bytes(const clspi_queued_kernel *k)
{
    return clspi_round_up(k->num * k->launch_bytes, LINE_BYTES);
}

/* Returns the bytes of the first launches of all units, and of the launches' groups. */
static size_t first_bytes(const clspi_launch_queue *queue, const clspi_queued_kernel *k)
{
    return clspi_round_up((queue->num_units + 1 + k->num) * sizeof(uint32_t), LINE_BYTES);
}

/* Returns the bytes of a round: for each kernel a counter and the words that its queue begins with,
   and a list of units. */
static size_t round_bytes(const clspi_launch_queue *queue)
{
    return (size_t)queue->num_used * (LINE_BYTES + LINE_BYTES) +
           clspi_round_up((1 + queue->num_units) * sizeof(uint32_t), LINE_BYTES);
}

/* Makes room for all rounds, and for what was noted of each kernel. */
static clsp_status reserve(clspi_launch_queue *queue, size_t num_rounds)
{
    size_t bytes = num_rounds * round_bytes(queue);

    for (uint32_t i = 0; i < queue->num_used; i++)
        bytes += values_bytes(&queue->kernels[i]) + first_bytes(queue, &queue->kernels[i]);
    if (bytes <= queue->memory_bytes) return CLSP_OK;
    if (queue->memory) clSVMFree(queue->ctx->context, queue->memory);
    queue->memory = clSVMAlloc(
        queue->ctx->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS,
        bytes, LINE_BYTES);
    queue->memory_bytes = queue->memory ? bytes : 0;
    if (queue->memory) return CLSP_OK;
    return clspi_fail(&queue->ctx->log, CLSP_ERROR_NO_MEMORY, "no shared memory for a queue");
}

/* Writes what was noted of a kernel at *at, and moves that on. */
static void write_noted(const clspi_launch_queue *queue, clspi_queued_kernel *k, char **at)
{
    const size_t first = (queue->num_units + 1) * sizeof *k->first;

    set_first(k, queue->num_units);
    k->at_values = *at;
    memcpy(*at, k->values, k->num * k->launch_bytes);
    *at += values_bytes(k);
    k->at_first = *at;
    memcpy(*at, k->first, first);
    memcpy(*at + first, k->groups, k->num * sizeof *k->groups);
    *at += first_bytes(queue, k);
}

/* Sets what a kernel has besides the arguments of its launches. */
static clsp_status set_memory(const clspi_launch_queue *queue, const clspi_queued_kernel *k,
                              void *counter, const char *head)
{
    clspi_log *const log = &queue->ctx->log;
    const void *const more[] = {counter, head, k->at_values};

    for (uint32_t i = 0; i < k->num_arguments; i++)
        if (k->memory[i] == queue->target)
            CLSPI_CHECK(clspi_cl(log, clSetKernelArgSVMPointer(k->kernel, i, queue->out),
                                 "clSetKernelArgSVMPointer"));
    for (uint32_t i = 0; i < CLSPI_COUNT(more); i++)
        CLSPI_CHECK(clspi_cl(log,
                             clSetKernelArgSVMPointer(k->kernel, k->num_arguments + i, more[i]),
                             "clSetKernelArgSVMPointer"));
    return CLSP_OK;
}

/* Returns the words between two places. */
static uint32_t words_between(const char *from, const char *to)
{
    return (uint32_t)((size_t)(to - from) / sizeof(uint32_t));
}

/* Enqueues the kernels of a round. */
static clsp_status enqueue_round(clspi_launch_queue *queue, clspi_series *series, void *counter,
                                 char *at)
{
    char *const list = at + (size_t)queue->num_used * (LINE_BYTES + LINE_BYTES);

    memset(list, 0, sizeof(uint32_t));
    for (uint32_t i = 0; i < queue->num_used; i++, at += LINE_BYTES + LINE_BYTES) {
        const clspi_queued_kernel *const k = &queue->kernels[i];
        char *const own = at, *const head = at + LINE_BYTES;
        const uint32_t words[HEAD_WORDS] = {[UNITS] = (uint32_t)queue->num_units,
                                            [TAKEN_BY] = i > 0                 ? TAKE_NOTED
                                                         : queue->num_used > 1 ? TAKE_AND_NOTE
                                                                               : TAKE,
                                            [VALUE_BLOCKS] =
                                                (uint32_t)(k->launch_bytes / CLSPI_VALUE_BYTES),
                                            [FIRST_OF] = words_between(head, k->at_first),
                                            [NOTED] = words_between(head, list),
                                            [ROUND_SHARE] = SHARE};
        memset(own, 0, sizeof(uint32_t));
        memcpy(head, words, sizeof words);
        CLSPI_CHECK(set_memory(queue, k, i > 0 ? own : counter, head));
        CLSPI_CHECK(clspi_series_run(series, k->kernel, groups_of(queue) * k->local, k->local));
    }
    return CLSP_OK;
}

clsp_status clspi_launch_queue_end(clspi_launch_queue *queue, clspi_series *series, void *counter,
                                   clsp_status status)
{
    series->queue = NULL;
    if (status != CLSP_OK || queue->num_used == 0) return status;
    const size_t num_rounds = count_rounds(queue);
    CLSPI_CHECK(reserve(queue, num_rounds));
    char *const rounds = queue->memory, *at = rounds + num_rounds * round_bytes(queue);
    for (uint32_t i = 0; i < queue->num_used; i++)
        write_noted(queue, &queue->kernels[i], &at);
    for (size_t r = 0; r < num_rounds; r++)
        CLSPI_CHECK(enqueue_round(queue, series, counter, rounds + r * round_bytes(queue)));
    return CLSP_OK;
}
