/* Folders written whole or not at all, as files are by output.h.

   What is written goes to a temporary folder beside the target, which takes the target's name at
   the end. On any failure it is removed. A folder that is there is not replaced, unless it is
   empty: what is in it need not be what was written there before. */
#ifndef CLSPLINE_TOOLS_IO_FOLDER_OUTPUT_H
#define CLSPLINE_TOOLS_IO_FOLDER_OUTPUT_H

#include <stdbool.h>

#include "message.h"

typedef struct folder_output {
    const char *name; /* as the user gave it, for messages */
    char *temporary;
    int descriptor; /* of the temporary folder; -1: not open */
    io_message *message;
} folder_output;

/* Tells whether a folder can have a name: nothing has it, or an empty folder. False with a message.
 */
bool folder_is_free(const char *name, io_message *message);

/* Makes the temporary folder. name and message must outlive the output. */
bool folder_output_open(folder_output *out, const char *name, io_message *message);

/* Gives the folder its name when `done`, else removes it. Returns whether it has it. Does nothing
   for what is not open. */
bool folder_output_close(folder_output *out, bool done);

/* Removes the temporary folder that is open, if any, when the process is about to end: none can be
   closed afterwards. Not to be called by a handler of signals. */
void folder_output_end(void);

#endif
