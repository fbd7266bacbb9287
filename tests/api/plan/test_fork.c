/* Forked processes: every call on what the parent has made is refused there at once, whatever locks
   the parent's threads held. OpenCL can be used where the parent has not used it, the host always.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clspline/clspline.h>

#include "support.h"

enum { LIMIT_S = 60 }; /* of a forked process, which then has hung */

static const clsp_range one = {0, 1};

/* ---- what the parent makes ---- */

/* Something of every kind that a call can take. */
typedef struct inheritance {
    clsp_context *ctx, *other;
    clsp_patch_plan *bezier;
    clsp_patch_plan *bspline;
    clsp_nearest *search;
    clsp_image_plan *image;
    clsp_solid_mesh *mesh;
    clsp_solid_plan *solid;
    clsp_graphics *graphics;
    void *shared;
    float memory[64];    /* behind the buffer of graphics */
    pid_t parent;        /* the process that has made all this */
    bool has_opencl;     /* and has used OpenCL for it, */
    bool has_gpu;        /* of which a device is a GPU */
    int num_messages;    /* that came to the log in another process */
    bool is_explained;   /* all of these said why */
    bool stays;          /* the parent's log keeps its lock until `release` */
    sem_t held, release; /* the log is in its callback; it may leave it */
} inheritance;

/* Takes the messages of contexts. In the parent it may hold on to the lock that it is called
   with. */
static void take_message(void *user, clsp_log_level level, const char *message)
{
    inheritance *const all = user;

    if (getpid() != all->parent) {
        all->num_messages++;
        all->is_explained &= level == CLSP_LOG_ERROR && !strncmp(message, "made before fork: ", 18);
    } else if (all->stays && level == CLSP_LOG_ERROR) {
        sem_post(&all->held);
        sem_wait(&all->release);
    }
}

static void make_splines(inheritance *all)
{
    static const double knots[] = {0, 0, 0, 0, 1, 1, 1, 1};
    static const float points[3 * 4] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1};
    const clsp_bezier_desc bezier = {
        .form = CLSP_BEZIER_CURVE, .degree = {3}, .axis = {{.num = 5}}};
    const clsp_bspline_desc bspline = {.directions = 1,
                                       .degree = {3},
                                       .num_controls = {4},
                                       .knots = {knots},
                                       .axis = {{.num = 5}}};
    const clsp_bspline_target target = {.along = {{.elevate = 1}}};
    const clsp_input in = clsp_in_f32(points, 12);

    assert_ok(all->ctx, clsp_bezier_plan_create(&all->bezier, all->ctx, &bezier));
    assert_ok(all->ctx, clsp_patch_set_control_points(all->bezier, 1, in, NULL));
    assert_ok(all->ctx, clsp_bspline_plan_create(&all->bspline, all->ctx, &bspline));
    assert_ok(all->ctx, clsp_patch_set_control_points(all->bspline, 1, in, NULL));
    assert_ok(all->ctx, clsp_bspline_set_target(all->bspline, &target));
    assert_ok(all->ctx, clsp_nearest_create(&all->search, &all->bspline, 1, NULL, NULL));
}

static void make_image_and_solid(inheritance *all)
{
    static const float samples[16] = {1, 2, 3};
    static const uint32_t hexahedron[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const float corners[3 * 8] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0,
                                         0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
    const clsp_image_desc image = {.directions = 2, .size = {4, 4}};
    const clsp_solid_cells cells = {
        .num_vertices = 8, .num_cells = 1, .num_indices = 8, .index = hexahedron};
    const clsp_solid_desc solid = {.axis = {{.num = 2}, {.num = 2}, {.num = 2}}};

    assert_ok(all->ctx, clsp_image_plan_create(&all->image, all->ctx, &image));
    assert_ok(all->ctx, clsp_image_set_samples(all->image, 1, clsp_in_f32(samples, 16), NULL));
    assert_ok(all->ctx, clsp_solid_mesh_create(&all->mesh, all->ctx, &cells));
    assert_ok(all->ctx, clsp_solid_plan_create(&all->solid, all->mesh, &solid));
    assert_ok(all->ctx, clsp_solid_set_control_points(all->solid, clsp_in_f32(corners, 24), NULL));
}

/* Has the context's worker make something. Oclgrind's checks end the process when a
   second thread enqueues. */
static void start_worker(inheritance *all)
{
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST};
    float points[15];

    if (support_tiny()) return;
    assert_ok(all->ctx, clsp_patch_eval(all->bezier, one, clsp_out_f32(points, 15),
                                        &(clsp_run){.share = &by_host}));
}

