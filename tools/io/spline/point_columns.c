#include "point_columns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NO_COLUMN = -1, SEVERAL_COLUMNS = -2, MAX_DIGITS = 9 };

static const char axes[POINT_COLUMNS_MAX + 1] = "xyzw";

/* ---- what is asked for ---- */

/* Takes the next name of those between commas, without white space around it; false at the end. */
static bool next_asked(const char **rest, const char **name, size_t *length)
{
    if (!*rest) return false;
    const size_t whole = strcspn(*rest, ",");
    *name = *rest + strspn(*rest, " \t");
    *length = *name < *rest + whole ? whole - (size_t)(*name - *rest) : 0;
    while (*length > 0 && strchr(" \t", (*name)[*length - 1]))
        --*length;
    *rest = (*rest)[whole] ? *rest + whole + 1 : NULL;
    return true;
}

/* Reads a column's number, from 1 on; false where the name is none. */
static bool read_number(const char *name, size_t length, size_t *column)
{
    if (length == 0 || length > MAX_DIGITS || strspn(name, "0123456789") < length) return false;
    *column = strtoul(name, NULL, 10);
    return (*column)-- > 0;
}

bool point_columns_init(point_columns *c, uint32_t dim, const char *asked, io_message *message)
{
    const char *rest = asked, *name;
    size_t length;
    uint32_t num = 0;
    *c = (point_columns){.dim = dim, .asked = asked, .is_chosen = asked != NULL};
    for (uint32_t k = 0; k < dim; k++)
        c->column[k] = k;
    for (; next_asked(&rest, &name, &length); num++) {
        if (length == 0) return io_fail(message, "--columns: a name is missing");
        if (num < dim) read_number(name, length, &c->column[num]);
    }
    if (!asked || num == dim) return true;
    return io_fail(message, "--columns: %u column%s where points have %u coordinates", num,
                   num == 1 ? "" : "s", dim);
}

/* ---- headings ---- */

/* Tells whether the columns in question hold no number. */
static bool is_heading_line(const point_columns *c, const fields *line)
{
    uint32_t numbers = 0;
    for (uint32_t k = 0; k < c->dim; k++)
        if (c->column[k] < line->num && fields_is_number(line, c->column[k])) numbers++;
    if (numbers == 0 || c->is_chosen) return numbers == 0;
    return line->num != c->dim && line->field[0][0] && !fields_is_number(line, 0);
}

/* Finds the column of a name, or several of them. */
static int find_name(const fields *line, const char *name, size_t length)
{
    int found = NO_COLUMN;
    for (size_t i = 0; i < line->num; i++)
        if (strlen(line->field[i]) == length && strncmp(line->field[i], name, length) == 0)
            found = found == NO_COLUMN ? (int)i : SEVERAL_COLUMNS;
    return found;
}

/* Tells whether a name is that of an axis: the letter alone or, `loosely`, at the beginning or the
   end, apart from letters and digits. */
static bool is_axis(const char *name, char axis, bool loosely)
{
    const size_t length = strlen(name);
    if (length == 0) return false;
    const bool begins = tolower((unsigned char)name[0]) == axis;
    const bool ends = tolower((unsigned char)name[length - 1]) == axis;
    if (!loosely || length == 1) return begins && length == 1;
    return (begins && !isalnum((unsigned char)name[1])) ||
           (ends && !isalnum((unsigned char)name[length - 2]));
}

/* Finds the column of an axis: of its letter, or else of a name that has it. */
static int find_axis(const fields *line, char axis)
{
    int found = NO_COLUMN;
    for (int loosely = 0; loosely < 2 && found == NO_COLUMN; loosely++)
        for (size_t i = 0; i < line->num; i++)
            if (is_axis(line->field[i], axis, loosely))
                found = found == NO_COLUMN ? (int)i : SEVERAL_COLUMNS;
    return found;
}

/* Takes the columns that are asked for by name or number. Returns the number of those found; a
   message names the first that is not, unless there is to be none. */
