/* Limits of cells through classes against explicit subdivision. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell_points.h"
#include "class_descent.h"
#include "class_trees.h"
#include "limit_points.h"
#include "poly_mesh.h"
#include "solid_cases.h"
#include "solid_ref.h"
#include "span_splines.h"
#include "../support.h"

enum { MAX_CLASSES = 512, CHANNELS = 3 };

/* A mesh made ready on both sides. */
typedef struct solid {
    clspi_cell_mesh mesh;
    clspi_class_set set;
    clspi_cell_points points;
    double *control; /* [clspi_num_points][3] */
    double scale;
    uint32_t *crease;
    ref_solid ref;
} solid;

/* Continues control points beyond the boundary, as kernels do when they are loaded. */
static void continue_points(const clspi_cell_points *points, double *control)
{
    for (size_t i = 0; i < points->continued.num; i++) {
        const double *const a = control + (size_t)clspi_continued_from(points, i, 0) * CHANNELS;
        const double *const b = control + (size_t)clspi_continued_from(points, i, 1) * CHANNELS;
        double *const to = control + (points->num_vertices + i) * CHANNELS;
        for (uint32_t k = 0; k < CHANNELS; k++)
            to[k] = 2.0 * a[k] - b[k];
    }
}

/* Makes the classes of a mesh whose vertices have the points of `from`. Takes the mesh. */
static solid prepare(clspi_cell_mesh *mesh, const double *from)
{
    solid s = {.mesh = *mesh};
    size_t creases = 0;

    assert_true(clspi_class_set_make(&s.set));
    assert_true(clspi_cell_points_make(&s.points, &s.set, &s.mesh, NULL));
    s.control = malloc(clspi_num_points(&s.points) * CHANNELS * sizeof *s.control);
    s.crease = malloc(2 * ((size_t)s.mesh.num_edges + 1) * sizeof *s.crease);
    assert_non_null(s.control);
    assert_non_null(s.crease);
    memcpy(s.control, from, (size_t)s.mesh.num_vertices * CHANNELS * sizeof *from);
    for (size_t i = 0; i < (size_t)s.mesh.num_vertices * CHANNELS; i++)
        s.scale = fmax(s.scale, fabs(from[i]));
    continue_points(&s.points, s.control);
    for (size_t e = 0; e < s.mesh.num_edges; e++)
        if (s.mesh.edge_flag[e] & CLSPI_CREASE) {
            memcpy(s.crease + 2 * creases++, s.mesh.edge_vertex + 2 * e, 2 * sizeof *s.crease);
        }
    s.ref = (ref_solid){.num_cells = s.mesh.num_cells,
                        .cell = s.mesh.cell_vertex,
                        .point = s.control,
                        .num_creases = creases,
                        .crease = s.crease};
    return s;
}

static void release(solid *s)
{
    clspi_cell_points_release(&s->points);
    clspi_class_set_release(&s->set);
    clspi_cell_mesh_release(&s->mesh);
    free(s->control);
    free(s->crease);
}

/* Makes a case ready, after so many steps. sharpness: of its creases; NULL: they stay sharp. */
static solid prepare_fading(const solid_case *from, const float *sharpness, uint32_t levels)
{
    const clspi_cells cells = {.num_vertices = from->num_points,
                               .num_cells = from->num_cells,
                               .num_indices = 8 * from->num_cells,
                               .index = from->cell,
                               .crease = from->crease,
                               .num_creases = from->num_creases,
                               .sharpness = sharpness};
    clspi_mesh_defect defect;
    clspi_poly_mesh poly;
    clspi_cell_mesh mesh;
    double *points = malloc(3 * from->num_points * sizeof *points);
    solid s;

    memcpy(points, from->point, 3 * from->num_points * sizeof *points);
    if (clspi_poly_mesh_make(&poly, &cells, NULL, &defect) != CLSPI_MESH_SOUND)
        fail_msg("%s", defect.text);
    assert_true(clspi_poly_hexahedra(&mesh, &poly, NULL));
    clspi_poly_mesh_release(&poly);
    for (uint32_t l = 0; l < levels; l++) {
        const clspi_incidence incidence = clspi_incidence_of(&mesh);
        clspi_cell_mesh fine;
        double *next;
        assert_true(clspi_cell_mesh_refine(&fine, &mesh, NULL));
        next = malloc((size_t)fine.num_vertices * CHANNELS * sizeof *next);
        assert_true(clspi_subdivide(next, points, CHANNELS, &incidence, CLSPI_RULE_TENSOR));
        clspi_cell_mesh_release(&mesh);
        free(points);
        points = next;
        mesh = fine;
    }
    s = prepare(&mesh, points);
    free(points);
    return s;
}

