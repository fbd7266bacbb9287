/* Interpolation of images: the prefilter, turns and zooms in two and three directions, against
   copies and between the library's own methods, as in tables 1 to 3 of Champagnat and Le Sant,
   Efficient cubic B-spline image interpolation on a GPU, 2012; against others (image_peers.h), and
   how good it is (image_rotations.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_peers.h"
#include "image_rotations.h"
#include "image_run.h"

static const char suite[] = "image";

static const double no_limits[2] = {NAN, NAN};

/* The recursion that takes a line an item is that of Ruijters and Thevenaz, "GPU IIR" of the paper;
   15 taps that are cut off, through local memory, are its "GPU FIR15". */
static const image_manner prefilters[] = {
    {"recursive", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, CLSP_IMAGE_KERNELS_DEFAULT, 0},
    {"recursive, lines", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, CLSP_IMAGE_LINES, 0},
    {"15 cut off, staged", CLSP_IMAGE_CUBIC, CLSP_IMAGE_TRUNCATED, 15, CLSP_IMAGE_STAGED, 0},
    {"7 cut off", CLSP_IMAGE_CUBIC, CLSP_IMAGE_TRUNCATED, 7, CLSP_IMAGE_KERNELS_DEFAULT, 0},
    {"15 cut off", CLSP_IMAGE_CUBIC, CLSP_IMAGE_TRUNCATED, 15, CLSP_IMAGE_KERNELS_DEFAULT, 0},
};
enum { DEFAULT, LINES, STAGED };

static double batch_ms(const bench *b)
{
    return b->quick ? 5 : 20;
}

/* Whether the device has room for samples, coefficients and values. */
static bool fits(const bench *b, const image_run *r)
{
    const double each = (double)clsp_type_bytes(r->precision);
    const double in = each * (double)image_run_samples(r);
    const double out = each * (double)image_run_values(r);

    return fmax(in, out) <= (double)b->info.max_alloc_bytes &&
           2.5 * in + out <= (double)b->info.global_bytes;
}

/* ---- prefilters ---- */

/* Creates those of the prefilters that there are; others have no enqueue. */
static clsp_status create_prefilters(const image_run *r, image_way *ways, bench_contestant *all)
{
    for (size_t i = 0; i < BENCH_COUNT(prefilters); i++) {
        const clsp_status status = image_way_create(&ways[i], r, &prefilters[i]);
        if (status != CLSP_OK && status != CLSP_ERROR_ARGUMENT) return bench_check(status, r->name);
        ways[i].loads = true;
        all[i].user = &ways[i];
        if (status == CLSP_OK) all[i].enqueue = image_way_enqueue;
    }
    return CLSP_OK;
}

static void report_prefilters(const image_run *r, const bench_contestant *all, double copy)
{
    const double num = (double)image_run_samples(r);
    const double bytes = 2 * num * (double)clsp_type_bytes(r->precision);
    const double limits[2] = {copy, NAN};

    for (size_t i = 0; i < BENCH_COUNT(prefilters); i++)
        if (all[i].enqueue) image_run_report(r, prefilters[i].name, &all[i], num, bytes);
    image_run_number(r, "default, of the copy",
                     1e3 * bytes / r->b->floor[r->precision].copy_rate /
                         all[DEFAULT].sustained.median_ms,
                     "ratio", limits);
    if (!all[LINES].enqueue || !all[STAGED].enqueue) return;
    image_run_number(r, "15 staged/lines", bench_ratio(&all[STAGED], &all[LINES]), "ratio",
                     no_limits);
    image_run_number(r, "default/lines", bench_ratio(&all[DEFAULT], &all[LINES]), "ratio",
                     no_limits);
}

