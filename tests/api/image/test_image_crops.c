/* Parts of an image, made by plans of their own from the samples that clsp_image_need names, have
   the bits of the whole: of samples in host memory and in buffers, by the host where it makes the
   whole, by the device, through windows and by image objects. What a part cannot know is NaN. Wrong
   parts are refused. */
#include "image_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"
#include "random_fixture.h"

enum { MOST_TILES = 27, CUTS = 4 /* of a direction: three tiles */ };

typedef enum places_kind { MAP, FIELD, LIST, PLACES } places_kind;

typedef struct crop_case {
    const char *name;
    clsp_image_desc d;
    uint32_t out[3]; /* the whole output */
    uint32_t attributes;
    places_kind at;
    const char *limits; /* of the device; NULL: none */
    uint32_t areas;     /* of the map */
} crop_case;

#define GPU   "class=discrete,local_is_real=1"
#define PLAIN "class=integrated"
#define F64   .precision = CLSP_F64
#define MODES .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_REFLECT}

/* Images are larger than those that the host makes, where it says nothing else. */
static const crop_case cases[] = {
    {"blocks of the host", {.size = {430, 460}, MODES}, {150, 170, 0}, 1, MAP, NULL, 0},
    {"tiles on a GPU", {.size = {330, 400}, MODES}, {150, 170, 0}, 1, MAP, GPU, 1},
    {"strips on a GPU", {.size = {380, 520}, MODES, F64}, {120, 120, 0}, 1, MAP, GPU, 1},
    {"a small whole", {.size = {70, 80}, MODES}, {90, 77, 0}, 1, MAP, NULL, 0},
    {"a small whole's field", {.size = {70, 80}, MODES}, {33, 50, 0}, 1, FIELD, NULL, 0},
    {"a list",
     {.size = {300, 280}, .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_GRID_CONSTANT}},
     {1, 900, 0},
     3,
     LIST,
     PLAIN,
     0},
    {"a field, two poles, f64",
     {.size = {250, 260}, .order = CLSP_IMAGE_QUINTIC, MODES, F64},
     {70, 61, 0},
     1,
     FIELD,
     GPU,
     1},
    {"FIR, bytes, channels",
     {.size = {240, 250},
      .prefilter = CLSP_IMAGE_LEAST_SQUARES,
      .samples = CLSP_U8,
      .channels = 3,
      .cval = 7},
     {150, 101, 0},
     1,
     MAP,
     NULL,
     0},
    {"FIR through local memory",
     {.size = {210, 270},
      .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_WRAP},
      .prefilter = CLSP_IMAGE_TRUNCATED,
      .kernels = CLSP_IMAGE_STAGED},
     {90, 101, 0},
     1,
     MAP,
     GPU,
     0},
    {"a volume",
     {.directions = 3,
      .size = {150, 40, 200},
      .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_NEAREST, CLSP_IMAGE_REFLECT}},
     {12, 11, 40},
     1,
     MAP,
     NULL,
     0},
    {"a volume on a GPU",
     {.directions = 3, .size = {90, 80, 300}, .order = CLSP_IMAGE_QUADRATIC},
     {12, 11, 40},
     1,
     MAP,
     GPU,
     0},
    {"a line",
     {.directions = 1, .size = {2600}, .order = CLSP_IMAGE_QUARTIC, .mode = {CLSP_IMAGE_GRID_WRAP}},
     {700, 0, 0},
     3,
     MAP,
     PLAIN,
     0},
    {"coefficients in host memory",
     {.size = {300, 310},
      .mode = {CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_CONSTANT},
      .storage = CLSP_IMAGE_ON_HOST,
      .coefficients = CLSP_F16,
      .samples = CLSP_F16},
     {100, 160, 0},
     1,
     MAP,
     GPU,
     0},
    {"passes on a GPU",
     {.size = {310, 300}, .kernels = CLSP_IMAGE_PASSES, .order = CLSP_IMAGE_QUARTIC, MODES},
     {100, 90, 0},
     1,
     MAP,
     GPU,
     0},
    {"three poles, f64",
     {.size = {420, 430}, .order = CLSP_IMAGE_SEPTIC, MODES, F64},
     {100, 90, 0},
     1,
     MAP,
     PLAIN,
     0},
    {"three poles on a GPU",
     {.size = {620, 630}, .order = CLSP_IMAGE_SEXTIC, MODES},
     {100, 90, 0},
     1,
     MAP,
     GPU,
     0},
    {"the nearest sample",
     {.size = {220, 230}, .order = CLSP_IMAGE_NEAREST_SAMPLE, MODES},
     {100, 90, 0},
     1,
     MAP,
     PLAIN,
     0},
    {"texels",
     {.size = {280, 300}, .fetch = CLSP_IMAGE_TEXELS, MODES},
     {100, 130, 0},
     1,
     MAP,
     NULL,
     0},
    {"linear fetches",
     {.size = {280, 300}, .fetch = CLSP_IMAGE_LERPS, MODES},
     {100, 130, 0},
     1,
     MAP,
     NULL,
     0},
};

