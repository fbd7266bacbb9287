#include "step_model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "spline_scan.h"

typedef struct walk {
    step_file *f;
    splines *content;
    shape_uses *uses;
    size_t user;   /* that is visited, where it may take the whole of a spline */
    size_t *stack; /* instances that have new marks to pass on */
    size_t num, capacity;
    bool is_again;    /* what was visited has got new marks */
    bool is_counting; /* shapes of other kinds, when all marks are there */
    uint64_t budget;  /* of bytes that are read again and again */
} walk;

/* ---- marks ---- */

static bool has_marks(const step_instance *of)
{
    return of->kind != STEP_POINT && of->kind != STEP_DIRECTION;
}

static bool is_spline(const step_instance *of)
{
    return of->kind == STEP_CURVE || of->kind == STEP_SURFACE;
}

/* Whether an instance may take the whole of a spline, or a part. */
static bool may_trim(const step_instance *of)
{
    return of->kind == STEP_FACE || of->kind == STEP_TRIMMED_CURVE ||
           of->kind == STEP_TRIMMED_SURFACE;
}

static bool push(walk *w, size_t which)
{
    size_t *moved = array_reserve(w->stack, &w->capacity, w->num + 1, sizeof(*w->stack));
    if (!moved) return spline_scan_memory(w->f->s);
    w->stack = moved;
    moved[w->num++] = which;
    return true;
}

/* Counts a shape that is referred to where it is not read. */
static void count(walk *w, const step_instance *of)
{
    step_file *const f = w->f;
    const char *const at = f->at;
    const uint64_t line = f->s->word_line;
    if (of->kind != STEP_OTHER && of->kind != STEP_SWEPT) return;
    splines_leave_out(w->content, w->content->num_left_out == 0 ? step_keyword(f, of) : "");
    f->at = at;
    f->s->word_line = line;
}

/* Gives marks to the instance that a reference is to. */
static bool give(walk *w, size_t which, uint32_t marks)
{
    if (which == STEP_NONE)
        return step_fail(w->f, "a reference to an instance that is not in the file");
    step_instance *const to = &w->f->instances[which];
    if (w->is_counting) {
        count(w, to);
        return true;
    }
    if (w->user != STEP_NONE && is_spline(to)) {
        const step_instance *const user = &w->f->instances[w->user];
        if (!(user->marks & STEP_IS_TRIMMED)) marks &= ~(uint32_t)STEP_IS_TRIMMED;
        if (!w->is_again && !shape_uses_add(w->uses, which, w->user))
            return spline_scan_memory(w->f->s);
    }
    if (!has_marks(to) || (marks & ~to->marks) == 0) return true;
    to->marks |= marks;
    return push(w, which);
}

/* Gives marks to all that a parameter refers to, which is a reference or a list of some. */
static bool give_all(walk *w, uint32_t marks)
{
    size_t which;
    if (step_may_refer(w->f, &which)) return give(w, which, marks);
    if (!step_is_list(w->f)) return !w->f->s->failed;
    step_list(w->f);
    for (size_t n = 0; step_item(w->f, &n);)
        if (!(step_may_refer(w->f, &which) ? give(w, which, marks) : step_value(w->f)))
            return false;
    return !w->f->s->failed;
}

/* How many parameters stand before the one that refers, in a simple instance and in a record. */
static bool find_place(const step_instance *of, int *simple, int *complex)
{
    *simple = 1;
    *complex = 0;
    switch (of->kind) {
    case STEP_SEGMENT:
        *simple = *complex = 2;
        return true;
    case STEP_FACE:
    case STEP_ANNOTATION:
        *simple = 2;
        return true;
    case STEP_ORIENTED:
    case STEP_EDGE:
        *simple = 3;
        return true;
    default:
        return of->kind == STEP_SET || of->kind == STEP_PARAMETERS || of->kind == STEP_BOUND ||
               of->kind == STEP_LOOP ||
               (of->kind >= STEP_SWEPT && of->kind <= STEP_BOUNDED_SURFACE);
    }
}