static solid prepare_case(const solid_case *from, uint32_t levels)
{
    return prepare_fading(from, NULL, levels);
}

static void evaluate(const solid *s, uint32_t cell, const double t[3], const uint8_t by[3],
                     double value[CHANNELS])
{
    double row[CLSPI_RING_POINTS];
    uint32_t index[CLSPI_RING_POINTS];
    const uint32_t num = clspi_cell_points_of(&s->points, &s->set, cell, index);

    clspi_cell_weights(&s->points, &s->set, cell, t, by, row);
    memset(value, 0, CHANNELS * sizeof *value);
    for (size_t i = 0; i < num; i++)
        for (unsigned k = 0; k < CHANNELS; k++)
            value[k] += row[i] * s->control[(size_t)index[i] * CHANNELS + k];
}

/* The largest difference of a limit. */
static double limit_error(const solid *s, uint32_t cell, const double t[3], unsigned levels)
{
    static const uint8_t by[3] = {0, 0, 0};
    const long double at[3] = {t[0], t[1], t[2]};
    long double exact[3];
    double value[3], worst = 0.0;

    evaluate(s, cell, t, by, value);
    ref_solid_limit(&s->ref, cell, at, levels, exact);
    for (unsigned k = 0; k < 3; k++)
        worst = support_worse(worst, fabs(value[k] - (double)exact[k]));
    return isnan((double)(exact[0] + exact[1] + exact[2])) ? HUGE_VAL : worst / s->scale;
}

/* Checks one cell of each class, and of each pattern of boundary faces of regular ones. */
static double check_classes(const solid *s, unsigned levels, size_t *num_classes)
{
    static const double at[5][3] = {{0.3125, 0.71, 0.52},
                                    {0.001, 0.002, 0.0015},
                                    {0.0, 0.0, 0.0},
                                    {1.0, 0.999, 0.4},
                                    {0.0, 1.0, 0.6}};
    uint64_t seen[MAX_CLASSES];
    size_t num = 0;
    double worst = 0.0;

    for (uint32_t c = 0; c < s->points.num_cells; c++) {
        uint64_t key = (uint64_t)s->points.use[c].number << 8, i;
        for (uint32_t k = 0; k < 6 && s->points.use[c].number == CLSPI_REGULAR; k++)
            key |= (uint64_t)(s->mesh.across[6 * c + k] == CLSPI_NO_CELL) << k;
        for (i = 0; i < num && seen[i] != key; i++)
            continue;
        if (i < num || num == MAX_CLASSES) continue;
        seen[num++] = key;
        for (i = 0; i < (support_full() ? 5 : 2); i++)
            worst = support_worse(worst, limit_error(s, c, at[(num + i) % 5], levels));
    }
    *num_classes = num;
    return worst;
}

static void check(const char *name, const solid_case *from, uint32_t level, unsigned depth)
{
    solid s = prepare_case(from, level);
    size_t num;
    const double worst = check_classes(&s, depth, &num);

    print_message("%s, level %u: %zu classes of cells, worst error %.2g of scale\n", name, level,
                  num, worst);
    assert_true(worst <= 1e-12);
    release(&s);
}

