#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What root built under sudo belongs to the one who called sudo: give-back.sh DIR
set -eu
if [ "$(id -u)" -eq 0 ] && [ -n "${SUDO_UID:-}" ] && [ -d "$1" ]; then
	chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$1"
fi
