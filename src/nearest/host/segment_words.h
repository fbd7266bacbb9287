/* What C gives segment_part.clh, squared_distance.clh, curve_result.clh and local_minima.clh, in
   the precision `real`, with points of LANES coordinates; for segment_search_real.h. The form of
   parts is a constant where functions are inlined. */
#include "real_words.h"

#define STORED      real
#define LEAST(x, y) least_of(y, x)
#define MOST(x, y)  most_of(x, y)

/* What parts are: polynomials relative to the query, and what is relative to a base. */
typedef enum part_form { POLYNOMIAL, POLYNOMIAL_WITH_BASE, RATIONAL } part_form;

/* Double precision has digits to spare. */
#define HAS_BASE    (sizeof(real) == sizeof(float))
#define DEGREE      degree
#define ORDER       (degree + 1)
#define TWICE       (2 * degree)
#define IS_RATIONAL (form == RATIONAL)
#define IS_BASED    (HAS_BASE && form != POLYNOMIAL)
#define IS_MANY     is_many

#define UNROLL_DEGREE
#define LOOP(i, first, end, most)        for (int i = (first); i < (end); i++)
#define LOOP_OF_SUM(i, first, end, most) for (int i = (end)-1; i >= (first); i--)

/* ---- points and segments ---- */

typedef real point[LANES];

#define SPLAT(x)            (x)
#define FUSED(a, b, c)      fma(a, b, c)
#define OVER(x, y)          ((x) / (y))
#define STORE_POINT(x, p)   memcpy(p, x, sizeof(point))
#define SEGMENT             const real *
#define SEGMENT_REALS       (ORDER * (LANES + IS_RATIONAL) + LANES + 1 + SPAN_ENDS)
#define CONTROL(segment, i) ((segment) + (i)*LANES)
#define WEIGHT(segment, i)  (segment)[ORDER * LANES + (i)]
#define ORIGIN(segment)     ((segment) + ORDER * (LANES + IS_RATIONAL))
#define EXTENT(segment)     ORIGIN(segment)[LANES]
#define ENDS(segment)       (ORIGIN(segment) + LANES + 1)
#define IS_SOUND(segment)   is_finite(EXTENT(segment))

/* Computes the square of a distance, coordinate by coordinate. */
CLSPI_INLINE real SQUARE_OF(const real *x)
{
    real square = 0;

    EACH_LANE square += x[lane] * x[lane];
    return square;
}

/* ---- parts ---- */

#ifdef __GNUC__
#define UNUSED __attribute__((unused)) /* by some of the functions that are handed it */
#else
#define UNUSED
#endif
#define PART              point *a, real *w, UNUSED int degree, UNUSED part_form form
#define THE_PART          a, w, degree, form
#define THE_PART_OF(a, w) a, w, degree, form
#define SCRATCH                                                                                    \
    point *b, real *v, UNUSED real *slopes, UNUSED real *coefficient, UNUSED real *weight_square
#define THE_SCRATCH b, v, slopes, coefficient, weight_square
#define DECLARE_SCRATCH                                                                            \
    point b[ORDER_MAX];                                                                            \
    real v[ORDER_MAX], slopes[ORDER_MAX];                                                          \
    real coefficient[2 * ORDER_MAX], weight_square[2 * ORDER_MAX];

#define FORM            , UNUSED part_form form
#define THE_FORM        , form
#define T_OF(at)        (at).s0
#define S_OF(at)        (at).s1
#define PARAMETER(t, s) REAL2(t, IS_RATIONAL ? (s) : 1 - (t))
typedef real2 parameter;

CLSPI_INLINE parameter parameter_at(real t)
{
    return REAL2(t, 1 - t);
}

/* ---- sums ---- */

#define PRODUCT_WEIGHTS          const real *weights, UNUSED real eps, UNUSED bool is_many
#define THE_PRODUCT_WEIGHTS      weights, eps, is_many
#define COEFFICIENT_EPS          eps
#define WITH_BASE(largest, base) ((largest) + 2 * sqrt((base) * (largest)))
#define SQUARE_OVER_WEIGHT(i)    (dot_of(a[i], a[i]) / (w[i] * w[i]))

/* Computes coefficient k of the square of a curve whose control points come with binomial
   coefficients, but for what is divided by. Products come in pairs. */
CLSPI_INLINE real square_coefficient(point *b, int degree, int k)
{
    point sum = {0};

    for (int i = k > degree ? k - degree : 0; 2 * i < k; i++)
        EACH_LANE sum[lane] += b[i][lane] * b[k - i][lane];
    EACH_LANE sum[lane] = 2 * sum[lane] + (k % 2 ? 0 : b[k / 2][lane] * b[k / 2][lane]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Computes coefficient k of the product of two rows of numbers, which come with binomial
   coefficients, but for what is divided by. */
CLSPI_INLINE real product_coefficient(const real *x, const real *y, int degree, int k)
{
    const int first = k > degree ? k - degree : 0;
    real sum = 0;

    for (int i = first; i <= k - first; i++)
        sum += x[i] * y[k - i];
    return sum;
}

#define SUM_SQUARES(sum, k)                                                                        \
    sum = square_coefficient(b, degree, k);                                                        \
    if (IS_BASED) sum += 2 * product_coefficient(IS_RATIONAL ? v : weights, slopes, degree, k);    \
    sum *= weights[ORDER + (k)];
#define SUM_WEIGHTS(sum, k) sum = product_coefficient(v, v, degree, k) * weights[ORDER + (k)];
