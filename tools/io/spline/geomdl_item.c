#include "geomdl_item.h"

#include <stdlib.h>
#include <string.h>

#include "json_stream.h"
#include "spline_scan.h"

/* ---- keys ---- */

static geomdl_key find_key(const char *key, uint32_t *direction, bool *is_curve)
{
    static const char *const names[] = {"", "degree", "knotvector", "size"};
    static const char directions[] = "uvw";
    *direction = 0;
    *is_curve = false;
    for (int kind = GEOMDL_DEGREE; kind < GEOMDL_KEYS; kind++) {
        const size_t length = strlen(names[kind]);
        if (strncmp(key, names[kind], length) != 0) continue;
        const char *rest = key + length;
        *is_curve = rest[0] == 0 && kind != GEOMDL_SIZE;
        if (*is_curve) return (geomdl_key)kind;
        if (rest[0] != '_' || rest[1] == 0 || rest[2] != 0) continue;
        const char *found = strchr(directions, rest[1]);
        if (!found) continue;
        *direction = (uint32_t)(found - directions);
        return (geomdl_key)kind;
    }
    return GEOMDL_OTHER;
}

static bool read_knots(scanner *s, geomdl_item *t, uint32_t direction)
{
    spline *p = &t->made;
    const bool floats = s->floats;
    double knot;
    p->num_knots[direction] = 0;
    if (!json_open(s, '[', "the list of knots")) return false;
    t->knot_line[direction] = s->word_line;
    s->floats = false; /* knots are doubles in any precision */
    for (size_t n = 0; json_next_item(s, &n);)
        if (!json_read_real(s, "a knot", &knot) ||
            !spline_scan_append(s, &p->type.knots[direction], &p->num_knots[direction],
                                &p->knot_capacity[direction], knot))
            return false;
    s->floats = floats;
    return !s->failed;
}

/* ---- control points ---- */

/* Appends the coordinates of a point. */
static bool take_point(scanner *s, geomdl_item *t, const cJSON *point)
{
    spline *p = &t->made;
    const cJSON *coordinate;
    double value;
    const int n = cJSON_GetArraySize(point);
    if (!cJSON_IsArray(point))
        return scanner_fail(s, s->word_line, "a point that is no list of coordinates");
    if (n == 0) return scanner_fail(s, s->word_line, "a point of no coordinates");
    if (n > SPLINES_MAX_DIM)
        return scanner_fail(s, s->word_line, "a point of more than %d coordinates",
                            SPLINES_MAX_DIM);
    if (p->type.dim == 0) p->type.dim = (uint32_t)n;
    if (p->type.dim != (uint32_t)n)
        return scanner_fail(s, s->word_line, "a point of %d coordinates after one of %u", n,
                            p->type.dim);
    cJSON_ArrayForEach(coordinate, point)
    {
        if (!json_real_of(s, coordinate, "a coordinate", &value) ||
            !spline_scan_append(s, &p->points, &p->num_reals, &p->point_capacity, value))
            return false;
    }
    return true;
}

static bool read_point(scanner *s, geomdl_item *t)
{
    cJSON *point = json_value(s, "a point, a list of coordinates");
    const bool done = point && take_point(s, t, point);
    cJSON_Delete(point);
    return done;
}

static bool read_points(scanner *s, geomdl_item *t)
{
    t->made.num_reals = 0;
    t->made.type.dim = 0;
    if (!json_open(s, '[', "the list of points")) return false;
    for (size_t n = 0; json_next_item(s, &n);)
        if (!read_point(s, t)) return false;
    return !s->failed;
}

static bool read_weights(scanner *s, geomdl_item *t)
{
    double weight;
    t->num_weights = 0;
    if (!json_open(s, '[', "the list of weights")) return false;
    for (size_t n = 0; json_next_item(s, &n);)
        if (!json_read_real(s, "a weight", &weight) || !spline_scan_weight(s, weight) ||
            !spline_scan_append(s, &t->weights, &t->num_weights, &t->weight_capacity, weight))
            return false;
    return !s->failed;
}

static bool read_control_points(scanner *s, geomdl_item *t)
{
    if (!json_open(s, '{', "an object with \"points\"")) return false;
    for (size_t n = 0; json_next_key(s, &n);) {
        bool done = strcmp(s->word, "points") == 0    ? read_points(s, t)
                    : strcmp(s->word, "weights") == 0 ? read_weights(s, t)
                                                      : json_skip(s);
        if (!done) return false;
    }
    return !s->failed;
}

/* ---- a spline ---- */

static bool read_type(scanner *s)
{
    char text[SCANNER_SHOWN + 4];
    if (!json_read_word(s, "the type of a spline")) return false;
    if (strcmp(s->word, "spline") == 0) return true;
    return scanner_fail(s, s->word_line, "data of type \"%s\" are no spline",
                        scanner_shown(s, text));
}

