/* Copies of a model whose control points have been moved. */
#ifndef CLSPLINE_TOOLS_SAVED_COPY_H
#define CLSPLINE_TOOLS_SAVED_COPY_H

#include "view_model.h"

enum { SAVED_COPY_PATH = 4096 };

/* Makes the path of a file beside the model's first one: its name without the ending, a word, and
   an ending. A model from standard input is named "model", in the current folder. False where it is
   too long. */
bool saved_copy_path(const char *input, const char *word, const char *ending,
                     char path[SAVED_COPY_PATH]);

/* Writes the model as a file of its kind, "NAME-edited.bv", .g2 or .json. False with a message;
   solids have no copies. */
bool saved_copy_write(const view_model *m, char path[SAVED_COPY_PATH], io_message *message);

#endif
