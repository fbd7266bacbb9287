/* Points of refined meshes by the device, through every kind of memory, against those by the host
   and explicit subdivision. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <clspline/clspline.h>

#include "memory_fixture.h"
#include "solid_fixture.h"
#include "solid_cases.h"
#include "solid_ref.h"
#include "support.h"

/* A mesh with points of any dim, and those of its refinement as the host makes them. */
typedef struct moved_mesh {
    clsp_solid_mesh *mesh;
    uint32_t dim;
    size_t num, num_fine; /* reals */
    double *points, *fine[2];
    float *narrow;
} moved_mesh;

/* Makes a model of cells; its points are representable as floats. */
static moved_mesh model_of(const clsp_solid_cells *cells, uint32_t dim, uint64_t seed)
{
    moved_mesh m = {.dim = dim};
    clsp_solid_counts counts;

    assert_ok(ctx, clsp_solid_mesh_create(&m.mesh, ctx, cells));
    assert_ok(ctx, clsp_solid_mesh_counts(m.mesh, &counts));
    m.num = counts.num_vertices * dim;
    m.num_fine =
        (counts.num_vertices + counts.num_edges + counts.num_faces + counts.num_cells) * dim;
    m.points = malloc(m.num * sizeof *m.points);
    m.narrow = malloc(m.num * sizeof *m.narrow);
    for (size_t i = 0; i < m.num; i++)
        m.points[i] = m.narrow[i] = (float)support_uniform(&seed);
    for (int rule = 0; rule < 2; rule++) {
        m.fine[rule] = malloc(m.num_fine * sizeof *m.fine[rule]);
        assert_ok(ctx, clsp_solid_refine_points(m.mesh, (clsp_solid_rule)rule, dim,
                                                clsp_in_f64(m.points, m.num),
                                                clsp_out_f64(m.fine[rule], m.num_fine), NULL));
    }
    return m;
}

static void model_release(moved_mesh *m)
{
    clsp_solid_mesh_destroy(&m->mesh);
    free(m->points);
    free(m->narrow);
    free(m->fine[0]);
    free(m->fine[1]);
}

static clsp_solid_cells cells_of(const solid_case *solid)
{
    return (clsp_solid_cells){.num_vertices = solid->num_points,
                              .num_cells = solid->num_cells,
                              .index = solid->cell,
                              .num_indices = 8 * solid->num_cells,
                              .crease = solid->crease,
                              .num_creases = solid->num_creases};
}

/* Returns the largest difference from the host's points, in 4 eps: points are at most 1. */
static double worst_of(const moved_mesh *m, clsp_solid_rule rule, clsp_type type, const void *fine)
{
    const double bound = type == CLSP_F64 ? 0x1p-50 : 0x1p-21;
    double worst = 0.0;

    for (size_t i = 0; i < m->num_fine; i++) {
        const double got =
            type == CLSP_F64 ? ((const double *)fine)[i] : (double)((const float *)fine)[i];
        const double off = fabs(got - m->fine[rule][i]) / bound;
        worst = off <= worst ? worst : off; /* NaN too */
    }
    return worst;
}

/* Refines from memory of one kind to that of another, twice, and checks points, events, and what is
   around. */
static double refine(const moved_mesh *m, clsp_solid_rule rule, clsp_type type,
                     const store_kind kinds[2])
{
    const void *const points = type == CLSP_F64 ? (void *)m->points : (void *)m->narrow;
    store from = store_make(ctx, kinds[0], type, 3, m->num, points);
    store to = store_make(ctx, kinds[1], type, 5, m->num_fine, NULL);
    store again = store_make(ctx, kinds[1], type, 0, m->num_fine, NULL);
    cl_event first, second;
    const clsp_run one = {.done = &first}, two = {.num_wait = 1, .wait = &first, .done = &second};

    assert_ok(ctx, clsp_solid_refine_points(m->mesh, rule, m->dim, store_in(&from), store_out(&to),
                                            &one));
    assert_ok(ctx, clsp_solid_refine_points(m->mesh, rule, m->dim, store_in(&from),
                                            store_out(&again), &two));
    assert_int_equal(clWaitForEvents(1, &second), CL_SUCCESS);
    clReleaseEvent(first);
    clReleaseEvent(second);
    const unsigned char *const fine = store_read(&to);
    assert_memory_equal(store_read(&again), fine, m->num_fine * clsp_type_bytes(type));
    const double worst = worst_of(m, rule, type, fine);
    store_free(&from);
    store_free(&to);
    store_free(&again);
    return worst;
}

