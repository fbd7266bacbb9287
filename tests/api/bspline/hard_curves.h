/* Curves that are hard to project onto: kinks, jumps, cusps, ties, sizes and weights far apart. */
#ifndef HARD_CURVES_H
#define HARD_CURVES_H

#include "project_fixture.h"

enum { HARD_CURVES = 18 };

/* Makes number i of them; the same at every call. */
curves hard_curves(size_t i, clsp_type precision);

#endif
