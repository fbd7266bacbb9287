#include "vtu.h"

#include <errno.h>
#include <string.h>

#include "utf8.h"

enum { PIECE = 4096, SIZE_BYTES = 8 };

static uint32_t real_bytes(const vtu_shape *s)
{
    return s->precision == MESH_F32 ? 4 : 8;
}

static uint32_t place_bytes(const vtu_shape *s)
{
    const uint64_t most = s->num_cells * s->cell_points;
    return s->num_points > INT32_MAX || most > INT32_MAX ? 8 : 4;
}

static uint32_t field_bytes(const vtu_shape *s, const vtu_field *f)
{
    return f->components * (f->number == VTU_REAL ? real_bytes(s) : f->number == VTU_INT32 ? 4 : 8);
}

/* The number of the array of cells' points; those of their ends and types follow. */
static size_t points_array(const vtu_shape *s)
{
    return 1 + s->num_fields + s->num_cell_fields;
}

/* Returns how many bytes a point or a cell has in array `number`. */
static uint64_t item_bytes(const vtu_shape *s, size_t number)
{
    if (number == 0) return 3 * real_bytes(s);
    if (number <= s->num_fields) return field_bytes(s, &s->fields[number - 1]);
    if (number < points_array(s))
        return field_bytes(s, &s->cell_fields[number - 1 - s->num_fields]);
    switch (number - points_array(s)) {
    case 0:
        return s->cell_points * place_bytes(s);
    case 1:
        return place_bytes(s);
    default:
        return 1;
    }
}

static uint64_t array_bytes(const vtu_shape *s, size_t number)
{
    return (number <= s->num_fields ? s->num_points : s->num_cells) * item_bytes(s, number);
}

/* Returns where array `number` begins, with its size; behind the last one, the end. */
static uint64_t array_at(const vtu_file *f, size_t number)
{
    uint64_t at = f->head_bytes;
    for (size_t i = 0; i < number; i++)
        at += SIZE_BYTES + array_bytes(f->shape, i);
    return at;
}

/* Writes a name as the value of an attribute. */
static void write_name(vtu_file *f, const char *name)
{
    static const char marks[] = "<>&\"'";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    char text[128];
    utf8_copy(text, name, sizeof(text));
    for (const char *rest = text; *rest;) {
        const size_t length = strcspn(rest, marks);
        block_writer_text(f->blocks, "%.*s", (int)length, rest);
        rest += length;
        if (*rest) block_writer_text(f->blocks, "%s", entities[strchr(marks, *rest++) - marks]);
    }
}

/* Writes the head's line of an array, and moves the offset behind it. */
static void write_array(vtu_file *f, size_t number, const char *name, const char *type,
                        uint32_t components, uint64_t *offset)
{
    block_writer_text(f->blocks, "        <DataArray type=\"%s\" Name=\"", type);
    write_name(f, name);
    block_writer_text(f->blocks,
                      "\" NumberOfComponents=\"%u\" format=\"appended\" offset=\"%llu\"/>\n",
                      (unsigned)components, (unsigned long long)*offset);
    *offset += SIZE_BYTES + array_bytes(f->shape, number);
}

/* Writes the head's lines of fields, whose arrays begin with number `first`. */
static void write_fields(vtu_file *f, size_t first, const vtu_field *fields, size_t num,
                         uint64_t *offset)
{
    const char *const types[] = {f->shape->precision == MESH_F32 ? "Float32" : "Float64", "Int32",
                                 "Int64"};
    for (size_t i = 0; i < num; i++)
        write_array(f, first + i, fields[i].name, types[fields[i].number], fields[i].components,
                    offset);
}

static void write_head(vtu_file *f)
{
    const vtu_shape *s = f->shape;
    const size_t cells = points_array(s);
    const char *real = s->precision == MESH_F32 ? "Float32" : "Float64";
    const char *place = place_bytes(s) == 4 ? "Int32" : "Int64";
    /* before 2.1 edges of Bezier cells were in another order; 1.0 is what all readers know */
    const char *version = s->cell_type == VTU_BEZIER_HEXAHEDRON ? "2.2" : "1.0";
    uint64_t offset = 0;
    block_writer_text(f->blocks,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"%s\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
                      "  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"%llu\" "
                      "NumberOfCells=\"%llu\">\n      <Points>\n",
                      version, (unsigned long long)s->num_points, (unsigned long long)s->num_cells);
    write_array(f, 0, "Points", real, 3, &offset);
    block_writer_text(f->blocks, "      </Points>\n      <PointData>\n");
    write_fields(f, 1, s->fields, s->num_fields, &offset);
    block_writer_text(f->blocks, "      </PointData>\n      <CellData>\n");
    write_fields(f, 1 + s->num_fields, s->cell_fields, s->num_cell_fields, &offset);
    block_writer_text(f->blocks, "      </CellData>\n      <Cells>\n");
    write_array(f, cells, "connectivity", place, 1, &offset);
    write_array(f, cells + 1, "offsets", place, 1, &offset);
    write_array(f, cells + 2, "types", "UInt8", 1, &offset);
    block_writer_text(f->blocks, "      </Cells>\n    </Piece>\n  </UnstructuredGrid>\n"
                                 "  <AppendedData encoding=\"raw\">\n_");
}

static const char tail[] = "\n  </AppendedData>\n</VTKFile>\n";

