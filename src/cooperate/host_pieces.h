/* Work on the host alone, in pieces that the context's workers and the calling thread share. */
#ifndef CLSPI_HOST_PIECES_H
#define CLSPI_HOST_PIECES_H

#include <stddef.h>

#include <clspline/context.h>
#include <clspline/types.h>

/* Calls fn for pieces 0 .. num - 1, in any order and from several threads, and returns when all are
   done. The workers help where there are several pieces and they do nothing else. */
void clspi_host_pieces(clsp_context *ctx, size_t num, void (*fn)(void *user, size_t piece),
                       void *user);

/* Calls fn for ranges that together are tiles 0 .. num - 1, in any order and from several threads,
   and returns when all are done. They take about all_ns. The calling thread does what is short by
   itself; where such calls follow each other closely the workers stay awake between them, so that
   less is worth their help. */
void clspi_host_tiles(clsp_context *ctx, size_t num, double all_ns,
                      void (*fn)(void *user, clsp_range tiles), void *user);

#endif
