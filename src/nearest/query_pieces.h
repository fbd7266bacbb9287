/* Queries of places that the host answers: in pieces, by the context's workers, and where they are
   many in the order of their places, so that what follows each other meets the same memory. */
#ifndef CLSPI_QUERY_PIECES_H
#define CLSPI_QUERY_PIECES_H

#include "base_plan.h"
#include "place_order.h"

typedef struct clspi_query_pieces {
    clspi_places places; /* of all queries; points NULL: their order makes no difference */
    size_t most;         /* of a piece */
    /* Answers `num` queries: those whose numbers `order` has or, where it is NULL, those from
       `first` on. Threads call it at once. False: no memory. */
    bool (*answer)(const void *user, size_t first, size_t num, const uint32_t *order);
    const void *user;
} clspi_query_pieces;

/* Answers all; alone: on the calling thread. False: no memory. */
bool clspi_query_pieces_answer(const clspi_query_pieces *queries, const clspi_plan *plan,
                               bool alone);

#endif
