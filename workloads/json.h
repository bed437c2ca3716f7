/* SPDX-License-Identifier: BSD-2-Clause */
/* A streaming JSON writer: commas and escapes, no tree. Keys are NULL inside arrays. */
#ifndef WORKLOADS_JSON_H
#define WORKLOADS_JSON_H

#include <stdio.h>

#include "types.h"

#define JSON_DEPTH_MAX 16

struct json {
	FILE *out;
	int depth;
	bool filled[JSON_DEPTH_MAX]; /* something stands at this depth already */
};

void json__begin(struct json *j, FILE *out);
/* Ends the line and flushes it; -errno when the reader is gone or the disk is full. */
int json__finish(struct json *j);

void json__open_object(struct json *j, const char *key);
void json__close_object(struct json *j);
void json__open_array(struct json *j, const char *key);
void json__close_array(struct json *j);
void json__string(struct json *j, const char *key, const char *value);
void json__u64(struct json *j, const char *key, u64 value);
void json__real(struct json *j, const char *key, double value);
void json__bool(struct json *j, const char *key, bool value);
void json__null(struct json *j, const char *key);

#endif
