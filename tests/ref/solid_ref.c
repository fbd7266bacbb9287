#include "solid_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DERIVATIVE_LEVELS = 40 };

typedef struct vec {
    long double x[3];
} vec;

/* The cells around one, which is number 0. */
typedef struct patch {
    size_t num_cells, num_points, num_edges, num_faces, num_creases;
    uint32_t (*cell)[8];
    vec *point;
    unsigned char *fixed; /* corners, by point */
    uint32_t (*crease)[2];
    long double *sharpness;
    uint32_t (*edge)[2];
    uint32_t (*face)[4]; /* cyclic */
    uint32_t (*face_cell)[2];
    unsigned *face_cells;
    uint32_t (*cell_edge)[12], (*cell_face)[6];
    vec *edge_point, *face_point, *cell_point;
} patch;

static const unsigned edge_ends[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                          {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const unsigned face_loops[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                          {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};

static void *room(size_t count, size_t bytes)
{
    void *const memory = calloc(count + 1, bytes);

    if (!memory) abort();
    return memory;
}

static void free_patch(patch *p)
{
    free(p->cell);
    free(p->point);
    free(p->fixed);
    free(p->crease);
    free(p->sharpness);
    free(p->edge);
    free(p->face);
    free(p->face_cell);
    free(p->face_cells);
    free(p->cell_edge);
    free(p->cell_face);
    free(p->edge_point);
    free(p->face_point);
    free(p->cell_point);
}

static vec sum(vec a, vec b, long double weight)
{
    for (int i = 0; i < 3; i++)
        a.x[i] += weight * b.x[i];
    return a;
}

static vec scaled(vec a, long double weight)
{
    return sum((vec){{0, 0, 0}}, a, weight);
}

static int holds(const uint32_t *list, size_t num, uint32_t item)
{
    for (size_t i = 0; i < num; i++)
        if (list[i] == item) return 1;
    return 0;
}

/* Whether any of a list is a vertex of cell 0. */
static int is_near(const patch *p, const uint32_t *list, size_t num)
{
    for (size_t i = 0; i < num; i++)
        if (holds(p->cell[0], 8, list[i])) return 1;
    return 0;
}

/* The sharpness of an edge; 0: none. */
static long double sharpness_of(const patch *p, size_t e)
{
    for (size_t i = 0; i < p->num_creases; i++)
        if (holds(p->crease[i], 2, p->edge[e][0]) && holds(p->crease[i], 2, p->edge[e][1]))
            return p->sharpness[i];
    return 0;
}

static int is_boundary(const patch *p, size_t f)
{
    return p->face_cells[f] == 1;
}

static vec mean_of(const patch *p, const uint32_t *list, size_t num)
{
    vec mean = {{0, 0, 0}};

    for (size_t i = 0; i < num; i++)
        mean = sum(mean, p->point[list[i]], 1.0L / (long double)num);
    return mean;
}

/* ---- edges and faces ---- */

static void find_edges(patch *p)
{
    p->edge = room(p->num_cells * 12, sizeof *p->edge);
    p->cell_edge = room(p->num_cells, sizeof *p->cell_edge);
    for (size_t c = 0; c < p->num_cells; c++)
        for (unsigned k = 0; k < 12; k++) {
            const uint32_t a = p->cell[c][edge_ends[k][0]], b = p->cell[c][edge_ends[k][1]];
            size_t e = 0;
            while (e < p->num_edges && !(holds(p->edge[e], 2, a) && holds(p->edge[e], 2, b)))
                e++;
            if (e == p->num_edges) {
                p->edge[e][0] = a;
                p->edge[e][1] = b;
                p->num_edges++;
            }
            p->cell_edge[c][k] = (uint32_t)e;
        }
}

static void find_faces(patch *p)
{
    p->face = room(p->num_cells * 6, sizeof *p->face);
    p->face_cell = room(p->num_cells * 6, sizeof *p->face_cell);
    p->face_cells = room(p->num_cells * 6, sizeof *p->face_cells);
    p->cell_face = room(p->num_cells, sizeof *p->cell_face);
    for (size_t c = 0; c < p->num_cells; c++)
        for (unsigned k = 0; k < 6; k++) {
            uint32_t loop[4];
            size_t f;
            for (unsigned i = 0; i < 4; i++)
                loop[i] = p->cell[c][face_loops[k][i]];
            for (f = 0; f < p->num_faces; f++) {
                unsigned common = 0;
                while (common < 4 && holds(p->face[f], 4, loop[common]))
                    common++;
                if (common == 4) break;
            }
            if (f == p->num_faces) memcpy(p->face[p->num_faces++], loop, sizeof loop);
            p->face_cell[f][p->face_cells[f]++ & 1] = (uint32_t)c;
            p->cell_face[c][k] = (uint32_t)f;
        }
}

/* ---- rules ---- */

static vec nowhere(void)
{
    return (vec){{NAN, NAN, NAN}};
}

static vec new_face_point(const patch *p, size_t f)
{
    const vec middle = mean_of(p, p->face[f], 4);
    vec point;

    if (!is_near(p, p->face[f], 4)) return nowhere();
    if (is_boundary(p, f)) return middle;
    point = scaled(middle, 0.5L);
    point = sum(point, p->cell_point[p->face_cell[f][0]], 0.25L);
    return sum(point, p->cell_point[p->face_cell[f][1]], 0.25L);
}

static unsigned faces_at_edge(const patch *p, size_t e, unsigned *boundary)
{
    unsigned n = 0;

    *boundary = 0;
    for (size_t f = 0; f < p->num_faces; f++)
        if (holds(p->face[f], 4, p->edge[e][0]) && holds(p->face[f], 4, p->edge[e][1])) {
            n++;
            *boundary += (unsigned)is_boundary(p, f);
        }
    return n;
}

static vec new_edge_point(const patch *p, size_t e)
{
    const uint32_t a = p->edge[e][0], b = p->edge[e][1];
    const vec middle = mean_of(p, p->edge[e], 2);
    const long double sharp = sharpness_of(p, e);
    unsigned boundary;
    long double n;
    vec point;

    if (!is_near(p, p->edge[e], 2)) return nowhere();
    n = faces_at_edge(p, e, &boundary);
    if (boundary && sharp >= 1) return middle;
    point = boundary ? scaled(middle, 0.5L) : scaled(middle, (n - 3) / n);
    for (size_t f = 0; f < p->num_faces; f++)
        if (holds(p->face[f], 4, a) && holds(p->face[f], 4, b)) {
            const vec face = mean_of(p, p->face[f], 4);
            if (boundary && is_boundary(p, f)) point = sum(point, face, 0.25L);
            if (!boundary) point = sum(point, face, 2 / (n * n));
        }
    if (boundary) return sum(scaled(middle, sharp), point, 1 - sharp);
    for (size_t c = 0; c < p->num_cells && !boundary; c++)
        if (holds(p->cell[c], 8, a) && holds(p->cell[c], 8, b))
            point = sum(point, p->cell_point[c], 1 / (n * n));
    return point;
}

/* The point of a vertex by the rule for its creases that are sharper than `above`. */
static vec ruled_vertex(const patch *p, uint32_t v, unsigned faces, long double above)
{
    const long double n = faces;
    unsigned creases = 0;
    vec point;

    for (size_t e = 0; e < p->num_edges; e++)
        creases += (unsigned)(holds(p->edge[e], 2, v) && sharpness_of(p, e) > above);
    if (p->fixed[v] || creases > 2) return p->point[v];
    point = scaled(p->point[v], creases == 2 ? 0.5L : (n - 3) / n);
    for (size_t f = 0; f < p->num_faces && creases < 2; f++)
        if (is_boundary(p, f) && holds(p->face[f], 4, v))
            point = sum(point, mean_of(p, p->face[f], 4), 1 / (n * n));
    for (size_t e = 0; e < p->num_edges; e++) {
        unsigned boundary;
        if (!holds(p->edge[e], 2, v)) continue;
        faces_at_edge(p, e, &boundary);
        if (creases == 2 && sharpness_of(p, e) > above)
            point = sum(point, mean_of(p, p->edge[e], 2), 0.25L);
        if (creases < 2 && boundary) point = sum(point, mean_of(p, p->edge[e], 2), 2 / (n * n));
    }
    return point;
}

/* The point by a vertex's rule at this level, blended with that at the next one where fading
   creases make it another: two creases become fewer, or more become two and fewer. */
static vec surface_vertex(const patch *p, uint32_t v, unsigned faces)
{
    const vec now = ruled_vertex(p, v, faces, 0), later = ruled_vertex(p, v, faces, 1);
    unsigned creases[2] = {0, 0}, fading = 0;
    long double share = 0;

    for (size_t e = 0; e < p->num_edges; e++) {
        const long double sharp = holds(p->edge[e], 2, v) ? sharpness_of(p, e) : 0;
        creases[0] += sharp > 0;
        creases[1] += sharp > 1;
        if (sharp > 0 && sharp <= 1) {
            fading++;
            share += sharp;
        }
    }
    if (fading == 0 || creases[0] < 2 || creases[1] > 2 || p->fixed[v]) return now;
    if (creases[0] == creases[1]) return now;
    share /= fading;
    return sum(scaled(now, share), later, 1 - share);
}

static vec inner_vertex(const patch *p, uint32_t v)
{
    long double cells = 0, faces = 0, left = 1;
    vec point = {{0, 0, 0}};

    for (size_t c = 0; c < p->num_cells; c++)
        cells += holds(p->cell[c], 8, v);
    for (size_t f = 0; f < p->num_faces; f++)
        faces += holds(p->face[f], 4, v);
    for (size_t c = 0; c < p->num_cells; c++)
        if (holds(p->cell[c], 8, v)) point = sum(point, p->cell_point[c], 1 / (cells * cells));
    for (size_t f = 0; f < p->num_faces; f++)
        if (holds(p->face[f], 4, v))
            point = sum(point, mean_of(p, p->face[f], 4), 3 / (faces * cells));
    left -= 4 / cells;
    for (size_t e = 0; e < p->num_edges; e++) {
        unsigned boundary;
        if (!holds(p->edge[e], 2, v)) continue;
        const long double n = faces_at_edge(p, e, &boundary);
        const long double weight = n * (n - 3) / (cells * cells);
        point = sum(point, mean_of(p, p->edge[e], 2), weight);
        left -= weight;
    }
    return sum(point, p->point[v], left);
}

static vec new_vertex_point(const patch *p, uint32_t v)
{
    unsigned faces = 0;

    if (!holds(p->cell[0], 8, v)) return nowhere();
    for (size_t f = 0; f < p->num_faces; f++)
        faces += (unsigned)(is_boundary(p, f) && holds(p->face[f], 4, v));
    return faces ? surface_vertex(p, v, faces) : inner_vertex(p, v);
}

/* ---- a level ---- */

/* Keeps of some cells those that touch one, which becomes number 0. */
static patch around(const patch *from, size_t target)
{
    patch p = {0};
    uint32_t *const number = room(from->num_points, sizeof *number); /* + 1 */

    p.cell = room(from->num_cells, sizeof *p.cell);
    p.point = room(from->num_points, sizeof *p.point);
    p.fixed = room(from->num_points, 1);
    p.crease = room(from->num_creases, sizeof *p.crease);
    p.sharpness = room(from->num_creases, sizeof *p.sharpness);
    for (size_t i = 0; i <= from->num_cells; i++) {
        const size_t c = i == 0 ? target : i - 1;
        int near = 0;
        if (i > 0 && c == target) continue;
        for (unsigned k = 0; k < 8; k++)
            near |= holds(from->cell[target], 8, from->cell[c][k]);
        for (unsigned k = 0; k < 8 && near; k++) {
            const uint32_t v = from->cell[c][k];
            if (!number[v]) {
                p.point[p.num_points] = from->point[v];
                p.fixed[p.num_points] = from->fixed[v];
                number[v] = (uint32_t)++p.num_points;
            }
            p.cell[p.num_cells][k] = number[v] - 1;
        }
        p.num_cells += (size_t)near;
    }
    for (size_t i = 0; i < from->num_creases; i++)
        if (number[from->crease[i][0]] && number[from->crease[i][1]]) {
            p.crease[p.num_creases][0] = number[from->crease[i][0]] - 1;
            p.crease[p.num_creases][1] = number[from->crease[i][1]] - 1;
            p.sharpness[p.num_creases++] = from->sharpness[i];
        }
    free(number);
    return p;
}

static void compute_points(patch *p, vec *vertex)
{
    find_edges(p);
    find_faces(p);
    p->edge_point = room(p->num_edges, sizeof *p->edge_point);
    p->face_point = room(p->num_faces, sizeof *p->face_point);
    p->cell_point = room(p->num_cells, sizeof *p->cell_point);
    for (size_t c = 0; c < p->num_cells; c++)
        p->cell_point[c] = mean_of(p, p->cell[c], 8);
    for (size_t f = 0; f < p->num_faces; f++)
        p->face_point[f] = new_face_point(p, f);
    for (size_t e = 0; e < p->num_edges; e++)
        p->edge_point[e] = new_edge_point(p, e);
    for (uint32_t v = 0; v < p->num_points; v++)
        vertex[v] = new_vertex_point(p, v);
}

/* The corner of a child, at x, y, z of 0, 1, 2 in its parent. */
static uint32_t lattice(const patch *p, size_t c, const unsigned at[3])
{
    unsigned middles = 0, corner = 0, free_axis = 0, fixed_axis = 0;

    for (unsigned a = 0; a < 3; a++) {
        middles += at[a] == 1;
        corner |= (at[a] == 2 ? 1u : 0u) << a;
        if (at[a] == 1)
            free_axis = a;
        else
            fixed_axis = a;
    }
    if (middles == 0) return p->cell[c][corner];
    if (middles == 1)
        for (unsigned k = 0; k < 12; k++)
            if (edge_ends[k][0] == corner && edge_ends[k][1] == (corner | 1u << free_axis))
                return (uint32_t)(p->num_points + p->cell_edge[c][k]);
    if (middles == 2)
        return (uint32_t)(p->num_points + p->num_edges +
                          p->cell_face[c][2 * fixed_axis + at[fixed_axis] / 2]);
    return (uint32_t)(p->num_points + p->num_edges + p->num_faces + c);
}

/* All children of all cells, those of cell 0 first. */
static patch refine(patch *p)
{
    patch fine = {0};

    fine.cell = room(8 * p->num_cells, sizeof *fine.cell);
    fine.crease = room(2 * p->num_creases, sizeof *fine.crease);
    fine.sharpness = room(2 * p->num_creases, sizeof *fine.sharpness);
    fine.point = room(p->num_points + 26 * p->num_cells, sizeof *fine.point);
    fine.fixed = room(p->num_points + 26 * p->num_cells, 1);
    compute_points(p, fine.point);
    fine.num_points = p->num_points + p->num_edges + p->num_faces + p->num_cells;
    memcpy(fine.fixed, p->fixed, p->num_points);
    memcpy(fine.point + p->num_points, p->edge_point, p->num_edges * sizeof(vec));
    memcpy(fine.point + p->num_points + p->num_edges, p->face_point, p->num_faces * sizeof(vec));
    memcpy(fine.point + fine.num_points - p->num_cells, p->cell_point, p->num_cells * sizeof(vec));
    for (size_t c = 0; c < p->num_cells; c++)
        for (unsigned j = 0; j < 8; j++, fine.num_cells++)
            for (unsigned i = 0; i < 8; i++) {
                const unsigned at[3] = {(i & 1) + (j & 1), (i >> 1 & 1) + (j >> 1 & 1),
                                        (i >> 2) + (j >> 2)};
                fine.cell[fine.num_cells][i] = lattice(p, c, at);
            }
    for (size_t e = 0; e < p->num_edges; e++)
        for (unsigned s = 0; s < 2 && sharpness_of(p, e) > 1; s++) {
            fine.crease[fine.num_creases][0] = p->edge[e][s];
            fine.crease[fine.num_creases][1] = (uint32_t)(p->num_points + e);
            fine.sharpness[fine.num_creases++] = sharpness_of(p, e) - 1;
        }
    return fine;
}

/* ---- limits ---- */

static patch first_patch(const ref_solid *solid, size_t cell)
{
    patch all = {0}, p;
    size_t points = 0;

    all.num_cells = solid->num_cells;
    all.cell = room(solid->num_cells, sizeof *all.cell);
    memcpy(all.cell, solid->cell, solid->num_cells * sizeof *all.cell);
    for (size_t i = 0; i < 8 * solid->num_cells; i++)
        if (solid->cell[i] >= points) points = solid->cell[i] + 1;
    all.num_points = points;
    all.point = room(points, sizeof *all.point);
    all.fixed = room(points, 1);
    for (size_t i = 0; i < 3 * points; i++)
        all.point[i / 3].x[i % 3] = solid->point[i];
    for (size_t i = 0; i < solid->num_corners; i++)
        all.fixed[solid->corner[i]] = 1;
    all.num_creases = solid->num_creases;
    all.crease = room(solid->num_creases, sizeof *all.crease);
    all.sharpness = room(solid->num_creases, sizeof *all.sharpness);
    for (size_t i = 0; i < 2 * solid->num_creases; i++)
        all.crease[i / 2][i % 2] = solid->crease[i];
    for (size_t i = 0; i < solid->num_creases; i++)
        all.sharpness[i] = solid->sharpness ? (long double)solid->sharpness[i] : INFINITY;
    p = around(&all, cell);
    free_patch(&all);
    return p;
}

void ref_solid_limit(const ref_solid *solid, size_t cell, const long double t[3], unsigned levels,
                     long double limit[3])
{
    long double at[3] = {t[0], t[1], t[2]};
    patch p = first_patch(solid, cell);
    vec point = {{0, 0, 0}};

    for (unsigned level = 0; level < levels; level++) {
        unsigned child = 0;
        patch fine = refine(&p), next;
        for (unsigned a = 0; a < 3; a++) {
            const unsigned upper = at[a] >= 0.5L;
            child |= upper << a;
            at[a] = 2 * at[a] - upper;
        }
        next = around(&fine, child);
        free_patch(&fine);
        free_patch(&p);
        p = next;
    }
    for (unsigned i = 0; i < 8; i++) {
        long double weight = 1;
        for (unsigned a = 0; a < 3; a++)
            weight *= i >> a & 1 ? at[a] : 1 - at[a];
        point = sum(point, p.point[p.cell[0][i]], weight);
    }
    free_patch(&p);
    memcpy(limit, point.x, sizeof point.x);
}

void ref_solid_derivative(const ref_solid *solid, size_t cell, const long double t[3],
                          const unsigned by[3], long double h, long double derivative[3])
{
    static const long double weights[3][5] = {
        {0, 0, 1, 0, 0},
        {1.0L / 12, -8.0L / 12, 0, 8.0L / 12, -1.0L / 12},
        {-1.0L / 12, 16.0L / 12, -30.0L / 12, 16.0L / 12, -1.0L / 12}};

    memset(derivative, 0, 3 * sizeof *derivative);
    for (int i = 0; i < 125; i++) {
        const int step[3] = {i / 25 - 2, i / 5 % 5 - 2, i % 5 - 2};
        long double at[3], weight = 1, limit[3];
        for (unsigned a = 0; a < 3; a++) {
            at[a] = t[a] + (long double)step[a] * h;
            weight *= weights[by[a]][step[a] + 2];
            for (unsigned k = 0; k < by[a]; k++)
                weight /= h;
        }
        if (weight == 0) continue;
        ref_solid_limit(solid, cell, at, DERIVATIVE_LEVELS, limit);
        for (unsigned k = 0; k < 3; k++)
            derivative[k] += weight * limit[k];
    }
}

/* ---- normals ---- */

enum { MOST_FACES = 64 };

/* A boundary face at a vertex: the ends of its edges there, the first one before the other as seen
   from outside, and its diagonal. */
typedef struct corner {
    uint32_t end[2], diagonal;
} corner;

static int is_single(const ref_solid *solid, const uint32_t *loop)
{
    unsigned found = 0;

    for (size_t c = 0; c < solid->num_cells; c++) {
        unsigned common = 0;
        for (unsigned i = 0; i < 4; i++)
            common += (unsigned)holds(solid->cell + 8 * c, 8, loop[i]);
        found += common == 4;
    }
    return found == 1;
}

static unsigned find_corners(const ref_solid *solid, uint32_t v, corner *all)
{
    unsigned num = 0;

    for (size_t c = 0; c < solid->num_cells; c++)
        for (unsigned k = 0; k < 6; k++) {
            const int outward = k == 1 || k == 2 || k == 5;
            uint32_t loop[4];
            unsigned at = 0;
            for (unsigned i = 0; i < 4; i++)
                loop[i] = solid->cell[8 * c + face_loops[k][i]];
            if (!holds(loop, 4, v) || !is_single(solid, loop)) continue;
            while (loop[at] != v)
                at++;
            if (num == MOST_FACES) abort();
            all[num++] =
                (corner){{loop[(at + (outward ? 1 : 3)) % 4], loop[(at + (outward ? 3 : 1)) % 4]},
                         loop[(at + 2) % 4]};
        }
    return num;
}

void ref_solid_normal(const ref_solid *solid, uint32_t vertex, long double normal[3])
{
    const long double pi = acosl(-1.0L);
    corner all[MOST_FACES];
    const unsigned n = find_corners(solid, vertex, all);
    const long double c1 = cosl(2 * pi / n);
    const long double weight = 1 + c1 + cosl(pi / n) * sqrtl(2 * (9 + c1));
    long double tangent[2][3] = {{0}}, length;
    unsigned at = 0;

    for (unsigned i = 0; i < n; i++) {
        for (unsigned s = 0; s < 2; s++) {
            const long double here = cosl(2 * pi * (i - (long double)s) / n);
            const long double next = cosl(2 * pi * (i + 1 - (long double)s) / n);
            for (unsigned k = 0; k < 3; k++)
                tangent[s][k] += weight * here * solid->point[3 * all[at].end[0] + k] +
                                 (here + next) * solid->point[3 * all[at].diagonal + k];
        }
        unsigned next = 0;
        while (next < n - 1 && all[next].end[0] != all[at].end[1])
            next++;
        at = next;
    }
    for (unsigned k = 0; k < 3; k++)
        normal[k] = tangent[0][(k + 1) % 3] * tangent[1][(k + 2) % 3] -
                    tangent[0][(k + 2) % 3] * tangent[1][(k + 1) % 3];
    length = sqrtl(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (unsigned k = 0; k < 3; k++)
        normal[k] /= length;
}
