/* What is searched, as flat arrays in which devices search too (cl/nearest). */
#ifndef CLSPI_SURFACE_ARRAYS_H
#define CLSPI_SURFACE_ARRAYS_H

#include "surface_search.h"

/* reals: the head; control points of pieces, four reals each, and of leaves that are less; frames;
   leaves; ends of spans. words: kids of nodes; roots of pieces; roots of patches; pieces of leaves;
   which control points are theirs. boxes: of nodes, rounded outward, relative to the middle and in
   units of the head. Their numbers are in surface_numbers.clh. Of pieces of one shape control
   points are numbered piece by piece, and of several, is_mixed, one by one; the latter have weights
   all. Spans are of one source. */
typedef struct clspi_surface_arrays {
    double *reals;
    uint32_t *words;
    float *boxes;
    size_t num_reals, num_words, num_boxes;
    size_t frames, leaves, ends;                           /* where they begin */
    size_t roots, patch_roots, leaf_pieces, leaf_controls; /* among words */
    uint32_t root, spans[2];
    bool is_mixed;
} clspi_surface_arrays;

/* Tells whether pieces are of several shapes, or curves. */
bool clspi_surface_arrays_mixed(const clspi_surface_search *search);

/* Returns the bytes of the largest of the arrays. */
size_t clspi_surface_arrays_most(const clspi_surface_search *search);

/* Makes the arrays of surfaces of two or three dimensions, with patches; false without memory. */
bool clspi_surface_arrays_make(clspi_surface_arrays *arrays, const clspi_surface_search *search);
void clspi_surface_arrays_release(clspi_surface_arrays *arrays);

#endif
