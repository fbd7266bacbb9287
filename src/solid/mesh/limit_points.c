#include "limit_points.h"

#include <stdlib.h>
#include <string.h>

enum { DART_STEPS = 200 }; /* weights of darts have converged: no eigenvalue but 1 is above 0.7 */

/* ---- rules ---- */

/* What is counted around a vertex. */
typedef struct counts {
    uint32_t cells, faces, creases; /* of the boundary: faces */
} counts;

static void count_all(const clspi_cell_mesh *mesh, uint32_t *edge_faces, counts *count)
{
    for (size_t i = 0; i < (size_t)mesh->num_faces * CLSPI_FACE_SIDES; i++) {
        edge_faces[mesh->face_edge[i]]++;
        if (mesh->face_flag[i / CLSPI_FACE_SIDES] & CLSPI_BOUNDARY)
            count[mesh->face_vertex[i]].faces++;
    }
    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CORNERS; i++)
        count[mesh->cell_vertex[i]].cells++;
    for (size_t i = 0; i < 2 * (size_t)mesh->num_edges; i++)
        count[mesh->edge_vertex[i]].creases += (mesh->edge_flag[i / 2] & CLSPI_CREASE) != 0;
}

/* Returns the rule of a vertex with these flags. */
static clspi_limit_rule rule_of(const counts *n, uint8_t flag)
{
    const double cells = n->cells, faces = n->faces;

    if (!(flag & CLSPI_BOUNDARY))
        return (clspi_limit_rule){
            .self = cells * cells, .face = 4.0, .cell = 1.0, .by_valence = true};
    if (flag & CLSPI_CORNER || n->creases > 2) return (clspi_limit_rule){.self = 1.0};
    if (n->creases == 2)
        return (clspi_limit_rule){.self = 4.0, .edge = 1.0, .edge_flags = CLSPI_CREASE};
    if (n->creases == 1) return (clspi_limit_rule){.dart_faces = n->faces};
    return (clspi_limit_rule){.self = faces * faces,
                              .edge = 4.0,
                              .face = 1.0,
                              .edge_flags = CLSPI_BOUNDARY,
                              .face_flags = CLSPI_BOUNDARY};
}

bool clspi_limit_rules_make(clspi_limit_rules *rules, const clspi_cell_mesh *mesh)
{
    counts *const count = calloc((size_t)mesh->num_vertices + 1, sizeof *count);

    rules->vertex = calloc((size_t)mesh->num_vertices + 1, sizeof *rules->vertex);
    rules->edge_faces = calloc((size_t)mesh->num_edges + 1, sizeof *rules->edge_faces);
    const bool done = count && rules->vertex && rules->edge_faces;
    if (done) count_all(mesh, rules->edge_faces, count);
    for (uint32_t v = 0; v < mesh->num_vertices && done; v++)
        rules->vertex[v] = rule_of(&count[v], mesh->vertex_flag[v]);
    free(count);
    return done;
}

void clspi_limit_rules_release(clspi_limit_rules *rules)
{
    free(rules->vertex);
    free(rules->edge_faces);
    *rules = (clspi_limit_rules){0};
}

double clspi_limit_of_edge(const clspi_limit_rules *rules, const clspi_cell_mesh *mesh,
                           uint32_t vertex, uint32_t edge)
{
    const clspi_limit_rule *const rule = &rules->vertex[vertex];
    const double n = rules->edge_faces[edge];

    if (rule->by_valence) return n * n;
    return (mesh->edge_flag[edge] & rule->edge_flags) == rule->edge_flags ? rule->edge : 0.0;
}

double clspi_limit_of_face(const clspi_limit_rules *rules, const clspi_cell_mesh *mesh,
                           uint32_t vertex, uint32_t face)
{
    const clspi_limit_rule *const rule = &rules->vertex[vertex];

    return (mesh->face_flag[face] & rule->face_flags) == rule->face_flags ? rule->face : 0.0;
}

/* ---- darts ---- */

/* A dart's boundary faces with the edges at it, as numbers of its own, and weights: of itself, of
   the other ends of edges, of the diagonals of faces. */
