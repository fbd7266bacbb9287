/* Interpolation of images against the oracle: coefficients by every prefilter and kernel, values
   and gradients at maps, coordinates and displacements in every mode and order, every type and
   layout, tiny sizes, NaN, ranges, and wrong arguments. */
#include "image_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static clsp_context *shared;
static double worst; /* error over its bound, since it was last printed */

static void check_error(long double error, long double bound, const images *im)
{
    const double ratio = (double)(error / bound);

    if (ratio > worst) worst = ratio;
    if (ratio <= 1.0) return;
    print_message("f%d, order %u, mode %d, size %u %u %u, prefilter %d, kernels %d, taps %u: "
                  "%g\n",
                  im->d.precision == CLSP_F32 ? 32 : 64, order_number(&im->d), (int)im->d.mode[0],
                  im->d.size[0], im->d.size[1], im->d.size[2], (int)im->d.prefilter,
                  (int)im->d.kernels, im->d.taps, ratio);
    fail();
}

static void print_worst(const char *what)
{
    print_message("%s: worst/bound %.2f\n", what, worst);
    worst = 0.0;
}

static clsp_image_desc describe(unsigned directions, const uint32_t size[3], clsp_image_mode mode,
                                clsp_type precision)
{
    clsp_image_desc d = {.directions = directions, .precision = precision, .cval = 0.25};

    for (unsigned k = 0; k < directions; k++) {
        d.size[k] = size[k];
        d.mode[k] = mode;
    }
    return d;
}

/* ---- coefficients ---- */

/* How far coefficients may be off, in eps scale. One recursion has roundings of about 1 eps, of
   which the smooth parts add up over directions; more poles go with larger gains. FIR: the taps'
   own error of eps for each direction, or what their number brings. */
static double coefficient_bound(const clsp_image_desc *d)
{
    const unsigned order = order_number(d);
    static const double by_order_of[ORDERS] = {1.0, 1.0, 1.0, 1.0, 4.0, 8.0, 12.0, 20.0};
    const double by_order = by_order_of[order];
    const double eps = unit_of(d->coefficients);

    if (order <= 1 || d->prefilter == CLSP_IMAGE_NONE) return eps;
    if (d->coefficients == CLSP_F16) return 1.5 * eps;
    if (d->prefilter == CLSP_IMAGE_RECURSIVE)
        return (d->directions < 3 ? 2.0 : 3.0) * by_order * eps;
    return (4.0 + 3.0 * d->directions) * by_order * eps;
}

static void check_coefficients(images *im, double bound)
{
    const size_t *const stored = im->oracle[0].stored;
    const size_t plane = stored[0] * stored[1] * stored[2], all = plane * im->num * im->d.channels;
    const clsp_type type = im->d.coefficients;
    void *const got = malloc(all * clsp_type_bytes(type) + 1);

    assert_non_null(got);
    support_poison(got, all * clsp_type_bytes(type));
    assert_ok(shared, clsp_image_coefficients(im->plan, (clsp_range){0, im->num},
                                              host_out(type, got, all), NULL));
    for (size_t k = 0; k < all; k++) {
        const long double exact = im->oracle[k / plane].coefficients[k % plane];
        check_error(fabsl((long double)element_of(got, type, k) - exact), bound * im->scale, im);
    }
    free(got);
}

static void try_coefficients(const clsp_image_desc *d, uint64_t seed)
{
    images im = images_make(shared, d, 1, true, seed);

    check_coefficients(&im, coefficient_bound(&im.d));
    images_free(&im);
}

static const uint32_t sizes[][3] = {{100, 0, 0}, {67, 130, 0}, {131, 64, 0}, {171, 230, 0},
                                    {9, 7, 5},   {61, 62, 8},  {3, 61, 70}};

static bool is_fir(clsp_image_prefilter prefilter)
{
    return prefilter == CLSP_IMAGE_LEAST_SQUARES || prefilter == CLSP_IMAGE_TRUNCATED;
}

