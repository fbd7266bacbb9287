/* `clspline convert` on B-splines: other formats, higher degrees, more knots, and Bezier pieces, of
   curves and surfaces also of a lower degree. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "job_report.h"
#include "spline_file.h"
#include "spline_info.h"
#include "spline_writer.h"
#include "progress.h"
#include "spline_request.h"
#include "spline_task.h"
#include "staging.h"

/* What is on the way. */
typedef struct work {
    const pieces_request *own;
    const request *r;         /* the same */
    uint32_t only;            /* directions of the splines that are written; 0: any */
    bool is_cut;              /* they are cut into Bezier pieces, */
    clsp_reduction reduction; /* those of higher degrees into ones of this; degree 0: none */
    spline_format format;
    clsp_context *ctx;
    splines content;
    size_t num_splines;  /* that are written */
    uint32_t directions; /* of the first one */
    spline_writer writer;
    io_message message;
    progress_bar bar;
    double seconds;      /* of conversion and writing */
    uint64_t num, total; /* pieces, or splines that are not cut */
} work;

/* One batch on its way into the file. */
typedef struct job {
    work *w;
    const spline_batch *batch;
    clsp_patch_plan *plan;
    clsp_bspline_desc target;
    double *knots[3];           /* of a piece */
    size_t pieces, piece_reals; /* of a spline, which is one if it is not cut; of a piece */
    double *reals;              /* of some splines */
    float *floats;              /* these in single precision */
} job;

/* ---- conversion ---- */

static bool load(job *j)
{
    const work *w = j->w;
    staged_reals reals;
    bool done = staging_open_reals(&reals, w->r->precision, j->batch->points, j->batch->num_reals);
    if (!done) complain("not enough memory for the control points");
    done = done && staging_check(w->ctx, clsp_patch_set_control_points(
                                             j->plan, j->batch->num_splines, reals.input, NULL));
    staging_close_reals(&reals);
    return done;
}

static bool create_plan(job *j)
{
    const clsp_bspline_desc desc = spline_desc(&j->batch->type, j->w->r->precision);
    return staging_check(j->w->ctx, clsp_bspline_plan_create(&j->plan, j->w->ctx, &desc));
}

/* Makes knots that cut each span of a direction into equally long ones; none are made where there
   is no memory. */
static double *knots_within(const spline_type *type, uint32_t direction, uint32_t each, size_t *num)
{
    const double *knots = type->knots[direction] + type->degree[direction];
    const size_t spans = type->num_controls[direction] - type->degree[direction];
    double *made = malloc((spans * each + 1) * sizeof(double));
    *num = 0;
    for (size_t s = 0; made && s < spans; s++)
        for (uint32_t i = 1; knots[s] < knots[s + 1] && i <= each; i++)
            made[(*num)++] = knots[s] + i * (knots[s + 1] - knots[s]) / (each + 1);
    return made;
}

/* Sets the target of a plan. */
static bool set_target(job *j)
{
    const pieces_request *own = j->w->own;
    const spline_type *type = &j->batch->type;
    clsp_bspline_target target = {.bezier = j->w->is_cut};
    double *inserted[3] = {NULL};
    bool done = true;
    for (uint32_t k = 0; k < type->directions; k++) {
        clsp_bspline_change *change = &target.along[k];
        if (own->degree > type->degree[k]) change->elevate = own->degree - type->degree[k];
        if (j->w->reduction.degree > 0) change->elevate = 0;
        inserted[k] = knots_within(type, k, own->insert, &change->num_insert);
        change->insert = inserted[k];
        done = done && inserted[k];
    }
    if (!done) complain("not enough memory for the knots");
    done = done && staging_check(j->w->ctx, clsp_bspline_set_target(j->plan, &target));
    for (uint32_t k = 0; k < type->directions; k++)
        free(inserted[k]);
    return done;
}

