#include "normals.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double crease_cosine =
    0.7; /* about 45 degrees: a wider angle is an edge that should be seen */

/* A vertex and the cell of a fine lattice that it lies in. */
typedef struct place {
    int64_t cell[3];
    size_t vertex;
} place;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool normals_make_unit(double v[3])
{
    /* scaled first, so that the squares of tiny and of huge vectors neither vanish nor overflow */
    double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    bool valid = largest > DBL_MIN && isfinite(largest);
    double length = 1;
    if (valid) {
        for (int axis = 0; axis < 3; axis++)
            v[axis] /= largest;
        length = sqrt(dot(v, v));
    }
    for (int axis = 0; axis < 3; axis++)
        v[axis] = valid ? v[axis] / length : 0;
    return valid;
}

/* Adds a face's vector area (Newell's sum over its edges, which holds for polygons that are not
   flat) to its corners. Edges are taken relative to the first corner, in units of the mesh's size.
 */
static void add_face(mesh *m, size_t face, double unit)
{
    size_t count;
    const uint32_t *corners = mesh_face(m, face, &count);
    double area[3] = {0, 0, 0};
    const double *origin = m->positions + 3 * (size_t)corners[0];
    for (size_t i = 1; i + 1 < count; i++) {
        const double *p = m->positions + 3 * (size_t)corners[i];
        const double *q = m->positions + 3 * (size_t)corners[i + 1];
        double a[3], b[3];
        for (int axis = 0; axis < 3; axis++) {
            a[axis] = p[axis] / unit - origin[axis] / unit;
            b[axis] = q[axis] / unit - origin[axis] / unit;
        }
        for (int axis = 0; axis < 3; axis++) {
            int next = (axis + 1) % 3, last = (axis + 2) % 3;
            area[axis] += a[next] * b[last] - a[last] * b[next];
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 3; axis++)
            m->normals[3 * corners[i] + axis] += area[axis];
}

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    for (int axis = 0; axis < 3; axis++)
        if (a->cell[axis] != b->cell[axis]) return a->cell[axis] < b->cell[axis] ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

static bool same_cell(const place *a, const place *b)
{
    return a->cell[0] == b->cell[0] && a->cell[1] == b->cell[1] && a->cell[2] == b->cell[2];
}

/* Adds to `sum` the normals of a place that agree with `own`; faces may be turned inside out
   against each other, so that a normal counts with the sign that fits. With own zero, the first
   normal that is not zero leads. */
static void gather(const mesh *m, const place *places, size_t count, const double own[3],
                   double sum[3])
{
    double lead[3] = {own[0], own[1], own[2]};
    for (size_t i = 0; i < count; i++) {
        const double *normal = m->normals + 3 * places[i].vertex;
        if (dot(lead, lead) == 0)
            for (int axis = 0; axis < 3; axis++)
                lead[axis] = normal[axis];
        double agreement = dot(lead, normal);
        if (fabs(agreement) < crease_cosine) continue;
        double sign = agreement < 0 ? -1 : 1;
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += sign * normal[axis];
    }
}

/* Writes the shared normals of one place. Long runs (a mesh folded onto one point) are cut, since
   the work per place is quadratic. */
static void share_place(mesh *m, const place *places, size_t count, double *shared)
{
    for (size_t i = 0; i < count; i++) {
        double *sum = shared + 3 * places[i].vertex;
        const double *own = m->normals + 3 * places[i].vertex;
        sum[0] = sum[1] = sum[2] = 0;
        gather(m, places, count, own, sum);
        if (!normals_make_unit(sum)) sum[2] = 1;
    }
}

/* Sorts the vertices by place. Lattice cells are 1e-6 of the mesh's size: well above rounding in
   float. */
static place *sort_places(const mesh *m, const double low[3], double unit)
{
    place *places = malloc(m->num_vertices * sizeof(*places));
    if (!places) return NULL;
    for (size_t i = 0; i < m->num_vertices; i++) {
        places[i].vertex = i;
        for (int axis = 0; axis < 3; axis++) {
            double offset = m->positions[3 * i + (size_t)axis] / unit - low[axis] / unit;
            places[i].cell[axis] = isfinite(offset) ? (int64_t)floor(offset * 1e6 + 0.5) : 0;
        }
    }
    qsort(places, m->num_vertices, sizeof(*places), compare_places);
    return places;
}

bool mesh_compute_normals(mesh *m)
{
    enum { MAX_SHARED = 1024 };
    double low[3], high[3], unit = 0;
    double *shared = NULL;
    place *places = NULL;
    free(m->normals);
    m->normals = NULL;
    m->has_normals = false;
    m->normal_capacity = 0;
    if (m->num_vertices == 0) return true;

    mesh_bounds(m, low, high);
    for (int axis = 0; axis < 3; axis++)
        unit = fmax(unit, high[axis] / 2 - low[axis] / 2);
    if (!(unit > 0)) unit = 1;
    m->normals = calloc(m->num_vertices, 3 * sizeof(double));
    shared = malloc(m->num_vertices * 3 * sizeof(double));
    places = sort_places(m, low, unit);
    if (!m->normals || !shared || !places) goto fail;

    for (size_t face = 0; face < m->num_faces; face++)
        add_face(m, face, unit);
    for (size_t i = 0; i < m->num_vertices; i++)
        normals_make_unit(m->normals + 3 * i);
    for (size_t first = 0, end; first < m->num_vertices; first = end) {
        end = first + 1;
        while (end < m->num_vertices && end - first < MAX_SHARED &&
               same_cell(&places[first], &places[end]))
            end++;
        share_place(m, places + first, end - first, shared);
    }
    free(places);
    free(m->normals);
    m->normals = shared;
    m->normal_capacity = m->num_vertices;
    m->has_normals = true;
    return true;

fail:
    free(places);
    free(shared);
    free(m->normals);
    m->normals = NULL;
    return false;
}

double *mesh_corner_normals(const mesh *m, size_t first_face)
{
    mesh apart = {.precision = m->precision};
    bool done = true;
    for (size_t face = first_face; done && face < m->num_faces; face++) {
        size_t count;
        const uint32_t *corners = mesh_face(m, face, &count);
        for (size_t i = 0; done && i < count; i++) {
            double *position = mesh_add_vertices(&apart, 1);
            done = position && mesh_add_corner(&apart, (uint32_t)apart.num_vertices - 1);
            if (done)
                memcpy(position, m->positions + 3 * (size_t)corners[i], 3 * sizeof(*position));
        }
        done = done && mesh_end_face(&apart);
    }
    done = done && mesh_compute_normals(&apart);
    double *normals = done ? apart.normals : NULL;
    if (done) apart.normals = NULL;
    mesh_clear(&apart);
    return normals;
}
