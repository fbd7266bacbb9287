#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build_log.h"
#include "cache.h"
#include "check.h"
#include "host_device.h"
#include "clock.h"
#include "process.h"
#include "profile.h"
#include "sources.h"
#include "svm_atomics.h"

typedef struct clspi_program {
    struct clspi_program *next;
    const clspi_source *source;
    char *options;
    cl_program program;
    double build_ms;
} clspi_program;

static const clspi_source *find_source(const char *name)
{
    for (size_t i = 0; i < clspi_num_sources; i++)
        if (strcmp(clspi_sources[i].name, name) == 0) return &clspi_sources[i];
    return NULL;
}

/* ---- building ---- */

static void log_build_failure(clsp_context *ctx, const clspi_program *entry, const char *source)
{
    char *text = NULL, *placed;
    size_t size = 0;
    const cl_device_id device = ctx->device.id;

    if (clGetProgramBuildInfo(entry->program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) ==
        CL_SUCCESS)
        text = calloc(1, size + 1);
    if (text && clGetProgramBuildInfo(entry->program, device, CL_PROGRAM_BUILD_LOG, size, text,
                                      NULL) != CL_SUCCESS)
        text[0] = '\0';
    placed = text ? clspi_build_log_place(source, text) : NULL;
    clspi_message(&ctx->log, CLSP_LOG_ERROR, "%s.cl, built with '%s', does not compile on %s:\n%s",
                  entry->source->name, entry->options, ctx->device.name,
                  placed ? placed : "(no build log)");
    free(placed);
    free(text);
}

/* Builds a program with its options. PoCL would write to standard error how many warnings its
   compiler had, of vectors that are wider than the processor's for one. */
static cl_int build_quietly(const clsp_context *ctx, const clspi_program *entry)
{
    static const char quiet[] = " -w";
    const bool is_pocl = clspi_is_pocl(ctx->device.platform) != 0;
    char *const options = malloc(strlen(entry->options) + sizeof quiet);
    cl_int code = CL_OUT_OF_HOST_MEMORY;

    if (options) {
        sprintf(options, "%s%s", entry->options, is_pocl ? quiet : "");
        code = clBuildProgram(entry->program, 1, &ctx->device.id, options, NULL, NULL);
    }
    free(options);
    return code;
}

static clsp_status build_source(clsp_context *ctx, clspi_program *entry, const char *source)
{
    clsp_status status;
    cl_int code;

    entry->program = clCreateProgramWithSource(ctx->context, 1, &source, NULL, &code);
    status = clspi_cl(&ctx->log, code, "clCreateProgramWithSource");
    if (status != CLSP_OK) return status;
    code = build_quietly(ctx, entry);
    if (code == CL_SUCCESS) return CLSP_OK;
    log_build_failure(ctx, entry, source);
    clReleaseProgram(entry->program);
    entry->program = NULL;
    return code;
}

static bool build_cached(clsp_context *ctx, const clspi_cache_key *key, clspi_program *entry)
{
    unsigned char *binary;
    size_t size;
    cl_int code = CL_INVALID_BINARY, binary_code = CL_SUCCESS;

    if (!ctx->keeps_binaries || !clspi_cache_load(ctx->cache_dir, key, &binary, &size, &ctx->log))
        return false;
    entry->program =
        clCreateProgramWithBinary(ctx->context, 1, &ctx->device.id, &size,
                                  (const unsigned char **)&binary, &binary_code, &code);
    free(binary);
    if (code == CL_SUCCESS && binary_code == CL_SUCCESS) code = build_quietly(ctx, entry);
    if (code == CL_SUCCESS && binary_code == CL_SUCCESS) return true;
    clspi_message(&ctx->log, CLSP_LOG_WARNING, "cache: the driver refused the binary of %s.cl",
                  entry->source->name);
    if (entry->program) clReleaseProgram(entry->program);
    entry->program = NULL;
    return false;
}

