#include "solid_vertex.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "half.h"

const uint8_t clspi_order_by[CLSPI_ORDERS][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
                                                 {2, 0, 0}, {1, 1, 0}, {0, 2, 0}, {1, 0, 1},
                                                 {0, 1, 1}, {0, 0, 2}};

/* The attribute that each sum is. */
static const uint8_t part_of[CLSPI_ORDERS] = {0, 2, 3, 4, 5, 6, 7, 11, 12, 13};

enum { NORMAL = 8, PARAMS = 9, JACOBIAN = 14 };

/* ---- shapes ---- */

void clspi_solid_shape_complete(clspi_solid_shape *shape)
{
    const bool has_more = shape->at[NORMAL] >= 0 || shape->at[JACOBIAN] >= 0;

    shape->num_sums = 0;
    for (uint8_t k = 0; k < CLSPI_ORDERS; k++) {
        const bool is_tangent = k == CLSPI_BY_U || k == CLSPI_BY_V || k == CLSPI_BY_W;
        shape->place[k] = -1;
        if (shape->at[part_of[k]] < 0 && !(has_more && is_tangent)) continue;
        shape->place[k] = (int8_t)shape->num_sums;
        shape->number[shape->num_sums++] = k;
    }
    shape->has_normal = shape->at[NORMAL] >= 0;
    shape->has_params = shape->at[PARAMS] >= 0;
}

uint32_t clspi_solid_sums(const clspi_solid_shape *shape)
{
    uint32_t sums = 0;

    for (uint32_t i = 0; i < shape->num_sums; i++)
        sums |= 1u << shape->number[i];
    return sums;
}

uint8_t clspi_solid_face_at(uint8_t faces, const double t[3])
{
    for (uint8_t face = 0; face < CLSPI_NO_FACE; face++)
        if ((faces >> face & 1) && t[face / 2] == (double)(face & 1)) return face;
    return CLSPI_NO_FACE;
}

/* ---- what is made of derivatives ---- */

static double real_at(const clspi_solid_shape *shape, const void *reals, size_t i)
{
    return shape->is_double ? ((const double *)reals)[i] : (double)((const float *)reals)[i];
}

/* Gets the three first derivatives of vertex i. */
static void get_tangents(const clspi_solid_shape *shape, const clspi_solid_source *source, size_t i,
                         double d[3][3])
{
    for (int a = 0; a < 3; a++)
        for (size_t x = 0; x < 3; x++)
            d[a][x] = real_at(shape, source->sums,
                              (size_t)shape->place[CLSPI_BY_U + a] * source->plane + 3 * i + x);
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int x = 0; x < 3; x++) {
        const int y = (x + 1) % 3, z = (x + 2) % 3;
        c[x] = a[y] * b[z] - a[z] * b[y];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double largest_of(const double a[3])
{
    return fmax(fmax(fabs(a[0]), fabs(a[1])), fabs(a[2]));
}

/* Brings a tangent to moderate length; returns what it may be off by then, or 2 where that is
   more than it is long. */
static double moderate(const double a[3], double most, double eps, double to[3])
{
    const double size = largest_of(a);
    const double off = size > 0 ? 64 * eps * (most / size) : 2;

    for (int x = 0; x < 3; x++)
        to[x] = size > 0 ? a[x] / size : 0;
    return off;
}

/* Makes the unit normal outward through a face; (0, 0, 0) where what the derivatives may be off by,
   relative to the largest of them, is as much as their product. */
static void make_normal(const clspi_solid_shape *shape, double d[3][3], uint8_t face, double n[3])
{
    const double eps = shape->is_double ? DBL_EPSILON : FLT_EPSILON;
    const double most = fmax(fmax(largest_of(d[0]), largest_of(d[1])), largest_of(d[2]));
    const int axis = face / 2;
    double s[3], t[3];

    for (int x = 0; x < 3; x++)
        n[x] = face == CLSPI_NOWHERE ? (double)NAN : 0.0;
    if (face >= CLSPI_NO_FACE) return;
    const double off_s = moderate(d[(axis + 1) % 3], most, eps, s);
    const double off_t = moderate(d[(axis + 2) % 3], most, eps, t);
    double product[3];
    cross(s, t, product);
    const double length = sqrt(dot(product, product));
    if (!(length > off_s * sqrt(dot(t, t)) + off_t * sqrt(dot(s, s)))) return;
    for (int x = 0; x < 3; x++)
        n[x] = (face & 1 ? product[x] : -product[x]) / length;
}

static double make_jacobian(double d[3][3])
{
    double product[3];

    cross(d[1], d[2], product);
    return dot(d[0], product);
}

/* ---- storage ---- */

static void put(const clspi_solid_shape *shape, char *vertex, size_t element, double x)
{
    char *const at = vertex + element * (shape->bits / 8);

    if (shape->bits == 64) {
        memcpy(at, &x, sizeof x);
    } else if (shape->bits == 32) {
        const float narrow = (float)x;
        memcpy(at, &narrow, sizeof narrow);
    } else {
        const uint16_t half = clspi_half(x);
        memcpy(at, &half, sizeof half);
    }
}

static void put_all(const clspi_solid_shape *shape, char *vertex, size_t element, const double x[3])
{
    for (size_t k = 0; k < 3; k++)
        put(shape, vertex, element + k, x[k]);
}

/* Stores the sums of all vertices that are attributes. */
static void store_sums(const clspi_solid_shape *shape, const clspi_solid_source *source, char *out,
                       size_t count)
{
    const size_t step = shape->stride * (shape->bits / 8);

    for (uint32_t k = 0; k < shape->num_sums; k++) {
        const int32_t at = shape->at[part_of[shape->number[k]]];
        const size_t first = k * source->plane;
        for (size_t i = 0; i < count && at >= 0; i++)
            for (size_t c = 0; c < shape->dim; c++)
                put(shape, out + i * step, (size_t)at + c,
                    real_at(shape, source->sums, first + i * shape->dim + c));
    }
}

void clspi_solid_vertices_store(const clspi_solid_shape *shape, const clspi_solid_source *source,
                                void *out, size_t count)
{
    const size_t step = shape->stride * (shape->bits / 8);
    double d[3][3], n[3];

    store_sums(shape, source, out, count);
    for (size_t i = 0; i < count; i++) {
        char *const vertex = (char *)out + i * step;
        if (shape->has_params) put_all(shape, vertex, (size_t)shape->at[PARAMS], source->params[i]);
        if (!shape->has_normal && shape->at[JACOBIAN] < 0) continue;
        get_tangents(shape, source, i, d);
        if (shape->at[JACOBIAN] >= 0)
            put(shape, vertex, (size_t)shape->at[JACOBIAN], make_jacobian(d));
        if (!shape->has_normal) continue;
        make_normal(shape, d, source->faces[i], n);
        put_all(shape, vertex, (size_t)shape->at[NORMAL], n);
    }
}