/* Notes which devices there are beside the host. */
static void look_around(inheritance *all)
{
    enum { MOST = 16 };
    clsp_device_info infos[MOST];
    size_t num;

    assert_ok(NULL, clsp_device_list(infos, MOST, &num));
    all->has_opencl = num > 1;
    for (size_t i = 0; i < num && i < MOST; i++)
        all->has_gpu = all->has_gpu || infos[i].device_class == CLSP_CLASS_DISCRETE ||
                       infos[i].device_class == CLSP_CLASS_INTEGRATED;
}

static void make_all(inheritance *all)
{
    const clsp_context_opts opts = {.log = take_message, .log_user = all};
    const clsp_graphics_desc graphics = {
        .host = all->memory, .bytes = sizeof all->memory, .way = CLSP_GRAPHICS_STAGED};

    *all = (inheritance){.parent = getpid(), .is_explained = true};
    look_around(all);
    assert_int_equal(sem_init(&all->held, 0, 0), 0);
    assert_int_equal(sem_init(&all->release, 0, 0), 0);
    assert_ok(NULL, clsp_context_create(&all->ctx, support_queue(), &opts));
    assert_ok(NULL, clsp_context_create(&all->other, support_queue(), NULL));
    assert_ok(all->ctx, clsp_context_set_workers(all->ctx, 1));
    assert_ok(all->ctx, clsp_shared_alloc(all->ctx, 64, &all->shared));
    assert_ok(all->ctx, clsp_graphics_create(&all->graphics, all->ctx, &graphics));
    make_splines(all);
    make_image_and_solid(all);
    start_worker(all);
}

static void destroy_all(inheritance *all)
{
    clsp_graphics_destroy(&all->graphics);
    clsp_solid_plan_destroy(&all->solid);
    clsp_solid_mesh_destroy(&all->mesh);
    clsp_image_plan_destroy(&all->image);
    clsp_patch_plan_destroy(&all->bspline);
    clsp_nearest_destroy(&all->search);
    clsp_patch_plan_destroy(&all->bezier);
    clsp_context_destroy(&all->other);
    clsp_context_destroy(&all->ctx);
}

/* ---- calls in a forked process ---- */

/* Calls that were not refused, in the running process. */
static int num_taken;

static void expect_refusal(clsp_status status, const char *call)
{
    if (status == CLSP_ERROR_STATE) return;
    fprintf(stderr, "%s: %s\n", call, clsp_status_str(status));
    num_taken++;
}

#define REFUSED(call)     expect_refusal((call), #call)
#define EXPECT(condition) expect_refusal((condition) ? CLSP_ERROR_STATE : CLSP_OK, #condition)

static float numbers[256];
static uint32_t indices[64];

static clsp_output out(void)
{
    return clsp_out_f32(numbers, 256);
}

static clsp_input in(size_t size)
{
    return clsp_in_f32(numbers, size);
}

static clsp_points no_points(void)
{
    return (clsp_points){.num = 1, .params = in(3)};
}

static void try_context(inheritance *all)
{
    const clsp_graphics_desc desc = {.host = numbers, .bytes = 64};
    clsp_context *const ctx = all->ctx;
    clsp_graphics *graphics;
    clsp_graphics_report report;
    clsp_device_info info;
    char text[32] = "";
    void *memory;

    EXPECT(clsp_context_queue(ctx) == NULL);
    EXPECT(clsp_context_last_error(ctx, text, sizeof text) > sizeof text);
    EXPECT(!strncmp(text, "made before fork: ", 18));
    REFUSED(clsp_context_device(ctx, &info));
    REFUSED(clsp_context_device(ctx, NULL));
    REFUSED(clsp_context_build_all(ctx, NULL, NULL));
    REFUSED(clsp_context_join(ctx, all->other));
    REFUSED(clsp_context_set_workers(ctx, 2));
    REFUSED(clsp_context_set_workers(ctx, 0));
    REFUSED(clsp_context_set_speeds(ctx, ""));
    REFUSED(clsp_shared_alloc(ctx, 64, &memory));
    REFUSED(clsp_graphics_create(&graphics, ctx, &desc));
    REFUSED(clsp_graphics_create(&graphics, ctx, NULL));
    REFUSED(clsp_graphics_info(all->graphics, &report));
    clsp_shared_free(ctx, all->shared);
}

