/* Memory that calls read and write: each kind in each call, with offsets and at odd places, mixed
   in one call, and wrong in every way. */
#include "support.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "memory_fixture.h"

/* ---- every kind in every call ---- */

/* The type may be told or not. Host memory, and what a call without events writes, is there when it
   returns: the queue is not waited for then. */
static void check_output(const memory_job *j, const output_call *c, store_kind kind, size_t offset,
                         const unsigned char *wanted)
{
    const size_t bytes = c->size * clsp_type_bytes(c->type);
    store s = store_make(j->ctx, kind, c->type, offset, c->size, NULL);
    clsp_output out = store_out(&s);

    if (offset % 2) out.type = CLSP_TYPE_DEFAULT;
    assert_int_equal(c->call(j, out, NULL), CLSP_OK);
    if (kind == HOST || !c->takes_sync) assert_memory_equal(store_elements(&s), wanted, bytes);
    if (memcmp(store_read(&s), wanted, bytes) != 0)
        fail_msg("%s into memory of kind %d from element %zu on", c->name, (int)kind, offset);
    store_free(&s);
}

static void outputs(memory_job *j)
{
    static const size_t offsets[] = {0, 1, 5, 64};

    for (size_t i = 0; i < OUTPUT_CALLS; i++) {
        const output_call *const c = &output_calls[i];
        unsigned char *const wanted = written_by(j, c);
        for (int kind = 0; kind < STORE_KINDS; kind++)
            for (size_t k = 0; k < COUNT(offsets) && can(j, c->kinds, (store_kind)kind); k++)
                check_output(j, c, (store_kind)kind, offsets[k], wanted);
        free(wanted);
    }
}

/* Shared calls that the device makes alone are over when they return too. */
static void whole_grids(memory_job *j)
{
    enum { NUM = 500 };
    const clsp_run by_device = {.share = &(clsp_share){.schedule = CLSP_SCHEDULE_DEVICE}};
    static const uint32_t nums[MEMORY_PATCHES][2] = {{NUM, NUM}, {NUM, NUM}, {NUM, NUM}};
    const size_t size = (size_t)MEMORY_PATCHES * NUM * NUM * MEMORY_STRIDE;
    const clsp_range all = {0, MEMORY_PATCHES};

    if (tiny() || !has_kind(j->ctx, SVM_FINE)) return;
    store host = store_make(j->ctx, HOST, CLSP_F32, 0, size, NULL);
    store svm = store_make(j->ctx, SVM_FINE, CLSP_F32, 3, size, NULL);
    assert_int_equal(clsp_patch_set_grids(j->plan, NULL, MEMORY_PATCHES,
                                          clsp_in_u32(nums[0], 2 * MEMORY_PATCHES)),
                     CLSP_OK);
    assert_int_equal(clsp_patch_eval(j->plan, all, store_out(&host), &by_device), CLSP_OK);
    const unsigned char *const wanted = store_read(&host);
    assert_int_equal(clsp_patch_eval(j->plan, all, store_out(&svm), &by_device), CLSP_OK);
    assert_true(memcmp(store_elements(&svm), wanted, size * sizeof(float)) == 0);
    store_read(&svm);
    assert_int_equal(clsp_patch_set_grids(j->plan, NULL, 0, clsp_in_u32(NULL, 0)), CLSP_OK);
    store_free(&host);
    store_free(&svm);
}

static void test_whole_grids(void **state)
{
    (void)state;
    everywhere(whole_grids);
}

static void test_outputs(void **state)
{
    (void)state;
    everywhere(outputs);
}

/* Tiles, ranges and shared evaluations have the same vertices: what is compared above is right. */
static void agreements(memory_job *j)
{
    unsigned char *const whole = written_by(j, &output_calls[0]);
    unsigned char *const shared = written_by(j, &output_calls[4]);
    unsigned char *const tiles = written_by(j, &output_calls[1]);
    const size_t bytes = output_calls[0].size * sizeof(float);

    assert_memory_equal(whole, shared, bytes);
    assert_memory_equal(whole, tiles, bytes);
    free(whole);
    free(shared);
    free(tiles);
}

static void test_agreements(void **state)
{
    (void)state;
    everywhere(agreements);
}

