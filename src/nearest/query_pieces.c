#include "query_pieces.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

enum {
    SORTED = 4096, /* queries are sorted by their place from so many on */
    PIECES = 64,   /* of work, where each has some queries */
    LEAST = 16     /* of a piece */
};

typedef struct work {
    const clspi_query_pieces *queries;
    size_t of_piece;
    uint32_t *order;    /* NULL: as they come */
    atomic_bool failed; /* for want of memory */
} work;

static void answer_piece(void *user, size_t piece)
{
    work *const w = user;
    const clspi_query_pieces *const q = w->queries;
    const size_t first = piece * w->of_piece;
    const size_t num = clspi_min(w->of_piece, q->places.num - first);

    if (!q->answer(q->user, first, num, w->order ? w->order + first : NULL)) w->failed = true;
}

/* Puts queries in the order of their places, where they are many. */
static bool sort_queries(work *w)
{
    const clspi_places *const places = &w->queries->places;

    if (!places->points || places->num < SORTED || places->num > UINT32_MAX) return true;
    w->order = malloc(places->num * sizeof *w->order);
    return w->order && clspi_place_order(places, w->order);
}

bool clspi_query_pieces_answer(const clspi_query_pieces *queries, const clspi_plan *plan,
                               bool alone)
{
    const size_t num = queries->places.num;
    work w = {.queries = queries,
              .of_piece = clspi_max(LEAST, clspi_min(queries->most, num / PIECES))};
    const size_t pieces = clspi_div_up(num, w.of_piece);

    if (!sort_queries(&w)) w.failed = true;
    if (!w.failed && !alone) clspi_pieces_on_host(plan, pieces, answer_piece, &w);
    for (size_t i = 0; !w.failed && alone && i < pieces; i++)
        answer_piece(&w, i);
    free(w.order);
    return !w.failed;
}
