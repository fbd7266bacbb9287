/* Cutting a batch into parts that are small enough: for a launch, a transfer, a tile. */
#ifndef CLSPI_SPLIT_H
#define CLSPI_SPLIT_H

#include <stdbool.h>

#include "tuning.h"

/* Some lines of a batch of pieces: a piece is one array of the batch, a line what it is cut into;
   rows of a patch, say. cut_next moves it on; a cut is made by its initialiser. */
typedef struct clspi_cut {
    const size_t *prefix; /* lines before each piece, and before their end; NULL: per_piece each */
    size_t per_piece;     /* above 0 */
    size_t multiple;      /* within a piece parts begin at multiples of it; 0: of 1 */
    size_t piece, line;   /* where the next part begins */
    size_t left;          /* lines */
    size_t done;          /* lines of parts that were given; 0 at first */
} clspi_cut;

/* Whole pieces, or some lines of one. */
typedef struct clspi_part {
    size_t piece, num_pieces;
    size_t line;      /* of the piece, that it begins with; 0 where the pieces are whole */
    size_t num_lines; /* of all its pieces together */
    size_t before;    /* lines of the cut before it */
} clspi_part;

/* Gives the next part, of at most `most` lines where the multiple allows that, and of at least one
   multiple; false when none is left. */
bool clspi_cut_next(clspi_cut *cut, uint64_t most, clspi_part *part);

/* Returns how many lines a launch may have: fma multiply-adds each, and for every `lines` of them
   `items` work-items in groups of `local`. At least 1, and at most 2^29, so that items can be
   counted in 32 bits. */
uint64_t clspi_launch_lines(const clspi_tuning *tuning, uint64_t fma, uint64_t items, size_t local,
                            uint64_t lines);

#endif
