/* Knots of one direction of a B-spline, and its basis functions (docs/math.md, 13). */
#ifndef CLSPI_KNOTS_H
#define CLSPI_KNOTS_H

#include <stdbool.h>
#include <stdint.h>

/* The functions N_i, i < controls, over knots u_0 <= .. <= u_{controls + degree}; the domain is
   [u_degree, u_controls]. A span is an interval of positive length between neighbouring knots of
   the domain. */
typedef struct clspi_knots {
    uint32_t degree, controls;
    double *u;
    uint32_t num_spans;
    uint32_t *span; /* the number of the knot where each begins */
} clspi_knots;

/* What is wrong with knots. */
typedef struct clspi_knot_defect {
    const char *what; /* NULL: nothing */
    uint32_t knot;    /* where */
    double value;
} clspi_knot_defect;

/* Looks for a defect of controls + degree + 1 knots, controls above degree: one that is not finite
   or less than the one before, or above it by less than may be divided by, more than degree + 1
   equal ones, a domain that is empty or longer than the largest number. */
clspi_knot_defect clspi_knots_check(const double *u, uint32_t degree, uint32_t controls);

/* Copies sound knots; u NULL: uniform ones over [0, 1] with degree + 1 equal ones at each end.
   False: no memory. clspi_knots_release frees what there is. */
bool clspi_knots_make(clspi_knots *knots, const double *u, uint32_t degree, uint32_t controls);
void clspi_knots_release(clspi_knots *knots);

/* A parameter t + rest, where t is the sum rounded: the distance to a knot nearby is then not off
   by what rounding t alone has changed. */
typedef struct clspi_knot_parameter {
    double t, rest;
} clspi_knot_parameter;

/* Computes (begin (last - a) + end a) / last, brought into the domain; a <= last, last >= 1. */
clspi_knot_parameter clspi_knots_sample(const clspi_knots *knots, double begin, double end,
                                        double a, double last);

/* Finds the span of a parameter, as an index of knots->span: the one that begins at it or before;
   the last one of the domain's end. */
uint32_t clspi_knots_span(const clspi_knots *knots, clspi_knot_parameter at);

/* Finds the span of a sample: where the curve or one of its first two derivatives jumps at a knot
   that the sample rounds to, the one that begins there, and *at becomes that knot. */
uint32_t clspi_knots_sample_span(const clspi_knots *knots, clspi_knot_parameter *at);

/* Computes the values of the functions of degree knots->degree - by that are not 0 in a span,
   degree + 1 of them. Of the by-th derivative they are what the control points' differences are
   summed with, from number knots->span[span] - knots->degree on. */
void clspi_knots_values(const clspi_knots *knots, uint32_t span, uint32_t by,
                        clspi_knot_parameter at, double *values);

/* Computes the Bernstein coefficients of the same functions on a span: Bezier extraction (Borden et
   al., Int. J. Numer. Meth. Engng 87, 2011), by blossoms. matrix: [degree + 1][degree + 1], a row
   for each function. */
void clspi_knots_extraction(const clspi_knots *knots, uint32_t span, uint32_t by, double *matrix);

/* Returns the factor of difference i of control points that makes one of the by-th derivative's, by
   1 or 2; 0 where the function that it belongs to is. */
double clspi_knots_factor(const clspi_knots *knots, uint32_t by, uint32_t i);

#endif
