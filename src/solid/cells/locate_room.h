/* Memory that a search takes piece by piece and gives back as a whole. */
#ifndef CLSPI_LOCATE_ROOM_H
#define CLSPI_LOCATE_ROOM_H

#include <stdbool.h>
#include <stddef.h>

typedef struct clspi_room_block clspi_room_block;

/* Begins as all 0. */
typedef struct clspi_locate_room {
    clspi_room_block *blocks, *spare; /* the first one is filled; those that were given back */
    size_t bytes;                     /* of the blocks that are in use */
} clspi_locate_room;

/* Takes so many bytes, aligned to 64, which are not cleared; NULL without memory. */
void *clspi_room_take(clspi_locate_room *room, size_t bytes);

/* Gives all back, to be taken again, unless they are more than twice what is kept. */
void clspi_room_forget(clspi_locate_room *room, size_t kept);
void clspi_room_release(clspi_locate_room *room);

static inline size_t clspi_room_rounded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Memory of one piece, which is another one when it has become too small: what was in it is lost
   then. Begins as all 0. */
typedef struct clspi_room_piece {
    void *memory;
    size_t bytes;
} clspi_room_piece;

/* Returns the memory; NULL without. */
void *clspi_room_piece_of(clspi_room_piece *piece, size_t bytes);

#endif
