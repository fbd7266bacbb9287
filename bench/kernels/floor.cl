/* What a device can do at best: kernels that only store, only copy, only multiply and add, or do
   nothing. Each exists in several forms, and the fastest counts, so that no device is judged by
   a form that does not suit it.

   Every kernel works on items first .. end - 1, one to a work-item. */
#include "../../cl/rules/real.clh"

#define ITEM                                                                                       \
    const uint g = first + (uint)get_global_id(0);                                                 \
    if (g >= end) return

/* Vectors of 16 reals of an item in the forms called strip. */
#define STRIP 32

kernel void empty(uint first, uint end)
{
}

/* ---- stores: packed reals, none left out ---- */

kernel void store_flat(uint first, uint end, global real *restrict out, real value)
{
    ITEM;
    out[g] = value;
}

kernel void store_2(uint first, uint end, global real *restrict out, real value)
{
    ITEM;
    vstore2((real2)(value), g, out);
}

kernel void store_3(uint first, uint end, global real *restrict out, real value)
{
    ITEM;
    vstore3((real3)(value), g, out);
}

kernel void store_4(uint first, uint end, global real *restrict out, real value)
{
    ITEM;
    ((global real4 *)out)[g] = (real4)(value);
}

kernel void store_16(uint first, uint end, global real *restrict out, real value)
{
    ITEM;
    ((global real16 *)out)[g] = (real16)(value);
}

kernel void store_strip(uint first, uint end, global real *restrict out, real value)
{
    ITEM;
    global real16 *const strip = (global real16 *)out + (size_t)g * STRIP;
    for (uint k = 0; k < STRIP; k++) strip[k] = (real16)(value);
}

/* ---- copies ---- */

kernel void copy_2(uint first, uint end, global real *restrict out, global const real *restrict in)
{
    ITEM;
    vstore2(vload2(g, in), g, out);
}

kernel void copy_4(uint first, uint end, global real *restrict out, global const real *restrict in)
{
    ITEM;
    ((global real4 *)out)[g] = ((global const real4 *)in)[g];
}

kernel void copy_16(uint first, uint end, global real *restrict out, global const real *restrict in)
{
    ITEM;
    ((global real16 *)out)[g] = ((global const real16 *)in)[g];
}

kernel void copy_strip(uint first, uint end, global real *restrict out,
                       global const real *restrict in)
{
    ITEM;
    global real16 *const to = (global real16 *)out + (size_t)g * STRIP;
    global const real16 *const from = (global const real16 *)in + (size_t)g * STRIP;
    for (uint k = 0; k < STRIP; k++) to[k] = from[k];
}

/* ---- arithmetic ---- */

/* Eight chains of x = x * a + b, which hide the latency of an operation, and four steps of them
   to a round, which hide the loop; 32 * BENCH_LANES multiply-adds a round. The sum is stored, so
   that no chain can be left out. */
#define STEP                                                                                       \
    x0 = MAD(x0, va, vb);                                                                          \
    x1 = MAD(x1, va, vb);                                                                          \
    x2 = MAD(x2, va, vb);                                                                          \
    x3 = MAD(x3, va, vb);                                                                          \
    x4 = MAD(x4, va, vb);                                                                          \
    x5 = MAD(x5, va, vb);                                                                          \
    x6 = MAD(x6, va, vb);                                                                          \
    x7 = MAD(x7, va, vb)

#if BENCH_LANES == 1
typedef real reals;
#else
typedef CLSP_PASTE(CLSP_TYPE, BENCH_LANES) reals;
#endif

kernel void multiply_add(uint first, uint end, global real *restrict out, real a, real b,
                         uint rounds)
{
    ITEM;
    reals x0 = (reals)((real)(g & 255)), x1 = x0 + R(1.0), x2 = x0 + R(2.0), x3 = x0 + R(3.0);
    reals x4 = x0 + R(4.0), x5 = x0 + R(5.0), x6 = x0 + R(6.0), x7 = x0 + R(7.0);
    const reals va = (reals)(a), vb = (reals)(b);

    for (uint i = 0; i < rounds; i++) {
        STEP;
        STEP;
        STEP;
        STEP;
    }
    const reals sum = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
#if BENCH_LANES == 1
    out[g] = sum;
#elif BENCH_LANES == 4
    vstore4(sum, g, out);
#elif BENCH_LANES == 8
    vstore8(sum, g, out);
#else
    vstore16(sum, g, out);
#endif
}
