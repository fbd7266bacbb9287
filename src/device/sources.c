#include "sources.h"

#include <stdlib.h>
#include <string.h>

/* Reads a count of a token, which goes on behind it from 15 on. */
static size_t read_count(const unsigned char **from, size_t count)
{
    unsigned more = count == 15 ? 255 : 0;

    while (more == 255)
        count += more = *(*from)++;
    return count;
}

/* Unpacks the texts of all pieces: literals, and copies of what was before, by turns. */
static void unpack(char *to, const char *end)
{
    const unsigned char *from = clspi_packed_sources;

    for (;;) {
        const unsigned token = *from++;
        size_t count = read_count(&from, token >> 4);
        memcpy(to, from, count);
        to += count;
        from += count;
        if (to == end) return;
        const char *before = to - (from[0] | from[1] << 8);
        from += 2;
        for (count = read_count(&from, token & 15) + 4; count > 0; count--)
            *to++ = *before++;
    }
}

char *clspi_source_join(const clspi_source *source)
{
    const size_t all = clspi_piece_ends[clspi_num_pieces - 1];
    char *const texts = malloc(all), *const joined = malloc(all + 1), *end = joined;

    if (texts && joined) {
        unpack(texts, texts + all);
        for (const uint16_t *piece = source->pieces; *piece < clspi_num_pieces; piece++) {
            const size_t begin = *piece > 0 ? clspi_piece_ends[*piece - 1] : 0;
            const size_t size = clspi_piece_ends[*piece] - begin;
            memcpy(end, texts + begin, size);
            end += size;
        }
        *end = '\0';
    }
    free(texts);
    if (!texts) free(joined);
    return texts ? joined : NULL;
}
