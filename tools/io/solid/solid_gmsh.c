/* Gmsh's .msh files of versions 2 and 4; sections in binary are in solid_gmsh_binary.c. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "solid_file.h"
#include "solid_gmsh.h"

/* ---- nodes ---- */

/* Adds an item, whose place is the next one. */
static bool add_item(gmsh_file *f, gmsh_items *items, uint32_t tag)
{
    gmsh_item *moved = array_reserve(items->list, &items->capacity, items->num + 1, sizeof(*moved));
    if (!moved) return solid_scan_memory(f->s);
    items->list = moved;
    moved[items->num] = (gmsh_item){tag, (uint32_t)items->num};
    items->num++;
    items->is_sorted = false;
    return true;
}

bool gmsh_add_node(gmsh_file *f, uint32_t tag)
{
    return add_item(f, &f->nodes, tag);
}

static int compare_items(const void *a, const void *b)
{
    const uint32_t x = ((const gmsh_item *)a)->tag, y = ((const gmsh_item *)b)->tag;
    return (x > y) - (x < y);
}

bool gmsh_find(gmsh_items *items, uint32_t tag, uint32_t *place)
{
    size_t low = 0, high = items->num;
    if (!items->is_sorted && items->num > 0)
        qsort(items->list, items->num, sizeof(*items->list), compare_items);
    items->is_sorted = true;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (items->list[middle].tag < tag)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == items->num || items->list[low].tag != tag) return false;
    *place = items->list[low].place;
    return true;
}

bool gmsh_find_node(gmsh_file *f, uint32_t tag, uint32_t *place)
{
    return gmsh_find(&f->nodes, tag, place) ||
           scanner_fail(f->s, f->s->word_line, "cell %zu: there is no node %u", f->cells->num_cells,
                        (unsigned)tag);
}

/* Reads a node's number and finds its point. */
static bool read_node(gmsh_file *f, uint32_t *place)
{
    uint32_t tag;
    return scanner_count(f->s, "a node", INT32_MAX, &tag) && gmsh_find_node(f, tag, place);
}