static void test_boxes(void **state)
{
    static const uint32_t sizes[][3] = {{1, 1, 1}, {2, 2, 6}, {1, 3, 4}, {4, 5, 6}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (uint32_t creased = 0; creased < 2; creased++) {
            solid_case box = solid_box(sizes[i][0], sizes[i][1], sizes[i][2]);
            if (creased) solid_crease(&box, 0.5);
            solid_jitter(&box, 0.2, i + 1);
            check(creased ? "box, creased" : "box", &box, 0, 48);
            solid_free(&box);
        }
}

static void test_prisms(void **state)
{
    static const uint32_t sectors[] = {3, 5, 6, 8, 12};

    (void)state;
    for (size_t i = 0; i < sizeof sectors / sizeof *sectors; i += support_tiny() ? 2 : 1) {
        solid_case prism = solid_prism(sectors[i], 1, 3);
        solid_jitter(&prism, 0.15, i + 10);
        check("prism", &prism, 0, sectors[i] > 8 ? 72 : 60);
        solid_free(&prism);
    }
    for (uint32_t n = 1; n < 6; n += support_tiny() ? 2 : 1)
        for (uint32_t creased = 0; creased < 2; creased++) {
            solid_case prism = solid_prism(n, 0, 3);
            if (creased) solid_crease(&prism, 0.5);
            solid_jitter(&prism, 0.15, n + 20);
            check(creased ? "open prism, creased" : "open prism", &prism, 0, 60);
            solid_free(&prism);
        }
}

/* Corners of cells at an edge with 100 others, against the closed form. */
static void test_many(void **state)
{
    static const uint8_t by[3] = {0, 0, 0};
    solid_case prism = solid_prism(100, 1, 2);
    double worst = 0.0;

    (void)state;
    solid_jitter(&prism, 0.05, 3);
    solid s = prepare_case(&prism, 0);
    double *const limits = malloc(3 * prism.num_points * sizeof *limits);
    assert_true(clspi_limit_points(limits, s.control, 3, &s.mesh));
    for (uint32_t c = 0; c < s.points.num_cells; c += 37)
        for (uint32_t i = 0; i < 8; i++) {
            const double t[3] = {i & 1, i >> 1 & 1, i >> 2};
            const double *const exact = limits + 3 * (size_t)s.mesh.cell_vertex[8 * c + i];
            double value[3];
            evaluate(&s, c, t, by, value);
            for (unsigned k = 0; k < 3; k++)
                worst = support_worse(worst, fabs(value[k] - exact[k]) / s.scale);
        }
    print_message("corners of 100 cells at an edge: worst error %.2g of 5e-14 of scale\n", worst);
    assert_true(worst <= 5e-14);
    free(limits);
    release(&s);
    solid_free(&prism);
}

/* Makes tetrahedra of a centre and the triangles around it ready: hexahedra after one step. */
static solid prepare_star(const uint32_t *triangle, size_t num_triangles, size_t num_points)
{
    uint32_t index[4 * 32];
    uint8_t kind[32];
    double point[3 * 32];
    uint64_t seed = num_triangles;
    const clspi_cells cells = {.num_vertices = num_points + 1,
                               .num_cells = num_triangles,
                               .num_indices = 4 * num_triangles,
                               .kind = kind,
                               .index = index};
    clspi_mesh_defect defect;
    clspi_poly_mesh poly;
    clspi_cell_mesh mesh;
    double *fine;
    solid s;

    for (size_t i = 0; i < num_triangles; i++) {
        index[4 * i] = 0;
        for (size_t k = 0; k < 3; k++)
            index[4 * i + 1 + k] = triangle[3 * i + k] + 1;
        kind[i] = CLSPI_TETRAHEDRON;
    }
    for (size_t i = 0; i < 3 * (num_points + 1); i++)
        point[i] = support_uniform(&seed);
    if (clspi_poly_mesh_make(&poly, &cells, NULL, &defect) != CLSPI_MESH_SOUND)
        fail_msg("%s", defect.text);
    assert_true(clspi_poly_hexahedra(&mesh, &poly, NULL));
    assert_int_equal(mesh.num_cells, 4 * num_triangles);
    const clspi_incidence incidence = clspi_poly_incidence(&poly);
    fine = malloc((size_t)mesh.num_vertices * CHANNELS * sizeof *fine);
    assert_true(clspi_subdivide(fine, point, CHANNELS, &incidence, CLSPI_RULE_TENSOR));
    s = prepare(&mesh, fine);
    free(fine);
    clspi_poly_mesh_release(&poly);
    return s;
}

static void check_star(const char *name, const uint32_t *triangle, size_t num_triangles,
                       size_t num_points)
{
    solid s = prepare_star(triangle, num_triangles, num_points);
    size_t num;
    const double worst = check_classes(&s, 64, &num);

    print_message("%s: %zu classes of cells, worst error %.2g of scale\n", name, num, worst);
    assert_true(worst <= 1e-12);
    release(&s);
}

/* Vertices within the solid that are on no irregular edge's way: the points around them are a
   tetrahedron, bipyramids, an icosahedron. Their cells have several irregular vertices. */
static void test_stars(void **state)
{
    static const uint32_t tetrahedron[] = {0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0};
    static const uint32_t icosahedron[] = {0,  1, 2, 0,  2, 3, 0,  3, 4, 0,  4,  5, 0,  5,  1,
                                           1,  6, 2, 2,  7, 3, 3,  8, 4, 4,  9,  5, 5,  10, 1,
                                           6,  7, 2, 7,  8, 3, 8,  9, 4, 9,  10, 5, 10, 6,  1,
                                           11, 7, 6, 11, 8, 7, 11, 9, 8, 11, 10, 9, 11, 6,  10};

    (void)state;
    check_star("tetrahedra around a vertex: 4", tetrahedron, 4, 4);
    for (uint32_t n = 3; n <= (support_full() ? 8u : 5u); n++) {
        uint32_t triangle[6 * 8];
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t own[6] = {i, (i + 1) % n, n, (i + 1) % n, i, n + 1};
            memcpy(triangle + 6 * i, own, sizeof own);
        }
        check_star("tetrahedra around a vertex: two fans", triangle, 2 * n, n + 2);
    }
    if (!support_tiny()) check_star("tetrahedra around a vertex: 20", icosahedron, 20, 12);
}

