#include "worker_link.h"

#include <stdlib.h>

#include "device_set.h"

struct clspi_worker_link {
    atomic_uint references;
    pthread_rwlock_t lock; /* of set: read by who holds it */
    clspi_device_set *set; /* NULL: it is gone */
};

clspi_worker_link *clspi_worker_link_create(clspi_device_set *set)
{
    clspi_worker_link *const link = calloc(1, sizeof *link);

    if (!link) return NULL;
    atomic_init(&link->references, 1);
    link->set = set;
    if (pthread_rwlock_init(&link->lock, NULL) == 0) return link;
    free(link);
    return NULL;
}

void clspi_worker_link_cut(clspi_worker_link *link)
{
    pthread_rwlock_wrlock(&link->lock);
    link->set = NULL;
    pthread_rwlock_unlock(&link->lock);
    clspi_worker_link_release(link);
}

clspi_worker_link *clspi_worker_link_of(clsp_context *ctx)
{
    clspi_device_set *set;

    if (clspi_device_set_of(ctx, &set) != CLSP_OK) return NULL;
    atomic_fetch_add(&set->link->references, 1);
    return set->link;
}

void clspi_worker_link_release(clspi_worker_link *link)
{
    if (atomic_fetch_sub(&link->references, 1) > 1) return;
    pthread_rwlock_destroy(&link->lock);
    free(link);
}

clspi_device_set *clspi_worker_link_hold(clspi_worker_link *link)
{
    pthread_rwlock_rdlock(&link->lock);
    return link->set;
}

void clspi_worker_link_let_go(clspi_worker_link *link)
{
    pthread_rwlock_unlock(&link->lock);
}
