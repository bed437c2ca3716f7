// SPDX-License-Identifier: BSD-2-Clause
/*
 * libstdc++ knows the ABI's names and is on every machine that has C++ programs to show. It is
 * asked when the first such name comes up, so that wakecost itself does not need it.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/symbol/demangle.h"

/* Longer ones are left alone: what a demangler makes of them nobody reads. */
#define NAME_MAX_LEN 4096

typedef char *(*demangle_fn)(const char *name, char *buf, size_t *len, int *status);

static demangle_fn find_demangler(void)
{
	static demangle_fn fn;
	static bool tried;
	void *lib;

	if (tried)
		return fn;
	tried = true;
	lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (lib)
		fn = (demangle_fn)dlsym(lib, "__cxa_demangle");
	return fn;
}

/* "...17h0123456789abcdefE" is how Rust ends its names. Where its hash begins; NULL: not Rust. */
static char *rust_hash(char *shown)
{
	size_t len = strlen(shown);
	char *hash = shown + len - 19;

	if (len < 20 || strncmp(hash, "::h", 3) || strspn(hash + 3, "0123456789abcdef") != 16)
		return NULL;
	return hash;
}

static size_t rust_escape(const char *s, char *out)
{
	static const struct {
		const char *from;
		char to;
	} escapes[] = {
		{ "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
		{ "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },
	};
	size_t i;
	unsigned int code;
	int len = 0;

	for (i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		if (!strncmp(s, escapes[i].from, strlen(escapes[i].from))) {
			*out = escapes[i].to;
			return strlen(escapes[i].from);
		}
	}
	if (sscanf(s, "$u%2x$%n", &code, &len) == 1 && len && code >= 0x20 && code < 0x7f) {
		*out = (char)code;
		return (size_t)len;
	}
	return 0;
}

/* Every escape is longer than what it stands for, so the name shrinks in place. */
static void unescape_rust(char *shown)
{
	char *from = shown, *to = shown;
	size_t len;

	while (*from) {
		/* A part that begins with an escape has a "_" put before it. */
		if (from[0] == '_' && from[1] == '$' && (from == shown || from[-1] == ':'))
			from++;
		len = *from == '$' ? rust_escape(from, to) : 0;
		if (len) {
			from += len;
			to++;
		} else if (from[0] == '.' && from[1] == '.') {
			*to++ = ':';
			*to++ = ':';
			from += 2;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

char *wc_demangle(const char *name)
{
	demangle_fn fn;
	char *shown, *hash;

	if (strncmp(name, "_Z", 2) || strlen(name) > NAME_MAX_LEN)
		return NULL;
	fn = find_demangler();
	if (!fn)
		return NULL;
	shown = fn(name, NULL, NULL, NULL);
	if (!shown)
		return NULL;
	hash = rust_hash(shown);
	if (hash) {
		*hash = '\0';
		unescape_rust(shown);
	}
	return shown;
}
