/* Where points lie in solids: points made of parameters come back, points outside are told so with
   a bound that holds, and calls of every kind. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "locate_ref.h"
#include "memory_fixture.h"
#include "solid_fixture.h"
#include "solid_ref.h"
#include "unlike_fixture.h"

/* Of the largest |coordinate| of a cell's control points: docs/math.md, 21. */
#define FOUND_F64 2e-12
#define FOUND_F32 3e-7

/* ---- calls ---- */

static bool has_double(void)
{
    return support_device().fp64 != 0;
}

static double found_within(clsp_type type)
{
    return type == CLSP_F64 ? FOUND_F64 : FOUND_F32;
}

/* Locates points, in doubles; those of a plan of floats are rounded first. how: what queries ask
   for besides. */
static void locate_so(clsp_solid_plan *plan, const double *points, size_t num,
                      clsp_solid_queries how, clsp_solid_place_f64 *places)
{
    clsp_solid_place_f32 *const narrow = malloc((num + 1) * sizeof *narrow);
    float *const floats = malloc((3 * num + 1) * sizeof *floats);
    clsp_solid_queries queries = how;
    clsp_solid_desc desc;

    queries.num = num;
    assert_ok(ctx, clsp_solid_plan_desc(plan, &desc));
    for (size_t i = 0; i < 3 * num; i++)
        floats[i] = (float)points[i];
    queries.points =
        desc.precision == CLSP_F64 ? clsp_in_f64(points, 3 * num) : clsp_in_f32(floats, 3 * num);
    support_poison(narrow, num * sizeof *narrow);
    support_poison(places, num * sizeof *places);
    assert_ok(ctx,
              clsp_solid_locate(plan, &queries,
                                desc.precision == CLSP_F64 ? clsp_out_solid_places_f64(places, num)
                                                           : clsp_out_solid_places_f32(narrow, num),
                                NULL));
    for (size_t i = 0; i < num && desc.precision == CLSP_F32; i++) {
        const clsp_solid_place_f32 *const p = &narrow[i];
        places[i] = (clsp_solid_place_f64){.t = {(double)p->t[0], (double)p->t[1], (double)p->t[2]},
                                           .residual = (double)p->residual,
                                           .bound = (double)p->bound,
                                           .cell = p->cell,
                                           .status = p->status};
    }
    free(narrow);
    free(floats);
}

static void locate(clsp_solid_plan *plan, const double *points, size_t num, size_t max_nodes,
                   clsp_solid_place_f64 *places)
{
    locate_so(plan, points, num, (clsp_solid_queries){.max_nodes = max_nodes}, places);
}

/* Evaluates a list of a plan in doubles: [num][3]. */
static void evaluate(clsp_solid_plan *plan, const uint32_t *cells, const double *params, size_t num,
                     double *points)
{
    clsp_solid_desc desc;

    assert_ok(ctx, clsp_solid_plan_desc(plan, &desc));
    if (desc.precision == CLSP_F64) {
        const clsp_points list = {
            .num = num, .item = clsp_in_u32(cells, num), .params = clsp_in_f64(params, 3 * num)};
        assert_ok(ctx, clsp_solid_eval_points(plan, &list, clsp_out_f64(points, 3 * num), NULL));
        return;
    }
    float *const floats = malloc((6 * num + 1) * sizeof *floats), *const made = floats + 3 * num;
    for (size_t i = 0; i < 3 * num; i++)
        floats[i] = (float)params[i];
    const clsp_points list = {
        .num = num, .item = clsp_in_u32(cells, num), .params = clsp_in_f32(floats, 3 * num)};
    assert_ok(ctx, clsp_solid_eval_points(plan, &list, clsp_out_f32(made, 3 * num), NULL));
    for (size_t i = 0; i < 3 * num; i++)
        points[i] = (double)made[i];
    free(floats);
}

static clsp_solid_plan *plan_in(const model *m, clsp_type precision, clsp_solid_method method)
{
    const clsp_solid_desc desc = {.precision = precision, .dim = m->dim, .method = method};

    return solid_plan_of(m, &desc);
}

/* ---- points made of parameters ---- */

/* Gives random parameters, of which some are on faces, edges and vertices, and near to them. */
static void make_params(size_t num_cells, size_t num, uint64_t seed, uint32_t *cells,
                        double *params)
{
    for (size_t i = 0; i < num; i++) {
        cells[i] = (uint32_t)(support_random(&seed) % num_cells);
        for (size_t a = 0; a < 3; a++) {
            const uint64_t way = support_random(&seed) % 16;
            const double t = 0.5 + 0.5 * support_uniform(&seed);
            params[3 * i + a] = way == 0   ? 0.0
                                : way == 1 ? 1.0
                                : way == 2 ? ldexp(t, -(int)(support_random(&seed) % 40))
                                : way == 3 ? 0.25 * floor(4.0 * t)
                                           : t;
        }
    }
}

/* Checks that places are those of points, by evaluation in double. */
static void check_found(const model *m, clsp_type precision, const double *points,
                        const clsp_solid_place_f64 *places, size_t num)
{
    clsp_solid_plan *exact =
        plan_in(m, has_double() ? CLSP_F64 : CLSP_F32, CLSP_SOLID_METHOD_DEFAULT);
    uint32_t *const cells = malloc((num + 1) * sizeof *cells);
    double *const params = malloc((6 * num + 1) * sizeof *params), *const back = params + 3 * num;
    /* float parameters move a point by their rounding times the cell's size */
    const double within =
        found_within(precision) * m->scale + (precision == CLSP_F32 ? 1e-6 * m->scale : 0.0);

    for (size_t i = 0; i < num; i++) {
        assert_int_equal(places[i].status, CLSP_SOLID_PLACE_FOUND);
        assert_true(places[i].residual <= found_within(precision) * m->scale);
        assert_true(places[i].bound == 0.0);
        cells[i] = places[i].cell;
        memcpy(params + 3 * i, places[i].t, sizeof places[i].t);
    }
    evaluate(exact, cells, params, num, back);
    for (size_t i = 0; i < 3 * num; i++) {
        assert_true(params[i] >= 0.0 && params[i] <= 1.0);
        assert_true(fabs(back[i] - points[i]) <= within);
    }
    free(cells);
    free(params);
    clsp_solid_plan_destroy(&exact);
}

