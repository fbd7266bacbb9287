/* Jobs that read memory of the caller's: lines of numbers, each result the sum of a line and those
   on both sides of it, so that neighbouring tiles read the same lines. Under every schedule, on one
   device and on two, where devices work on the host's memory and where lines move to them. */
#include "ledger_fixture.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST_LINES = 40000, TILE_LINES = 3, WIDTH = 5, ODD = 3 /* numbers before the first */ };

/* A result has a gap behind each line that stays as it is, or none. */
typedef struct sums {
    clspi_job job;
    clsp_context *ctx;
    uint32_t num_workers;
    uint64_t most_bytes; /* of a buffer, by the least of the devices */
    size_t num_lines, halo, stride;
    cl_int *in_memory, *out_memory, *wanted;
    clspi_kernel kernel[LEDGER_DEVICES];
    atomic_uint wrong_chunks; /* whose buffers are not what they should be */
} sums;

static const clsp_schedule schedules[] = {CLSP_SCHEDULE_DEFAULT, CLSP_SCHEDULE_DYNAMIC,
                                          CLSP_SCHEDULE_STATIC,  CLSP_SCHEDULE_DEVICE,
                                          CLSP_SCHEDULE_HOST,    CLSP_SCHEDULE_SVM};

/* ---- the kernel ---- */

static const char source[] =
    "kernel void sum_lines(global const int *in, global int *out, uint in_at, uint out_at,\n"
    "                      uint in_line, uint line, uint num, uint all, uint halo, uint width,\n"
    "                      uint stride)\n"
    "{\n"
    "    const uint g = (uint)get_global_id(0), row = g / width, x = g - row * width;\n"
    "    const uint y = line + row, first = y > halo ? y - halo : 0;\n"
    "    int sum = 0;\n"
    "    if (row >= num) return;\n"
    "    for (uint l = first; l <= y + halo && l < all; l++)\n"
    "        sum += in[in_at + (l - in_line) * width + x];\n"
    "    out[out_at + row * stride + x] = sum;\n"
    "}\n";

typedef struct sum_args {
    cl_mem in, out;
    cl_uint in_at, out_at; /* numbers before the first line */
    cl_uint in_line;       /* of the first that there is */
    cl_uint line, num;     /* to be made */
    cl_uint all, halo, width, stride;
} sum_args;

static const clspi_parameter parameters[] = {{CLSPI_MEMORY, offsetof(sum_args, in), 0, false},
                                             {CLSPI_MEMORY, offsetof(sum_args, out), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, in_at), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, out_at), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, in_line), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, line), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, num), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, all), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, halo), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, width), 0, false},
                                             {CLSPI_UINT, offsetof(sum_args, stride), 0, false}};
static const clspi_signature signature = {"sum_lines", parameters, CLSPI_COUNT(parameters), false};

static clspi_kernel kernel_in(clsp_context *ctx)
{
    const char *text = source;
    clspi_kernel kernel = {.signature = &signature, .local = 4};
    cl_int code;

    const cl_program program = clCreateProgramWithSource(ctx->context, 1, &text, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clBuildProgram(program, 1, &ctx->device.id, "-cl-std=CL1.2", NULL, NULL),
                     CL_SUCCESS);
    kernel.kernel = clCreateKernel(program, "sum_lines", &code);
    assert_int_equal(code, CL_SUCCESS);
    clReleaseProgram(program);
    return kernel;
}

/* ---- the job ---- */

static clsp_range lines_of(const sums *s, clsp_range tiles)
{
    const size_t first = clspi_min(tiles.first * TILE_LINES, s->num_lines);
    const size_t end = clspi_min((tiles.first + tiles.count) * TILE_LINES, s->num_lines);

    return (clsp_range){first, end - first};
}

/* Lines and those on both sides of them that there are. */
static clsp_range with_halo(const sums *s, clsp_range lines)
{
    const size_t first = lines.first > s->halo ? lines.first - s->halo : 0;
    const size_t end = clspi_min(lines.first + lines.count + s->halo, s->num_lines);

    return (clsp_range){first, end - first};
}

static clsp_range bytes_of(clsp_range lines, size_t stride)
{
    return (clsp_range){lines.first * stride * sizeof(cl_int),
                        lines.count * stride * sizeof(cl_int)};
}

static clsp_range region(void *user, clsp_range tiles)
{
    const sums *const s = user;

    return bytes_of(lines_of(s, tiles), s->stride);
}

static clsp_range in_region(void *user, clsp_range tiles)
{
    const sums *const s = user;

    return bytes_of(with_halo(s, lines_of(s, tiles)), WIDTH);
}

