/* The host's prefilter of lines, rows with columns, and slices in place, against recursions and a
   convolution in long double over lines that are continued far beyond their ends. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "../worst.h"
#include "image_lines.h"
#include "spline_poles.h"

enum { FAR = 200 /* samples beyond the ends, where no recursion counts any more */ };

typedef struct volume {
    uint32_t n[3], mode, order;
    bool wide;
    size_t num;
    void *samples, *made, *memory;
    long double *wanted;
} volume;

static void set_real(const volume *v, void *to, size_t k, double x)
{
    if (v->wide)
        ((double *)to)[k] = x;
    else
        ((float *)to)[k] = (float)x;
}

static double real_at(const volume *v, const void *from, size_t k)
{
    return v->wide ? ((const double *)from)[k] : (double)((const float *)from)[k];
}

/* In the place of a prefilter of order 1, which has none, stands a convolution. */
enum { CONVOLUTION = 1, HALO = 3 };
static const double taps[HALO + 1] = {1.25, -0.5, 0.4375, -0.0625};

static void convolve(long double *c, size_t step, const long double *a, uint32_t n)
{
    for (size_t k = 0; k < n; k++) {
        c[k * step] = taps[0] * a[FAR + k];
        for (size_t j = 1; j <= HALO; j++)
            c[k * step] += taps[j] * (a[FAR + k - j] + a[FAR + k + j]);
    }
}

/* Filters a line of the reference. */
static void filter_line(const volume *v, long double *c, uint32_t n, size_t step)
{
    const size_t all = n + 2 * (size_t)FAR;
    long double *const a = malloc(all * sizeof *a);
    double poles[POLES_MAX];
    const uint32_t num = clspi_spline_poles(v->order, poles);

    assert_non_null(a);
    for (size_t k = 0; k < all; k++)
        a[k] = c[(size_t)index_of((int)k - FAR, (int)n, v->mode) * step];
    for (uint32_t i = 0; i < num; i++) {
        const long double z = poles[i];
        long double s = a[0] / (1 - z);
        for (size_t k = 0; k < all; k++)
            a[k] = s = a[k] + z * s;
        s = a[all - 1] / (1 - z);
        for (size_t k = all; k-- > 0;) {
            s = a[k] + z * s;
            a[k] = (1 - z) * (1 - z) * s;
        }
    }
    for (size_t k = 0; k < n; k++)
        c[k * step] = a[k + FAR];
    if (v->order == CONVOLUTION) convolve(c, step, a, n);
    free(a);
}

static void make_wanted(const volume *v)
{
    const size_t row = v->n[2], slice = v->n[1] * row;

    for (size_t k = 0; k < v->num; k++)
        v->wanted[k] = (long double)real_at(v, v->samples, k);
    for (size_t k = 0; k < v->num; k++) {
        if (v->n[2] > 1 && k % row == 0) filter_line(v, v->wanted + k, v->n[2], 1);
    }
    for (size_t k = 0; k < v->num; k++) {
        if (v->n[1] > 1 && k % slice < row) filter_line(v, v->wanted + k, v->n[1], row);
    }
    for (size_t k = 0; k < slice && v->n[0] > 1; k++)
        filter_line(v, v->wanted + k, v->n[0], slice);
}

static volume make_volume(const uint32_t n[3], uint32_t mode, uint32_t order, bool wide)
{
    volume v = {.mode = mode, .order = order, .wide = wide, .num = 1};
    const clspi_line_functions *const f =
        wide ? &clspi_line_functions_f64 : &clspi_line_functions_f32;

    for (size_t d = 0; d < 3; d++) {
        v.n[d] = n[d];
        v.num *= n[d];
    }
    v.samples = malloc(v.num * sizeof(double));
    v.made = malloc(v.num * sizeof(double));
    v.wanted = malloc(v.num * sizeof *v.wanted);
    v.memory = malloc(f->memory_bytes);
    assert_true(v.samples && v.made && v.wanted && v.memory);
    for (size_t k = 0; k < v.num; k++)
        set_real(&v, v.samples, k, (double)(k * k % 97 + k % 13) / 109);
    make_wanted(&v);
    return v;
}

static void free_volume(volume *v)
{
    free(v->samples);
    free(v->made);
    free(v->wanted);
    free(v->memory);
}

