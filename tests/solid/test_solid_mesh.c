/* Meshes of cells: what is refused, and refinement by formula against meshes made anew. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cell_points.h"
#include "poly_mesh.h"
#include "solid_cases.h"
#include "../support.h"

/* ---- refusals ---- */

/* Checks that cells are refused with words that hold a text. */
static void refuse(const clspi_cells *cells, const char *words)
{
    clspi_mesh_defect defect;
    clspi_poly_mesh mesh;

    assert_int_equal(clspi_poly_mesh_make(&mesh, cells, NULL, &defect), CLSPI_MESH_DEFECTIVE);
    if (!strstr(defect.text, words)) fail_msg("\"%s\" is not in: %s", words, defect.text);
}

/* Makes a mesh that is sound. */
static clspi_poly_mesh accept(const clspi_cells *cells)
{
    clspi_mesh_defect defect;
    clspi_poly_mesh mesh;

    if (clspi_poly_mesh_make(&mesh, cells, NULL, &defect) != CLSPI_MESH_SOUND)
        fail_msg("%s", defect.text);
    return mesh;
}

static const uint32_t cube[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static void test_bad_indices(void **state)
{
    static const uint32_t twice[8] = {0, 1, 1, 3, 4, 5, 6, 7};
    static const uint8_t unknown[1] = {11};
    clspi_cells cells = {.num_vertices = 8, .num_cells = 1, .num_indices = 8, .index = cube};

    (void)state;
    cells.num_vertices = 7;
    refuse(&cells, "cell 0 has vertex 7, and there are 7");
    cells.num_vertices = 9;
    refuse(&cells, "vertex 8 belongs to no cell");
    cells.num_vertices = 8;
    cells.num_indices = 7;
    refuse(&cells, "end within cell 0");
    cells.num_indices = 8;
    cells.num_cells = 0;
    refuse(&cells, "no cells");
    cells.num_cells = (size_t)CLSPI_MAX_CELLS + 1;
    refuse(&cells, "more than");
    cells.num_cells = 1;
    cells.kind = unknown;
    refuse(&cells, "cell 0 is of kind 11");
    cells.kind = NULL;
    cells.index = twice;
    refuse(&cells, "vertex 1 twice");
}

static void test_bad_cells(void **state)
{
    static const uint8_t pyramid[1] = {CLSPI_PYRAMID}, polyhedron[1] = {CLSPI_POLYHEDRON};
    static const uint32_t open[] = {4, 3, 0, 1, 2, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 4};
    static const uint32_t few[] = {3, 3, 0, 1, 2};
    static const uint32_t large[] = {4, 3, 0, 1, 2, 300, 0, 1, 3};
    static const uint32_t left[] = {4, 3, 0, 1, 2, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3, 1};
    clspi_cells cells = {
        .num_vertices = 5, .num_cells = 1, .num_indices = 5, .index = cube, .kind = pyramid};

    (void)state;
    refuse(&cells, "cell 0: not three of its faces meet in vertex 4");
    cells.kind = polyhedron;
    cells.index = open;
    cells.num_indices = sizeof open / sizeof *open;
    refuse(&cells, "not closed");
    cells.index = few;
    cells.num_indices = sizeof few / sizeof *few;
    refuse(&cells, "no number of faces from 4");
    cells.index = large;
    cells.num_indices = sizeof large / sizeof *large;
    refuse(&cells, "face 1 of cell 0 has no number of vertices");
    cells.index = left;
    cells.num_indices = sizeof left / sizeof *left;
    refuse(&cells, "1 indices are left");
}

static void test_bad_neighbours(void **state)
{
    static const uint32_t three[24] = {0, 1, 2,  3,  4, 5, 6, 7, 0,  1,  2,  3,
                                       8, 9, 10, 11, 0, 1, 2, 3, 12, 13, 14, 15};
    static const uint32_t edge[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 8, 9, 10, 11, 12, 13};
    static const uint32_t vertex[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10, 11, 12, 13, 14};
    static const uint32_t folded[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 8, 9, 10, 11};
    clspi_cells cells = {.num_vertices = 16, .num_cells = 3, .num_indices = 24, .index = three};

    (void)state;
    refuse(&cells, "three cells");
    cells = (clspi_cells){.num_vertices = 14, .num_cells = 2, .num_indices = 16, .index = edge};
    refuse(&cells, "the cells at vertex 0");
    cells = (clspi_cells){.num_vertices = 15, .num_cells = 2, .num_indices = 16, .index = vertex};
    refuse(&cells, "the cells at vertex 0");
    cells = (clspi_cells){.num_vertices = 12, .num_cells = 2, .num_indices = 16, .index = folded};
    refuse(&cells, "the cells at vertex");
}

static void test_bad_tags(void **state)
{
    static const uint32_t diagonal[2] = {0, 6};
    static const uint32_t beyond[1] = {8};
    clspi_cells cells = {.num_vertices = 8,
                         .num_cells = 1,
                         .num_indices = 8,
                         .index = cube,
                         .crease = diagonal,
                         .num_creases = 1};

    (void)state;
    refuse(&cells, "crease 0, from vertex 0 to 6");
    cells.num_creases = 0;
    cells.corner = beyond;
    cells.num_corners = 1;
    refuse(&cells, "corner 0, vertex 8");
}

/* ---- refinement ---- */

static clspi_cell_mesh mesh_of(const solid_case *solid)
{
    const clspi_cells cells = {.num_vertices = solid->num_points,
                               .num_cells = solid->num_cells,
                               .num_indices = 8 * solid->num_cells,
                               .index = solid->cell,
                               .crease = solid->crease,
                               .num_creases = solid->num_creases};
    clspi_poly_mesh poly = accept(&cells);
    clspi_cell_mesh mesh;

    assert_true(clspi_poly_hexahedra(&mesh, &poly, NULL));
    clspi_poly_mesh_release(&poly);
    return mesh;
}

/* Checks a mesh against one that is made of its cells anew: neighbours, frames, flags, and edges
   and faces up to their numbers. */
static void compare_meshes(const clspi_cell_mesh *mesh)
{
    clspi_cell_mesh anew;
    const size_t cells = mesh->num_cells;

    assert_true(
        clspi_cell_mesh_make(&anew, mesh->num_vertices, mesh->num_cells, mesh->cell_vertex, NULL));
    assert_int_equal(anew.num_edges, mesh->num_edges);
    assert_int_equal(anew.num_faces, mesh->num_faces);
    assert_memory_equal(anew.across, mesh->across, 6 * cells * sizeof *anew.across);
    for (size_t i = 0; i < 12 * cells; i++)
        anew.edge_flag[anew.cell_edge[i]] |= mesh->edge_flag[mesh->cell_edge[i]] & CLSPI_CREASE;
    for (size_t v = 0; v < mesh->num_vertices; v++)
        anew.vertex_flag[v] |= mesh->vertex_flag[v] & CLSPI_CORNER;
    assert_true(clspi_cell_mesh_flag(&anew));
    assert_memory_equal(anew.vertex_flag, mesh->vertex_flag, mesh->num_vertices);
    for (size_t i = 0; i < 6 * cells; i++) {
        const size_t f = mesh->cell_face[i], g = anew.cell_face[i];
        if (mesh->across[i] != CLSPI_NO_CELL) assert_int_equal(mesh->frame[i], anew.frame[i]);
        assert_int_equal(mesh->face_flag[f], anew.face_flag[g]);
        for (uint32_t k = 0; k < 4; k++) { /* edges are between the vertices beside them */
            const uint32_t *const end = mesh->edge_vertex + 2 * (size_t)mesh->face_edge[4 * f + k];
            const uint32_t a = mesh->face_vertex[4 * f + k];
            const uint32_t b = mesh->face_vertex[4 * f + (k + 1) % 4];
            uint32_t found = 0;
            assert_true((end[0] == a && end[1] == b) || (end[0] == b && end[1] == a));
            while (found < 4 && anew.face_vertex[4 * g + found] != a)
                found++;
            assert_true(found < 4);
        }
    }
    for (size_t i = 0; i < 12 * cells; i++) {
        const size_t e = mesh->cell_edge[i], d = anew.cell_edge[i];
        const uint32_t *const end = mesh->edge_vertex + 2 * e, *const other =
                                                                   anew.edge_vertex + 2 * d;
        assert_int_equal(mesh->edge_flag[e], anew.edge_flag[d]);
        assert_true((end[0] == other[0] && end[1] == other[1]) ||
                    (end[0] == other[1] && end[1] == other[0]));
    }
    clspi_cell_mesh_release(&anew);
}

/* Turns each cell's corners into another of the 24 turns of a cube. */
static void turn_cells(solid_case *solid)
{
    static const uint8_t turns[4][8] = {{0, 1, 2, 3, 4, 5, 6, 7},
                                        {1, 2, 3, 0, 5, 6, 7, 4},
                                        {3, 2, 6, 7, 0, 1, 5, 4},
                                        {4, 0, 3, 7, 5, 1, 2, 6}};

    for (size_t c = 0; c < solid->num_cells; c++) {
        uint32_t turned[8];
        for (uint32_t i = 0; i < 8; i++)
            turned[i] = solid->cell[8 * c + turns[c % 4][i]];
        memcpy(solid->cell + 8 * c, turned, sizeof turned);
    }
}

static void test_refine(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        solid_case solid = i == 0 ? solid_box(1, 2, 3) : solid_prism(2 + i, i % 2 == 0, 2);
        if (i % 2) solid_crease(&solid, 0.5);
        turn_cells(&solid);
        clspi_cell_mesh mesh = mesh_of(&solid), fine, finest;
        compare_meshes(&mesh);
        assert_true(clspi_cell_mesh_refine(&fine, &mesh, NULL));
        compare_meshes(&fine);
        assert_true(clspi_cell_mesh_refine(&finest, &fine, NULL));
        compare_meshes(&finest);
        assert_int_equal(finest.num_cells, 64 * mesh.num_cells);
        clspi_cell_mesh_release(&mesh);
        clspi_cell_mesh_release(&fine);
        clspi_cell_mesh_release(&finest);
        solid_free(&solid);
    }
}

