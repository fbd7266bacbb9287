/* A file that several processes write, each a part of it at places that it knows: on one machine,
   or on several that share a disk.

   What they write goes to NAME.part. A process that has written all of its part K of N leaves a
   record of it, NAME.part-K-of-N, which tells how the part was made. Joining looks whether all
   records are there and agree, gives NAME.part its name, and removes the records. NAME may be a
   folder, of which each process writes some files. */
#ifndef CLSPLINE_TOOLS_IO_PART_FILE_H
#define CLSPLINE_TOOLS_IO_PART_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"
#include "output.h"

enum { PART_TEXT_BYTES = 1024, PART_MAX_COUNT = 1000000 };

/* What a record tells. */
typedef struct part_record {
    uint32_t number, count;     /* K of N, from 1 on */
    uint64_t bytes;             /* of the whole file, or of the files of a folder */
    char job[PART_TEXT_BYTES];  /* how all parts are made: they must have it in common */
    char made[PART_TEXT_BYTES]; /* by what this one is made, a device */
} part_record;

/* Copies a text into a record's, cut where it is too long, and blanks for what ends lines. */
void part_record_text(char to[PART_TEXT_BYTES], const char *text);

typedef enum part_state {
    PART_MISSING,
    PART_DONE, /* its record is there */
    PART_OTHER /* there are records of another job */
} part_state;

/* Tells what there is of a part; `bytes` and `made` of the record need not be known. A message
   tells which other job there is. */
part_state part_file_state(const char *name, const part_record *wanted, io_message *message);

typedef struct part_file {
    const char *name; /* of the whole, for messages */
    char *path;       /* NAME.part */
    int descriptor;   /* of that */
    io_message *message;
} part_file;

/* Opens NAME.part, or makes it. name and message must outlive it. */
bool part_file_open(part_file *f, const char *name, io_message *message);

/* Opens NAME.part as a folder, or makes it. */
bool part_file_open_folder(part_file *f, const char *name, io_message *message);

/* Gives the file the bytes of the whole, or complains of those that it has. To be called before
   anything is written. */
bool part_file_fit(part_file *f, uint64_t bytes);

/* Writes bytes at a place of the whole file. */
bool part_file_write(part_file *f, uint64_t at, const void *bytes, size_t num);

/* Ends the part, and leaves its record when `done` and nothing failed. Returns whether it is there.
   Does nothing for what is not open. */
bool part_file_close(part_file *f, const part_record *record, bool done);

/* A part that is written by a stream, as whole files are. */
typedef struct part_output {
    part_file file;
    part_record record;
} part_output;

/* Opens the stream of a part, which output_close ends as part_file_close does. */
bool part_output_open(part_output *p, output *out, const char *name, const part_record *record,
                      io_message *message);

/* Says how many bytes the whole file has, before anything is written. */
bool part_output_fit(part_output *p, uint64_t bytes);

/* Counts the records of a file's parts that this machine sees, of those that are `count` in all. */
uint32_t part_file_count(const char *name, uint32_t count);

/* Joins all parts of a file; *count: how many they were. mixed: those made by different devices,
   too. False with a message. */
bool part_file_join(const char *name, bool mixed, uint32_t *count, io_message *message);

#endif