/* Checks that a point of one cell is in it, or on a face that the cell that was found shares, which
   then comes before; or else that cells overlap. near: parameters that are of a face. */
static void check_first(const clsp_solid_place_f64 *place, uint32_t cell, double near)
{
    bool is_inside = true;

    for (size_t a = 0; a < 3; a++)
        is_inside = is_inside && place->t[a] > near && place->t[a] < 1.0 - near;
    assert_true(is_inside || place->cell <= cell);
}

/* Makes points of a model and looks for them. */
static void check_model(const model *m, clsp_type precision, clsp_solid_method method, size_t most)
{
    if (precision == CLSP_F64 && !has_double()) return;
    const size_t num = support_full() ? most : most / 4;
    clsp_solid_plan *plan = plan_in(m, precision, method);
    uint32_t *const cells = malloc(num * sizeof *cells);
    double *const params = malloc(6 * num * sizeof *params), *const points = params + 3 * num;
    clsp_solid_place_f64 *const places = malloc(num * sizeof *places);

    make_params(m->counts.num_cells, num, num, cells, params);
    evaluate(plan, cells, params, num, points);
    locate(plan, points, num, 0, places);
    check_found(m, precision, points, places, num);
    for (size_t i = 0; i < num; i++)
        check_first(&places[i], cells[i], precision == CLSP_F64 ? 1e-5 : 4e-4);
    free(cells);
    free(params);
    free(places);
    clsp_solid_plan_destroy(&plan);
}

static void check_case(const solid_case *solid, size_t num)
{
    model m = solid_model_of(solid, 3);

    for (clsp_type p = CLSP_F32; p <= CLSP_F64; p++) {
        check_model(&m, p, CLSP_SOLID_CELLS, num);
        check_model(&m, p, CLSP_SOLID_LATTICES, num); /* by stars, of regular cells too */
    }
    solid_model_free(&m);
}

static void test_boxes(void **state)
{
    (void)state;
    for (uint32_t creased = 0; creased < 2; creased++) {
        solid_case box = solid_box(3, 4, 2), one = solid_box(1, 1, 1);
        solid_jitter(&box, 0.2, 1);
        if (creased) solid_crease(&box, 0.5);
        if (creased) solid_crease(&one, 0.5);
        check_case(&box, 5000);
        check_case(&one, 5000);
        solid_free(&box);
        solid_free(&one);
    }
}

static void test_prisms(void **state)
{
    (void)state;
    for (uint32_t sectors = 3; sectors <= 7; sectors += 2) {
        solid_case prism = solid_prism(sectors, sectors != 5, 2);
        solid_jitter(&prism, 0.1, 1);
        if (sectors == 7) solid_crease(&prism, 0.5);
        check_case(&prism, 3000);
        solid_free(&prism);
    }
}

static void test_machine_parts(void **state)
{
    (void)state;
    for (size_t i = 0; i < MACHINE_PARTS; i++) {
        solid_case part = read_machine_part(machine_parts[i]);
        check_case(&part, 2000);
        solid_free(&part);
    }
}

static void check_unlike(const model *m)
{
    check_model(m, CLSP_F64, CLSP_SOLID_METHOD_DEFAULT, 1000);
    check_model(m, CLSP_F32, CLSP_SOLID_METHOD_DEFAULT, 1000);
}

static void test_unlike(void **state)
{
    model m = unlike_split(8);

    (void)state;
    check_unlike(&m);
    solid_model_free(&m);
    unlike_edges(check_unlike, 3);
}

/* ---- points anywhere, against the oracle ---- */

enum { EACH = 6 }; /* samples of a cell along each axis */

/* A plan whose limits the oracle asks for. */
typedef struct limits {
    clsp_solid_plan *plan;
    const model *m;
} limits;

/* Computes a limit, or a derivative, by weights, in long double. */
static void sum_weights(const limits *l, size_t cell, const double t[3], int axis,
                        long double sum[3])
{
    enum { MOST = 4096 };
    static uint32_t vertices[MOST];
    static double weights[MOST];
    clsp_solid_param param = {.cell = cell, .t = {t[0], t[1], t[2]}};
    size_t num = MOST;

    if (axis >= 0) param.by[axis] = 1;
    assert_ok(ctx, clsp_solid_weights(l->plan, &param, vertices, weights, &num));
    for (size_t k = 0; k < 3; k++) {
        sum[k] = 0;
        for (size_t i = 0; i < num; i++)
            sum[k] += (long double)weights[i] * l->m->points[l->m->dim * vertices[i] + k];
    }
}

static void jet_of(void *user, size_t cell, const double t[3], long double value[3],
                   long double slope[3][3])
{
    sum_weights(user, cell, t, -1, value);
    for (int a = 0; a < 3; a++)
        sum_weights(user, cell, t, a, slope[a]);
}

/* Returns samples of all cells, [num_cells][EACH][EACH][EACH][3]. */
static double *samples_of(const model *m)
{
    const clsp_axis axis = {.num = EACH, .begin = 0, .end = 1};
    const clsp_solid_desc desc = {.precision = CLSP_F64, .dim = m->dim, .axis = {axis, axis, axis}};
    clsp_solid_plan *plan = solid_plan_of(m, &desc);
    const size_t num = m->counts.num_cells * EACH * EACH * EACH;
    double *const all = solid_eval_all(plan, (clsp_range){0, m->counts.num_cells},
                                       (size_t)EACH * EACH * EACH * m->dim);

    for (size_t i = 0; i < 3 * num; i++) /* places alone */
        all[i] = all[i / 3 * m->dim + i % 3];
    clsp_solid_plan_destroy(&plan);
    return all;
}

