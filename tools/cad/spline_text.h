// Splines as geomdl's JSON has them: members of an object that is open.
#ifndef CLSPLINE_TOOLS_CAD_SPLINE_TEXT_H
#define CLSPLINE_TOOLS_CAD_SPLINE_TEXT_H

#include "json_text.h"

#include <Geom2d_BSplineCurve.hxx>
#include <Geom_BSplineCurve.hxx>
#include <Geom_BSplineSurface.hxx>

namespace cad {

void add_point(json_text &json, const gp_Pnt &p);
void add_point(json_text &json, const gp_Pnt2d &p);
void put_spline(json_text &json, const Geom_BSplineSurface &s);
void put_spline(json_text &json, const Geom_BSplineCurve &c);
void put_spline(json_text &json, const Geom2d_BSplineCurve &c);

} // namespace cad

#endif
