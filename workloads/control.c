/* SPDX-License-Identifier: BSD-2-Clause */
/* Who decides when the phases run: the parameters, or somebody at the other end of stdin. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "json.h"

#define COMMAND_SZ 64u

int control__once(struct wl_run *run)
{
	u64 round;
	int err = output__document_open(run);

	for (round = 0; !err && round < run->p.rounds; round++) {
		err = run__round(run, false);
		err = err ? err : run__round(run, true);
		err = err ? err : output__result(run, round);
	}
	return err ? err : output__document_close();
}

static int control__bad_command(const char *command)
{
	char message[COMMAND_SZ + 80];
	struct json j;

	snprintf(message, sizeof(message), "unknown command '%s'; use run, warm, measure or quit",
		 command);
	json__begin(&j, stdout);
	json__open_object(&j, NULL);
	json__string(&j, "event", "error");
	json__string(&j, "message", message);
	json__null(&j, "limit");
	json__close_object(&j);
	return json__finish(&j);
}

static int control__measure(struct wl_run *run)
{
	static u64 round;
	int err = run__round(run, true);

	return err ? err : output__result(run, round++);
}

static int control__command(struct wl_run *run, const char *command, bool *quit)
{
	u64 i;
	int err = 0;

	if (!strcmp(command, "quit")) {
		*quit = true;
	} else if (!strcmp(command, "warm")) {
		err = run__round(run, false);
		err = err ? err : output__event("warm");
	} else if (!strcmp(command, "measure")) {
		err = control__measure(run);
	} else if (!strcmp(command, "run")) {
		for (i = 0; !err && i < run->p.rounds; i++) {
			err = run__round(run, false);
			err = err ? err : control__measure(run);
		}
	} else if (*command) {
		err = control__bad_command(command);
	}
	return err;
}

int control__serve(struct wl_run *run)
{
	char command[COMMAND_SZ];
	size_t len = 0;
	bool quit = false;
	ssize_t got;
	char c;
	int err = output__ready(run);

	/* A byte at a time: nothing of what follows a command may be swallowed, and it is rare. */
	while (!err && !quit) {
		got = read(STDIN_FILENO, &c, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		if (c != '\n') {
			/* Too long is unknown: keep its beginning for the message. */
			if (len < sizeof(command) - 1)
				command[len++] = c;
			continue;
		}
		command[len] = '\0';
		len = 0;
		err = control__command(run, command, &quit);
	}
	return err;
}
