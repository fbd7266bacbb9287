/* Models as the viewer has them: no cracks, the right points, and what follows a dragged control
   point. Needs a device: 77 without. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "saved_copy.h"
#include "temporary.h"
#include "view_model.h"

#define PIXELS 0.5 /* tolerance on the picture */

static const char *data_folder;
static clsp_context *ctx;

/* CLSPLINE_TEST_SIZE=tiny: all is much slower here. */
static bool is_tiny(void)
{
    const char *const size = getenv("CLSPLINE_TEST_SIZE");
    return size && strcmp(size, "tiny") == 0;
}

/* A model from a file of the tests' data, or by a path. */
typedef struct shown {
    view_request request;
    const char *inputs[1];
    char path[FILENAME_MAX];
    view_model *model;
    camera view;
    float *vertices;
} shown;

/* clspline-view's own entry, which these tests do not call. */
int view_run(request *r)
{
    (void)r;
    return EXIT_FAILED;
}

static void show_path(shown *s, const char *path)
{
    *s = (shown){.request = {.picture = PICTURE_OPTIONS_DEFAULT, .crease_angle = -1}};
    snprintf(s->path, sizeof(s->path), "%s", path);
    s->inputs[0] = s->path;
    s->request.base = (request){.inputs = s->inputs, .num_inputs = 1, .quiet = true};
    s->model = view_model_open(ctx, &s->request);
    assert_non_null(s->model);
    s->view = camera_place(&s->model->outline, &s->request.picture.view.camera, 640, 480);
}

static void show(shown *s, const char *name)
{
    char path[FILENAME_MAX];
    snprintf(path, sizeof(path), "%s/%s", data_folder, name);
    show_path(s, path);
}

static void evaluate(shown *s, bool curvature)
{
    free(s->vertices);
    s->vertices = malloc((s->model->mesh.num_vertices + 1) * VIEW_STRIDE * sizeof(float));
    assert_non_null(s->vertices);
    assert_true(view_model_eval(s->model, curvature, &(vertex_target){.host = s->vertices}));
}

static void sample(shown *s, uint64_t budget)
{
    bool changed;
    assert_true(view_model_sample(s->model, &s->view, PIXELS, budget, &changed));
    evaluate(s, false);
}

static void close_shown(shown *s)
{
    view_model_close(s->model);
    free(s->vertices);
}

static size_t open_edges(const shown *s)
{
    return view_mesh_open_edges(&s->model->mesh, s->vertices);
}

/* ---- cracks ---- */

/* Closed models are closed at any zoom, with any budget, and after control points have moved; and
   vertices are the same as before when that is undone. */
static void check_closed(const char *name)
{
    shown s;
    show(&s, name);
    for (int zoom = 0; zoom < 3; zoom++) {
        sample(&s, 100000);
        assert_true(s.model->mesh.num_indices > 0);
        assert_int_equal(open_edges(&s), 0);
        camera_zoom(&s.view, 3, 200, 200);
    }
    sample(&s, 1000);
    assert_true(s.model->mesh.num_indices / 3 <= 1000);
    assert_int_equal(open_edges(&s), 0);
    sample(&s, 20000);
    const size_t bytes = s.model->mesh.num_vertices * VIEW_STRIDE * sizeof(float);
    float *before = malloc(bytes);
    assert_non_null(before);
    memcpy(before, s.vertices, bytes);
    control_points *c = &s.model->controls;
    assert_true(control_points_begin(c, 3, 1e-5 * s.model->diagonal));
    control_points_move(c, (const double[]){0.2, -0.1, 0.15});
    assert_true(view_model_moved(s.model));
    evaluate(&s, false);
    assert_true(memcmp(before, s.vertices, bytes) != 0);
    assert_int_equal(open_edges(&s), 0);
    assert_true(control_points_undo(c));
    assert_true(view_model_moved(s.model));
    evaluate(&s, false);
    assert_memory_equal(before, s.vertices, bytes);
    free(before);
    close_shown(&s);
}

static void test_patches_are_closed(void **state)
{
    (void)state;
    check_closed("octahedron.bv");
    check_closed("sphere.bv");
}

/* Vertices that stay as a device makes them are closed once each has the point of the vertex that
   is named for it. Returns how many edges are open without that. */
