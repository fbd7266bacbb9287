/* What lets C read the rules of cl/rules, which are C11 and OpenCL C alike: the words that real.clh
   gives kernels, which is left out then. A C file includes this header first, and rules after it.
   Rules of numbers ask for `real` and R(x) too, which a file of one precision has defined before.
   What rules may say besides is what both languages know of scalars. */
#ifndef CLSPI_DIALECT_H
#define CLSPI_DIALECT_H

#include <stdbool.h>
#include <stdint.h>

#define CLSP_REAL_CLH
#ifdef __GNUC__
#define RULE static __attribute__((unused)) /* not inline: rules are rarely what takes time */
#else
#define RULE static inline
#endif
#define IN_PLACE static inline

#define GLOBAL

typedef unsigned int uint; /* as system headers may have it too */

/* Vectors of kernels, as far as rules hand such on. */
typedef struct int2 {
    int s0, s1;
} int2;

typedef struct int4 {
    int s0, s1, s2, s3;
} int4;

typedef struct uint2 {
    uint s0, s1;
} uint2;

#define INT2(x, y)       ((int2){x, y})
#define INT4(x, y, z, w) ((int4){x, y, z, w})
#define UINT2(x, y)      ((uint2){x, y})

static inline int min(int x, int y)
{
    return x < y ? x : y;
}

static inline int max(int x, int y)
{
    return x > y ? x : y;
}

static inline int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

#endif
