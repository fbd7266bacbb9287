#include "step_file.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "spline_scan.h"

bool step_fail(step_file *f, const char *format, ...)
{
    char text[200];
    va_list args;
    if (f->s->failed) return false;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return scanner_fail(f->s, f->s->word_line, "%s", text);
}

/* ---- tokens ---- */

static void count_line(step_file *f)
{
    f->line += *f->at == '\n' || (*f->at == '\r' && f->at[1] != '\n');
}

/* Goes behind white space and comments. */
static void skip_space(step_file *f)
{
    for (;; f->at++) {
        if (*f->at == '/' && f->at[1] == '*') {
            const uint64_t line = f->line;
            for (f->at += 2; *f->at && !(*f->at == '*' && f->at[1] == '/'); f->at++)
                count_line(f);
            if (*f->at == 0) {
                if (!f->s->failed) scanner_fail(f->s, line, "a comment without an end");
                return;
            }
            f->at++;
        } else if (*f->at == ' ' || (*f->at >= '\t' && *f->at <= '\r')) {
            count_line(f);
        } else {
            return;
        }
    }
}

/* Goes behind a text in quotes of a kind. A quote within is doubled, or follows \S\, which adds 128
   to a character. */
static bool skip_quoted(step_file *f)
{
    const char quote = *f->at;
    for (f->at++; *f->at; f->at++) {
        if (strncmp(f->at, "\\S\\", 3) == 0 && f->at[3] == quote) {
            f->at += 3;
        } else if (*f->at == quote && f->at[1] == quote) {
            f->at++;
        } else if (*f->at == quote) {
            f->at++;
            return true;
        }
        count_line(f);
    }
    return step_fail(f, "a text without an end");
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '!' || c == '-';
}

/* Goes to the ',' or ')' behind a value, or to the ';' or end of file where there is none. */
static bool skip_value(step_file *f)
{
    for (uint64_t depth = 0; !f->s->failed;) {
        while (is_word(*f->at) || *f->at == '.' || *f->at == '#')
            f->at++;
        skip_space(f);
        const char c = *f->at;
        if (c == 0 || c == ';' || (depth == 0 && (c == ',' || c == ')'))) return true;
        if (c == '\'' || c == '"') {
            if (!skip_quoted(f)) return false;
            continue;
        }
        if (c == '(') depth++;
        if (c == ')') depth--;
        if (!is_word(c)) f->at++;
    }
    return false;
}

static const char *shown(const step_file *f, char text[2])
{
    text[0] = *f->at;
    if (*f->at < ' ' || *f->at > '~') text[0] = '?';
    text[1] = 0;
    return *f->at ? text : "the end of the file";
}

static bool expect(step_file *f, char c)
{
    char text[2];
    skip_space(f);
    if (*f->at != c) return step_fail(f, "%s where %c was expected", shown(f, text), c);
    f->at++;
    return !f->s->failed;
}

/* Goes behind the ')' of a list of which the '(' was taken. */
static bool skip_list(step_file *f)
{
    while (skip_value(f) && *f->at == ',')
        f->at++;
    return expect(f, ')');
}

/* Copies the word that comes next into the scanner's. */
static bool take_word(step_file *f, bool (*belongs)(char c), const char *what)
{
    size_t n = 0;
    char text[2];
    skip_space(f);
    for (; belongs(f->at[n]); n++) {
        if (n == SCANNER_MAX_WORD)
            return step_fail(f, "word of more than %d characters", SCANNER_MAX_WORD);
        f->s->word[n] = f->at[n];
    }
    f->s->word[n] = 0;
    if (n == 0) return step_fail(f, "%s where %s was expected", shown(f, text), what);
    f->at += n;
    return !f->s->failed;
}

static bool is_number(char c)
{
    return isalnum((unsigned char)c) || c == '+' || c == '-' || c == '.';
}

bool step_list(step_file *f)
{
    return expect(f, '(');
}

bool step_is_list(step_file *f)
{
    skip_space(f);
    return !f->s->failed && *f->at == '(';
}

