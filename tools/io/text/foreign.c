#include "foreign.h"

#include <ctype.h>
#include <string.h>

enum { IGES_COLUMN = 72 /* of a line, where the letter of its section stands */ };

/* Tells whether the first line is one of 80 characters that begins the start section of IGES. */
static bool is_iges(const unsigned char *text, size_t count)
{
    size_t length = 0;
    while (length < count && text[length] != '\n' && text[length] != '\r')
        length++;
    if (length != 80 || text[IGES_COLUMN] != 'S') return false;
    for (size_t i = IGES_COLUMN + 1; i < length; i++)
        if (text[i] != ' ' && !isdigit(text[i])) return false;
    return true;
}

/* Finds the name of a format by its first bytes; NULL: none of these. */
static const char *find_name(const unsigned char *text, size_t count, const char **unpack)
{
    static const struct {
        const char *mark, *name, *unpack; /* unpack: the command that does it */
    } known[] = {{"ISO-10303-21;", "a STEP file", NULL},
                 {"3D Geometry File Format", "a Rhino 3DM file", NULL},
                 {"DBRep_DrawableShape", "a BREP file of Open CASCADE", NULL},
                 {"CASCADE Topology", "a BREP file of Open CASCADE", NULL},
                 {"ply", "a PLY file", NULL},
                 {"OFF", "an OFF file", NULL},
                 {"COFF", "an OFF file", NULL},
                 {"NOFF", "an OFF file", NULL},
                 {"# .PCD", "a PCD file", NULL},
                 {"VERSION .7", "a PCD file", NULL},
                 {"LASF", "a LAS file", NULL},
                 {"glTF", "a glTF file", NULL},
                 {"\x89HDF", "an HDF5 file (CGNS, MED and others)", NULL},
                 {"CDF", "a NetCDF file (Exodus and others)", NULL},
                 {"*HEADING", "an Abaqus file", NULL},
                 {"*Heading", "an Abaqus file", NULL},
                 {"\x1f\x8b", "a file compressed by gzip", "gunzip -c"},
                 {"\xfd"
                  "7zXZ",
                  "a file compressed by xz", "xz -dc"},
                 {"BZh", "a file compressed by bzip2", "bunzip2 -c"},
                 {"(\xb5/\xfd", "a file compressed by zstd", "zstd -dc"},
                 {"PK\x03\x04", "a ZIP archive", "unzip -p"}};
    *unpack = NULL;
    if (is_iges(text, count)) return "an IGES file";
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const size_t length = strlen(known[i].mark);
        if (count <= length || memcmp(text, known[i].mark, length) != 0) continue;
        if (isalpha((unsigned char)known[i].mark[length - 1]) && isalnum(text[length])) continue;
        *unpack = known[i].unpack;
        return known[i].name;
    }
    return NULL;
}

bool foreign_refuse(scanner *s, const char *formats)
{
    const unsigned char *text;
    const char *unpack;
    const size_t count = scanner_buffered(s, &text);
    const char *name = count > 0 ? find_name(text, count, &unpack) : NULL;
    if (!name) return false;
    s->failed = true;
    if (unpack)
        io_fail(s->message, "%s: %s; unpack it, as by %s FILE | clspline .. -", s->name, name,
                unpack);
    else
        io_fail(s->message, "%s: %s; convert it to %s", s->name, name, formats);
    return true;
}
