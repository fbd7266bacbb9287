#include "raster_cap.h"

#include <math.h>

enum { REACH = 3 }; /* pixels from where values end at which the nearest one is still taken */

/* A line of sight: points are from + t along, in the camera's units from its center, t being depth
   below the viewer. */
typedef struct sight {
    double from[3], along[3];
} sight;

static sight sight_through(const camera *c, double column, double row)
{
    const double x = (column - c->shift[0]) / c->scale, y = (row - c->shift[1]) / c->scale;
    sight s;
    for (int k = 0; k < 3; k++) {
        const double aside = x * c->right[k] - y * c->up[k];
        s.from[k] = CAMERA_DISTANCE * c->toward[k];
        s.along[k] = -c->toward[k];
        *(c->orthographic ? &s.from[k] : &s.along[k]) +=
            c->orthographic ? CAMERA_DISTANCE * aside : aside;
    }
    return s;
}

/* The value of a section that is nearest to a place in its pixels; NaN where there is none near. */
static double nearest_value(const raster_section *s, double column, double row)
{
    double nearest = HUGE_VAL, found = NAN;
    for (int i = -REACH; i <= REACH; i++)
        for (int j = -REACH; j <= REACH; j++) {
            const double at[2] = {floor(column) + j, floor(row) + i};
            const double right = at[0] + 0.5 - column, down = at[1] + 0.5 - row;
            if (!(at[0] >= 0 && at[0] < (double)s->columns && at[1] >= 0 &&
                  at[1] < (double)s->rows && right * right + down * down < nearest))
                continue;
            const double value = s->values[(size_t)at[1] * s->columns + (size_t)at[0]];
            if (isnan(value)) continue;
            nearest = right * right + down * down;
            found = value;
        }
    return found;
}

/* The value of a section at a place in its pixels: between the middles of four where all have one.
 */
static double value_at(const raster_section *s, double column, double row)
{
    const double left = floor(column - 0.5), top = floor(row - 0.5);
    if (!s->is_stepped && left >= 0 && top >= 0 && left + 1 < (double)s->columns &&
        top + 1 < (double)s->rows) {
        const double *at = s->values + (size_t)top * s->columns + (size_t)left;
        const double x = column - 0.5 - left, y = row - 0.5 - top;
        const double value = (1 - y) * ((1 - x) * at[0] + x * at[1]) +
                             y * ((1 - x) * at[s->columns] + x * at[s->columns + 1]);
        if (!isnan(value)) return value;
    }
    return nearest_value(s, column, row);
}

/* The place in the map of colours of a point on the plane; NaN: it has none. */
static float place_on(const drawing *d, const double point[3])
{
    const raster_section *s = d->paint->cut->section;
    double at[2];
    if (!s) return NAN;
    for (int k = 0; k < 2; k++) {
        const uint32_t axis = s->across[k];
        at[k] = (point[axis] * d->view->unit + d->view->center[axis] - s->low[k]) / s->pixel;
    }
    return (float)coloring_place(&d->paint->colors, value_at(s, at[0], (double)s->rows - at[1]));
}

/* Puts the plane into the place of a sample that is seen through it, from within the mesh. */
static void cap_sample(const drawing *d, sample *s, double column, double row)
{
    const camera *c = d->view;
    const uint32_t axis = d->paint->cut->axis;
    const sight line = sight_through(c, column, row);
    const double height = d->paint->cut->height / c->unit - c->center[axis] / c->unit;
    const double depth = (height - line.from[axis]) / line.along[axis];
    double point[3];
    if (!(depth > 0) || !isfinite(depth)) return;
    for (int k = 0; k < 3; k++)
        point[k] = line.from[k] + depth * line.along[k];
    s->normal[0] = (float)(d->side * c->right[axis]);
    s->normal[1] = (float)(d->side * c->up[axis]);
    s->normal[2] = (float)(d->side * c->toward[axis]);
    s->place = place_on(d, point);
    s->kind = SAMPLE_CAP;
}

void raster_cap_draw(const drawing *d, band *b)
{
    for (size_t y = 0; y < b->rows; y++)
        for (size_t x = 0; x < b->width; x++) {
            sample *s = &b->samples[y * b->width + x];
            if (s->w > 0 && s->from_back)
                cap_sample(d, s, (double)x + 0.5, (double)(y + b->first) + 0.5);
        }
}
