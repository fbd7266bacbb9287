#include "solid_size.h"

#include <math.h>
#include <string.h>

#include "command.h"
#include "output.h"

#define MANY 1e8 /* bytes that are told */

/* Estimates the bytes of a boundary of so many quadrilaterals, which has as many vertices. */
static double boundary_size(const solid_model *m, int format, double quads)
{
    const double normals = m->r->normals ? 2 : 1;
    const bool is_double = m->r->samples == 0 || m->r->base.precision == MESH_F64;
    switch (format) {
    case SOLID_STL:
        return 84 + 100 * quads; /* two triangles of 50 bytes */
    case SOLID_PLY:
        return quads * (17 + (is_double ? 24 : 12) * normals + 4 * (m->channels - 3));
    case SOLID_GLB:
        return quads * (24 + 12 * normals);
    default:
        return quads * (30 + (is_double ? 60 : 35) * normals); /* text */
    }
}

vtu_number solid_size_number(const solid_array *a)
{
    double most = 0;
    for (size_t i = 0; i < a->count; i++)
        most = fmax(most, a->values[i] < 0 ? -a->values[i] - 1 : a->values[i]);
    if (!a->is_whole || most > 9007199254740992.0) return VTU_REAL;
    return most <= INT32_MAX ? VTU_INT32 : VTU_INT64;
}

/* Computes the bytes of the data of a cell in a file of cells. */
static double data_size(const solid_model *m, double real)
{
    double sum = 0;
    for (size_t i = 0; i < m->cells.num_cell_arrays; i++) {
        const solid_array *a = &m->cells.cell_arrays[i];
        const vtu_number number = solid_size_number(a);
        sum += a->components * (number == VTU_REAL ? real : number == VTU_INT32 ? 4 : 8);
    }
    return sum;
}

/* Computes the bytes of the arrays of a file of cells. */
static double vtu_size(const solid_model *m, double vertices, double cells)
{
    const solid_request *r = m->r;
    const double s = r->samples, parts = r->samples && !r->bezier ? (s - 1) * (s - 1) * (s - 1) : 1;
    const double points = r->samples ? cells * s * s * s : vertices, corners = r->bezier ? 64 : 8;
    const bool is_single = r->base.precision == MESH_F32 && (r->has_precision || r->samples > 0);
    const double all = cells * parts * corners, place = all > 2147483647.0 ? 8 : 4;
    const double real = is_single && !r->bezier ? 4 : 8;
    return points * m->channels * real +
           cells * parts * (corners * place + place + 1 + data_size(m, real));
}

double solid_size_of(const solid_model *m, const char *path, double vertices, double faces,
                     double cells)
{
    const int format = request_format(&m->r->base, path);
    const double along = m->r->samples ? m->r->samples - 1 : 1;
    if (solid_request_has_cells(m->r, path)) return vtu_size(m, vertices, cells);
    if (format == SOLID_PNG) return 0; /* what it has when it is compressed is not known */
    /* all cells have 6 faces, of which those within the solid are two cells' */
    const double quads = (2 * faces - 6 * cells) / (m->outside > 0 ? 2 : 1);
    return boundary_size(m, format, quads * along * along);
}

/* Returns what outputs before one add to its disk: their bytes without those of the files that they
   replace. */
static double bytes_before(const request *r, const double *bytes, size_t number, uint64_t device)
{
    double sum = 0;
    output_disk disk;
    for (size_t i = 0; i < number; i++)
        if (strcmp(r->outputs[i], "-") != 0 && output_disk_of(r->outputs[i], &disk) &&
            disk.device == device)
            sum += bytes[i] - disk.replaced;
    return sum;
}

bool solid_size_fits(const solid_model *m, const double *bytes)
{
    const request *r = &m->r->base;
    for (size_t i = 0; i < r->num_outputs; i++) {
        output_disk disk;
        const char *path = r->outputs[i];
        if (strcmp(path, "-") == 0) continue;
        if (output_disk_of(path, &disk)) {
            const double left = disk.room - bytes_before(r, bytes, i, disk.device);
            if (bytes[i] > left) {
                complain("%s: it would have %.3g bytes, and its disk has room for %.3g%s", path,
                         bytes[i], fmax(left, 0), left < disk.room ? " behind the others" : "");
                return false;
            }
        }
        if (bytes[i] >= MANY && !r->quiet)
            complain("note: %s: about %.3g bytes will be written", path, bytes[i]);
    }
    return true;
}

void solid_size_note(const solid_model *m, const char *path, double bytes)
{
    output_disk disk;
    if (m->r->base.quiet || strcmp(path, "-") == 0 || !output_disk_of(path, &disk)) return;
    if (bytes > disk.room)
        complain("note: %s: it would have %.3g bytes were it not compressed, and its disk has room "
                 "for %.3g",
                 path, bytes, disk.room);
}
