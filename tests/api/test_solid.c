/* Solids through the public calls: meshes, refinement, points and derivatives of cells of every
   kind against explicit subdivision, weights, ranges, memory and wrong arguments. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clspline/clspline.h>

#include "memory_fixture.h"
#include "solid_cases.h"
#include "solid_ref.h"
#include "../support.h"

static clsp_context *ctx;

/* A mesh, and its points with so many channels: x, y, z and others. */
typedef struct model {
    clsp_solid_mesh *mesh;
    clsp_solid_counts counts;
    uint32_t channels;
    double *points;   /* [vertices][channels] */
    uint32_t *corner; /* [cells][8], by bits */
    const uint32_t *crease;
    size_t num_creases;
    double scale;
} model;

static clsp_solid_mesh *mesh_of(const solid_case *solid)
{
    const clsp_solid_cells cells = {.num_vertices = solid->num_points,
                                    .num_cells = solid->num_cells,
                                    .index = solid->cell,
                                    .num_indices = 8 * solid->num_cells,
                                    .crease = solid->crease,
                                    .num_creases = solid->num_creases};
    clsp_solid_mesh *mesh;

    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    return mesh;
}

/* Gives a case's points a number of channels. Coordinates are exact in float. */
static model model_of(const solid_case *solid, uint32_t channels)
{
    static const uint8_t place[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    model m = {.mesh = mesh_of(solid),
               .channels = channels,
               .crease = solid->crease,
               .num_creases = solid->num_creases};

    assert_ok(ctx, clsp_solid_mesh_counts(m.mesh, &m.counts));
    m.points = malloc(m.counts.num_vertices * channels * sizeof *m.points);
    m.corner = malloc(m.counts.num_cells * 8 * sizeof *m.corner);
    for (size_t i = 0; i < m.counts.num_vertices * channels; i++) {
        const double x = solid->point[3 * (i / channels) + i % channels % 3];
        m.points[i] = (float)(i % channels < 3 ? x : x * x);
        m.scale = fmax(m.scale, fabs(m.points[i]));
    }
    for (size_t i = 0; i < 8 * m.counts.num_cells; i++)
        m.corner[i - i % 8 + place[i % 8]] = solid->cell[i];
    return m;
}

static void free_model(model *m)
{
    clsp_solid_mesh_destroy(&m->mesh);
    free(m->points);
    free(m->corner);
}

/* The limit of three channels, from `first` on. */
static void exact_limit(const model *m, size_t cell, const long double t[3], const unsigned by[3],
                        uint32_t first, long double limit[3])
{
    double *const points = calloc(3 * m->counts.num_vertices, sizeof *points);
    const ref_solid ref = {.num_cells = m->counts.num_cells,
                           .cell = m->corner,
                           .point = points,
                           .num_creases = m->num_creases,
                           .crease = m->crease};

    for (size_t i = 0; i < 3 * m->counts.num_vertices; i++)
        if (first + i % 3 < m->channels) points[i] = m->points[i / 3 * m->channels + first + i % 3];
    if (by[0] + by[1] + by[2] == 0)
        ref_solid_limit(&ref, cell, t, 48, limit);
    else
        ref_solid_derivative(&ref, cell, t, by, 0x1p-9L, limit);
    free(points);
}

/* ---- evaluation ---- */

static clsp_solid_plan *plan_of(const model *m, const clsp_solid_desc *desc)
{
    const size_t num = m->counts.num_vertices * m->channels;
    clsp_solid_plan *plan;

    assert_ok(ctx, clsp_solid_plan_create(&plan, m->mesh, desc));
    if (desc->precision == CLSP_F64) {
        assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f64(m->points, num), NULL));
    } else {
        float *const narrow = malloc(num * sizeof *narrow);
        for (size_t i = 0; i < num; i++)
            narrow[i] = (float)m->points[i];
        assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(narrow, num), NULL));
        free(narrow);
    }
    return plan;
}

/* Evaluates into doubles. */
static double *eval_all(clsp_solid_plan *plan, clsp_range cells, const uint32_t *by, size_t reals)
{
    const size_t num = cells.count * reals;
    double *const all = malloc((num + 1) * sizeof *all);
    clsp_solid_desc desc;

    assert_ok(ctx, clsp_solid_plan_desc(plan, &desc));
    if (desc.precision == CLSP_F64) {
        assert_ok(ctx, clsp_solid_eval(plan, cells, by, clsp_out_f64(all, num), NULL));
    } else {
        float *const narrow = malloc((num + 1) * sizeof *narrow);
        assert_ok(ctx, clsp_solid_eval(plan, cells, by, clsp_out_f32(narrow, num), NULL));
        for (size_t i = 0; i < num; i++)
            all[i] = narrow[i];
        free(narrow);
    }
    return all;
}

