#include "limit_points.h"

#include <stdlib.h>
#include <string.h>

enum { DART_STEPS = 200 }; /* weights of darts have converged: no eigenvalue but 1 is above 0.7 */

/* What is known of a vertex: what its limit is made of. */
typedef enum vertex_kind {
    VERTEX_INNER,
    VERTEX_SMOOTH, /* of the boundary */
    VERTEX_DART,   /* where one crease ends */
    VERTEX_CREASE, /* of two creases */
    VERTEX_FIXED
} vertex_kind;

typedef struct vertex_state {
    uint32_t faces, cells; /* of the boundary, if it is on the boundary: faces */
    uint8_t creases, kind;
} vertex_state;

typedef struct limit_job {
    const clspi_cell_mesh *mesh;
    clspi_limit_term *term;
    void *user;
    vertex_state *state;  /* [vertices] */
    uint32_t *edge_faces; /* [edges] */
} limit_job;

static void add(limit_job *job, uint32_t to, uint32_t from, double weight)
{
    job->term(job->user, to, from, weight);
}

/* ---- counting ---- */

static void count_all(limit_job *job)
{
    const clspi_cell_mesh *const mesh = job->mesh;

    for (size_t i = 0; i < (size_t)mesh->num_faces * CLSPI_FACE_SIDES; i++) {
        job->edge_faces[mesh->face_edge[i]]++;
        if (mesh->face_flag[i / CLSPI_FACE_SIDES] & CLSPI_BOUNDARY)
            job->state[mesh->face_vertex[i]].faces++;
    }
    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CORNERS; i++)
        job->state[mesh->cell_vertex[i]].cells++;
    for (size_t i = 0; i < 2 * (size_t)mesh->num_edges; i++)
        if (mesh->edge_flag[i / 2] & CLSPI_CREASE && job->state[mesh->edge_vertex[i]].creases < 3)
            job->state[mesh->edge_vertex[i]].creases++;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        static const uint8_t kinds[4] = {VERTEX_SMOOTH, VERTEX_DART, VERTEX_CREASE, VERTEX_FIXED};
        vertex_state *const state = &job->state[v];
        state->kind = kinds[state->creases];
        if (mesh->vertex_flag[v] & CLSPI_CORNER) state->kind = VERTEX_FIXED;
        if (!(mesh->vertex_flag[v] & CLSPI_BOUNDARY)) state->kind = VERTEX_INNER;
    }
}

/* ---- sums ---- */

static void add_selves(limit_job *job)
{
    for (uint32_t v = 0; v < job->mesh->num_vertices; v++) {
        const vertex_state *const state = &job->state[v];
        const double cells = state->cells, faces = state->faces;
        switch (state->kind) {
        case VERTEX_INNER:
            add(job, v, v, cells * cells);
            break;
        case VERTEX_SMOOTH:
            add(job, v, v, faces * faces);
            break;
        case VERTEX_CREASE:
            add(job, v, v, 4.0);
            break;
        case VERTEX_FIXED:
            add(job, v, v, 1.0);
            break;
        default:
            break;
        }
    }
}

static void add_edges(limit_job *job)
{
    const clspi_cell_mesh *const mesh = job->mesh;

    for (size_t i = 0; i < 2 * (size_t)mesh->num_edges; i++) {
        const uint32_t v = mesh->edge_vertex[i], other = mesh->edge_vertex[i ^ 1];
        const double n = job->edge_faces[i / 2];
        const uint8_t flag = mesh->edge_flag[i / 2], kind = job->state[v].kind;
        if (kind == VERTEX_INNER)
            add(job, v, other, n * n);
        else if (kind == VERTEX_SMOOTH && flag & CLSPI_BOUNDARY)
            add(job, v, other, 4.0);
        else if (kind == VERTEX_CREASE && flag & CLSPI_CREASE)
            add(job, v, other, 1.0);
    }
}

