/* The tile queue of the svm schedule: an atomic counter in fine-grain shared virtual memory, from
   which host workers and a persistent kernel on each device take tiles. */
#ifndef CLSPI_TILE_QUEUE_H
#define CLSPI_TILE_QUEUE_H

#include "run.h"

/* Tells why the job cannot run by a tile queue now; NULL: it can. Marks in persistent, [devices],
   which of them run its kernel. Runs the self-test where it has not been, which uses set->run. */
const char *clspi_tile_queue_refusal(clspi_device_set *set, const clspi_job *job,
                                     bool persistent[]);

/* Makes the job in one round, by the devices of `persistent` and so many host workers besides the
   calling thread. What failed is requeued. With several devices their tiles are counted as the
   first one's: the counter does not tell them apart. */
void clspi_tile_queue_round(clspi_run *run, const bool persistent[], uint32_t workers);

/* Frees the set's counter. */
void clspi_tile_queue_release(clspi_device_set *set);

#endif
