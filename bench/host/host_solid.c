#include "host_solid.h"

bool host_solid_is_parallel(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

void host_solid_run(const host_solid *h)
{
#pragma omp parallel for schedule(dynamic, 8)
    for (size_t c = 0; c < h->num_cells; c++) {
        const uint32_t *const index = h->index + h->first[c];
        const size_t num = h->first[c + 1] - h->first[c];
        for (size_t s = 0; s < h->samples; s++) {
            const double *const weight = h->table[c] + s * num;
            double *const to = h->out + 3 * (c * h->samples + s);
            double x = 0, y = 0, z = 0;
            for (size_t k = 0; k < num; k++) {
                const double *const p = h->points + 3 * (size_t)index[k];
                x += weight[k] * p[0];
                y += weight[k] * p[1];
                z += weight[k] * p[2];
            }
            to[0] = x;
            to[1] = y;
            to[2] = z;
        }
    }
}
