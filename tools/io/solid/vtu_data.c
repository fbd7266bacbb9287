#include "vtu_data.h"

#include <string.h>
#if IO_HAS_ZLIB
#include <zlib.h>
#endif

#include "array.h"

enum { MAX_RATIO = 1100 /* zlib's, so that a size that a file claims decides on no memory */ };

unsigned char *vtu_bytes_room(vtu_bytes *b, size_t more)
{
    unsigned char *moved;
    if (more > SIZE_MAX - b->count) return NULL;
    moved = array_reserve(b->bytes, &b->capacity, b->count + more, 1);
    if (!moved) return NULL;
    b->bytes = moved;
    return moved + b->count;
}

/* ---- base64 ---- */

/* Returns the 6 bits of a character; -1: none of base64. */
static int bits_of(unsigned char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool vtu_decode(vtu_bytes *to, const unsigned char *text, size_t count, bool *bad)
{
    uint32_t group = 0, filled = 0, padding = 0;
    unsigned char *at = vtu_bytes_room(to, count / 4 * 3 + 3);
    *bad = false;
    if (!at) return false;
    for (size_t i = 0; i < count; i++) {
        const unsigned char c = text[i];
        const int bits = bits_of(c);
        if (c == ' ' || (c >= '\t' && c <= '\r')) continue;
        *bad = (bits < 0 && c != '=') || (c == '=' && filled < 2) || (c != '=' && padding > 0);
        if (*bad) return false;
        padding += c == '=';
        group = group << 6 | (bits < 0 ? 0u : (uint32_t)bits);
        if (++filled < 4) continue;
        for (uint32_t k = 0; k < 3 - padding; k++)
            to->bytes[to->count++] = (unsigned char)(group >> (16 - 8 * k));
        group = filled = padding = 0;
    }
    *bad = filled != 0;
    return !*bad;
}

/* ---- sizes and compression ---- */

/* Reads a size of the head. False: the bytes end. */
static bool read_size(const vtu_form *form, const unsigned char *from, size_t count, size_t number,
                      uint64_t *size)
{
    const size_t each = form->wide ? 8 : 4;
    if (number >= count / each) return false;
    *size = 0;
    for (size_t i = 0; i < each; i++)
        *size |= (uint64_t)from[number * each + (form->big_endian ? each - 1 - i : i)] << 8 * i;
    return true;
}

#if IO_HAS_ZLIB
static const char *unpack_block(const unsigned char *from, size_t count, uint64_t size,
                                vtu_bytes *to)
{
    if (size / MAX_RATIO > count) return "a block claims to be too large";
    unsigned char *at = vtu_bytes_room(to, (size_t)size + 1);
    uLongf made = (uLongf)size;
    if (!at) return "not enough memory";
    if (uncompress(at, &made, from, (uLong)count) != Z_OK || made != size)
        return "compressed data are damaged";
    to->count += (size_t)size;
    return NULL;
}

/* Unpacks blocks: their number, their size, that of the last one (0: it is whole), and how many
   bytes each has, come first. */
static const char *unpack_blocks(const vtu_form *form, const unsigned char *from, size_t count,
                                 vtu_bytes *to)
{
    uint64_t num, whole, last, bytes;
    const size_t each = form->wide ? 8 : 4;
    if (!read_size(form, from, count, 0, &num)) return "the data end early";
    if (num == 0) return NULL;
    if (!read_size(form, from, count, 1, &whole) || !read_size(form, from, count, 2, &last) ||
        num > count / each - 3)
        return "the data end early";
    size_t at = (size_t)(3 + num) * each;
    for (size_t i = 0; i < num; i++) {
        const uint64_t size = i + 1 == num && last > 0 ? last : whole;
        if (!read_size(form, from, count, 3 + i, &bytes) || bytes > count - at)
            return "the data end early";
        const char *reason = unpack_block(from + at, (size_t)bytes, size, to);
        if (reason) return reason;
        at += (size_t)bytes;
    }
    return NULL;
}
#else
static const char *unpack_blocks(const vtu_form *form, const unsigned char *from, size_t count,
                                 vtu_bytes *to)
{
    (void)form;
    (void)from;
    (void)count;
    (void)to;
    return "compressed data, and this clspline was built without zlib";
}
#endif

const char *vtu_unpack(const vtu_form *form, const unsigned char *from, size_t count, vtu_bytes *to)
{
    uint64_t size;
    const size_t head = form->wide ? 8 : 4;
    if (form->compressed) return unpack_blocks(form, from, count, to);
    if (!read_size(form, from, count, 0, &size) || size > count - head) return "the data end early";
    unsigned char *at = vtu_bytes_room(to, (size_t)size + 1);
    if (!at) return "not enough memory";
    memcpy(at, from + head, (size_t)size);
    to->count += (size_t)size;
    return NULL;
}
