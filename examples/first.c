/* first.c: one bicubic patch at 5 x 5 points. */
#include <clspline/clspline.h>
#include <stdio.h>

int main(void)
{
    const clsp_bezier_desc desc = {.degree = {3, 3}, .axis = {{.num = 5}, {.num = 5}}};
    const clsp_range patches = {.first = 0, .count = 1};
    float control[4][4][3], points[5][5][3] = {{{0}}};
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int c = 0; c < 3; c++)
                control[i][j][c] = (float)(c == 0 ? i : c == 1 ? j : i * j);
    const clsp_input in = clsp_in_f32(&control[0][0][0], 4 * 4 * 3);
    const clsp_output out = clsp_out_f32(&points[0][0][0], 5 * 5 * 3);
    clsp_status status = clsp_context_create(&ctx, NULL, NULL);
    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK) status = clsp_patch_set_control_points(plan, 1, in, NULL);
    if (status == CLSP_OK) status = clsp_patch_eval(plan, patches, out, NULL);
    printf("%s: the middle is (%g, %g, %g)\n", clsp_status_str(status), points[2][2][0],
           points[2][2][1], points[2][2][2]);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status == CLSP_OK ? 0 : 1;
}
