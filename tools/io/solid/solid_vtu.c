/* Unstructured grids of VTK's XML files, of one piece. */
#include <stdlib.h>
#include <string.h>

#include "solid_file.h"
#include "vtk_cells.h"
#include "vtk_number.h"
#include "vtu_data.h"
#include "utf8.h"
#include "xml_stream.h"

enum { MAX_ARRAYS = 256 };

/* Where an array stands. */
typedef enum vtu_section { IN_NONE, IN_POINTS, IN_CELLS, IN_POINT_DATA, IN_CELL_DATA } vtu_section;

/* An array as it is found, and then with its numbers. */
typedef struct vtu_array {
    vtu_section section;
    char name[SOLID_MAX_NAME];
    npy_type type;
    uint32_t components;
    bool is_appended;
    uint64_t offset;
    double *values;
    size_t count, capacity;
} vtu_array;

typedef struct vtu_file {
    scanner *s;
    solid_cells *cells;
    vtu_form form;
    vtu_array arrays[MAX_ARRAYS];
    size_t num;
    vtu_section section;
    uint32_t num_points, num_cells;
    bool has_piece, has_appended, is_raw;
    vtu_array *open; /* whose text comes; NULL: none */
    bool is_ascii;   /* the text is numbers, else base64 */
    int inner;       /* tags within the array that are open */
    vtu_bytes text;
    size_t word; /* characters of a number in the scanner's word */
} vtu_file;

/* ---- numbers ---- */

static bool append(vtu_file *f, vtu_array *a, double value)
{
    solid_array grown = {.values = a->values, .count = a->count, .capacity = a->capacity};
    if (!solid_array_append(&grown, value)) return solid_scan_memory(f->s);
    a->values = grown.values;
    a->count = grown.count;
    a->capacity = grown.capacity;
    return true;
}

/* Makes numbers of the bytes that are stored for an array. */
static bool take_bytes(vtu_file *f, vtu_array *a, const unsigned char *from, size_t count)
{
    vtu_bytes made = {.bytes = NULL};
    const char *reason = vtu_unpack(&f->form, from, count, &made);
    bool done = !reason;
    if (reason) scanner_fail(f->s, f->s->line, "array '%s': %s", a->name, reason);
    const npy_header number = {.type = a->type, .is_big = f->form.big_endian};
    const size_t bytes = npy_type_bytes(a->type);
    if (done && made.count % bytes != 0)
        done = scanner_fail(f->s, f->s->line, "array '%s' has a part of a number", a->name);
    for (size_t i = 0; done && i < made.count; i += bytes)
        done = append(f, a, npy_get(&number, made.bytes + i));
    free(made.bytes);
    return done;
}

static bool take_base64(vtu_file *f, vtu_array *a, const unsigned char *text, size_t count)
{
    vtu_bytes made = {.bytes = NULL};
    bool bad, done = vtu_decode(&made, text, count, &bad);
    if (!done && bad)
        scanner_fail(f->s, f->s->line, "array '%s': this is no base64", a->name);
    else if (!done)
        solid_scan_memory(f->s);
    done = done && take_bytes(f, a, made.bytes, made.count);
    free(made.bytes);
    return done;
}

/* Takes the number whose last character has come, if any. */
static bool end_word(vtu_file *f)
{
    double value;
    if (f->word == 0) return true;
    f->s->word[f->word] = 0;
    f->word = 0;
    return scanner_real_here(f->s, "a number", &value) && append(f, f->open, value);
}

static bool take_ascii(vtu_file *f, const char *text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool is_space = text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r');
        if (is_space && !end_word(f)) return false;
        if (!is_space && f->word == SCANNER_MAX_WORD)
            return scanner_fail(f->s, f->s->line, "a number of more than %d characters",
                                SCANNER_MAX_WORD);
        if (!is_space) f->s->word[f->word++] = text[i];
    }
    return true;
}

/* Reads all bytes up to a character that is in the way, or to the end of the file. */
static bool read_until(vtu_file *f, int end, vtu_bytes *to)
{
    const unsigned char *from;
    size_t left;
    while ((left = scanner_buffered(f->s, &from)) > 0) {
        const unsigned char *found = end == SCANNER_END ? NULL : memchr(from, end, left);
        const size_t part = found ? (size_t)(found - from) : left;
        unsigned char *at = vtu_bytes_room(to, part + 1);
        if (!at) return solid_scan_memory(f->s);
        memcpy(at, from, part);
        to->count += part;
        f->s->next += part;
        if (found) break;
    }
    return !f->s->failed;
}

