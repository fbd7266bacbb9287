#include "boundary_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "normals.h"
#include "solid_shell.h"
#include "staging.h"

enum { PART_POINTS = 1 << 18, COARSE_SAMPLES = 5, ATTRIBUTES = 4, CELL_CORNERS = 8 };

/* The parameters of VTK's corners, and those of a hexahedron's sides, outward. */
static const uint8_t places[CELL_CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const uint8_t sides[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                    {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
static const uint8_t shell_side[4] = {0, 1, 2, 3}; /* w = 0, corners as the face has them */

/* ---- data ---- */

/* Finds the data to be shown. */
static bool choose_data(boundary_surface *s, const char *array)
{
    const solid_model *m = s->m;
    s->channel = -1;
    for (size_t i = 0; i < m->num_fields && s->channel < 0; i++)
        if (!array || strcmp(array, m->fields[i].name) == 0) {
            s->channel = (int)m->fields[i].first;
            s->components = m->fields[i].components;
        }
    for (size_t i = 0; i < m->cells.num_cell_arrays && s->channel < 0 && !s->shown; i++)
        if (!array || strcmp(array, m->cells.cell_arrays[i].name) == 0) {
            s->shown = &m->cells.cell_arrays[i];
            s->components = s->shown->components;
        }
    if (!array || boundary_surface_has_data(s)) return true;
    complain("%s: there are no data named '%s'", m->r->base.inputs[0], array);
    return false;
}

bool boundary_surface_has_data(const boundary_surface *s)
{
    return s->channel >= 0 || s->shown;
}

/* The length of some numbers, with its sign where there is only one. */
static double size_of(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum = hypot(sum, values[i]);
    return count == 1 ? values[0] : sum;
}

/* ---- faces ---- */

bool boundary_surface_open(boundary_surface *s, const solid_model *m, const char *array)
{
    *s = (boundary_surface){.m = m};
    return choose_data(s, array);
}

/* The middle of a cell along an axis. */
static double middle_along(const solid_model *m, size_t cell, int axis)
{
    double sum = 0;
    for (size_t i = 0; i < CELL_CORNERS; i++)
        sum += m->points[(size_t)m->index[CELL_CORNERS * cell + i] * m->channels + (size_t)axis];
    return sum / CELL_CORNERS;
}

/* The middle of a cell in the direction of a cut. */
static double middle_of(const boundary_surface *s, size_t cell)
{
    double sum = 0;
    if (s->cut.axis != CUT_SLANTED) return middle_along(s->m, cell, s->cut.axis);
    for (int k = 0; k < 3; k++)
        sum += s->cut.across[k] * middle_along(s->m, cell, k);
    return sum;
}

/* Finds the height of a cut. */
static double height_of(const boundary_surface *s)
{
    const solid_model *m = s->m;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < m->counts.num_cells; i++) {
        const double middle = middle_of(s, i);
        low = fmin(low, middle);
        high = fmax(high, middle);
    }
    return low + s->cut.share * (high - low);
}

/* Finds the boundary of the cells that a cut leaves; faces have the numbers of cells of all. */
static bool find_cut_faces(boundary_surface *s)
{
    const solid_model *m = s->m;
    const double height = height_of(s);
    uint32_t *index = malloc((m->counts.num_indices + 1) * sizeof(*index));
    uint32_t *kept = malloc((m->counts.num_cells + 1) * sizeof(*kept));
    size_t num = 0;
    for (size_t i = 0; index && kept && i < m->counts.num_cells; i++) {
        if (!(middle_of(s, i) <= height)) continue;
        memcpy(index + CELL_CORNERS * num, m->index + CELL_CORNERS * i,
               CELL_CORNERS * sizeof(*index));
        kept[num++] = (uint32_t)i;
    }
    const solid_cells left = {.num_cells = num, .num_indices = CELL_CORNERS * num, .index = index};
    const bool done = index && kept && boundary_faces_find(&s->faces, &left);
    for (size_t i = 0; done && i < s->faces.num; i++)
        s->faces.cell[i] = kept[s->faces.cell[i]];
    free(index);
    free(kept);
    return done || solid_model_memory(m);
}

enum { WANTED = CLSP_VERTEX_POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW };

static const solid_grid no_grid = {0, 0};

/* Makes the plan of all cells unless it is there, and loads points that have moved. */
static bool plan_all(boundary_surface *s)
{
    const bool is_old = s->all && s->all_is_old;
    s->all_is_old = false;
    if (is_old) return solid_model_load(s->m, MESH_F32, s->all);
    return s->all || solid_model_plan(s->m, MESH_F32, no_grid, WANTED, &s->all);
}

/* Makes the plan of the shell of the faces unless it is there, and loads points that have moved. */
static bool plan_whole(boundary_surface *s)
{
    const bool is_old = s->whole && s->whole_is_old;
    s->whole_is_old = false;
    if (is_old)
        return solid_shell_move(&s->shell, s->m, &s->faces) &&
               solid_model_load(&s->shell, MESH_F32, s->whole);
    return s->whole || (solid_shell_make(&s->shell, s->m, &s->faces) &&
                        solid_model_plan(&s->shell, MESH_F32, no_grid, WANTED, &s->whole));
}

/* Finds the faces to be drawn, and makes the plan that has them. */
static bool find_faces(boundary_surface *s)
{
    boundary_faces_clear(&s->faces);
    s->bend = -1;
    if (s->cut.is_on) return find_cut_faces(s) && plan_all(s);
    return solid_shell_faces(&s->faces, s->m) && plan_whole(s);
}

bool boundary_surface_move(boundary_surface *s)
{
    s->bend = -1;
    s->all_is_old = s->whole_is_old = true;
    return s->cut.is_on ? plan_all(s) : plan_whole(s);
}

uint64_t boundary_surface_triangles(const boundary_surface *s, uint32_t samples)
{
    return 2 * (uint64_t)s->faces.num * (samples - 1) * (samples - 1);
}

/* ---- samples of faces ---- */

/* The cell of the plan that has a face, and the corners of its side. */
static uint32_t cell_of(const boundary_surface *s, size_t face, const uint8_t **corners)
{
    *corners = s->cut.is_on ? sides[s->faces.side[face]] : shell_side;
    return s->cut.is_on ? s->faces.cell[face] : (uint32_t)face;
}

/* Numbers a point takes in what the plan makes. */
static size_t point_reals(const boundary_surface *s)
{
    return ATTRIBUTES * (size_t)s->m->channels;
}

/* Fills the parameters of a face's samples, [samples][samples][3]. */
static void put_params(const uint8_t corners[4], uint32_t samples, float *params)
{
    for (uint32_t a = 0; a < samples; a++)
        for (uint32_t b = 0; b < samples; b++, params += 3) {
            const float along[2] = {(float)a / (float)(samples - 1),
                                    (float)b / (float)(samples - 1)};
            for (int k = 0; k < 3; k++) {
                const float origin = places[corners[0]][k];
                params[k] = origin + along[0] * ((float)places[corners[1]][k] - origin) +
                            along[1] * ((float)places[corners[3]][k] - origin);
            }
        }
}

/* Evaluates some faces into s->made, for which there is room. */
static bool eval_faces(boundary_surface *s, size_t first, size_t count, uint32_t samples)
{
    const size_t each = (size_t)samples * samples, num = count * each;
    float *params = malloc((3 * num + 1) * sizeof(*params));
    uint32_t *cells = malloc((num + 1) * sizeof(*cells));
    bool done = params && cells;
    for (size_t i = 0; done && i < count; i++) {
        const uint8_t *corners;
        const uint32_t cell = cell_of(s, first + i, &corners);
        put_params(corners, samples, params + 3 * i * each);
        for (size_t k = 0; k < each; k++)
            cells[i * each + k] = cell;
    }
    const clsp_points points = {
        .num = num, .item = clsp_in_u32(cells, num), .params = clsp_in_f32(params, 3 * num)};
    if (!done) solid_model_memory(s->m);
    done = done && staging_check(s->m->ctx, clsp_solid_eval_points(
                                                s->cut.is_on ? s->all : s->whole, &points,
                                                clsp_out_f32(s->made, num * point_reals(s)), NULL));
    free(params);
    free(cells);
    return done;
}

/* Faces of one call, at least one. */
static size_t part_faces(uint32_t samples)
{
    const size_t each = (size_t)samples * samples;
    return each < PART_POINTS ? PART_POINTS / each : 1;
}

/* Calls `take` for all faces, with what the plan makes of their samples. False with a complaint. */
typedef void (*sample_taker)(void *user, size_t face, const float *made);
static bool visit_faces(boundary_surface *s, uint32_t samples, sample_taker take, void *user)
{
    const size_t most = part_faces(samples), each = (size_t)samples * samples * point_reals(s);
    bool done = true;
    free(s->made);
    s->made = malloc((most < s->faces.num ? most : s->faces.num) * each * sizeof(float) + 1);
    if (!s->made) return solid_model_memory(s->m);
    for (size_t first = 0; done && first < s->faces.num; first += most) {
        const size_t left = s->faces.num - first, count = left < most ? left : most;
        done = eval_faces(s, first, count, samples);
        for (size_t i = 0; done && i < count; i++)
            take(user, first + i, s->made + i * each);
    }
    free(s->made);
    s->made = NULL;
    return done;
}

/* ---- how many ---- */

/* The largest second difference of points, beyond that of a straight line. */
typedef struct bend_search {
    size_t reals;
    double largest;
} bend_search;

static void find_bend(void *user, size_t face, const float *made)
{
    bend_search *b = user;
    (void)face;
    for (int i = 0; i < COARSE_SAMPLES; i++)
        for (int k = 1; k + 1 < COARSE_SAMPLES; k++)
            for (int way = 0; way < 2; way++) {
                const size_t step = way == 0 ? 1 : COARSE_SAMPLES;
                const size_t at =
                    way == 0 ? (size_t)(COARSE_SAMPLES * i + k) : (size_t)(COARSE_SAMPLES * k + i);
                const float *p = made + at * b->reals, *before = p - step * b->reals;
                const float *behind = p + step * b->reals;
                double sum = 0;
                for (int axis = 0; axis < 3; axis++)
                    sum = hypot(sum,
                                (double)before[axis] - 2 * (double)p[axis] + (double)behind[axis]);
                b->largest = fmax(b->largest, sum);
            }
}

uint32_t boundary_surface_samples(boundary_surface *s, double length, uint32_t most)
{
    bend_search b = {.reals = point_reals(s)};
    if (s->bend < 0) {
        if (!visit_faces(s, COARSE_SAMPLES, find_bend, &b)) return 0;
        s->bend = b.largest;
    }
    /* A parabola's second difference d over cells of 1/4 leaves d / 8 between its samples, and two
       directions add up. */
    const double cells = (COARSE_SAMPLES - 1) * sqrt(2 * s->bend / (8 * length));
    return cells < most - 1 ? (uint32_t)fmax(1, ceil(cells)) + 1 : most;
}

/* ---- the mesh ---- */

/* Finds which vertices are one: corners of faces, and what is within their edges. */
static bool find_same(boundary_surface *s, size_t num)
{
    const uint32_t n = s->samples, last = n - 1, none = UINT32_MAX;
    const boundary_faces *f = &s->faces;
    uint32_t num_edges = 0, *edges = boundary_faces_edges(f, &num_edges);
    const size_t points = s->m->counts.num_vertices;
    uint32_t *first = malloc((points + (size_t)num_edges * n + 1) * sizeof(*first));
    free(s->same);
    s->same = malloc((num + 1) * sizeof(*s->same));
    const bool done = edges && first && s->same;
    for (size_t i = 0; done && i < points + (size_t)num_edges * n; i++)
        first[i] = none;
    for (size_t i = 0; done && i < num; i++)
        s->same[i] = (uint32_t)i;
    for (size_t face = 0; done && face < f->num; face++)
        for (uint32_t side = 0; side < 4; side++)
            for (uint32_t i = 0; i < last; i++) {
                const uint32_t from = f->corner[4 * face + side];
                const uint32_t to = f->corner[4 * face + (side + 1) % 4];
                const uint32_t along = from < to ? i : last - i;
                uint32_t *const place =
                    &first[i == 0 ? from : points + (size_t)edges[4 * face + side] * n + along];
                const uint32_t a = side == 0 ? i : side == 1 ? last : side == 2 ? last - i : 0;
                const uint32_t b = side == 0 ? 0 : side == 1 ? i : side == 2 ? last : last - i;
                const uint32_t vertex = (uint32_t)(face * n * n) + a * n + b;
                if (*place == none) *place = vertex;
                s->same[vertex] = *place;
            }
    free(edges);
    free(first);
    return done || solid_model_memory(s->m);
}

/* Marks the vertices of a face and lists its triangles. */
static void list_face(const boundary_surface *s, size_t face, view_mesh *m)
{
    const uint32_t n = s->samples;
    const uint32_t base = (uint32_t)(face * n * n);
    const size_t cell = solid_model_source(s->m, s->faces.cell[face]);
    const view_mark mark = {
        .value =
            s->shown ? (float)size_of(s->shown->values + cell * s->components, s->components) : NAN,
        .cells = {(float)(n - 1), (float)(n - 1)},
        .patch = (uint32_t)cell};
    uint32_t *to = m->indices + 6 * face * (n - 1) * (n - 1);
    for (uint32_t i = 0; i < n * n; i++)
        m->marks[base + i] = mark;
    for (uint32_t a = 0; a + 1 < n; a++)
        for (uint32_t b = 0; b + 1 < n; b++) {
            const uint32_t at = base + a * n + b;
            const uint32_t corners[6] = {at, at + n, at + n + 1, at, at + n + 1, at + 1};
            memcpy(to, corners, sizeof(corners));
            to += 6;
        }
}

/* Tells whether two cuts hide different cells. */
static bool is_other(const solid_cut *a, const solid_cut *b)
{
    if (a->is_on != b->is_on || !a->is_on) return a->is_on != b->is_on;
    return a->axis != b->axis || a->share != b->share ||
           (a->axis == CUT_SLANTED && memcmp(a->across, b->across, sizeof(a->across)) != 0);
}

bool boundary_surface_set(boundary_surface *s, solid_cut cut, uint32_t samples, view_mesh *m)
{
    const bool moves = is_other(&cut, &s->cut);
    s->cut = cut;
    if ((moves || !s->whole) && !find_faces(s)) return false;
    s->samples = samples;
    const uint64_t num = (uint64_t)s->faces.num * samples * samples;
    if (num > INT32_MAX) {
        complain("%s: its boundary of %zu faces is too large to be drawn", s->m->r->base.inputs[0],
                 s->faces.num);
        return false;
    }
    if (!view_mesh_make(m, (size_t)num, 3 * (size_t)boundary_surface_triangles(s, samples), 0))
        return solid_model_memory(s->m);
    for (size_t face = 0; face < s->faces.num; face++)
        list_face(s, face, m);
    return find_same(s, (size_t)num);
}

/* ---- vertices ---- */

/* Where the vertices of faces go. */
typedef struct face_target {
    const boundary_surface *s;
    view_mesh *m;
    float *vertices;
} face_target;

/* Fills a vector along an edge of a side: plus or minus one of the derivatives, which stand behind
   the point. */
static void get_along(const boundary_surface *s, const uint8_t corners[4], int to,
                      const float *made, double way[3])
{
    for (int k = 0; k < 3; k++)
        way[k] = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        const int sign = places[corners[to]][axis] - places[corners[0]][axis];
        for (size_t k = 0; sign != 0 && k < 3; k++)
            way[k] = sign * (double)made[(1 + axis) * s->m->channels + k];
    }
}

static void take_face(void *user, size_t face, const float *made)
{
    const face_target *t = user;
    const boundary_surface *s = t->s;
    const uint32_t n = s->samples;
    const uint8_t *corners;
    cell_of(s, face, &corners);
    for (uint32_t i = 0; i < n * n; i++, made += point_reals(s)) {
        const size_t vertex = face * n * n + i;
        float *to = t->vertices + VIEW_STRIDE * vertex;
        double a[3], b[3], normal[3];
        get_along(s, corners, 1, made, a);
        get_along(s, corners, 3, made, b);
        for (int k = 0; k < 3; k++)
            normal[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        normals_make_unit(normal);
        for (int k = 0; k < 3; k++) {
            to[VIEW_POINT + k] = made[k];
            to[VIEW_NORMAL + k] = (float)normal[k];
        }
        to[VIEW_PARAMS] = (float)(i / n) / (float)(n - 1);
        to[VIEW_PARAMS + 1] = (float)(i % n) / (float)(n - 1);
        to[VIEW_CURVATURE] = to[VIEW_CURVATURE + 1] = 0;
        if (s->channel < 0) continue;
        double values[CLSP_SOLID_MAX_DIM];
        for (uint32_t k = 0; k < s->components; k++)
            values[k] = (double)made[(uint32_t)s->channel + k];
        t->m->marks[vertex].value = (float)size_of(values, s->components);
    }
}

bool boundary_surface_eval(boundary_surface *s, view_mesh *m, float *vertices)
{
    face_target t = {s, m, vertices};
    if (!visit_faces(s, s->samples, take_face, &t)) return false;
    for (size_t i = 0; i < m->num_vertices; i++)
        memcpy(vertices + VIEW_STRIDE * i, vertices + VIEW_STRIDE * (size_t)s->same[i],
               3 * sizeof(float));
    return true;
}

void boundary_surface_close(boundary_surface *s)
{
    clsp_solid_plan_destroy(&s->whole);
    clsp_solid_plan_destroy(&s->all);
    boundary_faces_clear(&s->faces);
    if (s->shell.r) solid_model_clear(&s->shell);
    free(s->same);
    free(s->made);
    *s = (boundary_surface){.channel = -1};
}
