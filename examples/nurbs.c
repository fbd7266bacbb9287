/* nurbs.c: a cylinder as a rational B-spline surface, points and normals. */
#include <clspline/clspline.h>
#include <math.h>
#include <stdio.h>

enum { NUM_U = 9, NUM_V = 2, SAMPLES_U = 73, SAMPLES_V = 5, STRIDE = 6 };

int main(void)
{
    static const double knots[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    static const float corner[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                       {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    const clsp_bspline_desc desc = {.degree = {2, 1},
                                    .num_controls = {NUM_U, NUM_V},
                                    .knots = {knots}, /* along v uniform ones over [0, 1] */
                                    .axis = {{.num = SAMPLES_U}, {.num = SAMPLES_V}},
                                    .rational = 1,
                                    .vertex.attributes = CLSP_VERTEX_POINT | CLSP_VERTEX_NORMAL};
    float control[NUM_U][NUM_V][4], vertices[SAMPLES_U * SAMPLES_V * STRIDE];
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    char why[256] = "no device";

    for (int i = 0; i < NUM_U; i++)
        for (int j = 0; j < NUM_V; j++) {
            const float w = i % 2 ? sqrtf(0.5f) : 1;
            control[i][j][0] = w * corner[i % 8][0];
            control[i][j][1] = w * corner[i % 8][1];
            control[i][j][2] = w * 3 * (float)j;
            control[i][j][3] = w;
        }
    clsp_status status = clsp_context_create(&ctx, NULL, NULL);
    if (status == CLSP_OK) status = clsp_bspline_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK)
        status = clsp_patch_set_control_points(
            plan, 1, clsp_in_f32(&control[0][0][0], NUM_U * NUM_V * 4), NULL);
    if (status == CLSP_OK)
        status = clsp_patch_eval(plan, (clsp_range){0, 1},
                                 clsp_out_f32(vertices, sizeof vertices / sizeof *vertices), NULL);
    if (status != CLSP_OK) {
        if (ctx) clsp_context_last_error(ctx, why, sizeof why);
        fprintf(stderr, "%s: %s\n", clsp_status_str(status), why);
        return 1;
    }

    float worst = 0;
    for (size_t k = 0; k < SAMPLES_U * SAMPLES_V; k++) {
        const float *p = vertices + k * STRIDE,
                    *n = p + 3; /* the normal of a cylinder of radius 1 */
        worst = fmaxf(worst, fabsf(hypotf(p[0], p[1]) - 1));
        worst = fmaxf(worst, hypotf(p[0] - n[0], p[1] - n[1]) + fabsf(n[2]));
    }
    printf("%d vertices of a cylinder, off by %.1e at most\n", SAMPLES_U * SAMPLES_V, worst);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return worst > 4e-6f;
}
