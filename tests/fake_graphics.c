#include "fake_graphics.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CL/cl_layer.h>

enum { MOST = 256 /* buffers and contexts */, OPAQUE_FD = 0x2060, DMA_BUF = 0x2067, UUID = 0x106A };

/* An OpenGL buffer. */
typedef struct gl_buffer {
    unsigned char *bytes;
    size_t size;
} gl_buffer;

/* A shared one, as OpenCL has it. */
typedef struct shared_buffer {
    cl_mem buffer;
    uint32_t name; /* of OpenGL's; 0: exported memory */
    void *mapped;
    size_t size;
    unsigned owners; /* references of callers; commands have others, which may end later */
    bool is_acquired;
    cl_event released; /* of the last release; NULL: there was none */
} shared_buffer;

/* A context with OpenGL's properties. */
typedef struct gl_context {
    cl_context context;
    cl_context_properties list[16];
    size_t bytes;
} gl_context;

static const cl_icd_dispatch *next;
static cl_icd_dispatch hooks;
static fake_graphics told;
static gl_buffer gl_buffers[MOST];
static shared_buffer shared[MOST];
static gl_context contexts[MOST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool has(const char *word)
{
    const char *const words = getenv("FAKE_GRAPHICS");
    const size_t length = strlen(word);

    for (const char *at = words ? strstr(words, word) : NULL; at; at = strstr(at + 1, word))
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void complain(const char *text)
{
    if (!*told.complaint) snprintf(told.complaint, sizeof told.complaint, "%s", text);
}

/* ---- the OpenGL that is there ---- */

enum { COPY_READ_BUFFER = 0x8F36, BUFFER_SIZE = 0x8764 };

/* Functions of OpenGL, for the context that is current. */
static struct {
    void (*BindBuffer)(unsigned target, unsigned name);
    void (*GetBufferParameteri64v)(unsigned target, unsigned what, int64_t *value);
    void (*GetBufferSubData)(unsigned target, intptr_t offset, intptr_t bytes, void *to);
    void (*BufferSubData)(unsigned target, intptr_t offset, intptr_t bytes, const void *from);
} opengl;

/* Fetches these. False where there is no EGL. */
static bool load_opengl(void)
{
    void (*(*get)(const char *))(void);
    void *const library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    void *const address = library ? dlsym(library, "eglGetProcAddress") : NULL;

    if (!address) return false;
    memcpy(&get, &address, sizeof get);
#define FETCH(name) memcpy(&opengl.name, &(void (*)(void)){get("gl" #name)}, sizeof opengl.name)
    FETCH(BindBuffer);
    FETCH(GetBufferParameteri64v);
    FETCH(GetBufferSubData);
    FETCH(BufferSubData);
#undef FETCH
    return opengl.BindBuffer && opengl.GetBufferParameteri64v && opengl.GetBufferSubData &&
           opengl.BufferSubData;
}

/* The size of a buffer of OpenGL; 0: there is none. */
static size_t opengl_size(uint32_t name)
{
    int64_t size = 0;

    if (!opengl.BindBuffer && !load_opengl()) return 0;
    opengl.BindBuffer(COPY_READ_BUFFER, name);
    opengl.GetBufferParameteri64v(COPY_READ_BUFFER, BUFFER_SIZE, &size);
    return (size_t)size;
}

/* ---- OpenGL of our own ---- */

static uint32_t make_buffer(size_t bytes)
{
    for (uint32_t name = 1; name < MOST; name++) {
        if (gl_buffers[name].bytes) continue;
        gl_buffers[name] = (gl_buffer){malloc(bytes), bytes};
        memset(gl_buffers[name].bytes, 0xff, bytes);
        return name;
    }
    abort();
}

static unsigned char *bytes_of(uint32_t name)
{
    return gl_buffers[name].bytes;
}

static void delete_buffer(uint32_t name)
{
    for (size_t i = 0; i < MOST; i++)
        if (shared[i].buffer && shared[i].name == name && shared[i].owners > 0)
            complain("an OpenGL buffer is deleted before OpenCL's");
    free(gl_buffers[name].bytes);
    gl_buffers[name] = (gl_buffer){NULL, 0};
}

__attribute__((visibility("default"))) fake_graphics *fake_graphics_get(void);
fake_graphics *fake_graphics_get(void)
{
    told.make_buffer = make_buffer;
    told.bytes_of = bytes_of;
    told.delete_buffer = delete_buffer;
    return &told;
}

/* ---- shared buffers ---- */

/* Finds a buffer that has owners, or the first of that address that has none any more and is still
   to be forgotten: drivers may give the address to another one before that. */
static shared_buffer *find_one(cl_mem buffer, bool has_ended)
{
    for (size_t i = 0; i < MOST && buffer; i++)
        if (shared[i].buffer == buffer && (shared[i].owners == 0) == has_ended) return &shared[i];
    return NULL;
}

static shared_buffer *find(cl_mem buffer)
{
    return find_one(buffer, false);
}

static void CL_CALLBACK forget(cl_mem buffer, void *user)
{
    (void)user;
    pthread_mutex_lock(&lock);
    shared_buffer *const s = find_one(buffer, true);
    if (s) {
        if (s->mapped) munmap(s->mapped, s->size);
        if (s->released) next->clReleaseEvent(s->released);
        *s = (shared_buffer){.buffer = NULL};
    }
    pthread_mutex_unlock(&lock);
}

static cl_int CL_API_CALL retain_buffer(cl_mem buffer)
{
    pthread_mutex_lock(&lock);
    shared_buffer *const s = find(buffer);
    if (s) s->owners++;
    pthread_mutex_unlock(&lock);
    return next->clRetainMemObject(buffer);
}

static cl_int CL_API_CALL release_buffer(cl_mem buffer)
{
    pthread_mutex_lock(&lock);
    shared_buffer *const s = find(buffer);
    if (s && --s->owners == 0) {
        if (s->is_acquired) complain("a buffer ends while it is acquired");
        told.alive--;
    }
    pthread_mutex_unlock(&lock);
    return next->clReleaseMemObject(buffer);
}

static cl_mem keep(cl_mem buffer, uint32_t name, void *mapped, size_t size)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < MOST; i++) {
        if (shared[i].buffer) continue;
        shared[i] = (shared_buffer){buffer, name, mapped, size, 1, false, NULL};
        break;
    }
    told.alive++;
    told.imported++;
    pthread_mutex_unlock(&lock);
    next->clSetMemObjectDestructorCallback(buffer, forget, NULL);
    return buffer;
}

