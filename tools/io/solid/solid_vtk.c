/* Unstructured grids of VTK's legacy files, in text and binary. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "solid_file.h"
#include "utf8.h"
#include "vtk_cells.h"
#include "vtk_number.h"

typedef enum data_items { DATA_NONE, DATA_POINTS, DATA_CELLS } data_items;

typedef struct legacy_file {
    scanner *s;
    solid_cells *cells;
    vtk_cells listed;
    bool is_binary, has_offsets;
    data_items data; /* what data are of */
    uint32_t count;  /* of these points or cells */
} legacy_file;

/* ---- numbers ---- */

/* Takes white space up to the end of the line, where binary numbers begin. */
static void end_line(scanner *s)
{
    for (int c = scanner_peek(s); c == ' ' || c == '\t' || c == '\r' || c == '\n';
         c = scanner_peek(s))
        if (scanner_take(s) == '\n') return;
}

/* Reads a name of a type and gets ready for numbers of it. */
static bool read_type(legacy_file *f, npy_type *type)
{
    char text[SCANNER_SHOWN + 4];
    if (!solid_scan_word(f->s, "a type of numbers")) return false;
    if (vtk_number_find(f->s->word, type)) return true;
    return scanner_fail(f->s, f->s->word_line, "'%s' where a type of numbers was expected",
                        scanner_shown(f->s, text));
}

static bool read_number(legacy_file *f, npy_type type, double *value)
{
    unsigned char bytes[8];
    if (!f->is_binary) return scanner_real(f->s, "a number", value);
    const npy_header number = {.type = type, .is_big = true};
    if (!scanner_bytes(f->s, bytes, npy_type_bytes(type))) return false;
    *value = npy_get(&number, bytes);
    return true;
}

static bool read_integers(legacy_file *f, npy_type type, uint32_t count, vtk_integers *list)
{
    double value;
    for (uint32_t i = 0; i < count; i++)
        if (!read_number(f, type, &value) || !vtk_integers_append(list, f->s, value)) return false;
    return true;
}

static bool read_count(legacy_file *f, const char *what, uint32_t *count)
{
    return scanner_count(f->s, what, INT32_MAX, count);
}

/* ---- geometry ---- */

static bool read_points(legacy_file *f)
{
    uint32_t count;
    npy_type type;
    double p[3] = {0};
    if (!read_count(f, "a number of points", &count) || !read_type(f, &type)) return false;
    if (f->is_binary) end_line(f->s);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            if (!read_number(f, type, &p[k])) return false;
        if (!solid_cells_point(f->cells, p[0], p[1], p[2])) return solid_scan_memory(f->s);
    }
    return true;
}

/* Reads cells as the number of vertices and them, one after another. */
static bool read_counted_cells(legacy_file *f, uint32_t count, uint32_t total)
{
    const npy_type type = NPY_S32;
    double num;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_number(f, type, &num)) return false;
        if (!(num >= 0 && num < SOLID_MAX_CELL) || num + 1 > total)
            return scanner_fail(f->s, f->s->word_line, "cell %u has %g vertices", (unsigned)i, num);
        total -= 1 + (uint32_t)num;
        if (!read_integers(f, type, (uint32_t)num, &f->listed.index) ||
            !vtk_integers_append(&f->listed.ends, f->s, (double)f->listed.index.count))
            return false;
    }
    return total == 0 ||
           scanner_fail(f->s, f->s->line, "%u numbers of cells too many", (unsigned)total);
}

/* Reads cells of version 5: where each begins, behind the word OFFSETS, and all vertices. */
static bool read_offset_cells(legacy_file *f, uint32_t count, uint32_t total)
{
    npy_type type;
    double value;
    if (!read_type(f, &type)) return false;
    if (f->is_binary) end_line(f->s);
    for (uint32_t i = 0; i < count; i++)
        if (!read_number(f, type, &value) ||
            (i > 0 && !vtk_integers_append(&f->listed.ends, f->s, value)))
            return false;
    if (!solid_scan_word(f->s, "CONNECTIVITY")) return false;
    if (strcasecmp(f->s->word, "CONNECTIVITY") != 0)
        return scanner_fail(f->s, f->s->word_line, "CONNECTIVITY was expected");
    if (!read_type(f, &type)) return false;
    if (f->is_binary) end_line(f->s);
    return read_integers(f, type, total, &f->listed.index);
}

static bool read_cells(legacy_file *f)
{
    uint32_t count, total;
    if (!read_count(f, "a number of cells", &count) || !read_count(f, "a number", &total))
        return false;
    end_line(f->s);
    if (!f->has_offsets) return read_counted_cells(f, count, total);
    return solid_scan_word(f->s, "OFFSETS") && read_offset_cells(f, count, total);
}

static bool read_types(legacy_file *f)
{
    uint32_t count;
    if (!read_count(f, "a number of cells", &count)) return false;
    if (f->is_binary) end_line(f->s);
    return read_integers(f, NPY_S32, count, &f->listed.types);
}

