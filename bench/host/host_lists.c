#include "host_lists.h"

#define REAL        float
#define NAMED(name) name##_f32
#include "host_lists_real.h"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_f64
#include "host_lists_real.h"

bool host_lists_are_parallel(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

void host_list_bezier(const host_list *list)
{
    if (list->is_double)
        bezier_of_f64(list);
    else
        bezier_of_f32(list);
}

void host_list_curve(const host_list *list)
{
    if (list->is_double)
        curve_of_f64(list);
    else
        curve_of_f32(list);
}

void host_list_surface(const host_list *list)
{
    if (list->is_double)
        surface_of_f64(list);
    else
        surface_of_f32(list);
}

void host_list_solid(const host_list *list)
{
    if (list->is_double)
        solid_f64(list);
    else
        solid_f32(list);
}