bool step_is_word(step_file *f, const char *word)
{
    const size_t length = strlen(word);
    skip_space(f);
    if (strncmp(f->at, word, length) != 0 || is_word(f->at[length])) return false;
    f->at += length;
    return !f->s->failed;
}

bool step_comma(step_file *f)
{
    return expect(f, ',');
}

bool step_end(step_file *f)
{
    return expect(f, ')');
}

bool step_value(step_file *f)
{
    return skip_value(f);
}

bool step_item(step_file *f, size_t *n)
{
    skip_space(f);
    if (f->s->failed) return false;
    if (*f->at == ')') {
        f->at++;
        return false;
    }
    return (*n)++ == 0 || expect(f, ',');
}

bool step_skip(step_file *f, int num)
{
    for (int i = 0; i < num; i++) {
        if (!skip_value(f)) return false;
        if (*f->at == ',') f->at++;
    }
    return true;
}

bool step_count(step_file *f, const char *what, uint32_t max, uint32_t *value)
{
    return take_word(f, is_number, what) && scanner_count_here(f->s, what, max, value);
}

bool step_real(step_file *f, const char *what, double *value)
{
    return take_word(f, is_number, what) && scanner_real_here(f->s, what, value);
}

/* Takes the digits of an id; 0, which none has, where there are none or too many. */
static uint64_t take_id(step_file *f)
{
    uint64_t id = 0;
    for (; isdigit((unsigned char)*f->at); f->at++) {
        if (id > (UINT64_MAX - 9) / 10) return 0;
        id = 10 * id + (uint64_t)(*f->at - '0');
    }
    return id;
}

bool step_may_refer(step_file *f, size_t *which)
{
    skip_space(f);
    if (f->s->failed || *f->at != '#') return false;
    f->at++;
    *which = step_find(f, take_id(f));
    return true;
}

bool step_reference(step_file *f, size_t *which)
{
    char text[2];
    if (step_may_refer(f, which)) return true;
    return step_fail(f, "%s where a reference was expected", shown(f, text));
}

void step_text(step_file *f, char text[STEP_MAX_KEYWORD + 1])
{
    size_t n = 0;
    skip_space(f);
    const char mark = *f->at;
    if (mark == '.' || mark == '\'')
        for (f->at++; *f->at && *f->at != mark; f->at++)
            if (n < STEP_MAX_KEYWORD) text[n++] = *f->at;
    text[n] = 0;
    f->at += n > 0 && *f->at == mark;
}

/* ---- keywords ---- */

static int compare_words(const void *key, const void *word)
{
    return strcmp(key, ((const step_word *)word)->name);
}