/* Real meshes: one cell of each class. Unless the test is full, one has creases and the other
   none. */
static void test_models(void **state)
{
    static const char *const names[] = {"rod.vtk", "mount1.vtk"};

    (void)state;
    for (size_t i = 0; i < 2 && !support_tiny(); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", DATA_FOLDER, names[i]);
        for (uint32_t creased = 0; creased < 2; creased++) {
            if (!support_full() && creased != i) continue;
            solid_case model = solid_read_vtk(path);
            assert_int_not_equal(model.num_cells, 0);
            if (creased) solid_crease(&model, 0.6);
            check(names[i], &model, 0, 48);
            solid_free(&model);
        }
    }
}

/* ---- creases that fade ---- */

/* Returns how far a limit, after so many steps, is from explicit subdivision of the mesh itself. */
static double fading_error(const solid *fine, const ref_solid *ref, uint32_t cell, uint32_t steps)
{
    const double t[3] = {0.3125, 0.0, 0.71};
    static const uint8_t by[3] = {0, 0, 0};
    long double at[3] = {t[0], t[1], t[2]}, exact[3];
    double value[3], worst = 0.0;

    evaluate(fine, cell, t, by, value);
    for (uint32_t i = 0; i < steps; i++, cell /= 8)
        for (uint32_t a = 0; a < 3; a++)
            at[a] = (at[a] + (cell >> a & 1)) / 2;
    ref_solid_limit(ref, cell, at, 56, exact);
    for (unsigned k = 0; k < 3; k++)
        worst = support_worse(worst, fabs(value[k] - (double)exact[k]));
    return worst / fine->scale;
}

/* Creases of any sharpness, whole, fractional and endless, of which one to five meet in a vertex:
   limits at cells of the boundary, once all have faded. */
