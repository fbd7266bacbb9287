#include "cubic_fit.h"

#include "product_weights.h"

size_t clspi_cubic_fit_size(uint32_t degree)
{
    return (degree <= 3 ? (size_t)4 : (size_t)6) * (degree + 1);
}

void clspi_cubic_fit(double *weights, uint32_t degree)
{
    if (degree <= 3) {
        for (uint32_t k = 0; k < 4; k++)
            for (uint32_t j = 0; j <= degree; j++)
                *weights++ = clspi_product_weight(degree, 3 - degree, j, k);
        return;
    }
    for (uint32_t j = 0; j <= degree; j++) {
        for (uint32_t row = 1; row < 3; row++)
            *weights++ = clspi_product_weight(3, degree, row, row + j) / (degree + 4);
        for (uint32_t k = 0; k < 4; k++)
            *weights++ = clspi_product_weight(3, degree - 3, k, j);
    }
}
