#include "solid_output.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "glb.h"
#include "mesh_file.h"
#include "obj.h"
#include "parts.h"
#include "ply.h"
#include "solid_picture.h"
#include "solid_size.h"
#include "solid_surface.h"
#include "stl.h"
#include "vtu.h"

enum { BEZIER = 4, MAX_PIECE = 4096 };

/* The places of VTK's corners along u, v, w. */
static const uint8_t places[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

/* ---- Bezier cells ---- */

/* Makes the control points of a cubic of its values at 0, 1/3, 2/3 and 1, `step` numbers apart. */
static void cubic_controls(double *at, size_t step)
{
    const double a = at[0], b = at[step], c = at[2 * step], d = at[3 * step];
    at[step] = (-5 * a + 18 * b - 9 * c + 2 * d) / 6;
    at[2 * step] = (2 * a - 9 * b + 18 * c - 5 * d) / 6;
}

/* Makes the control points of all cells that are there, in place. */
static void bezier_controls(solid_samples *s)
{
    const size_t channels = s->m->channels;
    const size_t step[3] = {channels, 4 * channels, 16 * channels};
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < s->count * solid_samples_reals(s); i++)
            if (i / step[axis] % 4 == 0) cubic_controls(s->values + i, step[axis]);
}

/* Returns the place among VTK's points of a cubic Bezier hexahedron, for point (u, v, w): corners,
   then inner points of the edges along u and v below and above, of those along w, of the faces
   across u, v, w, and of the cell. */
static uint32_t bezier_place(uint32_t u, uint32_t v, uint32_t w)
{
    const bool at_u = u % 3 == 0, at_v = v % 3 == 0, at_w = w % 3 == 0;
    const uint32_t high_u = u / 3, high_v = v / 3, high_w = w / 3;
    if (at_u && at_v && at_w) return (high_u ? (high_v ? 2 : 1) : (high_v ? 3 : 0)) + 4 * high_w;
    if (at_v && at_w) return 8 + (u - 1) + 4 * high_v + 8 * high_w;
    if (at_u && at_w) return 8 + (v - 1) + (high_u ? 2 : 6) + 8 * high_w;
    if (at_u && at_v) return 24 + (w - 1) + 2 * (high_u ? (high_v ? 2u : 1u) : (high_v ? 3u : 0u));
    if (at_u) return 32 + (v - 1) + 2 * (w - 1) + 4 * high_u;
    if (at_v) return 40 + (u - 1) + 2 * (w - 1) + 4 * high_v;
    if (at_w) return 48 + (u - 1) + 2 * (v - 1) + 4 * high_w;
    return 56 + (u - 1) + 2 * (v - 1) + 4 * (w - 1);
}

/* ---- VTU ---- */

/* What is being written. */
typedef struct vtu_work {
    const solid_model *m;
    solid_samples *samples; /* NULL: the cells themselves */
    vtu_file file;
    vtu_shape shape;
    parts_range cells, vertices; /* of the model, that are written */
    part_record record;
    vtu_field fields[CLSP_SOLID_MAX_DIM], *cell_fields;
    progress_bar *bar;
    size_t done, total; /* parts */
    double *piece;      /* [MAX_PIECE] numbers on their way */
    size_t filled;
} vtu_work;

static bool flush(vtu_work *w)
{
    const bool written = vtu_file_reals(&w->file, w->piece, w->filled);
    w->filled = 0;
    return written;
}

/* Writes some channels of points that are in memory. */
static bool write_points(vtu_work *w, const double *points, size_t num, const solid_channel *c)
{
    bool written = true;
    for (size_t i = 0; written && i < num; i++) {
        if (w->filled + c->components > MAX_PIECE) written = flush(w);
        for (uint32_t k = 0; k < c->components; k++)
            w->piece[w->filled++] = points[i * w->m->channels + c->first + k];
    }
    return written;
}

/* Makes the samples of a part of the cells; of Bezier cells their control points. */
static bool make_part(vtu_work *w, size_t first, size_t count)
{
    solid_samples *s = w->samples;
    const bool is_there = s->count == count && s->first == first;
    if (!solid_samples_make(s, first, count)) return false;
    if (w->m->r->bezier && !is_there) bezier_controls(s);
    return true;
}

