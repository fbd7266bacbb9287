/* Control points of derivatives (docs/math.md, 5): the derivative of a sum of Bernstein polynomials
   of degree n in one direction is that of degree n - 1 with the control points n (P_{i+1} - P_i)
   (Farin, 5.3); of a B-spline each difference has a factor of its own. Taking differences first
   keeps the derivative along an edge whose control points coincide exactly 0.

   The host sets CLSP_DIM, all coordinates, and CLSP_BY_U, CLSP_BY_V, CLSP_BY_W, the order of the
   derivative in each direction, at most 2; CLSP_SCALED 1 where differences have factors of
   their own, 0 where they have those of Bernstein polynomials. */
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
#ifndef CLSP_SCALED
#define CLSP_SCALED 0
#endif

/* Multiplies a difference by its factor, f[i], where it has one. */
#if CLSP_SCALED
#define SCALE(f, i, x) ((f)[i] * (x))
#else
#define SCALE(f, i, x) (x)
#endif

/* Takes the difference in the direction of w at control point k, which p points to. f, f2: factors
   of first and of second differences. */
static real by_w(global const real *p, size_t step, global const real *f, global const real *f2,
                 size_t k)
{
#if CLSP_BY_W == 1
    return SCALE(f, k, p[step] - p[0]);
#elif CLSP_BY_W == 2
    return SCALE(f2, k,
                 SCALE(f, k + 1, p[2 * step] - p[step]) - SCALE(f, k, p[step] - p[0]));
#else
    return p[0];
#endif
}

/* Factors of first and of second differences along v and w. */
#define FACTORS     global const real *fv, global const real *fv2, global const real *fw, \
                    global const real *fw2
#define THE_FACTORS fv, fv2, fw, fw2

/* Takes the difference in the direction of v, of differences in w, at control point j, k, which p
   points to. */
static real by_v(global const real *p, size_t step_v, size_t step_w, FACTORS, size_t j, size_t k)
{
#define W(at) by_w(at, step_w, fw, fw2, k)
#if CLSP_BY_V == 1
    return SCALE(fv, j, W(p + step_v) - W(p));
#elif CLSP_BY_V == 2
    return SCALE(fv2, j,
                 SCALE(fv, j + 1, W(p + 2 * step_v) - W(p + step_v)) -
                     SCALE(fv, j, W(p + step_v) - W(p)));
#else
    return W(p);
#endif
}

/* Computes n!/(n - by)! of the degree n = controls - 1. */
static real falling(uint controls, uint by)
{
    const real n = CONVERT_REAL(controls - 1);
    return by == 0 ? R(1.0) : by == 1 ? n : n * (n - R(1.0));
}

/* Control points of a patch in each direction, at least CLSP_BY_* + 1, and the lines that a launch
   makes: num_lines lines of the output, each one i, j of one patch, from first_line on. */
typedef struct difference_range {
    wide first_line;
    uint controls_u, controls_v, controls_w, num_lines;
    uint stride_factors;
} difference_range;

/* Makes the control points of a derivative. points:
   [patches][controls_u][controls_v][controls_w][CLSP_DIM]. out: [patches][controls_u -
   CLSP_BY_U][controls_v - CLSP_BY_V][controls_w - CLSP_BY_W][CLSP_DIM]. factors: of each direction
   those of first and of second differences, [3][2][stride_factors]; not read without
   CLSP_SCALED. */
kernel void differences(global const real *restrict points, global const real *restrict factors,
                        global real *restrict out, difference_range at)
{
    const uint g = (uint)get_global_id(0);
    if (g >= at.num_lines) return;

    const uint num_u = at.controls_u - CLSP_BY_U, num_v = at.controls_v - CLSP_BY_V;
    const uint num_w = at.controls_w - CLSP_BY_W;
    const size_t line = WIDE(at.first_line) + g;
    const size_t block = line / num_v;
    const size_t j = line - block * num_v;
    const size_t patch = block / num_u;
    const size_t i = block - patch * num_u;
    const size_t step_v = (size_t)at.controls_w * CLSP_DIM, step_u = at.controls_v * step_v;
    global const real *const p = points + (patch * at.controls_u + i) * step_u + j * step_v;
    global real *const to = out + line * num_w * CLSP_DIM;
    global const real *const fu = factors, *const fv = fu + 2 * at.stride_factors;
    global const real *const fw = fv + 2 * at.stride_factors;
    global const real *const fu2 = fu + at.stride_factors, *const fv2 = fv + at.stride_factors;
    global const real *const fw2 = fw + at.stride_factors;
    const real scale = CLSP_SCALED ? R(1.0)
                                   : falling(at.controls_u, CLSP_BY_U) *
                                         falling(at.controls_v, CLSP_BY_V) *
                                         falling(at.controls_w, CLSP_BY_W);

    for (uint n = 0; n < num_w * CLSP_DIM; n++) {
        const size_t k = n / CLSP_DIM;
        global const real *const q = p + n;
#define V(at) by_v(at, step_v, CLSP_DIM, THE_FACTORS, j, k)
#if CLSP_BY_U == 1
        to[n] = scale * SCALE(fu, i, V(q + step_u) - V(q));
#elif CLSP_BY_U == 2
        to[n] = scale * SCALE(fu2, i,
                              SCALE(fu, i + 1, V(q + 2 * step_u) - V(q + step_u)) -
                                  SCALE(fu, i, V(q + step_u) - V(q)));
#else
        to[n] = scale * V(q);
#endif
    }
}
