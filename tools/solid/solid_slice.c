#include "solid_slice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "solid_inverse.h"
#include "staging.h"

enum { MAX_ROUNDS = 40, MAX_DAMPED = 100, BATCH = 16384, ROOM = 2 * BATCH, DEFAULT_SIZE = 512 };
enum { VERTEX = 4 }; /* a point, and its derivatives by u, v, w */

/* A pixel, and where it may be in a cell. */
typedef struct candidate {
    size_t pixel;
    uint32_t cell;
    bool has_step;
    double t[3], inverse[9], step[3], error[3];
} candidate;

/* A pixel that is near a cell's point, where steps have come to rest all the same: the map may have
   no inverse there. Its best parameters so far, with error and derivatives. */
typedef struct late_candidate {
    candidate at;
    double best[3], error[3], slope[3][3], distance, damping;
    int starts; /* how often it has begun */
} late_candidate;

/* The image on its plane: pixel (i, j) has its middle at
   low[0] + (j + 1/2) pixel, high[1] - (i + 1/2) pixel. */
typedef struct slice_work {
    solid_samples *samples;
    const solid_model *m;
    uint32_t across[2]; /* the axes to the right and up */
    double low[2], high[2], pixel, scale;
    double near, far; /* errors of points that are taken at once, and that are taken at the end */
    double close;     /* errors that are tried with damped steps */
    uint32_t shown[IMAGE_MAX_CHANNELS]; /* channels; none: 1 within the solid */
    uint32_t num_shown;
    image_array *image;
    bool *inside;    /* [pixels] */
    candidate *list; /* [BATCH] */
    size_t num;
    uint32_t *cells;      /* [ROOM] */
    late_candidate *late; /* [ROOM]: followed when all others are, or when it is half full */
    size_t num_late;
    void *params;   /* [ROOM][3], in the samples' precision */
    void *vertices; /* [ROOM][vertex], likewise: points, and their derivatives behind them */
    size_t vertex;  /* reals of each that was made last */
    solid_slice_counts *counts;
} slice_work;

/* ---- the plane ---- */

/* Finds the channels to be shown. */
static bool choose_channels(slice_work *w)
{
    const solid_request *r = w->m->r;
    bool found = !r->array;
    for (size_t i = 0; i < w->m->num_fields; i++) {
        const solid_channel *c = &w->m->fields[i];
        if (r->array && strcmp(r->array, c->name) != 0) continue;
        found = true;
        for (uint32_t k = 0; k < c->components && w->num_shown < IMAGE_MAX_CHANNELS; k++)
            w->shown[w->num_shown++] = c->first + k;
    }
    if (!found) complain("%s: there is no data of points named '%s'", r->base.inputs[0], r->array);
    if (found && r->picture == IMAGE_PNG && w->num_shown != 0 && w->num_shown % 2 == 0) {
        complain("%s: a PNG shows 1 or 3 numbers, not %u; use --array", r->base.inputs[0],
                 (unsigned)w->num_shown);
        return false;
    }
    return found;
}

/* Calls `take` for the cells in turn, whose samples are made. */
typedef bool (*cell_taker)(slice_work *w, const inverse_cell *c, uint32_t cell);
static bool for_cells(slice_work *w, cell_taker take, progress_bar *bar, double from)
{
    solid_samples *s = w->samples;
    const size_t cells = w->m->counts.num_cells, reals = solid_samples_reals(s);
    for (size_t first = 0; first < cells; first += s->most) {
        const size_t count = cells - first < s->most ? cells - first : s->most;
        if (!solid_samples_make(s, first, count)) return false;
        for (size_t i = 0; i < count; i++) {
            const inverse_cell c = inverse_cell_of(s->values + i * reals, w->m->channels);
            if (!take(w, &c, (uint32_t)(first + i))) return false;
            if (i % 256 == 0)
                progress_report(bar, from + (1 - from) * (double)(first + i) / (double)cells);
        }
    }
    return true;
}

/* Extends the image's rectangle and the scale by a cell's samples. */
static bool extend(slice_work *w, const inverse_cell *c, uint32_t cell)
{
    (void)cell;
    for (size_t i = 0; i < 64; i++)
        for (int x = 0; x < 3; x++) {
            const double at = c->samples[i * c->channels + (size_t)x];
            w->scale = fmax(w->scale, fabs(at));
            for (int k = 0; k < 2; k++) {
                if (x != (int)w->across[k]) continue;
                w->low[k] = fmin(w->low[k], at);
                w->high[k] = fmax(w->high[k], at);
            }
        }
    return true;
}

