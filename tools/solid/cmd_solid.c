/* Jobs on meshes of cells: eval, convert, slice, locate and probe. */
#include "command.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job_report.h"
#include "near_points.h"
#include "parts.h"
#include "progress.h"
#include "solid_file.h"
#include "solid_output.h"
#include "solid_places.h"
#include "solid_shell.h"
#include "solid_size.h"
#include "slice_note.h"
#include "solid_slice.h"
#include "staging.h"

enum { KINDS = 4 };

/* What is on the way, and what came of it. */
typedef struct work {
    const solid_request *r;
    sharing_contexts contexts;
    solid_model model;
    solid_samples samples;
    solid_boundary boundary;
    solid_places *places; /* in its place: of points */
    mesh_precision precision;
    size_t num_read; /* cells */
    double share;    /* of coordinates, that two vertices of a cell are apart at least */
    bool has_sizes;  /* of outputs, which have been told */
    slice_frame frame;
    solid_slice_counts slice;
    progress_bar bar;
    double read_seconds, mesh_seconds, plan_seconds, slice_seconds, evaluate_seconds, write_seconds;
} work;

/* ---- the mesh ---- */

/* Tells how many points are within a tolerance of others, and what becomes of that. */
static void note_others(const work *w, size_t others, double tolerance, bool merges)
{
    const unsigned long num = (unsigned long)w->model.cells.num_points;
    const char *name = w->r->base.inputs[0];
    if (w->r->base.quiet) return;
    if (merges)
        complain("note: %s: %lu of %lu points become one with others", name, (unsigned long)others,
                 num);
    else if (others > 0)
        complain("note: %s: %lu of %lu points lie on others, so that cells do not hang together "
                 "there; --merge %.1g lets them be one",
                 name, (unsigned long)others, num, 2 * tolerance);
}

/* Finds the points that are within a tolerance of others, and merges or counts them. False with a
   complaint. */
static bool find_others(work *w, double tolerance, bool merges)
{
    solid_cells *cells = &w->model.cells;
    size_t others = 0;
    io_message message;
    uint32_t *to = malloc((cells->num_points + 1) * sizeof(*to));
    bool done = to && near_points_find(cells->points, cells->num_points, tolerance, to, &others);
    if (!done) solid_model_memory(&w->model);
    if (done) note_others(w, others, tolerance, merges);
    if (done && merges && !solid_cells_merge(cells, to, w->r->base.inputs[0], &message)) {
        complain("%s", message.text);
        done = false;
    }
    free(to);
    return done;
}

/* Merges points where that is asked for, and tells how many are left that lie on others but for the
   rounding of floats. False with a complaint. */
static bool merge_points(work *w)
{
    solid_cells *cells = &w->model.cells;
    const double spacing = solid_cells_spacing(cells, &w->share), merge = w->r->merge;
    double largest = 0;
    for (size_t i = 0; i < 3 * cells->num_points; i++)
        largest = fmax(largest, fabs(cells->points[i]));
    const double rounding = fmin(largest * 2 * (double)FLT_EPSILON, spacing / 1000);
    return (merge < 0 || find_others(w, merge, true)) &&
           (merge >= rounding || w->r->base.quiet || find_others(w, rounding, false));
}

static bool read_mesh(work *w)
{
    const double start = seconds_now();
    io_message message;
    const solid_cells *cells = &w->model.cells;
    const io_progress progress = {progress_report, &w->bar};
    progress_start(&w->bar, "reading", request_verbosity(&w->r->base));
    const bool done = solid_file_open(&w->model.cells, w->r->base.inputs[0], &progress, &message);
    progress_end(&w->bar);
    if (!done) {
        complain("%s", message.text);
        return false;
    }
    w->num_read = cells->num_cells;
    if (cells->num_isolated > 0 && !w->r->base.quiet)
        complain("warning: %s: %lu points that no cell has are left out", w->r->base.inputs[0],
                 (unsigned long)cells->num_isolated);
    const bool merged = merge_points(w);
    w->read_seconds = seconds_now() - start;
    return merged;
}

/* Tells how large outputs become, before they are made, and whether the disk has room for all. */
static bool check_outputs(work *w, double vertices, double faces, double cells)
{
    const request *r = &w->r->base;
    if (w->has_sizes || w->r->slices || solid_request_has_points(w->r) ||
        !w->model.counts.is_hexahedral)
        return true;
    w->has_sizes = true;
    double *bytes = malloc((r->num_outputs + 1) * sizeof(*bytes));
    if (!bytes) return solid_model_memory(&w->model);
    for (size_t i = 0; i < r->num_outputs; i++)
        bytes[i] = solid_size_of(&w->model, r->outputs[i], vertices, faces, cells);
    const bool fits = solid_size_fits(&w->model, bytes);
    free(bytes);
    return fits;
}

