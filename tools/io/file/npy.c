#include "npy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PREFIX_BYTES = 8,     /* magic and version */
    MAX_HEADER = 1 << 16, /* bytes of the dictionary */
    SHOWN = 40            /* characters of it that a message shows */
};

/* The text of a header, and where its reading stands. */
typedef struct dictionary {
    char *text; /* ends in 0 */
    size_t length, next;
    uint64_t first; /* its offset in the file */
    const char *name;
    io_message *message;
} dictionary;

static bool fail_at(const dictionary *d, const char *why)
{
    return io_fail(d->message, "%s: offset %llu: %s", d->name,
                   (unsigned long long)(d->first + d->next), why);
}

/* ---- words of Python ---- */

static void skip_blanks(dictionary *d)
{
    while (d->next < d->length && strchr(" \t\n", d->text[d->next]))
        d->next++;
}

/* Takes a text where it comes next. */
static bool take(dictionary *d, const char *text)
{
    const size_t length = strlen(text);
    skip_blanks(d);
    if (d->length - d->next < length || strncmp(d->text + d->next, text, length) != 0) return false;
    d->next += length;
    return true;
}

/* Takes a string in quotes of either kind, without escapes. */
static bool take_string(dictionary *d, char *to, size_t size)
{
    skip_blanks(d);
    const char quote = d->text[d->next];
    if (quote != '\'' && quote != '"') return fail_at(d, "a string in quotes was expected");
    const char *begin = d->text + d->next + 1, *end = strchr(begin, quote);
    if (!end || (size_t)(end - begin) >= size) return fail_at(d, "a string that does not end");
    memcpy(to, begin, (size_t)(end - begin));
    to[end - begin] = 0;
    d->next = (size_t)(end - d->text) + 1;
    return true;
}

static bool take_count(dictionary *d, uint64_t *count)
{
    skip_blanks(d);
    const size_t digits = strspn(d->text + d->next, "0123456789");
    if (digits == 0 || digits > 18) return fail_at(d, "a length was expected");
    *count = strtoull(d->text + d->next, NULL, 10);
    d->next += digits;
    return true;
}

/* ---- the three keys ---- */

/* Types as headers name them behind the mark of the byte order. */
static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [NPY_F32] = {"f4", 4}, [NPY_F64] = {"f8", 8}, [NPY_U8] = {"u1", 1}, [NPY_U16] = {"u2", 2},
    [NPY_S16] = {"i2", 2}, [NPY_F16] = {"f2", 2}, [NPY_S8] = {"i1", 1}, [NPY_U32] = {"u4", 4},
    [NPY_S32] = {"i4", 4}, [NPY_U64] = {"u8", 8}, [NPY_S64] = {"i8", 8}};

/* Takes type and byte order of a name such as "<f8". False where it is none of them. */
static bool take_type(npy_header *header, const char *type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (!type[0] || strchr(types[i].bytes > 1 ? "<>" : "<>|", type[0]) == NULL) continue;
        if (strcmp(type + 1, types[i].name) != 0) continue;
        header->type = (npy_type)i;
        header->is_big = type[0] == '>';
        return true;
    }
    return false;
}

static bool read_type(dictionary *d, npy_header *header)
{
    char type[SHOWN];
    skip_blanks(d);
    if (d->text[d->next] == '[')
        return fail_at(d,
                       "arrays of records are not read, save numpy.column_stack of their fields");
    const size_t begin = d->next;
    if (!take_string(d, type, sizeof(type))) return false;
    if (take_type(header, type)) return true;
    d->next = begin;
    for (char *c = type; *c; c++)
        if (*c < ' ' || *c > '~') *c = '?';
    return io_fail(d->message,
                   "%s: offset %llu: numbers of type '%s' are not read (integers of 1 to 8 bytes, "
                   "'f2', 'f4' and 'f8' are)",
                   d->name, (unsigned long long)(d->first + begin), type);
}

static bool read_order(dictionary *d, npy_header *header)
{
    if (take(d, "False")) return true;
    header->is_fortran = take(d, "True");
    return header->is_fortran || fail_at(d, "True or False was expected");
}

static bool read_shape(dictionary *d, npy_header *header)
{
    if (!take(d, "(")) return fail_at(d, "the shape, a tuple, was expected");
    for (header->num_axes = 0; !take(d, ")"); header->num_axes++) {
        if (header->num_axes == NPY_MAX_AXES) return fail_at(d, "too many dimensions");
        if (!take_count(d, &header->shape[header->num_axes])) return false;
        if (!take(d, ",") && d->text[d->next] != ')') return fail_at(d, "',' or ')' was expected");
    }
    return true;
}

static bool read_dictionary(dictionary *d, npy_header *header)
{
    bool has_type = false, has_order = false, has_shape = false;
    if (!take(d, "{")) return fail_at(d, "a dictionary was expected");
    while (!take(d, "}")) {
        char key[SHOWN];
        if (!take_string(d, key, sizeof(key))) return false;
        if (!take(d, ":")) return fail_at(d, "':' was expected");
        bool done = false;
        if (strcmp(key, "descr") == 0)
            done = has_type = read_type(d, header);
        else if (strcmp(key, "fortran_order") == 0)
            done = has_order = read_order(d, header);
        else if (strcmp(key, "shape") == 0)
            done = has_shape = read_shape(d, header);
        else
            return fail_at(d, "a key that is not known");
        if (!done) return false;
        if (!take(d, ",") && d->text[d->next] != '}') return fail_at(d, "',' or '}' was expected");
    }
    skip_blanks(d);
    if (d->next < d->length) return fail_at(d, "the header goes on behind its end");
    if (has_type && has_order && has_shape) return true;
    return fail_at(d, "a header without 'descr', 'fortran_order' or 'shape'");
}

