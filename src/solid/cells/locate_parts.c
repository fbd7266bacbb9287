#include "locate_parts.h"

#include <math.h>
#include <string.h>

enum { LANES = CLSPI_STAR_LANES, SIDE = 4, FAR_EXPONENT = 1000 /* what is smaller is not told */ };

static const uint32_t stride_of[3] = {16, 4, 1};

/* What moves a star's points into a cell's units. */
typedef struct part_frame {
    double from[LANES]; /* what points are relative to, seen from the cell's origin */
    double scale;
} part_frame;

static void to_units(const part_frame *frame, const double *point, double *to)
{
    for (int l = 0; l < LANES; l++)
        to[l] = (frame->from[l] + point[l]) * frame->scale;
}

/* Returns the frame of points that are relative to the sum of two places. */
static part_frame frame_of(const clspi_cell_units *units, const double *one, const double *other)
{
    part_frame frame = {.scale = units->scale};

    for (uint32_t l = 0; l < 3; l++)
        frame.from[l] = (one[l] - units->origin[l]) + (other ? other[l] : 0);
    return frame;
}

/* ---- whole cells ---- */

double clspi_unit_scale(double extent)
{
    int exponent;

    frexp(extent, &exponent);
    return ldexp(1, extent > 0 ? (int)fmin(-exponent, FAR_EXPONENT) : 0);
}

bool clspi_part_measure(const clspi_star_mesh *mesh, uint32_t cell, clspi_cell_units *units,
                        double *place)
{
    const uint32_t *const corner = mesh->mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;
    double extent = 0;

    *place = 0;
    memcpy(units->origin, mesh->control + (size_t)corner[0] * LANES, sizeof units->origin);
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        for (uint32_t i = mesh->begin[corner[j]]; i < mesh->begin[corner[j] + 1]; i++) {
            const size_t near = mesh->corners[i] / CLSPI_CORNERS;
            const uint32_t *const vertex = mesh->mesh->cell_vertex + near * CLSPI_CORNERS;
            for (uint32_t k = 0; k < CLSPI_CORNERS; k++) {
                const double *const point = mesh->control + (size_t)vertex[k] * LANES;
                for (uint32_t l = 0; l < 3; l++) {
                    if (!isfinite(point[l])) return false;
                    *place = fmax(*place, fabs(point[l]));
                    extent = fmax(extent, fabs(point[l] - units->origin[l]));
                }
            }
        }
    units->scale = clspi_unit_scale(3 * extent); /* points beyond the boundary are farther */
    return true;
}

static void make_cubic(clspi_locate_node *node)
{
    node->kind = CLSPI_PART_CUBIC;
    node->num_points = CLSPI_CUBIC_POINTS;
}

/* Makes the tricubic of a regular cell. */
static void make_regular(const clspi_star_mesh *mesh, uint32_t cell, clspi_locate_node *node)
{
    static const double nothing[LANES] = {0};
    const part_frame frame = frame_of(node->units, nothing, NULL);
    uint32_t grid[CLSPI_GRID_POINTS];
    bool is_there[CLSPI_GRID_POINTS];

    clspi_regular_grid(mesh->mesh, cell, grid);
    for (uint32_t i = 0; i < CLSPI_GRID_POINTS; i++) {
        is_there[i] = grid[i] != CLSPI_NO_CELL;
        if (is_there[i])
            to_units(&frame, mesh->control + (size_t)grid[i] * LANES, node->points + LANES * i);
    }
    clspi_continue_grid(node->points, is_there, LANES);
    clspi_cubic_of_grid(node->points);
    make_cubic(node);
}

/* Begins the hull of a part of its 8 corners. */
static void begin_hull(clspi_locate_node *node, const double corner[CLSPI_CORNERS][LANES])
{
    clspi_cubic_jet jet = {.value = {0}};

    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        for (uint32_t l = 0; l < 3; l++) {
            jet.value[l] += corner[j][l] / 8;
            for (uint32_t a = 0; a < 3; a++)
                jet.slope[a][l] += j >> a & 1 ? corner[j][l] / 4 : -corner[j][l] / 4;
        }
    clspi_hull_begin(&node->hull, &jet);
}

