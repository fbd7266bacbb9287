#include "iges.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "array.h"
#include "iges_file.h"
#include "iges_model.h"
#include "iges_pieces.h"
#include "iges_trim.h"
#include "spline_scan.h"

enum { DIM = 3, MAX_CHAIN = 64 /* transformations one after another */ };

#define SLACK 1e-9 /* of a domain: what the ends of a part may be off that is all of it */

typedef struct reader {
    iges_file f;
    splines *content;
    shape_uses uses;
    iges_trim trim;
    spline made;
    double *weights;
    size_t num_weights, weight_capacity;
    bool is_cut; /* only a part of the parameters counts */
} reader;

/* ---- parameters ---- */

/* Reads the numbers of control points and the degrees, which are told as the last index. */
static bool read_sizes(reader *r)
{
    spline_type *const type = &r->made.type;
    for (uint32_t k = 0; k < type->directions; k++) {
        uint32_t last;
        if (!iges_count(&r->f, "the last index of control points", SPLINES_MAX_CONTROLS - 1, &last))
            return false;
        type->num_controls[k] = last + 1;
    }
    for (uint32_t k = 0; k < type->directions; k++)
        if (!iges_count(&r->f, "the degree", SPLINES_MAX_DEGREE, &type->degree[k])) return false;
    for (uint32_t k = 0; k < type->directions; k++)
        if (type->num_controls[k] <= type->degree[k])
            return iges_fail(&r->f, "%u control points of degree %u", type->num_controls[k],
                             type->degree[k]);
    return iges_skip(&r->f, type->directions == 1 ? 4 : 5);
}

static bool read_knots(reader *r, uint32_t direction)
{
    spline *const p = &r->made;
    const uint64_t num = (uint64_t)p->type.num_controls[direction] + p->type.degree[direction] + 1;
    double knot;
    uint64_t line = 0;
    for (uint64_t i = 0; i < num; i++) {
        if (!iges_number(&r->f, "a knot", &knot) ||
            !spline_scan_append(r->f.s, &p->type.knots[direction], &p->num_knots[direction],
                                &p->knot_capacity[direction], knot))
            return false;
        if (i == 0) line = r->f.s->word_line;
    }
    return spline_scan_knots(r->f.s, &p->type, direction, line);
}

static bool read_points(reader *r)
{
    spline *const p = &r->made;
    const uint64_t num = spline_num_controls(&p->type);
    double value;
    r->num_weights = 0;
    for (uint64_t i = 0; i < num; i++)
        if (!iges_number(&r->f, "a weight", &value) || !spline_scan_weight(r->f.s, value) ||
            !spline_scan_append(r->f.s, &r->weights, &r->num_weights, &r->weight_capacity, value))
            return false;
    for (uint64_t i = 0; i < DIM * num; i++)
        if (!iges_number(&r->f, "a coordinate", &value) ||
            !spline_scan_append(r->f.s, &p->points, &p->num_reals, &p->point_capacity, value))
            return false;
    return true;
}

/* Reads which part of the parameters counts; all where nothing is said. */
static bool read_ends(reader *r, uint32_t direction)
{
    double low, high;
    if (!iges_real(&r->f, "a parameter", &low) || !iges_real(&r->f, "a parameter", &high))
        return false;
    const double first = spline_begin(&r->made.type, direction);
    const double last = spline_end(&r->made.type, direction);
    const double slack = SLACK * (last - first);
    if ((low != 0 || high != 0) && !(low <= first + slack && high >= last - slack))
        r->is_cut = true;
    return true;
}

/* ---- transformations ---- */

/* Applies the matrix of an entity to all points. */
static bool apply_matrix(reader *r, const iges_entity *of)
{
    spline *const p = &r->made;
    double m[DIM][DIM + 1];
    if (!iges_begin(&r->f, of)) return false;
    for (int i = 0; i < DIM; i++)
        for (int k = 0; k <= DIM; k++)
            if (!iges_number(&r->f, "a number of a matrix", &m[i][k])) return false;
    const double largest = r->f.s->floats ? FLT_MAX : DBL_MAX;
    bool fits = true;
    for (size_t at = 0; at < p->num_reals; at += DIM) {
        const double x = p->points[at], y = p->points[at + 1], z = p->points[at + 2];
        for (size_t i = 0; i < DIM; i++) {
            p->points[at + i] = m[i][0] * x + m[i][1] * y + m[i][2] * z + m[i][3];
            fits = fits && fabs(p->points[at + i]) <= largest;
        }
    }
    return fits || iges_fail(&r->f, "a point becomes too large by this matrix");
}

