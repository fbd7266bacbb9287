/* Sums of tensor-product nets on a grid: the points of a patch in homogeneous coordinates, and of
   the patches that are its derivatives (hodographs; Farin, 5.3). */
#ifndef CLSPI_BEZIER_NET_H
#define CLSPI_BEZIER_NET_H

#include "bezier_shape.h"
#include "bezier_table.h"
#include "launch.h"

enum { CLSPI_BEZIER_NETS = 7 }; /* S, S_u, S_v, S_w, S_uu, S_uv, S_vv */

typedef struct clspi_bezier_nets {
    int reserved;
} clspi_bezier_nets;

#endif
