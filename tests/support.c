#include "support.h"

#include <dirent.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "opencl_calls.h"

extern char **environ;

static const unsigned char poison_byte = 0xff;

/* Leaves only the cases whose name fits CLSPLINE_TEST_CASES, which may have * and ?. */
__attribute__((constructor)) static void choose_cases(void)
{
    const char *const cases = getenv("CLSPLINE_TEST_CASES");

    if (cases) cmocka_set_test_filter(cases);
}

void support_poison(void *bytes, size_t size)
{
    memset(bytes, poison_byte, size);
}

int support_poisoned(const void *bytes, size_t size)
{
    const unsigned char *const at = bytes;

    for (size_t i = 0; i < size; i++)
        if (at[i] != poison_byte) return 0;
    return 1;
}

uint64_t support_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double support_uniform(uint64_t *state)
{
    return (double)((int64_t)(support_random(state) >> 39) - (1 << 24)) / (1 << 24);
}

void support_assert_status(clsp_context *ctx, clsp_status got, clsp_status wanted, const char *call,
                           const char *file, int line)
{
    char text[1024];

    if (got == wanted) return;
    clsp_context_last_error(ctx, text, sizeof text);
    print_error("%s\n  gave %d, %s\n  wanted %d, %s\n  last error: %s\n", call, got,
                clsp_status_str(got), wanted, clsp_status_str(wanted), text);
    _fail(file, line);
}

/* Counts the devices of OpenCL without the library's help, whose tests were skipped if it found
   none. */
static size_t num_opencl_devices(void)
{
    enum { MOST = 16 };
    cl_platform_id platforms[MOST];
    cl_uint num_platforms = 0;
    size_t count = 0;

    if (!clGetPlatformIDs || clGetPlatformIDs(MOST, platforms, &num_platforms) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < num_platforms && i < MOST; i++) {
        cl_uint num = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 0, NULL, &num) == CL_SUCCESS)
            count += num;
    }
    return count;
}

void support_begin(void)
{
    support_open_opencl();
    if (num_opencl_devices() > 0) setenv("CLSPLINE_DEVICE", ":", 0);
}

int support_no_device(void)
{
    support_begin();
    if (num_opencl_devices() > 0) return 0;
    fprintf(stderr, "no OpenCL device: nothing can be tested here\n");
    return 77;
}

static int left_midway;

