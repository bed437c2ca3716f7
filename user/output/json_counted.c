// SPDX-License-Identifier: BSD-2-Clause
#include "user/model/counted.h"
#include "user/output/json_impl.h"

json_t *json__counted_of(const struct wc_result *r, const struct wc_cell *cell, int *err)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < r->counters.cnt; i++) {
		for (unsigned int span = 0; span < WC_SPAN_CNT; span++) {
			struct wc_counted c = wc_cell__counted(cell, span, i);
			json_t *o = json_object();

			json__set(o, "counter", json__string_of(r->counters.items[i].key), err);
			json__set(o, "stage", json__string_of(wc_span__name(span)), err);
			json__set(o, "mean", c.count ? json_real(c.mean) : json_null(), err);
			json__set(o, "count", json__count_of(c.count), err);
			json__set(o, "discarded", json__count_of(c.discarded), err);
			json__set(o, "failed", json__count_of(c.failed), err);
			json__add(array, o, err);
		}
	}
	return array;
}
