/* A batch as the tiles of a job: random batches and those at the ends, every tile and every range
   of tiles by the lines that they are said to have. */
#include "../support.h"

#include "check.h"
#include "tiling.h"

enum {
    ROUNDS = 4000,
    LEAST_ITEMS = 4096, /* of a tile that is not the last of its kind */
    FIRST_PIECE = 7     /* of batches that do not begin with piece 0 */
};

/* What a tiling is made of. */
typedef struct batch {
    size_t num_pieces, lines, line_items, multiple;
    clspi_tiling tiling;
} batch;

static batch batch_of(size_t num_pieces, size_t lines, size_t line_items, size_t multiple)
{
    const batch b = {num_pieces, lines, line_items, multiple,
                     clspi_tiling_of(num_pieces, lines, line_items, multiple)};

    return b;
}

/* Returns 1 to most, small numbers as often as large ones. */
static size_t up_to(uint64_t *seed, size_t most)
{
    const size_t number = (size_t)(support_random(seed) % most);

    return 1 + (number >> support_random(seed) % 12);
}

static batch random_batch(uint64_t *seed)
{
    static const size_t multiples[] = {1, 8, 32, 37};
    const size_t num_pieces = up_to(seed, 3000), lines = up_to(seed, 900);
    const size_t line_items = up_to(seed, 9000);

    return batch_of(num_pieces, lines, line_items, multiples[support_random(seed) % 4]);
}

static size_t all_lines(const batch *b)
{
    return b->num_pieces * b->lines;
}

/* ---- the tiles ---- */

/* Checks a tile's place: whole pieces, or lines of one from a multiple on. */
static void check_place(const batch *b, clsp_range lines)
{
    const size_t line = lines.first % b->lines, end = line + lines.count;

    assert_true(lines.count >= 1);
    if (line == 0 && lines.count % b->lines == 0) return;
    assert_true(end <= b->lines);
    assert_int_equal(line % b->multiple, 0);
}

/* Checks a tile's size: the least items at least where the piece and the batch go on behind it, and
   not a multiple of lines, or a piece, more than that. */
static void check_size(const batch *b, clsp_range lines)
{
    const size_t line = lines.first % b->lines, end = lines.first + lines.count;
    const bool ends_piece = (line + lines.count) % b->lines == 0;
    const bool is_last = end == all_lines(b) || (ends_piece && lines.count < b->lines);
    const size_t step = lines.count > b->lines ? b->lines : clspi_min(b->lines, b->multiple);

    if (!is_last) assert_true(lines.count * b->line_items >= LEAST_ITEMS);
    if (lines.count > step) assert_true((lines.count - step) * b->line_items < LEAST_ITEMS);
}

/* All tiles one after another cover the batch once. */
static void check_tiles(const batch *b)
{
    const size_t num = clspi_num_tiles(&b->tiling);
    size_t next = 0;

    for (size_t tile = 0; tile < num; tile++) {
        const clsp_range lines = clspi_lines_of(&b->tiling, (clsp_range){tile, 1});
        assert_int_equal(lines.first, next);
        check_place(b, lines);
        check_size(b, lines);
        next += lines.count;
    }
    assert_int_equal(next, all_lines(b));
}

/* ---- ranges of tiles ---- */

/* The cut of some tiles has their lines, wherever the batch's pieces begin. */
static void check_cut(const batch *b, clsp_range tiles, size_t first_piece)
{
    const clsp_range lines = clspi_lines_of(&b->tiling, tiles);
    clspi_cut cut = clspi_cut_of(&b->tiling, tiles, first_piece);
    size_t next = first_piece * b->lines + lines.first;
    clspi_part part;

    assert_int_equal(cut.left, lines.count);
    while (clspi_cut_next(&cut, UINT64_MAX, &part)) {
        assert_int_equal(part.piece * b->lines + part.line, next);
        assert_int_equal(part.num_lines % part.num_pieces, 0);
        next += part.num_lines;
    }
    assert_int_equal(next, first_piece * b->lines + lines.first + lines.count);
}

