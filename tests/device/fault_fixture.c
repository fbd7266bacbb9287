#define CLSPI_OPENCL_BY_NAME
#include "fault_fixture.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* ---- the fault ---- */

const char *const kind_names[NUM_KINDS] = {
    "malloc",
    "calloc",
    "realloc",
    "clCreateContext",
    "clCreateCommandQueue",
    "clCreateProgramWithSource",
    "clCreateProgramWithBinary",
    "clBuildProgram",
    "clCreateKernel",
    "clCreateBuffer",
    "clCreateImage",
    "clEnqueueCopyBufferToImage",
    "clSetKernelArg",
    "clEnqueueNDRangeKernel",
    "clEnqueueCopyBuffer",
    "clEnqueueWriteBuffer",
    "clEnqueueReadBuffer",
    "clEnqueueMapBuffer",
    "clEnqueueUnmapMemObject",
    "clEnqueueMarkerWithWaitList",
    "clGetDeviceInfo",
    "clGetKernelWorkGroupInfo",
    "clGetPlatformIDs",
    "clGetDeviceIDs",
    "pthread_create",
    "clSVMAlloc",
    "clSetKernelArgSVMPointer",
    "clFlush",
    "clEnqueueNativeKernel",
    "clSetMemObjectDestructorCallback",
    "clWaitForEvents",
};

injected_fault fault;
atomic_long live_blocks, live_objects, live_mappings, live_events;

void arm_faults(enum kind kind, unsigned n, unsigned num)
{
    fault.armed = false;
    fault.kind = kind;
    fault.first = n;
    fault.last = n > 0 ? n + num - 1 : 0;
    for (int k = 0; k <= NUM_KINDS; k++)
        fault.calls[k] = 0;
    fault.reached = false;
    fault.armed = true;
}

void arm_fault(enum kind kind, unsigned n)
{
    arm_faults(kind, n, 1);
}

static bool fails(enum kind kind)
{
    if (!fault.armed) return false;
    const unsigned call = atomic_fetch_add(&fault.calls[kind], 1) + 1;
    if (kind == NUM_KINDS || kind != fault.kind || call < fault.first || call > fault.last)
        return false;
    fault.reached = true;
    return true;
}

/* ---- host ---- */

void *__real_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static void *counted(void *block)
{
    live_blocks += block != NULL;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return fails(MALLOC) ? NULL : counted(__real_malloc(size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails(MALLOC) ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(CALLOC) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails(REALLOC)) return NULL;
    void *const grown = __real_realloc(block, size);
    live_blocks += !block && grown;
    return grown;
}

void __wrap_free(void *block)
{
    live_blocks -= block != NULL;
    __real_free(block);
}

typedef void *(*thread_fn)(void *);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_fn fn, void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_fn fn, void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_fn fn, void *user)
{
    return fails(THREAD) ? EAGAIN : __real_pthread_create(thread, how, fn, user);
}

/* ---- OpenCL ---- */

#define TRANSFER_FAILURE                                                                           \
    (fault.keeps_device ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_RESOURCES)