/* The marks that an instance gives to what it refers to. */
static uint32_t marks_of(const step_instance *of)
{
    switch (of->kind) {
    case STEP_FACE:
        return STEP_IS_TRIMMED;
    case STEP_TRIMMED_CURVE:
    case STEP_TRIMMED_SURFACE:
    case STEP_BOUNDED_SURFACE:
        return of->marks | STEP_IS_TRIMMED;
    case STEP_SWEPT:
    case STEP_PARAMETERS:
        return STEP_IS_PART;
    case STEP_ANNOTATION:
        return STEP_IS_PART | STEP_IS_NOTE;
    case STEP_SET:
        return of->marks & STEP_IS_NOTE ? of->marks : STEP_IS_MODEL;
    default:
        return of->marks;
    }
}

/* Makes the bounds of a face parts of it, and goes to its surface. */
static bool visit_bounds(walk *w)
{
    w->user = STEP_NONE;
    return step_skip(w->f, 1) && (w->is_counting ? step_value(w->f) : give_all(w, STEP_IS_PART)) &&
           step_comma(w->f);
}

/* Gives what an instance refers to its marks, or counts it. */
static bool visit(walk *w, const step_instance *of)
{
    step_file *const f = w->f;
    int simple, complex;
    if (!find_place(of, &simple, &complex)) return true;
    const uint32_t marks = marks_of(of);
    const bool counts =
        of->kind != STEP_SWEPT && (marks & (STEP_IS_PART | STEP_IS_MODEL)) != STEP_IS_PART;
    if (w->is_counting && !counts) return true;
    step_begin(f, of);
    const step_word *word = step_record(f);
    while (word && word->kind != of->kind)
        word = step_record(f);
    if (!word) return false;
    const bool has_bounds = of->kind == STEP_FACE && !f->is_complex;
    if (!(has_bounds ? visit_bounds(w) : step_skip(f, f->is_complex ? complex : simple)))
        return false;
    w->user = may_trim(of) ? (size_t)(of - f->instances) : STEP_NONE;
    if (!give_all(w, marks)) return false;
    if (of->kind != STEP_BOUNDED_SURFACE || w->is_counting) return true;
    return step_comma(f) && give_all(w, STEP_IS_PART);
}

/* Visits all instances, notes first: sets that are ones are no model. */
static bool visit_all(walk *w)
{
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < w->f->num; i++) {
            const step_instance *const of = &w->f->instances[i];
            if ((of->kind == STEP_ANNOTATION) == (turn == 0) && !visit(w, of)) return false;
        }
    w->is_again = true;
    while (w->num > 0)
        if (!visit(w, &w->f->instances[w->stack[--w->num]])) return false;
    return true;
}

/* ---- units ---- */

/* Appends a word in small letters. */
static void append_word(char *to, const char *word)
{
    size_t n = strlen(to);
    for (; *word && n + 1 < SPLINES_WORD; word++)
        to[n++] = (char)tolower((unsigned char)*word);
    to[n] = 0;
}

/* Takes note of a unit of length: SI_UNIT(.MILLI.,.METRE.), or CONVERSION_BASED_UNIT('INCH',..). */
static void note_unit(walk *w, const step_instance *of)
{
    step_file *const f = w->f;
    char text[STEP_MAX_KEYWORD + 1], unit[SPLINES_WORD] = "";
    step_begin(f, of);
    while (step_record(f)) {
        const bool is_si = strcmp(f->s->word, "SI_UNIT") == 0;
        if (!is_si && strcmp(f->s->word, "CONVERSION_BASED_UNIT") != 0) continue;
        step_text(f, text);
        append_word(unit, text);
        if (!is_si || !step_skip(f, 1)) continue;
        step_text(f, text);
        append_word(unit, text);
    }
    if (unit[0]) splines_set_unit(w->content, unit);
}

/* Pays for reading bytes that may have been read before; false where there were too many. */
static bool spend(walk *w, uint64_t bytes)
{
    if (w->budget < bytes) return false;
    w->budget -= bytes;
    return true;
}

/* Takes note of the units of a context. */
static bool note_units(walk *w, const step_instance *of)
{
    step_file *const f = w->f;
    size_t which;
    step_begin(f, of);
    const step_word *word = step_record(f);
    while (word && word->kind != STEP_CONTEXT)
        word = step_record(f);
    if (!word || !(f->is_complex || step_skip(f, 1)) || !step_list(f)) return !f->s->failed;
    for (size_t n = 0; step_item(f, &n);) {
        if (!step_reference(f, &which)) return false;
        const char *const at = f->at;
        if (which == STEP_NONE || f->instances[which].kind != STEP_UNIT) continue;
        note_unit(w, &f->instances[which]);
        if (!spend(w, (uint64_t)(f->at > f->text + f->instances[which].at
                                     ? f->at - (f->text + f->instances[which].at)
                                     : 0)))
            return true;
        f->at = at;
    }
    return !f->s->failed;
}

