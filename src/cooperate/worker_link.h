/* The context's workers, as commands of the queue see them, which may run when the context is gone.
 */
#ifndef CLSPI_WORKER_LINK_H
#define CLSPI_WORKER_LINK_H

#include <clspline/context.h>

struct clspi_device_set;
typedef struct clspi_worker_link clspi_worker_link;

/* Makes the link of a set, which has a reference; NULL without memory. */
clspi_worker_link *clspi_worker_link_create(struct clspi_device_set *set);

/* Ends the link of a set that is about to end: waits for those who hold it, and gives the set's
   reference back. */
void clspi_worker_link_cut(clspi_worker_link *link);

/* Gives a context's link with one more reference; NULL without memory. */
clspi_worker_link *clspi_worker_link_of(clsp_context *ctx);
void clspi_worker_link_release(clspi_worker_link *link);

/* Holds the set at the other end, so that it does not end before it is let go; NULL: it is gone.
   Several threads may hold it at once. */
struct clspi_device_set *clspi_worker_link_hold(clspi_worker_link *link);
void clspi_worker_link_let_go(clspi_worker_link *link);

#endif
