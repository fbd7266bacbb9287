/* Points of a mesh that lie on others. */
#ifndef CLSPLINE_TOOLS_IO_NEAR_POINTS_H
#define CLSPLINE_TOOLS_IO_NEAR_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Finds for each point the first one within a tolerance that is one with itself: itself, where
   there is none before it. to: [num]. *others: how many are not one with themselves. False when
   memory runs out. */
bool near_points_find(const double *points, size_t num, double tolerance, uint32_t *to,
                      size_t *others);

#endif
