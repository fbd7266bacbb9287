#include "graphics_context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "library.h"
#include "profile.h"

/* Of extensions, whose headers need not be there. */
enum {
    UUID_BYTES = (CLSPI_UUID_TEXT - 1) / 2,
    DEVICE_UUID = 0x106A, /* CL_DEVICE_UUID_KHR */
    GL_CONTEXT = 0x2008,  /* CL_GL_CONTEXT_KHR */
    EGL_DISPLAY = 0x2009,
    GLX_DISPLAY = 0x200A,
    WGL_HDC = 0x200B,
    CGL_SHAREGROUP = 0x10000000, /* CL_CONTEXT_PROPERTY_USE_CGL_SHAREGROUP_APPLE */
    NUM_PROPERTIES = 9           /* the platform, a context and a display in pairs, one more, 0 */
};

/* ---- checks ---- */

clsp_status clspi_graphics_check(const clsp_graphics_context *g)
{
    if (!g) return CLSP_OK;
    CLSPI_CHECK(clspi_reserved_check(NULL, "clsp_graphics_context", g->reserved));
    const int displays = (g->egl_display != NULL) + (g->glx_display != NULL) + (g->wgl_dc != NULL);
    if (displays > 1)
        return clspi_fail(
            NULL, CLSP_ERROR_ARGUMENT,
            "clsp_graphics_context: more than one of egl_display, glx_display, wgl_dc");
    if (displays > 0 && !g->gl_context)
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_graphics_context: a display without gl_context");
    if (g->cgl_share_group && (displays > 0 || g->gl_context))
        return clspi_fail(NULL, CLSP_ERROR_ARGUMENT,
                          "clsp_graphics_context: cgl_share_group beside another context");
    return CLSP_OK;
}

/* ---- devices ---- */

/* Asks for a device's UUID; false where it has none to tell. */
static bool get_uuid(cl_device_id device, uint8_t uuid[UUID_BYTES])
{
    memset(uuid, 0, UUID_BYTES);
    return clspi_has_extension(device, "cl_khr_device_uuid") &&
           clGetDeviceInfo(device, DEVICE_UUID, UUID_BYTES, uuid, NULL) == CL_SUCCESS;
}

bool clspi_has_uuid(cl_device_id device, const uint8_t *uuid)
{
    uint8_t own[UUID_BYTES];

    return get_uuid(device, own) && memcmp(own, uuid, UUID_BYTES) == 0;
}

const char *clspi_uuid_text(char text[CLSPI_UUID_TEXT], const uint8_t *uuid)
{
    for (size_t i = 0; i < UUID_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
    return text;
}

/* Says why a device is not that of graphics. One that does not tell its UUID may be. */
static void compare_devices(clspi_graphics_link *link, cl_device_id device,
                            const clsp_graphics_context *graphics)
{
    uint8_t own[UUID_BYTES];
    char names[2][CLSPI_UUID_TEXT];

    if (!graphics || !graphics->device_uuid || !get_uuid(device, own)) return;
    if (memcmp(own, graphics->device_uuid, UUID_BYTES) == 0) return;
    snprintf(link->no_device, sizeof link->no_device, "the device has UUID %s, graphics %s",
             clspi_uuid_text(names[0], own), clspi_uuid_text(names[1], graphics->device_uuid));
}

static bool shares_gl(cl_device_id device)
{
    return clspi_has_extension(device, "cl_khr_gl_sharing") ||
           clspi_has_extension(device, "cl_APPLE_gl_sharing");
}

static cl_platform_id platform_of(cl_device_id device)
{
    cl_platform_id platform = NULL;

    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, (void *)&platform, NULL) !=
        CL_SUCCESS)
        return NULL;
    return platform;
}

/* C has no cast from a pointer to memory to one to a function. */
static clspi_any_fn function_at(const void *address)
{
    clspi_any_fn function;

    memcpy(&function, &address, sizeof function);
    return function;
}

clspi_any_fn clspi_extension_function(cl_device_id device, const char *name)
{
    const cl_platform_id platform = platform_of(device);

    return platform ? function_at(clGetExtensionFunctionAddressForPlatform(platform, name)) : NULL;
}

