/* Classes of cells as a device reads them: the children of children where a parameter may be, as
   trees, and weights of the control points of those that are regular (docs/math.md, 19). */
#ifndef CLSPI_CLASS_TREES_H
#define CLSPI_CLASS_TREES_H

#include "cell_class.h"
#include "point_sums.h"

#define CLSPI_TREE_LEAF   0xffffffffu /* of a child: a leaf of its parent's class; a regular one */
#define CLSPI_TREE_TABLE  0x80000000u /* beside the place of a table, in fours of reals */
#define CLSPI_TREE_WHOLE  0xffffffffu /* in the place of sums: points are the class's own */
#define CLSPI_TREE_SLICES 1u          /* a class with slices */

enum {
    CLSPI_TREE_DEPTH = 8,     /* of the host's trees */
    CLSPI_TREE_CODE_BITS = 9, /* of a frame */
    CLSPI_TREE_CLASSES = 1 << 22
};

/* words begin with where the record of each class is, 0 where there is none. Places of words count
   from their begin, those of reals in fours.

   The record of a class with slices: CLSPI_TREE_SLICES | axis << 1 | layer 0 is beyond the boundary
   << 3 | layer 3 is << 4 | points of a slice << 5; its first node; the points of its layers, [4][of
   a slice], where a layer is beyond the boundary those of the one beside it. A node has a word for
   each child of a slice, by its place along the first axis of the slice and twice that along the
   second: another node, or CLSPI_TREE_TABLE with its table. Tables have the weights of a slice's
   points at a regular child, as sums of products of B-splines: [points of a slice][4][4].

   The record of another class: points << 5; its first state; of its eight children that are leaves
   two words each: the table, and CLSPI_TREE_LEAF where the child is regular, or its class and
   frame. Tables have points as sums of the leaf's: [points][4][4][4], of a class with slices
   [points][of a slice][4]. A state is a descendant that is no leaf: its class and frame; what its
   points are as sums of the first class's, [points of it][points, in fours], or CLSPI_TREE_WHOLE;
   and for each child CLSPI_TREE_LEAF, another state, or CLSPI_TREE_TABLE with the weights of a
   child that is a point by now, in the form of those of a regular leaf.

   A class and a frame are one word: class << 9, and the frame as clspi_tree_frame has it. */
typedef struct clspi_class_trees {
    uint32_t *words;
    size_t num_words, word_room;
    double *reals;
    size_t num_reals, real_room, most_reals;
    bool too_large; /* more than most_reals, or too many classes */
} clspi_class_trees;

/* Makes the trees of the classes that are used, [set->num]. Points whose weights differ by less
   than `least` in all are one, as are those of what is left after so many children of children.
   False: no memory, or too_large. */
bool clspi_class_trees_make(clspi_class_trees *trees, const clspi_class_set *set, const bool *used,
                            double least, uint32_t depth, size_t most_reals);
void clspi_class_trees_release(clspi_class_trees *trees);

/* Finds the columns of a class with slices at t, all but its points and where sums go, and the
   parameter there. False: it has no slices in the trees, which are CLSPI_TREE_DEPTH deep, or the
   parameter is not in a regular child there. */
bool clspi_tree_columns(const clspi_class_trees *trees, uint32_t number, const double t[3],
                        clspi_point_columns *columns, double at[3]);

/* Returns a frame in nine bits: which axis of the cell is each of the frame's, two bits each, and
   then whether it runs against it. */
static inline uint32_t clspi_tree_frame(uint32_t frame)
{
    uint32_t code = 0;

    for (uint32_t a = 0; a < 3; a++)
        code |= clspi_frame_axis(frame, a) << 2 * a | clspi_frame_flips(frame, a) << (6 + a);
    return code;
}

#endif