/* ---- arrays ---- */

/* Reads a whole number of an attribute. */
static bool read_attribute(vtu_file *f, const char *const *attributes, const char *name,
                           uint32_t most, uint32_t *value)
{
    snprintf(f->s->word, sizeof(f->s->word), "%s", xml_attribute(attributes, name));
    return scanner_count_here(f->s, name, most, value);
}

/* Begins an array whose numbers stand between its tags. */
static bool open_array(vtu_file *f, vtu_array *a, const char *format)
{
    char text[SCANNER_SHOWN];
    f->is_ascii = strcmp(format, "ascii") == 0;
    f->open = a;
    f->s->any_real = a->section == IN_CELL_DATA;
    if (f->is_ascii || strcmp(format, "binary") == 0) return true;
    utf8_copy(text, format, sizeof(text));
    return scanner_fail(f->s, f->s->line, "array '%s' has the format '%s'", a->name, text);
}

static bool begin_array(vtu_file *f, const char *const *attributes)
{
    const char *format = xml_attribute(attributes, "format");
    char type[SCANNER_SHOWN];
    if (f->section == IN_NONE) return true;
    if (f->num == MAX_ARRAYS)
        return scanner_fail(f->s, f->s->line, "more than %d arrays", MAX_ARRAYS);
    vtu_array *a = &f->arrays[f->num++];
    *a = (vtu_array){.section = f->section, .components = 1};
    utf8_copy(a->name, xml_attribute(attributes, "Name"), sizeof(a->name));
    utf8_copy(type, xml_attribute(attributes, "type"), sizeof(type));
    if (!vtk_number_find(type, &a->type)) {
        if (f->section == IN_CELL_DATA) f->num--; /* texts are left out */
        if (f->section == IN_CELL_DATA) return true;
        return scanner_fail(f->s, f->s->line, "array '%s' has numbers of type '%s'", a->name, type);
    }
    if (xml_attribute(attributes, "NumberOfComponents")[0] &&
        !read_attribute(f, attributes, "NumberOfComponents", 1024, &a->components))
        return false;
    a->is_appended = strcmp(format, "appended") == 0;
    if (!a->is_appended) return open_array(f, a, format);
    uint32_t low;
    char *end;
    a->offset = strtoull(xml_attribute(attributes, "offset"), &end, 10);
    return *end == 0 || read_attribute(f, attributes, "offset", INT32_MAX, &low);
}

static bool end_array(vtu_file *f)
{
    const bool done =
        f->is_ascii ? end_word(f)
                    : f->text.count == 0 || take_base64(f, f->open, f->text.bytes, f->text.count);
    f->open = NULL;
    f->text.count = 0;
    return done;
}

/* Returns where in the appended data the array behind one begins. */
static uint64_t end_of(const vtu_file *f, const vtu_array *a, uint64_t all)
{
    uint64_t end = all;
    for (size_t i = 0; i < f->num; i++)
        if (f->arrays[i].is_appended && f->arrays[i].offset > a->offset &&
            f->arrays[i].offset < end)
            end = f->arrays[i].offset;
    return end;
}

/* Reads what is appended, behind the '_' that begins it. */
static bool read_appended(vtu_file *f)
{
    vtu_bytes all = {.bytes = NULL}, before = {.bytes = NULL};
    const bool is_raw = f->is_raw;
    bool done = read_until(f, '_', &before) && read_until(f, is_raw ? SCANNER_END : '<', &all);
    for (size_t i = 0; done && i < f->num; i++) {
        vtu_array *a = &f->arrays[i];
        if (!a->is_appended) continue;
        const size_t first = 1; /* the '_' */
        if (all.count < first || a->offset > all.count - first) {
            done = scanner_fail(f->s, f->s->line, "array '%s' begins behind the end", a->name);
            break;
        }
        const size_t at = first + (size_t)a->offset;
        if (is_raw)
            done = take_bytes(f, a, all.bytes + at, all.count - at);
        else
            done = take_base64(f, a, all.bytes + at,
                               (size_t)(first + end_of(f, a, all.count - first) - at));
    }
    free(before.bytes);
    free(all.bytes);
    return done;
}

/* ---- the file ---- */

