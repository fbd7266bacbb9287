/* quadrature.c: the area of a cylinder, by Gauss points in every span of a rational B-spline. */
#include <clspline/clspline.h>
#include <math.h>
#include <stdio.h>

enum { NUM_U = 9, NUM_V = 2, SPANS = 4, GAUSS = 8, SAMPLES_U = SPANS * GAUSS, STRIDE = 6 };

/* Makes the points and weights of Gauss on [0, 1], rising: zeros of Legendre's polynomial. */
static void make_gauss(double x[GAUSS], double weight[GAUSS])
{
    for (int i = 0; i < GAUSS; i++) {
        double z = -cos(acos(-1.0) * (i + 0.75) / (GAUSS + 0.5)), slope = 1.0;
        for (int step = 0; step < 6; step++) {
            double p = z, before = 1.0;
            for (int n = 2; n <= GAUSS; n++) {
                const double next = ((2 * n - 1) * z * p - (n - 1) * before) / n;
                before = p;
                p = next;
            }
            slope = GAUSS * (z * p - before) / (z * z - 1.0);
            z -= p / slope;
        }
        x[i] = 0.5 + 0.5 * z;
        weight[i] = 1.0 / ((1.0 - z * z) * slope * slope);
    }
}

/* Returns the length of a x b, by which an area of parameters grows on the surface. */
static double cross_length(const float a[3], const float b[3])
{
    const double x = (double)a[1] * b[2] - (double)a[2] * b[1];
    const double y = (double)a[2] * b[0] - (double)a[0] * b[2];
    const double z = (double)a[0] * b[1] - (double)a[1] * b[0];

    return sqrt(x * x + y * y + z * z);
}

int main(void)
{
    static const double knots[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    static const float corner[8][2] = {{1, 0},  {1, 1},   {0, 1},  {-1, 1},
                                       {-1, 0}, {-1, -1}, {0, -1}, {1, -1}};
    double x[GAUSS], weight[GAUSS], u[SAMPLES_U];
    float control[NUM_U][NUM_V][4], vertices[SAMPLES_U][GAUSS][STRIDE];
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    char why[256] = "no device";

    make_gauss(x, weight);
    for (int k = 0; k < SAMPLES_U; k++) /* spans along u are [0, 1], [1, 2], .. */
        u[k] = k / GAUSS + x[k % GAUSS];
    const clsp_bspline_desc desc = {
        .degree = {2, 1},
        .num_controls = {NUM_U, NUM_V},
        .knots = {knots}, /* along v uniform ones over [0, 1]: one span */
        .axis = {{.num = SAMPLES_U, .params = u}, {.num = GAUSS, .params = x}},
        .rational = 1,
        .vertex.attributes = CLSP_VERTEX_DU | CLSP_VERTEX_DV};
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
        status =
            clsp_patch_eval(plan, (clsp_range){0, 1},
                            clsp_out_f32(&vertices[0][0][0], SAMPLES_U * GAUSS * STRIDE), NULL);
    if (status != CLSP_OK) {
        if (ctx) clsp_context_last_error(ctx, why, sizeof why);
        fprintf(stderr, "%s: %s\n", clsp_status_str(status), why);
        return 1;
    }

    double area = 0.0;
    for (int k = 0; k < SAMPLES_U; k++)
        for (int l = 0; l < GAUSS; l++)
            area +=
                weight[k % GAUSS] * weight[l] * cross_length(vertices[k][l], vertices[k][l] + 3);
    const double exact = 2.0 * acos(-1.0) * 1.0 * 3.0, off = fabs(area / exact - 1.0);
    printf("a cylinder of radius 1 and height 3 has the area %.6f, off by %.1e\n", area, off);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return !(off <= 1e-6);
}
