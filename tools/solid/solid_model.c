#include "solid_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "boundary_faces.h"
#include "progress.h"
#include "staging.h"

bool solid_model_memory(const solid_model *m)
{
    complain("%s: not enough memory", m->r->base.inputs[0]);
    return false;
}

/* Complains of what the library says of the mesh, under the file's name. */
static bool check(const solid_model *m, clsp_status status)
{
    char reason[2048];
    if (status == CLSP_OK) return true;
    if (clsp_context_last_error(m->ctx, reason, sizeof(reason)) == 0)
        complain("%s: %s", m->r->base.inputs[0], status_text(status));
    else
        complain("%s: %s", m->r->base.inputs[0],
                 strncmp(reason, "solid: ", 7) == 0 ? reason + 7 : reason);
    return false;
}

/* ---- making ---- */

/* Takes as many of the file's arrays as there are channels for. */
static void choose_fields(solid_model *m)
{
    m->channels = 3;
    for (size_t i = 0; i < m->cells.num_arrays; i++) {
        const solid_array *a = &m->cells.arrays[i];
        if (m->channels + a->components > CLSP_SOLID_MAX_DIM) {
            if (!m->r->base.quiet)
                complain("warning: %s: '%s' is left out: there are %d numbers of a point at most",
                         m->r->base.inputs[0], a->name, CLSP_SOLID_MAX_DIM);
            continue;
        }
        m->fields[m->num_fields++] = (solid_channel){a->name, a->components, m->channels};
        m->channels += a->components;
    }
}

/* Brings coordinates and channels together, in the place of what there was. */
static bool join_points(solid_model *m)
{
    const size_t num = m->cells.num_points;
    size_t field = 0;
    free(m->points);
    m->points = malloc((num * m->channels + 1) * sizeof(*m->points));
    if (!m->points) return solid_model_memory(m);
    for (size_t i = 0; i < num; i++)
        for (size_t k = 0; k < 3; k++)
            m->points[i * m->channels + k] = m->cells.points[3 * i + k];
    for (size_t a = 0; a < m->cells.num_arrays && field < m->num_fields; a++) {
        const solid_array *from = &m->cells.arrays[a];
        const solid_channel *to = &m->fields[field];
        if (from->name != to->name) continue;
        for (size_t i = 0; i < num * to->components; i++)
            m->points[i / to->components * m->channels + to->first + i % to->components] =
                from->values[i];
        field++;
    }
    return true;
}

/* Adds the creases that are lines of the file, and those that follow from angles. */
static bool add_creases(solid_model *m)
{
    boundary_faces faces;
    size_t others = 0;
    const bool found = boundary_faces_find(&faces, &m->cells);
    bool done = found && boundary_faces_lines(&faces, &m->cells, &others);
    if (done && m->r->crease_angle >= 0)
        done = boundary_faces_crease(&faces, &m->cells, m->r->crease_angle);
    if (found) boundary_faces_clear(&faces);
    if (others > 0 && !m->r->base.quiet)
        complain("warning: %s: %lu of %lu lines are no edges of the boundary, and are left out",
                 m->r->base.inputs[0], (unsigned long)others, (unsigned long)m->cells.num_lines);
    return done || solid_model_memory(m);
}

bool solid_model_create(solid_model *m, const float *sharpness, bool orient)
{
    const solid_cells *c = &m->cells;
    const clsp_solid_cells cells = {.num_vertices = c->num_points,
                                    .num_cells = c->num_cells,
                                    .kinds = c->kinds,
                                    .index = c->index,
                                    .num_indices = c->num_indices,
                                    .crease = c->crease,
                                    .num_creases = c->num_creases,
                                    .sharpness = sharpness,
                                    .corner = c->corner,
                                    .num_corners = c->num_corners,
                                    .points = c->points,
                                    .orient = orient};
    progress_note note;
    clsp_solid_mesh_destroy(&m->mesh);
    progress_note_start(&note, m->r->base.quiet, "checking %lu cells", (unsigned long)c->num_cells);
    const clsp_status status = clsp_solid_mesh_create(&m->mesh, m->ctx, &cells);
    progress_note_end(&note);
    return check(m, status) && check(m, clsp_solid_mesh_counts(m->mesh, &m->counts));
}

