/* What the writer of cells writes is read again as it was, to the bit. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "solid_file.h"
#include "solid_writer.h"
#include "temporary.h"

static void assert_same_arrays(const solid_array *a, const solid_array *b, size_t num, size_t items)
{
    for (size_t i = 0; i < num; i++) {
        assert_string_equal(a[i].name, b[i].name);
        assert_int_equal(a[i].components, b[i].components);
        assert_int_equal(a[i].is_whole, b[i].is_whole);
        for (size_t k = 0; k < items * a[i].components; k++)
            assert_true(a[i].values[k] == b[i].values[k] ||
                        (isnan(a[i].values[k]) && isnan(b[i].values[k])));
    }
}

static void assert_same_integers(const uint32_t *a, size_t num_a, const uint32_t *b, size_t num_b)
{
    assert_int_equal(num_a, num_b);
    if (num_a > 0) assert_memory_equal(a, b, num_a * sizeof(*a));
}

/* Writes cells and reads them again. */
static void check(const solid_cells *c, const char *ending)
{
    solid_cells again;
    char name[32], path[FILENAME_MAX];
    io_message message;
    assert_string_equal(solid_writer_ending(c), ending);
    snprintf(name, sizeof(name), "cells.%s", ending);
    snprintf(path, sizeof(path), "%s", temporary_path(name));
    assert_true(solid_writer_write(c, path, &message));
    if (!solid_file_open(&again, path, NULL, &message)) fail_msg("%s", message.text);
    assert_int_equal(again.num_points, c->num_points);
    assert_memory_equal(again.points, c->points, 3 * c->num_points * sizeof(double));
    assert_int_equal(again.num_cells, c->num_cells);
    assert_memory_equal(again.kinds, c->kinds, c->num_cells);
    assert_same_integers(again.index, again.num_indices, c->index, c->num_indices);
    assert_same_integers(again.crease, 2 * again.num_creases, c->crease, 2 * c->num_creases);
    assert_same_integers(again.line, 2 * again.num_lines, c->line, 2 * c->num_lines);
    assert_same_integers(again.corner, again.num_corners, c->corner, c->num_corners);
    assert_int_equal(again.num_arrays, c->num_arrays);
    assert_int_equal(again.num_cell_arrays, c->num_cell_arrays);
    assert_same_arrays(again.arrays, c->arrays, c->num_arrays, c->num_points);
    assert_same_arrays(again.cell_arrays, c->cell_arrays, c->num_cell_arrays, c->num_cells);
    solid_cells_clear(&again);
}

/* Adds the corners of two cubes, one on the other, with more digits than a float has, and a tip. */
static void add_points(solid_cells *c)
{
    for (int z = 0; z < 3; z++)
        for (int i = 0; i < 4; i++)
            assert_true(solid_cells_point(c, (i == 1 || i == 2) + 0.1 / 3, (i > 1) - 1e-17,
                                          z * (1 + 1e-15)));
    assert_true(solid_cells_point(c, 0.5, 0.5, 3));
}

static void add_cells(solid_cells *c)
{
    static const uint32_t cube[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const uint32_t wedges[2][6] = {{4, 5, 6, 8, 9, 10}, {4, 6, 7, 8, 10, 11}};
    static const uint32_t pyramid[5] = {8, 9, 10, 11, 12};
    assert_true(solid_cells_add(c, SOLID_HEXAHEDRON, cube, 8));
    for (int i = 0; i < 2; i++)
        assert_true(solid_cells_add(c, SOLID_WEDGE, wedges[i], 6));
    assert_true(solid_cells_add(c, SOLID_PYRAMID, pyramid, 5));
}

static void test_vtk(void **state)
{
    static const uint32_t faces[] = {4, 3, 0, 2, 1, 3, 0, 1, 13, 3, 1, 2, 13, 3, 2, 0, 13};
    static const uint32_t tetrahedron[4] = {8, 9, 12, 14};
    solid_cells c = {.points = NULL};
    io_message message;
    (void)state;
    add_points(&c);
    assert_true(solid_cells_point(&c, 0.5, 0.5, -1) && solid_cells_point(&c, 0, -1, 2.5));
    add_cells(&c);
    assert_true(solid_cells_add(&c, SOLID_POLYHEDRON, faces, sizeof(faces) / sizeof(faces[0])));
    assert_true(solid_cells_add(&c, SOLID_TETRAHEDRON, tetrahedron, 4));
    assert_true(solid_cells_line(&c, 0, 1) && solid_cells_line(&c, 1, 2));
    solid_array *a = solid_cells_array(&c, "a b%", 2);
    for (size_t i = 0; i < 2 * c.num_points; i++)
        assert_true(solid_array_append(a, (double)i / 3));
    a = solid_cells_data(&c, "n", 1);
    a->is_whole = true;
    for (size_t i = 0; i < c.num_cells; i++)
        assert_true(solid_array_append(a, 1e6 + (double)i));
    a = solid_cells_data(&c, "holes", 1);
    for (size_t i = 0; i < c.num_cells; i++)
        assert_true(solid_array_append(a, i == 1 ? (double)NAN : 0.1));
    if (!solid_cells_finish(&c, "cells", &message)) fail_msg("%s", message.text);
    check(&c, "vtk");
    solid_cells_clear(&c);
}

static void test_medit(void **state)
{
    solid_cells c = {.points = NULL};
    io_message message;
    (void)state;
    add_points(&c);
    add_cells(&c);
    for (size_t i = 0; i < c.num_cells; i++) /* MEDIT's files have kinds one after another */
        assert_int_equal(c.kinds[i], i == 0  ? SOLID_HEXAHEDRON
                                     : i < 3 ? SOLID_WEDGE
                                             : SOLID_PYRAMID);
    assert_true(solid_cells_crease(&c, 0, 1) && solid_cells_crease(&c, 9, 12));
    assert_true(solid_cells_corner(&c, 12));
    solid_array *a = solid_cells_data(&c, SOLID_MEDIT_LABEL, 1);
    a->is_whole = true;
    for (size_t i = 0; i < c.num_cells; i++)
        assert_true(solid_array_append(a, (double)i + 7));
    if (!solid_cells_finish(&c, "cells", &message)) fail_msg("%s", message.text);
    check(&c, "mesh");
    c.num_creases = 0;
    check(&c, "mesh");
    c.num_corners = 0;
    c.num_cell_arrays = 0;
    check(&c, "vtk");
    assert_false(solid_writer_write(&c, "/nowhere/a.vtk", &message));
    c.num_cell_arrays = 1;
    solid_cells_clear(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vtk),
        cmocka_unit_test(test_medit),
    };
    return cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
}
