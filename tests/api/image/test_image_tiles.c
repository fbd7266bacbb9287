/* Images made tile by tile: by the device into memory of every kind, by threads of the caller's at
   once, and shared, each job's tiles have the bits of the whole by the same processor. Interleaved
   coordinates give the bits of planar ones. Wrong tiles are refused. */
#include "image_fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"

enum { NUM = 2, THREADS = 3, MOST_TILES = 12 };

typedef enum places_kind { MAP, FIELD, PLANAR, INTERLEAVED, PLACES } places_kind;

/* Which places a case has at each size of the tests, bits; all of them where every case is tried.
 */
enum { M = 1 << MAP, F = 1 << FIELD, LISTS = 1 << PLANAR | 1 << INTERLEAVED };

typedef struct tile_case {
    const char *name;
    clsp_image_desc d;
    uint32_t out[3]; /* the map's size */
    uint32_t attributes;
    unsigned places; /* all of them, in both precisions, where everything is tried */
    clsp_type precision;
    const char *limits; /* of the device; NULL: none */
} tile_case;

#define PLAIN .prefilter = CLSP_IMAGE_NONE
#define GPU   "class=discrete,local_is_real=1"

/* Rows of a few points, rows that are several tiles, and points of which several images share a
   tile; in 1 to 3 directions, each order, most modes, types and layouts. */
static const tile_case cases[] = {
    {"long rows", {.size = {30, 40}, PLAIN}, {5, 2200, 0}, 1, M | LISTS, CLSP_F32, NULL},
    {"short rows, gradient",
     {.size = {40, 44},
      .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_GRID_CONSTANT},
      .order = CLSP_IMAGE_QUINTIC,
      .channels = 2,
      .planar = 1,
      PLAIN},
     {61, 40, 0},
     3,
     F,
     CLSP_F32,
     GPU},
    {"u8, clipped",
     {.size = {50, 60},
      .samples = CLSP_U8,
      .channels = 3,
      .clip = 1,
      .order = CLSP_IMAGE_QUARTIC,
      PLAIN},
     {3, 1500, 0},
     1,
     0,
     CLSP_F32,
     "class=integrated"},
    {"a volume",
     {.directions = 3,
      .size = {9, 10, 11},
      .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_REFLECT},
      .order = CLSP_IMAGE_QUADRATIC,
      PLAIN},
     {4, 3, 600},
     1,
     1 << INTERLEAVED,
     CLSP_F32,
     GPU},
    {"a line",
     {.directions = 1, .size = {300}, .mode = {CLSP_IMAGE_WRAP}, .order = CLSP_IMAGE_LINEAR},
     {3000, 0, 0},
     2,
     0,
     CLSP_F32,
     NULL},
    {"few points",
     {.size = {9, 7}, .order = CLSP_IMAGE_NEAREST_SAMPLE},
     {5, 6, 0},
     1,
     F,
     CLSP_F64,
     "class=integrated"},
    {"in host memory",
     {.size = {60, 80},
      .mode = {CLSP_IMAGE_NEAREST},
      .samples = CLSP_F16,
      .coefficients = CLSP_F16,
      .storage = CLSP_IMAGE_ON_HOST},
     {4, 1300, 0},
     1,
     0,
     CLSP_F32,
     NULL},
    {"windows", {.size = {200, 220}, PLAIN}, {30, 300, 0}, 1, F, CLSP_F32, GPU ",alloc=60000"},
    {"a GPU's kernels", {.size = {90, 70}, PLAIN}, {40, 1100, 0}, 1, M, CLSP_F32, GPU},
    {"texels",
     {.size = {40, 50}, .fetch = CLSP_IMAGE_TEXELS, PLAIN},
     {7, 1100, 0},
     1,
     M,
     CLSP_F32,
     NULL},
    {"texels of a volume",
     {.directions = 3, .size = {12, 13, 14}, .fetch = CLSP_IMAGE_LERPS, PLAIN},
     {3, 4, 400},
     1,
     0,
     CLSP_F32,
     NULL},
};

/* A job, and what it writes as a whole by the device and by the host. */
typedef struct tile_job {
    const tile_case *c;
    images im;
    places_kind at;
    clsp_image_map map;
    size_t points, size, bytes, element;
    double *given; /* displacements or coordinates, in the precision */
    unsigned char *by_device, *by_host;
} tile_job;

/* ---- jobs ---- */

