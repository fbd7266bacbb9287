#include "locate_walk.h"

#include <string.h>

#include "cubic_jet.h"

enum {
    LOOKS = 16, /* of a walk, */
    WALLS = 3,  /* of which so many may be led out of the cell */
    ROUNDS = 3  /* of a guess */
};

#define BEYOND                                                                                     \
    0.5 /* so far, in its sizes, a step may lead out of a piece: irregular edges are not hit */
#define INSIDE  0.02 /* so far inside all faces a walk begins */
#define OUTSIDE 1.0  /* so far outside a guess may be */

static double between(double x, double low, double high)
{
    return less_of(more_of(x, low), high);
}

/* ---- guesses ---- */

/* Computes the point of a trilinear cell, and its derivatives. */
CLSPI_INLINE void linear_at(const double *corners, const double t[3], clspi_cubic_jet *jet)
{
    memset(jet, 0, sizeof *jet);
    for (uint32_t j = 0; j < CLSPI_CORNERS; j++) {
        const double u = j & 1 ? t[0] : 1 - t[0], v = j >> 1 & 1 ? t[1] : 1 - t[1];
        const double w = j >> 2 ? t[2] : 1 - t[2], *const p = corners + (size_t)LANES * j;
        for (uint32_t l = 0; l < LANES; l++) {
            jet->value[l] += u * v * w * p[l];
            jet->slope[0][l] += (j & 1 ? v * w : -v * w) * p[l];
            jet->slope[1][l] += (j >> 1 & 1 ? u * w : -u * w) * p[l];
            jet->slope[2][l] += (j >> 2 ? u * v : -u * v) * p[l];
        }
    }
}

/* Goes a step of Newton's method towards a point. Returns the square of how far it is; infinite:
   there is no step. */
CLSPI_INLINE double step_to(const clspi_cubic_jet *jet, const double *from, double d[3])
{
    double inverse[3][LANES], e[3];

    for (uint32_t l = 0; l < 3; l++)
        e[l] = from[l] - jet->value[l];
    if (!inverse_of(jet, inverse)) return (double)INFINITY;
    for (uint32_t a = 0; a < 3; a++)
        d[a] = inverse[0][a] * e[0] + inverse[1][a] * e[1] + inverse[2][a] * e[2];
    return clspi_dot3(e, e);
}

static void guess(const double *corners, const double *from, double t[3])
{
    clspi_cubic_jet jet;
    double d[3];

    t[0] = t[1] = t[2] = 0.5;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        linear_at(corners, t, &jet);
        if (!(step_to(&jet, from, d) < (double)INFINITY)) return;
        for (uint32_t a = 0; a < 3; a++)
            t[a] = between(t[a] + d[a], -OUTSIDE, 1 + OUTSIDE);
    }
}

void clspi_walk_guess(const clspi_locate_node *cell, const double query[3], double t[3])
{
    double corners[CLSPI_CORNERS * LANES], from[LANES] = {0};

    for (uint32_t l = 0; l < 3; l++)
        from[l] = (query[l] - cell->units->origin[l]) * cell->units->scale;
    clspi_locate_corners(cell, corners);
    guess(corners, from, t);
}

/* ---- walks ---- */

/* Computes the four cubic B-splines of a span and their derivatives. */
CLSPI_INLINE void splines_at(double t, double value[4], double slope[4])
{
    const double s = 1 - t, ss = s * s, tt = t * t;

    value[0] = s * ss / 6;
    value[1] = (4 - 6 * tt + 3 * t * tt) / 6;
    value[2] = (4 - 6 * ss + 3 * s * ss) / 6;
    value[3] = t * tt / 6;
    slope[0] = -ss / 2;
    slope[1] = (1.5 * t - 2) * t;
    slope[2] = (2 - 1.5 * s) * s;
    slope[3] = tt / 2;
}

/* Computes a piece's point and its derivatives. */
CLSPI_INLINE void piece_at(const clspi_walk_piece *piece, const double s[3], clspi_cubic_jet *jet)
{
    double value[3][4], slope[3][4];

    for (uint32_t a = 0; a < 3; a++)
        if (piece->is_spline[a])
            splines_at(s[a], value[a], slope[a]);
        else
            cubics_at(s[a], value[a], slope[a]);
    sum_cubic(piece->points, value, slope, jet);
}

