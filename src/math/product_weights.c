#include "product_weights.h"

/* Computes C(a, i) C(b, k - i) / C(a + b, k), by factors near 1. */
static double product_weight(uint32_t a, uint32_t b, uint32_t i, uint32_t k)
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

size_t clspi_product_weights(double *w, uint32_t p, bool rational)
{
    size_t num = 0;

    for (uint32_t k = 0; k <= 2 * p; k++)
        for (uint32_t i = 0; i <= p; i++, num++)
            if (w)
                w[num] =
                    i > k || k - i > p ? 0.0 : product_weight(p, p, i, k) * (2 * i < k ? 2.0 : 1.0);
    if (!rational) return num;
    for (uint32_t l = 0; l < 3 * p; l++)
        for (uint32_t k = 0; k < 2 * p; k++, num++)
            if (w) w[num] = k > l || l - k > p ? 0.0 : product_weight(2 * p - 1, p, k, l);
    for (uint32_t l = 0; l < 3 * p; l++)
        for (uint32_t k = 0; k <= 2 * p; k++, num++)
            if (w) w[num] = k > l || l - k > p - 1 ? 0.0 : product_weight(2 * p, p - 1, k, l);
    return num;
}
