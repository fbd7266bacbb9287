#include "key_numbers.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "begins.h"

enum {
    BATCH = 256, /* keys that are made together */
    MAX_PIECES = 256,
    MAX_BUCKETS = 1024,
    PIECE_ITEMS = 16384 /* of a piece, and of a bucket, at least */
};

/* Numbering on its way. Pieces are ranges of items, buckets are items whose first words are in a
   range, in the order of items; groups are those with one key. */
typedef struct numbering {
    const clspi_key_items *items;
    clspi_key_numbers *numbers;
    size_t pieces, piece_items, buckets, shift;
    size_t *begin;          /* [buckets][pieces] and the end: entries */
    uint32_t *entry;        /* [items][words + 1]: the key, and which item of its piece it is */
    size_t *group_begin;    /* [buckets + 1] */
    size_t *group_first;    /* [groups]: items */
    uint32_t *group_number; /* [groups] */
    size_t *piece_first;    /* [pieces + 1]: numbers that first appear there */
    atomic_bool failed;
} numbering;

static size_t end_of(const numbering *n, size_t piece)
{
    const size_t end = (piece + 1) * n->piece_items;

    return end < n->items->num ? end : n->items->num;
}

/* ---- buckets ---- */

/* Counts a piece's items in each bucket. */
static void count_piece(void *user, size_t piece)
{
    const numbering *const n = user;
    const uint32_t words = n->items->words;
    uint32_t keys[BATCH * CLSPI_KEY_WORDS];
    size_t count[MAX_BUCKETS] = {0};

    for (size_t i = piece * n->piece_items; i < end_of(n, piece); i += BATCH) {
        const size_t left = end_of(n, piece) - i, num = left < BATCH ? left : BATCH;
        n->items->keys(n->items->user, i, num, keys);
        for (size_t k = 0; k < num; k++)
            count[keys[k * words] >> n->shift]++;
    }
    for (size_t b = 0; b < n->buckets; b++)
        n->begin[b * n->pieces + piece] = count[b];
}

/* Writes a piece's entries to their buckets. */
static void scatter_piece(void *user, size_t piece)
{
    const numbering *const n = user;
    const uint32_t words = n->items->words;
    const size_t first = piece * n->piece_items;
    uint32_t keys[BATCH * CLSPI_KEY_WORDS];
    size_t next[MAX_BUCKETS];

    for (size_t b = 0; b < n->buckets; b++)
        next[b] = n->begin[b * n->pieces + piece];
    for (size_t i = first; i < end_of(n, piece); i += BATCH) {
        const size_t left = end_of(n, piece) - i, num = left < BATCH ? left : BATCH;
        n->items->keys(n->items->user, i, num, keys);
        for (size_t k = 0; k < num; k++) {
            const uint32_t *const key = keys + k * words;
            uint32_t *const to = n->entry + (words + 1) * next[key[0] >> n->shift]++;
            for (uint32_t w = 0; w < words; w++)
                to[w] = key[w];
            to[words] = (uint32_t)(i + k - first);
        }
    }
}

/* ---- groups ---- */

static size_t spread(const uint32_t *key, uint32_t words)
{
    uint64_t x = 0;

    for (uint32_t w = 0; w < words; w++)
        x = (x ^ key[w]) * UINT64_C(0x9e3779b97f4a7c15) ^ x >> 29;
    return (size_t)(x ^ x >> 32);
}

/* The groups of a bucket as they are found. */
typedef struct bucket_groups {
    const uint32_t *entries;
    uint32_t words;
    uint32_t *table; /* [mask + 1], hashed: group + 1, 0 where there is none */
    size_t mask;
    size_t *first; /* the first entry of each group */
    size_t num;
} bucket_groups;

/* Returns the group of an entry, a new one where its key is new. */
static uint32_t group_of(bucket_groups *g, size_t entry)
{
    const uint32_t *const key = g->entries + (g->words + 1) * entry;
    size_t at = spread(key, g->words) & g->mask;

    while (g->table[at]) {
        const uint32_t group = g->table[at] - 1;
        if (!memcmp(g->entries + (g->words + 1) * g->first[group], key, g->words * sizeof *key))
            return group;
        at = (at + 1) & g->mask;
    }
    g->first[g->num] = entry;
    g->table[at] = (uint32_t)++g->num;
    return (uint32_t)(g->num - 1);
}

/* Gives the items of a bucket the numbers of their groups, of the bucket's own, in the order in
   which they appear. */
static void group_bucket(void *user, size_t bucket)
{
    numbering *const n = user;
    const uint32_t words = n->items->words;
    const size_t *const begin = n->begin + bucket * n->pieces;
    const size_t num = begin[n->pieces] - begin[0];
    bucket_groups g = {.entries = n->entry + (words + 1) * begin[0], .words = words, .mask = 15};

    if (atomic_load(&n->failed)) return;
    while (g.mask / 2 < num)
        g.mask = 2 * g.mask + 1;
    g.table = calloc(g.mask + 1, sizeof *g.table);
    g.first = malloc((num + 1) * sizeof *g.first);
    const bool done = g.table && g.first;
    for (size_t p = 0; p < n->pieces && done; p++)
        for (size_t i = begin[p] - begin[0]; i < begin[p + 1] - begin[0]; i++)
            n->numbers->number[p * n->piece_items + g.entries[(words + 1) * i + words]] =
                group_of(&g, i);
    n->group_begin[bucket + 1] = g.num;
    if (!done || g.num >= UINT32_MAX) atomic_store(&n->failed, true);
    free(g.table);
    free(g.first);
}

