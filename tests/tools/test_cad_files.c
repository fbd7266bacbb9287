/* The readers of IGES and STEP: what they take, which must be what the same splines in .g2 give bit
   for bit, what of a model they leave out, and the line and words of what they refuse. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_file.h"
#include "spline_file.h"
#include "temporary.h"

/* Reads a text as a file named "t". */
static bool read_in(splines *p, const char *text, mesh_precision precision, io_message *message)
{
    FILE *file = fopen(temporary_file("t", text, strlen(text)), "rb");
    assert_non_null(file);
    *p = (splines){0};
    const bool done = spline_file_read(p, file, "t", precision, message);
    fclose(file);
    return done;
}

static void read_good(splines *p, const char *text)
{
    io_message message = {"(none)"};
    if (!read_in(p, text, MESH_F64, &message)) fail_msg("%s", message.text);
}

/* The text must be refused with exactly this message. */
static void refused(const char *text, mesh_precision precision, const char *expected)
{
    splines p;
    io_message message = {"(none)"};
    assert_false(read_in(&p, text, precision, &message));
    assert_string_equal(message.text, expected);
    assert_int_equal(p.num_batches, 0);
    assert_int_equal(p.num_splines, 0);
}

static void check_reals(const double *found, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (found[i] != expected[i]) /* one bit is as bad as many */
            fail_msg("number %lu is %.17g, not %.17g", (unsigned long)i, found[i], expected[i]);
}

static void check_batch(const spline_batch *found, const spline_batch *expected)
{
    const spline_type *const a = &found->type, *const b = &expected->type;
    assert_int_equal(a->directions, b->directions);
    assert_int_equal(a->dim, b->dim);
    assert_int_equal(a->rational, b->rational);
    for (uint32_t k = 0; k < a->directions; k++) {
        assert_int_equal(a->degree[k], b->degree[k]);
        assert_int_equal(a->num_controls[k], b->num_controls[k]);
        check_reals(a->knots[k], b->knots[k], (size_t)a->num_controls[k] + a->degree[k] + 1);
    }
    assert_int_equal(found->num_splines, expected->num_splines);
    assert_int_equal(found->num_reals, expected->num_reals);
    check_reals(found->points, expected->points, found->num_reals);
    check_reals(found->domains, expected->domains, 2 * SPLINES_MAX_DIRECTIONS * found->num_splines);
}

/* What a file must tell beside its splines. */
typedef struct model {
    size_t num_trimmed, num_left_out;
    const char *left_out, *unit;
} model;

/* The text must hold the splines of a .g2 text, and this. */
static void check_model(const char *text, const char *g2, model expected)
{
    splines p, q;
    read_good(&p, text);
    read_good(&q, g2);
    assert_int_equal(p.num_batches, q.num_batches);
    for (size_t i = 0; i < p.num_batches; i++)
        check_batch(&p.batches[i], &q.batches[i]);
    assert_int_equal(p.num_trimmed, expected.num_trimmed);
    assert_int_equal(p.num_left_out, expected.num_left_out);
    assert_string_equal(p.left_out, expected.left_out ? expected.left_out : "");
    assert_string_equal(p.unit, expected.unit ? expected.unit : "");
    splines_clear(&p);
    splines_clear(&q);
}

static void check_same(const char *text, const char *g2)
{
    check_model(text, g2, (model){.num_trimmed = 0});
}

/* ---- STEP ---- */

#define HEAD       "ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('X'));\nENDSEC;\nDATA;\n"
#define TAIL       "ENDSEC;\nEND-ISO-10303-21;\n"
#define STEP(data) HEAD data TAIL /* the data begin in line 6 */
#define POINTS                                                                                     \
    "#1=CARTESIAN_POINT('',(0.,0.,0.));\n#2=CARTESIAN_POINT('',(1.,2.,0.5));\n"                    \
    "#3=CARTESIAN_POINT('',(3.,-1.,.25E1));\n#4=CARTESIAN_POINT('',(4,0.,1.));\n"
#define CURVE                                                                                      \
    "#9=B_SPLINE_CURVE_WITH_KNOTS('',2,(#1,#2,#3,#4),.UNSPECIFIED.,.F.,.F.,(3,1,3),"               \
    "(0.,0.5,1.),.UNSPECIFIED.);\n"
#define CURVE_G2 "100 1 0 0\n3 0\n4 3\n0 0 0 0.5 1 1 1\n0 0 0\n1 2 0.5\n3 -1 2.5\n4 0 1\n"
#define SURFACE                                                                                    \
    "#8=B_SPLINE_SURFACE_WITH_KNOTS('',1,1,((#1,#2),(#3,#4)),.PLANE_SURF.,.F.,.F.,"                \
    ".F.,(2,2),(2,2),(0.,1.),(0.,3.),.UNSPECIFIED.);\n"
#define SURFACE_G2 "200 1 0 0\n3 0\n2 2\n0 0 1 1\n2 2\n0 0 3 3\n0 0 0\n3 -1 2.5\n1 2 0.5\n4 0 1\n"

static void test_step_curve(void **state)
{
    (void)state;
    check_same(STEP(POINTS CURVE), CURVE_G2);
    check_same(STEP(CURVE POINTS), CURVE_G2); /* references forward */
    check_same("ISO-10303-21;HEADER;ENDSEC;DATA('part');" POINTS "ENDSEC;DATA;" CURVE TAIL,
               CURVE_G2);
    check_same(STEP("#11=CARTESIAN_POINT('',(0.,1.));#5=CARTESIAN_POINT('',(2.,3.));"
                    "#7=B_SPLINE_CURVE_WITH_KNOTS($,1,(#11,#5),.UNSPECIFIED.,.F.,.U.,(2,2),(2.,4.),"
                    ".UNSPECIFIED.);"),
               "100 1 0 0\n2 0\n2 2\n2 2 4 4\n0 1\n2 3\n");
}

static void test_step_surface(void **state)
{
    (void)state;
    check_same(STEP(POINTS SURFACE), SURFACE_G2);
    check_same(STEP(POINTS "#5=CARTESIAN_POINT('',(5.,5.,5.));#6=CARTESIAN_POINT('',(6.,6.,6.));"
                           "#8=B_SPLINE_SURFACE_WITH_KNOTS('',1,2,((#1,#2,#3),(#4,#5,#6)),"
                           ".UNSPECIFIED.,.F.,.F.,.F.,(2,2),(3,3),(0.,1.),(0.,1.),.UNSPECIFIED.);"),
               "200 1 0 0\n3 0\n2 2\n0 0 1 1\n3 3\n0 0 0 1 1 1\n0 0 0\n4 0 1\n1 2 0.5\n5 5 5\n"
               "3 -1 2.5\n6 6 6\n");
}

/* Records of complex instances in any order of theirs. */
static void test_step_rational(void **state)
{
    (void)state;
    check_same(STEP(POINTS
                    "#9=(BOUNDED_CURVE()B_SPLINE_CURVE(2,(#1,#2,#3,#4),.UNSPECIFIED.,.F.,.F.)"
                    "B_SPLINE_CURVE_WITH_KNOTS((3,1,3),(0.,0.5,1.),.UNSPECIFIED.)CURVE()"
                    "GEOMETRIC_REPRESENTATION_ITEM()RATIONAL_B_SPLINE_CURVE((1.,2.,0.5,1.))"
                    "REPRESENTATION_ITEM(''));"),
               "100 1 0 0\n3 1\n4 3\n0 0 0 0.5 1 1 1\n0 0 0 1\n2 4 1 2\n1.5 -0.5 1.25 0.5\n"
               "4 0 1 1\n");
    check_same(STEP(POINTS
                    "#8=(RATIONAL_B_SPLINE_SURFACE(((1.,1.),(2.,4.)))B_SPLINE_SURFACE_WITH_KNOTS("
                    "(2,2),(2,2),(0.,1.),(0.,3.),.UNSPECIFIED.)B_SPLINE_SURFACE(1,1,((#1,#2),"
                    "(#3,#4)),.UNSPECIFIED.,.F.,.F.,.F.)SURFACE());"),
               "200 1 0 0\n3 1\n2 2\n0 0 1 1\n2 2\n0 0 3 3\n0 0 0 1\n6 -2 5 2\n1 2 0.5 1\n"
               "16 0 4 4\n");
    check_same(STEP(POINTS "#8=(B_SPLINE_CURVE(1,(#1,#2),.U.,.F.,.F.)"
                           "RATIONAL_B_SPLINE_CURVE((0.3,0.3))BEZIER_CURVE());"), /* equal ones */
               "100 1 0 0\n3 0\n2 2\n0 0 1 1\n0 0 0\n1 2 0.5\n");
}