/* ---- meshes ---- */

/* Refines a model by both rules in both precisions on the device. */
static double refine_all(const moved_mesh *m)
{
    static const store_kind kinds[2] = {BUFFER, BUFFER};
    double worst = 0.0;

    for (clsp_type type = CLSP_F32; type <= CLSP_F64; type++)
        for (int rule = 0; rule < 2; rule++)
            if (type == CLSP_F32 || support_device().fp64)
                worst = support_worse(worst, refine(m, (clsp_solid_rule)rule, type, kinds));
    return worst;
}

static void test_meshes(void **state)
{
    static const uint32_t dim[] = {3, 1, 4, 16, 2}, sectors[] = {0, 3, 5, 6, 12};
    double worst = 0.0;

    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        solid_case solid = i == 0 ? solid_box(2, 3, 4) : solid_prism(sectors[i], i % 2 == 0, 3);
        if (i % 2) solid_crease(&solid, 0.5);
        const clsp_solid_cells cells = cells_of(&solid);
        moved_mesh m = model_of(&cells, dim[i], i);
        worst = support_worse(worst, refine_all(&m));
        model_release(&m);
        solid_free(&solid);
    }
    solid_case rod = solid_read_vtk(DATA_FOLDER "/rod.vtk");
    const clsp_solid_cells cells = cells_of(&rod);
    moved_mesh m = model_of(&cells, 3, 7);
    worst = support_worse(worst, refine_all(&m));
    model_release(&m);
    solid_free(&rod);
    print_message("worst/bound: %.3f\n", worst);
    assert_true(worst <= 1.0);
}

/* Checks that the last error's message has some words. */
static void check_words(const char *words)
{
    char text[256];

    clsp_context_last_error(ctx, text, sizeof text);
    if (!strstr(text, words)) fail_msg("\"%s\" is not in: %s", words, text);
}

/* Checks the creases of a mesh: how many there are, the largest sharpness that is not endless,
   and after how many steps all stay. */
static void check_creases(const clsp_solid_mesh *mesh, size_t num, float most, uint32_t steps)
{
    clsp_solid_counts counts;

    assert_ok(ctx, clsp_solid_mesh_counts(mesh, &counts));
    assert_int_equal(counts.num_creases, num);
    assert_int_equal(counts.fading_steps, steps);
    float largest = 0.0f;
    for (size_t i = 0; i < num; i++) {
        assert_true(counts.crease[2 * i] < counts.num_vertices);
        assert_true(counts.crease[2 * i + 1] < counts.num_vertices);
        if (isfinite(counts.sharpness[i])) largest = fmaxf(largest, counts.sharpness[i]);
    }
    assert_true(largest == most);
}

/* Creases that fade: their points by the device, their children, and what asks that none is left;
   one of 12 stays. */
