/* The stars of vertices that a search has refined, and what is across their edges: each step is
   made once, from the one before, and kept as long as parts are (docs/math.md, 21). */
#ifndef CLSPI_LOCATE_STARS_H
#define CLSPI_LOCATE_STARS_H

#include "edge_star.h"
#include "locate_room.h"

enum {
    CLSPI_STAR_LANES = 4,
    CLSPI_STAR_KEPT = 8,   /* steps of a star, and of a section of it, that are kept for all */
    CLSPI_STAR_DEPTH = 128 /* more steps there are not */
};

/* The stars that a thread has. */
typedef struct clspi_locate_stars clspi_locate_stars;

/* mesh: loaded with points of CLSPI_STAR_LANES coordinates. Memory is taken from the room, and
   given back by its owner, who forgets the stars too then. NULL without memory. */
clspi_locate_stars *clspi_locate_stars_create(const clspi_star_mesh *mesh, clspi_locate_room *room);
void clspi_locate_stars_forget(clspi_locate_stars *stars);
void clspi_locate_stars_destroy(clspi_locate_stars *stars);

const clspi_star_mesh *clspi_stars_mesh(const clspi_locate_stars *stars);

/* Gives the star of a vertex after so many steps, from 1 to CLSPI_STAR_DEPTH - 1, until the next
   call. NULL without memory. */
const clspi_vertex_star *clspi_locate_star(clspi_locate_stars *stars, uint32_t vertex,
                                           uint32_t level);

/* Gives what is across an edge of such a star, from point 1 of it to point 2, as four slices, after
   so many steps of its own, likewise. */
const clspi_edge_star *clspi_locate_section(clspi_locate_stars *stars, uint32_t vertex,
                                            uint32_t level, uint32_t edge, uint32_t steps);

/* Tells whether limits around the vertex need not be in the hull of points: weights are below 0. */
bool clspi_star_is_loose(const clspi_vertex_star *star);

#endif
