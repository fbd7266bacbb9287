/* Knots that each curve of a plan has for itself. */
#ifndef CLSPI_OWN_KNOTS_H
#define CLSPI_OWN_KNOTS_H

#include <clspline/bspline.h>

#include "knots.h"
#include "base_plan.h"

typedef struct clspi_own_knots {
    size_t num; /* curves; 0: all have the description's knots */
    double *u;  /* [num][controls + degree + 1] */
} clspi_own_knots;

/* Takes knots of so many curves, sound ones, whose domains hold the axis of a description unless it
   is over all of the description's own domain. *own is empty on error. Errors: as of
   clsp_bspline_set_knots. */
clsp_status clspi_own_knots_take(clspi_own_knots *own, const clspi_plan *plan,
                                 const clsp_bspline_desc *desc, size_t num,
                                 const clsp_input *knots);
void clspi_own_knots_release(clspi_own_knots *own);

/* Checks that the axis of a description lies within all domains, or is over the whole one. */
clsp_status clspi_own_knots_check_axis(const clspi_own_knots *own, clspi_log *log,
                                       const clsp_bspline_desc *desc);

#endif
