#include "fields.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"

void fields_init(fields *f, scanner *scan)
{
    f->scan = scan;
    f->separator = 0;
    f->num = 0;
}

static bool is_blank(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- lines ---- */

/* Tells whether a field may begin here, and so a quote: behind white space or a separator. */
static bool is_between(const fields *f)
{
    if (f->length == 0) return true;
    const int last = f->text[f->length - 1];
    return !f->quoted[f->length - 1] && (is_blank(last) || last == ',' || last == ';');
}

static bool append(fields *f, int c, bool quoted)
{
    if (f->length == FIELDS_MAX_LINE)
        return scanner_fail(f->scan, f->line, "a line of more than %d characters", FIELDS_MAX_LINE);
    f->quoted[f->length] = quoted;
    f->text[f->length++] = (char)c;
    return true;
}

/* Takes what stands in quotes, the first of which is taken. */
static bool take_quoted(fields *f)
{
    const uint64_t line = f->scan->line;
    for (;;) {
        int c = scanner_take(f->scan);
        if (c == SCANNER_END)
            return !f->scan->failed && scanner_fail(f->scan, line, "a quote that does not end");
        if (c == '"' && scanner_peek(f->scan) != '"') return !f->scan->failed;
        if (c == '"') scanner_take(f->scan);
        if (!append(f, c, true)) return false;
    }
}

/* Leaves out the rest of the line, a comment; the text of a line that is nothing else is kept. */
static void take_comment(fields *f)
{
    f->is_cut = true;
    while (f->length > 0 && is_blank(f->text[f->length - 1]))
        f->length--;
    f->is_remark = f->length == 0;
    for (int c = scanner_peek(f->scan); c != SCANNER_END && c != '\n' && c != '\r';
         c = scanner_peek(f->scan)) {
        scanner_take(f->scan);
        if (f->is_remark && f->length < FIELDS_MAX_LINE) append(f, c, false);
    }
}

/* Takes a character outside of quotes. Quotes become zeros, which no text has. */
static bool take_plain(fields *f, int c)
{
    if (c == '"' && is_between(f))
        return append(f, 0, true) && take_quoted(f) && append(f, 0, true);
    const bool is_second =
        c == '/' && f->length > 0 && f->text[f->length - 1] == '/' && !f->quoted[f->length - 1];
    if (is_second) f->length--;
    if (is_second || c == '#')
        take_comment(f);
    else
        return append(f, c, false);
    return !f->scan->failed;
}

/* Takes the characters that stand for themselves anywhere but in a comment; the rest is for
   take_plain. */
static void take_span(fields *f)
{
    const unsigned char *from;
    size_t n = 0, most = scanner_buffered(f->scan, &from);
    if (most > FIELDS_MAX_LINE - f->length) most = FIELDS_MAX_LINE - f->length;
    while (n < most && (from[n] >= '0' || from[n] == ',' || from[n] == '.' || from[n] == '-'))
        n++;
    memset(f->quoted + f->length, 0, n * sizeof(f->quoted[0]));
    if (n > 0) memcpy(f->text + f->length, from, n);
    f->length += n;
    f->scan->next += n;
}

/* Tells whether there is anything but white space. */
static bool has_text(const fields *f)
{
    for (size_t i = 0; i < f->length; i++)
        if (f->quoted[i] || !is_blank(f->text[i])) return true;
    return false;
}

bool fields_read_line(fields *f)
{
    int c = 0;
    while (c != SCANNER_END) {
        f->length = 0;
        f->is_remark = f->is_cut = false;
        f->line = f->scan->line;
        take_span(f);
        while ((c = scanner_take(f->scan)) != SCANNER_END && c != '\n') {
            if (!take_plain(f, c)) return false;
            take_span(f);
        }
        if (f->scan->failed) return false;
        if (has_text(f)) return true;
    }
    return false;
}

/* ---- fields ---- */

static int find_separator(const fields *f)
{
    for (size_t i = 0; i < f->length; i++)
        if (!f->quoted[i] && (f->text[i] == ',' || f->text[i] == ';')) return f->text[i];
    return ' ';
}

/* Adds the field from one place to another, without white space around it and its quotes. */
static bool add(fields *f, size_t begin, size_t end)
{
    while (begin < end && !f->quoted[begin] && is_blank(f->text[begin]))
        begin++;
    while (begin < end && !f->quoted[end - 1] && is_blank(f->text[end - 1]))
        end--;
    if (f->num == FIELDS_MAX)
        return scanner_fail(f->scan, f->line, "a line of more than %d fields", FIELDS_MAX);
    f->text[end] = 0;
    if (begin < end && f->quoted[begin] && f->text[begin] == 0) {
        f->field[f->num] = f->text + begin + 1; /* the second quote is a 0 too */
        if (begin + 2 + strlen(f->field[f->num]) < end)
            return scanner_fail(f->scan, f->line, "something behind a field in quotes");
    } else {
        f->field[f->num] = f->text + begin;
    }
    f->num++;
    return true;
}

/* Divides the line where white space ends a field. */
static bool split_at_blanks(fields *f)
{
    size_t i = 0;
    while (i < f->length) {
        while (i < f->length && !f->quoted[i] && is_blank(f->text[i]))
            i++;
        const size_t begin = i;
        while (i < f->length && (f->quoted[i] || !is_blank(f->text[i])))
            i++;
        if (begin < i && !add(f, begin, i)) return false;
        i++; /* add has put a 0 there */
    }
    return true;
}

void fields_forget_separator(fields *f)
{
    f->separator = 0;
}

bool fields_split(fields *f)
{
    size_t begin = 0;
    f->num = 0;
    if (f->separator == 0) f->separator = find_separator(f);
    if (f->separator == ' ') return split_at_blanks(f);
    for (size_t i = 0; i < f->length; i++) {
        if (f->text[i] != f->separator || f->quoted[i]) continue;
        if (!add(f, begin, i)) return false;
        begin = i + 1;
    }
    return add(f, begin, f->length);
}

/* ---- numbers ---- */

/* Leaves out white space within a line. */
static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* Reads the numbers of a line that ends in LF. Returns how many; 0: it is not only numbers. */
static size_t read_numbers(const char *p, int separator, double *values, size_t most)
{
    for (size_t num = 0; num < most;) {
        p = skip_blanks(p);
        const size_t length = decimal_read(p, &values[num]);
        if (length == 0 || !isfinite(values[num])) return 0;
        num++;
        const char *const behind = skip_blanks(p + length);
        if (*behind == '\n' || (*behind == '\r' && behind[1] == '\n')) return num;
        if (separator == ' ' ? behind == p + length : *behind != separator) return 0;
        p = behind + (separator != ' ');
    }
    return 0;
}

bool fields_read_numbers(fields *f, double *values, size_t least, size_t most)
{
    const unsigned char *from;
    const size_t left = f->separator ? scanner_buffered(f->scan, &from) : 0;
    const unsigned char *const end = left > 0 ? memchr(from, '\n', left) : NULL;
    if (!end || read_numbers((const char *)from, f->separator, values, most) < least) return false;
    f->scan->next += (size_t)(end - from) + 1;
    f->scan->line++;
    return true;
}

bool fields_real(fields *f, size_t number, const char *what, double *value)
{
    scanner *s = f->scan;
    const char *text = f->field[number];
    s->word_line = f->line;
    if (!*text) return scanner_fail(s, f->line, "an empty field");
    if (strlen(text) > SCANNER_MAX_WORD)
        return scanner_fail(s, f->line, "a number of more than %d characters", SCANNER_MAX_WORD);
    strcpy(s->word, text);
    if (strpbrk(text, " \t") && fields_is_number(f, number))
        return scanner_fail(s, f->line, "a separator is missing");
    return scanner_real_here(s, what, value);
}

bool fields_is_number(const fields *f, size_t number)
{
    const char *text = f->field[number];
    char *end;
    strtod(text, &end);
    return end != text && (*end == 0 || !isalpha((unsigned char)text[0]));
}