/* ---- data ---- */

/* Reads so many numbers for each of `count` items, as an array where it is of points or cells. */
static bool read_array(legacy_file *f, const char *name, npy_type type, uint32_t each,
                       uint32_t count)
{
    double value = 0;
    solid_array *a = NULL;
    if (f->data != DATA_NONE && each > 0) {
        a = f->data == DATA_POINTS ? solid_cells_array(f->cells, name, each)
                                   : solid_cells_data(f->cells, name, each);
        if (!a) return solid_scan_memory(f->s);
        a->is_whole = npy_type_is_whole(type);
    }
    if (f->is_binary) end_line(f->s);
    f->s->any_real = f->data == DATA_CELLS;
    for (uint64_t i = 0; i < (uint64_t)each * count; i++) {
        if (!read_number(f, type, &value)) return false;
        if (a && !solid_array_append(a, value)) return solid_scan_memory(f->s);
    }
    f->s->any_real = false;
    return true;
}

/* Decodes %XX in place, by which VTK writes bytes that no word may have. */
static void decode_name(char *name)
{
    char *to = name;
    for (const char *from = name; *from; to++) {
        unsigned code = 0;
        const bool is_code = from[0] == '%' && isxdigit((unsigned char)from[1]) &&
                             isxdigit((unsigned char)from[2]) &&
                             sscanf(from + 1, "%2x", &code) == 1 && code > 0;
        *to = is_code ? (char)code : *from;
        from += is_code ? 3 : 1;
    }
    *to = 0;
}

static bool take_name(legacy_file *f, char name[SOLID_MAX_NAME])
{
    if (!solid_scan_word(f->s, "a name")) return false;
    decode_name(f->s->word);
    utf8_copy(name, f->s->word, SOLID_MAX_NAME);
    return true;
}

/* Tells whether there is something more in this line. */
static bool line_goes_on(scanner *s)
{
    int c = scanner_peek(s);
    while (c == ' ' || c == '\t') {
        scanner_take(s);
        c = scanner_peek(s);
    }
    return c != '\n' && c != '\r' && c != SCANNER_END;
}

static bool read_scalars(legacy_file *f)
{
    char name[SOLID_MAX_NAME];
    npy_type type;
    uint32_t each = 1;
    if (!take_name(f, name) || !read_type(f, &type)) return false;
    if (line_goes_on(f->s) && !scanner_count(f->s, "a number of components", 4, &each))
        return false;
    if (!solid_scan_word(f->s, "LOOKUP_TABLE")) return false;
    if (strcasecmp(f->s->word, "LOOKUP_TABLE") != 0)
        return scanner_fail(f->s, f->s->word_line, "LOOKUP_TABLE was expected");
    return solid_scan_word(f->s, "a name") && read_array(f, name, type, each, f->count);
}

/* Leaves out lines up to an empty one. */
static bool skip_metadata(legacy_file *f)
{
    do {
        scanner_skip_line(f->s);
        end_line(f->s);
    } while (line_goes_on(f->s));
    return !f->s->failed;
}

/* Takes the name of an array of a field, behind what is told of the one before. */
static bool take_array_name(legacy_file *f, char name[SOLID_MAX_NAME])
{
    if (!take_name(f, name)) return false;
    while (strcasecmp(name, "METADATA") == 0)
        if (!skip_metadata(f) || !take_name(f, name)) return false;
    return true;
}

/* Reads the arrays of a field. */
static bool read_field(legacy_file *f)
{
    char name[SOLID_MAX_NAME];
    uint32_t arrays, each, count;
    npy_type type;
    if (!take_name(f, name) || !read_count(f, "a number of arrays", &arrays)) return false;
    for (uint32_t i = 0; i < arrays; i++)
        if (!take_array_name(f, name) ||
            !scanner_count(f->s, "a number of components", 1024, &each) ||
            !read_count(f, "a number of values", &count) || !read_type(f, &type) ||
            !read_array(f, name, type, each, count))
            return false;
    return true;
}

/* Reads an array of a fixed number of components, or with 0 of one that is told. */
static bool read_tuples(legacy_file *f, uint32_t each)
{
    char name[SOLID_MAX_NAME];
    npy_type type;
    if (!take_name(f, name)) return false;
    if (each == 0 && !scanner_count(f->s, "a number of components", 3, &each)) return false;
    return read_type(f, &type) && read_array(f, name, type, each, f->count);
}

/* Leaves out a table of colours, or colours themselves. */
static bool skip_colors(legacy_file *f, bool is_table)
{
    char name[SOLID_MAX_NAME];
    uint32_t num;
    if (!take_name(f, name) || !read_count(f, "a number", &num)) return false;
    const data_items data = f->data;
    f->data = DATA_NONE;
    const bool done = is_table ? read_array(f, name, NPY_U8, 4, num)
                               : read_array(f, name, NPY_U8, num < 5 ? num : 4, f->count);
    f->data = data;
    return done;
}

/* ---- the file ---- */