static void try_filters(clsp_image_desc d)
{
    static const struct {
        clsp_image_prefilter prefilter;
        clsp_image_kernels kernels;
    } ways[] = {{CLSP_IMAGE_RECURSIVE, CLSP_IMAGE_KERNELS_DEFAULT},
                {CLSP_IMAGE_RECURSIVE, CLSP_IMAGE_PASSES},
                {CLSP_IMAGE_RECURSIVE, CLSP_IMAGE_LINES},
                {CLSP_IMAGE_RECURSIVE, CLSP_IMAGE_TILES},
                {CLSP_IMAGE_LEAST_SQUARES, CLSP_IMAGE_PASSES},
                {CLSP_IMAGE_TRUNCATED, CLSP_IMAGE_STAGED},
                {CLSP_IMAGE_LEAST_SQUARES, CLSP_IMAGE_TILES},
                {CLSP_IMAGE_NONE, CLSP_IMAGE_KERNELS_DEFAULT}};

    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        const bool tiled = ways[w].kernels == CLSP_IMAGE_TILES;
        if (tiled && (d.precision != CLSP_F32 || d.directions < 2 || d.order > CLSP_IMAGE_CUBIC ||
                      d.size[0] < 60 || d.size[1] < 64))
            continue;
        if (tiled && d.directions == 3) continue;
        /* taps of each order are programs, and passes in each precision */
        if (is_thin() && d.order != CLSP_IMAGE_CUBIC && is_fir(ways[w].prefilter)) continue;
        if (is_thin() && d.precision == CLSP_F64 && w % 2 == 1) continue;
        d.prefilter = ways[w].prefilter;
        d.kernels = ways[w].kernels;
        if (!kernels_are_refused(shared, &d)) try_coefficients(&d, 1 + w);
    }
}

