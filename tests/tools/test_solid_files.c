/* Cells of solids from files: what is taken from each format, and what is refused in which words.
   The same two hexahedra, in files of every kind, with a channel. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solid_file.h"
#include "temporary.h"

/* Reads a file of these bytes; the message of a failure begins behind the folder's name. */
static bool read_bytes(solid_cells *cells, const void *bytes, size_t count, io_message *message)
{
    const char *path = temporary_file("cells", bytes, count);
    const bool done = solid_file_open(cells, path, NULL, message);
    const size_t folder = strlen(path) - strlen("cells");
    if (!done) memmove(message->text, message->text + folder, strlen(message->text + folder) + 1);
    if (!done) assert_true(cells->num_cells == 0 && cells->points == NULL);
    return done;
}

static void refused(const char *text, const char *expected)
{
    solid_cells cells;
    io_message message = {""};
    if (read_bytes(&cells, text, strlen(text), &message)) {
        solid_cells_clear(&cells);
        fail_msg("taken: %s", text);
    }
    assert_string_equal(message.text, expected);
}

/* Checks the box of 2 x 1 x 1 cells whose point i is at the bits of i, x first, with values 10 i
   where there are any. */
static void check_box(const char *what, const void *bytes, size_t count, size_t arrays)
{
    static const uint32_t box[16] = {0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10};
    solid_cells cells;
    io_message message = {""};
    if (!read_bytes(&cells, bytes, count, &message)) fail_msg("%s: %s", what, message.text);
    assert_int_equal(cells.num_points, 12);
    assert_int_equal(cells.num_cells, 2);
    assert_int_equal(cells.num_indices, 16);
    assert_memory_equal(cells.index, box, sizeof(box));
    for (size_t i = 0; i < 12; i++) {
        const double place[3] = {(double)(i % 3), (double)(i / 3 % 2), (double)(i / 6)};
        assert_memory_equal(cells.points + 3 * i, place, sizeof(place));
    }
    assert_int_equal(cells.num_arrays, arrays);
    for (size_t i = 0; arrays > 0 && i < 12; i++) {
        assert_string_equal(cells.arrays[0].name, "density");
        assert_true(cells.arrays[0].values[i] == 10.0 * (double)i);
    }
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(cells.kinds[i], SOLID_HEXAHEDRON);
    solid_cells_clear(&cells);
}

/* Checks the numbers of both cells in an array of cells. */
static void check_data(const void *bytes, size_t count, const char *name, double first,
                       double second)
{
    solid_cells cells;
    io_message message = {""};
    const solid_array *a = NULL;
    if (!read_bytes(&cells, bytes, count, &message)) fail_msg("%s: %s", name, message.text);
    for (size_t i = 0; i < cells.num_cell_arrays; i++)
        if (strcmp(cells.cell_arrays[i].name, name) == 0) a = &cells.cell_arrays[i];
    if (!a) fail_msg("there is no '%s'", name);
    assert_true(a->components == 1 && a->count == 2);
    assert_true(a->values[0] == first && a->values[1] == second);
    assert_true(a->is_whole == (first == floor(first)));
    solid_cells_clear(&cells);
}

static void check_text_data(const char *text, const char *name, double first, double second)
{
    check_data(text, strlen(text), name, first, second);
}

static void check_text(const char *what, const char *text, size_t arrays)
{
    check_box(what, text, strlen(text), arrays);
}

/* The points as a text, with numbers from `from` on before them, unless it is below 0, and a word
   behind them. */
static const char *points_text(int from, const char *behind)
{
    static char text[1024];
    text[0] = 0;
    for (int i = 0; i < 12; i++) {
        char number[16] = "";
        if (from >= 0) snprintf(number, sizeof(number), "%d ", from + 7 * i);
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d %d %d%s\n", number, i % 3,
                 i / 3 % 2, i / 6, behind);
    }
    return text;
}

static const char values[] = "0 10 20 30 40 50 60 70 80 90 100 110\n";

/* ---- VTK legacy ---- */

static void test_vtk(void **state)
{
    char text[4096];
    (void)state;
    snprintf(text, sizeof(text),
             "# vtk DataFile Version 3.0\na box // of two\nASCII\nDATASET UNSTRUCTURED_GRID\n"
             "POINTS 12 float\n%sCELLS 3 23\n8 0 1 4 3 6 7 10 9\n4 0 1 4 3\n8 1 2 5 4 7 8 11 10\n"
             "CELL_TYPES 3\n12\n9\n12\nCELL_DATA 3\nSCALARS none int\nLOOKUP_TABLE default\n1 2 3\n"
             "POINT_DATA 12\nSCALARS density double 1\nLOOKUP_TABLE default\n%s",
             points_text(-1, ""), values);
    check_text("legacy", text, 1);
    check_text_data(text, "none", 1, 3);
    snprintf(text, sizeof(text),
             "# vtk DataFile Version 5.1\nbox\nASCII\nDATASET UNSTRUCTURED_GRID\n"
             "POINTS 12 float\n%sMETADATA\nINFORMATION 0\n\nCELLS 3 16\nOFFSETS vtktypeint64\n0 8 "
             "16\nCONNECTIVITY vtktypeint64\n0 1 4 3 6 7 10 9 1 2 5 4 7 8 11 10\nCELL_TYPES 2\n12\n"
             "12\nPOINT_DATA 12\nFIELD FieldData 1\ndensity 1 12 float\n%s",
             points_text(-1, ""), values);
    check_text("legacy 5", text, 1);
}

/* Data of cells: not finite, of which there are too few, and which are 0 throughout. */
static void test_vtk_data(void **state)
{
    static const char head[] =
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
        "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 7\n4 0 1 2 3\n1 2\nCELL_TYPES 2\n10 1\nCELL_DATA 2\n";
    char text[1024];
    solid_cells cells;
    io_message message = {""};
    (void)state;
    snprintf(text, sizeof(text), "%sFIELD all 2\nnone 1 2 int\n0 5\nsome 2 2 float\nnan -inf 3 4\n",
             head);
    if (!read_bytes(&cells, text, strlen(text), &message)) fail_msg("%s", message.text);
    assert_int_equal(cells.num_cell_arrays, 1);
    assert_string_equal(cells.cell_arrays[0].name, "some");
    assert_true(cells.cell_arrays[0].count == 2 && isnan(cells.cell_arrays[0].values[0]));
    assert_true(cells.cell_arrays[0].values[1] == -HUGE_VAL && !cells.cell_arrays[0].is_whole);
    solid_cells_clear(&cells);
    snprintf(text, sizeof(text), "%sFIELD all 1\nfew 1 1 int\n1\n", head);
    refused(text, "cells:16: 'few' has 1 values, and 2 cells need 2");
}

/* Bytes of names that stand as %XX. */
static void test_vtk_names(void **state)
{
    static const char text[] =
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
        "0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nPOINT_DATA 4\n"
        "SCALARS heat%20%28%ce%BCJ%29 float\nLOOKUP_TABLE default\n1 2 3 4\n"
        "FIELD data 2\n100%25 1 4 int\n1 2 3 4\n%%2%zz%00%e9%0A 1 4 int\n1 2 3 4\n";
    solid_cells cells;
    io_message message = {""};
    (void)state;
    if (!read_bytes(&cells, text, strlen(text), &message)) fail_msg("%s", message.text);
    assert_int_equal(cells.num_arrays, 3);
    assert_string_equal(cells.arrays[0].name, "heat (\xce\xbcJ)");
    assert_string_equal(cells.arrays[1].name, "100%");
    assert_string_equal(cells.arrays[2].name, "%%2%zz%00??");
    solid_cells_clear(&cells);
}