/* The lines of adjacent ranges are adjacent, as are those of the tiles in them. */
static void check_ranges(const batch *b, uint64_t *seed)
{
    const size_t num = clspi_num_tiles(&b->tiling);

    for (int i = 0; i < 10; i++) {
        const size_t first = (size_t)(support_random(seed) % (num + 1));
        const size_t count = (size_t)(support_random(seed) % (num - first + 1));
        const clsp_range tiles = {first, count}, before = {0, first};
        const clsp_range after = {first + count, num - first - count};
        const clsp_range lines = clspi_lines_of(&b->tiling, tiles);
        assert_int_equal(clspi_lines_of(&b->tiling, before).count, lines.first);
        assert_int_equal(clspi_lines_of(&b->tiling, after).first, lines.first + lines.count);
        assert_int_equal(lines.first + lines.count + clspi_lines_of(&b->tiling, after).count,
                         all_lines(b));
        check_cut(b, tiles, i % 2 ? FIRST_PIECE : 0);
    }
}

static void test_batches(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const batch b = random_batch(&seed);
        check_tiles(&b);
        check_ranges(&b, &seed);
    }
}

/* ---- sizes at the ends ---- */

static void test_ones(void **state)
{
    static const size_t items[] = {1, LEAST_ITEMS - 1, LEAST_ITEMS, LEAST_ITEMS + 1};
    uint64_t seed = 2;

    (void)state;
    for (size_t i = 0; i < CLSPI_COUNT(items); i++) {
        for (size_t multiple = 1; multiple <= 32; multiple *= 32) {
            const batch b = batch_of(1, 1, items[i], multiple);
            assert_int_equal(clspi_num_tiles(&b.tiling), 1);
            check_tiles(&b);
            check_ranges(&b, &seed);
        }
    }
}

/* No pieces are no tiles. */
static void test_nothing(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (size_t lines = 1; lines < 100000; lines *= 10) {
        const batch b = batch_of(0, lines, 3, 32);
        assert_int_equal(clspi_num_tiles(&b.tiling), 0);
        check_ranges(&b, &seed);
    }
}

/* Pieces at the least items and on both sides of it. */
static void test_borders(void **state)
{
    uint64_t seed = 4;

    (void)state;
    for (size_t lines = LEAST_ITEMS / 2 - 1; lines <= 2 * LEAST_ITEMS + 1; lines++) {
        const batch b = batch_of(5, lines, 1, 1), wide = batch_of(5, lines, 2, 32);
        check_tiles(&b);
        check_tiles(&wide);
        if (lines % 64 == 0) check_ranges(&b, &seed);
    }
}

/* The first and the last tiles of batches that are nearly the address space. */
static void check_ends(const batch *b)
{
    enum { ENDS = 50 };
    const size_t num = clspi_num_tiles(&b->tiling);
    size_t next = 0;

    for (size_t tile = 0; tile < num; tile++) {
        if (tile == ENDS && num > 2 * ENDS) {
            tile = num - ENDS;
            next = clspi_lines_of(&b->tiling, (clsp_range){tile, 0}).first;
        }
        const clsp_range lines = clspi_lines_of(&b->tiling, (clsp_range){tile, 1});
        assert_int_equal(lines.first, next);
        check_place(b, lines);
        check_size(b, lines);
        check_cut(b, (clsp_range){tile, 1}, 0);
        next += lines.count;
    }
    assert_int_equal(next, all_lines(b));
}

/* An item has 2 bytes at least. */
static void test_huge(void **state)
{
    static const size_t few[] = {1, 2, 3, 1000};
    uint64_t seed = 5;

    (void)state;
    for (size_t i = 0; i < 4 * CLSPI_COUNT(few); i++) {
        const size_t small = few[i / 4], items = few[i % 4];
        const size_t large = SIZE_MAX / 2 / small / items;
        const batch long_pieces = batch_of(small, large, items, 32);
        const batch many_pieces = batch_of(large, small, items, 32);
        check_ends(&long_pieces);
        check_ends(&many_pieces);
        check_ranges(&long_pieces, &seed);
        check_ranges(&many_pieces, &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches), cmocka_unit_test(test_ones), cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_borders), cmocka_unit_test(test_huge),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
