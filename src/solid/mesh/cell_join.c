/* Vertices are dealt with bucket by bucket: each is a range of them, with the cells that have one
   of these. An edge, or face, belongs to its least vertex: there all cells that have it are found,
   and it gets a number within the bucket. Numbers of all follow from that of the first cell. */
#include "cell_join.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "begins.h"
#include "cell_star.h"
#include "large_array.h"

enum {
    PIECE_CELLS = 4096,
    MAX_PIECES = 512,
    BUCKET_CORNERS = 32768,
    MAX_BUCKETS = 4096,
    REGULAR_FACES = 4, /* of an edge, and those where a smooth boundary passes through it */
    REGULAR_BOUNDARY_FACES = 3,
    REGULAR_CELLS = 8, /* of a vertex, likewise */
    REGULAR_BOUNDARY_CELLS = 4
};

/* What is known of an edge, or face, where its first cell has it, besides its number within the
   bucket. */
#define FIRST        0x80000000u
#define TURNED       0x40000000u /* its last cell has it from the other end */
#define AT_BOUNDARY  0x20000000u
#define AT_IRREGULAR 0x10000000u
#define NUMBER       0x0fffffffu

typedef struct joining {
    clspi_cell_mesh *mesh;
    const clspi_cell_shape *shape;
    bool check;
    size_t pieces, piece_cells, buckets;
    uint32_t shift;      /* a vertex belongs to the bucket of its number shifted right by so much */
    size_t *begin;       /* [buckets][pieces], and the end: of entries */
    uint32_t *entry;     /* cells of the buckets */
    size_t *bucket_sum;  /* [buckets + 1][2]: edges and faces of the buckets before */
    size_t *piece_sum;   /* [pieces + 1][2]: those that first appear in the pieces before */
    uint32_t *number[2]; /* of edges and faces, bucket after bucket */
    atomic_bool no_memory, is_defective;
} joining;

/* ---- buckets ---- */

static size_t end_of(const joining *j, size_t piece)
{
    const size_t end = (piece + 1) * j->piece_cells;

    return end < j->mesh->num_cells ? end : j->mesh->num_cells;
}

/* Lists the buckets of a cell's vertices, each once. Returns how many there are. */
static inline uint32_t buckets_of(const joining *j, const uint32_t *row, uint32_t *bucket)
{
    uint32_t num = 0;

    for (uint32_t i = 0; i < j->shape->corners; i++) {
        const uint32_t b = row[i] >> j->shift;
        uint32_t k = 0;
        while (k < num && bucket[k] != b)
            k++;
        bucket[k] = b;
        num += k == num;
    }
    return num;
}

static void count_piece(void *user, size_t piece)
{
    const joining *const j = user;
    const uint32_t *row = j->mesh->cell_vertex + piece * j->piece_cells * j->shape->corners;
    uint32_t count[MAX_BUCKETS], bucket[CLSPI_CORNERS];

    memset(count, 0, j->buckets * sizeof *count);
    for (size_t c = piece * j->piece_cells; c < end_of(j, piece); c++, row += j->shape->corners)
        for (uint32_t k = buckets_of(j, row, bucket); k > 0; k--)
            count[bucket[k - 1]]++;
    for (size_t b = 0; b < j->buckets; b++)
        j->begin[b * j->pieces + piece] = count[b];
}

static void scatter_piece(void *user, size_t piece)
{
    const joining *const j = user;
    const uint32_t *row = j->mesh->cell_vertex + piece * j->piece_cells * j->shape->corners;
    size_t next[MAX_BUCKETS];
    uint32_t bucket[CLSPI_CORNERS];

    for (size_t b = 0; b < j->buckets; b++)
        next[b] = j->begin[b * j->pieces + piece];
    for (size_t c = piece * j->piece_cells; c < end_of(j, piece); c++, row += j->shape->corners)
        for (uint32_t k = buckets_of(j, row, bucket); k > 0; k--)
            j->entry[next[bucket[k - 1]]++] = (uint32_t)c;
}

static bool fill_buckets(joining *j, const clspi_parallel *threads)
{
    j->begin = malloc((j->buckets * j->pieces + 1) * sizeof *j->begin);
    if (!j->begin) return false;
    clspi_in_parallel(threads, j->pieces, count_piece, j);
    j->entry = clspi_large_array(clspi_begins_of_counts(j->begin, j->buckets * j->pieces),
                                 sizeof *j->entry);
    if (!j->entry) return false;
    clspi_in_parallel(threads, j->pieces, scatter_piece, j);
    return true;
}

