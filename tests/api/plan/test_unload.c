/* A program's plugin that holds the static library is closed behind commands that wait in a queue:
   its plan's end waits for them, and they find their code when the gate opens. The program has no
   library of its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include <CL/cl.h>
#include <clspline/types.h>

enum { NUM = 4096, ROUNDS = 3, PLATFORMS = 16 };

typedef clsp_status (*enqueue_fn)(cl_command_queue queue, cl_event gate, cl_mem params, cl_mem out,
                                  size_t num);

/* Finds a CPU, whose queue takes functions of the host's. */
static cl_device_id find_device(void)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint num = 0;
    cl_device_id device = NULL;

    if (clGetPlatformIDs(PLATFORMS, platforms, &num) != CL_SUCCESS) return NULL;
    for (cl_uint i = 0; i < num && i < PLATFORMS && !device; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    return device;
}

/* Has the plugin enqueue its commands, and closes it. */
static void enqueue(cl_command_queue queue, cl_event gate, cl_mem params, cl_mem out)
{
    void *const plugin = dlopen(UNLOAD_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    void *const symbol = plugin ? dlsym(plugin, "unload_enqueue") : NULL;
    enqueue_fn fn;

    assert_non_null(symbol);
    memcpy(&fn, &symbol, sizeof fn);
    assert_int_equal(fn(queue, gate, params, out, NUM), CLSP_OK);
    assert_int_equal(dlclose(plugin), 0);
}

static void *open_soon(void *gate)
{
    const struct timespec pause = {0, 20000000};

    nanosleep(&pause, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    return NULL;
}

static void test_unload(void **state)
{
    static float params[NUM], points[NUM][3];
    pthread_t opener;
    cl_device_id device = find_device();
    cl_int code;

    (void)state;
    for (size_t i = 0; i < NUM; i++)
        params[i] = (float)i / NUM;
    cl_context ctx = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue queue = clCreateCommandQueue(ctx, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem in = clCreateBuffer(ctx, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof params,
                                   params, &code);
        assert_int_equal(code, CL_SUCCESS);
        cl_mem out = clCreateBuffer(ctx, CL_MEM_READ_WRITE, sizeof points, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
        cl_event gate = clCreateUserEvent(ctx, &code);
        assert_int_equal(code, CL_SUCCESS);
        assert_int_equal(pthread_create(&opener, NULL, open_soon, gate), 0);
        enqueue(queue, gate, in, out);
        pthread_join(opener, NULL);
        clReleaseEvent(gate);
        assert_int_equal(
            clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof points, points, 0, NULL, NULL),
            CL_SUCCESS);
        for (size_t i = 0; i < NUM; i++)
            for (size_t c = 0; c < 3; c++)
                assert_true(fabsf(points[i][c] - (float)(c + 1) * params[i]) <= 1e-6f);
        clReleaseMemObject(in);
        clReleaseMemObject(out);
    }
    clReleaseCommandQueue(queue);
    clReleaseContext(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_unload)};

    if (!find_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
