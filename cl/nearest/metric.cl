/* Projection by a metric of the caller's: queries are multiplied, coordinate by coordinate, by the
   roots of its weights, as control points are, and results are brought back.

   Searches know nothing of the metric. */
#include "nearest_result.clh"

#ifndef CLSP_DIM
#define CLSP_DIM 3
#endif

/* Where the queries of a launch are; offsets in elements. num: of results of each. */
typedef struct metric_range {
    wide points_offset, offset, normals_offset;
    uint has_normals, num, items;
} metric_range;

IN_PLACE real scale_of(real4 scale, uint k)
{
    return k == 0 ? scale.s0 : k == 1 ? scale.s1 : k == 2 ? scale.s2 : scale.s3;
}

/* Multiplies queries, [items][CLSP_DIM]: item g query g. */
kernel void scale_queries(global const real *restrict queries, global real *restrict scaled,
                          metric_range range, real4 scale)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;
    for (uint k = 0; k < CLSP_DIM; k++)
        scaled[(size_t)g * CLSP_DIM + k] =
            queries[WIDE(range.points_offset) + (size_t)g * CLSP_DIM + k] * scale_of(scale, k);
}

/* Brings results, [items][num], back: item g those of query g; and normals, [items][4]. */
kernel void unscale_results(global real *restrict results, global real *restrict normals,
                            metric_range range, real4 scale)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;
    for (uint i = 0; i < range.num; i++)
        for (uint k = 0; k < CLSP_DIM; k++)
            results[WIDE(range.offset) + ((size_t)g * range.num + i) * NEAREST_SIZE +
                    NEAREST_POINT + k] /= scale_of(scale, k);
    if (!range.has_normals) return;
    global real *const normal = normals + WIDE(range.normals_offset) + (size_t)g * 4;
    const real x = normal[0] * scale.s0, y = normal[1] * scale.s1, z = normal[2] * scale.s2;
    const real length = sqrt(x * x + y * y + z * z);
    normal[0] = x / length;
    normal[1] = y / length;
    normal[2] = z / length;
}
