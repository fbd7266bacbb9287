#include "lattice_parts.h"

#include <stdlib.h>
#include <string.h>

#include "limit_points.h"
#include "step_weights.h"

/* Bits of words. */
enum { FLIP_FIRST = 1, FLIP_SECOND = 2, SWAP = 4, BOTH_FACES = 3, NO_FACES = 0, MASKS = 8 };

typedef struct maker {
    const clspi_cell_mesh *mesh;
    clspi_lattice_parts *parts;
    clspi_step_weights weights;
    clspi_limit_rules limits;
    uint32_t *edge_cells; /* [edges]: how many cells there are */
    uint32_t *edge_first; /* [edges]: the first one */
    size_t *next;         /* where the next word of each edge or vertex goes */
    double *limit_sum;    /* [vertices]: of the weights of a limit */
} maker;

/* ---- cells ---- */

/* Returns how the coordinates of a cell on its face k become those of the face, whose first one
   goes from its vertex 0 to 1 and the second from 0 to 3. */
static uint32_t face_code(const clspi_cell_mesh *mesh, size_t cell, uint32_t k)
{
    static const uint8_t side[CLSPI_FACE_SIDES][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const uint32_t *const corner = mesh->cell_vertex + cell * CLSPI_CORNERS;
    const uint32_t face = mesh->cell_face[cell * CLSPI_CELL_FACES + k];
    const uint32_t *const loop = mesh->face_vertex + (size_t)face * CLSPI_FACE_SIDES;
    const uint32_t axis = k >> 1, begin = (k & 1) << axis, first = axis == 0 ? 1 : 0;
    uint32_t i = 0, j = 0;

    while (i < CLSPI_FACE_SIDES - 1 && loop[i] != corner[begin])
        i++;
    while (j < CLSPI_FACE_SIDES - 1 && loop[j] != corner[begin | 1u << first])
        j++;
    const bool swaps = side[i][0] == side[j][0];
    return (uint32_t)side[i][swaps] | (uint32_t)side[i][!swaps] << 1 | (swaps ? SWAP : 0);
}

/* Returns the face of a cell's neighbour across its face k that the two share. */
static uint32_t face_there(const clspi_cell_mesh *mesh, size_t cell, uint32_t k)
{
    const uint32_t face = mesh->cell_face[cell * CLSPI_CELL_FACES + k];
    const uint32_t there = mesh->across[cell * CLSPI_CELL_FACES + k];
    const uint32_t *const faces = mesh->cell_face + (size_t)there * CLSPI_CELL_FACES;
    uint32_t i = 0;

    while (i < CLSPI_CELL_FACES - 1 && (faces[i] != face || (there == cell && i == k)))
        i++;
    return i;
}

static void write_cells(maker *m)
{
    const clspi_cell_mesh *const mesh = m->mesh;

    for (size_t c = 0; c < mesh->num_cells; c++) {
        const uint32_t *const corner = mesh->cell_vertex + c * CLSPI_CORNERS;
        uint32_t *to = m->parts->cells + c * CELL_WORDS;
        memcpy(to, corner, CLSPI_CORNERS * sizeof *to);
        to += CLSPI_CORNERS;
        for (uint32_t e = 0; e < CLSPI_CELL_EDGES; e++) {
            const uint32_t edge = mesh->cell_edge[c * CLSPI_CELL_EDGES + e];
            const bool flips = mesh->edge_vertex[2 * (size_t)edge] != corner[clspi_edge_corner(e)];
            *to++ = 2 * edge + flips;
        }
        for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++)
            *to++ = 8 * mesh->cell_face[c * CLSPI_CELL_FACES + k] + face_code(mesh, c, k);
        for (uint32_t k = 0; k < CLSPI_CELL_FACES; k++) {
            const uint32_t there = mesh->across[c * CLSPI_CELL_FACES + k];
            *to++ = there == CLSPI_NO_CELL ? CLSPI_NO_CELL : 8 * there + face_there(mesh, c, k);
        }
    }
}

/* ---- lists ---- */

