#include "solid_slice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "command.h"
#include "solid_blocks.h"
#include "solid_frame.h"
#include "solid_inverse.h"
#include "solid_size.h"
#include "staging.h"

enum { MAX_ROUNDS = 40, MAX_DAMPED = 100, BATCH = 4096, MOST_WAITING = 1 << 20 };
enum { VERTEX = 4 }; /* a point, and its derivatives by u, v, w */

/* What is known of a pixel. */
enum { EMPTY, COVERED, FILLED }; /* covered: in the solid as straight lines have it */

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

/* Where a pixel is nearest to a cell's points, though not on one. */
typedef struct near_place {
    size_t pixel;
    uint32_t cell;
    double t[3], distance;
} near_place;

/* Places that are looked at in the end. */
typedef struct place_list {
    near_place *place;
    size_t num, capacity;
} place_list;

typedef struct slice_work {
    solid_samples *samples;
    const solid_model *m;
    solid_blocks blocks;
    const solid_block *block; /* that is looked at */
    slice_frame *frame;
    double near, far; /* errors of points that are taken at once, and that are taken at the end */
    double close;     /* errors that are tried with damped steps */
    uint32_t shown[IMAGE_MAX_CHANNELS]; /* channels; none: 1 within the solid */
    uint32_t num_shown;
    const solid_array *data; /* of cells, of which these numbers are shown; NULL: none */
    image_array *image;
    uint8_t *state;  /* [pixels] */
    candidate *list; /* [BATCH]: of blocks that are not exact */
    size_t num;
    uint32_t *cells;      /* [BATCH] */
    late_candidate *late; /* [BATCH] */
    size_t num_late;
    place_list waiting; /* of pixels to be late candidates, when the cells that have them most
                           likely have been looked at: with all cells, or when there are too many */
    place_list places;  /* of covered pixels */
    void *params;       /* [BATCH][3], in the samples' precision */
    void *vertices;     /* [BATCH][vertex], likewise: points, and their derivatives behind them */
    size_t vertex;      /* reals of each that was made last */
    solid_slice_counts *counts;
} slice_work;

