#include "iges_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "array.h"
#include "spline_scan.h"

enum {
    RULED_SURFACE = 118,
    SURFACE_OF_REVOLUTION = 120,
    TABULATED_CYLINDER = 122,
    OFFSET_CURVE = 130,
    OFFSET_SURFACE = 140,
    BOUNDARY = 141,
    CURVE_ON_SURFACE = 142,
    BOUNDED_SURFACE = 143,
    TRIMMED_SURFACE = 144,
    SUBFIGURE_INSTANCE = 408,
    EDGE_LIST = 504,
    LOOP = 508,
    FACE = 510,
    MOST = 10000000 /* pointers of an entity */
};

typedef struct kind_name {
    uint32_t type;
    const char *name;
} kind_name;

/* Names a curve or surface that is not read; NULL where an entity is none. */
static const char *shape_name(const iges_entity *of)
{
    static const kind_name names[] = {{100, "circular arc"},
                                      {104, "conic arc"},
                                      {110, "line"},
                                      {RULED_SURFACE, "ruled surface"},
                                      {SURFACE_OF_REVOLUTION, "surface of revolution"},
                                      {TABULATED_CYLINDER, "tabulated cylinder"},
                                      {OFFSET_CURVE, "offset curve"},
                                      {OFFSET_SURFACE, "offset surface"},
                                      {190, "plane surface"},
                                      {192, "cylindrical surface"},
                                      {194, "conical surface"},
                                      {196, "spherical surface"},
                                      {198, "toroidal surface"}};
    if (of->type == 106 && of->form >= 11 && of->form <= 13) return "polyline";
    const bool is_taken = (of->marks & (IGES_IS_TRIMMED | IGES_IS_WHOLE)) != 0;
    if (of->type == 108 && (of->form == 1 || is_taken)) return "plane";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].type == of->type) return names[i].name;
    return NULL;
}

bool iges_model_has(const iges_entity *of)
{
    const bool is_used =
        of->use == IGES_GEOMETRY || of->use == IGES_OTHER || of->use == IGES_LOGICAL;
    if (!is_used || (of->marks & IGES_IS_PART)) return false;
    return !of->is_part || iges_is_surface(of) || (of->marks & (IGES_IS_TRIMMED | IGES_IS_WHOLE));
}

/* ---- marks ---- */

/* Takes a pointer, and gives what it points to marks. */
static bool give(iges_file *f, uint32_t marks)
{
    size_t which;
    if (!iges_pointer(f, &which)) return false;
    if (which != IGES_NONE) f->entities[which].marks |= marks;
    return true;
}

/* Takes a number, and so many pointers behind it. */
static bool give_list(iges_file *f, uint32_t marks)
{
    uint32_t num;
    if (!iges_count(f, "a number of entities", MOST, &num)) return false;
    for (uint32_t i = 0; i < num && !f->has_ended; i++)
        if (!give(f, marks)) return false;
    return true;
}

/* A trimmed surface: the surface, whether there is an outer boundary, inner ones, the outer one,
   those. */
static bool visit_trimmed(iges_file *f, size_t user, shape_uses *uses)
{
    size_t surface;
    uint32_t outer, inner;
    if (!iges_pointer(f, &surface) || !iges_count(f, "1 for an outer boundary or 0", 1, &outer) ||
        !iges_count(f, "the number of inner boundaries", MOST, &inner))
        return false;
    if (surface != IGES_NONE) f->entities[surface].marks |= IGES_IS_WHOLE;
    if (surface != IGES_NONE && (outer || inner) && !shape_uses_add(uses, surface, user))
        return spline_scan_memory(f->s);
    for (uint32_t i = 0; i <= inner && !f->has_ended; i++)
        if (!give(f, IGES_IS_PART)) return false;
    return true;
}

/* The curves of a boundary or of a loop: each with numbers around it, and with curves in
   parameters. */
static bool visit_curves(iges_file *f, uint32_t before, uint32_t between, uint32_t each)
{
    uint32_t num, inner;
    if (!iges_skip(f, before) || !iges_count(f, "a number of curves", MOST, &num)) return false;
    for (uint32_t i = 0; i < num && !f->has_ended; i++) {
        if (!(each > 1 ? iges_skip(f, 2) : give(f, IGES_IS_PART)) || !iges_skip(f, between) ||
            !iges_count(f, "a number of curves", MOST, &inner))
            return false;
        for (uint32_t k = 0; k < inner && !f->has_ended; k++)
            if (!iges_skip(f, each - 1) || !give(f, IGES_IS_PART)) return false;
    }
    return true;
}

/* Edges: of each a curve, and where its ends are. */
static bool visit_edges(iges_file *f)
{
    uint32_t num;
    if (!iges_count(f, "a number of edges", MOST, &num)) return false;
    for (uint32_t i = 0; i < num && !f->has_ended; i++)
        if (!give(f, IGES_IS_PART) || !iges_skip(f, 4)) return false;
    return true;
}