/* Finds the image's size. */
static bool lay_out(slice_work *w)
{
    const solid_request *r = w->m->r;
    const double width = w->high[0] - w->low[0], height = w->high[1] - w->low[1];
    const double longer = fmax(width, height);
    w->pixel = r->pixel > 0 ? r->pixel : longer / (r->size ? r->size : DEFAULT_SIZE);
    /* what is left of a pixel at the end is one only where it is more than floats' rounding */
    const double columns = ceil(width / w->pixel - 1e-3), rows = ceil(height / w->pixel - 1e-3);
    if (!(longer > 0) || !isfinite(longer)) {
        complain("%s: the solid has no extent across the slice", r->base.inputs[0]);
        return false;
    }
    if (columns > 32768 || rows > 32768) {
        complain("%s: a slice of %.0f x %.0f pixels is too large", r->base.inputs[0], columns,
                 rows);
        return false;
    }
    *w->image = (image_array){.directions = 2,
                              .size = {(size_t)fmax(rows, 1), (size_t)fmax(columns, 1)},
                              .channels = w->num_shown ? w->num_shown : 1,
                              .type = w->samples->precision == MESH_F32 ? IMAGE_F32 : IMAGE_F64};
    return true;
}

/* ---- values ---- */

static void put(const image_array *image, size_t i, double value)
{
    if (image->type == IMAGE_F32)
        ((float *)image->values)[i] = (float)value;
    else
        ((double *)image->values)[i] = value;
}

static double real_at(const slice_work *w, const void *reals, size_t i)
{
    return w->samples->precision == MESH_F32 ? (double)((const float *)reals)[i]
                                             : ((const double *)reals)[i];
}

/* Takes a point as that of its pixel, unless there is one. */
static void take_point(slice_work *w, const candidate *c, size_t place, double distance)
{
    const uint32_t channels = w->image->channels;
    if (w->inside[c->pixel]) return;
    w->inside[c->pixel] = true;
    w->counts->inside++;
    w->counts->error = fmax(w->counts->error, distance);
    for (uint32_t k = 0; k < channels; k++)
        put(w->image, c->pixel * channels + k,
            w->num_shown ? real_at(w, w->vertices, place * w->vertex + w->shown[k]) : 1);
}

/* Computes the point of a pixel's middle. */
static void middle_of(const slice_work *w, size_t pixel, double point[3])
{
    const size_t columns = w->image->size[1];
    point[w->m->r->axis] = w->m->r->height;
    point[w->across[0]] = w->low[0] + ((double)(pixel % columns) + 0.5) * w->pixel;
    point[w->across[1]] = w->high[1] - ((double)(pixel / columns) + 0.5) * w->pixel;
}

/* Begins damped steps: where steps have come to rest, moved a little into the cell, where there are
   derivatives; then nearer and nearer to the cell's middle. Returns false after that. */
static bool begin_damped(late_candidate *c)
{
    static const double share[] = {0.1, 0.4, 0.7, 1};
    if (c->starts == sizeof(share) / sizeof(share[0])) return false;
    for (int a = 0; a < 3; a++)
        c->at.t[a] += share[c->starts] * (0.5 - c->at.t[a]);
    c->starts++;
    c->distance = HUGE_VAL;
    c->damping = 1e-2;
    return true;
}

/* Looks at the limit's point of a candidate. Returns whether to go on with it. */
static bool improve(slice_work *w, candidate *c, size_t place, bool is_last)
{
    double middle[3], error[3], change[3];
    middle_of(w, c->pixel, middle);
    for (int x = 0; x < 3; x++) {
        error[x] = real_at(w, w->vertices, place * w->vertex + (size_t)x) - middle[x];
        change[x] = error[x] - c->error[x];
    }
    const double distance = hypot(hypot(error[0], error[1]), error[2]);
    bool done = distance <= w->near;
    if (!done && !is_last) {
        if (c->has_step) inverse_update(c->inverse, c->step, change);
        memcpy(c->error, error, sizeof(error));
        c->has_step = true;
        if (inverse_step(c->inverse, error, c->t, c->step) > 1e-14) return true;
    }
    done = done || distance <= w->far;
    if (done) take_point(w, c, place, distance);
    if (!done && distance <= w->close) {
        late_candidate *late = &w->late[w->num_late++];
        *late = (late_candidate){.at = *c};
        begin_damped(late);
    }
    return false;
}

/* Writes a candidate's parameters for the next evaluation. */
static void set_place(slice_work *w, size_t i, const candidate *c)
{
    w->cells[i] = c->cell;
    for (size_t k = 0; k < 3; k++) {
        if (w->samples->precision == MESH_F32)
            ((float *)w->params)[3 * i + k] = (float)c->t[k];
        else
            ((double *)w->params)[3 * i + k] = c->t[k];
    }
}