/* Finds the channels to be shown. */
static bool choose_channels(slice_work *w)
{
    const solid_request *r = w->m->r;
    w->data = solid_model_shown(w->m);
    bool found = !r->array || w->data;
    for (uint32_t k = 0; w->data && k < w->data->components && k < IMAGE_MAX_CHANNELS; k++)
        w->shown[w->num_shown++] = k;
    for (size_t i = 0; i < w->m->num_fields; i++) {
        const solid_channel *c = &w->m->fields[i];
        if (r->array && strcmp(r->array, c->name) != 0) continue;
        found = true;
        for (uint32_t k = 0; k < c->components && w->num_shown < IMAGE_MAX_CHANNELS; k++)
            w->shown[w->num_shown++] = c->first + k;
    }
    if (!found) return solid_model_no_array(w->m);
    if (r->image == IMAGE_PNG && w->num_shown != 0 && w->num_shown % 2 == 0) {
        complain("%s: a PNG shows 1 or 3 numbers, not %u; use --array", r->base.inputs[0],
                 (unsigned)w->num_shown);
        return false;
    }
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

/* Counts a pixel as filled. Returns false where it is so already. */
static bool fill(slice_work *w, size_t pixel, double distance)
{
    if (w->state[pixel] == FILLED) return false;
    w->state[pixel] = FILLED;
    w->counts->inside++;
    w->counts->error = fmax(w->counts->error, distance);
    return true;
}

/* Gives a pixel the data of its cell. */
static void put_data(slice_work *w, size_t pixel, uint32_t cell)
{
    const double *from = w->data->values + solid_model_source(w->m, cell) * w->data->components;
    for (uint32_t k = 0; k < w->num_shown; k++)
        put(w->image, pixel * w->num_shown + k, from[k]);
}

/* Takes an evaluated point of a cell as that of its pixel, unless there is one. */
static void take_point(slice_work *w, size_t pixel, uint32_t cell, size_t place, double distance)
{
    const uint32_t channels = w->image->channels;
    if (!fill(w, pixel, distance)) return;
    if (w->data) {
        put_data(w, pixel, cell);
        return;
    }
    for (uint32_t k = 0; k < channels; k++)
        put(w->image, pixel * channels + k,
            w->num_shown ? real_at(w, w->vertices, place * w->vertex + w->shown[k]) : 1);
}

/* Takes a point of a block as that of its pixel. */
static void take_block_point(slice_work *w, size_t pixel, const cubic_place *at)
{
    const size_t channels = w->image->channels;
    double weights[NET_POINTS];
    if (!fill(w, pixel, at->distance)) return;
    if (w->data) {
        put_data(w, pixel, w->block->cell);
        return;
    }
    if (w->num_shown) cubic_net_weights(at->t, weights);
    for (size_t k = 0; k < channels; k++) {
        double sum = 0;
        for (size_t i = 0; w->num_shown && i < NET_POINTS; i++)
            sum += weights[i] * w->block->net[i * w->m->channels + w->shown[k]];
        put(w->image, pixel * channels + k, w->num_shown ? sum : 1);
    }
}

/* Keeps where a pixel is nearest to a cell. False with a complaint. */
static bool keep_place(const slice_work *w, place_list *list, const near_place *place)
{
    near_place *moved = array_reserve(list->place, &list->capacity, list->num + 1, sizeof(*moved));
    if (!moved) return solid_model_memory(w->m);
    list->place = moved;
    moved[list->num++] = *place;
    return true;
}

/* ---- blocks that are not exact ---- */

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

/* Looks at the limit's point of a candidate. *on: whether to go on with it. False with a complaint.
 */
static bool improve(slice_work *w, candidate *c, size_t place, bool is_last, bool *on)
{
    double middle[3], error[3], change[3];
    slice_frame_middle(w->frame, c->pixel, middle);
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
        *on = inverse_step(c->inverse, error, c->t, c->step) > 1e-14;
        if (*on) return true;
    }
    *on = false;
    done = done || distance <= w->far;
    if (done) take_point(w, c->pixel, c->cell, place, distance);
    if (done || distance > w->close) return true;
    const near_place rest = {c->pixel, c->cell, {c->t[0], c->t[1], c->t[2]}, distance};
    return keep_place(w, &w->waiting, &rest);
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
    slice_frame_middle(w->frame, c->at.pixel, middle);
    for (size_t x = 0; x < 3; x++)
        error[x] = real_at(w, w->vertices, first + x) - middle[x];
    const double distance = hypot(hypot(error[0], error[1]), error[2]);
    if (distance <= w->far) {
        take_point(w, c->at.pixel, c->at.cell, place, distance);
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
static bool follow_late(slice_work *w)
{
    for (int round = 0; w->num_late > 0 && round < MAX_DAMPED; round++) {
        size_t kept = 0;
        for (size_t i = 0; i < w->num_late; i++)
            set_place(w, i, &w->late[i].at);
        if (!evaluate(w, w->num_late, true)) return false;
        for (size_t i = 0; i < w->num_late; i++) {
            if (w->state[w->late[i].at.pixel] == FILLED) continue;
            if (damp(w, &w->late[i], i)) w->late[kept++] = w->late[i];
        }
        w->num_late = kept;
    }
    w->num_late = 0;
    return true;
}

/* Follows what waits to be late candidates, but for pixels that are filled. */
static bool finish_late(slice_work *w)
{
    for (size_t i = 0; i < w->waiting.num; i++) {
        const near_place *rest = &w->waiting.place[i];
        if (w->state[rest->pixel] == FILLED) continue;
        late_candidate *late = &w->late[w->num_late++];
        *late = (late_candidate){.at = {.pixel = rest->pixel, .cell = rest->cell}};
        memcpy(late->at.t, rest->t, sizeof(rest->t));
        begin_damped(late);
        if (w->num_late == BATCH && !follow_late(w)) return false;
    }
    w->waiting.num = 0;
    return follow_late(w);
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
            if (w->state[w->list[i].pixel] == FILLED) continue;
            bool on;
            if (!improve(w, &w->list[i], i, round + 1 == MAX_ROUNDS, &on)) return false;
            if (on) w->list[kept++] = w->list[i];
        }
        w->num = kept;
    }
    w->num = 0;
    return w->waiting.num < MOST_WAITING || finish_late(w);
}

