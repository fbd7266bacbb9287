/* Part of the suite processors: values and gradients of images. */
#include <stdio.h>
#include <stdlib.h>

#include "host_image.h"
#include "processors_run.h"

static const struct {
    clsp_image_order order;
    const char *name;
} orders[] = {{CLSP_IMAGE_NEAREST_SAMPLE, "order 0"},
              {CLSP_IMAGE_LINEAR, "order 1"},
              {CLSP_IMAGE_CUBIC, "order 3"},
              {CLSP_IMAGE_QUINTIC, "order 5"}};

/* Where values are, and gradients with them. */
typedef enum places { MAP, GRADIENT, FIELD, COORDINATES } places;

enum { DOUBLES = 1, QUICK = 2 }; /* it is measured in double, too; by --quick */

typedef struct image_row {
    const char *name;
    uint32_t directions, side, channels;
    places places;
    clsp_type samples; /* default: the precision */
    clsp_image_mode mode;
    unsigned options;
} image_row;

static const image_row rows[] = {
    {"64^2", 2, 64, 1, MAP, 0, CLSP_IMAGE_MIRROR, QUICK},
    {"512^2", 2, 512, 1, MAP, 0, CLSP_IMAGE_MIRROR, DOUBLES | QUICK},
    {"512^2, bytes", 2, 512, 1, MAP, CLSP_U8, CLSP_IMAGE_MIRROR, 0},
    {"512^2, 3 channels", 2, 512, 3, MAP, 0, CLSP_IMAGE_MIRROR, 0},
    {"512^2, gradient", 2, 512, 1, GRADIENT, 0, CLSP_IMAGE_MIRROR, QUICK},
    {"512^2, field", 2, 512, 1, FIELD, 0, CLSP_IMAGE_MIRROR, 0},
    {"512^2, coordinates", 2, 512, 1, COORDINATES, 0, CLSP_IMAGE_MIRROR, DOUBLES},
    {"512^2, constant", 2, 512, 1, MAP, 0, CLSP_IMAGE_CONSTANT, 0},
    {"512^2, nearest", 2, 512, 1, MAP, 0, CLSP_IMAGE_NEAREST, 0},
    {"2048^2", 2, 2048, 1, MAP, 0, CLSP_IMAGE_MIRROR, 0},
    {"96^3", 3, 96, 1, MAP, 0, CLSP_IMAGE_MIRROR, DOUBLES},
    {"96^3, gradient", 3, 96, 1, GRADIENT, 0, CLSP_IMAGE_MIRROR, 0},
    {"96^3, field", 3, 96, 1, FIELD, 0, CLSP_IMAGE_MIRROR, 0},
    {"line of 10^5", 1, 100000, 1, MAP, 0, CLSP_IMAGE_MIRROR, 0},
};

typedef struct images_run {
    const processors *p;
    const image_row *row;
    clsp_type precision;
    clsp_image_order order;
    size_t points;      /* of the result, and samples of a channel */
    void *samples, *at; /* at: displacements or coordinates */
    clsp_image_plan *plan;
    clsp_image_map map;
    host_image loop;
} images_run;

static clsp_status make_values(void *user, clsp_output out, const clsp_run *run)
{
    const images_run *const r = user;

    return clsp_image_eval(r->plan, (clsp_range){0, 1}, &r->map, out, run);
}

static clsp_status run_loop(void *user)
{
    const images_run *const r = user;

    (r->order == CLSP_IMAGE_LINEAR ? host_image_linear : host_image_cubic)(&r->loop);
    return CLSP_OK;
}

/* Makes a turn by some 10 degrees with a shift, and what is added to it or stands in its place. */
static clsp_status make_map(images_run *r)
{
    const uint32_t n = r->row->side, directions = r->row->directions;
    const size_t reals = r->points * directions;
    const clsp_input at = processors_input(r->precision, r->at, reals);
    clsp_image_map *const map = &r->map;

    if (!r->at) return CLSP_ERROR_NO_MEMORY;
    for (size_t i = 0; i < reals && r->row->places == COORDINATES; i++) {
        if (r->precision == CLSP_F64)
            ((double *)r->at)[i] *= n - 1;
        else
            ((float *)r->at)[i] *= (float)(n - 1);
    }
    *map = (clsp_image_map){.at = {.num = r->points, .params = at, .planar = 1}};
    if (r->row->places == COORDINATES) return CLSP_OK;
    *map = (clsp_image_map){
        .matrix = {{0.98, 0.17, 0, 0}, {-0.17, 0.98, 0, n * 0.1}, {0, 0.02, 0.97, 1}}};
    if (r->row->places == GRADIENT) map->attributes = CLSP_IMAGE_VALUE | CLSP_IMAGE_GRADIENT;
    if (r->row->places == FIELD) map->displacements = at;
    return CLSP_OK;
}

