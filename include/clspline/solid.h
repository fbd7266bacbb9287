/* Catmull-Clark solids: meshes of cells, their refinement, and points of the limit of endless
   refinement, with derivatives, in bulk.

   A mesh has polyhedral cells; cells of a plan are hexahedra, which any other cells are after one
   refinement. In a cell the limit is a function of (u, v, w) in [0, 1]^3: vertex 0 of the cell is
   at (0, 0, 0), 1 at u = 1, 3 at v = 1, 4 at w = 1. It is exact: no cell is approximated
   (docs/math.md, 19, which has the rules too). The boundary is a Catmull-Clark surface. Cells may
   have any shape, inverted ones too.

   Accuracy, with scale = max |coordinate|: 1e-12 scale (CLSP_F64) and 1.5e-7 scale (CLSP_F32).

   The order of calls: a mesh, once; of it a plan, which copies what it needs; control points as
   often as they change; evaluations. What holds for plans of every family is in plan.h. A mesh may
   be used by several threads at once. */
#ifndef CLSPLINE_SOLID_H
#define CLSPLINE_SOLID_H

#include <clspline/plan.h>
#include <clspline/vertex.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- meshes ---- */

/* Kinds of cells, with the numbers and the order of vertices of VTK's. */
typedef enum clsp_solid_cell_kind {
    CLSP_SOLID_TETRAHEDRON = 10, /* 4 vertices */
    CLSP_SOLID_HEXAHEDRON =
        12,                /* 8: around one side, then in the same order around the opposite one */
    CLSP_SOLID_WEDGE = 13, /* 6: a triangle, then the opposite one */
    CLSP_SOLID_PYRAMID = 14,   /* 5: refused, since its apex never becomes corners of hexahedra */
    CLSP_SOLID_POLYHEDRON = 42 /* the number of its faces, and for each the number of its vertices
                            and them, in cyclic order; up to 256 of either */
} clsp_solid_cell_kind;

/* What a mesh is made of; copied. */
typedef struct clsp_solid_cells {
    size_t num_vertices;    /* 1..2^31 - 1 */
    size_t num_cells;       /* 1..2^31 - 1 */
    const uint8_t *kinds;   /* [num_cells] of clsp_solid_cell_kind; NULL: hexahedra */
    const uint32_t *index;  /* [num_indices]: the vertices of all cells, one after another */
    size_t num_indices;     /* must be as many as the cells have */
    const uint32_t *crease; /* [num_creases][2]: boundary edges that are sharp, by their ends */
    size_t num_creases;
    const float *sharpness; /* [num_creases], above 0: of creases that fade, as OpenSubdiv's do: it
                               is one less after each refinement, and below 1 they are blended with
                               smooth edges. 10 and more, and all where it is NULL: they stay sharp.
                               Of an edge that stands twice the larger one */
    const uint32_t *corner; /* [num_corners]: boundary vertices that stay in place */
    size_t num_corners;
    const double *points; /* [num_vertices][3]: where vertices are, to tell cells that are inside
                             out; may be NULL */
    uint32_t orient;      /* 1: cells that are inside out are turned: hexahedra have u, v, 1 - w in
                             the place of u, v, w then */
    uint64_t reserved[CLSP_RESERVED];
} clsp_solid_cells;

typedef struct clsp_solid_mesh clsp_solid_mesh;

/* Makes a mesh. Every vertex of a cell must be one of exactly three of its faces, a face belongs to
   one or two cells, and the cells around each vertex and edge must be as around a point of a solid
   or of its boundary. A cell may stand once only.

   Cells that hang together by faces are to be turned alike, in VTK's order, so that their volume is
   positive. Others are inside out and counted (clsp_solid_mesh_counts); without points, or where
   the volume is 0, those are that fewer of the cells agree with. Polyhedra have no order and are
   not counted, but those of a mesh that is oriented are turned as their neighbours.

   The context must outlive the mesh, and gets messages; its host workers (share.h) take part.
   Errors: CLSP_ERROR_ARGUMENT (NULL, or cells that are not sound or cannot be turned alike, of
   which the message names cell, vertex or edge), CLSP_ERROR_NO_MEMORY. On error *mesh is NULL. */