/* Gives points in the box of some others, which is a tenth larger; some of them are near these. */
static void make_points(const double *others, size_t num_others, size_t num, uint64_t seed,
                        double *points)
{
    double low[3] = {1e300, 1e300, 1e300}, high[3] = {-1e300, -1e300, -1e300};

    for (size_t i = 0; i < 3 * num_others; i++) {
        low[i % 3] = fmin(low[i % 3], others[i]);
        high[i % 3] = fmax(high[i % 3], others[i]);
    }
    for (size_t i = 0; i < num; i++) {
        const size_t other = support_random(&seed) % num_others;
        for (size_t l = 0; l < 3; l++) {
            const double half = 0.55 * (high[l] - low[l]), x = support_uniform(&seed);
            points[3 * i + l] = i % 3 == 0   ? (low[l] + high[l]) / 2 + half * x
                                : i % 3 == 1 ? others[3 * other + l] + 0.02 * half * x
                                             : others[3 * other + l] + 1e-6 * half * x;
        }
    }
}

/* Checks the nearest point of one outside: what is there, that the oracle finds nothing nearer, and
   that no sample is; and the bound. */
static void check_nearest(const limits *l, const double *samples, size_t num_samples,
                          const double point[3], const clsp_solid_place_f64 *place,
                          const ref_place *near)
{
    const double distance = place->residual, slack = 1e-12 * l->m->scale;
    long double value[3], off = 0;

    assert_int_equal(place->status, CLSP_SOLID_PLACE_NONE);
    assert_true(place->cell < l->m->counts.num_cells);
    sum_weights(l, place->cell, place->t, -1, value);
    for (size_t k = 0; k < 3; k++)
        off += (value[k] - point[k]) * (value[k] - point[k]);
    /* beside irregular edges the residual is that of the farthest point of a small part */
    assert_true(sqrtl(off) <= distance * (1 + 1e-9L) + slack);
    assert_true(sqrtl(off) >= distance * (1 - 1.1e-6L) - slack);
    assert_true(distance <= (double)near->distance * (1 + 1.1e-6) + slack);
    assert_true(place->bound <= distance && place->bound >= (1 - 1.1e-6) * distance - slack);
    for (size_t i = 0; i < num_samples; i++) {
        double square = 0;
        for (size_t k = 0; k < 3; k++)
            square += (samples[3 * i + k] - point[k]) * (samples[3 * i + k] - point[k]);
        assert_true(sqrt(square) >= place->bound - slack);
    }
}

/* Compares what became of points anywhere with the oracle. Returns how many are outside. */
static size_t compare_with_oracle(const model *m, clsp_solid_method method, size_t num,
                                  uint64_t seed)
{
    limits l = {plan_in(m, CLSP_F64, method), m};
    double *const samples = samples_of(m), *const points = malloc(3 * num * sizeof *points);
    clsp_solid_place_f64 *const places = malloc(2 * num * sizeof *places), *const near_places =
                                                                               places + num;
    const size_t num_samples = m->counts.num_cells * EACH * EACH * EACH;
    size_t outside = 0;

    make_points(samples, m->counts.num_cells * EACH * EACH * EACH, num, seed, points);
    locate(l.plan, points, num, 0, places);
    locate_so(l.plan, points, num, (clsp_solid_queries){.nearest = 1}, near_places);
    for (size_t i = 0; i < num; i++) {
        ref_place near;
        ref_locate(jet_of, &l, samples, m->counts.num_cells, EACH, points + 3 * i, 6, &near);
        assert_int_not_equal(places[i].status, CLSP_SOLID_PLACE_CUT);
        if (places[i].status == CLSP_SOLID_PLACE_FOUND) continue;
        assert_int_equal(places[i].status, CLSP_SOLID_PLACE_NONE);
        assert_true(places[i].bound > 0.0 && places[i].bound <= (double)near.distance);
        assert_true((double)near.distance > 0.5 * FOUND_F64 * m->scale);
        check_nearest(&l, samples, num_samples, points + 3 * i, &near_places[i], &near);
        assert_true(near_places[i].bound >= places[i].bound);
        outside++;
    }
    for (size_t i = 0; i < num; i++) { /* and what was found is there */
        long double value[3];
        if (places[i].status != CLSP_SOLID_PLACE_FOUND) continue;
        sum_weights(&l, places[i].cell, places[i].t, -1, value);
        for (size_t k = 0; k < 3; k++)
            assert_true(fabsl(value[k] - points[3 * i + k]) <=
                        (long double)(places[i].residual + 1e-14 * m->scale));
    }
    free(samples);
    free(points);
    free(places);
    clsp_solid_plan_destroy(&l.plan);
    return outside;
}

static void test_oracle(void **state)
{
    const size_t num = support_full() ? 900 : support_tiny() ? 24 : 60;

    (void)state;
    if (!has_double()) skip_because("no double precision");
    for (uint32_t creased = 0; creased < 2; creased++) {
        solid_case box = solid_box(2, 3, 2), prism = solid_prism(5, 1, 1);
        solid_jitter(&box, 0.3, 2);
        solid_jitter(&prism, 0.1, 2);
        if (creased) solid_crease(&box, 0.5);
        model m = solid_model_of(&box, 3), n = solid_model_of(&prism, 4);
        const size_t outside = compare_with_oracle(&m, CLSP_SOLID_CELLS, num, 1) +
                               compare_with_oracle(&n, CLSP_SOLID_CELLS, num, 2);
        assert_true(outside > num / 5 && outside < 2 * num);
        assert_int_equal(outside, compare_with_oracle(&m, CLSP_SOLID_LATTICES, num, 1) +
                                      compare_with_oracle(&n, CLSP_SOLID_LATTICES, num, 2));
        solid_model_free(&m);
        solid_model_free(&n);
        solid_free(&box);
        solid_free(&prism);
    }
    model split = unlike_split(2);
    assert_true(compare_with_oracle(&split, CLSP_SOLID_METHOD_DEFAULT, num / 3, 3) > 0);
    solid_model_free(&split);
}