/* Tells the sanitizer that looks for leaks at the end whether not to: what a test has made that is
   skipped on its way stays. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return left_midway;
}

void support_needs_opencl(const clsp_context *ctx)
{
    if (ctx && clsp_context_queue(ctx)) return;
    if (num_opencl_devices() > 0) fail_msg("the context is of the host, and there is OpenCL");
    left_midway = 1;
    skip_because("no OpenCL device");
}

bool support_has_methods(void)
{
    static const clsp_context_opts host = {.device = "host", .limits = ""};
    static const clsp_bezier_desc desc = {
        .degree = {1, 1}, .axis = {{.num = 2}, {.num = 2}}, .method = CLSP_BEZIER_MULTILEVEL};
    const char *const built = getenv("CLSPLINE_TEST_METHODS");
    clsp_context *ctx = NULL;
    clsp_patch_plan *plan = NULL;
    char text[256];

    assert_ok(NULL, clsp_context_create(&ctx, NULL, &host));
    const bool has = clsp_bezier_plan_create(&plan, ctx, &desc) == CLSP_OK;
    clsp_context_last_error(ctx, text, sizeof text);
    assert_true(has || strstr(text, "built without the published methods"));
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    if (built) assert_int_equal(has, strcmp(built, "1") == 0);
    return has;
}

void support_needs_methods(void)
{
    if (!support_has_methods()) skip_because("built without the published methods");
}

static int size_is(const char *word)
{
    const char *const size = getenv("CLSPLINE_TEST_SIZE");
    return size && strcmp(size, word) == 0;
}

int support_full(void)
{
    return size_is("full");
}

int support_tiny(void)
{
    return size_is("tiny");
}

clsp_device_info support_device(void)
{
    clsp_context *ctx = NULL;
    clsp_device_info info;

    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_ok(ctx, clsp_context_device(ctx, &info));
    clsp_context_destroy(&ctx);
    return info;
}

static clsp_patch_desc desc_of(const clsp_patch_plan *plan)
{
    clsp_patch_desc desc;

    memset(&desc, 0xfe, sizeof desc);
    assert_ok(NULL, clsp_patch_plan_desc(plan, &desc));
    assert_true((desc.bezier == NULL) != (desc.bspline == NULL));
    for (size_t i = 0; i < sizeof desc.reserved / sizeof *desc.reserved; i++)
        assert_int_equal(desc.reserved[i], 0);
    return desc;
}

clsp_bezier_desc support_bezier_desc(const clsp_patch_plan *plan)
{
    const clsp_patch_desc desc = desc_of(plan);

    assert_non_null(desc.bezier);
    return *desc.bezier;
}

clsp_bspline_desc support_bspline_desc(const clsp_patch_plan *plan)
{
    const clsp_patch_desc desc = desc_of(plan);

    assert_non_null(desc.bspline);
    return *desc.bspline;
}

bool support_is_own_cpu(clsp_context *ctx)
{
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return info.device_class == CLSP_CLASS_CPU || info.device_class == CLSP_CLASS_HOST;
}

bool support_waits(clsp_context *ctx)
{
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return info.device_class == CLSP_CLASS_CPU && !info.native;
}

void support_open_before(clsp_context *ctx, cl_event event)
{
    if (support_waits(ctx)) assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
}

void support_open_behind(clsp_context *ctx, cl_event event)
{
    if (!support_waits(ctx)) assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_SUCCESS);
}

void support_stand_in(void)
{
    const char *const given = getenv("CLSPLINE_LIMITS");
    char limits[512];

    if (support_device().device_class != CLSP_CLASS_CPU) return; /* or stands for one already */
    snprintf(limits, sizeof limits, "%s%sclass=integrated", given ? given : "",
             given && *given ? "," : "");
    if (!given || !strstr(given, "class=")) setenv("CLSPLINE_LIMITS", limits, 1);
}

bool support_events_may_fail(clsp_context *ctx)
{
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return strcmp(info.platform, "Portable Computing Language") != 0 ||
           strncmp(info.driver, "5.0", 3) != 0;
}

bool support_has_texels(clsp_context *ctx)
{
    enum { MOST = 256 };
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D};
    cl_image_format formats[MOST];
    clsp_device_info info;
    cl_context context;
    size_t found = 0;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    if (info.image_2d_max[0] == 0) return false;
    assert_int_equal(clGetCommandQueueInfo(clsp_context_queue(ctx), CL_QUEUE_CONTEXT,
                                           sizeof context, &context, NULL),
                     CL_SUCCESS);
    for (size_t t = 0; t < 2; t++) {
        cl_uint num = 0;
        assert_int_equal(
            clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, types[t], MOST, formats, &num),
            CL_SUCCESS);
        for (cl_uint i = 0; i < num && i < MOST; i++)
            found += formats[i].image_channel_order == CL_R &&
                     formats[i].image_channel_data_type == CL_FLOAT;
    }
    return found == 2;
}

static void *open_gate(void *gate)
{
    const struct timespec pause = {0, 20000000};

    nanosleep(&pause, NULL);
    clSetUserEventStatus(((const support_gate *)gate)->event, CL_COMPLETE);
    return NULL;
}

void support_open_soon(support_gate *gate, cl_event event)
{
    gate->event = event;
    assert_int_equal(pthread_create(&gate->thread, NULL, open_gate, gate), 0);
}

void support_opened(const support_gate *gate)
{
    assert_int_equal(pthread_join(gate->thread, NULL), 0);
    clReleaseEvent(gate->event);
}

cl_command_queue support_queue(void)
{
    static clsp_context *kept;

    if (!kept) assert_ok(NULL, clsp_context_create(&kept, NULL, NULL));
    return clsp_context_queue(kept);
}

