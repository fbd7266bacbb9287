/* The tuning table: every number that depends on the kind of device stands here, with a default row. */
#ifndef CLSPI_TUNING_H
#define CLSPI_TUNING_H

#include <clspline/context.h>

typedef struct clspi_tuning {
    size_t work_group;         /* preferred local size of one-dimensional launches */
    size_t max_groups;         /* work-groups of one launch; larger jobs are split */
    size_t max_vector_bytes;   /* explicit vectors of a work-item, at most; 0: scalar kernels, one item a column */
    uint64_t max_launch_fma;   /* multiply-adds of one launch, to stay far below a driver's time limit */
    size_t items_per_unit;     /* work-items that keep a compute unit busy */
    uint32_t keep_binaries;    /* 1: the disk cache of programs pays here */
} clspi_tuning;

/* The row for a device (as narrowed). */
clspi_tuning clspi_tuning_for(const clsp_device_info *info);

#endif
