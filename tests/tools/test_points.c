/* Points from files, and nearest points into them: what is taken, what is refused in which words,
   and the bytes that are written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest_file.h"
#include "point_file.h"
#include "temporary.h"

enum { MOST = 64 };

static const char *asked; /* of columns; NULL: none */

/* Reads all points of a file of these bytes, `each` at a time; the message of a failure begins
   behind the folder's name. */
static size_t read_file(const char *name, const void *bytes, size_t count, uint32_t dim,
                        size_t each, double *points, char *failure)
{
    static point_file f; /* with buffers */
    io_message message = {""};
    const char *path = temporary_file(name, bytes, count);
    const size_t folder = strlen(path) - strlen(name);
    size_t num = 0, found;
    failure[0] = 0;
    if (point_file_open(&f, path, dim, asked, &message)) {
        while (num + each <= MOST && (found = point_file_read(&f, points + num * dim, each)) > 0)
            num += found;
        assert_true(f.failed == (message.text[0] != 0));
        assert_true(point_file_fraction(&f) >= 0 && point_file_fraction(&f) <= 1);
        if (!f.failed) assert_true(f.taken == num);
        point_file_close(&f);
    }
    if (message.text[0]) strcpy(failure, message.text + folder);
    return num;
}

static void check_points(const char *name, const void *bytes, size_t count, uint32_t dim,
                         const double *expected, size_t num)
{
    for (size_t each = 1; each <= 5; each += 2) {
        double points[MOST * 4];
        char failure[4700];
        const size_t found = read_file(name, bytes, count, dim, each, points, failure);
        if (failure[0]) fail_msg("%s", failure);
        assert_int_equal(found, num);
        for (size_t i = 0; i < num * dim; i++)
            assert_true(points[i] == expected[i] || (isnan(points[i]) && isnan(expected[i])));
    }
}

static void check_text(const char *name, const char *text, uint32_t dim, const double *expected,
                       size_t num)
{
    check_points(name, text, strlen(text), dim, expected, num);
}

static void refused_bytes(const char *name, const void *bytes, size_t count, uint32_t dim,
                          const char *expected)
{
    double points[MOST * 4];
    char failure[4700];
    read_file(name, bytes, count, dim, 1, points, failure);
    assert_string_equal(failure, expected);
}

static void refused(const char *name, const char *text, uint32_t dim, const char *expected)
{
    refused_bytes(name, text, strlen(text), dim, expected);
}

/* ---- text ---- */

static void test_csv(void **state)
{
    (void)state;
    const double three[6] = {1, 2.5, -3e-2, 4, 5, 6}, special[4] = {NAN, 1, INFINITY, -INFINITY};
    static const char *const texts[] = {"1,2.5,-3e-2\n4,5,6\n",
                                        "x,y,z\n1,2.5,-3e-2\n4,5,6",
                                        "1;2.5;-3e-2\r\n4;5;6\r\n",
                                        "1 2.5\t-3e-2\n\n4 5 6\n",
                                        "# a,b\n1 , 2.5 , -3e-2 # c\n4,5,6\n",
                                        "\xef\xbb\xbfX Y Z\n1,2.5,-3e-2\n4,5,6",
                                        "a;b;c\n1,2.5,-3e-2\n\n\n4,5,6\n",
                                        "info\n1,2.5,-3e-2\n4,5,6\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        check_text("t.csv", texts[i], 3, three, 2);
    check_text("t.txt", "nan,1\ninf,-inf\n", 2, special, 2);
    check_text("t.csv", "7\n8\n", 1, (const double[2]){7, 8}, 2);
    check_text("t.csv", "", 3, NULL, 0);
    check_text("t.csv", "x,y,z\n", 3, NULL, 0);
}

/* Puts row i into a text, as its number tells: plain, with white space, quotes or a comment, an
   exponent as Fortran writes it, or a CR. */
static void put_row(char *text, size_t size, size_t i)
{
    static const char *const forms[] = {"%d.%d,-%d\n",     " %d.%d ,\t-%d \n",  "%d.%d,-%d\r\n",
                                        "\"%d.%d\",-%d\n", "%d.%d,-%d # 1,2\n", "%d.%d,-%dD0\n",
                                        "\n%d.%d,-%d\n",   "%de-0,-%d.%d\n"};
    const int x = (int)(i * 7919 % 100003), part = (int)(i % 97), y = (int)(i * i % 100019);
    const size_t form = i % 3 ? 0 : i / 3 % 8;

    if (form == 7)
        snprintf(text, size, forms[7], x, y, part);
    else
        snprintf(text, size, forms[form], x, part, y);
}

/* What put_row has put, by strtod. */
static void row_of(size_t i, double point[2])
{
    char text[64];
    const bool turned = i % 3 == 0 && i / 3 % 8 == 7;
    const int x = (int)(i * 7919 % 100003), part = (int)(i % 97), y = (int)(i * i % 100019);

    snprintf(text, sizeof text, "%d.%d", turned ? y : x, part);
    point[turned] = turned ? -strtod(text, NULL) : strtod(text, NULL);
    point[!turned] = turned ? x : -y;
}

/* A file of many times the buffer's size, whose rows end anywhere in it, and the line of what is
   wrong at its end. */
static void test_many_rows(void **state)
{
    enum { ROWS = 40000 };
    static point_file f;
    static char text[ROWS * 32];
    io_message message = {""};
    size_t length = 0, line = 1;
    double point[2], expected[2];

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        put_row(text + length, sizeof text - length, i);
        for (; text[length]; length++)
            line += text[length] == '\n';
    }
    strcpy(text + length, "1,2,3\n");
    const char *path = temporary_file("t.csv", text, length + 6);
    assert_true(point_file_open(&f, path, 2, NULL, &message));
    for (size_t i = 0; i < ROWS; i++) {
        assert_true(point_file_read(&f, point, 1) == 1);
        row_of(i, expected);
        if (point[0] != expected[0] || point[1] != expected[1])
            fail_msg("row %zu: %.17g %.17g instead of %.17g %.17g", i, point[0], point[1],
                     expected[0], expected[1]);
    }
    assert_true(point_file_read(&f, point, 1) == 0 && f.failed);
    snprintf(text, sizeof text, "t.csv:%zu: more numbers than the 2 coordinates", line);
    assert_non_null(strstr(message.text, text));
    point_file_close(&f);
}

