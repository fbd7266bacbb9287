/* What a context keeps for shared calls: arguments, memory, workers, and the file of speeds under
   damage. */
#include "ledger_fixture.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "device_set.h"
#include "host_pieces.h"
#include "pool.h"
#include "speeds.h"

/* ---- arguments ---- */

static void test_names(void **state)
{
    static const char *const names[] = {"auto", "svm", "dynamic", "static", "device", "host"};

    (void)state;
    for (int s = 0; s < CLSP_NUM_SCHEDULES; s++)
        assert_string_equal(clsp_schedule_name((clsp_schedule)s), names[s]);
    assert_null(clsp_schedule_name((clsp_schedule)CLSP_NUM_SCHEDULES));
    assert_null(clsp_schedule_name((clsp_schedule)-1));
}

static void test_arguments(void **state)
{
    clsp_context *ctx, *others[CLSP_MAX_PROCESSORS];
    void *memory = &ctx;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_int_equal(clsp_context_join(NULL, ctx), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_context_join(ctx, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_context_join(ctx, ctx), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_context_set_workers(NULL, 1), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_context_set_workers(ctx, 0), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_context_set_workers(ctx, CLSP_MAX_WORKERS + 1), CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, clsp_context_set_workers(ctx, CLSP_MAX_WORKERS));
    assert_int_equal(clspi_cooperate_workers(ctx), CLSP_MAX_WORKERS + 1);
    assert_ok(ctx, clsp_context_set_workers(ctx, CLSP_NO_WORKERS));
    assert_int_equal(clspi_cooperate_workers(ctx), 1);
    assert_int_equal(clsp_context_set_speeds(NULL, ""), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_shared_alloc(ctx, 1, NULL), CLSP_ERROR_ARGUMENT);
    assert_int_equal(clsp_shared_alloc(NULL, 1, &memory), CLSP_ERROR_ARGUMENT);
    assert_null(memory);
    for (size_t i = 0; i + 1 < CLSP_MAX_PROCESSORS; i++) {
        const bool fits = i + 2 < CLSP_MAX_PROCESSORS;
        assert_ok(NULL, clsp_context_create(&others[i], support_queue(), NULL));
        assert_int_equal(clsp_context_join(ctx, others[i]), fits ? CLSP_OK : CLSP_ERROR_ARGUMENT);
    }
    assert_int_equal(clsp_context_join(ctx, others[0]), CLSP_ERROR_ARGUMENT);
    clsp_context_destroy(&ctx);
    for (size_t i = 0; i + 1 < CLSP_MAX_PROCESSORS; i++)
        clsp_context_destroy(&others[i]);
}

/* ---- joining ---- */

enum { RING = 4 };

static void open_ring(clsp_context *contexts[])
{
    for (int i = 0; i < RING; i++)
        assert_ok(NULL, clsp_context_create(&contexts[i], support_queue(), NULL));
}

/* Contexts join in chains, but in no ring, as long as all of it are there. */
/* A GPU leaves the only core to share with, a CPU device does not, whatever it stands for. */
static void test_one_core(void **state)
{
    (void)state;
    for (int is_cpu = 0; is_cpu < 2; is_cpu++) {
        const clsp_context_opts opts = {.limits = "class=integrated"};
        clspi_device_set *set;
        clsp_context *ctx;
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        ctx->is_cpu = is_cpu;
        assert_ok(ctx, clspi_device_set_of(ctx, &set));
        set->cores = 1;
        assert_int_equal(clspi_device_set_has_spare_cores(set), !is_cpu);
        assert_int_equal(clspi_device_set_workers(set), 1);
        assert_int_equal(clspi_device_set_workers_alone(set), 0);
        clsp_context_destroy(&ctx);
    }
}

static void test_rings(void **state)
{
    clsp_context *c[RING];

    (void)state;
    open_ring(c);
    assert_ok(c[0], clsp_context_join(c[0], c[1]));
    assert_status(c[1], clsp_context_join(c[1], c[0]), CLSP_ERROR_ARGUMENT);
    assert_ok(c[1], clsp_context_join(c[1], c[2]));
    assert_ok(c[2], clsp_context_join(c[2], c[3]));
    assert_ok(c[0], clsp_context_join(c[0], c[2])); /* by two ways */
    for (int i = 0; i < 3; i++)
        assert_status(c[3], clsp_context_join(c[3], c[i]), CLSP_ERROR_ARGUMENT);
    assert_status(c[2], clsp_context_join(c[2], c[0]), CLSP_ERROR_ARGUMENT);
    clsp_context_destroy(&c[2]);
    assert_ok(c[3], clsp_context_join(c[3], c[1]));
    assert_ok(c[3], clsp_context_join(c[3], c[0]));
    assert_status(c[1], clsp_context_join(c[1], c[3]), CLSP_ERROR_ARGUMENT);
    for (int i = 0; i < RING; i++)
        clsp_context_destroy(&c[i]);
}

typedef struct joiner {
    pthread_t thread;
    pthread_barrier_t *start;
    clsp_context *ctx, *other;
    clsp_status status;
} joiner;

static void *join_other(void *argument)
{
    joiner *const j = argument;

    pthread_barrier_wait(j->start);
    j->status = clsp_context_join(j->ctx, j->other);
    return NULL;
}

/* Of threads that close a ring together, one is refused. */
static void test_rings_at_once(void **state)
{
    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    for (int round = 0; round < 20; round++) {
        clsp_context *c[RING];
        joiner joiners[RING];
        pthread_barrier_t start;
        int joined = 0;
        open_ring(c);
        assert_int_equal(pthread_barrier_init(&start, NULL, RING), 0);
        for (int i = 0; i < RING; i++) {
            joiners[i] = (joiner){.start = &start, .ctx = c[i], .other = c[(i + 1) % RING]};
            assert_int_equal(pthread_create(&joiners[i].thread, NULL, join_other, &joiners[i]), 0);
        }
        for (int i = 0; i < RING; i++) {
            pthread_join(joiners[i].thread, NULL);
            joined += joiners[i].status == CLSP_OK;
        }
        assert_int_equal(joined, RING - 1);
        pthread_barrier_destroy(&start);
        for (int i = 0; i < RING; i++)
            clsp_context_destroy(&c[i]);
    }
}

/* ---- memory ---- */

static void test_memory(void **state)
{
    static const size_t sizes[] = {1, 4095, 4096, 100001};
    clsp_context *ctx;
    void *memory[CLSPI_COUNT(sizes)], *none = &ctx, *huge = &ctx;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    for (size_t i = 0; i < CLSPI_COUNT(sizes); i++) {
        assert_ok(ctx, clsp_shared_alloc(ctx, sizes[i], &memory[i]));
        assert_int_equal((uintptr_t)memory[i] % 4096, 0);
        memset(memory[i], (int)i, sizes[i]);
    }
    assert_ok(ctx, clsp_shared_alloc(ctx, 0, &none));
    assert_null(none);
    assert_int_equal(clsp_shared_alloc(ctx, SIZE_MAX - 100, &huge), CLSP_ERROR_NO_MEMORY);
    assert_null(huge);
    for (size_t i = 0; i < CLSPI_COUNT(sizes); i++)
        assert_int_equal(((char *)memory[i])[sizes[i] - 1], i);
    clsp_shared_free(ctx, memory[1]);
    clsp_shared_free(ctx, memory[3]);
    clsp_shared_free(ctx, NULL);
    clsp_shared_free(NULL, memory[0]);
    clsp_shared_free(ctx, (char *)memory[0] + 1); /* none of ours: a warning */
    clsp_context_destroy(&ctx);                   /* the others go with it */
}

/* ---- threads ---- */

typedef struct count {
    atomic_uint calls[64];
} count;

static void count_call(void *user, uint32_t index)
{
    count *const c = user;

    atomic_fetch_add(&c->calls[index], 1);
}

static void test_pool(void **state)
{
    enum { THREADS = 5, TURNS = 2000 };
    clsp_context *ctx;
    clspi_pool pool;
    count c = {0};

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_true(clspi_pool_init(&pool, &ctx->log));
    assert_int_equal(clspi_pool_reserve(&pool, 0), 0);
    assert_int_equal(clspi_pool_reserve(&pool, THREADS), THREADS);
    for (uint32_t i = 0; i < TURNS; i++) {
        if (i % 100 == 0) clspi_pool_stir(&pool);
        clspi_pool_start(&pool, 1 + i % THREADS, count_call, &c);
        clspi_pool_wait(&pool);
        if (i % 100 == 49) clspi_pool_rest(&pool);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(atomic_load(&c.calls[i]), TURNS / THREADS * (THREADS - i));
    clspi_pool_empty(&pool);
    assert_int_equal(clspi_pool_reserve(&pool, 2), 2);
    clspi_pool_start(&pool, 2, count_call, &c);
    clspi_pool_wait(&pool);
    assert_int_equal(atomic_load(&c.calls[1]), TURNS / THREADS * (THREADS - 1) + 1);
    clspi_pool_release(&pool);
    clsp_context_destroy(&ctx);
}

/* An offer's work, which lives as long as the offer. */
typedef struct offer {
    atomic_int left;
    atomic_uint done;
    atomic_bool over;
} offer;

static void take_offered(void *user, uint32_t index)
{
    offer *const o = user;

    (void)index;
    assert_false(atomic_load(&o->over));
    while (atomic_fetch_sub(&o->left, 1) > 0)
        atomic_fetch_add(&o->done, 1);
}

/* Offers between turns that call threads: whoever is late for an offer neither works for it nor
   counts in the turn after it. */
static void test_offers(void **state)
{
    enum { THREADS = 3, TURNS = 3000 };
    clsp_context *ctx;
    count c = {.calls = {0}};
    clspi_pool pool;

    (void)state;
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_true(clspi_pool_init(&pool, &ctx->log));
    assert_int_equal(clspi_pool_reserve(&pool, THREADS), THREADS);
    for (unsigned i = 0; i < TURNS; i++) {
        offer o = {.left = i % 3 == 0 ? 0 : 100, .done = 0, .over = false};
        clspi_pool_offer(&pool, i % 200 < 100, take_offered, &o);
        take_offered(&o, 0);
        clspi_pool_withdraw(&pool);
        atomic_store(&o.over, true);
        assert_int_equal(atomic_load(&o.done), i % 3 == 0 ? 0 : 100);
        if (i % 2) continue;
        clspi_pool_start(&pool, THREADS, count_call, &c);
        clspi_pool_wait(&pool);
        for (uint32_t k = 0; k < THREADS; k++)
            assert_int_equal(atomic_load(&c.calls[k]), i / 2 + 1);
    }
    clspi_pool_release(&pool);
    clsp_context_destroy(&ctx);
}

/* Pieces that are to be done once each, and how often each was. */
typedef struct piece_counts {
    clsp_context *ctx;
    atomic_uint done[3001];
} piece_counts;

static void count_piece(void *user, size_t piece)
{
    piece_counts *const c = user;

    atomic_fetch_add(&c->done[piece], 1);
}

/* While pieces are done, others are done by who asks for them. */
static void do_inner_pieces(void *user, size_t piece)
{
    piece_counts *const c = user;

    if (piece == 0) clspi_host_pieces(c->ctx, CLSPI_COUNT(c->done), count_piece, c);
}

static void test_pieces(void **state)
{
    static const uint32_t workers[] = {CLSP_NO_WORKERS, 1, 6, 70};
    piece_counts c = {.ctx = NULL};

    (void)state;
    assert_ok(NULL, clsp_context_create(&c.ctx, NULL, NULL));
    for (unsigned i = 0; i < CLSPI_COUNT(workers); i++) {
        assert_ok(c.ctx, clsp_context_set_workers(c.ctx, workers[i]));
        clspi_host_pieces(c.ctx, 0, count_piece, &c);
        clspi_host_pieces(c.ctx, CLSPI_COUNT(c.done), count_piece, &c);
        clspi_host_pieces(c.ctx, 2, do_inner_pieces, &c);
        for (size_t k = 0; k < CLSPI_COUNT(c.done); k++)
            assert_int_equal(atomic_load(&c.done[k]), 2 * (i + 1));
    }
    clsp_context_destroy(&c.ctx);
}

static void count_tiles(void *user, clsp_range tiles)
{
    for (size_t k = 0; k < tiles.count; k++)
        count_piece(user, tiles.first + k);
}

/* Tiles of calls that follow each other, which take less and more than a thread makes alone. */
static void test_tiles(void **state)
{
    static const double all_ns[] = {0, 2e4, 1e5, 1e9};
    enum { TURNS = 50 };
    piece_counts c = {.ctx = NULL};

    (void)state;
    assert_ok(NULL, clsp_context_create(&c.ctx, NULL, NULL));
    assert_ok(c.ctx, clsp_context_set_workers(c.ctx, 3));
    clspi_host_tiles(c.ctx, 0, 1e9, count_tiles, &c);
    for (unsigned i = 0; i < TURNS; i++)
        for (unsigned k = 0; k < CLSPI_COUNT(all_ns); k++)
            clspi_host_tiles(c.ctx, CLSPI_COUNT(c.done), all_ns[k], count_tiles, &c);
    for (size_t k = 0; k < CLSPI_COUNT(c.done); k++)
        assert_int_equal(atomic_load(&c.done[k]), TURNS * CLSPI_COUNT(all_ns));
    clsp_context_destroy(&c.ctx);
}

typedef struct caller {
    clsp_context *ctx;
    atomic_uint wrong;
} caller;

static void *call(void *argument)
{
    enum { NUM = 3001 };
    caller *const c = argument;
    cl_int *const out = malloc(NUM * sizeof *out);
    clsp_status status;
    ledger l;

    if (!out) return NULL;
    ledger_init(&l, c->ctx, NUM, out, false);
    for (int i = 0; i < 20; i++) {
        const clsp_share opts = {.schedule = (clsp_schedule)(i % CLSP_NUM_SCHEDULES)};
        if (ledger_run(&l, &opts, NULL, &status) != 0 || status != CLSP_OK)
            atomic_fetch_add(&c->wrong, 1);
    }
    ledger_release(&l);
    free(out);
    return NULL;
}

/* Jobs of one context run one after another, whoever calls. */
static void test_many_callers(void **state)
{
    enum { CALLERS = 4 };
    pthread_t threads[CALLERS];
    caller c = {NULL, 0};

    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    assert_ok(NULL, clsp_context_create(&c.ctx, NULL, NULL));
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, &c), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&c.wrong), 0);
    clsp_context_destroy(&c.ctx);
}

