#include "nifti_header.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- the layouts ---- */

/* Numbers in a header: letters as of Python's struct. */
typedef struct field {
    size_t member; /* of nifti_header: the first of `count` doubles */
    size_t count;
    struct {
        size_t offset;
        char kind;
    } in[2]; /* of version 1 and 2 */
} field;

#define FIELD(member, count, offset1, kind1, offset2, kind2)                                       \
    {                                                                                              \
        offsetof(nifti_header, member), count,                                                     \
        {                                                                                          \
            {offset1, kind1},                                                                      \
            {                                                                                      \
                offset2, kind2                                                                     \
            }                                                                                      \
        }                                                                                          \
    }
static const field fields[] = {
    FIELD(dim, 8, 40, 'h', 16, 'q'),          FIELD(pixdim, 8, 76, 'f', 104, 'd'),
    FIELD(datatype, 1, 70, 'h', 12, 'h'),     FIELD(bitpix, 1, 72, 'h', 14, 'h'),
    FIELD(vox_offset, 1, 108, 'f', 168, 'q'), FIELD(scl_slope, 1, 112, 'f', 176, 'd'),
    FIELD(scl_inter, 1, 116, 'f', 184, 'd'),  FIELD(qform_code, 1, 252, 'h', 344, 'i'),
    FIELD(sform_code, 1, 254, 'h', 348, 'i'), FIELD(quatern, 3, 256, 'f', 352, 'd'),
    FIELD(qoffset, 3, 268, 'f', 376, 'd'),    FIELD(srow, 12, 280, 'f', 400, 'd'),
    FIELD(intent_code, 1, 68, 'h', 504, 'i'), FIELD(intent_p, 3, 56, 'f', 80, 'd'),
    FIELD(slice_start, 1, 74, 'h', 224, 'q'), FIELD(slice_end, 1, 120, 'h', 232, 'q'),
    FIELD(slice_code, 1, 122, 'c', 496, 'i'), FIELD(slice_duration, 1, 132, 'f', 208, 'd'),
    FIELD(toffset, 1, 136, 'f', 216, 'd'),    FIELD(cal_min, 1, 128, 'f', 200, 'd'),
    FIELD(cal_max, 1, 124, 'f', 192, 'd'),    FIELD(xyzt_units, 1, 123, 'c', 500, 'i'),
    FIELD(dim_info, 1, 39, 'c', 524, 'c')};

static const struct {
    size_t member, bytes, offset[2];
} texts[] = {{offsetof(nifti_header, descrip), 80, {148, 240}},
             {offsetof(nifti_header, aux_file), 24, {228, 320}},
             {offsetof(nifti_header, intent_name), 16, {328, 508}}};

enum { NUM_FIELDS = sizeof(fields) / sizeof(fields[0]), NUM_TEXTS = 3 };

/* ---- numbers ---- */

static size_t kind_bytes(char kind)
{
    return kind == 'c' ? 1 : kind == 'h' ? 2 : kind == 'i' || kind == 'f' ? 4 : 8;
}

static double get(const unsigned char *from, char kind, bool is_swapped)
{
    const size_t bytes = kind_bytes(kind);
    unsigned char own[8];
    int16_t h;
    int32_t i;
    int64_t q;
    float f;
    double d;
    for (size_t k = 0; k < bytes; k++)
        own[k] = from[is_swapped ? bytes - 1 - k : k];
    switch (kind) {
    case 'c':
        return own[0];
    case 'h':
        return memcpy(&h, own, 2), (double)h;
    case 'i':
        return memcpy(&i, own, 4), (double)i;
    case 'q':
        return memcpy(&q, own, 8), (double)q;
    case 'f':
        return memcpy(&f, own, 4), (double)f;
    default:
        return memcpy(&d, own, 8), d;
    }
}

/* Keeps a number within what an integer of some bits holds; NaN becomes 0. */
static double whole(double value, int bits)
{
    const double most = ldexp(1, bits - 1);
    return isnan(value) ? 0 : fmin(fmax(value, -most), bits == 64 ? 0x1p62 : most - 1);
}

static void put(unsigned char *to, char kind, double value)
{
    const int16_t h = (int16_t)whole(value, 16);
    const int32_t i = (int32_t)whole(value, 32);
    const int64_t q = (int64_t)whole(value, 64);
    const float f = (float)value;
    switch (kind) {
    case 'c':
        *to = (unsigned char)h;
        break;
    case 'h':
        memcpy(to, &h, 2);
        break;
    case 'i':
        memcpy(to, &i, 4);
        break;
    case 'q':
        memcpy(to, &q, 8);
        break;
    case 'f':
        memcpy(to, &f, 4);
        break;
    default:
        memcpy(to, &value, 8);
    }
}

