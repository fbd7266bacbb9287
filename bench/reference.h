/* Points of a Bezier patch in long double, for checking what was timed. It shares nothing with the
 * library. */
#ifndef BENCH_REFERENCE_H
#define BENCH_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

/* The Bernstein values B_0(t) .. B_{order - 1}(t) of degree order - 1, by de Casteljau's triangle,
   for the parameter t = sample / (num - 1), or 0 where num is 1. */
void bench_bernstein(size_t order, size_t sample, size_t num, long double *values);

/* Stores a number in an array of double or float. */
void bench_store(bool is_double, void *to, size_t index, double value);

/* Fills tables [order][num] of Bernstein values and their derivatives. order: at most
   BENCH_ORDER_MAX. */
enum { BENCH_ORDER_MAX = 1001 };
void bench_bernstein_tables(size_t order, size_t num, bool is_double, void *values, void *slopes);

/* Makes clamped uniform knots, [controls + order], as the library has them by default. */
void bench_clamped_knots(size_t order, size_t controls, bool is_double, void *knots);

/* A patch of control points [order][order][3] at two rows of Bernstein values. */
void bench_reference_point(size_t order, const double *points, const long double *at_u,
                           const long double *at_v, long double point[3]);

/* Control points [order][order][3] in powers of s = 2 t - 1 in both directions, [order][order][3],
   the power of u first. order is at most 16. */
void bench_power_points(size_t order, const double *points, double *in_powers);

/* Fills [order][order] with R: the coefficient of s^j in the Bernstein polynomial k at [j][k]. */
void bench_power_basis(size_t order, double *r);

/* Numbers in [-1, 1], representable in float, the same in every run. */
void bench_random_fill(double *values, size_t count);

/* The next of a series of evenly spread integers below limit. */
size_t bench_random_below(unsigned long long *state, size_t limit);

#endif