static void test_fading(void **state)
{
    static const float sharpness[] = {0.25f, 2.5f, 1.0f, 0.8f, 12.0f, 1.75f, 2.0f, 0.5f};
    solid_case solids[] = {solid_box(2, 2, 1), solid_prism(5, 0, 1), solid_prism(3, 1, 1)};
    double worst = 0.0;

    (void)state;
    for (size_t n = 0; n < 3; n++) {
        solid_case *const from = &solids[n];
        float given[256];
        double exact[256];
        uint64_t seed = n + 3;
        solid_crease(from, 0.5);
        solid_jitter(from, 0.15, n + 1);
        assert_true(from->num_creases < 256);
        for (size_t i = 0; i < from->num_creases; i++)
            exact[i] = given[i] = sharpness[support_random(&seed) % 8];
        for (size_t i = 0; i < from->num_creases; i++)
            if (exact[i] > 10.0) exact[i] = HUGE_VAL;
        solid coarse = prepare_case(from, 0), fine = prepare_fading(from, given, 3);
        ref_solid ref = coarse.ref;
        ref.num_creases = from->num_creases;
        ref.crease = from->crease;
        ref.sharpness = exact;
        assert_null(fine.mesh.edge_sharpness);
        for (uint32_t c = 0; c < fine.mesh.num_cells; c++)
            if (fine.mesh.across[6 * (size_t)c + 2] == CLSPI_NO_CELL &&
                support_random(&seed) % (support_full() ? 7 : 23) == 0)
                worst = support_worse(worst, fading_error(&fine, &ref, c, 3));
        release(&fine);
        release(&coarse);
        solid_free(from);
    }
    print_message("creases that fade: worst error %.2g of 1e-12 of scale\n", worst);
    assert_true(worst <= 1e-12);
}

/* ---- kinds ---- */

typedef struct kinds {
    size_t inner, boundary, layered, irregular, split;
} kinds;

static kinds count_kinds(const solid *s)
{
    kinds count = {0};

    for (uint32_t c = 0; c < s->points.num_cells; c++) {
        const uint32_t number = s->points.use[c].number;
        uint32_t faces = 0;
        for (uint32_t k = 0; k < 6; k++)
            faces += s->mesh.across[6 * c + k] == CLSPI_NO_CELL;
        if (number == CLSPI_REGULAR) {
            count.inner += !faces;
            count.boundary += !!faces;
            continue;
        }
        count.layered += s->set.entry[number].kind == CLSPI_KIND_LAYERED;
        count.irregular += s->set.entry[number].kind == CLSPI_KIND_IRREGULAR;
        count.split += s->set.entry[number].kind == CLSPI_KIND_SPLIT;
    }
    return count;
}

/* The box of 2 x 2 x 6 cells, with the numbers of Table 1 of the paper on evaluating such solids on
   GPUs, whose car has them. */
static void test_kinds(void **state)
{
    static const kinds wanted[3] = {{0, 0, 16, 8, 0}, {40, 88, 56, 8, 0}, {792, 600, 136, 8, 0}};
    solid_case box = solid_box(2, 2, 6);

    (void)state;
    for (uint32_t level = 0; level < 3; level++) {
        solid s = prepare_case(&box, level);
        const kinds count = count_kinds(&s);
        assert_memory_equal(&count, &wanted[level], sizeof count);
        release(&s);
    }
    solid_free(&box);
}

/* Shares of kinds of the rod, and none that needs a split. */
static void test_model_kinds(void **state)
{
    solid_case model = solid_read_vtk(DATA_FOLDER "/rod.vtk");
    solid s = prepare_case(&model, 0);
    const kinds count = count_kinds(&s);

    (void)state;
    print_message("rod: %zu and %zu regular, %zu layered, %zu irregular, %zu split; %u classes\n",
                  count.inner, count.boundary, count.layered, count.irregular, count.split,
                  s.set.num);
    assert_int_equal(count.inner + count.boundary, 1032);
    assert_int_equal(count.layered, 228);
    assert_int_equal(count.irregular, 20);
    assert_int_equal(count.split, 0);
    release(&s);
    solid_free(&model);
}

/* ---- derivatives ---- */

static double derivative_error(const solid *s, uint32_t cell, const double t[3],
                               const uint8_t by[3])
{
    const long double at[3] = {t[0], t[1], t[2]};
    const unsigned orders[3] = {by[0], by[1], by[2]};
    long double exact[3];
    double value[3], worst = 0.0;

    evaluate(s, cell, t, by, value);
    ref_solid_derivative(&s->ref, cell, at, orders, 0x1p-9L, exact);
    for (unsigned k = 0; k < 3; k++)
        worst = support_worse(worst, fabs(value[k] - (double)exact[k]));
    return worst / s->scale;
}

