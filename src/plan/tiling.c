#include "tiling.h"

#include "check.h"

enum { TILE_ITEMS = 4096 }; /* of a tile, at least: a few microseconds of a core */

clspi_tiling clspi_tiling_of(size_t num_pieces, size_t lines, size_t line_items, size_t multiple)
{
    const size_t wanted = clspi_round_up(clspi_div_up(TILE_ITEMS, line_items), multiple);
    clspi_tiling tiling = {.num_pieces = num_pieces,
                           .lines = lines,
                           .tile_lines = wanted,
                           .tiles_per_piece = 1,
                           .pieces_per_tile = 1};

    if (wanted < lines) {
        tiling.tiles_per_piece = clspi_div_up(lines, wanted);
        return tiling;
    }
    tiling.tile_lines = lines;
    tiling.pieces_per_tile =
        clspi_min(clspi_max(1, num_pieces), clspi_div_up(TILE_ITEMS, lines * line_items));
    return tiling;
}

clspi_tiling clspi_list_tiling(size_t num, size_t line_items)
{
    return clspi_tiling_of(num, 1, line_items, 1);
}

size_t clspi_num_tiles(const clspi_tiling *tiling)
{
    return clspi_div_up(tiling->num_pieces, tiling->pieces_per_tile) * tiling->tiles_per_piece;
}

/* Returns the lines before a tile. */
static size_t lines_before(const clspi_tiling *tiling, size_t tile)
{
    const size_t piece = tile / tiling->tiles_per_piece * tiling->pieces_per_tile;
    const size_t line = tile % tiling->tiles_per_piece * tiling->tile_lines;

    return clspi_min(tiling->num_pieces, piece) * tiling->lines + line;
}

clsp_range clspi_lines_of(const clspi_tiling *tiling, clsp_range tiles)
{
    const size_t first = lines_before(tiling, tiles.first);
    const clsp_range range = {first, lines_before(tiling, tiles.first + tiles.count) - first};

    return range;
}

clspi_cut clspi_cut_of(const clspi_tiling *tiling, clsp_range tiles, size_t first_piece)
{
    const clsp_range lines = clspi_lines_of(tiling, tiles);
    const clspi_cut cut = {.per_piece = tiling->lines,
                           .piece = first_piece + lines.first / tiling->lines,
                           .line = lines.first % tiling->lines,
                           .left = lines.count};

    return cut;
}
