/* Random sequences of calls of images, right ones and such as are wrong in any argument. Each gives
   a status: what is right is done, what is refused writes nothing, and what is done has the bits
   that a fresh plan makes, whatever came before. */
#include "image_fixture.h"

#include <math.h>
#include <string.h>

#include "random_fixture.h"

enum { MOST_IMAGES = 3, MOST_REALS = 12288, CALLS = 60 };

typedef enum request_kind { LOAD, COEFFICIENTS, AFFINE, AT, DISPLACE, KINDS } request_kind;

/* The arguments of a call. */
typedef struct request {
    request_kind kind;
    bool shared;
    size_t num_images;
    clsp_range images;
    clsp_image_map map;
    clsp_input in; /* samples */
    clsp_output out;
    clsp_run run;
    clsp_share share;
} request;

/* A plan with what it was given. */
typedef struct player {
    clsp_context *ctx;
    clsp_image_desc d; /* with defaults in place */
    clsp_image_plan *plan;
    request load; /* the last one; of no images: there was none */
    uint64_t state;
    unsigned done, refused;
} player;

static double samples[MOST_REALS], reals[MOST_REALS], values[MOST_REALS], wanted[MOST_REALS];

/* ---- right arguments ---- */

/* What differs in programs is one of three; the rest is random. */
static clsp_image_desc random_desc(uint64_t *state)
{
    static const clsp_image_desc of_programs[] = {
        {.directions = 2},
        {.directions = 3, .order = CLSP_IMAGE_LINEAR, .samples = CLSP_U8, .clip = 1},
        {.directions = 1,
         .order = CLSP_IMAGE_QUADRATIC,
         .prefilter = CLSP_IMAGE_TRUNCATED,
         .taps = 7},
    };
    clsp_image_desc d = of_programs[random_below(state, 3)];

    for (uint32_t k = 0; k < d.directions; k++) {
        d.size[k] = 1 + random_below(state, d.directions == 3 ? 6 : 30);
        d.mode[k] = (clsp_image_mode)random_below(state, CLSP_IMAGE_WRAP + 1);
    }
    d.channels = 1 + random_below(state, 3);
    d.planar = random_below(state, 2);
    d.cval = support_uniform(state);
    if (d.directions == 2 && one_in(state, 3)) d.storage = CLSP_IMAGE_ON_HOST;
    return d;
}

static size_t samples_of(const clsp_image_desc *d)
{
    size_t num = d->channels;

    for (uint32_t k = 0; k < d->directions; k++)
        num *= d->size[k];
    return num;
}

static size_t coefficients_of(const clsp_image_desc *d)
{
    size_t num = d->channels;

    for (uint32_t k = 0; k < d->directions; k++) {
        const bool padded =
            d->prefilter != CLSP_IMAGE_NONE && d->order > CLSP_IMAGE_LINEAR &&
            (d->mode[k] == CLSP_IMAGE_NEAREST || d->mode[k] == CLSP_IMAGE_GRID_CONSTANT);
        num *= d->size[k] + (padded ? 2 * CLSP_IMAGE_PAD : 0);
    }
    return num;
}

static void random_map(player *p, clsp_image_map *map, size_t *points)
{
    *map = clsp_image_identity();
    *points = 1;
    for (uint32_t k = 0; k < p->d.directions; k++) {
        for (uint32_t i = 0; i < 4; i++)
            map->matrix[k][i] += support_uniform(&p->state);
        map->size[k] = 1 + random_below(&p->state, p->d.directions == 3 ? 5 : 12);
        map->origin[k] = random_below(&p->state, 3);
        *points *= map->size[k];
    }
    if (p->d.directions == 2) map->attributes = random_below(&p->state, 4);
}

