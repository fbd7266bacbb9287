/* Writer of PLY files: binary, little-endian; vertices with x y z and, where the mesh has them,
   normals nx ny nz, as float or double after the mesh's precision, texture coordinates s t as float
   and colours red green blue as bytes; data of vertices by their names, as float; faces as lists of
   vertices. */
#ifndef CLSPLINE_TOOLS_IO_PLY_H
#define CLSPLINE_TOOLS_IO_PLY_H

#include "mesh_file.h"

extern const mesh_format ply_format;

#endif
