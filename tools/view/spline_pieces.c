#include "spline_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "spline_task.h"
#include "staging.h"

enum { SPAN_SAMPLES = 16, LEAST_SAMPLES = 33, MOST_SAMPLES = 16385 };

static bool no_memory(void)
{
    complain("not enough memory to draw the splines");
    return false;
}

static bool is_curve(const piece_batch *b)
{
    return b->from->type.directions == 1;
}

/* Coordinates of a control point of a piece that is drawn. */
static size_t drawn_coordinates(const spline_type *type)
{
    return type->rational ? 4 : 3;
}

/* ---- plans ---- */

static uint32_t curve_samples(const spline_type *type)
{
    const uint32_t samples = SPAN_SAMPLES * spline_spans(type, 0) + 1;
    if (samples < LEAST_SAMPLES) return LEAST_SAMPLES;
    return samples < MOST_SAMPLES ? samples : MOST_SAMPLES;
}

static bool load(const spline_pieces *p, const piece_batch *b)
{
    staged_reals reals;
    const mesh_precision precision = is_curve(b) ? MESH_F32 : p->precision;
    if (!staging_open_reals(&reals, precision, b->from->points, b->from->num_reals))
        return no_memory();
    const bool done = staging_check(
        p->ctx, clsp_patch_set_control_points(b->plan, b->from->num_splines, reals.input, NULL));
    staging_close_reals(&reals);
    return done;
}

static bool make_plan(const spline_pieces *p, piece_batch *b)
{
    const spline_type *type = &b->from->type;
    const clsp_bspline_target target = {.bezier = 1};
    clsp_bspline_desc desc = spline_desc(type, is_curve(b) ? MESH_F32 : p->precision);
    if (is_curve(b)) {
        desc.axis[0].num = b->samples = curve_samples(type);
        desc.vertex = (clsp_vertex_layout){
            .attributes = CLSP_VERTEX_POINT, .type = CLSP_F32, .stride = VIEW_STRIDE};
    }
    if (!staging_check(p->ctx, clsp_bspline_plan_create(&b->plan, p->ctx, &desc))) return false;
    return is_curve(b) ||
           (staging_check(p->ctx, clsp_bspline_set_target(b->plan, &target)) &&
            staging_check(p->ctx, clsp_bspline_target_desc(b->plan, 0, &b->target, NULL)));
}

/* Makes room for the converted control points of a batch. */
static bool make_room(const spline_pieces *p, piece_batch *b)
{
    const spline_type *type = &b->from->type;
    b->num_reals = b->from->num_splines * spline_coordinates(type);
    for (uint32_t k = 0; k < type->directions; k++) {
        b->num_reals *= b->target.num_controls[k];
        b->pieces[k] = b->target.num_controls[k] / (b->target.degree[k] + 1);
    }
    b->reals = malloc((b->num_reals + 1) * sizeof(double));
    if (p->precision == MESH_F32) b->floats = malloc((b->num_reals + 1) * sizeof(float));
    return (b->reals && (b->floats || p->precision == MESH_F64)) || no_memory();
}

/* ---- batches of the content ---- */

/* The directions of a side of a volume, across a third one, and of a surface. */
typedef struct piece_side {
    uint32_t across, a, b;
} piece_side;

static piece_side side_of(const spline_type *type, uint32_t number)
{
    if (type->directions == 2) return (piece_side){2, 0, 1};
    return (piece_side){number, number == 0 ? 1 : 0, number == 2 ? 1 : 2};
}

static uint32_t num_sides(const spline_type *type)
{
    return type->directions == 3 ? 3 : type->directions == 2 ? 1 : 0;
}

/* Adds the batch of a side, its control points unset: of a volume of both ends. */
static bool add_batch(const piece_batch *b, piece_side side, bezierview *content)
{
    const spline_type *type = &b->from->type;
    const uint32_t degree[2] = {type->degree[side.a], type->degree[side.b]};
    bezierview_batch *to = &content->batches[content->num_batches];
    *to = (bezierview_batch){
        .type = {.rational = type->rational, .degree_u = degree[0], .degree_v = degree[1]},
        .num_patches =
            b->from->num_splines * b->pieces[side.a] * b->pieces[side.b] * (type->directions - 1)};
    to->num_reals = to->num_patches * (degree[0] + 1) * (degree[1] + 1) * drawn_coordinates(type);
    to->points = calloc(to->num_reals + 1, sizeof(double));
    content->num_batches++; /* who clears the content frees it */
    return to->points || no_memory();
}

static bool open_batch(spline_pieces *p, piece_batch *b, bezierview *content)
{
    if (!make_plan(p, b)) return false;
    if (is_curve(b)) {
        p->num_curves += b->from->num_splines;
        p->num_curve_vertices += b->from->num_splines * b->samples;
        return true;
    }
    b->first = content->num_batches;
    bool done = make_room(p, b);
    for (uint32_t i = 0; done && i < num_sides(&b->from->type); i++)
        done = add_batch(b, side_of(&b->from->type, i), content);
    return done;
}

/* ---- filling ---- */

/* Where a piece's control points lie among the converted ones: steps from one to the next along a
   direction, and from one piece to the next. */
typedef struct piece_steps {
    size_t control[SPLINES_MAX_DIRECTIONS], piece[SPLINES_MAX_DIRECTIONS], spline;
} piece_steps;

