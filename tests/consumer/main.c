/* A program of somebody else: finds clspline by a build system, not by this tree, and computes with
   it. */
#include <clspline/clspline.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    const clsp_bezier_desc desc = {.degree_u = 1, .degree_v = 1, .num_u = 3, .num_v = 3};
    const float corners[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1};
    float points[27] = {0};
    clsp_context *ctx = NULL;
    clsp_bezier_plan *plan = NULL;
    clsp_status status = clsp_context_create(&ctx, NULL, NULL);

    if (status == CLSP_ERROR_NO_DEVICE) {
        puts("clspline " CLSP_VERSION_STRING ": no OpenCL device");
        return 77;
    }
    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK) status = clsp_bezier_set_control_points_f32(plan, 1, corners);
    if (status == CLSP_OK) status = clsp_bezier_eval_f32(plan, 0, 1, points);
    printf("clspline " CLSP_VERSION_STRING ": %s; the middle is (%g, %g, %g)\n",
           clsp_status_str(status), points[12], points[13], points[14]);
    clsp_bezier_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status != CLSP_OK || fabsf(points[12] - 0.5f) > 1e-6f ||
           fabsf(points[13] - 0.5f) > 1e-6f || fabsf(points[14] - 0.25f) > 1e-6f;
}