static size_t check_places(const char *name)
{
    shown s;
    clsp_graphics *shared;
    show(&s, name);
    sample(&s, 20000);
    const view_mesh *m = &s.model->mesh;
    const size_t bytes = m->num_vertices * VIEW_STRIDE * sizeof(float);
    const clsp_graphics_desc desc = {.host = s.vertices, .bytes = bytes};
    uint32_t *place = malloc((m->num_vertices + 1) * sizeof(*place));
    assert_non_null(place);
    assert_int_equal(clsp_graphics_create(&shared, ctx, &desc), CLSP_OK);
    assert_true(view_model_eval(s.model, false, &(vertex_target){.graphics = shared}));
    const size_t open = open_edges(&s);
    view_model_places(s.model, place);
    for (size_t i = 0; i < m->num_vertices; i++) {
        assert_int_equal(place[place[i]], place[i]);
        memcpy(s.vertices + VIEW_STRIDE * i, s.vertices + VIEW_STRIDE * (size_t)place[i],
               3 * sizeof(float));
    }
    assert_int_equal(open_edges(&s), 0);
    clsp_graphics_destroy(&shared);
    free(place);
    close_shown(&s);
    return open;
}

/* By kernels, which give neighbouring patches other bits on the edge that they share. */
static void test_places(void **state)
{
    const clsp_context_opts by_kernels = {.limits = "class=discrete,local_is_real=1"};
    clsp_context *const own = ctx;

    (void)state;
    if (clsp_context_create(&ctx, NULL, &by_kernels) != CLSP_OK) {
        ctx = own;
        skip(); /* without OpenCL */
    }
    const size_t open = check_places("octahedron.bv") + check_places("sphere.bv");
    clsp_context_destroy(&ctx);
    ctx = own;
    print_message("%zu edges are open where vertices stay\n", open);
    assert_true(open > 0);
}

static float *copy_vertices(const shown *s)
{
    const size_t bytes = s->model->mesh.num_vertices * VIEW_STRIDE * sizeof(float);
    float *copy = malloc(bytes + 1);
    assert_non_null(copy);
    memcpy(copy, s->vertices, bytes);
    return copy;
}

/* Asserts that vertices are those of the copy that is saved of a model. */
static void assert_saved(const shown *s, uint32_t samples)
{
    shown again;
    char path[SAVED_COPY_PATH];
    io_message message;
    if (!saved_copy_write(s->model, path, &message)) fail_msg("%s", message.text);
    show_path(&again, path);
    again.request.samples = samples;
    sample(&again, 100000);
    assert_int_equal(again.model->mesh.num_vertices, s->model->mesh.num_vertices);
    assert_memory_equal(again.vertices, s->vertices,
                        s->model->mesh.num_vertices * VIEW_STRIDE * sizeof(float));
    close_shown(&again);
    remove(path);
}

/* The surface of a solid follows a control point of its file, also where the mesh has been refined
   first, cut or not; a saved copy has the same surface; and undoing gives the same bits. */
static void check_solid_moves(const char *path, solid_cut cut)
{
    shown s;
    show_path(&s, path);
    s.request.samples = 3;
    sample(&s, 100000);
    assert_true(view_model_cut(s.model, cut));
    evaluate(&s, false);
    float *before = copy_vertices(&s);
    const size_t bytes = s.model->mesh.num_vertices * VIEW_STRIDE * sizeof(float);
    control_points *c = &s.model->controls;
    assert_true(control_points_begin(c, 0, 1e-5 * s.model->diagonal));
    control_points_move(c, (const double[]){-0.2, -0.1, -0.15});
    assert_true(view_model_moved(s.model));
    evaluate(&s, false);
    assert_true(memcmp(before, s.vertices, bytes) != 0);
    assert_int_equal(open_edges(&s), 0);
    assert_true(view_model_cut(s.model, (solid_cut){.is_on = false}));
    evaluate(&s, false);
    assert_saved(&s, 3);
    assert_true(control_points_undo(c));
    assert_true(view_model_moved(s.model));
    assert_true(view_model_cut(s.model, cut));
    evaluate(&s, false);
    assert_memory_equal(before, s.vertices, bytes);
    free(before);
    close_shown(&s);
}

