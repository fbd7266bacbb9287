#include "svm_atomics.h"

#include <stdlib.h>
#include <string.h>

bool clspi_has_svm_atomics(const clsp_device_info *info)
{
    const uint32_t both = CLSP_SVM_FINE_BUFFER | CLSP_SVM_ATOMICS;

    return (info->svm & both) == both;
}

/* Tells whether a word is among the features of OpenCL C 3.0 that a device lists. */
static bool has_feature(cl_device_id device, const char *word)
{
    size_t size = 0;
    cl_name_version *list;
    bool found = false;

    if (clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, 0, NULL, &size) != CL_SUCCESS ||
        size == 0)
        return false;
    list = malloc(size);
    if (list &&
        clGetDeviceInfo(device, CL_DEVICE_OPENCL_C_FEATURES, size, list, NULL) == CL_SUCCESS)
        for (size_t i = 0; i < size / sizeof *list && !found; i++)
            found = strncmp(list[i].name, word, sizeof list[i].name) == 0;
    free(list);
    return found;
}

bool clspi_svm_atomics(const clsp_context *ctx, clspi_options *options)
{
    const clsp_device_info *const info = &ctx->device;
    const char *text = NULL;

    if (!clspi_has_svm_atomics(info)) return false;
    if (ctx->is_cpu)
        text = "-DCLSP_STANDARD_ATOMICS=0";
    else if (info->opencl_version == 200)
        text = "-cl-std=CL2.0 -DCLSP_STANDARD_ATOMICS=1";
    else if (has_feature(info->id, "__opencl_c_atomic_scope_all_devices"))
        text = "-cl-std=CL3.0 -DCLSP_STANDARD_ATOMICS=1";
    if (text) *options = clspi_options_after(text);
    return text != NULL;
}
