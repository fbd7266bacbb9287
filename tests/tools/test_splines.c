/* The readers of B-splines, .g2 and JSON: what they take, and the line and words of what they
   refuse; and what is written of splines. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spline_file.h"
#include "spline_writer.h"
#include "temporary.h"

/* Reads a text as a file named "t". */
static bool add_in(splines *p, const void *bytes, size_t count, mesh_precision precision,
                   io_message *message)
{
    FILE *file = fopen(temporary_file("t", bytes, count), "rb");
    assert_non_null(file);
    const bool done = spline_file_read(p, file, "t", precision, message);
    fclose(file);
    return done;
}

static bool read_in(splines *p, const void *bytes, size_t count, mesh_precision precision,
                    io_message *message)
{
    *p = (splines){0};
    return add_in(p, bytes, count, precision, message);
}

static void read_good(splines *p, const char *text)
{
    io_message message = {"(none)"};
    if (!read_in(p, text, strlen(text), MESH_F64, &message)) fail_msg("%s", message.text);
}

static void check_refused(const char *text, mesh_precision precision, const char *expected)
{
    splines p;
    io_message message = {"(none)"};
    assert_false(read_in(&p, text, strlen(text), precision, &message));
    assert_string_equal(message.text, expected);
    assert_int_equal(p.num_batches, 0);
    assert_null(p.batches);
    assert_int_equal(p.num_splines, 0);
}

/* The text must be refused with exactly this message. */
static void refused(const char *text, const char *expected)
{
    check_refused(text, MESH_F64, expected);
}

static void check_reals(const double *found, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != expected[i]) /* one bit is as bad as many */
            fail_msg("number %lu is %.17g, not %.17g", (unsigned long)i, found[i], expected[i]);
}

/* ---- .g2 ---- */

