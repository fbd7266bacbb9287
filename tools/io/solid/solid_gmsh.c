/* Gmsh's .msh files of versions 2 and 4, in text. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "solid_file.h"

/* A node's number in the file, and its place among the points. */
typedef struct gmsh_node {
    uint32_t tag, place;
} gmsh_node;

typedef struct gmsh_file {
    scanner *s;
    solid_cells *cells;
    gmsh_node *nodes; /* [num_nodes], sorted by tag once all are read */
    size_t num_nodes, capacity;
    bool is_sorted;
    bool has_4_0, has_4; /* versions from 4 on; 4.0 has other blocks */
} gmsh_file;

/* ---- nodes ---- */

static bool add_node(gmsh_file *f, uint32_t tag)
{
    gmsh_node *moved = array_reserve(f->nodes, &f->capacity, f->num_nodes + 1, sizeof(*moved));
    if (!moved) return solid_scan_memory(f->s);
    f->nodes = moved;
    moved[f->num_nodes] = (gmsh_node){tag, (uint32_t)f->num_nodes};
    f->num_nodes++;
    f->is_sorted = false;
    return true;
}

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t x = ((const gmsh_node *)a)->tag, y = ((const gmsh_node *)b)->tag;
    return (x > y) - (x < y);
}

/* Reads a node's number and finds its point. */
static bool read_node(gmsh_file *f, uint32_t *place)
{
    uint32_t tag;
    size_t low = 0, high = f->num_nodes;
    if (!scanner_count(f->s, "a node", INT32_MAX, &tag)) return false;
    if (!f->is_sorted && f->num_nodes > 0)
        qsort(f->nodes, f->num_nodes, sizeof(*f->nodes), compare_nodes);
    f->is_sorted = true;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->nodes[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == f->num_nodes || f->nodes[low].tag != tag)
        return scanner_fail(f->s, f->s->word_line, "cell %zu: there is no node %u",
                            f->cells->num_cells, (unsigned)tag);
    *place = f->nodes[low].place;
    return true;
}

static bool read_nodes_2(gmsh_file *f)
{
    uint32_t count, tag;
    if (!scanner_count(f->s, "a number of nodes", INT32_MAX, &count)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!scanner_count(f->s, "a node", INT32_MAX, &tag) || !add_node(f, tag) ||
            !solid_scan_points(f->cells, f->s, 1))
            return false;
    return true;
}

static bool skip_reals(gmsh_file *f, uint32_t count)
{
    double ignored;
    for (uint32_t i = 0; i < count; i++)
        if (!scanner_real(f->s, "a number", &ignored)) return false;
    return true;
}

/* Reads a block of nodes: their numbers and then their coordinates, or in version 4.0 in turn. */
static bool read_node_block(gmsh_file *f)
{
    uint32_t dim, parametric, count, tag;
    double ignored;
    const bool early = f->has_4_0;
    if (early && !scanner_real(f->s, "an entity", &ignored)) return false;
    if (!scanner_count(f->s, "a dimension", 3, &dim)) return false;
    if (!early && !scanner_real(f->s, "an entity", &ignored)) return false;
    if (!scanner_count(f->s, "0 or 1", 1, &parametric) ||
        !scanner_count(f->s, "a number of nodes", INT32_MAX, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(f->s, "a node", INT32_MAX, &tag) || !add_node(f, tag)) return false;
        if (early &&
            (!solid_scan_points(f->cells, f->s, 1) || !skip_reals(f, parametric ? dim : 0)))
            return false;
    }
    for (uint32_t i = 0; i < count && !early; i++)
        if (!solid_scan_points(f->cells, f->s, 1) || !skip_reals(f, parametric ? dim : 0))
            return false;
    return true;
}

static bool read_nodes_4(gmsh_file *f)
{
    uint32_t blocks;
    if (!scanner_count(f->s, "a number of blocks", INT32_MAX, &blocks) ||
        !skip_reals(f, f->has_4_0 ? 1 : 3))
        return false;
    for (uint32_t i = 0; i < blocks; i++)
        if (!read_node_block(f)) return false;
    return true;
}

