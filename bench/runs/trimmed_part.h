/* A part of trimmed faces: a plate with 40 round holes and rounded corners, 50 faces in double
   precision. */
#ifndef BENCH_TRIMMED_PART_H
#define BENCH_TRIMMED_PART_H

#include <clspline/bspline.h>
#include <clspline/nearest.h>

enum { PLATE_HOLES = 40, PLATE_FACES = 2 + 4 + 4 + PLATE_HOLES };

typedef struct trimmed_part {
    clsp_context *ctx;
    clsp_patch_plan *plans[PLATE_FACES];
    clsp_nearest *search;
    double size[3]; /* of its box, whose corner is at 0 */
} trimmed_part;

/* Makes the plans and the search; trimmed_part_close must follow in every case. */
clsp_status trimmed_part_open(trimmed_part *p, clsp_context *ctx);
void trimmed_part_close(trimmed_part *p);

/* Puts a point near the faces, or anywhere in the box, by numbers in [0, 1). */
void trimmed_part_point(const trimmed_part *p, int near, const double random[6], double point[3]);

#endif
