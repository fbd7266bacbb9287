#include "triangle_grid.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "eval_points.h"
#include "recipe_points.h"
#include "uniform_curve.h"
#include "vertex_layout.h"

enum {
    CHUNK = CLSPI_POINT_CHUNK,
    NODES = CLSPI_UNIFORM_DEGREE + 1, /* along an edge, at most */
    COORDS = CLSPI_POINT_COORDS,
    ROWS = 8, /* whose curves are made at once */
    SUMS = 8  /* of a vertex: of six kinds, and the sizes of two */
};

/* A sum of vertices: coordinates of the patch or of a derivative, or the largest |coordinate| of a
   derivative's terms. As a triangle it is a surface whose rows have all one degree. */
typedef struct sum {
    unsigned number; /* as of clspi_point_sum */
    bool is_size;
    uint32_t degree, numbers;
    double patch[NODES * NODES * COORDS];                       /* [along u][along v][numbers] */
    double rows[(ROWS + CLSPI_UNIFORM_SPARE) * NODES * COORDS]; /* [row][along v][numbers] */
    double made[(CHUNK + CLSPI_UNIFORM_SPARE) * COORDS];        /* [vertex][numbers] */
} sum;

/* Vertices on their way. */
typedef struct walk {
    const clspi_list_recipe *recipe;
    const clspi_triangle_part *part;
    uint32_t num; /* the part's */
    size_t patch;
    uint32_t row, at, first_row; /* the next vertex, and the first row whose curve is there */
    size_t filled;               /* vertices of a chunk */
    double param[2][CHUNK];
    uint32_t num_sums;
    sum sums[SUMS];
} walk;

bool clspi_triangle_has_rows(const clspi_tensor_desc *desc)
{
    const uint32_t points = CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT | CLSP_VERTEX_PARAMS;

    return desc->is_triangle && desc->degrees[0] <= CLSPI_UNIFORM_DEGREE &&
           !(desc->rational && (desc->vertex.attributes & ~points));
}

/* ---- patches ---- */

/* Takes differences along u or v of a triangle's control points, times its degree, in place. */
static void take_differences(double *points, uint32_t degree, uint32_t coords, int direction)
{
    const double *from = points;

    for (uint32_t i = 0; i < degree; i++, from += coords) {
        const double *other = from + (direction == 0 ? (degree + 1 - i) * coords : coords);
        for (uint32_t x = 0; x < (degree - i) * coords; x++)
            *points++ = degree * (*other++ - *from++);
    }
}

/* Raises the degree of a curve's control points by one, in place. */
static void raise_degree(double *points, uint32_t degree, uint32_t numbers)
{
    double *to = points + (size_t)(degree + 1) * numbers;

    memcpy(to, to - numbers, numbers * sizeof *to);
    for (uint32_t j = degree; j > 0; j--) {
        const double part = (double)j / (degree + 1);
        to -= numbers;
        for (uint32_t x = 0; x < numbers; x++)
            to[x] += part * (to[(ptrdiff_t)x - (ptrdiff_t)numbers] - to[x]);
    }
}

/* Makes the largest |coordinate| of control points of them, in place. */
static void take_sizes(double *points, size_t num, uint32_t dim)
{
    for (size_t i = 0; i < num; i++) {
        double size = 0;
        for (uint32_t x = 0; x < dim; x++)
            size = fmax(size, fabs(points[i * dim + x]));
        points[i] = size;
    }
}

