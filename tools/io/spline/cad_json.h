/* What clspline-cad writes beside splines in geomdl's layout (geomdl.h), which begins with
   "format": "clspline-cad". Faces have "trims", loops of curves that name their edge; "reversed",
   "kind", "tolerance", "name", "color" and "mesh"; the file "edges", "bodies", "nodes", units, and
   how many faces were read. docs/guide/cad.md has it all. */
#ifndef CLSPLINE_TOOLS_IO_CAD_JSON_H
#define CLSPLINE_TOOLS_IO_CAD_JSON_H

#include "cad_model.h"
#include "scanner.h"
#include "splines.h"

/* Reads the value of the key in s->word, one of the file, if it is known here; else *taken stays
   false, and the value is still to be read. The format makes content->cad. */
bool cad_json_member(scanner *s, splines *content, bool *taken);

/* Whether a key is one of faces, and reads its value. */
bool cad_json_is_face(const char *key);
bool cad_json_face(scanner *s, cad_model *m);

/* Ends the face of a surface that will be added next. */
bool cad_json_end_face(scanner *s, splines *content, const spline_type *type, bool *is_trimmed);

/* Checks numbers that refer to others, when all is read. */
bool cad_json_end(scanner *s, splines *content);

#endif