static void test_g2_curve(void **state)
{
    (void)state;
    splines p;
    read_good(&p, "100 1 0 0\n2 0\n4 3\n0 0 0 0.5 1 1 1\n1 2\n3 4\n5 6\n7 8\n");
    assert_int_equal(p.num_batches, 1);
    assert_int_equal(p.num_splines, 1);
    const spline_batch *batch = &p.batches[0];
    const double knots[7] = {0, 0, 0, 0.5, 1, 1, 1}, points[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(batch->type.directions, 1);
    assert_int_equal(batch->type.dim, 2);
    assert_int_equal(batch->type.degree[0], 2);
    assert_int_equal(batch->type.num_controls[0], 4);
    assert_false(batch->type.rational);
    assert_int_equal(batch->num_splines, 1);
    assert_int_equal(batch->num_reals, 8);
    check_reals(batch->type.knots[0], knots, 7);
    check_reals(batch->points, points, 8);
    assert_string_equal(spline_form(&batch->type), "curve");
    assert_int_equal(spline_spans(&batch->type, 0), 2);
    assert_true(spline_begin(&batch->type, 0) == 0 && spline_end(&batch->type, 0) == 1);
    splines_clear(&p);
}

/* In the file u is fastest, in memory the last direction. */
static void test_g2_surface(void **state)
{
    (void)state;
    splines p;
    read_good(&p, "200 1 0 4 255 0 0 255\n1 0\n2 2\n0 0 1 1\n3 3\n0 0 0 2 2 2\n1 2 3 4 5 6\n");
    const spline_type *type = &p.batches[0].type;
    const double points[6] = {1, 3, 5, 2, 4, 6};
    assert_int_equal(type->directions, 2);
    assert_int_equal(type->degree[0], 1);
    assert_int_equal(type->degree[1], 2);
    assert_int_equal(type->num_controls[1], 3);
    assert_true(spline_end(type, 1) == 1); /* a single span is kept so */
    assert_true(p.batches[0].domains[2] == 0 && p.batches[0].domains[3] == 2);
    assert_true(spline_parameter(&p.batches[0], 0, 1, 0.25) == 0.5);
    check_reals(p.batches[0].points, points, 6);
    splines_clear(&p);
}

static void test_g2_volume(void **state)
{
    (void)state;
    splines p;
    read_good(&p, "700 1 0 0\n1 0\n2 2\n0 0 1 1\n3 1\n0 1 2 3\n2 2\n0 0 1 1\n"
                  "0 1 10 11 20 21 100 101 110 111 120 121");
    const double points[12] = {0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121};
    assert_int_equal(p.batches[0].type.directions, 3);
    assert_int_equal(p.batches[0].type.degree[1], 0);
    assert_int_equal(spline_spans(&p.batches[0].type, 1), 3);
    check_reals(p.batches[0].points, points, 12);
    splines_clear(&p);
}

/* Points come multiplied by their weights; weights that are all 1 are left out. */
static void test_g2_rational(void **state)
{
    (void)state;
    splines p;
    read_good(&p, "100 1 0 0 2 1 2 2 0 0 1 1\n 1 2 0.5\n 3 4 2\n"
                  "100 1 0 0 2 1 2 2 0 0 1 1\n 1 2 1\n 3 4 1\n"
                  "100 1 0 0 2 0 2 2 0 0 1 1\n 5 6 7 8\n");
    const double rational[6] = {1, 2, 0.5, 3, 4, 2}, polynomial[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(p.num_batches, 2);
    assert_true(p.batches[0].type.rational);
    assert_false(p.batches[1].type.rational);
    assert_int_equal(p.batches[1].num_splines, 2);
    assert_int_equal(p.batches[1].numbers[0], 1);
    assert_int_equal(p.batches[1].numbers[1], 2);
    check_reals(p.batches[0].points, rational, 6);
    check_reals(p.batches[1].points, polynomial, 8);
    splines_clear(&p);
}

/* Splines with equal knots are one batch, wherever they stand. */
static void test_batches(void **state)
{
    (void)state;
    splines p;
    read_good(&p, "100 1 0 0 1 0 2 2 0 0 1 1 1 2\n100 1 0 0 1 0 2 2 0 0 1 2 3 4\n"
                  "100 1 0 0 1 0 2 2 0 0 1 1 5 6\n100 1 0 0 1 0 2 1 0 1 2 7 8\n");
    assert_int_equal(p.num_batches, 3);
    assert_int_equal(p.num_splines, 4);
    assert_int_equal(p.batches[0].num_splines, 2);
    assert_int_equal(p.batches[0].numbers[1], 2);
    const double points[4] = {1, 2, 5, 6};
    check_reals(p.batches[0].points, points, 4);
    splines_clear(&p);
}

/* Bezier curves are one batch over any intervals, and ends of these come back exactly. */
static void test_domains(void **state)
{
    (void)state;
    splines p;
    read_good(&p, "100 1 0 0 1 0 2 2 0.1 0.1 0.7 0.7 1 2\n100 1 0 0 1 0 2 2 -3 -3 5 5 3 4\n"
                  "100 1 0 0 1 0 3 2 -3 -3 0 5 5 3 4 5\n");
    assert_int_equal(p.num_batches, 2);
    assert_int_equal(p.batches[0].num_splines, 2);
    const double knots[4] = {0, 0, 1, 1}, domain[2] = {0.1, 0.7};
    check_reals(p.batches[0].type.knots[0], knots, 4);
    for (int end = 0; end < 2; end++)
        assert_true(spline_parameter(&p.batches[0], 0, 0, end) == domain[end]);
    assert_true(spline_parameter(&p.batches[0], 1, 0, 0.5) == 1);
    assert_true(spline_parameter(&p.batches[1], 0, 0, 2.5) == 2.5);
    splines_clear(&p);
}

/* Splines that are kept have their numbers, points and domains; batches of none are gone. */
static void test_keep(void **state)
{
    static const char last[] = "100 1 0 0 1 0 2 1 0 1 2 7 8\n";
    static const bool keep[] = {false, true, true, false};
    const double points[] = {3, 4, 5, 6};
    splines p;
    io_message message;
    char text[256];
    (void)state;
    snprintf(text, sizeof(text), "%s%s",
             "100 1 0 0 1 0 2 2 0.1 0.1 0.7 0.7 1 2\n100 1 0 0 1 0 2 2 -3 -3 5 5 3 4\n"
             "100 1 0 0 1 0 2 2 2 2 3 3 5 6\n",
             last);
    read_good(&p, text);
    splines_keep(&p, keep);
    assert_int_equal(p.num_splines, 2);
    assert_int_equal(p.num_batches, 1);
    assert_int_equal(p.batches[0].num_reals, 4);
    check_reals(p.batches[0].points, points, 4);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(p.batches[0].numbers[i], i + 1);
        assert_true(spline_parameter(&p.batches[0], i, 0, 0) == (i == 0 ? -3 : 2));
        assert_true(spline_parameter(&p.batches[0], i, 0, 1) == (i == 0 ? 5 : 3));
    }
    for (size_t i = 0; i < 2; i++)
        assert_true(add_in(&p, last, strlen(last), MESH_F64, &message));
    assert_int_equal(p.num_batches, 2);
    assert_int_equal(p.batches[1].num_splines, 2);
    splines_clear(&p);
}

/* ---- writing ---- */

/* Writes what a text holds in a format, over the knots that are kept. */
static void write_all(spline_format format, const char *text)
{
    splines p;
    io_message message = {""};
    spline_writer w = {.format = format};
    read_good(&p, text);
    const uint32_t directions = p.batches[0].type.directions;
    if (!spline_writer_open(&w, temporary_path("w"), p.num_splines, directions, &message))
        fail_msg("%s", message.text);
    for (size_t i = 0; i < p.num_batches; i++) {
        const spline_batch *batch = &p.batches[i];
        assert_null(spline_writer_refuse(format, &batch->type));
        for (size_t k = 0; k < batch->num_splines; k++)
            assert_true(spline_writer_add(
                &w, &batch->type, batch->points + k * (batch->num_reals / batch->num_splines),
                (int64_t)batch->numbers[k]));
    }
    if (!spline_writer_close(&w, true)) fail_msg("%s", message.text);
    splines_clear(&p);
}

/* The text of the file that was written, which is removed; the caller frees. */
static char *read_written(void)
{
    char *text = calloc(1, 65536);
    FILE *file = fopen(temporary_path("w"), "rb");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) < 65535);
    fclose(file);
    remove(temporary_path("w"));
    return text;
}

