/* VTKHDF files of cells have what readers look for, by libhdf5, and the same bytes however they are
   cut into parts. Without the library writing says so. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if IO_HAS_HDF5
#include <hdf5.h>
#endif

#include "temporary.h"
#include "vtu.h"

enum { POINTS = 50, CELLS = 11, MOST = 3 * POINTS };

static const vtu_field point_fields[] = {{"heat", 1, VTU_REAL}, {"pull & push", 3, VTU_REAL}};
static const vtu_field cell_fields[] = {{"stra\xc3\x9f"
                                         "e",
                                         1, VTU_INT32},
                                        {"id", 2, VTU_INT64},
                                        {"..", 1, VTU_REAL}};

static vtu_shape shape_of(mesh_precision precision, uint32_t num_fields)
{
    return (vtu_shape){.is_hdf = true,
                       .precision = precision,
                       .num_points = POINTS,
                       .num_cells = CELLS,
                       .cell_type = VTU_HEXAHEDRON,
                       .cell_points = 8,
                       .fields = point_fields,
                       .num_fields = num_fields < 2 ? num_fields : 2,
                       .cell_fields = cell_fields,
                       .num_cell_fields = num_fields < 3 ? num_fields : 3};
}

#if IO_HAS_HDF5

/* Value i of array `number`; whole numbers for those of cells, large ones for ids. */
static double value_of(size_t number, size_t i)
{
    const double value = (double)i - 7 * (double)number;
    return number <= 2 ? value / 4 : number == 4 ? value * 1e12 : value;
}

static uint32_t point_of(size_t i)
{
    return (uint32_t)(i * 7 % POINTS);
}

/* Writes the values of some points and cells. */
static void write_values(vtu_file *f, const size_t points[2], const size_t cells[2])
{
    const vtu_shape *s = f->shape;
    double values[MOST];
    uint32_t corners[8 * CELLS];
    for (size_t number = 0; number < 1 + s->num_fields + s->num_cell_fields; number++) {
        const bool of_points = number <= s->num_fields;
        const vtu_field *field =
            of_points ? &s->fields[number - 1] : &s->cell_fields[number - 1 - s->num_fields];
        const uint32_t each = number == 0 ? 3 : field->components;
        const size_t *range = of_points ? points : cells, count = range[1] * each;
        for (size_t i = 0; i < count; i++)
            values[i] = value_of(number, range[0] * each + i);
        vtu_file_begin(f, number, range[0]);
        assert_true(number == 0 || field->number == VTU_REAL
                        ? vtu_file_reals(f, values, count)
                        : vtu_file_integers(f, field->number, values, count));
    }
    for (size_t i = 0; i < 8 * cells[1]; i++)
        corners[i] = point_of(8 * cells[0] + i);
    vtu_file_begin(f, 1 + s->num_fields + s->num_cell_fields, cells[0]);
    assert_true(vtu_file_points(f, 0, corners, 8 * cells[1]));
}

/* Writes a file, or part k of n. */
static void write_file(const vtu_shape *s, const char *path, size_t k, size_t n)
{
    const size_t points[2] = {POINTS * k / n, POINTS * (k + 1) / n - POINTS * k / n};
    const size_t cells[2] = {CELLS * k / n, CELLS * (k + 1) / n - CELLS * k / n};
    const part_record record = {(uint32_t)k + 1, (uint32_t)n, .job = "a test", .made = "nothing"};
    const vtu_part part = {cells[0], cells[1], &record};
    vtu_file f;
    io_message message = {""};
    if (!vtu_file_open(&f, s, n > 1 ? &part : NULL, path, &message)) fail_msg("%s", message.text);
    write_values(&f, points, cells);
    if (!vtu_file_close(&f, true)) fail_msg("%s", message.text);
}

/* Reads a file that is smaller than `most`. Returns its bytes. */
static size_t read_file(const char *path, char *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, most, file);
    assert_true(count > 0 && count < most);
    fclose(file);
    return count;
}

