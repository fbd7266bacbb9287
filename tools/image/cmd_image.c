/* `clspline image`: images and volumes turned, scaled and moved. */
#include "command.h"

#include <math.h>
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_alpha.h"
#include "image_labels.h"
#include "image_motion.h"
#include "image_part.h"
#include "image_request.h"
#include "image_stored.h"
#include "image_tiles.h"
#include "job_report.h"
#include "progress.h"

/* What is on the way, and what came of it. */
typedef struct work {
    const image_request *r;
    sharing_contexts contexts;
    clsp_image_plan *plan; /* of the description; NULL: none yet */
    clsp_image_desc desc;
    image_array image;                 /* what was read, and then what came of each step */
    size_t size[IMAGE_MAX_DIRECTIONS]; /* of what was read */
    image_type type;                   /* of what is written */
    image_alpha alpha;
    bool are_labels;                /* what a step takes, in pieces: image_labels.h */
    int mode[IMAGE_MAX_DIRECTIONS]; /* of the last step, as numbers of IMAGE_MODES */
    uint32_t num_computed;          /* steps that are no copies */
    image_part part;                /* of the output that is made; has all 0: the whole is */
    progress_bar bar;
    double read_seconds, plan_seconds, step_seconds, write_seconds;
} work;

static bool check(const work *w, clsp_status status)
{
    if (status == CLSP_ERROR_NO_MEMORY || status == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
        status == CL_OUT_OF_RESOURCES)
        complain("%s: %s; the image may be too large for the device", w->r->base.inputs[0],
                 status_text(status));
    else if (status != CLSP_OK)
        complain_status(w->contexts.ctx, status);
    return status == CLSP_OK;
}

static bool fail_memory(const work *w)
{
    complain("%s: not enough memory for this image", w->r->base.inputs[0]);
    return false;
}

static bool fail_message(const io_message *message)
{
    complain("%s", message->text);
    return false;
}

/* ---- types ---- */

static clsp_type type_of(image_type type)
{
    static const clsp_type types[] = {[IMAGE_U8] = CLSP_U8,
                                      [IMAGE_U16] = CLSP_U16,
                                      [IMAGE_S16] = CLSP_S16,
                                      [IMAGE_F32] = CLSP_F32,
                                      [IMAGE_F64] = CLSP_F64};
    return types[type];
}

/* The type that the library takes or makes where the image should have another one. */
static image_type storable(image_type type, clsp_type precision)
{
    if (type != IMAGE_F64 && !image_type_is_wide(type)) return type;
    return precision == CLSP_F32 ? IMAGE_F32 : IMAGE_F64;
}

static bool convert(work *w, image_type type)
{
    return image_array_convert(&w->image, type) || fail_memory(w);
}

/* Tells whether numbers are computed in double unless told otherwise. */
static bool has_doubles(const work *w)
{
    const image_type type = w->image.type;
    return type == IMAGE_F64 || (image_type_is_wide(type) && !image_labels_are(w->r, &w->image));
}

/* ---- shared calls ---- */

/* Says how calls run, and where they tell what processors did. */
static clsp_run run_of(const work *w, clsp_report *report)
{
    const sharing_request *s = &w->r->base.sharing;
    return (clsp_run){.share = s->cooperate ? &s->opts : NULL,
                      .report = s->cooperate ? report : NULL};
}

/* Tells what a call did, in the place of the progress bar. */
static void tell(void *user, const char *what, const clsp_report *report)
{
    work *w = user;
    if (w->r->base.sharing.report) progress_end(&w->bar); /* until it is drawn anew */
    job_report_shared(&w->r->base, what, report);
}

/* ---- steps ---- */

/* As IMAGE_MODES names them. */
static const clsp_image_mode modes[] = {
    CLSP_IMAGE_MIRROR,   CLSP_IMAGE_REFLECT,       CLSP_IMAGE_GRID_WRAP, CLSP_IMAGE_NEAREST,
    CLSP_IMAGE_CONSTANT, CLSP_IMAGE_GRID_CONSTANT, CLSP_IMAGE_WRAP,      CLSP_IMAGE_REFLECT};

/* Finds by which modes a step's map continues the image. Where none is asked for, an image whose
   outer half samples alone are touched goes on as it is there, and nothing is put around it. */
