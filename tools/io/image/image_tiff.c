#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>

#include "image_formats.h"
#include "tiff_page.h"

enum { MOST_UNPACKED = 16384 };

/* A TIFF in memory. libtiff goes to and fro in a file, which a stream need not allow. */
typedef struct tiff_memory {
    image_bytes all;
    size_t next; /* where it reads */
    const char *name;
    io_message *message;
    char why[512];   /* what libtiff found wrong first since this was emptied, as one line */
    bool has_failed; /* and said why; what follows from that is of no use to the user */
} tiff_memory;

/* ---- what libtiff calls ---- */

static tmsize_t read_bytes(thandle_t user, void *to, tmsize_t count)
{
    tiff_memory *m = user;
    const size_t left = m->next < m->all.count ? m->all.count - m->next : 0;
    const size_t num = (size_t)count < left ? (size_t)count : left;
    if (num > 0) memcpy(to, m->all.bytes + m->next, num);
    m->next += num;
    return (tmsize_t)num;
}

static tmsize_t write_nothing(thandle_t user, void *from, tmsize_t count)
{
    (void)user;
    (void)from;
    (void)count;
    return 0;
}

static toff_t seek_bytes(thandle_t user, toff_t offset, int whence)
{
    tiff_memory *m = user;
    if (whence == SEEK_CUR) offset += m->next;
    if (whence == SEEK_END) offset += m->all.count;
    m->next = (size_t)offset;
    return offset;
}

static toff_t count_bytes(thandle_t user)
{
    const tiff_memory *m = user;
    return m->all.count;
}

static int close_nothing(thandle_t user)
{
    (void)user;
    return 0;
}

/* Keeps what libtiff calls an error. That may be a mere warning: it is one where a call fails. */
static void on_error(thandle_t user, const char *module, const char *format, va_list args)
{
    tiff_memory *m = user;
    (void)module;
    if (!m || m->why[0]) return;
    vsnprintf(m->why, sizeof(m->why), format, args);
    for (char *c = m->why; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' ';
}

static TIFF *open_memory(tiff_memory *m)
{
    TIFFSetWarningHandler(NULL);
    TIFFSetWarningHandlerExt(NULL);
    TIFFSetErrorHandler(NULL);
    TIFFSetErrorHandlerExt(on_error);
    return TIFFClientOpen(m->name, "rm", m, read_bytes, write_nothing, seek_bytes, close_nothing,
                          count_bytes, NULL, NULL);
}

/* Says why, in libtiff's words where it has some. */
static bool fail(tiff_memory *m, const char *why)
{
    if (!m->has_failed) io_fail(m->message, "%s: %s", m->name, m->why[0] ? m->why : why);
    m->has_failed = true;
    return false;
}

/* ---- reading ---- */

/* Reads one tile or strip into `values` and has it put into the page. */
static bool read_block(TIFF *tiff, tiff_memory *m, const tiff_page *page, tiff_block *b,
                       image_array *to)
{
    unsigned char *values = (unsigned char *)(size_t)b->values;
    const size_t rows = b->height < page->height - b->y ? b->height : page->height - b->y;
    m->why[0] = 0;
    if (TIFFIsTiled(tiff)) {
        if (TIFFReadTile(tiff, values, (uint32_t)b->x, (uint32_t)b->y, 0, (uint16_t)b->channel) < 0)
            return fail(m, "a tile cannot be read");
    } else {
        const tmsize_t want = (tmsize_t)(rows * b->row_bytes);
        const uint32_t strip = TIFFComputeStrip(tiff, (uint32_t)b->y, (uint16_t)b->channel);
        if (TIFFReadEncodedStrip(tiff, strip, values, want) < want)
            return fail(m, "the file ends within its image");
    }
    tiff_page_put(page, b, to);
    return true;
}

/* Whether a file can hold so many bytes, which no memory is taken for else: as they are, or by the
   best that compressors do with one value all over. */
static bool can_hold(TIFF *tiff, const tiff_memory *m, size_t bytes)
{
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    return bytes / (compression == COMPRESSION_NONE ? 1 : MOST_UNPACKED) <= m->all.count;
}

/* Finds the size of a page's tiles or strips. False where it is none that can be. */
static bool find_block(TIFF *tiff, tiff_memory *m, const tiff_page *page, tiff_block *b)
{
    uint32_t width = page->width, height = 0;
    tmsize_t bytes = 0;
    if (TIFFIsTiled(tiff)) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
        bytes = TIFFTileSize(tiff);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &height);
        if (height > page->height) height = page->height;
        bytes = TIFFStripSize(tiff);
    }
    *b = (tiff_block){.width = width, .height = height};
    b->row_bytes = tiff_page_row_bytes(page, width);
    if (width == 0 || height == 0 || bytes <= 0 || (size_t)bytes / height < b->row_bytes)
        return fail(m, "strips or tiles of a size that cannot be");
    if (!can_hold(tiff, m, (size_t)bytes)) return fail(m, "the file is too short for its tiles");
    b->values = calloc((size_t)bytes, 1);
    return b->values ? true : fail(m, "not enough memory for this file");
}

