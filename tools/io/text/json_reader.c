#include "json_reader.h"

#include <string.h>

enum { MAX_DEPTH = 64 }; /* of containers in a value that is skipped */

static bool is_blank(int c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next character that is not white space, not taken, and its line as that of the value. */
static int next_mark(scanner *s)
{
    int c = scanner_peek(s);
    while (is_blank(c)) {
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

/* ---- strings ---- */

static void append(scanner *s, size_t *length, int c)
{
    if (*length < SCANNER_MAX_WORD) s->word[(*length)++] = (char)c;
    s->word[*length] = 0;
}

/* Takes the four digits of \uXXXX; -1 on failure. */
static int take_code(scanner *s)
{
    int code = 0;
    for (int i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const int c = scanner_peek(s);
        const char *found = c > 0 ? strchr(digits, c) : NULL;
        if (!found) {
            fail_here(s, "a hexadecimal digit");
            return -1;
        }
        code = 16 * code + (int)((found - digits) % 16);
        scanner_take(s);
    }
    return code;
}

/* Takes what stands behind a backslash. */
static bool take_escape(scanner *s, size_t *length)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const int c = scanner_peek(s);
    const char *found = c > 0 ? strchr(names, c) : NULL;
    if (c == 'u') {
        scanner_take(s);
        const int code = take_code(s);
        append(s, length, code > 0 && code < 0x80 ? code : '?');
        return code >= 0;
    }
    if (!found) return fail_here(s, "the name of an escape");
    scanner_take(s);
    append(s, length, values[found - names]);
    return true;
}

bool json_read_word(scanner *s, const char *what)
{
    size_t length = 0;
    s->word[0] = 0;
    if (next_mark(s) != '"') return fail_here(s, what);
    scanner_take(s);
    for (int c = scanner_peek(s); c != '"'; c = scanner_peek(s)) {
        if (s->failed) return false;
        if (c == SCANNER_END || c < ' ')
            return scanner_fail(s, s->word_line, "a string that does not end on its line");
        scanner_take(s);
        if (c == '\\') {
            if (!take_escape(s, &length)) return false;
        } else {
            append(s, &length, c < 0x80 ? c : '?');
        }
    }
    scanner_take(s);
    return true;
}

/* ---- numbers and words ---- */

static bool is_plain(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '-' || c == '.';
}

/* Takes a number, or one of the words true, false and null, into s->word. */
static bool take_plain(scanner *s, const char *what)
{
    size_t length = 0;
    s->word[0] = 0;
    if (!is_plain(next_mark(s))) return fail_here(s, what);
    while (is_plain(scanner_peek(s))) {
        if (length == SCANNER_MAX_WORD)
            return scanner_fail(s, s->line, "number of more than %d characters", SCANNER_MAX_WORD);
        append(s, &length, scanner_take(s));
    }
    return !s->failed;
}

/* Whether s->word is a number by the grammar, which has no leading zeros, no "1." and no "+1". */
static bool is_number(const char *word)
{
    const char *c = word + (word[0] == '-');
    size_t digits = strspn(c, "0123456789");
    if (digits == 0 || (c[0] == '0' && digits > 1)) return false;
    c += digits;
    if (*c == '.') {
        digits = strspn(c + 1, "0123456789");
        if (digits == 0) return false;
        c += 1 + digits;
    }
    if (*c == 'e' || *c == 'E') {
        c += c[1] == '+' || c[1] == '-' ? 2 : 1;
        digits = strspn(c, "0123456789");
        if (digits == 0) return false;
        c += digits;
    }
    return *c == 0;
}

static bool read_number(scanner *s, const char *what)
{
    char text[SCANNER_SHOWN + 4];
    if (!take_plain(s, what)) return false;
    if (is_number(s->word)) return true;
    return scanner_fail(s, s->word_line, "'%s' where %s was expected", scanner_shown(s, text),
                        what);
}

bool json_read_real(scanner *s, const char *what, double *value)
{
    return read_number(s, what) && scanner_real_here(s, what, value);
}

bool json_read_count(scanner *s, const char *what, uint32_t max, uint32_t *value)
{
    return read_number(s, what) && scanner_count_here(s, what, max, value);
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

/* Reads over a value that is no container. */
static bool skip_plain(scanner *s)
{
    char text[SCANNER_SHOWN + 4];
    if (next_mark(s) == '"') return json_read_word(s, "a string");
    if (!take_plain(s, "a value")) return false;
    if (is_number(s->word) || strcmp(s->word, "true") == 0 || strcmp(s->word, "false") == 0 ||
        strcmp(s->word, "null") == 0)
        return true;
    return scanner_fail(s, s->word_line, "'%s' where a value was expected", scanner_shown(s, text));
}

bool json_skip(scanner *s)
{
    struct {
        bool is_object;
        size_t count;
    } open[MAX_DEPTH];
    size_t depth = 0;
    do {
        const int c = next_mark(s);
        if (c == '{' || c == '[') {
            if (depth == MAX_DEPTH)
                return scanner_fail(s, s->line, "more than %d values within each other", MAX_DEPTH);
            scanner_take(s);
            open[depth].is_object = c == '{';
            open[depth++].count = 0;
        } else if (!skip_plain(s)) {
            return false;
        }
        while (depth > 0 &&
               !(open[depth - 1].is_object ? json_next_key(s, &open[depth - 1].count)
                                           : json_next_item(s, &open[depth - 1].count))) {
            if (s->failed) return false;
            depth--;
        }
    } while (depth > 0);
    return true;
}

bool json_end(scanner *s)
{
    if (next_mark(s) != SCANNER_END) return fail_here(s, "the end of the file");
    return !s->failed;
}
