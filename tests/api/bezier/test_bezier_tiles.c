/* Patches made tile by tile, on the device and by threads of the caller's, for programs that share
   work by an engine of their own: every form and layout, plans that change, and wrong arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "support.h"
#include "shared_fixture.h"
#include "tile_fixture.h"

static clsp_range patches_of(const shared *j)
{
    return (clsp_range){j->s.first, j->s.count};
}

static clsp_tiling tiling_of(const shared *j, clsp_range tiles)
{
    return bezier_tiling(j->plan, patches_of(j), tiles);
}

/* Tilings add up: tiles fill the output one behind the other. */
static void check_tilings(const shared *j)
{
    const clsp_tiling all = tiling_of(j, (clsp_range){0, 0});
    size_t before = 0;

    assert_int_equal(all.elements.first, 0);
    assert_int_equal(all.elements.count * j->l.element, j->bytes);
    for (size_t tile = 0; tile < all.num_tiles; tile++) {
        const clsp_tiling one = tiling_of(j, (clsp_range){tile, 1});
        assert_int_equal(one.num_tiles, all.num_tiles);
        assert_int_equal(one.elements.first, before);
        before += one.elements.count;
    }
    assert_int_equal(before, all.elements.count);
}

static void check_by_device(shared *j, size_t offset)
{
    const size_t bytes = offset * j->l.element + j->bytes + GUARD;
    const size_t num = tiling_of(j, (clsp_range){0, 0}).num_tiles;
    unsigned char *const contents = malloc(bytes);

    assert_non_null(contents);
    memset(contents, POISON, bytes);
    cl_mem buffer = buffer_of(j->ctx, bytes, contents);
    for (size_t tile = 0, count; tile < num; tile += count) {
        count = 1 + tile % 3;
        if (count > num - tile) count = num - tile;
        const clsp_range tiles = {tile, count};
        const size_t at = offset + tiling_of(j, tiles).elements.first;
        assert_int_equal(eval_tiles(j->plan, patches_of(j), tiles, CLSP_SCHEDULE_DEVICE,
                                    clsp_out_buffer(buffer, j->l.type, at), NULL),
                         CLSP_OK);
    }
    read_buffer(j->ctx, buffer, bytes, contents);
    assert_poison(contents, offset * j->l.element);
    check_bits(j, contents + offset * j->l.element);
    assert_poison(contents + bytes - GUARD, GUARD);
    clReleaseMemObject(buffer);
    free(contents);
}

/* One of two threads that make the tiles of all patches. */
typedef struct tile_thread {
    const shared *j;
    unsigned char *out;
    size_t index, failures;
} tile_thread;

static void *make_tiles(void *argument)
{
    tile_thread *const t = argument;
    const shared *const j = t->j;
    const size_t num = tiling_of(j, (clsp_range){0, 0}).num_tiles;

    for (size_t tile = t->index; tile < num; tile += 2) {
        const clsp_range tiles = {tile, 1}, elements = tiling_of(j, tiles).elements;
        if (eval_tiles(j->plan, patches_of(j), tiles, CLSP_SCHEDULE_HOST,
                       host_out(j->l.type, t->out + elements.first * j->l.element, elements.count),
                       NULL) != CLSP_OK)
            t->failures++;
    }
    return NULL;
}

static void check_by_callers(shared *j)
{
    memory whole = take_memory(j->ctx, PLAIN, j->bytes, j->l.element);
    memory parts = take_memory(j->ctx, UNALIGNED, j->bytes, j->l.element);
    tile_thread t[2] = {{j, parts.out, 0, 0}, {j, parts.out, 1, 0}};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, make_tiles, &t[0]), 0);
    make_tiles(&t[1]);
    pthread_join(thread, NULL);
    assert_int_equal(t[0].failures + t[1].failures, 0);
    assert_int_equal(eval_by_caller(j->plan, patches_of(j),
                                    host_out(j->l.type, whole.out, j->bytes / j->l.element)),
                     CLSP_OK);
    assert_memory_equal(whole.out, parts.out, j->bytes);
    check_all(j, whole.out);
    check_oracle(j, whole.out);
    free_memory(&whole);
    free_memory(&parts);
}

