#include "bezierview.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>

#include "array.h"
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

static bool read_degree(reader *r, const char *what, uint32_t *degree)
{
    return scanner_count(&r->scan, what, BEZIERVIEW_MAX_DEGREE, degree);
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

static uint64_t grid_points(uint32_t degree_u, uint32_t degree_v)
{
    return ((uint64_t)degree_u + 1) * ((uint64_t)degree_v + 1);
}

static uint64_t triangle_points(uint32_t degree)
{
    return ((uint64_t)degree + 1) * ((uint64_t)degree + 2) / 2;
}

/* The batch of these degrees, made if it is the first; NULL when memory runs out. */
static bezierview_batch *find_batch(bezierview *content, uint32_t degree_u, uint32_t degree_v)
{
    for (size_t i = content->num_batches; i-- > 0;) { /* neighbours in a file are mostly alike */
        bezierview_batch *batch = &content->batches[i];
        if (batch->degree_u == degree_u && batch->degree_v == degree_v) return batch;
    }
    bezierview_batch *moved = array_reserve(content->batches, &content->batch_capacity,
                                            content->num_batches + 1, sizeof(*moved));
    if (!moved) return NULL;
    content->batches = moved;
    bezierview_batch *made = &moved[content->num_batches++];
    *made = (bezierview_batch){.degree_u = degree_u, .degree_v = degree_v};
    return made;
}

/* Reads one coordinate onto the end of a batch. */
static bool read_coordinate(reader *r, bezierview_batch *batch)
{
    double value;
    if (!scanner_real(&r->scan, "a coordinate", &value)) return false;
    double *moved =
        array_reserve(batch->points, &batch->point_capacity, batch->num_reals + 1, sizeof(double));
    if (!moved) return out_of_memory(r);
    batch->points = moved;
    batch->points[batch->num_reals++] = value;
    return true;
}

static bool read_patch(reader *r, uint32_t degree_u, uint32_t degree_v)
{
    uint64_t count = 3 * grid_points(degree_u, degree_v);
    if (!check_room(r, count)) return false;
    bezierview_batch *batch = find_batch(r->result, degree_u, degree_v);
    if (!batch) return out_of_memory(r);

    for (uint64_t i = 0; i < count; i++)
        if (!read_coordinate(r, batch)) return false;

    int64_t *moved = array_reserve(batch->groups, &batch->group_capacity, batch->num_patches + 1,
                                   sizeof(int64_t));
    if (!moved) return out_of_memory(r);
    batch->groups = moved;
    batch->groups[batch->num_patches++] = r->group;
    return true;
}

static bool read_equal_degrees(reader *r)
{
    uint32_t degree;
    return read_degree(r, "the degree", &degree) && read_patch(r, degree, degree);
}

static bool read_two_degrees(reader *r)
{
    uint32_t degree_u, degree_v;
    return read_degree(r, "the degree along u", &degree_u) &&
           read_degree(r, "the degree along v", &degree_v) && read_patch(r, degree_u, degree_v);
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

/* Reads the degrees of a kind that is not supported and the count of numbers that follow them. */
static bool read_refused_header(reader *r, uint32_t kind, uint64_t *numbers)
{
    uint32_t d[4];
    int num_degrees = kind == TRIANGLE ? 1 : kind == PN_QUAD ? 4 : 2;
    for (int i = 0; i < num_degrees; i++)
        if (!read_degree(r, "a degree", &d[i])) return false;
    switch (kind) {
    case TRIANGLE:
        *numbers = 3 * triangle_points(d[0]);
        break;
    case RATIONAL:
        *numbers = 4 * grid_points(d[0], d[1]);
        break;
    case PN_TRIANGLE:
        *numbers = 3 * (triangle_points(d[0]) + triangle_points(d[1]));
        break;
    default:
        *numbers = 3 * (grid_points(d[0], d[1]) + grid_points(d[2], d[3]));
    }
    return true;
}

/* Checks a segment of a kind that is not supported to its end, then refuses it: a broken file is
   told from one that is sound but beyond us. */
static bool refuse(reader *r, uint32_t kind, const char *name)
{
    uint64_t numbers;
    double ignored;
    if (!read_refused_header(r, kind, &numbers) || !check_room(r, numbers)) return false;
    for (uint64_t i = 0; i < numbers; i++)
        if (!scanner_real(&r->scan, "a coordinate", &ignored)) return false;
    return scanner_fail(&r->scan, r->segment_line, "%s (kind %u) are not supported", name,
                        (unsigned)kind);
}

static bool read_segment(reader *r, uint32_t kind)
{
    switch (kind) {
    case POLYHEDRON:
        return read_polyhedron(r);
    case EQUAL_DEGREES:
        return read_equal_degrees(r);
    case TWO_DEGREES:
        return read_two_degrees(r);
    case TRIANGLE:
        return refuse(r, kind, "triangular Bezier patches");
    case RATIONAL:
        return refuse(r, kind, "rational Bezier patches");
    case PN_TRIANGLE:
        return refuse(r, kind, "PN triangles");
    case PN_QUAD:
        return refuse(r, kind, "PN quads");
    default:
        return scanner_fail(&r->scan, r->segment_line,
                            "segments of kind %u are not known (1, 4 and 5 are read)",
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

bool bezierview_read(bezierview *result, FILE *file, const char *name, io_message *message)
{
    *result = (bezierview){0};
    reader r = {.result = result, .group = BEZIERVIEW_NO_GROUP};
    scanner_init(&r.scan, file, name, message);
    if (read_all(&r)) return true;
    bezierview_clear(result);
    return false;
}

bool bezierview_load(bezierview *result, const char *path, io_message *message)
{
    struct stat status;
    *result = (bezierview){0};
    FILE *file = fopen(path, "rb");
    if (!file) return io_fail_errno(message, path, "cannot open");
    bool done = false;
    if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        io_fail_errno(message, path, "cannot read");
    } else {
        done = bezierview_read(result, file, path, message);
    }
    fclose(file);
    return done;
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
        free(content->batches[i].groups);
    }
    free(content->batches);
    mesh_clear(&content->polyhedra);
    *content = (bezierview){0};
}
