#include "solid_samples.h"

#include <stdlib.h>

#include "progress.h"
#include "staging.h"

size_t solid_samples_reals(const solid_samples *s)
{
    return (size_t)s->samples * s->samples * s->samples * s->m->channels;
}

bool solid_samples_open(solid_samples *s, const solid_model *m, mesh_precision precision,
                        uint32_t samples)
{
    *s = (solid_samples){.m = m, .precision = precision, .samples = samples};
    const size_t reals = solid_samples_reals(s);
    s->most = 3 * STAGING_POINTS / reals + 1;
    if (s->most > m->counts.num_cells) s->most = m->counts.num_cells;
    if (!solid_model_plan(m, precision, samples, &s->plan)) return false;
    s->values = malloc(s->most * reals * sizeof(double));
    if (precision == MESH_F32) s->made = malloc(s->most * reals * sizeof(float));
    return (s->values && (s->made || precision == MESH_F64)) || solid_model_memory(m);
}

/* Prints what a shared call did, in the place of the progress bar. */
static void print_shared(const solid_samples *s, const clsp_report *report)
{
    if (!s->m->r->base.sharing.report) return;
    if (s->bar) progress_end(s->bar); /* until it is drawn anew */
    sharing_print(stderr, s->m->r->base.inputs[0], report);
}

static bool eval_cells(const solid_samples *s, clsp_range cells, clsp_output out)
{
    const sharing_request *sharing = &s->m->r->base.sharing;
    clsp_report report;
    if (!sharing->cooperate)
        return staging_check(s->m->ctx, clsp_solid_eval(s->plan, cells, NULL, out, NULL));
    if (!staging_check(s->m->ctx,
                       clsp_solid_eval_shared(s->plan, cells, NULL, out, &sharing->opts, &report)))
        return false;
    print_shared(s, &report);
    return true;
}

bool solid_samples_points(const solid_samples *s, const clsp_solid_points *points,
                          const uint32_t by[3], clsp_output out)
{
    const sharing_request *sharing = &s->m->r->base.sharing;
    clsp_report report;
    if (!sharing->cooperate)
        return staging_check(s->m->ctx, clsp_solid_eval_points(s->plan, points, by, out, NULL));
    if (!staging_check(s->m->ctx, clsp_solid_eval_points_shared(s->plan, points, by, out,
                                                                &sharing->opts, &report)))
        return false;
    print_shared(s, &report);
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

void solid_samples_close(solid_samples *s)
{
    clsp_solid_plan_destroy(&s->plan);
    free(s->made);
    free(s->values);
    *s = (solid_samples){.m = NULL};
}
