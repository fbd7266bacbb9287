#include "poly_mesh.h"

#include <stdlib.h>
#include <string.h>

#include "creases.h"
#include "poly_orient.h"
#include "poly_parts.h"
#include "poly_reader.h"
#include "poly_star.h"

/* ---- cells ---- */

/* Tells whether a cell has just the faces of another one. */
static bool is_copy(const clspi_poly_mesh *mesh, size_t c, size_t other)
{
    const size_t begin = mesh->side_begin[other], end = mesh->side_begin[other + 1];
    bool same = mesh->side_begin[c + 1] - mesh->side_begin[c] == end - begin;

    for (size_t s = mesh->side_begin[c]; s < mesh->side_begin[c + 1] && same; s++) {
        size_t at = begin;
        while (at < end && mesh->side_face[at] != mesh->side_face[s])
            at++;
        same = at < end;
    }
    return same;
}

/* Looks for cells that are given twice. A copy has the other one's least face too, of whose cells
   some are looked at: more than two are defective anyway. */
static clspi_mesh_status check_copies(const clspi_poly_mesh *mesh, clspi_mesh_defect *defect)
{
    enum { EACH = 2 };
    uint32_t(*const seen)[EACH] = malloc(((size_t)mesh->num_faces + 1) * sizeof *seen);
    clspi_mesh_status status = seen ? CLSPI_MESH_SOUND : CLSPI_MESH_NO_MEMORY;

    for (size_t f = 0; f < mesh->num_faces && seen; f++)
        seen[f][0] = seen[f][1] = CLSPI_NO_CELL;
    for (size_t c = 0; c < mesh->num_cells && status == CLSPI_MESH_SOUND; c++) {
        uint32_t least = UINT32_MAX;
        for (size_t s = mesh->side_begin[c]; s < mesh->side_begin[c + 1]; s++)
            if (mesh->side_face[s] < least) least = mesh->side_face[s];
        for (int i = 0; i < EACH; i++) {
            uint32_t *const other = &seen[least][i];
            if (*other == CLSPI_NO_CELL) {
                *other = (uint32_t)c;
                break;
            }
            if (!is_copy(mesh, c, *other)) continue;
            status = clspi_defective(defect, "cell %zu is cell %u again", c, *other);
            break;
        }
    }
    free(seen);
    return status;
}

/* ---- boundary and creases ---- */

static clspi_mesh_status flag_boundary(clspi_poly_mesh *mesh, size_t sides,
                                       clspi_mesh_defect *defect)
{
    for (size_t s = 0; s < sides; s++)
        if (mesh->face_flag[mesh->side_face[s]]++ == 2)
            return clspi_defective(defect, "the face of vertices %u, %u, %u, .. has three cells",
                                   mesh->loop[mesh->loop_begin[s]],
                                   mesh->loop[mesh->loop_begin[s] + 1],
                                   mesh->loop[mesh->loop_begin[s] + 2]);
    for (size_t f = 0; f < mesh->num_faces; f++) {
        mesh->face_flag[f] = mesh->face_flag[f] == 1 ? CLSPI_BOUNDARY : 0;
        for (size_t i = mesh->face_begin[f]; i < mesh->face_begin[f + 1] && mesh->face_flag[f];
             i++) {
            mesh->edge_flag[mesh->face_edge[i]] = CLSPI_BOUNDARY;
            mesh->vertex_flag[mesh->face_vertex[i]] = CLSPI_BOUNDARY;
        }
    }
    return CLSPI_MESH_SOUND;
}

static clspi_mesh_status flag_creases(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                      clspi_mesh_defect *defect)
{
    const clspi_crease_flags flags = {mesh->num_vertices, mesh->num_edges,   mesh->edge_vertex,
                                      mesh->edge_flag,    mesh->vertex_flag, &mesh->edge_sharpness};

    return clspi_flag_creases(&flags, cells, defect);
}

/* ---- the mesh ---- */

static bool allocate(clspi_poly_mesh *mesh, const clspi_cell_reader *r)
{
    mesh->side_begin = calloc((size_t)mesh->num_cells + 1, sizeof *mesh->side_begin);
    mesh->loop_begin = calloc(r->sides + 1, sizeof *mesh->loop_begin);
    mesh->loop = malloc((r->loops + 1) * sizeof *mesh->loop);
    mesh->loop_edge = malloc((r->loops + 1) * sizeof *mesh->loop_edge);
    mesh->side_face = malloc((r->sides + 1) * sizeof *mesh->side_face);
    return mesh->side_begin && mesh->loop_begin && mesh->loop && mesh->loop_edge && mesh->side_face;
}

static bool allocate_flags(clspi_poly_mesh *mesh)
{
    mesh->face_flag = calloc((size_t)mesh->num_faces + 1, 1);
    mesh->edge_flag = calloc((size_t)mesh->num_edges + 1, 1);
    mesh->vertex_flag = calloc((size_t)mesh->num_vertices + 1, 1);
    return mesh->face_flag && mesh->edge_flag && mesh->vertex_flag;
}

/* What is looked for in a mesh whose boundary is flagged, all at once. */
typedef enum mesh_check {
    CHECK_SPHERES,
    CHECK_VERTICES,
    CHECK_EDGES,
    ORIENTATION,
    CHECKS
} mesh_check;

typedef struct check_work {
    clspi_poly_mesh *mesh;
    const clspi_cells *cells;
    clspi_mesh_status status[CHECKS];
    clspi_mesh_defect defect[CHECKS];
} check_work;

