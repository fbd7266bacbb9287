/* The writers: bytes of small meshes, and that a failure leaves nothing behind. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "glb.h"
#include "leftovers.h"
#include "normals.h"
#include "obj.h"
#include "picture.h"
#include "ply.h"
#include "raster.h"
#include "stl.h"
#include "temporary.h"
#include "vtk.h"

/* A triangle and a quad on five vertices; the first coordinate takes all digits of its precision.
 */
static mesh small_mesh(mesh_precision precision)
{
    mesh m = {.precision = precision};
    static const double places[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0.5, -3};
    static const uint32_t corners[7] = {1, 4, 2, 0, 1, 2, 3};
    static const float tenth = 0.1f; /* an object: a constant may have more bits (x87) */
    double *p = mesh_add_vertices(&m, 5);
    assert_non_null(p);
    memcpy(p, places, sizeof(places));
    p[0] = precision == MESH_F32 ? (double)tenth : 0.1 + 1e-17 + 1.0 / 3;
    for (int i = 0; i < 7; i++) {
        assert_true(mesh_add_corner(&m, corners[i]));
        if (i == 2 || i == 6) assert_true(mesh_end_face(&m));
    }
    return m;
}

/* The file's bytes, with a zero after them; the caller frees. */
static char *slurp(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 65536);
    assert_non_null(bytes);
    *count = fread(bytes, 1, 65535, file);
    fclose(file);
    return bytes;
}

static void check_file(const char *name, const void *expected, size_t count)
{
    size_t found;
    char *bytes = slurp(temporary_path(name), &found);
    assert_int_equal(found, count);
    assert_memory_equal(bytes, expected, count);
    free(bytes);
    assert_int_equal(remove(temporary_path(name)), 0);
    assert_int_equal(temporary_count(), 0);
}

static void test_obj(void **state)
{
    (void)state;
    static const char expected[] = "# written by clspline\nv 0.100000001 0 0\nv 1 0 0\nv 1 1 0\n"
                                   "v 0 1 0\nv 2 0.5 -3\nf 2 5 3\nf 1 2 3 4\n";
    mesh m = small_mesh(MESH_F32);
    assert_true(obj_write(&m, temporary_path("m.obj"), NULL, NULL));
    check_file("m.obj", expected, sizeof(expected) - 1);
    mesh_clear(&m);
}

static void test_obj_digits_and_normals(void **state)
{
    (void)state;
    size_t count;
    mesh m = small_mesh(MESH_F64);
    double first = m.positions[0];
    assert_true(mesh_compute_normals(&m));
    assert_true(obj_write(&m, temporary_path("m.obj"), NULL, NULL));
    char *text = slurp(temporary_path("m.obj"), &count);
    assert_true(strtod(strstr(text, "v ") + 2, NULL) == first);
    assert_non_null(strstr(text, "\nvn "));
    assert_non_null(strstr(text, "\nf 2//2 5//5 3//3\n"));
    free(text);
    remove(temporary_path("m.obj"));
    mesh_clear(&m);
}

