/* UTF-8 (RFC 3629). */
#ifndef CLSPLINE_TOOLS_IO_UTF8_H
#define CLSPLINE_TOOLS_IO_UTF8_H

#include <stddef.h>

/* Returns how many bytes the character at the head of a text has; 0: its first byte begins none. */
size_t utf8_length(const char *text);

/* Copies a text, cut behind a character where it is longer than room - 1 bytes. What controls a
   terminal, and bytes that are no characters, become question marks. */
void utf8_copy(char *to, const char *text, size_t room);

#endif
