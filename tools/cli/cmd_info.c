/* `clspline info`: what files of all kinds hold. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "foreign.h"
#include "image_info.h"
#include "input.h"
#include "npy.h"
#include "patch_info.h"
#include "plain_requests.h"
#include "ply_points.h"
#include "point_info.h"
#include "solid_file.h"
#include "solid_info.h"
#include "spline_info.h"

typedef enum file_kind { PATCHES, SPLINES, IMAGE, CELLS, POINTS } file_kind;

/* Tells what the ending of a name decides, where begins do not tell files apart. */
static bool find_by_name(const char *path, file_kind *kind)
{
    static const struct {
        const char *ending;
        file_kind kind;
    } known[] = {{"bv", PATCHES},  {"csv", POINTS}, {"tsv", POINTS},   {"txt", POINTS},
                 {"dat", POINTS},  {"asc", POINTS}, {"pts", POINTS},   {"xyz", POINTS},
                 {"img", IMAGE},   {"hdr", IMAGE},  {"nii.gz", IMAGE}, {"img.gz", IMAGE},
                 {"hdr.gz", IMAGE}};
    *kind = spline_info_suits(path) ? SPLINES : PATCHES;
    if (*kind != PATCHES) return true;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        *kind = known[i].kind;
        if (input_ends_in(path, known[i].ending)) return true;
    }
    *kind = PATCHES;
    return false;
}

/* Tells whether an array is rather one of points than an image. */
static bool has_points(const input *in, io_message *message)
{
    npy_header h;
    return fseek(in->file, 0, SEEK_SET) == 0 && npy_read_header(&h, in->file, in->name, message) &&
           h.num_axes == 2 && (h.shape[1] == 2 || h.shape[1] == 3);
}

/* Tells whether there is a comma in the first line, as only lists of points have one. */
static bool has_comma(scanner *s)
{
    int c = scanner_peek(s);
    while (c != ',' && c != '\n' && c != SCANNER_END)
        c = (scanner_take(s), scanner_peek(s));
    return c == ',';
}

/* Finds the kind of a file by how it begins: patches where it is none of the others. */
static file_kind find_by_content(const input *in)
{
    io_message message;
    scanner s;
    const unsigned char *text;
    scanner_init(&s, in->file, in->name, &message);
    const bool is_npy = scanner_buffered(&s, &text) > 0 && text[0] == 0x93;
    const char *reader = foreign_reader(&s);
    if (is_npy) return has_points(in, &message) ? POINTS : IMAGE;
    if (reader && strcmp(reader, "image") == 0) return IMAGE;
    if (reader && strcmp(reader, "bspline") == 0) return SPLINES;
    if (reader || solid_file_suits(&s)) return CELLS;
    return ply_points_is(&s) || has_comma(&s) ? POINTS : PATCHES;
}

static file_kind find_kind(const char *path)
{
    io_message message;
    input in;
    file_kind kind;
    if (find_by_name(path, &kind) || !input_open(&in, path, &message)) return kind;
    kind = find_by_content(&in);
    if (in.file == stdin) rewind(stdin);
    input_close(&in);
    return kind;
}

/* Has standard input come from a file that can be read again. */
static bool keep_stdin(void)
{
    char block[4096];
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

static bool show(const char *path, patch_info_device *device, json_list *json)
{
    if (strcmp(path, "-") == 0 && !keep_stdin()) return false;
    switch (find_kind(path)) {
    case SPLINES:
        return spline_info_show(path, json);
    case IMAGE:
        return image_info_show(path, json);
    case CELLS:
        return solid_info_show(path, json);
    case POINTS:
        return point_info_show(path, json);
    default:
        return patch_info_show(path, device, json);
    }
}

int info_run(request *r)
{
    patch_info_device device = {.name = r->device};
    json_list list = {.count = 0}, *json = r->json ? &list : NULL;
    bool done = true;
    for (size_t i = 0; done && i < r->num_inputs; i++)
        done = show(r->inputs[i], &device, json);
    if (done && json) done = json_list_end(json);
    clsp_context_destroy(&device.ctx);
    return done ? EXIT_OK : EXIT_FAILED;
}
