#include "model_file.h"

#include <stdlib.h>
#include <string.h>

#include "bezierview.h"
#include "cad_model.h"
#include "input.h"
#include "spline_file.h"

/* Where a patch of a file is. */
typedef struct patch_place {
    const bezierview_batch *batch;
    size_t number; /* in the batch */
} patch_place;

/* Says why a file's content is not read as splines; NULL: it is. */
static const char *find_refusal(const bezierview *content)
{
    if (content->polyhedra.num_faces > 0 || content->polyhedra.num_vertices > 0)
        return "the file has polyhedra, which are no patches";
    for (size_t i = 0; i < content->num_batches; i++) {
        const bezierview_type *type = &content->batches[i].type;
        if (type->form != BEZIERVIEW_SURFACE)
            return "the file has triangular patches; those of four sides are read";
        if (type->degree_u > SPLINES_MAX_DEGREE || type->degree_v > SPLINES_MAX_DEGREE)
            return "the file has patches of a degree above 255";
    }
    return NULL;
}

/* Makes the knots 0, .., 0, 1, .., 1 of a direction. False when memory runs out. */
static bool make_knots(spline_type *type, uint32_t direction, uint32_t degree)
{
    const size_t order = (size_t)degree + 1;
    double *knots = malloc(2 * order * sizeof(*knots));
    if (!knots) return false;
    for (size_t i = 0; i < 2 * order; i++)
        knots[i] = i < order ? 0 : 1;
    type->degree[direction] = degree;
    type->num_controls[direction] = (uint32_t)order;
    type->knots[direction] = knots;
    return true;
}

/* Adds patch `number` of a batch. False when memory runs out. */
static bool add_patch(splines *content, const bezierview_batch *batch, size_t number)
{
    const bezierview_type *const from = &batch->type;
    spline s = {
        .type = {.directions = 2, .dim = 3, .rational = from->rational, .num_controls = {1, 1, 1}}};
    bool done = make_knots(&s.type, 0, from->degree_u) && make_knots(&s.type, 1, from->degree_v);
    s.num_reals = (size_t)bezierview_patch_points(from) * bezierview_coordinates(from);
    s.points = malloc(s.num_reals * sizeof(double));
    done = done && s.points;
    if (done) {
        memcpy(s.points, batch->points + number * s.num_reals, s.num_reals * sizeof(double));
        s.step[0] = s.type.num_controls[1];
        s.step[1] = 1;
        done = splines_add(content, &s);
    }
    spline_clear(&s);
    return done;
}

/* Adds all patches in the order of the file. False when memory runs out. */
static bool add_patches(splines *content, const bezierview *from)
{
    const size_t num = bezierview_num_patches(from);
    patch_place *const places = calloc(num + 1, sizeof(*places));
    bool done = places != NULL;
    for (size_t i = 0; done && i < from->num_batches; i++)
        for (size_t k = 0; k < from->batches[i].num_patches; k++)
            places[from->batches[i].numbers[k]] = (patch_place){&from->batches[i], k};
    for (size_t i = 0; done && i < num; i++)
        done = add_patch(content, places[i].batch, places[i].number);
    free(places);
    return done;
}

static bool add_bezierview(splines *content, const char *path, mesh_precision precision,
                           io_message *message)
{
    bezierview from;
    if (!bezierview_load(&from, path, precision, message)) return false;
    const char *refusal = find_refusal(&from);
    bool done = !refusal;
    if (refusal) io_fail(message, "%s: %s", path, refusal);
    if (done && !add_patches(content, &from))
        done = io_fail(message, "%s: not enough memory for this file", path);
    bezierview_clear(&from);
    return done;
}

static bool add_splines(splines *content, const char *path, mesh_precision precision,
                        io_message *message)
{
    static const char way[] = "; 'clspline convert' makes a file of what is read";
    content->without_mesh = true;
    if (!spline_file_add(content, path, precision, message)) return false;
    const cad_model *cad = content->cad;
    const unsigned long trimmed = (unsigned long)content->num_trimmed;
    if (trimmed > 0)
        return io_fail(message,
                       "%s: %lu spline%s trimmed, and what is cut off would be taken for a part of "
                       "the model%s",
                       path, trimmed, trimmed == 1 ? " is" : "s are", way);
    if (cad && cad->faces_read < cad->faces_in_file)
        return io_fail(message, "%s: %u of %u faces are read, and the others would be missing%s",
                       path, cad->faces_read, cad->faces_in_file, way);
    return true;
}

bool model_file_add(splines *content, const char *path, mesh_precision precision,
                    io_message *message)
{
    const bool done = input_ends_in(path, "bv") ? add_bezierview(content, path, precision, message)
                                                : add_splines(content, path, precision, message);
    if (!done) splines_clear(content);
    return done;
}
