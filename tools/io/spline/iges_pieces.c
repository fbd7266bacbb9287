#include "iges_pieces.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "spline_scan.h"

enum { DIM = 3, ORDER = 4, SQUARE = ORDER * ORDER };

#define MEETS 1e-6 /* of the extent: how far the ends of pieces that meet may be apart */

typedef struct pieces {
    iges_file *f;
    uint32_t directions, num[2];
    double *breaks[2]; /* [num + 1] */
    size_t num_breaks[2], break_capacity[2];
    double *points; /* [num of u][num of v][coordinates][v][u], v of surfaces alone */
    size_t num_reals, capacity;
    uint32_t *first[2]; /* [num + 1]: of the control points, where those of a piece begin */
} pieces;

/* ---- reading ---- */

/* Reads where the pieces of a direction begin and end. */
static bool read_breaks(pieces *p, uint32_t k)
{
    double value;
    for (uint32_t i = 0; i <= p->num[k]; i++) {
        if (!iges_number(p->f, "a break point", &value) ||
            !spline_scan_append(p->f->s, &p->breaks[k], &p->num_breaks[k], &p->break_capacity[k],
                                value))
            return false;
        if (i > 0 && !(value > p->breaks[k][i - 1]))
            return iges_fail(p->f, "break point %u is not above the one before", i + 1);
    }
    return true;
}

static bool read_coefficients(pieces *p, size_t num)
{
    double value;
    for (size_t i = 0; i < num; i++)
        if (!iges_number(p->f, "a coefficient", &value) ||
            !spline_scan_append(p->f->s, &p->points, &p->num_reals, &p->capacity, value))
            return false;
    return true;
}

/* Reads the pieces. Behind each row of a surface the file has one that means nothing. */
static bool read_pieces(pieces *p)
{
    const bool is_surface = p->directions == 2;
    const uint32_t each = DIM * (is_surface ? SQUARE : ORDER);
    if (!iges_skip(p->f, is_surface ? 2 : 3)) return false;
    for (uint32_t k = 0; k < p->directions; k++) {
        if (!iges_count(p->f, "the number of pieces", SPLINES_MAX_CONTROLS / ORDER, &p->num[k]))
            return false;
        if (p->num[k] == 0) return iges_fail(p->f, "a parametric spline without pieces");
    }
    for (uint32_t k = 0; k < p->directions; k++)
        if (!read_breaks(p, k)) return false;
    for (uint32_t i = 0; i < p->num[0]; i++) {
        if (i > 0 && is_surface && !iges_skip(p->f, each)) return false;
        if (!read_coefficients(p, (size_t)each * p->num[1])) return false;
    }
    return true;
}

/* ---- Bezier points ---- */

/* Turns a + b s + c s^2 + d s^3, for s from 0 to a length, into Bezier points. */
static void to_bezier(double *of, size_t step, double length)
{
    const double a = of[0], b = of[step] * length, c = of[2 * step] * length * length,
                 d = of[3 * step] * length * length * length;
    of[step] = a + b / 3;
    of[2 * step] = a + 2 * b / 3 + c / 3;
    of[3 * step] = a + b + c + d;
}

static double *piece_at(const pieces *p, uint32_t i, uint32_t j)
{
    return p->points + ((size_t)i * p->num[1] + j) * DIM * (p->directions == 2 ? SQUARE : ORDER);
}

static double length_of(const pieces *p, uint32_t k, uint32_t i)
{
    return p->breaks[k][i + 1] - p->breaks[k][i];
}

static void make_points(pieces *p)
{
    const size_t rows = p->directions == 2 ? ORDER : 1;
    for (uint32_t i = 0; i < p->num[0]; i++)
        for (uint32_t j = 0; j < p->num[1]; j++) {
            double *const piece = piece_at(p, i, j);
            for (size_t row = 0; row < DIM * rows; row++)
                to_bezier(piece + ORDER * row, 1, length_of(p, 0, i));
            for (size_t at = 0; at < DIM * SQUARE && p->directions == 2; at++)
                if (at % SQUARE < ORDER) to_bezier(piece + at, ORDER, length_of(p, 1, j));
        }
}

/* Returns how far the points reach along the axis on which they reach farthest. */
static double extent_of(const pieces *p)
{
    const size_t each = p->directions == 2 ? SQUARE : ORDER;
    double extent = 0;
    for (size_t l = 0; l < DIM; l++) {
        double low = p->points[l * each], high = low;
        for (size_t i = 0; i < p->num_reals; i++) {
            if (i / each % DIM != l) continue;
            low = fmin(low, p->points[i]);
            high = fmax(high, p->points[i]);
        }
        extent = fmax(extent, high - low);
    }
    return extent;
}

