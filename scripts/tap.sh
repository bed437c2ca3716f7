#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs one test file, of any kind, so that it prints TAP (for prove --exec).
set -eu
case $1 in
*.bats) exec bats --tap "$1" ;;
*) CMOCKA_MESSAGE_OUTPUT=TAP exec "$1" ;;
esac
