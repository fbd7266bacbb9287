/* Unit normals on edges of surfaces and triangles, also where the tangents do not span a plane:
   there the limit from the inside (docs/math.md, 7), by running error bounds. */
#ifndef CLSPI_LIMIT_NORMAL_H
#define CLSPI_LIMIT_NORMAL_H

#include "patch_jets.h"

/* Bits of the sums that these normals are made of, all with sizes. */
enum { CLSPI_LIMIT_SUMS = 0x77 };

/* Returns what the rounding errors of derivative k of a block's point are relative to, as eps times
   that, of the patch itself. */
double clspi_tangent_error(const clspi_point_shape *shape, const clspi_point_jet *jet, unsigned k,
                           size_t point);

/* Makes the normal S_u x S_v of a block's point, or its limit from the inside, which lies along
   these parts of the directions u and v; (0, 0, 0) where that may be all rounding, too. eps: of the
   precision that tells rounding. */
void clspi_edge_normal(const clspi_point_shape *shape, const clspi_point_jet *jet, size_t point,
                       const double inward[2], double eps, double normal[3]);

#endif
