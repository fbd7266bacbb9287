/* Plans of images on joined devices. */
#ifndef CLSPI_IMAGE_SHARE_H
#define CLSPI_IMAGE_SHARE_H

#include "peers.h"

extern const clspi_peer_kind clspi_image_peers;

#endif