static void choose_modes(work *w, const clsp_image_map *map)
{
    const image_request *r = w->r;
    const uint32_t num = w->image.directions;
    for (uint32_t i = 0; i < num; i++)
        if (r->mode.num > 0)
            w->mode[i] = (int)r->mode.values[r->mode.num > 1 ? num - 1 - i : 0];
        else
            w->mode[i] =
                image_motion_leaves(&w->image, map, i) ? IMAGE_MODE_CONSTANT : IMAGE_MODE_REFLECT;
}

/* Describes the plan of a step from the image that there is. */
static clsp_image_desc describe(const work *w, image_type type)
{
    const image_request *r = w->r;
    const uint32_t num = w->image.directions;
    const bool is_changed = w->alpha.is_begun || w->are_labels; /* so that 0 is outside */
    clsp_image_desc desc = {.directions = num,
                            .channels = w->image.channels,
                            .precision = r->precision,
                            .samples = type_of(w->image.type),
                            .values = type_of(type),
                            .order = r->order > 0 ? (clsp_image_order)r->order
                                                  : CLSP_IMAGE_NEAREST_SAMPLE,
                            .cval = is_changed && !isnan(r->cval) ? 0 : r->cval,
                            .prefilter = r->prefilter,
                            .taps = r->taps,
                            .clip = r->clip && !w->alpha.is_begun,
                            .fetch = (clsp_image_fetch)(r->fetch + CLSP_IMAGE_BUFFERS)};
    for (uint32_t i = 0; i < num; i++) {
        desc.size[i] = (uint32_t)w->image.size[i];
        desc.mode[i] = modes[w->mode[i]];
    }
    return desc;
}

/* Makes the plan, unless there is one of the same description. */
static bool make_plan(work *w, image_type type)
{
    const clsp_image_desc desc = describe(w, type);
    if (w->plan && memcmp(&desc, &w->desc, sizeof(desc)) == 0) return true;
    if (!w->contexts.ctx && !sharing_open(&w->contexts, &w->r->base)) return false;
    const double start = seconds_now();
    clsp_image_plan_destroy(&w->plan);
    w->desc = desc;
    const bool done = check(w, clsp_image_plan_create(&w->plan, w->contexts.ctx, &desc));
    w->plan_seconds += seconds_now() - start;
    return done;
}

/* Returns the type of what lies between steps. */
static image_type real_type(const work *w)
{
    return w->r->precision == CLSP_F32 ? IMAGE_F32 : IMAGE_F64;
}

/* For io_progress: user is a step's. */
typedef struct step_progress {
    work *w;
    uint32_t step;
} step_progress;

static void report_step(void *user, double fraction)
{
    const step_progress *p = user;
    progress_report(&p->w->bar, (p->step + fraction) / p->w->r->repeat);
}

/* Checks a call of a plan, and tells what it did where it was shared. */
static bool check_call(work *w, const char *what, const clsp_run *run, clsp_status status)
{
    if (status == CLSP_OK && run->report) tell(w, what, run->report);
    return check(w, status);
}

/* Makes all frames of a step, one after the other. */
static bool make_frames(work *w, const io_progress *progress, const clsp_image_map *map,
                        image_array *made)
{
    const size_t num = made->frames > 1 ? made->frames : 1;
    const size_t samples = image_array_count(&w->image) / num,
                 values = image_array_count(made) / num;
    const size_t from_bytes = samples * image_type_bytes(w->image.type);
    const size_t to_bytes = values * image_type_bytes(made->type);
    clsp_report report;
    const clsp_run run = run_of(w, &report);
    bool done = true;
    for (size_t i = 0; done && i < num; i++) {
        const clsp_input in = {.type = type_of(w->image.type),
                               .host = (const char *)w->image.values + i * from_bytes,
                               .size = samples};
        const clsp_output out = {.type = type_of(made->type),
                                 .host = (char *)made->values + i * to_bytes,
                                 .size = values};
        done = check_call(w, "coefficients", &run, clsp_image_set_samples(w->plan, 1, in, &run));
        io_report(progress, 2 * i + 1, 2 * num);
        done = done && check_call(w, "values", &run,
                                  clsp_image_eval(w->plan, (clsp_range){0, 1}, map, out, &run));
    }
    return done;
}

/* Makes a part of a step's values. */
static bool make_part(work *w, const io_progress *progress, const clsp_image_map *map,
                      image_array *made)
{
    clsp_report shared;
    const clsp_run run = run_of(w, &shared);
    const image_tiles tiles = {.ctx = w->contexts.ctx,
                               .plan = w->plan,
                               .from = &w->image,
                               .to = made,
                               .name = w->r->base.inputs[0],
                               .progress = progress,
                               .run = &run,
                               .tell = tell,
                               .user = w};
    clsp_status status;
    io_message message;
    if (image_tiles_make(&tiles, map, &status, &message)) return true;
    if (status != CLSP_OK) return check(w, status);
    return fail_message(&message);
}