static size_t put_big(unsigned char *to, size_t at, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        to[at + i] = (unsigned char)(value >> (24 - 8 * i));
    return at + 4;
}

static size_t put_text(unsigned char *to, size_t at, const char *text)
{
    memcpy(to + at, text, strlen(text));
    return at + strlen(text);
}

static size_t put_float(unsigned char *to, size_t at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return put_big(to, at, bits);
}

static void test_binary_vtk(void **state)
{
    static const uint32_t box[18] = {8, 0, 1, 4, 3, 6, 7, 10, 9, 8, 1, 2, 5, 4, 7, 8, 11, 10};
    unsigned char bytes[2048];
    size_t at = 0;
    (void)state;
    at = put_text(bytes, at,
                  "# vtk DataFile Version 3.0\nbox\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
                  "POINTS 12 float\n");
    for (int i = 0; i < 12; i++) {
        at = put_float(bytes, at, (float)(i % 3));
        at = put_float(bytes, at, (float)(i / 3 % 2));
        at = put_float(bytes, at, (float)(i / 6));
    }
    at = put_text(bytes, at, "\nCELLS 2 18\n");
    for (int i = 0; i < 18; i++)
        at = put_big(bytes, at, box[i]);
    at = put_text(bytes, at, "\nCELL_TYPES 2\n");
    for (int i = 0; i < 2; i++)
        at = put_big(bytes, at, 12);
    at = put_text(bytes, at, "\nPOINT_DATA 12\nSCALARS density float\nLOOKUP_TABLE default\n");
    for (int i = 0; i < 12; i++)
        at = put_float(bytes, at, 10.0f * (float)i);
    check_box("binary legacy", bytes, at, 1);
    for (size_t cut = 0; cut < at; cut += 3) { /* no beginning of it is a file */
        solid_cells cells;
        io_message message = {""};
        if (read_bytes(&cells, bytes, cut, &message)) {
            assert_true(cells.num_cells == 2 && cells.num_arrays == 0);
            solid_cells_clear(&cells);
        } else {
            assert_true(strncmp(message.text, "cells:", 6) == 0);
        }
    }
}

static void test_bad_vtk(void **state)
{
#define HEAD "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    (void)state;
    refused(HEAD "POINTS 1 float\n0 0\n", "cells:7: the file ends where a number was expected");
    refused(HEAD "POINTS 1 float\n0 zero 0\n", "cells:6: 'zero' where a number was expected");
    refused(HEAD "POINTS 1 colour\n", "cells:5: 'colour' where a type of numbers was expected");
    refused(HEAD "POINTS 4 float 0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n",
            "cells: cell 0 has vertex 4, and there are 4 points");
    refused(HEAD
            "POINTS 4 float 0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 1 -2 3\nCELL_TYPES 1\n10\n",
            "cells:7: -2 where a number from 0 to 2147483647 was expected");
    refused(HEAD "POINTS 1 float 0 0 0\nCELLS 1 5\n5 0 1 2 3 4\n",
            "cells:7: cell 0 has 5 vertices");
    refused(HEAD "POINTS 1 float 0 0 0\nCELLS 1 4\n3 0 0 0\nCELL_TYPES 1\n10\n",
            "cells:10: cell 0 has 3 vertices, and type 10 has 4");
    refused(HEAD "POINTS 1 float 0 0 0\nCELLS 1 2\n1 0\nCELL_TYPES 1\n25\n",
            "cells:10: cell 0 is of type 25, which is not read");
    refused(HEAD "POINTS 1 float 0 0 0\nCELLS 1 2\n1 0\nCELL_TYPES 1\n1\n",
            "cells: there are no solid cells");
    refused(HEAD "CIRCLES 3\n", "cells:5: 'CIRCLES' where a section was expected");
    refused("# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\n",
            "cells:4: a data set of type 'POLYDATA', and UNSTRUCTURED_GRID is read");
    refused("", "cells:1: this is no VTK, VTU, MEDIT, MFEM or Gmsh file in a form that is read");
    refused(HEAD "POINTS 2147483648 float\n",
            "cells:5: a number of points is 2147483648, above 2147483647");
    refused(HEAD "POINTS 1 float 0 0 0\nCELLS 1 2\n1 2147483648\n",
            "cells:7: 2.14748e+09 where a number from 0 to 2147483647 was expected");
    refused("# nothing\nsolid\n",
            "cells:2: this is no VTK, VTU, MEDIT, MFEM or Gmsh file in a form that is read");
#undef HEAD
}

/* ---- VTU ---- */

static void test_vtu(void **state)
{
    char text[4096];
    (void)state;
    snprintf(text, sizeof(text),
             "<?xml version=\"1.0\"?>\n<!-- a > box -->\n<VTKFile type='UnstructuredGrid' "
             "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"12\" "
             "NumberOfCells=\"2\">\n<PointData><DataArray type=\"Float64\" Name=\"density\" "
             "format=\"ascii\">%s</DataArray></PointData>\n<CellData><DataArray type=\"Float32\" "
             "Name=\"share\" format=\"ascii\">0.5 4</DataArray><DataArray type=\"String\" "
             "Name=\"texts\" format=\"ascii\">97 0</DataArray><DataArray type=\"Int8\" "
             "Name=\"material\" format=\"ascii\">-7 8</DataArray></CellData>\n<Points>\n<DataArray "
             "type=\"Float32\" NumberOfComponents=\"3\" format=\"ascii\">\n%s</DataArray>\n"
             "</Points>\n<Cells>\n<DataArray type=\"Int32\" Name=\"connectivity\" "
             "format=\"ascii\">0 1 4 3 6 7 10 9 1 2 5 4 7 8 11 10</DataArray>\n<DataArray "
             "type=\"Int32\" Name=\"offsets\" format=\"ascii\">8 16</DataArray>\n<DataArray "
             "type=\"UInt8\" Name=\"types\" format=\"binary\">AgAAAAwM</DataArray>\n</Cells>\n"
             "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n",
             values, points_text(-1, ""));
    check_text("vtu", text, 1);
    check_text_data(text, "share", 0.5, 4);
    check_text_data(text, "material", -7, 8);
}

/* Polyhedra in both manners, beside a vertex. */
static void test_vtu_faces(void **state)
{
#define ARRAY(name, text)                                                                          \
    "<DataArray type='Int64' Name='" name "' format='ascii'>" text "</DataArray>"
    static const char *const faces[2] = {
        ARRAY("faces", "4 3 0 1 2 3 0 1 3 3 1 2 3 3 0 2 3") ARRAY("faceoffsets", "-1 17"),
        ARRAY("face_connectivity", "1 2 3 0 1 2 0 1 3 0 2 3") ARRAY("face_offsets", "3 6 9 12")
            ARRAY("polyhedron_to_faces", "1 2 0 3") ARRAY("polyhedron_offsets", "0 4")};
    static const uint32_t index[17] = {4, 3, 2, 1, 0, 3, 0, 1, 3,
                                       3, 1, 2, 3, 3, 3, 2, 0}; /* outward */
    char text[2048];
    (void)state;
    for (int i = 0; i < 2; i++) {
        solid_cells cells;
        io_message message = {""};
        snprintf(
            text, sizeof(text),
            "<VTKFile type='UnstructuredGrid'><Piece NumberOfPoints='4' NumberOfCells='2'>"
            "<Points><DataArray type='Float32' NumberOfComponents='3' format='ascii'>0 0 0 1 0 "
            "0 0 1 0 0 0 1</DataArray></Points><Cells>" ARRAY("connectivity", "0 0 1 2 3")
                ARRAY("offsets", "1 5") ARRAY("types", "1 42") "%s</Cells></Piece></VTKFile>",
            faces[i]);
        if (!read_bytes(&cells, text, strlen(text), &message)) fail_msg("%s", message.text);
        assert_true(cells.num_cells == 1 && cells.num_indices == 17);
        assert_memory_equal(cells.index, index, sizeof(index));
        solid_cells_clear(&cells);
    }
#undef ARRAY
}

