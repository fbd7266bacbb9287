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

typedef unsigned int uint; /* as system headers may have it too */

static inline int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

#endif
