#include "numpy_process.h"

bool numpy_start(numpy_process *numpy)
{
    return python_start(numpy, "numpy_surfaces.py", "numpy");
}

void numpy_stop(numpy_process *numpy)
{
    python_stop(numpy);
}

bool numpy_load(numpy_process *numpy, size_t order, size_t samples, size_t patches, bool is_double,
                bool has_normals, const double *points)
{
    const size_t count = patches * order * order * 3;

    return fprintf(numpy->to, "case %zu %zu %zu %s %d\n", order, samples, patches,
                   is_double ? "f64" : "f32", has_normals) > 0 &&
           fwrite(points, sizeof *points, count, numpy->to) == count &&
           python_expect(numpy, "ready");
}

bool numpy_run(numpy_process *numpy)
{
    return fputs("run\n", numpy->to) >= 0 && python_expect(numpy, "done");
}

bool numpy_point(numpy_process *numpy, size_t patch, size_t a, size_t b, double point[3])
{
    char line[PYTHON_TEXT_MAX];

    if (fprintf(numpy->to, "point %zu %zu %zu\n", patch, a, b) < 0 || fflush(numpy->to) != 0 ||
        !python_read(numpy, line))
        return false;
    return sscanf(line, "%lf %lf %lf", &point[0], &point[1], &point[2]) == 3;
}
