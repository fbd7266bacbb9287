#include "tiff_page.h"

#include <math.h>
#include <string.h>

#include "npy.h"

/* ---- tags ---- */

/* Finds the type of image that a page's samples become. */
static bool find_type(tiff_page *p, const char **why)
{
    static const struct {
        uint16_t format, bits;
        image_type type;
    } known[] = {{SAMPLEFORMAT_UINT, 1, IMAGE_U8},     {SAMPLEFORMAT_UINT, 2, IMAGE_U8},
                 {SAMPLEFORMAT_UINT, 4, IMAGE_U8},     {SAMPLEFORMAT_UINT, 8, IMAGE_U8},
                 {SAMPLEFORMAT_UINT, 16, IMAGE_U16},   {SAMPLEFORMAT_UINT, 32, IMAGE_U32},
                 {SAMPLEFORMAT_UINT, 64, IMAGE_U64},   {SAMPLEFORMAT_INT, 8, IMAGE_S16},
                 {SAMPLEFORMAT_INT, 16, IMAGE_S16},    {SAMPLEFORMAT_INT, 32, IMAGE_S32},
                 {SAMPLEFORMAT_INT, 64, IMAGE_S64},    {SAMPLEFORMAT_IEEEFP, 16, IMAGE_F32},
                 {SAMPLEFORMAT_IEEEFP, 32, IMAGE_F32}, {SAMPLEFORMAT_IEEEFP, 64, IMAGE_F64}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        p->image.type = known[i].type;
        if (known[i].format == p->format && known[i].bits == p->bits) return true;
    }
    *why =
        "samples of this type are not read (whole numbers of 1, 2, 4, 8, 16, 32 and 64 bits, with "
        "a sign from 8 on, and reals of 16, 32 and 64 bits are)";
    return false;
}

/* Takes the palette. Its entries have 16 bits, of which some writers use the lower 8. */
static bool take_palette(TIFF *tiff, tiff_page *p)
{
    const size_t num = (size_t)1 << p->bits;
    if (!TIFFGetField(tiff, TIFFTAG_COLORMAP, &p->palette[0], &p->palette[1], &p->palette[2]))
        return false;
    for (size_t i = 0; i < 3 * num; i++)
        if (p->palette[i / num][i % num] > UINT8_MAX) p->palette_shift = 8;
    return true;
}

/* Has libtiff's JPEG make RGB of what is stored. */
static void unpack_jpeg(TIFF *tiff, tiff_page *p)
{
    uint16_t compression = COMPRESSION_NONE;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression != COMPRESSION_JPEG || p->photometric != PHOTOMETRIC_YCBCR) return;
    if (TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB))
        p->photometric = PHOTOMETRIC_RGB;
}

/* Finds out what the values stand for. */
static bool find_colors(TIFF *tiff, tiff_page *p, const char **why)
{
    const bool is_whole = p->format == SAMPLEFORMAT_UINT;
    switch (p->photometric) {
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_RGB:
        return true;
    case PHOTOMETRIC_MINISWHITE:
        if (is_whole && p->bits <= 16) return true;
        *why = "white as 0 is read of whole numbers without a sign, of up to 16 bits";
        return false;
    case PHOTOMETRIC_PALETTE:
        p->image.channels = 3;
        p->image.type = IMAGE_U8;
        if (is_whole && p->bits <= 8 && p->channels == 1 && take_palette(tiff, p)) return true;
        *why = "a palette is read of one channel of up to 8 bits, with its colours";
        return false;
    default:
        *why = "colours of this kind are not read (gray, RGB and palettes are)";
        return false;
    }
}

/* Takes the distance between pixels, in millimeters where the file has their unit. */
static void find_place(TIFF *tiff, tiff_page *p)
{
    uint16_t unit = RESUNIT_INCH;
    float across = 0, down = 0;
    image_place *place = &p->image.place;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    const double length = unit == RESUNIT_INCH ? 25.4 : unit == RESUNIT_CENTIMETER ? 10 : 1;
    if (!TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &across) ||
        !TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &down))
        return;
    const double x = length / (double)across, y = length / (double)down;
    if (!isfinite(x) || !isfinite(y) || !(x > 0) || !(y > 0)) return;
    const bool is_turned = image_is_turned(p->orientation);
    place->spacing[0] = is_turned ? y : x;
    place->spacing[1] = is_turned ? x : y;
    place->units = length > 1 ? IMAGE_MILLIMETERS : 0;
    place->is_per_inch = unit == RESUNIT_INCH;
}