CLSP_API clsp_status clsp_solid_mesh_create(clsp_solid_mesh **mesh, clsp_context *ctx,
                                            const clsp_solid_cells *cells);

/* Releases the mesh and writes NULL; *mesh may be NULL. */
CLSP_API void clsp_solid_mesh_destroy(clsp_solid_mesh **mesh);

/* Makes the mesh of one refinement, with the context's host workers (share.h), which change
   nothing of it. Its vertices are those of the old one, then one for each edge,
   face and cell; cells are the children of the first cell, one for each of its vertices, then those
   of the next one, and so on; of hexahedra in the order of u + 2 v + 4 w at these vertices, and
   with the directions of their parents. Errors: CLSP_ERROR_ARGUMENT (NULL), CLSP_ERROR_NO_MEMORY
   (also: above 2^31 - 1 of anything, which is found before memory is taken). On error *fine is
   NULL. */
CLSP_API clsp_status clsp_solid_mesh_refine(clsp_solid_mesh **fine, const clsp_solid_mesh *mesh);

/* What there is in a mesh. */
typedef struct clsp_solid_counts {
    size_t num_vertices, num_edges, num_faces, num_cells;
    size_t num_indices;     /* that clsp_solid_mesh_cells writes; 0 where not hexahedral */
    uint32_t is_hexahedral; /* 1: all cells are hexahedra, so that it can have a plan */
    size_t num_inside_out;  /* cells that were given inside out, and, unless they are turned, what
                               they become by refinement */
    size_t num_creases;
    const uint32_t *crease; /* [num_creases][2]: creases by their ends, those of refined meshes
                               too; it and sharpness are the mesh's */
    const float *sharpness; /* [num_creases]; INFINITY: it stays sharp */
    uint32_t fading_steps;  /* refinements after which all creases stay sharp: a plan, and limits,
                               ask for 0 */
    uint64_t reserved[CLSP_RESERVED];
} clsp_solid_counts;

CLSP_API clsp_status clsp_solid_mesh_counts(const clsp_solid_mesh *mesh, clsp_solid_counts *counts);

/* Writes the vertices of all cells of a hexahedral mesh. index: CLSP_U32 in host memory,
   [num_cells][8], in VTK's order. Errors: CLSP_ERROR_ARGUMENT, CLSP_ERROR_BUFFER_SIZE. */
CLSP_API clsp_status clsp_solid_mesh_cells(const clsp_solid_mesh *mesh, clsp_output index);

/* The rule of vertices within the solid. */
typedef enum clsp_solid_rule {
    CLSP_SOLID_RULE_DEFAULT = 0, /* tensor */
    CLSP_SOLID_TENSOR = 1,       /* that of plans: limits along irregular edges are splines */
    CLSP_SOLID_JOY = 2           /* Joy and MacCracken's: the same weights at every vertex */
} clsp_solid_rule;

/* Computes the points of the next mesh, which clsp_solid_mesh_refine makes. points:
   [num_vertices][dim], fine: [num_vertices of the next mesh][dim], each CLSP_F32 or CLSP_F64. dim:
   1..CLSP_SOLID_MAX_DIM. Thread-safe. run: not shared.

   Both in host memory: the host makes sums in double; types may differ. Else the device does, in
   the one type of both: the first such call of a rule writes the stencils of all points there, some
   70 bytes each, and later ones only enqueue, so that points that move need not leave the device.
   On a device that is the host's CPU the host makes all, from buffers to buffers behind what the
   queue holds (plan.h, CPUs): the next call of the mesh tells if there was no memory then, and
   destroying the mesh waits for it. Results are within 4 eps max |coordinate| (2^-21 or 2^-50 of
   it) of the host's, and the same bits from run to run.

   Errors: CLSP_ERROR_NO_FP64. */
CLSP_API clsp_status clsp_solid_refine_points(const clsp_solid_mesh *mesh, clsp_solid_rule rule,
                                              uint32_t dim, clsp_input points, clsp_output fine,
                                              const clsp_run *run);

