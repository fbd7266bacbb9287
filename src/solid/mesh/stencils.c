#include "stencils.h"

#include <stdlib.h>
#include <string.h>

#include "key_map.h"
#include "step_weights.h"

/* ---- what is around edges, faces and vertices ---- */

/* The lists in which each item stands. */
typedef struct inverse {
    size_t *begin; /* [items + 1] */
    uint32_t *list;
} inverse;

static bool invert(inverse *of, const clspi_lists *lists, size_t num_lists, size_t num_items)
{
    const size_t total = clspi_list_begin(lists, num_lists);

    of->begin = calloc(num_items + 2, sizeof *of->begin);
    of->list = malloc((total + 1) * sizeof *of->list);
    if (!of->begin || !of->list) return false;
    for (size_t i = 0; i < total; i++)
        of->begin[lists->item[i] + 2]++;
    for (size_t i = 2; i < num_items + 2; i++)
        of->begin[i] += of->begin[i - 1];
    for (size_t n = 0; n < num_lists; n++)
        for (size_t i = clspi_list_begin(lists, n); i < clspi_list_begin(lists, n + 1); i++)
            of->list[of->begin[lists->item[i] + 1]++] = (uint32_t)n;
    return true;
}

/* ---- terms of one stencil ---- */

typedef struct term {
    uint32_t vertex;
    double weight;
} term;

/* Stencils being made, in the order of the next mesh's vertices. */
typedef struct maker {
    const clspi_incidence *mesh;
    clspi_step_weights weights;
    inverse vertex_edges, vertex_faces, vertex_cells, edge_faces, edge_cells, face_cells;
    term *terms; /* of the stencil at hand */
    uint32_t num_terms;
    size_t term_room;
    uint32_t *place; /* [vertices]: where a vertex stands among the terms, and 1; 0: nowhere */
    clspi_key_map rows;
    uint32_t *row_begin; /* [rows.num]: of weights */
    size_t row_room;
    size_t weight_room;
    uint32_t *length, *row; /* [num] */
    uint32_t *index;        /* of all, one after the other */
    size_t num_index, index_room;
} maker;

/* Adds a weight to the term of a vertex; false without memory. */
static bool add(maker *m, uint32_t vertex, double weight)
{
    if (m->place[vertex]) {
        m->terms[m->place[vertex] - 1].weight += weight;
        return true;
    }
    if (m->num_terms == m->term_room) {
        const size_t room = 2 * m->term_room + 64;
        term *const more = realloc(m->terms, room * sizeof *more);
        if (!more) return false;
        m->terms = more;
        m->term_room = room;
    }
    m->terms[m->num_terms] = (term){vertex, weight};
    m->place[vertex] = ++m->num_terms;
    return true;
}

/* Adds the mean of a list's vertices. */
static bool add_mean(maker *m, const clspi_lists *lists, size_t i, double weight)
{
    const size_t begin = clspi_list_begin(lists, i), end = clspi_list_begin(lists, i + 1);
    bool done = true;

    for (size_t k = begin; k < end && done; k++)
        done = add(m, lists->item[k], weight / (double)(end - begin));
    return done;
}

static bool add_middle(maker *m, size_t edge, double weight)
{
    const uint32_t *const end = m->mesh->edge_vertex + 2 * edge;

    return weight == 0.0 || (add(m, end[0], 0.5 * weight) && add(m, end[1], 0.5 * weight));
}

/* Adds the means of faces that have all of some flags. */
static bool add_faces(maker *m, const inverse *faces, size_t at, uint8_t flags, double weight)
{
    bool done = true;

    for (size_t i = faces->begin[at]; i < faces->begin[at + 1] && done && weight > 0.0; i++)
        if ((m->mesh->face_flag[faces->list[i]] & flags) == flags)
            done = add_mean(m, &m->mesh->face_vertices, faces->list[i], weight);
    return done;
}

static bool add_cells(maker *m, const inverse *cells, size_t at, double weight)
{
    bool done = true;

    for (size_t i = cells->begin[at]; i < cells->begin[at + 1] && done && weight > 0.0; i++)
        done = add_mean(m, &m->mesh->cell_vertices, cells->list[i], weight);
    return done;
}

static bool add_vertex(maker *m, size_t v)
{
    const clspi_vertex_weights *const w = m->weights.vertex + v;
    bool done = add(m, (uint32_t)v, w->self);

    for (size_t i = m->vertex_edges.begin[v]; i < m->vertex_edges.begin[v + 1] && done; i++) {
        const uint32_t e = m->vertex_edges.list[i];
        done = add_middle(m, e, clspi_middle_weight(&m->weights, m->mesh, v, e));
    }
    return done && add_faces(m, &m->vertex_faces, v, w->face_flags, w->face) &&
           add_cells(m, &m->vertex_cells, v, w->cell);
}

static bool add_edge(maker *m, size_t e)
{
    const clspi_edge_weights w = clspi_edge_weights_of(&m->weights, m->mesh, e);

    return add_middle(m, e, w.middle) && add_faces(m, &m->edge_faces, e, w.face_flags, w.face) &&
           add_cells(m, &m->edge_cells, e, w.cell);
}