static double sample_at(const clsp_axis *axis, uint32_t a)
{
    const double last = axis->num > 1 ? axis->num - 1.0 : 1.0;
    return (axis->begin * (last - a) + axis->end * a) / last;
}

/* Checks one sample of every `every`th cell, another one in each; returns the worst error of scale.
 */
static double check_samples(const model *m, const clsp_solid_desc *d, const double *all,
                            const uint32_t by[3], size_t every)
{
    const uint32_t *const orders = by;
    const size_t samples = (size_t)d->axis[0].num * d->axis[1].num * d->axis[2].num;
    double worst = 0.0;
    uint64_t seed = 1;

    for (size_t c = support_random(&seed) % every; c < m->counts.num_cells; c += every) {
        const size_t s = support_random(&seed) % samples;
        const uint32_t at[3] = {(uint32_t)(s / d->axis[2].num / d->axis[1].num),
                                (uint32_t)(s / d->axis[2].num % d->axis[1].num),
                                (uint32_t)(s % d->axis[2].num)};
        const unsigned ref_by[3] = {orders[0], orders[1], orders[2]};
        long double t[3], limit[3];
        for (uint32_t a = 0; a < 3; a++)
            t[a] = sample_at(&d->axis[a], at[a]);
        for (uint32_t first = 0; first < m->channels; first += 3) {
            exact_limit(m, c, t, ref_by, first, limit);
            for (uint32_t k = 0; k < 3 && first + k < m->channels; k++)
                worst = fmax(worst, fabs(all[(c * samples + s) * m->channels + first + k] -
                                         (double)limit[k]));
        }
    }
    return worst / m->scale;
}

/* Evaluates a case and checks it. */
static void check_case(const char *name, const solid_case *solid, uint32_t channels,
                       const clsp_axis axis[3], size_t every)
{
    static const uint32_t orders[3][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 1}};
    const clsp_device_info device = support_device();

    for (uint32_t wide = 0; wide <= device.fp64; wide++)
        for (uint32_t i = 0; i < (axis[0].begin > 0.0 ? 3u : 1u); i++) {
            model m = model_of(solid, channels);
            const clsp_solid_desc desc = {.precision = wide ? CLSP_F64 : CLSP_F32,
                                          .channels = channels,
                                          .axis = {axis[0], axis[1], axis[2]}};
            clsp_solid_plan *plan = plan_of(&m, &desc);
            clsp_solid_desc d;
            assert_ok(ctx, clsp_solid_plan_desc(plan, &d));
            const size_t reals = (size_t)d.axis[0].num * d.axis[1].num * d.axis[2].num * channels;
            double *const all =
                eval_all(plan, (clsp_range){0, m.counts.num_cells}, orders[i], reals);
            const double worst = check_samples(&m, &d, all, orders[i], every);
            const double bound = wide ? (i ? 1e-10 : 1e-12) : (i ? 1e-5 : 1.5e-7);
            print_message("%s, %u channels, f%u, order %u: %.2g / %.2g of scale\n", name, channels,
                          wide ? 64 : 32, i, worst, bound);
            assert_true(worst <= bound);
            free(all);
            clsp_solid_plan_destroy(&plan);
            free_model(&m);
        }
}

static const clsp_axis four[3] = {{4, 0, 1}, {4, 0, 1}, {4, 0, 1}};
static const clsp_axis odd[3] = {{3, 0, 1}, {1, 0.25, 0.5}, {5, 1, 0}};
static const clsp_axis inner[3] = {{2, 0.3125, 0.7}, {3, 0.2, 0.59}, {2, 0.8, 0.1875}};
static const clsp_axis large[3] = {{9, 0, 1}, {9, 0, 1}, {9, 0, 1}};