/* Moves to a place of a file whose arrays may be written in any order. */
static void move(vtu_file *f, uint64_t at)
{
    if (f->is_part) block_writer_move(f->blocks, at);
}

/* Writes the head. Of a part the bytes of the whole are known then, and told before any is
   written. */
static bool begin(vtu_file *f)
{
    write_head(f);
    f->head_bytes = block_writer_count(f->blocks);
    const uint64_t end = array_at(f, points_array(f->shape) + 3);
    if (f->is_part && !part_output_open(&f->out, end + strlen(tail))) {
        block_writer_drop(f->blocks);
        vtu_file_close(f, false);
        return false;
    }
    block_writer_begin(f->blocks, f->out.file);
    return true;
}

bool vtu_file_open(vtu_file *f, const vtu_shape *s, const vtu_part *part, const char *path,
                   io_message *message)
{
    *f = (vtu_file){.shape = s,
                    .first_cell = part ? part->first : 0,
                    .num_cells = part ? part->count : s->num_cells,
                    .is_part = part != NULL};
    if (part)
        part_output_begin(&f->part, &f->out, path, part->record, message);
    else if (!output_open(&f->out, path, message))
        return false;
    f->blocks = block_writer_open(f->out.file);
    if (!f->blocks) {
        output_close(&f->out, false);
        return io_fail(message, "%s: cannot write: not enough memory", path);
    }
    return begin(f);
}

void vtu_file_begin(vtu_file *f, size_t number, uint64_t first)
{
    const uint64_t at = array_at(f, number);
    move(f, at);
    put_u64_little(block_writer_reserve(f->blocks, SIZE_BYTES), array_bytes(f->shape, number));
    block_writer_advance(f->blocks, SIZE_BYTES);
    if (first > 0) move(f, at + SIZE_BYTES + first * item_bytes(f->shape, number));
}

bool vtu_file_reals(vtu_file *f, const double *values, size_t count)
{
    const size_t each = real_bytes(f->shape);
    for (size_t first = 0; first < count; first += PIECE) {
        const size_t num = count - first < PIECE ? count - first : PIECE;
        unsigned char *to = block_writer_reserve(f->blocks, num * each);
        for (size_t i = first; i < first + num; i++, to += each) {
            if (each == 4) {
                const float narrow = (float)values[i];
                uint32_t bits;
                memcpy(&bits, &narrow, sizeof(bits));
                put_u32_little(to, bits);
            } else {
                uint64_t bits;
                memcpy(&bits, &values[i], sizeof(bits));
                put_u64_little(to, bits);
            }
        }
        block_writer_advance(f->blocks, num * each);
    }
    return !block_writer_failed(f->blocks);
}

static void write_place(unsigned char *to, size_t each, uint64_t value)
{
    if (each == 4)
        put_u32_little(to, (uint32_t)value);
    else
        put_u64_little(to, value);
}

bool vtu_file_integers(vtu_file *f, vtu_number number, const double *values, size_t count)
{
    const size_t each = number == VTU_INT32 ? 4 : 8;
    for (size_t first = 0; first < count; first += PIECE) {
        const size_t num = count - first < PIECE ? count - first : PIECE;
        unsigned char *to = block_writer_reserve(f->blocks, num * each);
        for (size_t i = 0; i < num; i++)
            write_place(to + i * each, each, (uint64_t)(int64_t)values[first + i]);
        block_writer_advance(f->blocks, num * each);
    }
    return !block_writer_failed(f->blocks);
}

bool vtu_file_points(vtu_file *f, uint64_t base, const uint32_t *points, size_t count)
{
    const size_t each = place_bytes(f->shape);
    for (size_t first = 0; first < count; first += PIECE) {
        const size_t num = count - first < PIECE ? count - first : PIECE;
        unsigned char *to = block_writer_reserve(f->blocks, num * each);
        for (size_t i = 0; i < num; i++)
            write_place(to + i * each, each, base + points[first + i]);
        block_writer_advance(f->blocks, num * each);
    }
    return !block_writer_failed(f->blocks);
}

/* Writes where the points of each cell end, and the types. */
static void write_ends(vtu_file *f)
{
    const vtu_shape *s = f->shape;
    const size_t each = place_bytes(s);
    const uint64_t first = f->first_cell, end = first + f->num_cells;
    vtu_file_begin(f, points_array(s) + 1, first);
    for (uint64_t i = first; i < end && !block_writer_failed(f->blocks); i++) {
        write_place(block_writer_reserve(f->blocks, each), each, (i + 1) * s->cell_points);
        block_writer_advance(f->blocks, each);
    }
    vtu_file_begin(f, points_array(s) + 2, first);
    for (uint64_t i = first; i < end && !block_writer_failed(f->blocks); i += PIECE) {
        const size_t num = end - i < PIECE ? (size_t)(end - i) : PIECE;
        memset(block_writer_reserve(f->blocks, num), (int)s->cell_type, num);
        block_writer_advance(f->blocks, num);
    }
    move(f, array_at(f, points_array(s) + 3));
    block_writer_text(f->blocks, "%s", tail);
}

bool vtu_file_close(vtu_file *f, bool done)
{
    if (!f->blocks) return false;
    if (done) write_ends(f);
    const bool written = block_writer_close(f->blocks);
    const int reason = errno;
    f->blocks = NULL;
    if (!written && done) {
        errno = reason;
        io_fail_errno(f->out.message, f->out.name, "cannot write");
    }
    return output_close(&f->out, done && written);
}
