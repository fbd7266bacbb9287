#include "solid_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "cubic_net.h"
#include "distance_set.h"
#include "picture.h"
#include "solid_slice.h"
#include "solid_surface.h"

enum { MOST_NUMBERS = IMAGE_MAX_CHANNELS, SECTION_MAX = 4096 };

/* A picture on its way. */
typedef struct picture_work {
    const solid_model *m;
    const solid_channel *field; /* data of points that are shown; NULL: none */
    const solid_array *data;    /* or data of cells */
    distance_set *distances;    /* or what distances are measured to */
    solid_surface surface;
    double *values; /* of the boundary's vertices, or faces */
    uint32_t *edges;
    raster_cut cut;
    raster_section section;
    double *section_values;
    raster_paint paint;
} picture_work;

/* ---- data ---- */

/* Finds the data that are asked for; complains where there are none, or too many numbers. */
static bool choose_data(picture_work *w)
{
    const solid_model *m = w->m;
    if (!m->r->array) return true;
    w->field = solid_model_field(m);
    w->data = solid_model_shown(m);
    if (!w->field && !w->data) return solid_model_no_array(m);
    const uint32_t numbers = w->field ? w->field->components : w->data->components;
    if (numbers <= MOST_NUMBERS) return true;
    complain("%s: '%s' has %u numbers; a picture shows up to %d", m->r->base.inputs[0], m->r->array,
             (unsigned)numbers, MOST_NUMBERS);
    return false;
}

/* Opens what distances are measured to, where they are asked for: behind all work of the device,
   whose compiler would still be busy when this fails. False with a complaint. */
static bool open_distances(picture_work *w)
{
    const char *path = w->m->r->picture.distance_to;
    if (path) w->distances = distance_set_open(w->m->ctx, path);
    return w->distances || !path;
}

/* Tells whether there are values that are coloured. */
static bool shows_values(const picture_work *w)
{
    return w->field || w->data || w->distances;
}

/* What is shown of data: a number, or the length of a vector. */
static double show(const double *numbers, uint32_t num)
{
    double sum = 0;
    if (num == 1) return numbers[0];
    for (uint32_t k = 0; k < num; k++)
        sum = hypot(sum, numbers[k]);
    return sum;
}

/* Makes the values of all vertices, or faces. */
static bool find_values(picture_work *w)
{
    const solid_surface *s = &w->surface;
    const size_t each = (size_t)(s->num - 1) * (s->num - 1);
    const size_t num = w->data ? s->result.num_faces : s->result.num_vertices;
    if (!shows_values(w)) return true;
    w->values = malloc((num + 1) * sizeof(*w->values));
    if (!w->values) return solid_model_memory(w->m);
    if (w->distances && !distance_set_find(w->distances, s->result.positions, num, w->values))
        return false;
    for (size_t i = 0; w->field && i < num; i++)
        w->values[i] = show(s->data + i * s->num_data + w->field->first - 3, w->field->components);
    for (size_t i = 0; w->data && i < num; i++)
        w->values[i] = show(w->data->values + solid_model_source(w->m, s->faces->cell[i / each]) *
                                                  w->data->components,
                            w->data->components);
    w->paint.values = w->values;
    w->paint.of_faces = w->data != NULL;
    return true;
}

/* Sets the colours' range to that of all distances of the boundary. */
static bool find_distance_colors(picture_work *w)
{
    w->paint.title = "distance";
    return picture_request_colors(&w->m->r->picture, &w->paint.colors, w->values,
                                  w->surface.result.num_vertices, 0) ||
           solid_model_memory(w->m);
}

/* Sets the colours' range: that of the whole mesh, so that it does not depend on a cut. */
static bool find_colors(picture_work *w)
{
    const solid_model *m = w->m;
    const picture_options *o = &m->r->picture;
    if (w->distances) return find_distance_colors(w);
    const size_t num = w->field ? m->counts.num_vertices : w->data ? m->cells.num_cells : 0;
    double *all = malloc((num + 1) * sizeof(*all));
    if (!all) return solid_model_memory(m);
    for (size_t i = 0; w->field && i < num; i++)
        all[i] = show(m->points + i * m->channels + w->field->first, w->field->components);
    for (size_t i = 0; w->data && i < num; i++)
        all[i] = show(w->data->values + i * w->data->components, w->data->components);
    const bool done = picture_request_colors(o, &w->paint.colors, all, num, 0);
    free(all);
    w->paint.title = m->r->array;
    return done || solid_model_memory(m);
}

/* ---- the face of a cut ---- */

/* Prepares samples of which slices are made. */
static bool open_samples(solid_samples *s, const solid_model *m, mesh_precision precision)
{
    if (!solid_samples_open(s, m, precision, (solid_grid){NET_SAMPLES, NET_SAMPLES})) return false;
    if (!solid_samples_are_unlike(s)) return true;
    solid_samples_close(s);
    return solid_samples_open(s, m, precision, (solid_grid){FINE_SAMPLES, FINE_SAMPLES});
}

/* Measures the distances of the pixels that have a value. */
static bool measure_section(picture_work *w, const slice_frame *f)
{
    const size_t pixels = f->rows * f->columns;
    double *places = malloc((pixels + 1) * 3 * sizeof(*places));
    if (!places) return solid_model_memory(w->m);
    for (size_t i = 0; i < pixels; i++)
        if (isnan(w->section_values[i]))
            places[3 * i] = places[3 * i + 1] = places[3 * i + 2] = (double)NAN;
        else
            slice_frame_middle(f, i, places + 3 * i);
    const bool done = distance_set_find(w->distances, places, pixels, w->section_values);
    free(places);
    return done;
}

