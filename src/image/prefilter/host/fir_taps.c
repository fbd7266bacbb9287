#include "fir_taps.h"

#include <math.h>
#include <stdlib.h>

#include "spline_poles.h"

#define PI 3.14159265358979323846

/* Makes the sum of all taps 1 by the one in the middle, which is the largest. */
static void normalize(uint32_t half, double *taps)
{
    double sum = 0.0;

    for (uint32_t k = half; k > 0; k--)
        sum += 2.0 * taps[k];
    taps[0] = 1.0 - sum;
}

/* Fills the exact filter's taps: sums of geometric series, one for each pole. With
   prod (1 - z_i)^2 / ((1 - z_i x) (1 - z_i / x)) as the filter, the one of pole z_i has the factor
   prod (1 - z_j)^2 / ((1 - z_i^2) prod_{j != i} (1 - z_j z_i) (1 - z_j / z_i)). */
static void fill_exact(uint32_t order, uint32_t half, double *taps)
{
    double poles[POLES_MAX];
    const uint32_t num = clspi_spline_poles(order, poles);

    for (uint32_t k = 0; k <= half; k++)
        taps[k] = 0.0;
    for (uint32_t i = 0; i < num; i++) {
        double factor = 1.0 / (1.0 - poles[i] * poles[i]);
        for (uint32_t j = 0; j < num; j++) {
            factor *= (1.0 - poles[j]) * (1.0 - poles[j]);
            if (j != i) factor /= (1.0 - poles[j] * poles[i]) * (1.0 - poles[j] / poles[i]);
        }
        for (uint32_t k = 0; k <= half; k++, factor *= poles[i])
            taps[k] += factor;
    }
}

uint32_t clspi_fir_half_length(uint32_t order, double error)
{
    enum { FAR = 8 }; /* where the slowest pole alone counts */
    double poles[POLES_MAX], taps[FAR + 1];
    uint32_t half = 1;

    clspi_spline_poles(order, poles);
    fill_exact(order, FAR, taps);
    const double z = fabs(poles[0]), reach = 2.0 * fabs(taps[FAR]) / pow(z, FAR) / (1.0 - z);
    while (reach * pow(z, half + 1) > error)
        half++;
    return half;
}

void clspi_fir_truncated(uint32_t order, uint32_t half, double *taps)
{
    double sum;

    fill_exact(order, half, taps);
    sum = taps[0];
    for (uint32_t k = 1; k <= half; k++)
        sum += 2.0 * taps[k];
    for (uint32_t k = 0; k <= half; k++)
        taps[k] /= sum;
    normalize(half, taps);
}

/* ---- least squares ---- */

/* Returns the exact filter's spectrum at w. */
static double spectrum(uint32_t order, double w)
{
    double poles[POLES_MAX], product = 1.0;
    const uint32_t num = clspi_spline_poles(order, poles);

    for (uint32_t i = 0; i < num; i++)
        product *= (1.0 - poles[i]) * (1.0 - poles[i]) /
                   (1.0 - 2.0 * poles[i] * cos(w) + poles[i] * poles[i]);
    return product;
}

/* Solves the n equations of a symmetric positive definite matrix by Cholesky's factors; the matrix
   and the right side are overwritten, the latter by the solution. */
static void solve(double *matrix, double *x, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double sum = matrix[i * n + j];
            for (uint32_t k = 0; k < j; k++)
                sum -= matrix[i * n + k] * matrix[j * n + k];
            matrix[i * n + j] = i == j ? sqrt(sum) : sum / matrix[j * n + j];
        }
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < i; k++)
            x[i] -= matrix[i * n + k] * x[k];
        x[i] /= matrix[i * n + i];
    }
    for (uint32_t i = n; i-- > 0;) {
        for (uint32_t k = i + 1; k < n; k++)
            x[i] -= matrix[k * n + i] * x[k];
        x[i] /= matrix[i * n + i];
    }
}

enum { STEPS = 8192 }; /* of the integral, by midpoints */

/* Sums up the normal equations. With the sum of taps 1 what remains free are taps 1 .. half, of the
   functions 2 (cos(k w) - 1); they begin with the truncated ones, of which only the error is left.
 */
