// What Open CASCADE makes of points that are to be measured to the faces of a CAD file.
// usage: clspline-bench-cad FILE NUM near|box         prints points
//        clspline-bench-cad FILE NUM distance|side < POINTS
//
// Points are within 1 % of the size of the faces, or in their box and a tenth more. A line of
// `distance` has the distance by BRepExtrema_DistShapeShape and the tolerance of what is nearest,
// one of `side` 1 outside, -1 inside, 0 on the faces by BRepClass3d_SolidClassifier. Both take the
// first NUM points, and tell the microseconds of a point on standard error.
#include <BRepBndLib.hxx>
#include <BRepClass3d_SolidClassifier.hxx>
#include <BRepExtrema_DistShapeShape.hxx>
#include <BRep_Builder.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_PrinterOStream.hxx>
#include <Standard_Failure.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Compound.hxx>
#include <TopoDS_Vertex.hxx>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <memory>
#include <random>

#include "prepare.h"

namespace {

// The faces and the solids of a file, where they are placed.
struct shapes {
    TopoDS_Compound faces;
    std::deque<BRepClass3d_SolidClassifier> solids;
    double size = 0;
};

void read_shapes(const char *path, bool has_mesh, shapes &to)
{
    cad::file file = cad::read_file(path);
    BRep_Builder builder;
    builder.MakeCompound(to.faces);
    for (cad::part &p : file.parts) {
        cad::repair(p, strcmp(file.format, "iges") == 0);
        if (has_mesh) cad::triangulate(p, {1e-3, 0.3});
    }
    for (const cad::placed_part &use : file.uses) {
        const TopoDS_Shape shape = file.parts[use.part].shape.Moved(use.place);
        for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next())
            builder.Add(to.faces, e.Current());
        for (TopExp_Explorer e(shape, TopAbs_SOLID); e.More(); e.Next())
            to.solids.emplace_back(e.Current());
    }
    to.size = cad::diagonal_of(to.faces);
}

// ---- points ----

// Gathers the triangles of all faces, three points each.
std::vector<gp_Pnt> triangles_of(const TopoDS_Shape &faces)
{
    std::vector<gp_Pnt> corners;
    for (TopExp_Explorer e(faces, TopAbs_FACE); e.More(); e.Next()) {
        TopLoc_Location place;
        const auto mesh = BRep_Tool::Triangulation(TopoDS::Face(e.Current()), place);
        for (int i = 1; !mesh.IsNull() && i <= mesh->NbTriangles(); i++)
            for (int k = 1; k <= 3; k++)
                corners.push_back(mesh->Node(mesh->Triangle(i).Value(k)).Transformed(place));
    }
    return corners;
}

void print_points(const shapes &s, size_t num, bool is_near)
{
    const std::vector<gp_Pnt> corners = triangles_of(s.faces);
    std::vector<double> areas;
    for (size_t i = 0; i < corners.size(); i += 3)
        areas.push_back(
            gp_Vec(corners[i], corners[i + 1]).CrossMagnitude(gp_Vec(corners[i], corners[i + 2])));
    std::mt19937_64 engine(1);
    std::discrete_distribution<size_t> triangle(areas.begin(), areas.end());
    std::uniform_real_distribution<double> share(0, 1), off(-0.01 * s.size, 0.01 * s.size);
    Bnd_Box box;
    BRepBndLib::Add(s.faces, box);
    const gp_XYZ low = box.CornerMin().XYZ(), extent = box.CornerMax().XYZ() - low;
    for (size_t i = 0; i < num; i++) {
        gp_XYZ p(1.2 * share(engine) - 0.1, 1.2 * share(engine) - 0.1, 1.2 * share(engine) - 0.1);
        p = low + p.Multiplied(extent);
        if (is_near) {
            const gp_Pnt *c = &corners[3 * triangle(engine)];
            double a = share(engine), b = share(engine);
            if (a + b > 1) a = 1 - a, b = 1 - b;
            p = c[0].XYZ() * (1 - a - b) + c[1].XYZ() * a + c[2].XYZ() * b;
            p += gp_XYZ(off(engine), off(engine), off(engine)) / std::sqrt(3.);
        }
        printf("%.17g,%.17g,%.17g\n", p.X(), p.Y(), p.Z());
    }
}

// ---- measurements ----

double tolerance_of(const TopoDS_Shape &shape)
{
    if (shape.ShapeType() == TopAbs_VERTEX) return BRep_Tool::Tolerance(TopoDS::Vertex(shape));
    if (shape.ShapeType() == TopAbs_EDGE) return BRep_Tool::Tolerance(TopoDS::Edge(shape));
    return BRep_Tool::Tolerance(TopoDS::Face(shape));
}

void print_distance(BRepExtrema_DistShapeShape &search, const gp_Pnt &point)
{
    TopoDS_Vertex vertex;
    BRep_Builder().MakeVertex(vertex, point, 0);
    double tolerance = 0;
    search.LoadS1(vertex);
    if (!search.Perform()) {
        puts("nan,0");
        return;
    }
    for (int i = 1; i <= search.NbSolution(); i++)
        tolerance = std::max(tolerance, tolerance_of(search.SupportOnShape2(i)));
    printf("%.17g,%.17g\n", search.Value(), tolerance);
}

void print_side(shapes &s, const gp_Pnt &point)
{
    int side = s.solids.empty() ? 0 : 1;
    for (BRepClass3d_SolidClassifier &solid : s.solids) {
        solid.Perform(point, 1e-12 * s.size);
        if (solid.State() == TopAbs_IN) side = -1;
        if (solid.State() == TopAbs_ON && side == 1) side = 0;
    }
    printf("%d\n", side);
}

void measure(shapes &s, size_t num, bool is_side)
{
    BRepExtrema_DistShapeShape search;
    size_t done = 0;
    double x, y, z;
    search.LoadS2(s.faces);
    const clock_t begin = clock();
    for (; done < num && scanf("%lf,%lf,%lf", &x, &y, &z) == 3; done++)
        if (is_side)
            print_side(s, gp_Pnt(x, y, z));
        else
            print_distance(search, gp_Pnt(x, y, z));
    fprintf(stderr, "%.1f\n", 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / (double)done);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    const std::string what = argv[3];
    const size_t num = strtoul(argv[2], nullptr, 10);
    const bool is_near = what == "near", is_points = is_near || what == "box";
    shapes s;
    Message::DefaultMessenger()->RemovePrinters(STANDARD_TYPE(Message_PrinterOStream));
    try {
        read_shapes(argv[1], is_points, s);
        if (is_points)
            print_points(s, num, is_near);
        else
            measure(s, num, what == "side");
        return 0;
    } catch (const Standard_Failure &failure) {
        fprintf(stderr, "%s: %s\n", argv[1], failure.GetMessageString());
    } catch (const std::exception &error) {
        fprintf(stderr, "%s: %s\n", argv[1], error.what());
    }
    return 1;
}
