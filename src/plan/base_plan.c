#include "base_plan.h"

#include <pthread.h>

#include "buffer.h"
#include "check.h"
#include "host_device.h"
#include "host_pieces.h"
#include "job.h"

enum { BESIDE_BYTES_MIN = 1 << 18 }; /* what is brought beside kernels: below, events cost more */

clsp_status clspi_plan_init(clspi_plan *plan, clsp_context *ctx, const char *family)
{
    *plan = (clspi_plan){.ctx = ctx, .family = family};
    for (uint32_t i = 0; i < CLSPI_HOST_WORKERS; i++)
        atomic_flag_clear(&plan->callers[i]);
    atomic_flag_clear(&plan->has_noted);
    if (pthread_mutex_init(&plan->lock, NULL) == 0) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "%s: no memory for a lock", family);
}

clsp_status clspi_null_argument(const clspi_plan *plan, const char *function)
{
    return clspi_context_null(plan ? plan->ctx : NULL, function);
}

/* ---- checks ---- */

clsp_status clspi_run_check(clsp_context *ctx, const clsp_run *run)
{
    if (!run) return CLSP_OK;
    CLSPI_CHECK(clspi_reserved_check(&ctx->log, "clsp_run", run->reserved));
    CLSPI_CHECK(clspi_wait_list_check(ctx, run->num_wait, run->wait));
    if (run->done) CLSPI_CHECK(clspi_needs_opencl(ctx, "events"));
    if (run->share) return clspi_cooperate_check(ctx, run->share);
    if (!run->report) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "clsp_run: a report without a share");
}

clsp_status clspi_later_check(const clspi_plan *plan)
{
    if (atomic_load(&plan->failed_later) == 0) return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                      "%s: a call before found no memory when its turn came; change or load the"
                      " plan again",
                      plan->family);
}

clsp_status clspi_call_check(const clspi_plan *plan, const clsp_run *run)
{
    CLSPI_CHECK(clspi_context_usable(plan->ctx));
    if (plan->broken)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_STATE,
                          "%s: the plan's last change failed; change it again or destroy it",
                          plan->family);
    CLSPI_CHECK(clspi_later_check(plan));
    return clspi_run_check(plan->ctx, run);
}

clsp_status clspi_unshared_check(const clspi_plan *plan, const clsp_run *run, const char *call)
{
    if (!run || !run->share) return CLSP_OK;
    return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT, "%s: %s is not shared", plan->family,
                      call);
}

clsp_status clspi_setting_check(const clspi_plan *plan, const clsp_run *run, const char *call)
{
    if (clspi_run_asks(run))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT, "%s: %s has no tiling",
                          plan->family, call);
    return clspi_unshared_check(plan, run, call);
}

void clspi_plan_settle(clspi_plan *plan)
{
    if (!plan->later) return;
    clWaitForEvents(1, &plan->later);
    clReleaseEvent(plan->later);
    plan->later = NULL;
    atomic_exchange(&plan->failed_later, 0);
}

clsp_status clspi_plan_catch_up(const clspi_plan *plan)
{
    if (plan->later) clWaitForEvents(1, &plan->later);
    return clspi_later_check(plan);
}

clsp_status clspi_change_check(clspi_plan *plan)
{
    CLSPI_CHECK(clspi_context_usable(plan->ctx)); /* no waiting in a forked process */
    clspi_plan_settle(plan);
    return CLSP_OK;
}

bool clspi_run_asks(const clsp_run *run)
{
    return run && run->tiling;
}

clsp_status clspi_run_report(const clsp_run *run, size_t elements)
{
    *run->tiling = (clsp_tiling){.num_tiles = 1, .elements = {0, elements}};
    return CLSP_OK;
}

/* ---- a call ---- */

clsp_status clspi_call_begin(clspi_call *call, clspi_plan *plan, const clsp_run *run)
{
    *call = (clspi_call){.plan = plan};
    if (run) call->run = *run;
    clspi_series_begin(&call->series, plan->ctx, call->run.num_wait, call->run.wait,
                       call->run.done);
    if (!plan->last) return CLSP_OK;
    const clsp_status status = clspi_series_join(&call->series, plan->last);
    return status == CLSP_OK ? CLSP_OK : clspi_series_fail(&call->series, status);
}

/* Keeps the event of an out-of-order queue's last command for the next call. */
static clsp_status end_out_of_order(clspi_call *call)
{
    clspi_plan *const plan = call->plan;
    cl_event last = NULL;

    CLSPI_CHECK(clspi_series_end(&call->series, &last));
    if (plan->last) clReleaseEvent(plan->last);
    plan->last = last;
    if (!call->run.done) return CLSP_OK;
    CLSPI_CHECK(clspi_cl(&plan->ctx->log, clRetainEvent(last), "clRetainEvent"));
    *call->run.done = last;
    return CLSP_OK;
}

clsp_status clspi_call_end(clspi_call *call, clsp_status status)
{
    if (status != CLSP_OK) return clspi_series_fail(&call->series, status);
    return call->plan->ctx->in_order ? clspi_series_end(&call->series, call->run.done)
                                     : end_out_of_order(call);
}

clsp_status clspi_call_finish(clspi_call *call, clsp_status status)
{
    cl_event *const done = call->run.done;

    CLSPI_CHECK(clspi_call_end(call, status));
    if (!done) return CLSP_OK;
    const int32_t code = clWaitForEvents(1, done);
    if (code == CL_SUCCESS) return CLSP_OK;
    clReleaseEvent(*done);
    *done = NULL;
    return clspi_waited(call->plan->ctx, code, "clWaitForEvents");
}

