#include "option_table.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

const option *option_find_begin(const option *table, const char *begin, size_t length, int *number,
                                const option **another)
{
    option_walk walk = {.at = {table}};
    const option *found = option_find(table, begin, length, 0, number);
    int at = 0;
    *another = NULL;
    if (found) return found;
    for (const option *o; (o = option_next(&walk)) != NULL;) {
        if (!o->name) continue;
        if (strncmp(o->name, begin, length) == 0) {
            *another = found;
            found = o;
            *number = at;
        }
        if (*another) break;
        at++;
    }
    return found;
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
                        char text[OPTION_TEXT_BYTES])
{
    const char *word;
    size_t at = 0;
    text[0] = 0;
    for (size_t length; (length = next_word(&words, &word)) > 0;) {
        const char *before = at == 0 ? "" : words[0] ? ", " : last;
        const int written = snprintf(text + at, OPTION_TEXT_BYTES - at, "%s%s%.*s", before, prefix,
                                     (int)length, word);
        if (written < 0 || (size_t)written >= OPTION_TEXT_BYTES - at) break;
        at += (size_t)written;
    }
    return text;
}

const char *option_values(const option *o, char text[OPTION_TEXT_BYTES])
{
    if (o->must) return o->must;
    if (o->words) return option_join(o->words, "", " or ", text);
    snprintf(text, OPTION_TEXT_BYTES, "%.10g to %.10g", o->low, o->high);
    return text;
}

bool option_split(const char **text, const char *marks, char word[OPTION_WORD_BYTES])
{
    const size_t length = strcspn(*text, marks);
    if (length == 0 || length >= OPTION_WORD_BYTES) return false;
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

/* ---- reading ---- */

bool option_read_flag(void *place, const option *o, const char *text)
{
    (void)o;
    (void)text;
    return *(bool *)place = true;
}

bool option_read_text(void *place, const option *o, const char *text)
{
    (void)o;
    *(const char **)place = text;
    return true;
}

bool option_read_count(void *place, const option *o, const char *text)
{
    const unsigned long read = strtoul(text, NULL, 10);
    if (text[0] == 0 || strlen(text) > 8 || text[strspn(text, "0123456789")] != 0) return false;
    *(uint32_t *)place = (uint32_t)read;
    return (double)read >= o->low && (double)read <= o->high;
}

bool option_read_number(void *place, const option *o, const char *text)
{
    double *value = place;
    if (!o->words || strcmp(text, o->words) != 0)
        return option_number(text, o->low, o->high, value);
    *value = NAN; /* the word is "nan" */
    return true;
}

bool option_read_length(void *place, const option *o, const char *text)
{
    option_length *length = place;
    const char *unit = text + strspn(text, "+-.0123456789eE");
    char number[OPTION_WORD_BYTES];
    length->unit = *unit ? option_number_of(o->marks, unit, false) + 1 : 0;
    if ((*unit && length->unit == 0) || unit - text >= OPTION_WORD_BYTES) return false;
    snprintf(number, sizeof(number), "%.*s", (int)(unit - text), text);
    return option_number(number, DBL_MIN, DBL_MAX, &length->value);
}

bool option_read_list(void *place, const option *o, const char *text)
{
    option_list *list = place;
    char word[OPTION_WORD_BYTES];
    for (list->num = 0; text; list->num++) {
        if (list->num == OPTION_ITEMS || !option_split(&text, o->marks, word)) return false;
        double *value = &list->values[list->num];
        if (o->words) *value = option_number_of(o->words, word, false);
        if (o->marks[0] == 'x' && word[strspn(word, "0123456789")] != 0) return false;
        if (o->words ? *value < 0 : !option_number(word, o->low, o->high, value)) return false;
    }
    return (o->counts >> list->num & 1) != 0;
}

bool option_read_word(void *place, const option *o, const char *text)
{
    const int number = option_number_of(o->words, text, false);
    *(int *)place = (int)o->low + number;
    return number >= 0;
}