/* Knots that a kind of splines has without naming them. */
static void test_step_knots(void **state)
{
    (void)state;
    check_same(STEP(POINTS "#9=UNIFORM_CURVE('',2,(#1,#2,#3,#4),.UNSPECIFIED.,.F.,.F.);"),
               "100 1 0 0\n3 0\n4 3\n-2 -1 0 1 2 3 4\n0 0 0\n1 2 0.5\n3 -1 2.5\n4 0 1\n");
    check_same(STEP(POINTS "#9=QUASI_UNIFORM_CURVE('',2,(#1,#2,#3,#4),.UNSPECIFIED.,.F.,.F.);"),
               "100 1 0 0\n3 0\n4 3\n0 0 0 1 2 2 2\n0 0 0\n1 2 0.5\n3 -1 2.5\n4 0 1\n");
    check_same(STEP(POINTS "#9=BEZIER_CURVE('',2,(#1,#2,#3,#4,#1),.UNSPECIFIED.,.F.,.F.);"),
               "100 1 0 0\n3 0\n5 3\n0 0 0 1 1 2 2 2\n0 0 0\n1 2 0.5\n3 -1 2.5\n4 0 1\n0 0 0\n");
    check_same(STEP(POINTS "#9=BEZIER_CURVE('',3,(#1,#2,#3,#4),.UNSPECIFIED.,.F.,.F.);"),
               "100 1 0 0\n3 0\n4 4\n0 0 0 0 1 1 1 1\n0 0 0\n1 2 0.5\n3 -1 2.5\n4 0 1\n");
    check_same(STEP(POINTS "#9=BEZIER_SURFACE('',1,1,((#1,#2),(#3,#4)),.UNSPECIFIED.,.F.,.F.,.F.);"
                           "#10=UNIFORM_SURFACE('',1,1,((#1,#2),(#3,#4)),.U.,.F.,.F.,.F.);"
                           "#11=QUASI_UNIFORM_SURFACE('',1,1,((#1,#2),(#3,#4)),.U.,.F.,.F.,.F.);"),
               "200 1 0 0\n3 0\n2 2\n0 0 1 1\n2 2\n0 0 1 1\n0 0 0\n3 -1 2.5\n1 2 0.5\n4 0 1\n"
               "200 1 0 0\n3 0\n2 2\n-1 0 1 2\n2 2\n-1 0 1 2\n0 0 0\n3 -1 2.5\n1 2 0.5\n4 0 1\n"
               "200 1 0 0\n3 0\n2 2\n0 0 1 1\n2 2\n0 0 1 1\n0 0 0\n3 -1 2.5\n1 2 0.5\n4 0 1\n");
    refused(STEP(POINTS "#9=BEZIER_CURVE('',2,(#1,#2,#3,#4),.UNSPECIFIED.,.F.,.F.);"), MESH_F64,
            "t:10: 4 control points are no Bezier pieces of degree 2");
}

/* What stands between and in tokens. */
static void test_step_tokens(void **state)
{
    (void)state;
    check_same(STEP("/* #9=NOTHING; ' */" POINTS
                    "#77=A('it''s; #9=(','\\S\\'\\X2\\00E4\\X0\\',\"0F\","
                    "$,*,.T.,(((1),(2)),LENGTH_MEASURE(3.)));\n"
                    "#78=!MINE(-1.5E+3,'/*');\r\n#79=x();" CURVE),
               CURVE_G2);
    check_same(STEP(POINTS "#9 = b_spline_curve_with_knots ( 'a' , 2 /* degree */, ( #1 , #2,#3\n,"
                           "#4 ), .U. , .F., .F. , ( 3 , 1, 3 ), (0. , 5.E-1 , 1. ) , .U. ) ;\n"),
               CURVE_G2);
}

/* Which curves and surfaces are the model. */
static void test_step_model(void **state)
{
    (void)state;
#define FACE "#20=ADVANCED_FACE('',(#21),#8,.T.);\n#21=FACE_OUTER_BOUND('',#22,.T.);\n"
    const char *const trimmed =
        STEP(POINTS SURFACE CURVE FACE "#22=EDGE_LOOP('',(#23));\n"
                                       "#23=ORIENTED_EDGE('',*,*,#24,.T.);\n"
                                       "#24=EDGE_CURVE('',#25,#25,#26,.T.);\n"
                                       "#25=VERTEX_POINT('',#1);\n"
                                       "#26=SURFACE_CURVE('',#9,(#27),.PCURVE_S1.);\n"
                                       "#27=PCURVE('',#8,#28);\n"
                                       "#28=DEFINITIONAL_REPRESENTATION('',(#29),#30);\n"
                                       "#29=BEZIER_CURVE('',1,(#31,#31),.U.,.F.,.F.);\n"
                                       "#31=CARTESIAN_POINT('',(0.,0.));\n#30=X();\n");
    check_model(trimmed, SURFACE_G2, (model){.num_trimmed = 1});
    /* an edge without faces is a wire's */
    check_same(STEP(POINTS CURVE "#24=EDGE_CURVE('',#25,#25,#9,.T.);#25=VERTEX_POINT('',#1);"),
               CURVE_G2);
    /* also where there are faces, which have others */
    check_same(STEP(POINTS CURVE "#24=EDGE_CURVE('',#25,#25,#9,.T.);#25=VERTEX_POINT('',#1);"
                                 "#26=ADVANCED_FACE('',(#27),#8,.T.);#27=FACE_BOUND('',#28,.T.);"
                                 "#28=VERTEX_LOOP('',#25);" SURFACE),
               CURVE_G2 SURFACE_G2);
    /* what a surface is swept from, and one that is none of splines */
    check_model(STEP(POINTS SURFACE CURVE
                     "#30=SURFACE_OF_LINEAR_EXTRUSION('',#9,#31);#31=VECTOR('',#32,1.);"
                     "#32=DIRECTION('',(0.,0.,1.));#33=FACE_SURFACE('',(),#30,.T.);"
                     "#34=ADVANCED_FACE('',(),#35,.T.);#35=PLANE('',#36);#36=X();"),
                SURFACE_G2, (model){.num_left_out = 2, .left_out = "SURFACE_OF_LINEAR_EXTRUSION"});
    /* a set makes its items the model, through parts and segments */
    check_model(STEP(POINTS CURVE SURFACE
                     "#40=OFFSET_CURVE_3D('',#9,1.,.F.,#50);#50=X();#41=GEOMETRIC_CURVE_SET('',"
                     "(#42,#1,#45));#42=COMPOSITE_CURVE('',(#43),.F.);"
                     "#43=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.T.,#44);"
                     "#44=TRIMMED_CURVE('',#9,(PARAMETER_VALUE(0.1)),(PARAMETER_VALUE(1.)),.T.,"
                     ".PARAMETER.);#45=CIRCLE('',#50,1.);"),
                CURVE_G2 SURFACE_G2,
                (model){.num_trimmed = 1, .num_left_out = 1, .left_out = "CIRCLE"});
    check_model(STEP(POINTS SURFACE "#50=RECTANGULAR_TRIMMED_SURFACE('',#8,0.,1.,0.,1.,.T.,.T.);"),
                SURFACE_G2, (model){.num_trimmed = 1});
    check_model(STEP(POINTS SURFACE CURVE
                     "#50=CURVE_BOUNDED_SURFACE('',#8,(#51),.F.);#51=BOUNDARY_CURVE('',(#52),.F.);"
                     "#52=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.T.,#9);"),
                SURFACE_G2, (model){.num_trimmed = 1});
    /* notes in drawings, and views of them */
    check_same(STEP(POINTS CURVE SURFACE
                    "#51=GEOMETRIC_CURVE_SET('',(#9,#52));"
                    "#50=ANNOTATION_CURVE_OCCURRENCE('',(),#51);#52=POLYLINE('',(#1,#2));#53=("
                    "CAMERA_IMAGE()CAMERA_IMAGE_3D_WITH_SCALE()"
                    "MAPPED_ITEM(#54,#55)REPRESENTATION_ITEM(''));#54=X();#55=X();"),
               SURFACE_G2);
    /* marks go around a circle of references once */
    check_model(STEP(POINTS CURVE "#50=SURFACE_CURVE('',#51,(),.U.);#51=SURFACE_CURVE('',#50,(),"
                                  ".U.);#52=GEOMETRIC_SET('',(#50,#9));"),
                CURVE_G2, (model){.num_trimmed = 0});
}