/* Counts the control points of a piece along a direction. */
static size_t piece_controls(const job *j, uint32_t k)
{
    return j->w->is_cut ? j->target.degree[k] + 1 : j->target.num_controls[k];
}

static bool make_plan(job *j)
{
    if (!create_plan(j) || !set_target(j) ||
        !staging_check(j->w->ctx, clsp_bspline_target_desc(j->plan, 0, &j->target, NULL)))
        return false;
    j->piece_reals = spline_coordinates(&j->batch->type);
    j->pieces = 1;
    for (uint32_t k = 0; k < j->batch->type.directions; k++) {
        const size_t controls = piece_controls(j, k);
        j->pieces *= j->target.num_controls[k] / controls;
        j->piece_reals *= controls;
        j->knots[k] = malloc((controls + j->target.degree[k] + 1) * sizeof(double));
        if (j->knots[k]) continue;
        complain("not enough memory for the knots");
        return false;
    }
    return load(j);
}

/* Converts splines of the batch into j->reals. */
static bool convert(job *j, clsp_range range)
{
    const size_t num = range.count * j->pieces * j->piece_reals;
    const bool single = j->w->r->precision == MESH_F32;
    const clsp_output out = single ? clsp_out_f32(j->floats, num) : clsp_out_f64(j->reals, num);
    if (!staging_check(j->w->ctx, clsp_bspline_convert(j->plan, range, out, NULL))) return false;
    for (size_t i = 0; single && i < num; i++)
        j->reals[i] = (double)j->floats[i];
    return true;
}

/* ---- writing ---- */

/* Makes the type of piece number `piece` of a spline, whose knots are some of the target's, where
   the file has them. */
static void set_piece(const job *j, size_t number, size_t piece, spline_type *type)
{
    *type = j->batch->type;
    for (uint32_t k = type->directions; k-- > 0;) {
        const size_t order = j->target.degree[k] + 1, controls = piece_controls(j, k);
        const size_t num = j->target.num_controls[k] / controls, at = piece % num;
        const double *knots = j->target.knots[k];
        for (size_t i = 0; i < controls + order; i++)
            j->knots[k][i] = spline_parameter(j->batch, number, k,
                                              knots[j->w->is_cut ? (at + i / order) * order : i]);
        piece /= num;
        type->degree[k] = j->target.degree[k];
        type->num_controls[k] = (uint32_t)controls;
        type->knots[k] = j->knots[k];
    }
}

static bool write_splines(job *j, clsp_range range)
{
    const double *points = j->reals;
    work *w = j->w;
    for (size_t i = 0; i < range.count; i++) {
        const int64_t number = (int64_t)j->batch->numbers[range.first + i];
        for (size_t piece = 0; piece < j->pieces; piece++, points += j->piece_reals) {
            spline_type type;
            set_piece(j, range.first + i, piece, &type);
            if (!spline_writer_add(&w->writer, &type, points, number)) return false;
        }
        w->num += j->pieces;
        progress_report(&w->bar, (double)w->num / (double)w->total);
    }
    return true;
}

/* Counts the pieces of a spline. */
static size_t count_pieces(const work *w, const spline_type *type)
{
    size_t pieces = 1;
    for (uint32_t k = 0; w->is_cut && k < type->directions; k++)
        pieces *= (size_t)spline_spans(type, k) * (w->own->insert + 1);
    return pieces;
}

static bool make_room(job *j, size_t splines_each)
{
    const size_t reals = splines_each * j->pieces * j->piece_reals;
    j->reals = malloc(reals * sizeof(double));
    if (j->w->r->precision == MESH_F32) j->floats = malloc(reals * sizeof(float));
    if (j->reals && (j->floats || j->w->r->precision == MESH_F64)) return true;
    complain("not enough memory for %lu pieces", (unsigned long)(splines_each * j->pieces));
    return false;
}

/* Converts and writes a batch, some millions of control points at a time. What cannot be written
   ends it without a complaint: closing the file has one. */
