#include "cad_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "geomdl_item.h"
#include "json_stream.h"
#include "spline_scan.h"
#include "utf8.h"

static const double border_part = 1e-9; /* of the domain, within which a curve is on its border */

static bool read_flag(scanner *s, bool *flag)
{
    cJSON *value = json_value(s, "true or false");
    const bool done = cJSON_IsBool(value);
    *flag = cJSON_IsTrue(value);
    cJSON_Delete(value);
    return done || s->failed || scanner_fail(s, s->word_line, "no true or false");
}

static bool read_name(scanner *s, char *to, size_t room)
{
    if (!json_read_word(s, "a word")) return false;
    utf8_copy(to, s->word, room);
    return true;
}

/* Reads a list of whole numbers. */
static bool read_counts(scanner *s, cad_counts *to)
{
    uint32_t value;
    if (!json_open(s, '[', "a list of numbers")) return false;
    for (size_t n = 0; json_next_item(s, &n);) {
        if (!json_read_count(s, "a number", UINT32_MAX - 1, &value)) return false;
        if (!cad_counts_add(to, value)) return spline_scan_memory(s);
    }
    return !s->failed;
}

static bool read_reals(scanner *s, cad_reals *to)
{
    double value;
    if (!json_open(s, '[', "a list of numbers")) return false;
    for (size_t n = 0; json_next_item(s, &n);) {
        if (!json_read_real(s, "a number", &value)) return false;
        if (!cad_reals_add(to, &value, 1)) return spline_scan_memory(s);
    }
    return !s->failed;
}

/* ---- curves ---- */

/* What curves have beside themselves: trims their edge, edges their tolerance. */
typedef struct curve_members {
    uint32_t edge;
    bool is_forward;
    double tolerance;
} curve_members;

/* Adds a curve whose points have `dim` coordinates. */
static bool add_curve(scanner *s, cad_curves *to, const geomdl_item *t, uint32_t dim)
{
    static const double one = 1;
    const spline_type *type = &t->made.type;
    const size_t coordinates = spline_coordinates(type);
    if (type->directions != 1 || type->dim != dim)
        return scanner_fail(s, t->line, "no curve of %u coordinates", dim);
    bool done = cad_counts_add(&to->degree, type->degree[0]) &&
                cad_counts_add(&to->num_controls, type->num_controls[0]) &&
                cad_reals_add(&to->knots, type->knots[0], t->made.num_knots[0]);
    for (size_t i = 0; done && i < t->made.num_reals; i += coordinates)
        done = cad_reals_add(&to->controls, t->made.points + i, coordinates) &&
               (type->rational || cad_reals_add(&to->controls, &one, 1));
    return done || spline_scan_memory(s);
}

/* Reads a curve of `dim` coordinates, in doubles, and what stands beside it. */
static bool read_curve(scanner *s, cad_curves *to, uint32_t dim, curve_members *beside)
{
    geomdl_item t = {.is_curve = false};
    bool done = json_open(s, '{', "a curve, an object"), taken;
    *beside = (curve_members){.edge = CAD_NO_EDGE};
    t.line = s->word_line;
    for (size_t n = 0; done && json_next_key(s, &n);) {
        done = geomdl_item_member(s, &t, &taken);
        if (!done || taken) continue;
        if (strcmp(s->word, "edge") == 0)
            done = json_read_count(s, "the edge", CAD_NO_EDGE - 1, &beside->edge);
        else if (strcmp(s->word, "forward") == 0)
            done = read_flag(s, &beside->is_forward);
        else if (strcmp(s->word, "tolerance") == 0)
            done = json_read_real(s, "the tolerance", &beside->tolerance);
        else
            done = json_skip(s);
    }
    done = done && !s->failed && geomdl_item_end(s, &t) && add_curve(s, to, &t, dim);
    geomdl_item_clear(&t);
    return done;
}

static bool read_trim(scanner *s, cad_model *m)
{
    curve_members beside;
    if (!read_curve(s, &m->curves, 2, &beside)) return false;
    const bool has_edge = beside.edge != CAD_NO_EDGE;
    if (has_edge && beside.edge > CAD_NO_EDGE - 1 - m->first_edge)
        return scanner_fail(s, s->word_line, "too many edges");
    return (cad_counts_add(&m->edge,
                           has_edge ? (uint32_t)m->first_edge + beside.edge : CAD_NO_EDGE) &&
            cad_counts_add(&m->against, has_edge && !beside.is_forward)) ||
           spline_scan_memory(s);
}