/* Faces that are the whole of their surface: all edges lie on its sides. */
static void test_step_faces(void **state)
{
    (void)state;
#define EDGE(number, a, b, shape)                                                                  \
    "#1" number "0=ORIENTED_EDGE('',*,*,#1" number "1,.T.);#1" number "1=EDGE_CURVE('',#9" a       \
    ",#9" b ",#1" number "2,.T.);#1" number "2=" shape ";\n"
#define VERTICES                                                                                   \
    "#91=VERTEX_POINT('',#1);#92=VERTEX_POINT('',#2);#93=VERTEX_POINT('',#3);"                     \
    "#94=VERTEX_POINT('',#4);\n"
#define LOOP       "#80=ADVANCED_FACE('',(#81),#8,.T.);#81=FACE_OUTER_BOUND('',#82,.T.);\n"
#define LINE(a)    "LINE('',#" a ",#99)"
#define SIDE(a, b) "B_SPLINE_CURVE_WITH_KNOTS('',1,(#" a ",#" b "),.U.,.F.,.F.,(2,2),(0.,1.),.U.)"
#define WIRE       "SURFACE_CURVE('',#142,(),.CURVE_3D.);#142=" SIDE("1", "3")
#define FOUR       "#82=EDGE_LOOP('',(#110,#120,#130,#140));\n"
#define THREE                                                                                      \
    EDGE("1", "1", "2", LINE("1"))                                                                 \
    EDGE("2", "2", "4", SIDE("2", "4")) EDGE("3", "4", "3", LINE("4")) VERTICES
    check_same(STEP(POINTS SURFACE LOOP FOUR THREE
                    "#140=ORIENTED_EDGE('',*,*,#141,.T.);#141=EDGE_CURVE('',#93,#91,#143,.T.);"
                    "#143=" WIRE ";"),
               SURFACE_G2);
    /* backward, over another domain, and off by what rounding leaves */
    check_same(STEP(POINTS SURFACE LOOP FOUR THREE EDGE(
                   "4", "1", "3",
                   "B_SPLINE_CURVE_WITH_KNOTS('',1,(#3,#98),.U.,.F.,.F.,(2,2),(4.,7.),.U."
                   ")") "#98=CARTESIAN_POINT('',(1.E-12,-1.E-12,0.));"),
               SURFACE_G2);
    /* a diagonal, a curve between corners, one of another knot, a circle, other bounds */
    static const char *const others[] = {
        STEP(POINTS SURFACE LOOP FOUR THREE EDGE("4", "1", "4", LINE("1"))),
        STEP(POINTS SURFACE LOOP FOUR THREE EDGE("4", "1", "4", SIDE("1", "4"))),
        STEP(POINTS SURFACE LOOP FOUR THREE EDGE(
            "4", "1", "3",
            "B_SPLINE_CURVE_WITH_KNOTS('',1,(#1,#3),.U.,.F.,.F.,(2,1,1),(0.,1.,2.),.U.)")),
        STEP(POINTS SURFACE LOOP FOUR THREE EDGE(
            "4", "1", "3", SIDE("1", "98")) "#98=CARTESIAN_POINT('',(3.,-1.,2.501));"),
        STEP(POINTS SURFACE LOOP FOUR THREE EDGE("4", "1", "3", "CIRCLE('',#99,1.)")),
        STEP(POINTS SURFACE LOOP "#82=POLY_LOOP('',(#1,#2,#3));"),
        STEP(POINTS SURFACE "#80=ADVANCED_FACE('',(),#8,.T.);"),
        STEP(POINTS SURFACE LOOP FOUR THREE EDGE(
            "4", "3", "1",
            SIDE("1",
                 "3")) "#83=ADVANCED_FACE('',(#84),#8,.T.);#84=FACE_BOUND('',#85,.T.);#85=X();")};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        check_model(others[i], SURFACE_G2, (model){.num_trimmed = 1});
    check_same(STEP(POINTS SURFACE LOOP "#82=VERTEX_LOOP('',#91);" VERTICES), SURFACE_G2);
    /* weights of a side and of its curve may differ by a factor; ends that float are no sides */
#define RATIONAL(knots)                                                                            \
    "#8=(B_SPLINE_SURFACE(1,1,((#1,#2),(#3,#4)),.U.,.F.,.F.,.F.)" knots                            \
    "RATIONAL_B_SPLINE_SURFACE(((1.,2.),(2.,4.)))SURFACE());" LOOP "#82=EDGE_LOOP('',(#110));"
#define CLAMPED "B_SPLINE_SURFACE_WITH_KNOTS((2,2),(2,2),(0.,1.),(0.,1.),.U.)"
#define FLOATS  "B_SPLINE_SURFACE_WITH_KNOTS((1,1,1,1),(2,2),(-1.,0.,1.,2.),(0.,1.),.U.)"
#define RATIONAL_EDGE(weights)                                                                     \
    EDGE("1", "1", "2",                                                                            \
         "(B_SPLINE_CURVE(1,(#3,#4),.U.,.F.,.F.)B_SPLINE_CURVE_WITH_KNOTS((2,2),"                  \
         "(0.,1.),.U.)RATIONAL_B_SPLINE_CURVE((" weights ")))")
    static const struct {
        const char *text;
        size_t num_trimmed;
    } rational[] = {{STEP(POINTS RATIONAL(CLAMPED) RATIONAL_EDGE("0.5,1.")), 0},
                    {STEP(POINTS RATIONAL(CLAMPED) RATIONAL_EDGE("1.,1.")), 1},
                    {STEP(POINTS RATIONAL(FLOATS) RATIONAL_EDGE("0.5,1.")), 1}};
    for (size_t i = 0; i < 3; i++) {
        splines p;
        read_good(&p, rational[i].text);
        assert_int_equal(p.num_trimmed, rational[i].num_trimmed);
        splines_clear(&p);
    }
}

