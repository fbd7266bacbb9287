#include "solid_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- models ---- */

solid_case solid_model_file(const char *file)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", BENCH_DATA, file);
    return solid_read_vtk(path);
}

static clsp_status make_mesh(bench *b, solid_model *m, const solid_case *solid)
{
    const clsp_solid_cells cells = {.num_vertices = solid->num_points,
                                    .num_cells = solid->num_cells,
                                    .index = solid->cell,
                                    .num_indices = 8 * solid->num_cells,
                                    .crease = solid->crease,
                                    .num_creases = solid->num_creases};
    clsp_status status;

    BENCH_TRY(bench_check(clsp_solid_mesh_create(&m->mesh, b->ctx, &cells), m->name));
    BENCH_TRY(bench_check(clsp_solid_mesh_counts(m->mesh, &m->counts), m->name));
    m->points = malloc(3 * solid->num_points * sizeof *m->points);
    if (!m->points) return bench_check(CLSP_ERROR_NO_MEMORY, m->name);
    memcpy(m->points, solid->point, 3 * solid->num_points * sizeof *m->points);

fail:
    return status;
}

clsp_status solid_model_make(bench *b, solid_model *m, const solid_case *solid, const char *name)
{
    *m = (solid_model){0};
    snprintf(m->name, sizeof m->name, "%s", name);
    return make_mesh(b, m, solid);
}

clsp_status solid_model_refine(solid_model *m)
{
    const size_t num = 3 * m->counts.num_vertices;
    solid_model fine = *m;
    clsp_status status;

    fine.mesh = NULL;
    fine.points = NULL;
    BENCH_TRY(bench_check(clsp_solid_mesh_refine(&fine.mesh, m->mesh), m->name));
    BENCH_TRY(bench_check(clsp_solid_mesh_counts(fine.mesh, &fine.counts), m->name));
    fine.points = malloc(3 * fine.counts.num_vertices * sizeof *fine.points);
    if (!fine.points) {
        status = bench_check(CLSP_ERROR_NO_MEMORY, m->name);
        goto fail;
    }
    BENCH_TRY(bench_check(
        clsp_solid_refine_points(m->mesh, CLSP_SOLID_TENSOR, 3, clsp_in_f64(m->points, num),
                                 clsp_out_f64(fine.points, 3 * fine.counts.num_vertices), NULL),
        m->name));
    solid_model_release(m);
    *m = fine;
    return CLSP_OK;

fail:
    solid_model_release(&fine);
    return status;
}

clsp_status solid_model_upload(bench *b, const solid_model *m, clsp_type precision, cl_mem *buffer)
{
    const size_t num = 3 * m->counts.num_vertices;
    float *const narrow = malloc(num * sizeof *narrow);
    void *const points = precision == CLSP_F64 ? (void *)m->points : (void *)narrow;
    cl_int code = CLSP_ERROR_NO_MEMORY;

    for (size_t i = 0; i < num && narrow; i++)
        narrow[i] = (float)m->points[i];
    if (narrow)
        *buffer = clCreateBuffer(b->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 num * clsp_type_bytes(precision), points, &code);
    free(narrow);
    return code;
}

void solid_model_release(solid_model *m)
{
    clsp_solid_mesh_destroy(&m->mesh);
    free(m->points);
    m->points = NULL;
}

/* ---- copies with cells in the order of their kinds ---- */

