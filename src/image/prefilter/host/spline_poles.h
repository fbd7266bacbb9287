/* The prefilter of uniform B-splines as recursive filters: its poles (docs/math.md, 18). */
#ifndef CLSPI_SPLINE_POLES_H
#define CLSPI_SPLINE_POLES_H

#include "dialect.h"
#include "spline_orders.clh"

/* Gives the poles within the unit circle of the inverse of B^order(k), the slowest first, and
   returns how many there are: none of orders 0 and 1. order: to ORDER_MAX. */
uint32_t clspi_spline_poles(uint32_t order, double poles[POLES_MAX]);

/* Counts the samples after which what a recursion began with has shrunk to a quarter of eps. */
uint32_t clspi_pole_halo(double pole, double eps);

#endif