static bool add_face(maker *m, size_t f)
{
    const bool is_boundary = m->mesh->face_flag[f] & CLSPI_BOUNDARY;

    return add_mean(m, &m->mesh->face_vertices, f, is_boundary ? 1.0 : 0.5) &&
           add_cells(m, &m->face_cells, f, is_boundary ? 0.0 : 0.25);
}

/* Adds the terms of vertex i of the next mesh. */
static bool add_terms(maker *m, size_t i)
{
    const size_t edges = m->mesh->num_vertices, faces = edges + m->mesh->num_edges;
    const size_t cells = faces + m->mesh->num_faces;

    m->num_terms = 0;
    return i < edges   ? add_vertex(m, i)
           : i < faces ? add_edge(m, i - edges)
           : i < cells ? add_face(m, i - faces)
                       : add_mean(m, &m->mesh->cell_vertices, i - cells, 1.0);
}

/* ---- keeping stencils ---- */

/* Orders terms by weight, the largest first, and then by vertex. */
static int compare_terms(const void *a, const void *b)
{
    const term *const s = a, *const t = b;

    if (s->weight != t->weight) return s->weight > t->weight ? -1 : 1;
    return s->vertex < t->vertex ? -1 : s->vertex > t->vertex;
}

/* Returns 128 bits by which lists of weights are told apart. */
static clspi_key weights_key(const term *terms, uint32_t num)
{
    clspi_key key = {num, UINT64_C(0x13198a2e03707344)};

    for (uint32_t i = 0; i < num; i++) {
        uint64_t bits;
        memcpy(&bits, &terms[i].weight, sizeof bits);
        key.a = (key.a ^ bits) * UINT64_C(0x2545f4914f6cdd1d);
        key.a ^= key.a >> 29;
        key.b = (key.b + bits + 1) * UINT64_C(0xd6e8feb86659fd93);
        key.b ^= key.b >> 32;
    }
    return key;
}

/* Makes room for `num` more elements; false without memory. */
static bool reserve(void **memory, size_t *room, size_t used, size_t num, size_t bytes)
{
    const size_t wanted = 2 * *room + num + 256;
    void *more;

    if (used + num <= *room) return true;
    more = realloc(*memory, wanted * bytes);
    if (!more) return false;
    *memory = more;
    *room = wanted;
    return true;
}

/* Keeps the weights of the stencil at hand, where they are new. */
static bool keep_weights(maker *m, clspi_stencils *s, uint32_t *row)
{
    const uint32_t known = m->rows.num;

    *row = clspi_key_map_put(&m->rows, weights_key(m->terms, m->num_terms));
    if (*row == CLSPI_NO_KEY || *row < known) return *row != CLSPI_NO_KEY;
    if (s->num_weights + m->num_terms > UINT32_MAX ||
        !reserve((void **)&m->row_begin, &m->row_room, known, 1, sizeof *m->row_begin) ||
        !reserve((void **)&s->weights, &m->weight_room, s->num_weights, m->num_terms,
                 sizeof *s->weights))
        return false;
    m->row_begin[*row] = (uint32_t)s->num_weights;
    for (uint32_t i = 0; i < m->num_terms; i++)
        s->weights[s->num_weights++] = m->terms[i].weight;
    if (m->num_terms > s->most_terms) s->most_terms = m->num_terms;
    return true;
}

/* Makes the stencil of vertex i of the next mesh. */
static bool make_stencil(maker *m, clspi_stencils *s, size_t i)
{
    if (!add_terms(m, i)) return false;
    for (uint32_t k = 0; k < m->num_terms; k++)
        m->place[m->terms[k].vertex] = 0;
    qsort(m->terms, m->num_terms, sizeof *m->terms, compare_terms);
    if (!keep_weights(m, s, &m->row[i]) ||
        !reserve((void **)&m->index, &m->index_room, m->num_index, m->num_terms, sizeof *m->index))
        return false;
    for (uint32_t k = 0; k < m->num_terms; k++)
        m->index[m->num_index++] = m->terms[k].vertex;
    m->length[i] = m->num_terms;
    return true;
}

/* ---- slices ---- */

/* Sorts stencils by their lengths, the longest first, and otherwise by their vertices. */
static bool sort_targets(const maker *m, clspi_stencils *s)
{
    size_t *const first = calloc(s->most_terms + 2, sizeof *first);

    if (!first) return false;
    for (size_t i = 0; i < s->num; i++)
        first[s->most_terms - m->length[i] + 1]++;
    for (size_t l = 1; l <= s->most_terms; l++)
        first[l] += first[l - 1];
    for (size_t i = 0; i < s->num; i++)
        s->target[first[s->most_terms - m->length[i]]++] = (uint32_t)i;
    free(first);
    return true;
}

/* Finds where slices begin. */
static bool place_slices(const maker *m, clspi_stencils *s)
{
    for (size_t k = 0; k < s->num_slices; k++) {
        s->begin[k] = (uint32_t)s->num_rows;
        s->num_rows += m->length[s->target[k * CLSPI_STENCIL_SLICE]];
        if (s->num_rows > UINT32_MAX) return false;
    }
    s->begin[s->num_slices] = (uint32_t)s->num_rows;
    return true;
}

