#include "spline_info.h"

#include <stdint.h>
#include <stdio.h>

#include "cad_filter.h"
#include "cad_info.h"
#include "command.h"
#include "info_box.h"
#include "input.h"
#include "part_mesh.h"
#include "spline_file.h"

/* Grows a box by the Euclidean control points of splines. */
static void grow(info_box *b, const spline_batch *batch)
{
    const uint32_t dim = batch->type.dim;
    for (size_t at = 0; at < batch->num_reals; at += spline_coordinates(&batch->type)) {
        const double *p = batch->points + at, w = batch->type.rational ? p[dim] : 1;
        double point[SPLINES_MAX_DIM];
        for (uint32_t k = 0; k < dim; k++)
            point[k] = p[k] / w;
        info_box_grow(b, point);
    }
}

/* Finds the box around all control points, in as many coordinates as all splines have. */
static info_box find_box(const splines *content)
{
    info_box b = info_box_none(SPLINES_MAX_DIM);
    for (size_t i = 0; i < content->num_batches; i++)
        if (content->batches[i].type.dim < b.dim) b.dim = content->batches[i].type.dim;
    for (size_t i = 0; i < content->num_batches; i++)
        grow(&b, &content->batches[i]);
    return b;
}

/* ---- kinds ---- */

/* Splines that are alike but for their knots. */
typedef struct kind {
    const spline_type *type;
    size_t count;
    const double *domain; /* [directions][2]; NULL where they have several */
} kind;

/* Whether types agree in all but knots, of which they have as many spans. */
static bool same_kind(const spline_type *a, const spline_type *b)
{
    if (a->directions != b->directions || a->dim != b->dim || a->rational != b->rational)
        return false;
    for (uint32_t k = 0; k < a->directions; k++)
        if (a->degree[k] != b->degree[k] || a->num_controls[k] != b->num_controls[k] ||
            spline_spans(a, k) != spline_spans(b, k))
            return false;
    return true;
}

/* Adds the splines of a batch to their kind. */
static void join(kind *found, const spline_batch *batch)
{
    const size_t each = (size_t)2 * SPLINES_MAX_DIRECTIONS;
    if (found->count == 0) found->domain = batch->domains;
    for (size_t i = 0; found->domain && i < batch->num_splines; i++)
        for (uint32_t k = 0; found->domain && k < 2 * batch->type.directions; k++)
            if (batch->domains[each * i + k] != found->domain[k]) found->domain = NULL;
    found->count += batch->num_splines;
}

/* Finds the kind that begins with a batch; false where an earlier one is of it. */
static bool find_kind(const splines *content, size_t first, kind *found)
{
    const spline_type *type = &content->batches[first].type;
    *found = (kind){.type = type};
    for (size_t i = 0; i < first; i++)
        if (same_kind(&content->batches[i].type, type)) return false;
    for (size_t i = first; i < content->num_batches; i++)
        if (same_kind(&content->batches[i].type, type)) join(found, &content->batches[i]);
    return true;
}

/* Prints a number of each direction with words between them. */
static void print_each(const spline_type *type, const char *between,
                       uint32_t (*get)(const spline_type *type, uint32_t direction))
{
    for (uint32_t k = 0; k < type->directions; k++)
        printf("%s%u", k > 0 ? between : "", get(type, k));
}

static uint32_t get_degree(const spline_type *type, uint32_t direction)
{
    return type->degree[direction];
}

static uint32_t get_controls(const spline_type *type, uint32_t direction)
{
    return type->num_controls[direction];
}

/* ---- text ---- */

static void print_kind(const kind *found)
{
    const spline_type *type = found->type;
    static const char *const forms[] = {"curves", "surfaces", "volumes"};
    printf("  %-12s %lu%s of degree ", forms[type->directions - 1], (unsigned long)found->count,
           type->rational ? " rational" : "");
    print_each(type, " x ", get_degree);
    fputs(", ", stdout);
    print_each(type, " x ", get_controls);
    fputs(" control points, ", stdout);
    print_each(type, " x ", spline_spans);
    fputs(" spans", stdout);
    for (uint32_t k = 0; found->domain && k < type->directions; k++)
        printf("%s [%.7g, %.7g]", k > 0 ? " x" : " over", found->domain[2 * k],
               found->domain[2 * k + 1]);
    fputc('\n', stdout);
}

