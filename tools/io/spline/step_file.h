/* Files of ISO 10303-21, STEP's text form: an index of the instances, and a cursor that reads their
   parameters.

   A file is "ISO-10303-21;", sections that end with ENDSEC;, and "END-ISO-10303-21;". Sections DATA
   hold instances in any order,

       #12 = KEYWORD(parameter, ..);                    a simple one
       #13 = (KEYWORD(parameter, ..) KEYWORD(..) ..);   a complex one, of several records

   and a parameter is a number, a text in ', bits in ", an .ENUMERATION., a reference #12, a list in
   parentheses, a value with its type KEYWORD(value), $ or *. Comments stand between slashes with
   stars. Coordinates of points are kept when the index is made; all else is read where it stands.

   Memory is at most some times the file's, and the work linear in its size: nothing recurs, and
   lists are walked however deep they are. Messages have the line where an instance begins. */
#ifndef CLSPLINE_TOOLS_IO_STEP_FILE_H
#define CLSPLINE_TOOLS_IO_STEP_FILE_H

#include "scanner.h"

enum { STEP_MAX_KEYWORD = 60, STEP_DIM = 3 };

/* What an instance is to the reader. Of a complex one it is the greatest of its records'. */
typedef enum step_kind {
    STEP_OTHER = 0,
    STEP_POINT,           /* CARTESIAN_POINT */
    STEP_PLACEMENT,       /* AXIS2_PLACEMENT_3D */
    STEP_DIRECTION,       /* DIRECTION, kept as a point */
    STEP_SWEPT,           /* made from a curve or surface */
    STEP_SURFACE_CURVE,   /* a curve in space and in parameters */
    STEP_COMPOSITE,       /* of segments */
    STEP_SEGMENT,         /* of a composite curve */
    STEP_TRIMMED_CURVE,   /* a part of a curve */
    STEP_TRIMMED_SURFACE, /* a rectangle of a surface */
    STEP_BOUNDED_SURFACE, /* a part of a surface, within curves */
    STEP_CURVE,           /* a B-spline */
    STEP_SURFACE,         /* a B-spline */
    STEP_BOUND,           /* of a face, with a loop */
    STEP_LOOP,            /* of oriented edges */
    STEP_ORIENTED,        /* an edge in a direction */
    STEP_EDGE,            /* with a curve */
    STEP_FACE,            /* with a surface */
    STEP_SET,             /* of curves or surfaces, the model itself */
    STEP_PARAMETERS,      /* items in the parameters of a surface */
    STEP_CONTEXT,         /* names the units */
    STEP_UNIT,            /* of length */
    STEP_RELATION,        /* places a part in an assembly */
    STEP_ANNOTATION,      /* a curve or a set of some that is a note in the drawing */
    STEP_MAPPED,          /* places a copy of a representation */
    STEP_CAMERA           /* a view, which is a MAPPED_ITEM too */
} step_kind;

/* What a record has of a spline. */
typedef enum step_part {
    STEP_NOTHING = 0,
    STEP_BASIS,   /* degrees and control points */
    STEP_KNOTS,   /* and all of a simple instance */
    STEP_BEZIER,  /* knots of Bezier pieces, and all of a simple instance; so are these two */
    STEP_UNIFORM, /* equidistant knots */
    STEP_CLAMPED, /* equidistant knots, the ends repeated */
    STEP_WEIGHTS
} step_part;

typedef struct step_word {
    const char *name;
    step_kind kind;
    step_part part;
} step_word;

typedef struct step_instance {
    uint64_t id, line;
    size_t at; /* of what is behind the '=', in the text; of points, in the coordinates */
    step_kind kind;
    uint32_t marks; /* the reader's; of points, the number of coordinates */
} step_instance;

typedef struct step_file {
    scanner *s;
    char *text;
    const char *end; /* of the text, a 0 */
    const char *at;  /* the cursor */
    uint64_t line;   /* of the cursor while the index is made */
    step_instance *instances;
    size_t num, capacity;
    size_t *sorted; /* instances by rising id; NULL: they are in that order */
    double *points; /* [..][STEP_DIM] */
    size_t num_reals, point_capacity;
    const char *record; /* the parameters of the record that was entered last; NULL: none yet */
    bool is_complex;
} step_file;

#define STEP_NONE SIZE_MAX

/* Reads the file and makes the index. False with a message; step_close releases it in any case. */
bool step_open(step_file *f, scanner *s);
void step_close(step_file *f);

/* Finds an instance by its id; STEP_NONE. */
size_t step_find(const step_file *f, uint64_t id);

/* Fails with a message at the instance that was begun last. Returns false. */
bool step_fail(step_file *f, const char *format, ...) IO_PRINTF(2, 3);

/* Begins with an instance, so that step_record goes to the first parameter of its next record and
   gives what its keyword is; NULL behind the last one. */
void step_begin(step_file *f, const step_instance *of);
const step_word *step_record(step_file *f);

/* Puts the keyword of an instance's first record into f->s->word. */
const char *step_keyword(step_file *f, const step_instance *of);

/* Takes a '(', so that step_item tells whether there is one more item before the ')', which it
   takes. *n counts them and is 0 at first. */
bool step_list(step_file *f);
bool step_item(step_file *f, size_t *n);

/* Tells whether a list comes next. */
bool step_is_list(step_file *f);

/* Takes a keyword where it comes next. */
bool step_is_word(step_file *f, const char *word);

/* Leaves out some parameters with the commas behind them, where there are more. */
bool step_skip(step_file *f, int num);

/* Leaves out a parameter or item. */
bool step_value(step_file *f);

/* Takes the comma before a parameter, or the ')' behind one with a type. */
bool step_comma(step_file *f);
bool step_end(step_file *f);

/* Takes a number, or a reference to an instance: STEP_NONE where there is none of that id. */
bool step_count(step_file *f, const char *what, uint32_t max, uint32_t *value);
bool step_real(step_file *f, const char *what, double *value);
bool step_reference(step_file *f, size_t *which);

/* Takes a reference where one comes next, and fails in no case. */
bool step_may_refer(step_file *f, size_t *which);

/* Copies an enumeration's word or a text's bytes, "" where none comes next. */
void step_text(step_file *f, char text[STEP_MAX_KEYWORD + 1]);

#endif