/* ---- stars of a bucket's vertices ---- */

/* The cells of each vertex of a bucket. */
typedef struct bucket_stars {
    size_t first, num;      /* vertices */
    size_t *begin;          /* [num + 1] */
    clspi_star_cell *cells; /* [begin[num]] */
    size_t most;            /* cells of a vertex */
    uint32_t found[2];      /* edges and faces so far */
    uint32_t *face;         /* [slots]: numbers of faces */
    clspi_star star;
} bucket_stars;

/* Lists the cells of each vertex of a bucket. False: no memory. */
static bool list_cells(bucket_stars *s, const joining *j, size_t bucket)
{
    const uint32_t corners = j->shape->corners;
    const uint32_t *const end = j->entry + j->begin[(bucket + 1) * j->pieces];
    const uint32_t *const begin = j->entry + j->begin[bucket * j->pieces];
    size_t sum = 0;

    s->begin = calloc(s->num + 1, sizeof *s->begin);
    if (!s->begin) return false;
    for (const uint32_t *c = begin; c < end; c++)
        for (uint32_t i = 0; i < corners; i++) {
            const size_t at = j->mesh->cell_vertex[(size_t)*c * corners + i] - s->first;
            if (at < s->num) s->begin[at]++;
        }
    for (size_t v = 0; v <= s->num; v++) {
        const size_t count = s->begin[v];
        if (count > s->most) s->most = count;
        s->begin[v] = sum;
        sum += count;
    }
    s->cells = malloc((sum + 1) * sizeof *s->cells);
    if (!s->cells) return false;
    for (const uint32_t *c = begin; c < end; c++)
        for (uint32_t i = 0; i < corners; i++) {
            const size_t at = j->mesh->cell_vertex[(size_t)*c * corners + i] - s->first;
            if (at < s->num) s->cells[s->begin[at]++] = (clspi_star_cell){*c, i};
        }
    memmove(s->begin + 1, s->begin, s->num * sizeof *s->begin); /* they are ends after that */
    s->begin[0] = 0;
    return true;
}

static const clspi_star_edge *edge_of(const clspi_star *star, uint32_t slot)
{
    return &star->edge[star->slot_edge[slot]];
}

static bool is_at_boundary(const clspi_star_edge *edge)
{
    return edge->joints < edge->cells;
}

static bool is_irregular(const clspi_star_edge *edge)
{
    return 2 * edge->cells - edge->joints !=
           (is_at_boundary(edge) ? REGULAR_BOUNDARY_FACES : REGULAR_FACES);
}

static uint8_t flag_of(const clspi_star *star)
{
    const bool is_boundary =
        2 * (size_t)star->num_joints < CLSPI_STAR_SIDES * (size_t)star->num_cells;
    bool irregular = star->num_cells != (is_boundary ? REGULAR_BOUNDARY_CELLS : REGULAR_CELLS);

    for (uint32_t e = 0; e < star->num_edges; e++)
        irregular |= is_irregular(&star->edge[e]);
    return (uint8_t)((is_boundary ? CLSPI_BOUNDARY : 0) | (irregular ? CLSPI_IRREGULAR : 0));
}

/* Tells whether a cell has an edge from the star's vertex on. */
static bool begins_here(const clspi_star *star, uint32_t slot)
{
    const clspi_star_cell *const at = &star->cells[slot / 4];

    return star->shape->edge[star->shape->star_edge[at->corner][slot % 4]][0] == at->corner;
}

/* Numbers the edges to vertices of larger numbers within the bucket. */
static void write_edges(const joining *j, bucket_stars *s)
{
    clspi_star *const star = &s->star;

    for (uint32_t e = 0; e < star->num_edges; e++) {
        clspi_star_edge *const edge = &star->edge[e];
        if (edge->vertex < star->vertex) continue;
        uint32_t number = FIRST | (s->found[0]++ & NUMBER);
        if (begins_here(star, edge->first) != begins_here(star, edge->last)) number |= TURNED;
        if (is_at_boundary(edge)) number |= AT_BOUNDARY;
        if (is_irregular(edge)) number |= AT_IRREGULAR;
        edge->number = number;
    }
    for (uint32_t c = 0; c < star->num_cells; c++) {
        const clspi_star_cell at = star->cells[c];
        uint32_t *const number = j->mesh->cell_edge + (size_t)at.cell * j->shape->edges;
        for (uint32_t slot = 4 * c; slot < 4 * c + CLSPI_STAR_SIDES; slot++) {
            const clspi_star_edge *const edge = edge_of(star, slot);
            if (edge->vertex > star->vertex)
                number[j->shape->star_edge[at.corner][slot % 4]] =
                    edge->first == slot ? edge->number : edge->number & NUMBER;
        }
    }
}

