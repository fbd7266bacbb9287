/* Rows of patches made one call at a time, on the device and by the host's threads, for programs
   that share work by a scheduler of their own: every form and layout, plans that change, and wrong
   arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "shared_fixture.h"

/* num_rows: a multiple of the tile's, or what is left. */
static uint32_t next_rows(const shared *j, uint32_t first, uint32_t tiles)
{
    const uint32_t left = j->l.d.axis[0].num - first, rows = tiles * CLSP_BEZIER_TILE_ROWS;

    return rows < left ? rows : left;
}

static void check_device_rows(shared *j, size_t offset)
{
    const size_t bytes = offset * j->l.element + j->bytes + GUARD;
    unsigned char *const contents = malloc(bytes);
    uint32_t tiles = 1;

    assert_non_null(contents);
    memset(contents, POISON, bytes);
    cl_mem buffer = buffer_of(j->ctx, bytes, contents);
    for (size_t p = 0; p < j->s.count; p++) {
        for (uint32_t row = 0, rows; row < j->l.d.axis[0].num; row += rows, tiles = tiles % 3 + 1) {
            const size_t at = (p * j->l.d.axis[0].num + row) * row_bytes(j) / j->l.element;
            rows = next_rows(j, row, tiles);
            assert_int_equal(clsp_bezier_eval_rows(j->plan, j->s.first + p, (clsp_range){row, rows},
                                                   clsp_out_buffer(buffer, j->l.type, offset + at),
                                                   NULL),
                             CLSP_OK);
        }
    }
    read_buffer(j->ctx, buffer, bytes, contents);
    assert_poison(contents, offset * j->l.element);
    check_bits(j, contents + offset * j->l.element);
    assert_poison(contents + bytes - GUARD, GUARD);
    clReleaseMemObject(buffer);
    free(contents);
}

static clsp_status host_rows(const shared *j, uint32_t worker, size_t patch, uint32_t row,
                             uint32_t rows, void *out)
{
    const size_t size = rows * row_bytes(j) / j->l.element;

    return clsp_bezier_host_rows(j->plan, worker, patch, (clsp_range){row, rows},
                                 host_out(j->l.type, out, size));
}

/* One of two threads that make the tiles of all patches, with a worker number of its own. */
typedef struct row_thread {
    const shared *j;
    unsigned char *out;
    uint32_t index, worker, failures;
} row_thread;

static void *make_rows(void *argument)
{
    row_thread *const t = argument;
    const shared *const j = t->j;
    uint32_t turn = 0;

    for (size_t p = 0; p < j->s.count; p++) {
        for (uint32_t row = 0, rows; row < j->l.d.axis[0].num; row += rows, turn++) {
            rows = next_rows(j, row, 1);
            if (turn % 2 != t->index) continue;
            if (host_rows(j, t->worker, j->s.first + p, row, rows,
                          t->out + (p * j->l.d.axis[0].num + row) * row_bytes(j)) != CLSP_OK)
                t->failures++;
        }
    }
    return NULL;
}

static void check_host_rows(shared *j)
{
    memory whole = take_memory(j->ctx, PLAIN, j->bytes, j->l.element);
    memory parts = take_memory(j->ctx, UNALIGNED, j->bytes, j->l.element);
    row_thread t[2] = {{j, parts.out, 0, 0, 0}, {j, parts.out, 1, CLSP_MAX_WORKERS - 1, 0}};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, make_rows, &t[0]), 0);
    make_rows(&t[1]);
    pthread_join(thread, NULL);
    assert_int_equal(t[0].failures + t[1].failures, 0);
    for (size_t p = 0; p < j->s.count; p++)
        assert_int_equal(host_rows(j, 5, j->s.first + p, 0, j->l.d.axis[0].num,
                                   whole.out + p * j->l.d.axis[0].num * row_bytes(j)),
                         CLSP_OK);
    assert_memory_equal(whole.out, parts.out, j->bytes);
    check_all(j, whole.out);
    check_oracle(j, whole.out);
    free_memory(&whole);
    free_memory(&parts);
}

static void check_rows(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < SHARED_SHAPES; i++) {
        const shape s = reduced(&shared_shapes[i]);
        if (s.d.form == CLSP_BEZIER_TRIANGLE) continue;
        if (!shape_in_turn(i, precision) || (tiny() && i % 4 != 1)) continue;
        shared j = shared_start(ctx, &s, precision);
        check_device_rows(&j, i % 2 ? 3 : 0);
        if (host_can(&j)) check_host_rows(&j);
        shared_finish(&j);
    }
}

