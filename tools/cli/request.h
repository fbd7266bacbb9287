/* What every subcommand is: its table of options, its texts, and what its command line asks for. */
#ifndef CLSPLINE_TOOLS_REQUEST_H
#define CLSPLINE_TOOLS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "foreign.h"
#include "mesh.h"
#include "option_table.h"
#include "sharing.h"

/* A row of an option that chooses among the published methods; without these no row. */
#if CLSPLINE_METHODS
#define OPTION_OF_METHODS(...) __VA_ARGS__
#else
#define OPTION_OF_METHODS(...)                                                                     \
    .rows = (const option[])                                                                       \
    {                                                                                              \
        {                                                                                          \
            .name = NULL                                                                           \
        }                                                                                          \
    }
#endif

enum { REQUEST_MAX_OPTIONS = 64 };

/* What all requests begin with. */
typedef struct request {
    const struct subcommand *command;
    const struct subcommand *const *variants; /* all of its name, which NULL ends */
    int argc; /* arguments as they were typed, behind the subcommand's name: */
    char **argv;
    const char **inputs; /* [num_inputs]; "-": standard input */
    size_t num_inputs;
    const char **outputs; /* [num_outputs]; "-": standard output */
    size_t num_outputs;
    int format;     /* of "-": as request_format numbers it; 0: not given */
    uint64_t given; /* a bit for each option of the table, and its last value: */
    const char *values[REQUEST_MAX_OPTIONS];
    uint32_t part, num_parts; /* of --part K/N; 0: the whole */
    bool resume;
    const char *report_to; /* "json": standard error, or a file's name; NULL: no JSON */
    double started;        /* by seconds_now */
    mesh_precision precision;
    const char *device;
    const char *only; /* faces of CAD files, as cad_filter.h has it; NULL: all */
    sharing_request sharing;
    bool json, quiet, verbose, help;
    bool has_camera; /* which decides on something, if there is no picture */
} request;

typedef struct subcommand {
    const char *name;    /* of the job, as it is typed */
    const char *of;      /* where several subcommands have that name: what files of this one have */
    unsigned kinds;      /* of files that it takes first, bits of file_kind; 0: any */
    const char *summary; /* in the list of commands */
    const char *usage;   /* what follows the name, a line each way */
    const char *about;   /* one or more paragraphs */
    const option *options;
    const char *const *examples; /* end in NULL; the first is shown without arguments: */
    const char *result;          /* what comes out of it */
    const char *input;           /* what it reads, for complaints; NULL: nothing */
    const char *endings;         /* of files that it reads, separated by blanks */
    bool one_input;
    const char *second;   /* what it reads behind that, from a file of its own; NULL: nothing */
    const char *instead;  /* an option with which there may be no output */
    size_t request_bytes; /* of its request, which begins with the part above */
    const void *defaults; /* a request; NULL: all zero */
    /* Checks what no row of the table can, and may be NULL. EXIT_OK, or else with a complaint. */
    int (*check)(request *r);
    int (*run)(request *r); /* returns the exit status */
} subcommand;

/* Reads the arguments behind the subcommand's name into *r, which has its defaults, and room for as
   many inputs and outputs. Long names may be cut where they stay clear, and letters joined, as
   getopt_long has it. EXIT_OK, or EXIT_USAGE with a complaint. With --help, nothing else is looked
   at. */
int request_read(request *r, int argc, char **argv);

/* Returns the first of the arguments that is no option and no value of one, by the tables of
   several subcommands, which end in NULL; NULL: there is none. */
const char *request_first_input(const subcommand *const *variants, int argc, char **argv);

/* Tells whether an option was given. */
bool request_has(const request *r, const char *name);

/* The format of an output, or of "-": the number of its word in the row of --format, from 1 on; 0:
   none of them. */
int request_format(const request *r, const char *path);

/* Tells whether an output has one of some formats, words of the row of --format. */
bool request_makes(const request *r, const char *formats);

/* How much of what the library says the user wants to see. */
verbosity request_verbosity(const request *r);

/* ---- rows that several tables have ---- */

#define OPTION_OUTPUT(text) "output", 'o', "OUT", text, .read = request_read_output, .is_file = true
#define OPTION_FORMAT(list)                                                                        \
    "format", 'f', "FORMAT", "the format of -o -: @", .read = request_read_format, .words = list
#define OPTION_PRECISION(text)                                                                     \
    "precision", 'p', "P", "numbers to compute with: @; " text, .read = request_read_precision,    \
                                                                .words = "f32 f64"

#define OPTION_COLUMNS(type, member)                                                               \
    "columns", 0, "LIST",                                                                          \
        "which columns of the points' file are the coordinates: names of its heading or numbers "  \
        "from 1 on, as in 'x,y,z' or '3,1,2'; default those that the heading calls x, y and z, "   \
        "else the first ones",                                                                     \
        OPTION_TEXT(type, member)

extern const option request_device[];   /* --device */
extern const option request_only[];     /* --only */
extern const option request_workers[];  /* --workers, --join */
extern const option request_report[];   /* --report=json */
extern const option request_sharing[];  /* --workers, --join, --cooperate and --report */
extern const option request_parts[];    /* --part, --resume */
extern const option request_json[];     /* --json */
extern const option request_messages[]; /* --quiet, --verbose */
extern const option request_help[];     /* --help */

bool request_read_output(void *place, const option *o, const char *text);
bool request_read_format(void *place, const option *o, const char *text);
bool request_read_precision(void *place, const option *o, const char *text);

#endif