/* Makes what a sum's rows are made of from the control points of a patch. */
static void make_patch(const clspi_point_shape *shape, const void *given, sum *s)
{
    const uint32_t coords = shape->dim + shape->rational;
    uint32_t degree = shape->degree[0];
    double points[NODES * (NODES + 1) / 2 * COORDS], *from = points;

    for (size_t x = 0; x < (size_t)(degree + 1) * (degree + 2) / 2 * coords; x++)
        points[x] =
            shape->is_double ? ((const double *)given)[x] : (double)((const float *)given)[x];
    for (int d = 0; d < 2; d++)
        for (uint32_t by = clspi_point_order(s->number, (unsigned)d); by > 0 && degree > 0; by--)
            take_differences(points, degree--, coords, d);
    if (s->is_size) take_sizes(points, (size_t)(degree + 1) * (degree + 2) / 2, coords);
    for (uint32_t i = 0; i <= degree; i++) {
        double *const row = s->patch + (size_t)i * (degree + 1) * s->numbers;
        memcpy(row, from, (degree + 1 - i) * s->numbers * sizeof *row);
        from += (degree + 1 - i) * s->numbers;
        for (uint32_t n = degree - i; n < degree; n++)
            raise_degree(row, n, s->numbers);
    }
}

/* ---- rows ---- */

/* Makes the curves of rows from the next one on. */
static void make_rows(walk *w)
{
    const uint32_t left = w->num - w->row, steps = w->num > 1 ? w->num - 1 : 1;

    w->first_row = w->row;
    for (uint32_t k = 0; k < w->num_sums; k++) {
        sum *const s = &w->sums[k];
        const uint32_t numbers = (s->degree + 1) * s->numbers;
        const clspi_uniform_curve along_u = {s->patch, s->degree, numbers, steps};
        clspi_uniform_points(&along_u, w->row, left < ROWS ? left : ROWS, s->rows);
    }
}

/* Begins with the patch that is next, at a row. */
static void begin_patch(walk *w, uint32_t row, uint32_t at)
{
    const clspi_point_shape *const shape = &w->recipe->maker.shape;
    const size_t bytes =
        w->recipe->patch_reals * (shape->is_double ? sizeof(double) : sizeof(float));

    for (uint32_t k = 0; k < w->num_sums; k++)
        make_patch(shape, (const char *)w->part->points + w->patch * bytes, &w->sums[k]);
    w->row = row;
    w->at = at;
    make_rows(w);
}

/* Makes the parameters of vertices of a row. */
static void make_params(walk *w, uint32_t count)
{
    const clspi_tensor_desc *const d = &w->recipe->desc;
    const clsp_axis *const axis = &d->axis[0];
    const uint32_t first[2] = {w->row, w->at};

    for (int k = 0; k < 2; k++)
        for (uint32_t p = 0; p < count; p++) {
            const uint32_t sample = first[k] + (k == 1 ? p : 0);
            w->param[k][w->filled + p] =
                clspi_grid_param(d, axis->begin, axis->end, sample, w->num);
        }
}

/* Makes at most so many vertices, of a row. */
static void make_run(walk *w, size_t most)
{
    const uint32_t steps = w->num - 1 - w->row, left = steps + 1 - w->at;
    const uint32_t count = (uint32_t)clspi_min(left, most);

    for (uint32_t k = 0; k < w->num_sums; k++) {
        sum *const s = &w->sums[k];
        const size_t row = (size_t)(w->row - w->first_row) * (s->degree + 1) * s->numbers;
        const clspi_uniform_curve along_v = {s->rows + row, s->degree, s->numbers,
                                             steps > 0 ? steps : 1};
        clspi_uniform_points(&along_v, w->at, count, s->made + w->filled * s->numbers);
    }
    if (w->recipe->maker.vertex.at[ATTRIBUTE_PARAMS] >= 0) make_params(w, count);
    w->filled += count;
    w->at += count;
}

/* Goes on to the next row where one has ended. */
static void go_on(walk *w)
{
    if (w->at + w->row < w->num) return;
    w->at = 0;
    w->row++;
    if (w->row == w->num) {
        w->patch++;
        begin_patch(w, 0, 0);
    } else if (w->row == w->first_row + ROWS) {
        make_rows(w);
    }
}

/* ---- vertices ---- */