static void test_rows(void **state)
{
    (void)state;
    each_turn(shared_limits, SHARED_LIMITS, 1, check_rows);
    print_message("worst/bound %.2f\n", shared_worst());
}

/* The host's rows follow changes of the plan too. */
static void test_rows_of_changes(void **state)
{
    const shape s = {"rows", {.degree = {3, 3}, .axis = {{.num = 70}, {.num = 35}}}, 3, 1, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);

    (void)state;
    check_host_rows(&j);
    reload(&j);
    make_reference(&j);
    check_host_rows(&j);
    change_grid(&j, 40, 61);
    make_reference(&j);
    check_host_rows(&j);
    reload_from_buffer(&j);
    make_reference(&j);
    check_host_rows(&j);
    change_degrees(&j, 6, 1);
    make_reference(&j);
    check_host_rows(&j);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- wrong arguments ---- */

/* Rows of a grid of 70 rows. */
static const struct {
    size_t patch;
    size_t first, num;
    clsp_status status;
} row_calls[] = {
    {0, 1, 32, CLSP_ERROR_ARGUMENT},
    {0, 32, 31, CLSP_ERROR_ARGUMENT},
    {0, 0, 70, CLSP_OK},
    {0, 0, 71, CLSP_ERROR_ARGUMENT},
    {0, 64, 6, CLSP_OK},
    {0, 64, 7, CLSP_ERROR_ARGUMENT},
    {0, 64, 32, CLSP_ERROR_ARGUMENT},
    {0, 64, 5, CLSP_ERROR_ARGUMENT},
    {0, 96, 0, CLSP_ERROR_ARGUMENT},
    {0, 70, 0, CLSP_ERROR_ARGUMENT},
    {0, 32, UINT32_MAX, CLSP_ERROR_ARGUMENT},
    {0, 32, UINT32_MAX - 31, CLSP_ERROR_ARGUMENT},
    {0, 32, SIZE_MAX - 31, CLSP_ERROR_ARGUMENT},
    {0, SIZE_MAX - 31, 32, CLSP_ERROR_ARGUMENT},
    {0, SIZE_MAX > UINT32_MAX ? (size_t)(UINT64_C(1) << 32) : 96, 32, CLSP_ERROR_ARGUMENT},
    {2, 0, 32, CLSP_ERROR_ARGUMENT},
    {SIZE_MAX, 0, 32, CLSP_ERROR_ARGUMENT},
    {1, 32, 0, CLSP_OK},
    {2, 0, 0, CLSP_ERROR_ARGUMENT},
};

static void test_row_calls(void **state)
{
    const shape s = {"rows", {.degree = {3, 3}, .axis = {{.num = 70}, {.num = 5}}}, 2, 0, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);

    (void)state;
    for (size_t i = 0; i < COUNT(row_calls); i++) {
        memory m = take_memory(ctx, PLAIN, j.bytes, j.l.element);
        cl_mem buffer = buffer_of(ctx, j.bytes, m.out);
        const clsp_range rows = {row_calls[i].first, row_calls[i].num};
        assert_int_equal(clsp_bezier_eval_rows(j.plan, row_calls[i].patch, rows,
                                               clsp_out_buffer(buffer, CLSP_F32, 0), NULL),
                         row_calls[i].status);
        assert_int_equal(clsp_bezier_host_rows(j.plan, 0, row_calls[i].patch, rows,
                                               host_out(CLSP_F32, m.out, j.bytes / 4)),
                         row_calls[i].status);
        if (row_calls[i].status != CLSP_OK || row_calls[i].num == 0) assert_poison(m.out, m.bytes);
        read_buffer(ctx, buffer, j.bytes, m.out);
        if (row_calls[i].status != CLSP_OK || row_calls[i].num == 0) assert_poison(m.out, m.bytes);
        clReleaseMemObject(buffer);
        free_memory(&m);
    }
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

static void check_no_host_rows(clsp_context *ctx, clsp_bezier_desc d)
{
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    const shape s = {"no rows", d, 1, 0, 1, 0};
    shared j = shared_start(ctx, &s, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, 4);
    clsp_report r;

    assert_false(host_can(&j));
    assert_int_equal(host_rows(&j, 0, 0, 0, 32, m.out), CLSP_ERROR_ARGUMENT);
    assert_poison(m.out, m.bytes);
    free_memory(&m);
    check_call(&j, PLAIN, &by_host, 2, true, &r);
    assert_int_equal(r.schedule, CLSP_SCHEDULE_DEVICE);
    shared_finish(&j);
}

static clsp_status device_rows(clsp_bezier_plan *plan, size_t num, cl_mem buffer, size_t offset,
                               const clsp_run *sync)
{
    return clsp_bezier_eval_rows(plan, 0, (clsp_range){0, num},
                                 clsp_out_buffer(buffer, CLSP_F32, offset), sync);
}

static clsp_status worker_rows(clsp_bezier_plan *plan, uint32_t worker, clsp_output vertices)
{
    return clsp_bezier_host_rows(plan, worker, 0, (clsp_range){0, 32}, vertices);
}

static void test_wrong_rows(void **state)
{
    const shape s = {"rows", {.degree = {3, 3}, .axis = {{.num = 70}, {.num = 5}}}, 2, 0, 2, 0};
    const clsp_run no_list = {.num_wait = 1};
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, j.l.element);
    cl_mem buffer = buffer_of(ctx, j.bytes, m.out);
    const clsp_output out = host_out(CLSP_F32, m.out, j.bytes / 4);

    (void)state;
    assert_int_equal(device_rows(NULL, 32, buffer, 0, NULL), bad);
    assert_int_equal(device_rows(j.plan, 32, NULL, 0, NULL), bad);
    assert_int_equal(device_rows(j.plan, 32, buffer, 0, &no_list), bad);
    assert_int_equal(device_rows(j.plan, 64, buffer, (2 * 70 - 64) * 15 + 1, NULL),
                     CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(worker_rows(NULL, 0, out), bad);
    assert_int_equal(worker_rows(j.plan, 0, host_out(CLSP_F32, NULL, j.bytes / 4)), bad);
    assert_int_equal(worker_rows(j.plan, CLSP_MAX_WORKERS, out), bad);
    assert_int_equal(worker_rows(j.plan, UINT32_MAX, out), bad);
    assert_int_equal(worker_rows(j.plan, 0, host_out(CLSP_F64, m.out, j.bytes / 8)), bad);
    assert_int_equal(worker_rows(j.plan, 0, clsp_out_buffer(buffer, CLSP_F32, 0)), bad);
    assert_int_equal(worker_rows(j.plan, 0, host_out(CLSP_F32, m.out, 32 * 5 * 3 - 1)),
                     CLSP_ERROR_BUFFER_SIZE);
    assert_poison(m.out, m.bytes);
    clReleaseMemObject(buffer);
    free_memory(&m);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

static void test_rows_that_are_none(void **state)
{
    static const clsp_bezier_desc none[] = {
        {.degree = {2}, .axis = {{.num = 40}}, .form = CLSP_BEZIER_TRIANGLE},
        {.degree = {2, 2}, .axis = {{.num = 40}, {.num = 3}}, .method = CLSP_BEZIER_MATRIX},
        {.degree = {2, 2}, .axis = {{.num = 40}, {.num = 3}}, .method = CLSP_BEZIER_BRUTE}};
    static const uint32_t nums[] = {64, 3};
    clsp_context *ctx = context_with("");
    float out[64 * 3 * 3] = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(none); i++)
        check_no_host_rows(ctx, none[i]);
    const shape s = {"grids", {.degree = {2, 2}, .axis = {{.num = 64}, {.num = 3}}}, 1, 0, 1, 0};
    shared j = shared_start(ctx, &s, CLSP_F32), t = j;
    cl_mem buffer = buffer_of(ctx, sizeof out, out);
    assert_int_equal(clsp_bezier_set_patch_grids(j.plan, 1, clsp_in_u32(nums, 2)), CLSP_OK);
    assert_int_equal(worker_rows(j.plan, 0, clsp_out_f32(out, COUNT(out))), CLSP_ERROR_ARGUMENT);
    assert_int_equal(device_rows(j.plan, 32, buffer, 0, NULL), CLSP_ERROR_ARGUMENT);
    const shape triangle = {"triangle", none[0], 1, 0, 1, 0};
    t = shared_start(ctx, &triangle, CLSP_F32);
    assert_int_equal(device_rows(t.plan, 32, buffer, 0, NULL), CLSP_ERROR_ARGUMENT);
    clReleaseMemObject(buffer);
    shared_finish(&t);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_of_changes),
        cmocka_unit_test(test_row_calls),
        cmocka_unit_test(test_wrong_rows),
        cmocka_unit_test(test_rows_that_are_none),
    };

    if (no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
