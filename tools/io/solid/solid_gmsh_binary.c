/* Sections of Gmsh's binary .msh files of versions 2 and 4.1. */
#include <string.h>

#include "solid_file.h"
#include "solid_gmsh.h"

void gmsh_begin_binary(gmsh_file *f)
{
    for (int c = scanner_peek(f->s); c == ' ' || c == '\t' || c == '\r' || c == '\n';
         c = scanner_peek(f->s))
        if (scanner_take(f->s) == '\n') break;
    f->b.offset = 0;
}

static bool read_int(gmsh_file *f, const char *what, uint32_t *value)
{
    return binary_count(&f->b, 4, what, INT32_MAX, value);
}

static bool read_size(gmsh_file *f, const char *what, uint32_t *value)
{
    return binary_count(&f->b, f->size_bytes, what, INT32_MAX, value);
}

/* Leaves out so many of the numbers that sizes are. */
static bool skip_sizes(gmsh_file *f, uint64_t count)
{
    return binary_skip(&f->b, count * f->size_bytes);
}

static bool read_point(gmsh_file *f)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        if (!binary_real(&f->b, 8, "a coordinate", &p[k])) return false;
    return solid_cells_point(f->cells, p[0], p[1], p[2]) || solid_scan_memory(f->s);
}

/* ---- nodes ---- */

static bool read_nodes_2(gmsh_file *f)
{
    uint32_t count, tag;
    if (!scanner_count(f->s, "a number of nodes", INT32_MAX, &count)) return false;
    gmsh_begin_binary(f);
    for (uint32_t i = 0; i < count; i++)
        if (!read_int(f, "a node", &tag) || !gmsh_add_node(f, tag) || !read_point(f)) return false;
    return true;
}