/* Turns counts into where lists begin. False: above 2^32 - 1. */
static bool sum_counts(const maker *m, uint32_t *begin, size_t num, size_t *total)
{
    size_t sum = 0;

    for (size_t i = 0; i < num; i++) {
        const size_t count = m->next[i];
        begin[i] = (uint32_t)sum;
        m->next[i] = sum;
        sum += count;
        if (sum > UINT32_MAX) return false;
    }
    begin[num] = (uint32_t)sum;
    *total = sum;
    return true;
}

/* ---- edges ---- */

/* Finds what words an edge has by a cell with it: at most two. Returns how many. */
static uint32_t edge_words(const maker *m, size_t c, uint32_t e, uint32_t words[2])
{
    const clspi_cell_mesh *const mesh = m->mesh;
    const uint32_t edge = mesh->cell_edge[c * CLSPI_CELL_EDGES + e], axis = e / 4;
    const uint32_t corner = clspi_edge_corner(e), word = 64 * (uint32_t)c + 4 * e;
    const uint8_t flag = mesh->edge_flag[edge];
    uint32_t num = 0;

    if (!(flag & CLSPI_BOUNDARY)) {
        words[0] = word | BOTH_FACES;
        return 1;
    }
    if (flag & CLSPI_CREASE) {
        words[0] = word | NO_FACES;
        return m->edge_first[edge] == c;
    }
    /* the face along the i-th other axis is at an end of the other one */
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t fixed = i == 0 ? (axis == 2 ? 1 : 2) : (axis == 0 ? 1 : 0);
        const uint32_t k = 2 * fixed + (corner >> fixed & 1);
        if (mesh->face_flag[mesh->cell_face[c * CLSPI_CELL_FACES + k]] & CLSPI_BOUNDARY)
            words[num++] = word | 1u << i;
    }
    return num;
}

static bool make_edges(maker *m)
{
    const clspi_cell_mesh *const mesh = m->mesh;
    clspi_lattice_parts *const parts = m->parts;
    const size_t num = (size_t)mesh->num_cells * CLSPI_CELL_EDGES;
    uint32_t words[2];

    memset(m->next, 0, mesh->num_edges * sizeof *m->next);
    for (size_t i = 0; i < num; i++) {
        const uint32_t e = (uint32_t)(i % CLSPI_CELL_EDGES);
        m->next[mesh->cell_edge[i]] += edge_words(m, i / CLSPI_CELL_EDGES, e, words);
    }
    if (!sum_counts(m, parts->edge_begin, mesh->num_edges, &parts->num_edge_words)) return false;
    parts->edge_list = malloc((parts->num_edge_words + 1) * sizeof *parts->edge_list);
    if (!parts->edge_list) return false;
    for (size_t i = 0; i < num; i++) {
        const uint32_t e = (uint32_t)(i % CLSPI_CELL_EDGES);
        const uint32_t count = edge_words(m, i / CLSPI_CELL_EDGES, e, words);
        for (uint32_t k = 0; k < count; k++)
            parts->edge_list[m->next[mesh->cell_edge[i]]++] = words[k];
    }
    return true;
}

/* ---- vertices ---- */

/* Returns the weight of the other end of an edge in the next mesh's vertex. */
static double end_weight(const maker *m, uint32_t vertex, uint32_t edge)
{
    const clspi_incidence incidence = clspi_incidence_of(m->mesh);
    const clspi_vertex_weights *const w = &m->weights.vertex[vertex];
    const bool is_inner = !(m->mesh->edge_flag[edge] & CLSPI_BOUNDARY);
    const double faces = is_inner                          ? m->weights.edge_faces[edge]
                         : w->face_flags == CLSPI_BOUNDARY ? 2.0
                                                           : 0.0;

    return m->edge_cells[edge] * w->cell / 8.0 + faces * w->face / 4.0 +
           clspi_middle_weight(&m->weights, &incidence, vertex, edge) / 2.0;
}

/* Returns the weight of the point across a face. */
static double across_weight(const maker *m, uint32_t vertex, uint32_t face, bool has_two)
{
    const clspi_vertex_weights *const w = &m->weights.vertex[vertex];
    const uint8_t flag = m->mesh->face_flag[face];

    return (has_two ? 2.0 : 1.0) * w->cell / 8.0 +
           ((flag & w->face_flags) == w->face_flags ? w->face / 4.0 : 0.0);
}