/* Sums a function of all points that does not depend on their order. */
static double moment(const double *point, size_t num)
{
    double sum = 0.0;

    for (size_t i = 0; i < num; i++)
        sum += cos(3.0 * point[3 * i] + 5.0 * point[3 * i + 1] + 7.0 * point[3 * i + 2]);
    return sum;
}

/* A prism as polyhedra has the points of the prism as hexahedra after a step, by both rules. */
static void test_polyhedra(void **state)
{
    static const uint8_t loops[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                        {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    solid_case solid = solid_prism(5, 1, 2);
    uint32_t *const index = malloc(31 * solid.num_cells * sizeof *index);
    uint8_t *const kind = malloc(solid.num_cells);
    clspi_cell_mesh mesh = mesh_of(&solid), fine, other;

    (void)state;
    for (size_t c = 0; c < solid.num_cells; c++) {
        kind[c] = CLSPI_POLYHEDRON;
        index[31 * c] = 6;
        for (uint32_t k = 0; k < 6; k++) {
            index[31 * c + 1 + 5 * k] = 4;
            for (uint32_t i = 0; i < 4; i++)
                index[31 * c + 2 + 5 * k + i] = solid.cell[8 * c + loops[k][i]];
        }
    }
    const clspi_cells cells = {.num_vertices = solid.num_points,
                               .num_cells = solid.num_cells,
                               .num_indices = 31 * solid.num_cells,
                               .kind = kind,
                               .index = index};
    clspi_poly_mesh poly = accept(&cells);
    assert_true(clspi_poly_hexahedra(&other, &poly, NULL));
    assert_true(clspi_cell_mesh_refine(&fine, &mesh, NULL));
    assert_int_equal(fine.num_vertices, other.num_vertices);
    assert_int_equal(fine.num_cells, other.num_cells);
    compare_meshes(&other);
    solid_jitter(&solid, 0.1, 1);
    for (uint32_t rule = 0; rule < 2; rule++) {
        const clspi_incidence one = clspi_incidence_of(&mesh), two = clspi_poly_incidence(&poly);
        double *const a = malloc(3 * (size_t)fine.num_vertices * sizeof *a);
        double *const b = malloc(3 * (size_t)fine.num_vertices * sizeof *b);
        assert_true(clspi_subdivide(a, solid.point, 3, &one, (clspi_vertex_rule)rule));
        assert_true(clspi_subdivide(b, solid.point, 3, &two, (clspi_vertex_rule)rule));
        assert_true(fabs(moment(a, fine.num_vertices) - moment(b, fine.num_vertices)) < 1e-10);
        free(a);
        free(b);
    }
    clspi_poly_mesh_release(&poly);
    clspi_cell_mesh_release(&mesh);
    clspi_cell_mesh_release(&fine);
    clspi_cell_mesh_release(&other);
    free(index);
    free(kind);
    solid_free(&solid);
}

/* The rules, by hand, of one wedge: all of it is boundary. */
static void test_wedge(void **state)
{
    static const uint32_t index[6] = {0, 1, 2, 3, 4, 5};
    static const uint8_t kind[1] = {CLSPI_WEDGE};
    static const double point[6] = {1, 10, 100, 1000, 10000, 100000};
    const clspi_cells cells = {
        .num_vertices = 6, .num_cells = 1, .num_indices = 6, .kind = kind, .index = index};
    clspi_poly_mesh mesh = accept(&cells);
    const clspi_incidence incidence = clspi_poly_incidence(&mesh);
    const double triangle = 111.0 / 3, front = 11011.0 / 4, side = 101101.0 / 4;
    double fine[6 + 9 + 5 + 1];
    clspi_cell_mesh hexahedra;

    (void)state;
    assert_true(clspi_poly_hexahedra(&hexahedra, &mesh, NULL));
    assert_int_equal(hexahedra.num_cells, 6);
    assert_int_equal(hexahedra.num_vertices, 21);
    assert_true(clspi_subdivide(fine, point, 1, &incidence, CLSPI_RULE_TENSOR));
    assert_true(fabs(fine[20] - 111111.0 / 6) < 1e-9);
    assert_true(fabs(fine[0] - ((triangle + front + side) / 3 + 2 * (5.5 + 50.5 + 500.5) / 3) / 3) <
                1e-9);
    clspi_cell_mesh_release(&hexahedra);
    clspi_poly_mesh_release(&mesh);
}

/* Joy and MacCracken's rule and ours agree where all is regular, and only there. */
static void test_rules(void **state)
{
    (void)state;
    for (uint32_t sectors = 4; sectors < 6; sectors++) {
        solid_case solid = solid_prism(sectors, 1, 2);
        clspi_cell_mesh mesh = mesh_of(&solid);
        const clspi_incidence incidence = clspi_incidence_of(&mesh);
        const size_t total = incidence.num_vertices + incidence.num_edges + incidence.num_faces +
                             incidence.num_cells;
        double *const a = malloc(3 * total * sizeof *a), *const b = malloc(3 * total * sizeof *b);
        double off = 0.0;
        solid_jitter(&solid, 0.2, sectors);
        assert_true(clspi_subdivide(a, solid.point, 3, &incidence, CLSPI_RULE_TENSOR));
        assert_true(clspi_subdivide(b, solid.point, 3, &incidence, CLSPI_RULE_JOY));
        for (size_t i = 0; i < 3 * total; i++)
            off = fmax(off, fabs(a[i] - b[i]));
        assert_true(sectors == 4 ? off < 1e-14 : off > 1e-4);
        free(a);
        free(b);
        clspi_cell_mesh_release(&mesh);
        solid_free(&solid);
    }
}

/* ---- threads ---- */

enum { MAX_THREADS = 7 };

/* Threads that take pieces from the last one on. */
typedef struct crew {
    unsigned threads;
    atomic_size_t left;
    clspi_piece_fn fn;
    void *user;
} crew;

static void *work(void *argument)
{
    crew *const c = argument;
    size_t left;

    while ((left = atomic_load(&c->left)) > 0)
        if (atomic_compare_exchange_strong(&c->left, &left, left - 1)) c->fn(c->user, left - 1);
    return NULL;
}

static void run_pieces(void *host, size_t num, clspi_piece_fn fn, void *user)
{
    pthread_t threads[MAX_THREADS];
    crew *const c = host;

    atomic_store(&c->left, num);
    c->fn = fn;
    c->user = user;
    for (unsigned i = 0; i < c->threads; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, c), 0);
    for (unsigned i = 0; i < c->threads; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* A mesh after two steps, and what its cells depend on. */
typedef struct refined {
    clspi_cell_mesh mesh;
    clspi_class_set set;
    clspi_cell_points points;
} refined;

static refined refine_twice(const clspi_cell_mesh *mesh, const clspi_parallel *threads)
{
    clspi_cell_mesh fine;
    refined r;

    assert_true(clspi_cell_mesh_refine(&fine, mesh, threads));
    assert_true(clspi_cell_mesh_refine(&r.mesh, &fine, threads));
    clspi_cell_mesh_release(&fine);
    assert_true(clspi_class_set_make(&r.set));
    assert_true(clspi_cell_points_make(&r.points, &r.set, &r.mesh, threads));
    return r;
}

static void release(refined *r)
{
    clspi_cell_points_release(&r->points);
    clspi_class_set_release(&r->set);
    clspi_cell_mesh_release(&r->mesh);
}

#define ASSERT_SAME(a, b, num) assert_memory_equal(a, b, (num) * sizeof *(a))

static void compare_refined(const refined *a, const refined *b)
{
    const clspi_cell_mesh *const m = &a->mesh, *const n = &b->mesh;
    const clspi_cell_points *const p = &a->points, *const q = &b->points;
    const size_t cells = m->num_cells, faces = m->num_faces, edges = m->num_edges;

    ASSERT_SAME(m->cell_vertex, n->cell_vertex, 8 * cells);
    ASSERT_SAME(m->cell_edge, n->cell_edge, 12 * cells);
    ASSERT_SAME(m->cell_face, n->cell_face, 6 * cells);
    ASSERT_SAME(m->across, n->across, 6 * cells);
    ASSERT_SAME(m->frame, n->frame, 6 * cells);
    ASSERT_SAME(m->face_vertex, n->face_vertex, 4 * faces);
    ASSERT_SAME(m->face_edge, n->face_edge, 4 * faces);
    ASSERT_SAME(m->face_flag, n->face_flag, faces);
    ASSERT_SAME(m->edge_vertex, n->edge_vertex, 2 * edges);
    ASSERT_SAME(m->edge_flag, n->edge_flag, edges);
    ASSERT_SAME(m->vertex_flag, n->vertex_flag, m->num_vertices);
    assert_int_equal(a->set.num, b->set.num);
    assert_int_equal(a->set.uses.num, b->set.uses.num);
    assert_int_equal(p->continued.num, q->continued.num);
    assert_int_equal(p->blocks.num, q->blocks.num);
    assert_int_equal(p->blocks.num_points, q->blocks.num_points);
    assert_int_equal(p->blocks.num_patterns, q->blocks.num_patterns);
    assert_int_equal(p->num_index, q->num_index);
    ASSERT_SAME(p->continued.key, q->continued.key, p->continued.num);
    ASSERT_SAME(p->use, q->use, cells);
    ASSERT_SAME(p->place, q->place, cells);
    ASSERT_SAME(p->index, q->index, p->num_index);
    ASSERT_SAME(p->blocks.words, q->blocks.words, p->blocks.num * CLSPI_BLOCK_WORDS);
    ASSERT_SAME(p->blocks.points, q->blocks.points, p->blocks.num_points);
    ASSERT_SAME(p->blocks.patterns, q->blocks.patterns, p->blocks.num_patterns * CLSPI_PATTERN);
}

/* ---- blocks of regular cells ---- */

/* Checks that each regular cell is in one block, with its points, and that blocks are found by
   their cells. Returns how many cells are regular. */
static size_t check_blocks(const refined *r)
{
    const clspi_cell_blocks *const blocks = &r->points.blocks;
    uint32_t grid[CLSPI_GRID_POINTS], points[CLSPI_GRID_POINTS];
    size_t num = 0, members = 0, begin;

    for (uint32_t c = 0; c < r->mesh.num_cells; c++) {
        if (r->points.use[c].number != CLSPI_REGULAR) continue;
        const uint32_t block = r->points.place[c] / CLSPI_BLOCK_CELLS;
        const uint32_t j = r->points.place[c] % CLSPI_BLOCK_CELLS;
        num++;
        assert_true(block < blocks->num);
        assert_int_equal(blocks->words[(size_t)block * CLSPI_BLOCK_WORDS + 3 + j], c);
        clspi_cell_block_points(blocks, block, j, points);
        clspi_regular_grid(&r->mesh, c, grid);
        for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
            if (grid[i] != CLSPI_NO_CELL)
                assert_int_equal(points[i], grid[i]);
            else
                assert_true(points[i] >= r->mesh.num_vertices);
        assert_true(clspi_cell_spans_find(&blocks->spans, blocks->num, c, c + 1, &begin) > block);
        assert_true(begin <= block);
    }
    for (size_t b = 0; b < blocks->num; b++)
        for (uint32_t j = 0; j < CLSPI_BLOCK_CELLS; j++)
            members += blocks->words[b * CLSPI_BLOCK_WORDS + 3 + j] != CLSPI_NO_CELL;
    assert_int_equal(members, num);
    return num;
}

/* Finds the blocks of a mesh as it is; the same with threads. */
static refined find_blocks(const solid_case *solid)
{
    crew c = {.threads = 2};
    const clspi_parallel threads = {run_pieces, &c};
    refined r = {.mesh = mesh_of(solid)}, together = {.mesh = mesh_of(solid)};

    assert_true(clspi_class_set_make(&r.set) && clspi_class_set_make(&together.set));
    assert_true(clspi_cell_points_make(&r.points, &r.set, &r.mesh, NULL));
    assert_true(clspi_cell_points_make(&together.points, &together.set, &together.mesh, &threads));
    compare_refined(&r, &together);
    release(&together);
    return r;
}

/* Puts cells into another order. */
static void shuffle_cells(solid_case *solid)
{
    uint64_t seed = 5;

    for (size_t c = solid->num_cells - 1; c > 0; c--) {
        uint32_t one[8];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const size_t other = (size_t)((seed >> 33) % (c + 1));
        memcpy(one, solid->cell + 8 * c, sizeof one);
        memcpy(solid->cell + 8 * c, solid->cell + 8 * other, sizeof one);
        memcpy(solid->cell + 8 * other, one, sizeof one);
    }
}

/* Bends a box of unit cells into a ring: the vertices of its ends, across x, become the same. */
static void close_ring(solid_case *solid)
{
    size_t num = 0;
    double length = 0.0;
    uint32_t *const number = malloc(solid->num_points * sizeof *number);

    assert_non_null(number);
    for (size_t i = 0; i < solid->num_points; i++)
        length = fmax(length, solid->point[3 * i]);
    for (size_t i = 0; i < solid->num_points; i++) {
        const double *const p = solid->point + 3 * i;
        if (p[0] < length) number[i] = (uint32_t)num++;
    }
    for (size_t i = 0; i < solid->num_points; i++)
        for (size_t k = 0; k < solid->num_points; k++) {
            const double *const p = solid->point + 3 * i, *const q = solid->point + 3 * k;
            if (p[0] == length && q[0] == 0.0 && p[1] == q[1] && p[2] == q[2])
                number[i] = number[k];
        }
    for (size_t i = 0; i < 8 * solid->num_cells; i++)
        solid->cell[i] = number[solid->cell[i]];
    solid->num_points = num;
    free(number);
}

/* Cells of meshes that no refinement made share blocks where they lie side by side, in whatever
   order they are, and have blocks by their numbers where they are turned against each other. */
static void test_blocks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        solid_case solid = i == 0   ? solid_box(12, 10, 8)
                           : i == 1 ? solid_box(16, 32, 40)
                           : i < 4  ? solid_box(7 - 4 * (i == 3), 6, 6)
                                    : solid_box(9, 8, 7);
        if (i == 2 || i == 3) close_ring(&solid);
        if (i == 1 || i == 4) shuffle_cells(&solid);
        if (i == 5) turn_cells(&solid);
        refined r = find_blocks(&solid);
        const size_t regular = check_blocks(&r), blocks = r.points.blocks.num;
        assert_int_not_equal(regular, 0);
        if (i == 0 || i == 2 || i == 4) { /* at least 5 cells of 8 */
            assert_int_equal(r.points.blocks.num_patterns, CLSPI_SIBLINGS + 1);
            assert_true(5 * blocks <= regular);
        } else if (i == 5) {
            assert_true(r.points.blocks.num_patterns > CLSPI_SIBLINGS + 1);
            assert_true(2 * blocks <= regular);
        }
        release(&r);
        solid_free(&solid);
    }
}

/* Refinement and classification give the same whatever threads there are, in whatever order these
   take pieces. */
static void test_threads(void **state)
{
    static const unsigned counts[] = {1, 2, MAX_THREADS};
    solid_case solid = solid_read_vtk(DATA_FOLDER "/rod.vtk");

    (void)state;
    assert_true(solid.num_cells > 0);
    solid_crease(&solid, 0.5);
    clspi_cell_mesh mesh = mesh_of(&solid);
    refined alone = refine_twice(&mesh, NULL);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        crew c = {.threads = counts[i]};
        const clspi_parallel threads = {run_pieces, &c};
        refined together = refine_twice(&mesh, &threads);
        compare_refined(&alone, &together);
        release(&together);
    }
    release(&alone);
    clspi_cell_mesh_release(&mesh);
    solid_free(&solid);
}