static void sum_equations(uint32_t order, uint32_t half, const double *taps, double *matrix,
                          double *x, double *functions)
{
    for (uint32_t s = 0; s < STEPS; s++) {
        const double w = PI * (s + 0.5) / STEPS, damped = 0.05 + w;
        const double weight = 1.0 / (damped * damped * damped);
        double error = spectrum(order, w) - 1.0;
        for (uint32_t k = 1; k <= half; k++) {
            const double half_sine = sin(0.5 * k * w);
            functions[k - 1] = -4.0 * half_sine * half_sine;
            error -= taps[k] * functions[k - 1];
        }
        for (uint32_t i = 0; i < half; i++) {
            x[i] += weight * error * functions[i];
            for (uint32_t j = 0; j <= i; j++)
                matrix[i * half + j] += weight * functions[i] * functions[j];
        }
    }
}

bool clspi_fir_least_squares(uint32_t order, uint32_t half, double *taps)
{
    double *const matrix = calloc((size_t)half * half + 2 * (size_t)half, sizeof *matrix);
    if (!matrix) return false;
    double *const x = matrix + (size_t)half * half;

    clspi_fir_truncated(order, half, taps);
    sum_equations(order, half, taps, matrix, x, x + half);
    solve(matrix, x, half);
    for (uint32_t k = 1; k <= half; k++)
        taps[k] += x[k - 1];
    normalize(half, taps);
    free(matrix);
    return true;
}

/* ---- values ---- */

enum {
    FAR_TAPS = 128,      /* behind which the exact filter's are nothing */
    PLACES = 64,         /* of a sample, at which values are looked at */
    REACH = TAPS_MAX / 2 /* of a B-spline */
};

/* Returns the central B-spline of a degree at x, by those of lower degrees, half a step apart. */
static double bspline(uint32_t degree, double x)
{
    double b[ORDER_MAX + 1];

    for (uint32_t i = 0; i <= degree; i++) {
        const double at = x + 0.5 * degree - i;
        b[i] = at >= -0.5 && at < 0.5 ? 1.0 : 0.0;
    }
    for (uint32_t k = 1; k <= degree; k++)
        for (uint32_t i = 0; i + k <= degree; i++) {
            const double at = x + 0.5 * (degree - k) - i, half = 0.5 * (k + 1.0);
            b[i] = ((half + at) * b[i] + (half - at) * b[i + 1]) / k;
        }
    return b[0];
}

/* Returns the largest value that a line of samples within [-1, 1] can have when taps make its
   coefficients: the sum of the magnitudes of all samples' weights, at the worst place. */
static double most_of_values(uint32_t order, const double taps[FAR_TAPS])
{
    double most = 0.0;

    for (uint32_t p = 0; p <= PLACES / 2; p++) {
        double weight[TAPS_MAX + 1], sum = 0.0;
        for (int k = -REACH; k <= REACH; k++)
            weight[k + REACH] = bspline(order, (double)p / PLACES - k);
        for (int n = REACH + 1 - FAR_TAPS; n < FAR_TAPS - REACH; n++) {
            double worth = 0.0;
            for (int k = -REACH; k <= REACH; k++)
                worth += weight[k + REACH] * taps[abs(n - k)];
            sum += fabs(worth);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* Returns how far values are off by taps at most, of samples within [-1, 1]: with L the most that
   they are themselves and d the most of a line's errors, (L + d)^D - L^D in D directions. */
static double error_of_values(uint32_t order, uint32_t directions, uint32_t half,
                              const double *taps)
{
    double exact[FAR_TAPS], error[FAR_TAPS];

    fill_exact(order, FAR_TAPS - 1, exact);
    for (uint32_t k = 0; k < FAR_TAPS; k++)
        error[k] = (k <= half ? taps[k] : 0.0) - exact[k];
    const double most = most_of_values(order, exact), off = most_of_values(order, error);
    return pow(most + off, directions) - pow(most, directions);
}

uint32_t clspi_fir_half_length_of_values(uint32_t order, uint32_t directions, bool best,
                                         double error)
{
    const double between = 0.98; /* of the error: what places in between may add */
    double taps[FAR_TAPS];

    for (uint32_t half = clspi_fir_half_length(order, error);; half++) {
        if (best && !clspi_fir_least_squares(order, half, taps)) return 0;
        if (!best) clspi_fir_truncated(order, half, taps);
        if (error_of_values(order, directions, half, taps) <= between * error) return half;
    }
}