static bool read_nodes_2(gmsh_file *f)
{
    uint32_t count, tag;
    if (!scanner_count(f->s, "a number of nodes", INT32_MAX, &count)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!scanner_count(f->s, "a node", INT32_MAX, &tag) || !gmsh_add_node(f, tag) ||
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
        if (!scanner_count(f->s, "a node", INT32_MAX, &tag) || !gmsh_add_node(f, tag)) return false;
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

/* ---- curves and volumes in physical groups ---- */

/* Reads an entity's number, of a partitioned mesh what it is a part of and its partitions, so many
   reals, and its groups, the first of which receives 0 where there is none. */
static bool read_entity(gmsh_file *f, bool is_part, uint32_t reals, gmsh_entity *entity)
{
    uint32_t partitions = 0, groups;
    entity->group = 0;
    return scanner_real(f->s, "an entity", &entity->tag) &&
           (!is_part || (skip_reals(f, 2) &&
                         scanner_count(f->s, "a number of partitions", INT32_MAX, &partitions))) &&
           skip_reals(f, partitions) && skip_reals(f, reals) &&
           scanner_count(f->s, "a number of groups", 1000, &groups) &&
           (groups == 0 || scanner_real(f->s, "a group", &entity->group)) &&
           skip_reals(f, groups > 0 ? groups - 1 : 0);
}

/* Reads an entity with its box, and leaves out the entities that bound it. */
static bool read_bounded(gmsh_file *f, bool is_part, gmsh_entity *entity)
{
    uint32_t ends;
    return read_entity(f, is_part, 6, entity) &&
           scanner_count(f->s, "a number of entities", INT32_MAX, &ends) && skip_reals(f, ends);
}

bool gmsh_has_entities(const char *name, bool *is_part)
{
    *is_part = strcmp(name, "$PartitionedEntities") == 0;
    return *is_part || strcmp(name, "$Entities") == 0;
}

static bool add_curve(gmsh_file *f, double tag)
{
    uint32_t *moved =
        array_reserve(f->curves, &f->curve_capacity, f->num_curves + 1, sizeof(*moved));
    if (!moved) return solid_scan_memory(f->s);
    f->curves = moved;
    moved[f->num_curves++] = tag > 0 && tag <= INT32_MAX ? (uint32_t)tag : 0;
    return true;
}

static bool add_volume(gmsh_file *f, double tag, double group)
{
    gmsh_entity *moved =
        array_reserve(f->volumes, &f->volume_capacity, f->num_volumes + 1, sizeof(*moved));
    if (!moved) return solid_scan_memory(f->s);
    f->volumes = moved;
    moved[f->num_volumes++] = (gmsh_entity){tag, group};
    return true;
}

bool gmsh_add_entity(gmsh_file *f, int dim, const gmsh_entity *entity)
{
    if (entity->group == 0 || dim == 2) return true;
    return dim == 1 ? add_curve(f, entity->tag) : add_volume(f, entity->tag, entity->group);
}

double gmsh_group_of(const gmsh_file *f, double tag)
{
    for (size_t i = 0; i < f->num_volumes; i++)
        if (f->volumes[i].tag == tag) return f->volumes[i].group;
    return 0;
}

/* Leaves out how many partitions there are, and the ghosts. */
static bool skip_ghosts(gmsh_file *f)
{
    uint32_t ghosts;
    return skip_reals(f, 1) && scanner_count(f->s, "a number of ghosts", INT32_MAX, &ghosts) &&
           skip_reals(f, ghosts) && skip_reals(f, ghosts);
}

/* Reads which curves and volumes are in physical groups, up to the end of the section. Elements of
   a partitioned mesh are of parts of entities, which have numbers and groups of their own. */
static bool read_entities(gmsh_file *f, bool is_part)
{
    uint32_t num[4];
    gmsh_entity entity;
    if (is_part && !skip_ghosts(f)) return false;
    for (int dim = 0; dim < 4; dim++)
        if (!scanner_count(f->s, "a number of entities", INT32_MAX, &num[dim])) return false;
    for (uint32_t i = 0; i < num[0]; i++)
        if (!read_entity(f, is_part, f->has_4_0 ? 6 : 3, &entity)) return false;
    for (int dim = 1; dim < 4; dim++)
        for (uint32_t i = 0; i < num[dim]; i++)
            if (!read_bounded(f, is_part, &entity) || !gmsh_add_entity(f, dim, &entity))
                return false;
    return true;
}

bool gmsh_is_grouped(const gmsh_file *f, double tag)
{
    for (size_t i = 0; i < f->num_curves; i++)
        if ((double)f->curves[i] == tag) return true;
    return false;
}

bool gmsh_add_line(gmsh_file *f, uint32_t from, uint32_t to)
{
    return solid_cells_line(f->cells, from, to) || solid_scan_memory(f->s);
}

static bool read_line(gmsh_file *f)
{
    uint32_t from, to;
    if (!read_node(f, &from) || !read_node(f, &to)) return false;
    return gmsh_add_line(f, from, to);
}

/* ---- elements ---- */

bool gmsh_find_type(gmsh_file *f, uint32_t type, int *kind, uint32_t *num_nodes)
{
    static const struct {
        uint8_t kind, nodes;
    } types[] = {[1] = {0, 2},
                 [2] = {0, 3},
                 [3] = {0, 4},
                 [4] = {SOLID_TETRAHEDRON, 4},
                 [5] = {SOLID_HEXAHEDRON, 8},
                 [6] = {SOLID_WEDGE, 6},
                 [7] = {SOLID_PYRAMID, 5},
                 [8] = {0, 3},
                 [9] = {0, 6},
                 [10] = {0, 9},
                 [15] = {0, 1},
                 [16] = {0, 8},
                 [20] = {0, 9},
                 [21] = {0, 10},
                 [22] = {0, 12},
                 [23] = {0, 15},
                 [24] = {0, 15},
                 [25] = {0, 21},
                 [26] = {0, 4},
                 [27] = {0, 5},
                 [28] = {0, 6}};
    if (type >= sizeof(types) / sizeof(types[0]) || types[type].nodes == 0)
        return scanner_fail(f->s, f->s->word_line,
                            "elements of type %u are not read: only tetrahedra, "
                            "hexahedra, prisms and pyramids of order 1",
                            (unsigned)type);
    *kind = types[type].kind;
    *num_nodes = types[type].nodes;
    return true;
}

/* Reads the type of an element. */
static bool read_type(gmsh_file *f, int *kind, bool *is_line)
{
    uint32_t type, num_nodes;
    if (!scanner_count(f->s, "a type of elements", 1000, &type)) return false;
    *is_line = type == GMSH_LINE;
    return gmsh_find_type(f, type, kind, &num_nodes);
}

/* Tells whether a cell is the one before. Version 2 gives an element once for each physical group
   that it is in. */
static bool is_again(const gmsh_file *f, int kind, const uint32_t vertices[8], uint32_t count)
{
    const solid_cells *c = f->cells;
    return !f->has_4 && c->num_cells > 0 && c->kinds[c->num_cells - 1] == kind &&
           memcmp(c->index + c->num_indices - count, vertices, count * sizeof(*vertices)) == 0;
}

bool gmsh_add_cell(gmsh_file *f, int kind, uint32_t vertices[8], const gmsh_element *e)
{
    const uint32_t count = solid_kind_vertices(kind);
    if (kind == SOLID_WEDGE) solid_turn_wedge(vertices);
    if (is_again(f, kind, vertices, count)) return true;
    return add_item(f, &f->elements, e->tag) &&
           ((solid_cells_add(f->cells, kind, vertices, count) &&
             solid_cells_label(f->cells, SOLID_GMSH_LABEL, e->group) &&
             solid_cells_label(f->cells, SOLID_GMSH_ENTITY, e->entity)) ||
            solid_scan_memory(f->s));
}

static bool read_cell(gmsh_file *f, int kind, const gmsh_element *e)
{
    uint32_t v[8];
    const uint32_t count = solid_kind_vertices(kind);
    for (uint32_t i = 0; i < count; i++)
        if (!read_node(f, &v[i])) return false;
    return gmsh_add_cell(f, kind, v, e);
}

/* Reads the tags of an element of version 2: its physical group, its entity and others. */
static bool read_tags(gmsh_file *f, gmsh_element *e)
{
    uint32_t tags;
    e->group = e->entity = 0;
    return scanner_count(f->s, "a number of tags", 1000, &tags) &&
           (tags < 1 || scanner_real(f->s, "a number", &e->group)) &&
           (tags < 2 || scanner_real(f->s, "a number", &e->entity)) &&
           skip_reals(f, tags > 2 ? tags - 2 : 0);
}

static bool read_elements_2(gmsh_file *f)
{
    uint32_t count;
    gmsh_element e;
    int kind;
    bool is_line;
    if (!scanner_count(f->s, "a number of elements", INT32_MAX, &count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(f->s, "an element", INT32_MAX, &e.tag) || !read_type(f, &kind, &is_line))
            return false;
        if (kind == 0 && !is_line) {
            scanner_skip_line(f->s);
            continue;
        }
        if (!read_tags(f, &e)) return false;
        if (is_line && e.group == 0)
            scanner_skip_line(f->s);
        else if (!(is_line ? read_line(f) : read_cell(f, kind, &e)))
            return false;
    }
    return true;
}

static bool read_element_block(gmsh_file *f)
{
    uint32_t count;
    double entity[2];
    gmsh_element e;
    int kind;
    bool is_line;
    /* of which 4.0 has the number first, later ones the dimension */
    if (!scanner_real(f->s, "an entity", &entity[0]) ||
        !scanner_real(f->s, "an entity", &entity[1]) || !read_type(f, &kind, &is_line) ||
        !scanner_count(f->s, "a number of elements", INT32_MAX, &count))
        return false;
    e.entity = entity[f->has_4_0 ? 0 : 1];
    e.group = kind ? gmsh_group_of(f, e.entity) : 0;
    is_line = is_line && gmsh_is_grouped(f, e.entity);
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(f->s, "an element", INT32_MAX, &e.tag)) return false;
        if (kind == 0 && !is_line)
            scanner_skip_line(f->s);
        else if (!(is_line ? read_line(f) : read_cell(f, kind, &e)))
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

/* Reads the tags before data: the name, times, and how many numbers of how many items. */
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
           scanner_count(f->s, "a number of items", INT32_MAX, count) && skip_reals(f, num - 3);
}

bool gmsh_begin_data(gmsh_file *f, bool of_cells, solid_array **a, uint32_t *count)
{
    char name[SOLID_MAX_NAME];
    uint32_t components;
    if (!read_data_tags(f, name, &components, count)) return false;
    *a = of_cells ? solid_cells_data(f->cells, name, components)
                  : solid_cells_array(f->cells, name, components);
    if (!*a) return solid_scan_memory(f->s);
    const size_t items = of_cells ? f->elements.num : f->nodes.num;
    for (size_t i = 0; i < items * components; i++)
        if (!solid_array_append(*a, 0)) return solid_scan_memory(f->s);
    return true;
}

/* Reads data of nodes; those that have none are 0. */
static bool read_node_data(gmsh_file *f)
{
    solid_array *a;
    uint32_t count, place = 0;
    if (!gmsh_begin_data(f, false, &a, &count)) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_node(f, &place)) return false;
        for (uint32_t k = 0; k < a->components; k++)
            if (!scanner_real(f->s, "a value", &a->values[(size_t)place * a->components + k]))
                return false;
    }
    return true;
}

