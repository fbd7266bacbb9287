/* Processors that fail in the middle of a job: the others finish it, and nothing is left over.

   For n = 1, 2, ... the n-th call of one kind fails while a context is used for one job, until a
   job gets through without reaching it. Where contexts take long to make, as many n as there is
   time for. The calls are redirected by the linker (-Wl,--wrap), in the
   library's objects and here, not in the drivers. */
#include "ledger_fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum kind {
    MALLOC,
    CALLOC,
    REALLOC,
    THREAD,
    CREATE_QUEUE,
    CREATE_BUFFER,
    CREATE_KERNEL,
    SVM_ALLOC,
    SET_ARG,
    SET_SVM_ARG,
    LAUNCH,
    MAP,
    UNMAP,
    READ,
    WRITE,
    FLUSH,
    WAIT,
    NUM_KINDS
};

static const char *const kind_names[NUM_KINDS] = {"malloc",
                                                  "calloc",
                                                  "realloc",
                                                  "pthread_create",
                                                  "clCreateCommandQueue",
                                                  "clCreateBuffer",
                                                  "clCreateKernel",
                                                  "clSVMAlloc",
                                                  "clSetKernelArg",
                                                  "clSetKernelArgSVMPointer",
                                                  "clEnqueueNDRangeKernel",
                                                  "clEnqueueMapBuffer",
                                                  "clEnqueueUnmapMemObject",
                                                  "clEnqueueReadBuffer",
                                                  "clEnqueueWriteBuffer",
                                                  "clFlush",
                                                  "clWaitForEvents"};

static struct {
    atomic_bool armed;
    enum kind kind;                   /* NUM_KINDS: none fails */
    atomic_uint calls[NUM_KINDS + 1]; /* of each kind, since it was armed; the last: of others */
    unsigned fails_at, fails_until;
} fault;

static atomic_long live_blocks, live_objects, live_events;

static bool fails(enum kind kind)
{
    if (!atomic_load(&fault.armed)) return false;
    const unsigned call = atomic_fetch_add(&fault.calls[kind], 1) + 1;
    return kind == fault.kind && kind != NUM_KINDS && call >= fault.fails_at &&
           call <= fault.fails_until;
}

/* ---- host ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static void *counted(void *block)
{
    atomic_fetch_add(&live_blocks, block != NULL);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return fails(MALLOC) ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(CALLOC) ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails(REALLOC)) return NULL;
    void *const grown = __real_realloc(block, size);
    atomic_fetch_add(&live_blocks, !block && grown);
    return grown;
}

void __wrap_free(void *block)
{
    atomic_fetch_sub(&live_blocks, block != NULL);
    __real_free(block);
}

typedef void *(*thread_fn)(void *);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_fn fn, void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_fn fn, void *user);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, thread_fn fn, void *user)
{
    return fails(THREAD) ? 11 : __real_pthread_create(thread, how, fn, user);
}

/* ---- OpenCL ---- */

#define WRAP_CREATE(type, name, kind, failure, params, args)                                       \
    type __real_##name params;                                                                     \
    type __wrap_##name params;                                                                     \
    type __wrap_##name params                                                                      \
    {                                                                                              \
        if (fails(kind)) {                                                                         \
            *code = failure;                                                                       \
            return NULL;                                                                           \
        }                                                                                          \
        type const made = __real_##name args;                                                      \
        atomic_fetch_add(&live_objects, made != NULL);                                             \
        return made;                                                                               \
    }

#define WRAP_CALL(name, kind, failure, params, args)                                               \
    cl_int __real_##name params;                                                                   \
    cl_int __wrap_##name params;                                                                   \
    cl_int __wrap_##name params                                                                    \
    {                                                                                              \
        return fails(kind) ? failure : __real_##name args;                                         \
    }