static void test_ply(void **state)
{
    (void)state;
    static const char header[] =
        "ply\nformat binary_little_endian 1.0\ncomment written by clspline\nelement vertex 5\n"
        "property float x\nproperty float y\nproperty float z\nelement face 2\n"
        "property list uchar int vertex_indices\nend_header\n";
    static const unsigned char vertex[] = {0, 0, 0, 0x40, 0, 0, 0, 0x3f, 0, 0, 0x40, 0xc0};
    static const unsigned char faces[] = {3, 1, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 4, 0,
                                          0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
    size_t count, head = sizeof(header) - 1;
    mesh m = small_mesh(MESH_F32);
    assert_true(mesh_file_write(&ply_format, &m, temporary_path("m.ply"), NULL, NULL));
    char *bytes = slurp(temporary_path("m.ply"), &count);
    assert_int_equal(count, head + 5 * 12 + sizeof(faces));
    assert_memory_equal(bytes, header, head);
    assert_memory_equal(bytes + head + 48, vertex, sizeof(vertex));
    assert_memory_equal(bytes + head + 60, faces, sizeof(faces));
    free(bytes);
    remove(temporary_path("m.ply"));
    mesh_clear(&m);
}

/* A face of more than 255 corners makes the lists long. */
static void test_ply_long_face(void **state)
{
    (void)state;
    size_t count;
    mesh m = {.precision = MESH_F64};
    double *p = mesh_add_vertices(&m, 300);
    assert_non_null(p);
    memset(p, 0, 300 * 3 * sizeof(double));
    for (uint32_t i = 0; i < 300; i++)
        assert_true(mesh_add_corner(&m, i));
    assert_true(mesh_end_face(&m));
    assert_true(mesh_file_write(&ply_format, &m, temporary_path("m.ply"), NULL, NULL));
    char *bytes = slurp(temporary_path("m.ply"), &count);
    char *end = strstr(bytes, "property list int int vertex_indices\nend_header\n");
    assert_non_null(end);
    end = strstr(end, "end_header\n") + 11;
    assert_int_equal(count - (size_t)(end - bytes), 300 * 24 + 4 + 300 * 4);
    free(bytes);
    remove(temporary_path("m.ply"));
    mesh_clear(&m);
}

static void test_vtk(void **state)
{
    (void)state;
    static const char head[] = "# vtk DataFile Version 3.0\nwritten by clspline\nBINARY\n"
                               "DATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n";
    static const unsigned char tail[] =
        "\nCELLS 2 9\n"
        "\0\0\0\3\0\0\0\1\0\0\0\4\0\0\0\2\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\2\0\0\0\3"
        "\nCELL_TYPES 2\n\0\0\0\5\0\0\0\11\n";
    size_t count, first = sizeof(head) - 1, last = sizeof(tail) - 1;
    mesh m = small_mesh(MESH_F64);
    assert_true(mesh_file_write(&vtk_format, &m, temporary_path("m.vtk"), NULL, NULL));
    char *bytes = slurp(temporary_path("m.vtk"), &count);
    assert_int_equal(count, first + 15 * 8 + last);
    assert_memory_equal(bytes, head, first);
    assert_memory_equal(bytes + first + 3 * 8, "\x3f\xf0\0\0\0\0\0\0", 8); /* 1.0 */
    assert_memory_equal(bytes + first + 15 * 8, tail, last);
    free(bytes);
    remove(temporary_path("m.vtk"));
    mesh_clear(&m);
}

/* A triangle with a corner given twice is no triangle of STL. */
static void test_stl(void **state)
{
    (void)state;
    static const unsigned char first[] = {0, 0, 0,    0x80, 0, 0, 0, 0, 0, 0, 0x80, 0x3f,
                                          0, 0, 0x80, 0x3f, 0, 0, 0, 0, 0, 0, 0,    0};
    size_t count;
    mesh m = {.precision = MESH_F64};
    double *p = mesh_add_grid(&m, 2, 2);
    assert_non_null(p);
    const double places[12] = {1, 0, 0, 1, 1, 0, 2, 0, 0, 2, 0, 0};
    memcpy(p, places, sizeof(places));
    assert_true(stl_write(&m, temporary_path("m.stl"), NULL, NULL));
    char *bytes = slurp(temporary_path("m.stl"), &count);
    assert_int_equal(count, 84 + 50);
    assert_memory_equal(bytes + 80, "\1\0\0\0", 4);
    assert_memory_equal(bytes + 84 + 8, first + 8, sizeof(first) - 8);
    free(bytes);
    remove(temporary_path("m.stl"));
    p[0] = 1e39;
    io_message message;
    assert_false(stl_write(&m, temporary_path("m.stl"), NULL, &message));
    assert_non_null(strstr(message.text, "too large for this format"));
    assert_false(glb_write(&m, temporary_path("m.glb"), NULL, &message));
    assert_non_null(strstr(message.text, "too large for this format"));
    assert_int_equal(temporary_count(), 0);
    mesh_clear(&m);
}

/* A quad and two curves, of 3 vertices and of 2. */
static mesh curves_mesh(void)
{
    mesh m = {.precision = MESH_F32};
    static const double places[27] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0,
                                      1, 1, 0, 1, 2, 1, 1, 3, 3, 3, 4, 4, 4};
    assert_non_null(mesh_add_grid(&m, 2, 2));
    assert_non_null(mesh_add_grid(&m, 3, 1));
    assert_non_null(mesh_add_grid(&m, 2, 1));
    assert_int_equal(m.num_vertices, 9);
    memcpy(m.positions, places, sizeof(places));
    return m;
}