static void test_csv_refused(void **state)
{
    (void)state;
    refused("t.csv", "1,2,3\n4,5\n", 3, "t.csv:2: 2 numbers where points have 3 coordinates");
    refused("t.csv", "1,2,3\n4", 3, "t.csv:2: 1 number where points have 3 coordinates");
    refused("t.csv", "1,2,3,4\n", 3,
            "t.csv:1: more numbers than the 3 coordinates of a point; --columns chooses");
    refused("t.csv", "1,,3\n", 3, "t.csv:1: an empty field");
    refused("t.csv", "1,2,3\n,4,5,6\n", 3, "t.csv:2: an empty field");
    refused("t.csv", "1,2,3,\n4,5,6\n", 3, "t.csv:1: an empty field");
    refused("t.csv", "1,2,3,", 3, "t.csv:1: an empty field");
    refused("t.csv", ",1,2", 2, "t.csv:1: an empty field");
    refused("t.csv", "1,2 3\n", 3, "t.csv:1: a separator is missing");
    refused("t.csv", "1,2,3\n4;5;6\n", 3, "t.csv:2: '4;5;6' where a coordinate was expected");
    refused("t.csv", "1,2,3\n4,x,6\n", 3, "t.csv:2: 'x' where a coordinate was expected");
    refused("t.csv", "1,2,3\nx,y,z\n", 3, "t.csv:2: 'x' where a coordinate was expected");
    refused("t.csv", "1.2.3,2,3\n", 3, "t.csv:1: '1.2.3' where a coordinate was expected");
    refused("t.csv", "1,0x10,3\n", 3, "t.csv:1: '0x10' where a coordinate was expected");
    refused_bytes("t.csv", "1,2\0,3\n", 7, 3, "t.csv:1: zero byte: this is not a text file");
}

/* A heading says which column is which. */
static void test_headings(void **state)
{
    (void)state;
    const double two[4] = {1, 2, 3, 4}, three[6] = {1, 2, 3, 4, 5, 6};
    static const char *const pairs[] = {"y,x\n2,1\n4,3\n",
                                        "\"Y\",\"X\"\n2,1\n4,3\n",
                                        "y x\n2 1\n4 3\n",
                                        "name;Y [mm];X (mm)\n;2;1\nb;4;3\n",
                                        "pos_y,id,pos_x\n2,7,1\n4,,3\n",
                                        "x,x_error,y,y_error\n1,.1,2,.1\n3,.1,4,.1\n",
                                        "# y x\n2 1\n4 3\n",
                                        "// made by hand\n# t,y,x\n0,2,1\n0,4,3\n",
                                        "# the x y plane\n1 2\n3 4\n",
                                        "east,north\n1,2\n3,4\n"};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        check_text("t.csv", pairs[i], 2, two, 2);
    check_text("t.csv", "z,note,y,x\n3,\"a, b\",2,1\n6,\"c \"\"d\"\"\nand e\",5,4\n", 3, three, 2);
    check_text("t.csv", "query,curve,parameter,x,y,z,status\n0,7,.5,1,2,3,cut\n1,7,.5,4,5,6,off\n",
               3, three, 2);
    check_text("t.xyz", "Z Y X\n3 2 1\n6 5 4\n", 3, three, 2);
}

static void test_headings_refused(void **state)
{
    (void)state;
    refused("t.csv", "x,y,z\n1,2,3\n", 2,
            "t.csv:1: the heading has z, which points have not: --columns chooses");
    refused("t.csv", "z,x\n1,2\n", 2,
            "t.csv:1: the heading has x, out of place, and not all others: --columns chooses");
    refused("t.csv", "x,X,y\n1,2,3\n", 2,
            "t.csv:1: the heading has x, more than once: --columns chooses");
    refused("t.csv", "\"x\",\"y\"\n\"1\",2,3\n", 2, "t.csv:2: 3 fields where the heading has 2");
    refused("t.csv", "x,y,n\n1,2\n", 2, "t.csv:2: 2 fields where the heading has 3");
    refused("t.csv", "x,y\nmm,mm\n1,2\n", 2, "t.csv:2: 'mm' where a coordinate was expected");
    refused("t.csv", "y,x\n1,\n", 2, "t.csv:2: an empty field");
    refused("t.csv", "l,2,3\n4,5,6\n", 3, "t.csv:1: 'l' where a coordinate was expected");
}

