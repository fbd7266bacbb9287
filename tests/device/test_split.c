/* Cutting: the parts of random batches against what split.h promises of them, and the lines of a
   launch against a search. */
#include "../support.h"

#include "check.h"
#include "split.h"

enum { MAX_PIECES = 12, ROUNDS = 40000 };

/* What a cut begins as, and where the next part must begin. */
typedef struct batch {
    size_t prefix[MAX_PIECES + 1];
    size_t num_pieces;
    clspi_cut cut;
    size_t at; /* lines of all pieces before the next part */
    size_t begin, end;
    size_t num_parts;
} batch;

static size_t below(uint64_t *seed, uint64_t bound)
{
    return (size_t)(support_random(seed) % bound);
}

/* ---- what a part must be ---- */

static size_t lines_before(const batch *b, size_t piece)
{
    assert_true(piece <= b->num_pieces);
    return b->cut.prefix ? b->prefix[piece] : piece * b->cut.per_piece;
}

/* Checks that a part is where the one before has ended, and within one piece or made of whole
   ones. */
static void check_place(const batch *b, const clspi_part *part)
{
    const size_t begin = lines_before(b, part->piece);
    const size_t end = lines_before(b, part->piece + part->num_pieces);
    const bool is_whole = part->line == 0 && part->num_lines == end - begin;

    assert_true(part->num_pieces >= 1);
    assert_int_equal(begin + part->line, b->at);
    assert_int_equal(part->before, b->at - b->begin);
    assert_true(is_whole || (part->num_pieces == 1 && part->line + part->num_lines <= end - begin));
    assert_true(part->num_lines <= b->end - b->at);
    assert_int_equal(part->line % clspi_max(1, b->cut.multiple), 0);
}

/* Checks a part's size: at most `most` lines or one multiple, and at least a multiple, save where a
   piece or the cut ends before. */
static void check_size(const batch *b, const clspi_part *part, uint64_t most)
{
    const size_t multiple = clspi_max(1, b->cut.multiple);
    const size_t rest = lines_before(b, part->piece + 1) - b->at;
    const size_t least = clspi_min(clspi_min(multiple, rest), b->end - b->at);

    assert_true(part->num_lines >= least);
    assert_true(part->num_lines <= most || (part->num_pieces == 1 && part->num_lines <= multiple));
}

/* Takes all parts; `most` of each is between least_most and most_most. */
static void check_parts(batch *b, uint64_t least_most, uint64_t most_most, uint64_t *seed)
{
    clspi_cut cut = b->cut;
    clspi_part part;

    b->at = b->begin = lines_before(b, cut.piece) + cut.line;
    b->end = b->begin + cut.left;
    for (b->num_parts = 0;; b->num_parts++) {
        const uint64_t spread = most_most - least_most;
        const uint64_t most =
            least_most + (spread < UINT64_MAX ? support_random(seed) % (spread + 1) : 0);
        if (!clspi_cut_next(&cut, most, &part)) break;
        check_place(b, &part);
        check_size(b, &part, most);
        b->at += part.num_lines;
        assert_int_equal(cut.done, b->at - b->begin);
        assert_int_equal(cut.left, b->end - b->at);
    }
    assert_int_equal(b->at, b->end);
    assert_false(clspi_cut_next(&cut, most_most, &part)); /* and never again */
}

/* ---- random batches ---- */

/* Makes pieces of up to most_lines lines each; some may be empty where they have a prefix. */
static batch random_pieces(size_t most_lines, uint64_t *seed)
{
    batch b = {.num_pieces = 1 + below(seed, MAX_PIECES)};

    b.cut.per_piece = 1 + below(seed, most_lines);
    for (size_t p = 0; p < b.num_pieces; p++)
        b.prefix[p + 1] = b.prefix[p] + below(seed, most_lines + 1);
    return b;
}