/* ---- the spline ---- */

/* Tells whether a piece ends along a direction where the next one begins. */
static bool meets(const pieces *p, uint32_t k, const double *piece, const double *next,
                  double slack)
{
    const size_t rows = p->directions == 2 ? ORDER : 1;
    const size_t step = k == 0 ? 1 : ORDER, across = k == 0 ? ORDER : 1;
    for (size_t l = 0; l < DIM; l++)
        for (size_t row = 0; row < rows; row++) {
            const size_t at = ORDER * rows * l + across * row;
            if (!(fabs(piece[at + (ORDER - 1) * step] - next[at]) <= slack)) return false;
        }
    return true;
}

/* Finds at which control points the pieces of a direction begin: where two rows of them meet
   everywhere, at the last one of the first. */
static bool find_firsts(pieces *p, uint32_t k, double slack)
{
    uint32_t *const first = p->first[k] = malloc(((size_t)p->num[k] + 1) * sizeof *first);
    if (!first) return spline_scan_memory(p->f->s);
    first[0] = 0;
    for (uint32_t i = 0; i + 1 < p->num[k]; i++) {
        bool all = true;
        for (uint32_t j = 0; j < p->num[1 - k] && all; j++)
            all = k == 0 ? meets(p, 0, piece_at(p, i, j), piece_at(p, i + 1, j), slack)
                         : meets(p, 1, piece_at(p, j, i), piece_at(p, j, i + 1), slack);
        first[i + 1] = first[i] + ORDER - all;
    }
    first[p->num[k]] = first[p->num[k] - 1] + ORDER;
    return true;
}

static bool make_knots(pieces *p, spline *made, uint32_t k)
{
    const uint32_t *const first = p->first[k];
    made->type.degree[k] = ORDER - 1;
    made->type.num_controls[k] = first[p->num[k]];
    for (uint32_t i = 0; i <= p->num[k]; i++) {
        const bool is_end = i == 0 || i == p->num[k];
        const uint32_t times = is_end ? ORDER : first[i] - first[i - 1];
        for (uint32_t n = 0; n < times; n++)
            if (!spline_scan_append(p->f->s, &made->type.knots[k], &made->num_knots[k],
                                    &made->knot_capacity[k], p->breaks[k][i]))
                return false;
    }
    return true;
}

/* Puts the points of all pieces where they belong. */
static bool place_points(const pieces *p, spline *made)
{
    const size_t rows = p->directions == 2 ? ORDER : 1, each = ORDER * rows;
    const size_t num = (size_t)made->type.num_controls[0] * made->type.num_controls[1];
    const double largest = p->f->s->floats ? FLT_MAX : DBL_MAX;
    bool fits = true;
    made->points = malloc(DIM * num * sizeof *made->points);
    if (!made->points) return spline_scan_memory(p->f->s);
    made->num_reals = made->point_capacity = DIM * num;
    for (uint32_t i = 0; i < p->num[0]; i++)
        for (uint32_t j = 0; j < p->num[1]; j++)
            for (size_t at = 0; at < DIM * each; at++) {
                const double value = piece_at(p, i, j)[at];
                const size_t u = p->first[0][i] + at % ORDER;
                const size_t v = rows == 1 ? 0 : p->first[1][j] + at / ORDER % ORDER;
                made->points[DIM * (u + v * made->type.num_controls[0]) + at / each] = value;
                fits = fits && fabs(value) <= largest;
            }
    return fits || iges_fail(p->f, "a point becomes too large");
}

static bool make_spline(pieces *p, spline *made)
{
    make_points(p);
    const double slack = MEETS * extent_of(p);
    for (uint32_t k = 0; k < p->directions; k++)
        if (!find_firsts(p, k, slack) || !make_knots(p, made, k)) return false;
    return place_points(p, made);
}

bool iges_pieces_read(iges_file *f, spline *made)
{
    pieces p = {.f = f, .directions = made->type.directions, .num = {1, 1}};
    const bool floats = f->s->floats;
    f->s->floats = false; /* knots are doubles in any precision, coefficients are not points */
    bool done = read_pieces(&p);
    f->s->floats = floats;
    done = done && make_spline(&p, made);
    for (uint32_t k = 0; k < 2; k++) {
        free(p.breaks[k]);
        free(p.first[k]);
    }
    free(p.points);
    return done;
}