/* Where clsp_solid_limit_points computes limits. */
typedef enum clsp_solid_places {
    CLSP_SOLID_PLACES_DEFAULT = 0, /* vertices */
    CLSP_SOLID_VERTICES = 1,       /* at the mesh's vertices */
    CLSP_SOLID_MIDDLES = 2 /* at these, and then in the middles of all edges, faces and cells, as
                              the next mesh has its vertices */
} clsp_solid_places;

/* Computes where a mesh's vertices, and the middles of its edges, faces and cells, of whatever
   kind, go under endless refinement, in closed form (docs/math.md, 19), without a plan. points:
   [num_vertices][dim], limits: [as many as there are places][dim], both in host memory and of
   CLSP_F32 or CLSP_F64 each; sums are made in double. dim: 1..CLSP_SOLID_MAX_DIM. run: not
   shared. Errors: CLSP_ERROR_ARGUMENT also for a mesh of creases that fade. */
CLSP_API clsp_status clsp_solid_limit_points(const clsp_solid_mesh *mesh, clsp_solid_places places,
                                             uint32_t dim, clsp_input points, clsp_output limits,
                                             const clsp_run *run);

/* ---- plans ---- */

enum {
    CLSP_SOLID_MAX_DIM = 16,
    CLSP_SOLID_MAX_SAMPLES = 1024, /* in each direction */
    CLSP_SOLID_MAX_GRID = 1048576  /* 2^20, of a cell */
};

/* How cells are made. THREAD, GROUP and HYBRID are slow: they are the designs of Massively parallel
   limit evaluation of Catmull-Clark solids (2022), with the library's weights, to be compared with.
   Their errors are up to 1e-6 scale (CLSP_F32). A library that is built without published methods
   refuses them (CLSP_ERROR_ARGUMENT). */
typedef enum clsp_solid_method {
    CLSP_SOLID_METHOD_DEFAULT = 0, /* lattices where they can be had and cells are unlike, of more
                                      sorts than an eighth of them, or hundreds touch one; else
                                      cells */
    CLSP_SOLID_CELLS = 1,          /* sums of all samples of cells together */
    CLSP_SOLID_THREAD = 2,         /* a work-item makes a point; on the host a lane of a vector */
    CLSP_SOLID_GROUP = 3,          /* 32 work-items make a point ("warp-based"); of OpenCL devices
                                      alone, as HYBRID is */
    CLSP_SOLID_HYBRID = 4,         /* as GROUP where cells have up to 16 samples, else as THREAD */
    CLSP_SOLID_LATTICES = 5 /* for meshes from generators, which have as many classes as cells. The
                               device refines the mesh with its control points, at most four times,
                               until samples are away from irregular edges or on them: packed points
                               in the plan's precision, at samples on faces or at least 1/16 from
                               them. The host makes lists, all other grids, and its part of these by
                               stars of vertices. Weights and classes are those of a plan of cells,
                               which the first such call creates */
} clsp_solid_method;

/* What a plan computes. Zero is the default of every field. */
typedef struct clsp_solid_desc {
    clsp_type precision; /* of control points and arithmetic: CLSP_F32 (the default), CLSP_F64 */
    uint32_t dim;        /* coordinates of a control point, those of data on it counted too:
                            1..CLSP_SOLID_MAX_DIM; 0 means 3 */
    clsp_axis axis[3];   /* of the grid that every cell has, along u, v, w: num
                            1..CLSP_SOLID_MAX_SAMPLES, within [0, 1], at most CLSP_SOLID_MAX_GRID
                            samples in all. All num 0: no grid, for eval_points alone. What params
                            of _plan_desc point to is the plan's */
    clsp_vertex_layout vertex; /* of vertices; default: points, packed. The other methods than cells
                                  and lattices make packed points, or derivatives of one order, in
                                  the plan's precision alone */
    clsp_solid_method method;
    uint64_t reserved[CLSP_RESERVED];
} clsp_solid_desc;

typedef struct clsp_solid_plan clsp_solid_plan;

