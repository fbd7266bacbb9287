/* A folder for the files that a test writes; removed with all that is in it. */
#ifndef CLSPLINE_TESTS_TEMPORARY_H
#define CLSPLINE_TESTS_TEMPORARY_H

#include <stddef.h>

/* Group fixtures for cmocka. */
int temporary_setup(void **state);
int temporary_teardown(void **state);

/* Path of a file in the folder; static storage, overwritten by the next call. */
const char *temporary_path(const char *name);

/* Writes bytes to a file of the folder and returns its path. */
const char *temporary_file(const char *name, const void *bytes, size_t count);

/* Number of files in the folder. */
int temporary_count(void);

#endif
