/* Memory of a Vulkan device as file descriptors. OpenCL and OpenGL can both import memory, and
   neither exports any: a buffer that they share comes from here.

   The loader is opened when it is asked for, and what is used of Vulkan 1.1 is declared beside its
   use, so that building needs neither its headers nor its library. */
#ifndef CLSPLINE_TOOLS_VULKAN_MEMORY_H
#define CLSPLINE_TOOLS_VULKAN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "message.h"

enum { VULKAN_UUID_BYTES = 16 };

typedef struct vulkan_exporter vulkan_exporter;

/* Opens the device with the UUID. NULL with a message. */
vulkan_exporter *vulkan_exporter_open(const uint8_t uuid[VULKAN_UUID_BYTES], io_message *message);
void vulkan_exporter_close(vulkan_exporter *e);

typedef struct vulkan_memory {
    uint64_t buffer, memory; /* handles; 0: none */
    size_t bytes;            /* of the memory: what importers are told */
} vulkan_memory;

/* Allocates memory of the device's own for a buffer of so many bytes. False with a message; to be
   closed whatever happens, before the exporter. */
bool vulkan_memory_open(vulkan_memory *m, const vulkan_exporter *e, size_t bytes,
                        io_message *message);
void vulkan_memory_close(vulkan_memory *m, const vulkan_exporter *e);

/* Makes a descriptor of the memory, the caller's; each importer needs one. -1 with a message. */
int vulkan_memory_export(const vulkan_memory *m, const vulkan_exporter *e, io_message *message);

#endif
