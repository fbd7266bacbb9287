#include "bezierview.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "array.h"
#include "foreign.h"
#include "input.h"
#include "scanner.h"

enum {
    POLYHEDRON = 1,
    TRIANGLE = 3,
    EQUAL_DEGREES = 4,
    TWO_DEGREES = 5,
    RATIONAL = 8,
    PN_TRIANGLE = 9,
    PN_QUAD = 10
};

/* Where the reader stands. */
typedef struct reader {
    scanner scan;
    bezierview *result;
    int64_t group;
    uint64_t segment_line; /* of the kind number */
} reader;

static bool out_of_memory(reader *r)
{
    return scanner_fail(&r->scan, r->scan.line, "not enough memory for this file");
}

/* Refuses a segment that announces more numbers than the rest of the file can hold, before any
   memory is taken. */
static bool check_room(reader *r, uint64_t numbers)
{
    if (scanner_can_hold(&r->scan, numbers)) return true;
    return scanner_fail(&r->scan, r->scan.word_line,
                        "the file is too short for the %llu numbers announced here",
                        (unsigned long long)numbers);
}

static uint64_t net_points(bezierview_form form, uint32_t degree_u, uint32_t degree_v)
{
    uint64_t rows = (uint64_t)degree_u + 1;
    return form == BEZIERVIEW_TRIANGLE ? rows * (rows + 1) / 2 : rows * ((uint64_t)degree_v + 1);
}

size_t bezierview_coordinates(const bezierview_type *type)
{
    return type->rational ? 4 : 3;
}

uint64_t bezierview_patch_points(const bezierview_type *type)
{
    return net_points(type->form, type->degree_u, type->degree_v);
}

static uint64_t patch_normals(const bezierview_type *type)
{
    return type->has_normals ? net_points(type->form, type->normal_u, type->normal_v) : 0;
}

static bool same_type(const bezierview_type *a, const bezierview_type *b)
{
    return a->form == b->form && a->rational == b->rational && a->has_normals == b->has_normals &&
           a->degree_u == b->degree_u && a->degree_v == b->degree_v && a->normal_u == b->normal_u &&
           a->normal_v == b->normal_v;
}

/* The batch of this type, made if it is the first; NULL when memory runs out. */
static bezierview_batch *find_batch(bezierview *content, const bezierview_type *type)
{
    for (size_t i = content->num_batches; i-- > 0;) /* neighbours in a file are mostly alike */
        if (same_type(&content->batches[i].type, type)) return &content->batches[i];
    bezierview_batch *moved = array_reserve(content->batches, &content->batch_capacity,
                                            content->num_batches + 1, sizeof(*moved));
    if (!moved) return NULL;
    content->batches = moved;
    bezierview_batch *made = &moved[content->num_batches++];
    *made = (bezierview_batch){.type = *type};
    return made;
}

/* Reads one number onto the end of an array of them. */
static bool append_real(reader *r, const char *what, double **reals, size_t *count,
                        size_t *capacity)
{
    double value;
    if (!scanner_real(&r->scan, what, &value)) return false;
    double *moved = array_reserve(*reals, capacity, *count + 1, sizeof(double));
    if (!moved) return out_of_memory(r);
    *reals = moved;
    moved[(*count)++] = value;
    return true;
}

static bool check_weight(reader *r, double weight)
{
    if (!(weight > 0))
        return scanner_fail(&r->scan, r->scan.word_line, "the weight %g is not above 0", weight);
    if (r->scan.floats && !((float)weight > 0))
        return scanner_fail(&r->scan, r->scan.word_line,
                            "the weight %g is too small for a float; use --precision f64", weight);
    return true;
}

static bool read_point(reader *r, bezierview_batch *batch)
{
    for (int axis = 0; axis < 3; axis++)
        if (!append_real(r, "a coordinate", &batch->points, &batch->num_reals,
                         &batch->point_capacity))
            return false;
    if (!batch->type.rational) return true;
    if (!append_real(r, "a weight", &batch->points, &batch->num_reals, &batch->point_capacity))
        return false;
    return check_weight(r, batch->points[batch->num_reals - 1]);
}

/* Puts a triangle's net, in rows of the file, into the library's order: its transpose. */
static bool transpose(double *net, uint32_t degree, size_t coordinates)
{
    size_t order = (size_t)degree + 1, count = order * (order + 1) / 2 * coordinates;
    double *rows = malloc(count * sizeof(double));
    if (!rows) return false;
    memcpy(rows, net, count * sizeof(double));
    const double *from = rows;
    for (size_t row = 0; row < order; row++) {
        for (size_t i = 0; i + row < order; i++, from += coordinates) {
            size_t to = i * order - i * (i - 1) / 2 + row; /* columns shrink by one each */
            memcpy(net + to * coordinates, from, coordinates * sizeof(double));
        }
    }
    free(rows);
    return true;
}

