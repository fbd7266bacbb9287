/* Newton's method for the nearest point of a part of a piece, and what the constants of a leaf tell
   at each of its steps (docs/math.md, 20): of one query, or of several side by side. All is
   arithmetic without branches, which compilers make vectors of. */
#ifndef CLSPI_SURFACE_STEP_H
#define CLSPI_SURFACE_STEP_H

#include <math.h>

typedef double real;

#include "real_words.h"

/* What compilers make vectors of. */
#define LEAST(x, y) least_of(x, y)
#define MOST(x, y)  most_of(x, y)
#ifdef __GNUC__
#define CHOSEN(condition, x, y)                                                                    \
    __extension__({                                                                                \
        const double one = (x), other = (y);                                                       \
        (condition) ? one : other;                                                                 \
    })
#else
#define CHOSEN(condition, x, y) ((condition) ? (x) : (y))
#endif

#include "newton_step.clh"

enum { CLSPI_STEPS = 8 };

/* Steps in leaves, side by side: in each place one of a query. */
typedef struct clspi_surface_steps {
    /* what a leaf has: surface_parts.h */
    double low[2][CLSPI_STEPS], high[2][CLSPI_STEPS];
    double l11[CLSPI_STEPS], l21[CLSPI_STEPS], l22[CLSPI_STEPS];
    double shrink[CLSPI_STEPS], bend[2][CLSPI_STEPS], bend_along[CLSPI_STEPS];
    double spread[CLSPI_STEPS], slack[CLSPI_STEPS];
    double extent[CLSPI_STEPS];   /* of its piece, */
    double moved_by[CLSPI_STEPS]; /* and the rounding of its points */
    /* at the place, where e is the point minus the query */
    double t[2][CLSPI_STEPS], s[2][CLSPI_STEPS]; /* and then at the next place */
    double u[CLSPI_STEPS], v[CLSPI_STEPS];       /* slopes */
    double uu[CLSPI_STEPS], uv[CLSPI_STEPS], vv[CLSPI_STEPS];
    double guu[CLSPI_STEPS], guv[CLSPI_STEPS], gvv[CLSPI_STEPS];
    double square[CLSPI_STEPS]; /* |e|^2 */
    double normal[CLSPI_STEPS]; /* of e, along the leaf's normal */
    double least[CLSPI_STEPS];  /* the squared distance of the nearest point of all */
    double nearer;              /* the share that is not worth looking for */
    /* results */
    double limit[CLSPI_STEPS], near[CLSPI_STEPS]; /* what is, of all and of the piece */
    double bound[CLSPI_STEPS]; /* the squared distance to the leaf is not below */
    double fall[CLSPI_STEPS];  /* of step_within */
} clspi_surface_steps;

/* Finds all bounds, and makes all steps. The bits of a place depend on it alone. */
CLSPI_LEVELS(void, clspi_surface_steps_go, (clspi_surface_steps * steps));
#define clspi_surface_steps_go CLSPI_AT_LEVEL(clspi_surface_steps_go)

#endif
