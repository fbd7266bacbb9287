#include <errno.h>
#include <math.h>
#include <nifti1_io.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "image_formats.h"

enum { HEADER_BYTES = 348, DATA_OFFSET = 352, READ_BYTES = 1 << 20, MAX_SIDE = 32767 };

/* ---- the file ---- */

/* Returns a file of its own with what is left of a stream that cannot go back. */
static FILE *spool(const image_source *s)
{
    image_bytes all = {.bytes = NULL};
    FILE *file = NULL;
    if (image_source_bytes(s, &all)) {
        file = tmpfile();
        if (!file || fwrite(all.bytes, 1, all.count, file) != all.count || fflush(file) != 0) {
            image_source_fail(s, "cannot keep it in a temporary file");
            if (file) fclose(file);
            file = NULL;
        }
    }
    free(all.bytes);
    return file;
}

/* Opens a stream, compressed or not, from its beginning. */
static gzFile open_any(const image_source *s)
{
    FILE *own = NULL;
    if (fseek(s->file, 0, SEEK_SET) != 0 && !(own = spool(s))) return NULL;
    int descriptor = dup(fileno(own ? own : s->file));
    if (own) fclose(own);
    gzFile gz = NULL;
    if (descriptor >= 0 && lseek(descriptor, 0, SEEK_SET) == 0) gz = gzdopen(descriptor, "rb");
    if (gz) return gz;
    if (descriptor >= 0) close(descriptor);
    image_source_fail(s, "cannot read");
    return NULL;
}

/* Tells why there are fewer bytes than there should be. */
static bool fail_short(const image_source *s, gzFile gz)
{
    int code = Z_OK;
    const char *why = gzerror(gz, &code);
    if (code != Z_OK && code != Z_BUF_ERROR && code != Z_ERRNO)
        return image_source_fail(s, "damaged gzip data (%s)", why);
    return image_source_fail(s, "the file ends within its image");
}

/* ---- the header ---- */

/* What of a file is read: libnifti's view of the header, and the types. */
typedef struct nifti_content {
    nifti_image *nim;
    size_t bytes_each; /* of a number in the file */
    bool is_signed;    /* 8 or 32 bit with a sign */
    bool is_scaled;
} nifti_content;

/* Whether the numbers in a header are such that libnifti takes them without a word on standard
   error. */
static bool is_sound(nifti_1_header header)
{
    int bytes = 0, swap = 0;
    if (header.dim[0] < 1 || header.dim[0] > 7) swap_nifti_header(&header, 1);
    nifti_datatype_sizes(header.datatype, &bytes, &swap);
    return header.dim[0] >= 1 && header.dim[0] <= 7 && header.dim[1] >= 1 && bytes > 0;
}

/* Reads the header and has libnifti check it and turn it into the machine's byte order. */
static bool read_header(const image_source *s, gzFile gz, nifti_content *c)
{
    nifti_1_header header;
    nifti_set_debug_level(0);
    if (gzread(gz, &header, HEADER_BYTES) != HEADER_BYTES) return fail_short(s, gz);
    if (memcmp(header.magic, "n+1", 4) != 0)
        return image_source_fail(s, memcmp(header.magic, "ni1", 4) == 0
                                        ? "a header whose image is in another file is not read"
                                        : "no NIfTI-1 file");
    c->nim = is_sound(header) ? nifti_convert_nhdr2nim(header, "image.nii") : NULL;
    if (!c->nim) return image_source_fail(s, "a NIfTI header that is damaged");
    return true;
}

static bool take_type(image_array *a, const image_source *s, nifti_content *c)
{
    static const struct {
        int datatype;
        image_type type;
        size_t bytes_each;
        uint32_t channels;
        bool is_signed;
    } known[] = {{DT_UINT8, IMAGE_U8, 1, 1, false},    {DT_UINT16, IMAGE_U16, 2, 1, false},
                 {DT_INT16, IMAGE_S16, 2, 1, true},    {DT_FLOAT32, IMAGE_F32, 4, 1, false},
                 {DT_FLOAT64, IMAGE_F64, 8, 1, false}, {DT_RGB24, IMAGE_U8, 1, 3, false},
                 {DT_RGBA32, IMAGE_U8, 1, 4, false},   {DT_INT8, IMAGE_S16, 1, 1, true},
                 {DT_INT32, IMAGE_F64, 4, 1, true},    {DT_UINT32, IMAGE_F64, 4, 1, false}};
    const nifti_image *nim = c->nim;
    const double slope = (double)nim->scl_slope, inter = (double)nim->scl_inter;
    c->is_scaled = slope != 0 && isfinite(slope) && isfinite(inter) && (slope != 1 || inter != 0);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].datatype != nim->datatype) continue;
        a->channels = known[i].channels;
        a->type = known[i].type;
        c->bytes_each = known[i].bytes_each;
        c->is_signed = known[i].is_signed;
        if (a->channels > 1) c->is_scaled = false;
        if (c->is_scaled && a->type != IMAGE_F64) a->type = IMAGE_F32;
        return true;
    }
    return image_source_fail(s, "numbers of type %s are not read",
                             nifti_datatype_string(nim->datatype));
}

