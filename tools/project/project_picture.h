/* A picture of curves or surfaces and of the points that were projected onto them, coloured by
 * distance. */
#ifndef CLSPLINE_TOOLS_PROJECT_PICTURE_H
#define CLSPLINE_TOOLS_PROJECT_PICTURE_H

#include <clspline/clspline.h>

#include "nearest_file.h"
#include "output.h"
#include "project_request.h"
#include "splines.h"

/* The points that have been projected. All zero at first. */
typedef struct project_picture {
    double *points;    /* [num][3] */
    double *distances; /* [num]; NaN: nothing was found */
    size_t num, point_capacity, distance_capacity;
} project_picture;

/* Adds a point of dim coordinates with what was found of it; one that is not finite is left out.
   False when memory runs out. */
bool project_picture_add(project_picture *p, const double *point, uint32_t dim,
                         const nearest_row *row);

/* Draws the model, which has 2 or 3 coordinates, and the points. False with a complaint. */
bool project_picture_write(const project_picture *p, const project_request *r, clsp_context *ctx,
                           const splines *content, const io_progress *progress);

/* Writes the points alone as a PLY file, coloured, with their distances. False with a complaint. */
bool project_picture_write_points(const project_picture *p, const project_request *r,
                                  const io_progress *progress);

void project_picture_clear(project_picture *p);

#endif
