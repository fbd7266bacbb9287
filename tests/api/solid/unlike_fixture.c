#include "unlike_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random_fixture.h"

/* Makes the refined mesh of tetrahedra. */
static model refined_model(const uint32_t *index, size_t num_cells, const double *points,
                           size_t num_vertices)
{
    uint8_t *const kinds = malloc(num_cells);
    const clsp_solid_cells cells = {.num_vertices = num_vertices,
                                    .num_cells = num_cells,
                                    .kinds = kinds,
                                    .index = index,
                                    .num_indices = 4 * num_cells};
    clsp_solid_mesh *mesh;
    model m = {.dim = 3, .scale = 2.0};

    memset(kinds, CLSP_SOLID_TETRAHEDRON, num_cells);
    assert_ok(ctx, clsp_solid_mesh_create(&mesh, ctx, &cells));
    assert_ok(ctx, clsp_solid_mesh_refine(&m.mesh, mesh));
    assert_ok(ctx, clsp_solid_mesh_counts(m.mesh, &m.counts));
    m.points = malloc(3 * m.counts.num_vertices * sizeof *m.points);
    assert_ok(ctx, clsp_solid_refine_points(
                       mesh, CLSP_SOLID_TENSOR, 3, clsp_in_f64(points, 3 * num_vertices),
                       clsp_out_f64(m.points, 3 * m.counts.num_vertices), NULL));
    clsp_solid_mesh_destroy(&mesh);
    free(kinds);
    return m;
}

model unlike_around_edge(uint32_t sides)
{
    enum { MOST = 12 };
    uint32_t index[4 * MOST];
    double points[3 * (MOST + 2)];

    for (uint32_t i = 0; i < sides; i++) {
        const double angle = 6.283185307179586 * i / sides;
        const uint32_t tetrahedron[4] = {i, (i + 1) % sides, sides, sides + 1};
        points[3 * i] = cos(angle) * (1.0 + 0.1 * (i % 3));
        points[3 * i + 1] = sin(angle);
        points[3 * i + 2] = 0.1 * (i % 2);
        memcpy(index + 4 * (size_t)i, tetrahedron, sizeof tetrahedron);
    }
    const double ends[6] = {0.1, 0, -1, 0, 0.2, 1};
    memcpy(points + 3 * (size_t)sides, ends, sizeof ends);
    return refined_model(index, sides, points, sides + 2);
}

model unlike_split(uint32_t splits)
{
    enum { MOST = 64 };
    uint32_t index[4 * (3 * MOST + 1)] = {0, 1, 2, 3}, num = 1;
    double points[3 * (MOST + 4)] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    uint64_t state = 9;

    for (uint32_t i = 0; i < splits; i++) {
        const uint32_t of = random_below(&state, num), middle = 4 + i;
        uint32_t *const old = index + 4 * (size_t)of;
        for (uint32_t c = 0; c < 3; c++) {
            double *const to = points + 3 * (size_t)middle + c;
            *to = 0.0;
            for (uint32_t k = 0; k < 4; k++)
                *to += points[3 * (size_t)old[k] + c] / 4.0;
        }
        for (uint32_t k = 1; k < 4; k++) {
            uint32_t *const made = index + 4 * (size_t)num++;
            memcpy(made, old, 4 * sizeof *made);
            made[k] = middle;
        }
        old[0] = middle;
    }
    return refined_model(index, num, points, splits + 4);
}

/* ---- all of a kind ---- */

static void check_case(unlike_check *check, solid_case *solid, uint32_t dim, double jitter)
{
    solid_jitter(solid, jitter, 7);
    model m = solid_model_of(solid, dim);
    check(&m);
    solid_model_free(&m);
}

void unlike_prisms(unlike_check *check, uint32_t step)
{
    for (uint32_t sectors = 3; sectors <= 6; sectors += step)
        for (int closed = 0; closed < 2; closed++) {
            solid_case prism = solid_prism(sectors, closed, 2);
            check_case(check, &prism, 3, 0.15);
            solid_crease(&prism, 0.9);
            check_case(check, &prism, 3, 0.0);
            solid_free(&prism);
        }
}

void unlike_boxes(unlike_check *check, const uint32_t dim[3])
{
    for (size_t creases = 0; creases < 3; creases++) {
        solid_case box = solid_box(1, 2, 3);
        if (creases) solid_crease(&box, 0.9);
        if (creases == 2) box.num_creases = box.num_creases / 2;
        check_case(check, &box, dim[creases], 0.1);
        solid_free(&box);
    }
}

void unlike_edges(unlike_check *check, uint32_t step)
{
    for (uint32_t sides = 3; sides <= 8; sides += step) {
        model m = unlike_around_edge(sides);
        check(&m);
        solid_model_free(&m);
    }
}
