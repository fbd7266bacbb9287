/* What distances are measured to, for colours: the curves or surfaces of a file, or the points of
   any other file. */
#ifndef CLSPLINE_TOOLS_DISTANCE_SET_H
#define CLSPLINE_TOOLS_DISTANCE_SET_H

#include <clspline/clspline.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct distance_set distance_set;

/* Reads a file: of curves or surfaces of three coordinates (.g2, .json, .bv), which are projected
   onto by the context, or of points (point_file.h). NULL with a complaint. ctx and path must
   outlive it. */
distance_set *distance_set_open(clsp_context *ctx, const char *path);

/* Finds the distances from places, [num][3], to the nearest curve, surface or point: NaN for places
   that are not finite. Complains on failure. */
bool distance_set_find(distance_set *d, const double *places, size_t num, double *distances);

/* Releases a set, which may be NULL. */
void distance_set_close(distance_set *d);

#endif