static void check_tiles(clsp_context *ctx, clsp_type precision)
{
    for (size_t i = 0; i < SHARED_SHAPES; i++) {
        const shape s = reduced(&shared_shapes[i]);
        if (!shape_in_turn(i, precision) || (tiny() && i % 4 != 1)) continue;
        shared j = shared_start(ctx, &s, precision);
        check_tilings(&j);
        check_by_device(&j, i % 2 ? 3 : 0);
        if (host_can(&j)) check_by_callers(&j);
        shared_finish(&j);
    }
}

static void test_tiles(void **state)
{
    (void)state;
    each_turn(shared_limits, SHARED_LIMITS, 1, check_tiles);
    print_message("worst/bound %.2f\n", shared_worst());
}

/* Tiles follow changes of the plan. */
static void test_tiles_of_changes(void **state)
{
    const shape s = {"tiles", {.degree = {3, 3}, .axis = {{.num = 170}, {.num = 65}}}, 3, 1, 2, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);

    (void)state;
    check_by_callers(&j);
    reload(&j);
    make_reference(&j);
    check_by_callers(&j);
    change_grid(&j, 140, 61);
    make_reference(&j);
    check_tilings(&j);
    check_by_callers(&j);
    reload_from_buffer(&j);
    make_reference(&j);
    check_by_callers(&j);
    change_degrees(&j, 6, 1);
    make_reference(&j);
    check_by_callers(&j);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* Patch grids and triangles have tiles of vertices, which the device makes, and the host. */
static void test_tiles_of_vertices(void **state)
{
    static const uint32_t nums[] = {64, 3, 70, 90, 2, 2, 1, 40};
    const shape grids = {"grids", {.degree = {2, 2}, .axis = {{.num = 4}, {.num = 3}}}, 4, 1, 3, 0};
    const shape triangles = {
        "triangles", {.form = CLSP_BEZIER_TRIANGLE, .degree = {4}, .axis = {{.num = 120}}},
        3,           1,
        2,           0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &grids, CLSP_F32), t = shared_start(ctx, &triangles, CLSP_F32);

    (void)state;
    assert_int_equal(clsp_patch_set_grids(j.plan, NULL, 4, clsp_in_u32(nums, 8)), CLSP_OK);
    j.num = 70 * 90 + 2 * 2 + 40;
    j.bytes = j.num * j.l.stride * j.l.element;
    free(j.reference);
    j.reference = malloc(j.bytes);
    assert_non_null(j.reference);
    assert_int_equal(eval_host(j.plan, &j.l, 1, 3, j.reference), CLSP_OK);
    check_tilings(&j);
    check_by_callers(&j);
    check_tilings(&t);
    check_by_device(&t, 1);
    float *const made = malloc(t.bytes);
    assert_non_null(made);
    assert_int_equal(eval_on_host(t.plan, &t.l, 1, 2, made), CLSP_OK);
    for (size_t k = 0; k < t.bytes / sizeof *made; k++)
        assert_float_equal(made[k], ((const float *)(const void *)t.reference)[k], 8 * 0x1p-23f);
    free(made);
    shared_finish(&j);
    shared_finish(&t);
    clsp_context_destroy(&ctx);
}

/* A list has the same bits in memory that is not aligned to its elements, by either processor. */
static void check_odd_list(const shared *j, const clsp_points *points)
{
    enum { MOST = 3 * 1000 * sizeof(float) };
    static char params[MOST + 1], items[MOST + 1], out[MOST + 1], aligned[MOST];
    const size_t num = points->num, bytes = 3 * num * sizeof(float);
    clsp_points odd = *points;

    assert_true(bytes <= MOST);
    memcpy(params + 1, points->params.host, 2 * num * sizeof(float));
    odd.params.host = params + 1;
    if (points->item.host) {
        memcpy(items + 1, points->item.host, num * sizeof(uint32_t));
        odd.item.host = items + 1;
    }
    for (int by = CLSP_SCHEDULE_DEVICE; by <= CLSP_SCHEDULE_HOST; by++) {
        const clsp_share share = {.schedule = (clsp_schedule)by};
        clsp_report report;
        const clsp_run run = {.share = &share, .report = &report};
        assert_int_equal(
            clsp_patch_eval_points(j->plan, points, host_out(CLSP_F32, aligned, 3 * num), &run),
            CLSP_OK);
        assert_int_equal(
            clsp_patch_eval_points(j->plan, &odd, host_out(CLSP_F32, out + 1, 3 * num), &run),
            CLSP_OK);
        assert_int_equal(report.schedule, support_is_own_cpu(j->ctx) ? CLSP_SCHEDULE_HOST : by);
        assert_memory_equal(out + 1, aligned, bytes);
    }
}

/* Lists have tiles too, planar or not, with items or without. */
static void test_tiles_of_lists(void **state)
{
    enum { NUM = 1000, PATCHES = 3 };
    const shape s = {"list", {.degree = {3, 2}, .axis = {{.num = 2}, {.num = 2}}}, 3, 0, 3, 0};
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    static float params[NUM][2], planar[2][NUM], whole[NUM][3], made[NUM][3];
    static uint32_t items[NUM];

    (void)state;
    for (int k = 0; k < NUM; k++) {
        items[k] = (uint32_t)(7 * k) % PATCHES;
        for (int d = 0; d < 2; d++)
            planar[d][k] = params[k][d] = (float)((k * (d + 3)) % 101) / 100.0f;
    }
    for (int way = 0; way < 4; way++) {
        const clsp_points points = {.num = NUM,
                                    .item = way & 1 ? clsp_in_u32(items, NUM)
                                                    : (clsp_input){.type = CLSP_TYPE_DEFAULT},
                                    .params = clsp_in_f32(way & 2 ? planar[0] : params[0], 2 * NUM),
                                    .planar = way & 2 ? 1 : 0};
        clsp_tiling tiling = {.num_tiles = 1};
        memset(made, POISON, sizeof made);
        assert_int_equal(clsp_patch_eval_points(j.plan, &points, clsp_out_f32(NULL, 0),
                                                &(clsp_run){.tiling = &tiling}),
                         CLSP_OK);
        const clsp_share all = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {0, tiling.num_tiles}};
        assert_int_equal(clsp_patch_eval_points(j.plan, &points, clsp_out_f32(whole[0], 3 * NUM),
                                                &(clsp_run){.share = &all}),
                         CLSP_OK);
        for (size_t tile = 0; tile < tiling.num_tiles; tile++) {
            const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {tile, 1}};
            clsp_run run = {.share = &share, .tiling = &tiling};
            assert_int_equal(clsp_patch_eval_points(j.plan, &points, clsp_out_f32(NULL, 0), &run),
                             CLSP_OK);
            run.tiling = NULL;
            assert_int_equal(clsp_patch_eval_points(j.plan, &points,
                                                    clsp_out_f32(made[0] + tiling.elements.first,
                                                                 tiling.elements.count),
                                                    &run),
                             CLSP_OK);
        }
        assert_true(tiling.num_tiles > 2);
        assert_memory_equal(whole, made, sizeof whole);
        memset(made, POISON, sizeof made);
        assert_int_equal(
            clsp_patch_eval_points(j.plan, &points, clsp_out_f32(made[0], 3 * NUM),
                                   &(clsp_run){.share = &(clsp_share){.bit_equal = 1}}),
            CLSP_OK);
        assert_memory_equal(whole, made, sizeof whole);
        check_odd_list(&j, &points);
    }
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* ---- wrong arguments ---- */