/* Checks that the last bytes of a file are those numbers. */
static void check_end(const char *name, bool big_endian, const uint32_t *expected, size_t num)
{
    size_t count;
    unsigned char *bytes = (unsigned char *)slurp(temporary_path(name), &count);
    for (size_t i = 0; i < num; i++) {
        const unsigned char *b = bytes + count - 4 * (num - i);
        const uint32_t found =
            big_endian ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                       : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
        assert_int_equal(found, expected[i]);
    }
    free(bytes);
}

static void check_holds(const char *name, const char *const *texts, size_t num)
{
    size_t count;
    char *bytes = slurp(temporary_path(name), &count);
    for (size_t i = 0; i < count; i++) /* what is binary is no end of the text */
        if (bytes[i] == 0) bytes[i] = ' ';
    for (size_t i = 0; i < num; i++)
        if (!strstr(bytes, texts[i])) fail_msg("%s without %s", name, texts[i]);
    free(bytes);
}

/* Colours stand behind the positions of OBJ, and in a buffer of GLB's behind the parameters. */
static void test_colors(void **state)
{
    static const unsigned char colors[15] = {255, 0, 0, 0, 128, 0, 0, 0, 1, 2, 3, 4, 9, 9, 9};
    static const char obj[] = "# written by clspline\nv 0.100000001 0 0 1 0 0\n"
                              "v 1 0 0 0 0.502 0\nv 1 1 0 0 0 0.003922\n"
                              "v 0 1 0 0.007843 0.01176 0.01569\n"
                              "v 2 0.5 -3 0.03529 0.03529 0.03529\nf 2 5 3\nf 1 2 3 4\n";
    static const char *const glb[] = {
        "{\"POSITION\":0,\"COLOR_0\":2,\"TEXCOORD_0\":1},\"indices\":3,",
        "\"byteOffset\":60,\"byteLength\":40,", "\"byteOffset\":100,\"byteLength\":60,",
        "\"byteOffset\":160,\"byteLength\":36,"};
    mesh m = small_mesh(MESH_F32);
    (void)state;
    m.colors = colors;
    assert_true(obj_write(&m, temporary_path("m.obj"), NULL, NULL));
    check_file("m.obj", obj, sizeof(obj) - 1);
    assert_true(glb_write(&m, temporary_path("m.glb"), NULL, NULL));
    check_holds("m.glb", glb, 4);
    remove(temporary_path("m.glb"));
    mesh_clear(&m);
}

static void test_curves(void **state)
{
    (void)state;
    static const char obj[] = "# written by clspline\nv 0 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 0 1\n"
                              "v 1 0 1\nv 2 1 1\nv 3 3 3\nv 4 4 4\nf 1 3 4 2\nl 5 6 7\nl 8 9\n";
    static const uint32_t edges[6] = {4, 5, 5, 6, 7, 8};
    static const char *const ply[] = {"element face 1\nproperty list uchar int vertex_indices\n"
                                      "element edge 3\nproperty int vertex1\n"
                                      "property int vertex2\nend_header\n"};
    static const char *const vtk[] = {"\nCELLS 3 12\n", "\nCELL_TYPES 3\n"};
    static const char *const glb[] = {
        "\"indices\":2,\"material\":0},{", "\"indices\":3,\"mode\":1,\"material\":0}]",
        "\"count\":6,\"type\":\"SCALAR\"},{", "\"count\":6,\"type\":\"SCALAR\"}]"};
    io_message message;
    mesh m = curves_mesh();
    assert_true(mesh_file_write(&ply_format, &m, temporary_path("m.ply"), NULL, NULL));
    check_holds("m.ply", ply, 1);
    check_end("m.ply", false, edges, 6);
    assert_true(mesh_file_write(&vtk_format, &m, temporary_path("m.vtk"), NULL, NULL));
    check_holds("m.vtk", vtk, 2);
    assert_true(glb_write(&m, temporary_path("m.glb"), NULL, NULL));
    check_holds("m.glb", glb, 4);
    check_end("m.glb", false, edges, 6);
    for (int i = 0; i < 3; i++)
        remove(temporary_path((const char *const[]){"m.ply", "m.vtk", "m.glb"}[i]));
    assert_true(obj_write(&m, temporary_path("m.obj"), NULL, NULL));
    check_file("m.obj", obj, sizeof(obj) - 1);
    assert_false(stl_write(&m, temporary_path("m.stl"), NULL, &message));
    assert_non_null(strstr(message.text, "m.stl: cannot write: this format has no curves"));
    assert_int_equal(temporary_count(), 0);
    mesh_clear(&m);
}

