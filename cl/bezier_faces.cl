/* Faces of grids as indices of their vertices (docs/kernels.md): two triangles or a quad of a cell
   of surfaces, and the faces of triangular grids, which are their own cells. One item a cell.

   The host sets CLSP_TRIANGLE 1 for triangular grids. */
#include "real.clh"
#include "bezier_search.clh"

#ifndef CLSP_TRIANGLE
#define CLSP_TRIANGLE 0
#endif

/* a (a - 1) / 2, modulo 2^32 */
uint triangle_number(uint a)
{
    return a & 1 ? (a - 1) / 2 * a : a / 2 * (a - 1);
}

void put(global uint *out, uint a, uint b, uint c, uint mirrored)
{
    out[0] = a;
    out[1] = mirrored ? c : b;
    out[2] = mirrored ? b : c;
}

/* Item g makes cell g + skip after row first_row of the patches from first_patch on, num_patches of
   them. Their grids are num_u x num_v with `cells` cells and `vertices` vertices; or, when cells is
   0, nums[k] for patch k, with prefix[k] vertices and own_cells[k] cells before it, modulo 2^32.
   first_row and skip are 0 unless there is one patch. base: the index of the first patch's first
   vertex. out, from offset on: per_cell indices of each; mirrored: the other way round. */
kernel void bezier_faces(uint2 first_patch, uint num_patches, uint num_u, uint num_v, uint cells,
                         uint vertices, global const uint2 *restrict nums,
                         global const uint *restrict prefix,
                         global const uint *restrict own_cells, uint base, uint first_row,
                         uint skip, uint per_cell, uint mirrored, uint items,
                         global uint *out, uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    uint in_patch = g + skip;
    if (cells > 0 && num_patches > 1) {
        const uint k = g / cells;
        base += k * vertices;
        in_patch = g - k * cells;
    } else if (cells == 0) {
        const size_t first = WIDE(first_patch);
        const uint k = find_patch(own_cells + first, num_patches, g);
        in_patch -= own_cells[first + k] - own_cells[first];
        base += prefix[first + k] - prefix[first];
        num_u = nums[first + k].s0;
        num_v = nums[first + k].s1;
    }
    out += WIDE(offset) + (size_t)g * per_cell;
#if CLSP_TRIANGLE
    const uint length = 2 * (num_u - first_row) - 3;
    const uint row = find_row(length, 2, in_patch);
    const uint in_row = in_patch - (row * length - 2 * triangle_number(row));
    const uint a = first_row + row, b = in_row / 2;
    const uint at = base + a * num_u - triangle_number(a) + b, next = at + num_u - a;
    if (in_row & 1)
        put(out, next, next + 1, at + 1, 0);
    else
        put(out, at, next, at + 1, 0);
#else
    const uint row = in_patch / (num_v - 1), b = in_patch - row * (num_v - 1);
    const uint at = base + (first_row + row) * num_v + b, next = at + num_v;
    if (per_cell == 4) {
        put(out, at, mirrored ? at + 1 : next, next + 1, 0);
        out[3] = mirrored ? next : at + 1;
    } else {
        put(out, at, next, next + 1, mirrored);
        put(out + 3, at, next + 1, at + 1, mirrored);
    }
#endif
}