static image_alpha_kind find_alpha(TIFF *tiff)
{
    uint16_t num = 0, *extra = NULL;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &num, &extra);
    if (num == 0 || !extra) return IMAGE_ALPHA_NONE;
    return extra[0] == EXTRASAMPLE_ASSOCALPHA   ? IMAGE_ALPHA_ASSOCIATED
           : extra[0] == EXTRASAMPLE_UNASSALPHA ? IMAGE_ALPHA_STRAIGHT
                                                : IMAGE_ALPHA_NONE;
}

/* Takes the size as it is seen. */
static void find_size(tiff_page *p)
{
    const bool is_turned = image_is_turned(p->orientation);
    p->image.directions = 2;
    p->image.size[0] = is_turned ? p->width : p->height;
    p->image.size[1] = is_turned ? p->height : p->width;
    p->image.channels = p->channels;
}

/* Finds what else the tags say: those of GeoTIFF, and of GDAL, have no names here. */
static uint32_t find_left_out(TIFF *tiff)
{
    static const struct {
        uint32_t tag, what;
    } known[] = {{TIFFTAG_ICCPROFILE, IMAGE_LEFT_OUT_PROFILE},
                 {TIFFTAG_IMAGEDESCRIPTION, IMAGE_LEFT_OUT_WORDS},
                 {33550, IMAGE_LEFT_OUT_PLACE}, /* the size of pixels */
                 {33922, IMAGE_LEFT_OUT_PLACE}, /* points and where they are */
                 {34264, IMAGE_LEFT_OUT_PLACE}, /* a matrix */
                 {34735, IMAGE_LEFT_OUT_PLACE}, /* in which coordinates */
                 {42112, IMAGE_LEFT_OUT_WORDS},
                 {42113, IMAGE_LEFT_OUT_NO_DATA}};
    uint32_t found = 0;
    for (int i = 0; i < TIFFGetTagListCount(tiff); i++)
        for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
            if (TIFFGetTagListEntry(tiff, i) == known[k].tag) found |= known[k].what;
    return found;
}

bool tiff_page_read(TIFF *tiff, tiff_page *p, const char **why)
{
    uint16_t channels = 1, planar = PLANARCONFIG_CONTIG;
    *p = (tiff_page){.bits = 1, .format = SAMPLEFORMAT_UINT, .orientation = ORIENTATION_TOPLEFT};
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &p->width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &p->height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &channels);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &p->format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &p->bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &p->orientation);
    if (p->orientation < 1 || p->orientation > 8) p->orientation = ORIENTATION_TOPLEFT;
    p->photometric = channels >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &p->photometric);
    unpack_jpeg(tiff, p);
    p->image.left_out = find_left_out(tiff);
    p->channels = channels;
    p->apart = planar == PLANARCONFIG_SEPARATE && channels > 1;
    find_size(p);
    find_place(tiff, p);
    p->image.alpha = find_alpha(tiff);
    *why = "an image without samples";
    if (p->width == 0 || p->height == 0) return false;
    *why = "more than 4 channels are not read";
    if (channels < 1 || channels > IMAGE_MAX_CHANNELS) return false;
    return find_type(p, why) && find_colors(tiff, p, why);
}

size_t tiff_page_row_bytes(const tiff_page *p, size_t width)
{
    return (width * (p->apart ? 1 : p->channels) * p->bits + 7) / 8;
}

/* ---- samples ---- */

/* Returns sample number i of a row as it stands in the file, of at most 16 bits: those of more are
   the image's as they are. */
