/* Steps towards parameters at which a map has a given point. */
#ifndef CLSPLINE_TOOLS_SOLID_INVERSE_H
#define CLSPLINE_TOOLS_SOLID_INVERSE_H

/* Computes the inverse of a Jacobian, or, where it has none, what is nearest to one. slope: the
   derivatives by the three parameters. inverse: [3 parameters][3]. */
void inverse_of(double slope[3][3], double inverse[9]);

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
