/* Decimal numbers, rounded as strtod and printf do, in a fraction of their time. */
#ifndef CLSPLINE_TOOLS_IO_DECIMAL_H
#define CLSPLINE_TOOLS_IO_DECIMAL_H

#include <stddef.h>

/* Reads the number that a text begins with: a sign or none, digits with a point or without, an
   exponent after e or E or none. Any other character must follow it. Returns its length; 0 where
   there is none, and of what strtod has to look at: more than 255 characters, an e without digits,
   hexadecimal numbers, infinities, NaN. */
size_t decimal_read(const char *text, double *value);

enum { DECIMAL_ROOM = 32, DECIMAL_MAX_DIGITS = 17 };

/* Writes a number as printf's %.*g does, NaN without a sign, with up to so many digits, 1 to
   DECIMAL_MAX_DIGITS. Returns its length, below DECIMAL_ROOM. */
size_t decimal_write(char to[DECIMAL_ROOM], int digits, double value);

#endif