/* Complains of a refinement of which the library's numbers cannot hold all vertices, which follow
   from those that there are, or the disk the outputs. */
static bool check_size(work *w)
{
    const solid_model *m = &w->model;
    double v = (double)m->counts.num_vertices, e = (double)m->counts.num_edges;
    double f = (double)m->counts.num_faces, c = (double)m->counts.num_cells;
    const uint32_t steps = w->r->has_steps ? (uint32_t)ceil(w->r->crease_steps) : 0;
    const uint32_t last = w->r->refine > steps ? w->r->refine : steps;
    for (uint32_t n = m->refined; m->counts.is_hexahedral && n < last; n++) {
        v += e + f + c;
        e = 2 * e + 4 * f + 6 * c;
        f = 4 * f + 12 * c;
        c *= 8;
    }
    if (e <= INT32_MAX && v <= INT32_MAX) return check_outputs(w, v, f, c);
    complain("%s: refined %u times it would have %.3g cells, too many", w->r->base.inputs[0],
             (unsigned)last, c);
    return false;
}

/* ---- classes ---- */

/* Prints a line of the table of classes. */
static bool print_classes(const work *w)
{
    const solid_model *m = &w->model;
    size_t num = 0, cells[KINDS] = {0}, kinds[KINDS] = {0};
    clsp_solid_class *classes = NULL;
    clsp_solid_plan *plan;
    if (m->refined == 0)
        printf("refined     cells   regular   layered irregular     split   classes\n");
    if (!m->counts.is_hexahedral) {
        printf("%7u %9lu         -         -         -         -         -\n", (unsigned)m->refined,
               (unsigned long)m->counts.num_cells);
        return true;
    }
    if (!solid_model_plan(m, w->precision, (solid_grid){0, 0}, 0, &plan)) return false;
    clsp_status status = clsp_solid_classes(plan, NULL, 0, &num);
    classes = calloc(num + 1, sizeof(*classes));
    if (status == CLSP_OK && classes) status = clsp_solid_classes(plan, classes, num, &num);
    const bool done = status == CLSP_OK && classes;
    for (size_t i = 0; done && i < num; i++) {
        cells[classes[i].kind] += classes[i].num_cells;
        kinds[classes[i].kind]++;
    }
    clsp_solid_plan_destroy(&plan);
    free(classes);
    if (!done) return solid_model_memory(m);
    printf("%7u %9lu", (unsigned)m->refined, (unsigned long)m->counts.num_cells);
    for (int k = 0; k < KINDS; k++)
        printf(" %9lu", (unsigned long)cells[k]);
    printf(" %9lu\n", (unsigned long)num);
    return true;
}

/* Warns of hexahedra that are taken as they are, but may not be meant so. */
static bool warn_of_cells(work *w)
{
    const clsp_solid_counts *counts = &w->model.counts;
    const bool hexahedra = counts->is_hexahedral;
    const size_t turns = counts->num_inside_out;
    if (hexahedra && !solid_model_index(&w->model)) return false;
    const size_t odd = hexahedra ? solid_model_odd_cells(&w->model) : w->r->orient ? 0 : turns;
    if (w->r->base.quiet) return true;
    if (turns > 0 && w->r->orient)
        complain("note: %s: %lu of %lu cells were inside out and are turned", w->r->base.inputs[0],
                 (unsigned long)turns, (unsigned long)counts->num_cells);
    if (odd > 0)
        complain("warning: %s: %lu of %lu cells are %sinside out%s", w->r->base.inputs[0],
                 (unsigned long)odd, (unsigned long)counts->num_cells, hexahedra ? "flat or " : "",
                 turns > 0 && !w->r->orient ? "; --orient turns them" : "");
    return true;
}

/* Says that there are no creases to be kept for some steps. */
static void note_steps(const work *w)
{
    if (w->r->has_steps && w->model.cells.num_creases == 0 && !w->r->base.quiet)
        complain("note: %s: there are no creases, so --crease-steps only refines; --crease-angle "
                 "finds some",
                 w->r->base.inputs[0]);
}