/* Makes all kernels of a program before its binary is asked for: some drivers (ARM's) end compiling
   only then. */
static void finish_compiling(cl_program program)
{
    cl_uint count = 0;
    cl_kernel *kernels;

    if (clCreateKernelsInProgram(program, 0, NULL, &count) != CL_SUCCESS || count == 0) return;
    kernels = calloc(count, sizeof *kernels);
    if (kernels && clCreateKernelsInProgram(program, count, kernels, NULL) == CL_SUCCESS)
        for (cl_uint i = 0; i < count; i++)
            clReleaseKernel(kernels[i]);
    free(kernels);
}

/* Stores the binary of a program. Not where the caller's context holds several devices: a binary
   comes back for each then. */
static void store_binary(clsp_context *ctx, const clspi_cache_key *key, cl_program program)
{
    cl_uint num = 0;
    size_t size = 0;
    unsigned char *binary = NULL;

    if (!ctx->keeps_binaries) return;
    if (clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof num, &num, NULL) != CL_SUCCESS ||
        num != 1)
        return;
    finish_compiling(program);
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        size == 0)
        return;
    binary = malloc(size);
    if (binary &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) == CL_SUCCESS)
        clspi_cache_store(ctx->cache_dir, key, binary, size, &ctx->log);
    free(binary);
}

static clsp_status build(clsp_context *ctx, clspi_program *entry, const char *source)
{
    const clspi_cache_key key = {&ctx->device, source, entry->options};
    const double start = clspi_now_ms();
    const bool cached = build_cached(ctx, &key, entry);
    clsp_status status = CLSP_OK;

    if (!cached) status = build_source(ctx, entry, source);
    entry->build_ms = clspi_now_ms() - start;
    if (status != CLSP_OK) return status;
    clspi_message(&ctx->log, CLSP_LOG_INFO, "%s.cl, '%s': %s in %.1f ms", entry->source->name,
                  entry->options, cached ? "taken from the cache" : "compiled", entry->build_ms);
    if (!cached) store_binary(ctx, &key, entry->program);
    return CLSP_OK;
}

/* ---- the list of programs ---- */

static void free_entry(clspi_program *entry)
{
    if (entry->program) clReleaseProgram(entry->program);
    free(entry->options);
    free(entry);
}

static clspi_program *new_entry(const clspi_source *source, const char *options)
{
    static const char named[] = "-cl-std=";
    const char *const standard =
        strncmp(options, named, sizeof named - 1) == 0 ? "" : "-cl-std=CL1.2 ";
    clspi_program *const entry = calloc(1, sizeof *entry);

    if (!entry) return NULL;
    entry->source = source;
    entry->options = malloc(strlen(standard) + strlen(options) + 1);
    if (!entry->options) {
        free(entry);
        return NULL;
    }
    sprintf(entry->options, "%s%s", standard, options);
    return entry;
}

static clspi_program *find_entry(clsp_context *ctx, const clspi_program *wanted)
{
    for (clspi_program *p = ctx->programs; p; p = p->next)
        if (p->source == wanted->source && strcmp(p->options, wanted->options) == 0) return p;
    return NULL;
}

/* Finds or builds a program, with the lock held, so that two threads never compile the same one
   twice. */
static clsp_status get_entry(clsp_context *ctx, clspi_program *wanted, clspi_program **found)
{
    clsp_status status;
    char *source;

    *found = find_entry(ctx, wanted);
    if (*found) {
        free_entry(wanted);
        return CLSP_OK;
    }
    source = clspi_source_join(wanted->source);
    status = source ? build(ctx, wanted, source)
                    : clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "%s.cl: no memory for its text",
                                 wanted->source->name);
    free(source);
    if (status != CLSP_OK) {
        free_entry(wanted);
        return status;
    }
    wanted->next = ctx->programs;
    ctx->programs = wanted;
    *found = wanted;
    return CLSP_OK;
}

