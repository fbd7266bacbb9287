#include "splines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "cad_model.h"
#include "utf8.h"

enum { MAX_BEZIER_KNOTS = 2 * (SPLINES_MAX_DEGREE + 1) };

uint64_t spline_num_controls(const spline_type *type)
{
    uint64_t num = 1;
    for (uint32_t k = 0; k < type->directions; k++) {
        if (num > SPLINES_MANY / type->num_controls[k]) return SPLINES_MANY;
        num *= type->num_controls[k];
    }
    return num;
}

double spline_begin(const spline_type *type, uint32_t direction)
{
    return type->knots[direction][type->degree[direction]];
}

double spline_end(const spline_type *type, uint32_t direction)
{
    return type->knots[direction][type->num_controls[direction]];
}

uint32_t spline_spans(const spline_type *type, uint32_t direction)
{
    const double *knots = type->knots[direction];
    uint32_t spans = 0;
    for (uint32_t i = type->degree[direction]; i < type->num_controls[direction]; i++)
        spans += knots[i + 1] > knots[i];
    return spans;
}

const char *spline_form(const spline_type *type)
{
    static const char *const forms[] = {"curve", "surface", "volume"};
    return forms[type->directions - 1];
}

const char *spline_knot_defect(const spline_type *type, uint32_t direction, size_t *which)
{
    const double *knots = type->knots[direction];
    const size_t order = (size_t)type->degree[direction] + 1;
    const size_t num = type->num_controls[direction] + order;
    size_t equal = 1;
    for (size_t i = 1; i < num; i++) {
        *which = i + 1;
        equal = knots[i] == knots[i - 1] ? equal + 1 : 1;
        if (knots[i] < knots[i - 1]) return "is less than the one before";
        if (equal > order) return "stands more often than degree + 1 times";
    }
    *which = order;
    if (!(spline_end(type, direction) > spline_begin(type, direction)))
        return "is also the end of the domain, which is empty";
    return NULL;
}

/* ---- batches ---- */

/* The next state of a hash (Fowler, Noll and Vo's 1a, by words). */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

static size_t num_knots(const spline_type *type, uint32_t direction)
{
    return (size_t)type->num_controls[direction] + type->degree[direction] + 1;
}

static uint64_t hash_type(const spline_type *type)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    hash = mix(hash, type->directions);
    hash = mix(hash, spline_coordinates(type));
    for (uint32_t k = 0; k < type->directions; k++) {
        hash = mix(mix(hash, type->degree[k]), type->num_controls[k]);
        for (size_t i = 0; i < num_knots(type, k); i++) {
            uint64_t bits;
            memcpy(&bits, &type->knots[k][i], sizeof(bits));
            hash = mix(hash, bits) ^ hash >> 29;
        }
    }
    return hash;
}

static bool same_type(const spline_type *a, const spline_type *b)
{
    if (a->directions != b->directions || a->dim != b->dim || a->rational != b->rational)
        return false;
    for (uint32_t k = 0; k < a->directions; k++) {
        if (a->degree[k] != b->degree[k] || a->num_controls[k] != b->num_controls[k]) return false;
        if (memcmp(a->knots[k], b->knots[k], num_knots(a, k) * sizeof(double)) != 0) return false;
    }
    return true;
}

static void free_knots(spline_type *type)
{
    for (uint32_t k = 0; k < SPLINES_MAX_DIRECTIONS; k++)
        free(type->knots[k]);
}

/* Whether a direction has one span, whose ends are clamped. */
static bool is_bezier(const spline_type *type, uint32_t direction)
{
    const double *knots = type->knots[direction];
    const size_t order = (size_t)type->degree[direction] + 1;
    return type->num_controls[direction] == order && knots[0] == knots[order - 1] &&
           knots[order] == knots[2 * order - 1];
}

/* Puts the directions of a single span over [0, 1]; their knots are then in `room`. */
static void normalize(spline_type *type, double room[SPLINES_MAX_DIRECTIONS][MAX_BEZIER_KNOTS])
{
    for (uint32_t k = 0; k < type->directions; k++) {
        const size_t order = (size_t)type->degree[k] + 1;
        if (!is_bezier(type, k)) continue;
        for (size_t i = 0; i < 2 * order; i++)
            room[k][i] = i < order ? 0 : 1;
        type->knots[k] = room[k];
    }
}

