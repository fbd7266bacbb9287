/* Pieces of work that may be done at once: one after another, or by threads of whoever calls. */
#ifndef CLSPI_IN_PARALLEL_H
#define CLSPI_IN_PARALLEL_H

#include <stddef.h>

/* Does piece number `piece` of some work. */
typedef void (*clspi_piece_fn)(void *user, size_t piece);

/* Threads of the caller's. run: does pieces 0 .. num - 1, in any order, and returns when all are
   done. */
typedef struct clspi_parallel {
    void (*run)(void *host, size_t num, clspi_piece_fn fn, void *user);
    void *host;
} clspi_parallel;

/* Does all pieces of some work; threads may be NULL. */
static inline void clspi_in_parallel(const clspi_parallel *threads, size_t num, clspi_piece_fn fn,
                                     void *user)
{
    if (threads)
        threads->run(threads->host, num, fn, user);
    else
        for (size_t i = 0; i < num; i++)
            fn(user, i);
}

#endif
