/* solid.c: the limit of two hexahedra, and how large it is. */
#include <clspline/clspline.h>
#include <stdio.h>

int main(void)
{
    static const uint32_t cells[2][8] = {{0, 1, 4, 3, 6, 7, 10, 9}, {1, 2, 5, 4, 7, 8, 11, 10}};
    const clsp_solid_cells made_of = {
        .num_vertices = 12, .num_cells = 2, .index = &cells[0][0], .num_indices = 16};
    const clsp_solid_desc desc = {.axis = {{.num = 3}, {.num = 3}, {.num = 3}}};
    float points[12][3], samples[2][3][3][3][3] = {{{{{0}}}}}, limits[12][3] = {{0}};
    clsp_context *ctx = NULL;
    clsp_solid_mesh *mesh = NULL;
    clsp_solid_plan *plan = NULL;

    for (int i = 0; i < 12; i++) {
        points[i][0] = (float)(i % 3);
        points[i][1] = (float)(i / 3 % 2);
        points[i][2] = (float)(i / 6);
    }
    const clsp_input in = clsp_in_f32(&points[0][0], 36);
    const clsp_output out = clsp_out_f32(&samples[0][0][0][0][0], 2 * 27 * 3);
    const clsp_range all = {.first = 0, .count = 2};
    clsp_status status = clsp_context_create(&ctx, NULL, NULL);
    if (status == CLSP_OK) status = clsp_solid_mesh_create(&mesh, ctx, &made_of);
    if (status == CLSP_OK)
        status = clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, in,
                                         clsp_out_f32(&limits[0][0], 36), NULL);
    if (status == CLSP_OK) status = clsp_solid_plan_create(&plan, mesh, &desc);
    if (status == CLSP_OK) status = clsp_solid_set_control_points(plan, in, NULL);
    if (status == CLSP_OK) status = clsp_solid_eval(plan, all, out, NULL);
    printf("%s: a corner goes to (%.4f, %.4f, %.4f)\n", clsp_status_str(status), limits[0][0],
           limits[0][1], limits[0][2]);
    const float off = limits[0][0] - samples[0][0][0][0][0];
    clsp_solid_plan_destroy(&plan);
    clsp_solid_mesh_destroy(&mesh);
    clsp_context_destroy(&ctx);
    return status == CLSP_OK && limits[0][0] > 0.1f && off < 1e-6f && off > -1e-6f ? 0 : 1;
}
