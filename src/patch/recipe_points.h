/* Where the points are that the host makes one by one: at parameters, and those of grids. */
#ifndef CLSPI_RECIPE_POINTS_H
#define CLSPI_RECIPE_POINTS_H

#include "list_recipe.h"

/* Brings a parameter x of a patch into the domain of a direction, and says where it is then. Of
   triangles v comes after u. is_lost is set where it is NaN. */
void clspi_point_at(const clspi_list_recipe *recipe, size_t patch, uint32_t direction, double x,
                    clspi_point *point);

/* Has a point of a patch of these control points begin, which may not be there. */
void clspi_point_begin(const clspi_list_recipe *recipe, const void *points, size_t patch,
                       size_t num_patches, clspi_point *point);

/* Takes vertex number `vertex` of the grid of a patch with these numbers of samples; point: begun.
 */
void clspi_grid_point(const clspi_list_recipe *recipe, size_t patch, const uint32_t *nums,
                      size_t vertex, clspi_point *point);

/* Returns the parameter of sample a of num from begin to end as it is stored: the bits of rows of
   tables. */
double clspi_grid_param(const clspi_tensor_desc *d, double begin, double end, uint32_t a,
                        uint32_t num);

#endif
