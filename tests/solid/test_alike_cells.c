/* Meshes of hexahedra alone, and of tetrahedra alone, against those of any cells; points of many
   cells. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "alike_cells.h"
#include "cell_points.h"
#include "class_build.h"
#include "solid_cases.h"
#include "../support.h"

#define COUNT(array)           (sizeof(array) / sizeof((array)[0]))
#define ASSERT_SAME(a, b, num) assert_memory_equal(a, b, (size_t)(num) * sizeof *(a))

/* Does pieces from the last to the first. */
static void run_backward(void *host, size_t num, clspi_piece_fn fn, void *user)
{
    (void)host;
    while (num > 0)
        fn(user, --num);
}

static const clspi_parallel backward = {run_backward, NULL};

/* ---- comparison ---- */

static void compare_cells(const clspi_cell_mesh *a, const clspi_cell_mesh *b)
{
    const size_t cells = a->num_cells;

    assert_int_equal(a->num_vertices, b->num_vertices);
    assert_int_equal(a->num_edges, b->num_edges);
    assert_int_equal(a->num_faces, b->num_faces);
    assert_int_equal(cells, b->num_cells);
    ASSERT_SAME(a->cell_vertex, b->cell_vertex, 8 * cells);
    ASSERT_SAME(a->cell_edge, b->cell_edge, 12 * cells);
    ASSERT_SAME(a->cell_face, b->cell_face, 6 * cells);
    ASSERT_SAME(a->across, b->across, 6 * cells);
    ASSERT_SAME(a->frame, b->frame, 6 * cells);
    ASSERT_SAME(a->face_vertex, b->face_vertex, 4 * (size_t)a->num_faces);
    ASSERT_SAME(a->face_edge, b->face_edge, 4 * (size_t)a->num_faces);
    ASSERT_SAME(a->face_flag, b->face_flag, a->num_faces);
    ASSERT_SAME(a->edge_vertex, b->edge_vertex, 2 * (size_t)a->num_edges);
    ASSERT_SAME(a->edge_flag, b->edge_flag, a->num_edges);
    ASSERT_SAME(a->vertex_flag, b->vertex_flag, a->num_vertices);
    assert_int_equal(!a->edge_sharpness, !b->edge_sharpness);
    if (a->edge_sharpness) ASSERT_SAME(a->edge_sharpness, b->edge_sharpness, a->num_edges);
}

static void compare_lists(const clspi_lists *a, const clspi_lists *b, size_t num)
{
    bool same = true;

    for (size_t i = 0; i <= num; i++)
        same &= clspi_list_begin(a, i) == clspi_list_begin(b, i);
    assert_true(same);
    ASSERT_SAME(a->item, b->item, clspi_list_begin(a, num));
}

static void compare_incidence(const clspi_incidence *a, const clspi_incidence *b)
{
    assert_int_equal(a->num_vertices, b->num_vertices);
    assert_int_equal(a->num_edges, b->num_edges);
    assert_int_equal(a->num_faces, b->num_faces);
    assert_int_equal(a->num_cells, b->num_cells);
    compare_lists(&a->cell_vertices, &b->cell_vertices, a->num_cells);
    compare_lists(&a->cell_edges, &b->cell_edges, a->num_cells);
    compare_lists(&a->cell_faces, &b->cell_faces, a->num_cells);
    compare_lists(&a->face_vertices, &b->face_vertices, a->num_faces);
    compare_lists(&a->face_edges, &b->face_edges, a->num_faces);
    ASSERT_SAME(a->edge_vertex, b->edge_vertex, 2 * a->num_edges);
    ASSERT_SAME(a->face_flag, b->face_flag, a->num_faces);
    ASSERT_SAME(a->edge_flag, b->edge_flag, a->num_edges);
    ASSERT_SAME(a->vertex_flag, b->vertex_flag, a->num_vertices);
    assert_int_equal(!a->edge_sharpness, !b->edge_sharpness);
    if (a->edge_sharpness) ASSERT_SAME(a->edge_sharpness, b->edge_sharpness, a->num_edges);
}

