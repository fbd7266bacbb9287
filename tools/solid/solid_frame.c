#include "solid_frame.h"

#include <math.h>

#include "command.h"

enum { DEFAULT_SIZE = 512, MAX_DEPTH = 60 };
#define MOST_PIXELS 32768.0

static const double aim = 1e-4; /* how near the extent is found, in pixels */

/* The extent while it is found. */
typedef struct extent_work {
    solid_blocks *blocks;
    const slice_frame *frame;
    double low[3], high[3], near; /* the last ones along the axis, of samples alone */
    double least[2], most[2];     /* of control points, between which the solid is */
} extent_work;

/* Extends the rectangle by a cell's samples. */
static bool extend(void *user, uint32_t cell, const double *samples)
{
    extent_work *w = user;
    const size_t channels = w->blocks->samples->m->channels;
    const size_t num = solid_samples_reals(w->blocks->samples) / channels;
    (void)cell;
    for (size_t i = 0; i < num; i++)
        for (int k = 0; k < 3; k++) {
            const uint32_t x = k < 2 ? w->frame->across[k] : w->frame->axis;
            const double at = samples[i * channels + x];
            w->low[k] = fmin(w->low[k], at);
            w->high[k] = fmax(w->high[k], at);
        }
    return true;
}

/* Returns the axis along which a coordinate changes most. */
static int steepest(const cubic_net *net, uint32_t x)
{
    static const int step[3] = {16, 4, 1};
    double most = -1;
    int found = 0;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < NET_POINTS; i++) {
            if (i / step[a] % NET == NET - 1) continue;
            const double change = fabs(net->p[i + step[a]][x] - net->p[i][x]);
            if (change > most) found = a;
            most = fmax(most, change);
        }
    return found;
}

/* Extends the rectangle by a net's corners, and by those of its halves as long as its control
   points are further out. */
static void extend_net(extent_work *w, const cubic_net *net, int k, int depth)
{
    const uint32_t x = w->frame->across[k];
    double low[3], high[3];
    cubic_net half[2];
    for (int i = 0; i < 8; i++) {
        const double at = net->p[(i & 1) * 48 + (i >> 1 & 1) * 12 + (i >> 2) * 3][x];
        w->low[k] = fmin(w->low[k], at);
        w->high[k] = fmax(w->high[k], at);
    }
    cubic_net_bounds(net, low, high);
    if (depth == MAX_DEPTH || (low[x] >= w->low[k] - w->near && high[x] <= w->high[k] + w->near))
        return;
    cubic_net_split(net, steepest(net, x), half);
    extend_net(w, &half[0], k, depth + 1);
    extend_net(w, &half[1], k, depth + 1);
}

/* Finds between which coordinates control points are. */
static void find_bounds(extent_work *w)
{
    const solid_model *m = w->blocks->samples->m;
    for (int k = 0; k < 2; k++) {
        w->least[k] = HUGE_VAL;
        w->most[k] = -HUGE_VAL;
        for (size_t i = 0; i < m->counts.num_vertices; i++) {
            const double at = m->points[i * m->channels + w->frame->across[k]];
            w->least[k] = fmin(w->least[k], at);
            w->most[k] = fmax(w->most[k], at);
        }
    }
}

/* Tells whether what of the solid may be in a box is further out than the rectangle. */
static bool is_outside(void *user, const double low[3], const double high[3])
{
    const extent_work *w = user;
    for (int k = 0; k < 2; k++) {
        const uint32_t x = w->frame->across[k];
        if (fmax(low[x], w->least[k]) < w->low[k] - w->near ||
            fmin(high[x], w->most[k]) > w->high[k] + w->near)
            return true;
    }
    return false;
}

/* Extends the rectangle by a cell, where its control points are further out. */
static bool extend_cell(void *user, uint32_t cell, const double *samples)
{
    extent_work *w = user;
    const size_t channels = w->blocks->samples->m->channels;
    double all[NET_POINTS * CLSP_SOLID_MAX_DIM], off[3], low[3], high[3];
    cubic_net net;
    cubic_net_fit(&w->blocks->grid, solid_blocks_whole(w->blocks, samples), channels,
                  w->blocks->scale, all, off);
    for (size_t i = 0; i < NET_POINTS; i++)
        for (size_t x = 0; x < 3; x++)
            net.p[i][x] = all[i * channels + x];
    cubic_net_bounds(&net, low, high);
    const double more = 4 * fmax(fmax(off[0], off[1]), off[2]) * w->blocks->scale[0];
    for (int x = 0; x < 3; x++) {
        low[x] -= more;
        high[x] += more;
    }
    if (!is_outside(w, low, high)) return true;
    if (!solid_blocks_make(w->blocks, cell, samples)) return false;
    for (size_t i = 0; i < w->blocks->num; i++)
        for (int k = 0; k < 2; k++)
            extend_net(w, &w->blocks->blocks[i].place, k, 0);
    return true;
}

/* Finds the numbers of pixels. */
static bool lay_out(const extent_work *w, slice_frame *f)
{
    const solid_request *r = w->blocks->samples->m->r;
    const char *name = r->base.inputs[0];
    const double width = w->high[0] - w->low[0], height = w->high[1] - w->low[1];
    const double longer = fmax(width, height);
    if (!(longer > 0) || !isfinite(longer)) {
        complain("%s: the solid has no extent across the slice", name);
        return false;
    }
    f->pixel = r->pixel > 0 ? r->pixel : longer / (r->size ? r->size : DEFAULT_SIZE);
    /* what is left of a pixel at the end is one only where it is more than floats' rounding */
    const double columns = fmax(ceil(width / f->pixel - 1e-3), 1);
    const double rows = fmax(ceil(height / f->pixel - 1e-3), 1);
    if (columns > MOST_PIXELS || rows > MOST_PIXELS) {
        complain("%s: a slice of %.0f x %.0f pixels is too large", name, columns, rows);
        return false;
    }
    f->rows = (size_t)rows;
    f->columns = (size_t)columns;
    f->low[0] = w->low[0];
    f->low[1] = w->high[1] - rows * f->pixel;
    return true;
}

bool solid_frame_find(solid_blocks *blocks, slice_frame *frame, progress_bar *bar)
{
    static const uint32_t across[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    const solid_request *r = blocks->samples->m->r;
    *frame = (slice_frame){.axis = r->axis,
                           .across = {across[r->axis][0], across[r->axis][1]},
                           .first = r->height - blocks->samples->m->origin[r->axis],
                           .step = r->step,
                           .planes = r->planes};
    extent_work w = {.blocks = blocks,
                     .frame = frame,
                     .low = {HUGE_VAL, HUGE_VAL, HUGE_VAL},
                     .high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    if (!solid_samples_visit(blocks->samples, extend, &w, bar) || !lay_out(&w, frame)) return false;
    frame->begin = w.low[2];
    frame->end = w.high[2];
    find_bounds(&w);
    w.near = fmax(aim * frame->pixel, 1e-12 * blocks->scale[0]);
    blocks->small = frame->pixel;
    blocks->enough = w.near;
    blocks->filter = is_outside;
    blocks->user = &w;
    const bool done = solid_samples_visit(blocks->samples, extend_cell, &w, bar);
    blocks->filter = NULL;
    return done && lay_out(&w, frame);
}
