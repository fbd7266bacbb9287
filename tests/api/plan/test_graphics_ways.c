/* The way that a buffer of graphics is shared by, on any device (fake_graphics.h): what does not
   work leads to the next one, with the reason; which device draws; ends in any order. */
#include "graphics_fixture.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the way that is taken ---- */

/* What auto takes of a buffer that could be shared in every way, and a part of the reasons. */
typedef struct way_case {
    const char *words;
    clsp_graphics_way way;
    const char *no_gl, *no_external; /* NULL: none */
    bool without_gl;                 /* the context is one without an OpenGL context */
} way_case;

static const way_case way_cases[] = {
    {"gl external", CLSP_GRAPHICS_GL, NULL, NULL, false},
    {"external", CLSP_GRAPHICS_EXTERNAL, "does not list cl_khr_gl_sharing", NULL, false},
    {"gl external", CLSP_GRAPHICS_EXTERNAL, "without an OpenGL context", NULL, true},
    {"gl external refuse-context", CLSP_GRAPHICS_EXTERNAL, "CL_INVALID_GL_SHAREGROUP", NULL, false},
    {"", CLSP_GRAPHICS_STAGED, "does not list", "does not list cl_khr_external_memory", false},
    {"gl refuse-context", CLSP_GRAPHICS_STAGED, "CL_INVALID_GL_SHAREGROUP", "does not list", false},
    {"gl external no-functions", CLSP_GRAPHICS_STAGED, "no functions", "no functions", false},
    {"gl external fail-import", CLSP_GRAPHICS_STAGED, "clCreateFromGLBuffer: CL_INVALID_GL_OBJECT",
     "clCreateBufferWithProperties: CL_INVALID_VALUE", false},
    {"gl external fail-acquire", CLSP_GRAPHICS_STAGED, "acquiring it: ", "acquiring it: ", false},
    {"gl external fail-release", CLSP_GRAPHICS_STAGED, "releasing it: ", "releasing it: ", false},
    {"gl external uuid", CLSP_GRAPHICS_GL, NULL, NULL, false},
    {"gl external uuid other-uuid", CLSP_GRAPHICS_STAGED,
     "UUID 5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b, graphics 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", "UUID",
     false},
};

static void check_reason(const char *reason, const char *wanted)
{
    if (!wanted)
        assert_string_equal(reason, "");
    else if (!strstr(reason, wanted))
        fail_msg("'%s' does not hold '%s'", reason, wanted);
}

/* A named way that does not work is an error that says why; the descriptor stays the caller's. */
static void check_named(clsp_context *ctx, const way_case *c, clsp_graphics_desc desc)
{
    const char *const reasons[] = {NULL, c->no_gl, c->no_external, NULL};
    char message[512];
    clsp_graphics *g = (clsp_graphics *)&desc;

    for (int way = CLSP_GRAPHICS_GL; way <= CLSP_GRAPHICS_EXTERNAL; way++) {
        if (!reasons[way]) continue;
        desc.way = (clsp_graphics_way)way;
        assert_status(ctx, clsp_graphics_create(&g, ctx, &desc), CLSP_ERROR_NO_SHARING);
        assert_null(g);
        clsp_context_last_error(ctx, message, sizeof message);
        check_reason(message, reasons[way]);
        assert_true(fcntl(desc.fd, F_GETFD) >= 0);
    }
}

static void check_bytes(clsp_context *ctx, clsp_graphics *g, const unsigned char *bytes)
{
    scene s = make_scene(ctx, false);
    const bool to_host = bytes != NULL;
    const size_t size = elements_of(&s, SURFACE) * sizeof(float);
    unsigned char *const wanted = plain_result(&s, SURFACE, to_host);

    assert_ok(ctx, bspline_eval(&s, clsp_out_graphics(g, CLSP_F32, 0), NULL));
    clsp_context_finish(ctx);
    if (to_host) assert_memory_equal(bytes, wanted + BEFORE * sizeof(float), size);
    free(wanted);
    free_scene(&s);
}

