#include "vertex_target.h"

clsp_output vertex_target_output(const vertex_target *t, size_t first, size_t count)
{
    return t->host ? clsp_out_f32(t->host + VIEW_STRIDE * first, VIEW_STRIDE * count)
                   : clsp_out_graphics(t->graphics, CLSP_F32, VIEW_STRIDE * first);
}
