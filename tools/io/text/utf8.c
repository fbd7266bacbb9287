#include "utf8.h"

#include <stdbool.h>
#include <string.h>

size_t utf8_length(const char *text)
{
    static const unsigned char low[] = {0, 0, 0xc2, 0xe0, 0xf0}, high[] = {0, 0, 0xdf, 0xef, 0xf4};
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = 2;
    if (byte[0] < 0x80) return 1;
    while (length <= 4 && (byte[0] < low[length] || byte[0] > high[length]))
        length++;
    if (length > 4) return 0;
    for (size_t i = 1; i < length; i++)
        if ((byte[i] & 0xc0) != 0x80) return 0;
    if ((byte[0] == 0xe0 && byte[1] < 0xa0) || (byte[0] == 0xf0 && byte[1] < 0x90)) return 0;
    if ((byte[0] == 0xed && byte[1] > 0x9f) || (byte[0] == 0xf4 && byte[1] > 0x8f)) return 0;
    return length;
}

/* Whether a character is one of those that control a terminal: U+0000 to U+001F, U+007F to U+009F.
 */
static bool is_control(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    return byte[0] < ' ' || byte[0] == 127 || (byte[0] == 0xc2 && byte[1] < 0xa0);
}

void utf8_copy(char *to, const char *text, size_t room)
{
    size_t at = 0;
    while (*text) {
        const size_t length = utf8_length(text);
        const bool shown = length > 0 && !is_control(text);
        const size_t written = shown ? length : 1;
        if (at + written >= room) break;
        memcpy(to + at, shown ? text : "?", written);
        at += written;
        text += length > 0 ? length : 1;
    }
    to[at] = 0;
}
