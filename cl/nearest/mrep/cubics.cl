/* Cubics within a tolerance of the segments of B-spline curves, for nearest_cubic.cl
   (docs/math.md, 15): each segment is approximated by a cubic, and parts whose cubics are too far
   are halved and approximated again, all that there are at a time. The parts stay in the order of
   the curves: a part moves up by the halvings before it, and their number is a prefix sum.

   A part is a uint4: s0 its segment, s1 and s2 that it is part s1 of 2^s2 equal ones, s3 the number
   of its control points among those kept, or ACCEPTED where its cubic is near enough.

   The host sets CLSP_DEGREE, CLSP_DIM. */
#include "cubic.clh"

#define ORDER    (CLSP_DEGREE + 1)
#define CONTROLS (ORDER * CLSP_DIM)
#define ACCEPTED 0xffffffffu

/* Counts in a row of a prefix sum. */
#define ROW 64

/* ---- approximation ---- */

IN_PLACE real product_of(const real *x, const real *y)
{
    real sum = x[0] * y[0];
    UNROLL
    for (uint c = 1; c < CLSP_DIM; c++)
        sum = MAD(x[c], y[c], sum);
    return sum;
}

/* Divides a vector by its length; what has none stays 0. */
IN_PLACE void normalize_vector(real *x)
{
    const real length = sqrt(product_of(x, x));
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++)
        x[c] = length > R(0.0) ? x[c] / length : R(0.0);
}

#if CLSP_DEGREE <= 3
/* Writes the cubic that is the same curve as q. Returns how far they are apart, times scale. */
IN_PLACE real fit_cubic(global real *cubic, global const real *q, global const real *weights,
                        real scale)
{
    UNROLL
    for (uint k = 0; k < 4; k++)
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++) {
            real sum = R(0.0);
            UNROLL
            for (uint j = 0; j < ORDER; j++)
                sum = MAD(weights[k * ORDER + j], q[j * CLSP_DIM + c], sum);
            cubic[k * CLSP_DIM + c] = sum;
        }
    return R(0.0);
}
#else
/* Gram matrix of the cubic Bernstein polynomials: the entries of row 1 in columns 1 and 2, and sums
   of the last two in rows 1 and 2. */
#define GRAM_11    (R(3.0) / R(35.0))
#define GRAM_12    (R(9.0) / R(140.0))
#define GRAM_LAST1 (R(13.0) / R(140.0))
#define GRAM_LAST2 (R(11.0) / R(70.0))

/* Writes the cubic that has the ends of q and its tangents there, and of these the least mean
   square of the difference. Returns the largest Bernstein coefficient of the difference, times
   scale. */
IN_PLACE real fit_cubic(global real *cubic, global const real *q, global const real *weights,
                        real scale)
{
    real first[CLSP_DIM], last[CLSP_DIM], chord[CLSP_DIM], m1[CLSP_DIM], m2[CLSP_DIM];

    /* all relative to the part's begin, so that small parts keep their digits */
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        global const real *const end = q + CLSP_DEGREE * CLSP_DIM + c;
        first[c] = (q[CLSP_DIM + c] - q[c]) * scale;
        last[c] = (end[0] - end[-CLSP_DIM]) * scale;
        chord[c] = (end[0] - q[c]) * scale;
        m1[c] = -GRAM_LAST1 * chord[c];
        m2[c] = -GRAM_LAST2 * chord[c];
    }
    for (uint j = 1; j < ORDER; j++)
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++) {
            const real x = (q[j * CLSP_DIM + c] - q[c]) * scale;
            m1[c] = MAD(weights[6 * j], x, m1[c]);
            m2[c] = MAD(weights[6 * j + 1], x, m2[c]);
        }
    normalize_vector(first);
    normalize_vector(last);
    const real r1 = product_of(m1, first), r2 = product_of(m2, last);
    const real cosine = GRAM_12 * product_of(first, last);
    const real det = cosine * cosine - GRAM_11 * GRAM_11;
    const real to_first = (cosine * r2 - GRAM_11 * r1) / det;
    const real to_last = (GRAM_11 * r2 - cosine * r1) / det;
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        const real begin = q[c], end = q[CLSP_DEGREE * CLSP_DIM + c];
        cubic[c] = begin;
        cubic[CLSP_DIM + c] = MAD(to_first, first[c] / scale, begin);
        cubic[2 * CLSP_DIM + c] = MAD(-to_last, last[c] / scale, end);
        cubic[3 * CLSP_DIM + c] = end;
        first[c] = (cubic[CLSP_DIM + c] - begin) * scale;
        last[c] = (cubic[2 * CLSP_DIM + c] - begin) * scale;
    }
    real largest = R(0.0);
    for (uint j = 1; j < CLSP_DEGREE; j++) {
        real d[CLSP_DIM];
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++) {
            const real x = (q[j * CLSP_DIM + c] - q[c]) * scale;
            d[c] = x - MAD(weights[6 * j + 3], first[c],
                           MAD(weights[6 * j + 4], last[c], weights[6 * j + 5] * chord[c]));
        }
        largest = fmax(largest, product_of(d, d));
    }
    return sqrt(largest);
}
#endif

