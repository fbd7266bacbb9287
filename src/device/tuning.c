#include "tuning.h"

#include <string.h>

#include "check.h"
#include "profile.h"

#define MIB         ((size_t)1 << 20)
#define FMA_SLOW    UINT64_C(4000000000)
#define FMA_FAST    UINT64_C(100000000000)
#define GROUPS_OLD  65535 /* older Mesa drivers fail above */
#define GROUPS_MANY ((size_t)1 << 20)

/* What all rows have. Products: on a GPU CLBlast won from 32 x 32 upward, and lost 3 to 12 times
   below 16. */
#define GPU(groups, fma, scratch, registers, column, vertex, pair, band, symmetric, block, sector, \
            fuse)                                                                                  \
    64, groups, fma, 1024, scratch, 8, registers, column, vertex, pair, band, symmetric, block,    \
        sector, fuse, 16, 32, 32

typedef struct tuning_row {
    clsp_device_class device_class; /* 0: any */
    const char *vendor;             /* part of the vendor's name; NULL: any */
    clspi_tuning tuning;
} tuning_row;

/* The first row that fits counts. Registers: NVIDIA gives an item up to 255; AMD 256, of which its
   compiler takes five for each that is asked for here; Intel's 128 of 32 bytes are 64 a lane at 16
   lanes; ARM gives 64, too few for a vertex with its derivatives, and V3D 64, less at full speed.
   Two rows at a time spill some of 168 on NVIDIA and are faster all the same, and so are rows of
   all terms up to 336, one at a time, than sums that are assembled (docs/notes/vertex_passes.md).
   Sectors: those of NVIDIA's caches, as measured on an H200; others are not measured. */
static const tuning_row rows[] = {
    {CLSP_CLASS_DISCRETE,
     "NVIDIA",
     {GPU(GROUPS_MANY, FMA_FAST, 32 * MIB, 96, 64, 152, 168, 336, 13, 32, 32, 1)}},
    {CLSP_CLASS_DISCRETE,
     "AMD",
     {GPU(GROUPS_MANY, FMA_FAST, 8 * MIB, 36, 32, 84, 76, 84, 5, 32, 0, 0)}},
    {CLSP_CLASS_DISCRETE,
     "Advanced Micro",
     {GPU(GROUPS_MANY, FMA_FAST, 8 * MIB, 36, 32, 84, 76, 84, 5, 32, 0, 0)}},
    {CLSP_CLASS_DISCRETE,
     NULL,
     {GPU(GROUPS_OLD, FMA_FAST, 8 * MIB, 24, 16, 52, 0, 52, 5, 16, 0, 0)}},
    {CLSP_CLASS_INTEGRATED,
     "Arm",
     {GPU(GROUPS_OLD, FMA_SLOW, 1 * MIB, 16, 16, 0, 0, 0, 5, 0, 0, 0)}},
    {0, NULL, {GPU(GROUPS_OLD, FMA_SLOW, 1 * MIB, 16, 16, 52, 0, 52, 5, 16, 0, 0)}},
};

clspi_tuning clspi_tuning_for(const clsp_device_info *info)
{
    size_t i = 0;

    for (; i + 1 < CLSPI_COUNT(rows); i++) {
        const tuning_row *const row = &rows[i];
        if (row->device_class == info->device_class &&
            (!row->vendor || clspi_contains(info->vendor, row->vendor, strlen(row->vendor))))
            break;
    }
    return rows[i].tuning;
}

/* Knows the one compiler that loses them by its platform: Intel's for CPUs (2026.22) mixes up items
   that wait at a barrier in an unrolled loop with much in registers. Intel's platform for GPUs has
   a longer name. */
int clspi_keeps_values(const clsp_device_info *info)
{
    return strcmp(info->platform, "Intel(R) OpenCL") != 0;
}

/* Leaves PoCL out: it compiles every kernel of a program when its binary is asked for, and keeps a
   cache of its own. */
int clspi_keeps_binaries(const clsp_device_info *info)
{
    return !clspi_is_pocl(info->platform);
}