static void run_check(void *user, size_t check)
{
    check_work *const w = user;
    clspi_mesh_defect *const defect = &w->defect[check];

    w->status[check] = check == CHECK_SPHERES    ? clspi_poly_check_spheres(w->mesh, defect)
                       : check == CHECK_VERTICES ? clspi_poly_check_vertices(w->mesh, defect)
                       : check == CHECK_EDGES    ? clspi_poly_check_edges(w->mesh, defect)
                                                 : clspi_poly_orient(w->mesh, w->cells, defect);
}

/* Checks what is around vertices and edges, flags creases, and finds what is inside out, of which
   what comes first is told where it is defective. */
static clspi_mesh_status check_all(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                   const clspi_parallel *threads, clspi_mesh_defect *defect)
{
    check_work w = {.mesh = mesh, .cells = cells};
    clspi_mesh_status status = CLSPI_MESH_SOUND;

    clspi_in_parallel(threads, CHECKS, run_check, &w);
    for (size_t i = 0; i < CHECKS && status == CLSPI_MESH_SOUND; i++) {
        if (i == ORIENTATION) status = flag_creases(mesh, cells, defect);
        if (status != CLSPI_MESH_SOUND || w.status[i] == CLSPI_MESH_SOUND) continue;
        *defect = w.defect[i];
        status = w.status[i];
    }
    return status;
}

/* Finds edges, faces and cells of the sides that were read. */
static clspi_mesh_status connect(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                 const clspi_parallel *threads, clspi_mesh_defect *defect)
{
    clspi_mesh_status status = clspi_poly_find_edges(mesh, threads, defect);

    if (status == CLSPI_MESH_SOUND) status = clspi_poly_find_faces(mesh, threads, defect);
    if (status == CLSPI_MESH_SOUND && !allocate_flags(mesh)) status = CLSPI_MESH_NO_MEMORY;
    if (status == CLSPI_MESH_SOUND) status = check_copies(mesh, defect);
    if (status == CLSPI_MESH_SOUND)
        status = flag_boundary(mesh, mesh->side_begin[mesh->num_cells], defect);
    return status == CLSPI_MESH_SOUND ? check_all(mesh, cells, threads, defect) : status;
}

clspi_mesh_status clspi_poly_mesh_make(clspi_poly_mesh *mesh, const clspi_cells *cells,
                                       const clspi_parallel *threads, clspi_mesh_defect *defect)
{
    clspi_cell_reader r = {.cells = cells, .defect = defect};
    clspi_mesh_status status;

    *defect = (clspi_mesh_defect){0};
    *mesh = (clspi_poly_mesh){.is_hexahedral = true};
    if (cells->num_cells == 0) return clspi_defective(defect, "there are no cells");
    if (cells->num_cells > CLSPI_MAX_CELLS || cells->num_vertices > CLSPI_MAX_CELLS)
        return clspi_defective(defect, "there are more than %d cells or vertices", CLSPI_MAX_CELLS);
    mesh->num_cells = (uint32_t)cells->num_cells;
    mesh->num_vertices = (uint32_t)cells->num_vertices;
    for (size_t c = 0; c < cells->num_cells && cells->kind; c++)
        mesh->is_hexahedral &= cells->kind[c] == CLSPI_HEXAHEDRON;
    status = clspi_poly_read_cells(&r, NULL);
    if (status == CLSPI_MESH_SOUND && !allocate(mesh, &r)) status = CLSPI_MESH_NO_MEMORY;
    if (status == CLSPI_MESH_SOUND) status = clspi_poly_read_cells(&r, mesh);
    if (status == CLSPI_MESH_SOUND) status = connect(mesh, cells, threads, defect);
    if (status == CLSPI_MESH_NO_MEMORY) defect->status = status;
    if (status != CLSPI_MESH_SOUND) clspi_poly_mesh_release(mesh);
    return status;
}

void clspi_poly_mesh_release(clspi_poly_mesh *mesh)
{
    free(mesh->side_begin);
    free(mesh->loop_begin);
    free(mesh->loop);
    free(mesh->loop_edge);
    free(mesh->side_face);
    free(mesh->cell_vertex_begin);
    free(mesh->cell_edge_begin);
    free(mesh->face_begin);
    free(mesh->cell_vertex);
    free(mesh->cell_edge);
    free(mesh->face_vertex);
    free(mesh->face_edge);
    free(mesh->edge_vertex);
    free(mesh->face_flag);
    free(mesh->edge_flag);
    free(mesh->vertex_flag);
    free(mesh->edge_sharpness);
    free(mesh->is_turned);
    *mesh = (clspi_poly_mesh){0};
}

clspi_incidence clspi_poly_incidence(const clspi_poly_mesh *mesh)
{
    return (clspi_incidence){
        .num_vertices = mesh->num_vertices,
        .num_edges = mesh->num_edges,
        .num_faces = mesh->num_faces,
        .num_cells = mesh->num_cells,
        .cell_vertices = {mesh->cell_vertex_begin, 0, mesh->cell_vertex},
        .cell_edges = {mesh->cell_edge_begin, 0, mesh->cell_edge},
        .cell_faces = {mesh->side_begin, 0, mesh->side_face},
        .face_vertices = {mesh->face_begin, 0, mesh->face_vertex},
        .face_edges = {mesh->face_begin, 0, mesh->face_edge},
        .edge_vertex = mesh->edge_vertex,
        .face_flag = mesh->face_flag,
        .edge_flag = mesh->edge_flag,
        .vertex_flag = mesh->vertex_flag,
        .edge_sharpness = mesh->edge_sharpness,
    };
}
