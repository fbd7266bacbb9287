#include "trim_curve.h"

#include <Geom2dConvert.hxx>
#include <Geom2d_TrimmedCurve.hxx>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cad {

namespace {

const size_t most_pieces = 2048;

// A curve's image under a map, as a function of the curve's parameter.
class mapped_curve {
  public:
    mapped_curve(const parameter_map &map, const Geom2d_Curve &curve) : map(map), curve(curve)
    {
    }

    gp_XY at(double t) const
    {
        return map(curve.Value(t)).XY();
    }

    // The derivative by four points on one side: step > 0 those behind t, < 0 those before.
    gp_XY slope(double t, double step) const
    {
        return (at(t + step) * 18 - at(t + 2 * step) * 9 + at(t + 3 * step) * 2 - at(t) * 11) /
               (6 * step);
    }

    // How far two places are apart, as a share of the domain.
    double apart(const gp_XY &a, const gp_XY &b) const
    {
        return std::max(std::abs(a.X() - b.X()) / map.range(U).length(),
                        std::abs(a.Y() - b.Y()) / map.range(V).length());
    }

  private:
    const parameter_map &map;
    const Geom2d_Curve &curve;
};

// Whether a curve keeps its value of one parameter.
bool runs_along(const Geom2d_Curve &c, interval part, int across, double length)
{
    const double first = c.Value(part.begin).Coord(across + 1);
    for (int i = 1; i <= 8; i++) {
        const double other = c.Value(part.begin + part.length() * i / 8).Coord(across + 1);
        if (std::abs(other - first) > 1e-13 * length) return false;
    }
    return true;
}

Handle(Geom2d_BSplineCurve) straight(const mapped_curve &c, interval part)
{
    TColgp_Array1OfPnt2d poles(1, 2);
    TColStd_Array1OfReal knots(1, 2);
    TColStd_Array1OfInteger times(1, 2);
    poles(1) = gp_Pnt2d(c.at(part.begin));
    poles(2) = gp_Pnt2d(c.at(part.end));
    knots(1) = part.begin;
    knots(2) = part.end;
    times.Init(2);
    return new Geom2d_BSplineCurve(poles, knots, times, 1);
}

// Adds the parameters where a coordinate of a curve passes a value.
void add_crossings(const Geom2d_Curve &c, interval part, int direction, double value,
                   std::vector<double> &to)
{
    const int samples = 64;
    const auto above = [&](double t) { return c.Value(t).Coord(direction + 1) - value; };
    for (int i = 0; i < samples; i++) {
        double low = part.begin + part.length() * i / samples;
        double high = part.begin + part.length() * (i + 1) / samples;
        const double first = above(low), last = above(high);
        if (last == 0) to.push_back(high);
        if (!(first * last < 0)) continue;
        for (int step = 0; step < 60; step++) {
            const double middle = .5 * (low + high);
            (above(middle) * first > 0 ? low : high) = middle;
        }
        to.push_back(.5 * (low + high));
    }
}

// Cuts a curve where it passes knots of the B-spline: there the map is not smooth. A knot's value
// is the same on both surfaces.
std::vector<double> find_breaks(const parameter_map &map, const Geom2d_Curve &c, interval part)
{
    std::vector<double> found, breaks = {part.begin};
    const Geom_BSplineSurface &s = map.spline();
    for (int i = 1; !map.keeps(U) && i <= s.NbUKnots(); i++)
        add_crossings(c, part, U, s.UKnot(i), found);
    for (int i = 1; !map.keeps(V) && i <= s.NbVKnots(); i++)
        add_crossings(c, part, V, s.VKnot(i), found);
    std::sort(found.begin(), found.end());
    const double close = 1e-9 * part.length();
    for (const double t : found)
        if (t - breaks.back() > close && part.end - t > close) breaks.push_back(t);
    breaks.push_back(part.end);
    return breaks;
}

// A cubic between two parameters by its Bezier points.
struct cubic {
    double begin, end;
    gp_XY point[4];
};

cubic fit_cubic(const mapped_curve &c, double begin, double end)
{
    const double step = end - begin, near = 2e-3 * step;
    const gp_XY first = c.at(begin), last = c.at(end);
    return {begin,
            end,
            {first, first + c.slope(begin, near) * (step / 3),
             last - c.slope(end, -near) * (step / 3), last}};
}

bool fits(const mapped_curve &c, const cubic &q, double tolerance)
{
    for (const double w : {.25, .5, .75}) {
        const double r = 1 - w;
        const gp_XY p = q.point[0] * (r * r * r) + q.point[1] * (3 * w * r * r) +
                        q.point[2] * (3 * w * w * r) + q.point[3] * (w * w * w);
        if (c.apart(p, c.at(q.begin + w * (q.end - q.begin))) > tolerance) return false;
    }
    return true;
}

// Adds cubics for a piece, which is halved until they fit.
void fit_piece(const mapped_curve &c, interval piece, double tolerance, std::vector<cubic> &to)
{
    const cubic whole = fit_cubic(c, piece.begin, piece.end);
    const double middle = .5 * (piece.begin + piece.end);
    if (fits(c, whole, tolerance) || to.size() >= most_pieces || middle <= piece.begin ||
        middle >= piece.end) {
        to.push_back(whole);
        return;
    }
    fit_piece(c, {piece.begin, middle}, tolerance, to);
    fit_piece(c, {middle, piece.end}, tolerance, to);
}

Handle(Geom2d_BSplineCurve) join(const std::vector<cubic> &pieces)
{
    const int num = (int)pieces.size();
    TColgp_Array1OfPnt2d poles(1, 3 * num + 1);
    TColStd_Array1OfReal knots(1, num + 1);
    TColStd_Array1OfInteger times(1, num + 1);
    times.Init(3);
    times(1) = times(num + 1) = 4;
    knots(1) = pieces[0].begin;
    poles(1) = gp_Pnt2d(pieces[0].point[0]);
    for (int i = 0; i < num; i++) {
        const cubic &q = pieces[(size_t)i];
        knots(i + 2) = q.end;
        for (int k = 1; k < 4; k++)
            poles(3 * i + k + 1) = gp_Pnt2d(q.point[k]);
    }
    return new Geom2d_BSplineCurve(poles, knots, times, 3);
}

} // namespace

Handle(Geom2d_BSplineCurve) trim_curve(const parameter_map &map, const Handle(Geom2d_Curve) & curve,
                                       interval part, double tolerance)
{
    const mapped_curve mapped(map, *curve);
    if (map.keeps(U) && map.keeps(V)) {
        const Handle(Geom2d_BSplineCurve) same = Geom2dConvert::CurveToBSplineCurve(
            new Geom2d_TrimmedCurve(curve, part.begin, part.end));
        if (same->IsPeriodic()) same->SetNotPeriodic();
        return same;
    }
    for (int k : {U, V})
        if (runs_along(*curve, part, k, map.range(k).length())) return straight(mapped, part);
    const std::vector<double> breaks = find_breaks(map, *curve, part);
    std::vector<cubic> pieces;
    for (size_t i = 0; i + 1 < breaks.size(); i++)
        fit_piece(mapped, {breaks[i], breaks[i + 1]}, tolerance, pieces);
    return join(pieces);
}

} // namespace cad
