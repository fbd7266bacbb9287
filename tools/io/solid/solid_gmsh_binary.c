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

/* ---- curves in physical groups ---- */

/* Reads an entity's number, so many reals, and how many groups it is in. */
static bool read_entity(gmsh_file *f, uint32_t reals, int64_t *tag, uint32_t *groups)
{
    uint64_t bits;
    if (!binary_size(&f->b, 4, &bits)) return false;
    *tag = (int32_t)(uint32_t)bits;
    return binary_skip(&f->b, 8 * (uint64_t)reals) &&
           binary_count(&f->b, f->size_bytes, "a number of groups", 1000, groups) &&
           binary_skip(&f->b, 4 * (uint64_t)*groups);
}

/* Reads which curves are in physical groups. */
static bool read_entities(gmsh_file *f)
{
    uint32_t points, curves, groups, ends;
    int64_t tag;
    gmsh_begin_binary(f);
    if (!read_size(f, "a number of points", &points) ||
        !read_size(f, "a number of curves", &curves) || !skip_sizes(f, 2))
        return false;
    for (uint32_t i = 0; i < points; i++)
        if (!read_entity(f, 3, &tag, &groups)) return false;
    for (uint32_t i = 0; i < curves; i++)
        if (!read_entity(f, 6, &tag, &groups) || (groups > 0 && !gmsh_add_curve(f, (double)tag)) ||
            !read_size(f, "a number of points", &ends) || !binary_skip(&f->b, 4 * (uint64_t)ends))
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

/* Reads an element behind its number and tags. */
static bool read_cell(gmsh_file *f, const element_run *run)
{
    uint32_t v[8], tag;
    if (run->kind == 0 && !run->is_line)
        return binary_skip(&f->b, (uint64_t)run->bytes * run->num_nodes);
    for (uint32_t i = 0; i < run->num_nodes; i++)
        if (!binary_count(&f->b, run->bytes, "a node", INT32_MAX, &tag) ||
            !gmsh_find_node(f, tag, &v[i]))
            return false;
    return run->is_line ? gmsh_add_line(f, v[0], v[1]) : gmsh_add_cell(f, run->kind, v);
}

/* Reads an element of version 2; the first of its tags is its physical group. */
static bool read_tagged(gmsh_file *f, const element_run *run, uint32_t tags)
{
    element_run one = *run;
    uint64_t group = 0;
    if (!binary_skip(&f->b, 4) || (tags > 0 && !binary_size(&f->b, 4, &group)) ||
        !binary_skip(&f->b, tags > 0 ? 4 * ((uint64_t)tags - 1) : 0))
        return false;
    one.is_line = run->is_line && group != 0;
    return read_cell(f, &one);
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
    uint64_t entity;
    element_run run = {.bytes = f->size_bytes};
    if (!binary_skip(&f->b, 4) || !binary_size(&f->b, 4, &entity) || !read_type(f, &run) ||
        !read_size(f, "a number of elements", &count))
        return false;
    run.is_line = run.is_line && gmsh_is_grouped(f, (double)entity);
    for (uint32_t i = 0; i < count; i++)
        if (!skip_sizes(f, 1) || !read_cell(f, &run)) return false;
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
    uint32_t components, count, tag, place;
    if (!gmsh_begin_data(f, &a, &components, &count)) return false;
    gmsh_begin_binary(f);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_int(f, "a node", &tag) || !gmsh_find_node(f, tag, &place)) return false;
        for (uint32_t k = 0; k < components; k++)
            if (!binary_real(&f->b, 8, "a value", &a->values[(size_t)place * components + k]))
                return false;
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
    *at_end = false;
    if (strcmp(name, "$Nodes") == 0) return f->has_4 ? read_nodes_4(f) : read_nodes_2(f);
    if (strcmp(name, "$Elements") == 0) return f->has_4 ? read_elements_4(f) : read_elements_2(f);
    if (strcmp(name, "$NodeData") == 0) return read_node_data(f);
    if (strcmp(name, "$Entities") == 0 && f->has_4 && !read_entities(f)) return false;
    *at_end = true;
    return skip_section(f);
}