/* Notes that a buffer that is shared is used by a command. */
static void used(cl_mem buffer)
{
    const shared_buffer *const s = find(buffer);

    if (s && !s->is_acquired) complain("a command uses a buffer that is not acquired");
}

static cl_mem CL_API_CALL create_gl(cl_context context, cl_mem_flags flags, cl_GLuint name,
                                    cl_int *code)
{
    cl_int own = CL_INVALID_GL_OBJECT;
    cl_mem buffer = NULL;

    if (!has("gl")) told.unsafe++;
    const size_t size = has("opengl") ? opengl_size(name) : name < MOST ? gl_buffers[name].size : 0;
    if (!has("fail-import") && size > 0)
        buffer = next->clCreateBuffer(context, flags, size, NULL, &own);
    if (code) *code = own;
    return buffer ? keep(buffer, name, NULL, size) : NULL;
}

/* Maps a file, which is the layer's once that has succeeded. */
static cl_mem import(cl_context context, cl_mem_flags flags, size_t size, int fd, cl_int *code)
{
    struct stat status;

    *code = CL_INVALID_BUFFER_SIZE;
    if (fstat(fd, &status) != 0 || (size_t)status.st_size < size) return NULL;
    void *const mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *code = CL_INVALID_VALUE;
    if (mapped == MAP_FAILED) return NULL;
    const cl_mem buffer = next->clCreateBuffer(context, flags, size, NULL, code);
    if (buffer) {
        close(fd);
        return keep(buffer, 0, mapped, size);
    }
    munmap(mapped, size);
    return NULL;
}

