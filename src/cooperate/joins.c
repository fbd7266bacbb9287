#include "joins.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "device_set.h"

struct clspi_joins {
    atomic_uint uses; /* by its own context, and by those that have joined it */
    pthread_mutex_t lock;
    uint32_t num;
    clspi_joins *joined[CLSPI_MAX_DEVICES];
};

clspi_joins *clspi_joins_create(void)
{
    clspi_joins *const joins = calloc(1, sizeof *joins);

    if (!joins) return NULL;
    if (pthread_mutex_init(&joins->lock, NULL) != 0) {
        free(joins);
        return NULL;
    }
    atomic_init(&joins->uses, 1);
    return joins;
}

/* Gives up one use; the last one frees. Nothing is joined by then. */
static void drop(clspi_joins *joins)
{
    if (atomic_fetch_sub(&joins->uses, 1) > 1) return;
    pthread_mutex_destroy(&joins->lock);
    free(joins);
}

void clspi_joins_release(clspi_joins **ptr)
{
    clspi_joins *const joins = *ptr;

    if (!joins) return;
    pthread_mutex_lock(&joins->lock);
    for (uint32_t i = 0; i < joins->num; i++)
        drop(joins->joined[i]);
    joins->num = 0;
    pthread_mutex_unlock(&joins->lock);
    drop(joins);
    *ptr = NULL;
}

typedef enum reach { NOT_REACHED, REACHED, BUSY } reach;

/* Looks for a context among those that another one has joined, directly or by way of others. It
   waits for no lock, since it holds locks on the way: where one is taken, the answer is BUSY. */
static reach look_for(const clspi_joins *wanted, clspi_joins *from)
{
    reach found = NOT_REACHED;

    if (from == wanted) return REACHED;
    if (pthread_mutex_trylock(&from->lock) != 0) return BUSY;
    for (uint32_t i = 0; i < from->num && found == NOT_REACHED; i++)
        found = look_for(wanted, from->joined[i]);
    pthread_mutex_unlock(&from->lock);
    return found;
}

/* The lock is held from the search to the note, so that of two threads that would close a ring
   together one sees what the other did. */
bool clspi_joins_add(clspi_joins *joins, clspi_joins *other)
{
    for (;;) {
        pthread_mutex_lock(&joins->lock);
        const reach found = look_for(joins, other);
        if (found == NOT_REACHED) {
            atomic_fetch_add(&other->uses, 1);
            joins->joined[joins->num++] = other;
        }
        pthread_mutex_unlock(&joins->lock);
        if (found != BUSY) return found == NOT_REACHED;
        sched_yield();
    }
}
