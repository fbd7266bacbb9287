#include "reduce_surfaces.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOT_OF_2 1.41422 /* and a little more, for what storing weights rounds */

/* Curves along a direction, and what they have become. */
typedef struct strip {
    size_t curves, pieces; /* and pieces of each */
    double *points;        /* [curves][pieces][to + 1][coords] */
    double *bounds;        /* [curves][pieces], and after these the largest of each piece */
} strip;

/* A surface at work. */
typedef struct surface {
    const clspi_reduce_surfaces *of;
    uint32_t *const *counts; /* [2][spans] */
    bool finds_counts;
    double tolerance; /* along a direction, of control points as strips have them */
    double largest;   /* of the coordinates of these, */
    double farthest;  /* and of points */
    bool is_sound;    /* of rational ones: control points are finite and weights positive */
    double centre[3]; /* of rational ones: points of strips are relative to it, */
    double radius;    /* a power of two that no point is farther from it, by which weights of strips
                         are multiplied, */
    double least;     /* and the least weight as it is given */
    strip along[2];
} surface;

static void release(surface *s)
{
    for (int k = 0; k < 2; k++) {
        free(s->along[k].points);
        free(s->along[k].bounds);
    }
}

/* ---- along a direction ---- */

/* Writes the Bezier points of curves whose degree stays: at the end of a span those with which the
   next one begins, so that pieces meet. */
static void extract(const surface *s, int k, const double *lines)
{
    const clspi_spans *const spans = s->of->spans[k];
    const strip *const to = &s->along[k];
    const size_t coords = s->of->coords, order = s->of->degree[k] + 1;

    for (size_t at = to->curves * to->pieces; at-- > 0;) {
        const size_t span = at % to->pieces;
        const double *const operators = spans->operators + span * order * order;
        const double *const from =
            lines + (at / to->pieces * s->of->controls[k] + spans->first[span]) * coords;
        double *const x = to->points + at * order * coords;
        for (size_t j = 0; j < order; j++)
            for (size_t c = 0; c < coords; c++) {
                x[j * coords + c] = 0;
                for (size_t i = 0; i < order; i++)
                    x[j * coords + c] += operators[i * order + j] * from[i * coords + c];
            }
        if (span + 1 < to->pieces && spans->first[span + 1] - spans->first[span] < order)
            memcpy(x + (order - 1) * coords, x + order * coords, coords * sizeof *x);
        to->bounds[at] = (double)(order + 2) * 0x1p-52 * sqrt((double)coords) * s->largest;
    }
}

/* Gives all curves as many pieces in a span as the one that needs most. counts: [curves][spans]. */
static void share_counts(const surface *s, int k, size_t curves, uint32_t *counts)
{
    const size_t spans = s->of->spans[k]->spans;

    for (size_t i = 0; i < curves * spans && s->finds_counts; i++) {
        uint32_t *const count = &s->counts[k][i % spans];
        if (i < spans || counts[i] > *count) *count = counts[i];
    }
    for (size_t i = 0; i < curves * spans; i++)
        counts[i] = s->counts[k][i % spans];
}

/* Makes room for pieces of curves, as many as counts say; false without memory. */
static bool make_room(surface *s, int k, size_t curves)
{
    strip *const to = &s->along[k];
    const size_t each = (size_t)(s->of->to[k] + 1) * s->of->coords * sizeof(double);

    to->curves = curves;
    to->pieces = 0;
    for (uint32_t i = 0; i < s->of->spans[k]->spans; i++)
        to->pieces += s->counts[k][i];
    if (curves > SIZE_MAX / each / to->pieces) return false;
    to->points = malloc(curves * to->pieces * each);
    to->bounds = malloc((curves + 1) * to->pieces * sizeof *to->bounds);
    return to->points && to->bounds;
}

/* Makes pieces of curves along a direction, lines [curves][controls][coords]; false without memory.
 */
static bool reduce_along(surface *s, int k, size_t curves, const double *lines)
{
    const size_t spans = s->of->spans[k]->spans;
    const clspi_reduce_curves of = {.points = lines,
                                    .stride = (size_t)s->of->controls[k] * s->of->coords,
                                    .spans = s->of->spans[k],
                                    .is_bezier = s->of->is_bezier,
                                    .tables = s->of->tables[k],
                                    .tolerance = s->tolerance};

    if (s->of->to[k] == s->of->degree[k]) {
        for (size_t i = 0; i < spans; i++)
            s->counts[k][i] = 1;
        if (!make_room(s, k, curves)) return false;
        extract(s, k, lines);
        return true;
    }
    uint32_t *const counts = malloc(curves * spans * sizeof *counts);
    bool done =
        counts && (!s->finds_counts || clspi_reduce_count(&of, 0, curves * spans, counts) >= 0);
    if (done) share_counts(s, k, curves, counts);
    done = done && make_room(s, k, curves);
    if (done) {
        const strip *const to = &s->along[k];
        const clspi_reduce_pieces pieces = {.points = to->points, .bounds = to->bounds};
        done = clspi_reduce_write(&of, counts, 0, 0, curves * to->pieces, &pieces);
    }
    free(counts);
    return done;
}

