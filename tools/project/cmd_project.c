/* `clspline project`: the nearest points of curves and surfaces. */
#include "command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cad_model.h"
#include "distance_stats.h"
#include "job_report.h"
#include "parts.h"
#include "point_file.h"
#include "progress.h"
#include "project_model.h"
#include "project_picture.h"
#include "project_request.h"
#include "project_search.h"
#include "spline_info.h"
#include "staging.h"

enum { CHUNK_RESULTS = 1 << 19 };       /* of points that are searched at once */
static const double invert_part = 1e-5; /* of the box's diagonal: numbers of 6 digits are not
                                           further from what they stand for */

/* What is on the way, and what came of it. */
typedef struct work {
    const project_request *r;
    sharing_contexts contexts;
    splines content;
    double diagonal;  /* of the box around the control points */
    double tolerance; /* of --method mrep */
    double near;      /* points that are farther are off */
    point_file file;
    project_search search;
    nearest_file result;
    project_picture picture; /* in its place, also of .ply */
    bool is_picture, is_cloud;
    distance_stats stats;
    io_message message;
    progress_bar bar;
    uint64_t first, end;                                    /* points that are projected */
    uint64_t num, num_none, num_invalid, num_off, farthest; /* points; the number of one */
    double distance;                                        /* of the farthest; below 0: none */
    double low[3], high[3];                                 /* the box of points */
    double plan_seconds, search_seconds, file_seconds;
} work;

/* ---- the model ---- */

/* Whether the picture and the method can do with all splines; complains of one with which they
   cannot. */
static bool check_model(const work *w)
{
    const uint32_t dim = w->content.batches[0].type.dim;
    const bool by_cubics = w->r->opts.method == CLSP_NEAREST_MREP;
    for (size_t i = 0; i < w->content.num_batches; i++) {
        const spline_batch *batch = &w->content.batches[i];
        const char *why = NULL;
        if ((w->is_picture || w->is_cloud) && dim != 2 && dim != 3)
            why = "not of 2 or 3 coordinates, which pictures and .ply need";
        else if (by_cubics && batch->type.directions != 1)
            why = "a surface, which --method mrep does not do";
        else if (by_cubics && batch->type.rational)
            why = "rational, which --method mrep does not do";
        else if (by_cubics && (dim < 2 || dim > 3))
            why = "not of 2 or 3 coordinates, which --method mrep needs";
        else if (w->r->opts.num_nearest > 1 && batch->type.directions != 1)
            why = "a surface, which --count above 1 does not do";
        else if (w->r->is_signed && batch->type.directions != 2)
            why = "a curve, of which --signed is not known";
        else if (w->r->is_signed && dim != 3)
            why = "not of 3 coordinates, which --signed needs";
        if (!why) continue;
        complain("%s: spline %lu is %s", w->r->base.inputs[0], (unsigned long)batch->numbers[0],
                 why);
        return false;
    }
    return true;
}

/* Whether the model's unit is known where that of the points is told, and all its faces are there
   where they are to have sides; else complains. Notes faces that are missing. */
static bool check_part(const work *w)
{
    const cad_model *part = w->content.cad;
    const char *name = w->r->base.inputs[0];
    if (w->r->unit != LENGTH_MM && strcmp(w->content.unit, "mm") != 0) {
        complain("%s: --unit is of CAD files, and the unit of this one is not known", name);
        return false;
    }
    if (!part || part->faces_read >= part->faces_in_file) return true;
    if (w->r->is_signed)
        complain("%s: %u of %u faces are read; --signed needs all", name, part->faces_read,
                 part->faces_in_file);
    else if (!w->r->base.quiet)
        complain("warning: %s: %u of %u faces are read", name, part->faces_read,
                 part->faces_in_file);
    return !w->r->is_signed;
}

static bool read_model(work *w)
{
    const project_request *r = w->r;
    w->content.without_mesh = !w->is_picture;
    if (!project_model_read(&w->content, r->base.inputs, r->base.num_inputs - 1,
                            r->base.precision) ||
        !spline_info_choose(&w->content, r->base.inputs[0], &r->base) || !check_model(w) ||
        !check_part(w))
        return false;
    double largest;
    w->diagonal = splines_diagonal(&w->content, &largest);
    staging_note_floats(&r->base, r->base.inputs[0], w->diagonal, largest);
    w->tolerance = r->tolerance.value;
    if (r->tolerance.unit == 1) w->tolerance *= w->diagonal / 100;
    if (project_request_judges(r))
        w->near = r->tolerance.value > 0 ? w->tolerance : invert_part * w->diagonal;
    else
        w->near = HUGE_VAL;
    return true;
}

/* ---- the search ---- */

