#include "starpu_tiles.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

/* What a task is told. Only its own worker writes status and by_device. */
typedef struct tile {
    starpu_tiles *of;
    size_t number;
    clsp_status status;
    bool by_device;
} tile;

/* StarPU keeps models until it shuts down. */
struct starpu_session {
    struct starpu_perfmodel models[STARPU_TILES_ORDER_MAX + 1]; /* by order */
    char symbols[STARPU_TILES_ORDER_MAX + 1][32];
};

struct starpu_tiles {
    clsp_context *ctx;
    clsp_patch_plan *device, *host; /* a plan takes one call at a time */
    starpu_data_handle_t whole;
    starpu_data_handle_t *parts; /* [num_tiles] */
    uint32_t *sizes;             /* [num_tiles], in floats */
    tile *tiles;                 /* [num_tiles] */
    uint32_t num_tiles;
    unsigned made, made_by_device;
    struct starpu_codelet codelet;
};

/* ---- the kernels ---- */

static const clsp_range patch = {0, 1};

static clsp_status make(const tile *t, clsp_patch_plan *plan, clsp_schedule by, clsp_output out)
{
    const clsp_share share = {.schedule = by, .tiles = {t->number, 1}};

    return clsp_patch_eval(plan, patch, out, &(clsp_run){.share = &share});
}

static void run_on_host(void *buffers[], void *arg)
{
    tile *const t = arg;
    float *const out = (float *)STARPU_VECTOR_GET_PTR(buffers[0]);

    t->status = make(t, t->of->host, CLSP_SCHEDULE_HOST,
                     clsp_out_f32(out, STARPU_VECTOR_GET_NX(buffers[0])));
    t->by_device = false;
}

/* Enqueues alone: the codelet is asynchronous. */
static void run_on_device(void *buffers[], void *arg)
{
    tile *const t = arg;
    cl_mem const out = (cl_mem)STARPU_VECTOR_GET_DEV_HANDLE(buffers[0]);
    const size_t offset = STARPU_VECTOR_GET_OFFSET(buffers[0]) / sizeof(float);

    t->status =
        make(t, t->of->device, CLSP_SCHEDULE_DEVICE, clsp_out_buffer(out, CLSP_F32, offset));
    t->by_device = true;
}

/* One model for each order: it tells sizes of tiles apart by itself. */
static void describe_models(starpu_session *session)
{
    for (size_t i = 0; i < BENCH_COUNT(session->models); i++) {
        snprintf(session->symbols[i], sizeof session->symbols[i], "clspline_bezier_%zu", i);
        session->models[i].type = STARPU_HISTORY_BASED;
        session->models[i].symbol = session->symbols[i];
    }
}

static void describe_codelet(starpu_tiles *s, starpu_session *session, const bezier_case *c)
{
    starpu_codelet_init(&s->codelet);
    s->codelet.where = STARPU_CPU | STARPU_OPENCL;
    s->codelet.cpu_funcs[0] = run_on_host;
    s->codelet.opencl_funcs[0] = run_on_device;
    s->codelet.opencl_flags[0] = STARPU_OPENCL_ASYNC;
    s->codelet.nbuffers = 1;
    s->codelet.modes[0] = STARPU_W;
    s->codelet.model = &session->models[c->order];
    s->codelet.name = session->symbols[c->order];
}

/* ---- StarPU itself ---- */

static void set_variables(const char *folder)
{
    setenv("STARPU_HOME", folder, 1);
    setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    setenv("STARPU_SILENT", "1", 1);
}

static bool has_device(const bench *b)
{
    cl_device_id device = NULL;

    if (starpu_opencl_worker_get_count() != 1 || starpu_cpu_worker_get_count() != 1) return false;
    starpu_opencl_get_device(
        starpu_worker_get_devid(starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0)), &device);
    return device == b->info.id;
}

