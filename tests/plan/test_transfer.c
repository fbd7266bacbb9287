/* Calls on host memory of every kind of device, in place and staged, in one part and in many: lines
   are copied from one memory to another, which begin anywhere and end before a page that nobody may
   touch; inputs are read-only. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "../support.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <clspline/graphics.h>
#include <clspline/share.h>

#include "check.h"
#include "transfer.h"

enum { PAGE = 4096, REALS = 37 /* of a line */, LINE = REALS * sizeof(float) };

/* ---- memory ---- */

/* Bytes between poison and a page without access, at any place. */
typedef struct region {
    char *all;
    size_t whole; /* bytes up to the last page */
    char *at;
    size_t bytes, behind;
} region;

/* Makes a region that ends so many bytes before the last page. */
static region make_region(size_t bytes, size_t behind)
{
    region r = {.bytes = bytes, .behind = behind};

    r.whole = clspi_round_up(bytes + behind + PAGE, PAGE);
    r.all = mmap(NULL, r.whole + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(r.all != MAP_FAILED);
    assert_int_equal(mprotect(r.all + r.whole, PAGE, PROT_NONE), 0);
    support_poison(r.all, r.whole);
    r.at = r.all + r.whole - behind - bytes;
    return r;
}

static void check_guards(const region *r)
{
    assert_true(support_poisoned(r->all, (size_t)(r->at - r->all)));
    assert_true(support_poisoned(r->at + r->bytes, r->behind));
}

static void free_region(const region *r)
{
    assert_int_equal(munmap(r->all, r->whole + PAGE), 0);
}

/* ---- a job ---- */

/* Lines that are copied; of a part with gaps all but the first. */
typedef struct copy_job {
    clspi_plan plan;
    clspi_job_streams streams; /* output, input */
    region out, in;
    bool gaps;
    bool is_graphics;  /* the output is a staged buffer of graphics */
    bool *left;        /* [lines] lines that were left as they are */
    size_t parts;      /* that were made, */
    size_t wrapped[2]; /* and those in place, of each stream */
} copy_job;

static clsp_status copy_lines(void *user, clspi_series *series, const clspi_part *part)
{
    copy_job *const job = user;
    const clspi_stream *const out = &job->streams.stream[0], *const in = out + 1;
    const size_t skip = job->gaps ? 1 : 0;

    job->parts++;
    for (int i = 0; i < 2; i++)
        job->wrapped[i] += job->streams.stream[i].wrapped != NULL;
    if (job->gaps) job->left[part->before] = true;
    return clspi_series_copy(series, in->buffer, in->offset * sizeof(float) + skip * LINE,
                             out->buffer, out->offset * sizeof(float) + skip * LINE,
                             (part->num_lines - skip) * LINE);
}

static void fill_input(const region *in)
{
    uint64_t seed = in->bytes + 1;

    for (size_t i = 0; i < in->bytes; i++)
        in->at[i] = (char)(support_random(&seed) % 100);
    assert_int_equal(mprotect(in->all, in->whole, PROT_READ), 0);
}

static clsp_status carry_out(copy_job *job, size_t lines, const clsp_run *sync)
{
    const clspi_memory_need need = {"lines", CLSP_F32, lines * REALS};
    clsp_output out = {.type = CLSP_F32, .host = job->out.at, .size = lines * REALS};
    clsp_graphics *graphics = NULL;
    const clsp_input in = {.type = CLSP_F32, .host = job->in.at, .size = lines * REALS};
    const clspi_cut cut = {.per_piece = clspi_max(1, lines), .left = lines};
    clspi_stream *const stream = job->streams.stream;

    job->parts = job->wrapped[0] = job->wrapped[1] = 0;
    job->streams.num = 2;
    stream[0] = (clspi_stream){.per_line = REALS, .written = true, .has_gaps = job->gaps};
    stream[1] = (clspi_stream){.per_line = REALS};
    if (job->is_graphics) {
        const clsp_graphics_desc desc = {.host = job->out.at, .bytes = lines * LINE};
        assert_ok(job->plan.ctx, clsp_graphics_create(&graphics, job->plan.ctx, &desc));
        out = clsp_out_graphics(graphics, CLSP_F32, 0);
    }
    assert_ok(job->plan.ctx, clspi_output_open(&stream[0].memory, &job->plan, &out, &need));
    assert_ok(job->plan.ctx, clspi_input_open(&stream[1].memory, &job->plan, &in, &need));
    clsp_graphics_destroy(&graphics);
    return clspi_run_streams(&job->plan, sync, &job->streams, cut, copy_lines, job);
}

static void check_result(const copy_job *job, size_t lines)
{
    for (size_t i = 0; i < lines; i++) {
        const char *const line = job->out.at + i * LINE;
        if (job->left[i] ? !support_poisoned(line, LINE)
                         : memcmp(line, job->in.at + i * LINE, LINE) != 0)
            fail_msg("line %zu of %zu", i, lines);
    }
    check_guards(&job->out);
}

/* Copies lines between memories that end so many bytes before a page. */
static copy_job copy(clsp_context *ctx, size_t lines, size_t out_behind, size_t in_behind,
                     bool gaps)
{
    copy_job job = {.plan = {.ctx = ctx, .family = "copy"}, .gaps = gaps};

    job.out = make_region(lines * LINE, out_behind);
    job.in = make_region(lines * LINE, in_behind);
    job.left = calloc(lines + 1, sizeof *job.left);
    assert_non_null(job.left);
    fill_input(&job.in);
    assert_ok(ctx, carry_out(&job, lines, NULL));
    check_result(&job, lines);
    clspi_plan_release(&job.plan);
    free_region(&job.out);
    free_region(&job.in);
    free(job.left);
    return job;
}

/* ---- tests ---- */

static clsp_context *make_context(const char *limits)
{
    const clsp_context_opts opts = {.cache_dir = "", .limits = limits};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, support_queue(), &opts));
    return ctx;
}

