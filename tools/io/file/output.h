/* Files written whole or not at all.

   What is written goes to a temporary file in the folder of the target, which takes the target's
   name at the end, and its rights where there was one. On any failure the temporary file is removed
   and a target that was there before is left as it was. What killed runs left in the folder is
   removed first (leftovers.h). */
#ifndef CLSPLINE_TOOLS_IO_OUTPUT_H
#define CLSPLINE_TOOLS_IO_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

typedef struct output {
    FILE *file;
    const char *name; /* as the user gave it, for messages */
    char *target;
    char *temporary;
    int lock; /* a descriptor that holds the temporary file until it has the target's name */
    struct part_output *part; /* of a part of a file, by part_file.h; NULL: a whole file */
    bool is_first; /* a target that another process has made meanwhile stays, as if it were this */
    io_message *message;
} output;

/* Opens the temporary file. name and message must outlive the output. A target that exists must be
   a regular file that the user may write; a symbolic link is followed. The name "-" stands for
   standard output, which is written as it comes. */
bool output_open(output *out, const char *name, io_message *message);

/* Opens it likewise, where a target that exists must be no link either. */
bool output_open_plain(output *out, const char *name, io_message *message);

/* Ends the file: closes and renames it when `done`, else removes it. Whatever the file's own errors
   say (disk full) is found here too. Returns true when the target is in place; when `done` is false
   the message is left as it is. Does nothing for an output that was not opened. */
bool output_close(output *out, bool done);

/* The disk that a file is to be on: the bytes that it has left, the one that the file replaces not
   counted, whose bytes are there again afterwards. */
typedef struct output_disk {
    uint64_t device;
    double room, replaced;
} output_disk;

/* Finds the disk of a file. False where there is none that could be full, as of devices. */
bool output_disk_of(const char *name, output_disk *disk);

/* Tells whether two names are of one file, or of one that is not there yet. */
bool output_is_same(const char *name, const char *other);

/* Removes the temporary file of the output that is open, if any, when the process is about to end:
   no other file can be opened or closed afterwards. To be called by who waits for signals, or by a
   handler of one that writing raises. */
void output_end(void);

#endif
