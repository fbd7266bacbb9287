// Curves that bound faces, in the parameters of their B-splines.
#ifndef CLSPLINE_TOOLS_CAD_TRIM_CURVE_H
#define CLSPLINE_TOOLS_CAD_TRIM_CURVE_H

#include "face_spline.h"

namespace cad {

// Converts the part of a curve in a face's parameters to one in those of its B-spline. It is exact
// where parameters stay as they are and where it runs along u or v, else a cubic whose parameters
// are off by at most `tolerance` of the domain.
Handle(Geom2d_BSplineCurve) trim_curve(const parameter_map &map, const Handle(Geom2d_Curve) & curve,
                                       interval part, double tolerance);

} // namespace cad

#endif