/* Marks what an entity refers to. */
static bool visit(iges_file *f, const iges_entity *of, shape_uses *uses)
{
    if (!iges_begin(f, of)) return false;
    switch (of->type) {
    case RULED_SURFACE:
        return give(f, IGES_IS_PART) && give(f, IGES_IS_PART);
    case SURFACE_OF_REVOLUTION:
        return iges_skip(f, 1) && give(f, IGES_IS_PART);
    case TABULATED_CYLINDER:
    case OFFSET_CURVE:
        return give(f, IGES_IS_PART);
    case OFFSET_SURFACE:
        return iges_skip(f, 4) && give(f, IGES_IS_PART);
    case BOUNDARY:
        return visit_curves(f, 3, 1, 1);
    case CURVE_ON_SURFACE:
        return iges_skip(f, 2) && give(f, IGES_IS_PART) && give(f, IGES_IS_PART);
    case BOUNDED_SURFACE:
        return iges_skip(f, 1) && give(f, IGES_IS_TRIMMED) && give_list(f, IGES_IS_PART);
    case TRIMMED_SURFACE:
        return visit_trimmed(f, (size_t)(of - f->entities), uses);
    case EDGE_LIST:
        return visit_edges(f);
    case LOOP:
        return visit_curves(f, 0, 2, 2);
    default: /* a face */
        return give(f, IGES_IS_TRIMMED);
    }
}

static bool is_visited(uint32_t type)
{
    return type == RULED_SURFACE || type == SURFACE_OF_REVOLUTION || type == TABULATED_CYLINDER ||
           type == OFFSET_CURVE || (type >= OFFSET_SURFACE && type <= TRIMMED_SURFACE) ||
           type == EDGE_LIST || type == LOOP || type == FACE;
}

/* ---- composite curves ---- */

/* Passes the marks of a composite curve on to its curves, and those of the ones that are composite
   too, which come onto a stack. */
static bool pass_on(iges_file *f, size_t first, size_t **stack, size_t *capacity)
{
    size_t num = 0, which = first;
    for (;;) {
        iges_entity *const of = &f->entities[which];
        uint32_t curves = 0;
        const uint32_t marks = iges_model_has(of) ? IGES_IS_WHOLE : IGES_IS_PART;
        const bool is_met = (of->marks & IGES_IS_MET) != 0;
        of->marks |= IGES_IS_MET;
        if (!is_met && !(iges_begin(f, of) && iges_count(f, "a number of curves", MOST, &curves)))
            return false;
        for (uint32_t i = 0; i < curves && !f->has_ended; i++) {
            if (!iges_pointer(f, &which)) return false;
            if (which == IGES_NONE) continue;
            f->entities[which].marks |= marks;
            if (f->entities[which].type != IGES_COMPOSITE_CURVE) continue;
            size_t *moved = array_reserve(*stack, capacity, num + 1, sizeof(*moved));
            if (!moved) return spline_scan_memory(f->s);
            *stack = moved;
            moved[num++] = which;
        }
        if (num == 0) return true;
        which = (*stack)[--num];
    }
}

/* Goes through the composite curves, those first that are of no other one. */
static bool pass_on_all(iges_file *f)
{
    size_t *stack = NULL, capacity = 0;
    bool done = true;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; done && i < f->num; i++) {
            const iges_entity *const of = &f->entities[i];
            const bool is_first = (of->marks & IGES_IS_PART) || !of->is_part;
            if (of->type == IGES_COMPOSITE_CURVE && (is_first || turn == 1))
                done = pass_on(f, i, &stack, &capacity);
        }
    free(stack);
    return done;
}

/* ---- the whole ---- */

bool iges_model_find(iges_file *f, splines *content, shape_uses *uses)
{
    char word[SPLINES_WORD];
    for (size_t i = 0; i < f->num; i++) {
        const iges_entity *const of = &f->entities[i];
        if (of->type == SUBFIGURE_INSTANCE && of->use == IGES_GEOMETRY)
            return scanner_fail(f->s, f->directory_line + 2 * i,
                                "a copy of a subfigure (entity 408), which is not read");
        if (is_visited(of->type) && !visit(f, of, uses)) return false;
    }
    if (!pass_on_all(f)) return false;
    shape_uses_sort(uses);
    for (size_t i = 0; i < f->num; i++) {
        const char *const name = shape_name(&f->entities[i]);
        if (!name || !iges_model_has(&f->entities[i])) continue;
        snprintf(word, sizeof(word), "a %s (%u)", name, f->entities[i].type);
        splines_leave_out(content, word);
    }
    return true;
}
