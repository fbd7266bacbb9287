/* Part of the suite processors: grids and lists of Bezier patches and B-splines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host_lists.h"
#include "host_surfaces.h"
#include "processors_run.h"
#include "reference.h"

/* What vertices have beside points. */
enum { POINT = 1, NORMAL = 2, SLOPES = 4, SECOND = 8, CURVATURE = 16 };

static const struct {
    unsigned kind;
    const char *name;
    uint32_t attributes[3]; /* of curves, surfaces and volumes */
} kinds[] = {
    {POINT, "", {CLSP_VERTEX_POINT, CLSP_VERTEX_POINT, CLSP_VERTEX_POINT}},
    {NORMAL, ", normals", {0, CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL, 0}},
    {SLOPES,
     ", derivatives",
     {CLSP_VERTEX_POINT | CLSP_VERTEX_DU, CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV,
      CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW}},
    {SECOND,
     ", second derivatives",
     {0,
      CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DUU | CLSP_VERTEX_DUV |
          CLSP_VERTEX_DVV,
      0}},
    {CURVATURE,
     ", curvature",
     {CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_CURVATURE,
      CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL | CLSP_VERTEX_CURVATURE, 0}},
};

enum { LOOP_ORDER = 128 }; /* beyond it the loop takes a hundred times as long */

/* OWN_GRIDS: each patch has its number of samples, the same. PLUS: a coordinate more. COLLAPSED:
   one edge of each patch is a point. */
enum {
    RATIONAL = 1,
    HALVES = 2,
    WATERTIGHT = 4,
    LIST = 8,
    QUICK = 16,
    OWN_GRIDS = 32,
    PLUS = 64,
    COLLAPSED = 128
};

/* controls: of B-splines, along each direction; 0: Bezier patches. samples: likewise, of grids. */
typedef struct patches_row {
    const char *name;
    clsp_bezier_form form;
    uint32_t degree, controls, samples, patches;
    unsigned kinds, options;
} patches_row;

#define CURVE    CLSP_BEZIER_CURVE
#define SURFACE  CLSP_BEZIER_SURFACE
#define VOLUME   CLSP_BEZIER_VOLUME
#define TRIANGLE CLSP_BEZIER_TRIANGLE

enum {
    FIRST = POINT | NORMAL | SLOPES,
    ALL = FIRST | SECOND | CURVATURE,
    NO_SECOND = ALL - SECOND
};

static const patches_row rows[] = {
    {"4x4, 28 of 64x64", SURFACE, 3, 0, 64, 28, ALL, QUICK},
    {"4x4, 28 of 64x64, rational", SURFACE, 3, 0, 64, 28, NO_SECOND, RATIONAL},
    {"12x12, 28 of 64x64", SURFACE, 11, 0, 64, 28, ALL, 0},
    {"12x12, 28 of 64x64, rational", SURFACE, 11, 0, 64, 28, NO_SECOND, RATIONAL},
    {"32x32, 8 of 64x64", SURFACE, 31, 0, 64, 8, ALL, 0},
    {"101x101, 2 of 128x128", SURFACE, 100, 0, 128, 2, FIRST, 0},
    {"1001x1001, 128x128", SURFACE, 1000, 0, 128, 1, FIRST, 0},
    {"4x4, 2000 of 8x8", SURFACE, 3, 0, 8, 2000, FIRST, 0},
    {"patch grids 4x4, 1000 of 17x17", SURFACE, 3, 0, 17, 1000, FIRST, OWN_GRIDS},
    {"4x4, 1000 of 17x17", SURFACE, 3, 0, 17, 1000, FIRST, 0},
    {"4x4, 1000 of 17x17, collapsed", SURFACE, 3, 0, 17, 1000, NORMAL, COLLAPSED},
    {"4x4, 1000x1000", SURFACE, 3, 0, 1000, 1, ALL, 0},
    {"volumes 4, 96^3", VOLUME, 3, 0, 96, 1, POINT | SLOPES, 0},
    {"B-spline 4x4, 1000x1000", SURFACE, 3, 20, 1000, 1, FIRST, 0},
    {"4x4, 28 of 64x64, halves", SURFACE, 3, 0, 64, 28, FIRST, HALVES},
    {"4x4, 28 of 64x64, watertight", SURFACE, 3, 0, 64, 28, POINT, WATERTIGHT},
    {"curves 4, 100 of 1000", CURVE, 3, 0, 1000, 100, POINT | CURVATURE, QUICK},
    {"curves 4, 100000 of 12", CURVE, 3, 0, 12, 100000, POINT | SLOPES, 0},
    {"curves 4 in 4-D, 100000 of 12", CURVE, 3, 0, 12, 100000, POINT | SLOPES, PLUS},
    {"curves 32, 100 of 1000", CURVE, 31, 0, 1000, 100, POINT, 0},
    {"volumes 4, 27 of 16^3", VOLUME, 3, 0, 16, 27, POINT | SLOPES, QUICK},
    {"triangles 4, 28 of 64", TRIANGLE, 3, 0, 64, 28, POINT, 0},
    {"B-splines 4x4, 2 of 300x300", SURFACE, 3, 20, 300, 2, ALL - CURVATURE, QUICK},
    {"B-splines 8x8, 2 of 300x300", SURFACE, 7, 40, 300, 2, POINT, 0},
    {"B-spline curves 4, 10 of 10000", CURVE, 3, 100, 10000, 10, POINT | CURVATURE, 0},
    {"B-spline volume 4, 48^3", VOLUME, 3, 8, 48, 1, POINT, 0},
    {"list, 4x4", SURFACE, 3, 0, 0, 100, ALL, LIST | QUICK},
    {"list, 12x12", SURFACE, 11, 0, 0, 100, ALL, LIST},
    {"list, 32x32", SURFACE, 31, 0, 0, 100, POINT, LIST},
    {"list, curves 4", CURVE, 3, 0, 0, 100, POINT | CURVATURE, LIST},
    {"list, volumes 4", VOLUME, 3, 0, 0, 100, POINT | SLOPES, LIST},
    {"list, triangles 4", TRIANGLE, 3, 0, 0, 100, POINT, LIST},
    {"list, B-spline 4x4", SURFACE, 3, 20, 0, 1, POINT | NORMAL, LIST},
    {"list, B-spline 8x8", SURFACE, 7, 20, 0, 1, POINT, LIST},
    {"list, B-spline curve 4", CURVE, 3, 100, 0, 1, POINT, LIST},
    {"list, B-spline volume 4", VOLUME, 3, 8, 0, 1, POINT, LIST},
};