static piece_steps steps_of(const piece_batch *b)
{
    const spline_type *type = &b->from->type;
    piece_steps s = {.spline = spline_coordinates(type)};
    for (uint32_t k = type->directions; k-- > 0;) {
        s.control[k] = s.spline;
        s.spline *= type->degree[k] + 1;
    }
    for (uint32_t k = type->directions; k-- > 0;) {
        s.piece[k] = s.spline;
        s.spline *= b->pieces[k];
    }
    return s;
}

/* Copies a control point into the coordinates that are drawn. */
static void copy_control(const spline_type *type, const double *from, double *to)
{
    for (size_t k = 0; k < type->dim; k++)
        to[k] = from[k];
    if (type->rational) to[3] = from[type->dim];
}

/* Copies a piece's control points along two directions, the first backwards where it is reversed.
   Returns what is behind them. */
static double *copy_piece(const piece_batch *b, const piece_steps *s, piece_side side,
                          const double *from, bool reversed, double *to)
{
    const spline_type *type = &b->from->type;
    for (uint32_t i = 0; i <= type->degree[side.a]; i++)
        for (uint32_t k = 0; k <= type->degree[side.b]; k++, to += drawn_coordinates(type))
            copy_control(type,
                         from + s->control[side.a] * (reversed ? type->degree[side.a] - i : i) +
                             s->control[side.b] * k,
                         to);
    return to;
}

/* Fills a side's batch, whose patches look out of a volume whose directions are right-handed. */
static void fill_side(const piece_batch *b, piece_side side, double *to)
{
    const spline_type *type = &b->from->type;
    const piece_steps s = steps_of(b);
    const bool is_volume = type->directions == 3;
    for (size_t n = 0; n < b->from->num_splines; n++)
        for (int end = 0; end < (is_volume ? 2 : 1); end++) {
            const bool reversed = is_volume && (side.across == 1) == (end == 1);
            const double *from = b->reals + n * s.spline;
            if (end == 1)
                from += s.piece[side.across] * (b->pieces[side.across] - 1) +
                        s.control[side.across] * type->degree[side.across];
            for (size_t i = 0; i < b->pieces[side.a]; i++)
                for (size_t k = 0; k < b->pieces[side.b]; k++)
                    to = copy_piece(b, &s, side, from + s.piece[side.a] * i + s.piece[side.b] * k,
                                    reversed, to);
        }
}

static bool fill_batch(const spline_pieces *p, piece_batch *b, bezierview *content)
{
    const clsp_output out =
        b->floats ? clsp_out_f32(b->floats, b->num_reals) : clsp_out_f64(b->reals, b->num_reals);
    if (!load(p, b)) return false;
    if (is_curve(b)) return true;
    if (!staging_check(p->ctx, clsp_bspline_convert(b->plan, (clsp_range){0, b->from->num_splines},
                                                    out, NULL)))
        return false;
    for (size_t i = 0; b->floats && i < b->num_reals; i++)
        b->reals[i] = (double)b->floats[i];
    for (uint32_t i = 0; i < num_sides(&b->from->type); i++)
        fill_side(b, side_of(&b->from->type, i), content->batches[b->first + i].points);
    return true;
}

bool spline_pieces_load(spline_pieces *p, bezierview *content)
{
    for (size_t i = 0; i < p->from->num_batches; i++)
        if (!fill_batch(p, &p->batches[i], content)) return false;
    return true;
}

bool spline_pieces_open(spline_pieces *p, clsp_context *ctx, const splines *from,
                        bezierview *content)
{
    clsp_device_info info = {0};
    const bool has_fp64 = clsp_context_device(ctx, &info) == CLSP_OK && info.fp64;
    *p = (spline_pieces){.ctx = ctx, .from = from, .precision = has_fp64 ? MESH_F64 : MESH_F32};
    p->batches = calloc(from->num_batches + 1, sizeof(*p->batches));
    content->batches = calloc(3 * from->num_batches + 1, sizeof(*content->batches));
    if (!p->batches || !content->batches) return no_memory();
    for (size_t i = 0; i < from->num_batches; i++) {
        p->batches[i].from = &from->batches[i];
        if (!open_batch(p, &p->batches[i], content)) return false;
    }
    return spline_pieces_load(p, content);
}

/* ---- curves ---- */

void spline_pieces_curves(const spline_pieces *p, size_t first, view_curve *curves)
{
    for (const piece_batch *b = p->batches; b < p->batches + p->from->num_batches; b++)
        for (size_t n = 0; is_curve(b) && n < b->from->num_splines; n++, first += b->samples)
            *curves++ = (view_curve){first, b->samples};
}

bool spline_pieces_eval(spline_pieces *p, const vertex_target *to, size_t first)
{
    if (to->host)
        memset(to->host + VIEW_STRIDE * first, 0,
               p->num_curve_vertices * VIEW_STRIDE * sizeof(float));
    for (piece_batch *b = p->batches; b < p->batches + p->from->num_batches; b++) {
        const size_t num = b->from->num_splines;
        if (!is_curve(b)) continue;
        if (!staging_check(
                p->ctx, clsp_patch_eval(b->plan, (clsp_range){0, num},
                                        vertex_target_output(to, first, num * b->samples), NULL)))
            return false;
        first += num * b->samples;
    }
    return true;
}

void spline_pieces_close(spline_pieces *p)
{
    for (size_t i = 0; p->batches && i < p->from->num_batches; i++) {
        clsp_patch_plan_destroy(&p->batches[i].plan);
        free(p->batches[i].reals);
        free(p->batches[i].floats);
    }
    free(p->batches);
    *p = (spline_pieces){.ctx = NULL};
}
