/* Plain TIFF: all that tells of the pages, and then their values as they are in memory, not
   compressed, page after page. Strips follow each other, so that any row has a place that is known.
   The byte order is the machine's. Offsets have 32 bits, in files above 4 GB 64 (BigTIFF). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image_formats.h"

enum { STRIP_BYTES = 1 << 16, MAX_ENTRIES = 20, ALIGNMENT = 8 };

/* Types of TIFF, and the bytes of a value. */
typedef enum tiff_type { ASCII = 2, SHORT = 3, LONG = 4, RATIONAL = 5, LONG8 = 16 } tiff_type;

static size_t type_bytes(tiff_type type)
{
    return type == ASCII ? 1 : type == SHORT ? 2 : type == LONG ? 4 : 8;
}

/* A tag and its values, in the machine's byte order. */
typedef struct tiff_entry {
    uint16_t tag;
    tiff_type type;
    uint64_t count;
    const void *values;
    unsigned char own[8]; /* where they are few */
} tiff_entry;

/* A head that is made. */
typedef struct tiff_head {
    const image_array *a;
    image_bytes *to;
    bool is_big, failed;
    uint64_t data; /* where the first page's values begin */
    size_t pages, height, width, row_bytes;
    uint32_t strip_rows;
    size_t num_strips;     /* of a page */
    unsigned char *strips; /* [2][num_strips] offsets and bytes, with room for LONG8 */
    tiff_entry entries[MAX_ENTRIES];
    uint32_t num_entries;
} tiff_head;

/* ---- bytes ---- */

static void put_bytes(tiff_head *h, const void *bytes, size_t count)
{
    unsigned char *const to = h->failed ? NULL : image_bytes_reserve(h->to, count);
    h->failed = h->failed || !to;
    if (to && count > 0) memcpy(to, bytes, count);
    if (to) h->to->count += count;
}

/* Puts a number of 2, 4 or 8 bytes. */
static void put_number(tiff_head *h, uint64_t value, size_t bytes)
{
    const uint16_t narrow = (uint16_t)value;
    const uint32_t half = (uint32_t)value;
    put_bytes(h,
              bytes == 2   ? (const void *)&narrow
              : bytes == 4 ? (const void *)&half
                           : &value,
              bytes);
}

