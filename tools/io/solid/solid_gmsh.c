/* Gmsh's .msh files: versions 2 and 4 in text, 2 and 4.1 in binary. */
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "binary.h"
#include "solid_file.h"
#include "tag_table.h"

/* An entity of version 4, and the first of its physical groups, 0: none. */
typedef struct gmsh_entity {
    uint32_t dim;
    double tag, group;
} gmsh_entity;

/* What is told of an element: the cell, or 0; its nodes, whose numbers have so many bytes; its
   number, its physical group and its entity, 0: none. */
typedef struct gmsh_element {
    int kind;
    bool is_line; /* which makes a crease if it is in a group */
    uint32_t num_nodes, bytes, tag;
    double group, entity;
} gmsh_element;

typedef struct gmsh_file {
    scanner *s;
    solid_cells *cells;
    tag_table nodes, elements; /* elements: those that are cells */
    bool has_4_0, has_4;       /* versions from 4 on; 4.0 has other blocks */
    gmsh_entity *entities;     /* [num_entities], that are in physical groups */
    size_t num_entities, entity_capacity;
    binary b;            /* of a section */
    uint32_t size_bytes; /* of numbers of items in binary */
} gmsh_file;

/* ---- numbers ---- */

/* Has a section's numbers begin behind the line that ends here. */
static void begin_numbers(gmsh_file *f)
{
    if (f->b.is_text) return;
    for (int c = scanner_peek(f->s); c == ' ' || c == '\t' || c == '\r' || c == '\n';
         c = scanner_peek(f->s))
        if (scanner_take(f->s) == '\n') break;
    f->b.offset = 0;
}

static bool read_int(gmsh_file *f, const char *what, uint32_t max, uint32_t *value)
{
    return binary_count(&f->b, 4, what, max, value);
}

/* Reads how many items there are, or one of the numbers that are as long. */
static bool read_size(gmsh_file *f, const char *what, uint32_t *value)
{
    return binary_count(&f->b, f->size_bytes, what, INT32_MAX, value);
}

/* Reads a number of an entity or a group. */
static bool read_tag(gmsh_file *f, const char *what, double *tag)
{
    return binary_mark(&f->b, 4, what, tag);
}

static bool skip(gmsh_file *f, uint32_t bytes, uint64_t count)
{
    return binary_skip_numbers(&f->b, bytes, count);
}

/* Reads a section of version 4. */
static bool read_blocks(gmsh_file *f, bool (*read_block)(gmsh_file *f))
{
    uint32_t blocks;
    begin_numbers(f);
    bool done =
        read_size(f, "a number of blocks", &blocks) && skip(f, f->size_bytes, f->has_4_0 ? 1 : 3);
    for (uint32_t i = 0; done && i < blocks; i++)
        done = read_block(f);
    return done;
}

/* ---- nodes ---- */

/* Reads a node's number, of so many bytes, and finds its point. */
static bool read_node(gmsh_file *f, uint32_t bytes, uint32_t *place)
{
    uint32_t tag;
    if (!binary_count(&f->b, bytes, "a node", INT32_MAX, &tag)) return false;
    return tag_table_find(&f->nodes, tag, place) ||
           scanner_fail(f->s, f->s->word_line, "cell %zu: there is no node %u", f->cells->num_cells,
                        (unsigned)tag);
}

/* Reads a point, and leaves out its parameters. */
static bool read_point(gmsh_file *f, uint32_t parameters)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        if (!binary_real(&f->b, 8, "a coordinate", &p[k])) return false;
    if (!solid_cells_point(f->cells, p[0], p[1], p[2])) return solid_scan_memory(f->s);
    return skip(f, 8, parameters);
}

/* Reads numbers of nodes, of so many bytes, and their coordinates: in turn, or those of all behind
   the numbers of all. */
