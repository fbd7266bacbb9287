#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "command.h"
#include "project_plans.h"
#include "staging.h"

enum {
    ORDER_MAX = CLSP_NEAREST_MAX_SURFACE_DEGREE + 1,
    RAISED_DEGREE = 3 /* to which degrees are raised for one plan, which costs less than several */
};

/* A span of a direction: it is between two knots, and its Bezier points are sums of control points,
   from number `first` on. */
typedef struct span {
    double begin, end;
    uint32_t first;
    double weights[ORDER_MAX][ORDER_MAX];
} span;

/* ---- spans ---- */

/* Finds by which sum of the control points of a span its blossom is made of `ends` times its end
   and else its begin (de Boor's algorithm on unit vectors; all factors are of 0 to 1). */
static void find_weights(const double *knots, uint32_t degree, uint32_t at, uint32_t ends,
                         double *weights)
{
    double d[ORDER_MAX][ORDER_MAX] = {{0}};
    for (uint32_t i = 0; i <= degree; i++)
        d[i][i] = 1;
    for (uint32_t r = 1; r <= degree; r++) {
        const double x = r <= degree - ends ? knots[at] : knots[at + 1];
        for (uint32_t i = degree; i >= r; i--) {
            const double low = knots[at - degree + i], high = knots[at + 1 + i - r];
            const double blend = (x - low) / (high - low);
            for (uint32_t k = 0; k <= degree; k++)
                d[i][k] = (1 - blend) * d[i - 1][k] + blend * d[i][k];
        }
    }
    memcpy(weights, d[degree], (degree + 1) * sizeof(*weights));
}

/* Raises the degree of Bezier points, which are such sums, to that of pieces. */
static void raise_weights(span *s, uint32_t degree, uint32_t to)
{
    const uint32_t columns = degree + 1;
    for (uint32_t n = degree + 1; n <= to; n++) {
        memset(s->weights[n], 0, sizeof(s->weights[n]));
        for (uint32_t k = n; k > 0; k--)
            for (uint32_t i = 0; i < columns; i++)
                s->weights[k][i] = (k * s->weights[k - 1][i] + (n - k) * s->weights[k][i]) / n;
    }
}

/* Finds the spans of a direction, with Bezier points of a degree, which the caller frees. NULL when
 * memory runs out. */
static span *find_spans(const spline_type *type, uint32_t direction, uint32_t to, size_t *num)
{
    const uint32_t degree = type->degree[direction];
    const double *knots = type->knots[direction];
    span *spans = malloc((spline_spans(type, direction) + 1) * sizeof(*spans));
    *num = 0;
    for (uint32_t at = degree; spans && at < type->num_controls[direction]; at++) {
        if (!(knots[at] < knots[at + 1])) continue;
        span *s = &spans[(*num)++];
        s->begin = knots[at];
        s->end = knots[at + 1];
        s->first = at - degree;
        for (uint32_t k = 0; k <= degree; k++)
            find_weights(knots, degree, at, k, s->weights[k]);
        raise_weights(s, degree, to);
    }
    return spans;
}

/* ---- pieces ---- */

/* A surface that is being divided. */
typedef struct surface {
    const spline_batch *batch;
    size_t number, coordinates;
    bool gets_weights; /* of 1, in a plan of rational pieces */
    const double *points;
} surface;

/* Gives control points weights of 1. */
static void add_weights(const double *from, size_t dim, size_t num, double *to)
{
    for (size_t i = 0; i < num; i++, from += dim, to += dim + 1) {
        memcpy(to, from, dim * sizeof(*to));
        to[dim] = 1;
    }
}

/* Makes the control points of a piece. */
static void make_points(const project_plan *plan, const surface *s, const span *u, const span *v,
                        double *to)
{
    const spline_type *type = &s->batch->type;
    const uint32_t p = type->degree[0], q = type->degree[1];
    const uint32_t rows = plan->degree[0] + 1, orders = plan->degree[1] + 1;
    const size_t coordinates = s->coordinates, columns = (q + 1) * coordinates;
    double row[ORDER_MAX * (SPLINES_MAX_DIM + 1)], made[ORDER_MAX * (SPLINES_MAX_DIM + 1)];
    const size_t num = orders * coordinates, step = num + (s->gets_weights ? orders : 0);
    for (uint32_t k = 0; k < rows; k++, to += step) {
        memset(made, 0, num * sizeof(*made));
        memset(row, 0, columns * sizeof(*row));
        for (uint32_t i = 0; i <= p; i++) {
            const size_t at = (size_t)(u->first + i) * type->num_controls[1] + v->first;
            for (size_t c = 0; u->weights[k][i] != 0 && c < columns; c++)
                row[c] += u->weights[k][i] * s->points[at * coordinates + c];
        }
        for (uint32_t l = 0; l < orders; l++)
            for (uint32_t j = 0; j <= q; j++)
                for (size_t c = 0; c < coordinates; c++)
                    made[l * coordinates + c] += v->weights[l][j] * row[j * coordinates + c];
        if (s->gets_weights)
            add_weights(made, coordinates, orders, to);
        else
            memcpy(to, made, num * sizeof(*to));
    }
}

