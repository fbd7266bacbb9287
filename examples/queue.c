/* queue.c: vertices and indices in OpenCL buffers, on a queue of your own. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, which every version has */
#include <CL/cl.h>
#include <clspline/clspline.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATCHES = 2, SAMPLES = 33, STRIDE = 8 }; /* a vertex is x y z, nx ny nz, u v */

static void check(int status, const char *what)
{
    if (status == CLSP_OK) return;
    fprintf(stderr, "%s: %s\n", what, clsp_status_str(status));
    exit(1);
}

/* Bicubic patches in a row, each with a bump. */
static void make_control_points(float points[PATCHES][4][4][3])
{
    for (int p = 0; p < PATCHES; p++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                const int inner = (i == 1 || i == 2) && (j == 1 || j == 2);
                points[p][i][j][0] = (float)(3 * p + i);
                points[p][i][j][1] = (float)j;
                points[p][i][j][2] = inner ? 2.0f : 0.0f;
            }
}

int main(void)
{
    const clsp_bezier_desc desc = {
        .degree = {3, 3},
        .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
        .vertex = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL | CLSP_VERTEX_PARAMS,
                   .stride = STRIDE},
        .watertight = 1};
    const clsp_range patches = {.first = 0, .count = PATCHES};
    static float control[PATCHES][4][4][3];
    clsp_device_info device = {0};
    clsp_mesh_size size = {0};
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    size_t num_devices = 0;
    cl_int error = CL_SUCCESS;

    /* what a renderer has; here any device will do */
    check(clsp_device_list(&device, 1, &num_devices), "devices");
    if (num_devices == 1) check(CLSP_ERROR_NO_DEVICE, "devices"); /* the host is the last one */
    cl_context context = clCreateContext(NULL, 1, &device.id, NULL, NULL, &error);
    check(error, "context");
    cl_command_queue queue = clCreateCommandQueue(context, device.id, 0, &error);
    check(error, "queue");

    make_control_points(control);
    check(clsp_context_create(&ctx, queue, NULL), "clspline on the queue");
    check(clsp_bezier_plan_create(&plan, ctx, &desc), "plan");
    const clsp_input points = clsp_in_f32(&control[0][0][0][0], PATCHES * 4 * 4 * 3);
    check(clsp_patch_set_control_points(plan, PATCHES, points, NULL), "control points");
    check(clsp_patch_mesh_size(plan, patches, &size), "sizes");

    const size_t vertex_bytes = size.vertices * STRIDE * sizeof(float);
    const size_t index_bytes = size.triangles * 3 * sizeof(cl_uint);
    cl_mem vertices = clCreateBuffer(context, CL_MEM_READ_WRITE, vertex_bytes, NULL, &error);
    check(error, "vertex buffer");
    cl_mem indices = clCreateBuffer(context, CL_MEM_READ_WRITE, index_bytes, NULL, &error);
    check(error, "index buffer");

    cl_event made[2]; /* vertices, indices */
    const clsp_run vertices_done = {.done = &made[0]}, indices_done = {.done = &made[1]};
    check(clsp_patch_eval(plan, patches, clsp_out_buffer(vertices, CLSP_F32, 0), &vertices_done),
          "vertices");
    check(clsp_patch_indices(plan, CLSP_FACES_TRIANGLES, patches,
                             clsp_out_buffer(indices, CLSP_U32, 0), &indices_done),
          "indices");

    /* a command of your own that waits for both; a renderer would draw */
    float *vertex = malloc(vertex_bytes);
    cl_uint *index = malloc(index_bytes);
    if (!vertex || !index) return 1;
    check(clEnqueueReadBuffer(queue, vertices, CL_FALSE, 0, vertex_bytes, vertex, 2, made, NULL),
          "read vertices");
    check(clEnqueueReadBuffer(queue, indices, CL_TRUE, 0, index_bytes, index, 2, made, NULL),
          "read indices");

    int wrong = 0;
    for (size_t i = 0; i < size.vertices; i++) {
        const float *n = vertex + i * STRIDE + 3;
        if (fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) > 1e-5f || n[2] <= 0) wrong++;
    }
    for (size_t i = 0; i < 3 * size.triangles; i++)
        if (index[i] >= size.vertices) wrong++;
    const float *middle = vertex + (SAMPLES * SAMPLES / 2) * STRIDE;
    printf("%zu vertices, %zu triangles; at (%g, %g) the first patch is (%g, %g, %g)\n",
           size.vertices, size.triangles, middle[6], middle[7], middle[0], middle[1], middle[2]);

    free(index);
    free(vertex);
    for (int i = 0; i < 2; i++)
        clReleaseEvent(made[i]);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    clReleaseMemObject(indices);
    clReleaseMemObject(vertices);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong > 0;
}