static bool read_head(vtu_file *f, const char *const *attributes)
{
    char type[SCANNER_SHOWN], compressor[SCANNER_SHOWN];
    utf8_copy(type, xml_attribute(attributes, "type"), sizeof(type));
    utf8_copy(compressor, xml_attribute(attributes, "compressor"), sizeof(compressor));
    if (strcmp(type, "UnstructuredGrid") != 0)
        return scanner_fail(f->s, f->s->line, "a file of type '%s', and UnstructuredGrid is read",
                            type);
    f->form.big_endian = strcmp(xml_attribute(attributes, "byte_order"), "BigEndian") == 0;
    f->form.wide = strcmp(xml_attribute(attributes, "header_type"), "UInt64") == 0;
    f->form.compressed = compressor[0] != 0;
    return !f->form.compressed || strcmp(compressor, "vtkZLibDataCompressor") == 0 ||
           scanner_fail(f->s, f->s->line,
                        "data compressed by %s, and zlib is read: write the file with zlib, or "
                        "not compressed",
                        compressor);
}

static bool read_piece(vtu_file *f, const char *const *attributes)
{
    if (f->has_piece) return scanner_fail(f->s, f->s->line, "a second piece, and one is read");
    f->has_piece = true;
    return read_attribute(f, attributes, "NumberOfPoints", INT32_MAX, &f->num_points) &&
           read_attribute(f, attributes, "NumberOfCells", INT32_MAX, &f->num_cells);
}

/* Returns the section that a tag begins and ends; -1: none. */
static int section_of(const char *name)
{
    static const struct {
        const char *name;
        vtu_section section;
    } known[] = {{"Points", IN_POINTS},
                 {"Cells", IN_CELLS},
                 {"PointData", IN_POINT_DATA},
                 {"CellData", IN_CELL_DATA},
                 {"FieldData", IN_NONE}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(name, known[i].name) == 0) return (int)known[i].section;
    return -1;
}

static bool begin_tag(void *user, const char *name, const char *const *attributes)
{
    vtu_file *f = user;
    const int section = section_of(name);
    if (f->open) f->inner++;
    if (f->open) return true;
    if (section >= 0) f->section = (vtu_section)section;
    if (strcmp(name, "VTKFile") == 0) return read_head(f, attributes);
    if (strcmp(name, "Piece") == 0) return read_piece(f, attributes);
    if (strcmp(name, "DataArray") == 0) return begin_array(f, attributes);
    f->has_appended = strcmp(name, "AppendedData") == 0;
    f->is_raw = strcmp(xml_attribute(attributes, "encoding"), "raw") == 0;
    return !f->has_appended; /* what follows is no XML */
}

static bool end_tag(void *user, const char *name)
{
    vtu_file *f = user;
    if (f->open && f->inner == 0) return end_array(f);
    if (f->open) f->inner--;
    if (section_of(name) >= 0) f->section = IN_NONE;
    return true;
}

static bool take_text(void *user, const char *text, size_t count)
{
    vtu_file *f = user;
    if (!f->open || f->inner > 0) return true;
    if (f->is_ascii) return take_ascii(f, text, count);
    unsigned char *at = vtu_bytes_room(&f->text, count);
    if (!at) return solid_scan_memory(f->s);
    memcpy(at, text, count);
    f->text.count += count;
    return true;
}

/* Finds the numbers of an array of cells; NULL: there is none of this name. */
static const vtu_array *find(const vtu_file *f, const char *name)
{
    for (size_t i = 0; i < f->num; i++)
        if (f->arrays[i].section == IN_CELLS && strcmp(f->arrays[i].name, name) == 0)
            return &f->arrays[i];
    return NULL;
}

static bool take_integers(vtu_file *f, const char *name, vtk_integers *list)
{
    const vtu_array *a = find(f, name);
    for (size_t i = 0; a && i < a->count; i++) {
        const double none =
            a->values[i] < 0 && strcmp(name, "faceoffsets") == 0; /* no polyhedron */
        if (!vtk_integers_append(list, f->s, none != 0 ? INT32_MAX : a->values[i])) return false;
    }
    return true;
}

/* The faces of polyhedra as newer files have them: vertices, where each face ends, the faces of all
   cells, and where those of each end. */
typedef struct vtu_faces {
    vtk_integers vertices, ends, of_cells, cell_ends;
} vtu_faces;

static bool fail_faces(vtu_file *f)
{
    return scanner_fail(f->s, f->s->line, "the faces of polyhedra are not all there");
}

/* Appends a face, as the number of its vertices and them. */
static bool join_face(vtu_file *f, const vtu_faces *from, uint32_t face, vtk_cells *to)
{
    if (face >= from->ends.count) return fail_faces(f);
    const size_t begin = face > 0 ? from->ends.values[face - 1] : 0, end = from->ends.values[face];
    if (end < begin || end > from->vertices.count) return fail_faces(f);
    bool done = vtk_integers_append(&to->faces, f->s, (double)(end - begin));
    for (size_t i = begin; done && i < end; i++)
        done = vtk_integers_append(&to->faces, f->s, from->vertices.values[i]);
    return done;
}