/* A whole with its values, and what places them. */
typedef struct crop_job {
    const crop_case *c;
    images im;
    size_t points, element; /* bytes of a point's values */
    clsp_image_map map;
    double *given; /* displacements or coordinates, in the precision, [directions][points] */
    unsigned char *values;
    unsigned cut;   /* tiles that did not need all samples */
    size_t lacking; /* values that were NaN for lack of samples */
} crop_job;

/* ---- wholes ---- */

/* Makes a map that turns the middle of an image, so that tiles need parts. */
static clsp_image_map turned(const crop_job *j)
{
    const uint32_t num = j->im.d.directions;
    clsp_image_map map = clsp_image_identity();

    for (uint32_t d = 0; d < num; d++) {
        const double n = j->im.d.size[d];
        map.size[d] = j->c->out[d];
        map.matrix[d][3] = 0.5 * n;
        for (uint32_t k = 0; k < num; k++) {
            map.matrix[d][k] = (d == k ? 0.51 : d < k ? 0.17 : -0.13) * n / j->c->out[k];
            map.matrix[d][3] -= 0.5 * map.matrix[d][k] * j->c->out[k];
        }
    }
    map.attributes = j->c->attributes;
    map.areas = j->c->areas;
    return map;
}

/* Gives each point a displacement, or all coordinates, near those of its neighbours. */
static void make_given(crop_job *j)
{
    const uint32_t num = j->im.d.directions;
    uint64_t state = 5;

    j->given = calloc(num * j->points + 1, sizeof(double));
    assert_non_null(j->given);
    for (uint32_t d = 0; d < num; d++)
        for (size_t p = 0; p < j->points; p++) {
            const double along = (double)p / (double)j->points, n = j->im.d.size[d];
            const double x = j->c->at == LIST ? n * (0.1 + 0.8 * along) : 0.0;
            set_element(j->given, j->im.d.precision, d * j->points + p,
                        x + 3.0 * support_uniform(&state));
        }
}

static crop_job start_job(clsp_context *ctx, const crop_case *c, const clsp_image_desc *d)
{
    crop_job j = {.c = c, .points = 1};

    j.im = images_make(ctx, d, 1, false, 3);
    for (uint32_t k = 0; k < j.im.d.directions; k++)
        j.points *= c->out[k];
    j.element =
        j.im.d.channels * components_of(&j.im, c->attributes) * clsp_type_bytes(j.im.d.values);
    j.map = turned(&j);
    if (c->at != MAP) make_given(&j);
    j.values = malloc(j.points * j.element);
    assert_non_null(j.values);
    return j;
}

static void finish_job(crop_job *j)
{
    images_free(&j->im);
    free(j->given);
    free(j->values);
}

/* ---- tiles ---- */

/* A part of the output: `size` points from `begin` on along each direction. */
typedef struct tile {
    uint32_t begin[3], size[3];
    size_t points;
    double *given; /* of these points; NULL: none */
} tile;

/* Returns where point p of a tile is in the whole output. */
static size_t whole_point(const crop_job *j, const tile *t, size_t p)
{
    const uint32_t num = j->im.d.directions;
    size_t at = 0, stride = 1;

    for (uint32_t d = num; d-- > 0;) {
        at += (t->begin[d] + p % t->size[d]) * stride;
        p /= t->size[d];
        stride *= j->c->out[d];
    }
    return at;
}