/* Prints what a shared call did, in the place of the progress bar. */
static void print_shared(void *user, const char *what, const clsp_report *shared)
{
    work *w = user;
    if (w->r->base.sharing.report) progress_end(&w->bar); /* until it is drawn anew */
    job_report_shared(&w->r->base, what, shared);
}

/* Opens the devices and makes the plans. */
static bool open_search(work *w)
{
    const project_request *r = w->r;
    double start = seconds_now();
    if (!sharing_open(&w->contexts, &r->base)) return false;
    w->search =
        (project_search){.ctx = w->contexts.ctx,
                         .content = &w->content,
                         .dim = w->content.batches[0].type.dim,
                         .precision = r->base.precision,
                         .opts = r->opts,
                         .is_signed = r->is_signed,
                         .sharing = r->base.sharing.cooperate ? &r->base.sharing.opts : NULL,
                         .report = print_shared,
                         .user = w,
                         .most = CHUNK_RESULTS / r->opts.num_nearest};
    if (r->opts.method == CLSP_NEAREST_MREP) w->search.opts.tolerance = w->tolerance;
    const bool done = project_search_open(&w->search);
    w->plan_seconds = seconds_now() - start;
    return done;
}

/* Judges the first result of a point: on the model or off, the farthest or not. */
static void judge(work *w, nearest_row *row)
{
    if (row->status == NEAREST_INVALID) w->num_invalid++;
    if (row->status == NEAREST_NONE) w->num_none++;
    if (row->status == NEAREST_INVALID || row->status == NEAREST_NONE) return;
    if (row->distance > w->distance) {
        w->distance = row->distance;
        w->farthest = w->num;
    }
    if (row->distance <= w->near) return;
    row->status = NEAREST_OFF;
    w->num_off++;
}

/* Takes what was found of a point into the picture and the statistics. In a picture points whose
   colours tell the side are at their nearest points, for those within would be hidden. False when
   memory runs out. */
static bool keep_row(work *w, const double *point, const nearest_row *row)
{
    const bool has_stats = w->r->base.json || w->r->histogram || w->r->by_face;
    if (w->is_picture && w->r->is_signed && row->patch >= 0) point = row->point;
    return (!has_stats || distance_stats_add(&w->stats, row)) &&
           (!(w->is_picture || w->is_cloud) ||
            project_picture_add(&w->picture, point, w->search.dim, row));
}

/* Turns points into the model's unit, and takes them into their box. */
static void take_units(work *w, double *points, size_t num)
{
    const double factor = length_unit_metres(w->r->unit) / length_unit_metres(LENGTH_MM);
    const uint32_t dim = w->search.dim;
    for (size_t i = 0; i < num * dim; i++) {
        const size_t k = i % dim;
        if (w->r->unit != LENGTH_MM) points[i] *= factor;
        if (k > 2 || !isfinite(points[i])) continue;
        w->low[k] = fmin(w->low[k], points[i]);
        w->high[k] = fmax(w->high[k], points[i]);
    }
}

/* Takes what was found of points to where it goes. False when writing has failed, or with a
   complaint. */
static bool take_rows(work *w, const double *points, size_t num, bool *failed)
{
    const uint32_t each = w->search.opts.num_nearest;
    bool done = true;
    for (size_t i = 0; done && i < num; i++, w->num++) {
        nearest_row *rows = &w->search.rows[i * each];
        judge(w, rows);
        if (w->r->is_signed && isfinite(rows->distance)) rows->distance = rows->signed_distance;
        *failed = !keep_row(w, points + i * w->search.dim, rows);
        if (*failed) complain("not enough memory");
        done = !*failed && (w->is_picture || w->is_cloud || nearest_file_add(&w->result, rows));
    }
    return done;
}

/* Returns which share of the points is done. */
static double find_fraction(const work *w)
{
    if (w->end == UINT64_MAX) return point_file_fraction(&w->file);
    return (double)(w->num - w->first) / (double)(w->end - w->first);
}

/* Projects all points of the file. */
static bool run_search(work *w, double *points)
{
    enum { FIRST = 1024 }; /* points at first: others may wait for programs to be compiled */
    for (;;) {
        double start = seconds_now();
        const uint64_t left = w->end - w->num;
        const size_t of_search =
            w->num == w->first && w->search.most > FIRST ? FIRST : w->search.most;
        const size_t most = left < of_search ? (size_t)left : of_search;
        const size_t num = most > 0 ? point_file_read(&w->file, points, most) : 0;
        double read = seconds_now();
        w->file_seconds += read - start;
        if (num == 0) break;
        take_units(w, points, num);
        if (!project_search_run(&w->search, points, num, w->num)) return false;
        double found = seconds_now();
        w->search_seconds += found - read;
        bool failed = false;
        const bool taken = take_rows(w, points, num, &failed);
        if (failed) return false;
        if (!taken) break; /* closing the file tells why */
        w->file_seconds += seconds_now() - found;
        progress_report(&w->bar, find_fraction(w));
    }
    if (w->file.failed) complain("%s", w->message.text);
    return !w->file.failed;
}

