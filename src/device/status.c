#include <clspline/types.h>
#include <clspline/version.h>

#include "check.h"
#include "log.h"

typedef struct status_text {
    clsp_status status;
    const char *text;
} status_text;

#define CL_NAME(code)                                                                              \
    {                                                                                              \
        code, #code                                                                                \
    }

static const status_text texts[] = {
    {CLSP_OK, "CLSP_OK: success"},
    {CLSP_ERROR_ARGUMENT, "CLSP_ERROR_ARGUMENT: an argument or description field is out of range"},
    {CLSP_ERROR_DEGREE, "CLSP_ERROR_DEGREE: the degree is above what is allowed"},
    {CLSP_ERROR_BUFFER_SIZE, "CLSP_ERROR_BUFFER_SIZE: the buffer is too small for the range"},
    {CLSP_ERROR_NO_DEVICE, "CLSP_ERROR_NO_DEVICE: no OpenCL device fits"},
    {CLSP_ERROR_NO_FP64, "CLSP_ERROR_NO_FP64: the device has no double precision"},
    {CLSP_ERROR_NO_MEMORY, "CLSP_ERROR_NO_MEMORY: out of host memory, or a size overflows"},
    {CLSP_ERROR_DEVICE_LOST, "CLSP_ERROR_DEVICE_LOST: the device failed earlier"},
    {CLSP_ERROR_STATE, "CLSP_ERROR_STATE: a call that must come first has not been made"},
    {CLSP_ERROR_WEIGHTS,
     "CLSP_ERROR_WEIGHTS: a weight of a rational patch is not positive and finite"},
    {CLSP_ERROR_NO_SHARING,
     "CLSP_ERROR_NO_SHARING: the buffer cannot be shared with graphics by the way asked for"},
    CL_NAME(CL_DEVICE_NOT_FOUND),
    CL_NAME(CL_DEVICE_NOT_AVAILABLE),
    CL_NAME(CL_COMPILER_NOT_AVAILABLE),
    CL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CL_NAME(CL_OUT_OF_RESOURCES),
    CL_NAME(CL_OUT_OF_HOST_MEMORY),
    CL_NAME(CL_PROFILING_INFO_NOT_AVAILABLE),
    CL_NAME(CL_MEM_COPY_OVERLAP),
    CL_NAME(CL_IMAGE_FORMAT_MISMATCH),
    CL_NAME(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    CL_NAME(CL_BUILD_PROGRAM_FAILURE),
    CL_NAME(CL_MAP_FAILURE),
    CL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CL_NAME(CL_COMPILE_PROGRAM_FAILURE),
    CL_NAME(CL_LINKER_NOT_AVAILABLE),
    CL_NAME(CL_LINK_PROGRAM_FAILURE),
    CL_NAME(CL_DEVICE_PARTITION_FAILED),
    CL_NAME(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    CL_NAME(CL_INVALID_VALUE),
    CL_NAME(CL_INVALID_DEVICE_TYPE),
    CL_NAME(CL_INVALID_PLATFORM),
    CL_NAME(CL_INVALID_DEVICE),
    CL_NAME(CL_INVALID_CONTEXT),
    CL_NAME(CL_INVALID_QUEUE_PROPERTIES),
    CL_NAME(CL_INVALID_COMMAND_QUEUE),
    CL_NAME(CL_INVALID_HOST_PTR),
    CL_NAME(CL_INVALID_MEM_OBJECT),
    CL_NAME(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    CL_NAME(CL_INVALID_IMAGE_SIZE),
    CL_NAME(CL_INVALID_SAMPLER),
    CL_NAME(CL_INVALID_BINARY),
    CL_NAME(CL_INVALID_BUILD_OPTIONS),
    CL_NAME(CL_INVALID_PROGRAM),
    CL_NAME(CL_INVALID_PROGRAM_EXECUTABLE),
    CL_NAME(CL_INVALID_KERNEL_NAME),
    CL_NAME(CL_INVALID_KERNEL_DEFINITION),
    CL_NAME(CL_INVALID_KERNEL),
    CL_NAME(CL_INVALID_ARG_INDEX),
    CL_NAME(CL_INVALID_ARG_VALUE),
    CL_NAME(CL_INVALID_ARG_SIZE),
    CL_NAME(CL_INVALID_KERNEL_ARGS),
    CL_NAME(CL_INVALID_WORK_DIMENSION),
    CL_NAME(CL_INVALID_WORK_GROUP_SIZE),
    CL_NAME(CL_INVALID_WORK_ITEM_SIZE),
    CL_NAME(CL_INVALID_GLOBAL_OFFSET),
    CL_NAME(CL_INVALID_EVENT_WAIT_LIST),
    CL_NAME(CL_INVALID_EVENT),
    CL_NAME(CL_INVALID_OPERATION),
    CL_NAME(CL_INVALID_GL_OBJECT),
    CL_NAME(CL_INVALID_BUFFER_SIZE),
    CL_NAME(CL_INVALID_MIP_LEVEL),
    CL_NAME(CL_INVALID_GLOBAL_WORK_SIZE),
    CL_NAME(CL_INVALID_PROPERTY),
    CL_NAME(CL_INVALID_IMAGE_DESCRIPTOR),
    CL_NAME(CL_INVALID_COMPILER_OPTIONS),
    CL_NAME(CL_INVALID_LINKER_OPTIONS),
    CL_NAME(CL_INVALID_DEVICE_PARTITION_COUNT),
    /* newer than the headers that this must build with */
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR: no context for graphics like these"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR: no OpenCL implementation is installed"},
};

uint32_t clsp_version(void)
{
    return CLSP_VERSION_NUMBER;
}

size_t clsp_type_bytes(clsp_type type)
{
    static const size_t bytes[] = {0, 4, 8, 2, 1, 2, 2, 4};

    return (unsigned)type < CLSPI_COUNT(bytes) ? bytes[type] : 0;
}

const char *clspi_type_name(clsp_type type)
{
    static const char *const names[] = {"CLSP_TYPE_DEFAULT", "CLSP_F32", "CLSP_F64", "CLSP_F16",
                                        "CLSP_U8",           "CLSP_U16", "CLSP_S16", "CLSP_U32"};

    return (unsigned)type < CLSPI_COUNT(names) ? names[type] : "a number that is no clsp_type";
}

const char *clsp_status_str(clsp_status status)
{
    for (size_t i = 0; i < CLSPI_COUNT(texts); i++)
        if (texts[i].status == status) return texts[i].text;
    return "a status value that is not clspline's (OpenCL or CLBlast code)";
}
