/* Part of the suite processors: grids and lists of solids' cells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processors_run.h"
#include "solid_run.h"

enum {
    POINT = CLSP_VERTEX_POINT,
    SLOPES = POINT | CLSP_VERTEX_DU | CLSP_VERTEX_DV | CLSP_VERTEX_DW,
    NORMAL = POINT | CLSP_VERTEX_NORMAL
};

enum { BOX, LAYERED, TETRAHEDRA, MODELS };

static const char *const models[MODELS] = {"box", "layered", "tetrahedra"};

/* samples: along each direction; 0: a list. */
static const struct {
    const char *name;
    uint32_t samples, attributes;
    bool is_quick, has_loop;
} rows[] = {
    {"2^3", 2, POINT, false, true},
    {"2^3, derivatives", 2, SLOPES, false, false},
    {"4^3", 4, POINT, true, true},
    {"4^3, derivatives", 4, SLOPES, true, false},
    {"8^3", 8, POINT, false, true},
    {"8^3, derivatives", 8, SLOPES, false, false},
    {"16^3", 16, POINT, false, false},
    {"16^3, derivatives", 16, SLOPES, false, false},
    {"4^3, normals", 4, NORMAL, false, false},
    {"list", 0, POINT, true, false},
    {"list, derivatives", 0, SLOPES, false, false},
};

typedef struct solids_run {
    solid_run run;
    bool is_list;
    processors_list list;
    solid_host loop;
} solids_run;

static clsp_status make_vertices(void *user, clsp_output out, const clsp_run *run)
{
    solids_run *const r = user;

    return r->is_list ? clsp_solid_eval_points(
                            r->run.plan, out.buffer ? &r->list.device : &r->list.host, out, run)
                      : clsp_solid_eval(r->run.plan, r->run.cells, out, run);
}

static clsp_status run_loop(void *user)
{
    return solid_host_enqueue(&((solids_run *)user)->loop);
}

/* ---- models ---- */

/* Makes a mesh of a solid's cells, each cut into tetrahedra, and refines it once. */
static clsp_status make_tetrahedra(bench *b, solid_model *m, const solid_case *solid)
{
    const size_t num = 6 * solid->num_cells;
    uint32_t *const index = solid_tetrahedra(solid);
    uint8_t *const kinds = malloc(num);
    const clsp_solid_cells cells = {.num_vertices = solid->num_points,
                                    .num_cells = num,
                                    .kinds = kinds,
                                    .index = index,
                                    .num_indices = 4 * num};
    clsp_status status = CLSP_ERROR_NO_MEMORY;

    m->points = malloc(3 * solid->num_points * sizeof *m->points);
    if (!index || !kinds || !m->points) goto fail;
    memset(kinds, CLSP_SOLID_TETRAHEDRON, num);
    memcpy(m->points, solid->point, 3 * solid->num_points * sizeof *m->points);
    BENCH_TRY(clsp_solid_mesh_create(&m->mesh, b->ctx, &cells));
    BENCH_TRY(clsp_solid_mesh_counts(m->mesh, &m->counts));
    BENCH_TRY(solid_model_refine(m));

fail:
    free(index);
    free(kinds);
    return status;
}

/* Makes 512 cells of a box, 640 in layers around an edge of five, or 192 of tetrahedra. */
static clsp_status make_model(bench *b, solid_model *m, int which)
{
    solid_case solid = which == BOX       ? solid_box(8, 8, 8)
                       : which == LAYERED ? solid_prism(5, 1, 4)
                                          : solid_box(2, 2, 2);
    clsp_status status;

    if (which == TETRAHEDRA) {
        BENCH_TRY(make_tetrahedra(b, m, &solid));
    } else {
        BENCH_TRY(solid_model_make(b, m, &solid, models[which]));
        if (which == LAYERED) BENCH_TRY(solid_model_refine(m));
    }

fail:
    solid_free(&solid);
    return status;
}

/* ---- rows ---- */

static clsp_status start(solids_run *r, processors_job *job, bool has_loop)
{
    clsp_status status;

    BENCH_TRY(solid_run_start(&r->run));
    const size_t cells = r->run.cells.count;
    job->points = r->is_list ? PROCESSORS_LIST : solid_run_points(&r->run);
    if (r->is_list)
        BENCH_TRY(processors_list_create(&r->list, r->run.b, r->run.precision, 3, (uint32_t)cells));
    if (!has_loop || r->run.precision != CLSP_F64) return CLSP_OK;
    BENCH_TRY(solid_host_start(&r->loop, &r->run, cells));
    job->loop = run_loop;

fail:
    return status;
}

static clsp_status run_case(const processors *p, const solid_model *m, size_t row,
                            clsp_type precision)
{
    solids_run r = {.run = {.b = p->b,
                            .model = m,
                            .name = m->name,
                            .precision = precision,
                            .samples = rows[row].samples ? rows[row].samples : 4,
                            .method = CLSP_SOLID_CELLS,
                            .attributes = rows[row].attributes,
                            .shared = p->buffer},
                    .is_list = rows[row].samples == 0};
    processors_job job = {
        .precision = precision, .type = precision, .call = make_vertices, .user = &r};
    clsp_status status;

    snprintf(job.name, sizeof job.name, "solid, %s, %s", m->name, rows[row].name);
    if (!bench_wants(p->b, job.name)) return CLSP_OK;
    BENCH_TRY(start(&r, &job, rows[row].has_loop));
    if (job.points * r.run.stride * (double)clsp_type_bytes(precision) <= PROCESSORS_ROOM)
        BENCH_TRY(processors_measure(p, &job));

fail:
    solid_host_release(&r.loop);
    processors_list_release(&r.list);
    solid_run_release(&r.run);
    return bench_check(status, job.name);
}

clsp_status processors_solids_run(const processors *p)
{
    clsp_status status = CLSP_OK;
    solid_model m = {0};

    for (int i = 0; i < (p->b->quick ? 1 : MODELS); i++) {
        BENCH_TRY(make_model(p->b, &m, i));
        snprintf(m.name, sizeof m.name, "%s", models[i]);
        for (clsp_type t = CLSP_F32; t <= CLSP_F64; t++)
            for (size_t k = 0; k < BENCH_COUNT(rows); k++)
                if (p->b->wanted[t] && (!p->b->quick || (t == CLSP_F32 && rows[k].is_quick)))
                    BENCH_TRY(run_case(p, &m, k, t));
        solid_model_release(&m);
    }

fail:
    solid_model_release(&m);
    return status;
}
