#include "input_kind.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "input.h"
#include "npy.h"
#include "ply_points.h"
#include "solid_file.h"

/* Tells what the ending of a name decides, where begins do not tell files apart. */
static file_kind kind_by_name(const char *path)
{
    static const struct {
        const char *ending;
        file_kind kind;
    } known[] = {{"bv", FILE_PATCHES},   {"g2", FILE_SPLINES},   {"json", FILE_SPLINES},
                 {"igs", FILE_SPLINES},  {"iges", FILE_SPLINES}, {"step", FILE_SPLINES},
                 {"stp", FILE_SPLINES},  {"brep", FILE_SPLINES}, {"csv", FILE_POINTS},
                 {"tsv", FILE_POINTS},   {"txt", FILE_POINTS},   {"dat", FILE_POINTS},
                 {"asc", FILE_POINTS},   {"pts", FILE_POINTS},   {"xyz", FILE_POINTS},
                 {"img", FILE_IMAGE},    {"hdr", FILE_IMAGE},    {"nii.gz", FILE_IMAGE},
                 {"img.gz", FILE_IMAGE}, {"hdr.gz", FILE_IMAGE}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (input_ends_in(path, known[i].ending)) return known[i].kind;
    return FILE_UNKNOWN;
}

/* Tells whether an array is rather one of points than an image. */
static bool has_points(const input *in, io_message *message)
{
    npy_header h;
    return fseek(in->file, 0, SEEK_SET) == 0 && npy_read_header(&h, in->file, in->name, message) &&
           h.num_axes == 2 && (h.shape[1] == 2 || h.shape[1] == 3);
}

/* Tells what text begins as: a list of points has a comma in its first line, and patches begin with
   a number. */
static file_kind kind_of_text(scanner *s)
{
    int c = scanner_peek(s);
    const bool is_number = isdigit(c) != 0;
    while (c != ',' && c != '\n' && c != SCANNER_END)
        c = (scanner_take(s), scanner_peek(s));
    return c == ',' ? FILE_POINTS : is_number ? FILE_PATCHES : FILE_UNKNOWN;
}

/* Finds the kind of a file by how it begins. */
static unsigned kind_by_content(const input *in)
{
    io_message message;
    scanner s;
    const unsigned char *text;
    scanner_init(&s, in->file, in->name, &message);
    if (scanner_buffered(&s, &text) > 0 && text[0] == 0x93)
        return has_points(in, &message) ? FILE_POINTS | FILE_IMAGE : FILE_IMAGE;
    const file_kind kind = foreign_kind(&s);
    if (kind) return kind;
    if (solid_file_suits(&s)) return FILE_CELLS;
    return ply_points_is(&s) ? FILE_POINTS : kind_of_text(&s);
}

/* Has standard input come from a file that can be read again. */
static bool keep_stdin(void)
{
    char block[4096];
    if (fseek(stdin, 0, SEEK_CUR) == 0) return true;
    FILE *const file = tmpfile();
    bool done = file != NULL;
    for (size_t got; done && (got = fread(block, 1, sizeof(block), stdin)) > 0;)
        done = fwrite(block, 1, got, file) == got;
    done = done && !ferror(stdin) && fflush(file) == 0 && dup2(fileno(file), STDIN_FILENO) >= 0;
    if (file) fclose(file);
    clearerr(stdin);
    rewind(stdin);
    if (!done) complain("-: cannot keep it in a temporary file");
    return done;
}

unsigned input_kind(const char *path)
{
    io_message message;
    input in;
    unsigned kind = kind_by_name(path);
    if (kind || (strcmp(path, "-") == 0 && !keep_stdin()) || !input_open(&in, path, &message))
        return kind;
    kind = kind_by_content(&in);
    if (in.file == stdin) rewind(stdin);
    input_close(&in);
    return kind;
}

const char *input_kind_name(unsigned kind)
{
    return kind == FILE_PATCHES   ? "Bezier patches"
           : kind == FILE_SPLINES ? "B-splines"
           : kind == FILE_CELLS   ? "a mesh of cells"
           : kind == FILE_IMAGE   ? "an image"
                                  : "points";
}
