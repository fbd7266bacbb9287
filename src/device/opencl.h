/* OpenCL by address: the library links no loader, and computes on the host where there is none.
   This header is what src has in the place of CL/cl.h: with it a call of OpenCL goes by the table.
 */
#ifndef CLSPI_OPENCL_H
#define CLSPI_OPENCL_H

#include <stdbool.h>

#ifdef __APPLE__
#include <OpenCL/cl.h>
#else
#include <CL/cl.h>
#endif

/* X(name) for every function that the library calls, of OpenCL 1.2 and before, */
/* clang-format off */
#define CLSPI_OPENCL_FUNCTIONS(X)                                                                  \
    X(clBuildProgram) X(clCreateBuffer) X(clCreateCommandQueue) X(clCreateContext)                 \
    X(clCreateImage) X(clCreateKernel) X(clCreateKernelsInProgram) X(clCreateProgramWithBinary)    \
    X(clCreateProgramWithSource) X(clEnqueueBarrierWithWaitList) X(clEnqueueCopyBuffer)            \
    X(clEnqueueCopyBufferToImage) X(clEnqueueMapBuffer) X(clEnqueueMarkerWithWaitList)             \
    X(clEnqueueNDRangeKernel) X(clEnqueueNativeKernel) X(clEnqueueReadBuffer)                      \
    X(clEnqueueUnmapMemObject) X(clEnqueueWriteBuffer) X(clFinish) X(clFlush)                      \
    X(clGetCommandQueueInfo) X(clGetContextInfo) X(clGetDeviceIDs) X(clGetDeviceInfo)              \
    X(clGetEventInfo) X(clGetEventProfilingInfo) X(clGetExtensionFunctionAddressForPlatform)       \
    X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) X(clGetMemObjectInfo) X(clGetPlatformIDs)       \
    X(clGetPlatformInfo) X(clGetProgramBuildInfo) X(clGetProgramInfo)                              \
    X(clGetSupportedImageFormats) X(clReleaseCommandQueue) X(clReleaseContext) X(clReleaseEvent)   \
    X(clReleaseKernel) X(clReleaseMemObject) X(clReleaseProgram) X(clRetainCommandQueue)           \
    X(clRetainContext) X(clRetainEvent) X(clRetainMemObject) X(clSetEventCallback)                 \
    X(clSetKernelArg) X(clSetMemObjectDestructorCallback) X(clWaitForEvents)
/* clang-format on */

/* and of OpenCL 2.0, which loaders and devices may lack. */
#define CLSPI_OPENCL_2_FUNCTIONS(X) X(clSVMAlloc) X(clSVMFree) X(clSetKernelArgSVMPointer)

/* Addresses of the functions. Those of OpenCL 2.0 may be NULL. */
typedef struct clspi_opencl_table {
#define CLSPI_MEMBER(name) __typeof__(&name) name;
    CLSPI_OPENCL_FUNCTIONS(CLSPI_MEMBER)
    CLSPI_OPENCL_2_FUNCTIONS(CLSPI_MEMBER)
#undef CLSPI_MEMBER
} clspi_opencl_table;

/* Nothing calls OpenCL before it is open. */
extern clspi_opencl_table clspi_opencl;

/* Gives the address of a function by its name, NULL: it is not there. */
typedef void *(*clspi_opencl_address)(const char *name);

/* Fills the table, once a process: by the caller's function where one is given, else by what the
   process shows, else from the system's loader. Returns NULL, or why there is no OpenCL (static
   storage); a later call may find it. Thread-safe. */
const char *clspi_opencl_open(clspi_opencl_address address);

/* Gives the address of another function from where the table's are; NULL: it is not there. */
void *clspi_opencl_function(const char *name);

