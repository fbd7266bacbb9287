#define EGL_NO_X11 /* whose headers need not be there */

#include "offscreen.h"

#include <dlfcn.h>
#include <string.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

enum { MAX_DEVICES = 32 };

/* X(result, name, parameters) for every function of EGL that the library itself has. */
#define EGL_FUNCTIONS(X)                                                                           \
    X(__eglMustCastToProperFunctionPointerType, GetProcAddress, (const char *))                    \
    X(const char *, QueryString, (EGLDisplay, EGLint))                                             \
    X(EGLDisplay, GetDisplay, (EGLNativeDisplayType))                                              \
    X(EGLBoolean, Initialize, (EGLDisplay, EGLint *, EGLint *))                                    \
    X(EGLBoolean, Terminate, (EGLDisplay))                                                         \
    X(EGLBoolean, BindAPI, (EGLenum))                                                              \
    X(EGLBoolean, ChooseConfig, (EGLDisplay, const EGLint *, EGLConfig *, EGLint, EGLint *))       \
    X(EGLContext, CreateContext, (EGLDisplay, EGLConfig, EGLContext, const EGLint *))              \
    X(EGLBoolean, DestroyContext, (EGLDisplay, EGLContext))                                        \
    X(EGLSurface, CreatePbufferSurface, (EGLDisplay, EGLConfig, const EGLint *))                   \
    X(EGLBoolean, DestroySurface, (EGLDisplay, EGLSurface))                                        \
    X(EGLBoolean, MakeCurrent, (EGLDisplay, EGLSurface, EGLSurface, EGLContext))                   \
    X(EGLint, GetError, (void))

static struct {
#define EGL_MEMBER(result, name, parameters) result(*name) parameters;
    EGL_FUNCTIONS(EGL_MEMBER)
#undef EGL_MEMBER
} egl;

/* Puts the address of a function into a pointer to one: ISO C has no cast for that. */
static bool fetch(void *library, const char *name, void *pointer)
{
    void *address = dlsym(library, name);
    memcpy(pointer, &address, sizeof(address));
    return address != NULL;
}

static bool load(offscreen *o, io_message *message)
{
    bool found = true;
    o->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!o->library)
        return io_fail(message,
                       "pictures without a window need EGL: %s (Debian and Ubuntu: "
                       "libegl1)",
                       dlerror());
#define EGL_FETCH(result, name, parameters)                                                        \
    found = found && fetch(o->library, "egl" #name, &egl.name);
    EGL_FUNCTIONS(EGL_FETCH)
#undef EGL_FETCH
    return found || io_fail(message, "libEGL.so.1 lacks functions of EGL 1.4");
}

gl_address offscreen_address(const char *name)
{
    return (gl_address)egl.GetProcAddress(name);
}

/* ---- displays ---- */

static bool has_extension(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ')) return true;
    return false;
}

/* Releases what an attempt has made. */
static void release(offscreen *o)
{
    if (!o->display) return;
    egl.MakeCurrent(o->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (o->context) egl.DestroyContext(o->display, o->context);
    if (o->surface) egl.DestroySurface(o->display, o->surface);
    egl.Terminate(o->display);
    o->display = o->context = o->surface = NULL;
}

/* Makes a context on a display, with a surface of a pixel where it is asked for. */
static bool make_context(offscreen *o, bool with_surface, io_message *message)
{
    static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                    EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                                     3,
                                     EGL_CONTEXT_MINOR_VERSION,
                                     3,
                                     EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                     EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                     EGL_NONE};
    static const EGLint pixel[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
    EGLConfig config;
    EGLint num = 0;
    if (!egl.Initialize(o->display, NULL, NULL))
        return io_fail(message, "EGL finds no OpenGL driver (error 0x%x)", egl.GetError());
    if (!egl.BindAPI(EGL_OPENGL_API) || !egl.ChooseConfig(o->display, wanted, &config, 1, &num) ||
        num < 1)
        return io_fail(message, "EGL has no OpenGL here (error 0x%x)", egl.GetError());
    o->context = egl.CreateContext(o->display, config, EGL_NO_CONTEXT, version);
    if (o->context && with_surface)
        o->surface = egl.CreatePbufferSurface(o->display, config, pixel);
    if (!o->context || (with_surface && !o->surface) ||
        !egl.MakeCurrent(o->display, o->surface, o->surface, o->context))
        return io_fail(message, "EGL makes no context of OpenGL 3.3 (error 0x%x)", egl.GetError());
    return gl_functions_load(offscreen_address, message);
}

static bool try_display(offscreen *o, EGLDisplay display, bool with_surface, io_message *message)
{
    o->display = display;
    if (!display) return io_fail(message, "EGL has no display (error 0x%x)", egl.GetError());
    bool made = make_context(o, with_surface, message);
    if (made && o->accepts && !o->accepts(o->user))
        made = io_fail(message, "no context of EGL is the one that is asked for");
    if (!made) release(o);
    return made;
}

/* Tries each device of EGL, then the platform without any. */
static bool try_platforms(offscreen *o, io_message *message)
{
    const char *list = egl.QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    EGLDeviceEXT devices[MAX_DEVICES];
    EGLint num = 0;
    const PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl.GetProcAddress("eglGetPlatformDisplayEXT");
    const PFNEGLQUERYDEVICESEXTPROC query =
        (PFNEGLQUERYDEVICESEXTPROC)egl.GetProcAddress("eglQueryDevicesEXT");
    if (!get || !has_extension(list, "EGL_EXT_platform_base")) return false;
    if (query && has_extension(list, "EGL_EXT_platform_device"))
        if (!query(MAX_DEVICES, devices, &num)) num = 0;
    for (EGLint i = 0; i < num; i++)
        if (try_display(o, get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL), false, message))
            return true;
    return has_extension(list, "EGL_MESA_platform_surfaceless") &&
           try_display(o, get(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL), false, message);
}

bool offscreen_open(offscreen *o, io_message *message)
{
    return offscreen_open_where(o, NULL, NULL, message);
}

bool offscreen_open_where(offscreen *o, bool (*accepts)(void *user), void *user,
                          io_message *message)
{
    *o = (offscreen){.accepts = accepts, .user = user};
    if (load(o, message) && (try_platforms(o, message) ||
                             try_display(o, egl.GetDisplay(EGL_DEFAULT_DISPLAY), true, message)))
        return true;
    offscreen_close(o);
    return false;
}

void offscreen_close(offscreen *o)
{
    if (o->library) release(o);
    *o = (offscreen){.library = NULL}; /* the library stays: drivers do not survive its leaving */
}
