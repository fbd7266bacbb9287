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
    size_t next; /* where it reads or writes */
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

static tmsize_t write_bytes(thandle_t user, void *from, tmsize_t count)
{
    tiff_memory *m = user;
    const size_t end = m->next + (size_t)count;
    if (end > m->all.count) {
        if (!image_bytes_reserve(&m->all, end - m->all.count)) return 0;
        if (m->next > m->all.count) memset(m->all.bytes + m->all.count, 0, m->next - m->all.count);
        m->all.count = end;
    }
    memcpy(m->all.bytes + m->next, from, (size_t)count);
    m->next = end;
    return count;
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

static TIFF *open_memory(tiff_memory *m, const char *mode)
{
    TIFFSetWarningHandler(NULL);
    TIFFSetWarningHandlerExt(NULL);
    TIFFSetErrorHandler(NULL);
    TIFFSetErrorHandlerExt(on_error);
    return TIFFClientOpen(m->name, mode, m, read_bytes, write_bytes, seek_bytes, close_nothing,
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

bool image_tiff_read(image_array *a, const image_source *s)
{
    tiff_memory m = {.name = s->name, .message = s->message};
    bool done = image_source_bytes(s, &m.all);
    if (done) {
        TIFF *tiff = open_memory(&m, "rm");
        done = tiff ? read_pages(tiff, &m, a) : fail(&m, "this is no TIFF file");
        if (tiff) TIFFClose(tiff);
    }
    free(m.all.bytes);
    return done;
}

/* ---- writing ---- */

enum { STRIP_BYTES = 1 << 16 };

/* Writes how many pixels there are in a length, of inches where they came so. */
static bool set_resolution(TIFF *tiff, const image_array *a)
{
    const double millimeters = image_unit_millimeters(a->place.units);
    const bool is_inch = a->place.is_per_inch && millimeters > 0;
    const double length = is_inch ? 25.4 : 10, unit = millimeters > 0 ? millimeters : length;
    return TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT,
                        millimeters <= 0 ? RESUNIT_NONE
                        : is_inch        ? RESUNIT_INCH
                                         : RESUNIT_CENTIMETER) &&
           TIFFSetField(tiff, TIFFTAG_XRESOLUTION, length / (a->place.spacing[0] * unit)) &&
           TIFFSetField(tiff, TIFFTAG_YRESOLUTION, length / (a->place.spacing[1] * unit));
}

static bool set_page_head(TIFF *tiff, const image_array *a, size_t page, size_t num_pages)
{
    static const uint16_t formats[] = {SAMPLEFORMAT_UINT, SAMPLEFORMAT_UINT, SAMPLEFORMAT_INT,
                                       SAMPLEFORMAT_IEEEFP, SAMPLEFORMAT_IEEEFP};
    const bool is_rgb = a->channels >= 3, has_alpha = a->channels % 2 == 0;
    static const uint16_t extras[] = {EXTRASAMPLE_UNASSALPHA, EXTRASAMPLE_UNSPECIFIED,
                                      EXTRASAMPLE_UNASSALPHA, EXTRASAMPLE_ASSOCALPHA};
    const size_t width = a->size[a->directions - 1];
    const size_t row = width * a->channels * image_type_bytes(a->type);
    const uint32_t rows = row < STRIP_BYTES ? (uint32_t)(STRIP_BYTES / row) : 1;
    bool done = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)width) &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH,
                             (uint32_t)(a->directions > 1 ? a->size[a->directions - 2] : 1)) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, (int)a->channels) &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, (int)(8 * image_type_bytes(a->type))) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, (int)formats[a->type]) &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE) &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC,
                             is_rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK) &&
                TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rows);
    if (done && a->place.spacing[0] > 0 && a->place.spacing[1] > 0) done = set_resolution(tiff, a);
    if (done && has_alpha) done = TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extras[a->alpha]);
    if (done && num_pages > 1)
        done = TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE) &&
               TIFFSetField(tiff, TIFFTAG_PAGENUMBER, (int)(page & 0xffff),
                            (int)(num_pages < 0xffff ? num_pages : 0xffff));
    return done;
}

static bool write_pages(TIFF *tiff, const image_array *a)
{
    const size_t pages = a->directions == 3 ? a->size[0] : 1;
    const size_t height = a->directions > 1 ? a->size[a->directions - 2] : 1;
    const size_t row = a->size[a->directions - 1] * a->channels * image_type_bytes(a->type);
    unsigned char *line = malloc(row); /* libtiff may turn its bytes round */
    bool done = line != NULL;
    for (size_t i = 0; done && i < pages; i++) {
        done = set_page_head(tiff, a, i, pages);
        if (i == 0 && a->place.note)
            done = done && TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, a->place.note);
        for (size_t y = 0; done && y < height; y++) {
            memcpy(line, (const unsigned char *)a->values + (i * height + y) * row, row);
            done = TIFFWriteScanline(tiff, line, (uint32_t)y, 0) >= 0;
        }
        done = done && TIFFWriteDirectory(tiff);
    }
    free(line);
    return done;
}

bool image_tiff_write(const image_array *a, FILE *file, const char *name, io_message *message)
{
    tiff_memory m = {.name = name, .message = message};
    size_t bytes;
    /* offsets of a TIFF have 32 bits, those of BigTIFF 64 */
    const bool is_small = image_array_bytes(a, &bytes) && bytes < (size_t)0xf0000000;
    TIFF *tiff = open_memory(&m, is_small ? "wm" : "w8m");
    bool done = tiff && write_pages(tiff, a);
    if (tiff) TIFFClose(tiff);
    if (!done || m.why[0]) {
        fail(&m, "cannot write: not enough memory");
        free(m.all.bytes);
        return false;
    }
    errno = 0;
    done = fwrite(m.all.bytes, 1, m.all.count, file) == m.all.count;
    free(m.all.bytes);
    return done ? true : io_fail_errno(message, name, "cannot write");
}
