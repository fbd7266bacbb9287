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
    const char *mark, *name;
    const char *unpack; /* the command that does it */
    const char *reader; /* the subcommand that reads it */
} foreign_format;

/* Finds a format by a file's first bytes; NULL: none of these. */
static const foreign_format *find_format(const unsigned char *text, size_t count)
{
    static const foreign_format iges = {.name = "an IGES file", .reader = "bspline"},
                                binary = {.name = "an IGES file in binary form"},
                                compressed = {.name = "an IGES file in compressed form"};
    static const foreign_format known[] = {
        {STEP_MARK, "a STEP file", NULL, "bspline"},
        {"3D Geometry File Format", "a Rhino 3DM file", NULL, NULL},
        {"DBRep_DrawableShape", "a BREP file of Open CASCADE", NULL, NULL},
        {"CASCADE Topology", "a BREP file of Open CASCADE", NULL, NULL},
        {"ply", "a PLY file", NULL, NULL},
        {"OFF", "an OFF file", NULL, NULL},
        {"COFF", "an OFF file", NULL, NULL},
        {"NOFF", "an OFF file", NULL, NULL},
        {"# .PCD", "a PCD file", NULL, NULL},
        {"VERSION .7", "a PCD file", NULL, NULL},
        {"LASF", "a LAS file", NULL, NULL},
        {"glTF", "a glTF file", NULL, NULL},
        {"\x89HDF", "an HDF5 file (CGNS, MED and others)", NULL, NULL},
        {"CDF", "a NetCDF file (Exodus and others)", NULL, NULL},
        {"*HEADING", "an Abaqus file", NULL, NULL},
        {"*Heading", "an Abaqus file", NULL, NULL},
        {"\x1f\x8b", "a file compressed by gzip", "gunzip -c", NULL},
        {"\xfd"
         "7zXZ",
         "a file compressed by xz", "xz -dc", NULL},
        {"BZh", "a file compressed by bzip2", "bunzip2 -c", NULL},
        {"(\xb5/\xfd", "a file compressed by zstd", "zstd -dc", NULL},
        {"PK\x03\x04", "a ZIP archive", "unzip -p", NULL},
        {"# vtk DataFile", "a VTK file", NULL, "solid"},
        {"<VTKFile", "a VTK file", NULL, "solid"},
        {"$MeshFormat", "a Gmsh file", NULL, "solid"},
        {"MeshVersionFormatted", "a MEDIT file", NULL, "solid"},
        {"\x89PNG", "a PNG image", NULL, "image"},
        {"\xff\xd8\xff", "a JPEG image", NULL, "image"}};
    if (is_iges(text, count, 'S')) return &iges;
    if (is_iges(text, count, 'B')) return &binary;
    if (is_iges(text, count, 'C')) return &compressed;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const size_t length = strlen(known[i].mark);
        if (count <= length || memcmp(text, known[i].mark, length) != 0) continue;
        if (isalpha((unsigned char)known[i].mark[length - 1]) && isalnum(text[length])) continue;
        return &known[i];
    }
    return NULL;
}

bool foreign_refuse(scanner *s, const char *formats, const char *own)
{
    const unsigned char *text;
    const size_t count = scanner_buffered(s, &text);
    const foreign_format *const format = count > 0 ? find_format(text, count) : NULL;
    if (!format || (format->reader && own && strcmp(format->reader, own) == 0)) return false;
    s->failed = true;
    if (format->unpack)
        io_fail(s->message, "%s: %s; unpack it, as by %s FILE | clspline .. -", s->name,
                format->name, format->unpack);
    else if (format->reader)
        io_fail(s->message, "%s: %s, which 'clspline %s' reads", s->name, format->name,
                format->reader);
    else
        io_fail(s->message, "%s: %s; convert it to %s", s->name, format->name, formats);
    return true;
}

bool foreign_is_iges(scanner *s)
{
    const unsigned char *text;
    const size_t count = scanner_buffered(s, &text);
    return is_iges(text, count, 'S');
}

bool foreign_is_step(scanner *s)
{
    const unsigned char *text;
    const size_t length = strlen(STEP_MARK), count = scanner_buffered(s, &text);
    return count >= length && memcmp(text, STEP_MARK, length) == 0;
}
