/* A Python script of this folder in a process of its own, which answers line by line. */
#ifndef BENCH_PYTHON_PROCESS_H
#define BENCH_PYTHON_PROCESS_H

#include <stdbool.h>
#include <stdio.h>

enum { PYTHON_TEXT_MAX = 128 };

typedef struct python_process {
    int process; /* 0: none */
    FILE *to, *from;
    char about[PYTHON_TEXT_MAX]; /* its first line, or why there is none; empty: not started */
} python_process;

/* Starts a script, with a word as its argument, by $CLSPLINE_BENCH_PYTHON, or else the python3 in
   the path, or /usr/bin/python3, the first one by which its first line begins with the word; false,
   and about says why, where none does. */
bool python_start(python_process *p, const char *script, const char *word);
void python_stop(python_process *p);

/* Reads a line without its end; false where there is none. */
bool python_read(const python_process *p, char line[PYTHON_TEXT_MAX]);

/* Sends what was written and tells whether the answer is the one wanted. */
bool python_expect(const python_process *p, const char *wanted);

#endif
