#include "spline_writer.h"

#include <errno.h>

const char *spline_writer_refuse(spline_format format, const spline_type *type)
{
    if (format != SPLINES_BV) return NULL;
    if (type->directions != 2) return "BezierView files have surfaces only; use .g2 or .json";
    if (type->dim < 2 || type->dim > 3) return "points of BezierView files have 3 coordinates";
    return NULL;
}

/* ---- numbers ---- */

static void write_real(spline_writer *w, const char *before, double value)
{
    block_writer_text(w->blocks, "%s%.*g", before, w->precision == MESH_F32 ? 9 : 17, value);
}

/* Writes the coordinates of a point with words around and between them. */
static void write_point(spline_writer *w, const double *point, size_t count,
                        const char *const words[3])
{
    for (size_t k = 0; k < count; k++)
        write_real(w, words[k > 0], point[k]);
    block_writer_text(w->blocks, "%s", words[2]);
}

/* ---- BezierView ---- */

static void add_bv(spline_writer *w, const spline_type *type, const double *points, int64_t group)
{
    static const char *const words[] = {"", " ", "\n"};
    const size_t coordinates = spline_coordinates(type), num = (size_t)spline_num_controls(type);
    if (group != w->group) block_writer_text(w->blocks, "Group %lld spline\n", (long long)group);
    w->group = group;
    block_writer_text(w->blocks, "%d %u %u\n", type->rational ? 8 : 5, type->degree[0],
                      type->degree[1]);
    for (size_t i = 0; i < num; i++, points += coordinates) {
        const double z = type->dim == 3 ? points[2] : 0;
        const double point[4] = {points[0], points[1], z, points[coordinates - 1]};
        write_point(w, point, type->rational ? 4 : 3, words);
    }
}

/* ---- .g2 ---- */

static void write_knots(spline_writer *w, const spline_type *type, uint32_t direction,
                        const char *between)
{
    const size_t num = (size_t)type->num_controls[direction] + type->degree[direction] + 1;
    for (size_t i = 0; i < num; i++) /* doubles in any precision */
        block_writer_text(w->blocks, "%s%.17g", i > 0 ? between : "", type->knots[direction][i]);
}

static void add_g2(spline_writer *w, const spline_type *type, const double *points)
{
    static const int classes[] = {0, 100, 200, 700};
    static const char *const words[] = {"", " ", "\n"};
    const size_t each = spline_coordinates(type);
    const uint32_t *num = type->num_controls;
    block_writer_text(w->blocks, "%d 1 0 0\n%u %d\n", classes[type->directions], type->dim,
                      type->rational ? 1 : 0);
    for (uint32_t k = 0; k < type->directions; k++) {
        block_writer_text(w->blocks, "%u %u\n", num[k], type->degree[k] + 1);
        write_knots(w, type, k, " ");
        block_writer_text(w->blocks, "\n");
    }
    for (size_t k = 0; k < num[2]; k++)
        for (size_t j = 0; j < num[1]; j++)
            for (size_t i = 0; i < num[0]; i++)
                write_point(w, points + ((i * num[1] + j) * num[2] + k) * each, each, words);
    block_writer_text(w->blocks, "\n");
}

/* ---- JSON ---- */

static void begin_json(spline_writer *w, uint64_t num, uint32_t directions)
{
    static const char *const names[] = {"", "curve", "surface", "volume"};
    block_writer_text(w->blocks, "{\"shape\": {\"type\": \"%s\", \"count\": %llu, \"data\": [",
                      names[directions], (unsigned long long)num);
}

/* Writes the keys of a direction, which end in nothing for curves. */
static void write_direction(spline_writer *w, const spline_type *type, uint32_t k)
{
    static const char *const endings[] = {"_u", "_v", "_w"};
    const char *ending = type->directions == 1 ? "" : endings[k];
    block_writer_text(w->blocks, "\"degree%s\": %u, \"knotvector%s\": [", ending, type->degree[k],
                      ending);
    write_knots(w, type, k, ", ");
    block_writer_text(w->blocks, "],\n ");
    if (type->directions > 1)
        block_writer_text(w->blocks, "\"size%s\": %u, ", ending, type->num_controls[k]);
}

/* Finds control point `i` in the order of geomdl: along v, then u, then w. */
static const double *point_of(const spline_type *type, const double *points, size_t i)
{
    const size_t u = type->num_controls[0], v = type->num_controls[1], w = type->num_controls[2];
    const size_t of_layer = i % (u * v), layer = i / (u * v);
    return points + (of_layer * w + layer) * spline_coordinates(type);
}

static void add_json(spline_writer *w, const spline_type *type, const double *points)
{
    static const char *const words[] = {"[", ", ", "]"};
    const size_t num = (size_t)spline_num_controls(type);
    block_writer_text(w->blocks, "%s\n{\"type\": \"spline\", \"rational\": %s, \"dimension\": %u, ",
                      w->num_done > 0 ? "," : "", type->rational ? "true" : "false", type->dim);
    for (uint32_t k = 0; k < type->directions; k++)
        write_direction(w, type, k);
    block_writer_text(w->blocks, "\"control_points\": {\"points\": [");
    for (size_t i = 0; i < num; i++) {
        const double *from = point_of(type, points, i),
                     weight = type->rational ? from[type->dim] : 1;
        double point[SPLINES_MAX_DIM];
        for (uint32_t k = 0; k < type->dim; k++)
            point[k] = from[k] / weight;
        if (i > 0) block_writer_text(w->blocks, ", ");
        write_point(w, point, type->dim, words);
    }
    if (type->rational) block_writer_text(w->blocks, "],\n  \"weights\": [");
    for (size_t i = 0; type->rational && i < num; i++)
        write_real(w, i > 0 ? ", " : "", point_of(type, points, i)[type->dim]);
    block_writer_text(w->blocks, "]}}");
}

/* ---- all ---- */

bool spline_writer_open(spline_writer *w, const char *path, uint64_t num, uint32_t directions,
                        io_message *message)
{
    w->group = -1;
    if (!output_open(&w->out, path, message)) return false;
    w->blocks = block_writer_open(w->out.file);
    if (!w->blocks) {
        output_close(&w->out, false);
        return io_fail(message, "%s: cannot write: not enough memory", path);
    }
    if (w->format == SPLINES_BV) block_writer_text(w->blocks, "# written by clspline\n");
    if (w->format == SPLINES_JSON) begin_json(w, num, directions);
    return true;
}

bool spline_writer_add(spline_writer *w, const spline_type *type, const double *points,
                       int64_t group)
{
    if (w->format == SPLINES_BV) add_bv(w, type, points, group);
    if (w->format == SPLINES_G2) add_g2(w, type, points);
    if (w->format == SPLINES_JSON) add_json(w, type, points);
    w->num_done++;
    return !block_writer_failed(w->blocks);
}

bool spline_writer_close(spline_writer *w, bool done)
{
    if (!w->blocks) return false;
    if (w->format == SPLINES_JSON) block_writer_text(w->blocks, "]}}\n");
    bool written = block_writer_close(w->blocks);
    int reason = errno;
    w->blocks = NULL;
    if (!written && done) {
        errno = reason;
        io_fail_errno(w->out.message, w->out.name, "cannot write");
    }
    return output_close(&w->out, done && written);
}
