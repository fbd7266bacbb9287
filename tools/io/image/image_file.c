#include "image_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "foreign.h"
#include "image_formats.h"
#include "image_stored.h"
#include "input.h"
#include "output.h"

enum { READ_BYTES = 1 << 16 };

/* ---- what readers share ---- */

bool image_source_fail(const image_source *s, const char *format, ...)
{
    char why[512];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    return io_fail(s->message, "%s: %s", s->name, why);
}

bool image_source_bytes(const image_source *s, image_bytes *all)
{
    for (size_t found = READ_BYTES; found == READ_BYTES; all->count += found) {
        unsigned char *to = image_bytes_reserve(all, READ_BYTES);
        if (!to) return image_source_fail(s, "not enough memory for this file");
        errno = 0;
        found = fread(to, 1, READ_BYTES, s->file);
    }
    return ferror(s->file) ? io_fail_errno(s->message, s->name, "cannot read") : true;
}

/* ---- formats ---- */

image_format image_format_of_word(const char *word)
{
    static const struct {
        const char *ending;
        image_format format;
    } known[] = {{"png", IMAGE_PNG},   {"tif", IMAGE_TIFF},        {"tiff", IMAGE_TIFF},
                 {"nii", IMAGE_NIFTI}, {"nii.gz", IMAGE_NIFTI_GZ}, {"npy", IMAGE_NPY},
                 {"jpg", IMAGE_JPEG},  {"jpeg", IMAGE_JPEG}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcasecmp(word, known[i].ending) == 0) return known[i].format;
    return IMAGE_NONE;
}

/* Returns the library that a format needs and this build has not, or NULL. */
static const char *missing_library(image_format format)
{
    if (format == IMAGE_TIFF && !IO_HAS_TIFF) return "libtiff";
    if (format == IMAGE_JPEG && !IO_HAS_JPEG) return "libjpeg";
    if ((format == IMAGE_NIFTI || format == IMAGE_NIFTI_GZ) && !IO_HAS_NIFTI) return "zlib";
    return NULL;
}

bool image_format_is_built(image_format format, const char *name, io_message *message)
{
    const char *library = missing_library(format);
    if (!library) return true;
    return io_fail(message, "%s: clspline was built without %s, which this format needs", name,
                   library);
}

/* Tells the format of a stream by its first byte, which is put back. All are told apart by it:
   NIfTI begins with the size of its header, in either byte order, or with that of gzip. */
static image_format find_format(FILE *file)
{
    const int c = getc(file);
    if (c != EOF) ungetc(c, file);
    switch (c) {
    case 0x89:
        return IMAGE_PNG;
    case 'I':
    case 'M':
        return IMAGE_TIFF;
    case NIFTI1_BYTES & 0xff:
    case NIFTI2_BYTES & 0xff:
    case 0:
        return IMAGE_NIFTI;
    case 0x1f:
        return IMAGE_NIFTI_GZ;
    case 0xff:
        return IMAGE_JPEG;
    case 0x93:
        return IMAGE_NPY;
    default:
        return IMAGE_NONE;
    }
}

/* ---- reading ---- */

bool image_source_refuse(const image_source *s)
{
    static const char formats[] = "PNG, TIFF, NIfTI, JPEG, .npy";
    scanner scan;
    scanner_init(&scan, s->file, s->name, s->message);
    if (foreign_refuse(&scan, formats, FILE_IMAGE)) return false;
    return scan.filled == 0 ? image_source_fail(s, "the file is empty")
                            : image_source_fail(s, "no image of a known format (%s)", formats);
}

static bool read_format(image_array *a, const image_source *s, image_format format,
                        uint32_t directions)
{
    if (directions > 0 && format != IMAGE_NPY && format != IMAGE_NONE)
        return image_source_fail(s, "--directions is of .npy arrays");
    switch (format) {
    case IMAGE_PNG:
        return image_png_read(a, s);
#if IO_HAS_TIFF
    case IMAGE_TIFF:
        return image_tiff_read(a, s);
#endif
#if IO_HAS_NIFTI
    case IMAGE_NIFTI:
    case IMAGE_NIFTI_GZ:
        return image_nifti_read(a, s);
#endif
#if IO_HAS_JPEG
    case IMAGE_JPEG:
        return image_jpeg_read(a, s);
#endif
    case IMAGE_NPY:
        return image_npy_read(a, s, directions);
    default:
        return image_source_refuse(s);
    }
}

/* Tells whether a file is the image of a NIfTI pair, and gives the name of its header. */
static bool is_pair(const char *path, char header[IMAGE_NAME_BYTES])
{
#if IO_HAS_NIFTI
    return image_nifti_header_name(path, header);
#else
    (void)path;
    (void)header;
    return false;
#endif
}

static bool read_file(image_array *a, const char *path, uint32_t directions, bool stays,
                      io_message *message)
{
    input in;
    char header[IMAGE_NAME_BYTES];
    *a = (image_array){.values = NULL};
    if (is_pair(path, header)) path = header;
    if (!input_open(&in, path, message)) return false;
    const image_source s = {in.file, in.name, message, stays};
    const image_format format = find_format(in.file);
    bool done =
        image_format_is_built(format, in.name, message) && read_format(a, &s, format, directions);
    for (uint32_t i = 0; done && i < a->directions; i++)
        if (a->size[i] == 0) done = image_source_fail(&s, "an image without samples");
    input_close(&in);
    if (!done) image_array_clear(a);
    return done;
}

bool image_file_read(image_array *a, const char *path, uint32_t directions, io_message *message)
{
    return read_file(a, path, directions, false, message);
}

