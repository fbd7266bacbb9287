/* Lines of a text as fields: CSV, and columns of numbers.

   Fields are separated by commas or by semicolons, whichever comes first in the first line of data,
   and by white space where that has none of them. A field in double quotes may hold all of these,
   ends of lines too; a quote in it is doubled. White space around a field is left out, and so are
   empty lines. Outside of quotes '#' and "//" begin a comment. */
#ifndef CLSPLINE_TOOLS_IO_FIELDS_H
#define CLSPLINE_TOOLS_IO_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scanner.h"

enum { FIELDS_MAX_LINE = 65536, FIELDS_MAX = 4096 };

typedef struct fields {
    scanner *scan;
    int separator;  /* of all lines; 0: not known yet */
    uint64_t line;  /* where the line begins */
    bool is_remark; /* the line is a comment alone, whose text is in the place of the line's */
    bool is_cut;    /* a comment ends the line */
    size_t num;
    const char *field[FIELDS_MAX]; /* [num], each ends in 0 */
    size_t length;
    bool quoted[FIELDS_MAX_LINE]; /* of each character */
    char text[FIELDS_MAX_LINE + 1];
} fields;

/* Starts on a scanner, from which nothing else reads. */
void fields_init(fields *f, scanner *scan);

/* Reads the next line that is not empty. False at the end of the file and on failure. */
bool fields_read_line(fields *f);

/* Divides the line, by the separator that it decides on where there is none yet. False on failure.
 */
bool fields_split(fields *f);

/* Reads a line of nothing but `least` to `most` finite numbers that is in the scanner's buffer as a
   whole, without making its text and fields. False, and nothing is taken, where the next line is
   none such or no separator is known yet. */
bool fields_read_numbers(fields *f, double *values, size_t least, size_t most);

/* Leaves the separator to the next line, as behind a heading. */
void fields_forget_separator(fields *f);

/* Reads the finite or other number of a field; `what` names it in messages. False on failure. */
bool fields_real(fields *f, size_t number, const char *what, double *value);

/* Tells whether a field begins as a number does. "nan" is one, "info" is none. */
bool fields_is_number(const fields *f, size_t number);

#endif
