#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "image_formats.h"

/* A block of 8 x 8 takes a bit or two: a file that claims much more than that lies, and no memory
   is taken for it. Real files have some ten scans. */
enum { MOST_UNPACKED = 16384, MOST_SCANS = 500, DEFAULT_QUALITY = 90 };

/* ---- errors ---- */

/* What libjpeg calls when something is wrong, and where that leads. */
typedef struct jpeg_errors {
    struct jpeg_error_mgr manager; /* the first member: libjpeg has its address */
    jmp_buf back;
    char why[JMSG_LENGTH_MAX];
} jpeg_errors;

/* Goes back to where the file was begun; libjpeg wants no return. */
static void on_error(j_common_ptr jpeg)
{
    jpeg_errors *e = (jpeg_errors *)jpeg->err;
    jpeg->err->format_message(jpeg, e->why);
    longjmp(e->back, 1);
}

/* Takes a file that ends early for an error, and passes over other warnings. */
static void on_message(j_common_ptr jpeg, int level)
{
    jpeg_errors *e = (jpeg_errors *)jpeg->err;
    if (level >= 0 || jpeg->err->msg_code != JWRN_JPEG_EOF) return;
    snprintf(e->why, sizeof(e->why), "the file ends within its image");
    longjmp(e->back, 1);
}

/* Ends files that would be read over and over. */
static void on_progress(j_common_ptr jpeg)
{
    jpeg_errors *e = (jpeg_errors *)jpeg->err;
    if (((j_decompress_ptr)jpeg)->input_scan_number <= MOST_SCANS) return;
    snprintf(e->why, sizeof(e->why), "too many scans");
    longjmp(e->back, 1);
}

static void set_errors(jpeg_errors *e)
{
    jpeg_std_error(&e->manager);
    e->manager.error_exit = on_error;
    e->manager.emit_message = on_message;
}

/* ---- what stands beside the image ---- */

static uint32_t get_number(const unsigned char *from, int bytes, bool is_big)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)from[is_big ? bytes - 1 - i : i] << 8 * i;
    return value;
}

/* Exif data, which are a TIFF without an image. */
typedef struct exif_data {
    const unsigned char *bytes; /* NULL: there are none */
    size_t count;
} exif_data;

/* Returns the number that is a tag's first value, a whole one or a fraction; 0: there is none. */
static double exif_number(const exif_data *exif, uint32_t tag)
{
    enum { HEAD = 8, ENTRY = 12, SHORT = 3, RATIONAL = 5 };
    const size_t count = exif->count;
    if (!exif->bytes || count < HEAD) return 0;
    const bool is_big = exif->bytes[0] == 'M';
    const size_t at = get_number(exif->bytes + 4, 4, is_big);
    if (at > count - 2) return 0;
    const size_t num = get_number(exif->bytes + at, 2, is_big);
    for (size_t i = 0; i < num && count - at - 2 >= (i + 1) * ENTRY; i++) {
        const unsigned char *entry = exif->bytes + at + 2 + i * ENTRY;
        const uint32_t type = get_number(entry + 2, 2, is_big);
        if (get_number(entry, 2, is_big) != tag) continue;
        if (type == SHORT) return get_number(entry + 8, 2, is_big);
        const size_t value = get_number(entry + 8, 4, is_big);
        if (type != RATIONAL || value > count - 8) return 0;
        const uint32_t below = get_number(exif->bytes + value + 4, 4, is_big);
        return below ? (double)get_number(exif->bytes + value, 4, is_big) / below : 0;
    }
    return 0;
}

/* Finds the Exif data, and whether there is a colour profile. */
static exif_data look_at_markers(const struct jpeg_decompress_struct *jpeg, image_array *a)
{
    static const char exif[] = "Exif\0", profile[] = "ICC_PROFILE";
    exif_data found = {.bytes = NULL};
    for (jpeg_saved_marker_ptr m = jpeg->marker_list; m; m = m->next) {
        if (m->marker == JPEG_APP0 + 1 && m->data_length >= sizeof(exif) &&
            memcmp(m->data, exif, sizeof(exif)) == 0 && !found.bytes)
            found = (exif_data){m->data + sizeof(exif), m->data_length - sizeof(exif)};
        if (m->marker == JPEG_APP0 + 2 && m->data_length >= sizeof(profile) &&
            memcmp(m->data, profile, sizeof(profile)) == 0)
            a->left_out = IMAGE_LEFT_OUT_PROFILE;
    }
    return found;
}