#define WRAP_ENQUEUE(name, kind, params, args)                                                     \
    cl_int __real_##name params;                                                                   \
    cl_int __wrap_##name params;                                                                   \
    cl_int __wrap_##name params                                                                    \
    {                                                                                              \
        const cl_int code = fails(kind) ? CL_OUT_OF_RESOURCES : __real_##name args;                \
        atomic_fetch_add(&live_events, code == CL_SUCCESS && event);                               \
        return code;                                                                               \
    }

#define WRAP_RELEASE(name, type, live)                                                             \
    cl_int __real_##name(type object);                                                             \
    cl_int __wrap_##name(type object);                                                             \
    cl_int __wrap_##name(type object)                                                              \
    {                                                                                              \
        atomic_fetch_sub(&live, 1);                                                                \
        return __real_##name(object);                                                              \
    }

WRAP_CREATE(cl_command_queue, clCreateCommandQueue, CREATE_QUEUE, CL_OUT_OF_HOST_MEMORY,
            (cl_context context, cl_device_id device, cl_command_queue_properties properties,
             cl_int *code),
            (context, device, properties, code))
WRAP_CREATE(cl_mem, clCreateBuffer, CREATE_BUFFER, CL_MEM_OBJECT_ALLOCATION_FAILURE,
            (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
            (context, flags, size, host, code))
WRAP_CREATE(cl_kernel, clCreateKernel, CREATE_KERNEL, CL_OUT_OF_HOST_MEMORY,
            (cl_program program, const char *name, cl_int *code), (program, name, code))
WRAP_CALL(clSetKernelArg, SET_ARG, CL_OUT_OF_HOST_MEMORY,
          (cl_kernel kernel, cl_uint index, size_t size, const void *value),
          (kernel, index, size, value))
WRAP_CALL(clSetKernelArgSVMPointer, SET_SVM_ARG, CL_OUT_OF_HOST_MEMORY,
          (cl_kernel kernel, cl_uint index, const void *value), (kernel, index, value))
WRAP_CALL(clFlush, FLUSH, CL_OUT_OF_RESOURCES, (cl_command_queue queue), (queue))
WRAP_CALL(clWaitForEvents, WAIT, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          (cl_uint num, const cl_event *events), (num, events))
WRAP_ENQUEUE(clEnqueueNDRangeKernel, LAUNCH,
             (cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
              const size_t *global, const size_t *local, cl_uint num_wait, const cl_event *wait,
              cl_event *event),
             (queue, kernel, dim, offset, global, local, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueUnmapMemObject, UNMAP,
             (cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint num_wait,
              const cl_event *wait, cl_event *event),
             (queue, buffer, mapped, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueReadBuffer, READ,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
              void *bytes, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocking, offset, size, bytes, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueWriteBuffer, WRITE,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size,
              const void *bytes, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocking, offset, size, bytes, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueFillBuffer, NUM_KINDS,
             (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
              size_t offset, size_t size, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, pattern, pattern_size, offset, size, num_wait, wait, event))
WRAP_ENQUEUE(clEnqueueMarkerWithWaitList, NUM_KINDS,
             (cl_command_queue queue, cl_uint num_wait, const cl_event *wait, cl_event *event),
             (queue, num_wait, wait, event))
WRAP_RELEASE(clReleaseCommandQueue, cl_command_queue, live_objects)
WRAP_RELEASE(clReleaseMemObject, cl_mem, live_objects)
WRAP_RELEASE(clReleaseKernel, cl_kernel, live_objects)
WRAP_RELEASE(clReleaseEvent, cl_event, live_events)

void *__real_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                cl_map_flags flags, size_t offset, size_t size, cl_uint num_wait,
                                const cl_event *wait, cl_event *event, cl_int *code);
void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                cl_map_flags flags, size_t offset, size_t size, cl_uint num_wait,
                                const cl_event *wait, cl_event *event, cl_int *code);

void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                cl_map_flags flags, size_t offset, size_t size, cl_uint num_wait,
                                const cl_event *wait, cl_event *event, cl_int *code)
{
    if (fails(MAP)) {
        *code = CL_MAP_FAILURE;
        return NULL;
    }
    void *const mapped = __real_clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size,
                                                   num_wait, wait, event, code);
    atomic_fetch_add(&live_events, *code == CL_SUCCESS && event);
    return mapped;
}