typedef enum legacy_word {
    WORD_NONE,
    WORD_POINTS,
    WORD_CELLS,
    WORD_CELL_TYPES,
    WORD_POINT_DATA,
    WORD_CELL_DATA,
    WORD_SCALARS,
    WORD_FIELD,
    WORD_TABLE,
    WORD_COLORS,
    WORD_TRIPLES,
    WORD_TENSORS,
    WORD_HALF_TENSORS,
    WORD_TEXTURE,
    WORD_IDS,
    WORD_METADATA
} legacy_word;

static legacy_word find_word(const char *word)
{
    static const struct {
        const char *name;
        legacy_word word;
    } known[] = {{"POINTS", WORD_POINTS},         {"CELLS", WORD_CELLS},
                 {"CELL_TYPES", WORD_CELL_TYPES}, {"POINT_DATA", WORD_POINT_DATA},
                 {"CELL_DATA", WORD_CELL_DATA},   {"SCALARS", WORD_SCALARS},
                 {"FIELD", WORD_FIELD},           {"LOOKUP_TABLE", WORD_TABLE},
                 {"COLOR_SCALARS", WORD_COLORS},  {"VECTORS", WORD_TRIPLES},
                 {"NORMALS", WORD_TRIPLES},       {"TENSORS", WORD_TENSORS},
                 {"TENSORS6", WORD_HALF_TENSORS}, {"TEXTURE_COORDINATES", WORD_TEXTURE},
                 {"GLOBAL_IDS", WORD_IDS},        {"PEDIGREE_IDS", WORD_IDS},
                 {"METADATA", WORD_METADATA}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcasecmp(word, known[i].name) == 0) return known[i].word;
    return WORD_NONE;
}

static bool read_data_head(legacy_file *f, bool of_points)
{
    f->data = of_points ? DATA_POINTS : DATA_CELLS;
    return read_count(f, "a number of items", &f->count);
}

static bool read_section(legacy_file *f)
{
    char text[SCANNER_SHOWN + 4];
    switch (find_word(f->s->word)) {
    case WORD_POINTS:
        return read_points(f);
    case WORD_CELLS:
        return read_cells(f);
    case WORD_CELL_TYPES:
        return read_types(f);
    case WORD_POINT_DATA:
        return read_data_head(f, true);
    case WORD_CELL_DATA:
        return read_data_head(f, false);
    case WORD_SCALARS:
        return read_scalars(f);
    case WORD_FIELD:
        return read_field(f);
    case WORD_TABLE:
        return skip_colors(f, true);
    case WORD_COLORS:
        return skip_colors(f, false);
    case WORD_TRIPLES:
        return read_tuples(f, 3);
    case WORD_TENSORS:
        return read_tuples(f, 9);
    case WORD_HALF_TENSORS:
        return read_tuples(f, 6);
    case WORD_TEXTURE:
        return read_tuples(f, 0);
    case WORD_IDS:
        return read_tuples(f, 1);
    case WORD_METADATA:
        return skip_metadata(f);
    default:
        return scanner_fail(f->s, f->s->word_line, "'%s' where a section was expected",
                            scanner_shown(f->s, text));
    }
}

/* Takes the first two lines: the version, and a title. From version 5 on cells have offsets. */
static void take_title(legacy_file *f)
{
    int last = ' ';
    for (int c = scanner_peek(f->s); c != SCANNER_END && c != '\n' && c != '\r';
         c = scanner_peek(f->s)) {
        if (last == ' ' && c >= '5' && c <= '9') f->has_offsets = true;
        last = scanner_take(f->s);
    }
    scanner_take(f->s);
    scanner_skip_line(f->s);
    scanner_take(f->s);
}

/* Reads the lines before the first section. */
static bool read_head(legacy_file *f)
{
    char text[SCANNER_SHOWN + 4];
    take_title(f);
    if (!solid_scan_word(f->s, "ASCII or BINARY")) return false;
    f->is_binary = strcasecmp(f->s->word, "BINARY") == 0;
    if (!f->is_binary && strcasecmp(f->s->word, "ASCII") != 0)
        return scanner_fail(f->s, f->s->word_line, "'%s' where ASCII or BINARY was expected",
                            scanner_shown(f->s, text));
    if (!solid_scan_word(f->s, "DATASET") || !solid_scan_word(f->s, "UNSTRUCTURED_GRID"))
        return false;
    return strcasecmp(f->s->word, "UNSTRUCTURED_GRID") == 0 ||
           scanner_fail(f->s, f->s->word_line,
                        "a data set of type '%s', and UNSTRUCTURED_GRID is "
                        "read",
                        scanner_shown(f->s, text));
}

bool solid_vtk_read(solid_cells *cells, scanner *s)
{
    legacy_file f = {.s = s, .cells = cells};
    bool done = read_head(&f);
    while (done && scanner_word(s))
        done = read_section(&f);
    done = done && !s->failed && vtk_cells_add(cells, &f.listed, s);
    vtk_cells_clear(&f.listed);
    return done;
}
