/* The tuning table: every number that depends on the kind of device stands here, with a default
 * row. */
#ifndef CLSPI_TUNING_H
#define CLSPI_TUNING_H

#include <clspline/context.h>

typedef struct clspi_tuning {
    size_t work_group; /* preferred local size of one-dimensional launches */
    size_t max_groups; /* work-groups of one launch; larger jobs are split */
    uint64_t
        max_launch_fma; /* multiply-adds of one launch, to stay far below a driver's time limit */
    size_t items_per_unit; /* work-items that keep a compute unit busy */
    size_t scratch_bytes;  /* intermediate results between two launches, small enough for a cache */
    uint32_t keep_share; /* intermediate results that later calls need again are kept when they take
                            up to one part in keep_share of the memory; 0: scratch_bytes */
    uint32_t item_registers;   /* 32-bit numbers that an item may keep beside what it works on */
    uint32_t single_column;    /* 32-bit numbers of one column that an item may keep at all */
    uint32_t vertex_registers; /* of a vertex with its derivatives, sums included */
    uint32_t vertex_pair_registers; /* the same of two rows at a time beside differences in local
                                       memory */
    uint32_t band_registers;  /* the same of a row of all terms, up to which one pass pays, whether
                                 or not they spill */
    uint32_t symmetric_terms; /* sums of at least so many terms are made for two symmetric rows at
                                 once */
    uint32_t line_block;   /* neighbouring results of a line's recursion that an item keeps, with as
                              many numbers again around them; 0: none */
    uint32_t sector_bytes; /* of the cache that stores go to, where stores that cross sectors are
                              known to cost; 0: elsewhere */
    uint32_t fuses_bands;  /* 1: one kernel makes both sums of a surface with banded tables of few
                              terms, where that is known to pay */
    uint32_t
        gemm_wide_columns;     /* products at least this wide are made by columns, others by rows */
    uint32_t gemm_clblast_f32; /* CLBlast makes products of at least so many multiply-adds as a cube
                                  of this edge has, and of m, n and k from 32 on; */
    uint32_t gemm_clblast_f64; /* 0: none */
} clspi_tuning;

/* Returns the row for a device (as narrowed). */
clspi_tuning clspi_tuning_for(const clsp_device_info *info);

/* Tells whether values of an item survive a barrier within a loop. */
int clspi_keeps_values(const clsp_device_info *info);

/* Tells whether the disk cache of programs pays on a platform. */
int clspi_keeps_binaries(const clsp_device_info *info);

#endif
