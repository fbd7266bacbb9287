#include "solid_vertex.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "half.h"
#include "level.h"

#define BY(k)                                                                                      \
    {                                                                                              \
        SUM_BY_U(k), SUM_BY_V(k), SUM_BY_W(k)                                                      \
    }

const uint8_t clspi_order_by[CLSPI_ORDERS][3] = {BY(0), BY(1), BY(2), BY(3), BY(4),
                                                 BY(5), BY(6), BY(7), BY(8), BY(9)};

/* ---- shapes ---- */

void clspi_solid_shape_complete(clspi_solid_shape *shape)
{
    const bool has_more = shape->at[ATTRIBUTE_NORMAL] >= 0 || shape->at[ATTRIBUTE_JACOBIAN] >= 0;

    shape->num_sums = 0;
    for (uint8_t k = 0; k < CLSPI_ORDERS; k++) {
        const bool is_tangent = k == CLSPI_BY_U || k == CLSPI_BY_V || k == CLSPI_BY_W;
        shape->place[k] = -1;
        if (shape->at[SUM_ATTRIBUTE(k)] < 0 && !(has_more && is_tangent)) continue;
        shape->place[k] = (int8_t)shape->num_sums;
        shape->number[shape->num_sums++] = k;
    }
    shape->has_normal = shape->at[ATTRIBUTE_NORMAL] >= 0;
    shape->has_params = shape->at[ATTRIBUTE_PARAMS] >= 0;
}

int32_t clspi_solid_sum_at(const clspi_solid_shape *shape, uint32_t k)
{
    return shape->at[SUM_ATTRIBUTE(shape->number[k])];
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
    for (uint8_t face = 0; face < NO_FACE; face++)
        if ((faces >> face & 1) && t[face / 2] == (double)(face & 1)) return face;
    return NO_FACE;
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
                              (size_t)shape->place[CLSPI_BY_U + a] * source->plane +
                                  i * source->step + x);
}

static void cross(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Returns the larger of two numbers, of a NaN and a number the number. */
static double larger(double a, double b)
{
    return a > b || b != b ? a : b;
}

static double largest_of(const double a[3])
{
    return larger(larger(fabs(a[0]), fabs(a[1])), fabs(a[2]));
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
    const double most = larger(larger(largest_of(d[0]), largest_of(d[1])), largest_of(d[2]));
    const int axis = face / 2;
    double s[3], t[3], product[3];

    const double off_s = moderate(d[(axis + 1) % 3], most, eps, s);
    const double off_t = moderate(d[(axis + 2) % 3], most, eps, t);
    cross(s, t, product);
    const double length = sqrt(dot(product, product));
    const bool is_known = length > off_s * sqrt(dot(t, t)) + off_t * sqrt(dot(s, s));
    for (int x = 0; x < 3; x++)
        n[x] = !is_known ? 0 : (face & 1 ? product[x] : -product[x]) / length;
}

static double make_jacobian(double d[3][3])
{
    double product[3];

    cross(d[1], d[2], product);
    return dot(d[0], product);
}

/* ---- storage ---- */

CLSPI_INLINE void put(char *vertex, uint32_t bits, size_t element, double x)
{
    char *const at = vertex + element * (bits / 8);

    if (bits == 64) {
        memcpy(at, &x, sizeof x);
    } else if (bits == 32) {
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
        put(vertex, shape->bits, element + k, x[k]);
}

/* Stores the first sum of a source in all vertices. Where these are constants compilers know the
   types, and how many channels there are. */
CLSPI_INLINE void store_sum(const clspi_solid_shape *shape, const clspi_solid_source *source,
                            char *out, size_t count, bool is_double, uint32_t bits, size_t used)
{
    const double *const doubles = source->sums;
    const float *const floats = source->sums;
    const size_t step = shape->stride * (bits / 8);

    for (size_t i = 0; i < count; i++, out += step)
        for (size_t c = 0; c < used; c++) {
            const size_t at = i * source->step + c;
            put(out, bits, c, is_double ? doubles[at] : (double)floats[at]);
        }
}

/* Stores the sums of all vertices that are attributes. */
static void store_sums(const clspi_solid_shape *shape, const clspi_solid_source *source, char *out,
                       size_t count)
{
    const uint32_t bits = shape->bits;
    clspi_solid_source one = *source;

    for (uint32_t k = 0; k < shape->num_sums; k++) {
        const int32_t at = clspi_solid_sum_at(shape, k);
        if (at < 0) continue;
        char *const to = out + ((size_t)at + source->first) * (bits / 8);
        one.sums = (const char *)source->sums + k * source->plane * (shape->is_double ? 8 : 4);
        if (source->used == 3 && bits == 32 && !shape->is_double)
            store_sum(shape, &one, to, count, false, 32, 3);
        else if (source->used == 3 && bits == 32)
            store_sum(shape, &one, to, count, true, 32, 3);
        else if (source->used == 3 && bits == 64 && shape->is_double)
            store_sum(shape, &one, to, count, true, 64, 3);
        else
            store_sum(shape, &one, to, count, shape->is_double, bits, source->used);
    }
}

/* Stores what is made of a vertex's first derivatives. */
static void store_more(const clspi_solid_shape *shape, const clspi_solid_source *source, size_t i,
                       char *vertex)
{
    const uint8_t face = source->faces ? source->faces[i] : (uint8_t)NO_FACE;
    const double none = face == CLSPI_NOWHERE ? (double)NAN : 0;
    double d[3][3], n[3] = {none, none, none};

    if (shape->at[ATTRIBUTE_JACOBIAN] >= 0 || face < NO_FACE) get_tangents(shape, source, i, d);
    if (shape->at[ATTRIBUTE_JACOBIAN] >= 0)
        put(vertex, shape->bits, (size_t)shape->at[ATTRIBUTE_JACOBIAN], make_jacobian(d));
    if (face < NO_FACE) make_normal(shape, d, face, n);
    if (shape->has_normal) put_all(shape, vertex, (size_t)shape->at[ATTRIBUTE_NORMAL], n);
}

void clspi_solid_vertices_store(const clspi_solid_shape *shape, const clspi_solid_source *source,
                                void *out, size_t count)
{
    const size_t step = shape->stride * (shape->bits / 8);
    const bool has_more = shape->has_normal || shape->at[ATTRIBUTE_JACOBIAN] >= 0;
    char *vertex = out;

    store_sums(shape, source, out, count);
    for (size_t i = 0; i < count && source->first == 0; i++, vertex += step) {
        if (shape->has_params)
            put_all(shape, vertex, (size_t)shape->at[ATTRIBUTE_PARAMS], source->params[i]);
        if (has_more) store_more(shape, source, i, vertex);
    }
}