/* Projects all points of the file into the picture, and draws it. */
static bool draw_points(work *w, double *points)
{
    const io_progress progress = {progress_report, &w->bar};
    if (!run_search(w, points)) return false;
    const double start = seconds_now();
    const bool done = w->is_cloud ? project_picture_write_points(&w->picture, w->r, &progress)
                                  : project_picture_write(&w->picture, w->r, w->contexts.ctx,
                                                          &w->content, &progress);
    w->file_seconds += seconds_now() - start;
    return done;
}

static bool open_points(work *w)
{
    const char *path = w->r->base.inputs[w->r->base.num_inputs - 1];
    const uint32_t dim = w->content.batches[0].type.dim;
    if (point_file_open(&w->file, path, dim, w->r->columns, &w->message)) return true;
    complain("%s", w->message.text);
    return false;
}

/* Counts the points of text, and begins it anew. */
static bool count_points(work *w, double *points)
{
    uint64_t num = 0;
    if (fseek(w->file.in.file, 0, SEEK_CUR) != 0) {
        complain("%s: --part: points that come through a pipe cannot be counted", w->file.in.name);
        return false;
    }
    for (size_t more; (more = point_file_read(&w->file, points, w->search.most)) > 0;)
        num += more;
    if (w->file.failed) complain("%s", w->message.text);
    if (w->file.failed) return false;
    point_file_close(&w->file);
    if (!open_points(w)) return false;
    w->file.num = num;
    return true;
}

/* Finds which points are projected, and goes to the first of them. */
static bool take_points(work *w, double *points)
{
    const request *r = &w->r->base;
    parts_range range;
    if (r->num_parts > 0 && w->file.num == UINT64_MAX && !count_points(w, points)) return false;
    w->end = w->file.num; /* UINT64_MAX: nobody knows */
    if (w->end != UINT64_MAX) progress_count(&w->bar, (double)w->end, "points");
    if (r->num_parts == 0) return true;
    if (!parts_take(r, w->file.num, "points", &range)) return false;
    w->first = range.first;
    w->end = range.first + range.count;
    progress_count(&w->bar, (double)range.count, "points");
    while (w->num < w->first) {
        const uint64_t left = w->first - w->num;
        const size_t most = left < w->search.most ? (size_t)left : w->search.most;
        const size_t num = point_file_read(&w->file, points, most);
        if (num == 0) break; /* the search says why */
        w->num += num;
    }
    return true;
}

/* Projects the points of the file, or of a part, into the output. */
static bool write_points(work *w, double *points)
{
    const project_request *r = w->r;
    part_record record = parts_record(&r->base);
    parts_name_device(&record, w->contexts.ctx);
    const nearest_form form = {.is_npy =
                                   request_format(&r->base, r->base.outputs[0]) == PROJECT_NPY,
                               .precision = r->base.precision,
                               .directions = w->search.directions,
                               .dim = w->search.dim,
                               .per_query = r->opts.num_nearest,
                               .has_normals = r->is_signed,
                               .has_edges = w->search.feet != NULL,
                               .num = w->file.num,
                               .part = r->base.num_parts > 0 ? &record : NULL,
                               .first = w->first};
    if (!nearest_file_open(&w->result, &form, r->base.outputs[0], &w->message)) {
        complain("%s", w->message.text);
        return false;
    }
    const bool done = run_search(w, points);
    const bool written = nearest_file_close(&w->result, done);
    if (done && !written) complain("%s", w->message.text);
    return done && written;
}

static bool project_points(work *w)
{
    double *points = malloc(w->search.most * w->search.dim * sizeof(double));
    if (!points) {
        complain("not enough memory");
        return false;
    }
    progress_start(&w->bar, "projecting", request_verbosity(&w->r->base));
    const bool done =
        take_points(w, points) &&
        (w->is_picture || w->is_cloud ? draw_points(w, points) : write_points(w, points));
    progress_end(&w->bar);
    free(points);
    return done;
}

/* ---- the report ---- */

/* Names what points are projected onto. */
static const char *name_model(const work *w)
{
    bool curves = false, surfaces = false;
    if (w->content.cad) return "faces";
    for (size_t i = 0; i < w->content.num_batches; i++) {
        curves = curves || w->content.batches[i].type.directions == 1;
        surfaces = surfaces || w->content.batches[i].type.directions == 2;
    }
    return !surfaces ? "curves" : curves ? "curves and surfaces" : "surfaces";
}

