/* graphics.c: vertices and indices into buffers that a renderer draws from, shared where that can
   be. The renderer is a stand-in with two mapped buffers; a program that draws adds its OpenGL
   names and descriptors to the descriptions. */
#include <clspline/clspline.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 65, STRIDE = 6 }; /* a vertex is x y z, nx ny nz */

static void check(clsp_context *ctx, clsp_status status, const char *what)
{
    char reason[512] = "";
    if (status == CLSP_OK) return;
    clsp_context_last_error(ctx, reason, sizeof(reason));
    fprintf(stderr, "%s: %s: %s\n", what, clsp_status_str(status), reason);
    exit(1);
}

/* A renderer's buffer as a call takes it, by whichever way works. */
static clsp_graphics *share(clsp_context *ctx, void *mapped, size_t bytes)
{
    static const char *const names[] = {"auto", "gl", "external", "staged"};
    const clsp_graphics_desc desc = {.gl_buffer = 0, /* of glGenBuffers */
                                     .handle = CLSP_HANDLE_NONE,
                                     .fd = -1, /* of vkGetMemoryFdKHR */
                                     .host = mapped,
                                     .bytes = bytes};
    clsp_graphics_report report = {.way = CLSP_GRAPHICS_AUTO};
    clsp_graphics *buffer = NULL;

    check(ctx, clsp_graphics_create(&buffer, ctx, &desc), "a buffer");
    check(ctx, clsp_graphics_info(buffer, &report), "its way");
    printf("%zu bytes: way %s\n", report.bytes, names[report.way]);
    for (int way = CLSP_GRAPHICS_GL; way < (int)report.way; way++)
        printf("  not %s: %s\n", names[way], report.reason[way]);
    return buffer;
}

int main(void)
{
    const clsp_bezier_desc desc = {
        .degree = {3, 3},
        .axis = {{.num = SAMPLES}, {.num = SAMPLES}},
        .vertex = {.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL, .stride = STRIDE}};
    const clsp_range patches = {.first = 0, .count = 1};
    /* .gl_context, and .egl_display or .glx_display, of the OpenGL context that is current */
    const clsp_graphics_context graphics = {.device_uuid = NULL};
    const clsp_context_opts opts = {.graphics = &graphics};
    float control[4][4][3];
    clsp_mesh_size size = {0};
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const int inner = (i == 1 || i == 2) && (j == 1 || j == 2);
            const float point[3] = {(float)i, (float)j, inner ? 2.0f : 0.0f};
            memcpy(control[i][j], point, sizeof(point));
        }
    check(NULL, clsp_context_create(&ctx, NULL, &opts), "context");
    check(ctx, clsp_bezier_plan_create(&plan, ctx, &desc), "plan");
    const clsp_input points = clsp_in_f32(&control[0][0][0], 4 * 4 * 3);
    check(ctx, clsp_patch_set_control_points(plan, 1, points, NULL), "control points");
    check(ctx, clsp_patch_mesh_size(plan, patches, &size), "sizes");

    const size_t vertex_bytes = size.vertices * STRIDE * sizeof(float);
    const size_t index_bytes = size.triangles * 3 * sizeof(uint32_t);
    float *mapped_vertices = malloc(vertex_bytes);
    uint32_t *mapped_indices = malloc(index_bytes);
    if (!mapped_vertices || !mapped_indices) check(NULL, CLSP_ERROR_NO_MEMORY, "the renderer");
    clsp_graphics *vertices = share(ctx, mapped_vertices, vertex_bytes);
    clsp_graphics *indices = share(ctx, mapped_indices, index_bytes);

    /* once a frame: each call takes its buffer from graphics and gives it back */
    check(ctx,
          clsp_patch_indices(plan, CLSP_FACES_TRIANGLES, patches,
                             clsp_out_graphics(indices, CLSP_U32, 0), NULL),
          "indices");
    check(ctx, clsp_patch_eval(plan, patches, clsp_out_graphics(vertices, CLSP_F32, 0), NULL),
          "vertices");
    check(ctx, clsp_context_finish(ctx), "waiting");

    const float *last = mapped_vertices + (size.vertices - 1) * STRIDE;
    const int wrong = memcmp(last, control[3][3], sizeof(control[3][3])) != 0;
    printf("%zu triangles, the last vertex at (%g, %g, %g)\n", size.triangles, last[0], last[1],
           last[2]);
    clsp_graphics_destroy(&vertices);
    clsp_graphics_destroy(&indices);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    free(mapped_vertices);
    free(mapped_indices);
    return wrong;
}
