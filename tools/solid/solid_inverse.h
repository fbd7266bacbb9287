/* Parameters of a cell at which its limit is a given point: by Newton's method on the cubics
   through the cell's 4 x 4 x 4 samples, which are the limit itself in regular cells and near it in
   others. */
#ifndef CLSPLINE_TOOLS_SOLID_INVERSE_H
#define CLSPLINE_TOOLS_SOLID_INVERSE_H

#include <stdbool.h>
#include <stddef.h>

enum { INVERSE_SAMPLES = 4 };

/* A cell as it is searched. */
typedef struct inverse_cell {
    const double *samples; /* [4][4][4][channels], x, y, z first */
    size_t channels;
    double low[3], high[3]; /* the box around the samples */
    double reach;           /* no point of the cell is further from all samples */
} inverse_cell;

/* Where a point may be in a cell. */
typedef struct inverse_place {
    double t[3];
    double inverse[9]; /* of the Jacobian, near enough for steps to converge: [3 parameters][3] */
    double distance;   /* of the cubics' point from the one that is looked for */
} inverse_place;

/* Gets ready to search a cell. */
inverse_cell inverse_cell_of(const double *samples, size_t channels);

/* Finds where a point is in a cell, by the cubics. False: so far from all samples that it is not in
   the cell at all. */
bool inverse_find(const inverse_cell *c, const double point[3], inverse_place *place);

/* Improves an inverse after a step of the parameters by what it changed (Broyden's good update). */
void inverse_update(double inverse[9], const double step[3], const double change[3]);

/* Moves parameters by the step that an inverse gives for an error of the point, within [0, 1].
   Returns the largest change. */
double inverse_step(const double inverse[9], const double error[3], double t[3], double step[3]);

/* Moves parameters by a damped step of Gauss and Newton's for an error (Levenberg and Marquardt's),
   within [0, 1]; what is at an end and would leave it stays. slope: the derivatives by the three
   parameters, of which those that stay become 0. */
void inverse_damped(double slope[3][3], const double error[3], double damping, double t[3]);

#endif
