/* The reader of BezierView files: what it takes, and the line and words of what it refuses. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bezierview.h"
#include "temporary.h"

static const char *data_folder; /* argv[1] */

/* Reads a text as a file named "t.bv", in a precision. */
static bool read_in(bezierview *b, const void *bytes, size_t count, mesh_precision precision,
                    io_message *message)
{
    FILE *file = fopen(temporary_file("t.bv", bytes, count), "rb");
    assert_non_null(file);
    bool done = bezierview_read(b, file, "t.bv", precision, message);
    fclose(file);
    return done;
}

static bool read_bytes(bezierview *b, const void *bytes, size_t count, io_message *message)
{
    return read_in(b, bytes, count, MESH_F64, message);
}

static void read_good(bezierview *b, const char *text)
{
    io_message message = {"(none)"};
    if (!read_bytes(b, text, strlen(text), &message)) fail_msg("%s", message.text);
}

/* The text must be refused with exactly this message. */
static void refused(const char *text, const char *expected)
{
    bezierview b;
    io_message message = {"(none)"};
    assert_false(read_bytes(&b, text, strlen(text), &message));
    assert_string_equal(message.text, expected);
    assert_int_equal(b.num_batches, 0);
    assert_null(b.batches);
    assert_int_equal(b.polyhedra.num_vertices, 0);
}

static void test_equal_degrees(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "4\n1\n0 0 0\n0 1 0\n1 0 0.5\n1 1 -1e-3\n");
    assert_int_equal(b.num_batches, 1);
    assert_int_equal(b.batches[0].type.degree_u, 1);
    assert_int_equal(b.batches[0].type.degree_v, 1);
    assert_int_equal(b.batches[0].num_patches, 1);
    assert_int_equal(b.batches[0].groups[0], BEZIERVIEW_NO_GROUP);
    const double expected[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0.5, 1, 1, -1e-3};
    assert_memory_equal(b.batches[0].points, expected, sizeof(expected));
    bezierview_clear(&b);
}

static void test_two_degrees(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "5 1 2  0 0 0  0 1 0  0 2 0  1 0 0  1 1 0  1 2 7");
    assert_int_equal(b.batches[0].type.degree_u, 1);
    assert_int_equal(b.batches[0].type.degree_v, 2);
    assert_int_equal(b.batches[0].num_reals, 18);
    assert_true(b.batches[0].points[17] == 7);
    bezierview_clear(&b);
}

static void test_batches(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "4 0 1 2 3  5 1 0 0 0 0 1 1 1  5 0 0 4 5 6  group 9 lid\n4 0 7 8 9\n"
                  "GROUP 10\n5 0 1 0 0 0 2 2 2");
    assert_int_equal(b.num_batches, 3);
    assert_int_equal(b.batches[0].num_patches, 3);
    assert_int_equal(b.batches[1].num_patches, 1);
    assert_int_equal(b.batches[2].num_patches, 1);
    assert_int_equal(bezierview_num_patches(&b), 5);
    const double expected[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    assert_memory_equal(b.batches[0].points, expected, sizeof(expected));
    assert_int_equal(b.batches[0].groups[1], BEZIERVIEW_NO_GROUP);
    assert_int_equal(b.batches[0].groups[2], 9);
    assert_int_equal(b.batches[2].groups[0], 10);
    bezierview_clear(&b);
}

static void test_polyhedron(void **state)
{
    (void)state;
    bezierview b;
    const char *text = "1\n4 2\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1 2 3\n"
                       "1 3 1  5 0 0  6 0 0  5 1 0  3 2 1 0";
    size_t count;
    read_good(&b, text);
    assert_int_equal(b.num_batches, 0);
    assert_int_equal(b.polyhedra.num_vertices, 7);
    assert_int_equal(b.polyhedra.num_faces, 3);
    const uint32_t *corners = mesh_face(&b.polyhedra, 2, &count);
    assert_int_equal(count, 3);
    assert_int_equal(corners[0], 6);
    assert_int_equal(corners[2], 4);
    bezierview_clear(&b);
}

