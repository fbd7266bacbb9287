#include "suite_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_run.h"
#include "photo.h"

enum { TURNS = 36, DEGREES = 10 };

/* An image that is turned, and two buffers between which it goes to and fro. */
typedef struct turning {
    image_run run; /* name and precision of the lines; nothing else of it */
    size_t width, height;
    const float *original;
    float *exact, *turned; /* results */
    cl_mem buffers[2];
} turning;

/* ---- turning ---- */

static clsp_image_map map_of(const turning *t)
{
    const double angle = DEGREES * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle);
    const double y = ((double)t->height - 1) / 2, x = ((double)t->width - 1) / 2;
    clsp_image_map map = clsp_image_identity();

    map.matrix[0][0] = map.matrix[1][1] = c;
    map.matrix[0][1] = s;
    map.matrix[1][0] = -s;
    map.matrix[0][3] = y - c * y - s * x;
    map.matrix[1][3] = x - c * x + s * y;
    return map;
}

/* Turns the original all around by a prefilter. */
static clsp_status turn(const turning *t, const image_manner *manner, float *result)
{
    const bench *const b = t->run.b;
    const size_t bytes = t->width * t->height * sizeof(float);
    const clsp_image_map map = map_of(t);
    const clsp_image_desc desc = {.size = {(uint32_t)t->height, (uint32_t)t->width},
                                  .mode = {CLSP_IMAGE_MIRROR, CLSP_IMAGE_MIRROR},
                                  .prefilter = manner->prefilter,
                                  .order = manner->order,
                                  .taps = manner->taps};
    clsp_image_plan *plan = NULL;
    clsp_status status;

    BENCH_TRY(clsp_image_plan_create(&plan, b->ctx, &desc));
    BENCH_TRY(clEnqueueWriteBuffer(b->queue, t->buffers[0], CL_TRUE, 0, bytes, t->original, 0, NULL,
                                   NULL));
    for (int i = 0; i < TURNS; i++) {
        const clsp_input in = clsp_in_buffer(t->buffers[i % 2], CLSP_F32, 0);
        const clsp_output out = clsp_out_buffer(t->buffers[1 - i % 2], CLSP_F32, 0);
        BENCH_TRY(clsp_image_set_samples(plan, 1, in, NULL));
        BENCH_TRY(clsp_image_eval(plan, (clsp_range){0, 1}, &map, out, NULL));
    }
    BENCH_TRY(clEnqueueReadBuffer(b->queue, t->buffers[TURNS % 2], CL_TRUE, 0, bytes, result, 0,
                                  NULL, NULL));

fail:
    clsp_image_plan_destroy(&plan);
    return bench_check(status, t->run.name);
}

/* The root mean square of a difference, and the largest one. */
typedef struct distance {
    double rms, most;
} distance;

/* Finds the differences within a disc of 0.45 of the shorter side. */
static distance difference(const turning *t, const float *a, const float *b)
{
    const double x0 = ((double)t->width - 1) / 2, y0 = ((double)t->height - 1) / 2;
    const double radius = 0.45 * fmin((double)t->width, (double)t->height);
    double sum = 0, num = 0, most = 0;

    for (size_t y = 0; y < t->height; y++)
        for (size_t x = 0; x < t->width; x++) {
            if (hypot((double)x - x0, (double)y - y0) > radius) continue;
            const double d = (double)a[y * t->width + x] - (double)b[y * t->width + x];
            sum += d * d;
            most = fmax(most, fabs(d));
            num++;
        }
    return (distance){sqrt(sum / num), most};
}

/* Writes the residual picture of a comparison, where a folder is named. */
static clsp_status write_residual(const turning *t, const char *method, const float *a,
                                  const float *b)
{
    enum { MIDDLE = 128, LEVELS = 32, WHITE = 255 };
    const char *const folder = getenv("CLSPLINE_BENCH_RESIDUALS");
    char path[4096];

    if (!folder) return CLSP_OK;
    snprintf(path, sizeof path, "%s/%s, %s.pgm", folder, t->run.name, method);
    FILE *const file = fopen(path, "wb");
    bool written = file && fprintf(file, "P5\n%zu %zu\n%d\n", t->width, t->height, WHITE) > 0;
    for (size_t i = 0; written && i < t->width * t->height; i++) {
        const double level = MIDDLE + LEVELS * ((double)a[i] - (double)b[i]);
        written = putc((int)lrint(fmin(fmax(level, 0), WHITE)), file) != EOF;
    }
    if (file) written = fclose(file) == 0 && written;
    if (written) return CLSP_OK;
    fprintf(stderr, "clspline-bench: %s: it cannot be written\n", path);
    return CLSP_ERROR_STATE;
}

/* ---- prefilters ---- */

