#include "spline_file.h"

#include "foreign.h"
#include "g2.h"
#include "geomdl.h"
#include "input.h"

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

bool spline_file_read(splines *content, FILE *file, const char *name, mesh_precision precision,
                      io_message *message)
{
    scanner scan;
    scanner_init(&scan, file, name, message);
    scan.floats = precision == MESH_F32;
    const int mark =
        foreign_refuse(&scan, ".g2 or to geomdl's JSON", NULL) ? SCANNER_END : first_mark(&scan);
    const bool done =
        !scan.failed && (mark == '{' ? geomdl_read(content, &scan) : g2_read(content, &scan));
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