/* What an input leads to: [MEMORY_RESULT], poison where nothing is written. */
static float *led_to_by(const memory_job *j, const input_call *c, clsp_input in)
{
    float *const result = malloc(MEMORY_RESULT * sizeof *result);

    assert_non_null(result);
    memset(result, POISON, MEMORY_RESULT * sizeof *result);
    assert_int_equal(c->call(j, in, NULL, result), CLSP_OK);
    return result;
}

static void check_input(const memory_job *j, const input_call *c, store_kind kind, size_t offset,
                        const float *wanted)
{
    store s = store_make(j->ctx, kind, c->type, offset, c->size, c->contents(j));
    clsp_input in = store_in(&s);

    if (offset % 2) in.type = CLSP_TYPE_DEFAULT;
    float *const result = led_to_by(j, c, in);
    if (memcmp(result, wanted, MEMORY_RESULT * sizeof *result) != 0)
        fail_msg("%s from memory of kind %d from element %zu on", c->name, (int)kind, offset);
    assert_memory_equal(store_read(&s), c->contents(j), c->size * clsp_type_bytes(c->type));
    store_free(&s);
    free(result);
}

static void inputs(memory_job *j)
{
    static const size_t offsets[] = {0, 1, 6, 64};

    for (size_t i = 0; i < INPUT_CALLS; i++) {
        const input_call *const c = &input_calls[i];
        store s = store_make(j->ctx, HOST, c->type, 0, c->size, c->contents(j));
        float *const wanted = led_to_by(j, c, store_in(&s));
        store_free(&s);
        for (int kind = 0; kind < STORE_KINDS; kind++) {
            for (size_t k = 0; k < COUNT(offsets) && can(j, c->kinds, (store_kind)kind); k++) {
                if (i == 0) forget(j);
                check_input(j, c, (store_kind)kind, offsets[k], wanted);
            }
        }
        free(wanted);
    }
}

static void test_inputs(void **state)
{
    (void)state;
    everywhere(inputs);
}

/* ---- kinds mixed in one call ---- */

static void check_mixed(const memory_job *j, const store_kind kinds[3],
                        const unsigned char *expected)
{
    const output_call *const c = &output_calls[2]; /* eval_points */
    store patches = store_make(j->ctx, kinds[0], CLSP_U32, 3, MEMORY_POINTS, j->patches);
    store params = store_make(j->ctx, kinds[1], CLSP_F32, 7, (size_t)2 * MEMORY_POINTS, j->params);
    store vertices = store_make(j->ctx, kinds[2], CLSP_F32, 1, c->size, NULL);

    assert_int_equal(clsp_patch_eval_points(j->plan,
                                            &(clsp_points){.num = MEMORY_POINTS,
                                                           .item = store_in(&patches),
                                                           .params = store_in(&params)},
                                            store_out(&vertices), NULL),
                     CLSP_OK);
    if (kinds[2] == HOST)
        assert_memory_equal(store_elements(&vertices), expected, c->size * sizeof(float));
    if (memcmp(store_read(&vertices), expected, c->size * sizeof(float)) != 0)
        fail_msg("patches %d, params %d, vertices %d", (int)kinds[0], (int)kinds[1], (int)kinds[2]);
    store_free(&patches);
    store_free(&params);
    store_free(&vertices);
}

static void mixtures(memory_job *j)
{
    unsigned char *const expected = written_by(j, &output_calls[2]);

    for (int i = 0; i < STORE_KINDS * STORE_KINDS * STORE_KINDS; i++) {
        const store_kind kinds[3] = {(store_kind)(i % STORE_KINDS),
                                     (store_kind)(i / STORE_KINDS % STORE_KINDS),
                                     (store_kind)(i / STORE_KINDS / STORE_KINDS)};
        if (has_kind(j->ctx, kinds[0]) && has_kind(j->ctx, kinds[1]) && has_kind(j->ctx, kinds[2]))
            check_mixed(j, kinds, expected);
    }
    free(expected);
}

static void test_mixtures(void **state)
{
    (void)state;
    everywhere(mixtures);
}

/* ---- wrong memory ---- */

/* Memories that a call must refuse, and how. */
typedef struct wrong_list {
    struct {
        clsp_output memory;
        clsp_status status;
        const char *why;
    } item[64];
    size_t num;
} wrong_list;

static void add(wrong_list *list, clsp_output memory, clsp_status status, const char *why)
{
    assert_true(list->num < COUNT(list->item));
    list->item[list->num].memory = memory;
    list->item[list->num].why = why;
    list->item[list->num++].status = status;
}

