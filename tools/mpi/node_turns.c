#include "node_turns.h"

#include <stdlib.h>
#include <time.h>

enum { PATIENCE = 60, TAG = 1 }; /* seconds that are waited before a context is opened */

/* Waits so many seconds for the first rank, without using a core that it needs; 0: for good. */
static void wait_for_first(node_turns *t, int seconds)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t end = now.tv_sec + seconds;
    for (int done = 0; !t->is_done && (seconds == 0 || now.tv_sec <= end);) {
        MPI_Test(&t->messages[0], &done, MPI_STATUS_IGNORE);
        t->is_done = done != 0;
        if (!done) nanosleep(&pause, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
}

/* For compile_turns. */
static void wait_turn(void *user)
{
    node_turns *t = user;
    if (t->rank > 0) wait_for_first(t, PATIENCE);
}

/* For compile_turns. The messages are empty, so that they arrive while this rank computes; only the
   thread that MPI knows may send them. */
static void end_turn(void *user)
{
    node_turns *t = user;
    int is_main = 0;
    if (t->rank > 0 || t->is_done) return;
    MPI_Is_thread_main(&is_main);
    if (!is_main) return;
    for (int i = 1; i < t->count; i++)
        MPI_Isend(NULL, 0, MPI_BYTE, i, TAG, t->node, &t->messages[i - 1]);
    t->is_done = true;
}

void node_turns_begin(node_turns *t, MPI_Comm node)
{
    *t = (node_turns){.node = node, .turns = {wait_turn, end_turn, t}};
    MPI_Comm_rank(node, &t->rank);
    MPI_Comm_size(node, &t->count);
    t->messages = calloc((size_t)t->count, sizeof(MPI_Request));
    if (!t->messages) MPI_Abort(MPI_COMM_WORLD, EXIT_FAILED);
    if (t->rank > 0) MPI_Irecv(NULL, 0, MPI_BYTE, 0, TAG, node, &t->messages[0]);
    compile_in_turns(&t->turns);
}

void node_turns_end(node_turns *t)
{
    compile_in_turns(NULL);
    end_turn(t);
    if (t->rank > 0)
        wait_for_first(t, 0);
    else
        MPI_Waitall(t->count - 1, t->messages, MPI_STATUSES_IGNORE);
    free(t->messages);
}
