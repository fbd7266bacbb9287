#include "list_recipe.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "list_sums.h"
#include "spline_place.h"
#include "vertex_layout.h"

static bool has(const clspi_tensor_desc *d, uint32_t attributes)
{
    return (d->vertex.attributes & attributes) != 0;
}

/* ---- what makes lists ---- */

/* Tells whether functions are Bernstein polynomials whose derivatives quick sums make. */
static bool is_bernstein(const clspi_tensor_desc *d)
{
    return d->basis.is_bernstein && !d->basis.factors;
}

/* Tells whether functions are splines whose spans take little memory and that have the derivatives
   asked for, wherever a parameter is. */
static bool is_spline(const clspi_tensor_desc *d)
{
    bool is = d->basis.num_spans && clspi_list_spans_fit(d);

    for (uint32_t k = 0; k < d->directions && is && clspi_list_has_slopes(d); k++)
        is = !d->basis.has_kinks(d->basis.user, k);
    return is;
}

/* Tells whether quick sums make the lists of a description. */
static bool is_quick(const clspi_tensor_desc *d)
{
    const uint32_t plain = CLSP_VERTEX_POINT | CLSP_VERTEX_WEIGHT | CLSP_VERTEX_PARAMS;
    const uint32_t slopes = CLSP_VERTEX_DU | CLSP_VERTEX_DV;
    const uint32_t normals = is_bernstein(d) ? CLSP_VERTEX_NORMAL : 0;
    bool is = d->directions <= 2 && !d->is_triangle && d->own_bases == 0 &&
              !has(d, ~(d->rational ? plain : plain | slopes | normals));

    for (uint32_t k = 0; k < d->directions; k++)
        is = is && d->degrees[k] <= CLSPI_LIST_DEGREE;
    return is && (is_bernstein(d) || is_spline(d));
}

static clspi_point_shape shape_of(const clspi_tensor_desc *d)
{
    clspi_point_shape shape = {.directions = d->directions,
                               .dim = d->dim,
                               .rational = d->rational,
                               .is_double = d->precision == CLSP_F64,
                               .is_triangle = d->is_triangle,
                               .is_spline = d->basis.num_spans != NULL};

    for (uint32_t k = 0; k < 3; k++) {
        shape.controls[k] = d->controls[k];
        shape.degree[k] = d->degrees[k];
    }
    return shape;
}

/* ---- recipes ---- */

/* Finds where sums begin at the samples of a direction; false: no memory. */
static bool find_first(clspi_list_recipe *recipe, uint32_t k)
{
    const clspi_tensor_desc *const d = &recipe->desc;
    double *const values = malloc(d->terms[k] * sizeof *values);
    uint32_t *const first = malloc(d->axis[k].num * sizeof *first);

    for (uint32_t a = 0; a < d->axis[k].num && values && first; a++)
        first[a] = d->basis.values(d->basis.user, k, 0, a, values);
    recipe->sample_first[k] = first;
    const bool is_done = values && first;
    free(values);
    return is_done;
}

/* Makes what a new recipe needs; false: no memory. */
static bool make(clspi_list_recipe *recipe, const clsp_patch_plan *plan)
{
    const clspi_tensor_desc *const d = &plan->desc;
    const clspi_point_shape shape = shape_of(d);
    const clspi_vertex_shape vertex = clspi_vertex_shape_of(d);
    bool is_done = true;

    recipe->desc = *d;
    recipe->patch_reals = plan->patch_reals;
    recipe->is_quick = is_quick(d);
    recipe->maker = clspi_point_maker_of(&shape, &vertex, d->watertight);
    for (uint32_t k = 0; k < d->directions && shape.is_spline && recipe->is_quick; k++)
        is_done = is_done && clspi_list_spans_make(&recipe->spans[k], d, k);
    if (!shape.is_spline || (recipe->is_quick && clspi_patch_has_rows(plan))) return is_done;
    for (uint32_t k = 0; k < d->directions && clspi_has_own_samples(d); k++)
        if (clspi_is_banded(d, k) && d->own_bases == 0 && d->axis[k].num > 0)
            is_done = is_done && find_first(recipe, k);
    recipe->basis_reals = d->own_bases > 0 ? d->basis_reals : 0;
    recipe->basis = plan->family->host_basis(plan);
    return is_done && recipe->basis;
}

bool clspi_list_recipe_prepare(clsp_patch_plan *plan)
{
    if (plan->list_recipe) return true;
    clspi_list_recipe *const recipe = calloc(1, sizeof *recipe);

    if (!recipe) return false;
    if (make(recipe, plan)) {
        plan->list_recipe = recipe;
        return true;
    }
    clspi_list_recipe_release(recipe);
    return false;
}

clsp_status clspi_list_prepare(const clspi_work *work, clspi_way way)
{
    clsp_patch_plan *const plan = (clsp_patch_plan *)work->plan; /* base is its first member */
    const void *points;

    (void)way;
    CLSPI_CHECK(clspi_patch_host_points(plan, &points));
    return clspi_list_recipe_prepare(plan)
               ? CLSP_OK
               : clspi_fail(&work->plan->ctx->log, CLSP_ERROR_NO_MEMORY,
                            "%s: no memory for functions of spans", work->plan->family);
}

void clspi_list_recipe_release(clspi_list_recipe *recipe)
{
    if (!recipe) return;
    for (int k = 0; k < 2; k++)
        clspi_list_spans_release(&recipe->spans[k]);
    for (int k = 0; k < 3; k++)
        free(recipe->sample_first[k]);
    free(recipe->basis);
    free(recipe);
}
