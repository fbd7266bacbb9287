/* What every part of clspline shares: status values, element types, memory that calls read and
   write, and ranges.

   Structs of this library may grow. One that callers fill ends in reserved fields: they must be 0,
   as an initialiser with named fields leaves them, and a call refuses them otherwise, so that a
   later version can give them a meaning. A field that takes the place of one shares its bytes with
   an integer that is 0 where the field is not used. One that the library fills ends in reserved
   fields that it writes as 0. Neither changes its size within a soversion. clsp_range and clsp_axis
   stay as they are for good. */
#ifndef CLSPLINE_TYPES_H
#define CLSPLINE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(CLSP_BUILDING) && (defined(__GNUC__) || defined(__clang__))
#define CLSP_API __attribute__((visibility("default")))
#else
#define CLSP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library that runs, as CLSP_VERSION_NUMBER of version.h is that of the
   headers: major << 16 | minor << 8 | patch. Thread-safe. */
CLSP_API uint32_t clsp_version(void);

enum { CLSP_RESERVED = 4 /* reserved fields of a struct */ };

/* Handles of OpenCL, declared as CL/cl.h declares them: a program that has buffers, events or
   queues includes it too, and one that has none needs neither that header nor a loader. */
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_event *cl_event;
typedef struct _cl_mem *cl_mem;

/* ---- status values ---- */

/* What a call returns. 0 is success; -1 to -1999 is the cl_int that OpenCL gave, unchanged; the
   values below are clspline's own. A value is never given a second meaning. After an error a call's
   outputs are as they were, save where its declaration says otherwise; the reason in words goes to
   the context's log. */
typedef int clsp_status;

enum {
    CLSP_OK = 0,
    CLSP_ERROR_ARGUMENT = -2001,    /* an argument or a description field is out of its range */
    CLSP_ERROR_DEGREE = -2002,      /* a degree is above what the method or the library allows */
    CLSP_ERROR_BUFFER_SIZE = -2003, /* a buffer or host memory is too small for the range */
    CLSP_ERROR_NO_DEVICE = -2004,   /* no OpenCL device, or none that fits what was asked for */
    CLSP_ERROR_NO_FP64 = -2005,     /* double precision asked of a device without it */
    CLSP_ERROR_NO_MEMORY = -2006,   /* the host is out of memory, or a size does not fit size_t */
    CLSP_ERROR_DEVICE_LOST = -2007, /* the device failed earlier, or by a fault that NVIDIA's driver
                                       calls -9999; the context can only be destroyed */
    CLSP_ERROR_STATE = -2008,       /* a call that must come first has not been made, or failed;
                                       or the process was forked (context.h) */
    CLSP_ERROR_WEIGHTS = -2009,     /* a weight of a rational patch is not positive and finite */
    CLSP_ERROR_NO_SHARING =
        -2010 /* a buffer cannot be shared with graphics by the way asked for (graphics.h) */
};

/* Returns name and meaning of a status value, OpenCL's own included, as one line such as
   "CLSP_ERROR_NO_FP64: the device has no double precision". Never NULL; static storage.
   Thread-safe. */
CLSP_API const char *clsp_status_str(clsp_status status);

/* ---- types ---- */

/* The type of an element: of arithmetic, of vertices, of memory. */
typedef enum clsp_type {
    CLSP_TYPE_DEFAULT = 0, /* what the declaration says */
    CLSP_F32 = 1,          /* float */
    CLSP_F64 = 2,          /* double; arithmetic in it needs a device with fp64 */
    CLSP_F16 = 3,          /* IEEE binary16, rounded to nearest even; storage on any device */
    CLSP_U8 = 4,
    CLSP_U16 = 5,
    CLSP_S16 = 6,
    CLSP_U32 = 7
} clsp_type;

/* Returns the bytes of an element; 0 for CLSP_TYPE_DEFAULT and values that are no type. */
CLSP_API size_t clsp_type_bytes(clsp_type type);

/* Items first .. first + count - 1. */
typedef struct clsp_range {
    size_t first, count;
} clsp_range;

/* ---- memory ---- */