static void test_coefficients(void **state)
{
    (void)state;
    for (clsp_type precision = CLSP_F32; precision <= CLSP_F64; precision++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
            for (int mode = CLSP_IMAGE_MIRROR; mode <= CLSP_IMAGE_WRAP; mode++) {
                const unsigned directions = sizes[s][1] == 0 ? 1 : sizes[s][2] == 0 ? 2 : 3;
                clsp_image_desc d =
                    describe(directions, sizes[s], (clsp_image_mode)mode, precision);
                if (precision == CLSP_F64 && !has_doubles(shared)) continue;
                if (support_tiny() && s != 0 && s != 4) continue;
                if (s == 3 && mode % 3 != 0) continue; /* the largest */
                if (has_doubles(shared) && is_left_out(s + (size_t)mode + precision)) continue;
                d.order = CLSP_IMAGE_CUBIC;
                if (s % 2 == 1 && mode % 3 == 2) d.order = (clsp_image_order)(mode > 3 ? 5 : 2);
                if (s % 2 == 1 && mode % 3 == 0) d.order = (clsp_image_order)(mode > 3 ? 7 : 6);
                if (s == 0 && mode == CLSP_IMAGE_REFLECT) d.order = CLSP_IMAGE_QUARTIC;
                try_filters(d);
            }
    print_worst("coefficients");
}

/* Modes and sizes that differ between directions, and staged convolutions of them. */
static void test_mixed_modes(void **state)
{
    (void)state;
    static const uint32_t size[3] = {14, 5, 17};
    for (int first = CLSP_IMAGE_MIRROR; first <= CLSP_IMAGE_WRAP; first++) {
        clsp_image_desc d = describe(3, size, CLSP_IMAGE_MIRROR, CLSP_F32);
        for (unsigned k = 0; k < 3; k++)
            d.mode[k] = (clsp_image_mode)((first + 2 * (int)k) % 7 + 1);
        try_coefficients(&d, (uint64_t)first);
        d.prefilter = CLSP_IMAGE_TRUNCATED;
        d.kernels = CLSP_IMAGE_STAGED;
        if (!kernels_are_refused(shared, &d)) try_coefficients(&d, (uint64_t)first);
    }
    print_worst("mixed modes");
}

/* ---- values ---- */

/* How far values may be off, in eps scale: coefficients, weights and sums of every direction; and
   coordinates, whose rounding counts with slopes of up to 2 scale, and in double precision, where
   maps are sums of reals, three roundings of coordinates to about twice the size. */
static double value_bound(const images *im, size_t component)
{
    const double eps = unit_of(im->d.precision), by_order = order_number(&im->d) > 3 ? 3.0 : 1.0;

    double coordinates = 0.0;
    for (unsigned k = 0; k < im->d.directions && im->d.precision == CLSP_F64; k++)
        coordinates += 6.0 * im->d.size[k];
    return (component == 0 ? 1.0 : 2.0) * (4.0 * by_order + coordinates) * eps;
}

/* Checks one point of the output of all images and channels. */
static void check_point(const images *im, const void *got, size_t points, size_t p,
                        const long double x[3])
{
    const uint32_t attributes = CLSP_IMAGE_VALUE | CLSP_IMAGE_GRADIENT;
    long double want[4];

    for (size_t i = 0; i < im->num; i++)
        for (size_t c = 0; c < im->d.channels; c++) {
            want[0] = ref_image_at(&im->oracle[i * im->d.channels + c], x, want + 1);
            for (size_t k = 0; k < 1 + im->d.directions; k++) {
                const size_t at[4] = {i, c, p, k};
                const double value =
                    element_of(got, im->d.values, output_at(im, points, attributes, at));
                if (k > 0 && order_number(&im->d) == 1) continue; /* it jumps at knots */
                check_error(fabsl((long double)value - want[k]), value_bound(im, k) * im->scale,
                            im);
            }
        }
}

static void *make_output(const images *im, size_t points)
{
    const size_t size = output_size(im, points, 3);
    void *const out = malloc(size * clsp_type_bytes(im->d.values));

    assert_non_null(out);
    support_poison(out, size * clsp_type_bytes(im->d.values));
    return out;
}

enum { POINTS = 60 };

/* Coordinates from far before to far behind the image, in memory of the precision and as they are
   there. Some are whole. */
static void *make_coordinates(const images *im, size_t num, double *exact)
{
    const unsigned directions = im->d.directions;
    void *const memory = malloc(directions * num * clsp_type_bytes(im->d.precision));
    uint64_t state = 99;

    assert_non_null(memory);
    for (size_t k = 0; k < directions * num; k++) {
        const double size = im->d.size[k / num];
        double x = (support_uniform(&state) * 1.6 + 0.5) * size;
        if (k % 7 == 0) x = floor(x);
        if (k % 7 == 1) x = floor(x) + 0.25;
        if (k % 7 == 2) x = -0.5 + 0x1p-25; /* 1 more is 1/2 in single precision */
        set_element(memory, im->d.precision, k, x);
        exact[k] = element_of(memory, im->d.precision, k);
    }
    return memory;
}

static void check_at(const images *im)
{
    double x[3 * POINTS];
    void *const memory = make_coordinates(im, POINTS, x), *const out = make_output(im, POINTS);
    const clsp_image_map points =
        list_of(POINTS, host_in(im->d.precision, memory, im->d.directions * (size_t)POINTS), 3);

    assert_ok(shared,
              eval_all(im, &points, host_out(im->d.values, out, output_size(im, POINTS, 3))));
    for (size_t p = 0; p < POINTS; p++) {
        long double at[3] = {0};
        for (unsigned k = 0; k < im->d.directions; k++)
            at[k] = (long double)x[k * POINTS + p];
        check_point(im, out, POINTS, p, at);
    }
    free(memory);
    free(out);
}

static clsp_image_map make_map(const images *im)
{
    clsp_image_map map = {.attributes = 3};

    for (unsigned d = 0; d < im->d.directions; d++) {
        map.size[d] = 5 + 2 * d;
        map.matrix[d][3] = -1.8125 - d;
        for (unsigned k = 0; k < im->d.directions; k++)
            map.matrix[d][k] = d == k ? im->d.size[d] / 4.0 + 0.1 : 0.3 - 0.17 * k;
    }
    return map;
}

/* Coordinates of point p of a map's output. */
static void map_point(const images *im, const clsp_image_map *map, size_t p, long double x[3])
{
    long double o[3] = {0};

    for (unsigned d = im->d.directions; d-- > 0; p /= map->size[d])
        o[d] = (long double)(p % map->size[d]);
    for (unsigned d = 0; d < im->d.directions; d++) {
        x[d] = (long double)map->matrix[d][3];
        for (unsigned k = 0; k < im->d.directions; k++)
            x[d] += (long double)map->matrix[d][k] * o[k];
    }
}

static size_t map_points(const images *im, const clsp_image_map *map)
{
    size_t points = 1;

    for (unsigned d = 0; d < im->d.directions; d++)
        points *= map->size[d];
    return points;
}

static void check_map(const images *im, bool displaced)
{
    clsp_image_map map = make_map(im);
    const size_t points = map_points(im, &map), size = output_size(im, points, 3);
    void *const out = make_output(im, points);
    const clsp_output values = host_out(im->d.values, out, size);
    double *const exact = malloc(3 * points * sizeof *exact);

    assert_non_null(exact);
    void *const field = make_coordinates(im, points, exact);
    if (displaced) map.displacements = host_in(im->d.precision, field, im->d.directions * points);
    assert_ok(shared, eval_all(im, &map, values));
    for (size_t p = 0; p < points; p++) {
        long double x[3];
        map_point(im, &map, p, x);
        for (unsigned k = 0; k < im->d.directions && displaced; k++)
            x[k] += (long double)exact[k * points + p];
        check_point(im, out, points, p, x);
    }
    free(field);
    free(exact);
    free(out);
}

static void test_values(void **state)
{
    (void)state;
    static const uint32_t size[3][3] = {{19, 0, 0}, {11, 14, 0}, {7, 9, 6}};
    for (clsp_type precision = CLSP_F32; precision <= CLSP_F64; precision++)
        for (unsigned directions = 1; directions <= 3; directions++)
            for (unsigned order = 0; order < ORDERS; order++) {
                if (precision == CLSP_F64 && !has_doubles(shared)) continue;
                if (support_tiny() && (directions == 3 || order > 3)) continue;
                if (directions == 3 && order != 3 && order != 1 && !support_full()) continue;
                if (is_thin() && (directions + order + precision) % 3 != 0 &&
                    (order != 3 || precision != CLSP_F32))
                    continue;
                for (int mode = CLSP_IMAGE_MIRROR; mode <= CLSP_IMAGE_WRAP; mode++) {
                    clsp_image_desc d = describe(directions, size[directions - 1],
                                                 (clsp_image_mode)mode, precision);
                    d.order = order_of(order);
                    images im = images_make(shared, &d, 1, true, 7);
                    check_at(&im);
                    check_map(&im, false);
                    check_map(&im, true);
                    images_free(&im);
                }
            }
    print_worst("values");
}

/* The nearest sample, in every mode. */
static void test_nearest_samples(void **state)
{
    static const uint32_t size[3] = {11, 14, 0};

    (void)state;
    for (int mode = CLSP_IMAGE_MIRROR; mode <= CLSP_IMAGE_WRAP; mode++) {
        clsp_image_desc d = describe(2, size, (clsp_image_mode)mode, CLSP_F32);
        d.order = CLSP_IMAGE_NEAREST_SAMPLE;
        images im = images_make(shared, &d, 1, true, 7);
        check_at(&im);
        check_map(&im, false);
        images_free(&im);
    }
    print_worst("nearest samples");
}

static void test_layouts(void **state)
{
    (void)state;
    static const uint32_t size[3] = {6, 9, 0};
    for (uint32_t channels = 1; channels <= 4; channels += 3)
        for (uint32_t planar = 0; planar <= 1; planar++) {
            clsp_image_desc d = describe(2, size, CLSP_IMAGE_REFLECT, CLSP_F32);
            d.channels = channels;
            d.planar = planar;
            images im = images_make(shared, &d, 3, true, 8);
            check_coefficients(&im, coefficient_bound(&im.d));
            check_at(&im);
            check_map(&im, false);
            check_map(&im, true);
            images_free(&im);
        }
    print_worst("layouts");
}

/* ---- sizes ---- */

static void test_tiny_sizes(void **state)
{
    (void)state;
    for (uint32_t a = 1; a <= 5; a++)
        for (uint32_t b = 1; b <= 5; b++)
            for (int mode = CLSP_IMAGE_MIRROR; mode <= CLSP_IMAGE_WRAP; mode++) {
                const uint32_t size[3] = {a, b, 0};
                clsp_image_desc d = describe(2, size, (clsp_image_mode)mode, CLSP_F32);
                images im = images_make(shared, &d, 1, true, a + 5 * b);
                check_coefficients(&im, coefficient_bound(&im.d));
                check_at(&im);
                images_free(&im);
            }
    print_worst("tiny sizes");
}

/* ---- types ---- */

/* Values of a map into the type, next to those of the oracle. */
static void check_typed(const images *im)
{
    const clsp_type type = im->d.values;
    const bool is_integer = type == CLSP_U8 || type == CLSP_U16 || type == CLSP_S16;
    const double low = type == CLSP_S16 ? -32768.0 : 0.0;
    const double high = type == CLSP_U8 ? 255.0 : type == CLSP_U16 ? 65535.0 : 32767.0;
    clsp_image_map map = make_map(im);
    map.attributes = 0;
    const size_t points = map_points(im, &map), size = output_size(im, points, 0);
    void *const out = make_output(im, points);
    const double halves = im->d.coefficients == CLSP_F16 ? 2.0 * 0x1p-10 : 0.0;

    assert_ok(shared, eval_all(im, &map, host_out(type, out, size)));
    for (size_t p = 0; p < points; p++) {
        long double x[3];
        const size_t at[4] = {0, 0, p, 0};
        map_point(im, &map, p, x);
        long double want = ref_image_at(&im->oracle[0], x, NULL);
        const double got = element_of(out, type, output_at(im, points, 0, at));
        const long double fine = (value_bound(im, 0) + halves) * im->scale;
        if (is_integer) want = fminl(fmaxl(want, (long double)low), (long double)high);
        const long double rounding =
            is_integer ? 0.5L : (long double)unit_of(type) * fabsl(want) + 0x1p-24L;
        check_error(fabsl((long double)got - want), rounding + fine, im);
    }
    free(out);
}

static void test_types(void **state)
{
    (void)state;
    static const clsp_type types[] = {CLSP_U8, CLSP_U16, CLSP_S16, CLSP_F16, CLSP_F32};
    static const uint32_t size[3] = {21, 34, 0};
    for (size_t s = 0; s < 5; s++)
        for (size_t v = 0; v < 5; v++) {
            clsp_image_desc d = describe(2, size, CLSP_IMAGE_GRID_WRAP, CLSP_F32);
            d.samples = types[s];
            d.values = types[v];
            if (s != v && !support_full() && v != 4) continue;
            if (s == 0 || s == 4) d.coefficients = s == v ? CLSP_F16 : CLSP_F32;
            images im = images_make(shared, &d, 1, true, s + 9);
            if (types[v] != CLSP_F16 || im.scale < 60000.0L) check_typed(&im);
            images_free(&im);
        }
    print_worst("types");
}

/* Clipped values are those of the oracle within the range of the samples. */
static void test_clip(void **state)
{
    static const uint32_t size[3] = {40, 9, 0};
    clsp_image_desc d = describe(2, size, CLSP_IMAGE_MIRROR, CLSP_F32);
    d.clip = 1;
    d.channels = 2;
    images im = images_make(shared, &d, 2, true, 10);
    const size_t points = im.samples, count = output_size(&im, points, 0);
    float *const out = make_output(&im, points);
    clsp_image_map map = clsp_image_identity();
    size_t clipped = 0;

    (void)state;
    map.matrix[0][3] = 0.5;
    assert_ok(shared, eval_all(&im, &map, clsp_out_f32(out, count)));
    for (size_t k = 0; k < count; k++) {
        const size_t plane = k / (2 * points) * 2 + k % 2, p = k / 2 % points;
        long double low = 2.0L, high = -2.0L;
        for (size_t s = 0; s < points; s++) {
            const float x = ((const float *)im.memory)[(plane / 2 * points + s) * 2 + k % 2];
            low = fminl(low, (long double)x);
            high = fmaxl(high, (long double)x);
        }
        const long double x[3] = {(long double)(p / 9) + 0.5L, (long double)(p % 9), 0.0L};
        const long double exact = ref_image_at(&im.oracle[plane], x, NULL);
        const long double want = fminl(fmaxl(exact, low), high);
        clipped += want != exact;
        check_error(fabsl((long double)out[k] - want), value_bound(&im, 0) * im.scale, &im);
    }
    assert_true(clipped > 0);
    free(out);
    images_free(&im);
}

/* Zooms a line by an odd factor, edges on edges: its first and its last sample come back, and the
   constant stands before them alone. */
static void check_edges(const clsp_image_desc *d, uint32_t factor)
{
    enum { MOST = 130 * 9 };
    const uint32_t n = d->size[0], size = n * factor, first = factor / 2;
    const clsp_image_map map = {.matrix = {{1.0 / factor}}, .size = {size}, .areas = 1};
    images im = images_make(shared, d, 1, false, n);
    double values[MOST];

    assert_ok(shared, eval_all(&im, &map, host_out(d->precision, values, size)));
    for (uint32_t end = 0; end < 2; end++) {
        const double want = element_of(im.memory, d->precision, end ? n - 1 : 0);
        const double got = element_of(values, d->precision, end ? size - 1 - first : first);
        if (got != want)
            fail_msg("end %u of %u samples times %u, mode %d: %g, not %g", end, n, factor,
                     (int)d->mode[0], got, want);
    }
    if (d->mode[0] == CLSP_IMAGE_CONSTANT)
        assert_true(element_of(values, d->precision, first - 1) == -9.0);
    images_free(&im);
}

/* The sample at an edge is not outside by rounding, whatever the size, by whomever. */
static void test_edges_of_areas(void **state)
{
    static const clsp_image_mode modes[] = {CLSP_IMAGE_CONSTANT, CLSP_IMAGE_WRAP};

    (void)state;
    for (int k = 0; k < 2; k++)
        for (uint32_t n = 2; n <= 130; n++)
            for (uint32_t factor = 3; factor <= 9; factor += 2) {
                const clsp_image_desc d = {.directions = 1,
                                           .size = {n},
                                           .precision = has_doubles(shared) ? CLSP_F64 : CLSP_F32,
                                           .order = CLSP_IMAGE_LINEAR,
                                           .mode = {modes[k]},
                                           .cval = -9.0};
                check_edges(&d, factor);
            }
}

static int start(void **state)
{
    (void)state;
    shared = shape_context();
    return 0;
}

static int finish(void **state)
{
    (void)state;
    clsp_context_destroy(&shared);
    return 0;
}

static int run(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coefficients),  cmocka_unit_test(test_mixed_modes),
        cmocka_unit_test(test_values),        cmocka_unit_test(test_nearest_samples),
        cmocka_unit_test(test_layouts),       cmocka_unit_test(test_tiny_sizes),
        cmocka_unit_test(test_types),         cmocka_unit_test(test_clip),
        cmocka_unit_test(test_edges_of_areas)};

    return cmocka_run_group_tests(tests, start, finish);
}

int main(void)
{
    support_begin();
    return run_in_shapes(run);
}
