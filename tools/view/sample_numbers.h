/* How finely patches are sampled on the screen: numbers of samples that nest, that do not waver
   while the view moves, and that stay within a budget of triangles. */
#ifndef CLSPLINE_TOOLS_SAMPLE_NUMBERS_H
#define CLSPLINE_TOOLS_SAMPLE_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

enum { SAMPLE_NUMBERS_MOST = 1025 };

/* The least 2^k + 1 that is no fewer than the samples wanted, to SAMPLE_NUMBERS_MOST. Samples that
   are there already, 0: none, are kept while they suffice and fewer than 3 in 8 of their cells are
   not enough. */
uint32_t sample_numbers_nest(uint32_t wanted, uint32_t present);

/* Halves the cells of those that have most until the triangles, as `count` tells them of all
   numbers, are at most the budget or no patch has more than one cell. Numbers are 2^k + 1. */
typedef uint64_t (*sample_counter)(const void *user, const uint32_t *num);
void sample_numbers_limit(uint32_t *num, size_t count, uint64_t budget, sample_counter triangles,
                          const void *user);

#endif