/* Curves alone in VTK: the cells, their types, and nothing else. */
static void test_curves_alone(void **state)
{
    (void)state;
    size_t count;
    mesh m = {.precision = MESH_F32};
    double *p = mesh_add_grid(&m, 3, 1);
    assert_non_null(p);
    memset(p, 0, 9 * sizeof(double));
    assert_true(mesh_file_write(&vtk_format, &m, temporary_path("m.vtk"), NULL, NULL));
    char *bytes = slurp(temporary_path("m.vtk"), &count);
    static const char end[] = "\nCELLS 1 4\n\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\2"
                              "\nCELL_TYPES 1\n\0\0\0\4\n";
    assert_memory_equal(bytes + count - (sizeof(end) - 1), end, sizeof(end) - 1);
    free(bytes);
    remove(temporary_path("m.vtk"));
    mesh_clear(&m);
}

/* A straight curve is a line across the picture of about 4 pixels, from end to end. */
static void test_curve_picture(void **state)
{
    (void)state;
    enum { WIDTH = 240, HEIGHT = 180 };
    raster_view view = RASTER_VIEW_DEFAULT;
    unsigned char *rgba = malloc(4 * WIDTH * HEIGHT);
    mesh m = {.precision = MESH_F32, .has_normals = true};
    double *p = mesh_add_grid(&m, 2, 1);
    assert_non_null(p);
    assert_non_null(rgba);
    memcpy(p, (const double[6]){0, 0, 0, 4, 0, 0}, 6 * sizeof(double));
    view.width = WIDTH;
    view.height = HEIGHT;
    view.has_background = true;
    memset(view.background, 255, 3);
    view.camera.turn = view.camera.tilt = 0;
    assert_true(raster_render(&m, NULL, &view, rgba, NULL));
    size_t drawn = 0, columns = 0;
    for (size_t x = 0; x < WIDTH; x++) {
        size_t column = 0;
        for (size_t y = 0; y < HEIGHT; y++)
            column += rgba[4 * (y * WIDTH + x) + 2] < 128;
        assert_true(column <= 5);
        drawn += column;
        columns += column > 0;
    }
    assert_true(columns > 180 && columns < 220);
    assert_true(drawn > 3 * columns);
    free(rgba);
    mesh_clear(&m);
}

static void test_picture(void **state)
{
    (void)state;
    size_t count;
    mesh m = small_mesh(MESH_F32);
    assert_true(mesh_compute_normals(&m));
    const raster_view view = RASTER_VIEW_DEFAULT;
    assert_true(picture_write(&m, NULL, &view, temporary_path("m.png"), NULL, NULL));
    char *bytes = slurp(temporary_path("m.png"), &count);
    assert_true(count > 1000);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_memory_equal(bytes + 16, "\0\0\x04\xb0\0\0\x03\x84", 8); /* 1200 x 900 */
    free(bytes);
    remove(temporary_path("m.png"));
    mesh_clear(&m);
}

typedef bool (*writer)(const mesh *, const char *, const io_progress *, io_message *);

static bool write_picture(const mesh *m, const char *path, const io_progress *progress,
                          io_message *message)
{
    const raster_view view = RASTER_VIEW_DEFAULT;
    return picture_write(m, NULL, &view, path, progress, message);
}

static bool write_ply(const mesh *m, const char *path, const io_progress *progress,
                      io_message *message)
{
    return mesh_file_write(&ply_format, m, path, progress, message);
}

static bool write_vtk(const mesh *m, const char *path, const io_progress *progress,
                      io_message *message)
{
    return mesh_file_write(&vtk_format, m, path, progress, message);
}

static const writer writers[] = {obj_write, write_ply, write_vtk,
                                 stl_write, glb_write, write_picture};
enum { NUM_WRITERS = sizeof(writers) / sizeof(writers[0]) };

static mesh shaded_mesh(void)
{
    mesh m = small_mesh(MESH_F32);
    assert_true(mesh_compute_normals(&m));
    return m;
}

static void test_no_folder(void **state)
{
    (void)state;
    mesh m = shaded_mesh();
    for (size_t i = 0; i < NUM_WRITERS; i++) {
        io_message message;
        assert_false(writers[i](&m, "/nowhere/m.x", NULL, &message));
        assert_string_equal(message.text, "/nowhere/m.x: cannot write: No such file or directory");
    }
    mesh_clear(&m);
}

