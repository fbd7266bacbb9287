#include "image_margins.h"

#include <stdlib.h>
#include <string.h>

#include "level.h"

/* A plane with its margins. */
typedef struct wide_plane {
    size_t size[3], margin[3], wide[3]; /* wide: the size and both margins */
    size_t real;                        /* bytes */
    int32_t *index[3];                  /* [wide]: which coefficient stands there, or NO_INDEX */
    char *to;
    double wide_none; /* what stands where no coefficient does */
    float narrow_none;
} wide_plane;

/* Makes the places from first to end - 1 of a line that begins at `line`, of `bytes` each, of what
   stands in its middle. */
CLSPI_INLINE void widen_run(const wide_plane *w, int d, char *line, size_t bytes, size_t first,
                            size_t end)
{
    const int32_t *const index = w->index[d];
    const char *const middle = line + w->margin[d] * bytes;
    const char *const none =
        w->real == sizeof(float) ? (const char *)&w->narrow_none : (const char *)&w->wide_none;

    for (size_t k = first; k < end; k++) {
        char *const to = line + k * bytes;
        if (index[k] != NO_INDEX)
            memcpy(to, middle + (size_t)index[k] * bytes, bytes);
        else
            for (size_t at = 0; at < bytes; at += w->real)
                memcpy(to + at, none, w->real);
    }
}

CLSPI_INLINE void widen_ends(const wide_plane *w, int d, char *line, size_t bytes)
{
    widen_run(w, d, line, bytes, 0, w->margin[d]);
    widen_run(w, d, line, bytes, w->margin[d] + w->size[d], w->wide[d]);
}

/* Makes the places of a line of single reals that are before and behind its middle. */
static void widen_reals(const wide_plane *w, char *line)
{
    if (w->real == sizeof(float)) /* bytes that the compiler knows */
        widen_ends(w, 2, line, sizeof(float));
    else
        widen_ends(w, 2, line, sizeof(double));
}

static bool find_indices(wide_plane *w, const uint32_t mode[3])
{
    for (int d = 0; d < 3; d++) {
        w->index[d] = malloc(w->wide[d] * sizeof *w->index[d]);
        if (!w->index[d]) return false;
        for (size_t k = 0; k < w->wide[d]; k++)
            w->index[d][k] = index_of((int)k - (int)w->margin[d], (int)w->size[d], mode[d]);
    }
    return true;
}

/* Widens the rows of the middle, then its slices by rows, and then the plane by slices. */
static void widen(const wide_plane *w, const char *from)
{
    const size_t row = w->wide[2] * w->real, slice = w->wide[1] * row;

    for (size_t z = 0; z < w->size[0]; z++) {
        char *const to = w->to + (w->margin[0] + z) * slice;
        for (size_t y = 0; y < w->size[1]; y++, from += w->size[2] * w->real) {
            char *const line = to + (w->margin[1] + y) * row;
            memcpy(line + w->margin[2] * w->real, from, w->size[2] * w->real);
            widen_reals(w, line);
        }
        widen_ends(w, 1, to, row);
    }
    widen_ends(w, 0, w->to, slice);
}

bool clspi_image_widen(const clspi_image_planes *planes, bool is_double, const void *from, void *to)
{
    wide_plane w = {.real = is_double ? sizeof(double) : sizeof(float),
                    .to = to,
                    .wide_none = planes->cval,
                    .narrow_none = (float)planes->cval};

    for (int d = 0; d < 3; d++) {
        w.size[d] = planes->size[d];
        w.margin[d] = planes->margin[d];
        w.wide[d] = w.size[d] + 2 * w.margin[d];
    }
    const bool is_done = find_indices(&w, planes->mode);
    if (is_done) widen(&w, from);
    for (int d = 0; d < 3; d++)
        free(w.index[d]);
    return is_done;
}