static void check_same(const splines *a, const splines *b)
{
    assert_int_equal(a->num_batches, b->num_batches);
    for (size_t i = 0; i < a->num_batches; i++) {
        const spline_batch *p = &a->batches[i], *q = &b->batches[i];
        assert_int_equal(p->hash, q->hash);
        assert_int_equal(p->num_reals, q->num_reals);
        check_reals(p->points, q->points, p->num_reals);
    }
}

/* What was written is read as what it was; in JSON weights are a quotient away from that, and here
   powers of 2. */
static void test_round_trip(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "100 1 0 0\n2 1\n3 2\n0 0 1 2 2\n1 2 1\n3 4 0.5\n6 6 2\n"
        "100 1 0 0\n4 0\n2 1\n0 1 3\n1 2 3 0.1\n4 5 6 1e-300\n",
        "200 1 0 0\n1 1\n2 2\n0 0 1 1\n3 2\n0 0 0.5 1 1\n1 1 2 1 3 0.25 4 1 5 1 6 2\n",
        "700 1 0 0\n1 1\n2 2\n0 0 1 1\n3 1\n0 1 2 3\n2 2\n0 0 1 1\n"
        "0 1 1 1 10 1 11 1 20 1 21 2 100 4 101 1 110 1 111 1 120 1 121 1"};
    for (size_t i = 0; i < 3; i++) {
        for (int format = SPLINES_G2; format <= SPLINES_JSON; format++) {
            splines before, after;
            write_all((spline_format)format, texts[i]);
            char *text = read_written();
            read_good(&before, texts[i]);
            read_good(&after, text);
            check_same(&before, &after);
            splines_clear(&before);
            splines_clear(&after);
            free(text);
        }
    }
}

