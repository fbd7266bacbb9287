/* MEDIT's .mesh files in text. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "solid_file.h"
#include "solid_medit.h"

/* The lists of a file: so many numbers an item, and the cell that they are; 0: none. */
typedef struct medit_list {
    const char *name;
    int kind;
} medit_list;

static const medit_list lists[] = {
    {"Hexahedra", SOLID_HEXAHEDRON},   {"Hexaedra", SOLID_HEXAHEDRON},
    {"Tetrahedra", SOLID_TETRAHEDRON}, {"Tetraedra", SOLID_TETRAHEDRON},
    {"Prisms", SOLID_WEDGE},           {"Pentahedra", SOLID_WEDGE},
    {"Pyramids", SOLID_PYRAMID},       {NULL, 0}};

/* ---- edges ---- */

bool medit_edges_add(medit_edges *e, uint32_t from, uint32_t to)
{
    uint32_t *moved =
        array_reserve(e->edges, &e->edge_capacity, e->num_edges + 1, 2 * sizeof(*moved));
    if (!moved) return false;
    e->edges = moved;
    moved[2 * e->num_edges] = from;
    moved[2 * e->num_edges + 1] = to;
    e->num_edges++;
    return true;
}

bool medit_edges_add_ridge(medit_edges *e, uint32_t number)
{
    uint32_t *moved =
        array_reserve(e->ridges, &e->ridge_capacity, e->num_ridges + 1, sizeof(*moved));
    if (!moved) return false;
    e->ridges = moved;
    moved[e->num_ridges++] = number;
    return true;
}

bool medit_edges_mark(const medit_edges *f, solid_cells *cells, scanner *s)
{
    for (size_t i = 0; i < f->num_ridges; i++) {
        const size_t e = f->ridges[i];
        if (e == 0 || e > f->num_edges)
            return scanner_fail(s, s->line, "ridge %zu is edge %zu, and there are %zu", i + 1, e,
                                f->num_edges);
        if (!solid_cells_crease(cells, f->edges[2 * e - 2], f->edges[2 * e - 1]))
            return solid_scan_memory(s);
    }
    return true;
}

void medit_edges_clear(medit_edges *e)
{
    free(e->edges);
    free(e->ridges);
    *e = (medit_edges){.edges = NULL};
}

/* ---- lists ---- */

static bool read_vertices(solid_cells *cells, scanner *s, uint32_t count)
{
    double ignored;
    for (uint32_t i = 0; i < count; i++)
        if (!solid_scan_points(cells, s, 1) || !scanner_real(s, "a reference", &ignored))
            return false;
    return true;
}

static bool read_cells(solid_cells *cells, scanner *s, int kind, uint32_t count)
{
    double label;
    for (uint32_t i = 0; i < count; i++) {
        if (!solid_scan_cell(cells, s, kind, 1) || !scanner_real(s, "a reference", &label))
            return false;
        if (!solid_cells_label(cells, SOLID_MEDIT_LABEL, label)) return solid_scan_memory(s);
    }
    return true;
}

static bool read_edges(medit_edges *e, scanner *s, uint32_t count)
{
    double ignored;
    uint32_t from, to;
    for (uint32_t i = 0; i < count; i++) {
        if (!solid_scan_vertex(s, 1, &from) || !solid_scan_vertex(s, 1, &to) ||
            !scanner_real(s, "a reference", &ignored))
            return false;
        if (!medit_edges_add(e, from, to)) return solid_scan_memory(s);
    }
    return true;
}

static bool read_ridges(medit_edges *e, scanner *s, uint32_t count)
{
    uint32_t number;
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(s, "an edge", INT32_MAX, &number)) return false;
        if (!medit_edges_add_ridge(e, number)) return solid_scan_memory(s);
    }
    return true;
}

static bool read_corners(solid_cells *cells, scanner *s, uint32_t count)
{
    uint32_t v;
    for (uint32_t i = 0; i < count; i++) {
        if (!solid_scan_vertex(s, 1, &v)) return false;
        if (!solid_cells_corner(cells, v)) return solid_scan_memory(s);
    }
    return true;
}

/* Leaves out numbers up to the next keyword. Returns whether there is one, in s->word. */
static bool skip_list(scanner *s)
{
    while (scanner_word(s))
        if (strchr("+-.0123456789", s->word[0]) == NULL) return true;
    return false;
}

/* Tells whether a list has cells that are not read, which must not be missing in silence. */
static bool is_other_cells(const char *name)
{
    static const char *const kinds[] = {"TetrahedraP", "HexahedraQ", "PrismsP", "PyramidsP"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) return true;
    return strcmp(name, "Polyhedra") == 0;
}

/* Reads the list whose keyword is s->word. *known: whether it is one. */
static bool read_list(solid_cells *cells, medit_edges *f, scanner *s, bool *known)
{
    uint32_t count;
    char name[SCANNER_MAX_WORD + 1];
    const medit_list *list = lists;
    strcpy(name, s->word);
    while (list->name && strcmp(list->name, name) != 0)
        list++;
    const bool others = strcmp(name, "Vertices") == 0 || strcmp(name, "Edges") == 0 ||
                        strcmp(name, "Ridges") == 0 || strcmp(name, "Corners") == 0;
    *known = list->name || others;
    if (is_other_cells(name))
        return scanner_fail(s, s->word_line, "%s are not read: only cells of order 1", name);
    if (strcmp(name, "Dimension") == 0) return (*known = true) && solid_scan_dimension(s);
    if (!*known) return true;
    if (!scanner_count(s, "a number of items", INT32_MAX, &count)) return false;
    if (list->name) return read_cells(cells, s, list->kind, count);
    if (name[0] == 'V') return read_vertices(cells, s, count);
    if (name[0] == 'E') return read_edges(f, s, count);
    if (name[0] == 'R') return read_ridges(f, s, count);
    return read_corners(cells, s, count);
}

bool solid_medit_read(solid_cells *cells, scanner *s)
{
    medit_edges edges = {.edges = NULL};
    uint32_t version;
    bool done = solid_scan_word(s, "MeshVersionFormatted") &&
                scanner_count(s, "a version", 4, &version),
         known = true;
    bool more = done && scanner_word(s);
    while (done && more && strcmp(s->word, "End") != 0) {
        done = read_list(cells, &edges, s, &known);
        more = done && (known ? scanner_word(s) : skip_list(s));
    }
    done = done && !s->failed && medit_edges_mark(&edges, cells, s);
    medit_edges_clear(&edges);
    return done;
}
