#include "iges_file.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "spline_scan.h"

enum {
    COLUMNS = 80,
    SECTION_COLUMN = 72, /* from 0, of the letter */
    DATA_COLUMNS = 64,
    FIELD = 8 /* columns of a field of the directory */
};

bool iges_fail(iges_file *f, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return scanner_fail(f->s, f->s->word_line, "%s", text);
}

/* ---- lines ---- */

/* Reads a line of the file. False at its end, and with a message. */
static bool read_line(scanner *s, char line[COLUMNS])
{
    size_t n = 0;
    s->word_line = s->line;
    if (scanner_peek(s) == SCANNER_END) {
        if (!s->failed) scanner_fail(s, s->line, "the file ends before its last section, T");
        return false;
    }
    memset(line, ' ', COLUMNS);
    for (int c = scanner_take(s); c != '\n' && c != SCANNER_END; c = scanner_take(s), n++) {
        if (n < COLUMNS)
            line[n] = (char)c;
        else if (c != ' ')
            return scanner_fail(s, s->word_line, "a line of more than %d columns", COLUMNS);
    }
    if (s->failed) return false;
    if (n > SECTION_COLUMN) return true;
    return scanner_fail(s, s->word_line, "a line of %lu columns, which IGES files have %d of",
                        (unsigned long)n, COLUMNS);
}

/* Appends columns of a line. */
static bool append(iges_file *f, char **text, size_t *num, size_t *capacity, const char *line,
                   size_t columns)
{
    char *moved = array_reserve(*text, capacity, *num + columns, 1);
    if (!moved) return spline_scan_memory(f->s);
    *text = moved;
    memcpy(moved + *num, line, columns);
    *num += columns;
    return true;
}

/* ---- the directory ---- */

/* Reads a field, from 0, of a line; blank ones are 0. */
static bool read_field(iges_file *f, const char *line, int field, const char *what, uint32_t *value)
{
    const char *at = line + (size_t)FIELD * (size_t)field, *const end = at + FIELD;
    char *to = f->s->word;
    while (at < end && *at == ' ')
        at++;
    for (; at < end && *at != ' '; at++)
        *to++ = *at;
    *to = 0;
    return scanner_count_here(f->s, what, IGES_MAX_TYPE, value);
}

/* Reads two digits of an entity's status; 0 where there are none. */
static unsigned read_status(const char *line, int pair)
{
    const char *const at = line + (size_t)FIELD * 8 + (size_t)2 * (size_t)pair;
    const char tens = at[0] == ' ' ? '0' : at[0], ones = at[1] == ' ' ? '0' : at[1];
    if (!isdigit((unsigned char)tens) || !isdigit((unsigned char)ones)) return 0;
    return (unsigned)(10 * (tens - '0') + ones - '0');
}

/* Appends the entity of two lines. */
static bool add_entity(iges_file *f, const char first[COLUMNS], const char second[COLUMNS])
{
    uint32_t place, lines, matrix;
    iges_entity made = {.use = (uint8_t)read_status(first, 2),
                        .is_part = read_status(first, 1) % 2 == 1};
    const bool done = read_field(f, first, 0, "the type of an entity", &made.type) &&
                      read_field(f, first, 1, "the place of its parameters", &place) &&
                      read_field(f, first, 6, "a pointer to a transformation", &matrix) &&
                      read_field(f, second, 3, "the number of its lines", &lines);
    if (!done) return false;
    const bool is_negative = memchr(second + (size_t)FIELD * 4, '-', FIELD) != NULL;
    if (!is_negative && !read_field(f, second, 4, "the form of an entity", &made.form))
        return false; /* forms of planes are -1, 0 or 1 */
    if (matrix % 2 == 0 && matrix > 0) return iges_fail(f, "%u is no pointer", matrix);
    made.matrix = matrix > 0 ? matrix / 2 : IGES_NONE;
    made.first = place > 0 ? place - 1 : 0;
    made.num = place > 0 ? lines : 0;
    iges_entity *moved = array_reserve(f->entities, &f->capacity, f->num + 1, sizeof(*moved));
    if (!moved) return spline_scan_memory(f->s);
    f->entities = moved;
    moved[f->num++] = made;
    return true;
}

