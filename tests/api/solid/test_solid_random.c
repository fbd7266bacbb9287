/* Random sequences of calls of solids, right ones and such as are wrong in any argument, and cells
   that are wrong anywhere. Each gives a status: what is right is done, what is refused writes
   nothing, and what is done has the bits that a fresh plan makes, whatever came before. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bezier_fixture.h"
#include "random_fixture.h"
#include "solid_cases.h"

enum { MOST_REALS = 12288, MOST_POINTS = 40, CALLS = 60 };

typedef enum request_kind { LOAD, EVAL, EVAL_POINTS, CLASSES, WEIGHTS, KINDS } request_kind;

/* The arguments of a call. */
typedef struct request {
    request_kind kind;
    clsp_range cells;
    clsp_input controls;
    clsp_points points;
    clsp_solid_param param;
    size_t num; /* weights that there is room for */
    clsp_output out;
    clsp_run run;
} request;

/* A mesh and its plan. */
typedef struct player {
    clsp_context *ctx;
    clsp_solid_mesh *mesh;
    clsp_solid_counts counts;
    clsp_solid_desc d; /* with defaults in place */
    clsp_solid_plan *plan;
    bool is_loaded;
    uint64_t state;
    unsigned done, refused;
} player;

static float controls[MOST_REALS], params[3 * MOST_POINTS];
static uint32_t numbers[MOST_POINTS];
static double values[MOST_REALS], wanted[MOST_REALS];

static clsp_solid_cells cells_of(const solid_case *solid)
{
    return (clsp_solid_cells){.num_vertices = solid->num_points,
                              .num_cells = solid->num_cells,
                              .index = solid->cell,
                              .num_indices = 8 * solid->num_cells,
                              .crease = solid->crease,
                              .num_creases = solid->num_creases};
}

/* A box, or a prism around an irregular edge. */
static solid_case random_solid(uint64_t *state)
{
    return one_in(state, 2) ? solid_box(1 + random_below(state, 4), 1 + random_below(state, 3), 2)
                            : solid_prism(3 + random_below(state, 3), (int)random_below(state, 2),
                                          1 + random_below(state, 2));
}

/* ---- right arguments ---- */

/* Makes a call that is right once there are control points, with memory that just suffices. */
static request right_request(player *p, request_kind kind)
{
    const size_t all = p->counts.num_cells, first = random_below(&p->state, (uint32_t)all + 1);
    const size_t num = 1 + random_below(&p->state, MOST_POINTS);
    const size_t of_cell =
        p->d.axis[0].num * p->d.axis[1].num * p->d.axis[2].num * p->d.vertex.stride;
    request r = {.kind = kind,
                 .cells = {first, random_below(&p->state, (uint32_t)(all - first) + 1)},
                 .controls = clsp_in_f32(controls, p->counts.num_vertices * p->d.dim),
                 .points = {.num = num,
                            .item = clsp_in_u32(numbers, num),
                            .params = clsp_in_f32(params, 3 * num)},
                 .param = {.cell = random_below(&p->state, (uint32_t)all)},
                 .num = MOST_REALS / 2};
    const size_t count = r.cells.count < 20 ? r.cells.count : 20;

    r.cells.count = count;
    for (uint32_t k = 0; k < 3; k++)
        r.param.t[k] = random_below(&p->state, 9) / 8.0;
    if (one_in(&p->state, 3)) r.param.by[random_below(&p->state, 3)] = 1;
    r.points.planar = one_in(&p->state, 3) ? 1 : 0;
    r.out = host_out(kind == CLASSES ? CLSP_U32 : CLSP_F32, values,
                     kind == CLASSES       ? count
                     : kind == EVAL_POINTS ? num * p->d.vertex.stride
                                           : count * of_cell);
    assert_true(r.out.size * sizeof(float) <= sizeof values);
    return r;
}

/* ---- wrong arguments ---- */

static void spoil_param(uint64_t *state, clsp_solid_param *param)
{
    switch (random_below(state, 4)) {
    case 0:
        param->cell = strange_size(state);
        break;
    case 1:
        param->t[random_below(state, 3)] = strange_real(state);
        break;
    case 2:
        param->by[random_below(state, 3)] = strange_number(state);
        break;
    default:
        param->reserved[2] = 1;
        break;
    }
}

static void fill(uint64_t *state, request *r)
{
    switch (random_below(state, 10)) {
    case 0:
        spoil_range(state, &r->cells);
        break;
    case 1:
        spoil_input(state, &r->controls);
        break;
    case 2:
        spoil_input(state, &r->points.item);
        break;
    case 3:
        spoil_input(state, &r->points.params);
        break;
    case 4:
        r->points.num = strange_size(state);
        break;
    case 5:
        r->points.reserved[3] = 1;
        break;
    case 6:
        spoil_param(state, &r->param);
        break;
    case 7:
        r->points.planar = strange_number(state);
        break;
    case 8:
        spoil_sync(state, &r->run);
        break;
    default:
        spoil_output(state, &r->out);
        break;
    }
    if (one_in(state, 9)) r->num = random_below(state, 30);
}

