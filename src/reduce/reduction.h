/* What a plan of curves keeps for pieces of a lower degree. */
#ifndef CLSPI_REDUCTION_H
#define CLSPI_REDUCTION_H

#include "patch_plan.h"

typedef struct clspi_reduction clspi_reduction;

/* Releases it and writes NULL; *reduction may be NULL. */
void clspi_reduction_destroy(clspi_reduction **reduction);

#endif