static clsp_image_map turned(const tile_job *j)
{
    clsp_image_map map = clsp_image_identity();

    for (uint32_t d = 0; d < j->im.d.directions; d++) {
        for (uint32_t k = 0; k < j->im.d.directions; k++)
            map.matrix[d][k] = (d == k ? 0.9 : 0.07) * j->im.d.size[d] / j->c->out[k];
        map.matrix[d][3] = -1.25;
        map.size[d] = j->c->out[d];
    }
    map.attributes = j->c->attributes;
    return map;
}

/* Draws what points are given; interleaved it is the same as planar, in another order. */
static double *draw_given(const tile_job *j)
{
    const size_t directions = j->im.d.directions, num = directions * j->points;
    double *const given = malloc((num + 1) * sizeof *given);
    uint64_t state = 77;

    assert_non_null(given);
    for (size_t k = 0; k < num; k++) {
        const size_t d = k / j->points, p = k % j->points;
        const double x = support_uniform(&state), along = (double)p / (double)j->points;
        const double at = (1.1 * along - 0.05) * j->im.d.size[d] + 2.0 * x;
        set_element(given, j->im.d.precision, j->at == INTERLEAVED ? p * directions + d : k,
                    p == 17          ? (double)NAN
                    : j->at == FIELD ? 3.0 * x
                                     : at);
    }
    return given;
}

/* Says where the points of a job are, with what they are given in a store, or the job's own. */
static clsp_image_map places_of(const tile_job *j, const store *given)
{
    const clsp_input in =
        given ? store_in(given)
              : host_in(j->im.d.precision, j->given, j->im.d.directions * j->points);
    clsp_image_map list = list_of(j->points, in, j->c->attributes);

    list.at.planar = j->at == PLANAR;
    return j->at == MAP ? j->map : j->at == FIELD ? displaced_by(j->map, in) : list;
}

static clsp_status eval(const tile_job *j, const clsp_image_map *map, clsp_output out,
                        const clsp_run *run)
{
    return clsp_image_eval(j->im.plan, (clsp_range){0, NUM}, map, out, run);
}

static clsp_tiling ask(const tile_job *j, clsp_range tiles)
{
    const clsp_image_map map = places_of(j, NULL);
    const clsp_share share = {.tiles = tiles};
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    clsp_tiling tiling;

    memset(&tiling, 0xa5, sizeof tiling);
    assert_ok(j->im.ctx, eval(j, &map, none, &(clsp_run){.share = &share, .tiling = &tiling}));
    for (int k = 0; k < CLSP_RESERVED; k++)
        assert_int_equal(tiling.reserved[k], 0);
    return tiling;
}

/* Makes tiles; count 0: all. */
static clsp_status make_tiles(const tile_job *j, const clsp_image_map *map, clsp_schedule by,
                              clsp_range tiles, clsp_output out)
{
    const clsp_share share = {.schedule = by, .tiles = tiles};

    return eval(j, map, out, &(clsp_run){.share = &share});
}

static unsigned char *poisoned(size_t bytes)
{
    unsigned char *const memory = malloc(bytes + 1);

    assert_non_null(memory);
    support_poison(memory, bytes);
    return memory;
}

static tile_job start_job(clsp_context *ctx, const tile_case *c, const clsp_image_desc *d,
                          places_kind at)
{
    tile_job j = {.c = c, .im = images_make(ctx, d, NUM, false, 5), .at = at, .points = 1};

    for (uint32_t k = 0; k < j.im.d.directions; k++)
        j.points *= c->out[k];
    j.map = turned(&j);
    j.given = draw_given(&j);
    j.size = output_size(&j.im, j.points, c->attributes);
    j.element = clsp_type_bytes(j.im.d.values);
    j.bytes = j.size * j.element;
    j.by_device = poisoned(j.bytes);
    j.by_host = poisoned(j.bytes);
    const clsp_image_map map = places_of(&j, NULL);
    const clsp_range all = {0, ask(&j, (clsp_range){0, 0}).num_tiles};
    store whole = store_make(ctx, BUFFER, j.im.d.values, 0, j.size, NULL);
    assert_ok(ctx, eval(&j, &map, store_out(&whole), NULL));
    memcpy(j.by_device, store_read(&whole), j.bytes);
    store_free(&whole);
    assert_ok(ctx, make_tiles(&j, &map, CLSP_SCHEDULE_HOST, all,
                              host_out(j.im.d.values, j.by_host, j.size)));
    return j;
}

static void finish_job(tile_job *j)
{
    free(j->by_device);
    free(j->by_host);
    free(j->given);
    images_free(&j->im);
}

/* ---- tilings ---- */

