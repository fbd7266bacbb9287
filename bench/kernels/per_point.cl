/* Bezier patches by the double sum as the textbook has it, the form that others use:
     S(u, v) = sum_i sum_j P_ij B_i(u) B_j(v)
   with one item a point and tables of the Bernstein values. It is what the library is compared
   with. */
#include "../../cl/rules/real.clh"

typedef CLSP_PASTE(CLSP_TYPE, 3) real3;

#ifndef BENCH_ORDER
#define BENCH_ORDER 4
#endif

/* points: [patches][BENCH_ORDER][BENCH_ORDER][3], table: [BENCH_ORDER][num], out:
   [patches][num][num][3] from point `start` on. Item g: point g of those. */
kernel void per_point(uint first, uint end, global const real *restrict points,
                      global const real *restrict table, uint num, global real *restrict out,
                      uint start)
{
    const uint g = first + (uint)get_global_id(0);
    if (g >= end) return;

    const uint b = g % num;
    const uint a = g / num % num;
    global const real *p = points + (size_t)(g / num / num) * (BENCH_ORDER * BENCH_ORDER * 3);
    real x = R(0.0), y = R(0.0), z = R(0.0);

    for (uint i = 0; i < BENCH_ORDER; i++) {
        const real bu = table[i * num + a];
        for (uint j = 0; j < BENCH_ORDER; j++, p += 3) {
            const real w = bu * table[j * num + b];
            x = MAD(w, p[0], x);
            y = MAD(w, p[1], y);
            z = MAD(w, p[2], z);
        }
    }
    vstore3((real3)(x, y, z), (size_t)start + g, out);
}
