#include "light.h"

#include <math.h>

const light_model light_of_pictures = {
    .key = {-0.55f, 0.75f, 0.60f},
    .fill = {0.90f, 0.10f, 0.50f},
    .half = {-0.55f, 0.75f, 0.60f + 1.10f},
    .key_strength = 0.95f,
    .fill_strength = 0.16f,
    .sky = {0.40f, 0.44f, 0.50f},
    .ground = {0.17f, 0.15f, 0.13f},
    .narrow = {0.38f, 70},
    .wide = {0.07f, 10},
    .rim_strength = 0.16f,
    .rim_power = 4,
};

const light_surface light_glaze = {{0.56f, 0.17f, 0.085f}, 1};

static float lambert(const float n[3], const float to[3])
{
    return fmaxf(0, (n[0] * to[0] + n[1] * to[1] + n[2] * to[2]) /
                        sqrtf(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]));
}

/* Makes a normal a unit vector that faces the viewer. */
static void face_viewer(const float interpolated[3], float n[3])
{
    const float *v = interpolated;
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    n[0] = length > 1e-6f ? v[0] / length : 0;
    n[1] = length > 1e-6f ? v[1] / length : 0;
    n[2] = length > 1e-6f ? fabsf(v[2]) / length : 1;
}

void light_shade(const light_surface *surface, const float normal[3], float color[3])
{
    const light_model *l = &light_of_pictures;
    float n[3];
    face_viewer(normal, n);
    const float key = lambert(n, l->key), fill = lambert(n, l->fill), half = lambert(n, l->half);
    const float gloss = l->narrow.strength * powf(half, l->narrow.power) +
                        l->wide.strength * powf(half, l->wide.power);
    const float rim = l->rim_strength * powf(1 - n[2], l->rim_power);
    const float upward = 0.5f + 0.5f * n[1];
    for (int k = 0; k < 3; k++) {
        const float around = l->ground[k] + (l->sky[k] - l->ground[k]) * upward;
        color[k] = surface->color[k] * (around + l->key_strength * key + l->fill_strength * fill) +
                   surface->shine * gloss + surface->shine * rim * l->sky[k];
    }
}
