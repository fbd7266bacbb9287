#include "ply_points.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 16384, MAX_ELEMENTS = 8 };

static const char axes[PLY_POINTS_MAX_DIM + 1] = "xyzw";

/* A property of an element: a number, or a list of them. */
typedef struct ply_property {
    npy_type type;
    bool is_list;
    npy_type length; /* of a list: the type of its length */
} ply_property;

/* An element as the header has it. */
typedef struct ply_element {
    uint32_t num, num_properties;
    bool is_vertex;
    ply_property property[PLY_MAX_PROPERTIES];
} ply_element;

/* The elements up to the vertices, which are the last. */
typedef struct ply_header {
    uint32_t num;
    ply_element element[MAX_ELEMENTS];
    bool is_behind;     /* the vertices' properties are over: */
    ply_element behind; /* the element that is being read */
} ply_header;

bool ply_points_is(scanner *s)
{
    const unsigned char *bytes;
    const size_t num = scanner_buffered(s, &bytes);
    return num > 3 && memcmp(bytes, "ply", 3) == 0 && (bytes[3] == '\n' || bytes[3] == '\r');
}

/* ---- words ---- */

static bool need_word(scanner *s, const char *what)
{
    if (scanner_word(s)) return true;
    return !s->failed && scanner_fail(s, s->line, "the file ends where %s was expected", what);
}

static bool is_word(const scanner *s, const char *word)
{
    return strcmp(s->word, word) == 0;
}

static bool fail_word(scanner *s, const char *what)
{
    char text[SCANNER_SHOWN + 4];
    return scanner_fail(s, s->word_line, "'%s' where %s was expected", scanner_shown(s, text),
                        what);
}

static bool read_type(scanner *s, npy_type *type)
{
    static const struct {
        const char *name, *also;
        npy_type type;
    } types[] = {{"char", "int8", NPY_S8},      {"uchar", "uint8", NPY_U8},
                 {"short", "int16", NPY_S16},   {"ushort", "uint16", NPY_U16},
                 {"int", "int32", NPY_S32},     {"uint", "uint32", NPY_U32},
                 {"float", "float32", NPY_F32}, {"double", "float64", NPY_F64}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        *type = types[i].type;
        if (is_word(s, types[i].name) || is_word(s, types[i].also)) return true;
    }
    return fail_word(s, "the type of a property");
}

/* ---- the header ---- */

static bool read_format(ply_points *p)
{
    scanner *s = p->scan;
    p->has_format = true;
    if (!need_word(s, "a format")) return false;
    p->is_ascii = is_word(s, "ascii");
    p->number.is_big = is_word(s, "binary_big_endian");
    if (!p->is_ascii && !p->number.is_big && !is_word(s, "binary_little_endian"))
        return fail_word(s, "ascii, binary_little_endian or binary_big_endian");
    return need_word(s, "the version of the format");
}

static bool read_element(scanner *s, ply_element *e)
{
    if (!need_word(s, "the name of an element")) return false;
    e->is_vertex = is_word(s, "vertex");
    e->num_properties = 0;
    return scanner_count(s, "how many there are of an element", UINT32_MAX, &e->num);
}

/* Reads a property behind its keyword; its name is then the word. */
static bool read_property(scanner *s, ply_element *e)
{
    ply_property p = {.is_list = false};
    if (e->num_properties == PLY_MAX_PROPERTIES)
        return scanner_fail(s, s->word_line, "an element of more than %d properties",
                            PLY_MAX_PROPERTIES);
    if (!need_word(s, "the type of a property")) return false;
    p.is_list = is_word(s, "list");
    if (p.is_list && (!need_word(s, "the type of a length") || !read_type(s, &p.length)))
        return false;
    if (p.is_list && (p.length == NPY_F32 || p.length == NPY_F64))
        return fail_word(s, "whole numbers for the length of a list");
    if (p.is_list && !need_word(s, "the type of a property")) return false;
    if (!read_type(s, &p.type)) return false;
    e->property[e->num_properties++] = p;
    return need_word(s, "the name of a property");
}

/* Takes a property of the vertices, whose name is the word. */
static bool take_property(ply_points *p, const ply_element *e)
{
    scanner *s = p->scan;
    const uint32_t number = e->num_properties - 1;
    if (e->property[number].is_list)
        return scanner_fail(s, s->word_line, "vertices that have lists are not read");
    for (uint32_t k = 0; k < p->dim; k++) {
        if (s->word[0] != axes[k] || s->word[1]) continue;
        if (p->has[k]) return scanner_fail(s, s->word_line, "vertices have two %c", axes[k]);
        p->has[k] = true;
        p->property[k] = number;
        p->offset[k] = p->bytes;
    }
    p->type[number] = e->property[number].type;
    p->bytes += npy_type_bytes(p->type[number]);
    p->num_properties = e->num_properties;
    return true;
}

/* Reads what follows the keyword of a line, which is the word. Of elements the last one before the
   vertices' end is kept; what comes behind them is of no use. */