/* First and second derivatives in cells of each class, where differences stay within one cubic. */
static void test_derivatives(void **state)
{
    static const uint8_t orders[][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {2, 0, 0},
                                        {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {0, 1, 1}};
    static const double t[3] = {0.3125, 0.71, 0.59};
    const size_t num = sizeof orders / sizeof *orders;
    double worst = 0.0;

    (void)state;
    for (uint32_t creased = 0; creased < 2; creased++) {
        solid_case prism = solid_prism(5, 1, 3);
        if (creased) solid_crease(&prism, 0.5);
        solid_jitter(&prism, 0.15, 7);
        solid s = prepare_case(&prism, 0);
        for (uint32_t c = 0; c < (support_tiny() ? 2u : 12u); c += 1 + 3 * creased)
            for (size_t i = c % 2; i < num; i += 2)
                worst = support_worse(worst, derivative_error(&s, c, t, orders[i]));
        release(&s);
        solid_free(&prism);
    }
    print_message("worst error of a derivative: %.2g of scale\n", worst);
    assert_true(worst <= 1e-10);
}

/* Weights are those of a mean, of derivatives of nothing; where derivatives need not exist they are
   finite. */
static void test_sums(void **state)
{
    static const uint8_t orders[3][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}};
    solid_case prism = solid_prism(8, 1, 2);
    solid s = prepare_case(&prism, 0);

    (void)state;
    for (uint32_t c = 0; c < s.points.num_cells; c++)
        for (uint32_t i = 0; i < 81; i++) {
            const double t[3] = {i % 3 / 2.0, i / 3 % 3 / 2.0, i / 9 % 3 / 2.0};
            double row[CLSPI_RING_POINTS], sum = 0.0, size = 0.0;
            clspi_cell_weights(&s.points, &s.set, c, t, orders[i / 27], row);
            uint32_t index[CLSPI_RING_POINTS];
            const uint32_t num = clspi_cell_points_of(&s.points, &s.set, c, index);
            for (uint32_t k = 0; k < num; k++) {
                sum += row[k];
                size += fabs(row[k]);
            }
            assert_true(isfinite(size));
            assert_true(fabs(sum - (i / 27 == 0)) <= 1e-14 * size);
        }
    release(&s);
    solid_free(&prism);
}

/* ---- trees ---- */

/* Makes the weights of a class's points of its columns and what is across them. */
static void weigh_columns(const clspi_cell_class *of, const clspi_point_columns *columns,
                          const double at[3], const uint8_t by[3], double *row)
{
    double span[3][4], layer[4];

    for (uint32_t a = 0; a < 3; a++) {
        clspi_span_splines(at[a], by[columns->axis[a]], span[a]);
        for (uint32_t i = 0; i < 4; i++)
            span[a][i] *= pow(columns->slope[a], by[columns->axis[a]]);
    }
    clspi_layer_weights(of, at[2], by[columns->axis[2]], layer);
    memset(row, 0, of->num_points * sizeof *row);
    for (size_t k = 0; k < columns->num; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < 16; i++)
            sum += columns->table[16 * k + i] * span[0][i / 4] * span[1][i % 4];
        clspi_column_set(of, k, sum, layer, row);
    }
}

/* Compares the weights of a class by its columns in a tree with those by children: values, and
   derivatives up to the second, which may become large near to edges. Returns whether it has
   columns there. */
static bool check_tree(const solid *s, const clspi_class_trees *trees, uint32_t number,
                       const double t[3])
{
    const clspi_cell_class *const of = &s->set.entry[number];
    double with[CLSPI_RING_POINTS], without[CLSPI_RING_POINTS], at[3];
    clspi_point_columns columns;

    if (!clspi_tree_columns(trees, number, t, &columns, at)) return false;
    assert_int_equal(columns.axis[2], of->axis);
    assert_int_equal(columns.num, of->num_slice);
    for (uint8_t i = 0; i < 27; i++) {
        const uint8_t by[3] = {i % 3, i / 3 % 3, i / 9};
        double size = 1.0;
        if (by[0] + by[1] + by[2] > 2) continue;
        clspi_class_weights(&s->set, number, t, by, CLSPI_OFF_BOUNDARY, without);
        weigh_columns(of, &columns, at, by, with);
        for (uint32_t k = 0; k < of->num_points; k++)
            size = fmax(size, fabs(without[k]));
        for (uint32_t k = 0; k < of->num_points; k++)
            assert_true(fabs(with[k] - without[k]) <= (i == 0 ? 1e-14 : 1e-8 * size));
    }
    return true;
}

