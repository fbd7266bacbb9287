#include "scanner.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "decimal.h"

bool scanner_fail(scanner *s, uint64_t line, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    s->failed = true;
    return io_fail(s->message, "%s:%llu: %s", s->name, (unsigned long long)line, text);
}

void scanner_init(scanner *s, FILE *file, const char *name, io_message *message)
{
    *s = (scanner){.file = file,
                   .name = name,
                   .message = message,
                   .line = 1,
                   .word_line = 1,
                   .unread = UINT64_MAX,
                   .size = UINT64_MAX};
    struct stat status;
    int descriptor = fileno(file); /* -1: a stream in memory */
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
        s->unread = s->size = (uint64_t)status.st_size;
}

/* Leaves out a byte order mark in UTF-8, which editors of some systems put before a text. */
static void skip_mark(scanner *s)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    if (s->filled >= sizeof(mark) && memcmp(s->buffer, mark, sizeof(mark)) == 0)
        s->next = sizeof(mark);
}

/* Fills the empty buffer; false at the end and on failure. */
static bool refill(scanner *s)
{
    errno = 0;
    s->next = 0;
    s->filled = fread(s->buffer, 1, sizeof(s->buffer), s->file);
    if (s->filled == 0 && ferror(s->file)) {
        s->failed = true;
        return io_fail_errno(s->message, s->name, "cannot read");
    }
    if (s->unread != UINT64_MAX) {
        s->unread -= s->filled < s->unread ? s->filled : s->unread;
        io_report(s->progress, (size_t)(s->size - s->unread), (size_t)s->size);
    }
    if (!s->begun) skip_mark(s);
    s->begun = true;
    return s->next < s->filled;
}

int scanner_peek(scanner *s)
{
    if (s->failed || (s->next == s->filled && !refill(s))) return SCANNER_END;
    if (s->buffer[s->next] == 0) {
        scanner_fail(s, s->line, "zero byte: this is not a text file");
        return SCANNER_END;
    }
    return s->buffer[s->next];
}

