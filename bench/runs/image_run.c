#include "image_run.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* ---- samples ---- */

/* A number in [0, 1), the next of a seeded row (SplitMix64). */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void add_gratings(float *to, size_t width, size_t height, uint64_t *state)
{
    enum { NUM = 24 };

    for (int i = 0; i < NUM; i++) {
        const double frequency = exp(uniform(state) * log(80.0)) * 2 * pi / 512;
        const double angle = uniform(state) * 2 * pi, phase = uniform(state) * 2 * pi;
        const double contrast = 0.6 / (1 + frequency * 40);
        const double u = cos(angle) * frequency, v = sin(angle) * frequency;
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                to[y * width + x] +=
                    (float)(40 * contrast * cos(u * (double)x + v * (double)y + phase));
    }
}

static void add_discs(float *to, size_t width, size_t height, uint64_t *state)
{
    enum { NUM = 40 };

    for (int i = 0; i < NUM; i++) {
        const double radius = 4 + 36 * uniform(state), grey = 90 * (uniform(state) - 0.5);
        const double a = uniform(state) * (double)width, b = uniform(state) * (double)height;
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                if (hypot((double)x - a, (double)y - b) < radius) to[y * width + x] += (float)grey;
    }
}

void image_run_paint(float *samples, size_t width, size_t height)
{
    uint64_t state = 2012;

    for (size_t i = 0; i < width * height; i++)
        samples[i] = 128;
    add_gratings(samples, width, height, &state);
    add_discs(samples, width, height, &state);
    for (size_t i = 0; i < width * height; i++) {
        const double grey = (double)samples[i] + 6 * (uniform(&state) - 0.5);
        samples[i] = (float)fmin(fmax(floor(grey + 0.5), 0), 255);
    }
}

static size_t power(size_t x, uint32_t n)
{
    return n == 0 ? 1 : x * power(x, n - 1);
}

static uint32_t planes_of(const image_run *r)
{
    return r->num * (r->channels > 0 ? r->channels : 1);
}

size_t image_run_samples(const image_run *r)
{
    return planes_of(r) * power(r->side, r->directions);
}

size_t image_run_values(const image_run *r)
{
    return planes_of(r) * power(r->out_side, r->directions);
}

/* Makes one painted square of at most 512 of all samples: they are its copies. */
static clsp_status fill_first(image_run *r, size_t num)
{
    enum { SIDE = 512 };
    float *const square = malloc(SIDE * SIDE * sizeof *square);

    r->first = malloc(num * sizeof *r->first);
    if (r->first && square) {
        image_run_paint(square, SIDE, SIDE);
        for (size_t i = 0; i < num; i++)
            r->first[i] = square[i / r->side % SIDE * SIDE + i % r->side % SIDE];
    }
    free(square);
    return r->first ? CLSP_OK : CLSP_ERROR_NO_MEMORY;
}

static clsp_status create_buffer(const image_run *r, size_t reals, cl_mem *buffer)
{
    cl_int code;

    *buffer = clCreateBuffer(r->b->context, CL_MEM_READ_WRITE,
                             reals * clsp_type_bytes(r->precision), NULL, &code);
    return code;
}

/* Writes the first image into the place of each, and of each channel. */
static clsp_status upload(const image_run *r, size_t num)
{
    const size_t bytes = num * clsp_type_bytes(r->precision);
    double *const wide = r->precision == CLSP_F64 ? malloc(bytes) : NULL;
    clsp_status status = wide || r->precision == CLSP_F32 ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    for (size_t i = 0; wide && i < num; i++)
        wide[i] = (double)r->first[i];
    for (uint32_t i = 0; i < planes_of(r) && status == CLSP_OK; i++)
        status = clEnqueueWriteBuffer(r->b->queue, r->samples, CL_TRUE, i * bytes, bytes,
                                      wide ? (void *)wide : (void *)r->first, 0, NULL, NULL);
    free(wide);
    return status;
}