/* Columns by trees have the weights of children, at any distance from edges that trees reach. */
static void test_trees(void **state)
{
    static const double near[] = {0.0, 0.3, 0.5, 0x1p-7, 0x1p-9, 1.0 - 0x1p-4, 0x1p-30, 1.0};
    enum { NEAR = sizeof near / sizeof *near };
    solid_case all[] = {solid_prism(5, 1, 2), solid_box(2, 2, 2)};

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        solid s = prepare_case(&all[i], 0);
        clspi_class_trees trees;
        bool used[MAX_CLASSES];
        size_t found = 0, beyond = 0;
        assert_true(s.set.num <= MAX_CLASSES);
        for (uint32_t n = 0; n < s.set.num; n++)
            used[n] = s.set.entry[n].axis != CLSPI_NO_AXIS;
        assert_true(
            clspi_class_trees_make(&trees, &s.set, used, 0.0, CLSPI_TREE_DEPTH, (size_t)1 << 20));
        for (uint32_t k = 0; k < NEAR * NEAR * NEAR; k++) {
            const double t[3] = {near[k % NEAR], near[k / NEAR % NEAR],
                                 near[k / NEAR / NEAR % NEAR]};
            for (uint32_t n = 0; n < s.set.num; n++)
                *(check_tree(&s, &trees, n, t) ? &found : &beyond) += 1;
        }
        assert_true(found > 0 && beyond > 0);
        clspi_class_trees_release(&trees);
        release(&s);
        solid_free(&all[i]);
    }
}

/* ---- tangents ---- */

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int x = 0; x < 3; x++)
        c[x] = a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3];
}

/* Evaluates the derivatives along a face. */
static void tangents_of(const solid *s, uint32_t cell, uint32_t face, const double t[3],
                        double d[2][3])
{
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t by[3] = {0, 0, 0};
        by[(face / 2 + 1 + i) % 3] = 1;
        evaluate(s, cell, t, by, d[i]);
    }
}

/* Returns how far the normal at a corner of a boundary face is from that of the surface's masks. */
static double normal_error(const solid *s, uint32_t cell, uint32_t face, uint32_t corner)
{
    const double t[3] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
    long double exact[3];
    double d[2][3], n[3], worst = 0.0;

    tangents_of(s, cell, face, t, d);
    cross(d[0], d[1], n);
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    ref_solid_normal(&s->ref, s->mesh.cell_vertex[8 * (size_t)cell + corner], exact);
    for (int k = 0; k < 3; k++)
        worst = support_worse(worst, fabs((face & 1 ? n[k] : -n[k]) / length - (double)exact[k]));
    return worst;
}

/* Normals at corners of the first boundary face of each that is irregular. */
static double check_normals(const solid *s, size_t every)
{
    uint64_t seed = 1;
    double worst = 0.0;

    for (uint32_t c = 0; c < s->points.num_cells; c++)
        for (uint32_t i = 0; i < 8; i++) {
            uint32_t face = 0;
            while (face < 6 && ((i >> face / 2 & 1) != (face & 1) ||
                                s->mesh.across[6 * (size_t)c + face] != CLSPI_NO_CELL))
                face++;
            if (face < 6 && s->points.use[c].number != CLSPI_REGULAR &&
                support_random(&seed) % every == 0)
                worst = support_worse(worst, normal_error(s, c, face, i));
        }
    return worst;
}