static void print_text(const char *path, const splines *content)
{
    const info_box b = find_box(content);
    printf("%s\n", path);
    kind found;
    for (size_t i = 0; i < content->num_batches; i++)
        if (find_kind(content, i, &found)) print_kind(&found);
    if (content->num_trimmed > 0)
        printf("  %-12s %lu\n", "trimmed", (unsigned long)content->num_trimmed);
    if (content->unit[0]) printf("  %-12s %s\n", "unit", content->unit);
    if (content->cad) cad_info_print(content->cad);
    info_box_print(&b, "control box");
}

/* ---- JSON ---- */

/* Adds a number of each direction. */
static void add_each(json_list *list, cJSON *to, const char *name, const spline_type *type,
                     uint32_t (*get)(const spline_type *type, uint32_t direction))
{
    double values[SPLINES_MAX_DIRECTIONS];
    for (uint32_t k = 0; k < type->directions; k++)
        values[k] = get(type, k);
    json_add_reals(list, to, name, values, type->directions);
}

static void add_kind(json_list *list, cJSON *to, const kind *found)
{
    const spline_type *type = found->type;
    cJSON *o = json_add_object(list, to, NULL);
    json_add_text(list, o, "form", spline_form(type));
    json_add_bool(list, o, "rational", type->rational);
    json_add_count(list, o, "dim", type->dim);
    add_each(list, o, "degrees", type, get_degree);
    add_each(list, o, "controls", type, get_controls);
    add_each(list, o, "spans", type, spline_spans);
    if (found->domain) {
        cJSON *domain = json_add_array(list, o, "domain");
        for (uint32_t k = 0; k < type->directions; k++)
            json_add_reals(list, domain, NULL, found->domain + 2 * k, 2);
    } else {
        json_add_text(list, o, "domain", NULL);
    }
    json_add_count(list, o, "count", found->count);
}

static void print_json(const char *path, const splines *content, json_list *list)
{
    const info_box b = find_box(content);
    kind found;
    cJSON *o = json_object(list);
    json_add_text(list, o, "file", path);
    cJSON *kinds = json_add_array(list, o, "splines");
    for (size_t i = 0; i < content->num_batches; i++)
        if (find_kind(content, i, &found)) add_kind(list, kinds, &found);
    json_add_count(list, o, "trimmed", content->num_trimmed);
    json_add_text(list, o, "unit", content->unit[0] ? content->unit : NULL);
    info_box_json(&b, list, o, "control_box");
    if (content->cad) cad_info_json(content->cad, list, o);
    json_list_print(list, o);
}

void spline_info_tell(const splines *content, const char *name, const request *r)
{
    const unsigned long trimmed = (unsigned long)content->num_trimmed;
    const cad_model *cad = content->cad;
    if (trimmed > 0 && !part_mesh_suits(content) && !r->quiet)
        complain("warning: %s: %lu trimmed splines are taken whole", name, trimmed);
    if (cad && (cad->faces_read < cad->faces_in_file || cad->note[0]) && !r->quiet)
        complain("warning: %s: %u of %u faces are read%s%s", name, cad->faces_read,
                 cad->faces_in_file, cad->note[0] ? "; " : "", cad->note);
    if (content->unit[0] && r->verbose)
        complain("note: %s: unit of length: %s", name, content->unit);
}

bool spline_info_choose(splines *content, const char *name, const request *r)
{
    io_message message;
    const bool done = cad_filter_apply(content, r->only, name, &message);
    if (!done) complain("%s", message.text);
    return done;
}

bool spline_info_show(const char *path, const char *only, json_list *list)
{
    io_message message;
    splines content = {0};
    const bool done = spline_file_add(&content, path, MESH_F64, &message) &&
                      cad_filter_apply(&content, only, path, &message);
    if (!done)
        complain("%s", message.text);
    else if (list)
        print_json(path, &content, list);
    else
        print_text(path, &content);
    splines_clear(&content);
    return done;
}
