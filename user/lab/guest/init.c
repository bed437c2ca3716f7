// SPDX-License-Identifier: BSD-2-Clause
/*
 * First process of a guest of `wakecost lab`. What follows "--" on the kernel's command line:
 *
 *	symbols			sends the kernel's functions and release through the second serial line
 *	run SECONDS ARG...	sleeps, then runs the workload and sends what it prints
 *
 * and a line "lab: status N" after it. Then the machine is switched off.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define WORKLOAD "/workload"

static int out = -1;

static void put(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		printf("lab: %s: cannot be set\n", path);
	if (fd >= 0)
		close(fd);
}

static void open_line(void)
{
	struct termios t;

	out = open("/dev/ttyS1", O_WRONLY | O_NOCTTY);
	if (out < 0) {
		puts("lab: no second serial line");
		return;
	}
	if (!tcgetattr(out, &t)) {
		cfmakeraw(&t);
		tcsetattr(out, TCSANOW, &t);
	}
}

static int send_symbols(void)
{
	FILE *from = fopen("/proc/kallsyms", "r"), *to = fdopen(dup(out), "w");
	char line[512], type, *module;
	struct utsname name;

	if (!from || !to || uname(&name))
		return 1;
	fprintf(to, "lab: release %s\n", name.release);
	while (fgets(line, sizeof(line), from)) {
		module = strchr(line, '\t');
		if (module || sscanf(line, "%*s %c", &type) != 1 || !strchr("tTwW", type))
			continue;
		fputs(line, to);
	}
	fclose(from);
	return fclose(to) ? 1 : 0;
}

static int run_workload(char **argv)
{
	pid_t pid;
	int status = -1;

	sleep((unsigned int)atoi(argv[0]));
	argv[0] = WORKLOAD;
	pid = fork();
	if (!pid) {
		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
		execv(WORKLOAD, argv);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv)
{
	int status = 1;

	mount("proc", "/proc", "proc", 0, NULL);
	mount("sys", "/sys", "sysfs", 0, NULL);
	mount("dev", "/dev", "devtmpfs", 0, NULL);
	put("/proc/sys/kernel/pid_max", "4194304");
	put("/proc/sys/kernel/threads-max", "200000");
	put("/proc/sys/vm/max_map_count", "1000000");
	open_line();
	/* before them come words the kernel did not know */
	while (argc > 1 && strcmp(argv[1], "symbols") && strcmp(argv[1], "run")) {
		argc--;
		argv++;
	}
	if (out >= 0 && argc > 1 && *argv[1] == 's')
		status = send_symbols();
	else if (out >= 0 && argc > 2)
		status = run_workload(argv + 2);
	else
		puts("lab: nothing to do");
	if (out >= 0) {
		dprintf(out, "lab: status %d\n", status);
		tcdrain(out);
	}
	fflush(stdout);
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