typedef struct dart {
    uint32_t num;
    uint32_t *face, *edge; /* [num]: corners of faces at it; edges */
    uint32_t (*sides)[2];  /* [num]: the edges of each face */
    bool *sharp;           /* [num]: of edges */
    double self, *end, *diagonal, *next_end;
} dart;

/* Returns the dart's number of an edge, a new one where it is new. */
static uint32_t number_edge(dart *d, const clspi_cell_mesh *mesh, uint32_t edge, uint32_t *known)
{
    uint32_t i = 0;

    while (i < *known && d->edge[i] != edge)
        i++;
    if (i == *known) {
        d->edge[i] = edge;
        d->sharp[i] = mesh->edge_flag[edge] & CLSPI_CREASE;
        ++*known;
    }
    return i;
}

/* Replaces weights of the points after a step by weights of the points before it that give the same
   sum: the transposed step. The sum of all weights stays. */
static void step_weights(dart *d)
{
    const double n = d->num, self = d->self;

    d->self = self * ((n - 3.0) / n + 1.0 / n);
    for (uint32_t i = 0; i < d->num; i++) {
        const double share = d->end[i] * (d->sharp[i] ? 0.5 : 0.25);
        d->self += share;
        d->next_end[i] = share + self / (n * n);
    }
    for (uint32_t f = 0; f < d->num; f++) {
        double mean = d->diagonal[f] + self / (n * n);
        for (uint32_t k = 0; k < 2; k++)
            if (!d->sharp[d->sides[f][k]]) mean += d->end[d->sides[f][k]] / 4.0;
        d->self += mean / 4.0;
        d->diagonal[f] = mean / 4.0;
        for (uint32_t k = 0; k < 2; k++)
            d->next_end[d->sides[f][k]] += mean / 4.0;
    }
    memcpy(d->end, d->next_end, d->num * sizeof *d->end);
}

/* Gives the terms of a dart's limit. */
static void give_dart(const clspi_cell_mesh *mesh, dart *d, uint32_t v, clspi_limit_term *term,
                      void *user)
{
    uint32_t known = 0;

    for (uint32_t f = 0; f < d->num; f++) {
        const uint32_t at = d->face[f], first = at - at % CLSPI_FACE_SIDES;
        d->sides[f][0] = number_edge(d, mesh, mesh->face_edge[at], &known);
        d->sides[f][1] = number_edge(d, mesh, mesh->face_edge[first + (at + 3) % 4], &known);
        d->diagonal[f] = d->end[f] = 0.0;
    }
    d->self = 1.0;
    for (int i = 0; i < DART_STEPS; i++)
        step_weights(d);
    term(user, v, v, d->self);
    for (uint32_t i = 0; i < d->num; i++) {
        const uint32_t *const end = mesh->edge_vertex + 2 * (size_t)d->edge[i];
        term(user, v, end[0] == v ? end[1] : end[0], d->end[i]);
        term(user, v, mesh->face_vertex[d->face[i] ^ 2], d->diagonal[i]);
    }
}

static bool make_room(dart *d, uint32_t most)
{
    const size_t num = (size_t)most + 1;

    d->edge = malloc(num * sizeof *d->edge);
    d->sides = malloc(num * sizeof *d->sides);
    d->sharp = malloc(num * sizeof *d->sharp);
    d->end = malloc(num * sizeof *d->end);
    d->diagonal = malloc(num * sizeof *d->diagonal);
    d->next_end = malloc(num * sizeof *d->next_end);
    return d->edge && d->sides && d->sharp && d->end && d->diagonal && d->next_end;
}