/* Tells what the keyword in the scanner's word is. */
static const step_word *find_word(const step_file *f)
{
    static const step_word other = {"", STEP_OTHER, STEP_NOTHING};
    static const step_word words[] = {
        /* sorted */
        {"ADVANCED_FACE", STEP_FACE, STEP_NOTHING},
        {"ANNOTATION_CURVE_OCCURRENCE", STEP_ANNOTATION, STEP_NOTHING},
        {"ANNOTATION_FILL_AREA_OCCURRENCE", STEP_ANNOTATION, STEP_NOTHING},
        {"ANNOTATION_OCCURRENCE", STEP_ANNOTATION, STEP_NOTHING},
        {"AXIS2_PLACEMENT_3D", STEP_PLACEMENT, STEP_NOTHING},
        {"BEZIER_CURVE", STEP_CURVE, STEP_BEZIER},
        {"BEZIER_SURFACE", STEP_SURFACE, STEP_BEZIER},
        {"BOUNDARY_CURVE", STEP_COMPOSITE, STEP_NOTHING},
        {"BOUNDED_SURFACE_CURVE", STEP_SURFACE_CURVE, STEP_NOTHING},
        {"B_SPLINE_CURVE", STEP_CURVE, STEP_BASIS},
        {"B_SPLINE_CURVE_WITH_KNOTS", STEP_CURVE, STEP_KNOTS},
        {"B_SPLINE_SURFACE", STEP_SURFACE, STEP_BASIS},
        {"B_SPLINE_SURFACE_WITH_KNOTS", STEP_SURFACE, STEP_KNOTS},
        {"CAMERA_IMAGE", STEP_CAMERA, STEP_NOTHING},
        {"CAMERA_IMAGE_3D_WITH_SCALE", STEP_CAMERA, STEP_NOTHING},
        {"CARTESIAN_POINT", STEP_POINT, STEP_NOTHING},
        {"COMPOSITE_CURVE", STEP_COMPOSITE, STEP_NOTHING},
        {"COMPOSITE_CURVE_ON_SURFACE", STEP_COMPOSITE, STEP_NOTHING},
        {"COMPOSITE_CURVE_SEGMENT", STEP_SEGMENT, STEP_NOTHING},
        {"CURVE_BOUNDED_SURFACE", STEP_BOUNDED_SURFACE, STEP_NOTHING},
        {"DEFINITIONAL_REPRESENTATION", STEP_PARAMETERS, STEP_NOTHING},
        {"DIRECTION", STEP_DIRECTION, STEP_NOTHING},
        {"DRAUGHTING_ANNOTATION_OCCURRENCE", STEP_ANNOTATION, STEP_NOTHING},
        {"EDGE_CURVE", STEP_EDGE, STEP_NOTHING},
        {"EDGE_LOOP", STEP_LOOP, STEP_NOTHING},
        {"FACE_BOUND", STEP_BOUND, STEP_NOTHING},
        {"FACE_OUTER_BOUND", STEP_BOUND, STEP_NOTHING},
        {"FACE_SURFACE", STEP_FACE, STEP_NOTHING},
        {"GEOMETRIC_CURVE_SET", STEP_SET, STEP_NOTHING},
        {"GEOMETRIC_SET", STEP_SET, STEP_NOTHING},
        {"GLOBAL_UNIT_ASSIGNED_CONTEXT", STEP_CONTEXT, STEP_NOTHING},
        {"INTERSECTION_CURVE", STEP_SURFACE_CURVE, STEP_NOTHING},
        {"LENGTH_UNIT", STEP_UNIT, STEP_NOTHING},
        {"MAPPED_ITEM", STEP_MAPPED, STEP_NOTHING},
        {"OFFSET_CURVE_3D", STEP_SWEPT, STEP_NOTHING},
        {"OFFSET_SURFACE", STEP_SWEPT, STEP_NOTHING},
        {"ORIENTED_EDGE", STEP_ORIENTED, STEP_NOTHING},
        {"OUTER_BOUNDARY_CURVE", STEP_COMPOSITE, STEP_NOTHING},
        {"QUASI_UNIFORM_CURVE", STEP_CURVE, STEP_CLAMPED},
        {"QUASI_UNIFORM_SURFACE", STEP_SURFACE, STEP_CLAMPED},
        {"RATIONAL_B_SPLINE_CURVE", STEP_CURVE, STEP_WEIGHTS},
        {"RATIONAL_B_SPLINE_SURFACE", STEP_SURFACE, STEP_WEIGHTS},
        {"RECTANGULAR_TRIMMED_SURFACE", STEP_TRIMMED_SURFACE, STEP_NOTHING},
        {"REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION", STEP_RELATION, STEP_NOTHING},
        {"SEAM_CURVE", STEP_SURFACE_CURVE, STEP_NOTHING},
        {"SURFACE_CURVE", STEP_SURFACE_CURVE, STEP_NOTHING},
        {"SURFACE_OF_LINEAR_EXTRUSION", STEP_SWEPT, STEP_NOTHING},
        {"SURFACE_OF_REVOLUTION", STEP_SWEPT, STEP_NOTHING},
        {"TRIMMED_CURVE", STEP_TRIMMED_CURVE, STEP_NOTHING},
        {"UNIFORM_CURVE", STEP_CURVE, STEP_UNIFORM},
        {"UNIFORM_SURFACE", STEP_SURFACE, STEP_UNIFORM}};
    const step_word *const found = bsearch(f->s->word, words, sizeof(words) / sizeof(words[0]),
                                           sizeof(words[0]), compare_words);
    return found ? found : &other;
}