/* Finds the kind of each cell. */
static clsp_status find_kinds(const solid_model *m, uint32_t *kinds)
{
    enum { MOST = 4096 };
    const clsp_solid_desc desc = {.precision = CLSP_F32};
    clsp_solid_class *const classes = calloc(MOST, sizeof *classes);
    clsp_solid_plan *plan = NULL;
    clsp_status status = classes ? CLSP_OK : CLSP_ERROR_NO_MEMORY;
    size_t num;

    BENCH_TRY(status);
    BENCH_TRY(clsp_solid_plan_create(&plan, m->mesh, &desc));
    BENCH_TRY(clsp_solid_classes(plan, classes, MOST, &num));
    BENCH_TRY(clsp_solid_cell_classes(plan, (clsp_range){0, m->counts.num_cells},
                                      clsp_out_u32(kinds, m->counts.num_cells)));
    for (size_t c = 0; c < m->counts.num_cells; c++)
        kinds[c] = kinds[c] < MOST ? (uint32_t)classes[kinds[c]].kind : CLSP_SOLID_SPLIT;

fail:
    clsp_solid_plan_destroy(&plan);
    free(classes);
    return bench_check(status, m->name);
}

/* Puts the children of cells that are not all regular behind all others: as if they were of a kind
   of their own. */
static void part_children(uint32_t *kinds, size_t num_cells)
{
    for (size_t c = 0; c < num_cells; c += 8) {
        bool all = c + 8 <= num_cells;
        for (size_t k = c; k < c + 8 && k < num_cells; k++)
            all = all && kinds[k] == CLSP_SOLID_REGULAR;
        for (size_t k = c; k < c + 8 && k < num_cells && !all; k++)
            kinds[k] = SOLID_KINDS;
    }
}

static void copy_cells(solid_case *to, const solid_case *from, size_t copies, const uint32_t *kinds,
                       size_t *kind_begin)
{
    for (uint32_t kind = 0; kind <= SOLID_KINDS; kind++) {
        kind_begin[kind] = to->num_cells;
        for (size_t i = 0; i < copies; i++)
            for (size_t c = 0; c < from->num_cells; c++) {
                if (kinds[c] != kind) continue;
                for (size_t k = 0; k < 8; k++)
                    to->cell[8 * to->num_cells + k] =
                        (uint32_t)(from->cell[8 * c + k] + i * from->num_points);
                to->num_cells++;
            }
    }
    for (size_t i = 0; i < copies; i++)
        memcpy(to->point + 3 * i * from->num_points, from->point,
               3 * from->num_points * sizeof *to->point);
}

clsp_status solid_model_sorted(bench *b, solid_model *m, const solid_model *one, size_t copies,
                               bool together, size_t *kind_begin)
{
    solid_case from = {.num_points = one->counts.num_vertices, .num_cells = one->counts.num_cells};
    solid_case all = {.num_points = copies * from.num_points};
    uint32_t *const kinds = malloc(from.num_cells * sizeof *kinds);
    clsp_status status = CLSP_OK;

    from.point = one->points;
    from.cell = malloc(8 * from.num_cells * sizeof *from.cell);
    all.point = malloc(3 * all.num_points * sizeof *all.point);
    all.cell = malloc(8 * copies * from.num_cells * sizeof *all.cell);
    if (!kinds || !from.cell || !all.point || !all.cell) status = CLSP_ERROR_NO_MEMORY;
    BENCH_TRY(bench_check(status, m->name));
    BENCH_TRY(bench_check(
        clsp_solid_mesh_cells(one->mesh, clsp_out_u32(from.cell, 8 * from.num_cells)), m->name));
    BENCH_TRY(find_kinds(one, kinds));
    if (together) part_children(kinds, from.num_cells);
    copy_cells(&all, &from, copies, kinds, kind_begin);
    BENCH_TRY(make_mesh(b, m, &all));

fail:
    free(from.cell);
    solid_free(&all);
    free(kinds);
    return status;
}

/* ---- runs ---- */

clsp_status solid_run_terms(const solid_run *r, double *terms)
{
    enum { MOST = 4096 };
    clsp_solid_class *const classes = calloc(MOST, sizeof *classes);
    uint32_t *const of = malloc((r->cells.count + 1) * sizeof *of);
    clsp_status status = classes && of ? CLSP_OK : CLSP_ERROR_NO_MEMORY;
    size_t num;

    *terms = 0.0;
    BENCH_TRY(status);
    BENCH_TRY(clsp_solid_classes(r->plan, classes, MOST, &num));
    BENCH_TRY(clsp_solid_cell_classes(r->plan, r->cells, clsp_out_u32(of, r->cells.count)));
    for (size_t c = 0; c < r->cells.count; c++)
        if (of[c] < MOST) *terms += classes[of[c]].num_points / (double)r->cells.count;

fail:
    free(of);
    free(classes);
    return bench_check(status, r->name);
}