/* Makes the mesh, whose creases all fade after so many steps, if that is asked for. */
static bool make_mesh(solid_model *m)
{
    float *sharpness = NULL;
    if (m->r->has_steps) {
        sharpness = malloc((m->cells.num_creases + 1) * sizeof(*sharpness));
        if (!sharpness) return solid_model_memory(m);
        for (size_t i = 0; i < m->cells.num_creases; i++)
            sharpness[i] = (float)m->r->crease_steps;
    }
    const bool done = solid_model_create(m, sharpness, m->r->orient);
    free(sharpness);
    return done;
}

bool solid_model_choose(solid_model *m)
{
    choose_fields(m);
    return !m->r->array || solid_model_field(m) || solid_model_shown(m) || solid_model_no_array(m);
}

bool solid_model_make(solid_model *m)
{
    if (!join_points(m) || !make_mesh(m)) return false; /* which finds what is not sound */
    const bool has_more = m->r->crease_angle >= 0 || m->cells.num_lines > 0;
    return !has_more || (add_creases(m) && make_mesh(m));
}

/* ---- refining ---- */

/* Computes the points of a mesh refined, in the place of its own. */
static bool refine_points(solid_model *m, clsp_solid_mesh *from, const clsp_solid_counts *coarse,
                          const clsp_solid_counts *fine)
{
    const size_t num = coarse->num_vertices * m->channels;
    const size_t num_fine = fine->num_vertices * m->channels;
    double *points = malloc((num_fine + 1) * sizeof(*points));
    if (!points) return solid_model_memory(m);
    const bool done = check(m, clsp_solid_refine_points(from, CLSP_SOLID_TENSOR, m->channels,
                                                        clsp_in_f64(m->points, num),
                                                        clsp_out_f64(points, num_fine), NULL));
    free(m->points);
    m->points = points;
    return done;
}

/* Returns how many children a cell gets by refinement: one for each of its vertices. *at: where a
   cell of the file begins in its indices; moved to its end. */
static size_t count_children(const solid_model *m, size_t cell, size_t *at)
{
    const uint32_t *index = m->cells.index;
    size_t corners = 0;
    if (m->counts.is_hexahedral) return 8;
    const uint8_t kind = m->cells.kinds[cell];
    if (kind != SOLID_POLYHEDRON) {
        *at += solid_kind_vertices(kind);
        return solid_kind_vertices(kind);
    }
    for (uint32_t faces = index[(*at)++]; faces > 0; faces--) {
        corners += index[*at];
        *at += 1 + index[*at];
    }
    return corners / 3; /* as three faces meet in each vertex */
}

/* Finds the file's cells that refined ones are parts of. */
static bool refine_sources(solid_model *m, size_t num_fine)
{
    uint32_t *source = malloc((num_fine + 1) * sizeof(*source));
    size_t at = 0, count = 0;
    if (!source) return solid_model_memory(m);
    for (size_t i = 0; i < m->counts.num_cells; i++)
        for (size_t left = count_children(m, i, &at); left > 0 && count < num_fine; left--)
            source[count++] = (uint32_t)solid_model_source(m, i);
    free(m->source);
    m->source = source;
    return true;
}

size_t solid_model_source(const solid_model *m, size_t cell)
{
    return m->source ? m->source[cell] : cell;
}

const solid_channel *solid_model_field(const solid_model *m)
{
    for (size_t i = 0; m->r->array && i < m->num_fields; i++)
        if (strcmp(m->r->array, m->fields[i].name) == 0) return &m->fields[i];
    return NULL;
}

