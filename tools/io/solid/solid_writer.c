#include "solid_writer.h"

#include <string.h>

#include "block_writer.h"
#include "output.h"
#include "solid_file.h"

enum { VTK_LINE = 3 };

/* ---- cells, one after another ---- */

/* A cell and its indices. */
typedef struct cell_at {
    size_t number, first, count;
} cell_at;

/* Goes to the next cell, from a struct of zeros to the first. False behind the last. */
static bool next_cell(const solid_cells *c, cell_at *at, bool *begun)
{
    if (*begun) {
        at->first += at->count;
        at->number++;
    }
    *begun = true;
    if (at->number >= c->num_cells) return false;
    at->count = solid_kind_vertices(c->kinds[at->number]);
    if (c->kinds[at->number] != SOLID_POLYHEDRON) return true;
    at->count = 1;
    for (uint32_t faces = c->index[at->first]; faces > 0; faces--)
        at->count += 1 + (size_t)c->index[at->first + at->count];
    return true;
}

static void write_point(block_writer *w, const double *point)
{
    block_writer_text(w, "%.17g %.17g %.17g", point[0], point[1], point[2]);
}

/* ---- MEDIT ---- */

static const struct {
    int kind;
    const char *name;
} medit_lists[] = {{SOLID_TETRAHEDRON, "Tetrahedra"},
                   {SOLID_HEXAHEDRON, "Hexahedra"},
                   {SOLID_WEDGE, "Prisms"},
                   {SOLID_PYRAMID, "Pyramids"}};

/* The number that a file gave to a cell, which MEDIT's cells have. */
static double label_of(const solid_cells *c, size_t cell)
{
    for (size_t i = 0; i < c->num_cell_arrays; i++)
        if (strcmp(c->cell_arrays[i].name, SOLID_MEDIT_LABEL) == 0)
            return c->cell_arrays[i].values[cell * c->cell_arrays[i].components];
    return 0;
}

static void write_medit_cells(block_writer *w, const solid_cells *c, int kind, const char *name)
{
    cell_at at = {.number = 0};
    size_t num = 0;
    for (size_t i = 0; i < c->num_cells; i++)
        num += c->kinds[i] == kind;
    if (num > 0) block_writer_text(w, "%s\n%zu\n", name, num);
    for (bool begun = false; num > 0 && next_cell(c, &at, &begun);) {
        uint32_t vertex[8];
        if (c->kinds[at.number] != kind) continue;
        memcpy(vertex, c->index + at.first, at.count * sizeof(*vertex));
        if (kind == SOLID_WEDGE) solid_turn_wedge(vertex); /* which the reader turns back */
        for (size_t i = 0; i < at.count; i++)
            block_writer_text(w, "%lu ", (unsigned long)vertex[i] + 1);
        block_writer_text(w, "%.0f\n", label_of(c, at.number));
    }
}

/* Writes the marked edges, all of which are ridges. */
static void write_ridges(block_writer *w, const solid_cells *c)
{
    if (c->num_creases == 0) return;
    block_writer_text(w, "Edges\n%zu\n", c->num_creases);
    for (size_t i = 0; i < c->num_creases; i++)
        block_writer_text(w, "%lu %lu 0\n", (unsigned long)c->crease[2 * i] + 1,
                          (unsigned long)c->crease[2 * i + 1] + 1);
    block_writer_text(w, "Ridges\n%zu\n", c->num_creases);
    for (size_t i = 0; i < c->num_creases; i++)
        block_writer_text(w, "%zu\n", i + 1);
}

static void write_medit(block_writer *w, const solid_cells *c)
{
    block_writer_text(w, "MeshVersionFormatted 2\nDimension 3\nVertices\n%zu\n", c->num_points);
    for (size_t i = 0; i < c->num_points; i++) {
        write_point(w, c->points + 3 * i);
        block_writer_text(w, " 0\n");
    }
    for (size_t i = 0; i < sizeof(medit_lists) / sizeof(medit_lists[0]); i++)
        write_medit_cells(w, c, medit_lists[i].kind, medit_lists[i].name);
    write_ridges(w, c);
    if (c->num_corners > 0) block_writer_text(w, "Corners\n%zu\n", c->num_corners);
    for (size_t i = 0; i < c->num_corners; i++)
        block_writer_text(w, "%lu\n", (unsigned long)c->corner[i] + 1);
    block_writer_text(w, "End\n");
}

