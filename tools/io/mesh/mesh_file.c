#include "mesh_file.h"

#include <errno.h>

enum { PIECE = 16384 }; /* vertices of a mesh in memory that are written before progress is told */

/* Writes what begins the file, and goes to the vertices of a part, whose places are known then. */
static bool begin(mesh_file *f)
{
    uint64_t vertices, bytes;
    f->format->begin(f);
    f->head_bytes = block_writer_count(f->blocks);
    if (!f->is_part) return true;
    f->format->places(f, &vertices, &bytes);
    if (part_output_open(&f->out, bytes)) {
        block_writer_begin(f->blocks, f->out.file);
        block_writer_move(f->blocks, vertices);
        return true;
    }
    block_writer_drop(f->blocks);
    mesh_file_close(f, false);
    return false;
}

bool mesh_file_open(mesh_file *f, const mesh_format *format, const mesh_shape *s,
                    const mesh_part *part, const char *path, io_message *message)
{
    const char *reason = format->refuse ? format->refuse(s) : NULL;
    *f = (mesh_file){.format = format, .shape = s, .own = *s, .is_part = part != NULL};
    if (part) mesh_shape_cut(s, part->first, part->count, &f->own, &f->before);
    if (reason) return io_fail(message, "%s: cannot write: %s", path, reason);
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

void mesh_file_move(mesh_file *f, uint64_t at)
{
    if (f->is_part) block_writer_move(f->blocks, at);
}

bool mesh_file_vertices(mesh_file *f, const mesh_vertices *v)
{
    f->format->vertices(f, v);
    return !block_writer_failed(f->blocks);
}

bool mesh_file_faces(mesh_file *f, const io_progress *progress)
{
    f->progress = progress;
    f->format->faces(f);
    return !block_writer_failed(f->blocks);
}

bool mesh_file_close(mesh_file *f, bool done)
{
    if (!f->blocks) return false;
    bool written = block_writer_close(f->blocks);
    int reason = errno;
    f->blocks = NULL;
    if (!written && done) {
        errno = reason;
        io_fail_errno(f->out.message, f->out.name, "cannot write");
    }
    return output_close(&f->out, done && written);
}

typedef void (*vertex_writer)(mesh_file *f, const mesh_vertices *v);

static void write_vertices(mesh_file *f, const mesh *m, vertex_writer write,
                           const io_progress *progress)
{
    const size_t total = m->num_vertices + m->num_faces;
    for (size_t first = 0; first < m->num_vertices; first += PIECE) {
        size_t left = m->num_vertices - first;
        const mesh_vertices v = {.count = left < PIECE ? left : PIECE,
                                 .precision = MESH_F64,
                                 .positions = m->positions + 3 * first,
                                 .normals = m->normals ? m->normals + 3 * first : NULL,
                                 .stride = 3,
                                 .normal_stride = 3,
                                 .data = m->data ? m->data + m->num_names * first : NULL,
                                 .colors = m->colors ? m->colors + 3 * first : NULL};
        if (block_writer_failed(f->blocks)) return;
        write(f, &v);
        io_report(progress, first, total);
    }
}

bool mesh_file_write(const mesh_format *format, const mesh *m, const char *path,
                     const io_progress *progress, io_message *message)
{
    const mesh_shape shape = mesh_shape_of(m);
    mesh_file f;
    if (!mesh_file_open(&f, format, &shape, NULL, path, message)) return false;
    write_vertices(&f, m, format->vertices, progress);
    mesh_file_faces(&f, progress);
    if (m->normals && format->normals) {
        format->begin_normals(&f);
        write_vertices(&f, m, format->normals, NULL);
        format->end_normals(&f);
    }
    return mesh_file_close(&f, true);
}
