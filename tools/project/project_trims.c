#include "project_trims.h"

#include <stdlib.h>

enum { PLANE = 3 }; /* reals of a control point of a loop's curve */

/* Where the knots and the control points of a model's curves begin. */
typedef struct curve_starts {
    size_t *knot, *control; /* [curves] */
} curve_starts;

static bool find_starts(curve_starts *s, const cad_curves *curves)
{
    const size_t num = curves->degree.num;
    size_t knot = 0, control = 0;
    s->knot = malloc((num + 1) * sizeof(*s->knot));
    s->control = malloc((num + 1) * sizeof(*s->control));
    for (size_t i = 0; s->knot && s->control && i < num; i++) {
        s->knot[i] = knot;
        s->control[i] = control;
        knot += (size_t)curves->num_controls.at[i] + curves->degree.at[i] + 1;
        control += PLANE * (size_t)curves->num_controls.at[i];
    }
    return s->knot && s->control;
}

static bool add_curve(project_trims *t, const cad_model *m, const curve_starts *s, size_t i)
{
    const cad_curves *c = &m->curves;
    const uint32_t degree = c->degree.at[i], num = c->num_controls.at[i];
    return cad_counts_add(&t->degree, degree) && cad_counts_add(&t->num_controls, num) &&
           cad_counts_add(&t->edge, m->edge.at[i]) &&
           cad_reals_add(&t->knots, c->knots.at + s->knot[i], (size_t)num + degree + 1) &&
           cad_reals_add(&t->controls, c->controls.at + s->control[i], PLANE * (size_t)num);
}

/* Adds the loops of a spline, and tells where those of the next one begin. */
static bool add_face(project_trims *t, const cad_model *m, const curve_starts *s, size_t face)
{
    const bool has_loops = face < m->num_faces;
    bool done = true;
    t->turned[t->loop.num - 1] = has_loops && m->faces[face].is_turned;
    for (size_t l = has_loops ? m->loop.at[face] : 0; done && has_loops && l < m->loop.at[face + 1];
         l++) {
        for (size_t i = m->curve.at[l]; done && i < m->curve.at[l + 1]; i++)
            done = add_curve(t, m, s, i);
        done = done && cad_counts_add(&t->curve, (uint32_t)t->degree.num);
    }
    return done && cad_counts_add(&t->loop, (uint32_t)t->curve.num - 1);
}

static clsp_curve_list curves_of(const cad_counts *degree, const cad_counts *num_controls,
                                 const cad_reals *knots, const cad_reals *controls)
{
    return (clsp_curve_list){.num = degree->num,
                             .degree = degree->at,
                             .num_controls = num_controls->at,
                             .knots = knots->at,
                             .controls = controls->at};
}

bool project_trims_make(project_trims *t, const project_plans *plans, const cad_model *m)
{
    curve_starts starts;
    size_t num = 0;
    for (size_t i = 0; i < plans->num; i++)
        num += plans->plans[i].num;
    t->turned = malloc(num + 1);
    bool done = find_starts(&starts, &m->curves) && t->turned && cad_counts_add(&t->loop, 0) &&
                cad_counts_add(&t->curve, 0);
    for (size_t i = 0; i < plans->num; i++)
        for (size_t k = 0; done && k < plans->plans[i].num; k++) {
            const patch_place *at = &plans->plans[i].places[k];
            done = add_face(t, m, &starts, at->batch->numbers[at->number]);
        }
    free(starts.knot);
    free(starts.control);
    t->trims =
        (clsp_trims){.loop = t->loop.at,
                     .curve = t->curve.at,
                     .curves = curves_of(&t->degree, &t->num_controls, &t->knots, &t->controls),
                     .edges = curves_of(&m->edges.degree, &m->edges.num_controls, &m->edges.knots,
                                        &m->edges.controls),
                     .edge = t->edge.at,
                     .tolerance = m->tolerance.at,
                     .turned = t->turned};
    return done;
}

void project_trims_free(project_trims *t)
{
    cad_counts *counts[] = {&t->loop, &t->curve, &t->edge, &t->degree, &t->num_controls};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        free(counts[i]->at);
    free(t->turned);
    free(t->knots.at);
    free(t->controls.at);
}