int scanner_take(scanner *s)
{
    int c = scanner_peek(s);
    if (c == SCANNER_END) return SCANNER_END;
    s->next++;
    if (c == '\r') {
        if (scanner_peek(s) == '\n') s->next++;
        c = '\n';
    }
    if (c == '\n') s->line++;
    return c;
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

void scanner_skip_line(scanner *s)
{
    int c = scanner_peek(s);
    while (c != SCANNER_END && c != '\n' && c != '\r') {
        s->next++;
        c = scanner_peek(s);
    }
}

size_t scanner_buffered(scanner *s, const unsigned char **bytes)
{
    if (s->failed || (s->next == s->filled && !refill(s))) return 0;
    *bytes = s->buffer + s->next;
    return s->filled - s->next;
}

bool scanner_bytes(scanner *s, void *to, size_t count)
{
    unsigned char *at = to;
    while (count > 0) {
        const unsigned char *from;
        const size_t left = scanner_buffered(s, &from), part = left < count ? left : count;
        if (left == 0)
            return !s->failed && scanner_fail(s, s->line, "the file ends within binary numbers");
        memcpy(at, from, part);
        s->next += part;
        at += part;
        count -= part;
    }
    return true;
}

/* Appends what the buffer holds to a text, and a 0. */
static bool append_buffered(scanner *s, char **text, size_t *count, size_t *capacity)
{
    const unsigned char *bytes;
    const size_t part = scanner_buffered(s, &bytes);
    char *moved = array_reserve(*text, capacity, *count + part + 1, 1);
    if (!moved) return scanner_fail(s, s->line, "not enough memory for this file");
    *text = moved;
    if (part > 0) memcpy(moved + *count, bytes, part);
    *count += part;
    moved[*count] = 0;
    s->next += part;
    return part > 0;
}

char *scanner_rest(scanner *s, size_t *count)
{
    char *text = NULL;
    size_t capacity = 0;
    *count = 0;
    while (append_buffered(s, &text, count, &capacity))
        ;
    if (!s->failed && strlen(text) < *count)
        scanner_fail(s, s->line, "zero byte: this is not a text file");
    if (!s->failed) return text;
    free(text);
    return NULL;
}

/* Cuts a comment off the word's end, where one has just begun, and leaves out the rest of the line.
 */
static void cut_comment(scanner *s, size_t *length)
{
    size_t n = *length;
    size_t mark = 0;
    if (n >= 1 && s->word[n - 1] == '#') mark = 1;
    if (n >= 2 && s->word[n - 1] == '/' && s->word[n - 2] == '/') mark = 2;
    if (mark == 0) return;
    *length = n - mark;
    scanner_skip_line(s);
}

bool scanner_word(scanner *s)
{
    size_t length = 0;
    for (int c = scanner_peek(s); c != SCANNER_END; c = scanner_peek(s)) {
        if (is_space(c)) {
            if (length > 0) break;
            scanner_take(s);
            continue;
        }
        if (length == 0) s->word_line = s->line;
        if (length == SCANNER_MAX_WORD)
            return scanner_fail(s, s->line, "word of more than %d characters", SCANNER_MAX_WORD);
        s->word[length++] = (char)scanner_take(s);
        cut_comment(s, &length);
    }
    s->word[length] = 0;
    if (length == 0) s->word_line = s->line;
    return !s->failed && length > 0;
}

const char *scanner_shown(const scanner *s, char text[SCANNER_SHOWN + 4])
{
    size_t n = 0;
    for (; s->word[n] && n < SCANNER_SHOWN; n++) {
        char c = s->word[n];
        text[n] = c;
        if (c < ' ' || c > '~') text[n] = '?';
    }
    strcpy(text + n, s->word[n] ? "..." : "");
    return text;
}

static bool need_word(scanner *s, const char *what)
{
    if (scanner_word(s)) return true;
    if (s->failed) return false;
    return scanner_fail(s, s->line, "the file ends where %s was expected", what);
}

/* Reads a number as strtod does, and one whose exponent begins with D. */
static double read_decimal(const char *word, const char **end)
{
    char copy[SCANNER_MAX_WORD + 1], *stop;
    double read;
    *end = word + decimal_read(word, &read);
    if (*end > word && **end == 0) return read;
    read = strtod(word, &stop);
    *end = stop;
    if (stop == word || (*stop != 'd' && *stop != 'D') || strpbrk(word, "eExX")) return read;
    strcpy(copy, word);
    copy[stop - word] = 'e';
    const double whole = strtod(copy, &stop);
    *end = word + (stop - copy);
    return whole;
}

bool scanner_real_here(scanner *s, const char *what, double *value)
{
    char text[SCANNER_SHOWN + 4];
    const char *end;
    const double read = read_decimal(s->word, &end);
    if (end == s->word || *end != 0 || strpbrk(s->word, "xX")) /* strtod also knows hexadecimal */
        return scanner_fail(s, s->word_line, "'%s' where %s was expected", scanner_shown(s, text),
                            what);
    if (!isfinite(read) && s->any_real) {
        *value = read;
        return true;
    }
    if (!isfinite(read))
        return scanner_fail(s, s->word_line, "'%s' is not a finite number", scanner_shown(s, text));
    if (s->floats && fabs(read) > FLT_MAX)
        return scanner_fail(s, s->word_line, "'%s' is too large for a float; use --precision f64",
                            scanner_shown(s, text));
    *value = read;
    return true;
}

bool scanner_real(scanner *s, const char *what, double *value)
{
    return need_word(s, what) && scanner_real_here(s, what, value);
}

bool scanner_count_here(scanner *s, const char *what, uint32_t max, uint32_t *value)
{
    char text[SCANNER_SHOWN + 4];
    uint64_t read = 0;
    if (s->word[strspn(s->word, "0123456789")] != 0)
        return scanner_fail(s, s->word_line, "'%s' where %s was expected", scanner_shown(s, text),
                            what);
    for (const char *digit = s->word; *digit && read <= max; digit++)
        read = 10 * read + (uint64_t)(*digit - '0');
    if (read > max)
        return scanner_fail(s, s->word_line, "%s is %s, above %lu", what, scanner_shown(s, text),
                            (unsigned long)max);
    *value = (uint32_t)read;
    return true;
}

bool scanner_count(scanner *s, const char *what, uint32_t max, uint32_t *value)
{
    return need_word(s, what) && scanner_count_here(s, what, max, value);
}

bool scanner_can_hold(const scanner *s, uint64_t numbers)
{
    if (s->unread == UINT64_MAX) return true;
    uint64_t bytes = s->unread + (s->filled - s->next);
    return numbers <= bytes / 2 + 1; /* a digit and a separator each, save after the last */
}
