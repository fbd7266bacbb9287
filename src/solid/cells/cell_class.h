/* Classes of cells: all cells whose rings look alike in some frame. Weights of control points at a
   parameter are found once for a class, exactly, by going from a cell to that of its children where
   the parameter is until this one is regular (docs/math.md, 19). */
#ifndef CLSPI_CELL_CLASS_H
#define CLSPI_CELL_CLASS_H

#include "cell_ring.h"

#define CLSPI_REGULAR UINT32_MAX

enum {
    CLSPI_NO_AXIS = 3,
    CLSPI_OFF_BOUNDARY = 6, /* beside the numbers of faces; CLSPI_NO_AXIS twice */
    CLSPI_SCRATCH_ROWS = 4,
    CLSPI_NO_POINT = 0xffff,
    CLSPI_LIMIT_DEPTH = 256, /* children of children; what is then left of a cell is a point */
    CLSPI_SLOPE_DEPTH = 20   /* of derivatives: as near as 2^-20 to where there may be none */
};

typedef enum clspi_cell_kind {
    CLSPI_KIND_REGULAR,
    CLSPI_KIND_LAYERED,   /* slices that are alike along an axis, around one irregular edge */
    CLSPI_KIND_IRREGULAR, /* one irregular vertex: one child is like the cell, the others are
                             regular, or layered beside it */
    CLSPI_KIND_SPLIT      /* anything else; its children are of the other kinds in the end */
} clspi_cell_kind;

/* A child: its control points as sums of its parent's, a row for each. */
typedef struct clspi_class_child {
    uint32_t next;  /* its class; CLSPI_REGULAR: 64 rows, those of its grid */
    uint32_t frame; /* in which it is seen as its class is */
    uint32_t rows;
    uint32_t *begin; /* [rows + 1] */
    uint16_t *column;
    double *weight;
} clspi_class_child;

typedef struct clspi_cell_class {
    uint32_t num_points;
    clspi_cell_kind kind;
    uint16_t *signature;
    clspi_class_child child[CLSPI_CORNERS];
    uint32_t axis;      /* across slices that are alike; CLSPI_NO_AXIS: there are none */
    uint32_t num_slice; /* points of a slice */
    uint16_t *slice;    /* [4][num_slice]: points; CLSPI_NO_POINT in layers beyond the boundary */
} clspi_cell_class;

/* A cell as one of a class. */
typedef struct clspi_class_use {
    uint32_t number; /* CLSPI_REGULAR */
    uint32_t frame;
} clspi_class_use;

typedef struct clspi_class_set {
    clspi_cell_class *entry;
    uint32_t num, num_built, room;
    clspi_key_map classes; /* by signatures */
    clspi_key_map uses;    /* rings as they were met */
    clspi_class_use *use;  /* [uses.num] */
    uint16_t **order;      /* [uses.num]: where the class's points are in the ring as it was met */
    uint32_t use_room;
    clspi_ring *ring;
    uint32_t *found; /* [CLSPI_RING_POINTS]: the points of the cell found last, as of its class */
    uint16_t *least; /* [CLSPI_RING_WORDS] */
    bool too_large;  /* a ring had no room, */
    uint32_t cell;   /* that of this cell of the mesh; CLSPI_NO_CELL: of a descendant */
    double *scratch[CLSPI_SCRATCH_ROWS]; /* [CLSPI_RING_POINTS] */
} clspi_class_set;

bool clspi_class_set_make(clspi_class_set *set);
void clspi_class_set_release(clspi_class_set *set);

/* Finds the number among the uses of the ring of a cell that is not regular, of its key: a new one
   where it is new, with its class. CLSPI_NO_KEY: no memory, or set->too_large. */
uint32_t clspi_class_find_use(clspi_class_set *set, const clspi_cell_mesh *mesh, uint32_t cell,
                              clspi_key key);

/* Finds the children of all classes that have none yet, and kinds and slices. To be called before
   weights are asked for; the same whatever threads, which may be NULL, there are. False: as
   above. */
bool clspi_class_set_build(clspi_class_set *set, const clspi_parallel *threads);

/* Computes the weights of a class's control points for the value or a derivative, by[a] times in
   the class's direction a, at t. face: the boundary face, as the class has it, along which
   derivatives are asked for, or CLSPI_OFF_BOUNDARY. Where t is nearer than 2^-20 to where a
   derivative may not exist, it is that of the parameter so far from all faces but this one; first
   derivatives are then brought to the limit (class_tangents.h). row: [num_points]. */
void clspi_class_weights(const clspi_class_set *set, uint32_t number, const double t[3],
                         const uint8_t by[3], uint32_t face, double *row);

/* Computes the weights of a cell's control points at a parameter in the cell's own directions,
   along the first of its boundary faces that has it. */
void clspi_use_weights(const clspi_class_set *set, const clspi_class_use *use, const double t[3],
                       const uint8_t by[3], double *row);

/* Computes the weights of the points of a regular cell's grid, all 64. */
void clspi_regular_weights(const double t[3], const uint8_t by[3], double row[CLSPI_GRID_POINTS]);

#endif
