/* share.c: one evaluation by the device and the host's cores together. */
#include <clspline/clspline.h>
#include <stdio.h>
#include <string.h>

enum { PATCHES = 4, SAMPLES = 96, ORDER = 6, POINTS = PATCHES * SAMPLES * SAMPLES };

static int failed(clsp_context *ctx, clsp_status status)
{
    char reason[512] = "";
    if (status == CLSP_OK) return 0;
    clsp_context_last_error(ctx, reason, sizeof(reason));
    fprintf(stderr, "%s: %s\n", clsp_status_str(status), reason);
    return 1;
}

static void print(const clsp_report *r)
{
    printf("schedule %s: %llu tiles in %.2f ms\n", clsp_schedule_name(r->schedule),
           (unsigned long long)r->num_tiles, r->wall_ms);
    for (uint32_t i = 0; i < r->num_processors; i++)
        printf("  %s: %llu tiles by %u workers, %.2f ms\n", r->processors[i].name,
               (unsigned long long)r->processors[i].tiles, (unsigned)r->processors[i].workers,
               r->processors[i].busy_ms);
}

int main(void)
{
    const clsp_bezier_desc desc = {.degree = {ORDER - 1, ORDER - 1},
                                   .axis = {{.num = SAMPLES}, {.num = SAMPLES}}};
    const clsp_share share = {.schedule = CLSP_SCHEDULE_DYNAMIC};
    const clsp_range patches = {.first = 0, .count = PATCHES};
    static float control[PATCHES][ORDER][ORDER][3];
    clsp_report report = {0};
    const clsp_run run = {.share = &share, .report = &report};
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    void *memory = NULL;
    int wrong = 1;

    for (int p = 0; p < PATCHES; p++)
        for (int i = 0; i < ORDER; i++)
            for (int j = 0; j < ORDER; j++) {
                const float point[3] = {(float)i, (float)j, (float)(p * i * j % 7)};
                memcpy(control[p][i][j], point, sizeof(point));
            }
    if (failed(NULL, clsp_context_create(&ctx, NULL, NULL))) return 1;
    const clsp_input in = clsp_in_f32(&control[0][0][0][0], sizeof(control) / sizeof(float));
    if (failed(ctx, clsp_context_set_workers(ctx, 1)) || /* the calling thread works too */
        failed(ctx, clsp_bezier_plan_create(&plan, ctx, &desc)) ||
        failed(ctx, clsp_patch_set_control_points(plan, PATCHES, in, NULL)) ||
        failed(ctx, clsp_shared_alloc(ctx, POINTS * 3 * sizeof(float), &memory)))
        goto end;
    float *points = memory;
    if (failed(ctx, clsp_patch_eval(plan, patches, clsp_out_f32(points, POINTS * 3), &run)))
        goto end;
    print(&report);

    /* corners are control points, whoever made them */
    wrong = 0;
    for (int p = 0; p < PATCHES; p++) {
        const float *last = points + 3 * ((p + 1) * SAMPLES * SAMPLES - 1);
        if (memcmp(last, control[p][ORDER - 1][ORDER - 1], 3 * sizeof(float)) != 0) wrong = 1;
    }
end:
    clsp_shared_free(ctx, memory);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return wrong;
}
