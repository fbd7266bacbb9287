#include "project_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part of a span, whose control points bound its derivatives closely. */
typedef struct piece {
    unsigned span;                 /* the number of the knot where its span begins */
    long double begin, end;        /* parameters */
    long double *controls;         /* [degree + 1][dim + 1]: of a Bezier curve, homogeneous */
    long double centre[4], radius; /* of a ball around it */
    long double least_weight;
    int begins_chain; /* nothing joins it to the piece before */
} piece;

/* An interval [at, at + length] of a piece, whose own parameter runs over [0, 1]. */
typedef struct interval {
    const piece *piece;
    long double at, length;
    long double square[2], weight[2]; /* |M|^2 and w at its ends */
    long double bend, weight_bend;    /* K = bend + r^2 weight_bend */
} interval;

enum { MOST = 1 << 14, SAMPLES = 8 };

struct ref_project {
    ref_bspline curve;
    size_t num_pieces;
    piece *pieces;
    long double *controls;
    interval *list[2]; /* room for 2 (MOST + num_pieces) each */
    long double *samples;
};

/* ---- pieces ---- */

/* Coordinate c of control point i; the last one is the weight. */
static long double control(const ref_bspline *s, size_t i, unsigned c)
{
    const unsigned coords = s->dim + (s->rational ? 1 : 0);

    return c < coords ? s->points[i * coords + c] : 1.0L;
}

/* A control point of a piece as a value of the polar form, at `ends` times its end and else at its
   begin: de Boor's algorithm with an argument of its own in each step (Ramshaw). */
static void polar_form(const ref_bspline *s, const piece *p, unsigned ends, long double *point)
{
    const unsigned degree = s->degree[0], coords = s->dim + 1;
    const double *const u = s->knots[0] + (p->span - degree);
    long double d[REF_MAX_DEGREE + 1][5];

    for (unsigned i = 0; i <= degree; i++)
        for (unsigned c = 0; c < coords; c++)
            d[i][c] = control(s, p->span - degree + i, c);
    for (unsigned r = 1; r <= degree; r++) {
        const long double x = r <= ends ? p->end : p->begin;
        for (unsigned i = degree; i >= r; i--) {
            const long double left = u[i], right = u[i + degree + 1 - r];
            const long double a = (x - left) / (right - left);
            for (unsigned c = 0; c < coords; c++)
                d[i][c] = (1.0L - a) * d[i - 1][c] + a * d[i][c];
        }
    }
    memcpy(point, d[degree], coords * sizeof *point);
}

static void enclose(piece *p, unsigned degree, unsigned dim)
{
    const unsigned coords = dim + 1;

    p->least_weight = INFINITY;
    for (unsigned i = 0; i <= degree; i++) {
        const long double *const m = p->controls + i * coords;
        p->least_weight = fminl(p->least_weight, m[dim]);
        for (unsigned c = 0; c < dim; c++)
            p->centre[c] += m[c] / m[dim] / (degree + 1);
    }
    for (unsigned i = 0; i <= degree; i++) {
        const long double *const m = p->controls + i * coords;
        long double square = 0.0L;
        for (unsigned c = 0; c < dim; c++) {
            const long double x = m[c] / m[dim] - p->centre[c];
            square += x * x;
        }
        p->radius = fmaxl(p->radius, sqrtl(square));
    }
}

static unsigned pieces_of_span(unsigned degree)
{
    return 4 + degree / 16;
}

/* Whether there is a jump at the knot where a span begins. */
static int jumps(const ref_bspline *s, unsigned span)
{
    const double *const u = s->knots[0];

    return span <= s->degree[0] || u[span - s->degree[0]] == u[span];
}

static void make_pieces(ref_project *project)
{
    const ref_bspline *const s = &project->curve;
    const unsigned degree = s->degree[0], num = pieces_of_span(degree);
    const double *const u = s->knots[0];
    const size_t reals = (size_t)(degree + 1) * (s->dim + 1);

    for (unsigned span = degree; span < s->controls[0]; span++) {
        if (!(u[span] < u[span + 1])) continue;
        for (unsigned k = 0; k < num; k++) {
            piece *const p = &project->pieces[project->num_pieces];
            const long double length = (long double)u[span + 1] - u[span];
            p->span = span;
            p->begin = u[span] + length * k / num;
            p->end = k + 1 < num ? u[span] + length * (k + 1) / num : u[span + 1];
            p->controls = project->controls + project->num_pieces++ * reals;
            p->begins_chain = k == 0 && jumps(s, span);
            for (unsigned i = 0; i <= degree; i++)
                polar_form(s, p, i, p->controls + i * (s->dim + 1));
            enclose(p, degree, s->dim);
        }
    }
}