static void test_points(void **state)
{
    (void)state;
    for (uint32_t sectors = 3; sectors < 7; sectors++) {
        solid_case prism = solid_prism(sectors, sectors % 2, 3);
        if (sectors == 6) solid_crease(&prism, 0.5);
        solid_jitter(&prism, 0.15, sectors);
        check_case("prism", &prism, 3, four, 3);
        if (sectors == 5) {
            check_case("prism", &prism, 3, odd, 5);
            check_case("prism", &prism, 1, large, 9);
            check_case("prism", &prism, 3, inner, 9);
            check_case("prism", &prism, 5, four, 9);
        }
        solid_free(&prism);
    }
    solid_case box = solid_box(2, 2, 6);
    check_case("box", &box, 3, four, 2);
    check_case("box", &box, 4, odd, 2);
    solid_free(&box);
}

/* Far from the origin, where control points relative to their cell's centre count. */
static void test_far(void **state)
{
    solid_case prism = solid_prism(5, 1, 3);

    (void)state;
    for (size_t i = 0; i < 3 * prism.num_points; i++)
        prism.point[i] += 1000.0;
    check_case("far prism", &prism, 3, four, 3);
    solid_free(&prism);
}

static void test_models(void **state)
{
    static const char *const names[] = {"rod.vtk", "mount1.vtk"};

    (void)state;
    for (size_t i = 0; i < 2 && !support_tiny(); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", DATA_FOLDER, names[i]);
        solid_case solid = solid_read_vtk(path);
        assert_int_not_equal(solid.num_cells, 0);
        check_case(names[i], &solid, 3, four, i ? 149 : 41);
        solid_free(&solid);
    }
}

/* Float against double at all samples of all cells, where cells are as large as the solid. */
static void test_float(void **state)
{
    static const clsp_axis six[3] = {{6, 0, 1}, {6, 0, 1}, {6, 0, 1}};
    double worst = 0.0;

    (void)state;
    if (!support_device().fp64) skip_because("no double precision");
    for (uint32_t i = 0; i < 10; i++) {
        solid_case prism = solid_prism(1 + i / 2, 0, 3);
        if (i % 2) solid_crease(&prism, 0.6);
        model m = model_of(&prism, 3);
        double *all[2];
        for (uint32_t wide = 0; wide < 2; wide++) {
            const clsp_solid_desc desc = {.precision = wide ? CLSP_F64 : CLSP_F32,
                                          .axis = {six[0], six[1], six[2]}};
            clsp_solid_plan *plan = plan_of(&m, &desc);
            all[wide] = eval_all(plan, (clsp_range){0, m.counts.num_cells}, NULL, 3 * 216);
            clsp_solid_plan_destroy(&plan);
        }
        for (size_t k = 0; k < m.counts.num_cells * 3 * 216; k++)
            worst = fmax(worst, fabs(all[0][k] - all[1][k]) / m.scale);
        free(all[0]);
        free(all[1]);
        free_model(&m);
        solid_free(&prism);
    }
    print_message("worst difference: %.2g / 1.5e-07 of scale\n", worst);
    assert_true(worst <= 1.5e-7);
}

/* ---- ranges and memory ---- */

/* Parts of a batch, and buffers at an offset, have the same bits. */
static void test_ranges(void **state)
{
    solid_case prism = solid_prism(5, 1, 3);
    model m = model_of(&prism, 3);
    const clsp_solid_desc desc = {.channels = 3};
    clsp_solid_plan *plan = plan_of(&m, &desc);
    const size_t reals = 64 * 3, num = m.counts.num_cells;
    double *const all = eval_all(plan, (clsp_range){0, num}, NULL, reals);
    const clsp_range parts[] = {{0, 1}, {1, 7}, {num - 1, 1}, {num, 0}, {5, num - 5}};

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double *const some = eval_all(plan, parts[i], NULL, reals);
        assert_memory_equal(some, all + parts[i].first * reals,
                            parts[i].count * reals * sizeof *some);
        free(some);
    }
    for (store_kind kind = HOST; kind < STORE_KINDS; kind++) {
        const clsp_range cells = {2, 9};
        if (!has_kind(ctx, kind)) continue;
        store out = store_make(ctx, kind, CLSP_F32, 5, cells.count * reals, NULL);
        assert_ok(ctx, clsp_solid_eval(plan, cells, NULL, store_out(&out), NULL));
        const float *const got = (const float *)(const void *)store_read(&out);
        for (size_t k = 0; k < cells.count * reals; k++)
            assert_true(got[k] == (float)all[cells.first * reals + k]);
        store_free(&out);
    }
    free(all);
    clsp_solid_plan_destroy(&plan);
    free_model(&m);
    solid_free(&prism);
}

