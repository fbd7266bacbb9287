#include "solid_list.h"

#include <math.h>

clspi_solid_spot clspi_solid_spot_of(const clsp_solid_plan *plan, const clspi_solid_list *list,
                                     size_t point)
{
    clspi_solid_spot spot = {.cell = list->cells ? list->cells[point] : 0, .face = CLSPI_NOWHERE};

    spot.is_there = spot.cell < plan->num_cells;
    for (size_t a = 0; a < 3; a++) {
        const size_t at = list->planar ? a * list->num + point : 3 * point + a;
        const double t = plan->desc.precision == CLSP_F64 ? ((const double *)list->params)[at]
                                                          : ((const float *)list->params)[at];
        spot.is_there = spot.is_there && !isnan(t);
        spot.t[a] = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    }
    if (spot.is_there)
        spot.face = plan->faces ? clspi_solid_face_at(plan->faces[spot.cell], spot.t)
                                : (uint8_t)CLSPI_NO_FACE;
    for (size_t a = 0; a < 3 && !spot.is_there; a++)
        spot.t[a] = (double)NAN;
    return spot;
}