ref_project *ref_project_make(const ref_bspline *curve)
{
    ref_project *const project = calloc(1, sizeof *project);
    const unsigned degree = curve->degree[0];
    const size_t most = (size_t)(curve->controls[0] - degree) * pieces_of_span(degree);

    if (!project) return NULL;
    project->curve = *curve;
    project->pieces = calloc(most, sizeof *project->pieces);
    project->controls = malloc(most * (degree + 1) * (curve->dim + 1) * sizeof(long double));
    project->samples = malloc((most * SAMPLES + 1) * sizeof(long double));
    for (int i = 0; i < 2; i++)
        project->list[i] = malloc(2 * (MOST + most) * sizeof(interval));
    if (!project->pieces || !project->controls || !project->samples || !project->list[0] ||
        !project->list[1]) {
        ref_project_free(project);
        return NULL;
    }
    make_pieces(project);
    return project;
}

void ref_project_free(ref_project *project)
{
    if (!project) return;
    free(project->pieces);
    free(project->controls);
    free(project->samples);
    free(project->list[0]);
    free(project->list[1]);
    free(project);
}

/* ---- points ---- */

/* The homogeneous point at t of a span, by the definition. */
static void homogeneous_point(const ref_bspline *s, unsigned span, long double t, long double *m)
{
    const unsigned degree = s->degree[0], first = span - degree;
    long double weights[REF_MAX_DEGREE + 1];

    ref_bspline_weights(s->knots[0] + first, degree + 1, degree, 0, t, weights);
    for (unsigned c = 0; c <= s->dim; c++) {
        m[c] = 0.0L;
        for (unsigned i = 0; i <= degree; i++)
            m[c] += weights[i] * control(s, first + i, c);
    }
}

static long double parameter(const piece *p, long double at)
{
    return p->begin + (p->end - p->begin) * at;
}

/* |M|^2 and w of a homogeneous point m, which is at t. If it is nearer than *nearest it replaces
   that. */
static void measure(const ref_project *project, const double *query, const long double *m,
                    long double t, long double values[2], ref_nearest *nearest)
{
    const unsigned dim = project->curve.dim;
    long double square = 0.0L;

    for (unsigned c = 0; c < dim; c++) {
        const long double x = m[c] - m[dim] * query[c];
        square += x * x;
    }
    values[0] = square;
    values[1] = m[dim];
    if (!nearest || !(sqrtl(square) / m[dim] < nearest->distance)) return;
    nearest->distance = sqrtl(square) / m[dim];
    nearest->t = t;
    for (unsigned c = 0; c < dim; c++)
        nearest->point[c] = m[c] / m[dim];
}

/* Takes the distance to the point at a place of a piece, and keeps the nearest. */
static void look_at(const ref_project *project, const double *query, const piece *p, long double at,
                    long double values[2], ref_nearest *nearest)
{
    const long double t = parameter(p, at);
    long double m[5];

    homogeneous_point(&project->curve, p->span, t, m);
    measure(project, query, m, t, values, nearest);
}

/* Takes the distance to an end of a piece, which is a control point, and keeps the nearest. */
static void look_at_end(const ref_project *project, const double *query, const piece *p, int end,
                        long double values[2], ref_nearest *nearest)
{
    const size_t last = (size_t)project->curve.degree[0] * (project->curve.dim + 1);

    measure(project, query, p->controls + (end ? last : 0), end ? p->end : p->begin, values,
            nearest);
}

void ref_project_point(const ref_project *project, long double t, int from_left, long double *point)
{
    const unsigned dim = project->curve.dim;
    const piece *const pieces = project->pieces;
    size_t low = 0, high = project->num_pieces; /* the piece is low .. high - 1 */
    long double m[5];

    t = fmaxl(t, pieces[0].begin);
    t = fminl(t, pieces[high - 1].end);
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        const long double begin = pieces[middle].begin;
        if (begin < t || (begin == t && !from_left))
            low = middle;
        else
            high = middle;
    }
    homogeneous_point(&project->curve, pieces[low].span, t, m);
    for (unsigned c = 0; c < dim; c++)
        point[c] = m[c] / m[dim];
}

