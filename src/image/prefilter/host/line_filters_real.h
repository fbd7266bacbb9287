/* Filters of lines that lie side by side, by vectors of the level, in the precision `real`: the
   arithmetic of image_lines_real.h. With p_k = s_k + z p_{k-1} and c_k = p_k + z c_{k+1} a step of
   a recursion is one multiply-add; samples have been multiplied by the gain before. Of several
   poles each recursion takes what the one before makes. */

enum {
    STEP = 64 / REAL_BYTES, /* reals of a cache line: spans are whole ones whatever the level, so
                               that all levels begin recursions at the same samples */
    GROUP = 16,             /* lines that are turned into columns together */
    BLOCK = CLSPI_LINE_BLOCK,
    HALO = CLSPI_LINE_HALO_MAX,
    SPAN = BLOCK + 2 * HALO, /* samples of a line's block, halos counted, at most */
    PITCH = SPAN + STEP      /* of lines in memory, at most */
};

enum {
    SIDES = GROUP / LANES, /* vectors of a group */
    CHUNK = 4,             /* vectors of columns that go together */
    WIDE = CHUNK * LANES
};

/* A recursion: its poles, and what a first sample is worth to each that has been there for ever. */
typedef struct recursion {
    real pole[POLES_MAX], begin[POLES_MAX];
} recursion;

/* A factor as a sum of two numbers: its rounding would count in every result. */
typedef struct gain {
    real most, rest;
} gain;

static recursion recursion_of(const clspi_line_filter *f)
{
    recursion r = {{0}, {0}};

    for (uint32_t i = 0; i < f->num_poles; i++) {
        r.pole[i] = (real)f->poles[i];
        r.begin[i] = 1 / (1 - r.pole[i]);
    }
    return r;
}

static gain gain_of(long double scale)
{
    const real most = (real)scale;

    return (gain){most, (real)(scale - (long double)most)};
}

/* Goes a step on with the recursions of so many poles, a constant. s: what each has made last, of
   poles `apart` vectors from each other. */
CLSPI_INLINE void go_on(const recursion *r, uint32_t poles, vec *x, vec *s, size_t apart)
{
    CLSPI_UNROLL(3)
    for (uint32_t i = 0; i < poles; i++)
        *x = s[i * apart] = r->pole[i] * s[i * apart] + *x;
}

/* Begins them as if x had been there for ever. */
CLSPI_INLINE void begin_at(const recursion *r, uint32_t poles, vec x, vec *s, size_t apart)
{
    CLSPI_UNROLL(3)
    for (uint32_t i = 0; i < poles; i++)
        x = s[i * apart] = x * r->begin[i];
}

/* ---- lines ---- */