/* Takes a keyword into the scanner's word, in capitals. */
static bool take_keyword(step_file *f)
{
    if (!take_word(f, is_word, "a keyword")) return false;
    for (char *c = f->s->word; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return true;
}

void step_begin(step_file *f, const step_instance *of)
{
    f->at = f->text + of->at;
    f->s->word_line = of->line;
    f->record = NULL;
    f->is_complex = *f->at == '(';
    f->at += f->is_complex;
}

const step_word *step_record(step_file *f)
{
    if (f->record) {
        f->at = f->record;
        if (!f->is_complex || !skip_list(f)) return NULL;
    }
    skip_space(f);
    if (*f->at == ')' || !take_keyword(f) || !expect(f, '(')) return NULL;
    f->record = f->at;
    return find_word(f);
}

const char *step_keyword(step_file *f, const step_instance *of)
{
    if (of->kind == STEP_POINT) return "CARTESIAN_POINT";
    if (of->kind == STEP_DIRECTION) return "DIRECTION";
    step_begin(f, of);
    return step_record(f) ? f->s->word : "an instance without a keyword";
}

/* ---- the index ---- */

static uint64_t id_at(const step_file *f, size_t rank)
{
    return f->instances[f->sorted ? f->sorted[rank] : rank].id;
}

size_t step_find(const step_file *f, uint64_t id)
{
    size_t low = 0, high = f->num; /* ranks */
    if (f->num == 0) return STEP_NONE;
    const uint64_t first = id_at(f, 0);
    if (id >= first && id - first < f->num && id_at(f, (size_t)(id - first)) == id)
        low = (size_t)(id - first); /* ids mostly count the instances */
    else
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            if (id_at(f, middle) <= id)
                low = middle;
            else
                high = middle;
        }
    if (id_at(f, low) != id) return STEP_NONE;
    return f->sorted ? f->sorted[low] : low;
}

/* Reads the coordinates of a point or direction, behind its '('. */
static bool index_point(step_file *f, step_instance *made)
{
    double value, point[STEP_DIM] = {0};
    made->at = f->num_reals;
    if (!step_skip(f, 1) || !step_list(f)) return false;
    for (size_t n = 0; step_item(f, &n);) {
        if (n > STEP_DIM) return step_fail(f, "a point of more than %d coordinates", STEP_DIM);
        if (!step_real(f, "a coordinate", &value)) return false;
        point[n - 1] = value;
        made->marks = (uint32_t)n;
    }
    for (int k = 0; k < STEP_DIM; k++)
        if (!spline_scan_append(f->s, &f->points, &f->num_reals, &f->point_capacity, point[k]))
            return false;
    return skip_list(f);
}

/* Takes the keyword and '(' of a record, and goes behind it. */
static bool index_record(step_file *f, step_instance *made)
{
    if (!take_keyword(f) || !expect(f, '(')) return false;
    const step_kind kind = find_word(f)->kind;
    if (kind > made->kind) made->kind = kind;
    if (!f->is_complex && (kind == STEP_POINT || kind == STEP_DIRECTION))
        return index_point(f, made);
    return skip_list(f);
}

/* Takes the records of a complex instance, and its ')'. */
static bool index_records(step_file *f, step_instance *made)
{
    f->at++;
    for (skip_space(f); *f->at && *f->at != ')'; skip_space(f))
        if (!index_record(f, made)) return false;
    if (made->kind == STEP_POINT || made->kind == STEP_DIRECTION) made->kind = STEP_OTHER;
    return expect(f, ')');
}

