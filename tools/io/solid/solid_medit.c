/* MEDIT's files: .mesh in text, and .meshb in binary, where each list stands behind its number and
   the place in the file where the next one is (LoicMarechal's libMeshb). */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "binary.h"
#include "solid_file.h"

/* Numbers of lists. */
enum {
    LIST_NONE,
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

typedef struct medit_file {
    binary b;
    solid_cells *cells;
    uint32_t *edges, *ridges; /* [num_edges][2], from 0 on; [num_ridges], from 1 on */
    size_t num_edges, edge_capacity, num_ridges, ridge_capacity;
    uint32_t integer, real, place; /* bytes of each kind of number */
} medit_file;

static bool fail_memory(medit_file *f)
{
    return solid_scan_memory(f->b.scan);
}

/* ---- items ---- */

static bool read_vertex(medit_file *f, uint32_t *vertex)
{
    if (!binary_count(&f->b, f->integer, "a vertex", INT32_MAX, vertex)) return false;
    if (*vertex == 0) return binary_fail(&f->b, "vertices are numbered from 1");
    --*vertex;
    return true;
}

static bool read_point(medit_file *f)
{
    double p[3], ignored;
    for (int k = 0; k < 3; k++)
        if (!binary_real(&f->b, f->real, "a coordinate", &p[k])) return false;
    if (!binary_mark(&f->b, f->integer, "a reference", &ignored)) return false;
    return solid_cells_point(f->cells, p[0], p[1], p[2]) || fail_memory(f);
}

static bool read_cell(medit_file *f, int kind)
{
    uint32_t v[8];
    double label;
    const uint32_t count = solid_kind_vertices(kind);
    for (uint32_t i = 0; i < count; i++)
        if (!read_vertex(f, &v[i])) return false;
    if (!binary_mark(&f->b, f->integer, "a reference", &label)) return false;
    if (kind == SOLID_WEDGE) solid_turn_wedge(v);
    return (solid_cells_add(f->cells, kind, v, count) &&
            solid_cells_label(f->cells, SOLID_MEDIT_LABEL, label)) ||
           fail_memory(f);
}

static bool read_edge(medit_file *f)
{
    double ignored;
    uint32_t *moved =
        array_reserve(f->edges, &f->edge_capacity, f->num_edges + 1, 2 * sizeof(*moved));
    if (!moved) return fail_memory(f);
    f->edges = moved;
    moved += 2 * f->num_edges++;
    return read_vertex(f, &moved[0]) && read_vertex(f, &moved[1]) &&
           binary_mark(&f->b, f->integer, "a reference", &ignored);
}

static bool read_ridge(medit_file *f)
{
    uint32_t *moved =
        array_reserve(f->ridges, &f->ridge_capacity, f->num_ridges + 1, sizeof(*moved));
    if (!moved) return fail_memory(f);
    f->ridges = moved;
    return binary_count(&f->b, f->integer, "an edge", INT32_MAX, &moved[f->num_ridges++]);
}

/* Makes creases of the ridges, once all edges are there. */
static bool mark_ridges(medit_file *f)
{
    for (size_t i = 0; i < f->num_ridges; i++) {
        const size_t e = f->ridges[i];
        if (e == 0 || e > f->num_edges)
            return scanner_fail(f->b.scan, f->b.scan->line,
                                "ridge %zu is edge %zu, and there are %zu", i + 1, e, f->num_edges);
        if (!solid_cells_crease(f->cells, f->edges[2 * e - 2], f->edges[2 * e - 1]))
            return fail_memory(f);
    }
    return true;
}

/* ---- lists ---- */

/* Reads an item of a list. */
static bool read_item(medit_file *f, uint32_t list)
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
        return read_ridge(f);
    }
}

/* The lists that are read, by their keywords in text. */
static const struct {
    const char *name;
    uint32_t list;
} lists[] = {{"Dimension", LIST_DIMENSION},
             {"Vertices", LIST_VERTICES},
             {"Edges", LIST_EDGES},
             {"Ridges", LIST_RIDGES},
             {"Corners", LIST_CORNERS},
             {"Hexahedra", LIST_HEXAHEDRA},
             {"Hexaedra", LIST_HEXAHEDRA},
             {"Tetrahedra", LIST_TETRAHEDRA},
             {"Tetraedra", LIST_TETRAHEDRA},
             {"Prisms", LIST_PRISMS},
             {"Pentahedra", LIST_PRISMS},
             {"Pyramids", LIST_PYRAMIDS},
             {"TetrahedraP", LIST_TETRAHEDRA_P2},
             {"HexahedraQ", LIST_HEXAHEDRA_Q2},
             {"PrismsP", LIST_PRISMS_P2},
             {"PyramidsP", LIST_PYRAMIDS_P2},
             {"Polyhedra", LIST_POLYHEDRA}};

