/* Control points of derivatives: the derivative of a Bezier patch of degree n in one direction is
   the patch of degree n - 1 with the control points n (P_{i+1} - P_i) (Farin, 5.3; docs/math.md,
   5). Taking differences first keeps the derivative along an edge whose control points coincide
   exactly 0.

   The host sets CLSP_DIM, all coordinates, and CLSP_BY_U, CLSP_BY_V, CLSP_BY_W, the order of the
   derivative in each direction, together at most 2. */
#include "real.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif
#ifndef CLSP_BY_U
#define CLSP_BY_U 1
#endif
#ifndef CLSP_BY_V
#define CLSP_BY_V 0
#endif
#ifndef CLSP_BY_W
#define CLSP_BY_W 0
#endif

/* The difference in the direction of w, then v, then u, at p. */
real by_w(global const real *p, size_t step)
{
#if CLSP_BY_W == 1
    return p[step] - p[0];
#else
    return p[0];
#endif
}

real by_v(global const real *p, size_t step_v, size_t step_w)
{
#if CLSP_BY_V == 1
    return by_w(p + step_v, step_w) - by_w(p, step_w);
#elif CLSP_BY_V == 2
    return (by_w(p + 2 * step_v, step_w) - by_w(p + step_v, step_w)) -
           (by_w(p + step_v, step_w) - by_w(p, step_w));
#else
    return by_w(p, step_w);
#endif
}

real by_u(global const real *p, size_t step_u, size_t step_v, size_t step_w)
{
#if CLSP_BY_U == 1
    return by_v(p + step_u, step_v, step_w) - by_v(p, step_v, step_w);
#elif CLSP_BY_U == 2
    return (by_v(p + 2 * step_u, step_v, step_w) - by_v(p + step_u, step_v, step_w)) -
           (by_v(p + step_u, step_v, step_w) - by_v(p, step_v, step_w));
#else
    return by_v(p, step_v, step_w);
#endif
}

/* n!/(n - by)! */
real factor(uint order, uint by)
{
    const real n = CONVERT_REAL(order - 1);
    return by == 0 ? R(1.0) : by == 1 ? n : n * (n - R(1.0));
}

/* points: [patches][order_u][order_v][order_w][CLSP_DIM]; orders of at least CLSP_BY_* + 1 each.
   out: [patches][order_u - CLSP_BY_U][order_v - CLSP_BY_V][order_w - CLSP_BY_W][CLSP_DIM]. Item g
   makes line g of the output, one i, j of one patch, from line first on. */
kernel void bezier_hodograph(global const real *restrict points, uint order_u, uint order_v,
                             uint order_w, uint2 first, uint items, global real *restrict out)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const uint num_u = order_u - CLSP_BY_U, num_v = order_v - CLSP_BY_V;
    const uint num_w = order_w - CLSP_BY_W;
    const size_t line = WIDE(first) + g;
    const size_t block = line / num_v;
    const size_t j = line - block * num_v;
    const size_t patch = block / num_u;
    const size_t i = block - patch * num_u;
    const size_t step_v = (size_t)order_w * CLSP_DIM, step_u = order_v * step_v;
    global const real *const p = points + (patch * order_u + i) * step_u + j * step_v;
    global real *const to = out + line * num_w * CLSP_DIM;
    const real scale =
        factor(order_u, CLSP_BY_U) * factor(order_v, CLSP_BY_V) * factor(order_w, CLSP_BY_W);

    for (uint k = 0; k < num_w * CLSP_DIM; k++)
        to[k] = scale * by_u(p + k, step_u, step_v, CLSP_DIM);
}
