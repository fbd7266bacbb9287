/* The .cl files, embedded at build time by tools/embed_cl.py with their includes in place. */
#ifndef CLSPI_SOURCES_H
#define CLSPI_SOURCES_H

#include <stddef.h>

typedef struct clspi_source {
    const char *name;          /* of the file, without ".cl" */
    const char *const *pieces; /* of its text, in order, 0-terminated; NULL after the last */
} clspi_source;

extern const clspi_source clspi_sources[];
extern const size_t clspi_num_sources;

/* Joins the pieces in one text, malloc'ed; NULL without memory. */
char *clspi_source_join(const clspi_source *source);

#endif