static tile make_tile(const crop_job *j, const uint32_t begin[3], const uint32_t end[3])
{
    const uint32_t num = j->im.d.directions;
    tile t = {.points = 1};

    for (uint32_t d = 0; d < num; d++) {
        t.begin[d] = begin[d];
        t.size[d] = end[d] - begin[d];
        t.points *= t.size[d];
    }
    if (!j->given) return t;
    t.given = malloc(num * t.points * sizeof(double));
    assert_non_null(t.given);
    for (uint32_t d = 0; d < num; d++)
        for (size_t p = 0; p < t.points; p++)
            set_element(
                t.given, j->im.d.precision, d * t.points + p,
                element_of(j->given, j->im.d.precision, d * j->points + whole_point(j, &t, p)));
    return t;
}

/* Makes the map of a tile. */
static clsp_image_map map_of(const crop_job *j, const tile *t)
{
    const size_t num = j->im.d.directions * t->points;
    clsp_image_map map = j->map;

    if (j->c->at == LIST)
        return list_of(t->points, host_in(j->im.d.precision, t->given, num), j->c->attributes);
    for (uint32_t d = 0; d < j->im.d.directions; d++) {
        map.origin[d] = t->begin[d];
        map.size[d] = t->size[d];
    }
    if (j->c->at == FIELD) map.displacements = host_in(j->im.d.precision, t->given, num);
    return map;
}

/* Tells whether memory of a type is NaN at an element. */
static bool is_nan_at(const void *memory, clsp_type type, size_t k)
{
    return (type == CLSP_F16 || type == CLSP_F32 || type == CLSP_F64) &&
           isnan(element_of(memory, type, k));
}

/* Compares the values of a tile with those of the whole. may_lack: NaN counts as equal; returns how
   many there are. */
static size_t compare(const crop_job *j, const tile *t, const void *values, bool may_lack)
{
    const clsp_type type = j->im.d.values;
    const size_t bytes = clsp_type_bytes(type), num = j->element / bytes;
    size_t lacking = 0;

    for (size_t p = 0; p < t->points; p++) {
        const size_t at = whole_point(j, t, p);
        for (size_t c = 0; c < num; c++) {
            const unsigned char *const got = (const unsigned char *)values + p * j->element;
            const bool is_missing = may_lack && is_nan_at(got, type, c);
            lacking += is_missing;
            if (is_missing ||
                memcmp(got + c * bytes, j->values + at * j->element + c * bytes, bytes) == 0)
                continue;
            fail_msg("%s: point %zu of a tile from %u %u %u, component %zu: %.17g, not %.17g",
                     j->c->name, p, t->begin[0], t->begin[1], t->begin[2], c,
                     element_of(got, type, c), element_of(j->values, type, at * num + c));
        }
    }
    return lacking;
}

/* ---- parts ---- */

/* Copies the samples of a part. */
static void *samples_of(const crop_job *j, const clsp_image_desc *part, size_t *num)
{
    const clsp_image_desc *const w = &j->im.d;
    const size_t bytes = w->channels * clsp_type_bytes(w->samples);
    const uint32_t last = w->directions - 1, row = part->size[last];
    unsigned char *to, *memory;

    *num = 1;
    for (uint32_t d = 0; d < w->directions; d++)
        *num *= part->size[d];
    to = memory = malloc(*num * bytes);
    assert_non_null(memory);
    for (size_t r = 0; r < *num / row; r++, to += row * bytes) {
        size_t at = 0, stride = w->size[last], left = r;
        for (uint32_t d = last; d-- > 0;) {
            at += (part->part.begin[d] + left % part->size[d]) * stride;
            left /= part->size[d];
            stride *= w->size[d];
        }
        memcpy(to, (unsigned char *)j->im.memory + (at + part->part.begin[last]) * bytes,
               row * bytes);
    }
    *num *= w->channels;
    return memory;
}

/* Makes a part's plan and loads its samples, from host memory or a buffer. */
static clsp_image_plan *load_part(const crop_job *j, const clsp_image_desc *part, bool by_buffer)
{
    clsp_context *const ctx = j->im.ctx;
    const clsp_type type = j->im.d.samples;
    clsp_image_plan *plan;
    size_t num;
    void *const memory = samples_of(j, part, &num);
    store buffer;

    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, part));
    if (by_buffer) {
        buffer = store_make(ctx, BUFFER, type, 3, num, memory);
        assert_ok(ctx, clsp_image_set_samples(plan, 1, store_in(&buffer), NULL));
        store_free(&buffer);
    } else
        assert_ok(ctx, clsp_image_set_samples(plan, 1, host_in(type, memory, num), NULL));
    free(memory);
    return plan;
}