/* Adds a pixel to the candidates of blocks that are not exact. */
static bool add_candidate(slice_work *w, size_t pixel, const cubic_place *at)
{
    const solid_block *b = w->block;
    candidate *to = &w->list[w->num++];
    double slope[3][3];
    *to = (candidate){.pixel = pixel, .cell = b->cell};
    memcpy(slope, at->slope, sizeof(slope));
    inverse_of(slope, to->inverse);
    for (int a = 0; a < 3; a++) {
        to->t[a] = b->from[a] + b->size[a] * at->t[a];
        for (int x = 0; x < 3; x++)
            to->inverse[3 * a + x] *= b->size[a];
    }
    return w->num < BATCH || finish(w);
}

/* ---- pixels ---- */

/* Looks for a pixel's point in the block. */
static bool try_pixel(void *user, size_t pixel, const double t[3], bool is_within)
{
    slice_work *w = user;
    const solid_block *b = w->block;
    cubic_place place = {.t = {t[0], t[1], t[2]}};
    double point[3], at[3];
    if (w->state[pixel] == FILLED) return true;
    if (is_within) w->state[pixel] = COVERED;
    slice_frame_middle(w->frame, pixel, point);
    cubic_net_find(&b->place, point, w->near, &place);
    if (b->is_exact && place.distance <= w->far) {
        take_block_point(w, pixel, &place);
        return true;
    }
    for (int a = 0; a < 3; a++)
        at[a] = b->from[a] + b->size[a] * place.t[a];
    const near_place near = {pixel, b->cell, {at[0], at[1], at[2]}, place.distance};
    if (w->state[pixel] == COVERED && !keep_place(w, &w->places, &near)) return false;
    return b->is_exact || place.distance > b->off + w->close || add_candidate(w, pixel, &place);
}

/* Returns the first plane that is not below a height. */
static size_t plane_at(const slice_frame *f, double height)
{
    const double at = f->planes > 1 ? ceil((height - f->first) / f->step) : height > f->first;
    return at > 0 ? (at < (double)f->planes ? (size_t)at : f->planes) : 0;
}

/* Tells whether a plane cuts a box. */
static bool is_cut(void *user, const double low[3], const double high[3])
{
    const slice_frame *f = ((const slice_work *)user)->frame;
    const size_t plane = plane_at(f, low[f->axis]);
    return plane < f->planes && f->first + (double)plane * f->step <= high[f->axis];
}

static bool try_cell(void *user, uint32_t cell, const double *samples)
{
    slice_work *w = user;
    const slice_frame *f = w->frame;
    if (!solid_blocks_make(&w->blocks, cell, samples)) return false;
    for (size_t i = 0; i < w->blocks.num; i++) {
        double low[3], high[3];
        w->block = &w->blocks.blocks[i];
        cubic_net_bounds(&w->block->place, low, high);
        const double more = w->block->off + w->far;
        for (size_t k = plane_at(f, low[f->axis] - more);
             k < f->planes && f->first + (double)k * f->step <= high[f->axis] + more; k++)
            if (!slice_cover(f, k, &w->block->place, w->block->off, w->blocks.rounding, try_pixel,
                             w))
                return false;
    }
    return true;
}

/* ---- enclosed pixels ---- */

/* Tells whether a pixel is beside one that is not covered, or at the frame's edge. */
static bool is_beside_empty(const slice_work *w, size_t pixel)
{
    const size_t columns = w->frame->columns, rows = w->frame->rows;
    const size_t i = pixel / columns % rows, j = pixel % columns;
    return i == 0 || j == 0 || i + 1 == rows || j + 1 == columns ||
           w->state[pixel - columns] == EMPTY || w->state[pixel + columns] == EMPTY ||
           w->state[pixel - 1] == EMPTY || w->state[pixel + 1] == EMPTY;
}

static int by_distance(const void *a, const void *b)
{
    const near_place *p = a, *q = b;
    if (p->pixel != q->pixel) return p->pixel < q->pixel ? -1 : 1;
    return p->distance < q->distance ? -1 : p->distance > q->distance;
}

