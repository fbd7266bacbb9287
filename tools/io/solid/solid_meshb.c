/* MEDIT's .meshb files: the lists of .mesh ones in binary, each behind its number and the place in
   the file where the next one is (LoicMarechal's libMeshb). */

#include "binary.h"
#include "solid_file.h"
#include "solid_medit.h"

/* Numbers of lists. */
enum {
    LIST_DIMENSION = 3,
    LIST_VERTICES = 4,
    LIST_EDGES = 5,
    LIST_TETRAHEDRA = 8,
    LIST_PRISMS = 9,
    LIST_HEXAHEDRA = 10,
    LIST_CORNERS = 13,
    LIST_RIDGES = 14,
    LIST_TETRAHEDRA_P2 = 30,
    LIST_HEXAHEDRA_Q2 = 33,
    LIST_POLYHEDRA = 46,
    LIST_PYRAMIDS = 49,
    LIST_END = 54,
    LIST_PRISMS_P2 = 86,
    LIST_PYRAMIDS_P2 = 87,
    LIST_TETRAHEDRA_P3 = 96, /* and the cells of higher order behind it */
    LIST_PRISMS_P4 = 103
};

typedef struct meshb_file {
    binary b;
    solid_cells *cells;
    medit_edges edges;
    uint32_t integer, real, place, count; /* bytes of each kind of number */
} meshb_file;

static bool fail_memory(meshb_file *f)
{
    return solid_scan_memory(f->b.scan);
}

static bool read_vertex(meshb_file *f, uint32_t *vertex)
{
    if (!binary_count(&f->b, f->integer, "a vertex", INT32_MAX, vertex)) return false;
    if (*vertex == 0) return binary_fail(&f->b, "vertices are numbered from 1");
    --*vertex;
    return true;
}

static bool read_point(meshb_file *f)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        if (!binary_real(&f->b, f->real, "a coordinate", &p[k])) return false;
    if (!binary_skip(&f->b, f->integer)) return false;
    return solid_cells_point(f->cells, p[0], p[1], p[2]) || fail_memory(f);
}

static bool read_cell(meshb_file *f, int kind)
{
    uint32_t v[8];
    int64_t label;
    const uint32_t count = solid_kind_vertices(kind);
    for (uint32_t i = 0; i < count; i++)
        if (!read_vertex(f, &v[i])) return false;
    if (!binary_integer(&f->b, f->integer, &label)) return false;
    if (kind == SOLID_WEDGE) solid_turn_wedge(v);
    return (solid_cells_add(f->cells, kind, v, count) &&
            solid_cells_label(f->cells, SOLID_MEDIT_LABEL, (double)label)) ||
           fail_memory(f);
}

static bool read_edge(meshb_file *f)
{
    uint32_t from, to;
    if (!read_vertex(f, &from) || !read_vertex(f, &to) || !binary_skip(&f->b, f->integer))
        return false;
    return medit_edges_add(&f->edges, from, to) || fail_memory(f);
}

/* Reads an item of a list. */
static bool read_item(meshb_file *f, uint32_t list)
{
    uint32_t number;
    switch (list) {
    case LIST_VERTICES:
        return read_point(f);
    case LIST_EDGES:
        return read_edge(f);
    case LIST_TETRAHEDRA:
        return read_cell(f, SOLID_TETRAHEDRON);
    case LIST_PRISMS:
        return read_cell(f, SOLID_WEDGE);
    case LIST_HEXAHEDRA:
        return read_cell(f, SOLID_HEXAHEDRON);
    case LIST_PYRAMIDS:
        return read_cell(f, SOLID_PYRAMID);
    case LIST_CORNERS:
        if (!read_vertex(f, &number)) return false;
        return solid_cells_corner(f->cells, number) || fail_memory(f);
    default:
        if (!binary_count(&f->b, f->integer, "an edge", INT32_MAX, &number)) return false;
        return medit_edges_add_ridge(&f->edges, number) || fail_memory(f);
    }
}

static bool is_read(uint32_t list)
{
    return (list >= LIST_VERTICES && list <= LIST_EDGES) ||
           (list >= LIST_TETRAHEDRA && list <= LIST_HEXAHEDRA) || list == LIST_CORNERS ||
           list == LIST_RIDGES || list == LIST_PYRAMIDS;
}

/* Tells whether a list has cells that are not read, which must not be missing in silence. */
static bool is_other_cells(uint32_t list)
{
    return list == LIST_TETRAHEDRA_P2 || list == LIST_HEXAHEDRA_Q2 || list == LIST_POLYHEDRA ||
           list == LIST_PRISMS_P2 || list == LIST_PYRAMIDS_P2 ||
           (list >= LIST_TETRAHEDRA_P3 && list <= LIST_PRISMS_P4);
}

/* Reads a list up to where the next one is. */
static bool read_list(meshb_file *f, uint32_t list, uint64_t end)
{
    uint32_t count, dimension;
    if (list == LIST_DIMENSION) {
        if (!binary_count(&f->b, 4, "a dimension", 3, &dimension)) return false;
        if (dimension != 3)
            return binary_fail(&f->b, "a solid has dimension 3, not %u", (unsigned)dimension);
    }
    if (is_read(list)) {
        if (!binary_count(&f->b, f->count, "a number of items", INT32_MAX, &count)) return false;
        for (uint32_t i = 0; i < count; i++)
            if (!read_item(f, list)) return false;
    }
    if (is_other_cells(list))
        return binary_fail(&f->b, "cells of order above 1 and polyhedra (list %u) are not read",
                           (unsigned)list);
    if (end == 0) return true; /* the last list */
    if (f->b.offset > end) return binary_fail(&f->b, "list %u is too long", (unsigned)list);
    return binary_skip(&f->b, end - f->b.offset);
}

/* Reads the byte order and the version, which tells how long numbers are. */
static bool read_head(meshb_file *f)
{
    uint32_t version;
    const unsigned char *first;
    if (scanner_buffered(f->b.scan, &first) < 4) return binary_fail(&f->b, "the file ends early");
    f->b.is_big = first[0] == 0;
    if (!binary_skip(&f->b, 4) || !binary_count(&f->b, 4, "the version", 4, &version)) return false;
    if (version == 0) return binary_fail(&f->b, "version 0, and 1 to 4 are read");
    f->integer = f->count = version < 4 ? 4 : 8;
    f->real = version < 2 ? 4 : 8;
    f->place = version < 3 ? 4 : 8;
    return true;
}

bool solid_meshb_read(solid_cells *cells, scanner *s)
{
    meshb_file f = {.b = {.scan = s}, .cells = cells};
    uint32_t list = 0;
    uint64_t end = 1;
    bool done = read_head(&f);
    while (done && list != LIST_END && end != 0) {
        done = binary_count(&f.b, 4, "the number of a list", INT32_MAX, &list) &&
               binary_size(&f.b, f.place, &end) && (list == LIST_END || read_list(&f, list, end));
    }
    done = done && medit_edges_mark(&f.edges, cells, s);
    medit_edges_clear(&f.edges);
    return done;
}
