/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeping the tool itself off the CPUs it measures on. */
#ifndef WC_EXPERIMENT_AWAY_H
#define WC_EXPERIMENT_AWAY_H

/*
 * The first CPU this process may use, while workloads take the last ones. With one CPU there is
 * nowhere to go, and nothing is done. Children call wc_away__undo() before exec.
 */
void wc_away__go(void);
void wc_away__undo(void);

#endif
