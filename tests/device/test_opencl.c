/* Where the functions of OpenCL come from: a program's own loader, one that is too old, and one
   that has no more than OpenCL 1.2. One process opens OpenCL once, so the tests follow each other.
 */
#include "../support.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <clspline/bezier.h>

#include "opencl.h"

enum { SAMPLES = 5, REALS = SAMPLES * SAMPLES * 3, CONTROLS = 48 };

static void *loader;
static const char *missing; /* a function that the loader is to lack */
static int num_asked;

static void *address_of(const char *name)
{
    num_asked++;
    return missing && strcmp(name, missing) == 0 ? NULL : dlsym(loader, name);
}

static void *no_address(const char *name)
{
    (void)name;
    return NULL;
}

static bool is_svm(const char *name)
{
    return strstr(name, "SVM") != NULL;
}

static void *address_of_1_2(const char *name)
{
    return is_svm(name) ? NULL : address_of(name);
}

/* The points of a patch of the device's own kernels, or of the host. */
static clsp_status eval(const clsp_context_opts *opts, float points[REALS])
{
    static const clsp_bezier_desc desc = {.degree = {3, 3},
                                          .axis = {{.num = SAMPLES}, {.num = SAMPLES}}};
    float controls[CONTROLS];
    clsp_patch_plan *plan = NULL;
    clsp_context *ctx = NULL;
    clsp_status status = clsp_context_create(&ctx, NULL, opts);

    for (int i = 0; i < CONTROLS; i++)
        controls[i] = (float)(i * i % 13);
    if (status == CLSP_OK) status = clsp_bezier_plan_create(&plan, ctx, &desc);
    if (status == CLSP_OK)
        status = clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, CONTROLS), NULL);
    if (status == CLSP_OK)
        status = clsp_patch_eval(plan, (clsp_range){0, 1}, clsp_out_f32(points, REALS), NULL);
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return status;
}

/* Fails unless there is no device for a reason in words, and the host computes all the same. */
static void assert_only_host(void *(*function)(const char *), const char *words)
{
    const clsp_context_opts device = {.device = ":", .opencl_function = function};
    const clsp_context_opts any = {.device = "", .opencl_function = function};
    float points[REALS] = {0};
    char text[1024];

    assert_status(NULL, eval(&device, points), CLSP_ERROR_NO_DEVICE);
    clsp_context_last_error(NULL, text, sizeof text);
    if (!strstr(text, words)) fail_msg("'%s' is not in '%s'", words, text);
    assert_ok(NULL, eval(&any, points));
    assert_true(points[REALS - 1] == 47 * 47 % 13);
}

static void test_none(void **state)
{
    const clsp_context_opts host = {.device = "host", .opencl_function = address_of};
    float points[REALS];

    (void)state;
    assert_only_host(no_address, "there is no OpenCL loader");
    assert_ok(NULL, eval(&host, points));
    assert_int_equal(num_asked, 0); /* the host needs none */
}

static void test_old(void **state)
{
    (void)state;
    missing = "clCreateImage";
    assert_only_host(address_of, "older than OpenCL 1.2");
    missing = NULL;
}

/* Without the functions of OpenCL 2.0 devices have no SVM, and all else. */
static void test_1_2(void **state)
{
    const clsp_context_opts opts = {.device = ":",
                                    .limits = "class=discrete,local_is_real=1",
                                    .opencl_function = address_of_1_2};
    float points[REALS], wanted[REALS];
    clsp_device_info info;
    clsp_context *ctx = NULL;

    (void)state;
    if (!address_of("clGetPlatformIDs")) skip_because("no OpenCL loader");
    if (clsp_context_create(&ctx, NULL, &opts) == CLSP_ERROR_NO_DEVICE)
        skip_because("no OpenCL device");
    assert_non_null(ctx);
    assert_ok(ctx, clsp_context_device(ctx, &info));
    assert_int_equal(info.svm, 0);
    clsp_context_destroy(&ctx);
    assert_null(clSVMAlloc);
    assert_ok(NULL, eval(&opts, points));
    assert_ok(NULL, eval(&(clsp_context_opts){.device = "host"}, wanted));
    for (int i = 0; i < REALS; i++)
        assert_float_equal(points[i], wanted[i], 1e-4f);
    assert_null(clspi_opencl_open(no_address)); /* it stays as it was opened first */
    assert_ok(NULL, eval(&opts, points));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none), cmocka_unit_test(test_old),
                                       cmocka_unit_test(test_1_2)};

    unsetenv("CLSPLINE_DEVICE");
    unsetenv("CLSPLINE_LIMITS");
    loader = dlopen("libOpenCL.so.1", RTLD_NOW);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