/* Parts of parameters that are all of them. */
static void test_step_parts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t num_trimmed;
    } cases[] = {
#define TRIM(a, b) STEP(POINTS CURVE "#20=TRIMMED_CURVE('',#9," a "," b ",.T.,.PARAMETER.);")
        {TRIM("(#1,PARAMETER_VALUE(0.))", "(PARAMETER_VALUE(1.),#4)"), 0},
        {TRIM("(PARAMETER_VALUE(1.))", "(PARAMETER_VALUE(1.E-12))"), 0},
        {TRIM("(PARAMETER_VALUE(0.))", "(PARAMETER_VALUE(0.999))"), 1},
        {TRIM("(#1)", "(#4)"), 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_model(cases[i].text, CURVE_G2, (model){.num_trimmed = cases[i].num_trimmed});
    check_same(STEP(POINTS SURFACE "#50=RECTANGULAR_TRIMMED_SURFACE('',#8,0.,1.,0.,3.,.T.,.T.);"),
               SURFACE_G2);
    check_model(STEP(POINTS SURFACE "#50=RECTANGULAR_TRIMMED_SURFACE('',#8,0.,1.,0.,3.,.T.,.T.);"
                                    "#51=ADVANCED_FACE('',(),#50,.T.);"),
                SURFACE_G2, (model){.num_trimmed = 1});
    check_model(STEP(POINTS SURFACE "#60=GEOMETRIC_SET('',((#8),X(),#8));"), SURFACE_G2,
                (model){.num_trimmed = 0});
}

/* Placements that leave parts where they are, and others. */
static void test_step_assembly(void **state)
{
    (void)state;
#define RELATION                                                                                   \
    "#60=(REPRESENTATION_RELATIONSHIP('','',#61,#62)"                                              \
    "REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#63)SHAPE_REPRESENTATION_RELATIONSHIP());\n"  \
    "#61=X();#62=X();#63=ITEM_DEFINED_TRANSFORMATION('','',#64,#65);\n"                            \
    "#64=AXIS2_PLACEMENT_3D('',#1,#66,$);#66=DIRECTION('',(0.,0.,1.));\n"
    check_same(STEP(POINTS CURVE RELATION "#65=AXIS2_PLACEMENT_3D('',#1,$,#67);"
                                          "#67=DIRECTION('',(1.,-0.,0.));"),
               CURVE_G2);
    refused(STEP(POINTS CURVE RELATION "#65=AXIS2_PLACEMENT_3D('',#2,$,$);"), MESH_F64,
            "t:11: an assembly, which places a part elsewhere: assemblies are not read");
    refused(STEP(POINTS CURVE RELATION), MESH_F64,
            "t:11: an assembly, which places a part elsewhere: assemblies are not read");
#define MAPPED                                                                                     \
    "#70=MAPPED_ITEM('',#71,#72);#71=REPRESENTATION_MAP(#73,#74);#74=X();\n"                       \
    "#72=AXIS2_PLACEMENT_3D('',#1,$,$);"
    check_same(STEP(POINTS CURVE MAPPED "#73=AXIS2_PLACEMENT_3D('',#1,$,$);"), CURVE_G2);
    refused(STEP(POINTS CURVE MAPPED "#73=AXIS2_PLACEMENT_3D('',#1,#75,$);"
                                     "#75=DIRECTION('',(0.,1.,0.));"),
            MESH_F64, "t:11: an assembly, which places a part elsewhere: assemblies are not read");
}

static void test_step_units(void **state)
{
    (void)state;
#define CONTEXT(number, unit)                                                                      \
    "#8" number "=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#83,#" unit    \
    "))REPRESENTATION_CONTEXT('',''));#83=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));\n"
#define METRE "#84=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.));"
#define MILLI "#85=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));"
#define INCH  "#86=(CONVERSION_BASED_UNIT('INCH',#87)LENGTH_UNIT()NAMED_UNIT(#88));"
    check_model(STEP(POINTS CURVE CONTEXT("1", "84") METRE), CURVE_G2, (model){.unit = "metre"});
    check_model(STEP(POINTS CURVE MILLI INCH CONTEXT("1", "86")), CURVE_G2,
                (model){.unit = "inch"});
    check_model(STEP(POINTS CURVE CONTEXT("1", "85") MILLI METRE
                     "#82=(GLOBAL_UNIT_ASSIGNED_CONTEXT((#84)));"),
                CURVE_G2, (model){.unit = "several"});
}

static void test_step_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"ISO-10303-21;", "t:1: the end of the file where a keyword was expected"},
        {"ISO-10303-21;DATA", "t:1: the end of the file where ; was expected"},
        {"ISO-10303-21;DATA;\n#1=X();", "t:2: the file ends within a section"},
        {HEAD "#1", "t:6: the end of the file where = was expected"},
        {HEAD "#1=", "t:6: the end of the file where a keyword was expected"},
        {HEAD "#1=X(", "t:6: the end of the file where ) was expected"},
        {HEAD "#1=X('a", "t:6: a text without an end"},
        {HEAD "\n/* never", "t:7: a comment without an end"},
        {HEAD "#1=X();\n#a=X();", "t:7: # without the number of an instance"},
        {HEAD "#99999999999999999999=X();", "t:6: # without the number of an instance"},
        {HEAD "#1=X)", "t:6: ) where ( was expected"},
        {HEAD "1=X();", "t:6: 1 where # was expected"},
        {STEP(""), "t:7: the file holds no B-spline"},
        {STEP("#1=X();#1=X();"), "t:6: #1 stands twice"},
        {STEP("#2=X();\n#1=X();\n#2=X();"), "t:8: #2 stands twice"},
        {STEP("#1=ADVANCED_FACE('',(),#2,.T.);#2=PLANE('',$);"),
         "t:7: the file holds no B-spline, but other shapes, such as PLANE"},
        {STEP("#1=ADVANCED_FACE('',(),#2,.T.);"),
         "t:6: a reference to an instance that is not in the file"},
        {STEP("#1=CARTESIAN_POINT('',(1.,2.,3.,4.));"), "t:6: a point of more than 3 coordinates"},
        {STEP("#1=CARTESIAN_POINT('',(1.,NAN));"), "t:6: 'NAN' is not a finite number"},
        {STEP("#1=CARTESIAN_POINT('',(1.,$));"), "t:6: $ where a coordinate was expected"},
        {STEP("#1=CARTESIAN_POINT('',());#2=BEZIER_CURVE('',1,(#1,#1),.U.,.F.,.F.);"),
         "t:6: a point of no coordinates"},
        {STEP("#2=BEZIER_CURVE('',1,(#1,#1),.U.,.F.,.F.);"),
         "t:6: a control point that is no CARTESIAN_POINT of the file"},
        {STEP("#2=BEZIER_CURVE('',1,(#2,#2),.U.,.F.,.F.);"),
         "t:6: a control point that is no CARTESIAN_POINT of the file"},
        {STEP(POINTS "#9=BEZIER_CURVE('',4,(#1,#2),.U.,.F.,.F.);"),
         "t:10: 2 control points of degree 4"},
        {STEP(POINTS "#9=BEZIER_CURVE('',256,(#1,#2),.U.,.F.,.F.);"),
         "t:10: the degree is 256, above 255"},
        {STEP(POINTS "#9=BEZIER_SURFACE('',1,1,((#1,#2),(#1)),.U.,.F.,.F.);"),
         "t:10: a row of 1 items after one of 2"},
        {STEP(POINTS "#9=B_SPLINE_CURVE('',1,(#1,#2),.U.,.F.,.F.);"),
         "t:10: a spline without knots"},
        {STEP(POINTS "#9=(RATIONAL_B_SPLINE_CURVE((1.,1.))BEZIER_CURVE());"),
         "t:10: a spline without control points"},
#define KNOTS(text)                                                                                \
    STEP(POINTS "#9=B_SPLINE_CURVE_WITH_KNOTS('',1,(#1,#2),.U.,.F.,.F.," text ",.U.);")
        {KNOTS("(2,2),(1.,0.)"), "t:10: knot 3 is less than the one before"},
        {KNOTS("(2,2),(1.,1.)"), "t:10: knot 3 stands more often than degree + 1 times"},
        {KNOTS("(2,3),(0.,1.)"), "t:10: more than the 4 knots of 2 control points of degree 1"},
        {KNOTS("(2,16777216),(0.,1.)"),
         "t:10: more than the 4 knots of 2 control points of degree 1"},
        {KNOTS("(2,1),(0.,1.)"), "t:10: 3 knots for 2 control points of degree 1, not 4"},
        {KNOTS("(2,2),(0.)"), "t:10: fewer knots than multiplicities"},
        {KNOTS("(2),(0.,1.)"), "t:10: more knots than multiplicities"},
        {KNOTS("(2,-2),(0.,1.)"), "t:10: '-2' where a multiplicity was expected"},
        {KNOTS("(2,2),(0.,INF)"), "t:10: 'INF' is not a finite number"},
