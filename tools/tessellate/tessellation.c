#include "tessellation.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "quotient.h"

/* The control points of one patch. */
typedef struct net {
    const bezierview_type *type;
    const double *points;
    size_t coordinates, num_points;
    double unit;               /* of lengths, so that none overflows */
    double center[3];          /* of the box around the Euclidean control points, in units */
    double radius;             /* largest distance of one from the center */
    double lightest, heaviest; /* smallest and largest weight; 1 without */
} net;

/* Bounds of the second derivatives along u u, u v and v v, in units. */
typedef struct bending {
    double uu, uv, vv;
} bending;

/* A Euclidean control point, in units. */
static void get_point(const net *n, size_t i, double position[3])
{
    const double *p = n->points + i * n->coordinates;
    double divisor = n->type->rational ? p[3] : 1;
    for (int axis = 0; axis < 3; axis++)
        position[axis] = p[axis] / n->unit / divisor;
}

static double length(const double v[3])
{
    return hypot(hypot(v[0], v[1]), v[2]);
}

static void grow_box(const double position[3], double low[3], double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = fmin(low[axis], position[axis]);
        high[axis] = fmax(high[axis], position[axis]);
    }
}

/* Sets what the bound of a rational patch needs; a polynomial one has weight 1 and needs no center.
 */
static void measure(net *n)
{
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX}, p[3];
    n->heaviest = n->lightest = 1;
    if (!n->type->rational) return;
    n->heaviest = 0;
    n->lightest = DBL_MAX;
    for (size_t i = 0; i < n->num_points; i++) {
        get_point(n, i, p);
        grow_box(p, low, high);
        n->lightest = fmin(n->lightest, n->points[4 * i + 3]);
        n->heaviest = fmax(n->heaviest, n->points[4 * i + 3]);
    }
    for (int axis = 0; axis < 3; axis++)
        n->center[axis] = low[axis] / 2 + high[axis] / 2;
    for (size_t i = 0; i < n->num_points; i++) {
        get_point(n, i, p);
        for (int axis = 0; axis < 3; axis++)
            p[axis] -= n->center[axis];
        n->radius = fmax(n->radius, length(p));
    }
}

/* Whether (i, j) is a control point, and where it lies. */
static bool in_net(const net *n, size_t i, size_t j)
{
    const bezierview_type *type = n->type;
    if (type->form == BEZIERVIEW_TRIANGLE) return i + j <= type->degree_u;
    return i <= type->degree_u && j <= type->degree_v;
}

static const double *control(const net *n, size_t i, size_t j)
{
    const bezierview_type *type = n->type;
    size_t order = (size_t)type->degree_u + 1;
    size_t place = type->form == BEZIERVIEW_TRIANGLE ? i * order - i * (i - 1) / 2 + j
                                                     : i * ((size_t)type->degree_v + 1) + j;
    return n->points + place * n->coordinates;
}

/* Coordinate k of the combination a - b - c + d of control points, in units of length and of the
   largest weight. */
static double combine(const net *n, const double *const p[4], int k)
{
    double unit = k < 3 ? n->unit : 1, weight = n->heaviest;
    return (p[0][k] / unit / weight - p[1][k] / unit / weight) -
           (p[2][k] / unit / weight - p[3][k] / unit / weight);
}

/* The length of the second difference at (i, j) along the steps s and t, with the weights' share.
 */
static double second_difference(const net *n, size_t i, size_t j, const size_t s[2],
                                const size_t t[2])
{
    const double *const p[4] = {control(n, i, j), control(n, i + s[0], j + s[1]),
                                control(n, i + t[0], j + t[1]),
                                control(n, i + s[0] + t[0], j + s[1] + t[1])};
    double weight = n->type->rational ? combine(n, p, 3) : 0, v[3];
    for (int k = 0; k < 3; k++)
        v[k] = combine(n, p, k) - weight * n->center[k];
    return length(v) + n->radius * fabs(weight);
}

static double largest_difference(const net *n, const size_t s[2], const size_t t[2])
{
    double largest = 0;
    for (size_t i = 0; in_net(n, i + s[0] + t[0], s[1] + t[1]); i++)
        for (size_t j = 0; in_net(n, i + s[0] + t[0], j + s[1] + t[1]); j++)
            largest = fmax(largest, second_difference(n, i, j, s, t));
    return largest > 0 ? largest / (n->lightest / n->heaviest) : 0;
}