static void test_wrong_tiles(void **state)
{
    const shape s = {"wrong", {.degree = {3, 3}, .axis = {{.num = 170}, {.num = 65}}}, 2, 0, 2, 0};
    const clsp_run no_list = {.num_wait = 1};
    const clsp_status bad = CLSP_ERROR_ARGUMENT;
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    memory m = take_memory(ctx, PLAIN, j.bytes, j.l.element);
    cl_mem buffer = buffer_of(ctx, j.bytes, m.out);
    const clsp_output out = host_out(CLSP_F32, m.out, j.bytes / 4);
    const clsp_output on_device = clsp_out_buffer(buffer, CLSP_F32, 0);
    const size_t num = tiling_of(&j, (clsp_range){0, 0}).num_tiles;
    const clsp_range all = {0, 2}, first = {0, 1}, last = {num - 1, 1};
    static const clsp_range beyond[] = {{0, SIZE_MAX}, {SIZE_MAX, 1}, {SIZE_MAX - 1, 3}};

    (void)state;
    assert_true(num > 2);
    for (int by = CLSP_SCHEDULE_DEFAULT; by <= CLSP_SCHEDULE_HOST; by++) {
        const clsp_schedule schedule = (clsp_schedule)by;
        for (size_t i = 0; i < COUNT(beyond); i++)
            assert_int_equal(eval_tiles(j.plan, all, beyond[i], schedule, out, NULL), bad);
        assert_int_equal(eval_tiles(j.plan, all, (clsp_range){num, 1}, schedule, out, NULL), bad);
        assert_int_equal(eval_tiles(j.plan, all, (clsp_range){num - 1, 2}, schedule, out, NULL),
                         bad);
        assert_int_equal(eval_tiles(NULL, all, first, schedule, out, NULL), bad);
        assert_int_equal(eval_tiles(j.plan, all, first, schedule, out, &no_list), bad);
        assert_int_equal(eval_tiles(j.plan, all, first, schedule,
                                    host_out(CLSP_F32, m.out, 64 * 65 * 3 - 1), NULL),
                         CLSP_ERROR_BUFFER_SIZE);
        assert_int_equal(eval_tiles(j.plan, (clsp_range){1, 2}, first, schedule, out, NULL), bad);
        if (schedule != CLSP_SCHEDULE_DEVICE)
            assert_int_equal(eval_tiles(j.plan, all, first, schedule, on_device, NULL), bad);
    }
    assert_int_equal(eval_tiles(j.plan, all, last, CLSP_SCHEDULE_DEVICE,
                                clsp_out_buffer(buffer, CLSP_F32, j.bytes / 4), NULL),
                     CLSP_ERROR_BUFFER_SIZE);
    assert_poison(m.out, m.bytes);
    clReleaseMemObject(buffer);
    free_memory(&m);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

/* A share where none is taken, a report without one, and questions to calls that set data. */
static void test_wrong_runs(void **state)
{
    const shape s = {"runs", {.degree = {1, 1}, .axis = {{.num = 3}, {.num = 3}}}, 2, 0, 2, 0};
    const clsp_share share = {.num_workers = 0};
    clsp_report report;
    clsp_tiling tiling;
    clsp_context *ctx = context_with("");
    shared j = shared_start(ctx, &s, CLSP_F32);
    float points[54] = {0};
    uint32_t indices[48];
    const clsp_run shared_run = {.share = &share}, told = {.report = &report};
    const clsp_run asked = {.tiling = &tiling}, reserved = {.reserved = {0, 0, 1, 0}};

    (void)state;
    assert_int_equal(clsp_patch_eval(j.plan, (clsp_range){0, 2}, clsp_out_f32(points, 54), &told),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(
        clsp_patch_eval(j.plan, (clsp_range){0, 2}, clsp_out_f32(points, 54), &reserved),
        CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_set_control_points(j.plan, 2, clsp_in_f32(points, 24), &shared_run),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_set_control_points(j.plan, 2, clsp_in_f32(points, 24), &asked),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_indices(j.plan, CLSP_FACES_DEFAULT, (clsp_range){0, 2},
                                        clsp_out_u32(indices, 48), &shared_run),
                     CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_patch_indices(j.plan, CLSP_FACES_DEFAULT, (clsp_range){0, 2},
                                        clsp_out_u32(NULL, 0), &asked),
                     CLSP_OK);
    assert_int_equal(tiling.num_tiles, 1);
    assert_int_equal(tiling.elements.count, 48);
    shared_finish(&j);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_tiles_of_changes),
        cmocka_unit_test(test_tiles_of_vertices),
        cmocka_unit_test(test_tiles_of_lists),
        cmocka_unit_test(test_wrong_tiles),
        cmocka_unit_test(test_wrong_runs),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
