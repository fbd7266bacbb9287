/* The programs of the Bezier family. */
#ifndef CLSPI_BEZIER_BUILD_H
#define CLSPI_BEZIER_BUILD_H

#include "program.h"

/* Builds every program that a plan may choose by itself. */
clsp_status clspi_bezier_build(const clspi_build *build);

#endif
