/* Part of the suite image: one image on the device, a map, and plans of them as contestants. */
#ifndef BENCH_IMAGE_RUN_H
#define BENCH_IMAGE_RUN_H

#include "bench.h"

enum { IMAGE_NAME_MAX = 64 };

/* What a plan computes by. */
typedef struct image_manner {
    const char *name;
    clsp_image_order order;
    clsp_image_prefilter prefilter;
    uint32_t taps;
    clsp_image_kernels kernels;
    clsp_image_fetch fetch;
} image_manner;

/* An image of a side's length along each direction, and a result likewise. */
typedef struct image_run {
    bench *b;
    const char *suite;
    char name[IMAGE_NAME_MAX];
    clsp_type precision;
    uint32_t directions, side, out_side, num; /* num: images */
    uint32_t channels;                        /* of each, beside each other; 0 means 1 */
    cl_mem samples, values;
    clsp_image_map map;
    float *first; /* the first image in host memory */
} image_run;

/* A plan as a contestant: it loads the samples, which makes coefficients, or interpolates at the
   map, or both. */
typedef struct image_way {
    const image_run *run;
    clsp_image_plan *plan;
    bool loads, interpolates;
} image_way;

/* Makes samples from 0 to 255, the same in every run, and room for values. The fields from b to
   channels are given. map: the identity, of the result's size. */
clsp_status image_run_start(image_run *r);
void image_run_release(image_run *r);

/* Turns by degrees, in the last two directions, about the middle, with a scale. */
void image_run_turn(image_run *r, double degrees, double zoom);

size_t image_run_samples(const image_run *r);
size_t image_run_values(const image_run *r);

/* Fills samples of a seeded image, `width` x `height`: gratings whose contrast falls as 1 / f,
   discs and noise, 0 to 255. */
void image_run_paint(float *samples, size_t width, size_t height);

/* Makes the plan and loads the samples once. CLSP_ERROR_ARGUMENT where it does not have the
   kernels. */
clsp_status image_way_create(image_way *way, const image_run *r, const image_manner *manner);
clsp_status image_way_enqueue(void *user);
void image_way_release(image_way *way);

/* Writes a line with a time: pixels made, of `bytes` that at least have to be moved. */
void image_run_report(const image_run *r, const char *method, const bench_contestant *c,
                      double pixels, double bytes);

/* Writes a ratio, or another number in a unit; least and most may be NAN. */
void image_run_number(const image_run *r, const char *method, double number, const char *unit,
                      const double least_most[2]);

#endif