/* Calls on plans of both kinds. */
static void try_patches(inheritance *all, clsp_patch_plan *plan)
{
    const clsp_nearest_queries queries = {.num = 1, .points = in(3)};
    const clsp_points points = no_points();
    const clsp_axis axis = {.num = 3};
    const uint32_t num = 4;
    clsp_patch_desc desc;
    clsp_mesh_size size;

    REFUSED(clsp_patch_plan_desc(plan, &desc));
    REFUSED(clsp_patch_plan_desc(plan, NULL));
    REFUSED(clsp_patch_set_grids(plan, &axis, 0, (clsp_input){0}));
    REFUSED(clsp_patch_set_grids(plan, NULL, 1, clsp_in_u32(&num, 1)));
    REFUSED(clsp_patch_set_control_points(plan, 1, in(12), NULL));
    REFUSED(clsp_patch_eval(plan, one, out(), NULL));
    REFUSED(clsp_patch_eval(plan, one, clsp_out_graphics(all->graphics, CLSP_F32, 0), NULL));
    REFUSED(clsp_patch_eval_points(plan, &points, out(), NULL));
    REFUSED(clsp_patch_eval_points(plan, NULL, out(), NULL));
    REFUSED(clsp_patch_mesh_size(plan, one, &size));
    REFUSED(clsp_patch_indices(plan, CLSP_FACES_TRIANGLES, one, clsp_out_u32(indices, 64), NULL));
    REFUSED(clsp_nearest_project(plan, &queries, NULL, out(), NULL));
    REFUSED(clsp_patch_set_reduction(plan, NULL, NULL));
    REFUSED(clsp_patch_reduce(plan, one, &(clsp_pieces){.controls = out()}, NULL));
}

static void try_bezier(inheritance *all)
{
    const clsp_bezier_desc desc = {.degree = {1, 1}};
    const uint32_t degree = 2;
    clsp_patch_plan *made;

    REFUSED(clsp_bezier_plan_create(&made, all->ctx, &desc));
    REFUSED(clsp_bezier_plan_create(&made, all->ctx, NULL));
    REFUSED(clsp_bezier_set_degrees(all->bezier, &degree));
    REFUSED(clsp_bezier_set_degrees(all->bspline, &degree));
    try_patches(all, all->bezier);
}

static void try_bspline(inheritance *all)
{
    static const double knots[] = {0, 0, 0, 0, 1, 1, 1, 1};
    const clsp_bspline_matrix matrix = {clsp_out_u32(indices, 64), {0}, {0}};
    clsp_patch_plan *const plan = all->bspline;
    const clsp_nearest_queries queries = {.num = 1, .points = in(3)};
    const clsp_points points = no_points();
    clsp_nearest *made_search;
    clsp_patch_plan *made;
    clsp_bspline_desc desc = {
        .directions = 1, .degree = {3}, .num_controls = {4}, .knots = {knots}};

    REFUSED(clsp_nearest_create(&made_search, &all->bspline, 1, NULL, NULL));
    REFUSED(clsp_nearest_find(all->search, &queries, NULL, out(), NULL));
    REFUSED(clsp_nearest_contains(all->search, &points, out(), NULL));
    REFUSED(clsp_bspline_plan_create(&made, all->ctx, &desc));
    REFUSED(clsp_bspline_set_knots(plan, 1, clsp_in_f64(knots, 8)));
    REFUSED(clsp_bspline_set_target(plan, NULL));
    REFUSED(clsp_bspline_target_desc(plan, 0, &desc, NULL));
    REFUSED(clsp_bspline_target_desc(plan, 0, &desc, &matrix));
    REFUSED(clsp_bspline_convert(plan, one, out(), NULL));
    try_patches(all, plan);
}

static void try_image(inheritance *all)
{
    clsp_image_plan *const plan = all->image;
    clsp_image_plan *made;
    clsp_image_desc desc = {.directions = 1, .size = {4}};

    REFUSED(clsp_image_plan_create(&made, all->ctx, &desc));
    REFUSED(clsp_image_plan_desc(plan, &desc));
    REFUSED(clsp_image_set_samples(plan, 1, in(16), NULL));
    REFUSED(clsp_image_coefficients(plan, one, out(), NULL));
    REFUSED(clsp_image_eval(plan, one, NULL, out(), NULL));
}