static void test_write_bv(void **state)
{
    (void)state;
    write_all(SPLINES_BV, "200 1 0 0\n2 0\n2 2\n0 0 1 1\n2 2\n0 0 1 1\n1 2 3 4 5 6 7 8\n"
                          "200 1 0 0\n3 1\n1 1\n0 1\n2 2\n0 0 1 1\n2 4 6 2 1 2 3 4\n"
                          "200 1 0 0\n3 1\n1 1\n0 1\n2 2\n0 0 1 1\n2 4 6 2 1 2 3 4\n");
    char *text = read_written();
    assert_string_equal(text, "# written by clspline\nGroup 0 spline\n5 1 1\n1 2 0\n5 6 0\n3 4 0\n"
                              "7 8 0\nGroup 1 spline\n8 0 1\n2 4 6 2\n1 2 3 4\n"
                              "Group 2 spline\n8 0 1\n2 4 6 2\n1 2 3 4\n");
    free(text);
    spline_type type = {.directions = 1, .dim = 3};
    assert_non_null(spline_writer_refuse(SPLINES_BV, &type));
    type = (spline_type){.directions = 2, .dim = 4};
    assert_non_null(spline_writer_refuse(SPLINES_BV, &type));
    assert_null(spline_writer_refuse(SPLINES_G2, &type));
}

static void test_g2_refused(void **state)
{
    (void)state;
    refused("", "t:1: the file holds no spline");
    refused("OFF\n", "t: an OFF file; convert it to .g2, STEP, IGES or geomdl's JSON");
    refused("# vtk DataFile Version 3.0\n", "t: a VTK file, which its name should say");
    refused("$MeshFormat\n4.1 0 8\n", "t: a Gmsh file, which its name should say");
    refused("\x89PNG\r\n", "t: a PNG image, which its name should say");
    refused("# nothing\n\n", "t:3: the file holds no spline");
    refused("\n130 1 0 0\n",
            "t:2: objects of class 130, Circle are not read (100, 200 and 700 are: "
            "SplineCurve, SplineSurface and SplineVolume)");
    refused("5 1 0 0\n", "t:1: objects of class 5 are not read (100, 200 and 700 are: SplineCurve, "
                         "SplineSurface and SplineVolume)");
    refused("100 1 0 65537\n",
            "t:1: the number of further numbers in a header is 65537, above 65536");
    refused("100 1 0\n", "t:2: the file ends where the number of further numbers in a header was "
                         "expected");
    refused("100 1 0 0\n5 0\n", "t:2: the dimension is 5, above 4");
    refused("100 1 0 0\n0 0\n", "t:2: points of no coordinates");
    refused("100 1 0 0\n2 2\n", "t:2: 1 for rational or 0 is 2, above 1");
    refused("100 1 0 0\n2 0\n3 4\n", "t:3: 3 control points of order 4");
    refused("100 1 0 0\n2 0\n3 0\n", "t:3: 3 control points of order 0");
    refused("100 1 0 0\n2 0\n300 257\n", "t:3: the order is 257, above 256");
    refused("100 1 0 0\n2 0\n16777217 2\n",
            "t:3: the number of control points is 16777217, above 16777216");
    refused("100 1 0 0\n2 0\n16777216 2\n0 0",
            "t:3: the file is too short for the 16777218 numbers announced here");
    refused("100 1 0 0\n1 0\n2 2\n0 0 1 1\n1 nan\n", "t:5: 'nan' is not a finite number");
    refused("100 1 0 0\n1 0\n2 2\n0 0 1 1e\n1 2\n", "t:4: '1e' where a knot was expected");
    refused("100 1 0 0\n1 1\n2 2\n0 0 1 1\n1 2\n1 -2\n", "t:6: the weight -2 is not above 0");
    refused("100 1 0 0\n1 0\n2 2\n0 0 1 1\n1",
            "t:5: the file ends where a coordinate was expected");
    refused("200 1 0 0\n1 0\n9 2\n0 0 1 2 3 4 5 6 7 8 8\n9 2\n0 0 1 2 3 4 5 6 7 8 8\n1 2 3\n",
            "t:6: the file is too short for the 81 numbers announced here");
}

static void test_knots(void **state)
{
    (void)state;
    refused("100 1 0 0\n1 0\n2 2\n0 0\n1 0.5\n1 2\n", "t:4: knot 4 is less than the one before");
    refused("100 1 0 0\n1 0\n3 2\n0\n1 1 1 2 1 2 3\n",
            "t:4: knot 4 stands more often than degree + 1 times");
    refused("200 1 0 0\n1 0\n2 2\n0 0 1 1\n2 2\n0 1 1 2\n1 2 3 4\n",
            "t:6: knot 2 along v is also the end of the domain, which is empty");
    refused("100 1 0 0\n1 0\n2 2\n0 0 inf inf\n1 2\n", "t:4: 'inf' is not a finite number");
}

