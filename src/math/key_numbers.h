/* Numbers for the keys of many items at once: 0, 1, 2, .. in the order in which keys first appear,
   whatever threads there are. */
#ifndef CLSPI_KEY_NUMBERS_H
#define CLSPI_KEY_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "in_parallel.h"

enum { CLSPI_KEY_WORDS = 4 };

/* Items and their keys, of so many words, at most CLSPI_KEY_WORDS. Items are sorted by the first
   words of their keys, which are below `bound`, 2^31 at most, so that few of them should have any
   one. */
typedef struct clspi_key_items {
    size_t num;
    uint32_t words, bound;
    void (*keys)(const void *user, size_t first, size_t num, uint32_t *keys); /* [num][words] */
    const void *user;
} clspi_key_items;

/* The numbers of items' keys. */
typedef struct clspi_key_numbers {
    uint32_t num;     /* keys */
    uint32_t *number; /* [items], the caller's */
    size_t *first;    /* [num]: the first item with each key; the caller frees it */
} clspi_key_numbers;

/* Finds all numbers. numbers->number is given; threads may be NULL. False: no memory, or more than
   2^32 - 2 keys; numbers->first is NULL then. */
bool clspi_number_keys(clspi_key_numbers *numbers, const clspi_key_items *items,
                       const clspi_parallel *threads);

#endif