static void test_comments_and_line_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "# a patch\n4 # kind\n0 // degree\n1 2 3",
        "# a patch\r\n4\r\n0\r\n1 2 3\r\n",
        "// a patch\r4\r0\r1 2 3\r",
        "4 0\t1\v2\f3#end",
        "Group 1 body # not // a number\n4 0 1 2 3// end",
        "Group 1#\n4 0 1 2 3\n#",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        bezierview b;
        read_good(&b, texts[i]);
        assert_int_equal(b.batches[0].num_patches, 1);
        assert_true(b.batches[0].points[2] == 3);
        bezierview_clear(&b);
    }
}

static void test_tea_set(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t patches;
    } files[] = {{"teapot", 28}, {"teacup", 26}, {"teaspoon", 16}};
    for (size_t i = 0; i < 3; i++) {
        char path[1024];
        bezierview b;
        io_message message = {"(none)"};
        snprintf(path, sizeof(path), "%s/%s.bv", data_folder, files[i].name);
        if (!bezierview_load(&b, path, MESH_F64, &message)) fail_msg("%s", message.text);
        assert_int_equal(b.num_batches, 1);
        assert_int_equal(b.batches[0].type.degree_u, 3);
        assert_int_equal(b.batches[0].num_patches, files[i].patches);
        assert_int_equal(b.batches[0].num_reals, 48 * files[i].patches);
        bezierview_clear(&b);
    }
}

/* Rows from the lower edge up in the file, u along the rows in memory. */
static void test_triangle(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "3 2\n0 0 0  1 0 0  2 0 0\n0 1 0  1 1 0\n0 2 0\n 3 0 7 8 9\n");
    assert_int_equal(b.num_batches, 2);
    assert_int_equal(b.batches[0].type.form, BEZIERVIEW_TRIANGLE);
    assert_int_equal(b.batches[0].type.degree_u, 2);
    assert_int_equal(b.batches[0].type.degree_v, 2);
    assert_int_equal(b.batches[0].num_reals, 18);
    const double expected[18] = {0, 0, 0, 0, 1, 0, 0, 2, 0, 1, 0, 0, 1, 1, 0, 2, 0, 0};
    assert_memory_equal(b.batches[0].points, expected, sizeof(expected));
    assert_true(b.batches[1].points[2] == 9);
    bezierview_clear(&b);
}

/* A second patch of a batch is transposed in its own place. */
static void test_triangles_in_a_row(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "3 1\n0 0 0  1 0 0\n0 1 0\n3 1\n0 0 5  1 0 5\n0 1 5\n");
    assert_int_equal(b.num_batches, 1);
    assert_int_equal(b.batches[0].num_patches, 2);
    const double expected[18] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 5, 0, 1, 5, 1, 0, 5};
    assert_memory_equal(b.batches[0].points, expected, sizeof(expected));
    bezierview_clear(&b);
}

static void test_rational(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "8 1 0\n1 2 3 0.5\n4 5 6 2e3\n5 1 0\n1 2 3 4 5 6\n");
    assert_int_equal(b.num_batches, 2);
    assert_true(b.batches[0].type.rational);
    assert_false(b.batches[1].type.rational);
    assert_int_equal(bezierview_coordinates(&b.batches[0].type), 4);
    assert_int_equal(b.batches[0].num_reals, 8);
    const double expected[8] = {1, 2, 3, 0.5, 4, 5, 6, 2e3};
    assert_memory_equal(b.batches[0].points, expected, sizeof(expected));
    bezierview_clear(&b);
    refused("8 0 1\n0 0 0 1\n1 0 0 0\n", "t.bv:3: the weight 0 is not above 0");
    refused("8 0 1\n0 0 0 1\n1 0 0 -0.5\n", "t.bv:3: the weight -0.5 is not above 0");
    refused("8 0 0\n0 0 0 nan\n", "t.bv:2: 'nan' is not a finite number");
    refused("8 0 0\n0 0 0 inf\n", "t.bv:2: 'inf' is not a finite number");
    refused("8 0 0\n0 0 0 w\n", "t.bv:2: 'w' where a weight was expected");
}