/* Evaluates the limit at so many places, with its derivatives where they are asked for. */
static bool evaluate(slice_work *w, size_t num, bool with_gradients)
{
    const bool single = w->samples->precision == MESH_F32;
    w->vertex = (with_gradients ? VERTEX : 1) * (size_t)w->m->channels;
    const size_t reals = num * w->vertex;
    const clsp_points points = {.num = num,
                                .item = {.type = CLSP_U32, .host = w->cells, .size = num},
                                .params = single ? clsp_in_f32(w->params, 3 * num)
                                                 : clsp_in_f64(w->params, 3 * num)};
    const clsp_output out =
        single ? clsp_out_f32(w->vertices, reals) : clsp_out_f64(w->vertices, reals);
    return solid_samples_points(w->samples, &points, with_gradients, out);
}

/* Looks at the limit's point of a late candidate, and goes on from the best one. Returns whether to
   go on with it. */
static bool damp(slice_work *w, late_candidate *c, size_t place)
{
    double middle[3], error[3], slope[3][3];
    const size_t first = place * w->vertex;
    middle_of(w, c->at.pixel, middle);
    for (size_t x = 0; x < 3; x++)
        error[x] = real_at(w, w->vertices, first + x) - middle[x];
    const double distance = hypot(hypot(error[0], error[1]), error[2]);
    if (distance <= w->far) {
        take_point(w, &c->at, place, distance);
        return false;
    }
    if (distance < c->distance) {
        c->distance = distance;
        c->damping /= 8;
        memcpy(c->best, c->at.t, sizeof(c->best));
        memcpy(c->error, error, sizeof(error));
        for (size_t i = 0; i < 9; i++)
            c->slope[i / 3][i % 3] =
                real_at(w, w->vertices, first + (1 + i / 3) * w->m->channels + i % 3);
    } else {
        c->damping *= 4;
    }
    memcpy(slope, c->slope, sizeof(slope));
    memcpy(c->at.t, c->best, sizeof(c->best));
    inverse_damped(slope, c->error, c->damping, c->at.t);
    if (c->damping < 1e6 && memcmp(c->at.t, c->best, sizeof(c->best)) != 0) return true;
    return begin_damped(c);
}

/* Follows late candidates. */
static bool finish_late(slice_work *w)
{
    size_t left = 0;
    for (size_t i = 0; i < w->num_late; i++)
        if (!w->inside[w->late[i].at.pixel]) w->late[left++] = w->late[i];
    w->num_late = left;
    for (int round = 0; w->num_late > 0 && round < MAX_DAMPED; round++) {
        size_t kept = 0;
        for (size_t i = 0; i < w->num_late; i++)
            set_place(w, i, &w->late[i].at);
        if (!evaluate(w, w->num_late, true)) return false;
        for (size_t i = 0; i < w->num_late; i++) {
            if (w->inside[w->late[i].at.pixel]) continue;
            if (damp(w, &w->late[i], i)) w->late[kept++] = w->late[i];
        }
        w->num_late = kept;
    }
    w->num_late = 0;
    return true;
}

/* Follows all candidates until they are found to be in their cells or not. */
static bool finish(slice_work *w)
{
    for (int round = 0; w->num > 0 && round < MAX_ROUNDS; round++) {
        size_t kept = 0;
        for (size_t i = 0; i < w->num; i++)
            set_place(w, i, &w->list[i]);
        if (!evaluate(w, w->num, false)) return false;
        for (size_t i = 0; i < w->num; i++) {
            if (w->inside[w->list[i].pixel]) continue;
            if (improve(w, &w->list[i], i, round + 1 == MAX_ROUNDS)) w->list[kept++] = w->list[i];
        }
        w->num = kept;
    }
    w->num = 0;
    return w->num_late < BATCH || finish_late(w);
}

/* ---- pixels ---- */

/* Adds a pixel to the candidates where it may be in a cell. */
static bool try_pixel(slice_work *w, const inverse_cell *c, uint32_t cell, size_t pixel)
{
    double point[3];
    inverse_place place;
    if (w->inside[pixel]) return true;
    middle_of(w, pixel, point);
    if (!inverse_find(c, point, &place)) return true;
    candidate *to = &w->list[w->num++];
    *to = (candidate){.pixel = pixel, .cell = cell};
    memcpy(to->t, place.t, sizeof(place.t));
    memcpy(to->inverse, place.inverse, sizeof(place.inverse));
    return w->num < BATCH || finish(w);
}

/* Returns a pixel's number along a direction, within the image. */
static size_t clip(double at, size_t size)
{
    return at < 0 ? 0 : at > (double)size ? size : (size_t)at;
}