#ifndef CLSPI_OPENCL_BY_NAME
#define clBuildProgram               clspi_opencl.clBuildProgram
#define clCreateBuffer               clspi_opencl.clCreateBuffer
#define clCreateCommandQueue         clspi_opencl.clCreateCommandQueue
#define clCreateContext              clspi_opencl.clCreateContext
#define clCreateImage                clspi_opencl.clCreateImage
#define clCreateKernel               clspi_opencl.clCreateKernel
#define clCreateKernelsInProgram     clspi_opencl.clCreateKernelsInProgram
#define clCreateProgramWithBinary    clspi_opencl.clCreateProgramWithBinary
#define clCreateProgramWithSource    clspi_opencl.clCreateProgramWithSource
#define clEnqueueBarrierWithWaitList clspi_opencl.clEnqueueBarrierWithWaitList
#define clEnqueueCopyBuffer          clspi_opencl.clEnqueueCopyBuffer
#define clEnqueueCopyBufferToImage   clspi_opencl.clEnqueueCopyBufferToImage
#define clEnqueueMapBuffer           clspi_opencl.clEnqueueMapBuffer
#define clEnqueueMarkerWithWaitList  clspi_opencl.clEnqueueMarkerWithWaitList
#define clEnqueueNDRangeKernel       clspi_opencl.clEnqueueNDRangeKernel
#define clEnqueueNativeKernel        clspi_opencl.clEnqueueNativeKernel
#define clEnqueueReadBuffer          clspi_opencl.clEnqueueReadBuffer
#define clEnqueueUnmapMemObject      clspi_opencl.clEnqueueUnmapMemObject
#define clEnqueueWriteBuffer         clspi_opencl.clEnqueueWriteBuffer
#define clFinish                     clspi_opencl.clFinish
#define clFlush                      clspi_opencl.clFlush
#define clGetCommandQueueInfo        clspi_opencl.clGetCommandQueueInfo
#define clGetContextInfo             clspi_opencl.clGetContextInfo
#define clGetDeviceIDs               clspi_opencl.clGetDeviceIDs
#define clGetDeviceInfo              clspi_opencl.clGetDeviceInfo
#define clGetEventInfo               clspi_opencl.clGetEventInfo
#define clGetEventProfilingInfo      clspi_opencl.clGetEventProfilingInfo
#define clGetExtensionFunctionAddressForPlatform                                                   \
    clspi_opencl.clGetExtensionFunctionAddressForPlatform
#define clGetKernelInfo                  clspi_opencl.clGetKernelInfo
#define clGetKernelWorkGroupInfo         clspi_opencl.clGetKernelWorkGroupInfo
#define clGetMemObjectInfo               clspi_opencl.clGetMemObjectInfo
#define clGetPlatformIDs                 clspi_opencl.clGetPlatformIDs
#define clGetPlatformInfo                clspi_opencl.clGetPlatformInfo
#define clGetProgramBuildInfo            clspi_opencl.clGetProgramBuildInfo
#define clGetProgramInfo                 clspi_opencl.clGetProgramInfo
#define clGetSupportedImageFormats       clspi_opencl.clGetSupportedImageFormats
#define clReleaseCommandQueue            clspi_opencl.clReleaseCommandQueue
#define clReleaseContext                 clspi_opencl.clReleaseContext
#define clReleaseEvent                   clspi_opencl.clReleaseEvent
#define clReleaseKernel                  clspi_opencl.clReleaseKernel
#define clReleaseMemObject               clspi_opencl.clReleaseMemObject
#define clReleaseProgram                 clspi_opencl.clReleaseProgram
#define clRetainCommandQueue             clspi_opencl.clRetainCommandQueue
#define clRetainContext                  clspi_opencl.clRetainContext
#define clRetainEvent                    clspi_opencl.clRetainEvent
#define clRetainMemObject                clspi_opencl.clRetainMemObject
#define clSVMAlloc                       clspi_opencl.clSVMAlloc
#define clSVMFree                        clspi_opencl.clSVMFree
#define clSetEventCallback               clspi_opencl.clSetEventCallback
#define clSetKernelArg                   clspi_opencl.clSetKernelArg
#define clSetKernelArgSVMPointer         clspi_opencl.clSetKernelArgSVMPointer
#define clSetMemObjectDestructorCallback clspi_opencl.clSetMemObjectDestructorCallback
#define clWaitForEvents                  clspi_opencl.clWaitForEvents
#endif

#endif