/* Takes the distance between pixels as JFIF tells it, or else Exif. Of JFIF without a unit it is
   the shape of a pixel alone, which 1 to 1 does not tell. */
static void take_density(const struct jpeg_decompress_struct *jpeg, const exif_data *exif,
                         bool is_turned, image_place *place)
{
    enum { ACROSS = 282, DOWN = 283, UNIT = 296, CENTIMETER = 3 };
    const bool has_jfif = jpeg->saw_JFIF_marker && jpeg->X_density > 0 && jpeg->Y_density > 0;
    double across = exif_number(exif, ACROSS), down = exif_number(exif, DOWN), length = 25.4;
    const int unit = (int)exif_number(exif, UNIT);
    if (unit == CENTIMETER || unit == 1) length = unit == 1 ? 1 : 10;
    if (has_jfif && (jpeg->density_unit > 0 || !(across > 0 && down > 0))) {
        across = jpeg->X_density;
        down = jpeg->Y_density;
        length = jpeg->density_unit == 1 ? 25.4 : jpeg->density_unit == 2 ? 10 : 1;
    }
    if (!(across > 0 && down > 0) || (length == 1 && across == down)) return;
    place->spacing[is_turned ? 1 : 0] = length / across;
    place->spacing[is_turned ? 0 : 1] = length / down;
    place->units = length > 1 ? IMAGE_MILLIMETERS : 0;
    place->is_per_inch = length == 25.4;
}

/* Takes the distance between pixels and returns the orientation, 1 to 8. */
static int take_markers(const struct jpeg_decompress_struct *jpeg, image_array *a)
{
    enum { ORIENTATION = 274 };
    const exif_data exif = look_at_markers(jpeg, a);
    const double found = exif_number(&exif, ORIENTATION);
    const int orientation = found >= 1 && found <= 8 ? (int)found : 1;
    take_density(jpeg, &exif, image_is_turned(orientation), &a->place);
    return orientation;
}

/* ---- reading ---- */

/* A JPEG while it is read. */
typedef struct jpeg_source {
    jpeg_errors errors;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_progress_mgr progress;
    image_bytes all;
    unsigned char *row;
    image_array *a;
    const char *why; /* what else is wrong */
} jpeg_source;

/* Reads the header and makes room for the image. */
static bool begin_image(jpeg_source *p, int *orientation)
{
    struct jpeg_decompress_struct *jpeg = &p->jpeg;
    image_array *a = p->a;
    jpeg_save_markers(jpeg, JPEG_APP0 + 1, 0xffff);
    jpeg_save_markers(jpeg, JPEG_APP0 + 2, 0xffff);
    jpeg_read_header(jpeg, TRUE);
    const size_t width = jpeg->image_width, height = jpeg->image_height;
    p->why = "colours of this kind are not read (gray and RGB are)";
    if (jpeg->num_components != 1 && jpeg->num_components != 3) return false;
    p->why = "the file is too short for its width and height";
    if (width * height / MOST_UNPACKED > p->all.count) return false;
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    a->directions = 2;
    a->channels = (uint32_t)jpeg->num_components;
    *orientation = take_markers(jpeg, a);
    const bool is_turned = image_is_turned(*orientation);
    a->size[0] = is_turned ? width : height;
    a->size[1] = is_turned ? height : width;
    p->why = "not enough memory for this image";
    p->row = malloc(width * a->channels);
    return image_array_make(a) && p->row;
}

/* Puts a row to where it is seen. */
static void put_row(jpeg_source *p, size_t y, int orientation)
{
    const size_t width = p->jpeg.image_width, height = p->jpeg.image_height;
    const size_t pixel = p->a->channels;
    unsigned char *to = p->a->values;
    for (size_t x = 0; x < width; x++)
        memcpy(to + pixel * image_seen_at(orientation, width, height, x, y), p->row + pixel * x,
               pixel);
}

