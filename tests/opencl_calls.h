/* OpenCL for the tests of the public API, by address: they begin where there is no loader too. */
#ifndef TESTS_OPENCL_CALLS_H
#define TESTS_OPENCL_CALLS_H

#include <CL/cl.h>

/* clang-format off */
#define SUPPORT_OPENCL_CALLS(X)                                                                    \
    X(clCreateBuffer) X(clCreateCommandQueue) X(clCreateContext) X(clCreateSubBuffer)              \
    X(clCreateUserEvent) X(clEnqueueReadBuffer) X(clEnqueueSVMMap) X(clEnqueueSVMUnmap)            \
    X(clEnqueueWriteBuffer) X(clFinish) X(clGetCommandQueueInfo) X(clGetDeviceIDs)                 \
    X(clGetDeviceInfo) X(clGetEventInfo) X(clGetPlatformIDs) X(clGetSupportedImageFormats)         \
    X(clReleaseCommandQueue) X(clReleaseContext) X(clReleaseEvent) X(clReleaseMemObject)           \
    X(clRetainCommandQueue) X(clRetainMemObject) X(clSVMAlloc) X(clSVMFree)                        \
    X(clSetUserEventStatus) X(clWaitForEvents)
/* clang-format on */

/* Fills the table (support_begin does); NULL where there is no loader, or an older one. */
extern struct support_opencl_table {
#define SUPPORT_MEMBER(name) __typeof__(&name) name;
    SUPPORT_OPENCL_CALLS(SUPPORT_MEMBER)
#undef SUPPORT_MEMBER
} support_opencl;

void support_open_opencl(void);

#ifndef SUPPORT_OPENCL_BY_NAME
#define clCreateBuffer             support_opencl.clCreateBuffer
#define clCreateCommandQueue       support_opencl.clCreateCommandQueue
#define clCreateContext            support_opencl.clCreateContext
#define clCreateSubBuffer          support_opencl.clCreateSubBuffer
#define clCreateUserEvent          support_opencl.clCreateUserEvent
#define clEnqueueReadBuffer        support_opencl.clEnqueueReadBuffer
#define clEnqueueSVMMap            support_opencl.clEnqueueSVMMap
#define clEnqueueSVMUnmap          support_opencl.clEnqueueSVMUnmap
#define clEnqueueWriteBuffer       support_opencl.clEnqueueWriteBuffer
#define clFinish                   support_opencl.clFinish
#define clGetCommandQueueInfo      support_opencl.clGetCommandQueueInfo
#define clGetDeviceIDs             support_opencl.clGetDeviceIDs
#define clGetDeviceInfo            support_opencl.clGetDeviceInfo
#define clGetEventInfo             support_opencl.clGetEventInfo
#define clGetPlatformIDs           support_opencl.clGetPlatformIDs
#define clGetSupportedImageFormats support_opencl.clGetSupportedImageFormats
#define clReleaseCommandQueue      support_opencl.clReleaseCommandQueue
#define clReleaseContext           support_opencl.clReleaseContext
#define clReleaseEvent             support_opencl.clReleaseEvent
#define clReleaseMemObject         support_opencl.clReleaseMemObject
#define clRetainCommandQueue       support_opencl.clRetainCommandQueue
#define clRetainMemObject          support_opencl.clRetainMemObject
#define clSVMAlloc                 support_opencl.clSVMAlloc
#define clSVMFree                  support_opencl.clSVMFree
#define clSetUserEventStatus       support_opencl.clSetUserEventStatus
#define clWaitForEvents            support_opencl.clWaitForEvents
#endif

#endif
