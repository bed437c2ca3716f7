// SPDX-License-Identifier: BSD-2-Clause
/* The experiment as a command, from what its recording says was asked for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/model/explain.h"

/* As the shell must be given it: a recording may hold anything. */
static void put_word(FILE *f, const char *word)
{
	const char *c;

	if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_-+=,./:@%") == strlen(word)) {
		fputs(word, f);
		return;
	}
	fputc('\'', f);
	for (c = word; *c; c++) {
		if (*c == '\'')
			fputs("'\\''", f);
		else
			fputc(*c, f);
	}
	fputc('\'', f);
}

char *wc_explain__command(const struct wc_result *r, unsigned int rounds)
{
	static const char *const asked[] = { "parked", "background", "mechanism", "placement",
					     "counters" };
	const char *size = wc_kvs__get(&r->params, "size");
	char *text = NULL;
	size_t len, i;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return NULL;
	fputs("sudo wakecost explain", f);
	if (size && (!strcmp(size, "quick") || !strcmp(size, "thorough")))
		fprintf(f, " --%s", size);
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		const char *v = wc_kvs__get(&r->params, asked[i]);

		if (v) {
			fprintf(f, " --%s ", asked[i]);
			put_word(f, v);
		}
	}
	for (i = 0; i < r->params.cnt; i++) {
		const char *key = r->params.items[i].key;

		if (strncmp(key, "-P ", 3) != 0)
			continue;
		fputs(" -P ", f);
		put_word(f, key + 3);
		fputc('=', f);
		put_word(f, r->params.items[i].value);
	}
	fprintf(f, " -r %u --seed %llu", rounds, (unsigned long long)r->seed);
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