static bool has_vertex(const uint32_t *list, uint32_t num, uint32_t vertex)
{
    for (uint32_t i = 0; i < num; i++)
        if (list[i] == vertex) return true;
    return false;
}

/* Checks that edges and faces of hexahedra are as many as those of the other mesh, that they are
   numbered by the cells in which they first appear, that they have the vertices that these cells
   say, and that a cell is across a face if that has two. */
static void check_numbers(const clspi_cell_mesh *mesh, const clspi_poly_mesh *poly)
{
    uint32_t edges = 0, faces = 0;
    bool good = true;

    assert_int_equal(mesh->num_edges, poly->num_edges);
    assert_int_equal(mesh->num_faces, poly->num_faces);
    for (size_t i = 0; i < 12 * (size_t)mesh->num_cells && good; i++) {
        const uint32_t e = mesh->cell_edge[i], from = clspi_edge_corner((uint32_t)(i % 12));
        const uint32_t *const corner = mesh->cell_vertex + i / 12 * 8;
        const uint32_t *const end = mesh->edge_vertex + 2 * (size_t)e;
        good = e <= edges && has_vertex(end, 2, corner[from]) &&
               has_vertex(end, 2, corner[from | 1u << i % 12 / 4]);
        edges += e == edges;
    }
    for (size_t i = 0; i < 6 * (size_t)mesh->num_cells && good; i++) {
        const uint32_t f = mesh->cell_face[i], n = mesh->across[i];
        good = f <= faces && (n == CLSPI_NO_CELL) == !!(mesh->face_flag[f] & CLSPI_BOUNDARY);
        faces += f == faces;
        for (uint32_t k = 0; k < 4; k++)
            good &= has_vertex(mesh->face_vertex + 4 * (size_t)f, 4,
                               mesh->cell_vertex[i / 6 * 8 + clspi_face_corner[i % 6][k]]);
        if (n != CLSPI_NO_CELL)
            good &= n != i / 6 && has_vertex(mesh->cell_face + 6 * (size_t)n, 6, f);
    }
    assert_true(good);
}

/* Makes a mesh both ways. */
static void check_hexahedra(const clspi_cells *cells)
{
    const clspi_parallel *const threads[] = {NULL, &backward};
    clspi_poly_mesh poly;
    clspi_cell_mesh expected;
    clspi_mesh_defect defect;

    assert_true(clspi_are_all(cells, CLSPI_HEXAHEDRON));
    assert_int_equal(clspi_poly_mesh_make(&poly, cells, NULL, &defect), CLSPI_MESH_SOUND);
    assert_true(clspi_poly_hexahedra(&expected, &poly, NULL));
    for (size_t i = 0; i < COUNT(threads); i++) {
        clspi_turned_cells turned;
        clspi_cell_mesh mesh;
        assert_int_equal(clspi_alike_hexahedra(&mesh, &turned, cells, threads[i]),
                         CLSPI_MESH_SOUND);
        check_numbers(&mesh, &poly);
        compare_cells(&mesh, &expected);
        assert_int_equal(turned.num, poly.num_inside_out);
        assert_int_equal(turned.num_children, poly.num_inside_out_children);
        clspi_cell_mesh_release(&mesh);
    }
    clspi_cell_mesh_release(&expected);
    clspi_poly_mesh_release(&poly);
}

