/* Memory of clsp_shared_alloc. */
#ifndef CLSPI_SHARED_MEMORY_H
#define CLSPI_SHARED_MEMORY_H

#include "team.h"

/* Whether memory lies in fine-grain SVM of the team's. */
bool clspi_shared_holds(clspi_team *team, const void *memory);

/* Whether it is the team's at all: transfers into it take other times than into plain memory. */
bool clspi_shared_owns(clspi_team *team, const void *memory);

void clspi_shared_release_all(clspi_team *team);

#endif