/* Finds in which cells the pixels of some places lie. False with a complaint. */
static bool locate(const slice_work *w, const near_place *places, size_t num,
                   clsp_solid_place_f64 *found)
{
    double(*points)[3] = malloc(num * sizeof(*points));
    float *floats = malloc(3 * num * sizeof(*floats));
    clsp_solid_place_f32 *narrow = malloc(num * sizeof(*narrow));
    bool done = points && floats && narrow;
    if (!done) solid_model_memory(w->m);
    for (size_t i = 0; done && i < num; i++) {
        slice_frame_middle(w->frame, places[i].pixel, points[i]);
        for (int x = 0; x < 3; x++)
            floats[3 * i + (size_t)x] = (float)points[i][x];
    }
    if (done) {
        const bool single = w->samples->precision == MESH_F32;
        const clsp_solid_queries queries = {.num = num,
                                            .points = single ? clsp_in_f32(floats, 3 * num)
                                                             : clsp_in_f64(points[0], 3 * num)};
        done = staging_check(w->m->ctx,
                             clsp_solid_locate(w->samples->plan, &queries,
                                               single ? clsp_out_solid_places_f32(narrow, num)
                                                      : clsp_out_solid_places_f64(found, num),
                                               NULL));
        for (size_t i = 0; single && i < num; i++)
            found[i] = (clsp_solid_place_f64){
                .t = {(double)narrow[i].t[0], (double)narrow[i].t[1], (double)narrow[i].t[2]},
                .residual = (double)narrow[i].residual,
                .cell = narrow[i].cell,
                .status = narrow[i].status};
    }
    free(points);
    free(floats);
    free(narrow);
    return done;
}

/* Gives pixels of some places the points that are certain to be there; where a search was cut, the
   nearest ones that are known. False with a complaint. */
static bool fill_some(slice_work *w, const near_place *places, size_t num,
                      clsp_solid_place_f64 *found)
{
    if (!locate(w, places, num, found)) return false;
    for (size_t i = 0; i < num; i++) {
        const bool is_found = found[i].status == CLSP_SOLID_PLACE_FOUND;
        candidate at = {.cell = is_found ? found[i].cell : places[i].cell};
        memcpy(at.t, is_found ? found[i].t : places[i].t, sizeof(at.t));
        set_place(w, i, &at);
    }
    if (!evaluate(w, num, false)) return false;
    for (size_t i = 0; i < num; i++) {
        if (found[i].status == CLSP_SOLID_PLACE_FOUND)
            take_point(w, places[i].pixel, found[i].cell, i, found[i].residual);
        else if (found[i].status == CLSP_SOLID_PLACE_CUT)
            take_point(w, places[i].pixel, places[i].cell, i, places[i].distance);
    }
    return true;
}

/* Looks again for covered pixels around which all are covered too: the search has failed there, or
   they are in a gap or a fold that straight lines go over. False with a complaint. */
static bool fill_enclosed(slice_work *w)
{
    near_place *places = w->places.place;
    size_t left = 0, num = 0;
    for (size_t i = 0; i < w->places.num; i++)
        if (w->state[places[i].pixel] == COVERED && !is_beside_empty(w, places[i].pixel))
            places[left++] = places[i];
    if (left == 0) return true;
    qsort(places, left, sizeof(*places), by_distance);
    for (size_t i = 0; i < left; i++) /* of each pixel the nearest */
        if (num == 0 || places[i].pixel != places[num - 1].pixel) places[num++] = places[i];
    clsp_solid_place_f64 *found = malloc(BATCH * sizeof(*found));
    bool done = found || solid_model_memory(w->m);
    for (size_t first = 0; first < num && done; first += BATCH)
        done = fill_some(w, places + first, num - first < BATCH ? num - first : BATCH, found);
    free(found);
    return done;
}

/* ---- all together ---- */

/* Tells whether pixels are floats: in that precision, unless there are data of cells that are whole
   numbers and that floats cannot hold. */
static bool has_floats(const slice_work *w)
{
    bool fits = true;
    for (size_t i = 0; w->data && w->data->is_whole && i < w->data->count; i++)
        fits = fits && (double)(float)w->data->values[i] == w->data->values[i];
    return fits && w->samples->precision == MESH_F32;
}

/* Tells whether the disk has room for the image. What it has when it is compressed is not known: a
   note tells where it would not fit else. */
static bool check_size(const slice_work *w)
{
    const image_format format = w->m->r->image;
    const bool is_png = format == IMAGE_PNG;
    const double values = (double)w->counts->num * w->image->channels;
    const double real = w->image->type == IMAGE_F32 ? sizeof(float) : sizeof(double);
    const double bytes = is_png ? values + (double)w->counts->num : real * values;
    if (!is_png && format != IMAGE_NIFTI_GZ) return solid_size_fits(w->m, &bytes);
    solid_size_note(w->m, w->m->r->base.outputs[0], bytes);
    return true;
}