static uint64_t aligned(uint64_t at)
{
    return (at + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void align(tiff_head *h)
{
    static const unsigned char zeros[ALIGNMENT] = {0};
    put_bytes(h, zeros, (size_t)(aligned(h->to->count) - h->to->count));
}

/* ---- tags ---- */

static tiff_entry *add(tiff_head *h, uint16_t tag, tiff_type type, uint64_t count)
{
    tiff_entry *const e = &h->entries[h->num_entries++];
    *e = (tiff_entry){.tag = tag, .type = type, .count = count};
    e->values = e->own;
    return e;
}

/* Stores value number i of a tag. */
static void store(unsigned char *values, tiff_type type, size_t i, uint64_t value)
{
    const uint16_t narrow = (uint16_t)value;
    const uint32_t half = (uint32_t)value;
    if (type == SHORT)
        memcpy(values + i * sizeof(narrow), &narrow, sizeof(narrow));
    else if (type == LONG8)
        memcpy(values + i * sizeof(value), &value, sizeof(value));
    else
        memcpy(values + i * sizeof(half), &half, sizeof(half));
}

/* Adds so many times one number. */
static void add_numbers(tiff_head *h, uint16_t tag, tiff_type type, uint32_t count, uint32_t value)
{
    tiff_entry *const e = add(h, tag, type, count);
    for (uint32_t i = 0; i < count; i++)
        store(e->own, type, i, value);
}

/* Adds a fraction: the first one that is as near as doubles tell, by continued fractions. */
static void add_rational(tiff_head *h, uint16_t tag, double value)
{
    static const double most = UINT32_MAX, near = 1e-12;
    double above[2] = {1, 0}, below[2] = {0, 1}, rest = value; /* this one and the one before */
    for (int i = 0; i < 64; i++) {
        const double whole = floor(rest), n = whole * above[0] + above[1],
                     d = whole * below[0] + below[1];
        if (!(n <= most && d <= most)) break;
        above[1] = above[0];
        above[0] = n;
        below[1] = below[0];
        below[0] = d;
        if (fabs(n - value * d) <= near * value * d || rest == whole) break;
        rest = 1 / (rest - whole);
    }
    if (below[0] == 0) above[0] = most; /* too large */
    if (above[0] == 0) below[0] = most; /* too small */
    tiff_entry *const e = add(h, tag, RATIONAL, 1);
    store(e->own, LONG, 0, (uint64_t)fmax(above[0], 1));
    store(e->own, LONG, 1, (uint64_t)fmax(below[0], 1));
}

enum { RESOLUTION_NONE = 1, RESOLUTION_INCH = 2, RESOLUTION_CENTIMETER = 3 };

/* Adds how many pixels there are in a length, of inches where they came so. The unit's tag has a
   higher number, and is added later. */
static void add_resolution(tiff_head *h)
{
    const image_place *const p = &h->a->place;
    const double millimeters = image_unit_millimeters(p->units);
    const bool is_inch = p->is_per_inch && millimeters > 0;
    const double length = is_inch ? 25.4 : 10, unit = millimeters > 0 ? millimeters : length;
    add_rational(h, 282, length / (p->spacing[0] * unit));
    add_rational(h, 283, length / (p->spacing[1] * unit));
}

static bool has_resolution(const tiff_head *h)
{
    return h->a->place.spacing[0] > 0 && h->a->place.spacing[1] > 0;
}

static uint32_t resolution_unit(const image_place *p)
{
    if (image_unit_millimeters(p->units) <= 0) return RESOLUTION_NONE;
    return p->is_per_inch ? RESOLUTION_INCH : RESOLUTION_CENTIMETER;
}

/* Adds where the strips of a page are, or how many bytes each has. */
static void add_strips(tiff_head *h, uint16_t tag, size_t page)
{
    const bool is_place = tag == 273;
    const size_t num = h->num_strips, page_bytes = h->height * h->row_bytes;
    const size_t strip = h->strip_rows * h->row_bytes;
    const uint64_t begin = h->data + (uint64_t)page * page_bytes;
    const tiff_type type = h->is_big && (is_place || strip > UINT32_MAX) ? LONG8 : LONG;
    unsigned char *const values = h->strips + (is_place ? 0 : num * type_bytes(LONG8));
    tiff_entry *const e = add(h, tag, type, num);
    for (size_t i = 0; i < num; i++) {
        const size_t left = page_bytes - i * strip;
        store(values, type, i, is_place ? begin + i * strip : left < strip ? left : strip);
    }
    e->values = values;
}

/* Lists the tags of a page, in the order of their numbers. */
static void list_tags(tiff_head *h, size_t page)
{
    static const uint32_t extras[] = {2, 0, 2, 1}; /* what alpha is: straight, other, associated */
    static const uint32_t formats[] = {1, 1, 2, 1, 2, 1, 2, 3, 3};
    const image_array *const a = h->a;
    const bool is_rgb = a->channels >= 3, has_note = page == 0 && a->place.note;
    h->num_entries = 0;
    if (h->pages > 1) add_numbers(h, 254, LONG, 1, 2);
    add_numbers(h, 256, LONG, 1, (uint32_t)h->width);
    add_numbers(h, 257, LONG, 1, (uint32_t)h->height);
    add_numbers(h, 258, SHORT, a->channels, (uint32_t)(8 * image_type_bytes(a->type)));
    add_numbers(h, 259, SHORT, 1, 1);
    add_numbers(h, 262, SHORT, 1, is_rgb ? 2 : 1);
    if (has_note) add(h, 270, ASCII, strlen(a->place.note) + 1)->values = a->place.note;
    add_strips(h, 273, page);
    add_numbers(h, 277, SHORT, 1, a->channels);
    add_numbers(h, 278, LONG, 1, h->strip_rows);
    add_strips(h, 279, page);
    if (has_resolution(h)) add_resolution(h);
    add_numbers(h, 284, SHORT, 1, 1);
    if (has_resolution(h)) add_numbers(h, 296, SHORT, 1, resolution_unit(&a->place));
    if (h->pages > 1) {
        tiff_entry *const e = add(h, 297, SHORT, 2);
        store(e->own, SHORT, 0, page & 0xffff);
        store(e->own, SHORT, 1, h->pages < 0xffff ? h->pages : 0xffff);
    }
    if (a->channels % 2 == 0) add_numbers(h, 338, SHORT, 1, extras[a->alpha]);
    add_numbers(h, 339, SHORT, a->channels, formats[a->type]);
}

/* ---- pages ---- */

/* Puts a tag: its values, or where they are from `at` on, which moves on then. */
static void put_entry(tiff_head *h, const tiff_entry *e, uint64_t *at)
{
    const size_t offset_bytes = h->is_big ? 8 : 4;
    const uint64_t bytes = e->count * type_bytes(e->type);
    static const unsigned char zeros[8] = {0};
    put_number(h, e->tag, 2);
    put_number(h, e->type, 2);
    put_number(h, e->count, offset_bytes);
    if (bytes <= offset_bytes) {
        put_bytes(h, e->values, (size_t)bytes);
        put_bytes(h, zeros, offset_bytes - (size_t)bytes);
    } else {
        put_number(h, *at, offset_bytes);
        *at = aligned(*at + bytes);
    }
}

/* Puts the directory of a page, and values that are too many for it behind it. */
static void put_page(tiff_head *h, size_t page)
{
    const size_t offset_bytes = h->is_big ? 8 : 4, entry_bytes = h->is_big ? 20 : 12;
    list_tags(h, page);
    uint64_t at = h->to->count + (h->is_big ? 8 : 2) + h->num_entries * entry_bytes + offset_bytes;
    at = aligned(at);
    put_number(h, h->num_entries, h->is_big ? 8 : 2);
    for (uint32_t i = 0; i < h->num_entries; i++)
        put_entry(h, &h->entries[i], &at);
    put_number(h, page + 1 < h->pages ? at : 0, offset_bytes);
    align(h);
    for (uint32_t i = 0; i < h->num_entries; i++) {
        const tiff_entry *const e = &h->entries[i];
        const size_t bytes = (size_t)e->count * type_bytes(e->type);
        if (bytes > offset_bytes) put_bytes(h, e->values, bytes);
        if (bytes > offset_bytes) align(h);
    }
}

static void put_head(tiff_head *h)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    h->to->count = 0;
    put_bytes(h, first == 1 ? "II" : "MM", 2);
    put_number(h, h->is_big ? 43 : 42, 2);
    if (h->is_big) put_number(h, 8, 2);
    if (h->is_big) put_number(h, 0, 2);
    put_number(h, h->is_big ? 16 : 8, h->is_big ? 8 : 4);
    for (size_t i = 0; i < h->pages && !h->failed; i++)
        put_page(h, i);
}

/* Makes the head twice: how long it is tells where values begin. */
static bool make_head(tiff_head *h, uint64_t bytes)
{
    put_head(h);
    if (!h->is_big && h->to->count + bytes > UINT32_MAX) {
        h->is_big = true;
        put_head(h);
    }
    h->data = h->to->count;
    put_head(h);
    return !h->failed;
}

bool image_tiff_head(const image_array *a, image_bytes *head)
{
    tiff_head h = {.a = a, .to = head, .pages = a->directions == 3 ? a->size[0] : 1};
    size_t bytes;
    h.height = a->directions > 1 ? a->size[a->directions - 2] : 1;
    h.width = a->size[a->directions - 1];
    if (h.height > UINT32_MAX || h.width > UINT32_MAX || !image_array_bytes(a, &bytes))
        return false;
    h.row_bytes = h.width * a->channels * image_type_bytes(a->type);
    h.strip_rows = h.row_bytes < STRIP_BYTES ? (uint32_t)(STRIP_BYTES / h.row_bytes) : 1;
    if (h.strip_rows > h.height) h.strip_rows = (uint32_t)h.height;
    h.num_strips = (h.height - 1) / h.strip_rows + 1;
    h.strips = calloc(2 * h.num_strips, type_bytes(LONG8));
    const bool done = h.strips && make_head(&h, bytes);
    free(h.strips);
    return done;
}