/* ---- assemblies ---- */

/* Takes a reference to a point or direction, whose coordinates it gives; NULL: none. */
static const double *take_point(walk *w)
{
    size_t which;
    if (!step_may_refer(w->f, &which) || which == STEP_NONE) return NULL;
    const step_instance *const of = &w->f->instances[which];
    return has_marks(of) ? NULL : w->f->points + of->at;
}

/* Reads a place and its axes. */
static bool read_place(walk *w, size_t which, double place[3][STEP_DIM])
{
    static const double usual[3][STEP_DIM] = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    step_file *const f = w->f;
    if (which == STEP_NONE || f->instances[which].kind != STEP_PLACEMENT) return false;
    const step_instance *const of = &f->instances[which];
    step_begin(f, of);
    if (!step_record(f) || f->is_complex || !step_skip(f, 1)) return false;
    for (int i = 0; i < 3; i++) {
        const double *from = take_point(w);
        memcpy(place[i], from ? from : usual[i], sizeof(usual[i]));
        step_skip(f, 1);
    }
    return !f->s->failed && spend(w, (uint64_t)(f->at - (f->text + of->at)));
}

/* Whether two placements are known to be equal. */
static bool is_same_place(walk *w, size_t a, size_t b)
{
    double p[3][STEP_DIM], q[3][STEP_DIM];
    if (a == b && a != STEP_NONE) return true;
    if (!read_place(w, a, p) || !read_place(w, b, q)) return false;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < STEP_DIM; k++)
            if (p[i][k] != q[i][k]) return false;
    return true;
}

/* Takes two references of the first record of an instance, behind some parameters. */
static bool take_pair(walk *w, size_t which, int skipped, size_t pair[2])
{
    step_file *const f = w->f;
    if (which == STEP_NONE || !has_marks(&f->instances[which])) return false;
    const step_instance *const of = &f->instances[which];
    step_begin(f, of);
    return step_record(f) && step_skip(f, skipped) && step_may_refer(f, &pair[0]) &&
           step_comma(f) && step_may_refer(f, &pair[1]) &&
           spend(w, (uint64_t)(f->at - (f->text + of->at)));
}

/* Whether a relation of two representations leaves parts where they are. */
static bool leaves_parts(walk *w, const step_instance *of)
{
    size_t which, pair[2];
    step_begin(w->f, of);
    const step_word *word = step_record(w->f);
    while (word && word->kind != STEP_RELATION)
        word = step_record(w->f);
    if (!word || !w->f->is_complex || !step_may_refer(w->f, &which)) return false;
    return take_pair(w, which, 2, pair) && is_same_place(w, pair[0], pair[1]);
}

/* Whether a copy of a representation is where that is. */
static bool leaves_copy(walk *w, const step_instance *of)
{
    size_t pair[2], map[2];
    return take_pair(w, (size_t)(of - w->f->instances), 1, pair) && take_pair(w, pair[0], 0, map) &&
           is_same_place(w, map[0], pair[1]);
}

static bool check_places(walk *w)
{
    for (size_t i = 0; i < w->f->num; i++) {
        const step_instance *const of = &w->f->instances[i];
        if (of->kind == STEP_RELATION ? leaves_parts(w, of)
                                      : of->kind != STEP_MAPPED || leaves_copy(w, of))
            continue;
        if (w->f->s->failed) return false;
        return scanner_fail(w->f->s, of->line,
                            "an assembly, which places a part elsewhere: assemblies are not read");
    }
    return true;
}

/* ---- the whole ---- */

bool step_model_find(step_file *f, splines *content, shape_uses *uses)
{
    walk w = {
        .f = f, .content = content, .uses = uses, .budget = 64 * (uint64_t)(f->end - f->text)};
    bool done = check_places(&w) && visit_all(&w);
    for (size_t i = 0; done && i < f->num; i++)
        if (f->instances[i].kind == STEP_CONTEXT) done = note_units(&w, &f->instances[i]);
    w.is_counting = true;
    done = done && visit_all(&w);
    free(w.stack);
    shape_uses_sort(uses);
    return done && !f->s->failed;
}