/* Some places are those of explicit subdivision. */
static void test_subdivision(void **state)
{
    (void)state;
    if (!has_double()) skip_because("no double precision");

    enum { NUM = 40 };
    solid_case prism = solid_prism(3, 0, 2);
    solid_jitter(&prism, 0.1, 7);
    model m = solid_model_of(&prism, 3);
    clsp_solid_plan *plan = plan_in(&m, CLSP_F64, CLSP_SOLID_CELLS);
    const ref_solid ref = {.num_cells = m.counts.num_cells, .cell = m.corner, .point = m.points};
    double *const samples = samples_of(&m), points[3 * NUM];
    clsp_solid_place_f64 places[NUM];
    size_t found = 0;

    make_points(samples, m.counts.num_cells * EACH * EACH * EACH, NUM, 5, points);
    locate(plan, points, NUM, 0, places);
    for (size_t i = 0; i < NUM; i++) {
        long double t[3], limit[3];
        if (places[i].status != CLSP_SOLID_PLACE_FOUND) continue;
        for (size_t a = 0; a < 3; a++)
            t[a] = places[i].t[a];
        ref_solid_limit(&ref, places[i].cell, t, 40, limit);
        for (size_t k = 0; k < 3; k++)
            assert_true(fabsl(limit[k] - points[3 * i + k]) <= 3e-12L * m.scale);
        found++;
    }
    assert_true(found > NUM / 4);
    free(samples);
    clsp_solid_plan_destroy(&plan);
    solid_model_free(&m);
    solid_free(&prism);
}

/* ---- points whose place is known ---- */

/* A box of unit cells with creases, which is the box itself, moved and scaled. */
static clsp_solid_plan *exact_box(clsp_type precision, uint32_t size, double scale,
                                  const double offset[3])
{
    solid_case box = solid_box(size, size, size);

    solid_crease(&box, 0.5);
    clsp_solid_mesh *mesh = solid_mesh_of(&box);
    const clsp_solid_desc desc = {.precision = precision};
    clsp_solid_plan *plan;
    assert_ok(ctx, clsp_solid_plan_create(&plan, mesh, &desc));
    float *const narrow = malloc(3 * box.num_points * sizeof *narrow);
    for (size_t i = 0; i < 3 * box.num_points; i++) {
        box.point[i] = offset[i % 3] + scale * box.point[i];
        narrow[i] = (float)box.point[i];
    }
    assert_ok(ctx, clsp_solid_set_control_points(plan,
                                                 precision == CLSP_F64
                                                     ? clsp_in_f64(box.point, 3 * box.num_points)
                                                     : clsp_in_f32(narrow, 3 * box.num_points),
                                                 NULL));
    clsp_solid_mesh_destroy(&mesh);
    free(narrow);
    solid_free(&box);
    return plan;
}

/* Looks for a point of such a box, whose cells count along x fastest; inside it, by how much in
   units of a cell, or outside. */
static void check_exact(clsp_solid_plan *plan, uint32_t size, double scale, const double offset[3],
                        const double at[3], double slack)
{
    const double point[3] = {offset[0] + scale * at[0], offset[1] + scale * at[1],
                             offset[2] + scale * at[2]};
    double outside = 0.0;
    clsp_solid_place_f64 place;

    for (size_t l = 0; l < 3; l++)
        outside = hypot(outside, fmax(fmax(-at[l], at[l] - size), 0.0));
    locate(plan, point, 1, 0, &place);
    if (outside > 0.0) {
        assert_int_equal(place.status, CLSP_SOLID_PLACE_NONE);
        assert_int_equal(place.cell, UINT32_MAX);
        assert_true(isnan(place.t[0]) && isinf(place.residual));
        assert_true(place.bound > 0.0 && place.bound <= (outside + slack * (1 + outside)) * scale);
        return;
    }
    assert_int_equal(place.status, CLSP_SOLID_PLACE_FOUND);
    const uint32_t cell[3] = {place.cell / (size * size), place.cell / size % size,
                              place.cell % size};
    for (size_t l = 0; l < 3; l++) {
        const double low = fmin(cell[l], cell[2 - l]), high = fmax(cell[l], cell[2 - l]);
        assert_true(at[l] >= low - slack && at[l] <= high + 1.0 + slack);
    }
    assert_true(place.residual <= (slack + 1e-12) * scale);
}

static void test_known(void **state)
{
    static const struct {
        clsp_type precision;
        double scale, offset[3], slack, least;
    } cases[] = {
        {CLSP_F64, 1.0, {0, 0, 0}, 1e-11, 1e-9},
        {CLSP_F64, 1.0, {1e6, -2e6, 3e6}, 1e-5, 1e-4},
        {CLSP_F64, 0x1p-1000, {0, 0, 0}, 1e-11, 1e-9},
        {CLSP_F64, 0x1p-1060, {0, 0, 0}, 1e-3, 1e-1},
        {CLSP_F64, 0x1p1018, {0, 0, 0}, 1e-11, 1e-9},
        {CLSP_F64, 0x1p+100, {0x1p+110, 0, 0}, 1e-8, 1e-6},
        {CLSP_F32, 1.0, {0, 0, 0}, 2e-6, 1e-4},
        {CLSP_F32, 1.0, {4096, 0, -4096}, 4e-3, 0.1},
        {CLSP_F32, 0x1p-120, {0, 0, 0}, 2e-6, 1e-4},
        {CLSP_F32, 0x1p+120, {0, 0, 0}, 2e-6, 1e-4},
    };
    enum { SIZE = 3 };
    uint64_t seed = 3;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].precision == CLSP_F64 && !has_double()) continue;
        clsp_solid_plan *plan =
            exact_box(cases[i].precision, SIZE, cases[i].scale, cases[i].offset);
        for (int n = 0; n < 60; n++) {
            double at[3];
            for (size_t l = 0; l < 3; l++)
                at[l] = SIZE * (0.5 + 0.5 * support_uniform(&seed));
            const size_t axis = support_random(&seed) % 3;
            if (n % 4 == 0) at[axis] = floor(at[axis]);
            if (n % 4 == 1) at[axis] = -cases[i].least * (1.0 + n);
            if (n % 4 == 2) at[axis] = SIZE + ldexp(cases[i].least, n / 4);
            check_exact(plan, SIZE, cases[i].scale, cases[i].offset, at, cases[i].slack);
        }
        clsp_solid_plan_destroy(&plan);
    }
}