enum { NUM_LISTS = sizeof(lists) / sizeof(lists[0]), NUM_READ = NUM_LISTS - 5 };

/* Tells whether a list has cells that are not read, which must not be missing in silence. */
static bool is_other_cells(uint32_t list)
{
    return (list >= LIST_TETRAHEDRA_P3 && list <= LIST_PRISMS_P4) || list == LIST_TETRAHEDRA_P2 ||
           list == LIST_HEXAHEDRA_Q2 || list == LIST_POLYHEDRA || list == LIST_PRISMS_P2 ||
           list == LIST_PYRAMIDS_P2;
}

static bool is_read(uint32_t list)
{
    for (size_t i = 0; i < NUM_READ; i++)
        if (lists[i].list == list) return true;
    return false;
}

/* Reads a list; what is not read is left to the caller. */
static bool read_list(medit_file *f, uint32_t list)
{
    uint32_t count;
    if (is_other_cells(list) && f->b.is_text)
        return binary_fail(&f->b, "%s are not read: only cells of order 1", f->b.scan->word);
    if (is_other_cells(list))
        return binary_fail(&f->b, "cells of order above 1 and polyhedra (list %u) are not read",
                           (unsigned)list);
    if (list == LIST_DIMENSION)
        return binary_count(&f->b, 4, "a dimension", 3, &count) &&
               (count == 3 ||
                binary_fail(&f->b, "a solid has dimension 3, not %u", (unsigned)count));
    if (!is_read(list)) return true;
    if (!binary_count(&f->b, f->integer, "a number of items", INT32_MAX, &count)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_item(f, list)) return false;
    return true;
}

/* ---- text ---- */

/* Finds the list whose keyword is the last word; keywords of other cells have an order behind
   them. */
static uint32_t find_list(const scanner *s)
{
    for (size_t i = 0; i < NUM_LISTS; i++) {
        const size_t length = strlen(lists[i].name);
        if (strncmp(s->word, lists[i].name, length) == 0 &&
            (s->word[length] == 0 || (i >= NUM_READ && i + 1 < NUM_LISTS)))
            return lists[i].list;
    }
    return LIST_NONE;
}

/* Leaves out numbers up to the next keyword. Returns whether there is one, in s->word. */
static bool skip_list(scanner *s)
{
    while (scanner_word(s))
        if (strchr("+-.0123456789", s->word[0]) == NULL) return true;
    return false;
}

static bool read_text(medit_file *f)
{
    scanner *const s = f->b.scan;
    uint32_t version;
    f->b.is_text = true;
    bool done =
        solid_scan_word(s, "MeshVersionFormatted") && scanner_count(s, "a version", 4, &version);
    bool more = done && scanner_word(s);
    while (done && more && strcmp(s->word, "End") != 0) {
        const uint32_t list = find_list(s);
        done = read_list(f, list);
        more = done && (list == LIST_NONE ? skip_list(s) : scanner_word(s));
    }
    return done && !s->failed;
}

/* ---- binary ---- */

/* Reads the byte order and the version, which tells how long numbers are. */
static bool read_head(medit_file *f)
{
    uint32_t version;
    const unsigned char *first;
    if (scanner_buffered(f->b.scan, &first) < 4) return binary_fail(&f->b, "the file ends early");
    f->b.is_big = first[0] == 0;
    if (!binary_skip(&f->b, 4) || !binary_count(&f->b, 4, "the version", 4, &version)) return false;
    if (version == 0) return binary_fail(&f->b, "version 0, and 1 to 4 are read");
    f->integer = version < 4 ? 4 : 8;
    f->real = version < 2 ? 4 : 8;
    f->place = version < 3 ? 4 : 8;
    return true;
}

static bool read_binary(medit_file *f)
{
    uint32_t list = LIST_NONE;
    uint64_t end = 1; /* 0: the last list */
    bool done = read_head(f);
    while (done && list != LIST_END && end != 0) {
        done = binary_count(&f->b, 4, "the number of a list", INT32_MAX, &list) &&
               binary_size(&f->b, f->place, &end);
        if (!done || list == LIST_END) break;
        done = read_list(f, list);
        if (done && end != 0 && f->b.offset > end)
            done = binary_fail(&f->b, "list %u is too long", (unsigned)list);
        if (done && end != 0) done = binary_skip(&f->b, end - f->b.offset);
    }
    return done;
}

static bool read_file(solid_cells *cells, scanner *s, bool (*read)(medit_file *f))
{
    medit_file f = {.b = {.scan = s}, .cells = cells};
    const bool done = read(&f) && mark_ridges(&f);
    free(f.edges);
    free(f.ridges);
    return done;
}

bool solid_medit_read(solid_cells *cells, scanner *s)
{
    return read_file(cells, s, read_text);
}

bool solid_meshb_read(solid_cells *cells, scanner *s)
{
    return read_file(cells, s, read_binary);
}
