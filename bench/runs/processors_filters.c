/* Part of the suite processors: prefilters of images, from host memory by the host and from a
   buffer by a command. */
#include <stdio.h>
#include <stdlib.h>

#include "host_image.h"
#include "processors_run.h"

static const struct {
    const char *name;
    uint32_t directions, side;
    clsp_image_prefilter kind;
    bool is_quick;
} rows[] = {
    {"64^2", 2, 64, CLSP_IMAGE_RECURSIVE, true},
    {"512^2", 2, 512, CLSP_IMAGE_RECURSIVE, true},
    {"2048^2", 2, 2048, CLSP_IMAGE_RECURSIVE, false},
    {"128^3", 3, 128, CLSP_IMAGE_RECURSIVE, false},
    {"line of 10^6", 1, 1000000, CLSP_IMAGE_RECURSIVE, false},
    {"512^2, FIR", 2, 512, CLSP_IMAGE_LEAST_SQUARES, false},
    {"96^3, FIR", 3, 96, CLSP_IMAGE_LEAST_SQUARES, false},
};

enum { HOST, KERNEL, WAYS };

typedef struct filters_run {
    clsp_type precision;
    size_t num; /* samples */
    void *samples;
    cl_mem buffer;
    clsp_image_plan *plans[WAYS];
    host_image loop;
} filters_run;

static clsp_status filter(void *user, clsp_output out, const clsp_run *run)
{
    const filters_run *const r = user;

    if (out.buffer)
        return clsp_image_set_samples(r->plans[KERNEL], 1,
                                      clsp_in_buffer(r->buffer, r->precision, 0), NULL);
    return clsp_image_set_samples(r->plans[HOST], 1,
                                  processors_input(r->precision, r->samples, r->num), run);
}

static clsp_status run_loop(void *user)
{
    host_image_filter(&((const filters_run *)user)->loop);
    return CLSP_OK;
}

static clsp_status start(filters_run *r, const processors *p, const clsp_image_desc *desc)
{
    clsp_status status = CLSP_OK;

    r->num = desc->size[0];
    for (uint32_t d = 1; d < desc->directions; d++)
        r->num *= desc->size[0];
    r->samples = processors_numbers(r->precision, r->num, 0);
    if (!r->samples) return CLSP_ERROR_NO_MEMORY;
    BENCH_TRY(
        processors_upload(p->b, r->samples, r->num * clsp_type_bytes(r->precision), &r->buffer));
    for (int i = 0; i < WAYS; i++)
        BENCH_TRY(clsp_image_plan_create(&r->plans[i], p->b->ctx, desc));
    r->loop = (host_image){.n = desc->size[0],
                           .is_volume = desc->directions == 3,
                           .samples = r->samples,
                           .coefficients = (float *)p->memory};

fail:
    return status;
}

static clsp_status run_case(const processors *p, size_t row, clsp_image_order order,
                            clsp_type precision)
{
    const uint32_t n = rows[row].side;
    const clsp_image_mode mirror = CLSP_IMAGE_MIRROR;
    const clsp_image_desc desc = {.directions = rows[row].directions,
                                  .size = {n, n, n},
                                  .precision = precision,
                                  .order = order,
                                  .mode = {mirror, mirror, mirror},
                                  .prefilter = rows[row].kind};
    filters_run r = {.precision = precision};
    processors_job job = {
        .precision = precision, .type = precision, .is_load = true, .call = filter, .user = &r};
    clsp_status status;

    snprintf(job.name, sizeof job.name, "prefilter %s, order %d", rows[row].name, (int)order);
    if (!bench_wants(p->b, job.name)) return CLSP_OK;
    BENCH_TRY(start(&r, p, &desc));
    job.points = (double)r.num;
    if (precision == CLSP_F32 && order == CLSP_IMAGE_CUBIC && desc.directions > 1 &&
        desc.prefilter == CLSP_IMAGE_RECURSIVE)
        job.loop = run_loop;
    BENCH_TRY(processors_measure(p, &job));

fail:
    for (int i = 0; i < WAYS; i++)
        clsp_image_plan_destroy(&r.plans[i]);
    if (r.buffer) clReleaseMemObject(r.buffer);
    free(r.samples);
    return bench_check(status, job.name);
}

clsp_status processors_filters_run(const processors *p)
{
    clsp_status status = CLSP_OK;

    for (clsp_type t = CLSP_F32; t <= CLSP_F64; t++)
        for (size_t i = 0; i < BENCH_COUNT(rows) && p->b->wanted[t]; i++) {
            if (p->b->quick && (t == CLSP_F64 || !rows[i].is_quick)) continue;
            BENCH_TRY(run_case(p, i, CLSP_IMAGE_CUBIC, t));
            if (!p->b->quick) BENCH_TRY(run_case(p, i, CLSP_IMAGE_QUINTIC, t));
        }

fail:
    return status;
}