/* Copies the terms of all stencils into their slices. begin: [num], where each begins in the
   maker's index. */
static void fill_slices(const maker *m, clspi_stencils *s, const size_t *begin)
{
    for (size_t i = 0; i < s->num_slices * CLSPI_STENCIL_SLICE; i++) {
        const size_t slice = i / CLSPI_STENCIL_SLICE;
        const size_t target = s->target[i < s->num ? i : s->num - 1];
        uint32_t *const to =
            s->index + (size_t)s->begin[slice] * CLSPI_STENCIL_SLICE + i % CLSPI_STENCIL_SLICE;
        const uint32_t rows = s->begin[slice + 1] - s->begin[slice];
        for (uint32_t k = 0; k < rows; k++)
            to[(size_t)k * CLSPI_STENCIL_SLICE] =
                m->index[begin[target] + (k < m->length[target] ? k : 0)];
        if (i < s->num) s->weight_begin[i] = m->row_begin[m->row[target]];
    }
}

/* Sorts stencils into slices. */
static bool make_slices(const maker *m, clspi_stencils *s)
{
    size_t *const begin = malloc((s->num + 1) * sizeof *begin);
    double *const weights =
        realloc(s->weights, (s->num_weights + s->most_terms) * sizeof *s->weights);
    bool done;

    if (weights) s->weights = weights;
    s->num_slices = (s->num + CLSPI_STENCIL_SLICE - 1) / CLSPI_STENCIL_SLICE;
    s->target = malloc((s->num + 1) * sizeof *s->target);
    s->weight_begin = malloc((s->num + 1) * sizeof *s->weight_begin);
    s->begin = malloc((s->num_slices + 1) * sizeof *s->begin);
    done = begin && weights && s->target && s->weight_begin && s->begin && sort_targets(m, s) &&
           place_slices(m, s);
    if (done) s->index = malloc((s->num_rows * CLSPI_STENCIL_SLICE + 1) * sizeof *s->index);
    done = done && s->index;
    if (done) {
        memset(s->weights + s->num_weights, 0, s->most_terms * sizeof *s->weights);
        begin[0] = 0;
        for (size_t i = 0; i < s->num; i++)
            begin[i + 1] = begin[i] + m->length[i];
        fill_slices(m, s, begin);
    }
    free(begin);
    return done;
}

/* ---- all ---- */

static bool make_ready(maker *m, size_t num, clspi_vertex_rule rule)
{
    const clspi_incidence *const mesh = m->mesh;
    const clspi_lists ends = {NULL, 2, mesh->edge_vertex};

    m->place = calloc(mesh->num_vertices + 1, sizeof *m->place);
    m->length = malloc((num + 1) * sizeof *m->length);
    m->row = malloc((num + 1) * sizeof *m->row);
    return m->place && m->length && m->row && clspi_key_map_make(&m->rows) &&
           clspi_step_weights_make(&m->weights, mesh, rule) &&
           invert(&m->vertex_edges, &ends, mesh->num_edges, mesh->num_vertices) &&
           invert(&m->vertex_faces, &mesh->face_vertices, mesh->num_faces, mesh->num_vertices) &&
           invert(&m->vertex_cells, &mesh->cell_vertices, mesh->num_cells, mesh->num_vertices) &&
           invert(&m->edge_faces, &mesh->face_edges, mesh->num_faces, mesh->num_edges) &&
           invert(&m->edge_cells, &mesh->cell_edges, mesh->num_cells, mesh->num_edges) &&
           invert(&m->face_cells, &mesh->cell_faces, mesh->num_cells, mesh->num_faces);
}

static void release_maker(maker *m)
{
    inverse *const all[] = {&m->vertex_edges, &m->vertex_faces, &m->vertex_cells,
                            &m->edge_faces,   &m->edge_cells,   &m->face_cells};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]->begin);
        free(all[i]->list);
    }
    clspi_step_weights_release(&m->weights);
    clspi_key_map_release(&m->rows);
    free(m->terms);
    free(m->place);
    free(m->row_begin);
    free(m->length);
    free(m->row);
    free(m->index);
}

bool clspi_stencils_make(clspi_stencils *stencils, const clspi_incidence *mesh,
                         clspi_vertex_rule rule)
{
    maker m = {.mesh = mesh};
    bool done;

    *stencils = (clspi_stencils){.num = mesh->num_vertices + mesh->num_edges + mesh->num_faces +
                                        mesh->num_cells};
    done = make_ready(&m, stencils->num, rule);
    for (size_t i = 0; i < stencils->num && done; i++)
        done = make_stencil(&m, stencils, i);
    done = done && make_slices(&m, stencils);
    release_maker(&m);
    return done;
}

void clspi_stencils_release(clspi_stencils *stencils)
{
    free(stencils->begin);
    free(stencils->index);
    free(stencils->target);
    free(stencils->weight_begin);
    free(stencils->weights);
    *stencils = (clspi_stencils){0};
}
