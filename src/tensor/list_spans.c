#include "list_spans.h"

#include <math.h>
#include <stdlib.h>

#include "check.h"

enum {
    MOST_REALS = 1 << 18, /* of a direction's functions: 2 MiB */
    PARTS = 4             /* of the domain, for each span: few parts have several spans */
};

static size_t reals_of(const clspi_tensor_desc *desc, cl_uint direction)
{
    const size_t order = (size_t)desc->degrees[direction] + 1;

    return desc->basis.num_spans(desc->basis.user, direction) * order * order;
}

bool clspi_list_spans_fit(const clspi_tensor_desc *desc)
{
    bool fits = true;

    for (cl_uint k = 0; k < desc->directions; k++)
        fits = fits && reals_of(desc, k) <= MOST_REALS;
    return fits;
}

/* Finds the part of the domain that x is in. It never falls as x rises. */
static cl_uint part_of(const clspi_list_spans *spans, double x)
{
    const double part = (x - spans->begin) * spans->per_length;

    if (!(part > 0)) return 0; /* also of a domain whose length is not finite */
    return part < spans->num_parts ? (cl_uint)part : spans->num_parts - 1;
}

static void fill_parts(clspi_list_spans *spans)
{
    const double length = spans->ends[2 * (size_t)spans->num - 1] - spans->ends[0];
    cl_uint s = 0;

    spans->begin = spans->ends[0];
    spans->per_length = spans->num_parts / length;
    for (cl_uint part = 0; part < spans->num_parts; part++) {
        while (s + 1 < spans->num && part_of(spans, spans->ends[2 * (size_t)(s + 1)]) <= part)
            s++;
        spans->last_in[part] = s;
    }
}

static void transpose(double *matrix, cl_uint order)
{
    for (size_t i = 0; i < order; i++)
        for (size_t j = i + 1; j < order; j++) {
            const double x = matrix[i * order + j];
            matrix[i * order + j] = matrix[j * order + i];
            matrix[j * order + i] = x;
        }
}

bool clspi_list_spans_make(clspi_list_spans *spans, const clspi_tensor_desc *desc,
                           cl_uint direction)
{
    const cl_uint num = desc->basis.num_spans(desc->basis.user, direction);
    const cl_uint order = desc->degrees[direction] + 1;

    if (spans->num > 0) return true;
    spans->ends = malloc(num * 2 * sizeof *spans->ends);
    spans->first = malloc(num * sizeof *spans->first);
    spans->functions = malloc(reals_of(desc, direction) * sizeof *spans->functions);
    spans->last_in = malloc((size_t)num * PARTS * sizeof *spans->last_in);
    if (!spans->ends || !spans->first || !spans->functions || !spans->last_in) {
        clspi_list_spans_release(spans);
        return false;
    }
    for (cl_uint s = 0; s < num; s++) {
        double *const functions = spans->functions + (size_t)s * order * order;
        spans->first[s] = desc->basis.span(desc->basis.user, direction, s,
                                           spans->ends + 2 * (size_t)s, functions);
        transpose(functions, order);
    }
    spans->num = num;
    spans->order = order;
    spans->num_parts = num * PARTS;
    fill_parts(spans);
    return true;
}

void clspi_list_spans_release(clspi_list_spans *spans)
{
    free(spans->ends);
    free(spans->first);
    free(spans->functions);
    free(spans->last_in);
    *spans = (clspi_list_spans){.num = 0};
}

static double rounded(double x, bool is_double)
{
    return is_double ? x : (double)(float)x;
}

/* Tells whether functions jump where span s + 1 begins: no function goes on there. */
static bool jumps_behind(const clspi_list_spans *spans, cl_uint s)
{
    return spans->first[s + 1] - spans->first[s] >= spans->order;
}

cl_uint clspi_list_span_of(const clspi_list_spans *spans, double x, bool is_double)
{
    const cl_uint part = part_of(spans, x);
    cl_uint low = part > 0 ? spans->last_in[part - 1] : 0;
    cl_uint count = spans->last_in[part] - low + 1;

    while (count > 1) {
        const cl_uint half = count / 2;
        const bool beyond = x < spans->ends[2 * (size_t)(low + half)];
        low += beyond ? 0 : half;
        count = beyond ? half : count - half;
    }
    const double *const ends = spans->ends + 2 * (size_t)low;
    const bool is_next = low + 1 < spans->num && rounded(ends[2], is_double) == x &&
                         rounded(ends[0], is_double) != x;
    return is_next && jumps_behind(spans, low) ? low + 1 : low;
}