void clspi_part_of_cell(const clspi_star_mesh *mesh, uint32_t cell, clspi_locate_node *node)
{
    static const double nothing[LANES] = {0};
    const part_frame frame = frame_of(node->units, nothing, NULL);
    const uint32_t *const vertex = mesh->mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;

    if (clspi_cell_is_regular(mesh->mesh, cell)) {
        make_regular(mesh, cell, node);
        return;
    }
    node->kind = CLSPI_PART_CELL;
    node->num_points = 0;
    node->place.cell = cell;
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++)
        to_units(&frame, mesh->limits + (size_t)vertex[j] * LANES, node->points + LANES * j);
}

/* Makes the hull of a whole cell, which has no end. */
static void hull_of_cell(clspi_locate_node *node)
{
    double corner[CLSPI_CORNERS][LANES];

    memcpy(corner, node->points, sizeof corner);
    begin_hull(node, (const double(*)[LANES])corner);
    for (uint32_t l = 0; l < 3; l++) {
        node->hull.least[l] = -(double)INFINITY;
        node->hull.most[l] = (double)INFINITY;
    }
}

/* ---- tricubics of stars ---- */

/* Returns a point of a star's cell, none of at[] being negative. */
static const double *star_point(const clspi_vertex_star *star, uint32_t cell, const int at[3])
{
    return star->points +
           ((size_t)cell * CLSPI_STAR_POINTS + (size_t)(16 * at[0] + 4 * at[1] + at[2])) * LANES;
}

/* Copies such a point, at[a] being -1 or more: as clspi_vertex_star_point, of these lanes alone. */
static void copy_point(const clspi_vertex_star *star, uint32_t cell, const int at[3], double *to)
{
    const clspi_star_cell *const here = &star->cell[cell];
    double second[LANES];
    uint32_t a = 0;

    while (a < 3 && at[a] >= 0)
        a++;
    if (a == 3) {
        memcpy(to, star_point(star, cell, at), LANES * sizeof *to);
        return;
    }
    int there[3] = {at[0], at[1], at[2]};
    if (here->across[a] != CLSPI_NO_CELL) {
        for (uint32_t b = 0; b < 3; b++)
            there[here->to[a][b]] = b == a ? 1 : at[b];
        copy_point(star, here->across[a], there, to);
        return;
    }
    there[a] = 1; /* beyond the boundary the layer before it is continued */
    copy_point(star, cell, there, second);
    there[a] = 0;
    copy_point(star, cell, there, to);
    for (uint32_t l = 0; l < LANES; l++)
        to[l] = 2 * to[l] - second[l];
}

/* Returns where a point of a part is, as the cell has it, of whose star's cell it is point `at`. */
static uint32_t place_of(const uint32_t at[3], uint32_t corner)
{
    uint32_t place = 0;

    for (uint32_t a = 0; a < 3; a++)
        place += stride_of[a] * (corner >> a & 1 ? 3 - at[a] : at[a]);
    return place;
}

/* Brings the points around a regular sub-cell of a star's cell: bit a of base says whether it is
   from point 1 on, or from the vertex on, along axis a. */
static void gather_grid(const clspi_vertex_star *star, uint32_t cell, uint32_t base, double *to)
{
    for (uint32_t i = 0; i < CLSPI_CUBIC_POINTS; i++) {
        const int at[3] = {(int)(i / 16 + (base & 1)) - 1, (int)(i / 4 % 4 + (base >> 1 & 1)) - 1,
                           (int)(i % 4 + (base >> 2)) - 1};
        if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0)
            memcpy(to + (size_t)LANES * i, star_point(star, cell, at), LANES * sizeof *to);
        else
            copy_point(star, cell, at, to + (size_t)LANES * i);
    }
}

/* Makes the tricubic of such a sub-cell. */
static void make_grid(const clspi_vertex_star *star, uint32_t cell, uint32_t base, uint32_t corner,
                      clspi_locate_node *child)
{
    const part_frame frame = frame_of(child->units, star->centre, NULL);
    double points[CLSPI_CUBIC_REALS];

    gather_grid(star, cell, base, points);
    for (uint32_t i = 0; i < CLSPI_CUBIC_POINTS; i++) {
        const uint32_t x[3] = {i / 16, i / 4 % 4, i % 4};
        to_units(&frame, points + (size_t)LANES * i,
                 child->points + (size_t)LANES * place_of(x, corner));
    }
    clspi_cubic_of_grid(child->points);
    make_cubic(child);
}

