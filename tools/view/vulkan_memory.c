#include "vulkan_memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is used of Vulkan ---- */

enum {
    APPLICATION_INFO = 0, /* values of sType */
    INSTANCE_INFO = 1,
    DEVICE_QUEUE_INFO = 2,
    DEVICE_INFO = 3,
    MEMORY_INFO = 5,
    BUFFER_INFO = 12,
    PROPERTIES_2 = 1000059001,
    ID_PROPERTIES = 1000071004,
    EXTERNAL_BUFFER_INFO = 1000072000,
    EXPORT_INFO = 1000072002,
    GET_FD_INFO = 1000074002,

    VERSION_1_1 = 1 << 22 | 1 << 12,
    DEVICE_LOCAL = 1,
    OPAQUE_FD = 1,
    BUFFER_USES = 0x01 | 0x02 | 0x20 | 0x80 /* transfers from and to it, storage, vertices */
};

typedef void *vk_handle; /* VkInstance, VkPhysicalDevice, VkDevice */
typedef int32_t vk_result;

typedef struct vk_application_info {
    int32_t type;
    const void *next;
    const char *name;
    uint32_t version;
    const char *engine;
    uint32_t engine_version, api_version;
} vk_application_info;

typedef struct vk_instance_info {
    int32_t type;
    const void *next;
    uint32_t flags;
    const vk_application_info *application;
    uint32_t num_layers;
    const char *const *layers;
    uint32_t num_extensions;
    const char *const *extensions;
} vk_instance_info;

typedef struct vk_id_properties {
    int32_t type;
    void *next;
    uint8_t device_uuid[VULKAN_UUID_BYTES], driver_uuid[VULKAN_UUID_BYTES], luid[8];
    uint32_t node_mask, luid_valid;
} vk_id_properties;

typedef struct vk_properties_2 {
    int32_t type;
    void *next;
    uint64_t properties[256]; /* VkPhysicalDeviceProperties has less than half of this */
} vk_properties_2;

typedef struct vk_memory_properties {
    uint32_t num_types;
    struct {
        uint32_t flags, heap;
    } types[32];
    uint32_t num_heaps;
    struct {
        uint64_t size;
        uint32_t flags;
    } heaps[16];
} vk_memory_properties;

typedef struct vk_queue_info {
    int32_t type;
    const void *next;
    uint32_t flags, family, num;
    const float *priorities;
} vk_queue_info;

typedef struct vk_device_info {
    int32_t type;
    const void *next;
    uint32_t flags, num_queues;
    const vk_queue_info *queues;
    uint32_t num_layers;
    const char *const *layers;
    uint32_t num_extensions;
    const char *const *extensions;
    const void *features;
} vk_device_info;

typedef struct vk_external_info { /* of a buffer, and of memory */
    int32_t type;
    const void *next;
    uint32_t handle_types;
} vk_external_info;

typedef struct vk_buffer_info {
    int32_t type;
    const void *next;
    uint32_t flags;
    uint64_t size;
    uint32_t usage, sharing, num_families;
    const uint32_t *families;
} vk_buffer_info;

typedef struct vk_requirements {
    uint64_t size, alignment;
    uint32_t type_bits;
} vk_requirements;

typedef struct vk_memory_info {
    int32_t type;
    const void *next;
    uint64_t size;
    uint32_t type_index;
} vk_memory_info;

typedef struct vk_get_fd_info {
    int32_t type;
    const void *next;
    uint64_t memory;
    uint32_t handle_type;
} vk_get_fd_info;

/* X(result, name, parameters) for every function. */
#define VK_INSTANCE_FUNCTIONS(X)                                                                   \
    X(vk_result, EnumeratePhysicalDevices, (vk_handle, uint32_t *, vk_handle *))                   \
    X(void, GetPhysicalDeviceProperties2, (vk_handle, vk_properties_2 *))                          \
    X(void, GetPhysicalDeviceMemoryProperties, (vk_handle, vk_memory_properties *))                \
    X(vk_result, CreateDevice, (vk_handle, const vk_device_info *, const void *, vk_handle *))     \
    X(void, DestroyDevice, (vk_handle, const void *))                                              \
    X(vk_result, CreateBuffer, (vk_handle, const vk_buffer_info *, const void *, uint64_t *))      \
    X(void, DestroyBuffer, (vk_handle, uint64_t, const void *))                                    \
    X(void, GetBufferMemoryRequirements, (vk_handle, uint64_t, vk_requirements *))                 \
    X(vk_result, AllocateMemory, (vk_handle, const vk_memory_info *, const void *, uint64_t *))    \
    X(void, FreeMemory, (vk_handle, uint64_t, const void *))                                       \
    X(vk_result, BindBufferMemory, (vk_handle, uint64_t, uint64_t, uint64_t))

