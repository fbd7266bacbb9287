/* IEEE binary16, as pixels, coefficients and results may be stored in: conversions without
   branches, which compilers turn into vectors where they stand in a loop. */
#ifndef CLSPI_HALF_H
#define CLSPI_HALF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "level.h"

/* The bits of floats. */
enum {
    CLSPI_FLOAT_INFINITY = 0x7f800000,
    CLSPI_FLOAT_HALF_MIN = 0x38800000, /* 2^-14, the smallest normal half */
    CLSPI_FLOAT_HALF_END = 0x47800000, /* 2^16, beyond the largest half */
    CLSPI_FLOAT_ONE_HALF = 0x3f000000  /* 0.5 */
};

/* Chooses by masks, where compilers would make a branch. */
CLSPI_INLINE int32_t clspi_either(bool is_first, int32_t first, int32_t second)
{
    return second ^ ((first ^ second) & -(int32_t)is_first);
}

/* Rounds to the nearest half, ties to even; too large numbers become infinite. NaN stays NaN, with
   the first of its bits, as processors' own conversions have it. */
CLSPI_INLINE uint16_t clspi_half_of_float(float x)
{
    int32_t bits, small;

    memcpy(&bits, &x, sizeof bits);
    const int32_t sign = bits >> 16 & 0x8000, size = bits & INT32_MAX;
    memcpy(&x, &size, sizeof x);
    x += 0.5f; /* whose last bit is the smallest half, so that this rounds subnormal ones */
    memcpy(&small, &x, sizeof small);
    const int32_t even = size >> 13 & 1; /* 13 bits are dropped, and the exponent has 112 less */
    const int32_t normal = (size - (112 << 23) + 0xfff + even) >> 13;
    const int32_t large = clspi_either(size < CLSPI_FLOAT_HALF_END, normal, 0x7c00);
    const int32_t nan = clspi_either(size > CLSPI_FLOAT_INFINITY, 0x200 | (size >> 13 & 0x3ff), 0);
    const int32_t half =
        clspi_either(size < CLSPI_FLOAT_HALF_MIN, small - CLSPI_FLOAT_ONE_HALF, large | nan);
    return (uint16_t)(sign | half);
}

/* Returns a float that rounds to the same half as a double: what is cut off the double's bits is
   kept as a last bit that is 1, so that the double is rounded once. */
CLSPI_INLINE float clspi_float_for_half(double x)
{
    const uint64_t cut = (UINT64_C(1) << 29) - 1;
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits = (bits | ((bits & cut) + cut)) & ~cut;
    memcpy(&x, &bits, sizeof x);
    return (float)x;
}

CLSPI_INLINE uint16_t clspi_half(double x)
{
    return clspi_half_of_float(clspi_float_for_half(x));
}

/* Returns the number that a half stands for. */
CLSPI_INLINE float clspi_half_value(uint16_t half)
{
    const int32_t size = (half & 0x7fff) << 13;
    const int32_t to_normal = 112 << 23, to_special = 224 << 23, to_small = 113 << 23;
    const int32_t large = size + clspi_either(size < 31 << 23, to_normal, to_special);
    const int32_t small = size + to_small;
    int32_t bits;
    float x, least;

    memcpy(&x, &small, sizeof x);
    memcpy(&least, &to_small, sizeof least);
    x -= least; /* exact: a subnormal half is a multiple of the smallest */
    memcpy(&bits, &x, sizeof bits);
    bits = clspi_either(size < 1 << 23, bits, large) | (int32_t)((uint32_t)(half & 0x8000) << 16);
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Converts eight at once where the processor has an instruction for it; returns how many it did. */
CLSPI_INLINE size_t clspi_halves_by_eight(uint16_t *restrict to, const float *restrict from,
                                          size_t num)
{
    size_t k = 0;

#if defined(__F16C__) && defined(CLSPI_VECTOR)
    typedef float eight_floats CLSPI_VECTOR(32);
    for (eight_floats x; k + 8 <= num; k += 8) {
        memcpy(&x, from + k, sizeof x);
        const short halves CLSPI_VECTOR(16) = __builtin_ia32_vcvtps2ph256(x, 0); /* to nearest */
        memcpy(to + k, &halves, sizeof halves);
    }
#else
    (void)to;
    (void)from;
    (void)num;
#endif
    return k;
}

CLSPI_INLINE void clspi_halves_of_floats(uint16_t *restrict to, const float *restrict from,
                                         size_t num)
{
    for (size_t k = clspi_halves_by_eight(to, from, num); k < num; k++)
        to[k] = clspi_half_of_float(from[k]);
}

CLSPI_INLINE void clspi_halves_of_doubles(uint16_t *restrict to, const double *restrict from,
                                          size_t num)
{
    enum { BLOCK = 64 };
    float block[BLOCK];

    for (size_t first = 0; first < num; first += BLOCK) {
        const size_t count = num - first < BLOCK ? num - first : BLOCK;
        for (size_t k = 0; k < count; k++)
            block[k] = clspi_float_for_half(from[first + k]);
        clspi_halves_of_floats(to + first, block, count);
    }
}

/* Rounds `num` numbers of either precision, as clspi_half does. */
#define clspi_halves(to, from, num)                                                                \
    _Generic(*(from), float                                                                        \
             : clspi_halves_of_floats, double                                                      \
             : clspi_halves_of_doubles)(to, from, num)

#endif
