#include "foreign.h"

#include <ctype.h>
#include <string.h>

#define STEP_MARK "ISO-10303-21;"

enum { IGES_COLUMN = 72 /* of a line, where the letter of its section stands */ };

/* Tells whether the first line is one of 80 characters, with a letter and a number at its end, that
   begins a form of IGES: S its start section, B the binary and C the compressed form. */
static bool is_iges(const unsigned char *text, size_t count, char letter)
{
    size_t length = 0;
    while (length < count && text[length] != '\n' && text[length] != '\r')
        length++;
    while (length > 80 && text[length - 1] == ' ')
        length--;
    if (length != 80 || text[IGES_COLUMN] != letter) return false;
    for (size_t i = IGES_COLUMN + 1; i < length; i++)
        if (text[i] != ' ' && !isdigit(text[i])) return false;
    return true;
}

typedef struct foreign_format {
    const char *name;
    file_kind kind;
    const char *unpack; /* the command that does it */
} foreign_format;

/* Tells whether the first lines, behind blank ones and comments, are those of Wavefront's OBJ. */
static bool is_obj(const unsigned char *text, size_t count)
{
    static const char *const words[] = {"v ", "vn ", "vt ", "vp ", "mtllib ", "usemtl "};
    for (size_t at = 0, end; at < count; at = end + 1) {
        const size_t left = count - at;
        for (end = at; end < count && text[end] != '\n';)
            end++;
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            if (left > strlen(words[i]) && memcmp(text + at, words[i], strlen(words[i])) == 0)
                return true;
        const bool goes_on = left > 1 && text[at] && strchr("ogs", text[at]) && text[at + 1] == ' ';
        if (!goes_on && text[at] != '#' && !isspace(text[at])) return false;
    }
    return false;
}

/* Tells whether words are among the first bytes. */
static bool has_words(const unsigned char *text, size_t count, const char *words)
{
    const size_t length = strlen(words);
    for (size_t i = 0; i + length <= count; i++)
        if (memcmp(text + i, words, length) == 0) return true;
    return false;
}

/* Tells whether a file is of STL's binary form, which has no mark but the number of its triangles,
   or of the text form. */
static bool is_stl(const unsigned char *text, size_t count, uint64_t size)
{
    enum { HEAD = 80, TRIANGLE = 50 };
    if (has_words(text, count < 5 ? count : 5, "solid") && has_words(text, count, "facet normal"))
        return true;
    if (count < HEAD + 4 || size == UINT64_MAX) return false;
    uint64_t num = 0;
    for (size_t i = 4; i-- > 0;)
        num = num << 8 | text[HEAD + i];
    return size == HEAD + 4 + TRIANGLE * num;
}

/* Tells whether the text begins as an object of GoTools: its class, its version and two zeros. Rows
   of numbers may begin so too. */
static bool is_g2(const unsigned char *text, size_t count)
{
    static const char *const heads[] = {"100 1 0 0", "200 1 0 0", "700 1 0 0"};
    for (size_t i = 0; i < 3; i++)
        if (count > 9 && memcmp(text, heads[i], 9) == 0 && isspace(text[9])) return true;
    return false;
}

/* Finds a format that has no mark at its beginning, or one that numbers alone may have. */
static const foreign_format *find_unmarked(const scanner *s, const unsigned char *text,
                                           size_t count, file_kind own)
{
    static const foreign_format iges = {.name = "an IGES file", .kind = FILE_SPLINES},
                                binary = {.name = "an IGES file in binary form"},
                                compressed = {.name = "an IGES file in compressed form"},
                                vtk = {.name = "a VTK file", .kind = FILE_CELLS},
                                xml = {.name = "an XML file"},
                                obj = {.name = "an OBJ file of Wavefront"},
                                stl = {.name = "an STL file"},
                                json = {.name = "a JSON file", .kind = FILE_SPLINES},
                                g2 = {.name = "a .g2 file", .kind = FILE_SPLINES};
    const bool is_xml = count > 5 && memcmp(text, "<?xml", 5) == 0;
    if (is_iges(text, count, 'S')) return &iges;
    if (is_iges(text, count, 'B')) return &binary;
    if (is_iges(text, count, 'C')) return &compressed;
    if (is_xml && has_words(text, count, "<VTKFile")) return &vtk;
    if (is_xml) return own == FILE_CELLS ? NULL : &xml;
    if (is_obj(text, count)) return &obj;
    if (is_stl(text, count, s->size)) return &stl;
    for (size_t i = 0; i < count && (isspace(text[i]) || text[i] == '{'); i++)
        if (text[i] == '{') return &json;
    return own != FILE_POINTS && is_g2(text, count) ? &g2 : NULL;
}

