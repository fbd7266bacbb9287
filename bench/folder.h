/* Temporary folders. */
#ifndef BENCH_FOLDER_H
#define BENCH_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* A new folder in $TMPDIR, else /tmp; says why there is none. */
bool bench_folder_make(char *path, size_t size);

/* With all that is in it. */
void bench_folder_remove(const char *path);

#endif
