#include "raster_band.h"

#include <math.h>

/* Clamps a coordinate to 0..limit; also for what does not fit size_t. */
static size_t clamp(float value, size_t limit)
{
    if (!(value > 0)) return 0;
    return value < (float)limit ? (size_t)value : limit;
}

bool band_meets(const band *b, const vertex *const corners[3])
{
    const vertex *p = corners[0], *q = corners[1], *r = corners[2];
    const float low = fminf(p->y, fminf(q->y, r->y)), high = fmaxf(p->y, fmaxf(q->y, r->y));
    return high >= (float)b->first && low <= (float)(b->first + b->rows);
}

static void draw_sample(sample *target, const filling *f, const float weights[3], bool from_back)
{
    const vertex *const *corners = f->corners;
    float w = 0, beyond = 0;
    for (int i = 0; i < 3; i++) {
        w += weights[i] * corners[i]->w;
        beyond += weights[i] * corners[i]->beyond;
    }
    if (!(w > target->w) || beyond > 0 || (f->kind == SAMPLE_EDGE && target->w == 0)) return;
    target->w = w;
    target->kind = (uint8_t)f->kind;
    if (f->kind != SAMPLE_EDGE) target->from_back = from_back; /* else that of what it is on */
    target->place = f->flat ? *f->flat
                            : weights[0] * corners[0]->place + weights[1] * corners[1]->place +
                                  weights[2] * corners[2]->place;
    for (int k = 0; k < 3; k++)
        target->normal[k] = f->signs[0] * weights[0] * corners[0]->normal[k] +
                            f->signs[1] * weights[1] * corners[1]->normal[k] +
                            f->signs[2] * weights[2] * corners[2]->normal[k];
}

void band_fill(band *b, const filling *f, float area)
{
    const vertex *p = f->corners[0], *q = f->corners[1], *r = f->corners[2];
    const float top = (float)b->first;
    const float low = fminf(p->y, fminf(q->y, r->y)), high = fmaxf(p->y, fmaxf(q->y, r->y));
    size_t y0 = clamp(low - top, b->rows), y1 = clamp(high - top + 1, b->rows);
    size_t x0 = clamp(fminf(p->x, fminf(q->x, r->x)), b->width);
    size_t x1 = clamp(fmaxf(p->x, fmaxf(q->x, r->x)) + 1, b->width);
    for (size_t y = y0; y < y1; y++) {
        for (size_t x = x0; x < x1; x++) {
            float at_x = (float)x + 0.5f, at_y = (float)(y + b->first) + 0.5f;
            float weights[3] = {band_edge(q, r, at_x, at_y) / area,
                                band_edge(r, p, at_x, at_y) / area,
                                band_edge(p, q, at_x, at_y) / area};
            if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0)
                draw_sample(&b->samples[y * b->width + x], f, weights, area > 0);
        }
    }
}

/* Makes the two edges of a line at one of its ends: `width` to either side of it, and as much
   beyond the end, so that lines that meet at an angle leave no gap. (x, y) is the line's direction,
   of unit length. The normals are those of a tube. */
static void widen(const vertex *v, float width, float x, float y, vertex sides[2])
{
    for (int i = 0; i < 2; i++) {
        const float across = i == 0 ? width : -width;
        sides[i] = *v;
        sides[i].x = v->x - y * across;
        sides[i].y = v->y + x * across;
        sides[i].normal[0] = (i == 0 ? -y : y);
        sides[i].normal[1] = (i == 0 ? -x : x); /* the picture's y runs down */
        sides[i].normal[2] = 0.2f;
    }
}

void band_line(band *b, const vertex *from, const vertex *to, float width, sample_kind kind)
{
    const float x = to->x - from->x, y = to->y - from->y, length = sqrtf(x * x + y * y);
    if (!isfinite(length) || length == 0) return;
    const float unit_x = x / length, unit_y = y / length;
    vertex ends[2] = {*from, *to}, sides[2][2];
    for (int i = 0; i < 2; i++) {
        ends[i].x += (i == 0 ? -width : width) * unit_x;
        ends[i].y += (i == 0 ? -width : width) * unit_y;
        widen(&ends[i], width, unit_x, unit_y, sides[i]);
    }
    const filling halves[2] = {{{&sides[0][0], &sides[0][1], &sides[1][0]}, {1, 1, 1}, NULL, kind},
                               {{&sides[1][0], &sides[0][1], &sides[1][1]}, {1, 1, 1}, NULL, kind}};
    for (int i = 0; i < 2; i++) {
        const vertex *const *c = halves[i].corners;
        const float area = band_edge(c[0], c[1], c[2]->x, c[2]->y);
        if (isfinite(area) && area != 0 && band_meets(b, c)) band_fill(b, &halves[i], area);
    }
}

void band_sphere(band *b, const vertex *at, float radius)
{
    const float top = (float)b->first;
    if (!isfinite(at->x) || !isfinite(at->y) || at->beyond > 0) return;
    const size_t y1 = clamp(at->y - top + radius + 1, b->rows);
    const size_t x1 = clamp(at->x + radius + 1, b->width);
    for (size_t y = clamp(at->y - top - radius, b->rows); y < y1; y++)
        for (size_t x = clamp(at->x - radius, b->width); x < x1; x++) {
            const float right = ((float)x + 0.5f - at->x) / radius;
            const float up = (at->y - (float)(y + b->first) - 0.5f) / radius;
            const float rest = 1 - right * right - up * up;
            sample *target = &b->samples[y * b->width + x];
            if (rest < 0 || !(at->w > target->w)) continue;
            *target = (sample){at->w, {right, up, sqrtf(rest)}, at->place, SAMPLE_POINT, false};
        }
}