/* Returns the face of a cell at a corner that is away from it along two axes. */
static uint32_t face_at(uint32_t corner, uint32_t away)
{
    const uint32_t axis = (away ^ 7) >> 1;

    return 2 * axis + (corner >> axis & 1);
}

/* Tells whether a corner of a cell has a word for the point that is away from its vertex along some
   axes: no other cell has it, and the vertex's rules ask for it. */
static bool has_word(const maker *m, size_t c, uint32_t i, uint32_t away)
{
    const clspi_cell_mesh *const mesh = m->mesh;
    const uint32_t vertex = mesh->cell_vertex[c * CLSPI_CORNERS + i];
    const bool is_inner = !(mesh->vertex_flag[vertex] & CLSPI_BOUNDARY);

    if (away == 7) return is_inner;
    if (away & (away - 1)) {
        const uint32_t there = mesh->across[c * CLSPI_CELL_FACES + face_at(i, away)];
        return there == CLSPI_NO_CELL || (is_inner && c < there);
    }
    const uint32_t edge = mesh->cell_edge[c * CLSPI_CELL_EDGES + clspi_corner_edge(away >> 1, i)];
    return m->edge_first[edge] == c && (is_inner || mesh->edge_flag[edge] & CLSPI_BOUNDARY);
}

/* Returns its weight in the vertex's limit, unless that is a dart. */
static double limit_of(const maker *m, size_t c, uint32_t i, uint32_t away)
{
    const clspi_cell_mesh *const mesh = m->mesh;
    const uint32_t vertex = mesh->cell_vertex[c * CLSPI_CORNERS + i];

    if (away == 7) return m->limits.vertex[vertex].cell;
    if (away & (away - 1))
        return clspi_limit_of_face(&m->limits, mesh, vertex,
                                   mesh->cell_face[c * CLSPI_CELL_FACES + face_at(i, away)]);
    return clspi_limit_of_edge(
        &m->limits, mesh, vertex,
        mesh->cell_edge[c * CLSPI_CELL_EDGES + clspi_corner_edge(away >> 1, i)]);
}

/* Returns the weight of such a point in the vertex of the next mesh. */
static double weight_of(const maker *m, size_t c, uint32_t i, uint32_t away)
{
    const clspi_cell_mesh *const mesh = m->mesh;
    const uint32_t vertex = mesh->cell_vertex[c * CLSPI_CORNERS + i];

    if (away == 7) return m->weights.vertex[vertex].cell / 8.0;
    if (away & (away - 1)) {
        const size_t k = c * CLSPI_CELL_FACES + face_at(i, away);
        return across_weight(m, vertex, mesh->cell_face[k], mesh->across[k] != CLSPI_NO_CELL);
    }
    return end_weight(m, vertex,
                      mesh->cell_edge[c * CLSPI_CELL_EDGES + clspi_corner_edge(away >> 1, i)]);
}

/* Returns the vertex of the mesh that a word names. */
static uint32_t vertex_of(const clspi_cell_mesh *mesh, uint32_t word)
{
    return mesh->cell_vertex[(size_t)(word >> 6) * CLSPI_CORNERS + ((word >> 3 ^ word) & 7)];
}

/* Adds the weight of a vertex in a dart's limit to the word that names the vertex. */
static void add_limit(void *user, uint32_t to, uint32_t from, double weight)
{
    const maker *const m = user;
    const clspi_lattice_parts *const parts = m->parts;

    m->limit_sum[to] += weight;
    for (uint32_t k = parts->vertex_begin[to]; k < parts->vertex_begin[to + 1] && to != from; k++) {
        if (vertex_of(m->mesh, parts->vertex_list[k]) != from) continue;
        parts->limit_weights[k] += weight;
        return;
    }
}

