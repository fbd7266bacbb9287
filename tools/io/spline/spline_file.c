#include "spline_file.h"

#include "cad_process.h"
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

static bool names_cad(const char *path)
{
    static const char *const endings[] = {"step", "stp", "igs", "iges", "brep"};
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        if (input_ends_in(path, endings[i])) return true;
    return false;
}

/* Reads what clspline-cad makes of a file of which the beginning was looked at. */
static bool read_cad(splines *content, const scanner *s, const char *path)
{
    if (s->file == stdin && fseek(stdin, 0, SEEK_SET) != 0)
        return io_fail(s->message, "%s: CAD files are not read from a pipe", s->name);
    FILE *made = cad_process_open(path, !content->without_mesh, content->deflection, s->message);
    const mesh_precision precision = s->floats ? MESH_F32 : MESH_F64;
    const bool done = made && spline_file_read(content, made, s->name, precision, s->message);
    if (made) fclose(made);
    return done;
}

/* Reads a file of any format: by how it begins, CAD files also by their ending; path: NULL reads
   none of these. */
static bool read_any(splines *content, scanner *s, const char *path)
{
    if (path && (foreign_is_cad(s) || names_cad(path))) return read_cad(content, s, path);
    if (foreign_refuse(s, ".g2, STEP, IGES or geomdl's JSON", FILE_SPLINES)) return false;
    const int mark = first_mark(s);
    return !s->failed && (mark == '{' ? geomdl_read(content, s) : g2_read(content, s));
}

static bool read_stream(splines *content, const input *in, const char *path,
                        mesh_precision precision, io_message *message)
{
    scanner scan;
    scanner_init(&scan, in->file, in->name, message);
    scan.floats = precision == MESH_F32;
    const bool done = read_any(content, &scan, path);
    if (!done) splines_clear(content);
    return done;
}

bool spline_file_read(splines *content, FILE *file, const char *name, mesh_precision precision,
                      io_message *message)
{
    return read_stream(content, &(input){file, name}, NULL, precision, message);
}

bool spline_file_add(splines *content, const char *path, mesh_precision precision,
                     io_message *message)
{
    input in;
    const bool done =
        input_open(&in, path, message) && read_stream(content, &in, path, precision, message);
    if (!done) splines_clear(content);
    input_close(&in);
    return done;
}