typedef void (*vk_address)(void);
typedef vk_address (*vk_get_address)(vk_handle, const char *);
typedef vk_result (*vk_create_instance)(const vk_instance_info *, const void *, vk_handle *);
typedef vk_result (*vk_get_fd)(vk_handle, const vk_get_fd_info *, int *);

enum { MAX_DEVICES = 16 };

struct vulkan_exporter {
    vk_handle instance, physical, device;
    vk_memory_properties memory;
    vk_get_address address, device_address;
    vk_get_fd get_fd;
#define VK_MEMBER(result, name, parameters) result(*name) parameters;
    VK_INSTANCE_FUNCTIONS(VK_MEMBER)
#undef VK_MEMBER
};

/* ---- the device ---- */

/* Opens the loader, which stays: drivers do not survive its leaving. */
static bool load(vulkan_exporter *e, io_message *message)
{
    void *const library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library) return io_fail(message, "no Vulkan: %s", dlerror());
    void *const address = dlsym(library, "vkGetInstanceProcAddr");
    memcpy(&e->address, &address, sizeof address);
    return e->address || io_fail(message, "libvulkan.so.1 lacks vkGetInstanceProcAddr");
}

/* Makes the process's instance, which stays: at the end of the last one the loader closes drivers,
   and NVIDIA's takes the OpenGL context that is current away with it. */
