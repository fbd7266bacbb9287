#include "tuning.h"

#include <string.h>

#include "check.h"
#include "profile.h"

#define MIB         ((size_t)1 << 20)
#define FMA_SLOW    UINT64_C(4000000000)
#define FMA_FAST    UINT64_C(100000000000)
#define GROUPS_OLD  65535 /* older Mesa drivers fail above */
#define GROUPS_MANY ((size_t)1 << 20)

/* What all rows have. Products: from these sizes on CLBlast takes its fast kernels on most GPUs; a
   call of it costs 13 us on an H200. */
#define ANY_GPU                                                                                    \
    .work_group = 64, .items_per_unit = 1024, .keep_share = 8, .gemm_wide_columns = 16,            \
    .gemm_clblast_f32 = 896, .gemm_clblast_f64 = 896

/* What AMD's rows have, which calls itself by two names. */
#define ANY_AMD                                                                                    \
    ANY_GPU, .max_groups = GROUPS_MANY, .max_launch_fma = FMA_FAST, .scratch_bytes = 8 * MIB,      \
             .item_registers = 36, .single_column = 32, .vertex_registers = 84,                    \
             .vertex_pair_registers = 76, .band_registers = 84, .symmetric_terms = 5,              \
             .line_block = 32

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
     {ANY_GPU, .max_groups = GROUPS_MANY, .max_launch_fma = FMA_FAST, .scratch_bytes = 32 * MIB,
      .item_registers = 96, .single_column = 64, .vertex_registers = 152,
      .vertex_pair_registers = 168, .band_registers = 336, .symmetric_terms = 13, .line_block = 32,
      .sector_bytes = 32, .fuses_bands = 1}},
    {CLSP_CLASS_DISCRETE, "AMD", {ANY_AMD}},
    {CLSP_CLASS_DISCRETE, "Advanced Micro", {ANY_AMD}},
    {CLSP_CLASS_DISCRETE,
     NULL,
     {ANY_GPU, .max_groups = GROUPS_OLD, .max_launch_fma = FMA_FAST, .scratch_bytes = 8 * MIB,
      .item_registers = 24, .single_column = 16, .vertex_registers = 52, .band_registers = 52,
      .symmetric_terms = 5, .line_block = 16}},
    {CLSP_CLASS_INTEGRATED,
     "Arm",
     {ANY_GPU, .max_groups = GROUPS_OLD, .max_launch_fma = FMA_SLOW, .scratch_bytes = 1 * MIB,
      .item_registers = 16, .single_column = 16, .symmetric_terms = 5}},
    {0,
     NULL,
     {ANY_GPU, .max_groups = GROUPS_OLD, .max_launch_fma = FMA_SLOW, .scratch_bytes = 1 * MIB,
      .item_registers = 16, .single_column = 16, .vertex_registers = 52, .band_registers = 52,
      .symmetric_terms = 5, .line_block = 16}},
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
