/* What clspline-cad writes and how it is started: faces, trims, edges and meshes of a block,
   several files, the words of what is refused, and programs in its place that fail in all ways.
   usage: test_cad_files FOLDER_OF_DATA */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cad_filter.h"
#include "cad_model.h"
#include "model_file.h"
#include "spline_file.h"
#include "temporary.h"

static const char *folder;

/* The text of the block, which the caller frees. */
static char *block_text(void)
{
    char path[4096];
    char *text = calloc(1, 65536);
    snprintf(path, sizeof(path), "%s/block.json", folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

/* Replaces the first place of some words, which must be there, in a text of room. */
static void replace(char *text, const char *words, const char *by)
{
    char *at = strstr(text, words);
    if (!at) fail_msg("no '%s' in the text", words);
    memmove(at + strlen(by), at + strlen(words), strlen(at + strlen(words)) + 1);
    memcpy(at, by, strlen(by));
}

static bool read_text(splines *p, const char *text, io_message *message)
{
    return spline_file_add(p, temporary_file("t.json", text, strlen(text)), MESH_F64, message);
}

static void read_block(splines *p)
{
    io_message message = {"(none)"};
    char *text = block_text();
    *p = (splines){0};
    if (!read_text(p, text, &message)) fail_msg("%s", message.text);
    free(text);
}

/* ---- the model ---- */

/* The batch and the place in it of a face. */
static const double *controls_of(const splines *p, size_t face)
{
    for (size_t i = 0; i < p->num_batches; i++)
        for (size_t k = 0; k < p->batches[i].num_splines; k++)
            if (p->batches[i].numbers[k] == face)
                return p->batches[i].points +
                       k * p->batches[i].num_reals / p->batches[i].num_splines;
    fail_msg("no face %lu", (unsigned long)face);
    return NULL;
}

/* A point of a face of the block, which is bilinear over [0, 1]. */
static double coordinate_at(const double *c, double u, double v, size_t k)
{
    return (1 - u) * ((1 - v) * c[k] + v * c[3 + k]) + u * ((1 - v) * c[6 + k] + v * c[9 + k]);
}

static void test_faces(void **state)
{
    splines p;
    (void)state;
    read_block(&p);
    const cad_model *m = p.cad;
    assert_int_equal(p.num_splines, 6);
    assert_int_equal(p.num_trimmed, 1);
    assert_string_equal(p.unit, "mm");
    assert_string_equal(m->file_unit, "INCH");
    assert_int_equal(m->num_faces, 6);
    for (size_t f = 0; f < 6; f++) {
        assert_int_equal(m->loop.at[f + 1] - m->loop.at[f], 1);
        assert_int_equal(m->curve.at[f + 1] - m->curve.at[f], 4);
        assert_int_equal(m->vertex.at[f + 1], 4 * (f + 1));
        assert_int_equal(m->corner.at[f + 1], 6 * (f + 1));
        assert_int_equal(m->faces[f].is_turned, f % 2 == 0);
        assert_int_equal(m->faces[f].is_trimmed, f == 5);
        assert_int_equal(m->faces[f].body, 0);
        assert_true(m->faces[f].tolerance == 0.001);
        assert_string_equal(m->faces[f].kind, "plane");
        assert_string_equal(m->faces[f].color, "#0000ff");
    }
    assert_string_equal(m->faces[4].name, "side 2");
    assert_int_equal(m->num_bodies, 1);
    assert_string_equal(m->bodies[0].kind, "solid");
    assert_string_equal(m->bodies[0].name, "block");
    assert_string_equal(m->bodies[0].color, "#ff0000");
    assert_true(m->bodies[0].is_closed);
    assert_int_equal(m->faces_read, 6);
    splines_clear(&p);
}

/* Checks that ends of a face's trims, as they are kept, are at the ends of their edges, and counts
   the uses of these. */
static void check_trims(const splines *p, size_t face, uint32_t *uses)
{
    const cad_model *m = p->cad;
    const size_t end_curve = m->curve.at[m->loop.at[face + 1]];
    for (size_t i = m->curve.at[m->loop.at[face]]; i < end_curve; i++) {
        const uint32_t edge = m->edge.at[i], against = m->against.at[i];
        assert_true(edge < m->tolerance.num);
        assert_true(m->tolerance.at[edge] == 0.002);
        assert_int_equal(m->curves.degree.at[i], 1);
        assert_int_equal(m->curves.num_controls.at[i], 2);
        uses[edge] += against ? 1 : 16;
        for (size_t end = 0; end < 2; end++) {
            const double *at = m->curves.controls.at + 6 * i + 3 * end;
            const double *place = m->edges.controls.at + 8 * edge + 4 * (against ^ end);
            assert_true(at[2] == 1 && place[3] == 1);
            for (size_t k = 0; k < 3; k++)
                assert_true(fabs(coordinate_at(controls_of(p, face), at[0], at[1], k) - place[k]) <
                            1e-14);
        }
    }
}

/* Each edge has two uses. */
static void test_edges(void **state)
{
    splines p;
    uint32_t uses[12] = {0};
    (void)state;
    read_block(&p);
    const cad_model *m = p.cad;
    assert_int_equal(m->tolerance.num, 12);
    assert_int_equal(m->edges.degree.num, 12);
    assert_int_equal(m->edge.num, 24);
    for (size_t f = 0; f < 6; f++)
        check_trims(&p, f, uses);
    for (size_t i = 0; i < 12; i++)
        assert_true(uses[i] == 17 || uses[i] == 2 || uses[i] == 32);
    splines_clear(&p);
}

static void test_mesh(void **state)
{
    splines p;
    double area, volume;
    (void)state;
    read_block(&p);
    cad_model *m = p.cad;
    assert_int_equal(m->nodes.num, 24);
    for (size_t i = 0; i < m->node.num; i++)
        for (size_t k = 0; k < 3; k++)
            assert_true(fabs(coordinate_at(controls_of(&p, i / 4), m->params.at[2 * i],
                                           m->params.at[2 * i + 1], k) -
                             m->nodes.at[3 * m->node.at[i] + k]) < 1e-14);
    cad_model_measure(m, 0, &area, &volume);
    assert_true(fabs(area - 52) < 1e-12 && fabs(volume - 24) < 1e-12);
    assert_int_equal(cad_model_open_sides(m, 0), 0);
    uint32_t *uses = cad_model_uses(m);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(uses[i], 3);
    free(uses);
    m->corner.at[6] -= 3; /* without the last triangle */
    assert_int_equal(cad_model_open_sides(m, 0), 3);
    m->corner.at[6] += 3;
    const uint32_t first = m->triangles.at[33]; /* the last triangle turned */
    m->triangles.at[33] = m->triangles.at[34];
    m->triangles.at[34] = first;
    assert_int_equal(cad_model_open_sides(m, 0), 6);
    memcpy(m->triangles.at + 33, m->triangles.at + 30, 3 * sizeof(uint32_t)); /* one twice */
    assert_int_equal(cad_model_open_sides(m, 0), 8);
    splines_clear(&p);
}

/* Files one behind another are one model, also behind splines of no CAD file. */
static void test_several(void **state)
{
    static const char line[] = "100 1 0 0\n3 0\n2 2\n0 0 1 1\n0 0 0\n1 0 0\n";
    splines p = {0};
    double area, volume;
    io_message message;
    char *text = block_text();
    (void)state;
    assert_true(
        spline_file_add(&p, temporary_file("a.g2", line, strlen(line)), MESH_F64, &message));
    assert_null(p.cad);
    for (int i = 0; i < 2; i++)
        assert_true(read_text(&p, text, &message));
    assert_true(spline_file_add(&p, temporary_path("a.g2"), MESH_F64, &message));
    free(text);
    const cad_model *m = p.cad;
    assert_int_equal(p.num_splines, 14);
    assert_int_equal(m->num_faces, 13);
    assert_int_equal(m->loop.at[1], 0);
    assert_int_equal(m->vertex.at[1], 0);
    assert_int_equal(m->corner.at[1], 0);
    assert_int_equal(m->faces_read, 12);
    for (uint32_t body = 0; body < 2; body++) {
        cad_model_measure(m, body, &area, &volume);
        assert_true(fabs(area - 52) < 1e-12 && fabs(volume - 24) < 1e-12);
        assert_int_equal(cad_model_open_sides(m, body), 0);
        for (size_t f = 1 + 6 * (size_t)body; f < 7 + 6 * (size_t)body; f++)
            assert_int_equal(m->faces[f].body, body);
    }
    for (size_t i = 24; i < 48; i++)
        assert_int_equal(m->edge.at[i], m->edge.at[i - 24] + 12);
    splines_clear(&p);
}

/* ---- choices ---- */

/* Reads a line, a block whose first face is green, and one more, of the part "pin", whose second
   face has its body's colour; and chooses among their faces. */
static bool choose(splines *p, const char *only, io_message *message)
{
    static const char line[] = "100 1 0 0\n3 0\n2 2\n0 0 1 1\n0 0 0\n1 0 0\n";
    static const char blue[] = "\"name\": \"side 0\",\n\"color\": \"#0000ff\",\n";
    char *text = block_text();
    *p = (splines){0};
    assert_true(spline_file_add(p, temporary_file("a.g2", line, strlen(line)), MESH_F64, message));
    replace(text, blue, "\"name\": \"side 0\",\n\"color\": \"#00ff00\",\n");
    assert_true(read_text(p, text, message));
    replace(text, blue, "\"name\": \"side 0\",\n");
    replace(text, "\"name\": \"block\"", "\"name\": \"other, at x\", \"part\": \"pin\"");
    assert_true(read_text(p, text, message));
    free(text);
    return cad_filter_apply(p, only, "t.json", message);
}

/* Checks which faces were chosen, and what belongs to them. Returns the area of their meshes. */
static double check_chosen(const splines *p, const size_t *faces, size_t num)
{
    const cad_model *m = p->cad;
    uint32_t uses[24] = {0};
    double area = 0;
    assert_int_equal(p->num_splines, num);
    assert_int_equal(cad_model_count(m), num);
    assert_int_equal(m->num_left_out, 12 - num);
    assert_int_equal(m->triangles.num, 6 * num);
    assert_int_equal(m->node.num, 4 * num);
    for (size_t i = 0; i < num; i++) {
        const double *c = controls_of(p, faces[i]);
        check_trims(p, faces[i], uses);
        for (size_t v = m->vertex.at[faces[i]]; v < m->vertex.at[faces[i] + 1]; v++)
            for (size_t k = 0; k < 3; k++)
                assert_true(fabs(coordinate_at(c, m->params.at[2 * v], m->params.at[2 * v + 1], k) -
                                 m->nodes.at[3 * m->node.at[v] + k]) < 1e-14);
    }
    for (size_t i = 0; i < m->tolerance.num; i++)
        assert_true(uses[i] > 0);
    for (uint32_t body = 0; body < m->num_bodies; body++) {
        double one, volume;
        cad_model_measure(m, body, &one, &volume);
        area += one;
    }
    return area;
}

static void test_choice(void **state)
{
    static const struct {
        const char *only;
        size_t num, faces[12], bodies, edges, trimmed;
        double area;
        const char *first; /* body */
        bool is_closed;
        uint32_t first_edge, last_edge;
    } ways[] = {
        {"side 2", 4, {5, 6, 11, 12}, 2, 16, 2, 24, "block", false, 0, 23},
        {"pin", 6, {7, 8, 9, 10, 11, 12}, 1, 12, 1, 52, "other, at x", true, 12, 23},
        {"other? at x", 6, {7, 8, 9, 10, 11, 12}, 1, 12, 1, 52, "other, at x", true, 12, 23},
        {"#00FF00", 2, {1, 7}, 2, 8, 0, 24, "block", false, 0, 15},
        {"#ff0000", 1, {8}, 1, 4, 0, 12, "other, at x", false, 16, 19},
        {"#ff0000,#00ff00", 3, {1, 7, 8}, 2, 12, 0, 36, "block", false, 0, 19},
        {"block,*[12]", 10, {1, 2, 3, 4, 5, 6, 9, 10, 11, 12}, 2, 24, 2, 80, "block", true, 0, 23},
        {"*", 12, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 2, 24, 2, 104, "block", true, 0, 23},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        splines p;
        io_message message = {"(none)"};
        if (!choose(&p, ways[i].only, &message)) fail_msg("%s", message.text);
        const cad_model *m = p.cad;
        assert_true(fabs(check_chosen(&p, ways[i].faces, ways[i].num) - ways[i].area) < 1e-12);
        assert_int_equal(p.num_trimmed, ways[i].trimmed);
        assert_int_equal(m->num_bodies, ways[i].bodies);
        assert_string_equal(m->bodies[0].name, ways[i].first);
        assert_int_equal(m->bodies[0].is_closed, ways[i].is_closed);
        assert_int_equal(m->tolerance.num, ways[i].edges);
        assert_int_equal(m->edge_number.at[0], ways[i].first_edge);
        assert_int_equal(m->edge_number.at[ways[i].edges - 1], ways[i].last_edge);
        assert_int_equal(m->faces_read, 12);
        assert_string_equal(m->file_unit, "INCH");
        splines_clear(&p);
    }
}

/* Splines that are added behind a choice find the batches of theirs. */
static void test_choice_goes_on(void **state)
{
    splines p;
    io_message message = {"(none)"};
    (void)state;
    assert_true(choose(&p, "side 2", &message));
    const size_t batches = p.num_batches;
    for (size_t i = 0; i < 2; i++) {
        assert_true(spline_file_add(&p, temporary_path("a.g2"), MESH_F64, &message));
        assert_int_equal(p.num_batches, batches + 1);
        assert_int_equal(p.batches[batches].num_splines, i + 1);
    }
    splines_clear(&p);
}

static void test_choice_of_none(void **state)
{
    static const char *const ways[][2] = {
        {"sid",
         "t.json: --only: no face has the name or the colour 'sid'; names: 'block' "
         "'pin' 'other, at x' 'side 0' 'side 1' 'side 2'; colours: '#00ff00' '#0000ff' '#ff0000'"},
        {"side 2,#112233", "colour '#112233'; "},
        {"block,", "colour ''; "},
    };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        splines p;
        io_message message = {"(none)"};
        assert_false(choose(&p, ways[i][0], &message));
        if (!strstr(message.text, ways[i][1])) fail_msg("%s", message.text);
        assert_null(strchr(message.text, '\n'));
        splines_clear(&p);
    }
    splines p;
    io_message message = {"(none)"};
    assert_true(choose(&p, NULL, &message));
    assert_int_equal(p.num_splines, 13);
    splines_clear(&p);
    assert_true(spline_file_add(&p, temporary_path("a.g2"), MESH_F64, &message));
    assert_false(cad_filter_apply(&p, "*", "a.g2", &message));
    assert_string_equal(message.text, "a.g2: --only is of CAD files");
    splines_clear(&p);
}

/* ---- loops ---- */

/* Curves along the border, one loop of them, leave out nothing. */
static void test_trimmed(void **state)
{
    static const char *const ways[][2] = {
        {"[0.0, 0.0], [10.0, 0.0]", "[0.0, 0.0], [10.0, 1e-8]"},
        {"[0.0, 0.0], [10.0, 0.0]", "[1e-7, 0.0], [10.0, 1e-8]"},
        {"{\"type\": \"container\"", "{\"type\": \"container\", \"data\": []}, {\"type\": \"x\""}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        splines p = {0};
        io_message message = {"(none)"};
        char *text = block_text();
        replace(text, ways[i][0], ways[i][1]);
        if (!read_text(&p, text, &message)) fail_msg("%s", message.text);
        assert_int_equal(p.cad->faces[0].is_trimmed, 1);
        assert_int_equal(p.num_trimmed, 2);
        splines_clear(&p);
        free(text);
    }
}

/* Curves may be rational and at a pole, and keys unknown. */
static void test_curves(void **state)
{
    splines p = {0};
    io_message message = {"(none)"};
    char *text = block_text();
    (void)state;
    replace(text, "{\"points\": [[0.0, 0.0], [10.0, 0.0]]}",
            "{\"points\": [[0.0, 0.5], [10.0, 0.0]], \"weights\": [1, 2]}, \"new\": {\"a\": 1}");
    replace(text, "\"edge\": 0,\n", "");
    replace(text, "\"kind\": \"solid\"", "\"new\": 1, \"kind\": \"solid\"");
    if (!read_text(&p, text, &message)) fail_msg("%s", message.text);
    const double *c = p.cad->curves.controls.at;
    assert_true(c[0] == 0 && c[1] == 0.5 && c[2] == 1 && c[3] == 2 && c[4] == 0 && c[5] == 2);
    assert_int_equal(p.cad->edge.at[0], CAD_NO_EDGE);
    assert_int_equal(p.cad->against.at[0], 0);
    splines_clear(&p);
    free(text);
}

static void test_refused(void **state)
{
    static const char *const ways[][3] = {
        {"\"edge\": 3", "\"edge\": 12", "a curve of edge 12, of 12"},
        {"\"edge\": 3", "\"edge\": -1", "'-1' where the edge was expected"},
        {"\"forward\": true", "\"forward\": 1", "no true or false"},
        {"[0, 2, 1, 0, 3, 2]", "[0, 2, 1, 0, 3, 4]", "a triangle of vertex 4, of 4"},
        {"[0, 2, 1, 0, 3, 2]", "[0, 2, 1, 0, 3]", "lists of a mesh that do not fit each other"},
        {"\"nodes\": [0, 1, 2, 3]", "\"nodes\": [0, 1, 2]",
         "lists of a mesh that do not fit each other"},
        {"\"nodes\": [0, 1, 2, 3]", "\"nodes\": [0, 1, 2, 8]", "a vertex at node 8, of 8"},
        {"\"faces\": [0, 1,", "\"faces\": [6, 1,", "a shell of face 6"},
        {"\"reversed\": 1,\n\"kind\"", "\"reversed\": 2,\n\"kind\"",
         "whether the face is reversed is 2, above 1"},
        {"\"points\": [[0.0, 0.0], [10.0, 0.0]]", "\"points\": [[0, 0, 0], [1, 0, 0]]",
         "no curve of 2 coordinates"},
        {"\"faces_read\": 6", "\"faces_read\": true", "no number where a number of faces"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        splines p = {0};
        io_message message = {"(none)"};
        char *text = block_text();
        replace(text, ways[i][0], ways[i][1]);
        assert_false(read_text(&p, text, &message));
        if (!strstr(message.text, ways[i][2])) fail_msg("%s: %s", ways[i][1], message.text);
        assert_null(p.cad);
        assert_int_equal(p.num_splines, 0);
        free(text);
    }
}

/* A file that ends anywhere is refused. */
static void test_truncated(void **state)
{
    char *text = block_text();
    (void)state;
    for (size_t length = strlen(text) - 2; length > 0; length -= length > 50 ? 41 : 1) {
        splines p = {0};
        io_message message = {""};
        text[length] = 0;
        assert_false(read_text(&p, text, &message));
        assert_non_null(strstr(message.text, "t.json"));
        assert_int_equal(p.num_splines, 0);
    }
    free(text);
}

/* ---- the program ---- */

/* Has a script of a shell stand for clspline-cad. */
static void set_program(const char *script)
{
    char text[8192];
    snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
    const char *path = temporary_file("program", text, strlen(text));
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(setenv("CLSPLINE_CAD", path, 1), 0);
}

/* Reads a file of this name by the script; false with a message. */
static bool read_by(const char *script, const char *name, splines *p, io_message *message)
{
    static const char text[] = "some text";
    char path[4096];
    snprintf(path, sizeof(path), "%s", temporary_file(name, text, strlen(text)));
    set_program(script);
    return spline_file_add(p, path, MESH_F64, message);
}

static void test_program(void **state)
{
    static const char *const names[] = {"a.step", "a.STP", "a.igs", "a.iges", "a.brep"};
    char script[8192];
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        splines p = {.without_mesh = i % 2 == 1, .deflection = i == 4 ? 0.25 : 0};
        io_message message = {"(none)"};
        snprintf(script, sizeof(script), "test \"$2$3\" = \"%s\" && cat %s/block.json; exit %d",
                 i % 2 == 1 ? "--no-mesh"
                 : i == 4   ? "--deflection0.25"
                            : "",
                 folder, i == 4 ? 4 : 0);
        if (!read_by(script, names[i], &p, &message)) fail_msg("%s", message.text);
        assert_int_equal(p.num_splines, 6);
        splines_clear(&p);
    }
    /* by how files begin */
    static const char *const begins[] = {
        "ISO-10303-21;\n", "\nDBRep_DrawableShape\n", "CASCADE Topology V1, (c) Matra\n",
        "                                                                        S      1\n"};
    for (size_t i = 0; i < 4; i++) {
        splines p = {0};
        io_message message = {"(none)"};
        snprintf(script, sizeof(script), "cat %s/block.json", folder);
        set_program(script);
        const char *path = temporary_file("name", begins[i], strlen(begins[i]));
        if (!spline_file_add(&p, path, MESH_F64, &message)) fail_msg("%s", message.text);
        splines_clear(&p);
    }
}

static void test_program_fails(void **state)
{
    static const char *const ways[][2] = {
        {"echo noise >&2; echo 'a.step: it has no faces' >&2; exit 3", "a.step: it has no faces"},
        {"exit 1", "a.step: clspline-cad gives no model, status 1"},
        {"exit 127", "which is neither beside clspline nor on PATH"},
        {"kill -9 $$", "a.step: clspline-cad was ended by signal 9"},
        {"kill -SEGV $$", "a damaged file, or one too large?"},
        {"kill -XCPU $$", "a.step: clspline-cad has used up its time, 10 minutes"},
        {"exit 0", "a.step:1: "},
        {"echo '{}'", "a.step:2: the file holds no spline"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        splines p = {0};
        io_message message = {"(none)"};
        assert_false(read_by(ways[i][0], "a.step", &p, &message));
        if (!strstr(message.text, ways[i][1])) fail_msg("%s: %s", ways[i][0], message.text);
        assert_int_equal(p.num_splines, 0);
    }
    splines p = {0};
    io_message message = {"(none)"};
    setenv("CLSPLINE_CAD", temporary_path("nothing"), 1);
    assert_false(spline_file_add(&p, temporary_path("a.step"), MESH_F64, &message));
    assert_non_null(strstr(message.text, "a.step: STEP, IGES and BREP files need clspline-cad"));
    setenv("CLSPLINE_CAD", folder, 1);
    assert_false(spline_file_add(&p, temporary_path("a.step"), MESH_F64, &message));
    assert_non_null(strstr(message.text, "a.step: cannot start clspline-cad: "));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faces),          cmocka_unit_test(test_edges),
        cmocka_unit_test(test_mesh),           cmocka_unit_test(test_several),
        cmocka_unit_test(test_trimmed),        cmocka_unit_test(test_curves),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_program),        cmocka_unit_test(test_program_fails),
        cmocka_unit_test(test_choice),         cmocka_unit_test(test_choice_goes_on),
        cmocka_unit_test(test_choice_of_none),
    };
    if (argc != 2) return 2;
    folder = argv[1];
    return cmocka_run_group_tests_name("cad_files", tests, temporary_setup, temporary_teardown);
}