static clsp_status make_plan(images_run *r, clsp_type samples)
{
    const image_row *const row = r->row;
    const size_t num = r->points * row->channels;
    const clsp_image_desc desc = {.directions = row->directions,
                                  .size = {row->side, row->side, row->side},
                                  .channels = row->channels,
                                  .precision = r->precision,
                                  .samples = samples,
                                  .order = r->order,
                                  .mode = {row->mode, row->mode, row->mode}};
    clsp_status status;

    /* the numbers' own bytes serve as samples of a byte */
    r->samples = processors_numbers(r->precision, num, 0);
    if (!r->samples) return CLSP_ERROR_NO_MEMORY;
    BENCH_TRY(clsp_image_plan_create(&r->plan, r->p->b->ctx, &desc));
    BENCH_TRY(clsp_image_set_samples(r->plan, 1, processors_input(samples, r->samples, num), NULL));

fail:
    return status;
}

/* Sets up the loop, which has linear and cubic images of float. */
static clsp_status make_loop(images_run *r, processors_job *job)
{
    const image_row *const row = r->row;

    if (row->directions != 2 || row->places != MAP || row->channels != 1 ||
        row->mode != CLSP_IMAGE_MIRROR || row->samples || r->precision != CLSP_F32 ||
        (r->order != CLSP_IMAGE_LINEAR && r->order != CLSP_IMAGE_CUBIC))
        return CLSP_OK;
    r->loop = (host_image){.n = row->side, .samples = r->samples, .values = (float *)r->p->memory};
    r->loop.coefficients = malloc(r->points * sizeof(float));
    if (!r->loop.coefficients) return CLSP_ERROR_NO_MEMORY;
    for (int d = 0; d < 2; d++) {
        r->loop.matrix[d][0] = r->map.matrix[d][0];
        r->loop.matrix[d][1] = r->map.matrix[d][1];
        r->loop.matrix[d][2] = r->map.matrix[d][3];
    }
    host_image_filter(&r->loop);
    job->loop = run_loop;
    return CLSP_OK;
}

static clsp_status run_case(const processors *p, const image_row *row, size_t order,
                            clsp_type precision)
{
    images_run r = {.p = p, .row = row, .precision = precision, .order = orders[order].order};
    processors_job job = {.precision = precision, .call = make_values, .user = &r};
    clsp_status status;

    r.points = row->side;
    for (uint32_t d = 1; d < row->directions; d++)
        r.points *= row->side;
    job.type = row->samples ? row->samples : precision;
    job.points = (double)r.points;
    snprintf(job.name, sizeof job.name, "image %s, %s", row->name, orders[order].name);
    if (!bench_wants(p->b, job.name)) return CLSP_OK;
    r.at = processors_numbers(precision, r.points * row->directions, 0);
    BENCH_TRY(make_map(&r));
    BENCH_TRY(make_plan(&r, job.type));
    BENCH_TRY(make_loop(&r, &job));
    BENCH_TRY(processors_measure(p, &job));

fail:
    clsp_image_plan_destroy(&r.plan);
    free(r.samples);
    free(r.at);
    free(r.loop.coefficients);
    return bench_check(status, job.name);
}

clsp_status processors_images_run(const processors *p)
{
    clsp_status status = CLSP_OK;

    for (clsp_type t = CLSP_F32; t <= CLSP_F64; t++)
        for (size_t i = 0; i < BENCH_COUNT(rows); i++)
            for (size_t k = 0; k < BENCH_COUNT(orders); k++) {
                const bool is_quick = t == CLSP_F32 && (rows[i].options & QUICK) && k % 2 == 0;
                if (p->b->wanted[t] && (t == CLSP_F32 || (rows[i].options & DOUBLES)) &&
                    (!p->b->quick || is_quick))
                    BENCH_TRY(run_case(p, &rows[i], k, t));
            }

fail:
    return status;
}
