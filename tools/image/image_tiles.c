#include "image_tiles.h"

#include <stdlib.h>
#include <string.h>

#include "image_stored.h"

enum {
    MOST_BYTES = 3 << 28, /* 768 MiB */
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

static bool fail_memory(const work *w)
{
    return io_fail(w->message, "%s: not enough memory for this image", w->t->name);
}

static size_t pixel_bytes(const image_array *a)
{
    return a->channels * image_type_bytes(a->type);
}

static size_t frame_bytes(const image_array *a)
{
    return image_array_count(a) / (a->frames > 1 ? a->frames : 1) * image_type_bytes(a->type);
}

/* ---- boxes of an array ---- */

/* Steps through the lines of a box of an array, each of which lies without a gap: along the last
   direction, or along as many of the last ones as the box has whole. */
typedef struct box_lines {
    const uint32_t *begin, *size;
    uint32_t gap; /* the last direction along which lines have a gap between them; lines are of
                     those behind it, and of some of this one */
    size_t num, bytes;
} box_lines;

static box_lines lines_of(const image_array *a, const uint32_t *begin, const uint32_t *size)
{
    box_lines b = {.begin = begin, .size = size, .gap = a->directions - 1, .num = 1};
    while (b.gap > 0 && size[b.gap] == a->size[b.gap])
        b.gap--;
    b.bytes = pixel_bytes(a);
    for (uint32_t i = 0; i < a->directions; i++)
        *(i < b.gap ? &b.num : &b.bytes) *= size[i];
    return b;
}

/* Returns where a line begins in the array, in bytes. */
static size_t line_at(const image_array *a, const box_lines *b, size_t line)
{
    size_t stride = pixel_bytes(a), at = 0;
    for (uint32_t i = a->directions; i-- > 0; stride *= a->size[i]) {
        size_t place = b->begin[i];
        if (i < b->gap) {
            place += line % b->size[i];
            line /= b->size[i];
        }
        at += place * stride;
    }
    return at;
}

/* Copies a box of a frame of the image, or reads it. */
static bool take_samples(const work *w, tile *one, size_t frame)
{
    const image_array *const a = w->t->from;
    const box_lines b = lines_of(a, one->desc.part.begin, one->desc.size);
    for (size_t i = 0; i < b.num; i++) {
        const size_t at = frame * frame_bytes(a) + line_at(a, &b, i);
        char *const to = one->samples + i * b.bytes;
        if (!a->is_stored)
            memcpy(to, (const char *)a->values + at, b.bytes);
        else if (!image_stored_read(a, at, to, b.bytes))
            return io_fail(w->message, "%s: cannot read its values again", w->t->name);
    }
    return true;
}

static void put_values(const work *w, const tile *one, const uint32_t *begin, size_t frame)
{
    const image_array *const a = w->t->to;
    const box_lines b = lines_of(a, begin, one->map.size);
    for (size_t i = 0; i < b.num; i++)
        memcpy((char *)a->values + frame * frame_bytes(a) + line_at(a, &b, i),
               one->values + i * b.bytes, b.bytes);
}

/* ---- tiles ---- */

static size_t product(const uint32_t *size, uint32_t num)
{
    size_t all = 1;
    for (uint32_t i = 0; i < num; i++)
        all *= size[i];
    return all;
}

/* Makes the tile's plan and its memory. */
static bool open_tile(const work *w, tile *one)
{
    const image_tiles *const t = w->t;
    const uint32_t num = t->from->directions;
    one->num_samples = product(one->desc.size, num) * t->from->channels;
    one->num_values = product(one->map.size, num) * t->to->channels;
    one->samples = malloc(one->num_samples * image_type_bytes(t->from->type));
    one->values = malloc(one->num_values * image_type_bytes(t->to->type));
    if (!one->samples || !one->values) return fail_memory(w);
    return check(w, clsp_image_plan_create(&one->plan, t->ctx, &one->desc));
}

/* Makes the values of all frames in a tile that begins there in the output. */
static bool make_tile(work *w, tile *one, const uint32_t *begin)
{
    const size_t frames = w->t->to->frames > 1 ? w->t->to->frames : 1;
    bool done = open_tile(w, one);
    for (size_t i = 0; done && i < frames; i++) {
        const clsp_input in = {
            .type = one->desc.samples, .host = one->samples, .size = one->num_samples};
        const clsp_output out = {
            .type = one->desc.values, .host = one->values, .size = one->num_values};
        done = take_samples(w, one, i) &&
               check(w, clsp_image_set_samples(one->plan, 1, in, NULL)) &&
               check(w, clsp_image_eval(one->plan, (clsp_range){0, 1}, &one->map, out, NULL));
        if (done) put_values(w, one, begin, i);
    }
    clsp_image_plan_destroy(&one->plan);
    free(one->samples);
    free(one->values);
    w->done += one->num_values;
    if (done) io_report(w->t->progress, w->done * frames, image_array_count(w->t->to));
    return done;
}

/* Chooses the longest direction of a tile that needs more than it may, or -1. */
static int choose_cut(const image_tiles *t, const tile *one)
{
    const size_t real = one->desc.precision == CLSP_F64 ? sizeof(double) : sizeof(float);
    const size_t need = product(one->desc.size, t->from->directions) * t->from->channels;
    const size_t most = (t->most_bytes > 0 ? t->most_bytes : MOST_BYTES) / real;
    int longest = 0;
    for (int i = 1; i < (int)t->from->directions; i++)
        if (one->map.size[i] > one->map.size[longest]) longest = i;
    return need <= most || one->map.size[longest] <= LEAST_SIDE ? -1 : longest;
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
