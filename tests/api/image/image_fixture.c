#include "image_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "schedule_fixture.h"

unsigned order_number(const clsp_image_desc *d)
{
    if (d->order == CLSP_IMAGE_ORDER_DEFAULT) return 3;
    return d->order == CLSP_IMAGE_NEAREST_SAMPLE ? 0 : (unsigned)d->order;
}

clsp_image_order order_of(unsigned number)
{
    return number == 0 ? CLSP_IMAGE_NEAREST_SAMPLE : (clsp_image_order)number;
}

double unit_of(clsp_type type)
{
    switch (type) {
    case CLSP_F16:
        return 0x1p-10;
    case CLSP_F32:
        return 0x1p-23;
    case CLSP_F64:
        return 0x1p-52;
    default:
        return 0.5;
    }
}

/* ---- memory ---- */

static double random_sample(clsp_type type, uint64_t *state)
{
    const double u = 0.5 * (support_uniform(state) + 1.0);

    switch (type) {
    case CLSP_U8:
        return floor(256.0 * u);
    case CLSP_U16:
        return floor(65536.0 * u);
    case CLSP_S16:
        return floor(65536.0 * u) - 32768.0;
    case CLSP_F16:
        return floor(126.0 * u - 63.0) / 64.0;
    default:
        return 2.0 * u - 1.0;
    }
}

/* ---- images ---- */

static void make_oracle(images *im)
{
    const unsigned channels = im->d.channels;
    double *const samples = malloc(im->samples * sizeof *samples);
    size_t size[3];
    ref_mode mode[3];

    assert_non_null(samples);
    im->oracle = calloc(im->num * channels + 1, sizeof *im->oracle);
    assert_non_null(im->oracle);
    for (unsigned k = 0; k < 3; k++) {
        size[k] = im->d.size[k];
        mode[k] = (ref_mode)im->d.mode[k];
    }
    for (size_t i = 0; i < im->num * channels; i++) {
        const size_t image = i / channels, c = i % channels;
        for (size_t s = 0; s < im->samples; s++) {
            const size_t at =
                im->d.planar ? i * im->samples + s : (image * im->samples + s) * channels + c;
            samples[s] = element_of(im->memory, im->d.samples, at);
        }
        im->oracle[i] = ref_image_make(im->d.directions, size, mode, order_number(&im->d),
                                       im->d.prefilter != CLSP_IMAGE_NONE, im->d.cval, samples);
        im->scale = fmaxl(im->scale, ref_image_scale(&im->oracle[i]));
    }
    free(samples);
}

images images_make(clsp_context *ctx, const clsp_image_desc *desc, size_t num, bool with_oracle,
                   uint64_t seed)
{
    images im = {.ctx = ctx, .num = num, .samples = 1};

    assert_ok(ctx, clsp_image_plan_create(&im.plan, ctx, desc));
    assert_ok(ctx, clsp_image_plan_desc(im.plan, &im.d));
    for (unsigned k = 0; k < im.d.directions; k++)
        im.samples *= im.d.size[k];
    const size_t all = num * im.samples * im.d.channels;
    im.memory = malloc((all + 1) * clsp_type_bytes(im.d.samples));
    assert_non_null(im.memory);
    for (size_t k = 0; k < all; k++)
        set_element(im.memory, im.d.samples, k, random_sample(im.d.samples, &seed));
    assert_ok(ctx,
              clsp_image_set_samples(im.plan, num, host_in(im.d.samples, im.memory, all), NULL));
    if (with_oracle) make_oracle(&im);
    return im;
}

void images_load_from_buffer(const images *im)
{
    store samples = store_make(im->ctx, BUFFER, im->d.samples, 0,
                               im->num * im->samples * im->d.channels, im->memory);

    assert_ok(im->ctx, clsp_image_set_samples(im->plan, im->num, store_in(&samples), NULL));
    store_free(&samples);
}

void images_free(images *im)
{
    for (size_t i = 0; im->oracle && i < im->num * im->d.channels; i++)
        ref_image_free(&im->oracle[i]);
    free(im->oracle);
    free(im->memory);
    clsp_image_plan_destroy(&im->plan);
}

/* ---- maps ---- */

clsp_image_map list_of(size_t num, clsp_input coordinates, uint32_t attributes)
{
    return (clsp_image_map){.attributes = attributes,
                            .at = {.num = num, .params = coordinates, .planar = 1}};
}

clsp_image_map displaced_by(clsp_image_map map, clsp_input displacements)
{
    map.displacements = displacements;
    return map;
}

/* ---- who interpolates ---- */

clsp_status eval_by(clsp_schedule schedule, const images *im, clsp_range range,
                    const clsp_image_map *map, clsp_output out, const clsp_run *run)
{
    clsp_run own = run ? *run : (clsp_run){0};
    clsp_share share = {.schedule = schedule};
    clsp_tiling tiling;
    const clsp_status status =
        clsp_image_eval(im->plan, range, map, out, &(clsp_run){.tiling = &tiling});

    if (status != CLSP_OK) return status;
    share.tiles.count = tiling.num_tiles;
    own.share = &share;
    return clsp_image_eval(im->plan, range, map, out, &own);
}

clsp_status eval_all(const images *im, const clsp_image_map *map, clsp_output out)
{
    return clsp_image_eval(im->plan, (clsp_range){0, im->num}, map, out, NULL);
}

/* ---- shapes ---- */

static const char *shape = "";

clsp_context *shape_context(void)
{
    return context_apart(shape);
}

int run_in_shapes(run_fn run)
{
    clsp_context *ctx = context_apart("");
    const bool is_cpu = device_of(ctx).device_class == CLSP_CLASS_CPU;

    clsp_context_destroy(&ctx);
    int failed = run();
    if (is_cpu) {
        shape = "class=discrete,local_is_real=1";
        failed += run();
    }
    return failed;
}

/* ---- outputs ---- */

size_t components_of(const images *im, uint32_t attributes)
{
    const size_t gradient = attributes & CLSP_IMAGE_GRADIENT ? im->d.directions : 0;

    return (attributes == 0 || attributes & CLSP_IMAGE_VALUE) + gradient;
}

size_t output_size(const images *im, size_t points, uint32_t attributes)
{
    return im->num * im->d.channels * points * components_of(im, attributes);
}

size_t output_at(const images *im, size_t points, uint32_t attributes, const size_t at[4])
{
    const size_t image = at[0], c = at[1], p = at[2], channels = im->d.channels;
    const size_t point =
        im->d.planar ? (image * channels + c) * points + p : (image * points + p) * channels + c;

    return point * components_of(im, attributes) + at[3];
}

bool has_doubles(clsp_context *ctx)
{
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return info.fp64;
}

bool kernels_are_refused(clsp_context *ctx, const clsp_image_desc *d)
{
    enum { ENOUGH_LOCAL = 65536, ENOUGH_ITEMS = 64 };
    clsp_device_info info;
    clsp_image_plan *plan;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    if (info.local_bytes >= ENOUGH_LOCAL && info.max_work_group >= ENOUGH_ITEMS) return false;
    const bool refused = clsp_image_plan_create(&plan, ctx, d) == CLSP_ERROR_ARGUMENT;
    clsp_image_plan_destroy(&plan);
    return refused;
}
