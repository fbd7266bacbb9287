/* Numbers of a hexahedral cell's corners, edges and faces, and the 48 frames in which a cell can be
   seen.

   Corner i of a cell is at (u, v, w) = bits 0, 1 and 2 of i. Face 2 a + s has the corners whose bit
   a is s. Edge 4 a + r runs along axis a from the r-th corner whose bit a is clear. A frame is
   8 p + x: what is corner i, seen in the frame, is corner P_p(i) ^ x of the cell, P_p being the
   p-th permutation of three bits. Permutations of bits and ^ change places: so frames are composed
   without a table of their own. */
#ifndef CLSPI_CELL_FRAME_H
#define CLSPI_CELL_FRAME_H

#include <stdint.h>

enum {
    CLSPI_FRAMES = 48,
    CLSPI_CORNERS = 8,
    CLSPI_CELL_EDGES = 12,
    CLSPI_CELL_FACES = 6,
    CLSPI_FACE_SIDES = 4
};

static const uint8_t clspi_axis_order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                               {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const uint8_t clspi_corner_order[6][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 4, 5, 2, 3, 6, 7}, {0, 2, 1, 3, 4, 6, 5, 7},
    {0, 2, 4, 6, 1, 3, 5, 7}, {0, 4, 1, 5, 2, 6, 3, 7}, {0, 4, 2, 6, 1, 5, 3, 7}};

/* The corners of a face in cyclic order. */
static const uint8_t clspi_face_corner[CLSPI_CELL_FACES][CLSPI_FACE_SIDES] = {
    {0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};

/* Returns the cell's corner that corner i of the frame is. */
static inline uint32_t clspi_frame_corner(uint32_t frame, uint32_t i)
{
    return clspi_corner_order[frame >> 3][i] ^ (frame & 7);
}

/* Returns the cell's axis that axis a of the frame is. */
static inline uint32_t clspi_frame_axis(uint32_t frame, uint32_t a)
{
    return clspi_axis_order[frame >> 3][a];
}

/* Tells whether axis a of the frame runs against the cell's. */
static inline uint32_t clspi_frame_flips(uint32_t frame, uint32_t a)
{
    return (frame >> clspi_frame_axis(frame, a)) & 1;
}

/* Returns the cell's face that face k of the frame is. */
static inline uint32_t clspi_frame_face(uint32_t frame, uint32_t k)
{
    const uint32_t a = clspi_frame_axis(frame, k >> 1);

    return 2 * a + ((k & 1) ^ ((frame >> a) & 1));
}

/* Returns the frame that is `inner` seen in `outer`: corner i is outer's corner inner(i). */
static inline uint32_t clspi_frame_of(uint32_t outer, uint32_t inner)
{
    const uint8_t *const p = clspi_axis_order[outer >> 3], *const q = clspi_axis_order[inner >> 3];
    const uint32_t first = p[q[0]], second = p[q[1]];
    const uint32_t order = 2 * first + second - (second > first);

    return 8 * order + (clspi_corner_order[outer >> 3][inner & 7] ^ (outer & 7));
}

/* Returns the edge along axis a that begins or ends in corner i. */
static inline uint32_t clspi_corner_edge(uint32_t a, uint32_t i)
{
    static const uint8_t rank[3][8] = {
        {0, 0, 1, 1, 2, 2, 3, 3}, {0, 1, 0, 1, 2, 3, 2, 3}, {0, 1, 2, 3, 0, 1, 2, 3}};

    return 4 * a + rank[a][i];
}

/* Returns the axis along which two corners differ. */
static inline uint32_t clspi_axis_between(uint32_t i, uint32_t j)
{
    return (i ^ j) >> 1;
}

/* Returns the corner in which an edge begins. */
static inline uint32_t clspi_edge_corner(uint32_t edge)
{
    static const uint8_t corner[12] = {0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};

    return corner[edge];
}

#endif
