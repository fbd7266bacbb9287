#include "surface_step.h"

void clspi_surface_steps_go(clspi_surface_steps *s)
{
    for (int k = 0; k < CLSPI_STEPS; k++) {
        const slopes g = {s->u[k],  s->v[k],   s->uu[k],  s->uv[k],
                          s->vv[k], s->guu[k], s->guv[k], s->gvv[k]};
        const leaf_bounds leaf = {s->l11[k],     s->l21[k],     s->l22[k],        s->shrink[k],
                                  s->bend[0][k], s->bend[1][k], s->bend_along[k], s->spread[k]};
        place u = {s->t[0][k], s->s[0][k]}, v = {s->t[1][k], s->s[1][k]};
        const double low_u = s->low[0][k], high_u = s->high[0][k];
        const double low_v = s->low[1][k], high_v = s->high[1][k];
        const leaf_ends ends = {way_to(u, low_u), way_to(u, high_u), way_to(v, low_v),
                                way_to(v, high_v)};
        const double distance = sqrt(s->least[k]);
        const double error = 1.5 * s->moved_by[k] + s->slack[k] * sqrt(s->square[k]);

        s->limit[k] = limit_below(distance, 0, s->nearer);
        s->near[k] = limit_below(distance, s->extent[k], s->nearer);
        s->bound[k] = bound_of_leaf(leaf, g, s->square[k], s->normal[k], error, ends);
        s->fall[k] = step_within(&u, &v, g, low_u, high_u, low_v, high_v);
        s->t[0][k] = u.t;
        s->s[0][k] = u.s;
        s->t[1][k] = v.t;
        s->s[1][k] = v.s;
    }
}
