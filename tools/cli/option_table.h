/* Options of the command as tables. A row has all that is known of an option: its names, what its
   value may be, what it does, where the value goes. The command line is read by the rows, and
   --help, the completions of shells and the check of the manual page are made of them. */
#ifndef CLSPLINE_TOOLS_OPTION_TABLE_H
#define CLSPLINE_TOOLS_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row: an option, or by one of the last two members a heading or the rows of another table. A row
   of zeros ends a table. */
typedef struct option {
    const char *name;     /* without its dashes */
    char letter;          /* 0: none */
    const char *argument; /* stands for the value in help; NULL: there is none */
    const char *help;     /* what it does; '@' stands for what a value may be */
    /* Reads a value, or with NULL takes the option, into its place. False: it must be another. */
    bool (*read)(void *place, const struct option *o, const char *text);
    size_t place;         /* in the request */
    double low, high;     /* bounds of numbers */
    uint32_t counts;      /* of a list: bit n for each length n that it may have */
    const char *marks;    /* letters between the items of a list, which are whole where the first is
                             x; units of a length, separated by blanks */
    const char *words;    /* values, separated by blanks, for completions; of some options all */
    const char *must;     /* what a value must be; NULL: it follows from the words or the bounds */
    const char *needs;    /* options without one of which this one makes no sense, separated by
                             blanks */
    const char *excludes; /* options that make no sense beside it, likewise */
    const char *formats;  /* of outputs without one of which it does nothing, likewise; NULL: any */
    bool repeats, is_file; /* can be given several times; the value is the name of a file */
    bool is_camera;        /* of the camera, which other things than a picture may need */
    const char *glued;     /* stands in help for a value that may be left out, and else is glued to
                              the name by =; NULL: there is none */
    const char *group;
    const struct option *rows;
} option;

enum { OPTION_ITEMS = 12, OPTION_WORD_BYTES = 64, OPTION_TEXT_BYTES = 256 };

/* Values of lists, and of lengths with a unit. Zero: not given. */
typedef struct option_list {
    size_t num;
    double values[OPTION_ITEMS]; /* numbers, or numbers of words */
} option_list;

typedef struct option_length {
    double value;
    int unit; /* its number from 1 on; 0: none */
} option_length;

/* What a row says of its value, which goes to a member of a request. */
#define OPTION_PLACE(type, member, kind)                                                           \
    .place = _Generic(((type *)0)->member, kind : offsetof(type, member))
#define OPTION_FLAG(type, member) .read = option_read_flag, OPTION_PLACE(type, member, bool)
#define OPTION_TEXT(type, member) .read = option_read_text, OPTION_PLACE(type, member, const char *)
#define OPTION_COUNT(type, member, from, to)                                                       \
    .read = option_read_count, .low = from, .high = to, OPTION_PLACE(type, member, uint32_t)
#define OPTION_NUMBER(type, member, from, to)                                                      \
    .read = option_read_number, .low = from, .high = to, OPTION_PLACE(type, member, double)
#define OPTION_LENGTH(type, member, units)                                                         \
    .read = option_read_length, .marks = units, OPTION_PLACE(type, member, option_length)
#define OPTION_LIST(type, member, between, lengths)                                                \
    .read = option_read_list, .marks = between, .counts = lengths,                                 \
    OPTION_PLACE(type, member, option_list)
/* The number of a word in the list, counted from .low, which is that of an enum's value. */
#define OPTION_WORD(type, member, list)                                                            \
    .read = option_read_word, .words = list, .place = offsetof(type, member)

bool option_read_flag(void *place, const option *o, const char *text);
bool option_read_text(void *place, const option *o, const char *text);
bool option_read_count(void *place, const option *o, const char *text);
bool option_read_number(void *place, const option *o, const char *text);
bool option_read_length(void *place, const option *o, const char *text);
bool option_read_list(void *place, const option *o, const char *text);
bool option_read_word(void *place, const option *o, const char *text);

/* A place in tables within each other, the first of which stands in at[0] at the start. */
typedef struct option_walk {
    const option *at[4];
    int depth;
} option_walk;

/* Returns the next option or heading; NULL at the end. */
const option *option_next(option_walk *w);

/* Finds an option by name or, where this is NULL, by letter; NULL: there is none. *number: its
   place among the options. */
const option *option_find(const option *table, const char *name, size_t length, char letter,
                          int *number);

/* Finds the option of a name, or the only one whose name begins so; *another: NULL, or the first of
   several that do. */
const option *option_find_begin(const option *table, const char *begin, size_t length, int *number,
                                const option **another);

/* Says what a value must be, as "2 to 100" or "f32 or f64". Returns text. */
const char *option_values(const option *o, char text[OPTION_TEXT_BYTES]);

/* Writes words, each behind a prefix, as "a, b or c" where `last` is " or ". Returns text. */
const char *option_join(const char *words, const char *prefix, const char *last,
                        char text[OPTION_TEXT_BYTES]);

/* Returns the number of a word among `words`, without regard to case where `folds`; -1: none. */
int option_number_of(const char *words, const char *word, bool folds);

/* Takes the next word of a list that is separated by one of the letters; false where it is empty or
   too long. *text then begins with the rest, or is NULL at the end. */
bool option_split(const char **text, const char *marks, char word[OPTION_WORD_BYTES]);

/* Reads a decimal number from low to high. */
bool option_number(const char *text, double low, double high, double *value);

#endif
