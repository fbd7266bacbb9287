#include "solid_places.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "staging.h"

enum { MOST = 1 << 17 }; /* points at a time */

static const char *const status_names[SOLID_PLACE_STATES] = {"found", "cut", "none", "invalid"};

static bool is_single(const solid_places *p)
{
    return p->samples.precision == MESH_F32;
}

/* ---- what is written ---- */

/* Finds the channels that are written. False with a complaint. */
static bool choose_numbers(solid_places *p)
{
    const solid_channel *const field = solid_model_field(p->m);
    p->first = field ? field->first : 3;
    p->numbers = field ? field->components : p->m->channels - 3;
    if (!p->probes || field || (!p->m->r->array && p->numbers > 0)) return true;
    if (p->m->r->array) return solid_model_no_array(p->m);
    complain("%s: the mesh has no data of points", p->m->r->base.inputs[0]);
    return false;
}

/* Writes the names of data, as far as they are written, each number's after a comma. */
static void write_names(solid_places *p)
{
    for (size_t i = 0; i < p->m->num_fields; i++) {
        const solid_channel *const field = &p->m->fields[i];
        if (field->first < p->first || field->first >= p->first + p->numbers) continue;
        for (uint32_t k = 0; k < field->components; k++) {
            block_writer_text(p->blocks, ",");
            for (const char *c = field->name; *c; c++) /* commas and quotes would end a field */
                block_writer_text(p->blocks, "%c", strchr(",\"\n\r", *c) ? '_' : *c);
            if (field->components > 1) block_writer_text(p->blocks, "_%u", (unsigned)k);
        }
    }
}

static bool make_header(const solid_places *p, uint64_t num, unsigned char *header)
{
    const char *const real = is_single(p) ? "<f4" : "<f8";
    const uint64_t shape[] = {num, p->numbers};
    char type[256];
    if (p->probes)
        snprintf(type, sizeof(type), "'%s'", real);
    else
        snprintf(type, sizeof(type),
                 "[('point', '<i8'), ('cell', '<i8'), ('u', '%s'), ('v', '%s'), ('w', '%s'), "
                 "('source', '<i8'), ('residual', '%s'), ('bound', '%s'), ('status', '|u1')]",
                 real, real, real, real, real);
    return npy_make_header(header, type, shape, p->probes ? 2 : 1);
}

static void begin_file(solid_places *p)
{
    if (p->is_npy) {
        make_header(p, p->file.num == UINT64_MAX ? 0 : p->file.num,
                    block_writer_reserve(p->blocks, NPY_HEADER_BYTES));
        block_writer_advance(p->blocks, NPY_HEADER_BYTES);
        return;
    }
    block_writer_text(p->blocks, "point");
    if (p->probes)
        write_names(p);
    else
        block_writer_text(p->blocks, ",cell,u,v,w,source,residual,bound");
    block_writer_text(p->blocks, ",status\n");
}

static unsigned char *put_real(const solid_places *p, unsigned char *to, double value)
{
    const float rounded = (float)value;
    uint64_t wide;
    uint32_t bits;
    if (is_single(p)) {
        memcpy(&bits, &rounded, sizeof(bits));
        put_u32_little(to, bits);
        return to + 4;
    }
    memcpy(&wide, &value, sizeof(wide));
    put_u64_little(to, wide);
    return to + 8;
}

/* Returns a cell's number, or -1. */
static int64_t number_of(uint32_t cell)
{
    return cell == UINT32_MAX ? -1 : (int64_t)cell;
}

static int64_t source_of(const solid_places *p, uint32_t cell)
{
    return cell == UINT32_MAX ? -1 : (int64_t)solid_model_source(p->m, cell);
}

static void write_record(solid_places *p, const clsp_solid_place_f64 *place)
{
    unsigned char *begin = block_writer_reserve(p->blocks, 128), *to = begin;
    put_u64_little(to, p->num);
    put_u64_little(to + 8, (uint64_t)number_of(place->cell));
    to += 16;
    for (uint32_t a = 0; a < 3; a++)
        to = put_real(p, to, place->t[a]);
    put_u64_little(to, (uint64_t)source_of(p, place->cell));
    to = put_real(p, to + 8, place->residual);
    to = put_real(p, to, place->bound);
    *to++ = (unsigned char)place->status;
    block_writer_advance(p->blocks, (size_t)(to - begin));
}

static void write_line(solid_places *p, const clsp_solid_place_f64 *place)
{
    const int digits = is_single(p) ? 9 : 17;
    block_writer_text(p->blocks, "%llu,%lld,%.*g,%.*g,%.*g", (unsigned long long)p->num,
                      (long long)number_of(place->cell), digits, place->t[0], digits, place->t[1],
                      digits, place->t[2]);
    block_writer_text(p->blocks, ",%lld,%.*g,%.*g,%s\n", (long long)source_of(p, place->cell),
                      digits, place->residual, digits, place->bound, status_names[place->status]);
}