bool clspi_limit_darts(const clspi_limit_rules *rules, const clspi_cell_mesh *mesh,
                       clspi_limit_term *term, void *user)
{
    const clspi_limit_rule *const rule = rules->vertex;
    dart d = {0};
    uint32_t most = 0;
    size_t total = 0;
    size_t *const begin = malloc(((size_t)mesh->num_vertices + 1) * sizeof *begin);

    for (uint32_t v = 0; v < mesh->num_vertices && begin; v++) {
        begin[v] = total;
        total += rule[v].dart_faces;
        if (rule[v].dart_faces > most) most = rule[v].dart_faces;
    }
    uint32_t *const corners = malloc((total + 1) * sizeof *corners);
    const bool done = begin && corners && make_room(&d, most);
    for (size_t i = 0; i < (size_t)mesh->num_faces * CLSPI_FACE_SIDES && done && most; i++)
        if (mesh->face_flag[i / CLSPI_FACE_SIDES] & CLSPI_BOUNDARY &&
            rule[mesh->face_vertex[i]].dart_faces)
            corners[begin[mesh->face_vertex[i]]++] = (uint32_t)i;
    for (uint32_t v = 0; v < mesh->num_vertices && done && most; v++) {
        if (!rule[v].dart_faces) continue;
        d.num = rule[v].dart_faces;
        d.face = corners + begin[v] - d.num;
        give_dart(mesh, &d, v, term, user);
    }
    free(begin);
    free(corners);
    free(d.edge);
    free(d.sides);
    free(d.sharp);
    free(d.end);
    free(d.diagonal);
    free(d.next_end);
    return done;
}

/* ---- points ---- */

/* Points as they are summed. */
typedef struct point_sums {
    const clspi_cell_mesh *mesh;
    clspi_limit_rules rules;
    uint32_t dim;
    const double *points;
    double *limits;
    double *sum; /* [vertices]: of weights */
} point_sums;

static void add(void *user, uint32_t to, uint32_t from, double weight)
{
    const point_sums *const s = user;
    double *const limit = s->limits + (size_t)to * s->dim;
    const double *const point = s->points + (size_t)from * s->dim;

    for (uint32_t i = 0; i < s->dim; i++)
        limit[i] += weight * point[i];
    s->sum[to] += weight;
}

/* Adds a term unless its weight is 0, whatever the point is. */
static void add_some(point_sums *s, uint32_t to, uint32_t from, double weight)
{
    if (weight != 0.0) add(s, to, from, weight);
}

/* Adds all terms but those of darts. */
static void add_all(point_sums *s)
{
    const clspi_cell_mesh *const mesh = s->mesh;
    const clspi_limit_rules *const rules = &s->rules;

    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        add_some(s, v, v, rules->vertex[v].self);
    for (size_t i = 0; i < 2 * (size_t)mesh->num_edges; i++) {
        const uint32_t v = mesh->edge_vertex[i];
        add_some(s, v, mesh->edge_vertex[i ^ 1],
                 clspi_limit_of_edge(rules, mesh, v, (uint32_t)(i / 2)));
    }
    for (size_t i = 0; i < (size_t)mesh->num_faces * CLSPI_FACE_SIDES; i++) {
        const uint32_t v = mesh->face_vertex[i], face = (uint32_t)(i / CLSPI_FACE_SIDES);
        add_some(s, v, mesh->face_vertex[i ^ 2], clspi_limit_of_face(rules, mesh, v, face));
    }
    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CORNERS; i++) {
        const uint32_t v = mesh->cell_vertex[i];
        add_some(s, v, mesh->cell_vertex[i ^ 7], rules->vertex[v].cell);
    }
}

bool clspi_limit_points(double *limits, const double *points, uint32_t dim,
                        const clspi_cell_mesh *mesh)
{
    const size_t vertices = mesh->num_vertices;
    point_sums s = {.mesh = mesh,
                    .dim = dim,
                    .points = points,
                    .limits = limits,
                    .sum = calloc(vertices + 1, sizeof *s.sum)};
    bool done = s.sum && clspi_limit_rules_make(&s.rules, mesh);

    if (done) {
        memset(limits, 0, vertices * dim * sizeof *limits);
        add_all(&s);
        done = clspi_limit_darts(&s.rules, mesh, add, &s);
    }
    for (size_t i = 0; i < vertices * dim && done; i++)
        limits[i] /= s.sum[i / dim];
    clspi_limit_rules_release(&s.rules);
    free(s.sum);
    return done;
}
