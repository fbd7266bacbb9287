/* CLBlast, which makes large matrix products on GPUs: opened when a product first wants it, so that
   neither its headers nor its library are needed to build or to run. The functions' parameters and
   the values of enumerations are those of its clblast_c.h. */
#ifndef CLSPI_CLBLAST_H
#define CLSPI_CLBLAST_H

#include <stdbool.h>
#include <stddef.h>

#include <clspline/types.h>

typedef enum clspi_clblast_layout {
    CLSPI_CLBLAST_ROW_MAJOR = 101 /* CLBlastLayoutRowMajor */
} clspi_clblast_layout;

typedef enum clspi_clblast_transpose {
    CLSPI_CLBLAST_NO = 111, /* CLBlastTransposeNo */
    CLSPI_CLBLAST_YES = 112 /* CLBlastTransposeYes */
} clspi_clblast_transpose;

/* Its functions by their own names less CLBlast; each returns one of its codes. */
typedef struct clspi_clblast {
    int (*sgemm)(clspi_clblast_layout, clspi_clblast_transpose, clspi_clblast_transpose, size_t m,
                 size_t n, size_t k, float alpha, cl_mem a, size_t a_offset, size_t lda, cl_mem b,
                 size_t b_offset, size_t ldb, float beta, cl_mem c, size_t c_offset, size_t ldc,
                 cl_command_queue *queue, cl_event *event);
    int (*dgemm)(clspi_clblast_layout, clspi_clblast_transpose, clspi_clblast_transpose, size_t m,
                 size_t n, size_t k, double alpha, cl_mem a, size_t a_offset, size_t lda, cl_mem b,
                 size_t b_offset, size_t ldb, double beta, cl_mem c, size_t c_offset, size_t ldc,
                 cl_command_queue *queue, cl_event *event);
} clspi_clblast;

/* Whether the library looks for CLBlast at all; a build may leave it out. */
bool clspi_clblast_is_built(void);

/* Finds it, once a process: what the process shows already, else its library. NULL: there is none,
   or it is left out. */
const clspi_clblast *clspi_clblast_find(void);

/* Says why none is found, and how to get it. */
const char *clspi_clblast_absence(void);

/* Translates one of its codes: OpenCL's own stay, the others would collide with our values. */
clsp_status clspi_clblast_status(int code);

#endif
