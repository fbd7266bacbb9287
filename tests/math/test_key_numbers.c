/* Numbers of many keys at once against those that they get one after another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "key_map.h"
#include "key_numbers.h"

enum { THREADS = 3 };

/* ---- threads ---- */

/* Pieces that a thread does: every third one, the last first. */
typedef struct share_of {
    size_t first, num;
    clspi_piece_fn fn;
    void *user;
} share_of;

static void *run_share(void *user)
{
    const share_of *const s = user;

    for (size_t i = s->num; i-- > 0;)
        if (i % THREADS == s->first) s->fn(s->user, i);
    return NULL;
}

static void run_all(void *host, size_t num, clspi_piece_fn fn, void *user)
{
    share_of shares[THREADS];
    pthread_t threads[THREADS];

    (void)host;
    for (size_t t = 0; t < THREADS; t++) {
        shares[t] = (share_of){t, num, fn, user};
        assert_int_equal(pthread_create(&threads[t], NULL, run_share, &shares[t]), 0);
    }
    for (size_t t = 0; t < THREADS; t++)
        assert_int_equal(pthread_join(threads[t], NULL), 0);
}

/* ---- keys ---- */

/* Keys of so many words, by numbers that are scattered over `kinds`; the first words are below
   `bound`. */
typedef struct key_case {
    size_t num;
    uint32_t words, bound, kinds;
} key_case;

static void write_keys(const void *user, size_t first, size_t num, uint32_t *keys)
{
    const key_case *const c = user;

    for (size_t i = first; i < first + num; i++) {
        const uint32_t kind = (uint32_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 33) % c->kinds;
        *keys++ = (uint32_t)((uint64_t)kind * 2654435761u % c->bound);
        for (uint32_t w = 1; w < c->words; w++)
            *keys++ = w == c->words - 1 ? kind : kind / 3;
    }
}

/* Checks numbers, and the first item of each. */
static void check_numbers(const key_case *c, const clspi_key_numbers *numbers)
{
    clspi_key_map map;
    uint32_t key[CLSPI_KEY_WORDS];

    assert_true(clspi_key_map_make(&map));
    for (size_t i = 0; i < c->num; i++) {
        write_keys(c, i, 1, key);
        const uint32_t known = map.num;
        const uint32_t number = clspi_key_map_put(&map, (clspi_key){key[0], key[c->words - 1]});
        if (numbers->number[i] != number) fail_msg("item %zu", i);
        if (number == known && numbers->first[number] != i) fail_msg("first of %u", number);
    }
    assert_int_equal(numbers->num, map.num);
    clspi_key_map_release(&map);
}

static void test_numbers(void **state)
{
    static const key_case cases[] = {{0, 2, 1, 1},
                                     {1, 2, 1, 1},
                                     {100, 2, 5, 7},
                                     {40000, 3, 1, 1},
                                     {200000, 2, 1, 500},
                                     {100000, 4, 3, 10},
                                     {300000, 4, 70000, 1u << 16},
                                     {150001, 2, 1u << 31, 1u << 30}};
    const clspi_parallel threads = {run_all, NULL};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int together = 0; together < 2; together++) {
            const key_case *const c = &cases[i];
            const clspi_key_items items = {c->num, c->words, c->bound, write_keys, c};
            clspi_key_numbers numbers = {.number = malloc((c->num + 1) * sizeof(uint32_t))};
            assert_non_null(numbers.number);
            assert_true(clspi_number_keys(&numbers, &items, together ? &threads : NULL));
            check_numbers(c, &numbers);
            free(numbers.number);
            free(numbers.first);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