/* ---- a surface ---- */

static double real_of(const clspi_reduce_surfaces *of, size_t i)
{
    return of->f64 ? ((const double *)of->points)[i] : (double)((const float *)of->points)[i];
}

/* Returns coordinate c of a point of a rational surface. */
static double euclidean(const clspi_reduce_surfaces *of, size_t point, uint32_t c)
{
    const size_t at = point * of->coords;

    return real_of(of, at + c) / real_of(of, at + of->coords - 1);
}

/* Finds what strips of a rational surface are relative to: its first point, where others are nearer
   to that than to the origin by far, and what no point is farther from. */
static void find_frame(surface *s, size_t number)
{
    enum { FAR = 4 };
    const clspi_reduce_surfaces *const of = s->of;
    const size_t num = (size_t)of->controls[0] * of->controls[1], first = number * num;
    const uint32_t dim = of->coords - 1;
    double near = 0;
    int exponent = 0;

    s->is_sound = true;
    s->least = INFINITY;
    for (size_t i = first; i < first + num; i++) {
        const double w = real_of(of, i * of->coords + dim);
        s->is_sound = s->is_sound && w >= DBL_MIN && isfinite(w);
        s->least = fmin(s->least, w);
        for (uint32_t c = 0; c < dim; c++) {
            const double x = euclidean(of, i, c);
            near = fmax(near, fabs(x - euclidean(of, first, c)));
            s->farthest = fmax(s->farthest, fabs(x));
            s->is_sound = s->is_sound && isfinite(x);
        }
    }
    const bool is_far = FAR * near < s->farthest;
    const double most = is_far ? near : s->farthest;
    frexp(most * (1 + 0x1p-40) * sqrt(dim), &exponent);
    for (uint32_t c = 0; c < dim; c++)
        s->centre[c] = is_far ? euclidean(of, first, c) : 0;
    s->radius = s->is_sound && most > 0 ? ldexp(1, exponent) : 1;
    s->is_sound = s->is_sound && isfinite(s->radius);
}

/* Takes the curves along u of a surface, [controls[1]][controls[0]][coords], for the caller to
   free; NULL without memory. */
static double *take_lines(surface *s, size_t number)
{
    const clspi_reduce_surfaces *const of = s->of;
    const size_t coords = of->coords, nu = of->controls[0], nv = of->controls[1];
    double *const lines = malloc(nu * nv * coords * sizeof *lines);

    if (of->rational) find_frame(s, number);
    for (size_t i = 0; lines && i < nu * nv * coords; i++) {
        const size_t u = i / coords / nv, v = i / coords % nv, c = i % coords;
        const size_t at = number * nu * nv * coords + i;
        double x = real_of(of, at);
        if (of->rational && s->is_sound)
            x = c + 1 == coords ? x * s->radius
                                : x - real_of(of, at - c + coords - 1) * s->centre[c];
        lines[(v * nu + u) * coords + c] = x;
        s->largest = fmax(s->largest, fabs(x));
    }
    if (!of->rational) s->farthest = s->largest;
    return lines;
}

/* Takes the curves along v of what curves along u have become, [pieces][to +
   1][controls[1]][coords]; NULL without memory. */
static double *turn_lines(const surface *s)
{
    const strip *const u = &s->along[0];
    const size_t coords = s->of->coords, rows = u->pieces * (s->of->to[0] + 1);
    double *const lines = malloc(rows * u->curves * coords * sizeof *lines);

    for (size_t i = 0; lines && i < u->curves * rows; i++)
        memcpy(lines + (i % rows * u->curves + i / rows) * coords, u->points + i * coords,
               coords * sizeof *lines);
    return lines;
}

/* Returns what storing coordinates is off by, and bringing those of rational surfaces to their
   centre and back: of numerators and of weights. */
static double stored(const surface *s)
{
    const double one = sqrt(s->of->coords) * s->farthest;

    return s->of->rational ? (s->of->f64 ? 0x1p-49 : 0x1p-21) * one
           : s->of->f64    ? 0
                           : 0x1p-23 * one;
}

/* Finds the largest bound of each piece. */
static void find_largest(const strip *to)
{
    double *const largest = to->bounds + to->curves * to->pieces;

    memset(largest, 0, to->pieces * sizeof *largest);
    for (size_t i = 0; i < to->curves * to->pieces; i++)
        largest[i % to->pieces] = fmax(largest[i % to->pieces], to->bounds[i]);
}

/* Makes both strips of a surface, along u first; false without memory. */
static bool make_strips(surface *s, size_t number)
{
    double *lines = take_lines(s, number);
    const clspi_reduce_surfaces *const of = s->of;
    const bool both = of->to[0] < of->degree[0] && of->to[1] < of->degree[1];
    const double left = of->tolerance - stored(s);

    if (!lines) return false;
    s->tolerance = fmax(left, of->tolerance / 2) / (both ? 2 : 1);
    if (of->rational && s->is_sound) s->tolerance *= s->least / ROOT_OF_2;
    bool done = reduce_along(s, 0, of->controls[1], lines);
    free(lines);
    if (done) find_largest(&s->along[0]);
    lines = done ? turn_lines(s) : NULL;
    done = lines && reduce_along(s, 1, s->along[0].pieces * (of->to[0] + 1), lines);
    free(lines);
    return done;
}