typedef struct patches_run {
    const processors *p;
    const patches_row *row;
    clsp_type precision;
    size_t directions, order, reals; /* reals: of all control points */
    void *points;
    clsp_patch_plan *plan;
    processors_list list;
    void *values, *slopes, *knots; /* of the loops */
    host_surfaces surfaces;
    host_loop_curves_job curves;
    host_list of_list;
} patches_run;

/* ---- the library ---- */

static clsp_status make_vertices(void *user, clsp_output out, const clsp_run *run)
{
    const patches_run *const r = user;
    const clsp_range all = {0, r->row->patches};
    const clsp_points *const at = out.buffer ? &r->list.device : &r->list.host;
    const bool is_list = (r->row->options & LIST) != 0;

    return is_list ? clsp_patch_eval_points(r->plan, at, out, run)
                   : clsp_patch_eval(r->plan, all, out, run);
}

static size_t power(size_t base, size_t exponent)
{
    return exponent ? base * power(base, exponent - 1) : 1;
}

/* Makes the first row of each patch's control points one point. */
static void collapse(const patches_run *r)
{
    const size_t real = clsp_type_bytes(r->precision), point = 3 * real;
    const size_t patch = point * r->order * r->order;

    for (size_t p = 0; p < r->row->patches; p++)
        for (size_t k = 1; k < r->order; k++)
            memcpy((char *)r->points + p * patch + k * point, (char *)r->points + p * patch, point);
}

static clsp_status make_points(patches_run *r)
{
    const size_t coords = r->row->options & (RATIONAL | PLUS) ? 4 : 3, order = r->order;
    const size_t patch = r->row->form == TRIANGLE ? order * (order + 1) / 2
                         : r->row->controls       ? power(r->row->controls, r->directions)
                                                  : power(order, r->directions);

    r->reals = r->row->patches * patch * coords;
    r->points = processors_numbers(r->precision, r->reals, 0.1); /* weights are positive, too */
    if (!r->points) return CLSP_ERROR_NO_MEMORY;
    if (r->row->options & COLLAPSED) collapse(r);
    return CLSP_OK;
}

/* Gives each patch of a plan of surfaces its own number of samples. */
static clsp_status set_own_grids(const patches_run *r)
{
    const size_t num = 2 * r->row->patches;
    uint32_t *const nums = malloc(num * sizeof *nums);

    if (!nums) return CLSP_ERROR_NO_MEMORY;
    for (size_t i = 0; i < num; i++)
        nums[i] = r->row->samples;
    const clsp_status status =
        clsp_patch_set_grids(r->plan, NULL, r->row->patches, clsp_in_u32(nums, num));
    free(nums);
    return status;
}

