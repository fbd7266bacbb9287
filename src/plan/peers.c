#include "peers.h"

#include "job.h"

static clsp_status prepare(clspi_peer *peer, const clspi_peer_kind *kind, clsp_context *ctx,
                           clspi_plan *plan)
{
    clsp_status status = CLSP_OK;

    if (!peer->plan) status = kind->create(&peer->plan, ctx, plan);
    if (status == CLSP_OK && !peer->is_loaded) status = kind->load(peer->plan, plan);
    return status;
}

void clspi_peers_prepare(clspi_peers *peers, clspi_plan *plan)
{
    clsp_context *const *contexts;
    const uint32_t num = clspi_cooperate_devices(plan->ctx, &contexts);

    for (uint32_t d = 1; d < num; d++) {
        clspi_peer *const peer = &peers->peer[d];
        peer->status = prepare(peer, peers->kind, contexts[d], plan);
        peer->is_loaded = peer->status == CLSP_OK;
    }
}

clspi_plan *clspi_peer_of(const clspi_peers *peers, clspi_plan *plan, uint32_t device,
                          clsp_status *status)
{
    *status = CLSP_OK;
    if (device == 0) return plan;
    *status = peers->peer[device].status;
    return *status == CLSP_OK ? peers->peer[device].plan : NULL;
}

void clspi_peers_forget(clspi_peers *peers)
{
    for (size_t d = 0; d < CLSP_MAX_PROCESSORS; d++)
        peers->peer[d].is_loaded = false;
}

void clspi_peers_release(clspi_peers *peers)
{
    for (size_t d = 0; d < CLSP_MAX_PROCESSORS; d++)
        if (peers->peer[d].plan) peers->kind->destroy(&peers->peer[d].plan);
    clspi_peers_forget(peers);
}