static clsp_status program_entry(clsp_context *ctx, const char *name, const char *options,
                                 clspi_program **found)
{
    CLSPI_CHECK(clspi_needs_kernels(ctx));
    const clspi_source *const source = find_source(name);
    clspi_program *const wanted = source ? new_entry(source, options) : NULL;
    clsp_status status;

    if (!source)
        return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "%s.cl: there is no such program", name);
    if (!wanted)
        return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "%s.cl: no memory for a program", name);
    pthread_mutex_lock(&ctx->programs_lock);
    status = get_entry(ctx, wanted, found);
    pthread_mutex_unlock(&ctx->programs_lock);
    return status;
}

void clspi_programs_release(clsp_context *ctx)
{
    while (ctx->programs) {
        clspi_program *const entry = ctx->programs;
        ctx->programs = entry->next;
        free_entry(entry);
    }
}

clsp_status clspi_program_get(clsp_context *ctx, const char *name, const char *options,
                              cl_program *program, double *build_ms)
{
    clspi_program *entry;
    const clsp_status status = program_entry(ctx, name, options, &entry);

    if (status != CLSP_OK) return status;
    *program = entry->program;
    if (build_ms) *build_ms = entry->build_ms;
    return CLSP_OK;
}

double clspi_programs_ms(clsp_context *ctx)
{
    double ms = 0;

    pthread_mutex_lock(&ctx->programs_lock);
    for (const clspi_program *p = ctx->programs; p; p = p->next)
        ms += p->build_ms;
    pthread_mutex_unlock(&ctx->programs_lock);
    return ms;
}

/* ---- kernels ---- */

static size_t kernel_limit(const clsp_context *ctx, cl_kernel kernel)
{
    size_t limit = 0;

    if (clGetKernelWorkGroupInfo(kernel, ctx->device.id, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit,
                                 &limit, NULL) != CL_SUCCESS)
        limit = 1;
    return clspi_min(limit, (size_t)ctx->device.max_work_group);
}

static clsp_status check_options(clsp_context *ctx, const char *program,
                                 const clspi_options *options)
{
    if (!options->too_long) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_NO_MEMORY, "%s.cl: too many build options", program);
}

/* Makes a kernel with a local size of at most `local`. */
static clsp_status create_kernel(clspi_kernel *kernel, clsp_context *ctx, const char *program,
                                 const clspi_signature *signature, const clspi_options *options,
                                 size_t local)
{
    cl_program built;
    cl_int code;

    *kernel = (clspi_kernel){.ctx = ctx, .signature = signature, .real_bytes = options->real_bytes};
    CLSPI_CHECK(check_options(ctx, program, options));
    CLSPI_CHECK(clspi_program_get(ctx, program, options->text, &built, NULL));
    kernel->kernel = clCreateKernel(built, signature->kernel, &code);
    CLSPI_CHECK(clspi_cl(&ctx->log, code, signature->kernel));
    kernel->local = local;
    while (kernel->local > 1 && kernel->local > kernel_limit(ctx, kernel->kernel))
        kernel->local /= 2;
    return CLSP_OK;
}

clsp_status clspi_kernel_create(clspi_kernel *kernel, clsp_context *ctx, const char *program,
                                const clspi_signature *signature, const clspi_options *options)
{
    return create_kernel(kernel, ctx, program, signature, options, ctx->tuning.work_group);
}

/* Returns the bytes of an item that are in memory of its own, or 0 where a driver cannot tell. */
static cl_ulong private_bytes_of(const clsp_context *ctx, cl_kernel kernel)
{
    cl_ulong bytes = 0;

    clGetKernelWorkGroupInfo(kernel, ctx->device.id, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes,
                             &bytes, NULL);
    return bytes;
}

/* Makes a kernel for a group of items, or for a smaller one; options become those it is built
   with. */
