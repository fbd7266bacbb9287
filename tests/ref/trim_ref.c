#include "trim_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 48, LINE = 160, STARTS = 4, HALVINGS = 40, STEPS = 160 };

#define NEAR_LOOP 1e-6 /* what is as near to a loop is the loop's */

struct ref_face {
    ref_surface *surface;
    size_t num_curves;
    ref_bspline *curves;
    double *memory;                                      /* of the curves' knots and points */
    double (*plane)[LINE + 1][2], (*space)[LINE + 1][3]; /* samples of curves */
    double low[2], high[2];
    double grid[GRID][GRID][3];
    char is_inside[GRID][GRID];
};

/* ---- curves ---- */

static void curve_point(const ref_bspline *c, double t, double *x)
{
    long double weights[REF_MAX_DEGREE + 1], sum[4] = {0};
    const unsigned coords = c->dim + (unsigned)(c->rational != 0);
    const unsigned first =
        ref_bspline_weights(c->knots[0], c->controls[0], c->degree[0], 0, t, weights);

    for (unsigned i = 0; i <= c->degree[0]; i++)
        for (unsigned k = 0; k < coords; k++)
            sum[k] += weights[i] * c->points[(first + i) * coords + k];
    for (unsigned k = 0; k < c->dim; k++)
        x[k] = (double)(c->rational ? sum[k] / sum[c->dim] : sum[k]);
}

static double parameter(const ref_bspline *c, double share)
{
    const double low = c->knots[0][c->degree[0]], high = c->knots[0][c->controls[0]];

    return low + share * (high - low);
}