static size_t piece_reals(const project_plan *p)
{
    return (size_t)(p->degree[0] + 1) * (p->degree[1] + 1) * (p->dim + (p->rational ? 1 : 0));
}

/* Adds the pieces of a surface. False when memory runs out. */
static bool add_pieces(project_plan *p, const surface *s, const span *const spans[2],
                       const size_t num[2])
{
    const size_t each = piece_reals(p), all = p->num + num[0] * num[1];
    patch_place *places = array_reserve(p->places, &p->capacity, all, sizeof(*places));
    if (!places) return false;
    p->places = places;
    double *points = array_reserve(p->points, &p->point_capacity, all * each, sizeof(*points));
    if (!points) return false;
    p->points = points;
    for (size_t i = 0; i < num[0]; i++)
        for (size_t k = 0; k < num[1]; k++, p->num++) {
            const span *u = &spans[0][i], *v = &spans[1][k];
            places[p->num] = (patch_place){.batch = s->batch,
                                           .number = s->number,
                                           .begin = {u->begin, v->begin},
                                           .end = {u->end, v->end}};
            make_points(p, s, u, v, points + p->num * each);
        }
    return true;
}

static bool add_surfaces(project_plan *p, const spline_batch *batch)
{
    size_t num[2] = {0, 0};
    span *const u = find_spans(&batch->type, 0, p->degree[0], &num[0]);
    span *const v = find_spans(&batch->type, 1, p->degree[1], &num[1]);
    const span *const spans[2] = {u, v};
    bool done = u && v;
    for (size_t i = 0; done && i < batch->num_splines; i++) {
        const size_t each = batch->num_reals / batch->num_splines;
        const surface s = {.batch = batch,
                           .number = i,
                           .coordinates = spline_coordinates(&batch->type),
                           .gets_weights = p->rational && !batch->type.rational,
                           .points = batch->points + i * each};
        done = add_pieces(p, &s, spans, num);
    }
    free(u);
    free(v);
    return done;
}

/* ---- plans ---- */

/* What the pieces of all plans have in common: the least degrees, and whether they are rational. */
typedef struct common_form {
    uint32_t degree[2];
    bool rational;
} common_form;

/* Finds the form by which as many surfaces as can be are of one plan. */
static common_form find_form(const splines *content)
{
    common_form form = {{1, 1}, false};
    for (size_t i = 0; i < content->num_batches; i++) {
        const spline_type *type = &content->batches[i].type;
        form.rational = form.rational || type->rational;
        for (uint32_t k = 0; k < 2; k++)
            if (type->degree[k] <= RAISED_DEGREE && type->degree[k] > form.degree[k])
                form.degree[k] = type->degree[k];
    }
    return form;
}

/* Finds the plan of pieces of degrees, made if they are the first; NULL when memory runs out. */
static project_plan *find_plan(project_plans *p, const uint32_t degree[2], uint32_t dim,
                               bool rational)
{
    for (size_t i = 0; i < p->num; i++)
        if (p->plans[i].degree[0] == degree[0] && p->plans[i].degree[1] == degree[1])
            return &p->plans[i];
    project_plan *moved = array_reserve(p->plans, &p->capacity, p->num + 1, sizeof(*moved));
    if (!moved) return NULL;
    p->plans = moved;
    moved[p->num] =
        (project_plan){.degree = {degree[0], degree[1]}, .dim = dim, .rational = rational};
    return &moved[p->num++];
}

/* Divides all surfaces into pieces. */
static bool divide(project_plans *p, const splines *content)
{
    const common_form form = find_form(content);
    for (size_t i = 0; i < content->num_batches; i++) {
        const spline_type *type = &content->batches[i].type;
        uint32_t degree[2];
        for (uint32_t k = 0; k < 2; k++)
            degree[k] = type->degree[k] > form.degree[k] ? type->degree[k] : form.degree[k];
        project_plan *plan = find_plan(p, degree, type->dim, form.rational);
        if (plan && add_surfaces(plan, &content->batches[i])) continue;
        complain("not enough memory for the surfaces");
        return false;
    }
    return true;
}

static bool load(project_plan *p, clsp_context *ctx, mesh_precision precision)
{
    const clsp_bezier_desc desc = {.form = CLSP_BEZIER_SURFACE,
                                   .precision = staging_type(precision),
                                   .degree = {p->degree[0], p->degree[1]},
                                   .dim = p->dim,
                                   .rational = p->rational};
    staged_reals reals = {.floats = NULL};
    bool done = staging_open_reals(&reals, precision, p->points, p->num * piece_reals(p));
    if (!done) complain("not enough memory for the surfaces");
    done = done && staging_check(ctx, clsp_bezier_plan_create(&p->plan, ctx, &desc)) &&
           staging_check(ctx, clsp_patch_set_control_points(p->plan, p->num, reals.input, NULL));
    staging_close_reals(&reals);
    free(p->points);
    p->points = NULL;
    return done;
}

bool piece_plans_open(project_plans *p, clsp_context *ctx, const splines *content,
                      mesh_precision precision)
{
    bool done = divide(p, content);
    for (size_t i = 0; done && i < p->num; i++)
        done = load(&p->plans[i], ctx, precision);
    return done;
}
