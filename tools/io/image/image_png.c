#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "image_formats.h"

/* Deflate makes at most 1032 bytes of one: a file that claims more than that of its own size lies,
   and no memory is taken for it. */
enum { MOST_INFLATED = 1040 };

/* ---- reading ---- */

/* A PNG in memory while it is read. */
typedef struct png_source {
    const image_source *s;
    image_bytes all;
    size_t next;
    png_structp png;
    png_infop info;
    unsigned char **rows;
    image_array *a;
} png_source;

/* Complains and goes back to where the file was begun; libpng wants no return. */
static void on_read_error(png_structp png, png_const_charp why)
{
    const png_source *p = png_get_error_ptr(png);
    image_source_fail(p->s, "%s", why);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp why)
{
    (void)png;
    (void)why;
}

static void take_bytes(png_structp png, png_bytep to, size_t count)
{
    png_source *p = png_get_io_ptr(png);
    if (count > p->all.count - p->next) png_error(png, "the file ends within its image");
    memcpy(to, p->all.bytes + p->next, count);
    p->next += count;
}

/* Reads the header and has libpng make 8 or 16 bit gray or RGB of whatever there is. */
static void read_header(png_source *p)
{
    png_set_read_fn(p->png, p, take_bytes);
    png_read_info(p->png, p->info);
    const size_t bytes = png_get_rowbytes(p->png, p->info);
    const size_t height = png_get_image_height(p->png, p->info);
    if (bytes > (p->all.count + 64) * MOST_INFLATED / height)
        png_error(p->png, "the file is too short for its width and height");
    png_set_expand(p->png);
    const uint16_t one = 1;
    if (*(const unsigned char *)&one == 1) png_set_swap(p->png);
    png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
}

/* Takes how many pixels there are in a meter. */
static void take_resolution(png_source *p)
{
    png_uint_32 across = 0, down = 0;
    int unit = PNG_RESOLUTION_UNKNOWN;
    image_place *place = &p->a->place;
    if (!png_get_pHYs(p->png, p->info, &across, &down, &unit) || across == 0 || down == 0) return;
    const double length = unit == PNG_RESOLUTION_METER ? 1000 : 1;
    place->spacing[0] = length / across;
    place->spacing[1] = length / down;
    place->units = unit == PNG_RESOLUTION_METER ? IMAGE_MILLIMETERS : 0;
}

static void make_rows(png_source *p)
{
    image_array *a = p->a;
    const size_t bytes = png_get_rowbytes(p->png, p->info);
    a->directions = 2;
    a->size[0] = png_get_image_height(p->png, p->info);
    a->size[1] = png_get_image_width(p->png, p->info);
    a->channels = png_get_channels(p->png, p->info);
    a->type = png_get_bit_depth(p->png, p->info) == 16 ? IMAGE_U16 : IMAGE_U8;
    a->alpha = IMAGE_ALPHA_STRAIGHT;
    if (png_get_valid(p->png, p->info, PNG_INFO_iCCP)) a->left_out = IMAGE_LEFT_OUT_PROFILE;
    take_resolution(p);
    p->rows = malloc(a->size[0] * sizeof(*p->rows));
    if (!p->rows || !image_array_make(a)) png_error(p->png, "not enough memory for this image");
    for (size_t i = 0; i < a->size[0]; i++)
        p->rows[i] = (unsigned char *)a->values + i * bytes;
}

/* Reads all; an error ends in on_read_error, from which the last jump leads back here. */
static bool read_image(png_source *p)
{
    if (setjmp(png_jmpbuf(p->png))) return false;
    read_header(p);
    make_rows(p);
    png_read_image(p->png, p->rows);
    png_read_end(p->png, NULL);
    return true;
}

bool image_png_read(image_array *a, const image_source *s)
{
    png_source p = {.s = s, .a = a};
    bool done = image_source_bytes(s, &p.all);
    if (done) {
        p.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &p, on_read_error, on_warning);
        if (p.png) p.info = png_create_info_struct(p.png);
        done = p.info ? read_image(&p) : image_source_fail(s, "not enough memory for this file");
    }
    png_destroy_read_struct(&p.png, &p.info, NULL);
    free(p.rows);
    free(p.all.bytes);
    return done;
}

/* ---- writing ---- */

typedef struct png_target {
    const char *name;
    io_message *message;
    png_structp png;
    png_infop info;
    png_bytepp rows;
} png_target;

static void on_write_error(png_structp png, png_const_charp why)
{
    const png_target *p = png_get_error_ptr(png);
    io_fail(p->message, "%s: cannot write: %s", p->name, why);
    png_longjmp(png, 1);
}

/* Writes how many pixels there are in a meter. */
static void set_resolution(const png_target *p, const image_array *a)
{
    const double millimeters = image_unit_millimeters(a->place.units);
    const double length = millimeters > 0 ? 1000 / millimeters : 1;
    const double across = length / a->place.spacing[0], down = length / a->place.spacing[1];
    if (!(a->place.spacing[0] > 0) || !(a->place.spacing[1] > 0)) return;
    if (!(across >= 1 && across < PNG_UINT_31_MAX && down >= 1 && down < PNG_UINT_31_MAX)) return;
    png_set_pHYs(p->png, p->info, (png_uint_32)(across + 0.5), (png_uint_32)(down + 0.5),
                 millimeters > 0 ? PNG_RESOLUTION_METER : PNG_RESOLUTION_UNKNOWN);
}

/* Writes what the image is. */
static void set_note(const png_target *p, const char *note)
{
    char key[] = "Description";
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE, .key = key};
    if (!note) return;
    text.text = (png_charp)(size_t)note; /* which is only read */
    png_set_text(p->png, p->info, &text, 1);
}

static bool write_image(const png_target *p, const image_array *a, FILE *file)
{
    static const int colors[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
    if (setjmp(png_jmpbuf(p->png))) return false;
    png_init_io(p->png, file);
    png_set_user_limits(p->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(p->png, p->info, (png_uint_32)a->size[a->directions - 1],
                 (png_uint_32)(a->directions > 1 ? a->size[0] : 1), a->type == IMAGE_U8 ? 8 : 16,
                 colors[a->channels - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    set_resolution(p, a);
    set_note(p, a->place.note);
    png_write_info(p->png, p->info);
    const uint16_t one = 1;
    if (*(const unsigned char *)&one == 1) png_set_swap(p->png);
    png_write_image(p->png, p->rows);
    png_write_end(p->png, NULL);
    return true;
}

/* Makes the list of the rows that libpng takes. */
static png_bytepp list_rows(const image_array *a)
{
    const size_t num = a->directions > 1 ? a->size[0] : 1;
    const size_t bytes = a->size[a->directions - 1] * a->channels * image_type_bytes(a->type);
    png_bytepp rows = malloc(num * sizeof(*rows));
    for (size_t i = 0; rows && i < num; i++)
        rows[i] = (png_bytep)a->values + i * bytes;
    return rows;
}

bool image_png_write(const image_array *a, FILE *file, const char *name, io_message *message)
{
    png_target p = {.name = name, .message = message, .rows = list_rows(a)};
    bool done = false;
    p.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &p, on_write_error, on_warning);
    if (p.png) p.info = png_create_info_struct(p.png);
    if (p.info && p.rows)
        done = write_image(&p, a, file);
    else
        io_fail(message, "%s: cannot write: not enough memory", name);
    png_destroy_write_struct(&p.png, &p.info);
    free(p.rows);
    return done;
}
