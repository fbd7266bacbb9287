#define _XOPEN_SOURCE 700

#include "cad_filter.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"
#include "cad_model.h"

/* ---- the choice ---- */

/* The body of a face, or one without names. */
static const cad_body *body_of(const cad_model *m, size_t face)
{
    static const cad_body none = {.is_closed = false};
    const uint32_t body = m->faces[face].body;
    return body < m->num_bodies ? &m->bodies[body] : &none;
}

/* Whether a pattern chooses a face. */
static bool suits(const cad_model *m, size_t face, const char *pattern)
{
    const cad_body *body = body_of(m, face);
    return pattern[0] &&
           (strcasecmp(pattern, cad_model_color(m, face)) == 0 ||
            fnmatch(pattern, m->faces[face].name, 0) == 0 || fnmatch(pattern, body->name, 0) == 0 ||
            fnmatch(pattern, body->part, 0) == 0);
}

/* Marks the faces that a pattern chooses. Returns whether there are any. */
static bool mark(const cad_model *m, const char *pattern, bool *keep)
{
    bool found = false;
    for (size_t f = 0; f < m->num_faces; f++)
        if (m->faces[f].is_there && suits(m, f, pattern)) found = keep[f] = true;
    return found;
}

/* Adds a word to a list of some, unless it is among them; dots stand for more. */
static void list_word(char *list, size_t room, const char *word)
{
    char quoted[CAD_NAME + 8];
    const size_t length = strlen(list);
    snprintf(quoted, sizeof(quoted), " '%s'", word);
    if (!word[0] || strstr(list, quoted) || (length > 2 && strcmp(list + length - 2, "..") == 0))
        return;
    snprintf(list + length, room - length, "%s",
             length + strlen(quoted) + 4 < room ? quoted : " ..");
}

/* Fails for a pattern of no face, and lists some words of which there are faces. */
static bool fail_none(const cad_model *m, const char *name, const char *pattern,
                      io_message *message)
{
    char names[200] = "", colors[80] = "";
    for (size_t f = 0; f < m->num_faces; f++) {
        list_word(names, sizeof(names), body_of(m, f)->part);
        list_word(names, sizeof(names), body_of(m, f)->name);
    }
    for (size_t f = 0; f < m->num_faces; f++) {
        list_word(names, sizeof(names), m->faces[f].name);
        list_word(colors, sizeof(colors), cad_model_color(m, f));
    }
    return io_fail(message, "%s: --only: no face has the name or the colour '%s'; names: %s%s%s",
                   name, pattern, names[0] ? names + 1 : "none",
                   "; colours: ", colors[0] ? colors + 1 : "none");
}

static bool mark_all(const cad_model *m, const char *only, const char *name, bool *keep,
                     io_message *message)
{
    char pattern[256];
    for (;;) {
        const size_t length = strcspn(only, ",");
        snprintf(pattern, sizeof(pattern), "%.*s", (int)length, only);
        if (!mark(m, pattern, keep)) return fail_none(m, name, pattern, message);
        if (!only[length]) return true;
        only += length + 1;
    }
}

/* ---- what is left ---- */

/* A model of fewer faces on its way. */
typedef struct copy {
    const cad_model *from;
    cad_model *to;
    uint32_t *edge, *node, *body; /* new numbers; UINT32_MAX: none */
    size_t curve, knot, control;  /* how far curves are copied */
} copy;

static uint32_t *make_numbers(size_t num)
{
    uint32_t *made = malloc((num + 1) * sizeof(*made));
    if (made) memset(made, 0xff, (num + 1) * sizeof(*made));
    return made;
}

/* Goes to the next curve, and copies this one where it is to be kept. */
static bool next_curve(copy *c, cad_curves *to, const cad_curves *from, size_t coordinates,
                       bool is_kept)
{
    const uint32_t degree = from->degree.at[c->curve], num = from->num_controls.at[c->curve];
    const size_t knots = (size_t)degree + num + 1, controls = coordinates * num;
    const bool done =
        !is_kept ||
        (cad_counts_add(&to->degree, degree) && cad_counts_add(&to->num_controls, num) &&
         cad_reals_add(&to->knots, from->knots.at + c->knot, knots) &&
         cad_reals_add(&to->controls, from->controls.at + c->control, controls));
    c->curve++;
    c->knot += knots;
    c->control += controls;
    return done;
}

/* Copies the edges of the faces that are kept. */
static bool copy_edges(copy *c, const bool *keep)
{
    const cad_model *from = c->from;
    cad_model *to = c->to;
    bool done = true;
    for (size_t f = 0; f < from->num_faces; f++)
        for (size_t i = from->curve.at[from->loop.at[f]];
             keep[f] && i < from->curve.at[from->loop.at[f + 1]]; i++)
            if (from->edge.at[i] != CAD_NO_EDGE) c->edge[from->edge.at[i]] = 0;
    for (size_t i = 0; done && i < from->tolerance.num; i++) {
        const bool is_kept = c->edge[i] == 0;
        done = next_curve(c, &to->edges, &from->edges, 4, is_kept);
        if (!is_kept || !done) continue;
        c->edge[i] = (uint32_t)to->tolerance.num;
        done = cad_counts_add(&to->edge_number, from->edge_number.at[i]) &&
               cad_reals_add(&to->tolerance, from->tolerance.at + i, 1);
    }
    c->curve = c->knot = c->control = 0;
    return done;
}

