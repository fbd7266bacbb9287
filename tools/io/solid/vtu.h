/* Writer of VTK's XML files of cells, all of one type, with data of points and cells: raw bytes
   behind the head, in blocks, as they are made. */
#ifndef CLSPLINE_TOOLS_IO_VTU_H
#define CLSPLINE_TOOLS_IO_VTU_H

#include "block_writer.h"
#include "mesh.h"
#include "output.h"

/* VTK's numbers of the types. */
enum { VTU_HEXAHEDRON = 12, VTU_BEZIER_HEXAHEDRON = 79 };

typedef enum vtu_number { VTU_REAL, VTU_INT32, VTU_INT64 } vtu_number;

/* Numbers of each point or cell under a name; reals are in the file's precision. */
typedef struct vtu_field {
    const char *name;
    uint32_t components;
    vtu_number number; /* of points: VTU_REAL */
} vtu_field;

typedef struct vtu_shape {
    mesh_precision precision; /* of points and fields in the file */
    uint64_t num_points, num_cells;
    uint32_t cell_type, cell_points; /* one of the types, and points of each cell */
    const vtu_field *fields, *cell_fields;
    size_t num_fields, num_cell_fields;
} vtu_shape;

typedef struct vtu_file {
    const vtu_shape *shape;
    output out;
    block_writer *blocks; /* NULL: not open */
} vtu_file;

/* Opens a file and writes its head. What follows is to be written in this order: the coordinates of
   all points, the numbers of each field of points, those of each field of cells, the points of all
   cells; vtu_file_begin before each of these. The shape and the path must outlive it. False with a
   message that names the file. */
bool vtu_file_open(vtu_file *f, const vtu_shape *s, const char *path, io_message *message);

/* Begins an array: number 0 is that of points, then those of fields of points and of cells, then
   the cells' points. */
void vtu_file_begin(vtu_file *f, size_t number);

/* Writes numbers of points or fields, and numbers of points of cells. False when writing has
   failed. */
bool vtu_file_reals(vtu_file *f, const double *values, size_t count);
bool vtu_file_integers(vtu_file *f, vtu_number number, const double *values, size_t count);
bool vtu_file_points(vtu_file *f, uint64_t base, const uint32_t *points, size_t count);

/* Writes what there is of cells besides their points, and ends the file: in its place when `done`
   and nothing failed, else gone. Does nothing for what is not open. */
bool vtu_file_close(vtu_file *f, bool done);

#endif
