/* Tables of Bernstein values: bernstein.cl, which makes those that are too large for the host, its
   values beside the host's, and that it writes its own columns only; and which values of small ones
   are 0. */
#include "../device/table_fixture.h"
#include "../support.h"

#include <math.h>

#include "basis_table.h"
#include "bernstein.h"
#include "bernstein_basis.h"
#include "buffer.h"

enum { STRIDE_MULTIPLE = 16, REALS_MAX = 1001 * 160 };

/* Runs the kernel on a table with guards at both ends, and brings all of it back. */
static void make_table(clsp_context *ctx, cl_uint order, cl_uint num, cl_uint stride, float *table)
{
    const size_t reals = (size_t)order * stride,
                 bytes = (reals + 2 * SUPPORT_GUARD) * sizeof *table;
    const size_t begin = SUPPORT_GUARD * sizeof *table;
    const clspi_options options = clspi_options_of(ctx, CLSP_F32);
    clspi_kernel kernel = {0};
    clspi_series series;
    cl_mem whole = NULL, part;
    cl_int code;

    support_poison(table, bytes);
    assert_ok(ctx, clspi_buffer_create(&whole, ctx, bytes));
    assert_ok(ctx, clspi_kernel_create(&kernel, ctx, "bernstein", &clspi_bernstein_table_signature,
                                       &options));
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_ok(ctx, clspi_series_write(&series, whole, 0, table, bytes));
    /* SUPPORT_GUARD floats are 256 bytes, which suits every device's alignment of sub-buffers */
    const cl_buffer_region region = {begin, reals * sizeof *table};
    part =
        clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    if (code == CL_MISALIGNED_SUB_BUFFER_OFFSET) {
        part = whole; /* the values count; this device shows nothing of the guards */
        clRetainMemObject(whole);
    }
    const clspi_bernstein_table_args args = table_args(part, order, num, stride);
    assert_ok(ctx, clspi_launch_bernstein_table(&series, &kernel, &args, stride));
    assert_ok(ctx, clspi_series_read(&series, part, 0, table + SUPPORT_GUARD, region.size));
    if (part != whole) {
        assert_ok(ctx, clspi_series_read(&series, whole, 0, table, begin));
        assert_ok(ctx, clspi_series_read(&series, whole, begin + region.size,
                                         table + SUPPORT_GUARD + reals, begin));
    }
    assert_ok(ctx, clspi_series_end(&series, NULL));
    clspi_kernel_release(&kernel);
    clReleaseMemObject(part);
    clspi_buffer_release(&whole);
}

/* Relative to the largest value of a column: the host's bound, in float (docs/math.md, 2). */
static void check_column(const float *table, cl_uint order, cl_uint num, cl_uint stride, cl_uint a,
                         double *worst)
{
    static double values[1001];
    double largest = 0.0;

    clspi_bernstein(values, order - 1, a, num > 1 ? num - 1 - a : 1);
    for (cl_uint k = 0; k < order; k++)
        largest = fmax(largest, values[k]);
    const double bound = (4.0 + 0.5 * sqrt((double)order)) * 0x1p-23 * largest;
    for (cl_uint k = 0; k < order; k++) {
        const double error = fabs((double)table[(size_t)k * stride + a] - values[k]) / bound;
        *worst = error <= *worst ? *worst : error;
    }
}

static void check_table(clsp_context *ctx, cl_uint order, cl_uint num, double *worst)
{
    static float table[REALS_MAX + 2 * SUPPORT_GUARD];
    const cl_uint stride = (num + STRIDE_MULTIPLE - 1) / STRIDE_MULTIPLE * STRIDE_MULTIPLE;
    const float *const values = table + SUPPORT_GUARD;
    const size_t reals = (size_t)order * stride;

    assert_true(reals <= REALS_MAX);
    make_table(ctx, order, num, stride, table);
    assert_true(support_poisoned(table, SUPPORT_GUARD * sizeof *table));
    assert_true(support_poisoned(values + reals, SUPPORT_GUARD * sizeof *table));
    for (cl_uint a = 0; a < num; a++)
        check_column(values, order, num, stride, a, worst);
    for (cl_uint a = num; a < stride; a++)
        for (cl_uint k = 0; k < order; k++)
            assert_true(values[(size_t)k * stride + a] == 0.0f);
    for (cl_uint k = 0; k < order && num > 1; k++) { /* the ends interpolate exactly */
        assert_true(values[(size_t)k * stride] == (k == 0 ? 1.0f : 0.0f));
        assert_true(values[(size_t)k * stride + num - 1] == (k == order - 1 ? 1.0f : 0.0f));
    }
}

static void test_tables(void **state)
{
    static const cl_uint orders[] = {1, 2, 4, 17, 32, 101, 1001};
    static const cl_uint nums[] = {1, 2, 3, 16, 17, 97, 150};
    const int tiny = support_tiny();
    clsp_context *ctx;
    double worst = 0.0;

    (void)state;
    assert_int_equal(clsp_context_create(&ctx, NULL, NULL), CLSP_OK);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        for (size_t j = 0; j < sizeof nums / sizeof nums[0]; j++) {
            if (tiny && (orders[i] > 32 || nums[j] > 17)) continue;
            check_table(ctx, orders[i], nums[j], &worst);
        }
    }
    clsp_context_destroy(&ctx);
    print_message("worst/bound %.2f\n", worst);
    assert_true(worst <= 1.0);
}

/* Fills a table of degree 31, of a plan that may be rational, on the host; returns the least value
   that is not 0. */
static float least_of(clsp_context *ctx, cl_uint rational, bool is_integral)
{
    enum { TERMS = 32, NUM = 64 };
    static float values[TERMS * NUM];
    clspi_tensor_desc desc = {.precision = CLSP_F32,
                              .directions = 1,
                              .dim = 3,
                              .rational = rational,
                              .degrees = {TERMS - 1},
                              .controls = {TERMS, 1, 1},
                              .terms = {TERMS, 1, 1},
                              .axis = {{.num = NUM, .end = 1.0}}};
    clspi_basis_table table = {.stride = 0};
    clspi_series series;
    float least = 1.0f;

    desc.basis = clspi_bernstein_basis(&desc);
    clspi_table_shape(&table, &desc, 0, 0);
    if (is_integral) clspi_table_make_integral(&table);
    clspi_series_begin(&series, ctx, 0, NULL, NULL);
    assert_ok(ctx, clspi_table_fill(&table, &series, &desc));
    assert_ok(ctx, clspi_series_read(&series, table.values, 0, values,
                                     (size_t)TERMS * table.stride * sizeof *values));
    assert_ok(ctx, clspi_series_end(&series, NULL));
    for (size_t k = 0; k < (size_t)TERMS * table.stride; k++)
        if (values[k] != 0.0f) least = fminf(least, fabsf(values[k]));
    clspi_table_release(&table);
    return least;
}

static void test_small_values(void **state)
{
    clsp_context *ctx;

    (void)state;
    assert_int_equal(clsp_context_create(&ctx, NULL, NULL), CLSP_OK);
    assert_true(least_of(ctx, 0, false) >= 0x1p-103f);
    assert_true(least_of(ctx, 0, true) >= 0x1p-103f);
    assert_true(least_of(ctx, 1, false) < 0x1p-126f);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_small_values),
    };
    const int no_device = support_no_device();

    if (no_device) return no_device;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
