/* The one place through which matrix products go: batches of C = A B, all matrices row-major, by
   CLBlast or by kernels of our own (gemm.cl), whichever the tuning table names for the shape and
   the device. */
#ifndef CLSPI_GEMM_H
#define CLSPI_GEMM_H

#include "launch.h"

typedef enum clspi_gemm_method {
    CLSPI_GEMM_AUTO = 0,    /* our own kernels where there is no CLBlast */
    CLSPI_GEMM_CLBLAST = 1, /* for dense products; its first call compiles for seconds */
    CLSPI_GEMM_SIZED =
        2 /* our own, compiled for k and either n or a block of rows: small and thin products */
} clspi_gemm_method;

/* A batch of products: C_p [m][n] = A_p [m][k] * B_p [k][n] for p = 0..batch - 1. Sizes are in
   elements. */
typedef struct clspi_gemm_desc {
    clsp_type precision;
    size_t m, n, k;       /* below 2^31 each; with k = 0 the products are zeros */
    size_t lda, ldb, ldc; /* from one row to the next, below 2^31; 0: dense, that is k, n and n */
    size_t batch;         /* products, at most */
    size_t stride_a,
        stride_b;    /* from one product's matrix to the next one's; 0: one matrix for all */
    size_t stride_c; /* from one C to the next; the C_p must not overlap */
    clspi_gemm_method method;
} clspi_gemm_desc;

/* A description made ready: checked, its method chosen, its kernel compiled. Takes one call at a
   time. */
typedef struct clspi_gemm clspi_gemm;

/* Makes a description ready. Errors: CLSP_ERROR_ARGUMENT (precision, method, CLBlast where there is
   none, sizes, leading dimensions, overlapping C), CLSP_ERROR_NO_FP64, CLSP_ERROR_NO_MEMORY (a size
   overflows), OpenCL's own. On error *gemm is NULL. */
clsp_status clspi_gemm_create(clspi_gemm **gemm, clsp_context *ctx, const clspi_gemm_desc *desc);

/* Releases it and writes NULL; *gemm may be NULL. CLBlast's programs stay in CLBlast's cache, and
   the cl_context with them, until the process ends or calls CLBlastClearCache. */
void clspi_gemm_destroy(clspi_gemm **gemm);

/* Returns the method that runs: CLSPI_GEMM_CLBLAST or CLSPI_GEMM_SIZED. */
clspi_gemm_method clspi_gemm_chosen(const clspi_gemm *gemm);

/* The buffers of a call; each offset is that of product 0's matrix, in elements. */
typedef struct clspi_gemm_buffers {
    cl_mem a;
    size_t a_offset;
    cl_mem b;
    size_t b_offset;
    cl_mem c;
    size_t c_offset;
} clspi_gemm_buffers;

/* Enqueues a range of the products as part of a series of the same context. C must not overlap A or
   B. Elements of the buffer of C outside the products stay as they are. Results do not depend on
   how a batch is split into ranges. Errors: CLSP_ERROR_ARGUMENT (range, buffers),
   CLSP_ERROR_BUFFER_SIZE, OpenCL's own. CLBlast's own codes are translated; the log names them. */
clsp_status clspi_gemm_enqueue(clspi_gemm *gemm, clspi_series *series,
                               const clspi_gemm_buffers *buffers, clsp_range products);

#endif
