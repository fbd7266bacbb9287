/* Cells of solids from files:

     .vtk    VTK legacy, text and binary, versions 1 to 5: unstructured grids
     .vtu    VTK XML, text, base64 and raw, not compressed or by zlib: unstructured grids of one
             piece
     .mesh   MEDIT, text: also Ridges and Corners; and MFEM v1.0 with vertices
     .meshb  MEDIT, binary, versions 1 to 4
     .msh    Gmsh 2 and 4 in text, 2 and 4.1 in binary: also NodeData and ElementData

   Files are known by how they begin. Points and faces among the cells are left out. Lines of VTK,
   and Gmsh's of curves in physical groups, become lines; other ones are left out. Data of points
   and of cells become arrays; cells'
   references (MEDIT), attributes (MFEM), physical groups and entities (Gmsh) become some too, named
   medit:ref, attribute, gmsh:physical and gmsh:geometrical. */
#ifndef CLSPLINE_TOOLS_IO_SOLID_FILE_H
#define CLSPLINE_TOOLS_IO_SOLID_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "message.h"
#include "scanner.h"
#include "solid_cells.h"

/* Tells whether a file of which nothing was read is one of cells. Takes comments at its head. */
bool solid_file_suits(scanner *s);

/* Reads an open file to its end. progress, which may be NULL, is told how much is read, where the
   file's size is known. The name is for messages, "NAME:LINE: why" or, of what is known at
   the end only, "NAME: why". False with a message, and no cells. */
bool solid_file_read(solid_cells *cells, FILE *file, const char *name, const io_progress *progress,
                     io_message *message);

/* Reads a file by its path, "-" being standard input, as solid_file_read does. */
bool solid_file_open(solid_cells *cells, const char *path, const io_progress *progress,
                     io_message *message);

/* The formats, from the beginning of the file on. Each leaves it to the caller to check indices. */
bool solid_vtk_read(solid_cells *cells, scanner *s);
bool solid_vtu_read(solid_cells *cells, scanner *s);
bool solid_medit_read(solid_cells *cells, scanner *s);
bool solid_meshb_read(solid_cells *cells, scanner *s);
bool solid_mfem_read(solid_cells *cells, scanner *s);
bool solid_gmsh_read(solid_cells *cells, scanner *s);

/* ---- what formats have in common ---- */

/* Fails for want of memory. Returns false. */
bool solid_scan_memory(scanner *s);

/* Reads a word; fails where the file ends. */
bool solid_scan_word(scanner *s, const char *what);

/* Reads the dimension, which must be 3. */
bool solid_scan_dimension(scanner *s);

/* Turns a wedge that begins with the triangle as it is seen from the other one, as all formats but
   VTK's have it. */
void solid_turn_wedge(uint32_t vertices[6]);

/* The names of arrays of cells that formats have no name for. */
#define SOLID_MEDIT_LABEL "medit:ref"
#define SOLID_MFEM_LABEL  "attribute"
#define SOLID_GMSH_LABEL  "gmsh:physical"
#define SOLID_GMSH_ENTITY "gmsh:geometrical"

/* Reads the vertices of a cell, numbered from 0 on, and adds it; wedges are turned. */
bool solid_scan_cell(solid_cells *cells, scanner *s, int kind);

/* Reads so many points of three coordinates. */
bool solid_scan_points(solid_cells *cells, scanner *s, uint32_t count);

#endif
