/* What the papers print beside what is measured here (docs/papers.md). */
#ifndef BENCH_PAPERS_H
#define BENCH_PAPERS_H

#include "bench.h"

enum { BENCH_PAPERS = 5 };

/* Finds the number of a paper, "000" to "004"; below 0 where there is none of that name. */
int bench_paper_of(const char *name);

/* Runs what the chosen papers have tables and figures of, by the suites that measure it, and then
   reports each paper's lines. */
clsp_status bench_papers_run(bench *b, const bool chosen[BENCH_PAPERS]);

#endif