/* Applies the matrices of an entity, from the inner one outward. */
static bool transform(reader *r, const iges_entity *of)
{
    for (int i = 0; of->matrix != IGES_NONE; i++) {
        of = &r->f.entities[of->matrix];
        if (i == MAX_CHAIN)
            return iges_fail(&r->f, "more than %d transformations one after another", MAX_CHAIN);
        if (!apply_matrix(r, of)) return false;
    }
    return true;
}

/* ---- splines ---- */

/* Reads all parameters of a B-spline. */
static bool read_bspline(reader *r, const iges_entity *of)
{
    scanner *const s = r->f.s;
    const bool floats = s->floats;
    const uint32_t directions = r->made.type.directions;
    bool done = iges_begin(&r->f, of) && read_sizes(r);
    s->floats = false; /* knots are doubles in any precision */
    for (uint32_t k = 0; done && k < directions; k++)
        done = read_knots(r, k);
    s->floats = floats;
    done = done && read_points(r);
    for (uint32_t k = 0; done && k < directions; k++)
        done = read_ends(r, k);
    const uint64_t line = s->word_line;
    return done && transform(r, of) &&
           spline_scan_weigh(s, &r->made, r->weights, r->num_weights, line);
}

static bool read_entity(reader *r, const iges_entity *of)
{
    if (of->type == IGES_CURVE || of->type == IGES_SURFACE) return read_bspline(r, of);
    return iges_begin(&r->f, of) && iges_pieces_read(&r->f, &r->made) && transform(r, of);
}

/* Whether all trimmed surfaces of a surface that was read take the whole of it. */
static bool is_whole(reader *r, size_t which)
{
    bool is_whole = true;
    for (size_t i = shape_uses_find(&r->uses, which); is_whole && i < r->uses.num; i++) {
        if (r->uses.items[i].spline != which) break;
        is_whole = iges_trim_is_whole(&r->trim, r->uses.items[i].user, &r->made);
    }
    return is_whole;
}

static bool read_spline(reader *r, size_t which)
{
    const iges_entity *const of = &r->f.entities[which];
    spline *const made = &r->made;
    *made = (spline){
        .type = {.directions = iges_is_surface(of) ? 2 : 1, .dim = DIM, .num_controls = {1, 1, 1}}};
    r->is_cut = iges_is_surface(of) && of->is_part && !(of->marks & IGES_IS_WHOLE);
    bool done = read_entity(r, of);
    if (done && !is_whole(r, which)) r->is_cut = true;
    done = done && !r->f.s->failed;
    made->step[0] = 1;
    made->step[1] = made->type.num_controls[0];
    if (done && !splines_add(r->content, made)) done = spline_scan_memory(r->f.s);
    r->content->num_trimmed += done && (r->is_cut || (of->marks & IGES_IS_TRIMMED));
    spline_clear(made);
    return done;
}

/* Takes note of the unit of the global section, behind its delimiters. */
static bool read_unit(reader *r)
{
    static const char *const units[] = {"inch", "inch",   "millimetre", "",
                                        "foot", "mile",   "metre",      "kilometre",
                                        "mil",  "micron", "centimetre", "microinch"};
    enum { BEFORE = 11, NAMED = 3, NUM = sizeof(units) / sizeof(units[0]) };
    uint32_t flag;
    if (!iges_skip(&r->f, BEFORE) || !iges_count(&r->f, "the flag of units", NUM - 1, &flag) ||
        !iges_parameter(&r->f))
        return false;
    const char *const unit = flag == NAMED ? r->f.s->word : units[flag];
    if (unit[0]) splines_set_unit(r->content, unit);
    return true;
}

/* Reads the splines of the model in the order of the directory. */
static bool read_splines(reader *r)
{
    const size_t before = r->content->num_splines;
    for (size_t i = 0; i < r->f.num; i++) {
        const iges_entity *const of = &r->f.entities[i];
        const bool is_spline = iges_is_curve(of) || iges_is_surface(of);
        if (is_spline && iges_model_has(of) && !read_spline(r, i)) return false;
    }
    if (r->content->num_splines > before) return true;
    return scanner_fail(r->f.s, r->f.s->line, "the file holds no B-spline%s%s",
                        r->content->num_left_out > 0 ? ", but other shapes, such as " : "",
                        r->content->left_out);
}

bool iges_read(splines *content, scanner *s)
{
    reader r = {.content = content};
    bool done = iges_open(&r.f, s) && read_unit(&r) && iges_model_find(&r.f, content, &r.uses);
    iges_trim_begin(&r.trim, &r.f);
    done = done && read_splines(&r);
    iges_trim_end(&r.trim);
    iges_close(&r.f);
    free(r.uses.items);
    free(r.weights);
    return done;
}
