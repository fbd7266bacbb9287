/* Options of the command as tables. A row has all that is known of an option: its names, what its
   value may be, what it does, where the value goes. The command line is read by the rows, and
   --help, the completions of shells and the check of the manual page are made of them. */
#ifndef CLSPLINE_TOOLS_OPTION_TABLE_H
#define CLSPLINE_TOOLS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request;

/* A row: an option, or by one of the last two members a heading or the rows of another table. */
typedef struct option {
    const char *name;     /* without its dashes */
    char letter;          /* 0: none */
    const char *argument; /* stands for the value in help; NULL: there is none */
    const char *help;     /* what it does; '@' stands for what a value may be */
    /* Reads a value, or with NULL takes the option. EXIT_OK, or EXIT_USAGE with a complaint. */
    int (*read)(struct request *r, const struct option *o, const char *text);
    size_t place;          /* of the value in the request */
    double low, high;      /* bounds of a number */
    const char *words;     /* values, separated by blanks, for completions; of some options all */
    const char *must;      /* what a value must be; NULL: it follows from the words or the bounds */
    const char *needs;     /* an option without which this one makes no sense */
    const char *excludes;  /* options that make no sense beside it, separated by blanks */
    bool repeats, is_file; /* can be given several times; the value is the name of a file */
    const char *group;
    const struct option *rows;
} option;

/* What a row says of its value, which goes to a member of a request. */
#define OPTION_PLACE(type, member, kind)                                                           \
    .place = _Generic(((type *)0)->member, kind : offsetof(type, member))
#define OPTION_FLAG(type, member) .read = option_read_flag, OPTION_PLACE(type, member, bool)
#define OPTION_TEXT(type, member) .read = option_read_text, OPTION_PLACE(type, member, const char *)
#define OPTION_COUNT(type, member, from, to)                                                       \
    .read = option_read_count, .low = from, .high = to, OPTION_PLACE(type, member, uint32_t)
#define OPTION_NUMBER(type, member, from, to)                                                      \
    .read = option_read_number, .low = from, .high = to, OPTION_PLACE(type, member, double)
/* The number of a word in the list, counted from .low, which is that of an enum's value. */
#define OPTION_WORD(type, member, list)                                                            \
    .read = option_read_word, .words = list, .place = offsetof(type, member)

#define OPTION_GROUP(title)                                                                        \
    {                                                                                              \
        .group = title                                                                             \
    }
#define OPTION_ROWS(table)                                                                         \
    {                                                                                              \
        .rows = table                                                                              \
    }
#define OPTION_END                                                                                 \
    {                                                                                              \
        .name = NULL                                                                               \
    }

int option_read_flag(struct request *r, const option *o, const char *text);
int option_read_text(struct request *r, const option *o, const char *text);
int option_read_count(struct request *r, const option *o, const char *text);
int option_read_number(struct request *r, const option *o, const char *text);
int option_read_word(struct request *r, const option *o, const char *text);

/* ---- tables ---- */

/* A place in a table, whose first row stands in at[0] at the start. */
typedef struct option_walk {
    const option *at[4]; /* in tables within each other */
    int depth;
} option_walk;

/* Returns the next option or heading; NULL at the end. */
const option *option_next(option_walk *w);

/* Finds an option by name or, where this is 0, by letter. *number: its place among the options.
   NULL: there is none. */
const option *option_find(const option *table, const char *name, size_t length, char letter,
                          int *number);

/* ---- values ---- */

enum {
    OPTION_VALUES = 256,
    OPTION_VALUE = 64
}; /* room for option_values, and for a word of a list */

/* Says what a value must be, as "2 to 100" or "f32 or f64". Returns text. */
const char *option_values(const option *o, char text[OPTION_VALUES]);

/* Writes words, each behind a prefix, as "a, b or c" where `last` is " or ". Returns text. */
const char *option_join(const char *words, const char *prefix, const char *last,
                        char text[OPTION_VALUES]);

/* Returns the number of a word among `words`, without regard to case where `folds`; -1: none. */
int option_number_of(const char *words, const char *word, bool folds);

/* Reads a decimal number from low to high, or a whole one without a sign. */
bool option_number(const char *text, double low, double high, double *value);
bool option_count(const char *text, double low, double high, uint32_t *value);

/* Reads a number above 0, alone or with one of the units; *unit: its number from 1 on, 0 for none.
 */
bool option_measure(const char *text, const char *units, double *value, int *unit);

/* Takes the next word of a list that is separated by one of the letters; false where it is empty or
   too long. *text then begins with the rest, or is NULL at the end. */
bool option_split(const char **text, const char *separators, char word[OPTION_VALUE]);

/* Reads up to `most` numbers of at most `bound` either way, separated by commas, and returns how
   many; 0 for what is no such list. */
size_t option_numbers(const char *text, double bound, double *numbers, size_t most);

#endif