/* Whether all samples have to be in memory: they are converted, weighted, looked at, or read by
   more than one step. */
static bool needs_values(const work *w)
{
    return w->r->repeat > 1 || w->alpha.weights || w->alpha.divides || w->r->clip ||
           (image_labels_are(w->r, &w->image)
                ? image_labels_change(w->r, &w->image)
                : storable(w->image.type, w->r->precision) != w->image.type);
}

/* Makes step number i, to values of a type. One that moves nothing leaves all as it is. */
static bool make_step(work *w, uint32_t i, image_type type)
{
    image_array made = {.type = type};
    const image_type own = w->image.type;
    clsp_image_map map;
    if (!image_motion_map(w->r, &w->image, &made, &map)) return false;
    if (image_motion_is_none(&w->image, &made, &map)) return true;
    choose_modes(w, &map);
    w->num_computed++;
    if (w->r->base.num_parts > 0 && i + 1 == w->r->repeat) {
        if (!image_part_take(&w->part, w->r, &made)) return false;
        image_part_restrict(&w->part, &map, &made);
    }
    if (!image_alpha_begin(&w->alpha, &w->image, real_type(w))) return fail_memory(w);
    made.type = w->alpha.is_begun ? real_type(w) : type;
    w->are_labels = image_labels_are(w->r, &w->image);
    if (w->are_labels) {
        image_labels_begin(w->r, &w->image);
        made.type = w->image.type;
        made.channels = w->image.channels;
    }
    if (!convert(w, storable(w->image.type, w->r->precision)) || !make_plan(w, made.type))
        return false;
    const double start = seconds_now();
    step_progress at = {w, i};
    progress_count(&w->bar, (double)image_array_count(&made) * w->r->repeat, "values");
    const io_progress progress = {report_step, &at};
    if (!image_array_make(&made)) return fail_memory(w);
    const bool done = w->part.all > 0 && !w->desc.clip ? make_part(w, &progress, &map, &made)
                                                       : make_frames(w, &progress, &map, &made);
    w->step_seconds += seconds_now() - start;
    image_array_drop(&w->image);
    w->image = made;
    if (w->are_labels && done) image_labels_end(w->r, &w->image, own);
    return done;
}

static bool make_steps(work *w)
{
    const image_request *r = w->r;
    io_message message;
    bool done = true;
    w->alpha = image_alpha_choose(r, &w->image);
    if (needs_values(w) && !image_stored_load(&w->image, r->base.inputs[0], &message))
        return fail_message(&message);
    image_alpha_look(&w->alpha, r, &w->image);
    progress_start(&w->bar, "interpolating", request_verbosity(&r->base));
    for (uint32_t i = 0; done && i < r->repeat; i++) {
        const bool is_last = i + 1 == r->repeat;
        done = make_step(w, i, is_last ? storable(w->type, r->precision) : real_type(w));
        progress_report(&w->bar, (double)(i + 1) / r->repeat);
    }
    progress_end(&w->bar);
    if (done && r->base.num_parts > 0 && w->part.all == 0) /* the last step moved nothing */
        done = image_part_take(&w->part, r, &w->image) &&
               (image_part_crop(&w->part, &w->image, r->base.inputs[0], &message) ||
                fail_message(&message));
    return done && (image_alpha_end(&w->alpha, &w->image, w->type) || fail_memory(w));
}

/* ---- files ---- */

static bool read_image(work *w)
{
    const double start = seconds_now();
    io_message message;
    if (!(w->r->base.num_parts > 0 ? image_file_open : image_file_read)(
            &w->image, w->r->base.inputs[0], w->r->directions, &message))
        return fail_message(&message);
    for (uint32_t i = 0; i < w->image.directions; i++) {
        w->size[i] = w->image.size[i];
        if (w->size[i] <= IMAGE_MAX_SIDE) continue;
        complain("%s: a side of %lu samples is too large", w->r->base.inputs[0],
                 (unsigned long)w->size[i]);
        return false;
    }
    w->read_seconds = seconds_now() - start;
    return true;
}

