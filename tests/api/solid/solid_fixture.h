/* What the tests of solids share: the meshes of cases with points, plans, and evaluation into
   doubles. */
#ifndef SOLID_FIXTURE_H
#define SOLID_FIXTURE_H

#include "support.h"

#include <clspline/clspline.h>

#include "solid_cases.h"

/* The context of a program's tests, between a group's setup and its teardown. */
extern clsp_context *ctx;
int solid_open(void **state);
int solid_close(void **state);

/* Runs a program's tests in such a context; and where the host makes what that one's device would,
   in one whose device has the kernels of a GPU: the limits of the second one. */
#define solid_run_tests(tests) solid_run(#tests, tests, sizeof(tests) / sizeof((tests)[0]))
int solid_run(const char *name, const struct CMUnitTest *tests, size_t num);
extern const char *solid_limits; /* NULL: of the first one */

/* A mesh, and its points with so many dim: x, y, z and others. */
typedef struct model {
    clsp_solid_mesh *mesh;
    clsp_solid_counts counts;
    uint32_t dim;
    double *points;   /* [vertices][dim] */
    uint32_t *corner; /* [cells][8], by bits */
    const uint32_t *crease;
    size_t num_creases;
    double scale;
} model;

clsp_solid_mesh *solid_mesh_of(const solid_case *solid);

/* Gives a case's points a number of dim. Coordinates are exact in float. */
model solid_model_of(const solid_case *solid, uint32_t dim);
void solid_model_free(model *m);

/* Reads a machine part of tests/data. */
enum { MACHINE_PARTS = 2 };
extern const char *const machine_parts[MACHINE_PARTS];
solid_case read_machine_part(const char *name);

/* Makes a plan with a model's points. */
clsp_solid_plan *solid_plan_of(const model *m, const clsp_solid_desc *desc);

/* Evaluates cells by the device, into memory of any kind. */
clsp_status solid_eval_by_device(clsp_solid_plan *plan, clsp_range cells, clsp_output out);

/* Evaluates a list by the device or the host; default: by a call without a share. */
clsp_status solid_eval_list(clsp_solid_plan *plan, const clsp_points *points, clsp_output out,
                            clsp_schedule schedule);

/* Evaluates by the device into doubles, `reals` elements a cell. */
double *solid_eval_all(clsp_solid_plan *plan, clsp_range cells, size_t reals);

/* Returns the attribute that a derivative is, by[a] times in direction a; POINT without any. */
uint32_t solid_attribute(const uint32_t by[3]);

double solid_sample_at(const clsp_axis *axis, uint32_t a);

/* Sums points of three dim by the weights at a parameter, and returns how far that is from a
   value. */
double off_by_weights(clsp_solid_plan *plan, const clsp_solid_param *param, const double *points,
                      const double value[3]);

/* The place in VTK's order of the corner at (u, v, w) = bits 0, 1 and 2, and the other way round.
 */
extern const uint8_t vtk_corner[8];

extern const clsp_axis axes_of_4[3], odd_axes[3], inner_axes[3], axes_of_9[3];

#endif
