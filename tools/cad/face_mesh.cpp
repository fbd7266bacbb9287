#include "face_mesh.h"

#include <BRep_Tool.hxx>
#include <Poly_PolygonOnTriangulation.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Vertex.hxx>

namespace cad {

namespace {

const size_t none = SIZE_MAX;

} // namespace

void mesh_nodes::begin(const TopoDS_Shape &shape)
{
    edges.Clear();
    vertices.Clear();
    corners.clear();
    TopExp::MapShapes(shape, TopAbs_EDGE, edges);
    TopExp::MapShapes(shape, TopAbs_VERTEX, vertices);
    lines.assign((size_t)edges.Extent() + 1, {});
}

size_t mesh_nodes::add(const gp_Pnt &p)
{
    points.push_back(p);
    return points.size() - 1;
}

size_t mesh_nodes::corner(const TopoDS_Shape &vertex, const gp_Pnt &p)
{
    const int number = vertex.IsNull() ? 0 : vertices.FindIndex(vertex);
    if (number == 0) return add(p);
    const auto place = corners.emplace(number, points.size());
    return place.second ? add(p) : place.first->second;
}

// Gives the vertices of a triangulation that lie on an edge the numbers of its points, which the
// first face there makes.
void mesh_nodes::place_edge(const TopoDS_Edge &edge, const Handle(Poly_Triangulation) & t,
                            const TopLoc_Location &place, std::vector<size_t> &nodes)
{
    const Handle(Poly_PolygonOnTriangulation) polygon =
        BRep_Tool::PolygonOnTriangulation(edge, t, place);
    if (polygon.IsNull()) return;
    const TopoDS_Edge forward = TopoDS::Edge(edge.Oriented(TopAbs_FORWARD));
    const TopoDS_Vertex first = TopExp::FirstVertex(forward), last = TopExp::LastVertex(forward);
    const bool is_pole = BRep_Tool::Degenerated(edge);
    const int num = polygon->NbNodes();
    std::vector<size_t> &line = lines[(size_t)edges.FindIndex(edge)];
    if (line.empty()) line.assign((size_t)num, none);
    if (line.size() != (size_t)num && !is_pole) return;
    for (int k = 1; k <= num; k++) {
        const int vertex = polygon->Nodes()(k);
        const gp_Pnt p = t->Node(vertex).Transformed(place.Transformation());
        size_t &number = nodes[(size_t)vertex - 1];
        if (is_pole || k == 1 || k == num) {
            const size_t known = is_pole ? none : line[(size_t)k - 1];
            number = known != none ? known : corner(k == num && !is_pole ? last : first, p);
        } else {
            number = line[(size_t)k - 1] != none ? line[(size_t)k - 1] : add(p);
        }
        if (!is_pole) line[(size_t)k - 1] = number;
    }
}

face_mesh mesh_nodes::mesh_of(const TopoDS_Face &face, const parameter_map &map)
{
    TopLoc_Location place;
    const Handle(Poly_Triangulation) t = BRep_Tool::Triangulation(face, place);
    face_mesh made;
    if (t.IsNull() || !t->HasUVNodes()) return made;
    made.nodes.assign((size_t)t->NbNodes(), none);
    for (TopExp_Explorer e(face.Oriented(TopAbs_FORWARD), TopAbs_EDGE); e.More(); e.Next())
        place_edge(TopoDS::Edge(e.Current()), t, place, made.nodes); // both uses of a seam come
    for (int i = 1; i <= t->NbNodes(); i++) {
        size_t &number = made.nodes[(size_t)i - 1];
        if (number == none) number = add(t->Node(i).Transformed(place.Transformation()));
        made.params.push_back(map(t->UVNode(i)));
    }
    const bool is_turned = face.Orientation() == TopAbs_REVERSED;
    for (int i = 1; i <= t->NbTriangles(); i++) {
        int a, b, c;
        t->Triangle(i).Get(a, b, c);
        const std::array<size_t, 3> corners = {(size_t)a - 1, (size_t)(is_turned ? c : b) - 1,
                                               (size_t)(is_turned ? b : c) - 1};
        const size_t x = made.nodes[corners[0]], y = made.nodes[corners[1]],
                     z = made.nodes[corners[2]];
        if (x != y && y != z && z != x) made.triangles.push_back(corners); // else it is at a pole
    }
    return made;
}

} // namespace cad
