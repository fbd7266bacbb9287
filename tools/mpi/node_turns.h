/* The ranks of a node take turns in compiling programs: the first one fills the caches, and the
   others wait until it has its first results. Else each of them would compile all programs at once
   where no cache has them, for the same cores. */
#ifndef CLSPLINE_TOOLS_NODE_TURNS_H
#define CLSPLINE_TOOLS_NODE_TURNS_H

#include <mpi.h>

#include "command.h"

typedef struct node_turns {
    MPI_Comm node;
    int rank, count;
    bool is_done;          /* the first rank has told the others, or they know */
    MPI_Request *messages; /* of the first rank [count - 1]; of others one, to them */
    compile_turns turns;   /* for compile_in_turns */
} node_turns;

/* Begins to take turns. To be called by all ranks of the node. */
void node_turns_begin(node_turns *t, MPI_Comm node);

/* Ends it, when this rank compiles no more. To be called by all ranks. */
void node_turns_end(node_turns *t);

#endif