static bool read_nodes(gmsh_file *f, uint32_t count, uint32_t bytes, uint32_t parameters,
                       bool in_turn)
{
    uint32_t tag;
    for (uint32_t i = 0; i < count; i++) {
        if (!binary_count(&f->b, bytes, "a node", INT32_MAX, &tag)) return false;
        if (!tag_table_add(&f->nodes, tag)) return solid_scan_memory(f->s);
        if (in_turn && !read_point(f, parameters)) return false;
    }
    for (uint32_t i = 0; i < count && !in_turn; i++)
        if (!read_point(f, parameters)) return false;
    return true;
}

static bool read_nodes_2(gmsh_file *f)
{
    uint32_t count;
    if (!scanner_count(f->s, "a number of nodes", INT32_MAX, &count)) return false;
    begin_numbers(f);
    return read_nodes(f, count, 4, 0, true);
}

static bool read_node_block(gmsh_file *f)
{
    uint32_t dim, parametric, count;
    double ignored;
    const bool early = f->has_4_0;
    if ((early && !read_tag(f, "an entity", &ignored)) || !read_int(f, "a dimension", 3, &dim) ||
        (!early && !read_tag(f, "an entity", &ignored)) || !read_int(f, "0 or 1", 1, &parametric) ||
        !read_size(f, "a number of nodes", &count))
        return false;
    return read_nodes(f, count, f->size_bytes, parametric ? dim : 0, early);
}

/* ---- curves and volumes in physical groups ---- */

/* Leaves out what entity one is a part of, and its partitions. */
static bool skip_parent(gmsh_file *f)
{
    uint32_t partitions;
    return skip(f, 4, 2) && read_size(f, "a number of partitions", &partitions) &&
           skip(f, 4, partitions);
}

/* Reads an entity's number, so many reals and its groups, the first of which receives 0 where there
   is none; but for points the entities that bound it are left out. */
static bool read_entity(gmsh_file *f, bool is_part, gmsh_entity *entity)
{
    uint32_t groups, ends = 0;
    const uint32_t reals = entity->dim == 0 && !f->has_4_0 ? 3 : 6;
    entity->group = 0;
    return read_tag(f, "an entity", &entity->tag) && (!is_part || skip_parent(f)) &&
           skip(f, 8, reals) &&
           binary_count(&f->b, f->size_bytes, "a number of groups", 1000, &groups) &&
           (groups == 0 || read_tag(f, "a group", &entity->group)) &&
           skip(f, 4, groups > 0 ? groups - 1 : 0) &&
           (entity->dim == 0 || read_size(f, "a number of entities", &ends)) && skip(f, 4, ends);
}

/* Keeps an entity that is in a physical group. */
static bool add_entity(gmsh_file *f, const gmsh_entity *entity)
{
    if (entity->group == 0) return true;
    gmsh_entity *moved =
        array_reserve(f->entities, &f->entity_capacity, f->num_entities + 1, sizeof(*moved));
    if (!moved) return solid_scan_memory(f->s);
    f->entities = moved;
    moved[f->num_entities++] = *entity;
    return true;
}

/* Finds the first physical group of an entity, by its number; 0: none. */
static double find_group(const gmsh_file *f, uint32_t dim, double tag)
{
    for (size_t i = 0; i < f->num_entities; i++)
        if (f->entities[i].dim == dim && f->entities[i].tag == tag) return f->entities[i].group;
    return 0;
}

/* Leaves out how many partitions there are, and the ghosts. */
static bool skip_ghosts(gmsh_file *f)
{
    uint32_t ghosts;
    return skip(f, f->size_bytes, 1) && read_size(f, "a number of ghosts", &ghosts) &&
           skip(f, 4, 2 * (uint64_t)ghosts);
}

/* Reads which entities are in physical groups. Elements of a partitioned mesh are of parts of
   entities, which have numbers and groups of their own. */
static bool read_entities(gmsh_file *f, bool is_part)
{
    uint32_t num[4];
    begin_numbers(f);
    if (is_part && !skip_ghosts(f)) return false;
    for (int dim = 0; dim < 4; dim++)
        if (!read_size(f, "a number of entities", &num[dim])) return false;
    for (uint32_t dim = 0; dim < 4; dim++)
        for (uint32_t i = 0; i < num[dim]; i++) {
            gmsh_entity entity = {.dim = dim};
            if (!read_entity(f, is_part, &entity) || !add_entity(f, &entity)) return false;
        }
    return true;
}