#if CLSPI_WIDTH == 16 * REAL_BYTES
#define LOWER(a, b) CLSPI_SHUFFLE(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define UPPER(a, b)                                                                                \
    CLSPI_SHUFFLE(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif CLSPI_WIDTH == 8 * REAL_BYTES
#define LOWER(a, b) CLSPI_SHUFFLE(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER(a, b) CLSPI_SHUFFLE(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#elif CLSPI_WIDTH == 4 * REAL_BYTES
#define LOWER(a, b) CLSPI_SHUFFLE(a, b, 0, 4, 1, 5)
#define UPPER(a, b) CLSPI_SHUFFLE(a, b, 2, 6, 3, 7)
#elif CLSPI_WIDTH == 2 * REAL_BYTES
#define LOWER(a, b) CLSPI_SHUFFLE(a, b, 0, 2)
#define UPPER(a, b) CLSPI_SHUFFLE(a, b, 1, 3)
#endif

/* Turns a square of LANES x LANES reals: a perfect shuffle, as often as LANES is a power of 2. */
CLSPI_INLINE void turn(vec *a)
{
#if CLSPI_WIDTH > 0
    CLSPI_UNROLL(4)
    for (int step = 1; step < LANES; step *= 2) {
        vec old[LANES];
        CLSPI_UNROLL(16)
        for (int i = 0; i < LANES; i++)
            old[i] = a[i];
        CLSPI_UNROLL(8)
        for (int i = 0; i < LANES / 2; i++) {
            a[2 * i] = LOWER(old[i], old[i + LANES / 2]);
            a[2 * i + 1] = UPPER(old[i], old[i + LANES / 2]);
        }
    }
#else
    (void)a;
#endif
}

CLSPI_INLINE vec scaled(const gain *g, vec x)
{
    return g->most * x + g->rest * x;
}

/* Loads a square of a group's lines and turns it. */
CLSPI_INLINE void load_square(vec *a, const real *const *lines, size_t k)
{
    CLSPI_UNROLL(16)
    for (size_t i = 0; i < LANES; i++)
        a[i] = *(const any_vec *)(lines[i] + k);
    turn(a);
}

/* Runs the first recursion along a group of lines of num samples, whole steps. What it makes
   stands in squares of columns in `made`, of LANES vectors each. */
CLSPI_INLINE void recur_forth(const recursion *r, uint32_t poles, const gain *g,
                              const real *const *lines, size_t num, real *made)
{
    vec s[POLES_MAX * SIDES];
    vec a[LANES];

    CLSPI_UNROLL(16)
    for (size_t v = 0; v < SIDES; v++) {
        load_square(a, lines + v * LANES, 0);
        a[0] = scaled(g, a[0]);
        begin_at(r, poles, a[0], s + v, SIDES);
    }
    for (size_t k = 0; k < num; k += LANES) {
        CLSPI_UNROLL(16)
        for (size_t v = 0; v < SIDES; v++) {
            vec *const to = (vec *)(void *)(made + k * GROUP) + v * LANES;
            load_square(a, lines + v * LANES, k);
            CLSPI_UNROLL(16)
            for (size_t i = 0; i < LANES; i++) {
                a[i] = scaled(g, a[i]);
                go_on(r, poles, &a[i], s + v, SIDES);
                to[i] = a[i];
            }
        }
    }
}

/* Runs the second recursion back along such squares, and gives kept[1] coefficients of each line
   from kept[0] on, and what is left of the last square. */
CLSPI_INLINE void recur_back(const recursion *r, uint32_t poles, const real *made, size_t num,
                             const size_t kept[2], real *const to[GROUP])
{
    vec s[POLES_MAX * SIDES];
    vec a[LANES];

    CLSPI_UNROLL(16)
    for (size_t v = 0; v < SIDES; v++)
        begin_at(r, poles,
                 ((const vec *)(const void *)(made + (num - LANES) * GROUP))[(v + 1) * LANES - 1],
                 s + v, SIDES);
    for (size_t k = num; k > kept[0];) {
        k -= LANES;
        CLSPI_UNROLL(16)
        for (size_t v = 0; v < SIDES; v++) {
            const vec *const from = (const vec *)(const void *)(made + k * GROUP) + v * LANES;
            CLSPI_UNROLL(16)
            for (size_t i = LANES; i-- > 0;) {
                a[i] = from[i];
                go_on(r, poles, &a[i], s + v, SIDES);
            }
            if (k >= kept[0] + kept[1]) continue;
            turn(a);
            CLSPI_UNROLL(16)
            for (size_t i = 0; i < LANES; i++)
                *(any_vec *)(to[v * LANES + i] + k - kept[0]) = a[i];
        }
    }
}

static __attribute__((noinline)) void recur_lines(const clspi_line_filter *f, const gain *g,
                                                  const real *const lines[GROUP], size_t num,
                                                  real *made, const size_t kept[2],
                                                  real *const to[GROUP])
{
    const recursion r = recursion_of(f);

    if (f->num_poles == 1) {
        recur_forth(&r, 1, g, lines, num, made);
        recur_back(&r, 1, made, num, kept, to);
    } else if (f->num_poles == 2) {
        recur_forth(&r, 2, g, lines, num, made);
        recur_back(&r, 2, made, num, kept, to);
    } else {
        recur_forth(&r, 3, g, lines, num, made);
        recur_back(&r, 3, made, num, kept, to);
    }
}

/* ---- columns ---- */

/* Columns: num + 2 halo rows of reals, of which coefficients `first` to first + count - 1 are
   wanted, in rows `pitch` apart. */
typedef struct column_job {
    const clspi_line_filter *f;
    const real *const *rows;
    size_t num, first, count;
    gain g;
    bool is_scaled;
    bool in_place; /* coefficients go where rows are that a convolution still reads */
    real *state;   /* [num + 2 halo][WIDE] */
} column_job;

/* Runs the first recursion down some vectors of columns, a constant, from x on. */
CLSPI_INLINE void recur_down(const column_job *c, const recursion *r, uint32_t poles,
                             bool is_scaled, size_t vectors, size_t x)
{
    const size_t all = c->num + 2 * c->f->halo;
    const gain g = c->g;
    real *const state = c->state;
    vec s[POLES_MAX * CHUNK];
    vec v;

    CLSPI_UNROLL(4)
    for (size_t i = 0; i < vectors; i++) {
        v = *(const any_vec *)(c->rows[0] + x + i * LANES);
        if (is_scaled) v = scaled(&g, v);
        begin_at(r, poles, v, s + i, CHUNK);
    }
    for (size_t k = 0; k < all; k++) {
        const real *const row = c->rows[k] + x;
        CLSPI_UNROLL(4)
        for (size_t i = 0; i < vectors; i++) {
            v = *(const any_vec *)(row + i * LANES);
            if (is_scaled) v = scaled(&g, v);
            go_on(r, poles, &v, s + i, CHUNK);
            *(vec *)(void *)(state + (k * vectors + i) * LANES) = v;
        }
    }
}

/* Runs the second recursion up again, and stores the coefficients that are wanted. */
CLSPI_INLINE void recur_up(const column_job *c, const recursion *r, uint32_t poles, size_t vectors,
                           real *to, size_t pitch)
{
    const size_t all = c->num + 2 * c->f->halo, first = c->f->halo + c->first;
    const vec *const state = (const vec *)(const void *)c->state;
    vec s[POLES_MAX * CHUNK];
    vec v;

    CLSPI_UNROLL(4)
    for (size_t i = 0; i < vectors; i++)
        begin_at(r, poles, state[(all - 1) * vectors + i], s + i, CHUNK);
    for (size_t k = all; k-- > first + c->count;) {
        CLSPI_UNROLL(4)
        for (size_t i = 0; i < vectors; i++) {
            v = state[k * vectors + i];
            go_on(r, poles, &v, s + i, CHUNK);
        }
    }
    for (size_t k = c->count; k-- > 0;) {
        CLSPI_UNROLL(4)
        for (size_t i = 0; i < vectors; i++) {
            v = state[(first + k) * vectors + i];
            go_on(r, poles, &v, s + i, CHUNK);
            *(any_vec *)(to + k * pitch + i * LANES) = v;
        }
    }
}

CLSPI_INLINE void recur_some(const column_job *c, uint32_t poles, size_t vectors, size_t x,
                             real *to, size_t pitch)
{
    const recursion r = recursion_of(c->f);

    if (c->is_scaled)
        recur_down(c, &r, poles, true, vectors, x);
    else
        recur_down(c, &r, poles, false, vectors, x);
    recur_up(c, &r, poles, vectors, to, pitch);
}

/* Convolves some vectors of columns, a constant, from x on. */
CLSPI_INLINE void convolve_some(const column_job *c, size_t vectors, size_t x, real *to,
                                size_t pitch)
{
    const size_t half = c->f->halo;
    real taps[HALO + 1];

    for (size_t j = 0; j <= half; j++)
        taps[j] = (real)c->f->taps[j];
    for (size_t k = 0; k < c->count; k++, to += pitch) {
        const real *const *const middle = c->rows + c->first + half + k;
        vec s[CHUNK];
        CLSPI_UNROLL(4)
        for (size_t i = 0; i < vectors; i++)
            s[i] = taps[0] * *(const any_vec *)(middle[0] + x + i * LANES);
        for (size_t j = 1; j <= half; j++) {
            const real *const above = *(middle - j) + x, *const below = middle[j] + x;
            CLSPI_UNROLL(4)
            for (size_t i = 0; i < vectors; i++)
                s[i] += taps[j] * (*(const any_vec *)(below + i * LANES) +
                                   *(const any_vec *)(above + i * LANES));
        }
        CLSPI_UNROLL(4)
        for (size_t i = 0; i < vectors; i++)
            *(any_vec *)(to + i * LANES) = s[i];
    }
}

/* Filters some vectors of columns, a constant. */
CLSPI_INLINE void filter_some(const column_job *c, size_t vectors, size_t x, real *to, size_t pitch)
{
    if (c->f->kind == CLSPI_LINE_FIR)
        convolve_some(c, vectors, x, to, pitch);
    else if (c->f->num_poles == 1)
        recur_some(c, 1, vectors, x, to, pitch);
    else if (c->f->num_poles == 2)
        recur_some(c, 2, vectors, x, to, pitch);
    else
        recur_some(c, 3, vectors, x, to, pitch);
}
