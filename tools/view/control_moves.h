/* The control points of a model as places that can be moved, and moves that can be undone. Points
   stay where their files' readers put them, in blocks; here they have numbers, block after block.
 */
#ifndef CLSPLINE_TOOLS_CONTROL_MOVES_H
#define CLSPLINE_TOOLS_CONTROL_MOVES_H

#include <stdbool.h>
#include <stddef.h>

/* Control points that lie one behind the other. */
typedef struct control_block {
    double *points; /* not owned: [num][stride], of rational ones multiplied by the weight, which is
                       behind the coordinates */
    size_t num, stride;
    size_t dim; /* 2 or 3 */
    bool rational;
} control_block;

/* A move of one place: which points it took, and by how much. */
typedef struct control_move {
    size_t *numbers;
    double *before; /* [count][4]: coordinates as they stand in the block */
    size_t count;
} control_move;

typedef struct control_points {
    control_block *blocks;
    size_t num_blocks, num; /* num: of all blocks */
    control_move *moves;    /* done and not undone */
    size_t num_moves, move_capacity;
} control_points;

/* Adds a block. False without memory. */
bool control_points_add(control_points *c, const control_block *block);

/* The Euclidean place of a control point; z is 0 of two coordinates. */
void control_points_get(const control_points *c, size_t number, double place[3]);

/* Begins to move a point, with all that are within a distance of it: what is one corner of several
   patches stays one. False without memory. */
bool control_points_begin(control_points *c, size_t number, double distance);

/* Moves the points that were begun with by a way from where they were at the beginning. Weights
   stay. */
void control_points_move(control_points *c, const double way[3]);

/* Undoes the last move. False where there is none. */
bool control_points_undo(control_points *c);

/* Releases all memory; the blocks' points are not owned. */
void control_points_clear(control_points *c);

#endif
