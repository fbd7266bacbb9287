/* What the readers of splines have in common. */
#ifndef CLSPLINE_TOOLS_IO_SPLINE_SCAN_H
#define CLSPLINE_TOOLS_IO_SPLINE_SCAN_H

#include "scanner.h"
#include "splines.h"

/* Fails for want of memory. Returns false. */
bool spline_scan_memory(scanner *s);

/* Fails where the rest of the file cannot hold so many numbers, at the line of the word. */
bool spline_scan_room(scanner *s, uint64_t numbers);

/* Appends a number to an array of them. False, with a message, when memory runs out. */
bool spline_scan_append(scanner *s, double **reals, size_t *count, size_t *capacity, double value);

/* Checks a weight, the number that was read last. */
bool spline_scan_weight(scanner *s, double weight);

/* Makes a spline of Euclidean points rational: multiplies each point by its weight and puts that
   behind it. Weights that are all equal are left out, since such a spline is a polynomial. False,
   with a message for the line, where numbers become too large or memory runs out. */
bool spline_scan_weigh(scanner *s, spline *p, const double *weights, size_t num, uint64_t line);

/* Checks the knots of a direction, which begin at a line. */
bool spline_scan_knots(scanner *s, const spline_type *type, uint32_t direction, uint64_t line);

#endif