double spline_parameter(const spline_batch *batch, size_t number, uint32_t direction,
                        double parameter)
{
    const double *ends = batch->domains + 2 * (SPLINES_MAX_DIRECTIONS * number + direction);
    if (!is_bezier(&batch->type, direction)) return parameter;
    return (1 - parameter) * ends[0] + parameter * ends[1]; /* exact at both */
}

double spline_kept(const spline_type *type, uint32_t direction, double parameter)
{
    const double begin = spline_begin(type, direction), end = spline_end(type, direction);
    return is_bezier(type, direction) ? (parameter - begin) / (end - begin) : parameter;
}

/* Gives a copy knots of its own; false, without any, when memory runs out. */
static bool own_knots(spline_type *type)
{
    bool done = true;
    for (uint32_t k = 0; k < SPLINES_MAX_DIRECTIONS; k++) {
        const double *knots = type->knots[k];
        type->knots[k] = NULL;
        if (k >= type->directions) continue;
        const size_t bytes = num_knots(type, k) * sizeof(double);
        type->knots[k] = malloc(bytes);
        if (type->knots[k])
            memcpy(type->knots[k], knots, bytes);
        else
            done = false;
    }
    if (!done) free_knots(type);
    return done;
}

/* The slot of the batch of a type, or the free one where it belongs. */
static size_t *find_slot(const splines *content, uint64_t hash, const spline_type *type)
{
    const size_t mask = content->num_slots - 1;
    for (size_t i = (size_t)(hash ^ hash >> 32) & mask;; i = (i + 1) & mask) {
        size_t *const slot = &content->slots[i];
        if (*slot == 0) return slot;
        const spline_batch *const batch = &content->batches[*slot - 1];
        if (batch->hash == hash && same_type(&batch->type, type)) return slot;
    }
}

/* Makes the hash table large enough for one more batch: at most half full. */
static bool reserve_slot(splines *content)
{
    if (2 * (content->num_batches + 1) <= content->num_slots) return true;
    const size_t num = content->num_slots > 0 ? 2 * content->num_slots : 16;
    size_t *const slots = calloc(num, sizeof(*slots));
    if (!slots) return false;
    free(content->slots);
    content->slots = slots;
    content->num_slots = num;
    for (size_t i = 0; i < content->num_batches; i++)
        *find_slot(content, content->batches[i].hash, &content->batches[i].type) = i + 1;
    return true;
}

/* The batch of this type, made if it is the first; NULL when memory runs out. */
static spline_batch *find_batch(splines *content, const spline_type *type)
{
    const uint64_t hash = hash_type(type);
    if (!reserve_slot(content)) return NULL;
    size_t *const slot = find_slot(content, hash, type);
    if (*slot > 0) return &content->batches[*slot - 1];
    spline_batch *moved = array_reserve(content->batches, &content->batch_capacity,
                                        content->num_batches + 1, sizeof(*moved));
    if (!moved) return NULL;
    content->batches = moved;
    spline_batch made = {.type = *type, .hash = hash};
    if (!own_knots(&made.type)) return NULL;
    moved[content->num_batches] = made;
    *slot = ++content->num_batches;
    return &moved[*slot - 1];
}

static bool weights_are_one(const spline *s)
{
    const size_t coordinates = spline_coordinates(&s->type);
    for (size_t i = s->type.dim; i < s->num_reals; i += coordinates)
        if (s->points[i] != 1) return false;
    return true;
}

/* Copies the control points into the order of the library, without weights where the batch has
   none. */
static void copy_points(const spline *s, const spline_type *type, double *to)
{
    const uint32_t *num = type->num_controls;
    const size_t from_each = spline_coordinates(&s->type), each = spline_coordinates(type);
    for (size_t i = 0; i < num[0]; i++)
        for (size_t j = 0; j < num[1]; j++)
            for (size_t k = 0; k < num[2]; k++, to += each)
                memcpy(to,
                       s->points + (i * s->step[0] + j * s->step[1] + k * s->step[2]) * from_each,
                       each * sizeof(double));
}

/* Makes room in a batch for one more spline of so many numbers. */
static bool reserve(spline_batch *batch, size_t reals)
{
    const size_t num = batch->num_splines + 1;
    void *moved = array_reserve(batch->numbers, &batch->number_capacity, num, sizeof(size_t));
    if (!moved) return false;
    batch->numbers = moved;
    moved = array_reserve(batch->domains, &batch->domain_capacity, num,
                          2 * SPLINES_MAX_DIRECTIONS * sizeof(double));
    if (!moved) return false;
    batch->domains = moved;
    moved = array_reserve(batch->points, &batch->point_capacity, batch->num_reals + reals,
                          sizeof(double));
    if (!moved) return false;
    batch->points = moved;
    return true;
}