static clsp_status create_for_group(clspi_kernel *kernel, clsp_context *ctx, const char *program,
                                    const clspi_signature *signature, clspi_options *options,
                                    size_t group)
{
    while (group > 1 && group > ctx->device.max_work_group)
        group /= 2;
    for (;;) {
        clspi_options grouped = *options;
        clspi_option(&grouped, "GROUP", group);
        CLSPI_CHECK(create_kernel(kernel, ctx, program, signature, &grouped, group));
        if (kernel->local >= group) {
            *options = grouped;
            return CLSP_OK;
        }
        group = kernel->local;
        clspi_kernel_release(kernel);
    }
}

/* Creates a grouped kernel with few registers where that is asked for and takes no memory
   instead. */
static clsp_status create_with_registers(clspi_kernel *kernel, clsp_context *ctx,
                                         const char *program, const clspi_signature *signature,
                                         clspi_options *options, size_t group)
{
    clspi_options limited = *options;

    if (options->registers > 0 && clspi_is_nvidia(ctx->device.platform)) {
        clspi_option_registers(&limited, options->registers);
        CLSPI_CHECK(create_for_group(kernel, ctx, program, signature, &limited, group));
        if (private_bytes_of(ctx, kernel->kernel) == 0) {
            *options = limited;
            return CLSP_OK;
        }
        clspi_kernel_release(kernel);
    }
    return create_for_group(kernel, ctx, program, signature, options, group);
}

clsp_status clspi_kernel_create_for_group(clspi_kernel *kernel, clsp_context *ctx,
                                          const char *program, const clspi_signature *signature,
                                          const clspi_options *options, size_t group)
{
    clspi_options used = *options;

    return create_with_registers(kernel, ctx, program, signature, &used, group);
}

clsp_status clspi_kernel_create_grouped(clspi_kernel *kernel, clsp_context *ctx,
                                        const char *program, const clspi_signature *signature,
                                        const clspi_options *options)
{
    return clspi_kernel_create_for_group(kernel, ctx, program, signature, options,
                                         ctx->tuning.work_group);
}