/* ---- the nearest point ---- */

/* The largest sizes of control points and of their differences of orders 1 and 2, times the factors
   of derivatives: of M, and of w alone. */
static void bound_derivatives(const ref_project *project, const double *query, const piece *p,
                              long double curve[3], long double weight[3])
{
    const unsigned degree = project->curve.degree[0], dim = project->curve.dim;
    const long double factors[] = {1.0L, degree, (long double)degree * (degree - 1)};

    for (unsigned order = 0; order < 3; order++) {
        curve[order] = weight[order] = 0.0L;
        for (unsigned i = 0; i + order <= degree; i++) {
            const long double *const at = p->controls + i * (dim + 1);
            const long double *const next = at + (order > 0 ? dim + 1 : 0);
            const long double *const last = next + (order > 1 ? dim + 1 : 0);
            long double square = 0.0L, difference[5];
            for (unsigned c = 0; c <= dim; c++)
                difference[c] = order == 0   ? at[c]
                                : order == 1 ? next[c] - at[c]
                                             : last[c] - 2 * next[c] + at[c];
            for (unsigned c = 0; c < dim; c++) {
                const long double x = difference[c] - difference[dim] * query[c];
                square += x * x;
            }
            curve[order] = fmaxl(curve[order], factors[order] * sqrtl(square));
            weight[order] = fmaxl(weight[order], factors[order] * fabsl(difference[dim]));
        }
    }
}

/* A lower bound of f on an interval; radius: r of f. */
static long double least_value(const interval *v, long double radius)
{
    const long double square = radius * radius;
    const long double a = v->square[0] - square * v->weight[0] * v->weight[0];
    const long double b = v->square[1] - square * v->weight[1] * v->weight[1];
    const long double k = (v->bend + square * v->weight_bend) * v->length * v->length;
    const long double x = k > 0 ? 0.5L - (b - a) / k : 0.0L;

    return x > 0 && x < 1 ? a + (b - a) * x - k * x * (1 - x) / 2 : fminl(a, b);
}

/* All pieces that come as near as the nearest end of one. */
static size_t begin_search(ref_project *project, const double *query, ref_nearest *nearest)
{
    const unsigned dim = project->curve.dim;
    size_t num = 0;
    long double values[2];

    for (size_t i = 0; i < project->num_pieces; i++) {
        const piece *const p = &project->pieces[i];
        look_at_end(project, query, p, 0, values, nearest);
        look_at_end(project, query, p, 1, values, nearest);
    }
    for (size_t i = 0; i < project->num_pieces; i++) {
        const piece *const p = &project->pieces[i];
        interval v = {.piece = p, .length = 1.0L};
        long double away = 0.0L, curve[3], weight[3];
        for (unsigned c = 0; c < dim; c++)
            away += (query[c] - p->centre[c]) * (query[c] - p->centre[c]);
        if (sqrtl(away) - p->radius > nearest->distance) continue;
        bound_derivatives(project, query, p, curve, weight);
        v.bend = 2 * (curve[1] * curve[1] + curve[0] * curve[2]);
        v.weight_bend = 2 * weight[0] * weight[2];
        for (int end = 0; end < 2; end++) {
            look_at_end(project, query, p, end, values, NULL);
            v.square[end] = values[0];
            v.weight[end] = values[1];
        }
        project->list[0][num++] = v;
    }
    return num;
}

/* Halves all intervals into another list and keeps the halves that may have a point nearer than the
   nearest less the tolerance. */
static size_t halve(const ref_project *project, const double *query, long double tolerance,
                    const interval *from, size_t num, interval *to, ref_nearest *nearest)
{
    size_t kept = 0;

    for (size_t i = 0; i < num; i++) {
        interval half[2] = {from[i], from[i]};
        long double values[2];
        const long double length = from[i].length / 2;
        look_at(project, query, from[i].piece, from[i].at + length, values, nearest);
        half[0].length = half[1].length = length;
        half[1].at += length;
        half[0].square[1] = half[1].square[0] = values[0];
        half[0].weight[1] = half[1].weight[0] = values[1];
        for (int h = 0; h < 2; h++)
            if (least_value(&half[h], fmaxl(nearest->distance - tolerance, 0.0L)) < 0)
                to[kept++] = half[h];
    }
    return kept;
}