/* ---- elements ---- */

/* Reads the type of elements. */
static bool read_type(gmsh_file *f, gmsh_element *e)
{
    static const uint8_t nodes[] = {0, 2, 3, 4, 4, 8, 6,  5,  3,  6,  9,  0, 0, 0, 0,
                                    1, 8, 0, 0, 0, 9, 10, 12, 15, 15, 21, 4, 5, 6};
    static const int kinds[] = {SOLID_TETRAHEDRON, SOLID_HEXAHEDRON, SOLID_WEDGE, SOLID_PYRAMID};
    uint32_t type;
    if (!read_int(f, "a type of elements", INT32_MAX, &type)) return false;
    if (type >= sizeof(nodes) || nodes[type] == 0)
        return scanner_fail(f->s, f->s->word_line,
                            "elements of type %u are not read: only tetrahedra, "
                            "hexahedra, prisms and pyramids of order 1",
                            (unsigned)type);
    e->is_line = type == 1;
    e->kind = type >= 4 && type <= 7 ? kinds[type - 4] : 0;
    e->num_nodes = nodes[type];
    return true;
}

/* Tells whether a cell is the one before. Version 2 gives an element once for each physical group
   that it is in. */
static bool is_again(const gmsh_file *f, int kind, const uint32_t *vertices, uint32_t count)
{
    const solid_cells *c = f->cells;
    return !f->has_4 && c->num_cells > 0 && c->kinds[c->num_cells - 1] == kind &&
           memcmp(c->index + c->num_indices - count, vertices, count * sizeof(*vertices)) == 0;
}

static bool add_cell(gmsh_file *f, const gmsh_element *e, uint32_t *v)
{
    if (e->kind == SOLID_WEDGE) solid_turn_wedge(v);
    if (is_again(f, e->kind, v, e->num_nodes)) return true;
    return (tag_table_add(&f->elements, e->tag) &&
            solid_cells_add(f->cells, e->kind, v, e->num_nodes) &&
            solid_cells_label(f->cells, SOLID_GMSH_LABEL, e->group) &&
            solid_cells_label(f->cells, SOLID_GMSH_ENTITY, e->entity)) ||
           solid_scan_memory(f->s);
}

/* Reads the nodes of an element. */
static bool read_element(gmsh_file *f, const gmsh_element *e)
{
    uint32_t v[8];
    if (e->kind == 0 && (!e->is_line || e->group == 0)) {
        if (!f->b.is_text) return skip(f, e->bytes, e->num_nodes);
        scanner_skip_line(f->s);
        return true;
    }
    for (uint32_t i = 0; i < e->num_nodes; i++)
        if (!read_node(f, e->bytes, &v[i])) return false;
    if (e->kind) return add_cell(f, e, v);
    return solid_cells_line(f->cells, v[0], v[1]) || solid_scan_memory(f->s);
}

/* Reads an element's tags in version 2: its physical group, its entity and others. */
static bool read_tags(gmsh_file *f, uint32_t tags, gmsh_element *e)
{
    e->group = e->entity = 0;
    return (tags < 1 || read_tag(f, "a number", &e->group)) &&
           (tags < 2 || read_tag(f, "a number", &e->entity)) && skip(f, 4, tags > 2 ? tags - 2 : 0);
}

