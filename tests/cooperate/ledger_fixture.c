#include "ledger_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef _Atomic(cl_int) entry;

static bool fails(atomic_int *at)
{
    return atomic_load(at) > 0 && atomic_fetch_sub(at, 1) == 1;
}

static void region(void *user, size_t first, size_t count, size_t *offset, size_t *bytes)
{
    (void)user;
    *offset = first * sizeof(cl_int);
    *bytes = count * sizeof(cl_int);
}

static clsp_status host(void *user, uint32_t worker, size_t first, size_t count)
{
    ledger *const l = user;
    entry *const entries = (entry *)(void *)l->job.out;

    if (worker >= l->num_workers) return CLSP_ERROR_ARGUMENT;
    if (fails(&l->host_fails_at)) return l->fault;
    for (size_t i = first; i < first + count; i++) {
        if (l->job.has_gaps)
            atomic_fetch_add_explicit(&entries[i], 1, memory_order_relaxed);
        else
            atomic_store_explicit(&entries[i], 1, memory_order_relaxed);
    }
    return CLSP_OK;
}

static clsp_status make_kernels(ledger *l, uint32_t device, clsp_context *ctx)
{
    const char *const own = clspi_pop_options(ctx);
    const char *const options = l->options ? l->options : own ? own : "";
    clsp_status status;

    if (l->ready[device]) return CLSP_OK;
    CLSPI_TRY(
        clspi_kernel_create(&l->add[device], ctx, "cooperate_ledger", "", "cooperate_add_ledger"));
    CLSPI_TRY(clspi_kernel_create_grouped(&l->pops[device], ctx, "cooperate_ledger", options,
                                          "cooperate_pop_ledger"));
    l->ready[device] = true;

fail:
    return status;
}

/* Ones, as a kernel of another library would write them. */
static clsp_status fill(clspi_series *series, size_t count, cl_mem buffer, size_t offset)
{
    static const cl_int one = 1;
    cl_event event;
    const cl_int code =
        clEnqueueFillBuffer(series->ctx->queue, buffer, &one, sizeof one, offset,
                            count * sizeof one, series->num_wait, series->wait, &event);

    if (code != CL_SUCCESS) return code;
    return clspi_series_adopt(series, event);
}

static clsp_status enqueue(void *user, uint32_t device, clspi_series *series, size_t first,
                           size_t count, cl_mem buffer, size_t offset)
{
    ledger *const l = user;
    const cl_uint at = (cl_uint)(offset / sizeof(cl_int)), num = (cl_uint)count;
    const clspi_arg args[] = {CLSPI_ARG(buffer), CLSPI_ARG(at), CLSPI_ARG(num)};
    clsp_status status;

    (void)first;
    if (fails(&l->enqueue_fails_at)) return l->fault;
    if (!l->job.has_gaps) return fill(series, count, buffer, offset);
    CLSPI_TRY(make_kernels(l, device, series->ctx));
    CLSPI_TRY(clspi_series_launch(series, &l->add[device], args, CLSPI_COUNT(args), count));

fail:
    return status;
}

static clsp_status persist(void *user, uint32_t device, clspi_series *series, void *counter,
                           size_t num_tiles, void *out)
{
    ledger *const l = user;
    const cl_int tiles = (cl_int)num_tiles;
    const clspi_arg args[] = {CLSPI_ARG_SVM(counter), CLSPI_ARG(tiles), CLSPI_ARG_SVM(out)};
    clsp_status status;

    if (fails(&l->persist_fails_at)) return l->fault;
    CLSPI_TRY(make_kernels(l, device, series->ctx));
    CLSPI_TRY(clspi_series_launch(series, &l->pops[device], args, CLSPI_COUNT(args),
                                  8 * l->pops[device].local));

fail:
    return status;
}

void ledger_init(ledger *l, clsp_context *ctx, size_t num_tiles, void *out, bool filled)
{
    memset(l, 0, sizeof *l);
    l->ctx = ctx;
    l->num_workers = clspi_cooperate_workers(ctx);
    l->fault = CL_OUT_OF_RESOURCES;
    l->job.user = l;
    l->job.num_tiles = num_tiles;
    l->job.out = out;
    l->job.has_gaps = !filled;
    l->job.region = region;
    l->job.host = host;
    l->job.enqueue = enqueue;
    l->job.persist = persist;
    l->job.key = "ledger";
    l->job.tile_size = 1000;
}

void ledger_release(ledger *l)
{
    for (size_t d = 0; d < LEDGER_DEVICES; d++) {
        clspi_kernel_release(&l->add[d]);
        clspi_kernel_release(&l->pops[d]);
    }
}

size_t ledger_run(ledger *l, const clsp_cooperate_opts *opts, clsp_cooperate_report *report,
                  clsp_status *status)
{
    const entry *const entries = (const entry *)(void *)l->job.out;
    size_t wrong = 0;

    l->num_workers = clspi_cooperate_workers(l->ctx);
    memset(l->job.out, 0, l->job.num_tiles * sizeof(cl_int));
    *status = clspi_cooperate(l->ctx, &l->job, opts, report);
    for (size_t i = 0; i < l->job.num_tiles; i++)
        wrong += atomic_load_explicit(&entries[i], memory_order_relaxed) != 1;
    return wrong;
}

void ledger_check_report(const ledger *l, const clsp_cooperate_report *report)
{
    clsp_context *const *contexts;
    uint64_t tiles = 0;

    assert_int_equal(report->num_tiles, l->job.num_tiles);
    assert_int_equal(report->num_processors, clspi_cooperate_devices(l->ctx, &contexts) + 1);
    for (uint32_t p = 0; p < report->num_processors; p++) {
        const clsp_processor_report *const one = &report->processors[p];
        tiles += one->tiles;
        assert_true(one->busy_ms >= 0 && one->move_ms >= 0);
        assert_true(one->chunks <= one->tiles || one->tiles == 0);
        assert_true(one->name[0] != '\0');
        if (!l->may_fail) assert_int_equal(one->status, CLSP_OK);
    }
    assert_int_equal(tiles, l->job.num_tiles);
    assert_string_equal(report->processors[report->num_processors - 1].name, "host");
    assert_true(report->rung > CLSP_RUNG_AUTO && (int)report->rung < CLSP_NUM_RUNGS);
    assert_true(report->wall_ms >= report->prepare_ms && report->prepare_ms >= 0);
    for (int r = CLSP_RUNG_SVM; r <= CLSP_RUNG_HOST; r++)
        assert_true((report->reason[r][0] == '\0') == (r == (int)report->rung));
}

void ledger_check(ledger *l, const clsp_cooperate_opts *opts, clsp_cooperate_report *report)
{
    clsp_cooperate_report own;
    clsp_status status;
    size_t wrong;

    if (!report) report = &own;
    wrong = ledger_run(l, opts, report, &status);
    assert_status(l->ctx, status, CLSP_OK);
    if (wrong > 0) print_error("%s: %zu tiles wrong\n", clsp_rung_name(report->rung), wrong);
    assert_int_equal(wrong, 0);
    ledger_check_report(l, report);
}

size_t ledger_scale(void)
{
    const char *const size = getenv("CLSPLINE_TEST_SIZE");

    return size && strcmp(size, "tiny") == 0 ? 400 : 1;
}