/* ---- cells given twice, and inside out ---- */

/* A cell that stands twice, turned or not, alone or in the middle of others. */
static void test_copies(void **state)
{
    static const uint32_t turned[8] = {4, 5, 6, 7, 0, 1, 2, 3};
    uint32_t pair[16];
    clspi_cells cells = {.num_vertices = 8, .num_cells = 2, .num_indices = 16, .index = pair};
    solid_case box = solid_box(3, 1, 1);

    (void)state;
    memcpy(pair, cube, sizeof cube);
    memcpy(pair + 8, cube, sizeof cube);
    refuse(&cells, "cell 1 is cell 0 again");
    memcpy(pair + 8, turned, sizeof turned);
    refuse(&cells, "cell 1 is cell 0 again");
    uint32_t *const index = malloc(32 * sizeof *index);
    memcpy(index, box.cell, 24 * sizeof *index);
    memcpy(index + 24, box.cell + 8, 8 * sizeof *index);
    cells = (clspi_cells){
        .num_vertices = box.num_points, .num_cells = 4, .num_indices = 32, .index = index};
    refuse(&cells, "cell 3 is cell 1 again");
    free(index);
    solid_free(&box);
}

/* Returns how many hexahedra of a mesh, after a step unless it has hexahedra alone, have a negative
   volume at a corner. */
