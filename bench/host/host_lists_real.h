/* The plain loops over lists for one type, REAL, as functions NAMED(..). */

/* Values of basis functions at a parameter, and of their derivatives. */
typedef struct NAMED(values) {
    REAL value[HOST_LIST_ORDER], slope[HOST_LIST_ORDER];
} NAMED(values);

/* Makes Bernstein values by raising their degree. */
static void NAMED(bernstein)(NAMED(values) * b, size_t order, REAL t, bool slopes)
{
    const REAL s = 1 - t;

    b->value[0] = 1;
    for (size_t n = 1; n < order; n++) {
        if (slopes && n + 1 == order) {
            b->slope[0] = -(REAL)n * b->value[0];
            for (size_t i = 1; i < n; i++)
                b->slope[i] = (REAL)n * (b->value[i - 1] - b->value[i]);
            b->slope[n] = (REAL)n * b->value[n - 1];
        }
        b->value[n] = t * b->value[n - 1];
        for (size_t i = n - 1; i > 0; i--)
            b->value[i] = t * b->value[i - 1] + s * b->value[i];
        b->value[0] *= s;
    }
}

/* Finds the span of a parameter by halves: the number of its first function. */
static size_t NAMED(span)(const REAL *knots, size_t order, size_t controls, REAL t)
{
    size_t low = order - 1, high = controls;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (t < knots[middle])
            high = middle;
        else
            low = middle;
    }
    return low - (order - 1);
}

/* Makes B-spline values on a span by raising their degree (Piegl and Tiller, The NURBS Book, 2.5).
   knots: from that of the span's first function on. */
static void NAMED(bspline)(NAMED(values) * b, const REAL *knots, size_t order, REAL t, bool slopes)
{
    const REAL *const at = knots + order; /* the span's end */

    b->value[0] = 1;
    for (size_t n = 1; n < order; n++) {
        const bool slope = slopes && n + 1 == order;
        REAL below = 0, slope_below = 0;
        for (size_t i = 0; i < n; i++) {
            const REAL right = at[i], left = at[(ptrdiff_t)i - (ptrdiff_t)n];
            const REAL part = b->value[i] / (right - left);
            if (slope) b->slope[i] = slope_below - (REAL)n * part;
            slope_below = (REAL)n * part;
            b->value[i] = below + (right - t) * part;
            below = (t - left) * part;
        }
        if (slope) b->slope[n] = slope_below;
        b->value[n] = below;
    }
}

/* Sums rows of control points, `step` reals apart: the point, and with slopes both derivatives. */
static void NAMED(surface_point)(const NAMED(values) * u, const NAMED(values) * v,
                                 const REAL *points, size_t order, size_t step, bool slopes,
                                 REAL *to)
{
    REAL sum[9] = {0};

    for (size_t i = 0; i < order; i++, points += step) {
        REAL row[6] = {0};
        for (size_t j = 0; j < order; j++)
            for (size_t c = 0; c < 3; c++)
                row[c] += v->value[j] * points[3 * j + c];
        for (size_t j = 0; j < order && slopes; j++)
            for (size_t c = 0; c < 3; c++)
                row[3 + c] += v->slope[j] * points[3 * j + c];
        for (size_t c = 0; c < 3; c++)
            sum[c] += u->value[i] * row[c];
        for (size_t c = 0; c < 3 && slopes; c++) {
            sum[3 + c] += u->slope[i] * row[c];
            sum[6 + c] += u->value[i] * row[3 + c];
        }
    }
    for (size_t c = 0; c < (slopes ? 9u : 3u); c++)
        to[c] = sum[c];
}

/* Makes Bezier surfaces of an order that compilers know. */
static inline void NAMED(bezier)(const host_list *h, size_t order, bool slopes)
{
    const REAL *const params = h->params, *const points = h->points;
    const size_t patch = 3 * order * order, stride = slopes ? 9 : 3;

#pragma omp parallel for schedule(dynamic, 512)
    for (size_t k = 0; k < h->num; k++) {
        NAMED(values) u, v;
        NAMED(bernstein)(&u, order, params[2 * k], slopes);
        NAMED(bernstein)(&v, order, params[2 * k + 1], slopes);
        NAMED(surface_point)
        (&u, &v, points + h->item[k] * patch, order, 3 * order, slopes,
         (REAL *)h->out + k * stride);
    }
}

/* Makes B-spline surfaces likewise. */
static inline void NAMED(surface)(const host_list *h, size_t order, bool slopes)
{
    const REAL *const params = h->params, *const points = h->points, *const knots = h->knots;
    const size_t step = 3 * h->controls, stride = slopes ? 9 : 3;

#pragma omp parallel for schedule(dynamic, 512)
    for (size_t k = 0; k < h->num; k++) {
        NAMED(values) u, v;
        const size_t i = NAMED(span)(knots, order, h->controls, params[2 * k]);
        const size_t j = NAMED(span)(knots, order, h->controls, params[2 * k + 1]);
        NAMED(bspline)(&u, knots + i, order, params[2 * k], slopes);
        NAMED(bspline)(&v, knots + j, order, params[2 * k + 1], slopes);
        NAMED(surface_point)
        (&u, &v, points + i * step + 3 * j, order, step, slopes, (REAL *)h->out + k * stride);
    }
}

static inline void NAMED(curve)(const host_list *h, size_t order)
{
    const REAL *const params = h->params, *const points = h->points, *const knots = h->knots;

#pragma omp parallel for schedule(dynamic, 512)
    for (size_t k = 0; k < h->num; k++) {
        NAMED(values) b;
        REAL *const to = (REAL *)h->out + 3 * k;
        const size_t i = NAMED(span)(knots, order, h->controls, params[k]);
        REAL sum[3] = {0};
        NAMED(bspline)(&b, knots + i, order, params[k], false);
        for (size_t j = 0; j < order; j++)
            for (size_t c = 0; c < 3; c++)
                sum[c] += b.value[j] * points[3 * (i + j) + c];
        for (size_t c = 0; c < 3; c++)
            to[c] = sum[c];
    }
}

/* Takes the orders that are measured as constants. */
static void NAMED(bezier_of)(const host_list *h)
{
    if (h->order == 4 && !h->has_derivatives)
        NAMED(bezier)(h, 4, false);
    else if (h->order == 4)
        NAMED(bezier)(h, 4, true);
    else if (h->order == 8 && !h->has_derivatives)
        NAMED(bezier)(h, 8, false);
    else
        NAMED(bezier)(h, h->order, h->has_derivatives);
}

static void NAMED(surface_of)(const host_list *h)
{
    if (h->order == 4 && !h->has_derivatives)
        NAMED(surface)(h, 4, false);
    else if (h->order == 4)
        NAMED(surface)(h, 4, true);
    else
        NAMED(surface)(h, h->order, h->has_derivatives);
}

static void NAMED(curve_of)(const host_list *h)
{
    if (h->order == 4)
        NAMED(curve)(h, 4);
    else
        NAMED(curve)(h, h->order);
}
