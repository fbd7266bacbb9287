#include "surface_spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MAX = CLSPI_SURFACE_ORDER_MAX, COORDS_MAX = CLSPI_SURFACE_COORDS_MAX };

static bool make_direction(clspi_surface_spans *spans, int way)
{
    const clspi_knots *const knots = &spans->knots[way];
    const size_t order = knots->degree + 1, num = knots->num_spans;
    double *const operators = malloc(num * order * order * sizeof *operators);
    double *const ends = malloc((num + 1) * sizeof *ends);

    spans->operators[way] = operators;
    spans->ends[way] = ends;
    if (!operators || !ends) return false;
    for (uint32_t s = 0; s < num; s++) {
        clspi_knots_extraction(knots, s, 0, operators + s * order * order);
        ends[s] = knots->u[knots->span[s]];
    }
    ends[num] = knots->u[knots->span[num - 1] + 1];
    return true;
}

bool clspi_surface_spans_make(clspi_surface_spans *spans, const clspi_knots *knots)
{
    *spans = (clspi_surface_spans){.knots = knots};
    return make_direction(spans, 0) && make_direction(spans, 1);
}

void clspi_surface_spans_release(clspi_surface_spans *spans)
{
    for (int way = 0; way < 2; way++) {
        free(spans->operators[way]);
        free(spans->ends[way]);
        spans->operators[way] = spans->ends[way] = NULL;
    }
}

/* Reads the control points that count for a piece. */
static void read_points(const clspi_surface_spans *s, size_t patch, const uint32_t span[2],
                        double *points)
{
    const clspi_knots *const u = &s->knots[0], *const v = &s->knots[1];
    const uint32_t coords = s->dim + s->rational;
    const size_t row = (size_t)v->controls * coords, length = (v->degree + 1) * (size_t)coords;
    const size_t first = patch * u->controls * row + (u->span[span[0]] - u->degree) * row +
                         (size_t)(v->span[span[1]] - v->degree) * coords;

    for (uint32_t i = 0; i <= u->degree; i++)
        for (size_t k = 0; k < length; k++) {
            const size_t at = first + i * row + k;
            points[i * length + k] =
                s->f64 ? ((const double *)s->points)[at] : (double)((const float *)s->points)[at];
        }
}

/* Makes points relative to an origin: Euclidean, of homogeneous ones. Fused, so that what is left
   of places far from 0 has all its digits. */
static void move_points(const clspi_surface_spans *s, double *points, size_t num,
                        const double *origin)
{
    const uint32_t coords = s->dim + s->rational;

    for (size_t i = 0; i < num; i++)
        for (uint32_t k = 0; k < s->dim; k++) {
            double *const x = points + i * coords + k;
            *x = s->rational ? fma(-points[i * coords + s->dim], origin[k], *x) : *x - origin[k];
        }
}

/* Multiplies by the operator of a span along u (stride: a row) or v. */
static void extract(const double *operators, uint32_t order, double *points, size_t stride,
                    size_t length)
{
    double line[ORDER_MAX];

    for (size_t c = 0; c < length; c++) {
        for (uint32_t k = 0; k < order; k++) {
            line[k] = 0;
            for (uint32_t i = 0; i < order; i++)
                line[k] += operators[i * order + k] * points[i * stride + c];
        }
        for (uint32_t k = 0; k < order; k++)
            points[k * stride + c] = line[k];
    }
}

void clspi_surface_spans_piece(const void *user, size_t patch, const uint32_t span[2],
                               double *origin, double *points)
{
    const clspi_surface_spans *const s = user;
    const uint32_t order[2] = {s->knots[0].degree + 1, s->knots[1].degree + 1};
    const uint32_t coords = s->dim + s->rational;
    const size_t row = (size_t)order[1] * coords;
    const double *const u = s->operators[0] + (size_t)span[0] * order[0] * order[0];
    const double *const v = s->operators[1] + (size_t)span[1] * order[1] * order[1];
    const double *const middle =
        points + ((size_t)(order[0] / 2) * order[1] + order[1] / 2) * coords;

    read_points(s, patch, span, points);
    for (uint32_t k = 0; k < s->dim; k++)
        origin[k] = s->rational ? middle[k] / middle[s->dim] : middle[k];
    move_points(s, points, (size_t)order[0] * order[1], origin);
    extract(u, order[0], points, row, row);
    for (uint32_t i = 0; i < order[0]; i++)
        extract(v, order[1], points + i * row, coords, coords);
}
