/* Programs of B-splines, built ahead of use. */
#ifndef CLSPI_BSPLINE_BUILD_H
#define CLSPI_BSPLINE_BUILD_H

#include "program.h"

/* Builds those that plans choose by themselves beyond the ones of other families. */
clsp_status clspi_bspline_build(const clspi_build *build);

#endif