/* Reads the values of a page behind those of the pages before. */
static bool read_page(TIFF *tiff, tiff_memory *m, const tiff_page *page, image_bytes *all)
{
    tiff_block b;
    size_t bytes;
    image_array to = page->image;
    const size_t stored = tiff_page_row_bytes(page, page->width);
    m->why[0] = 0;
    if (!image_array_bytes(&to, &bytes) || stored > SIZE_MAX / page->height ||
        !can_hold(tiff, m, stored * page->height))
        return fail(m, "the file is too short for its width and height");
    to.values = image_bytes_reserve(all, bytes);
    if (!to.values) return fail(m, "not enough memory for this image");
    bool done = find_block(tiff, m, page, &b);
    const uint32_t planes = page->apart ? page->channels : 1;
    for (b.channel = 0; done && b.channel < planes; b.channel++)
        for (b.y = 0; done && b.y < page->height; b.y += b.height)
            for (b.x = 0; done && b.x < page->width; b.x += b.width)
                done = read_block(tiff, m, page, &b, &to);
    free((void *)(size_t)b.values);
    all->count += bytes;
    return done;
}

static bool is_like(const image_array *a, const image_array *b)
{
    return a->size[0] == b->size[0] && a->size[1] == b->size[1] && a->channels == b->channels &&
           a->type == b->type;
}

/* Goes to the next page that is no small copy or mask of another. False at the end, or with
   has_failed. */
static bool find_page(TIFF *tiff, tiff_memory *m)
{
    uint32_t kind = FILETYPE_PAGE;
    do {
        m->why[0] = 0;
        if (!TIFFReadDirectory(tiff)) {
            if (m->why[0]) fail(m, "");
            return false;
        }
        kind = 0;
        TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind);
    } while ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0);
    return true;
}

/* Reads all pages: one is an image, several are a volume. */
static bool read_pages(TIFF *tiff, tiff_memory *m, image_array *a)
{
    image_bytes values = {.bytes = NULL};
    tiff_page page;
    const char *why;
    size_t num = 0;
    bool done = true;
    do {
        m->why[0] = 0;
        done = tiff_page_read(tiff, &page, &why) || fail(m, why);
        if (num == 0) *a = page.image;
        if (done && !is_like(a, &page.image)) done = fail(m, "its pages differ in size or type");
        done = done && read_page(tiff, m, &page, &values);
        num++;
    } while (done && find_page(tiff, m));
    a->values = values.bytes;
    if (m->has_failed) return false;
    if (num == 1) return true;
    a->directions = 3;
    a->size[2] = a->size[1];
    a->size[1] = a->size[0];
    a->size[0] = num;
    return true;
}

/* Refuses text, which may begin with the same letter: the byte order is told by two. */
static bool check_order(const image_source *s, const tiff_memory *m)
{
    if (m->all.count > 1 && m->all.bytes[0] == m->all.bytes[1]) return true;
    image_source text = *s;
    text.file = fmemopen(m->all.bytes, m->all.count, "rb");
    if (!text.file) return image_source_fail(s, "this is no TIFF file");
    image_source_refuse(&text);
    fclose(text.file);
    return false;
}

bool image_tiff_read(image_array *a, const image_source *s)
{
    tiff_memory m = {.name = s->name, .message = s->message};
    bool done = image_source_bytes(s, &m.all) && check_order(s, &m);
    if (done) {
        TIFF *tiff = open_memory(&m);
        done = tiff ? read_pages(tiff, &m, a) : fail(&m, "this is no TIFF file");
        if (tiff) TIFFClose(tiff);
    }
    free(m.all.bytes);
    return done;
}