void ref_project_nearest(ref_project *project, const double *query, long double tolerance,
                         ref_nearest *nearest)
{
    enum { LEVELS = 60 };
    unsigned level = 0;

    memset(nearest, 0, sizeof *nearest);
    nearest->distance = INFINITY;
    size_t num = begin_search(project, query, nearest);
    for (; level < LEVELS && num > 0 && nearest->distance > tolerance; level++) {
        if (level > 0 && num > MOST) break;
        num = halve(project, query, tolerance, project->list[level % 2], num,
                    project->list[(level + 1) % 2], nearest);
    }
    const long double radius = fmaxl(nearest->distance - tolerance, 0.0L);
    nearest->bound = radius;
    for (size_t i = 0; i < num; i++) {
        const interval *const v = &project->list[level % 2][i];
        const long double least = least_value(v, radius), weight = v->piece->least_weight;
        const long double square = radius * radius + fminl(least, 0.0L) / (weight * weight);
        nearest->bound = fminl(nearest->bound, sqrtl(fmaxl(square, 0.0L)));
    }
}

/* ---- local minima ---- */

/* Places count pieces: place 2.5 is the middle of piece 2. */
static long double distance_at(const ref_project *project, const double *query, long double place,
                               size_t last, ref_nearest *nearest)
{
    const size_t number = place < (long double)last ? (size_t)place : last;
    long double values[2];

    look_at(project, query, &project->pieces[number], place - (long double)number, values, nearest);
    return sqrtl(values[0]) / values[1];
}

/* The minimum between two places of which one between is nearer than both. */
static void golden_section(const ref_project *project, const double *query, long double low,
                           long double high, size_t last, ref_nearest *nearest)
{
    const long double ratio = (sqrtl(5.0L) - 1) / 2;
    long double at[2] = {high - ratio * (high - low), low + ratio * (high - low)};
    long double distance[2];

    for (int i = 0; i < 2; i++)
        distance[i] = distance_at(project, query, at[i], last, nearest);
    for (int step = 0; step < 70; step++) {
        const int right = distance[1] < distance[0]; /* which part is kept */
        if (right)
            low = at[0];
        else
            high = at[1];
        at[!right] = at[right];
        distance[!right] = distance[right];
        at[right] = right ? low + ratio * (high - low) : high - ratio * (high - low);
        distance[right] = distance_at(project, query, at[right], last, nearest);
    }
}

/* Adds the minima of the pieces first .. last, which nothing joins to others. */
static size_t minima_of_chain(ref_project *project, const double *query, size_t first, size_t last,
                              ref_nearest *minima, size_t room)
{
    const size_t num = (last - first + 1) * SAMPLES + 1;
    long double *const d = project->samples;
    size_t count = 0;

    for (size_t i = 0; i < num; i++)
        d[i] =
            distance_at(project, query, (long double)first + (long double)i / SAMPLES, last, NULL);
    for (size_t i = 0; i < num; i++) {
        const long double before = i > 0 ? d[i - 1] : INFINITY;
        const long double behind = i + 1 < num ? d[i + 1] : INFINITY;
        if (!(d[i] < before && d[i] < behind)) continue;
        const long double place = (long double)first + (long double)i / SAMPLES;
        ref_nearest found = {.distance = INFINITY, .bound = fminl(before, behind)};
        distance_at(project, query, place, last, &found);
        golden_section(project, query, i > 0 ? place - 1.0L / SAMPLES : place,
                       i + 1 < num ? place + 1.0L / SAMPLES : place, last, &found);
        if (count < room) minima[count] = found;
        count++;
    }
    return count;
}

size_t ref_project_minima(ref_project *project, const double *query, ref_nearest *minima,
                          size_t room)
{
    size_t count = 0;

    for (size_t first = 0, last; first < project->num_pieces; first = last + 1) {
        last = first;
        while (last + 1 < project->num_pieces && !project->pieces[last + 1].begins_chain)
            last++;
        const size_t left = count < room ? room - count : 0;
        count += minima_of_chain(project, query, first, last, minima + (room - left), left);
    }
    return count;
}