/* ---- calls ---- */

/* Gives weights in the second half of the output, and their vertices in the first. */
static clsp_status find_weights(clsp_solid_plan *plan, const request *r)
{
    size_t num = r->num;

    if (!r->out.host) return clsp_solid_weights(plan, &r->param, NULL, NULL, &num);
    return clsp_solid_weights(plan, &r->param, r->out.host, (double *)r->out.host + MOST_REALS / 2,
                              &num);
}

static clsp_status carry_out(clsp_solid_plan *plan, const request *r)
{
    switch (r->kind) {
    case LOAD:
        return clsp_solid_set_control_points(plan, r->controls, &r->run);
    case EVAL:
        return clsp_solid_eval(plan, r->cells, r->out, &r->run);
    case EVAL_POINTS:
        return clsp_solid_eval_points(plan, &r->points, r->out, &r->run);
    case CLASSES:
        return clsp_solid_cell_classes(plan, r->cells, r->out);
    default:
        return find_weights(plan, r);
    }
}

static clsp_status load(const player *p, clsp_solid_plan *plan)
{
    const size_t num = p->counts.num_vertices * p->d.dim;

    return clsp_solid_set_control_points(plan, clsp_in_f32(controls, num), NULL);
}

/* Makes what a request is to give by a plan that has done nothing else. */
static void make_wanted(const player *p, const request *r)
{
    request again = *r;
    clsp_solid_plan *plan;

    again.out.host = wanted;
    support_poison(wanted, sizeof wanted);
    assert_ok(p->ctx, clsp_solid_plan_create(&plan, p->mesh, &p->d));
    assert_ok(p->ctx, load(p, plan));
    assert_ok(p->ctx, carry_out(plan, &again));
    clsp_solid_plan_destroy(&plan);
}

static void play(player *p)
{
    request r = right_request(p, (request_kind)random_below(&p->state, KINDS));
    const bool needs_points = r.kind == EVAL || r.kind == EVAL_POINTS;
    const unsigned spoils = random_below(&p->state, 3);

    for (unsigned k = 0; k < spoils; k++)
        fill(&p->state, &r);
    support_poison(values, sizeof values);
    const clsp_status status = carry_out(p->plan, &r);
    if (status != CLSP_OK) {
        if (spoils == 0 && (p->is_loaded || !needs_points)) assert_ok(p->ctx, status);
        check_refused(p->ctx, status);
        assert_true(support_poisoned(values, sizeof values));
        p->refused++;
        if (r.kind == LOAD && p->is_loaded) assert_ok(p->ctx, load(p, p->plan));
        return;
    }
    p->done++;
    if (r.kind == LOAD) {
        p->is_loaded = true;
        assert_ok(p->ctx, load(p, p->plan)); /* it may have begun elsewhere */
        return;
    }
    if (!r.out.host) return; /* of no cells */
    make_wanted(p, &r);
    if (memcmp(values, wanted, sizeof values) != 0)
        fail_msg("call %u, of kind %d: not what a fresh plan makes", p->done + p->refused, r.kind);
}

static void play_plan(player *p)
{
    solid_case solid = random_solid(&p->state);
    const clsp_solid_cells cells = cells_of(&solid);
    clsp_solid_desc d = {.dim = 1 + random_below(&p->state, 4)};

    for (uint32_t k = 0; k < 3; k++)
        d.axis[k] = (clsp_axis){.num = 1 + random_below(&p->state, 5), .begin = 0.25, .end = 1.0};
    if (one_in(&p->state, 3)) d.vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_DV;
    assert_ok(p->ctx, clsp_solid_mesh_create(&p->mesh, p->ctx, &cells));
    assert_ok(p->ctx, clsp_solid_mesh_counts(p->mesh, &p->counts));
    assert_ok(p->ctx, clsp_solid_plan_create(&p->plan, p->mesh, &d));
    assert_ok(p->ctx, clsp_solid_plan_desc(p->plan, &p->d));
    p->is_loaded = false;
    assert_true(p->counts.num_vertices * d.dim <= MOST_REALS);
    for (size_t k = 0; k < MOST_REALS; k++)
        controls[k] = (float)support_uniform(&p->state);
    for (size_t k = 0; k < MOST_POINTS; k++) {
        numbers[k] = random_below(&p->state, (uint32_t)p->counts.num_cells + (k % 16 == 15));
        for (size_t i = 0; i < 3; i++)
            params[3 * k + i] = (float)(0.5 + 0.7 * support_uniform(&p->state));
    }
    for (int k = 0; k < CALLS; k++)
        play(p);
    clsp_solid_plan_destroy(&p->plan);
    clsp_solid_mesh_destroy(&p->mesh);
    solid_free(&solid);
}