/* Numbers the faces whose other vertices have larger numbers. */
static void write_faces(const joining *j, bucket_stars *s)
{
    clspi_star *const star = &s->star;

    for (uint32_t c = 0; c < star->num_cells; c++) {
        const clspi_star_cell at = star->cells[c];
        const size_t begin = (size_t)at.cell * j->shape->sides;
        for (uint32_t i = 0; i < CLSPI_STAR_SIDES; i++) {
            const uint32_t slot = 4 * c + i, mate = star->side[slot].mate;
            const clspi_star_side *const side = &star->side[slot];
            const size_t place = begin + j->shape->star_side[at.corner][i];
            if (star->edge[side->low].vertex < star->vertex ||
                star->edge[side->high].vertex < star->vertex || side->far < star->vertex)
                continue;
            if (mate > slot) s->face[slot] = s->found[1]++ & NUMBER;
            j->mesh->cell_face[place] = mate > slot ? FIRST | s->face[slot] : s->face[mate];
            j->mesh->across[place] =
                mate == CLSPI_NO_SLOT
                    ? CLSPI_NO_CELL
                    : star->cells[mate / 4].cell |
                          (star->slot_edge[slot] == star->slot_edge[mate] ? CLSPI_ALIKE : 0);
        }
    }
}

static void look_at_stars(joining *j, bucket_stars *s)
{
    clspi_star *const star = &s->star;

    for (size_t i = 0; i < s->num; i++) {
        star->vertex = (uint32_t)(s->first + i);
        star->cells = s->cells + s->begin[i];
        star->num_cells = (uint32_t)(s->begin[i + 1] - s->begin[i]);
        if (!clspi_star_find(star) || (j->check && !clspi_star_is_sound(star))) {
            atomic_store(&j->is_defective, true);
            return;
        }
        j->mesh->vertex_flag[star->vertex] = flag_of(star);
        write_faces(j, s);
        write_edges(j, s);
        if (s->found[0] > NUMBER || s->found[1] > NUMBER) atomic_store(&j->is_defective, true);
    }
}

static void look_at_bucket(void *user, size_t bucket)
{
    joining *const j = user;
    bucket_stars s = {.first = bucket << j->shift,
                      .star = {.shape = j->shape, .cell_vertex = j->mesh->cell_vertex}};
    const size_t left = j->mesh->num_vertices - s.first, all = (size_t)1 << j->shift;

    if (atomic_load(&j->is_defective) || atomic_load(&j->no_memory)) return;
    s.num = left < all ? left : all;
    bool done = list_cells(&s, j, bucket) && clspi_star_reserve(&s.star, s.most);
    if (done) s.face = malloc((4 * s.most + 1) * sizeof *s.face);
    done = done && s.face;
    if (done)
        look_at_stars(j, &s);
    else
        atomic_store(&j->no_memory, true);
    j->bucket_sum[2 * bucket + 2] = s.found[0];
    j->bucket_sum[2 * bucket + 3] = s.found[1];
    free(s.begin);
    free(s.cells);
    free(s.face);
    clspi_star_release(&s.star);
}

/* ---- numbers ---- */

/* Counts the edges and faces that first appear in a piece's cells. */
static void count_firsts(void *user, size_t piece)
{
    const joining *const j = user;
    const uint32_t per_cell[2] = {j->shape->edges, j->shape->sides};
    const uint32_t *const all[2] = {j->mesh->cell_edge, j->mesh->cell_face};

    for (uint32_t k = 0; k < 2; k++) {
        size_t num = 0;
        for (size_t i = piece * j->piece_cells * per_cell[k]; i < end_of(j, piece) * per_cell[k];
             i++)
            num += all[k][i] >> 31;
        j->piece_sum[2 * piece + 2 + k] = num;
    }
}