static void check_tetrahedra(const clspi_cells *cells)
{
    const clspi_parallel *const threads[] = {NULL, &backward};
    clspi_poly_mesh poly;
    clspi_cell_mesh expected;
    clspi_mesh_defect defect;

    assert_true(clspi_are_all(cells, CLSPI_TETRAHEDRON));
    assert_int_equal(clspi_poly_mesh_make(&poly, cells, NULL, &defect), CLSPI_MESH_SOUND);
    assert_true(clspi_poly_hexahedra(&expected, &poly, NULL));
    for (size_t i = 0; i < COUNT(threads); i++) {
        clspi_turned_cells turned;
        clspi_tetra_mesh mesh;
        clspi_cell_mesh hexahedra;
        assert_int_equal(clspi_alike_tetrahedra(&mesh, &turned, cells, threads[i]),
                         CLSPI_MESH_SOUND);
        const clspi_incidence one = clspi_tetra_incidence(&mesh);
        const clspi_incidence other = clspi_poly_incidence(&poly);
        compare_incidence(&one, &other);
        assert_int_equal(turned.num, poly.num_inside_out);
        assert_int_equal(turned.num_children, poly.num_inside_out_children);
        assert_true(clspi_tetra_hexahedra(&hexahedra, &mesh, threads[i]));
        compare_cells(&hexahedra, &expected);
        clspi_cell_mesh_release(&hexahedra);
        clspi_tetra_mesh_release(&mesh);
    }
    clspi_cell_mesh_release(&expected);
    clspi_poly_mesh_release(&poly);
}

/* ---- sound cells ---- */

/* Gives vertices other numbers, so that those of a cell lie far apart. */
static void scatter_vertices(solid_case *solid)
{
    const size_t num = solid->num_points;
    size_t step = num / 2 + 1;
    double *const point = malloc(3 * num * sizeof *point);

    while (num % step == 0 || (step % 2 == 0 && num % 2 == 0) || (step % 3 == 0 && num % 3 == 0) ||
           (step % 5 == 0 && num % 5 == 0) || (step % 7 == 0 && num % 7 == 0))
        step++;
    for (size_t v = 0; v < num; v++)
        memcpy(point + 3 * (v * step % num), solid->point + 3 * v, 3 * sizeof *point);
    for (size_t i = 0; i < 8 * solid->num_cells; i++)
        solid->cell[i] = (uint32_t)(solid->cell[i] * step % num);
    for (size_t i = 0; i < 2 * solid->num_creases; i++)
        solid->crease[i] = (uint32_t)(solid->crease[i] * step % num);
    free(solid->point);
    solid->point = point;
}

/* Turns a hexahedron inside out. */
static void turn(uint32_t *cell)
{
    for (int i = 0; i < 4; i++) {
        const uint32_t swap = cell[i];
        cell[i] = cell[i + 4];
        cell[i + 4] = swap;
    }
}

static clspi_cells cells_of(const solid_case *solid)
{
    return (clspi_cells){.num_vertices = solid->num_points,
                         .num_cells = solid->num_cells,
                         .num_indices = 8 * solid->num_cells,
                         .index = solid->cell,
                         .crease = solid->crease,
                         .num_creases = solid->num_creases};
}

/* Checks cells with and without points, turned or not. */
static void check_turns(clspi_cells cells, const double *points,
                        void (*check)(const clspi_cells *cells))
{
    for (int i = 0; i < 4; i++) {
        cells.points = i & 1 ? points : NULL;
        cells.orient = i & 2;
        check(&cells);
    }
}

/* One cell, boxes, many cells around an edge, and a machine part, of which some are turned. */
static void test_hexahedra(void **state)
{
    solid_case solids[] = {solid_box(1, 1, 1), solid_box(17, 17, 15), solid_prism(70, 1, 2),
                           solid_prism(3, 1, 2), solid_read_vtk(DATA_FOLDER "/rod.vtk")};

    (void)state;
    for (size_t i = 0; i < COUNT(solids); i++) {
        solid_case *const s = &solids[i];
        assert_true(s->num_cells > 0);
        clspi_cells cells = cells_of(s);
        check_hexahedra(&cells);
        scatter_vertices(s);
        for (size_t c = 0; c < s->num_cells; c += 3)
            turn(s->cell + 8 * c);
        check_turns(cells_of(s), s->point, check_hexahedra);
        for (size_t k = 0; k < s->num_points; k++)
            s->point[3 * k + 1] *= -1.0;
        cells = cells_of(s);
        cells.points = s->point;
        check_hexahedra(&cells);
        solid_free(s);
    }
}