/* Numbers that a float cannot hold are refused where floats are asked for; knots are doubles. */
static void test_floats(void **state)
{
    (void)state;
    splines p;
    io_message message;
    const char *text = "100 1 0 0\n1 0\n2 2\n0 0 1e300 1e300\n1 2\n";
    assert_true(read_in(&p, text, strlen(text), MESH_F32, &message));
    splines_clear(&p);
    check_refused("100 1 0 0\n1 0\n2 2\n0 0 1 1\n1\n1e39\n", MESH_F32,
                  "t:6: '1e39' is too large for a float; use --precision f64");
    check_refused("100 1 0 0\n1 1\n2 2\n0 0 1 1\n1 1\n1 1e-46\n", MESH_F32,
                  "t:6: the weight 1e-46 is too small for a float; use --precision f64");
    check_refused("{\"shape\": {\"data\": [{\"degree\": 1, \"knotvector\": [0, 0, 1e300, 1e300],\n"
                  "\"control_points\": {\"points\": [[1e30], [2]],\n\"weights\": [1e30, 1]}}]}}",
                  MESH_F32,
                  "t:1: a point times its weight is too large for a float; use --precision f64");
}

/* ---- JSON ---- */

#define CURVE                                                                                      \
    "{\"type\": \"spline\", \"rational\": false, \"dimension\": 2, \"degree\": 2,\n"               \
    " \"knotvector\": [0, 0, 0, 0.5, 1.0, 1e0, 1],\n"                                              \
    " \"control_points\": {\"points\": [[1.0, 2], [3, 4],\n[5, 6], [7, 8]]}, \"delta\": 0.01}"
#define SHAPE(TYPE, DATA)                                                                          \
    "{\"shape\": {\"type\": \"" TYPE "\", \"count\": 1, \"data\": [" DATA "]}}\n"