/* Returns which share of the work of refining is done: each step has eight times that of the one
   before. */
static double refined_share(const work *w, uint32_t steps)
{
    const uint32_t all = w->r->refine > steps ? w->r->refine : steps;
    return (pow(8, steps) - 1) / (pow(8, all) - 1);
}

/* Tells whether the boundary is all that is asked for. */
static bool is_boundary_alone(const work *w)
{
    const request *r = &w->r->base;
    bool alone = r->num_outputs > 0 && !w->r->slices && !w->r->classes &&
                 !solid_request_has_points(w->r) &&
                 !solid_request_shows_data(w->r); /* of cells, or on the face of a cut */
    for (size_t i = 0; i < r->num_outputs; i++)
        alone = alone && !solid_request_has_cells(w->r, r->outputs[i]);
    return alone;
}

/* Refines the mesh as often as it is asked for, or needs it. */
static bool prepare_mesh(work *w)
{
    const double start = seconds_now();
    solid_model *m = &w->model;
    bool done = solid_model_make(m) && warn_of_cells(w);
    if (done) note_steps(w);
    done = done && check_size(w) && (!w->r->classes || print_classes(w));
    progress_start(&w->bar, "refining", request_verbosity(&w->r->base));
    for (uint32_t n = 1; done && solid_model_is_coarse(m); n++) {
        done = (!is_boundary_alone(w) || solid_shell_replace(m)) && solid_model_refine(m) &&
               check_size(w) && (!w->r->classes || print_classes(w));
        progress_report(&w->bar, refined_share(w, n));
    }
    progress_end(&w->bar);
    w->mesh_seconds = seconds_now() - start;
    return done;
}

/* ---- output ---- */

static bool open_samples(work *w, uint32_t samples)
{
    const double start = seconds_now();
    const bool done =
        solid_samples_open(&w->samples, &w->model, w->precision, (solid_grid){samples, samples});
    w->samples.bar = &w->bar;
    w->plan_seconds = seconds_now() - start;
    return done;
}

/* Writes an image of slices, and what is told of it. */
static bool write_image(const work *w, image_array *image)
{
    const char *path = w->r->base.outputs[0];
    io_message message;
    char *note = slice_note_make(&w->model, &w->frame);
    bool done = note != NULL;
    if (done) slice_note_place(w->r, &w->frame, note, image);
    if (done && !image_file_write(image, path, w->r->image, &message)) {
        complain("%s", message.text);
        done = false;
    }
    if (done && w->r->image == IMAGE_NPY && strcmp(path, "-") != 0)
        done = slice_note_write(path, note);
    free(note);
    return done;
}

static bool write_slice(work *w)
{
    image_array image = {.values = NULL};
    progress_start(&w->bar, "slicing", request_verbosity(&w->r->base));
    solid_model_centre(&w->model);
    bool done = open_samples(w, NET_SAMPLES);
    if (done && solid_samples_are_unlike(&w->samples)) {
        solid_samples_close(&w->samples);
        done = open_samples(w, FINE_SAMPLES);
    }
    const double begin = seconds_now();
    done = done && solid_slice_make(&w->samples, &image, &w->frame, &w->slice, &w->bar);
    progress_end(&w->bar);
    done = done && slice_note_outside(&w->model, &w->frame, &w->slice);
    const double start = seconds_now();
    w->slice_seconds = start - begin;
    if (done && w->r->image == IMAGE_PNG) done = solid_slice_shade(&w->model, &image);
    done = done && write_image(w, &image);
    w->write_seconds = seconds_now() - start;
    image_array_clear(&image);
    return done;
}

/* Looks for points. */
static bool write_places(work *w)
{
    w->places =
        calloc(1, sizeof(*w->places)); /* with buffers of files, too large for some stacks */
    if (!w->places) return solid_model_memory(&w->model);
    solid_model_centre(&w->model);
    const bool done = solid_places_run(w->places, &w->model, w->precision, &w->bar);
    w->plan_seconds = w->places->plan_seconds;
    return done;
}

static bool open_boundary(work *w)
{
    const double start = seconds_now();
    const bool done = solid_boundary_open(&w->boundary, &w->model, w->precision);
    w->boundary.samples.bar = &w->bar;
    w->plan_seconds += seconds_now() - start;
    return done;
}