static bool run_batch(work *w, const spline_batch *batch)
{
    job j = {.w = w, .batch = batch};
    bool done = make_plan(&j), writes = true;
    size_t each = done ? STAGING_POINTS / (j.pieces * j.piece_reals) : 1;
    if (each == 0) each = 1;
    if (each > batch->num_splines) each = batch->num_splines;
    done = done && make_room(&j, each);
    for (size_t first = 0; done && writes && first < batch->num_splines; first += each) {
        const size_t left = batch->num_splines - first;
        const clsp_range range = {first, left < each ? left : each};
        done = convert(&j, range);
        writes = done && write_splines(&j, range);
    }
    clsp_patch_plan_destroy(&j.plan);
    for (uint32_t k = 0; k < batch->type.directions; k++)
        free(j.knots[k]);
    free(j.reals);
    free(j.floats);
    return done;
}

/* ---- pieces of a lower degree ---- */

static bool is_reduced(const work *w, const spline_batch *batch)
{
    bool is_higher = false;
    for (uint32_t k = 0; k < batch->type.directions; k++)
        is_higher = is_higher || batch->type.degree[k] > w->reduction.degree;
    return w->reduction.degree > 0 && is_higher;
}

/* The type of pieces of a batch, without their knots. */
static spline_type reduced_type(const work *w, const spline_batch *batch)
{
    spline_type type = batch->type;
    for (uint32_t k = 0; k < type.directions; k++) {
        if (type.degree[k] > w->reduction.degree) type.degree[k] = w->reduction.degree;
        type.num_controls[k] = type.degree[k] + 1;
    }
    type.rational = type.rational && !w->reduction.polynomial;
    return type;
}

/* Loads the splines of a batch and counts their pieces. */
static bool count_reduced(job *j, size_t *num)
{
    clsp_reduction_size size;
    const bool done =
        create_plan(j) && load(j) &&
        staging_check(j->w->ctx, clsp_patch_set_reduction(j->plan, &j->w->reduction, &size));
    if (!done) return false;
    *num = size.num_pieces;
    if (size.bound > j->w->reduction.tolerance) {
        complain(
            "spline %lu: pieces would be up to %g off, by rounding or since there would be more "
            "than %d a span; use a larger --tolerance, or --precision f64",
            (unsigned long)j->batch->numbers[0], size.bound, CLSP_REDUCE_MAX_PIECES);
        return false;
    }
    return true;
}

/* Writes pieces, of which the number of each one's spline and its parameters are known. */
static bool write_reduced(job *j, size_t num, const double *params, const uint32_t *numbers)
{
    double knots[2][2 * (CLSP_REDUCE_MAX_DEGREE + 1)];
    work *w = j->w;
    spline_type type = reduced_type(w, j->batch);
    for (uint32_t k = 0; k < type.directions; k++)
        type.knots[k] = knots[k];
    for (size_t i = 0; i < num; i++) {
        for (uint32_t k = 0; k < type.directions; k++, params += 2)
            for (uint32_t m = 0; m < 2 * type.num_controls[k]; m++)
                knots[k][m] =
                    spline_parameter(j->batch, numbers[i], k, params[m / type.num_controls[k]]);
        if (!spline_writer_add(&w->writer, &type, j->reals + i * j->piece_reals,
                               (int64_t)j->batch->numbers[numbers[i]]))
            return false;
        w->num++;
        progress_report(&w->bar, (double)w->num / (double)w->total);
    }
    return true;
}

/* Makes all pieces of the splines of a batch. */
static bool make_reduced(job *j, size_t num, double *params, uint32_t *numbers)
{
    const bool single = j->w->r->precision == MESH_F32;
    const size_t reals = num * j->piece_reals;
    const clsp_pieces pieces = {.controls = single ? clsp_out_f32(j->floats, reals)
                                                   : clsp_out_f64(j->reals, reals),
                                .params = clsp_out_f64(params, 2 * num * j->batch->type.directions),
                                .patches = clsp_out_u32(numbers, num)};
    const clsp_range all = {0, j->batch->num_splines};
    if (!staging_check(j->w->ctx, clsp_patch_reduce(j->plan, all, &pieces, NULL))) return false;
    for (size_t i = 0; single && i < reals; i++)
        j->reals[i] = (double)j->floats[i];
    return true;
}