static void test_normals(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "9 1 1\n0 0 0  1 0 0  0 1 0\n0 0 1  0 1 1  1 0 1\n"
                  "10 0 1 1 0\n0 0 0  1 0 0\n0 0 1  0 0 2\n9 1 0\n0 0 0 1 0 0 0 1 0\n0 0 1");
    assert_int_equal(b.num_batches, 3);
    assert_true(b.batches[0].type.has_normals);
    assert_int_equal(b.batches[0].type.normal_u, 1);
    const double points[9] = {0, 0, 0, 0, 1, 0, 1, 0, 0}, normals[9] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    assert_memory_equal(b.batches[0].points, points, sizeof(points));
    assert_memory_equal(b.batches[0].normals, normals, sizeof(normals));
    assert_int_equal(b.batches[1].type.form, BEZIERVIEW_SURFACE);
    assert_int_equal(b.batches[1].type.degree_v, 1);
    assert_int_equal(b.batches[1].type.normal_u, 1);
    assert_int_equal(b.batches[1].type.normal_v, 0);
    assert_int_equal(b.batches[1].num_normal_reals, 6);
    assert_int_equal(b.batches[2].type.normal_u, 0); /* other degrees, another batch */
    assert_int_equal(b.batches[2].num_normal_reals, 3);
    bezierview_clear(&b);
}

static void test_refused_kinds(void **state)
{
    (void)state;
    refused("7 3 3", "t.bv:1: segments of kind 7 are not known (1, 3, 4, 5, 8, 9 and 10 are read)");
    refused("3 1\n0 0 0\n1 x 0\n0 1 0\n", "t.bv:3: 'x' where a coordinate was expected");
    refused("8 1 1\n0 0 0 1\n", "t.bv:1: the file is too short for the 16 numbers announced here");
    refused("3 65535\n0 0 0 1\n",
            "t.bv:1: the file is too short for the 6442549248 numbers announced here");
    refused("9 1 0\n0 0 0 1 0 0 0 1 0\n0 0 z\n",
            "t.bv:3: 'z' where a coordinate of a normal was expected");
    refused("10 0 1 1\n", "t.bv:2: the file ends where the degree of the normals along v was "
                          "expected");
}

static void test_truncated(void **state)
{
    (void)state;
    refused("", "t.bv:1: the file holds no patch and no polyhedron");
    refused("# nothing\n\n", "t.bv:3: the file holds no patch and no polyhedron");
    refused("group 1 a\n", "t.bv:2: the file holds no patch and no polyhedron");
    refused("4", "t.bv:1: the file ends where the degree was expected");
    refused("5 3\n", "t.bv:2: the file ends where the degree along v was expected");
    refused("4 0\n1 2", "t.bv:2: the file ends where a coordinate was expected");
    refused("4 0\n1e300 2 # 3\n", "t.bv:3: the file ends where a coordinate was expected");
    refused("4 0 1 2 3\n4 1\n1 2 3",
            "t.bv:2: the file is too short for the 12 numbers announced here");
    refused("group", "t.bv:1: the file ends where the number of a group was expected");
}

static void test_absurd_counts(void **state)
{
    (void)state;
    refused("4 1000000000\n1 2 3", "t.bv:1: the degree is 1000000000, above 65535");
    refused("4 99999999999999999999999999\n1 2 3",
            "t.bv:1: the degree is 99999999999999999999999999, above 65535");
    refused("4 65535\n1 2 3",
            "t.bv:1: the file is too short for the 12884901888 numbers announced here");
    refused("1 4000000000 1\n", "t.bv:1: the number of vertices is 4000000000, above 2147483647");
    refused("1 2147483647 2147483647\n",
            "t.bv:1: the file is too short for the 15032385529 numbers announced here");
    refused("4 -1\n1 2 3", "t.bv:1: '-1' where the degree was expected");
    refused("4 1.5\n1 2 3", "t.bv:1: '1.5' where the degree was expected");
}

