/* Vertices of surfaces on uniform grids in one pass, for CPUs (docs/kernels.md): all that a vertex
   may hold. An item makes rows of a strip of columns of one patch after the other. For a strip it
   makes the partial sums of the points and of each derivative that is needed,
     T_i(v) = sum_j B_j(v) C_ij,    C the control points, or differences of them,
   vectors of one coordinate of adjacent samples of v. Then it sums them over u for two rows at a
   time,
     S(u, v) = sum_i B_i(u) T_i(v),
   makes attributes of these vectors, and puts the elements of a vertex side by side.

   The host sets CLSP_PLANES, whose bits say which sums there are, as vertex_assembly.cl has them;
   CLSP_PACKED 1 where attributes fill a vertex; CLSP_LANES above 1; the rest as vertex.clh says. */
#include "vertex_vector.clh"

/* Sums with the same order of the derivative along u have one table and stand side by side. */
#define NUM_U0 (HAS_S + HAS_SV + HAS_SVV)
#define NUM_U1 (HAS_SU + HAS_SUV)

/* The sums of a launch. A job is CLSP_JOB_ROWS rows of a strip of a patch: job g is block
   g % num_blocks of strip (g / num_blocks) % num_strips of patch g / num_blocks / num_strips. An
   item makes jobs_of_item adjacent ones, and has scratch_reals of scratch to itself. strip: columns
   of a strip, a multiple of a vector. centres: where in the control points those of derivatives of
   rational patches have their centres, [patches][4]. */
typedef struct strip_sums {
    wide scratch_reals, centres;
    uint order_u, order_v, num_u, num_v;
    uint stride_u, stride_v; /* of tables */
    uint strip, num_strips, num_blocks, num_jobs, jobs_of_item;
    real begin_u, end_u, begin_v, end_v;
} strip_sums;

/* Where an item keeps what, from the begin of its scratch: reals of the differences of one plane,
   vectors of a vector's columns. */
typedef struct strip_layout {
    size_t plane, factors, terms, column;
} strip_layout;

static strip_layout layout_of(strip_sums sum)
{
    const size_t points = (size_t)sum.order_u * sum.order_v * CLSP_COORDS;
    strip_layout layout;
    layout.plane = (points + CLSP_LANES - 1) / CLSP_LANES * CLSP_LANES;
    layout.factors = NUM_SUMS * layout.plane;
    layout.terms = layout.factors + 3 * CLSP_ROWS * CLSP_LANES * (size_t)sum.order_u;
    layout.column =
        ((size_t)NUM_SUMS * sum.order_u * CLSP_COORDS + NUM_COLUMN_VECTORS) * CLSP_LANES;
    return layout;
}

/* ---- control points of derivatives ---- */

/* Takes the difference of an order in one direction. */
static real difference_by(global const real *p, size_t step, uint by)
{
    return by == 0   ? p[0]
           : by == 1 ? p[step] - p[0]
                     : (p[2 * step] - p[step]) - (p[step] - p[0]);
}

/* Takes it along u, of differences along v. */
static real difference_uv(global const real *p, size_t step_u, uint by_u, uint by_v)
{
    const real first = difference_by(p, CLSP_COORDS, by_v);
    if (by_u == 0) return first;
    const real second = difference_by(p + step_u, CLSP_COORDS, by_v);
    if (by_u == 1) return second - first;
    return (difference_by(p + 2 * step_u, CLSP_COORDS, by_v) - second) - (second - first);
}

/* Computes n!/(n - by)!. */
static real falling(uint n, uint by)
{
    return by == 0   ? R(1.0)
           : by == 1 ? CONVERT_REAL(n)
                     : CONVERT_REAL(n) * CONVERT_REAL(n - 1);
}

/* Makes the control points of a derivative, [order_u - by_u][order_v - by_v][CLSP_COORDS]. */
static void make_controls(global const real *restrict p, strip_sums sum, uint by_u, uint by_v,
                          global real *restrict to)
{
    const uint line = (sum.order_v - by_v) * CLSP_COORDS;
    const size_t step_u = (size_t)sum.order_v * CLSP_COORDS;
    const real scale = falling(sum.order_u - 1, by_u) * falling(sum.order_v - 1, by_v);
    for (uint i = 0; i + by_u < sum.order_u; i++, p += step_u, to += line)
        for (uint n = 0; n < line; n++)
            to[n] = scale * difference_uv(p + n, step_u, by_u, by_v);
}

