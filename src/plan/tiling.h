/* A batch as the tiles of a job: pieces (patches, images) of equally many lines (rows) each, all of
   equally many bytes. A tile is some whole pieces, or some lines of one. */
#ifndef CLSPI_TILING_H
#define CLSPI_TILING_H

#include "split.h"

typedef struct clspi_tiling {
    size_t num_pieces; /* of the batch */
    size_t lines;      /* of a piece */
    size_t tile_lines; /* of a tile within a piece; lines at least where tiles are whole pieces */
    size_t tiles_per_piece; /* 1 where tiles are whole pieces */
    size_t pieces_per_tile; /* 1 where a piece is several tiles; the last tile may have fewer */
} clspi_tiling;

/* Chooses tiles of at least so many items. line_items: of a line; multiple: tiles within a piece
   begin at multiples of so many lines. */
clspi_tiling clspi_tiling_of(size_t num_pieces, size_t lines, size_t line_items, size_t multiple);

/* Chooses tiles of a list of so many items, of which each is a line. line_items: as of
   clspi_tiling_of. */
clspi_tiling clspi_list_tiling(size_t num, size_t line_items);

size_t clspi_num_tiles(const clspi_tiling *tiling);

/* Returns the lines of some tiles, counted through all pieces. */
clsp_range clspi_lines_of(const clspi_tiling *tiling, clsp_range tiles);

/* Returns the lines of some tiles as a cut; first_piece: the number of the batch's first one. */
clspi_cut clspi_cut_of(const clspi_tiling *tiling, clsp_range tiles, size_t first_piece);

#endif