/* Makes and writes the pieces of the splines of a batch. */
static bool run_reduced(work *w, const spline_batch *batch)
{
    job j = {.w = w, .batch = batch};
    const spline_type type = reduced_type(w, batch);
    size_t num = 0;
    j.piece_reals = (size_t)spline_num_controls(&type) * spline_coordinates(&type);
    bool done = count_reduced(&j, &num);
    j.pieces = num;
    double *params = done ? malloc((2 * num * type.directions + 1) * sizeof(double)) : NULL;
    uint32_t *numbers = done ? malloc((num + 1) * sizeof(uint32_t)) : NULL;
    if (done && (!params || !numbers))
        complain("not enough memory for %lu pieces", (unsigned long)num);
    done = params && numbers && make_room(&j, 1) && make_reduced(&j, num, params, numbers);
    if (done) write_reduced(&j, num, params, numbers);
    clsp_patch_plan_destroy(&j.plan);
    free(j.reals);
    free(j.floats);
    free(params);
    free(numbers);
    return done;
}

/* ---- the run ---- */

static bool is_wanted(const work *w, const spline_batch *batch)
{
    return w->only == 0 || batch->type.directions == w->only;
}

/* Counts what is to be written. */
static void count_all(work *w)
{
    for (size_t i = 0; i < w->content.num_batches; i++) {
        const spline_batch *batch = &w->content.batches[i];
        if (!is_wanted(w, batch)) continue;
        if (w->num_splines == 0) w->directions = batch->type.directions;
        w->num_splines += batch->num_splines;
        if (!is_reduced(w, batch))
            w->total += (uint64_t)batch->num_splines * count_pieces(w, &batch->type);
    }
}

/* Counts pieces of a lower degree. */
static bool count_all_reduced(work *w)
{
    for (size_t i = 0; i < w->content.num_batches; i++) {
        job j = {.w = w, .batch = &w->content.batches[i]};
        size_t num = 0;
        if (!is_wanted(w, j.batch) || !is_reduced(w, j.batch)) continue;
        const bool done = count_reduced(&j, &num);
        clsp_patch_plan_destroy(&j.plan);
        if (!done) return false;
        w->total += num;
    }
    return true;
}

/* Whether all splines have a place in the file; complains of one that has none, and where there are
   none. */
static bool check_types(const work *w)
{
    if (w->num_splines == 0) {
        static const char *const kinds[] = {"splines", "curves", "surfaces", "volumes"};
        complain("%s: there are no %s", w->r->inputs[0], kinds[w->only]);
        return false;
    }
    for (size_t i = 0; i < w->content.num_batches; i++) {
        const spline_batch *batch = &w->content.batches[i];
        const char *why =
            is_wanted(w, batch) ? spline_writer_refuse(w->format, &batch->type) : NULL;
        if (!why && w->format == SPLINES_JSON && is_wanted(w, batch) &&
            batch->type.directions != w->directions)
            why = "JSON has splines of one kind; use .g2 or --only";
        if (!why && is_wanted(w, batch) && is_reduced(w, batch) &&
            (batch->type.directions > 2 ||
             (w->reduction.polynomial && batch->type.rational && batch->type.directions == 2)))
            why = batch->type.directions > 2
                      ? "--degree is of curves and surfaces; use --only curves"
                      : "--polynomial is of curves; use --only curves";
        for (uint32_t k = 0; !why && is_wanted(w, batch) && k < batch->type.directions; k++)
            if (w->own->degree > 0 && w->reduction.degree == 0 &&
                batch->type.degree[k] > w->own->degree)
                why = "a lower --degree needs --tolerance";
        if (!why) continue;
        complain("%s: spline %lu is a %s: %s", w->r->inputs[0], (unsigned long)batch->numbers[0],
                 spline_form(&batch->type), why);
        return false;
    }
    return true;
}

