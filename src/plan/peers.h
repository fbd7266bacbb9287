/* Peers: plans on the joined devices that compute the same as a plan. */
#ifndef CLSPI_PEERS_H
#define CLSPI_PEERS_H

#include <clspline/share.h>

#include "base_plan.h"

/* How a family's plans are made again on another device. */
typedef struct clspi_peer_kind {
    clsp_status (*create)(clspi_plan **peer, clsp_context *ctx, const clspi_plan *plan);
    void (*destroy)(clspi_plan **peer);

    /* Gives a peer the plan's data. */
    clsp_status (*load)(clspi_plan *peer, clspi_plan *plan);
} clspi_peer_kind;

typedef struct clspi_peer {
    clspi_plan *plan;
    bool is_loaded;
    clsp_status status; /* why there is none, or none with the plan's data */
} clspi_peer;

typedef struct clspi_peers {
    const clspi_peer_kind *kind;
    clspi_peer peer[CLSP_MAX_PROCESSORS]; /* by device; the first is not used */
} clspi_peers;

/* Makes and loads the peers of all devices that take part in the context's jobs. A device that
   cannot have one, without fp64 say, drops out when it is asked for tiles. */
void clspi_peers_prepare(clspi_peers *peers, clspi_plan *plan);

/* Returns the plan of a device, or NULL and the reason in *status. */
clspi_plan *clspi_peer_of(const clspi_peers *peers, clspi_plan *plan, uint32_t device,
                          clsp_status *status);

/* Says that the plan's data have changed. */
void clspi_peers_forget(clspi_peers *peers);

/* Destroys all peers. */
void clspi_peers_release(clspi_peers *peers);

#endif