/* The plain loop over lines of the whole memory. */
static void sum_lines(const sums *s, clsp_range lines, cl_int *out)
{
    const cl_int *const in = s->in_memory + ODD;

    for (size_t y = lines.first; y < lines.first + lines.count; y++) {
        const clsp_range around = with_halo(s, (clsp_range){y, 1});
        for (size_t x = 0; x < WIDTH; x++) {
            cl_int sum = 0;
            for (size_t l = around.first; l < around.first + around.count; l++)
                sum += in[l * WIDTH + x];
            out[y * s->stride + x] = sum;
        }
    }
}

static clsp_status host(void *user, uint32_t worker, clsp_range tiles)
{
    const sums *const s = user;

    if (worker >= s->num_workers) return CLSP_ERROR_ARGUMENT;
    sum_lines(s, lines_of(s, tiles), s->out_memory + ODD);
    return CLSP_OK;
}

static bool holds(cl_mem buffer, size_t offset, size_t bytes)
{
    size_t size = 0;

    return buffer &&
           clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL) == CL_SUCCESS &&
           offset <= size && bytes <= size - offset;
}

static clsp_status enqueue(void *user, uint32_t device, clspi_series *series,
                           const clspi_chunk *chunk)
{
    sums *const s = user;
    const clsp_range lines = lines_of(s, chunk->tiles), around = with_halo(s, lines);
    const sum_args args = {.in = chunk->in,
                           .out = chunk->out,
                           .in_at = (cl_uint)(chunk->in_offset / sizeof(cl_int)),
                           .out_at = (cl_uint)(chunk->out_offset / sizeof(cl_int)),
                           .in_line = (cl_uint)around.first,
                           .line = (cl_uint)lines.first,
                           .num = (cl_uint)lines.count,
                           .all = (cl_uint)s->num_lines,
                           .halo = (cl_uint)s->halo,
                           .width = WIDTH,
                           .stride = (cl_uint)s->stride};

    if (!holds(chunk->in, chunk->in_offset, bytes_of(around, WIDTH).count) ||
        !holds(chunk->out, chunk->out_offset, bytes_of(lines, s->stride).count)) {
        atomic_fetch_add(&s->wrong_chunks, 1);
        return CLSP_ERROR_BUFFER_SIZE;
    }
    return clspi_series_launch(series, &s->kernel[device], &signature, &args, lines.count * WIDTH);
}

/* ---- one job ---- */

/* Returns memory for so many numbers, poisoned, with guards. */
static cl_int *guarded(size_t num)
{
    const size_t bytes = (ODD + num + SUPPORT_GUARD) * sizeof(cl_int);
    cl_int *const memory = malloc(bytes);

    assert_non_null(memory);
    support_poison(memory, bytes);
    return memory;
}

static size_t out_numbers(const sums *s)
{
    return s->num_lines * s->stride;
}

/* Makes the kernels of all devices, for any number of jobs. */
static void open_sums(sums *s, clsp_context *ctx)
{
    clsp_context *const *contexts;
    const uint32_t num_devices = clspi_cooperate_devices(ctx, &contexts);

    *s = (sums){.ctx = ctx, .most_bytes = UINT64_MAX};
    for (uint32_t d = 0; d < num_devices; d++) {
        s->kernel[d] = kernel_in(contexts[d]);
        s->most_bytes = clspi_min_u64(s->most_bytes, contexts[d]->device.max_alloc_bytes);
    }
}

static void close_sums(sums *s)
{
    for (size_t d = 0; d < LEDGER_DEVICES; d++)
        clspi_kernel_release(&s->kernel[d]);
}

static void begin(sums *s, size_t num_lines, size_t halo, bool has_gaps)
{
    uint64_t seed = num_lines + halo;

    s->num_workers = clspi_cooperate_workers(s->ctx);
    s->num_lines = num_lines;
    s->halo = halo;
    s->stride = WIDTH + has_gaps;
    s->in_memory = guarded(num_lines * WIDTH);
    s->out_memory = guarded(out_numbers(s));
    s->wanted = guarded(out_numbers(s));
    for (size_t i = 0; i < num_lines * WIDTH; i++)
        s->in_memory[ODD + i] = (cl_int)(support_random(&seed) % 20001) - 10000;
    sum_lines(s, (clsp_range){0, num_lines}, s->wanted + ODD);
    s->job = (clspi_job){.user = s,
                         .num_tiles = clspi_div_up(num_lines, TILE_LINES),
                         .out = (char *)(s->out_memory + ODD),
                         .has_gaps = has_gaps,
                         .region = region,
                         .in = (const char *)(s->in_memory + ODD),
                         .in_region = in_region,
                         .host = host,
                         .enqueue = enqueue,
                         .why_not_persistent = "no persistent kernel of sums",
                         .key = "sums",
                         .tile_size = TILE_LINES * WIDTH};
}

static void end(sums *s)
{
    free(s->in_memory);
    free(s->out_memory);
    free(s->wanted);
}

