/* Processors that fail in the middle of a job: the others finish it, and nothing is left over.

   For n = 1, 2, ... the n-th call of one kind fails while a context is used for one job, until a
   job gets through without reaching it. Where runs take long, as many n as there is time for. */
#include "../device/fault_fixture.h"
#include "ledger_fixture.h"

#include "check.h"

#include <math.h>

/* ---- one job in a context of its own ---- */

enum { TILES = 600 };

typedef struct setting {
    clsp_schedule schedule;
    bool host;   /* the host can make tiles */
    bool joined; /* the device a second time */
    bool filled;
} setting;

/* own: on queues of the library's own, not on those that the program keeps. */
static clsp_status open_joined(const setting *s, bool own, clsp_context **ctx, clsp_context **other)
{
    static const clsp_context_opts opts = {.cache_dir = ""};
    clsp_status status;

    CLSPI_TRY(clsp_context_create(ctx, own ? NULL : support_queue(), &opts));
    if (!s->joined) return CLSP_OK;
    CLSPI_TRY(clsp_context_create(other, own ? NULL : support_second_queue(), &opts));
    CLSPI_TRY(clsp_context_join(*ctx, *other));

fail:
    return status;
}

static bool is_memory(enum kind kind)
{
    return kind == MALLOC || kind == CALLOC || kind == REALLOC;
}

static unsigned calls[NUM_KINDS]; /* of the last job */

static void disarm(void)
{
    for (int k = 0; fault.armed && k < NUM_KINDS; k++)
        calls[k] = fault.calls[k];
    fault.armed = false;
}

/* Runs a job in which num calls of a kind fail, from the n-th on; n 0: none. It must be right, or
   say that it is not, which it may only where nobody can be left. */
static clsp_status run_job(const setting *s, bool own, enum kind kind, unsigned n, unsigned num)
{
    clsp_context *ctx = NULL, *other = NULL;
    const clsp_share opts = {.schedule = s->schedule};
    clsp_report report;
    ledger l = {0};
    void *out = NULL;
    size_t wrong;
    clsp_status status = open_joined(s, own, &ctx, &other);

    assert_ok(ctx, status);
    arm_faults(kind, n, num); /* what contexts do is tested elsewhere */
    status = clsp_context_set_workers(ctx, 2);
    if (status == CLSP_OK) status = clsp_shared_alloc(ctx, TILES * sizeof(cl_int), &out);
    if (status == CLSP_OK) {
        ledger_init(&l, ctx, TILES, out, s->filled);
        l.may_fail = true;
        if (!s->host) l.job.host = NULL;
        wrong = ledger_run(&l, &opts, &report, &status);
        if (status == CLSP_OK) {
            disarm();
            assert_int_equal(wrong, 0);
            ledger_check_report(&l, &report);
        } else {
            assert_true(!s->host || is_memory(kind));
        }
    }
    disarm();
    ledger_release(&l);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
    return status;
}

/* Runs a job so, after which nothing is left over. A device that drops out does not undo its
   mappings, which are over with their buffers. */
static void run_with_fault(const setting *s, bool own, enum kind kind, unsigned n, unsigned num)
{
    live_blocks = live_objects = live_mappings = live_events = 0;
    const clsp_status status = run_job(s, own, kind, n, num);
    const long objects = live_objects - live_mappings;
    if (live_blocks != 0 || objects != 0 || live_events != 0 || (n == 0 && live_mappings != 0)) {
        print_error("%s, call %u, %s: %ld blocks, %ld objects and %ld events are left\n",
                    n > 0 ? kind_names[kind] : "no fault", n, clsp_schedule_name(s->schedule),
                    live_blocks, objects, live_events);
        fail();
    }
    assert_true(n > 0 ? status <= CLSP_OK : status == CLSP_OK);
}

/* Of so many calls of the kind, as far as is known, as a failure may add to them: with most 0 each
   until a run does not reach it, else at most so many. */
static unsigned fail_each(const setting *s, enum kind kind, unsigned in_a_row, unsigned known,
                          unsigned most)
{
    unsigned n = 1, failed = 0;

    for (; most > 0 && n <= known; n = support_next_call(n, known, most), failed++)
        run_with_fault(s, false, kind, n, in_a_row);
    for (; most == 0; n++, failed++) {
        run_with_fault(s, false, kind, n, in_a_row);
        if (!fault.reached) break;
    }
    return failed;
}

/* Takes about BUDGET_MS at most where a run takes milliseconds. Where runs take long, LEAST runs,
   of kinds that differ from setting to setting. */
