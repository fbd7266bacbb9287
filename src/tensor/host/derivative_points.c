#include "derivative_points.h"

#include <string.h>

/* Takes a difference of order `by` along a direction of points [n0][n1][n2][coords]; returns where
   they are then: in out, or left where they were. */
static const void *take_differences(const clspi_vertex_tile_desc *desc,
                                    const clspi_vertex_functions *functions, const void *from,
                                    size_t n[3], uint32_t direction, uint32_t by, void *out)
{
    const size_t coords = desc->shape.dim + desc->shape.rational;
    double falling = 1;

    for (uint32_t order = 1; order <= by; order++, from = out) {
        const size_t outer = (direction > 0 ? n[0] : 1) * (direction > 1 ? n[1] : 1);
        const size_t inner = (direction < 2 ? n[2] : 1) * (direction < 1 ? n[1] : 1);
        const size_t sizes[3] = {outer, n[direction], inner * coords};
        const double *const factors =
            desc->factors ? desc->factors(desc->points.user, direction, order) : NULL;
        falling *= (double)--n[direction];
        functions->difference(from, out, sizes, factors, order == by ? falling : 1);
    }
    return from;
}

void clspi_derivative_points(const clspi_vertex_tile_desc *desc,
                             const clspi_vertex_functions *functions, const void *from,
                             const uint32_t by[3], void *out)
{
    size_t n[3] = {desc->points.controls[0], desc->points.controls[1], desc->points.controls[2]};

    for (uint32_t d = 3; d-- > 0;)
        from = take_differences(desc, functions, from, n, d, by[d], out);
}