/* ---- corners ---- */

/* Where points around a part go: into a hull or a wrap, or how far along a direction from somewhere
   they are is found. */
typedef struct ring_sink {
    clspi_cell_hull *hull;
    clspi_cell_wrap *wrap;
    const double *direction, *from;
    double *least;
} ring_sink;

static void add_points(const ring_sink *to, const double *points, size_t num)
{
    if (to->hull) clspi_hull_add(to->hull, points, num);
    if (to->wrap) clspi_wrap_add(to->wrap, points, num);
    if (to->least)
        *to->least = fmin(*to->least, clspi_hull_along(points, num, to->direction, to->from));
}

/* Adds the points 0 to most[a] of a star's cell. */
static void add_box(const clspi_vertex_star *star, const part_frame *frame, uint32_t cell,
                    const uint8_t most[3], const ring_sink *sink)
{
    double points[27 * LANES];
    int at[3];
    size_t num = 0;

    for (at[0] = 0; at[0] <= most[0]; at[0]++)
        for (at[1] = 0; at[1] <= most[1]; at[1]++)
            for (at[2] = 0; at[2] <= most[2]; at[2]++)
                to_units(frame, star_point(star, cell, at), points + LANES * num++);
    add_points(sink, points, num);
}

/* Adds the points that are around a sub-cell at a vertex: next to that all, and next to its other
   corners those of the cells that have these. */
static void add_corner_ring(const clspi_vertex_star *star, const clspi_locate_node *node,
                            const ring_sink *sink)
{
    const part_frame frame = frame_of(node->units, star->centre, NULL);
    const uint32_t cell = node->place.cell;

    for (uint32_t d = 0; d < star->num_cells; d++) {
        uint8_t most[3] = {1, 1, 1};
        for (uint32_t a = 0; a < 3; a++)
            for (uint32_t b = 0; b < 3; b++)
                if (star->cell[d].edge[b] == star->cell[cell].edge[a]) most[b] = 2;
        add_box(star, &frame, d, most, sink);
    }
}

/* Makes the hull of a part at a vertex. */
static void hull_of_corner(const clspi_vertex_star *star, clspi_locate_node *node)
{
    const part_frame frame = frame_of(node->units, star->centre, NULL);
    double corner[CLSPI_CORNERS][LANES];

    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const uint32_t away = j ^ node->place.corner;
        const int at[3] = {away & 1, away >> 1 & 1, (int)(away >> 2)};
        to_units(&frame, star_point(star, node->place.cell, at), corner[j]);
    }
    begin_hull(node, (const double(*)[LANES])corner);
    add_corner_ring(star, node, &(ring_sink){.hull = &node->hull});
}

static void make_corner(const clspi_vertex_star *star, clspi_locate_node *node)
{
    node->kind = CLSPI_PART_CORNER;
    node->num_points = 0;
    node->is_loose = clspi_star_is_loose(star);
}

/* ---- edges ---- */

/* A part's piece of a section: where its slices go in a cell's units, and Bezier points along the
   piece as sums of those of the whole. */
typedef struct edge_piece {
    const clspi_edge_star *across;
    uint32_t quad;
    part_frame frame[SIDE];
    double weight[SIDE][SIDE];
} edge_piece;

static void halve(double weight[SIDE][SIDE], uint32_t upper)
{
    for (uint32_t s = 0; s < SIDE; s++) {
        const double p = weight[0][s], q = weight[1][s], r = weight[2][s], t = weight[3][s];
        const double pq = (p + q) / 2, qr = (q + r) / 2, rt = (r + t) / 2;
        const double a = (pq + qr) / 2, b = (qr + rt) / 2, middle = (a + b) / 2;
        weight[0][s] = upper ? middle : p;
        weight[1][s] = upper ? b : pq;
        weight[2][s] = upper ? rt : a;
        weight[3][s] = upper ? t : middle;
    }
}

