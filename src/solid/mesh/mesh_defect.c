#include <stdarg.h>
#include <stdio.h>

#include "poly_mesh.h"

clspi_mesh_status clspi_defective(clspi_mesh_defect *defect, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(defect->text, sizeof defect->text, format, args);
    va_end(args);
    return defect->status = CLSPI_MESH_DEFECTIVE;
}
