#include "locate_room.h"

#include <stdlib.h>

enum { BLOCK = 1 << 18 /* bytes of a block, at least */ };

struct clspi_room_block {
    clspi_room_block *next;
    size_t size, used;
};

static size_t head(void)
{
    return clspi_room_rounded(sizeof(clspi_room_block));
}

/* Makes a block before the others that has room for so many bytes. False: no memory. */
static bool add_block(clspi_locate_room *room, size_t bytes)
{
    clspi_room_block *block = room->spare;
    const size_t size = head() + (bytes > BLOCK ? bytes : BLOCK);

    if (block && head() + bytes <= block->size) {
        room->spare = block->next;
    } else {
        block = aligned_alloc(64, clspi_room_rounded(size));
        if (!block) return false;
        block->size = size;
    }
    block->next = room->blocks;
    block->used = head();
    room->blocks = block;
    room->bytes += block->size;
    return true;
}

void *clspi_room_take(clspi_locate_room *room, size_t bytes)
{
    const size_t size = clspi_room_rounded(bytes);
    clspi_room_block *block = room->blocks;

    if (!block || block->used + size > block->size) {
        if (!add_block(room, size)) return NULL;
        block = room->blocks;
    }
    void *const memory = (char *)block + block->used;
    block->used += size;
    return memory;
}

static void release(clspi_room_block *block)
{
    while (block) {
        clspi_room_block *const next = block->next;
        free(block);
        block = next;
    }
}

void clspi_room_forget(clspi_locate_room *room, size_t kept)
{
    if (room->bytes > 2 * kept) {
        release(room->blocks);
        room->blocks = NULL;
    }
    while (room->blocks) {
        clspi_room_block *const block = room->blocks;
        room->blocks = block->next;
        block->next = room->spare;
        room->spare = block;
    }
    room->bytes = 0;
}

void clspi_room_release(clspi_locate_room *room)
{
    release(room->blocks);
    release(room->spare);
    *room = (clspi_locate_room){0};
}

void *clspi_room_piece_of(clspi_room_piece *piece, size_t bytes)
{
    if (piece->memory && bytes <= piece->bytes) return piece->memory;
    free(piece->memory);
    *piece = (clspi_room_piece){malloc(bytes), bytes};
    return piece->memory;
}