/* Makes a call that is right once there are samples, with memory that just suffices. */
static request right_request(player *p, request_kind kind)
{
    const size_t loaded = p->load.num_images, first = random_below(&p->state, (uint32_t)loaded + 1);
    const clsp_range range = {first, random_below(&p->state, (uint32_t)(loaded - first) + 1)};
    request r = {.kind = kind,
                 .shared = one_in(&p->state, 3),
                 .num_images = 1 + random_below(&p->state, MOST_IMAGES),
                 .images = range,
                 .share = {.bit_equal = 1}};
    size_t points, size = range.count;

    random_map(p, &r.map, &points);
    if (kind == AT) points = 1 + random_below(&p->state, 40);
    const clsp_input in = host_in(p->d.precision, reals, points * p->d.directions);
    const uint32_t components = (r.map.attributes != CLSP_IMAGE_GRADIENT) +
                                (r.map.attributes & CLSP_IMAGE_GRADIENT ? p->d.directions : 0);
    if (kind == AT) {
        r.map = list_of(points, in, r.map.attributes);
        r.map.at.planar = random_below(&p->state, 2);
    }
    if (kind == DISPLACE) r.map.displacements = in;
    if (kind == LOAD) r.in = host_in(p->d.samples, samples, r.num_images * samples_of(&p->d));
    size *= kind == COEFFICIENTS ? coefficients_of(&p->d) : points * p->d.channels * components;
    assert_true(size * sizeof(float) <= sizeof values);
    r.out = host_out(kind == COEFFICIENTS ? p->d.coefficients : p->d.values, values, size);
    return r;
}

/* ---- wrong arguments ---- */

static void spoil_map(uint64_t *state, clsp_image_map *map)
{
    const uint32_t k = random_below(state, 3);

    switch (random_below(state, 6)) {
    case 0:
        map->matrix[k][random_below(state, 4)] = strange_real(state);
        break;
    case 1:
        map->size[k] = strange_number(state);
        break;
    case 2:
        map->attributes = strange_number(state);
        break;
    case 3:
        map->origin[k] = UINT64_MAX - strange_number(state);
        break;
    case 4:
        map->areas = strange_number(state);
        break;
    default:
        map->reserved[0] = 1;
        break;
    }
}

static void spoil_points(uint64_t *state, clsp_points *points)
{
    switch (random_below(state, 5)) {
    case 0:
        points->num = strange_size(state);
        break;
    case 1:
        points->planar = strange_number(state);
        break;
    case 2:
        points->reserved[3] = 1;
        break;
    case 3:
        spoil_input(state, &points->item);
        break;
    default:
        spoil_input(state, &points->params);
        break;
    }
}

static void fill(uint64_t *state, request *r)
{
    switch (random_below(state, 8)) {
    case 0:
        spoil_range(state, &r->images);
        break;
    case 1:
        spoil_map(state, &r->map);
        break;
    case 2:
        spoil_points(state, &r->map.at);
        break;
    case 3:
        spoil_input(state, r->kind == LOAD ? &r->in : &r->map.displacements);
        break;
    case 4:
        spoil_output(state, &r->out);
        break;
    case 5:
        spoil_sync(state, &r->run);
        break;
    case 6:
        spoil_sharing(state, &r->share);
        break;
    default:
        r->num_images = strange_size(state);
        break;
    }
}

/* ---- calls ---- */

static clsp_status carry_out(clsp_image_plan *plan, const request *r)
{
    clsp_run run = r->run;

    if (r->shared && r->kind != COEFFICIENTS) run.share = &r->share;
    switch (r->kind) {
    case LOAD:
        return clsp_image_set_samples(plan, r->num_images, r->in, &run);
    case COEFFICIENTS:
        return clsp_image_coefficients(plan, r->images, r->out, &run);
    default:
        return clsp_image_eval(plan, r->images, &r->map, r->out, &run);
    }
}

/* Makes what a request is to give by a plan that has done nothing else. */
static void make_wanted(const player *p, const request *r)
{
    request again = *r;
    clsp_image_plan *plan;

    again.out.host = wanted;
    support_poison(wanted, sizeof wanted);
    assert_ok(p->ctx, clsp_image_plan_create(&plan, p->ctx, &p->d));
    assert_ok(p->ctx, carry_out(plan, &p->load));
    assert_ok(p->ctx, carry_out(plan, &again));
    clsp_image_plan_destroy(&plan);
}