static size_t count_negative(const clspi_poly_mesh *poly, const double *points)
{
    const clspi_incidence incidence = clspi_poly_incidence(poly);
    const size_t fine =
        incidence.num_vertices + incidence.num_edges + incidence.num_faces + incidence.num_cells;
    double *const middles = malloc(3 * fine * sizeof *middles);
    const double *const at = poly->is_hexahedral ? points : middles;
    clspi_cell_mesh mesh;
    size_t negative = 0;

    assert_true(clspi_poly_hexahedra(&mesh, poly, NULL));
    assert_true(clspi_subdivide(middles, points, 3, &incidence, CLSPI_RULE_TENSOR));
    for (size_t c = 0; c < mesh.num_cells; c++) {
        const uint32_t *const corner = mesh.cell_vertex + 8 * c;
        double d[3][3];
        for (uint32_t a = 0; a < 3; a++)
            for (uint32_t k = 0; k < 3; k++)
                d[a][k] = at[3 * corner[1u << a] + k] - at[3 * corner[0] + k];
        negative += d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                        d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                        d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]) <
                    0.0;
    }
    clspi_cell_mesh_release(&mesh);
    free(middles);
    return negative;
}

/* Checks how many cells are counted, with and without points, and that none is left that is inside
   out. */
static void check_orientation(clspi_cells *cells, const double *points, size_t with_points,
                              size_t without)
{
    cells->orient = false;
    cells->points = NULL;
    clspi_poly_mesh mesh = accept(cells);
    assert_int_equal(mesh.num_inside_out, without);
    clspi_poly_mesh_release(&mesh);
    cells->points = points;
    mesh = accept(cells);
    assert_int_equal(mesh.num_inside_out, with_points);
    clspi_poly_mesh_release(&mesh);
    cells->orient = true;
    mesh = accept(cells);
    assert_int_equal(mesh.num_inside_out, with_points);
    assert_int_equal(count_negative(&mesh, points), 0);
    clspi_poly_mesh_release(&mesh);
}

