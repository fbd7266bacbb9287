/* Decimal numbers, rounded as strtod does, in a fraction of its time. */
#ifndef CLSPLINE_TOOLS_IO_DECIMAL_H
#define CLSPLINE_TOOLS_IO_DECIMAL_H

#include <stddef.h>

/* Reads the number that a text begins with: a sign or none, digits with a point or without, an
   exponent after e or E or none. Any other character must follow it. Returns its length; 0 where
   there is none, and of what strtod has to look at: more than 255 characters, an e without digits,
   hexadecimal numbers, infinities, NaN. */
size_t decimal_read(const char *text, double *value);

#endif
