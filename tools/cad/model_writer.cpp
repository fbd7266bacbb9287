#include "model_writer.h"

#include <BRepTools.hxx>
#include <BRepTools_WireExplorer.hxx>
#include <BRep_Tool.hxx>
#include <GeomAdaptor_Surface.hxx>
#include <GeomConvert.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <Standard_Failure.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Iterator.hxx>

#include <algorithm>
#include <stdexcept>

#include "prepare.h"
#include "spline_text.h"
#include "trim_curve.h"

namespace cad {

namespace {

const size_t none = SIZE_MAX;
const size_t most_notes = 20;

// Names the kind of a surface as the file has it.
const char *kind_of(const TopoDS_Face &face)
{
    switch (GeomAdaptor_Surface(surface_of(face)).GetType()) {
    case GeomAbs_Plane:
        return "plane";
    case GeomAbs_Cylinder:
        return "cylinder";
    case GeomAbs_Cone:
        return "cone";
    case GeomAbs_Sphere:
        return "sphere";
    case GeomAbs_Torus:
        return "torus";
    case GeomAbs_BezierSurface:
    case GeomAbs_BSplineSurface:
        return "spline";
    case GeomAbs_SurfaceOfRevolution:
        return "revolution";
    case GeomAbs_SurfaceOfExtrusion:
        return "extrusion";
    case GeomAbs_OffsetSurface:
        return "offset";
    default:
        return "other";
    }
}

bool bounds_a_face(const TopoDS_Shape &shape)
{
    return shape.Orientation() == TopAbs_FORWARD || shape.Orientation() == TopAbs_REVERSED;
}

// The edges of a wire one behind another, as far as they can be followed; else in the order in
// which the wire has them.
std::vector<TopoDS_Edge> edges_along(const TopoDS_Wire &wire, const TopoDS_Face &face)
{
    std::vector<TopoDS_Edge> followed, all;
    for (BRepTools_WireExplorer e(wire, face); e.More(); e.Next())
        followed.push_back(e.Current());
    for (TopoDS_Iterator e(wire); e.More(); e.Next())
        if (bounds_a_face(e.Value())) all.push_back(TopoDS::Edge(e.Value()));
    return followed.size() == all.size() ? followed : all;
}

// Converts an edge's curve in a face's parameters; false for one of no length, which is left out.
bool make_trim(const TopoDS_Edge &edge, const TopoDS_Face &face, const parameter_map &map, trim &to)
{
    interval part;
    const Handle(Geom2d_Curve) curve = BRep_Tool::CurveOnSurface(edge, face, part.begin, part.end);
    if (curve.IsNull()) throw std::runtime_error("an edge has no curve in the face's parameters");
    if (!(part.length() > 1e-12 * (std::abs(part.begin) + std::abs(part.end)))) return false;
    const double size = diagonal_of(face);
    const double tolerance = size > 0 ? .05 * BRep_Tool::Tolerance(edge) / size : 0;
    to.curve = trim_curve(map, curve, part, std::max(1e-8, tolerance));
    to.edge = edge;
    to.is_forward = edge.Orientation() != TopAbs_REVERSED;
    if (!to.is_forward) to.curve->Reverse();
    return true;
}

std::vector<loop> loops_of(const TopoDS_Face &face, const parameter_map &map)
{
    std::vector<loop> loops;
    const TopoDS_Wire outer = BRepTools::OuterWire(face);
    for (TopoDS_Iterator w(face); w.More(); w.Next()) {
        if (w.Value().ShapeType() != TopAbs_WIRE || !bounds_a_face(w.Value())) continue;
        const TopoDS_Wire wire = TopoDS::Wire(w.Value());
        loop l{(bool)wire.IsSame(outer), {}};
        trim t;
        for (const TopoDS_Edge &edge : edges_along(wire, face))
            if (make_trim(edge, face, map, t)) l.trims.push_back(t);
        if (!l.trims.empty()) loops.push_back(l);
    }
    return loops;
}

// Whether a B-spline is the surface that it was made of.
void check_map(const parameter_map &map, const TopoDS_Face &face)
{
    const double error = map.error(face);
    if (error > std::max(BRep_Tool::Tolerance(face), 1e-6 * diagonal_of(face)))
        throw std::runtime_error("its B-spline is off by " + std::to_string(error) + " mm");
}

bool has_curve(const TopoDS_Edge &edge)
{
    double begin, end;
    return !BRep_Tool::Degenerated(edge) && !BRep_Tool::Curve(edge, begin, end).IsNull() &&
           end - begin > 1e-12 * (std::abs(begin) + std::abs(end));
}

Handle(Geom_BSplineCurve) curve_of(const TopoDS_Edge &edge)
{
    double begin, end;
    const Handle(Geom_Curve) curve = BRep_Tool::Curve(edge, begin, end);
    const Handle(Geom_BSplineCurve) made =
        GeomConvert::CurveToBSplineCurve(new Geom_TrimmedCurve(curve, begin, end));
    if (made->IsPeriodic()) made->SetNotPeriodic();
    return made;
}

} // namespace

// ---- faces ----

// The number of an edge among all, which its first use gives it; `none` of a pole.
size_t model_writer::edge_number(const TopoDS_Edge &edge)
{
    size_t &number = edge_numbers[(size_t)part_edges.FindIndex(edge)];
    if (number == none && has_curve(edge)) {
        number = edges.size();
        edges.push_back({edge, {}});
    }
    return number;
}

// Notes what is wrong with a face.
void model_writer::note(const TopoDS_Face &face, const placed_part &use, const std::string &what)
{
    if (what_failed.size() < most_notes && is_first_use)
        what_failed.push_back("face " + std::to_string(faces.FindIndex(face)) + " of part '" +
                              from.parts[use.part].name + "', a " + kind_of(face) + ": " + what);
}

void model_writer::put_loop(const loop &l)
{
    json.object();
    json.put("type", "container");
    json.put("reversed", (int)l.is_outer); // 1: what it encloses stays
    json.list("data");
    for (const trim &t : l.trims) {
        const size_t number = edge_number(t.edge);
        json.object();
        put_spline(json, *t.curve);
        if (number != none) {
            json.put("edge", number);
            json.put("forward", t.is_forward);
            edges[number].faces.push_back(num_faces);
        }
        json.end();
    }
    json.end();
    json.end();
}

void model_writer::put_mesh(const face_mesh &mesh)
{
    json.object("mesh");
    json.list("uv");
    for (const gp_Pnt2d &p : mesh.params) {
        json.add(p.X());
        json.add(p.Y());
    }
    json.end();
    json.put_all("nodes", mesh.nodes);
    json.list("triangles");
    for (const auto &triangle : mesh.triangles)
        json.add_all(triangle);
    json.end();
    json.end();
}

void model_writer::put_face(const TopoDS_Face &face, const parameter_map &map,
                            const std::vector<loop> &loops, const placed_part &use)
{
    const part &p = from.parts[use.part];
    const size_t number = (size_t)faces.FindIndex(face) - 1;
    const std::string &own = p.face_colors[number], &color = own.empty() ? use.color : own;
    json.line();
    json.object();
    put_spline(json, map.spline());
    json.put("reversed", (int)(face.Orientation() == TopAbs_REVERSED));
    json.put("kind", kind_of(face));
    json.put("tolerance", BRep_Tool::Tolerance(face));
    if (!p.face_names[number].empty()) json.put("name", p.face_names[number]);
    if (!color.empty()) json.put("color", color);
    json.object("trims");
    json.put("count", loops.size());
    json.list("data");
    for (const loop &l : loops)
        put_loop(l);
    json.end();
    json.end();
    const face_mesh mesh = nodes.mesh_of(face, map);
    if (!mesh.triangles.empty()) put_mesh(mesh);
    if (mesh.triangles.empty() && has_mesh) note(face, use, "it cannot be meshed");
    json.end();
}

// Writes a face, or notes why it cannot be converted. Nothing is written before all is converted.
bool model_writer::write_face(const TopoDS_Face &face, const placed_part &use)
{
    const TopoDS_Face forward = TopoDS::Face(face.Oriented(TopAbs_FORWARD));
    std::string reason;
    try {
        const parameter_map map(forward, spline_of(forward));
        check_map(map, forward);
        const std::vector<loop> loops = loops_of(forward, map);
        put_face(face, map, loops, use);
        num_faces++;
        read += is_first_use;
        return true;
    } catch (const Standard_Failure &failure) {
        reason = failure.GetMessageString();
    } catch (const std::runtime_error &error) {
        reason = error.what();
    }
    note(face, use, reason);
    return false;
}

// ---- bodies ----

shell model_writer::write_shell(const TopoDS_Shape &shape, const placed_part &use)
{
    shell made{{}, shape.ShapeType() == TopAbs_SHELL};
    std::map<int, int> uses;
    for (TopExp_Explorer e(shape, TopAbs_FACE); e.More(); e.Next()) {
        const size_t number = num_faces;
        if (!write_face(TopoDS::Face(e.Current()), use)) {
            made.is_closed = false;
            continue;
        }
        made.faces.push_back(number);
        for (TopExp_Explorer x(e.Current(), TopAbs_EDGE); x.More(); x.Next())
            if (bounds_a_face(x.Current()) && !BRep_Tool::Degenerated(TopoDS::Edge(x.Current())))
                uses[part_edges.FindIndex(x.Current())]++;
    }
    for (const auto &edge : uses)
        made.is_closed = made.is_closed && edge.second == 2;
    return made;
}

void model_writer::write_body(const TopoDS_Shape &shape, const char *kind, const placed_part &use)
{
    body made{kind, &use, {}};
    if (shape.ShapeType() == TopAbs_SOLID)
        for (TopExp_Explorer e(shape, TopAbs_SHELL); e.More(); e.Next())
            made.shells.push_back(write_shell(e.Current(), use));
    else
        made.shells.push_back(write_shell(shape, use));
    bodies.push_back(made);
}

void model_writer::write_part(const placed_part &use)
{
    const TopoDS_Shape shape = from.parts[use.part].shape.Moved(use.place);
    faces = faces_of(shape);
    part_edges.Clear();
    TopExp::MapShapes(shape, TopAbs_EDGE, part_edges);
    edge_numbers.assign((size_t)part_edges.Extent() + 1, none);
    nodes.begin(shape);
    for (TopExp_Explorer e(shape, TopAbs_SOLID); e.More(); e.Next())
        write_body(e.Current(), "solid", use);
    for (TopExp_Explorer e(shape, TopAbs_SHELL, TopAbs_SOLID); e.More(); e.Next())
        write_body(e.Current(), "shell", use);
    for (TopExp_Explorer e(shape, TopAbs_FACE, TopAbs_SHELL); e.More(); e.Next())
        write_body(e.Current(), "face", use);
}

// ---- the file ----

void model_writer::write_edges()
{
    json.line();
    json.list("edges");
    for (const shared_edge &e : edges) {
        json.line();
        json.object();
        put_spline(json, *curve_of(e.edge));
        json.put("tolerance", BRep_Tool::Tolerance(e.edge));
        json.put_all("faces", e.faces);
        json.end();
    }
    json.end();
}

void model_writer::write_bodies()
{
    json.line();
    json.list("bodies");
    for (const body &b : bodies) {
        json.line();
        json.object();
        json.put("kind", b.kind);
        json.put("name", b.use->name);
        json.put("part", from.parts[b.use->part].name);
        if (!b.use->color.empty()) json.put("color", b.use->color);
        json.list("shells");
        for (const shell &s : b.shells) {
            json.object();
            json.put("closed", s.is_closed);
            json.put_all("faces", s.faces);
            json.end();
        }
        json.end();
        json.end();
    }
    json.end();
}

void model_writer::write()
{
    std::vector<bool> known(from.parts.size());
    json.object("shape");
    json.put("type", "surface");
    json.list("data");
    for (const placed_part &use : from.uses) {
        is_first_use = !known[use.part];
        known[use.part] = true;
        write_part(use);
    }
    json.end();
    json.put("count", num_faces);
    json.end();
    write_edges();
    write_bodies();
    json.line();
    json.list("nodes");
    for (const gp_Pnt &p : nodes.points)
        add_point(json, p);
    json.end();
}

} // namespace cad
