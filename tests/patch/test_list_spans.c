/* The spans of lists that the host makes: which one a parameter is in, as plain search finds it,
   for spans of any length. */
#include "../support.h"

#include "list_spans.h"

#include <math.h>

enum { MOST = 300 };

/* Spans of degree 0: span s lies between places s and s + 1. */
typedef struct places {
    cl_uint num;
    double at[MOST + 1];
} places;

static cl_uint count_spans(const void *user, cl_uint direction)
{
    (void)direction;
    return ((const places *)user)->num;
}

static cl_uint tell_span(const void *user, cl_uint direction, cl_uint span, cl_uint by,
                         double ends[2], double *functions)
{
    const places *const p = user;

    (void)direction;
    (void)by;
    ends[0] = p->at[span];
    ends[1] = p->at[span + 1];
    functions[0] = 1;
    return 0; /* no function ends anywhere, so that nothing jumps */
}

static cl_uint plain_search(const places *p, double x)
{
    cl_uint s = 0;

    while (s + 1 < p->num && x >= p->at[s + 1])
        s++;
    return s;
}

static void check_place(const clspi_list_spans *spans, const places *p, double x)
{
    const double begin = p->at[0], end = p->at[p->num];
    const double within = x < begin ? begin : x > end ? end : x;

    assert_int_equal(clspi_list_span_of(spans, within, true), plain_search(p, within));
}

static void check_places(const places *p)
{
    const clspi_tensor_desc desc = {
        .directions = 1, .basis = {.user = p, .num_spans = count_spans, .span = tell_span}};
    clspi_list_spans spans = {.num = 0};

    assert_true(clspi_list_spans_fit(&desc));
    assert_true(clspi_list_spans_make(&spans, &desc, 0));
    for (cl_uint s = 0; s <= p->num; s++) {
        const double x = p->at[s];
        check_place(&spans, p, x);
        check_place(&spans, p, nextafter(x, -INFINITY));
        check_place(&spans, p, nextafter(x, INFINITY));
        if (s < p->num) check_place(&spans, p, x / 2 + p->at[s + 1] / 2);
    }
    clspi_list_spans_release(&spans);
}

/* Fills places whose distances are of these sizes in turns. */
static places places_of(cl_uint num, double begin, const double *sizes, cl_uint num_sizes)
{
    places p = {.num = num};

    p.at[0] = begin;
    for (cl_uint s = 0; s < num; s++)
        p.at[s + 1] = p.at[s] + sizes[s % num_sizes];
    return p;
}

static void test_equal_spans(void **state)
{
    const double one = 1, small = 1e-300;
    const places alone = places_of(1, -3, &one, 1), many = places_of(MOST, 0, &one, 1);
    const places tiny = places_of(MOST, 0, &small, 1);

    (void)state;
    check_places(&alone);
    check_places(&many);
    check_places(&tiny);
}

static void test_unlike_spans(void **state)
{
    const double mixed[4] = {1e-9, 1e-9, 1e9, 1};
    const double growing[3] = {1e-3, 1, 1e3};
    const places some = places_of(40, -1e9, mixed, 4), others = places_of(MOST, 5, growing, 3);

    (void)state;
    check_places(&some);
    check_places(&others);
}

/* Lengths that are no double, and those that a double only just is. */
static void test_huge_spans(void **state)
{
    places p = {.num = 4, .at = {-1.5e308, -1, 0, 1, 1.5e308}};

    (void)state;
    check_places(&p);
    p = (places){.num = 3, .at = {0, 0x1p-1074, 0x1p-1073, 0x1p-1072}};
    check_places(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_spans),
        cmocka_unit_test(test_unlike_spans),
        cmocka_unit_test(test_huge_spans),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