static void test_calls(void **state)
{
    static const char *const limits[] = {"", "class=discrete,local_is_real=1"};
    player p = {.state = 2026};
    const int plans = support_full() ? 200 : support_tiny() ? 2 : 16;

    (void)state;
    for (int k = 0; k < plans; k++) {
        p.ctx = lent_context(limits[k % 2]);
        play_plan(&p);
    }
    assert_true(p.done > 0 && p.refused > 0);
    print_message("%u calls done, %u refused\n", p.done, p.refused);
}

/* ---- cells ---- */

/* Refines what there is, and computes its limits. */
static void use_mesh(clsp_context *ctx, clsp_solid_mesh *mesh)
{
    clsp_solid_counts counts;
    clsp_solid_mesh *fine;

    assert_ok(ctx, clsp_solid_mesh_counts(mesh, &counts));
    double *const points = calloc(counts.num_vertices + 1, sizeof *points);
    double *const limits = malloc((counts.num_vertices + 1) * sizeof *limits);
    assert_true(points && limits);
    assert_ok(ctx, clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 1,
                                           clsp_in_f64(points, counts.num_vertices),
                                           clsp_out_f64(limits, counts.num_vertices), NULL));
    for (size_t k = 0; k < counts.num_vertices; k++)
        assert_true(limits[k] == 0.0); /* weights are numbers */
    assert_ok(ctx, clsp_solid_mesh_refine(&fine, mesh));
    clsp_solid_mesh_destroy(&fine);
    free(points);
    free(limits);
}

/* Spoils what a mesh is made of; there is never less memory than it says. */
static void spoil_cells(uint64_t *state, solid_case *solid, clsp_solid_cells *cells)
{
    uint32_t *const index = &solid->cell[random_below(state, (uint32_t)(8 * solid->num_cells))];

    switch (random_below(state, 6)) {
    case 0:
        *index = random_below(state, (uint32_t)solid->num_points);
        break;
    case 1:
        *index = strange_number(state);
        break;
    case 2:
        cells->num_vertices = strange_size(state) % 0x100000;
        break;
    case 3:
        cells->num_cells = random_below(state, (uint32_t)solid->num_cells + 1);
        break;
    case 4:
        cells->num_indices = random_below(state, (uint32_t)(8 * solid->num_cells));
        break;
    default:
        cells->reserved[3] = 1;
        break;
    }
}

/* Makes a mesh of cells that may be wrong; returns whether it was refused. */
static bool try_cells(clsp_context *ctx, uint64_t *state)
{
    solid_case solid = random_solid(state);
    clsp_solid_cells cells = cells_of(&solid);
    uint8_t *const kinds = malloc(solid.num_cells);
    uint32_t marked[6];
    clsp_solid_mesh *mesh = NULL;

    assert_non_null(kinds);
    memset(kinds, CLSP_SOLID_HEXAHEDRON, solid.num_cells);
    for (size_t i = 0; i < COUNT(marked); i++)
        marked[i] = random_below(state, (uint32_t)solid.num_points);
    if (one_in(state, 4)) kinds[0] = (uint8_t)random_below(state, 50);
    cells.kinds = kinds;
    if (one_in(state, 4)) {
        cells.crease = marked;
        cells.num_creases = COUNT(marked) / 2;
    }
    if (one_in(state, 4)) {
        cells.corner = marked;
        cells.num_corners = COUNT(marked);
    }
    if (!one_in(state, 4)) spoil_cells(state, &solid, &cells);
    const clsp_status status = clsp_solid_mesh_create(&mesh, ctx, &cells);
    assert_true((status == CLSP_OK) == (mesh != NULL));
    if (status == CLSP_OK)
        use_mesh(ctx, mesh);
    else
        check_refused(ctx, status);
    clsp_solid_mesh_destroy(&mesh);
    solid_free(&solid);
    free(kinds);
    return status != CLSP_OK;
}

static void test_cells(void **state)
{
    clsp_context *ctx = context_with("");
    uint64_t random = 11;
    unsigned refused = 0;

    (void)state;
    for (int k = 0; k < (support_full() ? 20000 : support_tiny() ? 50 : 1000); k++)
        refused += try_cells(ctx, &random);
    assert_true(refused > 0);
    print_message("%u refused\n", refused);
    clsp_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_cells),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