/* Finds a format by a file's first bytes; NULL: none of these. */
static const foreign_format *find_format(const scanner *s, const unsigned char *text, size_t count,
                                         file_kind own)
{
#define MARK(text) text, sizeof(text) - 1
    static const struct {
        const char *mark;
        size_t length;
        foreign_format format;
    } known[] = {{MARK(STEP_MARK), {"a STEP file", FILE_SPLINES, NULL}},
                 {MARK("3D Geometry File Format"), {"a Rhino 3DM file", FILE_UNKNOWN, NULL}},
                 {MARK("DBRep_DrawableShape"), {"a BREP file of Open CASCADE", FILE_SPLINES, NULL}},
                 {MARK("CASCADE Topology"), {"a BREP file of Open CASCADE", FILE_SPLINES, NULL}},
                 {MARK("ply"), {"a PLY file", FILE_UNKNOWN, NULL}},
                 {MARK("OFF"), {"an OFF file", FILE_UNKNOWN, NULL}},
                 {MARK("COFF"), {"an OFF file", FILE_UNKNOWN, NULL}},
                 {MARK("NOFF"), {"an OFF file", FILE_UNKNOWN, NULL}},
                 {MARK("# .PCD"), {"a PCD file", FILE_UNKNOWN, NULL}},
                 {MARK("VERSION .7"), {"a PCD file", FILE_UNKNOWN, NULL}},
                 {MARK("LASF"), {"a LAS file", FILE_UNKNOWN, NULL}},
                 {MARK("glTF"), {"a glTF file", FILE_UNKNOWN, NULL}},
                 {MARK("\x89HDF"),
                  {"an HDF5 file (of VTKHDF, clspline.read in Python)", FILE_UNKNOWN, NULL}},
                 {MARK("CDF"), {"a NetCDF file (Exodus and others)", FILE_UNKNOWN, NULL}},
                 {MARK("*HEADING"), {"an Abaqus file", FILE_UNKNOWN, NULL}},
                 {MARK("*Heading"), {"an Abaqus file", FILE_UNKNOWN, NULL}},
                 {MARK("\x1f\x8b"), {"a file compressed by gzip", FILE_UNKNOWN, "gunzip -c"}},
                 {MARK("\xfd"
                       "7zXZ"),
                  {"a file compressed by xz", FILE_UNKNOWN, "xz -dc"}},
                 {MARK("BZh"), {"a file compressed by bzip2", FILE_UNKNOWN, "bunzip2 -c"}},
                 {MARK("(\xb5/\xfd"), {"a file compressed by zstd", FILE_UNKNOWN, "zstd -dc"}},
                 {MARK("PK\x03\x04"), {"a ZIP archive", FILE_UNKNOWN, "unzip -p"}},
                 {MARK("# vtk DataFile"), {"a VTK file", FILE_CELLS, NULL}},
                 {MARK("<VTKFile"), {"a VTK file", FILE_CELLS, NULL}},
                 {MARK("$MeshFormat"), {"a Gmsh file", FILE_CELLS, NULL}},
                 {MARK("MeshVersionFormatted"), {"a MEDIT file", FILE_CELLS, NULL}},
                 {MARK("\x89PNG"), {"a PNG image", FILE_IMAGE, NULL}},
                 {MARK("\xff\xd8\xff"), {"a JPEG image", FILE_IMAGE, NULL}},
                 {MARK("MFEM mesh"), {"an MFEM file", FILE_CELLS, NULL}},
                 {MARK("\1\0\0\0"), {"a MEDIT file", FILE_CELLS, NULL}},
                 {MARK("\0\0\0\1"), {"a MEDIT file", FILE_CELLS, NULL}},
                 {MARK("II*\0"), {"a TIFF image", FILE_IMAGE, NULL}},
                 {MARK("MM\0*"), {"a TIFF image", FILE_IMAGE, NULL}},
                 {MARK("II+\0"), {"a TIFF image", FILE_IMAGE, NULL}},
                 {MARK("MM\0+"), {"a TIFF image", FILE_IMAGE, NULL}},
                 {MARK("\x5c\1\0\0"), {"a NIfTI image", FILE_IMAGE, NULL}},
                 {MARK("\x1c\2\0\0"), {"a NIfTI image", FILE_IMAGE, NULL}},
                 {MARK("\0\0\1\x5c"), {"a NIfTI image", FILE_IMAGE, NULL}},
                 {MARK("\0\0\2\x1c"), {"a NIfTI image", FILE_IMAGE, NULL}},
                 {MARK("\x93NUMPY"), {"an .npy array", FILE_IMAGE, NULL}}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const size_t length = known[i].length;
        if (count <= length || memcmp(text, known[i].mark, length) != 0) continue;
        if (isalpha((unsigned char)known[i].mark[length - 1]) && isalnum(text[length])) continue;
        return &known[i].format;
    }
#undef MARK
    return find_unmarked(s, text, count, own);
}

bool foreign_refuse(scanner *s, const char *formats, file_kind own)
{
    const unsigned char *text;
    const size_t count = scanner_buffered(s, &text);
    const foreign_format *const format = count > 0 ? find_format(s, text, count, own) : NULL;
    if (!format || (format->kind && format->kind == own)) return false;
    s->failed = true;
    if (format->unpack)
        io_fail(s->message, "%s: %s; unpack it, as by %s FILE | clspline .. -", s->name,
                format->name, format->unpack);
    else if (format->kind)
        io_fail(s->message, "%s: %s, which its name should say", s->name, format->name);
    else
        io_fail(s->message, "%s: %s; convert it to %s", s->name, format->name, formats);
    return true;
}

file_kind foreign_kind(scanner *s)
{
    const unsigned char *text;
    const size_t count = scanner_buffered(s, &text);
    const foreign_format *const format =
        count > 0 ? find_format(s, text, count, FILE_UNKNOWN) : NULL;
    return format ? format->kind : FILE_UNKNOWN;
}

bool foreign_is_cad(scanner *s)
{
    const unsigned char *text;
    const size_t count = scanner_buffered(s, &text), begin = count < 256 ? count : 256;
    return is_iges(text, count, 'S') || has_words(text, begin, STEP_MARK) ||
           has_words(text, begin, "DBRep_DrawableShape") ||
           has_words(text, begin, "CASCADE Topology V");
}
