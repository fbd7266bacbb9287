/* A program of somebody else whose results stay in a buffer: it brings OpenCL's headers and loader
   itself. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <clspline/clspline.h>

#include <stdio.h>

/* Evaluates a straight line from 0 to 1 into a buffer of the context's, and reads its middle. */
static clsp_status evaluate(clsp_context *ctx, clsp_patch_plan *plan, float *middle)
{
    const float ends[2] = {0, 1};
    cl_command_queue queue = clsp_context_queue(ctx);
    cl_context context = NULL;
    clsp_status status =
        clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    cl_mem points = NULL;

    if (status == CLSP_OK)
        points = clCreateBuffer(context, CL_MEM_READ_WRITE, 3 * sizeof(float), NULL, &status);
    if (status == CLSP_OK)
        status = clsp_patch_set_control_points(plan, 1, clsp_in_f32(ends, 2), NULL);
    if (status == CLSP_OK)
        status =
            clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_buffer(points, CLSP_F32, 0), NULL);
    if (status == CLSP_OK)
        status = clEnqueueReadBuffer(queue, points, CL_TRUE, sizeof(float), sizeof(float), middle,
                                     0, NULL, NULL);
    if (points) clReleaseMemObject(points);
    return status;
}

int main(void)
{
    const clsp_bezier_desc desc = {
        .form = CLSP_BEZIER_CURVE, .dim = 1, .degree = {1}, .axis = {{.num = 3}}};
    const clsp_context_opts opts = {.device = ":"};
    float middle = 0;
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    clsp_status status = clsp_context_create(&ctx, NULL, &opts);

    if (status == CLSP_ERROR_NO_DEVICE) {
        puts("clspline " CLSP_VERSION_STRING ": no OpenCL device");
        return 77;
    }
    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK) status = evaluate(ctx, plan, &middle);
    printf("clspline " CLSP_VERSION_STRING ": %s; the middle is %g\n", clsp_status_str(status),
           middle);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status != CLSP_OK || middle != 0.5f;
}
