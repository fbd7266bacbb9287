#include "render_link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CL_UUID = 0x106A /* CL_DEVICE_UUID_KHR, whose header need not be there */ };

/* ---- functions ---- */

/* Says whether a word stands between blanks in a list. */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ')) return true;
    return false;
}

/* Addresses of functions that a context does not have need not be NULL. */
static bool load_functions(render_link *link)
{
    GLint major = 0, minor = 0;

    link->gl = (gl_bench_functions){.MapBufferRange = NULL};
#define GL_FETCH(type, name)                                                                       \
    link->gl.name = (type)offscreen_address("gl" #name);                                           \
    if (!link->gl.name) return false;
    GL_BENCH_FUNCTIONS(GL_FETCH)
#undef GL_FETCH
#define GL_FETCH(type, name) link->gl.name = (type)offscreen_address("gl" #name);
    gl.GetIntegerv(GL_MAJOR_VERSION, &major);
    gl.GetIntegerv(GL_MINOR_VERSION, &minor);
    if (10 * major + minor >= 44 || gl_lists("GL_ARB_buffer_storage")) {
        GL_MAP_FUNCTIONS(GL_FETCH)
    }
#undef GL_FETCH
    return true;
}

/* ---- devices ---- */

/* Reads the UUID of the bench's device, where it tells one. */
static void read_uuid(render_link *link)
{
    const cl_device_id id = link->b->info.id;
    size_t bytes = 0;

    if (clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes) != CL_SUCCESS) return;
    char *const list = calloc(1, bytes + 1);
    if (list && clGetDeviceInfo(id, CL_DEVICE_EXTENSIONS, bytes, list, NULL) == CL_SUCCESS)
        link->has_uuid =
            has_word(list, "cl_khr_device_uuid") &&
            clGetDeviceInfo(id, CL_UUID, sizeof link->uuid, link->uuid, NULL) == CL_SUCCESS;
    free(list);
}

/* Says whether the context that is current draws on the device with the UUID. */
static bool draws_there(void *user)
{
    render_link *const link = user;
    uint8_t uuid[GL_DEVICE_UUID];

    for (int i = 0; gl_device_uuid(i, uuid); i++)
        if (memcmp(uuid, link->uuid, sizeof uuid) == 0) return true;
    return false;
}

/* Makes a context on the same device, else on any. */
static bool open_screen(render_link *link, io_message *message)
{
    read_uuid(link);
    link->is_same =
        link->has_uuid && offscreen_open_where(&link->screen, draws_there, link, message);
    if (!link->is_same && !offscreen_open(&link->screen, message)) return false;
    link->is_software = gl_is_software();
    return load_functions(link) || io_fail(message, "this OpenGL lacks functions of GL 3.3");
}

/* ---- OpenCL ---- */

static void log_link(void *user, clsp_log_level level, const char *message)
{
    const render_link *const link = user;

    if (!link->is_quiet) bench_log(NULL, level, message);
}

/* Writes the number that the bench's device has among all. */
static clsp_status number_device(const render_link *link, char *text, size_t size)
{
    size_t num = 0;
    clsp_status status;
    clsp_device_info *infos = NULL;

    BENCH_TRY(clsp_device_list(NULL, 0, &num));
    infos = calloc(num + 1, sizeof *infos);
    BENCH_TRY(infos ? clsp_device_list(infos, num, &num) : CLSP_ERROR_NO_MEMORY);
    status = CLSP_ERROR_NO_DEVICE;
    for (size_t i = 0; i < num && status != CLSP_OK; i++) {
        if (infos[i].id != link->b->info.id) continue;
        snprintf(text, size, "%zu", i);
        status = CLSP_OK;
    }

fail:
    free(infos);
    return status;
}

static bool open_context(render_link *link, io_message *message)
{
    char number[24] = "";
    const clsp_graphics_context graphics = {.gl_context = link->screen.context,
                                            .egl_display = link->screen.display,
                                            .device_uuid = link->is_same ? link->uuid : NULL};
    const clsp_context_opts opts = {
        .device = number, .log = log_link, .log_user = link, .graphics = &graphics};
    clsp_status status;

    BENCH_TRY(number_device(link, number, sizeof number));
    BENCH_TRY(clsp_context_create(&link->ctx, NULL, &opts));
    link->queue = clsp_context_queue(link->ctx);
    BENCH_TRY(clGetCommandQueueInfo(link->queue, CL_QUEUE_CONTEXT, sizeof link->context,
                                    &link->context, NULL));
    return true;

fail:
    return io_fail(message, "a context beside OpenGL: %s", clsp_status_str(status));
}

/* ---- all of it ---- */

bool render_link_open(render_link *link, bench *b, io_message *message)
{
    *link = (render_link){.b = b};
    if (!open_screen(link, message) || !open_context(link, message)) return false;
    if (link->is_same)
        link->exporter = vulkan_exporter_open(link->uuid, &link->no_exporter);
    else
        io_fail(&link->no_exporter, "OpenGL draws on a device that is not known to be the same");
    return true;
}

void render_link_close(render_link *link)
{
    vulkan_exporter_close(link->exporter);
    clsp_context_destroy(&link->ctx);
    offscreen_close(&link->screen);
}