/* Measures all prefilters on one image. copy: what is wanted of the copy's speed. */
static clsp_status run_prefilter(image_run r, double copy)
{
    image_way ways[BENCH_COUNT(prefilters)] = {{0}};
    bench_contestant all[BENCH_COUNT(prefilters)] = {{0}};
    clsp_status status;

    if (r.channels > 1)
        snprintf(r.name, sizeof r.name, "prefilter, %u of %u^%u, %u channels", r.num, r.side,
                 r.directions, r.channels);
    else if (r.num > 1)
        snprintf(r.name, sizeof r.name, "prefilter, %u of %u^%u", r.num, r.side, r.directions);
    else
        snprintf(r.name, sizeof r.name, "prefilter, %u^%u", r.side, r.directions);
    if (!fits(r.b, &r) || !bench_wants(r.b, r.name)) return CLSP_OK;
    BENCH_TRY(image_run_start(&r));
    BENCH_TRY(create_prefilters(&r, ways, all));
    BENCH_TRY(bench_measure_some(r.b->queue, all, BENCH_COUNT(all), batch_ms(r.b)));
    report_prefilters(&r, all, copy);

fail:
    for (size_t i = 0; i < BENCH_COUNT(ways); i++)
        image_way_release(&ways[i]);
    image_run_release(&r);
    return status;
}

/* Table 2: the rows of an image alone, as lines of as many images, beside all of it. What is left
   is the columns' part. */
static clsp_status run_rows(image_run whole, const image_manner *manner)
{
    image_run rows = whole;
    image_way ways[2] = {{0}};
    bench_contestant all[2] = {{0}};
    clsp_status status;

    snprintf(whole.name, sizeof whole.name, "rows and columns, %u", whole.side);
    if (!bench_wants(whole.b, whole.name)) return CLSP_OK;
    rows.directions = 1;
    rows.num = whole.side;
    memcpy(rows.name, whole.name, sizeof rows.name);
    BENCH_TRY(image_run_start(&whole));
    BENCH_TRY(image_run_start(&rows));
    for (int i = 0; i < 2; i++) {
        status = image_way_create(&ways[i], i == 0 ? &rows : &whole, manner);
        if (status == CLSP_ERROR_ARGUMENT) {
            status = CLSP_OK; /* kernels that the device does not have */
            goto fail;
        }
        BENCH_TRY(bench_check(status, whole.name));
        ways[i].loads = true;
        all[i] = (bench_contestant){.enqueue = image_way_enqueue, .user = &ways[i]};
    }
    BENCH_TRY(bench_measure(whole.b->queue, all, 2, batch_ms(whole.b)));
    for (int i = 0; i < 2; i++) {
        char method[IMAGE_NAME_MAX];
        snprintf(method, sizeof method, "%s, %s", manner->name, i == 0 ? "rows" : "all");
        image_run_report(&whole, method, &all[i], (double)image_run_samples(&whole), NAN);
    }

fail:
    for (int i = 0; i < 2; i++)
        image_way_release(&ways[i]);
    image_run_release(&rows);
    image_run_release(&whole);
    return status;
}

/* ---- turns and zooms ---- */

/* A way to interpolate: with coefficients ready, or from samples on. */
static const struct {
    image_manner manner;
    bool one_shot;
} motions[] = {
    {{"linear", CLSP_IMAGE_LINEAR, 0, 0, 0, 0}, false},
    {{"linear, one shot", CLSP_IMAGE_LINEAR, 0, 0, 0, 0}, true},
    {{"cubic, ready", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, 0, 0}, false},
    {{"cubic, one shot", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, 0, 0}, true},
    {{"15 taps, one shot", CLSP_IMAGE_CUBIC, CLSP_IMAGE_LEAST_SQUARES, 15, 0, 0}, true},
    {{"lines, one shot", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, CLSP_IMAGE_LINES, 0}, true},
    {{"texels, ready", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, 0, CLSP_IMAGE_TEXELS}, false},
    {{"lerps, ready", CLSP_IMAGE_CUBIC, CLSP_IMAGE_RECURSIVE, 0, 0, CLSP_IMAGE_LERPS}, false},
};
enum { LINEAR, LINEAR_ONE_SHOT, FIRST_CUBIC, TEXELS = 6, MOTIONS = BENCH_COUNT(motions) };

typedef struct motion_limits {
    double ready, one_shot; /* most of cubic over linear; NAN: any */
} motion_limits;

