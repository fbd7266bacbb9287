#include "image_textures.h"

#include <stdlib.h>

#include "check.h"
#include "host_device.h"
#include "image_values.h"

enum { TILE_X = 16 /* of image_textures.cl */ };

static clsp_status refuse(clsp_context *ctx, const char *why)
{
    return clspi_fail(&ctx->log, CLSP_ERROR_ARGUMENT, "image: fetches from image objects: %s", why);
}

static size_t limit_of(const clsp_context *ctx, cl_device_info what)
{
    size_t limit = 0;

    clGetDeviceInfo(ctx->device.id, what, sizeof limit, &limit, NULL);
    return limit;
}

/* Returns the most texels that image objects have along direction d of so many; the last one is the
   width. */
static size_t most_texels(const clsp_context *ctx, uint32_t directions, uint32_t d)
{
    static const cl_device_info volumes[] = {
        CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH};

    if (directions == 3) return limit_of(ctx, volumes[d]);
    return ctx->device.image_2d_max[d == 0];
}

/* (PoCL 3.1 lists halves too and reads other numbers from them.) */
static const cl_image_format format = {CL_R, CL_FLOAT};

/* Tells whether the device has image objects of coefficients. */
static bool has_format(const clsp_context *ctx, uint32_t directions)
{
    enum { MOST = 256 };
    cl_image_format formats[MOST];
    const cl_mem_object_type type = directions == 3 ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D;
    cl_uint num = 0;

    if (clGetSupportedImageFormats(ctx->context, CL_MEM_READ_ONLY, type, MOST, formats, &num) !=
        CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < num && i < MOST; i++)
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
    if (!t->planes)
        return clspi_fail(&plan->base.ctx->log, CLSP_ERROR_NO_MEMORY,
                          "image: no memory for a list");
    t->num = num;
    t->load = plan->store.load;
    return CLSP_OK;
}

/* Gives the image object of a plane's coefficients. */
static clsp_status need_plane(clsp_image_plan *plan, clspi_series *series, size_t plane)
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
    cl_int code;

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

static clsp_status need_kernel(clsp_image_plan *plan)
{
    clsp_context *const ctx = plan->base.ctx;
    const clsp_image_desc *const d = &plan->desc;
    clspi_options options = clspi_options_of(ctx, d->precision);

    if (plan->textures.kernel.kernel) return CLSP_OK;
    clspi_option(&options, "COEFFICIENTS", clspi_pixel_type(d->coefficients, d->precision));
    clspi_option(&options, "VALUES", clspi_pixel_type(d->values, d->precision));
    if (d->rounding == CLSP_IMAGE_ROUND_UP) clspi_option(&options, "ROUND_UP", 1);
    clspi_option(&options, "DIRECTIONS", d->directions);
    clspi_option(&options, "CLIP", d->clip);
    clspi_option(&options, "LERPS", d->fetch == CLSP_IMAGE_LERPS);
    clspi_option(&options, "WINDOW", clspi_cut_directions(&plan->layout));
    return clspi_kernel_create_grouped(&plan->textures.kernel, ctx, "image_textures",
                                       d->directions == 3 ? &clspi_textured_volume_signature
                                                          : &clspi_textured_image_signature,
                                       &options);
}

static clspi_texture_axis axis_of(const clspi_image_job *job, uint32_t d)
{
    const clspi_map_axis m = clspi_image_map_axis(&job->map, d);

    return (clspi_texture_axis){.at = (uint64_t)m.at_whole << 32 | m.at_high,
                                .z = (uint64_t)m.z_whole << 32 | m.z_high,
                                .y = (uint64_t)m.y_whole << 32 | m.y_high,
                                .x = (uint64_t)m.x_whole << 32 | m.x_high,
                                .at_low = m.at_low,
                                .z_low = m.z_low,
                                .y_low = m.y_low,
                                .x_low = m.x_low};
}

/* Makes some rows of one slice of a piece; `before` points of the output are before them. */
static clsp_status launch_rows(clspi_image_job *job, clspi_series *series, const clspi_part *part,
                               size_t piece)
{
    clsp_image_plan *const plan = job->plan;
    const clspi_kernel *const kernel = &plan->textures.kernel;
    const size_t local = kernel->local, tile_x = clspi_min(local, TILE_X), width = job->map.size[2];
    const uint32_t end_x = job->end_x > 0 ? job->end_x : job->map.size[2];
    const size_t tiles_x = clspi_div_up(end_x - job->first_x, tile_x);
    const size_t tiles_y = clspi_div_up(part->num_lines, local / tile_x);
    const clspi_stream *const out = &job->streams.stream[0];
    const clspi_texture_grid grid = {.offset = out->offset + part->before * width,
                                     .coefficients = piece * plan->layout.plane,
                                     .range = piece * 2,
                                     .num_x = (cl_uint)width,
                                     .begin_x = job->begin_x,
                                     .first_x = job->first_x,
                                     .end_x = end_x,
                                     .num_y = (cl_uint)part->num_lines,
                                     .first_y = job->map.origin[1] + (cl_uint)part->line,
                                     .z = job->map.origin[0] +
                                          (cl_uint)(part->piece % job->map.size[0]),
                                     .origin_x = job->map.origin[2],
                                     .tiles_x = (cl_uint)tiles_x,
                                     .items = (cl_uint)(tiles_x * tiles_y * local)};
    const cl_mem range = plan->desc.clip ? plan->range.range : plan->coefficients;
    const clspi_texture_axis z = axis_of(job, 0), y = axis_of(job, 1), x = axis_of(job, 2);

    CLSPI_CHECK(need_plane(plan, series, piece));
    if (plan->desc.directions == 3) {
        const clspi_textured_volume_args args = {.texture = plan->textures.planes[piece],
                                                 .coefficients = plan->coefficients,
                                                 .range = range,
                                                 .out = out->buffer,
                                                 .axes = clspi_image_axes_of(job),
                                                 .grid = grid,
                                                 .map_z = z,
                                                 .map_y = y,
                                                 .map_x = x};
        return clspi_launch_textured_volume(series, kernel, &args, grid.items);
    }
    const clspi_textured_image_args args = {.texture = plan->textures.planes[piece],
                                            .coefficients = plan->coefficients,
                                            .range = range,
                                            .out = out->buffer,
                                            .axes = clspi_image_axes_of(job),
                                            .grid = grid,
                                            .map_z = z,
                                            .map_y = y,
                                            .map_x = x};
    return clspi_launch_textured_image(series, kernel, &args, grid.items);
}

clsp_status clspi_image_make_textured(void *user, clspi_series *series, const clspi_part *part)
{
    clspi_image_job *const job = user;
    const uint32_t *const size = job->map.size;
    const size_t row = part->piece * size[0] * size[1] + part->line;
    clspi_part rows;

    CLSPI_CHECK(need_kernel(job->plan));
    CLSPI_CHECK(reserve(job->plan));
    const size_t local = job->plan->textures.kernel.local;
    const uint64_t fma = job->plan->desc.directions == 3 ? 256 : 64;
    const uint64_t most = clspi_min_u64(
        clspi_launch_lines(&series->ctx->tuning, fma * size[2], size[2], local, 1), size[1]);
    clspi_cut cut = {.per_piece = size[1],
                     .multiple = TILE_X,
                     .piece = row / size[1],
                     .line = row % size[1],
                     .left = part->num_lines};
    while (clspi_cut_next(&cut, most, &rows))
        CLSPI_CHECK(launch_rows(job, series, &rows, job->first_piece + rows.piece / size[0]));
    return CLSP_OK;
}