/* Makes of them lists as older files have. */
static bool join_faces(vtu_file *f, const vtu_faces *from, vtk_cells *to)
{
    size_t begin = 0;
    for (size_t cell = 0; cell < from->cell_ends.count; cell++) {
        const size_t end = from->cell_ends.values[cell];
        if (end < begin || end > from->of_cells.count) return fail_faces(f);
        bool done = begin == end || vtk_integers_append(&to->faces, f->s, (double)(end - begin));
        for (; done && begin < end; begin++)
            done = join_face(f, from, from->of_cells.values[begin], to);
        if (!done || !vtk_integers_append(&to->face_ends, f->s, (double)to->faces.count))
            return false;
    }
    return true;
}

static bool take_faces(vtu_file *f, vtk_cells *to)
{
    vtu_faces from = {.vertices = {.values = NULL}};
    const bool is_new = find(f, "polyhedron_to_faces") != NULL;
    const vtu_array *old = find(f, "faces");
    to->has_faces = is_new || (old && old->count > 0);
    bool done = is_new || (take_integers(f, "faces", &to->faces) &&
                           take_integers(f, "faceoffsets", &to->face_ends));
    done = done && take_integers(f, "face_connectivity", &from.vertices) &&
           take_integers(f, "face_offsets", &from.ends) &&
           take_integers(f, "polyhedron_to_faces", &from.of_cells) &&
           take_integers(f, "polyhedron_offsets", &from.cell_ends);
    done = done && (!is_new || join_faces(f, &from, to));
    vtk_integers_clear(&from.vertices);
    vtk_integers_clear(&from.ends);
    vtk_integers_clear(&from.of_cells);
    vtk_integers_clear(&from.cell_ends);
    return done;
}

static bool take_cells(vtu_file *f)
{
    vtk_cells listed = {.has_faces = false};
    bool done = take_integers(f, "connectivity", &listed.index) &&
                take_integers(f, "offsets", &listed.ends) &&
                take_integers(f, "types", &listed.types) && take_faces(f, &listed);
    if (done && listed.types.count != f->num_cells)
        done = scanner_fail(f->s, f->s->line, "%zu types of %u cells", listed.types.count,
                            (unsigned)f->num_cells);
    done = done && vtk_cells_add(f->cells, &listed, f->s);
    vtk_cells_clear(&listed);
    return done;
}

static bool take_points(vtu_file *f, const vtu_array *a)
{
    if (a->count != 3 * (size_t)f->num_points)
        return scanner_fail(f->s, f->s->line, "%zu coordinates of %u points", a->count,
                            (unsigned)f->num_points);
    for (size_t i = 0; i < a->count; i += 3)
        if (!solid_cells_point(f->cells, a->values[i], a->values[i + 1], a->values[i + 2]))
            return solid_scan_memory(f->s);
    return true;
}

static bool take_arrays(vtu_file *f)
{
    for (size_t i = 0; i < f->num; i++) {
        vtu_array *a = &f->arrays[i];
        if (a->section == IN_POINTS && !take_points(f, a)) return false;
        const bool of_cells = a->section == IN_CELL_DATA;
        if ((a->section != IN_POINT_DATA && !of_cells) || a->components == 0) continue;
        solid_array *to = of_cells ? solid_cells_data(f->cells, a->name, a->components)
                                   : solid_cells_array(f->cells, a->name, a->components);
        if (!to) return solid_scan_memory(f->s);
        to->is_whole = npy_type_is_whole(a->type);
        to->values = a->values;
        to->count = a->count;
        to->capacity = a->capacity;
        a->values = NULL;
    }
    return true;
}

bool solid_vtu_read(solid_cells *cells, scanner *s)
{
    static const xml_events events = {begin_tag, end_tag, take_text};
    vtu_file *f = calloc(1, sizeof(*f)); /* too large for some stacks */
    if (!f) return solid_scan_memory(s);
    f->s = s;
    f->cells = cells;
    bool done = xml_stream_read(s, &events, f) && (!f->has_appended || read_appended(f));
    if (done && !f->has_piece) done = scanner_fail(s, s->line, "the file has no piece");
    done = done && take_arrays(f) && take_cells(f);
    for (size_t i = 0; i < f->num; i++)
        free(f->arrays[i].values);
    free(f->text.bytes);
    free(f);
    return done;
}
