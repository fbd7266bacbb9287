/* A file that several processes write, each a part of it at places that it knows: on one machine,
   or on several that share a disk.

   What they write goes to NAME.part. A process that has written all of its part K of N leaves a
   record of it, NAME.part-K-of-N, which tells how the part was made. Joining looks whether all
   records are there and agree, gives NAME.part its name, and removes the records.

   NAME.part says of itself which job it is of, and its id, behind the bytes of the whole, until it
   gets its name. It is there from the start, as whole as a file that gets its name by link or
   rename. A record has the id of the NAME.part that it belongs to; one
   with another id is nobody's: its NAME.part was lost, or has its name. */
#ifndef CLSPLINE_TOOLS_IO_PART_FILE_H
#define CLSPLINE_TOOLS_IO_PART_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"
#include "output.h"

enum { PART_TEXT_BYTES = 1024, PART_ID_BYTES = 64, PART_MAX_COUNT = 1000000 };

/* What a record tells. */
typedef struct part_record {
    uint32_t number, count;     /* K of N, from 1 on */
    uint64_t bytes;             /* of the whole file */
    char id[PART_ID_BYTES];     /* of the NAME.part that has the part; it gives that */
    char job[PART_TEXT_BYTES];  /* how all parts are made: they must have it in common */
    char made[PART_TEXT_BYTES]; /* by what this one is made, a device */
} part_record;

/* Copies a text into a record's, cut where it is too long, and blanks for what ends lines. */
void part_record_text(char to[PART_TEXT_BYTES], const char *text);

typedef enum part_state {
    PART_MISSING,
    PART_DONE, /* its record is there, and NAME.part, whose id it has */
    PART_OTHER /* what is there is of another job */
} part_state;

/* Tells what there is of a part; number, count and job of the record are looked at. A message tells
   which other job there is. */
part_state part_file_state(const char *name, const part_record *wanted, io_message *message);

typedef struct part_file {
    const char *name; /* of the whole, for messages */
    char *path;       /* NAME.part */
    int descriptor;   /* of that */
    char id[PART_ID_BYTES];
    io_message *message;
} part_file;

/* Opens NAME.part, or makes it. Of the record all must be known but what made
   it. name and message must outlive it. False with a message, as where it is of another job. */
bool part_file_open(part_file *f, const char *name, const part_record *record, io_message *message);

/* Writes bytes at a place of the whole file. */
bool part_file_write(part_file *f, uint64_t at, const void *bytes, size_t num);

/* Ends the part, and leaves its record when `done` and nothing failed: neither where NAME.part has
   been joined or removed meanwhile. Returns whether it is there. Does nothing for what is not open.
 */
bool part_file_close(part_file *f, const part_record *record, bool done);

/* A part that is written by a stream, as whole files are. */
typedef struct part_output {
    part_file file;
    part_record record;
} part_output;

/* Begins an output that is a part. name and message must outlive it. */
void part_output_begin(part_output *p, output *out, const char *name, const part_record *record,
                       io_message *message);

/* Opens its stream, now that it is known how many bytes the whole file has. output_close ends it as
   part_file_close does. */
bool part_output_open(output *out, uint64_t bytes);

/* Counts the records of a file's parts that this machine sees, of those that are `count` in all. */
uint32_t part_file_count(const char *name, uint32_t count);

/* Joins all parts of a file; *count: how many they were. mixed: those made by different devices,
   too. False with a message. */
bool part_file_join(const char *name, bool mixed, uint32_t *count, io_message *message);

#endif