static cl_mem CL_API_CALL create_with(cl_context context, const cl_mem_properties *list,
                                      cl_mem_flags flags, size_t size, void *host, cl_int *code)
{
    cl_int own = CL_INVALID_VALUE;
    cl_mem buffer = NULL;

    if (!list || (list[0] != OPAQUE_FD && list[0] != DMA_BUF))
        return next->clCreateBufferWithProperties(context, list, flags, size, host, code);
    if (!has("external")) told.unsafe++;
    if (!has("fail-import")) buffer = import(context, flags, size, (int)list[1], &own);
    if (code) *code = own;
    return buffer;
}

/* ---- hand-over ---- */

/* Books one step; false where it is wrong. */
static bool book(shared_buffer *s, bool acquires)
{
    if (!s)
        complain("a buffer that is not shared is handed over");
    else if (acquires && s->is_acquired)
        complain("a buffer is acquired twice");
    else if (!acquires && !s->is_acquired)
        complain("a buffer is released that is not acquired");
    else {
        s->is_acquired = acquires;
        told.acquired += acquires;
        told.released += !acquires;
        return true;
    }
    return false;
}

/* Copies between OpenGL's buffer and the other at once, on the calling thread. */
static cl_int copy_opengl(cl_command_queue queue, const shared_buffer *s, bool acquires,
                          cl_uint num, const cl_event *wait, cl_event *event)
{
    void *const bytes = malloc(s->size);
    cl_int code = CL_OUT_OF_HOST_MEMORY;

    if (!bytes) return code;
    opengl.BindBuffer(COPY_READ_BUFFER, s->name);
    if (acquires) {
        opengl.GetBufferSubData(COPY_READ_BUFFER, 0, (intptr_t)s->size, bytes);
        code = next->clEnqueueWriteBuffer(queue, s->buffer, CL_TRUE, 0, s->size, bytes, num, wait,
                                          event);
    } else {
        code = next->clEnqueueReadBuffer(queue, s->buffer, CL_TRUE, 0, s->size, bytes, num, wait,
                                         event);
        if (code == CL_SUCCESS) opengl.BufferSubData(COPY_READ_BUFFER, 0, (intptr_t)s->size, bytes);
    }
    free(bytes);
    return code;
}

/* Tells whether all that was released is there. */
static bool is_released(const shared_buffer *s)
{
    cl_int status = CL_COMPLETE;

    if (s->released)
        next->clGetEventInfo(s->released, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                             NULL);
    return status == CL_COMPLETE;
}

/* Tells whether commands of a queue begin behind the last release in any case: it is in the queue,
   which keeps its order. Statuses may lag behind then (rusticl's). */
