/* Writer of BezierView files: what bezierview.h reads, by batches. */
#ifndef CLSPLINE_TOOLS_IO_BEZIERVIEW_WRITER_H
#define CLSPLINE_TOOLS_IO_BEZIERVIEW_WRITER_H

#include "bezierview.h"

/* Writes all patches, batch after batch, and the polyhedra, with all digits of their numbers.
   Groups keep their numbers. False with a message; no file is then left, and one that there was
   stays. */
bool bezierview_write(const bezierview *content, const char *path, io_message *message);

#endif
