/* Plans of solids on joined devices. */
#ifndef CLSPI_SOLID_SHARE_H
#define CLSPI_SOLID_SHARE_H

#include "peers.h"

extern const clspi_peer_kind clspi_solid_peers;

#endif
