/* Jobs of solids that are made tile by tile, by the device and by threads of the caller's: the bits
   of the whole job by that processor. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "bezier_fixture.h"
#include "memory_fixture.h"
#include "solid_fixture.h"

enum { THREADS = 3, FIRST_CELL = 3 };

/* A call of grids of cells, or of a list. */
typedef struct tile_job {
    model m;
    clsp_solid_desc d; /* with defaults in place */
    clsp_solid_plan *plan;
    bool is_list;
    clsp_points points; /* of a list */
    float *params;
    uint32_t *cells;
    clsp_tiling all;
    size_t element;
} tile_job;

static clsp_status call(const tile_job *j, void *out, size_t size, const clsp_run *run)
{
    const clsp_output to = host_out(j->d.vertex.type, out, size);

    if (j->is_list) return clsp_solid_eval_points(j->plan, &j->points, to, run);
    return clsp_solid_eval(j->plan, (clsp_range){FIRST_CELL, j->m.counts.num_cells - FIRST_CELL},
                           to, run);
}

static clsp_tiling ask(const tile_job *j, clsp_range tiles)
{
    clsp_tiling tiling;
    const clsp_share share = {.schedule = CLSP_SCHEDULE_HOST, .tiles = tiles};

    assert_ok(ctx, call(j, NULL, 0, &(clsp_run){.share = &share, .tiling = &tiling}));
    return tiling;
}

static clsp_status make_tiles(const tile_job *j, clsp_range tiles, clsp_schedule by, void *out)
{
    const clsp_share share = {.schedule = by, .tiles = tiles};
    const clsp_range elements = ask(j, tiles).elements;

    return call(j, (char *)out + elements.first * j->element, elements.count,
                &(clsp_run){.share = &share});
}

static tile_job start(const clsp_solid_desc *desc, size_t num_points)
{
    solid_case prism = solid_prism(5, 1, 40);
    tile_job j = {.m = solid_model_of(&prism, desc->dim ? desc->dim : 3),
                  .is_list = num_points > 0};
    const size_t num = j.m.counts.num_vertices * j.m.dim;
    float *const narrow = malloc(num * sizeof *narrow);
    uint64_t seed = 5;

    solid_free(&prism);
    assert_ok(ctx, clsp_solid_plan_create(&j.plan, j.m.mesh, desc));
    assert_ok(ctx, clsp_solid_plan_desc(j.plan, &j.d));
    j.element = clsp_type_bytes(j.d.vertex.type);
    j.params = malloc((3 * num_points + 1) * sizeof *j.params);
    j.cells = malloc((num_points + 1) * sizeof *j.cells);
    for (size_t i = 0; i < 3 * num_points; i++)
        j.params[i] = (float)(0.5 + 0.5 * support_uniform(&seed));
    for (size_t i = 0; i < num_points; i++)
        j.cells[i] = (uint32_t)(support_random(&seed) % j.m.counts.num_cells);
    j.points = (clsp_points){.num = num_points,
                             .item = clsp_in_u32(j.cells, num_points),
                             .params = clsp_in_f32(j.params, 3 * num_points),
                             .planar = 1};
    j.all = ask(&j, (clsp_range){0, 0}); /* before there are control points */
    assert_true(j.all.num_tiles > 1);
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)j.m.points[i];
    assert_ok(ctx, clsp_solid_set_control_points(j.plan, clsp_in_f32(narrow, num), NULL));
    free(narrow);
    return j;
}

static void finish(tile_job *j)
{
    clsp_solid_plan_destroy(&j->plan);
    solid_model_free(&j->m);
    free(j->params);
    free(j->cells);
}

/* ---- threads ---- */

typedef struct tile_worker {
    const tile_job *job;
    void *out;
    size_t first;
    clsp_status status;
    pthread_t thread;
} tile_worker;

/* Makes every THREADS-th tile, those of others at the same time. */
static void *work(void *user)
{
    tile_worker *const w = user;

    for (size_t t = w->first; t < w->job->all.num_tiles && w->status == CLSP_OK; t += THREADS)
        w->status = make_tiles(w->job, (clsp_range){t, 1}, CLSP_SCHEDULE_HOST, w->out);
    return NULL;
}

static void make_by_threads(const tile_job *j, void *out)
{
    tile_worker workers[THREADS];

    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (tile_worker){.job = j, .out = out, .first = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_ok(ctx, workers[i].status);
    }
}

/* ---- checks ---- */

/* Calls without a share, into memory that is aligned to bytes alone: by the device or by the host,
   and cell by cell by the same one. whole: the results of both. */
