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

/* ---- elements ---- */

static bool read_type(gmsh_file *f, int *kind, uint32_t *num_nodes)
{
    uint32_t type;
    return read_int(f, "a type of elements", &type) && gmsh_find_type(f, type, kind, num_nodes);
}

/* Reads an element behind its number and tags; bytes: of each node. */
static bool read_cell(gmsh_file *f, int kind, uint32_t num_nodes, uint32_t bytes)
{
    uint32_t v[8], tag;
    if (kind == 0) return binary_skip(&f->b, (uint64_t)bytes * num_nodes);
    for (uint32_t i = 0; i < num_nodes; i++)
        if (!binary_count(&f->b, bytes, "a node", INT32_MAX, &tag) ||
            !gmsh_find_node(f, tag, &v[i]))
            return false;
    return gmsh_add_cell(f, kind, v);
}

/* Reads runs of elements of one type, which come up to their number in all. */
static bool read_elements_2(gmsh_file *f)
{
    uint32_t count, num, tags, num_nodes;
    int kind;
    if (!scanner_count(f->s, "a number of elements", INT32_MAX, &count)) return false;
    gmsh_begin_binary(f);
    for (uint32_t done = 0; done < count; done += num) {
        if (!read_type(f, &kind, &num_nodes) || !read_int(f, "a number of elements", &num) ||
            !binary_count(&f->b, 4, "a number of tags", 1000, &tags))
            return false;
        if (num == 0 || num > count - done)
            return binary_fail(&f->b, "%u elements where %u are left", (unsigned)num,
                               (unsigned)(count - done));
        for (uint32_t i = 0; i < num; i++)
            if (!binary_skip(&f->b, 4 * (1 + (uint64_t)tags)) || !read_cell(f, kind, num_nodes, 4))
                return false;
    }
    return true;
}

static bool read_element_block(gmsh_file *f)
{
    uint32_t count, num_nodes;
    int kind;
    if (!binary_skip(&f->b, 8) || !read_type(f, &kind, &num_nodes) ||
        !read_size(f, "a number of elements", &count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!skip_sizes(f, 1) || !read_cell(f, kind, num_nodes, f->size_bytes)) return false;
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
    *at_end = true;
    return skip_section(f);
}