/* From second differences. */
static bending bend_by_differences(const net *n)
{
    static const size_t u[2] = {1, 0}, v[2] = {0, 1};
    double p = n->type->degree_u, q = n->type->degree_v;
    double mixed = n->type->form == BEZIERVIEW_TRIANGLE ? p * (p - 1) : p * q;
    return (bending){.uu = p * (p - 1) * largest_difference(n, u, u),
                     .uv = mixed * largest_difference(n, u, v),
                     .vv = q * (q - 1) * largest_difference(n, v, v)};
}

/* By the quotient rule. False when memory runs out. */
static bool bend_by_quotient(const net *n, bending *m)
{
    double points[4 * QUOTIENT_MAX_POINTS], bounds[3];
    for (size_t i = 0; i < n->num_points; i++) {
        const double *p = n->points + 4 * i;
        points[4 * i + 3] = p[3] / n->heaviest;
        for (size_t axis = 0; axis < 3; axis++)
            points[4 * i + axis] =
                p[axis] / n->unit / n->heaviest - n->center[axis] * points[4 * i + 3];
    }
    if (!quotient_bounds(points, n->type->degree_u, n->type->degree_v, bounds)) return false;
    *m = (bending){.uu = bounds[0], .uv = bounds[1], .vv = bounds[2]};
    return true;
}

static bool bend(const net *n, bending *m)
{
    if (n->type->rational && n->num_points <= QUOTIENT_MAX_POINTS) return bend_by_quotient(n, m);
    *m = bend_by_differences(n);
    return true;
}

/* ---- from bounds to cells: fewest with a / n_u^2 + 2 b / (n_u n_v) + c / n_v^2 <= t ---- */

/* Cells along u where both directions have an equal part in the error, which makes n_u n_v least
   (Lagrange: a / n_u^2 = c / n_v^2). */
static double balanced_cells(double a, double b, double c, double t)
{
    double share = a == c ? 1 : sqrt(a / c);
    return sqrt(2 * (a + (b > 0 ? b * share : 0)) / t);
}

/* Cells along u that suffice with n_v along v: the root of the quadratic in 1 / n_u. */
static double remaining_cells(double a, double b, double c, double t, double n_v)
{
    double rest = t - c / (n_v * n_v), half = b / n_v;
    return fmax(1, ceil((half + sqrt(half * half + a * rest)) / rest));
}

static void choose_cells(const bending *m, double t, double cells[2])
{
    double a = m->uu, b = m->uv, c = m->vv;
    cells[0] = cells[1] = 1;
    if (a + b + c == 0) return; /* an affine image of the square */
    if (!(t > 0)) {
        cells[0] = cells[1] = HUGE_VAL;
        return;
    }
    double ideal_u = balanced_cells(a, b, c, t), ideal_v = balanced_cells(c, b, a, t);
    if (ideal_v <= 1) {
        cells[0] = remaining_cells(a, b, c, t, 1);
    } else {
        cells[0] = fmax(1, ceil(ideal_u));
        cells[1] = remaining_cells(c, b, a, t, cells[0]);
    }
}

static uint32_t samples(double cells)
{
    return cells < (double)UINT32_MAX - 1 ? (uint32_t)cells + 1 : UINT32_MAX; /* NaN is too many */
}

/* ---- tolerances ---- */

/* What a tolerance of one pixel is for a patch, in units. */
static double pixel_length(const net *n, const camera *view)
{
    double nearest = 0;
    for (size_t i = 0; i < n->num_points; i++) {
        double position[3], x, y, w;
        get_point(n, i, position);
        for (int axis = 0; axis < 3; axis++)
            position[axis] *= n->unit;
        camera_project(view, position, &x, &y, &w);
        if (!(w > 0)) nearest = HUGE_VAL; /* behind the eye */
        nearest = fmax(nearest, w);
    }
    return camera_pixel_length(view, nearest) / n->unit;
}

static bool choose_samples(net *n, double tolerance, const camera *view, uint32_t num[2])
{
    bending m;
    double cells[2];
    measure(n);
    double t = 8 * tolerance * (view ? pixel_length(n, view) : 1 / n->unit);
    if (!bend(n, &m)) return false;
    choose_cells(&m, t, cells);
    if (n->type->form == BEZIERVIEW_TRIANGLE) {
        double bound = m.uu + 2 * m.uv + m.vv;
        cells[0] = cells[1] = bound == 0 ? 1 : fmax(1, ceil(sqrt(bound / t)));
    }
    for (int k = 0; k < 2; k++)
        if (samples(cells[k]) > num[k]) num[k] = samples(cells[k]);
    return true;
}

