/* `clspline info`: what files of all kinds hold. */
#include "command.h"
#include "image_info.h"
#include "input_kind.h"
#include "patch_info.h"
#include "plain_requests.h"
#include "point_info.h"
#include "solid_info.h"
#include "spline_info.h"

static bool show(const request *r, const char *path, patch_info_device *device, json_list *json)
{
    const unsigned kind = input_kind(path);
    if (kind & FILE_SPLINES) return spline_info_show(path, r->only, json);
    if (r->only) {
        complain("%s: --only is of CAD files", path);
        return false;
    }
    if (kind & FILE_POINTS) return point_info_show(path, json);
    if (kind & FILE_IMAGE) return image_info_show(path, json);
    if (kind & FILE_CELLS) return solid_info_show(path, json);
    return patch_info_show(path, device, json);
}

int info_run(request *r)
{
    patch_info_device device = {.name = r->device};
    json_list list = {.count = 0}, *json = r->json ? &list : NULL;
    bool done = true;
    for (size_t i = 0; done && i < r->num_inputs; i++)
        done = show(r, r->inputs[i], &device, json);
    if (done && json) done = json_list_end(json);
    clsp_context_destroy(&device.ctx);
    return done ? EXIT_OK : EXIT_FAILED;
}