/* Columns that are asked for by name or number. */
static void test_columns(void **state)
{
    (void)state;
    const double two[4] = {1, 2, 3, 4};
    static const struct {
        const char *asked, *text;
    } cases[] = {{"u,v", "v,u\n2,1\n4,3\n"},
                 {"u, long name ", "a,long name,u\n,2,1\n?,4,3\n"},
                 {"2,1", "2,1\n4,3\n"},
                 {"3,2", "p1,2,1,9,9\np2,4,3,9\n"},
                 {"3,1", "2;label;1 # c\n4;other;3\n"},
                 {"1,2", "x,y,z\n1,2,0\n3,4,0\n"},
                 {"v,2", "v,x\n1,2\n3,4\n"},
                 {"v,u", "# u v\n2 1\n4 3\n"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        asked = cases[i].asked;
        check_text("t.csv", cases[i].text, 2, two, 2);
    }
    asked = NULL;
}

static void refused_columns(const char *columns, const char *text, const char *expected)
{
    double points[MOST * 4];
    char failure[4700] = "";
    static point_file f;
    io_message message = {""};
    asked = columns;
    if (strncmp(expected, "--", 2) == 0) {
        assert_false(point_file_open(&f, "nowhere", 2, asked, &message));
        assert_string_equal(message.text, expected);
    } else {
        read_file("t.csv", text, strlen(text), 2, 1, points, failure);
        assert_string_equal(failure, expected);
    }
    asked = NULL;
}

static void test_columns_refused(void **state)
{
    (void)state;
    refused_columns("x", "", "--columns: 1 column where points have 2 coordinates");
    refused_columns("x,y,z", "", "--columns: 3 columns where points have 2 coordinates");
    refused_columns("x,", "", "--columns: a name is missing");
    refused_columns("u,w", "u,v\n1,2\n", "t.csv:1: the heading has no column 'w'");
    refused_columns("u,v", "u,v,u\n1,2,3\n", "t.csv:1: the heading has more than one column 'u'");
    refused_columns("u,v", "1,2\n", "t.csv: there is no heading with a column 'u'");
    refused_columns("1,3", "1,2\n", "t.csv: there is no column 3 of 2");
    refused_columns("1,3", "1,2,3\n4,5\n", "t.csv:2: 2 fields where column 3 was expected");
    refused_columns("1,2", "1,b\n", "t.csv:1: 'b' where a coordinate was expected");
}

/* Quotes, and numbers as Fortran writes them. */
static void test_quotes(void **state)
{
    (void)state;
    const double two[4] = {1000, -2.5, 3, 0.25};
    check_text("t.csv", "1.0D+03,-2.5d0\n\"3\", \"2.5D-1\" \n", 2, two, 2);
    check_text("t.csv", "\"a\" \"b\"\n\"1e3\" -2.5\n3 \"0.25\"\n", 2, two, 2);
    refused("t.csv", "1,\"2\n3,4\n", 2, "t.csv:1: a quote that does not end");
    refused("t.csv", "1,\"2\"3\n", 2, "t.csv:1: something behind a field in quotes");
    refused("t.csv", "1,\"2 3\"\n", 2, "t.csv:1: a separator is missing");
    refused("t.csv", "1,1.0D\n", 2, "t.csv:1: '1.0D' where a coordinate was expected");
    refused("t.csv", "1,1.0E1D1\n", 2, "t.csv:1: '1.0E1D1' where a coordinate was expected");
    refused("t.csv", "1,1.5-101\n", 2, "t.csv:1: '1.5-101' where a coordinate was expected");
}

/* Counts and lists of other formats are no points. */
static void test_foreign(void **state)
{
    (void)state;
    refused("t.csv", "OFF\n3 1 0\n0 0 0\n", 3,
            "t.csv: an OFF file; convert it to CSV, .xyz or .ply");
    refused("t.csv", "\x1f\x8b\b\b", 3,
            "t.csv: a file compressed by gzip; unpack it, as by gunzip -c FILE | clspline .. -");
}

static void test_xyz(void **state)
{
    (void)state;
    const double points[6] = {1, 2, 3, 4, 5, 6};
    check_text("t.xyz", "1 2 3 255 0 0\n4 5 6 # a point\n", 3, points, 2);
    check_text("t.XYZ", "1\t2\t3 red\n\n4 5 6", 3, points, 2);
    refused("t.xyz", "1 2\n", 3, "t.xyz:1: 2 numbers where points have 3 coordinates");
    refused("t.xyz", "1 2 3\n", 2, "t.xyz: points of an .xyz file have 3 coordinates, not 2");
}

/* ---- .npy ---- */

typedef struct bytes {
    unsigned char data[4096];
    size_t count;
} bytes;

/* A file of a version with a header, as NumPy pads it, and numbers behind it. */
static bytes make_npy(int version, const char *header, const void *numbers, size_t count)
{
    bytes b = {.count = 0};
    const size_t prefix = version == 1 ? 10 : 12;
    const size_t length = (strlen(header) + prefix + 64) / 64 * 64 - prefix;
    memcpy(b.data, "\x93NUMPY", 6);
    b.data[6] = (unsigned char)version;
    b.data[8] = length & 0xff;
    b.data[9] = (unsigned char)(length >> 8);
    memset(b.data + prefix, ' ', length);
    memcpy(b.data + prefix, header, strlen(header));
    b.data[prefix + length - 1] = '\n';
    b.count = prefix + length;
    if (count > 0) memcpy(b.data + b.count, numbers, count);
    b.count += count;
    return b;
}

static void test_npy(void **state)
{
    (void)state;
    const double f64[6] = {1, -2, 1e300, 4, NAN, 6}, single[6] = {1, -2, 0.5, 4, 5, 6};
    const float f32[6] = {1, -2, 0.5f, 4, 5, 6};
    for (int version = 1; version <= 3; version++) {
        bytes b = make_npy(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
                           f64, 48);
        check_points("t.npy", b.data, b.count, 3, f64, 2);
        check_points("t.csv", b.data, b.count, 3, f64, 2); /* known by how it begins */
        b = make_npy(version, "{\"shape\":(3,2),\"descr\":\"<f4\",\"fortran_order\":False}", f32,
                     24);
        check_points("t.npy", b.data, b.count, 2, single, 3);
        b = make_npy(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }", f64, 48);
        check_points("t.npy", b.data, b.count, 1, f64, 6);
        b = make_npy(version, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }", f64,
                     0);
        check_points("t.npy", b.data, b.count, 3, f64, 0);
    }
}

