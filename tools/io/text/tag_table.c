#include "tag_table.h"

#include <stdlib.h>

#include "array.h"

bool tag_table_add(tag_table *t, uint32_t tag)
{
    tag_place *moved = array_reserve(t->list, &t->capacity, t->num + 1, sizeof(*moved));
    if (!moved) return false;
    t->list = moved;
    moved[t->num] = (tag_place){tag, (uint32_t)t->num};
    t->num++;
    t->is_sorted = false;
    return true;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = ((const tag_place *)a)->tag, y = ((const tag_place *)b)->tag;
    return (x > y) - (x < y);
}

bool tag_table_find(tag_table *t, uint32_t tag, uint32_t *place)
{
    const tag_place key = {.tag = tag};
    if (t->num == 0) return false;
    if (!t->is_sorted) qsort(t->list, t->num, sizeof(key), compare);
    t->is_sorted = true;
    const tag_place *const found = bsearch(&key, t->list, t->num, sizeof(key), compare);
    if (found) *place = found->place;
    return found != NULL;
}
