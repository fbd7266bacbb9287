#include "lone_call.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "job.h"

/* Names the devices that could have taken part, and the host. */
static void name_processors(clsp_context *ctx, clsp_report *report)
{
    clsp_context *const *contexts;
    const uint32_t known = clspi_cooperate_devices(ctx, &contexts), num = known > 0 ? known : 1;

    report->num_processors = num + 1;
    for (uint32_t i = 0; i <= num; i++)
        snprintf(report->processors[i].name, sizeof report->processors[i].name, "%s",
                 i == 0    ? ctx->device.name
                 : i < num ? contexts[i]->device.name
                           : "host");
}

static void report_alone(const clspi_plan *plan, const clspi_lone_call *call, double ms,
                         bool measured, clsp_report *report)
{
    const clsp_schedule schedule = call->by_host ? CLSP_SCHEDULE_HOST : CLSP_SCHEDULE_DEVICE;

    memset(report, 0, sizeof *report);
    report->schedule = measured ? CLSP_SCHEDULE_DEFAULT : schedule;
    for (int s = CLSP_SCHEDULE_SVM; s < CLSP_NUM_SCHEDULES; s++)
        if (s != (int)schedule)
            snprintf(report->reason[s], sizeof report->reason[s], "%s", call->why);
    report->num_tiles = call->num_tiles;
    name_processors(plan->ctx, report);
    clsp_processor_report *const alone =
        &report->processors[call->by_host ? report->num_processors - 1 : 0];
    alone->workers = call->by_host ? clspi_cooperate_workers(plan->ctx) : 1;
    alone->tiles = alone->chunks = call->num_tiles;
    report->wall_ms = alone->busy_ms = ms;
}

clsp_status clspi_shared_alone(clspi_plan *plan, const clspi_lone_call *call, const clsp_run *run)
{
    const double begin = clspi_now_ms(), built = clspi_programs_ms(plan->ctx);

    if (run->share->measure && !clspi_is_own_cpu(plan->ctx))
        return clspi_fail(&plan->ctx->log, CLSP_ERROR_ARGUMENT, "%s: not measured: %s",
                          plan->family, call->why);
    CLSPI_CHECK(clspi_run_wait(plan, run));
    CLSPI_CHECK(call->run(call->user));
    if (run->report) {
        report_alone(plan, call, clspi_now_ms() - begin, run->share->measure != 0, run->report);
        run->report->build_ms = clspi_programs_ms(plan->ctx) - built;
    }
    return clspi_run_done(plan, run);
}
