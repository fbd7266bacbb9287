/* Shared evaluation of Bezier plans: plans of joined devices, and jobs for the ladder. */
#ifndef CLSPI_BEZIER_COOPERATE_H
#define CLSPI_BEZIER_COOPERATE_H

#include "bezier_plan.h"

/* Forgets what joined devices hold of a plan: its control points, and with grid their plans. */
void clspi_bezier_peers_forget(clsp_bezier_plan *plan, bool grid);

#endif