static bool end_patch(reader *r, bezierview_batch *batch, uint64_t points, uint64_t normals)
{
    const bezierview_type *type = &batch->type;
    size_t coordinates = bezierview_coordinates(type);
    if (type->form == BEZIERVIEW_TRIANGLE) {
        double *net = batch->points + (batch->num_reals - points * coordinates);
        if (!transpose(net, type->degree_u, coordinates)) return out_of_memory(r);
    }
    if (type->form == BEZIERVIEW_TRIANGLE && type->has_normals) {
        double *net = batch->normals + (batch->num_normal_reals - normals * 3);
        if (!transpose(net, type->normal_u, 3)) return out_of_memory(r);
    }
    int64_t *moved = array_reserve(batch->groups, &batch->group_capacity, batch->num_patches + 1,
                                   sizeof(int64_t));
    if (!moved) return out_of_memory(r);
    batch->groups = moved;
    size_t *numbers = array_reserve(batch->numbers, &batch->number_capacity, batch->num_patches + 1,
                                    sizeof(*numbers));
    if (!numbers) return out_of_memory(r);
    batch->numbers = numbers;
    numbers[batch->num_patches] = bezierview_num_patches(r->result);
    batch->groups[batch->num_patches++] = r->group;
    return true;
}

static bool read_patch(reader *r, const bezierview_type *type)
{
    uint64_t points = bezierview_patch_points(type), normals = patch_normals(type);
    if (!check_room(r, points * bezierview_coordinates(type) + 3 * normals)) return false;
    bezierview_batch *batch = find_batch(r->result, type);
    if (!batch) return out_of_memory(r);

    for (uint64_t i = 0; i < points; i++)
        if (!read_point(r, batch)) return false;
    for (uint64_t i = 0; i < 3 * normals; i++)
        if (!append_real(r, "a coordinate of a normal", &batch->normals, &batch->num_normal_reals,
                         &batch->normal_capacity))
            return false;
    return end_patch(r, batch, points, normals);
}

static bool read_degree(reader *r, const char *what, uint32_t *degree)
{
    return scanner_count(&r->scan, what, BEZIERVIEW_MAX_DEGREE, degree);
}

/* Reads the degrees that a kind begins with. */
static bool read_type(reader *r, uint32_t kind, bezierview_type *type)
{
    bool triangle = kind == TRIANGLE || kind == PN_TRIANGLE;
    bool equal = triangle || kind == EQUAL_DEGREES;
    *type = (bezierview_type){.form = triangle ? BEZIERVIEW_TRIANGLE : BEZIERVIEW_SURFACE,
                              .rational = kind == RATIONAL,
                              .has_normals = kind == PN_TRIANGLE || kind == PN_QUAD};
    if (!read_degree(r, equal ? "the degree" : "the degree along u", &type->degree_u)) return false;
    type->degree_v = type->degree_u;
    if (!equal && !read_degree(r, "the degree along v", &type->degree_v)) return false;
    if (!type->has_normals) return true;
    if (!read_degree(r, "the degree of the normals", &type->normal_u)) return false;
    type->normal_v = type->normal_u;
    return equal || read_degree(r, "the degree of the normals along v", &type->normal_v);
}

static bool read_vertices(reader *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double position[3];
        for (int axis = 0; axis < 3; axis++)
            if (!scanner_real(&r->scan, "a coordinate of a vertex", &position[axis])) return false;
        double *added = mesh_add_vertices(&r->result->polyhedra, 1);
        if (!added) return out_of_memory(r);
        for (int axis = 0; axis < 3; axis++)
            added[axis] = position[axis];
    }
    return true;
}

static bool read_face(reader *r, uint32_t first_vertex, uint32_t num_vertices)
{
    uint32_t count, vertex;
    if (!scanner_count(&r->scan, "the number of corners of a face", num_vertices, &count))
        return false;
    if (count < 3)
        return scanner_fail(&r->scan, r->scan.word_line, "a face with fewer than 3 corners");
    for (uint32_t i = 0; i < count; i++) {
        if (!scanner_count(&r->scan, "the vertex of a face", num_vertices - 1, &vertex))
            return false;
        if (!mesh_add_corner(&r->result->polyhedra, first_vertex + vertex)) return out_of_memory(r);
    }
    return mesh_end_face(&r->result->polyhedra) || out_of_memory(r);
}

