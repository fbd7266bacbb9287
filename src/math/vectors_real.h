/* Vectors of the type `real`: as many lanes as a register of the level holds, one where compilers
   have no vector types, and what C has no operators for. A file that includes this one defines
   real and REAL_BYTES, and VECTOR_BYTES where its vectors are shorter. Vectors are passed to
   inlined functions alone: others would pass them by the rules of another level. */
#ifndef CLSPI_VECTORS_REAL_H
#define CLSPI_VECTORS_REAL_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "level.h"

#ifndef VECTOR_BYTES
#define VECTOR_BYTES CLSPI_WIDTH
#endif

#if VECTOR_BYTES > 0
#define LANES (VECTOR_BYTES / REAL_BYTES)
typedef real vec CLSPI_VECTOR(VECTOR_BYTES);
typedef real any_vec __attribute__((vector_size(VECTOR_BYTES), aligned(REAL_BYTES), may_alias));
#if REAL_BYTES == 4
typedef int32_t vec_mask CLSPI_VECTOR(VECTOR_BYTES);
#else
typedef int64_t vec_mask CLSPI_VECTOR(VECTOR_BYTES);
#endif
#else
#define LANES 1
typedef real vec;
typedef real any_vec;
typedef int vec_mask;
#endif

/* ---- memory ---- */

/* Loads and stores a vector that is aligned as a real is. */
CLSPI_INLINE vec load_vec(const real *from)
{
    return *(const any_vec *)from;
}

CLSPI_INLINE void store_vec(real *to, vec x)
{
    *(any_vec *)to = x;
}

/* Stores a vector of floats as halves, where the level has that. */
#define HAS_HALVES (REAL_BYTES == 4 && VECTOR_BYTES >= 32)
CLSPI_INLINE void store_halves(uint16_t *to, vec x)
{
#if HAS_HALVES && VECTOR_BYTES == 64
    const short half CLSPI_VECTOR(32) =
        __builtin_ia32_vcvtps2ph512_mask(x, 0, (short CLSPI_VECTOR(32)){0}, (uint16_t)-1);
    memcpy(to, &half, sizeof half);
#elif HAS_HALVES
    const short half CLSPI_VECTOR(16) = __builtin_ia32_vcvtps2ph256(x, 0);
    memcpy(to, &half, sizeof half);
#else
    (void)to;
    (void)x;
#endif
}

/* ---- lanes ---- */

/* Returns a vector of equal lanes: -0 + x is x. */
CLSPI_INLINE vec all_lanes(real x)
{
    return x - (vec){0};
}

/* Returns the lanes of a where the mask has all bits, those of b where it has none. */
CLSPI_INLINE vec select_lanes(vec_mask mask, vec a, vec b)
{
#if VECTOR_BYTES > 0
    return (vec)((mask & (vec_mask)a) | (~mask & (vec_mask)b));
#else
    return mask ? a : b;
#endif
}

CLSPI_INLINE vec abs_lanes(vec x)
{
#if VECTOR_BYTES > 0
    return (vec)((vec_mask)x & (REAL_BYTES == 4 ? INT32_MAX : INT64_MAX));
#else
    return x < 0 ? -x : x;
#endif
}

CLSPI_INLINE vec max_lanes(vec a, vec b)
{
    return select_lanes(a > b, a, b);
}

CLSPI_INLINE vec min_lanes(vec a, vec b)
{
    return select_lanes(a < b, a, b);
}

CLSPI_INLINE vec sqrt_lanes(vec x)
{
    real lane[LANES];

    memcpy(lane, &x, sizeof lane);
    for (int k = 0; k < LANES; k++)
        lane[k] = REAL_BYTES == 4 ? (real)sqrtf((float)lane[k]) : (real)sqrt((double)lane[k]);
    memcpy(&x, lane, sizeof x);
    return x;
}

/* Returns 1 / sqrt(x), to two units in the last place, of lanes that are neither 0 nor subnormal:
   where processors estimate that to 14 bits, each step of Newton's iteration doubles them, in a
   third of the time of a root and a division. */
