/* `clspline info`: what BezierView files and files of B-splines hold. */
#include "patch_info.h"
#include "plain_requests.h"
#include "spline_info.h"

int info_run(request *r)
{
    patch_info_device device = {.name = r->device};
    json_list list = {.count = 0}, *json = r->json ? &list : NULL;
    bool done = true;
    for (size_t i = 0; done && i < r->num_inputs; i++)
        done = spline_info_suits(r->inputs[i]) ? spline_info_show(r->inputs[i], json)
                                               : patch_info_show(r->inputs[i], &device, json);
    if (done && json) done = json_list_end(json);
    clsp_context_destroy(&device.ctx);
    return done ? EXIT_OK : EXIT_FAILED;
}