/* Lists the sums that vertices are made of. */
static void list_sums(walk *w)
{
    const clspi_point_maker *const maker = &w->recipe->maker;
    const clspi_point_shape *const shape = &maker->shape;

    w->num_sums = 0;
    for (unsigned k = 0; k < SUM_KINDS; k++) {
        const uint32_t order = clspi_point_order(k, 0) + clspi_point_order(k, 1);
        const bool is_there = (maker->sums >> k & 1) && order <= shape->degree[0];
        const uint32_t degree = is_there ? shape->degree[0] - order : 0;
        const bool is_tracked = is_there && (maker->tracked >> k & 1);
        for (int is_size = 0; is_size < (is_tracked ? 2 : is_there); is_size++) {
            sum *const s = &w->sums[w->num_sums++];
            s->number = k;
            s->is_size = is_size > 0;
            s->degree = degree;
            s->numbers = s->is_size ? 1 : shape->dim + shape->rational;
        }
    }
}

/* Says what vertices are made of. */
static clspi_vertex_source source_of(walk *w, double *none)
{
    const clspi_point_maker *const maker = &w->recipe->maker;
    clspi_vertex_source source = {.count = CHUNK,
                                  .param = {w->param[0], w->param[1], NULL},
                                  .largest = {{none}, {none}},
                                  .of_each = true};

    for (uint32_t k = 0; k < w->num_sums; k++) {
        sum *const s = &w->sums[k];
        if (!s->is_size) {
            source.sum[s->number] = s->made;
            continue;
        }
        for (size_t p = 0; p < CHUNK; p++) /* vertices are made as of doubles */
            s->made[p] *= maker->eps / 0x1p-52;
        clspi_vertex_functions_f64.invert(s->made, CHUNK);
        source.largest[s->number - 1][0] = s->made;
    }
    return source;
}

/* Makes normals again that are (0, 0, 0) on edges. */
static void make_sides(const walk *w, size_t first, char *out)
{
    const clspi_list_recipe *const recipe = w->recipe;
    const size_t bytes = clspi_vertex_bytes(&recipe->desc);
    const size_t per_patch = (size_t)w->num * (w->num + 1) / 2;

    for (size_t p = 0; p < w->filled; p++) {
        const size_t patch = w->part->patch + (first + p) / per_patch;
        clspi_point point;
        if (!clspi_normal_is_lost(&recipe->maker.vertex, out + p * bytes)) continue;
        clspi_point_begin(recipe, w->part->points, patch, w->part->num_patches, &point);
        clspi_grid_point(recipe, patch, &w->num, (first + p) % per_patch, &point);
        clspi_point_sides(&recipe->maker, &point, 1, out + p * bytes);
    }
}

void clspi_triangle_grid_make(const clspi_list_recipe *recipe, const clspi_triangle_part *part)
{
    const clspi_vertex_shape *const vertex = &recipe->maker.vertex;
    const uint32_t num = part->num;
    const size_t per_patch = (size_t)num * (num + 1) / 2;
    double none[CHUNK] = {0};
    char *out = part->out;
    uint32_t at;
    walk w;

    w.recipe = recipe;
    w.part = part;
    w.num = num;
    w.patch = part->patch + part->first / per_patch;
    list_sums(&w);
    const uint32_t row = clspi_triangle_row(num, 1, part->first % per_patch, &at);
    begin_patch(&w, row, at);
    for (size_t done = 0; done < part->count; done += w.filled) {
        const size_t most = clspi_min(CHUNK, part->count - done);
        for (w.filled = 0; w.filled < most;) {
            go_on(&w);
            make_run(&w, most - w.filled);
        }
        const clspi_vertex_source source = source_of(&w, none);
        clspi_first_vertices(&clspi_vertex_functions_f64, vertex, &source, w.filled, out);
        if (vertex->at[ATTRIBUTE_NORMAL] >= 0) make_sides(&w, part->first + done, out);
        out += w.filled * clspi_vertex_bytes(&recipe->desc);
    }
}
