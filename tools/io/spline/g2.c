#include "g2.h"

#include "spline_scan.h"

enum {
    SPLINE_CURVE = 100,
    SPLINE_SURFACE = 200,
    SPLINE_VOLUME = 700,
    MAX_CLASS = 1000000,
    MAX_EXTRA = 65536 /* numbers in a header */
};

/* Names a class of GoTools that is not read; "" for one that it does not have. */
static const char *class_name(uint32_t number)
{
    static const struct {
        uint32_t number;
        const char *name;
    } classes[] = {{110, "CurveOnSurface"},
                   {120, "Line"},
                   {130, "Circle"},
                   {140, "Ellipse"},
                   {150, "BoundedCurve"},
                   {160, "Hyperbola"},
                   {170, "Parabola"},
                   {210, "BoundedSurface"},
                   {211, "SurfaceOnVolume"},
                   {220, "GoBaryPolSurface"},
                   {240, "CompositeSurface"},
                   {250, "Plane"},
                   {260, "Cylinder"},
                   {270, "Sphere"},
                   {280, "Cone"},
                   {290, "Torus"},
                   {291, "SurfaceOfRevolution"},
                   {292, "Disc"},
                   {293, "LRSplineSurface"},
                   {294, "TSplineSurface"},
                   {400, "PointCloud"},
                   {410, "LineCloud"},
                   {510, "RectGrid"},
                   {710, "BoundedVolume"},
                   {720, "Parallelepiped"},
                   {721, "SphereVolume"},
                   {722, "CylinderVolume"},
                   {723, "ConeVolume"},
                   {724, "TorusVolume"}};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (classes[i].number == number) return classes[i].name;
    return "";
}

/* Reads the rest of a header, whose class is the word read last. */
static bool read_header(scanner *s, spline_type *type)
{
    uint32_t number, version, extra;
    double left_out;
    if (!scanner_count_here(s, "the class of an object", MAX_CLASS, &number)) return false;
    *type = (spline_type){.num_controls = {1, 1, 1}};
    if (number == SPLINE_CURVE) type->directions = 1;
    if (number == SPLINE_SURFACE) type->directions = 2;
    if (number == SPLINE_VOLUME) type->directions = 3;
    if (type->directions == 0)
        return scanner_fail(s, s->word_line,
                            "objects of class %u%s%s are not read (100, 200 and 700 are: "
                            "SplineCurve, SplineSurface and SplineVolume)",
                            number, class_name(number)[0] ? ", " : "", class_name(number));
    if (!scanner_count(s, "the major version", UINT32_MAX, &version) ||
        !scanner_count(s, "the minor version", UINT32_MAX, &version) ||
        !scanner_count(s, "the number of further numbers in a header", MAX_EXTRA, &extra))
        return false;
    for (uint32_t i = 0; i < extra; i++)
        if (!scanner_real(s, "a number of a header", &left_out)) return false;
    return true;
}

static bool read_dimension(scanner *s, spline_type *type)
{
    uint32_t rational;
    if (!scanner_count(s, "the dimension", SPLINES_MAX_DIM, &type->dim)) return false;
    if (type->dim == 0) return scanner_fail(s, s->word_line, "points of no coordinates");
    if (!scanner_count(s, "1 for rational or 0", 1, &rational)) return false;
    type->rational = rational != 0;
    return true;
}

/* Reads how many control points a direction has, its order and its knots. */
static bool read_basis(scanner *s, spline *p, uint32_t direction)
{
    uint32_t num, order;
    double knot;
    if (!scanner_count(s, "the number of control points", SPLINES_MAX_CONTROLS, &num) ||
        !scanner_count(s, "the order", SPLINES_MAX_DEGREE + 1, &order))
        return false;
    if (order == 0 || num < order)
        return scanner_fail(s, s->word_line, "%u control points of order %u", num, order);
    p->type.degree[direction] = order - 1;
    p->type.num_controls[direction] = num;
    if (!spline_scan_room(s, (uint64_t)num + order)) return false;
    uint64_t line = 0;
    for (uint32_t i = 0; i < num + order; i++) {
        if (!scanner_real(s, "a knot", &knot) ||
            !spline_scan_append(s, &p->type.knots[direction], &p->num_knots[direction],
                                &p->knot_capacity[direction], knot))
            return false;
        if (i == 0) line = s->word_line;
    }
    return spline_scan_knots(s, &p->type, direction, line);
}

static bool read_points(scanner *s, spline *p)
{
    const size_t coordinates = spline_coordinates(&p->type);
    const uint64_t num = spline_num_controls(&p->type);
    double value;
    if (!spline_scan_room(s, num * coordinates)) return false;
    for (uint64_t i = 0; i < num; i++) {
        for (size_t k = 0; k < coordinates; k++) {
            const bool is_weight = k == p->type.dim;
            if (!scanner_real(s, is_weight ? "a weight" : "a coordinate", &value)) return false;
            if (is_weight && !spline_scan_weight(s, value)) return false;
            if (!spline_scan_append(s, &p->points, &p->num_reals, &p->point_capacity, value))
                return false;
        }
    }
    return true;
}

static bool read_object(scanner *s, splines *content)
{
    const bool floats = s->floats;
    spline p = {.num_reals = 0};
    bool done = read_header(s, &p.type) && read_dimension(s, &p.type);
    s->floats = false; /* knots are doubles in any precision */
    for (uint32_t k = 0; done && k < p.type.directions; k++)
        done = read_basis(s, &p, k);
    s->floats = floats;
    done = done && read_points(s, &p);
    p.step[0] = 1;
    p.step[1] = p.type.num_controls[0];
    p.step[2] = (size_t)p.type.num_controls[0] * p.type.num_controls[1];
    if (done && !splines_add(content, &p)) done = spline_scan_memory(s);
    spline_clear(&p);
    return done;
}

bool g2_read(splines *content, scanner *s)
{
    const size_t before = content->num_splines;
    while (scanner_word(s))
        if (!read_object(s, content)) return false;
    if (s->failed) return false;
    return content->num_splines > before || scanner_fail(s, s->line, "the file holds no spline");
}
