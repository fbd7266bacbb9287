#include "plan.h"

#include "buffer.h"
#include "check.h"

clsp_status clspi_null_argument(const clspi_plan *plan, const char *function)
{
    return clspi_fail(plan ? &plan->ctx->log : NULL, CLSP_ERROR_ARGUMENT, "%s: NULL argument",
                      function);
}

/* ---- checks ---- */

static clsp_status check_sync(clsp_context *ctx, const clsp_sync *sync)
{
    if (!sync) return CLSP_OK;
    if (sync->reserved[0] || sync->reserved[1])
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "sync: a reserved field is not 0");
    return clspi_wait_list_check(ctx, sync->num_wait, sync->wait);
}

clsp_status clspi_call_check(const clspi_plan *plan, const clsp_sync *sync)
{
    CLSPI_CHECK(clspi_context_usable(plan->ctx));
    if (plan->broken)
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_STATE,
                          "%s: the plan's last change failed; change it again or destroy it",
                          plan->family);
    return check_sync(plan->ctx, sync);
}

clsp_status clspi_change_check(const clspi_plan *plan)
{
    return clspi_context_usable(plan->ctx);
}

/* ---- a call ---- */

clsp_status clspi_call_begin(clspi_call *call, clspi_plan *plan, const clsp_sync *sync)
{
    *call = (clspi_call){.plan = plan};
    if (sync) call->sync = *sync;
    clspi_series_begin(&call->series, plan->ctx, call->sync.num_wait, call->sync.wait,
                       call->sync.done);
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
    if (!call->sync.done) return CLSP_OK;
    CLSPI_CHECK(clspi_cl(&plan->ctx->log, clRetainEvent(last), "clRetainEvent"));
    *call->sync.done = last;
    return CLSP_OK;
}

clsp_status clspi_call_end(clspi_call *call, clsp_status status)
{
    if (status != CLSP_OK) return clspi_series_fail(&call->series, status);
    return call->plan->ctx->in_order ? clspi_series_end(&call->series, call->sync.done)
                                     : end_out_of_order(call);
}

clsp_status clspi_call_finish(clspi_call *call, clsp_status status)
{
    cl_event *const done = call->sync.done;

    CLSPI_CHECK(clspi_call_end(call, status));
    if (!done) return CLSP_OK;
    const cl_int code = clWaitForEvents(1, done);
    if (code == CL_SUCCESS) return CLSP_OK;
    clReleaseEvent(*done);
    *done = NULL;
    return clspi_waited(call->plan->ctx, code, "clWaitForEvents");
}

clsp_status clspi_call_on_host(clspi_plan *plan, const clsp_sync *sync)
{
    clspi_call call;

    if (!sync) return CLSP_OK;
    if (sync->num_wait > 0) {
        const cl_int code = clWaitForEvents(sync->num_wait, sync->wait);
        if (code != CL_SUCCESS) return clspi_waited(plan->ctx, code, "clWaitForEvents");
    }
    if (!sync->done) return CLSP_OK;
    CLSPI_CHECK(clspi_call_begin(&call, plan, sync));
    return clspi_call_finish(&call, CLSP_OK);
}

void clspi_plan_release(clspi_plan *plan)
{
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
}
