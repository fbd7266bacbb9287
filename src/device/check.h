/* Small helpers that every layer above OpenCL uses: error hand-over and sizes that cannot overflow.
 */
#ifndef CLSPI_CHECK_H
#define CLSPI_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

/* Returns from the function with the status of a call that does not succeed. */
#define CLSPI_CHECK(call)                                                                          \
    do {                                                                                           \
        const clsp_status check_status = (call);                                                   \
        if (check_status != CLSP_OK) return check_status;                                          \
    } while (0)

/* Leaves the function by its label `fail`, where things are released, with `status` set when a call
   does not succeed. */
#define CLSPI_TRY(call)                                                                            \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != CLSP_OK) goto fail;                                                          \
    } while (0)

#define CLSPI_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Multiplies *product by factor; false, and *product as it was, when that does not fit size_t. */
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

static inline uint64_t clspi_min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline size_t clspi_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
