/* Files of meshes that are written while the vertices are made, in blocks, by another thread. */
#ifndef CLSPLINE_TOOLS_IO_MESH_FILE_H
#define CLSPLINE_TOOLS_IO_MESH_FILE_H

#include "block_writer.h"
#include "mesh_shape.h"
#include "output.h"
#include "part_file.h"

/* Vertices in a row. */
typedef struct mesh_vertices {
    size_t count;
    mesh_precision precision; /* of the numbers in memory, float or double */
    const void *positions, *normals;
    size_t stride, normal_stride; /* numbers from one vertex to the next */
    const void *curvature;        /* principal curvatures, `stride` apart; NULL: none */
    const double *data;           /* [count][names of the shape] */
    const unsigned char *colors;  /* [count][3], where the shape has them */
} mesh_vertices;

typedef struct mesh_file mesh_file;

/* What a format does. Functions write by blocks; errors are found by mesh_file_close. */
typedef struct mesh_format {
    /* Says why a mesh cannot be written in this format; NULL where it can, or without function. */
    const char *(*refuse)(const mesh_shape *s);
    void (*begin)(mesh_file *f);
    void (*vertices)(mesh_file *f, const mesh_vertices *v); /* for all, some at a time */
    void (*faces)(mesh_file *f);
    /* Finds where the vertices of a part begin, and how many bytes the whole file has, once what
       begins it is written; NULL where it cannot be made in parts. */
    void (*places)(const mesh_file *f, uint64_t *vertices, uint64_t *bytes);
    /* For all vertices once more, behind the faces: their normals; NULL where those go with the
       vertices. */
    void (*begin_normals)(mesh_file *f);
    void (*normals)(mesh_file *f, const mesh_vertices *v);
    void (*end_normals)(mesh_file *f);
} mesh_format;

/* A part of a file: which grids of the shape. */
typedef struct mesh_part {
    size_t first, count;
    const part_record *record;
} mesh_part;

struct mesh_file {
    const mesh_format *format;
    const mesh_shape *shape; /* of the whole */
    mesh_shape own, before;  /* what is written of it, and what stands before that */
    output out;
    part_output part;
    bool is_part;
    uint64_t head_bytes;  /* of what begins the file */
    block_writer *blocks; /* NULL: not open */
    texture_cursor texture;
    const io_progress *progress; /* of the faces */
    size_t num_done;
};

/* Opens a file and writes what stands before the vertices. The shape and the path must outlive it.
   part: NULL writes the whole. False with a message that names the file. */
bool mesh_file_open(mesh_file *f, const mesh_format *format, const mesh_shape *s,
                    const mesh_part *part, const char *path, io_message *message);

/* For formats: has what follows stand at a place of the file, where that is a part; else it is
   there. */
void mesh_file_move(mesh_file *f, uint64_t at);

/* Adds the next vertices. False when writing has failed: it is of no use to go on. */
bool mesh_file_vertices(mesh_file *f, const mesh_vertices *v);

/* Adds the faces, after all vertices. False likewise. */
bool mesh_file_faces(mesh_file *f, const io_progress *progress);

/* Ends the file: in its place when `done` and nothing failed, else gone. Returns whether it is in
   place; a message tells why not unless `done` is false. Does nothing for what is not open. */
bool mesh_file_close(mesh_file *f, bool done);

/* Writes a whole mesh. */
bool mesh_file_write(const mesh_format *format, const mesh *m, const char *path,
                     const io_progress *progress, io_message *message);

/* Vertex `i` of a row as 3 numbers. */
static inline void get_triple(const mesh_vertices *v, const void *from, size_t at, double to[3])
{
    const float *f32 = from;
    const double *f64 = from;
    for (size_t axis = 0; axis < 3; axis++)
        to[axis] = v->precision == MESH_F32 ? (double)f32[at + axis] : f64[at + axis];
}

#endif
