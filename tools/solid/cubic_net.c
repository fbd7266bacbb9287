#include "cubic_net.h"

#include <math.h>
#include <string.h>

#include "solid_inverse.h"

enum { MAX_STEPS = 12, MAX_DAMPED = 60, STARTS = 3 };

/* ---- making ---- */

static const size_t outer[NET] = {0, 1, 3, 4}; /* the nodes but for that in the middle */

/* Computes the values at t of the four cubics that are 1 at one of the outer nodes and 0 at the
   others. */
static void lagrange(const net_nodes *n, double t, double value[NET])
{
    for (size_t i = 0; i < NET; i++) {
        value[i] = 1;
        for (size_t k = 0; k < NET; k++)
            if (k != i) value[i] *= (t - n->t[outer[k]]) / (n->t[outer[i]] - n->t[outer[k]]);
    }
}

net_nodes net_nodes_make(double first, double second)
{
    net_nodes n = {.t = {first, second, 0.5, 1 - second, 1 - first}};
    double low[NET], third[NET], other[NET], high[NET];
    lagrange(&n, 0.5, n.middle);
    lagrange(&n, 0, low);
    lagrange(&n, 1.0 / 3, third);
    lagrange(&n, 2.0 / 3, other);
    lagrange(&n, 1, high);
    for (size_t i = 0; i < NET; i++) { /* of values at 0, 1/3, 2/3 and 1 */
        n.control[0][i] = low[i];
        n.control[1][i] = (-5 * low[i] + 18 * third[i] - 9 * other[i] + 2 * high[i]) / 6;
        n.control[2][i] = (2 * low[i] - 9 * third[i] + 18 * other[i] - 5 * high[i]) / 6;
        n.control[3][i] = high[i];
    }
    return n;
}

/* Makes the control points of a cubic of its values at nodes. */
static void fit(const net_nodes *n, const double *from, size_t step, double *to, size_t to_step)
{
    for (size_t i = 0; i < NET; i++) {
        double sum = 0;
        for (size_t k = 0; k < NET; k++)
            sum += n->control[i][k] * from[outer[k] * step];
        to[i * to_step] = sum;
    }
}

/* Returns the largest difference of a sample in the middle from the cubic through the four others
   along an axis, in relation to the scale of its channel. */
static double mismatch(const net_nodes *n, const double *samples, size_t channels,
                       const double *scale, int axis)
{
    static const size_t steps[3] = {25, 5, 1};
    const size_t step = steps[axis] * channels;
    double most = 0;
    for (size_t i = 0; i < NET_GRID; i++) {
        if (i / steps[axis] % NET_SAMPLES != 0) continue;
        const double *p = samples + i * channels;
        for (size_t c = 0; c < channels; c++, p++) {
            double off = p[2 * step];
            for (size_t k = 0; k < NET; k++)
                off -= n->middle[k] * p[outer[k] * step];
            most = fmax(most, fabs(off) / scale[c]);
        }
    }
    return most;
}

void cubic_net_fit(const net_nodes *nodes, const double *samples, size_t channels,
                   const double *scale, double *net, double off[3])
{
    double lines[NET_SAMPLES * NET_SAMPLES * NET], planes[NET_SAMPLES * NET * NET];
    for (int axis = 0; axis < 3; axis++)
        off[axis] = mismatch(nodes, samples, channels, scale, axis);
    for (size_t c = 0; c < channels; c++) {
        for (size_t i = 0; i < 25; i++)
            fit(nodes, samples + i * 5 * channels + c, channels, lines + 4 * i, 1);
        for (size_t i = 0; i < 5; i++)
            for (size_t k = 0; k < 4; k++)
                fit(nodes, lines + 20 * i + k, 4, planes + 16 * i + k, 4);
        for (size_t k = 0; k < 16; k++)
            fit(nodes, planes + k, 16, net + k * channels + c, 16 * channels);
    }
}

