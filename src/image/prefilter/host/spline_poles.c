#include "spline_poles.h"

#include <math.h>
#include <string.h>

uint32_t clspi_spline_poles(uint32_t order, double poles[POLES_MAX])
{
#define POLES_OF(order) [order] = {POLES_##order},
    static const double table[ORDER_MAX + 1][POLES_MAX] = {EACH_ORDER(POLES_OF)};

    memcpy(poles, table[order], sizeof table[order]);
    return order / 2;
}

uint32_t clspi_pole_halo(double pole, double eps)
{
    return (uint32_t)ceil(log(eps / 4.0) / log(fabs(pole)));
}
