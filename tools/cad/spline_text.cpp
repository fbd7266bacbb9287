#include "spline_text.h"

namespace cad {

namespace {

template <class spline> void put_curve(json_text &json, const spline &c)
{
    TColStd_Array1OfReal knots(1, c.NbPoles() + c.Degree() + 1);
    c.KnotSequence(knots);
    json.put("type", "spline");
    json.put("degree", c.Degree());
    json.put_all("knotvector", knots);
    json.object("control_points");
    json.list("points");
    for (int i = 1; i <= c.NbPoles(); i++)
        add_point(json, c.Pole(i));
    json.end();
    if (c.IsRational()) {
        json.list("weights");
        for (int i = 1; i <= c.NbPoles(); i++)
            json.add(c.Weight(i));
        json.end();
    }
    json.end();
}

} // namespace

void add_point(json_text &json, const gp_Pnt &p)
{
    json.list();
    for (int i = 1; i <= 3; i++)
        json.add(p.Coord(i));
    json.end();
}

void add_point(json_text &json, const gp_Pnt2d &p)
{
    json.list();
    for (int i = 1; i <= 2; i++)
        json.add(p.Coord(i));
    json.end();
}

void put_spline(json_text &json, const Geom_BSplineSurface &s)
{
    TColStd_Array1OfReal u(1, s.NbUPoles() + s.UDegree() + 1), v(1, s.NbVPoles() + s.VDegree() + 1);
    s.UKnotSequence(u);
    s.VKnotSequence(v);
    json.put("type", "spline");
    json.put("degree_u", s.UDegree());
    json.put("degree_v", s.VDegree());
    json.put("size_u", s.NbUPoles());
    json.put("size_v", s.NbVPoles());
    json.put_all("knotvector_u", u);
    json.put_all("knotvector_v", v);
    json.object("control_points");
    json.list("points");
    for (int i = 1; i <= s.NbUPoles(); i++)
        for (int j = 1; j <= s.NbVPoles(); j++)
            add_point(json, s.Pole(i, j));
    json.end();
    if (s.IsURational() || s.IsVRational()) {
        json.list("weights");
        for (int i = 1; i <= s.NbUPoles(); i++)
            for (int j = 1; j <= s.NbVPoles(); j++)
                json.add(s.Weight(i, j));
        json.end();
    }
    json.end();
}

void put_spline(json_text &json, const Geom_BSplineCurve &c)
{
    put_curve(json, c);
}

void put_spline(json_text &json, const Geom2d_BSplineCurve &c)
{
    put_curve(json, c);
}

} // namespace cad