void cubic_net_bounds(const cubic_net *net, double low[3], double high[3])
{
    for (int x = 0; x < 3; x++)
        low[x] = high[x] = net->p[0][x];
    for (int i = 1; i < NET_POINTS; i++)
        for (int x = 0; x < 3; x++) {
            low[x] = fmin(low[x], net->p[i][x]);
            high[x] = fmax(high[x], net->p[i][x]);
        }
}

void cubic_net_split(const cubic_net *net, int axis, cubic_net half[2])
{
    const int step = axis == 0 ? 16 : axis == 1 ? 4 : 1;
    for (int i = 0; i < NET_POINTS; i++) {
        if (i / step % NET != 0) continue;
        for (int x = 0; x < 3; x++) {
            const double a = net->p[i][x], b = net->p[i + step][x];
            const double c = net->p[i + 2 * step][x], d = net->p[i + 3 * step][x];
            const double ab = (a + b) / 2, bc = (b + c) / 2, cd = (c + d) / 2;
            const double left = (ab + bc) / 2, right = (bc + cd) / 2, middle = (left + right) / 2;
            half[0].p[i][x] = a;
            half[0].p[i + step][x] = ab;
            half[0].p[i + 2 * step][x] = left;
            half[0].p[i + 3 * step][x] = half[1].p[i][x] = middle;
            half[1].p[i + step][x] = right;
            half[1].p[i + 2 * step][x] = cd;
            half[1].p[i + 3 * step][x] = d;
        }
    }
}