/* Reads a block of nodes: their numbers, and then their coordinates, parameters behind them. */
static bool read_node_block(gmsh_file *f)
{
    uint32_t dim, parametric, count, tag;
    if (!binary_count(&f->b, 4, "a dimension", 3, &dim) || !binary_skip(&f->b, 4) ||
        !binary_count(&f->b, 4, "0 or 1", 1, &parametric) ||
        !read_size(f, "a number of nodes", &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_size(f, "a node", &tag) || !gmsh_add_node(f, tag)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_point(f) || (parametric && !binary_skip(&f->b, 8 * dim))) return false;
    return true;
}

static bool read_nodes_4(gmsh_file *f)
{
    uint32_t blocks;
    gmsh_begin_binary(f);
    if (!read_size(f, "a number of blocks", &blocks) || !skip_sizes(f, 3)) return false;
    for (uint32_t i = 0; i < blocks; i++)
        if (!read_node_block(f)) return false;
    return true;
}

/* ---- curves and volumes in physical groups ---- */

/* Reads a number of an entity or a group. */
static bool read_tag(gmsh_file *f, double *tag)
{
    int64_t value;
    if (!binary_integer(&f->b, 4, &value)) return false;
    *tag = (double)value;
    return true;
}

/* Leaves out what entity one is a part of, and its partitions. */
static bool skip_parent(gmsh_file *f)
{
    uint32_t partitions;
    return binary_skip(&f->b, 8) && read_size(f, "a number of partitions", &partitions) &&
           binary_skip(&f->b, 4 * (uint64_t)partitions);
}

/* Reads an entity's number, so many reals and its groups, the first of which receives 0 where there
   is none. */
static bool read_entity(gmsh_file *f, bool is_part, uint32_t reals, gmsh_entity *entity)
{
    uint32_t groups;
    entity->group = 0;
    return read_tag(f, &entity->tag) && (!is_part || skip_parent(f)) &&
           binary_skip(&f->b, 8 * (uint64_t)reals) &&
           binary_count(&f->b, f->size_bytes, "a number of groups", 1000, &groups) &&
           (groups == 0 || read_tag(f, &entity->group)) &&
           binary_skip(&f->b, groups > 0 ? 4 * ((uint64_t)groups - 1) : 0);
}

/* Reads an entity with its box, and leaves out the entities that bound it. */
static bool read_bounded(gmsh_file *f, bool is_part, gmsh_entity *entity)
{
    uint32_t ends;
    return read_entity(f, is_part, 6, entity) && read_size(f, "a number of entities", &ends) &&
           binary_skip(&f->b, 4 * (uint64_t)ends);
}

/* Leaves out how many partitions there are, and the ghosts. */
static bool skip_ghosts(gmsh_file *f)
{
    uint32_t ghosts;
    return skip_sizes(f, 1) && read_size(f, "a number of ghosts", &ghosts) &&
           binary_skip(&f->b, 8 * (uint64_t)ghosts);
}

/* Reads which curves and volumes are in physical groups, or which parts of them. */
static bool read_entities(gmsh_file *f, bool is_part)
{
    uint32_t num[4];
    gmsh_entity entity;
    gmsh_begin_binary(f);
    if (is_part && !skip_ghosts(f)) return false;
    for (int dim = 0; dim < 4; dim++)
        if (!read_size(f, "a number of entities", &num[dim])) return false;
    for (uint32_t i = 0; i < num[0]; i++)
        if (!read_entity(f, is_part, 3, &entity)) return false;
    for (int dim = 1; dim < 4; dim++)
        for (uint32_t i = 0; i < num[dim]; i++)
            if (!read_bounded(f, is_part, &entity) || !gmsh_add_entity(f, dim, &entity))
                return false;
    return true;
}

/* ---- elements ---- */

/* What elements of a run are: the cell, or 0; lines that are creases; and how many nodes each has,
   of so many bytes. */
typedef struct element_run {
    int kind;
    bool is_line;
    uint32_t num_nodes, bytes;
} element_run;

static bool read_type(gmsh_file *f, element_run *run)
{
    uint32_t type;
    if (!read_int(f, "a type of elements", &type)) return false;
    run->is_line = type == GMSH_LINE;
    return gmsh_find_type(f, type, &run->kind, &run->num_nodes);
}

/* Reads the nodes of an element. */
static bool read_cell(gmsh_file *f, const element_run *run, const gmsh_element *e)
{
    uint32_t v[8], tag;
    if (run->kind == 0 && !run->is_line)
        return binary_skip(&f->b, (uint64_t)run->bytes * run->num_nodes);
    for (uint32_t i = 0; i < run->num_nodes; i++)
        if (!binary_count(&f->b, run->bytes, "a node", INT32_MAX, &tag) ||
            !gmsh_find_node(f, tag, &v[i]))
            return false;
    return run->is_line ? gmsh_add_line(f, v[0], v[1]) : gmsh_add_cell(f, run->kind, v, e);
}

/* Reads an element of version 2; its tags begin with its physical group and its entity. */
static bool read_tagged(gmsh_file *f, const element_run *run, uint32_t tags)
{
    element_run one = *run;
    gmsh_element e = {.group = 0};
    if (!read_int(f, "an element", &e.tag) || (tags > 0 && !read_tag(f, &e.group)) ||
        (tags > 1 && !read_tag(f, &e.entity)) ||
        !binary_skip(&f->b, tags > 2 ? 4 * ((uint64_t)tags - 2) : 0))
        return false;
    one.is_line = run->is_line && e.group != 0;
    return read_cell(f, &one, &e);
}

/* Reads runs of elements of one type, which come up to their number in all. */
static bool read_elements_2(gmsh_file *f)
{
    uint32_t count, num, tags;
    element_run run = {.bytes = 4};
    if (!scanner_count(f->s, "a number of elements", INT32_MAX, &count)) return false;
    gmsh_begin_binary(f);
    for (uint32_t done = 0; done < count; done += num) {
        if (!read_type(f, &run) || !read_int(f, "a number of elements", &num) ||
            !binary_count(&f->b, 4, "a number of tags", 1000, &tags))
            return false;
        if (num == 0 || num > count - done)
            return binary_fail(&f->b, "%u elements where %u are left", (unsigned)num,
                               (unsigned)(count - done));
        for (uint32_t i = 0; i < num; i++)
            if (!read_tagged(f, &run, tags)) return false;
    }
    return true;
}

static bool read_element_block(gmsh_file *f)
{
    uint32_t count;
    gmsh_element e = {.group = 0};
    element_run run = {.bytes = f->size_bytes};
    if (!binary_skip(&f->b, 4) || !read_tag(f, &e.entity) || !read_type(f, &run) ||
        !read_size(f, "a number of elements", &count))
        return false;
    run.is_line = run.is_line && gmsh_is_grouped(f, e.entity);
    if (run.kind) e.group = gmsh_group_of(f, e.entity);
    for (uint32_t i = 0; i < count; i++)
        if (!read_size(f, "an element", &e.tag) || !read_cell(f, &run, &e)) return false;
    return true;
}

static bool read_elements_4(gmsh_file *f)
{
    uint32_t blocks;
    gmsh_begin_binary(f);
    if (!read_size(f, "a number of blocks", &blocks) || !skip_sizes(f, 3)) return false;
    for (uint32_t i = 0; i < blocks; i++)
        if (!read_element_block(f)) return false;
    return true;
}

/* ---- data ---- */

static bool read_node_data(gmsh_file *f)
{
    solid_array *a;
    uint32_t count, tag, place;
    if (!gmsh_begin_data(f, false, &a, &count)) return false;
    gmsh_begin_binary(f);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_int(f, "a node", &tag) || !gmsh_find_node(f, tag, &place)) return false;
        for (uint32_t k = 0; k < a->components; k++)
            if (!binary_real(&f->b, 8, "a value", &a->values[(size_t)place * a->components + k]))
                return false;
    }
    return true;
}