cl_int __real_clCreateKernelsInProgram(cl_program program, cl_uint num, cl_kernel *kernels,
                                       cl_uint *count);
cl_int __wrap_clCreateKernelsInProgram(cl_program program, cl_uint num, cl_kernel *kernels,
                                       cl_uint *count);

cl_int __wrap_clCreateKernelsInProgram(cl_program program, cl_uint num, cl_kernel *kernels,
                                       cl_uint *count)
{
    cl_uint made = 0;
    const cl_int code = __real_clCreateKernelsInProgram(program, num, kernels, &made);

    if (code == CL_SUCCESS && kernels) atomic_fetch_add(&live_objects, made);
    if (count) *count = made;
    return code;
}

void *__real_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align);
void *__wrap_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align);
void __real_clSVMFree(cl_context context, void *memory);
void __wrap_clSVMFree(cl_context context, void *memory);

void *__wrap_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint align)
{
    void *const memory = fails(SVM_ALLOC) ? NULL : __real_clSVMAlloc(context, flags, size, align);
    atomic_fetch_add(&live_blocks, memory != NULL);
    return memory;
}

void __wrap_clSVMFree(cl_context context, void *memory)
{
    atomic_fetch_sub(&live_blocks, memory != NULL);
    __real_clSVMFree(context, memory);
}

/* ---- one job in a context of its own ---- */

enum { TILES = 600 };

typedef struct setting {
    clsp_schedule schedule;
    bool host;   /* the host can make tiles */
    bool joined; /* the device a second time */
    bool filled;
} setting;

static clsp_status open_joined(const setting *s, clsp_context **ctx, clsp_context **other)
{
    static const clsp_context_opts opts = {.cache_dir = ""};
    clsp_status status;

    CLSPI_TRY(clsp_context_create(ctx, NULL, &opts));
    if (!s->joined) return CLSP_OK;
    CLSPI_TRY(clsp_context_create(other, NULL, &opts));
    CLSPI_TRY(clsp_context_join(*ctx, *other));

fail:
    return status;
}

static bool is_memory(enum kind kind)
{
    return kind == MALLOC || kind == CALLOC || kind == REALLOC;
}

/* Must be right, or say that it is not; it may say so only where nobody can be left. */
static clsp_status run_job(const setting *s, enum kind kind)
{
    clsp_context *ctx = NULL, *other = NULL;
    const clsp_cooperate_opts opts = {.schedule = s->schedule};
    clsp_cooperate_report report;
    ledger l = {0};
    void *out = NULL;
    size_t wrong;
    clsp_status status = open_joined(s, &ctx, &other);

    assert_ok(ctx, status);
    atomic_store(&fault.armed, true); /* what contexts do is tested elsewhere */
    status = clsp_context_set_workers(ctx, 2);
    if (status == CLSP_OK) status = clsp_shared_alloc(ctx, TILES * sizeof(cl_int), &out);
    if (status == CLSP_OK) {
        ledger_init(&l, ctx, TILES, out, s->filled);
        l.may_fail = true;
        if (!s->host) l.job.host = NULL;
        wrong = ledger_run(&l, &opts, &report, &status);
        if (status == CLSP_OK) {
            atomic_store(&fault.armed, false);
            assert_int_equal(wrong, 0);
            ledger_check_report(&l, &report);
        } else {
            assert_true(!s->host || is_memory(kind));
        }
    }
    atomic_store(&fault.armed, false);
    ledger_release(&l);
    clsp_context_destroy(&ctx);
    clsp_context_destroy(&other);
    return status;
}

