/* A clock that only goes forward. */
#ifndef CLSPI_CLOCK_H
#define CLSPI_CLOCK_H

#include <time.h>

/* Reads the clock, in ms. */
static inline double clspi_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

#endif
