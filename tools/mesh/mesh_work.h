/* A run of a command that makes meshes and pictures: its devices, its mesh, its outputs and the
   report of its times. */
#ifndef CLSPLINE_TOOLS_MESH_WORK_H
#define CLSPLINE_TOOLS_MESH_WORK_H

#include <stdio.h>

#include "mesh_request.h"
#include "mesh_source.h"
#include "progress.h"

typedef struct mesh_work {
    const mesh_request *r;
    char name[FILENAME_MAX];   /* of what is read, for messages */
    sharing_contexts contexts; /* none before they are needed */
    mesh result;
    double *values;        /* to be coloured, of the result's vertices; NULL: none */
    unsigned char *colors; /* the result's; NULL: none */
    uint64_t num_points;
    bool streamed; /* the output is written while vertices are made */
    double read_seconds, write_seconds;
    mesh_times times;
    progress_bar bar;
    io_progress progress;
} mesh_work;

/* Begins: names the inputs and the progress, and decides whether to stream. The work must stay
   where it is. */
void mesh_work_begin(mesh_work *w, const mesh_request *r);

/* Opens the devices where that has not been done. Complains on failure. */
bool mesh_work_open(mesh_work *w);

/* Prints what a shared call did, in the place of the progress bar; user is the work. */
void mesh_work_print_shared(void *user, const char *what, const clsp_report *report);

/* Makes the mesh anew, or streams it. Complains on failure. */
bool mesh_work_make(mesh_work *w, const mesh_source *source);

/* Writes all outputs. Complains on failure. */
bool mesh_work_write(mesh_work *w);

/* Tells how many things of a kind were evaluated ("28 patches"), on what, and the times, in words
   and in JSON as the request has it. Complains on failure. */
bool mesh_work_report(const mesh_work *w, size_t num, const char *things);

/* Complains that memory ran out. Returns false. */
bool mesh_work_memory(const mesh_work *w);

/* Releases all that the work holds. */
void mesh_work_end(mesh_work *w);

#endif
