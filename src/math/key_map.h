/* Numbers for keys: 0, 1, 2, .. in the order in which keys first appear. */
#ifndef CLSPI_KEY_MAP_H
#define CLSPI_KEY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct clspi_key {
    uint64_t a, b;
} clspi_key;

typedef struct clspi_key_map {
    clspi_key *key;  /* by number */
    uint32_t *place; /* hashed: number + 1, 0 where there is none */
    size_t mask;     /* places - 1 */
    uint32_t num;
} clspi_key_map;

/* Returned where a key has no number: there is no memory for it, or it is not known. */
#define CLSPI_NO_KEY UINT32_MAX

bool clspi_key_map_make(clspi_key_map *map);
void clspi_key_map_release(clspi_key_map *map);

/* Gives a key's number, a new one where it is new. */
uint32_t clspi_key_map_put(clspi_key_map *map, clspi_key key);

/* Finds a key's number. */
uint32_t clspi_key_map_find(const clspi_key_map *map, clspi_key key);

/* Returns the key of an edge, whichever way round. */
static inline clspi_key clspi_edge_key(uint32_t a, uint32_t b)
{
    return (clspi_key){a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a, 0};
}

#endif