/* Notes where the points look as if they were in another unit than the model. */
static void note_unit(const work *w)
{
    static const struct {
        double ratio;
        const char *text;
    } units[] = {{1 / 25.4, "in"}, {1e-3, "m"}, {1e-1, "cm"}, {1e3, "um"}};
    double size = 0;
    if (!w->content.cad || w->r->unit != LENGTH_MM || w->r->base.only) return;
    for (uint32_t k = 0; k < 3; k++)
        size = hypot(size, fmax(w->high[k] - w->low[k], 0));
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (fabs(log(size / w->diagonal / units[i].ratio)) < 0.35)
            complain("note: the box of the points is %.3g times as large as the model's: is "
                     "their unit %s? (--unit %s)",
                     size / w->diagonal, units[i].text, units[i].text);
}

static void report(const work *w)
{
    clsp_device_info info = {0};
    print_name(stderr, w->file.in.name);
    fprintf(stderr, ": %llu points onto %lu %s", (unsigned long long)(w->num - w->first),
            (unsigned long)w->content.num_splines, name_model(w));
    if (clsp_context_device(w->contexts.ctx, &info) == CLSP_OK)
        fprintf(stderr, ", on %s (%s)", info.name, info.platform);
    if (w->distance >= 0)
        fprintf(stderr, "\nlargest distance %.6g, of point %llu", w->distance,
                (unsigned long long)w->farthest);
    if (w->num_off > 0) fprintf(stderr, "; %llu off", (unsigned long long)w->num_off);
    if (w->num_none > 0) fprintf(stderr, "; %llu none", (unsigned long long)w->num_none);
    if (w->num_invalid > 0) fprintf(stderr, "; %llu invalid", (unsigned long long)w->num_invalid);
    fprintf(stderr, "\nread and write %.1f ms, plan %.1f ms, search %.1f ms\n",
            1e3 * w->file_seconds, 1e3 * w->plan_seconds, 1e3 * w->search_seconds);
}

/* Prints what is asked for of all distances. False with a complaint. */
static bool report_distances(work *w)
{
    const option_list *range = &w->r->picture.range;
    if (w->r->histogram)
        distance_stats_histogram(&w->stats, range->num > 0 ? range->values : NULL, stderr);
    if (w->r->base.json) return distance_stats_print(&w->stats, &w->content, w->search_seconds);
    return !w->r->by_face || distance_stats_faces(&w->stats, &w->content, stderr);
}

/* Writes the report that is asked for as JSON. */
static bool write_report(const work *w)
{
    const job_stage stages[] = {
        {"plan", w->plan_seconds}, {"search", w->search_seconds}, {"files", w->file_seconds}};
    const job_summary summary = {w->contexts.ctx,   "points", w->num - w->first,
                                 w->search_seconds, stages,   sizeof(stages) / sizeof(stages[0])};
    return job_report_write(&w->r->base, &summary);
}

/* The exit status of what was done: where there is a tolerance, whether all points are within it.
 */
static int judge_all(const work *w)
{
    if (!project_request_judges(w->r)) return EXIT_OK;
    return w->num_off + w->num_none + w->num_invalid == 0 ? EXIT_OK : EXIT_OFF;
}

int project_run(request *base)
{
    work *w = calloc(1, sizeof(*w)); /* with buffers of files, too large for some stacks */
    int status = EXIT_FAILED;
    if (!w) {
        complain("not enough memory");
        return status;
    }
    w->r = (const project_request *)base;
    w->stats.is_signed = w->r->is_signed;
    w->stats.by_face = w->r->by_face;
    w->distance = -1;
    for (int k = 0; k < 3; k++) {
        w->low[k] = HUGE_VAL;
        w->high[k] = -HUGE_VAL;
    }
    w->is_picture = request_format(base, base->outputs[0]) == PROJECT_PNG;
    w->is_cloud = request_format(base, base->outputs[0]) == PROJECT_PLY;
    const bool done = read_model(w) && open_points(w) && open_search(w) && project_points(w);
    if (done) status = report_distances(w) ? judge_all(w) : EXIT_FAILED;
    if (done && !base->quiet) report(w);
    if (done && !base->quiet) note_unit(w);
    if (done && !write_report(w)) status = EXIT_FAILED;
    project_search_close(&w->search);
    project_picture_clear(&w->picture);
    distance_stats_clear(&w->stats);
    sharing_close(&w->contexts);
    point_file_close(&w->file);
    splines_clear(&w->content);
    free(w);
    return status;
}
