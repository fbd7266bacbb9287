/* Buffers of graphics, contexts and calls with them that are wrong (fake_graphics.h): each is
   refused before anything happens. */
#include "graphics_fixture.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static void refuse(clsp_context *ctx, clsp_status wanted, clsp_graphics_desc desc)
{
    clsp_graphics *g = (clsp_graphics *)&desc;
    char message[512] = "";

    assert_status(ctx, clsp_graphics_create(&g, ctx, &desc), wanted);
    assert_null(g);
    assert_true(clsp_context_last_error(ctx, message, sizeof message) > 0);
}

static void test_wrong_descs(void **state)
{
    char host[64];
    const clsp_graphics_desc good = {.host = host, .bytes = sizeof host};

    (void)state;
    set_words("gl external");
    clsp_context *ctx = gl_context();
    const uint32_t name = fake->make_buffer(63);
    const int fd = make_file(63), closed = dup(fd);
    assert_int_equal(close(closed), 0);
#define REFUSED(status, change)                                                                    \
    do {                                                                                           \
        clsp_graphics_desc d = good;                                                               \
        change;                                                                                    \
        refuse(ctx, status, d);                                                                    \
    } while (0)
    REFUSED(CLSP_ERROR_ARGUMENT, d.bytes = 0);
    REFUSED(CLSP_ERROR_ARGUMENT, d.bytes = SIZE_MAX);
    REFUSED(CLSP_ERROR_ARGUMENT, d.host = NULL);
    REFUSED(CLSP_ERROR_ARGUMENT, (d.host = NULL, d.way = CLSP_GRAPHICS_STAGED));
    REFUSED(CLSP_ERROR_ARGUMENT, (d.host = NULL, d.gl_buffer = name, d.bytes = 63));
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = CLSP_GRAPHICS_GL);
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = CLSP_GRAPHICS_EXTERNAL);
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = (clsp_graphics_way)4);
    REFUSED(CLSP_ERROR_ARGUMENT, d.way = (clsp_graphics_way)-1);
    REFUSED(CLSP_ERROR_ARGUMENT, (d.handle = (clsp_handle_type)3, d.fd = fd));
    REFUSED(CLSP_ERROR_ARGUMENT, (d.handle = CLSP_HANDLE_OPAQUE_FD, d.fd = closed));
    REFUSED(CLSP_ERROR_ARGUMENT, (d.handle = CLSP_HANDLE_DMA_BUF, d.fd = -1));
    for (size_t i = 0; i < CLSP_RESERVED; i++)
        REFUSED(CLSP_ERROR_ARGUMENT, d.reserved[i] = 1);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, d.gl_buffer = name);
    REFUSED(CLSP_ERROR_BUFFER_SIZE, (d.gl_buffer = name, d.way = CLSP_GRAPHICS_GL));
    REFUSED(CLSP_ERROR_NO_SHARING, (d.gl_buffer = 99, d.way = CLSP_GRAPHICS_GL));
    REFUSED(CLSP_ERROR_NO_SHARING,
            (d.handle = CLSP_HANDLE_OPAQUE_FD, d.fd = fd, d.way = CLSP_GRAPHICS_EXTERNAL));
    close(fd);
    fake->delete_buffer(name);
    clsp_context_destroy(&ctx);
    assert_int_equal(fake->alive, 0);
    no_complaints();
}

static void test_wrong_contexts(void **state)
{
    const clsp_graphics_context wrong[] = {
        {.gl_context = &gl_dummy, .egl_display = &gl_dummy, .glx_display = &gl_dummy},
        {.gl_context = &gl_dummy, .wgl_dc = &gl_dummy, .glx_display = &gl_dummy},
        {.egl_display = &gl_dummy},
        {.cgl_share_group = &gl_dummy, .gl_context = &gl_dummy},
        {.gl_context = &gl_dummy, .reserved = {0, 0, 0, 1}},
    };
    clsp_context *ctx;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_status(NULL,
                      clsp_context_create(&ctx, NULL, &(clsp_context_opts){.graphics = &wrong[i]}),
                      CLSP_ERROR_ARGUMENT);
    for (size_t i = 0; i < CLSP_RESERVED - 2; i++) {
        clsp_context_opts opts = {.device = NULL};
        opts.reserved[i] = 1;
        assert_status(NULL, clsp_context_create(&ctx, NULL, &opts), CLSP_ERROR_ARGUMENT);
    }
}