#define KEYS(DESCR, ORDER, SHAPE)                                                                  \
    "{'descr': " DESCR ", 'fortran_order': " ORDER ", 'shape': " SHAPE ", }"

/* Two points of two numbers each in every type, by their bytes: 0, 1, 2, 3 where not told. */
static void test_npy_types(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        unsigned char numbers[32];
        double values[4];
    } cases[] = {
        {"|u1", {0, 1, 2, 255}, {0, 1, 2, 255}},
        {"|i1", {0, 1, 128, 255}, {0, 1, -128, -1}},
        {"<u2", {0, 0, 1, 0, 2, 0, 255, 255}, {0, 1, 2, 65535}},
        {">i2", {0, 0, 0, 1, 128, 0, 255, 255}, {0, 1, -32768, -1}},
        {"<i4",
         {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 128, 254, 255, 255, 255},
         {0, 1, -2147483648., -2}},
        {">u4", {0, 0, 0, 0, 0, 0, 0, 1, 255, 255, 255, 255, 0, 0, 1, 0}, {0, 1, 4294967295., 256}},
        {"<i8",
         {0,   0,   0,   0,   0,   0,   0,   128, 1, 0, 0, 0, 0, 0, 0, 0,
          255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 1, 0, 0, 0},
         {-9223372036854775808., 1, -1, 4294967296.}},
        {">u8",
         {255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 1},
         {18446744073709551616., 1, 0, 0}},
        {"<f2", {0, 60, 0, 192, 1, 0, 255, 123}, {1, -2, 0x1p-24, 65504}},
        {">f2", {60, 1, 124, 0, 252, 0, 126, 0}, {1.0009765625, INFINITY, -INFINITY, NAN}},
        {">f4", {63, 128, 0, 0, 192, 0, 0, 0, 0, 0, 0, 0, 127, 128, 0, 0}, {1, -2, 0, INFINITY}},
        {">f8",
         {63, 240, 0, 0, 0, 0, 0, 0, 192, 0, 0, 0, 0, 0, 0, 1},
         {1, -0x1.0000000000001p1, 0, 0}}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char header[128];
        const size_t bytes_each = (size_t)(cases[i].type[2] - '0');
        snprintf(header, sizeof(header), KEYS("'%s'", "False", "(2, 2)"), cases[i].type);
        const bytes b = make_npy(1, header, cases[i].numbers, 4 * bytes_each);
        check_points("t.npy", b.data, b.count, 2, cases[i].values, 2);
    }
}

/* Columns that follow one another, and some of many columns. */
static void test_npy_columns(void **state)
{
    (void)state;
    static const double numbers[6] = {1, 2, 3, 4, 5, 6};
    bytes b = make_npy(1, KEYS("'<f8'", "True", "(3, 2)"), numbers, sizeof(numbers));
    check_points("t.npy", b.data, b.count, 2, (const double[6]){1, 4, 2, 5, 3, 6}, 3);
    asked = "2,1";
    check_points("t.npy", b.data, b.count, 2, (const double[6]){4, 1, 5, 2, 6, 3}, 3);
    asked = "3,1";
    b = make_npy(1, KEYS("'<f8'", "False", "(2, 3)"), numbers, sizeof(numbers));
    check_points("t.npy", b.data, b.count, 2, (const double[4]){3, 1, 6, 4}, 2);
    asked = "3";
    check_points("t.npy", b.data, b.count, 1, (const double[2]){3, 6}, 2);
    asked = "4";
    double points[MOST];
    char failure[4700];
    read_file("t.npy", b.data, b.count, 1, 1, points, failure);
    assert_string_equal(failure, "t.npy: there is no column 4 of 3");
    asked = "x";
    read_file("t.npy", b.data, b.count, 1, 1, points, failure);
    assert_string_equal(failure, "t.npy: there is no heading with a column 'x'");
    asked = NULL;
}

static void npy_refused(const char *header, const char *expected)
{
    static const double numbers[6] = {0};
    const bytes b = make_npy(1, header, numbers, sizeof(numbers));
    refused_bytes("t.npy", b.data, b.count, 3, expected);
}

