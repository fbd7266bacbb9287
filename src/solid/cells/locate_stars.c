#include "locate_stars.h"

#include <stdlib.h>
#include <string.h>

enum {
    LANES = CLSPI_STAR_LANES,
    KEPT = CLSPI_STAR_KEPT,
    HEADS = 1024,
    SECTION_LANES = 4 * LANES,
    QUAD_POINTS = 16
};

/* The points of a step, and what they are relative to. */
typedef struct star_points {
    double *points;
    double centre[SECTION_LANES];
} star_points;

typedef struct section_record {
    struct section_record *next;
    uint32_t level, made; /* of the star; steps, besides what is brought */
    clspi_edge_star across;
    star_points step[KEPT + 1];
} section_record;

typedef struct star_record {
    struct star_record *next;
    uint32_t made; /* steps */
    clspi_vertex_star star;
    double centre[LANES];
    star_points step[KEPT + 1]; /* from 1 on */
    section_record *sections;
} star_record;

/* Steps of one star, or section, beyond those that are kept: a row of pieces. */
typedef struct deep_steps {
    uint32_t vertex, level, edge, made;
    clspi_room_piece piece[CLSPI_STAR_DEPTH];
    star_points step[CLSPI_STAR_DEPTH];
} deep_steps;

struct clspi_locate_stars {
    const clspi_star_mesh *mesh;
    clspi_locate_room *room;
    star_record *head[HEADS]; /* hashed */
    clspi_vertex_star star;   /* in which stars are made */
    clspi_edge_star across;
    deep_steps deep_star, deep_section;
    section_record deep; /* the section of a star that is not kept */
    clspi_room_piece deep_quads;
};

clspi_locate_stars *clspi_locate_stars_create(const clspi_star_mesh *mesh, clspi_locate_room *room)
{
    clspi_locate_stars *const stars = calloc(1, sizeof *stars);

    if (!stars) return NULL;
    stars->mesh = mesh;
    stars->room = room;
    clspi_locate_stars_forget(stars);
    return stars;
}

void clspi_locate_stars_forget(clspi_locate_stars *stars)
{
    memset(stars->head, 0, sizeof stars->head);
    stars->deep_star.vertex = stars->deep_section.vertex = CLSPI_NO_CELL;
}

void clspi_locate_stars_destroy(clspi_locate_stars *stars)
{
    if (!stars) return;
    for (uint32_t i = 0; i < CLSPI_STAR_DEPTH; i++) {
        free(stars->deep_star.piece[i].memory);
        free(stars->deep_section.piece[i].memory);
    }
    free(stars->deep_quads.memory);
    clspi_vertex_star_release(&stars->star);
    clspi_edge_star_release(&stars->across);
    free(stars);
}

const clspi_star_mesh *clspi_stars_mesh(const clspi_locate_stars *stars)
{
    return stars->mesh;
}

/* ---- stars ---- */

/* Copies some of what a star was made with into the room. NULL: no memory. */
static void *kept_copy(clspi_locate_stars *stars, const void *from, size_t bytes)
{
    void *const copy = clspi_room_take(stars->room, bytes);

    if (copy) memcpy(copy, from, bytes);
    return copy;
}

static size_t star_bytes(const clspi_vertex_star *star)
{
    return (size_t)star->num_cells * CLSPI_STAR_POINTS * LANES * sizeof(double);
}

/* Makes the record of a vertex, with the first step. NULL: no memory. */
static star_record *new_record(clspi_locate_stars *stars, uint32_t vertex)
{
    star_record *const r = clspi_room_take(stars->room, sizeof *r);
    clspi_vertex_star *const made = &stars->star;

    if (!r || !clspi_vertex_star_make(made, stars->mesh, vertex)) return NULL;
    memset(r, 0, sizeof *r);
    r->star = *made;
    r->star.cell = kept_copy(stars, made->cell, made->num_cells * sizeof *made->cell);
    r->star.edge = kept_copy(stars, made->edge, made->num_edges * sizeof *made->edge);
    r->star.edge_cells =
        kept_copy(stars, made->edge_cells, 3 * made->num_cells * sizeof *made->edge_cells);
    r->star.edge_place =
        kept_copy(stars, made->edge_place, 3 * made->num_cells * sizeof *made->edge_place);
    r->step[1].points = kept_copy(stars, made->points, star_bytes(made));
    memcpy(r->step[1].centre, made->centre, LANES * sizeof(double));
    r->star.table = NULL;
    r->star.centre = r->centre;
    r->made = 1;
    return r->star.cell && r->star.edge && r->star.edge_cells && r->star.edge_place &&
                   r->step[1].points
               ? r
               : NULL;
}

