#include "option_table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "command.h"
#include "request.h"

/* ---- tables ---- */

const option *option_next(option_walk *w)
{
    for (;;) {
        const option *o = w->at[w->depth]++;
        if (o->rows)
            w->at[++w->depth] = o->rows;
        else if (o->name || o->group)
            return o;
        else if (w->depth-- == 0)
            return NULL;
    }
}

const option *option_find(const option *table, const char *name, size_t length, char letter,
                          int *number)
{
    option_walk walk = {.at = {table}};
    *number = 0;
    for (const option *o; (o = option_next(&walk)) != NULL;) {
        if (!o->name) continue;
        const bool same = name ? strlen(o->name) == length && strncmp(o->name, name, length) == 0
                               : o->letter == letter;
        if (same) return o;
        ++*number;
    }
    return NULL;
}

/* ---- words ---- */

/* Takes the next of words separated by blanks; 0 at the end. Returns its length. */
static size_t next_word(const char **words, const char **word)
{
    *word = *words + strspn(*words, " ");
    const size_t length = strcspn(*word, " ");
    *words = *word + length;
    return length;
}

int option_number_of(const char *words, const char *word, bool folds)
{
    const char *known;
    int number = 0;
    for (size_t length; (length = next_word(&words, &known)) > 0; number++)
        if (strlen(word) == length &&
            (folds ? strncasecmp(known, word, length) == 0 : strncmp(known, word, length) == 0))
            return number;
    return -1;
}

const char *option_join(const char *words, const char *prefix, const char *last,
                        char text[OPTION_VALUES])
{
    const char *word;
    size_t at = 0;
    text[0] = 0;
    for (size_t length; (length = next_word(&words, &word)) > 0;) {
        const char *before = at == 0 ? "" : words[0] ? ", " : last;
        const int written =
            snprintf(text + at, OPTION_VALUES - at, "%s%s%.*s", before, prefix, (int)length, word);
        if (written < 0 || (size_t)written >= OPTION_VALUES - at) break;
        at += (size_t)written;
    }
    return text;
}

const char *option_values(const option *o, char text[OPTION_VALUES])
{
    if (o->must) return o->must;
    if (o->words) return option_join(o->words, "", " or ", text);
    snprintf(text, OPTION_VALUES, "%.10g to %.10g", o->low, o->high);
    return text;
}

bool option_split(const char **text, const char *separators, char word[OPTION_VALUE])
{
    const size_t length = strcspn(*text, separators);
    if (length == 0 || length >= OPTION_VALUE) return false;
    memcpy(word, *text, length);
    word[length] = 0;
    *text = (*text)[length] ? *text + length + 1 : NULL;
    return true;
}

/* ---- numbers ---- */

bool option_number(const char *text, double low, double high, double *value)
{
    char *end;
    size_t decimal = strspn(text, "+-.0123456789eE"); /* strtod knows more than decimals */
    *value = strtod(text, &end);
    return end != text && *end == 0 && text[decimal] == 0 && *value >= low && *value <= high;
}

bool option_count(const char *text, double low, double high, uint32_t *value)
{
    const unsigned long read = strtoul(text, NULL, 10);
    if (text[0] == 0 || strlen(text) > 8 || text[strspn(text, "0123456789")] != 0 ||
        (double)read < low || (double)read > high)
        return false;
    *value = (uint32_t)read;
    return true;
}

bool option_measure(const char *text, const char *units, double *value, int *unit)
{
    const char *rest = text + strspn(text, "+-.0123456789eE");
    char number[OPTION_VALUE];
    *unit = *rest ? option_number_of(units, rest, false) + 1 : 0;
    snprintf(number, sizeof(number), "%.*s", (int)(rest - text), text);
    return (!*rest || *unit > 0) && rest - text < OPTION_VALUE &&
           option_number(number, DBL_MIN, DBL_MAX, value);
}

size_t option_numbers(const char *text, double bound, double *numbers, size_t most)
{
    char word[OPTION_VALUE];
    for (size_t num = 0; num < most; num++) {
        if (!option_split(&text, ",", word) || !option_number(word, -bound, bound, &numbers[num]))
            return 0;
        if (!text) return num + 1;
    }
    return 0;
}

/* ---- values ---- */

/* The member of the request that an option sets. */
static void *place_of(request *r, const option *o)
{
    return (char *)r + o->place;
}

int option_read_flag(request *r, const option *o, const char *text)
{
    (void)text;
    *(bool *)place_of(r, o) = true;
    return EXIT_OK;
}

int option_read_text(request *r, const option *o, const char *text)
{
    *(const char **)place_of(r, o) = text;
    return EXIT_OK;
}

int option_read_count(request *r, const option *o, const char *text)
{
    return request_accept(r, o, text, option_count(text, o->low, o->high, place_of(r, o)));
}

int option_read_number(request *r, const option *o, const char *text)
{
    double *value = place_of(r, o);
    const bool is_nan = o->words && strcmp(text, o->words) == 0; /* the word is "nan" */
    const bool valid = is_nan || option_number(text, o->low, o->high, value);
    if (is_nan) *value = NAN;
    return request_accept(r, o, text, valid);
}

int option_read_word(request *r, const option *o, const char *text)
{
    const int number = option_number_of(o->words, text, false);
    if (number >= 0) *(int *)place_of(r, o) = (int)o->low + number;
    return request_accept(r, o, text, number >= 0);
}
