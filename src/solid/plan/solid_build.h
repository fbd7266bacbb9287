/* Programs of solids, built ahead of use. */
#ifndef CLSPI_SOLID_BUILD_H
#define CLSPI_SOLID_BUILD_H

#include "program.h"

/* Builds the programs of plans with 1, 3 and 4 dim, of either precision that there is. */
clsp_status clspi_solid_build(const clspi_build *build);

#endif