static bool start(const bench *b, const char *scheduler, bool calibrate, const char **why)
{
    struct starpu_conf conf;

    *why = "StarPU does not start";
    if (starpu_conf_init(&conf) != 0) return false;
    conf.sched_policy_name = scheduler;
    conf.calibrate = calibrate;
    conf.ncpus = 1;
    conf.ncuda = 0;
    conf.nopencl = 1;
    conf.precedence_over_environment_variables = 1;
    if (starpu_init(&conf) != 0) return false;
    *why = "StarPU has not one CPU worker and this OpenCL device";
    if (has_device(b)) return true;
    starpu_shutdown();
    return false;
}

starpu_session *starpu_session_start(const bench *b, const char *scheduler, bool calibrate,
                                     const char *folder, const char **why)
{
    starpu_session *const session = calloc(1, sizeof *session);

    *why = "no memory";
    if (!session) return NULL;
    describe_models(session);
    set_variables(folder);
    if (start(b, scheduler, calibrate, why)) {
        starpu_pause();
        return session;
    }
    free(session);
    return NULL;
}

void starpu_session_stop(starpu_session *session)
{
    if (!session) return;
    starpu_resume();
    starpu_shutdown();
    free(session);
}

void starpu_tiles_around(void *user, bool begins)
{
    (void)user;
    if (begins)
        starpu_resume();
    else
        starpu_pause();
}

/* ---- a patch ---- */

static clsp_status create_plan(clsp_patch_plan **plan, clsp_context *ctx, const bezier_case *c,
                               const float *points)
{
    const uint32_t degree = (uint32_t)c->order - 1, num = (uint32_t)c->samples;
    const clsp_bezier_desc desc = {.degree = {degree, degree},
                                   .axis = {{.num = num}, {.num = num}}};
    const clsp_input control_points = clsp_in_f32(points, c->order * c->order * 3);
    clsp_status status;

    BENCH_TRY(clsp_bezier_plan_create(plan, ctx, &desc));
    BENCH_TRY(clsp_patch_set_control_points(*plan, 1, control_points, NULL));

fail:
    return status;
}

static clsp_status create_plans(starpu_tiles *s, const bezier_case *c, const float *points)
{
    const clsp_context_opts opts = {.log = bench_log};
    cl_command_queue queue = NULL;
    clsp_status status;

    starpu_opencl_get_queue(
        starpu_worker_get_devid(starpu_worker_get_by_type(STARPU_OPENCL_WORKER, 0)), &queue);
    BENCH_TRY(clsp_context_create(&s->ctx, queue, &opts));
    BENCH_TRY(create_plan(&s->device, s->ctx, c, points));
    BENCH_TRY(create_plan(&s->host, s->ctx, c, points));

fail:
    return status;
}

/* Asks which tiles the library makes of the patch. */
static clsp_status cut_tiles(starpu_tiles *s)
{
    const clsp_output none = {.type = CLSP_TYPE_DEFAULT};
    clsp_tiling tiling = {.num_tiles = 0};
    clsp_share share = {.schedule = CLSP_SCHEDULE_HOST};
    const clsp_run ask = {.share = &share, .tiling = &tiling};
    clsp_status status;

    BENCH_TRY(clsp_patch_eval(s->host, patch, none, &ask));
    s->num_tiles = (uint32_t)tiling.num_tiles;
    s->parts = calloc(s->num_tiles, sizeof *s->parts);
    s->sizes = calloc(s->num_tiles, sizeof *s->sizes);
    s->tiles = calloc(s->num_tiles, sizeof *s->tiles);
    if (!s->parts || !s->sizes || !s->tiles) return CLSP_ERROR_NO_MEMORY;
    for (uint32_t i = 0; i < s->num_tiles; i++) {
        share.tiles = (clsp_range){i, 1};
        BENCH_TRY(clsp_patch_eval(s->host, patch, none, &ask));
        s->tiles[i] = (tile){.of = s, .number = i};
        s->sizes[i] = (uint32_t)tiling.elements.count;
    }
    return CLSP_OK;

fail:
    return status;
}

