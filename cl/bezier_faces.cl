/* Index buffers of patches: triangles or quads between the vertices of grids (docs/kernels.md). */
#include "real.clh"

/* CLSP_FACES: indices of a face, 3 or 4. */
#ifndef CLSP_FACES
#define CLSP_FACES 3
#endif

/* One item a cell of a grid of num_u x num_v vertices: item g is cell g % cells of patch first +
   g / cells, cells = (num_u - 1) (num_v - 1), v fastest. Two triangles or one quad,
   counterclockwise from where S_u x S_v points to. out, from offset on: the faces of patch after
   patch; vertices count from that of patch 0. */
kernel void bezier_faces_grid(uint num_u, uint num_v, uint first, uint items, global uint *out,
                              uint2 offset)
{
    const uint g = (uint)get_global_id(0);
    if (g >= items) return;

    const uint across = num_v - 1, cells = (num_u - 1) * across;
    const uint patch = g / cells;
    const uint cell = g - patch * cells;
    const uint a = cell / across;
    const uint b = cell - a * across;
    const uint v = ((first + patch) * num_u + a) * num_v + b;
    const size_t begin = (size_t)first * cells + g;
#if CLSP_FACES == 4
    global uint *const f = out + WIDE(offset) + begin * 4;
    f[0] = v;
    f[1] = v + num_v;
    f[2] = v + num_v + 1;
    f[3] = v + 1;
#else
    global uint *const f = out + WIDE(offset) + begin * 6;
    f[0] = v;
    f[1] = v + num_v;
    f[2] = v + num_v + 1;
    f[3] = v;
    f[4] = v + num_v + 1;
    f[5] = v + 1;
#endif
}