/* ---- elements ---- */

/* Returns the cell that a type of elements is; 0: a point, a line or a face; -1: none that is
   read. */
static int kind_of(uint32_t type)
{
    switch (type) {
    case 4:
        return SOLID_TETRAHEDRON;
    case 5:
        return SOLID_HEXAHEDRON;
    case 6:
        return SOLID_WEDGE;
    case 7:
        return SOLID_PYRAMID;
    case 1:
    case 2:
    case 3:
    case 8:
    case 9:
    case 10:
    case 15:
    case 16:
    case 20:
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
    case 26:
    case 27:
    case 28:
        return 0;
    default:
        return -1;
    }
}

/* Reads the type of an element. */
static bool read_type(gmsh_file *f, int *kind)
{
    uint32_t type;
    if (!scanner_count(f->s, "a type of elements", 1000, &type)) return false;
    *kind = kind_of(type);
    return *kind >= 0 || scanner_fail(f->s, f->s->word_line,
                                      "elements of type %u are not read: only tetrahedra, "
                                      "hexahedra and prisms of order 1",
                                      (unsigned)type);
}

static bool read_cell(gmsh_file *f, int kind)
{
    uint32_t v[8];
    const uint32_t count = solid_kind_vertices(kind);
    for (uint32_t i = 0; i < count; i++)
        if (!read_node(f, &v[i])) return false;
    if (kind == SOLID_WEDGE) solid_turn_wedge(v);
    return solid_cells_add(f->cells, kind, v, count) || solid_scan_memory(f->s);
}

static bool read_elements_2(gmsh_file *f)
{
    uint32_t count, number, tags;
    int kind;
    if (!scanner_count(f->s, "a number of elements", INT32_MAX, &count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(f->s, "an element", INT32_MAX, &number) || !read_type(f, &kind))
            return false;
        if (kind == 0) {
            scanner_skip_line(f->s);
            continue;
        }
        if (!scanner_count(f->s, "a number of tags", 1000, &tags) || !skip_reals(f, tags) ||
            !read_cell(f, kind))
            return false;
    }
    return true;
}

static bool read_element_block(gmsh_file *f)
{
    uint32_t count, number;
    double ignored;
    int kind;
    if (!scanner_real(f->s, "an entity", &ignored) || !scanner_real(f->s, "an entity", &ignored) ||
        !read_type(f, &kind) || !scanner_count(f->s, "a number of elements", INT32_MAX, &count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(f->s, "an element", INT32_MAX, &number)) return false;
        if (kind == 0)
            scanner_skip_line(f->s);
        else if (!read_cell(f, kind))
            return false;
    }
    return true;
}

static bool read_elements_4(gmsh_file *f)
{
    uint32_t blocks;
    if (!scanner_count(f->s, "a number of blocks", INT32_MAX, &blocks) ||
        !skip_reals(f, f->has_4_0 ? 1 : 3))
        return false;
    for (uint32_t i = 0; i < blocks; i++)
        if (!read_element_block(f)) return false;
    return true;
}

/* ---- data ---- */

/* Takes the text of a line without its quotes. */
static void take_name(scanner *s, char name[SOLID_MAX_NAME])
{
    size_t length = 0;
    int c = scanner_peek(s);
    while (c == ' ' || (c >= '\t' && c <= '\r')) {
        scanner_take(s);
        c = scanner_peek(s);
    }
    for (; c != SCANNER_END && c != '\n' && c != '\r'; c = scanner_peek(s)) {
        scanner_take(s);
        if (c != '"' && length + 1 < SOLID_MAX_NAME)
            name[length++] = c < ' ' || c == 127 ? '?' : (char)c;
    }
    name[length] = 0;
}