/* A tetrahedron with data of points under a name, after what is put before the tag of the grid. */
#define TETRAHEDRON(before, name)                                                                  \
    "<?xml version='1.0'?>" before "<VTKFile type='UnstructuredGrid' header_type='UInt32'>\n"      \
    "<Piece NumberOfPoints='4' NumberOfCells='1'><PointData><DataArray type='Int8' Name=" name     \
    " format='ascii'><InformationKey>7 8</InformationKey>1 2 3 4</DataArray></PointData>"          \
    "<Points><DataArray type='Int8' NumberOfComponents='3' format='appended' offset='0'/>"         \
    "</Points><Cells><DataArray type='Int8' Name='connectivity' format='ascii'>0 1 2 3"            \
    "</DataArray><DataArray type='Int8' Name='offsets' format='ascii'>4</DataArray>"               \
    "<DataArray type='Int8' Name='types' format='ascii'>10</DataArray></Cells></Piece>\n"

/* Entities are decoded, and a tag within an array is none of its numbers. */
static void test_vtu_names(void **state)
{
    static const struct {
        const char *text, *name;
    } cases[] = {
        {TETRAHEDRON("", "'a &lt;&amp;&gt; &quot;b&apos;s&quot;'"), "a <&> \"b's\""},
        {TETRAHEDRON("", "\"&#956;m&#x2f;s&#10;\""), "\xce\xbcm/s?"},
        {TETRAHEDRON("", "'' "), ""},
        {TETRAHEDRON("", "'0123456789012345678901234567890123456789012345678901234567890123456789"
                         "01234567&#956;x'"),
         "012345678901234567890123456789012345678901234567890123456789012345678901234567"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[2048];
        solid_cells cells;
        io_message message = {""};
        snprintf(text, sizeof(text),
                 "%s<AppendedData encoding='base64'>\n_DAAAAAAAAAEAAAABAAAAAQ==</AppendedData>"
                 "</VTKFile>",
                 cases[i].text);
        if (!read_bytes(&cells, text, strlen(text), &message)) fail_msg("%s", message.text);
        assert_true(cells.num_points == 4 && cells.num_cells == 1 && cells.num_arrays == 1);
        assert_string_equal(cells.arrays[0].name, cases[i].name);
        assert_true(cells.arrays[0].count == 4 && cells.arrays[0].values[3] == 4);
        assert_true(cells.points[11] == 1);
        solid_cells_clear(&cells);
    }
}

/* Raw bytes that are no XML begin at any place of the pieces in which a file is read. */
static void test_vtu_raw(void **state)
{
    enum { PIECE = 16384, LONGEST = PIECE + 200 };
    static const char head[] = TETRAHEDRON("", "'a'"), tag[] = "<AppendedData encoding='raw'>_";
    static const char raw[] = "\x0c\0\0\0\0\0\0\1\0\0\0\1\0\0\0\1<>&\xff";
    static char text[LONGEST + sizeof(tag) + sizeof(raw)];
    (void)state;
    for (size_t at = PIECE - sizeof(tag) - 2; at < PIECE + 3; at++) {
        solid_cells cells;
        io_message message = {""};
        memset(text, ' ', at);
        memcpy(text, head, sizeof(head) - 1);
        memcpy(text + at, tag, sizeof(tag) - 1);
        memcpy(text + at + sizeof(tag) - 1, raw, sizeof(raw) - 1);
        if (!read_bytes(&cells, text, at + sizeof(tag) + sizeof(raw) - 2, &message))
            fail_msg("%s", message.text);
        assert_true(cells.num_points == 4 && cells.points[3] == 1 && cells.points[11] == 1);
        solid_cells_clear(&cells);
    }
}

static void test_bad_vtu(void **state)
{
#define PIECE                                                                                      \
    "<VTKFile type=\"UnstructuredGrid\">\n<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">\n"
#define END "</Piece></VTKFile>"
    static char comment[1100000] = "<?xml version='1.0'?>\n<!--";
    (void)state;
    refused("<VTKFile type=\"PolyData\">",
            "cells:1: a file of type 'PolyData', and UnstructuredGrid is read");
    refused(
        "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\">",
        "cells:1: data compressed by vtkLZ4DataCompressor, and zlib is read: write the file with "
        "zlib, or not compressed");
    char text[1024];
    snprintf(text, sizeof(text),
             "<VTKFile type='UnstructuredGrid'><Piece NumberOfPoints='1' NumberOfCells='0'><Points>"
             "<DataArray type='Float32' format='ascii'>1%0300d</DataArray></Points>",
             0);
    refused(text, "cells:1: a number of more than 255 characters");
    refused("<VTKFile type=\"UnstructuredGrid\"/>", "cells:1: the file has no piece");
    refused("<VTKFile type=\"UnstructuredGrid\">", "cells:1: XML: no element found");
    refused("<VTKFile type=UnstructuredGrid>", "cells:1: XML: not well-formed (invalid token)");
    refused(PIECE "<Piece NumberOfPoints=\"1\" NumberOfCells=\"1\">",
            "cells:3: a second piece, and one is read");
    refused(PIECE "<Points><DataArray type=\"Float9\" Name=\"a\"/></Points>" END,
            "cells:3: array 'a' has numbers of type 'Float9'");
    refused(PIECE "<Points><DataArray type=\"Float32\" Name=\"a\" format=\"octal\"/></Points>" END,
            "cells:3: array 'a' has the format 'octal'");
    refused(PIECE "<Points><DataArray type=\"Float32\" Name=\"a\" format=\"binary\">AgAA%A==</D",
            "cells:3: XML: unclosed token");
    refused(PIECE "<Points><DataArray type=\"Float32\" Name=\"a\" format=\"binary\">AgAA%A=="
                  "</DataArray></Points>" END,
            "cells:3: array 'a': this is no base64");
    refused(PIECE "<Points><DataArray type=\"Float32\" Name=\"a\" format=\"binary\">/////w=="
                  "</DataArray></Points>" END,
            "cells:3: array 'a': the data end early");
    refused(PIECE "<Points><DataArray type=\"Float32\" Name=\"a\" format=\"ascii\">1 2</DataArray>"
                  "</Points>" END,
            "cells:3: 2 coordinates of 1 points");
    refused(PIECE "<Points><DataArray type=\"Float32\" Name=\"a\" format=\"ascii\">1\n2x\n3"
                  "</DataArray></Points>" END,
            "cells:4: '2x' where a number was expected");
    refused(PIECE "<Points><DataArray type=\"Int8\" Name=\"p\" format=\"ascii\">0 0 0</DataArray>"
                  "</Points><Cells><DataArray type=\"Int8\" Name=\"offsets\" format=\"ascii\">0"
                  "</DataArray><DataArray type=\"Int8\" Name=\"types\" format=\"ascii\">42"
                  "</DataArray><DataArray type=\"Int8\" Name=\"faces\" format=\"ascii\">4 3"
                  "</DataArray></Cells>" END,
            "cells:3: the faces of cell 0 are not all there");
    refused(PIECE "<Points><DataArray type=\"Float32\" Name=\"a\" format=\"appended\" "
                  "offset=\"9\"/></Points><AppendedData encoding=\"raw\">_abc",
            "cells:3: array 'a' begins behind the end");
    refused("<?xml version='1.0'?>\n<!DOCTYPE VTKFile [<!ENTITY a '&b;&b;'>]>\n" PIECE END,
            "cells:2: a DOCTYPE, which is not read");
    refused(PIECE "&a;" END, "cells:3: XML: undefined entity");
    memset(comment + strlen(comment), '-', sizeof(comment) - 1 - strlen(comment));
    refused(comment, "cells:2: XML: not well-formed (invalid token)");
    memset(strchr(comment, '!') + 3, 'a', sizeof(comment) - 100);
    refused(comment, "cells:1: a tag or comment of more than 1048576 bytes");
#undef PIECE
#undef END
}

/* ---- MEDIT ---- */

static void test_medit(void **state)
{
    char text[4096];
    solid_cells cells;
    io_message message = {""};
    (void)state;
    snprintf(text, sizeof(text),
             "MeshVersionFormatted 1\n# a box\nDimension\n3\nVertices\n12\n%sTangents 1\n0.5 -1 "
             "2\nHexahedra\n2\n1 2 5 4 7 8 11 10 -3\n2 3 6 5 8 9 12 11 4\nEdges 2\n1 2 0\n2 3 "
             "0\nRidges 1\n2\nCorners 2 1 3\nEnd\n",
             points_text(-1, " 0"));
    check_text("medit", text, 0);
    check_text_data(text, "medit:ref", -3, 4);
    assert_true(read_bytes(&cells, text, strlen(text), &message));
    assert_int_equal(cells.num_creases, 1);
    assert_true(cells.crease[0] == 1 && cells.crease[1] == 2);
    assert_int_equal(cells.num_corners, 2);
    assert_true(cells.corner[0] == 0 && cells.corner[1] == 2);
    solid_cells_clear(&cells);
    refused("MeshVersionFormatted 1\nDimension 2\n", "cells:2: a solid has dimension 3, not 2");
    refused("MeshVersionFormatted 1\nDimension 3\nTetrahedra 1\n0 1 2 3 0\n",
            "cells:4: vertices are numbered from 1");
    refused("MeshVersionFormatted 1\nDimension 3\nTetrahedra 1\n1 2 3",
            "cells:4: the file ends where a vertex was expected");
    refused("MeshVersionFormatted 1\nRidges 1\n4\n", "cells:4: ridge 1 is edge 4, and there are 0");
}

/* ---- MFEM ---- */

static void test_mfem(void **state)
{
    char text[4096];
    (void)state;
    snprintf(text, sizeof(text),
             "MFEM mesh v1.0\n\n# a box\ndimension\n3\n\nelements\n2\n1 5 0 1 4 3 6 7 10 9\n"
             "2 5 1 2 5 4 7 8 11 10\n\nboundary\n1\n1 3 0 1 4 3\n\nvertices\n12\n3\n%s",
             points_text(-1, ""));
    check_text("mfem", text, 0);
    check_text_data(text, "attribute", 1, 2);
    refused("MFEM mesh v1.3\n", "cells:1: version v1.3, and v1.0 is read");
    refused("MFEM mesh v1.0\ndimension\n2\n", "cells:3: a solid has dimension 3, not 2");
    refused("MFEM mesh v1.0\nvertices\n8\n\nnodes\nFiniteElementSpace\n",
            "cells:5: nodes, of cells that are curved: only meshes with vertices are read");
    refused("MFEM mesh v1.0\nelements\n1\n1 9 0\n", "cells:4: a geometry is 9, above 7");
}

/* ---- Gmsh ---- */

static void test_gmsh(void **state)
{
    char text[4096], data[1024] = "";
    (void)state;
    for (int i = 0; i < 12; i++)
        snprintf(data + strlen(data), sizeof(data) - strlen(data), "%d %d\n", 5 + 7 * i, 10 * i);
    snprintf(text, sizeof(text),
             "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "
             "\"all\"\n$EndPhysicalNames\n$Nodes\n12\n%s$EndNodes\n$Elements\n3\n1 3 2 1 1 5 12 33 "
             "26\n2 5 2 7 9 5 12 33 26 47 54 75 68\n3 5 0 12 19 40 33 54 61 82 75\n$EndElements\n"
             "$NodeData\n1\n\"density\"\n1\n0.0\n3\n0\n1\n12\n%s$EndNodeData\n"
             "$ElementData\n1\n\"share\"\n1\n0.0\n3\n0\n1\n3\n3 1e3\n1 5\n2 "
             "0.25\n$EndElementData\n",
             points_text(5, ""), data);
    check_text("gmsh 2", text, 1);
    check_text_data(text, "gmsh:physical", 7, 0);
    check_text_data(text, "gmsh:geometrical", 9, 0);
    check_text_data(text, "share", 0.25, 1e3);
    snprintf(text, sizeof(text),
             "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 1 2\n1 0 0 0 1 5\n2 0 0 0 1 1 1 "
             "1 3 0\n1 0 0 0 1 1 1 2 -6 5 1 2\n4 0 0 0 1 1 1 0 0\n$EndEntities\n$Nodes\n1 12 5 "
             "82\n3 1 0 12\n5 12 19 26 33 40 "
             "47 54 61 68 75 82\n%s$EndNodes\n$Elements\n2 3 1 3\n2 1 3 1\n1 5 12 33 26\n3 1 5 "
             "2\n2 5 12 33 26 47 54 75 68\n3 12 19 40 33 54 61 82 75\n$EndElements\n",
             points_text(-1, ""));
    check_text("gmsh 4.1", text, 0);
    check_text_data(text, "gmsh:physical", -6, -6);
    check_text_data(text, "gmsh:geometrical", 1, 1);
    snprintf(
        text, sizeof(text),
        "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Nodes\n1 12\n1 3 0 12\n%s$EndNodes\n$Elements\n1 "
        "2\n4 3 5 2\n2 5 12 33 26 47 54 75 68\n3 12 19 40 33 54 61 82 75\n$EndElements\n",
        points_text(5, ""));
    check_text("gmsh 4.0", text, 0);
    check_text_data(text, "gmsh:geometrical", 4, 4);
    refused("$MeshFormat\n4 1 8\n",
            "cells:2: binary of version 4.0, and that of 2 and 4.1 is read: "
            "gmsh -save -format msh41 makes it");
    refused("$MeshFormat\n2.2 1 8\n", "cells:3: the file ends within binary numbers");
    refused("$MeshFormat\n2.2 1 8\n\2\1\1\1\n",
            "cells:3: the number 1 was expected, before byte 4 of the binary part");
    refused("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n",
            "cells:4: nodes with parameters, and those without are read: gmsh -setnumber "
            "Mesh.SaveParametric 0 -save makes them");
    refused("$MeshFormat\n1 0 8\n", "cells:2: version 1, and 2 and 4 are read");
    refused("$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 1 1\n",
            "cells:7: cell 0: there is no node 2");
    refused("$Nodes\n1\n1 0 0 0\n$EndNodes\n$Elements\n1\n1 11 0 1\n",
            "cells:7: elements of type 11 are not read: only tetrahedra, hexahedra, prisms and "
            "pyramids of order 1");
    refused("$Other\n1\n", "cells:1: the file ends within this section");
    refused("$ElementData\n0\n0\n3\n0\n1\n1\n3 nan\n$EndElementData\n$Nodes\n1\n1 nan 0 0\n",
            "cells:12: 'nan' is not a finite number");
}

/* ---- binary files ---- */

/* A file in the making. */
typedef struct making {
    unsigned char bytes[4096];
    size_t count;
    bool is_big; /* bytes of numbers from the highest to the lowest */
} making;

static void add_text(making *m, const char *text)
{
    strcpy((char *)m->bytes + m->count, text);
    m->count += strlen(text);
}

static void add(making *m, int each, uint64_t value)
{
    for (int i = 0; i < each; i++)
        m->bytes[m->count++] = (unsigned char)(value >> 8 * (m->is_big ? each - 1 - i : i));
}

static void add_real(making *m, int each, double value)
{
    const float single = (float)value;
    uint64_t bits;
    uint32_t low;
    memcpy(&bits, &value, sizeof(bits));
    memcpy(&low, &single, sizeof(low));
    add(m, each, each == 4 ? low : bits);
}

/* Puts the coordinates of a point of the box. */
static void put_point(making *m, int each, int i)
{
    add_real(m, each, i % 3);
    add_real(m, each, i / 3 % 2);
    add_real(m, each, i / 6);
}

static const int box_cells[2][8] = {{0, 1, 4, 3, 6, 7, 10, 9}, {1, 2, 5, 4, 7, 8, 11, 10}};

/* Puts the box's cells, with something before and behind each; nodes are 5 + 7 i, or i + 1. */
static void put_cells(making *m, int each, bool spread, int before, int behind)
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < before; k++)
            add(m, each, (uint64_t)(i + 2));
        for (int k = 0; k < 8; k++)
            add(m, each, (uint64_t)(spread ? 5 + 7 * box_cells[i][k] : 1 + box_cells[i][k]));
        for (int k = 0; k < behind; k++)
            add(m, each, 0);
    }
}

