/* Bezier patches by the matrix form as it is published, for each point: S(u, v) = U(u) G V(v)^T, G
   = R P R^T made beforehand, or with BENCH_REMADE 1 (U R) P (R^T V^T), whose products are made
   anew; powers of 2 t - 1 instead of those of t, so that it can be compared at order 12 in float.
   It is what the library's matrix method on devices, two thin products, is compared with. */
#include "../../cl/rules/real.clh"

typedef CLSP_PASTE(CLSP_TYPE, 3) real3;

#ifndef BENCH_ORDER
#define BENCH_ORDER 4
#endif
#ifndef BENCH_REMADE
#define BENCH_REMADE 0
#endif

/* Makes the factors of a point's rows or columns: powers of s, or their product with R. */
static void find_factors(global const real *restrict basis, real s, real *f)
{
    real power = R(1.0);

    for (uint j = 0; j < BENCH_ORDER; j++, power *= s) {
#if BENCH_REMADE
        for (uint k = 0; k < BENCH_ORDER; k++)
            f[k] = MAD(basis[j * BENCH_ORDER + k], power, j > 0 ? f[k] : R(0.0));
#else
        f[j] = power;
#endif
    }
}

/* matrix: G or P, [patches][BENCH_ORDER][BENCH_ORDER][3], basis: R, [BENCH_ORDER][BENCH_ORDER],
   out: [patches][num][num][3] from point `start` on. Item g: point g of those. */
kernel void matrix_point(uint first, uint end, global const real *restrict matrix,
                         global const real *restrict basis, uint num, global real *restrict out,
                         uint start)
{
    const uint g = first + (uint)get_global_id(0);
    if (g >= end) return;

    const uint line = g / num, patch = line / num;
    const uint b = g - line * num, a = line - patch * num;
    const real last = CONVERT_REAL(num - 1);
    global const real *p = matrix + (size_t)patch * (BENCH_ORDER * BENCH_ORDER * 3);
    real x = R(0.0), y = R(0.0), z = R(0.0), u[BENCH_ORDER], v[BENCH_ORDER];

    find_factors(basis, (R(2.0) * CONVERT_REAL(a) - last) / last, u);
    find_factors(basis, (R(2.0) * CONVERT_REAL(b) - last) / last, v);
    for (uint i = 0; i < BENCH_ORDER; i++) {
        for (uint j = 0; j < BENCH_ORDER; j++, p += 3) {
            const real w = u[i] * v[j];
            x = MAD(w, p[0], x);
            y = MAD(w, p[1], y);
            z = MAD(w, p[2], z);
        }
    }
    vstore3((real3)(x, y, z), (size_t)start + g, out);
}