/* Reads all; an error ends in on_error, from which the last jump leads back here. */
static bool read_image(jpeg_source *p)
{
    int orientation;
    if (setjmp(p->errors.back)) {
        p->why = p->errors.why;
        return false;
    }
    jpeg_create_decompress(&p->jpeg);
    p->progress.progress_monitor = on_progress;
    p->jpeg.progress = &p->progress;
    jpeg_mem_src(&p->jpeg, p->all.bytes, (unsigned long)p->all.count);
    if (!begin_image(p, &orientation)) return false;
    jpeg_start_decompress(&p->jpeg);
    while (p->jpeg.output_scanline < p->jpeg.output_height) {
        const size_t y = p->jpeg.output_scanline;
        if (jpeg_read_scanlines(&p->jpeg, &p->row, 1) == 1) put_row(p, y, orientation);
    }
    jpeg_finish_decompress(&p->jpeg);
    return true;
}

bool image_jpeg_read(image_array *a, const image_source *s)
{
    jpeg_source p = {.a = a};
    set_errors(&p.errors);
    p.jpeg.err = &p.errors.manager;
    bool done = image_source_bytes(s, &p.all);
    if (done) {
        done = read_image(&p) || image_source_fail(s, "%s", p.why);
        jpeg_destroy_decompress(&p.jpeg);
    }
    free(p.row);
    free(p.all.bytes);
    return done;
}

/* ---- writing ---- */

/* Writes how many pixels there are in an inch, or their shape alone where no unit is known. */
static void set_density(struct jpeg_compress_struct *jpeg, const image_place *place)
{
    const double millimeters = image_unit_millimeters(place->units);
    const double length = millimeters > 0 ? 25.4 / millimeters : 1;
    if (!(place->spacing[0] > 0) || !(place->spacing[1] > 0)) return;
    const double across = rint(length / place->spacing[0]), down = rint(length / place->spacing[1]);
    if (!(across >= 1 && across <= UINT16_MAX && down >= 1 && down <= UINT16_MAX)) return;
    jpeg->density_unit = millimeters > 0 ? 1 : 0;
    jpeg->X_density = (UINT16)across;
    jpeg->Y_density = (UINT16)down;
}

static void write_rows(struct jpeg_compress_struct *jpeg, const image_array *a)
{
    const size_t row_bytes = a->size[a->directions - 1] * a->channels;
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW row = (unsigned char *)a->values + jpeg->next_scanline * row_bytes;
        jpeg_write_scanlines(jpeg, &row, 1);
    }
}

static bool write_image(struct jpeg_compress_struct *jpeg, jpeg_errors *errors,
                        const image_array *a, FILE *file)
{
    if (setjmp(errors->back)) return false;
    jpeg_create_compress(jpeg);
    jpeg_stdio_dest(jpeg, file);
    jpeg->image_width = (JDIMENSION)a->size[a->directions - 1];
    jpeg->image_height = (JDIMENSION)(a->directions > 1 ? a->size[0] : 1);
    jpeg->input_components = (int)a->channels;
    jpeg->in_color_space = a->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, a->quality > 0 ? (int)a->quality : DEFAULT_QUALITY, TRUE);
    set_density(jpeg, &a->place);
    jpeg_start_compress(jpeg, TRUE);
    write_rows(jpeg, a);
    jpeg_finish_compress(jpeg);
    return true;
}

bool image_jpeg_write(const image_array *a, FILE *file, const char *name, io_message *message)
{
    struct jpeg_compress_struct jpeg = {.err = NULL};
    jpeg_errors errors;
    for (uint32_t i = 0; i < a->directions; i++)
        if (a->size[i] > JPEG_MAX_DIMENSION)
            return io_fail(message, "%s: a side of a JPEG has at most %ld samples", name,
                           (long)JPEG_MAX_DIMENSION);
    set_errors(&errors);
    jpeg.err = &errors.manager;
    errno = 0;
    const bool done = write_image(&jpeg, &errors, a, file);
    const int code = errno;
    jpeg_destroy_compress(&jpeg);
    errno = code;
    if (done) return true;
    return code ? io_fail_errno(message, name, "cannot write")
                : io_fail(message, "%s: cannot write: %s", name, errors.why);
}
