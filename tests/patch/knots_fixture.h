/* A family of the tests' own: B-splines over given knots, with banded tables and factors of their
   own for differences. */
#ifndef TESTS_KNOTS_FIXTURE_H
#define TESTS_KNOTS_FIXTURE_H

#include "../support.h"

#include "patch_plan.h"

enum { KNOTS_MAX = 64 };

/* A direction: degree p, `controls` control points, controls + p + 1 knots that do not fall. */
typedef struct knots {
    uint32_t degree, controls;
    double u[KNOTS_MAX];
} knots;

typedef struct knots_plan {
    clsp_patch_plan tensor; /* first */
    knots direction[3];
    double factors[3][2][KNOTS_MAX];
} knots_plan;

/* Knots with spans of unequal lengths and one double knot, over [low, high]. */
knots knots_make(uint32_t degree, uint32_t controls, double low, double high);

/* Fills a description for these directions: dimension 3, points alone. */
clspi_tensor_desc knots_desc(const knots *direction, uint32_t directions, const uint32_t nums[3]);

/* Makes a plan; the description's basis is set here. */
knots_plan *knots_plan_create(clsp_context *ctx, const clspi_tensor_desc *desc,
                              const knots *direction);
void knots_plan_destroy(knots_plan **plan);

/* Evaluates the by-th derivative of basis function i at t, by the recursion of the definition. At
   the end of the knots the last functions count as continued. */
long double knots_value(const knots *k, uint32_t i, uint32_t by, long double t);

#endif