/* Checks the pointers of the directory. */
static bool check_directory(iges_file *f)
{
    const size_t lines = f->num_data / DATA_COLUMNS;
    for (size_t i = 0; i < f->num; i++) {
        const iges_entity *const of = &f->entities[i];
        f->s->word_line = f->directory_line + 2 * i;
        if (of->first > lines || of->num > lines - of->first)
            return iges_fail(f, "parameters in lines %lu to %lu of %lu",
                             (unsigned long)of->first + 1, (unsigned long)(of->first + of->num),
                             (unsigned long)lines);
        if (of->matrix == IGES_NONE) continue;
        if (of->matrix >= f->num || f->entities[of->matrix].type != IGES_MATRIX)
            return iges_fail(f, "%lu is no transformation (entity 124)",
                             (unsigned long)(2 * of->matrix + 1));
    }
    return true;
}

/* ---- parameters ---- */

static void begin(iges_file *f, const char *text, size_t num, uint64_t line, size_t columns)
{
    f->begin = f->at = text;
    f->end = text + num;
    f->line = line;
    f->columns = columns;
    f->has_ended = num == 0;
}

static bool is_end(const iges_file *f)
{
    return f->at == f->end || *f->at == f->delimiter || *f->at == f->terminator;
}

/* Copies a text 5Htexts, whose digits are in the word. */
static bool take_text(iges_file *f)
{
    const unsigned long length = strtoul(f->s->word, NULL, 10);
    if (length >= (unsigned long)(f->end - f->at)) return iges_fail(f, "a text without an end");
    const size_t kept = length < SCANNER_MAX_WORD ? length : SCANNER_MAX_WORD;
    memcpy(f->s->word, f->at + 1, kept);
    f->s->word[kept] = 0;
    f->at += length + 1;
    while (!is_end(f) && *f->at == ' ')
        f->at++;
    return is_end(f) || iges_fail(f, "a text of another length than it says");
}

bool iges_parameter(iges_file *f)
{
    char *const word = f->s->word;
    size_t n = 0;
    word[0] = 0;
    while (f->at < f->end && *f->at == ' ')
        f->at++;
    const bool is_behind = f->at == f->end && f->at > f->begin;
    f->s->word_line = f->line + (uint64_t)(f->at - f->begin - is_behind) / f->columns;
    if (f->has_ended) return true;
    for (; !is_end(f); f->at++) {
        word[n] = 0;
        if (*f->at == 'H' && n > 0 && word[strspn(word, "0123456789")] == 0) {
            if (!take_text(f)) return false;
            break;
        }
        if (n == SCANNER_MAX_WORD)
            return iges_fail(f, "word of more than %d characters", SCANNER_MAX_WORD);
        word[n++] = *f->at;
        word[n] = 0;
    }
    while (n > 0 && word[n - 1] == ' ')
        word[--n] = 0;
    if (f->at == f->end) return iges_fail(f, "parameters without a %c at their end", f->terminator);
    f->has_ended = *f->at == f->terminator;
    f->at++;
    return true;
}

bool iges_real(iges_file *f, const char *what, double *value)
{
    *value = 0;
    return iges_parameter(f) && (f->s->word[0] == 0 || scanner_real_here(f->s, what, value));
}

bool iges_number(iges_file *f, const char *what, double *value)
{
    if (f->has_ended) return iges_fail(f, "the entity ends where %s was expected", what);
    return iges_real(f, what, value);
}

bool iges_count(iges_file *f, const char *what, uint32_t max, uint32_t *value)
{
    char *const word = f->s->word;
    *value = 0;
    if (!iges_parameter(f)) return false;
    if (word[0] == '+') memmove(word, word + 1, strlen(word));
    return scanner_count_here(f->s, what, max, value);
}

