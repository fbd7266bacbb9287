#include "context_internal.h"

#include <stdlib.h>

#include "cache.h"
#include "check.h"
#include "host_memory.h"
#include "process.h"
#include "profile.h"
#include "program.h"
#include "select.h"

/* Returns the log of a context, NULL of none. It is the one part that calls which only ask may
   change. */
static clspi_log *log_of(const clsp_context *ctx)
{
    return ctx ? &((clsp_context *)ctx)->log : NULL;
}

bool clspi_context_is_inherited(const clsp_context *ctx)
{
    return clspi_log_is_inherited(&ctx->log);
}

clsp_status clspi_context_check(const clsp_context *ctx)
{
    if (!clspi_context_is_inherited(ctx)) return CLSP_OK;
    return clspi_fail(log_of(ctx), CLSP_ERROR_STATE, "%s", clspi_made_before_fork);
}

clsp_status clspi_context_usable(clsp_context *ctx)
{
    CLSPI_CHECK(clspi_context_check(ctx));
    if (!atomic_load(&ctx->lost)) return CLSP_OK;
    return clspi_fail(
        &ctx->log, CLSP_ERROR_DEVICE_LOST,
        "the device failed in an earlier call; destroy the context and make a new one");
}

clsp_status clspi_context_null(const clsp_context *ctx, const char *function)
{
    if (ctx) CLSPI_CHECK(clspi_context_check(ctx));
    return clspi_fail(log_of(ctx), CLSP_ERROR_ARGUMENT, "%s: NULL argument", function);
}

clsp_status clspi_waited(clsp_context *ctx, cl_int code, const char *what)
{
    const clsp_status status = clspi_cl(&ctx->log, code, what);
    if (status == CL_OUT_OF_RESOURCES || status == CL_INVALID_COMMAND_QUEUE ||
        status == CL_DEVICE_NOT_AVAILABLE || status == CLSP_ERROR_DEVICE_LOST)
        atomic_store(&ctx->lost, true);
    return status;
}

/* Takes the caller's queue with its context and device, all retained by retaining the queue and
   context. */
static clsp_status adopt_queue(clsp_context *ctx, cl_command_queue queue,
                               const clsp_context_opts *opts)
{
    cl_command_queue_properties properties = 0;
    cl_device_id device = NULL;
    cl_context context = NULL;

    CLSPI_CHECK(clspi_process_enter_opencl(&ctx->log));
    const char *const why_not = clspi_opencl_open(opts->opencl_function);
    if (why_not) return clspi_fail(&ctx->log, CLSP_ERROR_NO_DEVICE, "the queue: %s", why_not);
    CLSPI_CHECK(clspi_cl(
        &ctx->log, clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
        "the queue's context"));
    CLSPI_CHECK(clspi_cl(
        &ctx->log, clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL),
        "the queue's device"));
    CLSPI_CHECK(clspi_cl(
        &ctx->log,
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
        "the queue's properties"));
    CLSPI_CHECK(clspi_cl(&ctx->log, clRetainContext(context), "clRetainContext"));
    ctx->context = context;
    CLSPI_CHECK(clspi_cl(&ctx->log, clRetainCommandQueue(queue), "clRetainCommandQueue"));
    ctx->queue = queue;
    atomic_store(&ctx->gated, true); /* as it is, perhaps, already */
    ctx->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    clspi_profile_query(&ctx->device, device);
    clspi_graphics_adopt_context(&ctx->graphics, context, device, opts->graphics);
    return CLSP_OK;
}

static clsp_status open_device(clsp_context *ctx, const clsp_context_opts *opts, const char *limits)
{
    const clspi_wish wish = {.words = opts->device,
                             .uuid = opts->graphics ? opts->graphics->device_uuid : NULL,
                             .address = opts->opencl_function,
                             .is_opencl = clspi_profile_has_class(limits)};
    cl_int code;

    ctx->in_order = true;
    CLSPI_CHECK(clspi_select(&ctx->device, &wish, &ctx->log));
    if (ctx->device.device_class == CLSP_CLASS_HOST) {
        clspi_graphics_none(&ctx->graphics);
        return CLSP_OK;
    }
    CLSPI_CHECK(clspi_graphics_create_context(&ctx->context, &ctx->graphics, ctx->device.id,
                                              opts->graphics, &ctx->log));
    /* The 1.2 call: implementations of OpenCL 1.2 have no other. Mesa's Mali and V3D drivers list
       profiling among what their queues can do and then refuse it. */
    ctx->queue =
        clCreateCommandQueue(ctx->context, ctx->device.id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code == CL_INVALID_QUEUE_PROPERTIES)
        ctx->queue = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
    return clspi_cl(&ctx->log, code, "clCreateCommandQueue");
}

