/* Samples of cells at multiples of 2^-k without a plan: a mesh that is refined k times has them as
   its vertices, whose limits have closed forms. Where nearly every cell is of a class of its own,
   this takes a part of the time and memory that tables for all of them would. */
#ifndef CLSPLINE_TOOLS_SOLID_DYADIC_H
#define CLSPLINE_TOOLS_SOLID_DYADIC_H

#include "solid_model.h"

typedef struct solid_dyadic {
    uint32_t samples; /* along each direction: 2^k + 1 */
    size_t corners;   /* of the refined cells of a cell */
    uint32_t *place;  /* [samples^3]: which of these each sample is, w fastest */
    uint32_t *index;  /* [cells][corners]: vertices of the refined mesh */
    double *limits;   /* [its vertices][channels]; NULL: there are none */
} solid_dyadic;

/* Tells whether so many samples along each direction of a model's cells are made best in this way:
   there are 2^k + 1, cells are unlike, and refined they are few enough. The index must be there.
   False also without memory. */
bool solid_dyadic_is_best(const solid_model *m, uint32_t samples);

/* Makes the limits of all samples. To be closed whatever happens. False with a complaint. */
bool solid_dyadic_open(solid_dyadic *d, const solid_model *m, uint32_t samples);

/* Copies the samples of some cells: [count][samples^3][channels]. */
void solid_dyadic_copy(const solid_dyadic *d, uint32_t channels, size_t first, size_t count,
                       double *to);

void solid_dyadic_close(solid_dyadic *d);

#endif
