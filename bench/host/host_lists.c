#include "host_lists.h"

#define REAL        float
#define NAMED(name) name##_f32
#include "host_lists_real.h"
#undef REAL
#undef NAMED

#define REAL        double
#define NAMED(name) name##_f64
#include "host_lists_real.h"

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
