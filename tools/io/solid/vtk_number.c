#include "vtk_number.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

bool vtk_number_find(const char *name, vtk_number *type)
{
    static const struct {
        const char *name;
        vtk_number type;
    } known[] = {{"float", {VTK_REAL, 4}},
                 {"double", {VTK_REAL, 8}},
                 {"char", {VTK_SIGNED, 1}},
                 {"unsigned_char", {VTK_UNSIGNED, 1}},
                 {"short", {VTK_SIGNED, 2}},
                 {"unsigned_short", {VTK_UNSIGNED, 2}},
                 {"int", {VTK_SIGNED, 4}},
                 {"unsigned_int", {VTK_UNSIGNED, 4}},
                 {"long", {VTK_SIGNED, 8}},
                 {"unsigned_long", {VTK_UNSIGNED, 8}},
                 {"vtkidtype", {VTK_SIGNED, 4}},
                 {"vtktypeint64", {VTK_SIGNED, 8}},
                 {"vtktypeuint64", {VTK_UNSIGNED, 8}},
                 {"int8", {VTK_SIGNED, 1}},
                 {"uint8", {VTK_UNSIGNED, 1}},
                 {"int16", {VTK_SIGNED, 2}},
                 {"uint16", {VTK_UNSIGNED, 2}},
                 {"int32", {VTK_SIGNED, 4}},
                 {"uint32", {VTK_UNSIGNED, 4}},
                 {"int64", {VTK_SIGNED, 8}},
                 {"uint64", {VTK_UNSIGNED, 8}},
                 {"float32", {VTK_REAL, 4}},
                 {"float64", {VTK_REAL, 8}}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        *type = known[i].type;
        if (strcasecmp(name, known[i].name) == 0) return true;
    }
    return false;
}

double vtk_number_get(const unsigned char *from, vtk_number type, bool big_endian)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < type.bytes; i++)
        bits |= (uint64_t)from[big_endian ? type.bytes - 1 - i : i] << 8 * i;
    if (type.kind == VTK_UNSIGNED) return (double)bits;
    if (type.kind == VTK_SIGNED) {
        const uint64_t sign = (uint64_t)1 << (8 * type.bytes - 1);
        return bits & sign ? -(double)(sign - (bits & (sign - 1))) : (double)bits;
    }
    if (type.bytes == 8) {
        double value;
        memcpy(&value, &bits, sizeof(value));
        return value;
    }
    const uint32_t half = (uint32_t)bits;
    float value;
    memcpy(&value, &half, sizeof(value));
    return (double)value;
}
