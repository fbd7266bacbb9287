/* Bytes on their way to a file: one thread fills blocks of memory, another one writes them. */
#ifndef CLSPLINE_TOOLS_IO_BLOCK_WRITER_H
#define CLSPLINE_TOOLS_IO_BLOCK_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

enum {
    BLOCK_BYTES = 1 << 20,
    BLOCK_COUNT = 32 /* so that the disk has work while vertices are made */
};

typedef struct block_writer block_writer;

/* Starts to write to an open file; NULL when memory or threads run out. Where the file is NULL, it
   is to be given before BLOCK_BYTES are made. */
block_writer *block_writer_open(FILE *file);
void block_writer_begin(block_writer *w, FILE *file);

/* Gives memory for the next bytes of the file, at most BLOCK_BYTES; block_writer_advance says how
   many of them were made. */
unsigned char *block_writer_reserve(block_writer *w, size_t bytes);
void block_writer_advance(block_writer *w, size_t bytes);

/* Has what follows stand at a place of the file, which is no pipe. */
void block_writer_move(block_writer *w, uint64_t at);

/* Counts the bytes that were made so far. */
uint64_t block_writer_count(const block_writer *w);

/* Adds a text of less than 512 bytes. */
void block_writer_text(block_writer *w, const char *format, ...) IO_PRINTF(2, 3);

/* Drops what has not been written yet; writing counts as failed then. */
void block_writer_drop(block_writer *w);

/* Whether writing has failed, so that it is of no use to go on. */
bool block_writer_failed(block_writer *w);

/* Writes what is left and releases the writer, NULL included. False, with errno set, when anything
   could not be written. */
bool block_writer_close(block_writer *w);

/* Put numbers into memory in the byte order of a format, whatever the machine's. */
static inline void put_u32_little(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)value;
    to[1] = (unsigned char)(value >> 8);
    to[2] = (unsigned char)(value >> 16);
    to[3] = (unsigned char)(value >> 24);
}

static inline void put_u32_big(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)(value >> 24);
    to[1] = (unsigned char)(value >> 16);
    to[2] = (unsigned char)(value >> 8);
    to[3] = (unsigned char)value;
}

static inline void put_u64_little(unsigned char *to, uint64_t value)
{
    put_u32_little(to, (uint32_t)value);
    put_u32_little(to + 4, (uint32_t)(value >> 32));
}

static inline void put_u64_big(unsigned char *to, uint64_t value)
{
    put_u32_big(to, (uint32_t)(value >> 32));
    put_u32_big(to + 4, (uint32_t)value);
}

#endif