const solid_array *solid_model_shown(const solid_model *m)
{
    if (!m->r->array || solid_model_field(m)) return NULL;
    for (size_t i = 0; i < m->cells.num_cell_arrays; i++)
        if (strcmp(m->r->array, m->cells.cell_arrays[i].name) == 0) return &m->cells.cell_arrays[i];
    return NULL;
}

/* Adds a name to a list of names in a text, as far as it has room. */
static void add_name(char *text, size_t bytes, const char *name, const char *of)
{
    const size_t length = strlen(text);
    snprintf(text + length, bytes - length, "%s'%s' of %s", length > 0 ? ", " : "", name, of);
}

bool solid_model_no_array(const solid_model *m)
{
    char names[800] = "";
    for (size_t i = 0; i < m->num_fields; i++)
        add_name(names, sizeof(names), m->fields[i].name, "points");
    for (size_t i = 0; i < m->cells.num_cell_arrays; i++)
        add_name(names, sizeof(names), m->cells.cell_arrays[i].name, "cells");
    complain("%s: there is no data of points or cells named '%s'; %s%s", m->r->base.inputs[0],
             m->r->array, names[0] ? "there is " : "there are no data at all", names);
    return false;
}

/* Keeps the mesh that has been refined, or releases it. */
static bool keep_coarse(solid_model *m)
{
    if (!m->keeps_coarser) {
        clsp_solid_mesh_destroy(&m->mesh);
        return true;
    }
    clsp_solid_mesh **moved = realloc(m->coarser, (m->refined + 1) * sizeof(*moved));
    if (!moved) return solid_model_memory(m);
    m->coarser = moved;
    moved[m->refined] = m->mesh;
    m->mesh = NULL;
    return true;
}

bool solid_model_move(solid_model *m)
{
    bool done = join_points(m);
    for (uint32_t i = 0; done && i < m->refined; i++) {
        clsp_solid_counts coarse, fine;
        done = check(m, clsp_solid_mesh_counts(m->coarser[i], &coarse)) &&
               check(m, clsp_solid_mesh_counts(i + 1 < m->refined ? m->coarser[i + 1] : m->mesh,
                                               &fine)) &&
               refine_points(m, m->coarser[i], &coarse, &fine);
    }
    return done;
}

bool solid_model_refine(solid_model *m)
{
    clsp_solid_mesh *fine = NULL;
    clsp_solid_counts counts;
    bool done = check(m, clsp_solid_mesh_refine(&fine, m->mesh)) &&
                check(m, clsp_solid_mesh_counts(fine, &counts)) &&
                refine_points(m, m->mesh, &m->counts, &counts) &&
                ((m->cells.num_cell_arrays == 0 && !solid_request_has_points(m->r)) ||
                 m->outside > 0 || refine_sources(m, counts.num_cells));
    if (!done) {
        clsp_solid_mesh_destroy(&fine);
        return false;
    }
    if (!keep_coarse(m)) {
        clsp_solid_mesh_destroy(&fine);
        return false;
    }
    free(m->index);
    m->index = NULL;
    m->mesh = fine;
    m->counts = counts;
    m->refined++;
    return true;
}

bool solid_model_is_coarse(const solid_model *m)
{
    return !m->counts.is_hexahedral || m->refined < m->r->refine || m->counts.fading_steps > 0;
}

void solid_model_centre(solid_model *m)
{
    for (size_t k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < m->counts.num_vertices; i++) {
            low = fmin(low, m->points[i * m->channels + k]);
            high = fmax(high, m->points[i * m->channels + k]);
        }
        m->origin[k] = low / 2 + high / 2;
        for (size_t i = 0; i < m->counts.num_vertices; i++)
            m->points[i * m->channels + k] -= m->origin[k];
    }
}

bool solid_model_index(solid_model *m)
{
    const size_t num = m->counts.num_indices;
    if (m->index) return true;
    m->index = malloc((num + 1) * sizeof(*m->index));
    if (!m->index) return solid_model_memory(m);
    return check(m, clsp_solid_mesh_cells(
                        m->mesh, (clsp_output){.type = CLSP_U32, .host = m->index, .size = num}));
}

