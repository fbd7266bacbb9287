#include "image_textures.h"

#include <stdlib.h>

#include "check.h"
#include "host_device.h"
#include "image_values.h"

static clsp_status refuse(clsp_context *ctx, const char *why)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "image: fetches from image objects: %s", why);
}

/* Returns the most texels that image objects have along direction d of so many; the last one is the
   width. */
static size_t most_texels(const clsp_context *ctx, uint32_t directions, uint32_t d)
{
    static const cl_device_info volumes[] = {
        CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH};
    size_t most = 0;

    if (directions < 3) return ctx->device.image_2d_max[d == 0];
    clGetDeviceInfo(ctx->device.id, volumes[d], sizeof most, &most, NULL);
    return most;
}

/* (PoCL 3.1 lists halves too and reads other numbers from them.) */
static const cl_image_format format = {CL_R, CL_FLOAT};

/* Tells whether the device has image objects of coefficients. */
static bool has_format(const clsp_context *ctx, uint32_t directions)
{
    enum { MOST = 256 };
    cl_image_format formats[MOST];
    const cl_mem_object_type type = directions == 3 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
    uint32_t num = 0;

    if (clGetSupportedImageFormats(ctx->context, CL_MEM_READ_ONLY, type, MOST, formats, &num) !=
        CL_SUCCESS)
        return false;
    for (uint32_t i = 0; i < num && i < MOST; i++)
        if (formats[i].image_channel_order == format.image_channel_order &&
            formats[i].image_channel_data_type == format.image_channel_data_type)
            return true;
    return false;
}

clsp_status clspi_image_check_fetch(clsp_context *ctx, const clsp_image_desc *d)
{
    if ((unsigned)d->fetch > CLSP_IMAGE_LERPS) return refuse(ctx, "no such fetch");
    if (d->fetch <= CLSP_IMAGE_BUFFERS) return CLSP_OK;
    CLSPI_CHECK(clspi_needs_opencl(ctx, "image objects"));
    if (ctx->device.image_2d_max[0] == 0) return refuse(ctx, "the device has none");
    if (d->precision != CLSP_F32 || d->order != CLSP_IMAGE_CUBIC || d->directions < 2)
        return refuse(ctx, "order 3 of images and volumes in CLSP_F32 alone");
    if (d->channels > 1 && !d->planar) return refuse(ctx, "several channels: planar ones alone");
    if (d->storage == CLSP_IMAGE_ON_HOST) return refuse(ctx, "coefficients on the device alone");
    if (d->coefficients != CLSP_F32) return refuse(ctx, "coefficients in CLSP_F32 alone");
    if (!has_format(ctx, d->directions)) return refuse(ctx, "the device has none of one channel");
    for (uint32_t k = 0; k < d->directions; k++)
        if ((size_t)d->size[k] + 2 * CLSP_IMAGE_PAD > most_texels(ctx, d->directions, k))
            return refuse(ctx, "the size is more than the device's objects have");
    return CLSP_OK;
}

/* ---- image objects ---- */

static void release_planes(clspi_image_textures *textures)
{
    for (size_t i = 0; i < textures->num; i++)
        if (textures->planes[i]) clReleaseMemObject(textures->planes[i]);
    free(textures->planes);
    textures->planes = NULL;
    textures->num = 0;
}

void clspi_image_textures_release(clspi_image_textures *textures)
{
    release_planes(textures);
    clspi_kernel_release(&textures->kernel);
}

/* Makes room for an object of each plane, after other samples were loaded. */
static clsp_status reserve(clsp_image_plan *plan)
{
    clspi_image_textures *const t = &plan->textures;
    const size_t num = plan->num_images * plan->layout.channels;

    if (t->load == plan->store.load) return CLSP_OK;
    release_planes(t);
    t->planes = calloc(clspi_max(num, 1), sizeof(cl_mem));
    if (!t->planes) return clspi_image_no_memory(plan, "a list of image objects");
    t->num = num;
    t->load = plan->store.load;
    return CLSP_OK;
}

/* Makes the image object of a plane's coefficients, where that has not been done. */
static clsp_status make_plane(clsp_image_plan *plan, clspi_series *series, size_t plane)
{
    cl_mem *const texture = &plan->textures.planes[plane];
    const uint32_t *const stored = plan->layout.stored;
    const cl_image_desc desc = {.image_type = plan->desc.directions == 3 ? CL_MEM_OBJECT_IMAGE3D
                                                                         : CL_MEM_OBJECT_IMAGE2D,
                                .image_width = stored[2],
                                .image_height = stored[1],
                                .image_depth = stored[0]};
    const size_t region[3] = {stored[2], stored[1], stored[0]};
    const size_t bytes = plan->layout.plane * clsp_type_bytes(plan->desc.coefficients);
    int32_t code;

    if (*texture) return CLSP_OK;
    cl_mem made =
        clCreateImage(series->ctx->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
    CLSPI_CHECK(clspi_cl(&series->ctx->log, code, "clCreateImage"));
    const clsp_status status =
        clspi_series_copy_to_image(series, plan->coefficients, plane * bytes, made, region);
    if (status == CLSP_OK)
        *texture = made;
    else
        clReleaseMemObject(made);
    return status;
}

/* ---- values ---- */

bool clspi_image_is_textured(const clspi_image_job *job)
{
    return job->plan->desc.fetch > CLSP_IMAGE_BUFFERS && job->places == CLSPI_IMAGE_ON_MAP &&
           job->attributes == CLSP_IMAGE_VALUE && job->map.is_fixed && !job->window;
}

clsp_status clspi_image_use_textures(clspi_image_job *job)
{
    clspi_kernel *const kernel = &job->plan->textures.kernel;
    clsp_context *const ctx = job->plan->base.ctx;
    clspi_options options = clspi_image_value_options(job);

    job->kernel = kernel;
    job->is_textured = true;
    if (kernel->kernel) return CLSP_OK;
    clspi_option(&options, "LERPS", job->plan->desc.fetch == CLSP_IMAGE_LERPS);
    clspi_option(&options, "WINDOW", clspi_is_cut(&job->plan->layout));
    return clspi_kernel_create_grouped(kernel, ctx, "image_textures",
                                       &clspi_textured_values_signature, &options);
}

clsp_status clspi_image_launch_textured(const clspi_image_job *job, clspi_series *series,
                                        const clspi_values_on_map_args *on_map, size_t items)
{
    clsp_image_plan *const plan = job->plan;
    const size_t plane = (size_t)on_map->grid.range / 2;

    CLSPI_CHECK(reserve(plan));
    CLSPI_CHECK(make_plane(plan, series, plane));
    const clspi_textured_values_args args = {.texture = plan->textures.planes[plane],
                                             .coefficients = on_map->coefficients,
                                             .range = on_map->range,
                                             .out = on_map->out,
                                             .axes = on_map->axes,
                                             .grid = on_map->grid,
                                             .map_z = on_map->map_z,
                                             .map_y = on_map->map_y,
                                             .map_x = on_map->map_x};

    return clspi_launch_textured_values(series, job->kernel, &args, items);
}