static bool make_room(slice_work *w)
{
    const slice_frame *f = w->frame;
    const size_t real = w->samples->precision == MESH_F32 ? sizeof(float) : sizeof(double);
    *w->image = (image_array){.directions = f->planes > 1 ? 3 : 2,
                              .size = {f->rows, f->columns},
                              .channels = w->num_shown ? w->num_shown : 1,
                              .type = has_floats(w) ? IMAGE_F32 : IMAGE_F64};
    if (f->planes > 1) {
        w->image->size[0] = f->planes;
        w->image->size[1] = f->rows;
        w->image->size[2] = f->columns;
    }
    const size_t pixels = w->counts->num = f->planes * f->rows * f->columns;
    if (!check_size(w)) return false;
    w->state = calloc(pixels, 1);
    w->list = malloc(BATCH * sizeof(*w->list));
    w->cells = malloc(BATCH * sizeof(*w->cells));
    w->params = malloc(BATCH * 3 * real);
    w->late = malloc(BATCH * sizeof(*w->late));
    w->vertices = malloc(BATCH * VERTEX * w->m->channels * real);
    const bool done = w->state && w->list && w->late && w->cells && w->params && w->vertices;
    if (!done || !image_array_make(w->image)) return solid_model_memory(w->m);
    for (size_t i = 0; i < pixels * w->image->channels; i++)
        put(w->image, i, NAN);
    return true;
}

static void set_tolerances(slice_work *w)
{
    const double scale = w->blocks.scale[0];
    w->near = (w->samples->precision == MESH_F32 ? 5e-7 : 1e-13) * scale;
    w->far = fmax(4 * w->near, 1e-6 * w->frame->pixel);
    w->close = (w->blocks.is_unlike ? 0.25 : 2) * w->frame->pixel;
    w->blocks.enough = w->frame->pixel / 8;
    w->blocks.filter = is_cut;
    w->blocks.user = w;
}

/* Lets a frame count from where the file's points do. */
static void place_frame(const solid_model *m, slice_frame *f)
{
    f->first = m->r->height;
    f->begin += m->origin[f->axis];
    f->end += m->origin[f->axis];
    for (int k = 0; k < 2; k++)
        f->low[k] += m->origin[f->across[k]];
}

/* Counts the planes that have no point of the solid. */
static void count_outside(slice_work *w)
{
    const size_t pixels = w->frame->rows * w->frame->columns;
    for (size_t k = 0; k < w->frame->planes; k++)
        w->counts->outside += !memchr(w->state + k * pixels, FILLED, pixels);
}

bool solid_slice_make(solid_samples *samples, image_array *image, slice_frame *frame,
                      solid_slice_counts *counts, progress_bar *bar)
{
    slice_work w = {
        .samples = samples, .m = samples->m, .frame = frame, .image = image, .counts = counts};
    *counts = (solid_slice_counts){.num = 0};
    bool done = choose_channels(&w) && solid_blocks_open(&w.blocks, samples) &&
                solid_frame_find(&w.blocks, frame, bar) && make_room(&w);
    if (done) {
        set_tolerances(&w);
        done = solid_samples_visit(samples, try_cell, &w, bar) && finish(&w) && finish_late(&w) &&
               fill_enclosed(&w);
        count_outside(&w);
        place_frame(samples->m, frame);
    }
    solid_blocks_close(&w.blocks);
    free(w.state);
    free(w.list);
    free(w.cells);
    free(w.params);
    free(w.vertices);
    free(w.late);
    free(w.waiting.place);
    free(w.places.place);
    return done;
}

/* ---- pictures ---- */

/* Finds the range of what is shown: that of the control points, between which the limit is, or of
   the data of cells that are finite. */
static void find_range(const solid_model *m, double *low, double *high)
{
    const solid_array *data = solid_model_shown(m);
    *low = m->r->picture.range.values[0];
    *high = m->r->picture.range.values[1];
    if (*low < *high) return;
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (size_t i = 0; data && i < data->count; i++) {
        if (!isfinite(data->values[i])) continue;
        *low = fmin(*low, data->values[i]);
        *high = fmax(*high, data->values[i]);
    }
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