/* Reads data of elements, of which those count that are cells; cells that have none are 0. */
static bool read_element_data(gmsh_file *f)
{
    solid_array *a;
    uint32_t count, tag, place = 0;
    double value;
    if (!gmsh_begin_data(f, true, &a, &count)) return false;
    f->s->any_real = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(f->s, "an element", INT32_MAX, &tag)) return false;
        const bool is_cell = gmsh_find(&f->elements, tag, &place);
        for (uint32_t k = 0; k < a->components; k++) {
            if (!scanner_real(f->s, "a value", &value)) return false;
            if (is_cell) a->values[(size_t)place * a->components + k] = value;
        }
    }
    f->s->any_real = false;
    return true;
}

/* ---- the file ---- */

/* Reads the one that tells the order of bytes. */
static bool begin_binary_file(gmsh_file *f)
{
    uint64_t one;
    f->is_binary = true;
    f->b.scan = f->s;
    if (f->has_4_0)
        return scanner_fail(f->s, f->s->word_line,
                            "binary of version 4.0, and that of 2 and 4.1 is read: gmsh -save "
                            "-format msh41 makes it");
    if (f->size_bytes != 4 && f->size_bytes != 8)
        return scanner_fail(f->s, f->s->word_line, "sizes of %u bytes", (unsigned)f->size_bytes);
    gmsh_begin_binary(f);
    if (!binary_size(&f->b, 4, &one)) return false;
    f->b.is_big = one == 0x1000000;
    return one == 1 || f->b.is_big || binary_fail(&f->b, "the number 1 was expected");
}

