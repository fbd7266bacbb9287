#include "solid_file.h"

#include <string.h>

#include "foreign.h"
#include "input.h"

/* ---- in common ---- */

bool solid_scan_memory(scanner *s)
{
    return scanner_fail(s, s->line, "not enough memory");
}

bool solid_scan_word(scanner *s, const char *what)
{
    if (scanner_word(s)) return true;
    return !s->failed && scanner_fail(s, s->line, "the file ends where %s was expected", what);
}

bool solid_scan_dimension(scanner *s)
{
    uint32_t dimension;
    if (!scanner_count(s, "a dimension", 3, &dimension)) return false;
    return dimension == 3 ||
           scanner_fail(s, s->word_line, "a solid has dimension 3, not %u", (unsigned)dimension);
}

void solid_turn_wedge(uint32_t vertices[6])
{
    for (int i = 1; i < 6; i += 3) {
        const uint32_t v = vertices[i];
        vertices[i] = vertices[i + 1];
        vertices[i + 1] = v;
    }
}

bool solid_scan_cell(solid_cells *cells, scanner *s, int kind)
{
    uint32_t v[12];
    const uint32_t count = solid_kind_vertices(kind);
    for (uint32_t i = 0; i < count; i++)
        if (!scanner_count(s, "a vertex", INT32_MAX, &v[i])) return false;
    if (kind == SOLID_WEDGE) solid_turn_wedge(v);
    return solid_cells_add(cells, kind, v, count) || solid_scan_memory(s);
}

bool solid_scan_points(solid_cells *cells, scanner *s, uint32_t count)
{
    double p[3];
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            if (!scanner_real(s, "a coordinate", &p[k])) return false;
        if (!solid_cells_point(cells, p[0], p[1], p[2])) return solid_scan_memory(s);
    }
    return true;
}

/* ---- files ---- */

typedef bool (*solid_reader)(solid_cells *cells, scanner *s);

/* Tells whether the text that is there begins so. */
static bool begins_with(const unsigned char *text, size_t count, const char *mark)
{
    return count >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0;
}

/* Tells whether the file begins with the number 1 in 4 bytes, in either order, as .meshb files do.
 */
static bool is_meshb(scanner *s)
{
    static const unsigned char little[4] = {1, 0, 0, 0}, big[4] = {0, 0, 0, 1};
    const unsigned char *from;
    return scanner_buffered(s, &from) >= 4 &&
           (memcmp(from, little, 4) == 0 || memcmp(from, big, 4) == 0);
}

/* Finds the reader by how the file begins, behind white space and comments. NULL: it is none. */
static solid_reader find_reader(scanner *s)
{
    static const struct {
        const char *mark;
        solid_reader reader;
    } known[] = {{"# vtk DataFile", solid_vtk_read},
                 {"<?xml", solid_vtu_read},
                 {"<VTKFile", solid_vtu_read},
                 {"MFEM mesh", solid_mfem_read},
                 {"$", solid_gmsh_read},
                 {"MeshVersionFormatted", solid_medit_read},
                 {"\"MeshVersion", solid_medit_read}};
    if (is_meshb(s)) return solid_meshb_read;
    for (;;) {
        const int c = scanner_peek(s);
        if (c == SCANNER_END) return NULL;
        const unsigned char *text = s->buffer + s->next;
        const size_t count = s->filled - s->next;
        for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
            if (begins_with(text, count, known[i].mark)) return known[i].reader;
        if (c == '#')
            scanner_skip_line(s);
        else if (c == ' ' || (c >= '\t' && c <= '\r'))
            scanner_take(s);
        else
            return NULL;
    }
}

bool solid_file_suits(scanner *s)
{
    return find_reader(s) != NULL;
}

bool solid_file_read(solid_cells *cells, FILE *file, const char *name, const io_progress *progress,
                     io_message *message)
{
    scanner scan;
    scanner_init(&scan, file, name, message);
    scan.progress = progress;
    *cells = (solid_cells){.num_points = 0};
    const bool is_foreign =
        foreign_refuse(&scan, "VTK, VTU, MEDIT or Gmsh, as meshio does", FILE_CELLS);
    const solid_reader reader = is_foreign ? NULL : find_reader(&scan);
    bool done = !scan.failed;
    if (done && !reader)
        done = scanner_fail(&scan, scan.line,
                            "this is no VTK, VTU, MEDIT, MFEM or Gmsh file in a form that is read");
    done = done && reader(cells, &scan) && solid_cells_finish(cells, name, message);
    if (!done) solid_cells_clear(cells);
    return done;
}

bool solid_file_open(solid_cells *cells, const char *path, const io_progress *progress,
                     io_message *message)
{
    input in;
    *cells = (solid_cells){.num_points = 0};
    const bool done = input_open(&in, path, message) &&
                      solid_file_read(cells, in.file, in.name, progress, message);
    input_close(&in);
    return done;
}