static void find_piece(const clspi_edge_star *across, const clspi_locate_node *node,
                       edge_piece *piece)
{
    const clspi_part_place *const at = &node->place;
    double from = at->from;

    *piece = (edge_piece){.across = across,
                          .quad = across->star->edge_place[3 * (size_t)at->cell + at->along],
                          .weight = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    for (uint32_t s = 0; s < SIDE; s++)
        piece->frame[s] =
            frame_of(node->units, across->star->centre, across->centre + (size_t)LANES * s);
    for (double width = at->width; width < 1; width *= 2) {
        const uint32_t upper = from >= 0.5;
        halve(piece->weight, upper);
        from = 2 * from - upper;
    }
}

/* Brings the four points of a piece that belong to one of the section. */
static void gather_points(const edge_piece *piece, const double *point, double to[SIDE][LANES])
{
    double slice[SIDE][LANES];

    for (uint32_t s = 0; s < SIDE; s++)
        to_units(&piece->frame[s], point + (size_t)LANES * s, slice[s]);
    for (uint32_t r = 0; r < SIDE; r++)
        for (uint32_t l = 0; l < LANES; l++)
            to[r][l] = piece->weight[r][0] * slice[0][l] + piece->weight[r][1] * slice[1][l] +
                       piece->weight[r][2] * slice[2][l] + piece->weight[r][3] * slice[3][l];
}

/* Makes the tricubic of a regular sub-quad along an edge. */
static void make_prism(const edge_piece *piece, uint32_t base, clspi_locate_node *child)
{
    const clspi_star_quad *const quad = &piece->across->quad[piece->quad];
    double point[SIDE * LANES], line[SIDE][LANES];

    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const int at[2] = {(int)(i / 4 + (base & 1)) - 1, (int)(i % 4 + (base >> 1)) - 1};
        uint32_t x[3];
        clspi_edge_star_point(piece->across, piece->quad, at, point);
        gather_points(piece, point, line);
        x[quad->axis[0]] = i / 4;
        x[quad->axis[1]] = i % 4;
        for (uint32_t s = 0; s < SIDE; s++) {
            x[quad->along] = s;
            memcpy(child->points + (size_t)LANES * place_of(x, child->place.corner), line[s],
                   sizeof line[s]);
        }
    }
    clspi_cubic_of_section(child->points, quad->along);
    make_cubic(child);
}

/* Returns a point of a section, of all slices. */
static const double *section_point(const clspi_edge_star *across, uint32_t q, uint32_t i,
                                   uint32_t j)
{
    return across->points + ((size_t)q * 16 + 4 * i + j) * SIDE * LANES;
}

/* Adds the points around a sub-quad at the edge. */
static void add_edge_ring(const edge_piece *piece, const ring_sink *sink)
{
    const clspi_edge_star *const across = piece->across;
    const clspi_star_quad *const quad = &across->quad[piece->quad];

    for (uint32_t q = 0; q < across->num_quads; q++) {
        uint32_t most[2] = {1, 1};
        for (uint32_t k = 0; k < 2; k++)
            if (q == piece->quad)
                most[k] = 2;
            else if (quad->across[k] == q)
                most[quad->shared[k]] = 2;
        for (uint32_t i = 0; i <= most[0]; i++)
            for (uint32_t j = 0; j <= most[1]; j++) {
                double line[SIDE][LANES];
                gather_points(piece, section_point(across, q, i, j), line);
                add_points(sink, line[0], SIDE);
            }
    }
}

/* Makes the hull of a part beside an edge. */
static void hull_of_edge(const edge_piece *piece, clspi_locate_node *node)
{
    const clspi_star_quad *const quad = &piece->across->quad[piece->quad];
    double corner[CLSPI_CORNERS][LANES];

    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const uint32_t away = j ^ node->place.corner;
        double line[SIDE][LANES];
        gather_points(piece,
                      section_point(piece->across, piece->quad, away >> quad->axis[0] & 1,
                                    away >> quad->axis[1] & 1),
                      line);
        memcpy(corner[j], line[away >> quad->along & 1 ? 3 : 0], sizeof corner[j]);
    }
    begin_hull(node, (const double(*)[LANES])corner);
    add_edge_ring(piece, &(ring_sink){.hull = &node->hull});
}

static void make_edge(clspi_locate_node *node)
{
    node->kind = CLSPI_PART_EDGE;
    node->num_points = 0;
}