/* Writes the data at a point. */
static void write_values(solid_places *p, const clsp_solid_place_f64 *place, const double *values)
{
    unsigned char *begin, *to;
    if (!p->is_npy) {
        block_writer_text(p->blocks, "%llu", (unsigned long long)p->num);
        for (uint32_t k = 0; k < p->numbers; k++)
            block_writer_text(p->blocks, ",%.*g", is_single(p) ? 9 : 17, values[p->first + k]);
        block_writer_text(p->blocks, ",%s\n", status_names[place->status]);
        return;
    }
    begin = to = block_writer_reserve(p->blocks, 8 * CLSP_SOLID_MAX_DIM);
    for (uint32_t k = 0; k < p->numbers; k++)
        to = put_real(p, to, values[p->first + k]);
    block_writer_advance(p->blocks, (size_t)(to - begin));
}

/* Counts and writes what became of some points. False when writing has failed. */
static bool write_some(solid_places *p, size_t num)
{
    for (size_t i = 0; i < num; i++, p->num++) {
        const clsp_solid_place_f64 *const place = &p->found[i];
        p->counts[place->status]++;
        if (place->status == CLSP_SOLID_PLACE_FOUND)
            p->residual = fmax(p->residual, place->residual);
        else if (place->status == CLSP_SOLID_PLACE_NONE && place->bound <= p->rounding)
            p->near++;
        if (p->probes)
            write_values(p, place, p->values + i * p->m->channels);
        else if (p->is_npy)
            write_record(p, place);
        else
            write_line(p, place);
    }
    return !block_writer_failed(p->blocks);
}

/* ---- the search ---- */

static bool make_room(solid_places *p)
{
    const size_t widest =
        p->m->channels > CLSP_SOLID_PLACE_F32_SIZE ? p->m->channels : CLSP_SOLID_PLACE_F32_SIZE;
    p->points = malloc(3 * MOST * sizeof(*p->points));
    p->params = malloc(3 * MOST * sizeof(*p->params));
    p->cells = malloc(MOST * sizeof(*p->cells));
    p->found = malloc(MOST * sizeof(*p->found));
    p->values = malloc(MOST * p->m->channels * sizeof(*p->values));
    p->narrow = malloc(MOST * (widest + 3) * sizeof(float));
    return (p->points && p->params && p->cells && p->found && p->values && p->narrow) ||
           solid_model_memory(p->m);
}

/* Finds the places of some points. False with a complaint. */
static bool locate_some(solid_places *p, size_t num)
{
    float *const floats = p->narrow;
    clsp_solid_place_f32 *const narrow = (void *)(floats + 3 * num);
    clsp_solid_queries queries = {.num = num,
                                  .points = clsp_in_f64(p->points, 3 * num),
                                  .nearest = p->m->r->nearest,
                                  .tolerance = p->m->r->tolerance};
    for (size_t i = 0; i < 3 * num; i++) {
        p->points[i] -= p->m->origin[i % 3];
        floats[i] = (float)p->points[i];
    }
    if (!is_single(p))
        return staging_check(p->m->ctx,
                             clsp_solid_locate(p->samples.plan, &queries,
                                               clsp_out_solid_places_f64(p->found, num), NULL));
    queries.points = clsp_in_f32(floats, 3 * num);
    if (!staging_check(p->m->ctx, clsp_solid_locate(p->samples.plan, &queries,
                                                    clsp_out_solid_places_f32(narrow, num), NULL)))
        return false;
    for (size_t i = 0; i < num; i++) {
        const clsp_solid_place_f32 *const n = &narrow[i];
        p->found[i] =
            (clsp_solid_place_f64){.t = {(double)n->t[0], (double)n->t[1], (double)n->t[2]},
                                   .residual = (double)n->residual,
                                   .bound = (double)n->bound,
                                   .cell = n->cell,
                                   .status = n->status};
    }
    return true;
}

/* Evaluates at the places of some points; NaN where there is none. False with a complaint. */
static bool evaluate_some(solid_places *p, size_t num)
{
    const size_t reals = num * p->m->channels;
    float *const floats = p->narrow, *const made = floats + 3 * num;
    clsp_points list = {
        .num = num, .item = clsp_in_u32(p->cells, num), .params = clsp_in_f64(p->params, 3 * num)};
    for (size_t i = 0; i < num; i++) {
        p->cells[i] = p->found[i].cell;
        memcpy(p->params + 3 * i, p->found[i].t, sizeof(p->found[i].t));
    }
    if (!is_single(p))
        return solid_samples_points(&p->samples, &list, false, clsp_out_f64(p->values, reals));
    for (size_t i = 0; i < 3 * num; i++)
        floats[i] = (float)p->params[i];
    list.params = clsp_in_f32(floats, 3 * num);
    if (!solid_samples_points(&p->samples, &list, false, clsp_out_f32(made, reals))) return false;
    for (size_t i = 0; i < reals; i++)
        p->values[i] = (double)made[i];
    return true;
}