static clsp_status make_bezier(patches_run *r, const clsp_vertex_layout *vertex)
{
    const patches_row *const row = r->row;
    const clsp_axis axis = {.num = row->samples};
    const clsp_bezier_desc desc = {.form = row->form,
                                   .precision = r->precision,
                                   .degree = {row->degree, row->degree, row->degree},
                                   .axis = {axis, axis, axis},
                                   .dim = row->options & PLUS ? 4 : 3,
                                   .rational = (row->options & RATIONAL) != 0,
                                   .vertex = *vertex,
                                   .watertight = (row->options & WATERTIGHT) != 0};
    clsp_status status;

    BENCH_TRY(clsp_bezier_plan_create(&r->plan, r->p->b->ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(
        r->plan, row->patches, processors_input(r->precision, r->points, r->reals), NULL));
    if (row->options & OWN_GRIDS) BENCH_TRY(set_own_grids(r));

fail:
    return status;
}

static clsp_status make_bspline(patches_run *r, const clsp_vertex_layout *vertex)
{
    const patches_row *const row = r->row;
    const clsp_axis axis = {.num = row->samples};
    const clsp_bspline_desc desc = {.directions = (uint32_t)r->directions,
                                    .precision = r->precision,
                                    .degree = {row->degree, row->degree, row->degree},
                                    .num_controls = {row->controls, row->controls, row->controls},
                                    .axis = {axis, axis, axis},
                                    .rational = (row->options & RATIONAL) != 0,
                                    .vertex = *vertex};
    clsp_status status;

    BENCH_TRY(clsp_bspline_plan_create(&r->plan, r->p->b->ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(
        r->plan, row->patches, processors_input(r->precision, r->points, r->reals), NULL));

fail:
    return status;
}

/* ---- the loops ---- */

static clsp_status run_grid_loop(void *user)
{
    const patches_run *const r = user;

    return host_loop_run(&r->surfaces) ? CLSP_OK : CLSP_ERROR_NO_MEMORY;
}

static clsp_status run_curve_loop(void *user)
{
    const patches_run *const r = user;

    host_loop_curves(&r->curves);
    return CLSP_OK;
}

static clsp_status run_list_loop(void *user)
{
    const patches_run *const r = user;

    (!r->row->controls    ? host_list_bezier
     : r->directions == 1 ? host_list_curve
                          : host_list_surface)(&r->of_list);
    return CLSP_OK;
}

/* Makes a triangle's Bernstein values at the vertices of its grid, [controls][vertices], by which
   its vertices are a loop's over a curve. */
static void make_triangle_values(const patches_run *r, size_t vertices)
{
    const double last = r->row->samples - 1, degree = r->row->degree;
    size_t vertex = 0;

    for (double a = 0; a <= last; a++)
        for (double b = 0; a + b <= last; b++, vertex++) {
            size_t k = vertex;
            for (double i = 0; i <= degree; i++)
                for (double j = 0; i + j <= degree; j++, k += vertices)
                    bench_store(r->precision == CLSP_F64, r->values, k,
                                tgamma(degree + 1) /
                                    (tgamma(i + 1) * tgamma(j + 1) * tgamma(degree - i - j + 1)) *
                                    pow(a / last, i) * pow(b / last, j) *
                                    pow((last - a - b) / last, degree - i - j));
        }
}

/* Sets up the loop over grids of Bezier curves, surfaces and triangles. */
static clsp_status make_grid_loop(patches_run *r, processors_job *job, unsigned kind)
{
    const bool is_double = r->precision == CLSP_F64, is_triangle = r->row->form == TRIANGLE;
    const size_t side = r->row->samples, num = is_triangle ? side * (side + 1) / 2 : side;
    const size_t order = is_triangle ? r->order * (r->order + 1) / 2 : r->order;
    const size_t table = order * num * clsp_type_bytes(r->precision);

    if (r->row->form == VOLUME || r->row->controls || !(kind & (is_triangle ? POINT : FIRST)) ||
        r->order > LOOP_ORDER || (r->row->options & (RATIONAL | HALVES | WATERTIGHT)))
        return CLSP_OK;
    r->values = malloc(table);
    r->slopes = malloc(table);
    if (!r->values || !r->slopes) return CLSP_ERROR_NO_MEMORY;
    if (is_triangle)
        make_triangle_values(r, num);
    else
        bench_bernstein_tables(order, num, is_double, r->values, r->slopes);
    r->surfaces = (host_surfaces){.order = r->order,
                                  .num = num,
                                  .patches = r->row->patches,
                                  .is_double = is_double,
                                  .has_normals = kind == NORMAL,
                                  .has_derivatives = kind == SLOPES,
                                  .points = r->points,
                                  .values = r->values,
                                  .slopes = r->slopes,
                                  .out = r->p->memory};
    r->curves = (host_loop_curves_job){.order = order,
                                       .num = num,
                                       .curves = r->row->patches,
                                       .dim = r->row->options & PLUS ? 4 : 3,
                                       .is_double = is_double,
                                       .has_derivatives = kind == SLOPES,
                                       .points = r->points,
                                       .values = r->values,
                                       .slopes = r->slopes,
                                       .out = r->p->memory};
    job->loop = r->row->form == CURVE || is_triangle ? run_curve_loop : run_grid_loop;
    return CLSP_OK;
}

/* Sets up the loop over lists: of Bezier and B-spline surfaces and of B-spline curves. */
static clsp_status make_list_loop(patches_run *r, processors_job *job, unsigned kind)
{
    const size_t controls = r->row->controls;
    const bool is_double = r->precision == CLSP_F64;

    if ((r->row->options & RATIONAL) || r->order > HOST_LIST_ORDER ||
        !(kind == POINT || (kind == SLOPES && r->directions == 2)) ||
        (controls ? r->directions == 3 : r->row->form != SURFACE))
        return CLSP_OK;
    r->knots = malloc((controls + r->order) * sizeof(double));
    if (!r->knots) return CLSP_ERROR_NO_MEMORY;
    if (controls) bench_clamped_knots(r->order, controls, is_double, r->knots);
    r->of_list = (host_list){.is_double = is_double,
                             .has_derivatives = kind == SLOPES,
                             .num = PROCESSORS_LIST,
                             .item = r->list.item,
                             .params = r->list.params,
                             .points = r->points,
                             .out = r->p->memory,
                             .order = r->order,
                             .controls = controls,
                             .knots = r->knots};
    job->loop = run_list_loop;
    return CLSP_OK;
}

/* ---- rows ---- */

static void release(patches_run *r)
{
    clsp_patch_plan_destroy(&r->plan);
    processors_list_release(&r->list);
    free(r->points);
    free(r->values);
    free(r->slopes);
    free(r->knots);
}

static clsp_status run_case(const processors *p, const patches_row *row, size_t kind,
                            clsp_type precision)
{
    const bool is_list = (row->options & LIST) != 0;
    patches_run r = {.p = p, .row = row, .precision = precision, .order = row->degree + 1};
    processors_job job = {.precision = precision, .call = make_vertices, .user = &r};
    clsp_status status;

    r.directions = row->form == CURVE ? 1 : row->form == VOLUME ? 3 : 2;
    job.type = row->options & HALVES ? CLSP_F16 : precision;
    job.points =
        is_list ? PROCESSORS_LIST : (double)(row->patches * power(row->samples, r.directions));
    snprintf(job.name, sizeof job.name, "%s%s", row->name, kinds[kind].name);
    if (!bench_wants(p->b, job.name)) return CLSP_OK;
    const clsp_vertex_layout vertex = {.attributes = kinds[kind].attributes[r.directions - 1],
                                       .type = job.type};
    BENCH_TRY(make_points(&r));
    BENCH_TRY(row->controls ? make_bspline(&r, &vertex) : make_bezier(&r, &vertex));
    if (is_list)
        BENCH_TRY(processors_list_create(&r.list, p->b, precision, r.directions, row->patches));
    BENCH_TRY((is_list ? make_list_loop : make_grid_loop)(&r, &job, kinds[kind].kind));
    BENCH_TRY(processors_measure(p, &job));

fail:
    release(&r);
    return bench_check(status, job.name);
}

clsp_status processors_patches_run(const processors *p)
{
    clsp_status status = CLSP_OK;

    for (clsp_type t = CLSP_F32; t <= CLSP_F64; t++)
        for (size_t i = 0; i < BENCH_COUNT(rows) && p->b->wanted[t]; i++)
            for (size_t k = 0; k < BENCH_COUNT(kinds); k++)
                if ((rows[i].kinds & kinds[k].kind) &&
                    (!p->b->quick || (t == CLSP_F32 && (rows[i].options & QUICK))))
                    BENCH_TRY(run_case(p, &rows[i], k, t));

fail:
    return status;
}
