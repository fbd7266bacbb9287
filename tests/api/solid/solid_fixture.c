#include "solid_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support.h"
#include "bezier_fixture.h"
#include "memory_fixture.h"

clsp_context *ctx;
const char *solid_limits;

const uint8_t vtk_corner[8] = {0, 1, 3, 2, 4, 5, 7, 6};

const clsp_axis axes_of_4[3] = {{4, 0, 1, NULL}, {4, 0, 1, NULL}, {4, 0, 1, NULL}};
const clsp_axis odd_axes[3] = {{3, 0, 1, NULL}, {1, 0.25, 0.5, NULL}, {5, 1, 0, NULL}};
const clsp_axis inner_axes[3] = {
    {2, 0.3125, 0.7, NULL}, {3, 0.2, 0.59, NULL}, {2, 0.8, 0.1875, NULL}};
const clsp_axis axes_of_9[3] = {{9, 0, 1, NULL}, {9, 0, 1, NULL}, {9, 0, 1, NULL}};

const char *const machine_parts[MACHINE_PARTS] = {"rod.vtk", "mount1.vtk"};

int solid_open(void **state)
{
    const clsp_context_opts opts = {.limits = solid_limits};

    (void)state;
    return clsp_context_create(&ctx, NULL, &opts) == CLSP_OK ? 0 : -1;
}

int solid_close(void **state)
{
    (void)state;
    clsp_context_destroy(&ctx);
    return 0;
}

int solid_run(const char *name, const struct CMUnitTest *tests, size_t num)
{
    const bool is_host = support_device().device_class == CLSP_CLASS_CPU && !given_limits();
    const int failed = _cmocka_run_group_tests(name, tests, num, solid_open, solid_close);

    if (!is_host) return failed;
    solid_limits = "class=discrete,local_is_real=1";
    return failed + _cmocka_run_group_tests(name, tests, num, solid_open, solid_close);
}

clsp_solid_mesh *solid_mesh_of(const solid_case *solid)
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

model solid_model_of(const solid_case *solid, uint32_t dim)
{
    model m = {.mesh = solid_mesh_of(solid),
               .dim = dim,
               .crease = solid->crease,
               .num_creases = solid->num_creases};

    assert_ok(ctx, clsp_solid_mesh_counts(m.mesh, &m.counts));
    m.points = malloc(m.counts.num_vertices * dim * sizeof *m.points);
    m.corner = malloc(m.counts.num_cells * 8 * sizeof *m.corner);
    for (size_t i = 0; i < m.counts.num_vertices * dim; i++) {
        const double x = solid->point[3 * (i / dim) + i % dim % 3];
        m.points[i] = (float)(i % dim < 3 ? x : x * x);
        m.scale = fmax(m.scale, fabs(m.points[i]));
    }
    for (size_t i = 0; i < 8 * m.counts.num_cells; i++)
        m.corner[i - i % 8 + vtk_corner[i % 8]] = solid->cell[i];
    return m;
}

void solid_model_free(model *m)
{
    clsp_solid_mesh_destroy(&m->mesh);
    free(m->points);
    free(m->corner);
}

solid_case read_machine_part(const char *name)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", DATA_FOLDER, name);
    solid_case solid = solid_read_vtk(path);
    assert_int_not_equal(solid.num_cells, 0);
    return solid;
}

clsp_solid_plan *solid_plan_of(const model *m, const clsp_solid_desc *desc)
{
    const size_t num = m->counts.num_vertices * m->dim;
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

clsp_status solid_eval_by_device(clsp_solid_plan *plan, clsp_range cells, clsp_output out)
{
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    clsp_tiling tiling = {.num_tiles = 0};
    const clsp_status status = clsp_solid_eval(plan, cells, none, &(clsp_run){.tiling = &tiling});
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = {0, tiling.num_tiles}};

    if (status != CLSP_OK) return status;
    return clsp_solid_eval(plan, cells, out,
                           tiling.num_tiles > 0 ? &(clsp_run){.share = &share} : NULL);
}

clsp_status solid_eval_list(clsp_solid_plan *plan, const clsp_points *points, clsp_output out,
                            clsp_schedule schedule)
{
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    const bool has_share = schedule != CLSP_SCHEDULE_DEFAULT;
    clsp_tiling tiling = {.num_tiles = 0};
    const clsp_status status =
        clsp_solid_eval_points(plan, points, none, &(clsp_run){.tiling = &tiling});
    const clsp_share share = {.schedule = schedule, .tiles = {0, tiling.num_tiles}};

    if (status != CLSP_OK) return status;
    return clsp_solid_eval_points(
        plan, points, out, has_share && tiling.num_tiles ? &(clsp_run){.share = &share} : NULL);
}

double *solid_eval_all(clsp_solid_plan *plan, clsp_range cells, size_t reals)
{
    const size_t num = cells.count * reals;
    double *const all = malloc((num + 1) * sizeof *all);
    clsp_solid_desc desc;

    assert_ok(ctx, clsp_solid_plan_desc(plan, &desc));
    void *const made = malloc((num + 1) * sizeof(double));
    support_poison(made, (num + 1) * sizeof(double));
    assert_ok(ctx, solid_eval_by_device(plan, cells, host_out(desc.vertex.type, made, num)));
    for (size_t i = 0; i < num; i++)
        all[i] = element_of(made, desc.vertex.type, i);
    free(made);
    return all;
}

uint32_t solid_attribute(const uint32_t by[3])
{
    static const uint32_t attribute[3][3][3] = {
        {{CLSP_VERTEX_POINT, CLSP_VERTEX_DW, CLSP_VERTEX_DWW},
         {CLSP_VERTEX_DV, CLSP_VERTEX_DVW},
         {CLSP_VERTEX_DVV}},
        {{CLSP_VERTEX_DU, CLSP_VERTEX_DUW}, {CLSP_VERTEX_DUV}},
        {{CLSP_VERTEX_DUU}}};

    return attribute[by[0]][by[1]][by[2]];
}

double solid_sample_at(const clsp_axis *axis, uint32_t a)
{
    const double last = axis->num > 1 ? axis->num - 1.0 : 1.0;
    return (axis->begin * (last - a) + axis->end * a) / last;
}

double off_by_weights(clsp_solid_plan *plan, const clsp_solid_param *param, const double *points,
                      const double value[3])
{
    enum { MOST = 4096 };
    static uint32_t vertices[MOST];
    static double weights[MOST];
    size_t num = MOST;
    double worst = 0.0;

    assert_ok(ctx, clsp_solid_weights(plan, param, vertices, weights, &num));
    for (size_t k = 0; k < 3; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < num; i++)
            sum += weights[i] * points[3 * (size_t)vertices[i] + k];
        worst = support_worse(worst, fabs(sum - value[k]));
    }
    size_t few = num - 1;
    assert_status(ctx, clsp_solid_weights(plan, param, vertices, weights, &few),
                  CLSP_ERROR_BUFFER_SIZE);
    assert_int_equal(few, num);
    return worst;
}