clsp_status image_run_start(image_run *r)
{
    const size_t num = power(r->side, r->directions);
    clsp_status status;

    r->map = clsp_image_identity();
    for (int d = 0; d < 3; d++)
        r->map.size[d] = r->out_side;
    BENCH_TRY(fill_first(r, num));
    BENCH_TRY(create_buffer(r, image_run_samples(r), &r->samples));
    BENCH_TRY(create_buffer(r, image_run_values(r), &r->values));
    BENCH_TRY(upload(r, num));
    return CLSP_OK;

fail:
    return bench_check(status, r->name);
}

void image_run_release(image_run *r)
{
    if (r->samples) clReleaseMemObject(r->samples);
    if (r->values) clReleaseMemObject(r->values);
    free(r->first);
}

void image_run_turn(image_run *r, double degrees, double zoom)
{
    const uint32_t y = r->directions - 2, x = r->directions - 1;
    const double middle = ((double)r->side - 1) / 2, out_middle = ((double)r->out_side - 1) / 2;
    const double c = cos(degrees * pi / 180) / zoom, s = sin(degrees * pi / 180) / zoom;

    for (uint32_t d = 0; d < r->directions; d++) {
        r->map.matrix[d][d] = 1 / zoom;
        r->map.matrix[d][3] = middle - out_middle / zoom;
    }
    r->map.matrix[y][y] = r->map.matrix[x][x] = c;
    r->map.matrix[y][x] = s;
    r->map.matrix[x][y] = -s;
    r->map.matrix[y][3] = middle - (c + s) * out_middle;
    r->map.matrix[x][3] = middle - (c - s) * out_middle;
}

/* ---- plans ---- */

static clsp_input samples_of(const image_run *r)
{
    return clsp_in_buffer(r->samples, r->precision, 0);
}

static clsp_output values_of(const image_run *r)
{
    return clsp_out_buffer(r->values, r->precision, 0);
}

clsp_status image_way_create(image_way *way, const image_run *r, const image_manner *manner)
{
    const clsp_image_desc desc = {.directions = r->directions,
                                  .size = {r->side, r->side, r->side},
                                  .precision = r->precision,
                                  .channels = r->channels,
                                  .order = manner->order,
                                  .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_MIRROR, CLSP_IMAGE_MIRROR},
                                  .prefilter = manner->prefilter,
                                  .taps = manner->taps,
                                  .kernels = manner->kernels,
                                  .fetch = manner->fetch};
    clsp_status status;

    way->run = r;
    BENCH_TRY(clsp_image_plan_create(&way->plan, r->b->ctx, &desc));
    BENCH_TRY(clsp_image_set_samples(way->plan, r->num, samples_of(r), NULL));

fail:
    return status;
}

clsp_status image_way_enqueue(void *user)
{
    const image_way *const way = user;
    const image_run *const r = way->run;
    clsp_status status = CLSP_OK;

    if (way->loads) status = clsp_image_set_samples(way->plan, r->num, samples_of(r), NULL);
    if (way->interpolates && status == CLSP_OK)
        status = clsp_image_eval(way->plan, (clsp_range){0, r->num}, &r->map, values_of(r), NULL);
    return bench_check(status, r->name);
}

void image_way_release(image_way *way)
{
    clsp_image_plan_destroy(&way->plan);
}

/* ---- results ---- */

void image_run_report(const image_run *r, const char *method, const bench_contestant *c,
                      double pixels, double bytes)
{
    bench_row row =
        bench_row_empty(r->suite, r->name, method, (int)(8 * clsp_type_bytes(r->precision)));

    row.time = c->sustained;
    row.work = pixels;
    row.unit = "pixel/s";
    row.bytes = bytes;
    row.floor_ms = 1e3 * bytes / r->b->floor[r->precision].copy_rate;
    bench_report_row(r->b->report, &row);
}

void image_run_number(const image_run *r, const char *method, double number, const char *unit,
                      const double least_most[2])
{
    bench_row row =
        bench_row_empty(r->suite, r->name, method, (int)(8 * clsp_type_bytes(r->precision)));

    row.rate = number;
    row.unit = unit;
    row.least = least_most[0];
    row.most = least_most[1];
    bench_report_row(r->b->report, &row);
}