/* Reads an array of the group and checks its type, shape and place; the caller frees. */
static double *read_array(hid_t group, const char *name, hid_t type, hsize_t rows, hsize_t columns)
{
    const hid_t array = H5Dopen2(group, name, H5P_DEFAULT);
    assert_true(array >= 0);
    const hid_t space = H5Dget_space(array), found = H5Dget_type(array);
    const hid_t stored = H5Dget_create_plist(array);
    hsize_t sizes[2] = {0, 0};
    assert_true(H5Tequal(found, type) > 0);
    assert_int_equal(H5Sget_simple_extent_ndims(space), columns > 0 ? 2 : 1);
    H5Sget_simple_extent_dims(space, sizes, NULL);
    assert_int_equal(sizes[0], rows);
    assert_int_equal(sizes[1], columns);
    assert_int_equal(H5Pget_layout(stored), H5D_CONTIGUOUS);
    double *values = calloc((size_t)(rows * (columns > 0 ? columns : 1)), sizeof(*values));
    assert_non_null(values);
    assert_true(H5Dread(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Pclose(stored);
    H5Tclose(found);
    H5Sclose(space);
    H5Dclose(array);
    return values;
}

static void check_values(hid_t group, const char *name, hid_t type, hsize_t rows, hsize_t columns,
                         size_t number)
{
    double *values = read_array(group, name, type, rows, columns);
    for (size_t i = 0; i < rows * (columns > 0 ? columns : 1); i++)
        assert_true(values[i] == value_of(number, i));
    free(values);
}

static void check_count(hid_t group, const char *name, double count)
{
    double *values = read_array(group, name, H5T_STD_I64LE, 1, 0);
    assert_true(values[0] == count);
    free(values);
}

static void check_attributes(hid_t group)
{
    int version[2];
    char text[17] = "";
    hid_t attribute = H5Aopen(group, "Version", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_INT, version) >= 0);
    assert_true(version[0] == 1 && version[1] == 0);
    H5Aclose(attribute);
    attribute = H5Aopen(group, "Type", H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    assert_int_equal(H5Tget_class(type), H5T_STRING);
    assert_int_equal(H5Tget_cset(type), H5T_CSET_ASCII);
    assert_int_equal(H5Tget_size(type), 16);
    assert_true(H5Tis_variable_str(type) == 0);
    assert_int_equal(H5Sget_simple_extent_type(space), H5S_SCALAR);
    assert_true(H5Aread(attribute, type, text) >= 0);
    assert_string_equal(text, "UnstructuredGrid");
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void check_cells(hid_t group)
{
    double *values = read_array(group, "Connectivity", H5T_STD_I32LE, 8 * CELLS, 0);
    for (size_t i = 0; i < 8 * CELLS; i++)
        assert_true(values[i] == point_of(i));
    free(values);
    values = read_array(group, "Offsets", H5T_STD_I32LE, CELLS + 1, 0);
    for (size_t i = 0; i <= CELLS; i++)
        assert_true(values[i] == (double)(8 * i));
    free(values);
    values = read_array(group, "Types", H5T_STD_U8LE, CELLS, 0);
    for (size_t i = 0; i < CELLS; i++)
        assert_true(values[i] == VTU_HEXAHEDRON);
    free(values);
}

static void test_structure(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const vtu_shape s = shape_of(i == 0 ? MESH_F32 : MESH_F64, 3);
        const hid_t real = i == 0 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
        const char *path = temporary_path("whole.vtkhdf");
        write_file(&s, path, 0, 1);
        const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        const hid_t group = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
        assert_true(file >= 0 && group >= 0);
        check_attributes(group);
        check_count(group, "NumberOfPoints", POINTS);
        check_count(group, "NumberOfCells", CELLS);
        check_count(group, "NumberOfConnectivityIds", 8 * CELLS);
        check_values(group, "Points", real, POINTS, 3, 0);
        check_values(group, "PointData/heat", real, POINTS, 0, 1);
        check_values(group, "PointData/pull & push", real, POINTS, 3, 2);
        check_values(group,
                     "CellData/stra\xc3\x9f"
                     "e",
                     H5T_STD_I32LE, CELLS, 0, 3);
        check_values(group, "CellData/id", H5T_STD_I64LE, CELLS, 2, 4);
        check_values(group, "CellData/..", real, CELLS, 0, 5);
        check_cells(group);
        H5Gclose(group);
        H5Fclose(file);
        unlink(path);
    }
}

/* Joins parts, made from the last to the first. A head that had a time in it would be another one
   a second later. */
static void test_parts(void **state)
{
    enum { MOST_BYTES = 100000 };
    static const size_t numbers[] = {1, 3, 4, CELLS};
    char *whole = malloc(MOST_BYTES), *joined = malloc(MOST_BYTES), path[FILENAME_MAX];
    io_message message = {""};
    (void)state;
    assert_true(whole && joined);
    snprintf(path, sizeof(path), "%s", temporary_path("parts.vtkhdf"));
    for (uint32_t fields = 0; fields < 4; fields++) {
        const vtu_shape s = shape_of(MESH_F32, fields);
        write_file(&s, path, 0, 1);
        const size_t bytes = read_file(path, whole, MOST_BYTES);
        if (fields == 3) sleep(1);
        for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
            const size_t n = numbers[i];
            uint32_t count;
            for (size_t k = n; k-- > 0;)
                write_file(&s, path, k, n);
            if (n > 1 && !part_file_join(path, false, &count, &message))
                fail_msg("%s", message.text);
            assert_int_equal(read_file(path, joined, MOST_BYTES), bytes);
            assert_memory_equal(joined, whole, bytes);
        }
        assert_int_equal(temporary_count(), 1);
    }
    unlink(path);
    free(whole);
    free(joined);
}

static void test_wrong(void **state)
{
    static const struct {
        const char *first, *second, *message;
    } cases[] = {{"a", "", "named ''"},
                 {"a/b", "c", "named 'a/b'"},
                 {"a", ".", "named '.'"},
                 {"/", "c", "named '/'"},
                 {"a", "a", "data named a: "}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const vtu_field fields[2] = {{cases[i].first, 1, VTU_REAL}, {cases[i].second, 1, VTU_REAL}};
        vtu_shape s = shape_of(MESH_F32, 2);
        vtu_file f;
        io_message message = {""};
        *(i % 2 ? &s.fields : &s.cell_fields) = fields;
        assert_false(vtu_file_open(&f, &s, NULL, temporary_path("a.vtkhdf"), &message));
        if (!strstr(message.text, cases[i].message)) fail_msg("%s", message.text);
        assert_non_null(strstr(message.text, "a.vtkhdf: "));
        assert_null(strchr(message.text, '\n'));
        assert_int_equal(temporary_count(), 0);
    }
    const vtu_shape s = shape_of(MESH_F32, 0);
    vtu_file f;
    io_message message = {""};
    assert_false(vtu_file_open(&f, &s, NULL, "/nowhere/a.vtkhdf", &message));
    assert_non_null(strstr(message.text, "/nowhere/a.vtkhdf: cannot write"));
}

/* A file that is given up leaves nothing. */
static void test_dropped(void **state)
{
    const vtu_shape s = shape_of(MESH_F32, 3);
    vtu_file f;
    io_message message = {""};
    (void)state;
    assert_true(vtu_file_open(&f, &s, NULL, temporary_path("a.vtkhdf"), &message));
    assert_false(vtu_file_close(&f, false));
    assert_int_equal(temporary_count(), 0);
}

/* More points than 32 bits count have numbers of 64, at places behind holes; parts know theirs. */
static void test_large(void **state)
{
    const part_record record = {2, 2, .job = "a test", .made = "nothing"};
    const vtu_part part = {.first = 1u << 29, .count = 1, .record = &record};
    vtu_shape s = shape_of(MESH_F32, 0);
    vtu_file f;
    char path[FILENAME_MAX], rest[FILENAME_MAX + 16];
    io_message message = {""};
    (void)state;
    snprintf(path, sizeof(path), "%s", temporary_path("large.vtkhdf"));
    s.num_points = ((uint64_t)1 << 32) + 8;
    s.num_cells = part.first + 1;
    if (!vtu_file_open(&f, &s, &part, path, &message)) fail_msg("%s", message.text);
    const double far[3] = {1, 2, 3};
    vtu_file_begin(&f, 0, s.num_points - 1);
    assert_true(vtu_file_reals(&f, far, 3));
    const uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    vtu_file_begin(&f, 1, part.first);
    assert_true(vtu_file_points(&f, (uint64_t)1 << 32, corners, 8));
    if (!vtu_file_close(&f, true)) fail_msg("%s", message.text);
    snprintf(rest, sizeof(rest), "%s.part", path);
    const hid_t file = H5Fopen(rest, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const hsize_t first = 8 * part.first, count = 8, first_end = part.first + 1, one = 1;
    const hsize_t first_point[2] = {s.num_points - 1, 0}, point[2] = {1, 3};
    const struct {
        const char *name;
        const hsize_t *first, *count;
        int rank;
        double value, step;
    } cases[] = {{"VTKHDF/Connectivity", &first, &count, 1, 4294967296.0, 1},
                 {"VTKHDF/Offsets", &first_end, &one, 1, 4294967304.0, 0},
                 {"VTKHDF/Points", first_point, point, 2, 1, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double values[8];
        const hid_t array = H5Dopen2(file, cases[i].name, H5P_DEFAULT);
        const hid_t space = H5Dget_space(array);
        const hsize_t num = cases[i].rank == 1 ? cases[i].count[0] : 3;
        const hid_t memory = H5Screate_simple(1, &num, NULL);
        assert_int_equal(H5Dget_storage_size(array) % 8, 0);
        assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, cases[i].first, NULL, cases[i].count,
                                        NULL) >= 0);
        assert_true(H5Dread(array, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0);
        for (size_t k = 0; k < num; k++)
            assert_true(values[k] == cases[i].value + cases[i].step * (double)k);
        H5Sclose(memory);
        H5Sclose(space);
        H5Dclose(array);
    }
    H5Fclose(file);
    unlink(rest);
    snprintf(rest, sizeof(rest), "%s.part-2-of-2", path);
    unlink(rest);
}

#else

static void test_missing(void **state)
{
    const vtu_shape s = shape_of(MESH_F32, 3);
    vtu_file f;
    io_message message = {""};
    (void)state;
    assert_false(vtu_file_open(&f, &s, NULL, temporary_path("a.vtkhdf"), &message));
    assert_non_null(strstr(message.text, "a.vtkhdf: clspline was built without libhdf5"));
    assert_int_equal(temporary_count(), 0);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#if IO_HAS_HDF5
        cmocka_unit_test(test_structure),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_large),
#else
        cmocka_unit_test(test_missing),
#endif
    };
    return cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
}