/* A run in which calls fails_at .. fails_until of a kind fail, of NUM_KINDS none. */
static void run_with_fault(const setting *s, enum kind kind, unsigned fails_at,
                           unsigned fails_until)
{
    fault.kind = kind;
    fault.fails_at = fails_at;
    fault.fails_until = fails_until;
    for (int k = 0; k <= NUM_KINDS; k++)
        atomic_store(&fault.calls[k], 0);
    atomic_store(&live_blocks, 0);
    atomic_store(&live_objects, 0);
    atomic_store(&live_events, 0);
    const clsp_status status = run_job(s, kind);
    if (live_blocks != 0 || live_objects != 0 || live_events != 0) {
        print_error("%s, call %u, %s: %ld blocks, %ld objects and %ld events are left\n",
                    kind < NUM_KINDS ? kind_names[kind] : "no fault", fails_at,
                    clsp_schedule_name(s->schedule), (long)live_blocks, (long)live_objects,
                    (long)live_events);
        fail();
    }
    assert_true(kind < NUM_KINDS ? status <= CLSP_OK : status == CLSP_OK);
}

/* Of num calls of the kind, as far as is known, as a failure may add to them: with most 0 each
   until a run does not reach it, else at most so many. */
static unsigned fail_each(const setting *s, enum kind kind, unsigned in_a_row, unsigned num,
                          unsigned most)
{
    unsigned n = 1, failed = 0;

    for (; most > 0 && n <= num; n = support_next_call(n, num, most), failed++)
        run_with_fault(s, kind, n, n + in_a_row - 1);
    for (; most == 0; n++, failed++) {
        run_with_fault(s, kind, n, n + in_a_row - 1);
        if (atomic_load(&fault.calls[kind]) < n) break;
    }
    return failed;
}

/* Takes about BUDGET_MS at most, if a run takes no more than some tenths of a second. */
static void fail_all(const setting *s)
{
    enum { BUDGET_MS = 9000, WAYS = 2 };
    unsigned calls[NUM_KINDS], sum = 0;
    double begin = 0;

    for (int run = 0; run < 2; run++) { /* the first may compile */
        begin = support_now_ms();
        run_with_fault(s, NUM_KINDS, 1, 1);
    }
    const double runs = (double)BUDGET_MS / (support_now_ms() - begin) / (double)WAYS;
    for (int kind = 0; kind < NUM_KINDS; kind++)
        calls[kind] = atomic_load(&fault.calls[kind]);
    const unsigned most = support_most_calls(calls, NUM_KINDS, runs);
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        sum += fail_each(s, (enum kind)kind, 1, calls[kind], most);
        sum += fail_each(s, (enum kind)kind, 1000, calls[kind], most);
    }
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

static void test_functions(void **state)
{
    static const clsp_context_opts context_opts = {.cache_dir = ""};
    clsp_cooperate_report report;

    (void)state;
    for (int k = CLSP_SCHEDULE_SVM; k <= CLSP_SCHEDULE_HOST; k++)
        for (int which = 0; which < 3; which++)
            for (int n = 1; n < 4; n++) {
                const clsp_cooperate_opts opts = {.schedule = (clsp_schedule)k};
                clsp_context *ctx;
                ledger l;
                void *out;
                assert_ok(NULL, clsp_context_create(&ctx, NULL, &context_opts));
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
}

static void test_nobody_left(void **state)
{
    static const clsp_context_opts context_opts = {.cache_dir = ""};
    clsp_context *ctx;
    clsp_cooperate_report report;
    clsp_status status;
    ledger l;
    cl_int out[TILES];

    (void)state;
    for (int k = CLSP_SCHEDULE_AUTO; k <= CLSP_SCHEDULE_HOST; k++) {
        const clsp_cooperate_opts opts = {.schedule = (clsp_schedule)k};
        assert_ok(NULL, clsp_context_create(&ctx, NULL, &context_opts));
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