/* Makes the values of a tile by a plan and compares them. */
static size_t check_values(const crop_job *j, clsp_image_plan *plan, const tile *t, bool by_buffer,
                           bool may_lack)
{
    clsp_context *const ctx = j->im.ctx;
    const clsp_image_map map = map_of(j, t);
    const size_t num = t->points * j->element / clsp_type_bytes(j->im.d.values);
    store out = store_make(ctx, by_buffer ? BUFFER : HOST, j->im.d.values, 1, num, NULL);

    assert_ok(ctx, clsp_image_eval(plan, (clsp_range){0, 1}, &map, store_out(&out), NULL));
    const size_t lacking = compare(j, t, store_read(&out), may_lack);
    store_free(&out);
    return lacking;
}

/* Makes a tile by the whole's plan, by one of what it needs, and by one that lacks a row of that.
 */
static void check_tile(crop_job *j, const tile *t, bool by_buffer)
{
    clsp_context *const ctx = j->im.ctx;
    const clsp_image_map map = map_of(j, t);
    clsp_image_desc part;

    check_values(j, j->im.plan, t, by_buffer, false);
    assert_ok(ctx, clsp_image_need(j->im.plan, &map, &part));
    j->cut += part.size[0] < j->im.d.size[0] || part.size[1] < j->im.d.size[1];
    clsp_image_plan *plan = load_part(j, &part, by_buffer);
    check_values(j, plan, t, by_buffer, false);
    clsp_image_desc again;
    assert_ok(ctx, clsp_image_need(plan, &map, &again));
    assert_memory_equal(&again, &part, sizeof part);
    clsp_image_plan_destroy(&plan);
    if (part.size[0] < 3 || j->im.d.values == CLSP_U8) return;
    part.part.begin[0]++;
    part.size[0] -= 2;
    plan = load_part(j, &part, by_buffer);
    j->lacking += check_values(j, plan, t, by_buffer, true);
    clsp_image_plan_destroy(&plan);
}

/* ---- all tiles ---- */

/* Cuts a direction unevenly: one point, some, and the rest. */
static void cut_direction(uint32_t n, uint32_t cuts[CUTS])
{
    cuts[0] = 0;
    cuts[1] = 1;
    cuts[2] = 1 + (n - 1) * 2 / 5;
    cuts[3] = n;
}

/* Makes the output tile by tile, from and into a kind of memory. */
static void check_tiles(crop_job *j, bool by_buffer)
{
    const uint32_t num = j->im.d.directions;
    uint32_t cuts[3][CUTS] = {{0, 1}, {0, 1}, {0, 1}};
    uint32_t tiles = 1;

    for (uint32_t d = 0; d < num; d++) {
        cut_direction(j->c->out[d], cuts[d]);
        tiles *= CUTS - 1;
    }
    for (uint32_t i = 0; i < tiles; i++) {
        uint32_t begin[3] = {0}, end[3] = {0}, left = i;
        bool is_empty = false;
        for (uint32_t d = 0; d < num; d++, left /= CUTS - 1) {
            begin[d] = cuts[d][left % (CUTS - 1)];
            end[d] = cuts[d][left % (CUTS - 1) + 1];
            is_empty = is_empty || begin[d] == end[d];
        }
        if (is_empty || (num == 3 && i % 4 != 2 && !support_full())) continue;
        tile t = make_tile(j, begin, end);
        check_tile(j, &t, by_buffer);
        free(t.given);
    }
}

/* Makes the whole by a plan of what its middle needs: of the rest it knows nothing. */
static void check_rest(const crop_job *j, const tile *all, bool by_buffer)
{
    uint32_t begin[3] = {0}, end[3] = {0};
    clsp_image_desc part;

    if (j->im.d.values == CLSP_U8) return;
    for (uint32_t d = 0; d < j->im.d.directions; d++) {
        begin[d] = j->c->out[d] / 3;
        end[d] = j->c->out[d] / 2 + 1;
    }
    tile middle = make_tile(j, begin, end);
    const clsp_image_map map = map_of(j, &middle);
    assert_ok(j->im.ctx, clsp_image_need(j->im.plan, &map, &part));
    clsp_image_plan *plan = load_part(j, &part, by_buffer);
    check_values(j, plan, all, by_buffer, true);
    clsp_image_plan_destroy(&plan);
    free(middle.given);
}

