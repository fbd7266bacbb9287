#include <string.h>

#include "cell_sums.h"

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    return b ? common_divisor(b, a % b) : a;
}

void clspi_cell_grid_shape(clspi_cell_grid *grid, bool is_double)
{
    const uint32_t lanes = is_double ? 8 : 16; /* of the longest vector */

    grid->width = grid->dim == 1 || grid->dim == 3 ? grid->dim : CLSPI_STAGED_WIDTH;
    grid->slots = grid->num_sums * grid->width;
    grid->most_w = 0;
    for (uint32_t k = 0; k < grid->num_sums; k++)
        if (clspi_order_by[grid->number[k]][2] > grid->most_w)
            grid->most_w = clspi_order_by[grid->number[k]][2];
    grid->period = grid->slots / common_divisor(grid->slots, lanes) * lanes;
}

void clspi_cell_grid_weights(const clspi_cell_grid *grid, bool is_double, uint32_t direction,
                             const void *along, size_t step, void *to)
{
    const size_t real = is_double ? sizeof(double) : sizeof(float);
    char *next = to;

    for (uint32_t s = 0; s < grid->num[direction]; s++)
        for (uint32_t i = 0; i < 4; i++)
            for (uint32_t x = 0; x < grid->period; x++, next += real) {
                const uint8_t sum = grid->number[x % grid->slots / grid->width];
                const size_t at = clspi_order_by[sum][direction] * step + 4 * s + i;
                memcpy(next, (const char *)along + at * real, real);
            }
}