/* Makes a plan of a hexahedral mesh: finds the classes of its cells, unless it has lattices, and
   compiles the kernels. The mesh may be destroyed. Errors: CLSP_ERROR_ARGUMENT also for a mesh that
   is not hexahedral or has creases that fade, an attribute that solids do not have, and, without
   lattices, a cell that more than 512 others touch. On error *plan is NULL. */
CLSP_API clsp_status clsp_solid_plan_create(clsp_solid_plan **plan, const clsp_solid_mesh *mesh,
                                            const clsp_solid_desc *desc);

/* Releases the plan. */
CLSP_API void clsp_solid_plan_destroy(clsp_solid_plan **plan);

/* Gives the plan's description with every default in its place. */
CLSP_API clsp_status clsp_solid_plan_desc(const clsp_solid_plan *plan, clsp_solid_desc *desc);

/* What cells can be. */
typedef enum clsp_solid_kind {
    CLSP_SOLID_REGULAR = 0,
    CLSP_SOLID_LAYERED = 1,   /* around one irregular edge */
    CLSP_SOLID_IRREGULAR = 2, /* around one irregular vertex */
    CLSP_SOLID_SPLIT = 3      /* with several; one refinement or two make them the others */
} clsp_solid_kind;

typedef struct clsp_solid_class {
    clsp_solid_kind kind;
    uint32_t num_points; /* control points that a cell depends on, those beyond the boundary counted
                            for regular ones */
    size_t num_cells;
    uint64_t reserved[CLSP_RESERVED];
} clsp_solid_class;

/* Gives the classes of a plan's cells that there are, first that of regular cells. classes: [room],
   may be NULL with room 0. num: how many there are. */
CLSP_API clsp_status clsp_solid_classes(const clsp_solid_plan *plan, clsp_solid_class *classes,
                                        size_t room, size_t *num);

/* Gives the classes of cells first .. first + count - 1, by their places among those of
   clsp_solid_classes. classes: CLSP_U32 in host memory, [count]. Errors: CLSP_ERROR_ARGUMENT,
   CLSP_ERROR_BUFFER_SIZE. */
CLSP_API clsp_status clsp_solid_cell_classes(const clsp_solid_plan *plan, clsp_range cells,
                                             clsp_output classes);

/* Loads control points, replacing those before; they are copied. points: in the plan's precision,
   [num_vertices][dim]. run: not shared. */
CLSP_API clsp_status clsp_solid_set_control_points(clsp_solid_plan *plan, clsp_input points,
                                                   const clsp_run *run);

/* Evaluates the grid of cells first .. first + count - 1, with all attributes in one pass.
   vertices: receives them in the layout and type of the description,
   [count][num_u][num_v][num_w][vertex] (w fastest).

   A sample on the boundary belongs to the first of the cell's faces at u = 0, u = 1, v = 0, v = 1,
   w = 0, w = 1 that is of the boundary and has the sample on it. Normals are outward and of unit
   length there; they are (0, 0, 0) at all other samples and where the face has no tangent plane.
   Outward is meant of cells whose Jacobian is positive, as in VTK's order; normals
   of inverted cells point inward. First derivatives are within 1e-10 scale (CLSP_F64) and 1e-5
   scale (CLSP_F32) away from irregular edges; docs/math.md, 19, has the other bounds.

   Derivatives need not exist at irregular edges and vertices. On the boundary, and across the
   irregular edge of a layered cell, first derivatives are the limits along the face, or across the
   edge: of the boundary surface's own, which exist at all its edges. At its irregular vertices,
   where they go to 0 or to infinity, they are those of the parameter 2^-20 away from the face's
   edges, brought into the surface's tangent plane, so that normals are the surface's. Smooth
   vertices of two faces, and edges of two cells, have no such plane: those derivatives are 0. All
   other derivatives within 2^-20 of an irregular edge are those of the parameter so far from all
   faces but that of the sample. Results are the same bits however cells are split among calls, and
   from run to run.

   Errors: CLSP_ERROR_STATE also for a plan without a grid.

   Shared (docs/cooperation.md): all schedules but svm, for which dynamic steps in; grids of
   GROUP and HYBRID are made by devices alone. Processors make the same points within twice the
   accuracy above. The host reads control points back once after a load, which points cells have
   and tables once; a joined device gets them then too. */