static bool read_content(work *w)
{
    const request *r = w->r;
    for (size_t i = 0; i < r->num_inputs; i++) {
        w->content.without_mesh = true;
        if (spline_file_add(&w->content, r->inputs[i], r->precision, &w->message)) continue;
        complain("%s", w->message.text);
        return false;
    }
    const char *name = r->num_inputs == 1 ? r->inputs[0] : "the files";
    double largest;
    if (!spline_info_choose(&w->content, name, r)) return false;
    spline_info_tell(&w->content, name, r);
    const double diagonal = splines_diagonal(&w->content, &largest);
    staging_note_floats(r, name, diagonal, largest);
    if (w->own->tolerance.unit == 1) w->reduction.tolerance *= diagonal / 100;
    count_all(w);
    return check_types(w);
}

static bool write_pieces(work *w)
{
    const request *r = w->r;
    bool done = true;
    w->writer = (spline_writer){.format = w->format, .precision = r->precision};
    if (!spline_writer_open(&w->writer, r->outputs[0], w->total, w->directions, &w->message)) {
        complain("%s", w->message.text);
        return false;
    }
    const double start = seconds_now();
    progress_start(&w->bar, "converting", request_verbosity(r));
    for (size_t i = 0; done && i < w->content.num_batches; i++)
        if (is_wanted(w, &w->content.batches[i]))
            done = is_reduced(w, &w->content.batches[i]) ? run_reduced(w, &w->content.batches[i])
                                                         : run_batch(w, &w->content.batches[i]);
    const bool written = spline_writer_close(&w->writer, done);
    progress_end(&w->bar);
    w->seconds = seconds_now() - start;
    if (done && !written) complain("%s", w->message.text);
    return done && written;
}

/* Takes doubles, as files have them, where the device does. */
static void choose_precision(const work *w, request *r)
{
    clsp_device_info info = {0};
    const bool has_doubles = clsp_context_device(w->ctx, &info) == CLSP_OK && info.fp64;
    r->precision = has_doubles ? MESH_F64 : MESH_F32;
}

int bspline_convert_run(request *r)
{
    pieces_request *own = (pieces_request *)r;
    const bool is_reduced = own->tolerance.value > 0;
    work w = {.own = own,
              .r = r,
              .only = (uint32_t)own->only,
              .reduction = {.degree = is_reduced ? own->degree : 0,
                            .polynomial = own->polynomial,
                            .free_tangents = own->free_tangents,
                            .tolerance = own->tolerance.value},
              .format = (spline_format)request_format(r, r->outputs[0])};
    w.is_cut = own->bezier || is_reduced || w.format == SPLINES_BV;
    bool done = open_context(&w.ctx, r->device, request_verbosity(r));
    if (done && !request_has(r, "precision")) choose_precision(&w, r);
    done = done && read_content(&w) && count_all_reduced(&w) && write_pieces(&w);
    if (done && !r->quiet && w.is_cut)
        fprintf(stderr, "%lu splines in %llu Bezier pieces\n", (unsigned long)w.num_splines,
                (unsigned long long)w.num);
    else if (done && !r->quiet)
        fprintf(stderr, "%lu splines\n", (unsigned long)w.num_splines);
    const job_summary summary = {.ctx = w.ctx,
                                 .things = "pieces",
                                 .num = w.num,
                                 .seconds = w.seconds,
                                 .stages = &(job_stage){"convert and write", w.seconds},
                                 .num_stages = 1};
    done = done && job_report_write(r, &summary);
    clsp_context_destroy(&w.ctx);
    splines_clear(&w.content);
    return done ? EXIT_OK : EXIT_FAILED;
}