bool geomdl_item_member(scanner *s, geomdl_item *t, bool *taken)
{
    uint32_t direction;
    bool is_curve;
    const geomdl_key kind = find_key(s->word, &direction, &is_curve);
    uint32_t *degree = &t->made.type.degree[direction];
    uint32_t *size = &t->made.type.num_controls[direction];
    *taken = true;
    if (kind != GEOMDL_OTHER) {
        t->has[kind][direction] = true;
        t->is_curve = t->is_curve || is_curve;
    }
    if (kind == GEOMDL_DEGREE) return json_read_count(s, "the degree", SPLINES_MAX_DEGREE, degree);
    if (kind == GEOMDL_SIZE) return json_read_count(s, "the size", SPLINES_MAX_CONTROLS, size);
    if (kind == GEOMDL_KNOTS) return read_knots(s, t, direction);
    if (strcmp(s->word, "control_points") == 0) return read_control_points(s, t);
    if (strcmp(s->word, "type") == 0) return read_type(s);
    *taken = false;
    return true;
}

/* Whether there are all keys that a spline of its directions has. */
static bool check_keys(scanner *s, const geomdl_item *t)
{
    static const char *const names[GEOMDL_KEYS] = {"", "degree", "knotvector", "size"};
    const spline_type *type = &t->made.type;
    for (uint32_t k = 0; k < type->directions; k++) {
        for (int kind = GEOMDL_DEGREE; kind < GEOMDL_KEYS; kind++) {
            if (t->has[kind][k] || (t->is_curve && kind == GEOMDL_SIZE)) continue;
            if (t->is_curve) return scanner_fail(s, t->line, "a curve without \"%s\"", names[kind]);
            return scanner_fail(s, t->line, "a %s without \"%s_%c\"", spline_form(type),
                                names[kind], "uvw"[k]);
        }
    }
    if (t->made.num_reals > 0) return true;
    return scanner_fail(s, t->line, "a %s without control points", spline_form(type));
}

/* Whether numbers of control points, knots and weights fit each other. */
static bool check_sizes(scanner *s, const geomdl_item *t)
{
    const spline *p = &t->made;
    const size_t points = p->num_reals / p->type.dim;
    for (uint32_t k = 0; k < p->type.directions; k++) {
        const uint32_t num = p->type.num_controls[k], degree = p->type.degree[k];
        if (num <= degree)
            return scanner_fail(s, t->line, "%u control points of degree %u", num, degree);
        if (p->num_knots[k] != (size_t)num + degree + 1)
            return scanner_fail(
                s, t->knot_line[k], "%lu knots for %u control points of degree %u, not %lu",
                (unsigned long)p->num_knots[k], num, degree, (unsigned long)num + degree + 1);
    }
    if (points != spline_num_controls(&p->type))
        return scanner_fail(s, t->line, "%lu points where the sizes make %llu",
                            (unsigned long)points,
                            (unsigned long long)spline_num_controls(&p->type));
    if (t->num_weights > 0 && t->num_weights != points)
        return scanner_fail(s, t->line, "%lu weights for %lu points", (unsigned long)t->num_weights,
                            (unsigned long)points);
    return true;
}

/* Finds which kind of spline it is and how its points run. */
static void set_directions(geomdl_item *t)
{
    spline *p = &t->made;
    uint32_t *num = p->type.num_controls;
    const bool has_w =
        t->has[GEOMDL_DEGREE][2] || t->has[GEOMDL_KNOTS][2] || t->has[GEOMDL_SIZE][2];
    p->type.directions = t->is_curve ? 1 : has_w ? 3 : 2;
    if (t->is_curve) {
        const size_t points = p->type.dim > 0 ? p->num_reals / p->type.dim : 0;
        num[0] = points > SPLINES_MAX_CONTROLS ? SPLINES_MAX_CONTROLS : (uint32_t)points;
    }
    for (uint32_t k = p->type.directions; k < SPLINES_MAX_DIRECTIONS; k++)
        num[k] = 1;
    p->step[0] = num[1];
    p->step[1] = 1;
    p->step[2] = (size_t)num[0] * num[1];
}

bool geomdl_item_end(scanner *s, geomdl_item *t)
{
    set_directions(t);
    if (!check_keys(s, t) || !check_sizes(s, t)) return false;
    for (uint32_t k = 0; k < t->made.type.directions; k++)
        if (!spline_scan_knots(s, &t->made.type, k, t->knot_line[k])) return false;
    return spline_scan_weigh(s, &t->made, t->weights, t->num_weights, t->line);
}

void geomdl_item_clear(geomdl_item *t)
{
    spline_clear(&t->made);
    free(t->weights);
    *t = (geomdl_item){.is_curve = false};
}
