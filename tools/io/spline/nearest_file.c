#include "nearest_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "npy.h"

enum { MAX_RECORD_BYTES = 128, MAX_LINE_BYTES = 512 };

const char *nearest_status_name(nearest_status status)
{
    static const char *const names[] = {"found", "cut", "none", "invalid", "off"};
    return names[status];
}

/* ---- CSV ---- */

static void begin_csv(nearest_file *f)
{
    static const char *const axes[] = {",x", ",y", ",z", ",w"};
    block_writer_text(f->blocks, "%s",
                      f->form.directions == 1 ? "query,curve,parameter" : "query,surface,u,v");
    for (uint32_t k = 0; k < f->form.dim; k++)
        block_writer_text(f->blocks, "%s", axes[k]);
    block_writer_text(f->blocks, "%s,distance,bound%s,status\n",
                      f->form.has_normals ? ",nx,ny,nz" : "",
                      f->form.has_edges ? ",edge,tolerance" : "");
}

/* Puts reals into a line, each behind a comma. */
static char *put_reals(char *to, const nearest_file *f, const double *reals, size_t num)
{
    const int digits = f->form.precision == MESH_F32 ? 9 : 17;
    for (size_t i = 0; i < num; i++) {
        *to++ = ',';
        to += decimal_write(to, digits, reals[i]);
    }
    return to;
}

static void write_csv(nearest_file *f, const nearest_row *row)
{
    char *const begin = (char *)block_writer_reserve(f->blocks, MAX_LINE_BYTES), *to = begin;
    to += sprintf(to, "%llu,%lld", (unsigned long long)f->num_done, (long long)row->patch);
    to = put_reals(to, f, row->param, f->form.directions);
    to = put_reals(to, f, row->point, f->form.dim);
    if (f->form.has_normals) to = put_reals(to, f, row->normal, 3);
    to = put_reals(to, f, &row->distance, 1);
    to = put_reals(to, f, &row->bound, 1);
    if (f->form.has_edges) to += sprintf(to, ",%lld", (long long)row->edge);
    if (f->form.has_edges) to = put_reals(to, f, &row->tolerance, 1);
    to += sprintf(to, ",%s\n", nearest_status_name(row->status));
    block_writer_advance(f->blocks, (size_t)(to - begin));
}

/* ---- .npy ---- */

static void name_record(nearest_file *f)
{
    const char *real = f->form.precision == MESH_F32 ? "<f4" : "<f8";
    char place[64], normal[32] = "", edge[48] = "";
    snprintf(place, sizeof(place),
             f->form.directions == 1 ? "('curve', '<i4'), ('parameter', '%s')"
                                     : "('surface', '<i4'), ('u', '%s'), ('v', '%s')",
             real, real);
    if (f->form.has_normals) snprintf(normal, sizeof(normal), "('normal', '%s', (3,)), ", real);
    if (f->form.has_edges)
        snprintf(edge, sizeof(edge), "('edge', '<i4'), ('tolerance', '%s'), ", real);
    snprintf(
        f->type, sizeof(f->type),
        "[('query', '<i8'), %s, ('point', '%s', (%u,)), %s('distance', '%s'), ('bound', '%s'), "
        "%s('status', '|u1')]",
        place, real, f->form.dim, normal, real, real, edge);
}

static bool make_header(const nearest_file *f, uint64_t num, unsigned char header[NPY_HEADER_BYTES])
{
    const uint64_t shape[] = {num, f->form.per_query};
    return npy_make_header(header, f->type, shape, f->form.per_query > 1 ? 2 : 1);
}

static unsigned char *put_real(unsigned char *to, mesh_precision precision, double value)
{
    if (precision == MESH_F64) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        put_u64_little(to, bits);
        return to + 8;
    }
    const float rounded = (float)value;
    uint32_t bits;
    memcpy(&bits, &rounded, sizeof(bits));
    put_u32_little(to, bits);
    return to + 4;
}