static void try_mesh(inheritance *all)
{
    const clsp_solid_mesh *const mesh = all->mesh;
    const clsp_solid_cells cells = {.num_vertices = 0};
    clsp_solid_mesh *made;
    clsp_solid_counts counts;

    REFUSED(clsp_solid_mesh_create(&made, all->ctx, &cells));
    REFUSED(clsp_solid_mesh_refine(&made, mesh));
    REFUSED(clsp_solid_mesh_refine(NULL, mesh));
    REFUSED(clsp_solid_mesh_counts(mesh, &counts));
    REFUSED(clsp_solid_mesh_cells(mesh, clsp_out_u32(indices, 64)));
    REFUSED(clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, 3, in(24), out(), NULL));
    REFUSED(clsp_solid_refine_points(mesh, CLSP_SOLID_TENSOR, 0, in(24), out(), NULL));
    REFUSED(clsp_solid_limit_points(mesh, CLSP_SOLID_VERTICES, 3, in(24), out(), NULL));
}

static void try_solid(inheritance *all)
{
    const clsp_points points = no_points();
    const clsp_solid_param param = {.cell = 0};
    const clsp_solid_queries queries = {.num = 0};
    clsp_solid_plan *const plan = all->solid;
    clsp_solid_plan *made;
    clsp_solid_desc desc = {.dim = 3};
    clsp_solid_class classes[1];
    double weights[64];
    size_t num = 1;

    REFUSED(clsp_solid_plan_create(&made, all->mesh, &desc));
    REFUSED(clsp_solid_plan_create(&made, all->mesh, NULL));
    REFUSED(clsp_solid_plan_desc(plan, &desc));
    REFUSED(clsp_solid_classes(plan, classes, 1, &num));
    REFUSED(clsp_solid_cell_classes(plan, one, clsp_out_u32(indices, 64)));
    REFUSED(clsp_solid_set_control_points(plan, in(24), NULL));
    REFUSED(clsp_solid_eval(plan, one, out(), NULL));
    REFUSED(clsp_solid_eval_points(plan, &points, out(), NULL));
    REFUSED(clsp_solid_locate(plan, &queries, out(), NULL));
    num = 64;
    REFUSED(clsp_solid_weights(plan, &param, indices, weights, &num));
}

/* Makes a context and evaluates; of the host with a thread of its own. Returns the exit status of
   the process. */
static int compute(const char *device)
{
    static const float points[4] = {0, 1, 2, 3};
    const clsp_context_opts opts = {.device = device, .limits = device ? "" : NULL};
    const clsp_share by_host = {.schedule = CLSP_SCHEDULE_HOST, .num_workers = 1};
    const clsp_run run = {.share = device ? &by_host : NULL};
    const clsp_bezier_desc desc = {
        .form = CLSP_BEZIER_CURVE, .degree = {3}, .axis = {{.num = 3}}, .dim = 1};
    clsp_context *ctx;
    clsp_patch_plan *plan;
    float values[3] = {0};

    alarm(LIMIT_S);
    if (clsp_context_create(&ctx, NULL, &opts) != CLSP_OK) return 1;
    if (clsp_bezier_plan_create(&plan, ctx, &desc) != CLSP_OK) return 2;
    if (clsp_patch_set_control_points(plan, 1, clsp_in_f32(points, 4), NULL) != CLSP_OK) return 3;
    if (clsp_patch_eval(plan, one, clsp_out_f32(values, 3), &run) != CLSP_OK) return 4;
    clsp_patch_plan_destroy(&plan);
    clsp_context_destroy(&ctx);
    return values[0] == 0 && values[1] == 1.5f && values[2] == 3 ? 0 : 5;
}

/* Calls that have no context yet: OpenCL is lost where the parent has used it, and the host is
   there. */
static void try_new(inheritance *all)
{
    clsp_context *ctx;
    size_t num;
    char text[128] = "";

    EXPECT(compute("host") == 0);
    EXPECT(clsp_context_create(&ctx, NULL, &(clsp_context_opts){.device = "host", .limits = ""}) ==
           CLSP_OK);
    REFUSED(clsp_context_join(ctx, all->other));
    REFUSED(clsp_context_join(all->other, ctx));
    clsp_context_destroy(&ctx);
    if (!all->has_opencl) {
        EXPECT(compute(NULL) == 0);
        EXPECT(clsp_device_list(NULL, 0, &num) == CLSP_OK && num == 1);
        return;
    }
    REFUSED(clsp_context_create(&ctx, NULL, NULL));
    EXPECT(clsp_context_last_error(NULL, text, sizeof text) > 0);
    EXPECT(strstr(text, "forked") != NULL);
    EXPECT(ctx == NULL);
    REFUSED(clsp_device_list(NULL, 0, &num));
    EXPECT(num == 0);
    unsetenv("CLSPLINE_DEVICE"); /* the parent's default is the host, or a GPU, which is lost */
    unsetenv("CLSPLINE_LIMITS");
    if (all->has_gpu)
        REFUSED(clsp_context_create(&ctx, NULL, NULL));
    else
        EXPECT(compute(NULL) == 0);
}

