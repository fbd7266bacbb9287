#include "vtk_number.h"

#include <strings.h>

bool vtk_number_find(const char *name, npy_type *type)
{
    static const struct {
        const char *name;
        npy_type type;
    } known[] = {{"float", NPY_F32},
                 {"float32", NPY_F32},
                 {"double", NPY_F64},
                 {"float64", NPY_F64},
                 {"char", NPY_S8},
                 {"int8", NPY_S8},
                 {"unsigned_char", NPY_U8},
                 {"uint8", NPY_U8},
                 {"short", NPY_S16},
                 {"int16", NPY_S16},
                 {"unsigned_short", NPY_U16},
                 {"uint16", NPY_U16},
                 {"int", NPY_S32},
                 {"int32", NPY_S32},
                 {"vtkidtype", NPY_S32},
                 {"unsigned_int", NPY_U32},
                 {"uint32", NPY_U32},
                 {"long", NPY_S64},
                 {"int64", NPY_S64},
                 {"vtktypeint64", NPY_S64},
                 {"unsigned_long", NPY_U64},
                 {"uint64", NPY_U64},
                 {"vtktypeuint64", NPY_U64}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        *type = known[i].type;
        if (strcasecmp(name, known[i].name) == 0) return true;
    }
    return false;
}