static bool read_polyhedron(reader *r)
{
    uint32_t num_vertices, num_faces;
    uint32_t first = (uint32_t)r->result->polyhedra.num_vertices;
    uint32_t max_vertices = (uint32_t)MESH_MAX_VERTICES - first;
    if (!scanner_count(&r->scan, "the number of vertices", max_vertices, &num_vertices) ||
        !scanner_count(&r->scan, "the number of faces", INT32_MAX, &num_faces))
        return false;
    if (!check_room(r, 3 * (uint64_t)num_vertices + 4 * (uint64_t)num_faces)) return false;
    if (!read_vertices(r, num_vertices)) return false;
    for (uint32_t face = 0; face < num_faces; face++)
        if (!read_face(r, first, num_vertices)) return false;
    return true;
}

static bool read_segment(reader *r, uint32_t kind)
{
    bezierview_type type;
    switch (kind) {
    case POLYHEDRON:
        return read_polyhedron(r);
    case TRIANGLE:
    case EQUAL_DEGREES:
    case TWO_DEGREES:
    case RATIONAL:
    case PN_TRIANGLE:
    case PN_QUAD:
        return read_type(r, kind, &type) && read_patch(r, &type);
    default:
        return scanner_fail(&r->scan, r->segment_line,
                            "segments of kind %u are not known (1, 3, 4, 5, 8, 9 and 10 are read)",
                            (unsigned)kind);
    }
}

/* Reads the rest of a Group line. The name may be missing and is not kept. */
static bool read_group(reader *r)
{
    uint32_t id;
    uint64_t line = r->scan.word_line;
    if (!scanner_count(&r->scan, "the number of a group", INT32_MAX, &id)) return false;
    if (r->scan.word_line != line) return scanner_fail(&r->scan, line, "Group without a number");
    scanner_skip_line(&r->scan);
    r->group = id;
    return true;
}

static bool read_all(reader *r)
{
    bool any = false;
    while (scanner_word(&r->scan)) {
        uint32_t kind;
        r->segment_line = r->scan.word_line;
        if (strcasecmp(r->scan.word, "group") == 0) {
            if (!read_group(r)) return false;
            continue;
        }
        if (!scanner_count_here(&r->scan, "the kind of a segment", INT32_MAX, &kind)) return false;
        if (!read_segment(r, kind)) return false;
        any = true;
    }
    if (r->scan.failed) return false;
    return any || scanner_fail(&r->scan, r->scan.line, "the file holds no patch and no polyhedron");
}

/* Adds what a stream holds; after a failure there is nothing at all. */
static bool add_stream(bezierview *result, FILE *file, const char *name, mesh_precision precision,
                       io_message *message)
{
    reader r = {.result = result, .group = BEZIERVIEW_NO_GROUP};
    scanner_init(&r.scan, file, name, message);
    r.scan.floats = precision == MESH_F32;
    if (!foreign_refuse(&r.scan, "BezierView", FILE_PATCHES) && read_all(&r)) return true;
    bezierview_clear(result);
    return false;
}

bool bezierview_read(bezierview *result, FILE *file, const char *name, mesh_precision precision,
                     io_message *message)
{
    *result = (bezierview){0};
    return add_stream(result, file, name, precision, message);
}

bool bezierview_add(bezierview *result, const char *path, mesh_precision precision,
                    io_message *message)
{
    input in;
    const bool done =
        input_open(&in, path, message) && add_stream(result, in.file, in.name, precision, message);
    if (!done) bezierview_clear(result);
    input_close(&in);
    return done;
}

bool bezierview_load(bezierview *result, const char *path, mesh_precision precision,
                     io_message *message)
{
    *result = (bezierview){0};
    return bezierview_add(result, path, precision, message);
}

size_t bezierview_num_patches(const bezierview *content)
{
    size_t count = 0;
    for (size_t i = 0; i < content->num_batches; i++)
        count += content->batches[i].num_patches;
    return count;
}

void bezierview_clear(bezierview *content)
{
    for (size_t i = 0; i < content->num_batches; i++) {
        free(content->batches[i].points);
        free(content->batches[i].normals);
        free(content->batches[i].groups);
        free(content->batches[i].numbers);
    }
    free(content->batches);
    mesh_clear(&content->polyhedra);
    *content = (bezierview){0};
}