static void test_not_a_regular_file(void **state)
{
    (void)state;
    mesh m = shaded_mesh();
    for (size_t i = 0; i < NUM_WRITERS; i++) {
        io_message message;
        assert_false(writers[i](&m, "/dev/null", NULL, &message));
        assert_string_equal(message.text, "/dev/null: cannot write: not a regular file");
        assert_false(writers[i](&m, "/tmp", NULL, &message));
    }
    mesh_clear(&m);
}

/* A folder without the right to write. Root may write anywhere. */
static void test_unwritable_folder(void **state)
{
    (void)state;
    char folder[512], path[600];
    if (geteuid() == 0) skip();
    mesh m = shaded_mesh();
    snprintf(folder, sizeof(folder), "%s", temporary_path("locked"));
    snprintf(path, sizeof(path), "%s/m.obj", folder);
    assert_int_equal(mkdir(folder, 0555), 0);
    for (size_t i = 0; i < NUM_WRITERS; i++) {
        io_message message;
        assert_false(writers[i](&m, path, NULL, &message));
        assert_non_null(strstr(message.text, "Permission denied"));
    }
    assert_int_equal(rmdir(folder), 0);
    mesh_clear(&m);
}

/* Writing fails half-way, as on a full disk: the file that was there stays, and nothing else is
   left. */
static void test_disk_full(void **state)
{
    (void)state;
    struct rlimit before, limit;
    mesh m = {.precision = MESH_F32};
    double *p = mesh_add_grid(&m, 60, 60);
    assert_non_null(p);
    for (size_t i = 0; i < m.num_vertices; i++, p += 3) {
        p[0] = (double)(i % 60) / 7;
        p[1] = (double)(i / 60) / 7;
        p[2] = 0;
    }
    assert_true(mesh_compute_normals(&m));
    temporary_file("m.x", "old", 3);

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (size_t i = 0; i < NUM_WRITERS; i++) {
        io_message message = {""};
        limit = before;
        limit.rlim_cur = 8192;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        bool done = writers[i](&m, temporary_path("m.x"), NULL, &message);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(done);
        assert_non_null(strstr(message.text, "m.x: cannot write: "));
        assert_int_equal(temporary_count(), 1);
    }
    mesh_clear(&m);
    check_file("m.x", "old", 3);
}