/* Compares results, gaps and guards with the plain loop's. */
static void check_result(const sums *s, const char *how)
{
    const size_t bytes = (ODD + out_numbers(s) + SUPPORT_GUARD) * sizeof(cl_int);

    assert_int_equal(atomic_load(&s->wrong_chunks), 0);
    if (memcmp(s->out_memory, s->wanted, bytes) != 0)
        fail_msg("%zu lines, halo %zu, stride %zu: wrong sums, %s", s->num_lines, s->halo,
                 s->stride, how);
}

/* Tells whether the lines of a tile, with those around it, are more than a buffer holds: devices to
   which they move drop out then, and others make their tiles. */
static bool is_too_large(const sums *s)
{
    const size_t lines = clspi_min(TILE_LINES + 2 * s->halo, s->num_lines);

    return bytes_of((clsp_range){0, lines}, WIDTH).count > s->most_bytes;
}

static void check_report(const sums *s, const clsp_report *report)
{
    uint64_t tiles = 0;

    for (uint32_t p = 0; p < report->num_processors; p++) {
        const clsp_status status = report->processors[p].status;
        if (status != CLSP_OK) assert_true(is_too_large(s) && status == CL_INVALID_BUFFER_SIZE);
        tiles += report->processors[p].tiles;
    }
    assert_int_equal(tiles, s->job.num_tiles);
    assert_int_not_equal(report->schedule, CLSP_SCHEDULE_SVM);
}

/* Runs a job under every schedule. */
static void check_job(sums *s, size_t num_lines, size_t halo, bool has_gaps)
{
    clsp_report report;

    begin(s, num_lines, halo, has_gaps);
    for (size_t i = 0; i < CLSPI_COUNT(schedules); i++) {
        const clsp_share opts = {.schedule = schedules[i]};
        support_poison(s->job.out, out_numbers(s) * sizeof(cl_int));
        assert_ok(s->ctx, clspi_cooperate(s->ctx, &s->job, &opts, &report));
        check_result(s, clsp_schedule_name(schedules[i]));
        check_report(s, &report);
    }
    end(s);
}

static void check_jobs(clsp_context *ctx)
{
    static const size_t nums[] = {0, 1, 2, 3, 4, 100, 1009};
    static const size_t halos[] = {0, 1, 7, 300, 2000 /* all lines */};
    const size_t many = MOST_LINES / ledger_scale();
    sums s;

    open_sums(&s, ctx);
    for (size_t i = 0; i < CLSPI_COUNT(nums); i++)
        for (size_t k = 0; k < CLSPI_COUNT(halos); k++)
            if (ledger_scale() == 1 || nums[i] * halos[k] < 1000)
                check_job(&s, nums[i], halos[k], (i + k) % 2);
    check_job(&s, many, 2, false);
    check_job(&s, many, 2, true);
    close_sums(&s);
}

/* ---- devices ---- */

/* The device as it is; as one with memory of its own; as one whose buffers hold few tiles, with
   either memory. */
static const char *const limits[] = {"", "class=discrete", "alloc=16384",
                                     "class=discrete,alloc=16384"};

static clsp_context *open_context(const char *words)
{
    const clsp_context_opts opts = {.limits = words, .cache_dir = ""};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    return ctx;
}

static void test_one_device(void **state)
{
    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(limits); i++) {
        clsp_context *ctx = open_context(limits[i]);
        check_jobs(ctx);
        clsp_context_destroy(&ctx);
    }
}

/* The second one is of the next kind. */
static void test_two_devices(void **state)
{
    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    for (size_t i = 0; i < CLSPI_COUNT(limits); i++) {
        clsp_context *ctx = open_context(limits[i]);
        clsp_context *other = open_context(limits[(i + 1) % CLSPI_COUNT(limits)]);
        assert_ok(ctx, clsp_context_join(ctx, other));
        check_jobs(ctx);
        clsp_context_destroy(&ctx);
        clsp_context_destroy(&other);
    }
}

/* The host alone, and with more workers than cores. */
static void test_workers(void **state)
{
    static const uint32_t workers[] = {1, 7, CLSP_NO_WORKERS};
    clsp_context *ctx = open_context("");
    sums s;

    (void)state;
    open_sums(&s, ctx);
    for (size_t i = 0; i < CLSPI_COUNT(workers); i++) {
        assert_ok(ctx, clsp_context_set_workers(ctx, workers[i]));
        check_job(&s, 1009, 3, i % 2);
    }
    close_sums(&s);
    clsp_context_destroy(&ctx);
}

/* Tuning makes a job several times by each processor. */
static void test_tuning(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        clsp_context *ctx = open_context(limits[i]);
        clsp_report report;
        sums s;
        open_sums(&s, ctx);
        begin(&s, 1009, 3, i);
        assert_ok(ctx, clspi_cooperate_tune(ctx, &s.job, &report));
        check_result(&s, "tuning");
        end(&s);
        close_sums(&s);
        clsp_context_destroy(&ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_device), cmocka_unit_test(test_two_devices),
        cmocka_unit_test(test_workers), cmocka_unit_test(test_tuning)};

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