static void test_fading(void **state)
{
    solid_case box = solid_box(2, 1, 1);
    clsp_solid_cells cells = cells_of(&box);
    const uint32_t crease[] = {box.cell[0], box.cell[1], box.cell[3], box.cell[0],
                               box.cell[0], box.cell[4], box.cell[0], box.cell[1]};
    float sharpness[] = {1.5f, 12.0f, 0.75f, 0.5f};
    const clsp_solid_desc desc = {.axis = {{.num = 2}, {.num = 2}, {.num = 2}}};
    clsp_solid_mesh *fine;
    clsp_solid_plan *plan;

    (void)state;
    cells.crease = crease;
    cells.num_creases = 4;
    cells.sharpness = sharpness;
    moved_mesh m = model_of(&cells, 3, 5);
    const double worst = refine_all(&m);
    print_message("worst/bound: %.3f\n", worst);
    assert_true(worst <= 1.0);
    check_creases(m.mesh, 3, 1.5f, 2);
    assert_status(ctx, clsp_solid_plan_create(&plan, m.mesh, &desc), CLSP_ERROR_ARGUMENT);
    check_words("refine it 2 more times");
    assert_status(ctx,
                  clsp_solid_limit_points(m.mesh, CLSP_SOLID_VERTICES, 3,
                                          clsp_in_f64(m.points, m.num),
                                          clsp_out_f64(m.fine[0], m.num), NULL),
                  CLSP_ERROR_ARGUMENT);
    for (uint32_t step = 0; step < 2; step++) {
        assert_ok(ctx, clsp_solid_mesh_refine(&fine, m.mesh));
        check_creases(fine, 4, step == 0 ? 0.5f : 0.0f, 1 - step);
        clsp_solid_mesh_destroy(&m.mesh);
        m.mesh = fine;
    }
    assert_ok(ctx, clsp_solid_plan_create(&plan, m.mesh, &desc));
    clsp_solid_plan_destroy(&plan);
    model_release(&m);
    for (int i = 0; i < 3; i++) {
        sharpness[3] = i == 0 ? 0.0f : i == 1 ? -1.0f : NAN;
        assert_status(ctx, clsp_solid_mesh_create(&fine, ctx, &cells), CLSP_ERROR_ARGUMENT);
        check_words("crease 3 has a sharpness");
    }
    solid_free(&box);
}

/* Cells that are no hexahedra, with a crease and a corner. */
static void test_polyhedra(void **state)
{
    static const uint32_t index[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 6};
    static const uint8_t kinds[] = {CLSP_SOLID_WEDGE, CLSP_SOLID_TETRAHEDRON};
    static const uint32_t crease[] = {3, 4}, corner[] = {5};
    const clsp_solid_cells cells = {.num_vertices = 7,
                                    .num_cells = 2,
                                    .kinds = kinds,
                                    .index = index,
                                    .num_indices = 10,
                                    .crease = crease,
                                    .num_creases = 1,
                                    .corner = corner,
                                    .num_corners = 1};
    moved_mesh m = model_of(&cells, 5, 11);
    const double worst = refine_all(&m);

    (void)state;
    print_message("worst/bound: %.3f\n", worst);
    assert_true(worst <= 1.0);
    model_release(&m);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    solid_case solid = solid_prism(5, 1, 2);
    const clsp_solid_cells cells = cells_of(&solid);
    moved_mesh m = model_of(&cells, 3, 3);

    (void)state;
    support_needs_opencl(ctx);
    for (int i = 0; i < STORE_KINDS * STORE_KINDS; i++) {
        const store_kind kinds[2] = {(store_kind)(i / STORE_KINDS), (store_kind)(i % STORE_KINDS)};
        if (!has_kind(ctx, kinds[0]) || !has_kind(ctx, kinds[1])) continue;
        assert_true(refine(&m, CLSP_SOLID_TENSOR, CLSP_F32, kinds) <= 1.0);
    }
    model_release(&m);
    solid_free(&solid);
}

/* On the host types may differ. */
static void test_host_types(void **state)
{
    solid_case solid = solid_box(1, 2, 2);
    const clsp_solid_cells cells = cells_of(&solid);
    moved_mesh m = model_of(&cells, 3, 5);
    double *const fine = malloc(m.num_fine * sizeof *fine);

    (void)state;
    assert_ok(ctx,
              clsp_solid_refine_points(m.mesh, CLSP_SOLID_TENSOR, 3, clsp_in_f32(m.narrow, m.num),
                                       clsp_out_f64(fine, m.num_fine), NULL));
    assert_memory_equal(fine, m.fine[0], m.num_fine * sizeof *fine);
    free(fine);
    model_release(&m);
    solid_free(&solid);
}

/* ---- behind a gate ---- */

