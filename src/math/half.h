/* IEEE binary16, as results may be stored in. */
#ifndef CLSPI_HALF_H
#define CLSPI_HALF_H

#include <stdint.h>

/* Rounds to the nearest half, ties to even; too large numbers become infinite, NaN stays NaN. */
uint16_t clspi_half(double x);

/* Returns the number that a half stands for. */
double clspi_half_value(uint16_t half);

#endif