/* Makes the whole from samples in a kind of memory, and then the tiles. */
static void check_whole(crop_job *j, bool by_buffer)
{
    const uint32_t none[3] = {0, 0, 0};
    const tile all = make_tile(j, none, j->c->out);
    const clsp_image_map map = map_of(j, &all);
    const size_t num = j->points * j->element / clsp_type_bytes(j->im.d.values);

    if (by_buffer) images_load_from_buffer(&j->im);
    store out = store_make(j->im.ctx, by_buffer ? BUFFER : HOST, j->im.d.values, 0, num, NULL);
    assert_ok(j->im.ctx,
              clsp_image_eval(j->im.plan, (clsp_range){0, 1}, &map, store_out(&out), NULL));
    memcpy(j->values, store_read(&out), j->points * j->element);
    store_free(&out);
    check_tiles(j, by_buffer);
    check_rest(j, &all, by_buffer);
    free(all.given);
}

static void check_parts(const crop_case *c)
{
    clsp_context *ctx = context_with(c->limits ? c->limits : "");
    const bool can = c->d.fetch <= CLSP_IMAGE_BUFFERS || support_has_texels(ctx);

    if (can && (c->d.precision != CLSP_F64 || support_device().fp64)) {
        crop_job j = start_job(ctx, c, &c->d);
        check_whole(&j, false);
        check_whole(&j, true);
        if (c->d.size[0] > 70) assert_true(j.cut > 0);
        if (j.im.d.prefilter == CLSP_IMAGE_RECURSIVE) assert_true(j.lacking > 0);
        finish_job(&j);
    }
    clsp_context_destroy(&ctx);
}

static void test_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (support_full() || in_turn(i) || i < 4) check_parts(&cases[i]);
}

