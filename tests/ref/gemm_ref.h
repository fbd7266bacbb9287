/* The oracle of matrix products: the textbook's triple loop in long double. */
#ifndef GEMM_REF_H
#define GEMM_REF_H

#include <stddef.h>

/* c[i * n + j] = sum over l of a[i * lda + l] * b[l * ldb + j], and abs_sum[i * n + j] the same of
   absolute values, to which the error of any order of summation is proportional. */
void gemm_ref(size_t m, size_t n, size_t k, const double *a, size_t lda, const double *b,
              size_t ldb, long double *c, long double *abs_sum);

#endif