/* Makes a batch whose cut begins at a line of some piece, a multiple, and ends anywhere behind. */
static void begin_cut(batch *b, bool has_prefix, uint64_t *seed)
{
    b->cut.prefix = has_prefix ? b->prefix : NULL;
    b->cut.multiple = below(seed, 3) ? below(seed, 20) : 0;
    b->cut.piece = below(seed, b->num_pieces);
    const size_t before = lines_before(b, b->cut.piece);
    const size_t lines = lines_before(b, b->cut.piece + 1) - before;
    const size_t multiple = clspi_max(1, b->cut.multiple);
    if (below(seed, 2) && lines > 0) b->cut.line = below(seed, lines) / multiple * multiple;
    const size_t most_left = lines_before(b, b->num_pieces) - before - b->cut.line;
    b->cut.left = below(seed, 3) ? below(seed, (uint64_t)most_left + 1) : most_left;
}

static void test_parts(void **state)
{
    static const size_t most_lines[] = {1, 3, 8, 50, 1000};
    uint64_t seed = 1;

    (void)state;
    for (size_t i = 0; i < ROUNDS; i++) {
        const size_t lines = most_lines[i % CLSPI_COUNT(most_lines)];
        batch b = random_pieces(lines, &seed);
        begin_cut(&b, i / 2 % 2, &seed);
        const uint64_t most = below(&seed, 3 * lines);
        check_parts(&b, most, most, &seed);
        check_parts(&b, 0, most, &seed); /* another one for each part */
    }
}

/* A batch without an end in sight of the budget is three parts at most: the rest of the first
   piece, whole ones, lines of the last. */
static void check_few_parts(batch *b, uint64_t most, uint64_t *seed)
{
    const bool begins_within = b->cut.line > 0;

    check_parts(b, most, most, seed);
    assert_true(b->num_parts <= 3);
    size_t piece = 0;
    while (lines_before(b, piece) < b->end)
        piece++;
    if (lines_before(b, piece) == b->end) assert_true(b->num_parts <= 1u + begins_within);
}

/* Budgets that 32 bits do not hold are not cut to them: to 0, 1 and 5 these would be. */
static void test_wide_budgets(void **state)
{
    static const uint64_t budgets[] = {UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1,
                                       (UINT64_C(7) << 33) + 5, UINT64_MAX - 1, UINT64_MAX};
    uint64_t seed = 2;

    (void)state;
    for (size_t i = 0; i < ROUNDS / 4; i++) {
        batch b = random_pieces(200, &seed);
        begin_cut(&b, i / CLSPI_COUNT(budgets) % 2, &seed);
        check_few_parts(&b, budgets[i % CLSPI_COUNT(budgets)], &seed);
    }
}

/* ---- sizes at the ends ---- */

static void test_nothing(void **state)
{
    clspi_part part = {.piece = 77};
    const size_t prefix[] = {0, 0};
    clspi_cut uniform = {.per_piece = 5, .piece = 3}, own = {.prefix = prefix};

    (void)state;
    assert_false(clspi_cut_next(&uniform, 10, &part));
    assert_false(clspi_cut_next(&own, 10, &part));
    assert_int_equal(part.piece, 77);
    assert_true(uniform.piece == 3 && uniform.done == 0 && own.piece == 0 && own.done == 0);
}

static void test_ones(void **state)
{
    static const size_t multiples[] = {0, 1, 2, SIZE_MAX / 2};
    uint64_t seed = 3;

    (void)state;
    for (uint64_t most = 0; most < 3; most++) {
        for (size_t k = 0; k < 2 * CLSPI_COUNT(multiples); k++) {
            batch b = {.prefix = {0, 1}, .num_pieces = 1};
            b.cut = (clspi_cut){.per_piece = 1, .multiple = multiples[k / 2], .left = 1};
            if (k % 2) b.cut.prefix = b.prefix;
            check_parts(&b, most, most, &seed);
            assert_int_equal(b.num_parts, 1);
        }
    }
}