/* Weights by themselves give the same points. */
static void test_weights(void **state)
{
    solid_case prism = solid_prism(5, 1, 3);
    if (!support_device().fp64) skip_because("no double precision");
    solid_crease(&prism, 0.5);
    model m = model_of(&prism, 3);
    const clsp_solid_desc desc = {.precision = CLSP_F64, .axis = {four[0], four[1], four[2]}};
    clsp_solid_plan *plan = plan_of(&m, &desc);
    double *const all = eval_all(plan, (clsp_range){0, m.counts.num_cells}, NULL, 64 * 3);
    uint32_t vertices[512];
    double weights[512], worst = 0.0;

    (void)state;
    for (size_t c = 0; c < m.counts.num_cells; c++)
        for (uint32_t s = (uint32_t)c % 3; s < 64; s += 7) {
            const clsp_solid_param param = {
                .cell = c,
                .t = {sample_at(four, s / 16), sample_at(four, s / 4 % 4), sample_at(four, s % 4)}};
            size_t num = 512;
            assert_ok(ctx, clsp_solid_weights(plan, &param, vertices, weights, &num));
            for (uint32_t k = 0; k < 3; k++) {
                double sum = 0.0;
                for (size_t i = 0; i < num; i++)
                    sum += weights[i] * m.points[3 * vertices[i] + k];
                worst = fmax(worst, fabs(sum - all[(c * 64 + s) * 3 + k]));
            }
            size_t few = num - 1;
            assert_status(ctx, clsp_solid_weights(plan, &param, vertices, weights, &few),
                          CLSP_ERROR_BUFFER_SIZE);
            assert_int_equal(few, num);
        }
    assert_true(worst <= 1e-13 * m.scale);
    free(all);
    clsp_solid_plan_destroy(&plan);
    free_model(&m);
    solid_free(&prism);
}

/* ---- lists of points ---- */

/* Parameters of the samples of all cells, last ones first, as a list: the same points as on the
   grid. */
static void check_list(clsp_type precision, const uint32_t by[3], store_kind kind)
{
    solid_case prism = solid_prism(5, 1, 3);
    model m = model_of(&prism, 3);
    const clsp_solid_desc desc = {.precision = precision, .axis = {odd[0], odd[1], odd[2]}};
    clsp_solid_plan *plan = plan_of(&m, &desc);
    const size_t num = 15 * m.counts.num_cells, real = clsp_type_bytes(precision);
    double *const grid = eval_all(plan, (clsp_range){0, m.counts.num_cells}, by, 45), worst = 0.0;
    uint32_t *const cells = malloc(num * sizeof *cells);
    char *const params = malloc(3 * num * real);

    for (size_t i = 0; i < num; i++) {
        const size_t s = (num - 1 - i) % 15;
        const double t[3] = {sample_at(&odd[0], (uint32_t)s / 5), 0.25,
                             sample_at(&odd[2], (uint32_t)s % 5)};
        cells[i] = (uint32_t)((num - 1 - i) / 15);
        for (size_t a = 0; a < 3; a++) {
            const float narrow = (float)t[a];
            memcpy(params + (3 * i + a) * real, real == 8 ? (const void *)&t[a] : &narrow, real);
        }
    }
    store in[2] = {store_make(ctx, kind, CLSP_U32, 3, num, cells),
                   store_make(ctx, kind, precision, 1, 3 * num, params)};
    store out = store_make(ctx, kind, precision, 2, 3 * num, NULL);
    const clsp_solid_points points = {
        .num = num, .cells = store_in(&in[0]), .params = store_in(&in[1])};
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, by, store_out(&out), NULL));
    const unsigned char *const got = store_read(&out);
    for (size_t i = 0; i < 3 * num; i++) {
        const double wanted = grid[3 * (num - 1 - i / 3) + i % 3];
        const double value = real == 8 ? ((const double *)(const void *)got)[i]
                                       : ((const float *)(const void *)got)[i];
        worst = fmax(worst, fabs(value - wanted));
    }
    assert_true(worst <= (by ? 16.0 : 1.0) * (real == 8 ? 1e-14 : 3e-7) * m.scale);
    store_free(&in[0]);
    store_free(&in[1]);
    store_free(&out);
    free(grid);
    free(cells);
    free(params);
    clsp_solid_plan_destroy(&plan);
    free_model(&m);
    solid_free(&prism);
}