static const clspi_edge_star *section_of(clspi_locate_stars *stars, const clspi_locate_node *node,
                                         uint32_t steps)
{
    const clspi_part_place *const at = &node->place;
    const clspi_vertex_star *const star = clspi_locate_star(stars, at->vertex, at->level);

    return star ? clspi_locate_section(stars, at->vertex, at->level,
                                       star->cell[at->cell].edge[at->along], steps)
                : NULL;
}

/* Finds the piece of a section that a part is. False: no memory. */
static bool piece_of(clspi_locate_stars *stars, const clspi_locate_node *node, edge_piece *piece)
{
    const clspi_edge_star *const across = section_of(stars, node, node->place.steps);

    if (across) find_piece(across, node, piece);
    return across;
}

/* ---- children ---- */

/* Makes the part of a cell at one of its vertices. */
static bool child_of_cell(clspi_locate_stars *stars, const clspi_locate_node *node, uint32_t corner,
                          clspi_locate_node *child)
{
    const clspi_cell_mesh *const mesh = clspi_stars_mesh(stars)->mesh;
    const uint32_t number = CLSPI_CORNERS * node->place.cell + corner;
    const uint32_t vertex = mesh->cell_vertex[number];
    const clspi_vertex_star *const star = clspi_locate_star(stars, vertex, 1);
    uint32_t d = 0;

    if (!star) return false;
    while (star->cell[d].corner != number)
        d++;
    child->place =
        (clspi_part_place){.vertex = vertex, .cell = d, .level = 1, .corner = (uint8_t)corner};
    if (mesh->vertex_flag[vertex] & CLSPI_IRREGULAR)
        make_corner(star, child);
    else
        make_grid(star, d, 0, corner, child);
    return true;
}

/* Returns the axis of the irregular edge that a sub-cell of a star's cell is beside, from point 1
   of it on; 3: none. */
static uint32_t edge_beside(const clspi_vertex_star *star, uint32_t cell, uint32_t base)
{
    const uint32_t axis = base == 1 ? 0 : base == 2 ? 1 : base == 4 ? 2 : 3;

    return axis < 3 && star->edge[star->cell[cell].edge[axis]].flag & CLSPI_IRREGULAR ? axis : 3;
}

/* Makes a child of a part at a vertex. */
static bool child_of_corner(clspi_locate_stars *stars, const clspi_locate_node *node,
                            uint32_t corner, clspi_locate_node *child)
{
    const clspi_part_place *const at = &node->place;
    const clspi_vertex_star *const star = clspi_locate_star(stars, at->vertex, at->level + 1);
    const uint32_t base = corner ^ at->corner;

    if (!star) return false;
    const uint32_t along = edge_beside(star, at->cell, base);
    child->place = *at;
    child->place.level = at->level + 1;
    child->place.along = (uint8_t)along;
    if (base == 0) {
        make_corner(star, child);
    } else if (along == 3) {
        make_grid(star, at->cell, base, at->corner, child);
    } else {
        child->place.from = 0;
        child->place.width = 1;
        make_edge(child);
    }
    return true;
}

/* Makes a child of a part beside an edge. */
static bool child_of_edge(clspi_locate_stars *stars, const clspi_locate_node *node, uint32_t corner,
                          clspi_locate_node *child)
{
    const clspi_part_place *const at = &node->place;
    const uint32_t along = at->along, one = along == 0 ? 1 : 0, two = along == 2 ? 1 : 2;
    const uint32_t away = corner ^ at->corner, base = (away >> one & 1) | (away >> two & 1) << 1;

    child->place = *at;
    child->place.steps = at->steps + 1;
    child->place.width = at->width / 2;
    child->place.from = at->from + (away >> along & 1 ? at->width / 2 : 0);
    if (base == 0) {
        make_edge(child);
        return true;
    }
    edge_piece piece;
    if (!piece_of(stars, child, &piece)) return false;
    make_prism(&piece, base, child);
    return true;
}

bool clspi_part_child(clspi_locate_stars *stars, const clspi_locate_node *node, uint32_t corner,
                      clspi_locate_node *child)
{
    if (node->kind == CLSPI_PART_CELL) return child_of_cell(stars, node, corner, child);
    if (node->kind == CLSPI_PART_CORNER) return child_of_corner(stars, node, corner, child);
    return child_of_edge(stars, node, corner, child);
}