/* Complains early of an output that cannot hold the image. */
static bool check_output(work *w)
{
    io_message message;
    image_array planned = w->image;
    w->type = planned.type = w->r->has_type ? w->r->type : w->image.type;
    char lost[IMAGE_TEXT_BYTES];
    if (!image_file_suits(&planned, w->r->format, w->r->base.outputs[0], &message))
        return fail_message(&message);
    if (!w->r->base.quiet && image_file_loses(&w->image, w->r->format, lost))
        complain("note: %s: left out: %s", w->r->base.inputs[0], lost);
    return true;
}

static bool write_file(work *w, io_message *message)
{
    const char *name = w->r->base.outputs[0];
    if (w->r->base.num_parts == 0) return image_file_write(&w->image, name, w->r->format, message);
    part_record record = parts_record(&w->r->base);
    parts_name_device(&record, w->contexts.ctx);
    return image_part_write(&w->part, &w->image, w->r, &record, message);
}

static bool write_image(work *w)
{
    const double start = seconds_now();
    io_message message;
    w->image.quality = w->r->quality;
    if (!write_file(w, &message)) return fail_message(&message);
    w->write_seconds = seconds_now() - start;
    return true;
}

/* ---- the report ---- */

static void print_size(const size_t *size, uint32_t num)
{
    for (uint32_t i = num; i-- > 0;)
        fprintf(stderr, "%lu%s", (unsigned long)size[i], i > 0 ? " x " : "");
}

/* Prints the modes by x, y, z, or one that all have. */
static void print_modes(const work *w)
{
    const uint32_t num = w->image.directions;
    bool is_one = true;
    for (uint32_t i = 1; i < num; i++)
        if (w->mode[i] != w->mode[0]) is_one = false;
    fprintf(stderr, ", mode ");
    for (uint32_t i = num; i-- > (is_one ? num - 1 : 0);) {
        const char *words = IMAGE_MODES;
        char word[OPTION_WORD_BYTES] = "";
        for (int k = 0; k <= w->mode[i] && option_split(&words, " ", word); k++)
            ;
        fprintf(stderr, "%s%s", i + 1 < num ? "," : "", word);
    }
}

static void report(const work *w)
{
    const image_array *a = &w->image;
    clsp_device_info info = {0};
    print_name(stderr, w->r->base.inputs[0]);
    fputs(": ", stderr);
    print_size(w->size, a->directions);
    fprintf(stderr, w->num_computed > 0 ? " to " : " copied to ");
    print_size(a->size, a->directions);
    fprintf(stderr, ", %u channel%s of %s", a->channels, a->channels > 1 ? "s" : "",
            image_type_name(a->type));
    if (w->num_computed > 0) print_modes(w);
    if (w->part.all > 0) fprintf(stderr, ", part %u of %u", w->r->base.part, w->r->base.num_parts);
    if (w->contexts.ctx && clsp_context_device(w->contexts.ctx, &info) == CLSP_OK)
        fprintf(stderr, ", on %s (%s)", info.name, info.platform);
    fprintf(stderr, "\nread %.1f ms, plan %.1f ms, interpolate %.1f ms, write %.1f ms\n",
            1e3 * w->read_seconds, 1e3 * w->plan_seconds, 1e3 * w->step_seconds,
            1e3 * w->write_seconds);
}

/* Writes the report that is asked for as JSON. */
static bool write_report(const work *w)
{
    const job_stage stages[] = {{"read", w->read_seconds},
                                {"plan", w->plan_seconds},
                                {"interpolate", w->step_seconds},
                                {"write", w->write_seconds}};
    const job_summary summary = {w->contexts.ctx, "values", image_array_count(&w->image),
                                 w->step_seconds, stages,   sizeof(stages) / sizeof(stages[0])};
    return job_report_write(&w->r->base, &summary);
}

int image_run(request *base)
{
    image_request *r = (image_request *)base;
    work w = {.r = r};
    if (!read_image(&w)) return EXIT_FAILED;
    int status = image_request_suits(r, &w.image);
    if (r->precision == CLSP_TYPE_DEFAULT) r->precision = has_doubles(&w) ? CLSP_F64 : CLSP_F32;
    if (status == EXIT_OK) {
        const bool done = check_output(&w) && make_steps(&w) && write_image(&w);
        if (done && !r->base.quiet) report(&w);
        status = done && write_report(&w) ? EXIT_OK : EXIT_FAILED;
    }
    clsp_image_plan_destroy(&w.plan);
    sharing_close(&w.contexts);
    image_array_clear(&w.image);
    return status;
}
