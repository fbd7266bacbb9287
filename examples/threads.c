/* threads.c: one context, two threads, a plan for each. */
#include <clspline/clspline.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

enum { SAMPLES = 65, MAX_ORDER = 8, ROUNDS = 20 };

typedef struct task {
    clsp_context *ctx;
    uint32_t degree;
    float worst; /* distance from the sphere of radius 1 + round / 10, where curves begin and end */
    clsp_status status;
} task;

/* Evaluates a batch of one patch again and again, as it changes. */
static void *run(void *argument)
{
    task *t = argument;
    const uint32_t order = t->degree + 1;
    const clsp_bezier_desc desc = {.degree = {t->degree, t->degree},
                                   .axis = {{.num = SAMPLES}, {.num = SAMPLES}}};
    float control[MAX_ORDER * MAX_ORDER * 3], points[SAMPLES * SAMPLES * 3];
    clsp_patch_plan *plan = NULL;

    t->status = clsp_bezier_plan_create(&plan, t->ctx, &desc);
    for (int round = 0; round < ROUNDS && t->status == CLSP_OK; round++) {
        const float radius = 1 + (float)round / 10;
        for (uint32_t i = 0; i < order; i++)
            for (uint32_t j = 0; j < order; j++) {
                float *p = control + 3 * (i * order + j);
                const float u = (float)i / (float)t->degree, v = (float)j / (float)t->degree;
                p[0] = radius * cosf(u) * cosf(v);
                p[1] = radius * sinf(u) * cosf(v);
                p[2] = radius * sinf(v);
            }
        const clsp_input in = clsp_in_f32(control, 3 * order * order);
        t->status = clsp_patch_set_control_points(plan, 1, in, NULL);
        if (t->status != CLSP_OK) break;
        t->status = clsp_patch_eval(plan, (clsp_range){.first = 0, .count = 1},
                                    clsp_out_f32(points, SAMPLES * SAMPLES * 3), NULL);
        for (int corner = 0; corner < 4; corner++) {
            const float *p = points + 3 * ((corner / 2) * (SAMPLES - 1) * SAMPLES +
                                           (corner % 2) * (SAMPLES - 1));
            const float length = sqrtf(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
            t->worst = fmaxf(t->worst, fabsf(length - radius));
        }
    }
    clsp_patch_plan_destroy(&plan);
    return NULL;
}

int main(void)
{
    clsp_context *ctx = NULL;
    clsp_status status = clsp_context_create(&ctx, NULL, NULL);
    if (status != CLSP_OK) {
        fprintf(stderr, "%s\n", clsp_status_str(status));
        return 1;
    }
    task tasks[2] = {{.ctx = ctx, .degree = 3}, {.ctx = ctx, .degree = 7}};
    pthread_t threads[2];
    int wrong = 0;

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, &tasks[i]) != 0) return 1;
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        printf("degree %u: %s, corners off by %g\n", (unsigned)tasks[i].degree,
               clsp_status_str(tasks[i].status), tasks[i].worst);
        if (tasks[i].status != CLSP_OK || tasks[i].worst > 1e-6f * ROUNDS) wrong = 1;
    }
    clsp_context_destroy(&ctx);
    return wrong;
}
