#include "gemm_ref.h"

#include <math.h>

void gemm_ref(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b,
              size_t ldb, long double *c, long double *abs_sum)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            long double sum = 0, sum_of_abs = 0;
            for (size_t l = 0; l < k; l++) {
                const long double product =
                    (long double)a[i * lda + l] * (long double)b[l * ldb + j];
                sum += product;
                sum_of_abs += fabsl(product);
            }
            c[i * n + j] = sum;
            abs_sum[i * n + j] = sum_of_abs;
        }
    }
}