/* Tells whether a cubic bends so much that rounding counts: neighbouring differences of its control
   points differ by more than 0.45 of the least of them. Else the derivative of the squared distance
   rises all along for queries nearby, and rounding moves its zeros little. */
IN_PLACE bool bends(global const real *cubic, real scale, real tolerance)
{
    real least = REAL_MAX, most = R(0.0), longest = R(0.0), before[CLSP_DIM];
    UNROLL
    for (uint k = 0; k < 3; k++) {
        real step[CLSP_DIM], turn[CLSP_DIM];
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++) {
            step[c] = (cubic[(k + 1) * CLSP_DIM + c] - cubic[k * CLSP_DIM + c]) * scale;
            turn[c] = k > 0 ? step[c] - before[c] : R(0.0);
            before[c] = step[c];
        }
        least = fmin(least, product_of(step, step));
        longest = fmax(longest, product_of(step, step));
        most = fmax(most, product_of(turn, turn));
    }
    const real rounding = R(216.0) * REAL_EPS * longest; /* of nearest_cubic.cl's missed_depth */
    return most > R(0.2) * least && rounding > tolerance * scale * (tolerance * scale);
}

/* Returns the largest Bernstein coefficient of the difference of q and its chord, times scale. */
IN_PLACE real line_error(global const real *q, real scale)
{
    real largest = R(0.0);
    for (uint j = 1; j < CLSP_DEGREE; j++) {
        const real t = CONVERT_REAL(j) / CLSP_DEGREE;
        real d[CLSP_DIM];
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            d[c] = ((q[j * CLSP_DIM + c] - q[c]) - t * (q[CLSP_DEGREE * CLSP_DIM + c] - q[c])) *
                   scale;
        largest = fmax(largest, product_of(d, d));
    }
    return sqrt(largest);
}

/* Makes a cubic its chord. */
IN_PLACE void straighten(global real *cubic)
{
    UNROLL
    for (uint c = 0; c < CLSP_DIM; c++) {
        const real begin = cubic[c], third = (cubic[3 * CLSP_DIM + c] - begin) / R(3.0);
        cubic[CLSP_DIM + c] = begin + third;
        cubic[2 * CLSP_DIM + c] = cubic[3 * CLSP_DIM + c] - third;
    }
}

/* The parts of a launch, from number `first` on. stride: from one part's control points to the
   next's; depth: how often parts that are not accepted yet have been halved. */
typedef struct fit_range {
    wide first;
    uint stride, depth, items;
} fit_range;

/* Approximates parts that are not accepted, and accepts those whose cubics are near enough or err
   by rounding alone, and do not bend much, as a chord does not: item g part first + g. segments:
   for their extents; controls: of the parts, at depth 0 the segments; weights: of clspi_cubic_fit;
   counts: gets 1 for parts to be halved. */
kernel void fit_cubics(global uint4 *restrict parts, global const real *restrict segments,
                       global const real *controls, global const real *restrict weights,
                       global real *restrict cubics, global uint *restrict counts, fit_range range,
                       real tolerance)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    const size_t i = WIDE(range.first) + g;
    uint4 part = range.depth == 0 ? (uint4)((uint)i, 0, 0, (uint)i) : parts[i];
    uint halve = 0;
    if (part.s3 != ACCEPTED) {
        global real *const cubic = cubics + i * CLSP_CUBIC;
        const real extent = segments[part.s0 * (size_t)CLSP_SEGMENT + CONTROLS + CLSP_DIM];
        const real length = R(1.0) / CONVERT_REAL(1u << part.s2);
        const bool is_usual = extent > R(0.0) && extent < R(0.25) * REAL_MAX;
        enum { MOST = CLSP_REAL == 64 ? 1022 : 126 }; /* so that 2^-MOST has all digits */
        const real scale =
            is_usual ? ldexp(R(1.0), clamp(-ilogb(extent), -MOST, (int)MOST)) : R(1.0);
        global const real *const q = controls + (size_t)part.s3 * range.stride;
        real apart = fit_cubic(cubic, q, weights, scale) / scale;
        /* halving rounds each of degree steps by half a unit, an approximation a few times more */
        const real rounding = (R(0.5) * CLSP_DEGREE * CONVERT_REAL(part.s2) + R(4.0)) * extent *
                              (R(2.0) * REAL_EPS);
        /* what is measured errs by a few units only, and so halving ends */
        const real most = fmax(tolerance - rounding, R(8.0) * REAL_EPS * extent);
        if (apart <= most && bends(cubic, scale, tolerance)) {
            apart = line_error(q, scale) / scale;
            straighten(cubic);
        }
        halve = apart > most ? 1 : 0;
        cubic[CUBIC_BEGIN] = CONVERT_REAL(part.s1) * length;
        cubic[CUBIC_LENGTH] = length;
        cubic[CUBIC_ERROR] = apart + rounding;
        if (!halve) part.s3 = ACCEPTED;
        parts[i] = part;
    }
    counts[i] = halve;
}

