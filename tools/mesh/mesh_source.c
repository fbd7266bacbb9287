#include "mesh_source.h"

#include <math.h>
#include <unistd.h>

#include "command.h"

bool mesh_source_memory(const mesh_source *s)
{
    complain("%s: not enough memory; %s", s->name, s->advice);
    return false;
}

bool mesh_source_clip(const mesh_source *s, size_t at, size_t num, size_t *first, size_t *end)
{
    *first = s->first > at ? s->first - at : 0;
    *end = s->end < at + num ? (s->end > at ? s->end - at : 0) : num;
    return *first < *end;
}

/* ---- sizes ---- */

/* Memory of the machine in bytes; HUGE_VAL where the system does not tell. */
static double machine_memory(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes > 0) return (double)pages * (double)bytes;
#endif
    return HUGE_VAL;
}

static uint64_t grid_points(const mesh_grid *g)
{
    const uint64_t u = g->num_u, v = g->num_v;
    return g->triangle ? u * (u + 1) / 2 : u * v;
}

uint64_t mesh_source_points(const mesh_source *s)
{
    uint64_t sum = 0;
    for (size_t i = s->first; i < s->end; i++) {
        const uint64_t points = grid_points(&s->grids[i]);
        sum = points > UINT64_MAX - sum ? UINT64_MAX : sum + points;
    }
    return sum;
}

/* Whether no direction has more samples than the library takes; *largest becomes the points of the
   largest grid, and *triangles whether there are triangular ones. */
static bool check_grids(const mesh_source *s, uint64_t *largest, bool *triangles)
{
    *largest = 0;
    *triangles = false;
    for (size_t i = 0; i < s->num_grids; i++) {
        const mesh_grid *g = &s->grids[i];
        *triangles = *triangles || g->triangle;
        if (g->num_u > s->most_samples || g->num_v > s->most_samples) return false;
        if (grid_points(g) > *largest) *largest = grid_points(g);
    }
    return true;
}

/* Bytes of memory for a mesh: its points, each with its vectors and its part of the faces (corners
   and an end; two triangles or a quad). */
static double mesh_bytes(const mesh_source *s, uint64_t points, bool triangles)
{
    size_t vectors = s->has_normals ? 2 : 1, faces = triangles ? 2 : 1;
    size_t corners = triangles ? 3 : 4;
    return (double)points * (double)(3 * vectors * sizeof(double) +
                                     faces * (corners * sizeof(uint32_t) + sizeof(size_t)));
}

bool mesh_source_check_size(const mesh_source *s)
{
    const size_t num_rest = s->rest ? s->rest->num_vertices : 0;
    uint64_t largest, points = mesh_source_points(s);
    bool triangles, countable = check_grids(s, &largest, &triangles);
    if (!countable || points > MESH_MAX_VERTICES - num_rest) {
        complain("%s: these are more points than a mesh may have; %s", s->name, s->advice);
        return false;
    }
    size_t real = s->precision == MESH_F32 ? sizeof(float) : sizeof(double);
    double needed = (double)largest * (double)((s->has_normals ? 6 : 3) * real);
    if (!s->streamed) needed += mesh_bytes(s, points, triangles);
    if (needed <= machine_memory()) return true;
    complain("%s: %llu points need %.1f GiB, more memory than this machine has; %s", s->name,
             (unsigned long long)points, needed / (1024.0 * 1024.0 * 1024.0), s->advice);
    return false;
}

/* ---- into a mesh ---- */

/* Makes room for all vertices and faces at once, and adds them; the vertices are still unset. */
static bool add_grids(const mesh_source *s, mesh *m)
{
    const mesh_shape shape = mesh_shape_of_grids(s->grids, s->num_grids, NULL);
    bool done = mesh_reserve(m, shape.num_vertices, shape.num_faces, shape.num_corners);
    for (size_t i = 0; done && i < s->num_grids; i++) {
        const mesh_grid *g = &s->grids[i];
        done = (g->triangle ? mesh_add_triangle_grid(m, g->num_u)
                            : mesh_add_grid(m, g->num_u, g->num_v)) != NULL;
    }
    return done || mesh_source_memory(s);
}

/* The mesh that is filled, and with how many vertices it is. */
typedef struct filling {
    mesh *m;
    size_t num_done;
    coloring_kind colors;
    double *values; /* of vertices; NULL: none */
} filling;

/* Takes the values of vertices that are curvature. */
static void fill_curvature(const filling *f, const mesh_vertices *v)
{
    const float *f32 = v->curvature;
    const double *f64 = v->curvature;
    for (size_t i = 0; i < v->count; i++) {
        double principal[2] = {NAN, NAN};
        for (size_t k = 0; v->curvature && k < 2; k++)
            principal[k] =
                v->precision == MESH_F32 ? (double)f32[i * v->stride + k] : f64[i * v->stride + k];
        f->values[f->num_done + i] = coloring_curvature(f->colors, principal);
    }
}

/* Gives the vertices of each grid its number. */
static void fill_numbers(const mesh_source *s, double *values)
{
    for (size_t grid = 0; grid < s->num_grids; grid++)
        for (size_t i = mesh_grid_points(&s->grids[grid]); i > 0; i--)
            *values++ = (double)grid;
}

static bool fill(void *user, const mesh_vertices *v)
{
    filling *f = user;
    double *positions = f->m->positions + 3 * f->num_done;
    for (size_t i = 0; i < v->count; i++)
        get_triple(v, v->positions, i * v->stride, positions + 3 * i);
    for (size_t i = 0; f->m->has_normals && i < v->count; i++)
        get_triple(v, v->normals, i * v->normal_stride, f->m->normals + 3 * (f->num_done + i));
    if (f->values && f->colors != COLORING_PATCH) fill_curvature(f, v);
    f->num_done += v->count;
    return true;
}

bool mesh_source_has_curvature(const mesh_source *s)
{
    return s->colors == COLORING_MEAN || s->colors == COLORING_GAUSS;
}

bool mesh_source_fill(const mesh_source *s, mesh *m, double *values)
{
    filling f = {.m = m, .colors = s->colors, .values = values};
    const mesh_sink sink = {fill, &f};
    if (values && s->colors == COLORING_PATCH) fill_numbers(s, values);
    return add_grids(s, m) && s->make(s, &sink);
}
