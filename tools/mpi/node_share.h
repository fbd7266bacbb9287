/* What the ranks of a node share: its cores and its devices. */
#ifndef CLSPLINE_TOOLS_NODE_SHARE_H
#define CLSPLINE_TOOLS_NODE_SHARE_H

#include <mpi.h>

/* What a rank has of its node. */
typedef struct node_share {
    int cores;       /* for this rank, those that ranks share divided among them */
    char device[24]; /* "2", that was chosen by the rank's number; "": by default or by the user */
    MPI_Comm node;   /* its ranks */
} node_share;

/* Takes this rank's part of its node, until node_share_release, by variables of the environment,
   each of which is left as it is where the user has set it: so many threads of PoCL as there are
   cores for each rank, and the device of the rank's number among those that are like the one that
   would be taken by default. To be called by all ranks, before anything else looks for devices. */
void node_share_take(MPI_Comm world, node_share *share);

void node_share_release(node_share *share);

#endif