/* Prepares what the outputs are made of: cells, or faces alone. */
static bool open_all(work *w)
{
    const solid_request *r = w->r;
    bool cells = false, faces = false;
    for (size_t i = 0; i < r->base.num_outputs; i++)
        *(solid_request_has_cells(r, r->base.outputs[i]) ? &cells : &faces) = true;
    if (!solid_model_index(&w->model)) return false;
    return (!cells || !r->samples || open_samples(w, r->samples)) && (!faces || open_boundary(w));
}

static bool write_outputs(work *w)
{
    const solid_request *r = w->r;
    const uint32_t num_parts = r->base.num_parts > 0 ? r->base.num_parts : 1;
    bool done = open_all(w);
    const double start = seconds_now();
    for (size_t i = 0; done && i < r->base.num_outputs; i++) {
        progress_start(&w->bar, "writing", request_verbosity(&r->base));
        progress_count(&w->bar, (double)w->model.counts.num_cells / num_parts, "cells");
        done = solid_output_write(&w->model, r->samples ? &w->samples : NULL, &w->boundary,
                                  r->base.outputs[i], &w->bar);
        progress_end(&w->bar);
    }
    w->evaluate_seconds = w->samples.seconds + w->boundary.samples.seconds;
    w->write_seconds = seconds_now() - start - w->evaluate_seconds;
    return done;
}

/* Reports what became of points. */
static void report_places(const work *w)
{
    const solid_places *const p = w->places;
    print_name(stderr, p->path);
    fprintf(stderr, ": %llu points: %llu found, off by %.2g at most", (unsigned long long)p->num,
            (unsigned long long)p->counts[CLSP_SOLID_PLACE_FOUND], p->residual);
    if (p->counts[CLSP_SOLID_PLACE_NONE] > 0)
        fprintf(stderr, "; %llu outside", (unsigned long long)p->counts[CLSP_SOLID_PLACE_NONE]);
    if (p->counts[CLSP_SOLID_PLACE_CUT] > 0)
        fprintf(stderr, "; %llu cut", (unsigned long long)p->counts[CLSP_SOLID_PLACE_CUT]);
    if (p->counts[CLSP_SOLID_PLACE_INVALID] > 0)
        fprintf(stderr, "; %llu invalid", (unsigned long long)p->counts[CLSP_SOLID_PLACE_INVALID]);
    fprintf(stderr, "\nread %.1f ms, mesh %.1f ms, plan %.1f ms, search %.1f ms, files %.1f ms\n",
            1e3 * w->read_seconds, 1e3 * w->mesh_seconds, 1e3 * w->plan_seconds, 1e3 * p->seconds,
            1e3 * p->file_seconds);
}

static void report(const work *w)
{
    const solid_model *m = &w->model;
    clsp_device_info info = {0};
    print_name(stderr, w->r->base.inputs[0]);
    fprintf(stderr, ": %lu cells", (unsigned long)w->num_read);
    if (m->refined > 0)
        fprintf(stderr, ", refined %u time%s: %lu%s", (unsigned)m->refined,
                m->refined > 1 ? "s" : "",
                (unsigned long)(m->outside ? w->boundary.faces.num : m->counts.num_cells),
                m->outside ? " on the boundary" : "");
    if (w->r->slices && w->r->base.num_outputs > 0)
        fprintf(stderr, ", %lu of %lu pixels within, off by %.2g at most",
                (unsigned long)w->slice.inside, (unsigned long)w->slice.num, w->slice.error);
    else if (w->r->samples && w->r->base.num_outputs > 0)
        fprintf(stderr, ", %u x %u x %u samples each", (unsigned)w->r->samples,
                (unsigned)w->r->samples, (unsigned)w->r->samples);
    if (clsp_context_device(w->contexts.ctx, &info) == CLSP_OK)
        fprintf(stderr, ", on %s (%s)", info.name, info.platform);
    fprintf(stderr, "\n");
    if (w->places) {
        report_places(w);
        return;
    }
    if (w->r->slices && w->r->base.num_outputs > 0) {
        slice_note_print(stderr, &w->frame);
        fprintf(stderr, "read %.1f ms, mesh %.1f ms, plan %.1f ms, slice %.1f ms: %.3g a second, ",
                1e3 * w->read_seconds, 1e3 * w->mesh_seconds, 1e3 * w->plan_seconds,
                1e3 * w->slice_seconds, (double)w->frame.planes / w->slice_seconds);
        fprintf(stderr, "write %.1f ms\n", 1e3 * w->write_seconds);
        return;
    }
    fprintf(stderr, "read %.1f ms, mesh %.1f ms, plan %.1f ms, evaluate %.1f ms, write %.1f ms\n",
            1e3 * w->read_seconds, 1e3 * w->mesh_seconds, 1e3 * w->plan_seconds,
            1e3 * w->evaluate_seconds, 1e3 * w->write_seconds);
}

