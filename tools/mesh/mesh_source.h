/* Where the vertices of a mesh come from, and how they become a mesh in memory. */
#ifndef CLSPLINE_TOOLS_MESH_SOURCE_H
#define CLSPLINE_TOOLS_MESH_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "color.h"
#include "mesh_file.h"

/* Seconds that the stages took, over all batches; `take` is what was done with vertices. */
typedef struct mesh_times {
    double plan, evaluate, take;
} mesh_times;

/* Where vertices go. False ends their making. */
typedef struct mesh_sink {
    bool (*take)(void *user, const mesh_vertices *v);
    void *user;
} mesh_sink;

/* Grids that somebody makes the vertices of, and what stands behind them. */
typedef struct mesh_source {
    const char *name;   /* of what is read, for messages */
    const char *advice; /* what makes the mesh smaller */
    mesh_precision precision;
    bool has_normals, streamed; /* streamed: vertices are not kept */
    coloring_kind colors;       /* values to be found of vertices */
    uint32_t most_samples;      /* of a direction that the library takes */
    const mesh_grid *grids;
    size_t num_grids;
    size_t first, end; /* the grids that are made; of a whole mesh 0 and num_grids */
    const mesh *rest;  /* polyhedra; NULL: none */
    /* Gives the vertices of all grids to the sink in order, some millions at a time. Complains on
       failure, save of the sink. */
    bool (*make)(const struct mesh_source *s, const mesh_sink *sink);
    void *user;
} mesh_source;

/* Of `num` grids from `at` on, finds which are made: from *first to *end, counted from `at`. False
   where none is. */
bool mesh_source_clip(const mesh_source *s, size_t at, size_t num, size_t *first, size_t *end);

/* Counts the vertices of the grids that are made; UINT64_MAX when that does not fit. */
uint64_t mesh_source_points(const mesh_source *s);

/* Tells whether so many points fit vertex numbers, and this machine's memory with their mesh, or
   where they are streamed with what is on its way. Complains when not. */
bool mesh_source_check_size(const mesh_source *s);

/* Tells whether vertices are to have curvature, which those of surfaces can have that have normals
   too. */
bool mesh_source_has_curvature(const mesh_source *s);

/* Makes the grids' part of a mesh, which is empty and has normals where the source has them, and
   with values not NULL those of its vertices that are to be coloured; NaN where there is none.
   Complains on failure. */
bool mesh_source_fill(const mesh_source *s, mesh *m, double *values);

/* Complains that memory ran out. Returns false. */
bool mesh_source_memory(const mesh_source *s);

#endif