static bool make_instance(vulkan_exporter *e, io_message *message)
{
    static vk_handle kept;
    const vk_application_info application = {
        .type = APPLICATION_INFO, .name = "clspline", .api_version = VERSION_1_1};
    const vk_instance_info info = {.type = INSTANCE_INFO, .application = &application};
    const vk_create_instance create = (vk_create_instance)e->address(NULL, "vkCreateInstance");
    const vk_result code = kept ? 0 : create ? create(&info, NULL, &kept) : -1;

    e->instance = kept;
    if (code != 0) return io_fail(message, "vkCreateInstance: %d", (int)code);
#define VK_FETCH(result, name, parameters)                                                         \
    memcpy(&e->name, &(vk_address){e->address(e->instance, "vk" #name)}, sizeof e->name);          \
    if (!e->name) return io_fail(message, "this Vulkan has no vk" #name);
    VK_INSTANCE_FUNCTIONS(VK_FETCH)
#undef VK_FETCH
    e->device_address = (vk_get_address)e->address(e->instance, "vkGetDeviceProcAddr");
    return e->device_address || io_fail(message, "this Vulkan has no vkGetDeviceProcAddr");
}

static bool find_device(vulkan_exporter *e, const uint8_t *uuid, io_message *message)
{
    vk_handle devices[MAX_DEVICES];
    uint32_t num = MAX_DEVICES;
    const vk_result code = e->EnumeratePhysicalDevices(e->instance, &num, devices);

    if (code < 0) return io_fail(message, "vkEnumeratePhysicalDevices: %d", (int)code);
    for (uint32_t i = 0; i < num; i++) {
        vk_id_properties id = {.type = ID_PROPERTIES};
        vk_properties_2 properties = {.type = PROPERTIES_2, .next = &id};
        e->GetPhysicalDeviceProperties2(devices[i], &properties);
        e->physical = devices[i];
        if (memcmp(id.device_uuid, uuid, sizeof id.device_uuid) == 0) return true;
    }
    return io_fail(message, "none of Vulkan's %u devices has the UUID", (unsigned)num);
}

static bool make_device(vulkan_exporter *e, io_message *message)
{
    static const char *const extension = "VK_KHR_external_memory_fd";
    static const float priority = 1.0f;
    const vk_queue_info queue = {.type = DEVICE_QUEUE_INFO, .num = 1, .priorities = &priority};
    const vk_device_info info = {.type = DEVICE_INFO,
                                 .num_queues = 1,
                                 .queues = &queue,
                                 .num_extensions = 1,
                                 .extensions = &extension};
    const vk_result code = e->CreateDevice(e->physical, &info, NULL, &e->device);

    if (code != 0) return io_fail(message, "vkCreateDevice with %s: %d", extension, (int)code);
    e->GetPhysicalDeviceMemoryProperties(e->physical, &e->memory);
    e->get_fd = (vk_get_fd)e->device_address(e->device, "vkGetMemoryFdKHR");
    return e->get_fd || io_fail(message, "this Vulkan has no vkGetMemoryFdKHR");
}

vulkan_exporter *vulkan_exporter_open(const uint8_t uuid[VULKAN_UUID_BYTES], io_message *message)
{
    vulkan_exporter *const e = calloc(1, sizeof *e);

    if (e && load(e, message) && make_instance(e, message) && find_device(e, uuid, message) &&
        make_device(e, message))
        return e;
    if (!e) io_fail(message, "no memory for Vulkan");
    vulkan_exporter_close(e);
    return NULL;
}

void vulkan_exporter_close(vulkan_exporter *e)
{
    if (e && e->device) e->DestroyDevice(e->device, NULL);
    free(e);
}

/* ---- memory ---- */

/* The first type among those allowed that is the device's own; 32 where there is none. */
static uint32_t find_type(const vulkan_exporter *e, uint32_t allowed)
{
    for (uint32_t i = 0; i < e->memory.num_types && i < 32; i++)
        if ((allowed >> i & 1) && (e->memory.types[i].flags & DEVICE_LOCAL)) return i;
    return 32;
}

static bool make_buffer(vulkan_memory *m, const vulkan_exporter *e, size_t bytes,
                        io_message *message)
{
    const vk_external_info external = {.type = EXTERNAL_BUFFER_INFO, .handle_types = OPAQUE_FD};
    const vk_buffer_info info = {
        .type = BUFFER_INFO, .next = &external, .size = bytes, .usage = BUFFER_USES};
    const vk_result code = e->CreateBuffer(e->device, &info, NULL, &m->buffer);

    return code == 0 || io_fail(message, "vkCreateBuffer: %d", (int)code);
}

bool vulkan_memory_open(vulkan_memory *m, const vulkan_exporter *e, size_t bytes,
                        io_message *message)
{
    const vk_external_info external = {.type = EXPORT_INFO, .handle_types = OPAQUE_FD};
    vk_memory_info info = {.type = MEMORY_INFO, .next = &external};
    vk_requirements needed = {.size = 0};

    *m = (vulkan_memory){.bytes = 0};
    if (!make_buffer(m, e, bytes, message)) return false;
    e->GetBufferMemoryRequirements(e->device, m->buffer, &needed);
    info.size = needed.size;
    info.type_index = find_type(e, needed.type_bits);
    if (info.type_index == 32) return io_fail(message, "Vulkan has no memory for the buffer");
    vk_result code = e->AllocateMemory(e->device, &info, NULL, &m->memory);
    if (code != 0) return io_fail(message, "vkAllocateMemory: %d", (int)code);
    code = e->BindBufferMemory(e->device, m->buffer, m->memory, 0);
    if (code != 0) return io_fail(message, "vkBindBufferMemory: %d", (int)code);
    m->bytes = (size_t)needed.size;
    return true;
}

void vulkan_memory_close(vulkan_memory *m, const vulkan_exporter *e)
{
    if (m->buffer) e->DestroyBuffer(e->device, m->buffer, NULL);
    if (m->memory) e->FreeMemory(e->device, m->memory, NULL);
    *m = (vulkan_memory){.bytes = 0};
}

int vulkan_memory_export(const vulkan_memory *m, const vulkan_exporter *e, io_message *message)
{
    const vk_get_fd_info info = {
        .type = GET_FD_INFO, .memory = m->memory, .handle_type = OPAQUE_FD};
    int fd = -1;
    const vk_result code = e->get_fd(e->device, &info, &fd);

    if (code == 0) return fd;
    io_fail(message, "vkGetMemoryFdKHR: %d", (int)code);
    return -1;
}
