#include "recipe_points.h"

#include <math.h>

#include "check.h"
#include "eval_points.h"
#include "spline_place.h"

void clspi_point_begin(const clspi_list_recipe *recipe, const void *points, size_t patch,
                       size_t num_patches, clspi_point *point)
{
    const size_t real = clsp_type_bytes(recipe->desc.precision);
    const size_t own = recipe->basis_reals, here = patch < num_patches ? patch : 0;

    point->patch = (const char *)points + here * recipe->patch_reals * real;
    point->basis = own > 0 ? recipe->basis + here * own + 4 : recipe->basis;
    point->is_lost = patch >= num_patches;
    for (int k = 0; k < 3; k++) {
        point->rest[k] = 0;
        point->first[k] = 0;
    }
}

/* Brings v into a triangle at the u that is there: w = 1 - u - v with what rounding 1 - u lost,
   lest it be lost from a small w. */
static void take_within(double v, clspi_point *point)
{
    const double rest = point->s[0], lost = (1 - rest) - point->x[0];

    point->x[1] = point->t[1] = v < rest ? v : rest;
    point->s[1] = v < rest ? fmax((rest - v) + lost, 0) : 0;
    if (!(point->t[1] + point->s[1] > 0)) point->s[1] = 1;
}

void clspi_point_at(const clspi_list_recipe *recipe, size_t patch, uint32_t direction, double x,
                    clspi_point *point)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    const uint32_t k = direction;
    double begin = d->domain[k][0], end = d->domain[k][1];

    if (recipe->basis_reals > 0) {
        const double *const own = recipe->basis + patch * recipe->basis_reals;
        begin = own[0];
        end = own[2];
    }
    point->is_lost = point->is_lost || isnan(x);
    point->x[k] = !(x > begin) ? begin : x > end ? end : x;
    point->t[k] = point->x[k] - begin;
    point->s[k] = end - point->x[k];
    if (d->is_triangle && k == 1) take_within(point->x[1], point);
    point->x[k] = point->param[k] = clspi_rounded(d->precision == CLSP_F64, point->x[k]);
}

/* ---- samples ---- */

/* A number in two parts, of which the second one is what rounding takes from the first. */
typedef struct two_parts {
    double high, low;
} two_parts;

static two_parts exact_sum(double a, double b)
{
    const double s = a + b, part = s - a;

    return (two_parts){s, (a - (s - part)) + (b - part)};
}

/* Makes sample a of an axis from `begin` to `end`, by its ratio of the axis from the nearer end on
   (sample_parts of eval_points.clh). */
static two_parts sample_of(double begin, double end, uint32_t a, uint32_t num)
{
    const uint32_t last = num > 1 ? num - 1 : 1, back = last - a;
    const double near = a > back ? end : begin, far = a > back ? begin : end;
    const double x = a > back ? back : a, y = last, ratio = x / y;
    const double lost = fma(-ratio, y, x) / y;
    const two_parts length = exact_sum(far, -near);
    const double way = length.high * ratio;
    const double rest = fma(length.high, ratio, -way) + (length.high * lost + length.low * ratio);
    const two_parts sum = exact_sum(near, way);

    return exact_sum(sum.high, sum.low + rest);
}

double clspi_grid_param(const clspi_tensor_desc *d, double begin, double end, uint32_t a,
                        uint32_t num)
{
    double wide;
    float narrow;

    if (d->precision == CLSP_F64) {
        clspi_vertex_functions_f64.params(&wide, begin, end, num, a, 1);
        return wide;
    }
    clspi_vertex_functions_f32.params(&narrow, begin, end, num, a, 1);
    return (double)narrow;
}

/* Takes sample a of a uniform axis of direction k. */
static void take_uniform(const clspi_list_recipe *recipe, size_t patch, uint32_t k, uint32_t a,
                         uint32_t num, clspi_point *point)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    const double *const domain = d->domain[k];
    const uint32_t last = num > 1 ? num - 1 : 1;
    double begin = d->axis[k].begin, end = d->axis[k].end;

    point->t[k] = (begin - domain[0]) * (last - a) + (end - domain[0]) * a;
    point->s[k] = (domain[1] - begin) * (last - a) + (domain[1] - end) * a;
    if (recipe->basis_reals > 0 && fmin(begin, end) == domain[0] && fmax(begin, end) == domain[1]) {
        const double *const own = recipe->basis + patch * recipe->basis_reals;
        const bool is_back = begin > end;
        begin = own[is_back ? 2 : 0];
        end = own[is_back ? 0 : 2];
    }
    const two_parts x = sample_of(begin, end, a, num);
    point->x[k] = clspi_rounded(d->precision == CLSP_F64, x.high);
    point->rest[k] = (x.high - point->x[k]) + x.low;
    point->param[k] = clspi_grid_param(d, begin, end, a, num);
}

/* Takes sample a of a grid, some of whose axes have samples of their own. */
static void take_own(const clspi_list_recipe *recipe, uint32_t k, uint32_t a, clspi_point *point)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    const clsp_axis *const axis = &d->axis[k];
    const double last = axis->num > 1 ? axis->num - 1 : 1;
    const double x =
        axis->params ? axis->params[a] : (axis->begin * (last - a) + axis->end * a) / last;

    point->t[k] = x - d->domain[k][0];
    point->s[k] = d->domain[k][1] - x;
    point->x[k] = point->param[k] = clspi_rounded(d->precision == CLSP_F64, x);
    point->rest[k] = x - point->x[k];
    point->first[k] = recipe->sample_first[k] ? recipe->sample_first[k][a] + 1 : 0;
}

static void take_sample(const clspi_list_recipe *recipe, size_t patch, uint32_t k, uint32_t a,
                        uint32_t num, clspi_point *point)
{
    if (!clspi_has_own_samples(&recipe->desc))
        take_uniform(recipe, patch, k, a, num, point);
    else if (recipe->basis_reals > 0)
        clspi_point_at(recipe, patch, k, recipe->desc.axis[k].params[a], point);
    else
        take_own(recipe, k, a, point);
}

/* Takes vertex number `vertex` of a triangle's grid. */
static void take_triangle(const clspi_tensor_desc *d, uint32_t num, size_t vertex,
                          clspi_point *point)
{
    const clsp_axis *const axis = &d->axis[0];
    uint32_t b;
    const uint32_t a = clspi_triangle_row(num, 1, vertex, &b);
    const uint32_t rest = (num > 1 ? num - 1 : 1) - a;

    point->t[0] = a;
    point->s[0] = rest;
    point->t[1] = b;
    point->s[1] = rest == 0 ? 1 : rest - b;
    point->param[0] = clspi_grid_param(d, axis->begin, axis->end, a, num);
    point->param[1] = clspi_grid_param(d, axis->begin, axis->end, b, num);
}

void clspi_grid_point(const clspi_list_recipe *recipe, size_t patch, const uint32_t *nums,
                      size_t vertex, clspi_point *point)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    size_t left = vertex;

    if (d->is_triangle) {
        take_triangle(d, nums[0], vertex, point);
        return;
    }
    for (uint32_t k = d->directions; k-- > 0;) {
        take_sample(recipe, patch, k, (uint32_t)(left % nums[k]), nums[k], point);
        left /= nums[k];
    }
}
