// Projection onto surfaces by Open CASCADE Technology: Extrema, as its applications call it. Feet
// inside of a surface come from a grid of samples and Newton's method; edges and corners are looked
// at as well, which callers have to do.
#include <Extrema_ExtPC.hxx>
#include <Extrema_ExtPS.hxx>
#include <GeomAdaptor_Curve.hxx>
#include <GeomAdaptor_Surface.hxx>
#include <Geom_BSplineSurface.hxx>
#include <Standard_Failure.hxx>
#include <TColStd_Array1OfInteger.hxx>
#include <TColStd_Array1OfReal.hxx>
#include <TColStd_Array2OfReal.hxx>
#include <TColgp_Array2OfPnt.hxx>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

extern "C" {
#include "host_nearest_boxes.h"
}

namespace {

const double tolerance = 1e-9;

// A surface with what Extrema prepares for it once.
struct peer {
    Handle(Geom_BSplineSurface) surface;
    GeomAdaptor_Surface adaptor;
    Extrema_ExtPS feet;
    std::array<GeomAdaptor_Curve, 4> edge;
    std::array<Extrema_ExtPC, 4> edge_feet;
    std::array<gp_Pnt, 4> corner;
};

Handle(Geom_BSplineSurface) surface_of(const host_nearest_surfaces *s, size_t number)
{
    const int controls = (int)s->controls, degree = (int)s->degree, spans = controls - degree;
    const size_t coords = 3 + s->rational;
    const double *point = s->points + number * s->controls * s->controls * coords;
    TColgp_Array2OfPnt poles(1, controls, 1, controls);
    TColStd_Array2OfReal weights(1, controls, 1, controls);
    TColStd_Array1OfReal knots(1, spans + 1);
    TColStd_Array1OfInteger times(1, spans + 1);

    for (int i = 1; i <= controls; i++)
        for (int j = 1; j <= controls; j++, point += coords) {
            const double w = s->rational ? point[3] : 1;
            poles(i, j) = gp_Pnt(point[0] / w, point[1] / w, point[2] / w);
            weights(i, j) = w;
        }
    for (int i = 0; i <= spans; i++) {
        knots(i + 1) = (double)i / spans;
        times(i + 1) = i == 0 || i == spans ? degree + 1 : 1;
    }
    if (s->rational)
        return new Geom_BSplineSurface(poles, weights, knots, knots, times, times, degree, degree);
    return new Geom_BSplineSurface(poles, knots, knots, times, times, degree, degree);
}

void prepare(const host_nearest_surfaces *s, size_t number, peer &to)
{
    to.surface = surface_of(s, number);
    to.adaptor.Load(to.surface);
    to.feet.SetFlag(Extrema_ExtFlag_MIN);
    to.feet.Initialize(to.adaptor, 0, 1, 0, 1, tolerance, tolerance);
    for (int i = 0; i < 4; i++) {
        to.edge[i].Load(i < 2 ? to.surface->UIso(i) : to.surface->VIso(i - 2));
        to.edge_feet[i].Initialize(to.edge[i], 0, 1, tolerance);
        to.corner[i] = to.surface->Value(i & 1, i >> 1);
    }
}

// The least squared distance of feet, if it is less.
template <class feet> void look_at(feet &search, const gp_Pnt &query, double &least)
{
    search.Perform(query);
    if (!search.IsDone()) return;
    for (int i = 1; i <= search.NbExt(); i++)
        least = std::min(least, search.SquareDistance(i));
}

int search(void *surfaces, size_t number, const double *query, double *least)
{
    peer &p = *(*static_cast<std::vector<std::unique_ptr<peer>> *>(surfaces))[number];
    const gp_Pnt point(query[0], query[1], query[2]);
    double square = *least * *least;

    try {
        look_at(p.feet, point, square);
        for (int i = 0; i < 4; i++) {
            look_at(p.edge_feet[i], point, square);
            square = std::min(square, p.corner[i].SquareDistance(point));
        }
    } catch (const Standard_Failure &) {
        return 0;
    }
    *least = std::min(*least, std::sqrt(square));
    return 1;
}

} // namespace

extern "C" int host_nearest_occt(const host_nearest_surfaces *s, const double *queries, size_t num,
                                 double *distances)
{
    std::vector<std::unique_ptr<peer>> surfaces;

    try {
        for (size_t i = 0; i < s->num; i++) {
            surfaces.push_back(std::make_unique<peer>());
            prepare(s, i, *surfaces.back());
        }
    } catch (const std::exception &) {
        return 0;
    } catch (const Standard_Failure &) {
        return 0;
    }
    return host_nearest_by_boxes(s, queries, num, search, &surfaces, distances);
}