/* Checks that a tolerance above the distance has the nearest point found, and one below it does
   not. */
static void check_tolerance(clsp_solid_plan *plan, const double at[3], double exact,
                            const clsp_solid_place_f64 *nearest)
{
    clsp_solid_place_f64 place;

    locate_so(plan, at, 1, (clsp_solid_queries){.tolerance = 1.001 * exact}, &place);
    assert_int_equal(place.status, CLSP_SOLID_PLACE_FOUND);
    assert_int_equal(place.cell, nearest->cell);
    assert_memory_equal(place.t, nearest->t, sizeof place.t);
    assert_true(place.residual == nearest->residual && place.bound == nearest->bound);
    locate_so(plan, at, 1, (clsp_solid_queries){.tolerance = 0.999 * exact}, &place);
    assert_int_equal(place.status, CLSP_SOLID_PLACE_NONE);
    assert_int_equal(place.cell, UINT32_MAX);
    assert_true(place.bound <= exact && isnan(place.t[0]) && isinf(place.residual));
}

/* The nearest point of a box from outside is known: on its faces, edges and corners. A search that
   may look at little gives what it has found, and a bound that holds. */
static void test_nearest(void **state)
{
    enum { SIZE = 3, NUM = 200 };
    static const double origin[3] = {0, 0, 0};
    clsp_solid_place_f64 place, little;
    uint64_t seed = 12;

    (void)state;
    for (clsp_type precision = CLSP_F32; precision <= CLSP_F64; precision++) {
        if (precision == CLSP_F64 && !has_double()) continue;
        clsp_solid_plan *plan = exact_box(precision, SIZE, 1.0, origin);
        for (int n = 0; n < NUM; n++) {
            double at[3], exact = 0.0;
            for (size_t l = 0; l < 3; l++) {
                at[l] = (double)(float)(SIZE * (0.5 + 1.5 * support_uniform(&seed)));
                exact = hypot(exact, fmax(fmax(-at[l], at[l] - SIZE), 0.0));
            }
            locate_so(plan, at, 1, (clsp_solid_queries){.nearest = 1}, &place);
            assert_int_equal(place.status,
                             exact > 0 ? CLSP_SOLID_PLACE_NONE : CLSP_SOLID_PLACE_FOUND);
            if (!(exact > 0)) continue;
            assert_true(fabs(place.residual - exact) <= 1e-6 * exact);
            assert_true(place.bound <= exact && place.bound >= (1 - 2e-6) * exact);
            assert_true(place.cell < SIZE * SIZE * SIZE);
            check_tolerance(plan, at, exact, &place);
            locate_so(plan, at, 1, (clsp_solid_queries){.nearest = 1, .max_nodes = 1}, &little);
            if (little.status == CLSP_SOLID_PLACE_CUT) continue;
            assert_true(little.bound <= exact && little.residual >= exact * (1 - 1e-6));
        }
        clsp_solid_plan_destroy(&plan);
    }
}

/* Points next to irregular edges are no farther from the solid than where they were made: what
   deep parts a query before them has made there is not taken for theirs. */
static void test_nearest_edges(void **state)
{
    static const clsp_solid_method methods[] = {CLSP_SOLID_CELLS, CLSP_SOLID_LATTICES};
    solid_case box = solid_box(2, 3, 2);
    uint64_t seed = 21;

    (void)state;
    if (!has_double()) skip_because("no double precision");
    solid_jitter(&box, 0.3, 2);
    model m = solid_model_of(&box, 3);
    const size_t cube = (size_t)EACH * EACH * EACH, num = m.counts.num_cells * cube;
    double *const points = samples_of(&m), *const away = malloc(num * sizeof *away);
    clsp_solid_place_f64 *const places = malloc(num * sizeof *places);
    size_t kept = 0;

    for (size_t i = 0; i < num; i++) {
        const size_t at[3] = {i % cube / EACH / EACH, i / EACH % EACH, i % EACH};
        int ends = 0;
        for (size_t a = 0; a < 3; a++)
            ends += at[a] == 0 || at[a] == EACH - 1;
        if (ends < 2) continue;
        away[kept] = 0;
        for (size_t l = 0; l < 3; l++) {
            const double x = 1e-6 * m.scale * support_uniform(&seed);
            points[3 * kept + l] = points[3 * i + l] + x;
            away[kept] = hypot(away[kept], x);
        }
        kept++;
    }
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        clsp_solid_plan *plan = plan_in(&m, CLSP_F64, methods[k]);
        locate_so(plan, points, kept, (clsp_solid_queries){.nearest = 1}, places);
        for (size_t i = 0; i < kept; i++)
            assert_true(places[i].residual <= away[i] * (1 + 1e-6) + 1e-12 * m.scale);
        clsp_solid_plan_destroy(&plan);
    }
    free(points);
    free(away);
    free(places);
    solid_model_free(&m);
    solid_free(&box);
}

/* Very far points are outside, and those that are no numbers are told. */
static void test_far(void **state)
{
    (void)state;
    if (!has_double()) skip_because("no double precision");

    static const double origin[3] = {0, 0, 0};
    static const double points[][3] = {{1e300, 0, 0}, {0, -1e30, 1},    {1e7, 1e7, 1e7},
                                       {NAN, 0, 0},   {0, INFINITY, 0}, {0, 0, -INFINITY}};
    clsp_solid_plan *plan = exact_box(CLSP_F64, 2, 1.0, origin);
    clsp_solid_place_f64 places[6];

    locate(plan, points[0], 6, 0, places);
    for (size_t i = 0; i < 3; i++) {
        const double size = fmax(fmax(fabs(points[i][0]), fabs(points[i][1])), fabs(points[i][2]));
        assert_int_equal(places[i].status, CLSP_SOLID_PLACE_NONE);
        assert_true(places[i].bound > 0.9 * size && places[i].bound <= 1.8 * size);
    }
    for (size_t i = 3; i < 6; i++) {
        assert_int_equal(places[i].status, CLSP_SOLID_PLACE_INVALID);
        assert_int_equal(places[i].cell, UINT32_MAX);
        assert_true(isnan(places[i].bound) && isnan(places[i].residual));
    }
    clsp_solid_plan_destroy(&plan);
}

