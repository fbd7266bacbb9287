/* A program of somebody else: finds clspline by a build system, not by this tree, and computes with
   it on the host, without OpenCL's headers and loader. */
#include <clspline/clspline.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    const clsp_bezier_desc desc = {.degree = {1, 1}, .axis = {{.num = 3}, {.num = 3}}};
    const clsp_context_opts opts = {.device = "host"};
    const float corners[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1};
    float points[27] = {0};
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    clsp_status status = clsp_context_create(&ctx, NULL, &opts);

    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK)
        status = clsp_patch_set_control_points(plan, 1, clsp_in_f32(corners, 12), NULL);
    if (status == CLSP_OK)
        status = clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(points, 27), NULL);
    printf("clspline " CLSP_VERSION_STRING ": %s; the middle is (%g, %g, %g)\n",
           clsp_status_str(status), points[12], points[13], points[14]);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status != CLSP_OK || fabsf(points[12] - 0.5f) > 1e-6f ||
           fabsf(points[13] - 0.5f) > 1e-6f || fabsf(points[14] - 0.25f) > 1e-6f;
}