/* Finds the program of a kernel among those of its context. */
static const clspi_program *entry_of(const clspi_kernel *kernel)
{
    const clspi_program *found;
    cl_program program = NULL;

    clGetKernelInfo(kernel->kernel, CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
    pthread_mutex_lock(&kernel->ctx->programs_lock);
    found = kernel->ctx->programs;
    while (found && found->program != program)
        found = found->next;
    pthread_mutex_unlock(&kernel->ctx->programs_lock);
    return found;
}

clsp_status clspi_kernel_create_queued(cl_kernel *made, const clspi_kernel *kernel)
{
    clsp_context *const ctx = kernel->ctx;
    const char *const name = kernel->signature->kernel;
    const clspi_program *const of = entry_of(kernel);
    clspi_options options;
    cl_program program;
    cl_int code;

    if (!of || !clspi_svm_atomics(ctx, &options))
        return clspi_fail(&ctx->log, CLSP_ERROR_STATE, "no persistent kernel makes %s", name);
    clspi_option(&options, "QUEUED", 1);
    /* behind the OpenCL C of the launches, which all programs begin with */
    const clspi_options rest = clspi_options_after(of->options + strcspn(of->options, " "));
    clspi_options_add(&options, &rest);
    CLSPI_CHECK(check_options(ctx, of->source->name, &options));
    CLSPI_CHECK(clspi_program_get(ctx, of->source->name, options.text, &program, NULL));
    *made = clCreateKernel(program, name, &code);
    CLSPI_CHECK(clspi_cl(&ctx->log, code, name));
    if (kernel_limit(ctx, *made) >= kernel->local) return CLSP_OK;
    clReleaseKernel(*made);
    return clspi_fail(&ctx->log, CL_INVALID_WORK_GROUP_SIZE,
                      "%s: too many registers in a persistent kernel", name);
}

static void CL_CALLBACK release_behind(cl_event event, cl_int status, void *kernel)
{
    (void)event, (void)status;
    clReleaseKernel(kernel);
}

/* Has a kernel released behind all commands of the queue, and tells whether that is so. NVIDIA's
   driver reads a released kernel whose buffers are released too when the event comes that its
   launch waits for (docs/notes/implementations.md). */
static bool releases_behind(const clspi_kernel *kernel)
{
    const clsp_context *const ctx = kernel->ctx;
    cl_event done;

    if (!ctx || !atomic_load(&ctx->gated) || !clspi_is_nvidia(ctx->device.platform) ||
        clEnqueueMarkerWithWaitList(ctx->queue, 0, NULL, &done) != CL_SUCCESS)
        return false;
    clspi_process_keep_code();
    const cl_int code = clSetEventCallback(done, CL_COMPLETE, release_behind, kernel->kernel);
    clReleaseEvent(done);
    return code == CL_SUCCESS;
}

void clspi_kernel_release(clspi_kernel *kernel)
{
    if (kernel->kernel && !releases_behind(kernel)) clReleaseKernel(kernel->kernel);
    kernel->kernel = NULL;
}

/* Counts a build. Tells whether it is to be made. */
static bool count_build(const clspi_build *build)
{
    if (!build->count) return true;
    if (build->count->only_counts)
        build->count->all++;
    else
        build->count->done++;
    return !build->count->only_counts;
}

static void report_kernel(const clspi_build *build, const clspi_program *entry, cl_kernel kernel)
{
    const clsp_context *const ctx = build->ctx;
    char name[128] = "";
    cl_ulong local = 0;
    size_t multiple = 0;
    const cl_device_id id = ctx->device.id;
    clsp_kernel_info info = {
        .program = entry->source->name, .kernel = name, .options = entry->options};

    /* a driver that cannot tell leaves a zero */
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name - 1, name, NULL);
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                             sizeof multiple, &multiple, NULL);
    clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local, &local, NULL);
    info.work_group_limit = kernel_limit(ctx, kernel);
    info.preferred_multiple = multiple;
    info.local_bytes = local;
    info.private_bytes = private_bytes_of(ctx, kernel);
    info.build_ms = entry->build_ms;
    if (build->count) {
        info.build = build->count->done;
        info.num_builds = build->count->all;
    }
    build->fn(build->user, &info);
}

/* Builds a program that is counted. */
static clsp_status build_program(const clspi_build *build, const char *program,
                                 const clspi_options *options)
{
    clsp_context *const ctx = build->ctx;
    clspi_program *entry;
    cl_kernel kernels[16];
    cl_uint count = 0;

    CLSPI_CHECK(check_options(ctx, program, options));
    CLSPI_CHECK(program_entry(ctx, program, options->text, &entry));
    if (!build->fn) return CLSP_OK;
    CLSPI_CHECK(clspi_cl(
        &ctx->log, clCreateKernelsInProgram(entry->program, CLSPI_COUNT(kernels), kernels, &count),
        "clCreateKernelsInProgram"));
    for (cl_uint i = 0; i < count; i++) {
        report_kernel(build, entry, kernels[i]);
        clReleaseKernel(kernels[i]);
    }
    return CLSP_OK;
}

clsp_status clspi_program_build(const clspi_build *build, const char *program,
                                const clspi_options *options)
{
    return count_build(build) ? build_program(build, program, options) : CLSP_OK;
}

clsp_status clspi_program_build_for_group(const clspi_build *build, const char *program,
                                          const clspi_signature *signature,
                                          const clspi_options *options, size_t group)
{
    clspi_options used = *options;
    clspi_kernel kernel;

    if (!count_build(build)) return CLSP_OK;
    CLSPI_CHECK(create_with_registers(&kernel, build->ctx, program, signature, &used, group));
    clspi_kernel_release(&kernel);
    return build_program(build, program, &used);
}

clsp_status clspi_program_build_grouped(const clspi_build *build, const char *program,
                                        const clspi_signature *signature,
                                        const clspi_options *options)
{
    return clspi_program_build_for_group(build, program, signature, options,
                                         build->ctx->tuning.work_group);
}