static bool copy_loops(copy *c, size_t face, bool is_kept)
{
    const cad_model *from = c->from;
    cad_model *to = c->to;
    bool done = true;
    for (size_t l = from->loop.at[face]; done && l < from->loop.at[face + 1]; l++) {
        for (size_t i = from->curve.at[l]; done && i < from->curve.at[l + 1]; i++) {
            const uint32_t edge = from->edge.at[i];
            done = next_curve(c, &to->curves, &from->curves, 3, is_kept);
            if (done && is_kept)
                done = cad_counts_add(&to->edge, edge == CAD_NO_EDGE ? edge : c->edge[edge]) &&
                       cad_counts_add(&to->against, from->against.at[i]);
        }
        if (is_kept) done = done && cad_counts_add(&to->curve, (uint32_t)to->edge.num);
    }
    return done;
}

static bool copy_mesh(copy *c, size_t face)
{
    const cad_model *from = c->from;
    cad_model *to = c->to;
    bool done = true;
    for (size_t i = from->vertex.at[face]; done && i < from->vertex.at[face + 1]; i++) {
        const uint32_t node = from->node.at[i];
        if (c->node[node] == UINT32_MAX) {
            c->node[node] = (uint32_t)(to->nodes.num / 3);
            done = cad_reals_add(&to->nodes, from->nodes.at + (size_t)3 * node, 3);
        }
        done = done && cad_counts_add(&to->node, c->node[node]) &&
               cad_reals_add(&to->params, from->params.at + 2 * i, 2);
    }
    for (size_t i = from->corner.at[face]; done && i < from->corner.at[face + 1]; i++)
        done = cad_counts_add(&to->triangles, from->triangles.at[i]);
    return done;
}

/* Takes the body of a face, unless it is there, and ends the face. */
static bool end_face(copy *c, size_t number)
{
    cad_model *to = c->to;
    cad_face face = c->from->faces[number];
    if (face.body < c->from->num_bodies) {
        uint32_t *body = &c->body[face.body];
        cad_body *moved =
            array_reserve(to->bodies, &to->body_capacity, to->num_bodies + 1, sizeof(*moved));
        if (!moved) return false;
        to->bodies = moved;
        if (*body == UINT32_MAX) {
            *body = (uint32_t)to->num_bodies;
            moved[to->num_bodies++] = c->from->bodies[face.body];
        }
        face.body = *body;
    }
    return cad_model_end_face(to, &face, number);
}

/* Copies the faces that are kept, and opens bodies that lose one. */
static bool copy_faces(copy *c, const bool *keep)
{
    const cad_model *from = c->from;
    bool done = copy_edges(c, keep);
    for (size_t f = 0; done && f < from->num_faces; f++) {
        done = copy_loops(c, f, keep[f]);
        if (keep[f]) done = done && copy_mesh(c, f) && end_face(c, f);
    }
    for (size_t f = 0; done && f < from->num_faces; f++) {
        const uint32_t body = keep[f] ? UINT32_MAX : from->faces[f].body;
        if (body < from->num_bodies && c->body[body] != UINT32_MAX)
            c->to->bodies[c->body[body]].is_closed = false;
    }
    return done;
}

/* Makes a model of the faces that are kept; NULL when memory runs out. */
static cad_model *copy_kept(const cad_model *from, const bool *keep)
{
    copy c = {.from = from,
              .to = cad_model_new(),
              .edge = make_numbers(from->tolerance.num),
              .node = make_numbers(from->nodes.num / 3),
              .body = make_numbers(from->num_bodies)};
    const bool done = c.to && c.edge && c.node && c.body && copy_faces(&c, keep);
    free(c.edge);
    free(c.node);
    free(c.body);
    if (done) {
        c.to->num_left_out = cad_model_count(from) - cad_model_count(c.to);
        c.to->faces_in_file = from->faces_in_file;
        c.to->faces_read = from->faces_read;
        memcpy(c.to->file_unit, from->file_unit, sizeof(from->file_unit));
        memcpy(c.to->note, from->note, sizeof(from->note));
        return c.to;
    }
    cad_model_free(c.to);
    return NULL;
}

bool cad_filter_apply(splines *content, const char *only, const char *name, io_message *message)
{
    cad_model *m = content->cad, *kept = NULL;
    if (!only) return true;
    if (!m) return io_fail(message, "%s: --only is of CAD files", name);
    bool *keep = calloc(m->num_faces + content->num_splines + 1, sizeof(*keep));
    bool done = keep && mark_all(m, only, name, keep, message);
    if (done) kept = copy_kept(m, keep);
    if (!keep || (done && !kept)) io_fail(message, "%s: not enough memory", name);
    if (kept) {
        for (size_t f = 0; f < m->num_faces; f++)
            content->num_trimmed -= m->faces[f].is_trimmed && !keep[f];
        splines_keep(content, keep);
        cad_model_free(m);
        content->cad = kept;
    }
    free(keep);
    return kept != NULL;
}