static void test_json_curve(void **state)
{
    (void)state;
    splines p;
    read_good(&p, SHAPE("curve", CURVE ", " CURVE));
    assert_int_equal(p.num_batches, 1);
    assert_int_equal(p.num_splines, 2);
    const spline_type *type = &p.batches[0].type;
    const double knots[7] = {0, 0, 0, 0.5, 1, 1, 1}, points[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(type->directions, 1);
    assert_int_equal(type->dim, 2);
    assert_int_equal(type->degree[0], 2);
    assert_int_equal(type->num_controls[0], 4);
    check_reals(type->knots[0], knots, 7);
    check_reals(p.batches[0].points, points, 8);
    check_reals(p.batches[0].points + 8, points, 8);
    splines_clear(&p);
}

/* Points are multiplied by their weights here, wherever the weights stand. */
static void test_json_weights(void **state)
{
    (void)state;
    splines p;
    read_good(&p,
              "{\"shape\": {\"data\": [{\"control_points\": {\"weights\": [0.5, 2], \"points\": "
              "[[2, 4], [3, 5]]}, \"knotvector\": [0, 0, 1, 1], \"degree\": 1}, {\"degree\": 1, "
              "\"knotvector\": [0, 0, 1, 1], \"control_points\": {\"points\": [[2, 4], [3, 5]], "
              "\"weights\": [1, 1.0]}}], \"type\": \"curve\"}}");
    assert_int_equal(p.num_batches, 2);
    const double rational[6] = {1, 2, 0.5, 6, 10, 2}, polynomial[4] = {2, 4, 3, 5};
    assert_true(p.batches[0].type.rational);
    assert_int_equal(p.batches[0].type.dim, 2);
    check_reals(p.batches[0].points, rational, 6);
    assert_false(p.batches[1].type.rational);
    check_reals(p.batches[1].points, polynomial, 4);
    splines_clear(&p);
}

static void test_json_surface(void **state)
{
    (void)state;
    splines p;
    read_good(&p, SHAPE("surface",
                        "{\"degree_u\": 1, \"degree_v\": 2, \"knotvector_u\": [0, 0, 1, 1], "
                        "\"knotvector_v\": [0, 0, 0, 2, 2, 2], \"size_u\": 2, \"size_v\": 3, "
                        "\"control_points\": {\"points\": [[0], [1], [2], [10], [11], [12]]}, "
                        "\"trims\": {\"count\": 1, \"data\": [{\"type\": \"freeform\", \"points\": "
                        "[[0, 0]]}]}, \"name\": \"a \\\"b\\\" \\u00e4 {[\"}"));
    const double points[6] = {0, 1, 2, 10, 11, 12};
    assert_int_equal(p.batches[0].type.directions, 2);
    assert_int_equal(p.batches[0].type.degree[1], 2);
    assert_int_equal(p.num_trimmed, 1);
    check_reals(p.batches[0].points, points, 6);
    splines_clear(&p);
}

/* Points run along v, then u, then w. */
static void test_json_volume(void **state)
{
    (void)state;
    splines p;
    read_good(
        &p, SHAPE("volume",
                  "{\"degree_u\": 1, \"degree_v\": 2, \"degree_w\": 1, \"knotvector_u\": [0, 0, 1, "
                  "1], \"knotvector_v\": [0, 0, 0, 1, 1, 1], \"knotvector_w\": [0, 0, 1, 1], "
                  "\"size_u\": 2, \"size_v\": 3, \"size_w\": 2, \"control_points\": {\"points\": "
                  "[[0], [10], [20], [100], [110], [120], [1], [11], [21], [101], [111], "
                  "[121]]}}"));
    const double points[12] = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
    assert_int_equal(p.batches[0].type.directions, 3);
    check_reals(p.batches[0].points, points, 12);
    splines_clear(&p);
}

static void test_json_refused(void **state)
{
    (void)state;
    refused("{", "t:1: the file ends where a key in quotes was expected");
    refused("{}", "t:1: the file holds no spline: there are no data of a \"shape\"");
    refused("\n{\"shape\": []}", "t:2: '[' where the shape, an object was expected");
    refused(SHAPE("curve", ""), "t:2: the file holds no spline: there are no data of a \"shape\"");
    refused(SHAPE("line", CURVE), "t:1: the type of the shape is \"line\", not curve, surface or "
                                  "volume");
    refused(SHAPE("surface", CURVE), "t:1: a curve is not of the file's type");
    refused(SHAPE("curve", CURVE) "x", "t:5: 'x' where the end of the file was expected");
    refused(SHAPE("curve", "{\"type\": \"freeform\", \"points\": []}"),
            "t:1: data of type \"freeform\" are no spline");
    refused(SHAPE("curve", "{\"degree\": 2}"), "t:1: a curve without \"knotvector\"");
    refused(SHAPE("curve", "{\"degree_v\": 2}"), "t:1: a surface without \"degree_u\"");
    refused(SHAPE("curve", "{\"degree_w\": 2, \"degree_u\": 1}"),
            "t:1: a volume without \"knotvector_u\"");
    refused(SHAPE("curve", "{\"degree\": 1,\n\"knotvector\": [0, 0, 1, 1]}"),
            "t:1: a curve without control points");
    refused(SHAPE("curve", "{\"degree\": 1,\n\"knotvector\": [0, 1, 1], \"control_points\": "
                           "{\"points\": [[1], [2]]}}"),
            "t:2: 3 knots for 2 control points of degree 1, not 4");
    refused(SHAPE("curve", "{\"degree\": 1,\n\"knotvector\": [0, 2, 1, 1], \"control_points\": "
                           "{\"points\": [[1], [2]]}}"),
            "t:2: knot 3 is less than the one before");
    refused(SHAPE("curve", "{\"degree\": 2, \"knotvector\": [0, 1, 1], \"control_points\": "
                           "{\"points\": [[1], [2]]}}"),
            "t:1: 2 control points of degree 2");
    refused(SHAPE("curve", "{\"degree\": 1, \"knotvector\": [0, 0, 1, 1], \"control_points\": "
                           "{\"points\": [[1], [2]], \"weights\": [1, 2, 3]}}"),
            "t:1: 3 weights for 2 points");
    refused(SHAPE("surface", "{\"degree_u\": 1, \"knotvector_u\": [0, 0, 1, 1], \"size_u\": 2, "
                             "\"degree_v\": 1, \"knotvector_v\": [0, 0, 1, 1], \"size_v\": 2,\n"
                             "\"control_points\": {\"points\": [[1], [2], [3]]}}"),
            "t:1: 3 points where the sizes make 4");
}

static void test_json_values(void **state)
{
    (void)state;
    refused("{\"shape\": {\"data\": [{\"degree\": 256}]}}", "t:1: the degree is 256, above 255");
    refused("{\"shape\": {\"data\": [{\"degree\": -1}]}}",
            "t:1: '-1' where the degree was expected");
    refused("{\"shape\": {\"data\": [{\"degree\": 2.5}]}}",
            "t:1: '2.5' where the degree was expected");
    refused("{\"shape\": {\"data\": [{\"degree\": \"2\"}]}}",
            "t:1: no number where the degree was expected");
    refused("{\"shape\": {\"data\": [{\"knotvector\": [0,\n NaN]}]}}", "t:2: 'NaN' is no JSON");
    refused("{\"shape\": {\"data\": [{\"knotvector\": [0, 1e999]}]}}",
            "t:1: a knot is not a finite number");
    refused("{\"shape\": {\"data\": [{\"knotvector\": [0, 01, 1., ]}]}}", /* cJSON's numbers */
            "t:1: ']' where a knot was expected");
    refused("{\"shape\": {\"data\": [{\"knotvector\": [0, +1]}]}}", "t:1: '+1' is no JSON");
    refused("{\"shape\": {\"data\": [{\"knotvector\": [0, 1-2]}]}}", "t:1: '-2' is no JSON");
    refused("{\"shape\": {\"data\": [{\"knotvector\": [0 1]}]}}",
            "t:1: '1' where ',' or ']' was expected");
    refused("{\"shape\": {\"data\": [{\"knotvector\": [0,]}]}}",
            "t:1: ']' where a knot was expected");
    refused("{\"shape\": {\"data\": [{\"control_points\": {\"points\": [[1, 2], [3]]}}]}}",
            "t:1: a point of 1 coordinates after one of 2");
    refused("{\"shape\": {\"data\": [{\"control_points\": {\"points\": [[1, 2, 3, 4, 5]]}}]}}",
            "t:1: a point of more than 4 coordinates");
    refused("{\"shape\": {\"data\": [{\"control_points\": {\"points\": [[]]}}]}}",
            "t:1: a point of no coordinates");
    refused("{\"shape\": {\"data\": [{\"control_points\": {\"points\": [1]}}]}}",
            "t:1: a point that is no list of coordinates");
    refused("{\"shape\": {\"data\": [{\"control_points\": {\"weights\": [1, 0]}}]}}",
            "t:1: the weight 0 is not above 0");
    refused("{\"shape\": {\"data\": [{\"control_points\": [[1, 2]]}]}}",
            "t:1: '[' where an object with \"points\" was expected");
}

static void test_json_grammar(void **state)
{
    (void)state;
    refused("{\"a\": tru}", "t:1: 'tru' is no JSON");
    refused("{\"a\": \"b\n\"}", "t:1: a string that does not end on its line");
    refused("{\"a\": \"\\x\"}", "t:1: '\\x\"' is no JSON");
    refused("{\"a\": \"\\ud800\"}", "t:1: '\\ud800\"' is no JSON");
    refused("{\"a\" 1}", "t:1: '1' where ':' was expected");
    refused("{a: 1}", "t:1: 'a' where a key in quotes was expected");
    refused("{\"a\": [1, {\"b\": [2}]}", "t:1: '}]}' is no JSON");
    refused("{\"a\": 1", "t:1: the file ends where ',' or '}' was expected");
    refused("{\"a\": \x01}", "t:1: a character of code 1 where a value was expected");
    splines p;
    read_good(&p, "\xef\xbb\xbf {\"a\": [null, true, false, -0.5e+3, \"\\\\\\n\", {}, [], [[]]], "
                  "\"\\u0073hape\": {\"data\": [" CURVE "]}}");
    splines_clear(&p);
}

/* Values within each other cost no stack, and their depth has an end. */
static void test_json_depth(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(DEPTH + 6);
    splines p;
    io_message message;
    assert_non_null(text);
    strcpy(text, "{\"a\":");
    memset(text + 5, '[', DEPTH);
    assert_false(read_in(&p, text, DEPTH + 5, MESH_F64, &message));
    assert_string_equal(message.text, "t:1: more than 64 values within each other");
    free(text);
}

/* Every byte of good files replaced in turn by others: an error or a result, never a fault. */
static void test_changed_bytes(void **state)
{
    (void)state;
    static const char *const good[] = {
        "100 1 0 1 7\n2 1\n3 2\n0 0 1 2 2\n1 2 1\n3 4 0.5\n5 6 1\n200 1 0 0 1 0 2 2 0 0 1 1 2 1 0 "
        "1 2\n"
        "1 2 3 4\n",
        SHAPE("curve", CURVE),
        SHAPE(
            "surface",
            "{\"degree_u\": 1, \"degree_v\": 0, \"knotvector_u\": [0, 0, 1, 1], \"knotvector_v\": "
            "[0, 2], \"size_u\": 2, \"size_v\": 1, \"control_points\": {\"points\": [[0], [1]], "
            "\"weights\": [1, 3]}}"),
    };
    static const char others[] = {0, '#', '-', '9', 'e', '\n', ' ', '{', ']', '"', ',', (char)0xff};
    for (size_t g = 0; g < sizeof(good) / sizeof(good[0]); g++) {
        char *text = strdup(good[g]);
        for (size_t i = 0; text[i]; i++) {
            for (size_t k = 0; k < sizeof(others); k++) {
                splines p;
                io_message message = {""};
                text[i] = others[k];
                if (read_in(&p, text, strlen(good[g]), MESH_F32, &message))
                    splines_clear(&p);
                else
                    assert_true(strncmp(message.text, "t:", 2) == 0);
                text[i] = good[g][i];
            }
        }
        free(text);
    }
}

/* Thousands of splines that are all unlike, twice: as many batches of two. */
static void test_many_batches(void **state)
{
    (void)state;
    enum { NUM = 3000, MOST = 64 };
    char *text = malloc(2 * NUM * MOST);
    size_t at = 0;
    splines p;
    assert_non_null(text);
    for (int i = 0; i < 2 * NUM; i++)
        at += (size_t)snprintf(text + at, MOST, "100 1 0 0\n1 0\n3 2\n0 0 %d %d %d\n1 2 %d\n",
                               i % NUM + 1, 2 * NUM, 2 * NUM, i);
    read_good(&p, text);
    assert_int_equal(p.num_batches, NUM);
    for (size_t i = 0; i < NUM; i++) {
        assert_int_equal(p.batches[i].num_splines, 2);
        assert_int_equal(p.batches[i].numbers[0], i);
        assert_int_equal(p.batches[i].numbers[1], i + NUM);
        assert_true(p.batches[i].points[5] == (double)(i + NUM));
    }
    splines_clear(&p);
    free(text);
}

static void test_unreadable(void **state)
{
    (void)state;
    splines p = {0};
    io_message message;
    assert_false(spline_file_add(&p, "/nowhere/a.g2", MESH_F64, &message));
    assert_string_equal(message.text, "/nowhere/a.g2: cannot open: No such file or directory");
    assert_false(spline_file_add(&p, "/tmp", MESH_F64, &message));
    assert_string_equal(message.text,
                        "/tmp: a folder; one of Zarr is read in Python, by clspline.read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g2_curve),      cmocka_unit_test(test_g2_surface),
        cmocka_unit_test(test_g2_volume),     cmocka_unit_test(test_g2_rational),
        cmocka_unit_test(test_batches),       cmocka_unit_test(test_domains),
        cmocka_unit_test(test_keep),          cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_write_bv),      cmocka_unit_test(test_g2_refused),
        cmocka_unit_test(test_knots),         cmocka_unit_test(test_floats),
        cmocka_unit_test(test_json_curve),    cmocka_unit_test(test_json_weights),
        cmocka_unit_test(test_json_surface),  cmocka_unit_test(test_json_volume),
        cmocka_unit_test(test_json_refused),  cmocka_unit_test(test_json_values),
        cmocka_unit_test(test_json_grammar),  cmocka_unit_test(test_json_depth),
        cmocka_unit_test(test_changed_bytes), cmocka_unit_test(test_unreadable),
        cmocka_unit_test(test_many_batches),
    };
    return cmocka_run_group_tests_name("splines", tests, temporary_setup, temporary_teardown);
}