static bool read_loop(scanner *s, cad_model *m)
{
    if (!json_open(s, '{', "a loop, an object")) return false;
    for (size_t n = 0; json_next_key(s, &n);) {
        const bool is_data = strcmp(s->word, "data") == 0;
        if (!is_data && !json_skip(s)) return false;
        if (!is_data) continue;
        if (!json_open(s, '[', "the curves of a loop")) return false;
        for (size_t k = 0; json_next_item(s, &k);)
            if (!read_trim(s, m)) return false;
    }
    if (s->failed) return false;
    return cad_counts_add(&m->curve, (uint32_t)m->edge.num) || spline_scan_memory(s);
}

static bool read_trims(scanner *s, cad_model *m)
{
    if (!json_open(s, '{', "trims, an object")) return false;
    for (size_t n = 0; json_next_key(s, &n);) {
        const bool is_data = strcmp(s->word, "data") == 0;
        if (!is_data && !json_skip(s)) return false;
        if (!is_data) continue;
        if (!json_open(s, '[', "the loops of a face")) return false;
        for (size_t k = 0; json_next_item(s, &k);)
            if (!read_loop(s, m)) return false;
    }
    return !s->failed;
}

/* ---- faces ---- */

static bool read_mesh(scanner *s, cad_model *m)
{
    if (!json_open(s, '{', "a mesh, an object")) return false;
    for (size_t n = 0; json_next_key(s, &n);) {
        const bool done = strcmp(s->word, "uv") == 0          ? read_reals(s, &m->params)
                          : strcmp(s->word, "nodes") == 0     ? read_counts(s, &m->node)
                          : strcmp(s->word, "triangles") == 0 ? read_counts(s, &m->triangles)
                                                              : json_skip(s);
        if (!done) return false;
    }
    return !s->failed;
}