clspi_any_fn clspi_loader_function(const char *name)
{
    return function_at(clspi_library_function(NULL, name));
}

/* ---- contexts ---- */

/* Says why no OpenCL context with an OpenGL context in it is to be asked for. All but the list of
   extensions may end the process on a device without them. */
static const char *why_no_gl(cl_device_id device, const clsp_graphics_context *graphics)
{
    if (!graphics || (!graphics->gl_context && !graphics->cgl_share_group))
        return "the context was made without an OpenGL context";
    return shares_gl(device) ? NULL : "the device does not list cl_khr_gl_sharing";
}

static size_t append(cl_context_properties *list, size_t num, cl_context_properties name,
                     const void *value)
{
    if (!value) return num;
    list[num] = name;
    list[num + 1] = (cl_context_properties)value;
    return num + 2;
}

static cl_context create_with_gl(cl_device_id device, const clsp_graphics_context *g, cl_int *code)
{
    cl_context_properties list[NUM_PROPERTIES] = {0};
    size_t num = append(list, 0, CL_CONTEXT_PLATFORM, (const void *)platform_of(device));

    num = append(list, num, GL_CONTEXT, g->gl_context);
    num = append(list, num, EGL_DISPLAY, g->egl_display);
    num = append(list, num, GLX_DISPLAY, g->glx_display);
    num = append(list, num, WGL_HDC, g->wgl_dc);
    append(list, num, CGL_SHAREGROUP, g->cgl_share_group);
    return clCreateContext(list, 1, &device, NULL, NULL, code);
}

clsp_status clspi_graphics_create_context(cl_context *context, clspi_graphics_link *link,
                                          cl_device_id device,
                                          const clsp_graphics_context *graphics, clspi_log *log)
{
    const cl_context_properties plain[] = {CL_CONTEXT_PLATFORM,
                                           (cl_context_properties)platform_of(device), 0};
    cl_int code;

    compare_devices(link, device, graphics);
    const char *why = *link->no_device ? link->no_device : why_no_gl(device, graphics);
    *context = why ? NULL : create_with_gl(device, graphics, &code);
    if (!why && code == CL_SUCCESS) return CLSP_OK;
    if (why)
        snprintf(link->no_gl, sizeof link->no_gl, "%s", why);
    else
        snprintf(link->no_gl, sizeof link->no_gl, "clCreateContext with OpenGL's: %s",
                 clsp_status_str(code));
    if (graphics)
        clspi_message(log, CLSP_LOG_INFO, "no OpenGL buffers are shared: %s", link->no_gl);
    *context = clCreateContext(plain, 1, &device, NULL, NULL, &code);
    return clspi_cl(log, code, "clCreateContext");
}

/* Tells whether a context was made with the properties of an OpenGL context. */
static bool holds_gl(cl_context context)
{
    size_t bytes = 0;
    bool found = false;

    if (clGetContextInfo(context, CL_CONTEXT_PROPERTIES, 0, NULL, &bytes) != CL_SUCCESS)
        return false;
    const size_t num = bytes / sizeof(cl_context_properties);
    cl_context_properties *const list = calloc(num + 1, sizeof *list);
    if (list && clGetContextInfo(context, CL_CONTEXT_PROPERTIES, bytes, list, NULL) == CL_SUCCESS)
        for (size_t i = 0; i + 1 < num && list[i] != 0; i += 2)
            found = found || ((list[i] == GL_CONTEXT || list[i] == CGL_SHAREGROUP) && list[i + 1]);
    free(list);
    return found;
}

void clspi_graphics_adopt_context(clspi_graphics_link *link, cl_context context,
                                  cl_device_id device, const clsp_graphics_context *graphics)
{
    const char *why = NULL;

    compare_devices(link, device, graphics);
    if (*link->no_device)
        why = link->no_device;
    else if (!shares_gl(device))
        why = "the device does not list cl_khr_gl_sharing";
    else if (!holds_gl(context))
        why = "the queue's cl_context was made without an OpenGL context";
    snprintf(link->no_gl, sizeof link->no_gl, "%s", why ? why : "");
}