/* Returns the place of an edge, or face, among all buckets' ones. */
static size_t place_of(const joining *j, uint32_t kind, uint32_t least, uint32_t number)
{
    return j->bucket_sum[2 * (size_t)(least >> j->shift) + kind] + (number & NUMBER);
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t least_of_edge(const joining *j, const uint32_t *row, uint32_t e)
{
    return lesser(row[j->shape->edge[e][0]], row[j->shape->edge[e][1]]);
}

static uint32_t least_of_side(const joining *j, const uint32_t *row, uint32_t s)
{
    uint32_t least = row[j->shape->loop[s][0]];

    for (uint32_t i = 1; i < j->shape->side_size; i++)
        least = lesser(least, row[j->shape->loop[s][i]]);
    return least;
}

/* Makes an edge as its first cell has it. */
static void make_edge(const joining *j, size_t edge, const uint32_t *row, uint32_t e,
                      uint32_t number)
{
    const uint32_t a = row[j->shape->edge[e][0]], b = row[j->shape->edge[e][1]];
    const bool from_b = j->shape->is_directed ? number & TURNED : b < a;

    j->mesh->edge_vertex[2 * edge] = from_b ? b : a;
    j->mesh->edge_vertex[2 * edge + 1] = from_b ? a : b;
    j->mesh->edge_flag[edge] = (uint8_t)((number & AT_BOUNDARY ? CLSPI_BOUNDARY : 0) |
                                         (number & AT_IRREGULAR ? CLSPI_IRREGULAR : 0));
}

/* Numbers the edges and faces that first appear in a piece's cells. */
static void number_firsts(void *user, size_t piece)
{
    const joining *const j = user;
    const clspi_cell_shape *const shape = j->shape;
    size_t edge = j->piece_sum[2 * piece], face = j->piece_sum[2 * piece + 1];

    for (size_t c = piece * j->piece_cells; c < end_of(j, piece); c++) {
        const uint32_t *const row = j->mesh->cell_vertex + c * shape->corners;
        for (uint32_t e = 0; e < shape->edges; e++) {
            const uint32_t number = j->mesh->cell_edge[c * shape->edges + e];
            if (!(number & FIRST)) continue;
            j->number[0][place_of(j, 0, least_of_edge(j, row, e), number)] = (uint32_t)edge;
            make_edge(j, edge++, row, e, number);
        }
        for (uint32_t s = 0; s < shape->sides; s++) {
            const uint32_t number = j->mesh->cell_face[c * shape->sides + s];
            if (!(number & FIRST)) continue;
            j->number[1][place_of(j, 1, least_of_side(j, row, s), number)] = (uint32_t)face;
            j->mesh->face_flag[face++] =
                j->mesh->across[c * shape->sides + s] == CLSPI_NO_CELL ? CLSPI_BOUNDARY : 0;
        }
    }
}

/* Makes a face as a cell has it. */
static void make_face(const joining *j, size_t face, size_t c, uint32_t s)
{
    const clspi_cell_shape *const shape = j->shape;
    const uint32_t *const row = j->mesh->cell_vertex + c * shape->corners;
    const uint32_t *const edge = j->mesh->cell_edge + c * shape->edges;

    for (uint32_t i = 0; i < shape->side_size; i++) {
        j->mesh->face_vertex[face * shape->side_size + i] = row[shape->loop[s][i]];
        j->mesh->face_edge[face * shape->side_size + i] = edge[shape->loop_edge[s][i]];
    }
}

/* Tells whether one other cell has all sides of a cell. */
static bool is_copy(const joining *j, size_t c)
{
    const uint32_t *const across = j->mesh->across + c * j->shape->sides;
    const uint32_t first = clspi_cell_across(across[0]);
    bool same = first != CLSPI_NO_CELL;

    for (uint32_t s = 1; s < j->shape->sides && same; s++)
        same = clspi_cell_across(across[s]) == first;
    return same;
}

/* Gives all edges and sides of a piece's cells their numbers, and makes the faces that first appear
   there. */
static void number_piece(void *user, size_t piece)
{
    joining *const j = user;
    const clspi_cell_shape *const shape = j->shape;

    for (size_t c = piece * j->piece_cells; c < end_of(j, piece); c++) {
        const uint32_t *const row = j->mesh->cell_vertex + c * shape->corners;
        uint32_t *const edge = j->mesh->cell_edge + c * shape->edges;
        uint32_t *const side = j->mesh->cell_face + c * shape->sides;
        for (uint32_t e = 0; e < shape->edges; e++)
            edge[e] = j->number[0][place_of(j, 0, least_of_edge(j, row, e), edge[e])];
        for (uint32_t s = 0; s < shape->sides; s++) {
            const bool is_first = side[s] & FIRST;
            side[s] = j->number[1][place_of(j, 1, least_of_side(j, row, s), side[s])];
            if (is_first) make_face(j, side[s], c, s);
        }
        if (j->check && is_copy(j, c)) atomic_store(&j->is_defective, true);
    }
}

/* ---- all ---- */

/* Makes sums of counts of edges and faces. False: there are too many. */
static bool add_pairs(size_t *sum, size_t num)
{
    for (size_t i = 0; i < 2 * num; i++)
        sum[i + 2] += sum[i];
    return sum[2 * num] <= CLSPI_MAX_CELLS && sum[2 * num + 1] <= CLSPI_MAX_CELLS;
}

/* Makes room for edges and faces, and for their numbers. */
static bool allocate_parts(joining *j)
{
    clspi_cell_mesh *const mesh = j->mesh;
    const size_t edges = j->bucket_sum[2 * j->buckets], faces = j->bucket_sum[2 * j->buckets + 1];

    mesh->num_edges = (uint32_t)edges;
    mesh->num_faces = (uint32_t)faces;
    mesh->face_vertex = clspi_large_array(faces * j->shape->side_size, sizeof *mesh->face_vertex);
    mesh->face_edge = clspi_large_array(faces * j->shape->side_size, sizeof *mesh->face_edge);
    mesh->face_flag = clspi_large_array(faces, sizeof *mesh->face_flag);
    mesh->edge_vertex = clspi_large_array(2 * edges, sizeof *mesh->edge_vertex);
    mesh->edge_flag = clspi_large_array(edges, sizeof *mesh->edge_flag);
    j->number[0] = clspi_large_array(edges, sizeof *j->number[0]);
    j->number[1] = clspi_large_array(faces, sizeof *j->number[1]);
    return mesh->face_vertex && mesh->face_edge && mesh->face_flag && mesh->edge_vertex &&
           mesh->edge_flag && j->number[0] && j->number[1];
}

static clspi_mesh_status join_all(joining *j, const clspi_parallel *threads)
{
    j->bucket_sum = calloc(2 * (j->buckets + 1), sizeof *j->bucket_sum);
    j->piece_sum = calloc(2 * (j->pieces + 1), sizeof *j->piece_sum);
    if (!j->bucket_sum || !j->piece_sum || !fill_buckets(j, threads)) return CLSPI_MESH_NO_MEMORY;
    clspi_in_parallel(threads, j->buckets, look_at_bucket, j);
    if (atomic_load(&j->no_memory)) return CLSPI_MESH_NO_MEMORY;
    if (atomic_load(&j->is_defective)) return CLSPI_MESH_DEFECTIVE;
    free(j->entry);
    j->entry = NULL;
    if (!add_pairs(j->bucket_sum, j->buckets) || !allocate_parts(j)) return CLSPI_MESH_NO_MEMORY;
    clspi_in_parallel(threads, j->pieces, count_firsts, j);
    add_pairs(j->piece_sum, j->pieces);
    clspi_in_parallel(threads, j->pieces, number_firsts, j);
    clspi_in_parallel(threads, j->pieces, number_piece, j);
    return atomic_load(&j->is_defective) ? CLSPI_MESH_DEFECTIVE : CLSPI_MESH_SOUND;
}

clspi_mesh_status clspi_join_cells(clspi_cell_mesh *mesh, const clspi_cell_shape *shape, bool check,
                                   const clspi_parallel *threads)
{
    const size_t corners = (size_t)mesh->num_cells * shape->corners;
    joining j = {.mesh = mesh, .shape = shape, .check = check};
    size_t most = corners / BUCKET_CORNERS + 1;

    if (most > MAX_BUCKETS) most = MAX_BUCKETS;
    while (mesh->num_vertices >> j.shift >= most)
        j.shift++;
    j.buckets = (mesh->num_vertices >> j.shift) + 1;
    j.pieces = mesh->num_cells / PIECE_CELLS + 1;
    if (j.pieces > MAX_PIECES) j.pieces = MAX_PIECES;
    j.piece_cells = mesh->num_cells / j.pieces + 1;
    const clspi_mesh_status status = join_all(&j, threads);
    free(j.begin);
    free(j.entry);
    free(j.bucket_sum);
    free(j.piece_sum);
    free(j.number[0]);
    free(j.number[1]);
    return status;
}
