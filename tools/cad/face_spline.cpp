#include "face_spline.h"

#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <GeomConvert.hxx>
#include <Geom_BezierSurface.hxx>
#include <Geom_OffsetSurface.hxx>
#include <Geom_Plane.hxx>
#include <Geom_RectangularTrimmedSurface.hxx>

#include <algorithm>
#include <cmath>

namespace cad {

namespace {

const double golden = 0.381966; // a place inside that is no knot as a rule
const double near = 1e-9;       // of a period, where two parameters are one

// Returns the bounds of a face in a direction, within those of its surface.
interval bounds_of(const TopoDS_Face &face, int direction)
{
    double b[4];
    BRepTools::UVBounds(face, b[0], b[1], b[2], b[3]);
    const Handle(Geom_Surface) s = surface_of(face);
    const interval found = {b[2 * direction], b[2 * direction + 1]}, most = domain(*s, direction);
    if (is_periodic(*s, direction)) return found;
    return {std::max(found.begin, most.begin), std::min(found.end, most.end)};
}

bool is_whole_turn(const Geom_Surface &s, int direction, interval i)
{
    return is_periodic(s, direction) && i.length() > period(s, direction) * (1 - near);
}

void shift_knots(Geom_BSplineSurface &s, int direction, double by)
{
    if (by == 0) return;
    TColStd_Array1OfReal knots(1, direction == U ? s.NbUKnots() : s.NbVKnots());
    if (direction == U)
        s.UKnots(knots);
    else
        s.VKnots(knots);
    for (double &knot : knots)
        knot += by;
    if (direction == U)
        s.SetUKnots(knots);
    else
        s.SetVKnots(knots);
}

// Finds the parameter of a B-spline at the point that another surface has at x: by Gauss and
// Newton's method in both parameters, of which the other one begins in the middle of its bounds.
double same_place(const Geom_Surface &s, const Geom_BSplineSurface &spline, int direction, double x,
                  interval across)
{
    const double middle = across.begin + golden * across.length();
    const gp_Pnt2d start = pair(direction, x, middle);
    const gp_Pnt wanted = s.Value(start.X(), start.Y());
    double at[2] = {start.X(), start.Y()};
    for (int step = 0; step < 60; step++) {
        gp_Pnt p;
        gp_Vec along[2];
        spline.D1(at[U], at[V], p, along[U], along[V]);
        for (int k : {U, V})
            if (along[k].SquareMagnitude() > 0)
                at[k] += gp_Vec(p, wanted).Dot(along[k]) / along[k].SquareMagnitude();
    }
    return at[direction];
}

// Makes a knot of a periodic B-spline the origin of a direction.
void set_origin(Geom_BSplineSurface &s, int direction, double at)
{
    const double length = domain(s, direction).length(), close = 1e-10 * length;
    int number = 1;
    if (direction == U) {
        s.InsertUKnot(at, s.UDegree(), 1e-12 * length);
        while (number < s.NbUKnots() && s.UKnot(number) < at - close)
            number++;
        s.SetUOrigin(number);
    } else {
        s.InsertVKnot(at, s.VDegree(), 1e-12 * length);
        while (number < s.NbVKnots() && s.VKnot(number) < at - close)
            number++;
        s.SetVOrigin(number);
    }
}

// Has a periodic B-spline begin and end at a parameter.
void cut_open(Geom_BSplineSurface &s, int direction, double begin)
{
    const interval d = domain(s, direction);
    const double at = begin - d.length() * std::floor((begin - d.begin) / d.length());
    if (at - d.begin > near * d.length() && d.end - at > near * d.length())
        set_origin(s, direction, at);
    if (direction == U)
        s.SetUNotPeriodic();
    else
        s.SetVNotPeriodic();
    const double turns = std::round((begin - domain(s, direction).begin) / d.length());
    shift_knots(s, direction, turns * d.length());
}

// Converts a surface that is no B-spline over a box. A whole turn is converted from 0 on: from
// another angle Open CASCADE would cut at that angle, which is not the B-spline's parameter there.
Handle(Geom_BSplineSurface) convert(const Handle(Geom_Surface) & s, const interval box[2])
{
    interval cut[2];
    for (int k : {U, V})
        cut[k] = is_whole_turn(*s, k, box[k]) ? interval{0, period(*s, k)} : box[k];
    const Handle(Geom_BSplineSurface) made = GeomConvert::SurfaceToBSplineSurface(
        new Geom_RectangularTrimmedSurface(s, cut[U].begin, cut[U].end, cut[V].begin, cut[V].end));
    for (int k : {U, V}) {
        if (!is_periodic(*s, k)) continue;
        const bool is_whole = is_whole_turn(*s, k, box[k]);
        if (is_whole && k == U) made->SetUPeriodic();
        if (is_whole && k == V) made->SetVPeriodic(); // where it is only closed
        if (is_whole) continue;
        // trimmed surfaces move their bounds into the first period
        const double turns = std::round((box[k].begin - domain(*made, k).begin) / period(*s, k));
        shift_knots(*made, k, turns * period(*s, k));
    }
    return made;
}

} // namespace

interval domain(const Geom_Surface &s, int direction)
{
    double b[4];
    s.Bounds(b[0], b[1], b[2], b[3]);
    return {b[2 * direction], b[2 * direction + 1]};
}

bool is_periodic(const Geom_Surface &s, int direction)
{
    return direction == U ? s.IsUPeriodic() : s.IsVPeriodic();
}

double period(const Geom_Surface &s, int direction)
{
    return direction == U ? s.UPeriod() : s.VPeriod();
}

gp_Pnt2d pair(int direction, double along, double across)
{
    return direction == U ? gp_Pnt2d(along, across) : gp_Pnt2d(across, along);
}

Handle(Geom_Surface) surface_of(const TopoDS_Face &face)
{
    const Handle(Geom_Surface) s = BRep_Tool::Surface(face);
    const Handle(Geom_RectangularTrimmedSurface) trimmed =
        Handle(Geom_RectangularTrimmedSurface)::DownCast(s);
    return trimmed.IsNull() ? s : trimmed->BasisSurface();
}

Handle(Geom_BSplineSurface) spline_of(const TopoDS_Face &face)
{
    const Handle(Geom_Surface) s = surface_of(face);
    const interval box[2] = {bounds_of(face, U), bounds_of(face, V)};
    const Handle(Geom_BSplineSurface) own = Handle(Geom_BSplineSurface)::DownCast(s);
    Handle(Geom_BSplineSurface) made =
        own.IsNull() ? convert(s, box) : Handle(Geom_BSplineSurface)::DownCast(own->Copy());
    for (int k : {U, V}) {
        if (!is_periodic(*made, k)) continue;
        double begin = box[k].begin;
        if (own.IsNull()) begin = same_place(*s, *made, k, begin, box[1 - k]);
        cut_open(*made, k, begin);
    }
    return made;
}

// ---- parameters ----

parameter_map::parameter_map(const TopoDS_Face &face, const Handle(Geom_BSplineSurface) & spline)
    : from(surface_of(face)), to(spline), ranges{domain(*spline, U), domain(*spline, V)}
{
    const bool is_same = from->IsKind(STANDARD_TYPE(Geom_BSplineSurface)) ||
                         from->IsKind(STANDARD_TYPE(Geom_BezierSurface)) ||
                         from->IsKind(STANDARD_TYPE(Geom_OffsetSurface)) ||
                         from->IsKind(STANDARD_TYPE(Geom_Plane));
    if (!is_same) find_lines();
}

// Finds one line of each direction on both surfaces, and which directions keep their parameters.
void parameter_map::find_lines()
{
    bool keep[2] = {true, true};
    for (int k : {U, V}) {
        kept[k] = false;
        line[k] = spline_line[k] = ranges[k].begin + golden * ranges[k].length();
    }
    for (int pass = 0; pass < 3; pass++)
        for (int k : {U, V})
            spline_line[k] = along(k, line[k]);
    for (int k : {U, V})
        for (int i = 1; i < 16; i++) {
            const double x = ranges[k].begin + ranges[k].length() * i / 16.3;
            keep[k] = keep[k] && std::abs(along(k, x) - x) <= 1e-12 * ranges[k].length();
        }
    for (int k : {U, V})
        kept[k] = keep[k];
}

double parameter_map::along(int direction, double x) const
{
    if (kept[direction]) return x;
    const interval r = ranges[direction];
    const gp_Pnt2d place = pair(direction, x, line[1 - direction]);
    const gp_Pnt wanted = from->Value(place.X(), place.Y());
    double z = std::min(std::max(x, r.begin), r.end);
    for (int i = 0; i < 40; i++) {
        gp_Pnt p;
        gp_Vec d[2];
        const gp_Pnt2d at = pair(direction, z, spline_line[1 - direction]);
        to->D1(at.X(), at.Y(), p, d[U], d[V]);
        const gp_Vec &tangent = d[direction];
        if (tangent.SquareMagnitude() == 0) break;
        const double step = gp_Vec(p, wanted).Dot(tangent) / tangent.SquareMagnitude();
        z = std::min(std::max(z + step, r.begin), r.end);
        if (std::abs(step) < 1e-15 * (std::abs(r.begin) + std::abs(r.end))) break;
    }
    return z;
}

double parameter_map::error(const TopoDS_Face &face) const
{
    const interval box[2] = {bounds_of(face, U), bounds_of(face, V)};
    double largest = 0;
    for (int i = 0; i <= 6; i++)
        for (int j = 0; j <= 6; j++) {
            const gp_Pnt2d p(box[U].begin + box[U].length() * i / 6,
                             box[V].begin + box[V].length() * j / 6);
            const gp_Pnt2d q = (*this)(p);
            largest =
                std::max(largest, from->Value(p.X(), p.Y()).Distance(to->Value(q.X(), q.Y())));
        }
    return largest;
}

} // namespace cad
