#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#include "image_formats.h"
#include "image_stored.h"
#include "input.h"
#include "nifti_header.h"

enum { READ_BYTES = 1 << 20, MAX_SIDE = 32767, EXTENDER = 4, EXTENSION_HEAD = 8 };
enum { MOST_EXTENSIONS = 1 << 26 }; /* bytes; what is behind them is left out */

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

/* Reads so many bytes behind those that there are. Returns how many there were; less than asked for
   with a message where memory is not enough. */
static size_t read_more(const image_source *s, gzFile gz, image_bytes *all, size_t bytes)
{
    size_t got = 0;
    for (int found; got < bytes; got += (size_t)found, all->count += (size_t)found) {
        const size_t want = bytes - got < READ_BYTES ? bytes - got : READ_BYTES;
        unsigned char *to = image_bytes_reserve(all, want);
        if (!to) {
            image_source_fail(s, "not enough memory for this file");
            return got;
        }
        found = gzread(gz, to, (unsigned)want);
        if (found > 0) continue;
        fail_short(s, gz);
        return got;
    }
    return got;
}

/* ---- names of pairs ---- */

/* Makes the name of one file of a pair of that of the other, as a.img of a.hdr. False where it does
   not end so. */
static bool pair_name(const char *name, const char *ending, const char *other,
                      char made[IMAGE_NAME_BYTES])
{
    const size_t length = strlen(name), end = strlen(ending);
    if (length <= end || length >= IMAGE_NAME_BYTES - 8) return false;
    if (strcasecmp(name + length - end, ending) != 0) return false;
    snprintf(made, IMAGE_NAME_BYTES, "%.*s%s", (int)(length - end), name, other);
    return true;
}

bool image_nifti_header_name(const char *path, char made[IMAGE_NAME_BYTES])
{
    return pair_name(path, ".img", ".hdr", made) || pair_name(path, ".img.gz", ".hdr", made);
}

/* Opens the file with the image of a header that has none. Its name must outlive the input. */
static bool open_image(const image_source *s, input *in, char name[IMAGE_NAME_BYTES])
{
    static const char *const names[][2] = {
        {".hdr", ".img.gz"}, {".hdr", ".img"}, {".hdr.gz", ".img"}, {".hdr.gz", ".img.gz"}};
    bool found = false;
    for (size_t i = 0; i < 4; i++) {
        if (!pair_name(s->name, names[i][0], names[i][1], name)) continue;
        found = true;
        if (access(name, R_OK) == 0) return input_open(in, name, s->message);
    }
    return found ? image_source_fail(s, "its image, %s, cannot be opened", name)
                 : image_source_fail(s, "a header whose image is in another file must be .hdr");
}

/* ---- the header ---- */

/* What of a file is read. */
typedef struct nifti_content {
    nifti_header header;
    size_t header_bytes;
    size_t bytes_each; /* of a number in the file */
    image_type type;   /* of these, where they are not s8 */
    bool is_s8, is_scaled;
} nifti_content;

static bool read_header(const image_source *s, gzFile gz, nifti_content *c)
{
    unsigned char bytes[NIFTI_MAX_BYTES];
    const char *why;
    if (gzread(gz, bytes, 4) != 4) return fail_short(s, gz);
    c->header_bytes = nifti_header_bytes(bytes);
    if (c->header_bytes == 0) return image_source_fail(s, "no NIfTI file");
    const int rest = (int)c->header_bytes - 4;
    if (gzread(gz, bytes + 4, (unsigned)rest) != rest) return fail_short(s, gz);
    return nifti_header_read(&c->header, bytes, &why) || image_source_fail(s, "%s", why);
}