static clsp_status load_points(const solid_run *r)
{
    const size_t num = 3 * r->model->counts.num_vertices;
    const double *const points = r->model->points;
    float *narrow;
    clsp_status status;

    if (r->precision == CLSP_F64)
        return clsp_solid_set_control_points(r->plan, clsp_in_f64(points, num), NULL);
    narrow = malloc(num * sizeof *narrow);
    if (!narrow) return CLSP_ERROR_NO_MEMORY;
    for (size_t i = 0; i < num; i++)
        narrow[i] = (float)points[i];
    status = clsp_solid_set_control_points(r->plan, clsp_in_f32(narrow, num), NULL);
    free(narrow);
    return status;
}

clsp_status solid_run_start(solid_run *r)
{
    const clsp_axis axis = {.num = r->samples};
    clsp_solid_desc desc = {.precision = r->precision,
                            .axis = {axis, axis, axis},
                            .vertex = {.attributes = r->attributes},
                            .method = r->method};
    const size_t room = r->b->is_cpu ? (size_t)1 << 28 : r->b->info.max_alloc_bytes / 2;
    clsp_status status;
    cl_int code;

    BENCH_TRY(bench_check(clsp_solid_plan_create(&r->plan, r->model->mesh, &desc), r->name));
    BENCH_TRY(bench_check(clsp_solid_plan_desc(r->plan, &desc), r->name));
    r->stride = desc.vertex.stride;
    const size_t cell_bytes =
        (size_t)r->stride * r->samples * r->samples * r->samples * clsp_type_bytes(r->precision);
    r->cells = (clsp_range){0, r->model->counts.num_cells};
    r->most = room / cell_bytes < r->cells.count ? room / cell_bytes : r->cells.count;
    BENCH_TRY(bench_check(load_points(r), r->name));
    r->out = r->shared;
    if (r->out || !r->b->context) return CLSP_OK;
    r->out =
        clCreateBuffer(r->b->context, CL_MEM_READ_WRITE, r->most * cell_bytes + 1, NULL, &code);
    BENCH_TRY(bench_check(code, r->name));

fail:
    return status;
}

clsp_status solid_run_enqueue(void *user)
{
    const solid_run *const r = user;
    clsp_status status = CLSP_OK;

    for (size_t done = 0; done < r->cells.count && status == CLSP_OK; done += r->most) {
        const size_t left = r->cells.count - done;
        const clsp_range some = {r->cells.first + done, left < r->most ? left : r->most};
        status = clsp_solid_eval(r->plan, some, clsp_out_buffer(r->out, r->precision, 0), NULL);
    }
    return bench_check(status, r->name);
}

void solid_run_release(solid_run *r)
{
    clsp_solid_plan_destroy(&r->plan);
    if (r->out && !r->shared) clReleaseMemObject(r->out);
    r->out = NULL;
}

double solid_run_points(const solid_run *r)
{
    return (double)r->cells.count * r->samples * r->samples * r->samples;
}

/* ---- errors ---- */

static double sample_at(const solid_run *r, size_t i)
{
    return r->samples > 1 ? (double)i / (r->samples - 1.0) : 0.0;
}

/* Gives the weights of a cell at one of its samples. */
static clsp_status weights_at(const solid_run *r, size_t cell, size_t sample, uint32_t *vertices,
                              double *weights, size_t *num)
{
    const size_t n = r->samples;
    const clsp_solid_param param = {.cell = cell,
                                    .t = {sample_at(r, sample / n / n),
                                          sample_at(r, sample / n % n), sample_at(r, sample % n)}};

    return bench_check(clsp_solid_weights(r->plan, &param, vertices, weights, num), r->name);
}