#define WEIGHTS(text)                                                                              \
    STEP(POINTS "#9=(B_SPLINE_CURVE(1,(#1,#2),.U.,.F.,.F.)BEZIER_CURVE()"                          \
                "RATIONAL_B_SPLINE_CURVE(" text "));")
        {WEIGHTS("(1.,0.)"), "t:10: the weight 0 is not above 0"},
        {WEIGHTS("(1.,-1.)"), "t:10: the weight -1 is not above 0"},
        {WEIGHTS("(1.)"), "t:10: 1 weights for 2 points"},
        {WEIGHTS("1."), "t:10: 1 where ( was expected"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(cases[i].text, MESH_F64, cases[i].message);
    refused(STEP("#1=CARTESIAN_POINT('',(1.E300,0.));"), MESH_F32,
            "t:6: '1.E300' is too large for a float; use --precision f64");
}

/* Lists within each other cost no stack. */
static void test_step_depth(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    char *text = malloc(2 * DEPTH + 1000);
    splines p;
    assert_non_null(text);
    size_t at = (size_t)sprintf(text, "%s#99=X(", HEAD POINTS CURVE);
    memset(text + at, '(', DEPTH);
    memset(text + at + DEPTH, ')', DEPTH);
    strcpy(text + at + 2 * DEPTH, ");" TAIL);
    read_good(&p, text);
    assert_int_equal(p.num_splines, 1);
    splines_clear(&p);
    free(text);
}

/* ---- IGES ---- */

/* An entity: its type, status and transformation (a number of the list, from 1), and its
   parameters behind the type. */
typedef struct entity {
    int type;
    const char *status; /* "": zeros */
    const char *parameters;
    int matrix;
} entity;

#define E(number, digits, text) .type = number, .status = digits, .parameters = text

static size_t put(char *text, const char *line, int columns, const char *tail, char letter, int n)
{
    return (size_t)sprintf(text, "%-*.*s%s%c%7d\n", columns, columns, line, tail, letter, n);
}

/* Writes a file of some entities, in static storage. In parameters @3 stands for a pointer to the
   third one. */
static const char *iges(const char *global, const entity *e, int num)
{
    static char text[65536];
    char all[4096], data[32768] = "", tail[16], line[100];
    size_t at = put(text, "A file", 72, "", 'S', 1), begin = 0;
    int lines = 0;
    for (int n = 0; n * 72 < (int)strlen(global); n++)
        at += put(text + at, global + 72 * n, 72, "", 'G', n + 1);
    for (int i = 0; i < num; i++) {
        size_t length = (size_t)sprintf(all, "%d%c", e[i].type, global[0] == '1' ? global[2] : ',');
        for (const char *from = e[i].parameters; *from; from++)
            length += *from == '@' ? (size_t)sprintf(all + length, "%d", 2 * *++from - 2 * '0' - 1)
                                   : (size_t)sprintf(all + length, "%c", *from);
        const int first = lines + 1;
        sprintf(tail, " %7d", 2 * i + 1);
        for (size_t from = 0; from < length; from += 64)
            begin += put(data + begin, all + from, 64, tail, 'P', ++lines);
        sprintf(line, "%8d%8d%8d%8d%8d%8d%8d%8d%8s", e[i].type, first, 0, 0, 0, 0,
                e[i].matrix ? 2 * e[i].matrix - 1 : 0, 0, e[i].status);
        at += put(text + at, line, 72, "", 'D', 2 * i + 1);
        sprintf(line, "%8d%8d%8d%8d%8d", e[i].type, 0, 0, lines - first + 1, 0);
        at += put(text + at, line, 72, "", 'D', 2 * i + 2);
    }
    strcpy(text + at, data);
    put(text + at + begin, "S      1", 72, "", 'T', 1);
    return text;
}

#define GLOBAL "1H,,1H;,1Ha,1Hb,1Hc,1Hd,32,38,6,308,15,1He,1.,2,2HMM,1,0.01,1Hf,1E-6;"
#define MM                                                                                         \
    (model)                                                                                        \
    {                                                                                              \
        .unit = "millimetre"                                                                       \
    }
#define ENTITIES(...)                                                                              \
    iges(GLOBAL, (const entity[]){__VA_ARGS__},                                                    \
         sizeof((const entity[]){__VA_ARGS__}) / sizeof(entity))
#define IGES_LINE        "1,1,0,0,1,0,0.,0.,1.,1.,1.,1.,1.,2.,3.,4.,5.,6.,0.,1.;"
#define LINE_G2          "100 1 0 0\n3 0\n2 2\n0 0 1 1\n1 2 3\n4 5 6\n"
#define IGES_FACET(ends) "1,1,1,1,0,0,1,0,0,0,0,1,1,0,0,2,2,1,1,1,1,0,0,0,1,0,0,0,1,0,1,1,1," ends
#define FACET_G2         "200 1 0 0\n3 0\n2 2\n0 0 1 1\n2 2\n0 0 2 2\n0 0 0\n1 0 0\n0 1 0\n1 1 1\n"

static void test_iges_curve(void **state)
{
    (void)state;
    check_model(ENTITIES({E(126, "", IGES_LINE)}), LINE_G2, MM);
    /* D exponents, signs, what is left out, texts behind, and lines that break anywhere */
    check_model(ENTITIES({E(126, "00000000",
                            "+3,2,0,0,0,0,,0.D0,0,5.D-1,1.0E0,1,+1.,1.,2.,0.5D0,1,,,,1.,2.,0.5,"
                            "3.,-1.,.25D+1,4,,1.,0.,1.,0.,0.,1.,0,0;")}),
                "100 1 0 0\n3 1\n4 3\n0 0 0 0.5 1 1 1\n0 0 0 1\n2 4 1 2\n1.5 -0.5 1.25 0.5\n"
                "4 0 1 1\n",
                MM);
    check_model(
        ENTITIES({E(126, "        ", "1,1,0,0,1,0,0.,0.,1.,1.,0.3,0.3,1.,2.,3.,4.,5.,6.;")}),
        LINE_G2, MM);
    check_model(ENTITIES({E(126, "????????", IGES_LINE)}), LINE_G2, MM);
}

static void test_iges_surface(void **state)
{
    (void)state;
    check_model(ENTITIES({E(128, "", IGES_FACET("0,1,0,2;"))}), FACET_G2, MM);
    check_model(ENTITIES({E(128, "", IGES_FACET("-1,2,0,2;"))}), FACET_G2, MM);
    check_model(ENTITIES({E(128, "", IGES_FACET("0,1,0,1.9;"))}), FACET_G2,
                (model){.num_trimmed = 1, .unit = "millimetre"});
    check_model(ENTITIES({E(128, "",
                            "1,2,1,2,0,0,0,0,0,0,0,1,1,0,0,0,1,1,1,1,2,1,1,1,4,0,0,0,1,0,0,"
                            "0,1,0,1,1,0,0,2,0,1,2,8,0,1,0,1;")}),
                "200 1 0 0\n3 1\n2 2\n0 0 1 1\n3 3\n0 0 0 1 1 1\n0 0 0 1\n2 0 0 2\n0 1 0 1\n"
                "1 1 0 1\n0 2 0 1\n4 8 32 4\n",
                MM);
}

