#include "arguments.h"

#include <string.h>

#include "check.h"

enum { STRUCT_BYTES_MAX = 256 };

/* A value as the device takes it. */
typedef struct packed {
    size_t bytes, align;
    union {
        cl_uint u[2];
        cl_int i;
        float narrow[4];
        double wide[4];
    } value;
} packed;

static packed pack_reals(const double *values, size_t num, size_t real_bytes)
{
    packed p = {.bytes = num * real_bytes, .align = num * real_bytes};

    for (size_t k = 0; k < num; k++) {
        if (real_bytes == sizeof(double))
            p.value.wide[k] = values[k];
        else
            p.value.narrow[k] = (float)values[k];
    }
    return p;
}

static packed pack_wide(uint64_t number)
{
    const packed p = {.bytes = sizeof(cl_uint2),
                      .align = sizeof(cl_uint2),
                      .value.u = {(cl_uint)number, (cl_uint)(number >> 32)}};
    return p;
}

/* Packs a value that is no memory and no struct. */
static packed pack(clspi_parameter_kind kind, const void *value, size_t real_bytes)
{
    packed p = {.bytes = sizeof(cl_uint), .align = sizeof(cl_uint)};

    switch (kind) {
    case CLSPI_REAL:
        return pack_reals(value, 1, real_bytes);
    case CLSPI_REAL4:
        return pack_reals(value, 4, real_bytes);
    case CLSPI_WIDE:
        return pack_wide(*(const uint64_t *)value);
    case CLSPI_INT:
        p.value.i = *(const cl_int *)value;
        return p;
    default:
        p.value.u[0] = *(const cl_uint *)value;
        return p;
    }
}

/* A struct as the device takes it. */
typedef struct packed_struct {
    unsigned char bytes[STRUCT_BYTES_MAX];
    size_t used;   /* to the end of the last field; 0: there was no room for all */
    size_t padded; /* the size that it has in C */
} packed_struct;

/* Packs fields one after another as OpenCL C aligns them. */
static void pack_struct(packed_struct *s, const clspi_parameter *fields, size_t num,
                        const char *args, size_t real_bytes)
{
    size_t used = 0, largest = 1;

    memset(s, 0, sizeof *s);
    for (size_t k = 0; k < num; k++) {
        const packed p = pack(fields[k].kind, args + fields[k].offset, real_bytes);
        used = clspi_round_up(used, p.align);
        if (used + p.bytes > STRUCT_BYTES_MAX) return;
        memcpy(s->bytes + used, &p.value, p.bytes);
        used += p.bytes;
        largest = clspi_max(largest, p.align);
    }
    s->used = used;
    s->padded = clspi_round_up(used, largest);
}

/* Sets a struct. Mesa's rusticl up to 22.3 does not count what pads its end. */
static cl_int set_struct(cl_kernel kernel, cl_uint index, const packed_struct *s)
{
    const cl_int code =
        s->used > 0 ? clSetKernelArg(kernel, index, s->padded, s->bytes) : CL_INVALID_ARG_SIZE;

    if (code != CL_INVALID_ARG_SIZE || s->used == s->padded) return code;
    return clSetKernelArg(kernel, index, s->used, s->bytes);
}

/* Sets argument `index` from the row of its parameter. */
static cl_int set(cl_kernel kernel, cl_uint index, const clspi_parameter *parameter,
                  const char *args, size_t real_bytes)
{
    const void *const value = args + parameter->offset;
    packed_struct s;

    if (parameter->kind == CLSPI_SVM)
        return clSetKernelArgSVMPointer(kernel, index, *(void *const *)value);
    if (parameter->kind == CLSPI_MEMORY) {
        if (!*(const cl_mem *)value) return CL_INVALID_MEM_OBJECT; /* drivers would take it */
        return clSetKernelArg(kernel, index, sizeof(cl_mem), value);
    }
    if (parameter->kind == CLSPI_STRUCT) {
        pack_struct(&s, parameter + 1, parameter->num_fields, args, real_bytes);
        return set_struct(kernel, index, &s);
    }
    const packed p = pack(parameter->kind, value, real_bytes);
    return clSetKernelArg(kernel, index, p.bytes, &p.value);
}

clsp_status clspi_arguments_set(clspi_log *log, cl_kernel kernel, const clspi_signature *signature,
                                const void *args, size_t real_bytes)
{
    cl_uint index = 0;

    for (size_t k = 0; k < signature->num; k += 1 + signature->parameters[k].num_fields, index++)
        CLSPI_CHECK(clspi_cl(log, set(kernel, index, &signature->parameters[k], args, real_bytes),
                             "clSetKernelArg"));
    return CLSP_OK;
}

uint32_t clspi_arguments_memory(const clspi_signature *signature, const void *args,
                                cl_mem memory[CLSPI_MAX_ARGUMENTS])
{
    uint32_t index = 0;

    for (size_t k = 0; k < signature->num; k += 1 + signature->parameters[k].num_fields, index++) {
        const clspi_parameter *const parameter = &signature->parameters[k];
        const void *const value = (const char *)args + parameter->offset;
        memory[index] = parameter->kind == CLSPI_MEMORY ? *(const cl_mem *)value : NULL;
    }
    return index;
}

size_t clspi_arguments_values(const clspi_signature *signature, const void *args, size_t real_bytes,
                              bool of_launch, unsigned char *to)
{
    size_t bytes = 0;
    packed_struct s;

    for (size_t k = 0; k < signature->num; k += 1 + signature->parameters[k].num_fields) {
        const clspi_parameter *const parameter = &signature->parameters[k];
        if (parameter->kind != CLSPI_STRUCT || parameter->of_launch != of_launch) continue;
        pack_struct(&s, parameter + 1, parameter->num_fields, args, real_bytes);
        const size_t whole = clspi_round_up(s.padded, CLSPI_VALUE_BYTES);
        if (to) memcpy(to + bytes, s.bytes, whole);
        bytes += whole;
    }
    return bytes;
}
