#include "cad_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

bool cad_counts_add(cad_counts *list, uint32_t value)
{
    uint32_t *moved = array_reserve(list->at, &list->capacity, list->num + 1, sizeof(*moved));
    if (!moved) return false;
    list->at = moved;
    moved[list->num++] = value;
    return true;
}

bool cad_reals_add(cad_reals *list, const double *values, size_t num)
{
    double *moved = array_reserve(list->at, &list->capacity, list->num + num, sizeof(*moved));
    if (!moved) return false;
    list->at = moved;
    memcpy(moved + list->num, values, num * sizeof(*moved));
    list->num += num;
    return true;
}

cad_model *cad_model_new(void)
{
    cad_model *m = calloc(1, sizeof(*m));
    if (m && cad_counts_add(&m->loop, 0) && cad_counts_add(&m->curve, 0) &&
        cad_counts_add(&m->vertex, 0) && cad_counts_add(&m->corner, 0))
        return m;
    cad_model_free(m);
    return NULL;
}

static bool add_face(cad_model *m, const cad_face *face)
{
    cad_face *moved = array_reserve(m->faces, &m->face_capacity, m->num_faces + 1, sizeof(*moved));
    if (!moved) return false;
    m->faces = moved;
    moved[m->num_faces++] = *face;
    return true;
}

bool cad_model_end_face(cad_model *m, const cad_face *face, size_t plain)
{
    static const cad_face nothing = {.body = UINT32_MAX};
    while (m->num_faces < plain)
        if (!add_face(m, &nothing) || !cad_counts_add(&m->loop, m->loop.at[m->loop.num - 1]) ||
            !cad_counts_add(&m->vertex, m->vertex.at[m->vertex.num - 1]) ||
            !cad_counts_add(&m->corner, m->corner.at[m->corner.num - 1]))
            return false;
    return add_face(m, face) && cad_counts_add(&m->loop, (uint32_t)m->curve.num - 1) &&
           cad_counts_add(&m->vertex, (uint32_t)m->node.num) &&
           cad_counts_add(&m->corner, (uint32_t)m->triangles.num);
}

size_t cad_model_count(const cad_model *m)
{
    size_t count = 0;
    for (size_t f = 0; f < m->num_faces; f++)
        count += m->faces[f].is_there;
    return count;
}

const char *cad_model_color(const cad_model *m, size_t face)
{
    const cad_face *f = &m->faces[face];
    return f->color[0] || f->body >= m->num_bodies ? f->color : m->bodies[f->body].color;
}

bool cad_model_rgb(const cad_model *m, size_t face, unsigned char rgb[3])
{
    const char *text = cad_model_color(m, face);
    if (text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6) return false;
    const unsigned long color = strtoul(text + 1, NULL, 16);
    for (int k = 0; k < 3; k++)
        rgb[k] = (unsigned char)(color >> (16 - 8 * k) & 0xff);
    return true;
}

uint32_t *cad_model_uses(const cad_model *m)
{
    uint32_t *uses = calloc(m->nodes.num / 3 + 1, sizeof(*uses));
    for (size_t i = 0; uses && i < m->node.num; i++)
        uses[m->node.at[i]]++;
    return uses;
}

/* ---- meshes of bodies ---- */

/* Finds the nodes of the triangle whose first corner is `corner`, of a face. */
static void find_nodes(const cad_model *m, size_t face, size_t corner, uint32_t nodes[3])
{
    for (size_t k = 0; k < 3; k++)
        nodes[k] = m->node.at[m->vertex.at[face] + m->triangles.at[corner + k]];
}

/* The cross product of two sides of a triangle, whose length is twice its area. */
static void find_normal(const double *a, const double *b, const double *c, double normal[3])
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        normal[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    }
}

void cad_model_measure(const cad_model *m, uint32_t body, double *area, double *volume)
{
    const double *origin = m->nodes.at; /* near the body, so that volumes do not cancel */
    *area = *volume = 0;
    for (size_t f = 0; f < m->num_faces; f++) {
        for (size_t c = m->corner.at[f]; m->faces[f].body == body && c < m->corner.at[f + 1];
             c += 3) {
            uint32_t n[3];
            double normal[3], height = 0;
            find_nodes(m, f, c, n);
            const double *a = m->nodes.at + (size_t)3 * n[0];
            find_normal(a, m->nodes.at + (size_t)3 * n[1], m->nodes.at + (size_t)3 * n[2], normal);
            for (int k = 0; k < 3; k++)
                height += normal[k] * (a[k] - origin[k]);
            *area += hypot(hypot(normal[0], normal[1]), normal[2]) / 2;
            *volume += height / 6;
        }
    }
}

static int compare_sides(const void *a, const void *b)
{
    const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
    return (p > q) - (p < q);
}

/* Counts sorted sides of which there are several, or whose opposite is not there. */
static size_t count_open(const uint64_t *sides, size_t num)
{
    size_t open = 0;
    for (size_t i = 0; i < num; i++) {
        const uint64_t opposite = sides[i] << 32 | sides[i] >> 32;
        const bool is_double =
            (i > 0 && sides[i - 1] == sides[i]) || (i + 1 < num && sides[i + 1] == sides[i]);
        open += is_double || !bsearch(&opposite, sides, num, sizeof(*sides), compare_sides);
    }
    return open;
}

size_t cad_model_open_sides(const cad_model *m, uint32_t body)
{
    uint64_t *sides = malloc((m->triangles.num + 1) * sizeof(*sides));
    size_t num = 0;
    if (!sides) return SIZE_MAX;
    for (size_t f = 0; f < m->num_faces; f++)
        for (size_t c = m->corner.at[f]; m->faces[f].body == body && c < m->corner.at[f + 1];
             c += 3) {
            uint32_t n[3];
            find_nodes(m, f, c, n);
            for (int k = 0; k < 3; k++)
                sides[num++] = (uint64_t)n[k] << 32 | n[(k + 1) % 3];
        }
    if (num > 0) qsort(sides, num, sizeof(*sides), compare_sides);
    const size_t open = count_open(sides, num);
    free(sides);
    return open;
}

static void free_curves(cad_curves *c)
{
    free(c->degree.at);
    free(c->num_controls.at);
    free(c->knots.at);
    free(c->controls.at);
}

void cad_model_free(cad_model *m)
{
    if (!m) return;
    cad_counts *const counts[] = {&m->loop, &m->curve,  &m->edge,   &m->against,  &m->edge_number,
                                  &m->node, &m->vertex, &m->corner, &m->triangles};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        free(counts[i]->at);
    free_curves(&m->curves);
    free_curves(&m->edges);
    free(m->tolerance.at);
    free(m->params.at);
    free(m->nodes.at);
    free(m->faces);
    free(m->bodies);
    free(m);
}
