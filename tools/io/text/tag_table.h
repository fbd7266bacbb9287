/* The numbers by which a file names its items, and their places. */
#ifndef CLSPLINE_TOOLS_IO_TAG_TABLE_H
#define CLSPLINE_TOOLS_IO_TAG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tag_place {
    uint32_t tag, place;
} tag_place;

/* Zero: empty. The caller frees list. */
typedef struct tag_table {
    tag_place *list; /* [num], sorted by tag once one has been looked for */
    size_t num, capacity;
    bool is_sorted;
} tag_table;

/* Adds an item, whose place is the next one. False when memory runs out. */
bool tag_table_add(tag_table *t, uint32_t tag);

/* Finds the place of what has a number. False where there is none. */
bool tag_table_find(tag_table *t, uint32_t tag, uint32_t *place);

#endif
