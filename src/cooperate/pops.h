/* The svm rung: devices and host workers pop one counter in fine-grain shared virtual memory. */
#ifndef CLSPI_POPS_H
#define CLSPI_POPS_H

#include "run.h"

/* NULL when the job can run on it now; else why not. Marks in takes, [devices], which ones pop.
   Runs the self-test where it has not been, which uses team->run. */
const char *clspi_pops_refuse(clspi_team *team, const clspi_job *job, bool takes[]);

/* The job's one round, by the devices of `takes` and so many host workers besides the calling
   thread. What failed is given back. With several devices their tiles are counted as the first
   one's: the counter does not tell them apart. */
void clspi_pops_round(clspi_run *run, const bool takes[], uint32_t workers);

void clspi_pops_release(clspi_team *team);

#endif