static void test_bad_numbers(void **state)
{
    (void)state;
    refused("4 0\n1 nan 3", "t.bv:2: 'nan' is not a finite number");
    refused("4 0\n1 -Inf 3", "t.bv:2: '-Inf' is not a finite number");
    refused("4 0\n1 1e999 3", "t.bv:2: '1e999' is not a finite number");
    refused("4 0\n1 two 3", "t.bv:2: 'two' where a coordinate was expected");
    refused("4 0\n1 2,5 3", "t.bv:2: '2,5' where a coordinate was expected");
    refused("4 0\n1 0x10 3", "t.bv:2: '0x10' where a coordinate was expected");
    refused("4 0\n1 nan(0) 3", "t.bv:2: 'nan(0)' is not a finite number");
    refused("4 0 1 2 3\nlid\n", "t.bv:2: 'lid' where the kind of a segment was expected");
    refused("4 0 1 2 3\n4.0\n", "t.bv:2: '4.0' where the kind of a segment was expected");
    refused("group lid\n4 0 1 2 3\n", "t.bv:1: 'lid' where the number of a group was expected");
    refused("group\n4 0 1 2 3\n", "t.bv:1: Group without a number");
    refused("\x1b[1m\x80", "t.bv:1: '?[1m?' where the kind of a segment was expected");
}

static void test_bad_polyhedra(void **state)
{
    (void)state;
    const char *head = "1 3 1 0 0 0 1 0 0 0 1 0\n";
    static const char *const tails[][2] = {
        {"3 0 1 3", "t.bv:2: the vertex of a face is 3, above 2"},
        {"3 0 1 -1", "t.bv:2: '-1' where the vertex of a face was expected"},
        {"2 0 1", "t.bv:2: a face with fewer than 3 corners"},
        {"4 0 1 2 0", "t.bv:2: the number of corners of a face is 4, above 3"},
        {"3 0 1", "t.bv:2: the file ends where the vertex of a face was expected"},
    };
    for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
        char text[128];
        snprintf(text, sizeof(text), "%s%s", head, tails[i][0]);
        refused(text, tails[i][1]);
    }
    refused("1 0 1\n3 0 0 0", "t.bv:2: the number of corners of a face is 3, above 0");
}

static void test_words_and_bytes(void **state)
{
    (void)state;
    bezierview b;
    io_message message;
    char text[1024];
    memset(text, '1', sizeof(text));
    memcpy(text, "4 0 1\n", 6);
    assert_false(read_bytes(&b, text, sizeof(text), &message));
    assert_string_equal(message.text, "t.bv:2: word of more than 255 characters");

    assert_false(read_bytes(&b, "4 0\n1 \0 2 3", 11, &message));
    assert_string_equal(message.text, "t.bv:2: zero byte: this is not a text file");
    assert_false(read_bytes(&b, "# \0", 3, &message));
    assert_string_equal(message.text, "t.bv:1: zero byte: this is not a text file");

    memset(text, 'x', 60); /* shown short */
    memcpy(text + 60, "\n", 2);
    refused(text, "t.bv:1: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' where the kind of a "
                  "segment was expected");
}

/* The text must be refused with exactly this message where numbers are to be floats, and read where
   they are to be doubles. */
static void refused_as_floats(const char *text, const char *expected)
{
    bezierview b;
    io_message message = {"(none)"};
    assert_false(read_in(&b, text, strlen(text), MESH_F32, &message));
    assert_string_equal(message.text, expected);
    read_good(&b, text);
    bezierview_clear(&b);
}

static void test_floats(void **state)
{
    (void)state;
    bezierview b;
    io_message message = {"(none)"};
    static const char large[] = "4 0\n3.4028234e38 -3.4028234e38 1e-300\n";
    refused_as_floats("4 0\n1 2\n1e39",
                      "t.bv:3: '1e39' is too large for a float; use --precision f64");
    refused_as_floats("9 0 0\n1 2 3\n\n0 -1e300 1",
                      "t.bv:4: '-1e300' is too large for a float; use --precision f64");
    refused_as_floats("1 1 0\n# here\n0 4e38 0",
                      "t.bv:3: '4e38' is too large for a float; use --precision f64");
    refused_as_floats("8 0 0\n0 0 0 1e-50",
                      "t.bv:2: the weight 1e-50 is too small for a float; use --precision f64");
    assert_true(read_in(&b, large, strlen(large), MESH_F32, &message));
    bezierview_clear(&b);
}