/* Tiles follow each other and fill the whole output, whatever is restricted. */
static void check_tiling(const tile_job *j)
{
    const clsp_tiling whole = ask(j, (clsp_range){0, 0});
    size_t at = 0;

    assert_int_equal(whole.elements.first, 0);
    assert_int_equal(whole.elements.count, j->size);
    for (size_t k = 0; k < whole.num_tiles; k++) {
        const clsp_tiling one = ask(j, (clsp_range){k, 1});
        assert_int_equal(one.num_tiles, whole.num_tiles);
        assert_int_equal(one.elements.first, at);
        at += one.elements.count;
    }
    assert_int_equal(at, j->size);
}

/* ---- tiles by the device ---- */

/* Makes tiles into and from memory of a kind; wanted: the whole. */
static void check_range(const tile_job *j, store_kind kind, clsp_range tiles, clsp_schedule by,
                        const unsigned char *wanted)
{
    const clsp_tiling tiling = ask(j, tiles);
    const size_t num = j->im.d.directions * j->points;
    const bool is_small = j->c->limits && strstr(j->c->limits, "alloc");
    const bool from_host = kind == HOST || j->im.d.storage == CLSP_IMAGE_ON_HOST || is_small;
    store out = store_make(j->im.ctx, kind, j->im.d.values, 3, tiling.elements.count, NULL);
    store in = store_make(j->im.ctx, from_host ? HOST : kind, j->im.d.precision, 5, num, j->given);
    const clsp_image_map map = places_of(j, &in);

    assert_ok(j->im.ctx, make_tiles(j, &map, by, tiles, store_out(&out)));
    if (memcmp(store_read(&out), wanted + tiling.elements.first * j->element,
               tiling.elements.count * j->element) != 0)
        fail_msg("%s, place %d, memory %d: tiles %zu + %zu by %s have other bits", j->c->name,
                 (int)j->at, (int)kind, tiles.first, tiles.count, clsp_schedule_name(by));
    store_free(&in);
    store_free(&out);
}

/* Makes each tile or some of them, ranges that begin and end within rows, and all. */
static void check_ranges(const tile_job *j, store_kind kind, clsp_schedule by,
                         const unsigned char *wanted)
{
    const size_t num = ask(j, (clsp_range){0, 0}).num_tiles;
    const size_t step = num > MOST_TILES && !support_full() ? num / MOST_TILES + 1 : 1;

    for (size_t k = 0; k < num; k += step)
        check_range(j, kind, (clsp_range){k, 1}, by, wanted);
    check_range(j, kind, (clsp_range){num / 3, num - num / 3 - (num > 3)}, by, wanted);
    check_range(j, kind, (clsp_range){0, num}, by, wanted);
}

static void check_by_device(const tile_job *j)
{
    for (int kind = HOST; kind < STORE_KINDS; kind++)
        if (has_kind(j->im.ctx, (store_kind)kind))
            check_ranges(j, (store_kind)kind, CLSP_SCHEDULE_DEVICE, j->by_device);
}

/* ---- tiles by the caller's threads ---- */

typedef struct tile_thread {
    const tile_job *j;
    size_t first; /* tile, and every THREADS-th behind it */
    unsigned char *out;
    clsp_status status;
    pthread_t thread;
} tile_thread;

static void *make_every_nth(void *user)
{
    tile_thread *const t = user;
    const clsp_image_map map = places_of(t->j, NULL);
    clsp_tiling tiling;

    for (size_t k = t->first; t->status == CLSP_OK; k += THREADS) {
        const clsp_share share = {.schedule = CLSP_SCHEDULE_HOST, .tiles = {k, 1}};
        const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
        if (eval(t->j, &map, none, &(clsp_run){.share = &share, .tiling = &tiling}) != CLSP_OK)
            return NULL; /* there are no more */
        const clsp_output out =
            host_out(t->j->im.d.values, t->out + tiling.elements.first * t->j->element,
                     tiling.elements.count);
        cl_event done = NULL;
        t->status = eval(t->j, &map, out, &(clsp_run){.share = &share, .done = &done});
        if (done) clReleaseEvent(done);
    }
    return NULL;
}

