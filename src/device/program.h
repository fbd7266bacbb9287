/* Programs: built once per context and option string, taken from the disk cache where that helps.
 */
#ifndef CLSPI_PROGRAM_H
#define CLSPI_PROGRAM_H

#include "arguments.h"
#include "options.h"

/* A kernel object of the caller's own, with a local size that this kernel can be launched with. */
typedef struct clspi_kernel {
    cl_kernel kernel;
    clsp_context *ctx;
    size_t local;
    const clspi_signature *signature;
    size_t real_bytes; /* of its program's precision */
} clspi_kernel;

/* Builds the .cl file `name` (without ending) with the options, or finds it built. The program
   belongs to the context. Options that do not begin with "-cl-std=" mean OpenCL C 1.2. build_ms,
   which may be NULL, gets the time that its build took. */
clsp_status clspi_program_get(clsp_context *ctx, const char *name, const char *options,
                              cl_program *program, double *build_ms);

/* Gives the time that building all programs of a context has taken, in ms. */
double clspi_programs_ms(clsp_context *ctx);

/* Makes a kernel of the .cl file `program`. Its local size is the tuning table's, halved until the
   device and the kernel's own limit allow it. */
clsp_status clspi_kernel_create(clspi_kernel *kernel, clsp_context *ctx, const char *program,
                                const clspi_signature *signature, const clspi_options *options);

/* Makes a kernel whose program is built for one local size, as -DCLSP_GROUP, which is added to the
   options: built again for half of it while the device or the kernel's own limit does not allow it.
 */
clsp_status clspi_kernel_create_grouped(clspi_kernel *kernel, clsp_context *ctx,
                                        const char *program, const clspi_signature *signature,
                                        const clspi_options *options);

/* Makes such a kernel, beginning with groups of `group` items. */
clsp_status clspi_kernel_create_for_group(clspi_kernel *kernel, clsp_context *ctx,
                                          const char *program, const clspi_signature *signature,
                                          const clspi_options *options, size_t group);
void clspi_kernel_release(clspi_kernel *kernel);

/* Makes of a kernel the persistent one that makes its launches (launch_queue.h), for groups of the
   same size. Only where clspi_svm_atomics is true. */
clsp_status clspi_kernel_create_queued(cl_kernel *made, const clspi_kernel *kernel);

/* How many builds there are, and were. */
typedef struct clspi_build_count {
    bool only_counts; /* builds are counted and not made */
    uint64_t done, all;
} clspi_build_count;

/* Where programs that are built ahead of use are reported. */
typedef struct clspi_build {
    clsp_context *ctx;
    clsp_kernel_fn fn; /* gets each kernel; may be NULL */
    void *user;
    clspi_build_count *count; /* NULL: builds are not counted */
} clspi_build;

/* Builds a program and reports its kernels. */
clsp_status clspi_program_build(const clspi_build *build, const char *program,
                                const clspi_options *options);

/* Builds a program as clspi_kernel_create_grouped does for one of its kernels, and reports all. */
clsp_status clspi_program_build_grouped(const clspi_build *build, const char *program,
                                        const clspi_signature *signature,
                                        const clspi_options *options);

/* Builds a program as clspi_kernel_create_for_group does, and reports all its kernels. */
clsp_status clspi_program_build_for_group(const clspi_build *build, const char *program,
                                          const clspi_signature *signature,
                                          const clspi_options *options, size_t group);

/* Releases all programs of a context, for clsp_context_destroy. */
void clspi_programs_release(clsp_context *ctx);

#endif