/* A file is replaced; through a symbolic link, the file it points to. */
static void test_replace(void **state)
{
    (void)state;
    size_t count;
    char target[512];
    struct stat status;
    mesh m = small_mesh(MESH_F32);
    snprintf(target, sizeof(target), "%s", temporary_file("m.obj", "old", 3));
    assert_int_equal(symlink(target, temporary_path("link.obj")), 0);
    assert_true(obj_write(&m, temporary_path("link.obj"), NULL, NULL));
    assert_int_equal(lstat(temporary_path("link.obj"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    char *bytes = slurp(target, &count);
    assert_memory_equal(bytes, "# written", 9);
    free(bytes);
    remove(temporary_path("link.obj"));
    remove(temporary_path("m.obj"));
    assert_int_equal(temporary_count(), 0);
    mesh_clear(&m);
}

static mode_t mode_of(const char *name)
{
    struct stat status;
    assert_int_equal(stat(temporary_path(name), &status), 0);
    return status.st_mode & 07777;
}

/* A file keeps its rights when it is replaced; a new one has those of the umask. */
static void test_mode(void **state)
{
    static const mode_t modes[] = {0600, 0644, 0660, 0755};
    (void)state;
    mesh m = small_mesh(MESH_F32);
    mode_t before = umask(027);
    assert_true(obj_write(&m, temporary_path("m.obj"), NULL, NULL));
    assert_int_equal(mode_of("m.obj"), 0640);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        assert_int_equal(chmod(temporary_path("m.obj"), modes[i]), 0);
        assert_true(obj_write(&m, temporary_path("m.obj"), NULL, NULL));
        assert_int_equal(mode_of("m.obj"), modes[i]);
    }
    umask(before);
    remove(temporary_path("m.obj"));
    mesh_clear(&m);
}

/* A file that the user may not write stays. Root may write any. */
static void test_read_only(void **state)
{
    (void)state;
    if (geteuid() == 0) skip();
    mesh m = shaded_mesh();
    assert_int_equal(chmod(temporary_file("m.x", "old", 3), 0444), 0);
    for (size_t i = 0; i < 4; i++) {
        io_message message;
        assert_false(writers[i](&m, temporary_path("m.x"), NULL, &message));
        assert_non_null(strstr(message.text, "m.x: cannot write: Permission denied"));
    }
    check_file("m.x", "old", 3);
    mesh_clear(&m);
}

/* What a killed run left in the folder is removed; not what a run still holds, nor anything else
   that only has such a name. */
static void test_leftovers(void **state)
{
    static const char *const others[] = {".clspline-12-0.tmp.obj", ".clspline-x-0.tmp",
                                         "clspline-12-0.tmp"};
    (void)state;
    output out, second;
    temporary_file(".clspline-4711-0.tmp", "half", 4);
    temporary_file(".clspline-4711-1.tmp", "half", 4);
    assert_true(output_open(&out, temporary_path("m.obj"), NULL));
    assert_int_equal(temporary_count(), 1);
    assert_true(output_open(&second, temporary_path("n.obj"), NULL));
    assert_int_equal(temporary_count(), 2);
    assert_true(output_close(&second, true));
    assert_true(output_close(&out, true));
    for (size_t i = 0; i < 3; i++)
        temporary_file(others[i], "other", 5);
    assert_int_equal(symlink("m.obj", temporary_path(".clspline-4711-2.tmp")), 0);
    assert_true(output_open(&out, temporary_path("m.obj"), NULL));
    output_close(&out, false);
    assert_int_equal(temporary_count(), 6);
    for (size_t i = 0; i < 3; i++)
        remove(temporary_path(others[i]));
    remove(temporary_path(".clspline-4711-2.tmp"));
    remove(temporary_path("m.obj"));
    remove(temporary_path("n.obj"));
}

/* A new file is no longer its run's while another one has locked it to remove it, and then. */
static void test_held(void **state)
{
    (void)state;
    const char *const path = temporary_file("held", "x", 1);
    const int own = open(path, O_RDWR), other = open(path, O_RDWR);
    assert_true(own >= 0 && other >= 0);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), 0);
    assert_false(leftover_hold(own));
    close(other);
    assert_true(leftover_hold(own));
    remove(path);
    assert_false(leftover_hold(own));
    close(own);
}

/* Ends a process as a signal does, with an output open or without. */
static void end_in_a_child(bool is_open)
{
    output out;
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool done = !is_open || (output_open(&out, temporary_path("m.obj"), NULL) &&
                                       temporary_count() == 1);
        output_end();
        _exit(done ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(temporary_count(), 0);
}

static void test_interrupted(void **state)
{
    (void)state;
    end_in_a_child(false);
    end_in_a_child(true);
}

static void end_by_handler(int number)
{
    (void)number;
    output_end();
    _exit(0);
}

/* Opens outputs again and again, until a handler of SIGPIPE ends it. */
static void open_for_good(void)
{
    output out;
    signal(SIGPIPE, end_by_handler);
    alarm(20); /* it hangs */
    while (output_open(&out, temporary_path("m.obj"), NULL))
        output_close(&out, false);
    _exit(1);
}

/* A signal that comes to the thread that opens or closes an output, whenever that is. */
static void test_interrupted_by_handler(void **state)
{
    enum { CHILDREN = 100 };
    (void)state;
    for (int i = 0; i < CHILDREN; i++) {
        int status;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) open_for_good();
        nanosleep(&(struct timespec){.tv_nsec = 1000000 + 37000L * i}, NULL);
        kill(child, SIGPIPE);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true((WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
                    (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)); /* before the handler */
        assert_int_equal(temporary_count(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_obj),
        cmocka_unit_test(test_obj_digits_and_normals),
        cmocka_unit_test(test_ply),
        cmocka_unit_test(test_ply_long_face),
        cmocka_unit_test(test_vtk),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_curves_alone),
        cmocka_unit_test(test_curve_picture),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_no_folder),
        cmocka_unit_test(test_not_a_regular_file),
        cmocka_unit_test(test_unwritable_folder),
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_mode),
        cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_interrupted),
        cmocka_unit_test(test_interrupted_by_handler),
    };
    return cmocka_run_group_tests_name("writers", tests, temporary_setup, temporary_teardown);
}