/* Takes over an image of a slice: what is shown of each pixel, NaN outside. */
static bool take_section(picture_work *w, const image_array *image, const slice_frame *f)
{
    const size_t pixels = f->rows * f->columns;
    w->section_values = malloc((pixels + 1) * sizeof(*w->section_values));
    if (!w->section_values) return solid_model_memory(w->m);
    for (size_t i = 0; i < pixels; i++) {
        double numbers[MOST_NUMBERS];
        for (uint32_t k = 0; k < image->channels; k++)
            numbers[k] = image_array_get(image, i * image->channels + k);
        w->section_values[i] = show(numbers, image->channels);
    }
    w->section = (raster_section){.across = {f->across[0], f->across[1]},
                                  .low = {f->low[0], f->low[1]},
                                  .pixel = f->pixel,
                                  .rows = f->rows,
                                  .columns = f->columns,
                                  .values = w->section_values,
                                  .is_stepped = w->data != NULL};
    w->cut.section = &w->section;
    return !w->distances || measure_section(w, f);
}

/* Makes the data on the plane of the cut, by a slice of the same solid with about a pixel for each
   of the picture. */
static bool make_section(picture_work *w, mesh_precision precision, progress_bar *bar)
{
    const solid_model *m = w->m;
    const picture_options *o = &m->r->picture;
    const double wanted =
        (double)(o->view.width > o->view.height ? o->view.width : o->view.height) *
        fmax(o->view.camera.zoom, 0.1);
    const size_t reals = m->counts.num_vertices * m->channels;
    solid_request of_slice = *m->r;
    solid_model centred = *m;
    solid_samples samples = {.plan = NULL};
    image_array image = {.values = NULL};
    slice_frame frame;
    solid_slice_counts counts;
    of_slice.base.num_outputs = 0; /* the image is written nowhere */
    of_slice.slices = true;
    of_slice.planes = 1;
    of_slice.axis = m->r->cut_axis;
    of_slice.height = m->r->cut_height;
    of_slice.size = (uint32_t)fmin(wanted, SECTION_MAX);
    of_slice.image = IMAGE_NPY;
    centred.r = &of_slice;
    if (w->distances) centred.num_fields = 0; /* the slice then tells what is within */
    centred.points = malloc((reals + 1) * sizeof(double));
    bool done = centred.points || solid_model_memory(m);
    if (done) {
        memcpy(centred.points, m->points, reals * sizeof(double));
        solid_model_centre(&centred);
        done = open_samples(&samples, &centred, precision) &&
               solid_slice_make(&samples, &image, &frame, &counts, bar) &&
               take_section(w, &image, &frame);
    }
    solid_samples_close(&samples);
    image_array_clear(&image);
    free(centred.points);
    return done;
}

/* Tells that a plane does not cut the boundary, so that all or nothing is left out. */
static void note_cut(const picture_work *w)
{
    const solid_request *r = w->m->r;
    const mesh *of = &w->surface.result;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = r->cut_axis; i < 3 * of->num_vertices; i += 3) {
        low = fmin(low, of->positions[i]);
        high = fmax(high, of->positions[i]);
    }
    if (r->base.quiet || (low < r->cut_height && r->cut_height < high)) return;
    const char axis = "xyz"[r->cut_axis];
    complain("note: %s: the cut %c=%.9g is beside the solid, which is from %c=%.6g to %c=%.6g: all "
             "of it or nothing is left out",
             r->base.inputs[0], axis, r->cut_height, axis, low, axis, high);
}

/* ---- all together ---- */

static bool prepare(picture_work *w, solid_boundary *boundary, progress_bar *bar)
{
    const solid_request *r = w->m->r;
    const mesh_precision precision = r->samples ? boundary->samples.precision : r->base.precision;
    if (!choose_data(w) ||
        !solid_surface_make(&w->surface, w->m, boundary, w->field != NULL, true, bar) ||
        !open_distances(w))
        return false;
    if (r->picture.edges) {
        w->edges = solid_surface_edges(&w->surface, &w->paint.num_edges);
        w->paint.edges = w->edges;
        if (!w->edges) return false;
    }
    if (r->cuts) {
        w->cut = (raster_cut){.axis = r->cut_axis, .height = r->cut_height};
        w->paint.cut = &w->cut;
        note_cut(w);
        if (shows_values(w) && !make_section(w, precision, bar)) return false;
    }
    return find_values(w) && find_colors(w);
}

bool solid_picture_write(const solid_model *m, solid_boundary *boundary, const char *path,
                         progress_bar *bar)
{
    const io_progress progress = {progress_report, bar};
    picture_work w = {.m = m};
    io_message message;
    bool done = prepare(&w, boundary, bar);
    if (done && !picture_write(&w.surface.result, &w.paint, &m->r->picture.view, path, &progress,
                               &message)) {
        complain("%s", message.text);
        done = false;
    }
    solid_surface_close(&w.surface);
    distance_set_close(w.distances);
    free(w.values);
    free(w.edges);
    free(w.section_values);
    return done;
}
