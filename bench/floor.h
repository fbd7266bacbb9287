/* What the device can do at best, measured in the same run as everything that is compared with it.
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include "kernel.h"

/* The best of several kernels each, in one precision, by the shortest of their times: what the
   device can do, whatever else ran on it at the time. */
typedef struct bench_floor {
    double copy_rate;   /* byte/s, read and written bytes both counted */
    double store_rate;  /* byte/s of packed reals */
    double fma_rate;    /* flop/s, two to a fused multiply-add */
    bench_kernel store; /* the kernel of store_rate; its arguments: cl_mem out, real value */
    size_t store_reals; /* that one of its items stores */
} bench_floor;

struct bench;

/* Measures the floors of the precisions wanted, once, and reports them. The host, which has no
   kernels, has none: they are NAN. */
clsp_status bench_floor_measure(struct bench *b);

void bench_floor_release(struct bench *b);

/* The least time for a call that writes so many bytes and does so many operations. */
double bench_floor_ms(const bench_floor *floor, double bytes, double flops);

#endif
