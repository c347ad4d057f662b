/* SPDX-License-Identifier: MIT
 *
 * Spikes as PET logs them (tracemill-pet(5)): a listing for the innermost call that was too slow,
 * short entries for its callers. "- " stands for a dash, times have two decimals, and a third where
 * it is not 0.
 */
#ifndef TM_REPORT_SPIKES_PET_H
#define TM_REPORT_SPIKES_PET_H

#include "lib/report/spikes/spikes.h"

struct spikes_pet {
	const struct spike_functions *functions; /* borrowed */
	struct spikes_pet_thread {               /* of samples: the last listing */
		uint32_t *path;
		size_t n, cap;
	} * threads; /* by thread id */
	size_t n_threads;
};

void spikes_pet_init(struct spikes_pet *p, const struct spike_functions *f);
void spikes_pet_release(struct spikes_pet *p);
/* Another capture begins: its thread ids mean something else. */
void spikes_pet_capture(struct spikes_pet *p);
void spikes_pet_add(struct spikes_pet *p, const struct spike_seen *s, bool peak, struct buf *out);

#endif