/* Results go to main memory as soon as a task ends, while others run. */
static void register_data(starpu_tiles *s, const bezier_case *c, float *out)
{
    struct starpu_data_filter filter = {.filter_func = starpu_vector_filter_list,
                                        .nchildren = s->num_tiles,
                                        .filter_arg_ptr = s->sizes};

    starpu_vector_data_register(&s->whole, STARPU_MAIN_RAM, (uintptr_t)out,
                                (uint32_t)(c->samples * c->samples * 3), sizeof *out);
    starpu_data_partition(s->whole, &filter);
    for (uint32_t i = 0; i < s->num_tiles; i++) {
        s->parts[i] = starpu_data_get_sub_data(s->whole, 1, i);
        starpu_data_set_wt_mask(s->parts[i], 1u << STARPU_MAIN_RAM);
    }
}

clsp_status starpu_tiles_create(starpu_tiles **tiles, starpu_session *session, const bezier_case *c,
                                const float *points, float *out)
{
    starpu_tiles *const s = calloc(1, sizeof *s);
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    *tiles = s;
    if (!s) return bench_check(status, "StarPU's tiles");
    describe_codelet(s, session, c);
    BENCH_TRY(create_plans(s, c, points));
    BENCH_TRY(cut_tiles(s));
    starpu_tiles_around(s, true);
    register_data(s, c, out);
    starpu_tiles_around(s, false);
    return CLSP_OK;

fail:
    starpu_tiles_destroy(tiles);
    return bench_check(status, "StarPU's tiles");
}

void starpu_tiles_destroy(starpu_tiles **tiles)
{
    starpu_tiles *const s = *tiles;

    if (!s) return;
    if (s->whole) {
        starpu_tiles_around(s, true);
        starpu_data_unpartition(s->whole, STARPU_MAIN_RAM);
        starpu_data_unregister(s->whole);
        starpu_tiles_around(s, false);
    }
    clsp_patch_plan_destroy(&s->device);
    clsp_patch_plan_destroy(&s->host);
    clsp_context_destroy(&s->ctx);
    free(s->parts);
    free(s->sizes);
    free(s->tiles);
    free(s);
    *tiles = NULL;
}

/* ---- a frame ---- */

static clsp_status submit(starpu_tiles *s, uint32_t i)
{
    struct starpu_task *const task = starpu_task_create();

    if (!task) return CLSP_ERROR_NO_MEMORY;
    task->cl = &s->codelet;
    task->handles[0] = s->parts[i];
    task->cl_arg = &s->tiles[i];
    return starpu_task_submit(task) == 0 ? CLSP_OK : CLSP_ERROR_STATE;
}

/* The result is to be read by the caller. */
static clsp_status collect(starpu_tiles *s)
{
    clsp_status status = CLSP_OK;

    for (uint32_t i = 0; i < s->num_tiles; i++) {
        if (starpu_data_acquire(s->parts[i], STARPU_R) != 0) return CLSP_ERROR_STATE;
        starpu_data_release(s->parts[i]);
        if (s->tiles[i].status != CLSP_OK) status = s->tiles[i].status;
        s->made_by_device += s->tiles[i].by_device;
    }
    s->made += s->num_tiles;
    return status;
}

clsp_status starpu_tiles_run(void *user)
{
    starpu_tiles *const s = user;
    clsp_status status;

    for (uint32_t i = 0; i < s->num_tiles; i++)
        BENCH_TRY(submit(s, i));
    BENCH_TRY(collect(s));
    return CLSP_OK;

fail:
    return bench_check(status, "StarPU's tiles");
}

void starpu_tiles_counts(starpu_tiles *tiles, unsigned *device, unsigned *all)
{
    *device = tiles->made_by_device;
    *all = tiles->made;
    tiles->made = tiles->made_by_device = 0;
}
