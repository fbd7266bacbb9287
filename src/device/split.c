#include "split.h"

#include "check.h"

static size_t lines_of_piece(const clspi_cut *cut, size_t piece)
{
    return cut->prefix ? cut->prefix[piece + 1] - cut->prefix[piece] : cut->per_piece;
}

/* Returns the lines of a part within one piece: a multiple, save at the piece's end. */
static size_t lines_within(const clspi_cut *cut, size_t rest, size_t most)
{
    const size_t multiple = clspi_max(1, cut->multiple);

    if (rest <= most) return rest;
    return clspi_min(rest, clspi_max(most / multiple, 1) * multiple);
}

/* Fills part with as many whole pieces as fit; false when not even the next one does. */
static bool take_pieces(const clspi_cut *cut, size_t most, clspi_part *part)
{
    size_t lines = 0, pieces = 0;

    if (cut->line > 0) return false;
    if (!cut->prefix) {
        /* whole pieces count as if they were as long as their multiples */
        const size_t length = clspi_round_up(cut->per_piece, clspi_max(1, cut->multiple));
        pieces =
            clspi_min(clspi_max(most / length, most >= cut->per_piece), cut->left / cut->per_piece);
        lines = pieces * cut->per_piece;
    }
    while (cut->prefix && lines < cut->left) {
        const size_t more = lines_of_piece(cut, cut->piece + pieces);
        if (more > clspi_min(most, cut->left) - lines) break;
        lines += more;
        pieces++;
    }
    part->num_pieces = pieces;
    part->num_lines = lines;
    return pieces > 0;
}

bool clspi_cut_next(clspi_cut *cut, uint64_t most, clspi_part *part)
{
    const size_t limit = most > SIZE_MAX ? SIZE_MAX : (size_t)most;

    if (cut->left == 0) return false;
    *part = (clspi_part){.piece = cut->piece, .line = cut->line, .before = cut->done};
    if (take_pieces(cut, limit, part)) {
        cut->piece += part->num_pieces;
    } else {
        const size_t rest = lines_of_piece(cut, cut->piece) - cut->line;
        part->num_pieces = 1;
        part->num_lines = clspi_min(lines_within(cut, rest, limit), cut->left);
        cut->line += part->num_lines;
        if (part->num_lines == rest) {
            cut->line = 0;
            cut->piece++;
        }
    }
    cut->left -= part->num_lines;
    cut->done += part->num_lines;
    return true;
}

uint64_t clspi_launch_lines(const clspi_tuning *tuning, uint64_t fma, uint64_t items, size_t local,
                            uint64_t lines)
{
    const uint64_t most_items = (uint64_t)tuning->max_groups * local, limit = UINT64_C(1) << 29;
    const uint64_t by_fma = fma > 0 ? tuning->max_launch_fma / fma : limit;
    const uint64_t by_items = items > 0 ? most_items / items * lines : limit;
    const uint64_t most = clspi_min_u64(clspi_min_u64(by_fma, by_items), limit);

    return most > 0 ? most : 1;
}