bool iges_pointer(iges_file *f, size_t *which)
{
    uint32_t number;
    *which = IGES_NONE;
    if (!iges_count(f, "a pointer", IGES_MAX_TYPE, &number) || number == 0) return !f->s->failed;
    *which = number / 2;
    return (number % 2 == 1 && *which < f->num) ||
           iges_fail(f, "%u is no pointer to an entity of the file", number);
}

bool iges_skip(iges_file *f, uint32_t num)
{
    for (uint32_t i = 0; i < num && !f->has_ended; i++)
        if (!iges_parameter(f)) return false;
    return true;
}

bool iges_begin(iges_file *f, const iges_entity *of)
{
    uint32_t type;
    begin(f, f->data + of->first * DATA_COLUMNS, of->num * DATA_COLUMNS, f->data_line + of->first,
          DATA_COLUMNS);
    if (!iges_count(f, "the type of an entity", IGES_MAX_TYPE, &type)) return false;
    return type == of->type ||
           iges_fail(f, "parameters of an entity %u, which is %u in the directory", type, of->type);
}

/* ---- the whole ---- */

/* Takes a character that the global section chooses, as 1H, does. */
static bool take_mark(iges_file *f, char *mark)
{
    while (f->at < f->end && *f->at == ' ')
        f->at++;
    if (f->end - f->at >= 4 && f->at[0] == '1' && f->at[1] == 'H') {
        *mark = f->at[2];
        f->at += 3;
    }
    if (f->at == f->end || *f->at != f->delimiter)
        return iges_fail(f, "the global section does not begin with its delimiters");
    f->at++;
    return true;
}

/* Finds the characters that end parameters. */
static bool read_marks(iges_file *f, uint64_t line)
{
    f->delimiter = ',';
    f->terminator = ';';
    begin(f, f->global, f->num_global, line, SECTION_COLUMN);
    f->s->word_line = line;
    if (f->num_global == 0) return iges_fail(f, "a file without a global section, G");
    if (!take_mark(f, &f->delimiter) || !take_mark(f, &f->terminator)) return false;
    static const char never[] = "0123456789+-.DEH ";
    if (f->delimiter != f->terminator && !strchr(never, f->delimiter) &&
        !strchr(never, f->terminator))
        return true;
    return iges_fail(f, "the global section chooses delimiters that cannot be ones");
}

/* Puts a line where it belongs. */
static bool take_line(iges_file *f, const char line[COLUMNS], char first[COLUMNS])
{
    const uint64_t number = f->s->word_line;
    switch (line[SECTION_COLUMN]) {
    case 'G':
        return append(f, &f->global, &f->num_global, &f->global_capacity, line, SECTION_COLUMN);
    case 'D':
        if (f->directory_line == 0) f->directory_line = number;
        if ((number - f->directory_line) % 2 == 1) return add_entity(f, first, line);
        memcpy(first, line, COLUMNS);
        return true;
    case 'P':
        if (f->data_line == 0) f->data_line = number;
        return append(f, &f->data, &f->num_data, &f->data_capacity, line, DATA_COLUMNS);
    default:
        return true;
    }
}

bool iges_open(iges_file *f, scanner *s)
{
    static const char order[] = "SGDPT";
    const char *section = order;
    char line[COLUMNS], first[COLUMNS];
    uint64_t global_line = 1;
    *f = (iges_file){.s = s};
    while (*section != 'T') {
        if (!read_line(s, line)) return false;
        const char *next = memchr(order, line[SECTION_COLUMN], sizeof(order) - 1);
        if (!next || next < section)
            return iges_fail(f, "'%c' in column 73, where sections are S, G, D, P and T in turn",
                             line[SECTION_COLUMN] > ' ' && line[SECTION_COLUMN] <= '~'
                                 ? line[SECTION_COLUMN]
                                 : '?');
        if (*section == 'S' && *next != 'S') global_line = s->word_line;
        section = next;
        if (!take_line(f, line, first)) return false;
    }
    return check_directory(f) && read_marks(f, global_line);
}

void iges_close(iges_file *f)
{
    free(f->global);
    free(f->data);
    free(f->entities);
    *f = (iges_file){.s = f->s};
}