/* Returns the first point of the file that is written. */
static uint64_t first_point(const vtu_work *w)
{
    if (!w->samples) return w->vertices.first;
    return w->cells.first * (solid_samples_reals(w->samples) / w->m->channels);
}

/* Writes an array of points. False with a complaint, or where writing has failed. */
static bool write_channel(vtu_work *w, size_t number, const solid_channel *c)
{
    const solid_model *m = w->m;
    const size_t begin = (size_t)w->cells.first, end = begin + (size_t)w->cells.count;
    bool done = true;
    vtu_file_begin(&w->file, number, first_point(w));
    if (!w->samples)
        done = write_points(w, m->points + w->vertices.first * m->channels,
                            (size_t)w->vertices.count, c);
    for (size_t first = begin; done && w->samples && first < end; first += w->samples->most) {
        const size_t left = end - first;
        const size_t count = left < w->samples->most ? left : w->samples->most;
        const size_t each = solid_samples_reals(w->samples) / w->m->channels;
        done = make_part(w, first, count) && write_points(w, w->samples->values, count * each, c);
        progress_report(w->bar, (double)++w->done / (double)w->total);
    }
    return done && flush(w);
}

/* Writes an array of cells: each cell's numbers for all of its parts. */
static bool write_data(vtu_work *w, size_t number)
{
    const solid_array *a = &w->m->cells.cell_arrays[number];
    const vtu_number kind = w->cell_fields[number].number;
    const size_t parts = (size_t)(w->shape.num_cells / w->m->counts.num_cells);
    const size_t begin = (size_t)w->cells.first, end = begin + (size_t)w->cells.count;
    bool done = true;
    vtu_file_begin(&w->file, 1 + w->m->num_fields + number, begin * parts);
    for (size_t i = begin; done && i < end; i++) {
        const double *values = a->values + solid_model_source(w->m, i) * a->components;
        for (size_t k = 0; done && k < parts; k++)
            done = kind == VTU_REAL ? vtu_file_reals(&w->file, values, a->components)
                                    : vtu_file_integers(&w->file, kind, values, a->components);
    }
    return done;
}

/* Fills the points of the cells that a cell with a grid of samples is made of. */
static void grid_cells(uint32_t samples, uint32_t *to)
{
    for (uint32_t u = 0; u + 1 < samples; u++)
        for (uint32_t v = 0; v + 1 < samples; v++)
            for (uint32_t w = 0; w + 1 < samples; w++)
                for (int i = 0; i < 8; i++)
                    *to++ = ((u + places[i][0]) * samples + v + places[i][1]) * samples + w +
                            places[i][2];
}

static void bezier_cell(uint32_t to[64])
{
    for (uint32_t i = 0; i < 64; i++)
        to[bezier_place(i / 16, i / 4 % 4, i % 4)] = i;
}

/* Writes the points of all cells. */
static bool write_cells(vtu_work *w)
{
    const solid_model *m = w->m;
    const size_t begin = (size_t)w->cells.first, end = begin + (size_t)w->cells.count;
    vtu_file_begin(&w->file, 1 + w->shape.num_fields + w->shape.num_cell_fields,
                   w->file.first_cell);
    if (!w->samples) return vtu_file_points(&w->file, 0, m->index + 8 * begin, 8 * (end - begin));
    const uint32_t s = w->samples->grid.along;
    const size_t parts = m->r->bezier ? 1 : (size_t)(s - 1) * (s - 1) * (s - 1);
    const size_t num = parts * w->shape.cell_points;
    uint32_t *points = malloc(num * sizeof(*points));
    bool done = points || solid_model_memory(m);
    if (done && m->r->bezier)
        bezier_cell(points);
    else if (done)
        grid_cells(s, points);
    for (size_t i = begin; done && i < end; i++)
        done = vtu_file_points(&w->file, (uint64_t)i * s * s * s, points, num);
    free(points);
    return done;
}