static const char *const classes[] = {"class=cpu",
                                      "class=integrated",
                                      "class=discrete",
                                      "class=accelerator",
                                      "class=cpu,alloc=100000",
                                      "class=integrated,alloc=100000",
                                      "class=discrete,alloc=100000"};

static const size_t sizes[] = {0, 1, 2, 3, 101, 3539 /* below what is made in place */, 3545, 9001};

/* Every size, with and without gaps. */
static void test_sizes(void **state)
{
    (void)state;
    for (size_t c = 0; c < CLSPI_COUNT(classes); c++) {
        clsp_context *ctx = make_context(classes[c]);
        for (size_t i = 0; i < CLSPI_COUNT(sizes) - (support_tiny() ? 3 : 0); i++)
            for (size_t k = 0; k < 4; k++)
                copy(ctx, sizes[i], k % 2 * 20, k % 2 * 4, k / 2);
        clsp_context_destroy(&ctx);
    }
}

/* Every place that memory may begin at, aligned to its elements or not. */
static void test_places(void **state)
{
    (void)state;
    if (support_tiny()) skip_because("large arrays");
    for (size_t c = 0; c < 4; c++) {
        clsp_context *ctx = make_context(classes[c]);
        for (size_t behind = 0; behind <= 64; behind++)
            copy(ctx, 4001, behind, 64 - behind, behind % 3 == 0);
        clsp_context_destroy(&ctx);
    }
}

/* Which way memory of each class of device goes. */
static void test_ways(void **state)
{
    enum { LINES = 8001 };
    const size_t alloc = 400000, most = alloc / LINE;
    clsp_context *ctx;
    copy_job job;

    (void)state;
    if (support_tiny()) skip_because("large arrays");
    ctx = make_context("class=cpu");
    job = copy(ctx, LINES, 4, 8, false);
    assert_true(job.parts == 1 && job.wrapped[0] == 1 && job.wrapped[1] == 1);
    job = copy(ctx, LINES, 3, 8, false); /* elements that are not aligned */
    assert_true(job.parts == 1 && job.wrapped[0] == 0 && job.wrapped[1] == 1);
    clsp_context_destroy(&ctx);

    ctx = make_context("class=cpu,alloc=400000");
    job = copy(ctx, LINES, 4, 8, false);
    assert_true(job.parts >= LINES / most && job.wrapped[0] == job.parts);
    clsp_context_destroy(&ctx);

    ctx = make_context("class=integrated");
    job = copy(ctx, LINES, 4, 8, false);
    if (ctx->device.unified_memory) assert_true(job.parts == 3 && job.wrapped[0] == 1);
    assert_true(job.wrapped[1] == 0);
    clsp_context_destroy(&ctx);

    ctx = make_context("class=discrete");
    job = copy(ctx, 20 * LINES, 4, 8, false); /* 24 MB */
    assert_true(job.parts == 2 && job.wrapped[0] == 0 && job.wrapped[1] == 0);
    clsp_context_destroy(&ctx);

    ctx = make_context("class=discrete,alloc=400000");
    job = copy(ctx, LINES, 4, 8, false);
    assert_true(job.parts >= LINES / most && job.wrapped[0] == 0 && job.wrapped[1] == 0);
    clsp_context_destroy(&ctx);
}