/* Threads make tiles of one plan at once, whose coefficients have not been brought to the host. */
static void check_by_threads(const tile_job *j)
{
    unsigned char *const out = poisoned(j->bytes);
    const size_t all = NUM * j->im.samples * j->im.d.channels;
    tile_thread threads[THREADS];

    assert_ok(j->im.ctx, clsp_image_set_samples(j->im.plan, NUM,
                                                host_in(j->im.d.samples, j->im.memory, all), NULL));
    for (size_t k = 0; k < THREADS; k++) {
        threads[k] = (tile_thread){.j = j, .first = k, .out = out};
        assert_int_equal(pthread_create(&threads[k].thread, NULL, make_every_nth, &threads[k]), 0);
    }
    for (size_t k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(threads[k].thread, NULL), 0);
        assert_ok(j->im.ctx, threads[k].status);
    }
    if (memcmp(out, j->by_host, j->bytes) != 0)
        fail_msg("%s, place %d: threads make other bits", j->c->name, (int)j->at);
    free(out);
}

/* Processors share some of the tiles. */
static void check_shared(const tile_job *j)
{
    const size_t num = ask(j, (clsp_range){0, 0}).num_tiles, first = num / 3;
    const clsp_share share = {
        .schedule = CLSP_SCHEDULE_DYNAMIC, .bit_equal = 1, .tiles = {first, num - first}};
    const clsp_tiling tiling = ask(j, share.tiles);
    unsigned char *const out = poisoned(j->bytes);
    const clsp_image_map map = places_of(j, NULL);
    clsp_report report;

    memset(&report, 0xa5, sizeof report);
    assert_ok(j->im.ctx, eval(j, &map, host_out(j->im.d.values, out, tiling.elements.count),
                              &(clsp_run){.share = &share, .report = &report}));
    assert_int_equal(report.num_tiles, share.tiles.count);
    assert_memory_equal(out, j->by_device + tiling.elements.first * j->element,
                        tiling.elements.count * j->element);
    free(out);
}

/* ---- every kind of job ---- */

static void check_job(const tile_job *j)
{
    check_tiling(j);
    check_by_device(j);
    check_ranges(j, HOST, CLSP_SCHEDULE_HOST, j->by_host);
    check_by_threads(j);
    check_shared(j);
}

static void check_case(clsp_context *ctx, const tile_case *c, clsp_type precision)
{
    const unsigned places = support_full() ? M | F | LISTS : c->places;
    clsp_image_desc d = c->d;
    tile_job jobs[PLACES];

    d.precision = precision;
    for (unsigned at = 0; at < PLACES; at++)
        if (places >> at & 1) {
            jobs[at] = start_job(ctx, c, &d, (places_kind)at);
            check_job(&jobs[at]);
        }
    if ((places & LISTS) == LISTS) {
        const tile_job *const planar = &jobs[PLANAR], *const interleaved = &jobs[INTERLEAVED];
        assert_memory_equal(planar->by_device, interleaved->by_device, planar->bytes);
        assert_memory_equal(planar->by_host, interleaved->by_host, planar->bytes);
    }
    for (unsigned at = 0; at < PLACES; at++)
        if (places >> at & 1) finish_job(&jobs[at]);
}

/* Tells whether the device can have a case in a precision. */
static bool has_case(clsp_context *ctx, const tile_case *c, clsp_type precision)
{
    const bool textured = c->d.fetch != CLSP_IMAGE_FETCH_DEFAULT;
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return (precision == CLSP_F32 || (info.fp64 && !textured)) &&
           (!textured || support_has_texels(ctx));
}

static void test_tiles(void **state)
{
    static const clsp_type precisions[] = {CLSP_F32, CLSP_F64};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i += support_tiny() ? 3 : 1) {
        const tile_case *const c = &cases[i];
        clsp_context *ctx = context_with(c->limits ? c->limits : "");
        assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
        for (size_t k = 0; k < COUNT(precisions); k++)
            if (has_case(ctx, c, precisions[k]) &&
                (support_full() || precisions[k] == c->precision))
                check_case(ctx, c, precisions[k]);
        clsp_context_destroy(&ctx);
    }
}

/* ---- what is asked, and what is wrong ---- */

