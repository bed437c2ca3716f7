// SPDX-License-Identifier: BSD-2-Clause
/*
 * counter TRACEPOINT FILTER [TRACEPOINT FILTER]...: the kernel's own counts of scheduler
 * tracepoints. Says a line when it counts, ends at a line on stdin, and prints one number each.
 */
#include <stdbool.h>

#include "tests/root/tracepoint.h"

#define COUNT_MAX 8

int main(int argc, char **argv)
{
	static struct tracepoint t[COUNT_MAX];
	int cnt = (argc - 1) / 2, i, err = tracepoint__mount();
	char c;

	if (cnt < 1 || cnt > COUNT_MAX || argc != 1 + 2 * cnt)
		return 2;
	for (i = 0; !err && i < cnt; i++)
		err = tracepoint__open(&t[i], argv[1 + 2 * i], argv[2 + 2 * i]);
	if (err) {
		fprintf(stderr, "counter: %s\n", strerror(-err));
		return 1;
	}
	for (i = 0; i < cnt; i++)
		tracepoint__enable(&t[i], true);
	printf("counting\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
	for (i = 0; i < cnt; i++)
		tracepoint__enable(&t[i], false);
	for (i = 0; i < cnt; i++)
		printf("%llu\n", tracepoint__read(&t[i]));
	return 0;
}
