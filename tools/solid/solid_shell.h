/* The boundary of a solid as a solid of its own: a shell with a cell on each of the boundary's
   faces. What subdivision makes of the boundary depends on nothing within, so that the limit on the
   outside of the shell is the solid's, however thick the shell is. Where only the boundary is asked
   for, this takes the place of all cells, and its classes are those of a surface: few, in meshes
   whose cells are nearly all of a class of their own. */
#ifndef CLSPLINE_TOOLS_SOLID_SHELL_H
#define CLSPLINE_TOOLS_SOLID_SHELL_H

#include "boundary_faces.h"
#include "solid_model.h"

/* Makes the shell of a model's boundary, whose faces these are, as a model. Its cells are those of
   the faces in their order, the face on the outside: that of quadrilaterals is w = 0, with its
   corners where they stand. Vertices are those of the boundary as they stand first in the faces,
   then as many on the inside, each in the place of its own on the outside. To be cleared whatever
   happens. False with a complaint. */
bool solid_shell_make(solid_model *shell, const solid_model *m, const boundary_faces *faces);

/* Makes the points of a shell anew after those of the model have moved. False with a complaint. */
bool solid_shell_move(solid_model *shell, const solid_model *m, const boundary_faces *faces);

/* Finds the faces of the boundary of a model's mesh: of a shell those on the outside. The index
   must be there where the mesh is hexahedral. To be cleared whatever happens. False with a
   complaint. */
bool solid_shell_faces(boundary_faces *faces, const solid_model *m);

/* Puts the shell of a model's boundary in the place of its mesh, unless that has fewer cells than
   make this worth while: what is refined then is the boundary alone. Data of cells stay those of
   the file. False with a complaint. */
bool solid_shell_replace(solid_model *m);

#endif