/* Goes on within a piece, whose own parameters s are, until it is left. Returns whether the query
   is found; looks[]: how often it may look, and be led out of the cell; *square: of the
   distance. */
static bool walk_in(const clspi_walk_piece *piece, const double *from, double near, double s[3],
                    uint32_t looks[2], double *square)
{
    bool is_inside = true;

    while (is_inside && looks[0] > 0) {
        clspi_cubic_jet jet;
        double d[3];
        piece_at(piece, s, &jet);
        bool is_led_out = false;
        looks[0]--;
        *square = step_to(&jet, from, d);
        if (*square <= near) return true;
        if (!(*square < (double)INFINITY)) looks[0] = 0;
        for (uint32_t a = 0; a < 3 && looks[0] > 0; a++) {
            const double end = piece->low[a] + piece->size[a];
            /* the cell's own faces are not left */
            const double low = piece->low[a] > 0 && piece->low[a] < 1 ? -BEYOND : 0;
            const double high = end > 0 && end < 1 ? 1 + BEYOND : 1;
            is_led_out =
                is_led_out || (low == 0 && s[a] + d[a] < 0) || (high == 1 && s[a] + d[a] > 1);
            s[a] = between(s[a] + d[a], low, high);
            is_inside = is_inside && s[a] >= 0 && s[a] <= 1;
        }
        if (is_led_out && --looks[1] == 0) looks[0] = 0;
    }
    return false;
}

/* Returns by how much less a point must be off in a cell whose units are far larger than it is, as
   near to the smallest numbers. */
static double floor_of(const clspi_locate_node *cell)
{
    double corners[CLSPI_CORNERS * LANES], size = 0;

    clspi_locate_corners(cell, corners);
    for (uint32_t i = LANES; i < CLSPI_CORNERS * LANES; i++)
        size = more_of(size, fabs(corners[i] - corners[i % LANES]));
    return size < 0x1p-30 ? size : 1;
}

/* Returns how far the cell's faces are from a place in a piece, by the derivatives there. */
static double inside_faces(const clspi_walk_piece *piece, const double s[3], const double t[3])
{
    double least = (double)INFINITY, normal[3];
    clspi_cubic_jet jet;

    piece_at(piece, s, &jet);
    for (uint32_t a = 0; a < 3; a++) {
        cross(jet.slope[(a + 1) % 3], jet.slope[(a + 2) % 3], normal);
        const double height = fabs(clspi_dot3(jet.slope[a], normal) / piece->size[a]);
        const double length = sqrt(clspi_dot3(normal, normal));
        least = less_of(least, less_of(t[a], 1 - t[a]) * (length > 0 ? height / length : 0));
    }
    return least;
}

clspi_walk_status clspi_locate_walk(clspi_locate_nodes *nodes, clspi_locate_node *cell,
                                    const double query[3], double floor, clspi_walked *walked)
{
    double from[LANES] = {0}, square, *const t = walked->t;
    uint32_t looks[2] = {LOOKS, WALLS};

    floor *= floor_of(cell);
    for (uint32_t a = 0; a < 3; a++)
        t[a] = between(t[a], INSIDE, 1 - INSIDE);
    while (looks[0] > 0) {
        const clspi_walk_piece *piece;
        double s[3];
        if (!clspi_locate_piece(nodes, cell, t, &piece)) return CLSPI_WALK_NO_MEMORY;
        if (!piece) return CLSPI_WALK_LOST;
        for (uint32_t a = 0; a < 3; a++) {
            s[a] = between((t[a] - piece->low[a]) / piece->size[a], 0, 1);
            from[a] = (query[a] - piece->origin[a]) * piece->scale;
        }
        const bool is_found = walk_in(piece, from, floor * floor, s, looks, &square);
        for (uint32_t a = 0; a < 3; a++)
            t[a] = between(piece->low[a] + piece->size[a] * s[a], 0, 1);
        if (!is_found) continue;
        walked->residual = sqrt(square);
        walked->inside = inside_faces(piece, s, t);
        return CLSPI_WALK_FOUND;
    }
    return CLSPI_WALK_LOST;
}
