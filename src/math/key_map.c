#include "key_map.h"

#include <stdlib.h>

enum { FIRST_PLACES = 1024 };

/* Spreads the bits of a key over all bits. */
static uint64_t spread(clspi_key key)
{
    uint64_t x = key.a ^ (key.b * UINT64_C(0x9e3779b97f4a7c15));

    x = (x ^ (x >> 33)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 33)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 33);
}

bool clspi_key_map_make(clspi_key_map *map)
{
    map->num = 0;
    map->mask = FIRST_PLACES - 1;
    map->key = malloc(FIRST_PLACES / 2 * sizeof *map->key);
    map->place = calloc(FIRST_PLACES, sizeof *map->place);
    return map->key && map->place;
}

void clspi_key_map_release(clspi_key_map *map)
{
    free(map->key);
    free(map->place);
    *map = (clspi_key_map){0};
}

/* Finds the place of a key, or the free one where it belongs. */
static size_t place_of(const clspi_key_map *map, clspi_key key)
{
    size_t at = (size_t)spread(key) & map->mask;

    while (map->place[at]) {
        const clspi_key found = map->key[map->place[at] - 1];
        if (found.a == key.a && found.b == key.b) break;
        at = (at + 1) & map->mask;
    }
    return at;
}

/* Doubles the places. */
static bool grow(clspi_key_map *map)
{
    const size_t places = 2 * (map->mask + 1);
    clspi_key *const key = realloc(map->key, places / 2 * sizeof *key);
    uint32_t *place;

    if (!key) return false;
    map->key = key;
    place = calloc(places, sizeof *place);
    if (!place) return false;
    free(map->place);
    map->place = place;
    map->mask = places - 1;
    for (uint32_t i = 0; i < map->num; i++)
        map->place[place_of(map, map->key[i])] = i + 1;
    return true;
}

uint32_t clspi_key_map_put(clspi_key_map *map, clspi_key key)
{
    size_t at = place_of(map, key);

    if (map->place[at]) return map->place[at] - 1;
    if (map->num == UINT32_MAX - 1) return CLSPI_NO_KEY;
    if (map->num >= (map->mask + 1) / 2) {
        if (!grow(map)) return CLSPI_NO_KEY;
        at = place_of(map, key);
    }
    map->key[map->num] = key;
    map->place[at] = ++map->num;
    return map->num - 1;
}

uint32_t clspi_key_map_find(const clspi_key_map *map, clspi_key key)
{
    const size_t at = place_of(map, key);

    return map->place[at] ? map->place[at] - 1 : CLSPI_NO_KEY;
}