static bool read_format(gmsh_file *f)
{
    double version;
    uint32_t is_binary;
    if (!scanner_real(f->s, "a version", &version)) return false;
    f->has_4 = version >= 4;
    f->has_4_0 = f->has_4 && version < 4.1;
    if (version < 2 || version >= 5)
        return scanner_fail(f->s, f->s->word_line, "version %g, and 2 and 4 are read", version);
    if (!scanner_count(f->s, "0 or 1", 1, &is_binary) ||
        !scanner_count(f->s, "a size", 16, &f->size_bytes))
        return false;
    return !is_binary || begin_binary_file(f);
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
    bool done, is_part, at_end = false;
    if (name[0] != '$')
        return scanner_fail(f->s, f->s->word_line, "'%s' where a section was expected",
                            scanner_shown(f->s, text));
    if (strcmp(name, "$MeshFormat") == 0)
        done = read_format(f);
    else if (strcmp(name, "$ParametricNodes") == 0)
        return scanner_fail(f->s, f->s->word_line,
                            "nodes with parameters, and those without are read: gmsh -setnumber "
                            "Mesh.SaveParametric 0 -save makes them");
    else if (f->is_binary)
        done = gmsh_read_binary(f, &at_end);
    else if (strcmp(name, "$Nodes") == 0)
        done = f->has_4 ? read_nodes_4(f) : read_nodes_2(f);
    else if (strcmp(name, "$Elements") == 0)
        done = f->has_4 ? read_elements_4(f) : read_elements_2(f);
    else if (f->has_4 && gmsh_has_entities(name, &is_part))
        return read_entities(f, is_part) && skip_section(f->s);
    else if (strcmp(name, "$NodeData") == 0)
        done = read_node_data(f);
    else if (strcmp(name, "$ElementData") == 0)
        done = read_element_data(f);
    else
        return skip_section(f->s);
    if (!done || at_end) return done;
    if (!solid_scan_word(f->s, "the end of a section")) return false;
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
    free(f.nodes.list);
    free(f.elements.list);
    free(f.curves);
    free(f.volumes);
    return done && !s->failed;
}