/* Takes where the samples are in the world. */
static void take_place(image_place *place, const nifti_image *nim)
{
    const mat44 *m = nim->sform_code > 0 ? &nim->sto_xyz : &nim->qto_xyz;
    place->spacing[0] = (double)nim->dx;
    place->spacing[1] = (double)nim->dy;
    place->spacing[2] = (double)nim->dz;
    place->world = nim->sform_code > 0 ? nim->sform_code : nim->qform_code;
    place->units = nim->xyz_units;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            place->to_world[i][k] = (double)m->m[i][k];
}

static bool take_shape(image_array *a, const image_source *s, const nifti_image *nim)
{
    const int64_t sides[] = {nim->nz, nim->ny, nim->nx};
    if (nim->nt > 1 || nim->nu > 1 || nim->nv > 1 || nim->nw > 1)
        return image_source_fail(s, "more than three dimensions are not read");
    a->directions = nim->nz > 1 ? 3 : nim->ny > 1 ? 2 : 1;
    for (uint32_t i = 0; i < a->directions; i++) {
        const int64_t side = sides[3 - a->directions + i];
        if (side < 1) return image_source_fail(s, "an image without samples");
        a->size[i] = (size_t)side;
    }
    take_place(&a->place, nim);
    return true;
}

/* ---- values ---- */

/* Returns number i of what stands in the file, in the machine's byte order, where that is no type
   of images. */
static double get_wide(const unsigned char *from, size_t i, const nifti_content *c)
{
    if (c->bytes_each == 1) return (double)(int8_t)from[i];
    uint32_t bits;
    memcpy(&bits, from + 4 * i, sizeof(bits));
    return c->is_signed ? (double)(int32_t)bits : (double)bits;
}

/* Makes the image's values of the file's numbers: wider, or scaled. */
static bool convert(image_array *a, const nifti_content *c, unsigned char *raw)
{
    const int kind = c->nim->datatype;
    const bool is_wide = kind == DT_INT8 || kind == DT_INT32 || kind == DT_UINT32;
    static const image_type types[] = {
        [1] = IMAGE_U8, [2] = IMAGE_U16, [4] = IMAGE_F32, [8] = IMAGE_F64};
    image_array from = {.type = kind == DT_INT16 ? IMAGE_S16 : types[c->bytes_each], .values = raw};
    size_t bytes;
    if (!is_wide && !c->is_scaled) {
        a->values = raw;
        return true;
    }
    const bool made = image_array_make(a) && image_array_bytes(a, &bytes);
    for (size_t i = 0; made && i < bytes / image_type_bytes(a->type); i++) {
        double value = is_wide ? get_wide(raw, i, c) : image_array_get(&from, i);
        if (c->is_scaled) value = (double)c->nim->scl_slope * value + (double)c->nim->scl_inter;
        if (a->type == IMAGE_S16) ((int16_t *)a->values)[i] = (int16_t)value;
        if (a->type == IMAGE_F32) ((float *)a->values)[i] = (float)value;
        if (a->type == IMAGE_F64) ((double *)a->values)[i] = value;
    }
    free(raw);
    return made;
}

/* Counts the bytes of all numbers in the file. */
static bool count_bytes(const image_array *a, const nifti_content *c, size_t *bytes)
{
    image_array in_file = *a;
    in_file.type = IMAGE_U8;
    if (!image_array_bytes(&in_file, bytes) || *bytes > SIZE_MAX / c->bytes_each) return false;
    *bytes *= c->bytes_each;
    return true;
}