static void check_way(const way_case *c)
{
    enum { BYTES = 4096 };
    uint8_t uuid[16];
    const clsp_graphics_context graphics = {.gl_context = c->without_gl ? NULL : &gl_dummy,
                                            .glx_display = c->without_gl ? NULL : &gl_dummy,
                                            .device_uuid = uuid};
    clsp_graphics_report report;
    clsp_graphics *g;

    set_words(c->words);
    memset(uuid, FAKE_UUID, sizeof uuid);
    clsp_context *ctx = context_of(&graphics);
    const clsp_graphics_desc desc = {.gl_buffer = fake->make_buffer(BYTES),
                                     .handle = CLSP_HANDLE_DMA_BUF,
                                     .fd = make_file(BYTES),
                                     .host = malloc(BYTES),
                                     .bytes = BYTES};
    check_named(ctx, c, desc);
    assert_ok(ctx, clsp_graphics_create(&g, ctx, &desc));
    assert_ok(ctx, clsp_graphics_info(g, &report));
    assert_int_equal(report.way, c->way);
    assert_int_equal(report.bytes, BYTES);
    check_reason(report.reason[CLSP_GRAPHICS_GL], c->no_gl);
    check_reason(report.reason[CLSP_GRAPHICS_EXTERNAL], c->no_external);
    assert_string_equal(report.reason[CLSP_GRAPHICS_STAGED], "");
    assert_int_equal(fcntl(desc.fd, F_GETFD) < 0, c->way == CLSP_GRAPHICS_EXTERNAL);
    check_bytes(ctx, g, c->way == CLSP_GRAPHICS_STAGED ? desc.host : NULL);
    clsp_graphics_destroy(&g);
    fake->delete_buffer(desc.gl_buffer);
    if (c->way != CLSP_GRAPHICS_EXTERNAL) close(desc.fd);
    free(desc.host);
    clsp_context_destroy(&ctx);
    assert_int_equal(fake->alive, 0);
}

static void test_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(way_cases); i++) {
        check_way(&way_cases[i]);
        assert_string_equal(fake->complaint, "");
        assert_int_equal(fake->unsafe, 0);
        fake->released = fake->acquired; /* of releases that were made to fail */
    }
}

/* gl_event is told of buffers that are shared by way gl alone. */
static void test_gl_event(void **state)
{
    clsp_graphics_report report;

    (void)state;
    set_words("gl gl_event external");
    clsp_context *ctx = gl_context();
    for (int way = CLSP_GRAPHICS_GL; way < CLSP_NUM_GRAPHICS_WAYS; way++) {
        target t = make_target(ctx, (clsp_graphics_way)way, 16);
        assert_ok(ctx, clsp_graphics_info(t.graphics, &report));
        assert_int_equal(report.gl_event, way == CLSP_GRAPHICS_GL);
        if (way > CLSP_GRAPHICS_GL) check_reason(report.reason[CLSP_GRAPHICS_GL], "was asked for");
        free_target(&t);
    }
    clsp_context_destroy(&ctx);
    no_complaints();
}

/* On a queue of the caller's the cl_context decides. */
static void test_plain_queue(void **state)
{
    const clsp_graphics_context graphics = {.gl_context = &gl_dummy};
    clsp_graphics *g;
    clsp_context *ctx;

    (void)state;
    set_words("gl external");
    const cl_command_queue queue = queue_with(false);
    assert_ok(NULL, clsp_context_create(&ctx, queue, &(clsp_context_opts){.graphics = &graphics}));
    target t = make_target(ctx, CLSP_GRAPHICS_EXTERNAL, 64);
    const clsp_graphics_desc desc = {.gl_buffer = 1, .way = CLSP_GRAPHICS_GL, .bytes = 1};
    assert_status(ctx, clsp_graphics_create(&g, ctx, &desc), CLSP_ERROR_NO_SHARING);
    free_target(&t);
    clsp_context_destroy(&ctx);
    free_queue(queue);
    no_complaints();
}

/* ---- the device ---- */

static bool is_basic(clsp_context *ctx)
{
    clsp_device_info info;

    assert_ok(ctx, clsp_context_device(ctx, &info));
    return strstr(info.name, "basic") != NULL;
}

/* Tells whether a context is of PoCL's device "basic", which has the UUID, where it draws or not
   and with a device named. */
static bool takes_basic(const uint8_t *uuid, const char *device)
{
    const clsp_graphics_context graphics = {.device_uuid = uuid};
    clsp_context *ctx;

    assert_ok(NULL, clsp_context_create(
                        &ctx, NULL, &(clsp_context_opts){.graphics = &graphics, .device = device}));
    const bool basic = is_basic(ctx);
    clsp_context_destroy(&ctx);
    return basic;
}

/* Tells whether there are PoCL's devices "basic" and "pthread". */
static bool has_both(void)
{
    clsp_device_info infos[16];
    size_t num = 0;
    bool basic = false, pthread = false;

    if (clsp_device_list(infos, COUNT(infos), &num) != CLSP_OK) return false;
    for (size_t i = 0; i < num && i < COUNT(infos); i++) {
        basic = basic || strncmp(infos[i].name, "basic", 5) == 0;
        pthread = pthread || strncmp(infos[i].name, "pthread", 7) == 0;
    }
    return basic && pthread;
}

