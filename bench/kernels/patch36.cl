/* Bicubic patches at 36 places each, the two ways of a well-known introduction to PyOpenCL with its
   errors put right: patches begin 16 control points apart, all items of a group wait for one
   another, and the last step reads what the second one wrote. Points have four coordinates. */
#include "../../cl/rules/real.clh"

#define PARAMS 36

static real4 cubic(real4 a, real4 b, real4 c, real4 d, real t)
{
    const real s = R(1.0) - t;
    return a * (s * s * s) + b * (R(3.0) * s * s * t) + c * (R(3.0) * s * t * t) + d * (t * t * t);
}

/* points: [patches][4][4], params: [PARAMS] (u, v), out: [patches][PARAMS] from point `start` on.
   Item g makes param g % PARAMS of patch g / PARAMS by five curves; a group of PARAMS items has
   one patch. */
kernel void patch_direct(uint first, uint end, global const real4 *restrict points,
                         global const real2 *restrict params, global real4 *restrict out,
                         uint start)
{
    const uint g = first + (uint)get_global_id(0);
    if (g >= end) return;

    const uint patch = g / PARAMS;
    const real2 uv = params[g - patch * PARAMS];
    global const real4 *const p = points + (size_t)patch * 16;
    const real4 q0 = cubic(p[0], p[1], p[2], p[3], uv.s1);
    const real4 q1 = cubic(p[4], p[5], p[6], p[7], uv.s1);
    const real4 q2 = cubic(p[8], p[9], p[10], p[11], uv.s1);
    const real4 q3 = cubic(p[12], p[13], p[14], p[15], uv.s1);
    out[(size_t)start + g] = cubic(q0, q1, q2, q3, uv.s0);
}

static real4 bilinear(real4 a, real4 b, real4 c, real4 d, real2 uv)
{
    const real4 low = mix(a, b, uv.s1), high = mix(c, d, uv.s1);
    return mix(low, high, uv.s0);
}

/* Makes places of patches by de Casteljau's algorithm on squares of control points: a group of 9
   items makes one place, with 9, 4 and 1 of them at work. Item g: of param g / 9 of all. */
kernel __attribute__((reqd_work_group_size(9, 1, 1)))
void patch_casteljau(uint first, uint end, global const real4 *restrict points,
                     global const real2 *restrict params, global real4 *restrict out, uint start)
{
    local real4 nine[9], four[4];
    const uint param = first / 9 + (uint)get_group_id(0), lane = (uint)get_local_id(0);
    const uint patch = param / PARAMS;
    const real2 uv = params[param - patch * PARAMS];
    global const real4 *const p = points + (size_t)patch * 16 + lane + lane / 3;

    nine[lane] = bilinear(p[0], p[1], p[4], p[5], uv);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 4) {
        const uint k = lane + lane / 2;
        four[lane] = bilinear(nine[k], nine[k + 1], nine[k + 3], nine[k + 4], uv);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        out[(size_t)start + param] = bilinear(four[0], four[1], four[2], four[3], uv);
}