/* Makes every call that there is, and destroys all. Returns the exit status of the process. */
static int try_all(inheritance *all)
{
    alarm(LIMIT_S);
    try_context(all);
    try_bezier(all);
    try_bspline(all);
    try_image(all);
    try_mesh(all);
    try_solid(all);
    try_new(all);
    EXPECT(all->num_messages > 50 && all->is_explained);
    destroy_all(all);
    EXPECT(!all->search);
    EXPECT(!all->ctx && !all->other && !all->bezier && !all->bspline && !all->image);
    EXPECT(!all->mesh && !all->solid && !all->graphics);
    return num_taken > 0;
}

/* Waits for a forked process, which must have ended by itself, and well. */
static void await_child(pid_t child)
{
    int result;

    assert_true(child > 0);
    assert_int_equal(waitpid(child, &result, 0), child);
    if (WIFSIGNALED(result)) fail_msg("ended by signal %d", WTERMSIG(result));
    assert_int_equal(WEXITSTATUS(result), 0);
}

/* The parent's own plans are as they were. */
static void check_parent(inheritance *all)
{
    float points[15];

    assert_ok(all->ctx, clsp_patch_eval(all->bezier, one, clsp_out_f32(points, 15), NULL));
    assert_true(points[12] == 1 && points[13] == 1 && points[14] == 1);
    assert_ok(all->ctx, clsp_patch_eval(all->bspline, one, clsp_out_f32(points, 15), NULL));
    assert_true(points[12] == 1 && points[13] == 1 && points[14] == 1);
}

/* ---- tests ---- */

static void test_refused(void **state)
{
    inheritance all;

    (void)state;
    make_all(&all);
    const pid_t child = fork();
    if (child == 0) _exit(try_all(&all));
    await_child(child);
    check_parent(&all);
    destroy_all(&all);
}

/* A process forked by one that was forked itself is refused too. */
static void test_twice(void **state)
{
    inheritance all;

    (void)state;
    make_all(&all);
    const pid_t child = fork();
    if (child == 0) {
        int result = 1;
        const pid_t second = fork();
        if (second == 0) _exit(try_all(&all));
        alarm(LIMIT_S);
        _exit(waitpid(second, &result, 0) == second ? result != 0 : 1);
    }
    await_child(child);
    destroy_all(&all);
}

static void *fail_a_call(void *user)
{
    inheritance *const all = user;

    clsp_patch_eval(all->bezier, (clsp_range){7, 7}, out(), NULL);
    return NULL;
}

/* Another thread of the parent is in a call, and holds the lock of the context's log. */
static void test_lock(void **state)
{
    inheritance all;
    pthread_t thread;

    (void)state;
    make_all(&all);
    all.stays = true;
    assert_int_equal(pthread_create(&thread, NULL, fail_a_call, &all), 0);
    sem_wait(&all.held);
    const pid_t child = fork();
    if (child == 0) _exit(try_all(&all));
    sem_post(&all.release);
    assert_int_equal(pthread_join(thread, NULL), 0);
    all.stays = false;
    await_child(child);
    check_parent(&all);
    destroy_all(&all);
}

/* What the first forked process of the program got, whose parent has not used OpenCL. */
static int first_result;

static void test_first(void **state)
{
    (void)state;
    assert_true(WIFEXITED(first_result));
    assert_int_equal(WEXITSTATUS(first_result), 0);
}

/* What a process got that was forked after its parent had computed on the host alone. */
static int second_result;

static void test_after_host(void **state)
{
    (void)state;
    assert_true(WIFEXITED(second_result));
    assert_int_equal(WEXITSTATUS(second_result), 0);
}

/* Has a child compute on the best device. */
static bool fork_first(int *result)
{
    const pid_t child = fork();

    if (child == 0) {
        support_begin();
        _exit(compute(NULL));
    }
    return child > 0 && waitpid(child, result, 0) == child;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first), cmocka_unit_test(test_after_host),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_twice), cmocka_unit_test(test_lock)};

    if (!fork_first(&first_result) || compute("host") != 0 || !fork_first(&second_result)) return 1;
    support_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
