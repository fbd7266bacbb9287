#include "trimmed_part.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1, ARC = 2, CURVES = 1024, LOOPS = 256, EDGES = 512, ROWS = 5 };

static const double width = 100, height = 60, thick = 10, corner = 5, hole = 3;

/* Loops and edges as they are made: lines, and arcs of a quarter. */
typedef struct maker {
    trimmed_part *p;
    uint32_t num_faces, num_loops, num_curves, num_edges;
    uint32_t loop[PLATE_FACES + 1], curve[LOOPS], edge[CURVES];
    uint32_t degree[CURVES], controls[CURVES], edge_degree[EDGES], edge_controls[EDGES];
    size_t num_knots, num_reals, num_edge_knots, num_edge_reals;
    double knots[6 * CURVES], reals[9 * CURVES], edge_knots[6 * EDGES], edge_reals[12 * EDGES];
} maker;

static size_t put_knots(double *knots, uint32_t degree)
{
    for (uint32_t i = 0; i < 2 * (degree + 1); i++)
        knots[i] = i > degree;
    return 2 * (degree + 1);
}

/* Appends homogeneous points of so many coordinates: the middle one of an arc has the weight. */
static size_t put_points(double *to, const double *points, uint32_t degree, uint32_t dim)
{
    for (uint32_t i = 0; i <= degree; i++) {
        const double w = degree == ARC && i == 1 ? sqrt(0.5) : 1;
        for (uint32_t k = 0; k < dim; k++)
            *to++ = w * points[i * dim + k];
        *to++ = w;
    }
    return (degree + 1) * (dim + 1);
}

static uint32_t put_edge(maker *m, uint32_t degree, const double *points)
{
    m->edge_degree[m->num_edges] = degree;
    m->edge_controls[m->num_edges] = degree + 1;
    m->num_edge_knots += put_knots(m->edge_knots + m->num_edge_knots, degree);
    m->num_edge_reals += put_points(m->edge_reals + m->num_edge_reals, points, degree, 3);
    return m->num_edges++;
}

static void put_loop(maker *m)
{
    m->loop[m->num_faces] = ++m->num_loops;
    m->curve[m->num_loops] = m->num_curves;
}

static void put_curve(maker *m, uint32_t degree, const double *points, uint32_t edge)
{
    m->degree[m->num_curves] = degree;
    m->controls[m->num_curves] = degree + 1;
    m->edge[m->num_curves] = edge;
    m->num_knots += put_knots(m->knots + m->num_knots, degree);
    m->num_reals += put_points(m->reals + m->num_reals, points, degree, 2);
    m->curve[m->num_loops] = ++m->num_curves;
}

static clsp_status put_face(maker *m, uint32_t degree, const double *points, uint32_t quarters)
{
    static const double quarter_knots[12] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
    const clsp_bspline_desc d = {.precision = CLSP_F64,
                                 .degree = {degree, 1},
                                 .num_controls = {degree * quarters + 1, 2},
                                 .knots = {quarters > 1 ? quarter_knots : NULL, NULL},
                                 .rational = 1};
    clsp_patch_plan **const plan = &m->p->plans[m->num_faces];
    clsp_status status = clsp_bspline_plan_create(plan, m->p->ctx, &d);

    if (status == CLSP_OK)
        status = clsp_patch_set_control_points(
            *plan, 1, clsp_in_f64(points, (size_t)(degree * quarters + 1) * 8), NULL);
    m->loop[++m->num_faces] = m->num_loops;
    return status;
}

/* A wall over the control points of a curve in the plane, from z = 0 to the plate's thickness,
   whose loop is all around it. */
static clsp_status put_wall(maker *m, uint32_t degree, uint32_t quarters, const double *plane,
                            const uint32_t *edges)
{
    const uint32_t num = degree * quarters + 1;
    double points[9 * 2 * 4];

    for (uint32_t i = 0; i < num; i++)
        for (uint32_t k = 0; k < 2; k++) {
            const double w = degree == ARC && i % 2 ? sqrt(0.5) : 1;
            double *const to = points + (i * 2 + k) * 4;
            for (uint32_t l = 0; l < 2; l++)
                to[l] = w * plane[2 * i + l];
            to[2] = k ? w * thick : 0;
            to[3] = w;
        }
    const clsp_status status = put_face(m, degree, points, quarters);
    put_loop(m);
    for (uint32_t q = 0; q < quarters; q++) {
        const double line[4] = {q, 0, q + 1.0, 0};
        put_curve(m, LINE, line, edges[2 * q]);
    }
    const double up[4] = {quarters, 0, quarters, 1}, down[4] = {0, 1, 0, 0};
    put_curve(m, LINE, up, UINT32_MAX);
    for (uint32_t q = quarters; q-- > 0;) {
        const double line[4] = {q + 1.0, 1, q, 1};
        put_curve(m, LINE, line, edges[2 * q + 1]);
    }
    put_curve(m, LINE, down, UINT32_MAX);
    return status;
}

/* Appends edges over a curve in the plane, below and above. */
static void put_edges(maker *m, uint32_t degree, const double *plane, uint32_t edges[2])
{
    double points[9];

    for (int side = 0; side < 2; side++) {
        for (uint32_t i = 0; i <= degree; i++) {
            points[3 * i] = plane[2 * i];
            points[3 * i + 1] = plane[2 * i + 1];
            points[3 * i + 2] = side ? thick : 0;
        }
        edges[side] = put_edge(m, degree, points);
    }
}

/* The outline: four sides and four corners, with their edges. */
typedef struct outline {
    double plane[8][6];
    uint32_t degree[8], edges[8][2];
} outline;