static bool take_type(image_array *a, const image_source *s, nifti_content *c)
{
    static const struct {
        int datatype;
        image_type type;
        size_t bytes_each;
        uint32_t channels;
    } known[] = {
        {NIFTI_U8, IMAGE_U8, 1, 1},   {NIFTI_U16, IMAGE_U16, 2, 1}, {NIFTI_S16, IMAGE_S16, 2, 1},
        {NIFTI_F32, IMAGE_F32, 4, 1}, {NIFTI_F64, IMAGE_F64, 8, 1}, {NIFTI_RGB, IMAGE_U8, 1, 3},
        {NIFTI_RGBA, IMAGE_U8, 1, 4}, {NIFTI_S8, IMAGE_S16, 1, 1},  {NIFTI_S32, IMAGE_S32, 4, 1},
        {NIFTI_U32, IMAGE_U32, 4, 1}, {NIFTI_S64, IMAGE_S64, 8, 1}, {NIFTI_U64, IMAGE_U64, 8, 1}};
    const double slope = c->header.scl_slope, inter = c->header.scl_inter;
    c->is_scaled = slope != 0 && isfinite(slope) && isfinite(inter) && (slope != 1 || inter != 0);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].datatype != (int)c->header.datatype) continue;
        a->channels = known[i].channels;
        a->type = known[i].type;
        a->alpha = a->channels == 4 ? IMAGE_ALPHA_STRAIGHT : IMAGE_ALPHA_NONE;
        c->bytes_each = known[i].bytes_each;
        c->type = a->type;
        c->is_s8 = known[i].datatype == NIFTI_S8;
        if (a->channels > 1) c->is_scaled = false;
        if (c->is_scaled)
            a->type = a->type == IMAGE_F64 || image_type_is_wide(a->type) ? IMAGE_F64 : IMAGE_F32;
        return true;
    }
    return image_source_fail(s, "numbers of type %d are not read", (int)c->header.datatype);
}

/* Takes where the samples are in the world. */
static void take_place(image_place *place, const nifti_header *h)
{
    for (int i = 0; i < 3; i++) {
        const double spacing = h->pixdim[i + 1];
        place->spacing[i] = spacing > 0 && isfinite(spacing) ? spacing : 0;
        for (int k = 0; k < 4; k++)
            place->sform.to_world[i][k] = h->srow[4 * i + k];
        place->quatern[i] = h->quatern[i];
    }
    nifti_header_qform(h, place->qform.to_world);
    place->sform.code = (int)h->sform_code;
    place->qform.code = (int)h->qform_code;
    place->hand = h->pixdim[0] < 0 ? -1 : 1;
    place->units = (int)h->xyzt_units & 7;
}

static bool take_shape(image_array *a, const image_source *s, const nifti_header *h)
{
    const double frames = h->dim[4] * h->dim[5] * h->dim[6] * h->dim[7];
    a->directions = h->dim[3] > 1 ? 3 : h->dim[2] > 1 ? 2 : 1;
    for (uint32_t i = 0; i < a->directions; i++) {
        const double side = h->dim[a->directions - i];
        if (side > 0x1p40) return image_source_fail(s, "an image that is too large");
        a->size[i] = (size_t)side;
    }
    if (frames > 0x1p40) return image_source_fail(s, "an image that is too large");
    a->frames = (size_t)frames;
    take_place(&a->place, h);
    return true;
}

/* ---- what comes between header and image ---- */

/* Puts the numbers of a header's extensions into the machine's byte order and returns how many
   bytes of them are sound. */
static size_t check_extensions(image_bytes *e, bool is_swapped)
{
    size_t at = 0;
    while (e->count - at >= EXTENSION_HEAD) {
        unsigned char *head = e->bytes + at;
        int32_t length;
        if (is_swapped)
            for (int i = 0; i < EXTENSION_HEAD; i += 4) {
                const unsigned char four[4] = {head[i + 3], head[i + 2], head[i + 1], head[i]};
                memcpy(head + i, four, 4);
            }
        memcpy(&length, head, 4);
        if (length < 16 || length % 16 != 0 || (size_t)length > e->count - at) break;
        at += (size_t)length;
    }
    return at;
}

/* Reads extensions up to the image or, of a header alone, its end, and keeps them with the header.
 */