bool cad_json_is_face(const char *key)
{
    static const char *const keys[] = {"trims", "reversed", "kind", "tolerance",
                                       "name",  "color",    "mesh"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

bool cad_json_face(scanner *s, cad_model *m)
{
    const bool floats = s->floats;
    cad_face *f = &m->face;
    uint32_t turned = 0;
    bool done;
    s->floats = false; /* parameters are doubles in any precision */
    if (strcmp(s->word, "trims") == 0) {
        done = read_trims(s, m);
    } else if (strcmp(s->word, "mesh") == 0) {
        done = read_mesh(s, m);
    } else if (strcmp(s->word, "reversed") == 0) {
        done = json_read_count(s, "whether the face is reversed", 1, &turned);
        f->is_turned = turned == 1;
    } else if (strcmp(s->word, "tolerance") == 0) {
        done = json_read_real(s, "the tolerance", &f->tolerance);
    } else {
        const char *key = s->word;
        done = strcmp(key, "kind") == 0   ? read_name(s, f->kind, sizeof(f->kind))
               : strcmp(key, "name") == 0 ? read_name(s, f->name, sizeof(f->name))
                                          : read_name(s, f->color, sizeof(f->color));
    }
    s->floats = floats;
    return done;
}

/* Whether a curve's control points are all on one side of the domain. */
static bool is_on_border(const spline_type *type, const double *controls, uint32_t num)
{
    for (uint32_t k = 0; k < 2; k++) {
        const double ends[2] = {spline_kept(type, k, spline_begin(type, k)),
                                spline_kept(type, k, spline_end(type, k))};
        for (int side = 0; side < 2; side++) {
            uint32_t on = 0;
            for (uint32_t i = 0; i < num; i++)
                on += fabs(controls[3 * i + k] / controls[3 * i + 2] - ends[side]) <=
                      border_part * (ends[1] - ends[0]);
            if (on == num) return true;
        }
    }
    return false;
}

/* Makes parameters of the face's curves and vertices those of its spline as it is kept, and tells
   whether its loops leave out some of it: all but one loop along the border do. */
static bool place_face(cad_model *m, const spline_type *type)
{
    const size_t loops = m->curve.num - 1 - m->loop.at[m->loop.num - 1];
    double *c = m->curves.controls.at + m->first_control;
    bool is_trimmed = loops > 1;
    for (size_t i = m->first_curve; i < m->edge.num; i++) {
        const uint32_t num = m->curves.num_controls.at[i];
        for (size_t k = 0; k < 2 * (size_t)num; k++) {
            double *x = c + k / 2 * 3 + k % 2, w = c[k / 2 * 3 + 2];
            *x = w * spline_kept(type, k % 2, *x / w);
        }
        is_trimmed = is_trimmed || !is_on_border(type, c, num);
        c += (size_t)3 * num;
    }
    for (size_t i = 2 * m->first_vertex; i < m->params.num; i++)
        m->params.at[i] = spline_kept(type, i % 2, m->params.at[i]);
    return is_trimmed;
}

/* Checks the mesh of the face that ends. */
static bool check_mesh(scanner *s, const cad_model *m)
{
    const size_t num = m->node.num - m->first_vertex;
    const size_t corner = m->corner.at[m->corner.num - 1];
    if (m->params.num != 2 * m->node.num || (m->triangles.num - corner) % 3 != 0 ||
        m->node.num > UINT32_MAX || m->triangles.num > UINT32_MAX)
        return scanner_fail(s, s->line, "lists of a mesh that do not fit each other");
    for (size_t i = corner; i < m->triangles.num; i++)
        if (m->triangles.at[i] >= num)
            return scanner_fail(s, s->line, "a triangle of vertex %u, of %lu", m->triangles.at[i],
                                (unsigned long)num);
    return true;
}

static void begin_face(cad_model *m)
{
    m->face = (cad_face){.is_there = true};
    m->first_curve = m->edge.num;
    m->first_control = m->curves.controls.num;
    m->first_vertex = m->node.num;
}

bool cad_json_end_face(scanner *s, splines *content, const spline_type *type, bool *is_trimmed)
{
    cad_model *m = content->cad;
    if (type->directions != 2) return scanner_fail(s, s->line, "a face that is no surface");
    if (!check_mesh(s, m)) return false;
    *is_trimmed = m->face.is_trimmed = place_face(m, type);
    m->face.body = UINT32_MAX;
    if (!cad_model_end_face(m, &m->face, content->num_splines)) return spline_scan_memory(s);
    begin_face(m);
    return true;
}

/* ---- the file ---- */

static bool read_edges(scanner *s, cad_model *m)
{
    curve_members beside;
    if (!json_open(s, '[', "the list of edges")) return false;
    for (size_t n = 0; json_next_item(s, &n);) {
        if (!read_curve(s, &m->edges, 3, &beside)) return false;
        if (!cad_counts_add(&m->edge_number, (uint32_t)m->tolerance.num) ||
            !cad_reals_add(&m->tolerance, &beside.tolerance, 1))
            return spline_scan_memory(s);
    }
    return !s->failed;
}

static bool read_nodes(scanner *s, cad_model *m)
{
    if (!json_open(s, '[', "the list of nodes")) return false;
    for (size_t n = 0; json_next_item(s, &n);) {
        const size_t before = m->nodes.num;
        if (!read_reals(s, &m->nodes)) return false;
        if (m->nodes.num != before + 3)
            return scanner_fail(s, s->word_line, "a node that has not 3 coordinates");
    }
    return !s->failed;
}

/* Reads a shell's faces, which belong to the body that is added next. */
static bool read_shell(scanner *s, cad_model *m, cad_body *body)
{
    cad_counts faces = {.num = 0};
    bool is_closed = false, done = json_open(s, '{', "a shell, an object");
    for (size_t n = 0; done && json_next_key(s, &n);)
        done = strcmp(s->word, "faces") == 0    ? read_counts(s, &faces)
               : strcmp(s->word, "closed") == 0 ? read_flag(s, &is_closed)
                                                : json_skip(s);
    for (size_t i = 0; done && i < faces.num; i++) {
        done = faces.at[i] < m->num_faces - m->first_face;
        if (done) m->faces[m->first_face + faces.at[i]].body = (uint32_t)m->num_bodies;
        if (!done) scanner_fail(s, s->line, "a shell of face %u", faces.at[i]);
    }
    body->is_closed = body->is_closed && is_closed;
    free(faces.at);
    return done && !s->failed;
}

static bool read_shells(scanner *s, cad_model *m, cad_body *body)
{
    if (!json_open(s, '[', "the list of shells")) return false;
    body->is_closed = true;
    for (size_t n = 0; json_next_item(s, &n);)
        if (!read_shell(s, m, body)) return false;
    return !s->failed;
}

static bool read_body(scanner *s, cad_model *m)
{
    cad_body b = {.is_closed = false};
    if (!json_open(s, '{', "a body, an object")) return false;
    for (size_t n = 0; json_next_key(s, &n);) {
        const char *key = s->word;
        const bool done = strcmp(key, "kind") == 0     ? read_name(s, b.kind, sizeof(b.kind))
                          : strcmp(key, "name") == 0   ? read_name(s, b.name, sizeof(b.name))
                          : strcmp(key, "part") == 0   ? read_name(s, b.part, sizeof(b.part))
                          : strcmp(key, "color") == 0  ? read_name(s, b.color, sizeof(b.color))
                          : strcmp(key, "shells") == 0 ? read_shells(s, m, &b)
                                                       : json_skip(s);
        if (!done) return false;
    }
    if (s->failed) return false;
    cad_body *moved =
        array_reserve(m->bodies, &m->body_capacity, m->num_bodies + 1, sizeof(*moved));
    if (!moved) return spline_scan_memory(s);
    m->bodies = moved;
    moved[m->num_bodies++] = b;
    return true;
}

static bool read_bodies(scanner *s, cad_model *m)
{
    if (!json_open(s, '[', "the list of bodies")) return false;
    for (size_t n = 0; json_next_item(s, &n);)
        if (!read_body(s, m)) return false;
    return !s->failed;
}

/* Reads the first of the notes. */
static bool read_notes(scanner *s, cad_model *m)
{
    if (!json_open(s, '[', "the list of notes")) return false;
    for (size_t n = 0; json_next_item(s, &n);) {
        if (!json_read_word(s, "a note")) return false;
        if (!m->note[0]) utf8_copy(m->note, s->word, sizeof(m->note));
    }
    return !s->failed;
}

static bool read_number(scanner *s, uint32_t *sum)
{
    uint32_t number = 0;
    const bool done = json_read_count(s, "a number of faces", UINT32_MAX - *sum, &number);
    *sum += number;
    return done;
}

/* Begins a model where a file is clspline-cad's, and with it the numbers of what follows. */
static bool read_format(scanner *s, splines *content)
{
    if (!json_read_word(s, "the name of a format")) return false;
    if (strcmp(s->word, "clspline-cad") != 0) return true;
    if (!content->cad) content->cad = cad_model_new();
    cad_model *m = content->cad;
    if (!m) return spline_scan_memory(s);
    m->is_open = true;
    m->first_face = content->num_splines;
    m->first_edge = m->tolerance.num;
    m->first_node = m->nodes.num / 3;
    m->file_vertex = m->node.num;
    begin_face(m);
    return true;
}

static bool read_unit(scanner *s, splines *content)
{
    if (!json_read_word(s, "the name of a unit")) return false;
    splines_set_unit(content, s->word);
    return true;
}

bool cad_json_member(scanner *s, splines *content, bool *taken)
{
    static const struct {
        const char *key;
        bool (*read)(scanner *s, cad_model *m);
    } known[] = {{"edges", read_edges},
                 {"bodies", read_bodies},
                 {"nodes", read_nodes},
                 {"notes", read_notes}};
    cad_model *m = content->cad && content->cad->is_open ? content->cad : NULL;
    *taken = true;
    if (strcmp(s->word, "format") == 0) return read_format(s, content);
    for (size_t i = 0; m && i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(s->word, known[i].key) == 0) return known[i].read(s, m);
    if (m && strcmp(s->word, "unit") == 0) return read_unit(s, content);
    if (m && strcmp(s->word, "file_unit") == 0) return read_name(s, m->file_unit, CAD_NAME);
    if (m && strcmp(s->word, "faces_in_file") == 0) return read_number(s, &m->faces_in_file);
    if (m && strcmp(s->word, "faces_read") == 0) return read_number(s, &m->faces_read);
    *taken = false;
    return true;
}

bool cad_json_end(scanner *s, splines *content)
{
    cad_model *m = content->cad;
    if (!m || !m->is_open) return true;
    m->is_open = false;
    for (size_t i = 0; i < m->edge.num; i++)
        if (m->edge.at[i] != CAD_NO_EDGE && m->edge.at[i] >= m->tolerance.num)
            return scanner_fail(s, s->line, "a curve of edge %u, of %lu", m->edge.at[i],
                                (unsigned long)m->tolerance.num);
    const size_t num = m->nodes.num / 3 - m->first_node;
    for (size_t i = m->file_vertex; i < m->node.num; i++) {
        if (m->node.at[i] >= num)
            return scanner_fail(s, s->line, "a vertex at node %u, of %lu", m->node.at[i],
                                (unsigned long)num);
        m->node.at[i] += (uint32_t)m->first_node;
    }
    return true;
}