/* ---- the file ---- */

/* Reads what tells the length of the dictionary. */
static bool read_length(dictionary *d, FILE *file)
{
    unsigned char prefix[PREFIX_BYTES], bytes[4] = {0, 0, 0, 0};
    d->next = fread(prefix, 1, PREFIX_BYTES, file);
    if (d->next < PREFIX_BYTES || memcmp(prefix, "\x93NUMPY", 6) != 0) {
        d->next = 0;
        return fail_at(d, "this is no .npy file");
    }
    d->next = 6;
    if (prefix[6] < 1 || prefix[6] > 3)
        return fail_at(d, "a version that is not read (1, 2 and 3 are)");
    const size_t size = prefix[6] == 1 ? 2 : 4;
    d->next = PREFIX_BYTES + fread(bytes, 1, size, file);
    if (d->next < PREFIX_BYTES + size) return fail_at(d, "the file ends within its header");
    d->length =
        (size_t)bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 | (size_t)bytes[3] << 24;
    if (d->length > MAX_HEADER) return fail_at(d, "a header above 65536 bytes");
    d->first = d->next;
    d->next = 0;
    return true;
}

bool npy_read_header(npy_header *header, FILE *file, const char *name, io_message *message)
{
    dictionary d = {.name = name, .message = message};
    *header = (npy_header){.num_axes = 0};
    if (!read_length(&d, file)) return false;
    d.text = calloc(d.length + 1, 1);
    if (!d.text) return fail_at(&d, "not enough memory for this file");
    const size_t found = fread(d.text, 1, d.length, file);
    bool done = false;
    if (found < d.length) {
        d.next = found;
        fail_at(&d, "the file ends within its header");
    } else if (strlen(d.text) < d.length) {
        d.next = strlen(d.text);
        fail_at(&d, "a zero byte within the header");
    } else {
        done = read_dictionary(&d, header);
    }
    header->bytes = d.first + d.length;
    free(d.text);
    return done;
}

/* ---- numbers ---- */

size_t npy_type_bytes(npy_type type)
{
    return types[type].bytes;
}

bool npy_type_is_whole(npy_type type)
{
    return types[type].name[0] != 'f';
}

/* Returns the value of a half (IEEE 754 binary16). */
static double from_half(uint32_t bits)
{
    const double sign = bits >> 15 ? -1 : 1;
    const int exponent = bits >> 10 & 31;
    const double digits = (double)(bits & 1023);
    if (exponent == 31) return digits > 0 ? (double)NAN : sign * HUGE_VAL;
    if (exponent == 0) return sign * ldexp(digits, -24);
    return sign * ldexp(1024 + digits, exponent - 25);
}

static double from_bits(npy_type type, uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    double real;
    float single;
    switch (type) {
    case NPY_F64:
        memcpy(&real, &bits, sizeof(real));
        return real;
    case NPY_F32:
        memcpy(&single, &low, sizeof(single));
        return (double)single;
    case NPY_F16:
        return from_half(low);
    default:
        return (double)bits;
    }
}

double npy_get(const npy_header *header, const unsigned char *bytes)
{
    const npy_type type = header->type;
    const size_t count = types[type].bytes;
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++)
        bits = bits << 8 | bytes[header->is_big ? i : count - 1 - i];
    const uint64_t top = (uint64_t)1 << (8 * count - 1);
    if (types[type].name[0] == 'i' && (bits & top)) /* of the two's complement */
        return -(double)(top - (bits & (top - 1)));
    return from_bits(type, bits);
}

/* ---- writing ---- */

bool npy_make_header(unsigned char header[NPY_HEADER_BYTES], const char *type,
                     const uint64_t *shape, uint32_t num_axes)
{
    char lengths[NPY_MAX_AXES * 24] = "";
    const size_t begin = PREFIX_BYTES + 2, length = NPY_HEADER_BYTES - begin;
    if (num_axes > NPY_MAX_AXES) return false;
    for (uint32_t i = 0; i < num_axes; i++)
        snprintf(lengths + strlen(lengths), sizeof(lengths) - strlen(lengths),
                 i == 0 ? "%llu," : " %llu,", (unsigned long long)shape[i]);
    if (num_axes > 1) lengths[strlen(lengths) - 1] = 0; /* a comma ends a tuple of one only */
    memset(header, ' ', NPY_HEADER_BYTES);
    memcpy(header, "\x93NUMPY\x01\x00", PREFIX_BYTES);
    header[8] = length & 0xff;
    header[9] = length >> 8;
    char *text = (char *)header + begin;
    const int used = snprintf(
        text, length, "{'descr': %s, 'fortran_order': False, 'shape': (%s), }", type, lengths);
    if (used < 0 || (size_t)used + 1 >= length) return false;
    text[used] = ' ';
    text[length - 1] = '\n';
    return true;
}
