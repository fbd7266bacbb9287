/* The one place through which matrix products go: batches of C = A B, row-major, by CLBlast or by
   kernels of our own (gemm.cl, gemm_tiles.cl), whichever the tuning table names for the shape and
   the device. */
#ifndef CLSPI_GEMM_H
#define CLSPI_GEMM_H

#include "launch.h"

typedef enum clspi_gemm_method {
    CLSPI_GEMM_AUTO = 0,    /* our own kernels where there is no CLBlast */
    CLSPI_GEMM_CLBLAST = 1, /* for dense products; its first call compiles for seconds */
    CLSPI_GEMM_OWN = 2 /* our own: compiled for k and either n or a block of rows, or by tiles */
} clspi_gemm_method;

/* A batch of products: C_p [m][n] = A_p [m][k] * B_p [k][n] for p = 0..batch - 1. Sizes are in
   elements. */
typedef struct clspi_gemm_desc {
    clsp_type precision;
    size_t m, n, k;       /* below 2^31 each; with k = 0 the products are zeros */
    size_t lda, ldb, ldc; /* from one row to the next, below 2^31; 0: dense, that is k, n and n */
    size_t step_a; /* from one column of A to the next, below 2^31; 0: 1. Others are made by tiles
                      alone (clspi_gemm_by_tiles), and by CLBlast with lda 1 */
    size_t batch;  /* products, at most */
    size_t stride_a,
        stride_b;    /* from one product's matrix to the next one's; 0: one matrix for all */
    size_t stride_c; /* from one C to the next; the C_p must not overlap */
    clspi_gemm_method method;
} clspi_gemm_desc;

/* Tells whether our own kernels make such a product by tiles: where it is dense in all directions,
   and the device has local memory for that. */
bool clspi_gemm_by_tiles(const clsp_context *ctx, const clspi_gemm_desc *desc);

/* Tells whether tiles keep the device busy for so many elements of C. */
bool clspi_gemm_is_busy(const clsp_context *ctx, uint64_t elements);

/* Returns as many products as can be counted, so far apart. */
size_t clspi_gemm_most(const clspi_gemm_desc *desc);

/* Builds the program of tiles ahead of use, where the device has tiles. */
clsp_status clspi_gemm_build(const clspi_build *build, clsp_type precision);

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

/* Returns the method that runs: CLSPI_GEMM_CLBLAST or CLSPI_GEMM_OWN. */
clspi_gemm_method clspi_gemm_chosen(const clspi_gemm *gemm);

/* The buffers of a call; each offset is that of product 0's matrix, in elements, of row 0 in A. */
typedef struct clspi_gemm_buffers {
    cl_mem a;
    size_t a_offset;
    cl_mem b;
    size_t b_offset;
    cl_mem c;
    size_t c_offset;
} clspi_gemm_buffers;

/* Which rows of which products are made. */
typedef struct clspi_gemm_part {
    clsp_range products, rows; /* rows.count 0: all */
    size_t stride_c;           /* from one product's rows to the next one's; 0: the description's */
} clspi_gemm_part;

/* Enqueues a part of the products as part of a series of the same context. Row rows.first of
   product 0 goes to c_offset. C must not overlap A or B. Elements of the buffer of C outside the
   part stay as they are. Results do not depend on how a batch is split into parts: CLBlast makes
   rows in blocks of a number that the description alone decides. What lies beyond the 2^30 elements
   of a buffer that CLBlast counts our own kernels make. Errors: CLSP_ERROR_ARGUMENT
   (range, buffers), CLSP_ERROR_BUFFER_SIZE, CLSP_ERROR_NO_MEMORY, OpenCL's own. CLBlast's own codes
   are translated; the log names them. */
clsp_status clspi_gemm_enqueue(clspi_gemm *gemm, clspi_series *series,
                               const clspi_gemm_buffers *buffers, const clspi_gemm_part *part);

#endif