/* The largest coordinate of the Euclidean control points. */
static double largest_coordinate(const bezierview_batch *batch)
{
    size_t coordinates = bezierview_coordinates(&batch->type);
    double largest = 0;
    for (size_t i = 0; i + coordinates <= batch->num_reals; i += coordinates) {
        double divisor = batch->type.rational ? batch->points[i + 3] : 1;
        for (size_t axis = 0; axis < 3; axis++)
            largest = fmax(largest, fabs(batch->points[i + axis] / divisor));
    }
    return largest;
}

static bool choose_batch(const bezierview_batch *batch, double tolerance, const camera *view,
                         uint32_t *num)
{
    size_t points = (size_t)bezierview_patch_points(&batch->type);
    double unit = fmin(largest_coordinate(batch), DBL_MAX);
    if (!(unit >= DBL_MIN)) unit = 1;
    for (size_t patch = 0; patch < batch->num_patches; patch++) {
        net n = {.type = &batch->type,
                 .coordinates = bezierview_coordinates(&batch->type),
                 .num_points = points,
                 .unit = unit};
        n.points = batch->points + patch * points * n.coordinates;
        if (!choose_samples(&n, tolerance, view, num + 2 * patch)) return false;
    }
    return true;
}

static bool start(tessellation *t, const bezierview *content, uint32_t num)
{
    if (!t->num) {
        t->num_patches = bezierview_num_patches(content);
        t->num = malloc((2 * t->num_patches + 1) * sizeof(uint32_t));
        for (size_t i = 0; t->num && i < 2 * t->num_patches; i++)
            t->num[i] = num;
    }
    return t->num != NULL;
}

bool tessellation_uniform(tessellation *t, const bezierview *content, uint32_t num)
{
    *t = (tessellation){.uniform = true};
    return start(t, content, num);
}

bool tessellation_within(tessellation *t, const bezierview *content, const seams *s,
                         double tolerance, const camera *view)
{
    if (!start(t, content, 2)) return false;
    uint32_t *num = t->num;
    for (size_t i = 0; i < content->num_batches; i++) {
        if (!choose_batch(&content->batches[i], tolerance, view, num)) return false;
        num += 2 * content->batches[i].num_patches;
    }
    return seams_join(s, t->num_patches, t->num);
}

uint64_t tessellation_patch_points(const bezierview_type *type, const uint32_t num[2])
{
    uint64_t u = num[0], v = num[1];
    return type->form == BEZIERVIEW_TRIANGLE ? u * (u + 1) / 2 : u * v;
}

uint64_t tessellation_num_points(const tessellation *t, const bezierview *content)
{
    uint64_t sum = 0;
    const uint32_t *num = t->num;
    for (size_t i = 0; i < content->num_batches; i++) {
        const bezierview_batch *batch = &content->batches[i];
        for (size_t patch = 0; patch < batch->num_patches; patch++, num += 2) {
            uint64_t points = tessellation_patch_points(&batch->type, num);
            sum = points > UINT64_MAX - sum ? UINT64_MAX : sum + points;
        }
    }
    return sum;
}

mesh_grid *tessellation_grids(const tessellation *t, const bezierview *content)
{
    mesh_grid *grids = malloc((t->num_patches + 1) * sizeof(*grids)), *next = grids;
    const uint32_t *num = t->num;
    for (size_t i = 0; grids && i < content->num_batches; i++) {
        const bezierview_batch *batch = &content->batches[i];
        for (size_t patch = 0; patch < batch->num_patches; patch++, num += 2)
            *next++ = (mesh_grid){num[0], num[1], batch->type.form == BEZIERVIEW_TRIANGLE};
    }
    return grids;
}

double tessellation_diagonal(const bezierview *content, double *largest)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < content->num_batches; i++) {
        const bezierview_batch *batch = &content->batches[i];
        net n = {.type = &batch->type,
                 .points = batch->points,
                 .coordinates = bezierview_coordinates(&batch->type),
                 .unit = 1};
        for (size_t point = 0; point < batch->num_reals / n.coordinates; point++) {
            double position[3];
            get_point(&n, point, position);
            grow_box(position, low, high);
        }
    }
    for (size_t i = 0; i < content->polyhedra.num_vertices; i++)
        grow_box(content->polyhedra.positions + 3 * i, low, high);
    *largest = 0;
    if (!(high[0] >= low[0])) return 0;
    for (int k = 0; k < 3; k++)
        *largest = fmax(*largest, fmax(-low[k], high[k]));
    const double half[3] = {high[0] / 2 - low[0] / 2, high[1] / 2 - low[1] / 2,
                            high[2] / 2 - low[2] / 2};
    return fmin(2 * length(half), DBL_MAX);
}

void tessellation_clear(tessellation *t)
{
    free(t->num);
    *t = (tessellation){0};
}