/* Returns the least weight of a patch, as strips have them. */
static double least_weight(const surface *s, size_t i, size_t j)
{
    const strip *const v = &s->along[1];
    const size_t rows = s->of->to[0] + 1, columns = s->of->to[1] + 1, coords = s->of->coords;
    double least = INFINITY;

    for (size_t k = 0; k < rows * columns; k++) {
        const size_t row = (i * rows + k / columns) * v->pieces + j;
        least = fmin(least, v->points[(row * columns + k % columns + 1) * coords - 1]);
    }
    return least;
}

/* Returns the bound of a patch: the sum of those of the worst curves along u and along v; of a
   rational surface (51) in docs/math.md. */
static double bound_of(const surface *s, size_t i, size_t j)
{
    const strip *const u = &s->along[0], *const v = &s->along[1];
    const size_t rows = s->of->to[0] + 1;
    double along_v = 0;

    for (size_t k = 0; k < rows; k++)
        along_v = fmax(along_v, v->bounds[(i * rows + k) * v->pieces + j]);
    const double bound = u->bounds[u->curves * u->pieces + i] + along_v;
    if (!s->of->rational) return bound + stored(s);
    const double least = least_weight(s, i, j);
    return s->is_sound && least > 0 ? bound * ROOT_OF_2 * s->radius / least + stored(s) : INFINITY;
}

bool clspi_reduce_surface_count(const clspi_reduce_surfaces *surfaces, size_t number,
                                uint32_t *const counts[2], double *bound)
{
    surface s = {.of = surfaces, .counts = counts, .finds_counts = true};
    const bool done = make_strips(&s, number);

    *bound = 0;
    for (size_t i = 0; done && i < s.along[0].pieces * s.along[1].pieces; i++)
        *bound = fmax(*bound, bound_of(&s, i / s.along[1].pieces, i % s.along[1].pieces));
    release(&s);
    return done;
}

/* Writes where pieces of a direction begin and end: [pieces][2]. */
static void write_ends(const surface *s, int k, double *to)
{
    const clspi_spans *const spans = s->of->spans[k];
    const clspi_reduce_form *const form = s->of->tables[k] ? &s->of->tables[k]->form : NULL;

    for (uint32_t span = 0; span < spans->spans; span++) {
        const uint32_t n = s->counts[k][span];
        const double *const ends = spans->ends + CLSPI_SPAN_ENDS * span;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t end = 0; end < 2; end++) {
                const double t = form ? clspi_reduce_begin(form, n, i + end) : end;
                *to++ = (1 - t) * ends[0] + t * ends[1];
            }
    }
}

/* Writes the control points of a patch. */
static void write_patch(const surface *s, size_t i, size_t j, void *to)
{
    const strip *const v = &s->along[1];
    const size_t coords = s->of->coords, rows = s->of->to[0] + 1;
    const size_t reals = (size_t)(s->of->to[1] + 1) * coords,
                 at = (i * v->pieces + j) * rows * reals;
    const bool is_moved = s->of->rational && s->is_sound;

    for (size_t k = 0; k < rows * reals; k++) {
        const size_t c = k % coords;
        const double *const p =
            v->points + ((i * rows + k / reals) * v->pieces + j) * reals + k % reals - c;
        const double w = is_moved ? p[coords - 1] / s->radius : 0;
        const double x = !is_moved ? p[c] : c + 1 == coords ? w : p[c] + w * s->centre[c];
        if (s->of->f64)
            ((double *)to)[at + k] = x;
        else
            ((float *)to)[at + k] = (float)x;
    }
}

bool clspi_reduce_surface_write(const clspi_reduce_surfaces *surfaces, size_t number,
                                uint32_t *const counts[2], const clspi_reduce_patches *to)
{
    surface s = {.of = surfaces, .counts = counts};
    bool done = make_strips(&s, number);
    const size_t nu = s.along[0].pieces, nv = s.along[1].pieces;
    double *const ends = done ? malloc((nu + nv) * 2 * sizeof *ends) : NULL;

    done = done && ends;
    for (int k = 0; k < 2 && done; k++)
        write_ends(&s, k, k == 0 ? ends : ends + 2 * nu);
    for (size_t at = 0; done && at < nu * nv; at++) {
        const size_t i = at / nv, j = at % nv;
        write_patch(&s, i, j, to->points);
        if (to->bounds) to->bounds[at] = bound_of(&s, i, j);
        if (!to->params) continue;
        memcpy(to->params + 4 * at, ends + 2 * i, 2 * sizeof *ends);
        memcpy(to->params + 4 * at + 2, ends + 2 * (nu + j), 2 * sizeof *ends);
    }
    free(ends);
    release(&s);
    return done;
}