/* Memory of the context's own is as good as any. */
static void test_shared_memory(void **state)
{
    (void)state;
    for (size_t c = 0; c < CLSPI_COUNT(classes); c++) {
        clsp_context *ctx = make_context(classes[c]);
        copy_job job = {.plan = {.ctx = ctx, .family = "copy"}};
        const size_t lines = support_tiny() ? 11 : 9001;
        void *memory;

        assert_ok(ctx, clsp_shared_alloc(ctx, lines * LINE + 128, &memory));
        job.in = make_region(lines * LINE, 0);
        job.left = calloc(lines, sizeof *job.left);
        assert_non_null(job.left);
        fill_input(&job.in);
        for (size_t before = 0; before <= 64; before += 20) {
            support_poison(memory, lines * LINE + 128);
            job.out = (region){.all = memory,
                               .at = (char *)memory + before,
                               .bytes = lines * LINE,
                               .behind = 128 - before};
            assert_ok(ctx, carry_out(&job, lines, NULL));
            check_result(&job, lines);
        }
        clspi_plan_release(&job.plan);
        clsp_shared_free(ctx, memory);
        free_region(&job.in);
        free(job.left);
        clsp_context_destroy(&ctx);
    }
}

/* Memory that graphics has mapped is worked on in place by CPUs alone. */
static void test_staged_graphics(void **state)
{
    enum { LINES = 8001 };

    (void)state;
    if (support_tiny()) skip_because("large arrays");
    for (size_t c = 0; c < CLSPI_COUNT(classes); c++) {
        clsp_context *ctx = make_context(classes[c]);
        const bool is_cpu = ctx->device.device_class == CLSP_CLASS_CPU;
        copy_job job = {.plan = {.ctx = ctx, .family = "copy"}, .is_graphics = true};
        job.out = make_region(LINES * LINE, 4);
        job.in = make_region(LINES * LINE, 8);
        job.left = calloc(LINES, sizeof *job.left);
        assert_non_null(job.left);
        fill_input(&job.in);
        assert_ok(ctx, carry_out(&job, LINES, NULL));
        check_result(&job, LINES);
        assert_int_equal(job.wrapped[0], is_cpu ? job.parts : 0);
        clspi_plan_release(&job.plan);
        free_region(&job.out);
        free_region(&job.in);
        free(job.left);
        clsp_context_destroy(&ctx);
    }
}

/* Lets what waits for a user event begin, some time after the call that needs it. */
static void *open_gate(void *gate)
{
    const struct timespec pause = {0, 20000000};

    nanosleep(&pause, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    return NULL;
}

/* What a wait list writes to an input is there when the call reads it. */
static void check_wait_list(clsp_context *ctx, bool gaps)
{
    const size_t lines = support_tiny() ? 11 : 9001, bytes = lines * LINE;
    copy_job job = {.plan = {.ctx = ctx, .family = "copy"}, .gaps = gaps};
    char *const source = malloc(bytes);
    cl_event written, done;
    pthread_t thread;
    cl_int code;

    job.out = make_region(bytes, 4);
    job.in = make_region(bytes, 4);
    job.left = calloc(lines, sizeof *job.left);
    assert_true(source && job.left);
    memset(source, 77, bytes);
    cl_mem buffer =
        clCreateBuffer(ctx->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, source, &code);
    assert_int_equal(code, CL_SUCCESS);
    const cl_command_queue other = clCreateCommandQueue(ctx->context, ctx->device.id, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_event gate = clCreateUserEvent(ctx->context, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(
        clEnqueueReadBuffer(other, buffer, CL_FALSE, 0, bytes, job.in.at, 1, &gate, &written),
        CL_SUCCESS);
    assert_int_equal(clFlush(other), CL_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
    const clsp_run sync = {.num_wait = 1, .wait = &written, .done = &done};
    assert_ok(ctx, carry_out(&job, lines, &sync));
    check_result(&job, lines);
    pthread_join(thread, NULL);
    assert_int_equal(job.in.at[bytes - 1], 77);
    cl_int state = CL_QUEUED;
    clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    assert_int_equal(state, CL_COMPLETE);
    clReleaseEvent(done);
    clReleaseEvent(written);
    clReleaseEvent(gate);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(other);
    clspi_plan_release(&job.plan);
    free_region(&job.out);
    free_region(&job.in);
    free(job.left);
    free(source);
}

static void test_wait_lists(void **state)
{
    (void)state;
    for (size_t c = 0; c < CLSPI_COUNT(classes); c++) {
        const clsp_context_opts opts = {.cache_dir = "", .limits = classes[c]};
        clsp_context *ctx = make_context(classes[c]), *adopted;
        cl_int code;

        check_wait_list(ctx, false);
        check_wait_list(ctx, true);
        cl_command_queue queue = clCreateCommandQueue(
            ctx->context, ctx->device.id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
        if (code == CL_SUCCESS) {
            assert_ok(NULL, clsp_context_create(&adopted, queue, &opts));
            check_wait_list(adopted, false);
            check_wait_list(adopted, true);
            copy(adopted, sizes[7], 4, 4, true);
            clsp_context_destroy(&adopted);
            clReleaseCommandQueue(queue);
        }
        clsp_context_destroy(&ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_staged_graphics),
        cmocka_unit_test(test_wait_lists),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