/* Memory that a call reads: exactly one of buffer, host and svm, or none of them where nothing is
   read. What a call reads begins with element `offset`; size and offset count elements of type. A
   buffer's own size is checked, of host memory and SVM that which is said here:
   CLSP_ERROR_BUFFER_SIZE.

   buffer, svm: the call enqueues and returns, and the memory is read when its command runs.
   host: it returns when the memory has been read. An svm pointer is one into memory of clSVMAlloc
   in the context's cl_context, or any pointer on a device with fine-grain system SVM; coarse-grain
   memory must not be mapped while the command runs. On a device without SVM it is
   CLSP_ERROR_ARGUMENT. CL_MEM_READ_ONLY suffices for an input. */
typedef struct clsp_input {
    clsp_type type; /* default: the one that the call takes; another is CLSP_ERROR_ARGUMENT */
    cl_mem buffer;
    const void *host;
    const void *svm;
    size_t size;   /* of host and svm: elements that there are from their pointer on */
    size_t offset; /* elements before the first that is read */
    uint64_t reserved[CLSP_RESERVED];
} clsp_input;

/* A buffer that is shared with graphics (graphics.h). */
typedef struct clsp_graphics clsp_graphics;

/* Memory that a call writes, given as a clsp_input is, or a buffer that is shared with graphics:
   exactly one of buffer, host, svm and graphics. A buffer or svm pointer is written when the call's
   command has run, host memory when the call returns, a graphics buffer as graphics.h says. What of
   it the call does not mean to write stays as it is. A buffer needs CL_MEM_READ_WRITE, since some
   results are made in two passes. Outputs must not overlap inputs. */
typedef struct clsp_output {
    clsp_type type;
    cl_mem buffer;
    void *host;
    void *svm;
    size_t size; /* of host and svm */
    size_t offset;
    union {
        uint64_t no_graphics; /* 0 */
        clsp_graphics *graphics;
    };
    uint64_t reserved[CLSP_RESERVED - 1];
} clsp_output;

/* Make the memory of a host pointer, of a buffer from element `offset` on, and of an SVM
   pointer. */
static inline clsp_input clsp_in_f32(const float *host, size_t size)
{
    clsp_input in = {CLSP_F32, NULL, host, NULL, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_f64(const double *host, size_t size)
{
    clsp_input in = {CLSP_F64, NULL, host, NULL, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_f16(const uint16_t *host, size_t size)
{
    clsp_input in = {CLSP_F16, NULL, host, NULL, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_u8(const uint8_t *host, size_t size)
{
    clsp_input in = {CLSP_U8, NULL, host, NULL, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_u16(const uint16_t *host, size_t size)
{
    clsp_input in = {CLSP_U16, NULL, host, NULL, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_s16(const int16_t *host, size_t size)
{
    clsp_input in = {CLSP_S16, NULL, host, NULL, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_u32(const uint32_t *host, size_t size)
{
    clsp_input in = {CLSP_U32, NULL, host, NULL, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_buffer(cl_mem buffer, clsp_type type, size_t offset)
{
    clsp_input in = {type, buffer, NULL, NULL, 0, offset, {0, 0, 0, 0}};
    return in;
}

static inline clsp_input clsp_in_svm(const void *svm, clsp_type type, size_t size)
{
    clsp_input in = {type, NULL, NULL, svm, size, 0, {0, 0, 0, 0}};
    return in;
}

static inline clsp_output clsp_out_f32(float *host, size_t size)
{
    clsp_output out = {CLSP_F32, NULL, host, NULL, size, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_f64(double *host, size_t size)
{
    clsp_output out = {CLSP_F64, NULL, host, NULL, size, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_f16(uint16_t *host, size_t size)
{
    clsp_output out = {CLSP_F16, NULL, host, NULL, size, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_u8(uint8_t *host, size_t size)
{
    clsp_output out = {CLSP_U8, NULL, host, NULL, size, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_u16(uint16_t *host, size_t size)
{
    clsp_output out = {CLSP_U16, NULL, host, NULL, size, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_s16(int16_t *host, size_t size)
{
    clsp_output out = {CLSP_S16, NULL, host, NULL, size, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_u32(uint32_t *host, size_t size)
{
    clsp_output out = {CLSP_U32, NULL, host, NULL, size, 0, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_buffer(cl_mem buffer, clsp_type type, size_t offset)
{
    clsp_output out = {type, buffer, NULL, NULL, 0, offset, {0}, {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_svm(void *svm, clsp_type type, size_t size)
{
    clsp_output out = {type, NULL, NULL, svm, size, 0, {0}, {0, 0, 0}};
    return out;
}

#ifdef __cplusplus
}
#endif

#endif
