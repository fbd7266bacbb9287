/* The host's code beside plain loops of C. On one core, in processor time: the calling thread makes
   all tiles, or a command of a CPU's queue does. With --workers on so many cores, in wall time:
   calls without a share. */
#include <stdlib.h>
#include <string.h>

#include "host_surfaces.h"
#include "processors_run.h"

static clsp_status run(processors *p)
{
    const uint32_t workers = p->b->workers > 1 ? p->b->workers - 1 : 0; /* beside the caller */
    clsp_status status;
    cl_int code;

    p->memory = aligned_alloc(64, PROCESSORS_ROOM); /* as buffers are */
    if (!p->memory) return bench_check(CLSP_ERROR_NO_MEMORY, "memory of results");
    memset(p->memory, 0, PROCESSORS_ROOM);
    BENCH_TRY(clsp_shared_alloc(p->b->ctx, PROCESSORS_ROOM, &p->shared));
    memset(p->shared, 0, PROCESSORS_ROOM);
    if (p->b->context && p->b->workers == 0) {
        p->buffer = clCreateBuffer(p->b->context, CL_MEM_READ_WRITE, PROCESSORS_ROOM, NULL, &code);
        BENCH_TRY(bench_check(code, "clCreateBuffer"));
    }
    BENCH_TRY(clsp_context_set_workers(p->b->ctx, workers > 0 ? workers : CLSP_NO_WORKERS));
    BENCH_TRY(processors_patches_run(p));
    BENCH_TRY(processors_images_run(p));
    BENCH_TRY(processors_solids_run(p));
    /* Shared loads have no tiles for a caller. */
    BENCH_TRY(clsp_context_set_workers(p->b->ctx, workers > 0 ? workers : 1));
    BENCH_TRY(processors_filters_run(p));

fail:
    if (p->buffer) clReleaseMemObject(p->buffer);
    clsp_shared_free(p->b->ctx, p->shared);
    free(p->memory);
    return status;
}

clsp_status bench_suite_processors(bench *b)
{
    const clsp_context_opts opts = {.device = b->queue ? NULL : "host"};
    bench own = *b; /* with a context of its own, whose refusals are not printed */
    processors p = {.b = &own};
    clsp_status status;

    if (!b->is_cpu) {
        bench_report_note(b->report, "processors: left out, the device is no CPU");
        return CLSP_OK;
    }
    BENCH_TRY(bench_check(clsp_context_create(&own.ctx, b->queue, &opts), "clsp_context_create"));
    const int threads = host_loop_set_threads(b->workers > 0 ? (int)b->workers : 1);
    status = run(&p);
    host_loop_set_threads(threads);
    b->any_case |= own.any_case;
    clsp_context_destroy(&own.ctx);

fail:
    return status;
}
