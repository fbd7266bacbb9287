/* Files that only this user, or root, can have written: regular files that no link stands for,
   owned by one of the two, with no right to write for anybody else, in a folder of which the same
   holds. What is read from disk unasked is opened here. */
#ifndef CLSPI_TRUSTED_FILE_H
#define CLSPI_TRUSTED_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum clspi_file_state {
    CLSPI_FILE_OPEN,
    CLSPI_FILE_MISSING, /* there is no such file or folder */
    CLSPI_FILE_REFUSED  /* it cannot be opened, or not be trusted */
} clspi_file_state;

typedef struct clspi_trusted_file {
    clspi_file_state state;
    FILE *file;      /* where it is open */
    const char *why; /* where it is not */
} clspi_trusted_file;

/* Tells why the files of a folder are not trusted; NULL: they may be. */
const char *clspi_folder_refusal(const char *folder);

/* Opens a file to be read, if it is trusted and has at most so many bytes. */
clspi_trusted_file clspi_trusted_open(const char *path, uint64_t most_bytes);

/* Writes the bytes of a file; false when that fails. */
typedef bool (*clspi_file_writer)(FILE *file, const void *user);

/* Writes a file aside, for this user alone, and gives it its name: readers see the old file or the
   new one, and writers never share one. Returns NULL, or why there is no new file. */
const char *clspi_trusted_replace(const char *path, clspi_file_writer write, const void *user);

#endif