/* A call that makes an object and reports by its last parameter. */
#define WRAP_CREATE(type, name, kind, failure, params, args)                                       \
    static type(CL_API_CALL *real_##name) params;                                                  \
    static type CL_API_CALL wrap_##name params                                                     \
    {                                                                                              \
        if (fails(kind)) {                                                                         \
            *code = failure;                                                                       \
            return NULL;                                                                           \
        }                                                                                          \
        type const made = real_##name args;                                                        \
        live_objects += made != NULL;                                                              \
        return made;                                                                               \
    }

/* A call that returns its status. */
#define WRAP_CALL(name, kind, failure, params, args)                                               \
    static cl_int(CL_API_CALL *real_##name) params;                                                \
    static cl_int CL_API_CALL wrap_##name params                                                   \
    {                                                                                              \
        return fails(kind) ? failure : real_##name args;                                           \
    }

/* A call that returns its status, and may make an event. */
#define WRAP_ENQUEUE(name, kind, failure, params, args)                                            \
    static cl_int(CL_API_CALL *real_##name) params;                                                \
    static cl_int CL_API_CALL wrap_##name params                                                   \
    {                                                                                              \
        const cl_int code = fails(kind) ? failure : real_##name args;                              \
        live_events += code == CL_SUCCESS && event;                                                \
        return code;                                                                               \
    }

/* A call that takes or gives up a reference. */
#define WRAP_REFERENCE(name, type, live, change)                                                   \
    static cl_int(CL_API_CALL *real_##name)(type object);                                          \
    static cl_int CL_API_CALL wrap_##name(type object)                                             \
    {                                                                                              \
        live += change;                                                                            \
        return real_##name(object);                                                                \
    }

typedef void(CL_CALLBACK *context_fn)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *program_fn)(cl_program, void *);
typedef void(CL_CALLBACK *native_fn)(void *);
typedef void(CL_CALLBACK *destructor_fn)(cl_mem, void *);

WRAP_CREATE(cl_context, clCreateContext, CREATE_CONTEXT, CL_OUT_OF_HOST_MEMORY,
            (const cl_context_properties *properties, cl_uint num, const cl_device_id *devices,
             context_fn fn, void *user, cl_int *code),
            (properties, num, devices, fn, user, code))
WRAP_CREATE(cl_command_queue, clCreateCommandQueue, CREATE_QUEUE, CL_OUT_OF_HOST_MEMORY,
            (cl_context context, cl_device_id device, cl_command_queue_properties properties,
             cl_int *code),
            (context, device, properties, code))
WRAP_CREATE(cl_program, clCreateProgramWithSource, CREATE_PROGRAM, CL_OUT_OF_HOST_MEMORY,
            (cl_context context, cl_uint num, const char **texts, const size_t *sizes,
             cl_int *code),
            (context, num, texts, sizes, code))
WRAP_CREATE(cl_program, clCreateProgramWithBinary, CREATE_BINARY, CL_INVALID_BINARY,
            (cl_context context, cl_uint num, const cl_device_id *devices, const size_t *sizes,
             const unsigned char **binaries, cl_int *each, cl_int *code),
            (context, num, devices, sizes, binaries, each, code))
WRAP_CREATE(cl_kernel, clCreateKernel, CREATE_KERNEL, CL_OUT_OF_HOST_MEMORY,
            (cl_program program, const char *name, cl_int *code), (program, name, code))
WRAP_CREATE(cl_mem, clCreateBuffer, CREATE_BUFFER, CL_MEM_OBJECT_ALLOCATION_FAILURE,
            (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
            (context, flags, size, host, code))
WRAP_CREATE(cl_mem, clCreateImage, CREATE_IMAGE, CL_MEM_OBJECT_ALLOCATION_FAILURE,
            (cl_context context, cl_mem_flags flags, const cl_image_format *format,
             const cl_image_desc *desc, void *host, cl_int *code),
            (context, flags, format, desc, host, code))
WRAP_ENQUEUE(clEnqueueCopyBufferToImage, COPY_TO_IMAGE, CL_OUT_OF_RESOURCES,
             (cl_command_queue queue, cl_mem source, cl_mem image, size_t offset,
              const size_t *origin, const size_t *region, cl_uint num_wait, const cl_event *wait,
              cl_event *event),
             (queue, source, image, offset, origin, region, num_wait, wait, event))

WRAP_CALL(clBuildProgram, BUILD_PROGRAM, CL_BUILD_PROGRAM_FAILURE,
          (cl_program program, cl_uint num, const cl_device_id *devices, const char *options,
           program_fn fn, void *user),
          (program, num, devices, options, fn, user))
WRAP_CALL(clSetKernelArg, SET_ARG, CL_OUT_OF_HOST_MEMORY,
          (cl_kernel kernel, cl_uint index, size_t size, const void *value),
          (kernel, index, size, value))
WRAP_ENQUEUE(clEnqueueNDRangeKernel, LAUNCH, CL_OUT_OF_RESOURCES,
             (cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
              const size_t *global, const size_t *local, cl_uint num_wait, const cl_event *wait,
              cl_event *event),
             (queue, kernel, dim, offset, global, local, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueCopyBuffer, COPY, CL_OUT_OF_RESOURCES,
             (cl_command_queue queue, cl_mem source, cl_mem target, size_t source_offset,
              size_t target_offset, size_t size, cl_uint num_wait, const cl_event *wait,
              cl_event *event),
             (queue, source, target, source_offset, target_offset, size, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueWriteBuffer, WRITE, TRANSFER_FAILURE,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
              const void *bytes, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocking, offset, size, bytes, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueReadBuffer, READ, TRANSFER_FAILURE,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
              void *bytes, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocking, offset, size, bytes, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueMarkerWithWaitList, MARKER, CL_OUT_OF_RESOURCES,
             (cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueBarrierWithWaitList, NUM_KINDS, CL_OUT_OF_RESOURCES,
             (cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, num_wait, wait, event))
WRAP_CALL(clSetKernelArgSVMPointer, SET_SVM_ARG, CL_OUT_OF_HOST_MEMORY,
          (cl_kernel kernel, cl_uint index, const void *value), (kernel, index, value))
WRAP_ENQUEUE(clEnqueueNativeKernel, NATIVE, CL_OUT_OF_RESOURCES,
             (cl_command_queue queue, native_fn fn, void *args, size_t size, cl_uint num,
              const cl_mem *buffers, const void **places, cl_uint num_wait, const cl_event *wait,
              cl_event *event),
             (queue, fn, args, size, num, buffers, places, num_wait, wait, event))
WRAP_CALL(clSetMemObjectDestructorCallback, SET_DESTRUCTOR, CL_OUT_OF_HOST_MEMORY,
          (cl_mem object, destructor_fn fn, void *user), (object, fn, user))
WRAP_CALL(clFlush, FLUSH, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue))
WRAP_CALL(clWaitForEvents, WAIT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          (cl_uint num, const cl_event *events), (num, events))
WRAP_CALL(clGetDeviceInfo, QUERY_DEVICE, CL_INVALID_VALUE,
          (cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed),
          (device, what, size, value, needed))
WRAP_CALL(clGetKernelWorkGroupInfo, QUERY_KERNEL, CL_INVALID_VALUE,
          (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size,
           void *value, size_t *needed),
          (kernel, device, what, size, value, needed))
WRAP_CALL(clGetPlatformIDs, GET_PLATFORMS, CL_OUT_OF_HOST_MEMORY,
          (cl_uint num, cl_platform_id *platforms, cl_uint *count), (num, platforms, count))
WRAP_CALL(clGetDeviceIDs, GET_DEVICES, CL_OUT_OF_HOST_MEMORY,
          (cl_platform_id platform, cl_device_type type, cl_uint num, cl_device_id *devices,
           cl_uint *count),
          (platform, type, num, devices, count))

static void *(CL_API_CALL *real_clEnqueueMapBuffer)(cl_command_queue queue, cl_mem buffer,
                                                    cl_bool blocking, cl_map_flags flags,
                                                    size_t offset, size_t size, cl_uint num_wait,
                                                    const cl_event *wait, cl_event *event,
                                                    cl_int *code);

static void *CL_API_CALL wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 size_t offset, size_t size, cl_uint num_wait,
                                                 const cl_event *wait, cl_event *event,
                                                 cl_int *code)
{
    if (fails(MAP)) {
        *code = TRANSFER_FAILURE;
        return NULL;
    }
    void *const mapped = real_clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size,
                                                 num_wait, wait, event, code);
    live_objects += mapped != NULL;
    live_mappings += mapped != NULL;
    live_events += *code == CL_SUCCESS && event;
    return mapped;
}

static cl_int(CL_API_CALL *real_clEnqueueUnmapMemObject)(cl_command_queue queue, cl_mem object,
                                                         void *mapped, cl_uint num_wait,
                                                         const cl_event *wait, cl_event *event);

static cl_int CL_API_CALL wrap_clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object,
                                                       void *mapped, cl_uint num_wait,
                                                       const cl_event *wait, cl_event *event)
{
    if (fails(UNMAP)) return CL_OUT_OF_HOST_MEMORY;
    const cl_int code = real_clEnqueueUnmapMemObject(queue, object, mapped, num_wait, wait, event);
    live_objects -= code == CL_SUCCESS; /* rusticl refuses until the mapping is over */
    live_mappings -= code == CL_SUCCESS;
    live_events += code == CL_SUCCESS && event;
    return code;
}

WRAP_REFERENCE(clRetainContext, cl_context, live_objects, +1)
WRAP_REFERENCE(clReleaseContext, cl_context, live_objects, -1)
WRAP_REFERENCE(clRetainCommandQueue, cl_command_queue, live_objects, +1)
WRAP_REFERENCE(clReleaseCommandQueue, cl_command_queue, live_objects, -1)
WRAP_REFERENCE(clReleaseProgram, cl_program, live_objects, -1)
WRAP_REFERENCE(clReleaseKernel, cl_kernel, live_objects, -1)
WRAP_REFERENCE(clRetainMemObject, cl_mem, live_objects, +1)
WRAP_REFERENCE(clReleaseMemObject, cl_mem, live_objects, -1)
WRAP_REFERENCE(clRetainEvent, cl_event, live_events, +1)
WRAP_REFERENCE(clReleaseEvent, cl_event, live_events, -1)

static cl_int(CL_API_CALL *real_clCreateKernelsInProgram)(cl_program program, cl_uint num,
                                                          cl_kernel *kernels, cl_uint *count);

static cl_int CL_API_CALL wrap_clCreateKernelsInProgram(cl_program program, cl_uint num,
                                                        cl_kernel *kernels, cl_uint *count)
{
    cl_uint made = 0;
    const cl_int code = real_clCreateKernelsInProgram(program, num, kernels, &made);

    if (code == CL_SUCCESS && kernels) live_objects += (long)made;
    if (count) *count = made;
    return code;
}

static void *(CL_API_CALL *real_clSVMAlloc)(cl_context context, cl_svm_mem_flags flags, size_t size,
                                            cl_uint align);
static void(CL_API_CALL *real_clSVMFree)(cl_context context, void *memory);

static void *CL_API_CALL wrap_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                                         cl_uint align)
{
    return fails(SVM_ALLOC) ? NULL : counted(real_clSVMAlloc(context, flags, size, align));
}

static void CL_API_CALL wrap_clSVMFree(cl_context context, void *memory)
{
    live_blocks -= memory != NULL;
    real_clSVMFree(context, memory);
}

/* clang-format off */
#define ALL_CALLS(X)                                                                               \
    X(clBuildProgram) X(clCreateBuffer) X(clCreateCommandQueue) X(clCreateContext)                 \
    X(clCreateImage) X(clCreateKernel) X(clCreateKernelsInProgram) X(clCreateProgramWithBinary)    \
    X(clCreateProgramWithSource) X(clEnqueueBarrierWithWaitList) X(clEnqueueCopyBuffer)            \
    X(clEnqueueCopyBufferToImage) X(clEnqueueMapBuffer) X(clEnqueueMarkerWithWaitList)             \
    X(clEnqueueNDRangeKernel) X(clEnqueueNativeKernel) X(clEnqueueReadBuffer)                      \
    X(clEnqueueUnmapMemObject) X(clEnqueueWriteBuffer) X(clFlush) X(clGetDeviceIDs)                \
    X(clGetDeviceInfo) X(clGetKernelWorkGroupInfo) X(clGetPlatformIDs) X(clReleaseCommandQueue)    \
    X(clReleaseContext) X(clReleaseEvent) X(clReleaseKernel) X(clReleaseMemObject)                 \
    X(clReleaseProgram) X(clRetainCommandQueue) X(clRetainContext) X(clRetainEvent)                \
    X(clRetainMemObject) X(clSVMAlloc) X(clSVMFree) X(clSetKernelArg) X(clSetKernelArgSVMPointer)  \
    X(clSetMemObjectDestructorCallback) X(clWaitForEvents)
/* clang-format on */

#define REDIRECT(name)                                                                             \
    real_##name = clspi_opencl.name;                                                               \
    if (real_##name) clspi_opencl.name = wrap_##name;

void redirect_calls(void)
{
    assert_null(clspi_opencl_open(NULL));
    ALL_CALLS(REDIRECT)
}

void let_go(clsp_context *ctx, long blocks)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 500 && live_blocks != blocks; i++) {
        clFinish(clsp_context_queue(ctx));
        nanosleep(&pause, NULL);
    }
}
