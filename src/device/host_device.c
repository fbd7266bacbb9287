#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif

#include "host_device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <clspline/version.h>

#include "check.h"
#include "level.h"

uint32_t clspi_usable_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
#endif
    return cores < 1 ? 1 : (uint32_t)cores;
}

static uint64_t memory_bytes(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);

    return pages > 0 && bytes > 0 ? (uint64_t)pages * (uint64_t)bytes : UINT64_C(1) << 30;
}

void clspi_host_describe(clsp_device_info *info)
{
    const clspi_level_number level = clspi_level();

    *info = (clsp_device_info){.platform = "host",
                               .device_class = CLSP_CLASS_HOST,
                               .compute_units = clspi_usable_cores(),
                               .unified_memory = 1,
                               .fp64 = 1,
                               .fma = level > CLSPI_LEVEL_BASE,
                               .native_vector_bytes = 8u << level,
                               .max_work_group = 1,
                               .global_bytes = memory_bytes(),
                               .address_bits = sizeof(void *) * 8,
                               .base_align_bytes = 1,
                               .cacheline_bytes = 64};
    info->max_alloc_bytes = clspi_min_u64(info->global_bytes, SIZE_MAX);
    clspi_processor_name(info->name, sizeof info->name, info->vendor, sizeof info->vendor);
    snprintf(info->driver, sizeof info->driver, "clspline %s %s", CLSP_VERSION_STRING,
             clspi_level_name(level));
}

clsp_status clspi_needs_opencl(clsp_context *ctx, const char *what)
{
    if (ctx->queue) return CLSP_OK;
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT,
                      "a context of the host has no %s: make one of an OpenCL device (\"gpu\", or "
                      "\"cpu\" for one on the host's cores)",
                      what);
}

clsp_status clspi_needs_kernels(clsp_context *ctx)
{
    return clspi_needs_opencl(ctx, "kernels, by which alone this method computes");
}