static void test_solid_moves(void **state)
{
    static const char tips[] = "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                               "POINTS 5 double\n0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\n"
                               "CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 2\n10\n10\n";
    const solid_cut none = {.is_on = false}, half = {.is_on = true, .axis = 1, .share = 0.5};
    const solid_cut slanted = {
        .is_on = true, .axis = CUT_SLANTED, .share = 0.4, .across = {-0.6, 0, 0.8}};
    char path[FILENAME_MAX];
    (void)state;
    snprintf(path, sizeof(path), "%s/%s", data_folder, "rod.vtk");
    FILE *from = fopen(path, "rb");
    static char text[1 << 20];
    assert_non_null(from);
    const size_t size = fread(text, 1, sizeof(text), from);
    fclose(from);
    assert_true(size < sizeof(text));
    snprintf(path, sizeof(path), "%s", temporary_file("rod.vtk", text, size));
    if (!is_tiny()) {
        check_solid_moves(path, none);
        check_solid_moves(path, half);
    }
    check_solid_moves(path, slanted);
    snprintf(path, sizeof(path), "%s", temporary_file("tips.vtk", tips, sizeof(tips) - 1));
    check_solid_moves(path, none);
}

/* A cut in the direction of an axis hides what one across that axis does; a slanted one leaves
   something closed too. */
static void check_slanted(shown *s)
{
    solid_cut cut = {.is_on = true, .axis = CUT_SLANTED, .share = 0.5, .across = {0, 2, 0}};
    float *before = copy_vertices(s);
    const size_t num = s->model->mesh.num_vertices, cells = s->model->boundary.faces.num;
    assert_true(view_model_cut(s->model, cut));
    evaluate(s, false);
    assert_int_equal(s->model->mesh.num_vertices, num);
    assert_memory_equal(before, s->vertices, num * VIEW_STRIDE * sizeof(float));
    memcpy(cut.across, (const double[]){0.6, 0, -0.8}, sizeof(cut.across));
    assert_true(view_model_cut(s->model, cut));
    evaluate(s, false);
    assert_int_equal(open_edges(s), 0);
    assert_true(s->model->boundary.faces.num != cells);
    free(before);
}

/* The boundary of a solid is closed, and so is that of what a cut leaves; what is shown of data is
   there. */
static void test_solids_are_closed(void **state)
{
    shown s;
    (void)state;
    show(&s, "rod.vtk");
    sample(&s, 20000);
    assert_int_equal(open_edges(&s), 0);
    const size_t whole = s.model->boundary.faces.num;
    assert_true(view_model_cut(s.model, (solid_cut){.is_on = true, .axis = 1, .share = 0.5}));
    evaluate(&s, false);
    assert_int_equal(open_edges(&s), 0);
    assert_true(s.model->boundary.faces.num != whole);
    check_slanted(&s);
    assert_true(view_model_cut(s.model, (solid_cut){.is_on = false}));
    assert_int_equal(s.model->boundary.faces.num, whole);
    close_shown(&s);
}

/* ---- points ---- */

/* Vertices of the pieces of a spline are its points: by the library's own evaluation at the
   parameters of the spline. */