/* ---- VTK ---- */

static void write_vtk_cells(block_writer *w, const solid_cells *c)
{
    cell_at at = {.number = 0};
    block_writer_text(w, "CELLS %zu %zu\n", c->num_cells + c->num_lines,
                      c->num_cells + c->num_indices + 3 * c->num_lines);
    for (bool begun = false; next_cell(c, &at, &begun);) {
        block_writer_text(w, "%zu", at.count);
        for (size_t i = 0; i < at.count; i++)
            block_writer_text(w, " %lu", (unsigned long)c->index[at.first + i]);
        block_writer_text(w, "\n");
    }
    for (size_t i = 0; i < c->num_lines; i++)
        block_writer_text(w, "2 %lu %lu\n", (unsigned long)c->line[2 * i],
                          (unsigned long)c->line[2 * i + 1]);
    block_writer_text(w, "CELL_TYPES %zu\n", c->num_cells + c->num_lines);
    for (size_t i = 0; i < c->num_cells + c->num_lines; i++)
        block_writer_text(w, "%d\n", i < c->num_cells ? (int)c->kinds[i] : VTK_LINE);
}

/* Writes a name as one word: bytes that a word cannot have as %XX. */
static void write_name(block_writer *w, const char *name)
{
    for (const unsigned char *at = (const unsigned char *)name; *at; at++)
        if (*at > ' ' && *at < 0x7f && *at != '%' && *at != '"')
            block_writer_text(w, "%c", *at);
        else
            block_writer_text(w, "%%%02X", *at);
}

/* Writes arrays of items, with zeros for those behind that have none. */
static void write_arrays(block_writer *w, const char *head, const solid_array *arrays, size_t num,
                         size_t items, size_t others)
{
    if (num == 0) return;
    block_writer_text(w, "%s %zu\nFIELD FieldData %zu\n", head, items + others, num);
    for (const solid_array *a = arrays; a < arrays + num; a++) {
        const size_t own = items * a->components, all = own + others * a->components;
        write_name(w, a->name);
        block_writer_text(w, " %u %zu %s\n", (unsigned)a->components, items + others,
                          a->is_whole ? "long" : "double");
        for (size_t i = 0; i < all; i++)
            block_writer_text(w, "%.17g\n", i < own ? a->values[i] : 0);
    }
}

static void write_vtk(block_writer *w, const solid_cells *c)
{
    block_writer_text(w, "# vtk DataFile Version 3.0\nwritten by clspline\nASCII\n"
                         "DATASET UNSTRUCTURED_GRID\n");
    block_writer_text(w, "POINTS %zu double\n", c->num_points);
    for (size_t i = 0; i < c->num_points; i++) {
        write_point(w, c->points + 3 * i);
        block_writer_text(w, "\n");
    }
    write_vtk_cells(w, c);
    write_arrays(w, "POINT_DATA", c->arrays, c->num_arrays, c->num_points, 0);
    write_arrays(w, "CELL_DATA", c->cell_arrays, c->num_cell_arrays, c->num_cells, c->num_lines);
}

/* ---- both ---- */

/* MEDIT's files alone mark edges and corners; they have neither polyhedra nor data of points. */
static bool is_medit(const solid_cells *c)
{
    return c->num_creases > 0 || c->num_corners > 0;
}

const char *solid_writer_ending(const solid_cells *c)
{
    return is_medit(c) ? "mesh" : "vtk";
}

bool solid_writer_write(const solid_cells *c, const char *path, io_message *message)
{
    output out;
    if (!output_open(&out, path, message)) return false;
    block_writer *w = block_writer_open(out.file);
    if (!w) {
        output_close(&out, false);
        return io_fail(message, "%s: cannot write: not enough memory", path);
    }
    if (is_medit(c))
        write_medit(w, c);
    else
        write_vtk(w, c);
    const bool written = block_writer_close(w);
    if (!written) io_fail_errno(message, path, "cannot write");
    return output_close(&out, written);
}
