/* What CAD files have beside the surfaces of their faces: loops of trimming curves, edges that
   faces share, bodies, and a mesh whose faces share the points of their edges.

   Faces are numbered as the splines of a file's content are (splines.h), of which those of other
   files are faces without anything else. Parameters are those of the splines as they are kept. */
#ifndef CLSPLINE_TOOLS_IO_CAD_MODEL_H
#define CLSPLINE_TOOLS_IO_CAD_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAD_NO_EDGE UINT32_MAX

enum { CAD_NAME = 64, CAD_KIND = 16, CAD_COLOR = 8 }; /* bytes */

/* Lists that grow. */
typedef struct cad_counts {
    uint32_t *at;
    size_t num, capacity;
} cad_counts;

typedef struct cad_reals {
    double *at;
    size_t num, capacity;
} cad_reals;

/* B-spline curves one behind another, with homogeneous control points. */
typedef struct cad_curves {
    cad_counts degree, num_controls; /* [curves] */
    cad_reals knots, controls;       /* (w u, w v, w) in a plane, (w x, w y, w z, w) in space */
} cad_curves;

typedef struct cad_face {
    char name[CAD_NAME], kind[CAD_KIND], color[CAD_COLOR]; /* "cylinder", "#rrggbb"; "": none */
    double tolerance;
    bool is_turned;  /* outward is -S_u x S_v */
    bool is_trimmed; /* its loops leave out some of its surface */
    bool is_there;   /* else it is of another file, or left out */
    uint32_t body;
} cad_face;

typedef struct cad_body {
    char name[CAD_NAME], part[CAD_NAME];   /* in its place, and of what is placed */
    char kind[CAD_KIND], color[CAD_COLOR]; /* "solid", "shell", "face" */
    bool is_closed;                        /* each edge of each shell has two uses */
} cad_body;

typedef struct cad_model {
    size_t num_faces, face_capacity, num_bodies, body_capacity;
    cad_face *faces;
    cad_body *bodies;
    cad_counts loop, curve;     /* [faces + 1], [loops + 1]: where loops, and curves, begin */
    cad_curves curves, edges;   /* head to tail in the face's parameters; in space */
    cad_counts edge, against;   /* [curves]: or CAD_NO_EDGE, as at a pole; 1: it runs against it */
    cad_counts edge_number;     /* [edges]: in the files, from 0 */
    cad_reals tolerance;        /* [edges] */
    cad_counts vertex, corner;  /* [faces + 1]: where vertices, and corners of triangles, begin */
    cad_reals params, nodes;    /* [vertices][2]; points of the mesh, [nodes][3] */
    cad_counts node, triangles; /* [vertices]; [corners]: vertices of the face, outside to the left
                                   of a triangle's sides */
    size_t num_left_out;        /* faces, by choice */
    uint32_t faces_in_file, faces_read;
    char file_unit[CAD_NAME], note[256]; /* the first reason why a face was left out */
    /* Of the file that is being read, and of its face. */
    bool is_open;
    size_t first_face, first_edge, first_node, file_vertex;
    size_t first_curve, first_control, first_vertex;
    cad_face face;
} cad_model;

/* Makes an empty model, or returns NULL where memory runs out. */
cad_model *cad_model_new(void);

/* Append to a list. False when memory runs out. */
bool cad_counts_add(cad_counts *list, uint32_t value);
bool cad_reals_add(cad_reals *list, const double *values, size_t num);

/* Ends a face: what was added to lists since the last one is its own. The first `plain` faces
   before it have nothing. False when memory runs out. */
bool cad_model_end_face(cad_model *m, const cad_face *face, size_t plain);

/* Counts the faces that are there. */
size_t cad_model_count(const cad_model *m);

/* Returns the colour of a face: its own, or its body's; "": none. */
const char *cad_model_color(const cad_model *m, size_t face);

/* Reads the colour of a face, sRGB. False where it has none. */
bool cad_model_rgb(const cad_model *m, size_t face, unsigned char rgb[3]);

/* Counts the uses of each node by vertices: 2 and more on edges. The caller frees; NULL when memory
   runs out. */
uint32_t *cad_model_uses(const cad_model *m);

/* Measures the mesh of a body: its area, and the volume within where it is closed. */
void cad_model_measure(const cad_model *m, uint32_t body, double *area, double *volume);

/* Counts directed sides of triangles of a body's mesh that have not their opposite exactly once: 0
   of one without gaps. SIZE_MAX when memory runs out. */
size_t cad_model_open_sides(const cad_model *m, uint32_t body);

void cad_model_free(cad_model *m);

#endif