/* Each takes memory that is right but for what it changes. */
static void add_types(wrong_list *list, clsp_output memory)
{
    const clsp_type right = memory.type;

    for (int type = -1; type <= CLSP_U32 + 1; type++) {
        memory.type = (clsp_type)type;
        if (memory.type != right && memory.type != CLSP_TYPE_DEFAULT)
            add(list, memory, CLSP_ERROR_ARGUMENT, "type");
    }
}

static void add_reserved(wrong_list *list, clsp_output memory)
{
    memory.reserved[0] = 1;
    add(list, memory, CLSP_ERROR_ARGUMENT, "reserved[0]");
    memory.reserved[0] = 0;
    memory.reserved[1] = UINT64_C(1) << 63;
    add(list, memory, CLSP_ERROR_ARGUMENT, "reserved[1]");
}

/* Of host memory and SVM, whose size is told. */
static void add_told_sizes(wrong_list *list, clsp_output memory, size_t needed)
{
    const clsp_output right = memory;

    memory.size = needed - 1;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "one element too few");
    memory.size = 0;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "size 0");
    memory = right;
    memory.offset = 1;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "offset 1");
    memory.offset = needed;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "offset at the end");
    memory.offset = needed + 1;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "offset behind the end");
    memory.offset = SIZE_MAX;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "offset SIZE_MAX");
    memory.offset = SIZE_MAX - needed + 1;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "offset + count overflows");
}

/* Of a buffer with a guard behind the elements. */
static void add_buffer_sizes(wrong_list *list, clsp_output memory)
{
    memory.offset += 64 / clsp_type_bytes(memory.type) + 1;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "buffer one element too small");
    memory.offset = SIZE_MAX;
    add(list, memory, CLSP_ERROR_BUFFER_SIZE, "offset SIZE_MAX of a buffer");
}

static void add_kinds(wrong_list *list, clsp_output host, clsp_output buffer, void *svm)
{
    clsp_output memory = {.type = host.type, .size = host.size};

    add(list, memory, CLSP_ERROR_ARGUMENT, "no memory");
    memory.host = host.host;
    memory.buffer = buffer.buffer;
    add(list, memory, CLSP_ERROR_ARGUMENT, "host and buffer");
    memory.svm = svm;
    add(list, memory, CLSP_ERROR_ARGUMENT, "all three");
    memory.buffer = NULL;
    add(list, memory, CLSP_ERROR_ARGUMENT, "host and svm");
    memory.host = NULL;
    memory.buffer = buffer.buffer;
    add(list, memory, CLSP_ERROR_ARGUMENT, "buffer and svm");
}

/* Stores of a call, and the ways to get them wrong. stores: [STORE_KINDS]. */
static void make_wrong(const memory_job *j, clsp_type type, size_t size, unsigned kinds,
                       const void *contents, store stores[], wrong_list *list)
{
    list->num = 0;
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        stores[kind] = (store){.ctx = NULL};
        if (!has_kind(j->ctx, (store_kind)kind)) continue;
        stores[kind] = store_make(j->ctx, (store_kind)kind, type, 0, size, contents);
        const clsp_output memory = store_out(&stores[kind]);
        if (!can(j, kinds, (store_kind)kind)) {
            if (kind != SVM_COARSE || !(kinds & 1u << SVM_FINE)) /* one cannot tell them apart */
                add(list, memory, CLSP_ERROR_ARGUMENT, "a kind that is not for this call");
        } else if (kind == BUFFER) {
            add_buffer_sizes(list, memory);
        } else {
            add_told_sizes(list, memory, size);
        }
        if (can(j, kinds, (store_kind)kind)) add_reserved(list, memory);
    }
    add_types(list, store_out(&stores[HOST]));
    if (kinds & 1u << BUFFER) add_types(list, store_out(&stores[BUFFER]));
    add_kinds(list, store_out(&stores[HOST]), store_out(&stores[BUFFER]),
              stores[SVM_FINE].svm ? stores[SVM_FINE].svm : stores[HOST].image);
}

/* Nothing was written. */
static void free_unwritten(store stores[])
{
    for (int kind = 0; kind < STORE_KINDS; kind++) {
        if (!stores[kind].ctx) continue;
        assert_poison(store_read(&stores[kind]),
                      stores[kind].size * clsp_type_bytes(stores[kind].type));
        store_free(&stores[kind]);
    }
}