/* Calls from and to buffers only enqueue; a mesh may end behind them, and so may the points. */
static void test_queued(void **state)
{
    solid_case solid = solid_prism(5, 1, 2);
    const clsp_solid_cells cells = cells_of(&solid);
    moved_mesh m = model_of(&cells, 3, 17);
    store from = store_make(ctx, BUFFER, CLSP_F32, 3, m.num, m.narrow), to[2];
    cl_int code, status = -1;
    const cl_event event = clCreateUserEvent(cl_context_of(ctx), &code);
    cl_event done = NULL;
    const clsp_run run = {.num_wait = 1, .wait = &event, .done = &done};
    const bool waits = support_waits(ctx);
    support_gate gate;

    (void)state;
    assert_int_equal(code, CL_SUCCESS);
    for (int rule = 0; rule < 2; rule++) {
        to[rule] = store_make(ctx, BUFFER, CLSP_F32, 5, m.num_fine, NULL);
        assert_ok(ctx, clsp_solid_refine_points(m.mesh, (clsp_solid_rule)rule, 3, store_in(&from),
                                                store_out(&to[rule]), NULL)); /* with stencils */
        store_free(&to[rule]);
    }
    if (waits) support_open_soon(&gate, event);
    for (int rule = 0; rule < 2; rule++) {
        to[rule] = store_make(ctx, BUFFER, CLSP_F32, 5, m.num_fine, NULL);
        assert_ok(ctx, clsp_solid_refine_points(m.mesh, (clsp_solid_rule)rule, 3, store_in(&from),
                                                store_out(&to[rule]), rule ? NULL : &run));
        if (waits || rule) continue;
        assert_int_equal(
            clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
            CL_SUCCESS);
        assert_true(status > CL_COMPLETE);
        support_open_soon(&gate, event);
    }
    store_free(&from);
    clsp_solid_mesh_destroy(&m.mesh);
    support_opened(&gate);
    clReleaseEvent(done);
    for (int rule = 0; rule < 2; rule++) {
        assert_true(worst_of(&m, (clsp_solid_rule)rule, CLSP_F32, store_read(&to[rule])) <= 1.0);
        store_free(&to[rule]);
    }
    model_release(&m);
    solid_free(&solid);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 6 };

/* A thread that refines a mesh's points as others do at the same time. */
typedef struct caller {
    const moved_mesh *m;
    clsp_solid_rule rule;
    store from, to;
    clsp_status status;
} caller;

static void *call(void *argument)
{
    caller *const c = argument;

    for (int i = 0; i < ROUNDS && c->status == CLSP_OK; i++)
        c->status = clsp_solid_refine_points(c->m->mesh, c->rule, c->m->dim, store_in(&c->from),
                                             store_out(&c->to), NULL);
    return NULL;
}

