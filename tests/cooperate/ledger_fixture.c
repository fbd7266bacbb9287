#include "ledger_fixture.h"

#include <string.h>

#include "check.h"
#include "kernel_arguments.h"
#include "svm_atomics.h"

typedef _Atomic(cl_int) entry;

static bool fails(atomic_int *at)
{
    return atomic_load(at) > 0 && atomic_fetch_sub(at, 1) == 1;
}

static clsp_range region(void *user, clsp_range tiles)
{
    const clsp_range place = {tiles.first * sizeof(cl_int), tiles.count * sizeof(cl_int)};

    (void)user;
    return place;
}

static clsp_status host(void *user, uint32_t worker, clsp_range tiles)
{
    ledger *const l = user;
    entry *const entries = (entry *)(void *)l->job.out;

    if (worker >= l->num_workers) return CLSP_ERROR_ARGUMENT;
    if (fails(&l->host_fails_at)) return l->fault;
    for (size_t i = tiles.first; i < tiles.first + tiles.count; i++) {
        if (l->job.has_gaps)
            atomic_fetch_add_explicit(&entries[i], 1, memory_order_relaxed);
        else
            atomic_store_explicit(&entries[i], 1, memory_order_relaxed);
    }
    return CLSP_OK;
}

static clsp_status make_kernels(ledger *l, uint32_t device, clsp_context *ctx)
{
    const clspi_options none = {.used = 0};
    clspi_options options = none;

    if (l->ready[device]) return CLSP_OK;
    if (l->options)
        options = clspi_options_after(l->options);
    else
        clspi_svm_atomics(ctx, &options);
    CLSPI_CHECK(clspi_kernel_create(&l->add[device], ctx, "tile_ledger",
                                    &clspi_add_ledger_signature, &none));
    CLSPI_CHECK(clspi_kernel_create_grouped(&l->take[device], ctx, "tile_ledger",
                                            &clspi_take_ledger_signature, &options));
    l->ready[device] = true;
    return CLSP_OK;
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

static clsp_status enqueue(void *user, uint32_t device, clspi_series *series,
                           const clspi_chunk *chunk)
{
    ledger *const l = user;
    const size_t count = chunk->tiles.count;
    const clspi_add_ledger_args args = {.ledger = chunk->out,
                                        .first = (cl_uint)(chunk->out_offset / sizeof(cl_int)),
                                        .count = (cl_uint)count};

    if (fails(&l->enqueue_fails_at)) return l->fault;
    if (!l->job.has_gaps) return fill(series, count, chunk->out, chunk->out_offset);
    CLSPI_CHECK(make_kernels(l, device, series->ctx));
    return clspi_launch_add_ledger(series, &l->add[device], &args, count);
}

static clsp_status persistent(void *user, uint32_t device, clspi_series *series, void *counter,
                              size_t num_tiles, void *out)
{
    ledger *const l = user;
    const clspi_take_ledger_args args = {
        .counter = counter, .num_tiles = (cl_int)num_tiles, .ledger = out};

    if (fails(&l->persistent_fails_at)) return l->fault;
    CLSPI_CHECK(make_kernels(l, device, series->ctx));
    return clspi_launch_take_ledger(series, &l->take[device], &args, 8 * l->take[device].local);
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
    l->job.persistent = persistent;
    l->job.key = "ledger";
    l->job.tile_size = 1000;
}

void ledger_release(ledger *l)
{
    for (size_t d = 0; d < LEDGER_DEVICES; d++) {
        clspi_kernel_release(&l->add[d]);
        clspi_kernel_release(&l->take[d]);
    }
}

size_t ledger_run(ledger *l, const clsp_share *opts, clsp_report *report, clsp_status *status)
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

void ledger_check_report(const ledger *l, const clsp_report *report)
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
    assert_true(report->schedule > CLSP_SCHEDULE_DEFAULT &&
                (int)report->schedule < CLSP_NUM_SCHEDULES);
    assert_true(report->wall_ms >= report->prepare_ms && report->prepare_ms >= 0);
    for (int s = CLSP_SCHEDULE_SVM; s <= CLSP_SCHEDULE_HOST; s++)
        assert_true((report->reason[s][0] == '\0') == (s == (int)report->schedule));
}

void ledger_check(ledger *l, const clsp_share *opts, clsp_report *report)
{
    clsp_report own;
    clsp_status status;
    size_t wrong;

    if (!report) report = &own;
    wrong = ledger_run(l, opts, report, &status);
    assert_status(l->ctx, status, CLSP_OK);
    if (wrong > 0)
        print_error("%s: %zu tiles wrong\n", clsp_schedule_name(report->schedule), wrong);
    assert_int_equal(wrong, 0);
    ledger_check_report(l, report);
}

size_t ledger_scale(void)
{
    return support_tiny() ? 400 : 1;
}

bool ledger_joins_run_here(void)
{
    return strcmp(support_device().platform, "Oclgrind") != 0;
}
