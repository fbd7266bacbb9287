/* Values of options, and names of files, as all command lines have them. */
#ifndef CLSPLINE_TOOLS_REQUEST_H
#define CLSPLINE_TOOLS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh.h"

/* What the help of a command says of --device. */
#define REQUEST_HELP_DEVICE                                                                        \
    "  -d, --device DEVICE    an index of 'clspline devices', 'cpu', 'gpu', 'integrated',\n"       \
    "                         'discrete', 'accelerator', or parts of names as in 'pocl:' or\n"     \
    "                         'nvidia:h200'; default: $CLSPLINE_DEVICE, else the best one\n"

enum { REQUEST_WORD = 64 }; /* room for a word of a list */

/* Reads a decimal number from low to high. */
bool request_number(const char *text, double low, double high, double *value);

/* Reads a whole number from low to high, without a sign. */
bool request_count(const char *text, uint32_t low, uint32_t high, uint32_t *value);

/* Takes the next word of a list that is separated by one of the letters; false where it is empty or
   too long. *text then begins with the rest, or is NULL at the end. */
bool request_word(const char **text, const char *separators, char word[REQUEST_WORD]);

/* Reads up to `most` numbers of at most `bound` either way, separated by commas, and returns how
   many; 0 for what is no such list. */
size_t request_numbers(const char *text, double bound, double *numbers, size_t most);

/* Reads the value of --precision. EXIT_OK, or EXIT_USAGE with a complaint. */
int request_precision(mesh_precision *precision, const char *command, const char *text);

/* Counts the names that stand for standard input or output. */
size_t request_dashes(const char **names, size_t count);

/* Checks that standard output is written once at most, and has a --format where files have none.
   EXIT_OK, or EXIT_USAGE with a complaint. */
int request_check_format(const char *command, size_t num_dashes, bool has_format);

/* Tells whether a name stands for one of the files, standard input and output left out. */
bool request_is_among(const char *name, const char **names, size_t count);

#endif
