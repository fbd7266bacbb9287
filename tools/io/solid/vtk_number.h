/* Numbers in VTK's files, legacy and XML: their types by name, and their bytes. */
#ifndef CLSPLINE_TOOLS_IO_VTK_NUMBER_H
#define CLSPLINE_TOOLS_IO_VTK_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum vtk_number_kind { VTK_SIGNED, VTK_UNSIGNED, VTK_REAL } vtk_number_kind;

typedef struct vtk_number {
    vtk_number_kind kind;
    uint32_t bytes; /* 1, 2, 4, 8 */
} vtk_number;

/* Finds a type by its name in a legacy file ("float") or an XML file ("Float32"), whatever the case
   of letters. False: it is none. */
bool vtk_number_find(const char *name, vtk_number *type);

/* Returns the number at some bytes. */
double vtk_number_get(const unsigned char *from, vtk_number type, bool big_endian);

#endif
