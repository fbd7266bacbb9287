#include "solid_list.h"

#include <math.h>

/* Gets the parameters of a point. */
static void get_params(const clsp_solid_plan *plan, const clspi_solid_list *list, size_t point,
                       double t[3])
{
    const size_t at = list->plane ? point : 3 * point, step = list->plane ? list->plane : 1;

    if (plan->desc.precision == CLSP_F64)
        for (size_t a = 0; a < 3; a++)
            t[a] = ((const double *)list->params)[at + a * step];
    else
        for (size_t a = 0; a < 3; a++)
            t[a] = (double)((const float *)list->params)[at + a * step];
}

void clspi_solid_spot_find(const clsp_solid_plan *plan, const clspi_solid_list *list, size_t point,
                           clspi_solid_spot *spot)
{
    const uint32_t cell = list->cells ? list->cells[point] : 0;
    bool is_there = cell < plan->num_cells;
    double t[3];

    get_params(plan, list, point, t);
    for (size_t a = 0; a < 3; a++) {
        is_there &= t[a] == t[a];
        spot->t[a] = t[a] < 0.0 ? 0.0 : t[a] > 1.0 ? 1.0 : t[a];
    }
    spot->cell = cell;
    spot->is_there = is_there;
    spot->face = CLSPI_NOWHERE;
    if (is_there)
        spot->face =
            plan->faces ? clspi_solid_face_at(plan->faces[cell], spot->t) : (uint8_t)NO_FACE;
    for (size_t a = 0; a < 3 && !is_there; a++)
        spot->t[a] = (double)NAN;
}
