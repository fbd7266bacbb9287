#include "json.h"

#include <stddef.h>

/* Length of the UTF-8 sequence at text (RFC 3629), or 0 where there is none. */
static size_t sequence_length(const unsigned char *text)
{
    static const unsigned char low[] = {0, 0, 0xc2, 0xe0, 0xf0}, high[] = {0, 0, 0xdf, 0xef, 0xf4};
    size_t length = 2;
    if (text[0] < 0x80) return 1;
    while (length <= 4 && (text[0] < low[length] || text[0] > high[length]))
        length++;
    if (length > 4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xf0 && text[1] < 0x90)) return 0;
    if ((text[0] == 0xed && text[1] > 0x9f) || (text[0] == 0xf4 && text[1] > 0x8f)) return 0;
    return length;
}

void json_string(FILE *file, const char *text)
{
    const unsigned char *next = (const unsigned char *)text;
    fputc('"', file);
    while (*next) {
        size_t length = sequence_length(next);
        if (length == 0)
            fputs("\\ufffd", file);
        else if (*next < 0x20)
            fprintf(file, "\\u%04x", *next);
        else if (*next == '"' || *next == '\\')
            fprintf(file, "\\%c", *next);
        else
            fwrite(next, 1, length, file);
        next += length ? length : 1;
    }
    fputc('"', file);
}