/* Creases that fade or stay, and corners. */
static void test_creases(void **state)
{
    solid_case s = solid_box(4, 3, 2);
    const uint32_t corners[] = {s.cell[0], s.cell[1]};

    (void)state;
    solid_crease(&s, 0.5);
    assert_true(s.num_creases > 2);
    float *const sharpness = malloc(s.num_creases * sizeof *sharpness);
    clspi_cells cells = cells_of(&s);
    check_hexahedra(&cells);
    cells.corner = corners;
    cells.num_corners = COUNT(corners);
    check_hexahedra(&cells);
    cells.sharpness = sharpness;
    for (size_t i = 0; i < s.num_creases; i++)
        sharpness[i] = i % 3 ? 0.5f * (float)i + 0.25f : 11.0f;
    check_hexahedra(&cells);
    for (size_t i = 0; i < s.num_creases; i++)
        sharpness[i] = 10.0f;
    check_hexahedra(&cells);
    cells.num_creases = 0;
    check_hexahedra(&cells);
    free(sharpness);
    solid_free(&s);
}

static void test_tetrahedra(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        solid_case s = i < 2 ? solid_box(1, 1, 1) : solid_box(12, 12, 10);
        if (i % 2) scatter_vertices(&s);
        uint32_t *const index = solid_tetrahedra(&s);
        uint8_t *const kinds = malloc(6 * s.num_cells);
        memset(kinds, CLSPI_TETRAHEDRON, 6 * s.num_cells);
        solid_crease(&s, 0.5);
        clspi_cells cells = cells_of(&s);
        cells.kind = kinds;
        cells.index = index;
        cells.num_cells = 6 * s.num_cells;
        cells.num_indices = 24 * s.num_cells;
        check_tetrahedra(&cells);
        float *const sharpness = malloc((s.num_creases + 1) * sizeof *sharpness);
        for (size_t k = 0; k < s.num_creases; k++)
            sharpness[k] = 0.5f + (float)(k % 5);
        cells.sharpness = sharpness;
        check_tetrahedra(&cells);
        for (size_t c = 0; c < cells.num_cells; c += 3) {
            const uint32_t swap = index[4 * c];
            index[4 * c] = index[4 * c + 1];
            index[4 * c + 1] = swap;
        }
        if (i % 2) check_turns(cells, s.point, check_tetrahedra);
        free(sharpness);
        free(kinds);
        free(index);
        solid_free(&s);
    }
}

/* ---- points of many cells ---- */

/* The points of so many cells are found in several parts: those of each cell are what they are of
   it alone. */
static void test_many_cells(void **state)
{
    solid_case box = solid_box(82, 81, 81);
    const clspi_cells cells = cells_of(&box);
    uint32_t *const numbers = malloc(CLSPI_RING_POINTS * sizeof *numbers);
    clspi_turned_cells turned;
    clspi_cell_mesh mesh;
    clspi_class_set set;
    clspi_cell_points points;
    size_t irregular = 0;
    bool same = true;

    (void)state;
    assert_int_equal(clspi_alike_hexahedra(&mesh, &turned, &cells, NULL), CLSPI_MESH_SOUND);
    assert_true(clspi_class_set_make(&set));
    assert_true(clspi_cell_points_make(&points, &set, &mesh, &backward));
    for (uint32_t c = 0; c < mesh.num_cells && same; c += 41) {
        const uint32_t num = clspi_cell_points_of(&points, &set, c, numbers);
        clspi_class_use use = {CLSPI_REGULAR, 0};
        uint32_t grid[CLSPI_GRID_POINTS];
        if (clspi_cell_is_regular(&mesh, c)) {
            clspi_regular_grid(&mesh, c, grid);
            for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++)
                same &= grid[i] == CLSPI_NO_CELL ? numbers[i] >= mesh.num_vertices
                                                 : numbers[i] == grid[i];
        } else {
            assert_true(clspi_class_find(&set, &mesh, c, &use));
            same &= num == set.entry[use.number].num_points &&
                    memcmp(numbers, set.found, num * sizeof *numbers) == 0;
            irregular++;
        }
        same &= points.use[c].number == use.number && points.use[c].frame == use.frame;
    }
    assert_true(same && irregular > 10);
    clspi_cell_points_release(&points);
    clspi_class_set_release(&set);
    clspi_cell_mesh_release(&mesh);
    free(numbers);
    solid_free(&box);
}

