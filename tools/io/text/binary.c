#include "binary.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

bool binary_fail(binary *b, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (b->is_text) return scanner_fail(b->scan, b->scan->word_line, "%s", text);
    return scanner_fail(b->scan, b->scan->line, "%s, before byte %llu of the binary part", text,
                        (unsigned long long)b->offset);
}

bool binary_size(binary *b, uint32_t bytes, uint64_t *value)
{
    unsigned char read[8];
    if (!scanner_bytes(b->scan, read, bytes)) return false;
    b->offset += bytes;
    *value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        *value = *value << 8 | read[b->is_big ? i : bytes - 1 - i];
    return true;
}

bool binary_count(binary *b, uint32_t bytes, const char *what, uint32_t max, uint32_t *value)
{
    uint64_t read;
    if (b->is_text) return scanner_count(b->scan, what, max, value);
    if (!binary_size(b, bytes, &read)) return false;
    *value = (uint32_t)read;
    return read <= max || binary_fail(b, "%s is %llu, above %lu", what, (unsigned long long)read,
                                      (unsigned long)max);
}

bool binary_integer(binary *b, uint32_t bytes, int64_t *value)
{
    uint64_t read;
    if (!binary_size(b, bytes, &read)) return false;
    const uint64_t sign = (uint64_t)1 << (8 * bytes - 1), rest = read & (sign - 1);
    *value = read & sign ? -(int64_t)(sign - 1 - rest) - 1 : (int64_t)rest;
    return true;
}

bool binary_mark(binary *b, uint32_t bytes, const char *what, double *value)
{
    int64_t whole;
    if (b->is_text) return scanner_real(b->scan, what, value);
    if (!binary_integer(b, bytes, &whole)) return false;
    *value = (double)whole;
    return true;
}

bool binary_real(binary *b, uint32_t bytes, const char *what, double *value)
{
    uint64_t bits;
    float single;
    if (b->is_text) return scanner_real(b->scan, what, value);
    if (!binary_size(b, bytes, &bits)) return false;
    if (bytes == 8) {
        memcpy(value, &bits, sizeof(*value));
    } else {
        const uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof(single));
        *value = (double)single;
    }
    return isfinite(*value) || b->scan->any_real ||
           binary_fail(b, "%s is not a finite number", what);
}

bool binary_skip(binary *b, uint64_t bytes)
{
    const unsigned char *from;
    while (bytes > 0) {
        const size_t left = scanner_buffered(b->scan, &from);
        const size_t part = left < bytes ? left : (size_t)bytes;
        if (left == 0)
            return !b->scan->failed && binary_fail(b, "the file ends within binary numbers");
        b->scan->next += part;
        b->offset += part;
        bytes -= part;
    }
    return true;
}

bool binary_skip_numbers(binary *b, uint32_t bytes, uint64_t count)
{
    double ignored;
    if (!b->is_text) return binary_skip(b, bytes * count);
    for (; count > 0; count--)
        if (!scanner_real(b->scan, "a number", &ignored)) return false;
    return true;
}