static void play(player *p)
{
    const bool is_first = p->load.num_images == 0;
    request r = right_request(p, (request_kind)random_below(&p->state, KINDS));
    const unsigned spoils = random_below(&p->state, 3);

    for (unsigned k = 0; k < spoils; k++)
        fill(&p->state, &r);
    support_poison(values, sizeof values);
    const clsp_status status = carry_out(p->plan, &r);
    if (status != CLSP_OK) {
        if (spoils == 0 && !(is_first && r.kind != LOAD)) assert_ok(p->ctx, status);
        check_refused(p->ctx, status);
        assert_true(support_poisoned(values, sizeof values));
        p->refused++;
        if (r.kind == LOAD && !is_first) assert_ok(p->ctx, carry_out(p->plan, &p->load));
        return;
    }
    p->done++;
    if (r.kind == LOAD) p->load = r;
    if (r.kind == LOAD || is_first) return;
    if (!r.out.host) { /* of no images, or by another name, as which it is written later */
        clsp_context_finish(p->ctx);
        return;
    }
    make_wanted(p, &r);
    if (memcmp(values, wanted, sizeof values) != 0)
        fail_msg("call %u, of kind %d: not what a fresh plan makes", p->done + p->refused, r.kind);
}

static void play_plan(player *p)
{
    const clsp_image_desc d = random_desc(&p->state);

    assert_ok(p->ctx, clsp_image_plan_create(&p->plan, p->ctx, &d));
    assert_ok(p->ctx, clsp_image_plan_desc(p->plan, &p->d));
    p->load = (request){.num_images = 0};
    for (size_t k = 0; k < MOST_REALS; k++) {
        const double x = support_uniform(&p->state);
        set_element(samples, p->d.samples, k, p->d.samples == CLSP_U8 ? floor(128 + 127 * x) : x);
        set_element(reals, p->d.precision, k, 20 * x);
    }
    for (int k = 0; k < CALLS; k++)
        play(p);
    clsp_image_plan_destroy(&p->plan);
}

static void test_calls(void **state)
{
    static const char *const shapes[] = {"", "class=discrete,local_is_real=1"};
    const int plans = support_full() ? 100 : support_tiny() ? 1 : 4;

    (void)state;
    for (size_t i = 0; i < COUNT(shapes); i++) {
        player p = {.ctx = context_with(shapes[i]), .state = 2026 + i};
        for (int k = 0; k < plans; k++)
            play_plan(&p);
        assert_true(p.done > 0 && p.refused > 0);
        print_message("%u calls done, %u refused\n", p.done, p.refused);
        clsp_context_destroy(&p.ctx);
    }
}

/* ---- descriptions ---- */

/* One number of a description, whatever it means, made strange. */
static void test_descriptions(void **state)
{
    clsp_context *ctx = context_with("");
    uint64_t random = 7;
    unsigned refused = 0;

    (void)state;
    for (int k = 0; k < 400; k++) {
        const clsp_image_desc good = {.directions = 2, .size = {9, 8}};
        clsp_image_desc d = good;
        uint32_t words[sizeof d / sizeof(uint32_t)];
        clsp_image_plan *plan = NULL;
        memcpy(words, &d, sizeof d);
        words[random_below(&random, COUNT(words))] = 6 + strange_number(&random);
        memcpy(&d, words, sizeof d);
        const clsp_status status = clsp_image_plan_create(&plan, ctx, &d);
        assert_true((status == CLSP_OK) == (plan != NULL));
        if (status != CLSP_OK) check_refused(ctx, status);
        refused += status != CLSP_OK;
        clsp_image_plan_destroy(&plan);
    }
    assert_true(refused > 0);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_descriptions),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
