#include "spline_file.h"

#include "foreign.h"
#include "g2.h"
#include "geomdl.h"
#include "iges.h"
#include "input.h"
#include "step.h"

/* Takes white space, and gives what is behind it: an object of JSON begins with '{'. */
static int first_mark(scanner *s)
{
    int c = scanner_peek(s);
    while (c == ' ' || (c >= '\t' && c <= '\r')) {
        scanner_take(s);
        c = scanner_peek(s);
    }
    return c;
}

/* Reads a file of any format: by how it begins, else by its ending. */
static bool read_any(splines *content, scanner *s)
{
    if (foreign_is_iges(s)) return iges_read(content, s);
    if (foreign_is_step(s)) return step_read(content, s);
    if (foreign_refuse(s, ".g2, STEP, IGES or geomdl's JSON", FILE_SPLINES)) return false;
    if (input_ends_in(s->name, "igs") || input_ends_in(s->name, "iges"))
        return iges_read(content, s);
    if (input_ends_in(s->name, "step") || input_ends_in(s->name, "stp"))
        return step_read(content, s);
    const int mark = first_mark(s);
    return !s->failed && (mark == '{' ? geomdl_read(content, s) : g2_read(content, s));
}

bool spline_file_read(splines *content, FILE *file, const char *name, mesh_precision precision,
                      io_message *message)
{
    scanner scan;
    scanner_init(&scan, file, name, message);
    scan.floats = precision == MESH_F32;
    const bool done = read_any(content, &scan);
    if (!done) splines_clear(content);
    return done;
}

bool spline_file_add(splines *content, const char *path, mesh_precision precision,
                     io_message *message)
{
    input in;
    const bool done = input_open(&in, path, message) &&
                      spline_file_read(content, in.file, in.name, precision, message);
    if (!done) splines_clear(content);
    input_close(&in);
    return done;
}