static bool is_behind(cl_command_queue queue, const shared_buffer *s)
{
    cl_command_queue of_release = NULL;
    cl_command_queue_properties how = 0;

    next->clGetEventInfo(s->released, CL_EVENT_COMMAND_QUEUE, sizeof of_release, &of_release, NULL);
    next->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof how, &how, NULL);
    return of_release == queue && !(how & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

/* Waits until an acquire would begin, which is to be behind the last release: drivers may read what
   is written to a device when they are asked to, and that is what the release has to bring. */
static cl_int await_turn(cl_command_queue queue, const shared_buffer *s, cl_uint num,
                         const cl_event *wait)
{
    char byte;

    if (is_released(s)) return CL_SUCCESS;
    const cl_int code =
        next->clEnqueueReadBuffer(queue, s->buffer, CL_TRUE, 0, 1, &byte, num, wait, NULL);
    if (!is_released(s) && !is_behind(queue, s))
        complain("a buffer is acquired before its release is over");
    return code;
}

/* Copies between the device's buffer and what OpenGL or the exporter has, in the place of a driver
   that need not: a command of the queue. */
static cl_int copy(cl_command_queue queue, shared_buffer *s, bool acquires, cl_uint num,
                   const cl_event *wait, cl_event *event)
{
    if (s->name && has("opengl")) return copy_opengl(queue, s, acquires, num, wait, event);
    void *const theirs = s->name ? gl_buffers[s->name].bytes : s->mapped;
    cl_event released;
    if (acquires) {
        const cl_int code = await_turn(queue, s, num, wait);
        return code != CL_SUCCESS ? code
                                  : next->clEnqueueWriteBuffer(queue, s->buffer, CL_FALSE, 0,
                                                               s->size, theirs, num, wait, event);
    }
    const cl_int code = next->clEnqueueReadBuffer(queue, s->buffer, CL_FALSE, 0, s->size, theirs,
                                                  num, wait, &released);
    if (code != CL_SUCCESS) return code;
    if (s->released) next->clReleaseEvent(s->released);
    s->released = released;
    if (event) {
        next->clRetainEvent(released);
        *event = released;
    }
    return CL_SUCCESS;
}

static cl_int hand_over(cl_command_queue queue, const cl_mem *buffers, bool acquires, cl_uint num,
                        const cl_event *wait, cl_event *event)
{
    pthread_mutex_lock(&lock);
    shared_buffer *const s = find(*buffers);
    const bool is_lost = has("lost");
    const bool fails = is_lost || has(acquires ? "fail-acquire" : "fail-release");
    const bool right = !fails && book(s, acquires);
    pthread_mutex_unlock(&lock);
    if (fails && s && !acquires) s->is_acquired = false;
    if (right) return copy(queue, s, acquires, num, wait, event);
    return is_lost ? CL_OUT_OF_RESOURCES : CL_INVALID_GL_OBJECT;
}

static cl_int CL_API_CALL acquire(cl_command_queue queue, cl_uint num_buffers,
                                  const cl_mem *buffers, cl_uint num, const cl_event *wait,
                                  cl_event *event)
{
    return num_buffers == 1 ? hand_over(queue, buffers, true, num, wait, event) : CL_INVALID_VALUE;
}

static cl_int CL_API_CALL release(cl_command_queue queue, cl_uint num_buffers,
                                  const cl_mem *buffers, cl_uint num, const cl_event *wait,
                                  cl_event *event)
{
    return num_buffers == 1 ? hand_over(queue, buffers, false, num, wait, event) : CL_INVALID_VALUE;
}

/* ---- commands that use buffers ---- */

static cl_int CL_API_CALL set_arg(cl_kernel kernel, cl_uint number, size_t size, const void *value)
{
    cl_mem buffer = NULL;

    if (size == sizeof buffer && value) memcpy(&buffer, value, size);
    used(buffer);
    return next->clSetKernelArg(kernel, number, size, value);
}

static cl_int CL_API_CALL write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool wait_for,
                                       size_t offset, size_t size, const void *from, cl_uint num,
                                       const cl_event *wait, cl_event *event)
{
    used(buffer);
    return has("lost") ? CL_OUT_OF_RESOURCES
                       : next->clEnqueueWriteBuffer(queue, buffer, wait_for, offset, size, from,
                                                    num, wait, event);
}

static cl_int CL_API_CALL read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool wait_for,
                                      size_t offset, size_t size, void *to, cl_uint num,
                                      const cl_event *wait, cl_event *event)
{
    used(buffer);
    return has("lost") ? CL_OUT_OF_RESOURCES
                       : next->clEnqueueReadBuffer(queue, buffer, wait_for, offset, size, to, num,
                                                   wait, event);
}

static cl_int CL_API_CALL copy_buffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                      size_t from_offset, size_t to_offset, size_t size,
                                      cl_uint num, const cl_event *wait, cl_event *event)
{
    used(from);
    used(to);
    return next->clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, num, wait,
                                     event);
}

