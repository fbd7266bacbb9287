#include "shared_memory.h"

#include <stdlib.h>

#include "check.h"
#include "host_memory.h"

enum { ALIGNMENT = 4096 };

/* One allocation; its memory begins at the first multiple of ALIGNMENT in it. */
typedef struct clspi_block {
    struct clspi_block *next;
    char *memory;
    size_t bytes;
    void *plain; /* of malloc */
    void *svm;   /* of clSVMAlloc */
    clspi_pinned pinned;
} clspi_block;

/* Gives the first multiple of ALIGNMENT from base on. */
static char *align(void *base)
{
    char *const at = base;
    const size_t over = (size_t)(uintptr_t)at % ALIGNMENT;

    return over ? at + (ALIGNMENT - over) : at;
}

/* ---- the kinds ---- */

/* Gives a block fine-grain SVM for atomics; NULL where the device has none. */
static void *make_svm(clspi_block *block, clsp_context *ctx, size_t whole)
{
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;

    if (ctx->device.device_class == CLSP_CLASS_DISCRETE || (ctx->device.svm & both) != both)
        return NULL;
    block->svm =
        clSVMAlloc(ctx->context,
                   CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, whole, 0);
    if (!block->svm)
        clspi_message(&ctx->log, CLSP_LOG_WARNING,
                      "cooperate: no shared virtual memory of %zu bytes; plain memory instead",
                      whole);
    return block->svm;
}

/* Gives a block pinned memory of a discrete GPU, into which alone transfers run at full speed and
   beside its kernels; OpenCL has it as a buffer that stays mapped. NULL elsewhere. */
static void *make_pinned(clspi_block *block, clsp_context *ctx, size_t whole)
{
    if (ctx->device.device_class != CLSP_CLASS_DISCRETE) return NULL;
    return clspi_pinned_reserve(&block->pinned, ctx, ctx->queue, whole) ? block->pinned.at : NULL;
}

static void release_block(clspi_block *block, clsp_context *ctx)
{
    if (block->svm) clSVMFree(ctx->context, block->svm);
    clspi_pinned_release(&block->pinned);
    free(block->plain);
    free(block);
}

/* Makes a block of the best kind of memory that there is. */
static clsp_status make_block(clsp_context *ctx, size_t bytes, clspi_block **made)
{
    const size_t whole = bytes + ALIGNMENT;
    clspi_block *const block = calloc(1, sizeof *block);
    void *base;

    *made = NULL;
    if (!block || whole < bytes) goto fail;
    block->bytes = bytes;
    base = make_svm(block, ctx, whole);
    if (!base) base = make_pinned(block, ctx, whole);
    if (!base) base = block->plain = malloc(whole);
    if (!base) goto fail;
    block->memory = align(base);
    *made = block;
    return CLSP_OK;

fail:
    free(block);
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "clsp_shared_alloc: no %zu bytes", bytes);
}

/* ---- the list of blocks ---- */

clsp_status clsp_shared_alloc(clsp_context *ctx, size_t bytes, void **memory)
{
    clspi_device_set *set;
    clspi_block *block;

    if (memory) *memory = NULL;
    if (!ctx || !memory) return clspi_context_null(ctx, "clsp_shared_alloc");
    CLSPI_CHECK(clspi_context_check(ctx));
    if (bytes == 0) return CLSP_OK;
    CLSPI_CHECK(clspi_device_set_of(ctx, &set));
    CLSPI_CHECK(make_block(ctx, bytes, &block));
    pthread_mutex_lock(&set->blocks_lock);
    block->next = set->blocks;
    set->blocks = block;
    pthread_mutex_unlock(&set->blocks_lock);
    *memory = block->memory;
    return CLSP_OK;
}

/* Takes a block out of the list; NULL for memory that is none. */
static clspi_block *unlink_block(clspi_device_set *set, const void *memory)
{
    clspi_block *found = NULL;

    pthread_mutex_lock(&set->blocks_lock);
    for (clspi_block **at = &set->blocks; *at && !found;) {
        if ((*at)->memory == memory) {
            found = *at;
            *at = found->next;
        } else {
            at = &(*at)->next;
        }
    }
    pthread_mutex_unlock(&set->blocks_lock);
    return found;
}

void clsp_shared_free(clsp_context *ctx, void *memory)
{
    clspi_device_set *set;
    clspi_block *block;

    if (!ctx || !memory || clspi_context_check(ctx) != CLSP_OK ||
        clspi_device_set_of(ctx, &set) != CLSP_OK)
        return;
    block = unlink_block(set, memory);
    if (block)
        release_block(block, ctx);
    else
        clspi_message(&ctx->log, CLSP_LOG_WARNING,
                      "clsp_shared_free: that is no memory of clsp_shared_alloc");
}

/* Tells whether memory lies in a block of the set; svm: in one of fine-grain SVM. */
static bool is_in_block(clspi_device_set *set, const void *memory, bool svm)
{
    const char *const at = memory;
    bool found = false;

    pthread_mutex_lock(&set->blocks_lock);
    for (const clspi_block *b = set->blocks; b && !found; b = b->next)
        found = (b->svm || !svm) && at >= b->memory && at < b->memory + b->bytes;
    pthread_mutex_unlock(&set->blocks_lock);
    return found;
}

bool clspi_shared_holds(clspi_device_set *set, const void *memory)
{
    return is_in_block(set, memory, true);
}

bool clspi_shared_owns(clspi_device_set *set, const void *memory)
{
    return is_in_block(set, memory, false);
}

bool clspi_shared_is_pinned(clsp_context *ctx, const void *memory, size_t bytes)
{
    clspi_device_set *const set = (clspi_device_set *)atomic_load(&ctx->device_set);
    const char *const at = memory;
    bool found = false;

    if (!set) return false;
    pthread_mutex_lock(&set->blocks_lock);
    for (const clspi_block *b = set->blocks; b && !found; b = b->next)
        found = b->pinned.buffer && at >= b->memory && at < b->memory + b->bytes &&
                bytes <= (size_t)(b->memory + b->bytes - at);
    pthread_mutex_unlock(&set->blocks_lock);
    return found;
}

void clspi_shared_release_all(clspi_device_set *set)
{
    while (set->blocks) {
        clspi_block *const block = set->blocks;
        set->blocks = block->next;
        release_block(block, set->ctx);
    }
}