bool splines_add(splines *content, const spline *s)
{
    spline_type type = s->type;
    double room[SPLINES_MAX_DIRECTIONS][MAX_BEZIER_KNOTS];
    if (type.rational && weights_are_one(s)) type.rational = false;
    normalize(&type, room);
    spline_batch *batch = find_batch(content, &type);
    const size_t reals = s->num_reals / spline_coordinates(&s->type) * spline_coordinates(&type);
    if (!batch || !reserve(batch, reals)) return false;
    copy_points(s, &type, batch->points + batch->num_reals);
    batch->num_reals += reals;
    for (uint32_t k = 0; k < SPLINES_MAX_DIRECTIONS; k++) {
        double *ends = batch->domains + 2 * (SPLINES_MAX_DIRECTIONS * batch->num_splines + k);
        ends[0] = k < type.directions ? spline_begin(&s->type, k) : 0;
        ends[1] = k < type.directions ? spline_end(&s->type, k) : 0;
    }
    batch->numbers[batch->num_splines++] = content->num_splines++;
    return true;
}

void splines_set_unit(splines *content, const char *unit)
{
    if (content->unit[0] == 0)
        utf8_copy(content->unit, unit, SPLINES_WORD);
    else if (strcmp(content->unit, unit) != 0)
        utf8_copy(content->unit, "several", SPLINES_WORD);
}

double splines_diagonal(const splines *content, double *largest)
{
    double low[SPLINES_MAX_DIM], high[SPLINES_MAX_DIM], sum = 0;
    *largest = 0;
    for (uint32_t k = 0; k < SPLINES_MAX_DIM; k++) {
        low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < content->num_batches; i++) {
        const spline_batch *batch = &content->batches[i];
        const uint32_t dim = batch->type.dim;
        for (size_t at = 0; at < batch->num_reals; at += spline_coordinates(&batch->type)) {
            const double *p = batch->points + at, weight = batch->type.rational ? p[dim] : 1;
            for (uint32_t k = 0; k < dim; k++) {
                low[k] = fmin(low[k], p[k] / weight);
                high[k] = fmax(high[k], p[k] / weight);
            }
        }
    }
    for (uint32_t k = 0; k < SPLINES_MAX_DIM; k++) {
        if (!(low[k] <= high[k])) continue;
        sum = hypot(sum, high[k] - low[k]);
        *largest = fmax(*largest, fmax(-low[k], high[k]));
    }
    return sum;
}

static void free_batch(spline_batch *batch)
{
    free_knots(&batch->type);
    free(batch->numbers);
    free(batch->domains);
    free(batch->points);
}

/* Leaves out splines of a batch. */
static void keep_in_batch(spline_batch *batch, const bool *keep)
{
    const size_t ends = (size_t)2 * SPLINES_MAX_DIRECTIONS;
    const size_t reals = batch->num_reals / batch->num_splines;
    size_t num = 0;
    for (size_t i = 0; i < batch->num_splines; i++) {
        if (!keep[batch->numbers[i]]) continue;
        batch->numbers[num] = batch->numbers[i];
        memmove(batch->domains + ends * num, batch->domains + ends * i, ends * sizeof(double));
        memmove(batch->points + reals * num, batch->points + reals * i, reals * sizeof(double));
        num++;
    }
    batch->num_splines = num;
    batch->num_reals = num * reals;
}

void splines_keep(splines *content, const bool *keep)
{
    size_t num = 0;
    content->num_splines = 0;
    for (size_t i = 0; i < content->num_batches; i++) {
        spline_batch *const batch = &content->batches[i];
        keep_in_batch(batch, keep);
        content->num_splines += batch->num_splines;
        if (batch->num_splines > 0)
            content->batches[num++] = *batch;
        else
            free_batch(batch);
    }
    content->num_batches = num;
    memset(content->slots, 0, content->num_slots * sizeof(*content->slots));
    for (size_t i = 0; i < num; i++)
        *find_slot(content, content->batches[i].hash, &content->batches[i].type) = i + 1;
}

void spline_clear(spline *s)
{
    free_knots(&s->type);
    free(s->points);
    *s = (spline){.num_reals = 0};
}

void splines_clear(splines *content)
{
    for (size_t i = 0; i < content->num_batches; i++)
        free_batch(&content->batches[i]);
    free(content->batches);
    free(content->slots);
    cad_model_free(content->cad);
    *content = (splines){0};
}