static void add_diagonals(limit_job *job)
{
    const clspi_cell_mesh *const mesh = job->mesh;

    for (size_t i = 0; i < (size_t)mesh->num_faces * CLSPI_FACE_SIDES; i++) {
        const uint32_t v = mesh->face_vertex[i], other = mesh->face_vertex[i ^ 2];
        if (job->state[v].kind == VERTEX_INNER)
            add(job, v, other, 4.0);
        else if (job->state[v].kind == VERTEX_SMOOTH &&
                 mesh->face_flag[i / CLSPI_FACE_SIDES] & CLSPI_BOUNDARY)
            add(job, v, other, 1.0);
    }
    for (size_t i = 0; i < (size_t)mesh->num_cells * CLSPI_CORNERS; i++)
        if (job->state[mesh->cell_vertex[i]].kind == VERTEX_INNER)
            add(job, mesh->cell_vertex[i], mesh->cell_vertex[i ^ 7], 1.0);
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

/* Replaces the weights by those that give the same of points as these give of the points after one
   step (the transposed step). Both sum to the same. */
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

/* Adds a dart's limit. at: the numbers of face corners at it. */
static void add_dart(limit_job *job, dart *d, uint32_t v)
{
    const clspi_cell_mesh *const mesh = job->mesh;
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
    add(job, v, v, d->self);
    for (uint32_t i = 0; i < d->num; i++) {
        const uint32_t *const end = mesh->edge_vertex + 2 * (size_t)d->edge[i];
        add(job, v, end[0] == v ? end[1] : end[0], d->end[i]);
        add(job, v, mesh->face_vertex[d->face[i] ^ 2], d->diagonal[i]);
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

/* Adds the limits of all darts, by lists of their boundary faces' corners. */
static bool add_darts(limit_job *job)
{
    const clspi_cell_mesh *const mesh = job->mesh;
    dart d = {0};
    uint32_t most = 0;
    size_t total = 0;
    size_t *const begin = malloc(((size_t)mesh->num_vertices + 1) * sizeof *begin);

    for (uint32_t v = 0; v < mesh->num_vertices && begin; v++) {
        begin[v] = total;
        if (job->state[v].kind != VERTEX_DART) continue;
        total += job->state[v].faces;
        if (job->state[v].faces > most) most = job->state[v].faces;
    }
    uint32_t *const corners = malloc((total + 1) * sizeof *corners);
    const bool done = begin && corners && make_room(&d, most);
    for (size_t i = 0; i < (size_t)mesh->num_faces * CLSPI_FACE_SIDES && done && most; i++)
        if (mesh->face_flag[i / CLSPI_FACE_SIDES] & CLSPI_BOUNDARY &&
            job->state[mesh->face_vertex[i]].kind == VERTEX_DART)
            corners[begin[mesh->face_vertex[i]]++] = (uint32_t)i;
    for (uint32_t v = 0; v < mesh->num_vertices && done && most; v++) {
        if (job->state[v].kind != VERTEX_DART) continue;
        d.num = job->state[v].faces;
        d.face = corners + begin[v] - d.num;
        add_dart(job, &d, v);
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

/* ---- all ---- */

bool clspi_limit_terms(const clspi_cell_mesh *mesh, clspi_limit_term *term, void *user)
{
    limit_job job = {.mesh = mesh, .term = term, .user = user};
    bool done;

    job.state = calloc((size_t)mesh->num_vertices + 1, sizeof *job.state);
    job.edge_faces = calloc((size_t)mesh->num_edges + 1, sizeof *job.edge_faces);
    done = job.state && job.edge_faces;
    if (done) {
        count_all(&job);
        add_selves(&job);
        add_edges(&job);
        add_diagonals(&job);
        done = add_darts(&job);
    }
    free(job.state);
    free(job.edge_faces);
    return done;
}

/* Points as they are summed. */
typedef struct point_sums {
    uint32_t dim;
    const double *points;
    double *limits;
    double *sum; /* [vertices]: of weights */
} point_sums;

static void add_point(void *user, uint32_t to, uint32_t from, double weight)
{
    const point_sums *const s = user;
    double *const limit = s->limits + (size_t)to * s->dim;
    const double *const point = s->points + (size_t)from * s->dim;

    for (uint32_t i = 0; i < s->dim; i++)
        limit[i] += weight * point[i];
    s->sum[to] += weight;
}

bool clspi_limit_points(double *limits, const double *points, uint32_t dim,
                        const clspi_cell_mesh *mesh)
{
    const size_t vertices = mesh->num_vertices;
    point_sums s = {dim, points, limits, calloc(vertices + 1, sizeof *s.sum)};

    memset(limits, 0, vertices * dim * sizeof *limits);
    const bool done = s.sum && clspi_limit_terms(mesh, add_point, &s);
    for (size_t i = 0; i < vertices * dim && done; i++)
        limits[i] /= s.sum[i / dim];
    free(s.sum);
    return done;
}
