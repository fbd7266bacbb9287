#include "image_points.h"

/* Returns i modulo n, not negative. */
static int64_t modulo(int64_t i, int64_t n)
{
    const int64_t r = i % n;

    return r < 0 ? r + n : r;
}

/* Continues an image once, without divisions: of n or more from an end the result is beyond it. */
static int64_t extend_once(int64_t index, int64_t n, uint32_t mode)
{
    switch (mode) {
    case CLSPI_EXTEND_GRID_WRAP:
        return index < 0 ? index + n : index - n;
    case CLSPI_EXTEND_REFLECT:
        return index < 0 ? -1 - index : 2 * n - 1 - index;
    default:
        return index < 0 ? -index : 2 * n - 2 - index;
    }
}

int32_t clspi_extend(int64_t index, uint32_t num, uint32_t mode)
{
    const int64_t n = num;
    int64_t r;

    if (index >= 0 && index < n) return (int32_t)index;
    if (mode != CLSPI_EXTEND_NEAREST && mode != CLSPI_EXTEND_GRID_CONSTANT) {
        r = extend_once(index, n, mode);
        if (r >= 0 && r < n) return (int32_t)r;
    }
    switch (mode) {
    case CLSPI_EXTEND_NEAREST:
        return index < 0 ? 0 : (int32_t)(n - 1);
    case CLSPI_EXTEND_GRID_CONSTANT:
        return CLSPI_NO_INDEX;
    case CLSPI_EXTEND_GRID_WRAP:
        return (int32_t)modulo(index, n);
    case CLSPI_EXTEND_REFLECT:
        r = modulo(index, 2 * n);
        return (int32_t)(r < n ? r : 2 * n - 1 - r);
    default:
        if (n == 1) return 0;
        r = modulo(index, 2 * n - 2);
        return (int32_t)(r < n ? r : 2 * n - 2 - r);
    }
}

bool clspi_runs_back(int64_t index, uint32_t num, uint32_t mode)
{
    const int64_t n = num, edge = mode == CLSPI_EXTEND_REFLECT ? 0 : 1;

    if ((mode != CLSPI_EXTEND_WHOLE && mode != CLSPI_EXTEND_REFLECT) || n == 1) return false;
    return modulo(index, 2 * (n - edge)) >= (index < 0 ? n - edge : n);
}