/* Matrices apply from the inner one outward. */
static void test_iges_matrix(void **state)
{
    (void)state;
#define TURN   "0,-1,0,10,1,0,0,20,0,0,1,30;" /* (x, y, z) to (10 - y, 20 + x, 30 + z) */
#define DOUBLE "2,0,0,0,0,2,0,0,0,0,2,0;"
    check_model(ENTITIES({E(126, "", IGES_LINE), .matrix = 2}, {E(124, "", TURN)}),
                "100 1 0 0\n3 0\n2 2\n0 0 1 1\n8 21 33\n5 24 36\n", MM);
    check_model(ENTITIES({E(124, "", TURN), .matrix = 3}, {E(126, "", IGES_LINE), .matrix = 1},
                         {E(124, "", DOUBLE)}),
                "100 1 0 0\n3 0\n2 2\n0 0 1 1\n16 42 66\n10 48 72\n", MM);
    check_model(ENTITIES({E(126, "", "1,1,0,0,0,0,0.,0.,1.,1.,1.,2.,1.,2.,3.,4.,5.,6.,0.,1.;"),
                          .matrix = 2},
                         {E(124, "", TURN)}),
                "100 1 0 0\n3 1\n2 2\n0 0 1 1\n8 21 33 1\n10 48 72 2\n", MM);
    refused(ENTITIES({E(126, "", IGES_LINE), .matrix = 2}, {E(124, "", TURN), .matrix = 2}),
            MESH_F64, "t:8: more than 64 transformations one after another");
    refused(ENTITIES({E(126, "", IGES_LINE), .matrix = 1}), MESH_F64,
            "t:3: 1 is no transformation (entity 124)");
    refused(ENTITIES({E(126, "", IGES_LINE), .matrix = 9}), MESH_F64,
            "t:3: 17 is no transformation (entity 124)");
}

/* Pieces of polynomials: those that meet, those that do not, in planes and with a matrix. */
static void test_iges_parametric_curve(void **state)
{
    (void)state;
#define ENDS "9,9,9,9,9,9,9,9,9,9,9,9;" /* of the last piece, which are not needed */
    check_model(ENTITIES({E(112, "", "3,2,3,1,0,2,1,1.5,0,0,0,3,0,0,5,0,0.375,-0.375," ENDS)}),
                "100 1 0 0\n3 0\n4 4\n0 0 0 0 2 2 2 2\n1 0 5\n2 2 5\n3 4 5.5\n4 6 3.5\n", MM);
    check_model(ENTITIES({E(112, "",
                            "6,1,2,3,-1.,0,2,3,0,3,0,0,1,0,0,0,7,0,0,0,3,1.5,0,0,1,3,0,0,7,0,0,0,"
                            "6,3,0,0,7.5,3,0,0,7,,,," ENDS)}),
                "100 1 0 0\n3 0\n11 4\n-1 -1 -1 -1 0 0 0 2 2 2 2 3 3 3 3\n0 1 7\n1 1 7\n2 1 7\n"
                "3 1 7\n4 3 7\n5 5 7\n6 7 7\n6 7.5 7\n7 8.5 7\n8 9.5 7\n9 10.5 7\n",
                MM);
    check_model(ENTITIES({E(112, "", "3,2,3,1,0,1,1,3,0,0,2,0,0,0,3,0,0,0;"), .matrix = 2},
                         {E(124, "", TURN)}),
                "100 1 0 0\n3 0\n4 4\n0 0 0 0 1 1 1 1\n8 21 33\n8 22 33\n8 23 33\n8 24 33\n", MM);
    refused(ENTITIES({E(112, "", "3,2,3,0,0;")}), MESH_F64,
            "t:5: a parametric spline without pieces");
    refused(ENTITIES({E(112, "", "3,2,3,2,0,1,1,0;")}), MESH_F64,
            "t:5: break point 3 is not above the one before");
    refused(ENTITIES({E(112, "", "3,2,3,1,0,1,1,3,0,0,2,0,0,0,3,0;")}), MESH_F64,
            "t:5: the entity ends where a coefficient was expected");
    refused(ENTITIES({E(112, "", "3,2,3,1,0,1,1,3E38,3E38,0,2,0,0,0,3,0,0,0;")}), MESH_F32,
            "t:5: a point becomes too large");
}

/* Two pieces along u that meet and two along v that do not; behind each row of them, one that means
   nothing. */
static void test_iges_parametric_surface(void **state)
{
    (void)state;
#define ZEROS_8        "0,0,0,0,0,0,0,0,"
#define NO_PIECE       ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8 ZEROS_8
#define PIECE(x, y, z) /* x + 3 s, y + 3 t, and the terms of t and s t in z */                     \
    x ",3,0,0,0,0,0,0," ZEROS_8 y ",0,0,0,3,0,0,0," ZEROS_8 "0,0,0,0," z ",0,0," ZEROS_8
    char g2[2048];
    size_t at = (size_t)sprintf(
        g2, "200 1 0 0\n3 0\n7 4\n0 0 0 0 1 1 1 2 2 2 2\n8 4\n0 0 0 0 1 1 1 1 2 2 2 2\n");
    for (int i = 0; i < 7 * 8; i++) {
        const int u = i % 7, v = i / 7, t = v % 4;
        at += (size_t)sprintf(g2 + at, "%d %d %d\n", u, v, u < 3 ? u * t : 3 * t);
    }
    check_model(ENTITIES({E(114, "",
                            "3,1,2,2,0,1,2,0,1,2," PIECE("0", "0", "0,9") PIECE("0", "4", "0,9")
                                NO_PIECE PIECE("3", "0", "9,0") PIECE("3", "4", "9,0")
                                    NO_PIECE NO_PIECE "0;")}),
                g2, MM);
    refused(ENTITIES({E(114, "", "3,1,1,1,0,1,1,1;")}), MESH_F64,
            "t:5: break point 2 is not above the one before");
    refused(ENTITIES({E(114, "", "3,1,2,1,0,1,2,0,1," PIECE("0", "0", "0,9") ";")}), MESH_F64,
            "t:6: the entity ends where a coefficient was expected");
}

/* Which curves and surfaces are the model. */
static void test_iges_model(void **state)
{
    (void)state;
    const model mm = MM, trimmed = {.num_trimmed = 1, .unit = "millimetre"};
    /* by use: annotation, definition, in parameters, construction */
    check_model(ENTITIES({E(126, "00000100", IGES_LINE)}, {E(126, "00000200", IGES_LINE)},
                         {E(126, "00000500", IGES_LINE)}, {E(126, "00000600", IGES_LINE)},
                         {E(126, "00000000", IGES_LINE)}),
                LINE_G2, mm);
    /* trimmed surfaces, without and with boundaries, whose curves are no model */
    check_model(ENTITIES({E(144, "", "@2,0,0,0;")}, {E(128, "00010000", IGES_FACET("0,1,0,2;"))}),
                FACET_G2, mm);
    check_model(ENTITIES({E(144, "", "@2,0,1,0,@3;")}, {E(128, "00010000", IGES_FACET("0,1,0,2;"))},
                         {E(142, "00010000", "0,@2,@4,@5,1;")}, {E(126, "00010500", IGES_LINE)},
                         {E(102, "00000000", "1,@6;")}, {E(126, "00000000", IGES_LINE)}),
                FACET_G2, trimmed);
    check_model(ENTITIES({E(128, "00000000", IGES_FACET("0,1,0,2;"))}, {E(143, "", "1,@1,1,@3;")},
                         {E(141, "", "1,1,@1,1,@4,1,1,@4;")}, {E(126, "", IGES_LINE)}),
                FACET_G2, trimmed);
    check_model(ENTITIES({E(128, "00010000", IGES_FACET("0,1,0,2;"))}, {E(510, "", "@1,1,1,@3;")},
                         {E(508, "", "1,0,@4,1,1,1,0,@5;")}, {E(504, "", "1,@5,0,1,0,1;")},
                         {E(126, "", IGES_LINE)}),
                FACET_G2, trimmed);
    check_model(ENTITIES({E(128, "00010000", IGES_FACET("0,1,0,2;"))}), FACET_G2, trimmed);
    /* composite curves and groups are where they are, what surfaces are made from is not */
    check_model(
        ENTITIES({E(102, "00000000", "2,@2,@3;")}, {E(126, "00010000", IGES_LINE)},
                 {E(100, "00010000", "0.,0.,0.,1.,0.,0.,1.;")}, {E(402, "", "1,@5;")},
                 {E(126, "00020000", IGES_LINE)}, {E(120, "", "@7,@8,0.,1.;")},
                 {E(110, "00010000", "0.,0.,0.,0.,0.,1.;")}, {E(126, "00000000", IGES_LINE)}),
        LINE_G2 LINE_G2,
        (model){.num_left_out = 2, .left_out = "a circular arc (100)", .unit = "millimetre"});
    /* planes are shapes where they are trimmed */
    check_model(ENTITIES({E(128, "", IGES_FACET("0,1,0,2;"))}, {E(108, "", "0.,0.,1.,0.,0;")},
                         {E(144, "", "@4,1,0,0;")}, {E(108, "00010000", "0.,0.,1.,0.,0;")}),
                FACET_G2,
                (model){.num_left_out = 1, .left_out = "a plane (108)", .unit = "millimetre"});
    /* composite curves of each other, without end */
    check_model(
        ENTITIES({E(102, "", "1,@2;")}, {E(102, "", "2,@1,@3;")}, {E(126, "00010000", IGES_LINE)}),
        LINE_G2, mm);
    refused(ENTITIES({E(408, "", "@2,0.,0.,0.,1.;")}, {E(308, "", "0,1Ha,1,@3;")},
                     {E(126, "00010200", IGES_LINE)}),
            MESH_F64, "t:3: a copy of a subfigure (entity 408), which is not read");
}

