#include "boundary_faces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

static const double radians = 3.14159265358979323846 / 180;

/* ---- faces ---- */

/* The sides of a kind of cell. */
typedef struct cell_sides {
    int kind, num;
    uint8_t sizes[6], corner[6][4];
} cell_sides;

static const cell_sides known[] = {
    {SOLID_HEXAHEDRON,
     6,
     {4, 4, 4, 4, 4, 4},
     {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}},
    {SOLID_TETRAHEDRON, 4, {3, 3, 3, 3}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}},
    {SOLID_WEDGE,
     5,
     {3, 3, 4, 4, 4},
     {{0, 1, 2}, {3, 5, 4}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}}};

/* A face of a cell: its least vertex, that one's neighbours, and what follows behind the lesser one
   of these; two faces of sound cells that agree are one. */
typedef struct face_key {
    uint32_t key[4], cell, begin; /* begin: of its corners among all */
    uint16_t count;
    uint8_t side;
} face_key;

/* Faces on their way to being sorted. */
typedef struct face_list {
    face_key *faces;
    size_t num, capacity;
    uint32_t *corner;
    size_t num_corners, corner_capacity;
} face_list;

static bool add_face(face_list *l, uint32_t cell, uint8_t side, const uint32_t *corner,
                     size_t count)
{
    face_key *faces = array_reserve(l->faces, &l->capacity, l->num + 1, sizeof(*faces));
    if (faces) l->faces = faces;
    uint32_t *moved =
        array_reserve(l->corner, &l->corner_capacity, l->num_corners + count, sizeof(*moved));
    if (moved) l->corner = moved;
    if (!faces || !moved || l->num_corners + count > UINT32_MAX) return false;
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        if (corner[i] < corner[least]) least = i;
    const uint32_t next = corner[(least + 1) % count], last = corner[(least + count - 1) % count];
    const size_t step = next < last ? 2 : count - 2;
    faces[l->num++] = (face_key){{corner[least], next < last ? next : last,
                                  next < last ? last : next, corner[(least + step) % count]},
                                 cell,
                                 (uint32_t)l->num_corners,
                                 (uint16_t)count,
                                 side};
    memcpy(moved + l->num_corners, corner, count * sizeof(*corner));
    l->num_corners += count;
    return true;
}

/* Adds the faces of a polyhedron and returns where its indices end; 0: no memory. */
static size_t add_polyhedron(face_list *l, uint32_t cell, const uint32_t *index, size_t at)
{
    const uint32_t num = index[at++];
    for (uint32_t side = 0; side < num; side++) {
        const uint32_t count = index[at++];
        if (!add_face(l, cell, (uint8_t)side, index + at, count)) return 0;
        at += count;
    }
    return at;
}

static bool add_cell(face_list *l, uint32_t cell, const cell_sides *sides, const uint32_t *index)
{
    bool done = true;
    for (int side = 0; done && side < sides->num; side++) {
        uint32_t corner[4];
        for (uint8_t i = 0; i < sides->sizes[side]; i++)
            corner[i] = index[sides->corner[side][i]];
        done = add_face(l, cell, (uint8_t)side, corner, sides->sizes[side]);
    }
    return done;
}

