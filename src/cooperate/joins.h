/* Who has joined whom: contexts may form chains, but no ring, in which a job would wait for a
   device whose context takes part in one of its own. */
#ifndef CLSPI_JOINS_H
#define CLSPI_JOINS_H

#include <stdbool.h>

/* What a context has joined. It outlives the context while others have joined that. */
typedef struct clspi_joins clspi_joins;

/* Makes the joins of a context that has joined none; NULL without memory or a lock. */
clspi_joins *clspi_joins_create(void);

/* Forgets what the context has joined, and writes NULL. */
void clspi_joins_release(clspi_joins **joins);

/* Notes that the context has joined another one; false where that would close a ring. Safe among
   threads. At most CLSPI_MAX_DEVICES - 1 times. */
bool clspi_joins_add(clspi_joins *joins, clspi_joins *other);

#endif
