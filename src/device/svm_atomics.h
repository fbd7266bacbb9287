/* Atomics in shared virtual memory, by which kernels, the host and other devices share a counter.
 */
#ifndef CLSPI_SVM_ATOMICS_H
#define CLSPI_SVM_ATOMICS_H

#include "options.h"

/* Tells whether a device reports fine-grain buffers and SVM atomics: some drivers report one
   without the other. */
bool clspi_has_svm_atomics(const clsp_device_info *info);

/* Makes the build options of kernels that include tile_queue.clh, to which others are added: which
   atomics, and the OpenCL C that has them. By queries alone. False: the device has none that all
   devices see. */
bool clspi_svm_atomics(const clsp_context *ctx, clspi_options *options);

#endif