cl_command_queue support_second_queue(void)
{
    static cl_command_queue kept;
    cl_context context;
    cl_device_id device;
    cl_int code;

    if (kept) return kept;
    assert_int_equal(
        clGetCommandQueueInfo(support_queue(), CL_QUEUE_CONTEXT, sizeof context, &context, NULL),
        CL_SUCCESS);
    assert_int_equal(
        clGetCommandQueueInfo(support_queue(), CL_QUEUE_DEVICE, sizeof device, &device, NULL),
        CL_SUCCESS);
    kept = clCreateCommandQueue(context, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return kept;
}

/* ---- calls that are made to fail ---- */

double support_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

unsigned support_most_calls(const unsigned calls[], size_t num_kinds, double runs)
{
    if (support_full()) return 0;
    for (unsigned most = 1;; most++) {
        double sum = 0; /* where one more of each kind fails */
        bool all = true;
        for (size_t k = 0; k < num_kinds; k++) {
            sum += calls[k] <= most ? calls[k] : most + 1;
            all = all && calls[k] <= most;
        }
        if (sum > runs) return most;
        if (all) return 0;
    }
}

unsigned support_next_call(unsigned n, unsigned num, unsigned most)
{
    const unsigned first = (most + 1) / 2;

    if (num <= most || n < first) return n + 1;
    if (most == first) return num + 1;
    return n + (num - first + most - first - 1) / (most - first);
}

/* ---- children ---- */

static const char *self;

void support_remember_self(const char *program)
{
    self = program;
}

static int is_variable(const char *entry, const char *variable)
{
    const size_t length = strcspn(variable, "=");
    return strncmp(entry, variable, length) == 0 && entry[length] == '=';
}

/* The environment without what variables name, and with what they set; only the array is malloc'ed.
 */
static char **changed_environment(const char *const variables[])
{
    size_t count = 0, kept = 0, changes = 0;
    char **list;

    while (environ[count])
        count++;
    while (variables[changes])
        changes++;
    list = calloc(count + changes + 1, sizeof *list);
    assert_non_null(list);
    for (size_t i = 0; i < count; i++) {
        size_t j = 0;
        while (j < changes && !is_variable(environ[i], variables[j]))
            j++;
        if (j == changes) list[kept++] = environ[i];
    }
    for (size_t j = 0; j < changes; j++)
        if (strchr(variables[j], '=')) list[kept++] = (char *)variables[j];
    return list;
}

int support_start(const char *const args[], const char *const variables[])
{
    const char *argv[8] = {self};
    char **const list = changed_environment(variables);
    pid_t process;

    for (size_t i = 0; args[i]; i++) {
        assert_true(i + 2 < sizeof argv / sizeof argv[0]);
        argv[i + 1] = args[i];
    }
    assert_int_equal(posix_spawn(&process, self, NULL, NULL, (char **)argv, list), 0);
    free(list);
    return (int)process;
}

int support_wait(int process)
{
    int result;

    assert_int_equal(waitpid(process, &result, 0), process);
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

/* ---- folders ---- */

void support_make_folder(char *path)
{
    const char *const base = getenv("TMPDIR");

    snprintf(path, SUPPORT_PATH_MAX, "%s/clspline-test-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(path));
}

int support_file_in(const char *folder, size_t n, char *path)
{
    DIR *const dir = opendir(folder);
    int found = 0;

    if (!dir) return 0;
    for (struct dirent *entry = readdir(dir); entry && !found; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || n-- > 0) continue;
        found = snprintf(path, SUPPORT_PATH_MAX, "%s/%s", folder, entry->d_name) < SUPPORT_PATH_MAX;
    }
    closedir(dir);
    return found;
}

void support_remove_folder(const char *folder)
{
    char path[SUPPORT_PATH_MAX];

    while (support_file_in(folder, 0, path)) {
        if (remove(path) == 0) continue;
        support_remove_folder(path);
        if (access(path, F_OK) == 0) return;
    }
    rmdir(folder);
}