static bool try_cell(slice_work *w, const inverse_cell *c, uint32_t cell)
{
    const uint32_t up = w->across[1], right = w->across[0];
    const size_t rows = w->image->size[0], columns = w->image->size[1];
    if (!(c->low[w->m->r->axis] <= w->m->r->height && c->high[w->m->r->axis] >= w->m->r->height))
        return true;
    const size_t bottom = clip((w->high[1] - c->low[up]) / w->pixel + 1, rows);
    const size_t end = clip((c->high[right] - w->low[0]) / w->pixel + 1, columns);
    for (size_t i = clip((w->high[1] - c->high[up]) / w->pixel - 1, rows); i < bottom; i++)
        for (size_t j = clip((c->low[right] - w->low[0]) / w->pixel - 1, columns); j < end; j++)
            if (!try_pixel(w, c, cell, i * columns + j)) return false;
    return true;
}

static bool make_room(slice_work *w)
{
    const size_t pixels = w->counts->num;
    const size_t real = w->samples->precision == MESH_F32 ? sizeof(float) : sizeof(double);
    w->inside = calloc(pixels + 1, sizeof(*w->inside));
    w->list = malloc(BATCH * sizeof(*w->list));
    w->cells = malloc(ROOM * sizeof(*w->cells));
    w->params = malloc(ROOM * 3 * real);
    w->late = malloc(ROOM * sizeof(*w->late));
    w->vertices = malloc(ROOM * VERTEX * w->m->channels * real);
    const bool done = w->inside && w->list && w->late && w->cells && w->params && w->vertices;
    if (!done || !image_array_make(w->image)) return solid_model_memory(w->m);
    for (size_t i = 0; i < pixels * w->image->channels; i++)
        put(w->image, i, NAN);
    return true;
}

bool solid_slice_make(solid_samples *samples, image_array *image, solid_slice_counts *counts,
                      progress_bar *bar)
{
    static const uint32_t across[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    const solid_request *r = samples->m->r;
    slice_work w = {.samples = samples,
                    .m = samples->m,
                    .across = {across[r->axis][0], across[r->axis][1]},
                    .low = {HUGE_VAL, HUGE_VAL},
                    .high = {-HUGE_VAL, -HUGE_VAL},
                    .image = image,
                    .counts = counts};
    *counts = (solid_slice_counts){.num = 0};
    bool done = choose_channels(&w) && for_cells(&w, extend, bar, 0) && lay_out(&w);
    if (done) {
        w.scale = fmax(w.scale, fabs(r->height));
        w.near = (samples->precision == MESH_F32 ? 5e-7 : 1e-13) * w.scale;
        w.far = fmax(4 * w.near, 1e-6 * w.pixel);
        w.close = 2 * w.pixel;
        counts->num = image->size[0] * image->size[1];
        done = make_room(&w) && for_cells(&w, try_cell, bar, 0) && finish(&w) && finish_late(&w);
    }
    free(w.inside);
    free(w.list);
    free(w.cells);
    free(w.params);
    free(w.vertices);
    free(w.late);
    return done;
}

/* ---- pictures ---- */

/* Finds the range of what is shown: that of the control points, between which the limit is. */
static void find_range(const solid_model *m, double *low, double *high)
{
    *low = m->r->range.values[0];
    *high = m->r->range.values[1];
    if (*low < *high) return;
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t f = 0; f < m->num_fields; f++) {
        const solid_channel *c = &m->fields[f];
        if (m->r->array && strcmp(m->r->array, c->name) != 0) continue;
        for (size_t i = 0; i < m->counts.num_vertices * c->components; i++) {
            const double at =
                m->points[i / c->components * m->channels + c->first + i % c->components];
            *low = fmin(*low, at);
            *high = fmax(*high, at);
        }
    }
}

bool solid_slice_shade(const solid_model *m, image_array *image)
{
    const uint32_t channels = image->channels;
    const size_t pixels = image->size[0] * image->size[1];
    image_array made = *image;
    double low, high;
    find_range(m, &low, &high);
    made.channels = channels + 1;
    made.type = IMAGE_U8;
    if (!image_array_make(&made)) return solid_model_memory(m);
    uint8_t *to = made.values;
    for (size_t i = 0; i < pixels; i++, to += channels + 1) {
        const bool inside = !isnan(image_array_get(image, i * channels));
        for (uint32_t k = 0; k < channels; k++) {
            const double value = image_array_get(image, i * channels + k);
            const double share = high > low ? (value - low) / (high - low) : 1;
            to[k] = inside ? (uint8_t)lrint(255 * fmin(fmax(share, 0), 1)) : 0;
        }
        to[channels] = inside ? 255 : 0;
    }
    image_array_clear(image);
    *image = made;
    return true;
}
