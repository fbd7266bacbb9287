/* Kernel arguments: structs that tools/embed_cl.py makes of the kernels' own parameters, and what
   sets them. A name or a type that a kernel does not have does not compile. */
#ifndef CLSPI_ARGUMENTS_H
#define CLSPI_ARGUMENTS_H

#include "log.h"

/* Four numbers of the kernel's precision. */
typedef struct clspi_real4 {
    double s[4];
} clspi_real4;

/* What a parameter is, and by which type the host gives it. */
typedef enum clspi_parameter_kind {
    CLSPI_MEMORY, /* cl_mem; NULL is refused */
    CLSPI_SVM,    /* void *, into shared virtual memory */
    CLSPI_UINT,   /* cl_uint */
    CLSPI_INT,    /* cl_int */
    CLSPI_WIDE,   /* uint64_t, for kernels two halves of 32 bits */
    CLSPI_REAL,   /* double, rounded to the precision */
    CLSPI_REAL4,  /* clspi_real4, rounded to the precision */
    CLSPI_STRUCT  /* the num_fields rows that follow, by value */
} clspi_parameter_kind;

typedef struct clspi_parameter {
    clspi_parameter_kind kind;
    size_t offset; /* of its value in the struct of arguments */
    size_t num_fields;
} clspi_parameter;

typedef struct clspi_signature {
    const char *kernel;
    const clspi_parameter *parameters;
    size_t num; /* rows, fields of structs included */
} clspi_signature;

/* Sets all arguments of a kernel. real_bytes: of its precision. */
clsp_status clspi_arguments_set(clspi_log *log, cl_kernel kernel, const clspi_signature *signature,
                                const void *args, size_t real_bytes);

#endif