static void test_npy_refused(void **state)
{
    (void)state;
    npy_refused(KEYS("'|O'", "False", "(2, 3)"),
                "t.npy: offset 20: numbers of type '|O' are not read (integers of 1 to 8 bytes, "
                "'f2', 'f4' and 'f8' are)");
    npy_refused(KEYS("'<c8'", "False", "(2, 3)"),
                "t.npy: offset 20: numbers of type '<c8' are not read (integers of 1 to 8 bytes, "
                "'f2', 'f4' and 'f8' are)");
    npy_refused(KEYS("'f8'", "False", "(2, 3)"),
                "t.npy: offset 20: numbers of type 'f8' are not read (integers of 1 to 8 bytes, "
                "'f2', 'f4' and 'f8' are)");
    npy_refused(KEYS("[('x', '<f8')]", "False", "(2, 3)"),
                "t.npy: offset 20: arrays of records are not read, save numpy.column_stack of "
                "their fields");
    npy_refused(KEYS("'<f8'", "No", "(2, 3)"), "t.npy: offset 44: True or False was expected");
}

static void test_npy_shapes(void **state)
{
    (void)state;
    npy_refused(KEYS("'<f8'", "False", "(3, 2)"), "t.npy: an array of shape (3, 2), not (N, 3)");
    npy_refused(KEYS("'<f8'", "False", "(6,)"), "t.npy: an array of shape (6,), not (N, 3)");
    npy_refused(KEYS("'<f8'", "False", "()"), "t.npy: an array of shape (), not (N, 3)");
    npy_refused(KEYS("'<f8'", "False", "(3, 3)"),
                "t.npy: the file is too short for its array of shape (3, 3)");
    npy_refused(KEYS("'<f8'", "False", "(999999999999999999, 3)"),
                "t.npy: the file is too short for its array of shape (999999999999999999, 3)");
    npy_refused(KEYS("'<f8'", "False", "(9999999999999999999, 3)"),
                "t.npy: offset 61: a length was expected");
    npy_refused(KEYS("'<f8'", "False", "(-1, 3)"), "t.npy: offset 61: a length was expected");
    npy_refused(KEYS("'<f8'", "False", "(1,1,1,1,1,1,1,1,1)"),
                "t.npy: offset 77: too many dimensions");
    npy_refused(KEYS("'<f8'", "False", "2, 3"),
                "t.npy: offset 60: the shape, a tuple, was expected");
}

static void test_npy_grammar(void **state)
{
    (void)state;
    npy_refused("{'descr': '<f8', 'shape': (2, 3), }",
                "t.npy: offset 64: a header without 'descr', 'fortran_order' or 'shape'");
    npy_refused("{'descr': '<f8', 'more': 1}", "t.npy: offset 34: a key that is not known");
    npy_refused("{'descr': '<f8}", "t.npy: offset 20: a string that does not end");
    npy_refused("{'descr' '<f8'}", "t.npy: offset 19: ':' was expected");
    npy_refused("{'descr': '<f8' 'shape': (2, 3)}", "t.npy: offset 26: ',' or '}' was expected");
    npy_refused("['descr']", "t.npy: offset 10: a dictionary was expected");
    npy_refused(KEYS("'<f8'", "False", "(2, 3)") "x",
                "t.npy: offset 69: the header goes on behind its end");
}

static void test_npy_damaged(void **state)
{
    (void)state;
    static const double numbers[6] = {0};
    bytes b = make_npy(1, KEYS("'<f8'", "False", "(2, 3)"), numbers, sizeof(numbers));
    refused("t.npy", "", 3, "t.npy: offset 0: this is no .npy file");
    refused("t.npy", "1,2,3\n", 3, "t.npy: offset 0: this is no .npy file");
    refused_bytes("t.npy", b.data, 9, 3, "t.npy: offset 9: the file ends within its header");
    refused_bytes("t.npy", b.data, 40, 3, "t.npy: offset 40: the file ends within its header");
    b.data[30] = 0;
    refused_bytes("t.npy", b.data, b.count, 3, "t.npy: offset 30: a zero byte within the header");
    b.data[6] = 4;
    refused_bytes("t.npy", b.data, b.count, 3,
                  "t.npy: offset 6: a version that is not read (1, 2 and 3 are)");
    b = make_npy(2, KEYS("'<f8'", "False", "(2, 3)"), numbers, sizeof(numbers));
    b.data[10] = 1;
    refused_bytes("t.npy", b.data, b.count, 3, "t.npy: offset 12: a header above 65536 bytes");
}

/* Every byte of a good header replaced in turn by others: an error or points, never a fault. */
static void test_npy_changed_bytes(void **state)
{
    (void)state;
    static const double numbers[6] = {0};
    static const char others[] = {0, '\'', '"', '9', '(', ')', ',', ' ', '{', '}', ':', (char)0xff};
    const bytes good = make_npy(1, KEYS("'<f8'", "False", "(2, 3)"), numbers, sizeof(numbers));
    for (size_t i = 0; i < 80; i++) {
        for (size_t k = 0; k < sizeof(others); k++) {
            bytes b = good;
            double points[MOST * 4];
            char failure[4700];
            b.data[i] = (unsigned char)others[k];
            read_file("t.npy", b.data, b.count, 3, 1, points, failure);
        }
    }
}