/* Describes the data of points and cells. False with a complaint. */
static bool describe_fields(vtu_work *w)
{
    const solid_cells *c = &w->m->cells;
    w->cell_fields = malloc((c->num_cell_arrays + 1) * sizeof(*w->cell_fields));
    if (!w->cell_fields) return solid_model_memory(w->m);
    for (size_t i = 0; i < c->num_cell_arrays; i++) {
        const solid_array *a = &c->cell_arrays[i];
        w->cell_fields[i] = (vtu_field){a->name, a->components, solid_size_number(a)};
    }
    for (size_t i = 0; i < w->m->num_fields; i++)
        w->fields[i] = (vtu_field){w->m->fields[i].name, w->m->fields[i].components, VTU_REAL};
    return true;
}

static void describe(vtu_work *w)
{
    const solid_model *m = w->m;
    const uint64_t cells = m->counts.num_cells;
    w->shape = (vtu_shape){.precision = MESH_F64,
                           .num_points = m->counts.num_vertices,
                           .num_cells = cells,
                           .cell_type = VTU_HEXAHEDRON,
                           .cell_points = 8,
                           .fields = w->fields,
                           .num_fields = m->num_fields,
                           .cell_fields = w->cell_fields,
                           .num_cell_fields = m->cells.num_cell_arrays};
    if (m->r->has_precision) w->shape.precision = m->r->base.precision;
    if (!w->samples) return;
    const uint64_t s = w->samples->grid.along;
    w->total =
        (1 + m->num_fields) * (size_t)((w->cells.count + w->samples->most - 1) / w->samples->most);
    w->shape.precision = w->samples->precision;
    w->shape.num_points = cells * s * s * s;
    w->shape.num_cells = cells * (s - 1) * (s - 1) * (s - 1);
    if (!m->r->bezier) return;
    w->shape.num_cells = cells;
    w->shape.cell_type = VTU_BEZIER_HEXAHEDRON;
    w->shape.cell_points = BEZIER * BEZIER * BEZIER;
}

/* Opens the file, or the part of it that is asked for. */
static bool open_vtu(vtu_work *w, const char *path, io_message *message)
{
    const request *r = &w->m->r->base;
    const uint64_t each = w->shape.num_cells / w->m->counts.num_cells;
    const vtu_part part = {w->cells.first * each, w->cells.count * each, &w->record};
    w->record = parts_record(r);
    parts_name_device(&w->record, w->m->ctx);
    return vtu_file_open(&w->file, &w->shape, r->num_parts > 0 ? &part : NULL, path, message);
}

static bool write_vtu(const solid_model *m, solid_samples *samples, const char *path,
                      progress_bar *bar)
{
    vtu_work w = {.m = m, .samples = samples, .bar = bar};
    const solid_channel place = {"Points", 3, 0};
    io_message message = {""};
    w.piece = malloc(MAX_PIECE * sizeof(*w.piece));
    bool done = (w.piece || solid_model_memory(m)) && describe_fields(&w) &&
                parts_take(&m->r->base, m->counts.num_cells, "cells", &w.cells) &&
                parts_take(&m->r->base, m->counts.num_vertices, "vertices", &w.vertices);
    if (done) describe(&w);
    done = done && open_vtu(&w, path, &message);
    const bool opened = done;
    done = done && write_channel(&w, 0, &place);
    for (size_t i = 0; done && i < m->num_fields; i++)
        done = write_channel(&w, 1 + i, &m->fields[i]);
    for (size_t i = 0; done && i < m->cells.num_cell_arrays; i++)
        done = write_data(&w, i);
    done = done && write_cells(&w);
    if (opened) done = vtu_file_close(&w.file, done || block_writer_failed(w.file.blocks)) && done;
    if (message.text[0]) complain("%s", message.text);
    if (samples && m->r->bezier) samples->count = 0; /* they are samples no more */
    free(w.piece);
    free(w.cell_fields);
    return done;
}

/* ---- the boundary ---- */

/* The names of data of points in a PLY file. */
typedef struct property_names {
    char text[CLSP_SOLID_MAX_DIM][SOLID_MAX_NAME + 28];
    const char *list[CLSP_SOLID_MAX_DIM];
    uint32_t num;
} property_names;

