// What is done to a part before its faces are converted.
#ifndef CLSPLINE_TOOLS_CAD_PREPARE_H
#define CLSPLINE_TOOLS_CAD_PREPARE_H

#include "cad_file.h"

namespace cad {

// How close a triangulation comes to the surfaces.
struct mesh_limits {
    double deflection; // largest distance, as a share of the part's diagonal
    double angle;      // largest angle between normals of neighbours, in radians
};

// Removes faces without a surface, and sews loose faces of IGES into shells and solids. Names and
// colours follow their faces.
void repair(part &p, bool is_iges);

// Returns the diagonal of a shape's box; 0 of an empty shape.
double diagonal_of(const TopoDS_Shape &shape);

// Triangulates all faces, so that neighbours share the points of their edge.
void triangulate(const part &p, const mesh_limits &limits);

} // namespace cad

#endif