static double square_of(const double *x, const double *y)
{
    double sum = 0;

    for (int k = 0; k < 3; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

/* A curve on a face, or in space. */
typedef struct line {
    const ref_face *face; /* NULL: in space */
    const ref_bspline *curve;
} line;

static void line_point(const line *l, double share, double *x)
{
    double at[3];

    share = fmin(fmax(share, 0), 1);
    curve_point(l->curve, parameter(l->curve, share), at);
    x[0] = x[1] = x[2] = 1e100; /* off the domain there is no surface */
    for (int k = 0; l->face && k < 2; k++)
        if (at[k] < l->face->low[k] || at[k] > l->face->high[k]) return;
    if (l->face)
        ref_face_point(l->face, at[0], at[1], x);
    else
        memcpy(x, at, sizeof at);
}

/* Refines a sample by steps that are halved; returns the squared distance. */
static double refine_line(const line *l, const double *query, double share)
{
    double x[3], step = 1.0 / LINE;

    line_point(l, share, x);
    double best = square_of(x, query);
    for (int i = 0; i < HALVINGS;) {
        const double before = best;
        for (int way = -1; way <= 1; way += 2) {
            line_point(l, share + way * step, x);
            const double square = square_of(x, query);
            if (!(square < best)) continue;
            best = square;
            share = fmin(fmax(share + way * step, 0), 1);
            break;
        }
        if (!(best < before)) {
            step /= 2;
            i++;
        }
    }
    return best;
}

/* Finds the squared distance of a query to a curve by its samples. */
static double nearest_of_line(const line *l, double (*samples)[3], const double *query)
{
    double best = INFINITY, at[LINE + 1];

    for (int i = 0; i <= LINE; i++)
        at[i] = square_of(samples[i], query);
    for (int n = 0; n < STARTS; n++) { /* from the least local minima */
        int least = -1;
        for (int i = 0; i <= LINE; i++)
            if ((i == 0 || at[i] <= at[i - 1]) && (i == LINE || at[i] <= at[i + 1]) &&
                (least < 0 || at[i] < at[least]))
                least = i;
        if (least < 0 || at[least] == INFINITY) break;
        best = fmin(best, refine_line(l, query, (double)least / LINE));
        for (int i = least - 2; i <= least + 2; i++)
            if (i >= 0 && i <= LINE) at[i] = INFINITY;
    }
    return best;
}

double ref_edge_distance(const ref_bspline *edge, const double *query)
{
    const line l = {NULL, edge};
    double samples[LINE + 1][3];

    for (int i = 0; i <= LINE; i++)
        line_point(&l, (double)i / LINE, samples[i]);
    return sqrt(nearest_of_line(&l, samples, query));
}

/* ---- faces ---- */

void ref_face_point(const ref_face *face, double u, double v, double point[3])
{
    long double x[4];

    ref_surface_point(face->surface, u, v, x, NULL);
    for (int k = 0; k < 3; k++)
        point[k] = (double)x[k];
}

int ref_face_inside(const ref_face *face, double u, double v, double near)
{
    int is = 0;

    if (face->num_curves == 0) return 1;
    for (size_t c = 0; c < face->num_curves; c++)
        for (int i = 0; i < LINE; i++) {
            const double *const a = face->plane[c][i], *const b = face->plane[c][i + 1];
            const double du = b[0] - a[0], dv = b[1] - a[1], length = du * du + dv * dv;
            const double t = length > 0 ? ((u - a[0]) * du + (v - a[1]) * dv) / length : 0;
            const double s = fmin(fmax(t, 0), 1);
            /* a chord is off its curve by its bend: less than the square of its length, four times
             */
            const double off = near + 16 * length, off_u = a[0] + s * du - u,
                         off_v = a[1] + s * dv - v;
            if (off_u * off_u + off_v * off_v <= off * off) return -1;
            if ((a[1] > v) != (b[1] > v)) is ^= a[0] + (v - a[1]) / dv * du > u;
        }
    return is;
}

/* Finds the squared distance to the inside of a face. */
static double refine_face(const ref_face *f, const double *query, double u, double v)
{
    double step[2], x[3];

    ref_face_point(f, u, v, x);
    double best = square_of(x, query);
    for (int k = 0; k < 2; k++)
        step[k] = (f->high[k] - f->low[k]) / GRID;
    for (int i = 0, n = 0; i < HALVINGS && n < STEPS; n++) { /* steps along a loop are many */
        const double before = best;
        for (int way = 0; way < 8; way++) {
            static const int ways[8][2] = {{1, 0}, {-1, 0},  {0, 1},  {0, -1},
                                           {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
            const double to_u = fmin(fmax(u + ways[way][0] * step[0], f->low[0]), f->high[0]);
            const double to_v = fmin(fmax(v + ways[way][1] * step[1], f->low[1]), f->high[1]);
            ref_face_point(f, to_u, to_v, x);
            const double square = square_of(x, query);
            if (!(square < best) || ref_face_inside(f, to_u, to_v, NEAR_LOOP) != 1) continue;
            best = square;
            u = to_u;
            v = to_v;
            break;
        }
        if (!(best < before)) {
            step[0] /= 2;
            step[1] /= 2;
            i++;
        }
    }
    return best;
}

static double grid_at(const ref_face *f, int way, int i)
{
    return f->low[way] + (f->high[way] - f->low[way]) * i / (GRID - 1);
}

double ref_face_distance(const ref_face *face, const double *query)
{
    double best = INFINITY, last = -1;

    for (size_t c = 0; c < face->num_curves; c++) {
        const line l = {face, &face->curves[c]};
        best = fmin(best, nearest_of_line(&l, face->space[c], query));
    }
    for (int n = 0; n < STARTS; n++) {
        double least = INFINITY;
        int at[2] = {0, 0};
        for (int i = 0; i < GRID; i++)
            for (int k = 0; k < GRID; k++) {
                const double square = square_of(face->grid[i][k], query);
                if (!face->is_inside[i][k] || square >= least || square <= last) continue;
                least = square;
                at[0] = i;
                at[1] = k;
            }
        if (!(least < INFINITY)) break;
        best =
            fmin(best, refine_face(face, query, grid_at(face, 0, at[0]), grid_at(face, 1, at[1])));
        last = least * (n > 0 ? 1.1 : 1);
    }
    return sqrt(best);
}

/* Copies the curves, whose knots and points need not stay. */
static int copy_curves(ref_face *f, const ref_bspline *curves, size_t num)
{
    size_t reals = 1;

    for (size_t i = 0; i < num; i++)
        reals +=
            curves[i].controls[0] + curves[i].degree[0] + 1 + (size_t)curves[i].controls[0] * 3;
    f->curves = malloc((num + 1) * sizeof *f->curves);
    f->memory = malloc(reals * sizeof *f->memory);
    f->plane = malloc((num + 1) * sizeof *f->plane);
    f->space = malloc((num + 1) * sizeof *f->space);
    if (!f->curves || !f->memory || !f->plane || !f->space) return 0;
    double *to = f->memory;
    for (size_t i = 0; i < num; i++) {
        const size_t knots = curves[i].controls[0] + curves[i].degree[0] + 1;
        const size_t points = (size_t)curves[i].controls[0] * 3;
        f->curves[i] = curves[i];
        memcpy(to, curves[i].knots[0], knots * sizeof *to);
        memcpy(to + knots, curves[i].points, points * sizeof *to);
        f->curves[i].knots[0] = to;
        f->curves[i].points = to + knots;
        to += knots + points;
    }
    f->num_curves = num;
    return 1;
}

ref_face *ref_face_make(const ref_bspline *surface, const ref_bspline *curves, size_t num)
{
    ref_face *const f = calloc(1, sizeof *f);

    if (!f) return NULL;
    f->surface = ref_surface_make(surface);
    if (!f->surface || !copy_curves(f, curves, num)) {
        ref_face_free(f);
        return NULL;
    }
    for (int k = 0; k < 2; k++) {
        f->low[k] = surface->knots[k][surface->degree[k]];
        f->high[k] = surface->knots[k][surface->controls[k]];
    }
    for (size_t c = 0; c < num; c++)
        for (int i = 0; i <= LINE; i++) {
            const line l = {f, &f->curves[c]};
            curve_point(&f->curves[c], parameter(&f->curves[c], (double)i / LINE), f->plane[c][i]);
            line_point(&l, (double)i / LINE, f->space[c][i]);
        }
    for (int i = 0; i < GRID; i++)
        for (int k = 0; k < GRID; k++) {
            const double u = grid_at(f, 0, i), v = grid_at(f, 1, k);
            ref_face_point(f, u, v, f->grid[i][k]);
            f->is_inside[i][k] = ref_face_inside(f, u, v, NEAR_LOOP) == 1;
        }
    return f;
}

void ref_face_free(ref_face *face)
{
    if (!face) return;
    ref_surface_free(face->surface);
    free(face->curves);
    free(face->memory);
    free(face->plane);
    free(face->space);
    free(face);
}