/* ---- .ply ---- */

#define PLY_XYZ "property float x\nproperty float y\nproperty float z\n"

static void test_ply_ascii(void **state)
{
    (void)state;
    const double two[6] = {1, 2.5, -3, 4, NAN, 6};
    check_text("t.ply",
               "ply\nformat ascii 1.0\nelement vertex 2\n" PLY_XYZ
               "end_header\n1 2.5 -3\n4 nan 6\n",
               3, two, 2);
    check_text("t.ply",
               "ply\r\nformat ascii 1.0\r\ncomment property int z\r\nelement vertex 2\r\n"
               "property uchar red\r\nproperty double z\r\nproperty int x\r\n"
               "property float32 y\r\nelement face 1\r\n"
               "property list uchar int vertex_indices\r\nend_header\r\n"
               "7 -3 1 2.5\r\n7 6 4 nan\r\n3 0 1 1\r\n",
               3, two, 2);
    check_text("t.txt",
               "ply\nformat ascii 1.0\nobj_info a b\nelement odd 2\n"
               "property list uchar float a\nproperty char b\nelement vertex 2\n" PLY_XYZ
               "end_header\n2 8 9 -1\n0 5\n1 2.5 -3 4 nan 6\n",
               3, two, 2);
    check_text("t.ply", "ply\nformat ascii 1.0\nelement vertex 0\n" PLY_XYZ "end_header\n", 3, NULL,
               0);
    check_text("t.ply",
               "ply\nformat ascii 1.0\nelement vertex 1\n" PLY_XYZ "end_header\n1 2.5 -3\n", 2, two,
               1);
}

/* Appends the bytes of a number of so many bytes, the highest first where it is big. */
static size_t put_bytes(unsigned char *to, uint64_t bits, size_t count, bool is_big)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (unsigned char)(bits >> 8 * (is_big ? count - 1 - i : i));
    return count;
}

/* Makes a binary file: an element with lists, then 2000 vertices (n, -2, n / 8) of mixed types. */
static size_t make_ply(unsigned char *to, bool is_big)
{
    size_t n = (size_t)sprintf((char *)to,
                               "ply\nformat binary_%s_endian 1.0\nelement odd 1\n"
                               "property list ushort short a\nelement vertex 2000\n"
                               "property ushort x\nproperty uchar red\nproperty short y\n"
                               "property double z\nend_header\n",
                               is_big ? "big" : "little");
    n += put_bytes(to + n, 3, 2, is_big);
    n += put_bytes(to + n, 0x0a0d00, 6, is_big);
    for (uint64_t i = 0; i < 2000; i++) {
        const double z = (double)i / 8;
        uint64_t bits;
        memcpy(&bits, &z, sizeof bits);
        n += put_bytes(to + n, i, 2, is_big);
        n += put_bytes(to + n, 0, 1, is_big);
        n += put_bytes(to + n, 0xfffe, 2, is_big);
        n += put_bytes(to + n, bits, 8, is_big);
    }
    return n;
}

static void test_ply_binary(void **state)
{
    static unsigned char file[40000];
    static double points[2000 * 3];
    static point_file f;
    io_message message = {""};

    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        const size_t count = make_ply(file, is_big);
        const char *path = temporary_file("t.ply", file, count);
        assert_true(point_file_open(&f, path, 3, NULL, &message));
        assert_true(f.num == 2000);
        assert_true(point_file_read(&f, points, 1999) == 1999);
        assert_true(point_file_read(&f, points + 1999 * 3, 1999) == 1);
        assert_true(point_file_read(&f, points, 1) == 0 && !f.failed);
        point_file_close(&f);
        for (size_t i = 0; i < 2000; i++) {
            assert_true(points[3 * i] == (double)i && points[3 * i + 1] == -2);
            assert_true(points[3 * i + 2] == (double)i / 8);
        }
        refused_bytes("t.ply", file, 300, 3,
                      "t.ply:11: the file is too short for its 2000 vertices");
    }
}

static void test_ply_refused(void **state)
{
    (void)state;
#define HEAD "ply\nformat ascii 1.0\n"
    refused(
        "t.ply", "ply\nformat ascii2 1.0\n", 3,
        "t.ply:2: 'ascii2' where ascii, binary_little_endian or binary_big_endian was expected");
    refused("t.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n", 3,
            "t.ply:5: the file ends where the end of the header was expected");
    refused("t.ply", "ply\nelement vertex 1\n" PLY_XYZ "end_header\n1 2 3\n", 3,
            "t.ply:7: a header without a format");
    refused("t.ply", HEAD "element face 1\nend_header\n", 3, "t.ply:5: a file without vertices");
    refused("t.ply", HEAD "element vertex 1\nproperty float x\nproperty float z\nend_header\n1 2\n",
            3, "t.ply:7: vertices without y where points have 3 coordinates");
    refused("t.ply", HEAD "element vertex 1\nproperty float x\nproperty float x\n", 3,
            "t.ply:5: vertices have two x");
    refused("t.ply", HEAD "element vertex 1\nproperty list uchar int x\nend_header\n", 3,
            "t.ply:4: vertices that have lists are not read");
    refused("t.ply", HEAD "element vertex 1\nproperty half x\n", 3,
            "t.ply:4: 'half' where the type of a property was expected");
    refused("t.ply", HEAD "element vertex -1\n", 3,
            "t.ply:3: '-1' where how many there are of an element was expected");
    refused("t.ply", HEAD "property float x\n", 3,
            "t.ply:3: 'property' where a line of a header was expected");
    refused("t.ply", HEAD "element a 1\nproperty list float int b\nelement vertex 0\n", 3,
            "t.ply:4: 'float' where whole numbers for the length of a list was expected");
    refused("t.ply", HEAD "element vertex 9\n" PLY_XYZ "end_header\n1 2 3 4\n", 3,
            "t.ply:8: the file is too short for its 9 vertices");
    refused("t.ply", HEAD "element vertex 1\n" PLY_XYZ "end_header\n1 b 333333\n", 3,
            "t.ply:8: 'b' where a number of a vertex was expected");
    refused("t.ply",
            HEAD "element odd 1\nproperty list int int a\nelement vertex 0\n" PLY_XYZ
                 "end_header\n-1\n",
            3, "t.ply:10: a list of -1 numbers");
#undef HEAD
    asked = "x,y,z";
    refused("t.ply", "ply\nformat ascii 1.0\n", 3,
            "t.ply: the coordinates of a .ply file have names: --columns is of CSV and .npy");
    asked = NULL;
}