static bool add_all(face_list *l, const solid_cells *cells)
{
    size_t at = 0;
    for (size_t cell = 0; cell < cells->num_cells; cell++) {
        const int kind = cells->kinds ? cells->kinds[cell] : SOLID_HEXAHEDRON;
        const cell_sides *sides = known;
        if (kind == SOLID_POLYHEDRON) {
            at = add_polyhedron(l, (uint32_t)cell, cells->index, at);
            if (at == 0) return false;
            continue;
        }
        while (sides->kind != kind)
            sides++;
        if (!add_cell(l, (uint32_t)cell, sides, cells->index + at)) return false;
        at += solid_kind_vertices(kind);
    }
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const face_key *x = a, *y = b;
    for (int i = 0; i < 4; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

static int compare_places(const void *a, const void *b)
{
    const face_key *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Sorts faces by their keys: by their least vertices at once, and then the few that share one. */
static bool sort_faces(face_list *l)
{
    size_t vertices = 0, first = 0;
    for (size_t i = 0; i < l->num; i++)
        if (l->faces[i].key[0] >= vertices) vertices = (size_t)l->faces[i].key[0] + 1;
    size_t *ends = calloc(vertices + 1, sizeof(*ends));
    face_key *sorted = malloc((l->num + 1) * sizeof(*sorted));
    const bool done = ends && sorted;
    for (size_t i = 0; done && i < l->num; i++)
        ends[l->faces[i].key[0] + 1]++;
    for (size_t v = 1; done && v < vertices; v++)
        ends[v] += ends[v - 1];
    for (size_t i = 0; done && i < l->num; i++)
        sorted[ends[l->faces[i].key[0]]++] = l->faces[i];
    for (size_t v = 0; done && v < vertices; first = ends[v++])
        if (ends[v] > first + 1)
            qsort(sorted + first, ends[v] - first, sizeof(*sorted), compare_keys);
    if (done) {
        free(l->faces);
        l->faces = sorted;
    } else {
        free(sorted);
    }
    free(ends);
    return done;
}

/* Keeps the faces that stand once, in the order of cells. */
static bool keep_single(face_list *l)
{
    size_t kept = 0;
    if (!sort_faces(l)) return false;
    for (size_t i = 0; i < l->num; i++) {
        const bool before = i > 0 && compare_keys(&l->faces[i - 1], &l->faces[i]) == 0;
        const bool behind = i + 1 < l->num && compare_keys(&l->faces[i], &l->faces[i + 1]) == 0;
        if (before || behind) continue;
        /* kept <= i: what is compared next is still there */
        l->faces[kept++] = l->faces[i];
    }
    l->num = kept;
    if (kept > 0) qsort(l->faces, kept, sizeof(*l->faces), compare_places);
    return true;
}

static bool take_faces(boundary_faces *b, const face_list *l)
{
    size_t at = 0;
    b->ends = malloc((l->num + 1) * sizeof(*b->ends));
    b->cell = malloc((l->num + 1) * sizeof(*b->cell));
    b->side = malloc(l->num + 1);
    b->corner = malloc((l->num_corners + 1) * sizeof(*b->corner));
    if (!b->ends || !b->cell || !b->side || !b->corner) return false;
    for (size_t i = 0; i < l->num; i++) {
        const face_key *f = &l->faces[i];
        memcpy(b->corner + at, l->corner + f->begin, f->count * sizeof(*b->corner));
        b->ends[i] = at += f->count;
        b->cell[i] = f->cell;
        b->side[i] = f->side;
    }
    b->num = l->num;
    return true;
}

bool boundary_faces_find(boundary_faces *b, const solid_cells *cells)
{
    face_list l = {.faces = NULL};
    bool done = add_all(&l, cells);
    *b = (boundary_faces){.num = 0};
    done = done && keep_single(&l) && take_faces(b, &l);
    free(l.faces);
    free(l.corner);
    if (!done) boundary_faces_clear(b);
    return done;
}

void boundary_faces_clear(boundary_faces *b)
{
    free(b->ends);
    free(b->corner);
    free(b->cell);
    free(b->side);
    *b = (boundary_faces){.num = 0};
}

/* ---- sharp edges ---- */

/* An edge as one of its faces has it. */
typedef struct face_edge {
    uint32_t low, high;
    size_t face, corner; /* the corner where it begins */
} face_edge;

static int compare_edges(const void *a, const void *b)
{
    const face_edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

/* Computes the middle of a polyhedron's vertices, each counted as often as faces have it. */
static void middle_of(const solid_cells *cells, const size_t *begins, uint32_t cell, double to[3])
{
    size_t at = begins[cell], num = 0;
    const uint32_t faces = cells->index[at++];
    to[0] = to[1] = to[2] = 0;
    for (uint32_t f = 0; f < faces; f++)
        for (uint32_t count = cells->index[at++]; count > 0; count--, at++, num++)
            for (int k = 0; k < 3; k++)
                to[k] += cells->points[3 * (size_t)cells->index[at] + (size_t)k];
    for (int k = 0; k < 3; k++)
        to[k] /= (double)num;
}

/* Computes a face's normal, of length 1 or 0, by the sum of cross products around its middle; that
   of a polyhedron's face points away from the polyhedron's middle. */
static void normal_of(const boundary_faces *b, const solid_cells *cells, const size_t *begins,
                      size_t face, double n[3])
{
    const size_t begin = face > 0 ? b->ends[face - 1] : 0, count = b->ends[face] - begin;
    double middle[3] = {0, 0, 0}, inner[3], away = 0;
    n[0] = n[1] = n[2] = 0;
    for (size_t i = 0; i < 3 * count; i++)
        middle[i % 3] +=
            cells->points[3 * (size_t)b->corner[begin + i / 3] + i % 3] / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double *p = cells->points + 3 * (size_t)b->corner[begin + i];
        const double *q = cells->points + 3 * (size_t)b->corner[begin + (i + 1) % count];
        for (int k = 0; k < 3; k++) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            n[k] +=
                (p[l] - middle[l]) * (q[m] - middle[m]) - (p[m] - middle[m]) * (q[l] - middle[l]);
        }
    }
    if (cells->kinds && cells->kinds[b->cell[face]] == SOLID_POLYHEDRON) {
        middle_of(cells, begins, b->cell[face], inner);
        for (int k = 0; k < 3; k++)
            away += n[k] * (middle[k] - inner[k]);
    }
    const double length = hypot(hypot(n[0], n[1]), n[2]) * (away < 0 ? -1 : 1);
    for (int k = 0; k < 3; k++)
        n[k] = length != 0 ? n[k] / length : 0;
}

/* Makes the list of edges, each as often as faces have it, sorted. The caller frees. */
static face_edge *list_edges(const boundary_faces *b, size_t *num)
{
    *num = b->num > 0 ? b->ends[b->num - 1] : 0;
    face_edge *edges = malloc((*num + 1) * sizeof(*edges));
    for (size_t face = 0; edges && face < b->num; face++) {
        const size_t begin = face > 0 ? b->ends[face - 1] : 0;
        for (size_t i = begin; i < b->ends[face]; i++) {
            const uint32_t p = b->corner[i], q = b->corner[i + 1 < b->ends[face] ? i + 1 : begin];
            edges[i] = (face_edge){p < q ? p : q, p < q ? q : p, face, i};
        }
    }
    if (edges) qsort(edges, *num, sizeof(*edges), compare_edges);
    return edges;
}

/* Returns where the indices of each cell begin. The caller frees. */
static size_t *find_begins(const solid_cells *cells)
{
    size_t *begins = malloc((cells->num_cells + 1) * sizeof(*begins)), at = 0;
    for (size_t i = 0; begins && i < cells->num_cells; i++) {
        const int kind = cells->kinds ? cells->kinds[i] : SOLID_HEXAHEDRON;
        begins[i] = at;
        at += solid_kind_vertices(kind);
        if (kind != SOLID_POLYHEDRON) continue;
        for (uint32_t faces = cells->index[at++]; faces > 0; faces--)
            at += 1 + cells->index[at];
    }
    return begins;
}

bool boundary_faces_crease(const boundary_faces *b, solid_cells *cells, double angle)
{
    size_t num;
    face_edge *edges = list_edges(b, &num);
    size_t *begins = find_begins(cells);
    bool done = edges && begins;
    for (size_t i = 0; done && i + 1 < num; i++) {
        double p[3], q[3], cosine = 0;
        if (compare_edges(&edges[i], &edges[i + 1]) != 0) continue;
        normal_of(b, cells, begins, edges[i].face, p);
        normal_of(b, cells, begins, edges[i + 1].face, q);
        for (int k = 0; k < 3; k++)
            cosine += p[k] * q[k];
        if (cosine < cos(angle * radians))
            done = solid_cells_crease(cells, edges[i].low, edges[i].high);
    }
    free(edges);
    free(begins);
    return done;
}

bool boundary_faces_lines(const boundary_faces *b, solid_cells *cells, size_t *num_others)
{
    size_t num;
    face_edge *edges = list_edges(b, &num);
    bool done = edges != NULL;
    *num_others = 0;
    for (size_t i = 0; done && i < cells->num_lines; i++) {
        const uint32_t p = cells->line[2 * i], q = cells->line[2 * i + 1];
        const face_edge line = {.low = p < q ? p : q, .high = p < q ? q : p};
        if (bsearch(&line, edges, num, sizeof(*edges), compare_edges))
            done = solid_cells_crease(cells, line.low, line.high);
        else
            ++*num_others;
    }
    free(edges);
    return done;
}

uint32_t *boundary_faces_edges(const boundary_faces *b, uint32_t *num_edges)
{
    size_t num;
    face_edge *edges = list_edges(b, &num);
    uint32_t *numbers = malloc((num + 1) * sizeof(*numbers));
    *num_edges = 0;
    for (size_t i = 0; edges && numbers && i < num; i++) {
        if (i == 0 || compare_edges(&edges[i - 1], &edges[i]) != 0) ++*num_edges;
        numbers[edges[i].corner] = *num_edges - 1;
    }
    if (!edges) {
        free(numbers);
        numbers = NULL;
    }
    free(edges);
    return numbers;
}

/* ---- orientation ---- */

/* Faces that hang together, as they are gone through. */
typedef struct face_walk {
    const boundary_faces *b;
    const uint32_t *edges;
    size_t *at_edge; /* [num_edges][2]: the corners where the edge begins, of both its faces */
    size_t *face_of; /* [corners] */
    size_t *waiting; /* [faces]: those that were met, in the order of their numbers in it */
    bool *met, *flips;
} face_walk;

/* Meets the face beyond a corner's edge, and turns it as this one where both run along the edge in
   the same way. Returns whether it is new. */
static bool cross_edge(face_walk *w, size_t corner, size_t *next)
{
    const boundary_faces *b = w->b;
    const size_t *both = w->at_edge + 2 * (size_t)w->edges[corner];
    const size_t other = both[0] == corner ? both[1] : both[0];
    const size_t face = w->face_of[corner];
    *next = w->face_of[other];
    if (w->met[*next]) return false;
    w->met[*next] = true;
    w->flips[*next] = w->flips[face] != (b->corner[other] == b->corner[corner]);
    return true;
}

/* Goes through the faces that hang together with one, and lets most of them stay as they are. */
static void walk_from(face_walk *w, size_t face)
{
    size_t count = 1, turned = 0, next;
    w->waiting[0] = face;
    w->met[face] = true;
    for (size_t i = 0; i < count; i++) {
        const size_t at = w->waiting[i];
        for (size_t c = at > 0 ? w->b->ends[at - 1] : 0; c < w->b->ends[at]; c++)
            if (cross_edge(w, c, &next)) w->waiting[count++] = next;
        turned += w->flips[at];
    }
    for (size_t i = 0; 2 * turned > count && i < count; i++)
        w->flips[w->waiting[i]] = !w->flips[w->waiting[i]];
}

bool boundary_faces_orient(const boundary_faces *b, const uint32_t *edges, uint32_t num_edges,
                           bool *flips)
{
    const size_t corners = b->num > 0 ? b->ends[b->num - 1] : 0;
    face_walk w = {.b = b, .edges = edges, .flips = flips};
    w.at_edge = malloc((2 * (size_t)num_edges + 1) * sizeof(*w.at_edge));
    w.face_of = malloc((corners + 1) * sizeof(*w.face_of));
    w.waiting = malloc((b->num + 1) * sizeof(*w.waiting));
    w.met = calloc(b->num + 1, sizeof(*w.met));
    const bool done = w.at_edge && w.face_of && w.waiting && w.met;
    for (size_t i = 0; done && i < 2 * (size_t)num_edges; i++)
        w.at_edge[i] = SIZE_MAX;
    for (size_t face = 0, c = 0; done && face < b->num; face++) {
        flips[face] = false;
        for (; c < b->ends[face]; c++) {
            size_t *both = w.at_edge + 2 * (size_t)edges[c];
            both[both[0] != SIZE_MAX] = c;
            w.face_of[c] = face;
        }
    }
    for (size_t face = 0; done && face < b->num; face++)
        if (!w.met[face]) walk_from(&w, face);
    free(w.at_edge);
    free(w.face_of);
    free(w.waiting);
    free(w.met);
    return done;
}
