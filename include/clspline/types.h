/* Types that every part of clspline shares: status values, precisions, symbol visibility. */
#ifndef CLSPLINE_TYPES_H
#define CLSPLINE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

#if defined(CLSP_BUILDING) && (defined(__GNUC__) || defined(__clang__))
#define CLSP_API __attribute__((visibility("default")))
#else
#define CLSP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns. 0 is success; -1 to -1999 is the cl_int that OpenCL gave, unchanged; the
   values below are clspline's own. A value is never given a second meaning. After an error a call's
   outputs are as they were, save where its declaration says otherwise; the reason in words goes to
   the context's log. */
typedef int clsp_status;

enum {
    CLSP_OK = 0,
    CLSP_ERROR_ARGUMENT = -2001,    /* an argument or a description field is out of its range */
    CLSP_ERROR_DEGREE = -2002,      /* a degree is above what the method or the library allows */
    CLSP_ERROR_BUFFER_SIZE = -2003, /* a buffer is too small for the range asked for */
    CLSP_ERROR_NO_DEVICE = -2004,   /* no OpenCL device, or none that fits what was asked for */
    CLSP_ERROR_NO_FP64 = -2005,     /* double precision asked of a device without it */
    CLSP_ERROR_NO_MEMORY = -2006,   /* the host is out of memory, or a size does not fit size_t */
    CLSP_ERROR_DEVICE_LOST =
        -2007,                 /* the device failed earlier; the context can only be destroyed */
    CLSP_ERROR_STATE = -2008,  /* a call that must come first has not been made */
    CLSP_ERROR_WEIGHTS = -2009 /* a weight of a rational patch is not positive and finite */
};

/* Name and meaning of a status value, OpenCL's own included, as one line such as
   "CLSP_ERROR_NO_FP64: the device has no double precision". Never NULL; static storage.
   Thread-safe. */
CLSP_API const char *clsp_status_str(clsp_status status);

/* The numbers that a plan computes with, and the type of its inputs and outputs. */
typedef enum clsp_precision {
    CLSP_F32 = 0, /* float (the default) */
    CLSP_F64 = 1  /* double; needs a device with fp64 */
} clsp_precision;

/* How a result is stored, where it may differ from the precision that it was computed in. */
typedef enum clsp_storage {
    CLSP_STORE_AS_COMPUTED = 0, /* in the plan's precision (the default) */
    CLSP_STORE_F16 = 1,         /* IEEE binary16, rounded to nearest even; any device */
    CLSP_STORE_F32 = 2,
    CLSP_STORE_F64 = 3 /* only with CLSP_F64 */
} clsp_storage;

#ifdef __cplusplus
}
#endif

#endif