static void wrong_outputs(memory_job *j)
{
    store stores[STORE_KINDS];
    wrong_list list;

    for (size_t i = 0; i < OUTPUT_CALLS; i++) {
        const output_call *const c = &output_calls[i];
        make_wrong(j, c->type, c->size, c->kinds, NULL, stores, &list);
        for (size_t k = 0; k < list.num; k++) {
            const clsp_status status = c->call(j, list.item[k].memory, NULL);
            if (status != list.item[k].status)
                fail_msg("%s, %s: %s", c->name, list.item[k].why, clsp_status_str(status));
        }
        free_unwritten(stores);
        unsigned char *const written = written_by(j, c); /* the plan is as it was */
        free(written);
    }
}

static void test_wrong_outputs(void **state)
{
    (void)state;
    everywhere(wrong_outputs);
}

static clsp_input as_input(const clsp_output *m)
{
    const clsp_input in = {
        m->type, m->buffer, m->host, m->svm, m->size, m->offset, {m->reserved[0], m->reserved[1]}};
    return in;
}

static void wrong_inputs(memory_job *j)
{
    store stores[STORE_KINDS];
    wrong_list list;

    for (size_t i = 0; i < INPUT_CALLS; i++) {
        const input_call *const c = &input_calls[i];
        float result[MEMORY_RESULT];
        unsigned char *const before = written_by(j, &output_calls[0]);
        make_wrong(j, c->type, c->size, c->kinds, c->contents(j), stores, &list);
        memset(result, POISON, sizeof result);
        for (size_t k = 0; k < list.num; k++) {
            const clsp_input in = as_input(&list.item[k].memory);
            const clsp_status status = c->call(j, in, NULL, result);
            if (status != list.item[k].status)
                fail_msg("%s, %s: %s", c->name, list.item[k].why, clsp_status_str(status));
        }
        assert_poison(result, sizeof result);
        for (int kind = 0; kind < STORE_KINDS; kind++)
            if (stores[kind].ctx) store_free(&stores[kind]);
        unsigned char *const after = written_by(j, &output_calls[0]); /* the plan is as it was */
        assert_memory_equal(before, after, output_calls[0].size * sizeof(float));
        free(before);
        free(after);
    }
}

static void test_wrong_inputs(void **state)
{
    (void)state;
    everywhere(wrong_inputs);
}

/* Where nothing is read or written, no memory need be given; what is given is left alone. */
static void nothings(memory_job *j)
{
    const clsp_output no_output = {.type = CLSP_TYPE_DEFAULT};
    const clsp_input no_input = {.type = CLSP_TYPE_DEFAULT};

    for (size_t i = 0; i < OUTPUT_CALLS; i++) {
        const output_call *const c = &output_calls[i];
        assert_int_equal(c->nothing(j, no_output), CLSP_OK);
        for (int kind = 0; kind < STORE_KINDS; kind++) {
            if (!can(j, c->kinds, (store_kind)kind)) continue;
            store s = store_make(j->ctx, (store_kind)kind, c->type, 2, 7, NULL);
            assert_int_equal(c->nothing(j, store_out(&s)), CLSP_OK);
            assert_poison(store_read(&s), 7 * clsp_type_bytes(c->type));
            store_free(&s);
        }
    }
    for (size_t i = INPUT_CALLS; i-- > 0;) /* the first one unloads the control points */
        assert_int_equal(input_calls[i].nothing(j, no_input), CLSP_OK);
}

static void test_nothing(void **state)
{
    (void)state;
    everywhere(nothings);
}

/* SVM pointers on a device without it are refused before anyone follows them. */
static void test_no_svm(void **state)
{
    clsp_context *ctx = context_with("svm=0");
    memory_job j = memory_start(ctx);
    float room[MEMORY_RESULT], result[MEMORY_RESULT];

    (void)state;
    memset(room, POISON, sizeof room);
    memset(result, POISON, sizeof result);
    for (size_t i = 0; i < OUTPUT_CALLS; i++) {
        const clsp_output out = clsp_out_svm(room, output_calls[i].type, output_calls[i].size);
        assert_int_equal(output_calls[i].call(&j, out, NULL), CLSP_ERROR_ARGUMENT);
    }
    for (size_t i = 0; i < INPUT_CALLS; i++) {
        const clsp_input in = clsp_in_svm(room, input_calls[i].type, input_calls[i].size);
        assert_int_equal(input_calls[i].call(&j, in, NULL, result), CLSP_ERROR_ARGUMENT);
    }
    assert_poison(room, sizeof room);
    assert_poison(result, sizeof result);
    memory_finish(&j);
    clsp_context_destroy(&ctx);
}