/* ---- cells that are not sound ---- */

/* Makes a plan of a case's cells in double, and gives it these points. */
static clsp_solid_plan *plan_with(const solid_case *solid)
{
    const clsp_solid_desc desc = {.precision = CLSP_F64};
    clsp_solid_mesh *mesh = solid_mesh_of(solid);
    clsp_solid_plan *plan;

    assert_ok(ctx, clsp_solid_plan_create(&plan, mesh, &desc));
    assert_ok(ctx, clsp_solid_set_control_points(
                       plan, clsp_in_f64(solid->point, 3 * solid->num_points), NULL));
    clsp_solid_mesh_destroy(&mesh);
    return plan;
}

/* Folded cells give back the points that are made of their parameters. */
static void test_folded(void **state)
{
    enum { NUM = 300 };
    static uint32_t cells[NUM];
    static double params[3 * NUM], points[3 * NUM];
    static clsp_solid_place_f64 places[NUM];

    (void)state;
    if (!has_double()) skip_because("no double precision");
    for (uint32_t creased = 0; creased < 2; creased++) {
        solid_case box = solid_box(2, 2, 2);
        solid_jitter(&box, 0.9, 3);
        if (creased) solid_crease(&box, 0.5);
        clsp_solid_plan *plan = plan_with(&box);
        make_params(box.num_cells, NUM, 4, cells, params);
        evaluate(plan, cells, params, NUM, points);
        locate(plan, points, NUM, 0, places);
        for (size_t i = 0; i < NUM; i++) {
            assert_int_equal(places[i].status, CLSP_SOLID_PLACE_FOUND);
            check_first(&places[i], cells[i], 1e-5);
        }
        clsp_solid_plan_destroy(&plan);
        solid_free(&box);
    }
}

/* Cells without volume, or all in one point. */
static void test_flat(void **state)
{
    static const double beside[2][3] = {{0.5, 0.5, 0.1}, {0.4, 0.3, 0.0}};
    clsp_solid_place_f64 places[2];

    (void)state;
    if (!has_double()) skip_because("no double precision");
    for (int way = 0; way < 2; way++) {
        solid_case box = solid_box(1, 1, 1);
        solid_crease(&box, 0.5);
        for (size_t i = 0; i < 3 * box.num_points; i++)
            box.point[i] = way == 0 ? (i % 3 == 2 ? 0.0 : box.point[i]) : 0.25;
        clsp_solid_plan *plan = plan_with(&box);
        locate(plan, beside[0], 2, 0, places);
        assert_int_equal(places[0].status, CLSP_SOLID_PLACE_NONE);
        assert_int_equal(places[1].status,
                         way == 0 ? CLSP_SOLID_PLACE_FOUND : CLSP_SOLID_PLACE_NONE);
        if (way == 1) locate(plan, (const double[3]){0.25, 0.25, 0.25}, 1, 0, places);
        assert_int_equal(places[way ? 0 : 1].status, CLSP_SOLID_PLACE_FOUND);
        clsp_solid_plan_destroy(&plan);
        solid_free(&box);
    }
}

/* Cells with points that are not finite are left out, and a search that may look at little is
   cut. */
static void test_left_out(void **state)
{
    static const double point[3] = {2.5, 0.5, 0.5}, outside[3] = {0.4, 1.2, 0.4};
    clsp_solid_place_f64 place;
    solid_case box = solid_box(3, 1, 1), fold = solid_box(2, 2, 2);

    (void)state;
    if (!has_double()) skip_because("no double precision");
    solid_crease(&box, 0.5);
    clsp_solid_plan *plan = plan_with(&box);
    locate(plan, point, 1, 0, &place);
    assert_int_equal(place.status, CLSP_SOLID_PLACE_FOUND);
    for (size_t i = 0; i < box.num_points; i++)
        if (box.point[3 * i] == 0.0) box.point[3 * i + 1] = INFINITY;
    clsp_solid_plan_destroy(&plan);
    plan = plan_with(&box);
    locate(plan, point, 1, 0, &place); /* its cell is two away from these points */
    assert_int_equal(place.status, CLSP_SOLID_PLACE_FOUND);
    locate(plan, (const double[3]){0.5, 0.5, 0.5}, 1, 0, &place);
    assert_int_equal(place.status, CLSP_SOLID_PLACE_NONE);
    clsp_solid_plan_destroy(&plan);
    solid_jitter(&fold, 0.9, 3);
    plan = plan_with(&fold);
    locate(plan, outside, 1, 1, &place);
    assert_int_equal(place.status, CLSP_SOLID_PLACE_CUT);
    assert_true(place.bound == 0.0 && place.cell == UINT32_MAX);
    clsp_solid_plan_destroy(&plan);
    solid_free(&box);
    solid_free(&fold);
}