static void test_lists(void **state)
{
    static const uint32_t by[3] = {0, 0, 1};

    (void)state;
    for (store_kind kind = HOST; kind < STORE_KINDS; kind++) {
        if (!has_kind(ctx, kind)) continue;
        check_list(CLSP_F32, kind == HOST ? by : NULL, kind);
        if (support_device().fp64) check_list(CLSP_F64, NULL, kind);
    }
}

/* Parameters outside of a cell count as its end; what is no parameter gives NaN. */
static void test_odd_lists(void **state)
{
    static const uint32_t cells[5] = {0, 1, 2, 1, UINT32_MAX};
    static const float params[15] = {-3.0f, 0, 0, NAN, 0, 0, 0, 0, 0, 1, 1, HUGE_VALF, 0, 0, 0};
    solid_case box = solid_box(2, 1, 1);
    model m = model_of(&box, 3);
    const clsp_solid_desc desc = {.axis = {{2, 0, 1}, {2, 0, 1}, {2, 0, 1}}};
    clsp_solid_plan *plan = plan_of(&m, &desc);
    clsp_solid_points points = {
        .num = 5, .cells = clsp_in_u32(cells, 5), .params = clsp_in_f32(params, 15)};
    float out[15];
    double *const corners = eval_all(plan, (clsp_range){0, 2}, NULL, 24);

    (void)state;
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, NULL, clsp_out_f32(out, 15), NULL));
    for (size_t k = 0; k < 3; k++) {
        assert_true(fabs(out[k] - corners[k]) <= 1e-6);
        assert_true(isnan(out[3 + k]) && isnan(out[6 + k]) && isnan(out[12 + k]));
        assert_true(fabs(out[9 + k] - corners[45 + k]) <= 1e-6);
    }
    assert_status(ctx, clsp_solid_eval_points(plan, &points, NULL, clsp_out_f32(out, 14), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clsp_solid_eval_points(plan, NULL, NULL, clsp_out_f32(out, 15), NULL),
                  CLSP_ERROR_ARGUMENT);
    points.params = clsp_in_f32(params, 14);
    assert_status(ctx, clsp_solid_eval_points(plan, &points, NULL, clsp_out_f32(out, 15), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    points.num = 0;
    assert_ok(ctx, clsp_solid_eval_points(plan, &points, NULL, clsp_out_f32(out, 0), NULL));
    points.reserved[0] = 1;
    assert_status(ctx, clsp_solid_eval_points(plan, &points, NULL, clsp_out_f32(out, 0), NULL),
                  CLSP_ERROR_ARGUMENT);
    free(corners);
    clsp_solid_plan_destroy(&plan);
    free_model(&m);
    solid_free(&box);
}

/* ---- meshes ---- */

/* Limits do not change when a mesh is refined: corners of cells are those of children. */
static void test_refine(void **state)
{
    static const uint8_t vtk[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    static const clsp_axis ends[3] = {{2, 0, 1}, {2, 0, 1}, {2, 0, 1}};
    solid_case prism = solid_prism(5, 1, 2);
    solid_jitter(&prism, 0.15, 3);
    model m = model_of(&prism, 3), fine = {.channels = 3};
    const clsp_solid_desc desc = {.axis = {ends[0], ends[1], ends[2]}};

    (void)state;
    assert_ok(ctx, clsp_solid_mesh_refine(&fine.mesh, m.mesh));
    assert_ok(ctx, clsp_solid_mesh_counts(fine.mesh, &fine.counts));
    assert_int_equal(fine.counts.num_cells, 8 * m.counts.num_cells);
    fine.points = malloc(3 * fine.counts.num_vertices * sizeof *fine.points);
    fine.corner = malloc(8 * fine.counts.num_cells * sizeof *fine.corner);
    assert_ok(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_TENSOR, 3,
                                            clsp_in_f64(m.points, 3 * m.counts.num_vertices),
                                            clsp_out_f64(fine.points, 3 * fine.counts.num_vertices),
                                            NULL));
    assert_ok(ctx, clsp_solid_mesh_cells(fine.mesh,
                                         clsp_out_u32(fine.corner, 8 * fine.counts.num_cells)));
    for (size_t c = 0; c < m.counts.num_cells; c++)
        for (uint32_t j = 0; j < 8; j++)
            assert_int_equal(fine.corner[64 * c + 8 * j + vtk[j]], m.corner[8 * c + j]);
    clsp_solid_plan *one = plan_of(&m, &desc), *two = plan_of(&fine, &desc);
    double *const a = eval_all(one, (clsp_range){0, m.counts.num_cells}, NULL, 24);
    double *const b = eval_all(two, (clsp_range){0, fine.counts.num_cells}, NULL, 24);
    for (size_t c = 0; c < m.counts.num_cells; c++)
        for (uint32_t j = 0; j < 8; j++) /* bits of u, v, w are those of a sample, turned around */
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t s = (j & 1) << 2 | (j & 2) | j >> 2;
                assert_true(fabs(a[(c * 8 + s) * 3 + k] - b[((8 * c + j) * 8 + s) * 3 + k]) <
                            3e-7 * m.scale);
            }
    free(a);
    free(b);
    clsp_solid_plan_destroy(&one);
    clsp_solid_plan_destroy(&two);
    free_model(&m);
    free_model(&fine);
    solid_free(&prism);
}

/* Tetrahedra become hexahedra by a refinement, before which they have no plan. */
static void test_tetrahedra(void **state)
{
    static const uint32_t index[] = {0, 1, 2, 3, 1, 2, 3, 4};
    static const uint8_t kinds[] = {CLSP_TETRAHEDRON, CLSP_TETRAHEDRON};
    static const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    const clsp_solid_cells cells = {
        .num_vertices = 5, .num_cells = 2, .kinds = kinds, .index = index, .num_indices = 8};
    const clsp_solid_desc desc = {.channels = 3};
    clsp_solid_mesh *mesh, *fine;
    clsp_solid_plan *plan;
    clsp_solid_counts counts;
    float moved[3 * 64], limits[8 * 64 * 3];

    (void)state;
    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    assert_ok(ctx, clsp_solid_mesh_counts(mesh, &counts));
    assert_int_equal(counts.is_hexahedral, 0);
    assert_int_equal(counts.num_faces, 7);
    assert_int_equal(counts.num_edges, 9);
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &desc), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_mesh_cells(mesh, clsp_out_u32((uint32_t[8]){0}, 8)),
                  CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_solid_mesh_refine(&fine, mesh));
    assert_ok(ctx, clsp_solid_mesh_counts(fine, &counts));
    assert_int_equal(counts.num_cells, 8);
    assert_int_equal(counts.num_vertices, 5 + 9 + 7 + 2);
    assert_ok(ctx, clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, 3, clsp_in_f32(points, 15),
                                            clsp_out_f32(moved, 3 * 23), NULL));
    assert_ok(ctx, clsp_solid_plan_create(&plan, fine, &desc));
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&fine);
    assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(moved, 3 * 23), NULL));
    assert_ok(ctx, clsp_solid_eval(plan, (clsp_range){0, 8}, NULL, clsp_out_f32(limits, 8 * 64 * 3),
                                   NULL));
    for (size_t i = 0; i < 8 * 64 * 3; i++)
        assert_true(limits[i] >= 0.0f && limits[i] <= 1.0f);
    clsp_solid_plan_destroy(&plan);
}