/* Turns a hexahedron. */
static void turn(uint32_t *cell)
{
    for (int i = 0; i < 4; i++) {
        const uint32_t swap = cell[i];
        cell[i] = cell[i + 4];
        cell[i + 4] = swap;
    }
}

/* Boxes and a machine part, of which some cells are turned, or all, or that are mirrored, far from
   the origin. */
static void test_orientation(void **state)
{
    solid_case solids[2] = {solid_box(3, 4, 2), solid_read_vtk(DATA_FOLDER "/rod.vtk")};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        solid_case *const s = &solids[i];
        clspi_cells cells = {.num_vertices = s->num_points,
                             .num_cells = s->num_cells,
                             .num_indices = 8 * s->num_cells,
                             .index = s->cell};
        for (size_t k = 0; k < s->num_points; k++)
            s->point[3 * k] += 1e6;
        check_orientation(&cells, s->point, 0, 0);
        for (size_t c = 0; c < s->num_cells; c += 3)
            turn(s->cell + 8 * c);
        const size_t some = (s->num_cells + 2) / 3;
        check_orientation(&cells, s->point, some, some);
        for (size_t k = 0; k < s->num_points; k++)
            s->point[3 * k + 1] *= -1.0;
        check_orientation(&cells, s->point, s->num_cells - some, some);
        solid_free(s);
    }
}