CLSP_API clsp_status clsp_solid_eval(clsp_solid_plan *plan, clsp_range cells, clsp_output vertices,
                                     const clsp_run *run);

/* Evaluates at any parameters of any cells: the items of points (plan.h) are cells. vertices:
   [num][vertex]; all attributes are NaN where a parameter is NaN or there is no such cell;
   parameters outside of [0, 1] count as its end. Results are the same bits however a list is split
   and from run to run, whatever memory they are in.

   Of a plan whose vertices are points, with parameters or without, in any layout and type, the
   device finds the weights: a list that is there is only enqueued, but for a plan's first call,
   which brings there what cells and classes need: 8 bytes a cell, 4 for each control point of
   those that are not regular, and some 100 KB to 2 MB a class. Where all classes need more than
   2^24 numbers, or more than a buffer may have, and of all other plans, the host's cores make lists
   on every device, in memory of any kind, and the call returns when all is done: in a tenth of a
   microsecond to some of them for a point. A plan's first such call reads back which points cells
   have, and the first one after a load control points.

   By lattices they refine what is around the nearest vertex, but in regular cells: that takes some
   microseconds a point, less where many are near to each other, and keeps 1 kB a cell. */
CLSP_API clsp_status clsp_solid_eval_points(clsp_solid_plan *plan, const clsp_points *points,
                                            clsp_output vertices, const clsp_run *run);

/* ---- places ---- */

/* What became of a point that was looked for. */
typedef enum clsp_solid_place_status {
    CLSP_SOLID_PLACE_FOUND = 0,  /* the cell has it: within the residual */
    CLSP_SOLID_PLACE_CUT = 1,    /* the search ended before all was certain: see the bound */
    CLSP_SOLID_PLACE_NONE = 2,   /* it is outside, by the bound */
    CLSP_SOLID_PLACE_INVALID = 3 /* the point is not finite */
} clsp_solid_place_status;

/* Where a point lies, of plans in CLSP_F32 and CLSP_F64. Where it is not found, and its nearest
   point was not asked for, cell is UINT32_MAX, t NaN and the residual infinite; of an invalid point
   the residual and the bound are NaN. */
typedef struct clsp_solid_place_f32 {
    float t[3];      /* u, v, w within the cell, rounded */
    float residual;  /* how far the cell's point is off, at t before it is rounded */
    float bound;     /* no point of the solid is nearer; 0 where a cell has the point, or what was
                        not searched may have it */
    uint32_t cell;   /* on a face between cells the first one */
    uint32_t status; /* a clsp_solid_place_status */
} clsp_solid_place_f32;

typedef struct clsp_solid_place_f64 {
    double t[3];
    double residual;
    double bound;
    uint32_t cell;
    uint32_t status;
} clsp_solid_place_f64;

enum { /* elements of a place: floats, doubles */
       CLSP_SOLID_PLACE_F32_SIZE = 7,
       CLSP_SOLID_PLACE_F64_SIZE = 6
};

/* Make the memory of num places in host memory. In buffers and SVM they are arrays of the same
   structs, and offsets count floats or doubles. */
static inline clsp_output clsp_out_solid_places_f32(clsp_solid_place_f32 *host, size_t num)
{
    clsp_output out = {CLSP_F32, NULL, host,     NULL, num * CLSP_SOLID_PLACE_F32_SIZE,
                       0,        {0},  {0, 0, 0}};
    return out;
}

static inline clsp_output clsp_out_solid_places_f64(clsp_solid_place_f64 *host, size_t num)
{
    clsp_output out = {CLSP_F64, NULL, host,     NULL, num * CLSP_SOLID_PLACE_F64_SIZE,
                       0,        {0},  {0, 0, 0}};
    return out;
}

