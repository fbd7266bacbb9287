/* B-spline curves, surfaces and volumes in memory, as files hold them.

   Splines with equal degrees, knots, numbers of control points and coordinates form a batch, for
   one plan of the library. Control points are in the library's order and in homogeneous
   coordinates, (w x, w y, w z, w), all finite and w above 0. A spline whose weights are all 1 is
   kept without them, as the polynomial that it is. Directions of a single clamped span are kept
   over [0, 1], so that Bezier pieces are one batch wherever they lie; the domains tell what the
   file has. */
#ifndef CLSPLINE_TOOLS_IO_SPLINES_H
#define CLSPLINE_TOOLS_IO_SPLINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SPLINES_MAX_DIRECTIONS = 3,
    SPLINES_MAX_DEGREE = 255,        /* what the library takes */
    SPLINES_MAX_CONTROLS = 16777216, /* in each direction, likewise */
    SPLINES_MAX_DIM = 4,
    SPLINES_WORD = 40 /* bytes */
};

#define SPLINES_MANY (UINT64_C(1) << 56) /* control points that no file holds */

/* What the splines of a batch have in common. */
typedef struct spline_type {
    uint32_t directions; /* 1: curves, 2: surfaces, 3: volumes */
    uint32_t dim;        /* coordinates of a point, without the weight */
    bool rational;
    uint32_t degree[SPLINES_MAX_DIRECTIONS], num_controls[SPLINES_MAX_DIRECTIONS]; /* 0 and 1 of
                            directions that there are not */
    double *knots[SPLINES_MAX_DIRECTIONS]; /* [num_controls + degree + 1] */
} spline_type;

typedef struct spline_batch {
    spline_type type;
    uint64_t hash; /* of the type */
    size_t num_splines;
    size_t *numbers; /* [num_splines]: of all that were read, from 0 */
    double *domains; /* [num_splines][SPLINES_MAX_DIRECTIONS][2]: of the parameters in the file */
    double *points;  /* [num_splines][u][v][w][coordinates], w fastest */
    size_t num_reals, number_capacity, domain_capacity, point_capacity;
} spline_batch;

struct cad_model;

/* What files hold. Batches are in the order of their first splines. */
typedef struct splines {
    size_t num_batches, batch_capacity;
    spline_batch *batches;
    size_t *slots;      /* a hash table of batches by type: their numbers from 1 on, 0 where free */
    size_t num_slots;   /* a power of 2, or 0 */
    size_t num_splines; /* of all batches */
    size_t num_trimmed; /* splines of which a part may be cut off, kept whole here */
    char unit[SPLINES_WORD]; /* of length, as "mm"; "" where no file tells it */
    struct cad_model *cad;   /* of CAD files (cad_model.h); NULL: none was read */
    /* Set by who reads CAD files: no mesh is wanted, or one that is so near to the faces, as a
       share of a part's diagonal; 0: clspline-cad's choice. */
    bool without_mesh;
    double deflection;
} splines;

/* One that is being read. */
typedef struct spline {
    spline_type type;
    size_t knot_capacity[SPLINES_MAX_DIRECTIONS], num_knots[SPLINES_MAX_DIRECTIONS];
    double *points; /* homogeneous, in the order of the file */
    size_t num_reals, point_capacity;
    size_t step[SPLINES_MAX_DIRECTIONS]; /* control points from one to the next along u, v, w */
} spline;

/* Coordinates of a control point. */
static inline size_t spline_coordinates(const spline_type *type)
{
    return type->dim + (type->rational ? 1 : 0);
}

/* Control points of a spline; SPLINES_MANY for that and more. */
uint64_t spline_num_controls(const spline_type *type);

/* The ends of the domain of a direction, as it is kept. */
double spline_begin(const spline_type *type, uint32_t direction);
double spline_end(const spline_type *type, uint32_t direction);

/* The file's value of a parameter of a spline in a batch. */
double spline_parameter(const spline_batch *batch, size_t number, uint32_t direction,
                        double parameter);

/* A parameter of the file as it is kept. */
double spline_kept(const spline_type *type, uint32_t direction, double parameter);

/* Counts the intervals of positive length between knots of the domain. */
uint32_t spline_spans(const spline_type *type, uint32_t direction);

/* "curve", "surface", "volume". */
const char *spline_form(const spline_type *type);

/* Tells what is wrong with the knots of a direction, as "decrease"; NULL where nothing is. *which
   becomes the number of the first knot that is wrong, from 1. */
const char *spline_knot_defect(const spline_type *type, uint32_t direction, size_t *which);

/* Returns the diagonal of the box around all control points. *largest: the largest |coordinate|. */
double splines_diagonal(const splines *content, double *largest);

/* Adds a copy of a spline that is complete and sound. False when memory runs out. */
bool splines_add(splines *content, const spline *s);

/* Takes note of a file's unit, "several" where those before have another. */
void splines_set_unit(splines *content, const char *unit);

/* Leaves out all splines but those of `keep`, [splines by their numbers]; the numbers stay. */
void splines_keep(splines *content, const bool *keep);

/* Releases what a spline being read holds and leaves an empty struct. */
void spline_clear(spline *s);

/* Releases all memory and leaves an empty struct. */
void splines_clear(splines *content);

#endif
