#include "sampled_image.h"

static clsp_status create_image(sampled_image *x)
{
    const image_run *const r = x->run;
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = r->side, .image_height = r->side};
    const size_t none[3] = {0, 0, 0}, all[3] = {r->side, r->side, 1};
    clsp_status status;
    cl_int code;

    x->image = clCreateImage(r->b->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
    BENCH_TRY(bench_check(code, "clCreateImage"));
    BENCH_TRY(bench_check(
        clEnqueueCopyBufferToImage(r->b->queue, r->samples, x->image, 0, none, all, 0, NULL, NULL),
        r->name));

fail:
    return status;
}

clsp_status sampled_image_create(sampled_image *x, const image_run *r, bool linear)
{
    const cl_filter_mode filter = linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
    cl_program program = NULL;
    clsp_status status;
    cl_int code;

    x->run = r;
    if (!r->b->info.images || r->precision != CLSP_F32 || r->directions != 2 || r->num != 1)
        return CLSP_ERROR_ARGUMENT;
    x->sampler = clCreateSampler(r->b->context, CL_FALSE, CL_ADDRESS_CLAMP, filter, &code);
    BENCH_TRY(bench_check(code, "clCreateSampler"));
    BENCH_TRY(create_image(x));
    BENCH_TRY(bench_program_build(&program, r->b->queue, "sampled_image", ""));
    BENCH_TRY(bench_kernel_create(&x->kernel, program, r->b->queue, "sampled_image"));

fail:
    if (program) clReleaseProgram(program);
    return status;
}

clsp_status sampled_image_enqueue(void *user)
{
    sampled_image *const x = user;
    const image_run *const r = x->run;
    const double(*const m)[4] = r->map.matrix;
    const cl_float8 map = {.s = {(float)m[0][0], (float)m[0][1], (float)m[0][3], (float)m[1][0],
                                 (float)m[1][1], (float)m[1][3]}};
    const cl_uint width = r->out_side;
    const bench_arg args[] = {BENCH_ARG(x->image), BENCH_ARG(x->sampler), BENCH_ARG(map),
                              BENCH_ARG(width), BENCH_ARG(r->values)};
    clsp_status status;

    BENCH_TRY(bench_kernel_args(&x->kernel, args, BENCH_COUNT(args)));
    BENCH_TRY(bench_kernel_launch(&x->kernel, 0, image_run_values(r), NULL));

fail:
    return status;
}

void sampled_image_release(sampled_image *x)
{
    bench_kernel_release(&x->kernel);
    if (x->image) clReleaseMemObject(x->image);
    if (x->sampler) clReleaseSampler(x->sampler);
}