static void fail_all(const setting *s)
{
    static size_t settings;
    static const enum kind kinds[] = {
        MALLOC,        CALLOC,    REALLOC, THREAD,      CREATE_QUEUE, CREATE_BUFFER,
        CREATE_KERNEL, SVM_ALLOC, SET_ARG, SET_SVM_ARG, LAUNCH,       MAP,
        UNMAP,         READ,      WRITE,   FLUSH,       WAIT};
    enum { BUDGET_MS = 700, LEAST = 4, WAYS = 2 };
    unsigned known[COUNT(kinds)], sum = 0;
    double begin = 0;

    support_second_queue();             /* is there before objects are counted */
    for (int run = 0; run < 2; run++) { /* the first may compile */
        begin = support_now_ms();
        run_with_fault(s, run == 0, MALLOC, 0, 1);
    }
    const double runs = fmax((double)BUDGET_MS / (support_now_ms() - begin), LEAST);
    for (size_t k = 0; k < COUNT(kinds); k++)
        known[k] = calls[kinds[k]];
    const unsigned most = support_most_calls(known, COUNT(kinds), runs / WAYS);
    const size_t pairs = WAYS * COUNT(kinds);
    const size_t step = most == 1 && runs < (double)pairs ? (size_t)((double)pairs / runs) : 1;
    for (size_t p = settings++ % step; p < pairs; p += step)
        sum += fail_each(s, kinds[p / WAYS], p % WAYS ? 1000 : 1, known[p / WAYS], most);
    print_message("%s%s%s: %u calls made to fail%s\n", clsp_schedule_name(s->schedule),
                  s->host ? "" : ", no host", s->joined ? ", two devices" : "", sum,
                  most ? ", not all" : "");
}

static void test_with_host(void **state)
{
    (void)state;
    for (int k = CLSP_SCHEDULE_SVM; k <= CLSP_SCHEDULE_HOST; k++) {
        const setting s = {.schedule = (clsp_schedule)k, .host = true, .filled = true};
        fail_all(&s);
    }
}

static void test_without_host(void **state)
{
    (void)state;
    for (int k = CLSP_SCHEDULE_SVM; k <= CLSP_SCHEDULE_DEVICE; k++) {
        const setting s = {.schedule = (clsp_schedule)k, .filled = true};
        if (k != CLSP_SCHEDULE_STATIC) fail_all(&s);
    }
}

static void test_two_devices(void **state)
{
    (void)state;
    if (!ledger_joins_run_here()) skip_because("Oclgrind is not made for several threads");
    for (int k = CLSP_SCHEDULE_DYNAMIC; k <= CLSP_SCHEDULE_STATIC; k++) {
        const setting s = {.schedule = (clsp_schedule)k, .joined = true, .filled = true};
        fail_all(&s);
    }
}

/* ---- the job's own functions ---- */

/* Function number `which` fails at its n-th call. */
static void fail_function(clsp_schedule schedule, int which, int n)
{
    static const clsp_context_opts context_opts = {.cache_dir = ""};
    const clsp_share opts = {.schedule = schedule};
    clsp_report report;
    clsp_context *ctx;
    ledger l;
    void *out;

    assert_ok(NULL, clsp_context_create(&ctx, support_queue(), &context_opts));
    assert_ok(ctx, clsp_shared_alloc(ctx, TILES * sizeof(cl_int), &out));
    ledger_init(&l, ctx, TILES, out, false);
    l.may_fail = true;
    atomic_store(which == 0   ? &l.host_fails_at
                 : which == 1 ? &l.enqueue_fails_at
                              : &l.persistent_fails_at,
                 n);
    ledger_check(&l, &opts, &report); /* no tile twice: none was begun */
    if (report.processors[0].status != CLSP_OK)
        assert_int_equal(report.processors[0].status, CL_OUT_OF_RESOURCES);
    ledger_release(&l);
    clsp_context_destroy(&ctx);
}

/* Where a call takes long, with the programs that it compiles, one call of each function in one
   schedule. */
static void test_functions(void **state)
{
    enum { FUNCTIONS = 3, CALLS = 3, SLOW_MS = 200 };
    const int schedules = CLSP_SCHEDULE_HOST - CLSP_SCHEDULE_SVM + 1;
    const double begin = support_now_ms();

    (void)state;
    fail_function(CLSP_SCHEDULE_SVM, 0, 1);
    const bool is_slow = !support_full() && support_now_ms() - begin > SLOW_MS;
    for (int i = 1; i < schedules * FUNCTIONS * CALLS; i++) {
        const int k = i % schedules, call = i / schedules;
        if (!is_slow || (call % FUNCTIONS == k % FUNCTIONS && call / FUNCTIONS == k % CALLS))
            fail_function((clsp_schedule)(CLSP_SCHEDULE_SVM + k), call % FUNCTIONS,
                          1 + call / FUNCTIONS);
    }
}

static void test_nobody_left(void **state)
{
    static const clsp_context_opts context_opts = {.cache_dir = ""};
    clsp_context *ctx;
    clsp_report report;
    clsp_status status;
    ledger l;
    cl_int out[TILES];

    (void)state;
    for (int k = CLSP_SCHEDULE_DEFAULT; k <= CLSP_SCHEDULE_HOST; k++) {
        const clsp_share opts = {.schedule = (clsp_schedule)k};
        assert_ok(NULL, clsp_context_create(&ctx, support_queue(), &context_opts));
        ledger_init(&l, ctx, TILES, out, false);
        l.fault = -4321;
        atomic_store(&l.host_fails_at, 1);
        atomic_store(&l.enqueue_fails_at, 1);
        ledger_run(&l, &opts, &report, &status);
        assert_int_equal(status, -4321);
        assert_int_equal(report.processors[0].status, -4321);
        assert_int_equal(report.processors[1].status, -4321);
        ledger_check(&l, &opts, &report); /* the next call is as if nothing had been */
        ledger_release(&l);
        clsp_context_destroy(&ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_host),   cmocka_unit_test(test_without_host),
        cmocka_unit_test(test_two_devices), cmocka_unit_test(test_functions),
        cmocka_unit_test(test_nobody_left),
    };

    if (support_no_device()) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