/* Every byte of a good header replaced in turn by others: an error or points, never a fault. */
static void test_ply_changed_bytes(void **state)
{
    static unsigned char good[40000], changed[40000];
    static const char others[] = {0, '0', '9', ' ', '\n', 'x', 'l', (char)0xff};
    static double points[MOST * 4];

    (void)state;
    const size_t count = make_ply(good, false);
    for (size_t i = 3; i < 200; i++) {
        for (size_t k = 0; k < sizeof(others); k++) {
            memcpy(changed, good, count);
            changed[i] = (unsigned char)others[k];
            static point_file f;
            io_message message = {""};
            if (!point_file_open(&f, temporary_file("t.ply", changed, count), 3, NULL, &message))
                continue;
            while (point_file_read(&f, points, MOST) > 0)
                ;
            point_file_close(&f);
        }
    }
}

/* ---- nearest points ---- */

static const nearest_row rows[4] = {
    {.distance = 0.5,
     .bound = 0.25,
     .param = {1.5},
     .point = {1, 2, 3, 0},
     .patch = 7,
     .status = NEAREST_CUT},
    {.distance = INFINITY,
     .bound = INFINITY,
     .param = {NAN},
     .point = {NAN, NAN, NAN, NAN},
     .patch = -1,
     .status = NEAREST_NONE},
    {.distance = 0.1,
     .bound = 0.1,
     .param = {0},
     .point = {0, 0, 0, 0},
     .patch = 0,
     .status = NEAREST_FOUND},
    {.distance = 2,
     .bound = 2,
     .param = {3},
     .point = {4, 5, 6, 0},
     .patch = 1,
     .status = NEAREST_OFF},
};

/* Writes the rows, and returns the bytes of the file. */
static bytes write_rows(const char *name, const nearest_form *form)
{
    nearest_file f;
    bytes b;
    io_message message = {""};
    if (!nearest_file_open(&f, form, temporary_path(name), &message)) fail_msg("%s", message.text);
    for (size_t i = 0; i < 4; i += form->per_query)
        assert_true(nearest_file_add(&f, rows + i));
    if (!nearest_file_close(&f, true)) fail_msg("%s", message.text);
    FILE *file = fopen(temporary_path(name), "rb");
    assert_non_null(file);
    b.count = fread(b.data, 1, sizeof(b.data) - 1, file);
    b.data[b.count] = 0;
    fclose(file);
    remove(temporary_path(name));
    assert_int_equal(temporary_count(), 0);
    return b;
}

static void test_write_csv(void **state)
{
    (void)state;
    remove(temporary_path("t.csv"));
    remove(temporary_path("t.npy"));
    remove(temporary_path("t.xyz"));
    remove(temporary_path("t.XYZ"));
    remove(temporary_path("t.txt"));
    remove(temporary_path("t.ply"));
    nearest_form form = {.is_npy = false,
                         .precision = MESH_F32,
                         .directions = 1,
                         .dim = 3,
                         .per_query = 1,
                         .num = UINT64_MAX};
    assert_string_equal((char *)write_rows("n.csv", &form).data,
                        "query,curve,parameter,x,y,z,distance,bound,status\n"
                        "0,7,1.5,1,2,3,0.5,0.25,cut\n1,-1,nan,nan,nan,nan,inf,inf,none\n"
                        "2,0,0,0,0,0,0.1,0.1,found\n3,1,3,4,5,6,2,2,off\n");
    form = (nearest_form){.is_npy = false,
                          .precision = MESH_F64,
                          .directions = 1,
                          .dim = 2,
                          .per_query = 2,
                          .num = 2};
    assert_string_equal(
        (char *)write_rows("n.csv", &form).data,
        "query,curve,parameter,x,y,distance,bound,status\n0,7,1.5,1,2,0.5,0.25,cut\n"
        "1,0,0,0,0,0.10000000000000001,0.10000000000000001,found\n"
        "1,1,3,4,5,2,2,off\n");
    form.directions = 2;
    assert_string_equal((char *)write_rows("n.csv", &form).data,
                        "query,surface,u,v,x,y,distance,bound,status\n"
                        "0,7,1.5,0,1,2,0.5,0.25,cut\n"
                        "1,0,0,0,0,0,0.10000000000000001,0.10000000000000001,found\n"
                        "1,1,3,0,4,5,2,2,off\n");
}