bool image_file_open(image_array *a, const char *path, uint32_t directions, io_message *message)
{
    return read_file(a, path, directions, true, message);
}

/* ---- writing ---- */

bool image_file_suits(const image_array *a, image_format format, const char *name,
                      io_message *message)
{
    const bool is_nifti = format == IMAGE_NIFTI || format == IMAGE_NIFTI_GZ;
    if (!image_format_is_built(format, name, message)) return false;
    if (format == IMAGE_PNG && a->type != IMAGE_U8 && a->type != IMAGE_U16)
        return io_fail(message, "%s: a PNG has u8 or u16, this image has %s", name,
                       image_type_name(a->type));
    if (format == IMAGE_PNG && a->directions == 3)
        return io_fail(message, "%s: a PNG has two directions, this image has three", name);
    if (format == IMAGE_JPEG && a->type != IMAGE_U8)
        return io_fail(message, "%s: a JPEG has u8, this image has %s", name,
                       image_type_name(a->type));
    if (format == IMAGE_JPEG && a->directions == 3)
        return io_fail(message, "%s: a JPEG has two directions, this image has three", name);
    if (format == IMAGE_JPEG && a->channels % 2 == 0)
        return io_fail(message, "%s: a JPEG has one or three channels and no alpha, not %u", name,
                       a->channels);
    if (is_nifti && a->channels != 1 && (a->channels == 2 || a->type != IMAGE_U8))
        return io_fail(message,
                       "%s: a NIfTI file has one channel, or three or four of u8, not %u of %s",
                       name, a->channels, image_type_name(a->type));
    if (a->frames > 1 && !is_nifti && format != IMAGE_NPY)
        return io_fail(message, "%s: %lu images in a row go into NIfTI or .npy", name,
                       (unsigned long)a->frames);
    return true;
}

bool image_file_loses(const image_array *a, image_format format, char text[IMAGE_TEXT_BYTES])
{
    const image_place *p = &a->place;
    const bool is_nifti = format == IMAGE_NIFTI || format == IMAGE_NIFTI_GZ;
    const nifti_header none = {.version = 1}, *h = a->nifti ? &a->nifti->header : &none;
    const bool is_placed = (p->sform.code > 0 || p->qform.code > 0) && !is_nifti;
    const bool is_described = (h->descrip[0] || h->aux_file[0] || h->intent_name[0]) && !is_nifti;
    const struct {
        bool is_lost;
        const char *words;
    } all[] = {{(a->left_out & IMAGE_LEFT_OUT_PROFILE) != 0, "the colour profile"},
               {p->spacing[0] > 0 && format == IMAGE_NPY, "the lengths of pixels"},
               {is_placed || (a->left_out & IMAGE_LEFT_OUT_PLACE) != 0, "where it is in the world"},
               {(a->left_out & IMAGE_LEFT_OUT_NO_DATA) != 0, "which value stands for no data"},
               {is_described || (a->left_out & IMAGE_LEFT_OUT_WORDS) != 0, "the description"},
               {a->nifti && a->nifti->extensions.count > 0 && !is_nifti, "the extensions"}};
    text[0] = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const size_t length = strlen(text);
        if (all[i].is_lost)
            snprintf(text + length, IMAGE_TEXT_BYTES - length, "%s%s", length > 0 ? ", " : "",
                     all[i].words);
    }
    return text[0] != 0;
}

bool image_format_has_places(image_format format)
{
    return format == IMAGE_NPY || format == IMAGE_NIFTI || format == IMAGE_TIFF;
}

bool image_file_head(const image_array *a, image_format format, image_bytes *head, const char *name,
                     io_message *message)
{
    bool done = false;
    if (format == IMAGE_NPY) done = image_npy_head(a, head);
    if (format == IMAGE_TIFF) done = image_tiff_head(a, head);
#if IO_HAS_NIFTI
    if (format == IMAGE_NIFTI) done = image_nifti_head(a, head);
#endif
    return done || io_fail(message, "%s: an image too large", name);
}

/* Writes a file that has the values behind a head. */
static bool write_plain(const image_array *a, FILE *file, image_format format, const char *name,
                        io_message *message)
{
    image_bytes head = {.bytes = NULL};
    size_t bytes;
    bool done = image_array_bytes(a, &bytes) && image_file_head(a, format, &head, name, message);
    errno = 0;
    if (done && (fwrite(head.bytes, 1, head.count, file) != head.count ||
                 fwrite(a->values, 1, bytes, file) != bytes))
        done = io_fail_errno(message, name, "cannot write");
    free(head.bytes);
    return done;
}

static bool write_format(const image_array *a, FILE *file, image_format format, const char *name,
                         io_message *message)
{
    switch (format) {
    case IMAGE_PNG:
        return image_png_write(a, file, name, message);
    case IMAGE_TIFF:
        return write_plain(a, file, format, name, message);
#if IO_HAS_NIFTI
    case IMAGE_NIFTI:
    case IMAGE_NIFTI_GZ:
        return image_nifti_write(a, file, format == IMAGE_NIFTI_GZ, name, message);
#endif
#if IO_HAS_JPEG
    case IMAGE_JPEG:
        return image_jpeg_write(a, file, name, message);
#endif
    default:
        return image_npy_write(a, file, name, message);
    }
}

bool image_file_write(const image_array *a, const char *path, image_format format,
                      io_message *message)
{
    output out = {.lock = -1};
    if (!image_file_suits(a, format, path, message)) return false;
    if (!output_open(&out, path, message)) return false;
    const bool done = write_format(a, out.file, format, out.name, message);
    return output_close(&out, done);
}