/* The surface's normals at its vertices, whatever cells are within. */
static void test_normals(void **state)
{
    (void)state;
    for (uint32_t n = 3; n < 9; n++)
        for (int closed = 0; closed < 2; closed++) {
            if (closed && n == 4) continue;
            solid_case prism = solid_prism(closed ? n : n - 2, closed, 3);
            solid_jitter(&prism, 0.15, n);
            solid s = prepare_case(&prism, 0);
            const double worst = check_normals(&s, 1);
            print_message("%s prism, %u: normals off by %.2g of 1e-11\n",
                          closed ? "closed" : "open", closed ? n : n - 2, worst);
            assert_true(worst <= 1e-11);
            release(&s);
            solid_free(&prism);
        }
    if (support_tiny()) return;
    solid_case rod = solid_read_vtk(DATA_FOLDER "/rod.vtk");
    solid s = prepare_case(&rod, 0);
    const double worst = check_normals(&s, support_full() ? 1 : 5);
    print_message("rod: normals off by %.2g of 1e-11\n", worst);
    assert_true(worst <= 1e-11);
    release(&s);
    solid_free(&rod);
}

/* Returns how far derivatives along a face are from the surface's at an edge of it, where both are
   cubics: one-sided differences. */
static double edge_error(const solid *s, uint32_t cell, uint32_t face, const double t[3],
                         uint32_t across)
{
    static const long double weight[4] = {-11.0L / 6, 3, -1.5L, 1.0L / 3};
    const uint32_t first = (face / 2 + 1) % 3;
    const long double h = t[across] == 0.0 ? 0x1p-9L : -0x1p-9L;
    long double exact[3] = {0};
    double d[2][3], worst = 0.0;

    tangents_of(s, cell, face, t, d);
    for (int i = 0; i < 4; i++) {
        long double at[3] = {t[0], t[1], t[2]}, limit[3];
        at[across] += i * h;
        ref_solid_limit(&s->ref, cell, at, 60, limit);
        for (int k = 0; k < 3; k++)
            exact[k] += weight[i] * limit[k] / h;
    }
    for (int k = 0; k < 3; k++)
        worst = support_worse(worst, fabs(d[across != first][k] - (double)exact[k]));
    return worst / s->scale;
}

/* Derivatives across edges with 1 to 5 cells, smooth and creased. */
static void test_edges(void **state)
{
    uint64_t seed = 3;
    double worst = 0.0;

    (void)state;
    for (uint32_t n = 1; n < 6; n += support_tiny() ? 2 : 1)
        for (uint32_t creased = 0; creased < 2; creased++) {
            solid_case prism = solid_prism(n, 0, 3);
            if (creased) solid_crease(&prism, 0.5);
            solid_jitter(&prism, 0.15, n + 20);
            solid s = prepare_case(&prism, 0);
            for (uint32_t c = 0; c < s.points.num_cells; c++)
                for (uint32_t i = 0; i < 24; i++) {
                    const uint32_t face = i / 4, a = (face / 2 + 1 + i % 2) % 3;
                    double t[3] = {0.40625, 0.40625, 0.40625};
                    t[face / 2] = face & 1;
                    t[a] = i / 2 % 2;
                    if (s.mesh.across[6 * (size_t)c + face] != CLSPI_NO_CELL) continue;
                    for (uint32_t k = 0; k < face; k++) /* the first face is that of derivatives */
                        if (k / 2 == a && t[a] == (k & 1) &&
                            s.mesh.across[6 * (size_t)c + k] == CLSPI_NO_CELL)
                            t[face / 2] = 2.0;
                    if (t[face / 2] <= 1.0 && (support_full() || support_random(&seed) % 20 == 0))
                        worst = support_worse(worst, edge_error(&s, c, face, t, a));
                }
            release(&s);
            solid_free(&prism);
        }
    print_message("derivatives at edges off by %.2g of 1e-10 of scale\n", worst);
    assert_true(worst <= 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),       cmocka_unit_test(test_prisms),
        cmocka_unit_test(test_many),        cmocka_unit_test(test_stars),
        cmocka_unit_test(test_models),      cmocka_unit_test(test_fading),
        cmocka_unit_test(test_kinds),       cmocka_unit_test(test_model_kinds),
        cmocka_unit_test(test_derivatives), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_trees),       cmocka_unit_test(test_normals),
        cmocka_unit_test(test_edges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