static void check_header(const bytes *b, const char *expected)
{
    assert_memory_equal(b->data, "\x93NUMPY\1\0", 8);
    assert_int_equal((b->data[8] | b->data[9] << 8) + 10, NPY_HEADER_BYTES);
    assert_int_equal(NPY_HEADER_BYTES % 64, 0);
    assert_int_equal(b->data[NPY_HEADER_BYTES - 1], '\n');
    assert_memory_equal(b->data + 10, expected, strlen(expected));
}

/* The length is known before, or written when it is. */
static void test_write_npy(void **state)
{
    (void)state;
    static const unsigned char first[] = {
        0,    0, 0, 0, 0,    0, 0, 0,    7,    0, 0, 0, 0,    0, 0xc0, 0x3f, 0,    0, 0x80,
        0x3f, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0, 0x3f, 0, 0,    0x80, 0x3e, 1};
    nearest_form form = {.is_npy = true,
                         .precision = MESH_F32,
                         .directions = 1,
                         .dim = 3,
                         .per_query = 1,
                         .num = UINT64_MAX};
    for (int known = 0; known < 2; known++) {
        if (known) form.num = 4;
        const bytes b = write_rows("n.npy", &form);
        check_header(&b,
                     "{'descr': [('query', '<i8'), ('curve', '<i4'), ('parameter', '<f4'), "
                     "('point', '<f4', (3,)), ('distance', '<f4'), ('bound', '<f4'), ('status', "
                     "'|u1')], 'fortran_order': False, 'shape': (4,), } ");
        assert_int_equal(b.count, NPY_HEADER_BYTES + 4 * sizeof(first));
        assert_memory_equal(b.data + NPY_HEADER_BYTES, first, sizeof(first));
    }
    form = (nearest_form){.is_npy = true,
                          .precision = MESH_F64,
                          .directions = 1,
                          .dim = 4,
                          .per_query = 2,
                          .num = UINT64_MAX};
    const bytes b = write_rows("n.npy", &form);
    check_header(&b,
                 "{'descr': [('query', '<i8'), ('curve', '<i4'), ('parameter', '<f8'), ('point', "
                 "'<f8', (4,)), ('distance', '<f8'), ('bound', '<f8'), ('status', '|u1')], "
                 "'fortran_order': False, 'shape': (2, 2), } ");
    assert_int_equal(b.count, NPY_HEADER_BYTES + 4 * (8 + 4 + 7 * 8 + 1));
    assert_int_equal(b.data[NPY_HEADER_BYTES + 2 * 69],
                     1); /* the third row is of the second query */
    form.directions = 2;
    const bytes c = write_rows("n.npy", &form);
    check_header(&c, "{'descr': [('query', '<i8'), ('surface', '<i4'), ('u', '<f8'), ('v', '<f8'), "
                     "('point', '<f8', (4,)), ('distance', '<f8'), ('bound', '<f8'), ('status', "
                     "'|u1')], 'fortran_order': False, 'shape': (2, 2), } ");
    assert_int_equal(c.count, NPY_HEADER_BYTES + 4 * (8 + 4 + 8 * 8 + 1));
}

/* Nothing is left of a file that is given up. */
static void test_write_nothing(void **state)
{
    (void)state;
    nearest_file f;
    io_message message = {""};
    const nearest_form form = {.is_npy = true,
                               .precision = MESH_F32,
                               .directions = 1,
                               .dim = 3,
                               .per_query = 1,
                               .num = UINT64_MAX};
    assert_true(nearest_file_open(&f, &form, temporary_path("n.npy"), &message));
    assert_true(nearest_file_add(&f, rows));
    assert_false(nearest_file_close(&f, false));
    assert_int_equal(temporary_count(), 0);
    assert_false(nearest_file_close(&f, false));
    assert_false(nearest_file_open(&f, &form, "-", &message));
    assert_string_equal(message.text,
                        "standard output: an .npy array begins with its length, which "
                        "is known of .npy and .ply input only");
    assert_false(nearest_file_open(&f, &form, "/nowhere/n.npy", &message));
    assert_string_equal(message.text, "/nowhere/n.npy: cannot write: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv),
        cmocka_unit_test(test_csv_refused),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_headings),
        cmocka_unit_test(test_headings_refused),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_columns_refused),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_xyz),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_npy_types),
        cmocka_unit_test(test_npy_columns),
        cmocka_unit_test(test_npy_refused),
        cmocka_unit_test(test_npy_shapes),
        cmocka_unit_test(test_npy_grammar),
        cmocka_unit_test(test_npy_damaged),
        cmocka_unit_test(test_npy_changed_bytes),
        cmocka_unit_test(test_ply_ascii),
        cmocka_unit_test(test_ply_binary),
        cmocka_unit_test(test_ply_refused),
        cmocka_unit_test(test_ply_changed_bytes),
        cmocka_unit_test(test_write_csv),
        cmocka_unit_test(test_write_npy),
        cmocka_unit_test(test_write_nothing),
    };
    return cmocka_run_group_tests_name("points", tests, temporary_setup, temporary_teardown);
}
