/* Loaded before OpenCL by those who ask which programs there are, and with which options: programs
   are not built, and each has one kernel without a name. */
#include <string.h>

#include <CL/cl.h>

/* What stands for every kernel; nobody looks into it. */
static char any_kernel;

static cl_kernel make_kernel(void)
{
    return (cl_kernel)(void *)&any_kernel;
}

/* Answers a question by so many bytes. */
static cl_int answer(const void *value, size_t bytes, size_t size, void *to, size_t *needed)
{
    if (needed) *needed = bytes;
    if (to && size >= bytes) memcpy(to, value, bytes);
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program program, cl_uint num,
                                               const cl_device_id *devices, const char *options,
                                               void(CL_CALLBACK *done)(cl_program, void *),
                                               void *user)
{
    (void)program;
    (void)num;
    (void)devices;
    (void)options;
    (void)done;
    (void)user;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                                      cl_program_build_info what, size_t size,
                                                      void *to, size_t *needed)
{
    (void)program;
    (void)device;
    (void)what;
    return answer("", 1, size, to, needed);
}

CL_API_ENTRY cl_int CL_API_CALL clCreateKernelsInProgram(cl_program program, cl_uint num,
                                                         cl_kernel *kernels, cl_uint *count)
{
    (void)program;
    if (count) *count = 1;
    if (kernels && num > 0) kernels[0] = make_kernel();
    return CL_SUCCESS;
}

CL_API_ENTRY cl_kernel CL_API_CALL clCreateKernel(cl_program program, const char *name,
                                                  cl_int *code)
{
    (void)program;
    (void)name;
    if (code) *code = CL_SUCCESS;
    return make_kernel();
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    (void)kernel;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetKernelInfo(cl_kernel kernel, cl_kernel_info what, size_t size,
                                                void *to, size_t *needed)
{
    (void)kernel;
    (void)what;
    return answer("", 1, size, to, needed);
}

/* Groups may be as large as the device's largest. */
CL_API_ENTRY cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                                         cl_kernel_work_group_info what,
                                                         size_t size, void *to, size_t *needed)
{
    const size_t group = what == CL_KERNEL_WORK_GROUP_SIZE ? 1 << 20 : 0;
    const cl_ulong none = 0;

    (void)kernel;
    (void)device;
    if (what == CL_KERNEL_LOCAL_MEM_SIZE || what == CL_KERNEL_PRIVATE_MEM_SIZE)
        return answer(&none, sizeof none, size, to, needed);
    return answer(&group, sizeof group, size, to, needed);
}