/* A tetrahedron and a wedge on it, as they are and as polyhedra, whose faces run either way. */
static void test_mixed_orientation(void **state)
{
    static const double point[] = {0, 0, 0, 1,  0, 0, 0,  1, 0, 0, 0,
                                   1, 0, 0, -1, 1, 0, -1, 0, 1, -1};
    static const uint8_t kinds[] = {CLSPI_TETRAHEDRON, CLSPI_WEDGE};
    static const uint8_t other_kinds[] = {CLSPI_POLYHEDRON, CLSPI_WEDGE};
    uint32_t index[] = {0, 1, 2, 3, 4, 5, 6, 0, 1, 2};
    static const uint32_t faces[] = {4, 3, 0, 1, 2, 3, 0, 1, 3, 3, 1, 2,
                                     3, 3, 0, 2, 3, 4, 5, 6, 0, 1, 2};
    clspi_cells cells = {
        .num_vertices = 7, .num_cells = 2, .num_indices = 10, .index = index, .kind = kinds};

    (void)state;
    clspi_poly_mesh mesh = accept(&cells);
    const size_t alike = mesh.num_inside_out;
    clspi_poly_mesh_release(&mesh);
    check_orientation(&cells, point, 1, alike);
    index[0] = 1;
    index[1] = 0;
    check_orientation(&cells, point, 2, 0);
    cells.kind = other_kinds;
    cells.index = faces;
    cells.num_indices = sizeof faces / sizeof *faces;
    check_orientation(&cells, point, 1, 0);
}