/* Points by every method against those of cells, of the mesh with all kinds and of a prism. */
static void check_methods(const solid_case *solid, const clsp_axis axis[3], uint32_t channels,
                          clsp_type precision)
{
    static const uint32_t by[3] = {0, 1, 0};
    model m = model_of(solid, channels);
    const size_t reals = (size_t)axis[0].num * axis[1].num * axis[2].num * channels;
    const size_t num = m.counts.num_cells;
    double *values[2] = {NULL, NULL};

    for (int method = CLSP_SOLID_CELLS; method <= CLSP_SOLID_HYBRID; method++) {
        const clsp_solid_desc desc = {.precision = precision,
                                      .channels = channels,
                                      .axis = {axis[0], axis[1], axis[2]},
                                      .method = (clsp_solid_method)method};
        clsp_solid_plan *plan = NULL;
        if (clsp_solid_plan_create(&plan, m.mesh, &desc) == CLSP_ERROR_ARGUMENT) {
            assert_true(method >= CLSP_SOLID_GROUP); /* groups are smaller than 32 */
            continue;
        }
        clsp_solid_plan_destroy(&plan);
        plan = plan_of(&m, &desc);
        for (int i = 0; i < 2; i++) {
            const uint32_t *const orders = i ? by : NULL;
            double *const all = eval_all(plan, (clsp_range){0, num}, orders, reals);
            double *const some = eval_all(plan, (clsp_range){num / 3, num / 2}, orders, reals);
            double worst = 0.0, size = m.scale;
            assert_memory_equal(some, all + num / 3 * reals, num / 2 * reals * sizeof *all);
            for (size_t k = 0; k < num * reals && values[i]; k++) {
                size = fmax(size, fabs(values[i][k]));
                worst = fmax(worst, fabs(all[k] - values[i][k]));
            }
            if (values[i] && worst > (precision == CLSP_F64 ? 2e-13 : 1e-6) * size)
                fail_msg("method %d, order %d: %.3g of %.3g", method, i, worst, size);
            free(some);
            if (values[i])
                free(all);
            else
                values[i] = all;
        }
        clsp_solid_plan_destroy(&plan);
    }
    free(values[0]);
    free(values[1]);
    free_model(&m);
}