/* ---- defects ---- */

/* Checks that cells are told to be defective both ways. */
static void refuse(const clspi_cells *cells)
{
    clspi_mesh_defect defect;
    clspi_poly_mesh poly;
    clspi_turned_cells turned;

    assert_int_equal(clspi_poly_mesh_make(&poly, cells, NULL, &defect), CLSPI_MESH_DEFECTIVE);
    if (clspi_are_all(cells, CLSPI_TETRAHEDRON)) {
        clspi_tetra_mesh mesh;
        assert_int_equal(clspi_alike_tetrahedra(&mesh, &turned, cells, NULL), CLSPI_MESH_DEFECTIVE);
        assert_null(mesh.parts.cell_vertex);
    } else {
        clspi_cell_mesh mesh;
        assert_true(clspi_are_all(cells, CLSPI_HEXAHEDRON));
        assert_int_equal(clspi_alike_hexahedra(&mesh, &turned, cells, NULL), CLSPI_MESH_DEFECTIVE);
        assert_null(mesh.cell_vertex);
    }
}

static const uint32_t cube[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void test_bad_indices(void **state)
{
    static const uint32_t twice[] = {0, 1, 1, 3, 4, 5, 6, 7};
    static const uint32_t across[] = {0, 1, 2, 3, 4, 5, 0, 7}; /* no face has it twice */
    clspi_cells cells = {.num_vertices = 8, .num_cells = 1, .num_indices = 8, .index = cube};

    (void)state;
    check_hexahedra(&cells);
    cells.num_vertices = 7;
    refuse(&cells);
    cells.num_vertices = 9; /* of no cell */
    refuse(&cells);
    cells.num_vertices = CLSPI_MAX_CELLS;
    assert_true(clspi_are_all(&cells, CLSPI_HEXAHEDRON));
    cells.num_vertices = 8;
    cells.num_indices = 7;
    refuse(&cells);
    cells.num_indices = 8;
    cells.index = twice;
    refuse(&cells);
    cells.index = across;
    cells.num_vertices = 8;
    refuse(&cells);
    cells.num_cells = 0;
    assert_false(clspi_are_all(&cells, CLSPI_HEXAHEDRON));
}

/* Faces of three cells, cells that touch in an edge or a vertex, folded ones, and copies. */
static void test_bad_neighbours(void **state)
{
    static const uint32_t three[] = {0, 1, 2,  3,  4, 5, 6, 7, 0,  1,  2,  3,
                                     8, 9, 10, 11, 0, 1, 2, 3, 12, 13, 14, 15};
    static const uint32_t edge[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 8, 9, 10, 11, 12, 13};
    static const uint32_t vertex[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 8, 9, 10, 11, 12, 13, 14};
    static const uint32_t folded[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 8, 9, 10, 11};
    static const uint32_t copy[] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    static const uint32_t turned[] = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 0, 1, 2, 3};
    static const struct {
        const uint32_t *index;
        size_t num_cells, num_vertices;
    } all[] = {{three, 3, 16},  {edge, 2, 14}, {vertex, 2, 15},
               {folded, 2, 12}, {copy, 2, 8},  {turned, 2, 8}};

    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        const clspi_cells cells = {.num_vertices = all[i].num_vertices,
                                   .num_cells = all[i].num_cells,
                                   .num_indices = 8 * all[i].num_cells,
                                   .index = all[i].index};
        refuse(&cells);
    }
}

static void test_bad_tags(void **state)
{
    static const uint32_t diagonal[2] = {0, 6}, good[2] = {0, 1}, beyond[1] = {8};
    static const float none[1] = {0};
    clspi_cells cells = {.num_vertices = 8,
                         .num_cells = 1,
                         .num_indices = 8,
                         .index = cube,
                         .crease = diagonal,
                         .num_creases = 1};

    (void)state;
    refuse(&cells);
    cells.crease = good;
    check_hexahedra(&cells);
    cells.sharpness = none;
    refuse(&cells);
    cells.num_creases = 0;
    cells.corner = beyond;
    cells.num_corners = 1;
    refuse(&cells);
}