static void test_wrong_calls(void **state)
{
    clsp_graphics_report report;
    clsp_graphics *none = NULL;

    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    clsp_context *other = gl_context();
    float host[1024];
    const clsp_graphics_desc desc = {.host = host, .bytes = sizeof host};
    assert_status(NULL, clsp_graphics_create(NULL, ctx, &desc), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_graphics_create(&none, NULL, &desc), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_graphics_create(&none, ctx, NULL), CLSP_ERROR_ARGUMENT);
    assert_status(NULL, clsp_graphics_info(NULL, &report), CLSP_ERROR_ARGUMENT);
    clsp_graphics_destroy(NULL);
    clsp_graphics_destroy(&none);
    for (int way = CLSP_GRAPHICS_GL; way <= CLSP_GRAPHICS_STAGED; way += 2) {
        target t = make_target(ctx, (clsp_graphics_way)way, sizeof host);
        target foreign = make_target(other, (clsp_graphics_way)way, sizeof host);
        clsp_output out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
        assert_status(ctx, clsp_graphics_info(t.graphics, NULL), CLSP_ERROR_ARGUMENT);
        assert_status(ctx,
                      bspline_eval(&lent, clsp_out_graphics(foreign.graphics, CLSP_F32, 0), NULL),
                      CLSP_ERROR_ARGUMENT);
        assert_status(ctx, bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F64, 0), NULL),
                      CLSP_ERROR_ARGUMENT);
        assert_status(ctx, bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F32, 1000), NULL),
                      CLSP_ERROR_BUFFER_SIZE);
        assert_status(ctx,
                      bspline_eval(&lent, clsp_out_graphics(t.graphics, CLSP_F32, SIZE_MAX), NULL),
                      CLSP_ERROR_BUFFER_SIZE);
        out.host = host;
        assert_status(ctx, bspline_eval(&lent, out, NULL), CLSP_ERROR_ARGUMENT);
        out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
        out.reserved[1] = 1;
        assert_status(ctx, bspline_eval(&lent, out, NULL), CLSP_ERROR_ARGUMENT);
        free_target(&foreign);
        free_target(&t);
    }
    clsp_context_destroy(&other);
    no_complaints();
}

/* Coordinates in the memory of a staged buffer would be overwritten by what is made of them. */
static void test_overlap(void **state)
{
    (void)state;
    set_words("");
    target t = make_target(lent.ctx, CLSP_GRAPHICS_STAGED, 2 * POINTS * sizeof(float));
    const clsp_input params = clsp_in_f32((const float *)(const void *)t.bytes, 2 * POINTS);
    const clsp_image_map map = {.at = {.num = POINTS, .params = params}};
    const clsp_output out = clsp_out_graphics(t.graphics, CLSP_F32, 0);
    assert_status(lent.ctx, clsp_image_eval(lent.image, one, &map, out, NULL), CLSP_ERROR_ARGUMENT);
    free_target(&t);
}

/* A shared call takes a staged buffer alone, save tiles by the device; a call that takes host
   memory only none. */
static void test_host_only(void **state)
{
    (void)state;
    set_words("gl");
    clsp_context *const ctx = lent.ctx;
    const clsp_run shared = {.share = &(clsp_share){.num_workers = 1}};
    const size_t bytes = elements_of(&lent, SURFACE) * sizeof(float);
    target gl = make_target(ctx, CLSP_GRAPHICS_GL, bytes);
    target staged = make_target(ctx, CLSP_GRAPHICS_STAGED, bytes);
    assert_status(ctx, bspline_eval(&lent, clsp_out_graphics(gl.graphics, CLSP_F32, 0), &shared),
                  CLSP_ERROR_ARGUMENT);
    assert_ok(ctx, bspline_eval(&lent, clsp_out_graphics(staged.graphics, CLSP_F32, 0), &shared));
    const clsp_share tiles = {.schedule = CLSP_SCHEDULE_DEVICE, .tiles = one};
    assert_ok(ctx, bspline_eval(&lent, clsp_out_graphics(gl.graphics, CLSP_F32, 0),
                                &(clsp_run){.share = &tiles}));
    clsp_context_finish(ctx);
    for (int i = 0; i < 2; i++) {
        const clsp_output out = clsp_out_graphics(i ? gl.graphics : staged.graphics, CLSP_U32, 0);
        assert_status(ctx, clsp_solid_mesh_cells(lent.mesh, out), CLSP_ERROR_ARGUMENT);
        assert_status(ctx, clsp_solid_cell_classes(lent.solid, one, out), CLSP_ERROR_ARGUMENT);
    }
    free_target(&gl);
    free_target(&staged);
    no_complaints();
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_descs), cmocka_unit_test(test_wrong_contexts),
        cmocka_unit_test(test_wrong_calls), cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_host_only),
    };
    const int status = graphics_start(argv);

    (void)argc;
    return status ? status : cmocka_run_group_tests(tests, open_lent, close_lent);
}
