/* Writer of VTK's XML files of cells, all of one type, with data of points and cells: raw bytes
   where the head says, in blocks, as they are made. */
#ifndef CLSPLINE_TOOLS_IO_VTU_H
#define CLSPLINE_TOOLS_IO_VTU_H

#include "block_writer.h"
#include "mesh.h"
#include "output.h"
#include "part_file.h"

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

/* A part of a file: which of its cells. */
typedef struct vtu_part {
    uint64_t first, count;
    const part_record *record;
} vtu_part;

typedef struct vtu_file {
    const vtu_shape *shape;         /* of the whole */
    uint64_t first_cell, num_cells; /* that are written */
    uint64_t head_bytes;
    output out;
    part_output part;
    bool is_part;
    block_writer *blocks; /* NULL: not open */
} vtu_file;

/* Opens a file and writes its head. What follows is to be written in this order: the coordinates of
   all points, the numbers of each field of points, those of each field of cells, the points of all
   cells; vtu_file_begin before each of these. Of a part some of each, in a row. part: NULL writes
   the whole. The shape and the path must outlive it. False with a message that names the file. */
bool vtu_file_open(vtu_file *f, const vtu_shape *s, const vtu_part *part, const char *path,
                   io_message *message);

/* Begins an array: number 0 is that of points, then those of fields of points and of cells, then
   the cells' points. first: the point or the cell that is the first to be written; 0 of a whole. */
void vtu_file_begin(vtu_file *f, size_t number, uint64_t first);

/* Writes numbers of points or fields, and numbers of points of cells. False when writing has
   failed. */
bool vtu_file_reals(vtu_file *f, const double *values, size_t count);
bool vtu_file_integers(vtu_file *f, vtu_number number, const double *values, size_t count);
bool vtu_file_points(vtu_file *f, uint64_t base, const uint32_t *points, size_t count);

/* Writes what there is of cells besides their points, and ends the file: in its place when `done`
   and nothing failed, else gone. Does nothing for what is not open. */
bool vtu_file_close(vtu_file *f, bool done);

#endif
