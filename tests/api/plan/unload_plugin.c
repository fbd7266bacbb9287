/* A plugin that holds the static library: test_unload.c loads it and lets it go. */
#include <clspline/clspline.h>

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
clsp_status
unload_enqueue(cl_command_queue queue, cl_event gate, cl_mem params, cl_mem out, size_t num);

/* Enqueues points of the line from the origin to (1, 2, 3) behind a gate, and ends all that it has
   made. params: [num], out: [num][3], floats. */
clsp_status unload_enqueue(cl_command_queue queue, cl_event gate, cl_mem params, cl_mem out,
                           size_t num)
{
    static const float ends[2][3] = {{0, 0, 0}, {1, 2, 3}};
    const clsp_bezier_desc desc = {.form = CLSP_BEZIER_CURVE, .degree = {1}};
    const clsp_points points = {.num = num, .params = clsp_in_buffer(params, CLSP_F32, 0)};
    const clsp_run run = {.num_wait = 1, .wait = &gate};
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;

    clsp_status status = clsp_context_create(&ctx, queue, NULL);
    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK)
        status = clsp_patch_set_control_points(plan, 1, clsp_in_f32(*ends, 6), NULL);
    if (status == CLSP_OK)
        status = clsp_patch_eval_points(plan, &points, clsp_out_buffer(out, CLSP_F32, 0), &run);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status;
}