enum { MOST_WEIGHTS = 2048 };

/* Adds the errors of a cell's points to what there are. */
static clsp_status add_errors(const solid_run *r, size_t cell, const void *points,
                              solid_errors *errors)
{
    static uint32_t vertices[MOST_WEIGHTS];
    static double weights[MOST_WEIGHTS];
    const size_t samples = (size_t)r->samples * r->samples * r->samples;
    clsp_status status = CLSP_OK;

    for (size_t s = 0; s < samples && status == CLSP_OK; s += 1 + samples / 24) {
        size_t num = MOST_WEIGHTS;
        status = weights_at(r, cell, s, vertices, weights, &num);
        for (size_t k = 0; k < 3 && status == CLSP_OK; k++) {
            const double got = r->precision == CLSP_F64
                                   ? ((const double *)points)[3 * s + k]
                                   : (double)((const float *)points)[3 * s + k];
            double sum = 0;
            for (size_t i = 0; i < num; i++) {
                const double p = r->model->points[3 * (size_t)vertices[i] + k];
                sum += weights[i] * (r->precision == CLSP_F64 ? p : (double)(float)p);
            }
            errors->worst = fmax(errors->worst, fabs(sum - got));
            errors->mean += fabs(sum - got);
        }
    }
    return status;
}

clsp_status solid_run_kinds(const solid_run *r, size_t *num, size_t *inside)
{
    enum { REGULAR_POINTS = 64 };
    static uint32_t vertices[MOST_WEIGHTS];
    static double weights[MOST_WEIGHTS];
    uint32_t *const kinds = malloc((r->model->counts.num_cells + 1) * sizeof *kinds);
    clsp_status status = kinds ? find_kinds(r->model, kinds) : CLSP_ERROR_NO_MEMORY;

    memset(num, 0, SOLID_KINDS * sizeof *num);
    *inside = 0;
    for (size_t c = 0; c < r->model->counts.num_cells && status == CLSP_OK; c++) {
        size_t points = MOST_WEIGHTS;
        num[kinds[c]]++;
        if (kinds[c] != CLSP_SOLID_REGULAR) continue;
        status = weights_at(r, c, 1, vertices, weights, &points);
        *inside += points == REGULAR_POINTS;
    }
    free(kinds);
    return status;
}

clsp_status solid_run_errors(const solid_run *r, solid_errors *errors)
{
    enum { CELLS = 200 };
    const size_t samples = (size_t)r->samples * r->samples * r->samples;
    const size_t bytes = 3 * samples * clsp_type_bytes(r->precision);
    const size_t step = 1 + r->cells.count / CELLS, looked = 1 + (samples - 1) / (1 + samples / 24);
    void *const points = malloc(bytes);
    clsp_status status = points ? CLSP_OK : CLSP_ERROR_NO_MEMORY;
    size_t num = 0;

    *errors = (solid_errors){0};
    for (size_t i = 0; i < 3 * r->model->counts.num_vertices; i++)
        errors->scale = fmax(errors->scale, fabs(r->model->points[i]));
    for (size_t c = 0; c < r->cells.count && status == CLSP_OK; c += step, num++) {
        const clsp_range one = {r->cells.first + c, 1};
        const clsp_output out = r->precision == CLSP_F64 ? clsp_out_f64(points, 3 * samples)
                                                         : clsp_out_f32(points, 3 * samples);
        status = bench_check(clsp_solid_eval(r->plan, one, out, NULL), r->name);
        if (status == CLSP_OK) status = add_errors(r, one.first, points, errors);
    }
    errors->mean /= (double)(3 * looked * (num ? num : 1));
    free(points);
    return status;
}

/* ---- the plain loop ---- */

