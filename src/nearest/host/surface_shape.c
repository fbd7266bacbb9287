/* Shapes of pieces, where patches come from, and parts of curves. */
#include "surface_parts.h"

enum { LANES = CLSPI_SURFACE_LANES };

void clspi_restrict_line(double *x, uint32_t n, size_t stride, uint64_t index, uint32_t depth)
{
    const double parts = (double)((uint64_t)1 << depth), left = parts - (double)index;
    const double begin = (double)index / parts, rest = left / parts, end = 1 / left;
    const double behind = 1 - end;

    for (uint32_t r = n; r > 0; r--)
        for (uint32_t i = 0; i < r; i++)
            for (int l = 0; l < LANES; l++) {
                double *const at = x + i * stride + l;
                *at = rest * *at + begin * at[stride];
            }
    for (uint32_t r = 1; r <= n; r++)
        for (uint32_t i = n; i >= r; i--)
            for (int l = 0; l < LANES; l++) {
                double *const at = x + i * stride + l;
                *at = behind * *(at - stride) + end * *at;
            }
}

clspi_surface_shape clspi_surface_shape_of(const uint32_t degree[2], uint32_t dim, bool rational)
{
    clspi_surface_shape shape = {.dim = dim, .rational = rational};

    shape.lanes = dim + rational > LANES ? 2 * LANES : LANES;
    shape.reals = shape.lanes;
    for (int i = 0; i < 2; i++) {
        const uint32_t n = shape.degree[i] = degree[i];
        double c = 1;
        shape.reals *= n + 1;
        for (uint32_t k = 0; k <= n; k++) {
            shape.binomial[i][k] = c;
            c = c * (n - k) / (k + 1);
        }
        c = 1;
        for (uint32_t k = 0; k <= 2 * n; k++) {
            shape.over[i][k] = 1 / c;
            c = c * (2 * n - k) / (k + 1);
        }
    }
    return shape;
}

const clspi_surface_source *clspi_surface_source_of(const clspi_surface_search *search,
                                                    size_t patch)
{
    size_t low = 0, high = search->num_sources;

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (search->sources[middle].first_patch <= patch)
            low = middle;
        else
            high = middle;
    }
    return &search->sources[low];
}
