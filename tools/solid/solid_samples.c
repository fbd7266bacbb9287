#include "solid_samples.h"

#include <stdlib.h>

#include "job_report.h"
#include "progress.h"
#include "staging.h"

size_t solid_samples_reals(const solid_samples *s)
{
    return (size_t)s->grid.along * s->grid.along * s->grid.across * s->m->channels;
}

bool solid_samples_open(solid_samples *s, const solid_model *m, mesh_precision precision,
                        solid_grid grid)
{
    *s = (solid_samples){.m = m, .precision = precision, .grid = grid};
    const size_t reals = solid_samples_reals(s);
    s->most = 3 * STAGING_POINTS / reals + 1;
    if (s->most > m->counts.num_cells) s->most = m->counts.num_cells;
    if (!solid_model_plan(m, precision, grid, 0, &s->plan)) return false;
    s->values = malloc(s->most * reals * sizeof(double));
    if (precision == MESH_F32) s->made = malloc(s->most * reals * sizeof(float));
    return (s->values && (s->made || precision == MESH_F64)) || solid_model_memory(m);
}

bool solid_samples_are_unlike(const solid_samples *s)
{
    clsp_solid_desc desc;
    return clsp_solid_plan_desc(s->plan, &desc) == CLSP_OK && desc.method == CLSP_SOLID_LATTICES;
}

/* Tells what a shared call did, in the place of the progress bar. */
static void print_shared(const solid_samples *s, const clsp_report *report)
{
    const request *r = &s->m->r->base;
    if (r->sharing.report && s->bar) progress_end(s->bar); /* until it is drawn anew */
    job_report_shared(r, r->inputs[0], report);
}

/* A call as the request has it. */
static clsp_run run_of(const solid_samples *s, clsp_report *report)
{
    const sharing_request *sharing = &s->m->r->base.sharing;
    return (clsp_run){.share = sharing->cooperate ? &sharing->opts : NULL,
                      .report = sharing->cooperate ? report : NULL};
}

static bool eval_cells(const solid_samples *s, clsp_range cells, clsp_output out)
{
    clsp_report report;
    const clsp_run run = run_of(s, &report);
    if (!staging_check(s->m->ctx, clsp_solid_eval(s->plan, cells, out, &run))) return false;
    if (run.share) print_shared(s, &report);
    return true;
}

bool solid_samples_points(solid_samples *s, const clsp_points *points, bool with_gradients,
                          clsp_output out)
{
    const uint32_t all = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW;
    clsp_report report;
    const clsp_run run = run_of(s, &report);
    if (with_gradients && !s->gradients &&
        !solid_model_plan(s->m, s->precision, (solid_grid){0, 0}, all, &s->gradients))
        return false;
    clsp_solid_plan *const plan = with_gradients ? s->gradients : s->plan;
    if (!staging_check(s->m->ctx, clsp_solid_eval_points(plan, points, out, &run))) return false;
    if (run.share) print_shared(s, &report);
    return true;
}

bool solid_samples_make(solid_samples *s, size_t first, size_t count)
{
    const size_t reals = count * solid_samples_reals(s);
    if (s->count == count && s->first == first) return true;
    const double start = seconds_now();
    const clsp_output out =
        s->precision == MESH_F32 ? clsp_out_f32(s->made, reals) : clsp_out_f64(s->values, reals);
    if (!eval_cells(s, (clsp_range){first, count}, out)) return false;
    for (size_t i = 0; s->precision == MESH_F32 && i < reals; i++)
        s->values[i] = (double)((const float *)s->made)[i];
    s->first = first;
    s->count = count;
    s->seconds += seconds_now() - start;
    return true;
}

bool solid_samples_visit(solid_samples *s, solid_cell_taker take, void *user, progress_bar *bar)
{
    const size_t cells = s->m->counts.num_cells, reals = solid_samples_reals(s);
    for (size_t first = 0; first < cells; first += s->most) {
        const size_t count = cells - first < s->most ? cells - first : s->most;
        if (!solid_samples_make(s, first, count)) return false;
        for (size_t i = 0; i < count; i++) {
            if (!take(user, (uint32_t)(first + i), s->values + i * reals)) return false;
            progress_report(bar, (double)(first + i) / (double)cells);
        }
    }
    return true;
}

void solid_samples_close(solid_samples *s)
{
    clsp_solid_plan_destroy(&s->plan);
    clsp_solid_plan_destroy(&s->gradients);
    free(s->made);
    free(s->values);
    *s = (solid_samples){.m = NULL};
}