static void check_alone(const tile_job *j, size_t size, unsigned char *const whole[2])
{
    const size_t num = j->m.counts.num_cells - FIRST_CELL, bytes = size * j->element;
    const size_t cell = bytes / num;
    unsigned char *const memory = malloc(bytes + 1), *const one = malloc(cell + 1);

    support_poison(memory, bytes + 1);
    assert_ok(ctx, call(j, memory + 1, size, NULL));
    assert_true(memcmp(memory + 1, whole[0], bytes) == 0 ||
                memcmp(memory + 1, whole[1], bytes) == 0);
    for (size_t i = 0; i < num && !j->is_list; i += num / 3) {
        support_poison(one, cell + 1);
        assert_ok(ctx, clsp_solid_eval(j->plan, (clsp_range){FIRST_CELL + i, 1},
                                       host_out(j->d.vertex.type, one + 1, size / num), NULL));
        assert_memory_equal(one + 1, memory + 1 + i * cell, cell);
    }
    free(memory);
    free(one);
}

static void check_job(const clsp_solid_desc *desc, size_t num_points)
{
    tile_job j = start(desc, num_points);
    const size_t size = j.all.elements.count, bytes = size * j.element;
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    unsigned char *const whole[2] = {malloc(bytes), malloc(bytes)};
    unsigned char *const tiles[2] = {malloc(bytes), malloc(bytes)};

    for (int k = 0; k < 2; k++) {
        support_poison(whole[k], bytes);
        support_poison(tiles[k], bytes);
    }
    make_by_threads(&j, tiles[1]); /* first, so that threads meet in what is prepared */
    assert_ok(ctx,
              make_tiles(&j, (clsp_range){0, j.all.num_tiles}, CLSP_SCHEDULE_DEVICE, whole[0]));
    assert_ok(ctx, call(&j, whole[1], size, &(clsp_run){.share = &by_host}));
    for (size_t t = j.all.num_tiles; t-- > 0;)
        assert_ok(ctx, make_tiles(&j, (clsp_range){t, 1}, CLSP_SCHEDULE_DEVICE, tiles[0]));
    for (int k = 0; k < 2; k++)
        assert_memory_equal(whole[k], tiles[k], bytes);
    check_alone(&j, size, whole);
    const clsp_range some = {1, j.all.num_tiles - 1}, beyond = {1, j.all.num_tiles};
    const clsp_share shared = {.schedule = CLSP_SCHEDULE_DYNAMIC, .tiles = some};
    const clsp_range elements = ask(&j, some).elements;
    support_poison(tiles[0], bytes);
    assert_ok(ctx, call(&j, tiles[0], elements.count, &(clsp_run){.share = &shared}));
    for (size_t i = 0; i < elements.count; i++)
        if (!isnan(element_of(whole[0], j.d.vertex.type, elements.first + i)))
            assert_true(fabs(element_of(tiles[0], j.d.vertex.type, i) -
                             element_of(whole[0], j.d.vertex.type, elements.first + i)) < 1e-3);
    const clsp_share wrong = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = beyond};
    assert_status(ctx, call(&j, tiles[0], size, &(clsp_run){.share = &wrong}), CLSP_ERROR_ARGUMENT);
    for (int k = 0; k < 2; k++) {
        free(whole[k]);
        free(tiles[k]);
    }
    finish(&j);
}

static void test_tiles(void **state)
{
    static const clsp_solid_desc plain = {.axis = {{.num = 8}, {.num = 8}, {.num = 8}}};
    static const clsp_solid_desc more = {
        .axis = {{.num = 6}, {.num = 7}, {.num = 8}},
        .vertex = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_DV | CLSP_VERTEX_NORMAL,
                   .stride = 10}};
    static const clsp_solid_desc list = {
        .vertex = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_DU, .type = CLSP_F16}};

    (void)state;
    check_job(&plain, 0);
    check_job(&more, 0);
    check_job(&plain, 1500);
    check_job(&list, 1500);
}

/* A list without cells is of cell 0. */
static void test_no_items(void **state)
{
    static const clsp_solid_desc desc = {.dim = 3};
    tile_job j = start(&desc, 1500);
    float *const out = malloc(2 * 4500 * sizeof *out);

    (void)state;
    memset(j.cells, 0, 1500 * sizeof *j.cells);
    assert_ok(ctx, call(&j, out, 4500, NULL));
    j.points.item = (clsp_input){.host = NULL};
    assert_ok(ctx, call(&j, out + 4500, 4500, NULL));
    assert_memory_equal(out, out + 4500, 4500 * sizeof *out);
    free(out);
    finish(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_no_items),
    };

    support_begin();
    return solid_run_tests(tests);
}
