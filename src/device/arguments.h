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
    bool of_launch; /* launches that a persistent kernel makes have it each for itself */
} clspi_parameter;

typedef struct clspi_signature {
    const char *kernel;
    const clspi_parameter *parameters;
    size_t num;     /* rows, fields of structs included */
    bool is_queued; /* a persistent kernel can make its launches (launch_queue.h) */
} clspi_signature;

/* Sets all arguments of a kernel. real_bytes: of its precision. */
clsp_status clspi_arguments_set(clspi_log *log, cl_kernel kernel, const clspi_signature *signature,
                                const void *args, size_t real_bytes);

/* Lists the memory of a kernel's arguments by their indices, NULL for others; returns how many
   arguments there are, at most CLSPI_MAX_ARGUMENTS. */
enum { CLSPI_MAX_ARGUMENTS = 24 };
uint32_t clspi_arguments_memory(const clspi_signature *signature, const void *args,
                                cl_mem memory[CLSPI_MAX_ARGUMENTS]);

/* Writes the structs that launches have each for themselves, or the others, as the device takes
   them, each from a multiple of CLSPI_VALUE_BYTES on; returns the bytes, a multiple too. to: NULL:
   they are only counted. */
enum { CLSPI_VALUE_BYTES = 32 };
size_t clspi_arguments_values(const clspi_signature *signature, const void *args, size_t real_bytes,
                              bool of_launch, unsigned char *to);

#endif