static bool make_vertices(maker *m)
{
    const clspi_cell_mesh *const mesh = m->mesh;
    clspi_lattice_parts *const parts = m->parts;
    const size_t corners = (size_t)mesh->num_cells * CLSPI_CORNERS;

    memset(m->next, 0, mesh->num_vertices * sizeof *m->next);
    for (size_t i = 0; i < corners; i++)
        for (uint32_t away = 1; away < MASKS; away++)
            m->next[mesh->cell_vertex[i]] +=
                has_word(m, i / CLSPI_CORNERS, i % CLSPI_CORNERS, away);
    if (!sum_counts(m, parts->vertex_begin, mesh->num_vertices, &parts->num_vertex_words))
        return false;
    parts->vertex_list = malloc((parts->num_vertex_words + 1) * sizeof *parts->vertex_list);
    parts->step_weights = malloc((parts->num_vertex_words + 1) * sizeof *parts->step_weights);
    parts->limit_weights = calloc(parts->num_vertex_words + 1, sizeof *parts->limit_weights);
    if (!parts->vertex_list || !parts->step_weights || !parts->limit_weights) return false;
    for (size_t i = 0; i < corners; i++) {
        const size_t c = i / CLSPI_CORNERS;
        const uint32_t k = i % CLSPI_CORNERS;
        for (uint32_t away = 1; away < MASKS; away++) {
            if (!has_word(m, c, k, away)) continue;
            const size_t at = m->next[mesh->cell_vertex[i]]++;
            parts->vertex_list[at] = 64 * (uint32_t)c + 8 * k + away;
            parts->step_weights[at] = weight_of(m, c, k, away);
            parts->limit_weights[at] = limit_of(m, c, k, away);
            m->limit_sum[mesh->cell_vertex[i]] += parts->limit_weights[at];
        }
    }
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        m->limit_sum[v] += m->limits.vertex[v].self;
    if (!clspi_limit_darts(&m->limits, mesh, add_limit, m)) return false;
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        for (uint32_t k = parts->vertex_begin[v]; k < parts->vertex_begin[v + 1]; k++)
            parts->limit_weights[k] /= m->limit_sum[v];
    return true;
}

/* ---- all ---- */

static bool make_ready(maker *m)
{
    const clspi_cell_mesh *const mesh = m->mesh;
    const clspi_incidence incidence = clspi_incidence_of(mesh);
    const size_t most = mesh->num_edges > mesh->num_vertices ? mesh->num_edges : mesh->num_vertices;
    const size_t words = (size_t)mesh->num_cells * CELL_WORDS;
    clspi_lattice_parts *const parts = m->parts;

    m->edge_cells = calloc((size_t)mesh->num_edges + 1, sizeof *m->edge_cells);
    m->edge_first = malloc(((size_t)mesh->num_edges + 1) * sizeof *m->edge_first);
    m->next = malloc((most + 1) * sizeof *m->next);
    m->limit_sum = calloc((size_t)mesh->num_vertices + 1, sizeof *m->limit_sum);
    parts->cells = malloc((words + 1) * sizeof *parts->cells);
    parts->edge_begin = malloc(((size_t)mesh->num_edges + 1) * sizeof *parts->edge_begin);
    parts->vertex_begin = malloc(((size_t)mesh->num_vertices + 1) * sizeof *parts->vertex_begin);
    if (!m->edge_cells || !m->edge_first || !m->next || !m->limit_sum || !parts->cells ||
        !parts->edge_begin || !parts->vertex_begin ||
        !clspi_step_weights_make(&m->weights, &incidence, CLSPI_RULE_TENSOR) ||
        !clspi_limit_rules_make(&m->limits, mesh))
        return false;
    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CELL_EDGES; i++)
        if (m->edge_cells[mesh->cell_edge[i]]++ == 0)
            m->edge_first[mesh->cell_edge[i]] = (uint32_t)(i / CLSPI_CELL_EDGES);
    return true;
}

bool clspi_lattice_parts_make(clspi_lattice_parts *parts, const clspi_cell_mesh *mesh)
{
    maker m = {.mesh = mesh, .parts = parts};

    *parts = (clspi_lattice_parts){0};
    bool done = make_ready(&m);
    if (done) write_cells(&m);
    done = done && make_edges(&m) && make_vertices(&m);
    clspi_step_weights_release(&m.weights);
    clspi_limit_rules_release(&m.limits);
    free(m.edge_cells);
    free(m.edge_first);
    free(m.next);
    free(m.limit_sum);
    return done;
}

void clspi_lattice_parts_release(clspi_lattice_parts *parts)
{
    free(parts->cells);
    free(parts->edge_begin);
    free(parts->edge_list);
    free(parts->vertex_begin);
    free(parts->vertex_list);
    free(parts->step_weights);
    free(parts->limit_weights);
    *parts = (clspi_lattice_parts){0};
}