static void test_methods(void **state)
{
    solid_case prism = solid_prism(5, 1, 3), box = solid_box(2, 2, 3);
    const clsp_device_info device = support_device();

    (void)state;
    check_methods(&prism, inner, 3, CLSP_F32);
    check_methods(&box, large, 2, CLSP_F32);
    if (device.fp64) check_methods(&prism, inner, 5, CLSP_F64);
    solid_free(&prism);
    solid_free(&box);
}

/* The classes of the box of 2 x 2 x 6 cells. */
static void test_classes(void **state)
{
    solid_case box = solid_box(2, 2, 6);
    model m = model_of(&box, 3);
    const clsp_solid_desc desc = {.channels = 3};
    clsp_solid_plan *plan = plan_of(&m, &desc);
    clsp_solid_class classes[64];
    size_t num, layered = 0, irregular = 0;

    (void)state;
    assert_ok(ctx, clsp_solid_classes(plan, classes, 64, &num));
    assert_in_range(num, 3, 64);
    assert_int_equal(classes[0].num_cells, 0);
    for (size_t i = 1; i < num; i++) {
        if (classes[i].kind == CLSP_SOLID_LAYERED) layered += classes[i].num_cells;
        if (classes[i].kind == CLSP_SOLID_IRREGULAR) irregular += classes[i].num_cells;
    }
    assert_int_equal(layered, 16);
    assert_int_equal(irregular, 8);
    uint32_t of[24], counts[64] = {0};
    assert_ok(ctx, clsp_solid_cell_classes(plan, (clsp_range){0, 11}, clsp_out_u32(of, 11)));
    assert_ok(ctx, clsp_solid_cell_classes(plan, (clsp_range){11, 13}, clsp_out_u32(of + 11, 13)));
    for (size_t c = 0; c < 24; c++)
        counts[of[c]]++;
    for (size_t i = 0; i < num; i++)
        assert_int_equal(counts[i], classes[i].num_cells);
    clsp_solid_plan_destroy(&plan);
    free_model(&m);
    solid_free(&box);
}

/* ---- wrong arguments ---- */

static void test_bad_plans(void **state)
{
    solid_case box = solid_box(1, 1, 1);
    clsp_solid_mesh *mesh = mesh_of(&box);
    const clsp_solid_desc good = {.channels = 3};
    clsp_solid_desc bad[6] = {good, good, good, good, good, good};
    clsp_solid_plan *plan = (clsp_solid_plan *)(void *)&good;

    (void)state;
    bad[0].precision = CLSP_U8;
    bad[1].channels = CLSP_SOLID_MAX_CHANNELS + 1;
    bad[2].axis[1].num = CLSP_SOLID_MAX_SAMPLES + 1;
    bad[3].axis[2] = (clsp_axis){3, 0.0, 1.5};
    bad[4].reserved[6] = 1;
    for (uint32_t a = 0; a < 3; a++)
        bad[5].axis[a].num = 512;
    for (size_t i = 0; i < 6; i++) {
        assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &bad[i]), CLSP_ERROR_ARGUMENT);
        assert_null(plan);
    }
    bad[0] = good;
    bad[0].method = (clsp_solid_method)(CLSP_SOLID_HYBRID + 1);
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &bad[0]), CLSP_ERROR_ARGUMENT);
    bad[0] = good;
    bad[0].axis[0] = (clsp_axis){3, NAN, 1.0};
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, &bad[0]), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_plan_create(NULL, mesh, &good), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_plan_create(&plan, NULL, &good), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_plan_create(&plan, mesh, NULL), CLSP_ERROR_ARGUMENT);
    clsp_solid_plan_destroy(NULL);
    clsp_solid_mesh_destroy(&mesh);
    clsp_solid_mesh_destroy(&mesh);
    solid_free(&box);
}