/* Reads elements of one type, of which text has one at a time, behind its number. */
static bool read_run(gmsh_file *f, uint32_t most, uint32_t *num)
{
    gmsh_element e = {.bytes = 4};
    uint32_t tags;
    const bool is_text = f->b.is_text;
    *num = 1;
    if ((is_text && !read_int(f, "an element", INT32_MAX, &e.tag)) || !read_type(f, &e) ||
        (!is_text && !read_int(f, "a number of elements", INT32_MAX, num)) ||
        !read_int(f, "a number of tags", 1000, &tags))
        return false;
    if (*num == 0 || *num > most)
        return binary_fail(&f->b, "%u elements where %u are left", (unsigned)*num, (unsigned)most);
    for (uint32_t i = 0; i < *num; i++)
        if ((!is_text && !read_int(f, "an element", INT32_MAX, &e.tag)) ||
            !read_tags(f, tags, &e) || !read_element(f, &e))
            return false;
    return true;
}

static bool read_elements_2(gmsh_file *f)
{
    uint32_t count, num;
    if (!scanner_count(f->s, "a number of elements", INT32_MAX, &count)) return false;
    begin_numbers(f);
    for (uint32_t done = 0; done < count; done += num)
        if (!read_run(f, count - done, &num)) return false;
    return true;
}