/* What tells a cell's class and frame: its weights at one parameter. */
typedef struct host_key {
    size_t num;
    double *weights;
} host_key;

/* Makes the table of a cell. */
static clsp_status make_table(solid_host *h, const solid_run *r, size_t cell, size_t num)
{
    const size_t samples = h->job.samples;
    double *const table = malloc(samples * num * sizeof *table);
    uint32_t *const vertices = malloc(num * sizeof *vertices);
    clsp_status status = table && vertices ? CLSP_OK : CLSP_ERROR_NO_MEMORY;

    for (size_t s = 0; s < samples && status == CLSP_OK; s++) {
        size_t room = num;
        status = weights_at(r, cell, s, vertices, table + s * num, &room);
    }
    free(vertices);
    h->made[h->num_made] = table;
    if (status != CLSP_OK) free(table);
    h->num_made += status == CLSP_OK;
    return status;
}

/* Finds the table of a cell, making it where it is new. */
static clsp_status enter_cell(solid_host *h, const solid_run *r, size_t i, size_t cell,
                              host_key *keys)
{
    const clsp_solid_param param = {.cell = cell, .t = {0.31, 0.47, 0.73}};
    double weights[MOST_WEIGHTS];
    size_t num = MOST_WEIGHTS, at = 0;
    clsp_status status;

    h->index = realloc(h->index, (h->first[i] + MOST_WEIGHTS) * sizeof *h->index);
    if (!h->index) return CLSP_ERROR_NO_MEMORY;
    status = clsp_solid_weights(r->plan, &param, h->index + h->first[i], weights, &num);
    if (status != CLSP_OK) return status;
    h->first[i + 1] = h->first[i] + num;
    while (at < h->num_made &&
           (keys[at].num != num || memcmp(keys[at].weights, weights, num * sizeof *weights) != 0))
        at++;
    if (at == h->num_made) {
        keys[at] = (host_key){num, malloc(num * sizeof *weights)};
        if (!keys[at].weights) return CLSP_ERROR_NO_MEMORY;
        memcpy(keys[at].weights, weights, num * sizeof *weights);
        status = make_table(h, r, cell, num);
    }
    h->table[i] = h->made[at];
    return status;
}

clsp_status solid_host_start(solid_host *h, const solid_run *r, size_t most)
{
    const size_t step = r->cells.count / most + (r->cells.count % most != 0);
    const size_t cells = (r->cells.count + step - 1) / step;
    const size_t samples = (size_t)r->samples * r->samples * r->samples;
    host_key *const keys = calloc(cells, sizeof *keys);
    clsp_status status = CLSP_OK;

    *h = (solid_host){.job = {.num_cells = cells, .samples = samples, .points = r->model->points}};
    h->first = calloc(cells + 1, sizeof *h->first);
    h->table = calloc(cells, sizeof *h->table);
    h->made = calloc(cells, sizeof *h->made);
    h->out = malloc(3 * samples * cells * sizeof *h->out);
    if (!keys || !h->first || !h->table || !h->made || !h->out) status = CLSP_ERROR_NO_MEMORY;
    for (size_t i = 0; i < cells && status == CLSP_OK; i++)
        status = enter_cell(h, r, i, r->cells.first + i * step, keys);
    h->job.first = h->first;
    h->job.index = h->index;
    h->job.table = (const double *const *)h->table;
    h->job.out = h->out;
    for (size_t i = 0; i < cells && keys; i++)
        free(keys[i].weights);
    free(keys);
    return bench_check(status, r->name);
}

clsp_status solid_host_enqueue(void *user)
{
    host_solid_run(&((const solid_host *)user)->job);
    return CLSP_OK;
}

void solid_host_release(solid_host *h)
{
    for (size_t i = 0; i < h->num_made; i++)
        free(h->made[i]);
    free(h->first);
    free(h->index);
    free(h->table);
    free(h->made);
    free(h->out);
    *h = (solid_host){0};
}