static void report_motion(const image_run *r, const bench_contestant *all, motion_limits wanted)
{
    const double num = (double)image_run_values(r);
    const double bytes =
        (num + (double)image_run_samples(r)) * (double)clsp_type_bytes(r->precision);

    for (size_t i = 0; i < MOTIONS; i++)
        if (all[i].enqueue) image_run_report(r, motions[i].manner.name, &all[i], num, bytes);
    for (size_t i = FIRST_CUBIC; i < BENCH_COUNT(motions); i++) {
        char method[IMAGE_NAME_MAX];
        const double most = i == FIRST_CUBIC       ? wanted.ready
                            : i == FIRST_CUBIC + 1 ? wanted.one_shot
                                                   : NAN;
        const double limits[2] = {NAN, most};
        snprintf(method, sizeof method, "%s / linear", motions[i].manner.name);
        if (all[i].enqueue)
            image_run_number(r, method, 1 / bench_ratio(&all[i], &all[LINEAR]), "ratio", limits);
    }
}

/* Makes the values of a way and reads them. */
static clsp_status read_values(const image_run *r, image_way *way, float *to)
{
    const size_t bytes = image_run_values(r) * sizeof *to;
    clsp_status status;

    BENCH_TRY(image_way_enqueue(way));
    BENCH_TRY(bench_check(
        clEnqueueReadBuffer(r->b->queue, r->values, CL_TRUE, 0, bytes, to, 0, NULL, NULL),
        r->name));

fail:
    return status;
}

/* Says of ways by image objects how far their values are from those by buffers. */
static clsp_status report_fetches(const image_run *r, image_way *ways, const bench_contestant *all)
{
    static const double range = 255;
    const size_t num = image_run_values(r);
    float *const values = malloc(2 * num * sizeof *values);
    clsp_status status = values ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    if (status == CLSP_OK) status = read_values(r, &ways[FIRST_CUBIC], values);
    for (size_t i = TEXELS; i < BENCH_COUNT(motions) && status == CLSP_OK; i++) {
        char method[IMAGE_NAME_MAX];
        double worst = 0;
        if (!all[i].enqueue) continue;
        status = read_values(r, &ways[i], values + num);
        for (size_t k = 0; k < num; k++)
            worst = fmax(worst, fabs((double)values[k] - (double)values[num + k]));
        snprintf(method, sizeof method, "%s, off, of range", motions[i].manner.name);
        image_run_number(r, method, 100 * worst / range, "%", no_limits);
    }
    free(values);
    return bench_check(status, r->name);
}

/* Turns, or where zoom is above 1 zooms, to an image of out_side. */
static clsp_status run_motion(image_run r, double degrees, double zoom, motion_limits wanted)
{
    image_way ways[MOTIONS] = {{0}};
    bench_contestant all[MOTIONS] = {{0}};
    clsp_status status;

    if (zoom > 1)
        snprintf(r.name, sizeof r.name, "zoom x%g, to %u^%u", zoom, r.out_side, r.directions);
    else
        snprintf(r.name, sizeof r.name, "rotation, %u^%u", r.out_side, r.directions);
    if (!fits(r.b, &r) || !bench_wants(r.b, r.name)) return CLSP_OK;
    BENCH_TRY(image_run_start(&r));
    image_run_turn(&r, degrees, zoom);
    for (size_t i = 0; i < MOTIONS; i++) {
        status = image_way_create(&ways[i], &r, &motions[i].manner);
        if (status == CLSP_ERROR_ARGUMENT) continue; /* kernels that the device does not have */
        BENCH_TRY(bench_check(status, r.name));
        ways[i].loads = motions[i].one_shot;
        ways[i].interpolates = true;
        all[i] = (bench_contestant){.enqueue = image_way_enqueue, .user = &ways[i]};
    }
    BENCH_TRY(bench_measure_some(r.b->queue, all, MOTIONS, batch_ms(r.b)));
    report_motion(&r, all, wanted);
    if (all[TEXELS].enqueue) BENCH_TRY(report_fetches(&r, ways, all));

fail:
    for (size_t i = 0; i < BENCH_COUNT(ways); i++)
        image_way_release(&ways[i]);
    image_run_release(&r);
    return status;
}

