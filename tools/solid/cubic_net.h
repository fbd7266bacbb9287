/* Tricubic nets: 4 x 4 x 4 Bezier control points of a block of a cell, and where they are a point.
   Control points have channels, x, y, z first; the last index runs fastest. */
#ifndef CLSPLINE_TOOLS_CUBIC_NET_H
#define CLSPLINE_TOOLS_CUBIC_NET_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NET = 4,
    NET_POINTS = NET * NET * NET,
    NET_SAMPLES = 5,
    FINE_SAMPLES = 9, /* of cells, for nets of their halves too */
    NET_GRID = NET_SAMPLES * NET_SAMPLES * NET_SAMPLES
};

/* A net of points alone. */
typedef struct cubic_net {
    double p[NET_POINTS][3];
} cubic_net;

/* Five parameters of samples, the third one in the middle, and what makes of values at the four
   others the cubic through them. */
typedef struct net_nodes {
    double t[NET_SAMPLES];
    double control[NET][NET]; /* [control point][value] */
    double middle[NET];       /* its value in the middle */
} net_nodes;

/* Makes nodes that are symmetric about 1/2, of the first two. */
net_nodes net_nodes_make(double first, double second);

/* Makes the net through samples at nodes in each direction, but for those in the middle. samples:
   [5][5][5][channels], net: [4][4][4][channels]. off: [3], receives for each direction how far
   samples in the middle are off the cubics along it, the largest in relation to scale:
   [channels]. */
void cubic_net_fit(const net_nodes *nodes, const double *samples, size_t channels,
                   const double *scale, double *net, double off[3]);

/* Gives the smallest and largest coordinates of control points, between which all points are. */
void cubic_net_bounds(const cubic_net *net, double low[3], double high[3]);

/* Cuts a net in the middle of a direction. */
void cubic_net_split(const cubic_net *net, int axis, cubic_net half[2]);

/* Bounds how far the points of a net are off those that are linear in the six tetrahedra around the
   diagonal of its corners. bend: [3], receives what each direction has to do with it. */
double cubic_net_bend(const cubic_net *net, double bend[3]);

/* Computes the point at t, and its derivatives: [3 parameters][3]. */
void cubic_net_point(const cubic_net *net, const double t[3], double point[3], double slope[3][3]);

/* Computes the weights of the control points at t. */
void cubic_net_weights(const double t[3], double weights[NET_POINTS]);

/* A search for the parameters of a point in a net. */
typedef struct cubic_place {
    double t[3], slope[3][3];
    double distance; /* of the net's point at t from the one that is looked for */
} cubic_place;

/* Finds the parameters, within [0, 1], of a point, or of the net's point that is near it, from
   place->t on: by Newton's method, and by damped steps where that does not come within `near`. */
void cubic_net_find(const cubic_net *net, const double point[3], double near, cubic_place *place);

#endif