static bool take_extensions(image_array *a, const image_source *s, gzFile gz, nifti_content *c)
{
    unsigned char extender[EXTENDER] = {0};
    const size_t begin = c->header_bytes + EXTENDER;
    const double most = (double)(begin + MOST_EXTENSIONS);
    const double offset = c->header.is_pair ? most : fmin(c->header.vox_offset, most);
    a->nifti = calloc(1, sizeof(*a->nifti));
    if (!a->nifti) return image_source_fail(s, "not enough memory for this file");
    a->nifti->header = c->header;
    const bool is_there = gzread(gz, extender, EXTENDER) == EXTENDER && extender[0] != 0;
    if (!is_there || !(offset > (double)begin)) return true;
    image_bytes *e = &a->nifti->extensions;
    io_message message;
    const image_source silent = {s->file, s->name, &message,
                                 false}; /* what is missing is left out */
    read_more(&silent, gz, e, (size_t)offset - begin);
    e->count = check_extensions(e, c->header.is_swapped);
    return true;
}

/* ---- values ---- */

/* Makes the image's values of the file's numbers: wider, or scaled. */
static bool convert(image_array *a, const nifti_content *c, unsigned char *raw)
{
    const image_array from = {.type = c->type, .values = raw};
    if (!c->is_s8 && !c->is_scaled) {
        a->values = raw;
        return true;
    }
    const bool made = image_array_make(a);
    const size_t num = made ? image_array_count(a) : 0;
    for (size_t i = 0; i < num; i++) {
        double value = c->is_s8 ? (double)(int8_t)raw[i] : image_array_get(&from, i);
        if (c->is_scaled) value = c->header.scl_slope * value + c->header.scl_inter;
        image_array_set(a, i, value);
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
    const double least = c->header.is_pair ? 0 : (double)(c->header_bytes + EXTENDER);
    const double offset = fmax(c->header.vox_offset, least);
    if (!(offset < 0x1p40)) return image_source_fail(s, "a NIfTI header that is damaged");
    const bool is_ready = !c->is_s8 && !c->is_scaled && !c->header.is_swapped && gzdirect(gz);
    if (s->stays && is_ready && image_stored_keep(a, s->file, (uint64_t)offset)) return true;
    if (gzseek(gz, (z_off_t)offset, SEEK_SET) != (z_off_t)offset) return fail_short(s, gz);
    if (!count_bytes(a, c, &bytes)) return image_source_fail(s, "an image that is too large");
    if (read_more(s, gz, &got, bytes) != bytes) {
        free(got.bytes);
        return false;
    }
    if (c->header.is_swapped) image_bytes_swap(got.bytes, bytes, c->bytes_each);
    if (convert(a, c, got.bytes)) return true;
    return image_source_fail(s, "not enough memory for this file");
}

/* Reads the values from the file of their own. */
static bool read_pair(image_array *a, const image_source *s, const nifti_content *c)
{
    input in;
    char name[IMAGE_NAME_BYTES];
    if (!open_image(s, &in, name)) return false;
    const image_source image = {in.file, in.name, s->message, s->stays};
    gzFile gz = open_any(&image);
    const bool done = gz && read_values(a, &image, gz, c);
    if (gz) gzclose(gz);
    input_close(&in);
    return done;
}

bool image_nifti_read(image_array *a, const image_source *s)
{
    nifti_content c = {.is_s8 = false};
    gzFile gz = open_any(s);
    if (!gz) return false;
    const bool done = read_header(s, gz, &c) && take_type(a, s, &c) &&
                      take_shape(a, s, &c.header) && take_extensions(a, s, gz, &c) &&
                      (c.header.is_pair ? read_pair(a, s, &c) : read_values(a, s, gz, &c));
    gzclose(gz);
    return done;
}

/* ---- writing ---- */

static void set_place(nifti_header *h, const image_place *place)
{
    h->pixdim[0] = place->hand < 0 ? -1 : 1;
    h->xyzt_units = ((int)h->xyzt_units & ~7) | place->units;
    h->sform_code = place->sform.code;
    h->qform_code = place->qform.code;
    for (int i = 0; i < 3; i++) {
        h->pixdim[i + 1] = place->spacing[i] > 0 ? place->spacing[i] : 1;
        h->quatern[i] = place->quatern[i];
        h->qoffset[i] = place->qform.code > 0 ? place->qform.to_world[i][3] : 0;
        for (int k = 0; k < 4; k++)
            h->srow[4 * i + k] = place->sform.code > 0 ? place->sform.to_world[i][k] : 0;
    }
}

/* Makes a header, of what the one that was read says where there is one. */
static void make_header(const image_array *a, nifti_header *h)
{
    static const int types[] = {NIFTI_U8,  NIFTI_U16, NIFTI_S16, NIFTI_U32, NIFTI_S32,
                                NIFTI_U64, NIFTI_S64, NIFTI_F32, NIFTI_F64};
    *h = a->nifti ? a->nifti->header : (nifti_header){.version = 1};
    if (h->dim[0] < a->directions) h->dim[0] = a->directions;
    for (uint32_t i = 0; i < 7; i++) {
        if (i < 3) h->dim[i + 1] = i < a->directions ? (double)a->size[a->directions - 1 - i] : 1;
        if (h->dim[i + 1] > MAX_SIDE) h->version = 2;
        if (!a->nifti) h->pixdim[i + 1] = 1;
        if (!a->nifti && i >= 3) h->dim[i + 1] = 1;
    }
    if (!a->nifti && a->frames > 1) {
        h->dim[0] = 4;
        h->dim[4] = (double)a->frames;
        if (h->dim[4] > MAX_SIDE) h->version = 2;
    }
    h->datatype = a->channels == 4 ? NIFTI_RGBA : a->channels == 3 ? NIFTI_RGB : types[a->type];
    h->bitpix = (double)(8 * image_type_bytes(a->type) * a->channels);
    h->scl_slope = 1;
    h->scl_inter = 0;
    set_place(h, &a->place);
}

bool image_nifti_head(const image_array *a, image_bytes *head)
{
    unsigned char bytes[NIFTI_MAX_BYTES];
    nifti_header h;
    const image_bytes none = {.bytes = NULL}, *e = a->nifti ? &a->nifti->extensions : &none;
    make_header(a, &h);
    const size_t length = h.version == 1 ? NIFTI1_BYTES : NIFTI2_BYTES;
    head->count = 0;
    const size_t total = length + EXTENDER + e->count;
    unsigned char *to = image_bytes_reserve(head, total);
    if (!to) return false;
    h.vox_offset = (double)total;
    memset(to, 0, total);
    nifti_header_write(&h, bytes);
    memcpy(to, bytes, length);
    to[length] = e->count > 0;
    if (e->count > 0) memcpy(to + length + EXTENDER, e->bytes, e->count);
    head->count = total;
    return true;
}

static bool write_compressed(const image_array *a, FILE *file, const image_bytes *head)
{
    const unsigned char *values = a->values;
    size_t bytes, count;
    int descriptor = fflush(file) == 0 ? dup(fileno(file)) : -1;
    gzFile gz = descriptor < 0 ? NULL : gzdopen(descriptor, "wb");
    if (!gz) {
        if (descriptor >= 0) close(descriptor);
        return false;
    }
    bool done =
        gzfwrite(head->bytes, 1, head->count, gz) == head->count && image_array_bytes(a, &bytes);
    for (size_t at = 0; done && at < bytes; at += count) {
        count = bytes - at < READ_BYTES ? bytes - at : READ_BYTES;
        done = gzwrite(gz, values + at, (unsigned)count) == (int)count;
    }
    return gzclose(gz) == Z_OK && done;
}

bool image_nifti_write(const image_array *a, FILE *file, bool compress, const char *name,
                       io_message *message)
{
    image_bytes head = {.bytes = NULL};
    size_t bytes;
    if (!image_nifti_head(a, &head)) return io_fail(message, "%s: not enough memory", name);
    errno = 0;
    const bool done = compress ? write_compressed(a, file, &head)
                               : fwrite(head.bytes, 1, head.count, file) == head.count &&
                                     image_array_bytes(a, &bytes) &&
                                     fwrite(a->values, 1, bytes, file) == bytes;
    free(head.bytes);
    return done ? true : io_fail_errno(message, name, "cannot write");
}