/* ---- all ---- */

static image_run square(bench *b, clsp_type precision, uint32_t side)
{
    return (image_run){.b = b,
                       .suite = suite,
                       .precision = precision,
                       .directions = 2,
                       .side = side,
                       .out_side = side,
                       .num = 1};
}

/* The largest side of squares: a CPU takes long for more. */
static uint32_t most_of(const bench *b)
{
    return b->quick ? 1024 : b->is_cpu ? 2048 : 8192;
}

/* Table 1, odd sizes and volumes, and the samples of one square in small images. */
static clsp_status run_prefilters(bench *b, clsp_type precision)
{
    static const uint32_t sides[] = {1024, 2048, 4096, 8192, 1023, 2047, 4095};
    static const uint32_t volumes[] = {256, 512};
    const uint32_t largest = most_of(b);
    clsp_status status = CLSP_OK;

    for (size_t i = 0; i < BENCH_COUNT(sides) && status == CLSP_OK; i++)
        if (sides[i] <= largest)
            status = run_prefilter(square(b, precision, sides[i]),
                                   sides[i] == 8192 && precision == CLSP_F32 ? 0.6 : NAN);
    if (status == CLSP_OK) {
        image_run r = square(b, precision, 64);
        r.num = b->quick ? 256 : 1024;
        status = run_prefilter(r, NAN);
        r.num /= 4;
        r.channels = 4;
        if (status == CLSP_OK) status = run_prefilter(r, NAN);
    }
    for (size_t i = 0; i < BENCH_COUNT(volumes) && status == CLSP_OK && !b->quick; i++) {
        image_run r = square(b, precision, volumes[i]);
        r.directions = 3;
        if (!b->is_cpu || volumes[i] < 512) status = run_prefilter(r, NAN);
    }
    for (size_t i = 0; i < BENCH_COUNT(prefilters) && status == CLSP_OK; i++)
        if (i == DEFAULT || i == LINES || i == STAGED)
            status =
                run_rows(square(b, precision, largest < 2048 ? largest : 2048), &prefilters[i]);
    return status;
}

/* Table 3: results of one size, turned and zoomed; turns of other sizes and of a volume. */
static clsp_status run_motions(bench *b, clsp_type precision)
{
    static const motion_limits any = {NAN, NAN};
    const motion_limits on_gpu = {1.5, 2.0}, on_cpu = {NAN, 2.5};
    const uint32_t largest = most_of(b), out = largest < 2048 ? largest : 2048;
    clsp_status status = CLSP_OK;

    for (uint32_t side = 1024; side <= largest && status == CLSP_OK; side *= 2) {
        const bool is_judged = precision == CLSP_F32 && !b->quick && side == largest;
        status = run_motion(square(b, precision, side), 10, 1,
                            !is_judged  ? any
                            : b->is_cpu ? on_cpu
                                        : on_gpu);
    }
    for (uint32_t zoom = 2; zoom <= 16 && status == CLSP_OK; zoom *= 2) {
        image_run r = square(b, precision, out / zoom);
        r.out_side = out;
        if (!b->quick || zoom == 4) status = run_motion(r, 0, zoom, any);
    }
    if (status == CLSP_OK && !b->quick) {
        image_run r = square(b, precision, 256);
        r.directions = 3;
        status = run_motion(r, 10, 1, any);
    }
    return status;
}

clsp_status bench_suite_image(bench *b)
{
    clsp_status status;

    BENCH_TRY(bench_floor_measure(b));
    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        if (!b->wanted[p] || (b->quick && p == CLSP_F64)) continue;
        BENCH_TRY(run_prefilters(b, p));
        BENCH_TRY(run_motions(b, p));
    }
    if (b->wanted[CLSP_F32]) {
        BENCH_TRY(image_peers_run(b, suite));
        BENCH_TRY(image_rotations_run(b, suite));
    }

fail:
    return status;
}
