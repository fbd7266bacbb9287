// Surfaces of faces as B-splines, and what becomes of their parameters.
#ifndef CLSPLINE_TOOLS_CAD_FACE_SPLINE_H
#define CLSPLINE_TOOLS_CAD_FACE_SPLINE_H

#include <Geom2d_BSplineCurve.hxx>
#include <Geom2d_Curve.hxx>
#include <Geom_BSplineSurface.hxx>
#include <TopoDS_Face.hxx>

namespace cad {

// The directions of a surface.
enum { U = 0, V = 1 };

struct interval {
    double begin, end;
    double length() const
    {
        return end - begin;
    }
};

// Calls of a direction that Open CASCADE has twice.
interval domain(const Geom_Surface &s, int direction);
bool is_periodic(const Geom_Surface &s, int direction);
double period(const Geom_Surface &s, int direction);
gp_Pnt2d pair(int direction, double along, double across);

// Returns the surface of a face, without the bounds of a trimmed surface.
Handle(Geom_Surface) surface_of(const TopoDS_Face &face);

// Returns a face's surface as a B-spline, rational where it must be, whose domain holds the face.
Handle(Geom_BSplineSurface) spline_of(const TopoDS_Face &face);

// From the parameters of a face's surface to those of its B-spline. A cylinder's angle, say, is not
// the parameter of a rational circle. u and v go their ways apart, u' = f(u) and v' = g(v), so that
// each is found along one line of the surface.
class parameter_map {
  public:
    parameter_map(const TopoDS_Face &face, const Handle(Geom_BSplineSurface) & spline);

    double along(int direction, double x) const;
    gp_Pnt2d operator()(const gp_Pnt2d &p) const
    {
        return {along(U, p.X()), along(V, p.Y())};
    }

    // Whether parameters of a direction stay as they are.
    bool keeps(int direction) const
    {
        return kept[direction];
    }

    // The B-spline's domain and inner knots.
    interval range(int direction) const
    {
        return ranges[direction];
    }
    const Geom_BSplineSurface &spline() const
    {
        return *to;
    }

    // Returns the largest distance between surface and B-spline at points of the face's box.
    double error(const TopoDS_Face &face) const;

  private:
    Handle(Geom_Surface) from;
    Handle(Geom_BSplineSurface) to;
    interval ranges[2];
    double line[2], spline_line[2]; // where the lines across are, on both
    bool kept[2] = {true, true};

    void find_lines();
};

} // namespace cad

#endif
