#include "build_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* What compilers call a text that has no file. */
static const char *const nameless[] = {"<kernel>:", "input.cl:", "<program source>:", "<source>:"};

enum { NAME_MAX_LENGTH = 63 };

typedef struct place {
    char file[NAME_MAX_LENGTH + 1];
    unsigned long line;
} place;

/* Finds where line `wanted` of the text, from 1 on, came from, by the #line mark before it. */
static place find_place(const char *source, unsigned long wanted)
{
    place p = {"", 1};

    for (unsigned long line = 1; line < wanted && *source; line++, p.line++) {
        unsigned long next;
        char file[NAME_MAX_LENGTH + 1];
        if (sscanf(source, "#line %lu \"%63[^\"]\"", &next, file) == 2) {
            strcpy(p.file, file);
            p.line = next - 1; /* the loop counts it up to the mark's line, which is the next one */
        }
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    return p;
}

/* Returns the length of a nameless text's name at the start of a log, 0 when there is none. */
static size_t nameless_length(const char *text)
{
    for (size_t i = 0; i < CLSPI_COUNT(nameless); i++) {
        const size_t length = strlen(nameless[i]);
        if (strncmp(text, nameless[i], length) == 0) return length;
    }
    return 0;
}

/* Copies the log to out, which may be NULL to count; returns the length. */
static size_t rewrite(const char *source, const char *log, char *out)
{
    size_t used = 0;

    while (*log) {
        const size_t length = nameless_length(log);
        char *end = NULL;
        const unsigned long line = length ? strtoul(log + length, &end, 10) : 0;
        if (length && end > log + length && *end == ':') {
            const place p = find_place(source, line);
            char text[NAME_MAX_LENGTH + 32];
            const int n = snprintf(text, sizeof text, "%s:%lu", p.file, p.line);
            if (out) memcpy(out + used, text, (size_t)n);
            used += (size_t)n;
            log = end;
        } else {
            if (out) out[used] = *log;
            used++;
            log++;
        }
    }
    if (out) out[used] = '\0';
    return used;
}

char *clspi_build_log_place(const char *source, const char *log)
{
    char *const out = malloc(rewrite(source, log, NULL) + 1);

    if (out) rewrite(source, log, out);
    return out;
}
