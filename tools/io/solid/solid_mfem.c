/* MFEM's mesh files of version 1, with vertices. */
#include <string.h>

#include "solid_file.h"

enum { MAX_GEOMETRY = 7 };

/* Of each geometry: the cell that it is, 0: none, and how many vertices it has. */
static const struct {
    int kind;
    uint32_t vertices;
} geometries[MAX_GEOMETRY + 1] = {{0, 1},
                                  {0, 2},
                                  {0, 3},
                                  {0, 4},
                                  {SOLID_TETRAHEDRON, 4},
                                  {SOLID_HEXAHEDRON, 8},
                                  {SOLID_WEDGE, 6},
                                  {SOLID_PYRAMID, 5}};

/* Reads elements; cells NULL: of the boundary, which are left out. */
static bool read_elements(solid_cells *cells, scanner *s)
{
    uint32_t count, geometry, vertex;
    double attribute;
    if (!scanner_count(s, "a number of elements", INT32_MAX, &count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_real(s, "an attribute", &attribute) ||
            !scanner_count(s, "a geometry", MAX_GEOMETRY, &geometry))
            return false;
        if (cells && geometries[geometry].kind) {
            if (!solid_scan_cell(cells, s, geometries[geometry].kind)) return false;
            if (!solid_cells_label(cells, SOLID_MFEM_LABEL, attribute)) return solid_scan_memory(s);
            continue;
        }
        for (uint32_t k = 0; k < geometries[geometry].vertices; k++)
            if (!scanner_count(s, "a vertex", INT32_MAX, &vertex)) return false;
    }
    return true;
}

static bool fail_nodes(scanner *s)
{
    return scanner_fail(s, s->word_line,
                        "nodes, of cells that are curved: only meshes with vertices are read");
}

static bool read_vertices(solid_cells *cells, scanner *s)
{
    uint32_t count, dimension;
    if (!scanner_count(s, "a number of vertices", INT32_MAX, &count) ||
        !solid_scan_word(s, "a dimension"))
        return false;
    if (strcmp(s->word, "nodes") == 0) return fail_nodes(s);
    if (!scanner_count_here(s, "a dimension", 3, &dimension)) return false;
    if (dimension != 3)
        return scanner_fail(s, s->word_line, "vertices of a solid have 3 coordinates, not %u",
                            (unsigned)dimension);
    return solid_scan_points(cells, s, count);
}

bool solid_mfem_read(solid_cells *cells, scanner *s)
{
    char text[SCANNER_SHOWN + 4];
    bool done =
        solid_scan_word(s, "MFEM") && solid_scan_word(s, "mesh") && solid_scan_word(s, "a version");
    if (done && strcmp(s->word, "v1.0") != 0)
        return scanner_fail(s, s->word_line, "version %s, and v1.0 is read",
                            scanner_shown(s, text));
    while (done && scanner_word(s)) {
        if (strcmp(s->word, "dimension") == 0)
            done = solid_scan_dimension(s);
        else if (strcmp(s->word, "elements") == 0)
            done = read_elements(cells, s);
        else if (strcmp(s->word, "boundary") == 0)
            done = read_elements(NULL, s);
        else if (strcmp(s->word, "vertices") == 0)
            done = read_vertices(cells, s);
        else if (strcmp(s->word, "nodes") == 0)
            done = fail_nodes(s);
        else
            done = scanner_fail(s, s->word_line, "'%s' where a section was expected",
                                scanner_shown(s, text));
    }
    return done && !s->failed;
}
