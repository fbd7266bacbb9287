#include "derivative_points.h"

#include <string.h>

/* Takes a difference of order `by` along a direction of points [n[0]][n[1]][n[2]][n[3]][coords],
   which n[1 + direction] are; returns where they are then: in out, or left where they were. */
static const void *take_differences(const clspi_vertex_tile_desc *desc,
                                    const clspi_vertex_functions *functions, const void *from,
                                    size_t n[4], uint32_t direction, uint32_t by, void *out)
{
    size_t sizes[3] = {n[0], n[1 + direction], desc->shape.dim + desc->shape.rational};
    double falling = 1;

    for (uint32_t d = 0; d < 3; d++)
        if (d != direction) sizes[d < direction ? 0 : 2] *= n[1 + d];
    for (uint32_t order = 1; order <= by; order++, from = out) {
        const double *const factors =
            desc->factors ? desc->factors(desc->points.user, direction, order) : NULL;
        falling *= (double)--n[1 + direction];
        functions->difference(from, out, sizes, factors, order == by ? falling : 1);
        sizes[1]--;
    }
    return from;
}

void clspi_derivative_points(const clspi_vertex_tile_desc *desc,
                             const clspi_vertex_functions *functions, const void *from,
                             size_t patches, const uint32_t by[3], void *out)
{
    const uint32_t *const controls = desc->points.controls;
    size_t n[4] = {patches, controls[0], controls[1], controls[2]};

    for (uint32_t d = 3; d-- > 0;)
        from = take_differences(desc, functions, from, n, d, by[d], out);
}