static star_record *find_record(clspi_locate_stars *stars, uint32_t vertex)
{
    star_record **const head = &stars->head[(vertex * UINT32_C(0x9e3779b1)) >> 22];

    for (star_record *r = *head; r; r = r->next)
        if (r->star.vertex == vertex) return r;
    star_record *const r = new_record(stars, vertex);
    if (!r) return NULL;
    r->next = *head;
    *head = r;
    return r;
}

/* Turns the star of a record to a step. */
static const clspi_vertex_star *star_at(star_record *r, const star_points *at, uint32_t level)
{
    r->star.points = at->points;
    r->star.level = level;
    memcpy(r->centre, at->centre, sizeof r->centre);
    return &r->star;
}

/* Makes the step behind one, in memory that is there. */
static void step_star(clspi_locate_stars *stars, star_record *r, const star_points *from,
                      uint32_t level, star_points *to)
{
    star_at(r, from, level);
    r->star.next = to->points;
    r->star.slices = stars->star.slices; /* which have room for any star that was made */
    clspi_vertex_star_step(&r->star);
    memcpy(to->centre, r->centre, sizeof r->centre);
}

/* Makes steps that are not kept, up to one. False: no memory. */
static bool make_deep(clspi_locate_stars *stars, star_record *r, uint32_t level)
{
    deep_steps *const deep = &stars->deep_star;

    if (deep->vertex != r->star.vertex) {
        deep->vertex = r->star.vertex;
        deep->made = KEPT;
    }
    for (; deep->made < level; deep->made++) {
        const star_points *const from =
            deep->made == KEPT ? &r->step[KEPT] : &deep->step[deep->made];
        star_points *const to = &deep->step[deep->made + 1];
        to->points = clspi_room_piece_of(&deep->piece[deep->made + 1], star_bytes(&r->star));
        if (!to->points) return false;
        step_star(stars, r, from, deep->made, to);
    }
    return true;
}

/* Finds the record of a vertex with its star at a step. NULL: no memory. */
static star_record *record_at(clspi_locate_stars *stars, uint32_t vertex, uint32_t level)
{
    star_record *const r = find_record(stars, vertex);
    const uint32_t kept = level < KEPT ? level : KEPT;

    if (!r) return NULL;
    for (; r->made < kept; r->made++) {
        star_points *const to = &r->step[r->made + 1];
        to->points = clspi_room_take(stars->room, star_bytes(&r->star));
        if (!to->points) return NULL;
        step_star(stars, r, &r->step[r->made], r->made, to);
    }
    if (level > KEPT && !make_deep(stars, r, level)) return NULL;
    star_at(r, level > KEPT ? &stars->deep_star.step[level] : &r->step[level], level);
    return r;
}

const clspi_vertex_star *clspi_locate_star(clspi_locate_stars *stars, uint32_t vertex,
                                           uint32_t level)
{
    star_record *const r = record_at(stars, vertex, level);

    return r ? &r->star : NULL;
}

bool clspi_star_is_loose(const clspi_vertex_star *star)
{
    const clspi_vertex_weights *const w = &star->stars->weights.vertex[star->vertex];
    double sum = (double)star->num_cells * w->cell;
    bool is_loose = w->cell < 0 || w->face < 0;

    for (uint32_t d = 0; d < star->num_cells; d++)
        for (uint32_t a = 0; a < 3; a++) {
            const bool is_outer = star->cell[d].across[a] == CLSPI_NO_CELL;
            if (((is_outer ? CLSPI_BOUNDARY : 0) & w->face_flags) == w->face_flags &&
                (is_outer || star->cell[d].across[a] > d))
                sum += w->face;
        }
    for (uint32_t e = 0; e < star->num_edges; e++) {
        sum += star->edge[e].middle;
        is_loose = is_loose || star->edge[e].middle < 0;
    }
    return is_loose || sum > 1 + 1e-12;
}

/* ---- sections ---- */

static size_t quad_bytes(const clspi_edge_star *across)
{
    return (size_t)across->num_quads * QUAD_POINTS * SECTION_LANES * sizeof(double);
}

static const clspi_edge_star *section_at(section_record *s, const star_points *at, uint32_t steps)
{
    s->across.points = at->points;
    s->across.level = steps;
    memcpy(s->across.centre, at->centre, sizeof at->centre);
    return &s->across;
}

/* Takes over the quads of an edge of a record's star, and the points there, in memory that is
   there. */
static void begin_section(clspi_locate_stars *stars, const star_record *r, section_record *s,
                          clspi_star_quad *quads, double *points)
{
    s->level = r->star.level;
    s->made = 0;
    s->across = stars->across;
    s->across.star = &r->star;
    s->across.quad = quads;
    memcpy(quads, stars->across.quad, s->across.num_quads * sizeof *quads);
    s->across.points = points;
    clspi_edge_star_gather_slices(&s->across);
    s->step[0].points = points;
    memcpy(s->step[0].centre, s->across.centre, sizeof s->across.centre);
}