static cl_int CL_API_CALL launch(cl_command_queue queue, cl_kernel kernel, cl_uint dim,
                                 const size_t *offset, const size_t *global, const size_t *local,
                                 cl_uint num, const cl_event *wait, cl_event *event)
{
    if (has("lost")) return CL_OUT_OF_RESOURCES;
    return has("fail-launch") ? CL_OUT_OF_HOST_MEMORY
                              : next->clEnqueueNDRangeKernel(queue, kernel, dim, offset, global,
                                                             local, num, wait, event);
}

/* ---- waiting ---- */

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    const cl_int code = next->clFinish(queue);

    return has("lost") ? CL_OUT_OF_RESOURCES : code;
}

static cl_int CL_API_CALL wait_for_events(cl_uint num, const cl_event *events)
{
    const cl_int code = next->clWaitForEvents(num, events);

    return has("lost") ? CL_OUT_OF_RESOURCES : code;
}

/* ---- the device and contexts ---- */

static cl_int give(const void *from, size_t bytes, size_t room, void *value, size_t *size)
{
    if (size) *size = bytes;
    if (!value) return CL_SUCCESS;
    if (room < bytes) return CL_INVALID_VALUE;
    memcpy(value, from, bytes);
    return CL_SUCCESS;
}

static cl_int give_extensions(cl_device_id device, size_t room, void *value, size_t *size)
{
    char list[16384] = "";
    const cl_int code =
        next->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof list / 2, list, NULL);

    if (code != CL_SUCCESS) return code;
    if (has("gl")) strcat(list, " cl_khr_gl_sharing");
    if (has("gl_event")) strcat(list, " cl_khr_gl_event");
    if (has("external"))
        strcat(list, " cl_khr_external_memory cl_khr_external_memory_opaque_fd"
                     " cl_khr_external_memory_dma_buf");
    if (has("uuid")) strcat(list, " cl_khr_device_uuid");
    return give(list, strlen(list) + 1, room, value, size);
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t room,
                                          void *value, size_t *size)
{
    unsigned char uuid[16];
    char name[256] = "";

    if (what == CL_DEVICE_EXTENSIONS) return give_extensions(device, room, value, size);
    if (what != UUID || has("opengl") || !has("uuid")) /* the device may have one of its own */
        return next->clGetDeviceInfo(device, what, room, value, size);
    next->clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    const bool is_other = has("other-uuid") || (has("basic-uuid") && !strstr(name, "basic"));
    memset(uuid, is_other ? FAKE_OTHER_UUID : FAKE_UUID, sizeof uuid);
    return give(uuid, sizeof uuid, room, value, size);
}

static bool is_of_gl(cl_context_properties name)
{
    return name >= 0x2008 && name <= 0x200C;
}

/* Takes OpenGL's properties from a list; tells how many there are. */
static size_t without_gl(cl_context_properties *plain, const cl_context_properties *list,
                         size_t *whole)
{
    size_t num = 0, of_gl = 0, i = 0;

    for (; list && list[i]; i += 2) {
        if (is_of_gl(list[i])) {
            of_gl++;
            continue;
        }
        plain[num++] = list[i];
        plain[num++] = list[i + 1];
    }
    plain[num] = 0;
    *whole = i + 1;
    return of_gl;
}

static cl_context CL_API_CALL create_context(
    const cl_context_properties *list, cl_uint num, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code)
{
    cl_context_properties plain[32];
    size_t whole;

    if (without_gl(plain, list, &whole) == 0) {
        const cl_context own = next->clCreateContext(list, num, devices, notify, user, code);
        for (size_t i = 0; i < MOST && own; i++) /* one of its address has ended */
            if (contexts[i].context == own) contexts[i].context = NULL;
        return own;
    }
    if (!has("gl")) told.unsafe++;
    if (has("refuse-context")) {
        if (code) *code = -1000;
        return NULL;
    }
    const cl_context made = next->clCreateContext(plain, num, devices, notify, user, code);
    for (size_t i = 0; i < MOST && made; i++) {
        if (contexts[i].context && contexts[i].context != made) continue;
        contexts[i].context = made;
        contexts[i].bytes = whole * sizeof *list;
        memcpy(contexts[i].list, list, contexts[i].bytes);
        break;
    }
    return made;
}

