/* Files to be read, or standard input. */
#ifndef CLSPLINE_TOOLS_IO_INPUT_H
#define CLSPLINE_TOOLS_IO_INPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "message.h"

typedef struct input {
    FILE *file;       /* NULL: not open */
    const char *name; /* for messages */
} input;

/* Opens a file, or standard input by the name "-". The path must outlive the input. False with a
   message, and nothing open, for what cannot be read, such as a folder. */
bool input_open(input *in, const char *path, io_message *message);

/* Closes what is open, standard input excepted. */
void input_close(input *in);

/* Tells whether a name ends in a dot and these letters, whatever their case. */
bool input_ends_in(const char *path, const char *ending);

#endif