/* ---- headers ---- */

/* Tells whether four bytes are a number, as they stand or turned round. */
static bool is_number(const unsigned char first[4], double number, bool *is_swapped)
{
    *is_swapped = get(first, 'i', true) == number;
    return *is_swapped || get(first, 'i', false) == number;
}

size_t nifti_header_bytes(const unsigned char first[4])
{
    bool is_swapped;
    return is_number(first, NIFTI1_BYTES, &is_swapped)   ? NIFTI1_BYTES
           : is_number(first, NIFTI2_BYTES, &is_swapped) ? NIFTI2_BYTES
                                                         : 0;
}

static bool check_magic(nifti_header *h, const unsigned char *bytes, const char **why)
{
    const unsigned char *magic = bytes + (h->version == 1 ? 344 : 4);
    const char version = h->version == 1 ? '1' : '2';
    *why = "no NIfTI file";
    h->is_pair = magic[1] == 'i';
    if (magic[0] == 'n' && (magic[1] == '+' || magic[1] == 'i') && magic[2] == version &&
        magic[3] == 0)
        return true;
    if (memcmp(magic, "\0\0\0", 4) == 0) *why = "no NIfTI file (nor is ANALYZE 7.5 read)";
    return false;
}

bool nifti_header_read(nifti_header *h, const unsigned char *bytes, const char **why)
{
    *h = (nifti_header){.version = nifti_header_bytes(bytes) == NIFTI1_BYTES ? 1 : 2};
    const int layout = h->version - 1;
    is_number(bytes, layout == 0 ? NIFTI1_BYTES : NIFTI2_BYTES, &h->is_swapped);
    if (!check_magic(h, bytes, why)) return false;
    for (size_t i = 0; i < NUM_FIELDS; i++)
        for (size_t k = 0; k < fields[i].count; k++) {
            const char kind = fields[i].in[layout].kind;
            const size_t offset = fields[i].in[layout].offset + k * kind_bytes(kind);
            ((double *)((char *)h + fields[i].member))[k] =
                get(bytes + offset, kind, h->is_swapped);
        }
    for (size_t i = 0; i < NUM_TEXTS; i++)
        memcpy((char *)h + texts[i].member, bytes + texts[i].offset[layout], texts[i].bytes);
    *why = "a NIfTI header that is damaged";
    if (!(h->dim[0] >= 1 && h->dim[0] <= 7)) return false;
    for (int i = 1; i < 8; i++) {
        if (i > (int)h->dim[0]) h->dim[i] = 1;
        if (!(h->dim[i] >= 1)) return false;
    }
    return true;
}

size_t nifti_header_write(const nifti_header *h, unsigned char bytes[NIFTI_MAX_BYTES])
{
    const int layout = h->version - 1;
    const size_t length = layout == 0 ? NIFTI1_BYTES : NIFTI2_BYTES;
    memset(bytes, 0, NIFTI_MAX_BYTES);
    put(bytes, 'i', (double)length);
    for (size_t i = 0; i < NUM_FIELDS; i++)
        for (size_t k = 0; k < fields[i].count; k++) {
            const char kind = fields[i].in[layout].kind;
            const size_t offset = fields[i].in[layout].offset + k * kind_bytes(kind);
            put(bytes + offset, kind, ((const double *)((const char *)h + fields[i].member))[k]);
        }
    for (size_t i = 0; i < NUM_TEXTS; i++)
        memcpy(bytes + texts[i].offset[layout], (const char *)h + texts[i].member, texts[i].bytes);
    if (layout == 0) bytes[38] = 'r'; /* "regular", which ANALYZE asks for */
    memcpy(bytes + (layout == 0 ? 344 : 4), layout == 0 ? "n+1" : "n+2\0\r\n\032\n",
           layout == 0 ? 4 : 8);
    return length;
}

void nifti_header_qform(const nifti_header *h, double to_world[3][4])
{
    double b = h->quatern[0], c = h->quatern[1], d = h->quatern[2];
    double a = 1 - (b * b + c * c + d * d), length[3];
    if (a < 1e-7) { /* a turn by 180 degrees, but for rounding */
        const double norm = 1 / sqrt(b * b + c * c + d * d);
        a = 0;
        b *= norm;
        c *= norm;
        d *= norm;
    } else
        a = sqrt(a);
    for (int k = 0; k < 3; k++)
        length[k] = h->pixdim[k + 1] > 0 ? h->pixdim[k + 1] : 1;
    if (h->pixdim[0] < 0) length[2] = -length[2];
    const double turn[3][3] = {
        {a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
        {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
        {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            to_world[i][k] = turn[i][k] * length[k];
        to_world[i][3] = h->qoffset[i];
    }
}
