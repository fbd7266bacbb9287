/* The plain loop for one type, REAL, as a function NAMED(rows). */

/* Adds up terms of a sum over u for columns of a row: to[x] = sum_i by[i * stride] t[i][x]. A strip
   of columns stays in the first cache. */
static void NAMED(sum)(const REAL *by, size_t stride, const REAL *t, size_t order, size_t width,
                       REAL *to)
{
    enum { STRIP = 256 };
    REAL sum[STRIP];

    for (size_t begin = 0; begin < width; begin += STRIP) {
        const size_t count = width - begin < STRIP ? width - begin : STRIP;
        for (size_t x = 0; x < count; x++)
            sum[x] = 0;
        for (size_t i = 0; i < order; i++) {
            const REAL b = by[i * stride];
            for (size_t x = 0; x < count; x++)
                sum[x] += b * t[i * width + begin + x];
        }
        for (size_t x = 0; x < count; x++)
            to[begin + x] = sum[x];
    }
}

/* Makes partial sums over v, [order][num][3], of one patch. */
static void NAMED(partial)(const host_surfaces *s, const REAL *points, const REAL *values, REAL *t)
{
    for (size_t i = 0; i < s->order; i++) {
        for (size_t b = 0; b < s->num; b++) {
            REAL x = 0, y = 0, z = 0;
            for (size_t j = 0; j < s->order; j++) {
                const REAL *const p = points + (i * s->order + j) * 3;
                const REAL w = values[j * s->num + b];
                x += w * p[0];
                y += w * p[1];
                z += w * p[2];
            }
            REAL *const to = t + (i * s->num + b) * 3;
            to[0] = x;
            to[1] = y;
            to[2] = z;
        }
    }
}

/* Lays out points and the unit normals of their tangents. */
static void NAMED(vertices)(size_t num, const REAL *point, const REAL *du, const REAL *dv, REAL *to)
{
    for (size_t k = 0; k < num; k++, point += 3, du += 3, dv += 3, to += 6) {
        const REAL x = du[1] * dv[2] - du[2] * dv[1];
        const REAL y = du[2] * dv[0] - du[0] * dv[2];
        const REAL z = du[0] * dv[1] - du[1] * dv[0];
        const REAL length = ROOT(x * x + y * y + z * z), by = length > 0 ? 1 / length : 0;
        to[0] = point[0];
        to[1] = point[1];
        to[2] = point[2];
        to[3] = x * by;
        to[4] = y * by;
        to[5] = z * by;
    }
}

/* Lays out points and derivatives. */
static void NAMED(derivatives)(size_t num, const REAL *point, const REAL *du, const REAL *dv,
                               REAL *to)
{
    for (size_t k = 0; k < num; k++, point += 3, du += 3, dv += 3, to += 9)
        for (size_t c = 0; c < 3; c++) {
            to[c] = point[c];
            to[3 + c] = du[c];
            to[6 + c] = dv[c];
        }
}

static bool NAMED(has_slopes)(const host_surfaces *s)
{
    return s->has_normals || s->has_derivatives;
}

/* Makes rows first to end of a patch from partial sums t, and beyond points those of slopes, dt. */
static void NAMED(rows)(const host_surfaces *s, size_t patch, size_t first, size_t end,
                        const REAL *t, const REAL *dt, REAL *scratch)
{
    const REAL *const values = s->values, *const slopes = s->slopes;
    const size_t num = s->num, width = 3 * num;
    const size_t stride = s->has_normals ? 6 : s->has_derivatives ? 9 : 3;
    REAL *const point = scratch, *const du = point + width, *const dv = du + width;

    for (size_t a = first; a < end; a++) {
        REAL *const to = (REAL *)s->out + (patch * num + a) * num * stride;
        if (!NAMED(has_slopes)(s)) {
            NAMED(sum)(values + a, num, t, s->order, width, to);
            continue;
        }
        NAMED(sum)(values + a, num, t, s->order, width, point);
        NAMED(sum)(slopes + a, num, t, s->order, width, du);
        NAMED(sum)(values + a, num, dt, s->order, width, dv);
        if (s->has_normals)
            NAMED(vertices)(num, point, du, dv, to);
        else
            NAMED(derivatives)(num, point, du, dv, to);
    }
}

/* Makes all patches; cores share patches, or the rows of each where these are few. */
static int NAMED(run)(const host_surfaces *s, size_t parts)
{
    const size_t sums = s->order * s->num * 3, rows = (s->num + parts - 1) / parts;
    int good = 1;

#pragma omp parallel
    {
        REAL *const t = malloc((2 * sums + 9 * s->num) * sizeof *t);
        REAL *const dt = t ? t + sums : NULL;
        size_t has = s->patches; /* the patch whose partial sums these are */
        if (!t) {
#pragma omp atomic write
            good = 0;
        }
#pragma omp for schedule(dynamic)
        for (size_t k = 0; k < s->patches * parts; k++) {
            const size_t patch = k / parts, first = k % parts * rows;
            const size_t end = first + rows < s->num ? first + rows : s->num;
            const REAL *const points = (const REAL *)s->points + patch * s->order * s->order * 3;
            if (!t || first >= end) continue;
            if (has != patch) NAMED(partial)(s, points, s->values, t);
            if (has != patch && NAMED(has_slopes)(s)) NAMED(partial)(s, points, s->slopes, dt);
            has = patch;
            NAMED(rows)(s, patch, first, end, t, dt, dt + sums);
        }
        free(t);
    }
    return good;
}

/* Makes the vertices of a curve; dim: known where it is inlined. */
static inline void NAMED(curve)(const host_loop_curves_job *j, size_t dim, const REAL *points,
                                REAL *to)
{
    const REAL *const tables[2] = {j->values, j->slopes};
    const size_t sums = j->has_derivatives ? 2 : 1;

    for (size_t a = 0; a < j->num; a++)
        for (size_t k = 0; k < sums; k++, to += dim) {
            REAL sum[4] = {0};
            for (size_t i = 0; i < j->order; i++)
                for (size_t c = 0; c < dim; c++)
                    sum[c] += tables[k][i * j->num + a] * points[i * dim + c];
            for (size_t c = 0; c < dim; c++)
                to[c] = sum[c];
        }
}

static void NAMED(curves)(const host_loop_curves_job *j)
{
    const size_t vertex = j->dim * (j->has_derivatives ? 2 : 1);

#pragma omp parallel for
    for (size_t k = 0; k < j->curves; k++) {
        const REAL *const points = (const REAL *)j->points + k * j->order * j->dim;
        REAL *const to = (REAL *)j->out + k * j->num * vertex;
        if (j->dim == 3)
            NAMED(curve)(j, 3, points, to);
        else
            NAMED(curve)(j, 4, points, to);
    }
}
