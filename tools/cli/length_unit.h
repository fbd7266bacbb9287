/* Units of length, as --unit names them. */
#ifndef CLSPLINE_TOOLS_LENGTH_UNIT_H
#define CLSPLINE_TOOLS_LENGTH_UNIT_H

#define LENGTH_UNITS "um mm cm m in"

typedef enum length_unit { LENGTH_UM, LENGTH_MM, LENGTH_CM, LENGTH_M, LENGTH_INCH } length_unit;

static inline const char *length_unit_name(length_unit unit)
{
    static const char *const names[] = {"um", "mm", "cm", "m", "in"};
    return names[unit];
}

static inline double length_unit_metres(length_unit unit)
{
    static const double metres[] = {1e-6, 1e-3, 1e-2, 1, 0.0254};
    return metres[unit];
}

#endif