clsp_status clspi_run_wait(const clspi_plan *plan, const clsp_run *run)
{
    if (!run || run->num_wait == 0) return CLSP_OK;
    const int32_t code = clWaitForEvents(run->num_wait, run->wait);
    return code == CL_SUCCESS ? CLSP_OK : clspi_waited(plan->ctx, code, "clWaitForEvents");
}

clsp_status clspi_plan_await(const clspi_plan *plan, const clsp_run *run)
{
    clspi_series none;

    CLSPI_CHECK(clspi_run_wait(plan, run));
    clspi_series_begin(&none, plan->ctx, plan->last != NULL, &plan->last, NULL);
    return clspi_series_await(&none);
}

clsp_status clspi_run_done(clspi_plan *plan, const clsp_run *run)
{
    clspi_call call;

    if (!run || !run->done) return CLSP_OK;
    pthread_mutex_lock(&plan->lock);
    clsp_status status = clspi_call_begin(&call, plan, run);
    if (status == CLSP_OK) status = clspi_call_finish(&call, CLSP_OK);
    pthread_mutex_unlock(&plan->lock);
    return status;
}

void clspi_run_undo(const clsp_run *run)
{
    if (!run || !run->done || !*run->done) return;
    clReleaseEvent(*run->done);
    *run->done = NULL;
}

clsp_status clspi_call_on_host(clspi_plan *plan, const clsp_run *run)
{
    CLSPI_CHECK(clspi_run_wait(plan, run));
    return clspi_run_done(plan, run);
}

/* ---- what shared jobs bring ---- */

/* Tells whether bytes are written beside kernels, and makes the queue for that. */
static bool writes_beside(clspi_plan *plan, size_t bytes)
{
    clsp_context *const ctx = plan->ctx;
    int32_t code;

    if (clspi_is_unified(&ctx->device) || bytes < BESIDE_BYTES_MIN) return false;
    if (!plan->writes_tried) {
        plan->writes_tried = true;
        plan->writes = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
        if (code != CL_SUCCESS) plan->writes = NULL;
    }
    return plan->writes != NULL;
}

/* Enqueues the writing of a buffer that kernels have read which were enqueued before the last one
   was written, and lets the series wait for it. */
static clsp_status write_beside(clspi_plan *plan, clspi_series *series, clspi_uploaded *brought,
                                cl_mem buffer, const char *from, size_t bytes)
{
    clspi_log *const log = &plan->ctx->log;
    cl_event written = NULL, before = NULL;

    CLSPI_CHECK(clspi_cl(log, clEnqueueMarkerWithWaitList(plan->ctx->queue, 0, NULL, &before),
                         "clEnqueueMarkerWithWaitList"));
    const int32_t code = clEnqueueWriteBuffer(plan->writes, buffer, CL_FALSE, 0, bytes, from,
                                              brought->before ? 1 : 0,
                                              brought->before ? &brought->before : NULL, &written);
    if (brought->before) clReleaseEvent(brought->before);
    brought->before = before;
    CLSPI_CHECK(clspi_cl(log, code, "clEnqueueWriteBuffer"));
    clsp_status status = clspi_cl(log, clFlush(plan->writes), "clFlush");
    if (status == CLSP_OK) status = clspi_series_join(series, written);
    if (status != CLSP_OK) clFinish(plan->writes); /* the memory is the caller's */
    clReleaseEvent(written);
    return status;
}

clsp_status clspi_plan_upload(clspi_plan *plan, clspi_series *series, uint32_t i, const char *from,
                              size_t bytes, cl_mem *buffer)
{
    clspi_uploaded *const brought = &plan->brought[i];
    const bool beside = writes_beside(plan, bytes);

    if (beside) brought->slot = 1 - brought->slot;
    clspi_staging *const staging = &plan->staging[brought->slot][i];
    CLSPI_CHECK(clspi_buffer_reserve(&staging->buffer, &staging->bytes, series->ctx, bytes));
    *buffer = staging->buffer;
    return beside ? write_beside(plan, series, brought, staging->buffer, from, bytes)
                  : clspi_series_write_later(series, staging->buffer, 0, from, bytes);
}

/* ---- the end ---- */

void clspi_plan_release(clspi_plan *plan)
{
    clspi_plan_settle(plan);
    clspi_launch_queue_release(&plan->queue);
    if (plan->last) clReleaseEvent(plan->last);
    plan->last = NULL;
    for (int slot = 0; slot < CLSPI_PARTS_IN_FLIGHT; slot++) {
        for (int i = 0; i < CLSPI_MAX_STREAMS; i++) {
            clspi_staging *const staging = &plan->staging[slot][i];
            clspi_buffer_release(&staging->buffer);
            clspi_pinned_release(&staging->pinned);
        }
    }
    if (plan->reads) clReleaseCommandQueue(plan->reads);
    plan->reads = NULL;
    for (int i = 0; i < CLSPI_MAX_STREAMS; i++)
        if (plan->brought[i].before) clReleaseEvent(plan->brought[i].before);
    if (plan->writes) clReleaseCommandQueue(plan->writes);
    plan->writes = NULL;
    pthread_mutex_destroy(&plan->lock);
}

void clspi_pieces_on_host(const clspi_plan *plan, size_t num, void (*fn)(void *user, size_t piece),
                          void *user)
{
    clspi_host_pieces(plan->ctx, num, fn, user);
}