/* Finds the first items of a bucket's groups, and numbers these among those of all. */
static void place_groups(void *user, size_t bucket)
{
    const numbering *const n = user;
    const uint32_t words = n->items->words;
    const size_t *const begin = n->begin + bucket * n->pieces;
    const size_t base = n->group_begin[bucket];
    size_t known = 0;

    for (size_t p = 0; p < n->pieces; p++)
        for (size_t i = begin[p]; i < begin[p + 1]; i++) {
            const size_t item = p * n->piece_items + n->entry[(words + 1) * i + words];
            const uint32_t group = n->numbers->number[item];
            if (group == known) n->group_first[base + known++] = item;
            n->numbers->number[item] = (uint32_t)(base + group);
        }
}

/* ---- numbers ---- */

/* Counts the items of a piece that are the first of their groups. */
static void count_firsts(void *user, size_t piece)
{
    const numbering *const n = user;
    size_t num = 0;

    for (size_t i = piece * n->piece_items; i < end_of(n, piece); i++)
        num += n->group_first[n->numbers->number[i]] == i;
    n->piece_first[piece + 1] = num;
}

/* Numbers the groups that first appear in a piece. */
static void number_firsts(void *user, size_t piece)
{
    const numbering *const n = user;
    size_t num = n->piece_first[piece];

    for (size_t i = piece * n->piece_items; i < end_of(n, piece); i++) {
        const uint32_t group = n->numbers->number[i];
        if (n->group_first[group] != i) continue;
        n->group_number[group] = (uint32_t)num;
        n->numbers->first[num++] = i;
    }
}

static void number_items(void *user, size_t piece)
{
    const numbering *const n = user;
    uint32_t *const number = n->numbers->number;

    for (size_t i = piece * n->piece_items; i < end_of(n, piece); i++)
        number[i] = n->group_number[number[i]];
}

/* ---- all ---- */

/* Makes entries and their groups. */
static bool find_groups(numbering *n, const clspi_parallel *threads)
{
    const size_t bytes = (n->items->words + 1) * sizeof *n->entry;

    n->begin = malloc((n->buckets * n->pieces + 1) * sizeof *n->begin);
    n->group_begin = calloc(n->buckets + 1, sizeof *n->group_begin);
    if (n->items->num < SIZE_MAX / bytes) n->entry = malloc((n->items->num + 1) * bytes);
    if (!n->begin || !n->group_begin || !n->entry) return false;
    clspi_in_parallel(threads, n->pieces, count_piece, n);
    clspi_begins_of_counts(n->begin, n->buckets * n->pieces);
    clspi_in_parallel(threads, n->pieces, scatter_piece, n);
    clspi_in_parallel(threads, n->buckets, group_bucket, n);
    for (size_t b = 0; b < n->buckets; b++)
        n->group_begin[b + 1] += n->group_begin[b];
    return !atomic_load(&n->failed) && n->group_begin[n->buckets] < UINT32_MAX;
}

/* Numbers the groups by their first items. */
static bool find_numbers(numbering *n, const clspi_parallel *threads)
{
    const size_t groups = n->group_begin[n->buckets];

    n->group_first = malloc((groups + 1) * sizeof *n->group_first);
    if (!n->group_first) return false;
    clspi_in_parallel(threads, n->buckets, place_groups, n);
    free(n->entry);
    n->entry = NULL;
    n->group_number = malloc((groups + 1) * sizeof *n->group_number);
    n->piece_first = calloc(n->pieces + 1, sizeof *n->piece_first);
    n->numbers->first = malloc((groups + 1) * sizeof *n->numbers->first);
    if (!n->group_number || !n->piece_first || !n->numbers->first) return false;
    clspi_in_parallel(threads, n->pieces, count_firsts, n);
    for (size_t p = 0; p < n->pieces; p++)
        n->piece_first[p + 1] += n->piece_first[p];
    clspi_in_parallel(threads, n->pieces, number_firsts, n);
    clspi_in_parallel(threads, n->pieces, number_items, n);
    n->numbers->num = (uint32_t)groups;
    return true;
}

bool clspi_number_keys(clspi_key_numbers *numbers, const clspi_key_items *items,
                       const clspi_parallel *threads)
{
    numbering n = {.items = items, .numbers = numbers, .buckets = items->num / PIECE_ITEMS + 1};

    if (n.buckets > MAX_BUCKETS) n.buckets = MAX_BUCKETS;
    while ((items->bound >> n.shift) >= n.buckets && items->bound >> n.shift)
        n.shift++;
    n.pieces = items->num / PIECE_ITEMS + 1;
    if (n.pieces > MAX_PIECES) n.pieces = MAX_PIECES;
    n.piece_items = items->num / n.pieces + 1;
    numbers->first = NULL;
    const bool done = find_groups(&n, threads) && find_numbers(&n, threads);
    if (!done) {
        free(numbers->first);
        numbers->first = NULL;
    }
    free(n.begin);
    free(n.entry);
    free(n.group_begin);
    free(n.group_first);
    free(n.group_number);
    free(n.piece_first);
    return done;
}