/* Finds the section of an edge of a record's star. NULL: no memory. */
static section_record *find_section(clspi_locate_stars *stars, star_record *r, uint32_t edge)
{
    for (section_record *s = r->sections; s; s = s->next)
        if (s->level == r->star.level && s->across.edge == edge) return s;
    if (!clspi_edge_star_make(&stars->across, &r->star, edge, 4)) return NULL;
    section_record *const s = clspi_room_take(stars->room, sizeof *s);
    void *const quads =
        clspi_room_take(stars->room, stars->across.num_quads * sizeof *stars->across.quad);
    void *const points = clspi_room_take(stars->room, quad_bytes(&stars->across));
    if (!s || !quads || !points) return NULL;
    memset(s, 0, sizeof *s);
    begin_section(stars, r, s, quads, points);
    s->next = r->sections;
    r->sections = s;
    return s;
}

static void step_section(section_record *s, const star_points *from, uint32_t steps,
                         star_points *to)
{
    section_at(s, from, steps);
    s->across.next = to->points;
    clspi_edge_star_step(&s->across);
    memcpy(to->centre, s->across.centre, sizeof s->across.centre);
}

/* Makes the steps of a section that are kept, up to one. False: no memory. */
static bool make_steps(clspi_locate_stars *stars, section_record *s, uint32_t steps)
{
    for (; s->made < steps; s->made++) {
        star_points *const to = &s->step[s->made + 1];
        to->points = clspi_room_take(stars->room, quad_bytes(&s->across));
        if (!to->points) return false;
        step_section(s, &s->step[s->made], s->made, to);
    }
    return true;
}

/* Makes steps that are not kept, from those of a section on, which has `kept` of them. False: no
   memory. */
static bool make_deep_steps(deep_steps *deep, section_record *s, uint32_t kept, uint32_t steps)
{
    for (; deep->made < steps; deep->made++) {
        const star_points *const from =
            deep->made == kept ? &s->step[kept] : &deep->step[deep->made];
        star_points *const to = &deep->step[deep->made + 1];
        to->points = clspi_room_piece_of(&deep->piece[deep->made + 1], quad_bytes(&s->across));
        if (!to->points) return false;
        step_section(s, from, deep->made, to);
    }
    return true;
}

/* Turns to an edge among the steps that are not kept. Returns whether it is another one. */
static bool turn_to(deep_steps *deep, const star_record *r, uint32_t edge, uint32_t kept)
{
    if (deep->vertex == r->star.vertex && deep->level == r->star.level && deep->edge == edge)
        return false;
    deep->vertex = r->star.vertex;
    deep->level = r->star.level;
    deep->edge = edge;
    deep->made = kept;
    return true;
}

/* Gives a section of a star that is not kept. */
static const clspi_edge_star *deep_section(clspi_locate_stars *stars, star_record *r, uint32_t edge,
                                           uint32_t steps)
{
    deep_steps *const deep = &stars->deep_section;

    if (turn_to(deep, r, edge, 0)) {
        deep->vertex = CLSPI_NO_CELL; /* until all is there */
        if (!clspi_edge_star_make(&stars->across, &r->star, edge, 4)) return NULL;
        void *const quads = clspi_room_piece_of(&stars->deep_quads, stars->across.num_quads *
                                                                        sizeof *stars->across.quad);
        void *const points = clspi_room_piece_of(&deep->piece[0], quad_bytes(&stars->across));
        if (!quads || !points) return NULL;
        begin_section(stars, r, &stars->deep, quads, points);
        deep->vertex = r->star.vertex;
    }
    if (!make_deep_steps(deep, &stars->deep, 0, steps)) return NULL;
    stars->deep.across.star = &r->star;
    return section_at(&stars->deep, steps == 0 ? &stars->deep.step[0] : &deep->step[steps], steps);
}

const clspi_edge_star *clspi_locate_section(clspi_locate_stars *stars, uint32_t vertex,
                                            uint32_t level, uint32_t edge, uint32_t steps)
{
    star_record *const r = record_at(stars, vertex, level);
    deep_steps *const deep = &stars->deep_section;

    if (!r) return NULL;
    if (level > KEPT) return deep_section(stars, r, edge, steps);
    section_record *const s = find_section(stars, r, edge);
    if (!s || !make_steps(stars, s, steps < KEPT ? steps : KEPT)) return NULL;
    if (steps <= KEPT) return section_at(s, &s->step[steps], steps);
    turn_to(deep, r, edge, KEPT);
    return make_deep_steps(deep, s, KEPT, steps) ? section_at(s, &deep->step[steps], steps) : NULL;
}
