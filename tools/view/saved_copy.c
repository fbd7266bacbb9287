#include "saved_copy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bezierview_writer.h"
#include "solid_writer.h"
#include "spline_writer.h"

bool saved_copy_path(const char *input, const char *word, const char *ending,
                     char path[SAVED_COPY_PATH])
{
    const char *stem = strcmp(input, "-") == 0 ? "model" : input;
    const char *slash = strrchr(stem, '/'), *dot = strrchr(slash ? slash : stem, '.');
    const bool has_ending = dot && dot != stem && dot[-1] != '/';
    const int length = (int)(has_ending ? (size_t)(dot - stem) : strlen(stem));
    const int written = snprintf(path, SAVED_COPY_PATH, "%.*s-%s.%s", length, stem, word, ending);
    return written > 0 && written < SAVED_COPY_PATH;
}

/* Adds a spline with the knots of its file. False without memory, or where writing has failed. */
static bool add_spline(spline_writer *w, const spline_batch *batch, size_t number)
{
    spline_type type = batch->type;
    const size_t reals = batch->num_reals / batch->num_splines;
    bool done = true;
    for (uint32_t k = 0; k < type.directions; k++) {
        const size_t num = (size_t)type.num_controls[k] + type.degree[k] + 1;
        type.knots[k] = malloc(num * sizeof(double));
        done = done && type.knots[k];
        for (size_t i = 0; done && i < num; i++)
            type.knots[k][i] = spline_parameter(batch, number, k, batch->type.knots[k][i]);
    }
    done = done && spline_writer_add(w, &type, batch->points + number * reals, 0);
    for (uint32_t k = 0; k < type.directions; k++)
        free(type.knots[k]);
    return done;
}

/* Writes the splines in the order in which they were read. */
static bool write_splines(const splines *s, spline_format format, const char *path,
                          io_message *message)
{
    spline_writer w = {.format = format, .precision = MESH_F64};
    if (!spline_writer_open(&w, path, s->num_splines, s->batches[0].type.directions, message))
        return false;
    size_t *places = malloc(2 * s->num_splines * sizeof(*places)); /* batch and place of each */
    bool done = places != NULL;
    for (size_t i = 0; done && i < s->num_batches; i++)
        for (size_t k = 0; k < s->batches[i].num_splines; k++) {
            places[2 * s->batches[i].numbers[k]] = i;
            places[2 * s->batches[i].numbers[k] + 1] = k;
        }
    for (size_t i = 0; done && i < s->num_splines; i++)
        done = add_spline(&w, &s->batches[places[2 * i]], places[2 * i + 1]);
    free(places);
    if (!done) io_fail(message, "%s: cannot write", path);
    return spline_writer_close(&w, done);
}

/* Writes the cells as they were read, with the points where they are. */
static bool write_solid(const view_model *m, char path[SAVED_COPY_PATH], io_message *message)
{
    solid_cells read = m->solid.cells;
    read.num_creases = m->read_creases;
    if (!saved_copy_path(m->r->base.inputs[0], "edited", solid_writer_ending(&read), path))
        return io_fail(message, "%s: the name is too long", m->r->base.inputs[0]);
    return solid_writer_write(&read, path, message);
}

bool saved_copy_write(const view_model *m, char path[SAVED_COPY_PATH], io_message *message)
{
    const char *input = m->r->base.inputs[0], *dot = strrchr(input, '.');
    const bool json = dot && strcasecmp(dot, ".json") == 0;
    const char *ending = m->kind == VIEW_PATCHES ? "bv" : json ? "json" : "g2";
    if (m->kind == VIEW_SOLID) return write_solid(m, path, message);
    if (!saved_copy_path(input, "edited", ending, path))
        return io_fail(message, "%s: the name is too long", input);
    if (m->kind == VIEW_PATCHES) return bezierview_write(&m->content, path, message);
    return write_splines(&m->from, json ? SPLINES_JSON : SPLINES_G2, path, message);
}