/* ---- pieces ---- */

/* Returns where a sub-cell begins, that is `base` and then one segment away from a vertex, and how
   long it is, along an axis. */
static void place_piece(clspi_walk_piece *piece, uint32_t axis, bool is_upper, double from,
                        double size)
{
    piece->low[axis] = is_upper ? 1 - from : from;
    piece->size[axis] = is_upper ? -size : size;
}

/* Begins a piece whose points are relative to a star's vertex, Bezier points along one axis at
   most. */
static void begin_piece(const clspi_vertex_star *star, uint32_t along, uint64_t key,
                        clspi_walk_piece *piece)
{
    memcpy(piece->origin, star->centre, sizeof piece->origin);
    piece->key[1] = key;
    piece->points = piece->made;
    for (uint32_t a = 0; a < 3; a++)
        piece->is_spline[a] = a != along;
}

/* Brings the points that were made to the cell's units. */
static void end_piece(clspi_walk_piece *piece)
{
    for (uint32_t i = 0; i < CLSPI_CUBIC_REALS; i++)
        piece->made[i] *= piece->scale;
}

/* Finds how often a place is to be doubled until its largest coordinate is 1 or more. */
static uint32_t steps_to(double most)
{
    uint32_t steps = 0;

    while (ldexp(most, (int)steps) < 1 && steps <= CLSPI_STAR_KEPT)
        steps++;
    return steps;
}

/* Brings the points of a regular sub-quad along an edge. */
static void gather_prism(const clspi_edge_star *across, uint32_t q, uint32_t base,
                         clspi_walk_piece *piece)
{
    const clspi_star_quad *const quad = &across->quad[q];
    double point[SIDE * LANES];

    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const int at[2] = {(int)(i / 4 + (base & 1)) - 1, (int)(i % 4 + (base >> 1)) - 1};
        clspi_edge_star_point(across, q, at, point);
        for (uint32_t s = 0; s < SIDE; s++) {
            double *const to = piece->made + (size_t)LANES * (stride_of[quad->axis[0]] * (i / 4) +
                                                              stride_of[quad->axis[1]] * (i % 4) +
                                                              stride_of[quad->along] * s);
            for (uint32_t l = 0; l < LANES; l++)
                to[l] = across->centre[LANES * s + l] + point[LANES * s + l];
        }
    }
}

/* Finds the piece beside an edge from point 1 to 2 along it, x being the place across in sizes of
   the star's sub-cells. False: no memory. */
static bool edge_piece_at(clspi_locate_stars *stars, const clspi_part_place *at, const double x[3],
                          clspi_walk_piece *piece)
{
    const uint32_t along = at->along, one = along == 0 ? 1 : 0, two = along == 2 ? 1 : 2;
    const uint32_t steps = steps_to(fmax(x[one], x[two]));
    const double whole = ldexp(1, -(int)at->level), size = ldexp(whole, -(int)steps);
    const uint32_t base =
        (ldexp(x[one], (int)steps) >= 1) | (uint32_t)(ldexp(x[two], (int)steps) >= 1) << 1;
    const uint64_t key = (uint64_t)8 << 32 | along << 28 | steps << 16 | at->level << 8 | base;

    if (steps > CLSPI_STAR_KEPT) {
        piece->points = NULL;
        return true;
    }
    if (piece->points && piece->key[1] == key) return true;
    const clspi_vertex_star *const star = clspi_locate_star(stars, at->vertex, at->level);
    if (!star) return false;
    const clspi_edge_star *const across =
        clspi_locate_section(stars, at->vertex, at->level, star->cell[at->cell].edge[along], steps);
    if (!across) return false;
    begin_piece(star, along, key, piece);
    gather_prism(across, star->edge_place[3 * (size_t)at->cell + along], base, piece);
    end_piece(piece);
    place_piece(piece, along, at->corner >> along & 1, whole, whole);
    place_piece(piece, one, at->corner >> one & 1, base & 1 ? size : 0, size);
    place_piece(piece, two, at->corner >> two & 1, base & 2 ? size : 0, size);
    return true;
}