/* The points to be looked for, and how. */
typedef struct clsp_solid_queries {
    size_t num;
    clsp_input points; /* [num][3], in the plan's precision */
    size_t max_nodes;  /* parts of cells that are made for a point at most; 0: 32768 */
    uint64_t nearest;  /* 1: of a point that is outside the solid's nearest point is given; 0: only
                          that it is outside */
    double tolerance;  /* 0 or more: points that are outside by this at most are FOUND, at the
                          solid's nearest point */
    uint64_t reserved[CLSP_RESERVED - 2];
} clsp_solid_queries;

/* Finds the cell in which each point lies, and where in it: the inverse of clsp_solid_eval_points,
   by the first three coordinates of control points. places: receives [num] of the structs above, in
   the plan's precision.

   A point is found where the limit of a cell is as near as evaluation is accurate: within 2e-12
   (CLSP_F64) or 3e-7 (CLSP_F32) of the largest |coordinate| of the control points that the cell
   depends on. So every point that clsp_solid_eval or clsp_solid_eval_points gives is. Within the
   cell the residual is that of rounding, some 1e-15 of the cell's size, of CLSP_F32 1e-9. A point
   on a face between cells is the first one's; where cells are folded, into themselves or into each
   other, a point has several places, of which one is given. What is not found is certified: status
   NONE means that the solid is half as far away as that at least, by the bound farther
   (docs/math.md, 21). Folded cells are searched part by part, and so is what is around irregular
   edges and vertices. A point for which max_nodes parts do not suffice is CUT. Cells that depend on
   a control point which is not finite are left out.

   With `nearest` a point of status NONE has the place of the solid's nearest point, on its
   boundary, and its distance as the residual; of several the one that was found first. The bound is
   at most a millionth below it, unless max_nodes parts do not suffice: then it is what is certain.
   Points farther away than 2^20 times the largest |coordinate| have no place.

   With a `tolerance` a point that is outside by as much at most, as one of the boundary that was
   rounded to float or came from another mesh, has status FOUND, the nearest point's place, and its
   distance and bound. Only what may be so near is looked for as with `nearest`, and so is what
   would be CUT.

   The host's cores search on every device, in double precision; where memory is a device's, the
   call returns when all is done. A share does not change that, and tiles of the caller's are made
   by the calling thread. The first call after control points are loaded makes boxes around cells:
   some microseconds a cell, of cells that are not regular 0.1 to 0.2 milliseconds. They take half a
   kilobyte a cell, in plans by lattices a whole one, and what threads keep beside that 50 MB each.
   From 4096 points on they are looked for in the order of their places. Results are the same bits
   however points are split among calls and threads.

   Errors: CLSP_ERROR_ARGUMENT also for a plan of fewer than 3 coordinates, for `nearest` above 1
   and for a tolerance that is below 0 or NaN. */
CLSP_API clsp_status clsp_solid_locate(clsp_solid_plan *plan, const clsp_solid_queries *queries,
                                       clsp_output places, const clsp_run *run);

/* ---- weights ---- */

/* A parameter of one cell, and how often the derivative is taken along u, v, w, at most 2 together.
 */
typedef struct clsp_solid_param {
    size_t cell;
    double t[3]; /* u, v, w, within [0, 1] */
    uint32_t by[3];
    uint64_t reserved[CLSP_RESERVED];
} clsp_solid_param;

/* Computes the weights by which a limit is a sum of control points, exact to rounding, on the host.
   vertices: CLSP_U32, weights: CLSP_F64, both in host memory with room for *num of them; *num
   becomes how many there are, and with *num too small nothing is written, and the call returns
   CLSP_ERROR_BUFFER_SIZE. A vertex stands once. A plan's first call reads back which points cells
   have. Errors: CLSP_ERROR_ARGUMENT, CLSP_ERROR_BUFFER_SIZE, CLSP_ERROR_NO_MEMORY,
   CLSP_ERROR_DEVICE_LOST, OpenCL's own. */
CLSP_API clsp_status clsp_solid_weights(clsp_solid_plan *plan, const clsp_solid_param *param,
                                        uint32_t *vertices, double *weights, size_t *num);

#ifdef __cplusplus
}
#endif

#endif