/* ---- speeds ---- */

static void test_learning(void **state)
{
    clspi_speed speed = {0};

    (void)state;
    assert_true(clspi_speed_predict(&speed, 100) == 0);
    clspi_speed_learn(&speed, 100, 1000, 0.1); /* it compiled */
    clspi_speed_learn(&speed, 100, 2, 0.1);
    assert_true(clspi_speed_predict(&speed, 100) > 1.99 && clspi_speed_predict(&speed, 100) < 2.01);
    clspi_speed_learn(&speed, 100, 4, 0.1); /* the machine was busy */
    assert_true(clspi_speed_predict(&speed, 100) < 3);
    for (int i = 0; i < 30; i++)
        clspi_speed_learn(&speed, 100, 4, 0.1);
    assert_true(clspi_speed_predict(&speed, 100) > 3.9);
    clspi_speed_learn(&speed, 100, 0, 0.1); /* a clock that stood still */
    assert_true(clspi_speed_predict(&speed, 100) > 0);
}

static atomic_uint warnings;

static void count_warnings(void *user, clsp_log_level level, const char *message)
{
    (void)user;
    (void)message;
    if (level == CLSP_LOG_WARNING) atomic_fetch_add(&warnings, 1);
}

static void read_file(clspi_speeds *speeds, clsp_context *ctx, const char *path)
{
    static const char *const owners[] = {"P\tD\t1"};

    memset(speeds, 0, sizeof *speeds);
    atomic_store(&warnings, 0);
    clspi_speeds_read(speeds, path, true, owners, 1, &ctx->log);
}