/* A byte order mark is left out at the head of a file and nowhere else. */
static void test_byte_order_mark(void **state)
{
    (void)state;
    bezierview b;
    read_good(&b, "\xef\xbb\xbf"
                  "4 0\n1 2 3\n");
    assert_int_equal(b.num_batches, 1);
    bezierview_clear(&b);
    refused("\xef\xbb\xbf", "t.bv:1: the file holds no patch and no polyhedron");
    refused("\xef\xbb\xbf\xef\xbb\xbf"
            "4 0\n1 2 3\n",
            "t.bv:1: '???4' where the kind of a segment was expected");
    refused("4 0\n\xef\xbb\xbf"
            "1 2 3\n",
            "t.bv:2: '???1' where a coordinate was expected");
}

static void test_sparse_file(void **state)
{
    (void)state;
    bezierview b;
    io_message message;
    const char *path = temporary_file("zero.bv", "", 0);
    assert_int_equal(truncate(path, (off_t)4 << 30), 0);
    assert_false(bezierview_load(&b, path, MESH_F64, &message));
    assert_non_null(strstr(message.text, "zero.bv:1: zero byte: this is not a text file"));
    remove(temporary_path("zero.bv"));
}

static void test_unreadable(void **state)
{
    (void)state;
    bezierview b;
    io_message message;
    assert_false(bezierview_load(&b, "/nowhere/t.bv", MESH_F64, &message));
    assert_string_equal(message.text, "/nowhere/t.bv: cannot open: No such file or directory");
    assert_false(bezierview_load(&b, "/tmp", MESH_F64, &message));
    assert_string_equal(message.text,
                        "/tmp: a folder; one of Zarr is read in Python, by clspline.read");
}

/* Numbers on a pipe: nothing is known of the size, and still nothing is allocated ahead. */
static void test_pipe(void **state)
{
    (void)state;
    int ends[2];
    bezierview b;
    io_message message;
    static const char text[] = "4 65535\n1 2 3\n";
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof(text) - 1), sizeof(text) - 1);
    close(ends[1]);
    FILE *file = fdopen(ends[0], "rb");
    assert_non_null(file);
    assert_false(bezierview_read(&b, file, "pipe", MESH_F64, &message));
    assert_string_equal(message.text, "pipe:3: the file ends where a coordinate was expected");
    fclose(file);
}

/* Every byte of a good file replaced in turn by others: an error or a result, never a fault. */
static void test_changed_bytes(void **state)
{
    (void)state;
    static const char good[] = "group 1 a\n4 1\n0 0 0 0 1 0 1 0 0 1 1 1\n1 3 1 0 0 0 1 0 0 0 1 0 "
                               "3 0 1 2\n3 1 0 0 0 1 0 0 0 1 0\n8 0 0 1 2 3 4\n9 0 0 1 2 3 0 0 1\n";
    static const char others[] = {0, '#', '-', '9', 'e', '\n', ' ', '/', '\r', (char)0xff};
    char text[sizeof(good)];
    for (size_t i = 0; i + 1 < sizeof(good); i++) {
        for (size_t k = 0; k < sizeof(others); k++) {
            bezierview b;
            io_message message = {""};
            memcpy(text, good, sizeof(good));
            text[i] = others[k];
            if (read_bytes(&b, text, sizeof(good) - 1, &message))
                bezierview_clear(&b);
            else
                assert_true(strncmp(message.text, "t.bv:", 5) == 0);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_degrees),
        cmocka_unit_test(test_two_degrees),
        cmocka_unit_test(test_batches),
        cmocka_unit_test(test_polyhedron),
        cmocka_unit_test(test_comments_and_line_ends),
        cmocka_unit_test(test_tea_set),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_triangles_in_a_row),
        cmocka_unit_test(test_rational),
        cmocka_unit_test(test_normals),
        cmocka_unit_test(test_refused_kinds),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_absurd_counts),
        cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_bad_polyhedra),
        cmocka_unit_test(test_words_and_bytes),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_byte_order_mark),
        cmocka_unit_test(test_sparse_file),
        cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_changed_bytes),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    return cmocka_run_group_tests_name("bezierview", tests, temporary_setup, temporary_teardown);
}