static bool read_line(ply_points *p, ply_header *h)
{
    scanner *s = p->scan;
    ply_element *const last = h->num > 0 ? &h->element[h->num - 1] : NULL;
    if (is_word(s, "comment") || is_word(s, "obj_info")) {
        scanner_skip_line(s);
        return true;
    }
    if (is_word(s, "format")) return read_format(p);
    if (is_word(s, "property") && h->is_behind) return read_property(s, &h->behind);
    if (is_word(s, "property") && last)
        return read_property(s, last) && (!last->is_vertex || take_property(p, last));
    if (!is_word(s, "element")) return fail_word(s, "a line of a header");
    h->is_behind = h->is_behind || (last && last->is_vertex);
    if (h->is_behind) return read_element(s, &h->behind);
    if (h->num == MAX_ELEMENTS)
        return scanner_fail(s, s->word_line, "more than %d elements before the vertices",
                            MAX_ELEMENTS - 1);
    return read_element(s, &h->element[h->num++]);
}

static bool check_header(ply_points *p, const ply_header *h)
{
    scanner *s = p->scan;
    if (!p->has_format) return scanner_fail(s, s->line, "a header without a format");
    if (h->num == 0 || !h->element[h->num - 1].is_vertex)
        return scanner_fail(s, s->line, "a file without vertices");
    p->num = h->element[h->num - 1].num;
    for (uint32_t k = 0; k < p->dim; k++)
        if (!p->has[k])
            return scanner_fail(s, s->line, "vertices without %c where points have %u coordinates",
                                axes[k], p->dim);
    if (scanner_can_hold(s, p->is_ascii ? p->num * p->num_properties : p->num * p->bytes / 2))
        return true;
    return scanner_fail(s, s->line, "the file is too short for its %llu vertices",
                        (unsigned long long)p->num);
}

/* Reads the header to its end, behind which the elements begin. */
static bool read_header(ply_points *p, ply_header *h)
{
    scanner *s = p->scan;
    need_word(s, "a header"); /* "ply" */
    while (need_word(s, "the end of the header")) {
        if (is_word(s, "end_header")) {
            while (!p->is_ascii && scanner_peek(s) == ' ')
                scanner_take(s);
            return scanner_take(s) == '\n' ? check_header(p, h)
                                           : scanner_fail(s, s->line, "a header without an end");
        }
        if (!read_line(p, h)) return false;
    }
    return false;
}

/* ---- what stands before the vertices ---- */

static bool read_number(ply_points *p, npy_type type, double *value)
{
    unsigned char bytes[8];
    if (p->is_ascii) return scanner_real(p->scan, "a number", value);
    p->number.type = type;
    if (!scanner_bytes(p->scan, bytes, npy_type_bytes(type))) return false;
    *value = npy_get(&p->number, bytes);
    return true;
}

/* Leaves out a property of one item. */
static bool skip_property(ply_points *p, const ply_property *property)
{
    double num = 1, value;
    if (property->is_list && !read_number(p, property->length, &num)) return false;
    if (!(num >= 0 && num <= UINT32_MAX))
        return scanner_fail(p->scan, p->scan->line, "a list of %g numbers", num);
    for (uint64_t i = 0; i < (uint64_t)num; i++)
        if (!read_number(p, property->type, &value)) return false;
    return true;
}

static bool skip_element(ply_points *p, const ply_element *e)
{
    for (uint32_t i = 0; e->num_properties > 0 && i < e->num; i++)
        for (uint32_t k = 0; k < e->num_properties; k++)
            if (!skip_property(p, &e->property[k])) return false;
    return true;
}

bool ply_points_open(ply_points *p, scanner *s, uint32_t dim)
{
    ply_header *h = calloc(1, sizeof(*h));
    *p = (ply_points){.scan = s, .dim = dim};
    if (!h) return scanner_fail(s, s->line, "not enough memory");
    bool done = read_header(p, h);
    for (uint32_t i = 0; done && i + 1 < h->num; i++)
        done = skip_element(p, &h->element[i]);
    free(h);
    return done;
}

/* ---- vertices ---- */

static bool read_ascii(ply_points *p, double *points, size_t num)
{
    for (size_t i = 0; i < num; i++, points += p->dim)
        for (uint32_t k = 0; k < p->num_properties; k++) {
            double value;
            if (!scanner_real(p->scan, "a number of a vertex", &value)) return false;
            for (uint32_t axis = 0; axis < p->dim; axis++)
                if (p->property[axis] == k) points[axis] = value;
        }
    return true;
}

static bool read_binary(ply_points *p, double *points, size_t num)
{
    unsigned char block[BLOCK_BYTES];
    for (size_t done = 0, some; done < num; done += some) {
        some = BLOCK_BYTES / p->bytes < num - done ? BLOCK_BYTES / p->bytes : num - done;
        if (!scanner_bytes(p->scan, block, some * p->bytes)) return false;
        for (uint32_t k = 0; k < p->dim; k++) {
            p->number.type = p->type[p->property[k]];
            for (size_t i = 0; i < some; i++)
                points[(done + i) * p->dim + k] =
                    npy_get(&p->number, block + i * p->bytes + p->offset[k]);
        }
    }
    return true;
}

bool ply_points_read(ply_points *p, double *points, size_t num)
{
    return p->is_ascii ? read_ascii(p, points, num) : read_binary(p, points, num);
}
