/* Files of IGES (ASME Y14.26M) in fixed ASCII form: the directory of their entities, and a cursor
   that reads parameters.

   A line has 80 columns: 73 the letter of its section, 74 to 80 its number there. Sections come in
   the order S (any text), G (global), D (two lines for each entity, 20 fields of 8 columns), P
   (parameters, in columns 1 to 64) and T, the last line. Parameters are separated by a delimiter
   and end with a terminator, which the global section may choose; texts are in Hollerith's form,
   5Htexts. A parameter that is left out is 0. Pointers to entities are the numbers of the first of
   their lines in D. */
#ifndef CLSPLINE_TOOLS_IO_IGES_FILE_H
#define CLSPLINE_TOOLS_IO_IGES_FILE_H

#include "scanner.h"

enum {
    IGES_COMPOSITE_CURVE = 102,
    IGES_PARAMETRIC_CURVE = 112, /* of cubic polynomials */
    IGES_PARAMETRIC_SURFACE = 114,
    IGES_MATRIX = 124,
    IGES_CURVE = 126,   /* B-spline */
    IGES_SURFACE = 128, /* B-spline */
    IGES_MAX_TYPE = 99999999
};

/* What the directory says of where an entity belongs. */
enum { IGES_GEOMETRY = 0, IGES_ANNOTATION, IGES_DEFINITION, IGES_OTHER, IGES_LOGICAL, IGES_FLAT };

typedef struct iges_entity {
    uint32_t type, form;
    size_t first, num; /* lines of its parameters, from 0 */
    size_t matrix;     /* the entity of a transformation that is applied to it, or IGES_NONE */
    uint8_t use;       /* one of the above; IGES_FLAT: in parameters of a surface */
    bool is_part;      /* physically dependent on another entity */
    uint32_t marks;    /* the reader's */
} iges_entity;

typedef struct iges_file {
    scanner *s;
    char *global, *data; /* of G, 72 columns a line, and of P, 64 columns */
    size_t num_global, global_capacity, num_data, data_capacity; /* characters */
    uint64_t directory_line, data_line;                          /* of the first lines of D and P */
    iges_entity *entities;
    size_t num, capacity;
    char delimiter, terminator;
    const char *begin, *at, *end; /* the cursor, and where it began */
    uint64_t line;                /* of where it began */
    size_t columns;               /* of its section */
    bool has_ended;               /* behind the terminator */
} iges_file;

#define IGES_NONE SIZE_MAX

/* Tell whether an entity is a spline. */
static inline bool iges_is_curve(const iges_entity *of)
{
    return of->type == IGES_CURVE || of->type == IGES_PARAMETRIC_CURVE;
}

static inline bool iges_is_surface(const iges_entity *of)
{
    return of->type == IGES_SURFACE || of->type == IGES_PARAMETRIC_SURFACE;
}

/* Reads the file but for the parameters of entities. False with a message; iges_close releases it
   in any case. */
bool iges_open(iges_file *f, scanner *s);
void iges_close(iges_file *f);

/* Goes to the first parameter behind the type of an entity. */
bool iges_begin(iges_file *f, const iges_entity *of);

/* Takes the next parameter into f->s->word, which is empty where it is left out. */
bool iges_parameter(iges_file *f);

/* Takes a parameter that is a number, or a pointer to an entity: IGES_NONE for 0. */
bool iges_real(iges_file *f, const char *what, double *value);
bool iges_count(iges_file *f, const char *what, uint32_t max, uint32_t *value);
bool iges_pointer(iges_file *f, size_t *which);

/* Takes a number that must be there: the entity does not end before. */
bool iges_number(iges_file *f, const char *what, double *value);

/* Leaves out some parameters. */
bool iges_skip(iges_file *f, uint32_t num);

/* Fails at the line of the cursor. Returns false. */
bool iges_fail(iges_file *f, const char *format, ...) IO_PRINTF(2, 3);

#endif
