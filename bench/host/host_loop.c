#include <math.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "host_surfaces.h"

#define REAL        float
#define ROOT        sqrtf
#define NAMED(name) name##_f32
#include "host_loop_real.h"
#undef REAL
#undef ROOT
#undef NAMED

#define REAL        double
#define ROOT        sqrt
#define NAMED(name) name##_f64
#include "host_loop_real.h"

int host_loop_set_threads(int num)
{
#ifdef _OPENMP
    const int before = omp_get_max_threads();

    omp_set_num_threads(num);
    return before;
#else
    (void)num;
    return 1;
#endif
}

int host_loop_run(const host_surfaces *surfaces)
{
    enum { FEW = 16, PARTS = 16 };
    const size_t parts = surfaces->patches < FEW ? PARTS : 1;

    return surfaces->is_double ? run_f64(surfaces, parts) : run_f32(surfaces, parts);
}

void host_loop_curves(const host_loop_curves_job *job)
{
    (job->is_double ? curves_f64 : curves_f32)(job);
}