static clsp_status open_context(clsp_context *ctx, cl_command_queue queue,
                                const clsp_context_opts *opts)
{
    static const char variable[] = "CLSPLINE_LIMITS";
    const char *const limits = opts->limits ? opts->limits : getenv(variable);
    const char *const source = opts->limits ? "limits" : variable;

    CLSPI_CHECK(queue ? adopt_queue(ctx, queue, opts) : open_device(ctx, opts, limits));
    ctx->is_cpu = clspi_is_host_cpu(&ctx->device);
    CLSPI_CHECK(clspi_profile_narrow(&ctx->device, limits, source, &ctx->log));
    ctx->tuning = clspi_tuning_for(&ctx->device);
    clspi_cache_open(&ctx->cache_dir, opts->cache_dir, &ctx->log);
    ctx->keeps_binaries = ctx->cache_dir && clspi_keeps_binaries(&ctx->device);
    clspi_message(&ctx->log, CLSP_LOG_INFO, "device: %s: %s (%s)", ctx->device.platform,
                  ctx->device.name, ctx->device.driver);
    return CLSP_OK;
}

/* Makes an empty context with its locks; NULL without memory. */
static clsp_context *create_empty(const clsp_context_opts *opts)
{
    clsp_context *const ctx = calloc(1, sizeof *ctx);

    if (!ctx) return NULL;
    if (clspi_log_init(&ctx->log, opts->log, opts->log_user) != CLSP_OK) goto fail_log;
    if (pthread_mutex_init(&ctx->programs_lock, NULL) != 0) goto fail_programs;
    return ctx;

fail_programs:
    clspi_log_release(&ctx->log);
fail_log:
    free(ctx);
    return NULL;
}

clsp_status clsp_context_create(clsp_context **out, cl_command_queue queue,
                                const clsp_context_opts *opts)
{
    static const clsp_context_opts defaults = {0};

    if (!out) return clspi_fail(NULL, CLSP_ERROR_ARGUMENT, "clsp_context_create: ctx is NULL");
    *out = NULL;
    if (!opts) opts = &defaults;
    CLSPI_CHECK(clspi_reserved_check_some(NULL, "clsp_context_opts", opts->reserved,
                                          CLSPI_COUNT(opts->reserved)));
    CLSPI_CHECK(clspi_graphics_check(opts->graphics));
    CLSPI_CHECK(clspi_process_begin("clsp_context_create"));
    clsp_context *ctx = create_empty(opts);
    if (!ctx) return clspi_fail(NULL, CLSP_ERROR_NO_MEMORY, "clsp_context_create: no memory");
    const clsp_status status = open_context(ctx, queue, opts);
    if (status == CLSP_OK) {
        *out = ctx;
        return CLSP_OK;
    }
    clspi_fail(NULL, status, "%s", ctx->log.last);
    clsp_context_destroy(&ctx);
    return status;
}

void clsp_context_destroy(clsp_context **ptr)
{
    clsp_context *const ctx = ptr ? *ptr : NULL;

    if (!ctx) return;
    *ptr = NULL;
    if (clspi_context_is_inherited(ctx)) return;
    clspi_context_helper *const set = atomic_load(&ctx->device_set);
    if (set) set->release(set);
    clspi_programs_release(ctx);
    if (ctx->queue) clReleaseCommandQueue(ctx->queue);
    if (ctx->context) clReleaseContext(ctx->context);
    free(ctx->cache_dir);
    pthread_mutex_destroy(&ctx->programs_lock);
    clspi_log_release(&ctx->log);
    free(ctx);
}

cl_command_queue clsp_context_queue(const clsp_context *ctx)
{
    return ctx && clspi_context_check(ctx) == CLSP_OK ? ctx->queue : NULL;
}

clsp_status clsp_context_finish(clsp_context *ctx)
{
    if (!ctx) return clspi_context_null(ctx, "clsp_context_finish");
    CLSPI_CHECK(clspi_context_usable(ctx));
    return ctx->queue ? clspi_waited(ctx, clFinish(ctx->queue), "clFinish") : CLSP_OK;
}

clsp_status clsp_context_device(const clsp_context *ctx, clsp_device_info *info)
{
    if (!ctx || !info) return clspi_context_null(ctx, "clsp_context_device");
    CLSPI_CHECK(clspi_context_check(ctx));
    *info = ctx->device;
    return CLSP_OK;
}

size_t clsp_context_last_error(const clsp_context *ctx, char *text, size_t size)
{
    return clspi_last_error(log_of(ctx), text, size);
}
