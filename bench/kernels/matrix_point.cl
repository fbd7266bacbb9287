/* Bezier patches by the matrix form as it is published, S(u, v) = U(u) G V(v)^T for each point, G
   = R P R^T made beforehand; powers of 2 t - 1 instead of those of t, so that it can be compared
   at order 12 in float. It is what the library's matrix method, two thin products, is compared
   with. */
#include "../../cl/rules/real.clh"

typedef CLSP_PASTE(CLSP_TYPE, 3) real3;

#ifndef BENCH_ORDER
#define BENCH_ORDER 4
#endif

/* matrix: G, [patches][BENCH_ORDER][BENCH_ORDER][3], out: [patches][num][num][3] from point `start`
   on. Item g: point g of those. */
kernel void matrix_point(uint first, uint end, global const real *restrict matrix, uint num,
                         global real *restrict out, uint start)
{
    const uint g = first + (uint)get_global_id(0);
    if (g >= end) return;

    const uint line = g / num, patch = line / num;
    const uint b = g - line * num, a = line - patch * num;
    const real last = CONVERT_REAL(num - 1);
    const real s = (R(2.0) * CONVERT_REAL(a) - last) / last;
    const real t = (R(2.0) * CONVERT_REAL(b) - last) / last;
    global const real *p = matrix + (size_t)patch * (BENCH_ORDER * BENCH_ORDER * 3);
    real x = R(0.0), y = R(0.0), z = R(0.0), u = R(1.0);

    for (uint i = 0; i < BENCH_ORDER; i++, u *= s) {
        real w = u;
        for (uint j = 0; j < BENCH_ORDER; j++, p += 3, w *= t) {
            x = MAD(w, p[0], x);
            y = MAD(w, p[1], y);
            z = MAD(w, p[2], z);
        }
    }
    vstore3((real3)(x, y, z), (size_t)start + g, out);
}
