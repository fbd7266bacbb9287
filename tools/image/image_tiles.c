#include "image_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "image_stored.h"

enum {
    MOST_BYTES = 1 << 30, /* 1 GiB */
    LEAST_SIDE = 64       /* of a tile; smaller ones need as many samples */
};

/* What is on the way. */
typedef struct work {
    const image_tiles *t;
    clsp_status *status;
    io_message *message;
    size_t done; /* values that have been made, of a frame */
} work;

/* A tile: the samples that it needs, and its values. */
typedef struct tile {
    clsp_image_map map;
    clsp_image_desc desc;
    clsp_image_plan *plan;
    char *samples, *values;
    size_t num_samples, num_values;
} tile;

static bool check(const work *w, clsp_status status)
{
    *w->status = status;
    return status == CLSP_OK;
}

/* Checks a call of a tile's plan, and tells what it did where it was shared. */
static bool check_call(const work *w, const char *what, clsp_status status)
{
    const image_tiles *const t = w->t;
    if (status == CLSP_OK && t->run && t->run->report) t->tell(t->user, what, t->run->report);
    return check(w, status);
}

static bool fail_memory(const work *w)
{
    return io_fail(w->message, "%s: not enough memory for this image", w->t->name);
}

static image_box box_of(const uint32_t *begin, const uint32_t *size, uint32_t num, size_t frame)
{
    image_box box = {.frame = frame};
    for (uint32_t i = 0; i < num; i++) {
        box.begin[i] = begin[i];
        box.size[i] = size[i];
    }
    return box;
}

/* Copies a box of a frame of the image, or reads it. */
static bool take_samples(const work *w, tile *one, size_t frame)
{
    const image_tiles *const t = w->t;
    const image_box box = box_of(one->desc.part.begin, one->desc.size, t->from->directions, frame);
    return image_stored_take(t->from, &box, one->samples, t->name, w->message);
}

static void put_values(const work *w, const tile *one, const uint32_t *begin, size_t frame)
{
    const image_array *const a = w->t->to;
    const image_box box = box_of(begin, one->map.size, a->directions, frame);
    const image_lines lines = image_box_lines(a, &box);
    for (size_t i = 0; i < lines.num; i++)
        memcpy((char *)a->values + image_line_at(a, &lines, i), one->values + i * lines.bytes,
               lines.bytes);
}

/* ---- tiles ---- */

static size_t product(const uint32_t *size, uint32_t num)
{
    size_t all = 1;
    for (uint32_t i = 0; i < num; i++)
        all *= size[i];
    return all;
}

/* Makes the tile's plan. */
static bool open_tile(const work *w, tile *one)
{
    const image_tiles *const t = w->t;
    const uint32_t num = t->from->directions;
    one->num_samples = product(one->desc.size, num) * t->from->channels;
    one->num_values = product(one->map.size, num) * t->to->channels;
    return check(w, clsp_image_plan_create(&one->plan, t->ctx, &one->desc));
}

/* Loads the samples of a frame, which nobody needs afterwards. */
static bool set_samples(const work *w, tile *one, size_t frame)
{
    one->samples = malloc(one->num_samples * image_type_bytes(w->t->from->type));
    const clsp_input in = {
        .type = one->desc.samples, .host = one->samples, .size = one->num_samples};
    const clsp_run *const run = w->t->run;
    const bool done = one->samples ? take_samples(w, one, frame) &&
                                         check_call(w, "coefficients",
                                                    clsp_image_set_samples(one->plan, 1, in, run))
                                   : fail_memory(w);
    free(one->samples);
    one->samples = NULL;
    return done;
}

static bool make_values(const work *w, const tile *one, const clsp_image_map *map, clsp_output out)
{
    return check_call(w, "values",
                      clsp_image_eval(one->plan, (clsp_range){0, 1}, map, out, w->t->run));
}

/* Makes some rows of the first tile alone, and says so: others may wait for the programs, which are
   compiled then, and need not wait for all values. */
static bool begin_values(const work *w, const tile *one, clsp_output out)
{
    clsp_image_map some = one->map;
    if (some.size[0] <= LEAST_SIDE) return true;
    some.size[0] = LEAST_SIDE;
    const bool done = make_values(w, one, &some, out);
    if (done) io_report(w->t->progress, 1, image_array_count(w->t->to));
    return done;
}

/* Makes the values of all frames in a tile that begins there in the output. */
static bool make_tile(work *w, tile *one, const uint32_t *begin)
{
    const size_t frames = w->t->to->frames > 1 ? w->t->to->frames : 1;
    bool done = open_tile(w, one);
    for (size_t i = 0; done && i < frames; i++) {
        done = set_samples(w, one, i);
        if (!one->values) one->values = malloc(one->num_values * image_type_bytes(w->t->to->type));
        const clsp_output out = {
            .type = one->desc.values, .host = one->values, .size = one->num_values};
        done = done && (one->values || fail_memory(w)) &&
               (w->done > 0 || i > 0 || begin_values(w, one, out)) &&
               make_values(w, one, &one->map, out);
        if (done) put_values(w, one, begin, i);
    }
    clsp_image_plan_destroy(&one->plan);
    free(one->values);
    w->done += one->num_values;
    if (done) io_report(w->t->progress, w->done * frames, image_array_count(w->t->to));
    return done;
}

/* What a tile may need: together with the values of all tiles, which are kept, MOST_BYTES, but half
   of these where they are large: small tiles have most of their samples in common with others. */
static size_t most_of(const image_tiles *t)
{
    const size_t kept = image_array_count(t->to) * image_type_bytes(t->to->type);
    if (t->most_bytes > 0) return t->most_bytes;
    return kept < MOST_BYTES / 3 * 2 ? MOST_BYTES - kept : kept / 2;
}

/* Chooses the longest direction of a tile that needs more than it may, or -1. */
static int choose_cut(const image_tiles *t, const tile *one)
{
    const uint32_t num = t->from->directions;
    const size_t real = one->desc.precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    const size_t sample = real + image_type_bytes(t->from->type); /* and its coefficient */
    const size_t need =
        product(one->desc.size, num) * t->from->channels * sample +
        product(one->map.size, num) * t->to->channels * image_type_bytes(t->to->type);
    int longest = 0;
    for (int i = 1; i < (int)t->from->directions; i++)
        if (one->map.size[i] > one->map.size[longest]) longest = i;
    return need <= most_of(t) || one->map.size[longest] <= LEAST_SIDE ? -1 : longest;
}

/* Makes a tile, or its halves. */
static bool make_some(work *w, const clsp_image_map *map, const uint32_t *begin)
{
    tile one = {.map = *map};
    if (!check(w, clsp_image_need(w->t->plan, map, &one.desc))) return false;
    const int cut = choose_cut(w->t, &one);
    if (cut < 0) return make_tile(w, &one, begin);
    clsp_image_map half = *map;
    uint32_t at[IMAGE_MAX_DIRECTIONS];
    memcpy(at, begin, sizeof(at));
    half.size[cut] = map->size[cut] / 2;
    if (!make_some(w, &half, at)) return false;
    at[cut] += half.size[cut];
    half.origin[cut] += half.size[cut];
    half.size[cut] = map->size[cut] - half.size[cut];
    return make_some(w, &half, at);
}

bool image_tiles_make(const image_tiles *t, const clsp_image_map *map, clsp_status *status,
                      io_message *message)
{
    const uint32_t begin[IMAGE_MAX_DIRECTIONS] = {0};
    work w = {.t = t, .status = status, .message = message};
    *status = CLSP_OK;
    message->text[0] = 0;
    return make_some(&w, map, begin);
}