/* Tells whether a UUID that no device tells is refused. */
static bool refuses(const uint8_t *uuid, const char *words)
{
    const clsp_graphics_context graphics = {.device_uuid = uuid};
    clsp_context *ctx;
    char message[512];

    set_words(words);
    const clsp_status status =
        clsp_context_create(&ctx, NULL, &(clsp_context_opts){.graphics = &graphics});
    clsp_context_last_error(NULL, message, sizeof message);
    return status == CLSP_ERROR_NO_DEVICE && !ctx && strstr(message, "UUID 5a5a5a");
}

/* Of a process that has these two: 0 where the one that draws is taken; 77 without them. */
static int choose_device(void)
{
    uint8_t uuid[16];

    memset(uuid, FAKE_UUID, sizeof uuid);
    unsetenv("CLSPLINE_DEVICE"); /* without which one that draws is needed */
    if (!refuses(uuid, "") || !refuses(uuid, "uuid other-uuid")) return 1;
    set_words("uuid basic-uuid");
    if (!has_both()) return 77;
    const bool first = takes_basic(uuid, NULL), without = takes_basic(NULL, NULL);
    const bool named = takes_basic(uuid, "pocl:pthread"), both = takes_basic(uuid, "pocl:");
    return first && !without && !named && both ? 0 : 1;
}

static void test_device_choice(void **state)
{
    (void)state;
    const int status = support_wait(support_start(
        (const char *const[]){"choice", NULL},
        (const char *const[]){"POCL_DEVICES=pthread basic", "CLSPLINE_DEVICE", NULL}));
    if (status == 77) skip_because("PoCL has no two devices");
    assert_int_equal(status, 0);
}

/* ---- ends ---- */

/* Buffers outlive their context, and end while commands are enqueued. */
static void test_ends(void **state)
{
    (void)state;
    set_words("gl external");
    clsp_context *ctx = gl_context();
    scene s = make_scene(ctx, false);
    const size_t bytes = elements_of(&s, SURFACE) * sizeof(float);
    clsp_graphics_report report;
    target t[3];
    for (int i = 0; i < 3; i++)
        t[i] = make_target(ctx, (clsp_graphics_way)(CLSP_GRAPHICS_GL + i), bytes);
    assert_ok(ctx, bspline_eval(&s, clsp_out_graphics(t[0].graphics, CLSP_F32, 0), NULL));
    clsp_graphics_destroy(&t[0].graphics);
    clsp_context_finish(ctx);
    assert_false(support_poisoned(t[0].bytes, bytes));
    free_scene(&s);
    clsp_context_destroy(&ctx);
    assert_ok(NULL, clsp_graphics_info(t[1].graphics, &report));
    for (int i = 0; i < 3; i++)
        free_target(&t[i]);
    assert_int_equal(fake->alive, 0);
    no_complaints();
}

/* A child of fork only forgets a buffer. */
static void test_fork(void **state)
{
    int status = -1;

    (void)state;
    set_words("gl external");
    clsp_context *ctx = gl_context();
    target t = make_target(ctx, CLSP_GRAPHICS_EXTERNAL, 64);
    const pid_t child = fork();
    if (child == 0) {
        clsp_graphics_destroy(&t.graphics);
        _exit(t.graphics == NULL && fake->alive == 1 ? 0 : 1);
    }
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    free_target(&t);
    clsp_context_destroy(&ctx);
    no_complaints();
}

/* ---- structs ---- */

/* The layouts of structs without graphics in them, which later ones keep. */
typedef struct plain_output {
    clsp_type type;
    cl_mem buffer;
    void *host;
    void *svm;
    size_t size;
    size_t offset;
    uint64_t reserved[CLSP_RESERVED];
} plain_output;

typedef struct plain_opts {
    const char *device;
    clsp_log_fn log;
    void *log_user;
    const char *cache_dir;
    const char *limits;
    uint64_t reserved[CLSP_RESERVED];
} plain_opts;

static void test_layouts(void **state)
{
    (void)state;
    assert_int_equal(sizeof(clsp_output), sizeof(plain_output));
    assert_int_equal(offsetof(clsp_output, graphics), offsetof(plain_output, reserved));
    assert_int_equal(offsetof(clsp_output, reserved), offsetof(plain_output, reserved[1]));
    assert_int_equal(sizeof(clsp_context_opts), sizeof(plain_opts));
    assert_int_equal(offsetof(clsp_context_opts, graphics), offsetof(plain_opts, reserved));
    assert_int_equal(offsetof(clsp_context_opts, reserved), offsetof(plain_opts, reserved[2]));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways),        cmocka_unit_test(test_gl_event),
        cmocka_unit_test(test_plain_queue), cmocka_unit_test(test_device_choice),
        cmocka_unit_test(test_ends),        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_layouts),
    };
    const int status = graphics_start(argv);

    if (status == 0 && argc > 1) return choose_device();
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
