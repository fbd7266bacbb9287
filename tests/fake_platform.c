/* A driver for the OpenCL loader with one platform and no device. FAKE_PLATFORM is its name; with
   FAKE_PLATFORM_ABORTS it ends the process when it is asked for devices. */
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>
#include <CL/cl_icd.h>

static cl_int CL_API_CALL tell(cl_platform_id platform, cl_platform_info what, size_t size,
                               void *to, size_t *needed)
{
    const char *name = getenv("FAKE_PLATFORM");
    const char *text = what == CL_PLATFORM_NAME         ? name ? name : "fake"
                       : what == CL_PLATFORM_EXTENSIONS ? "cl_khr_icd"
                       : what == CL_PLATFORM_VERSION    ? "OpenCL 3.0 fake"
                                                        : "FAKE";
    const size_t bytes = strlen(text) + 1;
    (void)platform;
    if (needed) *needed = bytes;
    if (to && size < bytes) return CL_INVALID_VALUE;
    if (to) memcpy(to, text, bytes);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL list_devices(cl_platform_id platform, cl_device_type type, cl_uint room,
                                       cl_device_id *devices, cl_uint *num)
{
    (void)platform;
    (void)type;
    (void)room;
    (void)devices;
    if (getenv("FAKE_PLATFORM_ABORTS")) abort();
    if (num) *num = 0;
    return CL_DEVICE_NOT_FOUND;
}

static cl_icd_dispatch dispatch = {.clGetPlatformInfo = tell, .clGetDeviceIDs = list_devices};

/* What the loader takes a platform for. */
static struct {
    cl_icd_dispatch *dispatch;
} only = {&dispatch};

cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint room, cl_platform_id *platforms, cl_uint *num)
{
    if (num) *num = 1;
    if (platforms && room > 0) platforms[0] = (cl_platform_id)(void *)&only;
    return CL_SUCCESS;
}

/* For the loader, which looks for it; in this file the name would be the loader's own. */
cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                                     void *to, size_t *needed)
{
    return tell(platform, what, size, to, needed);
}

void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    void *address = NULL;
    cl_int(CL_API_CALL *const list)(cl_uint, cl_platform_id *, cl_uint *) = clIcdGetPlatformIDsKHR;
    if (strcmp(name, "clIcdGetPlatformIDsKHR") == 0) memcpy(&address, &list, sizeof(address));
    return address;
}
