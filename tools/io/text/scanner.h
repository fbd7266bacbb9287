/* Words and numbers of a text file, one after another, each with its line.

   The file is read as a stream through a small buffer and never as a whole. A byte order mark in
   UTF-8 at its head is left out. Words are separated by white space; a word that starts with '#' or
   "//" starts a comment that ends with the line, and so does '#' or "//" inside a word. A line ends
   in LF, CR LF or CR. A zero byte or a word above SCANNER_MAX_WORD characters is an error at once.
   Numbers are read as in the C locale (the program never calls setlocale), and with a D or d
   before their exponent, as Fortran writes doubles, too. */
#ifndef CLSPLINE_TOOLS_IO_SCANNER_H
#define CLSPLINE_TOOLS_IO_SCANNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "message.h"

enum {
    SCANNER_MAX_WORD = 255,
    SCANNER_SHOWN = 40, /* characters of a word that a message shows */
    SCANNER_END = -1
};

typedef struct scanner {
    FILE *file;
    const char *name; /* of the file, for messages */
    io_message *message;
    uint64_t line;      /* of the next character */
    uint64_t word_line; /* of the word read last */
    bool failed;        /* the message is written; nothing more can be read */
    bool begun;         /* something was read */
    bool floats;        /* numbers too large for a float are refused; false at the start */
    bool any_real;      /* infinities and NaN are numbers too; false at the start */
    uint64_t unread; /* bytes that the file may still hold beyond the buffer; UINT64_MAX: unknown */
    uint64_t size;   /* of the file in bytes; UINT64_MAX: unknown */
    const io_progress *progress; /* told how much is read, where the size is known; NULL: nobody */
    size_t next, filled;
    char word[SCANNER_MAX_WORD + 1];
    unsigned char buffer[16384];
} scanner;

/* Starts on a file opened for reading. file, name and message must outlive the scanner. */
void scanner_init(scanner *s, FILE *file, const char *name, io_message *message);

/* Gives the next character without taking it, or SCANNER_END at the end of the file and on failure.
 */
int scanner_peek(scanner *s);

/* Takes the next character, and gives it; CR and CR LF come as LF. */
int scanner_take(scanner *s);

/* Reads the next word into s->word. False at the end of the file and on failure (s->failed). */
bool scanner_word(scanner *s);

/* Leaves out the rest of the line. */
void scanner_skip_line(scanner *s);

/* Gives the bytes of any kind that come next, and how many there are: 0 at the end of the file and
   on failure. Who takes some adds to s->next. */
size_t scanner_buffered(scanner *s, const unsigned char **bytes);

/* Reads bytes of any kind, as they are. False, with a message, where the file has fewer. */
bool scanner_bytes(scanner *s, void *to, size_t count);

/* Reads the rest of the file into memory that the caller frees, with a 0 behind it: text, which has
   no zero byte itself. NULL with a message where it cannot be read. */
char *scanner_rest(scanner *s, size_t *count);

/* Reads a finite real number; `what` names it in messages ("a coordinate"). */
bool scanner_real(scanner *s, const char *what, double *value);

/* Reads the word that is in s->word as scanner_real does. */
bool scanner_real_here(scanner *s, const char *what, double *value);

/* Reads a whole number 0..max without a sign. */
bool scanner_count(scanner *s, const char *what, uint32_t max, uint32_t *value);

/* Reads the word that is in s->word as scanner_count does. */
bool scanner_count_here(scanner *s, const char *what, uint32_t max, uint32_t *value);

/* Whether the rest of the file is long enough for so many more numbers. True where its size is
   unknown (a pipe). */
bool scanner_can_hold(const scanner *s, uint64_t numbers);

/* Writes the word as a message may show it: short and printable. Returns text. */
const char *scanner_shown(const scanner *s, char text[SCANNER_SHOWN + 4]);

/* Fails with "NAME:LINE: message" at a line. Returns false. */
bool scanner_fail(scanner *s, uint64_t line, const char *format, ...) IO_PRINTF(3, 4);

#endif
