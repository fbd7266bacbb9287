/* The .cl files, embedded at build time by tools/embed_cl.py with their includes in place. */
#ifndef CLSPI_SOURCES_H
#define CLSPI_SOURCES_H

#include <stddef.h>
#include <stdint.h>

typedef struct clspi_source {
    const char *name;       /* of the file, without ".cl" */
    const uint16_t *pieces; /* of its text, in order; clspi_num_pieces after the last */
} clspi_source;

extern const clspi_source clspi_sources[];
extern const size_t clspi_num_sources;

/* The texts of all pieces, one after the other, as a block of LZ4, and where each of them ends. */
extern const unsigned char clspi_packed_sources[];
extern const uint32_t clspi_piece_ends[];
extern const size_t clspi_num_pieces;

/* Joins the pieces in one text, malloc'ed; NULL without memory. */
char *clspi_source_join(const clspi_source *source);

#endif