/* ---- meshes of many cells ---- */

#define ASSERT_POLY(name, num) ASSERT_SAME(a->name, b->name, num)

static void compare_poly(const clspi_poly_mesh *a, const clspi_poly_mesh *b)
{
    const size_t cells = a->num_cells, faces = a->num_faces, edges = a->num_edges;
    const size_t sides = a->side_begin[cells];

    assert_int_equal(edges, b->num_edges);
    assert_int_equal(faces, b->num_faces);
    assert_int_equal(a->num_inside_out, b->num_inside_out);
    ASSERT_POLY(side_begin, cells + 1);
    ASSERT_POLY(loop_begin, sides + 1);
    ASSERT_POLY(loop, a->loop_begin[sides]);
    ASSERT_POLY(loop_edge, a->loop_begin[sides]);
    ASSERT_POLY(side_face, sides);
    ASSERT_POLY(cell_vertex_begin, cells + 1);
    ASSERT_POLY(cell_edge_begin, cells + 1);
    ASSERT_POLY(cell_vertex, a->cell_vertex_begin[cells]);
    ASSERT_POLY(cell_edge, a->cell_edge_begin[cells]);
    ASSERT_POLY(face_begin, faces + 1);
    ASSERT_POLY(face_vertex, a->face_begin[faces]);
    ASSERT_POLY(face_edge, a->face_begin[faces]);
    ASSERT_POLY(edge_vertex, 2 * edges);
    ASSERT_POLY(face_flag, faces);
    ASSERT_POLY(edge_flag, edges);
    ASSERT_POLY(vertex_flag, a->num_vertices);
}

