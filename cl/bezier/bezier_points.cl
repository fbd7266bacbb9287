/* Vertices of Bezier patches, one an item: eval_points.clh with the derivatives of
   convex_combination.clh and the edges of edge_point.clh. */
#include "edge_point.clh"
#include "eval_points.clh"