/* Makes the control points of all sums. */
static void make_all_controls(global const real *restrict p, strip_sums sum, size_t plane,
                              global real *restrict to)
{
#define MAKE(has, at, by_u, by_v) \
    if (has) make_controls(p, sum, by_u, by_v, to + (at) * plane)
    MAKE(HAS_S, AT_S, 0, 0);
    MAKE(HAS_SV, AT_SV, 0, 1);
    MAKE(HAS_SVV, AT_SVV, 0, 2);
    MAKE(HAS_SU, AT_SU, 1, 0);
    MAKE(HAS_SUV, AT_SUV, 1, 1);
    MAKE(HAS_SUU, AT_SUU, 2, 0);
#undef MAKE
}

/* ---- partial sums ---- */

/* Makes the partial sums of one line of control points, CLSP_COORDS vectors. */
static void sum_line(global const real *restrict c, global const real *restrict table, uint terms,
                     uint stride, global real *restrict t)
{
    realv s[CLSP_COORDS];
    #pragma unroll
    for (uint k = 0; k < CLSP_COORDS; k++) s[k] = (realv)(R(0.0));
    for (uint j = 0; j < terms; j++, c += CLSP_COORDS, table += stride) {
        const realv b = LOADV(table);
        #pragma unroll
        for (uint k = 0; k < CLSP_COORDS; k++) s[k] = MAD(b, (realv)(c[k]), s[k]);
    }
    #pragma unroll
    for (uint k = 0; k < CLSP_COORDS; k++) STOREV(s[k], t + k * CLSP_LANES);
}

/* Makes the partial sums of all sums for one vector of columns, from v on: for each order along u
   [order_u - by_u][sums][CLSP_COORDS] vectors. Returns their end. */
static global real *make_terms(global const real *restrict c, size_t plane, strip_sums sum, uint v,
                               global const real *table_v, global const real *table_v1,
                               global const real *table_v2, global real *restrict t)
{
#define MAKE(has, at, by_v, table)                                                                \
    if (has) {                                                                                    \
        const uint terms = sum.order_v - (by_v);                                                  \
        sum_line(c + (at) * plane + (size_t)i * terms * CLSP_COORDS, (table) + v, terms,          \
                 sum.stride_v, t);                                                                \
        t += CLSP_COORDS * CLSP_LANES;                                                            \
    }
    for (uint i = 0; i < sum.order_u; i++) {
        MAKE(HAS_S, AT_S, 0, table_v);
        MAKE(HAS_SV, AT_SV, 1, table_v1);
        MAKE(HAS_SVV, AT_SVV, 2, table_v2);
    }
    for (uint i = 0; i + 1 < sum.order_u; i++) {
        MAKE(HAS_SU, AT_SU, 0, table_v);
        MAKE(HAS_SUV, AT_SUV, 1, table_v1);
    }
    for (uint i = 0; i + 2 < sum.order_u; i++) MAKE(HAS_SUU, AT_SUU, 0, table_v);
#undef MAKE
    return t;
}

/* Finds the largest |partial sum| of a derivative, of coordinates first .. end - 1. */
static realv largest_term(global const real *restrict t, uint lines, uint step, uint first,
                          uint end)
{
    realv largest = (realv)(R(0.0));
    for (uint i = 0; i < lines; i++, t += step * CLSP_LANES)
        for (uint c = first; c < end; c++)
            largest = fmax(largest, fabs(LOADV(t + c * CLSP_LANES)));
    return largest;
}