#define IGES_BENT "2,1,0,0,1,0,0.,0.,0.5,1.,1.,1.,1.,1.,1.,2.,0.,0.3,"

/* Trimmed surfaces whose boundaries are the sides of their domain, [0, 1] x [0, 2]. */
static void test_iges_trims(void **state)
{
    (void)state;
    static const struct {
        const char *curves[4];
        size_t num_trimmed;
    } cases[] = {
#define PARAMETERS(number, text) E(number, "00010500", text)
#define BOTTOM                   "0.,0.,0.,1.,0.,0.;"
#define RIGHT                    "1.,0.,0.,1.,2.,0.;"
#define TOP                      IGES_BENT "2.,0.,0.,2.,0.,0.,1.;"
#define BENT                     IGES_BENT "1.9,0.,0.,2.,0.;"
#define LEFT                     "0.,2.,0.,0.,0.,0.;"
        {{BOTTOM, RIGHT, TOP, LEFT}, 0},
        {{BOTTOM, RIGHT, TOP, "0.,2.,0.,1.E-12,0.,0.;"}, 0},
        {{BOTTOM, RIGHT, TOP, "0.,2.,0.,0.001,0.,0.;"}, 1},
        {{BOTTOM, RIGHT, TOP, "0.,2.,0.;"}, 1},
        {{BOTTOM, RIGHT, BENT, LEFT}, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_model(
            ENTITIES({E(144, "", "@2,1,0,@3;")}, {E(128, "00010000", IGES_FACET("0,1,0,2;"))},
                     {E(142, "00010000", "0,@2,@4,0,1;")}, {E(102, "00010500", "4,@5,@6,@7,@8;")},
                     {PARAMETERS(110, cases[i].curves[0])}, {PARAMETERS(110, cases[i].curves[1])},
                     {PARAMETERS(126, cases[i].curves[2])}, {PARAMETERS(110, cases[i].curves[3])}),
            FACET_G2, (model){.num_trimmed = cases[i].num_trimmed, .unit = "millimetre"});
    /* an inner boundary, one without parameters, one of two that is no whole */
    const model trimmed = {.num_trimmed = 1, .unit = "millimetre"};
    const entity facet = {E(128, "00010000", IGES_FACET("0,1,0,2;"))};
    check_model(ENTITIES({E(144, "", "@2,0,1,0,@3;")}, facet, {E(142, "00010000", "0,@2,@4,0,1;")},
                         {PARAMETERS(110, "0.2,0.2,0.,0.4,0.4,0.;")}),
                FACET_G2, trimmed);
    check_model(ENTITIES({E(144, "", "@2,1,0,@3;")}, facet, {E(142, "00010000", "0,@2,0,@4,2;")},
                         {E(110, "00010000", BOTTOM)}),
                FACET_G2, trimmed);
    check_model(ENTITIES({E(144, "", "@2,0,0,0;")}, facet, {E(144, "", "@2,1,0,@4;")},
                         {E(142, "00010000", "0,@2,0,0,2;")}),
                FACET_G2, trimmed);
}

/* The characters and units that the global section chooses. */
static void test_iges_global(void **state)
{
    (void)state;
    const entity line = {E(126, "", "1,1,0,0,1,0,0.,0.,1.,1.,1.,1.,1.,2.,3.,4.,5.,6.,0.,1.;")};
    check_model(iges(",,1Ha;", &line, 1), LINE_G2, (model){.unit = "inch"});
    check_model(iges(",,3Ha,b,,,,,,,,,,1.,6,1HM;", &line, 1), LINE_G2, (model){.unit = "metre"});
    check_model(iges(" , , 3Ha;b,,,,,,,,,,1.,3,7HFURLONG;", &line, 1), LINE_G2,
                (model){.unit = "FURLONG"});
    const entity other = {E(126, "", "1/1/0/0/1/0/0./0./1./1./1./1./1./2./3./4./5./6./0./1.#")};
    check_model(iges("1H//1H#/1Ha//////////1./10/#", &other, 1), LINE_G2,
                (model){.unit = "centimetre"});
    refused(iges("1H111H;1", &line, 1), MESH_F64,
            "t:2: the global section chooses delimiters that cannot be ones");
    refused(iges("a,b;", &line, 1), MESH_F64,
            "t:2: the global section does not begin with its delimiters");
    refused(iges(",,1Hab;", &line, 1), MESH_F64, "t:2: a text of another length than it says");
    refused(iges(",,99Ha;", &line, 1), MESH_F64, "t:2: a text without an end");
    refused(iges(",,1Ha,,,,,,,,,,,12;", &line, 1), MESH_F64,
            "t:2: the flag of units is 12, above 11");
}

static void test_iges_refused(void **state)
{
    (void)state;
    static const struct {
        const char *parameters, *message;
    } cases[] = {
        {"", "t:5: parameters without a ; at their end"},
        {"1,1;", "t:5: the entity ends where a knot was expected"},
        {"16777215,1,0,0,1,0,0.;", "t:5: the entity ends where a knot was expected"},
        {"16777216,1;", "t:5: the last index of control points is 16777216, above 16777215"},
        {"1,256;", "t:5: the degree is 256, above 255"},
        {"-1,1;", "t:5: '-1' where the last index of control points was expected"},
        {"1,2;", "t:5: 2 control points of degree 2"},
        {"1,1,0,0,1,0,0.,0.,1.,1.;", "t:5: the entity ends where a weight was expected"},
        {"1,1,0,0,1,0,0.,0.,1.,0.5;", "t:5: knot 4 is less than the one before"},
        {"1,1,0,0,1,0,0.,0.,0.,1.;", "t:5: knot 3 stands more often than degree + 1 times"},
        {"1,1,0,0,1,0,0.,0.,nan,1.;", "t:5: 'nan' is not a finite number"},
        {"1,1,0,0,1,0,0.,0.,1 1,1.;", "t:5: '1 1' where a knot was expected"},
        {"1,1,0,0,1,0,0.,0.,1.,1.,1.,-1.;", "t:5: the weight -1 is not above 0"},
        {"1,1,0,0,1,0,0.,0.,1.,1.,1.,;", "t:5: the weight 0 is not above 0"},
        {"1,1,0,0,1,0,0.,0.,1.,1.,1.,1.,1.,2.,3.,4.,5.;",
         "t:5: the entity ends where a coordinate was expected"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refused(ENTITIES({E(126, "", cases[i].parameters)}), MESH_F64, cases[i].message);
    refused(ENTITIES({E(126, "", "1,1,0,0,1,0,0.,0.,1.,1.,1.,1.,1e99,2.,3.,4.,5.,6.;")}), MESH_F32,
            "t:5: '1e99' is too large for a float; use --precision f64");
    refused(ENTITIES({E(110, "", "0.,0.,0.,1.,1.,1.;")}), MESH_F64,
            "t:7: the file holds no B-spline, but other shapes, such as a line (110)");
    refused(ENTITIES({E(144, "", "2;")}), MESH_F64,
            "t:5: 2 is no pointer to an entity of the file");
    refused(ENTITIES({E(144, "", "9;")}), MESH_F64,
            "t:5: 9 is no pointer to an entity of the file");
}

/* Files whose lines are not as they should be. */
static void test_iges_lines(void **state)
{
    (void)state;
    char text[4096];
    const char *good = ENTITIES({E(126, "", IGES_LINE)});
    char *const end = text + 5 * 81; /* behind S, G, D, D and P */
    strcpy(text, good);
    end[0] = 0;
    refused(text, MESH_F64, "t:6: the file ends before its last section, T");
    strcpy(text, good);
    strcpy(end + 10, "\n");
    refused(text, MESH_F64, "t:6: a line of 10 columns, which IGES files have 80 of");
    strcpy(text, good);
    memcpy(text + 2 * 81 + 72, "X", 1);
    refused(text, MESH_F64, "t:3: 'X' in column 73, where sections are S, G, D, P and T in turn");
    strcpy(text, good);
    memcpy(text + 4 * 81 + 72, "S", 1);
    refused(text, MESH_F64, "t:5: 'S' in column 73, where sections are S, G, D, P and T in turn");
    strcpy(text, good);
    memcpy(text + 2 * 81 + 8, "       9", 8);
    refused(text, MESH_F64, "t:3: parameters in lines 9 to 9 of 1");
    strcpy(text, good);
    memcpy(text + 4 * 81, "128", 3);
    refused(text, MESH_F64, "t:5: parameters of an entity 128, which is 126 in the directory");
    memset(text, ' ', 80);
    strcpy(text + 72, "C0000001\n");
    refused(text, MESH_F64,
            "t: an IGES file in compressed form; convert it to .g2, STEP, IGES or geomdl's JSON");
    text[72] = 'B';
    refused(text, MESH_F64,
            "t: an IGES file in binary form; convert it to .g2, STEP, IGES or geomdl's JSON");
}

/* Carriage returns, and blanks behind the last column. */
static void test_iges_ends(void **state)
{
    (void)state;
    char text[4096];
    size_t n = 0;
    for (const char *c = ENTITIES({E(126, "", IGES_LINE)}); *c; c++) {
        if (*c == '\n') n += (size_t)sprintf(text + n, "  \r");
        text[n++] = *c;
    }
    text[n] = 0;
    check_model(text, LINE_G2, MM);
}

/* ---- both ---- */

/* Every byte of good files replaced in turn by others: an error or a result, never a fault. */
static void test_changed_bytes(void **state)
{
    (void)state;
    static const char others[] = {'#', '-', '9', '\n', ' ', '(', ')', '\'', ',', ';', (char)0xff};
    const char *const good[] = {
        STEP(POINTS SURFACE CURVE FACE
             "#22=X();" RELATION "#65=AXIS2_PLACEMENT_3D('',#1,$,$);" CONTEXT("1", "84") METRE),
        strdup(ENTITIES(
            {E(144, "", "@2,0,0,0;")}, {E(128, "00010000", IGES_FACET("0,1,0,2;")), .matrix = 3},
            {E(124, "", TURN)}, {E(102, "", "1,@5;")}, {E(126, "00010000", IGES_LINE)})),
        strdup(ENTITIES({E(112, "", "3,2,3,1,0,1,1,3,0,0,2,0,0,0,3,0,0,0;")},
                        {E(114, "", "3,1,1,1,0,1,0,1," PIECE("0", "0", "0,9") ";")}))};
    for (size_t g = 0; g < sizeof(good) / sizeof(good[0]); g++) {
        char *text = strdup(good[g]);
        for (size_t i = 0; text[i]; i++)
            for (size_t k = 0; k < sizeof(others); k += 1 + i % 3) {
                splines p;
                io_message message = {""};
                text[i] = others[k];
                if (read_in(&p, text, MESH_F32, &message))
                    splines_clear(&p);
                else
                    assert_true(strncmp(message.text, "t:", 2) == 0);
                text[i] = good[g][i];
            }
        free(text);
    }
    free((void *)(uintptr_t)good[1]);
    free((void *)(uintptr_t)good[2]);
}

static void check_file(const char *name, const char *text, const char *expected)
{
    splines p = {0};
    io_message message = {""};
    assert_false(spline_file_add(&p, temporary_file(name, text, strlen(text)), MESH_F64, &message));
    if (!strstr(message.text, expected)) fail_msg("%s", message.text);
}

/* A file that begins as none is read as its ending says. */
static void test_endings(void **state)
{
    (void)state;
    check_file("a.igs", "A file\n", ":1: a line of 6 columns, which IGES files have 80 of");
    check_file("a.IGES", "", ":1: the file ends before its last section, T");
    check_file("a.stp", "A file", ":1: no STEP file: it does not begin with ISO-10303-21;");
    check_file("a.step", "", ":1: the end of the file where a keyword was expected");
    check_file("a.g2", "A file", "'A' where the class of an object was expected");
}

/* A model to measure distances to is all there. */
static void test_model_file(void **state)
{
    (void)state;
    splines p = {0};
    io_message message = {""};
    static const char trimmed[] = STEP(POINTS SURFACE FACE "#22=X();");
    static const char plane[] = STEP(POINTS SURFACE "#20=FACE_SURFACE('',(),#21,.T.);#21=PLANE();");
    const char *path = temporary_file("a.step", trimmed, strlen(trimmed));
    assert_false(model_file_add(&p, path, MESH_F64, &message));
    assert_non_null(strstr(message.text, ": 1 spline is trimmed, and what is cut off would be "));
    path = temporary_file("b.step", plane, strlen(plane));
    assert_false(model_file_add(&p, path, MESH_F64, &message));
    assert_non_null(strstr(message.text, ": 1 shape is no spline and would be missing, the first "
                                         "PLANE; 'clspline convert' makes a file"));
    assert_int_equal(p.num_splines, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_curve),
        cmocka_unit_test(test_step_surface),
        cmocka_unit_test(test_step_rational),
        cmocka_unit_test(test_step_knots),
        cmocka_unit_test(test_step_tokens),
        cmocka_unit_test(test_step_model),
        cmocka_unit_test(test_step_faces),
        cmocka_unit_test(test_step_parts),
        cmocka_unit_test(test_step_assembly),
        cmocka_unit_test(test_step_units),
        cmocka_unit_test(test_step_refused),
        cmocka_unit_test(test_step_depth),
        cmocka_unit_test(test_iges_curve),
        cmocka_unit_test(test_iges_surface),
        cmocka_unit_test(test_iges_parametric_curve),
        cmocka_unit_test(test_iges_parametric_surface),
        cmocka_unit_test(test_iges_matrix),
        cmocka_unit_test(test_iges_model),
        cmocka_unit_test(test_iges_trims),
        cmocka_unit_test(test_iges_global),
        cmocka_unit_test(test_iges_refused),
        cmocka_unit_test(test_iges_lines),
        cmocka_unit_test(test_iges_ends),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_endings),
        cmocka_unit_test(test_model_file),
    };
    return cmocka_run_group_tests_name("cad_files", tests, temporary_setup, temporary_teardown);
}
