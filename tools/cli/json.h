/* Strings as JSON (RFC 8259). */
#ifndef CLSPLINE_TOOLS_JSON_H
#define CLSPLINE_TOOLS_JSON_H

#include <stdio.h>

/* Writes text in quotes, with escapes where JSON needs them. Bytes that are not UTF-8 become
   U+FFFD. */
void json_string(FILE *file, const char *text);

#endif