/* Finds the piece at a vertex, x being the place away from it. False: no memory. */
static bool corner_piece_at(clspi_locate_stars *stars, clspi_part_place *at, double x[3],
                            clspi_walk_piece *piece)
{
    const uint8_t flag = clspi_stars_mesh(stars)->mesh->vertex_flag[at->vertex];
    const bool is_regular = !(flag & CLSPI_IRREGULAR);
    const uint32_t level = is_regular ? 1 : steps_to(fmax(fmax(x[0], x[1]), x[2]));
    const double size = ldexp(1, -(int)level);
    uint32_t base = 0;

    at->level = level;
    for (uint32_t a = 0; a < 3; a++) {
        x[a] = ldexp(x[a], (int)level);
        base |= (uint32_t)(!is_regular && x[a] >= 1) << a;
    }
    if (level > CLSPI_STAR_KEPT) {
        piece->points = NULL;
        return true;
    }
    const uint64_t key = (uint64_t)level << 8 | base;
    if (piece->points && piece->key[1] == key) return true;
    const clspi_vertex_star *const star = clspi_locate_star(stars, at->vertex, level);
    if (!star) return false;
    const uint32_t number = CLSPI_CORNERS * at->cell + at->corner;
    at->cell = 0;
    while (star->cell[at->cell].corner != number)
        at->cell++;
    at->along = (uint8_t)edge_beside(star, at->cell, base);
    if (at->along < 3) return edge_piece_at(stars, at, x, piece);
    begin_piece(star, 3, key, piece);
    gather_grid(star, at->cell, base, piece->made);
    end_piece(piece);
    for (uint32_t a = 0; a < 3; a++)
        place_piece(piece, a, at->corner >> a & 1, base >> a & 1 ? size : 0, size);
    return true;
}

bool clspi_part_piece(clspi_locate_stars *stars, const clspi_locate_node *node, const double t[3],
                      clspi_walk_piece *piece)
{
    const clspi_cell_units *const units = node->units;
    const uint32_t cell = node->place.cell;
    const uint32_t *const vertex =
        clspi_stars_mesh(stars)->mesh->cell_vertex + (size_t)cell * CLSPI_CORNERS;
    clspi_part_place at = {.cell = cell};
    double x[3];

    for (uint32_t a = 0; a < 3; a++) {
        at.corner |= (uint8_t)((t[a] > 0.5) << a);
        x[a] = t[a] > 0.5 ? 1 - t[a] : t[a];
    }
    at.vertex = vertex[at.corner];
    const uint64_t key = (uint64_t)cell << 3 | at.corner;
    if (piece->key[0] != key) piece->points = NULL;
    piece->key[0] = key;
    piece->scale = units->scale;
    return corner_piece_at(stars, &at, x, piece);
}

/* ---- hulls ---- */

/* Adds the points around a corner or an edge. False: no memory. */
static bool add_ring(clspi_locate_stars *stars, const clspi_locate_node *node,
                     const ring_sink *sink)
{
    edge_piece piece;

    if (node->kind == CLSPI_PART_CORNER) {
        const clspi_vertex_star *const star =
            clspi_locate_star(stars, node->place.vertex, node->place.level);
        if (star) add_corner_ring(star, node, sink);
        return star;
    }
    if (!piece_of(stars, node, &piece)) return false;
    add_edge_ring(&piece, sink);
    return true;
}

bool clspi_part_wrap(clspi_locate_stars *stars, const clspi_locate_node *node,
                     clspi_cell_wrap *wrap)
{
    return add_ring(stars, node, &(ring_sink){.wrap = wrap});
}

bool clspi_part_along(clspi_locate_stars *stars, const clspi_locate_node *node,
                      const double direction[3], const double *from, double *least)
{
    *least = (double)INFINITY;
    return add_ring(stars, node,
                    &(ring_sink){.direction = direction, .from = from, .least = least});
}

bool clspi_part_hull(clspi_locate_stars *stars, clspi_locate_node *node)
{
    edge_piece piece;

    if (node->kind == CLSPI_PART_CELL) {
        hull_of_cell(node);
    } else if (node->kind == CLSPI_PART_CORNER) {
        const clspi_vertex_star *const star =
            clspi_locate_star(stars, node->place.vertex, node->place.level);
        if (!star) return false;
        hull_of_corner(star, node);
    } else {
        if (!piece_of(stars, node, &piece)) return false;
        hull_of_edge(&piece, node);
    }
    return true;
}