/* Says how far a result is from another image. */
static clsp_status report_distance(const turning *t, const char *name, const float *result,
                                   const float *other)
{
    static const double none[2] = {NAN, NAN};
    const distance d = difference(t, result, other);
    char method[IMAGE_NAME_MAX];

    snprintf(method, sizeof method, "%s, to %s", name, other == t->exact ? "exact" : "original");
    image_run_number(&t->run, method, d.rms, "grey", none);
    const clsp_status status = write_residual(t, method, result, other);
    snprintf(method, sizeof method, "%s, most to %s", name,
             other == t->exact ? "exact" : "original");
    image_run_number(&t->run, method, d.most, "grey", none);
    return status;
}

static clsp_status report_manner(const turning *t, const image_manner *manner, bool is_exact)
{
    float *const result = is_exact ? t->exact : t->turned;
    clsp_status status;

    BENCH_TRY(turn(t, manner, result));
    BENCH_TRY(report_distance(t, manner->name, result, t->original));
    if (!is_exact) BENCH_TRY(report_distance(t, manner->name, result, t->exact));

fail:
    return status;
}

static clsp_status report_taps(const turning *t, uint32_t taps)
{
    char truncated[IMAGE_NAME_MAX], least_squares[IMAGE_NAME_MAX];
    const image_manner manners[] = {
        {truncated, CLSP_IMAGE_CUBIC, CLSP_IMAGE_TRUNCATED, taps, 0, 0},
        {least_squares, CLSP_IMAGE_CUBIC, CLSP_IMAGE_LEAST_SQUARES, taps, 0, 0}};
    clsp_status status = CLSP_OK;

    snprintf(truncated, sizeof truncated, "%u cut off", taps);
    snprintf(least_squares, sizeof least_squares, "%u least squares", taps);
    for (size_t i = 0; i < BENCH_COUNT(manners) && status == CLSP_OK; i++)
        status = report_manner(t, &manners[i], false);
    return status;
}

static clsp_status report_all(const turning *t, bool quick)
{
    static const image_manner exact = {"exact", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, 0, 0};
    static const image_manner linear = {"linear", CLSP_IMAGE_LINEAR, 0, 0, 0, 0};
    clsp_status status;

    BENCH_TRY(report_manner(t, &exact, true));
    BENCH_TRY(report_manner(t, &linear, false));
    for (uint32_t taps = quick ? 7 : 5; taps <= 27; taps += quick ? 8 : 2)
        BENCH_TRY(report_taps(t, taps));

fail:
    return status;
}

/* ---- images ---- */

static clsp_status run_image(turning *t, const char *name)
{
    const size_t num = t->width * t->height;
    clsp_status status = CLSP_ERROR_NO_MEMORY;
    cl_int code = CL_SUCCESS;

    snprintf(t->run.name, sizeof t->run.name, "36 x 10 degrees, %s", name);
    if (!bench_wants(t->run.b, t->run.name)) return CLSP_OK;
    t->exact = malloc(num * sizeof *t->exact);
    t->turned = malloc(num * sizeof *t->turned);
    if (!t->exact || !t->turned) goto fail;
    for (int i = 0; i < 2; i++) {
        t->buffers[i] =
            clCreateBuffer(t->run.b->context, CL_MEM_READ_WRITE, num * sizeof(float), NULL, &code);
        BENCH_TRY(code);
    }
    status = report_all(t, t->run.b->quick);

fail:
    for (int i = 0; i < 2; i++)
        if (t->buffers[i]) clReleaseMemObject(t->buffers[i]);
    free(t->exact);
    free(t->turned);
    return bench_check(status, t->run.name);
}

static clsp_status run_painted(bench *b, const char *suite)
{
    enum { SIDE = 512 };
    float *const samples = malloc(SIDE * SIDE * sizeof *samples);
    turning t = {.run = {.b = b, .suite = suite, .precision = CLSP_F32},
                 .width = SIDE,
                 .height = SIDE,
                 .original = samples};
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    if (samples) {
        image_run_paint(samples, SIDE, SIDE);
        status = run_image(&t, "painted");
    }
    free(samples);
    return status;
}

/* Runs one file; what cannot be read is said and left out. */
static clsp_status run_photo(bench *b, const char *suite, const char *path)
{
    const char *const slash = strrchr(path, '/');
    turning t = {.run = {.b = b, .suite = suite, .precision = CLSP_F32}};
    char why[PHOTO_WHY_MAX];
    float *const samples = photo_read(path, &t.width, &t.height, why);
    clsp_status status = CLSP_OK;

    t.original = samples;
    if (samples)
        status = run_image(&t, slash ? slash + 1 : path);
    else
        fprintf(stderr, "clspline-bench: %s: %s\n", path, why);
    free(samples);
    return status;
}

clsp_status image_rotations_run(bench *b, const char *suite)
{
    const char *const given = getenv("CLSPLINE_BENCH_IMAGES");
    char *const names = strdup(given ? given : "");
    clsp_status status = names ? run_painted(b, suite) : CLSP_ERROR_NO_MEMORY;
    char *rest = names;

    for (char *name = names; status == CLSP_OK && name && *name; name = rest) {
        rest = strchr(name, ':');
        if (rest) *rest++ = '\0';
        status = run_photo(b, suite, name);
    }
    free(names);
    return status;
}