static void begin_gmsh(making *m, const char *format, bool is_big)
{
    m->count = 0;
    m->is_big = is_big;
    add_text(m, format);
    add(m, 4, 1);
    add_text(m, "\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"all\"\n$EndPhysicalNames\n");
}

/* Makes a file of version 2 with a quadrangle, a channel, and a section that is left out. */
static void make_gmsh_2(making *m, bool is_big)
{
    begin_gmsh(m, "$MeshFormat\n2.2 1 8\n", is_big);
    add_text(m, "$Nodes\n12\n");
    for (int i = 0; i < 12; i++) {
        add(m, 4, (uint64_t)(5 + 7 * i));
        put_point(m, 8, i);
    }
    add_text(m, "\n$EndNodes\n$Elements\n3\n");
    for (int k = 0; k < 3 + 3 + 4; k++) /* a face: its run of one with two tags */
        add(m, 4, (uint64_t)((const int[10]){3, 1, 2, 1, 1, 1, 5, 12, 33, 26}[k]));
    add(m, 4, 5);
    add(m, 4, 2);
    add(m, 4, 1);
    put_cells(m, 4, true, 2, 0);
    add_text(m, "\n$EndElements\n$ElementNodeData\n\1\2\n$EndElem\n$$EndElementNodeData\n"
                "$ElementData\n1\n\"share\"\n1\n0.0\n3\n0\n1\n3\n");
    for (uint32_t i = 3; i >= 1; i--) { /* of both cells, and the face */
        add(m, 4, i);
        add_real(m, 8, i + 0.5);
    }
    add_text(m, "\n$EndElementData\n$NodeData\n1\n\"density\"\n1\n0.0\n3\n0\n1\n12\n");
    for (int i = 0; i < 12; i++) {
        add(m, 4, (uint64_t)(5 + 7 * i));
        add_real(m, 8, 10 * i);
    }
    add_text(m, "\n$EndNodeData\n");
}

