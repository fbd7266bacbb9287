#include "vtk_cells.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "solid_file.h"

enum { VTK_LINE = 3, VTK_POLY_LINE = 4 };

bool vtk_integers_append(vtk_integers *list, scanner *s, double value)
{
    uint32_t *moved = array_reserve(list->values, &list->capacity, list->count + 1, sizeof(*moved));
    if (!moved) return solid_scan_memory(s);
    list->values = moved;
    if (!(value >= 0 && value <= INT32_MAX) || value != (double)(uint32_t)value)
        return scanner_fail(s, s->word_line, "%g where a number from 0 to %d was expected", value,
                            INT32_MAX);
    moved[list->count++] = (uint32_t)value;
    return true;
}

void vtk_integers_clear(vtk_integers *list)
{
    free(list->values);
    *list = (vtk_integers){.values = NULL};
}

void vtk_cells_clear(vtk_cells *cells)
{
    vtk_integers_clear(&cells->types);
    vtk_integers_clear(&cells->ends);
    vtk_integers_clear(&cells->index);
    vtk_integers_clear(&cells->faces);
    vtk_integers_clear(&cells->face_ends);
}

/* Adds a polyhedron, by the list of faces of its own where there is one. *begin: where that
   starts; moved to its end. */
static bool add_polyhedron(solid_cells *to, const vtk_cells *from, size_t cell, size_t begin,
                           size_t *face_begin)
{
    if (!from->has_faces)
        return solid_cells_add(to, SOLID_POLYHEDRON, from->index.values + begin,
                               from->ends.values[cell] - begin);
    const size_t end = from->face_ends.values[cell], first = *face_begin;
    *face_begin = end;
    return solid_cells_add(to, SOLID_POLYHEDRON, from->faces.values + first, end - first);
}

/* Adds the lines of a line or of several in a row. */
static bool add_lines(solid_cells *to, const uint32_t *vertex, size_t count)
{
    bool done = true;
    for (size_t i = 0; done && i + 1 < count; i++)
        done = solid_cells_line(to, vertex[i], vertex[i + 1]);
    return done;
}

/* Checks a cell's places in the lists. */
static bool check_places(const vtk_cells *from, size_t cell, size_t begin, size_t face_begin,
                         scanner *s)
{
    const size_t end = from->ends.values[cell];
    if (end < begin || end > from->index.count)
        return scanner_fail(s, s->line, "cell %zu ends at %zu of %zu vertices, begun at %zu", cell,
                            end, from->index.count, begin);
    if (from->types.values[cell] != SOLID_POLYHEDRON || !from->has_faces) return true;
    if (cell >= from->face_ends.count || from->face_ends.values[cell] < face_begin ||
        from->face_ends.values[cell] > from->faces.count)
        return scanner_fail(s, s->line, "the faces of cell %zu are not all there", cell);
    return true;
}

/* Tells whether a kind of cell is a solid. */
static bool is_solid(uint32_t kind)
{
    return kind == SOLID_POLYHEDRON || solid_kind_vertices((int)kind) > 0;
}

/* Leaves out the values of cells that are no solids. */
static bool keep_data(solid_array *a, const vtk_cells *from, scanner *s)
{
    size_t kept = 0;
    const size_t each = a->components;
    if (a->count != from->types.count * each)
        return scanner_fail(s, s->line, "'%s' has %zu values, and %zu cells need %zu", a->name,
                            a->count, from->types.count, from->types.count * each);
    for (size_t i = 0; i < from->types.count; i++)
        if (is_solid(from->types.values[i]))
            memmove(a->values + each * kept++, a->values + each * i, each * sizeof(*a->values));
    a->count = each * kept;
    return true;
}

bool vtk_cells_add(solid_cells *to, const vtk_cells *from, scanner *s)
{
    size_t begin = 0, face_begin = 0;
    if (from->types.count != from->ends.count)
        return scanner_fail(s, s->line, "%zu cells and %zu types of cells", from->ends.count,
                            from->types.count);
    for (size_t cell = 0; cell < from->ends.count; cell++) {
        const int kind = (int)from->types.values[cell];
        const uint32_t needed = solid_kind_vertices(kind);
        if (!check_places(from, cell, begin, face_begin, s)) return false;
        const size_t count = from->ends.values[cell] - begin;
        bool done = true;
        if (kind == SOLID_POLYHEDRON)
            done = add_polyhedron(to, from, cell, begin, &face_begin);
        else if (needed > 0 && count != needed)
            return scanner_fail(s, s->line, "cell %zu has %zu vertices, and type %d has %u", cell,
                                count, kind, (unsigned)needed);
        else if (needed > 0)
            done = solid_cells_add(to, kind, from->index.values + begin, count);
        else if (kind == VTK_LINE || kind == VTK_POLY_LINE)
            done = add_lines(to, from->index.values + begin, count);
        else if (!solid_kind_is_flat(kind))
            return scanner_fail(s, s->line, "cell %zu is of type %d, which is not read", cell,
                                kind);
        if (!done) return solid_scan_memory(s);
        begin = from->ends.values[cell];
    }
    for (size_t i = 0; i < to->num_cell_arrays; i++)
        if (!keep_data(&to->cell_arrays[i], from, s)) return false;
    return true;
}
