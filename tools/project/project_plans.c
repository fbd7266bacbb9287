#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "command.h"
#include "project_plans.h"
#include "spline_task.h"
#include "staging.h"

/* Whether splines of a type may be of a plan: curves over knots of their own, not surfaces. */
static bool suits(const project_plan *p, const spline_type *type)
{
    return p->type->directions == 1 && type->directions == 1 &&
           p->type->degree[0] == type->degree[0] &&
           p->type->num_controls[0] == type->num_controls[0] && p->type->rational == type->rational;
}

/* Adds the splines of a batch to a plan. False when memory runs out. */
static bool join_plan(project_plan *p, const spline_batch *batch)
{
    const size_t num = p->num + batch->num_splines;
    patch_place *moved = array_reserve(p->places, &p->capacity, num, sizeof(*moved));
    if (!moved) return false;
    p->places = moved;
    for (size_t i = 0; i < batch->num_splines; i++)
        moved[p->num + i] = (patch_place){.batch = batch, .number = i};
    p->num = num;
    p->num_batches++;
    return true;
}

/* Divides the batches among plans. False when memory runs out. */
static bool divide(project_plans *p, const splines *content, bool together)
{
    p->plans = calloc(content->num_batches + 1, sizeof(*p->plans));
    for (size_t i = 0; p->plans && i < content->num_batches; i++) {
        const spline_batch *batch = &content->batches[i];
        size_t k = together ? 0 : p->num;
        while (k < p->num && !suits(&p->plans[k], &batch->type))
            k++;
        if (k == p->num) p->plans[p->num++].type = &batch->type;
        if (!join_plan(&p->plans[k], batch)) return false;
    }
    return p->plans != NULL;
}

/* Copies numbers of all splines of a plan, so many each, from the points or the knots of their
   batches. The caller frees. NULL when memory runs out. */
static double *gather(const project_plan *p, size_t each, bool knots)
{
    double *reals = malloc((p->num * each + 1) * sizeof(double));
    for (size_t i = 0; reals && i < p->num; i++) {
        const patch_place *at = &p->places[i];
        const double *from =
            knots ? at->batch->type.knots[0] : at->batch->points + at->number * each;
        memcpy(reals + i * each, from, each * sizeof(double));
    }
    return reals;
}

static bool load_knots(const project_plan *p, clsp_context *ctx)
{
    const size_t each = (size_t)p->type->num_controls[0] + p->type->degree[0] + 1;
    if (p->num_batches == 1) return true;
    double *knots = gather(p, each, true);
    if (!knots) complain("not enough memory for the splines");
    const bool done =
        knots && staging_check(ctx, clsp_bspline_set_knots(p->plan, p->num,
                                                           clsp_in_f64(knots, p->num * each)));
    free(knots);
    return done;
}

static bool load_points(const project_plan *p, clsp_context *ctx, mesh_precision precision)
{
    const spline_batch *first = p->places[0].batch;
    const size_t each = first->num_reals / first->num_splines;
    double *points = gather(p, each, false);
    staged_reals reals = {.floats = NULL};
    bool done = points && staging_open_reals(&reals, precision, points, p->num * each);
    if (!done) complain("not enough memory for the splines");
    done = done &&
           staging_check(ctx, clsp_patch_set_control_points(p->plan, p->num, reals.input, NULL));
    staging_close_reals(&reals);
    free(points);
    return done;
}

bool project_plans_open(project_plans *p, clsp_context *ctx, const splines *content,
                        mesh_precision precision, bool together)
{
    bool done = divide(p, content, together);
    if (!done) complain("not enough memory");
    for (size_t i = 0; done && i < p->num; i++) {
        project_plan *const plan = &p->plans[i];
        const clsp_bspline_desc desc = spline_desc(plan->type, precision);
        done = staging_check(ctx, clsp_bspline_plan_create(&plan->plan, ctx, &desc)) &&
               load_knots(plan, ctx) && load_points(plan, ctx, precision);
    }
    return done;
}

void project_plans_close(project_plans *p)
{
    for (size_t i = 0; i < p->num; i++) {
        clsp_patch_plan_destroy(&p->plans[i].plan);
        free(p->plans[i].places);
    }
    free(p->plans);
    *p = (project_plans){.num = 0};
}