/* Tetrahedra that have all triangles of a surface and one vertex: sound where that is a sphere, not
   where it is a torus, a projective plane, two spheres, or a sphere and a torus, whose Euler number
   is that of a sphere. */
static void test_cones(void **state)
{
    static const uint8_t kinds[18] = {10, 10, 10, 10, 10, 10, 10, 10, 10,
                                      10, 10, 10, 10, 10, 10, 10, 10, 10};
    static const uint8_t plane[10][3] = {{1, 2, 3}, {1, 3, 4}, {1, 4, 5}, {1, 5, 6}, {1, 6, 2},
                                         {2, 3, 5}, {3, 4, 6}, {4, 5, 2}, {5, 6, 3}, {6, 2, 4}};
    static const uint8_t sphere[4][3] = {{1, 2, 3}, {1, 3, 4}, {1, 4, 2}, {2, 4, 3}};
    uint32_t index[18 * 4];
    clspi_cells cells = {.kind = kinds, .index = index};

    (void)state;
    for (int i = 0; i < 5; i++) {
        size_t num = 0;
        for (uint32_t k = 0; k < 7 && (i == 1 || i == 4); k++) /* a torus of 7 vertices */
            for (uint32_t t = 0; t < 2; t++, num++) {
                index[4 * num] = 0;
                index[4 * num + 1] = 1 + k;
                index[4 * num + 2] = 1 + (k + (t ? 1 : 3)) % 7;
                index[4 * num + 3] = 1 + (k + (t ? 3 : 2)) % 7;
            }
        for (uint32_t k = 0; k < 10 && i == 2; k++, num++)
            for (uint32_t s = 0; s < 4; s++)
                index[4 * num + s] = s ? plane[k][s - 1] : 0;
        for (uint32_t k = 0; k < (i == 3 ? 8 : i == 0 || i == 4 ? 4 : 0); k++, num++)
            for (uint32_t s = 0; s < 4; s++)
                index[4 * num + s] =
                    s ? sphere[k % 4][s - 1] + (i == 4 ? 7u : 0) + (k < 4 ? 0 : 4) : 0;
        cells.num_cells = num;
        cells.num_indices = 4 * num;
        cells.num_vertices = i == 0 ? 5 : i == 1 ? 8 : i == 2 ? 7 : i == 3 ? 9 : 12;
        if (i == 0)
            check_tetrahedra(&cells);
        else
            refuse(&cells);
    }
}

/* Half of a solid that has no two sides: cells that cannot be turned alike. */
static void test_one_sided(void **state)
{
    enum { LAYERS = 5 };
    uint32_t index[8 * LAYERS];
    clspi_cells cells = {
        .num_vertices = 4 * LAYERS, .num_cells = LAYERS, .num_indices = 8 * LAYERS, .index = index};
    clspi_turned_cells turned;
    clspi_cell_mesh mesh;

    (void)state;
    for (uint32_t c = 0; c < LAYERS; c++) /* a ring whose ends are joined mirrored */
        for (uint32_t i = 0; i < 8; i++) {
            static const uint8_t mirrored[4] = {1, 0, 3, 2};
            const uint32_t layer = c + i / 4;
            index[8 * c + i] = layer < LAYERS ? 4 * layer + i % 4 : mirrored[i % 4];
        }
    assert_int_equal(clspi_alike_hexahedra(&mesh, &turned, &cells, NULL), CLSPI_MESH_DEFECTIVE);
    cells.orient = true;
    refuse(&cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hexahedra),   cmocka_unit_test(test_creases),
        cmocka_unit_test(test_tetrahedra),  cmocka_unit_test(test_many_cells),
        cmocka_unit_test(test_bad_indices), cmocka_unit_test(test_bad_neighbours),
        cmocka_unit_test(test_bad_tags),    cmocka_unit_test(test_cones),
        cmocka_unit_test(test_one_sided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
