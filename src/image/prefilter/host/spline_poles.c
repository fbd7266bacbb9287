#include "spline_poles.h"

#include <math.h>

uint32_t clspi_spline_poles(uint32_t order, double poles[CLSPI_POLES_MAX])
{
    /* by their closed forms, whose differences lose digits: sqrt(8) - 3; sqrt(3) - 2;
       sqrt(664 -+ sqrt(438976)) +- sqrt(304) - 19; sqrt(67.5 -+ sqrt(4436.25)) +- sqrt(26.25) - 6.5
     */
    static const double table[CLSPI_POLES_ORDER_MAX + 1][CLSPI_POLES_MAX] = {
        {0.0, 0.0},
        {0.0, 0.0},
        {-0.17157287525380990239, 0.0},
        {-0.26794919243112270647, 0.0},
        {-0.36134122590022017709, -0.01372542929733912136},
        {-0.43057534709997379185, -0.04309628820326465382}};

    poles[0] = table[order][0];
    poles[1] = table[order][1];
    return order / 2;
}

uint32_t clspi_pole_halo(double pole, double eps)
{
    return (uint32_t)ceil(log(eps / 4.0) / log(fabs(pole)));
}
