/* Part of the suite processors: a call from and into host memory, from and into buffers where there
   is OpenCL, and a plain loop of C, in turns; and where devices take tiles from a queue, the shared
   schedules. */
#ifndef BENCH_PROCESSORS_RUN_H
#define BENCH_PROCESSORS_RUN_H

#include "bench.h"

enum { PROCESSORS_ROOM = 160 << 20, PROCESSORS_NAME_MAX = 96 };

/* Memory that results go to, of PROCESSORS_ROOM bytes each. */
typedef struct processors {
    bench *b;
    void *memory, *shared; /* shared: of clsp_shared_alloc */
    cl_mem buffer;         /* NULL without OpenCL, and where several cores are measured */
} processors;

/* What is measured, of a precision. */
typedef struct processors_job {
    char name[PROCESSORS_NAME_MAX];
    clsp_type precision, type; /* type: of results */
    double points;
    bool is_load; /* it has no results, and no tiles */
    /* Makes all of it, for a buffer from buffers, else from host memory. */
    clsp_status (*call)(void *user, clsp_output out, const clsp_run *run);
    clsp_status (*loop)(void *user); /* the same by a plain loop of C; NULL: there is none */
    void *user;
} processors_job;

/* Measures a job and writes its lines. */
clsp_status processors_measure(const processors *p, const processors_job *job);

/* Makes an array of a precision of numbers in [low, low + 1], the same in every run; NULL without
   memory. */
void *processors_numbers(clsp_type precision, size_t num, double low);

clsp_input processors_input(clsp_type type, const void *host, size_t size);
clsp_status processors_upload(const bench *b, const void *from, size_t bytes, cl_mem *buffer);

/* A list of points, in host memory and in buffers: items and parameters in [0, 1] at random. */
enum { PROCESSORS_LIST = 20000 };

typedef struct processors_list {
    uint32_t *item;
    void *params;
    cl_mem buffer[2];
    clsp_points host, device;
} processors_list;

clsp_status processors_list_create(processors_list *list, const bench *b, clsp_type precision,
                                   size_t directions, uint32_t items);
void processors_list_release(processors_list *list);

/* Measure what the suite has of patches, images, their prefilter and solids. */
clsp_status processors_patches_run(const processors *p);
clsp_status processors_images_run(const processors *p);
clsp_status processors_filters_run(const processors *p);
clsp_status processors_solids_run(const processors *p);

#endif