static void test_threads(void **state)
{
    solid_case solid = solid_prism(5, 1, 2);
    const clsp_solid_cells cells = cells_of(&solid);
    moved_mesh m = model_of(&cells, 3, 13);
    pthread_t threads[THREADS];
    caller all[THREADS];

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        all[i] = (caller){.m = &m, .rule = (clsp_solid_rule)(i % 2)};
        all[i].from = store_make(ctx, i < 2 ? BUFFER : HOST, CLSP_F32, 0, m.num, m.narrow);
        all[i].to = store_make(ctx, BUFFER, CLSP_F32, 0, m.num_fine, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, &all[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_ok(ctx, all[i].status);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_true(worst_of(&m, all[i].rule, CLSP_F32, store_read(&all[i].to)) <= 1.0);
        store_free(&all[i].from);
        store_free(&all[i].to);
    }
    model_release(&m);
    solid_free(&solid);
}

/* ---- the way to a plan ---- */

/* Points that stay on the device from the mesh's to those of its refinement's plan have the limits
   of explicit subdivision. */
static void test_plan(void **state)
{
    solid_case solid = solid_prism(3, 1, 2);
    const clsp_solid_cells cells = cells_of(&solid);
    const clsp_solid_desc desc = {
        .axis = {{1, 0.5, 0.5, NULL}, {1, 0.5, 0.5, NULL}, {1, 0.5, 0.5, NULL}}};
    moved_mesh m = model_of(&cells, 3, 9);
    clsp_solid_mesh *fine;
    clsp_solid_plan *plan;
    store from = store_make(ctx, BUFFER, CLSP_F32, 0, m.num, m.narrow);
    store to = store_make(ctx, BUFFER, CLSP_F32, 0, m.num_fine, NULL);
    float *const limits = malloc(8 * solid.num_cells * 3 * sizeof *limits);
    uint32_t *const corner = malloc(8 * solid.num_cells * sizeof *corner);
    double worst = 0.0;

    (void)state;
    for (size_t i = 0; i < 8 * solid.num_cells; i++)
        corner[i] = solid.cell[i - i % 8 +
                               (i % 4 == 2   ? i % 8 + 1
                                : i % 4 == 3 ? i % 8 - 1
                                             : i % 8)];
    const ref_solid ref = {.num_cells = solid.num_cells, .cell = corner, .point = m.points};
    assert_ok(ctx, clsp_solid_mesh_refine(&fine, m.mesh));
    assert_ok(ctx, clsp_solid_plan_create(&plan, fine, &desc));
    assert_ok(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_TENSOR, 3, store_in(&from),
                                            store_out(&to), NULL));
    assert_ok(ctx, clsp_solid_set_control_points(plan, store_in(&to), NULL));
    assert_ok(ctx, clsp_solid_eval(plan, (clsp_range){0, 8 * solid.num_cells},
                                   clsp_out_f32(limits, 8 * solid.num_cells * 3), NULL));
    for (size_t c = 0; c < 8 * solid.num_cells; c += 3) {
        const long double t[3] = {0.25L + 0.5L * (c & 1), 0.25L + 0.5L * (c >> 1 & 1),
                                  0.25L + 0.5L * (c >> 2 & 1)};
        long double limit[3];
        ref_solid_limit(&ref, c / 8, t, 20, limit);
        for (size_t k = 0; k < 3; k++)
            worst = support_worse(worst, fabs((double)(limits[3 * c + k] - limit[k])));
    }
    assert_true(worst < 0x1p-21 + 1.5e-7);
    store_free(&from);
    store_free(&to);
    free(limits);
    free(corner);
    clsp_solid_plan_destroy(&plan);
    clsp_solid_mesh_destroy(&fine);
    model_release(&m);
    solid_free(&solid);
}

/* ---- bad arguments ---- */

static void test_bad(void **state)
{
    solid_case solid = solid_box(1, 1, 2);
    const clsp_solid_cells cells = cells_of(&solid);
    moved_mesh m = model_of(&cells, 3, 1);
    store from = store_make(ctx, BUFFER, CLSP_F32, 0, m.num, m.narrow);
    store to = store_make(ctx, BUFFER, CLSP_F32, 0, m.num_fine, NULL);
    const clsp_input in = store_in(&from);
    const clsp_output out = store_out(&to);
    const clsp_run reserved = {.reserved = {1}};
    clsp_output bad = out;

    (void)state;
    assert_int_equal(clsp_solid_refine_points(NULL, CLSP_SOLID_JOY, 3, in, out, NULL),
                     CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_JOY, 17, in, out, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_JOY, 3, in, out, &reserved),
                  CLSP_ERROR_ARGUMENT);
    assert_status(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_JOY, 4, in, out, NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    bad.type = CLSP_F64;
    assert_status(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_JOY, 3, in, bad, NULL),
                  CLSP_ERROR_ARGUMENT);
    bad = out;
    bad.offset = m.num_fine;
    assert_status(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_JOY, 3, in, bad, NULL),
                  CLSP_ERROR_BUFFER_SIZE);
    bad = clsp_out_f32(NULL, m.num_fine);
    assert_status(ctx, clsp_solid_refine_points(m.mesh, CLSP_SOLID_JOY, 3, in, bad, NULL),
                  CLSP_ERROR_ARGUMENT);
    assert_poison(store_read(&to), m.num_fine * sizeof(float));
    store_free(&from);
    store_free(&to);
    model_release(&m);
    solid_free(&solid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes),  cmocka_unit_test(test_polyhedra),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_host_types),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_plan),
        cmocka_unit_test(test_bad),     cmocka_unit_test(test_fading),
        cmocka_unit_test(test_queued),
    };

    support_begin();
    return solid_run_tests(tests);
}
