/* Programs: built once per context and option string, taken from the disk cache where that helps.
 */
#ifndef CLSPI_PROGRAM_H
#define CLSPI_PROGRAM_H

#include "context_internal.h"

/* A kernel object of the caller's own, with a local size that this kernel can be launched with. */
typedef struct clspi_kernel {
    cl_kernel kernel;
    size_t local;
} clspi_kernel;

/* Builds the .cl file `name` (without ending) with the options, or finds it built. The program
   belongs to the context. Options that do not begin with "-cl-std=" mean OpenCL C 1.2. build_ms,
   which may be NULL, gets the time that its build took. */
clsp_status clspi_program_get(clsp_context *ctx, const char *name, const char *options,
                              cl_program *program, double *build_ms);

/* Makes a kernel of clspi_program_get's program. Its local size is the tuning table's, halved until
   the device and the kernel's own limit allow it. */
clsp_status clspi_kernel_create(clspi_kernel *kernel, clsp_context *ctx, const char *program_name,
                                const char *options, const char *kernel_name);
/* The same for a kernel whose program is built for one local size, as -DCLSP_GROUP, which is added
   to the options: built again for half of it while the device or the kernel's own limit does not
   allow it. */
clsp_status clspi_kernel_create_grouped(clspi_kernel *kernel, clsp_context *ctx,
                                        const char *program_name, const char *options,
                                        const char *kernel_name);
void clspi_kernel_release(clspi_kernel *kernel);

/* Builds a program and names its kernels to fn, which may be NULL. */
clsp_status clspi_program_report(clsp_context *ctx, const char *name, const char *options,
                                 clsp_kernel_fn fn, void *user);
/* The same for a program of clspi_kernel_create_grouped. */
clsp_status clspi_program_report_grouped(clsp_context *ctx, const char *name, const char *options,
                                         const char *kernel_name, clsp_kernel_fn fn, void *user);

/* For clsp_context_destroy. */
void clspi_programs_release(clsp_context *ctx);

#endif
