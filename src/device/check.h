/* Small helpers that every layer above OpenCL uses: error hand-over and sizes that cannot overflow.
 */
#ifndef CLSPI_CHECK_H
#define CLSPI_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/* Leaves the function by its label `fail` with `status` set when a call does not succeed. */
#define CLSPI_TRY(call)                                                                            \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CLSP_OK) goto fail;                                                          \
    } while (0)

#define CLSPI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* *product *= factor; false, and *product unchanged, when that does not fit size_t. */
static inline bool clspi_size_mul(size_t *product, size_t factor)
{
    if (factor != 0 && *product > SIZE_MAX / factor) return false;
    *product *= factor;
    return true;
}

static inline size_t clspi_div_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

static inline size_t clspi_round_up(size_t a, size_t multiple)
{
    return clspi_div_up(a, multiple) * multiple;
}

static inline size_t clspi_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t clspi_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