static void write_record(nearest_file *f, const nearest_row *row)
{
    const mesh_precision precision = f->form.precision;
    unsigned char *begin = block_writer_reserve(f->blocks, MAX_RECORD_BYTES), *to = begin;
    put_u64_little(to, f->num_done);
    put_u32_little(to + 8, (uint32_t)row->patch);
    to += 12;
    for (uint32_t k = 0; k < f->form.directions; k++)
        to = put_real(to, precision, row->param[k]);
    for (uint32_t k = 0; k < f->form.dim; k++)
        to = put_real(to, precision, row->point[k]);
    for (uint32_t k = 0; f->form.has_normals && k < 3; k++)
        to = put_real(to, precision, row->normal[k]);
    to = put_real(to, precision, row->distance);
    to = put_real(to, precision, row->bound);
    if (f->form.has_edges) {
        put_u32_little(to, (uint32_t)row->edge);
        to = put_real(to + 4, precision, row->tolerance);
    }
    *to++ = (unsigned char)row->status;
    block_writer_advance(f->blocks, (size_t)(to - begin));
}

static void begin_npy(nearest_file *f)
{
    unsigned char *to = block_writer_reserve(f->blocks, NPY_HEADER_BYTES);
    make_header(f, f->form.num == UINT64_MAX ? 0 : f->form.num, to);
    block_writer_advance(f->blocks, NPY_HEADER_BYTES);
}

/* Writes the header again with the number of queries that there were. */
static bool end_npy(nearest_file *f)
{
    unsigned char header[NPY_HEADER_BYTES];
    if (f->form.num == f->num_done) return true;
    errno = 0;
    return make_header(f, f->num_done, header) && fseek(f->out.file, 0, SEEK_SET) == 0 &&
           fwrite(header, 1, sizeof(header), f->out.file) == sizeof(header);
}

/* ---- parts ---- */

/* Returns the bytes of a query's records. */
static uint64_t query_bytes(const nearest_form *form)
{
    const uint64_t real = form->precision == MESH_F32 ? 4 : 8;
    return form->per_query *
           (8 + 4 + real * (form->directions + form->dim + (form->has_normals ? 3 : 0) + 2) +
            (form->has_edges ? 4 + real : 0) + 1);
}

/* Opens the file of all parts. */
static bool open_part(nearest_file *f, const char *path, io_message *message)
{
    const uint64_t bytes = NPY_HEADER_BYTES + f->form.num * query_bytes(&f->form);
    part_output_begin(&f->part, &f->out, path, f->form.part, message);
    return part_output_open(&f->out, bytes);
}

/* Goes to the place of the part behind the header. */
static void begin_part(nearest_file *f)
{
    f->num_done = f->form.first;
    block_writer_move(f->blocks, NPY_HEADER_BYTES + f->form.first * query_bytes(&f->form));
}

/* ---- both ---- */

bool nearest_file_open(nearest_file *f, const nearest_form *form, const char *path,
                       io_message *message)
{
    *f = (nearest_file){.form = *form, .is_stdout = strcmp(path, "-") == 0};
    if (form->is_npy && f->is_stdout && form->num == UINT64_MAX)
        return io_fail(message, "standard output: an .npy array begins with its length, which is "
                                "known of .npy and .ply input only");
    name_record(f);
    if (!(form->part ? open_part(f, path, message) : output_open(&f->out, path, message)))
        return false;
    f->blocks = block_writer_open(f->out.file);
    if (!f->blocks) {
        output_close(&f->out, false);
        return io_fail(message, "%s: cannot write: not enough memory", path);
    }
    if (form->is_npy)
        begin_npy(f);
    else
        begin_csv(f);
    if (form->part) begin_part(f);
    return true;
}

bool nearest_file_add(nearest_file *f, const nearest_row *rows)
{
    for (uint32_t i = 0; i < f->form.per_query; i++) {
        if (f->form.is_npy)
            write_record(f, &rows[i]);
        else if (i == 0 || rows[i].status != NEAREST_NONE)
            write_csv(f, &rows[i]);
    }
    f->num_done++;
    return f->num_done % 4096 != 0 || !block_writer_failed(f->blocks);
}

bool nearest_file_close(nearest_file *f, bool done)
{
    if (!f->blocks) return false;
    bool written = block_writer_close(f->blocks);
    int reason = errno;
    f->blocks = NULL;
    if (written && done && f->form.is_npy && !f->form.part) {
        written = end_npy(f);
        reason = errno;
    }
    if (!written && done) {
        errno = reason;
        io_fail_errno(f->out.message, f->out.name, "cannot write");
    }
    return output_close(&f->out, done && written);
}