static void compare_cells(const clspi_cell_mesh *a, const clspi_cell_mesh *b)
{
    const size_t cells = a->num_cells;

    assert_int_equal(a->num_edges, b->num_edges);
    assert_int_equal(a->num_faces, b->num_faces);
    ASSERT_POLY(cell_vertex, 8 * cells);
    ASSERT_POLY(cell_edge, 12 * cells);
    ASSERT_POLY(cell_face, 6 * cells);
    ASSERT_POLY(across, 6 * cells);
    ASSERT_POLY(frame, 6 * cells);
    ASSERT_POLY(face_vertex, 4 * (size_t)a->num_faces);
    ASSERT_POLY(face_edge, 4 * (size_t)a->num_faces);
    ASSERT_POLY(face_flag, a->num_faces);
    ASSERT_POLY(edge_vertex, 2 * (size_t)a->num_edges);
    ASSERT_POLY(edge_flag, a->num_edges);
    ASSERT_POLY(vertex_flag, a->num_vertices);
}

/* Makes a mesh and its hexahedra, alone and with threads. */
static void check_making(const clspi_cells *cells, const clspi_parallel *threads)
{
    clspi_poly_mesh alone = accept(cells), together;
    clspi_cell_mesh mesh, other;
    clspi_mesh_defect defect;

    assert_int_equal(clspi_poly_mesh_make(&together, cells, threads, &defect), CLSPI_MESH_SOUND);
    compare_poly(&alone, &together);
    assert_true(clspi_poly_hexahedra(&mesh, &alone, NULL));
    assert_true(clspi_poly_hexahedra(&other, &together, threads));
    compare_cells(&mesh, &other);
    clspi_cell_mesh_release(&other);
    assert_true(
        clspi_cell_mesh_make(&other, mesh.num_vertices, mesh.num_cells, mesh.cell_vertex, threads));
    assert_true(clspi_cell_mesh_flag(&other));
    compare_cells(&mesh, &other);
    clspi_cell_mesh_release(&mesh);
    clspi_cell_mesh_release(&other);
    clspi_poly_mesh_release(&alone);
    clspi_poly_mesh_release(&together);
}

/* Returns the index of hexahedra as polyhedra, 31 numbers each. */
static uint32_t *list_faces(const solid_case *solid)
{
    static const uint8_t sides[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                        {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    uint32_t *const index = malloc(31 * solid->num_cells * sizeof *index);

    assert_non_null(index);
    for (size_t c = 0; c < solid->num_cells; c++) {
        uint32_t *const to = index + 31 * c;
        to[0] = 6;
        for (size_t i = 0; i < 30; i++)
            to[1 + i] = i % 5 ? solid->cell[8 * c + sides[i / 5][i % 5 - 1]] : 4;
    }
    return index;
}

/* Thousands of cells of all kinds, some inside out, become the same mesh whatever threads there
   are, and of several defects the first is told. */
static void test_making(void **state)
{
    solid_case box = solid_box(21, 20, 19);
    crew c = {.threads = MAX_THREADS};
    const clspi_parallel threads = {run_pieces, &c};
    const size_t num = box.num_cells;
    uint8_t *const kinds = malloc(6 * num);
    clspi_cells cells = {.num_vertices = box.num_points,
                         .num_cells = num,
                         .num_indices = 8 * num,
                         .index = box.cell,
                         .points = box.point};
    clspi_mesh_defect defect;
    clspi_poly_mesh mesh;

    (void)state;
    shuffle_cells(&box);
    uint32_t *const parts = solid_tetrahedra(&box), *const faces = list_faces(&box);
    turn(box.cell + 8 * 6000);
    check_making(&cells, &threads);
    cells.orient = true;
    check_making(&cells, &threads);
    memset(kinds, CLSPI_TETRAHEDRON, 6 * num);
    cells = (clspi_cells){.num_vertices = box.num_points,
                          .num_cells = 6 * num,
                          .num_indices = 24 * num,
                          .index = parts,
                          .kind = kinds};
    check_making(&cells, &threads);
    memset(kinds, CLSPI_POLYHEDRON, num);
    cells.num_cells = num;
    cells.num_indices = 31 * num;
    cells.index = faces;
    check_making(&cells, &threads);
    for (size_t k = 5000; k < num; k += 1000) /* a side that is none of its neighbours' */
        faces[31 * k + 2] = faces[31 * k + 7];
    assert_int_equal(clspi_poly_mesh_make(&mesh, &cells, &threads, &defect), CLSPI_MESH_DEFECTIVE);
    if (!strstr(defect.text, "cell 5000 are not closed")) fail_msg("%s", defect.text);
    free(kinds);
    free(faces);
    free(parts);
    solid_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_indices),
        cmocka_unit_test(test_bad_cells),
        cmocka_unit_test(test_bad_neighbours),
        cmocka_unit_test(test_bad_tags),
        cmocka_unit_test(test_refine),
        cmocka_unit_test(test_polyhedra),
        cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_orientation),
        cmocka_unit_test(test_mixed_orientation),
        cmocka_unit_test(test_making),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