/* The few programs that make values of samples as they are, on a map and along displacements. */
static void test_few_parts(void **state)
{
    const clsp_image_desc d = {.size = {220, 230}, .prefilter = CLSP_IMAGE_NONE, MODES};
    const crop_case few[] = {{"a map", d, {110, 100}, 1, MAP, NULL, 0},
                             {"a field", d, {35, 31}, 1, FIELD, NULL, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof few / sizeof *few; i++)
        check_parts(&few[i]);
}

/* ---- by the host ---- */

/* Makes the values of a tile by the calling thread. */
static void make_by_host(const crop_job *j, clsp_image_plan *plan, const tile *t, void *values)
{
    const images im = {.ctx = j->im.ctx, .d = j->im.d, .plan = plan, .num = 1};
    const clsp_image_map map = map_of(j, t);
    const size_t num = t->points * j->element / clsp_type_bytes(j->im.d.values);

    assert_ok(im.ctx, eval_by(CLSP_SCHEDULE_HOST, &im, (clsp_range){0, 1}, &map,
                              host_out(j->im.d.values, values, num), NULL));
}

/* The caller's threads make the same values of a part as of the whole, and NaN of what it lacks. */
static void check_host(crop_job *j)
{
    const uint32_t begin[3] = {j->c->out[0] / 3, 7, 3}, none[3] = {0, 0, 0};
    const uint32_t end[3] = {j->c->out[0] / 2, 8, 30};
    tile all = make_tile(j, none, j->c->out), some = make_tile(j, begin, end);
    unsigned char *const values = malloc(some.points * j->element);
    const clsp_image_map map = map_of(j, &some);
    clsp_image_desc part;

    assert_non_null(values);
    make_by_host(j, j->im.plan, &all, j->values);
    assert_ok(j->im.ctx, clsp_image_need(j->im.plan, &map, &part));
    clsp_image_plan *plan = load_part(j, &part, false);
    make_by_host(j, plan, &some, values);
    assert_int_equal(compare(j, &some, values, false), 0);
    clsp_image_plan_destroy(&plan);
    part.part.begin[0]++;
    part.size[0] -= 2;
    plan = load_part(j, &part, false);
    make_by_host(j, plan, &some, values);
    assert_true(compare(j, &some, values, true) > 0);
    clsp_image_plan_destroy(&plan);
    free(values);
    free(all.given);
    free(some.given);
}

/* Points beyond an end of the nearest mode, far away or about a corner, need no more than what is
   there. */
static void test_beyond_by_host(void **state)
{
    static const crop_case outside = {
        "beyond an end",
        {.size = {430, 460}, .mode = {CLSP_IMAGE_NEAREST, CLSP_IMAGE_NEAREST}},
        {5, 70, 0},
        1,
        MAP,
        NULL,
        0};
    static const double shifts[] = {-2, 2, -0.5, 0.5};
    const uint32_t none[3] = {0, 0, 0};
    clsp_context *ctx = context_with("");

    (void)state;
    for (int i = 0; i < 8; i++) {
        clsp_image_desc desc = outside.d;
        if (i > 3) desc.order = CLSP_IMAGE_LINEAR;
        crop_job j = start_job(ctx, &outside, &desc);
        for (uint32_t d = 0; d < 2; d++)
            j.map.matrix[d][3] += shifts[i % 4] * j.im.d.size[d];
        const tile all = make_tile(&j, none, outside.out);
        void *const values = malloc(j.points * j.element);
        clsp_image_desc part;
        assert_non_null(values);
        make_by_host(&j, j.im.plan, &all, j.values);
        assert_ok(ctx, clsp_image_need(j.im.plan, &j.map, &part));
        clsp_image_plan *plan = load_part(&j, &part, false);
        make_by_host(&j, plan, &all, values);
        assert_int_equal(compare(&j, &all, values, false), 0);
        clsp_image_plan_destroy(&plan);
        free(values);
        free(all.given);
        finish_job(&j);
    }
    clsp_context_destroy(&ctx);
}

static void test_by_host(void **state)
{
    static const crop_case of_host[] = {
        {"by host", {.size = {430, 460}, MODES}, {150, 170, 0}, 1, MAP, NULL, 0},
        {"a field by host",
         {.size = {430, 460}, .mode = {CLSP_IMAGE_GRID_CONSTANT, CLSP_IMAGE_WRAP}},
         {150, 170, 0},
         1,
         FIELD,
         NULL,
         0},
        {"a volume by host",
         {.directions = 3, .size = {300, 40, 50}},
         {31, 11, 40},
         3,
         MAP,
         NULL,
         0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof of_host / sizeof *of_host; i++) {
        clsp_context *ctx = context_with("");
        crop_job j = start_job(ctx, &of_host[i], &of_host[i].d);
        check_host(&j);
        finish_job(&j);
        clsp_context_destroy(&ctx);
    }
}

/* ---- at random ---- */

/* Makes a description at random, whose programs are few where not everything is tried. */
static clsp_image_desc random_desc(uint64_t *state)
{
    const bool all = support_full();
    clsp_image_desc d = {.directions = all ? 1 + random_below(state, 3) : 2};

    for (uint32_t k = 0; k < d.directions; k++) {
        d.size[k] = (d.directions == 1   ? 600
                     : d.directions == 2 ? 170
                                         : 20) +
                    random_below(state, d.directions == 3 && k != 1 ? 180 : 60);
        d.mode[k] = (clsp_image_mode)random_below(state, CLSP_IMAGE_WRAP + 1);
    }
    d.prefilter = (clsp_image_prefilter)random_below(state, CLSP_IMAGE_NONE + 1);
    if (all) d.order = order_of(random_below(state, ORDERS));
    if (all && one_in(state, 3) && support_device().fp64) d.precision = CLSP_F64;
    if (all && one_in(state, 4)) d.storage = CLSP_IMAGE_ON_HOST;
    if (all && one_in(state, 4)) d.kernels = CLSP_IMAGE_PASSES;
    if (d.kernels == 0 && one_in(state, 4)) d.channels = 2;
    d.cval = support_uniform(state);
    return d;
}

static void test_random(void **state)
{
    const unsigned num = support_full() ? 120 : support_tiny() ? 1 : 6;
    uint64_t numbers = 20;

    (void)state;
    for (unsigned i = 0; i < num; i++) {
        const char *const limits = one_in(&numbers, 2) ? "" : GPU;
        const clsp_image_desc d = random_desc(&numbers);
        const bool is_volume = d.directions == 3;
        const crop_case c = {.name = "at random",
                             .d = d,
                             .out = {is_volume ? 5 : 40, is_volume ? 6 : 50, 33},
                             .attributes = 1,
                             .at = (places_kind)random_below(&numbers, LIST)};
        clsp_context *ctx = context_with(limits);
        crop_job j = start_job(ctx, &c, &d);
        check_whole(&j, i % 2);
        finish_job(&j);
        clsp_context_destroy(&ctx);
    }
}

/* ---- what is wrong ---- */

static void test_wrong_parts(void **state)
{
    clsp_context *ctx = context_with("");
    const clsp_image_desc right = {.size = {30, 40}, .part = {.begin = {5, 0}, .whole = {50, 40}}};
    clsp_image_desc d[9];
    clsp_image_plan *plan;
    size_t n = 0;

    (void)state;
    for (size_t k = 0; k < sizeof d / sizeof *d; k++)
        d[k] = right;
    d[n++].part.whole[0] = 34;
    d[n++].part.begin[0] = 21;
    d[n++].part.begin[0] = UINT32_MAX;
    d[n++].part.begin[1] = 1;
    d[n++].part.whole[0] = CLSP_IMAGE_MAX_SIZE + 1u;
    d[n].part.whole[1] = 0;
    d[n++].part.begin[1] = 1;
    d[n++].clip = 1;
    d[n++].kernels = CLSP_IMAGE_LINES;
    for (size_t k = 0; k < n; k++) {
        assert_status(ctx, clsp_image_plan_create(&plan, ctx, &d[k]), CLSP_ERROR_ARGUMENT);
        assert_null(plan);
    }
    const uint32_t most = CLSP_IMAGE_MAX_SIZE;
    const clsp_image_desc vast = {
        .directions = 3, .size = {1, 1, 1}, .part = {.whole = {most, most, most}}};
    assert_status(ctx, clsp_image_plan_create(&plan, ctx, &vast), CLSP_ERROR_NO_MEMORY);
    clsp_image_desc made;
    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &right));
    assert_ok(ctx, clsp_image_plan_desc(plan, &made));
    assert_memory_equal(&made.part.begin, &right.part.begin, 2 * sizeof(uint32_t));
    assert_memory_equal(&made.part.whole, &right.part.whole, 2 * sizeof(uint32_t));
    clsp_image_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

static void test_wrong_needs(void **state)
{
    clsp_context *ctx = context_with("");
    const clsp_image_desc d = {.size = {30, 40}}, poison = {.directions = 77};
    clsp_image_desc part = poison;
    clsp_image_map map = clsp_image_identity();
    clsp_image_plan *plan;
    const double reals[2] = {0};

    (void)state;
    assert_ok(ctx, clsp_image_plan_create(&plan, ctx, &d));
    assert_status(NULL, clsp_image_need(NULL, &map, &part), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_image_need(plan, &map, NULL), CLSP_ERROR_ARGUMENT);
    map.matrix[0][1] = NAN;
    assert_status(ctx, clsp_image_need(plan, &map, &part), CLSP_ERROR_ARGUMENT);
    map = clsp_image_identity();
    map.origin[0] = CLSP_IMAGE_MAX_SIZE;
    assert_status(ctx, clsp_image_need(plan, &map, &part), CLSP_ERROR_ARGUMENT);
    map = list_of(1, clsp_in_f64(reals, 2), 0); /* of another type */
    assert_status(ctx, clsp_image_need(plan, &map, &part), CLSP_ERROR_ARGUMENT);
    map = list_of(1, clsp_in_f32((const float *)(const void *)reals, 1), 0);
    assert_status(ctx, clsp_image_need(plan, &map, &part), CLSP_ERROR_BUFFER_SIZE);
    store buffer = store_make(ctx, BUFFER, CLSP_F32, 0, 2, NULL);
    map = list_of(1, store_in(&buffer), 0);
    assert_status(ctx, clsp_image_need(plan, &map, &part), CLSP_ERROR_ARGUMENT);
    assert_memory_equal(&part, &poison, sizeof part);
    store_free(&buffer);
    assert_ok(ctx, clsp_image_need(plan, NULL, &part));
    assert_int_equal(part.size[0], 30);
    assert_int_equal(part.part.whole[1], 40);
    clsp_image_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_few_parts),
        cmocka_unit_test(test_by_host),     cmocka_unit_test(test_beyond_by_host),
        cmocka_unit_test(test_random),      cmocka_unit_test(test_wrong_parts),
        cmocka_unit_test(test_wrong_needs),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
