#include "memory_fixture.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "tile_fixture.h"

/* ---- stores ---- */

/* Guards take whole elements of every type; before an SVM pointer there is an odd number of them.
 */
enum { ODD = 3 };

static size_t bytes_before(const store *s)
{
    return GUARD + (s->kind >= SVM_COARSE ? ODD * clsp_type_bytes(s->type) : 0);
}

static unsigned char *elements_of(const store *s)
{
    return s->image + bytes_before(s) + s->offset * clsp_type_bytes(s->type);
}

bool has_kind(const clsp_context *ctx, store_kind kind)
{
    clsp_device_info info;

    assert_int_equal(clsp_context_device(ctx, &info), CLSP_OK);
    if (kind == SVM_COARSE) return (info.svm & CLSP_SVM_COARSE) != 0;
    if (kind == SVM_FINE) return (info.svm & CLSP_SVM_FINE_BUFFER) != 0;
    return true;
}

/* Carries coarse-grain memory to the image or back. */
static void copy_coarse(const store *s, bool to_image)
{
    const cl_command_queue queue = clsp_context_queue(s->ctx);
    const cl_map_flags flags = to_image ? CL_MAP_READ : CL_MAP_WRITE;

    assert_int_equal(clEnqueueSVMMap(queue, CL_TRUE, flags, s->svm, s->bytes, 0, NULL, NULL),
                     CL_SUCCESS);
    memcpy(to_image ? s->image : s->svm, to_image ? s->svm : s->image, s->bytes);
    assert_int_equal(clEnqueueSVMUnmap(queue, s->svm, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
}

static void alloc_svm(store *s)
{
    const cl_svm_mem_flags fine = s->kind == SVM_FINE ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0;

    s->svm = clSVMAlloc(cl_context_of(s->ctx), CL_MEM_READ_WRITE | fine, s->bytes, 0);
    assert_non_null(s->svm);
}

store store_make(const clsp_context *ctx, store_kind kind, clsp_type type, size_t offset,
                 size_t size, const void *contents)
{
    store s = {.ctx = ctx, .kind = kind, .type = type, .offset = offset, .size = size};

    s.bytes = bytes_before(&s) + (offset + size) * clsp_type_bytes(type) + GUARD;
    if (kind >= SVM_COARSE) alloc_svm(&s);
    s.image = kind == SVM_FINE ? s.svm : malloc(s.bytes);
    assert_non_null(s.image);
    memset(s.image, POISON, s.bytes);
    if (contents) memcpy(elements_of(&s), contents, size * clsp_type_bytes(type));
    if (kind == BUFFER) s.buffer = buffer_of(ctx, s.bytes, s.image);
    if (kind == SVM_COARSE) copy_coarse(&s, false);
    return s;
}

clsp_output store_out(const store *s)
{
    const size_t before = bytes_before(s);
    clsp_output out = {.type = s->type, .offset = s->offset};

    if (s->kind == BUFFER) {
        out.buffer = s->buffer;
        out.offset += before / clsp_type_bytes(s->type);
        return out;
    }
    if (s->kind == HOST) out.host = s->image + before;
    if (s->kind >= SVM_COARSE) out.svm = s->svm + before;
    out.size = s->offset + s->size;
    return out;
}

clsp_input store_in(const store *s)
{
    const clsp_output o = store_out(s);
    const clsp_input in = {o.type, o.buffer, o.host, o.svm, o.size, o.offset, {0, 0}};

    return in;
}

const unsigned char *store_elements(const store *s)
{
    return elements_of(s);
}

const unsigned char *store_read(store *s)
{
    const unsigned char *const first = elements_of(s);
    const unsigned char *const last = first + s->size * clsp_type_bytes(s->type);

    assert_int_equal(clsp_context_finish((clsp_context *)s->ctx), CLSP_OK);
    if (s->kind == BUFFER) read_buffer(s->ctx, s->buffer, s->bytes, s->image);
    if (s->kind == SVM_COARSE) copy_coarse(s, true);
    for (const unsigned char *byte = s->image; byte < s->image + s->bytes; byte++)
        if (byte < first || byte >= last) assert_int_equal(*byte, POISON);
    return first;
}

void store_free(store *s)
{
    if (s->kind != SVM_FINE) free(s->image);
    if (s->buffer) clReleaseMemObject(s->buffer);
    if (s->svm) clSVMFree(cl_context_of(s->ctx), s->svm);
}

/* ---- a job ---- */

enum { DEGREE_U = 3, DEGREE_V = 16, NUM_U = 40, NUM_V = 5, COORDS = 4 };

memory_job memory_start(clsp_context *ctx)
{
    static const uint32_t nums[MEMORY_PATCHES][2] = {{3, 5}, {1, 4}, {7, 2}};
    const clsp_bezier_desc d = {
        .degree = {DEGREE_U, DEGREE_V},
        .axis = {{.num = NUM_U}, {.num = NUM_V}},
        .rational = 1,
        .vertex = {.attributes = CLSP_VERTEX_POINT, .stride = MEMORY_STRIDE, .offset = {1}}};
    const size_t num = (size_t)MEMORY_PATCHES * (DEGREE_U + 1) * (DEGREE_V + 1) * COORDS;
    memory_job j = {.ctx = ctx, .num_controls = num, .controls = malloc(num * sizeof(float))};

    j.patches = malloc(MEMORY_POINTS * sizeof *j.patches);
    j.params = malloc(2 * MEMORY_POINTS * sizeof *j.params);
    j.nums = malloc(sizeof nums);
    assert_true(j.controls && j.patches && j.params && j.nums);
    memcpy(j.nums, nums, sizeof nums);
    for (size_t i = 0; i < num; i++)
        j.controls[i] = (float)(i % COORDS == 3 ? 1.25 + 0.75 * random_real() : random_real());
    for (uint32_t k = 0; k < MEMORY_POINTS; k++) {
        j.patches[k] = (k * 2 + 1) % MEMORY_PATCHES;
        j.params[2 * k] = (float)(0.5 + 0.5 * random_real());
        j.params[2 * k + 1] = (float)(0.5 + 0.5 * random_real());
    }
    assert_int_equal(clsp_bezier_plan_create(&j.plan, ctx, &d), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(j.plan, MEMORY_PATCHES, clsp_in_f32(j.controls, num), NULL),
        CLSP_OK);
    return j;
}

void memory_finish(memory_job *j)
{
    clsp_patch_plan_destroy(&j->plan);
    free(j->controls);
    free(j->patches);
    free(j->params);
    free(j->nums);
}

/* ---- calls that write ---- */

static const clsp_range some = {1, 2};

static clsp_status eval(const memory_job *j, clsp_output out, const clsp_run *sync)
{
    return clsp_patch_eval(j->plan, some, out, sync);
}

static clsp_status eval_nothing(const memory_job *j, clsp_output out)
{
    return clsp_patch_eval(j->plan, (clsp_range){MEMORY_PATCHES, 0}, out, NULL);
}

static clsp_status tiles_by_device(const memory_job *j, clsp_output out, const clsp_run *sync)
{
    return eval_tiles(j->plan, some, (clsp_range){0, 0}, CLSP_SCHEDULE_DEVICE, out, sync);
}

static clsp_status eval_points(const memory_job *j, clsp_output out, const clsp_run *sync)
{
    return clsp_patch_eval_points(
        j->plan,
        &(clsp_points){.num = MEMORY_POINTS,
                       .item = clsp_in_u32(j->patches, MEMORY_POINTS),
                       .params = clsp_in_f32(j->params, 2 * MEMORY_POINTS)},
        out, sync);
}

static clsp_status eval_no_points(const memory_job *j, clsp_output out)
{
    return clsp_patch_eval_points(j->plan,
                                  &(clsp_points){.num = 0,
                                                 .item = clsp_in_u32(j->patches, 0),
                                                 .params = clsp_in_f32(j->params, 0)},
                                  out, NULL);
}

static clsp_status indices(const memory_job *j, clsp_output out, const clsp_run *sync)
{
    return clsp_patch_indices(j->plan, CLSP_FACES_QUADS, some, out, sync);
}

static clsp_status no_indices(const memory_job *j, clsp_output out)
{
    return clsp_patch_indices(j->plan, CLSP_FACES_QUADS, (clsp_range){1, 0}, out, NULL);
}

static const clsp_share by_device = {.schedule = CLSP_SCHEDULE_DEVICE};

static clsp_status cooperate(const memory_job *j, clsp_output out, const clsp_run *sync)
{
    clsp_run run = sync ? *sync : (clsp_run){.num_wait = 0};

    run.share = &by_device;
    return clsp_patch_eval(j->plan, some, out, &run);
}

static clsp_status cooperate_on_nothing(const memory_job *j, clsp_output out)
{
    return clsp_patch_eval(j->plan, (clsp_range){1, 0}, out, &(clsp_run){.share = &by_device});
}

static clsp_status tiles_by_caller(const memory_job *j, clsp_output out, const clsp_run *sync)
{
    return eval_tiles(j->plan, some, (clsp_range){0, 0}, CLSP_SCHEDULE_HOST, out, sync);
}

enum {
    EVAL_SIZE = 2 * NUM_U * NUM_V * MEMORY_STRIDE,
    POINTS_SIZE = MEMORY_POINTS * MEMORY_STRIDE,
    INDICES_SIZE = 2 * (NUM_U - 1) * (NUM_V - 1) * 4
};

#define ALL_KINDS (1u << HOST | 1u << BUFFER | 1u << SVM_COARSE | 1u << SVM_FINE)

const output_call output_calls[OUTPUT_CALLS] = {
    {"eval", eval, eval_nothing, CLSP_F32, EVAL_SIZE, ALL_KINDS, true},
    {"tiles by device", tiles_by_device, eval_nothing, CLSP_F32, EVAL_SIZE, ALL_KINDS, true},
    {"eval_points", eval_points, eval_no_points, CLSP_F32, POINTS_SIZE, ALL_KINDS, true},
    {"indices", indices, no_indices, CLSP_U32, INDICES_SIZE, ALL_KINDS, true},
    {"shared", cooperate, cooperate_on_nothing, CLSP_F32, EVAL_SIZE, 1u << HOST | 1u << SVM_FINE,
     false},
    {"tiles by caller", tiles_by_caller, cooperate_on_nothing, CLSP_F32, EVAL_SIZE,
     1u << HOST | 1u << SVM_FINE, false}};

/* ---- calls that read ---- */

static clsp_status set_control_points(const memory_job *j, clsp_input in, const clsp_run *sync,
                                      float *result)
{
    const clsp_status status = clsp_patch_set_control_points(j->plan, MEMORY_PATCHES, in, sync);

    if (status != CLSP_OK) return status;
    return clsp_patch_eval(j->plan, some, clsp_out_f32(result, EVAL_SIZE), NULL);
}

static clsp_status set_no_control_points(const memory_job *j, clsp_input in)
{
    return clsp_patch_set_control_points(j->plan, 0, in, NULL);
}

static const void *contents_controls(const memory_job *j)
{
    return j->controls;
}

static clsp_status read_patches(const memory_job *j, clsp_input in, const clsp_run *sync,
                                float *result)
{
    return clsp_patch_eval_points(
        j->plan,
        &(clsp_points){
            .num = MEMORY_POINTS, .item = in, .params = clsp_in_f32(j->params, 2 * MEMORY_POINTS)},
        clsp_out_f32(result, POINTS_SIZE), sync);
}

static clsp_status read_no_patches(const memory_job *j, clsp_input in)
{
    return clsp_patch_eval_points(
        j->plan, &(clsp_points){.num = 0, .item = in, .params = clsp_in_f32(j->params, 0)},
        clsp_out_f32(NULL, 0), NULL);
}

static const void *contents_patches(const memory_job *j)
{
    return j->patches;
}

static clsp_status read_params(const memory_job *j, clsp_input in, const clsp_run *sync,
                               float *result)
{
    return clsp_patch_eval_points(j->plan,
                                  &(clsp_points){.num = MEMORY_POINTS,
                                                 .item = clsp_in_u32(j->patches, MEMORY_POINTS),
                                                 .params = in},
                                  clsp_out_f32(result, POINTS_SIZE), sync);
}

static clsp_status read_no_params(const memory_job *j, clsp_input in)
{
    return clsp_patch_eval_points(
        j->plan, &(clsp_points){.num = 0, .item = clsp_in_u32(j->patches, 0), .params = in},
        clsp_out_f32(NULL, 0), NULL);
}

static const void *contents_params(const memory_job *j)
{
    return j->params;
}

/* The common grid is back afterwards. */
static clsp_status set_patch_grids(const memory_job *j, clsp_input in, const clsp_run *sync,
                                   float *result)
{
    clsp_status status = clsp_patch_set_grids(j->plan, NULL, MEMORY_PATCHES, in);

    (void)sync;
    if (status != CLSP_OK) return status;
    status = clsp_patch_eval(j->plan, some, clsp_out_f32(result, EVAL_SIZE), NULL);
    assert_int_equal(clsp_patch_set_grids(j->plan, NULL, 0, clsp_in_u32(NULL, 0)), CLSP_OK);
    return status;
}

static clsp_status set_no_patch_grids(const memory_job *j, clsp_input in)
{
    return clsp_patch_set_grids(j->plan, NULL, 0, in);
}

static const void *contents_nums(const memory_job *j)
{
    return j->nums;
}

enum { CONTROLS_SIZE = MEMORY_PATCHES * (DEGREE_U + 1) * (DEGREE_V + 1) * COORDS };

const input_call input_calls[INPUT_CALLS] = {
    {"set_control_points", set_control_points, set_no_control_points, contents_controls, CLSP_F32,
     CONTROLS_SIZE, ALL_KINDS, true},
    {"patches of eval_points", read_patches, read_no_patches, contents_patches, CLSP_U32,
     MEMORY_POINTS, ALL_KINDS, true},
    {"params of eval_points", read_params, read_no_params, contents_params, CLSP_F32,
     2 * MEMORY_POINTS, ALL_KINDS, true},
    {"set_patch_grids", set_patch_grids, set_no_patch_grids, contents_nums, CLSP_U32,
     2 * MEMORY_PATCHES, 1u << HOST, false}};

/* ---- checks ---- */

bool can(const memory_job *j, unsigned kinds, store_kind kind)
{
    return (kinds & 1u << kind) && has_kind(j->ctx, kind);
}

/* Jobs in all kinds of memory are one processor's, which gives them the same bits. */
void everywhere(check_fn check)
{
    static const char *const limits[] = {"", "class=discrete"};

    for (size_t i = 0; i < COUNT(limits); i++) {
        seed((unsigned)i + 1);
        memory_job j = memory_start(lent_context(limits[i]));
        check(&j);
        memory_finish(&j);
        if (given_limits() || tiny()) break;
    }
}

unsigned char *written_by(const memory_job *j, const output_call *c)
{
    const size_t bytes = c->size * clsp_type_bytes(c->type);
    unsigned char *const copy = malloc(bytes);
    store s = store_make(j->ctx, HOST, c->type, 0, c->size, NULL);

    assert_non_null(copy);
    assert_int_equal(c->call(j, store_out(&s), NULL), CLSP_OK);
    memcpy(copy, store_read(&s), bytes);
    store_free(&s);
    for (size_t i = c->type == CLSP_F32; i < c->size; i++) { /* the first of a vertex is a gap */
        const unsigned char *const element = copy + i * clsp_type_bytes(c->type);
        if (c->type == CLSP_F32 && (i % MEMORY_STRIDE == 0 || i % MEMORY_STRIDE == 4))
            assert_poison(element, clsp_type_bytes(c->type));
        else
            assert_int_not_equal(element[0] & element[1] & element[2] & element[3], POISON);
    }
    return copy;
}

void forget(const memory_job *j)
{
    float *const zeros = calloc(j->num_controls, sizeof *zeros);

    assert_non_null(zeros);
    for (size_t i = 3; i < j->num_controls; i += 4)
        zeros[i] = 1.0f;
    assert_int_equal(clsp_patch_set_control_points(j->plan, MEMORY_PATCHES,
                                                   clsp_in_f32(zeros, j->num_controls), NULL),
                     CLSP_OK);
    free(zeros);
}

/* ---- elements ---- */

/* The number that a half stands for. */
static double from_half(uint16_t h)
{
    const int exponent = h >> 10 & 31, mantissa = h & 1023;
    const double sign = h & 0x8000 ? -1.0 : 1.0;

    if (exponent == 31) return mantissa ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(mantissa, -24);
    return sign * ldexp(1024 + mantissa, exponent - 25);
}

double element_of(const void *memory, clsp_type type, size_t k)
{
    switch (type) {
    case CLSP_U8:
        return ((const uint8_t *)memory)[k];
    case CLSP_U16:
        return ((const uint16_t *)memory)[k];
    case CLSP_S16:
        return ((const int16_t *)memory)[k];
    case CLSP_F16:
        return from_half(((const uint16_t *)memory)[k]);
    case CLSP_F32:
        return (double)((const float *)memory)[k];
    default:
        return ((const double *)memory)[k];
    }
}

/* halves: x is a multiple of 1/64 below 1. */
void set_element(void *memory, clsp_type type, size_t k, double x)
{
    int exponent;

    switch (type) {
    case CLSP_U8:
        ((uint8_t *)memory)[k] = (uint8_t)x;
        break;
    case CLSP_U16:
        ((uint16_t *)memory)[k] = (uint16_t)x;
        break;
    case CLSP_S16:
        ((int16_t *)memory)[k] = (int16_t)x;
        break;
    case CLSP_F16: {
        const double mantissa = frexp(fabs(x), &exponent);
        const unsigned bits =
            x == 0.0 ? 0
                     : ((unsigned)(exponent + 14) << 10 | ((unsigned)(mantissa * 2048.0) & 1023u));
        ((uint16_t *)memory)[k] = (uint16_t)(bits | (x < 0.0 ? 0x8000u : 0u));
        break;
    }
    case CLSP_F32:
        ((float *)memory)[k] = (float)x;
        break;
    default:
        ((double *)memory)[k] = x;
        break;
    }
}