/* Returns the sign of a cell's volume in its middle. */
static int orientation(const solid_model *m, const uint32_t *index)
{
    static const uint8_t places[8] = {0, 1, 3, 2, 4, 5, 7, 6}; /* by bits of u, v, w */
    double along[3][3] = {{0}};
    for (int i = 0; i < 8; i++)
        for (int a = 0; a < 3; a++)
            for (size_t k = 0; k < 3; k++)
                along[a][k] +=
                    (places[i] >> a & 1 ? 1 : -1) * m->points[(size_t)index[i] * m->channels + k];
    double volume = 0, size = 1;
    for (int k = 0; k < 3; k++) {
        const int l = (k + 1) % 3, n = (k + 2) % 3;
        volume += along[0][k] * (along[1][l] * along[2][n] - along[1][n] * along[2][l]);
        size *= hypot(hypot(along[k][0], along[k][1]), along[k][2]);
    }
    return fabs(volume) <= 1e-12 * size ? 0 : volume > 0 ? 1 : -1;
}

size_t solid_model_odd_cells(const solid_model *m)
{
    size_t counts[3] = {0};
    for (size_t i = 0; i < m->counts.num_cells; i++)
        counts[1 + orientation(m, m->index + 8 * i)]++;
    return counts[0] + counts[1];
}

/* ---- evaluating ---- */

/* Checks that floats can hold all numbers of points. False with a complaint. */
static bool fits_floats(const solid_model *m)
{
    for (size_t i = 0; i < m->counts.num_vertices * m->channels; i++) {
        if (fabs(m->points[i]) <= (double)FLT_MAX) continue;
        complain("%s: %g is too large for a float; use --precision f64", m->r->base.inputs[0],
                 m->points[i]);
        return false;
    }
    return true;
}

bool solid_model_plan(const solid_model *m, mesh_precision precision, solid_grid grid,
                      uint32_t attributes, clsp_solid_plan **plan)
{
    const clsp_axis axis = {.num = grid.along, .begin = 0, .end = 1};
    const clsp_axis last = {.num = grid.across, .begin = 0, .end = grid.across > 1};
    const clsp_solid_desc desc = {.precision = staging_type(precision),
                                  .dim = m->channels,
                                  .axis = {axis, axis, last},
                                  .vertex = {.attributes = attributes}};
    progress_note note;
    *plan = NULL;
    progress_note_start(&note, m->r->base.quiet, "making the plan of %lu cells",
                        (unsigned long)m->counts.num_cells);
    const clsp_status status = clsp_solid_plan_create(plan, m->mesh, &desc);
    progress_note_end(&note);
    const bool done = staging_check(m->ctx, status) && solid_model_load(m, precision, *plan);
    if (!done) clsp_solid_plan_destroy(plan);
    return done;
}

bool solid_model_load(const solid_model *m, mesh_precision precision, clsp_solid_plan *plan)
{
    staged_reals reals;
    if (precision == MESH_F32 && !fits_floats(m)) return false;
    const bool opened =
        staging_open_reals(&reals, precision, m->points, m->counts.num_vertices * m->channels);
    const bool done =
        opened ? staging_check(m->ctx, clsp_solid_set_control_points(plan, reals.input, NULL))
               : solid_model_memory(m);
    if (opened) staging_close_reals(&reals);
    return done;
}

void solid_model_clear(solid_model *m)
{
    clsp_solid_mesh_destroy(&m->mesh);
    solid_cells_clear(&m->cells);
    free(m->points);
    free(m->index);
    free(m->source);
    for (uint32_t i = 0; m->coarser && i < m->refined; i++)
        clsp_solid_mesh_destroy(&m->coarser[i]);
    free(m->coarser);
    *m = (solid_model){.r = m->r, .ctx = m->ctx};
}
