#include "product_weight.h"

double clspi_product_weight(uint32_t a, uint32_t b, uint32_t i, uint32_t k)
{
    /* the hypergeometric distribution: of k taken from a + b, i are of the first a; from the
       likeliest number, a ratio at a time, and divided by their sum */
    const uint32_t low = k > b ? k - b : 0, high = k < a ? k : a;
    const uint32_t mode = (uint32_t)((uint64_t)(a + 1) * (k + 1) / (a + b + 2));
    double sum = 0.0, value = 0.0;

    for (int up = 0; up < 2; up++) {
        double term = 1.0;
        for (uint32_t j = mode;; up ? j++ : j--) {
            if (!up || j != mode) sum += term;
            if (j == i) value = term;
            if (j == (up ? high : low)) break;
            term *= up ? (double)(a - j) * (k - j) / ((double)(j + 1) * (b - k + j + 1))
                       : (double)j * (b - k + j) / ((double)(a - j + 1) * (k - j + 1));
        }
    }
    return value / sum;
}