static cl_int CL_API_CALL get_context_info(cl_context context, cl_context_info what, size_t room,
                                           void *value, size_t *size)
{
    for (size_t i = 0; i < MOST && what == CL_CONTEXT_PROPERTIES; i++)
        if (contexts[i].context == context)
            return give(contexts[i].list, contexts[i].bytes, room, value, size);
    return next->clGetContextInfo(context, what, room, value, size);
}

/* ---- functions ---- */

static void *CL_API_CALL get_function(cl_platform_id platform, const char *name)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } functions[] = {
        {"clCreateFromGLBuffer", (void (*)(void))create_gl},
        {"clEnqueueAcquireGLObjects", (void (*)(void))acquire},
        {"clEnqueueReleaseGLObjects", (void (*)(void))release},
        {"clEnqueueAcquireExternalMemObjectsKHR", (void (*)(void))acquire},
        {"clEnqueueReleaseExternalMemObjectsKHR", (void (*)(void))release},
    };
    void *address;

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i].name, name) != 0) continue;
        if (has("no-functions")) return NULL;
        memcpy(&address, &functions[i].function, sizeof address);
        return address;
    }
    return next->clGetExtensionFunctionAddressForPlatform(platform, name);
}

/* Functions that must not be called by way of the loader. */
static cl_mem CL_API_CALL linked_create(cl_context context, cl_mem_flags flags, cl_GLuint name,
                                        cl_int *code)
{
    (void)context;
    (void)flags;
    (void)name;
    told.unsafe++;
    if (code) *code = CL_INVALID_OPERATION;
    return NULL;
}

static cl_int CL_API_CALL linked_info(const cl_context_properties *list, cl_gl_context_info what,
                                      size_t room, void *value, size_t *size)
{
    (void)list;
    (void)what;
    (void)room;
    (void)value;
    (void)size;
    told.unsafe++;
    return CL_INVALID_OPERATION;
}

__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL
clGetLayerInfo(cl_layer_info what, size_t room, void *value, size_t *size)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    static const char name[] = "fake graphics";

    if (what == CL_LAYER_API_VERSION) return give(&version, sizeof version, room, value, size);
    if (what == CL_LAYER_NAME) return give(name, sizeof name, room, value, size);
    return CL_INVALID_VALUE;
}

__attribute__((visibility("default"))) CL_API_ENTRY cl_int CL_API_CALL clInitLayer(
    cl_uint num, const cl_icd_dispatch *target, cl_uint *num_made, const cl_icd_dispatch **made)
{
    if (num < sizeof hooks / sizeof hooks.clGetPlatformIDs) return CL_INVALID_VALUE;
    next = target;
    hooks.clGetDeviceInfo = get_device_info;
    hooks.clCreateContext = create_context;
    hooks.clGetContextInfo = get_context_info;
    hooks.clGetExtensionFunctionAddressForPlatform = get_function;
    hooks.clCreateBufferWithProperties = create_with;
    hooks.clCreateFromGLBuffer = linked_create;
    hooks.clGetGLContextInfoKHR = linked_info;
    hooks.clRetainMemObject = retain_buffer;
    hooks.clReleaseMemObject = release_buffer;
    hooks.clSetKernelArg = set_arg;
    hooks.clEnqueueWriteBuffer = write_buffer;
    hooks.clEnqueueCopyBuffer = copy_buffer;
    hooks.clEnqueueReadBuffer = read_buffer;
    hooks.clEnqueueNDRangeKernel = launch;
    hooks.clFinish = finish;
    hooks.clWaitForEvents = wait_for_events;
    *num_made = sizeof hooks / sizeof hooks.clGetPlatformIDs;
    *made = &hooks;
    return CL_SUCCESS;
}