static void make_outline(maker *m, outline *o)
{
    static const double x[4] = {0, 1, 1, 0}, y[4] = {0, 0, 1, 1};
    static const double along[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};

    for (int i = 0; i < 4; i++) {
        const int next = (i + 1) % 4;
        const double a[2] = {x[i] * width, y[i] * height}, *const w = along[i];
        const double b[2] = {x[next] * width, y[next] * height}, *const n = along[next];
        const double side[4] = {a[0] + corner * w[0], a[1] + corner * w[1], b[0] - corner * w[0],
                                b[1] - corner * w[1]};
        const double arc[6] = {
            side[2], side[3], b[0], b[1], b[0] + corner * n[0], b[1] + corner * n[1]};
        o->degree[2 * i] = LINE;
        o->degree[2 * i + 1] = ARC;
        memcpy(o->plane[2 * i], side, sizeof side);
        memcpy(o->plane[2 * i + 1], arc, sizeof arc);
    }
    for (int i = 0; i < 8; i++)
        put_edges(m, o->degree[i], o->plane[i], o->edges[i]);
}

static void hole_place(uint32_t i, double place[2])
{
    place[0] = 10 + i / ROWS * 11.4;
    place[1] = 8 + i % ROWS * 11.0;
}

/* The control points of a hole's circle. */
static void make_hole(uint32_t i, double plane[18])
{
    static const double at[9][2] = {{1, 0},   {1, 1},  {0, 1},  {-1, 1}, {-1, 0},
                                    {-1, -1}, {0, -1}, {1, -1}, {1, 0}};
    double place[2];

    hole_place(i, place);
    for (int k = 0; k < 9; k++)
        for (int l = 0; l < 2; l++)
            plane[2 * k + l] = place[l] + hole * at[k][l];
}

/* The plate's lower or upper face, with all holes. */
static clsp_status put_plate(maker *m, int side, const outline *o, uint32_t holes[PLATE_HOLES][8])
{
    const double z = side ? thick : 0;
    const double points[16] = {0, 0, z, 1, 0, height, z, 1, width, 0, z, 1, width, height, z, 1};
    const clsp_status status = put_face(m, 1, points, 1);
    double plane[18] = {0};

    put_loop(m);
    for (int i = 0; i < 8; i++) {
        for (uint32_t k = 0; k <= o->degree[i]; k++) {
            plane[2 * k] = o->plane[i][2 * k] / width;
            plane[2 * k + 1] = o->plane[i][2 * k + 1] / height;
        }
        put_curve(m, o->degree[i], plane, o->edges[i][side]);
    }
    for (uint32_t i = 0; i < PLATE_HOLES; i++) {
        put_loop(m);
        make_hole(i, plane);
        for (int k = 0; k < 18; k++)
            plane[k] /= k % 2 ? height : width;
        for (int q = 0; q < 4; q++)
            put_curve(m, ARC, plane + 4 * q, holes[i][2 * q + side]);
    }
    return status;
}

static clsp_status make_faces(maker *m)
{
    uint32_t holes[PLATE_HOLES][8];
    double plane[18] = {0};
    outline o;
    clsp_status status = CLSP_OK;

    make_outline(m, &o);
    for (uint32_t i = 0; i < PLATE_HOLES; i++) {
        make_hole(i, plane);
        for (int q = 0; q < 4; q++)
            put_edges(m, ARC, plane + 4 * q, holes[i] + 2 * q);
    }
    for (int side = 0; status == CLSP_OK && side < 2; side++)
        status = put_plate(m, side, &o, holes);
    for (int i = 0; status == CLSP_OK && i < 8; i++)
        status = put_wall(m, o.degree[i], 1, o.plane[i], o.edges[i]);
    for (uint32_t i = 0; status == CLSP_OK && i < PLATE_HOLES; i++) {
        make_hole(i, plane);
        status = put_wall(m, ARC, 4, plane, holes[i]);
    }
    return status;
}

clsp_status trimmed_part_open(trimmed_part *p, clsp_context *ctx)
{
    maker *const m = calloc(1, sizeof *m);

    *p = (trimmed_part){.ctx = ctx, .size = {width, height, thick}};
    if (!m) return CLSP_ERROR_NO_MEMORY;
    m->p = p;
    clsp_status status = make_faces(m);
    const clsp_trims trims = {
        .loop = m->loop,
        .curve = m->curve,
        .curves = {m->num_curves, m->degree, m->controls, m->knots, m->reals, {0}},
        .edges =
            {m->num_edges, m->edge_degree, m->edge_controls, m->edge_knots, m->edge_reals, {0}},
        .edge = m->edge};
    if (status == CLSP_OK)
        status = clsp_nearest_create(&p->search, p->plans, PLATE_FACES, &trims, NULL);
    free(m);
    return status;
}

void trimmed_part_close(trimmed_part *p)
{
    clsp_nearest_destroy(&p->search);
    for (int i = 0; i < PLATE_FACES; i++)
        clsp_patch_plan_destroy(&p->plans[i]);
}

void trimmed_part_point(const trimmed_part *p, int near, const double random[6], double point[3])
{
    const double off = 0.02 * sqrt(width * width + height * height + thick * thick);
    double place[2];

    for (int k = 0; k < 3; k++)
        point[k] = random[k] * p->size[k];
    if (!near) return;
    if (random[3] < 0.4) { /* in a hole */
        hole_place((uint32_t)(random[3] / 0.4 * PLATE_HOLES), place);
        point[0] = place[0] + hole * cos(6.283185307179586 * random[0]);
        point[1] = place[1] + hole * sin(6.283185307179586 * random[0]);
    } else {
        point[2] = random[2] < 0.5 ? 0 : thick;
    }
    for (int k = 0; k < 3; k++)
        point[k] += off * (random[3 + k] - 0.5) / sqrt(3);
}