/* Writes the report that is asked for as JSON: of cells, or pixels of slices. */
static bool write_report(const work *w)
{
    const bool slices = w->r->slices && w->r->base.num_outputs > 0;
    const double evaluate = slices ? w->slice_seconds : w->evaluate_seconds;
    const job_stage stages[] = {{"read", w->read_seconds},
                                {"mesh", w->mesh_seconds},
                                {"plan", w->plan_seconds},
                                {slices ? "slice" : "evaluate", evaluate},
                                {"write", w->write_seconds}};
    parts_range cells;
    if (!parts_take(&w->r->base, w->model.counts.num_cells, "cells", &cells)) return false;
    const job_summary summary = {w->contexts.ctx,
                                 slices ? "pixels" : "cells",
                                 slices ? w->slice.num : cells.count,
                                 evaluate,
                                 stages,
                                 sizeof(stages) / sizeof(stages[0])};
    return job_report_write(&w->r->base, &summary);
}

/* Warns of files that hold floats alone. */
static void note_formats(const work *w)
{
    const request *r = &w->r->base;
    for (size_t i = 0; i < r->num_outputs; i++) {
        const int format = request_format(r, r->outputs[i]);
        if (format == SOLID_STL || format == SOLID_GLB)
            complain("warning: %s: this format has floats alone, which are coarse beside the "
                     "mesh's coordinates",
                     r->outputs[i]);
    }
}

/* Takes doubles where floats are coarse beside the distance of neighbouring samples, or says that
   they are. What counts from the middle of the mesh, as slices do, is left as it is. */
static void refine_precision(work *w, solid_request *r, bool has_doubles)
{
    const double parts = ldexp(r->samples > 1 ? r->samples - 1 : 1, (int)r->refine);
    const bool is_centred = r->slices || solid_request_has_points(r);
    if (r->base.num_outputs == 0 || is_centred) return;
    const double share = w->share / parts;
    if (!staging_is_coarse(share)) return;
    if (!r->base.quiet) note_formats(w);
    if (w->precision == MESH_F64 || (r->samples == 0 && !r->has_precision)) return;
    if (!r->has_precision && has_doubles) {
        w->precision = r->base.precision = MESH_F64;
        if (!r->base.quiet)
            complain("note: %s: samples are as near as %.2g of their coordinates, so doubles are "
                     "taken; --precision f32 takes floats",
                     r->base.inputs[0], share);
    } else if (!r->base.quiet) {
        complain("warning: %s: samples are as near as %.2g of their coordinates, beside which "
                 "floats are coarse%s",
                 r->base.inputs[0], share,
                 has_doubles ? "; use --precision f64" : ", and the device has no doubles");
    }
}

/* Opens the device and chooses a precision where none was given. */
static bool open_device(work *w, solid_request *r)
{
    clsp_device_info info = {0};
    if (!sharing_open(&w->contexts, &r->base)) return false;
    w->model.ctx = w->contexts.ctx;
    w->precision = r->base.precision;
    const bool has_doubles = clsp_context_device(w->contexts.ctx, &info) == CLSP_OK && info.fp64;
    if (!r->has_precision && (r->slices || r->bezier || solid_request_has_points(r)) && has_doubles)
        w->precision = MESH_F64;
    refine_precision(w, r, has_doubles);
    return true;
}

int solid_run(request *base)
{
    solid_request *r = (solid_request *)base;
    work w = {.r = r, .model = {.r = r}};
    bool done =
        read_mesh(&w) && solid_model_choose(&w.model) && open_device(&w, r) && prepare_mesh(&w);
    if (done && r->base.num_outputs > 0)
        done = solid_request_has_points(r) ? write_places(&w)
               : r->slices                 ? write_slice(&w)
                                           : write_outputs(&w);
    if (done && !r->base.quiet) report(&w);
    done = done && write_report(&w);
    solid_samples_close(&w.samples);
    solid_boundary_close(&w.boundary);
    if (w.places) solid_places_close(w.places);
    free(w.places);
    solid_model_clear(&w.model);
    sharing_close(&w.contexts);
    return done ? EXIT_OK : EXIT_FAILED;
}