/* Makes what depends on the columns alone, behind their partial sums. */
static void make_columns(global const real *restrict t, global const real *samples, strip_sums sum,
                         uint v, global real *restrict to)
{
#if HAS_NORMAL && HAS_SU && HAS_SV
    global const real *const tu = t + (size_t)sum.order_u * NUM_U0 * CLSP_COORDS * CLSP_LANES;
    global const real *const tv = t + AT_SV * CLSP_COORDS * CLSP_LANES;
    const uint step = NUM_U0 * CLSP_COORDS, step_u = NUM_U1 * CLSP_COORDS;
    const realv size_u = largest_term(tu, sum.order_u - 1, step_u, 0, CLSP_DIM);
    const realv size_v = largest_term(tv, sum.order_u, step, 0, CLSP_DIM);
#if CLSP_RATIONAL
    STOREV(size_u, to + SIZE_U * CLSP_LANES);
    STOREV(size_v, to + SIZE_V * CLSP_LANES);
    STOREV(largest_term(tu, sum.order_u - 1, step_u, CLSP_DIM, CLSP_COORDS),
           to + SIZE_WU * CLSP_LANES);
    STOREV(largest_term(tv, sum.order_u, step, CLSP_DIM, CLSP_COORDS), to + SIZE_WV * CLSP_LANES);
    for (uint l = 0; l < CLSP_LANES; l++)
        to[LIMIT_V * CLSP_LANES + l] =
            given_limit(sum.order_v - 1, PARAM_OF(samples, sum.num_u, sum.begin_v, sum.end_v,
                                                  min(v + l, sum.num_v - 1), sum.num_v));
#else
    STOREV(size_u > REAL_TINY ? R(1.0) / size_u : (realv)(R(0.0)), to + SIZE_U * CLSP_LANES);
    STOREV(size_v > REAL_TINY ? R(1.0) / size_v : (realv)(R(0.0)), to + SIZE_V * CLSP_LANES);
#endif
    for (uint l = 0; l < CLSP_LANES; l++)
        to[OFF * CLSP_LANES + l] = v + l == 0 || v + l + 1 == sum.num_v ? OFF_BORDER : OFF_INSIDE;
#endif
#if HAS_PARAMS
    for (uint l = 0; l < CLSP_LANES; l++)
        to[PARAM_V * CLSP_LANES + l] =
            PARAM_OF(samples, sum.num_u, sum.begin_v, sum.end_v, min(v + l, sum.num_v - 1),
                     sum.num_v);
#endif
}

/* ---- rows ---- */

/* Adds `lines` terms of `count` sums to them: factors [lines][CLSP_ROWS], t [lines][count]. */
#define ADD_TERMS(s, begin, count, lines, factors, t)                                             \
    for (uint i = 0; i < (lines); i++, factors += CLSP_ROWS, t += (count) * CLSP_LANES) {         \
        UNROLL for (uint k = 0; k < (count); k++) {                                               \
            const realv tk = LOADV(t + k * CLSP_LANES);                                           \
            UNROLL for (uint r = 0; r < CLSP_ROWS; r++)                                           \
                s[r][(begin) + k] = MAD((realv)(factors[r]), tk, s[r][(begin) + k]);              \
        }                                                                                         \
    }

/* Copies the values of CLSP_ROWS rows that the sums take, so that they are adjacent. */
static void copy_factors(global const real *restrict table, uint terms, uint stride,
                         global real *restrict to)
{
    for (uint i = 0; i < terms; i++)
        for (uint r = 0; r < CLSP_ROWS; r++) to[i * CLSP_ROWS + r] = table[i * (size_t)stride + r];
}

/* Makes the first `rows` of CLSP_ROWS rows, u and so on, of `count` columns from v on. t: their
   partial sums, of all vectors. centre: what points are relative to. out: where the first row's
   vertices go. */
