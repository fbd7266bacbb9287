/* The worst of many errors. */
#ifndef TESTS_WORST_H
#define TESTS_WORST_H

#include <math.h>

/* The larger one; infinity where one is NaN, which fmax would pass over. */
static inline double support_worse(double worst, double error)
{
    return isnan(worst) || isnan(error) ? (double)INFINITY : fmax(worst, error);
}

#endif