/* Takes an instance, from its '#' on. */
static bool index_instance(step_file *f)
{
    f->s->word_line = f->line;
    f->at++;
    step_instance made = {.id = take_id(f), .line = f->line};
    if (made.id == 0) return step_fail(f, "# without the number of an instance");
    if (!expect(f, '=')) return false;
    skip_space(f);
    made.at = (size_t)(f->at - f->text);
    f->is_complex = *f->at == '(';
    if (!(f->is_complex ? index_records(f, &made) : index_record(f, &made)) || !expect(f, ';'))
        return false;
    step_instance *moved =
        array_reserve(f->instances, &f->capacity, f->num + 1, sizeof(*f->instances));
    if (!moved) return spline_scan_memory(f->s);
    f->instances = moved;
    moved[f->num++] = made;
    return true;
}

/* Goes behind a statement's ';'. */
static bool skip_statement(step_file *f)
{
    while (skip_value(f) && (*f->at == ',' || *f->at == ')'))
        f->at++;
    return expect(f, ';');
}

/* Takes a section, from its keyword on; *is_last: there is no other one. */
static bool index_section(step_file *f, bool *is_last)
{
    f->s->word_line = f->line;
    if (!take_keyword(f)) return false;
    *is_last = strcmp(f->s->word, "END-ISO-10303-21") == 0;
    const bool is_data = strcmp(f->s->word, "DATA") == 0;
    if (!skip_statement(f)) return false;
    if (*is_last) return true;
    for (;;) {
        skip_space(f);
        f->s->word_line = f->line;
        if (*f->at == 0) return step_fail(f, "the file ends within a section");
        const bool is_end = strncmp(f->at, "ENDSEC", 6) == 0;
        const bool is_instance = is_data && *f->at == '#';
        if (is_data && !is_end && !is_instance) return expect(f, '#');
        if (!(is_instance ? index_instance(f) : skip_statement(f))) return false;
        if (is_end) return true;
    }
}

typedef struct rank {
    uint64_t id;
    size_t which;
} rank;

static int compare_ranks(const void *a, const void *b)
{
    const rank *const p = a, *const q = b;
    if (p->id != q->id) return p->id < q->id ? -1 : 1;
    return (p->which > q->which) - (p->which < q->which);
}

/* Sorts the instances by id, where they are not, and refuses two of one id. */
static bool sort_index(step_file *f)
{
    size_t rising = 1;
    while (rising < f->num && f->instances[rising].id > f->instances[rising - 1].id)
        rising++;
    if (rising >= f->num) return true;
    rank *ranks = malloc(f->num * sizeof(*ranks));
    f->sorted = malloc(f->num * sizeof(*f->sorted));
    bool done = ranks && f->sorted;
    if (!done) spline_scan_memory(f->s);
    for (size_t i = 0; done && i < f->num; i++)
        ranks[i] = (rank){f->instances[i].id, i};
    if (done) qsort(ranks, f->num, sizeof(*ranks), compare_ranks);
    for (size_t i = 0; done && i < f->num; i++) {
        f->sorted[i] = ranks[i].which;
        if (i == 0 || ranks[i].id != ranks[i - 1].id) continue;
        done = scanner_fail(f->s, f->instances[ranks[i].which].line, "#%llu stands twice",
                            (unsigned long long)ranks[i].id);
    }
    free(ranks);
    return done;
}

bool step_open(step_file *f, scanner *s)
{
    size_t count;
    bool is_last = false;
    *f = (step_file){.s = s, .line = s->line};
    f->text = scanner_rest(s, &count);
    if (!f->text) return false;
    f->at = f->text;
    f->end = f->text + count;
    if (!take_keyword(f)) return false;
    if (strcmp(s->word, "ISO-10303-21") != 0)
        return step_fail(f, "no STEP file: it does not begin with ISO-10303-21;");
    if (!expect(f, ';')) return false;
    while (!is_last)
        if (!index_section(f, &is_last)) return false;
    return sort_index(f);
}

void step_close(step_file *f)
{
    free(f->text);
    free(f->instances);
    free(f->sorted);
    free(f->points);
    *f = (step_file){.s = f->s};
}