static double stored_value(const tiff_page *p, const unsigned char *row, size_t i)
{
    static const npy_type types[][2] = {[SAMPLEFORMAT_UINT] = {NPY_U8, NPY_U16},
                                        [SAMPLEFORMAT_INT] = {NPY_S8, NPY_S16},
                                        [SAMPLEFORMAT_IEEEFP] = {NPY_F16, NPY_F16}};
    const size_t bit = i * p->bits;
    const uint16_t one = 1;
    if (p->bits < 8) return row[bit / 8] >> (8 - p->bits - bit % 8) & ((1 << p->bits) - 1);
    const npy_header number = {.type = types[p->format][p->bits > 8],
                               .is_big = *(const unsigned char *)&one == 0};
    return npy_get(&number, row + bit / 8);
}

/* Returns what a stored value of these is in an image: less than 8 bits go over all of u8. */
static double shown_value(const tiff_page *p, double stored, bool is_alpha)
{
    const double most = (double)(((uint64_t)1 << p->bits) - 1);
    if (p->format != SAMPLEFORMAT_UINT) return stored;
    if (p->photometric == PHOTOMETRIC_MINISWHITE && !is_alpha) stored = most - stored;
    return p->bits < 8 ? stored * (255 / most) : stored;
}

/* Sets a pixel's colours from the palette. */
static void put_color(const tiff_page *p, image_array *to, size_t pixel, double stored)
{
    for (size_t k = 0; k < 3; k++)
        image_array_set(to, 3 * pixel + k,
                        (double)(p->palette[k][(size_t)stored] >> p->palette_shift));
}

static size_t seen_at(const tiff_page *p, size_t x, size_t y)
{
    return image_seen_at(p->orientation, p->width, p->height, x, y);
}

/* Tells whether stored values and those of the image are the same bytes. */
static bool is_plain(const tiff_page *p)
{
    return p->bits == 8 * image_type_bytes(p->image.type) &&
           (p->photometric == PHOTOMETRIC_MINISBLACK || p->photometric == PHOTOMETRIC_RGB);
}

/* Puts pixel number x of a block's row to where it is seen. */
static void put_pixel(const tiff_page *p, const tiff_block *b, const unsigned char *row, size_t x,
                      size_t at, image_array *to)
{
    const uint32_t num = p->apart ? 1 : p->channels;
    for (uint32_t k = 0; k < num; k++) {
        const double stored = stored_value(p, row, x * num + k);
        const uint32_t channel = p->apart ? b->channel : k;
        const bool is_alpha = p->channels % 2 == 0 && channel == p->channels - 1;
        if (p->photometric == PHOTOMETRIC_PALETTE)
            put_color(p, to, at, stored);
        else
            image_array_set(to, at * p->channels + channel, shown_value(p, stored, is_alpha));
    }
}

/* Copies the bytes of pixel number x of a block's row to where it is seen. */
static void copy_pixel(const tiff_page *p, const tiff_block *b, const unsigned char *row, size_t x,
                       size_t at, image_array *to)
{
    const size_t each = image_type_bytes(to->type), pixel = each * p->channels;
    unsigned char *values = (unsigned char *)to->values + at * pixel;
    if (p->apart)
        memcpy(values + b->channel * each, row + x * each, each);
    else
        memcpy(values, row + x * pixel, pixel);
}

void tiff_page_put(const tiff_page *p, const tiff_block *b, image_array *to)
{
    const bool is_copied = is_plain(p), is_upright = p->orientation == ORIENTATION_TOPLEFT;
    const size_t left = p->width - b->x, num = b->width < left ? b->width : left;
    const size_t pixel = image_type_bytes(to->type) * p->channels;
    for (size_t y = 0; y < b->height && b->y + y < p->height; y++) {
        const unsigned char *row = b->values + y * b->row_bytes;
        if (is_copied && is_upright && !p->apart) {
            memcpy((unsigned char *)to->values + seen_at(p, b->x, b->y + y) * pixel, row,
                   num * pixel);
            continue;
        }
        for (size_t x = 0; x < num; x++) {
            const size_t at = seen_at(p, b->x + x, b->y + y);
            if (is_copied)
                copy_pixel(p, b, row, x, at, to);
            else
                put_pixel(p, b, row, x, at, to);
        }
    }
}