static bool read_element_block(gmsh_file *f)
{
    uint32_t count;
    double entity[2];
    gmsh_element e = {.bytes = f->size_bytes};
    /* of which 4.0 has the number first, later ones the dimension */
    if (!read_tag(f, "an entity", &entity[0]) || !read_tag(f, "an entity", &entity[1]) ||
        !read_type(f, &e) || !read_size(f, "a number of elements", &count))
        return false;
    e.entity = entity[f->has_4_0 ? 0 : 1];
    e.group = find_group(f, e.kind ? 3 : 1, e.entity);
    for (uint32_t i = 0; i < count; i++)
        if (!read_size(f, "an element", &e.tag) || !read_element(f, &e)) return false;
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

/* Reads the tags before data, which are text: the name, times, and how many numbers of how many
   items. */
static bool read_data_tags(scanner *s, char name[SOLID_MAX_NAME], uint32_t *components,
                           uint32_t *count)
{
    uint32_t num;
    char ignored[SOLID_MAX_NAME];
    binary words = {.scan = s, .is_text = true};
    if (!scanner_count(s, "a number of texts", 100, &num)) return false;
    strcpy(name, "data");
    for (uint32_t i = 0; i < num; i++)
        take_name(s, i == 0 ? name : ignored);
    if (!scanner_count(s, "a number of reals", 100, &num) || !binary_skip_numbers(&words, 0, num) ||
        !scanner_count(s, "a number of integers", 100, &num))
        return false;
    if (num < 3) return scanner_fail(s, s->word_line, "less than 3 numbers before data");
    return binary_skip_numbers(&words, 0, 1) &&
           scanner_count(s, "a number of components", 9, components) &&
           scanner_count(s, "a number of items", INT32_MAX, count) &&
           binary_skip_numbers(&words, 0, num - 3);
}

/* Reads the numbers of one of the items that data are of; NULL: of none that counts. */
static bool read_values(gmsh_file *f, double *values, uint32_t components)
{
    double ignored;
    for (uint32_t k = 0; k < components; k++)
        if (!binary_real(&f->b, 8, "a value", values ? &values[k] : &ignored)) return false;
    return true;
}

/* Reads data of nodes, or of elements, of which those count that are cells. Items that have none
   are 0; cells may have what is no finite number. */
static bool read_data(gmsh_file *f, bool of_cells)
{
    char name[SOLID_MAX_NAME];
    uint32_t components, count, tag, place = 0;
    if (!read_data_tags(f->s, name, &components, &count)) return false;
    solid_array *const a = of_cells ? solid_cells_data(f->cells, name, components)
                                    : solid_cells_array(f->cells, name, components);
    const size_t items = of_cells ? f->elements.num : f->nodes.num;
    bool done = a || solid_scan_memory(f->s);
    for (size_t i = 0; done && i < items * components; i++)
        done = solid_array_append(a, 0) || solid_scan_memory(f->s);
    begin_numbers(f);
    for (uint32_t i = 0; done && i < count; i++) {
        done = of_cells ? read_int(f, "an element", INT32_MAX, &tag) : read_node(f, 4, &place);
        if (!done) break;
        const bool counts = !of_cells || tag_table_find(&f->elements, tag, &place);
        f->s->any_real = of_cells;
        done = read_values(f, counts ? a->values + (size_t)place * components : NULL, components);
        f->s->any_real = false;
    }
    return done;
}

/* ---- the file ---- */

/* Reads the one that tells the order of bytes. */
static bool begin_binary_file(gmsh_file *f)
{
    uint64_t one;
    f->b.is_text = false;
    if (f->has_4_0)
        return scanner_fail(f->s, f->s->word_line,
                            "binary of version 4.0, and that of 2 and 4.1 is read: gmsh -save "
                            "-format msh41 makes it");
    if (f->size_bytes != 4 && f->size_bytes != 8)
        return scanner_fail(f->s, f->s->word_line, "sizes of %u bytes", (unsigned)f->size_bytes);
    begin_numbers(f);
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

/* Leaves out all up to the end of the section whose name is the last word, of binary ones byte by
   byte. */
static bool skip_section(gmsh_file *f)
{
    char end[SCANNER_MAX_WORD + 8];
    size_t found = 0;
    const unsigned char *from;
    const uint64_t line = f->s->word_line;
    while (f->b.is_text && scanner_word(f->s))
        if (strncmp(f->s->word, "$End", 4) == 0) return true;
    if (f->b.is_text)
        return !f->s->failed && scanner_fail(f->s, line, "the file ends within this section");
    snprintf(end, sizeof(end), "$End%s", f->s->word + 1);
    while (end[found]) {
        if (scanner_buffered(f->s, &from) == 0)
            return !f->s->failed && scanner_fail(f->s, f->s->line, "the file ends before %s", end);
        found = *from == (unsigned char)end[found] ? found + 1 : *from == '$';
        f->s->next++;
    }
    return true;
}

/* Reads the section whose name is the last word. *at_end: its end is taken too. */
static bool read_content(gmsh_file *f, bool *at_end)
{
    const char *name = f->s->word;
    const bool is_part = strcmp(name, "$PartitionedEntities") == 0;
    if (strcmp(name, "$MeshFormat") == 0) return read_format(f);
    if (strcmp(name, "$ParametricNodes") == 0)
        return scanner_fail(f->s, f->s->word_line,
                            "nodes with parameters, and those without are read: gmsh -setnumber "
                            "Mesh.SaveParametric 0 -save makes them");
    if (strcmp(name, "$Nodes") == 0)
        return f->has_4 ? read_blocks(f, read_node_block) : read_nodes_2(f);
    if (strcmp(name, "$Elements") == 0)
        return f->has_4 ? read_blocks(f, read_element_block) : read_elements_2(f);
    if (strcmp(name, "$NodeData") == 0) return read_data(f, false);
    if (strcmp(name, "$ElementData") == 0) return read_data(f, true);
    *at_end = true;
    if (f->has_4 && (is_part || strcmp(name, "$Entities") == 0) && !read_entities(f, is_part))
        return false;
    return skip_section(f);
}

static bool read_section(gmsh_file *f)
{
    char text[SCANNER_SHOWN + 4];
    bool at_end = false;
    if (f->s->word[0] != '$')
        return scanner_fail(f->s, f->s->word_line, "'%s' where a section was expected",
                            scanner_shown(f->s, text));
    if (!read_content(f, &at_end)) return false;
    if (at_end) return true;
    if (!solid_scan_word(f->s, "the end of a section")) return false;
    return strncmp(f->s->word, "$End", 4) == 0 ||
           scanner_fail(f->s, f->s->word_line, "'%s' where the end of a section was expected",
                        scanner_shown(f->s, text));
}

bool solid_gmsh_read(solid_cells *cells, scanner *s)
{
    gmsh_file f = {.s = s, .cells = cells, .b = {.scan = s, .is_text = true}};
    bool done = true;
    while (done && scanner_word(s))
        done = read_section(&f);
    free(f.nodes.list);
    free(f.elements.list);
    free(f.entities);
    return done && !s->failed;
}