/* Makes a file of version 4.1 with nodes that have parameters, and sizes of 4 or 8 bytes. */
static void make_gmsh_4(making *m, bool is_big, int each)
{
    begin_gmsh(m, each == 8 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 1 4\n", is_big);
    add_text(m, "$Periodic\n\1\2\3$End\n$EndPeriodic\n$Entities\n");
    for (uint32_t k = 0; k < 4; k++) /* points, curves, surfaces and volumes */
        add(m, each, k / 3);
    add(m, 4, 1); /* a volume in a box, and in one group, with a surface */
    for (int k = 0; k < 6; k++)
        add_real(m, 8, 1);
    add(m, each, 1);
    add(m, 4, 9);
    add(m, each, 1);
    add(m, 4, 5);
    add_text(m, "$EndEntities\n$Nodes\n");
    for (int k = 0; k < 4; k++) /* blocks, nodes, the least and the largest */
        add(m, each, (uint64_t)((const int[4]){2, 12, 5, 82}[k]));
    for (int block = 0; block < 2; block++) {
        const int first = block ? 4 : 0, end = block ? 12 : 4, dim = block ? 3 : 2;
        add(m, 4, (uint64_t)dim);
        add(m, 4, 1);
        add(m, 4, (uint64_t)(1 - block));
        add(m, each, (uint64_t)(end - first));
        for (int i = first; i < end; i++)
            add(m, each, (uint64_t)(5 + 7 * i));
        for (int i = first; i < end; i++) {
            put_point(m, 8, i);
            for (int k = 0; k < dim && !block; k++)
                add_real(m, 8, 0.5);
        }
    }
    add_text(m, "\n$EndNodes\n$Elements\n");
    for (int k = 0; k < 4; k++)
        add(m, each, (uint64_t)((const int[4]){1, 2, 2, 3}[k]));
    for (int k = 0; k < 3; k++)
        add(m, 4, (uint64_t)((const int[3]){3, 1, 5}[k]));
    add(m, each, 2);
    put_cells(m, each, true, 1, 0);
    add_text(m, "\n$EndElements\n");
}

/* Puts numbers of so many bytes each. */
static void put_all(making *m, int each, int count, const int *numbers)
{
    for (int i = 0; i < count; i++)
        add(m, each, (uint64_t)(int64_t)numbers[i]);
}

/* Makes a file of version 2 whose lines are in a group, in none, in one with the sign of a curve
   that is turned, and without tags; and whose cells are given once for each of two groups. */
static void make_gmsh_lines_2(making *m, bool is_big)
{
    begin_gmsh(m, "$MeshFormat\n2.2 1 8\n", is_big);
    add_text(m, "$Nodes\n12\n");
    for (int i = 0; i < 12; i++) {
        add(m, 4, (uint64_t)(1 + i));
        put_point(m, 8, i);
    }
    add_text(m, "\n$EndNodes\n$Elements\n8\n");
    put_all(m, 4, 3 + 3 * 5, (const int[]){1, 3, 2, 1, 7, 7, 1, 2, 2, 0, 7, 2, 3, 3, -8, 8, 1, 4});
    put_all(m, 4, 3 + 3, (const int[]){1, 1, 0, 4, 2, 5});
    for (int i = 0; i < 4; i++) {
        put_all(m, 4, 3 + 3, (const int[]){5, 1, 2, 5 + i, 20 + i % 2, 1});
        for (int k = 0; k < 8; k++)
            add(m, 4, (uint64_t)(1 + box_cells[i / 2][k]));
    }
    add_text(m, "\n$EndElements\n");
}

/* Puts an entity: of a partitioned mesh first its parent, and that it is in two partitions. */
static void put_entity(making *m, int each, int tag, bool is_part, int dim, int groups)
{
    add(m, 4, (uint64_t)tag);
    if (is_part) {
        put_all(m, 4, 2, (const int[]){dim, tag - 3});
        add(m, each, 2);
        put_all(m, 4, 2, (const int[]){1, 2});
    }
    for (int k = 0; k < (dim ? 6 : 3); k++)
        add_real(m, 8, 0.25 * k);
    add(m, each, (uint64_t)groups);
    for (int k = 0; k < groups; k++)
        add(m, 4, (uint64_t)(int64_t)(k % 2 ? -30 : 30));
    if (dim == 0) return;
    add(m, each, 2);
    put_all(m, 4, 2, (const int[]){1, -2});
}

/* Puts a point in a group, and curves from a number on, in 1, no and 2 groups. */
static void put_entities(making *m, int each, bool is_part, int first)
{
    add_text(m, is_part ? "$PartitionedEntities\n" : "$Entities\n");
    if (is_part) {
        put_all(m, each, 2, (const int[]){2, 1}); /* partitions and ghosts */
        put_all(m, 4, 2, (const int[]){5, 1});
    }
    put_all(m, each, 4, (const int[]){1, 3, 0, 0});
    put_entity(m, each, first + 1, is_part, 0, 1);
    for (int i = 0; i < 3; i++)
        put_entity(m, each, first + i, is_part, 1, (int[]){1, 0, 2}[i]);
    add_text(m, is_part ? "\n$EndPartitionedEntities\n" : "\n$EndEntities\n");
}

/* Makes a file of version 4.1 with a line on each of three curves. Those of a partitioned mesh are
   parts, of which others are in groups than among the entities. */
static void make_gmsh_lines_4(making *m, bool is_big, int each, bool is_part)
{
    const int first = is_part ? 10 : 7;
    begin_gmsh(m, each == 8 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 1 4\n", is_big);
    put_entities(m, each, false, 7);
    if (is_part) put_entities(m, each, true, first);
    add_text(m, "$Nodes\n");
    put_all(m, each, 4, (const int[]){1, 12, 1, 12});
    put_all(m, 4, 3, (const int[]){3, 1, 0});
    add(m, each, 12);
    for (int i = 0; i < 12; i++)
        add(m, each, (uint64_t)(1 + i));
    for (int i = 0; i < 12; i++)
        put_point(m, 8, i);
    add_text(m, "\n$EndNodes\n$Elements\n");
    put_all(m, each, 4, (const int[]){4, 5, 1, 5});
    for (int i = 0; i < 3; i++) {
        put_all(m, 4, 3, (const int[]){1, first + i, 1});
        put_all(m, each, 4, (const int[]){1, 6 + i, 1 + i, i < 2 ? 2 + i : 6});
    }
    put_all(m, 4, 3, (const int[]){3, 1, 5});
    add(m, each, 2);
    put_cells(m, each, false, 1, 0);
    add_text(m, "\n$EndElements\n");
}

/* Puts the head of a list, which ends after so many bytes more. */
static void put_list(making *m, int version, int number, int bytes)
{
    const int place = version < 3 ? 4 : 8;
    add(m, 4, (uint64_t)number);
    add(m, place, m->count + (uint64_t)(place + bytes));
}

/* Makes a .meshb of a version, with a list that is left out, an edge that is a ridge, a corner. */
static void make_meshb(making *m, bool is_big, int version)
{
    const int each = version < 4 ? 4 : 8, real = version < 2 ? 4 : 8;
    m->count = 0;
    m->is_big = is_big;
    add(m, 4, 1);
    add(m, 4, (uint64_t)version);
    put_list(m, version, 3, 4);
    add(m, 4, 3);
    put_list(m, version, 4, each + 12 * (3 * real + each));
    add(m, each, 12);
    for (int i = 0; i < 12; i++) {
        put_point(m, real, i);
        add(m, each, 1);
    }
    put_list(m, version, 7, 7);
    add_text(m, "ignored");
    put_list(m, version, 5, each + 3 * each);
    for (int k = 0; k < 4; k++)
        add(m, each, (uint64_t)((const int[4]){1, 1, 2, 0}[k]));
    put_list(m, version, 14, 2 * each);
    add(m, each, 1);
    add(m, each, 1);
    put_list(m, version, 13, 2 * each);
    add(m, each, 1);
    add(m, each, 3);
    put_list(m, version, 10, each + 18 * each);
    add(m, each, 2);
    put_cells(m, each, false, 0, 1);
    m->bytes[m->count - (m->is_big ? 1 : (size_t)each)] = 5; /* the second cell's reference */
    add(m, 4, 54);
    add(m, version < 3 ? 4 : 8, 0);
}

/* Reads every beginning of a file: an error, or cells where what is missing is not needed. */
static void check_beginnings(const making *m)
{
    for (size_t count = 0; count < m->count; count++) {
        solid_cells cells;
        io_message message = {""};
        if (read_bytes(&cells, m->bytes, count, &message))
            solid_cells_clear(&cells);
        else
            assert_true(message.text[0] != 0);
    }
}

static void test_gmsh_binary(void **state)
{
    making m;
    (void)state;
    for (int is_big = 0; is_big < 2; is_big++) {
        make_gmsh_2(&m, is_big);
        check_box("gmsh 2 binary", m.bytes, m.count, 1);
        check_data(m.bytes, m.count, "gmsh:physical", 2, 3);
        check_data(m.bytes, m.count, "share", 2.5, 3.5);
        if (!is_big) check_beginnings(&m);
        for (int each = 4; each <= 8; each += 4) {
            make_gmsh_4(&m, is_big, each);
            check_box("gmsh 4.1 binary", m.bytes, m.count, 0);
            check_data(m.bytes, m.count, "gmsh:physical", 9, 9);
        }
    }
    check_beginnings(&m);
}

static void refused_binary(const making *m, const char *expected)
{
    solid_cells cells;
    io_message message = {""};
    if (read_bytes(&cells, m->bytes, m->count, &message)) {
        solid_cells_clear(&cells);
        fail_msg("taken, and not refused: %s", expected);
    }
    assert_string_equal(message.text, expected);
}

/* Reads a file with each byte in turn the largest or 0: an error with a message, or cells. */
static void check_changed(const making *m)
{
    for (size_t i = 0; i < 2 * m->count; i++) {
        solid_cells cells;
        io_message message = {""};
        making changed = *m;
        changed.bytes[i / 2] = i % 2 ? 0 : 0xff;
        if (read_bytes(&cells, changed.bytes, changed.count, &message))
            solid_cells_clear(&cells);
        else
            assert_true(strncmp(message.text, "cells:", 6) == 0);
    }
}

static void check_lines(const making *m, const uint32_t lines[4])
{
    solid_cells cells;
    io_message message = {""};
    check_box("gmsh binary with lines", m->bytes, m->count, 0);
    assert_true(read_bytes(&cells, m->bytes, m->count, &message));
    assert_int_equal(cells.num_lines, 2);
    assert_memory_equal(cells.line, lines, 4 * sizeof(*lines));
    solid_cells_clear(&cells);
}

/* Lines that are in physical groups by their own tags or by their curves. */
static void test_gmsh_lines(void **state)
{
    making m;
    (void)state;
    for (int k = 0; k < 8; k++) {
        make_gmsh_lines_4(&m, k % 2, k & 2 ? 8 : 4, k >= 4);
        check_lines(&m, (const uint32_t[]){0, 1, 2, 5});
        if (k % 7 == 0) check_beginnings(&m);
    }
    check_changed(&m);
    for (int is_big = 0; is_big < 2; is_big++) {
        make_gmsh_lines_2(&m, is_big);
        check_lines(&m, (const uint32_t[]){0, 1, 0, 3});
    }
    check_beginnings(&m);
    check_changed(&m);
}

/* Texts of partitioned meshes, whose lines are in groups by parts of curves, and of version 2,
   whose cells are given once for each group. */
static void test_gmsh_text_lines(void **state)
{
    static const char *const heads[3] = {
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 1 0 0\n7 0 0 0 1 1 1 1 5 0\n"
        "$EndEntities\n$PartitionedEntities\n2\n1\n20 2\n1 2 0 0\n11 0 7 1 2 0 0 0 1 6\n"
        "11 1 7 2 1 2 0 0 0 1 1 1 1 5 2 1 -2\n12 1 8 1 2 0 0 0 1 1 1 0 0\n"
        "$EndPartitionedEntities\n$Nodes\n1 12 1 12\n3 1 0 12\n1 2 3 4 5 6 7 8 9 10 11 12\n",
        "$MeshFormat\n4 0 8\n$EndMeshFormat\n$PartitionedEntities\n2\n0\n1 2 0 0\n"
        "11 0 7 1 2 0 0 0 0 0 0 1 6\n11 1 7 2 1 2 0 0 0 1 1 1 1 5 2 1 -2\n"
        "12 1 8 1 2 0 0 0 1 1 1 0 0\n$EndPartitionedEntities\n$Nodes\n1 12\n1 3 0 12\n",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n"};
    static const char *const tails[3] = {
        "$Elements\n3 4 1 4\n1 11 1 1\n1 1 2\n1 12 1 1\n2 2 3\n3 1 5 2\n3 1 2 5 4 7 8 11 10\n"
        "4 2 3 6 5 8 9 12 11\n$EndElements\n",
        "$Elements\n3 4\n11 1 1 1\n1 1 2\n12 1 1 1\n2 2 3\n1 3 5 2\n3 1 2 5 4 7 8 11 10\n"
        "4 2 3 6 5 8 9 12 11\n$EndElements\n",
        "$Elements\n6\n1 1 2 5 11 1 2\n2 1 2 0 12 2 3\n3 5 2 8 1 1 2 5 4 7 8 11 10\n"
        "4 5 2 9 1 1 2 5 4 7 8 11 10\n5 5 2 8 1 2 3 6 5 8 9 12 11\n"
        "6 5 2 9 1 2 3 6 5 8 9 12 11\n$EndElements\n"};
    char text[4096], points[1024];
    (void)state;
    for (int k = 0; k < 3; k++) {
        solid_cells cells;
        io_message message = {""};
        points[0] = 0;
        for (int i = 0; i < 12; i++) {
            const size_t end = strlen(points);
            if (k > 0) snprintf(points + end, sizeof(points) - end, "%d ", i + 1);
            snprintf(points + strlen(points), sizeof(points) - strlen(points), "%d %d %d\n", i % 3,
                     i / 3 % 2, i / 6);
        }
        snprintf(text, sizeof(text), "%s%s$EndNodes\n%s", heads[k], points, tails[k]);
        check_text("gmsh with lines", text, 0);
        assert_true(read_bytes(&cells, text, strlen(text), &message));
        assert_true(cells.num_lines == 1 && cells.line[0] == 0 && cells.line[1] == 1);
        solid_cells_clear(&cells);
    }
}

/* Finds where a section's binary part begins. */
static size_t find_part(const making *m, const char *name)
{
    const size_t length = strlen(name);
    for (size_t at = 0; at + length < m->count; at++)
        if (memcmp(m->bytes + at, name, length) == 0) return at + length;
    fail_msg("there is no %s", name);
    return 0;
}

/* Writes a number into a section, so many bytes behind its beginning, and expects a message. */
static void refused_change(making *m, const char *section, size_t offset, int each, uint64_t value,
                           const char *expected)
{
    const making good = *m;
    m->count = find_part(&good, section) + offset;
    add(m, each, value);
    m->count = good.count;
    refused_binary(m, expected);
    *m = good;
}

/* Counts that are too large: above what a count is, or beyond the end of the file. */
static void test_gmsh_counts(void **state)
{
    enum { HUGE_COUNT = INT32_MAX };
    making m;
    (void)state;
    make_gmsh_lines_4(&m, true, 8, true);
    refused_change(
        &m, "$Entities\n", 8, 8, 1u << 31,
        "cells:7: a number of entities is 2147483648, above 2147483647, before byte 16 of "
        "the binary part");
    refused_change(&m, "$Entities\n", 8, 8, HUGE_COUNT,
                   "cells:7: a number of groups is 5497558139136, above 1000, "
                   "before byte 372 of the binary part");
    refused_change(&m, "$Entities\n", 32 + 28, 8, 1001,
                   "cells:7: a number of groups is 1001, above 1000, before byte 68 of the binary "
                   "part");
    refused_change(&m, "$PartitionedEntities\n", 8, 8, HUGE_COUNT,
                   "cells:9: the file ends within binary numbers, before byte "
                   "1263 of the binary part");
    refused_change(&m, "$PartitionedEntities\n", 16 + 8 + 32 + 12, 8, UINT64_MAX,
                   "cells:9: a number of partitions is 18446744073709551615, "
                   "above 2147483647, before byte 76 of the binary part");
    refused_change(&m, "$Elements\n", 32 + 12, 8, HUGE_COUNT,
                   "cells:14: an element is 4294967307, above 2147483647, before "
                   "byte 84 of the binary part");
    refused_change(&m, "$Elements\n", 32 + 12 + 8 + 8, 8, 13,
                   "cells:13: cell 0: there is no node 13");
    make_gmsh_lines_2(&m, false);
    refused_change(&m, "$Elements\n8\n", 4, 4, 9,
                   "cells:12: 9 elements where 8 are left, before byte 12 of "
                   "the binary part");
    refused_change(&m, "$Elements\n8\n", 4, 4, 0,
                   "cells:12: 0 elements where 8 are left, before byte 12 of "
                   "the binary part");
    refused_change(&m, "$Elements\n8\n", 8, 4, 1001,
                   "cells:12: a number of tags is 1001, above 1000, before byte "
                   "12 of the binary part");
    refused_change(&m, "$Elements\n8\n", 8, 4, 1000,
                   "cells:12: the file ends within binary numbers, before byte "
                   "334 of the binary part");
}

static void test_meshb(void **state)
{
    making m;
    (void)state;
    for (int k = 0; k < 8; k++) {
        solid_cells cells;
        io_message message = {""};
        make_meshb(&m, k % 2, k / 2 + 1);
        check_box("meshb", m.bytes, m.count, 0);
        check_data(m.bytes, m.count, "medit:ref", 0, 5);
        assert_true(read_bytes(&cells, m.bytes, m.count, &message));
        assert_true(cells.num_creases == 1 && cells.crease[0] == 0 && cells.crease[1] == 1);
        assert_true(cells.num_corners == 1 && cells.corner[0] == 2);
        solid_cells_clear(&cells);
        if (k % 3 == 0) check_beginnings(&m);
    }
}

static void test_meshb_refused(void **state)
{
    static const unsigned char others[] = {30, 33, 46, 86, 87, 96, 103};
    static const char *const names[] = {"TetrahedraP2", "HexahedraQ3", "PrismsP2", "PyramidsP2",
                                        "Polyhedra"};
    char text[200], words[200];
    making m;
    (void)state;
    make_meshb(&m, false, 2);
    m.bytes[16] = 2;
    refused_binary(&m,
                   "cells:1: a solid has dimension 3, not 2, before byte 20 of the binary part");
    make_meshb(&m, false, 2);
    m.bytes[4] = 5;
    refused_binary(&m, "cells:1: the version is 5, above 4, before byte 8 of the binary part");
    for (size_t i = 0; i < sizeof(others); i++) {
        make_meshb(&m, false, 2);
        m.bytes[20] = others[i]; /* vertices as cells of order 2 and the like */
        snprintf(words, sizeof(words),
                 "cells:1: cells of order above 1 and polyhedra (list %d) are not read, before "
                 "byte 28 of the binary part",
                 others[i]);
        refused_binary(&m, words);
    }
    make_meshb(&m, false, 2);
    m.bytes[24] = 40; /* the vertices' end */
    m.bytes[25] = 0;
    refused_binary(&m, "cells:1: list 4 is too long, before byte 368 of the binary part");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(text, sizeof(text), "MeshVersionFormatted 2 Dimension 3 Vertices 0 %s 1",
                 names[i]);
        snprintf(words, sizeof(words), "cells:1: %s are not read: only cells of order 1", names[i]);
        refused(text, words);
    }
}

/* Files of others are called by their names, with what to do. */
static void test_foreign(void **state)
{
    (void)state;
    refused("ISO-10303-21;\nHEADER;\n", "cells: a STEP file, which its name should say");
    refused("\x89PNG\r\n", "cells: a PNG image, which its name should say");
    refused("*HEADING\n", "cells: an Abaqus file; convert it to VTK, VTU, MEDIT or Gmsh, as meshio "
                          "does");
    refused("\x1f\x8b\b", "cells: a file compressed by gzip; unpack it, as by gunzip -c FILE | "
                          "clspline .. -");
}

/* ---- cells ---- */

/* A wedge that others begin with the triangle as it is seen from the other one. */
static void test_wedges(void **state)
{
    static const uint32_t turned[6] = {0, 2, 1, 3, 5, 4};
    static const char *const texts[] = {"MeshVersionFormatted 1\nDimension 3\nVertices 6 0 0 0 0 1 "
                                        "0 0 0 0 1 0 0 0 0 1 0 1 0 1 0 0 1 "
                                        "1 0 Prisms 1 1 2 3 4 5 6 0 End\n",
                                        "MFEM mesh v1.0\ndimension 3 elements 1 1 6 0 1 2 3 4 5 "
                                        "vertices 6 3 0 0 0 1 0 0 0 1 0 0 0 1 1 "
                                        "0 1 0 1 1\n",
                                        "$Nodes\n6\n1 0 0 0 2 1 0 0 3 0 1 0 4 0 0 1 5 1 0 1 6 0 1 "
                                        "1\n$EndNodes\n$Elements\n1\n1 6 0 "
                                        "1 2 3 4 5 6\n$EndElements\n"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        solid_cells cells;
        io_message message = {""};
        if (!read_bytes(&cells, texts[i], strlen(texts[i]), &message)) fail_msg("%s", message.text);
        assert_true(cells.num_cells == 1 && cells.kinds[0] == SOLID_WEDGE);
        assert_memory_equal(cells.index, turned, sizeof(turned));
        solid_cells_clear(&cells);
    }
}

static void test_cells(void **state)
{
    static const char text[] =
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n"
        "0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1\nCELLS 2 11\n8 0 1 2 3 4 5 6 7\n"
        "1 0\nCELL_TYPES 2 11 1\n";
    static const uint32_t hexahedron[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    static const char poly[] =
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
        "9 9 9 0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 1 18\n17 4 3 1 2 3 3 1 2 4 3 2 3 4 3 1 3 4\n"
        "CELL_TYPES 1 42\n";
    solid_cells cells;
    io_message message = {""};
    (void)state;
    assert_true(read_bytes(&cells, text, strlen(text), &message));
    assert_true(cells.num_cells == 1 && cells.kinds[0] == SOLID_HEXAHEDRON);
    assert_memory_equal(cells.index, hexahedron, sizeof(hexahedron));
    solid_cells_clear(&cells);
    assert_true(read_bytes(&cells, poly, strlen(poly), &message));
    assert_int_equal(cells.num_isolated, 1);
    assert_int_equal(cells.num_points, 4);
    assert_int_equal(cells.kinds[0], SOLID_POLYHEDRON);
    assert_int_equal(cells.num_indices, 17);
    assert_true(cells.index[0] == 4 && cells.index[1] == 3 && cells.index[2] == 2);
    solid_cells_clear(&cells);
}

/* Values go with the points that are left. */
static void test_isolated(void **state)
{
    static const char text[] =
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
        "0 0 0 9 9 9 1 0 0 0 1 0 0 0 1\nCELLS 1 5\n4 0 2 3 4\nCELL_TYPES 1 10\nPOINT_DATA 5\n"
        "VECTORS v float\n0 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n";
    static const double left[12] = {0, 1, 2, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    solid_cells cells;
    io_message message = {""};
    (void)state;
    assert_true(read_bytes(&cells, text, strlen(text), &message));
    assert_true(cells.num_points == 4 && cells.num_isolated == 1);
    assert_int_equal(cells.arrays[0].count, 12);
    assert_memory_equal(cells.arrays[0].values, left, sizeof(left));
    solid_cells_clear(&cells);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vtk),
        cmocka_unit_test(test_binary_vtk),
        cmocka_unit_test(test_bad_vtk),
        cmocka_unit_test(test_vtu),
        cmocka_unit_test(test_bad_vtu),
        cmocka_unit_test(test_medit),
        cmocka_unit_test(test_mfem),
        cmocka_unit_test(test_gmsh),
        cmocka_unit_test(test_gmsh_binary),
        cmocka_unit_test(test_meshb),
        cmocka_unit_test(test_meshb_refused),
        cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_cells),
        cmocka_unit_test(test_vtu_faces),
        cmocka_unit_test(test_vtk_data),
        cmocka_unit_test(test_vtk_names),
        cmocka_unit_test(test_vtu_names),
        cmocka_unit_test(test_vtu_raw),
        cmocka_unit_test(test_wedges),
        cmocka_unit_test(test_isolated),
        cmocka_unit_test(test_gmsh_lines),
        cmocka_unit_test(test_gmsh_counts),
        cmocka_unit_test(test_gmsh_text_lines),
    };
    return cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
}