/* Looks for all points of the file. False with a complaint, or when writing has failed. */
static bool search(solid_places *p, progress_bar *bar)
{
    for (;;) {
        const double start = seconds_now();
        const size_t num = point_file_read(&p->file, p->points, MOST);
        const double read = seconds_now();
        p->file_seconds += read - start;
        if (num == 0) break;
        if (!locate_some(p, num) || (p->probes && !evaluate_some(p, num))) return false;
        const double found = seconds_now();
        p->seconds += found - read;
        if (!write_some(p, num)) return true; /* closing the file tells why */
        p->file_seconds += seconds_now() - found;
        progress_report(bar, point_file_fraction(&p->file));
    }
    if (p->file.failed) complain("%s", p->message.text);
    return !p->file.failed;
}

/* Finds how far points of the solid are off at most that were rounded to floats. */
static void find_rounding(solid_places *p)
{
    const solid_model *const m = p->m;
    for (size_t i = 0; i < m->counts.num_vertices; i++)
        for (size_t k = 0; k < 3; k++)
            p->rounding = fmax(p->rounding, fabs(m->points[i * m->channels + k] + m->origin[k]));
    p->rounding *= 4 * (double)FLT_EPSILON; /* of all coordinates, in evaluation too */
}

/* ---- files ---- */

static bool open_output(solid_places *p)
{
    const char *const path = p->m->r->base.outputs[0];
    if (p->is_npy && strcmp(path, "-") == 0 && p->file.num == UINT64_MAX)
        return io_fail(&p->message, "standard output: an .npy array begins with its length, which "
                                    "is known of .npy input only");
    if (!output_open(&p->out, path, &p->message)) return false;
    p->blocks = block_writer_open(p->out.file);
    if (p->blocks) return true;
    output_close(&p->out, false);
    return io_fail(&p->message, "%s: cannot write: not enough memory", path);
}

/* Writes the header again with the number of points that there were. */
static bool end_npy(const solid_places *p)
{
    unsigned char header[NPY_HEADER_BYTES];
    if (!p->is_npy || p->file.num == p->num) return true;
    errno = 0;
    return make_header(p, p->num, header) && fseek(p->out.file, 0, SEEK_SET) == 0 &&
           fwrite(header, 1, sizeof(header), p->out.file) == sizeof(header);
}

/* Ends the output, in its place when `done`. Returns whether it is there. */
static bool close_output(solid_places *p, bool done)
{
    bool written = block_writer_close(p->blocks) && (!done || end_npy(p));
    if (!written && done) io_fail_errno(&p->message, p->out.name, "cannot write");
    written = output_close(&p->out, done && written);
    if (done && !written) complain("%s", p->message.text);
    return done && written;
}

static bool open_plan(solid_places *p, mesh_precision precision)
{
    const double start = seconds_now();
    p->samples = (solid_samples){.m = p->m, .precision = precision};
    const bool done =
        solid_model_plan(p->m, precision, (solid_grid){0, 0}, 0, &p->samples.plan) && make_room(p);
    p->plan_seconds = seconds_now() - start;
    return done;
}

bool solid_places_run(solid_places *p, const solid_model *m, mesh_precision precision,
                      progress_bar *bar)
{
    p->m = m;
    p->probes = m->r->probes;
    p->path = m->r->points;
    p->is_npy = request_format(&m->r->base, m->r->base.outputs[0]) == PLACES_NPY;
    if (!choose_numbers(p) || !open_plan(p, precision)) return false;
    p->samples.bar = bar;
    if (!point_file_open(&p->file, p->path, 3, m->r->columns, &p->message) || !open_output(p)) {
        complain("%s", p->message.text);
        return false;
    }
    find_rounding(p);
    progress_start(bar, p->probes ? "probing" : "locating", m->r->base.quiet);
    begin_file(p);
    const bool done = close_output(p, search(p, bar));
    progress_end(bar);
    if (done && p->near > 0 && !m->r->base.quiet)
        complain("note: %s: %llu points are outside by no more than rounding to floats makes; "
                 "--tolerance %.1g takes them as found",
                 p->path, (unsigned long long)p->near, 2 * p->rounding);
    return done;
}

void solid_places_close(solid_places *p)
{
    point_file_close(&p->file);
    solid_samples_close(&p->samples);
    free(p->points);
    free(p->params);
    free(p->values);
    free(p->cells);
    free(p->found);
    free(p->narrow);
}
