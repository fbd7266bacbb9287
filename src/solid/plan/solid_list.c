#include "solid_list.h"

#include <math.h>

/* Returns a parameter of a point. */
static double param_of(const clsp_solid_plan *plan, const clspi_solid_list *list, size_t point,
                       size_t a)
{
    const size_t at = list->planar ? a * list->num + point : 3 * point + a;

    return plan->desc.precision == CLSP_F64 ? ((const double *)list->params)[at]
                                            : (double)((const float *)list->params)[at];
}

void clspi_solid_spot_find(const clsp_solid_plan *plan, const clspi_solid_list *list, size_t point,
                           clspi_solid_spot *spot)
{
    const uint32_t cell = list->cells ? list->cells[point] : 0;
    bool is_there = cell < plan->num_cells;

    for (size_t a = 0; a < 3; a++) {
        const double t = param_of(plan, list, point, a);
        is_there = is_there && !isnan(t);
        spot->t[a] = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    }
    spot->cell = cell;
    spot->is_there = is_there;
    spot->face = CLSPI_NOWHERE;
    if (is_there)
        spot->face =
            plan->faces ? clspi_solid_face_at(plan->faces[cell], spot->t) : (uint8_t)CLSPI_NO_FACE;
    for (size_t a = 0; a < 3 && !is_there; a++)
        spot->t[a] = (double)NAN;
}