static void put_line(FILE *file, const char *rest)
{
    fprintf(file, "%016" PRIx64 "\t%s\n", clspi_speeds_checksum(rest), rest);
}

static void test_damaged_file(void **state)
{
    static const char *const bad[] = {"P\tD\t1\tnan\tnan\t5",
                                      "P\tD\t1\tzero\t0\t5",
                                      "P\tD\t1\tminus\t-7\t5",
                                      "P\tD\t1\tfew\t7",
                                      "P\tD\t1\tmany\t7\t7\t7",
                                      "P\tD\t1\tfraction\t7.5\t1",
                                      "P\tD\t1\tinf\tinf\t1",
                                      "P\tD\t1\tempty\t\t1",
                                      "P\tD\t1\tlong\t99999999999999999999999\t1"};
    const clsp_context_opts opts = {.log = count_warnings};
    char folder[SUPPORT_PATH_MAX], path[SUPPORT_PATH_MAX + 16];
    clsp_context *ctx;
    clspi_speeds speeds;
    FILE *file;

    (void)state;
    support_make_folder(folder);
    snprintf(path, sizeof path, "%s/speeds", folder);
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    read_file(&speeds, ctx, path); /* there is none */
    assert_int_equal(atomic_load(&warnings), 1);
    assert_int_equal(speeds.num_lines, 0);
    clspi_speeds_release(&speeds);
    file = fopen(path, "w");
    assert_non_null(file);
    put_line(file, "P\tD\t1\tgood\t7\t5");
    for (size_t i = 0; i < CLSPI_COUNT(bad); i++)
        put_line(file, bad[i]);
    fprintf(file, "0123456789abcdef\tP\tD\t1\tsum\t7\t5\n\n\t\t\t\t\t\t\nnonsense\n");
    for (int i = 0; i < 5000; i++)
        fputc(i % 255, file);
    fclose(file);
    read_file(&speeds, ctx, path);
    assert_int_equal(speeds.num_lines, 1);
    assert_true(atomic_load(&warnings) >= CLSPI_COUNT(bad) + 4);
    assert_int_equal(clspi_speeds_find(&speeds, "P\tD\t1", "good")->slope_ps, 7);
    assert_int_equal(clspi_speeds_find(&speeds, "P\tD\t1", "good")->fixed_ps, 5);
    assert_null(clspi_speeds_find(&speeds, "P\tD\t1", "sum"));
    assert_null(clspi_speeds_find(&speeds, "P\tD\t2", "good"));
    clspi_speeds_set(&speeds, "P\tD\t1", "more", 11, 0);
    clspi_speeds_set(&speeds, "P\tD\t1", "good", 8, 6);
    clspi_speeds_write(&speeds, path, &ctx->log); /* whole again */
    clspi_speeds_release(&speeds);
    read_file(&speeds, ctx, path);
    assert_int_equal(atomic_load(&warnings), 0);
    assert_int_equal(speeds.num_lines, 2);
    assert_int_equal(clspi_speeds_find(&speeds, "P\tD\t1", "good")->slope_ps, 8);
    clspi_speeds_set(&speeds, "P\tD\t1", "good", 9, 6);
    clspi_speeds_read(&speeds, path, true, NULL, 0, &ctx->log); /* once is enough */
    assert_int_equal(clspi_speeds_find(&speeds, "P\tD\t1", "good")->slope_ps, 9);
    clspi_speeds_release(&speeds);
    assert_false(support_file_in(folder, 1, path)); /* nothing is left beside it */
    support_remove_folder(folder);
    clsp_context_destroy(&ctx);
}