/* As many lines as size_t counts, in one piece or several. */
static void test_huge(void **state)
{
    static const size_t pieces[] = {1, 2, 3, 12};
    uint64_t seed = 4;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        batch b = {.num_pieces = pieces[i % CLSPI_COUNT(pieces)]};
        b.cut.per_piece = SIZE_MAX / b.num_pieces - 20; /* room for a multiple */
        for (size_t p = 0; p < b.num_pieces; p++)
            b.prefix[p + 1] = b.prefix[p] + b.cut.per_piece;
        begin_cut(&b, i / CLSPI_COUNT(pieces) % 2, &seed);
        b.cut.left = clspi_min(b.cut.left, SIZE_MAX - 300);
        const uint64_t most = SIZE_MAX / 50 + support_random(&seed) % (SIZE_MAX / 50);
        check_parts(&b, most, most, &seed);
        assert_true(b.num_parts <= 50 + MAX_PIECES);
        check_few_parts(&b, UINT64_MAX, &seed);
    }
}

/* ---- the lines of a launch ---- */

/* What clspi_launch_lines is asked. */
typedef struct launch {
    clspi_tuning tuning;
    uint64_t fma, items, lines;
    size_t local;
} launch;

static const uint64_t most_of_all = UINT64_C(1) << 29;

/* Tells whether so many lines keep within both bounds of a launch. */
static bool fits(const launch *l, uint64_t num)
{
    const uint64_t blocks = (num + l->lines - 1) / l->lines;

    return num * l->fma <= l->tuning.max_launch_fma &&
           blocks * l->items <= (uint64_t)l->tuning.max_groups * l->local;
}

/* Searches the most lines that fit; 1 where not even that one does. */
static uint64_t search(const launch *l)
{
    uint64_t good = 1, bad = most_of_all + 1;

    while (bad - good > 1) {
        const uint64_t middle = good + (bad - good) / 2;
        if (fits(l, middle))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

static void check_launch(const launch *l)
{
    const uint64_t lines = clspi_launch_lines(&l->tuning, l->fma, l->items, l->local, l->lines);

    assert_true(lines >= 1 && lines <= most_of_all);
    assert_true(lines == search(l));
}

/* Returns a number below 2^bits, small ones as often as large ones; now and then 0. */
static uint64_t any_size(uint64_t *seed, unsigned bits)
{
    return support_random(seed) >> (64 - bits) >> below(seed, bits + 1);
}

static void test_launches(void **state)
{
    uint64_t seed = 5;

    (void)state;
    for (size_t i = 0; i < ROUNDS; i++) {
        const launch l = {.tuning = {.max_groups = 1 + (size_t)any_size(&seed, 20),
                                     .max_launch_fma = any_size(&seed, 37)},
                          .fma = any_size(&seed, 34),
                          .items = any_size(&seed, 32),
                          .lines = 1 + any_size(&seed, 20),
                          .local = 1 + (size_t)any_size(&seed, 10)};
        check_launch(&l);
    }
}

/* The bounds of all kinds of devices, for kernels that hardly do anything and for some that no
   launch has room for. */
static void test_devices(void **state)
{
    static const clsp_device_class classes[] = {CLSP_CLASS_CPU, CLSP_CLASS_INTEGRATED,
                                                CLSP_CLASS_DISCRETE, CLSP_CLASS_ACCELERATOR};
    static const uint64_t sizes[] = {0, 1, 1000, UINT64_C(1) << 31};

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(classes); i++) {
        const clsp_device_info info = {.device_class = classes[i]};
        launch l = {.tuning = clspi_tuning_for(&info), .lines = 1};
        l.local = l.tuning.work_group;
        for (size_t k = 0; k < CLSPI_COUNT(sizes) * CLSPI_COUNT(sizes); k++) {
            l.fma = sizes[k / CLSPI_COUNT(sizes)];
            l.items = sizes[k % CLSPI_COUNT(sizes)];
            check_launch(&l);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),   cmocka_unit_test(test_wide_budgets),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_ones),
        cmocka_unit_test(test_huge),    cmocka_unit_test(test_launches),
        cmocka_unit_test(test_devices),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