/* Two parts that do not touch, and a part within another one's cells: the first cell counts. */
static void test_two_parts(void **state)
{
    static const double points[3][3] = {{0.3, 0.4, 0.5}, {5.3, 0.4, 0.5}, {3, 0.4, 0.5}};
    solid_case box = solid_box(1, 1, 1);
    uint32_t cells[2][8];
    double control[16][3];
    clsp_solid_place_f64 places[3];

    (void)state;
    if (!has_double()) skip_because("no double precision");
    for (size_t i = 0; i < 16; i++)
        for (size_t l = 0; l < 3; l++)
            control[i][l] = box.point[3 * (i % 8) + l] + (l == 0 && i >= 8 ? 5.0 : 0.0);
    for (uint32_t i = 0; i < 16; i++)
        cells[i / 8][i % 8] = box.cell[i % 8] + i / 8 * 8;
    solid_case both = {.num_points = 16, .num_cells = 2, .point = control[0], .cell = cells[0]};
    solid_crease(&both, 0.5);
    clsp_solid_plan *plan = plan_with(&both);
    locate(plan, points[0], 3, 0, places);
    assert_int_equal(places[0].cell, 0);
    assert_int_equal(places[1].cell, 1);
    assert_int_equal(places[2].status, CLSP_SOLID_PLACE_NONE);
    assert_true(places[2].bound > 1.9 && places[2].bound <= 2.0);
    for (size_t i = 8; i < 16; i++)
        control[i][0] -= 5.0;
    assert_ok(ctx, clsp_solid_set_control_points(plan, clsp_in_f64(control[0], 48), NULL));
    locate(plan, points[0], 3, 0, places);
    assert_int_equal(places[0].cell, 0);
    assert_int_equal(places[1].status, CLSP_SOLID_PLACE_NONE);
    clsp_solid_plan_destroy(&plan);
    free(both.crease);
    solid_free(&box);
}

/* ---- calls ---- */

enum { MANY = 6000, TILE = 64 };

/* A plan in float and points around it, with what becomes of them. */
typedef struct calls {
    solid_case solid;
    model m;
    clsp_solid_plan *plan;
    float *points;
    clsp_solid_place_f32 *all;
} calls;

static clsp_status call(const calls *c, size_t first, size_t num, clsp_output out,
                        const clsp_run *run)
{
    const clsp_solid_queries queries = {.num = num,
                                        .points = clsp_in_f32(c->points + 3 * first, 3 * num)};

    return clsp_solid_locate(c->plan, &queries, out, run);
}

static void start(calls *c)
{
    const clsp_solid_desc desc = {.dim = 3};
    uint64_t seed = 8;

    c->solid = solid_prism(5, 0, 2);
    solid_jitter(&c->solid, 0.1, 9);
    c->m = solid_model_of(&c->solid, 3);
    c->plan = solid_plan_of(&c->m, &desc);
    c->points = malloc(3 * MANY * sizeof *c->points);
    c->all = calloc(MANY, sizeof *c->all);
    for (size_t i = 0; i < 3 * (size_t)MANY; i++)
        c->points[i] = (float)(c->m.scale * support_uniform(&seed));
    c->points[4] = NAN;
    assert_ok(ctx, call(c, 0, MANY, clsp_out_solid_places_f32(c->all, MANY), NULL));
}

static void finish(calls *c)
{
    clsp_solid_plan_destroy(&c->plan);
    free(c->points);
    free(c->all);
    solid_model_free(&c->m);
    solid_free(&c->solid);
}

/* However points are cut into calls, and whoever makes them, the bits are the same. */
static void test_same_bits(void **state)
{
    static const size_t ends[] = {0, 1, 2, 65, 4500, MANY};
    static const clsp_share shares[] = {{.schedule = CLSP_SCHEDULE_DYNAMIC},
                                        {.schedule = CLSP_SCHEDULE_DEVICE},
                                        {.schedule = CLSP_SCHEDULE_HOST}};
    clsp_solid_place_f32 *const some = malloc(MANY * sizeof *some);
    clsp_tiling tiling;
    calls c;

    (void)state;
    start(&c);
    for (size_t k = 1; k < sizeof ends / sizeof *ends; k++) {
        const size_t num = ends[k] - ends[k - 1];
        assert_ok(ctx, call(&c, ends[k - 1], num, clsp_out_solid_places_f32(some, num), NULL));
        assert_memory_equal(some, c.all + ends[k - 1], num * sizeof *some);
    }
    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        clsp_report report;
        const clsp_run run = {.share = &shares[k], .report = &report};
        memset(some, 0, MANY * sizeof *some);
        assert_ok(ctx, call(&c, 0, MANY, clsp_out_solid_places_f32(some, MANY), &run));
        assert_memory_equal(some, c.all, MANY * sizeof *some);
    }
    assert_ok(ctx, call(&c, 0, MANY, clsp_out_solid_places_f32(some, MANY),
                        &(clsp_run){.tiling = &tiling}));
    assert_true(tiling.num_tiles > 1);
    for (size_t k = 0; k < tiling.num_tiles; k += tiling.num_tiles / 3) {
        const clsp_share share = {.schedule = k % 2 ? CLSP_SCHEDULE_HOST : CLSP_SCHEDULE_DEVICE,
                                  .tiles = {k, 1}};
        const clsp_output out = clsp_out_solid_places_f32(some, MANY);
        assert_ok(ctx, call(&c, 0, MANY, out, &(clsp_run){.share = &share, .tiling = &tiling}));
        const size_t first = tiling.elements.first / CLSP_SOLID_PLACE_F32_SIZE;
        const size_t count = tiling.elements.count / CLSP_SOLID_PLACE_F32_SIZE;
        assert_ok(ctx, call(&c, 0, MANY, out, &(clsp_run){.share = &share}));
        assert_memory_equal(some, c.all + first, count * sizeof *some);
    }
    free(some);
    finish(&c);
}

/* Points and places in memory of every kind, of a call and of a tile. */
static void test_memory(void **state)
{
    static const clsp_share second_tile = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {1, 1}};
    enum { NUM = 70 };
    calls c;

    (void)state;
    start(&c);
    for (store_kind from = HOST; from < STORE_KINDS; from++)
        for (store_kind to = HOST; to < STORE_KINDS; to++) {
            if (!has_kind(ctx, from) || !has_kind(ctx, to)) continue;
            store in = store_make(ctx, from, CLSP_F32, 3, 3 * NUM, c.points);
            store out = store_make(ctx, to, CLSP_F32, 5, NUM * CLSP_SOLID_PLACE_F32_SIZE, NULL);
            const clsp_solid_queries queries = {.num = NUM, .points = store_in(&in)};
            assert_ok(ctx, clsp_solid_locate(c.plan, &queries, store_out(&out), NULL));
            assert_memory_equal(store_read(&out), c.all, NUM * sizeof *c.all);
            assert_ok(ctx, clsp_solid_locate(c.plan, &queries, store_out(&out),
                                             &(clsp_run){.share = &second_tile}));
            assert_memory_equal(store_read(&out), c.all + TILE, (NUM - TILE) * sizeof *c.all);
            store_free(&in);
            store_free(&out);
        }
    finish(&c);
}

