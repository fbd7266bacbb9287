// Triangulations of faces whose neighbours share the points of their edge.
#ifndef CLSPLINE_TOOLS_CAD_FACE_MESH_H
#define CLSPLINE_TOOLS_CAD_FACE_MESH_H

#include "face_spline.h"

#include <Poly_Triangulation.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS_Edge.hxx>

#include <array>
#include <map>
#include <vector>

namespace cad {

struct face_mesh {
    std::vector<gp_Pnt2d> params;                 // of the vertices, on the face's B-spline
    std::vector<size_t> nodes;                    // of the vertices, among all points
    std::vector<std::array<size_t, 3>> triangles; // of vertices, those outside to the left
};

// Numbers points of meshes. A point on an edge or at a vertex has one number in all faces there,
// and all points of a pole that of its vertex.
class mesh_nodes {
  public:
    std::vector<gp_Pnt> points;

    // Begins a placed shape, whose faces come next.
    void begin(const TopoDS_Shape &shape);

    // Gives the triangulation of a face in its place; an empty one where there is none.
    face_mesh mesh_of(const TopoDS_Face &face, const parameter_map &map);

  private:
    TopTools_IndexedMapOfShape edges, vertices;
    std::vector<std::vector<size_t>> lines; // points of an edge
    std::map<int, size_t> corners;          // points of vertices

    size_t add(const gp_Pnt &p);
    size_t corner(const TopoDS_Shape &vertex, const gp_Pnt &p);
    void place_edge(const TopoDS_Edge &edge, const Handle(Poly_Triangulation) & t,
                    const TopLoc_Location &place, std::vector<size_t> &nodes);
};

} // namespace cad

#endif