static uint32_t take_asked(point_columns *c, const fields *line, bool silent)
{
    const char *rest = c->asked, *name;
    size_t length;
    uint32_t num = 0;
    for (uint32_t k = 0; k < c->dim && next_asked(&rest, &name, &length); k++) {
        const int found = find_name(line, name, length);
        if (found >= 0) c->column[k] = (size_t)found;
        if (found >= 0 || (found == NO_COLUMN && read_number(name, length, &c->column[k])))
            num++;
        else if (!silent)
            return scanner_fail(line->scan, line->line, "the heading has %s column '%.*s'",
                                found == NO_COLUMN ? "no" : "more than one", (int)length, name);
    }
    return num;
}

/* Takes the columns of the axes. Returns whether all are there. */
static bool take_axes(point_columns *c, const int found[POINT_COLUMNS_MAX])
{
    for (uint32_t k = 0; k < c->dim; k++)
        if (found[k] < 0) return false;
    for (uint32_t k = 0; k < c->dim; k++)
        c->column[k] = (size_t)found[k];
    return c->is_chosen = true;
}

/* Finds the columns of all axes. Returns what speaks against taking them, or the first ones, and
   of which axis; NULL: nothing. */
static const char *find_axes(const point_columns *c, const fields *line,
                             int found[POINT_COLUMNS_MAX], char *axis)
{
    bool all = true;
    for (uint32_t k = 0; k < POINT_COLUMNS_MAX; k++) {
        found[k] = find_axis(line, axes[k]);
        if (k < c->dim && found[k] < 0) all = false;
    }
    for (uint32_t k = 0; k < POINT_COLUMNS_MAX - 1; k++) { /* w may be a weight */
        *axis = axes[k];
        if (k >= c->dim && found[k] != NO_COLUMN) return "which points have not";
        if (k < c->dim && found[k] == SEVERAL_COLUMNS) return "more than once";
        if (!all && found[k] >= 0 && found[k] != (int)k) return "out of place, and not all others";
    }
    return NULL;
}

void point_columns_take_remark(point_columns *c, const fields *line)
{
    int found[POINT_COLUMNS_MAX];
    char axis;
    point_columns taken = *c;
    taken.num_names = line->num;
    if (c->asked ? take_asked(&taken, line, true) == c->dim
                 : !find_axes(c, line, found, &axis) && take_axes(&taken, found))
        *c = taken;
}

static bool take_heading(point_columns *c, const fields *line)
{
    int found[POINT_COLUMNS_MAX];
    char axis;
    if (c->asked && take_asked(c, line, false) < c->dim) return false;
    c->num_names = line->num;
    if (c->asked) return true;
    const char *why = find_axes(c, line, found, &axis);
    if (why)
        return scanner_fail(line->scan, line->line, "the heading has %c, %s: --columns chooses",
                            axis, why);
    if (!take_axes(c, found)) c->num_names = 0;
    return true;
}

bool point_columns_take_first(point_columns *c, const fields *line, bool *is_heading)
{
    const scanner *s = line->scan;
    point_columns plain = *c;
    const bool had_remark = c->num_names == line->num;
    if (!had_remark && !point_columns_init(&plain, c->dim, c->asked, s->message)) return false;
    *c = plain; /* a comment of other names is none of columns */
    *is_heading = is_heading_line(c, line);
    if (*is_heading) return take_heading(c, line);
    if (had_remark || !c->asked) return true;
    return point_columns_take_numbers(c, s->name, line->num, s->message);
}

/* ---- columns without names ---- */

bool point_columns_take_numbers(point_columns *c, const char *name, uint64_t num,
                                io_message *message)
{
    const char *rest = c->asked, *asked;
    size_t length;
    for (uint32_t k = 0; next_asked(&rest, &asked, &length); k++) {
        if (!read_number(asked, length, &c->column[k]))
            return io_fail(message, "%s: there is no heading with a column '%.*s'", name,
                           (int)length, asked);
        if (c->column[k] >= num)
            return io_fail(message, "%s: there is no column %.*s of %llu", name, (int)length, asked,
                           (unsigned long long)num);
    }
    return true;
}