CLSPI_INLINE vec inverse_root(vec x)
{
#if VECTOR_BYTES == 64
#if REAL_BYTES == 4
    vec y = (vec)__builtin_ia32_rsqrt14ps512_mask(x, x, (uint16_t)-1);
    enum { STEPS = 1 };
#else
    vec y = (vec)__builtin_ia32_rsqrt14pd512_mask(x, x, (uint8_t)-1);
    enum { STEPS = 2 };
#endif
    const vec half = x / 2;

    CLSPI_UNROLL(2)
    for (int k = 0; k < STEPS; k++)
        y += y * ((real)0.5 - half * y * y);
    return y;
#else
    return 1 / sqrt_lanes(x);
#endif
}

/* Returns a b + c, rounded once. */
CLSPI_INLINE vec fma_lanes(vec a, vec b, vec c)
{
    real x[LANES], y[LANES], z[LANES];

    store_vec(x, a);
    store_vec(y, b);
    store_vec(z, c);
    for (int k = 0; k < LANES; k++)
        z[k] = REAL_BYTES == 4 ? (real)fmaf((float)x[k], (float)y[k], (float)z[k])
                               : (real)fma((double)x[k], (double)y[k], (double)z[k]);
    return load_vec(z);
}

/* ---- interleaving ---- */

#if LANES == 16
#define EVEN_LANES  0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_LANES   1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define MIXED_LANES 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#elif LANES == 8
#define EVEN_LANES  0, 2, 4, 6, 8, 10, 12, 14
#define ODD_LANES   1, 3, 5, 7, 9, 11, 13, 15
#define MIXED_LANES 0, 2, 4, 6, 9, 11, 13, 15
#elif LANES == 4
#define EVEN_LANES  0, 2, 4, 6
#define ODD_LANES   1, 3, 5, 7
#define MIXED_LANES 0, 2, 5, 7
#elif LANES == 2
#define EVEN_LANES  0, 2
#define ODD_LANES   1, 3
#define MIXED_LANES 0, 3
#endif

enum { INTERLEAVED_MAX = 40 };

/* Makes e[k] of a perfect shuffle of all lanes of n vectors. */
CLSPI_INLINE vec shuffled_lanes(const vec *old, int k, int n)
{
#if LANES > 1
    const int at = 2 * k < n ? 2 * k : 2 * k - n; /* the first of two vectors that lanes are of */

    if (at + 1 == n) return CLSPI_SHUFFLE(old[at], old[0], MIXED_LANES);
    if (2 * k < n) return CLSPI_SHUFFLE(old[at], old[at + 1], EVEN_LANES);
    return CLSPI_SHUFFLE(old[at], old[at + 1], ODD_LANES);
#else
    (void)n;
    return old[k];
#endif
}

/* Makes e[LANES][n] of e[n][LANES], by a perfect shuffle for each bit of a lane's number; n is
   known where it is inlined, so that vectors stay in registers. */
CLSPI_INLINE void interleave_lanes(vec *e, int n)
{
    CLSPI_UNROLL(4)
    for (int step = 1; step < LANES; step *= 2) {
        vec old[INTERLEAVED_MAX];
        CLSPI_UNROLL(18)
        for (int k = 0; k < n; k++)
            old[k] = e[k];
        CLSPI_UNROLL(18)
        for (int k = 0; k < n; k++)
            e[k] = shuffled_lanes(old, k, n);
    }
}

/* Makes a perfect shuffle of n vectors in memory. */
CLSPI_INLINE void shuffle_lanes(vec *to, const vec *from, int n)
{
    int k = 0;

    for (; 2 * k + 1 < n; k++)
        to[k] = shuffled_lanes(from, k, 2 * k + 2);
    if (2 * k < n) {
        to[k] = shuffled_lanes(from, k, n);
        k++;
    }
    for (; k < n; k++)
        to[k] = shuffled_lanes(from + 2 * k - n, 1, 2);
}

/* Makes to[LANES][n] of from[n][LANES], at most INTERLEAVED_MAX vectors in memory, which lose what
   they hold. */
CLSPI_INLINE void interleave_many_lanes(vec *to, vec *from, int n)
{
    for (int step = 1; step < LANES; step *= 4) {
        shuffle_lanes(to, from, n);
        if (2 * step < LANES) shuffle_lanes(from, to, n);
    }
    if (LANES == 1 || LANES == 4 || LANES == 16) memcpy(to, from, (size_t)n * sizeof *to);
}

#endif