static void test_spline_points(void **state)
{
    shown s;
    double worst = 0;
    (void)state;
    show(&s, "vase.json");
    sample(&s, 20000);
    const spline_batch *batch = &s.model->from.batches[0];
    const spline_type *type = &batch->type;
    const piece_batch *pieces = &s.model->pieces.batches[0];
    clsp_patch_plan *plan;
    const clsp_bspline_desc desc = {.directions = 2,
                                    .degree = {type->degree[0], type->degree[1]},
                                    .num_controls = {type->num_controls[0], type->num_controls[1]},
                                    .knots = {type->knots[0], type->knots[1]},
                                    .rational = type->rational};
    float *controls = malloc(batch->num_reals * sizeof(float));
    assert_non_null(controls);
    for (size_t i = 0; i < batch->num_reals; i++)
        controls[i] = (float)batch->points[i];
    assert_int_equal(clsp_bspline_plan_create(&plan, ctx, &desc), CLSP_OK);
    assert_int_equal(
        clsp_patch_set_control_points(plan, 1, clsp_in_f32(controls, batch->num_reals), NULL),
        CLSP_OK);
    for (size_t i = 0; i < s.model->mesh.num_vertices; i += 7) {
        const float *v = s.vertices + VIEW_STRIDE * i;
        const size_t piece = s.model->mesh.marks[i].patch;
        const size_t at[2] = {piece / pieces->pieces[1], piece % pieces->pieces[1]};
        float params[2], point[3];
        for (int k = 0; k < 2; k++) {
            const size_t order = pieces->target.degree[k] + 1;
            const double begin = pieces->target.knots[k][at[k] * order];
            const double end = pieces->target.knots[k][(at[k] + 1) * order];
            params[k] = (float)(begin + (end - begin) * (double)v[VIEW_PARAMS + k]);
        }
        const clsp_points points = {.num = 1, .params = clsp_in_f32(params, 2)};
        assert_int_equal(clsp_patch_eval_points(plan, &points, clsp_out_f32(point, 3), NULL),
                         CLSP_OK);
        for (int k = 0; k < 3; k++)
            worst = fmax(worst, fabs((double)point[k] - (double)v[k]));
    }
    print_message("worst distance %.3g of a size of %.3g\n", worst, s.model->diagonal);
    assert_true(worst < 16 * 0x1p-23 * s.model->diagonal); /* two evaluations and a conversion */
    clsp_patch_plan_destroy(&plan);
    free(controls);
    close_shown(&s);
}

/* A volume shows its six sides, closed, looking outward. */
static void test_volume(void **state)
{
    static const char cube[] = "700 1 0 0\n3 0\n2 2\n0 0 1 1\n3 3\n0 0 0 1 1 1\n2 2\n0 0 2 2\n"
                               "0 0 0\n2 0 0\n0 1.5 0\n2 1.5 0\n0 3 0\n2 3 0\n"
                               "0 0 1\n2 0 1\n0 1.5 1\n2 1.5 1\n0 3 1\n2 3 1\n";
    shown s;
    double volume = 0;
    (void)state;
    show_path(&s, temporary_file("cube.g2", cube, strlen(cube)));
    sample(&s, 100000);
    assert_int_equal(s.model->patches.num_patches, 6);
    assert_int_equal(open_edges(&s), 0);
    for (size_t i = 0; i + 2 < s.model->mesh.num_indices; i += 3) {
        const float *p[3];
        for (size_t k = 0; k < 3; k++)
            p[k] = s.vertices + VIEW_STRIDE * (size_t)s.model->mesh.indices[i + k];
        for (int k = 0; k < 3; k++)
            volume += (double)p[0][k] *
                      ((double)p[1][(k + 1) % 3] * (double)p[2][(k + 2) % 3] -
                       (double)p[1][(k + 2) % 3] * (double)p[2][(k + 1) % 3]) /
                      6;
    }
    assert_true(fabs(volume - 6) < 1e-5);
    close_shown(&s);
}

/* A CAD file's faces are shown by its mesh. */
static void test_part(void **state)
{
    shown s;
    (void)state;
    show(&s, "block.json");
    sample(&s, 1000);
    evaluate(&s, false);
    assert_int_equal(s.model->mesh.num_indices, 36);
    assert_int_equal(s.model->mesh.num_vertices, 36);
    assert_true(fabs(s.model->diagonal - sqrt(29)) < 1e-12);
    for (size_t i = 0; i < 36; i++) {
        const float *v = s.vertices + VIEW_STRIDE * i;
        const float normal = v[VIEW_NORMAL] + v[VIEW_NORMAL + 1] + v[VIEW_NORMAL + 2];
        assert_true(fabsf(fabsf(normal) - 1) < 1e-6f);     /* along an axis: edges stay sharp */
        assert_true(s.model->mesh.marks[i].value == 0xff); /* blue */
    }
    close_shown(&s);
}

