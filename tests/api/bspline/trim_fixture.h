/* Parts made of trimmed faces: plans of one surface each, loops, edges, and the same for the
   oracle. */
#ifndef TRIM_FIXTURE_H
#define TRIM_FIXTURE_H

#include <clspline/nearest.h>

#include "trim_ref.h"

enum { PART_FACES = 64, PART_CURVES = 1024, PART_REALS = 1 << 16, NO_EDGE = -1 };

typedef struct part_curves {
    uint32_t num, degree[PART_CURVES], num_controls[PART_CURVES];
    size_t num_knots, num_reals;
    size_t knots_at[PART_CURVES], reals_at[PART_CURVES];
    double knots[PART_REALS], reals[PART_REALS];
} part_curves;

typedef struct part {
    clsp_context *ctx, *own_ctx; /* NULL: it is lent */
    uint32_t num_faces, num_loops;
    uint32_t loop[PART_FACES + 1], curve[PART_CURVES + 1], edge[PART_CURVES];
    double tolerance[PART_CURVES];
    uint8_t turned[PART_FACES];
    part_curves curves, edges;
    clsp_patch_plan *plans[PART_FACES];
    ref_bspline surfaces[PART_FACES];
    double *memory[PART_FACES];
    ref_face *faces[PART_FACES];
    clsp_nearest *search;
} part;

/* A surface: degrees, numbers of control points, knots (NULL: clamped and uniform over [0, 1]) and
   homogeneous control points [u][v][4]; it is polynomial where all weights are 1. */
void part_face(part *p, const unsigned degree[2], const unsigned controls[2],
               const double *const knots[2], const double *points);

/* A face that is a plane: corner + u x + v y, u and v in [0, 1]. */
void part_plane(part *p, const double corner[3], const double x[3], const double y[3]);

/* A cylinder about the z axis, from `low` to `high`, of four quarters and one seam. */
void part_cylinder(part *p, double radius, double low, double high);

/* Begin a loop of the last face; append a curve to it, of an edge or NO_EDGE. points: (w u, w v,
   w); knots NULL: clamped and uniform over [0, 1]. */
void part_loop(part *p);
void part_curve(part *p, unsigned degree, unsigned controls, const double *knots,
                const double *points, int edge);
void part_line(part *p, double u0, double v0, double u1, double v1, int edge);
void part_circle(part *p, double u, double v, double ru, double rv, int edge);

/* Appends an edge, (w x, w y, w z, w), and returns its number. */
int part_edge(part *p, unsigned degree, unsigned controls, const double *knots,
              const double *points, double tolerance);
int part_straight_edge(part *p, const double a[3], const double b[3]);
int part_round_edge(part *p, const double centre[3], const double x[3], const double y[3]);

/* Ends the last loop and makes the search, with oracles; whole: faces have no loops that are said
   to the search. */
void part_make(part *p);
clsp_trims part_trims(const part *p);
void part_free(part **p);

/* Makes a part without faces, on the host where the device has no double precision. */
part *part_new(void);

/* Returns the oracle's distance of a query. */
double part_distance(const part *p, const double *query);

/* Fails unless each of num queries has the nearest point of the part, with a bound that holds. */
void part_check(part *p, const double *queries, size_t num);

#endif