/* Returns the length of a difference: the sum of the coordinates' absolute values. */
static double length_of(const double d[3])
{
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* Returns the largest second difference along an axis. */
static double second_difference(const cubic_net *net, int step)
{
    double most = 0;
    for (int i = 0; i < NET_POINTS; i++) {
        if (i / step % NET > 1) continue;
        double d[3];
        for (int x = 0; x < 3; x++)
            d[x] = net->p[i][x] - 2 * net->p[i + step][x] + net->p[i + 2 * step][x];
        most = fmax(most, length_of(d));
    }
    return most;
}

/* Returns the larger twist of the two faces that two axes span, by their steps; `across` is that
   of the third one. */
static double twist(const cubic_net *net, int a, int b, int across)
{
    double most = 0;
    for (int i = 0; i < 2; i++) {
        double d[3];
        const int at = 3 * i * across;
        for (int x = 0; x < 3; x++)
            d[x] = net->p[at][x] - net->p[at + 3 * a][x] - net->p[at + 3 * b][x] +
                   net->p[at + 3 * a + 3 * b][x];
        most = fmax(most, length_of(d));
    }
    return most;
}

double cubic_net_bend(const cubic_net *net, double bend[3])
{
    /* a cubic is off the line between its ends by at most 6/8 of its second differences; what is
       trilinear is off what is linear in the tetrahedra by at most a quarter of each twist */
    static const int step[3] = {16, 4, 1};
    double sum = 0;
    for (int a = 0; a < 3; a++) {
        bend[a] = 0.75 * second_difference(net, step[a]);
        sum += bend[a];
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3;
        const double by = twist(net, step[a], step[b], step[(a + 2) % 3]) / 4;
        bend[a] += by;
        bend[b] += by;
        sum += by;
    }
    return sum;
}

/* ---- points ---- */

/* Computes the Bernstein polynomials and their derivatives at t. */
static void bernstein(double t, double value[4], double slope[4])
{
    const double s = 1 - t;
    value[0] = s * s * s;
    value[1] = 3 * s * s * t;
    value[2] = 3 * s * t * t;
    value[3] = t * t * t;
    slope[0] = -3 * s * s;
    slope[1] = 3 * s * (s - 2 * t);
    slope[2] = 3 * t * (2 * s - t);
    slope[3] = 3 * t * t;
}

void cubic_net_point(const cubic_net *net, const double t[3], double point[3], double slope[3][3])
{
    double value[3][4], first[3][4], line[16][3], line_w[16][3];
    for (int a = 0; a < 3; a++)
        bernstein(t[a], value[a], first[a]);
    for (int i = 0; i < 16; i++)
        for (int x = 0; x < 3; x++) {
            const double a = net->p[4 * i][x], b = net->p[4 * i + 1][x];
            const double c = net->p[4 * i + 2][x], d = net->p[4 * i + 3][x];
            line[i][x] = value[2][0] * a + value[2][1] * b + value[2][2] * c + value[2][3] * d;
            line_w[i][x] = first[2][0] * a + first[2][1] * b + first[2][2] * c + first[2][3] * d;
        }
    memset(point, 0, 3 * sizeof(*point));
    memset(slope, 0, 9 * sizeof(**slope));
    for (int i = 0; i < 16; i++) {
        const double uv = value[0][i / 4] * value[1][i % 4];
        const double du = first[0][i / 4] * value[1][i % 4];
        const double dv = value[0][i / 4] * first[1][i % 4];
        for (int x = 0; x < 3; x++) {
            point[x] += uv * line[i][x];
            slope[0][x] += du * line[i][x];
            slope[1][x] += dv * line[i][x];
            slope[2][x] += uv * line_w[i][x];
        }
    }
}

void cubic_net_weights(const double t[3], double weights[NET_POINTS])
{
    double value[3][4], first[4];
    for (int a = 0; a < 3; a++)
        bernstein(t[a], value[a], first);
    for (int i = 0; i < NET_POINTS; i++)
        weights[i] = value[0][i / 16] * value[1][i / 4 % 4] * value[2][i % 4];
}

/* ---- parameters of a point ---- */

/* Computes the point at place->t, its error and how far it is off. */
static void look(const cubic_net *net, const double point[3], cubic_place *place, double error[3])
{
    double slope[3][3];
    cubic_net_point(net, place->t, error, slope);
    for (int i = 0; i < 9; i++)
        place->slope[i / 3][i % 3] = slope[i / 3][i % 3];
    for (int x = 0; x < 3; x++)
        error[x] -= point[x];
    place->distance = length_of(error);
}

/* Takes steps of Newton's method as long as they halve the distance, or are the first ones. */
static void search(const cubic_net *net, const double point[3], double near, cubic_place *place)
{
    double error[3], slope[3][3], inverse[9], step[3], before = HUGE_VAL;
    for (int n = 0; n < MAX_STEPS; n++) {
        look(net, point, place, error);
        if (place->distance <= near || (n > 2 && place->distance > before / 2)) return;
        before = place->distance;
        memcpy(slope, place->slope, sizeof(slope));
        inverse_of(slope, inverse);
        if (inverse_step(inverse, error, place->t, step) < 1e-16) return;
    }
    look(net, point, place, error);
}

/* Takes damped steps (Levenberg and Marquardt's) as long as they come nearer. */
static void search_damped(const cubic_net *net, const double point[3], double near,
                          cubic_place *best)
{
    double error[3], best_error[3], damping = 1e-2;
    cubic_place place = *best;
    look(net, point, best, best_error);
    for (int n = 0; n < MAX_DAMPED && best->distance > near && damping < 1e6; n++) {
        double slope[3][3];
        memcpy(slope, best->slope, sizeof(slope));
        memcpy(place.t, best->t, sizeof(place.t));
        inverse_damped(slope, best_error, damping, place.t);
        if (memcmp(place.t, best->t, sizeof(place.t)) == 0) return;
        look(net, point, &place, error);
        if (place.distance < best->distance) {
            const bool is_slow = place.distance > 0.999 * best->distance;
            *best = place;
            memcpy(best_error, error, sizeof(error));
            damping /= 8;
            if (is_slow) return;
        } else {
            damping *= 4;
        }
    }
}

void cubic_net_find(const cubic_net *net, const double point[3], double near, cubic_place *place)
{
    static const double share[STARTS] = {0, 0.1, 0.5};
    cubic_place start = *place, other;
    search(net, point, near, place);
    for (int n = 0; n < STARTS && place->distance > near; n++) {
        other = n == 0 ? *place : start;
        for (int a = 0; a < 3; a++)
            other.t[a] += share[n] * (0.5 - other.t[a]);
        search_damped(net, point, near, &other);
        if (other.distance < place->distance) *place = other;
    }
}
