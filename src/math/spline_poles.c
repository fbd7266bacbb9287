#include "spline_poles.h"

#include <math.h>

uint32_t clspi_spline_poles(uint32_t order, double poles[CLSPI_POLES_MAX])
{
    switch (order) {
    case 2:
        poles[0] = sqrt(8.0) - 3.0;
        return 1;
    case 3:
        poles[0] = sqrt(3.0) - 2.0;
        return 1;
    case 4:
        poles[0] = sqrt(664.0 - sqrt(438976.0)) + sqrt(304.0) - 19.0;
        poles[1] = sqrt(664.0 + sqrt(438976.0)) - sqrt(304.0) - 19.0;
        return 2;
    case 5:
        poles[0] = sqrt(67.5 - sqrt(4436.25)) + sqrt(26.25) - 6.5;
        poles[1] = sqrt(67.5 + sqrt(4436.25)) - sqrt(26.25) - 6.5;
        return 2;
    default:
        return 0;
    }
}

double clspi_pole_gain(double pole)
{
    return (1.0 - pole) * (1.0 - 1.0 / pole);
}

uint32_t clspi_pole_halo(double pole, double eps)
{
    return (uint32_t)ceil(log(eps / 4.0) / log(fabs(pole)));
}