/* Reads data of elements, of which those count that are cells. */
static bool read_element_data(gmsh_file *f)
{
    solid_array *a;
    uint32_t count, tag, place = 0;
    uint64_t bits;
    if (!gmsh_begin_data(f, true, &a, &count)) return false;
    gmsh_begin_binary(f);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_int(f, "an element", &tag)) return false;
        const bool is_cell = gmsh_find(&f->elements, tag, &place);
        for (uint32_t k = 0; k < a->components; k++) {
            if (!binary_size(&f->b, 8, &bits)) return false;
            if (is_cell) memcpy(&a->values[(size_t)place * a->components + k], &bits, sizeof(bits));
        }
    }
    return true;
}

/* ---- sections ---- */

/* Leaves out all bytes up to the end of the section whose name is the scanner's word. */
static bool skip_section(gmsh_file *f)
{
    char end[SCANNER_MAX_WORD + 8];
    size_t found = 0;
    const unsigned char *from;
    snprintf(end, sizeof(end), "$End%s", f->s->word + 1);
    while (end[found]) {
        if (scanner_buffered(f->s, &from) == 0)
            return !f->s->failed && scanner_fail(f->s, f->s->line, "the file ends before %s", end);
        found = *from == (unsigned char)end[found] ? found + 1 : *from == '$';
        f->s->next++;
    }
    return true;
}

bool gmsh_read_binary(gmsh_file *f, bool *at_end)
{
    const char *name = f->s->word;
    bool is_part;
    *at_end = false;
    if (strcmp(name, "$Nodes") == 0) return f->has_4 ? read_nodes_4(f) : read_nodes_2(f);
    if (strcmp(name, "$Elements") == 0) return f->has_4 ? read_elements_4(f) : read_elements_2(f);
    if (strcmp(name, "$NodeData") == 0) return read_node_data(f);
    if (strcmp(name, "$ElementData") == 0) return read_element_data(f);
    if (f->has_4 && gmsh_has_entities(name, &is_part) && !read_entities(f, is_part)) return false;
    *at_end = true;
    return skip_section(f);
}