/* ---- prefix sums ---- */

/* The rows of a launch, from number `first` on, of `num` counts that begin at `at`; their sums are
   the counts from at + num on. */
typedef struct row_sums_range {
    wide at;
    uint first, num, items;
} row_sums_range;

/* Replaces each count by the sum of those of its row up to it: item g in row first + g. */
kernel void sum_counts(global uint *counts, row_sums_range range)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    const uint row = range.first + g, begin = row * ROW, end = min(begin + ROW, range.num);
    global uint *const at = counts + WIDE(range.at);
    uint sum = 0;
    for (uint i = begin; i < end; i++) {
        sum += at[i];
        at[i] = sum;
    }
    at[range.num + row] = sum;
}

/* Returns the sum of the counts before number i of `num`. */
IN_PLACE uint sum_before(global const uint *counts, uint i, uint num)
{
    uint sum = 0;
    while (num > 1) {
        if (i % ROW > 0) sum += counts[i - 1];
        counts += num;
        num = (num + ROW - 1) / ROW;
        i /= ROW;
    }
    return sum;
}

/* ---- halving ---- */

/* Halves a curve by de Casteljau's algorithm. */
IN_PLACE void halve_curve(global real *left, global real *right, global const real *q)
{
    for (uint i = 0; i < CONTROLS; i++)
        right[i] = q[i];
    for (uint n = 0; n < ORDER; n++) {
        UNROLL
        for (uint c = 0; c < CLSP_DIM; c++)
            left[n * CLSP_DIM + c] = right[c];
        for (uint i = 0; i < (CLSP_DEGREE - n) * CLSP_DIM; i++)
            right[i] = R(0.5) * (right[i] + right[i + CLSP_DIM]);
    }
}

/* The parts of a launch, from number `first` of `num` on; stride: as of fit_range. */
typedef struct part_range {
    wide first;
    uint num, stride, items;
} part_range;

/* Moves parts to their new places, and halves those that are not accepted: item g part first + g.
   new_parts, new_cubics, new_controls: get them. */
kernel void halve_parts(global const uint4 *restrict parts, global const real *restrict cubics,
                        global const real *restrict controls, global const uint *restrict counts,
                        global uint4 *restrict new_parts, global real *restrict new_cubics,
                        global real *restrict new_controls, part_range range)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    const uint i = (uint)WIDE(range.first) + g;
    const uint before = sum_before(counts, i, range.num);
    const size_t place = (size_t)i + before;
    const uint4 part = parts[i];
    if (part.s3 == ACCEPTED) {
        new_parts[place] = part;
        for (uint k = 0; k < CLSP_CUBIC; k++)
            new_cubics[place * CLSP_CUBIC + k] = cubics[(size_t)i * CLSP_CUBIC + k];
        return;
    }
    global real *const left = new_controls + (size_t)before * 2 * CONTROLS;
    halve_curve(left, left + CONTROLS, controls + (size_t)part.s3 * range.stride);
    new_parts[place] = (uint4)(part.s0, 2 * part.s1, part.s2 + 1, 2 * before);
    new_parts[place + 1] = (uint4)(part.s0, 2 * part.s1 + 1, part.s2 + 1, 2 * before + 1);
}

/* Notes where each segment's cubics begin, and behind the last one's where they end: item g looks
   at part first + g. firsts: [segments + 1]; worst: [1], 0 before, gets the largest error of a
   cubic in units of `unit`, rounded upward. */
kernel void note_firsts(global const uint4 *restrict parts, global const real *restrict cubics,
                        global uint *restrict firsts, volatile global uint *restrict worst,
                        part_range range, real unit)
{
    const uint g = (uint)get_global_id(0);
    if (g >= range.items) return;

    const uint i = (uint)WIDE(range.first) + g, segment = parts[i].s0;
    const real units = ceil(cubics[(size_t)i * CLSP_CUBIC + CUBIC_ERROR] / unit);
    if (i == 0 || parts[i - 1].s0 != segment) firsts[segment] = i;
    if (i + 1 == range.num) firsts[segment + 1] = range.num;
    if (units > R(0.0)) atomic_max(worst, units < R(4e9) ? convert_uint(units) : 0xffffffffu);
}