static void count_notes(void *user, clsp_log_level level, const char *message)
{
    *(int *)user += level == CLSP_LOG_INFO && strstr(message, "the host's cores search solids");
}

/* The log says once a plan who searches in the place of a GPU. */
static void test_note(void **state)
{
    int notes = 0;
    const clsp_context_opts opts = {.log = count_notes, .log_user = &notes};
    clsp_context *const before = ctx;
    calls c;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    start(&c);
    assert_int_equal(notes, support_is_own_cpu(ctx) ? 0 : 1);
    assert_ok(ctx, call(&c, 0, 1, clsp_out_solid_places_f32(c.all, 1), NULL));
    assert_int_equal(notes, support_is_own_cpu(ctx) ? 0 : 1);
    finish(&c);
    clsp_context_destroy(&ctx);
    ctx = before;
}

/* Points and places that are not aligned to their elements, of a call and of a tile. */
static void test_unaligned(void **state)
{
    enum { NUM = 100, REALS = 3 * NUM };
    static const clsp_share shares[] = {
        {.schedule = CLSP_SCHEDULE_DYNAMIC},
        {.schedule = CLSP_SCHEDULE_HOST, .tiles = {1, 1}},
        {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {1, 1}},
    };
    unsigned char points[REALS * sizeof(float) + 1], places[NUM * sizeof(clsp_solid_place_f32) + 1];
    const clsp_solid_queries queries = {
        .num = NUM, .points = {.type = CLSP_F32, .host = points + 1, .size = REALS}};
    const clsp_output out = {
        .type = CLSP_F32, .host = places + 1, .size = NUM * CLSP_SOLID_PLACE_F32_SIZE};
    calls c;

    (void)state;
    start(&c);
    memcpy(points + 1, c.points, REALS * sizeof(float));
    for (size_t k = 0; k <= sizeof shares / sizeof *shares; k++) {
        const size_t first = k > 1 ? TILE : 0;
        memset(places, 0, sizeof places);
        assert_ok(ctx, clsp_solid_locate(c.plan, &queries, out,
                                         k > 0 ? &(clsp_run){.share = &shares[k - 1]} : NULL));
        assert_memory_equal(places + 1, c.all + first, (NUM - first) * sizeof *c.all);
    }
    finish(&c);
}

static void test_wrong(void **state)
{
    const clsp_solid_desc flat = {.dim = 2};
    clsp_solid_place_f32 place;
    clsp_solid_queries bad = {.num = 1};
    clsp_solid_plan *plan;
    calls c;

    (void)state;
    start(&c);
    const clsp_output out = clsp_out_solid_places_f32(&place, 1);
    assert_status(ctx, clsp_solid_locate(c.plan, NULL, out, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_solid_locate(NULL, &bad, out, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_locate(c.plan, &bad, out, NULL), CLSP_ERROR_ARGUMENT);
    bad.points = clsp_in_f32(c.points, 2);
    assert_status(ctx, clsp_solid_locate(c.plan, &bad, out, NULL), CLSP_ERROR_BUFFER_SIZE);
    bad.points = clsp_in_f64((const double *)(const void *)c.points, 3);
    assert_status(ctx, clsp_solid_locate(c.plan, &bad, out, NULL), CLSP_ERROR_ARGUMENT);
    bad.points = clsp_in_f32(c.points, 3);
    bad.reserved[0] = 1;
    assert_status(ctx, clsp_solid_locate(c.plan, &bad, out, NULL), CLSP_ERROR_ARGUMENT);
    bad.reserved[0] = 0;
    bad.nearest = 2;
    assert_status(ctx, clsp_solid_locate(c.plan, &bad, out, NULL), CLSP_ERROR_ARGUMENT);
    bad.nearest = 0;
    for (int i = 0; i < 2; i++) {
        bad.tolerance = i == 0 ? -1e-300 : (double)NAN;
        assert_status(ctx, clsp_solid_locate(c.plan, &bad, out, NULL), CLSP_ERROR_ARGUMENT);
    }
    bad.tolerance = 0;
    bad.num = SIZE_MAX / 4;
    assert_status(ctx, clsp_solid_locate(c.plan, &bad, out, NULL), CLSP_ERROR_NO_MEMORY);
    bad.num = 1;
    assert_status(ctx, call(&c, 0, 2, out, NULL), CLSP_ERROR_BUFFER_SIZE);
    assert_ok(ctx, call(&c, 0, 0, clsp_out_solid_places_f32(&place, 0), NULL));
    assert_ok(ctx, clsp_solid_plan_create(&plan, c.m.mesh, &flat));
    assert_status(ctx, clsp_solid_locate(plan, &bad, out, NULL), CLSP_ERROR_ARGUMENT);
    clsp_solid_plan_destroy(&plan);
    assert_ok(ctx, clsp_solid_plan_create(&plan, c.m.mesh, &(clsp_solid_desc){.dim = 3}));
    assert_status(ctx, clsp_solid_locate(plan, &bad, out, NULL), CLSP_ERROR_STATE);
    clsp_solid_plan_destroy(&plan);
    finish(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),         cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_unlike),        cmocka_unit_test(test_machine_parts),
        cmocka_unit_test(test_oracle),        cmocka_unit_test(test_subdivision),
        cmocka_unit_test(test_known),         cmocka_unit_test(test_far),
        cmocka_unit_test(test_folded),        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_left_out),      cmocka_unit_test(test_two_parts),
        cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_memory),
        cmocka_unit_test(test_wrong),         cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_nearest_edges), cmocka_unit_test(test_unaligned),
        cmocka_unit_test(test_note),
    };

    support_begin();
    return cmocka_run_group_tests(tests, solid_open, solid_close);
}