/* Curves are lines through points of theirs, one behind the other. */
static void test_curves(void **state)
{
    shown s;
    (void)state;
    show(&s, "knot.g2");
    sample(&s, 100000);
    const view_mesh *m = &s.model->mesh;
    assert_int_equal(m->num_curves, 2);
    assert_int_equal(m->curves[1].first, m->curves[0].first + m->curves[0].count);
    assert_int_equal(m->curves[1].first + m->curves[1].count, m->num_vertices);
    for (size_t i = 0; i < m->num_vertices; i++)
        assert_true(isfinite(s.vertices[VIEW_STRIDE * i]));
    close_shown(&s);
}

/* Curvatures of a sphere of radius 1 are 1 away from its poles, of either sign. */
static void test_curvature(void **state)
{
    shown s;
    size_t sound = 0;
    (void)state;
    show(&s, "sphere.bv");
    sample(&s, 20000);
    evaluate(&s, true);
    for (size_t i = 0; i < s.model->mesh.num_vertices; i++) {
        const float *k = s.vertices + VIEW_STRIDE * i + VIEW_CURVATURE;
        sound += fabs(fabs((double)k[0]) - 1) < 1e-3 && fabs(fabs((double)k[1]) - 1) < 1e-3;
    }
    assert_true(sound > s.model->mesh.num_vertices * 9 / 10);
    close_shown(&s);
}

/* Triangles are within the tolerance on the picture: along v they are off by an eighth of the
   samples' second differences. What is further away than the nearest may be off by half as much
   again. */
static void test_tolerance(void **state)
{
    shown s;
    (void)state;
    show(&s, "teapot.bv");
    sample(&s, UINT64_MAX);
    const double length = PIXELS * camera_pixel_length(&s.view, -1);
    const uint32_t *num = s.model->patches.num;
    double worst = 0;
    for (size_t patch = 0; patch < s.model->patches.num_patches; patch++) {
        const float *v = s.vertices + VIEW_STRIDE * s.model->patches.firsts[patch];
        const size_t n[2] = {num[2 * patch], num[2 * patch + 1]};
        for (size_t i = 0; i < n[0]; i++)
            for (size_t k = 1; k + 1 < n[1]; k++) {
                double off = 0;
                for (size_t axis = 0; axis < 3; axis++)
                    off = hypot(off, (double)v[VIEW_STRIDE * (i * n[1] + k - 1) + axis] -
                                         2 * (double)v[VIEW_STRIDE * (i * n[1] + k) + axis] +
                                         (double)v[VIEW_STRIDE * (i * n[1] + k + 1) + axis]);
                worst = fmax(worst, off / 8);
            }
    }
    print_message("largest deviation / tolerance %.3g\n", worst / length);
    assert_true(worst < 1.5 * length);
    close_shown(&s);
}

/* ---- what is refused ---- */

static void assert_refused(const char *path)
{
    const char *inputs[] = {path};
    const view_request r = {.base = {.inputs = inputs, .num_inputs = 1, .quiet = true},
                            .picture = PICTURE_OPTIONS_DEFAULT,
                            .crease_angle = -1};
    assert_null(view_model_open(ctx, &r));
}

/* More patches than the viewer shows are refused before memory is taken for each. */
static void test_refused(void **state)
{
    char path[FILENAME_MAX];
    (void)state;
    assert_refused("/nowhere/a.bv");
    assert_refused(temporary_file("empty.bv", "", 0));
    assert_refused(temporary_file("broken.bv", "5 1 1 0 0 0", 11));
    assert_refused(temporary_file("hollow.bv", "1 3 0 0 0 0 1 0 0 0 1 0", 23));
    snprintf(path, sizeof(path), "%s", temporary_path("many.bv"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i <= VIEW_MOST_PATCHES; i++)
        fputs("5 0 0 1 2 3\n", file);
    fclose(file);
    assert_refused(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patches_are_closed),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_solids_are_closed),
        cmocka_unit_test(test_solid_moves),
        cmocka_unit_test(test_spline_points),
        cmocka_unit_test(test_volume),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_curvature),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_refused),
    };
    data_folder = argc > 1 ? argv[1] : ".";
    if (clsp_context_create(&ctx, NULL, NULL) != CLSP_OK) {
        print_message("no OpenCL device\n");
        return 77;
    }
    const int failed = cmocka_run_group_tests(tests, temporary_setup, temporary_teardown);
    clsp_context_destroy(&ctx);
    return failed;
}
