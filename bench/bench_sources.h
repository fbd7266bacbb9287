/* The comparison kernels of bench/kernels, embedded at build time by tools/embed_cl.py. */
#ifndef BENCH_SOURCES_H
#define BENCH_SOURCES_H

#include <stddef.h>

typedef struct bench_source {
    const char *name; /* of the file, without ".cl" */
    const char *text;
} bench_source;

extern const bench_source bench_sources[];
extern const size_t bench_num_sources;

#endif
