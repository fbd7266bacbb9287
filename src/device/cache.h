/* The disk cache of compiled programs: whole key and checksum in each file, written aside and
   renamed. Only files are read that nobody else can have written (trusted_file.h). A miss, a
   damaged file or an unusable folder is never an error; the program is compiled then. */
#ifndef CLSPI_CACHE_H
#define CLSPI_CACHE_H

#include <stdbool.h>

#include "log.h"

/* Everything that a binary depends on. */
typedef struct clspi_cache_key {
    const clsp_device_info *device; /* platform, name, driver and version go into the key */
    const char *source;             /* the program's text */
    const char *options;
} clspi_cache_key;

/* Finds the folder (opts.cache_dir, else the environment; see clsp_context_opts), where measured
   speeds are kept too, and makes it. *dir is malloc'ed, NULL when the cache is off or the folder
   cannot be made or trusted, which is logged as a warning. */
void clspi_cache_open(char **dir, const char *wanted, clspi_log *log);

/* Loads a binary. True with *binary malloc'ed when there is one, whole and for exactly this key. A
   file that cannot be trusted is a warning. */
bool clspi_cache_load(const char *dir, const clspi_cache_key *key, unsigned char **binary,
                      size_t *size, clspi_log *log);

/* Stores a binary; failure is a warning. Safe among processes: readers see the old file or the new
 * one. */
void clspi_cache_store(const char *dir, const clspi_cache_key *key, const unsigned char *binary,
                       size_t size, clspi_log *log);

#endif