/* SVM pointers between two elements, and to more than there are addresses. */
static void wrong_svm(memory_job *j)
{
    float result[MEMORY_RESULT];

    if (!has_kind(j->ctx, SVM_COARSE)) return;
    char *const memory = clSVMAlloc(cl_context_of(j->ctx), CL_MEM_READ_WRITE, 2 * sizeof result, 0);
    assert_non_null(memory);
    for (size_t i = 0; i < OUTPUT_CALLS; i++) {
        const output_call *const c = &output_calls[i];
        clsp_output out = clsp_out_svm(memory + 1, c->type, c->size);
        if (!(c->kinds & 1u << SVM_COARSE)) continue;
        assert_int_equal(c->call(j, out, NULL), CLSP_ERROR_ARGUMENT);
        out.svm = memory;
        out.size = SIZE_MAX / 2;
        assert_int_equal(c->call(j, out, NULL), CLSP_ERROR_ARGUMENT);
    }
    for (size_t i = 0; i < INPUT_CALLS; i++) {
        const input_call *const c = &input_calls[i];
        clsp_input in = clsp_in_svm(memory + 2, c->type, c->size);
        if (!(c->kinds & 1u << SVM_COARSE)) continue;
        assert_int_equal(c->call(j, in, NULL, result), CLSP_ERROR_ARGUMENT);
        in.svm = memory;
        in.size = SIZE_MAX / 2;
        assert_int_equal(c->call(j, in, NULL, result), CLSP_ERROR_ARGUMENT);
    }
    clSVMFree(cl_context_of(j->ctx), memory);
}

static void test_wrong_svm(void **state)
{
    (void)state;
    everywhere(wrong_svm);
}

/* Buffers that kernels may only read suffice for inputs. */
static void read_only(memory_job *j)
{
    for (size_t i = 0; i < INPUT_CALLS; i++) {
        const input_call *const c = &input_calls[i];
        const size_t bytes = c->size * clsp_type_bytes(c->type);
        cl_int code;
        if (!(c->kinds & 1u << BUFFER)) continue;
        float *const wanted = led_to_by(j, c, host_in(c->type, c->contents(j), c->size));
        const cl_mem buffer =
            clCreateBuffer(cl_context_of(j->ctx), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                           (void *)c->contents(j), &code);
        assert_int_equal(code, CL_SUCCESS);
        if (i == 0) forget(j);
        float *const got = led_to_by(j, c, clsp_in_buffer(buffer, c->type, 0));
        assert_memory_equal(got, wanted, MEMORY_RESULT * sizeof *got);
        clReleaseMemObject(buffer);
        free(wanted);
        free(got);
    }
}

static void test_read_only(void **state)
{
    (void)state;
    everywhere(read_only);
}

/* ---- types and the version ---- */

static void test_type_bytes(void **state)
{
    static const size_t bytes[] = {0, 4, 8, 2, 1, 2, 2, 4};

    (void)state;
    for (int type = 0; type <= CLSP_U32; type++)
        assert_int_equal(clsp_type_bytes((clsp_type)type), bytes[type]);
    assert_int_equal(clsp_type_bytes((clsp_type)(CLSP_U32 + 1)), 0);
    assert_int_equal(clsp_type_bytes((clsp_type)-1), 0);
}

static void test_version(void **state)
{
    (void)state;
    assert_int_equal(clsp_version(), CLSP_VERSION_NUMBER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outputs),      cmocka_unit_test(test_whole_grids),
        cmocka_unit_test(test_agreements),   cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_mixtures),     cmocka_unit_test(test_wrong_outputs),
        cmocka_unit_test(test_wrong_inputs), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_no_svm),       cmocka_unit_test(test_wrong_svm),
        cmocka_unit_test(test_read_only),    cmocka_unit_test(test_type_bytes),
        cmocka_unit_test(test_version),
    };

    support_begin();
    return cmocka_run_group_tests(tests, NULL, close_lent);
}
