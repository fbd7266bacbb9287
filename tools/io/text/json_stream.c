#include "json_stream.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "utf8.h"

enum { MAX_DEPTH = 64 }; /* of values within each other */

/* The text of a value. */
typedef struct json_text {
    char *bytes;
    size_t count, capacity;
} json_text;

/* The next character that is not white space, not taken, and its line as that of the value. */
static int next_mark(scanner *s)
{
    int c = scanner_peek(s);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        scanner_take(s);
        c = scanner_peek(s);
    }
    s->word_line = s->line;
    return c;
}

/* Fails at the next character, which is not what should be there. */
static bool fail_here(scanner *s, const char *what)
{
    const int c = next_mark(s);
    if (s->failed) return false;
    if (c == SCANNER_END)
        return scanner_fail(s, s->line, "the file ends where %s was expected", what);
    if (c < ' ' || c > '~')
        return scanner_fail(s, s->line, "a character of code %d where %s was expected", c, what);
    return scanner_fail(s, s->line, "'%c' where %s was expected", c, what);
}

/* ---- values ---- */

static bool append(scanner *s, json_text *to)
{
    char *moved = array_reserve(to->bytes, &to->capacity, to->count + 1, 1);
    if (!moved) return scanner_fail(s, s->line, "not enough memory for this file");
    to->bytes = moved;
    moved[to->count++] = (char)scanner_take(s);
    return true;
}

/* Takes a string, whose first quote comes next. */
static bool take_string(scanner *s, json_text *to)
{
    bool escaped = false, open = append(s, to);
    while (open && !s->failed) {
        const int c = scanner_peek(s);
        if (s->failed) return false;
        if (c == SCANNER_END || c < ' ')
            return scanner_fail(s, s->line, "a string that does not end on its line");
        open = (c != '"' || escaped) && append(s, to);
        escaped = c == '\\' && !escaped;
    }
    return !s->failed && append(s, to);
}

/* Takes a number, or a word such as true. */
static bool take_plain(scanner *s, const char *what, json_text *to)
{
    size_t count = 0;
    for (int c = scanner_peek(s); c > ' ' && !strchr(",:\"[]{}", c); c = scanner_peek(s), count++)
        if (!append(s, to)) return false;
    return !s->failed && (count > 0 || fail_here(s, what));
}

/* Takes the text of a value up to where it ends, by its brackets and quotes. */
static bool take_text(scanner *s, const char *what, json_text *to)
{
    size_t depth = 0;
    do {
        const int c = depth > 0 ? scanner_peek(s) : next_mark(s);
        const bool opens = c == '{' || c == '[';
        const bool is_mark = opens || (depth > 0 && c > 0 && strchr(",:}] \t\r\n", c));
        if (opens && depth++ == MAX_DEPTH)
            return scanner_fail(s, s->line, "more than %d values within each other", MAX_DEPTH);
        if (!(is_mark ? append(s, to) : c == '"' ? take_string(s, to) : take_plain(s, what, to)))
            return false;
        if (depth > 0 && (c == '}' || c == ']')) depth--;
        what = "a value";
    } while (depth > 0);
    return true;
}

cJSON *json_value(scanner *s, const char *what)
{
    json_text text = {.bytes = NULL};
    char shown[SCANNER_SHOWN + 4];
    const char *end = NULL;
    cJSON *made = NULL;
    next_mark(s);
    uint64_t line = s->word_line;
    if (take_text(s, what, &text)) {
        made = cJSON_ParseWithLengthOpts(text.bytes, text.count, &end, false);
        if (!made || end != text.bytes + text.count) {
            for (const char *c = text.bytes; c < end; c++)
                if (*c == '\n') line++;
            snprintf(s->word, sizeof(s->word), "%.*s", (int)(text.bytes + text.count - end), end);
            scanner_fail(s, line, "'%s' is no JSON", scanner_shown(s, shown));
            cJSON_Delete(made);
            made = NULL;
        }
        s->word_line = line;
    }
    free(text.bytes);
    return made;
}

bool json_real_of(scanner *s, const cJSON *value, const char *what, double *real)
{
    *real = cJSON_GetNumberValue(value); /* NaN where it is none */
    if (!cJSON_IsNumber(value))
        return scanner_fail(s, s->word_line, "no number where %s was expected", what);
    if (!isfinite(*real)) return scanner_fail(s, s->word_line, "%s is not a finite number", what);
    if (!s->floats || fabs(*real) <= FLT_MAX) return true;
    return scanner_fail(s, s->word_line, "'%g' is too large for a float; use --precision f64",
                        *real);
}

bool json_read_real(scanner *s, const char *what, double *value)
{
    cJSON *read = json_value(s, what);
    const bool done = read && json_real_of(s, read, what, value);
    cJSON_Delete(read);
    return done;
}

bool json_read_count(scanner *s, const char *what, uint32_t max, uint32_t *value)
{
    double real;
    if (!json_read_real(s, what, &real)) return false;
    if (real > max)
        return scanner_fail(s, s->word_line, "%s is %.10g, above %lu", what, real,
                            (unsigned long)max);
    *value = real >= 0 ? (uint32_t)real : 0;
    return *value == real ||
           scanner_fail(s, s->word_line, "'%.10g' where %s was expected", real, what);
}

bool json_read_word(scanner *s, const char *what)
{
    if (next_mark(s) != '"') return fail_here(s, what);
    cJSON *read = json_value(s, what);
    if (read) utf8_copy(s->word, cJSON_GetStringValue(read), sizeof(s->word));
    cJSON_Delete(read);
    return read != NULL;
}

/* ---- containers ---- */

bool json_open(scanner *s, char kind, const char *what)
{
    if (next_mark(s) != kind) return fail_here(s, what);
    scanner_take(s);
    return true;
}

/* Takes what stands before the next member, or the end; false at the end and on failure. */
static bool next_member(scanner *s, char end, size_t *count)
{
    const int c = next_mark(s);
    if (c == end) {
        scanner_take(s);
        return false;
    }
    if (*count > 0) {
        if (c != ',') return fail_here(s, end == '}' ? "',' or '}'" : "',' or ']'");
        scanner_take(s);
    }
    (*count)++;
    return !s->failed;
}

bool json_next_key(scanner *s, size_t *count)
{
    if (!next_member(s, '}', count) || !json_read_word(s, "a key in quotes")) return false;
    if (next_mark(s) != ':') return fail_here(s, "':'");
    scanner_take(s);
    return true;
}

bool json_next_item(scanner *s, size_t *count)
{
    return next_member(s, ']', count);
}

bool json_skip(scanner *s)
{
    cJSON *value = json_value(s, "a value");
    cJSON_Delete(value);
    return value != NULL;
}

bool json_end(scanner *s)
{
    if (next_mark(s) != SCANNER_END) return fail_here(s, "the end of the file");
    return !s->failed;
}