/* Reads the tags before data: the name, times, and how many numbers of how many nodes. */
static bool read_data_tags(gmsh_file *f, char name[SOLID_MAX_NAME], uint32_t *components,
                           uint32_t *count)
{
    uint32_t num;
    char ignored[SOLID_MAX_NAME];
    if (!scanner_count(f->s, "a number of texts", 100, &num)) return false;
    strcpy(name, "data");
    for (uint32_t i = 0; i < num; i++)
        take_name(f->s, i == 0 ? name : ignored);
    if (!scanner_count(f->s, "a number of reals", 100, &num) || !skip_reals(f, num) ||
        !scanner_count(f->s, "a number of integers", 100, &num))
        return false;
    if (num < 3) return scanner_fail(f->s, f->s->word_line, "less than 3 numbers before data");
    return skip_reals(f, 1) && scanner_count(f->s, "a number of components", 9, components) &&
           scanner_count(f->s, "a number of nodes", INT32_MAX, count) && skip_reals(f, num - 3);
}

/* Reads data of nodes; those that have none are 0. */
static bool read_node_data(gmsh_file *f)
{
    char name[SOLID_MAX_NAME];
    uint32_t components, count, place = 0;
    if (!read_data_tags(f, name, &components, &count)) return false;
    solid_array *a = solid_cells_array(f->cells, name, components);
    if (!a) return solid_scan_memory(f->s);
    for (size_t i = 0; i < f->num_nodes * components; i++)
        if (!solid_array_append(a, 0)) return solid_scan_memory(f->s);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_node(f, &place)) return false;
        for (uint32_t k = 0; k < components; k++)
            if (!scanner_real(f->s, "a value", &a->values[(size_t)place * components + k]))
                return false;
    }
    return true;
}

/* ---- the file ---- */

static bool read_format(gmsh_file *f)
{
    double version;
    uint32_t binary, size;
    if (!scanner_real(f->s, "a version", &version)) return false;
    f->has_4 = version >= 4;
    f->has_4_0 = f->has_4 && version < 4.1;
    if (version < 2 || version >= 5)
        return scanner_fail(f->s, f->s->word_line, "version %g, and 2 and 4 are read", version);
    if (!scanner_count(f->s, "0 or 1", 1, &binary)) return false;
    if (binary)
        return scanner_fail(f->s, f->s->word_line,
                            "a binary file, and text is read: gmsh -save "
                            "-format msh2 makes it");
    return scanner_count(f->s, "a size", 16, &size);
}

/* Leaves out all up to the end of the section whose name is s->word. */
static bool skip_section(scanner *s)
{
    const uint64_t line = s->word_line;
    while (scanner_word(s))
        if (strncmp(s->word, "$End", 4) == 0) return true;
    return !s->failed && scanner_fail(s, line, "the file ends within this section");
}

static bool read_section(gmsh_file *f)
{
    const char *name = f->s->word;
    char text[SCANNER_SHOWN + 4];
    bool done;
    if (name[0] != '$')
        return scanner_fail(f->s, f->s->word_line, "'%s' where a section was expected",
                            scanner_shown(f->s, text));
    if (strcmp(name, "$MeshFormat") == 0)
        done = read_format(f);
    else if (strcmp(name, "$Nodes") == 0)
        done = f->has_4 ? read_nodes_4(f) : read_nodes_2(f);
    else if (strcmp(name, "$Elements") == 0)
        done = f->has_4 ? read_elements_4(f) : read_elements_2(f);
    else if (strcmp(name, "$NodeData") == 0)
        done = read_node_data(f);
    else
        return skip_section(f->s);
    if (!done || !solid_scan_word(f->s, "the end of a section")) return false;
    return strncmp(f->s->word, "$End", 4) == 0 ||
           scanner_fail(f->s, f->s->word_line, "'%s' where the end of a section was expected",
                        scanner_shown(f->s, text));
}

bool solid_gmsh_read(solid_cells *cells, scanner *s)
{
    gmsh_file f = {.s = s, .cells = cells};
    bool done = true;
    while (done && scanner_word(s))
        done = read_section(&f);
    free(f.nodes);
    return done && !s->failed;
}
