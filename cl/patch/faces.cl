/* Faces of grids as indices of their vertices. A facet is the square between four samples, of which
   two triangles or a quad are made, and of triangular grids a triangle. One item a facet.

   The host sets CLSP_TRIANGLE 1 for triangular grids.

   On the common grid an item divides to find its patch, on grids of their own it bisects the facets
   before each patch. Where samples run against u or v, but not both, faces are turned round. */
#include "real.clh"
#include "grid_search.clh"

#ifndef CLSP_TRIANGLE
#define CLSP_TRIANGLE 0
#endif

/* Returns a (a - 1) / 2, modulo 2^32. */
static uint triangle_number(uint a)
{
    return a & 1 ? (a - 1) / 2 * a : a / 2 * (a - 1);
}

/* Writes one triangle, turned round where samples are mirrored. */
static void put(global uint *out, uint a, uint b, uint c, uint mirrored)
{
    out[0] = a;
    out[1] = mirrored ? c : b;
    out[2] = mirrored ? b : c;
}

/* The facets of a launch: of num_patches patches from first_patch on, whose grids are num_u x num_v
   with `facets` facets and `vertices` vertices; or, where facets is 0, as nums, prefix and
   facet_prefix say. first_row and skip say after which facet the first patch begins; 0 unless there
   is one patch. base: the index of the first patch's first vertex. Each facet gets per_facet
   indices, mirrored: the other way round. */
typedef struct facet_range {
    wide first_patch, offset;
    uint num_patches, num_u, num_v, facets, vertices;
    uint base, first_row, skip, per_facet, mirrored, items;
} facet_range;

/* Makes the faces of facets: item g those of facet g of the range. nums: [patch][2], of triangular
   grids [patch][1]; prefix and facet_prefix: the vertices and facets before each patch, modulo
   2^32. */
kernel void faces(global const uint *restrict nums, global const uint *restrict prefix,
                  global const uint *restrict facet_prefix, global uint *out, facet_range range)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    uint base = range.base, num_u = range.num_u, num_v = range.num_v;
    uint in_patch = g + range.skip;
    if (range.facets > 0 && range.num_patches > 1) {
        const uint k = g / range.facets;
        base += k * range.vertices;
        in_patch = g - k * range.facets;
    } else if (range.facets == 0) {
        const size_t first = WIDE(range.first_patch);
        const uint k = find_patch(facet_prefix + first, range.num_patches, g);
        in_patch -= facet_prefix[first + k] - facet_prefix[first];
        base += prefix[first + k] - prefix[first];
#if CLSP_TRIANGLE
        num_u = nums[first + k];
#else
        num_u = nums[2 * (first + k)];
        num_v = nums[2 * (first + k) + 1];
#endif
    }
    out += WIDE(range.offset) + (size_t)g * range.per_facet;
#if CLSP_TRIANGLE
    const uint length = 2 * (num_u - range.first_row) - 3;
    const uint row = find_row(length, 2, in_patch);
    const uint in_row = in_patch - (row * length - 2 * triangle_number(row));
    const uint a = range.first_row + row, b = in_row / 2;
    const uint at = base + a * num_u - triangle_number(a) + b, next = at + num_u - a;
    if (in_row & 1)
        put(out, next, next + 1, at + 1, 0);
    else
        put(out, at, next, at + 1, 0);
#else
    const uint row = in_patch / (num_v - 1), b = in_patch - row * (num_v - 1);
    const uint at = base + (range.first_row + row) * num_v + b, next = at + num_v;
    if (range.per_facet == 4) {
        put(out, at, range.mirrored ? at + 1 : next, next + 1, 0);
        out[3] = range.mirrored ? next : at + 1;
    } else {
        put(out, at, next, next + 1, range.mirrored);
        put(out + 3, at, next + 1, at + 1, range.mirrored);
    }
#endif
}