static void test_bad_calls(void **state)
{
    static const uint32_t third[3] = {2, 1, 0}, huge[3] = {UINT32_MAX, UINT32_MAX, 3};
    solid_case box = solid_box(2, 1, 1);
    model m = model_of(&box, 3);
    const clsp_solid_desc desc = {.channels = 3};
    clsp_solid_param param = {.cell = 2};
    clsp_solid_plan *plan;
    float points[36], out[2 * 64 * 3];
    const clsp_output all = clsp_out_f32(out, 2 * 64 * 3);
    size_t num = 0;

    (void)state;
    for (size_t i = 0; i < 36; i++)
        points[i] = (float)m.points[i];
    assert_ok(ctx, clsp_solid_plan_create(&plan, m.mesh, &desc));
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 2}, NULL, all, NULL),
                  CLSP_ERROR_STATE);
    assert_status(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(points, 35), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clsp_solid_set_control_points(plan, clsp_in_f64(m.points, 36), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_set_control_points(NULL, clsp_in_f32(points, 36), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f32(points, 36), NULL));
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 3}, NULL, all, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){3, 0}, NULL, all, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 2}, third, all, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_eval(plan, (clsp_range){0, 2}, huge, all, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_eval(plan, (clsp_range){0, 2}, NULL, clsp_out_f32(out, 383), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx, clsp_solid_eval(NULL, (clsp_range){0, 2}, NULL, all, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_weights(plan, &param, NULL, NULL, &num), CLSP_ERROR_ARGUMENT);
    param = (clsp_solid_param){.t = {0, 0, 1.1}};
    assert_status(ctx, clsp_solid_weights(plan, &param, NULL, NULL, &num), CLSP_ERROR_ARGUMENT);
    param = (clsp_solid_param){.by = {3, 0, 0}};
    assert_status(ctx, clsp_solid_weights(plan, &param, NULL, NULL, &num), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_solid_eval(plan, (clsp_range){0, 2}, NULL, all, NULL));
    clsp_solid_plan_destroy(&plan);
    free_model(&m);
    solid_free(&box);
}

static void test_bad_meshes(void **state)
{
    solid_case box = solid_box(2, 1, 1);
    clsp_solid_cells cells = {
        .num_vertices = 12, .num_cells = 2, .index = box.cell, .num_indices = 16};
    clsp_solid_mesh *mesh = mesh_of(&box);
    double points[36] = {0}, fine[3 * 45];

    (void)state;
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 0, clsp_in_f64(points, 36),
                                           clsp_out_f64(fine, 135), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, (clsp_solid_rule)2, 3, clsp_in_f64(points, 36),
                                           clsp_out_f64(fine, 135), NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 3, clsp_in_f64(points, 35),
                                           clsp_out_f64(fine, 135), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_status(ctx,
                  clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 3, clsp_in_f64(points, 36),
                                           clsp_out_f64(fine, 134), NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_ok(ctx, clsp_solid_refine_points(mesh, CLSP_SOLID_JOY, 3, clsp_in_f64(points, 36),
                                            clsp_out_f64(fine, 135), NULL));
    clsp_solid_mesh_destroy(&mesh);
    cells.num_vertices = 11;
    assert_status(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells), CLSP_ERROR_ARGUMENT);
    assert_null(mesh);
    cells.num_vertices = 12;
    cells.reserved[0] = 1;
    assert_status(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells), CLSP_ERROR_ARGUMENT);
    cells.reserved[0] = 0;
    cells.num_creases = 1;
    assert_status(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_mesh_create(&mesh, NULL, &cells), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_mesh_create(NULL, ctx, &cells), CLSP_ERROR_ARGUMENT);
    solid_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),     cmocka_unit_test(test_far),
        cmocka_unit_test(test_float),      cmocka_unit_test(test_models),
        cmocka_unit_test(test_ranges),     cmocka_unit_test(test_weights),
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_odd_lists),
        cmocka_unit_test(test_refine),     cmocka_unit_test(test_tetrahedra),
        cmocka_unit_test(test_methods),    cmocka_unit_test(test_classes),
        cmocka_unit_test(test_bad_plans),  cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_bad_meshes),
    };
    int failed;

    if (support_no_device()) return support_no_device();
    if (clsp_context_create(&ctx, NULL, NULL) != CLSP_OK) return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    clsp_context_destroy(&ctx);
    return failed;
}