/* Tilings are told before samples are loaded, and for more images than there are then. */
static void test_asked_before(void **state)
{
    clsp_context *ctx = context_with("");
    const clsp_image_desc d = {.size = {9, 10}};
    clsp_image_plan *plan;
    clsp_tiling before, after;
    float samples[2 * 9 * 10] = {0};
    const clsp_image_map map = {.size = {70, 1300}};
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    const clsp_range two = {0, 2}, three = {0, 3};

    (void)state;
    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &d));
    assert_ok(ctx, clsp_image_eval(plan, two, &map, none, &(clsp_run){.tiling = &before}));
    assert_ok(ctx, clsp_image_coefficients(plan, two, none, &(clsp_run){.tiling = &after}));
    assert_int_equal(after.num_tiles, 1);
    assert_int_equal(after.elements.count, 2 * 9 * 10);
    assert_status(ctx, clsp_image_eval(plan, two, &map, none, NULL), CLSP_ERROR_STATE);
    assert_ok(ctx, clsp_image_set_samples(plan, 2, clsp_in_f32(samples, 2 * 9 * 10), NULL));
    assert_ok(ctx, clsp_image_eval(plan, two, &map, none, &(clsp_run){.tiling = &after}));
    assert_memory_equal(&before, &after, sizeof before);
    assert_int_equal(after.elements.count, 2 * 70 * 1300);
    assert_status(ctx, clsp_image_eval(plan, three, &map, none, &(clsp_run){.tiling = &after}),
                  CLSP_ERROR_ARGUMENT);
    clsp_image_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

static void check_status(const tile_job *j, clsp_output out, const clsp_run *run)
{
    const clsp_image_map map = places_of(j, NULL);

    assert_status(j->im.ctx, eval(j, &map, out, run), CLSP_ERROR_ARGUMENT);
}

static void check_wrong(const tile_job *j, clsp_output out, clsp_context *other)
{
    const size_t num = ask(j, (clsp_range){0, 0}).num_tiles;
    const clsp_schedule by[] = {CLSP_SCHEDULE_DEVICE, CLSP_SCHEDULE_HOST, CLSP_SCHEDULE_DYNAMIC};
    clsp_report report;
    cl_int code;
    cl_event foreign = clCreateUserEvent(cl_context_of(other), &code);

    assert_int_equal(code, CL_SUCCESS);
    for (size_t k = 0; k < COUNT(by); k++) {
        clsp_share share = {.schedule = by[k], .tiles = {num, 1}};
        check_status(j, out, &(clsp_run){.share = &share});
        share.tiles = (clsp_range){num - 1, 2};
        check_status(j, out, &(clsp_run){.share = &share});
        share.tiles = (clsp_range){1, SIZE_MAX};
        check_status(j, out, &(clsp_run){.share = &share});
        share.tiles = (clsp_range){0, 1};
        check_status(j, out, &(clsp_run){.share = &share, .reserved = {1}});
        check_status(j, out, &(clsp_run){.share = &share, .num_wait = 1, .wait = &foreign});
        share.measure = 1;
        check_status(j, out, &(clsp_run){.share = &share});
    }
    check_status(j, out, &(clsp_run){.report = &report});
    assert_int_equal(clSetUserEventStatus(foreign, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(foreign);
}

static void test_wrong_tiles(void **state)
{
    clsp_context *ctx = context_with(""), *other = context_apart("");
    tile_job j = start_job(ctx, &cases[0], &cases[0].d, MAP);
    store buffer = store_make(ctx, BUFFER, j.im.d.values, 0, j.size, NULL);
    unsigned char *const out = poisoned(j.bytes + 1);
    const clsp_output good = host_out(j.im.d.values, out, j.size);
    const clsp_image_map map = places_of(&j, NULL);
    clsp_output odd = host_out(j.im.d.values, out + 1, j.size);
    const clsp_share host = {.schedule = CLSP_SCHEDULE_HOST, .tiles = {0, 1}},
                     device = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {0, 1}};
    clsp_output small = good;

    (void)state;
    check_wrong(&j, good, other);
    check_status(&j, store_out(&buffer), &(clsp_run){.share = &host});
    small.size = ask(&j, (clsp_range){0, 1}).elements.count - 1;
    assert_status(ctx, eval(&j, &map, small, &(clsp_run){.share = &host}), CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, eval(&j, &map, small, &(clsp_run){.share = &device}),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_true(support_poisoned(out, j.bytes + 1));
    small.size++;
    assert_ok(ctx, eval(&j, &map, small, &(clsp_run){.share = &device}));
    odd.size = small.size;
    assert_ok(ctx, eval(&j, &map, odd, &(clsp_run){.share = &device}));
    assert_memory_equal(out + 1, j.by_device, small.size * j.element);
    assert_ok(ctx, eval(&j, &map, small, &(clsp_run){.share = &host}));
    memcpy(j.by_device, out, small.size * j.element);
    assert_ok(ctx, eval(&j, &map, odd, &(clsp_run){.share = &host}));
    assert_memory_equal(out + 1, j.by_device, small.size * j.element);
    free(out);
    store_free(&buffer);
    finish_job(&j);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_asked_before),
        cmocka_unit_test(test_wrong_tiles),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