static bool read_values(image_array *a, const image_source *s, gzFile gz, const nifti_content *c)
{
    image_bytes got = {.bytes = NULL};
    size_t bytes;
    const int offset = c->nim->iname_offset < DATA_OFFSET ? DATA_OFFSET : c->nim->iname_offset;
    if (gzseek(gz, offset, SEEK_SET) != offset) return fail_short(s, gz);
    if (!count_bytes(a, c, &bytes)) return image_source_fail(s, "an image that is too large");
    for (size_t want; got.count < bytes; got.count += want) {
        want = bytes - got.count < READ_BYTES ? bytes - got.count : READ_BYTES;
        unsigned char *to = image_bytes_reserve(&got, want);
        const bool is_there = to && gzread(gz, to, (unsigned)want) == (int)want;
        if (is_there) continue;
        free(got.bytes);
        return to ? fail_short(s, gz) : image_source_fail(s, "not enough memory for this file");
    }
    if (c->bytes_each > 1 && c->nim->byteorder != nifti_short_order())
        nifti_swap_Nbytes(bytes / c->bytes_each, (int)c->bytes_each, got.bytes);
    if (convert(a, c, got.bytes)) return true;
    return image_source_fail(s, "not enough memory for this file");
}

bool image_nifti_read(image_array *a, const image_source *s)
{
    nifti_content c = {.nim = NULL};
    gzFile gz = open_any(s);
    if (!gz) return false;
    const bool done = read_header(s, gz, &c) && take_type(a, s, &c) && take_shape(a, s, c.nim) &&
                      read_values(a, s, gz, &c);
    nifti_image_free(c.nim);
    gzclose(gz);
    return done;
}

/* ---- writing ---- */

static void set_place(nifti_image *nim, const image_place *place)
{
    float *spacing[] = {&nim->dx, &nim->dy, &nim->dz};
    for (int i = 0; i < 3; i++)
        if (place->spacing[i] > 0) nim->pixdim[i + 1] = *spacing[i] = (float)place->spacing[i];
    nim->xyz_units = place->units;
    nim->sform_code = place->world;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            nim->sto_xyz.m[i][k] = (float)place->to_world[i][k];
}

static bool make_header(const image_array *a, nifti_1_header *header)
{
    static const int types[] = {DT_UINT8, DT_UINT16, DT_INT16, DT_FLOAT32, DT_FLOAT64};
    int dims[8] = {(int)a->directions, 1, 1, 1, 1, 1, 1, 1};
    for (uint32_t i = 0; i < a->directions; i++)
        dims[a->directions - i] = (int)a->size[i];
    nifti_set_debug_level(0);
    nifti_image *nim = nifti_make_new_nim(dims, a->channels == 3 ? DT_RGB24 : types[a->type], 0);
    if (!nim) return false;
    set_place(nim, &a->place);
    nim->nifti_type = NIFTI_FTYPE_NIFTI1_1;
    nim->iname_offset = DATA_OFFSET;
    *header = nifti_convert_nim2nhdr(nim);
    nifti_image_free(nim);
    header->vox_offset = DATA_OFFSET;
    memcpy(header->magic, "n+1", 4);
    return true;
}

static bool write_compressed(const image_array *a, FILE *file, const unsigned char *head)
{
    const unsigned char *values = a->values;
    size_t bytes, count;
    int descriptor = fflush(file) == 0 ? dup(fileno(file)) : -1;
    gzFile gz = descriptor < 0 ? NULL : gzdopen(descriptor, "wb");
    if (!gz) {
        if (descriptor >= 0) close(descriptor);
        return false;
    }
    bool done = gzwrite(gz, head, DATA_OFFSET) == DATA_OFFSET && image_array_bytes(a, &bytes);
    for (size_t at = 0; done && at < bytes; at += count) {
        count = bytes - at < READ_BYTES ? bytes - at : READ_BYTES;
        done = gzwrite(gz, values + at, (unsigned)count) == (int)count;
    }
    return gzclose(gz) == Z_OK && done;
}

bool image_nifti_write(const image_array *a, FILE *file, bool compress, const char *name,
                       io_message *message)
{
    unsigned char head[DATA_OFFSET] = {0};
    nifti_1_header header;
    size_t bytes;
    for (uint32_t i = 0; i < a->directions; i++)
        if (a->size[i] > MAX_SIDE)
            return io_fail(message, "%s: a side of a NIfTI file has at most %d samples", name,
                           MAX_SIDE);
    if (!make_header(a, &header)) return io_fail(message, "%s: cannot write", name);
    memcpy(head, &header, HEADER_BYTES);
    errno = 0;
    const bool done = compress ? write_compressed(a, file, head)
                               : fwrite(head, 1, DATA_OFFSET, file) == DATA_OFFSET &&
                                     image_array_bytes(a, &bytes) &&
                                     fwrite(a->values, 1, bytes, file) == bytes;
    return done ? true : io_fail_errno(message, name, "cannot write");
}