static clspi_line_source source_of(const volume *v, const void *at)
{
    clspi_line_source source = {.at = at, .type = v->wide ? PIXEL_F64 : PIXEL_F32, .step = 1};

    for (size_t d = 0; d < 3; d++) {
        source.size[d] = source.num[d] = source.stored[d] = v->n[d];
        source.mode[d] = source.extend[d] = v->mode;
    }
    return source;
}

/* Filters all directions by the host's functions: rows and columns, and then slices in place. */
static void filter_volume(const volume *v)
{
    const clspi_line_functions *const f =
        v->wide ? &clspi_line_functions_f64 : &clspi_line_functions_f32;
    const clspi_line_source from = source_of(v, v->samples), between = source_of(v, v->made);
    const clspi_line_box box = {0, v->n[0], 0, v->n[1], 0, v->n[2]};
    const size_t slice = (size_t)v->n[1] * v->n[2];
    const clspi_slice_range range = {0, slice, 0, v->n[0], CLSPI_LINE_BLOCK, true};
    const bool is_fir = v->order == CONVOLUTION;
    clspi_line_filter filter = {.kind = is_fir ? CLSPI_LINE_FIR : CLSPI_LINE_RECURSION,
                                .halo = is_fir ? HALO : 0,
                                .taps = taps};
    long double scale = 1.0L;

    filter.num_poles = clspi_spline_poles(v->order, filter.poles);
    for (uint32_t i = 0; i < filter.num_poles; i++)
        filter.halo += clspi_pole_halo(filter.poles[i], v->wide ? 0x1p-52 : 0x1p-23);
    for (size_t d = 0; d < 3; d++)
        for (uint32_t i = 0; i < filter.num_poles && v->n[d] > 1; i++) {
            const double z = v->wide ? filter.poles[i] : (double)(float)filter.poles[i];
            scale *= (1 - (long double)z) * (1 - (long double)z);
        }
    clspi_line_work work = {.from = &from,
                            .scale = scale,
                            .out = v->made,
                            .row = v->n[2],
                            .slice = slice,
                            .memory = v->memory};
    if (v->n[2] > 1) work.along_x = filter;
    if (v->n[1] > 1) work.across = filter;
    f->bands(&work, &box);
    if (v->n[0] == 1) return;
    work.from = &between;
    work.scale = 1.0L;
    work.across = filter;
    f->slices(&work, &range);
}

/* Sizes with blocks that are whole, cut short and several, and fewer samples than halos. */
static const uint32_t sizes[][3] = {{1, 1, 1000}, {1, 130, 7},   {1, 150, 300}, {1, 3, 2},
                                    {140, 9, 17}, {5, 1, 9},     {300, 1, 3},   {1, 260, 1},
                                    {390, 2, 65}, {129, 131, 5}, {1, 128, 256}};

/* Roundings add up as math.md, 18 has it; each pole more, magnitudes of taps that add up to more
   than 3, and three directions have most. */
static double bound_of(const volume *v)
{
    const double direction = v->order > 5                              ? 8.0
                             : v->order > 3 || v->order == CONVOLUTION ? 4.0
                                                                       : 2.0;

    return v->n[0] > 1 ? 1.5 * direction : direction;
}

static void test_filters(void **state)
{
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t mode = 1; mode <= 3; mode++)
            for (uint32_t order = CONVOLUTION; order <= ORDER_MAX; order++) {
                const bool wide = (order + mode + i) % 2;
                volume v = make_volume(sizes[i], mode, order, wide);
                double error = 0.0, most = 0.0;
                filter_volume(&v);
                for (size_t k = 0; k < v.num; k++) {
                    const double wanted = (double)v.wanted[k];
                    error = support_worse(error, fabs(real_at(&v, v.made, k) - wanted));
                    most = fmax(most, fabs(wanted));
                }
                error /= most * (wide ? 0x1p-52 : 0x1p-23) * bound_of(&v);
                worst = support_worse(worst, error);
                if (!(error <= 1.0))
                    fail_msg("%u x %u x %u, mode %u, order %u: %g of the bound", v.n[0], v.n[1],
                             v.n[2], mode, order, error);
                free_volume(&v);
            }
    print_message("worst/bound %.2f\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_filters)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