static void make_rows(global const real *restrict t, global const real *restrict factors,
                      global const real *samples, size_t column, strip_sums sum, uint u, uint rows,
                      uint v, uint count, real4 centre, global STORED *restrict out)
{
    for (uint x = 0; x < count; x += CLSP_LANES, t += column) {
        realv s[CLSP_ROWS][NUM_SUMS * CLSP_COORDS + 1]; /* + 1: there may be no sums */
        #pragma unroll
        for (uint r = 0; r < CLSP_ROWS; r++)
            #pragma unroll
            for (uint k = 0; k < NUM_SUMS * CLSP_COORDS + 1; k++) s[r][k] = (realv)(R(0.0));
        global const real *b = factors, *ti = t;
#if NUM_U0
        ADD_TERMS(s, 0, NUM_U0 * CLSP_COORDS, sum.order_u, b, ti);
#endif
#if NUM_U1
        ADD_TERMS(s, NUM_U0 * CLSP_COORDS, NUM_U1 * CLSP_COORDS, sum.order_u - 1, b, ti);
#endif
#if HAS_SUU
        ADD_TERMS(s, AT_SUU * CLSP_COORDS, CLSP_COORDS, sum.order_u - 2, b, ti);
#endif
        const uint lanes = min((uint)CLSP_LANES, count - x);
        #pragma unroll
        for (uint r = 0; r < CLSP_ROWS; r++) {
            if (r >= rows) continue;
            const bool on_border = u + r == 0 || u + r + 1 == sum.num_u;
            const real param_u =
                PARAM_OF(samples, 0, sum.begin_u, sum.end_u, u + r, sum.num_u);
            global STORED *const to = out + ((size_t)r * sum.num_v + x) * CLSP_STRIDE;
            const real limit_u = given_limit(sum.order_u - 1, param_u);
            store_vertices(s[r], ti, param_u, limit_u, on_border, lanes, centre, to);
        }
    }
}

/* Makes rows of vertices. points: [patches][order_u][order_v][CLSP_COORDS]. table_u, .._u1, .._u2:
   values for the points and for first and second derivatives along u, [terms][stride_u]; table_v ..
   along v. samples: read with CLSP_OWN_SAMPLES alone. out has the rows of `at`. */
OWN_VECTORS
kernel void vertex_strips(global const real *restrict points, global const real *table_u,
                          global const real *table_u1, global const real *table_u2,
                          global const real *table_v, global const real *table_v1,
                          global const real *table_v2, global const real *samples,
                          global STORED *restrict out, global real *restrict scratch,
                          strip_sums sum, row_range at)
{
    const strip_layout layout = layout_of(sum);
    const size_t g = get_global_id(0), first = g * sum.jobs_of_item;
    global real *const controls = scratch + g * WIDE(sum.scratch_reals);
    global real *const factors = controls + layout.factors, *const terms = controls + layout.terms;
    size_t made_patch = SIZE_NONE;
    uint made_strip = 0;
    for (size_t job = first; job < min(first + sum.jobs_of_item, (size_t)sum.num_jobs); job++) {
        const size_t line = job / sum.num_blocks, patch = line / sum.num_strips;
        const uint strip = (uint)(line - patch * sum.num_strips), begin = strip * sum.strip;
        const uint count = min(sum.strip, sum.num_v - begin);
        const bool same = patch == made_patch;
        real4 centre = (real4)(R(0.0));
        if (IS_CENTRED) centre = vload4(WIDE(at.first_patch) + patch, points + WIDE(sum.centres));
        if (!same)
            make_all_controls(points + (WIDE(at.first_patch) + patch) * sum.order_u * sum.order_v *
                                           CLSP_COORDS,
                              sum, layout.plane, controls);
        for (uint x = 0; x < count && !(same && strip == made_strip); x += CLSP_LANES) {
            global real *const t = terms + x / CLSP_LANES * layout.column;
            global real *const end = make_terms(controls, layout.plane, sum, begin + x, table_v,
                                                table_v1, table_v2, t);
            make_columns(t, samples, sum, begin + x, end);
        }
        made_patch = patch;
        made_strip = strip;

        const uint block = (uint)(job - line * sum.num_blocks) * CLSP_JOB_ROWS;
        for (uint row = block; row < min(block + CLSP_JOB_ROWS, at.num_rows); row += CLSP_ROWS) {
            const uint u = at.first_row + row;
            global real *b = factors;
#define COPY(table, count)                                                                        \
    copy_factors((table) + u, count, sum.stride_u, b);                                            \
    b += (count) * CLSP_ROWS;
            if (NUM_U0) { COPY(table_u, sum.order_u); }
            if (NUM_U1) { COPY(table_u1, sum.order_u - 1); }
            if (HAS_SUU) { COPY(table_u2, sum.order_u - 2); }
#undef COPY
            make_rows(terms, factors, samples, layout.column, sum, u, at.num_rows - row, begin,
                      count, centre,
                      out + WIDE(at.offset) +
                          ((patch * at.num_rows + row) * sum.num_v + begin) * CLSP_STRIDE);
        }
    }
}