static void test_other_machine(void **state)
{
    const clsp_context_opts opts = {.log = count_warnings};
    char folder[SUPPORT_PATH_MAX], path[SUPPORT_PATH_MAX + 16];
    clsp_context *ctx;
    clspi_speeds speeds = {0};

    (void)state;
    support_make_folder(folder);
    snprintf(path, sizeof path, "%s/speeds", folder);
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_true(clspi_speeds_set(&speeds, "Q\tD\t1", "key", 3, 4));
    clspi_speeds_write(&speeds, path, &ctx->log);
    clspi_speeds_release(&speeds);
    read_file(&speeds, ctx, path);
    assert_int_equal(atomic_load(&warnings), 1);
    assert_int_equal(speeds.num_lines, 1); /* for that machine */
    clspi_speeds_release(&speeds);
    clspi_speeds_write(&speeds, "/no/such/folder/speeds", &ctx->log);
    assert_int_equal(atomic_load(&warnings), 2);
    support_remove_folder(folder);
    clsp_context_destroy(&ctx);
}

/* Reads a file that must be refused, with one warning; what is written to it afterwards changes
   nothing and says nothing. */
static void check_refused(clsp_context *ctx, const char *path)
{
    clspi_speeds speeds;
    struct stat before, after;

    assert_int_equal(lstat(path, &before), 0);
    alarm(60); /* a file may have no end */
    read_file(&speeds, ctx, path);
    alarm(0);
    assert_int_equal(speeds.num_lines, 0);
    assert_true(clspi_speeds_set(&speeds, "P\tD\t1", "key", 3, 4));
    clspi_speeds_write(&speeds, path, &ctx->log);
    clspi_speeds_release(&speeds);
    assert_int_equal(atomic_load(&warnings), 1);
    assert_int_equal(lstat(path, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
}

static void write_speeds(clsp_context *ctx, const char *path)
{
    clspi_speeds speeds = {0};

    assert_true(clspi_speeds_set(&speeds, "P\tD\t1", "key", 3, 4));
    clspi_speeds_write(&speeds, path, &ctx->log);
    clspi_speeds_release(&speeds);
}

/* A file without an end, or that somebody else can have written, is left alone. */
static void test_untrusted_file(void **state)
{
    const clsp_context_opts opts = {.log = count_warnings};
    char folder[SUPPORT_PATH_MAX], path[SUPPORT_PATH_MAX + 16], link[SUPPORT_PATH_MAX + 16];
    clsp_context *ctx;
    clspi_speeds speeds;

    (void)state;
    support_make_folder(folder);
    snprintf(path, sizeof path, "%s/speeds", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
    assert_int_equal(mkfifo(path, 0600), 0);
    check_refused(ctx, path);
    check_refused(ctx, "/dev/zero");
    assert_int_equal(remove(path), 0);
    write_speeds(ctx, path);
    assert_int_equal(symlink(path, link), 0);
    check_refused(ctx, link);
    assert_int_equal(chmod(path, 0666), 0);
    check_refused(ctx, path);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(chmod(folder, 01777), 0);
    check_refused(ctx, path);
    assert_int_equal(chmod(folder, 0700), 0);
    read_file(&speeds, ctx, path);
    assert_int_equal(atomic_load(&warnings), 0);
    assert_int_equal(speeds.num_lines, 1);
    clspi_speeds_release(&speeds);
    assert_int_equal(truncate(path, 8 << 20), 0);
    check_refused(ctx, path);
    support_remove_folder(folder);
    clsp_context_destroy(&ctx);
}

/* Tuning writes the file; a context that reads it needs no trials. */
static void test_tuning(void **state)
{
    enum { NUM = 4001 };
    char folder[SUPPORT_PATH_MAX], path[SUPPORT_PATH_MAX + 16], found[SUPPORT_PATH_MAX];
    clsp_report report;
    clsp_context *ctx;
    clsp_status status;
    void *out;
    ledger l;

    (void)state;
    support_make_folder(folder);
    snprintf(path, sizeof path, "%s/speeds", folder);
    for (int i = 0; i < 2; i++) {
        const clsp_context_opts opts = {.log = count_warnings};
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &opts));
        assert_ok(ctx, clsp_context_set_speeds(ctx, path));
        assert_ok(ctx, clsp_shared_alloc(ctx, NUM * sizeof(cl_int), &out));
        ledger_init(&l, ctx, NUM, out, true);
        atomic_store(&warnings, 0);
        if (i == 0) {
            assert_ok(ctx, clspi_cooperate_tune(ctx, &l.job, &report));
            assert_int_equal(report.num_processors, 2);
            for (uint32_t p = 0; p < 2; p++) {
                assert_int_equal(report.processors[p].tiles, NUM);
                assert_int_equal(report.processors[p].status, CLSP_OK);
            }
        } else {
            ledger_check(&l, NULL, &report);
            assert_true(report.probe_ms == 0);
            assert_int_equal(atomic_load(&warnings), 0);
        }
        assert_true(support_file_in(folder, 0, found));
        assert_false(support_file_in(folder, 1, found));
        ledger_release(&l);
        clsp_context_destroy(&ctx);
    }
    assert_ok(NULL, clsp_context_create(&ctx, NULL, NULL));
    assert_ok(ctx, clsp_context_set_speeds(ctx, ""));
    ledger_init(&l, ctx, 0, &l, true);
    status = clspi_cooperate_tune(ctx, &l.job, NULL);
    assert_int_equal(status, CLSP_ERROR_ARGUMENT);
    clsp_context_destroy(&ctx);
    support_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),          cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_one_core),       cmocka_unit_test(test_rings),
        cmocka_unit_test(test_rings_at_once),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_pool),           cmocka_unit_test(test_offers),
        cmocka_unit_test(test_tiles),          cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_many_callers),   cmocka_unit_test(test_learning),
        cmocka_unit_test(test_damaged_file),   cmocka_unit_test(test_other_machine),
        cmocka_unit_test(test_untrusted_file), cmocka_unit_test(test_tuning),
    };

    if (support_no_device()) return 77;
    umask(022); /* files of the tests are not open to others */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