/* Tells whether a property of vertices has a name. */
static bool is_taken(const property_names *names, const char *name)
{
    static const char *const own[] = {"x", "y", "z", "nx", "ny", "nz"};
    bool found = false;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        found = found || strcmp(name, own[i]) == 0;
    for (uint32_t i = 0; i < names->num; i++)
        found = found || strcmp(name, names->list[i]) == 0;
    return found;
}

/* Adds a property: its field's name, in which what is no letter, digit or - becomes _, the number
   of the component where there are several, and of the property where that name is taken. */
static void add_property(property_names *names, const solid_channel *field, uint32_t component)
{
    char name[SOLID_MAX_NAME + 12];
    char *text = names->text[names->num];
    size_t length = 0;
    for (; field->name[length] && length + 1 < SOLID_MAX_NAME; length++) {
        const unsigned char c = (unsigned char)field->name[length];
        name[length] = c < 128 && (isalnum(c) || c == '-') ? (char)c : '_';
    }
    if (length == 0) name[length++] = '_';
    name[length] = 0;
    if (field->components > 1) snprintf(name + length, 12, "_%u", (unsigned)component);
    snprintf(text, sizeof(names->text[0]), "%s", name);
    for (unsigned n = 2; is_taken(names, text); n++)
        snprintf(text, sizeof(names->text[0]), "%s_%u", name, n);
    names->list[names->num++] = text;
}

static bool write_ply(const solid_surface *w, const char *path, const io_progress *progress,
                      io_message *message)
{
    property_names names = {.num = 0};
    mesh with_data = w->result;
    for (size_t f = 0; f < w->m->num_fields; f++)
        for (uint32_t k = 0; k < w->m->fields[f].components; k++)
            add_property(&names, &w->m->fields[f], k);
    with_data.data = w->data;
    with_data.names = names.list;
    with_data.num_names = names.num;
    return mesh_file_write(&ply_format, &with_data, path, progress, message);
}

static bool write_mesh(const solid_surface *w, const char *path, progress_bar *bar)
{
    const io_progress progress = {progress_report, bar};
    io_message message = {""};
    bool done;
    switch (request_format(&w->m->r->base, path)) {
    case SOLID_PLY:
        done = write_ply(w, path, &progress, &message);
        break;
    case SOLID_OBJ:
        done = obj_write(&w->result, path, &progress, &message);
        break;
    case SOLID_GLB:
        done = glb_write(&w->result, path, &progress, &message);
        break;
    default:
        done = stl_write(&w->result, path, &progress, &message);
        break;
    }
    if (!done) complain("%s", message.text);
    return done;
}

static bool write_surface(const solid_model *m, solid_boundary *boundary, const char *path,
                          progress_bar *bar)
{
    solid_surface w;
    const bool with_data = request_format(&m->r->base, path) == SOLID_PLY;
    const bool done = solid_surface_make(&w, m, boundary, with_data, m->r->normals, bar) &&
                      write_mesh(&w, path, bar);
    solid_surface_close(&w);
    return done;
}

/* Says what of a request has no effect on an output. */
static void note_unused(const solid_model *m, const char *path)
{
    const int format = request_format(&m->r->base, path);
    const bool is_picture = format == SOLID_PNG;
    const bool has_cells = solid_request_has_cells(m->r, path);
    const bool is_boundary = !has_cells && !is_picture;
    if (m->r->base.quiet) return;
    if (is_boundary && format != SOLID_PLY && m->num_fields > 0)
        complain("note: %s: data of points are left out, .vtu and .ply have them", path);
    if (is_boundary && m->cells.num_cell_arrays > 0)
        complain("note: %s: data of cells are left out, .vtu has them", path);
    if (!has_cells && m->r->bezier)
        complain("note: %s: --bezier is of .vtu, this is the boundary with 4 samples", path);
    if (has_cells && m->r->normals) complain("note: %s: normals are left out", path);
}

bool solid_output_write(const solid_model *m, solid_samples *samples, solid_boundary *boundary,
                        const char *path, progress_bar *bar)
{
    note_unused(m, path);
    if (solid_request_has_cells(m->r, path)) return write_vtu(m, samples, path, bar);
    if (request_format(&m->r->base, path) == SOLID_PNG)
        return solid_picture_write(m, boundary, path, bar);
    return write_surface(m, boundary, path, bar);
}
